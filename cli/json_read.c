#include "json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 100 };

static const char DIGITS[] = "0123456789", HEXADECIMAL[] = "0123456789abcdefABCDEF";

static const char *skip_space(const char *at) { return at + strspn(at, " \t\r\n"); }

// ------------------------------------------------------------------------------------------ the end of a value

// Each moves *at behind what it names; false: it is not there, and *at is where that shows.

static bool pass_word(const char **at, const char *word) {
  const size_t length = strlen(word);
  if (strncmp(*at, word, length) != 0)
    return false;
  *at += length;
  return true;
}

static bool pass_escape(const char **at) {
  if (**at != 'u') {
    const bool known = **at != 0 && strchr("\"\\/bfnrt", **at) != NULL;
    *at += known;
    return known;
  }
  const bool known = strspn(*at + 1, HEXADECIMAL) >= 4;
  *at += known ? 5 : 0;
  return known;
}

static bool pass_string(const char **at) {
  if (!pass_word(at, "\""))
    return false;
  while (**at != '"') {
    if ((unsigned char)**at < 0x20)
      return false;
    if (*(*at)++ == '\\' && !pass_escape(at))
      return false;
  }
  ++*at;
  return true;
}

static bool pass_digits(const char **at) {
  const size_t count = strspn(*at, DIGITS);
  *at += count;
  return count > 0;
}

static bool pass_number(const char **at) {
  *at += **at == '-';
  if (**at == '0')
    ++*at;
  else if (!pass_digits(at))
    return false;
  if (pass_word(at, ".") && !pass_digits(at))
    return false;
  if (**at != 'e' && **at != 'E')
    return true;
  ++*at;
  *at += **at == '+' || **at == '-';
  return pass_digits(at);
}

static bool pass_value(const char **at, int depth);

static bool pass_name(const char **at) {
  *at = skip_space(*at);
  if (!pass_string(at))
    return false;
  *at = skip_space(*at);
  return pass_word(at, ":");
}

// What stands between brackets: members of an object, or values.
static bool pass_list(const char **at, const char *close, bool members, int depth) {
  *at = skip_space(*at + 1);
  if (pass_word(at, close))
    return true;
  do {
    if (members && !pass_name(at))
      return false;
    *at = skip_space(*at);
    if (!pass_value(at, depth))
      return false;
    *at = skip_space(*at);
  } while (pass_word(at, ","));
  return pass_word(at, close);
}

static bool pass_value(const char **at, int depth) {
  if (depth == DEPTH)
    return false;
  switch (**at) {
  case '{':
    return pass_list(at, "}", true, depth + 1);
  case '[':
    return pass_list(at, "]", false, depth + 1);
  case '"':
    return pass_string(at);
  case 't':
    return pass_word(at, "true");
  case 'f':
    return pass_word(at, "false");
  case 'n':
    return pass_word(at, "null");
  default:
    return pass_number(at);
  }
}

const char *cli_json_fault(const char *text) {
  const char *at = skip_space(text);
  if (!pass_value(&at, 0))
    return at;
  at = skip_space(at);
  return *at == 0 ? NULL : at;
}

// ------------------------------------------------------------------------------------------ places

const char *cli_json_value(const char *text) { return skip_space(text); }

static bool is_named(const char *string, const char *name) {
  const size_t length = strlen(name);
  return strncmp(string + 1, name, length) == 0 && string[1 + length] == '"';
}

const char *cli_json_next(const char *value) {
  (void)pass_value(&value, 0);
  value = skip_space(value);
  return *value == ',' ? skip_space(value + 1) : NULL;
}

const char *cli_json_first(const char *value) {
  if (*value != '[')
    return NULL;
  value = skip_space(value + 1);
  return *value == ']' ? NULL : value;
}

const char *cli_json_member(const char *value, const char *name) {
  const char *member = *value == '{' ? skip_space(value + 1) : NULL;
  while (member && *member == '"') {
    const char *string = member;
    (void)pass_name(&member);
    member = skip_space(member);
    if (is_named(string, name))
      return member;
    member = cli_json_next(member);
  }
  return NULL;
}

// ------------------------------------------------------------------------------------------ values

bool cli_json_is_null(const char *value) { return *value == 'n'; }

bool cli_json_number(double *out, const char *value) {
  if (*value != '-' && !strchr(DIGITS, *value))
    return false;
  *out = strtod(value, NULL);
  return isfinite(*out);
}

bool cli_json_name(char *out, size_t size, const char *value) {
  const size_t length = *value == '"' ? strcspn(value + 1, "\"\\") : size;
  if (length >= size || value[1 + length] != '"')
    return false;
  memcpy(out, value + 1, length);
  out[length] = 0;
  return true;
}
