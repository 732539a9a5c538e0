// The size of long vectors, several numbers at a time.
#ifndef FLY_MATH_SIZES_H
#define FLY_MATH_SIZES_H

#include <math.h>
#include <stdbool.h>

#include "math/largest.h"

// Of as many numbers as this on, in sizes.c; of fewer a call costs more than it saves.
enum { FLY_MANY = 12 };
bool fly_many_finite(const double *x, int n);
double fly_many_largest(const double *x, int n);
double fly_many_largest_over(const double *x, const double *unit, int n);
double fly_many_largest_times(const double *x, const double *by, int n);
double fly_many_largest_apart(const double *x, const double *y, const double *by, int n);

// 0 times a number that is not finite is NaN, and a sum keeps it: no branch an entry, as nearly always all are finite.
static inline bool fly_all_finite(const double *x, int n) {
  if (n >= FLY_MANY)
    return fly_many_finite(x, n);
  double odd = 0;
  for (int i = 0; i < n; i++)
    odd += 0 * x[i];
  return odd == 0;
}

// Largest |x_i|; infinite if one of them is not finite.
static inline double fly_largest(const double *x, int n) {
  if (n >= FLY_MANY)
    return fly_many_largest(x, n);
  double found = 0, odd = 0;
  for (int i = 0; i < n; i++) {
    found = fabs(x[i]) > found ? fabs(x[i]) : found;
    odd += 0 * x[i];
  }
  return odd == 0 ? found : (double)INFINITY;
}

// Largest |x_i|/unit_i; NaN if one of them is no number.
static inline double fly_largest_over(const double *x, const double *unit, int n) {
  if (n >= FLY_MANY)
    return fly_many_largest_over(x, unit, n);
  double found = 0;
  for (int i = 0; i < n; i++)
    found = fly_larger(found, fabs(x[i]) / unit[i]);
  return found;
}

// Largest |x_i| by_i, or |x_i - y_i| by_i; what is not a number is not seen.
static inline double fly_largest_times(const double *x, const double *by, int n) {
  if (n >= FLY_MANY)
    return fly_many_largest_times(x, by, n);
  double found = 0;
  for (int i = 0; i < n; i++)
    found = fabs(x[i]) * by[i] > found ? fabs(x[i]) * by[i] : found;
  return found;
}

static inline double fly_largest_apart(const double *x, const double *y, const double *by, int n) {
  if (n >= FLY_MANY)
    return fly_many_largest_apart(x, y, by, n);
  double found = 0;
  for (int i = 0; i < n; i++) {
    const double size = fabs(x[i] - y[i]) * by[i];
    found = size > found ? size : found;
  }
  return found;
}

#endif
