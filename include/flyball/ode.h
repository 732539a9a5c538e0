// Ordinary differential equations y' = f(t, y) by Adams' formulas, predictor and corrector: with equal steps, as
// DADS 7.4 has them, and with variable order and step (docs/theory/adams.md).
#ifndef FLYBALL_ODE_H
#define FLYBALL_ODE_H

#include <stdbool.h>

#include "flyball/dae.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FLY_ADAMS_ORDER_MAX = 12 };

// f (n) = f(t, y). 0: done; > 0: not defined here, try a smaller step; < 0: fatal.
typedef int fly_ode_fn(double *f, double t, const double *y, void *user);

// ---------------------------------------------------------------------------------------------- the text's formulas

// gamma_0 ... and gamma*_0 ... of the Adams-Bashforth and Adams-Moulton formulas (A-gamma), (count) each.
void fly_adams_coefficients(double *gamma, double *gamma_star, int count);

typedef enum fly_adams_formula { FLY_ADAMS_BASHFORTH, FLY_ADAMS_PECE } fly_adams_formula;

typedef struct fly_adams_fixed {
  fly_ode_fn *f;
  void *user;
  int n;
  fly_adams_formula formula;
  int order; // k of the predictor, reached after k - 1 steps of lower order: 1 ... FLY_ADAMS_ORDER_MAX
} fly_adams_fixed;

// Takes y (n) from t0 over `steps` equal steps h with the self-starting formulas.
fly_status fly_adams_run_fixed(const fly_adams_fixed *a, double *y, double t0, double h, long steps, fly_error *error);

// ---------------------------------------------------------------------------------------------- variable order, step

typedef enum fly_adams_place {
  FLY_ADAMS_PREDICTED, // y is the prediction; what it becomes is where f is evaluated first
  FLY_ADAMS_ACCEPTED   // y has passed the error test; what it becomes is the result, and where f is evaluated next
} fly_adams_place;

// Lets the caller put y (n) back onto its constraints inside a step. Returns as fly_ode_fn.
typedef int fly_adams_hook_fn(fly_adams_place place, double t, double *y, void *user);

typedef struct fly_adams_problem {
  int n;
  fly_ode_fn *f;
  fly_adams_hook_fn *hook; // or NULL
  void *user;
  const double *scale; // units of the error (n), INFINITY: not controlled; NULL: all 1; copied
} fly_adams_problem;

typedef struct fly_adams_options {
  double error;            // tolerance: largest component in units of scale
  fly_error_per error_per; // as in fly_dae_options
  bool relative;           // units are max(scale_i, |y_i|)
  int order_max;           // 1 ... FLY_ADAMS_ORDER_MAX
  double step;             // > 0: fixed step [s], no error test, order order_max after the start; 0: by the error
  const double *sequence;  // fixed steps: fractions of `step`, taken in turn (nsequence), or NULL; must live on
  int nsequence;
  double step_initial; // first step [s]; 0: chosen
  double step_min;     // [s]; 0: 1e-13 of the largest step so far
  double step_max;     // [s]; 0: a tenth of the interval
  long max_steps;      // accepted and rejected together; 0: no limit
} fly_adams_options;

fly_adams_options fly_adams_options_default(void);

typedef struct fly_adams_stats {
  long steps;             // accepted
  long rejected_error;    // by the error test
  long rejected_callback; // because f or the hook refused the state or gave NaN
  long evaluations;       // of f
  long starts;            // with order 1, the first included
  int order_highest;
  double step_smallest, step_largest; // accepted [s]
} fly_adams_stats;

// Takes y (n) from t0 to t_end. stats: may be NULL. FLY_NOT_KEPT: the end is reached, but round-off used up the error
// asked for.
fly_status fly_adams_run(const fly_adams_problem *problem, const fly_adams_options *options, double *y, double t0,
                         double t_end, fly_adams_stats *stats, fly_error *error);

#ifdef __cplusplus
}
#endif
#endif
