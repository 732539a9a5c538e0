// Rows of columns: as many as there can be, and found in a time that grows like the pattern.
//
// labels: valgrind
#include "sparse/match.h"

#include <string.h>

#include "matrices.h"
#include "sparse/analyze.h"

// Kuhn's: a path from column j, over columns that were not seen.
static bool extend(const fly_csc *a, int j, int *column_of, bool *seen) {
  for (int k = a->start[j]; k < a->start[j + 1]; k++) {
    const int row = a->row[k];
    if (seen[row])
      continue;
    seen[row] = true;
    if (column_of[row] < 0 || extend(a, column_of[row], column_of, seen)) {
      column_of[row] = j;
      return true;
    }
  }
  return false;
}

static int count_by_kuhn(const fly_csc *a) {
  int column_of[100], count = 0;
  bool seen[100];
  memset(column_of, -1, sizeof column_of);
  for (int j = 0; j < a->cols; j++) {
    memset(seen, 0, sizeof seen);
    count += extend(a, j, column_of, seen);
  }
  return count;
}

// Patterns with few entries, of which many have no full rank: those of random_matrix have a diagonal.
static void as_many_are_found_as_there_can_be(void **state) {
  (void)state;
  uint64_t seed = 5;
  int deficient = 0;
  for (int n = 1; n <= 60; n++)
    for (int repeat = 0; repeat < 20; repeat++) {
      int row[300], col[300], row_of[100], found = -1, owner[100], entries = n + random_int(&seed, 4 * n);
      fly_csc a;
      for (int k = 0; k < entries; k++) {
        row[k] = random_int(&seed, n);
        col[k] = random_int(&seed, n);
      }
      assert_int_equal(fly_csc_from_entries(&a, n, n, entries, row, col, NULL, NULL), FLY_OK);
      assert_true(fly_match(row_of, n, a.start, a.row, &found));
      assert_int_equal(found, count_by_kuhn(&a));
      memset(owner, -1, sizeof owner);
      for (int j = 0; j < n; j++)
        if (row_of[j] >= 0) {
          assert_true(fly_csc_find(&a, row_of[j], j) >= 0);
          assert_int_equal(owner[row_of[j]], -1);
          owner[row_of[j]] = j;
        }
      deficient += found < n;
      fly_csc_free(&a);
    }
  assert_true(deficient > 100);
}

// Columns 0 to m - 1 have the rows beside them, every second one a row of its own far below; m/2 more columns have one
// of the first rows each. A search that goes to the left first goes all the way, for each of them.
static fly_csc trap(int m) {
  int *row = calloc((size_t)(5 * m), sizeof *row), *col = calloc((size_t)(5 * m), sizeof *col);
  fly_entries e = {0, row, col};
  fly_csc a;
  for (int j = 0; j < m; j++) {
    for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < m; i++)
      fly_entries_add(&e, i, j);
    if (j % 2)
      fly_entries_add(&e, m + j / 2, j);
    else
      fly_entries_add(&e, j, m + j / 2);
  }
  assert_int_equal(fly_csc_from_entries(&a, m + m / 2, m + m / 2, e.count, row, col, NULL, NULL), FLY_OK);
  free(row);
  free(col);
  return a;
}

static void no_search_goes_all_the_way_for_every_column(void **state) {
  (void)state;
  fly_csc a = trap(4000);
  klu_common common;
  klu_defaults(&common);
  klu_symbolic *plain = klu_analyze(a.cols, a.start, a.row, &common);
  assert_true(common.work > 100.0 * fly_csc_nnz(&a)); // it is one
  klu_symbolic *ours = fly_analyze(a.cols, a.start, a.row, &common);
  assert_true(common.work >= 0 && common.work <= 20.0 * fly_csc_nnz(&a));
  assert_int_equal(ours->structural_rank, plain->structural_rank);
  assert_int_equal(ours->nblocks, plain->nblocks); // the form is one, whatever the rows
  klu_free_symbolic(&plain, &common);
  klu_free_symbolic(&ours, &common);
  fly_csc_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_many_are_found_as_there_can_be),
      cmocka_unit_test(no_search_goes_all_the_way_for_every_column),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
