// Rank: planted dependent rows with their factors, tolerances, and chains of 1e5 rows.
// labels: valgrind
#include "base/allocations.h"
#include "matrices.h"

#include <string.h>

static fly_rank find(const fly_csc *a, double tolerance) {
  fly_rank r;
  assert_int_equal(fly_rank_find(&r, a, tolerance, NULL), FLY_OK);
  assert_int_equal(r.rank + r.ndependent, a->rows);
  return r;
}

static bool is_dependent(const fly_rank *r, int row) {
  for (int d = 0; d < r->ndependent; d++)
    if (r->dependent[d] == row)
      return true;
  return false;
}

// Each dependent row equals its combination; its supports come before it, ascend, and are independent.
static void check_combinations(const fly_rank *r, const fly_csc *a, double tolerance) {
  for (int d = 0; d < r->ndependent; d++) {
    int row = r->dependent[d];
    for (int s = r->support_start[d]; s < r->support_start[d + 1]; s++) {
      assert_in_range(r->support[s], 0, row - 1);
      assert_true(s == r->support_start[d] || r->support[s] > r->support[s - 1]);
      assert_false(is_dependent(r, r->support[s]));
    }
    for (int j = 0; j < a->cols; j++) {
      double sum = 0;
      for (int s = r->support_start[d]; s < r->support_start[d + 1]; s++)
        sum += r->coefficient[s] * entry(a, r->support[s], j);
      assert_near(sum, entry(a, row, j), tolerance);
    }
  }
}

// ---------------------------------------------------------------------------------- planted rows

enum { planted_rows = 40, planted_cols = 60, planted_terms = 3 };

typedef struct plan {
  bool dependent[planted_rows];
  int support[planted_rows][planted_terms];
  double coefficient[planted_rows][planted_terms];
} plan;

static int independent_before(const plan *p, int row, uint64_t *seed) {
  int k;
  do
    k = random_int(seed, row);
  while (p->dependent[k]);
  return k;
}

// Every fourth row or so, from the tenth on, becomes a combination of three earlier independent ones.
static void plant(plan *p, double x[planted_rows][planted_cols], uint64_t *seed) {
  memset(p, 0, sizeof *p);
  memset(x, 0, planted_rows * sizeof x[0]);
  for (int i = 0; i < planted_rows; i++) {
    p->dependent[i] = i >= 10 && random_int(seed, 4) == 0;
    for (int term = 0; term < planted_terms && p->dependent[i]; term++) {
      int k = p->support[i][term] = independent_before(p, i, seed);
      double c = p->coefficient[i][term] = random_double(seed) + 2;
      for (int j = 0; j < planted_cols; j++)
        x[i][j] += c * x[k][j];
    }
    for (int n = 0; n < 5 && !p->dependent[i]; n++)
      x[i][random_int(seed, planted_cols)] = random_double(seed);
    if (!p->dependent[i])
      x[i][i] = 1; // independent of the others, but for bad luck
  }
}

static double planted_coefficient(const plan *p, int row, int support) {
  double sum = 0; // a support may be drawn twice
  for (int term = 0; term < planted_terms; term++)
    if (p->support[row][term] == support)
      sum += p->coefficient[row][term];
  return sum;
}

static void planted_rows_are_found(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int repeat = 0; repeat < 50; repeat++) {
    plan p;
    double x[planted_rows][planted_cols];
    plant(&p, x, &seed);
    fly_csc a = from_dense(planted_rows, planted_cols, x[0], false);
    fly_rank r = find(&a, 1e-9);
    check_combinations(&r, &a, 1e-11);
    for (int i = 0; i < planted_rows; i++)
      assert_int_equal(is_dependent(&r, i), p.dependent[i]);
    for (int d = 0; d < r.ndependent; d++)
      for (int s = r.support_start[d]; s < r.support_start[d + 1]; s++) { // independent supports: factors are unique
        double planted = planted_coefficient(&p, r.dependent[d], r.support[s]);
        assert_near(r.coefficient[s], planted, 1e-11);
        assert_true(planted != 0); // and no others are reported
      }
    fly_rank_free(&r);
    assert_null(r.dependent);
    fly_csc_free(&a);
  }
}

static void small_cases_by_hand(void **state) {
  (void)state;
  const double x[] = {
      1, 0, 2, // independent
      0, 0, 0, // zero: the empty combination
      2, 0, 4, // 2 row 0
      0, 3, 0, // independent
      1, 3, 2, // row 0 + row 3
  };
  fly_csc a = from_dense(5, 3, x, true);
  fly_rank r = find(&a, 1e-12);
  const int dependent[] = {1, 2, 4}, start[] = {0, 0, 1, 3}, support[] = {0, 0, 3};
  const double coefficient[] = {2, 1, 1};
  assert_int_equal(r.rank, 2);
  assert_int_equal(r.ndependent, 3);
  assert_memory_equal(r.dependent, dependent, sizeof dependent);
  assert_memory_equal(r.support_start, start, sizeof start);
  assert_memory_equal(r.support, support, sizeof support);
  assert_memory_equal(r.coefficient, coefficient, sizeof coefficient);
  fly_rank_free(&r);
  fly_csc_free(&a);
}

static void more_rows_than_columns(void **state) {
  (void)state;
  uint64_t seed = 2;
  fly_csc a = random_matrix(30, 7, 6, &seed);
  fly_rank r = find(&a, 1e-10);
  assert_int_equal(r.rank, 7);
  check_combinations(&r, &a, 1e-10);
  fly_rank_free(&r);
  fly_csc_free(&a);
}

static void empty_matrices_have_rank_zero(void **state) {
  (void)state;
  const int shape[][2] = {{0, 0}, {0, 5}, {5, 0}};
  for (int n = 0; n < 3; n++) {
    fly_csc a;
    assert_int_equal(fly_csc_create(&a, shape[n][0], shape[n][1], NULL, NULL, NULL), FLY_OK);
    fly_rank r = find(&a, 1e-10);
    assert_int_equal(r.rank, 0);
    assert_int_equal(r.ndependent, shape[n][0]);
    fly_rank_free(&r);
    fly_csc_free(&a);
  }
}

// ---------------------------------------------------------------------------------- tolerance

static int rank_of_nearly_equal_rows(double difference, double scale, double tolerance) {
  const double x[] = {1, 2, 3, scale * 1, scale * 2, scale * (3 + difference)};
  fly_csc a = from_dense(2, 3, x, true);
  fly_rank r = find(&a, tolerance);
  int rank = r.rank;
  fly_rank_free(&r);
  fly_csc_free(&a);
  return rank;
}

static void the_tolerance_is_relative_to_the_row(void **state) {
  (void)state;
  const double scales[] = {1, 1e-12, 1e12};
  for (int n = 0; n < 3; n++) {
    assert_int_equal(rank_of_nearly_equal_rows(1e-6, scales[n], 1e-8), 2);
    assert_int_equal(rank_of_nearly_equal_rows(1e-10, scales[n], 1e-8), 1);
    assert_int_equal(rank_of_nearly_equal_rows(1e-10, scales[n], 1e-12), 2);
    assert_int_equal(rank_of_nearly_equal_rows(0, scales[n], 1e-12), 1);
  }
}

static void bad_input_is_refused(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 4};
  fly_csc a = from_dense(2, 2, x, true);
  fly_rank r;
  fly_error error;
  assert_int_equal(fly_rank_find(&r, &a, -1, &error), FLY_BAD_INPUT);
  assert_int_equal(fly_rank_find(&r, &a, (double)NAN, &error), FLY_BAD_INPUT);
  a.val[2] = (double)NAN;
  assert_int_equal(fly_rank_find(&r, &a, 1e-10, &error), FLY_NOT_FINITE);
  assert_string_equal(error.message, "Row 0, column 1 of the matrix is nan.");
  fly_rank_free(&r);
  fly_csc_free(&a);
}

// ---------------------------------------------------------------------------------- chains

// Pin joints of n planar bodies (x, y, angle), each to the one before, the first to the ground; rows in the order of
// joints, or shuffled. close: one more joint from the last body to the ground.
static fly_csc pin_chain(int n, bool shuffled, bool close, uint64_t *seed) {
  int joints = n + close, room = 8 * joints, count = 0, *order = calloc((size_t)joints, sizeof *order);
  int *row = calloc((size_t)room, sizeof *row), *col = calloc((size_t)room, sizeof *col);
  for (int b = 0; b < joints; b++) {
    int other = shuffled ? random_int(seed, b + 1) : b;
    order[b] = order[other];
    order[other] = b;
  }
  for (int b = 0; b < joints; b++)
    for (int k = 0; k < 8; k++) { // two rows; x or y and the angle; of body b and of the one before
      int body = k & 4 ? b - 1 : b, axis = k & 1;
      if (body < 0 || body >= n)
        continue;
      row[count] = 2 * order[b] + axis;
      col[count++] = 3 * body + (k & 2 ? 2 : axis);
    }
  fly_csc a;
  assert_int_equal(fly_csc_from_entries(&a, 2 * joints, 3 * n, count, row, col, NULL, NULL), FLY_OK);
  for (int j = 0; j < a.cols; j++)
    for (int k = a.start[j]; k < a.start[j + 1]; k++)
      a.val[k] = j % 3 == 2 ? random_double(seed) : 1;
  free(order);
  free(row);
  free(col);
  return a;
}

static size_t bytes_for_chain(int n, bool shuffled, bool close) {
  uint64_t seed = 3;
  fly_csc a = pin_chain(n, shuffled, close, &seed);
  allocations_reset(0);
  fly_rank r = find(&a, 1e-10);
  size_t bytes = the_allocations.bytes;
  assert_true(bytes > 0); // else the program was not linked as allocations.h says
  assert_int_equal(r.ndependent, 0);
  fly_rank_free(&r);
  fly_csc_free(&a);
  return bytes;
}

// Work is proportional to the entries made, and those to the memory asked for: that can be measured without a clock.
static void long_chains_are_linear(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    size_t small = bytes_for_chain(5000, kind & 1, kind & 2), large = bytes_for_chain(50000, kind & 1, kind & 2);
    assert_true(large < 15 * small);
  }
}

// x_1 = x_0, x_2 = x_1, ... and last x_n = x_0, which is the sum of all before.
static void a_long_ring_has_one_dependent_row(void **state) {
  (void)state;
  enum { n = 100000 };
  int *row = calloc(2 * n, sizeof *row), *col = calloc(2 * n, sizeof *col), *place = calloc(2 * n, sizeof *place);
  for (int i = 0; i < n; i++) {
    row[2 * i] = row[2 * i + 1] = i;
    col[2 * i] = i < n - 1 ? i + 1 : n - 1;
    col[2 * i + 1] = i < n - 1 ? i : 0;
  }
  fly_csc a;
  assert_int_equal(fly_csc_from_entries(&a, n, n, 2 * n, row, col, place, NULL), FLY_OK);
  for (int k = 0; k < 2 * n; k++)
    a.val[place[k]] = k % 2 == 0 ? 1 : -1;
  fly_rank r = find(&a, 1e-10);
  assert_int_equal(r.ndependent, 1);
  assert_int_equal(r.dependent[0], n - 1);
  assert_int_equal(r.support_start[1], n - 1);
  for (int i = 0; i < n - 1; i++) {
    assert_int_equal(r.support[i], i);
    assert_true(r.coefficient[i] == 1);
  }
  fly_rank_free(&r);
  fly_csc_free(&a);
  free(row);
  free(col);
  free(place);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_rows_are_found),
      cmocka_unit_test(small_cases_by_hand),
      cmocka_unit_test(more_rows_than_columns),
      cmocka_unit_test(empty_matrices_have_rank_zero),
      cmocka_unit_test(the_tolerance_is_relative_to_the_row),
      cmocka_unit_test(bad_input_is_refused),
      cmocka_unit_test(long_chains_are_linear),
      cmocka_unit_test(a_long_ring_has_one_dependent_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
