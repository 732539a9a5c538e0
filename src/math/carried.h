// Numbers and vectors that carry their derivatives along some directions: [0] is the value, [1 + k] the derivative
// along the k-th, `parts` counts both. Products follow Leibniz's rule. out aliases neither factor.
#ifndef FLY_MATH_CARRIED_H
#define FLY_MATH_CARRIED_H

#include "math/so3.h"

static inline void fly_carried_dot(int parts, double *out, double (*a)[3], double (*b)[3]) {
  out[0] = fly_dot3(a[0], b[0]);
  for (int k = 1; k < parts; k++)
    out[k] = fly_dot3(a[k], b[0]) + fly_dot3(a[0], b[k]);
}

static inline void fly_carried_cross(int parts, double (*out)[3], double (*a)[3], double (*b)[3]) {
  fly_cross(out[0], a[0], b[0]);
  for (int k = 1; k < parts; k++) {
    double left[3], right[3];
    fly_cross(left, a[k], b[0]);
    fly_cross(right, a[0], b[k]);
    for (int c = 0; c < 3; c++)
      out[k][c] = left[c] + right[c];
  }
}

// out += f a
static inline void fly_carried_add(int parts, double (*out)[3], const double *f, double (*a)[3]) {
  for (int k = 1; k < parts; k++)
    for (int c = 0; c < 3; c++)
      out[k][c] += f[k] * a[0][c] + f[0] * a[k][c];
  for (int c = 0; c < 3; c++)
    out[0][c] += f[0] * a[0][c];
}

// a = along n + across: its parts along a unit vector and across it. across may be a.
static inline void fly_carried_split(int parts, double *along, double (*across)[3], double (*a)[3], double (*n)[3]) {
  fly_carried_dot(parts, along, a, n);
  for (int k = 1; k < parts; k++)
    for (int c = 0; c < 3; c++)
      across[k][c] = a[k][c] - (along[k] * n[0][c] + along[0] * n[k][c]);
  for (int c = 0; c < 3; c++)
    across[0][c] = a[0][c] - along[0] * n[0][c];
}

#endif
