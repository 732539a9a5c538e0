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

// Balls between bodies of six coordinates: r_i + s_i x theta_i = r_j + s_j x theta_j, three rows each.
typedef struct balls {
  int *row, *col, count, rows;
  double *value;
} balls;

static balls balls_take(int most) {
  const size_t entries = 18 * (size_t)most;
  return (balls){.row = calloc(entries, sizeof(int)),
                 .col = calloc(entries, sizeof(int)),
                 .value = calloc(entries, sizeof(double))};
}

static void add_entry(balls *b, int row, int col, double value) {
  if (value == 0)
    return;
  b->row[b->count] = b->rows + row;
  b->col[b->count] = col;
  b->value[b->count++] = value;
}

static void add_side(balls *b, int body, double sign, const double s[3]) {
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    add_entry(b, c, 6 * body + c, sign);
    add_entry(b, c, 6 * body + 3 + d, sign * s[e]);
    add_entry(b, c, 6 * body + 3 + e, -sign * s[d]);
  }
}

static void add_ball(balls *b, int i, const double si[3], int j, const double sj[3]) {
  if (i >= 0)
    add_side(b, i, 1, si);
  add_side(b, j, -1, sj);
  b->rows += 3;
}

static fly_csc balls_matrix(balls *b, int bodies) {
  fly_csc a;
  int *place = calloc((size_t)b->count, sizeof *place);
  assert_int_equal(fly_csc_from_entries(&a, b->rows, 6 * bodies, b->count, b->row, b->col, place, NULL), FLY_OK);
  for (int k = 0; k < b->count; k++)
    a.val[place[k]] = b->value[k];
  free(place);
  free(b->row);
  free(b->col);
  free(b->value);
  return a;
}

// Links of 5 cm in a line, hung at one end.
static fly_csc short_links(int n) {
  const double head[3] = {-0.025}, tip[3] = {0.025};
  balls b = balls_take(n);
  for (int k = 0; k < n; k++)
    add_ball(&b, k - 1, tip, k, head);
  return balls_matrix(&b, n);
}

// n x n bodies, each with a ball to the next in its row and its column.
static fly_csc lattice(int n, uint64_t *seed) {
  balls b = balls_take(2 * n * n);
  for (int k = 0; k < n * n; k++)
    for (int side = 0; side < 2; side++) {
      const int other = side == 0 ? k - 1 : k - n;
      if ((side == 0 && k % n == 0) || other < 0)
        continue;
      double s[2][3];
      for (int c = 0; c < 6; c++)
        s[c / 3][c % 3] = random_double(seed);
      add_ball(&b, other, s[0], k, s[1]);
    }
  return balls_matrix(&b, n * n);
}

static size_t entries_of(fly_csc *a, int dependent) {
  fly_rank r = find(a, 1e-10);
  const size_t entries = r.entries;
  assert_int_equal(r.ndependent, dependent);
  fly_rank_free(&r);
  fly_csc_free(a);
  return entries;
}

static void short_links_do_not_fill(void **state) {
  (void)state;
  for (int n = 1000; n <= 10000; n *= 10) {
    fly_csc a = short_links(n);
    assert_true(entries_of(&a, 0) < 20 * (size_t)n);
  }
}

// n log n would be 19 times for 16 times the bodies; filled up it would be 256.
static void lattices_do_not_fill(void **state) {
  (void)state;
  uint64_t seed = 5;
  fly_csc small = lattice(10, &seed), large = lattice(40, &seed);
  const size_t few = entries_of(&small, 0), many = entries_of(&large, 0);
  assert_true(many < 50 * few);
}

// In another order other rows may be called dependent, but as many, and each is still what it is said to be made of.
static void other_orders_find_the_same_rank(void **state) {
  (void)state;
  enum { n = 1000 };
  fly_csc links = short_links(n);
  const int nnz = fly_csc_nnz(&links);
  balls b = {.row = calloc((size_t)nnz + 20, sizeof(int)),
             .col = calloc((size_t)nnz + 20, sizeof(int)),
             .value = calloc((size_t)nnz + 20, sizeof(double)),
             .rows = links.rows};
  for (int j = 0; j < links.cols; j++)
    for (int k = links.start[j]; k < links.start[j + 1]; k++) {
      b.row[b.count] = links.row[k];
      b.col[b.count] = j;
      b.value[b.count++] = links.val[k];
    }
  const double head[3] = {-0.025}, tip[3] = {0.025};
  add_ball(&b, 499, tip, 500, head); // once more
  fly_csc a = balls_matrix(&b, n);
  fly_rank r = find(&a, 1e-10);
  assert_true(r.entries > 0 && r.entries < 20 * n);
  assert_int_equal(r.ndependent, 3);
  for (int d = 0; d < 3; d++) {
    assert_true(d == 0 || r.dependent[d] > r.dependent[d - 1]);
    double *sum = calloc((size_t)a.rows, sizeof *sum);
    sum[r.dependent[d]] = -1;
    for (int k = r.support_start[d]; k < r.support_start[d + 1]; k++) {
      assert_true(k == r.support_start[d] || r.support[k] > r.support[k - 1]);
      sum[r.support[k]] += r.coefficient[k];
    }
    for (int j = 0; j < a.cols; j++) {
      double left = 0;
      for (int k = a.start[j]; k < a.start[j + 1]; k++)
        left += a.val[k] * sum[a.row[k]];
      assert_near(left, 0, 1e-9);
    }
    free(sum);
  }
  fly_rank_free(&r);
  fly_csc_free(&links);
  fly_csc_free(&a);
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
      cmocka_unit_test(short_links_do_not_fill),
      cmocka_unit_test(lattices_do_not_fill),
      cmocka_unit_test(other_orders_find_the_same_rank),
      cmocka_unit_test(a_long_ring_has_one_dependent_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
