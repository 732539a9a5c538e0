#include "flyball/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

fly_json fly_json_to(fly_sink *sink, void *user, int indent) {
  return (fly_json){.sink = sink, .user = user, .indent = indent};
}

bool fly_to_file(const char *text, size_t length, void *file) {
  return length > 0 ? fwrite(text, 1, length, file) == length : fflush(file) == 0 && !ferror((FILE *)file);
}

static void put(fly_json *j, const char *text, size_t length) {
  j->full = j->full || (length > 0 && !j->sink(text, length, j->user));
}

static void put_text(fly_json *j, const char *text) { put(j, text, strlen(text)); }

static void put_char(fly_json *j, char c) { put(j, &c, 1); }

bool fly_json_finish(fly_json *j) {
  put_char(j, '\n');
  return !j->full && j->sink("", 0, j->user) && j->depth == 0 && !j->misused;
}

static void new_line(fly_json *j) {
  if (j->indent > 0)
    put_char(j, '\n');
  for (int k = 0; k < j->indent * j->depth; k++)
    put_char(j, ' ');
}

// What stands between the text so far and the next key or value.
static void separate(fly_json *j) {
  if (!j->keyed) {
    if (j->follows)
      put_char(j, ',');
    if (j->depth > 0)
      new_line(j);
  }
  j->keyed = false;
  j->follows = true;
}

static void begin(fly_json *j, char bracket) {
  separate(j);
  put_char(j, bracket);
  j->depth++;
  j->follows = false;
}

static void end(fly_json *j, char bracket) {
  j->misused |= j->depth == 0 || j->keyed;
  j->depth -= j->depth > 0;
  if (j->follows) // an empty one closes on its line
    new_line(j);
  put_char(j, bracket);
  j->follows = true;
}

void fly_json_begin_object(fly_json *j) { begin(j, '{'); }
void fly_json_end_object(fly_json *j) { end(j, '}'); }
void fly_json_begin_array(fly_json *j) { begin(j, '['); }
void fly_json_end_array(fly_json *j) { end(j, ']'); }

static void write_ascii(fly_json *j, int c) {
  static const char named[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
  const char *place = c != 0 ? strchr(named, c) : NULL;
  char text[8];
  if (place) {
    put_char(j, '\\');
    put_char(j, letter[place - named]);
  } else if (c < 0x20)
    put(j, text, (size_t)snprintf(text, sizeof text, "\\u%04x", (unsigned)c));
  else
    put_char(j, (char)c);
}

// How many characters stand for themselves: most texts are of nothing else, and go in one piece.
static size_t plain_length(const char *text) {
  size_t length = 0;
  while (text[length] >= ' ' && text[length] <= '~' && text[length] != '"' && text[length] != '\\')
    length++;
  return length;
}

static void write_quoted(fly_json *j, const char *text) {
  put_char(j, '"');
  for (const char *s = text; *s != 0;) {
    const size_t plain = plain_length(s);
    put(j, s, plain);
    s += plain;
    if (*s == 0)
      break;
    const size_t length = fly_utf8_length(s);
    if (length == 0)
      put_text(j, "\\ufffd");
    else if (length == 1)
      write_ascii(j, (unsigned char)*s);
    else
      put(j, s, length);
    s += length > 0 ? length : 1;
  }
  put_char(j, '"');
}

static void write_number(fly_json *j, double x) {
  char text[FLY_NUMBER_SIZE];
  fly_number_text(text, x);
  put_text(j, isfinite(x) ? text : "null");
}

void fly_json_key(fly_json *j, const char *key) {
  j->misused |= j->depth == 0 || j->keyed;
  separate(j);
  write_quoted(j, key);
  put_text(j, j->indent > 0 ? ": " : ":");
  j->keyed = true;
}

void fly_json_string(fly_json *j, const char *text) {
  if (text == NULL) {
    fly_json_null(j);
    return;
  }
  separate(j);
  write_quoted(j, text);
}

void fly_json_number(fly_json *j, double x) {
  separate(j);
  write_number(j, x);
}

void fly_json_integer(fly_json *j, long long i) {
  separate(j);
  char text[32];
  put(j, text, (size_t)snprintf(text, sizeof text, "%lld", i));
}

void fly_json_bool(fly_json *j, bool b) {
  separate(j);
  put_text(j, b ? "true" : "false");
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
  put_text(j, "null");
}

void fly_json_raw(fly_json *j, const char *json) {
  separate(j);
  put_text(j, json);
}

void fly_json_numbers(fly_json *j, const double *x, size_t n) {
  separate(j);
  put_char(j, '[');
  for (size_t i = 0; i < n; i++) {
    if (i > 0)
      put_text(j, j->indent > 0 ? ", " : ",");
    write_number(j, x[i]);
  }
  put_char(j, ']');
}
