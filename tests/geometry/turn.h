// Solids that are turned at random.
#ifndef FLY_TESTS_TURN_H
#define FLY_TESTS_TURN_H

#include "base/check.h"
#include "math/so3.h"

static inline void random_turn(double R[9], uint64_t *seed) {
  double e[4];
  for (int k = 0; k < 4; k++)
    e[k] = random_double(seed);
  fly_quat_normalize(e);
  fly_quat_matrix(R, e);
}

#endif
