// States and variables given by equations: closed forms, the same model with rates, an independent integration, and
// loops that have no solution.
#define RUN_BEGINS                                                                                                     \
  "flyball: 1\nbodies: {cart: {type: point, mass: 2, position: [0.5, 0, 0]}}\n"                                        \
  "joints: {rail: {type: in-line, bodies: [ground, cart], at: [0.5, 0, 0], axis: [1, 0, 0]}}\n"
#define RUN_KEYS ", estimate_error: \"no\""
#include "analysis/runs.h"

static const char *const METHODS[] = {"ch", "radau", "partition"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

// 2 a' + a = 1. x' + z' = -x and x' - z' = -z, which is x' = -(x + z)/2, z' = (z - x)/2: with s^2 = 1/2, from (1, 0).
static void closed_forms(void **state) {
  static const char text[] = "states:\n  a: {equation: \"2*rate(a) + a - 1\", start: 3}\n"
                             "  x: {equation: rate(x) + rate( z ) + x, start: 1}\n"
                             "  z: {equation: rate (x) - rate(z) + z}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 2, 0.1, "a a.rate x z x.slope");
    for (long r = 0; r < d.rows; r++) {
      const double *row = row_of(&d, r), t = row[0], s = sqrt(0.5), c = cosh(s * t), h = sinh(s * t);
      assert_close(row[1], 1 + 2 * exp(-t / 2), 4e-6);
      assert_close(row[2], -exp(-t / 2), 4e-6);
      assert_close(row[3], c - s * h, 1e-5);
      assert_close(row[4], -s * h, 1e-5);
      assert_close(row[5], -(row[3] + row[4]) / 2, 1e-6);
    }
    driven_free(&d);
  }
}

// x'^3 + x' + x = cart's place, which x pulls back: by Runge and Kutta's formula, with Newton's iteration for x'.
static double implicit_slope(double x, double place) {
  double s = 0;
  for (int k = 0; k < 60; k++)
    s -= (s * s * s + s + x - place) / (3 * s * s + 1);
  return s;
}

static void slopes(const double y[3], double out[3]) {
  out[0] = y[1];
  out[1] = -3 * y[2] / 2;
  out[2] = implicit_slope(y[2], y[0]);
}

static void reference(double y[3], double end, int steps) {
  const double h = end / steps;
  for (int n = 0; n < steps; n++) {
    double k[4][3], z[3];
    for (int stage = 0; stage < 4; stage++) {
      for (int i = 0; i < 3; i++)
        z[i] = y[i] + (stage == 0 ? 0 : stage == 3 ? h : h / 2) * (stage ? k[stage - 1][i] : 0);
      slopes(z, k[stage]);
    }
    for (int i = 0; i < 3; i++)
      y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static void one_that_is_not_linear(void **state) {
  static const char text[] = "states: {x: {equation: rate(x)^3 + rate(x) + x - dx(cart), start: 0.1}}\n"
                             "variables: {w: {equation: w^3 + w - dx(cart)}}\n"
                             "forces: {push: {type: force, at: cart, force: [-3*x, 0, 0]}}\n";
  double y[3] = {0.5, 0, 0.1};
  reference(y, 2, 20000);
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 2, 1, "cart.x x w");
    assert_close(row_of(&d, 2)[1], y[0], 1e-5);
    assert_close(row_of(&d, 2)[2], y[2], 1e-5);
    assert_close(row_of(&d, 2)[3], implicit_slope(0, row_of(&d, 2)[1]), 1e-7);
    driven_free(&d);
  }
}

static void what_is_refused(void **state) {
  static const struct {
    const char *text, *says;
  } list[] = {
      {"states: {x: {equation: x - 1}}", "x.slope"}, // its derivative is not in it: a loop without solution
      {"states: {x: {rate: 1, equation: rate(x)}}", "is not used together with"},
      {"states: {x: {start: 1}}", "'rate', its derivative, or 'equation'"},
      {"variables: {y: {unit: m}}", "'value', what it is, or 'equation'"},
      {"states: {x: {equation: rate(z)}, z: {rate: 1}}", "rate(z) is known of a state with an equation only"},
      {"states: {x: {equation: rate(x) + nothing}}", "nothing"},
      {"variables: {y: {equation: 3 - dx(cart)}}", "y"},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    char text[500];
    snprintf(text, sizeof text, "%s\n", list[k].text);
    driven d = run(text, "ch", 1e-4, 1, 0.5, "");
    if (d.status == FLY_OK || !strstr(d.error.message, list[k].says))
      fail_msg("%s: %s", list[k].text, d.error.message);
    say("%s: %s\n", list[k].text, d.error.message);
    driven_free(&d);
  }
}

// Variables that depend on themselves and have their solution are not what ends a run.
static void a_loop_is_not_blamed_for_a_pole(void **state) {
  static const char text[] = "variables: {a: 0.5*b + dx(cart), b: 0.3*a}\n"
                             "forces: {push: {type: force, at: cart, force: ['a + 1/(1 - dx(cart))', 0, 0]}}\n";
  driven d = run(text, "ch", 1e-4, 10, 0.5, "");
  say("%s\n", d.error.message);
  assert_int_not_equal(d.status, FLY_OK);
  assert_null(strstr(d.error.message, "depend on themselves"));
  driven_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(one_that_is_not_linear),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(a_loop_is_not_blamed_for_a_pole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
