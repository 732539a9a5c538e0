#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// printf writes the locale's decimal sign, of one or more bytes. strtod reads the same sign, so this comes last.
static void restore_point(char *text) {
  const char *sign = localeconv()->decimal_point;
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
