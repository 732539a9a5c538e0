// An error has the place and the element it is about as fields, filled where the fault is found: names and messages may
// look as they like.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "flyball/run.h"

static const char NAME[] = "odd:7:9: `name`.yaml"; // looks like a place

static fly_error fault(const char *text) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  fly_run *r = NULL;
  fly_status status = fly_mechanism_parse(&m, NAME, text, strlen(text), 0, NULL, &error);
  if (status == FLY_OK)
    status = fly_run_create(&r, m, NULL, &error);
  if (status == FLY_OK)
    status = fly_run_start(r, &error);
  assert_int_not_equal(status, FLY_OK);
  fly_run_free(r);
  fly_mechanism_free(m);
  return error;
}

static void says(const fly_error *e, int line, int column, const char *element) {
  print_message("%s\n", e->message);
  assert_string_equal(e->file, line > 0 ? NAME : "");
  assert_int_equal(e->line, line);
  assert_int_equal(e->column, column);
  assert_string_equal(e->element, element);
}

#define HEAD "flyball: 1\nbodies: {arm: {type: planar, mass: 1, inertia: 1, position: [1, 0]}}\n"

static void test_places(void **state) {
  fly_error e = fault("flyball: 1\nbodies: {arm: {type: planar, mas: 1}}\n");
  says(&e, 2, 30, "");
  e = fault(HEAD "forces: {pull: {type: force, at: nobody, force: [1, 0, 0]}}\nsimulate: {end: 1}\n");
  assert_string_equal(e.file, NAME);
  assert_int_equal(e.line, 3);
  e = fault(HEAD "simulate: {end: 1, sped: 3}\n");
  says(&e, 3, 26, "sped");
  e = fault(HEAD "simulate: {end: 1, output: 1e-12}\n");
  says(&e, 3, 28, "output");
  e = fault(HEAD);
  says(&e, 0, 0, "end");
}

static void test_elements(void **state) {
  const fly_error e = fault(HEAD "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0]},\n"
                                 "  far: {type: distance, from: ground, to: arm, length: 9}}\nsimulate: {end: 1}\n");
  print_message("%s\n", e.message);
  assert_string_equal(e.element, "far");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_places), cmocka_unit_test(test_elements)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
