// A few eigenvalues of matrices whose eigenvalues are known.
//
// labels: blas
#include "base/check.h"

#include <string.h>

#include "sparse/arpack.h"

enum { N = 60, RANK = 50 };

// Diagonal: K = k - 20.5, M = 1 for k < RANK and 0 after.
typedef struct diagonal {
  double shift;
} diagonal;

static double value(int k) { return k - 20.5; }

static void invert(double *y, const double *x, void *user) {
  const diagonal *d = user;
  for (int k = 0; k < N; k++)
    y[k] = k < RANK ? x[k] / (value(k) - d->shift) : 0;
}

static void mass(double *y, const double *x, void *user) {
  (void)user;
  for (int k = 0; k < N; k++)
    y[k] = k < RANK ? x[k] : 0;
}

static void test_nearest(void **state) {
  diagonal d = {.shift = 3.2};
  fly_symmetric_pencil p = {.n = N, .rank = RANK, .invert = invert, .mass = mass, .shift = d.shift, .user = &d};
  double mu[4], Z[4 * N];
  int found;
  assert_int_equal(fly_arpack_symmetric(&p, 4, mu, Z, &found, NULL), FLY_OK);
  assert_int_equal(found, 4);
  for (int k = 0; k < 4; k++) {
    assert_near(mu[k], 1.5 + k, 1e-12);
    assert_near(fabs(Z[N * k + 22 + k]), 1, 1e-10); // M-normalized
  }
}

static void test_below(void **state) {
  diagonal d = {.shift = -17.2};
  fly_symmetric_pencil p = {
      .n = N, .rank = RANK, .invert = invert, .mass = mass, .shift = d.shift, .below = true, .user = &d};
  double mu[3], Z[3 * N];
  int found;
  assert_int_equal(fly_arpack_symmetric(&p, 3, mu, Z, &found, NULL), FLY_OK);
  for (int k = 0; k < 3; k++)
    assert_near(mu[k], -19.5 + k, 1e-11);
}

// Blocks (a b; -b a) on the diagonal: a +- i b, a = 1/(1 + j), b = 1/2.
static void rotate(double *y, const double *x, void *user) {
  (void)user;
  for (int j = 0; j < N / 2; j++) {
    double a = 1.0 / (1 + j), b = 0.5;
    y[2 * j] = a * x[2 * j] + b * x[2 * j + 1];
    y[2 * j + 1] = -b * x[2 * j] + a * x[2 * j + 1];
  }
}

static void test_general(void **state) {
  double re[5], im[5], Z[5 * N];
  int found;
  const fly_general_matrix A = {.n = N, .rank = N, .apply = rotate};
  assert_int_equal(fly_arpack_general(&A, 4, re, im, Z, &found, NULL), FLY_OK);
  assert_true(found >= 4);
  for (int k = 0; k < 4; k++) {
    bool first = fabs(re[k] - 1) < 1e-12, second = fabs(re[k] - 0.5) < 1e-12;
    assert_true(first || second);
    assert_near(fabs(im[k]), 0.5, 1e-12);
  }
  assert_true(im[0] > 0);
  for (int i = 0; i < N; i++) { // A (x + i y) = (re + i im) (x + i y)
    double Ax[N];
    rotate(Ax, Z, NULL);
    assert_near(Ax[i], re[0] * Z[i] - im[0] * Z[N + i], 1e-11);
  }
}

// Diagonal exp(i k/10)/(1 + k).
static void turn(double *y, const double *x, void *user) {
  (void)user;
  for (int k = 0; k < N; k++) {
    double c = cos(0.1 * k) / (1 + k), s = sin(0.1 * k) / (1 + k);
    y[2 * k] = c * x[2 * k] - s * x[2 * k + 1];
    y[2 * k + 1] = c * x[2 * k + 1] + s * x[2 * k];
  }
}

static void test_complex(void **state) {
  double re[3], im[3], Z[3 * 2 * N];
  int found;
  const fly_general_matrix A = {.n = N, .rank = N, .is_complex = true, .apply = turn};
  assert_int_equal(fly_arpack_general(&A, 3, re, im, Z, &found, NULL), FLY_OK);
  assert_int_equal(found, 3);
  for (int j = 0; j < 3; j++) {
    int k = (int)lround(1 / hypot(re[j], im[j])) - 1;
    assert_true(k >= 0 && k < 3);
    assert_near(re[j], cos(0.1 * k) / (1 + k), 1e-12);
    assert_near(im[j], sin(0.1 * k) / (1 + k), 1e-12);
    assert_near(hypot(Z[2 * N * j + 2 * k], Z[2 * N * j + 2 * k + 1]), 1, 1e-10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_below),
      cmocka_unit_test(test_general),
      cmocka_unit_test(test_complex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
