// What a callback's answer or a factorization means for a step, and the size of a vector in which a NaN counts as
// large.
#ifndef FLY_DAE_OUTCOME_H
#define FLY_DAE_OUTCOME_H

#include <math.h>

#include "dae/solver.h"
#include "math/sizes.h"

static inline fly_outcome outcome_of(int code) { return code == 0 ? FLY_SOLVED : code < 0 ? FLY_FATAL : FLY_NOT_HERE; }

static inline fly_outcome outcome_of_factor(fly_status status) {
  return status == FLY_OK ? FLY_SOLVED : status == FLY_NO_MEMORY ? FLY_OUT_OF_MEMORY : FLY_NO_FACTOR;
}

// What is not finite makes it infinite.
static inline double largest(const double *x, int n) { return fly_largest(x, n); }

#endif
