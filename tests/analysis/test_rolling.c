// Resistance to rolling and spinning, and surfaces that run: closed forms, and where the energy goes.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>

#include "analysis/simulation.h"
#include "base/check.h"

static void keep(const double *row, void *user) { *(double *)user = row[1]; } // the last row stays

static double last_of(const char *text, const char *method, double error, fly_ledger *ledger) {
  double value = NAN;
  simulation s = {.options = fly_run_options_default()};
  s.options.method.name = method;
  s.options.error = error;
  s.options.channels = "outputs";
  s.options.row = keep;
  s.options.user = &value;
  simulate_text(&s, text);
  if (s.status)
    print_message("%s: %s\n", method, s.error.message);
  assert_true(s.status == FLY_OK);
  *ledger = fly_run_ledger(s.run);
  simulation_free(&s);
  return value;
}

// A ball that rolls loses 5/7 g a/r of its speed in a second: 7/5 m r^2 w' = -m g a.
static void a_ball_that_rolls_slows_down(void **state) {
  const char *text =
      "flyball: 1\ngravity: [0, 0, -10]\nbodies:\n  ground: {shapes: [{type: plane, width: 1}]}\n"
      "  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.0999], velocity: [1, 0, 0], "
      "angular_velocity: [0, 10, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
      "contacts:\n  floor: {bodies: [ball, ground], law: linear, stiffness: 2e5, damping: 600, friction: {mu: 0.5}, "
      "rolling: 2e-3}\noutputs: {v: vx(ball)}\nsimulate: {end: 2}\n";
  fly_ledger l;
  assert_near(last_of(text, "radau", 1e-5, &l), 1 - 5.0 / 7 * 10 * 2e-3 / 0.1 * 2, 1e-3);
  assert_true(l.damping > 0 && l.worst < 1e-4);
}

// 2/5 m r^2 w' = -m g b
static void a_ball_that_spins_slows_down(void **state) {
  const char *text =
      "flyball: 1\ngravity: [0, 0, -10]\nbodies:\n  ground: {shapes: [{type: plane, width: 1}]}\n"
      "  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.0999], "
      "angular_velocity: [0, 0, -30], shapes: [{type: sphere, radius: 0.1}]}\n"
      "contacts:\n  floor: {bodies: [ground, ball], law: linear, stiffness: 2e5, damping: 600, spinning: 2e-3}\n"
      "outputs: {w: wz(ball)}\nsimulate: {end: 2}\n";
  fly_ledger l;
  assert_near(last_of(text, "ch", 1e-4, &l), -30 + 10 * 2e-3 / 0.004 * 2, 2e-3);
}

// A box laid on a conveyor is dragged along until it goes with it. The drive does m V^2, half of it is heat. The
// conveyor is named first, or is the one that a plane of the other body comes before.
static void a_box_on_a_conveyor_takes_half_of_what_the_drive_gives(void **state) {
  static const char *const bodies[] = {
      "  ground: {shapes: [{type: plane, width: 9}]}\n  box: {mass: 3, inertia: [1, 1, 1], position: [0, 0, 0.09998], "
      "shapes: [{type: box, x: 0.6, y: 0.6, z: 0.2}]}\n",
      "  ground: {shapes: [{type: box, x: 9, y: 9, z: 1, at: [0, 0, -0.5]}]}\n  box: {mass: 3, inertia: [1, 1, 1], "
      "position: [0, 0, 0.09998], shapes: [{type: plane, width: 1, at: [0, 0, -0.1], orientation: {axis: [1, 0, 0], "
      "angle: pi}}]}\n"};
  for (int k = 0; k < 2; k++) {
    char text[1500];
    snprintf(
        text, sizeof text,
        "flyball: 1\ngravity: [0, 0, -10]\nbodies:\n%scontacts:\n  belt: {bodies: [ground, box], law: linear, "
        "stiffness: "
        "4e5, damping: 1000, friction: {mu: 0.4, law: regularized, transition_speed: 1e-3}, surface_velocity: [2, 0, "
        "0]}\noutputs: {v: vx(box)}\nsimulate: {end: 1}\n",
        bodies[k]);
    fly_ledger l;
    assert_near(last_of(text, "radau", 1e-5, &l), 2, 2e-3);
    assert_near(l.kinetic, 6, 0.02);
    assert_near(l.forces, 12, 0.05);
    assert_near(l.damping, 6, 0.05);
    assert_true(l.worst < 1e-2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_that_rolls_slows_down),
                                     cmocka_unit_test(a_ball_that_spins_slows_down),
                                     cmocka_unit_test(a_box_on_a_conveyor_takes_half_of_what_the_drive_gives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
