// Radau IIA: its table, orders of convergence, tolerances, the published digits, stiffness, dense output, events,
// failures and memory.
#include "base/allocations.h"

#include <string.h>

#include "dae/radau.h"
#include "math/so3.h"
#include "support/truths.h"

static fly_dae_options radau(void) {
  fly_dae_options o = options_of("radau", NAN, FLY_GGL);
  o.max_steps = 20000; // a mistake may cost many
  return o;
}

// ---------------------------------------------------------------------------------------------- the table

// Collocation at the zeros of Radau's polynomial: sum a_ij c_j^(k-1) = c_i^k/k for k to 3, sum b_j c_j^(k-1) = 1/k
// to 5.
static void test_table(void **state) {
  fly_radau_table t;
  fly_radau_table_make(&t, 3);
  for (int k = 1; k <= 5; k++)
    for (int i = 0; i < t.stages; i++) {
      double sum = 0;
      for (int j = 0; j < t.stages; j++)
        sum += t.A[i][j] * pow(t.c[j], k - 1);
      if (k <= 3 || i == 2)
        assert_close(sum, pow(t.c[i], k) / k, 1e-15);
    }
  double trace = 0;
  for (int i = 0; i < t.stages; i++)
    trace += t.A[i][i];
  assert_close(t.gamma0 + 2 * creal(t.eigen[0]), trace, 1e-15);
  assert_close(t.gamma0 * cabs(t.eigen[0]) * cabs(t.eigen[0]), 1.0 / 60, 1e-16);
}

// A W = W L, with L multiplying the first coordinate by gamma0 and the other two, as a complex number, by eigen.
static void test_eigenvectors(void **state) {
  enum { STAGES = 3 };
  fly_radau_table t;
  fly_radau_table_make(&t, STAGES);
  for (int k = 0; k < STAGES; k++) {
    const double complex pair = t.eigen[0] * (k == 1 ? 1 : k == 2 ? fly_complex(0, 1) : 0);
    const double image[STAGES] = {k == 0 ? t.gamma0 : 0, creal(pair), cimag(pair)};
    for (int i = 0; i < STAGES; i++) {
      double left = 0, right = 0, one = 0;
      for (int j = 0; j < STAGES; j++) {
        left += t.A[i][j] * t.W[j][k];
        right += t.W[i][j] * image[j];
        one += t.W[i][j] * t.Wi[j][k];
      }
      assert_close(left, right, 1e-15);
      assert_close(one, i == k, 1e-14);
    }
  }
}

// S undoes 1 + c D, where D d is the derivative of T(theta) w along d at theta = 0.
static void test_turning(void **state) {
  const double w[] = {3, -1, 2}, e = 1e-6;
  const double complex c = fly_complex(0.2, -0.3);
  double complex S[9];
  fly_radau_turning(S, c, w);
  for (int k = 0; k < 3; k++) {
    double complex image[3];
    for (int i = 0; i < 3; i++) {
      double plus[9], minus[9], slope = 0;
      fly_so3_tangent(plus, (double[3]){e * (k == 0), e * (k == 1), e * (k == 2)});
      fly_so3_tangent(minus, (double[3]){-e * (k == 0), -e * (k == 1), -e * (k == 2)});
      for (int j = 0; j < 3; j++)
        slope += (plus[3 * i + j] - minus[3 * i + j]) / (2 * e) * w[j];
      image[i] = (i == k) + c * slope;
    }
    for (int i = 0; i < 3; i++)
      assert_close(cabs(S[3 * i] * image[0] + S[3 * i + 1] * image[1] + S[3 * i + 2] * image[2] - (i == k)), 0, 1e-9);
  }
}

// ---------------------------------------------------------------------------------------------- order

static void check_orders(const char *name, double h, double t_end, int panels) {
  fly_problem p = problem_of(name, NULL, 0);
  reference_truth *truth = reference_truth_of(&p, t_end, panels);
  orders r = orders_with(name, &p, radau(), h, t_end, reference_at, truth);
  assert_between(r.q, 4.7, 5.4);
  assert_between(r.v, 4.7, 5.4);
  if (p.dae.ng + p.dae.nb > 0)
    assert_between(r.lambda, 4.7, 5.4);
  if (p.dae.nx > 0)
    assert_between(r.x, 4.7, 5.4);
  reference_truth_free(truth);
  fly_problem_free(&p);
}

static void test_order_pendulum(void **state) { check_orders("pendulum-family", 0.02, 1, 20); }
static void test_order_seven_body(void **state) { check_orders("seven-body", 2e-4, 0.01, 20); }
static void test_order_heavy_top(void **state) { check_orders("heavy-top", 1e-3, 0.05, 20); } // rotations
static void test_order_coin(void **state) { check_orders("rolling-coin", 0.02, 0.5, 20); }    // nonholonomic
static void test_order_states(void **state) { check_orders("spring-mass", 0.05, 4, 150); }    // x' and y

// Alternating steps change nothing.
static void test_order_sequence(void **state) {
  const double parts[] = {0.3, 0.7};
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  reference_truth *truth = reference_truth_of(&p, 1, 20);
  const fly_dae_options o = with_sequence(radau(), 0.04, parts, 2);
  orders r = orders_with("alternating", &p, o, 0.04, 1, reference_at, truth);
  assert_between(r.q, 4.7, 5.4);
  assert_between(r.lambda, 4.7, 5.4);
  reference_truth_free(truth);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- tolerance

// shared/reference A1, the independent float128 column.
static void test_seven_body_digits(void **state) {
  const double q[] = {15.81077119515370709711939,   -15.75637105841183946972775, 0.04082224011964580485828232,
                      -0.5347301163420795937701850, 0.5244099658799540693716558, 0.5347301163420795937701850,
                      1.048080741041937873068515};
  const double lambda[] = {199.1753481045386281862395, -29.75530997497176332441573, 23.06654361162215112861737,
                           31.45272527577113707538454, 22.64249478639437857771292,  11.61739235261125590680148};
  fly_problem p = problem_of("seven-body", NULL, 0);
  const fly_dae_options o = with_error(radau(), 1e-10);
  motion m = motion_run(&p, &o, 0.03);
  const fly_dae_state end = motion_end(&m);
  for (int i = 0; i < 7; i++)
    assert_close(end.q[i], q[i], 1e-9);
  for (int i = 0; i < 6; i++)
    assert_close(end.lambda[i], lambda[i], 1e-7);
  assert_at_most((double)m.stats.steps, 1400);
  assert_at_most((double)m.stats.newton_iterations, 5.0 * (double)m.stats.steps);
  motion_free(&m);
  fly_problem_free(&p);
}

typedef struct sample {
  const char *name;
  double t_end, tightest;
} sample;

// What is obtained follows what is asked for: within a factor of 5 above, and never so far below that work is wasted.
static void test_tolerance_is_kept(void **state) {
  const sample samples[] = {{"pendulum-family", 2, 1e-9},
                            {"seven-body", 0.02, 1e-9},
                            {"heavy-top", 0.1, 1e-8},
                            {"rolling-coin", 1, 1e-9},
                            {"spring-mass", 5, 1e-9}};
  for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
    fly_problem p = problem_of(samples[k].name, NULL, 0);
    reference_truth *truth = reference_truth_of(&p, samples[k].t_end, 150);
    for (double error = 1e-3; error >= samples[k].tightest; error *= 1e-3) {
      const fly_dae_options o = with_error(radau(), error);
      motion m = motion_run(&p, &o, samples[k].t_end);
      const errors e = motion_errors(&m, reference_at, truth);
      say("%s %g: %g in %ld steps, %ld rejected, %ld iterations\n", samples[k].name, error, e.q, m.stats.steps,
          m.stats.rejected_error, m.stats.newton_iterations);
      assert_between(fmax(e.q, e.x), 2e-4 * error, 5 * error);
      assert_at_most(m.certificate.estimate, error);
      // The heavy top at 1e-3 turns far in each of its 16 steps, and takes 161; the others take 2.6 to 7.2 a step.
      assert_at_most((double)m.stats.newton_iterations, 10.2 * (double)m.stats.steps);
      motion_free(&m);
    }
    reference_truth_free(truth);
    fly_problem_free(&p);
  }
}

// Per step, the estimates of all steps stay below the error.
static void test_error_per_step(void **state) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  fly_dae_options o = with_error(radau(), 1e-8);
  motion run = motion_run(&p, &o, 2);
  o.error_per = FLY_PER_STEP;
  motion step = motion_run(&p, &o, 2);
  assert_at_most((double)step.stats.steps, 0.7 * (double)run.stats.steps);
  assert_between(step.certificate.estimate, 1e-8, 1e-8 * (double)step.stats.steps);
  motion_free(&run);
  motion_free(&step);
  fly_problem_free(&p);
}

// A linear problem needs one correction a step, and another to see that.
static void test_linear_problem(void **state) {
  fly_problem p = problem_of("oscillator", "damped", 0);
  const fly_dae_options o = with_error(radau(), 1e-6);
  motion m = motion_run(&p, &o, 2);
  assert_at_most((double)m.stats.newton_iterations, 2.0 * (double)(m.stats.steps + m.stats.rejected_error));
  motion_free(&m);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- stiffness

// Eigenvalues -10 and -1e5 over half a second: an explicit method would need 2e4 steps.
static void test_stiff_oscillator(void **state) {
  fly_problem p = problem_of("oscillator", "stiff", 0);
  const fly_dae_options o = with_error(radau(), 1e-6);
  motion m = motion_run(&p, &o, 0.5);
  const fly_dae_state end = motion_end(&m);
  const double a = 5e4, w = 1000 * sqrt(2499.0), slow = -1e6 / (a + w);
  assert_close(end.q[0], (1 + a / w) / 2 * exp(slow * 0.5), 1e-6);
  // 173. Velocities count times a tenth of the time left (radau.md, 4), also those that die out in 1e-5 s and move
  // nothing: it was 67 when they counted times h, and a mass under a light cart was up to 90 times the error asked for
  // away.
  assert_at_most((double)m.stats.steps, 180);
  motion_free(&m);
  fly_problem_free(&p);
}

// NEWMARK's stiff double pendulum, reference of numerics.md.
static void test_stiff_double_pendulum(void **state) {
  fly_problem p = problem_of("stiff-double-pendulum", NULL, 0);
  const fly_dae_options o = with_error(radau(), 1e-7);
  motion m = motion_run(&p, &o, 2);
  const fly_dae_state end = motion_end(&m);
  assert_close(end.q[2], 4.64047818, 2e-8);
  assert_close(end.q[5], 4.6404967, 1e-7);
  assert_at_most((double)m.stats.steps, 720); // 699; 419 when velocities counted times h
  motion_free(&m);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- dense output

static errors dense_errors(const char *name, double h, double t_end, double *position) {
  fly_problem p = problem_of(name, NULL, 0);
  reference_truth *truth = reference_truth_of(&p, t_end, 20);
  const fly_dae_options o = with_step(radau(), h);
  fly_solver *s = solver_started(&p, &o, t_end);
  motion m = motion_begin(&p);
  fly_error error = {0};
  fly_dae_state in;
  *position = 0;
  while (!fly_solver_done(s)) {
    assert_ok(fly_solver_step(s, &error), &error);
    for (int k = 1; k < 6; k++) {
      double g[POINT];
      assert_ok(fly_solver_interpolate(s, fly_solver_state(s).t - fly_solver_last_step(s) * k / 6, &in, &error),
                &error);
      motion_add(&m, &in);
      assert_int_equal(p.dae.constraint(g, in.t, in.q, p.dae.user), 0);
      for (int i = 0; i < p.dae.ng; i++)
        *position = fmax(*position, fabs(g[i]));
    }
  }
  const errors e = motion_errors(&m, reference_at, truth);
  motion_free(&m);
  fly_solver_free(s);
  reference_truth_free(truth);
  fly_problem_free(&p);
  return e;
}

// Between steps errors fall with the fifth power too, in everything.
static void test_dense_order(void **state) {
  const struct {
    const char *name;
    double h, t_end;
  } list[] = {{"pendulum-family", 0.02, 1}, {"heavy-top", 1e-3, 0.05}};
  for (int k = 0; k < 2; k++) {
    double g[2];
    const errors coarse = dense_errors(list[k].name, list[k].h, list[k].t_end, &g[0]);
    const errors fine = dense_errors(list[k].name, list[k].h / 2, list[k].t_end, &g[1]);
    assert_at_least(order_of(coarse.q, fine.q, 2), 4.7);
    assert_at_least(order_of(coarse.v, fine.v, 2), 4.5);
    assert_at_least(order_of(coarse.vdot, fine.vdot, 2), 4.5);
    assert_at_least(order_of(coarse.lambda, fine.lambda, 2), 4.5);
    assert_at_least(order_of(g[0], g[1], 2), 5.5);
  }
}

// ---------------------------------------------------------------------------------------------- driven motion

static int unit_mass(double *M, double t, const double *q, void *user) {
  M[0] = 1;
  return 0;
}
static int no_force(double *f, const fly_dae_state *s, void *user) {
  f[0] = 0;
  return 0;
}
static int follow_sine(double *g, double t, const double *q, void *user) {
  g[0] = q[0] - sin(t);
  return 0;
}

// q = sin t is met exactly at the ends of steps of any size, and, because no direction is free, between them as well;
// the polynomial between them, which finds events, limits the steps.
static void test_driven(void **state) {
  static double zero[] = {0}, one[] = {1};
  fly_problem p = {.dae = {.nq = 1, .nv = 1, .ng = 1, .mass = unit_mass, .force = no_force, .constraint = follow_sine},
                   .q0 = zero,
                   .v0 = one};
  const fly_dae_options o = with_error(radau(), 1e-6);
  fly_solver *s = solver_started(&p, &o, 100);
  fly_error error = {0};
  fly_dae_state in;
  double worst = 0;
  while (!fly_solver_done(s)) {
    assert_ok(fly_solver_step(s, &error), &error);
    for (int k = 0; k < 8; k++) {
      assert_ok(fly_solver_interpolate(s, fly_solver_state(s).t - fly_solver_last_step(s) * k / 8, &in, &error),
                &error);
      worst = fmax(worst, fabs(in.q[0] - sin(in.t)));
      assert_close(in.lambda[0], sin(in.t), 1e-7); // gamma by differences
    }
  }
  assert_at_most(worst, 1e-14);
  assert_between((double)fly_solver_stats(s).steps, 100, 1000);
  fly_solver_free(s);
}

// y = sin t + |t - KNOT|^3 beside a mass that is free: then what is between the ends of steps is what a polynomial
// says.
static const double KNOT = 2.34;

static double bent(double t) { return sin(t) + pow(fabs(t - KNOT), 3); }

static int two_masses(double *M, double t, const double *q, void *user) {
  M[0] = M[3] = 1;
  return 0;
}
static int no_forces(double *f, const fly_dae_state *s, void *user) {
  f[0] = f[1] = 0;
  return 0;
}
static int follow_bent(double *g, double t, const double *q, void *user) {
  g[0] = q[1] - bent(t);
  return 0;
}

static double worst_of_bent(int stages, double asked) {
  const fly_problem p = {
      .dae = {.nq = 2, .nv = 2, .ng = 1, .mass = two_masses, .force = no_forces, .constraint = follow_bent},
      .q0 = (double[]){0, bent(0)},
      .v0 = (double[]){1, 1 - 3 * KNOT * KNOT}};
  fly_dae_options o = with_error(radau(), asked);
  o.stages = stages;
  fly_solver *s = solver_started(&p, &o, 5);
  fly_error error = {0};
  fly_dae_state in;
  double worst = 0;
  while (!fly_solver_done(s)) {
    assert_ok(fly_solver_step(s, &error), &error);
    for (int k = 0; k < 16; k++) {
      assert_ok(fly_solver_interpolate(s, fly_solver_state(s).t - fly_solver_last_step(s) * k / 16, &in, &error),
                &error);
      worst = fmax(worst, fabs(in.q[1] - bent(in.t)));
    }
  }
  say("bent, %d stages, %.0e: %.2g of it, %ld steps\n", stages, asked, worst / asked, fly_solver_stats(s).steps);
  fly_solver_free(s);
  return worst;
}

// No error of the ends limits steps, and the third derivative jumps inside one: without a look between the ends y is
// off by 30 times the error asked for, over five stages by 4000 times.
static void test_driven_in_part(void **state) {
  for (double asked = 1e-3; asked > 0.9e-9; asked *= 0.1)
    for (int stages = 3; stages <= 5; stages += 2)
      assert_at_most(worst_of_bent(stages, asked), 2 * asked);
}

// An arm that swings, phi = sin 4t, with its tip at (x, y), beside a free mass.
static int four_masses(double *M, double t, const double *q, void *user) {
  M[0] = M[5] = M[10] = M[15] = 1;
  return 0;
}
static int no_forces_of_four(double *f, const fly_dae_state *s, void *user) {
  f[0] = f[1] = f[2] = f[3] = 0;
  return 0;
}
static int swing(double *g, double t, const double *q, void *user) {
  g[0] = q[1] - cos(q[3]);
  g[1] = q[2] - sin(q[3]);
  g[2] = q[3] - sin(4 * t);
  return 0;
}

// What an iteration leaves at the ends of steps is a small part of the error. With matrices that are kept one
// correction may seem to be enough, if the last step had one that left nothing: the tip then was off by 0.7 of the
// error.
static void test_iteration_of_driven(void **state) {
  const fly_problem p = {
      .dae = {.nq = 4, .nv = 4, .ng = 3, .mass = four_masses, .force = no_forces_of_four, .constraint = swing},
      .q0 = (double[]){0, 1, 0, 0},
      .v0 = (double[]){1, 0, 4, 4}};
  for (double asked = 1e-2; asked > 0.9e-6; asked *= sqrt(0.1)) {
    const fly_dae_options o = with_error(radau(), asked);
    fly_solver *s = solver_started(&p, &o, 5);
    fly_error error = {0};
    double worst = 0;
    while (!fly_solver_done(s)) {
      assert_ok(fly_solver_step(s, &error), &error);
      const fly_dae_state at = fly_solver_state(s);
      worst = fmax(worst, hypot(at.q[1] - cos(sin(4 * at.t)), at.q[2] - sin(sin(4 * at.t))));
    }
    say("swinging arm, %.1e: %.2g of it, %ld steps\n", asked, worst / asked, fly_solver_stats(s).steps);
    assert_at_most(worst, 1e-3 * asked);
    fly_solver_free(s);
  }
}

// ---------------------------------------------------------------------------------------------- events

static int lowest(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->q[0];
  r[1] = s->lambda[0] - 10; // found on the dense output of the multipliers
  return 0;
}

typedef struct visits {
  int count;
  double t[64];
} visits;

static fly_event_action reverse(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  visits *seen = user;
  if (root == 1)
    return FLY_EVENT_CONTINUE;
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
  p.dae.nroot = 2;
  p.dae.roots = lowest;
  p.dae.event = reverse;
  p.dae.user = &seen;
  fly_problem turned = p;
  turned.q0 = q0;
  turned.v0 = v0;
  const fly_dae_options o = with_error(radau(), 1e-9);
  motion m = motion_run(&turned, &o, 4);
  const double quarter = 1.8540746773013719 / sqrt(9.81); // K(1/2) sqrt(l/g)
  assert_int_equal(seen.count, 3);
  for (int k = 0; k < seen.count; k++)
    assert_close(seen.t[k], (2 * k + 1) * quarter, 1e-8);
  motion_free(&m);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- failures

static void expect_failure(const char *name, const fly_dae_options *o, fly_status expected, const char *text) {
  fly_problem p = problem_of(name, NULL, 0);
  motion m = motion_try(&p, o, p.t_end);
  assert_int_equal(m.status, expected);
  assert_says(&m.error, text);
  motion_free(&m);
  fly_problem_free(&p);
}

static void test_failures(void **state) {
  fly_dae_options o = with_error(radau(), 1e-5);
  expect_failure("redundant", &o, FLY_REDUNDANT, "Remove");
  expect_failure("lock", &o, FLY_NO_CONVERGENCE, "singular position"); // driven past its reach at 0.8 s
  o.max_steps = 10;
  expect_failure("pendulum", &o, FLY_TOO_MANY_STEPS, "limit of 10");
  o = with_error(options_of("radau", NAN, FLY_INDEX3), 1e-5);
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_solver *s;
  fly_error error = {0};
  assert_int_equal(fly_solver_create(&s, &p.dae, &o, &error), FLY_BAD_INPUT);
  assert_says(&error, "ggl");
  fly_problem_free(&p);
}

static int refuse_after_half(double *f, const fly_dae_state *s, void *user) {
  f[0] = 1;
  return s->t > 0.5 ? *(const int *)user : 0;
}

static void test_callback_refuses(void **state) {
  static double zero[] = {0};
  int codes[] = {1, -1};
  for (int k = 0; k < 4; k++) {
    fly_problem p = {.dae = {.nq = 1, .nv = 1, .mass = unit_mass, .force = refuse_after_half, .user = &codes[k / 2]},
                     .q0 = zero,
                     .v0 = zero};
    const fly_dae_options o = k % 2 ? with_step(radau(), 0.04) : with_error(radau(), 1e-5);
    motion m = motion_try(&p, &o, 1);
    assert_int_equal(m.status, FLY_CALLBACK);
    assert_says(&m.error, "force");
    assert_between(motion_end(&m).t, codes[k / 2] > 0 ? 0.49 : 0.3, 0.5);
    motion_free(&m);
  }
}

// ---------------------------------------------------------------------------------------------- memory, repetition

static void test_no_allocation_in_a_step(void **state) {
  const sample samples[] = {{"pendulum-family", 2, 0},
                            {"seven-body", 0.01, 0},
                            {"heavy-top", 0.05, 0},
                            {"spring-mass", 5, 0},
                            {"chain", 1, 0}};
  for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
    fly_problem p = problem_of(samples[k].name, NULL, 0);
    const fly_dae_options o = with_error(radau(), 1e-5);
    fly_solver *s = solver_started(&p, &o, samples[k].t_end);
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
}

static bool survives(const fly_problem *p, long n) {
  fly_solver *s = NULL;
  fly_error error = {0};
  const fly_dae_options o = with_error(radau(), 1e-3);
  allocations_reset(n);
  fly_status status = fly_solver_create(&s, &p->dae, &o, &error);
  if (status == FLY_OK)
    status = fly_solver_start(s, p->t0, 0.05, p->q0, p->v0, p->x0, &error);
  if (status == FLY_OK)
    status = fly_solver_advance(s, 0.05, &error);
  const long used = the_allocations.count;
  fly_solver_free(s);
  allocations_reset(0);
  if (status != FLY_OK) {
    assert_int_equal(status, FLY_NO_MEMORY);
    assert_true(error.message[0] != 0);
  }
  return used >= n;
}

static void test_every_allocation_may_fail(void **state) {
  const char *const names[] = {"pendulum", "rolling-coin", "spring-mass"};
  for (int k = 0; k < 3; k++) {
    fly_problem p = problem_of(names[k], NULL, 0);
    long n = 1;
    while (survives(&p, n))
      n++;
    assert_true(n > 20);
    fly_problem_free(&p);
  }
}

// The same solver, started again, takes the same bits.
static void test_started_again(void **state) {
  fly_problem p = problem_of("seven-body", NULL, 0);
  const fly_dae_options o = with_error(radau(), 1e-5);
  fly_solver *s = solver_started(&p, &o, 0.01);
  fly_error error = {0};
  double first[POINT];
  assert_ok(fly_solver_advance(s, 0.01, &error), &error);
  memcpy(first, fly_solver_state(s).q, 7 * sizeof(double));
  assert_ok(fly_solver_start(s, p.t0, 0.01, p.q0, p.v0, p.x0, &error), &error);
  assert_ok(fly_solver_advance(s, 0.01, &error), &error);
  assert_memory_equal(first, fly_solver_state(s).q, 7 * sizeof(double));
  fly_solver_free(s);
  fly_problem_free(&p);
}

// Looking between steps changes no bit of the run.
static void test_looking_changes_nothing(void **state) {
  const char *const list[] = {"heavy-top", "spring-mass", "seven-body"};
  const double ends[] = {0.05, 5, 0.01};
  for (int k = 0; k < 3; k++) {
    fly_problem p = problem_of(list[k], NULL, 0);
    const fly_dae_options o = with_error(radau(), 1e-6);
    motion blind = motion_run(&p, &o, ends[k]), seeing = motion_begin(&p);
    fly_solver *s = solver_started(&p, &o, ends[k]);
    fly_error error = {0};
    fly_dae_state at = fly_solver_state(s);
    motion_add(&seeing, &at);
    while (!fly_solver_done(s)) {
      assert_ok(fly_solver_step(s, &error), &error);
      at = fly_solver_state(s);
      motion_add(&seeing, &at);
      assert_ok(fly_solver_interpolate(s, at.t - 0.3 * fly_solver_last_step(s), &at, &error), &error);
    }
    assert_int_equal(seeing.count, blind.count);
    assert_true(motion_hash(&seeing) == motion_hash(&blind));
    motion_free(&blind);
    motion_free(&seeing);
    fly_solver_free(s);
    fly_problem_free(&p);
  }
}

// Through positions where all bars lie in a line, down to errors that round-off hides there: what was not kept is said.
static void test_singular_positions(void **state) {
  fly_problem p = problem_of("four-bar", NULL, 0);
  for (double error = 1e-6; error > 1e-11; error *= 1e-1) {
    const fly_dae_options o = with_error(radau(), error);
    motion m = motion_try(&p, &o, p.t_end);
    const fly_dae_state end = motion_end(&m);
    double off = 0;
    for (int i = 0; i < p.dae.nq; i++)
      off = fmax(off, fabs(end.q[i] - p.reference_q[i]));
    say("%g: %g, %s, %ld steps, %ld singular, %ld + %ld rejected\n", error, off, fly_status_name(m.status),
        m.stats.steps, m.stats.singular_steps, m.stats.rejected_error, m.stats.rejected_newton);
    if (error > 5e-9)
      assert_ok(m.status, &m.error);
    if (error < 5e-8)
      assert_at_least((double)m.stats.singular_steps, 1);
    if (m.status == FLY_OK)
      assert_at_most(off, 40 * error); // it scatters: 2.9 to 35 times in 9 of 60 runs from 1e-10 on that say so
    else if (m.status != FLY_NOT_KEPT)
      assert_says(&m.error, "singular position");
    motion_free(&m);
  }
  fly_problem_free(&p);
}

static long factored(const fly_solver *s) {
  const fly_stats stats = fly_solver_stats(s);
  return stats.factorizations + stats.refactorizations;
}

// Matrices that have come nearer to where all bars lie in a line by a third of the way contract badly in one direction,
// which no correction shows (RI-kept): within three steps of it each has its own, a real and a complex one, beside that
// of the accelerations. Elsewhere they serve for several.
static void test_matrices_beside_singular_positions(void **state) {
  fly_problem p = problem_of("four-bar", NULL, 0);
  const double h = 0.0025;
  const fly_dae_options o = with_step(radau(), h);
  fly_solver *s = solver_started(&p, &o, 3);
  fly_error error = {0};
  int beside = 0, kept = 0;
  while (!fly_solver_done(s)) {
    const fly_dae_state at = fly_solver_state(s);
    const double away = fabs(sin(at.q[2]) / (h * at.v[2])); // the crank, in steps
    const long before = factored(s);
    assert_ok(fly_solver_step(s, &error), &error);
    const long own = factored(s) - before;
    if (away < 2.5)
      assert_at_least((double)own, 3);
    beside += away < 2.5;
    kept += own == 1;
  }
  assert_at_least(beside, 10);
  assert_at_least(kept, 0.3 * (double)fly_solver_stats(s).steps);
  fly_solver_free(s);
  fly_problem_free(&p);
}

// An error that is lost in the roundings of so many steps is not said to be kept.
static void test_rounding(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  for (double error = 1e-10; error > 5e-15; error *= 0.1) {
    const fly_dae_options o = with_error(radau(), error);
    motion m = motion_try(&p, &o, p.t_end);
    const fly_dae_state end = motion_end(&m);
    const double off = fmax(fabs(end.q[0] - p.reference_q[0]), fabs(end.q[1] - p.reference_q[1]));
    say("%g: %g, %s\n", error, off, fly_status_name(m.status));
    if (error > 5e-11)
      assert_ok(m.status, &m.error);
    if (m.status == FLY_OK)
      assert_at_most(off, 10 * error);
    else
      assert_int_equal(m.status, FLY_NOT_KEPT);
    motion_free(&m);
  }
  fly_problem_free(&p);
}

// From rest, with velocities that grow a thousandfold in the first step: one stage system, no cut.
static void test_stiff_start(void **state) {
  fly_problem p = problem_of("oscillator", "stiff", 0);
  const fly_dae_options o = with_step(radau(), 0.1);
  motion m = motion_run(&p, &o, 0.5);
  assert_int_equal(m.stats.steps, 5);
  assert_int_equal(m.stats.rejected_newton, 0);
  const double a = 5e4, w = 1000 * sqrt(2499.0), slow = -1e6 / (a + w);
  assert_close(motion_end(&m).q[0], (1 + a / w) / 2 * exp(slow * 0.5), 1e-3);
  motion_free(&m);
  fly_problem_free(&p);
}

static int hook(void **state) {
  assert_true(allocations_hook_klu());
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_eigenvectors),
      cmocka_unit_test(test_order_pendulum),
      cmocka_unit_test(test_order_seven_body),
      cmocka_unit_test(test_order_heavy_top),
      cmocka_unit_test(test_order_coin),
      cmocka_unit_test(test_order_states),
      cmocka_unit_test(test_order_sequence),
      cmocka_unit_test(test_seven_body_digits),
      cmocka_unit_test(test_tolerance_is_kept),
      cmocka_unit_test(test_error_per_step),
      cmocka_unit_test(test_linear_problem),
      cmocka_unit_test(test_turning),
      cmocka_unit_test(test_stiff_oscillator),
      cmocka_unit_test(test_stiff_double_pendulum),
      cmocka_unit_test(test_dense_order),
      cmocka_unit_test(test_driven),
      cmocka_unit_test(test_driven_in_part),
      cmocka_unit_test(test_iteration_of_driven),
      cmocka_unit_test(test_events),
      cmocka_unit_test(test_failures),
      cmocka_unit_test(test_callback_refuses),
      cmocka_unit_test(test_no_allocation_in_a_step),
      cmocka_unit_test(test_every_allocation_may_fail),
      cmocka_unit_test(test_started_again),
      cmocka_unit_test(test_looking_changes_nothing),
      cmocka_unit_test(test_singular_positions),
      cmocka_unit_test(test_matrices_beside_singular_positions),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_stiff_start),
  };
  return cmocka_run_group_tests(tests, hook, NULL);
}
