// The size of long vectors, several numbers at a time.
#ifndef FLY_MATH_SIZES_H
#define FLY_MATH_SIZES_H

#include <stdbool.h>

bool fly_all_finite(const double *x, int n);
// Largest |x_i|; infinite if one of them is not finite.
double fly_largest(const double *x, int n);
// Largest |x_i|/unit_i; NaN if one of them is no number.
double fly_largest_over(const double *x, const double *unit, int n);
// Largest |x_i| by_i, or |x_i - y_i| by_i; what is not a number is not seen.
double fly_largest_times(const double *x, const double *by, int n);
double fly_largest_apart(const double *x, const double *y, const double *by, int n);

#endif
