// A JSON text for people: one line a value.
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info.h"

enum { WIDTH = 26, DEEPEST = 20 }; // of keys; of nesting

static const char *skip_space(const char *s) {
  while (isspace((unsigned char)*s))
    s++;
  return s;
}

// The end of a string that begins at s, behind its quotes.
static const char *string_end(const char *s) {
  for (s++; *s != 0 && *s != '"'; s++)
    s += *s == '\\' && s[1] != 0;
  return s + (*s == '"');
}

static void print_character(char escape) {
  const char *from = "nrtbf", *to = "\n\r\t\b\f", *found = strchr(from, escape);
  putchar(found != NULL ? to[found - from] : escape);
}

// A text without its quotes; one of several lines as what it holds.
static void print_string(const char *s, const char *end) {
  int lines = 1;
  for (const char *c = s; c < end; c++)
    lines += c[0] == '\\' && c[1] == 'n';
  if (lines > 2) {
    printf("(%d lines)", lines - 1);
    return;
  }
  for (s++; s < end - 1; s++)
    if (*s == '\\')
      print_character(*++s);
    else
      putchar(*s);
}

static const char *print_members(const char *s, int depth);

// Pads a line of which `used` characters are there.
static void pad(int used) { printf("%*s", used < WIDTH ? WIDTH - used : 2, ""); }

static const char *print_scalar(const char *s) {
  const char *end = *s == '"' ? string_end(s) : s + 1 + strcspn(s + 1, ",]}\n");
  if (*s == '"')
    print_string(s, end);
  else if (isdigit((unsigned char)*s) || *s == '-')
    printf("%.9g", strtod(s, NULL));
  else
    printf("%.*s", (int)(end - s), *s == 'n' ? "none" : s);
  putchar('\n');
  return end;
}

// What stands behind `used` characters of a line: a scalar on it, anything else on the lines below.
static const char *print_value(const char *s, int used, int depth) {
  const bool nests = (*s == '{' || *s == '[') && depth < DEEPEST;
  const char *inside = nests ? skip_space(s + 1) : s;
  if (nests && *inside != '}' && *inside != ']') {
    if (used > 0)
      putchar('\n');
    return print_members(s, depth);
  }
  if (used > 0)
    pad(used);
  if (!nests)
    return print_scalar(s);
  puts("none");
  return inside + 1;
}

// The members of an object or an array, one a line. Those of an array have no names.
static const char *print_members(const char *s, int depth) {
  const char close = *s == '{' ? '}' : ']';
  s = skip_space(s + 1);
  while (*s != 0 && *s != close) {
    int used = 0;
    if (close == '}') {
      const char *end = string_end(s);
      used = printf("%*s%.*s", 2 * depth, "", (int)(end - s - 2), s + 1);
      s = skip_space(end);
      s = skip_space(s + (*s == ':'));
    } else if (*s != '{') {
      printf("%*s", 2 * depth, "");
    }
    s = skip_space(print_value(s, used, depth + (close == '}' || *s != '{')));
    s = skip_space(s + (*s == ','));
  }
  return s + (*s != 0);
}

void info_print_json(const char *json) {
  const char *s = skip_space(json);
  if (*s == '{')
    s = skip_space(print_members(s, 1));
  fputs(s, stdout);
}
