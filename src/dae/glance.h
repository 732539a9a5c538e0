// A step that was made, looked into at little cost.
#ifndef FLY_DAE_GLANCE_H
#define FLY_DAE_GLANCE_H

#include "flyball/dae.h"

// As fly_solver_interpolate, with the same positions, velocities and states (of a lower order behind a step of order
// 9); accelerations, multipliers and outputs are of a lower order where their own would take solutions of the
// equations.
fly_status fly_solver_glance(fly_solver *s, double t, fly_dae_state *state, fly_error *error);

// Of the formulas of the last step, where they tell how long it may be; 0: they do not.
int fly_solver_order(const fly_solver *s);

// Of fly_solver_stats what steps count one by one, without what has to be added up: evaluations, factors, work.
const fly_stats *fly_solver_counts(const fly_solver *s);

#endif
