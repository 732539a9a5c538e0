// The texts of scalars, decoded from the file itself. libfyaml 0.7.12 says where they are, but not always what they
// are: its text is wrong where two doubled quotes meet in single ones, and in many folded blocks.
#include <string.h>

#include "io/tree_nodes.h"

// What is being read and written.
typedef struct decoder {
  const char *in, *end; // the closing quote is the end
  char *out;            // next character of the text
  char *fixed;          // blanks before this are part of the text, whatever follows
} decoder;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static void put_code(decoder *d, unsigned code) {
  if (code < 0x80) {
    *d->out++ = (char)code;
  } else if (code < 0x800) {
    *d->out++ = (char)(0xC0 | code >> 6);
    *d->out++ = (char)(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *d->out++ = (char)(0xE0 | code >> 12);
    *d->out++ = (char)(0x80 | (code >> 6 & 0x3F));
    *d->out++ = (char)(0x80 | (code & 0x3F));
  } else {
    *d->out++ = (char)(0xF0 | code >> 18);
    *d->out++ = (char)(0x80 | (code >> 12 & 0x3F));
    *d->out++ = (char)(0x80 | (code >> 6 & 0x3F));
    *d->out++ = (char)(0x80 | (code & 0x3F));
  }
}

// ------------------------------------------------------------------------------------------------ line ends

// Skips line ends and the blanks around them; the number of line ends.
static int skip_lines(decoder *d) {
  int lines = 0;
  while (d->in < d->end && (is_blank(*d->in) || *d->in == '\n'))
    lines += *d->in++ == '\n';
  return lines;
}

// One line end is a blank, n + 1 are n line ends; blanks around them do not count. A backslash before the first takes
// that one away, and keeps the blanks before it.
static void fold(decoder *d, bool escaped) {
  while (!escaped && d->out > d->fixed && is_blank(d->out[-1]))
    d->out--;
  int lines = skip_lines(d);
  if (lines == 1 && !escaped)
    *d->out++ = ' ';
  for (; lines > 1; lines--)
    *d->out++ = '\n';
  d->fixed = d->out;
}

static bool at_line_end(const char *s) { return *s == '\n' || (*s == '\r' && s[1] == '\n'); }

// ------------------------------------------------------------------------------------------------ escapes

static int hex_value(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// Reads a number of digits; false if there are fewer.
static bool read_hex(decoder *d, int digits, unsigned *code) {
  *code = 0;
  for (int i = 0; i < digits; i++, d->in++) {
    int value = hex_value(*d->in);
    if (value < 0)
      return false;
    *code = *code << 4 | (unsigned)value;
  }
  return true;
}

// The second half of a character that JSON writes as two escapes.
static bool join_surrogate(decoder *d, unsigned *code) {
  unsigned low;
  if (*code < 0xD800 || *code > 0xDBFF)
    return true;
  if (d->in[0] != '\\' || d->in[1] != 'u')
    return false;
  d->in += 2;
  if (!read_hex(d, 4, &low) || low < 0xDC00 || low > 0xDFFF)
    return false;
  *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
  return true;
}

// Escapes of one letter, and what they stand for.
static bool short_escape(char letter, unsigned *code) {
  static const char letters[] = "abt\tnvfre \"/\\N_LP";
  static const unsigned codes[] = {7, 8, 9, 9, 10, 11, 12, 13, 27, ' ', '"', '/', '\\', 0x85, 0xA0, 0x2028, 0x2029};
  const char *found = letter != 0 ? strchr(letters, letter) : NULL;
  if (found != NULL)
    *code = codes[found - letters];
  return found != NULL;
}

// What follows a backslash. A 0 and what is no character are refused.
static bool decode_escape(decoder *d) {
  unsigned code = 0;
  char letter = *d->in++;
  bool ok;
  if (letter == 'x' || letter == 'u' || letter == 'U')
    ok = read_hex(d, letter == 'x' ? 2 : letter == 'u' ? 4 : 8, &code) && (letter != 'u' || join_surrogate(d, &code));
  else
    ok = short_escape(letter, &code);
  if (!ok || code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
    return false;
  put_code(d, code);
  d->fixed = d->out;
  return true;
}

// ------------------------------------------------------------------------------------------------ texts

static bool decode_single(decoder *d) {
  while (d->in < d->end) {
    if (at_line_end(d->in)) {
      fold(d, false);
    } else {
      d->in += *d->in == '\'';
      *d->out++ = *d->in++;
    }
  }
  return d->in == d->end;
}

static bool decode_double(decoder *d) {
  while (d->in < d->end) {
    if (at_line_end(d->in)) {
      fold(d, false);
    } else if (*d->in != '\\') {
      *d->out++ = *d->in++;
    } else if (at_line_end(++d->in)) {
      fold(d, true);
    } else if (!decode_escape(d)) {
      return false;
    }
  }
  return d->in == d->end;
}

static bool decode_plain(decoder *d) {
  while (d->end > d->in && (is_blank(d->end[-1]) || d->end[-1] == '\n'))
    d->end--;
  while (d->in < d->end) {
    if (at_line_end(d->in))
      fold(d, false);
    else
      *d->out++ = *d->in++;
  }
  return true;
}

const char *fly_tree_decode(fly_tree *tree, const char *text, size_t length, fly_tree_style style, bool *decoded) {
  size_t longest = style == FLY_TREE_DOUBLE ? 3 * length / 2 : length; // \L has two bytes, what it stands for three
  char *copy = fly_tree_take_text(tree, longest + 1);
  *decoded = false;
  if (copy == NULL)
    return NULL;
  decoder d = {.in = text, .end = text + length, .out = copy, .fixed = copy};
  *decoded = style == FLY_TREE_DOUBLE   ? decode_double(&d)
             : style == FLY_TREE_SINGLE ? decode_single(&d)
                                        : decode_plain(&d);
  *d.out = 0;
  return copy;
}

// ------------------------------------------------------------------------------------------------ blocks

// What the header of a block says.
typedef struct block {
  bool folded; // >, not |
  char chomp;  // '-': no line end at the end; '+': all of them; 0: one
  int indent;  // blanks before each line
} block;

static int count_blanks(const char *s, const char *end) {
  const char *start = s;
  while (s < end && *s == ' ')
    s++;
  return (int)(s - start);
}

// Passes line ends, and lines of blanks no longer than the indentation; the number of line ends.
static int skip_empty_lines(decoder *d, int indent) {
  for (int lines = 0;; lines++) {
    int blanks = count_blanks(d->in, d->end);
    const char *s = d->in + (blanks < indent ? blanks : indent);
    if (s >= d->end || !at_line_end(s))
      return lines;
    d->in = s + (*s == '\r') + 1;
  }
}

static void put_lines(decoder *d, int lines) {
  while (lines-- > 0)
    *d->out++ = '\n';
}

static void copy_line(decoder *d) {
  while (d->in < d->end && !at_line_end(d->in))
    *d->out++ = *d->in++;
  d->in += d->in < d->end && *d->in == '\r';
  d->in += d->in < d->end;
}

static bool ends_block(const decoder *d, const block *b) {
  return d->in >= d->end || count_blanks(d->in, d->end) < b->indent;
}

// Line by line. Folded, the end of a line is a blank, unless it or the next one is indented further, or empty.
static bool decode_block(decoder *d, const block *b) {
  put_lines(d, skip_empty_lines(d, b->indent));
  while (!ends_block(d, b)) {
    d->in += b->indent;
    bool further = *d->in == ' ' || *d->in == '\t';
    copy_line(d);
    int lines = skip_empty_lines(d, b->indent);
    if (ends_block(d, b))
      put_lines(d, b->chomp == '-' ? 0 : b->chomp == '+' ? lines + 1 : 1);
    else if (!b->folded || further || d->in[b->indent] == ' ' || d->in[b->indent] == '\t')
      put_lines(d, lines + 1);
    else if (lines > 0)
      put_lines(d, lines);
    else
      *d->out++ = ' ';
  }
  const char *rest = d->in + count_blanks(d->in, d->end); // what may follow: the indentation of the next key, a comment
  return rest >= d->end || *rest == '#';
}

// The | or > behind the last token: comments and anchors are passed over. NULL if there is none.
static const char *find_header(const char *s, const char *end) {
  while (s < end && *s != '|' && *s != '>') {
    if (*s == '#')
      s += strcspn(s, "\n");
    else
      s += *s == '&' ? strcspn(s, " \t\n") : 1;
  }
  return s < end ? s : NULL;
}

// Reads the header; *s becomes the first line of the block. column is that of the key, which the lines must be beyond.
static block read_header(const char **s, int column) {
  block b = {.folded = **s == '>'};
  for (++*s; **s == '-' || **s == '+' || (**s >= '1' && **s <= '9'); ++*s) {
    if (**s == '-' || **s == '+')
      b.chomp = **s;
    else
      b.indent = column - 1 + (**s - '0');
  }
  *s += strcspn(*s, "\n");
  *s += **s == '\n';
  return b;
}

// The blanks before the first line that is not empty; 0 if all are.
static int find_indent(const char *s, const char *end) {
  const char *first = s + strspn(s, " \r\n");
  int indent = 0;
  while (first < end && first - indent > s && first[-indent - 1] == ' ')
    indent++;
  return indent;
}

const char *fly_tree_decode_block(fly_tree *tree, const char *after, const char *end, int column, bool *decoded) {
  const char *s = end > after ? find_header(after, end) : NULL;
  char *copy = fly_tree_take_text(tree, end > after ? (size_t)(end - after) + 2 : 1);
  *decoded = false;
  if (copy == NULL || s == NULL)
    return copy;
  block b = read_header(&s, column);
  decoder d = {.in = s, .end = end > s ? end : s, .out = copy, .fixed = copy};
  bool empty = s + strspn(s, " \r\n") >= end;
  if (b.indent == 0)
    b.indent = find_indent(s, end);
  if (empty)
    put_lines(&d, b.chomp == '+' ? skip_lines(&d) : 0);
  *decoded = empty || (b.indent >= column && decode_block(&d, &b));
  *d.out = 0;
  return copy;
}
