// What a run says when a force is no number, motions contradict each other, a force cancels a mass, and when it starts
// from an equilibrium that is none to stay in.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "simulation.h"

static const char *pushed(double x, const char *force) {
  static char text[600];
  snprintf(text, sizeof text,
           "flyball: 1\nbodies: {a: {type: point, mass: 1, position: [%g, 0, 0], velocity: [1, 0, 0]}}\n"
           "forces:\n  other: {type: force, at: a, force: [0, 1, 0]}\n"
           "  odd: {type: force, at: a, force: [\"%s\", 0, 0]}\nsimulate: {end: 3}\n",
           x, force);
  return text;
}

static void forces_that_are_no_number(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition"};
  const struct {
    double x;
    const char *force, *when;
  } list[] = {{0, "log(1.5 - time)", "at t = 1.5 s"},
              {0, "0*sqrt(2 - dx(a))", "at t = 2"},
              {3, "sqrt(2 - dx(a))", "at t = 0 s"}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    for (int m = 0; m < 3; m++) {
      simulation s = simulation_default(NAN, NAN);
      s.options.method.name = methods[m];
      simulate_text(&s, pushed(list[k].x, list[k].force));
      say("%s by %s: %s\n", list[k].force, methods[m], s.error.message);
      assert_true(s.status == FLY_NOT_FINITE || s.status == FLY_STEP_TOO_SMALL);
      assert_says(&s.error, "The force `odd`");
      assert_says(&s.error, ":5:");
      assert_says(&s.error, list[k].force);
      assert_says(&s.error, list[k].when);
      simulation_free(&s);
    }
}

// From an event on y = y^2 + 1: told with the time, not as something of the start.
static void what_an_event_leaves_without_solution(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (int m = 0; m < 3; m++) {
    simulation s = simulation_default(NAN, NAN);
    s.options.method.name = methods[m];
    simulate_text(&s, "{flyball: 1, held: {k: 0.1}, bodies: {m: {type: point, mass: 1}}, variables: {y: k*(y*y + 1)}, "
                      "forces: {f: {type: force, at: m, force: [y, 0, 0]}}, events: {e: {at: 0.5, set: {k: 1}}}, "
                      "simulate: {end: 1}}");
    assert_int_equal(s.status, FLY_INCONSISTENT);
    assert_says(&s.error, "at t = 0.5 s, where something changes");
    simulation_free(&s);
  }
}

// The callback `roots` was blamed.
static void conditions_that_are_no_number(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (int k = 0; k < 6; k++) {
    simulation s = simulation_default(NAN, NAN);
    char text[500];
    s.options.method.name = methods[k % 3];
    snprintf(text, sizeof text,
             "flyball: 1\nbodies: {a: {type: point, mass: 1, position: [%d, 0, 0], velocity: [1, 0, 0]}}\n"
             "held: {k: 0}\nevents:\n  near: {when: \"sqrt(0.3 - dx(a)) < 0.1\", set: {k: 1}}\nsimulate: {end: 1}\n",
             k / 3);
    simulate_text(&s, text);
    assert_int_equal(s.status, FLY_NOT_FINITE);
    assert_says(&s.error, "The condition of the event `near`");
    assert_says(&s.error, ":5:17");
    assert_says(&s.error, "is not a number at t = 0");
    simulation_free(&s);
  }
}

// A body that does not even move was blamed, and the error asked for.
static void periods_that_are_too_short(void **state) {
  static const double periods[] = {1e-13, 1e-11};
  for (int k = 0; k < 2; k++) {
    simulation s = simulation_default(NAN, NAN);
    char text[500];
    snprintf(text, sizeof text,
             "flyball: 1\nbodies: {a: {type: point, mass: 1}}\nheld: {k: 0}\n"
             "events:\n  tick: {every: %g, set: {k: k + 1}}\nsimulate: {end: 1}\n",
             periods[k]);
    simulate_text(&s, text);
    assert_true(s.status != FLY_OK);
    assert_says(&s.error, k ? ":5:3: `tick` happens every 1e-11" : ":5:17: `tick`: `every` is 1e-13 s");
    assert_says(&s.error, "longer `every`");
    assert_null(strstr(s.error.message, "moves fastest"));
    assert_null(strstr(s.error.message, "error asked for"));
    simulation_free(&s);
  }
}

// They were called forces that push along the motion.
static void motions_that_grow_without_bound(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition"};
  static const char *const motions[] = {"angle: sqrt(0.5 - time)", "acceleration: 1/(time - 0.5)",
                                        "velocity: log(0.5 - time)"};
  for (int k = 0; k < 9; k++) {
    simulation s = simulation_default(NAN, NAN);
    char text[500];
    snprintf(text, sizeof text,
             "flyball: 1\nbodies: {a: {type: planar, mass: 1, inertia: 0.1, center: [0.5, 0], angle: sqrt(0.5)}}\n"
             "joints: {pin: {type: revolute, from: ground, to: a}}\n"
             "motions:\n  swing: {joint: pin, %s}\nsimulate: {end: 1, method: %s}\n",
             motions[k / 3], methods[k % 3]);
    simulate_text(&s, text);
    say("%s by %s: %s\n", motions[k / 3], methods[k % 3], s.error.message);
    assert_true(s.status != FLY_OK);
    if (s.status != FLY_NOT_KEPT) { // some leap over the pole, and are lost behind it
      assert_says(&s.error, ":5:");
      assert_says(&s.error, "The motion `swing` grows without bound there");
    }
    simulation_free(&s);
  }
}

static void motions_that_part(void **state) {
  simulation s = simulation_default(NAN, NAN);
  simulate_text(&s, "flyball: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                    "joints: {pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                    "motions:\n  one: {joint: pin, angle: sin(time)}\n"
                    "  two: {joint: pin, angle: \"sin(time) + 1e-3*max(0, time - 1)^2\"}\nsimulate: {end: 3}\n");
  assert_int_equal(s.status, FLY_INCONSISTENT);
  assert_says(&s.error, "`two, angle` contradicts");
  assert_says(&s.error, "rad in positions");
  assert_says(&s.error, "Motions beside it: `one`.");
  assert_says(&s.error, "This shows at t = 1.");
  simulation_free(&s);
}

static void motions_that_jump(void **state) {
  simulation s = simulation_default(NAN, NAN);
  simulate_text(&s, "flyball: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                    "joints: {pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                    "motions:\n  lurch: {joint: pin, angle: \"if(time < 0.5, time, 2)\"}\nsimulate: {end: 3}\n");
  assert_int_equal(s.status, FLY_BAD_INPUT);
  assert_says(&s.error, "At t = 0.5 s a motion jumps");
  assert_says(&s.error, ":5:3: It is `lurch`, from 0.5 to 2.");
  simulation_free(&s);
}

static void ends_before_the_start(void **state) {
  simulation s = simulation_default(NAN, NAN);
  simulate_text(&s, "flyball: 1\nbodies: {a: {type: point, mass: 1}}\nsimulate: {end: -2}\n");
  assert_int_equal(s.status, FLY_BAD_INPUT);
  assert_says(&s.error, "`end` must lie after the start, 0 s, but is -2 s");
  simulation_free(&s);
}

static void forces_that_cancel_a_mass(void **state) {
  simulation s = simulation_default(NAN, NAN);
  simulate_text(&s, "flyball: 1\nbodies: {a: {type: point, mass: 2}}\n"
                    "forces:\n  push: {type: force, at: a, force: [1, 0, 0]}\n"
                    "  lift: {type: force, at: a, force: [0, 2*accy(a), 0]}\nsimulate: {end: 3}\n");
  assert_int_equal(s.status, FLY_SINGULAR);
  assert_says(&s.error, "is degenerate. Forces that feel accelerations or reactions: `lift` (");
  assert_says(&s.error, ":5:3). ");
  assert_null(strstr(s.error.message, "push"));
  simulation_free(&s);
}

// A rod on its tip, mu = -m g l / (J + m l^2).
static void starts_that_do_not_stay(void **state) {
  simulation s = simulation_default(NAN, NAN);
  s.options.start = "equilibrium";
  simulate_text(&s, "flyball: 1\ngravity: [0, -9.81, 0]\n"
                    "bodies: {a: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 1, 0]}}\n"
                    "joints: {pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                    "simulate: {end: 1}\n");
  assert_ok(s.status, &s.error);
  const fly_verdict v = fly_run_verdict(s.run);
  char grows[60];
  snprintf(grows, sizeof grows, "grows e-fold every %.3g s", sqrt(1.01 / 9.81));
  assert_non_null(strstr(v.sentence, "is unstable"));
  assert_non_null(strstr(v.sentence, grows));
  simulation_free(&s);
}

#define NAMED                                                                                                          \
  "flyball: 1\nbodies:\n  a: {type: planar, mass: 1, inertia: 0.1}\njoints:\n"                                         \
  "  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0]}\nforces:\n"                                             \
  "  s: {type: spring, from: ground, to: a, stiffness: 1, free_length: 0}\n"

// What is called as a channel of an element is: both places.
static void names_that_are_taken(void **state) {
  static const struct {
    const char *more, *here, *says;
  } list[] = {{"states: {pin.w: {rate: \"1\"}}\n", ":8:10: state `pin.w`", "`w` of the revolute `pin` ("},
              {"held: {s.on: 2}\n", ":8:8: held `s.on`", "`on` of the spring `s` ("},
              {"inputs: {s.length: 2}\n", ":8:10: input `s.length`", "`length` of the spring `s` ("},
              {"variables: {a.x: 3}\n", ":8:13: variable `a.x`", "one of the planar `a` ("},
              {"outputs: {s.force: 3}\n", ":8:11: output `s.force`", "one of the spring `s` ("}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    char text[1000];
    simulation s = simulation_default(1, 1);
    snprintf(text, sizeof text, NAMED "%s", list[k].more);
    simulate_text(&s, text);
    assert_int_equal(s.status, FLY_BAD_INPUT);
    assert_says(&s.error, list[k].here);
    assert_says(&s.error, list[k].says);
    assert_says(&s.error, "rename one of them");
    simulation_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_an_event_leaves_without_solution),
                                     cmocka_unit_test(forces_that_are_no_number),
                                     cmocka_unit_test(motions_that_grow_without_bound),
                                     cmocka_unit_test(conditions_that_are_no_number),
                                     cmocka_unit_test(periods_that_are_too_short),
                                     cmocka_unit_test(motions_that_part),
                                     cmocka_unit_test(motions_that_jump),
                                     cmocka_unit_test(ends_before_the_start),
                                     cmocka_unit_test(forces_that_cancel_a_mass),
                                     cmocka_unit_test(starts_that_do_not_stay),
                                     cmocka_unit_test(names_that_are_taken)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
