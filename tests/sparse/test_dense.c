// Dense problems by LAPACK: what they promise, on random matrices.
// labels: valgrind blas
#include "base/check.h"

#include <string.h>

#include "sparse/dense.h"

enum { N = 7 };

static void random_matrix(double *A, int n, uint64_t *seed) {
  for (int k = 0; k < n; k++)
    A[k] = random_double(seed);
}

static void test_null_space(void **state) {
  uint64_t seed = 3;
  double A[3 * N], kept[3 * N], Z[N * (N - 3)];
  random_matrix(A, 3 * N, &seed);
  memcpy(kept, A, sizeof A);
  assert_int_equal(fly_dense_null_space(Z, A, 3, N, NULL), FLY_OK);
  for (int c = 0; c < N - 3; c++) {
    for (int r = 0; r < 3; r++) {
      double sum = 0;
      for (int k = 0; k < N; k++)
        sum += kept[3 * k + r] * Z[N * c + k];
      assert_near(sum, 0, 1e-14);
    }
    for (int d = 0; d < N - 3; d++) {
      double sum = 0;
      for (int k = 0; k < N; k++)
        sum += Z[N * c + k] * Z[N * d + k];
      assert_near(sum, c == d, 1e-14);
    }
  }
  assert_int_equal(fly_dense_null_space(Z, A, 0, 4, NULL), FLY_OK); // nothing is held: the unit vectors
  for (int k = 0; k < 16; k++)
    assert_near(Z[k], k % 5 == 0, 0);
}

static void test_orthonormalize(void **state) {
  uint64_t seed = 4;
  double Z[N * 3], before[N * 3];
  random_matrix(Z, N * 3, &seed);
  memcpy(before, Z, sizeof Z);
  assert_int_equal(fly_dense_orthonormalize(Z, N, 3, NULL), FLY_OK);
  for (int c = 0; c < 3; c++) {
    double rest[N];
    memcpy(rest, before + N * c, sizeof rest);
    for (int d = 0; d < 3; d++) {
      double sum = 0, along = 0;
      for (int k = 0; k < N; k++) {
        sum += Z[N * c + k] * Z[N * d + k];
        along += before[N * c + k] * Z[N * d + k];
      }
      assert_near(sum, c == d, 1e-14);
      for (int k = 0; k < N; k++)
        rest[k] -= along * Z[N * d + k];
    }
    for (int k = 0; k < N; k++)
      assert_near(rest[k], 0, 1e-14); // the same space
  }
}

static void test_solve(void **state) {
  uint64_t seed = 5;
  double A[N * N], kept[N * N], B[N * 2], X[N * 2], singular[4] = {1, 2, 2, 4}, b[2] = {1, 1};
  random_matrix(A, N * N, &seed);
  random_matrix(B, N * 2, &seed);
  memcpy(kept, A, sizeof A);
  memcpy(X, B, sizeof X);
  assert_int_equal(fly_dense_solve(A, X, N, 2, NULL), FLY_OK);
  fly_dense_multiply(B, 'N', 'N', N, 2, N, -1.0, kept, X, 1.0);
  for (int k = 0; k < N * 2; k++)
    assert_near(B[k], 0, 1e-13);
  assert_int_equal(fly_dense_solve(singular, b, 2, 1, NULL), FLY_SINGULAR);
}

static void test_symmetric(void **state) {
  uint64_t seed = 6;
  double A[N * N], K[N * N], M[N * N], mu[N], Z[N * N], mass[N * N];
  random_matrix(A, N * N, &seed);
  fly_dense_multiply(M, 'T', 'N', N, N, N, 1.0, A, A, 0.0); // positive
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      K[N * j + i] = K[N * i + j] = random_double(&seed);
  memcpy(Z, K, sizeof K);
  memcpy(mass, M, sizeof M);
  assert_int_equal(fly_dense_eigen_symmetric(mu, Z, mass, N, NULL), FLY_OK);
  for (int k = 0; k < N; k++) {
    double left[N], right[N], size = 0;
    assert_true(k == 0 || mu[k] >= mu[k - 1]);
    fly_dense_multiply(left, 'N', 'N', N, 1, N, 1.0, K, Z + N * k, 0.0);
    fly_dense_multiply(right, 'N', 'N', N, 1, N, 1.0, M, Z + N * k, 0.0);
    for (int i = 0; i < N; i++) {
      size += Z[N * k + i] * right[i];
      assert_near(left[i], mu[k] * right[i], 1e-11 * (1 + fabs(mu[k])));
    }
    assert_near(size, 1, 1e-11);
  }
  memset(mass, 0, sizeof mass);
  assert_int_equal(fly_dense_eigen_symmetric(mu, Z, mass, N, NULL), FLY_SINGULAR);
}

// A z = (re + i im) z, of pairs with z in two columns.
static void test_general(void **state) {
  uint64_t seed = 8;
  double A[N * N], kept[N * N], re[N], im[N], Z[N * N];
  random_matrix(A, N * N, &seed);
  memcpy(kept, A, sizeof A);
  assert_int_equal(fly_dense_eigen(re, im, Z, A, N, NULL), FLY_OK);
  int pairs = 0;
  for (int k = 0; k < N; k++) {
    double zero[N] = {0}, left[N], left_i[N];
    const double *zr = Z + N * k, *zi = im[k] > 0 ? Z + N * (k + 1) : zero;
    fly_dense_multiply(left, 'N', 'N', N, 1, N, 1.0, kept, zr, 0.0);
    fly_dense_multiply(left_i, 'N', 'N', N, 1, N, 1.0, kept, zi, 0.0);
    for (int i = 0; i < N; i++) {
      assert_near(left[i], re[k] * zr[i] - im[k] * zi[i], 1e-13);
      assert_near(left_i[i], re[k] * zi[i] + im[k] * zr[i], 1e-13);
    }
    if (im[k] > 0) {
      assert_near(im[k + 1], -im[k], 0);
      k++;
      pairs++;
    }
  }
  assert_true(pairs > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_null_space), cmocka_unit_test(test_orthonormalize), cmocka_unit_test(test_solve),
      cmocka_unit_test(test_symmetric),  cmocka_unit_test(test_general),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
