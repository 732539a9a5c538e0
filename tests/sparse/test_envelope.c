// Y Y^T by rows from their first entry to the diagonal, against dense arithmetic: chains, trees, parts that do not
// touch, full ones; and rows that depend on each other, which have no factors.
// labels: valgrind
#include "matrices.h"

#include <math.h>

#include "sparse/envelope.h"

// The largest entry of Y Y^T x - b over that of b.
static double left(const fly_csc *y, const double *x, const double *b) {
  double *p = calloc((size_t)y->cols + 1, sizeof *p), *r = calloc((size_t)y->rows, sizeof *r), worst = 0, size = 0;
  fly_csc_multiply_transposed_add(p, y, 1.0, x);
  fly_csc_multiply_add(r, y, 1.0, p);
  for (int i = 0; i < y->rows; i++) {
    worst = fmax(worst, fabs(r[i] - b[i]));
    size = fmax(size, fabs(b[i]));
  }
  free(p);
  free(r);
  return worst / size;
}

static void set(fly_envelope *s, const fly_csc *y) {
  const int nnz = fly_csc_nnz(y);
  double *one = calloc((size_t)nnz + 1, sizeof *one);
  for (int k = 0; k < nnz; k++)
    one[k] = 1;
  fly_envelope_set(s, nnz, y->val, one);
  free(one);
}

// Products with Y, in the order of S, against those of the matrix as it is.
static void check_products(const fly_envelope *s, const fly_csc *y, uint64_t *seed) {
  const size_t rows = (size_t)y->rows, cols = (size_t)y->cols;
  double *r = calloc(rows, sizeof *r), *own = calloc(rows + 1, sizeof *own), *p = calloc(cols + 1, sizeof *p),
         *q = calloc(cols + 1, sizeof *q);
  for (int j = 0; j < y->cols; j++)
    p[j] = random_double(seed);
  fly_envelope_add(s, own, p);
  fly_csc_multiply_add(r, y, 1.0, p);
  for (int i = 0; i < y->rows; i++)
    assert_true(fabs(r[i] - own[s->place[i]]) < 1e-13);
  fly_envelope_subtract_transposed(s, q, own);
  fly_csc_multiply_transposed_add(q, y, 1.0, r);
  for (int j = 0; j < y->cols; j++)
    assert_true(fabs(q[j]) < 1e-12);
  free(r);
  free(own);
  free(p);
  free(q);
}

static void check(fly_csc *y, const int *group, uint64_t *seed, double limit) {
  fly_envelope s;
  double *b = calloc((size_t)y->rows, sizeof *b), *x = calloc((size_t)y->rows, sizeof *x),
         *in_order = calloc((size_t)y->rows + 1, sizeof *in_order);
  assert_int_equal(fly_envelope_create(&s, y, group, NULL), FLY_OK);
  for (int round = 0; round < 3; round++) { // other values, the same pattern
    for (int i = 0; i < y->rows; i++)
      in_order[s.place[i]] = b[i] = random_double(seed);
    set(&s, y);
    check_products(&s, y, seed);
    assert_true(fly_envelope_factor(&s, 1e-12));
    fly_envelope_solve(&s, in_order);
    for (int i = 0; i < y->rows; i++)
      x[i] = in_order[s.place[i]];
    assert_true(left(y, x, b) < limit);
    for (int k = 0; k < fly_csc_nnz(y); k++)
      y->val[k] *= 1 + 0.1 * random_double(seed);
  }
  free(b);
  free(x);
  free(in_order);
  fly_envelope_free(&s);
  fly_csc_free(y);
}

static void test_random(void **state) {
  uint64_t seed = 1;
  for (int n = 1; n < 60; n += 7)
    for (int more = 1; more < 5; more += 2) {
      fly_csc y = random_matrix(n, 3 * n, more, &seed);
      int *group = calloc((size_t)(3 * n), sizeof *group); // of one to three columns
      for (int j = 0; j < 3 * n; j++)
        group[j] = j / 6 * 3 + (j % 6 > 0) + (j % 6 > 2);
      check(&y, more > 1 ? group : NULL, &seed, 1e-8);
      free(group);
    }
}

// Rows of joints, five each, in a shuffled order: each meets those of the two beside it. Found again, rows reach over
// two joints.
static void test_chain(void **state) {
  enum { JOINTS = 40, ROWS = 5, N = JOINTS * ROWS, COLUMNS = 6 };
  static double dense[N * JOINTS * COLUMNS];
  uint64_t seed = 3;
  int order[JOINTS];
  for (int k = 0; k < JOINTS; k++)
    order[k] = 17 * k % JOINTS;
  for (int k = 0; k < JOINTS; k++)
    for (int r = 0; r < ROWS; r++)
      for (int c = 0; c < COLUMNS; c++)
        for (int body = k - 1; body <= k; body++)
          if (body >= 0)
            dense[(order[k] * ROWS + r) * JOINTS * COLUMNS + body * COLUMNS + c] = random_double(&seed);
  fly_csc y = from_dense(N, JOINTS * COLUMNS, dense, false);
  fly_envelope s;
  int group[JOINTS * COLUMNS];
  for (int j = 0; j < JOINTS * COLUMNS; j++)
    group[j] = j / COLUMNS;
  assert_int_equal(fly_envelope_create(&s, &y, group, NULL), FLY_OK);
  assert_int_equal(s.groups, JOINTS);
  for (int k = 0; k < s.groups; k++)
    assert_true(s.row[k + 1] - s.row[k] == ROWS && k - s.reach[k] < 2);
  fly_envelope_free(&s);
  check(&y, group, &seed, 1e-6);
}

// The third row is the sum of the others: nothing of it is left.
static void test_dependent(void **state) {
  const double dense[] = {1, 2, 0, 0, 0, 1, -1, 3, 1, 3, -1, 3};
  fly_csc y = from_dense(3, 4, dense, false);
  fly_envelope s;
  assert_int_equal(fly_envelope_create(&s, &y, NULL, NULL), FLY_OK);
  set(&s, &y);
  assert_false(fly_envelope_factor(&s, 1e-10));
  y.val[fly_csc_find(&y, 2, 3)] = 3.5;
  set(&s, &y);
  assert_true(fly_envelope_factor(&s, 1e-10));
  y.val[0] = NAN;
  set(&s, &y);
  assert_false(fly_envelope_factor(&s, 1e-10));
  fly_envelope_free(&s);
  fly_csc_free(&y);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_chain),
                                     cmocka_unit_test(test_dependent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
