// Radau IIA of five stages, which is asked for: its table, order 9, tolerances, steps saved, dense output, events,
// kinks and singular positions, memory.
#include "base/allocations.h"

#include "dae/radau.h"
#include "support/truths.h"

static fly_dae_options five(void) {
  fly_dae_options o = options_of("radau", NAN, FLY_GGL);
  o.stages = 5;
  o.max_steps = 20000; // a mistake may cost many
  return o;
}

// ---------------------------------------------------------------------------------------------- the table

// sum a_ij c_j^(k-1) = c_i^k/k for k to 5, sum b_j c_j^(k-1) = 1/k to 9; the embedded difference sees nothing of
// polynomials that the stages' derivatives can follow; third differences of t^3 are 1.
static void test_table(void **state) {
  fly_radau_table t;
  fly_radau_table_make(&t, 5);
  for (int k = 1; k <= 9; k++)
    for (int i = 0; i < 5; i++) {
      double sum = 0;
      for (int j = 0; j < 5; j++)
        sum += t.A[i][j] * pow(t.c[j], k - 1);
      if (k <= 5 || i == 4)
        assert_close(sum, pow(t.c[i], k) / k, 5e-15);
    }
  for (int k = 0; k <= 4; k++) {
    double embedded = k == 0 ? t.gamma0 : 0, third[2] = {0};
    for (int j = 0; j < 5; j++) {
      embedded += t.embedded[j] * pow(t.c[j], k);
      third[0] += t.third[0][j] * pow(t.c[j], k);
      third[1] += t.third[1][j] * pow(t.c[j], k);
    }
    assert_close(embedded, 0, 1e-14);
    for (int d = 0; d < 2 && k <= 3; d++)
      assert_close(third[d], k == 3, 1e-12);
  }
}

// A W = W L, with L multiplying the first coordinate by gamma0 and each pair, as a complex number, by its eigenvalue.
static void test_eigenvectors(void **state) {
  fly_radau_table t;
  fly_radau_table_make(&t, 5);
  for (int k = 0; k < 5; k++) {
    double image[5] = {k == 0 ? t.gamma0 : 0};
    for (int pair = 0; pair < 2; pair++) {
      const double complex z = t.eigen[pair] * fly_complex(k == 2 * pair + 1, k == 2 * pair + 2);
      image[2 * pair + 1] = creal(z);
      image[2 * pair + 2] = cimag(z);
    }
    for (int i = 0; i < 5; i++) {
      double left = 0, right = 0, one = 0;
      for (int j = 0; j < 5; j++) {
        left += t.A[i][j] * t.W[j][k];
        right += t.W[i][j] * image[j];
        one += t.W[i][j] * t.Wi[j][k];
      }
      assert_close(left, right, 2e-14);
      assert_close(one, i == k, 2e-13);
    }
  }
}

// ---------------------------------------------------------------------------------------------- order

// Steps small enough for the ninth power to lead, large enough to be seen above rounding errors.
static void check_orders(const char *name, double h, double t_end, int panels) {
  fly_problem p = problem_of(name, NULL, 0);
  reference_truth *truth = reference_truth_of(&p, t_end, panels);
  orders r = orders_with(name, &p, five(), h, t_end, reference_at, truth);
  say("%s: orders %g %g %g %g, errors %g %g\n", name, r.q, r.v, r.lambda, r.x, r.coarse.q, r.fine.q);
  assert_between(r.q, 8.6, 9.7);
  assert_between(r.v, 8.6, 9.7);
  if (p.dae.ng > 0)
    assert_between(r.lambda, 8.6, 9.7);
  if (p.dae.nx > 0)
    assert_between(r.x, 8.6, 9.7);
  reference_truth_free(truth);
  fly_problem_free(&p);
}

static void test_order_pendulums(void **state) { check_orders("double-pendulum", 1.0 / 32, 2, 200); }
static void test_order_seven_body(void **state) { check_orders("seven-body", 2.5e-4, 0.02, 400); }
static void test_order_states(void **state) { check_orders("spring-mass", 0.125, 4, 150); }

// ---------------------------------------------------------------------------------------------- tolerance

typedef struct sample {
  const char *name;
  double t_end;
} sample;

// The error asked for is kept, in fewer steps than of three stages.
static void test_tolerance_is_kept(void **state) {
  const sample samples[] = {{"pendulum-family", 2}, {"seven-body", 0.02}, {"rolling-coin", 1}, {"spring-mass", 5}};
  const double asked[] = {1e-7, 1e-9};
  for (size_t k = 0; k < 2 * sizeof samples / sizeof *samples; k++) {
    const sample *of = &samples[k / 2];
    fly_problem p = problem_of(of->name, NULL, 0);
    reference_truth *truth = reference_truth_of(&p, of->t_end, 150);
    fly_dae_options o = with_error(five(), asked[k % 2]);
    motion m = motion_run(&p, &o, of->t_end);
    o.stages = 3;
    motion three = motion_run(&p, &o, of->t_end);
    const errors e = motion_errors(&m, reference_at, truth);
    say("%s %g: %g in %ld steps (%ld), %ld rejected, %ld iterations\n", of->name, o.error, fmax(e.q, e.x),
        m.stats.steps, three.stats.steps, m.stats.rejected_error, m.stats.newton_iterations);
    assert_at_most(fmax(e.q, e.x), o.error);
    assert_at_most(m.certificate.estimate, o.error);
    assert_at_most((double)m.stats.steps, 0.6 * (double)three.stats.steps);
    motion_free(&m);
    motion_free(&three);
    reference_truth_free(truth);
    fly_problem_free(&p);
  }
}

// ---------------------------------------------------------------------------------------------- between the ends

// Dense output, where steps are few and long: a motion of points inside them.
static void test_dense(void **state) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  reference_truth *truth = reference_truth_of(&p, 2, 150);
  const fly_dae_options o = with_error(five(), 1e-8);
  fly_solver *s = solver_started(&p, &o, 2);
  motion inside = motion_begin(&p);
  fly_error error = {0};
  fly_dae_state in;
  while (!fly_solver_done(s)) {
    assert_ok(fly_solver_step(s, &error), &error);
    for (int k = 7; k > 0; k--) {
      const double t = fly_solver_state(s).t - fly_solver_last_step(s) * k / 8;
      assert_ok(fly_solver_interpolate(s, t, &in, &error), &error);
      motion_add(&inside, &in);
    }
  }
  const errors e = motion_errors(&inside, reference_at, truth);
  say("between: positions %g, velocities %g, accelerations %g\n", e.q, e.v, e.vdot);
  assert_at_most(e.q, 1e-8);
  assert_at_most(e.v, 1e-7);
  motion_free(&inside);
  fly_solver_free(s);
  reference_truth_free(truth);
  fly_problem_free(&p);
}

// The same where something stiff multiplies what positions miss: e^(-10 t) behind a transient of e^(-1e5 t), in steps
// of 0.05 s whose ends are right to 1e-12.
static void test_dense_beside_something_stiff(void **state) {
  const double omega = 1000, xi = 50, fast = -(omega * xi + omega * sqrt(xi * xi - 1)), slow = omega * omega / fast;
  fly_problem p = problem_of("oscillator", "stiff", 0);
  const fly_dae_options o = with_error(five(), 1e-7);
  fly_solver *s = solver_started(&p, &o, p.t_end);
  const double q0 = fly_solver_state(s).q[0];
  fly_error error = {0};
  fly_dae_state in;
  double worst = 0;
  while (!fly_solver_done(s)) {
    assert_ok(fly_solver_step(s, &error), &error);
    for (int k = 1; k < 8; k++) {
      const double t = fly_solver_state(s).t - fly_solver_last_step(s) * k / 8;
      assert_ok(fly_solver_interpolate(s, t, &in, &error), &error);
      worst = fmax(worst, fabs(in.q[0] - q0 * (slow * exp(fast * t) - fast * exp(slow * t)) / (slow - fast)));
    }
  }
  say("between: %g\n", worst);
  assert_at_most(worst, 1e-8);
  assert_at_most((double)fly_solver_stats(s).steps, 60);
  fly_solver_free(s);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- events

static int lowest(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->q[0];
  return 0;
}

typedef struct visits {
  int count;
  double t[64];
} visits;

static fly_event_action reverse(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  visits *seen = user;
  seen->t[seen->count++] = t;
  v[0] = -v[0];
  v[1] = -v[1];
  return FLY_EVENT_RESTART;
}

// A pendulum from the horizontal that is turned back at its lowest point: it goes up and comes down in the same time.
static void test_events(void **state) {
  static double q0[] = {1, 0}, v0[] = {0, 0};
  fly_problem p = problem_of("pendulum", NULL, 0);
  visits seen = {0};
  p.dae.nroot = 1;
  p.dae.roots = lowest;
  p.dae.event = reverse;
  p.dae.user = &seen;
  fly_problem turned = p;
  turned.q0 = q0;
  turned.v0 = v0;
  const fly_dae_options o = with_error(five(), 1e-9);
  motion m = motion_run(&turned, &o, 4);
  const double quarter = 1.8540746773013719 / sqrt(9.81); // K(1/2) sqrt(l/g)
  assert_int_equal(seen.count, 3);
  for (int k = 0; k < seen.count; k++)
    assert_close(seen.t[k], (2 * k + 1) * quarter, 1e-8);
  motion_free(&m);
  fly_problem_free(&p);
}

static int unit_mass(double *M, double t, const double *q, void *user) {
  M[0] = 1;
  return 0;
}

static int bend(double *f, const fly_dae_state *s, void *user) {
  f[0] = s->q[0] > 0.3 ? -100 * (s->q[0] - 0.3) : 0;
  return 0;
}

// A mass runs into a spring that nobody told of: steps of three stages get it past both kinks. It leaves as fast as it
// came, after half a period of 0.2 pi s.
static void test_kink(void **state) {
  static double zero[] = {0}, one[] = {1};
  fly_problem p = {.dae = {.nq = 1, .nv = 1, .mass = unit_mass, .force = bend}, .q0 = zero, .v0 = one};
  const fly_dae_options o = with_error(five(), 1e-8);
  motion m = motion_run(&p, &o, 1);
  const fly_dae_state end = motion_end(&m);
  say("kink: %g, %g in %ld steps\n", end.q[0] - (0.3 - (0.7 - 0.1 * acos(-1))), end.v[0] + 1, m.stats.steps);
  assert_close(end.q[0], 0.3 - (0.7 - 0.1 * acos(-1)), 5e-8);
  assert_close(end.v[0], -1, 5e-7);
  motion_free(&m);
}

// ---------------------------------------------------------------------------------------------- memory

static void test_no_allocation(void **state) {
  fly_problem p = problem_of("seven-body", NULL, 0);
  const fly_dae_options o = with_error(five(), 1e-7);
  fly_solver *s = solver_started(&p, &o, 0.01);
  fly_error error = {0};
  fly_dae_state in;
  for (int i = 0; i < 2; i++)
    assert_ok(fly_solver_step(s, &error), &error);
  allocations_reset(0);
  fly_status status = FLY_OK;
  while (status == FLY_OK && !fly_solver_done(s)) {
    const double t = fly_solver_state(s).t;
    status = fly_solver_step(s, &error);
    if (status == FLY_OK)
      status = fly_solver_interpolate(s, (t + fly_solver_state(s).t) / 2, &in, &error);
  }
  const long count = the_allocations.count;
  assert_ok(status, &error);
  assert_int_equal(count, 0);
  fly_solver_free(s);
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),           cmocka_unit_test(test_eigenvectors),
      cmocka_unit_test(test_order_pendulums), cmocka_unit_test(test_order_seven_body),
      cmocka_unit_test(test_order_states),    cmocka_unit_test(test_tolerance_is_kept),
      cmocka_unit_test(test_dense),           cmocka_unit_test(test_dense_beside_something_stiff),
      cmocka_unit_test(test_events),          cmocka_unit_test(test_kink),
      cmocka_unit_test(test_no_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
