// The decimal digits of a double, where 128 bits are enough to know them.
#ifndef FLY_BASE_DIGITS_H
#define FLY_BASE_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fly_digits {
  uint64_t number; // of count digits, the first of which stands for 10^power
  int count, power;
} fly_digits;

// Of a finite x > 0: the fewest of 15, 16 and 17 digits that read back as x; or x rounded to so many (1 .. 17). False:
// not known. Magnitudes beyond 1e-38 .. 1e46 never are.
bool fly_digits_shortest(fly_digits *d, double x);
bool fly_digits_rounded(fly_digits *d, double x, int count);

#endif
