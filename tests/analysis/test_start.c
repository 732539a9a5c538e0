// Starts that nobody may have meant are told, by name, in metres and degrees; strict refuses them. A run starts once.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "analysis/simulation.h"
#include "flyball/modes.h"

static fly_mechanism *read_model(const char *text) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  assert_ok(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), &error);
  return m;
}

// What a start warns of; strict: it must be refused with the same.
static void warned(const char *text, const char *expected) {
  fly_mechanism *m = read_model(text);
  for (int strict = 0; strict < 2; strict++) {
    fly_run *run;
    fly_error error = {0};
    fly_run_options o = fly_run_options_default();
    o.strict = strict;
    assert_ok(fly_run_create(&run, m, &o, &error), &error);
    fly_status status = fly_run_start(run, &error);
    if (!strict || !expected)
      assert_ok(status, &error);
    else
      assert_int_equal(status, FLY_BAD_INPUT);
    const char *told = strict && expected ? error.message : fly_run_warnings(run);
    if (expected ? strstr(told, expected) == NULL : told[0] != 0)
      fail_msg("'%s' is not in '%s'", expected ? expected : "nothing", told);
    fly_run_free(run);
  }
  fly_mechanism_free(m);
}

#define HEAD "flyball: 1\nsimulate: {end: 0.1}\nbodies:\n"
#define PIN "joints:\n  pin: {type: revolute, from: ground, to: rod.end}\n"

static void a_body_moved_far(void **state) {
  warned(HEAD "  rod: {mass: 1, inertia: [1, 1, 1], position: [0.5, 3, 0], markers: {end: [-0.5, 0, 0]}}\n"
              "joints:\n  pin: {type: spherical, from: ground, to: rod.end}\n",
         "`rod` was moved by ");
  warned(HEAD "  rod: {mass: 1, inertia: [1, 1, 1], position: [0.5, 3, 0], markers: {end: [-0.5, 0, 0]}}\n"
              "joints:\n  pin: {type: spherical, from: ground, to: rod.end}\n",
         "`pin` in y was open by 3 m.");
  warned(HEAD
         "  rod: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0], orientation: {axis: [1, 0, 0], angle: 30*deg},\n"
         "    markers: {end: [-0.5, 0, 0]}}\n" PIN,
         "turned by 30 degrees");
  warned(HEAD "  rod: {mass: 1, inertia: [1, 1, 1], position: [0.5, 1e-3, 0], markers: {end: [-0.5, 0, 0]}}\n" PIN,
         NULL);
}

#define BEAM                                                                                                           \
  "  rod: {type: flexible-beam, length: 1, density: 7850, youngs_modulus: 2.1e11, shear_modulus: 8e10, area: 1e-4,\n"  \
  "    moments: [1e-9, 1e-9, 2e-9], markers: {tip: [1, 0, 0]}}\n"                                                      \
  "  wall: {mass: 1, inertia: [1, 1, 1], position: [1, %s, 0]}\n"                                                      \
  "joints:\n  clamp: {type: fixed, bodies: [ground, rod], at: [0, 0, 0]}\n"                                            \
  "  bolt: {type: fixed, bodies: [ground, wall], at: [1, %s, 0]}\n  tip: {type: spherical, from: wall, to: rod.tip}\n"

// A beam between places that are not as far apart as it is long is bent until it fits, and springs back.
static void a_body_bent(void **state) {
  char text[1000];
  snprintf(text, sizeof text, HEAD BEAM, "0.01", "0.01");
  warned(text, "`rod` was bent to fit the joints, by ");
  warned(text, "`tip` in y was open by 0.01 m");
  snprintf(text, sizeof text, HEAD BEAM, "0", "0");
  warned(text, NULL);
}

// It is a length, and was called an angle.
static void a_wheel_above_its_ground(void **state) {
  warned(HEAD
         "  coin: {mass: 1, inertia: [1, 1, 2], position: [0, 0, 3], orientation: {axis: [1, 0, 0], angle: 60*deg}}\n"
         "joints:\n  tread: {type: rolling, from: ground, to: coin, radius: 0.25}\n",
         " m.");
  warned(HEAD
         "  coin: {mass: 1, inertia: [1, 1, 2], position: [0, 0, 3], orientation: {axis: [1, 0, 0], angle: 60*deg}}\n"
         "joints:\n  tread: {type: rolling, from: ground, to: coin, radius: 0.25}\n",
         "`tread` in height was open by 2.78 m.");
}

// A pendulum given only its angular velocity: m l^2 takes its share, J/(J + m l^2) is left.
static void a_velocity_changed(void **state) {
  warned(HEAD "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], angular_velocity: [0, 0, 10],\n"
              "    markers: {end: [-0.5, 0, 0]}}\n" PIN,
         "`rod` was given an angular velocity of 10 rad/s and starts with 2.86 rad/s");
  warned(HEAD "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], angular_velocity: [0, 0, 10],\n"
              "    velocity: [0, 5, 0], markers: {end: [-0.5, 0, 0]}}\n" PIN,
         NULL);
  warned(HEAD "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], markers: {end: [-0.5, 0, 0]}}\n" PIN
              "motions:\n  drive: {joint: pin, angle: 3*time}\n",
         NULL); // what stood still is set in motion by others
}

static void a_loose_body(void **state) {
  static const char *const box = "  box: {mass: 1, inertia: [1, 1, 1], position: [5, 0, 0]}\n";
  char text[1000];
  snprintf(text, sizeof text, "%s", HEAD);
  snprintf(text, sizeof text,
           HEAD
           "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], markers: {end: [-0.5, 0, 0]}}\n%s" PIN,
           box);
  warned(text, "`box` is loose: no joint holds it, and no force but gravity acts on it.");
  strcat(text, "forces:\n  push: {type: force, at: box, force: [1, 0, 0]}\n");
  warned(text, NULL);
  snprintf(text, sizeof text, HEAD "%s", box); // a single body may fly
  warned(text, NULL);
}

static void parallel_arms_of_a_cross(void **state) {
  static const char cross[] =
      HEAD "  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
           "joints:\n  u: {type: universal, bodies: [a, b], at: [0, 0, 0.5], axis: [1, 0, 0], "
           "axis2: [-1, 0, 0]}\n";
  fly_mechanism *m = NULL;
  fly_error error = {0};
  assert_int_equal(fly_mechanism_parse(&m, "text", cross, strlen(cross), 0, NULL, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "universal `u`: its two axes are parallel where it starts"));
}

static void a_run_starts_once(void **state) {
  fly_mechanism *m =
      read_model(HEAD "  rod: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0.1, 0], velocity: [0, 1, 0],\n"
                      "    markers: {end: [-0.5, 0, 0]}}\n" PIN);
  for (int k = 0; k < 2; k++) {
    fly_run *run;
    fly_error error = {0};
    fly_run_options o = fly_run_options_default();
    assert_ok(fly_run_create(&run, m, &o, &error), &error);
    assert_ok(fly_run_start(run, &error), &error);
    assert_int_equal(k ? fly_run_rest(run, NULL, &error) : fly_run_start(run, &error), FLY_BAD_INPUT);
    assert_non_null(strstr(error.message, "started before"));
    assert_ok(fly_run_go(run, &error), &error); // the first one goes on
    fly_run_free(run);
  }
  fly_mechanism_free(m);
}

static void records_and_modes_tell_too(void **state) {
  static const char text[] =
      HEAD "  rod: {mass: 1, inertia: [1, 1, 1], position: [0.5, 3, 0], markers: {end: [-0.5, 0, 0]}}\n"
           "joints:\n  pin: {type: spherical, from: ground, to: rod.end}\n";
  simulation s = {.options = fly_run_options_default()};
  char *bytes;
  size_t size;
  simulate_text(&s, text);
  FILE *file = open_memstream(&bytes, &size);
  assert_true(fly_run_record(s.run, false, fly_to_file, file));
  fclose(file);
  assert_non_null(strstr(bytes, "`rod` was moved by "));
  free(bytes);
  fly_modes *modes;
  fly_modes_options o = fly_modes_options_default();
  o.anyway = true;
  assert_ok(fly_modes_create(&modes, s.mechanism, &o, &s.error), &s.error);
  assert_non_null(strstr(fly_modes_warnings(modes), "`rod` was moved by "));
  fly_modes_free(modes);
  o.strict = true;
  assert_int_equal(fly_modes_create(&modes, s.mechanism, &o, &s.error), FLY_BAD_INPUT);
  simulation_free(&s);
}

// The record of a run that failed, for the page.
static char *record_of(const char *text, fly_status expected) {
  fly_mechanism *m = read_model(text);
  fly_run *run;
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  char *bytes = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&bytes, &size);
  assert_ok(fly_run_create(&run, m, &o, &error), &error);
  assert_int_equal(fly_run_start(run, &error), expected);
  assert_true(fly_run_record(run, false, fly_to_file, file));
  fclose(file);
  fly_run_free(run);
  fly_mechanism_free(m);
  return bytes;
}

// What is left open of a joint in a record.
static void open_by(const char *record, const char *joint, double *length, double *angle) {
  char key[100];
  snprintf(key, sizeof key, "\"joint\": \"%s\"", joint);
  const char *at = strstr(record, "\"open\"");
  at = at ? strstr(at, key) : NULL;
  if (!at)
    fail_msg("%s is not among the open joints of %s", joint, record);
  assert_int_equal(sscanf(strstr(at, "\"length\""), "\"length\": %lf", length), 1);
  assert_int_equal(sscanf(strstr(at, "\"angle\""), "\"angle\": %lf", angle), 1);
}

// Two bars of 1 m that must reach 3 m: the first stays closed, and the gaps of the others add up to the metre that is
// missing.
static void joints_that_stay_open(void **state) {
  char *record = record_of(HEAD "  ground: {markers: {A: [0, 0, 0], D: [3, 0, 0]}}\n"
                                "  one: {type: planar, mass: 1, inertia: 0.1, angle: 0.5, markers: {B: [1, 0]}}\n"
                                "  two: {type: planar, mass: 1, inertia: 0.1, position: [1, 0.2], markers: {D: [1, "
                                "0]}}\n"
                                "joints:\n  jA: {type: revolute, from: ground.A, to: one}\n"
                                "  jB: {type: revolute, from: one.B, to: two}\n"
                                "  jD: {type: revolute, from: ground.D, to: two.D}\n",
                           FLY_INCONSISTENT);
  static const char *const joints[] = {"jD", "jB"};
  double length, angle, sum = 0;
  for (int k = 0; k < 2; k++) {
    open_by(record, joints[k], &length, &angle);
    assert_true(fabs(angle) < 1e-12);
    sum += length;
  }
  assert_true(strstr(record, "\"jD\"") < strstr(record, "\"jB\"")); // the worst first
  assert_true(sum > 1 - 1e-6 && sum < 1.05);                        // nearly in line
  free(record);
}

// A weld that is turned by 30 degrees against what another one says: an angle is left, and no length.
static void a_joint_that_stays_turned(void **state) {
  char *record = record_of(HEAD "  box: {mass: 1, inertia: [1, 1, 1]}\n"
                                "  ground: {markers: {turned: {at: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: "
                                "30*deg}}}}\n"
                                "joints:\n  one: {type: fixed, bodies: [ground, box], at: [0, 0, 0]}\n"
                                "  two: {type: fixed, from: ground.turned, to: box}\n",
                           FLY_INCONSISTENT);
  double length, angle;
  open_by(record, "two", &length, &angle);
  assert_true(fabs(length) < 1e-9);
  assert_true(fabs(angle - 0.52359877559829887) < 1e-6);
  free(record);
}

static void nothing_open(void **state) {
  char *record = record_of(HEAD "  rod: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0], markers: {end: [-0.5, 0, "
                                "0]}}\n" PIN,
                           FLY_OK);
  assert_null(strstr(record, "\"open\""));
  free(record);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_body_moved_far),
                                     cmocka_unit_test(a_body_bent),
                                     cmocka_unit_test(a_wheel_above_its_ground),
                                     cmocka_unit_test(a_velocity_changed),
                                     cmocka_unit_test(a_loose_body),
                                     cmocka_unit_test(parallel_arms_of_a_cross),
                                     cmocka_unit_test(a_run_starts_once),
                                     cmocka_unit_test(records_and_modes_tell_too),
                                     cmocka_unit_test(joints_that_stay_open),
                                     cmocka_unit_test(a_joint_that_stays_turned),
                                     cmocka_unit_test(nothing_open)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
