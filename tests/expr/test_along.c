// What expressions do along a motion, between points at which it is known.
#include <math.h>

#include "sample.h"

// u1 = a + b t + c sin t, u2 its rate.
typedef struct motion {
  double a, b, c;
} motion;

static void inputs_at(const motion *m, double t, double *in) {
  in[FLY_EXPR_TIME] = t;
  in[1] = m->a + m->b * t + m->c * sin(t);
  in[2] = m->b + m->c * cos(t);
}

static bool along(const fly_expr *e, int place, const motion *m, double t, double h, double allowed, double *value) {
  double in[FLY_EXPR_SAMPLES][SAMPLE_INPUTS] = {{0}};
  const double *input[FLY_EXPR_SAMPLES];
  for (int k = 0; k < FLY_EXPR_SAMPLES; k++) {
    inputs_at(m, t + h * k / (FLY_EXPR_SAMPLES - 1), in[k]);
    input[k] = in[k];
  }
  return fly_expr_along(e, place, input, h, allowed, value);
}

static void terms_that_lurk(void **state) {
  static const struct {
    const char *text;
    int count;
  } cases[] = {{"-100*u1 - 3*u2", 0},
               {"u1^3 - u1*u2/7 + sin(time)", 0},
               {"step(time, 1, 0, 2, 5) + u1", 0},
               {"impact(u1, u2, 0, 1e5, 1.5, 10, 0.001)", 1},
               {"-100*u1 + exp(-u1^2) - abs(u2)", 2},
               {"-(if(u1 < 1, 2, 3) + sin(1000*time + u1)) + sign(u2)", 3},
               {"2*(abs(u1) + abs(u2))", 1},
               {"1/(1 + u1^2)", 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    fly_expr *e = sample_compile(cases[k].text);
    const int n = fly_expr_lurking(e, NULL);
    if (n != cases[k].count)
      fail_msg("%s: %d terms lurk, not %d", cases[k].text, n, cases[k].count);
    fly_expr_free(e);
  }
}

static const char *const forces[] = {"exp(-((u1 - 0.3)/0.01)^2)",
                                     "impact(u1, u2, 0.1, 1e3, 1.5, 1, 0.01)",
                                     "bistop(u1, u2, -0.4, 0.5, 1e3, 2.2, 3, 0.01)",
                                     "if(abs(u1 - 0.2) < 0.05, 3, 0)",
                                     "linear(u1, table)",
                                     "akima(4*u1, table)",
                                     "noise(u1, 2, 0.05)",
                                     "linear2(4*u1, 3*u2, map)",
                                     "step(u1, 0, 1, 0.1, 3) - u2",
                                     "sin(50*u1 + 20*time)",
                                     "atan2(u1, u2)",
                                     "1/(0.01 + u1^2)",
                                     "mod(u1, 0.2)",
                                     "tanh(100*u1)*sign(u2)",
                                     "max(u1, 0.2)*min(u2, 0.5)",
                                     "sqrt(u1^2 + 0.001)",
                                     "2^(10*u1)"};

// Where it is said that the points tell, nothing between them is further off their chords than was allowed.
static void what_is_told_holds(void **state) {
  uint64_t seed = 11;
  long told = 0, tried = 0;
  for (size_t k = 0; k < sizeof forces / sizeof *forces; k++) {
    fly_expr *e = sample_compile(forces[k]);
    int place[FLY_EXPR_TERMS];
    assert_in_range(fly_expr_lurking(e, place), 1, 4);
    for (int trial = 0; trial < 2000; trial++) {
      const motion m = {0.5 * random_double(&seed), random_double(&seed), 0.3 * random_double(&seed)};
      const double t = 3 * random_double(&seed), h = pow(10, -2.5 + 2.5 * random_double(&seed)), allowed = 0.1;
      double end[FLY_EXPR_SAMPLES], same[FLY_EXPR_SAMPLES];
      tried++;
      if (!along(e, place[0], &m, t, h, allowed, end))
        continue;
      told++;
      for (int i = 1; i < 32; i++) {
        const double chord = end[0] + (end[FLY_EXPR_SAMPLES - 1] - end[0]) * i / 32;
        along(e, place[0], &m, t + h * i / 32, 1e-12, INFINITY, same);
        if (fabs(same[0] - chord) > allowed * 1.001)
          fail_msg("%s over %g s from %g: %g is %g off the chord", forces[k], h, t, same[0], fabs(same[0] - chord));
      }
    }
    fly_expr_free(e);
  }
  assert_true(told > tried / 2); // and the bounds are not idle
}

// Of many terms none is left out: they are one.
static void many_terms(void **state) {
  char text[4000] = "exp(-((u1 - 0.01)/1e-3)^2)";
  for (int k = 1; k < 40; k++)
    snprintf(text + strlen(text), sizeof text - strlen(text), " + exp(-((u1 - %d)/1e-3)^2)", k);
  fly_expr *e = sample_compile(text);
  int place[FLY_EXPR_TERMS];
  const double at[] = {0, 39};
  assert_int_equal(fly_expr_lurking(e, NULL), 1);
  assert_int_equal(fly_expr_lurking(e, place), 1);
  assert_true(fly_expr_term(e, place[0], at) > 0.9);
  fly_expr_free(e);
}

// A bell far from all points is not told by them, and is in a cell as wide as itself.
static void bells_are_not_missed(void **state) {
  fly_expr *e = sample_compile("exp(-((u1 - 0.3210)/1e-6)^2)");
  const motion m = {0, 1, 0};
  double value[FLY_EXPR_SAMPLES];
  int place;
  assert_int_equal(fly_expr_lurking(e, &place), 1);
  assert_false(along(e, place, &m, 0, 1, 0.1, value));
  for (int k = 0; k < FLY_EXPR_SAMPLES; k++)
    assert_true(value[k] == 0);
  assert_true(along(e, place, &m, 0, 0.32, 0.1, value));
  assert_true(along(e, place, &m, 0.3210, 2e-7, 0.1, value));
  fly_expr_free(e);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(terms_that_lurk), cmocka_unit_test(what_is_told_holds),
                                     cmocka_unit_test(many_terms), cmocka_unit_test(bells_are_not_missed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
