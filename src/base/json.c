#include "flyball/json.h"

#include <math.h>

#include "base/number.h"
#include "base/utf8.h"

fly_json fly_json_to(FILE *file, int indent) { return (fly_json){.file = file, .indent = indent}; }

bool fly_json_finish(fly_json *j) {
  fputc('\n', j->file);
  return fflush(j->file) == 0 && !ferror(j->file) && j->depth == 0 && !j->misused;
}

static void new_line(fly_json *j) {
  if (j->indent > 0)
    fprintf(j->file, "\n%*s", j->indent * j->depth, "");
}

// What stands between the text so far and the next key or value.
static void separate(fly_json *j) {
  if (!j->keyed) {
    if (j->follows)
      fputc(',', j->file);
    if (j->depth > 0)
      new_line(j);
  }
  j->keyed = false;
  j->follows = true;
}

static void begin(fly_json *j, char bracket) {
  separate(j);
  fputc(bracket, j->file);
  j->depth++;
  j->follows = false;
}

static void end(fly_json *j, char bracket) {
  j->misused |= j->depth == 0 || j->keyed;
  j->depth -= j->depth > 0;
  if (j->follows) // an empty one closes on its line
    new_line(j);
  fputc(bracket, j->file);
  j->follows = true;
}

void fly_json_begin_object(fly_json *j) { begin(j, '{'); }
void fly_json_end_object(fly_json *j) { end(j, '}'); }
void fly_json_begin_array(fly_json *j) { begin(j, '['); }
void fly_json_end_array(fly_json *j) { end(j, ']'); }

static void write_ascii(FILE *file, int c) {
  switch (c) {
  case '"':
  case '\\':
    fprintf(file, "\\%c", c);
    break;
  case '\b':
    fputs("\\b", file);
    break;
  case '\f':
    fputs("\\f", file);
    break;
  case '\n':
    fputs("\\n", file);
    break;
  case '\r':
    fputs("\\r", file);
    break;
  case '\t':
    fputs("\\t", file);
    break;
  default:
    if (c < 0x20)
      fprintf(file, "\\u%04x", (unsigned)c);
    else
      fputc(c, file);
  }
}

static void write_quoted(FILE *file, const char *text) {
  fputc('"', file);
  for (const char *s = text; *s != 0;) {
    const size_t length = fly_utf8_length(s);
    if (length == 0)
      fputs("\\ufffd", file);
    else if (length == 1)
      write_ascii(file, (unsigned char)*s);
    else
      fwrite(s, 1, length, file);
    s += length > 0 ? length : 1;
  }
  fputc('"', file);
}

static void write_number(FILE *file, double x) {
  char text[FLY_NUMBER_SIZE];
  fly_number_text(text, x);
  fputs(isfinite(x) ? text : "null", file);
}

void fly_json_key(fly_json *j, const char *key) {
  j->misused |= j->depth == 0 || j->keyed;
  separate(j);
  write_quoted(j->file, key);
  fputs(j->indent > 0 ? ": " : ":", j->file);
  j->keyed = true;
}

void fly_json_string(fly_json *j, const char *text) {
  if (text == NULL) {
    fly_json_null(j);
    return;
  }
  separate(j);
  write_quoted(j->file, text);
}

void fly_json_number(fly_json *j, double x) {
  separate(j);
  write_number(j->file, x);
}

void fly_json_integer(fly_json *j, long long i) {
  separate(j);
  fprintf(j->file, "%lld", i);
}

void fly_json_bool(fly_json *j, bool b) {
  separate(j);
  fputs(b ? "true" : "false", j->file);
}

void fly_json_put_string(fly_json *j, const char *key, const char *text) {
  fly_json_key(j, key);
  fly_json_string(j, text);
}

void fly_json_put_number(fly_json *j, const char *key, double x) {
  fly_json_key(j, key);
  fly_json_number(j, x);
}

void fly_json_put_integer(fly_json *j, const char *key, long long i) {
  fly_json_key(j, key);
  fly_json_integer(j, i);
}

void fly_json_put_bool(fly_json *j, const char *key, bool b) {
  fly_json_key(j, key);
  fly_json_bool(j, b);
}

void fly_json_open_object(fly_json *j, const char *key) {
  fly_json_key(j, key);
  fly_json_begin_object(j);
}

void fly_json_open_array(fly_json *j, const char *key) {
  fly_json_key(j, key);
  fly_json_begin_array(j);
}

void fly_json_null(fly_json *j) {
  separate(j);
  fputs("null", j->file);
}

void fly_json_raw(fly_json *j, const char *json) {
  separate(j);
  fputs(json, j->file);
}

void fly_json_numbers(fly_json *j, const double *x, size_t n) {
  separate(j);
  fputc('[', j->file);
  for (size_t i = 0; i < n; i++) {
    if (i > 0)
      fputs(j->indent > 0 ? ", " : ",", j->file);
    write_number(j->file, x[i]);
  }
  fputc(']', j->file);
}
