// Matrices of bushings at random: those that drive a displacement on are told of, others are not.
#include <stdio.h>
#include <string.h>

#include "flyball/model.h"
#include "support/motion.h"

static double random_number(uint64_t *seed) { // in -1 ... 1
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*seed >> 11) / (double)(1LL << 52) - 1;
}

// The sum of s u u^T over `rank` random directions, rows and columns in units that differ by `units`.
static void make(double A[36], int rank, double last, double units, uint64_t *seed) {
  memset(A, 0, 36 * sizeof *A);
  for (int k = 0; k < rank; k++) {
    double u[6];
    for (int i = 0; i < 6; i++)
      u[i] = random_number(seed) * (i < 3 ? 1 : units);
    for (int i = 0; i < 36; i++)
      A[i] += (k + 1 < rank ? 1 : last) * u[i / 6] * u[i % 6];
  }
}

static bool is_told(const double A[36]) {
  static char text[4000];
  fly_error error = {0};
  fly_mechanism *m = NULL;
  int used = snprintf(text, sizeof text,
                      "flyball: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
                      "forces:\n  mount: {type: bushing, from: ground, to: b, stiffness_matrix: [");
  for (int i = 0; i < 36; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, i ? ", %.17g" : "%.17g", A[i]);
  snprintf(text + used, sizeof text - (size_t)used, "]}\n");
  assert_ok(fly_mechanism_parse(&m, "test", text, strlen(text), 0, NULL, &error), &error);
  const bool told = strstr(fly_mechanism_warnings(m), "not positive semidefinite") != NULL;
  fly_mechanism_free(m);
  return told;
}

static void random_matrices(void **state) {
  uint64_t seed = 7;
  for (int k = 0; k < 300; k++) {
    double A[36];
    const double units = k % 3 == 0 ? 1 : k % 3 == 1 ? 1e-3 : 1e3;
    make(A, 1 + k % 6, 1, units, &seed);
    assert_false(is_told(A));
    make(A, 2 + k % 5, -1, units, &seed);
    assert_true(is_told(A));
  }
}

// A small one after large ones: seen only if what eliminates it is the largest that is left.
static void order_of_pivots(void **state) {
  double A[36] = {0};
  for (int i = 0; i < 6; i++)
    A[7 * i] = 1;
  A[1] = A[6] = 1 + 1e-6; // [1 1+; 1+ 1]: a negative value of -1e-6
  assert_true(is_told(A));
  A[1] = A[6] = 1;
  assert_false(is_told(A));
  memset(A, 0, sizeof A);
  A[7] = 1;
  A[2] = A[12] = 0.5; // nothing on its diagonal, but beside it
  assert_true(is_told(A));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_matrices), cmocka_unit_test(order_of_pivots)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
