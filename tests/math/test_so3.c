// Rotations against matrices, differences and long double references.
#include "base/check.h"

#include <float.h>
#include <string.h>

#include "math/so3.h"

static const double pi = 3.14159265358979323846;
static const double angles[] = {0,    1e-310, 1e-200, 1e-160, 1e-100, 1e-20, 1e-12, 1e-8,  9.9e-5, 1.1e-4, 1e-3,
                                0.01, 0.1,    0.5,    0.999,  1.001,  1.5,   1.999, 2.001, 2.5,    3,      3.14159};
enum { nangles = sizeof angles / sizeof angles[0] };

static void random_axis(double axis[3], uint64_t *seed) {
  double norm;
  do {
    for (int i = 0; i < 3; i++)
      axis[i] = random_double(seed);
    norm = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  } while (norm < 0.1 || norm > 1);
  for (int i = 0; i < 3; i++)
    axis[i] /= norm;
}

static void random_turn(double theta[3], double angle, uint64_t *seed) {
  random_axis(theta, seed);
  for (int i = 0; i < 3; i++)
    theta[i] *= angle;
}

static void random_quat(double p[4], uint64_t *seed) {
  for (int i = 0; i < 4; i++)
    p[i] = random_double(seed);
  fly_quat_normalize(p);
}

static void multiply(double out[9], const double A[9], const double B[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

static void apply(double out[3], const double A[9], const double u[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = A[3 * i] * u[0] + A[3 * i + 1] * u[1] + A[3 * i + 2] * u[2];
}

// ---------------------------------------------------------------------------------- quaternions

static void a_quarter_turn_about_z_takes_x_to_y(void **state) {
  (void)state;
  const double theta[3] = {0, 0, pi / 2}, x[3] = {1, 0, 0};
  double p[4], y[3];
  fly_quat_exp(p, theta);
  fly_quat_rotate(y, p, x);
  assert_near(y[0], 0, 1e-15);
  assert_near(y[1], 1, 1e-15);
  assert_near(y[2], 0, 1e-15);
}

static void rotate_equals_matrix(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int n = 0; n < 100; n++) {
    double p[4], u[3], R[9], Ru[3], rotated[3];
    random_quat(p, &seed);
    random_axis(u, &seed);
    fly_quat_matrix(R, p);
    apply(Ru, R, u);
    fly_quat_rotate(rotated, p, u);
    for (int i = 0; i < 3; i++)
      assert_near(rotated[i], Ru[i], 1e-15);
  }
}

static void matrices_are_rotations(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (int n = 0; n < 100; n++) {
    double p[4], R[9], c[3];
    random_quat(p, &seed);
    fly_quat_matrix(R, p);
    fly_cross(c, R, R + 3); // orthonormal and right-handed: the third row is the product of the others
    for (int i = 0; i < 3; i++)
      assert_near(c[i], R[6 + i], 1e-15);
    assert_near(R[0] * R[0] + R[1] * R[1] + R[2] * R[2], 1, 2e-15);
    assert_near(R[0] * R[3] + R[1] * R[4] + R[2] * R[5], 0, 1e-15);
  }
}

static void products_turn_one_after_the_other(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int n = 0; n < 100; n++) {
    double a[4], b[4], ab[4], A[9], B[9], AB[9], R[9];
    random_quat(a, &seed);
    random_quat(b, &seed);
    fly_quat_multiply(ab, a, b);
    fly_quat_matrix(A, a);
    fly_quat_matrix(B, b);
    fly_quat_matrix(R, ab);
    multiply(AB, A, B);
    for (int i = 0; i < 9; i++)
      assert_near(R[i], AB[i], 2e-15);
  }
}

// ---------------------------------------------------------------------------------- exp, log, plus

// |u|, also where squares underflow
static long double length(const double u[3]) {
  double largest = fmax(fmax(fabs(u[0]), fabs(u[1])), fabs(u[2]));
  long double sum = 0;
  for (int i = 0; i < 3 && largest > 0; i++)
    sum += (u[i] / (long double)largest) * (u[i] / (long double)largest);
  return largest * sqrtl(sum);
}

// To a few units in the last place of each component, at any angle: also where squares underflow.
static void exp_is_accurate(void **state) {
  (void)state;
  uint64_t seed = 4;
  for (int n = 0; n < nangles; n++) {
    double theta[3], p[4];
    random_turn(theta, angles[n], &seed);
    fly_quat_exp(p, theta);
    long double t = length(theta);
    long double s = t > 0 ? sinl(t / 2) / t : 0.5L;
    assert_near(p[0], (double)cosl(t / 2), 8e-16);
    for (int i = 0; i < 3; i++)
      assert_near(p[i + 1], (double)(s * theta[i]), 4e-16 * fabs(p[i + 1]) + DBL_TRUE_MIN);
  }
}

static void log_undoes_exp(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int n = 0; n < nangles; n++)
    for (int repeat = 0; repeat < 20; repeat++) {
      double theta[3], p[4], back[3];
      random_turn(theta, angles[n], &seed);
      fly_quat_exp(p, theta);
      fly_quat_log(back, p);
      for (int i = 0; i < 3; i++)
        assert_near(back[i], theta[i], 2e-15 * angles[n] + 2 * DBL_TRUE_MIN);
      for (int i = 0; i < 4; i++)
        p[i] = -p[i];
      fly_quat_log(back, p); // the same rotation
      for (int i = 0; i < 3; i++)
        assert_near(back[i], theta[i], 2e-15 * angles[n] + 2 * DBL_TRUE_MIN);
    }
}

static void log_is_at_most_half_a_turn(void **state) {
  (void)state;
  const double half[4] = {0, 0, 1, 0}, more[3] = {0, 0, 1.5 * pi};
  double theta[3], p[4];
  fly_quat_log(theta, half);
  assert_near(theta[1], pi, 1e-15);
  fly_quat_exp(p, more);
  fly_quat_log(theta, p);
  assert_near(theta[2], -0.5 * pi, 1e-15);
}

static void plus_turns_in_body_axes(void **state) {
  (void)state;
  uint64_t seed = 6;
  double p[4], moved[4], theta[3], u[3], inner[3], Ru[3], expected[3], e[4];
  random_quat(p, &seed);
  random_turn(theta, 0.7, &seed);
  random_axis(u, &seed);
  fly_quat_plus(moved, p, theta);
  fly_quat_rotate(Ru, moved, u);
  fly_quat_exp(e, theta);
  fly_quat_rotate(inner, e, u);
  fly_quat_rotate(expected, p, inner);
  for (int i = 0; i < 3; i++)
    assert_near(Ru[i], expected[i], 1e-15);
  fly_quat_plus(p, p, theta); // out may alias p
  for (int i = 0; i < 4; i++)
    assert_true(p[i] == moved[i]);
}

static void normalize_gives_unit_length(void **state) {
  (void)state;
  double p[4] = {3, -4, 12, 84};
  fly_quat_normalize(p);
  assert_near(p[0], 3.0 / 85, 1e-16);
  assert_near(p[3], 84.0 / 85, 1e-16);
}

// ---------------------------------------------------------------------------------- tangent

// log(exp(theta)^-1 exp(theta + d))
static void turned_by(double out[3], const double theta[3], const double d[3]) {
  double minus[3], plus[3], a[4], b[4], ab[4];
  for (int i = 0; i < 3; i++) {
    minus[i] = -theta[i];
    plus[i] = theta[i] + d[i];
  }
  fly_quat_exp(a, minus);
  fly_quat_exp(b, plus);
  fly_quat_multiply(ab, a, b);
  fly_quat_log(out, ab);
}

static void tangent_equals_differences(void **state) {
  (void)state;
  uint64_t seed = 7;
  const double h = 1e-5;
  for (int n = 0; n < nangles; n++) {
    double theta[3], T[9];
    random_turn(theta, angles[n], &seed);
    fly_so3_tangent(T, theta);
    for (int j = 0; j < 3; j++) {
      double forth[3] = {0}, back[3] = {0}, plus[3], minus[3];
      forth[j] = h;
      back[j] = -h;
      turned_by(plus, theta, forth);
      turned_by(minus, theta, back);
      for (int i = 0; i < 3; i++)
        assert_near((plus[i] - minus[i]) / (2 * h), T[3 * i + j], 1e-10);
    }
  }
}

static void tangent_times_inverse_is_one(void **state) {
  (void)state;
  uint64_t seed = 8;
  const double large[] = {3.2, 4, 5, 6};
  for (int n = 0; n < nangles + 4; n++) {
    double angle = n < nangles ? angles[n] : large[n - nangles], theta[3], T[9], Ti[9], one[9];
    random_turn(theta, angle, &seed);
    fly_so3_tangent(T, theta);
    fly_so3_tangent_inverse(Ti, theta);
    multiply(one, T, Ti);
    for (int i = 0; i < 9; i++)
      assert_near(one[i], i % 4 == 0, 4e-15 / (1 - angle / 6.3)); // no inverse at 2 pi
  }
}

static long double reference_b(long double t) { // (t - sin t)/t^3, far enough along the series for t <= 4
  long double term = 1.0L / 6, sum = term;
  for (int k = 1; k < 30; k++)
    sum += term *= -t * t / ((2.0L * k + 2) * (2.0L * k + 3));
  return sum;
}

static long double reference_c(long double t) { // 1/t^2 - (1 + cos t)/(2 t sin t)
  long double x = t / 2, term = 1.0L / 3, sum = term, sine = x > 0 ? sinl(x) / x : 1;
  for (int k = 1; k < 30; k++) {
    term *= -x * x * (k + 1) / (k * (2.0L * k + 2) * (2.0L * k + 3));
    sum += term;
  }
  return sum / (4 * sine);
}

// About (1,1,0)/sqrt 2 the entries [0][1] and [0][2] are the quadratic and the linear coefficient alone, so that each
// is seen with all its digits, on both sides of the change from series to closed form.
static void tangent_coefficients_are_accurate(void **state) {
  (void)state;
  for (int n = 0; n < nangles; n++) {
    double x = angles[n] / sqrt(2), theta[3] = {x, x, 0}, T[9], Ti[9];
    long double t = sqrtl(2) * x, s = t > 0 ? sinl(t / 2) / (t / 2) : 1;
    fly_so3_tangent(T, theta);
    fly_so3_tangent_inverse(Ti, theta);
    assert_near(T[1], (double)(reference_b(t) * x * x), 2e-15 * fabs(T[1]));
    assert_near(T[2], (double)(-s * s / 2 * x), 1e-15 * fabs(T[2]));
    assert_near(Ti[1], (double)(reference_c(t) * x * x), 2e-15 * fabs(Ti[1]));
    assert_near(Ti[2], x / 2, 0);
  }
}

// (T u)' = T u' + (rate) while theta' = u, against differences, on both sides of the change to closed forms.
static void tangent_rate_is_a_derivative(void **state) {
  (void)state;
  uint64_t seed = 78;
  for (int n = 0; n < 300; n++) {
    double theta[3], u[3], rate[3], T[2][9], e = 1e-5;
    for (int i = 0; i < 3; i++) {
      theta[i] = (n % 3 == 0 ? 0.01 : 1.3) * random_double(&seed);
      u[i] = random_double(&seed);
    }
    fly_so3_tangent_rate(rate, theta, u);
    for (int k = 0; k < 2; k++) {
      double moved[3];
      for (int i = 0; i < 3; i++)
        moved[i] = theta[i] + (k ? e : -e) * u[i];
      fly_so3_tangent(T[k], moved);
    }
    for (int i = 0; i < 3; i++) {
      double difference = 0;
      for (int j = 0; j < 3; j++)
        difference += (T[1][3 * i + j] - T[0][3 * i + j]) / (2 * e) * u[j];
      assert_near(rate[i], difference, 1e-9);
    }
  }
}

// Also where the real part, or all but one, vanish.
static void matrices_give_their_quaternions_back(void **state) {
  (void)state;
  uint64_t seed = 77;
  for (int n = 0; n < 1000; n++) {
    double p[4], R[9], back[4], dot = 0;
    random_quat(p, &seed);
    if (n % 3 == 1)
      p[n % 4] = 0;
    if (n % 3 == 2)
      memcpy(p, (double[4]){n % 4 == 0, n % 4 == 1, n % 4 == 2, n % 4 == 3}, sizeof p);
    fly_quat_normalize(p);
    fly_quat_matrix(R, p);
    fly_quat_of_matrix(back, R);
    for (int i = 0; i < 4; i++)
      dot += p[i] * back[i];
    for (int i = 0; i < 4; i++)
      assert_near(back[i], dot < 0 ? -p[i] : p[i], 1e-15 * 4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_quarter_turn_about_z_takes_x_to_y),
      cmocka_unit_test(rotate_equals_matrix),
      cmocka_unit_test(matrices_are_rotations),
      cmocka_unit_test(tangent_rate_is_a_derivative),
      cmocka_unit_test(matrices_give_their_quaternions_back),
      cmocka_unit_test(products_turn_one_after_the_other),
      cmocka_unit_test(exp_is_accurate),
      cmocka_unit_test(log_undoes_exp),
      cmocka_unit_test(log_is_at_most_half_a_turn),
      cmocka_unit_test(plus_turns_in_body_axes),
      cmocka_unit_test(normalize_gives_unit_length),
      cmocka_unit_test(tangent_equals_differences),
      cmocka_unit_test(tangent_times_inverse_is_one),
      cmocka_unit_test(tangent_coefficients_are_accurate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
