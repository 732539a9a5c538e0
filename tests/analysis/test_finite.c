// Values that are not finite: counted, named, and a run that writes them is not done as asked unless they are allowed.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "analysis/simulation.h"
#include "flyball/modes.h"

static const char pendulum[] =
    "flyball: 1\ngravity: [0, -9.81, 0]\n"
    "bodies:\n  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, %s]}\n"
    "outputs: {x: dx(rod), y: %s, z: 1/(time - 0.02)}\n"
    "simulate: {end: 0.05, output: 0.01, step: 0.01%s}\n";

static simulation swing(const char *y, const char *setting, bool allow) {
  char text[1000];
  simulation s = {.options = fly_run_options_default()};
  s.options.allow_nan = allow;
  snprintf(text, sizeof text, pendulum, "1", y, setting);
  simulate_text(&s, text);
  return s;
}

static void infinite_values_are_counted(void **state) {
  simulation s = swing("log(time - 0.035)", "", false); // at 0 ... 0.03, and z at 0.02
  fly_not_finite f = fly_run_not_finite(s.run);
  assert_int_equal(s.status, FLY_NOT_FINITE);
  assert_non_null(strstr(s.error.message, "`y`, not a number at t = 0 s, in row 1"));
  assert_non_null(strstr(s.error.message, "allow_nan"));
  assert_int_equal(f.values, 5);
  assert_int_equal(f.rows, 4);
  assert_int_equal(f.channels, 2);
  assert_int_equal(f.row, 1);
  assert_string_equal(f.channel, "y");
  assert_int_equal(fly_run_rows(s.run), 6); // all rows are there
  simulation_free(&s);
}

static void they_may_be_allowed(void **state) {
  for (int k = 0; k < 2; k++) {
    simulation s = swing("1/time", k ? ", allow_nan: yes" : "", !k);
    assert_ok(s.status, &s.error);
    assert_int_equal(fly_run_not_finite(s.run).values, 2);
    simulation_free(&s);
  }
  simulation s = swing("0", "", false); // z once
  assert_int_equal(s.status, FLY_NOT_FINITE);
  simulation_free(&s);
  s = swing("1/time", ", allow_nan: perhaps", false);
  assert_int_equal(s.status, FLY_BAD_INPUT);
  simulation_free(&s);
}

static void the_record_tells(void **state) {
  char *bytes;
  size_t size;
  simulation s = swing("1/time", ", allow_nan: yes", false);
  FILE *file = open_memstream(&bytes, &size);
  assert_true(fly_run_record(s.run, false, fly_to_file, file));
  fclose(file);
  assert_non_null(strstr(bytes, "2 values are not finite, in 2 channels and 2 rows of the results: the first is `y`"));
  assert_non_null(strstr(bytes, "\"not_finite\": {\n      \"values\": 2"));
  free(bytes);
  simulation_free(&s);
}

// Kinematics knows no reactions: what needs them is left out, and not there as NaN.
static void kinematics_leaves_out_what_it_does_not_know(void **state) {
  static const char driven[] =
      "flyball: 1\nbodies:\n  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "motions:\n  drive: {joint: pin, angle: time}\n"
      "outputs: {load: 2*tz(pin), turn: az(rod)}\nsimulate: {end: 1, output: 0.5}\n";
  simulation s = {.options = fly_run_options_default()};
  s.options.analysis = FLY_KINEMATICS;
  simulate_text(&s, driven);
  assert_ok(s.status, &s.error);
  assert_int_equal(fly_run_channel(s.run, "load"), -1);
  assert_true(fly_run_channel(s.run, "turn") > 0);
  assert_non_null(strstr(fly_run_left_out(s.run), "`load` is left out"));
  assert_int_equal(fly_run_not_finite(s.run).values, 0);
  simulation_free(&s);
  s = (simulation){.options = fly_run_options_default()};
  s.options.analysis = FLY_KINEMATICS;
  s.options.channels = "load";
  simulate_text(&s, driven);
  assert_int_equal(s.status, FLY_BAD_INPUT);
  simulation_free(&s);
  s = (simulation){.options = fly_run_options_default()};
  s.options.analysis = FLY_INVERSE;
  simulate_text(&s, driven);
  assert_ok(s.status, &s.error);
  assert_true(fly_run_channel(s.run, "load") > 0);
  simulation_free(&s);
}

static void equilibria_and_modes_too(void **state) {
  char text[1000];
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  fly_modes *modes = NULL;
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  fly_modes_options mo = fly_modes_options_default();
  mo.anyway = true;
  snprintf(text, sizeof text, pendulum, "1", "1/time", "");
  assert_ok(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_run_create(&run, m, &o, &error), &error);
  assert_ok(fly_run_rest(run, NULL, &error), &error);
  assert_int_equal(fly_run_show(run, &error), FLY_NOT_FINITE);
  fly_run_free(run);
  snprintf(text, sizeof text, "%s/modes", folder);
  for (int k = 0; k < 2; k++) {
    mo.allow_nan = k;
    assert_ok(fly_modes_create(&modes, m, &mo, &error), &error);
    assert_int_equal(fly_modes_write_result(modes, text, &error), k ? FLY_OK : FLY_NOT_FINITE);
    fly_modes_free(modes);
  }
  fly_mechanism_free(m);
}

// Where squares overflow: refused with its place.
static void absurd_numbers_are_refused(void **state) {
  char text[1000];
  fly_mechanism *m = NULL;
  fly_error error = {0};
  static const char *const absurd[] = {"1e308", "-1e200", "1e150*1e100"};
  for (int k = 0; k < 3; k++) {
    snprintf(text, sizeof text, pendulum, absurd[k], "0", "");
    assert_int_equal(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), FLY_BAD_INPUT);
    assert_non_null(strstr(error.message, "text:6:"));
    assert_non_null(strstr(error.message, "beyond 1e+100"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(infinite_values_are_counted),
                                     cmocka_unit_test(they_may_be_allowed),
                                     cmocka_unit_test(the_record_tells),
                                     cmocka_unit_test(kinematics_leaves_out_what_it_does_not_know),
                                     cmocka_unit_test(equilibria_and_modes_too),
                                     cmocka_unit_test(absurd_numbers_are_refused)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
