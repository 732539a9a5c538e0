// What expressions mean: precedence, functions against C, constants, units, tables, resolver, limits.
// labels: valgrind
#include "sample.h"

#include "math/noise.h"

#include <locale.h>

static const double pi = 3.14159265358979323846;

static void assert_value(const char *text, double value) {
  const double found = sample_value(text);
  if (!(fabs(found - value) <= 1e-15 * fabs(value)))
    fail_msg("%s = %.17g, not %.17g", text, found, value);
}

// ---------------------------------------------------------------------------------- operators

static const struct {
  const char *text;
  double value;
} precedences[] = {
    {"1 + 2*3", 7},
    {"(1 + 2)*3", 9},
    {"2*3 + 1", 7},
    {"7 - 4 - 2", 1},
    {"7 - (4 - 2)", 5},
    {"16/4/2", 2},
    {"16/(4/2)", 8},
    {"2^3^2", 512},
    {"(2^3)^2", 64},
    {"-2^2", -4},
    {"(-2)^2", 4},
    {"2^-1", 0.5},
    {"2^-1^2", 0.5},
    {"2^--2", 4},
    {"-2^-2", -0.25},
    {"2*-3", -6},
    {"2 - -3", 5},
    {"--3", 3},
    {"- - -3", -3},
    {"+3", 3},
    {"-+-3", 3},
    {"2^3*2", 16},
    {"2*3^2", 18},
    {"-3*2", -6},
    {"6/2*3", 9},
    {"2*6/3", 4},
    {"1 < 2", 1},
    {"2 < 1", 0},
    {"2 <= 2", 1},
    {"2 < 2", 0},
    {"3 > 2", 1},
    {"2 > 3", 0},
    {"2 >= 2", 1},
    {"2 > 2", 0},
    {"2 == 2", 1},
    {"2 != 2", 0},
    {"2 != 3", 1},
    {"1 + 1 == 2", 1},
    {"1 < 2 + 5", 1},
    {"0 or 1", 1},
    {"0 or 0", 0},
    {"1 and 1", 1},
    {"1 and 0", 0},
    {"3 and 4", 1},
    {"1 or 0 and 0", 1},
    {"(1 or 0) and 0", 0},
    {"not 0", 1},
    {"not 5", 0},
    {"not 1 < 2", 0},
    {"not 0 and 0", 0},
    {"not (0 and 0)", 1},
    {"not not 3", 1},
    {"1 < 2 and 2 < 3", 1},
    {"(1 < 2) + 1", 2},
    {"not -1", 0},
    {"1 < 2 or 3", 1},
    {"-1 < 0", 1},
    {"0 < -1", 0},
    {"2 * (not 0)", 2},
    {".5 + 1.", 1.5},
    {"1e3 + 1E-3", 1000.001},
    {"1.5e+2", 150},
    {"007", 7},
    {" 1\t+\n1\r ", 2},
    {"((((1))))", 1},
    {"0e-999", 0},
    {"5e-324 > 0", 1},
    {"1.7976931348623157e308", 1.7976931348623157e308},
};

static void precedence(void **state) {
  for (size_t i = 0; i < sizeof precedences / sizeof precedences[0]; i++)
    assert_value(precedences[i].text, precedences[i].value);
}

// The same with inputs, where nothing can be folded.
static void precedence_of_inputs(void **state) {
  const double a = 0.4, b = 0.5, c = 0.6; // u1, u2, u3 of sample_value
  assert_value("u1 + u2*u3", a + b * c);
  assert_value("u1 - u2 - u3", a - b - c);
  assert_value("u1/u2/u3", a / b / c);
  assert_value("u1^u2^u3", pow(a, pow(b, c)));
  assert_value("-u1^2", -(a * a));
  assert_value("-u1*u2 + u3", -a * b + c);
  assert_value("2^-u1", pow(2, -a));
  assert_value("u1 < u2 and not u3 < u2", 1);
  assert_value("u1 > u2", 0);
  assert_value("u2 > u1", 1);
  assert_value("u2 >= u2", 1);
  assert_value("u2 <= u1 or u1 != u1", 0);
  assert_value("not u1", 0);
  assert_value("(u1 == 0.4) + (u1 == u2)", a == 0.1 * 1 + 0.3);
  assert_value("if(u1 < u2, u3, u1/(u2 - u2))", c);
  assert_value("atan2(u1 - u1, 0) + atan2(u1 - u1, -0)", pi); // 0 and -0 are two constants
}

// ---------------------------------------------------------------------------------- functions

static void functions_equal_c(void **state) {
  const double x = 0.4, y = 0.5;
  assert_value("sin(u1)", sin(x));
  assert_value("cos(u1)", cos(x));
  assert_value("tan(u1)", tan(x));
  assert_value("asin(u1)", asin(x));
  assert_value("acos(u1)", acos(x));
  assert_value("atan(u1)", atan(x));
  assert_value("atan2(u1, u2)", atan2(x, y));
  assert_value("atan2(u1, -u2)", atan2(x, -y));
  assert_value("sinh(u1)", sinh(x));
  assert_value("cosh(u1)", cosh(x));
  assert_value("tanh(u1)", tanh(x));
  assert_value("asinh(u1)", asinh(x));
  assert_value("acosh(1 + u1)", acosh(1 + x));
  assert_value("atanh(u1)", atanh(x));
  assert_value("exp(u1)", exp(x));
  assert_value("log(u1)", log(x));
  assert_value("log10(u1)", log10(x));
  assert_value("sqrt(u1)", sqrt(x));
  assert_value("cbrt(-u1)", cbrt(-x));
  assert_value("hypot(u1, u2)", hypot(x, y));
  assert_value("pow(u1, u2)", pow(x, y));
  assert_value("pow(u1, 2.5)", pow(x, 2.5));
  assert_value("u1^-3", pow(x, -3));
  assert_value("(-u1)^5", pow(-x, 5));
  assert_value("u1^0 + u1^1 + u1^0.5 + u1^-1", 1 + x + sqrt(x) + 1 / x);
  assert_value("abs(-u1)", x);
  assert_value("sign(u1) + sign(-u1) + sign(u1 - u1)", 0);
  assert_value("sign(-u1)", -1);
  assert_value("floor(-u1)", -1);
  assert_value("ceil(u1)", 1);
  assert_value("round(u2) - round(-u2)", 2);
  assert_value("min(u2, u1, u3)", x);
  assert_value("max(u2, u1, -u3)", y);
  assert_value("clamp(u1, -u2, u2)", x);
  assert_value("clamp(10*u1, -u2, u2)", y);
  assert_value("clamp(-10*u1, -u2, u2)", -y);
  assert_value("if(u1, 2, 3)", 2);
  assert_value("if(u1 > u2, 2, 3)", 3);
}

static void the_rest_has_the_sign_of_the_divisor(void **state) {
  assert_value("mod(7, 3)", 1);
  assert_value("mod(-7, 3)", 2);
  assert_value("mod(7, -3)", -2);
  assert_value("mod(-7, -3)", -1);
  assert_value("mod(6, 3)", 0);
  assert_value("mod(-1*u1 - u1/4, u2)", 0);
  assert_value("mod(5.5, 2.5)", 0.5);
}

static void steps(void **state) {
  assert_value("step(0.9, 1, 3, 2, 5)", 3);
  assert_value("step(2.1, 1, 3, 2, 5)", 5);
  assert_value("step(1.25, 1, 3, 2, 5)", 3 + 2 * (0.0625 * 2.5));
  assert_value("step(1.5, 1, 3, 2, 5)", 4);
  assert_value("step(1.25, 2, 5, 1, 3)", 3 + 2 * (0.0625 * 2.5)); // x1 below x0
  assert_value("step(2, 1, 0.1, 2, 0.3)", 0.3);                   // no rounding at the ends
  assert_value("step(time*0 + 1, 1, 0.1, 2, 0.3)", 0.1);
  assert_value("step(u1, 0.4, 0, 0.9, u2)", 0);
  assert_value("step(u1, 0.3, u2, 0.4, 0)", 0);
  assert_value("step5(1.5, 1, 3, 2, 5)", 4);
  assert_value("step5(1.25, 1, 0, 2, 1)", 0.015625 * (10 - 15 * 0.25 + 6 * 0.0625));
  assert_value("havsin(1.25, 1, 0, 2, 2)", 1 - cos(pi / 4));
  assert_value("havsin(3, 1, 0, 2, 2)", 2);
}

// Against the formulas as the manuals of the commercial codes print them.
static double step_printed(double x, double x0, double h0, double x1, double h1) {
  const double a = h1 - h0, d = (x - x0) / (x1 - x0);
  return x <= x0 ? h0 : x >= x1 ? h1 : h0 + a * d * d * (3 - 2 * d);
}

static double impact_printed(double x, double v, double x1, double k, double e, double c, double d) {
  return x >= x1 ? 0 : fmax(0, k * pow(x1 - x, e) - c * v * step_printed(x, x1 - d, 1, x1, 0));
}

static double bistop_printed(double x, double v, double x1, double x2, double k, double e, double c, double d) {
  if (x < x1)
    return fmax(k * pow(x1 - x, e) - step_printed(x, x1 - d, c, x1, 0) * v, 0);
  return x <= x2 ? 0 : fmin(-k * pow(x - x2, e) - step_printed(x, x2, 0, x2 + d, c) * v, 0);
}

static void stops(void **state) {
  uint64_t seed = 1;
  fly_expr *impact = sample_compile("impact(u1, u2, 0.3, 50, 1.7, 4, 0.2)");
  fly_expr *bistop = sample_compile("bistop(u1, u2, -0.3, 0.3, 50, 1.7, 4, 0.2)");
  fly_expr *undamped = sample_compile("bistop(u1, u2, -0.3, 0.3, 50, 1.7, 0, 0.2)");
  for (int n = 0; n < 1000; n++) {
    const double inputs[] = {0, random_double(&seed), 10 * random_double(&seed)}, x = inputs[1], v = inputs[2];
    assert_near(fly_expr_value(impact, inputs), impact_printed(x, v, 0.3, 50, 1.7, 4, 0.2), 1e-12);
    assert_near(fly_expr_value(bistop, inputs), bistop_printed(x, v, -0.3, 0.3, 50, 1.7, 4, 0.2), 1e-12);
    assert_near(fly_expr_value(undamped, inputs), bistop_printed(x, v, -0.3, 0.3, 50, 1.7, 0, 0.2), 1e-12);
  }
  fly_expr_free(impact);
  fly_expr_free(bistop);
  fly_expr_free(undamped);
}

static void series(void **state) {
  assert_value("poly(3, 1, 7)", 7);
  assert_value("poly(3, 1, 7, 2, 4)", 7 + 2 * 2 + 4 * 4);
  assert_value("cheby(3, 1, 7)", 7);
  assert_value("cheby(3, 1, 7, 2)", 11);
  assert_value("cheby(3, 1, 7, 2, 4, 5)", 7 + 2 * 2 + 4 * 7 + 5 * 26); // T2(2) = 7, T3(2) = 26
  assert_near(sample_value("cheby(cos(u1), 0, 1, 2, 3, 4, 5)"),
              1 + 2 * cos(0.4) + 3 * cos(0.8) + 4 * cos(1.2) + 5 * cos(1.6), 2e-15);
  assert_value("forcos(u2, 0.1, 2, 3)", 3);
  assert_near(sample_value("forcos(u2, 0.1, 2, 3, 0, 5)"), 3 + 5 * cos(1.6), 2e-15);
  assert_near(sample_value("forsin(time, -0.25, pi, 0, 1, 2, 3)"), // the example of the Adams manual
              sin(pi * 0.55) + 2 * sin(2 * pi * 0.55) + 3 * sin(3 * pi * 0.55), 4e-15);
  assert_near(sample_value("shf(time, 25*deg, pi, 360*deg, 0, 5)"), 5 + pi * sin(2 * pi * (0.3 - 25 * pi / 180)),
              4e-15);
  assert_near(sample_value("shf(u1, 0, 2, 3, 0.5, 0)"), 2 * sin(3 * 0.4 - 0.5), 1e-15);
}

static void tables(void **state) {
  double out[4];
  const fly_expr_scope scope = sample_scope();
  fly_spline_evaluate(out, &scope.table[0].curve[FLY_CURVE_AKIMA], 0.4);
  assert_value("spline(u1, table)", out[0]);
  assert_value("akima(u1, table)", out[0]);
  assert_value("spline1(u1, table)", out[1]);
  assert_value("akima1(u1, table)", out[1]);
  assert_value("spline(0.4, table)", out[0]);
  fly_spline_evaluate(out, &scope.table[0].curve[FLY_CURVE_CUBIC], 7);
  assert_value("cubic(7, table) + cubic1(u1 + 6.6, table)", out[0] + out[1]);
  assert_near(sample_value("linear(u1, table)"), 0.5 + 1.5 * 0.2 / 0.7, 1e-15); // between (0.2, 0.5) and (0.9, 2)
  assert_near(sample_value("stairs(u1, table)"), 0.5, 0);                       // of (0.2, 0.5) until 0.9
  assert_near(sample_value("stairs(0.9, table) - stairs(0.9 - 1e-12, table)"), 1.5, 0);
  assert_near(sample_value("linear(-3, table)"), 0.3 + 1.3 / 1.5 * 0.5, 1e-15);
  assert_near(sample_value("linear(5, table) + linear1(5, table)"), 2.5 + 0.5, 1e-15);
}

// ---------------------------------------------------------------------------------- names

static void units_are_si(void **state) {
  assert_value("180*deg", pi);
  assert_value("rev", 2 * pi);
  assert_value("60*rpm", 2 * pi);
  assert_value("36*km/h", 10);
  assert_value("150*mm + 15*cm", 0.3);
  assert_value("1*in", 0.0254);
  assert_value("12*inch", sample_value("ft"));
  assert_value("10*lbm", 10 * 0.45359237);
  assert_near(sample_value("psi"), sample_value("lbf/inch^2"), 1e-12);
  assert_near(sample_value("lbf"), sample_value("lbm*g0"), 1e-15);
  assert_value("min", 60);
  assert_value("min(min, h)", 60); // a call is not a word
  assert_value("5*kN/mm^2/GPa", 5000 / 1e-6 / 1e9);
  assert_near(sample_value("psi"), 6894.757293168361, 1e-9);
  assert_near(sample_value("lbf"), 4.4482216152605, 1e-15);
  assert_value("g0", 9.80665);
}

static void unit_names_are_words_and_differ(void **state) {
  int n;
  const fly_expr_number *unit = fly_expr_units(&n);
  assert_true(n > 30);
  for (int i = 0; i < n; i++) {
    assert_true(fly_expr_is_word(unit[i].name));
    assert_true(unit[i].value > 0 && unit[i].about != NULL && unit[i].about[0] != 0);
    for (int j = 0; j < i; j++)
      assert_string_not_equal(unit[i].name, unit[j].name);
  }
}

// Surfaces: their points, between them, and straight on beyond; noise is that of its samples.
static void surfaces(void **state) {
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 6; i++)
      for (int cubic = 0; cubic < 2; cubic++) {
        char text[200];
        snprintf(text, sizeof text, "%s(%.17g + 0*u1, %.17g, map)", cubic ? "cubic2" : "linear2", sample_x[i],
                 sample_across[j]);
        assert_true(fabs(sample_value(text) - sample_values[6 * j + i]) < 1e-14);
      }
  // x = 0.55 is halfway from 0.2 to 0.9, y = 0.05 from -0.4 to 0.5
  assert_true(fabs(sample_value("linear2(0.55, 0.05, map)") - (2 - 1 + 1 + 0) / 4.0) < 1e-14);
  assert_true(fabs(sample_value("linear2(4, -2, map)") - (1.5 + 0.7)) < 1e-14);
  const double a = sample_value("cubic2(0.3, 2.7, map)"), b = sample_value("cubic2(0.3, 3.7, map)");
  assert_true(fabs(sample_value("cubic2(0.3, 4.7, map)") - (2 * b - a)) < 1e-13);
  double y[4];
  fly_noise_evaluate(y, 4, 0.4 / 0.25);
  assert_true(sample_value("noise(u1, 4, 0.25)") == y[0]);
}

static void the_list_of_functions_is_complete(void **state) {
  int n = 0;
  bool more;
  for (const fly_expr_function *f; (f = fly_expr_function_at(n)) != NULL; n++) {
    assert_true(fly_expr_is_word(f->name));
    assert_true(f->about[0] != 0 && f->units != NULL);
    assert_true(fly_expr_function_arguments(f, &more) >= 1);
    for (int j = 0; j < n; j++)
      assert_string_not_equal(f->name, fly_expr_function_at(j)->name);
  }
  assert_int_equal(n, 52);
  assert_int_equal(fly_expr_function_arguments(&(fly_expr_function){.arguments = "a, b, ..."}, &more), 2);
  assert_true(more);
  assert_int_equal(fly_expr_function_arguments(&(fly_expr_function){.arguments = "a, b"}, &more), 2);
  assert_false(more);
}

static void words(void **state) {
  const char *good[] = {"x", "crank.pin", "_a1", "K\u00F6rper", "min", "t", "if", "\u03B1"};
  const char *bad[] = {"",   "2nd", "my-pin", "and", "or", "not",      "time",
                       " x", "x ",  "a b",    "1",   ".x", "a\u2212b", "\xff"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
    assert_true(fly_expr_is_word(good[i]));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_false(fly_expr_is_word(bad[i]));
}

static void parameters_hide_units(void **state) {
  assert_value("N", 7);
  assert_value("2*r", 0.3);
  assert_value("2*gr\u00F6\u00DFe", 6);
  assert_value("speed*2", 240); // a constant of the resolver
}

typedef struct witness {
  int calls;
  char seen[512];
} witness;

static int remember(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  witness *w = user;
  size_t n = strlen(w->seen);
  n += (size_t)snprintf(w->seen + n, sizeof w->seen - n, "%s%s", asked->name, asked->call ? "(" : "");
  for (int k = 0; k < asked->count; k++) {
    const fly_expr_argument *a = &asked->argument[k];
    if (a->word != NULL)
      n += (size_t)snprintf(w->seen + n, sizeof w->seen - n, "%s ", a->word);
    if (a->constant)
      n += (size_t)snprintf(w->seen + n, sizeof w->seen - n, "%g ", a->value);
  }
  snprintf(w->seen + n, sizeof w->seen - n, "%s;", asked->call ? ")" : "");
  assert_int_equal(answer->argument, -1);
  return 10 + w->calls++;
}

static void the_resolver_sees_names_and_constants(void **state) {
  witness w = {0};
  fly_expr_scope scope = fly_expr_scope_default();
  fly_expr *e;
  int n;
  scope.resolve = remember;
  scope.user = &w;
  const char *text =
      "dx(crank.pin, ground, 2*mm, -3, deg, (7), sin(0)) + wheel.omega*f() - g(time, if(1, 2, 1/0))*time";
  assert_int_equal(fly_expr_compile(&e, text, &scope, NULL), FLY_OK);
  assert_string_equal(w.seen, "dx(crank.pin ground 0.002 -3 deg 0.0174533 7 0 );wheel.omega;f();g(time 2 );");
  const int *inputs = fly_expr_inputs(e, &n);
  assert_int_equal(n, 5);
  const int expected[] = {10, 11, 12, 13, 0};
  assert_memory_equal(inputs, expected, sizeof expected);
  fly_expr_free(e);
}

// ---------------------------------------------------------------------------------- what an expression is

static void inputs_are_distinct_and_needed(void **state) {
  int n;
  fly_expr *e = sample_compile("u3*u1 + u3 - u2^u1 + dx(crank.pin) + if(0, u9, 2)*u3");
  const int expected[] = {3, 1, 2, 51};
  const int *inputs = fly_expr_inputs(e, &n);
  assert_int_equal(n, 4);
  assert_memory_equal(inputs, expected, sizeof expected);
  assert_false(fly_expr_is_constant(e, NULL));
  assert_false(fly_expr_is_time_only(e));
  fly_expr_free(e);
}

static void constants_are_folded(void **state) {
  const char *constant[] = {"1", "2*pi - sin(r)", "if(1, 2, u1)", "0 and u1", "u1 or 1", "u1^0", "spline(1, table)"};
  double value;
  for (size_t i = 0; i < sizeof constant / sizeof constant[0]; i++) {
    fly_expr *e = sample_compile(constant[i]);
    assert_true(fly_expr_is_constant(e, &value));
    assert_true(fly_expr_is_time_only(e));
    assert_near(value, sample_value(constant[i]), 0);
    double t[3];
    fly_expr_time(e, 5, t);
    assert_near(t[0], value, 0);
    assert_near(t[1], 0, 0);
    assert_near(t[2], 0, 0);
    fly_expr_free(e);
  }
}

static void time_only(void **state) {
  fly_expr *e = sample_compile("sin(2*time) + r");
  assert_true(fly_expr_is_time_only(e));
  assert_false(fly_expr_is_constant(e, NULL));
  fly_expr_free(e);
}

static void guards_protect(void **state) {
  assert_value("if(zero > 0, 1/zero, 5)", 5);
  assert_value("if(zero != 0 and 1/zero > 2, 1, 6)", 6);
  assert_value("if(zero == 0 or 1/zero > 2, 1, 6)", 1);
  assert_value("if(zero, sqrt(-1), 7)", 7);
}

static void numbers_are_evaluated(void **state) {
  fly_expr_scope scope = sample_scope();
  double value;
  fly_error error;
  assert_int_equal(fly_expr_evaluate(&value, "30*deg", &scope, NULL), FLY_OK);
  assert_near(value, pi / 6, 1e-16);
  assert_int_equal(fly_expr_evaluate(&value, "2*r + sin(time)", &scope, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message,
                      "column 11: 'time' is not constant: a number may depend on parameters and units only");
  assert_int_equal(fly_expr_evaluate(&value, "1 - dx(crank.pin)", &scope, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message,
                      "column 5: 'dx' is not constant: a number may depend on parameters and units only");
  assert_int_equal(fly_expr_evaluate(&value, "if(1, r, time)", &scope, NULL), FLY_OK);
  assert_near(value, 0.15, 0);
  assert_int_equal(fly_expr_evaluate(&value, "1/zero", &scope, &error), FLY_BAD_INPUT);
  assert_int_equal(fly_expr_evaluate(&value, "2*", &scope, NULL), FLY_BAD_INPUT);
}

static void not_a_number_is_passed_on(void **state) {
  const char *texts[] = {"u1",
                         "max(u1, 0)",
                         "max(0, u1)",
                         "min(u1, 0)",
                         "min(0, u1)",
                         "clamp(u1, -1, 1)",
                         "step(u1, 0, 1, 1, 2)",
                         "step5(u1, 0, 1, 1, 2)",
                         "havsin(u1, 0, 1, 1, 2)",
                         "impact(u1, 0, 1, 1, 2, 0, 1)",
                         "sign(u1)",
                         "spline(u1, table)",
                         "mod(u1, 2)",
                         "abs(u1)",
                         "round(u1)"};
  const double inputs[] = {0, NAN};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    fly_expr *e = sample_compile(texts[i]);
    assert_true(isnan(fly_expr_value(e, inputs)));
    fly_expr_free(e);
  }
}

// ---------------------------------------------------------------------------------- limits

// The text made of n times before, middle, n times after. The caller frees it.
static char *repeat(const char *before, int n, const char *middle, const char *after) {
  const size_t nb = strlen(before), na = strlen(after), nm = strlen(middle);
  char *text = malloc((size_t)n * (nb + na) + nm + 1), *s = text;
  for (int i = 0; i < n; i++, s += nb)
    memcpy(s, before, nb);
  memcpy(s, middle, nm);
  s += nm;
  for (int i = 0; i < n; i++, s += na)
    memcpy(s, after, na);
  *s = 0;
  return text;
}

// Compiles, and returns the value, or NAN with the message.
static double try_value(char *text, fly_error *error) {
  const fly_expr_scope scope = sample_scope();
  const double inputs[SAMPLE_INPUTS] = {2, 1};
  fly_expr *e;
  const fly_status status = fly_expr_compile(&e, text, &scope, error);
  free(text);
  if (status != FLY_OK)
    return NAN;
  double value, gradient[SAMPLE_INPUTS];
  fly_expr_gradient(e, inputs, &value, gradient);
  fly_expr_free(e);
  return value;
}

static void limits(void **state) {
  fly_error error;
  assert_near(try_value(repeat("(", 200, "u1", ")"), &error), 1, 0);
  assert_near(try_value(repeat("sin(", 200, "0", ")"), &error), 0, 0);
  assert_true(isnan(try_value(repeat("(", 201, "u1", ")"), &error)));
  assert_string_equal(error.message, "column 201: parentheses nested deeper than 200");
  assert_near(try_value(repeat("1+(", 200, "u1", ")"), &error), 201, 0);
  assert_near(try_value(repeat("-", 99990, "1", ""), &error), 1, 0);
  assert_near(try_value(repeat("1^", 49990, "1", ""), &error), 1, 0);
  assert_near(try_value(repeat("not ", 24990, "0", ""), &error), 0, 0);
  assert_near(try_value(repeat("1+", 49990, "1", ""), &error), 49991, 0);
  assert_near(try_value(repeat("u1+", 4095, "u1", ""), &error), 4096, 0);
  assert_true(isnan(try_value(repeat("u1+", 4096, "u1", ""), &error)));
  assert_non_null(strstr(error.message, "too long: more than 4096 operations"));
  assert_true(isnan(try_value(repeat("u1+", 4095, "2", ""), &error))); // 4095 sums, one input, one constant
  assert_non_null(strstr(error.message, "too long: more than 4096 operations, constants and inputs"));
  assert_true(isnan(try_value(repeat(" ", 100000, "1", ""), &error)));
  assert_string_equal(error.message, "column 1: the expression has 100001 characters; 100000 is the limit");
  assert_near(try_value(repeat(" ", 99999, "1", ""), &error), 1, 0);
  assert_near(try_value(repeat("0", 399, "1", ""), &error), 1, 0);
  assert_true(isnan(try_value(repeat("1", 400, "1", ""), &error)));
  assert_non_null(strstr(error.message, "has too many digits"));
}

static void the_locale_does_not_matter(void **state) {
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
    skip();
  const double value = sample_value("1.5 + 2.25e1");
  setlocale(LC_NUMERIC, "C");
  assert_near(value, 24, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(precedence),
      cmocka_unit_test(precedence_of_inputs),
      cmocka_unit_test(functions_equal_c),
      cmocka_unit_test(the_rest_has_the_sign_of_the_divisor),
      cmocka_unit_test(steps),
      cmocka_unit_test(stops),
      cmocka_unit_test(series),
      cmocka_unit_test(tables),
      cmocka_unit_test(units_are_si),
      cmocka_unit_test(unit_names_are_words_and_differ),
      cmocka_unit_test(surfaces),
      cmocka_unit_test(the_list_of_functions_is_complete),
      cmocka_unit_test(words),
      cmocka_unit_test(parameters_hide_units),
      cmocka_unit_test(the_resolver_sees_names_and_constants),
      cmocka_unit_test(inputs_are_distinct_and_needed),
      cmocka_unit_test(constants_are_folded),
      cmocka_unit_test(time_only),
      cmocka_unit_test(guards_protect),
      cmocka_unit_test(numbers_are_evaluated),
      cmocka_unit_test(not_a_number_is_passed_on),
      cmocka_unit_test(limits),
      cmocka_unit_test(the_locale_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
