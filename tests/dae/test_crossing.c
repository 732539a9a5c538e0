// What changes behind an accepted point: held numbers, forces that jump, rows and entries that come and go.
//
// labels: valgrind
#include <malloc.h>
#include <string.h>

#include "support/motion.h"

// ---------------------------------------------------------------------------------------------- a relay
//
// Two unit masses side by side, q1 = q0, with a spring of 2 N/m and a relay of 2c N at the first:
//   2 q'' = -2 q - 2 c m,   lambda = -(q'' - f_0) ... of the row q1 - q0,   m = sign q, held between the roots of q.
// Between roots the motion is an arc about -c m in the plane (q, q').

static const double RELAY = 0.3;

typedef struct relay {
  double mode, next;
  int accepted, crossed, early; // calls; changes that were seen too early
  double last;                  // time of the last accepted point
} relay;

static int two_masses(double *M, double t, const double *q, void *user) {
  M[0] = M[1] = 1;
  return 0;
}

static int relay_force(double *f, const fly_dae_state *s, void *user) {
  const relay *r = user;
  f[0] = -2 * s->q[0] - 2 * RELAY * r->mode;
  return 0;
}

static int side_by_side(double *g, double t, const double *q, void *user) {
  g[0] = q[1] - q[0];
  return 0;
}

static int side_jacobian(double *G, double t, const double *q, void *user) {
  G[0] = -1;
  G[1] = 1;
  return 0;
}

static int zero_rows(double *rows, double t, const double *q, void *user) { return 0; }
static int zero_gamma(double *rows, double t, const double *q, const double *v, void *user) { return 0; }

static int relay_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  J2[0] = 2;
  return 0;
}

static int relay_root(double *roots, const fly_dae_state *s, void *user) {
  roots[0] = s->q[0];
  return 0;
}

static fly_event_action relay_event(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  relay *r = user;
  r->next = rising;
  return FLY_EVENT_RESTART;
}

static fly_effect relay_accepted(const fly_dae_state *at, const fly_step_taken *step, void *user) {
  relay *r = user;
  if (step && step->to == step->from) { // behind a jump
    assert_true(at->t == r->last);
    return FLY_EFFECT_IMPULSE; // which does not count
  }
  r->accepted++;
  if (step) {
    assert_true(step->from == r->last && step->to == at->t);
    r->early += r->mode * step->at(0.5 * (step->from + step->to), step->motion).q[0] < 0;
  }
  r->last = at->t;
  return FLY_EFFECT_NOTHING;
}

static fly_crossed relay_cross(fly_dae_problem *problem, double t, double *q, double *v, double *x, void *user) {
  relay *r = user;
  r->mode = r->next;
  r->crossed++;
  return FLY_CROSSED;
}

static const int DIAGONAL_START[] = {0, 1, 2}, DIAGONAL_ROW[] = {0, 1};
static const int ROW_START[] = {0, 1, 2}, ROW_ROW[] = {0, 0};
static const int CORNER_START[] = {0, 1, 1, 1}, CORNER_ROW[] = {0};

static fly_problem relay_problem(relay *r) {
  static double q0[] = {1, 1}, v0[] = {0, 0};
  *r = (relay){.mode = 1};
  return (fly_problem){.dae = {.nq = 2,
                               .nv = 2,
                               .ng = 1,
                               .nroot = 1,
                               .mass_constant = true,
                               .mass_pattern = {DIAGONAL_START, DIAGONAL_ROW},
                               .constraint_pattern = {ROW_START, ROW_ROW},
                               .jacobian_pattern = {CORNER_START, CORNER_ROW},
                               .mass = two_masses,
                               .force = relay_force,
                               .constraint = side_by_side,
                               .constraint_jacobian = side_jacobian,
                               .constraint_rate = zero_rows,
                               .constraint_gamma = zero_gamma,
                               .constraint_velocity_jacobian = zero_gamma,
                               .jacobian = relay_jacobian,
                               .roots = relay_root,
                               .event = relay_event,
                               .accepted = relay_accepted,
                               .cross = relay_cross,
                               .autonomous = true,
                               .user = r},
                       .t_end = 8,
                       .q0 = q0,
                       .v0 = v0};
}

// Arc by arc about -c m: q + c m = p cos t + u sin t = r cos(t - phase), from one root to the next.
static void relay_truth(double t, double *q, double *v) {
  const double tau = 6.283185307179586;
  double mode = 1, from = 0, p = 1 + RELAY, u = 0;
  for (;;) {
    const double phase = atan2(u, p), half = acos(RELAY * mode / hypot(p, u));
    double length = INFINITY;
    for (int k = -2; k <= 2; k++)
      for (int side = -1; side <= 1; side += 2) {
        const double root = phase + side * half + k * tau;
        length = root > 1e-9 && root < length ? root : length;
      }
    const double dt = fmin(t - from, length);
    *q = p * cos(dt) + u * sin(dt) - RELAY * mode;
    *v = u * cos(dt) - p * sin(dt);
    if (from + length >= t)
      return;
    from += length;
    mode = -mode;
    p = RELAY * mode;
    u = *v;
  }
}

static double worst_of(const motion *m, void (*truth)(double t, double *q, double *v)) {
  double q, v, worst = 0;
  for (int i = 0; i < m->count; i++) {
    const fly_dae_state at = motion_at(m, i);
    truth(at.t, &q, &v);
    worst = fmax(worst, fmax(fabs(at.q[0] - q), fabs(at.v[0] - v)));
  }
  return worst;
}

static double relay_error(const char *method, double step, double error, double t_end) {
  relay r;
  const fly_problem p = relay_problem(&r);
  fly_dae_options o = options_of(method, NAN, FLY_GGL);
  o = step > 0 ? with_step(o, step) : with_error(o, error);
  motion m = motion_run(&p, &o, t_end);
  const double worst = worst_of(&m, relay_truth);
  say("%-10s step %g error %g: worst %.3g, %ld steps, %ld events\n", method, step, error, worst, m.stats.steps,
      m.stats.events);
  assert_int_equal(r.early, 0);
  assert_int_equal(r.crossed, m.stats.events);
  assert_int_equal(r.accepted, 1 + m.stats.steps);
  motion_free(&m);
  return worst;
}

static void test_orders_at_roots(void **state) {
  const struct {
    const char *method;
    double step, order;
  } list[] = {{"ch", 0.02, 1.9}, {"radau", 0.4, 4.6}, {"partition", 0.05, 3.5}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    const double coarse = relay_error(list[k].method, list[k].step, 0, 8),
                 fine = relay_error(list[k].method, list[k].step / 4, 0, 8);
    say("%s: order %.2f\n", list[k].method, log2(coarse / fine) / 2);
    assert_at_least(log2(coarse / fine) / 2, list[k].order);
  }
}

static void test_error_at_roots(void **state) {
  const char *const methods[] = {"ch", "radau", "partition", "hybrid", "auto"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
    assert_at_most(relay_error(methods[k], 0, k ? 1e-8 : 1e-6, 8), k ? 1e-7 : 1e-5);
  assert_at_most(relay_error("ch", 0, 1e-8, 2), 1e-7);
}

// ---------------------------------------------------------------------------------------------- at a known time
//
// The same masses, the relay switched at t = 1.1 and 3.3, which the problem knows: it stops there, and `accepted`
// announces the switch.

static const double SWITCHES[] = {1.1, 3.3};

static double mode_until(double t) { return t <= SWITCHES[0] ? 1 : t <= SWITCHES[1] ? -1 : 1; }

static bool switch_times(fly_break *next, double t, double end, void *user) {
  for (int k = 0; k < 2; k++)
    if (SWITCHES[k] > t && SWITCHES[k] < end) {
      *next = (fly_break){SWITCHES[k], SWITCHES[k], FLY_BREAK_JUMP};
      return true;
    }
  return false;
}

static fly_effect time_accepted(const fly_dae_state *at, const fly_step_taken *step, void *user) {
  relay *r = user;
  r->next = mode_until(nextafter(at->t, INFINITY));
  return r->next == r->mode ? FLY_EFFECT_NOTHING : FLY_EFFECT_JUMP;
}

static void time_truth(double t, double *q, double *v) {
  double from = 0;
  *q = 1;
  *v = 0;
  for (int k = 0; k <= 2; k++) {
    const double to = fmin(t, k < 2 ? SWITCHES[k] : (double)INFINITY), middle = -RELAY * mode_until(to),
                 p = *q - middle, u = *v;
    if (to <= from)
      return;
    *q = middle + p * cos(to - from) + u * sin(to - from);
    *v = u * cos(to - from) - p * sin(to - from);
    from = to;
  }
}

static double time_error(const char *method, double step, double error, double t_end) {
  relay r;
  fly_problem p = relay_problem(&r);
  p.dae.nroot = 0;
  p.dae.accepted = time_accepted;
  p.dae.next_break = switch_times;
  fly_dae_options o = options_of(method, NAN, FLY_GGL);
  o = step > 0 ? with_step(o, step) : with_error(o, error);
  motion m = motion_run(&p, &o, t_end);
  const double worst = worst_of(&m, time_truth);
  assert_int_equal(r.crossed, t_end > SWITCHES[1] ? 2 : 1);
  motion_free(&m);
  return worst;
}

static void test_jumps_at_known_times(void **state) {
  const struct {
    const char *method;
    double step, order;
  } list[] = {{"ch", 0.02, 1.9}, {"radau", 0.4, 4.6}, {"partition", 0.05, 3.5}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    const double coarse = time_error(list[k].method, list[k].step, 0, 5),
                 fine = time_error(list[k].method, list[k].step / 4, 0, 5);
    say("%s: %.3g %.3g, order %.2f\n", list[k].method, coarse, fine, log2(coarse / fine) / 2);
    assert_at_least(log2(coarse / fine) / 2, list[k].order);
    assert_at_most(time_error(list[k].method, 0, 1e-8, k ? 5 : 2), 1e-7);
  }
}

// A push of 1 N begins at the first of these times: until what is announced takes place, it has not begun either.
static int pushed_force(double *f, const fly_dae_state *s, void *user) {
  relay_force(f, s, user);
  f[0] += s->t > SWITCHES[0];
  return 0;
}

static bool push_begins(fly_break *next, double t, double end, void *user) {
  *next = (fly_break){SWITCHES[0], nextafter(SWITCHES[0], INFINITY), FLY_BREAK_JUMP};
  return next->after > t && next->after < end;
}

static void test_breaks_wait_for_what_is_announced(void **state) {
  const char *const methods[] = {"ch", "radau", "partition"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    relay r;
    fly_error error = {0};
    fly_problem p = relay_problem(&r);
    p.dae.nroot = 0;
    p.dae.autonomous = false;
    p.dae.force = pushed_force;
    p.dae.accepted = time_accepted;
    p.dae.next_break = push_begins;
    const fly_dae_options o = with_error(options_of(methods[k], NAN, FLY_GGL), 1e-6);
    fly_solver *s = solver_started(&p, &o, 2);
    assert_ok(fly_solver_advance(s, SWITCHES[0], &error), &error);
    assert_true(fly_solver_crosses(s));
    assert_close(fly_solver_state(s).vdot[0], -fly_solver_state(s).q[0] - RELAY, 1e-3);
    assert_ok(fly_solver_cross(s, &error), &error);
    assert_close(fly_solver_state(s).vdot[0], -fly_solver_state(s).q[0] + RELAY + 0.5, 1e-9);
    fly_solver_free(s);
  }
}

// ---------------------------------------------------------------------------------------------- rows that come and go
//
// Masses of 1 kg on springs of 1 and 4 N/m; now and then a rod locks them at the distance they have.

typedef struct lock {
  bool locked, wanted;
  double distance;
} lock;

static const double K0 = 1, K1 = 4;

static int springs(double *f, const fly_dae_state *s, void *user) {
  f[0] = -K0 * s->q[0];
  f[1] = -K1 * s->q[1];
  return 0;
}

static int springs_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  J2[0] = K0;
  J2[1] = K1;
  return 0;
}

static int rod(double *g, double t, const double *q, void *user) {
  const lock *l = user;
  g[0] = q[1] - q[0] - l->distance;
  return 0;
}

static const int FREE_START[] = {0, 0, 0}, BOTH_START[] = {0, 1, 2, 2}, NONE[] = {0};

static fly_crossed switch_rod(fly_dae_problem *p, double t, double *q, double *v, double *x, void *user) {
  lock *l = user;
  l->locked = l->wanted;
  p->ng = l->locked ? 1 : 0;
  p->constraint_pattern = l->locked ? (fly_pattern){ROW_START, ROW_ROW} : (fly_pattern){FREE_START, NONE};
  return FLY_CROSSED_PATTERNS;
}

static fly_problem lock_problem(lock *l) {
  static double q0[] = {1, 0.5}, v0[] = {0, 1};
  *l = (lock){0};
  return (fly_problem){.dae = {.nq = 2,
                               .nv = 2,
                               .mass_constant = true,
                               .mass_pattern = {DIAGONAL_START, DIAGONAL_ROW},
                               .constraint_pattern = {FREE_START, NONE},
                               .jacobian_pattern = {BOTH_START, DIAGONAL_ROW},
                               .mass = two_masses,
                               .force = springs,
                               .constraint = rod,
                               .constraint_jacobian = side_jacobian,
                               .constraint_rate = zero_rows,
                               .constraint_gamma = zero_gamma,
                               .constraint_velocity_jacobian = zero_gamma,
                               .jacobian = springs_jacobian,
                               .cross = switch_rod,
                               .autonomous = true,
                               .user = l},
                       .q0 = q0,
                       .v0 = v0};
}

static void swing(double *q, double *v, double w, double middle, double dt) {
  const double p = *q - middle;
  *q = middle + p * cos(w * dt) + *v / w * sin(w * dt);
  *v = -w * p * sin(w * dt) + *v * cos(w * dt);
}

// Exactly, from one switch to the next.
static void lock_truth(double q[2], double v[2], bool locked, double dt) {
  if (!locked) {
    swing(&q[0], &v[0], sqrt(K0), 0, dt);
    swing(&q[1], &v[1], sqrt(K1), 0, dt);
    return;
  }
  const double d = q[1] - q[0];
  v[0] = 0.5 * (v[0] + v[1]); // a plastic blow
  swing(&q[0], &v[0], sqrt((K0 + K1) / 2), -K1 * d / (K0 + K1), dt);
  q[1] = q[0] + d;
  v[1] = v[0];
}

typedef struct lock_run {
  double error;
  fly_stats stats;
} lock_run;

static lock_run run_lock(fly_dae_options o, int switches, double apart) {
  lock l;
  const fly_problem p = lock_problem(&l);
  fly_solver *s = solver_started(&p, &o, switches * apart);
  fly_error error = {0};
  lock_run out = {0};
  double q[] = {p.q0[0], p.q0[1]}, v[] = {p.v0[0], p.v0[1]};
  for (int k = 1; k <= switches; k++) {
    const double t = k * apart;
    if (k < switches && o.step == 0)
      assert_ok(fly_solver_stop_at(s, t, &error), &error);
    assert_ok(fly_solver_advance(s, t, &error), &error);
    lock_truth(q, v, k % 2 == 0, apart);
    const fly_dae_state at = fly_solver_state(s);
    assert_close(at.t, t, 1e-9);
    for (int i = 0; i < 2; i++)
      out.error = fmax(out.error, fmax(fabs(at.q[i] - q[i]), fabs(at.v[i] - v[i])));
    if (fly_solver_done(s))
      break;
    l.wanted = k % 2 == 1;
    l.distance = at.q[1] - at.q[0];
    assert_ok(fly_solver_changed(s, FLY_EFFECT_IMPULSE, &error), &error);
    assert_ok(fly_solver_cross(s, &error), &error);
    assert_true(l.locked == l.wanted);
    if (l.locked)
      assert_close(fly_solver_state(s).v[0], fly_solver_state(s).v[1], 1e-14);
  }
  out.stats = fly_solver_stats(s);
  fly_solver_free(s);
  return out;
}

static void test_rows_come_and_go(void **state) {
  const char *const methods[] = {"ch", "hht", "radau", "partition", "hybrid", "baumgarte", "auto"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    const lock_run r = run_lock(with_error(options_of(methods[k], NAN, FLY_GGL), 1e-7), 30, 0.37);
    say("%s: error %.3g, %ld steps, %ld factorizations\n", methods[k], r.error, r.stats.steps, r.stats.factorizations);
    assert_at_most(r.error, 1e-6);
  }
  const lock_run r = run_lock(with_error(options_of("ch", NAN, FLY_INDEX3), 1e-7), 30, 0.37);
  assert_at_most(r.error, 1e-6);
}

static void test_orders_with_rows(void **state) {
  const struct {
    const char *method;
    double order;
  } list[] = {{"ch", 1.9}, {"radau", 4.5}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    const fly_dae_options o = options_of(list[k].method, NAN, FLY_GGL);
    const double coarse = run_lock(with_step(o, 0.25), 8, 1).error, fine = run_lock(with_step(o, 0.0625), 8, 1).error;
    say("%s: %.3g %.3g, order %.2f\n", list[k].method, coarse, fine, log2(coarse / fine) / 2);
    assert_at_least(log2(coarse / fine) / 2, list[k].order);
  }
}

// Nothing is left behind, and of each switch there are two factorizations: for accelerations and velocities, and for
// the steps.
static void test_ten_thousand_switches(void **state) {
  const fly_dae_options o = with_step(options_of("ch", NAN, FLY_GGL), 0.05);
  (void)run_lock(o, 100, 0.1);
  const size_t before = mallinfo2().uordblks;
  const lock_run r = run_lock(o, 10000, 0.1);
  say("factorizations %ld, with kept pivots %ld, steps %ld, in use %zu and %zu bytes\n", r.stats.factorizations,
      r.stats.refactorizations, r.stats.steps, before, (size_t)mallinfo2().uordblks);
  assert_true(mallinfo2().uordblks <= before + 100000); // a block a switch would show: they have 16 bytes at least
  assert_at_most((double)(r.stats.factorizations + r.stats.refactorizations), 20000);
}

// ---------------------------------------------------------------------------------------------- entries that come and
// go
//
// A soft bumper k d^4 between the masses, d = q0 - q1 - gap > 0, whose entries are there only while it is near.

typedef struct bumper {
  bool near, wanted;
  int switches;
} bumper;

static double depth(const double *q) { return fmax(0, q[0] - q[1] - 0.3); }

static int bumper_force(double *f, const fly_dae_state *s, void *user) {
  const double d = depth(s->q), push = 50 * d * d * d * d;
  f[0] = -K0 * s->q[0] - push;
  f[1] = -K1 * s->q[1] + push;
  return 0;
}

static const int FULL_START[] = {0, 2, 4}, FULL_ROW[] = {0, 1, 0, 1};

static int bumper_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  const bumper *b = user;
  const double d = depth(s->q), k = 200 * d * d * d;
  if (!b->near) {
    assert_true(d == 0);
    return springs_jacobian(J0, J1, J2, s, user);
  }
  J2[0] = K0 + k;
  J2[1] = J2[2] = -k;
  J2[3] = K1 + k;
  return 0;
}

static fly_effect bumper_accepted(const fly_dae_state *at, const fly_step_taken *step, void *user) {
  bumper *b = user;
  const double h = step ? step->to - step->from : 1e-3, gap = at->q[0] - at->q[1] - 0.3;
  b->wanted = gap > -1e-3 - 20 * h;
  return b->wanted == b->near ? FLY_EFFECT_NOTHING : FLY_EFFECT_SMOOTH;
}

static fly_crossed bumper_cross(fly_dae_problem *p, double t, double *q, double *v, double *x, void *user) {
  bumper *b = user;
  b->near = b->wanted;
  b->switches++;
  p->jacobian_pattern = b->near ? (fly_pattern){FULL_START, FULL_ROW} : (fly_pattern){BOTH_START, DIAGONAL_ROW};
  return FLY_CROSSED_PATTERNS;
}

static void test_entries_come_and_go(void **state) {
  const char *const methods[] = {"ch", "radau", "partition", "auto"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    static double q0[] = {1, 1}, v0[] = {0, 1};
    bumper b = {0};
    fly_problem p = {.dae = {.nq = 2,
                             .nv = 2,
                             .mass_constant = true,
                             .mass_pattern = {DIAGONAL_START, DIAGONAL_ROW},
                             .jacobian_pattern = {BOTH_START, DIAGONAL_ROW},
                             .mass = two_masses,
                             .force = bumper_force,
                             .jacobian = bumper_jacobian,
                             .accepted = bumper_accepted,
                             .cross = bumper_cross,
                             .autonomous = true,
                             .user = &b},
                     .q0 = q0,
                     .v0 = v0};
    const fly_dae_options o = with_error(options_of(methods[k], NAN, FLY_GGL), 1e-5);
    motion comes = motion_run(&p, &o, 10);
    const int switches = b.switches;
    b = (bumper){.near = true};
    p.dae.accepted = NULL;
    p.dae.jacobian_pattern = (fly_pattern){FULL_START, FULL_ROW};
    motion full = motion_run(&p, &o, 10);
    const fly_dae_state x = motion_end(&comes), y = motion_end(&full);
    say("%s: %d switches, %ld and %ld steps, apart %.2g\n", methods[k], switches, comes.stats.steps, full.stats.steps,
        fabs(x.q[0] - y.q[0]));
    assert_at_least(switches, 1);
    assert_close(x.q[0], y.q[0], 2e-5);
    assert_close((double)comes.stats.steps, (double)full.stats.steps, 0.02 * (double)full.stats.steps + 2);
    motion_free(&comes);
    motion_free(&full);
  }
}

// A pendulum whose patterns are given anew now and then, and are the same: its rows and their past stay.
static int bob_mass(double *M, double t, const double *q, void *user) {
  M[0] = M[3] = 1;
  return 0;
}

static int bob_force(double *f, const fly_dae_state *s, void *user) {
  f[1] = -9.81;
  return 0;
}

static int bob_rod(double *g, double t, const double *q, void *user) {
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}

static fly_effect bob_accepted(const fly_dae_state *at, const fly_step_taken *step, void *user) {
  int *steps = user;
  return ++*steps % 10 == 0 ? FLY_EFFECT_SMOOTH : FLY_EFFECT_NOTHING;
}

static fly_crossed bob_cross(fly_dae_problem *p, double t, double *q, double *v, double *x, void *user) {
  return FLY_CROSSED_PATTERNS;
}

static void test_patterns_keep_the_rows_and_their_past(void **state) {
  const char *const methods[] = {"ch", "radau", "partition", "hybrid", "auto"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    static double q0[] = {1, 0}, v0[] = {0, 0};
    int steps = 0;
    fly_problem p = {.dae = {.nq = 2,
                             .nv = 2,
                             .ng = 1,
                             .mass = bob_mass,
                             .force = bob_force,
                             .constraint = bob_rod,
                             .accepted = bob_accepted,
                             .cross = bob_cross,
                             .autonomous = true,
                             .user = &steps},
                     .q0 = q0,
                     .v0 = v0};
    const fly_dae_options o = with_error(options_of(methods[k], NAN, FLY_GGL), 1e-6);
    motion again = motion_run(&p, &o, 3);
    p.dae.accepted = NULL;
    motion plain = motion_run(&p, &o, 3);
    const fly_dae_state x = motion_end(&again), y = motion_end(&plain);
    assert_at_least(steps, 10);
    assert_close(x.q[0], y.q[0], 2e-6);
    assert_close(x.lambda[0], y.lambda[0], 1e-3);
    assert_close((double)again.stats.steps, (double)plain.stats.steps, 0.02 * (double)plain.stats.steps + 2);
    motion_free(&again);
    motion_free(&plain);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders_at_roots),
      cmocka_unit_test(test_error_at_roots),
      cmocka_unit_test(test_jumps_at_known_times),
      cmocka_unit_test(test_breaks_wait_for_what_is_announced),
      cmocka_unit_test(test_rows_come_and_go),
      cmocka_unit_test(test_orders_with_rows),
      cmocka_unit_test(test_ten_thousand_switches),
      cmocka_unit_test(test_entries_come_and_go),
      cmocka_unit_test(test_patterns_keep_the_rows_and_their_past),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
