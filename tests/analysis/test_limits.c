// Limits of joints: what meets them turns round, rests on them and leaves them, or is pushed back by springs. Against
// closed forms, by every method.
//
// labels: events
#include "analysis/runs.h"

static const char *const METHODS[] = {"radau", "partition", "hybrid", "ch", "hht", "auto"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };
static const double g = 9.81;

// ---------------------------------------------------------------------------------------------- rigid ones

// A block falls from 1 m on its limit, bounces 0.8 times as fast each time, comes to rest, and is lifted from t = 6 on
// by a force that grows by 5 N/s: it leaves where that is its weight.
static double bounces(double t) {
  double v = sqrt(2 * g), at = v / g;
  if (t < at)
    return 1 - g / 2 * t * t;
  for (v *= 0.8; at + 2 * v / g < t && v > 1e-6; v *= 0.8)
    at += 2 * v / g;
  return v > 1e-6 ? (t - at) * (v - g / 2 * (t - at)) : 0;
}

static void a_block_bounces_rests_and_leaves(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n  block: {type: planar, mass: 2, inertia: 0.1, position: [0, 1]}\n"
      "joints:\n  guide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [0, 1, 0], "
      "displacement: 1, limits: {low: 0, restitution: 0.8}}\n"
      "forces:\n  lift: {type: force, at: block, force: [0, \"if(time > 6, 5*(time - 6), 0)\", 0]}\n"
      "variables: {height: guide.displacement}\n";
  const double off = 6 + 2 * g / 5;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-7, 12, 0.1, "height guide.stop energy.balance");
    for (long i = 0; i < d.rows; i++) {
      const double *row = row_of(&d, i), t = row[0];
      assert_close(row[1], t < off ? bounces(t) : 5 * pow(t - off, 3) / 12, 1e-6);
      if (t > 4.1)
        assert_close(row[2], t < off ? -1 : 0, 0);
      assert_close(row[3], 0, 1e-5);
    }
    assert_close(fly_run_ledger(d.run).events, -2 * g, 1e-5);
    driven_free(&d);
  }
}

// Without weight between two limits: 2 rad apart, half as fast each time.
static void an_arm_goes_to_and_fro(void **state) {
  static const char text[] =
      "flyball: 1\nbodies:\n  arm: {type: planar, mass: 2, inertia: 0.1, position: [0.5, 0]}\n"
      "joints:\n  pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], angular_velocity: 4, "
      "limits: {low: -1, high: 1, restitution: 0.5}}\nvariables: {angle: pin.angle}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-7, 6, 0.25, "angle");
    for (long i = 0; i < d.rows; i++) {
      double at = 0, x = 0, v = 4, t = row_of(&d, i)[0];
      for (double way = 1; at + way / fabs(v) < t; way = 2) {
        at += way / fabs(v);
        x = v > 0 ? 1 : -1;
        v *= -0.5;
      }
      assert_close(row_of(&d, i)[1], x + v * (t - at), 2e-6);
    }
    driven_free(&d);
  }
}

// A rod that slides and turns between limits of its own, half and three quarters as fast each time.
static void a_rod_has_limits_both_ways(void **state) {
  static const char text[] =
      "flyball: 1\nbodies:\n  rod: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n  bush: {type: cylindrical, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1], velocity: 3, "
      "angular_velocity: 4, limits: {low: -1, high: 1, restitution: 0.75}, "
      "angle_limits: {low: -1, high: 1, restitution: 0.5}}\n"
      "variables: {way: bush.displacement, turn: bush.angle}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-7, 3, 0.25, "way turn");
    for (long i = 0; i < d.rows; i++)
      for (int c = 0; c < 2; c++) {
        double at = 0, x = 0, v = 3 + c, t = row_of(&d, i)[0];
        for (double way = 1; at + way / fabs(v) < t; way = 2) {
          at += way / fabs(v);
          x = v > 0 ? 1 : -1;
          v *= c ? -0.5 : -0.75;
        }
        assert_close(row_of(&d, i)[1 + c], x + v * (t - at), 2e-6);
      }
    driven_free(&d);
  }
}

// The elbow of two arms on a table: the blow is shared so that the moment of momentum about the shoulder stays.
static void an_elbow_meets_its_limit(void **state) {
  static const char text[] =
      "flyball: 1\nbodies:\n  a: {type: planar, mass: 1, inertia: 0.2, position: [0.5, 0]}\n"
      "  b: {type: planar, mass: 2, inertia: 0.3, position: [1.5, 0]}\n"
      "joints:\n  shoulder: {type: revolute, bodies: [ground, a], at: [0, 0, 0], angular_velocity: 1}\n"
      "  elbow: {type: revolute, bodies: [a, b], at: [1, 0, 0], angular_velocity: 2, "
      "limits: {high: 0.2, restitution: 0.6}}\n"
      "events:\n  watch: {when: \"elbow.angle > 0.19999\", message: near}\nvariables: {bend: elbow.angle, rate: "
      "elbow.w}\n";
  const double L = 1 * 0.5 * 0.5 + 0.2 + 2 * 1.5 * (1 + 0.5 * 3) + 0.3 * 3;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-7, 0.3, 0.001, "a.x a.y a.vx a.vy a.w b.x b.y b.vx b.vy b.w bend rate");
    double before = 0, after = 0;
    for (long i = 0; i < d.rows; i++) {
      const double *r = row_of(&d, i) + 1, *b = r + 5;
      const double moment = r[0] * r[3] - r[1] * r[2] + 0.2 * r[4] + 2 * (b[0] * b[3] - b[1] * b[2]) + 0.3 * b[4];
      assert_close(moment, L, 3e-6);
      assert_true(r[10] < 0.2 + 1e-6);
      before = r[11] > 0 && after == 0 ? r[11] : before;
      after = r[11] < 0 && after == 0 ? r[11] : after;
    }
    assert_close(after / before, -0.6, 5e-3); // a row apart
    driven_free(&d);
  }
}

// Without restitution it stays, on a slope with friction too.
static void what_does_not_bounce_stays(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {a: 30*deg}\n"
      "bodies:\n  block: {type: planar, mass: 2, inertia: 0.1, angle: a}\n"
      "joints:\n  slide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [cos(a), sin(a), 0], "
      "friction: {mu: 0.1}, limits: {low: -1, restitution: 0}}\nvariables: {way: slide.displacement}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 100, 1, "way energy.balance");
    for (long i = 1; i < d.rows; i++) {
      assert_close(row_of(&d, i)[1], -1, 1e-9);
      assert_close(row_of(&d, i)[2], 0, 1e-4);
    }
    driven_free(&d);
  }
}

// Between two limits, pulled to and fro: what rests at one does not meet the other, and leaves where the pull turns.
static void what_rests_at_one_limit_does_not_meet_the_other(void **state) {
  static const char text[] = "flyball: 1\nbodies:\n  c: {type: planar, mass: 1, inertia: 0.1, velocity: [0.6, 0]}\n"
                             "joints:\n  g: {type: translational, bodies: [ground, c], at: [0, 0, 0], axis: [1, 0, 0], "
                             "limits: {low: -0.1, high: 0.1, restitution: 0}}\n"
                             "forces:\n  f: {type: force, at: c, force: [\"2.5*sin(8*time)\", 0, 0]}\n";
  static const char *const methods[] = {"ch", "radau"};
  for (int k = 0; k < 2; k++) {
    driven d = run_well(text, methods[k], 1e-5, 0.44, 0.02, "c.x g.stop");
    for (long i = 0; i < d.rows; i++) { // it meets its limit at 0.154, and leaves it at pi/8
      const double *row = row_of(&d, i), t = row[0], from = acos(-1) / 8, u = fmax(0, t - from);
      if (t > 0.155)
        assert_close(row[1], 0.1 - 2.5 / 8 * (u - sin(8 * u) / 8), 1e-5);
      assert_close(row[2], t > 0.155 && t < from, 0);
    }
    driven_free(&d);
  }
}

// What is pulled off its limit is not met by it again while it goes away, however near rounding leaves it: on a spring
// of 10 N/m at 0.1 m it leaves where 2.5 sin 8t = 1.
static void what_leaves_does_not_meet_again(void **state) {
  static const char text[] = "flyball: 1\nbodies:\n  c: {type: planar, mass: 1, inertia: 0.1, velocity: [0.6, 0]}\n"
                             "joints:\n  g: {type: translational, bodies: [ground, c], at: [0, 0, 0], axis: [1, 0, 0], "
                             "limits: {high: 0.1, restitution: 0}}\n"
                             "forces:\n  f: {type: force, at: c, force: [\"-10*dx(c) + 2.5*sin(8*time)\", 0, 0]}\n";
  const double leaves = (acos(-1) - asin(0.4)) / 8;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-4, 0.4, 0.01, "c.x g.stop");
    for (long i = 0; i < d.rows; i++) {
      const double *row = row_of(&d, i), t = row[0];
      if (t > 0.155 && t < leaves)
        assert_close(row[1], 0.1, 1e-9);
      assert_close(row[2], t > 0.155 && t < leaves, 0);
    }
    driven_free(&d);
  }
}

// ---------------------------------------------------------------------------------------------- soft ones

// A spring is met at v and left at -v, half a period pi sqrt(m/k) later.
static void a_spring_sends_it_back(void **state) {
  static const char text[] =
      "flyball: 1\nbodies:\n  block: {type: planar, mass: 2, inertia: 0.1}\n"
      "joints:\n  slide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, 0], velocity: 2, "
      "limits: {low: -1, high: 1, stiffness: 2e4}}\n";
  const double touch = acos(-1) / 100, round = 2 + 2 * touch;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 2 * round + 0.25, 0.25, "block.x energy.balance");
    assert_close(row_of(&d, d.rows - 1)[1], 0.5, 1e-5);
    assert_close(row_of(&d, d.rows - 1)[2], 0, 1e-4);
    driven_free(&d);
  }
}

// ---------------------------------------------------------------------------------------------- what is refused

static void refused(const char *limits, const char *says) {
  char text[1500];
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  bob: {type: planar, mass: 2, inertia: 0.1}\n"
           "joints:\n  pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], angle: 0.5, limits: %s}\n",
           limits);
  refused_text(text, says);
}

static void what_is_wrong_is_refused(void **state) {
  refused("{low: 1, high: -1, restitution: 1}", "`low` is 1 rad, and must be less than `high`, -1 rad");
  refused("{restitution: 1}", "needs `low`, `high`, or both");
  refused("{high: 1}", "and has neither");
  refused("{high: 1, stiffness: 1, restitution: 0}", "not both");
  refused("{high: 1, restitution: 1.5}", "more than 1 would make energy");
  refused("{high: 0.4, restitution: 0.5}", "starts at 0.5 rad, beyond its `limits`");
  refused("{hihg: 1, restitution: 0.5}", "Did you mean 'high'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_bounces_rests_and_leaves),
      cmocka_unit_test(an_arm_goes_to_and_fro),
      cmocka_unit_test(an_elbow_meets_its_limit),
      cmocka_unit_test(a_rod_has_limits_both_ways),
      cmocka_unit_test(what_does_not_bounce_stays),
      cmocka_unit_test(what_rests_at_one_limit_does_not_meet_the_other),
      cmocka_unit_test(what_leaves_does_not_meet_again),
      cmocka_unit_test(a_spring_sends_it_back),
      cmocka_unit_test(what_is_wrong_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
