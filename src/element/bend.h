// How the accelerations that constraints ask for bend with the motion: the change of G a + gamma (of B a + gamma, where
// nothing slips) along a small move of positions, velocities and accelerations. It is the third derivative of g, and no
// step needs it; linearized motions do (docs/theory/elements.md, E-bend).
#ifndef FLY_ELEMENT_BEND_H
#define FLY_ELEMENT_BEND_H

#include "element/frame.h"
#include "element/primitive.h"
#include "element/slip.h"

// Of the columns of a pair: accelerations, and the changes of positions, velocities and accelerations.
typedef struct fly_pair_move {
  double a[FLY_PAIR];
  double dq[FLY_PAIR], dv[FLY_PAIR], da[FLY_PAIR];
} fly_pair_move;

// value: G a + gamma, bend: its change (rows of the primitive, or of the slip).
void fly_primitive_bend(double *value, double *bend, fly_primitive_kind kind, const fly_pair *p, const fly_primitive *k,
                        const fly_pair_move *m);
void fly_slip_bend(double *value, double *bend, fly_slip_kind kind, const fly_pair *p, double radius,
                   const fly_pair_move *m);

#endif
