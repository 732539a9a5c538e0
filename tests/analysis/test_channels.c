// Channels: which there are, against measures (computed elsewhere), against each other, and their units.
#define _POSIX_C_SOURCE 200809L
#include "analysis/simulation.h"

#include "model/simulate.h"

static fly_result *run_with(simulation *s, const char *text, const char *channels) {
  s->options.channels = channels;
  return simulate_into_folder(s, text);
}

static void close_all(simulation *s, fly_result *r) {
  fly_result_close(r);
  simulation_free(s);
}

static const char *unit_of(fly_result *r, const char *name) {
  int k = fly_result_find(r, name);
  if (k < 0)
    fail_msg("there is no channel %s", name);
  return fly_result_info_of(r)->channel[k].unit;
}

// Two channels agree in all rows; some of them must differ from 0.
static void assert_same(fly_result *r, const char *a, const char *b, double tolerance) {
  double *x = read_channel(r, a), *y = read_channel(r, b), most = 0, off = 0;
  for (long k = 0; k < fly_result_info_of(r)->rows; k++) {
    most = fmax(most, fabs(x[k]));
    off = fmax(off, fabs(x[k] - y[k]));
  }
  say("%s, %s: up to %.3g, off by %.2e\n", a, b, most, off);
  if (!(off <= tolerance * fmax(1.0, most)) || most == 0)
    fail_msg("%s and %s, up to %g, differ by %g", a, b, most, off);
  free(x);
  free(y);
}

// A double pendulum in space that tumbles, with a turned marker and one along its x axis, and a planar wheel.
static const char machine[] =
    "flyball: 1\ngravity: [0, -9.81, 1]\n"
    "bodies:\n"
    "  arm: {mass: 2, inertia: [0.05, 0.2, 0.22, 0.01, 0, 0], position: [0.5, 0, 0], markers: {tip: [0.5, 0, 0]}}\n"
    "  rod: {mass: 1, inertia: [0.04, 0.1, 0.13], center: [0.1, 0, 0], position: [1.4, 0.2, 0], angular_velocity: [3, "
    "1, "
    "2], markers: {left: [-0.4, -0.2, 0],\n"
    "    eye: {at: [0.2, 0.3, 0.1], orientation: {axis: [1, 2, 3], angle: 0.7}}}}\n"
    "  wheel: {type: planar, mass: 1, inertia: 0.1, position: [0, 2], angular_velocity: 9, markers: {rim: [0.3, "
    "0.1]}}\n"
    "  bob: {type: point, mass: 1, position: [0, 0, 3], velocity: [1, 2, 0]}\n"
    "joints:\n"
    "  root: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  ball: {type: spherical, from: arm.tip, to: rod.left}\n"
    "  axle: {type: revolute, bodies: [ground, wheel], at: [0, 2, 0], axis: [0, 0, 1]}\n"
    "outputs:\n"
    "  px: dx(rod.eye, ground)\n  py: dy(rod.eye, ground)\n  pz: dz(rod.eye, ground)\n"
    "  ux: vx(rod.eye, ground)\n  uy: vy(rod.eye, ground)\n  uz: vz(rod.eye, ground)\n"
    "  ox: wx(rod.eye, ground)\n  oy: wy(rod.eye, ground)\n  oz: wz(rod.eye, ground)\n"
    "  bx: accx(rod.eye, ground)\n  by: accy(rod.eye, ground)\n  bz: accz(rod.eye, ground)\n"
    "  dx: wdtx(rod.eye, ground)\n  dy: wdty(rod.eye, ground)\n  dz: wdtz(rod.eye, ground)\n"
    "  rim_x: dx(wheel.rim, ground)\n  rim_a: accy(wheel.rim, ground)\n  turn: az(wheel, ground)\n"
    "  gap: dm(rod.eye, bob) - 1\n"
    "  apart: max(dx(rod, bob), -dy(rod, bob))\n"
    "  slow: vx(bob)/2\n  mixed: dx(bob) + vx(bob)\n  degrees: az(wheel, ground)/deg\n"
    "  pull: {value: 'dx(rod)*200', unit: N}\n";

static void markers_and_bodies(void **state) {
  simulation s = simulation_default(1.0, 1e-3);
  s.options.output = 1e-3;
  fly_result *r = run_with(&s, machine, "all");
  static const char *const pairs[][2] = {
      {"rod.eye.x", "px"},    {"rod.eye.y", "py"},      {"rod.eye.z", "pz"},         {"rod.eye.vx", "ux"},
      {"rod.eye.vy", "uy"},   {"rod.eye.vz", "uz"},     {"rod.eye.wx", "ox"},        {"rod.eye.wy", "oy"},
      {"rod.eye.wz", "oz"},   {"rod.eye.accx", "bx"},   {"rod.eye.accy", "by"},      {"rod.eye.accz", "bz"},
      {"rod.eye.wdtx", "dx"}, {"rod.eye.wdty", "dy"},   {"rod.eye.wdtz", "dz"},      {"rod.wdtx", "dx"},
      {"rod.wx", "ox"},       {"wheel.rim.x", "rim_x"}, {"wheel.rim.accy", "rim_a"}, {"wheel.angle", "turn"},
      {"axle.angle", "turn"}, {"axle.w", "wheel.w"},    {"root.w", "arm.wz"},        {"wheel.rim.wz", "wheel.w"}};
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
    assert_same(r, pairs[k][0], pairs[k][1], 1e-12);
  close_all(&s, r);
}

// What forces say against their laws, written out as outputs; and what they do to a body on its own: m a = F + m g.
static void forces_and_their_laws(void **state) {
  const char text[] =
      "flyball: 1\ngravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  box: {mass: 2, inertia: [0.1, 0.2, 0.25], position: [0.3, 0.1, 0], velocity: [0.2, -0.1, 0.3],\n"
      "    angular_velocity: [0.3, -0.2, 0.1], markers: {ear: [0.2, 0.1, 0.1]}}\n"
      "  wheel: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 5], angular_velocity: [0, 0, 20]}\n"
      "  ball: {type: point, mass: 3, position: [2, 0, 0]}\n"
      "joints:\n"
      "  axle: {type: revolute, bodies: [ground, wheel], at: [0, 0, 5], axis: [0, 0, 1]}\n"
      "forces:\n"
      "  coil: {type: spring, from: ground, to: box.ear, stiffness: 300, damping: 7, free_length: 0.2, preload: 4}\n"
      "  law: {type: spring, from: ground, to: box, force: '20 - 3*length^2 - rate'}\n"
      "  winder: {type: torsion-spring, joint: axle, stiffness: 1.5, damping: 0.2, free_angle: 0.3}\n"
      "  twist: {type: torsion-spring, joint: axle, torque: '2 - 0.1*rate'}\n"
      "  rubber: {type: bushing, from: ground, to: box, stiffness: [400, 500, 600, 5, 6, 7], damping: [1, 2, 3, 0, 0, "
      "0]}\n"
      "  push: {type: force, at: ball, force: ['5*cos(3*time)', '-dx(ball)', '3*9.81']}\n"
      "outputs:\n"
      "  coil_law: -(300*(dm(box.ear, ground) - 0.2) + 7*vr(box.ear, ground) + 4)\n"
      "  coil_length: dm(box.ear, ground)\n"
      "  law_law: 20 - 3*dm(box, ground)^2 - vr(box, ground)\n"
      "  winder_law: -(1.5*(az(wheel, ground) - 0.3) + 0.2*wz(wheel, ground))\n"
      "  winder_angle: az(wheel, ground)\n"
      "  twist_law: 2 - 0.1*wz(wheel, ground)\n"
      "  rubber_y: -(500*dy(box, ground) + 2*vy(box, ground))\n"
      "  push_x: 3*accx(ball)\n  push_y: 3*accy(ball)\n  drive: wdtz(wheel)\n";
  simulation s = simulation_default(0.6, 1e-3);
  fly_result *r = run_with(&s, text, "all");
  static const char *const pairs[][2] = {
      {"coil.force", "coil_law"},      {"coil.length", "coil_length"},   {"law.force", "law_law"},
      {"winder.torque", "winder_law"}, {"winder.angle", "winder_angle"}, {"twist.torque", "twist_law"},
      {"rubber.fy", "rubber_y"},
  };
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
    assert_same(r, pairs[k][0], pairs[k][1], 1e-9);
  assert_same(r, "push.fx", "push_x", 1e-5); // accelerations are as good as the corrector leaves them
  assert_same(r, "push.fy", "push_y", 1e-5);
  double *a = read_channel(r, "drive"), *b = read_channel(r, "winder.torque"), *c = read_channel(r, "twist.torque");
  for (long k = 0; k < fly_result_info_of(r)->rows; k++)
    if (fabs(a[k] - b[k] - c[k]) > 1e-5 * 40)
      fail_msg("row %ld: the wheel is driven by %g, not %g", k, a[k], b[k] + c[k]);
  assert_string_equal(unit_of(r, "winder.torque"), "N m");
  free(a);
  free(b);
  free(c);
  close_all(&s, r);
}

// The velocity of a body is the rate of its position, its acceleration that of its velocity.
static void accelerations_are_rates(void **state) {
  static const char *const lists[][2] = {
      {"rod.y", "rod.vy"},      {"rod.vy", "rod.accy"}, {"rod.wx", "rod.wdtx"},   {"wheel.x", "wheel.vx"},
      {"wheel.w", "wheel.wdt"}, {"bob.vy", "bob.accy"}, {"root.angle", "root.w"}, {"rod.eye.vz", "rod.eye.accz"}};
  simulation s = simulation_default(0.5, 1e-3);
  s.options.output = 1e-3;
  fly_result *r = run_with(&s, machine, "all");
  long rows = fly_result_info_of(r)->rows;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    double *x = read_channel(r, lists[i][0]), *v = read_channel(r, lists[i][1]), most = 0;
    for (long k = 0; k < rows; k++)
      most = fmax(most, fabs(v[k]));
    for (long k = 2; k + 2 < rows;
         k++) // the error of the method is below that of the differences, h^2 of the third rate
      if (fabs((x[k + 1] - x[k - 1]) / 2e-3 - v[k]) > 2e-4 * fmax(1.0, most))
        fail_msg("%s at row %ld: %g, but the rate of %s is %g", lists[i][1], k, v[k], lists[i][0],
                 (x[k + 1] - x[k - 1]) / 2e-3);
    free(x);
    free(v);
  }
  close_all(&s, r);
}

// A marker's quaternion turns its own x axis to where another marker on that axis is.
static void quaternions_of_markers(void **state) {
  const char text[] =
      "flyball: 1\nbodies:\n"
      "  top: {mass: 1, inertia: [1, 2, 2.5], angular_velocity: [1, 4, 2], markers: {a: {at: [0.1, 0.2, "
      "0.3], orientation: {x: [0, 0.6, 0.8], z: [1, 0, 0]}}, b: [0.1, 0.8, 1.1]}}\n"
      "  disc: {type: planar, mass: 1, inertia: 1, angular_velocity: 5, markers: {a: {at: [0.1, 0.2], "
      "angle: 0.5}, b: [0.977582562, 0.679425539]}}\n";
  simulation s = simulation_default(1.0, 1e-2);
  s.options.output = 0.1;
  fly_result *r = run_with(&s, text, "markers");
  static const char *const bodies[] = {"top", "disc"};
  for (int i = 0; i < 2; i++) {
    double *q[4], *d[3][2];
    char name[40];
    for (int k = 0; k < 4; k++) {
      snprintf(name, sizeof name, "%s.a.e%d", bodies[i], k);
      q[k] = read_channel(r, name);
    }
    for (int k = 0; k < 6; k++) {
      snprintf(name, sizeof name, "%s.%c.%c", bodies[i], 'a' + k / 3, 'x' + k % 3);
      d[k % 3][k / 3] = read_channel(r, name);
    }
    for (long k = 0; k < fly_result_info_of(r)->rows; k++) {
      double w = q[0][k], x = q[1][k], y = q[2][k], z = q[3][k];
      const double axis[3] = {w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)};
      for (int c = 0; c < 3; c++)
        assert_close(d[c][1][k] - d[c][0][k], axis[c], 1e-8); // b is 1 m from a, along x of a
    }
    for (int k = 0; k < 4; k++)
      free(q[k]);
    for (int k = 0; k < 6; k++)
      free(d[k % 3][k / 3]);
  }
  close_all(&s, r);
}

// Turns are counted, even through output intervals of many turns; a screw turns as it slides.
static void coordinates_of_joints(void **state) {
  const char text[] =
      "flyball: 1\nbodies:\n  nut: {mass: 1, inertia: [1, 1, 1]}\n  cart: {mass: 1, inertia: [1, 1, 1]}\n"
      "joints:\n  thread: {type: screw, bodies: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1], pitch: 5*mm}\n"
      "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "motions:\n  turn: {joint: thread, angle: 30*time}\n  go: {joint: rail, displacement: -0.2*time}\n";
  simulation s = simulation_default(2.0, 1e-2);
  s.options.output = 1.0;
  fly_result *r = run_with(&s, text, "coordinates");
  assert_int_equal(fly_result_info_of(r)->count, 1 + 6);
  double *angle = read_channel(r, "thread.angle"), *w = read_channel(r, "thread.w");
  double *slide = read_channel(r, "thread.displacement"), *go = read_channel(r, "rail.displacement");
  double *v = read_channel(r, "rail.v");
  for (int k = 0; k < 3; k++) {
    assert_close(angle[k], 30.0 * k, 1e-9);
    assert_close(w[k], 30, 1e-9);
    assert_close(fabs(slide[k]), 30.0 * k * 0.005 / 6.283185307179586, 1e-9);
    assert_close(go[k], -0.2 * k, 1e-9);
    assert_close(v[k], -0.2, 1e-9);
  }
  free(angle), free(w), free(slide), free(go), free(v);
  close_all(&s, r);
}

// ------------------------------------------------------------------------------------------ which, and their units

static void default_channels(void **state) {
  simulation s = simulation_default(0.01, 1e-3);
  fly_result *r = run_with(&s, machine, NULL);
  // 2 rigid bodies, a planar one, a point; 3 joints; energies and works; outputs
  assert_int_equal(fly_result_info_of(r)->count, 1 + 2 * 13 + 6 + 6 + 3 * 6 + 8 + 24);
  static const char *const there[] = {"arm.x",   "arm.e0",       "arm.e3",         "wheel.angle",  "bob.z", "ball.fx",
                                      "axle.tz", "energy.total", "energy.balance", "work.damping", "px"};
  for (size_t k = 0; k < sizeof there / sizeof *there; k++)
    unit_of(r, there[k]);
  assert_int_equal(fly_result_find(r, "rod.eye.x"), -1);
  for (int k = 1; k < fly_result_info_of(r)->count; k++)
    assert_true(fly_result_info_of(r)->channel[k].description[0] != 0);
  close_all(&s, r);
}

// What a newcomer looks for first: what springs, bushings, motors and forces do.
static void default_channels_of_forces(void **state) {
  simulation s = simulation_default(0.01, 1e-3);
  fly_result *r = run_with(
      &s,
      "flyball: 1\nbodies:\n  mass: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
      "  wheel: {type: planar, mass: 1, inertia: 1}\n"
      "joints:\n  axle: {type: revolute, bodies: [ground, wheel], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "motions:\n  motor: {joint: axle, angle: 3*time}\n"
      "forces:\n  spring: {type: spring, from: ground, to: mass, stiffness: 100, free_length: 0.5}\n"
      "  mount: {type: bushing, from: ground, to: mass, stiffness: [1, 1, 1, 1, 1, 1], damping: [0, 0, 0, 0, 0, 0]}\n"
      "  push: {type: force, at: mass, force: [1, 0, 0]}\n",
      NULL);
  static const char *const there[][2] = {{"spring.length", "m"}, {"spring.force", "N"}, {"mount.fx", "N"},
                                         {"mount.tz", "N m"},    {"push.fx", "N"},      {"motor.torque", "N m"}};
  for (size_t k = 0; k < sizeof there / sizeof *there; k++)
    assert_string_equal(unit_of(r, there[k][0]), there[k][1]);
  close_all(&s, r);
}

static void units(void **state) {
  static const char *const expected[][2] = {
      {"px", "m"},       {"ux", "m/s"},    {"ox", "rad/s"},    {"bx", "m/s^2"},     {"dx", "rad/s^2"}, {"turn", "rad"},
      {"gap", "m"},      {"apart", "m"},   {"slow", ""},       {"mixed", ""},       {"degrees", ""},   {"pull", "N"},
      {"arm.vx", "m/s"}, {"ball.fx", "N"}, {"ball.ty", "N m"}, {"work.forces", "J"}};
  simulation s = simulation_default(0.01, 1e-3);
  fly_result *r = run_with(&s, machine, NULL);
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
    if (strcmp(unit_of(r, expected[k][0]), expected[k][1]) != 0)
      fail_msg("%s is in '%s', not '%s'", expected[k][0], unit_of(r, expected[k][0]), expected[k][1]);
  close_all(&s, r);
  s = simulation_default(0.01, 1e-3);
  r = run_with(&s,
               "flyball: 1\nbodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
               "joints: {pin: {type: revolute, from: ground, to: b}}\noutputs: {pull: fm(pin), twist: tz(pin)}\n",
               NULL);
  assert_string_equal(unit_of(r, "pull"), "N");
  assert_string_equal(unit_of(r, "twist"), "N m");
  close_all(&s, r);
}

static void chosen_by_name(void **state) {
  simulation s = simulation_default(0.01, 1e-3);
  fly_result *r = run_with(&s, machine, " wheel,axle rod.eye , px");
  assert_int_equal(fly_result_info_of(r)->count, 1 + 6 + 6 + 2 + 19 + 1);
  assert_true(fly_result_find(r, "arm.x") < 0 && fly_result_find(r, "py") < 0 && fly_result_find(r, "axle.angle") > 0);
  close_all(&s, r);
  s = simulation_default(0.01, 1e-3);
  s.options.channels = "bodies, weel";
  simulate_text(&s, machine);
  assert_int_equal(s.status, FLY_BAD_INPUT);
  assert_says(&s.error, "channels: there is no `weel`; did you mean `wheel`?");
  simulation_free(&s);
}

// As the reference says: x points down where the axis of a joint given by `at` is level, and is x of space where it is
// upright, made perpendicular to it.
static void axes_of_joints_in_space(void **state) {
  static const struct {
    const char *channel;
    double value;
  } expected[] = {
      {"level.fx", -10}, {"level.fy", 0}, {"level.fz", 0}, {"steep.fy", 0}, {"steep.fx", -2 / 1.0198039027185568},
      {"plain.fz", 10}};
  simulation s = simulation_default(0.02, 0.01);
  fly_result *r = run_with(&s,
                           "flyball: 1\ngravity: [0, 0, -10]\nbodies:\n"
                           "  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
                           "  c: {mass: 1, inertia: [1, 1, 1]}\njoints:\n"
                           "  level: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                           "  steep: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [0.2, 0, 1]}\n"
                           "  plain: {type: spherical, bodies: [ground, c], at: [0, 0, 0]}\n",
                           NULL);
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    double *f = read_channel(r, expected[k].channel);
    assert_close(f[0], expected[k].value, 1e-9);
    free(f);
  }
  close_all(&s, r);
}

// ------------------------------------------------------------------------------------------ the section simulate

#define BOB "flyball: 1\nparameters: {period: 0.25, fine: 1000}\nbodies:\n  bob: {type: point, mass: 1}\n"

static void settings_are_expressions(void **state) {
  simulation s = simulation_default(NAN, NAN);
  fly_result *r = run_with(
      &s, BOB "simulate: {end: 2*period, step: 1/fine, output: period*100*ms, channels: [energies, bob]}\n", NULL);
  assert_close(fly_run_time(s.run), 0.5, 0);
  assert_int_equal(fly_run_stats(s.run).steps, 500);
  assert_int_equal(fly_result_info_of(r)->rows, 21);
  assert_int_equal(fly_result_info_of(r)->count, 1 + 8 + 6);
  close_all(&s, r);
}

static void settings_that_make_no_sense(void **state) {
  static const struct {
    const char *text, *says;
  } bad[] = {{"simulate: {end: 2*perod}\n", ":5:17: simulate: `end: 2*perod` must be a number: column 3"},
             {"simulate: {end: 1/0}\n", "`end: 1/0` must be a number: column 2: division by zero"},
             {"simulate: {end: 1e308*100}\n", "`end: 1e308*100` must be a number: "},
             {"simulate: {end: time}\n", "`end: time` must be a number"},
             {"simulate: {end: -period}\n", "`end` must lie after the start"},
             {"simulate: {edn: 1}\n", "there is no setting `edn`; did you mean `end`?"},
             {"simulate: {end: 1, foo: 1}\n", "there is no setting `foo`. The settings are end, output, channels, "},
             {"simulate: {end: 1, channels: [bodies, nothing]}\n", "channels: there is no `nothing`"},
             {"simulate: {end: 1, error: 1e-3, step: 1e-3}\n", "either `error` or a fixed `step`"}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    char text[500];
    simulation s = simulation_default(NAN, NAN);
    snprintf(text, sizeof text, "%s%s", BOB, bad[k].text);
    simulate_text(&s, text);
    assert_int_equal(s.status, FLY_BAD_INPUT);
    assert_says(&s.error, bad[k].says);
    simulation_free(&s);
  }
}

// The table that explains the section names no key that a run does not know.
static void settings_that_are_explained_are_read(void **state) {
  for (const fly_parameter *row = fly_simulate_rows; row->name != NULL; row++) {
    char text[500], value[60] = "1";
    if (row->words != NULL)
      snprintf(value, sizeof value, "%.*s", (int)strcspn(row->words, " "), row->words);
    snprintf(text, sizeof text, "%ssimulate: {%s: %s, end: 1}\n", BOB, row->name, value);
    if (strcmp(row->name, "end") == 0)
      snprintf(text, sizeof text, "%ssimulate: {end: 1}\n", BOB);
    simulation s = simulation_default(NAN, NAN);
    simulate_text(&s, text);
    if (strstr(s.error.message, "no setting") != NULL)
      fail_msg("%s", s.error.message);
    simulation_free(&s);
  }
}

static void put_file(const char *name, const char *text) {
  char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

// What a file includes it may simulate in its own way; what it leaves stays.
static void included_settings_are_changed(void **state) {
  char path[100];
  put_file("part.yaml", BOB "simulate: {end: 3, step: 0.25, method: hht}\n");
  put_file("whole.yaml", "flyball: 1\ninclude: part.yaml\nsimulate: {end: 4*period, formulation: index3}\n");
  snprintf(path, sizeof path, "%s/whole.yaml", folder);
  simulation s = simulation_default(NAN, NAN);
  simulate_file(&s, path);
  assert_ok(s.status, &s.error);
  assert_close(fly_run_time(s.run), 1, 0);
  assert_int_equal(fly_run_stats(s.run).steps, 4);
  assert_int_equal(fly_run_dae_options(s.run)->formulation, FLY_INDEX3);
  assert_true(fly_run_dae_options(s.run)->method.alpha_m == 0); // hht
  simulation_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(markers_and_bodies),
      cmocka_unit_test(forces_and_their_laws),
      cmocka_unit_test(accelerations_are_rates),
      cmocka_unit_test(quaternions_of_markers),
      cmocka_unit_test(coordinates_of_joints),
      cmocka_unit_test(default_channels),
      cmocka_unit_test(default_channels_of_forces),
      cmocka_unit_test(units),
      cmocka_unit_test(chosen_by_name),
      cmocka_unit_test(settings_are_expressions),
      cmocka_unit_test(axes_of_joints_in_space),
      cmocka_unit_test(settings_that_make_no_sense),
      cmocka_unit_test(settings_that_are_explained_are_read),
      cmocka_unit_test(included_settings_are_changed),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
