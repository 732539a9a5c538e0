// Functions of the user: a call is the text in its place, the value to the last bit; what never ends, or is
// beyond all measure, is refused where it stands.
//
// labels: valgrind
#include "base/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"

static const char *const one[] = {"x"}, *const two[] = {"x", "m"};
static const fly_expr_formula formulas[] = {
    {"clip", 2, two, "max(-m, min(m, x))"},
    {"square", 1, one, "x*x"},
    {"wave", 2, two, "square(sin(m*x)) + a*time"},
    {"self", 1, one, "1 + self(x - 1)"},
    {"ping", 1, one, "2*pong(x)"},
    {"pong", 1, one, "ping(x) + 1"},
    {"bad", 1, one, "x + nothing"},
    {"hides", 2, two, "m*x"},
};

static int resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  (void)user;
  if (strcmp(asked->name, "text") == 0) {
    answer->text = "2*u + square(v)";
    return FLY_EXPR_TEXT;
  }
  if (strcmp(asked->name, "loop") == 0) {
    answer->text = "1 + loop";
    return FLY_EXPR_TEXT;
  }
  return strcmp(asked->name, "u") == 0 ? 1 : strcmp(asked->name, "v") == 0 ? 2 : FLY_EXPR_UNKNOWN;
}

static fly_expr_scope scope(void) {
  static const fly_expr_number parameter[] = {{"a", 0.3, NULL}, {"m", 5, NULL}};
  fly_expr_scope s = fly_expr_scope_default();
  s.nparameters = 2;
  s.parameter = parameter;
  s.nformulas = sizeof formulas / sizeof *formulas;
  s.formula = formulas;
  s.resolve = resolve;
  return s;
}

static fly_expr *compile(const char *text) {
  fly_expr *e;
  fly_error error = {0};
  const fly_expr_scope s = scope();
  if (fly_expr_compile(&e, text, &s, &error) != FLY_OK)
    fail_msg("%s: %s", text, error.message);
  return e;
}

static void assert_same(const char *called, const char *written) {
  fly_expr *e[2] = {compile(called), compile(written)};
  for (int k = 1; k < 50; k++) {
    const double inputs[] = {0.1 * k, sin(k), 2 * cos(3.1 * k)};
    double value[2], gradient[2][3];
    int count[2];
    for (int i = 0; i < 2; i++) {
      const int *input = fly_expr_inputs(e[i], &count[i]);
      double g[3];
      memset(gradient[i], 0, sizeof gradient[i]);
      fly_expr_gradient(e[i], inputs, &value[i], g);
      for (int j = 0; j < count[i]; j++)
        gradient[i][input[j]] = g[j];
    }
    assert_true(value[0] == value[1]);
    for (int j = 0; j < 3; j++) // sums of the same terms
      assert_near(gradient[0][j], gradient[1][j], 1e-13 * (1 + fabs(gradient[1][j])));
  }
  fly_expr_free(e[0]);
  fly_expr_free(e[1]);
}

static void a_call_is_its_text(void **state) {
  assert_same("clip(3*u, 2)", "max(-2, min(2, 3*u))");
  assert_same("clip(clip(u, v), 2*u)", "max(-(2*u), min(2*u, max(-v, min(v, u))))");
  assert_same("wave(u + v, 3) - square(v)", "sin(3*(u + v))*sin(3*(u + v)) + a*time - v*v");
  assert_same("hides(u, v) + m", "v*u + 5");
  assert_same("text/square(u)", "(2*u + v*v)/(u*u)");
}

// An argument that is used twice is computed once.
static void arguments_are_there_once(void **state) {
  fly_expr *e = compile("square(square(square(square(square(square(u + v))))))");
  assert_true(fly_expr_size(e) < 12);
  fly_expr_free(e);
}

static void refuse(const char *text, const char *message) {
  fly_expr *e;
  fly_error error = {0};
  const fly_expr_scope s = scope();
  assert_int_equal(fly_expr_compile(&e, text, &s, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, message);
}

static void faults_stand_where_the_call_is(void **state) {
  refuse("1 + clip(u)", "column 5: clip takes 2 arguments, and got 1");
  refuse("1 + square()", "column 5: square takes 1 argument, and got 0");
  refuse("2*self(3)", "column 3: in 'self', column 5: 'self' calls itself, and would never end");
  refuse("ping(1)", "column 1: in 'pong', column 1: 'ping' calls itself through others, and would never end");
  refuse("u*bad(u)", "column 3: in 'bad', column 5: unknown word 'nothing'");
  refuse("1 + clip(u, ", "column 9: this ( is never closed. In YAML a call with commas inside {} or [] needs quotes");
  refuse("clipp(u, 1)", "column 1: unknown function 'clipp'. Did you mean clip?");
  refuse("2*clip", "column 3: 'clip' is a function: write clip( )");
  refuse("loop", "column 1: in 'loop', column 5: 'loop' needs itself, and would never end");
}

static void a_formula_is_checked_for_itself(void **state) {
  static const struct {
    const char *name, *message;
  } cases[] = {{"clip", ""},
               {"bad", "column 5: unknown word 'nothing'"},
               {"self", "column 5: 'self' calls itself, and would never end"},
               {"ping", "column 3: in 'pong', column 1: 'ping' calls itself through others, and would never end"}};
  const fly_expr_scope s = scope();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int i = 0; i < s.nformulas; i++) {
      fly_error error = {0};
      if (strcmp(formulas[i].name, cases[k].name) != 0)
        continue;
      assert_int_equal(fly_expr_check_formula(&formulas[i], &s, &error) == FLY_OK, cases[k].message[0] == 0);
      assert_string_equal(error.message, cases[k].message);
    }
}

// f0 calls f1 twice, f1 f2 twice: 2^40 calls.
static void towers_are_bounded(void **state) {
  enum { HIGH = 40 };
  static fly_expr_formula tower[HIGH + 1];
  static char name[HIGH + 1][8], text[HIGH + 1][40];
  fly_expr_scope s = scope();
  for (int depth = 20; depth <= HIGH; depth += 20) {
    for (int k = 0; k <= depth; k++) {
      snprintf(name[k], sizeof name[k], "f%d", k);
      snprintf(text[k], sizeof text[k], k < depth ? "f%d(1) + f%d(2)" : "1", k + 1, k + 1);
      tower[k] = (fly_expr_formula){name[k], 1, one, text[k]};
    }
    s.nformulas = depth + 1;
    s.formula = tower;
    double value;
    fly_error error = {0};
    assert_int_equal(fly_expr_evaluate(&value, "f0(1)", &s, &error), FLY_BAD_INPUT);
    assert_non_null(strstr(error.message, "functions that call each other stand behind this more than"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_call_is_its_text),
      cmocka_unit_test(arguments_are_there_once),
      cmocka_unit_test(faults_stand_where_the_call_is),
      cmocka_unit_test(a_formula_is_checked_for_itself),
      cmocka_unit_test(towers_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
