// What a callback's answer or a factorization means for a step, and the size of a vector in which a NaN counts as
// large.
#ifndef FLY_DAE_OUTCOME_H
#define FLY_DAE_OUTCOME_H

#include <math.h>

#include "dae/solver.h"

static inline fly_outcome outcome_of(int code) { return code == 0 ? FLY_SOLVED : code < 0 ? FLY_FATAL : FLY_NOT_HERE; }

static inline fly_outcome outcome_of_factor(fly_status status) {
  return status == FLY_OK ? FLY_SOLVED : status == FLY_NO_MEMORY ? FLY_OUT_OF_MEMORY : FLY_NO_FACTOR;
}

// What is not finite makes it infinite: 0 times it is no number, and a sum keeps that.
static inline double largest(const double *x, int n) {
  double m[2] = {0}, odd[2] = {0};
  int i = 0;
  for (; i + 2 <= n; i += 2)
    for (int k = 0; k < 2; k++) {
      const double size = fabs(x[i + k]);
      m[k] = size > m[k] ? size : m[k];
      odd[k] += 0 * size;
    }
  if (i < n) {
    m[0] = fabs(x[i]) > m[0] ? fabs(x[i]) : m[0];
    odd[0] += 0 * x[i];
  }
  return odd[0] + odd[1] == 0 ? (m[0] > m[1] ? m[0] : m[1]) : (double)INFINITY;
}

#endif
