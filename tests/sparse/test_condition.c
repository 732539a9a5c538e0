// Condition numbers with known values.
// labels: valgrind blas
#include "matrices.h"

static double condition(int rows, int cols, const double *x, bool equilibrate) {
  fly_csc a = from_dense(rows, cols, x, false);
  double value;
  assert_int_equal(fly_csc_condition(&a, equilibrate, &value, NULL), FLY_OK);
  fly_csc_free(&a);
  return value;
}

static void known_condition_numbers(void **state) {
  (void)state;
  const double diagonal[] = {1, 0, 0, 1e-6}, turn[] = {0.6, -0.8, 0.8, 0.6}, shear[] = {1, 1, 0, 1};
  assert_near(condition(2, 2, diagonal, false), 1e6, 1e-8);
  assert_near(condition(2, 2, turn, false), 1, 1e-15);
  assert_near(condition(2, 2, shear, false), (3 + sqrt(5)) / 2, 1e-14);
  double hilbert[25];
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      hilbert[5 * i + j] = 1.0 / (i + j + 1);
  assert_near(condition(5, 5, hilbert, false), 476607.2502422687, 1e-4); // as published
}

static void equilibration_removes_units(void **state) {
  (void)state;
  const double diagonal[] = {1e-20, 0, 0, 1e20}, units[] = {0.6e-5, -0.8e4, 0.8e3, 0.6e12};
  assert_near(condition(2, 2, diagonal, true), 1, 1e-15);
  // Rows: (0.75e-9, -1), (4/3e-9, 1). Columns: (0.5625, -1), (1, 1).
  const double by_hand[] = {0.5625, -1, 1, 1};
  assert_near(condition(2, 2, units, true), condition(2, 2, by_hand, false), 1e-12);
}

static void rectangles_have_one_too(void **state) {
  (void)state;
  const double wide[] = {3, 0, 0, 0, 4, 0}, tall[] = {3, 0, 0, 4, 0, 0};
  assert_near(condition(2, 3, wide, false), 4.0 / 3, 1e-15);
  assert_near(condition(3, 2, tall, false), 4.0 / 3, 1e-15);
}

static void singular_means_infinite(void **state) {
  (void)state;
  const double zero[] = {0, 0, 0, 1};
  assert_true(isinf(condition(2, 2, zero, false)));
  assert_true(isinf(condition(2, 2, zero, true)));
}

static void random_matrices_obey_their_inverse(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int n = 1; n < 30; n += 4) { // |A x| / |x| stays between the extreme singular values
    fly_csc a = random_matrix(n, n, 4, &seed);
    double value, least = HUGE_VAL, most = 0;
    assert_int_equal(fly_csc_condition(&a, false, &value, NULL), FLY_OK);
    for (int repeat = 0; repeat < 20; repeat++) {
      double x[30], y[30] = {0}, xx = 0, yy = 0;
      for (int i = 0; i < n; i++)
        x[i] = random_double(&seed);
      fly_csc_multiply_add(y, &a, 1, x);
      for (int i = 0; i < n; i++) {
        xx += x[i] * x[i];
        yy += y[i] * y[i];
      }
      least = fmin(least, sqrt(yy / xx));
      most = fmax(most, sqrt(yy / xx));
    }
    assert_true(value * (1 + 1e-12) >= most / least);
    fly_csc_free(&a);
  }
}

static void odd_input(void **state) {
  (void)state;
  const double x[] = {1, (double)NAN, 3, 4};
  fly_csc a = from_dense(2, 2, x, true);
  double value;
  fly_error error;
  assert_int_equal(fly_csc_condition(&a, false, &value, &error), FLY_NOT_FINITE);
  assert_string_equal(error.message, "Row 0, column 1 of the matrix is nan.");
  fly_csc_free(&a);
  assert_int_equal(fly_csc_create(&a, 0, 0, NULL, NULL, NULL), FLY_OK);
  assert_int_equal(fly_csc_condition(&a, true, &value, &error), FLY_OK);
  assert_true(value == 1);
  fly_csc_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_condition_numbers),
      cmocka_unit_test(equilibration_removes_units),
      cmocka_unit_test(rectangles_have_one_too),
      cmocka_unit_test(singular_means_infinite),
      cmocka_unit_test(random_matrices_obey_their_inverse),
      cmocka_unit_test(odd_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
