// A model built by a program is the model of the file it would be, and faults are told at the place that was set.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flyball/spec.h"
#include "model/mechanism.h"

static void ok(fly_status status, const fly_error *error) {
  if (status)
    fail_msg("%s", error->message);
}

static fly_draft *pendulum(void) {
  fly_draft *d;
  fly_error e = {0};
  ok(fly_draft_create(&d, "pendulum", &e), &e);
  ok(fly_draft_numbers(d, "gravity", 3, (double[]){0, -9.81, 0}, &e), &e);
  ok(fly_draft_set(d, "bodies/bob/type", "planar", &e), &e);
  ok(fly_draft_number(d, "bodies/bob/mass", 2.5, &e), &e);
  ok(fly_draft_set(d, "bodies/bob/inertia", "0.1", &e), &e);
  ok(fly_draft_set(d, "bodies/bob/position", "[0.5, 0]", &e), &e);
  ok(fly_draft_set(d, "joints/pin/type", "revolute", &e), &e);
  ok(fly_draft_set(d, "joints/pin/bodies", "[ground, bob]", &e), &e);
  ok(fly_draft_numbers(d, "joints/pin/at", 3, (double[]){0, 0, 0}, &e), &e);
  ok(fly_draft_set(d, "simulate/end", "1", &e), &e);
  return d;
}

static void test_same_as_a_file(void **state) {
  static const char text[] = "flyball: 1\ngravity: [0, -9.81, 0]\nsimulate: {end: 1}\n"
                             "bodies: {bob: {type: planar, mass: 2.5, inertia: 0.1, position: [0.5, 0]}}\n"
                             "joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0]}}\n";
  fly_draft *d = pendulum();
  fly_mechanism *built, *read;
  fly_error e = {0};
  ok(fly_draft_build(&built, d, &e), &e);
  ok(fly_mechanism_parse(&read, "file", text, strlen(text), 0, NULL, &e), &e);
  assert_true(fly_spec_fingerprint(&built->spec) == fly_spec_fingerprint(&read->spec));
  ok(fly_draft_set(d, "bodies/bob/mass", "2.6", &e), &e); // a draft goes on: another model
  fly_mechanism *other;
  ok(fly_draft_build(&other, d, &e), &e);
  assert_true(fly_spec_fingerprint(&other->spec) != fly_spec_fingerprint(&read->spec));
  fly_mechanism_free(built);
  fly_mechanism_free(read);
  fly_mechanism_free(other);
  fly_draft_free(d);
}

static void faulty(const char *place, const char *text, const char *says, const char *and) {
  fly_draft *d = pendulum();
  fly_mechanism *m;
  fly_error e = {0};
  ok(fly_draft_set(d, place, text, &e), &e);
  assert_int_equal(fly_draft_build(&m, d, &e), FLY_BAD_INPUT);
  if (!strstr(e.message, says) || !strstr(e.message, and))
    fail_msg("'%s' does not say '%s' and '%s'", e.message, says, and);
  assert_null(m);
  assert_string_equal(e.file, "pendulum");
  assert_int_equal(strncmp(e.element, place, 7), 0);
  fly_draft_free(d);
}

// Of a file: file, line and column, and the name that is quoted.
static void test_fields_of_a_message(void **state) {
  static const char text[] = "flyball: 1\nbodies:\n  bob: {type: planar, mass: 1, inertia: 1, colour: red}\n";
  fly_mechanism *m;
  fly_error e = {0};
  assert_int_equal(fly_mechanism_parse(&m, "a folder: with/it.yaml", text, strlen(text), 0, NULL, &e), FLY_BAD_INPUT);
  assert_string_equal(e.file, "a folder: with/it.yaml");
  assert_int_equal(e.line, 3);
  assert_true(e.column > 1);
  assert_int_equal(fly_mechanism_parse(NULL, "x", text, 1, 0, NULL, &e), FLY_BAD_INPUT);
  assert_string_equal(e.file, "");
  assert_int_equal(e.line, 0);
}

static void test_faults_have_their_place(void **state) {
  faulty("bodies/bob/mass", "heavy", "pendulum: bodies/bob/mass: ", "heavy");
  faulty("bodies/bob/mas", "1", "pendulum: bodies/bob/mas: ", "mass");
  faulty("joints/pin/type", "revolut", "pendulum: joints/pin/type: ", "revolute");
  faulty("joints/pin/bodies", "[ground, bop]", "pendulum: joints/pin", "bop");
  faulty("nothing/at", "1", "pendulum: nothing", "nothing");
}

static void test_places_that_are_none(void **state) {
  fly_draft *d = pendulum();
  fly_error e = {0};
  static const char *const bad[] = {"", "bodies//mass", "bodies/bob/", "a: b", "a\nb", "/x"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    assert_int_equal(fly_draft_set(d, bad[k], "1", &e), FLY_BAD_INPUT);
    assert_non_null(strstr(e.message, "section/element/key"));
  }
  assert_int_equal(fly_draft_set(d, "bodies/bob/mass", "1\n2", &e), FLY_BAD_INPUT);
  assert_int_equal(fly_draft_set(d, NULL, "1", &e), FLY_BAD_INPUT);
  assert_int_equal(fly_draft_number(d, "bodies/bob/mass", 1 / 0.0, &e), FLY_BAD_INPUT);
  fly_draft_free(d);
  fly_draft_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_a_file), cmocka_unit_test(test_fields_of_a_message),
                                     cmocka_unit_test(test_faults_have_their_place),
                                     cmocka_unit_test(test_places_that_are_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
