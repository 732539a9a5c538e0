// Small symmetric pairs: residual, orthogonality, order; a matrix that is not positive definite is refused.
//
// labels: valgrind
#include "base/check.h"
#include "math/eigen.h"

#include <stdint.h>
#include <string.h>

static double draw(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static void random_pairs(void **state) {
  uint64_t seed = 11;
  (void)state;
  for (int n = 1; n <= FLY_EIGEN_MOST; n++) {
    double A[256] = {0}, K[256] = {0}, M[256] = {0}, K0[256], M0[256], X[256], lambda[16];
    for (int i = 0; i < n * n; i++)
      A[i] = draw(&seed);
    for (int i = 0; i < n * n; i++) {
      K[i] = A[i] + A[n * (i % n) + i / n];
      M[i] = i / n == i % n ? 0.1 : 0;
      for (int k = 0; k < n; k++)
        M[i] += A[n * (i / n) + k] * A[n * (i % n) + k];
    }
    memcpy(K0, K, sizeof K);
    memcpy(M0, M, sizeof M);
    assert_true(fly_eigen_pair(n, K, M, X, lambda));
    for (int j = 0; j < n; j++) {
      assert_true(j == 0 || lambda[j] >= lambda[j - 1]);
      for (int k = 0; k < n; k++) {
        double stiff = 0, mass = 0;
        for (int i = 0; i < n * n; i++) {
          stiff += X[n * (i / n) + k] * K0[i] * X[n * (i % n) + j];
          mass += X[n * (i / n) + k] * M0[i] * X[n * (i % n) + j];
        }
        assert_near(mass, j == k, 1e-11);
        assert_near(stiff, j == k ? lambda[j] : 0, 1e-10);
      }
    }
  }
}

static void not_definite(void **state) {
  double K[4] = {1, 0, 0, 1}, M[4] = {1, 2, 2, 1}, X[4], lambda[2];
  (void)state;
  assert_false(fly_eigen_pair(2, K, M, X, lambda));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_pairs),
      cmocka_unit_test(not_definite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
