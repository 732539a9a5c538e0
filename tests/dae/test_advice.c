// What a failure says beyond itself: callbacks that are missing by name, other methods that were tried; and guesses for
// starts whose equations have several solutions.
#include <string.h>

#include "support/motion.h"

// Steps that may not become small enough: an error test that fails for good.
static motion fails(const char *method, double error, double step_min, int stripped) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_dae_options o = with_error(options_of(method, NAN, FLY_GGL), error);
  o.step_min = step_min;
  if (stripped) {
    p.dae.constraint_jacobian = NULL;
    p.dae.constraint_gamma = NULL;
    p.dae.jacobian = NULL;
  }
  motion m = motion_try(&p, &o, p.t_end);
  say("%s\n", m.error.message);
  assert_int_equal(m.status, FLY_STEP_TOO_SMALL);
  fly_problem_free(&p);
  return m;
}

static void test_others_are_tried(void **state) {
  motion m = fails("ch", 1e-9, 0.01, 0);
  assert_says(&m.error, "radau and partition were tried and get through");
  assert_null(strstr(m.error.message, "not given"));
  motion_free(&m);
  m = fails("partition", 1e-12, 0.1, 0); // 400 steps of ch are not enough
  assert_says(&m.error, "radau was tried and gets through");
  motion_free(&m);
}

static void test_missing_callbacks_are_named(void **state) {
  motion m = fails("ch", 1e-9, 0.01, 1);
  assert_says(&m.error, "not given: `constraint_jacobian` (right to about ");
  assert_says(&m.error, "`constraint_gamma` (right to about ");
  assert_says(&m.error, "`jacobian`. Give them");
  assert_null(strstr(m.error.message, "`constraint_rate`"));
  motion_free(&m);
}

// Nobody gets through where the problem refuses every state behind a time.
static int wall(double *f, const fly_dae_state *s, void *user) {
  f[0] = s->t > 0.5 ? 1e6 * (s->v[0] > 0 ? -1 : 1) / fmax(s->t - 0.5, 1e-9) : 0;
  return 0;
}

static int one(double *M, double t, const double *q, void *user) {
  M[0] = 1;
  return 0;
}

static void test_nobody_gets_through(void **state) {
  double q0[] = {0}, v0[] = {1};
  const fly_problem p = {.dae = {.nq = 1, .nv = 1, .mass = one, .force = wall}, .q0 = q0, .v0 = v0, .t_end = 1};
  const fly_dae_options o = with_error(options_of("radau", NAN, FLY_GGL), 1e-6);
  motion m = motion_try(&p, &o, 1);
  say("%s\n", m.error.message);
  assert_int_not_equal(m.status, FLY_OK);
  assert_says(&m.error, "ch and partition were tried and do not get through either");
  motion_free(&m);
}

// ---------------------------------------------------------------------------------------------- guesses

// y = (y^2 + 2)/3 has the solutions 1 and 2; the mass is pushed by y.
static int pushed(double *f, const fly_dae_state *s, void *user) {
  f[0] = s->y[0];
  return 0;
}
static int two_solutions(double *h, const fly_dae_state *s, void *user) {
  h[0] = (s->y[0] * s->y[0] + 2) / 3;
  return 0;
}

static double end_of(const char *method, const double *guess) {
  const fly_dae_problem p = {.nq = 1, .nv = 1, .ny = 1, .mass = one, .force = pushed, .outputs = two_solutions};
  const fly_dae_options o = with_error(options_of(method, NAN, FLY_GGL), 1e-6);
  const fly_dae_state start = {.y = guess};
  const double zero[] = {0};
  fly_solver *s = NULL;
  fly_error error = {0};
  assert_ok(fly_solver_create(&s, &p, &o, &error), &error);
  fly_solver_guess(s, guess ? &start : NULL);
  assert_ok(fly_solver_start(s, 0, 1, zero, zero, NULL, &error), &error);
  assert_ok(fly_solver_advance(s, 1, &error), &error);
  const double x = fly_solver_state(s).q[0];
  fly_solver_guess(s, NULL); // from zero again
  assert_ok(fly_solver_start(s, 0, 1, zero, zero, NULL, &error), &error);
  assert_close(fly_solver_state(s).y[0], 1, 1e-12);
  fly_solver_free(s);
  return x;
}

static void test_guess(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition"};
  const double far = 2.5;
  for (int i = 0; i < 3; i++) {
    assert_close(end_of(methods[i], NULL), 0.5, 1e-5);
    assert_close(end_of(methods[i], &far), 1.0, 1e-5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_others_are_tried),
      cmocka_unit_test(test_missing_callbacks_are_named),
      cmocka_unit_test(test_nobody_gets_through),
      cmocka_unit_test(test_guess),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
