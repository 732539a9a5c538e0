#define _POSIX_C_SOURCE 200809L // nl_langinfo
#include "base/number.h"

#include <langinfo.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"

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

static void slow_text(char text[FLY_NUMBER_SIZE], double x) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, FLY_NUMBER_SIZE, "%.*g", digits, x);
    if (strtod(text, NULL) == x)
      break;
  }
  restore_point(text);
}

// The digits of a number > 0, the last of which is not 0, from the end of the text backwards: how many.
static int write_digits(char *end, uint64_t number) {
  int count = 0;
  for (; number > 0; number /= 10)
    *--end = (char)('0' + number % 10), count++;
  return count;
}

static char *put_exponent(char *to, int power) {
  *to++ = 'e';
  *to++ = power < 0 ? '-' : '+';
  const int size = abs(power);
  *to++ = (char)('0' + size / 10);
  *to++ = (char)('0' + size % 10);
  return to;
}

// As printf writes it by %g: with an exponent below 1e-4, and where there are more digits before the point than given.
static char *put_number(char *to, const fly_digits *d) {
  char digits[24];
  uint64_t number = d->number;
  while (number % 10 == 0)
    number /= 10;
  const int count = write_digits(digits + sizeof digits, number);
  const bool exponent = d->power < -4 || d->power >= d->count;
  const int before = exponent ? 1 : d->power + 1; // digits before the point
  const char *from = digits + sizeof digits - count;
  if (before <= 0)
    *to++ = '0';
  for (int k = 0; k < before; k++)
    *to++ = k < count ? from[k] : '0';
  if (count > before)
    *to++ = '.';
  for (int k = before; k < 0; k++)
    *to++ = '0';
  for (int k = before > 0 ? before : 0; k < count; k++)
    *to++ = from[k];
  return exponent ? put_exponent(to, d->power) : to;
}

// A whole number of at most 15 digits.
static bool is_short_integer(double x) { return fabs(x) < 1e15 && x == floor(x); }

void fly_number_text(char text[FLY_NUMBER_SIZE], double x) {
  if (!isfinite(x) || x == 0) {
    strcpy(text, x == 0 ? signbit(x) ? "-0" : "0" : isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
    return;
  }
  fly_digits d = {.number = is_short_integer(x) ? (uint64_t)fabs(x) : 0};
  if (d.number == 0 && !fly_digits_shortest(&d, fabs(x))) {
    slow_text(text, x);
    return;
  }
  if (x < 0)
    *text++ = '-';
  if (d.count == 0) {
    char digits[24];
    const int count = write_digits(digits + sizeof digits, d.number);
    memcpy(text, digits + sizeof digits - count, (size_t)count);
    text[count] = 0;
    return;
  }
  *put_number(text, &d) = 0;
}

// Powers of ten up to 10^22 are doubles, and one operation with them rounds once, as strtod does.
enum { MOST_TENS = 22 };
static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

double fly_number_rounded(double x, int digits) {
  fly_digits d;
  char text[FLY_NUMBER_SIZE];
  if (x == 0 || !isfinite(x))
    return x;
  if (fly_digits_rounded(&d, fabs(x), digits) && abs(d.power - digits + 1) <= MOST_TENS) {
    const int power = d.power - digits + 1;
    const double y = power < 0 ? (double)d.number / tens[-power] : (double)d.number * tens[power];
    return copysign(y, x);
  }
  snprintf(text, sizeof text, "%.*g", digits, x);
  return strtod(text, NULL);
}

// The digits of a number up to what is none; *count of them.
static const char *take_digits(const char *s, const char *end, uint64_t *number, int *count) {
  for (; s < end && *s >= '0' && *s <= '9'; s++, ++*count)
    *number = *number < UINT64_MAX / 100 ? 10 * *number + (uint64_t)(*s - '0') : UINT64_MAX;
  return s;
}

// What a number with few digits is, without strtod: its digits are a double, so is the power of ten, and one operation
// with both rounds once. false: it has more, or is not written as a number.
static bool parse_short(const char *text, size_t length, double *out) {
  const char *s = text, *end = text + length;
  const bool negative = length > 0 && *s == '-';
  uint64_t number = 0, size = 0;
  int whole = 0, behind = 0, digits = 0;
  s += negative || (length > 0 && *s == '+');
  s = take_digits(s, end, &number, &whole);
  if (s < end && *s == '.')
    s = take_digits(s + 1, end, &number, &behind);
  if (whole + behind == 0 || number > (uint64_t)1 << 53)
    return false;
  bool down = false;
  if (s < end && (*s == 'e' || *s == 'E')) {
    s++;
    down = s < end && *s == '-';
    s += down || (s < end && *s == '+');
    s = take_digits(s, end, &size, &digits);
    if (digits == 0 || size > 100)
      return false;
  }
  const int power = (down ? -(int)size : (int)size) - behind;
  if (s != end || abs(power) > MOST_TENS)
    return false;
  const double y = power < 0 ? (double)number / tens[-power] : (double)number * tens[power];
  *out = negative ? -y : y;
  return true;
}

bool fly_number_parse(const char *text, size_t length, double *out) {
  enum { LONGEST = 500 };
  char copy[LONGEST + 20], *end;
  if (parse_short(text, length, out))
    return true;
  if (length == 0 || length > LONGEST)
    return false;
  for (size_t i = 0; i < length; i++)
    if (text[i] == 0 || strchr("+-.0123456789eE", text[i]) == NULL)
      return false; // strtod also reads inf, nan and hexadecimals
  const char *sign = decimal_sign(), *point = memchr(text, '.', length);
  const size_t before = point != NULL ? (size_t)(point - text) : length, wide = point != NULL ? strnlen(sign, 16) : 0;
  memcpy(copy, text, before);
  memcpy(copy + before, sign, wide);
  if (point != NULL)
    memcpy(copy + before + wide, point + 1, length - before - 1);
  copy[length + wide - (point != NULL)] = 0;
  *out = strtod(copy, &end);
  return *end == 0;
}

bool fly_number_read(const char *text, size_t length, double *out) {
  return fly_number_parse(text, length, out) && isfinite(*out);
}
