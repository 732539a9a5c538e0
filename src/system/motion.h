// What a motion prescribes of its coordinate: position, velocity and acceleration at a time, from an expression of one
// of them. What is not given is integrated, to rounding, from where the last accepted step ended; so every motion is a
// constraint on positions, whatever it was given as, and nothing drifts (docs/theory/elements.md).
#ifndef FLY_SYSTEM_MOTION_H
#define FLY_SYSTEM_MOTION_H

#include <stdbool.h>

#include "expr/expr.h"

typedef struct fly_motion {
  const fly_expr *expression; // of time only
  int level;                  // it is 0: the position, 1: the velocity, 2: the acceleration
  double t, s, v;             // level > 0: time, position and (level 2) velocity from where it is integrated
  double asked, answer[3];    // ... and what came out last: several callbacks ask at one time
  bool answered;
} fly_motion;

void fly_motion_at(fly_motion *m, double t, double out[3]); // position, velocity, acceleration
void fly_motion_accept(fly_motion *m, double t);            // integrates from t on

#endif
