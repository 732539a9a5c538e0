// Relations held on a side: values, derivatives and margins of expressions.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expr/expr.h"

static int resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  (void)answer, (void)user;
  return strcmp(asked->name, "x") == 0 ? 1 : strcmp(asked->name, "y") == 0 ? 2 : FLY_EXPR_UNKNOWN;
}

static fly_expr *compiled(const char *text) {
  fly_expr_scope scope = fly_expr_scope_default();
  fly_error error = {0};
  fly_expr *e;
  scope.resolve = resolve;
  if (fly_expr_compile(&e, text, &scope, &error))
    fail_msg("%s", error.message);
  return e;
}

static double held(const fly_expr *e, double x, double y, const signed char *side) {
  return fly_expr_value_held(e, (double[]){0, x, y}, side);
}

typedef struct sample {
  const char *text;
  double x, y;
  signed char side[3];
  double value;
} sample;

// On the other side of where the relation itself is.
static const sample samples[] = {
    {"max(x, 2)", 1, 0, {1}, 1},
    {"max(x, 2)", 3, 0, {-1}, 2},
    {"min(x, 2)", 3, 0, {1}, 3},
    {"min(x, 2)", 1, 0, {-1}, 2},
    {"abs(x)", -3, 0, {1}, -3},
    {"abs(x)", 3, 0, {-1}, -3},
    {"sign(x)", -3, 0, {1}, 1},
    {"sign(x)", 3, 0, {-1}, -1},
    {"if(x < 2, x, y)", 3, 5, {1}, 3},
    {"if(x > 2, x, y)", 3, 5, {-1}, 5},
    {"x >= y", 1, 5, {1}, 1},
    {"x*(x <= y)", 1, 5, {-1}, 0},
    {"max(0, abs(x) - y)", -1, 4, {-1, 1}, 0},
    {"if(x > 0, sqrt(x), y)", -1, 5, {1}, 5},
    {"max(x, 2)", 1, 0, {0}, 2},
};

static void test_values(void **state) {
  for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
    fly_expr *e = compiled(samples[k].text);
    const double value = held(e, samples[k].x, samples[k].y, samples[k].side);
    if (value != samples[k].value)
      fail_msg("%s is %g, not %g", samples[k].text, value, samples[k].value);
    assert_true(held(e, samples[k].x, samples[k].y, NULL) ==
                fly_expr_value(e, (double[]){0, samples[k].x, samples[k].y}));
    fly_expr_free(e);
  }
}

// Of all sides, by differences.
static void test_slopes(void **state) {
  static const char *const texts[] = {"max(x^2, y)*abs(y - x)", "if(x < y, min(x*y, 3), sign(x)*y^2)",
                                      "min(x, max(y, x*y)) + x*(x > y)"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    fly_expr *e = compiled(texts[k]);
    const int n = fly_expr_relations(e);
    int count;
    const int *inputs = fly_expr_inputs(e, &count);
    for (int mask = 0; mask < 1 << n; mask++) {
      signed char side[8];
      double value, gradient[2];
      for (int i = 0; i < n; i++)
        side[i] = (signed char)(mask & (1 << i) ? 1 : -1);
      const double x = 0.7, y = 1.3, d = 1e-5;
      fly_expr_gradient_held(e, (double[]){0, x, y}, side, &value, gradient);
      assert_true(value == held(e, x, y, side));
      for (int i = 0; i < count; i++) {
        const double dx = inputs[i] == 1 ? d : 0, dy = d - dx;
        const double slope = (held(e, x + dx, y + dy, side) - held(e, x - dx, y - dy, side)) / (2 * d);
        if (fabs(slope - gradient[i]) > 1e-8)
          fail_msg("%s: derivative %g, differences give %g", texts[k], gradient[i], slope);
      }
    }
    fly_expr_free(e);
  }
}

static void margins(const char *text, double x, double y, const signed char *side, double expected[2]) {
  double margin[4];
  fly_expr *e = compiled(text);
  assert_int_equal(fly_expr_relations(e), 2);
  fly_expr_relation_margins(e, (double[]){0, x, y}, side, margin);
  for (int k = 0; k < 2; k++)
    if (!(margin[k] == expected[k] || (isnan(margin[k]) && isnan(expected[k]))))
      fail_msg("%s: margin %d is %g, not %g", text, k, margin[k], expected[k]);
  fly_expr_free(e);
}

// A relation that the value does not feel has none.
static void test_margins(void **state) {
  margins("if(x < 2, abs(y), 0)", 1, -3, NULL, (double[]){1, -3});
  margins("if(x < 2, abs(y), 0)", 5, -3, NULL, (double[]){-3, NAN});
  margins("if(x < 2, abs(y), 0)", 5, -3, (signed char[]){1, 1}, (double[]){-3, -3});
  margins("max(x, 1) + min(y, 1)", 3, 5, NULL, (double[]){2, -4});
  margins("if(x < 0 and y < 0, 1, 0)", 1, 1, NULL, (double[]){-1, NAN});
  margins("if(x < 0 and y < 0, 1, 0)", -1, 1, NULL, (double[]){NAN, -1});
  margins("if(x < 0 and y < 0, 1, 0)", -1, -2, NULL, (double[]){1, 2});
  margins("if(x < 0 or y < 0, 1, 0)", -1, -2, NULL, (double[]){1, NAN});
  margins("if(x < 0 or y < 0, 1, 0)", 1, 2, NULL, (double[]){-1, -2});
  margins("if(x < 0 or y < 0, 1, 0)", 1, -2, NULL, (double[]){NAN, 2});
  margins("sign(x)*abs(y)", 0, -2, NULL, (double[]){0, -2});
}

// What depends on time alone is known beforehand (fly_expr_next_break).
static void test_time_is_none(void **state) {
  fly_expr *e = compiled("max(0, sin(time))*x + if(time < 1, x, y)");
  assert_int_equal(fly_expr_relations(e), 0);
  fly_expr_free(e);
  e = compiled("max(x, sin(time))");
  assert_int_equal(fly_expr_relations(e), 1);
  fly_expr_free(e);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_slopes),
                                     cmocka_unit_test(test_margins), cmocka_unit_test(test_time_is_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
