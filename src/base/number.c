#define _POSIX_C_SOURCE 200809L // nl_langinfo
#include "base/number.h"

#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The locale's decimal sign. localeconv fills one struct for all threads each time it is asked.
static const char *decimal_sign(void) { return nl_langinfo(RADIXCHAR); }

// printf writes the locale's decimal sign, of one or more bytes. strtod reads the same sign, so this comes last.
static void restore_point(char *text) {
  const char *sign = decimal_sign();
  size_t length = strlen(sign);
  char *found = strstr(text, sign);
  if (found == NULL || strcmp(sign, ".") == 0)
    return;
  *found = '.';
  memmove(found + 1, found + length, strlen(found + length) + 1);
}

void fly_number_text(char text[FLY_NUMBER_SIZE], double x) {
  if (!isfinite(x)) {
    strcpy(text, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, FLY_NUMBER_SIZE, "%.*g", digits, x);
    if (strtod(text, NULL) == x)
      break;
  }
  restore_point(text);
}

bool fly_number_parse(const char *text, size_t length, double *out) {
  enum { LONGEST = 500 };
  char copy[LONGEST + 20], *end;
  if (length == 0 || length > LONGEST)
    return false;
  for (size_t i = 0; i < length; i++)
    if (text[i] == 0 || strchr("+-.0123456789eE", text[i]) == NULL)
      return false; // strtod also reads inf, nan and hexadecimals
  const char *sign = decimal_sign(), *point = memchr(text, '.', length);
  const int before = point != NULL ? (int)(point - text) : (int)length;
  const int after = point != NULL ? (int)length - before - 1 : 0;
  snprintf(copy, sizeof copy, "%.*s%.16s%.*s", before, text, point != NULL ? sign : "", after,
           point != NULL ? point + 1 : "");
  *out = strtod(copy, &end);
  return *end == 0;
}

bool fly_number_read(const char *text, size_t length, double *out) {
  return fly_number_parse(text, length, out) && isfinite(*out);
}
