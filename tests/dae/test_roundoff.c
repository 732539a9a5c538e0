// Round-off in index 3 (docs/theory/control.md, section 6): steps so small that v' and lambda as the recursion has them
// are noise of 59 rounding errors over h^2. They are reported, and the step is controlled, as if it were not there.
#include "support/truths.h"

// The heavy top at h = 1e-6 s: rounding errors of about 2 eps/sqrt(6) m in three rows of g, 15 kg: noise of 0.16 N in
// lambda, rms. The method's own error is 6e-6 N there (0.034 N at 1.25e-4 s, order 2).
static void test_multipliers(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  const double t_end = 0.005;
  reference_truth *truth = reference_truth_of(&p, t_end, 8);
  const char *names[] = {"ch", "hht", "wbz"};
  for (int k = 0; k < 3; k++)
    for (fly_step_change c = FLY_CHANGE_SHIFT; c <= FLY_CHANGE_NONE; c++) {
      fly_dae_options o = with_step(options_of(names[k], 0.6, FLY_INDEX3), 1e-6);
      o.step_change = c;
      motion m = motion_run(&p, &o, t_end);
      const errors e = motion_errors(&m, reference_at, truth);
      say_errors(names[k], 1e-6, e);
      assert_int_equal(m.stats.round_off_steps, m.stats.steps);
      assert_at_most(e.lambda, 2e-5);
      assert_at_most(m.certificate.acceleration, 2e-5);
      motion_free(&m);
    }
  reference_truth_free(truth);
  fly_problem_free(&p);
}

// Steps of usual size keep what the method gives: the error of a plain start, of first order, is not removed.
static void test_left_alone(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  reference_truth *truth = reference_truth_of(&p, 0.05, 20);
  fly_dae_options o = with_step(options_of("ch", 0.6, FLY_INDEX3), 1e-4);
  o.start = FLY_START_PLAIN;
  motion m = motion_run(&p, &o, 0.05);
  assert_int_equal(m.stats.round_off_steps, 0);
  assert_close(motion_errors(&m, reference_at, truth).lambda, 3.351 * 1e-4 / 1.25e-4, 0.1); // NUMERICS, plain start
  motion_free(&m);
  reference_truth_free(truth);
  fly_problem_free(&p);
}

// What is taken out leaves the equations of motion as they were, with outputs and forces that depend on v' and lambda:
// a mass on a driven rod, friction with a share of the reaction, an output of the acceleration.
static int mass(double *M, double t, const double *q, void *user) {
  M[0] = 2, M[3] = 1;
  return 0;
}
static int constraint(double *g, double t, const double *q, void *user) {
  g[0] = q[0] - 7 - sin(t);
  return 0;
}
static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  G[0] = 1;
  return 0;
}
static int constraint_rate(double *g_t, double t, const double *q, void *user) {
  g_t[0] = -cos(t);
  return 0;
}
static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  gamma[0] = sin(t);
  return 0;
}
static int force(double *f, const fly_dae_state *s, void *user) {
  f[0] = 0;
  f[1] = -0.3 * s->lambda[0] - s->y[0];
  return 0;
}
static int outputs(double *y, const fly_dae_state *s, void *user) {
  y[0] = 0.5 * s->vdot[0] + s->q[1];
  return 0;
}

static void test_equations_stay(void **state) {
  static double q0[] = {7, 0}, v0[] = {1, 0};
  const fly_problem p = {.dae = {.nq = 2,
                                 .nv = 2,
                                 .ng = 1,
                                 .ny = 1,
                                 .mass = mass,
                                 .force = force,
                                 .constraint = constraint,
                                 .constraint_jacobian = constraint_jacobian,
                                 .constraint_rate = constraint_rate,
                                 .constraint_gamma = constraint_gamma,
                                 .outputs = outputs},
                         .q0 = q0,
                         .v0 = v0};
  fly_dae_options o = with_step(options_of("ch", 0.6, FLY_INDEX3), 1e-5);
  motion m = motion_run(&p, &o, 0.02);
  assert_at_least((double)m.stats.round_off_steps, 0.99 * (double)m.stats.steps);
  for (int i = 0; i < m.count; i++) {
    const fly_dae_state s = motion_at(&m, i);
    const double a = -sin(s.t);
    assert_close(s.vdot[0], a, 1e-9); // of a noise of 59 * 7 eps/sqrt(6)/h^2 = 4e-4
    assert_close(s.lambda[0], -2 * a, 1e-9);
    assert_close(2 * s.vdot[0] + s.lambda[0], 0, 1e-9);
    assert_close(s.y[0] - 0.5 * s.vdot[0] - s.q[1], 0, 1e-9);
    assert_close(s.vdot[1] + 0.3 * s.lambda[0] + s.y[0], 0, 1e-9);
  }
  motion_free(&m);
}

// Must show 5 in index 3, on a part of the interval: elastic coordinates of 1e-5 m beside an angle that is driven.
static void test_tolerance(void **state) {
  fly_problem p = problem_of("slider-crank", NULL, 0);
  const double t_end = 0.01;
  reference_truth *truth = reference_truth_of(&p, t_end, 40);
  double asked[3] = {1e-3, 1e-5, 1e-7}, got[3];
  for (int k = 0; k < 3; k++) {
    const fly_dae_options o = with_error(options_of("ch", 0.6, FLY_INDEX3), asked[k]);
    motion m = motion_run(&p, &o, t_end);
    got[k] = 0;
    for (int i = 0; i < m.count; i++) {
      const fly_dae_state s = motion_at(&m, i);
      point at;
      reference_at(&at, s.t, truth);
      for (int j = 0; j < p.dae.nv; j++)
        got[k] = fmax(got[k], fabs(s.q[j] - at.q[j]) / p.dae.scale_v[j]);
    }
    assert_at_most(got[k], 10 * asked[k]);
    assert_at_most(m.certificate.estimate, asked[k]);
    assert_at_most((double)m.stats.rejected_error, 0.2 * (double)m.stats.steps); // noise made it one in three
    motion_free(&m);
  }
  assert_at_least(slope_of(asked, got, 3), 0.8);
  reference_truth_free(truth);
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_multipliers),
      cmocka_unit_test(test_left_alone),
      cmocka_unit_test(test_equations_stay),
      cmocka_unit_test(test_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
