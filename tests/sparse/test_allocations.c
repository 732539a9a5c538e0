// No allocation where none is promised, and every allocation may fail, those inside KLU included.
// labels: valgrind
#include "base/allocations.h"
#include "matrices.h"

static int hook_klu(void **state) {
  (void)state;
  return allocations_hook_klu() ? 0 : -1;
}

static void solving_allocates_nothing(void **state) {
  (void)state;
  uint64_t seed = 1;
  enum { n = 50 };
  fly_csc a = random_matrix(n, n, 3, &seed);
  fly_lu *lu;
  double b[n] = {1};
  allocations_reset(0);
  assert_int_equal(fly_lu_create(&lu, &a, NULL), FLY_OK);
  long for_create = the_allocations.count;
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  assert_true(for_create > 0 && the_allocations.count > for_create); // else they are not counted at all
  allocations_reset(0);
  for (int step = 0; step < 20; step++) {
    for (int k = 0; k < fly_csc_nnz(&a); k++)
      a.val[k] *= 1 + 0.01 * random_double(&seed);
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    fly_lu_solve(lu, b);
  }
  assert_int_equal(the_allocations.count, 0);
  assert_int_equal(fly_lu_count(lu).refactorizations, 20);
  fly_lu_free(lu);
  fly_csc_free(&a);
}

// ---------------------------------------------------------------------------------- failures

// One pass through everything that allocates; stops at the first failure, having given everything back.
typedef fly_status exercise(fly_error *error);

static fly_status exercise_csc(fly_error *error) {
  const int row[] = {2, 0, 1, 2}, col[] = {1, 0, 2, 1}, start[] = {0, 1, 2}, rows[] = {1, 0};
  fly_csc entries, pattern = {0}, dense = {0};
  fly_status status = fly_csc_from_entries(&entries, 3, 3, 4, row, col, NULL, error);
  if (status == FLY_OK)
    status = fly_csc_create(&pattern, 2, 2, start, rows, error);
  if (status == FLY_OK)
    status = fly_csc_create(&dense, 3, 2, NULL, NULL, error);
  fly_csc_free(&entries);
  fly_csc_free(&pattern);
  fly_csc_free(&dense);
  return status;
}

static fly_csc sample; // made outside: its allocations are not at stake

// |A x - b| of a solution with the factors in lu
static double residual(fly_lu *lu) {
  enum { n = 120 };
  double b[n], x[n], largest = 0;
  for (int i = 0; i < n; i++)
    b[i] = x[i] = 1 + i % 7;
  fly_lu_solve(lu, x);
  fly_csc_multiply_add(b, &sample, -1, x);
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(b[i]));
  return largest;
}

static fly_status exercise_lu(fly_error *error) {
  fly_lu *lu;
  fly_status status = fly_lu_create(&lu, &sample, error);
  if (lu == NULL)
    return status;
  if (fly_lu_factor(lu, &sample) == FLY_NO_MEMORY) { // it says so, and serves again when there is memory
    status = error->status = FLY_NO_MEMORY;
    assert_int_equal(fly_lu_factor(lu, &sample), FLY_OK);
  }
  assert_near(residual(lu), 0, 1e-10);
  fly_lu_free(lu);
  return status;
}

// Large, with pivots on the diagonal, and where those are zero with others.
static fly_csc large_sample;

static fly_status exercise_own_pivots(fly_lu_groups groups, fly_error *error) {
  fly_lu *lu;
  fly_status status = fly_lu_create_symmetric(&lu, &large_sample, groups, NULL, error);
  for (int k = 0; lu && k < 2; k++) {
    for (int j = 0; j < large_sample.cols; j++)
      large_sample.val[large_sample.start[j] + (j % 2 == 0 ? 0 : 1)] = k == 0 ? 5 : 0; // the diagonal
    if (fly_lu_factor(lu, &large_sample) == FLY_NO_MEMORY) {
      status = error->status = FLY_NO_MEMORY;
      assert_int_equal(fly_lu_factor(lu, &large_sample), FLY_OK);
    }
    assert_true(fly_lu_ready(lu));
  }
  fly_lu_free(lu);
  return status;
}

static fly_status exercise_diagonal(fly_error *error) { return exercise_own_pivots((fly_lu_groups){0}, error); }

static int pair_of[900];

static fly_status exercise_clusters(fly_error *error) {
  for (int j = 0; j < 900; j++)
    pair_of[j] = j / 2;
  return exercise_own_pivots((fly_lu_groups){pair_of, true, NULL}, error);
}

// Of one kind: they stand as in the pattern, which is one of blocks on the diagonal.
static fly_status exercise_kinds(fly_error *error) {
  static const unsigned char kind[1800];
  return exercise_own_pivots((fly_lu_groups){pair_of, true, kind}, error);
}

// Pairs of unknowns that feel each other.
static void make_large_sample(void) {
  enum { n = 900 };
  int start[n + 1] = {0}, row[2 * n];
  for (int j = 0; j < n; j++) {
    row[2 * j] = j - j % 2;
    row[2 * j + 1] = j - j % 2 + 1;
    start[j + 1] = 2 * j + 2;
  }
  assert_int_equal(fly_csc_create(&large_sample, n, n, start, row, NULL), FLY_OK);
  for (int k = 0; k < 2 * n; k++)
    large_sample.val[k] = 1;
}

static fly_status exercise_rank(fly_error *error) {
  fly_rank r;
  fly_status status = fly_rank_find(&r, &sample, 1e-10, error);
  fly_rank_free(&r);
  return status;
}

static fly_status exercise_condition(fly_error *error) {
  double value;
  return fly_csc_condition(&sample, true, &value, error);
}

// Makes the first, the second, ... allocation fail, until none is left. Leaks are for valgrind and sanitizers to see.
// pardon: KLU may go on where it fails to give back what it has too much.
static void fail_each(exercise *run, bool pardon) {
  for (long fail_at = 1;; fail_at++) {
    fly_error error = {.status = FLY_OK};
    allocations_reset(fail_at);
    fly_status status = run(&error);
    long count = the_allocations.count;
    allocations_reset(0);
    if (count < fail_at) {
      assert_true(fail_at > 1); // at least one was counted
      assert_int_equal(status, FLY_OK);
      return;
    }
    if (pardon && status == FLY_OK)
      continue;
    assert_int_equal(status, FLY_NO_MEMORY);
    assert_int_equal(error.status, FLY_NO_MEMORY);
  }
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  uint64_t seed = 2;
  sample = random_matrix(120, 120, 5, &seed);
  fail_each(exercise_csc, false);
  fail_each(exercise_lu, true);
  make_large_sample();
  fail_each(exercise_diagonal, true);
  fail_each(exercise_clusters, true);
  fail_each(exercise_kinds, true);
  fly_csc_free(&large_sample);
  fail_each(exercise_condition, false);
  for (int j = 0; j < 120; j++) // some dependent rows too: all but every third row are zero
    for (int k = sample.start[j]; k < sample.start[j + 1]; k++)
      sample.val[k] = sample.row[k] % 3 == 0 || j < 10 ? sample.val[k] : 0;
  fail_each(exercise_rank, false);
  fly_csc_free(&sample);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solving_allocates_nothing),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, hook_klu, NULL);
}
