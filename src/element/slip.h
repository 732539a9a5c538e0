// Rows B v = 0 between two markers from which no position follows: nonholonomic constraints.
//
//   KNIFE   y_j . u(p_j) = 0                       a blade does not move sideways                          1 row
//   ROLL    x_i . u(p) = 0, y_i . u(p) = 0         a disc does not slip where it touches a plane,          2 rows
//           p = p_j - c e, e = (n - (n.z) z)/|n - (n.z) z|, n = z_i the normal of the plane, z = z_j the axis of the
//           disc
//
// with u(p) the velocity of the second body at a point p of space less that of the first there. With a direction t and
// c_i, c_j the point in the axes of the bodies, a row is in the 12 columns of a pair
//   B = (-t, -c_i x R_i^T t, t, c_j x R_j^T t)
// (docs/theory/signals.md, E-slip). Derivatives come from one calculation that carries them along, so they are exact;
// gamma = d(B v)/dq v.
#ifndef FLY_ELEMENT_SLIP_H
#define FLY_ELEMENT_SLIP_H

#include "element/frame.h"

typedef enum fly_slip_kind { FLY_SLIP_KNIFE, FLY_SLIP_ROLL, FLY_SLIPS } fly_slip_kind;
enum { FLY_SLIP_ROWS = 2 }; // at most

typedef struct fly_slip_type {
  int rows;
  const char *direction[FLY_SLIP_ROWS];
} fly_slip_type;
extern const fly_slip_type fly_slip_types[FLY_SLIPS];

// B (rows x 12) and, unless NULL, D = dB/dq (rows x 12 x 12, the last index that of q). radius: of a disc.
void fly_slip_rows(double *B, double *D, fly_slip_kind kind, const fly_pair *p, double radius);

#endif
