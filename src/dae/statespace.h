// The state of a state-space method over Adams' formulas, shared by statespace.c (the ODE, its steps) and dependent.c
// (its dependent coordinates).
#ifndef FLY_DAE_STATESPACE_H
#define FLY_DAE_STATESPACE_H

#include "dae/adams.h"
#include "dae/corner.h"
#include "dae/partition.h"
#include "dae/range.h"
#include "dae/settle.h"

typedef struct state_space {
  fly_solver *s;
  bool feedback;  // baumgarte, hybrid: constraint errors are fed back
  bool partition; // dependent coordinates are put back: always, or
  bool hybrid;    // only beyond a tolerance
  bool driven;    // and all of them are dependent: rows between the points are settled (SS-row)
  fly_adams adams;
  fly_partition part;
  fly_settling settling;         // driven
  fly_range range;               // for accelerations
  int n, v, x, lambda, y;        // components, and where they begin; q at 0
  double *past[FLY_ADAMS_TERMS]; // while rows change: lambda at the points of the past (nl)
  // From here on what travels, its arrays in the solver's memory.
  double *state, *slope; // (n)
  fly_corner corner;
  double *z, *dz;       // v', lambda, x', y as last solved for; their correction (kkt.n)
  double *kept;         // z, while it is solved for somewhere else (kkt.n)
  double *right;        // of the constraint rows: gamma and what is fed back (nl)
  double *rows;         // (nl)
  double *delta;        // (nv)
  double velocity_time; // [s]
  double tolerance;     // hybrid: of |g|, in its units; over velocity_time: of its rate
  double alpha, beta;   // [1/s]
  double weighed;       // the step that the weights are for [s]
  double rounding;      // of positions at the beginning of the step, weighted
  bool hangs;           // there are no loops: joint after joint, in place of the partition (SS-tree)
  bool exact;           // the next accelerations are solved to the end
  bool reuse;           // with the matrix of the last
  bool kinematics;      // are evaluated at the state that comes next
  long placed;          // where Y of the range was set, of the places of the equations; -1: nowhere
  bool ranges;          // the range serves here,
  bool by_range;        // and the factors at hand are its
  fly_lu_counts ranged; // what was done with it
  bool ill_conditioned;
  bool fresh;            // the factors of the dependent columns are those of the place that is put back
  double bend;           // second correction of positions with them, over the square of the first, as last seen
  double moved;          // by the last corrections of positions, weighted
  double rate;           // contraction of the accelerations with a fresh matrix, as last seen
  double rcond;          // hybrid: of the dependent columns at the last accepted point
  long since_correction; // hybrid: steps accepted since coordinates were put back
  long predictions;
  long hung;           // steps joint after joint
  double lost;         // what rounding does to accelerations joint after joint, as last found (SS-lost)
  bool doubted;        // so much, or the last step was divided so often, that the next goes by the equations
  long stiff;          // steps in a row limited by stability
  int started;         // fixed steps since the last start
  fly_outcome why;     // the last evaluation failed
  fly_adams_piece cut; // the step an event has cut
} state_space;

// statespace_accelerations.c. z at a state, from that of the evaluation before. M and G are those of the state; the
// matrix may be that of the prediction close by, and has the J0 of the last renewal.
fly_outcome fly_space_accelerations(state_space *w, double t, const double *q, const double *v, const double *x);
// r = (G v + g_t, B v + b) at the kinematics last evaluated.
fly_outcome fly_space_velocity_rows(state_space *w, double *r, double t, const double *q, const double *v);
void fly_space_solve(state_space *w, double *b);                    // with the factors at hand (kkt.n)
fly_status fly_space_build_range(state_space *w, fly_error *error); // where the kinematics are evaluated. Takes memory

void fly_space_image_range(state_space *w, fly_image *m);

// dependent.c. Factors of the dependent columns at (t, q), whose kinematics are then evaluated.
fly_outcome fly_space_factor_dependent(state_space *w, double t, const double *q);
// q and v onto the constraints, with factors of nearby: to round-off, between the two a look for a corner; the same
// without; or as far as a prediction needs it, with factors of where it is.
typedef enum fly_put_back { FLY_PUT_ACCEPTED, FLY_PUT_CORRECTED, FLY_PUT_PREDICTED } fly_put_back;
fly_outcome fly_space_put_back(state_space *w, double t, double *q, double *v, fly_put_back how);
fly_outcome fly_space_put_joints_back(state_space *w, double *q, double *v); // where there are no loops
bool fly_space_put_back_always(const state_space *w);
fly_outcome fly_space_watch_corner(state_space *w, double t, const double *q, double *v);
fly_outcome fly_space_find_violation(state_space *w, double t, const double *q, const double *v, bool *violated);
void fly_space_watch_condition(state_space *w);

// statespace_dense.c. Quaternions in q to unit length; the point at t inside the last step, as the family gives it.
void fly_space_normalize(const fly_eval *e, double *q);
void fly_space_dense(const fly_solver *s, double t, fly_point *out);

// seed.c. q' = v, and of quaternions q' = q * (0, omega)/2.
void fly_space_rates(const fly_eval *e, double *rate, const double *q, const double *v);
// Method auto: where the step before, another family's, says what the rates were in it, the formulas do not begin at
// order 1 (A-seed).
void fly_space_seed(state_space *w);

#endif
