// Where expressions break in time, and enclosures that hold.
#include "expr/enclose.h"
#include "sample.h"

// All breaks up to `until`, of all sources, in order.
static int breaks_of(const fly_expr *e, double t, double until, fly_expr_break *out, int room) {
  int n = 0;
  for (;;) {
    fly_expr_break first = {.before = INFINITY, .after = INFINITY}, found;
    for (int k = 0; k < fly_expr_sources(e); k++)
      if (fly_expr_next_break(e, k, t, until, 0, &found) && found.before < first.before)
        first = found;
    if (first.before > until || n == room)
      return n;
    out[n++] = first;
    t = first.after;
  }
}

static void assert_breaks(const char *text, double until, int count, const double *time, int order) {
  fly_expr *e = sample_compile(text);
  fly_expr_break found[64];
  const int n = breaks_of(e, -1e-3, until, found, 64);
  if (n != count)
    fail_msg("%s: %d breaks, not %d", text, n, count);
  for (int k = 0; k < n; k++) {
    assert_true(found[k].before < time[k] && time[k] < found[k].after);
    assert_true(found[k].after - found[k].before < 1e-13 * fmax(1, time[k]));
    assert_int_equal(found[k].order, order);
  }
  fly_expr_free(e);
}

#define AT(...)                                                                                                        \
  sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]) { __VA_ARGS__ }

static void straight_arguments(void **state) {
  assert_breaks("step(time, 2, 0, 2.2, 10)", 10, AT(2, 2.2), 2);
  assert_breaks("step(time, 2.2, 0, 2, 10)", 10, AT(2, 2.2), 2);
  assert_breaks("step5(3*time - 1, 2, 0, 5, 10)", 10, AT(1, 2), 3);
  assert_breaks("havsin(10 - time, 2, 0, 5, 10)", 10, AT(5, 8), 2);
  assert_breaks("if(time < 1, 0, 1)", 10, AT(1), 0);
  assert_breaks("if(2*time >= 3 and time <= 4, u1, 0)", 10, AT(1.5, 4), 0);
  assert_breaks("abs(time - 0.7) + u1", 10, AT(0.7), 1);
  assert_breaks("max(3*time, 1 + time)", 10, AT(0.5), 1);
  assert_breaks("sign(1 - time/4)", 10, AT(4), 0);
  assert_breaks("floor(time/2)", 5, AT(0, 2, 4), 0);
  assert_breaks("round(time)", 3, AT(0.5, 1.5, 2.5), 0);
  assert_breaks("mod(time, 0.75)", 3.1, AT(0, 0.75, 1.5, 2.25, 3), 0);
  assert_breaks("mod(-time, 0.75)", 1.6, AT(0, 0.75, 1.5), 0);
  assert_breaks("linear(time, table)", 10, AT(0.2, 0.9, 2), 1);
  assert_breaks("stairs(time, table)", 10, AT(0.2, 0.9, 2, 3), 0);
  assert_breaks("akima(3 - time, table)", 6, AT(0, 1, 2.1, 2.8, 4, 5.5), 2);
  assert_breaks("noise(time, 1, 2.5)", 6, AT(0, 2.5, 5), 2);
  assert_breaks("cubic(3 - time, table)", 6, AT(0, 1, 2.1, 2.8, 4, 5.5), 3);
  assert_breaks("cubic1(3 - time, table)", 6, AT(0, 1, 2.1, 2.8, 4, 5.5), 2);
  assert_breaks("sqrt(5 - time)", 10, AT(5), 1);
  assert_breaks("step(u1, 2, 0, 2.2, 10)*sin(time) + time*u2", 10, 0, NULL, 0); // not of time
}

static void searched_arguments(void **state) {
  const double pi = 3.14159265358979323846, a = asin(0.3);
  assert_breaks("if(sin(5*time) > 0.3, 1, 0)", 2, AT(a / 5, (pi - a) / 5, (2 * pi + a) / 5, (3 * pi - a) / 5), 0);
  assert_breaks("abs(sin(time) - 0.5)", 7, AT(pi / 6, 5 * pi / 6, 13 * pi / 6), 1);
  assert_breaks("floor(time^2 + 0.5)", 1.8, AT(sqrt(0.5), sqrt(1.5), sqrt(2.5)), 0);
  assert_breaks("if(exp(-((time - 2)/1e-6)^2) > 0.5, 1, 0)", 10, AT(2 - 1e-6 * sqrt(log(2)), 2 + 1e-6 * sqrt(log(2))),
                0);
  assert_breaks("atan2(sin(time), cos(time))", 7, AT(pi), 0);
}

// Each of `count` times lies in a break that rounding errors blur to no more than `width`, of order 0.
static void assert_blurred(const char *text, double until, int count, const double *time, double width) {
  fly_expr *e = sample_compile(text);
  fly_expr_break found[64];
  int n = 0;
  for (double t = -1e-3; n < 64 && fly_expr_next_break(e, fly_expr_sources(e) - 1, t, until, 0, &found[n]);)
    t = found[n++].after;
  if (n != count)
    fail_msg("%s: %d breaks, not %d", text, n, count);
  for (int k = 0; k < n; k++) {
    if (!(found[k].before < time[k] && time[k] < found[k].after && found[k].after - found[k].before < width))
      fail_msg("%s: break %d from %.17g to %.17g", text, k, found[k].before, found[k].after);
    assert_int_equal(fly_expr_break_order(e, &found[k]), 0);
  }
  fly_expr_free(e);
}

// Arguments that graze their level, and stairs compared.
static void grazing_arguments(void **state) {
  const double pi = 3.14159265358979323846, top = acos(0.99999999999);
  assert_blurred("if(time*time - 8.1*time + 16.4025 < 1e-10, 1e5, 0)", 10, AT(4.04999, 4.05001), 5e-9);
  assert_blurred("if(sin(time) > 0.99999999999, 1e5, 0)", 6, AT(pi / 2 - top, pi / 2 + top), 2e-9);
  assert_blurred("if(round(time*1000)/1000 == 3.333, 1e3, 0)", 10, AT(3.3325, 3.3335), 1e-13);
  assert_blurred("floor(time + 1e-6)*0 + floor(time)", 3.5, AT(0, 1, 2, 3), 1e-13);
}

// Breaks that change nothing are none, however many there are.
static void breaks_without_effect(void **state) {
  fly_expr *e = sample_compile("if(round(1e6*time)/1e6 == 3.333, 1e3, 0)*u1"),
           *none = sample_compile("0*floor(1e9*time)");
  fly_expr_break found;
  for (int k = 0; k < fly_expr_sources(e); k++) {
    assert_true(fly_expr_next_break(e, k, 0, 10, 0, &found));
    assert_true(fabs(found.after - 3.3329995) < 1e-12);
    assert_true(fly_expr_next_break(e, k, 3.34, 10, 0, &found) == false);
  }
  assert_false(fly_expr_next_break(none, 0, 0, 10, 0, &found));
  fly_expr_free(e);
  fly_expr_free(none);
}

// An argument that stays where the operation breaks must not break again and again.
static void arguments_that_stay(void **state) {
  const char *const list[] = {"max(0, step(time, 1, 0, 2, 1))", "abs(step(time, 1, 0, 2, 1))",
                              "max(sin(time)^2 + cos(time)^2, 1)", "sqrt(max(0, time - 1))"};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    fly_expr *e = sample_compile(list[k]);
    fly_expr_break found[300];
    assert_true(breaks_of(e, 0, 10, found, 300) < 200);
    fly_expr_free(e);
  }
}

static void orders_as_they_are(void **state) {
  const struct {
    const char *text;
    int order;
  } list[] = {{"if(time < 1, 0, 3)", 0},
              {"if(time < 1, time, 1)", 1},
              {"if(time < 1, 0, (time - 1)^2)", 2},
              {"if(time < 1, 0, step5(time, 1, 0, 2, 1))", 3},
              {"1e6 + 1e-3*abs(time - 1)", 1}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    fly_expr *e = sample_compile(list[k].text);
    fly_expr_break found;
    assert_true(fly_expr_next_break(e, 0, 0.5, 10, 0, &found));
    assert_int_equal(fly_expr_break_order(e, &found), list[k].order);
    fly_expr_free(e);
  }
}

// ---------------------------------------------------------------------------------- enclosures

static const char *const closed_forms[] = {"sin(3*time)*cos(time)",
                                           "tan(time/5)",
                                           "asin(sin(time)/2)",
                                           "acos(cos(time)/3)",
                                           "atan(time^2)",
                                           "sinh(time/3)",
                                           "cosh(time - 2)",
                                           "tanh(2*time - 3)",
                                           "asinh(time)",
                                           "acosh(1.5 + time)",
                                           "atanh(sin(time)/2)",
                                           "exp(-((time - 2)/0.3)^2)",
                                           "log(1 + time)",
                                           "log10(2 + sin(time))",
                                           "sqrt(time + 0.1)",
                                           "cbrt(time + 1)",
                                           "(time + 0.5)^1.7",
                                           "(1 + time)^-2",
                                           "2^time",
                                           "(1 + time)^sin(time)",
                                           "atan2(1 + time, cos(time))",
                                           "hypot(sin(time), 2)",
                                           "mod(2*time, 1.3)",
                                           "min(sin(time), cos(time))",
                                           "max(time, 2)",
                                           "clamp(time, 1, 2)",
                                           "abs(sin(2*time))",
                                           "step(time, 1, -1, 3, 2)",
                                           "step5(time, 1, 0, 2, 1)",
                                           "havsin(time, 0.5, 0, 3.5, 1)",
                                           "akima(time - 2, table)",
                                           "cubic(time - 2, table)",
                                           "linear(time - 2, table)",
                                           "stairs(time - 2, table)",
                                           "akima1(time - 2, table)",
                                           "noise(time, 3, 0.7)",
                                           "noise(30*time, 5, 1)",
                                           "linear2(time - 2, 1 - time, map)",
                                           "cubic2(sin(time), time - 2, map)",
                                           "floor(time)",
                                           "time/(1 + time^2)",
                                           "if(time < 2, sin(time), 3)",
                                           "sign(time - 1)*round(time)",
                                           "poly(time, 1, 1, -2, 3, 0.5)",
                                           "forcos(time, 0, 2, 1, 2, 3)",
                                           "1 - time^3"};

static void enclosures_hold(void **state) {
  uint64_t seed = 7;
  static fly_jet v[FLY_EXPR_VALUES];
  for (size_t k = 0; k < sizeof closed_forms / sizeof *closed_forms; k++) {
    fly_expr *e = sample_compile(closed_forms[k]);
    for (int trial = 0; trial < 300; trial++) {
      const double a = 2 + 2 * random_double(&seed), h = 4 * pow(10, -3 - 3 * random_double(&seed));
      const double b = fmin(a + h, 4.2);
      fly_expr_enclose(e, a, b, e->result, v);
      const fly_jet *jet = &v[e->result];
      for (int i = 0; i < 5; i++) {
        double t = a + (b - a) * (0.5 + 0.5 * random_double(&seed)), y[3];
        fly_expr_time(e, t, y);
        if (!fly_holds(jet->value, y[0]) || !fly_holds(jet->slope, y[1]) || !fly_holds(jet->bend, y[2]))
          fail_msg("%s at %.17g in [%.17g, %.17g]: %g %g %g", closed_forms[k], t, a, b, y[0], y[1], y[2]);
      }
      if (h < 1e-5 && fly_width(jet->value) > 0.01 && k < 22) // and they are not idle
        fail_msg("%s over %g: as wide as %g", closed_forms[k], h, fly_width(jet->value));
    }
    fly_expr_free(e);
  }
}

// A pulse of any width is no straight line; what is one, or as good as one, is.
static void surprises(void **state) {
  const double none[] = {0, 0, 0};
  fly_expr *pulse = sample_compile("exp(-((time - 2.0001234)/1e-7)^2)*u1"), *wave = sample_compile("sin(time)"),
           *line = sample_compile("3*time - 2 + u1"), *curve = sample_compile("time^2 + u1*time^3");
  assert_false(fly_expr_is_plain(pulse, 0, 10, none));
  assert_true(fly_expr_is_plain(pulse, 0, 2, none));
  assert_false(fly_expr_is_plain(pulse, 2.0001, 2.0002, none));
  assert_true(fly_expr_is_plain(pulse, 2.0001234, 2.0001235, none));
  assert_true(fly_expr_is_plain(wave, 0, 3, none));
  assert_false(fly_expr_is_plain(wave, 0, 6.3, none));
  assert_true(fly_expr_is_plain(line, 0, 1e9, none));
  assert_true(fly_expr_is_plain(curve, 0, 1e3, none));
  fly_expr_free(pulse);
  fly_expr_free(wave);
  fly_expr_free(line);
  fly_expr_free(curve);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(straight_arguments),  cmocka_unit_test(searched_arguments),
      cmocka_unit_test(grazing_arguments),   cmocka_unit_test(breaks_without_effect),
      cmocka_unit_test(arguments_that_stay), cmocka_unit_test(orders_as_they_are),
      cmocka_unit_test(enclosures_hold),     cmocka_unit_test(surprises),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
