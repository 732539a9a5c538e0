// Splines against published curves, polynomials they must reproduce, differences, and their order of convergence.
#include "base/check.h"

#include <stdbool.h>
#include <string.h>

#include "math/spline.h"

enum { most = 400 };
static const double pi = 3.14159265358979323846;

typedef struct curve {
  double x[most], y[most], slope[most], work[most];
  fly_spline s;
} curve;

typedef enum kind { CUBIC, AKIMA } kind;

static void fit(curve *c, kind k, int n) {
  assert_int_equal(fly_spline_check(c->x, c->y, n), n);
  if (k == CUBIC)
    fly_spline_cubic(c->slope, c->x, c->y, n, c->work);
  else
    fly_spline_akima(c->slope, c->x, c->y, n);
  c->s = (fly_spline){.n = n, .x = c->x, .y = c->y, .slope = c->slope};
}

static void fit_points(curve *c, kind k, int n, const double *x, const double *y) {
  memcpy(c->x, x, (size_t)n * sizeof *x);
  memcpy(c->y, y, (size_t)n * sizeof *y);
  fit(c, k, n);
}

// n points from a to b, unevenly spaced if uneven.
static void fit_function(curve *c, kind k, int n, double a, double b, double f(double), bool uneven) {
  for (int i = 0; i < n; i++) {
    const double t = (double)i / (n - 1);
    c->x[i] = a + (b - a) * (uneven ? t + 0.1 * sin(2 * pi * t) : t);
    c->y[i] = f(c->x[i]);
  }
  fit(c, k, n);
}

static double value(const curve *c, double x) {
  double out[4];
  fly_spline_evaluate(out, &c->s, x);
  return out[0];
}

// ---------------------------------------------------------------------------------- published curves

// MSC Adams, manual of AKIMA_SPLINE: ({1, 2, 3, 4}, {0, 2, 1, 3}, 10), printed to three decimals.
static void akima_equals_adams(void **state) {
  const double x[] = {1, 2, 3, 4}, y[] = {0, 2, 1, 3};
  const double printed[] = {0.0, 1.0, 1.667, 2.0, 1.778, 1.222, 1.0, 1.333, 2.0, 3.0};
  curve c;
  fit_points(&c, AKIMA, 4, x, y);
  for (int i = 0; i < 10; i++)
    assert_near(value(&c, 1 + i / 3.0), printed[i], 5.1e-4);
}

// The data of Akima's paper, table 1: the flat part must stay flat, the next piece must not undershoot.
static void akima_keeps_straight_parts(void **state) {
  const double x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, y[] = {10, 10, 10, 10, 10, 10, 10.5, 15, 50, 60, 85};
  curve a, c;
  fit_points(&a, AKIMA, 11, x, y);
  fit_points(&c, CUBIC, 11, x, y);
  double akima_lowest = 10, cubic_lowest = 10;
  for (double t = 0; t <= 5; t += 0.01) {
    assert_near(value(&a, t), 10, 0);
    cubic_lowest = fmin(cubic_lowest, value(&c, t));
  }
  for (double t = 5; t <= 6; t += 0.01)
    akima_lowest = fmin(akima_lowest, value(&a, t));
  assert_near(akima_lowest, 10, 0);
  assert_true(cubic_lowest < 9.9); // what made Akima write his paper
}

// Burden and Faires, Numerical Analysis, section 3.5, examples 1 and 2: the coefficients they print.
static void cubic_equals_burden_faires(void **state) {
  const double x1[] = {1, 2, 3}, y1[] = {2, 3, 5};
  const double x2[] = {0, 1, 2, 3}, y2[] = {1, exp(1), exp(2), exp(3)};
  const double slope2[] = {1.46600, 2.22285, 8.80977}, curvature2[] = {0, 0.75685, 5.83007},
               third2[] = {0.25228, 1.69107, -1.94336};
  double out[4];
  curve c;
  fit_points(&c, CUBIC, 3, x1, y1);
  for (double t = 0; t < 1; t += 0.125) {
    assert_near(value(&c, 1 + t), 2 + 0.75 * t + 0.25 * t * t * t, 1e-15);
    assert_near(value(&c, 2 + t), 3 + 1.5 * t + 0.75 * t * t - 0.25 * t * t * t, 1e-15);
  }
  fit_points(&c, CUBIC, 4, x2, y2);
  for (int i = 0; i < 3; i++) {
    fly_spline_evaluate(out, &c.s, i);
    assert_near(out[1], slope2[i], 6e-6);
    assert_near(out[2] / 2, curvature2[i], 6e-6);
    assert_near(out[3] / 6, third2[i], 6e-6);
  }
}

// ---------------------------------------------------------------------------------- what is exact

static double straight(double x) { return 3 - 2 * x; }
static double parabola(double x) { return 1 + x * (2 - 3 * x); }

static void straight_lines_are_exact(void **state) {
  curve c;
  for (int n = 2; n < 20; n++)
    for (int k = CUBIC; k <= AKIMA; k++) {
      fit_function(&c, (kind)k, n, -1, 2, straight, true);
      for (double x = -5; x < 5; x += 0.1)
        assert_near(value(&c, x), straight(x), 5e-14);
    }
}

static void akima_reproduces_parabolas_when_even(void **state) {
  curve c;
  for (int n = 3; n < 20; n++) {
    fit_function(&c, AKIMA, n, -1, 2, parabola, false);
    for (double x = -1; x < 2; x += 0.01)
      assert_near(value(&c, x), parabola(x), 2e-14);
  }
}

// A piecewise cubic with continuous y'' that is straight outside its points is its own natural spline.
static double natural_curve(double x) {
  const double at[] = {-1, -0.5, 0.2, 1.1};
  double weight[4] = {1, -2.5}, y = 0.5 + x;
  // sum of weight = 0 and sum of weight * at = 0 make it straight on the right
  weight[3] = -(weight[0] * (at[0] - at[2]) + weight[1] * (at[1] - at[2])) / (at[3] - at[2]);
  weight[2] = -weight[0] - weight[1] - weight[3];
  for (int i = 0; i < 4; i++)
    y += weight[i] * pow(fmax(0, x - at[i]), 3);
  return y;
}

static void cubic_reproduces_natural_splines(void **state) {
  const double x[] = {-1, -0.75, -0.5, 0, 0.2, 0.5, 0.9, 1.1};
  double y[8];
  curve c;
  for (int i = 0; i < 8; i++)
    y[i] = natural_curve(x[i]);
  fit_points(&c, CUBIC, 8, x, y);
  for (double t = -3; t < 3; t += 0.01)
    assert_near(value(&c, t), natural_curve(t), 1e-13);
}

// ---------------------------------------------------------------------------------- order, smoothness, derivatives

static double sine(double x) { return sin(x); }
static double exponential(double x) { return exp(x); }

static double largest_error(kind k, int n, double a, double b, double f(double), bool uneven) {
  curve c;
  double worst = 0;
  fit_function(&c, k, n, a, b, f, uneven);
  for (double x = a; x < b; x += (b - a) / 5000)
    worst = fmax(worst, fabs(value(&c, x) - f(x)));
  return worst;
}

static double order(kind k, double a, double b, double f(double), bool uneven) {
  return log2(largest_error(k, 101, a, b, f, uneven) / largest_error(k, 201, a, b, f, uneven));
}

static void orders_of_convergence(void **state) {
  assert_near(order(CUBIC, 0, pi, sine, false), 4, 0.05);       // y'' is 0 at both ends
  assert_near(order(CUBIC, 0, pi, sine, true), 4, 0.05);        //
  assert_near(order(CUBIC, 0, 1, exponential, false), 2, 0.05); // it is not
  assert_near(order(AKIMA, 0, 1, exponential, false), 3, 0.15); // its slopes are of order 2
  assert_near(order(AKIMA, -1, 1, exponential, true), 3, 0.15); //
}

static void random_curve(curve *c, kind k, int n, uint64_t *seed) {
  double x = 0;
  for (int i = 0; i < n; i++) {
    x += 0.55 + 0.5 * random_double(seed);
    c->x[i] = x;
    c->y[i] = random_double(seed);
  }
  fit(c, k, n);
}

static void points_are_met(void **state) {
  uint64_t seed = 1;
  curve c;
  for (int n = 2; n < 30; n++)
    for (int k = CUBIC; k <= AKIMA; k++) {
      random_curve(&c, (kind)k, n, &seed);
      for (int i = 0; i < n; i++) {
        assert_near(value(&c, c.x[i]), c.y[i], 0);
        assert_near(value(&c, nextafter(c.x[i], -1)), c.y[i], 1e-13);
      }
    }
}

static void derivatives_join(void **state) {
  uint64_t seed = 2;
  curve c;
  for (int n = 2; n < 30; n++)
    for (int k = CUBIC; k <= AKIMA; k++) {
      random_curve(&c, (kind)k, n, &seed);
      for (int i = 0; i < n; i++) {
        double left[4], right[4];
        fly_spline_evaluate(left, &c.s, nextafter(c.x[i], -1));
        fly_spline_evaluate(right, &c.s, c.x[i]);
        assert_near(left[1], right[1], 1e-14 * (1 + fabs(left[3]) + fabs(right[3])));
        if (k == CUBIC)
          assert_near(left[2], right[2], 1e-13 * (1 + fabs(left[3]) + fabs(right[3])));
      }
    }
}

static void derivatives_equal_differences(void **state) {
  uint64_t seed = 3;
  curve c;
  for (int k = CUBIC; k <= AKIMA; k++) {
    random_curve(&c, (kind)k, 12, &seed);
    for (int n = 0; n < 500; n++) {
      const double x = 4 + 7 * random_double(&seed), h = 1e-4;
      double at[4], below[4], above[4], lowest = INFINITY;
      for (int i = 0; i < 12; i++)
        lowest = fmin(lowest, fabs(x - c.x[i]));
      if (lowest < 2 * h)
        continue;
      fly_spline_evaluate(at, &c.s, x);
      fly_spline_evaluate(below, &c.s, x - h);
      fly_spline_evaluate(above, &c.s, x + h);
      for (int d = 0; d < 3; d++) // central differences of a cubic err by y''' h^2 / 6
        assert_near((above[d] - below[d]) / (2 * h), at[d + 1], 1e-9 + (d == 0 ? fabs(at[3]) * h * h / 5 : 1e-8));
    }
  }
}

static void beyond_the_ends_it_is_straight(void **state) {
  uint64_t seed = 4;
  curve c;
  double end[4], out[4];
  for (int k = CUBIC; k <= AKIMA; k++) {
    random_curve(&c, (kind)k, 7, &seed);
    for (int side = 0; side < 2; side++) {
      const double x = c.x[side == 0 ? 0 : 6], u = side == 0 ? -3 : 3;
      fly_spline_evaluate(end, &c.s, x);
      fly_spline_evaluate(out, &c.s, x + u);
      assert_near(out[0], end[0] + u * end[1], 1e-14);
      assert_near(out[1], end[1], 0);
      assert_near(out[2], 0, 0);
      assert_near(out[3], 0, 0);
    }
  }
}

// ---------------------------------------------------------------------------------- bad tables

static void bad_tables_are_found(void **state) {
  const double good[] = {0, 1, 2, 3};
  assert_int_equal(fly_spline_check(good, good, 4), 4);
  assert_int_equal(fly_spline_check(good, good, 0), 0);
  const double wrong[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++) {
      double bad[] = {0, 1, 2, 3};
      bad[i] = wrong[k];
      assert_int_equal(fly_spline_check(bad, good, 4), i);
      assert_int_equal(fly_spline_check(good, bad, 4), i);
    }
  assert_int_equal(fly_spline_check((const double[]){0, 1, 1, 3}, good, 4), 2);
  assert_int_equal(fly_spline_check((const double[]){0, 1, 2, 1.5}, good, 4), 3);
}

static void not_a_number_is_passed_on(void **state) {
  uint64_t seed = 5;
  curve c;
  random_curve(&c, AKIMA, 7, &seed);
  assert_true(isnan(value(&c, NAN)));
}

static void without_slopes_pieces_are_straight(void **state) {
  const double x[] = {0, 1, 3, 4}, y[] = {1, 3, -1, 0};
  const fly_spline s = {.n = 4, .x = x, .y = y};
  const double at[] = {-1, 0, 0.25, 1, 2.5, 3, 3.5, 6}, value[] = {-1, 1, 1.5, 3, 0, -1, -0.5, 2},
               slope[] = {2, 2, 2, -2, -2, 1, 1, 1};
  for (int i = 0; i < 8; i++) {
    double out[4];
    fly_spline_evaluate(out, &s, at[i]);
    assert_near(out[0], value[i], 1e-15);
    assert_near(out[1], slope[i], 0);
    assert_near(out[2], 0, 0);
    assert_near(out[3], 0, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(akima_equals_adams),
      cmocka_unit_test(akima_keeps_straight_parts),
      cmocka_unit_test(cubic_equals_burden_faires),
      cmocka_unit_test(straight_lines_are_exact),
      cmocka_unit_test(akima_reproduces_parabolas_when_even),
      cmocka_unit_test(cubic_reproduces_natural_splines),
      cmocka_unit_test(orders_of_convergence),
      cmocka_unit_test(points_are_met),
      cmocka_unit_test(derivatives_join),
      cmocka_unit_test(derivatives_equal_differences),
      cmocka_unit_test(beyond_the_ends_it_is_straight),
      cmocka_unit_test(bad_tables_are_found),
      cmocka_unit_test(not_a_number_is_passed_on),
      cmocka_unit_test(without_slopes_pieces_are_straight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
