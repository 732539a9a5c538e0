// Rows of motions that are given altogether (as many constraint rows as velocities): what the equations say at their
// times, not what a polynomial between the ends of a step does. docs/theory/statespace.md, section 8.
#ifndef FLY_DAE_SETTLE_H
#define FLY_DAE_SETTLE_H

#include "dae/matrix.h"
#include "dae/solver.h"

typedef struct fly_settling {
  fly_step_matrix kkt; // its own, so that looking into a step changes no bit of the run
  double *z;           // v', lambda, x', y of the row (kkt.n)
  double *rates;       // J[0] of the run, meanwhile (nnz)
  fly_arena memory;
} fly_settling;

// In the patterns of the problem; again after others took their place. Free also after a failure.
fly_status fly_settling_shape(fly_settling *r, const fly_solver *s, fly_error *error);
void fly_settling_free(fly_settling *r);
// Factors of the point the run begins at, whose kinematics are evaluated: no row takes memory then.
fly_status fly_settling_begin(fly_settling *r, const fly_solver *s, fly_error *error);
// q and v of the row onto their constraints, then v', lambda, x' and y from the equations. False: they have no solution
// near it, and q and v may have moved.
bool fly_settle(fly_settling *r, fly_solver *s, fly_point *row);

#endif
