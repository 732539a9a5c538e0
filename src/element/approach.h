// How one body moves as another sees it: x = (p, phi), in axes of the first body (contact.h).
#ifndef FLY_ELEMENT_APPROACH_H
#define FLY_ELEMENT_APPROACH_H

#include "element/force.h"

enum { FLY_APPROACH = 6 };

typedef struct fly_approach {
  const fly_kinematics *i, *j;
  double p[3], R[9];   // the second body in the first
  double dp[3], dw[3]; // p' and w
} fly_approach;

fly_approach fly_approach_of(const fly_kinematics *first, const fly_kinematics *second);
// X = dx/dq, and Z = d(x')/dq at fixed velocities, by M = X.
void fly_approach_moves(double M[FLY_APPROACH][FLY_PAIR], const fly_approach *r);
void fly_approach_rates(double Z[FLY_APPROACH][FLY_PAIR], double M[FLY_APPROACH][FLY_PAIR], const fly_approach *r);

#endif
