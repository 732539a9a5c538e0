// What the tests of the integrator share: running a problem, keeping every accepted point, and comparing with the
// truth. FLY_TEST_VERBOSE=1 in the environment prints what was measured beside what is allowed.
#ifndef FLY_TESTS_SUPPORT_MOTION_H
#define FLY_TESTS_SUPPORT_MOTION_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "problems/problems.h"

enum { POINT = 72 }; // longest vector of a point

// A state that owns its numbers.
typedef struct point {
  double t, q[POINT], v[POINT], vdot[POINT], lambda[POINT], x[POINT], xdot[POINT], y[POINT];
} point;

// ---------------------------------------------------------------------------------------------- saying and asserting

// Prints to stdout if FLY_TEST_VERBOSE is set.
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// value <= limit, >= limit, or within [low, high]; false for NaN; says what it saw.
#define assert_at_most(value, limit) check_range(#value, value, -INFINITY, limit, __FILE__, __LINE__)
#define assert_at_least(value, limit) check_range(#value, value, limit, INFINITY, __FILE__, __LINE__)
#define assert_between(value, low, high) check_range(#value, value, low, high, __FILE__, __LINE__)
#define assert_close(value, expected, tolerance) check_close(#value, value, expected, tolerance, __FILE__, __LINE__)
#define assert_ok(status, error) check_ok(status, error, __FILE__, __LINE__)
#define assert_says(error, text) check_says(error, text, __FILE__, __LINE__) // the message contains text
void check_range(const char *what, double value, double low, double high, const char *file, int line);
void check_close(const char *what, double value, double expected, double tolerance, const char *file, int line);
void check_ok(fly_status status, const fly_error *error, const char *file, int line);
void check_says(const fly_error *error, const char *text, const char *file, int line);

// ---------------------------------------------------------------------------------------------- problems and methods

fly_problem problem_of(const char *name, const char *variant, int n);
// The default options with a method by name; rho NAN: the method's default.
fly_dae_options options_of(const char *method, double rho, fly_formulation formulation);
fly_dae_options with_step(fly_dae_options o, double step);
fly_dae_options with_error(fly_dae_options o, double error);
fly_dae_options with_sequence(fly_dae_options o, double step, const double *sequence, int n); // sequence must live on

// ---------------------------------------------------------------------------------------------- motions

// Every accepted point of a run, the start first.
typedef struct motion {
  int nq, nv, nl, nx, ny, width;
  int count, room;
  double *data; // rows t, q, v, v', lambda, x, x', y (count * width)
  int nrotation;
  const int *rotation_q;
  fly_status status; // how the run ended
  fly_error error;
  fly_stats stats;
  fly_certificate certificate;
} motion;

fly_solver *solver_started(const fly_problem *p, const fly_dae_options *o, double t_end); // asserts success
motion motion_try(const fly_problem *p, const fly_dae_options *o, double t_end);          // any end
motion motion_run(const fly_problem *p, const fly_dae_options *o, double t_end);          // must reach the end
motion motion_begin(const fly_problem *p);
void motion_add(motion *m, const fly_dae_state *s);
fly_dae_state motion_at(const motion *m, int i);
fly_dae_state motion_end(const motion *m);
void motion_free(motion *m);
uint64_t motion_hash(const motion *m); // of all bits

// Where the motion should be at time t.
typedef void truth_fn(point *out, double t, const void *user);

// Largest absolute errors; of a rotation: its angle.
typedef struct errors {
  double q, v, vdot, lambda, x, y;
} errors;
errors errors_between(const motion *m, const fly_dae_state *a, const fly_dae_state *b);
errors motion_errors(const motion *m, truth_fn *truth, const void *user);
errors motion_end_errors(const motion *m, truth_fn *truth, const void *user);
void say_errors(const char *what, double h, errors e);
// Errors and orders at the step h and at half of it.
typedef struct orders {
  errors coarse, fine;
  double q, v, vdot, lambda, x, y;
} orders;
orders orders_with(const char *what, const fly_problem *p, fly_dae_options o, double h, double t_end, truth_fn *truth,
                   const void *user);
void assert_second_order(const orders *r);                 // 2.0 +- 0.1 in q, v, v' and lambda
double order_of(double coarse, double fine, double ratio); // log(coarse/fine)/log(ratio)
double slope_of(const double *x, const double *y, int n);  // least squares, log y against log x

#endif
