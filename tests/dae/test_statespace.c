// The state-space methods: errors against references and against each other, constraints, choices of coordinates,
// dense output, events, fixed steps, what they cannot do.
//
// timeout: 60
#include <stdlib.h>
#include <string.h>

#include "math/so3.h"
#include "support/truths.h"

static const char *const METHODS[] = {"direct", "baumgarte", "partition", "hybrid"};
enum { DIRECT, BAUMGARTE, PARTITION, HYBRID, NMETHOD };

static fly_dae_options method(int k, double error) { return with_error(options_of(METHODS[k], NAN, FLY_GGL), error); }

// Largest error of the end against the problem's reference, in units of its scales; of a rotation its angle.
static double reference_error(const fly_problem *p, const motion *m) {
  point reference = {0};
  memcpy(reference.q, p->reference_q, (size_t)m->nq * sizeof(double));
  const fly_dae_state truth = {.t = p->reference_t,
                               .q = reference.q,
                               .v = reference.v,
                               .vdot = reference.vdot,
                               .lambda = reference.lambda,
                               .x = reference.x,
                               .xdot = reference.xdot,
                               .y = reference.y};
  const fly_dae_state end = motion_end(m);
  double smallest = 1;
  for (int i = 0; p->dae.scale_v && i < m->nv; i++)
    smallest = fmin(smallest, p->dae.scale_v[i]);
  return errors_between(m, &end, &truth).q / smallest;
}

// ---------------------------------------------------------------------------------------------- errors

typedef struct sample {
  const char *name, *variant;
  double error;
} sample;

static const sample samples[] = {
    {"pendulum", NULL, 1e-8},      {"seven-body", NULL, 1e-8},   {"heavy-top", NULL, 1e-7},
    {"spring-mass", NULL, 1e-8},   {"rolling-coin", NULL, 1e-8}, {"knife-edge", NULL, 1e-8},
    {"four-bar", "grashof", 1e-8}, {"four-bar", "large", 1e-7},  {"slider-crank-ida", NULL, 1e-8}};
enum { SAMPLES = sizeof samples / sizeof *samples };

// What was asked for is kept, on constraints of every kind, rotations and states included; and the constraints hold as
// each method promises: direct lets them drift, partition leaves rounding errors, hybrid its tolerance.
static void test_errors(void **state) {
  for (int k = 0; k < SAMPLES; k++)
    for (int i = 0; i < NMETHOD; i++) {
      fly_problem p = problem_of(samples[k].name, samples[k].variant, 0);
      const fly_dae_options o = method(i, samples[k].error);
      motion m = motion_run(&p, &o, p.reference_t);
      const double error = reference_error(&p, &m);
      say("%s, %s: error %.2e of %.0e, %ld steps, %ld evaluations, |g| %.2e\n", samples[k].name, METHODS[i], error,
          samples[k].error, m.stats.steps, m.stats.residuals, m.certificate.position);
      assert_at_most(error, samples[k].error);
      if (m.nx == 0) // else they are solved for by iteration
        assert_at_most((double)m.stats.residuals, 3.6 * (double)(m.stats.steps + m.stats.rejected_error));
      if (p.dae.energy) // of all of them it is constant
        assert_at_most(m.certificate.energy_drift, 50 * samples[k].error * fmax(1, fabs(m.certificate.energy_start)));
      if (i == PARTITION)
        assert_at_most(m.certificate.position, 1e-13);
      if (i == PARTITION)
        assert_at_most(m.certificate.velocity, 1e-11);
      if (i == HYBRID && !p.dae.scale_v)
        assert_at_most(m.certificate.position, samples[k].error);
      motion_free(&m);
      fly_problem_free(&p);
    }
}

// A thousandth of the error for less than twice the steps.
static void test_high_order(void **state) {
  for (int i = 0; i < NMETHOD; i++) {
    fly_problem p = problem_of("seven-body", NULL, 0);
    const fly_dae_options coarse = method(i, 1e-6), fine = method(i, 1e-9);
    motion a = motion_run(&p, &coarse, p.reference_t), b = motion_run(&p, &fine, p.reference_t);
    assert_at_most(reference_error(&p, &b), 1e-3 * 1e-6);
    assert_at_most((double)b.stats.steps, 2.2 * (double)a.stats.steps);
    assert_at_least(b.stats.order_highest, 8);
    motion_free(&a);
    motion_free(&b);
    fly_problem_free(&p);
  }
}

// Accelerations and multipliers at every accepted point.
static void test_multipliers(void **state) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  pendulum_truth *truth = pendulum_truth_of(&p, 2, 1);
  for (int i = 0; i < NMETHOD; i++) {
    const fly_dae_options o = method(i, 1e-8);
    motion m = motion_run(&p, &o, 2);
    const errors e = motion_errors(&m, pendulum_at, truth);
    say_errors(METHODS[i], 0, e);
    assert_at_most(e.q, 1e-7);
    assert_at_most(e.v, 1e-6);
    assert_at_most(e.vdot, 1e-5);
    assert_at_most(e.lambda, 1e-5);
    motion_free(&m);
  }
  free(truth);
  fly_problem_free(&p);
}

// The independent judge of the default method, on all that is reported.
static void test_agrees_with_ggl(void **state) {
  fly_problem p = problem_of("seven-body-cartesian", NULL, 0);
  const fly_dae_options other = with_error(options_of("ch", NAN, FLY_GGL), 1e-7), o = method(PARTITION, 1e-8);
  motion a = motion_run(&p, &other, 0.01), b = motion_run(&p, &o, 0.01);
  const fly_dae_state x = motion_end(&a), y = motion_end(&b);
  const errors e = errors_between(&a, &x, &y);
  say_errors("ch, GGL and partition", 0, e);
  assert_at_most(e.q, 1e-5);
  assert_at_most(e.v, 2e-3);        // of 1e3
  assert_at_most(e.vdot, 20);       // of 1e6
  assert_at_most(e.lambda, 0.02);   // of 1e2
  assert_at_least(fabs(y.v[2]), 1); // something moves
  motion_free(&a);
  motion_free(&b);
  fly_problem_free(&p);
}

// Per step the same error costs less.
static void test_error_per_step(void **state) {
  fly_problem p = problem_of("seven-body", NULL, 0);
  fly_dae_options run = method(PARTITION, 1e-7), step = run;
  step.error_per = FLY_PER_STEP;
  motion a = motion_run(&p, &run, p.reference_t), b = motion_run(&p, &step, p.reference_t);
  assert_at_most((double)b.stats.steps, 0.8 * (double)a.stats.steps);
  assert_at_least(reference_error(&p, &b), 10 * reference_error(&p, &a));
  motion_free(&a);
  motion_free(&b);
  fly_problem_free(&p);
}

static const double INERTIA[] = {1, 2, 3};
static int inertia(double *M, double t, const double *q, void *user) {
  for (int i = 0; i < 3; i++)
    M[4 * i] = INERTIA[i];
  return 0;
}
static int gyroscopic(double *f, const fly_dae_state *s, void *user) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    f[i] = -(INERTIA[k] - INERTIA[j]) * s->v[j] * s->v[k];
  }
  return 0;
}

// R(q) J omega, in space.
static void angular_momentum(double out[3], const fly_dae_state *s) {
  const double local[] = {INERTIA[0] * s->v[0], INERTIA[1] * s->v[1], INERTIA[2] * s->v[2]};
  fly_quat_rotate(out, s->q, local);
}

// A free body that turns over and over about its middle axis keeps its angular momentum in space, and its quaternion
// its length.
static void test_free_body(void **state) {
  static const int first[] = {0};
  double q0[] = {1, 0, 0, 0}, v0[] = {1e-3, 3, 0}, before[3], after[3];
  const fly_problem p = {.dae = {.nq = 4,
                                 .nv = 3,
                                 .nrotation = 1,
                                 .rotation_q = first,
                                 .rotation_v = first,
                                 .mass = inertia,
                                 .mass_constant = true,
                                 .force = gyroscopic},
                         .q0 = q0,
                         .v0 = v0};
  const fly_dae_options o = method(DIRECT, 1e-9);
  motion m = motion_run(&p, &o, 20);
  const fly_dae_state start = motion_at(&m, 0);
  angular_momentum(before, &start);
  double turned = 0;
  for (int i = 1; i < m.count; i++) {
    const fly_dae_state s = motion_at(&m, i);
    angular_momentum(after, &s);
    for (int k = 0; k < 3; k++)
      assert_true(fabs(after[k] - before[k]) <= 1e-8);
    assert_true(fabs(hypot(hypot(s.q[0], s.q[1]), hypot(s.q[2], s.q[3])) - 1) <= 4e-16);
    turned = fmax(turned, fabs(s.v[0]));
  }
  assert_at_least(turned, 1); // it has left the middle axis
  motion_free(&m);
}

// ---------------------------------------------------------------------------------------------- drift

static double drift(const fly_problem *p, const fly_dae_options *o, double t) {
  motion m = motion_run(p, o, t);
  const double g = m.certificate.position;
  say("%ld steps, %ld rejected\n", m.stats.steps, m.stats.rejected_error);
  assert_at_most((double)m.stats.steps, 200 * t); // however often it is corrected
  motion_free(&m);
  return g;
}

// A free mass on a circle of radius 1 + offset.
static int circle_constraint(double *g, double t, const double *q, void *user) {
  const double *offset = user;
  g[0] = hypot(q[0], q[1]) - 1 - *offset;
  return 0;
}
static int circle_jacobian(double *G, double t, const double *q, void *user) {
  G[0] = q[0] / hypot(q[0], q[1]);
  G[1] = q[1] / hypot(q[0], q[1]);
  return 0;
}
// Too small by BIAS.
static const double BIAS = 1e-6;
static int circle_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  const double r = hypot(q[0], q[1]), radial = (q[0] * v[0] + q[1] * v[1]) / r;
  gamma[0] = (v[0] * v[0] + v[1] * v[1] - radial * radial) / r - BIAS;
  return 0;
}
static int masses(double *M, double t, const double *q, void *user) {
  M[0] = M[3] = 1;
  return 0;
}
static int no_force(double *f, const fly_dae_state *s, void *user) { return 0; }

static fly_problem circle(double *offset) {
  static double q0[] = {1, 0}, v0[] = {0, 1};
  return (fly_problem){.dae = {.nq = 2,
                               .nv = 2,
                               .ng = 1,
                               .mass = masses,
                               .mass_constant = true,
                               .force = no_force,
                               .constraint = circle_constraint,
                               .constraint_jacobian = circle_jacobian,
                               .user = offset},
                       .q0 = q0,
                       .v0 = v0};
}

// g'' = BIAS: direct integration drifts with the square of time; fed back, g stays at BIAS/beta^2; put back beyond a
// tolerance, it is below that; put back always, it is nothing.
static void test_drift(void **state) {
  double offset = 0;
  fly_problem p = circle(&offset);
  p.dae.constraint_gamma = circle_gamma;
  const fly_dae_options direct = method(DIRECT, 1e-9), partition = method(PARTITION, 1e-9);
  const fly_dae_options hybrid = method(HYBRID, 1e-9);
  fly_dae_options baumgarte = method(BAUMGARTE, 1e-9);
  baumgarte.baumgarte_beta = 3; // alpha the same
  for (double t = 5; t < 30; t *= 2) {
    say("t = %g:", t);
    assert_close(drift(&p, &direct, t), BIAS * t * t / 2, 1e-3 * BIAS * t * t);
    assert_close(drift(&p, &baumgarte, t), BIAS / 9, 1e-2 * BIAS);
    assert_at_most(drift(&p, &partition, t), 1e-15);
    assert_at_most(drift(&p, &hybrid, t), 1e-9);
  }
}

// With a weak feedback the tolerance of the constraints is what holds: it is reached, and not passed.
static void test_constraint_error(void **state) {
  fly_problem p = problem_of("four-bar", "large", 0);
  fly_dae_options o = method(HYBRID, 1e-6);
  o.baumgarte_alpha = 0.01;
  o.constraint_error = 1e-9;
  motion m = motion_run(&p, &o, 25);
  assert_between(m.certificate.position, 5e-10, 1e-9);
  assert_between((double)m.stats.corrections, 2, 50);
  motion_free(&m);
  o.constraint_error = -1;
  fly_solver *s = NULL;
  fly_error error = {0};
  assert_int_equal(fly_solver_create(&s, &p.dae, &o, &error), FLY_BAD_INPUT);
  assert_says(&error, "constraint_error");
  fly_problem_free(&p);
}

// Both gains do what Baumgarte's equation says: a constraint that starts off by g0 comes back as g0 (1 + a t) exp(-a
// t), or oscillates if b > a.
static void test_gains(void **state) {
  double offset = 0;
  const fly_problem p = circle(&offset);
  const double gains[][2] = {{4, 4}, {1, 3}};
  for (int k = 0; k < 2; k++) {
    fly_dae_options o = method(BAUMGARTE, 1e-9);
    o.baumgarte_alpha = gains[k][0];
    o.baumgarte_beta = gains[k][1];
    offset = 0;
    fly_solver *s = solver_started(&p, &o, 1);
    offset = 1e-3; // behind its back
    fly_error error = {0};
    assert_ok(fly_solver_advance(s, 1, &error), &error);
    double g;
    circle_constraint(&g, 1, fly_solver_state(s).q, &offset);
    const double a = gains[k][0], b = gains[k][1], w = sqrt(fmax(b * b - a * a, 0));
    const double decay = exp(-a) * (w > 0 ? cos(w) + a / w * sin(w) : 1 + a);
    assert_close(g / -offset, decay, 1e-3);
    fly_solver_free(s);
  }
}

static fly_velocity_fn *true_gamma;
static int biased_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  const int code = true_gamma(gamma, t, q, v, user);
  gamma[0] -= BIAS;
  return code;
}

// Of nonholonomic rows the velocity is fed back: (B v + b)' = BIAS grows with time, or stays at BIAS/(2 alpha).
static void test_nonholonomic_drift(void **state) {
  fly_problem p = problem_of("knife-edge", NULL, 0);
  true_gamma = p.dae.nonholonomic_gamma;
  p.dae.nonholonomic_gamma = biased_gamma;
  double velocity[NMETHOD];
  for (int i = 0; i < NMETHOD; i++) {
    fly_dae_options o = method(i, 1e-9);
    o.baumgarte_alpha = i == BAUMGARTE ? 2 : 0;
    motion m = motion_run(&p, &o, 4);
    velocity[i] = m.certificate.velocity;
    motion_free(&m);
  }
  assert_close(velocity[DIRECT], 4 * BIAS, 0.01 * BIAS);
  assert_close(velocity[BAUMGARTE], BIAS / 4, 0.01 * BIAS);
  assert_at_most(velocity[PARTITION], 1e-14);
  assert_at_most(velocity[HYBRID], 1e-9 * 0.6 / 0.4); // the error over a tenth of the interval, by the smallest scale
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- coordinates

// Several revolutions of a linkage whose hinges move most, and turn back: coordinates are chosen anew four times in
// each, and nobody notices.
static void test_repartition(void **state) {
  fly_problem p = problem_of("four-bar", "large", 0);
  const fly_dae_options plain = method(DIRECT, 1e-7);
  motion direct = motion_run(&p, &plain, p.t_end);
  for (int i = PARTITION; i <= HYBRID; i++) {
    const fly_dae_options o = method(i, 1e-7);
    motion m = motion_run(&p, &o, p.t_end);
    say("%s: %ld choices, %ld steps (direct: %ld)\n", METHODS[i], m.stats.repartitions, m.stats.steps,
        direct.stats.steps);
    assert_between((double)m.stats.repartitions, 20, 40); // 8.1 revolutions
    assert_at_most((double)m.stats.steps, 1.1 * (double)direct.stats.steps);
    assert_at_most((double)m.stats.rejected_error, 2.0 * (double)direct.stats.rejected_error);
    motion_free(&m);
  }
  motion_free(&direct);
  fly_problem_free(&p);
}

// As many as there are degrees of freedom; those of a crank-rocker in metres below one: the angle of the crank.
static void test_independent(void **state) {
  fly_problem p = problem_of("four-bar", "grashof", 0);
  const fly_dae_options o = method(PARTITION, 1e-6), newmark = fly_dae_options_default();
  fly_solver *s = solver_started(&p, &o, 1);
  int velocity[9];
  assert_int_equal(fly_solver_independent(s, velocity), 1);
  assert_int_equal(velocity[0], 2);
  fly_solver_free(s);
  s = solver_started(&p, &newmark, 1);
  assert_int_equal(fly_solver_independent(s, NULL), 9);
  fly_solver_free(s);
  fly_problem_free(&p);
}

// Bars that all come to lie on one line: partition is on the constraints there, hybrid becomes partition in time; they
// stay on the branch, direct integration does not.
static void test_singular_positions(void **state) {
  fly_problem p = problem_of("four-bar", "parallelogram", 0);
  for (int i = PARTITION; i <= HYBRID; i++) {
    const fly_dae_options o = method(i, 1e-5);
    motion m = motion_run(&p, &o, p.t_end);
    assert_at_most(reference_error(&p, &m), 1e-4);
    motion_free(&m);
  }
  fly_dae_options o = method(BAUMGARTE, 1e-5);
  o.max_steps = 3000;
  motion m = motion_try(&p, &o, p.t_end);
  assert_true(m.status != FLY_OK || reference_error(&p, &m) > 1e-2);
  motion_free(&m);
  fly_problem_free(&p);
}

// A long chain: sparse throughout.
static void test_long_chain(void **state) {
  fly_problem p = problem_of("chain", NULL, 200);
  const fly_dae_options o = method(PARTITION, 1e-4);
  fly_solver *s = solver_started(&p, &o, 0.05);
  fly_error error = {0};
  assert_ok(fly_solver_advance(s, 0.05, &error), &error);
  assert_int_equal(fly_solver_independent(s, NULL), 200);
  assert_at_most(fly_solver_certificate(s).position, 1e-12);
  assert_at_most(fly_solver_certificate(s).energy_drift, 1e-4);
  fly_solver_free(s);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- between the points

// Dense output is as good as the points, in all that is reported.
static void test_dense(void **state) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  pendulum_truth *truth = pendulum_truth_of(&p, 2, 1);
  for (int i = 0; i < NMETHOD; i++) {
    const fly_dae_options o = method(i, 1e-8);
    fly_solver *s = solver_started(&p, &o, 2);
    motion m = motion_begin(&p);
    fly_error error = {0};
    for (int k = 0; k <= 200; k++) {
      fly_dae_state in;
      assert_ok(fly_solver_advance(s, 0.01 * k, &error), &error);
      assert_ok(fly_solver_interpolate(s, fmin(0.01 * k, 2), &in, &error), &error);
      motion_add(&m, &in);
    }
    const errors e = motion_errors(&m, pendulum_at, truth);
    say_errors(METHODS[i], 0, e);
    assert_at_most(e.q, 1e-7);
    assert_at_most(e.v, 1e-6);
    assert_at_most(e.vdot, 2e-5);
    assert_at_most(e.lambda, 2e-5);
    motion_free(&m);
    fly_solver_free(s);
  }
  free(truth);
  fly_problem_free(&p);
}

static int wall(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->q[0] - 0.2;
  return 0;
}
static fly_event_action reflect(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  if (rising > 0)
    return FLY_EVENT_CONTINUE;
  v[0] = -v[0];
  v[1] = -v[1];
  return FLY_EVENT_RESTART;
}

// A pendulum thrown back by a wall goes the same way back: at twice the time of the blow it is where it began. Output
// before the blow comes from the step that was cut, also when the blow has taken place.
static void test_event(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  for (int i = 0; i < NMETHOD; i++) {
    p.dae.nroot = 1;
    p.dae.roots = wall;
    p.dae.event = reflect;
    const fly_dae_options o = method(i, 1e-9);
    fly_solver *s = solver_started(&p, &o, 2);
    fly_error error = {0};
    while (fly_solver_stats(s).events == 0)
      assert_ok(fly_solver_step(s, &error), &error);
    const double blow = fly_solver_state(s).t;
    assert_close(fly_solver_state(s).q[0], 0.2, 1e-9);
    fly_dae_state in;
    const double before = blow - 0.9 * fly_solver_last_step(s), there = 2 * blow - before;
    assert_ok(fly_solver_interpolate(s, before, &in, &error), &error);
    const double q[] = {in.q[0], in.q[1]}, lambda = in.lambda[0];
    assert_ok(fly_solver_cross(s, &error), &error);
    assert_ok(fly_solver_interpolate(s, before, &in, &error), &error);
    assert_true(in.q[0] == q[0] && in.q[1] == q[1] && in.lambda[0] == lambda);
    assert_ok(fly_solver_advance(s, there, &error), &error);
    assert_ok(fly_solver_interpolate(s, there, &in, &error), &error);
    assert_close(in.q[0], q[0], 1e-8);
    assert_close(in.q[1], q[1], 1e-8);
    assert_close(in.lambda[0], lambda, 1e-6);
    assert_ok(fly_solver_advance(s, 2 * blow, &error), &error);
    assert_ok(fly_solver_interpolate(s, 2 * blow, &in, &error), &error);
    assert_close(in.q[0], p.q0[0], 1e-7);
    assert_close(in.q[1], p.q0[1], 1e-7);
    fly_solver_free(s);
  }
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- fixed steps

// Order 6, that of the corrector, on the grid asked for: the start is not what is seen.
static void test_fixed_steps(void **state) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  pendulum_truth *truth = pendulum_truth_of(&p, 2, 1);
  for (int i = 0; i < NMETHOD; i++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      const fly_dae_options o = with_step(options_of(METHODS[i], NAN, FLY_GGL), ldexp(0.01, -k));
      motion m = motion_run(&p, &o, 2);
      error[k] = motion_end_errors(&m, pendulum_at, truth).q;
      assert_close(motion_at(&m, m.count - 2).t, 2 - o.step, 1e-12);
      assert_int_equal(m.stats.order_highest, 5);
      motion_free(&m);
    }
    say("%s, fixed steps: %.2e %.2e\n", METHODS[i], error[0], error[1]);
    assert_at_least(order_of(error[0], error[1], 2), 5.5);
  }
  free(truth);
  fly_problem_free(&p);
}

// Steps of a sequence, and the same bits from the same start.
static void test_sequence_and_repeat(void **state) {
  const double fraction[] = {0.3, 0.7};
  fly_problem p = problem_of("four-bar", "large", 0);
  for (int i = 0; i < NMETHOD; i++) {
    const fly_dae_options o = with_sequence(options_of(METHODS[i], NAN, FLY_GGL), 0.02, fraction, 2);
    motion a = motion_run(&p, &o, 1);
    assert_close(motion_at(&a, a.count - 1).t - motion_at(&a, a.count - 2).t, 0.014, 1e-12);
    motion_free(&a);
    const fly_dae_options e = method(i, 1e-6);
    fly_solver *s = solver_started(&p, &e, 2);
    double end[2];
    for (int k = 0; k < 2; k++) {
      fly_error error = {0};
      assert_ok(fly_solver_start(s, 0, 2, p.q0, p.v0, NULL, &error), &error);
      assert_ok(fly_solver_advance(s, 2, &error), &error);
      end[k] = fly_solver_state(s).q[2];
    }
    assert_true(end[0] == end[1]);
    fly_solver_free(s);
  }
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- what they cannot do

static void test_stiff(void **state) {
  fly_problem p = problem_of("stiff-double-pendulum", NULL, 0);
  const fly_dae_options o = method(PARTITION, 1e-4);
  motion m = motion_run(&p, &o, 0.5);
  assert_at_least((double)m.stats.stiff_steps, 0.5 * (double)m.stats.steps);
  motion_free(&m);
  fly_problem smooth = problem_of("heavy-top", NULL, 0);
  motion n = motion_run(&smooth, &o, 0.2);
  assert_at_most((double)n.stats.stiff_steps, 0.01 * (double)n.stats.steps);
  motion_free(&n);
  fly_dae_options few = o;
  few.max_steps = 50000; // of the first 20000 what part is limited by stability is chance
  motion stopped = motion_try(&p, &few, 2);
  assert_int_equal(stopped.status, FLY_TOO_MANY_STEPS);
  assert_says(&stopped.error, "stiff to an explicit method");
  motion_free(&stopped);
  motion hopeless = motion_try(&p, &o, 300);
  assert_int_equal(hopeless.status, FLY_STEP_TOO_SMALL);
  assert_says(&hopeless.error, "stiff to an explicit method: use ch or radau");
  motion_free(&hopeless);
  const fly_dae_options fixed = with_step(options_of("direct", NAN, FLY_GGL), 0.01);
  motion lost = motion_try(&p, &fixed, 2);
  assert_int_equal(lost.status, FLY_NO_CONVERGENCE);
  assert_says(&lost.error, "the motion is lost");
  motion_free(&lost);
  fly_problem_free(&p);
  fly_problem_free(&smooth);
}

static void test_failures(void **state) {
  fly_problem lock = problem_of("lock", NULL, 0), redundant = problem_of("redundant", NULL, 0);
  for (int i = 0; i < NMETHOD; i++) {
    const fly_dae_options o = method(i, 1e-6);
    motion m = motion_try(&lock, &o, lock.t_end);
    say("lock, %s: %s\n", METHODS[i], m.error.message);
    assert_true(m.status == FLY_SINGULAR || m.status == FLY_NO_CONVERGENCE || m.status == FLY_STEP_TOO_SMALL);
    assert_between(motion_end(&m).t, 0.7, 0.81);
    assert_says(&m.error, "depend");
    motion_free(&m);
    fly_solver *s = NULL;
    fly_error error = {0};
    assert_ok(fly_solver_create(&s, &redundant.dae, &o, &error), &error);
    assert_int_equal(fly_solver_start(s, 0, 1, redundant.q0, redundant.v0, NULL, &error), FLY_REDUNDANT);
    fly_solver_free(s);
  }
  fly_problem_free(&lock);
  fly_problem_free(&redundant);
}

// More than double precision can hold is told.
static void test_not_kept(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const fly_dae_options o = method(PARTITION, 1e-15);
  fly_solver *s = solver_started(&p, &o, p.t_end);
  fly_error error = {0};
  assert_int_equal(fly_solver_advance(s, p.t_end, &error), FLY_NOT_KEPT);
  assert_true(fly_solver_done(s) && fly_solver_state(s).t == p.t_end);
  assert_says(&error, "rounding error");
  fly_solver_free(s);
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_high_order),
      cmocka_unit_test(test_multipliers),
      cmocka_unit_test(test_agrees_with_ggl),
      cmocka_unit_test(test_error_per_step),
      cmocka_unit_test(test_free_body),
      cmocka_unit_test(test_drift),
      cmocka_unit_test(test_constraint_error),
      cmocka_unit_test(test_gains),
      cmocka_unit_test(test_nonholonomic_drift),
      cmocka_unit_test(test_repartition),
      cmocka_unit_test(test_independent),
      cmocka_unit_test(test_singular_positions),
      cmocka_unit_test(test_long_chain),
      cmocka_unit_test(test_dense),
      cmocka_unit_test(test_event),
      cmocka_unit_test(test_fixed_steps),
      cmocka_unit_test(test_sequence_and_repeat),
      cmocka_unit_test(test_stiff),
      cmocka_unit_test(test_failures),
      cmocka_unit_test(test_not_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
