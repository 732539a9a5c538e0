// Numbers and vectors that carry their derivatives with respect to the move of one frame against another: six of them,
// (dp, dphi), a shift and a small turn of the second frame in axes of the first. What is calculated with them has its
// derivatives exactly. [0] is the value, [1 + k] the derivative with respect to column k.
#ifndef FLY_GEOMETRY_CARRIED_H
#define FLY_GEOMETRY_CARRIED_H

#include <math.h>
#include <string.h>

#include "math/carried.h"
#include "math/so3.h"

enum { FLY_MOVES = 6, FLY_CARRIED = 1 + FLY_MOVES };

typedef double fly_number7[FLY_CARRIED];
typedef double fly_vector7[FLY_CARRIED][3];

// out = a + factor b; out may be a or b
static inline void fly_vector7_sum(fly_vector7 out, fly_vector7 a, double factor, fly_vector7 b) {
  for (int k = 0; k < FLY_CARRIED; k++)
    for (int c = 0; c < 3; c++)
      out[k][c] = a[k][c] + factor * b[k][c];
}

static inline void fly_vector7_dot(fly_number7 out, fly_vector7 a, fly_vector7 b) {
  fly_carried_dot(FLY_CARRIED, out, a, b);
}

// out += f a; out is not a
static inline void fly_vector7_add(fly_vector7 out, const fly_number7 f, fly_vector7 a) {
  fly_carried_add(FLY_CARRIED, out, f, a);
}

// out = x - n . (x - o) n: of the plane through o with the unit normal n, the point below x
static inline void fly_vector7_foot(fly_vector7 out, fly_vector7 x, fly_vector7 n, fly_vector7 o) {
  fly_number7 below;
  fly_vector7_sum(out, o, -1.0, x);
  fly_vector7_dot(below, n, out);
  memcpy(out, x, sizeof(fly_vector7));
  fly_vector7_add(out, below, n);
}

// a = along n + across
static inline void fly_vector7_split(fly_number7 along, fly_vector7 across, fly_vector7 a, fly_vector7 n) {
  fly_carried_split(FLY_CARRIED, along, across, a, n);
}

// out may not alias
static inline void fly_vector7_cross(fly_vector7 out, fly_vector7 a, fly_vector7 b) {
  fly_carried_cross(FLY_CARRIED, out, a, b);
}

static inline void fly_number7_product(fly_number7 out, const fly_number7 a, const fly_number7 b) {
  const double value = a[0] * b[0];
  for (int k = 1; k < FLY_CARRIED; k++)
    out[k] = a[k] * b[0] + a[0] * b[k];
  out[0] = value;
}

// a/b; b is not zero, out is not b
static inline void fly_number7_quotient(fly_number7 out, const fly_number7 a, const fly_number7 b) {
  const double value = a[0] / b[0];
  for (int k = 1; k < FLY_CARRIED; k++)
    out[k] = (a[k] - value * b[k]) / b[0];
  out[0] = value;
}

// u over its length, which is not zero; out may be u
static inline void fly_vector7_unit(fly_vector7 out, fly_vector7 u) {
  const double size = sqrt(fly_dot3(u[0], u[0]));
  for (int c = 0; c < 3; c++)
    out[0][c] = u[0][c] / size;
  for (int k = 1; k < FLY_CARRIED; k++) {
    const double along = fly_dot3(out[0], u[k]);
    for (int c = 0; c < 3; c++)
      out[k][c] = (u[k][c] - along * out[0][c]) / size;
  }
}

#endif
