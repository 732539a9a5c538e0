// Fixed patterns: creation, checks with their messages, search, products.
// labels: valgrind
#include "matrices.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void a_pattern_is_copied(void **state) {
  (void)state;
  int start[] = {0, 2, 2, 3}, row[] = {0, 2, 1};
  fly_csc a;
  assert_int_equal(fly_csc_create(&a, 3, 3, start, row, NULL), FLY_OK);
  start[1] = row[0] = 77;
  assert_int_equal(fly_csc_nnz(&a), 3);
  assert_int_equal(a.start[1], 2);
  assert_int_equal(a.row[0], 0);
  for (int k = 0; k < 3; k++)
    assert_true(a.val[k] == 0);
  fly_csc_free(&a);
  assert_null(a.start);
  fly_csc_free(&a);
}

static void a_pattern_is_taken_over(void **state) {
  (void)state;
  int *start = calloc(3, sizeof *start), *row = calloc(10, sizeof *row); // with room for more
  assert_true(start != NULL && row != NULL);
  start[1] = 1, start[2] = 3;
  row[0] = 1, row[2] = 1;
  fly_csc a;
  assert_int_equal(fly_csc_adopt(&a, 2, 2, start, row, NULL), FLY_OK);
  assert_int_equal(fly_csc_nnz(&a), 3);
  assert_int_equal(fly_csc_find(&a, 1, 0), 0);
  assert_int_equal(fly_csc_find(&a, 0, 0), -1);
  assert_int_equal(fly_csc_find(&a, 1, 1), 2);
  for (int k = 0; k < 3; k++)
    assert_true(a.val[k] == 0);
  fly_csc_free(&a);
}

static void without_a_pattern_it_is_dense(void **state) {
  (void)state;
  fly_csc a;
  assert_int_equal(fly_csc_create(&a, 2, 3, NULL, NULL, NULL), FLY_OK);
  assert_int_equal(fly_csc_nnz(&a), 6);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 2; i++)
      assert_int_equal(fly_csc_find(&a, i, j), 2 * j + i); // the order of a dense array, column by column
  fly_csc_free(&a);
}

static void matrices_may_be_empty(void **state) {
  (void)state;
  const int start[] = {0, 0};
  fly_csc a;
  assert_int_equal(fly_csc_create(&a, 0, 0, NULL, NULL, NULL), FLY_OK);
  assert_int_equal(fly_csc_nnz(&a), 0);
  fly_csc_free(&a);
  assert_int_equal(fly_csc_create(&a, 5, 1, start, NULL, NULL), FLY_OK);
  assert_int_equal(fly_csc_find(&a, 3, 0), -1);
  fly_csc_free(&a);
  assert_int_equal(fly_csc_from_entries(&a, 0, 4, 0, NULL, NULL, NULL, NULL), FLY_OK);
  fly_csc_free(&a);
}

static void refused(int rows, int cols, const int *start, const int *row, const char *message) {
  fly_csc a;
  fly_error error;
  assert_int_equal(fly_csc_create(&a, rows, cols, start, row, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, message);
  assert_int_equal(error.status, FLY_BAD_INPUT);
  fly_csc_free(&a); // harmless
}

static void bad_patterns_are_explained(void **state) {
  (void)state;
  const int row[] = {0, 1, 1, 3}, again[] = {0, 1, 2, 2}, minus[] = {0, 1, -1, 2};
  const int start[] = {0, 2, 4}, late[] = {1, 2, 4}, back[] = {0, 3, 2}, some[] = {0, 0, 1};
  refused(3, 2, start, row, "Pattern: column 1 has row 3 (entry 3), but the matrix has rows 0 to 2.");
  refused(3, 2, start, minus, "Pattern: column 1 has row -1 (entry 2), but the matrix has rows 0 to 2.");
  refused(3, 2, start, again, "Pattern: column 1 has row 2 (entry 3) after row 2; rows must ascend, each only once.");
  refused(3, 2, late, row, "Pattern: column 0 starts at entry 1, not at 0.");
  refused(3, 2, back, row, "Pattern: column 1 starts at entry 3 but ends at entry 2.");
  refused(3, 2, some, NULL, "Pattern: 1 entries, but no array of their rows.");
  refused(-1, 2, start, row, "A matrix cannot have -1 rows and 2 columns.");
  refused(100000, 100000, NULL, NULL, "A dense matrix of 100000 x 100000 entries is too large: give its pattern.");
}

static void bad_entries_are_explained(void **state) {
  (void)state;
  const int row[] = {0, 2}, col[] = {0, 1};
  fly_csc a;
  fly_error error;
  assert_int_equal(fly_csc_from_entries(&a, 2, 2, 2, row, col, NULL, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, "Entry 1 is at row 2, column 1 of a 2 x 2 matrix.");
  assert_int_equal(fly_csc_from_entries(&a, 2, 2, -2, row, col, NULL, &error), FLY_BAD_INPUT);
  assert_int_equal(fly_csc_from_entries(&a, 2, -2, 0, row, col, NULL, &error), FLY_BAD_INPUT);
}

enum { many = 400, many_rows = 23, many_cols = 31 };

// Adding 1 at place[k] for each of many random entries counts how often each position was named.
static void entries_are_sorted_and_merged(void **state) {
  (void)state;
  uint64_t seed = 1;
  int row[many], col[many], place[many], named[many_rows][many_cols] = {{0}};
  for (int k = 0; k < many; k++) {
    row[k] = random_int(&seed, many_rows);
    col[k] = random_int(&seed, many_cols);
    named[row[k]][col[k]]++;
  }
  fly_csc a, copy;
  assert_int_equal(fly_csc_from_entries(&a, many_rows, many_cols, many, row, col, place, NULL), FLY_OK);
  for (int k = 0; k < many; k++)
    a.val[place[k]] += 1;
  int different = 0;
  for (int i = 0; i < many_rows; i++)
    for (int j = 0; j < many_cols; j++) {
      assert_true(entry(&a, i, j) == named[i][j]);
      different += named[i][j] > 0;
    }
  assert_int_equal(fly_csc_nnz(&a), different);
  assert_int_equal(fly_csc_create(&copy, many_rows, many_cols, a.start, a.row, NULL), FLY_OK); // a valid pattern
  fly_csc_free(&copy);
  fly_csc_zero(&a);
  for (int k = 0; k < fly_csc_nnz(&a); k++)
    assert_true(a.val[k] == 0);
  fly_csc_free(&a);
}

static void products_equal_dense_ones(void **state) {
  (void)state;
  enum { rows = 17, cols = 9 };
  uint64_t seed = 2;
  fly_csc a = random_matrix(rows, cols, 3, &seed);
  double x[cols], y[rows], ax[rows], aty[cols];
  for (int j = 0; j < cols; j++)
    x[j] = aty[j] = random_double(&seed);
  for (int i = 0; i < rows; i++)
    y[i] = ax[i] = random_double(&seed);
  fly_csc_multiply_add(ax, &a, 2.5, x);
  fly_csc_multiply_transposed_add(aty, &a, -0.5, y);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      ax[i] -= 2.5 * entry(&a, i, j) * x[j];
      aty[j] += 0.5 * entry(&a, i, j) * y[i];
    }
  for (int i = 0; i < rows; i++)
    assert_near(ax[i], y[i], 1e-14);
  for (int j = 0; j < cols; j++)
    assert_near(aty[j], x[j], 1e-14);
  fly_csc_free(&a);
}

static void products_in_one_pass_equal_single_ones(void **state) {
  (void)state;
  enum { rows = 17, cols = 9 };
  uint64_t seed = 3;
  fly_csc a = random_matrix(rows, cols, 3, &seed);
  double x[cols], w1[rows], w2[rows];
  for (int j = 0; j < cols; j++)
    x[j] = random_double(&seed);
  for (int i = 0; i < rows; i++) {
    w1[i] = random_double(&seed);
    w2[i] = random_double(&seed);
  }
  for (int products = 2; products <= 3; products++) {
    double y[rows] = {0}, z1[cols] = {0}, z2[cols] = {0}, single[rows] = {0}, single1[cols] = {0}, single2[cols] = {0};
    fly_csc_multiply_all(&a, y, x, z1, w1, products == 3 ? z2 : NULL, products == 3 ? w2 : NULL);
    fly_csc_multiply_add(single, &a, 1.0, x);
    fly_csc_multiply_transposed_add(single1, &a, 1.0, w1);
    fly_csc_multiply_transposed_add(single2, &a, products == 3 ? 1.0 : 0.0, w2);
    for (int i = 0; i < rows; i++)
      assert_near(y[i], single[i], 1e-14);
    for (int j = 0; j < cols; j++) {
      assert_near(z1[j], single1[j], 1e-14);
      assert_near(z2[j], single2[j], 1e-14);
    }
  }
  double y1[rows] = {0}, y2[rows] = {0}, single[rows] = {0}, minus[cols];
  for (int j = 0; j < cols; j++)
    minus[j] = -x[j] / 3;
  fly_csc_multiply_two(&a, y1, x, y2, minus);
  fly_csc_multiply_add(single, &a, 1.0, x);
  for (int i = 0; i < rows; i++) {
    assert_near(y1[i], single[i], 1e-14);
    assert_near(y2[i], -single[i] / 3, 1e-14);
  }
  fly_csc_free(&a);
}

static void two_products_with_a_symmetric_matrix(void **state) {
  (void)state;
  enum { n = 3 };
  fly_error error;
  fly_csc a;
  assert_int_equal(fly_csc_create(&a, n, n, NULL, NULL, &error), FLY_OK);
  const double value[n * n] = {4, 1, -2, 1, 5, 0.5, -2, 0.5, 6}, x1[n] = {1, 2, 3}, x2[n] = {-1, 0.5, 2};
  double y1[n] = {1, 1, 1}, y2[n] = {0};
  memcpy(a.val, value, sizeof value);
  fly_csc_multiply_symmetric(&a, y1, x1, y2, x2);
  const double expected1[n] = {1, 13.5, 18}, expected2[n] = {-7.5, 2.5, 14.25};
  for (int i = 0; i < n; i++) {
    assert_near(y1[i], expected1[i], 1e-14);
    assert_near(y2[i], expected2[i], 1e-14);
  }
  fly_csc_free(&a);
}

// Of joints between bodies that turn: runs of 1 to 11 rows in three columns each, and single columns between them.
static fly_csc matrix_of_joints(int bodies, uint64_t *seed) {
  int row[1000], col[1000], n = 0, first = 0;
  fly_error error;
  fly_csc a;
  for (int k = 0; k < bodies; k++, first += k)
    for (int c = 0; c < 6; c++)
      for (int i = 0; i < (c < 3 ? 1 : k + 1); i++)
        for (int joint = 0; joint < 2; joint++) {
          row[n] = joint == 0 ? first + (c + i) % (k + 1) : 70 + (c < 3 ? c : i) + k % 3;
          col[n++] = 6 * k + c;
        }
  assert_true(n <= 1000);
  assert_int_equal(fly_csc_from_entries(&a, 90, 6 * bodies, n, row, col, NULL, &error), FLY_OK);
  for (int k = 0; k < fly_csc_nnz(&a); k++)
    a.val[k] = random_double(seed);
  return a;
}

static void fill_random(double *x, int n, uint64_t *seed) {
  for (int i = 0; i < n; i++)
    x[i] = random_double(seed);
}

// Columns that are taken together give the same bits.
static void joined_columns_change_no_bit(void **state) {
  (void)state;
  enum { bodies = 11, rows = 90, cols = 6 * bodies, most = 4 * rows };
  uint64_t seed = 5;
  fly_csc a = matrix_of_joints(bodies, &seed), joined = a;
  double x1[cols], x2[cols], w1[rows], w2[rows], expected[most], found[most];
  joined.slabs = NULL;
  assert_int_equal(fly_csc_join_columns(&joined, NULL), FLY_OK);
  assert_non_null(joined.slabs);
  fill_random(x1, cols, &seed);
  fill_random(x2, cols, &seed);
  fill_random(w1, rows, &seed);
  fill_random(w2, rows, &seed);
  for (int k = 0; k < 3; k++) {
    const fly_csc *use[] = {&a, &joined};
    double *out[] = {expected, found};
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < most; j++)
        out[i][j] = 0.1 * j;
      if (k == 0)
        fly_csc_multiply_add(out[i], use[i], -0.7, x1);
      else if (k == 1)
        fly_csc_multiply_two(use[i], out[i], x1, out[i] + rows, x2);
      else
        fly_csc_multiply_all(use[i], out[i], x1, out[i] + rows, w1, out[i] + 2 * rows, w2);
    }
    assert_memory_equal(expected, found, sizeof expected);
  }
  free(joined.slabs);
  fly_csc_free(&a);
}

// Blocks of one and three columns on the diagonal: the same bits; anything else is none.
static void blocks_on_the_diagonal_change_no_bit(void **state) {
  (void)state;
  enum { n = 16, nnz = 7 + 27 };
  const int size[] = {1, 1, 1, 3, 3, 1, 1, 1, 1, 3};
  int start[n + 1] = {0}, row[nnz], count = 0, j = 0;
  uint64_t seed = 9;
  fly_error error;
  fly_csc a, whole;
  for (size_t k = 0; k < sizeof size / sizeof *size; k++)
    for (int c = 0; c < size[k]; c++, start[j + 1] = count, j++)
      for (int i = 0; i < size[k]; i++)
        row[count++] = j - c + i;
  assert_int_equal(count, nnz);
  assert_int_equal(fly_csc_create(&a, n, n, start, row, &error), FLY_OK);
  double x1[n], x2[n], y1[n], y2[n], found1[n], found2[n];
  fill_random(a.val, nnz, &seed);
  fill_random(x1, n, &seed);
  fill_random(x2, n, &seed);
  fill_random(y1, n, &seed);
  fill_random(y2, n, &seed);
  memcpy(found1, y1, sizeof y1);
  memcpy(found2, y2, sizeof y2);
  fly_csc_multiply_symmetric(&a, y1, x1, y2, x2);
  assert_int_equal(fly_csc_join_blocks(&a, &error), FLY_OK);
  assert_non_null(a.blocks);
  fly_csc_multiply_symmetric(&a, found1, x1, found2, x2);
  assert_memory_equal(y1, found1, sizeof y1);
  assert_memory_equal(y2, found2, sizeof y2);
  fly_csc_free(&a);
  assert_int_equal(fly_csc_create(&whole, 4, 4, NULL, NULL, &error), FLY_OK);
  assert_int_equal(fly_csc_join_blocks(&whole, &error), FLY_OK);
  assert_null(whole.blocks);
  fly_csc_free(&whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joined_columns_change_no_bit),
      cmocka_unit_test(blocks_on_the_diagonal_change_no_bit),
      cmocka_unit_test(a_pattern_is_copied),
      cmocka_unit_test(a_pattern_is_taken_over),
      cmocka_unit_test(without_a_pattern_it_is_dense),
      cmocka_unit_test(matrices_may_be_empty),
      cmocka_unit_test(bad_patterns_are_explained),
      cmocka_unit_test(bad_entries_are_explained),
      cmocka_unit_test(entries_are_sorted_and_merged),
      cmocka_unit_test(products_equal_dense_ones),
      cmocka_unit_test(products_in_one_pass_equal_single_ones),
      cmocka_unit_test(two_products_with_a_symmetric_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
