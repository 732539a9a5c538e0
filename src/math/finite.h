// Whether numbers are finite.
#ifndef FLY_MATH_FINITE_H
#define FLY_MATH_FINITE_H

#include <stdbool.h>

// 0 times a number that is not finite is NaN, and a sum keeps it: no branch an entry, as nearly always all are finite.
static inline bool fly_all_finite(const double *x, int n) {
  double sum[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++)
      sum[k] += 0 * x[i + k];
  for (; i < n; i++)
    sum[0] += 0 * x[i];
  return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

#endif
