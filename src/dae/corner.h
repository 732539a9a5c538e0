// Corners of motions nobody announced, for methods that integrate accelerations: where a constraint's velocity jumps
// inside a step, no acceleration tells, but the velocity's residual does (docs/theory/statespace.md, SS-corner).
#ifndef FLY_DAE_CORNER_H
#define FLY_DAE_CORNER_H

#include "dae/solver.h"

typedef enum fly_corner_trend { FLY_CORNER_NEW, FLY_CORNER_STAYS, FLY_CORNER_FADES } fly_corner_trend;

typedef struct fly_corner {
  double *before, *after; // G v + g_t, B v + b at the ends of the step (nl)
  double *blow;           // the smallest change of velocities that takes up their difference, and its impulse (kkt.n)
  bool looked;            // `after` is what a look has found, of the velocities as they are,
  bool solved;            // and what dependent velocities change by for it is known
  double start, size;     // of the last step that was divided for it: where it began [s], what it saw [1/s]
  double rate;            // of a change that is none, because it fades with the step [1/s^2]
} fly_corner;

void fly_corner_take(fly_corner *c, fly_solver *s);
void fly_corner_forget(fly_corner *c, const fly_solver *s); // the point at hand meets its velocity constraints
// With the kinematics of (t, q) evaluated: the velocity rows at the end of the step. Then, in place of the blow, the
// right side of its equations, by what the rows have changed by over the step. The matrix is that of accelerations.
void fly_corner_looked(fly_corner *c);
void fly_corner_blow(fly_corner *c, const fly_solver *s);
// What became of a change when the step, from t, was divided: one that fades with it is no jump, since constraints
// whose second derivative is not quite right drift like that. Remembers what it is told.
fly_corner_trend fly_corner_follow(fly_corner *c, double t, double h, double size);
void fly_corner_strike(fly_corner *c, const fly_solver *s, double *v); // v takes the blow
void fly_corner_settled(fly_corner *c, const fly_solver *s); // the rows at the end of the step are put to zero
void fly_corner_passed(fly_corner *c);                       // the step is accepted

#endif
