// Radau IIA with three or five stages on the stabilized index-2 equations. docs/theory/radau.md derives it; its labels
// (RI-...) stand in the code.
#ifndef FLY_DAE_RADAU_H
#define FLY_DAE_RADAU_H

#include "dae/solver.h"

// At most: stages, pairs of complex eigenvalues, places of dense output.
enum { FLY_STAGES = 5, FLY_RADAU_PAIRS = 2, FLY_RADAU_NODES = 8 };

// The method (RI-table) and its eigenvectors: A W = W diag(gamma0, eigen...), K = W k with k = (k1, Re k2, Im k2, ...).
typedef struct fly_radau_table {
  int stages, pairs; // 3 and 1, or 5 and 2; the order is 2 stages - 1
  double c[FLY_STAGES], A[FLY_STAGES][FLY_STAGES];
  double gamma0;                                                // real eigenvalue
  double complex eigen[FLY_RADAU_PAIRS];                        // and the complex ones that act on k2, k3
  double W[FLY_STAGES][FLY_STAGES], Wi[FLY_STAGES][FLY_STAGES]; // and inverse
  double embedded[FLY_STAGES];                                  // weights of the stages' derivatives in the estimate
  double third[FLY_RADAU_PAIRS][FLY_STAGES];                    // third divided differences; of five stages only
} fly_radau_table;

void fly_radau_table_make(fly_radau_table *table, int stages); // radau_table.c

// Unknowns of a stage, in the order of the matrix's columns: v', lambda, x', y, theta', mu; rows in the order of its
// rows. The positions of a step are q = q0 (+) theta.
typedef struct fly_radau {
  fly_solver *solver;        // it belongs to
  fly_radau_table tables[2]; // of three stages, of five
  int most;                  // stages that steps may have
  int n;                     // unknowns of a stage
  fly_complex_lu
      *lu[FLY_RADAU_PAIRS]; // of the complex matrices, in the pattern of s->step; the real one is s->step itself
  fly_step_matrix kkt;      // of accelerations inside the step, so that looking into it changes no bit of the run
  fly_arena memory, shaped; // shaped: what has the size of a pattern

  // From here on what travels, with the factors of these matrices.
  double complex *val[FLY_RADAU_PAIRS]; // their values (nnz)
  double complex *S[FLY_RADAU_PAIRS];   // of rotations, complex (9 each); the real ones are s->step.T
  double *T, *Ti;                // tangents of the rotations where the derivatives were taken, and inverse (9 each)
  int wanted;                    // stages of steps that nothing speaks against
  int stages;                    // of the step being tried
  int stages_last;               // of the last accepted step
  int calm;                      // steps in a row that nothing spoke against more stages in
  int tries;                     // at the present step
  bool factored;                 // the matrices are
  double h_factored;             // with this step
  int stages_factored;           // and so many stages,
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
  double complex *wide;              // work: with loads (n + s->step.loads)
  double *theta_raw, *v_raw, *x_raw; // error estimate: positions, velocities, states
  double difference;                 // of positions, unfiltered, weighted
  double between;                    // estimated error of dense output in this attempt, weighted
  double *x_rate;                    // of states at the start of the step, freed from what is stiff (nx) (RI-states)
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
  double h_dense;                          // its size
  double *theta_end;                       // increment over it (nv)
  double *rate_end, *bend_end;             // theta', theta'' at its end (nv)
  double *bend[FLY_RADAU_NODES];           // theta'' at the places of node (nv); of five stages only
  double *rate_node, *bend_node;           // work: theta', theta'' there (nv)
  fly_point start, end;                    // its ends
  bool nodes_known;                        // node[1...] are evaluated,
  bool nodes_good;                         // and their accelerations say more of positions than the stages do
  double difference_last;                  // of that step
  double *x_rate_last;                     // likewise (nx)
  double *node[FLY_RADAU_NODES];           // (v', lambda, x', y) at equal distances (ncol)
  double *dense_theta;                     // work (nv)
  double *miss_theta, *miss_rate, *miss_x; // what the sums of these leave at the end of the step (nv), (nv), (nx)
} fly_radau;

static inline const fly_radau_table *fly_radau_of(const fly_radau *r, int stages) { return &r->tables[stages == 5]; }
// Places at equal distances over a step at which the equations are asked for accelerations.
static inline int fly_radau_nodes(int stages) { return stages == 3 ? 5 : FLY_RADAU_NODES; }
static inline const fly_radau_table *fly_radau_now(const fly_radau *r) { return fly_radau_of(r, r->stages); }

// out = sum of w_j K_j over `count` numbers from `first` on.
static inline void fly_radau_sum(double *out, const double *w, double *const *K, int stages, int first, int count) {
  const double *a = K[0] + first, *b = K[1] + first, *c = K[2] + first;
  for (int i = 0; i < count; i++)
    out[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i];
  if (stages < 5)
    return;
  a = K[3] + first;
  b = K[4] + first;
  for (int i = 0; i < count; i++)
    out[i] += w[3] * a[i] + w[4] * b[i];
}

// radau_stages.c: the equations of the stages and their solution
void fly_radau_turning(double complex S[9], double complex c, const double w[3]); // (1 + c/2 [w])^-1, row by row
void fly_radau_predict(fly_radau *r, double from);
fly_outcome fly_radau_solve(fly_radau *r);
int fly_radau_stages(const fly_dae_options *o);     // that are asked for: auto begins with three (RI-order)
void fly_radau_take(fly_radau *r, int stages);      // from the next step on
void fly_radau_leave(fly_radau *r);                 // what the corrector was content with: in s->shaken
void fly_radau_solve_real(fly_radau *r, double *b); // with the real matrix
fly_lu_counts fly_radau_count(const fly_solver *s);
double fly_radau_share(const fly_radau *r); // of the error asked for that the step being tried may make
// radau_error.c
double fly_radau_estimate(fly_radau *r, bool again); // weighted; again: filtered once more
bool fly_radau_is_short(const fly_radau *r);         // the step tried, beside those before it: something jumps there
// How far dense output is off the constraints in the middle of a step that has its end, as positions, weighted.
double fly_radau_gap(fly_radau *r);
double fly_radau_states_gap(fly_radau *r);      // and off the equations, as states, weighted
double fly_radau_estimate_by_gap(fly_radau *r); // what that says of the error of the step, weighted, behind it
// radau_dense.c
bool fly_radau_clean(fly_radau *r, fly_point *at); // onto the constraints, with the accelerations there; false: none
void fly_radau_middle(fly_radau *r, double *q);    // positions in the middle of a step that is not accepted yet
// All of it at the share a of a step that has its end but is not accepted yet, as dense output says: q in r->q, v in
// r->omega, x in r->x, the rest in r->core.
fly_dae_state fly_radau_try(fly_radau *r, double a);
void fly_radau_remember(fly_radau *r); // the accepted step, before the solver's points move
void fly_radau_dense(const fly_solver *s, double t, fly_point *out);
void fly_radau_glance(const fly_solver *s, double t, fly_point *out);
void fly_radau_refine(const fly_solver *s, fly_point *at);
void fly_radau_settle(const fly_solver *s, fly_point *end);

#endif
