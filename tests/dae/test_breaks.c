// Times at which a step must end: breaks a problem knows of, and stops a user asks for. A cart on a line (x, y) whose
// height y is prescribed: the constraint y - s(t) = 0 can move.
#include <string.h>

#include "support/motion.h"

typedef struct cart {
  double on, off; // a force of 10 N along x between them
  double corner;  // where the prescribed height turns from falling to rising; NAN: it does not move
  int evaluations_at_break;
} cart;

static int mass(double *M, double t, const double *q, void *user) {
  M[0] = M[3] = 1;
  M[1] = M[2] = 0.5; // so that the motion of y is felt by x
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  cart *c = user;
  c->evaluations_at_break += s->t == c->on || s->t == c->off;
  f[0] = s->t > c->on && s->t < c->off ? 10 : 0;
  return 0;
}

static int constraint(double *g, double t, const double *q, void *user) {
  const cart *c = user;
  g[0] = q[1] - (isnan(c->corner) ? 0 : fabs(t - c->corner));
  return 0;
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  G[1] = 1;
  return 0;
}

static int constraint_rate(double *gt, double t, const double *q, void *user) {
  const cart *c = user;
  gt[0] = isnan(c->corner) ? 0 : t < c->corner ? 1 : -1;
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) { return 0; }

static void offer(fly_break *next, double at, fly_break_kind kind, double t) {
  const double width = 4e-16 * fmax(fabs(at), 1);
  if (at + width > t && at - width < next->before)
    *next = (fly_break){at - width, at + width, kind};
}

static bool next_break(fly_break *next, double t, double end, void *user) {
  const cart *c = user;
  next->before = INFINITY;
  offer(next, c->on, FLY_BREAK_JUMP, t);
  offer(next, c->off, FLY_BREAK_JUMP, t);
  if (!isnan(c->corner))
    offer(next, c->corner, FLY_BREAK_CORNER, t);
  return next->before < end;
}

static fly_problem problem(cart *c) {
  return (fly_problem){.dae = {.name = "cart",
                               .nq = 2,
                               .nv = 2,
                               .ng = 1,
                               .mass_constant = true,
                               .mass = mass,
                               .force = force,
                               .constraint = constraint,
                               .constraint_jacobian = constraint_jacobian,
                               .constraint_rate = constraint_rate,
                               .constraint_gamma = constraint_gamma,
                               .next_break = next_break,
                               .user = c}};
}

typedef struct way {
  const char *method;
  fly_formulation formulation;
} way;

static const way ways[] = {{"ch", FLY_GGL},        {"ch", FLY_INDEX3},     {"ch", FLY_INDEX2},     {"hht", FLY_GGL},
                           {"trapezoid", FLY_GGL}, {"radau", FLY_GGL},     {"partition", FLY_GGL}, {"hybrid", FLY_GGL},
                           {"direct", FLY_GGL},    {"baumgarte", FLY_GGL}, {"auto", FLY_GGL}};
enum { WAYS = sizeof ways / sizeof *ways };

static fly_solver *started(cart *c, const fly_dae_options *o, double end) {
  const fly_problem p = problem(c);
  fly_error error = {0};
  fly_solver *s;
  const double q[] = {0, isnan(c->corner) ? 0 : c->corner}, v[] = {0, isnan(c->corner) ? 0 : -1};
  assert_ok(fly_solver_create(&s, &p.dae, o, &error), &error);
  assert_ok(fly_solver_start(s, 0, end, q, v, NULL, &error), &error);
  return s;
}

// x'' = 10 (mass 1, y held) between 2 and 2 + w of 10 s: x(10) = 10 w (8 - w/2).
static void pulses_are_felt(void **state) {
  for (int k = 0; k < WAYS; k++)
    for (double w = 1; w > 1e-6; w *= 0.01) {
      cart c = {.on = 2, .off = 2 + w, .corner = NAN};
      const fly_dae_options o = options_of(ways[k].method, NAN, ways[k].formulation);
      fly_solver *s = started(&c, &o, 10);
      fly_error error = {0};
      assert_ok(fly_solver_advance(s, 10, &error), &error);
      assert_close(fly_solver_state(s).q[0], 10 * w * (8 - w / 2), 2e-5);
      assert_int_equal(fly_solver_stats(s).breaks, 2);
      assert_int_equal(fly_solver_stats(s).restarts, 2);
      assert_int_equal(c.evaluations_at_break, 0);
      fly_solver_free(s);
    }
}

// A corner of the height takes x along: the momentum x' + y'/2 is kept, so x' jumps by -1.
static void corners_are_blows(void **state) {
  for (int k = 0; k < WAYS; k++) {
    cart c = {.on = 20, .off = 30, .corner = 1.3};
    const fly_dae_options o = options_of(ways[k].method, NAN, ways[k].formulation);
    fly_solver *s = started(&c, &o, 4);
    fly_error error = {0};
    assert_ok(fly_solver_advance(s, 4, &error), &error);
    const fly_stats stats = fly_solver_stats(s);
    assert_close(fly_solver_state(s).v[0], -1, 1e-5);
    assert_close(fly_solver_state(s).q[0], -(4 - 1.3), 2e-5);
    assert_close(fly_solver_state(s).q[1], 4 - 1.3, 1e-9);
    assert_int_equal(stats.corners, 1);
    assert_true(stats.rejected_error + stats.rejected_newton < 20);
    assert_at_most(fly_solver_certificate(s).start_velocity, 1e-12); // the start was as given
    fly_solver_free(s);
  }
}

// Each side with its own values, and dense output that does not mix them.
static void sides_are_kept_apart(void **state) {
  for (int k = 0; k < WAYS; k++) {
    cart c = {.on = 1, .off = 3, .corner = NAN};
    const fly_dae_options o = with_error(options_of(ways[k].method, NAN, ways[k].formulation), 1e-7);
    fly_solver *s = started(&c, &o, 4);
    fly_error error = {0};
    while (!fly_solver_done(s)) {
      assert_ok(fly_solver_step(s, &error), &error);
      const fly_step_record r = fly_solver_step_record(s);
      for (int i = 0; i <= 10; i++) {
        fly_dae_state at;
        const double t = r.t - r.h + (r.before - (r.t - r.h)) * i / 10;
        assert_ok(fly_solver_interpolate(s, t, &at, &error), &error);
        assert_close(at.vdot[0], t > 1 && t < 3 ? 10 : 0, 1e-4);
      }
      assert_close(fly_solver_state(s).vdot[0], r.t > 1 && r.t < 3 ? 10 : 0, 1e-4);
    }
    fly_solver_free(s);
  }
}

// Fixed steps keep their grid and are cut at breaks.
static void fixed_steps_are_cut(void **state) {
  for (int k = 0; k < WAYS; k++)
    for (int on_grid = 0; on_grid < 2; on_grid++) {
      cart c = {.on = on_grid ? 1 : 1.003, .off = on_grid ? 1.5 : 1.512, .corner = NAN};
      const fly_dae_options o = with_step(options_of(ways[k].method, NAN, ways[k].formulation), 0.125);
      fly_solver *s = started(&c, &o, 4);
      fly_error error = {0};
      assert_ok(fly_solver_advance(s, 4, &error), &error);
      const double w = c.off - c.on;

      assert_close(fly_solver_state(s).q[0], 10 * w * (4 - c.on - w / 2), 1e-9);
      assert_int_equal(fly_solver_stats(s).breaks, 2);
      if (strcmp(ways[k].method, "ch") == 0 || strcmp(ways[k].method, "radau") == 0)
        assert_int_equal(fly_solver_stats(s).steps, on_grid ? 32 : 34);
      fly_solver_free(s);
    }
}

static void stops_are_met(void **state) {
  for (int k = 0; k < WAYS; k++) {
    cart c = {.on = 1, .off = 3, .corner = NAN};
    const fly_dae_options o = options_of(ways[k].method, NAN, ways[k].formulation);
    fly_solver *s = started(&c, &o, 4);
    fly_error error = {0};
    int met = 0;
    assert_int_equal(fly_solver_stop_at(s, 0, &error), FLY_BAD_INPUT);
    for (double stop = 0.3; stop < 4; stop += 0.37) {
      assert_ok(fly_solver_stop_at(s, stop, &error), &error);
      assert_ok(fly_solver_advance(s, stop, &error), &error);
      met += fly_solver_state(s).t == stop;
    }
    assert_int_equal(met, 10);
    assert_int_equal(fly_solver_stats(s).restarts, 2); // those of the breaks
    fly_solver_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pulses_are_felt),      cmocka_unit_test(corners_are_blows),
      cmocka_unit_test(sides_are_kept_apart), cmocka_unit_test(fixed_steps_are_cut),
      cmocka_unit_test(stops_are_met),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
