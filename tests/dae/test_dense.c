// Dense output: between the steps it is as good as at their ends, it meets them, and asking for it changes nothing.
#include <string.h>

#include "support/truths.h"

// Largest |error inside - mean error of the two ends|: what interpolation adds to the error of the steps.
typedef struct defects {
  double q, v, x, lambda;
} defects;

static point truth_at(truth_fn *truth, const void *user, double t) {
  point p = {.t = t};
  truth(&p, t, user);
  return p;
}

static double defect(const double *in, const double *in_true, const double *a, const double *a_true, const double *b,
                     const double *b_true, double s, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    const double ends = (1 - s) * (a[i] - a_true[i]) + s * (b[i] - b_true[i]);
    largest = fmax(largest, fabs(in[i] - in_true[i] - ends));
  }
  return largest;
}

static defects defects_of(const fly_problem *p, fly_dae_options o, double h, double t_end, truth_fn *truth,
                          const void *user) {
  o.step = h;
  fly_solver *s = solver_started(p, &o, t_end);
  motion m = motion_begin(p);
  fly_error error = {0};
  defects d = {0};
  fly_dae_state now = fly_solver_state(s);
  motion_add(&m, &now);
  while (!fly_solver_done(s)) {
    assert_ok(fly_solver_step(s, &error), &error);
    now = fly_solver_state(s);
    motion_add(&m, &now);
    const fly_dae_state a = motion_at(&m, m.count - 2), b = motion_at(&m, m.count - 1);
    if (now.t < 0.2 * t_end) // the transient of lambda after a start is no smooth error
      continue;
    const point ta = truth_at(truth, user, a.t), tb = truth_at(truth, user, b.t);
    for (double r = 0.2; r < 1; r += 0.3) {
      fly_dae_state in;
      const double t = a.t + r * (b.t - a.t);
      const point ti = truth_at(truth, user, t);
      assert_ok(fly_solver_interpolate(s, t, &in, &error), &error);
      assert_true(in.t == t);
      d.q = fmax(d.q, defect(in.q, ti.q, a.q, ta.q, b.q, tb.q, r, m.nq));
      d.v = fmax(d.v, defect(in.v, ti.v, a.v, ta.v, b.v, tb.v, r, m.nv));
      d.x = fmax(d.x, defect(in.x, ti.x, a.x, ta.x, b.x, tb.x, r, m.nx));
      d.lambda = fmax(d.lambda, defect(in.lambda, ti.lambda, a.lambda, ta.lambda, b.lambda, tb.lambda, r, m.nl));
    }
  }
  fly_solver_free(s);
  motion_free(&m);
  return d;
}

static void orders_at_least_three(const char *name, fly_formulation f, double h, double t_end, int panels) {
  fly_problem p = problem_of(name, NULL, 0);
  reference_truth *truth = reference_truth_of(&p, t_end, panels);
  const fly_dae_options o = options_of("ch", 0.8, f);
  const defects a = defects_of(&p, o, h, t_end, reference_at, truth);
  const defects b = defects_of(&p, o, h / 2, t_end, reference_at, truth);
  say("%s: q %.2e %.2e, v %.2e %.2e, x %.2e %.2e, lambda %.2e %.2e\n", name, a.q, b.q, a.v, b.v, a.x, b.x, a.lambda,
      b.lambda);
  assert_at_least(order_of(a.q, b.q, 2), 2.9);
  assert_at_least(order_of(a.v, b.v, 2), 2.9);
  if (p.dae.nx > 0)
    assert_at_least(order_of(a.x, b.x, 2), 2.9);
  if (p.dae.ng > 0)
    assert_at_least(order_of(a.lambda, b.lambda, 2), 2.8);
  reference_truth_free(truth);
  fly_problem_free(&p);
}

static void test_order(void **state) {
  orders_at_least_three("pendulum-family", FLY_GGL, 0.01, 2, 50);
  orders_at_least_three("pendulum-family", FLY_INDEX2, 0.01, 2, 50);
  orders_at_least_three("heavy-top", FLY_GGL, 5e-4, 0.1, 20);
  orders_at_least_three("seven-body", FLY_GGL, 1e-5, 0.01, 40);
  orders_at_least_three("spring-mass", FLY_GGL, 0.05, 5, 20);
}

// ---------------------------------------------------------------------------------------------- ends

static void assert_same(const double *a, const double *b, int n, double tolerance) {
  for (int i = 0; i < n; i++)
    assert_close(a[i], b[i], tolerance * (1 + fabs(b[i])));
}

static void assert_meets(fly_solver *s, double t, const motion *m, int i) {
  fly_dae_state in;
  fly_error error = {0};
  const fly_dae_state at = motion_at(m, i);
  assert_ok(fly_solver_interpolate(s, t, &in, &error), &error);
  assert_same(in.q, at.q, m->nq, 1e-14);
  assert_same(in.v, at.v, m->nv, 1e-14);
  assert_same(in.vdot, at.vdot, m->nv, 1e-14);
  assert_same(in.lambda, at.lambda, m->nl, 1e-14);
  assert_same(in.x, at.x, m->nx, 1e-14);
  assert_same(in.y, at.y, m->ny, 1e-14);
}

static void test_meets_the_steps(void **state) {
  const char *names[] = {"heavy-top", "spring-mass", "rolling-coin"};
  for (int k = 0; k < 3; k++) {
    fly_problem p = problem_of(names[k], NULL, 0);
    const fly_dae_options o = with_error(fly_dae_options_default(), 1e-4);
    fly_solver *s = solver_started(&p, &o, p.t_end);
    motion m = motion_begin(&p);
    fly_error error = {0};
    for (int i = 0; i < 20; i++) {
      const fly_dae_state now = fly_solver_state(s);
      motion_add(&m, &now);
      assert_meets(s, now.t, &m, i);
      if (i > 0)
        assert_meets(s, motion_at(&m, i - 1).t, &m, i - 1);
      assert_ok(fly_solver_step(s, &error), &error);
    }
    motion_free(&m);
    fly_solver_free(s);
    fly_problem_free(&p);
  }
}

// Turn from p to r as a rotation vector in body axes, small.
static void turn_from(double out[3], const double *p, const double *r) {
  const double w = p[0] * r[0] + p[1] * r[1] + p[2] * r[2] + p[3] * r[3];
  out[0] = 2 * (p[0] * r[1] - p[1] * r[0] - p[2] * r[3] + p[3] * r[2]) / w;
  out[1] = 2 * (p[0] * r[2] - p[2] * r[0] - p[3] * r[1] + p[1] * r[3]) / w;
  out[2] = 2 * (p[0] * r[3] - p[3] * r[0] - p[1] * r[2] + p[2] * r[1]) / w;
}

static int body_mass(double *M, double t, const double *q, void *user) {
  M[0] = 1, M[4] = 2, M[8] = 3;
  return 0;
}
static int gyroscopic(double *f, const fly_dae_state *s, void *user) {
  f[0] = -1 * s->v[1] * s->v[2];
  f[1] = 2 * s->v[2] * s->v[0];
  f[2] = -1 * s->v[0] * s->v[1];
  return 0;
}

// At both ends of a step a rotation turns with the angular velocity reported there, also over half a radian.
static void test_slopes_of_rotations(void **state) {
  static const int first[] = {0};
  static double q0[] = {1, 0, 0, 0}, v0[] = {3, 1, 2};
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
  const fly_dae_options o = with_step(fly_dae_options_default(), 0.125);
  fly_solver *s = solver_started(&p, &o, 1);
  fly_error error = {0};
  const double e = 1e-4;
  while (!fly_solver_done(s)) {
    const double t0 = fly_solver_state(s).t;
    assert_ok(fly_solver_step(s, &error), &error);
    const double t1 = fly_solver_state(s).t, ends[] = {t0, t1 - e};
    for (int k = 0; k < 2; k++) { // a difference over e is the velocity in its middle
      fly_dae_state in;
      double a[4], turn[3], w[3];
      assert_ok(fly_solver_interpolate(s, ends[k], &in, &error), &error);
      memcpy(a, in.q, sizeof a);
      assert_ok(fly_solver_interpolate(s, ends[k] + e, &in, &error), &error);
      turn_from(turn, a, in.q);
      assert_ok(fly_solver_interpolate(s, ends[k] + e / 2, &in, &error), &error);
      memcpy(w, in.v, sizeof w);
      for (int i = 0; i < 3; i++)
        assert_close(turn[i] / e, w[i], 3e-4);
    }
  }
  fly_solver_free(s);
}

static void test_quaternions_stay_unit(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  const fly_dae_options o = with_step(fly_dae_options_default(), 1e-4);
  fly_solver *s = solver_started(&p, &o, p.t_end);
  fly_error error = {0};
  double worst = 0;
  while (!fly_solver_done(s)) {
    const double t = fly_solver_state(s).t;
    assert_ok(fly_solver_step(s, &error), &error);
    fly_dae_state in;
    assert_ok(fly_solver_interpolate(s, t + 0.37e-4, &in, &error), &error);
    const double *q = in.q + 3;
    worst = fmax(worst, fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1));
  }
  assert_at_most(worst, 1e-13);
  fly_solver_free(s);
  fly_problem_free(&p);
}

static void test_outside(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const fly_dae_options o = with_step(fly_dae_options_default(), 0.01);
  fly_solver *s = solver_started(&p, &o, 1);
  fly_error error = {0};
  fly_dae_state in;
  assert_ok(fly_solver_advance(s, 0.505, &error), &error);
  assert_close(fly_solver_state(s).t, 0.51, 1e-12);
  assert_ok(fly_solver_interpolate(s, 0.505, &in, &error), &error);
  assert_int_equal(fly_solver_interpolate(s, 0.4, &in, &error), FLY_BAD_INPUT);
  assert_says(&error, "outside");
  assert_int_equal(fly_solver_interpolate(s, 0.52, &in, &error), FLY_BAD_INPUT);
  assert_int_equal(fly_solver_interpolate(s, NAN, &in, NULL), FLY_BAD_INPUT);
  fly_solver_free(s);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- no side effects

static uint64_t hash_with_output(const fly_problem *p, const fly_dae_options *o, double t_end, int samples) {
  fly_solver *s = solver_started(p, o, t_end);
  motion m = motion_begin(p);
  fly_error error = {0};
  while (!fly_solver_done(s)) {
    const double t = fly_solver_state(s).t;
    assert_ok(fly_solver_step(s, &error), &error);
    const fly_dae_state now = fly_solver_state(s);
    for (int i = 0; i < samples; i++) {
      fly_dae_state in;
      assert_ok(fly_solver_interpolate(s, t + (now.t - t) * (i + 0.5) / samples, &in, &error), &error);
    }
    motion_add(&m, &now);
  }
  const uint64_t hash = motion_hash(&m);
  motion_free(&m);
  fly_solver_free(s);
  return hash;
}

static void test_changes_nothing(void **state) {
  const char *names[] = {"heavy-top", "seven-body", "spring-mass"};
  const double ends[] = {0.1, 0.01, 2};
  for (int k = 0; k < 3; k++)
    for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
      fly_problem p = problem_of(names[k], NULL, 0);
      const fly_dae_options o = with_error(options_of("ch", 0.6, f), 1e-4);
      assert_true(hash_with_output(&p, &o, ends[k], 0) == hash_with_output(&p, &o, ends[k], 3));
      fly_problem_free(&p);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_meets_the_steps),
      cmocka_unit_test(test_slopes_of_rotations),
      cmocka_unit_test(test_quaternions_stay_unit),
      cmocka_unit_test(test_outside),
      cmocka_unit_test(test_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
