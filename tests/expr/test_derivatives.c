// Derivatives against Richardson differences, for every row of the list of functions, and at kinks.
#include "sample.h"

typedef double curve(double x, const void *data);

// By how much f misses the parabola of its derivatives between x - h and x + h, seen as a slope: kinks and jumps miss
// it.
static double roughness(curve *f, const void *data, double x, double h, double slope, double curvature) {
  const double at[] = {-0.93, -0.61, -0.37, 0.37, 0.61, 0.93};
  double worst = 0;
  for (int k = 0; k < 6; k++) {
    const double s = at[k] * h, miss = f(x + s, data) - f(x, data) - s * (slope + s * curvature / 2);
    worst = fmax(worst, isfinite(miss) ? fabs(miss) / h : HUGE_VAL);
  }
  return worst;
}

// Derivative of f at x by central differences with steps h, h/2, h/4 and two extrapolations; *doubt is by how much the
// last one moved it, infinite if f is rough there.
static double differences(curve *f, const void *data, double x, double *doubt) {
  double d[3], bend = 0;
  const double h = 2e-3 * (1 + fabs(x)), y = f(x, data);
  for (int k = 0; k < 3; k++) {
    const double step = ldexp(h, -k), left = f(x - step, data), right = f(x + step, data);
    d[k] = (right - left) / (2 * step);
    bend = (left - 2 * y + right) / (step * step);
  }
  const double first = (4 * d[1] - d[0]) / 3, second = (4 * d[2] - d[1]) / 3;
  const double best = (16 * second - first) / 15;
  *doubt = fabs(best - second) + 1e-11 * fabs(y) / h;
  if (!(roughness(f, data, x, h, best, bend) < 1e-4 * (1 + fabs(best))))
    *doubt = HUGE_VAL;
  return best;
}

// The text of a call of f with count arguments, each by the callback; tables by their name.
typedef void argument_text(char *text, size_t size, int k, const void *data);

// The name of argument k as the list has it begins with a word.
static bool is_called(const fly_expr_function *f, int k, const char *word) {
  const char *s = f->arguments;
  for (; k > 0 && strchr(s, ',') != NULL; k--)
    s = strchr(s, ',') + 2;
  return k == 0 && strncmp(s, word, strlen(word)) == 0;
}

// Of those that must be a name or a constant; NULL: it may be anything.
static const char *fixed_argument(const fly_expr_function *f, int k) {
  const bool surface = strcmp(f->name, "linear2") == 0 || strcmp(f->name, "cubic2") == 0;
  return is_called(f, k, "table")  ? (surface ? "map" : "table")
         : is_called(f, k, "seed") ? "7"
         : is_called(f, k, "dt")   ? "1.7"
                                   : NULL;
}

static void write_call(char *text, size_t size, const fly_expr_function *f, int count, argument_text *write,
                       const void *data) {
  snprintf(text, size, "%s(", f->name);
  for (int k = 0; k < count; k++) {
    const char *fixed = fixed_argument(f, k);
    size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%s", k > 0 ? ", " : "", fixed ? fixed : "");
    n = strlen(text);
    if (!fixed)
      write(text + n, size - n, k, data);
  }
  const size_t n = strlen(text);
  snprintf(text + n, size - n, ")");
}

// Those whose slopes are 0 wherever they have one.
static bool is_staircase(const char *name) {
  const char *names[] = {"sign", "floor", "ceil", "round", "linear1", "stairs"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

// ---------------------------------------------------------------------------------- gradients

static void write_input(char *text, size_t size, int k, const void *data) { snprintf(text, size, "u%d", k + 1); }

typedef struct point {
  const fly_expr *e;
  double inputs[SAMPLE_INPUTS];
  int which; // input that moves
} point;

static double along_input(double x, const void *data) {
  point p = *(const point *)data;
  p.inputs[p.which] = x;
  return fly_expr_value(p.e, p.inputs);
}

// Compares the gradient at one point; counts components compared, and those that were not 0.
static void compare_gradient(point *p, const char *text, int *compared, int *doubtful, int *moved) {
  int n;
  double value, gradient[SAMPLE_INPUTS];
  const int *inputs = fly_expr_inputs(p->e, &n);
  fly_expr_gradient(p->e, p->inputs, &value, gradient);
  const double again = fly_expr_value(p->e, p->inputs);
  assert_memory_equal(&value, &again, sizeof value);
  for (int k = 0; k < n && isfinite(value); k++) {
    double doubt;
    p->which = inputs[k];
    const double d = differences(along_input, p, p->inputs[p->which], &doubt);
    if (!(doubt < 1e-5 * (1 + fabs(d)))) {
      (*doubtful)++;
      continue;
    }
    (*compared)++;
    moved[k] += gradient[k] != 0;
    if (!(fabs(gradient[k] - d) <= 20 * doubt + 1e-10 * (1 + fabs(d))))
      fail_msg("%s: derivative %d is %.12g, by differences %.12g (doubt %g)", text, k, gradient[k], d, doubt);
  }
}

static void check_gradients(const fly_expr_function *f, int count, uint64_t *seed) {
  char text[512];
  int compared = 0, doubtful = 0, moved[SAMPLE_INPUTS] = {0}, n;
  write_call(text, sizeof text, f, count, write_input, NULL);
  point p = {.e = sample_compile(text)};
  for (int i = 0; i < 600; i++) {
    const double scale[] = {0.5, 1, 3};
    for (int k = 0; k < SAMPLE_INPUTS; k++)
      p.inputs[k] = scale[i % 3] * random_double(seed);
    compare_gradient(&p, text, &compared, &doubtful, moved);
  }
  fly_expr_inputs(p.e, &n);
  if (getenv("FLY_SHOW_RESIDUALS") != NULL)
    printf("%-60s %5d compared, %4d doubtful\n", text, compared, doubtful);
  if (compared < 50 * n || doubtful > compared / 3)
    fail_msg("%s: only %d compared, %d doubtful", text, compared, doubtful);
  for (int k = 0; k < n && !is_staircase(f->name); k++)
    if (moved[k] < 20 && strcmp(f->name, "if") != 0)
      fail_msg("%s: argument %d hardly matters", text, k + 1);
  fly_expr_free((fly_expr *)p.e);
}

static void gradients_of_all_functions(void **state) {
  uint64_t seed = 1;
  const fly_expr_function *f;
  for (int i = 0; (f = fly_expr_function_at(i)) != NULL; i++) {
    bool any_more;
    const int least = fly_expr_function_arguments(f, &any_more);
    for (int count = least; count <= least + (any_more ? 4 : 0); count++)
      check_gradients(f, count, &seed);
  }
}

static void gradients_of_operators(void **state) {
  const char *texts[] = {"u1 + u2",
                         "u1 - u2",
                         "u1*u2",
                         "u1/u2",
                         "-u1",
                         "u1^u2",
                         "u1^2",
                         "u1^3",
                         "u1^4",
                         "u1^-1",
                         "u1^-2",
                         "u1^0.5",
                         "u1^1.7",
                         "2^u1",
                         "u1*u1/u1",
                         "u1 < u2",
                         "u1 and u2",
                         "not u1",
                         "u1^2^u2",
                         "u1/3",
                         "3/u1",
                         "u1^1",
                         "u1^0",
                         "(u1 > u2)*u3",
                         "if(u1 > u2, u1*u3, u2/u3)",
                         "sin(u1*u2)^2/(1 + u3^2)"};
  uint64_t seed = 2;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    int compared = 0, doubtful = 0, moved[SAMPLE_INPUTS] = {0};
    point p = {.e = sample_compile(texts[i])};
    for (int n = 0; n < 300; n++) {
      for (int k = 0; k < SAMPLE_INPUTS; k++)
        p.inputs[k] = 2 * random_double(&seed);
      compare_gradient(&p, texts[i], &compared, &doubtful, moved);
    }
    if (strcmp(texts[i], "u1^0") != 0 && (compared < 100 || doubtful > compared / 3))
      fail_msg("%s: only %d compared, %d doubtful", texts[i], compared, doubtful);
    fly_expr_free((fly_expr *)p.e);
  }
}

// ---------------------------------------------------------------------------------- derivatives in time

// Argument k is c + a sin(w t + p) with random numbers, so that all second partial derivatives are felt.
static void write_wave(char *text, size_t size, int k, const void *data) {
  const double *number = (const double *)data + 4 * k;
  snprintf(text, size, "%.6f + %.6f*sin(%.6f*time + %.6f)", number[0], number[1], number[2], number[3]);
}

static double value_at(double t, const void *data) {
  double v[3];
  fly_expr_time(data, t, v);
  return v[0];
}

static double slope_at(double t, const void *data) {
  double v[3];
  fly_expr_time(data, t, v);
  return v[1];
}

static bool compare_times(const fly_expr *e, double t, const char *text) {
  double v[3], value, gradient[1], doubt1, doubt2;
  fly_expr_time(e, t, v);
  if (!isfinite(v[0]))
    return false;
  fly_expr_gradient(e, &t, &value, gradient);
  assert_near(v[0], value, 0);
  assert_near(v[1], gradient[0], 1e-9 * (1 + fabs(v[1])));
  const double d1 = differences(value_at, e, t, &doubt1), d2 = differences(slope_at, e, t, &doubt2);
  if (!(doubt1 < 1e-5 * (1 + fabs(d1)) && doubt2 < 1e-5 * (1 + fabs(d2))))
    return false;
  if (!(fabs(v[1] - d1) <= 20 * doubt1 + 1e-10 * (1 + fabs(d1))))
    fail_msg("%s at %g: first derivative %.12g, by differences %.12g (doubt %g)", text, t, v[1], d1, doubt1);
  if (!(fabs(v[2] - d2) <= 20 * doubt2 + 1e-10 * (1 + fabs(d2))))
    fail_msg("%s at %g: second derivative %.12g, by differences %.12g (doubt %g)", text, t, v[2], d2, doubt2);
  return true;
}

static int check_times(const fly_expr_function *f, int count, uint64_t *seed) {
  int compared = 0;
  for (int i = 0; i < 40; i++) {
    char text[2048];
    double number[4 * 16];
    for (int k = 0; k < 4 * 16; k++)
      number[k] = (1 + i % 3) * random_double(seed);
    write_call(text, sizeof text, f, count, write_wave, number);
    fly_expr *e = sample_compile(text);
    assert_true(fly_expr_is_time_only(e));
    for (int n = 0; n < 20; n++)
      compared += compare_times(e, 3 * random_double(seed), text);
    fly_expr_free(e);
  }
  return compared;
}

static void time_derivatives_of_all_functions(void **state) {
  uint64_t seed = 3;
  const fly_expr_function *f;
  for (int i = 0; (f = fly_expr_function_at(i)) != NULL; i++) {
    bool any_more;
    const int least = fly_expr_function_arguments(f, &any_more);
    const int compared = check_times(f, least + (any_more ? 3 : 0), &seed);
    if (compared < 100)
      fail_msg("%s: only %d compared", f->name, compared);
  }
}

static void time_derivatives_of_operators(void **state) {
  const char *texts[] = {"time^2",
                         "time^3",
                         "2*time^5 - time",
                         "1/(1 + time^2)",
                         "time/(2 + time)",
                         "2^time",
                         "(3 + time)^time",
                         "time^2.5",
                         "sin(3*time)^2*time",
                         "(time > 0)*time^3",
                         "-time*-time",
                         "if(time < 0.5, time^2, sin(time))",
                         "sqrt(time)*time^-1"};
  uint64_t seed = 4;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    fly_expr *e = sample_compile(texts[i]);
    int compared = 0;
    for (int n = 0; n < 100; n++)
      compared += compare_times(e, 2 * random_double(&seed), texts[i]);
    assert_true(compared > 30);
    fly_expr_free(e);
  }
}

// Exact: d2/dt2 of known functions.
static void time_derivatives_are_exact(void **state) {
  fly_expr *e = sample_compile("speed*time + 3*sin(2*time) + step5(time, 0, 0, 2, 1)");
  double v[3];
  fly_expr_time(e, 1, v);
  assert_near(v[0], 120 + 3 * sin(2) + 0.5, 2e-14);
  assert_near(v[1], 120 + 6 * cos(2) + 1.875 / 2, 2e-14);
  assert_near(v[2], -12 * sin(2), 1e-14);
  fly_expr_free(e);
}

// ---------------------------------------------------------------------------------- kinks

static void assert_slopes(const char *text, double u1, double u2, double slope1, double slope2) {
  const double inputs[] = {0, u1, u2};
  double value, gradient[2] = {NAN, NAN};
  int n;
  fly_expr *e = sample_compile(text);
  fly_expr_gradient(e, inputs, &value, gradient);
  fly_expr_inputs(e, &n);
  if (!(fabs(gradient[0] - slope1) <= 1e-15 * fabs(slope1)) ||
      (n > 1 && !(fabs(gradient[1] - slope2) <= 1e-15 * fabs(slope2))))
    fail_msg("%s at %g, %g: slopes %g, %g, not %g, %g", text, u1, u2, gradient[0], gradient[1], slope1, slope2);
  fly_expr_free(e);
}

static void kinks_have_one_sided_derivatives(void **state) {
  assert_slopes("abs(u1)", 0, 0, 1, 0);
  assert_slopes("abs(u1)", -0.0, 0, 1, 0);
  assert_slopes("max(u1, u2)", 3, 3, 1, 0);
  assert_slopes("min(u1, u2)", 3, 3, 1, 0);
  assert_slopes("max(0, u1)", 0, 0, 0, 0);
  assert_slopes("max(u1, 0)", 0, 0, 1, 0);
  assert_slopes("sign(u1)", 0, 0, 0, 0);
  assert_slopes("floor(u1) + ceil(u1) + round(u1)", 2, 0, 0, 0);
  assert_slopes("step(u1, 0, 0, 1, 2)", 0, 0, 0, 0);
  assert_slopes("step(u1, 0, 0, 1, 2)", 1, 0, 0, 0);
  assert_slopes("impact(u1, u2, 1, 10, 1, 0.1, 0.1)", 1, 0, 0, 0);
  assert_slopes("impact(u1, u2, 1, 10, 0.5, 0.1, 0.1)", 1, 0, 0, 0);
  assert_slopes("impact(u1, u2, 1, 10, 1, 0.1, 0.1)", 2, 0, 0, 0);
  assert_slopes("bistop(u1, u2, 0, 1, 10, 1, 0.1, 0.1)", 1, 0, 0, 0);
  assert_slopes("spline1(u1, table)*0 + u1", 2, 0, 1, 0);
  assert_slopes("linear(u1, table)", 2, 0, 0.5, 0);
}

static void infinite_slopes_count_as_zero(void **state) {
  assert_slopes("sqrt(u1)", 0, 0, 0, 0);
  assert_slopes("sqrt(u1^2 + u2^2)", 0, 0, 0, 0);
  assert_slopes("hypot(u1, u2)", 0, 0, 0, 0);
  assert_slopes("atan2(u1, u2)", 0, 0, 0, 0);
  assert_slopes("cbrt(u1)", 0, 0, 0, 0);
  assert_slopes("u1^0.5", 0, 0, 0, 0);
  assert_slopes("u1^0.7", 0, 0, 0, 0);
  assert_slopes("asin(u1)", 1, 0, 0, 0);
  assert_slopes("acos(u1)", -1, 0, 0, 0);
  assert_slopes("acosh(u1)", 1, 0, 0, 0);
  assert_slopes("u1^1.5", 0, 0, 0, 0);
  assert_slopes("u1^u2", 0, 1, 1, 0);
  assert_slopes("u1^u2", 0, 2.5, 0, 0);
  assert_slopes("u1^5", 0, 0, 0, 0);
  assert_slopes("u1^2", 1e-200, 0, 2e-200, 0); // the value underflows, the slope does not
  assert_slopes("pow(u1, 2.0000000000000004)", 0, 0, 0, 0);
}

static void second_derivatives_at_zero_are_finite(void **state) {
  const char *texts[] = {"sqrt(time)",
                         "time^1.5",
                         "time^0.5",
                         "cbrt(time)",
                         "abs(time)",
                         "hypot(time, time)",
                         "atan2(time, time)",
                         "asin(1 + time)",
                         "acosh(1 - time)",
                         "time^2.5",
                         "step(time, 0, 0, 1, 1)"};
  double v[3];
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    fly_expr *e = sample_compile(texts[i]);
    fly_expr_time(e, 0, v);
    if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2]))
      fail_msg("%s: %g, %g, %g", texts[i], v[0], v[1], v[2]);
    fly_expr_free(e);
  }
  fly_expr *e = sample_compile("time^2 + pow(time, 3) + time^4");
  fly_expr_time(e, 0, v);
  assert_near(v[2], 2, 0);
  fly_expr_free(e);
}

// What the branch not taken does is nobody's business.
static void branches_not_taken_do_not_matter(void **state) {
  assert_slopes("if(u1 > 0, log(u1)*sqrt(u1), 3*u1)", -2, 0, 3, 0);
  assert_slopes("if(u1 > 0, log(u1)*u1^-2, 3*u1)", 0, 0, 3, 0);
  assert_slopes("if(u1 == 0, 1, sin(u1)/u1)", 0, 0, 0, 0);
  fly_expr *e = sample_compile("if(time == 0, 1, sin(time)/time)");
  double v[3];
  fly_expr_time(e, 0, v);
  assert_near(v[0], 1, 0);
  assert_near(v[1], 0, 0);
  assert_near(v[2], 0, 0);
  fly_expr_free(e);
}

// Far out, where formulas overflow or lose their digits.
static void slopes_far_out(void **state) {
  const double inputs[] = {0, 20};
  double value, gradient;
  fly_expr *e = sample_compile("tanh(u1)");
  fly_expr_gradient(e, inputs, &value, &gradient);
  assert_near(gradient / (4 * exp(-40)), 1, 1e-12);
  fly_expr_free(e);
  assert_slopes("atan(u1)", 1e200, 0, 0, 0);
  assert_slopes("asinh(u1)", 1e200, 0, 1e-200, 0);
  assert_slopes("tanh(u1)", 1000, 0, 0, 0);
  assert_slopes("atan2(u1, u2)", 0, 1e-200, 1e200, 0);
  assert_slopes("hypot(u1, u2)", 3e200, 4e200, 0.6, 0.8);
  assert_slopes("hypot(u1, u2)", 3e-200, 4e-200, 0.6, 0.8);
  assert_slopes("hypot(u1, u2)", 5e-324, -1e-323, 0, 0); // one over which is infinite
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_of_all_functions),        cmocka_unit_test(gradients_of_operators),
      cmocka_unit_test(time_derivatives_of_all_functions), cmocka_unit_test(time_derivatives_of_operators),
      cmocka_unit_test(time_derivatives_are_exact),        cmocka_unit_test(kinks_have_one_sided_derivatives),
      cmocka_unit_test(infinite_slopes_count_as_zero),     cmocka_unit_test(second_derivatives_at_zero_are_finite),
      cmocka_unit_test(branches_not_taken_do_not_matter),  cmocka_unit_test(slopes_far_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
