// How a run is divided into steps, and what must not show in its result: the corrector's own choices.
#include <math.h>
#include <string.h>

#include "support/truths.h"

static long steps_of(double h, double t_end) {
  fly_problem p = problem_of("oscillator", NULL, 0);
  const fly_dae_options o = with_step(fly_dae_options_default(), h);
  motion m = motion_run(&p, &o, t_end);
  const long steps = m.stats.steps;
  assert_int_equal(m.count, steps + 1);
  motion_free(&m);
  fly_problem_free(&p);
  return steps;
}

// The last step ends at the end, shorter if it must; rounding makes no crumbs.
static void test_fixed_steps(void **state) {
  assert_int_equal(steps_of(0.1, 1), 10);
  assert_int_equal(steps_of(1.0 / 3, 1), 3);
  assert_int_equal(steps_of(1e-3, 1), 1000);
  assert_int_equal(steps_of(0.3, 1), 4);
  assert_int_equal(steps_of(0.0625, 0.7), 12);
  assert_int_equal(steps_of(2, 0.1), 1);
}

static void test_sequence(void **state) {
  const double sequence[] = {0.5, 0.2, 0.3}, expected[] = {0.05, 0.07, 0.1, 0.15, 0.17, 0.2, 0.25, 0.26};
  fly_problem p = problem_of("oscillator", NULL, 0);
  const fly_dae_options o = with_sequence(fly_dae_options_default(), 0.1, sequence, 3);
  motion m = motion_run(&p, &o, 0.26);
  assert_int_equal(m.stats.steps, 8);
  for (int i = 0; i < 8; i++)
    assert_close(motion_at(&m, i + 1).t, expected[i], 1e-15);
  assert_close(m.stats.h_min, 0.01, 1e-15);
  assert_close(m.stats.h_max, 0.05, 1e-15);
  motion_free(&m);
  fly_problem_free(&p);
}

// Adaptive: arrives exactly, without a crumb at the end, and a finished run stays finished.
static void test_adaptive_end(void **state) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  for (double t_end = 0.9; t_end < 1.1; t_end += 0.013) {
    const fly_dae_options o = with_error(fly_dae_options_default(), 1e-3);
    fly_solver *s = solver_started(&p, &o, t_end);
    fly_error error = {0};
    double last = 0;
    while (!fly_solver_done(s)) {
      last = fly_solver_last_step(s);
      assert_ok(fly_solver_step(s, &error), &error);
    }
    assert_true(fly_solver_state(s).t == t_end);
    assert_at_least(fly_solver_last_step(s), 0.2 * last);
    const long steps = fly_solver_stats(s).steps;
    assert_ok(fly_solver_step(s, &error), &error);
    assert_ok(fly_solver_advance(s, 2 * t_end, &error), &error);
    assert_int_equal(fly_solver_stats(s).steps, steps);
    fly_solver_free(s);
  }
  fly_problem_free(&p);
}

// Nothing moves: no division by what is zero, and long steps.
static void test_at_rest(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  p.q0[0] = 0, p.q0[1] = -1;
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    const fly_dae_options o = with_error(options_of("ch", 0.6, f), 1e-6);
    motion m = motion_run(&p, &o, 10);
    assert_close(motion_end(&m).q[0], 0, 1e-12);
    assert_close(motion_end(&m).q[1], -1, 1e-12);
    assert_close(motion_end(&m).lambda[0], 9.81 / 2, 1e-9);
    assert_at_most((double)m.stats.steps, 100);
    motion_free(&m);
  }
  fly_problem_free(&p);
}

// A coordinate measured in thousandths asks for sqrt(1000) times the steps; in thousands, for fewer.
static void test_scales(void **state) {
  fly_problem p = problem_of("oscillator", NULL, 0);
  const double small[] = {1e-3}, large[] = {1e3};
  const fly_dae_options o = with_error(fly_dae_options_default(), 1e-2);
  motion a = motion_run(&p, &o, 10);
  p.dae.scale_v = small;
  motion b = motion_run(&p, &o, 10);
  assert_between((double)b.stats.steps / (double)a.stats.steps, 25, 40);
  p.dae.scale_v = large;
  motion c = motion_run(&p, &o, 10);
  assert_at_most((double)c.stats.steps, 0.5 * (double)a.stats.steps);
  motion_free(&a);
  motion_free(&b);
  motion_free(&c);
  fly_problem_free(&p);
}

// Of a first-order state as well.
static int one(double *M, double t, const double *q, void *user) {
  M[0] = 1;
  return 0;
}
static int nothing(double *f, const fly_dae_state *s, void *user) {
  f[0] = 0;
  return 0;
}
static int wave(double *d, const fly_dae_state *s, void *user) {
  d[0] = s->xdot[0] - cos(s->t);
  return 0;
}

static void test_scale_of_states(void **state) {
  static double zero[] = {0};
  const double small[] = {1e-3};
  fly_problem p = {
      .dae = {.nq = 1, .nv = 1, .nx = 1, .mass_constant = true, .mass = one, .force = nothing, .states = wave},
      .q0 = zero,
      .v0 = zero,
      .x0 = zero};
  const fly_dae_options o = with_error(fly_dae_options_default(), 1e-4);
  motion a = motion_run(&p, &o, 10);
  p.dae.scale_x = small;
  motion b = motion_run(&p, &o, 10);
  assert_between((double)b.stats.steps / (double)a.stats.steps, 20, 45);
  assert_close(motion_end(&a).x[0], sin(10), 1e-3);
  assert_close(motion_end(&b).x[0], sin(10), 1e-6);
  motion_free(&a);
  motion_free(&b);
}

static long adaptive_steps(double error, fly_error_per per) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  fly_dae_options o = with_error(options_of("ch", 0.6, FLY_GGL), error);
  o.error_per = per;
  motion m = motion_run(&p, &o, 4);
  const long steps = m.stats.steps;
  motion_free(&m);
  fly_problem_free(&p);
  return steps;
}

// A second-order method: a hundredth of the tolerance per run is ten times the steps; per step it is 100^(1/3).
static void test_step_count(void **state) {
  const double coarse = (double)adaptive_steps(1e-3, FLY_PER_RUN), fine = (double)adaptive_steps(1e-5, FLY_PER_RUN);
  assert_between(coarse, 600, 900);
  assert_between(fine / coarse, 9, 11);
  const double per_step = (double)adaptive_steps(1e-5, FLY_PER_STEP);
  assert_between((double)adaptive_steps(1e-7, FLY_PER_STEP) / per_step, 4.3, 5.1);
  assert_at_most(per_step, 0.2 * fine);
}

static void test_limits_of_the_step(void **state) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  fly_dae_options o = with_error(options_of("ch", 0.6, FLY_GGL), 1e-2);
  o.step_max = 2e-3;
  motion m = motion_run(&p, &o, 1);
  assert_at_most(m.stats.h_max, 2e-3);
  motion_free(&m);
  o.step_initial = 1e-5;
  fly_solver *s = solver_started(&p, &o, 1);
  fly_error error = {0};
  assert_ok(fly_solver_step(s, &error), &error);
  assert_close(fly_solver_last_step(s), 1e-5, 0);
  assert_close(fly_solver_state(s).t, 1e-5, 0);
  fly_solver_free(s);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- the estimate

// Sum of the estimates of a run whose steps are all `h`: the tolerance is loose, the step limited.
static motion equal_steps(const fly_problem *p, fly_dae_options o, double h) {
  o.step_max = o.step_initial = h;
  o.error = 1e3;
  motion m = motion_run(p, &o, 1);
  assert_int_equal(m.stats.steps, (long)(1 / h + 0.5));
  return m;
}

static int growing(double *f, const fly_dae_state *s, void *user) {
  f[0] = exp(s->t);
  return 0;
}

// q'' = e^t: the estimate of a step is h^3 |1 - 6 beta - 3 (alpha_m - alpha_f)|/6 e^t. Members of first order, with the
// defect d = gamma - 1/2 + alpha_m - alpha_f, add h^2 |d| (e^t + 1), the 1 being v'(0); what they lose is d h (e - 2).
static void test_estimate_of_positions(void **state) {
  static double zero[] = {0};
  const fly_problem p = {
      .dae = {.nq = 1, .nv = 1, .mass_constant = true, .mass = one, .force = growing}, .q0 = zero, .v0 = zero};
  const char *names[] = {"trapezoid", "newmark", "hht", "wbz", "ch", "gen"};
  const double h = 1.0 / 256;
  for (int k = 0; k < 6; k++) {
    const fly_dae_options o = options_of(names[k], k ? 0.8 : (double)NAN, FLY_GGL);
    const fly_newmark *n = &o.method;
    const double lag = n->alpha_f - n->alpha_m;
    const double c = fabs(1 - 6 * n->beta + 3 * lag) / 6, d = fabs(n->gamma - 0.5 - lag);
    motion m = equal_steps(&p, o, h);
    assert_close(m.certificate.estimate / (c * h * h * (exp(1) - 1) + d * h * exp(1)), 1, 0.02);
    if (k == 1)
      assert_close(fabs(motion_end(&m).q[0] - (exp(1) - 2)) / (d * h * (exp(1) - 2)), 1, 0.02);
    motion_free(&m);
  }
}

// x' = e^t: all errors have one sign and add up, so the sum of the estimates is the error at the end.
static int exponential(double *d, const fly_dae_state *s, void *user) {
  d[0] = s->xdot[0] - exp(s->t);
  return 0;
}

static void test_estimate_of_states(void **state) {
  static double zero[] = {0};
  const fly_problem p = {
      .dae = {.nq = 1, .nv = 1, .nx = 1, .mass_constant = true, .mass = one, .force = nothing, .states = exponential},
      .q0 = zero,
      .v0 = zero,
      .x0 = zero};
  const double h = 1.0 / 256;
  for (double rho = 0; rho <= 1; rho += 0.25) {
    fly_dae_options o = options_of("ch", 0.8, FLY_GGL);
    const double m = (3 * rho - 1) / (2 * (rho + 1)), f = rho / (rho + 1);
    o.states = (fly_theta){m, f, 0.5 - m + f};
    motion run = equal_steps(&p, o, h);
    const double error = fabs(motion_end(&run).x[0] - (exp(1) - 1));
    assert_close(run.certificate.estimate / error, 1, 0.05);
    motion_free(&run);
  }
}

// A body without torque: c w'' + (1/12) w x w' in each component, J = (1, 1, 2).
static int body_mass(double *M, double t, const double *q, void *user) {
  M[0] = M[4] = 1, M[8] = 2;
  return 0;
}
static int gyroscopic(double *f, const fly_dae_state *s, void *user) {
  f[0] = -s->v[1] * s->v[2];
  f[1] = s->v[2] * s->v[0];
  f[2] = 0;
  return 0;
}

static void test_estimate_of_rotations(void **state) {
  static const int first[] = {0};
  static double q0[] = {1, 0, 0, 0}, v0[] = {1, 0, 3};
  const fly_problem p = {.dae = {.nq = 4,
                                 .nv = 3,
                                 .nrotation = 1,
                                 .rotation_q = first,
                                 .rotation_v = first,
                                 .mass_constant = true,
                                 .mass = body_mass,
                                 .force = gyroscopic},
                         .q0 = q0,
                         .v0 = v0};
  const double h = 1.0 / 1024;
  const fly_dae_options o = options_of("ch", 0.8, FLY_GGL);
  const double c = (1 - 6 * o.method.beta - 3 * (o.method.alpha_m - o.method.alpha_f)) / 6;
  double expected =
      0; // w = (cos 3t, sin 3t, 3), w' = 3 (-sin, cos, 0), w'' = -9 (cos, sin, 0), w x w' = (-9 cos, -9 sin, 3)
  for (int i = 0; i < 1000; i++) {
    const double t = (i + 0.5) / 1000, in_plane = fmax(fabs(cos(3 * t)), fabs(sin(3 * t)));
    expected += fmax(9 * fabs(c + 1.0 / 12) * in_plane, 3.0 / 12) / 1000 * h * h;
  }
  motion m = equal_steps(&p, o, h);
  assert_close(m.certificate.estimate / expected, 1, 0.02);
  motion_free(&m);
}

// ---------------------------------------------------------------------------------------------- the corrector

// Predictor, tolerance of the corrector, constancy of the mass: the result is the method's, not theirs.
static void test_corrector_does_not_show(void **state) {
  fly_problem p = problem_of("seven-body", NULL, 0);
  reference_truth *truth = reference_truth_of(&p, 0.01, 40);
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    fly_dae_options o = with_step(options_of("ch", 0.6, f), 1e-5);
    motion exact = motion_run(&p, (o.newton_factor = 1e-9, &o), 0.01);
    const errors e = motion_errors(&exact, reference_at, truth);
    long iterations[4];
    for (int degree = 0; degree < 4; degree++) {
      o.newton_factor = 1e-3;
      o.predictor_degree = degree;
      motion m = motion_run(&p, &o, 0.01);
      const errors d = motion_errors(&m, reference_at, truth);
      assert_close(d.q, e.q, 0.01 * e.q);
      assert_close(d.lambda, e.lambda, 0.01 * e.lambda);
      iterations[degree] = m.stats.newton_iterations;
      motion_free(&m);
    }
    say("formulation %d: %ld %ld %ld %ld iterations\n", f, iterations[0], iterations[1], iterations[2], iterations[3]);
    assert_true(iterations[1] < iterations[0] && iterations[2] < iterations[1]); // a better guess is less work
    motion_free(&exact);
  }
  reference_truth_free(truth);
  fly_problem_free(&p);
}

static void test_constant_mass(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  const fly_dae_options o = with_error(fly_dae_options_default(), 1e-3);
  motion a = motion_run(&p, &o, 0.05);
  p.dae.mass_constant = false;
  motion b = motion_run(&p, &o, 0.05);
  assert_true(motion_hash(&a) == motion_hash(&b));
  motion_free(&a);
  motion_free(&b);
  fly_problem_free(&p);
}

// Work: a kept matrix serves many steps, two or three corrections a step.
static void test_statistics(void **state) {
  fly_problem p = problem_of("seven-body", NULL, 0);
  const fly_dae_options o = with_error(options_of("ch", 0.6, FLY_GGL), 1e-5);
  motion m = motion_run(&p, &o, 0.03);
  const fly_stats *s = &m.stats;
  assert_at_most((double)s->jacobians / (double)s->steps, 0.2); // Must show 9
  assert_at_most((double)(s->rejected_error + s->rejected_newton) / (double)s->steps, 0.1);
  assert_at_most((double)s->newton_iterations / (double)s->steps, 3);
  assert_at_least((double)s->residuals, (double)s->newton_iterations);
  assert_at_least((double)s->solves, (double)s->newton_iterations);
  assert_at_most((double)s->factorizations, 3); // pivots are kept
  assert_at_least((double)s->refactorizations, 5);
  assert_true(s->h_min > 0 && s->h_max < 0.03);
  assert_int_equal(s->cut_steps, 0);
  assert_int_equal(s->events, 0);
  motion_free(&m);
  fly_problem_free(&p);
}

// The diary of the steps says what the certificate and the statistics sum up.
static void test_step_records(void **state) {
  fly_problem p = problem_of("seven-body", NULL, 0);
  for (int adaptive = 0; adaptive < 2; adaptive++) {
    const fly_dae_options d = options_of("ch", 0.6, FLY_INDEX2);
    const fly_dae_options o = adaptive ? with_error(d, 1e-4) : with_step(d, 1e-4);
    fly_solver *s = solver_started(&p, &o, 0.01);
    fly_error error = {0};
    double sum = 0, estimate = 0;
    const fly_certificate start = fly_solver_certificate(s);
    fly_step_record largest = {.position = start.position, .velocity = start.velocity};
    largest.acceleration = start.acceleration;
    while (!fly_solver_done(s)) {
      assert_ok(fly_solver_step(s, &error), &error);
      const fly_step_record r = fly_solver_step_record(s);
      assert_true(r.t == fly_solver_state(s).t && r.h == fly_solver_last_step(s));
      assert_true(adaptive ? r.ratio > 0 && r.ratio <= 1 : isnan(r.ratio));
      sum += r.h;
      estimate += r.estimate;
      largest.position = fmax(largest.position, r.position);
      largest.velocity = fmax(largest.velocity, r.velocity);
      largest.acceleration = fmax(largest.acceleration, r.acceleration);
    }
    const fly_certificate c = fly_solver_certificate(s);
    assert_close(sum, 0.01, 1e-12);
    assert_true(largest.position == c.position && largest.velocity == c.velocity);
    assert_true(largest.acceleration == c.acceleration && c.position > 0 && c.acceleration > 0);
    if (adaptive)
      assert_close(estimate, c.estimate, 1e-12 * estimate);
    fly_solver_free(s);
  }
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fixed_steps),
      cmocka_unit_test(test_sequence),
      cmocka_unit_test(test_adaptive_end),
      cmocka_unit_test(test_at_rest),
      cmocka_unit_test(test_scales),
      cmocka_unit_test(test_scale_of_states),
      cmocka_unit_test(test_corrector_does_not_show),
      cmocka_unit_test(test_constant_mass),
      cmocka_unit_test(test_statistics),
      cmocka_unit_test(test_step_count),
      cmocka_unit_test(test_step_records),
      cmocka_unit_test(test_limits_of_the_step),
      cmocka_unit_test(test_estimate_of_positions),
      cmocka_unit_test(test_estimate_of_states),
      cmocka_unit_test(test_estimate_of_rotations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
