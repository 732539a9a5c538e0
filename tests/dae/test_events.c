// Root functions: located on the dense output, acted upon, and started again from.
//
// labels: valgrind
#include <stdlib.h>
#include <string.h>

#include "support/truths.h"

enum { LOG = 64 };

typedef struct event_log {
  int count;
  int root[LOG], rising[LOG];
  double t[LOG], q[LOG], v[LOG];
  fly_event_action action;
  double restitution;
} event_log;

static void note(event_log *log, int root, int rising, double t, const double *q, const double *v) {
  assert_true(log->count < LOG);
  log->root[log->count] = root;
  log->rising[log->count] = rising;
  log->t[log->count] = t;
  log->q[log->count] = q[0];
  log->v[log->count++] = v[0];
}

// ---------------------------------------------------------------------------------------------- a ball

static int one(double *M, double t, const double *q, void *user) {
  M[0] = 1;
  return 0;
}
static int weight(double *f, const fly_dae_state *s, void *user) {
  f[0] = -9.81;
  return 0;
}
static int no_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) { return 0; }

static int floor_root(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->q[0];
  return 0;
}

static fly_event_action bounce(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  event_log *log = user;
  if (rising > 0) // leaving the floor
    return FLY_EVENT_CONTINUE;
  note(log, root, rising, t, q, v);
  q[0] = 0;
  v[0] = -log->restitution * v[0];
  return FLY_EVENT_RESTART;
}

static fly_event_action just_note(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  event_log *log = user;
  note(log, root, rising, t, q, v);
  return log->action;
}

static fly_problem ball(event_log *log, fly_event_fn *event) {
  static double q0[] = {1}, v0[] = {0};
  return (fly_problem){.dae = {.nq = 1,
                               .nv = 1,
                               .nroot = 1,
                               .mass_constant = true,
                               .mass = one,
                               .force = weight,
                               .jacobian = no_jacobian,
                               .roots = floor_root,
                               .event = event,
                               .user = log},
                       .t_end = 2,
                       .q0 = q0,
                       .v0 = v0};
}

// Time of the k-th bounce from 1 m with restitution e: t1 (1 + 2 e + ... + 2 e^k), t1 = sqrt(2/g).
static double bounce_time(int k, double e) {
  double t = sqrt(2 / 9.81), sum = 1;
  for (int i = 1; i <= k; i++)
    sum += 2 * pow(e, i);
  return t * sum;
}

// The parabola is integrated exactly, so the times are too; fixed steps and adaptive.
static void test_bouncing_ball(void **state) {
  for (int fixed = 0; fixed < 2; fixed++) {
    event_log log = {.restitution = 0.8};
    const fly_problem p = ball(&log, bounce);
    fly_dae_options o = with_error(fly_dae_options_default(), 1e-4);
    if (fixed)
      o.step = 0.03;
    motion m = motion_run(&p, &o, 2);
    assert_int_equal(log.count, 3); // the fourth is due at 2.2 s
    for (int k = 0; k < log.count; k++) {
      assert_close(log.t[k], bounce_time(k, 0.8), 1e-11);
      assert_close(log.v[k], -sqrt(2 * 9.81) * pow(0.8, k), 1e-10);
      assert_close(log.q[k], 0, 1e-11);
    }
    const double since = 2 - bounce_time(2, 0.8), u = sqrt(2 * 9.81) * pow(0.8, 3);
    assert_close(motion_end(&m).q[0], u * since - 9.81 / 2 * since * since, 1e-10);
    motion_free(&m);
  }
}

static void test_continue(void **state) {
  event_log log = {.action = FLY_EVENT_CONTINUE};
  fly_problem p = ball(&log, just_note);
  const fly_dae_options o = with_step(fly_dae_options_default(), 0.03);
  motion m = motion_run(&p, &o, 2);
  assert_int_equal(log.count, 1);
  assert_int_equal(log.rising[0], -1);
  assert_close(log.t[0], sqrt(2 / 9.81), 1e-12);
  assert_int_equal(m.stats.events, 1);
  assert_close(motion_end(&m).q[0], 1 - 2 * 9.81, 1e-12); // through the floor
  p.dae.nroot = 0;
  motion n = motion_run(&p, &o, 2);
  assert_true(motion_hash(&m) == motion_hash(&n)); // to watch changes nothing
  motion_free(&m);
  motion_free(&n);
}

static void test_stop(void **state) {
  event_log log = {.action = FLY_EVENT_STOP};
  const fly_problem p = ball(&log, just_note);
  const fly_dae_options o = with_step(fly_dae_options_default(), 0.03);
  fly_solver *s = solver_started(&p, &o, 2);
  fly_error error = {0};
  fly_status status = FLY_OK;
  while (status == FLY_OK && !fly_solver_done(s))
    status = fly_solver_step(s, &error);
  assert_int_equal(status, FLY_STOPPED);
  assert_true(fly_solver_done(s));
  assert_close(fly_solver_state(s).t, sqrt(2 / 9.81), 1e-12);
  assert_close(fly_solver_state(s).q[0], 0, 1e-12);
  assert_int_equal(fly_solver_step(s, &error), FLY_STOPPED); // and stays there
  assert_int_equal(fly_solver_advance(s, 2, &error), FLY_OK);
  assert_int_equal(log.count, 1);
  fly_solver_free(s);
}

// No event function: located, counted, on with the run.
static void test_no_event_function(void **state) {
  const fly_problem p = ball(NULL, NULL);
  const fly_dae_options o = with_step(fly_dae_options_default(), 0.03);
  motion m = motion_run(&p, &o, 2);
  assert_int_equal(m.stats.events, 1);
  motion_free(&m);
}

// Thrown up from the floor: the root is exactly zero at the start, and that is no event. The fall back is one.
static void test_root_at_the_start(void **state) {
  static double zero[] = {0}, up[] = {3};
  event_log log = {.action = FLY_EVENT_CONTINUE};
  fly_problem p = ball(&log, just_note);
  p.q0 = zero;
  p.v0 = up;
  for (int fixed = 0; fixed < 2; fixed++) {
    fly_dae_options o = fly_dae_options_default();
    o.step = fixed ? 0.03 : 0;
    log.count = 0;
    motion m = motion_run(&p, &o, 2);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.rising[0], -1);
    assert_close(log.t[0], 6 / 9.81, 1e-11);
    motion_free(&m);
  }
}

// ---------------------------------------------------------------------------------------------- several roots

static int gates(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->q[0] - 0.5; // passed second
  r[1] = 0.9 - s->q[0]; // passed first, rising
  r[2] = 7;             // never
  return 0;
}

// Far apart in time: each is noted, in order.
static void test_two_roots(void **state) {
  event_log log = {.action = FLY_EVENT_CONTINUE};
  fly_problem p = ball(&log, just_note);
  p.dae.nroot = 3;
  p.dae.roots = gates;
  const fly_dae_options o = with_step(fly_dae_options_default(), 0.01);
  motion m = motion_run(&p, &o, 1);
  assert_int_equal(log.count, 2);
  assert_int_equal(log.root[0], 1);
  assert_int_equal(log.rising[0], 1);
  assert_close(log.t[0], sqrt(0.2 / 9.81), 1e-12);
  assert_int_equal(log.root[1], 0);
  assert_int_equal(log.rising[1], -1);
  assert_close(log.t[1], sqrt(1 / 9.81), 1e-12);
  motion_free(&m);
}

// Both in one step: the run is restarted at the first, so the second is not lost.
static void test_two_roots_in_one_step(void **state) {
  event_log log = {.action = FLY_EVENT_RESTART};
  fly_problem p = ball(&log, just_note);
  p.dae.nroot = 3;
  p.dae.roots = gates;
  const fly_dae_options o = with_step(fly_dae_options_default(), 1);
  motion m = motion_run(&p, &o, 1);
  assert_true(log.count >= 2);
  assert_int_equal(log.root[0], 1);
  assert_close(log.t[0], sqrt(0.2 / 9.81), 1e-12);
  assert_int_equal(log.root[log.count - 1], 0);
  assert_close(log.t[log.count - 1], sqrt(1 / 9.81), 1e-11);
  assert_close(motion_end(&m).q[0], 1 - 9.81 / 2, 1e-11);
  motion_free(&m);
}

// ---------------------------------------------------------------------------------------------- a pendulum and a wall

static int wall(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->q[0];
  return 0;
}

// Elastic: the velocity is mirrored, so the motion is the free one folded at the wall, and energy stays.
static fly_event_action mirror(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  event_log *log = user;
  if (v[0] > 0) // leaving it
    return FLY_EVENT_CONTINUE;
  note(log, root, rising, t, q, v);
  v[0] = -v[0];
  v[1] = -v[1];
  return FLY_EVENT_RESTART;
}

// x of the free pendulum goes through zero; behind the wall it swings back in mirror image. Order 2 through restarts,
// also in lambda, which needs a corrected restart.
static void test_pendulum_at_a_wall(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  pendulum_truth *truth = pendulum_truth_of(&p, 4, 0.5);
  event_log log = {0};
  p.dae.nroot = 1;
  p.dae.roots = wall;
  p.dae.event = mirror;
  p.dae.user = &log;
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    double q[2] = {0}, lambda[2] = {0}, first[2];
    for (int k = 0; k < 2; k++) {
      log.count = 0;
      const fly_dae_options o = with_step(options_of("ch", 0.7, f), k ? 5e-4 : 4e-3);
      motion m = motion_run(&p, &o, 2.5);
      assert_int_equal(log.count, 2);
      first[k] = log.t[0];
      for (int i = 0; i < m.count; i++) {
        const fly_dae_state s = motion_at(&m, i);
        point free_motion = {0};
        pendulum_at(&free_motion, s.t, truth);
        q[k] = fmax(q[k], fabs(s.q[0] - fabs(free_motion.q[0])));
        lambda[k] = fmax(lambda[k], fabs(s.lambda[0] - free_motion.lambda[0]));
      }
      motion_free(&m);
    }
    say("formulation %d: first hit %.6f, q %.2e %.2e, lambda %.2e %.2e\n", f, first[1], q[0], q[1], lambda[0],
        lambda[1]);
    assert_at_least(order_of(q[0], q[1], 8), 1.9);
    assert_at_least(order_of(lambda[0], lambda[1], 8), 1.8);
    assert_close(first[1], 0.538218666720129, 1e-6); // quarter period, K(1/4)/sqrt(g)
  }
  free(truth);
  fly_problem_free(&p);
}

// A failing root function ends the run and says so.
static int bad_root(double *r, const fly_dae_state *s, void *user) {
  r[0] = 1;
  return s->t > 0.5 ? -3 : 0;
}
static int nan_root(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->t > 0.5 ? (double)NAN : 1;
  return 0;
}

static void test_failing_root(void **state) {
  fly_problem p = ball(NULL, NULL);
  const fly_dae_options o = with_step(fly_dae_options_default(), 0.03);
  p.dae.roots = bad_root;
  motion m = motion_try(&p, &o, 2);
  assert_int_equal(m.status, FLY_CALLBACK);
  assert_says(&m.error, "roots");
  assert_between(m.error.time, 0.5, 0.56);
  motion_free(&m);
  p.dae.roots = nan_root;
  m = motion_try(&p, &o, 2);
  assert_int_equal(m.status, FLY_NOT_FINITE);
  assert_says(&m.error, "roots");
  motion_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bouncing_ball),
      cmocka_unit_test(test_continue),
      cmocka_unit_test(test_stop),
      cmocka_unit_test(test_no_event_function),
      cmocka_unit_test(test_root_at_the_start),
      cmocka_unit_test(test_two_roots),
      cmocka_unit_test(test_two_roots_in_one_step),
      cmocka_unit_test(test_pendulum_at_a_wall),
      cmocka_unit_test(test_failing_root),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
