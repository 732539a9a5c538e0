// Kinematics of bodies and of markers fixed to them, as elements see them. Pure data and pure functions.
//
// A body's frame sits in its mass centre: r is its place, R turns body axes into space (row by row), v = dr/dt, w is
// the angular velocity in body axes. Ground has r = 0, R = 1. Small moves of a body are (dr, dtheta), dtheta in body
// axes, so a body has six columns; planar bodies and point masses use some of them (docs/theory/elements.md).
#ifndef FLY_ELEMENT_FRAME_H
#define FLY_ELEMENT_FRAME_H

#include <math.h>
#include <stdbool.h>

#include "math/so3.h"

typedef struct fly_kinematics {
  double r[3], R[9];
  double v[3], w[3];
} fly_kinematics;

// Fixed to a body: s from its mass centre, in body axes; the columns of A are the marker's axes in body axes.
typedef struct fly_marker {
  double s[3];
  double A[9];     // row by row
  const void *own; // of a body that deforms: what its type keeps of this point (body.h)
} fly_marker;

// A marker with the body that carries it, as an element sees it.
typedef struct fly_seen {
  const fly_kinematics *body;
  const fly_marker *marker;
} fly_seen;

// Two markers an element acts between. Columns of a pair: (dr_i, dtheta_i, dr_j, dtheta_j).
typedef struct fly_pair {
  const fly_kinematics *bi, *bj;
  const fly_marker *mi, *mj;
} fly_pair;

enum { FLY_PAIR = 12 };

// Three markers: a against b, along the axes of c. Columns: (dr_a, dtheta_a, dr_b, dtheta_b, dr_c, dtheta_c). One body
// may occur twice: the caller adds its columns. A marker left out is NULL, with its body: c is ground then; b is ground
// for a measure, and nothing for a force. A marker that is used must be given with its body.
typedef struct fly_triple {
  const fly_kinematics *ba, *bb, *bc;
  const fly_marker *ma, *mb, *mc;
} fly_triple;

enum { FLY_TRIPLE = 18 };

// Small enough to be part of the loops they are called in.

// Velocities of the columns of a pair.
static inline void fly_pair_velocities(double v[12], const fly_pair *p) {
  const double *part[4] = {p->bi->v, p->bi->w, p->bj->v, p->bj->w};
  for (int i = 0; i < FLY_PAIR; i++)
    v[i] = part[i / 3][i % 3];
}

// Axis k of the marker, body axes.
static inline void fly_axis(double out[3], const fly_marker *m, int k) {
  for (int i = 0; i < 3; i++)
    out[i] = m->A[3 * i + k];
}

// R u; out may not alias.
static inline void fly_to_space(double out[3], const double R[9], const double u[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = R[3 * i] * u[0] + R[3 * i + 1] * u[1] + R[3 * i + 2] * u[2];
}

// R^T u; out may not alias.
static inline void fly_to_body(double out[3], const double R[9], const double u[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = R[i] * u[0] + R[3 + i] * u[1] + R[6 + i] * u[2];
}

// The same in space.
static inline void fly_axis_space(double out[3], const fly_kinematics *b, const fly_marker *m, int k) {
  double u[3];
  fly_axis(u, m, k);
  fly_to_space(out, b->R, u);
}

// r + R s
static inline void fly_marker_point(double out[3], const fly_kinematics *b, const fly_marker *m) {
  fly_to_space(out, b->R, m->s);
  for (int i = 0; i < 3; i++)
    out[i] += b->r[i];
}

// v + R (w x s)
static inline void fly_point_velocity(double out[3], const fly_kinematics *b, const fly_marker *m) {
  double ws[3];
  fly_cross(ws, b->w, m->s);
  fly_to_space(out, b->R, ws);
  for (int i = 0; i < 3; i++)
    out[i] += b->v[i];
}

// R (w x (w x u)): what is left of the second derivative of R u when the body's acceleration is zero.
static inline void fly_centripetal(double out[3], const fly_kinematics *b, const double u[3]) {
  double wu[3], wwu[3];
  fly_cross(wu, b->w, u);
  fly_cross(wwu, b->w, wu);
  fly_to_space(out, b->R, wwu);
}

// The direction of u; false: it has none.
static inline bool fly_direction(double out[3], const double u[3]) {
  const double size = sqrt(fly_dot3(u, u));
  for (int k = 0; k < 3; k++)
    out[k] = size != 0 ? u[k] / size : 0.0;
  return size != 0;
}

// [u]: [u] x = u cross x
static inline void fly_skew(double out[9], const double u[3]) {
  out[0] = out[4] = out[8] = 0;
  out[1] = -u[2];
  out[2] = u[1];
  out[3] = u[2];
  out[5] = -u[0];
  out[6] = -u[1];
  out[7] = u[0];
}

// a b; out may not alias.
static inline void fly_multiply3(double out[9], const double a[9], const double b[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

// a^T b; out may not alias.
static inline void fly_multiply3_transposed(double out[9], const double a[9], const double b[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

#endif
