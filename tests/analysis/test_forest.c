// Rows of joints that close no loop are known to be independent without a search, which finds them so; others are left
// to it.
// labels: valgrind
#include "analysis/forest.h"
#include "base/check.h"

#include <math.h>
#include <stdlib.h>

enum { BODIES = 40, ROWS = 5, MOST_ENTRIES = 12 * ROWS * (BODIES + 3) };

// Rows of joints, one behind another; the ground has no columns.
typedef struct joints {
  int rows, count;
  int row[MOST_ENTRIES], col[MOST_ENTRIES];
  double value[MOST_ENTRIES];
  unsigned random;
} joints;

static double next(joints *j) {
  j->random = 1664525u * j->random + 1013904223u;
  return (double)(j->random >> 8) / (1 << 23) - 1;
}

static void add_entry(joints *j, int row, int col, double value) {
  j->row[j->count] = row;
  j->col[j->count] = col;
  j->value[j->count++] = value;
}

// The same numbers for both bodies, but for their sign; a row that is the last but one again, if it is to be dependent.
static void add_joint(joints *j, int a, int b, int rows, bool dependent) {
  double last[6] = {0};
  for (int r = 0; r < rows; r++, j->rows++)
    for (int c = 0; c < 6; c++) {
      const double value = dependent && r == rows - 1 ? 3 * last[c] : next(j) + (r == c ? 3 : 0);
      last[c] = value;
      if (a >= 0)
        add_entry(j, j->rows, 6 * a + c, -value);
      add_entry(j, j->rows, 6 * b + c, value);
    }
}

static fly_csc matrix_of(const joints *j) {
  fly_csc G;
  int *place = calloc((size_t)j->count, sizeof *place);
  assert_non_null(place);
  assert_int_equal(fly_csc_from_entries(&G, j->rows, 6 * BODIES, j->count, j->row, j->col, place, NULL), FLY_OK);
  for (int k = 0; k < j->count; k++)
    G.val[place[k]] += j->value[k];
  free(place);
  return G;
}

// What is known at once; the search must agree where it is.
static bool is_known(const joints *j) {
  int group[6 * BODIES];
  for (int k = 0; k < 6 * BODIES; k++)
    group[k] = k / 6;
  fly_csc G = matrix_of(j);
  fly_rank rank;
  bool known;
  assert_int_equal(fly_forest_independent(&known, &G, group, NULL), FLY_OK);
  if (known) {
    assert_int_equal(fly_rank_find(&rank, &G, 1e-9, NULL), FLY_OK);
    assert_int_equal(rank.ndependent, 0);
    fly_rank_free(&rank);
  }
  fly_csc_free(&G);
  return known;
}

// Each body hangs on one before it, or on the ground, or floats.
static void plant(joints *j, unsigned seed) {
  *j = (joints){.random = seed};
  for (int b = 0; b < BODIES; b++) {
    const int a = (int)(next(j) * 0.5 * (b + 2) + 0.5 * (b + 2)) - 2;
    if (a >= -1)
      add_joint(j, a < b ? a : b - 1, b, 1 + (int)(2.49 * (next(j) + 1)), false);
  }
}

static void trees_are_known(void **state) {
  (void)state;
  joints j;
  for (unsigned seed = 1; seed <= 50; seed++) {
    plant(&j, seed);
    assert_true(is_known(&j));
  }
}

static void loops_are_left_to_the_search(void **state) {
  (void)state;
  joints j;
  for (unsigned seed = 1; seed <= 20; seed++) {
    plant(&j, seed);
    add_joint(&j, -1, 0, 1, false); // a loop of these three, whatever was there
    add_joint(&j, 0, BODIES - 1, 1, false);
    add_joint(&j, -1, BODIES - 1, 1, false);
    assert_false(is_known(&j));
  }
}

static void dependent_rows_of_a_joint_are_left_to_the_search(void **state) {
  (void)state;
  joints j = {.random = 1};
  add_joint(&j, -1, 0, ROWS, false);
  add_joint(&j, 0, 1, ROWS, false);
  assert_true(is_known(&j));
  add_joint(&j, 1, 2, ROWS, true);
  assert_false(is_known(&j));
}

static void other_rows_are_left_to_the_search(void **state) {
  (void)state;
  joints three = {.random = 2}, none = {.random = 3}, wrong = {.random = 4};
  add_joint(&three, 0, 1, 2, false);
  add_entry(&three, 0, 12, 1.0); // a row about three bodies, as a coupler's
  assert_false(is_known(&three));
  add_joint(&none, 0, 1, 2, false);
  none.rows++; // a row without entries
  assert_false(is_known(&none));
  add_joint(&wrong, 0, 1, 2, false);
  wrong.value[3] = NAN;
  assert_false(is_known(&wrong));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_are_known),
      cmocka_unit_test(loops_are_left_to_the_search),
      cmocka_unit_test(dependent_rows_of_a_joint_are_left_to_the_search),
      cmocka_unit_test(other_rows_are_left_to_the_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
