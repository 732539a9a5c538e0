// The corrector takes hardly more corrections for a mechanism with a shipped part than for the mechanism alone: the
// whole Jacobian, coupling blocks included, is exact.
#include "base/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flyball/model.h"
#include "support/motion.h"

#define ARM                                                                                                            \
  "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                                      \
  "  arm: {mass: 2, inertia: [0.05, 0.2, 0.2], position: [0.5, 0, 0], markers: {end: [0.5, 0, 0], mid: [0.2, 0, "      \
  "0]}}\n"                                                                                                             \
  "  fore: {mass: 1, inertia: [0.02, 0.1, 0.1], position: [1.4, 0, 0], markers: {hub: [0.3, 0, 0]}}\n"                 \
  "  ground: {markers: {foot: [0.2, 0, -0.8]}}\njoints:\n"                                                             \
  "  pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"                                   \
  "  elbow: {type: revolute, bodies: [arm, fore], at: [1, 0, 0], axis: [0, 1, 0]}\n"
#define TURN "forces: {d: {type: torsion-spring, joint: pin, torque: c.out}}\n"

static const char *const parts[] = {
    "",
    "use: {c: {part: pid, error: 0.3 - pin.angle, kp: 40, ki: 20, kd: 4, low: -30, high: 30}}\n" TURN,
    "use: {c: {part: pi, error: -pin.w, kp: 6, ki: 10, low: -30, high: 30}}\n" TURN,
    "use: {c: {part: dc-motor, voltage: 24*sin(5*time), connect: {axle: pin}, ratio: 30}}\n",
    "use: {c: {part: servo, target: 0.4*sin(3*time), connect: {axle: pin}, kp: 200, kd: 20, ki: 50, limit: 60}}\n",
    "use: {c: {part: gearbox, torque: sin(4*time), connect: {axle: pin}, gap: 0.01}}\n",
    "use: {c: {part: hydraulic-cylinder, opening: 0.1*sin(3*time), connect: {base: ground.foot, rod: arm.mid}}}\n",
    "use: {c: {part: hydraulic-damper, length: 'dm(arm.mid, ground.foot)', rate: 'vr(arm.mid, ground.foot)', current: "
    "1, "
    "middle: 0.8}}\nforces: {d: {type: spring, from: arm.mid, to: ground.foot, force: c.force}}\n",
    "use: {c: {part: tyre, connect: {hub: fore.hub}, road: -0.6}}\n",
};

// Corrections of a step, of ch with fixed steps or, where a step is 0, with those that the error asks for.
static double corrections(const char *part, double step, double end) {
  char text[3000];
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  snprintf(text, sizeof text, "%s%s", ARM, part);
  o.method.name = "ch";
  o.end = end;
  if (step > 0)
    o.step = step;
  else
    o.error = 1e-4;
  o.calibrate = "no";
  assert_ok(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_run_create(&run, m, &o, &error), &error);
  assert_ok(fly_run_start(run, &error), &error);
  assert_ok(fly_run_go(run, &error), &error);
  const fly_stats s = fly_run_stats(run);
  fly_run_free(run);
  fly_mechanism_free(m);
  return (double)s.newton_iterations / (double)s.steps;
}

static void as_the_mechanism_alone(void **state) {
  const double alone = corrections(parts[0], 5e-4, 0.2);
  for (size_t k = 1; k < sizeof parts / sizeof *parts; k++) {
    const double with = corrections(parts[k], 5e-4, 0.2);
    if (getenv("FLY_SHOW_RESIDUALS") != NULL)
      printf("%.2f corrections a step, alone %.2f: %.40s\n", with, alone, parts[k]);
    const bool stiff =
        strstr(parts[k], "cylinder") != NULL; // six steps a period of its oil: 4.7, the others 2.1 to 3.4
    assert_true(with <= alone + (stiff ? 3 : 1));
  }
}

// The column of oil rings at 335 Hz, without friction, since it starts balanced without its load: a hundred times the
// steps of the mechanism alone, each with as few corrections.
static void under_error_control(void **state) {
  const double alone = corrections(parts[0], 0, 0.5);
  for (size_t k = 1; k < sizeof parts / sizeof *parts; k++) {
    const double with = corrections(parts[k], 0, strstr(parts[k], "cylinder") ? 0.02 : 0.5);
    if (getenv("FLY_SHOW_RESIDUALS") != NULL)
      printf("%.2f corrections a step, alone %.2f: %.40s\n", with, alone, parts[k]);
    assert_true(with <= alone + 0.75);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_mechanism_alone), cmocka_unit_test(under_error_control)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
