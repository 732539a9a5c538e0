// The energy ledger: every entry against exact solutions or reactions, and the order of the imbalance.
#define _POSIX_C_SOURCE 200809L
#include "base/allocations.h"

#include "analysis/simulation.h"

static fly_ledger ledger_of(const char *text, simulation s) {
  simulate_text(&s, text);
  assert_ok(s.status, &s.error);
  fly_ledger l = fly_run_ledger(s.run);
  say("T %.6g V %.6g %.6g  forces %.6g motions %.6g damping %.6g  imbalance %.3g, worst %.3g of %.3g\n", l.kinetic,
      l.gravity, l.springs, l.forces, l.motions, l.damping, l.imbalance, l.worst, l.moved);
  simulation_free(&s);
  return l;
}

static fly_ledger at_step(const char *text, double end, double step) {
  return ledger_of(text, simulation_default(end, step));
}

// Halving the step divides the largest imbalance by four.
static void assert_order_two(const char *text, simulation s) {
  double step = s.options.step, worst[3];
  for (int k = 0; k < 3; k++) {
    s.options.step = step / (1 << k);
    worst[k] = ledger_of(text, s).worst;
  }
  say("orders %.3f %.3f\n", log2(worst[0] / worst[1]), log2(worst[1] / worst[2]));
  assert_between(log2(worst[0] / worst[1]), 1.7, 3.3);
  assert_between(log2(worst[1] / worst[2]), 1.8, 3.3);
}

// ------------------------------------------------------------------------------------------ dampers

// m x'' + c x' + k x = 0 from x0 at rest: x = e^(-dt) (cos wt + d/w sin wt) x0, d = c/2m, w^2 = k/m - d^2. All that the
// oscillator has lost went through the damper.
static const char oscillator[] = "flyball: 1\n"
                                 "bodies:\n  bob: {type: point, mass: 2, position: [1.3, 0, 0]}\n"
                                 "forces:\n  s: {type: spring, from: ground, to: bob, stiffness: 50, damping: 3, "
                                 "free_length: 1}\n";

static void spring_and_damper(void **state) {
  const double m = 2, k = 50, c = 3, x0 = 0.3, t = 2, d = c / (2 * m), w = sqrt(k / m - d * d);
  const double x = exp(-d * t) * (cos(w * t) + d / w * sin(w * t)) * x0, v = -exp(-d * t) * k / m / w * sin(w * t) * x0;
  const double lost = k * x0 * x0 / 2 - k * x * x / 2 - m * v * v / 2;
  fly_ledger l = at_step(oscillator, t, 1e-3);
  assert_close(l.start_springs, k * x0 * x0 / 2, 1e-14);
  assert_close(l.damping, lost, 5e-5); // (h w)^2 of 2.1 J: the error of the motion
  assert_close(l.kinetic, m * v * v / 2, 5e-5);
  assert_true(lost > 1);
  assert_at_most(l.worst, 5e-5);
  assert_close(l.moved, 2.25, 0.01); // the spring gave all it had
  assert_order_two(oscillator, simulation_default(t, 0.02));
}

// Radau's large steps: powers at five places, and an imbalance of fifth order at least.
static void large_steps(void **state) {
  double worst[2];
  for (int k = 0; k < 2; k++) {
    simulation s = simulation_default(2, 0.1 / (1 << k));
    s.options.method.name = "radau";
    fly_ledger l = ledger_of(oscillator, s);
    assert_true(l.damping > 1);
    worst[k] = l.worst;
  }
  assert_at_most(worst[0], 1e-4);
  assert_at_least(log2(worst[0] / worst[1]), 4.7);
}

// J w' = -c w: w = w0 e^(-ct/J), over many turns; the spring of the same joint pulls back from every one of them.
static void torsion_damper(void **state) {
  const double J = 0.1, c = 0.05, w0 = 30, t = 2, decay = exp(-c * t / J);
  const char free_wheel[] =
      "flyball: 1\nbodies:\n  wheel: {type: planar, mass: 1, inertia: 0.1, angular_velocity: 30}\n"
      "joints:\n  pin: {type: revolute, from: ground, to: wheel}\n"
      "forces:\n  brake: {type: torsion-spring, joint: pin, damping: 0.05}\n";
  fly_ledger l = at_step(free_wheel, t, 1e-3);
  assert_close(l.damping, J * w0 * w0 / 2 * (1 - decay * decay), 1e-4); // of 38.9 J
  assert_at_most(l.worst, 1e-4);
  const char wound_up[] =
      "flyball: 1\nbodies:\n  wheel: {mass: 1, inertia: [1, 1, 0.1], angular_velocity: [0, 0, 30]}\n"
      "joints:\n  pin: {type: revolute, from: ground, to: wheel}\n"
      "forces:\n  brake: {type: torsion-spring, joint: pin, damping: 0.01, stiffness: 0.02}\n";
  l = at_step(wound_up, 2, 1e-3);
  assert_true(l.springs > 5); // 3.5 turns at least
  assert_true(l.damping > 5);
  assert_at_most(l.worst, 1e-4);
  assert_order_two(wound_up, simulation_default(2, 0.02));
}

// ------------------------------------------------------------------------------------------ forces

// A force 3 t [N] on 2 kg: v = 3 t^2 / 4, and its work is all there is. A drag takes out what its own work is.
static void force_by_expression(void **state) {
  const char push[] = "flyball: 1\nbodies:\n  bob: {type: point, mass: 2}\n"
                      "forces:\n  push: {type: force, at: bob, force: [3*time, 0, 0]}\n";
  const double t = 2, v = 3 * t * t / 4;
  fly_ledger l = at_step(push, t, 0.01);
  assert_close(l.forces, v * v, 1e-3); // of 9 J, v to (h/t)^2
  assert_at_most(l.worst, 1e-3);
  assert_close(l.kinetic, v * v, 1e-3);
  const char drag[] = "flyball: 1\nbodies:\n  bob: {type: point, mass: 2, velocity: [5, 0, 0]}\n"
                      "forces:\n  drag: {type: force, at: bob, force: [-3*vx(bob), 0, 0]}\n";
  l = at_step(drag, 1, 1e-3);
  assert_close(l.forces, -25 * (1 - exp(-3.0)), 1e-4); // m v^2/2 (e^(-2ct/m) - 1), c = 3, m = 2
  assert_close(l.damping, 0, 0);
  assert_at_most(l.worst, 1e-4);
  assert_order_two(drag, simulation_default(1, 0.02));
}

// Action and reaction on two turning bodies: only what moves them apart counts.
static void force_between_bodies(void **state) {
  const char pair[] = "flyball: 1\nbodies:\n"
                      "  a: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [0, 0, 0], angular_velocity: [1, 2, 0.5]}\n"
                      "  b: {mass: 2, inertia: [0.3, 0.2, 0.4], position: [1, 0, 0.3], angular_velocity: [0, -1, 2]}\n"
                      "forces:\n  f: {type: force, at: a, against: b, axes: b, force: [2, 'sin(3*time)', -1], torque: "
                      "[0.1, 0.4, 'dx(a, b)']}\n";
  fly_ledger l = at_step(pair, 2, 1e-3);
  assert_true(fabs(l.forces) > 1);
  assert_at_most(l.worst, 1e-5 * l.moved);
}

// ------------------------------------------------------------------------------------------ motions

// The drive's torque times its speed, from the joint's reaction, is what the ledger says, row by row; and the energy of
// the mechanism follows it.
static void driven_slider_crank(void **state) {
  simulation s = simulation_default(NAN, NAN);
  char file[500];
  char out[100];
  snprintf(out, sizeof out, "%s/", folder);
  s.options.out = out;
  s.options.hdf5 = true;
  snprintf(file, sizeof file, "%s/examples/slider-crank.yaml", FLY_TEST_SOURCE_DIR);
  simulate_file(&s, file);
  assert_ok(s.status, &s.error);
  fly_ledger l = fly_run_ledger(s.run);
  fly_result *r;
  assert_int_equal(fly_result_open(&r, folder, NULL), FLY_OK);
  long rows = fly_result_info_of(r)->rows;
  double *t = read_channel(r, "time"), *torque = read_channel(r, "main.tz"), *work = read_channel(r, "work.motions");
  double *total = read_channel(r, "energy.total"), *balance = read_channel(r, "energy.balance");
  double sum = 0, most = 0;
  for (long k = 1; k < rows; k++) {
    sum += (t[k] - t[k - 1]) * 150 * (torque[k] + torque[k - 1]) / 2;
    assert_close(work[k], sum, 0.1); // of 53 J: the trapezoidal rule over h w = 0.015
    assert_close(total[k] - total[0], work[k], 5e-5);
    assert_close(balance[k], total[k] - total[0] - work[k], 1e-12);
    most = fmax(most, fabs(work[k]));
  }
  assert_true(most > 20);
  assert_close(work[rows - 1], l.motions, 1e-14); // the last row is where the last step ends
  assert_at_most(l.worst, 1e-5);
  free(t), free(torque), free(work), free(total), free(balance);
  fly_result_close(r);
  simulation_free(&s);
}

// A mass lifted at a given rate gains m g z + m v^2/2.
static void lifted(void **state) {
  const char lift[] = "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n  box: {mass: 3, inertia: [1, 1, 1]}\n"
                      "joints:\n  rail: {type: translational, bodies: [ground, box], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                      "motions:\n  up: {joint: rail, displacement: 0.5*time^2}\n";
  fly_ledger l = at_step(lift, 2, 0.01);
  assert_close(l.motions, 3 * 9.81 * 2 + 3 * 4 / 2.0, 1e-3);
  assert_close(l.gravity, 3 * 9.81 * 2, 1e-9);
  assert_at_most(l.worst, 1e-3);
}

// ------------------------------------------------------------------------------------------ everything together

// Each entry is large enough that a wrong sign, or a missing one, would show in the balance.
static const char everything[] =
    "flyball: 1\ngravity: [0.3, -9.81, 0.2]\n"
    "bodies:\n"
    "  ground: {markers: {wall: [2, 0.5, 0.3]}}\n"
    "  arm: {mass: 2, inertia: [0.05, 0.2, 0.22], position: [0.5, 0, 0], markers: {tip: [0.5, 0, 0]}}\n"
    "  rod: {mass: 1.5, inertia: [0.04, 0.15, 0.13], position: [1.4, 0.2, 0], markers: {left: [-0.4, -0.2, 0], right: "
    "[0.4, 0, 0.1]}}\n"
    "  pad: {mass: 0.7, inertia: [0.02, 0.03, 0.04], position: [1.9, 0.2, 0.1]}\n"
    "  disc: {type: planar, mass: 1, inertia: 0.1, position: [0, 2], angular_velocity: 4}\n"
    "joints:\n"
    "  root: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  ball: {type: spherical, from: arm.tip, to: rod.left}\n"
    "  axle: {type: revolute, bodies: [ground, disc], at: [0, 2, 0], axis: [0, 0, 1]}\n"
    "motions:\n"
    "  swing: {joint: root, angle: 0.6*sin(3*time) + 0.2*time^2}\n"
    "forces:\n"
    "  s: {type: spring, from: ground.wall, to: rod.right, stiffness: 60, damping: 2, free_length: 0.4, preload: 3}\n"
    "  b: {type: bushing, from: rod.right, to: pad, stiffness: [400, 300, 500, 8, 9, 7], damping: [4, 5, 6, 0.2, 0.1, "
    "0.3]}\n"
    "  t: {type: torsion-spring, joint: axle, stiffness: 0.5, damping: 0.08}\n"
    "  f: {type: force, at: rod.right, axes: arm, force: ['5*cos(2*time)', 8, '-2*vz(rod)'], torque: [0, 0.3, 0]}\n";

static void all_of_it(void **state) {
  fly_ledger l = at_step(everything, 1.5, 1e-3);
  assert_true(fabs(l.forces) > 1 && fabs(l.motions) > 1 && l.damping > 1);
  assert_true(fabs(l.springs - l.start_springs) > 1 && fabs(l.gravity - l.start_gravity) > 1);
  assert_at_most(l.worst, 1e-4 * l.moved);
  assert_order_two(everything, simulation_default(1.5, 0.005));
}

// Preload, a beam, friction that grows with a reaction, a motion given by its velocity.
static const char more[] =
    "flyball: 1\ngravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm: {mass: 2, inertia: [0.05, 0.2, 0.22], position: [0.5, 0, 0], markers: {tip: [0.5, 0, 0]}}\n"
    "  pad: {mass: 0.7, inertia: [0.02, 0.03, 0.04], position: [1.3, 0, 0], markers: {left: [-0.3, 0, 0]}}\n"
    "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\n"
    "  cart: {mass: 1, inertia: [1, 1, 1], position: [0, 3, 0]}\n"
    "joints:\n"
    "  root: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  rail: {type: translational, bodies: [ground, cart], at: [0, 3, 0], axis: [1, 0, 0]}\n"
    "motions:\n"
    "  go: {joint: rail, velocity: sin(5*time)}\n"
    "forces:\n"
    "  b: {type: bushing, from: arm.tip, to: pad.left, stiffness: [4000, 3000, 5000, 80, 90, 70], damping: [4, 5, 6, "
    "0.2, 0.1, 3], preload: [1, 2, 0, 0, 0, 0.5]}\n"
    "  e: {type: beam, from: pad, to: bob, youngs_modulus: 1e7, shear_modulus: 4e6, area: 1e-4, moments: [2e-7, 1e-7, "
    "1e-7], damping_time: 0.02}\n"
    "  brake: {type: force, at: arm, torque: [0, 0, '-0.05*fm(root)*wz(arm)']}\n";

static void more_of_it(void **state) {
  fly_ledger l = at_step(more, 0.5, 1e-3);
  assert_true(l.forces < -1 && l.motions > 0.1 && l.damping > 0.1 && l.springs - l.start_springs > 0.1);
  assert_at_most(l.worst, 2e-5 * l.moved);
  assert_order_two(more, simulation_default(0.5, 2e-3));
}

static void every_formulation(void **state) {
  static const char *const list[] = {"ggl", "index2", "index3"};
  static const char *const methods[] = {"ch", "hht", "trapezoid"};
  for (int k = 0; k < 3; k++) {
    simulation s = simulation_default(1.5, 2e-3);
    s.options.formulation = list[k];
    s.options.method.name = methods[k];
    fly_ledger l = ledger_of(everything, s);
    assert_at_most(l.worst, 1e-3 * l.moved);
  }
}

// With the step following the error the imbalance follows it too.
static void adaptive(void **state) {
  static const char *const list[] = {"ggl", "index3"};
  for (int k = 0; k < 2; k++) {
    simulation s = simulation_default(1.5, NAN);
    s.options.formulation = list[k];
    s.options.error = 1e-5;
    fly_ledger l = ledger_of(everything, s);
    assert_at_most(l.worst, 1e-5 * l.moved);
  }
}

// Two hinges and a drive: the rows taken out carry nothing, and nothing is missed.
static void redundant_and_driven(void **state) {
  const char door[] = "flyball: 1\nbodies:\n  door: {mass: 20, inertia: [7, 8, 1.5], position: [0.4, 0, 1]}\n"
                      "joints:\n  low: {type: revolute, bodies: [ground, door], at: [0, 0, 0.3], axis: [0, 0, 1]}\n"
                      "  high: {type: revolute, bodies: [ground, door], at: [0, 0, 1.7], axis: [0, 0, 1]}\n"
                      "motions:\n  one: {joint: low, angle: time^2}\n  two: {joint: high, angle: time^2}\n";
  fly_ledger l = at_step(door, 1, 2e-3);
  assert_close(l.motions, (1.5 + 20 * 0.16) * 4 / 2.0, 1e-4);
  assert_at_most(l.worst, 1e-4);
}

// Where nothing changes, the energy there is is the measure: a free body that tumbles.
static void energy_that_stays(void **state) {
  const char top[] = "flyball: 1\nbodies:\n  top: {mass: 1, inertia: [1, 2, 2.5], angular_velocity: [0.1, 4, 0.1]}\n";
  fly_ledger l = at_step(top, 5, 1e-3);
  assert_at_least(l.moved, 16);
  assert_at_most(l.worst, 1e-4 * l.moved);
}

// ------------------------------------------------------------------------------------------ memory

typedef struct counts {
  long first, last;
} counts;

static bool count(double t, double end, long steps, void *user) {
  counts *c = user;
  if (steps == 5)
    c->first = the_allocations.count;
  c->last = the_allocations.count;
  return true;
}

static void nothing_is_allocated_in_a_step(void **state) {
  counts c = {0};
  simulation s = simulation_default(0.5, 1e-3);
  s.options.estimate_error = "no"; // a pilot has memory of its own
  s.options.progress = count;
  s.options.user = &c;
  allocations_reset(0);
  ledger_of(everything, s);
  assert_true(c.first > 0);
  assert_int_equal(c.first, c.last);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spring_and_damper),
      cmocka_unit_test(large_steps),
      cmocka_unit_test(torsion_damper),
      cmocka_unit_test(force_by_expression),
      cmocka_unit_test(force_between_bodies),
      cmocka_unit_test(driven_slider_crank),
      cmocka_unit_test(lifted),
      cmocka_unit_test(all_of_it),
      cmocka_unit_test(more_of_it),
      cmocka_unit_test(every_formulation),
      cmocka_unit_test(adaptive),
      cmocka_unit_test(redundant_and_driven),
      cmocka_unit_test(energy_that_stays),
      cmocka_unit_test(nothing_is_allocated_in_a_step),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
