// What a contact tells: its force by components, and when it was largest.
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "analysis/simulation.h"
#include "base/check.h"

enum { GAP = 1, NORMAL, FRICTION, SLIP, SPOT, FORCE = SPOT + 3, PRESSING = FORCE + 3, WIDE = PRESSING + 3 };

static void keep(const double *row, void *user) { memcpy(user, row, WIDE * sizeof *row); } // the last row stays

static fly_hot_contact run(const char *text, double last[WIDE]) {
  fly_hot_contact hot;
  simulation s = {.options = fly_run_options_default()};
  s.options.channels = "forces";
  s.options.row = keep;
  s.options.user = last;
  simulate_text(&s, text);
  if (s.status)
    print_message("%s\n", s.error.message);
  assert_true(s.status == FLY_OK);
  assert_int_equal(fly_run_hottest(s.run, &hot, 1), 1);
  simulation_free(&s);
  return hot;
}

// A box that lies on a slope by its friction: the slope carries its weight, m g cos a across and m g sin a along it.
// What a plane touches is the second body, in whichever order they are named.
static void a_slope_carries_the_weight_of_a_box(void **state) {
  static const char *const named[] = {"[ground, box]", "[box, ground]"};
  const double angle = 0.3, weight = 2 * 10;
  for (int k = 0; k < 2; k++) {
    char text[1000];
    double last[WIDE];
    snprintf(text, sizeof text,
             "flyball: 1\ngravity: [0, 0, -10]\nparameters: {a: 0.3}\nbodies:\n"
             "  ground: {shapes: [{type: plane, width: 1, orientation: {axis: [0, 1, 0], angle: a}}]}\n"
             "  box: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0.1*sin(a), 0, 0.1*cos(a)], orientation: "
             "{axis: [0, 1, 0], angle: a}, shapes: [{type: box, x: 0.4, y: 0.4, z: 0.2}]}\n"
             "contacts:\n  lie: {bodies: %s, law: linear, stiffness: 1e5, damping: 500, friction: {mu: 0.8}}\n"
             "simulate: {end: 1, method: radau, error: 1e-6}\n",
             named[k]);
    run(text, last);
    const double force[3] = {0, 0, weight}, press = weight * cos(angle);
    const double pressing[3] = {press * sin(angle), 0, press * cos(angle)};
    assert_near(last[NORMAL], press, 1e-3);
    assert_near(last[FRICTION], weight * sin(angle), 1e-3);
    for (int c = 0; c < 3; c++) {
      assert_near(last[FORCE + c], force[c], 1e-3);
      assert_near(last[PRESSING + c], pressing[c], 1e-3);
    }
  }
}

// A ball that falls from 0.2 m meets the floor at 2 m/s, and is pressed most, by sqrt(m k) v, a quarter of a swing
// 2 pi sqrt(m/k) later; its weight and the damper change that by a few hundredths.
static void the_first_blow_is_the_hardest(void **state) {
  const char *text = "flyball: 1\ngravity: [0, 0, -10]\nbodies:\n  ground: {shapes: [{type: plane, width: 1}]}\n"
                     "  ball: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.3], shapes: [{type: sphere, "
                     "radius: 0.1}]}\n"
                     "contacts:\n  floor: {bodies: [ground, ball], law: linear, stiffness: 1e6, damping: 50}\n"
                     "simulate: {end: 1, method: radau, error: 1e-6}\n";
  double last[WIDE];
  const fly_hot_contact hot = run(text, last);
  const double quarter = acos(-1) / 2 * 1e-3;
  assert_near(hot.when, 0.2 + quarter, 0.3 * quarter);
  assert_near(hot.largest, 2 * 1e3, 0.06 * 2e3);
  assert_near(hot.deepest, 2e-3, 0.06 * 2e-3);
}

// Two balls onto a floor and against each other, with friction: the heat of all contacts is that of the ledger.
static void heats_add_up_to_the_ledger(void **state) {
  static const char *const methods[] = {"ch", "radau"};
  for (int k = 0; k < 2; k++) {
    fly_hot_contact hot[4];
    simulation s = {.options = fly_run_options_default()};
    s.options.method.name = methods[k];
    s.options.error = 1e-3;
    s.options.calibrate = s.options.estimate_error = "no";
    simulate_text(&s,
                  "flyball: 1\ngravity: [0, 0, -10]\nbodies:\n  ground: {shapes: [{type: plane, width: 1}]}\n"
                  "  a: {position: [0, 0, 0.2], velocity: [1, 0, 0], shapes: [{type: sphere, radius: 0.1, density: "
                  "1000}]}\n"
                  "  b: {position: [0.4, 0.03, 0.15], shapes: [{type: sphere, radius: 0.1, density: 1000}]}\n"
                  "contacts:\n  floor: {bodies: [ground], with: [a, b], stiffness: 1e5, restitution: 0.5, friction: "
                  "{mu: 0.3}}\n  each: {bodies: [a, b], stiffness: 1e5, restitution: 0.5}\n"
                  "simulate: {end: 1}\n");
    assert_ok(s.status, &s.error);
    double sum = 0;
    const int count = fly_run_hottest(s.run, hot, 4);
    for (int n = 0; n < count; n++)
      sum += hot[n].heat;
    const double heat = fly_run_ledger(s.run).contact_heat;
    print_message("%s: %.12g J and %.12g J in %d contacts\n", methods[k], heat, sum, count);
    assert_int_equal(count, 3);
    assert_true(heat > 1);
    assert_near(sum, heat, 1e-12 * heat);
    simulation_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slope_carries_the_weight_of_a_box),
      cmocka_unit_test(the_first_blow_is_the_hardest),
      cmocka_unit_test(heats_add_up_to_the_ledger),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
