// The equations with the constraints on accelerations, which tell (v', lambda, x', y) of any positions, velocities and
// states:
//
//   M v' + G^T lambda + B^T lambda = f,  d = 0,  y = h,  G v' = -gamma,  B v' = -gamma
//
// by Newton's iteration with the KKT matrix (matrix.h), which may be that of a neighbouring point.
#ifndef FLY_DAE_INDEX1_H
#define FLY_DAE_INDEX1_H

#include "dae/matrix.h"
#include "dae/solver.h"

typedef struct fly_index1 {
  fly_eval *e;
  fly_step_matrix *kkt;
  double *dz;       // work (kkt->n)
  long *solves;     // counted here
  const bool *held; // outputs that stay as they are (ny), or NULL
} fly_index1;

// The derivatives at a point, and the KKT matrix there, factorized.
fly_outcome fly_index1_factor(const fly_index1 *f, const fly_dae_state *at);
// The same for those who want the matrix alone: derivatives of forces, where it has none that change, stay what they
// were.
fly_outcome fly_index1_factor_alone(const fly_index1 *f, const fly_dae_state *at);
// What is left of the equations at a point, in the order of the matrix (kkt->n).
int fly_index1_rows(fly_eval *e, const fly_dae_state *at, double *r);
void fly_index1_solve(const fly_index1 *f, double *b);
// A point whose unknowns lie in one array z, in the order of the matrix.
fly_dae_state fly_index1_state(const fly_eval *e, double t, const double *q, const double *v, const double *x,
                               const double *z);
// Solves for z = (v', lambda, x', y) of a point whose arrays lie in z, from there, with the matrix there is; ...
fly_outcome fly_index1_accelerations(const fly_index1 *f, const fly_dae_state *at, double *z);
// ... with the matrix of the point, made again where it does not do; derivatives that are not in it may be those of
// another point.
fly_outcome fly_index1_find(const fly_index1 *f, double t, const double *q, const double *v, const double *x,
                            double *z);

#endif
