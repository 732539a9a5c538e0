// Groups of rows that are solved one after another, against dense elimination: trees, groups that wait for each other,
// pivots that vanish.
// labels: valgrind
#include "matrices.h"

#include <string.h>

#include "sparse/cascade.h"

enum { MOST = 200 };

// Joints of `rows` rows: joint k meets unknowns of its own and of one before it, which is `parent`; the unknowns of
// joints that are coupled are those of each other as well. Columns come in an order of their own.
typedef struct tree {
  int match[MOST];
  fly_csc a;
} tree;

static bool meets(const int *parent, int coupled, int k, int other) {
  return other == k || other == parent[k] || (coupled > 1 && k / coupled == other / coupled);
}

static tree plant(int joints, int rows, int coupled, uint64_t *seed) {
  tree t = {.match = {0}};
  int parent[MOST], row[MOST * 40], col[MOST * 40], n = 0, order[MOST] = {0};
  const int size = joints * rows;
  for (int i = 0; i < size; i++)
    order[i] = i;
  for (int i = size - 1; i > 0; i--) {
    const int with = random_int(seed, i + 1), kept = order[i];
    order[i] = order[with];
    order[with] = kept;
  }
  for (int k = 0; k < joints; k++) {
    parent[k] = k > 0 ? random_int(seed, k) : -1;
    for (int other = 0; other < joints; other++)
      for (int e = 0; meets(parent, coupled, k, other) && e < rows * rows; e++) {
        row[n] = k * rows + e % rows;
        col[n++] = order[other * rows + e / rows];
      }
  }
  for (int i = 0; i < size; i++)
    t.match[order[i]] = i;
  assert_int_equal(fly_csc_from_entries(&t.a, size, size, n, row, col, NULL, NULL), FLY_OK);
  for (int e = 0; e < fly_csc_nnz(&t.a); e++)
    t.a.val[e] = random_double(seed);
  return t;
}

static fly_cascade build(const tree *t) {
  fly_cascade c;
  assert_int_equal(fly_cascade_build(&c, &t->a, t->match), FLY_OK);
  return c;
}

// How much larger than its right side what a solution leaves of it is.
static double left_over(const fly_cascade *c, const fly_csc *a, uint64_t *seed) {
  double b[MOST], x[MOST], largest = 0, size = 0;
  for (int i = 0; i < a->cols; i++)
    x[i] = b[i] = random_double(seed);
  fly_cascade_solve(c, x);
  for (int i = 0; i < a->cols; i++)
    size = fmax(size, fabs(x[i]));
  fly_csc_multiply_add(b, a, -1.0, x);
  for (int i = 0; i < a->cols; i++)
    largest = fmax(largest, fabs(b[i]));
  return largest / fmax(size, 1);
}

static void trees_are_solved(void **state) {
  (void)state;
  uint64_t seed = 3;
  double rcond;
  for (int rows = 1; rows <= 6; rows++)
    for (int coupled = 1; coupled * rows <= FLY_CASCADE_ROWS; coupled++) {
      tree t = plant(12, rows, coupled, &seed);
      fly_cascade c = build(&t);
      assert_true(c.steps > 0);
      for (int again = 0; again < 5; again++) {
        for (int e = 0; e < fly_csc_nnz(&t.a); e++)
          t.a.val[e] = random_double(&seed);
        assert_true(fly_cascade_factor(&c, t.a.val, 1e8, &rcond));
        assert_true(rcond > 0 && rcond <= 1);
        assert_true(left_over(&c, &t.a, &seed) < 1e-11);
      }
      fly_cascade_free(&c);
      fly_csc_free(&t.a);
    }
}

static void steps_are_what_must_be_together(void **state) {
  (void)state;
  uint64_t seed = 5;
  tree one = plant(12, 5, 1, &seed), two = plant(12, 5, 2, &seed), three = plant(12, 5, 3, &seed);
  fly_cascade c = build(&one);
  assert_int_equal(c.steps, 12);
  fly_cascade_free(&c);
  c = build(&two);
  assert_in_range(c.steps, 1, 6);
  fly_cascade_free(&c);
  c = build(&three); // 15 rows together are too many
  assert_int_equal(c.steps, 0);
  fly_cascade_free(&c);
  fly_csc_free(&one.a);
  fly_csc_free(&two.a);
  fly_csc_free(&three.a);
}

static void pivots_that_vanish_are_refused(void **state) {
  (void)state;
  uint64_t seed = 7;
  double rcond;
  tree t = plant(3, 3, 1, &seed);
  fly_cascade c = build(&t);
  const double kinds[] = {1e-9, 0, (double)NAN};
  for (int k = 0; k < 3; k++) {
    double *val = t.a.val, kept[MOST];
    memcpy(kept, val, (size_t)fly_csc_nnz(&t.a) * sizeof *kept);
    for (int j = 0; j < t.a.cols; j++) // of the last joint all rows become the first one, or nearly
      for (int e = t.a.start[j]; e < t.a.start[j + 1]; e++)
        if (t.a.row[e] == 8)
          val[e] = val[e - 1] + kinds[k] * val[e];
    assert_false(fly_cascade_factor(&c, val, 1e8, &rcond));
    memcpy(val, kept, (size_t)fly_csc_nnz(&t.a) * sizeof *kept);
    assert_true(fly_cascade_factor(&c, val, 1e8, &rcond));
  }
  fly_cascade_free(&c);
  fly_csc_free(&t.a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_are_solved),
      cmocka_unit_test(steps_are_what_must_be_together),
      cmocka_unit_test(pivots_that_vanish_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
