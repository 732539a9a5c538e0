#include "io/tree_source.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "io/tree.h"

// ------------------------------------------------------------------------------------------------ reading

enum { SPARE = 2 }; // bytes behind every text, for a line end and a 0

static char *copy_text(const char *text, size_t length) {
  char *copy = malloc(length + SPARE);
  if (copy == NULL)
    return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Not enough memory to read the file.");
}

static fly_status unreadable(const char *path, fly_error *error) {
  const char *why = errno == ENOENT || errno == ENOTDIR ? "there is no such file"
                    : errno == EISDIR                   ? "this is a folder, not a file"
                    : errno == EACCES                   ? "this file may not be read (permission denied)"
                                                        : strerror(errno);
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s.", path, why);
}

// Doubles the room for the text.
static bool grow(fly_source *source, size_t *room) {
  size_t larger = *room > 0 ? 2 * *room : 1 << 16;
  char *text = realloc(source->text, larger + SPARE);
  if (text == NULL)
    return false;
  source->text = text;
  *room = larger;
  return true;
}

static fly_status read_all(fly_source *source, FILE *file, fly_error *error) {
  size_t room = 0;
  do {
    if (source->length == room && !grow(source, &room))
      return no_memory(error);
    source->length += fread(source->text + source->length, 1, room - source->length, file);
    if (source->length > FLY_TREE_FILE_SIZE)
      return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: this file is larger than %d MB.", source->path,
                      FLY_TREE_FILE_SIZE >> 20);
  } while (!feof(file) && !ferror(file));
  if (ferror(file))
    return unreadable(source->path, error);
  source->text[source->length] = 0;
  return FLY_OK;
}

fly_status fly_source_read(fly_source *source, const char *path, fly_error *error) {
  *source = (fly_source){.path = copy_text(path, strlen(path))};
  if (source->path == NULL)
    return no_memory(error);
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return unreadable(path, error);
  fly_status status = read_all(source, file, error);
  fclose(file);
  return status;
}

fly_status fly_source_copy(fly_source *source, const char *name, const char *text, size_t length, fly_error *error) {
  *source = (fly_source){.path = copy_text(name, strlen(name)), .text = copy_text(text, length), .length = length};
  return source->path == NULL || source->text == NULL ? no_memory(error) : FLY_OK;
}

void fly_source_free(fly_source *source) {
  free(source->path);
  free(source->text);
  *source = (fly_source){0};
}

// ------------------------------------------------------------------------------------------------ places

static bool starts_character(char c) { return ((unsigned char)c & 0xC0) != 0x80 && c != '\r'; }

// The offset at which the line of an offset begins.
static size_t line_start(const fly_source *source, size_t offset) {
  while (offset > 0 && source->text[offset - 1] != '\n')
    offset--;
  return offset;
}

static int characters(const char *text, size_t length) {
  int count = 0;
  for (size_t i = 0; i < length; i++)
    count += starts_character(text[i]);
  return count;
}

void fly_cursor_move(fly_cursor *cursor, const fly_source *source, size_t offset) {
  for (; cursor->offset < offset; cursor->offset++) {
    char c = source->text[cursor->offset];
    cursor->line += c == '\n';
    cursor->column = c == '\n' ? 1 : cursor->column + starts_character(c);
  }
  bool crossed = false;
  while (cursor->offset > offset) {
    char c = source->text[--cursor->offset];
    cursor->line -= c == '\n';
    cursor->column -= starts_character(c);
    crossed = crossed || c == '\n';
  }
  if (crossed) {
    size_t start = line_start(source, offset);
    cursor->column = 1 + characters(source->text + start, offset - start);
  }
}

size_t fly_source_offset(const fly_source *source, int line, int column) {
  size_t i = 0;
  for (; line > 1 && i < source->length; i++)
    line -= source->text[i] == '\n' || (source->text[i] == '\r' && source->text[i + 1] != '\n');
  while (column > 1 && i < source->length && source->text[i] != '\n' && source->text[i] != '\r') {
    do
      i++;
    while (i < source->length && ((unsigned char)source->text[i] & 0xC0) == 0x80);
    column--;
  }
  return i;
}

// ------------------------------------------------------------------------------------------------ messages

enum { WINDOW = 100 }; // characters of a line that are shown, at most

// A piece of one line, with what cannot be shown replaced.
typedef struct excerpt {
  char text[4 * WINDOW + 1];  // the characters
  char caret[4 * WINDOW + 1]; // blanks, then ^
} excerpt;

static const char *find_line(const fly_source *source, int line) {
  const char *text = source->text;
  while (line-- > 1) {
    const char *end = strchr(text, '\n');
    if (end == NULL)
      break;
    text = end + 1;
  }
  return text;
}

// Copies one character of a line, or a question mark for what is not one; returns what follows it.
static const char *copy_character(char **out, const char *line) {
  size_t length = fly_utf8_length(line);
  if (length == 0 || (unsigned char)*line < 0x20 || *line == 0x7F) {
    *(*out)++ = *line == '\t' ? '\t' : '?';
    return line + 1;
  }
  memcpy(*out, line, length);
  *out += length;
  return line + length;
}

static bool in_line(const char *line) { return *line != 0 && *line != '\n'; }

// The line around a column. Tabs stay tabs in both rows, so that the caret stands below its character.
static void make_excerpt(excerpt *e, const char *line, int column) {
  int first = column > WINDOW - 20 ? column - WINDOW / 2 : 1, at = 1;
  char *text = e->text, *caret = e->caret;
  while (in_line(line) && at < first + WINDOW) {
    if (*line == '\r') {
      line++;
      continue;
    }
    char *before = text;
    line = copy_character(&text, line);
    if (at < first)
      text = before;
    else if (at < column)
      *caret++ = *before == '\t' ? '\t' : ' ';
    at++;
  }
  for (; at >= first && at < column && at < first + WINDOW; at++)
    *caret++ = ' ';
  strcpy(caret, "^");
  *text = 0;
}

static void append_excerpt(const fly_source *source, int line, int column, fly_error *error) {
  excerpt e = {.text = ""};
  if (source->text == NULL || source->quiet || error == NULL)
    return;
  make_excerpt(&e, find_line(source, line), column);
  size_t needed = strlen(error->message) + strlen(e.text) + strlen(e.caret) + 12;
  if (e.text[0] != 0 && needed < sizeof error->message)
    fly_error_append(error, "\n    %s\n    %s", e.text, e.caret);
}

fly_status fly_source_fail(const fly_source *source, int line, int column, fly_error *error, const char *format,
                           va_list arguments) {
  char message[800];
  vsnprintf(message, sizeof message, format, arguments);
  size_t length = strlen(source->path), longest = 160;
  const char *path = source->path + (length > longest ? length - longest : 0);
  fly_fail(error, FLY_BAD_INPUT, NAN, "%s%s:%d:%d: %s", length > longest ? "..." : "", path, line, column, message);
  fly_error_locate(error, (fly_place){source->path, line, column}, NULL);
  append_excerpt(source, line, column, error);
  return FLY_BAD_INPUT;
}

fly_status fly_source_fail_at(const fly_source *source, size_t offset, fly_error *error, const char *format, ...) {
  fly_cursor at = {.line = 1, .column = 1};
  fly_cursor_move(&at, source, offset);
  va_list arguments;
  va_start(arguments, format);
  fly_status status = fly_source_fail(source, at.line, at.column, error, format, arguments);
  va_end(arguments);
  return status;
}

// ------------------------------------------------------------------------------------------------ what is text

static fly_status check_order_mark(fly_source *source, fly_error *error) {
  const char *text = source->text, *none = NULL;
  if (source->length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0))
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, (fly_place){source->path, 1, 1}, none,
                       "this file is UTF-16; save it as UTF-8.");
  if (source->length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
    source->length -= 3;
    memmove(source->text, source->text + 3, source->length + 1);
  }
  return FLY_OK;
}

// Why the character at an offset cannot stand in a text file, or NULL. Sets its length.
static const char *character_fault(const fly_source *source, size_t offset, size_t *length) {
  const char *s = source->text + offset;
  unsigned char c = (unsigned char)s[0];
  *length = fly_utf8_length(s);
  if (*length == 0)
    return "is not UTF-8; save the file as UTF-8.";
  if (c == '\r' && s[1] != '\n')
    return "is a carriage return without a line feed; save the file with the line ends of Unix or Windows.";
  if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F)
    return "is a control character. Is this a text file?";
  if (c == 0xC2 && (unsigned char)s[1] < 0xA0)
    return "begins a control character. Is this a text file?";
  return NULL;
}

static bool is_common(char c) { return c >= 0x20 && c < 0x7F; }

static fly_status check_characters(const fly_source *source, fly_error *error) {
  size_t length = 1;
  for (size_t i = 0; i < source->length; i += length) {
    while (is_common(source->text[i])) // up to the 0 at the end
      i++;
    if (i == source->length)
      break;
    const char *fault = character_fault(source, i, &length);
    if (fault != NULL)
      return fly_source_fail_at(source, i, error, "the byte 0x%02X %s", (unsigned char)source->text[i], fault);
  }
  return FLY_OK;
}

// Inputs on which the parser takes time or memory out of proportion: it keeps every token of a line that opens a
// bracket, in case the bracket turns out to be a key, and it rereads directives from their start.
static fly_status check_line(const fly_source *source, size_t start, size_t end, int *opened, fly_error *error) {
  if (source->text[start] == '%')
    return fly_source_fail_at(source, start, error,
                              "a line cannot begin with %%: directives are not used in model files.");
  if (end - start > FLY_TREE_LINE)
    return fly_source_fail_at(source, start, error, "this line has %zu bytes; a line may have %d. Break it.",
                              end - start, FLY_TREE_LINE);
  for (size_t i = start; i < end; i++) {
    char c = source->text[i];
    if (c != '[' && c != '{') {
      *opened = c == ' ' || c == '\t' ? *opened : 0;
      continue;
    }
    if (++*opened > FLY_TREE_DEPTH)
      return fly_source_fail_at(source, i, error, "more than %d brackets are opened in a row.", FLY_TREE_DEPTH);
  }
  return FLY_OK;
}

// Of the line that begins at an offset; a carriage return ends it too.
static size_t line_end(const fly_source *source, size_t start) {
  const char *text = source->text + start;
  const char *feed = memchr(text, '\n', source->length - start);
  const size_t length = feed != NULL ? (size_t)(feed - text) : source->length - start;
  const char *carriage = memchr(text, '\r', length);
  return start + (carriage != NULL ? (size_t)(carriage - text) : length);
}

static fly_status check_lines(const fly_source *source, fly_error *error) {
  fly_status status = FLY_OK;
  int opened = 0;
  for (size_t start = 0; status == FLY_OK && start < source->length;) {
    const size_t end = line_end(source, start);
    status = check_line(source, start, end, &opened, error);
    start = end + 1;
  }
  return status;
}

// The first '?' that may introduce a key, NULL if there is none.
static const char *lone_question(const char *text) {
  for (const char *s = strchr(text, '?'); s != NULL; s = strchr(s + 1, '?'))
    if ((s == text || strchr(" \t\r\n[{,", s[-1]) != NULL) && strchr(" \t\r\n", s[1]) != NULL)
      return s;
  return NULL;
}

static bool has_tab_after_colon(const char *text) {
  for (const char *s = strchr(text, ':'); s != NULL; s = strchr(s + 1, ':'))
    if (s[1 + strspn(s + 1, " ")] == '\t')
      return true;
  return false;
}

// libfyaml 0.7.12 frees a key twice when a tab follows the colon behind a key that '?' introduced.
static fly_status check_question(const fly_source *source, fly_error *error) {
  const char *question = lone_question(source->text);
  if (question == NULL || !has_tab_after_colon(source->text))
    return FLY_OK;
  return fly_source_fail_at(source, (size_t)(question - source->text), error,
                            "keys that begin with '?' are not used in model files; put a text in quotes.");
}

// ------------------------------------------------------------------------------------------------ long lines of JSON

enum { LONG_ENOUGH = 1000 }; // bytes before a break is put in

typedef struct json_scan {
  bool string, escaped; // inside a string; after a backslash in it
  char last;            // last character that is no blank, outside strings
  size_t since;         // bytes since the last break
} json_scan;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Whether a quote at s opens a string in YAML's eyes too. It does not in {a: 5", b: x:"y}.
static bool opens_string(const json_scan *scan, const char *s) {
  bool after_bracket_or_comma = scan->last == '{' || scan->last == '[' || scan->last == ',';
  return after_bracket_or_comma || (scan->last == ':' && (s[-1] != ':' || s[-2] == '"'));
}

// Takes one more character; false if the text is not JSON.
static bool scan_character(json_scan *scan, const char *s) {
  scan->since = *s == '\n' ? 0 : scan->since + 1;
  if (scan->string) {
    scan->string = scan->escaped || *s != '"';
    scan->escaped = !scan->escaped && *s == '\\';
    if (!scan->string)
      scan->last = '"';
    return true;
  }
  if (*s == '#' || *s == '\'')
    return false;
  scan->string = *s == '"';
  if (scan->string)
    return opens_string(scan, s);
  if (!is_blank(*s))
    scan->last = *s;
  return true;
}

// The number of carriage returns that break the text after commas outside strings, where it is long enough; 0 if the
// text is not JSON. Copies the text with them to out, if that is not NULL.
static size_t break_after_commas(char *out, const char *text, size_t length) {
  json_scan scan = {.last = 0};
  size_t breaks = 0;
  for (size_t i = 0; i < length; i++) {
    if (!scan_character(&scan, text + i))
      return 0;
    bool here = text[i] == ',' && !scan.string && scan.since > LONG_ENOUGH;
    if (out != NULL) {
      out[i + breaks] = text[i];
      if (here)
        out[i + breaks + 1] = '\r';
    }
    breaks += here;
    if (here)
      scan.since = 0;
  }
  return scan.string ? 0 : breaks;
}

// JSON is often one line of many megabytes. The parser would keep all of its tokens in memory (see check_line).
static fly_status break_long_lines(fly_source *source, fly_error *error) {
  const char *text = source->text;
  while (is_blank(*text))
    text++;
  if (*text != '{')
    return FLY_OK;
  size_t breaks = break_after_commas(NULL, source->text, source->length);
  if (breaks == 0)
    return FLY_OK;
  char *broken = malloc(source->length + breaks + SPARE);
  if (broken == NULL)
    return no_memory(error);
  break_after_commas(broken, source->text, source->length);
  free(source->text);
  source->text = broken;
  source->length += breaks;
  source->text[source->length] = 0;
  return FLY_OK;
}

// The parser stumbles over a backslash that is the very last character.
static void end_last_line(fly_source *source) {
  if (source->length == 0 || source->text[source->length - 1] == '\n')
    return;
  source->text[source->length++] = '\n';
  source->text[source->length] = 0;
}

fly_status fly_source_check_text(fly_source *source, fly_error *error) {
  const fly_status status = check_order_mark(source, error);
  return status == FLY_OK ? check_characters(source, error) : status;
}

fly_status fly_source_check(fly_source *source, fly_error *error) {
  fly_status status = fly_source_check_text(source, error);
  if (status == FLY_OK)
    status = break_long_lines(source, error);
  if (status == FLY_OK)
    end_last_line(source);
  if (status == FLY_OK)
    status = check_lines(source, error);
  return status == FLY_OK ? check_question(source, error) : status;
}
