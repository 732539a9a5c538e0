// One test for every bug that was found: it failed before the bug was mended.
#include <stdlib.h>
#include <string.h>

#include "support/truths.h"

// ---------------------------------------------------------------------------------------------- events

typedef struct event_log {
  int count;
  double t[64];
  fly_event_action action;
} event_log;

static int one(double *M, double t, const double *q, void *user) {
  M[0] = 1;
  return 0;
}
static int weight(double *f, const fly_dae_state *s, void *user) {
  f[0] = -9.81;
  return 0;
}
static int gates(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->q[0] - 0.5;
  r[1] = s->q[0] - 0.9;
  return 0;
}
static fly_event_action note(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  event_log *log = user;
  if (log->count < 64)
    log->t[log->count++] = t;
  return log->action;
}

static fly_problem ball(event_log *log) {
  static double q0[] = {1}, v0[] = {0};
  return (fly_problem){.dae = {.nq = 1,
                               .nv = 1,
                               .nroot = 2,
                               .mass_constant = true,
                               .mass = one,
                               .force = weight,
                               .roots = gates,
                               .event = note,
                               .user = log},
                       .q0 = q0,
                       .v0 = v0};
}

// Two roots in one step, and the run goes on: the second was not reported.
static void test_second_root_of_a_step(void **state) {
  event_log log = {.action = FLY_EVENT_CONTINUE};
  const fly_problem p = ball(&log);
  const fly_dae_options o = with_step(fly_dae_options_default(), 1);
  motion m = motion_run(&p, &o, 1);
  motion_free(&m);
  assert_int_equal(log.count, 2);
  assert_close(log.t[0], sqrt(0.2 / 9.81), 1e-12);
  assert_close(log.t[1], sqrt(1 / 9.81), 1e-12);
}

static int wall(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->q[0];
  return 0;
}
static fly_event_action turn_back(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  event_log *log = user;
  if (log->count < 64)
    log->t[log->count++] = t;
  v[0] = -v[0];
  v[1] = -v[1];
  return FLY_EVENT_RESTART;
}

// A root lies a rounding error behind its zero, so leaving it was reported as a second crossing, for ever.
static void test_root_is_reported_once(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  event_log log = {0};
  p.dae.nroot = 1;
  p.dae.roots = wall;
  p.dae.event = turn_back;
  p.dae.user = &log;
  for (int fixed = 0; fixed < 2; fixed++) {
    log.count = 0;
    fly_dae_options o = with_step(fly_dae_options_default(), fixed ? 1e-3 : 0);
    o.max_steps = 20000;
    motion m = motion_try(&p, &o, 2.5);
    assert_ok(m.status, &m.error);
    assert_int_equal(m.stats.events, 2);
    assert_int_equal(log.count, 2);
    motion_free(&m);
  }
  fly_problem_free(&p);
}

// After an event inside a fixed step, the next step went to the grid point after the next: nearly two steps long.
static void test_step_after_an_event(void **state) {
  event_log log = {.action = FLY_EVENT_RESTART};
  const fly_problem p = ball(&log);
  const fly_dae_options o = with_step(fly_dae_options_default(), 0.01);
  motion m = motion_run(&p, &o, 1);
  assert_at_most(m.stats.h_max, 0.01 * (1 + 1e-9));
  motion_free(&m);
}

// Output times between the last step and the event that ended it could not be asked for any more.
static void test_output_before_an_event(void **state) {
  for (int stop = 0; stop < 2; stop++) {
    event_log log = {.action = stop ? FLY_EVENT_STOP : FLY_EVENT_RESTART};
    const fly_problem p = ball(&log);
    const fly_dae_options o = with_step(fly_dae_options_default(), 0.1);
    fly_solver *s = solver_started(&p, &o, 1);
    fly_error error = {0};
    fly_dae_state in;
    const fly_status status = fly_solver_advance(s, 0.12, &error); // the event is at 0.1428
    assert_true(status == FLY_OK || status == FLY_STOPPED);
    assert_ok(fly_solver_interpolate(s, 0.12, &in, &error), &error);
    assert_close(in.q[0], 1 - 9.81 / 2 * 0.12 * 0.12, 1e-9);
    fly_solver_free(s);
  }
}

static int end_root(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->t - 1;
  r[1] = 1;
  return 0;
}

// An event at the very end of the run: the run had no length left to restart in.
static void test_event_at_the_end(void **state) {
  for (int fixed = 0; fixed < 2; fixed++) {
    event_log log = {.action = FLY_EVENT_RESTART};
    fly_problem p = ball(&log);
    p.dae.roots = end_root;
    fly_dae_options o = fly_dae_options_default();
    o.step = fixed ? 0.125 : 0;
    o.max_steps = 10000;
    motion m = motion_try(&p, &o, 1);
    assert_ok(m.status, &m.error);
    assert_close(motion_end(&m).q[0], 1 - 9.81 / 2, 1e-9);
    motion_free(&m);
  }
}

// Two roots at the very same time, and the run starts again after the first: the second had already changed its sign.
static int two_masses(double *M, double t, const double *q, void *user) {
  M[0] = M[3] = 1;
  return 0;
}
static int two_weights(double *f, const fly_dae_state *s, void *user) {
  f[0] = f[1] = -9.81;
  return 0;
}
static int two_floors(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->q[0];
  r[1] = s->q[1];
  return 0;
}
static fly_event_action bounce(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  event_log *log = user;
  if (log->count < 64)
    log->t[log->count++] = t;
  if (rising > 0)
    return FLY_EVENT_CONTINUE;
  q[root] = 0;
  v[root] = -v[root];
  return FLY_EVENT_RESTART;
}

static void test_roots_at_the_same_time(void **state) {
  static double q0[] = {1, 1}, v0[] = {0, 0};
  event_log log = {0};
  const fly_problem p = {.dae = {.nq = 2,
                                 .nv = 2,
                                 .nroot = 2,
                                 .mass_constant = true,
                                 .mass = two_masses,
                                 .force = two_weights,
                                 .roots = two_floors,
                                 .event = bounce,
                                 .user = &log},
                         .q0 = q0,
                         .v0 = v0};
  for (int fixed = 0; fixed < 2; fixed++) {
    log.count = 0;
    const fly_dae_options o = with_step(fly_dae_options_default(), fixed ? 0.01 : 0);
    motion m = motion_run(&p, &o, 1);
    assert_int_equal(log.count, 2);
    assert_close(motion_end(&m).q[0], motion_end(&m).q[1], 1e-9);
    assert_at_least(motion_end(&m).q[1], 0);
    motion_free(&m);
  }
}

// Away from a root and back again within one step: the step began on the root, so no change of sign was seen.
static void test_hop_within_a_step(void **state) {
  event_log log = {0};
  static double q0[] = {0}, v0[] = {0.2};
  fly_problem p = ball(&log);
  p.q0 = q0;
  p.v0 = v0;
  p.dae.nroot = 1;
  p.dae.roots = wall;
  p.dae.event = bounce;
  const fly_dae_options o = with_step(fly_dae_options_default(), 0.1);
  motion m = motion_run(&p, &o, 0.1);
  assert_at_least((double)log.count, 1);
  assert_close(log.t[0], 0.4 / 9.81, 1e-9);
  motion_free(&m);
}

// ---------------------------------------------------------------------------------------------- starting again

// A solver that is started a second time carried the largest step of the first interval, and counted on.
static void test_second_start(void **state) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  const fly_dae_options o = with_error(fly_dae_options_default(), 1e-2);
  motion alone = motion_run(&p, &o, 4);
  fly_solver *s = solver_started(&p, &o, 1e-3);
  fly_error error = {0};
  assert_ok(fly_solver_advance(s, 1e-3, &error), &error);
  assert_ok(fly_solver_start(s, p.t0, 4, p.q0, p.v0, NULL, &error), &error);
  assert_ok(fly_solver_advance(s, 4, &error), &error);
  const fly_stats stats = fly_solver_stats(s);
  assert_int_equal(stats.steps, alone.stats.steps);
  assert_int_equal(stats.factorizations + stats.refactorizations,
                   alone.stats.factorizations + alone.stats.refactorizations);
  assert_int_equal(stats.solves, alone.stats.solves);
  assert_memory_equal(fly_solver_state(s).q, motion_end(&alone).q, 2 * sizeof(double));
  fly_solver_free(s);
  motion_free(&alone);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- corrector

// NEWMARK's stiff double pendulum from the harder start, h = 2^-9, index 3: the corrector landed on far-away angles.
static void test_hard_start(void **state) {
  fly_problem p = problem_of("stiff-double-pendulum", "hard", 0);
  fly_dae_options o = fly_dae_options_default();
  fly_method_request request = fly_method_request_default();
  fly_error error = {0};
  request.name = "newmark";
  request.gamma = 0.75;
  assert_ok(fly_method_make(&o.method, &o.states, &request, &error), &error);
  o.formulation = FLY_INDEX3;
  o.step = ldexp(1, -9);
  for (o.start = FLY_START_CORRECTED; o.start <= FLY_START_PLAIN; o.start++) {
    motion m = motion_try(&p, &o, p.t_end);
    assert_ok(m.status, &m.error);
    for (int i = 0; i < 6; i++)
      assert_close(motion_end(&m).q[i], p.reference_q[i], 0.2);
    motion_free(&m);
  }
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- index 3

// Velocities were cleaned of their offset with a kept matrix, of other positions: G v was left in the percent range.
static void test_clean_velocity(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  const fly_dae_options o = with_step(options_of("ch", 0.6, FLY_INDEX3), 5e-4);
  motion m = motion_run(&p, &o, 0.1);
  assert_at_most(m.certificate.velocity, 1e-7); // of an offset of 8e-3
  motion_free(&m);
  fly_problem_free(&p);
}

// ... and so shifted off the motion at each change of step: orders between 1.6 and 2.6.
static void test_shift_from_clean_velocity(void **state) {
  const double w = 1 / 9.05, tenth[] = {w, w, w, w, w, w, w, w, w, 0.05 * w};
  fly_problem p = problem_of("heavy-top", NULL, 0);
  reference_truth *truth = reference_truth_of(&p, 0.2, 40);
  const fly_dae_options o = with_sequence(options_of("ch", 0.6, FLY_INDEX3), 1, tenth, 10);
  const orders a = orders_with("heavy-top", &p, o, 2.5e-3, 0.2, reference_at, truth);
  const orders b = orders_with("heavy-top", &p, o, 1.25e-3, 0.2, reference_at, truth);
  assert_between(a.q, 1.9, 2.1);
  assert_between(b.q, 1.9, 2.1);
  reference_truth_free(truth);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- differences

static const double mu = 0.3, u0 = 3;

static int unit_mass(double *M, double t, const double *q, void *user) {
  M[0] = M[3] = 1;
  return 0;
}
static int friction(double *f, const fly_dae_state *s, void *user) {
  const double speed = hypot(s->v[0], s->v[1]);
  for (int i = 0; i < 2; i++)
    f[i] = -mu * fabs(s->lambda[0]) * s->v[i] / speed;
  return 0;
}
static int circle(double *g, double t, const double *q, void *user) {
  g[0] = hypot(q[0], q[1]) - 1;
  return 0;
}
static void circle_at(point *out, double t, const void *user) {
  const double phi = log(1 + mu * u0 * t) / mu, u = u0 / (1 + mu * u0 * t), a = -mu * u * u;
  out->q[0] = cos(phi), out->q[1] = sin(phi);
  out->v[0] = -u * sin(phi), out->v[1] = u * cos(phi);
  out->vdot[0] = -a * sin(phi) - u * u * cos(phi), out->vdot[1] = a * cos(phi) - u * u * sin(phi);
  out->lambda[0] = u * u;
}

// With every derivative missing, the third derivative of index 3 drowned in the noise of nested differences.
static void test_jerk_by_differences(void **state) {
  static double q0[] = {1, 0}, v0[] = {0, 3};
  const fly_problem p = {.dae = {.nq = 2,
                                 .nv = 2,
                                 .ng = 1,
                                 .mass_constant = true,
                                 .mass = unit_mass,
                                 .force = friction,
                                 .constraint = circle},
                         .q0 = q0,
                         .v0 = v0};
  const orders r = orders_with("friction", &p, options_of("ch", 0.6, FLY_INDEX3), 5e-3, 1, circle_at, NULL);
  assert_second_order(&r);
}

// A constraint Jacobian by differences is noisy; the corrector took the noise for divergence and divided steps.
static void test_noise_of_differences(void **state) {
  fly_problem p = problem_of("seven-body", NULL, 0);
  p.dae.constraint_jacobian = NULL;
  const fly_dae_options o = with_step(options_of("ch", 0.6, FLY_GGL), 1e-5);
  motion m = motion_run(&p, &o, 0.01);
  assert_int_equal(m.stats.cut_steps, 0);
  motion_free(&m);
  fly_problem_free(&p);
}

// The width of a difference in time was a millionth of the run, however long that was.
static int slider(double *g, double t, const double *q, void *user) {
  g[0] = q[0] - sin(10 * t);
  return 0;
}
static int no_force(double *f, const fly_dae_state *s, void *user) { return 0; }

static void test_rate_in_a_long_run(void **state) {
  static double q0[] = {0, 0}, v0[] = {10, 0};
  const fly_problem p = {.dae = {.nq = 2,
                                 .nv = 2,
                                 .ng = 1,
                                 .mass_constant = true,
                                 .mass = unit_mass,
                                 .force = no_force,
                                 .constraint = slider},
                         .q0 = q0,
                         .v0 = v0};
  const fly_dae_options o = with_step(options_of("ch", 0.6, FLY_GGL), 1e-3);
  fly_solver *s = solver_started(&p, &o, 1e5);
  fly_error error = {0};
  assert_ok(fly_solver_advance(s, 0.5, &error), &error);
  const fly_dae_state now = fly_solver_state(s);
  assert_close(now.v[0], 10 * cos(10 * now.t), 1e-2);
  assert_close(now.lambda[0], 100 * sin(10 * now.t), 1);
  fly_solver_free(s);
}

// A wrong constraint Jacobian was blamed on gamma and d(Gv)/dq, which were right but compared with differences of it.
static int wrong_jacobian(double *G, double t, const double *q, void *user) {
  G[0] = 2 * q[0];
  G[1] = -2 * q[1];
  return 0;
}

static void test_check_names_the_culprit(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const double q[] = {0.6, -0.8}, v[] = {1.6, 1.2}, a[] = {1, 2}, lambda[] = {3};
  const fly_dae_state s = {.q = q, .v = v, .vdot = a, .lambda = lambda};
  fly_derivative_check check;
  fly_error error = {0};
  p.dae.constraint_jacobian = wrong_jacobian;
  assert_ok(fly_dae_check(&check, &p.dae, &s, &error), &error);
  say("%s\n", check.where);
  assert_non_null(strstr(check.where, "constraint_jacobian"));
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- units

typedef struct rod {
  double length;
} rod;

static int rod_force(double *f, const fly_dae_state *s, void *user) {
  f[0] = 0;
  f[1] = -9.81 * ((const rod *)user)->length; // the same motion whatever the unit of length
  return 0;
}
static int rod_constraint(double *g, double t, const double *q, void *user) {
  g[0] = hypot(q[0], q[1]) - ((const rod *)user)->length;
  return 0;
}
static int square_constraint(double *g, double t, const double *q, void *user) {
  const double l = ((const rod *)user)->length;
  g[0] = q[0] * q[0] + q[1] * q[1] - l * l;
  return 0;
}

// A pendulum in micrometres or in gigametres, with its scale said and no derivative given: the same run.
static void test_units_of_length(void **state) {
  const double lengths[] = {1, 1e-6, 1e-3, 1e3, 1e9};
  double angle[5];
  for (int k = 0; k < 5; k++) {
    rod r = {lengths[k]};
    double q0[] = {0.6 * r.length, 0.8 * r.length}, v0[] = {0.8 * r.length, -0.6 * r.length};
    const double scale[] = {r.length, r.length};
    const fly_problem p = {.dae = {.nq = 2,
                                   .nv = 2,
                                   .ng = 1,
                                   .mass_constant = true,
                                   .mass = unit_mass,
                                   .force = rod_force,
                                   .constraint = rod_constraint,
                                   .scale_v = scale,
                                   .user = &r},
                           .q0 = q0,
                           .v0 = v0};
    fly_dae_options o = with_error(fly_dae_options_default(), 1e-5);
    o.max_steps = 5000;
    motion m = motion_try(&p, &o, 1);
    assert_ok(m.status, &m.error);
    angle[k] = atan2(motion_end(&m).q[1], motion_end(&m).q[0]);
    say("length %.0e: %ld steps, angle %.9f\n", lengths[k], m.stats.steps, angle[k]);
    assert_close(angle[k], angle[0], 3e-5);
    motion_free(&m);
  }
}

// A start slightly off a constraint in large numbers: round-off of g is no failure of the projection.
static void test_projection_of_large_numbers(void **state) {
  for (double length = 1; length < 1e10; length *= 100) {
    rod r = {length};
    double q0[] = {0.6 * r.length * (1 + 1e-9), 0.8 * r.length}, v0[] = {0, 0};
    const fly_problem p = {.dae = {.nq = 2,
                                   .nv = 2,
                                   .ng = 1,
                                   .mass_constant = true,
                                   .mass = unit_mass,
                                   .force = rod_force,
                                   .constraint = square_constraint,
                                   .user = &r},
                           .q0 = q0,
                           .v0 = v0};
    const fly_dae_options o = with_step(fly_dae_options_default(), 1e-3);
    motion m = motion_try(&p, &o, 1e-2);
    say("length %.0e: %s\n", length, m.status ? m.error.message : "ok");
    assert_ok(m.status, &m.error);
    motion_free(&m);
  }
}

// Far from time zero a step is what the difference of its times is, not what was asked for.
static void test_large_times(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  p.t0 = 1e11; // times are multiples of 1.5e-5 there
  const fly_dae_options o = with_error(fly_dae_options_default(), 1e-4);
  motion m = motion_run(&p, &o, p.t0 + 4);
  assert_close(motion_end(&m).q[0], p.reference_q[0], 2e-4);
  motion_free(&m);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- questions

// Asking for the condition number threw the kept matrix away and so changed the bits of what followed.
static void test_condition_changes_nothing(void **state) {
  fly_problem p = problem_of("seven-body", NULL, 0);
  const fly_dae_options o = with_error(fly_dae_options_default(), 1e-4);
  double end[2];
  for (int ask = 0; ask < 2; ask++) {
    fly_solver *s = solver_started(&p, &o, 0.01);
    fly_error error = {0};
    assert_ok(fly_solver_advance(s, 0.005, &error), &error);
    double condition;
    if (ask)
      assert_ok(fly_solver_condition(s, 1e-5, true, &condition, &error), &error);
    assert_ok(fly_solver_advance(s, 0.01, &error), &error);
    end[ask] = fly_solver_state(s).q[0];
    fly_solver_free(s);
  }
  assert_true(end[0] == end[1]);
  fly_problem_free(&p);
}

// Input that was taken, crashed, or was blamed on memory. Last, because it crashed.
static void refused(const fly_dae_problem *d, const fly_dae_options *o) {
  fly_solver *s;
  fly_error error = {0};
  const fly_status status = fly_solver_create(&s, d, o, &error);
  say("%s: %s\n", fly_status_name(status), error.message);
  fly_solver_free(s);
  assert_int_equal(status, FLY_BAD_INPUT);
}

static void test_bad_input(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  const fly_dae_options d = fly_dae_options_default();
  fly_dae_options o = d;
  refused(&p.dae, (o.nsequence = -1, &o));
  refused(&p.dae, (o = d, o.formulation = (fly_formulation)7, &o));
  refused(&p.dae, (o = d, o.step_min = 1, o.step_max = 0.1, &o));
  refused(&p.dae, (o = d, o.step = 0.1, o.nsequence = 2, &o)); // sequence NULL
  fly_dae_problem broken = p.dae;
  broken.rotation_q = NULL;
  refused(&broken, &d);
  fly_solver *s;
  fly_error error = {0};
  double condition;
  assert_ok(fly_solver_create(&s, &p.dae, &d, &error), &error);
  assert_int_equal(fly_solver_step(s, &error), FLY_BAD_INPUT); // before its start
  assert_ok(fly_solver_start(s, 0, 1, p.q0, p.v0, NULL, &error), &error);
  assert_int_equal(fly_solver_condition(s, -1e-3, true, &condition, &error), FLY_BAD_INPUT);
  assert_int_equal(fly_solver_condition(s, 0, true, &condition, &error), FLY_BAD_INPUT);
  fly_solver_free(s);
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_second_root_of_a_step),
      cmocka_unit_test(test_root_is_reported_once),
      cmocka_unit_test(test_step_after_an_event),
      cmocka_unit_test(test_output_before_an_event),
      cmocka_unit_test(test_event_at_the_end),
      cmocka_unit_test(test_roots_at_the_same_time),
      cmocka_unit_test(test_hop_within_a_step),
      cmocka_unit_test(test_second_start),
      cmocka_unit_test(test_hard_start),
      cmocka_unit_test(test_clean_velocity),
      cmocka_unit_test(test_shift_from_clean_velocity),
      cmocka_unit_test(test_jerk_by_differences),
      cmocka_unit_test(test_noise_of_differences),
      cmocka_unit_test(test_rate_in_a_long_run),
      cmocka_unit_test(test_check_names_the_culprit),
      cmocka_unit_test(test_units_of_length),
      cmocka_unit_test(test_projection_of_large_numbers),
      cmocka_unit_test(test_large_times),
      cmocka_unit_test(test_condition_changes_nothing),
      cmocka_unit_test(test_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
