// The complex direct solver: products against solutions, and against the real matrix of twice the size; singular
// matrices; pivots that go bad; memory.
// labels: valgrind
#include "base/allocations.h"
#include "matrices.h"

#include <string.h>

enum { MOST = 64, ENTRIES = MOST * MOST };

static fly_complex_lu *create(const fly_csc *a) {
  fly_complex_lu *lu;
  assert_int_equal(fly_complex_lu_create(&lu, a, NULL), FLY_OK);
  return lu;
}

static double complex random_complex(uint64_t *seed) {
  double real = random_double(seed);
  return fly_complex(real, random_double(seed));
}

static void fill(double complex *val, const fly_csc *a, uint64_t *seed) {
  for (int k = 0; k < fly_csc_nnz(a); k++)
    val[k] = random_complex(seed);
}

// (A + i C) (x + i y) = b + i d by dense elimination of the real matrix | A -C; C A |.
static void solve_as_real(double complex *x, const fly_csc *a, const double complex *val, const double complex *b) {
  int n = a->cols;
  double *m = calloc((size_t)(4 * n * n), sizeof *m), right[2 * MOST] = {0}, left[2 * MOST] = {0};
  for (int j = 0; j < n; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++) {
      int i = a->row[k];
      m[i * 2 * n + j] = m[(n + i) * 2 * n + n + j] = creal(val[k]);
      m[(n + i) * 2 * n + j] = cimag(val[k]);
      m[i * 2 * n + n + j] = -cimag(val[k]);
    }
  for (int i = 0; i < n; i++) {
    right[i] = creal(b[i]);
    right[n + i] = cimag(b[i]);
  }
  fly_csc twice = from_dense(2 * n, 2 * n, m, false);
  assert_true(dense_solve(left, &twice, right));
  for (int i = 0; i < n; i++)
    x[i] = fly_complex(left[i], left[n + i]);
  fly_csc_free(&twice);
  free(m);
}

static void check_solution(fly_complex_lu *lu, const fly_csc *a, const double complex *val, double tolerance,
                           uint64_t *seed) {
  int n = a->cols;
  double complex b[MOST] = {0}, x[MOST] = {0};
  double largest = 0;
  for (int i = 0; i < n; i++)
    b[i] = random_complex(seed);
  solve_as_real(x, a, val, b);
  fly_complex_lu_solve(lu, b);
  for (int i = 0; i < n; i++)
    largest = fmax(largest, cabs(x[i]));
  for (int i = 0; i < n; i++)
    assert_near(cabs(b[i] - x[i]) / largest, 0, tolerance);
}

static void random_systems_are_solved(void **state) {
  (void)state;
  uint64_t seed = 1;
  double complex val[ENTRIES];
  for (int n = 1; n <= 50; n += n < 8 ? 1 : 14)
    for (int repeat = 0; repeat < 5; repeat++) {
      fly_csc a = random_matrix(n, n, 1 + random_int(&seed, 6), &seed);
      fly_complex_lu *lu = create(&a);
      for (int again = 0; again < 3; again++) {
        fill(val, &a, &seed);
        assert_int_equal(fly_complex_lu_factor(lu, val), FLY_OK);
        check_solution(lu, &a, val, 1e-7, &seed);
      }
      fly_complex_lu_free(lu);
      fly_csc_free(&a);
    }
}

static void kept_pivots_are_counted(void **state) {
  (void)state;
  uint64_t seed = 2;
  double complex val[ENTRIES];
  fly_csc a = random_matrix(30, 30, 3, &seed);
  fly_complex_lu *lu = create(&a);
  fill(val, &a, &seed);
  assert_int_equal(fly_complex_lu_factor(lu, val), FLY_OK);
  allocations_reset(0);
  for (int step = 0; step < 9; step++) {
    for (int k = 0; k < fly_csc_nnz(&a); k++)
      val[k] *= 1 + 0.01 * random_double(&seed);
    double complex b[30] = {1, 2};
    assert_int_equal(fly_complex_lu_factor(lu, val), FLY_OK);
    fly_complex_lu_solve(lu, b);
  }
  assert_int_equal(the_allocations.count, 0);
  check_solution(lu, &a, val, 1e-10, &seed);
  fly_lu_counts counts = fly_complex_lu_count(lu);
  assert_int_equal(counts.factorizations, 1);
  assert_int_equal(counts.refactorizations, 9);
  assert_int_equal(counts.solves, 10);
  assert_true(fly_complex_lu_entries(lu) >= 60);
  fly_complex_lu_forget(lu);
  assert_int_equal(fly_complex_lu_factor(lu, val), FLY_OK);
  assert_int_equal(fly_complex_lu_count(lu).factorizations, 2);
  fly_complex_lu_free(lu);
  fly_csc_free(&a);
}

// The first matrix wants its diagonal as pivots; in the second it is tiny, or entries would grow.
static void bad_pivots_are_replaced(void **state) {
  (void)state;
  uint64_t seed = 3;
  enum { n = 10 };
  double complex val[n * n];
  fly_csc a;
  assert_int_equal(fly_csc_create(&a, n, n, NULL, NULL, NULL), FLY_OK);
  fly_complex_lu *lu = create(&a);
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < n * n; k++)
      val[k] = random_complex(&seed) + (k / n == k % n ? 10 : 0);
    assert_int_equal(fly_complex_lu_factor(lu, val), FLY_OK);
    for (int k = 0; k < n * n; k++)
      val[k] = k / n == k % n ? fly_complex(0, 1e-14)
                              : random_complex(&seed) + (k / n == (k % n + 1) % n ? fly_complex(0, 10) : 0);
    assert_int_equal(fly_complex_lu_factor(lu, val), FLY_OK);
    check_solution(lu, &a, val, round == 0 ? 1e-12 : 1e-9, &seed);
  }
  assert_int_equal(fly_complex_lu_count(lu).factorizations, 2); // the second pivots serve both
  fly_complex_lu_free(lu);
  fly_csc_free(&a);
}

// The pivots of the first matrix make entries of the second grow 1e10 times, though none becomes suspiciously small.
static void growth_is_noticed(void **state) {
  (void)state;
  uint64_t seed = 7;
  double complex first[] = {4, 1, 1, 1, 4, 1, 1, 1, 4}; // column by column
  double complex second[] = {1e-10, 1, 1, 0, 1e-10, 1e-10, 1, 1e-10, 2};
  fly_csc a;
  assert_int_equal(fly_csc_create(&a, 3, 3, NULL, NULL, NULL), FLY_OK);
  fly_complex_lu *lu = create(&a);
  assert_int_equal(fly_complex_lu_factor(lu, first), FLY_OK);
  assert_int_equal(fly_complex_lu_factor(lu, second), FLY_OK);
  assert_int_equal(fly_complex_lu_count(lu).factorizations, 2);
  check_solution(lu, &a, second, 1e-14, &seed);
  fly_complex_lu_free(lu);
  fly_csc_free(&a);
}

static void singular_then_regular(void **state) {
  (void)state;
  uint64_t seed = 4;
  const double complex i = fly_complex(0, 1);
  const double complex equal[] = {1, i, 2, 2 * i, -2, 4 * i, 3, 1, 5}; // a column is 2i times another
  const double complex rounded[] = {0.1, 0.4, 0.5, 0.2 * i, 0.5, 0.2 * i + 0.5, 0.3, 0.7, 0.3 + 0.7}; // rows add up
  const double complex zero[9] = {0};
  double complex nan[9] = {[0] = 1, [4] = 1, [8] = (double)NAN}, regular[9];
  const double complex *bad[] = {equal, rounded, zero, nan};
  fly_csc a;
  assert_int_equal(fly_csc_create(&a, 3, 3, NULL, NULL, NULL), FLY_OK);
  fly_complex_lu *lu = create(&a);
  for (int k = 0; k < 8; k++) { // before and after pivots exist
    double complex val[9];
    memcpy(val, bad[k % 4], sizeof val);
    assert_int_equal(fly_complex_lu_factor(lu, val), FLY_SINGULAR);
    for (int j = 0; j < 9; j++)
      regular[j] = random_complex(&seed) + (j % 4 == 0 ? 3 : 0);
    assert_int_equal(fly_complex_lu_factor(lu, regular), FLY_OK);
    check_solution(lu, &a, regular, 1e-13, &seed);
  }
  fly_complex_lu_free(lu);
  fly_csc_free(&a);
}

static void odd_shapes(void **state) {
  (void)state;
  fly_complex_lu *lu;
  fly_error error = {0};
  fly_csc a;
  assert_int_equal(fly_csc_create(&a, 2, 3, NULL, NULL, NULL), FLY_OK);
  assert_int_equal(fly_complex_lu_create(&lu, &a, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "2 x 3"));
  fly_csc_free(&a);
  assert_int_equal(fly_csc_create(&a, 0, 0, NULL, NULL, NULL), FLY_OK);
  lu = create(&a);
  assert_int_equal(fly_complex_lu_factor(lu, NULL), FLY_OK);
  fly_complex_lu_solve(lu, NULL);
  fly_complex_lu_free(lu);
  fly_csc_free(&a);
  fly_complex_lu_free(NULL);
}

// It says so, and serves again when there is memory.
static void every_allocation_may_fail(void **state) {
  (void)state;
  uint64_t seed = 5;
  double complex val[ENTRIES];
  fly_csc a = random_matrix(40, 40, 3, &seed);
  fill(val, &a, &seed);
  bool more = true;
  for (long n = 1; more; n++) {
    fly_complex_lu *lu;
    allocations_reset(n);
    fly_status status = fly_complex_lu_create(&lu, &a, NULL);
    if (status == FLY_OK)
      status = fly_complex_lu_factor(lu, val);
    more = the_allocations.count >= n;
    allocations_reset(0);
    assert_true(status == FLY_OK || (more && status == FLY_NO_MEMORY));
    if (lu != NULL) {
      assert_int_equal(fly_complex_lu_factor(lu, val), FLY_OK);
      check_solution(lu, &a, val, 1e-7, &seed);
    }
    fly_complex_lu_free(lu);
  }
  fly_csc_free(&a);
}

static int hook_klu(void **state) {
  (void)state;
  return allocations_hook_klu() ? 0 : -1;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_systems_are_solved), cmocka_unit_test(kept_pivots_are_counted),
      cmocka_unit_test(bad_pivots_are_replaced),   cmocka_unit_test(growth_is_noticed),
      cmocka_unit_test(singular_then_regular),     cmocka_unit_test(odd_shapes),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, hook_klu, NULL);
}
