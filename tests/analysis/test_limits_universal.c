// Limits of the two pins of a universal joint. A ball on a cross, R = Rz(a) Rx(b), has the energy J (a'^2 + b'^2)/2:
// its free motion is a straight line in a and b, and between limits that of a point on a billiard table.
//
// labels: events
#include "analysis/runs.h"

static const char *const METHODS[] = {"radau", "partition", "ch"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

#define SEEN "variables: {a: \"atan2(dy(ball.p, ground), dx(ball.p, ground))\", b: \"asin(dz(ball.q, ground))\"}\n"
#define BALL                                                                                                           \
  "flyball: 1\nbodies:\n  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [0.5, 0, 0.8], markers: {p: "    \
  "[1, 0, 0], q: [0, 1, 0], to: {at: [0, 0, 0], orientation: {axis: [1, 0, 1], angle: 180*deg}}}}\n"

// From 0 at a rate, e times as fast after each blow.
static double between(double t, double v, double low, double high, double e) {
  double at = 0, x = 0;
  for (;;) {
    const double end = v > 0 ? high : low, met = at + (end - x) / v;
    if (met > t)
      return x + v * (t - at);
    at = met;
    x = end;
    v *= -e;
  }
}

static void go_as_on_a_billiard_table(const char *text) {
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-7, 5, 0.1, "a b energy.balance");
    for (long i = 0; i < d.rows; i++) {
      const double *row = row_of(&d, i), t = row[0];
      assert_close(row[1], between(t, 0.8, -0.2, 0.5, 0.75), 2e-6);
      assert_close(row[2], between(t, 0.5, -0.4, 0.3, 1), 2e-6);
      assert_close(row[3], 0, 1e-6);
    }
    driven_free(&d);
  }
}

// As drawn both angles are 0.
static void two_pins_have_limits_of_their_own(void **state) {
  (void)state;
  go_as_on_a_billiard_table(
      BALL
      "joints:\n  hook: {type: universal, bodies: [ground, ball], at: [0, 0, 0], axis: [0, 0, 1], axis2: [2, 0, "
      "0], limits: {low: -0.2, high: 0.5, restitution: 0.75}, limits2: {low: -0.4, high: 0.3, restitution: 1}}\n" SEEN);
}

// By markers they are 0 where each z is along the x of the other; here x of `from` is turned by 0.3.
static void markers_say_where_they_begin(void **state) {
  (void)state;
  go_as_on_a_billiard_table(
      BALL
      "  ground: {markers: {m: {at: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: 0.3}}}}\n"
      "joints:\n  hook: {type: universal, from: ground.m, to: ball.to, limits: {low: -0.5, high: 0.2, restitution: "
      "0.75}, limits2: {low: -0.4, high: 0.3, restitution: 1}}\n" SEEN);
}

// Turned round, the second body is the ground: the axes change places and the turns their signs.
static void either_body_is_the_first(void **state) {
  (void)state;
  go_as_on_a_billiard_table(
      BALL
      "joints:\n  hook: {type: universal, bodies: [ball, ground], at: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 0, "
      "1], limits: {low: -0.3, high: 0.4, restitution: 1}, limits2: {low: -0.5, high: 0.2, restitution: 0.75}}\n" SEEN);
}

// A stop of the second pin that is met at rest holds, with a load that pushes away from it, and lets go where that
// turns.
static void it_rests_on_a_stop(void **state) {
  (void)state;
  static const char text[] =
      "flyball: 1\nbodies:\n  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], markers: {p: [1, 0, 0], q: [0, 1, 0]}}\n"
      "joints:\n  hook: {type: universal, bodies: [ground, ball], at: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0], "
      "limits2: {low: -1, high: 0, restitution: 0}}\n"
      "forces:\n  turn: {type: force, at: ball, torque: [\"0.2*cos(time)\", 0, 0]}\n" SEEN;
  const double quarter = acos(-1) / 2;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-7, 2, 0.1, "b hook.stop2");
    for (long i = 1; i < d.rows; i++) {
      const double *row = row_of(&d, i), u = fmax(0, row[0] - quarter);
      assert_close(row[1], -2 * (u - sin(u)), 2e-6); // b'' = -2 sin u
      assert_close(row[2], row[0] < quarter, 0);
    }
    driven_free(&d);
  }
}

// Springs of both pins send it back, half a period pi sqrt(J/k) later.
static void springs_send_it_back(void **state) {
  (void)state;
  static const char text[] =
      BALL "joints:\n  hook: {type: universal, bodies: [ground, ball], at: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, "
           "0], limits: {low: -0.2, high: 0.4, stiffness: 1000}, limits2: {high: 0.25, stiffness: 1000}}\n" SEEN;
  const double touch = acos(-1) / 100;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-7, 1 + touch, 0.5 + touch / 2, "a b");
    const double *row = row_of(&d, d.rows - 1);
    assert_close(row[1], 0.4 - 0.8 * 0.5, 5e-6);
    assert_close(row[2], 0.25 - 0.5 * 0.5, 5e-6);
    driven_free(&d);
  }
}

static void a_start_beyond_is_refused(void **state) {
  (void)state;
  refused_text(BALL "joints:\n  hook: {type: universal, from: ground, to: ball.to, limits2: {low: 0.1, high: 0.3, "
                    "restitution: 1}}\n",
               "beyond its `limits2` from 0.1 to 0.3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_pins_have_limits_of_their_own),
      cmocka_unit_test(markers_say_where_they_begin),
      cmocka_unit_test(either_body_is_the_first),
      cmocka_unit_test(it_rests_on_a_stop),
      cmocka_unit_test(springs_send_it_back),
      cmocka_unit_test(a_start_beyond_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
