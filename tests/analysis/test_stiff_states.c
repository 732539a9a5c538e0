// First-order states that are much faster than the motion, by Radau (docs/theory/radau.md, RI-states): errors of rows,
// which lie between the ends of steps, steps that are rejected, starts beside the slow solution, states that drive a
// body. Judged by closed forms, by digits of an independent integration and by another method.
#define _POSIX_C_SOURCE 200809L
#include "analysis/simulation.h"

enum { ROWS = 400 };

typedef struct rows {
  int n, iq;      // so many; index of the position that is kept, or -1
  bool no_states; // there is no x
  double t[ROWS + 1], x[ROWS + 1], q[ROWS + 1];
} rows;

static void keep(const fly_dae_state *at, void *user) {
  rows *r = user;
  if (r->n > ROWS)
    return;
  r->t[r->n] = at->t;
  r->x[r->n] = r->no_states ? 0 : at->x[0];
  r->q[r->n] = r->iq >= 0 ? at->q[r->iq] : 0;
  r->n++;
}

// Rows of a model, and what was done for them.
static fly_stats run(rows *r, const char *text, const char *method, double end, double error) {
  simulation s = {.options = fly_run_options_default()};
  s.options.method.name = method;
  s.options.end = end;
  s.options.output = end / ROWS;
  s.options.error = error;
  s.options.state = keep;
  s.options.user = r;
  r->n = 0;
  simulate_text(&s, text);
  assert_ok(s.status, &s.error);
  assert_int_equal(r->n, ROWS + 1);
  const fly_stats stats = fly_run_stats(s.run);
  simulation_free(&s);
  return stats;
}

// ------------------------------------------------------------------------------------------ a fast lag

// x' = -L (x - sin t) from x0.
static double lag(double L, double x0, double t) {
  const double slow = 1 + L * L;
  return (L * L * sin(t) - L * cos(t)) / slow + (x0 + L / slow) * exp(-L * t);
}

// A step is rejected at each turn of x, where its fourth derivative vanishes, and hardly another.
static void assert_lag(double L, double x0, double error) {
  char text[400];
  rows r = {.iq = -1};
  double worst = 0;
  snprintf(text, sizeof text,
           "flyball: 1\ngravity: [0, -9.81, 0]\n"
           "bodies: {bob: {type: planar, mass: 1, inertia: 0.01, position: [0, -1]}}\n"
           "joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0]}}\n"
           "states: {x: {rate: -%g*(x - sin(time)), start: %g, scale: 1}}\n",
           L, x0);
  const fly_stats stats = run(&r, text, "radau", 100, error);
  for (int k = 0; k <= ROWS; k++)
    worst = fmax(worst, fabs(r.x[k] - lag(L, x0, r.t[k])));
  say("L = %.0e from %g at %.0e: %.2f of it, %ld steps, %ld rejected\n", L, x0, error, worst / error, stats.steps,
      stats.rejected_error);
  assert_at_most(worst, error);
  assert_at_most((double)stats.rejected_error, 0.25 * (double)stats.steps);
}

static void rows_of_a_fast_state_are_right(void **state) {
  for (double L = 1; L < 1e9; L *= 100)
    for (double error = 1e-3; error > 1e-8; error *= 0.01)
      assert_lag(L, 0, error);
}

static void it_may_start_beside_its_slow_solution(void **state) {
  assert_lag(1e6, 1, 1e-4);
  assert_lag(1e6, 1, 1e-6);
}

// ------------------------------------------------------------------------------------------ nonlinear ones

// x' = -1e6 (x^3 - g^3), g = 1 + sin(t)/2, from 2: g - g'/(3e6 g^2) after a microsecond. While it goes there, a step's
// share of the error is far below the rounding of x.
static void a_cubic_transient_takes_few_rejections(void **state) {
  rows r = {.iq = -1};
  double worst = 0;
  const fly_stats stats = run(&r,
                              "flyball: 1\n"
                              "states: {x: {rate: -1e6*(x^3 - (1 + 0.5*sin(time))^3), start: 2, scale: 1}}\n",
                              "radau", 20, 1e-7);
  for (int k = 1; k <= ROWS; k++) {
    const double g = 1 + 0.5 * sin(r.t[k]);
    worst = fmax(worst, fabs(r.x[k] - (g - 0.5 * cos(r.t[k]) / (3e6 * g * g))));
  }
  say("cubic: %.2e, %ld steps, %ld rejected\n", worst, stats.steps, stats.rejected_error);
  assert_at_most(worst, 1e-7);
  assert_at_most((double)stats.rejected_error, 100);
}

// Van der Pol's equation from beside its slow solution: rates of the start lead far away, and with derivatives of there
// an iteration seemed to arrive at once. Digits of an extrapolated Euler's rule with 64 bits.
static void a_first_step_begins_where_states_are(void **state) {
  rows r = {.iq = -1};
  run(&r,
      "flyball: 1\nstates:\n  x: {rate: y, start: 2}\n"
      "  y: {rate: 1000*(1 - x^2)*y - x, start: 0, scale: 1000}\n",
      "radau", 2000, 1e-3);
  assert_close(r.x[ROWS / 20], 1.9313613205272804, 1e-3);
  assert_close(r.x[ROWS / 10], 1.8582059522139521, 1e-3);
}

// ------------------------------------------------------------------------------------------ what it drives

// A state that follows a body at 1e8/s and pulls at it, against the same pull without it. The rate of the state is 1e8
// times what its polynomial is off by between the ends of a step: no force that was leapt over.
static void nothing_is_leapt_over_by_a_fast_state(void **state) {
#define CART                                                                                                           \
  "flyball: 1\n"                                                                                                       \
  "bodies: {cart: {type: planar, mass: 1, inertia: 0.01, position: [0, 0]}}\n"                                         \
  "joints: {guide: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
  static rows with, without;
  double worst = 0;
  with.iq = without.iq = 0;
  without.no_states = true;
  const fly_stats stats = run(&with,
                              CART "states: {x: {rate: -1e8*(x - sin(guide.displacement) - sin(time)), scale: 1}}\n"
                                   "forces: {pull: {type: force, at: cart, "
                                   "force: ['x - guide.displacement - 0.1*guide.v', 0, 0]}}\n",
                              "radau", 20, 1e-6);
  run(&without,
      CART "forces: {pull: {type: force, at: cart, force: ['sin(guide.displacement) + sin(time) - "
           "guide.displacement - 0.1*guide.v', 0, 0]}}\n",
      "partition", 20, 1e-9);
  for (int k = 0; k <= ROWS; k++)
    worst = fmax(worst, fabs(with.q[k] - without.q[k]));
  say("cart: %.2e, %ld steps, %ld cut short\n", worst, stats.steps, stats.leaps);
  assert_at_most(worst, 1e-6);
  assert_int_equal(stats.leaps, 0);
  assert_at_most((double)stats.steps, 1000);
}

// ------------------------------------------------------------------------------------------ not stiff at all

// A state that follows an acceleration, through a force that saturates (examples/spring-mass.yaml).
static const char spring_mass[] =
    "flyball: 1\n"
    "bodies: {mass: {type: point, mass: 1, position: [5, 0, 0]}}\n"
    "joints: {rail: {type: in-line, bodies: [ground, mass], at: [5, 0, 0], axis: [1, 0, 0]}}\n"
    "states: {x: {rate: -0.1*x - 1.4*accx(mass)}}\n"
    "forces: {spring: {type: force, at: mass, force: ['tanh(x) - dx(mass)', 0, 0]}}\n";

// Where its fourth derivative passes zero, near 10.5 s, steps erred by 16 times their estimates.
static void small_differences_do_not_fool_the_estimate(void **state) {
  static rows fine, r;
  fine.iq = r.iq = -1;
  run(&fine, spring_mass, "partition", 20, 1e-10);
  for (double error = 1e-4; error > 5e-9; error *= 0.1) {
    double worst = 0;
    const fly_stats stats = run(&r, spring_mass, "radau", 20, error);
    for (int k = 0; k <= ROWS; k++)
      worst = fmax(worst, fabs(r.x[k] - fine.x[k]));
    say("spring and mass at %.0e: %.2f of it, %ld steps\n", error, worst / error, stats.steps);
    assert_at_most(worst, error);
  }
}

// By a Taylor series of 40 digits.
static void a_state_is_right_to_round_off(void **state) {
  static rows r;
  r.iq = 0;
  run(&r, spring_mass, "radau", 1, 1e-13);
  say("x %.2e, q %.2e off at 1e-13\n", r.x[ROWS] - 4.54886681540816213, r.q[ROWS] - 3.07451188728805985);
  assert_close(r.x[ROWS], 4.54886681540816213, 1e-13);
  assert_close(r.x[ROWS / 2], 2.75344859085738742, 1e-13);
  assert_close(r.q[ROWS], 3.07451188728805985, 1e-13);
}

// ------------------------------------------------------------------------------------------ what follows the motion

// Stages of positions and velocities are of a lower order than the ends of steps, and so is a fast state that follows
// them: its rows were up to 3.7 times as far off as asked for.
static void assert_follower(const char *rate, const char *torque, double error) {
  static rows fine, r;
  char text[700];
  double worst = 0;
  snprintf(
      text, sizeof text,
      "flyball: 1\ngravity: [0, -9.81, 0]\n"
      "bodies: {bob: {type: planar, mass: 1, inertia: 0.1, position: [0.5*cos(-0.3), 0.5*sin(-0.3)], angle: -0.3,\n"
      "  markers: {pin: [-0.5, 0]}}}\n"
      "joints: {pin: {type: revolute, from: ground, to: bob.pin, angle: -0.3}}\n"
      "states: {x: {rate: '%s', start: 0, scale: 1}}\n"
      "forces: {motor: {type: force, at: bob, torque: [0, 0, '%s']}}\n",
      rate, torque);
  fine.iq = r.iq = -1;
  run(&fine, text, "partition", 2, 1e-10);
  const fly_stats stats = run(&r, text, "radau", 2, error);
  for (int k = 0; k <= ROWS; k++)
    worst = fmax(worst, fabs(r.x[k] - fine.x[k]));
  say("%s at %.0e: %.2f of it, %ld steps\n", rate, error, worst / error, stats.steps);
  assert_at_most(worst, error);
}

static void rows_of_followers_are_right(void **state) {
  assert_follower("(0.2*pin.w - x)/1e-3", "0", 1e-7);
  assert_follower("(0.2*pin.w - x)/3e-5", "0", 1e-5);
  assert_follower("(pin.angle - x)/2e-4", "0", 1e-7);
  assert_follower("(sin(time) - pin.w - x)/1e-3", "x", 1e-7);
}

// Three bars on each other with springs: angular velocities of stages err in what the constraints forbid, too. Beside
// these 2.3 times the error asked for did not show.
static void rows_of_a_follower_of_a_chain_are_right(void **state) {
  static const char chain[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\n"
      "bodies:\n"
      "  b1: {type: planar, mass: 1.706, inertia: 0.064583, position: [0.2551281054042893, -0.22017867706210306],\n"
      "    angle: -0.712, markers: {a: [-0.337, 0], b: [0.337, 0]}}\n"
      "  b2: {type: planar, mass: 2.281, inertia: 0.130004, position: [0.17434150522903974, -0.681487112916877],\n"
      "    angle: -2.519, markers: {a: [-0.4135, 0], b: [0.4135, 0]}}\n"
      "  b3: {type: planar, mass: 2.266, inertia: 0.174755, position: [-0.455418688752409, -1.3034263108596864],\n"
      "    angle: -2.228, velocity: [0.18469257798781719, -0.14251506187492627], angular_velocity: 0.485,\n"
      "    markers: {a: [-0.481, 0], b: [0.481, 0]}}\n"
      "joints:\n"
      "  j1: {type: revolute, from: ground, to: b1.a, angle: -0.712}\n"
      "  j2: {type: revolute, from: b1.b, to: b2.a, angle: -1.807}\n"
      "  j3: {type: revolute, from: b2.b, to: b3.a, angle: 0.291}\n"
      "states: {x: {rate: (j3.w - x)/0.0005125, start: -0.204459, scale: 10}}\n"
      "forces:\n"
      "  f1: {type: torsion-spring, joint: j1, torque: -0.211*j1.w - 0.69*(j1.angle + 0.809)}\n"
      "  f2: {type: torsion-spring, joint: j2, torque: -0.392*j2.w - 12.613*(j2.angle + 1.366)}\n"
      "  f3: {type: torsion-spring, joint: j3, torque: -0.469*j3.w - 12.673*(j3.angle - 0.123)}\n";
  static rows fine, r;
  double worst = 0;
  fine.iq = r.iq = -1;
  run(&fine, chain, "partition", 1, 1e-10);
  const fly_stats stats = run(&r, chain, "radau", 1, 1e-7);
  for (int k = 0; k <= ROWS; k++)
    worst = fmax(worst, fabs(r.x[k] - fine.x[k]) / 10);
  say("chain: %.2f of 1e-7, %ld steps\n", worst / 1e-7, stats.steps);
  assert_at_most(worst, 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_a_fast_state_are_right),
      cmocka_unit_test(it_may_start_beside_its_slow_solution),
      cmocka_unit_test(a_cubic_transient_takes_few_rejections),
      cmocka_unit_test(a_first_step_begins_where_states_are),
      cmocka_unit_test(nothing_is_leapt_over_by_a_fast_state),
      cmocka_unit_test(small_differences_do_not_fool_the_estimate),
      cmocka_unit_test(a_state_is_right_to_round_off),
      cmocka_unit_test(rows_of_followers_are_right),
      cmocka_unit_test(rows_of_a_follower_of_a_chain_are_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
