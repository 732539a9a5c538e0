// Adams' formulas of variable order and step, step by step: what the state-space methods drive. flyball/ode.h has the
// rest; docs/theory/adams.md derives all of it.
#ifndef FLY_DAE_ADAMS_H
#define FLY_DAE_ADAMS_H

#include "base/image.h"
#include "base/memory.h"
#include "flyball/ode.h"

enum { FLY_ADAMS_TERMS = FLY_ADAMS_ORDER_MAX + 2 };

// Modified differences phi_i = psi_1 ... psi_i f[t_n, ..., t_(n-i)] at the last points (A-difference), and what the
// next step makes of them.
typedef struct fly_adams_history {
  int known;                    // valid phi
  double t[FLY_ADAMS_TERMS];    // of the points, newest first
  double *phi[FLY_ADAMS_TERMS]; // (n) each
} fly_adams_history;

// Scalars of one attempt; index i belongs to phi_i.
typedef struct fly_adams_attempt {
  double h;
  double beta[FLY_ADAMS_TERMS];    // phi_i to the new grid
  double g[FLY_ADAMS_TERMS];       // integral of the i-th Newton polynomial over the step, divided by h
  double uniform[FLY_ADAMS_TERMS]; // phi_i to the backward difference of equal steps h
  double estimate[3];              // at orders k, k-1, k-2; weighted
  double allowed;                  // what the first of them was tested against; INFINITY: the step is fixed
  double predicted_slope;          // largest h |f(corrected) - f(predicted)| / |corrected - predicted|, weighted: about
                                   // h times the fastest rate of the equations, where the difference excites it
} fly_adams_attempt;

// What dense output needs of one accepted step.
typedef struct fly_adams_piece {
  int n, order;
  double t_last, t;             // from, to
  double past[FLY_ADAMS_TERMS]; // times of the points, newest first
  double *y_last, *y;           // (n)
  double *phi[FLY_ADAMS_TERMS]; // (n) each
} fly_adams_piece;

typedef struct fly_adams {
  fly_adams_problem p;
  fly_adams_options o;
  fly_arena memory;
  // From here on what travels (fly_adams_image).
  double gamma[FLY_ADAMS_TERMS], gamma_star[FLY_ADAMS_TERMS];
  double t0, t_end, t_stop, step_max;
  double t, *y;                      // the last accepted point (n)
  double t_last, *y_last;            // the one before (n)
  int order_last;                    // of the last accepted step
  int followed;                      // components that are predicted and corrected, from the first on: of others, which
                                     // no test and no f sees, only rates are remembered. n, unless somebody says less
  double *scale;                     // (n)
  double *inverse;                   // 1 over the weights of the attempt (n)
  double size;                       // of y, weighted
  double *f, *more, *trial;          // work: f, increment of y in this step, y being evaluated (n)
  double *low;                       // what was rounded off y when its last increment was added (n) (A-low)
  double *f_predicted, *y_predicted; // where the first evaluation was, and what it gave (n)
  bool weighed;                      // inverse is that of scale; whoever changes scale says that it is not
  bool jumped;                       // the hook is moving y by more than an error ...
  double *f_before;                  // ... and f was this before (n)
  bool refused;                      // the hook sees an error in the step that no estimate shows
  bool broken;                       // the hook has moved y by a jump of f itself: no past beyond it
  fly_adams_history history;
  fly_adams_attempt at;
  int order;       // of the next step
  bool starting;   // order and step still rise with every step
  int start_steps; // accepted since the last start
  double h_next, h_largest;
  long fixed_step; // number in the sequence
  double rounding; // what steps at the level of round-off took beyond their share, weighted
  fly_adams_stats stats;
} fly_adams;

// All memory is taken here. Free also after a failure.
fly_status fly_adams_create(fly_adams *a, const fly_adams_problem *problem, const fly_adams_options *options,
                            fly_error *error);
void fly_adams_free(fly_adams *a);
void fly_adams_image(fly_adams *a, fly_image *m);

// Begins a run at y0 (n).
fly_status fly_adams_start(fly_adams *a, double t0, double t_end, const double *y0, fly_error *error);

// Begins at y (n) inside a run from t0 on whose steps so far were others': its share of the error is that of the whole
// run. first: nothing of it is known; else what it has counted goes on counting.
fly_status fly_adams_enter(fly_adams *a, double t0, double t, double t_end, const double *y, bool first,
                           fly_error *error);
// After that: f (n) is known at `count` earlier points, newest first, the present one included; so the formulas begin
// with that order less one, and with steps of this distance (A-seed).
void fly_adams_seed(fly_adams *a, int count, const double *t, double *const *f);

double fly_adams_allowed(const fly_adams *a); // the error of the step being tried, weighted

// For the hook at acceptance, before it moves y (n) by more than the error of a step: one more evaluation, and the past
// moves along, so that the jump does not look like a derivative (A-jump). Returns as fly_ode_fn.
int fly_adams_jump(fly_adams *a, double t, const double *y);

// For the hook at acceptance: the step is rejected as the error test would do it; what comes behind it has no past.
void fly_adams_refuse(fly_adams *a);
void fly_adams_break(fly_adams *a);

// No step goes beyond t, where f is known to jump, until the next restart.
fly_status fly_adams_stop_at(fly_adams *a, double t, fly_error *error);

// Forgets the past at t, in the last step or at its end, as after a jump of f, an event or a change of variables. y (n)
// is the state there, NULL: as it is; with it t may lie behind the end. stop: as above, INFINITY: none.
fly_status fly_adams_restart(fly_adams *a, double t, double stop, const double *y, fly_error *error);

// One accepted step, to a->t and a->y; never beyond t_end or where it was told to stop. There it does
// nothing. FLY_NOT_KEPT: the end is reached,
// but round-off used up the error asked for.
fly_status fly_adams_step(fly_adams *a, fly_error *error);
// At the end: FLY_NOT_KEPT where rounding errors of its steps are more than the error asked for.
fly_status fly_adams_finished(const fly_adams *a, double asked, fly_error *error);

// Fixed steps on somebody else's grid (options.step > 0): one step to t1, of an order one higher than the last as long
// as that is below order_max. 0: done; > 0: f or the hook refused, or a number is not finite, nothing has changed; < 0:
// fatal.
int fly_adams_take(fly_adams *a, double t1);

// Steps until a->t >= t, or to the stop.
fly_status fly_adams_advance(fly_adams *a, double t, fly_error *error);

// y (n) at t in the last step; once continuously differentiable from step to step (A-dense).
fly_status fly_adams_interpolate(const fly_adams *a, double t, double *y, fly_error *error);

// The past as points: at the i-th last one (0: the newest; below a->history.known) y (n) and f (n) as the polynomial
// through all of them has them. And back: components first ... of f there, count of them, from values at all points.
void fly_adams_past(const fly_adams *a, int i, double *y, double *f);
void fly_adams_set_past(fly_adams *a, int first, int count, double *const *values);

// g_i, i < count: 1/x times the integral of N_i = prod_(j<i) (s + d_j)/psi_(j+1) over s = 0 ... x (A-recurrence).
void fly_adams_integrate(double *g, int count, double x, const double *d, const double *psi);

// The last step, its arrays those of a; memory for a copy; the copy; and what it holds at t: y (n), or NULL, and f (n),
// or NULL, by the polynomial through its values (A-slope).
fly_adams_piece fly_adams_last(const fly_adams *a);
fly_adams_piece fly_adams_piece_take(fly_arena *memory, int n);
void fly_adams_piece_copy(fly_adams_piece *to, const fly_adams_piece *from);
void fly_adams_piece_at(const fly_adams_piece *p, double t, double *y, double *f);

#endif
