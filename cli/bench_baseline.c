// What flyball bench --json wrote before, read to be compared with.
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "json_read.h"

static const size_t LARGEST = (size_t)1 << 26; // bytes; a file of all cases and methods has some 10^5

// ------------------------------------------------------------------------------------------ the text

static bool fail_unread(const char *file) {
  const char *why = errno == ENOENT || errno == ENOTDIR ? "there is no such file"
                    : errno == EISDIR                   ? "this is a folder, not a file"
                    : errno == EACCES                   ? "this file may not be read (permission denied)"
                                                        : strerror(errno);
  cli_message("--compare: %s: %s.", file, why);
  return false;
}

static bool fail_foreign(const char *file, const char *why) {
  cli_message("%s: this is not a file of flyball bench --json: %s.", file, why);
  return false;
}

static char *read_stream(FILE *f, size_t *size) {
  size_t room = 1 << 16;
  char *text = malloc(room);
  for (size_t n = 1; text && n > 0 && *size < LARGEST; *size += n) {
    if (*size + 1 >= room) {
      char *more = realloc(text, room *= 2);
      if (!more)
        free(text);
      text = more;
    }
    n = text ? fread(text + *size, 1, room - *size - 1, f) : 0;
  }
  if (text)
    text[*size] = 0;
  return text;
}

static char *read_text(const char *file) {
  size_t size = 0;
  FILE *f = fopen(file, "rb");
  char *text = f ? read_stream(f, &size) : NULL;
  const bool read = text && !ferror(f);
  if (!read)
    fail_unread(file);
  else if (size >= LARGEST)
    fail_foreign(file, "it is far too large");
  else if (strlen(text) != size)
    fail_foreign(file, "it is no text");
  if (f)
    fclose(f);
  if (read && size < LARGEST && strlen(text) == size)
    return text;
  free(text);
  return NULL;
}

static int line_of(const char *text, const char *at) {
  int line = 1;
  for (; text < at; text++)
    line += *text == '\n';
  return line;
}

static const char *tell_fault(char text[80], const char *fault) {
  const size_t length = strcspn(fault, "\r\n");
  if (*fault == 0)
    return "the file ends in the middle of its JSON: it was cut";
  snprintf(text, 80, "what stands here is not JSON ('%.*s')", length < 20 ? (int)length : 20, fault);
  return text;
}

static bool check_json(const char *file, const char *text) {
  char what[80];
  const char *fault = cli_json_fault(text);
  if (!fault)
    return true;
  if (text[strspn(text, " \t\r\n")] == 0)
    return fail_foreign(file, "it is empty");
  cli_message("%s: line %d: %s; write the file again with flyball bench --json.", file, line_of(text, fault),
              tell_fault(what, fault));
  return false;
}

// ------------------------------------------------------------------------------------------ its entries

static bool member_name(char out[BENCH_NAME], const char *object, const char *name) {
  const char *value = cli_json_member(object, name);
  return value && cli_json_name(out, BENCH_NAME, value);
}

static bool member_positive(double *out, const char *object, const char *name) {
  const char *value = cli_json_member(object, name);
  return value && cli_json_number(out, value) && *out > 0;
}

static bool fail_entry(const bench_baseline *b, const char *format, ...) {
  char what[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  cli_message("%s: %s; the file is damaged, write it again with flyball bench --json.", b->file, what);
  return false;
}

static bool read_entry(bench_entry *e, const bench_baseline *b, const char *value) {
  const char *seconds = cli_json_member(value, "seconds");
  if (!member_name(e->name, value, "case") || !member_name(e->method, value, "method"))
    return fail_entry(b, "result %d does not say its case and method", b->count + 1);
  if (!member_positive(&e->precision, value, "precision"))
    return fail_entry(b, "the precision of %s, %s is not a number above 0", e->name, e->method);
  e->seconds = NAN;
  if (seconds && cli_json_is_null(seconds))
    return true;
  if (!member_positive(&e->seconds, value, "seconds"))
    return fail_entry(b, "the seconds of %s, %s are not a number above 0", e->name, e->method);
  return true;
}

static bool read_entries(bench_baseline *b, const char *results) {
  int count = 0;
  if (!results || *results != '[')
    return fail_entry(b, "it has no list of results");
  for (const char *value = cli_json_first(results); value; value = cli_json_next(value))
    count++;
  b->entry = calloc((size_t)count + 1, sizeof *b->entry);
  if (!b->entry) {
    cli_message("not enough memory to read %s.", b->file);
    return false;
  }
  for (const char *value = cli_json_first(results); value; value = cli_json_next(value), b->count++)
    if (!read_entry(&b->entry[b->count], b, value))
      return false;
  return true;
}

static bool read_baseline(bench_baseline *b, const char *text) {
  if (!check_json(b->file, text))
    return false;
  const char *top = cli_json_value(text), *kind = cli_json_member(top, "bench");
  double format = 0;
  if (!kind)
    return fail_foreign(b->file, "it has no \"bench\"");
  if (!cli_json_number(&format, kind) || format != 1)
    return fail_foreign(b->file, "its \"bench\" is not 1, the one form that this version knows");
  if (!member_name(b->program, top, "program") || !member_name(b->version, top, "version"))
    return fail_entry(b, "it does not say which program and version wrote it");
  return read_entries(b, cli_json_member(top, "results"));
}

bool bench_read_baseline(bench_baseline *out, const char *file) {
  *out = (bench_baseline){.file = file};
  char *text = read_text(file);
  const bool read = text && read_baseline(out, text);
  free(text);
  if (!read)
    bench_free_baseline(out);
  return read;
}

void bench_free_baseline(bench_baseline *b) {
  free(b->entry);
  *b = (bench_baseline){.file = b->file};
}
