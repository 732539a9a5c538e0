// Dry friction where more than one direction rubs on one surface, or a joint has two pins: cylindrical, spherical and
// universal joints. Against closed forms, and an integration of its own.
//
// labels: events
#include "analysis/runs.h"

static const char *const METHODS[] = {"radau", "partition", "ch", "auto"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static double error_of(int method) { return method < 2 ? 1e-8 : 1e-6; }

// ---------------------------------------------------------------------------------------------- balls

// A ball with the same moment of inertia about all axes, 0.1 kg m^2, pressed by 20 N: 0.3*0.05*20 N m brake it at
// 3 rad/s^2 about the axis it turns about, until it rests, after half a turn. There it stays.
static void a_ball_brakes_at_a_constant_rate(void **state) {
  static const char text[] = "flyball: 1\nparameters: {k: sqrt(6*pi/14)}\n"
                             "bodies:\n  top: {mass: 2, inertia: [0.1, 0.1, 0.1], angular_velocity: [3*k, 2*k, -k]}\n"
                             "joints:\n  ball: {type: spherical, bodies: [ground, top], at: [0, 0, 0], "
                             "friction: {mu: 0.3, radius: 0.05, preload: 20}}\n";
  const double size = sqrt(14), stop = sqrt(6 * acos(-1)) / 3, half = acos(-1) / 2;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 1e4, 100,
                        "top.e0 top.e1 top.e2 top.e3 top.wx ball.friction_x ball.slides_y ball.sticks energy.balance");
    assert_close(told(&d, "stops").last, stop, 1e-5);
    assert_close(row_of(&d, 0)[6], -0.3 * 3 / size, 1e-9);
    assert_close(row_of(&d, 0)[7], 2 / size, 1e-9);
    const double *first = row_of(&d, 1);
    assert_close(first[1], cos(half), 1e-5);
    assert_close(first[2], 3 / size * sin(half), 1e-5);
    assert_close(first[4], -1 / size * sin(half), 1e-5);
    for (long i = 1; i < d.rows; i++) {
      const double *row = row_of(&d, i);
      for (int c = 1; c <= 4; c++)
        assert_close(row[c], first[c], 1e-15); // nothing creeps
      assert_close(row[5], 0, 1e-15);
      assert_close(row[8], 1, 0);
      assert_close(row[9], 0, 1e-6);
    }
    driven_free(&d);
  }
}

// A torque that grows along (1, 2, 2)/3, by 0.6 N m/s: it breaks the ball away where it is r mu_static N = 0.4 N m, and
// the ball turns about that axis alone, I a = 0.6 t - 0.3.
static void a_ball_breaks_away_about_any_axis(void **state) {
  static const char text[] = "flyball: 1\nbodies:\n  top: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
                             "joints:\n  ball: {type: spherical, bodies: [ground, top], at: [0, 0, 0], "
                             "friction: {mu: 0.3, mu_static: 0.4, radius: 0.05, preload: 20}}\n"
                             "forces:\n  twist: {type: force, at: top, torque: [0.2*time, 0.4*time, 0.4*time]}\n";
  const double start = 2.0 / 3, t = 1 - start, rate = (0.3 * t * t + 0.1 * t) / 0.1;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], error_of(k), 1, 0.25, "top.wx top.wy top.wz ball.friction_y");
    assert_close(told(&d, "breaks_away").last, start, 10 * error_of(k));
    assert_close(row_of(&d, 2)[2], 0, 1e-15);
    assert_close(row_of(&d, 2)[4], -0.2, 1e-9);
    assert_close(row_of(&d, 4)[1], rate / 3, 100 * error_of(k));
    assert_close(row_of(&d, 4)[2], rate * 2 / 3, 100 * error_of(k));
    assert_close(row_of(&d, 4)[3], rate * 2 / 3, 100 * error_of(k));
    driven_free(&d);
  }
}

// ---------------------------------------------------------------------------------------------- rods

// A rod whose mass is I/r^2: friction opposes the slip (v, r w) and does not turn it.
static const char rod[] =
    "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n  rod: {mass: 2, inertia: [0.1, 0.1, 0.005]}\n"
    "joints:\n  bush: {type: cylindrical, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1], %s"
    "friction: {mu: 0.3, mu_static: 0.4, radius: 0.05}}\n"
    "variables: {way: bush.displacement, turn: bush.angle}\n%s";

static void a_rod_slides_and_turns(void **state) {
  char text[1500];
  snprintf(text, sizeof text, rod, "velocity: 1.5, angular_velocity: 20, ", "");
  const double size = sqrt(1.5 * 1.5 + 1), b = 0.3 * 9.81, way = size * size / (2 * b);
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-5, 1e4, 100,
                        "way turn bush.friction bush.friction_about bush.slides bush.slides_about");
    assert_close(told(&d, "stops").last, size / b, 1e-5);
    assert_close(row_of(&d, 0)[3], -2 * b * 1.5 / size, 1e-9);
    assert_close(row_of(&d, 0)[4], -2 * b * 0.05 / size, 1e-9);
    assert_close(row_of(&d, 0)[5], 1.5 / size, 1e-9);
    assert_close(row_of(&d, 0)[6], 1 / size, 1e-9);
    const double z = row_of(&d, 1)[1], a = row_of(&d, 1)[2];
    assert_close(z, way * 1.5 / size, 1e-5);
    assert_close(a, way / size / 0.05, 1e-5);
    for (long i = 1; i < d.rows; i++) {
      assert_close(row_of(&d, i)[1], z, 1e-15);
      assert_close(row_of(&d, i)[2], a, 1e-14);
    }
    driven_free(&d);
  }
}

// A force of 3 t and a torque of 4 r t: together 5 t break it away, in their direction.
static void a_rod_breaks_away_along_no_axis(void **state) {
  char text[1500];
  snprintf(text, sizeof text, rod, "",
           "forces:\n  pull: {type: force, at: rod, force: [0, 0, 3*time], torque: [0, 0, 0.2*time]}\n");
  const double N = 2 * 9.81, start = 0.4 * N / 5, t = 2 - start;
  const double way = (5 * t * t * t / 6 + (0.4 - 0.3) * N * t * t / 2) / 2;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], error_of(k), 2, 0.5, "way turn bush.friction");
    assert_close(told(&d, "breaks_away").last, start, 10 * error_of(k));
    assert_close(row_of(&d, 2)[1], 0, 1e-15);
    assert_close(row_of(&d, 2)[3], -3, 1e-9);
    assert_close(row_of(&d, 4)[1], 0.6 * way, 10 * error_of(k));
    assert_close(row_of(&d, 4)[2], 0.8 * way / 0.05, 100 * error_of(k));
    driven_free(&d);
  }
}

// Pulled along z while it turns, with less inertia about the axis: the slip turns towards the pull and stops there.
typedef struct slide {
  double z, a, v, w;
} slide;

static slide rate_of(slide s) {
  const double size = hypot(s.v, 0.05 * s.w), N = 2 * 9.81;
  return (slide){s.v, s.w, 3 - 0.4 * N * s.v / size / 2, -0.4 * N * 0.05 * 0.05 * s.w / size / 0.001};
}

static slide ahead(slide s, double h, slide r) {
  return (slide){s.z + h * r.z, s.a + h * r.a, s.v + h * r.v, s.w + h * r.w};
}

// Steps that shrink with the slip, until it is nothing.
static slide integrate(double *t) {
  slide s = {0, 0, -1.5, 20};
  for (*t = 0; hypot(s.v, 0.05 * s.w) > 1e-11;) {
    const double h = 1e-3 * hypot(s.v, 0.05 * s.w);
    const slide k1 = rate_of(s), k2 = rate_of(ahead(s, h / 2, k1)), k3 = rate_of(ahead(s, h / 2, k2));
    const slide k4 = rate_of(ahead(s, h, k3));
    s = ahead(ahead(ahead(ahead(s, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
    *t += h;
  }
  return s;
}

static void a_slip_turns_and_stops(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 3]\nbodies:\n  rod: {mass: 2, inertia: [0.1, 0.1, 0.001]}\n"
      "joints:\n  bush: {type: cylindrical, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1], velocity: -1.5, "
      "angular_velocity: 20, friction: {mu: 0.4, radius: 0.05}}\n"
      "variables: {way: bush.displacement, turn: bush.angle}\n";
  double stop;
  const slide truth = integrate(&stop);
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], error_of(k), 3, 1, "way turn bush.sticks");
    assert_close(told(&d, "stops").last, stop, 100 * error_of(k));
    for (long i = stop < 1 ? 1 : 2; i < d.rows; i++) {
      assert_close(row_of(&d, i)[1], truth.z, 10 * error_of(k));
      assert_close(row_of(&d, i)[2], truth.a, 10 * error_of(k));
      assert_close(row_of(&d, i)[3], 1, 0);
    }
    driven_free(&d);
  }
}

// Beside a screw of pitch p only slips along (p/2 pi, r) exist: what lies across is carried by the screw, and friction
// breaks away where F p/2 pi = mu_static N sqrt((p/2 pi)^2 + r^2).
static void friction_holds_what_the_mechanism_does_not(void **state) {
  static const char text[] =
      "flyball: 1\nparameters: {lead: 0.03}\n"
      "bodies:\n  nut: {mass: 2, inertia: [0.1, 0.1, 0.005]}\n"
      "joints:\n  bush: {type: cylindrical, bodies: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1], "
      "friction: {mu: 0.1, mu_static: 0.2, radius: 0.05, preload: 50}}\n"
      "  thread: {type: screw, bodies: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1], pitch: 2*pi*lead}\n"
      "forces:\n  pull: {type: force, at: nut, force: [0, 0, 20*time]}\n"
      "variables: {turn: bush.angle}\n";
  const double size = hypot(0.03, 0.05), start = 0.2 * 50 * size / 0.03 / 20, t = 2 - start;
  const double inertia = 2 * 0.03 * 0.03 + 0.005;
  const double force = 20 * 0.03 * t * t * t / 6 + (0.2 - 0.1) * 50 * size * t * t / 2;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], error_of(k), 2, 0.5, "turn");
    assert_close(told(&d, "breaks_away").last, start, 10 * error_of(k));
    assert_int_equal(told(&d, "breaks_away").count, 1);
    assert_close(row_of(&d, 4)[1], force / inertia, 100 * error_of(k));
    driven_free(&d);
  }
}

// A shaft that a motion turns and lets slide: a little friction along it is left, and what pushes it creeps as fast as
// that says; where the motion stops, it sticks.
static void a_shaft_that_turns_slides_easily(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n  rod: {mass: 2, inertia: [0.1, 0.1, 0.005]}\n"
      "joints:\n  bush: {type: cylindrical, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1], "
      "friction: {mu: 0.3, radius: 0.05}}\n"
      "motions:\n  drive: {joint: bush, angle: \"if(time < 1, 20*time, if(time < 2, 20, 20 + 10*(time - 2)))\"}\n"
      "forces:\n  push: {type: force, at: rod, force: [0, 0, 3]}\n"
      "variables: {way: bush.displacement, rate: bush.v}\n";
  // 2 v' = 3 - 0.3 N v/sqrt(v^2 + 1): it tends to tan(asin(3/0.3N)).
  const double steady = tan(asin(3 / (0.3 * 2 * 9.81)));
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], error_of(k), 9, 0.125, "way rate bush.sticks");
    double v = 0, z = 0;
    for (int i = 0; i < 100000; i++) {
      const double h = 1e-5, a = 1.5 - 0.3 * 9.81 * v / hypot(v, 1), w = v + h / 2 * a;
      z += h * w;
      v += h * (1.5 - 0.3 * 9.81 * w / hypot(w, 1));
    }
    assert_close(row_of(&d, 8)[1], z, 100 * error_of(k));
    assert_close(row_of(&d, 15)[2], 0, 1e-14); // at rest by 1.5 s
    assert_close(row_of(&d, 16)[1], row_of(&d, 15)[1], 1e-14);
    assert_close(row_of(&d, 15)[3], 1, 0);
    assert_close(row_of(&d, d.rows - 1)[2], steady / 2, 1e-3);
    driven_free(&d);
  }
}

// ---------------------------------------------------------------------------------------------- crosses

// A cross whose pins have their own friction: a body with the same inertia about all axes, pressed by 20 N and 10 N. It
// turns about the first at first, and is braked by that pin alone; a torque then turns it about the second.
static void pins_of_a_cross_rub_by_themselves(void **state) {
  static const char text[] =
      "flyball: 1\nbodies:\n  b: {mass: 2, inertia: [0.1, 0.1, 0.1], angular_velocity: [0, 0, 3]}\n"
      "joints:\n  cross: {type: universal, bodies: [ground, b], at: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0], "
      "friction: {mu: 0.3, radius: 0.05, preload: 20}, friction2: {mu: 0.2, mu_static: 0.4, radius: 0.1, preload: "
      "10}}\n"
      "forces:\n  twist: {type: force, at: b, axes: b, torque: [\"if(time < 2, 0, -0.5*(time - 2))\", 0, 0]}\n";
  const double angle = 9.0 / 6, start = 2 + 0.4 / 0.5, t = 4 - start;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], error_of(k), 4, 0.5,
                        "b.e0 b.e3 b.wx b.wy cross.friction cross.friction2 cross.slides2 cross.sticks");
    assert_close(told(&d, "stops").last, 1, 10 * error_of(k));
    assert_close(told(&d, "breaks_away2").last, start, 10 * error_of(k));
    assert_close(row_of(&d, 1)[5], -0.3, 1e-9);
    assert_close(row_of(&d, 4)[1], cos(angle / 2), 10 * error_of(k));
    assert_close(row_of(&d, 4)[2], sin(angle / 2), 10 * error_of(k));
    assert_close(row_of(&d, 5)[6], 0.25, 1e-9);
    const double w = -(0.25 * t * t + 0.2 * t) / 0.1; // along the pin, which lies at the angle
    assert_close(row_of(&d, 8)[3], w * cos(angle), 100 * error_of(k));
    assert_close(row_of(&d, 8)[4], w * sin(angle), 100 * error_of(k));
    assert_close(row_of(&d, 8)[6], 0.2, 1e-9);
    assert_close(row_of(&d, 8)[7], -1, 0);
    assert_close(row_of(&d, 8)[8], 1, 0);
    driven_free(&d);
  }
}

// ---------------------------------------------------------------------------------------------- loops

// A crank and rocker whose pins are balls and rods that slide: in their plane they rub as pins do, and where the rocker
// turns round they pass through rest.
static void a_loop_of_balls_is_one_of_pins(void **state) {
  static const char *const kinds[][2] = {{"revolute", "revolute"}, {"spherical", "cylindrical"}};
  double truth[2][9];
  for (int b = 0; b < 2; b++) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {R: 0.05}\nbodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0.15, 0]}\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0.55, 0]}\n"
        "  c: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.1, 0.4, 0]}\njoints:\n"
        "  j1: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], friction: {mu: 0.3, radius: R}}\n"
        "  j2: {type: %s, bodies: [a, b], at: [0, 0.3, 0], %sfriction: {mu: 0.3, radius: R}}\n"
        "  j3: {type: %s, bodies: [b, c], at: [1, 0.8, 0], axis: [0, 0, 1], friction: {mu: 0.3, radius: R}}\n"
        "  j4: {type: revolute, bodies: [ground, c], at: [1.2, 0, 0], axis: [0, 0, 1]}\n"
        "variables: {turn: j1.angle}\n",
        kinds[b][0], b ? "" : "axis: [0, 0, 1], ", kinds[b][1]);
    driven d = run_well(text, "radau", 1e-7, 4, 0.5, "turn energy.balance");
    for (int i = 0; i < 9; i++) {
      truth[b][i] = row_of(&d, i)[1];
      assert_close(truth[b][i], truth[0][i], 3e-6);
      assert_close(row_of(&d, i)[2], 0, 1e-5);
    }
    driven_free(&d);
  }
}

// A parallelogram comes to its line: there the coupler could turn the rocker only by a force whose lever is less than
// the radius mu r of the friction circles of its pins. It grows without bound, at an angle of mu r/L before the line,
// and bodies that are rigid do not go on.
static void a_parallelogram_jams_before_its_line(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {mu: 0.3, R: 0.02}\nbodies:\n"
      "  a: {type: planar, mass: 1, inertia: 0.1, position: [0, 0.25]}\n"
      "  b: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0.5]}\n"
      "  c: {type: planar, mass: 1, inertia: 0.1, position: [1, 0.25]}\njoints:\n"
      "  j1: {type: revolute, bodies: [ground, a], at: [0, 0, 0], angular_velocity: 3, friction: {mu: mu, radius: R}}\n"
      "  j2: {type: revolute, bodies: [a, b], at: [0, 0.5, 0], friction: {mu: mu, radius: R}}\n"
      "  j3: {type: revolute, bodies: [b, c], at: [1, 0.5, 0], friction: {mu: mu, radius: R}}\n"
      "  j4: {type: revolute, bodies: [ground, c], at: [1, 0, 0], friction: {mu: mu, radius: R}}\n"
      "variables: {turn: j1.angle}\n";
  driven d = run(text, "radau", 1e-6, 1, 1e-3, "turn");
  assert_int_not_equal(d.status, FLY_OK);
  if (!strstr(d.error.message, "jams"))
    fail_msg("%s", d.error.message);
  assert_close(row_of(&d, d.rows - 1)[1], acos(-1) / 2 - 0.3 * 0.02 / 0.5, 0.01);
  driven_free(&d);
}

// ---------------------------------------------------------------------------------------------- what is refused

static void refused(const char *joint, const char *says) {
  char text[1000];
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  a: {mass: 2, inertia: [1, 1, 1]}\n  p: {type: point, mass: 1}\n  f: {type: planar, "
           "mass: 1, inertia: 1}\njoints:\n  j: %s\n",
           joint);
  refused_text(text, says);
}

static void what_is_wrong_is_refused(void **state) {
  refused("{type: planar, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], friction: {mu: 0.1}}",
          "a planar joint takes no 'friction'. It is a key of revolute, spherical, translational, cylindrical and "
          "universal.");
  refused("{type: spherical, bodies: [ground, a], at: [0, 0, 0], friction: {mu: 0.1}}", "`friction` needs `radius`");
  refused("{type: spherical, bodies: [ground, p], at: [0, 0, 0], friction: {mu: 0.1, radius: 0.1}}",
          "a point mass does not turn");
  refused("{type: universal, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0], "
          "friction2: {mu: 0.1}}",
          "`friction2` needs `radius`");
  refused("{type: cylindrical, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], friction: {mu: 0.1, radius: 0.1, "
          "axial_radius: 1}}",
          "takes no 'axial_radius'");
}

// A parallelogram with friction in its pins comes to where its bars are in line: reactions, and friction with them,
// grow without bound, and rigid bodies jam. Whoever leaps over that does not say that the error is kept.
static void a_jam_is_not_leapt_over_in_silence(void **state) {
  (void)state;
  static const char *const methods[] = {"partition", "auto", "radau", "ch"};
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {R: 0.02}\nbodies:\n"
      "  a: {type: planar, mass: 1, inertia: 0.02, position: [0, 0.25], angle: 90*deg}\n"
      "  b: {type: planar, mass: 1, inertia: 0.02, position: [0.5, 0.5]}\n"
      "  c: {type: planar, mass: 1, inertia: 0.02, position: [1, 0.25], angle: 90*deg}\njoints:\n"
      "  p1: {type: revolute, bodies: [ground, a], at: [0, 0, 0], angular_velocity: -12, friction: {mu: 0.1, radius: "
      "R}}\n"
      "  p2: {type: revolute, bodies: [a, b], at: [0, 0.5, 0], friction: {mu: 0.1, radius: R}}\n"
      "  p3: {type: revolute, bodies: [b, c], at: [1, 0.5, 0], friction: {mu: 0.1, radius: R}}\n"
      "  p4: {type: revolute, bodies: [ground, c], at: [1, 0, 0], friction: {mu: 0.1, radius: R}}\n";
  for (int k = 0; k < 4; k++) {
    driven d = run(text, methods[k], 1e-5, 3, 0.5, "");
    const fly_verdict v = fly_run_verdict(d.run);
    assert_int_not_equal(v.state, FLY_VERDICT_KEPT);
    assert_true(d.status != FLY_OK || strstr(v.sentence, "the energy ledger is open by") != NULL);
    driven_free(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_brakes_at_a_constant_rate),
      cmocka_unit_test(a_ball_breaks_away_about_any_axis),
      cmocka_unit_test(a_rod_slides_and_turns),
      cmocka_unit_test(a_rod_breaks_away_along_no_axis),
      cmocka_unit_test(a_slip_turns_and_stops),
      cmocka_unit_test(friction_holds_what_the_mechanism_does_not),
      cmocka_unit_test(a_shaft_that_turns_slides_easily),
      cmocka_unit_test(pins_of_a_cross_rub_by_themselves),
      cmocka_unit_test(a_loop_of_balls_is_one_of_pins),
      cmocka_unit_test(a_parallelogram_jams_before_its_line),
      cmocka_unit_test(a_jam_is_not_leapt_over_in_silence),
      cmocka_unit_test(what_is_wrong_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
