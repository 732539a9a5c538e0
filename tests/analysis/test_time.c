// Runs whose inputs are short, jump or have corners in time: what they give, what the ledger books and what the
// certificate says.
#define _POSIX_C_SOURCE 200809L
#include "simulation.h"

#define CART(force)                                                                                                    \
  "flyball: 1\n"                                                                                                       \
  "bodies: {cart: {mass: 1, inertia: [1, 1, 1]}}\n"                                                                    \
  "joints: {rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}}\n"                    \
  "forces: {push: {type: force, at: cart, force: [\"" force "\", 0, 0]}}\n"                                            \
  "outputs: {x: dx(cart)}\n"

static const char *const methods[] = {"ch", "hht", "radau", "partition", "hybrid", "direct", "baumgarte"};
enum { METHODS = sizeof methods / sizeof *methods };

static double last_x;
static void keep(const double *row, void *user) { last_x = row[1]; }

static simulation run(const char *text, const char *method, double end) {
  simulation s = simulation_default(end, NAN);
  s.options.method.name = method;
  s.options.channels = "outputs";
  s.options.row = keep;
  simulate_text(&s, text);
  return s;
}

// 10 N from 2 s to 2.2 s, with ramps of 0.01 s: an impulse of 1.9 N s about t = 2.1 s, so x(10) = 1.9 * 7.9. And
// without.
static void a_short_push(void **state) {
  for (int k = 0; k < METHODS; k++) {
    simulation s = run(CART("step(time, 2, 0, 2.01, 10) - step(time, 2.19, 0, 2.2, 10)"), methods[k], 10);
    assert_ok(s.status, &s.error);
    assert_close(last_x, 1.9 * 7.9, 1e-4);
    assert_int_equal(fly_run_stats(s.run).breaks, 4);
    assert_int_equal(fly_run_certificate(s.run).time, FLY_TIME_BOUNDED);
    simulation_free(&s);
    s = run(CART("if(time > 2 and time < 2.2, 10, 0)"), methods[k], 10);
    assert_ok(s.status, &s.error);
    assert_close(last_x, 2 * 7.9, 1e-4);
    assert_int_equal(fly_run_stats(s.run).restarts, 2);
    simulation_free(&s);
  }
}

// A bell of width 1e-6 at 2.345 s whose integral is 1 N s.
static void a_bell(void **state) {
  for (int k = 0; k < METHODS; k++) {
    simulation s = run(CART("exp(-((time - 2.345)/1e-6)^2)/1e-6/sqrt(pi)"), methods[k], 10);
    assert_ok(s.status, &s.error);
    assert_close(last_x, 10 - 2.345, 1e-4);
    simulation_free(&s);
  }
}

// A force that jumps where another has a kink whose place rounding blurs, so that it is a wider break: the jump is met,
// not hidden in it. 1 N and, from c on, -1 N - sin(0.6 (t - c)).
static void a_jump_inside_a_kink(void **state) {
  static const double places[] = {0.7, 1.5707963267948966};
  for (int k = 0; k < METHODS * (int)(sizeof places / sizeof *places); k++) {
    const double c = places[k / METHODS], late = 4 - c, w = 0.6;
    const double jump = c * c / 2 + c * late - late * late / 2, kink = sin(w * late) / (w * w) - late / w;
    char text[1000];
    snprintf(text, sizeof text,
             CART("if(time < %.17g, 1, -1)\", 0, 0]}, dip: {type: force, at: cart, force: "
                  "[\"-max(0, sin(0.6*(time - %.17g)))"),
             c, c);
    simulation s = run(text, methods[k % METHODS], 4);
    assert_ok(s.status, &s.error);
    assert_close(last_x, jump + kink, 1e-4);
    assert_int_equal(fly_run_stats(s.run).restarts, 1);
    simulation_free(&s);
  }
}

#define DRIVEN(motion)                                                                                                 \
  "flyball: 1\ngravity: [0, -9.81, 0]\n"                                                                               \
  "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}, bob: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, -0.5, "     \
  "0]}}\n"                                                                                                             \
  "joints:\n"                                                                                                          \
  "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}\n"                            \
  "  pin: {type: revolute, bodies: [cart, bob], at: [0, 0, 0], axis: [0, 0, 1]}\n"                                     \
  "motions: {drive: {joint: rail, " motion "}}\n"                                                                      \
  "outputs: {x: dx(bob)}\n"

// The same corner as position and as velocity: one motion, and a ledger that balances, because the blow is booked.
static void corners(void **state) {
  static const char *const ways[] = {DRIVEN("displacement: \"3*max(0, time - 0.7) - time\""),
                                     DRIVEN("velocity: \"if(time < 0.7, -1, 2)\"")};
  double first = NAN;
  for (int w = 0; w < 2; w++)
    for (int k = 0; k < METHODS; k++) {
      simulation s = run(ways[w], methods[k], 2);
      assert_ok(s.status, &s.error);
      const fly_stats stats = fly_run_stats(s.run);
      const fly_ledger l = fly_run_ledger(s.run);
      first = isnan(first) ? last_x : first;
      assert_close(last_x, first, 1e-4);
      assert_int_equal(stats.corners, 1);
      assert_true(stats.rejected_error < 60);
      assert_at_most(l.worst, 1e-3 * l.moved);
      assert_at_least(l.motions, 1);
      simulation_free(&s);
    }
}

// By backward differences too, where there are some.
static void a_corner_by_bdf(void **state) {
  static const char text[] = DRIVEN("displacement: \"3*max(0, time - 0.7) - time\"");
  simulation s = run(text, "radau", 2);
  assert_ok(s.status, &s.error);
  const double there = last_x;
  simulation_free(&s);
  s = run(text, "bdf", 2);
  if (s.status != FLY_BAD_INPUT) {
    assert_ok(s.status, &s.error);
    assert_close(last_x, there, 1e-3);
  }
  simulation_free(&s);
}

static void a_torn_motion(void **state) {
  simulation s = run(DRIVEN("displacement: \"if(time < 1, 0, 0.1)\""), "ch", 2);
  assert_int_equal(s.status, FLY_BAD_INPUT);
  assert_says(&s.error, "At t = 1 s a motion jumps");
  simulation_free(&s);
}

// A row at a break shows what is behind it.
static double row_time[3], row_force[3];
static int rows;
static void keep_force(const double *row, void *user) {
  if (fabs(row[0] - 1) < 0.6 && rows < 3) {
    row_time[rows] = row[0];
    row_force[rows++] = row[1];
  }
}

static void rows_at_a_break(void **state) {
  static const char text[] = "flyball: 1\n"
                             "bodies: {cart: {mass: 1, inertia: [1, 1, 1]}}\n"
                             "forces: {push: {type: force, at: cart, force: [\"if(time <= 1, 0, 10)\", 0, 0]}}\n"
                             "outputs: {a: accx(cart)}\n";
  simulation s = simulation_default(4, NAN);
  rows = 0;
  s.options.output = 0.5;
  s.options.channels = "outputs";
  s.options.row = keep_force;
  simulate_text(&s, text);
  assert_ok(s.status, &s.error);
  assert_int_equal(rows, 3);
  assert_true(row_time[1] == 1);
  assert_close(row_force[0], 0, 1e-12);
  assert_close(row_force[1], 10, 1e-9);
  assert_close(row_force[2], 10, 1e-9);
  simulation_free(&s);
}

static void limits_of_steps(void **state) {
  simulation s = simulation_default(10, NAN);
  s.options.step_max = 0.01;
  simulate_text(&s, CART("0"));
  assert_ok(s.status, &s.error);
  assert_at_most(fly_run_stats(s.run).h_max, 0.01 * (1 + 1e-9));
  simulation_free(&s);
  s = simulation_default(10, NAN);
  simulate_text(&s, CART("0") "simulate: {step_max: 0.02}\n");
  assert_ok(s.status, &s.error);
  assert_between(fly_run_stats(s.run).h_max, 0.015, 0.02 * (1 + 1e-9));
  simulation_free(&s);
}

static double farthest; // of a row from x = 10/2 t^2 for 1 s, then 10 t - 5
static void keep_farthest(const double *row, void *user) {
  farthest = fmax(farthest, fabs(row[1] - (row[0] < 1 ? 5 * row[0] * row[0] : 10 * row[0] - 5)));
}

// A push that ends where the run does: rows within the last step are what they are without the break.
static void a_break_at_the_end(void **state) {
  for (int k = 0; k < METHODS; k++)
    for (int later = 0; later < 2; later++) {
      simulation s = simulation_default(1 + later * 1e-3, NAN);
      s.options.method.name = methods[k];
      s.options.channels = "outputs";
      s.options.row = keep_farthest;
      farthest = 0;
      simulate_text(&s, CART("if(time < 1, 10, 0)"));
      assert_ok(s.status, &s.error);
      assert_at_most(farthest, 1e-5);
      simulation_free(&s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_break_at_the_end),   cmocka_unit_test(a_short_push),    cmocka_unit_test(a_bell),
      cmocka_unit_test(a_jump_inside_a_kink), cmocka_unit_test(corners),         cmocka_unit_test(a_corner_by_bdf),
      cmocka_unit_test(a_torn_motion),        cmocka_unit_test(rows_at_a_break), cmocka_unit_test(limits_of_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
