// docs/adding-a-body.md followed to the letter: a body with a coordinate of its own, whose mass depends on it and whose
// markers move with it, through reader, model, system, statics, modes, channels and scene.
// labels: valgrind
// elements: bodies/twig bodies/rattle
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "system/neighbours.h"

#include "analysis/rest.h"
#include "flyball/modes.h"
#include "io/scene.h"

#define TWIG                                                                                                           \
  "flyball: 1\nbodies:\n"                                                                                              \
  "  t: {type: twig, mass: 1.3, inertia: [0.4, 0.5, 0.6], tip: 0.3, length: 0.8, stiffness: 40, bend: 0.1,\n"          \
  "    position: [0.4, 0, 0.1], orientation: {axis: [1, 2, 3], angle: 0.7},\n"                                         \
  "    markers: {base: {at: [0.1, 0.2, 0.1], axis: [2, -1, 2]}, end: {at: [0.8, 0.1, 0], axis: [1, 1, "                \
  "2]}}}\n" NEIGHBOURS
static void alone(void **state) { check_text("alone", TWIG GRAVITY, CONSERVATIVE); }

static void with_forces(void **state) {
  check_text("spring",
             TWIG "forces:\n  s: {type: spring, from: t.end, to: b.m, stiffness: 30}\n"
                  "  g: {type: spring, from: p.m, to: t.end, stiffness: 5}\n",
             CONSERVATIVE);
  check_text("damped",
             TWIG GRAVITY "forces:\n  s: {type: spring, from: t.end, to: b.m, stiffness: 30, damping: 3}\n"
                          "  m: {type: bushing, from: t.base, to: b.m, stiffness: [3, 4, 5, 1, 2, 3], damping: [1, 1, "
                          "1, 0.1, 0.2, 0.3]}\n",
             0);
}

static void with_joints(void **state) {
  check_text("revolute", TWIG GRAVITY "joints:\n  j: {type: revolute, from: ground.m, to: t.base}\n",
             CONSERVATIVE_ON_CONSTRAINTS);
  check_text("loop",
             TWIG GRAVITY "joints:\n  j: {type: revolute, from: ground.m, to: t.base}\n"
                          "  k: {type: spherical, from: t.end, to: b.m}\n",
             CONSERVATIVE_ON_CONSTRAINTS);
  check_text("others",
             TWIG "joints:\n  k: {type: translational, from: b.m, to: t.end}\n"
                  "  d: {type: distance, from: t.base, to: p.m}\n",
             CONSERVATIVE_ON_CONSTRAINTS);
  check_text("knife", TWIG "joints:\n  k: {type: knife-edge, from: ground.m, to: t.end}\n", 0);
}

// Frames of two bodies in one element, and two of one body.
static void two_of_them(void **state) {
  static const char other[] = "  u: {type: twig, mass: 0.9, inertia: [0.3, 0.2, 0.4], tip: 0.4, length: 0.6, "
                              "stiffness: 30, position: [0.1, 1, 0],\n"
                              "    velocity: [0.1, 0, 0.2], angular_velocity: [1, -2, 0.5], markers: {end: {at: [0.6, "
                              "0, 0.1], axis: [0, 1, 1]}}}\n";
  char text[4000];
  snprintf(text, sizeof text, TWIG "%s" GRAVITY "joints:\n  k: {type: universal, from: t.end, to: u.end}\n", other);
  check_text("universal", text, CONSERVATIVE_ON_CONSTRAINTS);
  snprintf(text, sizeof text, TWIG "%sforces:\n  s: {type: spring, from: t.end, to: u.end, stiffness: 30}\n", other);
  check_text("spring between", text, CONSERVATIVE);
  snprintf(text, sizeof text,
           TWIG "%sforces:\n"
                "  f: {type: force, at: t.base, against: u.end, axes: t.end, force: ['dz(t.end, u, t.base)', "
                "'-vx(u.end, t.end)', 0], torque: ['0.1*wx(t.end)', 0, 'ay(u.end, t.base)']}\n",
           other);
  check_text("load between", text, 0);
}

// Loads that feel positions, velocities, accelerations and reactions of its markers; states that do.
static void with_expressions(void **state) {
  check_text("loads",
             TWIG "forces:\n"
                  "  f: {type: force, at: t.end, against: b.m, axes: t.base, force: ['3*dx(t.end, b.m, t.base)', "
                  "'-vy(t.end)', 1], torque: [0.1, 'az(t.end, b)', 0]}\n"
                  "  s: {type: spring, from: b.m, to: t.end, force: '-3*length - rate + 0.2*wz(t.end)'}\n"
                  "states: {x: {rate: 'dx(t.end) - 2*x + vz(t.base, t.end, b)'}}\n",
             0);
  check_text("feedback",
             TWIG GRAVITY "joints:\n  j: {type: revolute, from: ground.m, to: t.base}\n"
                          "forces:\n  f: {type: force, at: t.end, force: ['-0.2*accx(t.end, b.m, t.end)', "
                          "'0.01*fx(j)', 0], torque: [0, 0, '-0.03*wdtz(t.end)']}\n",
             0);
}

// ------------------------------------------------------------------------------------------ its physics

// Clamped to a shaft that turns about z at W: eta'' = -(k/mu - W^2) eta - d/mu eta', where the base of the twig is.
static void a_turning_twig_is_softer(void **state) {
  simulation s = simulation_default(2, NAN);
  s.options.error = 1e-8;
  s.options.method.name = "radau";
  fly_result *r = simulate_into_folder(
      &s, "flyball: 1\nbodies:\n"
          "  t: {type: twig, mass: 1, inertia: [1, 1, 1], tip: 0.5, length: 0.8, stiffness: 50, damping: 0.2, "
          "bend: 0.1, angular_velocity: [0, 0, 6]}\n"
          "joints: {j: {type: revolute, bodies: [ground, t], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
          "motions: {m: {joint: j, angle: 6*time}}\n");
  double *bend = read_channel(r, "t.bend"), *torque = read_channel(r, "m.torque");
  const double w = sqrt(50 / 0.5 - 36 - 0.04), c = 0.2;
  for (int k = 0; k <= 1000; k += 100) {
    const double t = 0.002 * k, e = exp(-c * t);
    const double eta = 0.1 * e * (cos(w * t) + c / w * sin(w * t)), rate = -0.1 * e * (w + c * c / w) * sin(w * t);
    assert_near(bend[k], eta, 3e-7);
    // torque on the shaft: d/dt of mu ((L^2 + eta^2) W + L eta')
    const double acceleration = -(100 - 36) * eta - 2 * c * rate;
    assert_near(torque[k], 0.5 * (2 * eta * rate * 6 + 0.8 * acceleration), 3e-5);
  }
  free(bend);
  free(torque);
  fly_result_close(r);
  simulation_free(&s);
}

// A pendulum of it about z, by Runge-Kutta: T = J th'^2/2 + mu ((th' L + eta')^2 + th'^2 eta^2)/2.
static void slopes(const double y[4], double out[4]) {
  const double J = 0.2, mu = 0.5, L = 0.8, k = 50, g = 9.81, th = y[0], eta = y[1], u = y[2], v = y[3];
  // M (u', v') = h, with V = k eta^2/2 + mu g (L sin th + eta cos th)
  const double a = J + mu * (L * L + eta * eta), b = mu * L, d = mu;
  const double h1 = -2 * mu * eta * v * u - mu * g * (L * cos(th) - eta * sin(th));
  const double h2 = mu * eta * u * u - k * eta - mu * g * cos(th);
  out[0] = u;
  out[1] = v;
  out[2] = (d * h1 - b * h2) / (a * d - b * b);
  out[3] = (a * h2 - b * h1) / (a * d - b * b);
}

static void runge_kutta(double y[4], double h) {
  double k[4][4], z[4];
  for (int s = 0; s < 4; s++) {
    const double c = s == 0 ? 0 : s == 3 ? h : h / 2;
    for (int i = 0; i < 4; i++)
      z[i] = y[i] + (s > 0 ? c * k[s - 1][i] : 0);
    slopes(z, k[s]);
  }
  for (int i = 0; i < 4; i++)
    y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

static void it_swings_as_lagrange_says(void **state) {
  simulation s = simulation_default(2, NAN);
  s.options.error = 1e-8;
  s.options.method.name = "radau";
  fly_result *r = simulate_into_folder(
      &s, "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
          "  t: {type: twig, mass: 1, inertia: [0.1, 0.1, 0.2], tip: 0.5, length: 0.8, stiffness: 50, bend: 0.05}\n"
          "joints: {j: {type: revolute, bodies: [ground, t], at: [0, 0, 0], axis: [0, 0, 1]}}\n");
  double *bend = read_channel(r, "t.bend"), *turn = read_channel(r, "t.wz"), y[4] = {0, 0.05, 0, 0};
  for (int k = 1; k <= 20000; k++) {
    runge_kutta(y, 1e-4);
    if (k % 2000 == 0) {
      assert_near(bend[k / 20], y[1], 3e-6);
      assert_near(turn[k / 20], y[2], 3e-5);
    }
  }
  assert_true(fabs(fly_run_ledger(s.run).imbalance) < 1e-6);
  free(bend);
  free(turn);
  fly_result_close(r);
  simulation_free(&s);
}

#define CLAMPED                                                                                                        \
  "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n"                                                                      \
  "  t: {type: twig, mass: 1, inertia: [0.1, 0.1, 0.2], tip: 0.5, length: 0.8, stiffness: 50, damping: 1, "            \
  "markers: {end: [0.8, 0, 0]}}\n"                                                                                     \
  "joints: {j: {type: fixed, bodies: [ground, t], at: [0, 0, 0]}}\n"                                                   \
  "outputs: {droop: dy(t.end), up: fy(j), acc: accy(t.end)}\n"

static void it_vibrates(void **state) {
  fly_mechanism *m = NULL;
  fly_modes *modes = NULL;
  fly_error error = {0};
  fly_modes_options o = fly_modes_options_default();
  o.equilibrium = true;
  assert_ok(fly_mechanism_parse(&m, "text", CLAMPED, strlen(CLAMPED), 0, NULL, &error), &error);
  assert_ok(fly_modes_create(&modes, m, &o, &error), &error);
  assert_int_equal(fly_modes_count(modes), 1);
  assert_near(fly_modes_get(modes, 0)->natural, sqrt(50 / 0.5) / (2 * 3.14159265358979324), 1e-9);
  assert_near(fly_modes_get(modes, 0)->damping, 1 / (2 * sqrt(50 * 0.5)), 1e-9);
  fly_modes_free(modes);
  fly_mechanism_free(m);
}

// eta = -d (1 - e^(-t) (cos + sin/w)), d = mu g/k; what the clamp carries is the weight of all less mu eta''.
static void every_family_of_methods_integrates_it(void **state) {
  static const char *const methods[] = {"ch", "hht", "radau", "partition", "baumgarte", "hybrid"};
  for (int k = 0; k < 6; k++) {
    simulation s = simulation_default(1, NAN);
    s.options.error = 1e-6;
    s.options.method.name = methods[k];
    fly_result *r = simulate_into_folder(&s, CLAMPED);
    double *droop = read_channel(r, "droop"), *up = read_channel(r, "up"), *acc = read_channel(r, "acc");
    const double d = 0.5 * 9.81 / 50, w = sqrt(99), eta = -d * (1 - exp(-1) * (cos(w) + sin(w) / w));
    const double rate = -d * exp(-1) * (w + 1 / w) * sin(w), a = -9.81 - 100 * eta - 2 * rate;
    assert_near(droop[1000], eta, 2e-6);
    assert_near(acc[1000], a, 2e-4);
    assert_near(up[1000], 1.5 * 9.81 + 0.5 * a, 1e-4);
    free(droop);
    free(up);
    free(acc);
    fly_result_close(r);
    simulation_free(&s);
  }
}

static void it_rests(void **state) {
  for (int k = 0; k < 3; k++) {
    rest r = find(CLAMPED, WAYS[k], 0, NULL);
    assert_found(&r, FLY_POISE_STABLE);
    assert_near(value(&r, "j", "fy"), 1.5 * 9.81, 1e-7);
    done(&r);
  }
}

static void assert_channel(const fly_run *run, const char *expected, const char *unit_expected) {
  const char *name, *unit;
  for (int k = 0; (name = fly_run_channel_name(run, k, &unit)); k++)
    if (strcmp(name, expected) == 0) {
      assert_string_equal(unit, unit_expected);
      return;
    }
  fail_msg("no channel is called %s", expected);
}

static void own_coordinates_are_numbered(const fly_mechanism *m) {
  fly_run *run = NULL;
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  o.end = 1;
  o.channels = "all";
  assert_ok(fly_run_create(&run, m, &o, &error), &error);
  assert_channel(run, "r.x", "m");
  assert_channel(run, "r.shift1", "m");
  assert_channel(run, "r.shift35", "m");
  assert_channel(run, "r.shift35_rate", "m/s");
  assert_channel(run, "r.shift35_acceleration", "m/s^2");
  fly_run_free(run);
}

// As many coordinates as the user asks for, 35 here: m_k (x'' + s_k'') = -k_k s_k, so held by a link each vibrates
// alone.
static void any_number_of_coordinates(void **state) {
  char text[3000], masses[500] = "", stiffnesses[500] = "";
  for (int k = 0; k < 35; k++) {
    snprintf(masses + strlen(masses), 20, "%s0.%d", k ? ", " : "", 11 + k);
    snprintf(stiffnesses + strlen(stiffnesses), 20, "%s%d", k ? ", " : "", 20 + 3 * k);
  }
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  r: {type: rattle, mass: 2, masses: [%s], stiffnesses: [%s], position: [1, 2, 3]}\n"
           "  b: {mass: 0.7, inertia: [0.3, 0.2, 0.25]}\n"
           "forces:\n  s: {type: spring, from: b, to: r, stiffness: 30}\n" GRAVITY,
           masses, stiffnesses);
  check_text("rattle", text, CONSERVATIVE);
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  r: {type: rattle, mass: 2, masses: [%s], stiffnesses: [%s]}\n"
           "joints: {j: {type: spherical, bodies: [ground, r], at: [0, 0, 0]}}\n",
           masses, stiffnesses);
  fly_mechanism *m = NULL;
  fly_modes *modes = NULL;
  fly_error error = {0};
  fly_modes_options o = fly_modes_options_default();
  assert_ok(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), &error);
  own_coordinates_are_numbered(m);
  assert_ok(fly_modes_create(&modes, m, &o, &error), &error);
  assert_int_equal(fly_modes_count(modes), 35);
  double sum = 0, expected = 0;
  for (int k = 0; k < 35; k++) {
    sum += fly_modes_get(modes, k)->natural;
    expected += sqrt((20 + 3 * k) / (0.11 + 0.01 * k)) / (2 * 3.14159265358979324);
  }
  assert_near(sum, expected, 1e-9);
  fly_modes_free(modes);
  fly_mechanism_free(m);
}

// Held twice: rows that say the same are left out, and what they carry is shared.
static void held_twice(void **state) {
  simulation s = simulation_default(1, NAN);
  fly_result *r = simulate_into_folder(
      &s, CLAMPED "motions: {m: {from: ground, to: t, direction: x, displacement: 0}}\nsimulate: {channels: all}\n");
  double *droop = read_channel(r, "droop"), *up = read_channel(r, "up"), *acc = read_channel(r, "t.accx");
  assert_near(up[0], 1.5 * 9.81 - 0.5 * 9.81, 1e-6); // it falls at first
  assert_near(acc[1000], 0, 1e-6);
  assert_true(droop[1000] < -0.05);
  free(droop);
  free(up);
  free(acc);
  fly_result_close(r);
  simulation_free(&s);
}

static void the_scene_has_it(void **state) {
  static const char text[] = TWIG;
  fly_mechanism *m = NULL;
  fly_error error = {0};
  char *bytes = NULL;
  size_t size = 0;
  assert_ok(fly_mechanism_parse(&m, "model", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_scene_make(&bytes, &size, m, NULL, &error), &error);
  assert_non_null(strstr(bytes, "\"kind\":\"twig\""));
  free(bytes);
  fly_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alone),
      cmocka_unit_test(with_forces),
      cmocka_unit_test(with_joints),
      cmocka_unit_test(two_of_them),
      cmocka_unit_test(with_expressions),
      cmocka_unit_test(a_turning_twig_is_softer),
      cmocka_unit_test(it_swings_as_lagrange_says),
      cmocka_unit_test(it_rests),
      cmocka_unit_test(it_vibrates),
      cmocka_unit_test(every_family_of_methods_integrates_it),
      cmocka_unit_test(any_number_of_coordinates),
      cmocka_unit_test(held_twice),
      cmocka_unit_test(the_scene_has_it),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
