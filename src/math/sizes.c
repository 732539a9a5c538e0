#include "math/sizes.h"

#include <math.h>

#include "base/quad.h"
#include "base/wide.h"
#include "math/largest.h"

// Of what is kept, and of zeros times all: 0 if all are finite.
INLINED double largest_of(const quad *most, double found) {
  for (int k = 0; k < FOUR; k++)
    found = (*most)[k] > found ? (*most)[k] : found;
  return found;
}
INLINED double sum_of(const quad *x) { return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]); }

FLY_WIDE bool fly_many_finite(const double *x, int n) {
  quad one = {0}, two = {0};
  double rest = 0;
  int i = 0;
  for (; i + 2 * FOUR <= n; i += 2 * FOUR) {
    one += *(const quad *)(x + i) * 0.0;
    two += *(const quad *)(x + i + FOUR) * 0.0;
  }
  for (; i < n; i++)
    rest += 0 * x[i];
  return rest + sum_of(&one) + sum_of(&two) == 0;
}

FLY_WIDE double fly_many_largest(const double *x, int n) {
  quad most = {0}, odd = {0};
  double rest = 0, found = 0;
  int i = 0;
  for (; i + FOUR <= n; i += FOUR) {
    quad size = *(const quad *)(x + i);
    take_size(&size);
    keep_larger(&most, &size);
    odd += size * 0.0;
  }
  for (; i < n; i++) {
    found = fabs(x[i]) > found ? fabs(x[i]) : found;
    rest += 0 * x[i];
  }
  return rest + sum_of(&odd) == 0 ? largest_of(&most, found) : (double)INFINITY;
}

FLY_WIDE double fly_many_largest_over(const double *x, const double *unit, int n) {
  quad most = {0}, odd = {0};
  double rest = 0, found = 0;
  int i = 0;
  for (; i + FOUR <= n; i += FOUR) {
    quad size = *(const quad *)(x + i) / *(const quad *)(unit + i);
    take_size(&size);
    keep_larger(&most, &size);
    odd += size * 0.0;
  }
  for (; i < n; i++) {
    const double size = fabs(x[i]) / unit[i];
    found = size > found ? size : found;
    rest += 0 * size;
  }
  found = largest_of(&most, found);
  const bool finite = rest + sum_of(&odd) == 0;
  for (i = 0; i < n && !finite; i++) // is one no number
    found = fly_larger(found, fabs(x[i]) / unit[i]);
  return found;
}

FLY_WIDE double fly_many_largest_times(const double *x, const double *by, int n) {
  quad most = {0};
  double found = 0;
  int i = 0;
  for (; i + FOUR <= n; i += FOUR) {
    quad size = *(const quad *)(x + i) * *(const quad *)(by + i);
    take_size(&size);
    keep_larger(&most, &size);
  }
  for (; i < n; i++)
    found = fabs(x[i]) * by[i] > found ? fabs(x[i]) * by[i] : found;
  return largest_of(&most, found);
}

FLY_WIDE double fly_many_largest_apart(const double *x, const double *y, const double *by, int n) {
  quad most = {0};
  double found = 0;
  int i = 0;
  for (; i + FOUR <= n; i += FOUR) {
    quad size = (*(const quad *)(x + i) - *(const quad *)(y + i)) * *(const quad *)(by + i);
    take_size(&size);
    keep_larger(&most, &size);
  }
  for (; i < n; i++) {
    const double size = fabs(x[i] - y[i]) * by[i];
    found = size > found ? size : found;
  }
  return largest_of(&most, found);
}
