// The size of long vectors, several numbers at a time.
#ifndef FLY_MATH_SIZES_H
#define FLY_MATH_SIZES_H

#include <stdbool.h>

bool fly_all_finite(const double *x, int n);
// Largest |x_i|; infinite if one of them is not finite.
double fly_largest(const double *x, int n);
// Largest |x_i|/unit_i; NaN if one of them is no number.
double fly_largest_over(const double *x, const double *unit, int n);

#endif
