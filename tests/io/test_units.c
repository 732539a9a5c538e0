// Parameters that hide units, and sums of unlike quantities: never silent.
#include <string.h>

#include "base/check.h"
#include "flyball/model.h"

static fly_mechanism *read(const char *parameters, const char *more, int nset, const char *const *set,
                           fly_error *error) {
  char text[1000];
  fly_mechanism *m = NULL;
  snprintf(text, sizeof text,
           "flyball: 1\nparameters: {%s}\nbodies:\n  rod: {mass: 1, inertia: [1, 1, 1]}\n"
           "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}\n%s\n",
           parameters, more);
  (void)fly_mechanism_parse(&m, "text", text, strlen(text), nset, set, error);
  return m;
}

// As a unit it is refused, wherever: behind a number, behind another unit, in expressions, settings and --set.
static void a_hidden_unit_is_not_used(void **state) {
  static const char *const refused[][2] = {{"m: 0.75, x: 6*m", ""},
                                           {"h: 2, x: 50*km/h", ""},
                                           {"s: 2, x: 9.81*m/s^2", ""},
                                           {"s: 2, x: 1/s", ""},
                                           {"m: 2, x: 3*kg*m^2", ""},
                                           {"m: 2, x: 2^3*m", ""},
                                           {"m: 2, x: sqrt(4*m)", ""},
                                           {"N: 2", "outputs: {y: dx(rod)*2*N}"},
                                           {"ms: 2", "simulate: {end: 20*ms}"},
                                           {"N: 2", "forces: {push: {type: force, at: rod, force: [5*N, 0, 0]}}"}};
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
    fly_error error = {0};
    fly_mechanism *m = read(refused[k][0], refused[k][1], 0, NULL, &error);
    if (m)
      fail_msg("%s %s was read", refused[k][0], refused[k][1]);
    assert_int_equal(error.status, FLY_BAD_INPUT);
    assert_non_null(strstr(error.message, "looks like the unit"));
  }
}

static void nor_by_a_caller(void **state) {
  const char *const set[] = {"x=5*m"};
  fly_error error = {0};
  assert_null(read("m: 2, x: 1", "", 1, set, &error));
  assert_non_null(strstr(error.message, "x=5*m: 'm' looks like the unit (metre)"));
}

// In another product it is noted, and elsewhere it cannot be mistaken.
static void other_uses_pass(void **state) {
  static const struct {
    const char *parameters, *more;
    bool warned;
  } list[] = {{"m: 2, l: 3, J: m*l^2", "", true}, {"m: 2, l: 3, J: l*m/12", "", true},
              {"N: 3, count: N + 1", "", false},  {"m: 2, x: m", "", false},
              {"m: 2, x: 3*mm", "", false},       {"min: 2, x: '3*min(1, 2)'", "", false},
              {"mass: 2, x: 3*mass", "", false}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    fly_error error = {0};
    fly_mechanism *m = read(list[k].parameters, list[k].more, 0, NULL, &error);
    if (!m)
      fail_msg("%s: %s", list[k].parameters, error.message);
    assert_int_equal(strstr(fly_mechanism_warnings(m), "hides the unit") != NULL, list[k].warned);
    fly_mechanism_free(m);
  }
}

static void an_index_is_no_unit(void **state) {
  fly_error error = {0};
  assert_null(read("x: 1", "repeat: {row: {count: 2, index: m, bodies: {b$m: {mass: 1, inertia: [1, 1, 1]}}}}", 0, NULL,
                   &error));
  assert_non_null(strstr(error.message, "the index 'm' has the name of a unit (metre)"));
}

static void unlike_quantities_are_not_added(void **state) {
  static const struct {
    const char *text, *units; // NULL: fine
  } list[] = {{"dx(rod) + az(rod)", "between m and rad"},
              {"3*(az(rod) - dx(rod))", "between rad and m"},
              {"max(fx(pin), dy(rod))", "between N and m"},
              {"if(dx(rod) > wz(rod), 1, 2)", "between rad/s and m"},
              {"abs(dx(rod)) + time", "between m and s"},
              {"0.1*az(rod) + dx(rod)", NULL},
              {"dx(rod) + dy(rod) + 1", NULL},
              {"sin(az(rod)) + dx(rod)", NULL},
              {"if(time > 1, dx(rod), 2)", NULL},
              {"dx(rod)*az(rod) + vx(rod)", NULL}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    fly_error error = {0};
    char outputs[200];
    snprintf(outputs, sizeof outputs, "outputs: {y: '%s'}", list[k].text);
    fly_mechanism *m = read("x: 1", outputs, 0, NULL, &error);
    if (!m)
      fail_msg("%s", error.message);
    const char *warnings = fly_mechanism_warnings(m);
    if (list[k].units ? strstr(warnings, list[k].units) == NULL : warnings[0] != 0)
      fail_msg("%s: %s", list[k].text, warnings);
    fly_mechanism_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_hidden_unit_is_not_used), cmocka_unit_test(nor_by_a_caller),
                                     cmocka_unit_test(other_uses_pass), cmocka_unit_test(an_index_is_no_unit),
                                     cmocka_unit_test(unlike_quantities_are_not_added)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
