// Radau IIA with three stages on the stabilized index-2 equations. docs/theory/radau.md derives it; its labels (RI-...)
// stand in the code.
#ifndef FLY_DAE_RADAU_H
#define FLY_DAE_RADAU_H

#include "dae/solver.h"

enum { FLY_STAGES = 3, FLY_RADAU_NODES = 5 };

// The method (RI-table) and its eigenvectors: A W = W diag(gamma0, eigen), K = W k with k = (k1, Re k2, Im k2).
typedef struct fly_radau_table {
  double c[FLY_STAGES], A[FLY_STAGES][FLY_STAGES];
  double gamma0;                                                // real eigenvalue
  double complex eigen;                                         // and the complex one that acts on k2
  double W[FLY_STAGES][FLY_STAGES], Wi[FLY_STAGES][FLY_STAGES]; // and inverse
  double embedded[FLY_STAGES];                                  // weights of the stages' derivatives in the estimate
} fly_radau_table;

void fly_radau_table_make(fly_radau_table *table);

// Unknowns of a stage, in the order of the matrix's columns: v', lambda, x', y, theta', mu; rows in the order of its
// rows. The positions of a step are q = q0 (+) theta.
typedef struct fly_radau {
  fly_solver *solver; // it belongs to
  fly_radau_table table;
  int n;                    // unknowns of a stage
  fly_complex_lu *lu;       // of the complex matrix, in the pattern of s->step; the real one is s->step itself
  fly_step_matrix kkt;      // of accelerations inside the step, so that looking into it changes no bit of the run
  fly_arena memory, shaped; // shaped: what has the size of a pattern

  // From here on what travels, with the factors of these matrices.
  double complex *val;           // its values (nnz)
  double complex *S;             // of rotations, complex (9 each); the real ones are s->step.T
  double *T, *Ti;                // tangents of the rotations where the derivatives were taken, and inverse (9 each)
  bool factored;                 // both matrices are
  double h_factored;             // with this step,
  double t_factored;             // which began here [s]
  double rounding_q, rounding_v; // what rounding errors of the constraints do to positions and h v, weighted
  double rounding_free;          // of velocities that no constraint puts back, weighted
  double rate;                   // contraction seen with them; 0: none yet

  double h;                          // step being tried
  double *K[FLY_STAGES];             // unknowns of the stages (n)
  double *K_last[FLY_STAGES];        // of the last accepted step
  double *R[FLY_STAGES];             // residuals (n)
  double *theta[FLY_STAGES];         // of the stages (nv)
  double *v[FLY_STAGES];             // velocities of the stages (nv)
  double *q, *x;                     // of one stage (nq), (nx)
  double *v_low, *v_low_next;        // what was rounded off v when the increments of steps were added (nv) (N-low)
  double *omega;                     // T(theta) theta', of one stage (nv)
  double complex *z;                 // complex right side and solution (n)
  double *theta_raw, *v_raw, *x_raw; // error estimate: positions, velocities, states
  double between;                    // estimated error of dense output in this attempt, weighted
  double *rows;                      // work: rows of the equations (nrow)
  double *core;                      // work: columns of the equations (ncol)
  bool *held;                        // outputs that a step is stiff in, where the matrices were formed (ny)
  double *rough;                     // what rounding of positions does to outputs (ny)
  double *J0;                        // values of J0 where the matrices were formed (nnz)
  int iterations;                    // of the corrector in this attempt
  double h_recent;                   // largest step of late
  bool cleaned;                      // the point from which is stepped has been put onto the constraints

  double h_accepted, ratio_accepted; // of the last accepted step, for the step's choice; 0: none

  // dense output over the last accepted step
  double h_dense;                // its size
  double *theta_end;             // increment over it (nv)
  double *rate_end, *bend_end;   // theta', theta'' at its end (nv)
  fly_point start, end;          // its ends
  bool nodes_known;              // node[1...3] are evaluated
  double *node[FLY_RADAU_NODES]; // (v', lambda, x', y) at equal distances (ncol)
  double *dense_theta;           // work (nv)
} fly_radau;

// radau_stages.c: the equations of the stages and their solution
void fly_radau_turning(double complex S[9], double complex c, const double w[3]); // (1 + c/2 [w])^-1, row by row
void fly_radau_predict(fly_radau *r, double from);
fly_outcome fly_radau_solve(fly_radau *r);
void fly_radau_leave(fly_radau *r);                  // what the corrector was content with: in s->shaken
double fly_radau_estimate(fly_radau *r, bool again); // weighted; again: filtered once more
bool fly_radau_is_short(const fly_radau *r);         // the step tried, beside those before it: something jumps there
fly_lu_counts fly_radau_count(const fly_solver *s);
// How far dense output is off the constraints in the middle of a step that has its end, as positions, weighted.
double fly_radau_gap(fly_radau *r);
// radau_dense.c
bool fly_radau_clean(fly_radau *r, fly_point *at); // onto the constraints, with the accelerations there; false: none
void fly_radau_middle(fly_radau *r, double *q);    // positions in the middle of that step
void fly_radau_remember(fly_radau *r);             // the accepted step, before the solver's points move
void fly_radau_dense(const fly_solver *s, double t, fly_point *out);
void fly_radau_glance(const fly_solver *s, double t, fly_point *out);
void fly_radau_refine(const fly_solver *s, fly_point *at);
void fly_radau_settle(const fly_solver *s, fly_point *end);

#endif
