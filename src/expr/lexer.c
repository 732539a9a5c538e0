#include "expr/lexer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "expr/expr.h"

// ---------------------------------------------------------------------------------- characters

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool continues(char c) { return ((unsigned char)c & 0xC0) == 0x80; } // inside a character of UTF-8

// Bytes of the UTF-8 character at s, and its code; 1 and -1 if it is none.
static int decode(const char *s, long *code) {
  const unsigned char c = (unsigned char)s[0];
  const int length = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : (c & 0xF0) == 0xE0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
  *code = length == 0 ? -1 : c & (length == 1 ? 0x7F : 0xFF >> (length + 1));
  for (int k = 1; k < length; k++) {
    if (!continues(s[k])) {
      *code = -1;
      return 1;
    }
    *code = *code << 6 | (s[k] & 0x3F);
  }
  return length > 0 ? length : 1;
}

// Letters of any script: what lies above ASCII and is neither space, sign nor symbol.
static bool is_foreign_letter(long code) {
  if (code < 0xC0)
    return code == 0xB5; // the micro sign
  return code != 0xD7 && code != 0xF7 && !(code >= 0x2000 && code < 0x2C00) && !(code >= 0x3000 && code < 0x3040) &&
         !(code >= 0xD800 && code < 0xF900) && code < 0xFE00;
}

// Bytes of the letter at s, or 0.
static int letter(const char *s) {
  long code;
  if (is_ascii_letter(*s))
    return 1;
  if ((unsigned char)*s < 0x80)
    return 0;
  const int length = decode(s, &code);
  return is_foreign_letter(code) ? length : 0;
}

// Bytes of the word at s, or 0.
static int word_length(const char *s) {
  int length = letter(s);
  if (length == 0)
    return 0;
  for (int more = 1; more > 0; length += more)
    more = is_digit(s[length]) || s[length] == '.' ? 1 : letter(s + length);
  return length;
}

int fly_token_column(const char *text, int offset) {
  int column = 1;
  for (int i = 0; i < offset; i++)
    column += !continues(text[i]);
  return column;
}

// ---------------------------------------------------------------------------------- numbers

static int digits(const char *s) {
  int n = 0;
  while (is_digit(s[n]))
    n++;
  return n;
}

// Bytes of the number at s, which begins with a digit or with a dot and a digit.
static int number_length(const char *s) {
  int n = digits(s);
  if (s[n] == '.')
    n += 1 + digits(s + n + 1);
  if (s[n] == 'e' || s[n] == 'E') {
    const int sign = s[n + 1] == '+' || s[n + 1] == '-', exponent = digits(s + n + 1 + sign);
    if (exponent > 0)
      n += 1 + sign + exponent;
  }
  return n;
}

enum { LONGEST_NUMBER = 400 };

static bool has_digit_above_zero(const char *s, int length) {
  for (int i = 0; i < length && s[i] != 'e' && s[i] != 'E'; i++)
    if (s[i] >= '1' && s[i] <= '9')
      return true;
  return false;
}

static void lex_number(fly_token *t, const char *s) {
  t->kind = FLY_TOKEN_BAD;
  t->length = number_length(s);
  if (s[t->length] == '.') {
    while (is_digit(s[t->length]) || s[t->length] == '.')
      t->length++;
    t->why = "is not a number";
  } else if (letter(s + t->length) > 0) {
    t->length += word_length(s + t->length);
    t->why = "is no number; if a unit is meant, write the product, as in 30*deg";
  } else if (t->length > LONGEST_NUMBER) {
    t->why = "has too many digits";
  } else {
    fly_number_parse(s, (size_t)t->length, &t->number); // its form is known
    if (!isfinite(t->number))
      t->why = "is too large; the largest number is 1.8e308";
    else if (t->number == 0 && has_digit_above_zero(s, t->length))
      t->why = "is too small; the smallest number above 0 is 5e-324";
    else
      t->kind = FLY_TOKEN_NUMBER;
  }
}

// ---------------------------------------------------------------------------------- words and signs

static void lex_word(fly_token *t, const char *s) {
  static const struct {
    const char *word;
    fly_token_kind kind;
  } operators[] = {{"or", FLY_TOKEN_OR}, {"and", FLY_TOKEN_AND}, {"not", FLY_TOKEN_NOT}};
  t->kind = FLY_TOKEN_WORD;
  t->length = word_length(s);
  for (int i = 0; i < 3; i++)
    if ((size_t)t->length == strlen(operators[i].word) && strncmp(s, operators[i].word, (size_t)t->length) == 0)
      t->kind = operators[i].kind;
}

typedef struct sign {
  const char *text;
  fly_token_kind kind;
  const char *why;
} sign;

// Longer ones first. What belongs to other languages, or to a typesetter, is told what it is here.
static const sign signs[] = {
    {"**", FLY_TOKEN_BAD, "is not known here; a power is written ^"},
    {"&&", FLY_TOKEN_BAD, "is not known here; write and"},
    {"||", FLY_TOKEN_BAD, "is not known here; write or"},
    {"<=", FLY_TOKEN_LESS_EQUAL, NULL},
    {">=", FLY_TOKEN_GREATER_EQUAL, NULL},
    {"==", FLY_TOKEN_EQUAL, NULL},
    {"!=", FLY_TOKEN_NOT_EQUAL, NULL},
    {"<>", FLY_TOKEN_BAD, "is not known here; write !="},
    {"(", FLY_TOKEN_OPEN, NULL},
    {")", FLY_TOKEN_CLOSE, NULL},
    {",", FLY_TOKEN_COMMA, NULL},
    {"+", FLY_TOKEN_PLUS, NULL},
    {"-", FLY_TOKEN_MINUS, NULL},
    {"*", FLY_TOKEN_TIMES, NULL},
    {"/", FLY_TOKEN_OVER, NULL},
    {"^", FLY_TOKEN_POWER, NULL},
    {"<", FLY_TOKEN_LESS, NULL},
    {">", FLY_TOKEN_GREATER, NULL},
    {"=", FLY_TOKEN_BAD, "is not a comparison; write =="},
    {"!", FLY_TOKEN_BAD, "is not known here; write not"},
    {"&", FLY_TOKEN_BAD, "is not known here; write and"},
    {"|", FLY_TOKEN_BAD, "is not known here; write or, or abs(x)"},
    {"%", FLY_TOKEN_BAD, "is not known here; write mod(a, b)"},
    {"?", FLY_TOKEN_BAD, "is not known here; write if(condition, a, b)"},
    {":", FLY_TOKEN_BAD, "is not known here; arguments are separated by commas"},
    {";", FLY_TOKEN_BAD, "is not known here; arguments are separated by commas"},
    {"[", FLY_TOKEN_BAD, "is not known here; write ("},
    {"]", FLY_TOKEN_BAD, "is not known here; write )"},
    {"{", FLY_TOKEN_BAD, "is not known here; write ("},
    {"}", FLY_TOKEN_BAD, "is not known here; write )"},
    {"'", FLY_TOKEN_BAD, "is not known here; names are written without quotes"},
    {"\"", FLY_TOKEN_BAD, "is not known here; names are written without quotes"},
    {"\u2212", FLY_TOKEN_BAD, "is a printer's minus; write -"},
    {"\u2013", FLY_TOKEN_BAD, "is a dash; write -"},
    {"\u2014", FLY_TOKEN_BAD, "is a dash; write -"},
    {"\u00D7", FLY_TOKEN_BAD, "is not known here; write *"},
    {"\u00B7", FLY_TOKEN_BAD, "is not known here; write *"},
    {"\u22C5", FLY_TOKEN_BAD, "is not known here; write *"},
    {"\u00F7", FLY_TOKEN_BAD, "is not known here; write /"},
    {"\u00B0", FLY_TOKEN_BAD, "is not known here; write *deg"},
    {"\u00B2", FLY_TOKEN_BAD, "is not known here; write ^2"},
    {"\u00B3", FLY_TOKEN_BAD, "is not known here; write ^3"},
    {"\u2264", FLY_TOKEN_BAD, "is not known here; write <="},
    {"\u2265", FLY_TOKEN_BAD, "is not known here; write >="},
    {"\u2260", FLY_TOKEN_BAD, "is not known here; write !="},
    {"\u221A", FLY_TOKEN_BAD, "is not known here; write sqrt(x)"},
    {"\u00A0", FLY_TOKEN_BAD, "is a space of another kind (U+00A0); write a plain one"},
};

static void lex_sign(fly_token *t, const char *s) {
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    if (*s != signs[i].text[0])
      continue;
    const size_t length = strlen(signs[i].text);
    if (strncmp(s, signs[i].text, length) == 0) {
      t->kind = signs[i].kind;
      t->length = (int)length;
      t->why = signs[i].why;
      return;
    }
  }
  long code;
  t->kind = FLY_TOKEN_BAD;
  t->length = decode(s, &code);
  t->why = code < 0 ? "is not UTF-8" : "has no meaning in an expression";
}

fly_token fly_token_at(const char *text, int offset) {
  while (is_space(text[offset]))
    offset++;
  fly_token t = {.offset = offset};
  const char *s = text + offset;
  if (*s == 0)
    t.kind = FLY_TOKEN_END;
  else if (is_digit(*s) || (*s == '.' && is_digit(s[1])))
    lex_number(&t, s);
  else if (letter(s) > 0)
    lex_word(&t, s);
  else
    lex_sign(&t, s);
  return t;
}

bool fly_expr_is_word(const char *text) {
  const fly_token t = fly_token_at(text, 0);
  return t.kind == FLY_TOKEN_WORD && t.offset == 0 && text[t.length] == 0 && strcmp(text, "time") != 0;
}
