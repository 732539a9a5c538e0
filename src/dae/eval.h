// Evaluating a problem: its callbacks, the ones it lacks (by coloured differences), counted and checked for NaN.
#ifndef FLY_DAE_EVAL_H
#define FLY_DAE_EVAL_H

#include "base/image.h"
#include "base/memory.h"
#include "flyball/dae.h"
#include "sparse/sparse.h"

// Result of an evaluation: 0, > 0 recoverable, < 0 fatal, as callbacks return it, and FLY_EVAL_NAN.
enum { FLY_EVAL_NAN = 1000000 };

// Columns that may be moved together because no row meets two of them.
typedef struct fly_colouring {
  int count;
  int *colour; // of each column (cols)
} fly_colouring;

// The width of a difference, as it was last found good; zero: not looked for yet.
typedef struct fly_width {
  double share; // of the widest
  double error; // of the derivative, in units of the rows: what was seen of truncation, and rounding
} fly_width;

enum { FLY_PAIRS = 3 };

// Positions that are no rotations, and their velocities, which follow each other.
typedef struct fly_plain {
  int q, v, count; // first of both
} fly_plain;

typedef struct fly_eval {
  fly_dae_problem p;
  int nl;   // ng + nb
  int nrow; // nv + nx + ny: rows of the equations
  int ncol; // nv + nl + nx + ny: their unknowns

  fly_csc M;      // mass (nv x nv), at the last fly_eval_kinematics
  fly_csc G, B;   // constraint Jacobians (ng x nv), (nb x nv), likewise
  fly_csc Zg, Zb; // d(Gv+g_t)/dq, d(Bv+b)/dq, at the last fly_eval_jacobian
  fly_csc J[3];   // derivatives of the equations, levels 0, 1, 2, at the last fly_eval_jacobian, and where they are
  bool lean;      // those for Newton's iteration alone:
  fly_csc U;      // how loads act on velocities (loads x nv); without loads it has no rows
  fly_csc W[2];   // and how they change with v and q, likewise; J[1] and J[2] are less by U^T W

  int *q_of_v;      // index in q of each velocity (nv); -1 inside a rotation
  int *rotation_of; // rotation a velocity belongs to (nv); -1 for plain ones
  int nplain;       //
  fly_plain *plain; // all plain ones (nplain)

  const char *failed; // name of the callback that failed last; NULL: none
  int failed_code;
  int failed_index; // first value that is not finite

  const signed char *side; // on which relations are held (nrelation); the solver's

  fly_colouring colour_G, colour_B, colour_J; // used where derivatives are missing
  fly_csc Gm, Bm;                             // work: constraint Jacobians at moved positions
  fly_arena memory;

  // From here on what travels (fly_eval_image), with the values of the matrices above.
  long residuals, jacobians;
  long places;                      // at which G and B were evaluated
  bool mass_known;                  // a constant mass is evaluated,
  bool rates_known;                 // and so are constant derivatives J[0]
  double time_widest;               // of differences in time [s]
  double *dq, *delta;               // moved position (nq), increment (nv)
  double *outer_q;                  // the same for differences of something that is itself differenced
  double *outer_plus, *outer_minus; // differenced rows (largest of all sizes)
  double *pair[FLY_PAIRS], *opposite, *middle, *missed[2]; // samples of a curve, likewise
  double *slope;                                           // a derivative (likewise)
  double *row_unit; // what a row changes by when positions move by their scales, likewise
  fly_width width_rate, width_gamma, width_nonholonomic;
  fly_width *width_G;                   // (colours)
  double *dv, *da, *dl, *dx, *dxd, *dy; // moved state
} fly_eval;

fly_status fly_eval_create(fly_eval *e, const fly_dae_problem *problem, fly_error *error);
// The same, with the problem's lean derivatives if it has some.
fly_status fly_eval_create_lean(fly_eval *e, const fly_dae_problem *problem, fly_error *error);
void fly_eval_free(fly_eval *e);
void fly_eval_image(fly_eval *e, fly_image *m);
uint64_t fly_eval_fingerprint(const fly_eval *e);             // of sizes and patterns
void fly_eval_forget_widths(fly_eval *e, double time_widest); // of differences, so that runs begin alike

// q1 = q0 (+) delta; q1 may be q0.
void fly_eval_plus(const fly_eval *e, double *q1, const double *q0, const double *delta);
void fly_eval_minus(const fly_eval *e, double *delta, const double *q1, const double *q0); // its inverse

int fly_eval_constraint(fly_eval *e, double *g, double t, const double *q);
int fly_eval_constraint_jacobian(fly_eval *e, double *values, double t, const double *q);
int fly_eval_constraint_rate(fly_eval *e, double *gt, double t, const double *q);
int fly_eval_nonholonomic_rate(fly_eval *e, double *b, double t, const double *q);
// gamma of the holonomic rows, then of the nonholonomic ones (nl)
int fly_eval_gamma(fly_eval *e, double *gamma, double t, const double *q, const double *v);

// What a move dq and a change dv (nv each) do to (G v' + gamma, B v' + gamma) at fixed v' (nl). work: (nq + nv + nl)
int fly_eval_bend(fly_eval *e, double *out, const fly_dae_state *s, const double *dq, const double *dv, double *work);

int fly_eval_rates(fly_eval *e, double *r, double t, const double *q); // g_t, then b (nl)
// M, G and B at (t, q) into e->M, e->G, e->B.
int fly_eval_kinematics(fly_eval *e, double t, const double *q);
// With them: G v + g_t, then B v + b (nl).
int fly_eval_velocity_rows(fly_eval *e, double *r, double t, const double *q, const double *v);
// Rows -f (nv), d (nx), -h (ny): what the callbacks give.
int fly_eval_applied(fly_eval *e, double *r, const fly_dae_state *s);
// With the kinematics: rows G^T lambda + B^T lambda - f (nv), d (nx), y - h (ny). The inertia M v' is not included.
int fly_eval_equations(fly_eval *e, double *r, const fly_dae_state *s);
// The kinematics, and all of it: M v' too.
int fly_eval_motion(fly_eval *e, double *r, const fly_dae_state *s);
// All derivatives at s: e->M, G, B, Zg, Zb, J.
int fly_eval_jacobian(fly_eval *e, const fly_dae_state *s);
// Of them what the matrix of accelerations needs: M, G, B and J[0]. The others may stay those of another point.
int fly_eval_index1(fly_eval *e, const fly_dae_state *s);

// [G; B] as one matrix (nl x nv), made with the values of the kinematics last evaluated; and its values again
// (diagnose.c).
fly_status fly_stack_rows(const fly_eval *e, fly_csc *out, fly_error *error);
void fly_stack_values(const fly_eval *e, fly_csc *out);

// Rows F (n) along a curve: at the distance tau from where a derivative is wanted.
typedef struct fly_curve fly_curve;
typedef int fly_curve_fn(fly_eval *e, double *rows, double tau, const fly_curve *c);
struct fly_curve {
  fly_curve_fn *rows;
  int n;
  double t;
  const double *q, *v;
  int colour;         // of the columns that are moved
  bool holonomic;     // which rows
  double widest;      // distance of neighbouring samples
  double first_share; // of it, where nothing is known yet
  double rounding;    // error of F, in units of the rows
};
// out (n) = F' or F'' at tau = 0 (stencil.c).
int fly_curve_derive(fly_eval *e, const fly_curve *c, bool second, fly_width *width, double *out);

// Differences (differences.c), coloured. Those of the constraints are as good as widths can make them; the others serve
// Newton's iteration.
fly_status fly_eval_colour(fly_colouring *c, const fly_csc *a, fly_arena *memory, fly_error *error);
int fly_differences_constraint_jacobian(fly_eval *e, double *values, double t, const double *q);
int fly_differences_rate(fly_eval *e, double *gt, double t, const double *q);
int fly_differences_gamma(fly_eval *e, double *gamma, bool holonomic, double t, const double *q, const double *v);
int fly_differences_velocity(fly_eval *e, double *values, bool holonomic, double t, const double *q, const double *v);
int fly_differences_jacobian(fly_eval *e, const fly_dae_state *s);
int fly_differences_bend(fly_eval *e, double *out, const fly_dae_state *s, const double *dq, const double *dv,
                         double *work);
// One call of a callback with its check for NaN; used by both files.
int fly_eval_note(fly_eval *e, const char *name, int code, const double *out, int n);
// Position rows at an arbitrary place without touching e->G, e->B.
int fly_eval_velocity_rows_at(fly_eval *e, double *r, bool holonomic, double t, const double *q, const double *v);
int fly_eval_acceleration_rows_at(fly_eval *e, double *r, const fly_dae_state *s, const double *q, const double *v);

#endif
