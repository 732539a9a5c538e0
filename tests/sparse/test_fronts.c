// Pivots on the diagonal: matrices of chains, loops and stars of bodies and joints; digits that are lost are noticed,
// and pivots searched for then. labels: valgrind
#include <string.h>

#include "matrices.h"
#include "sparse/fronts.h"

enum { DOF = 3, ROWS = 2 };

// [A G^T; V 0]: `bodies` of three unknowns; joint k lies between the two bodies of pair[k] (-1: ground), two rows each.
// Neighbours across a joint feel each other. A is near a positive definite matrix, V near G.
static fly_csc mechanism(int bodies, int joints, const int (*pair)[2], uint64_t *seed) {
  const int nv = DOF * bodies;
  const unsigned most = 9 * (unsigned)bodies + (unsigned)joints * (2 * 9 + 2 * 2 * 6);
  int *row = calloc(most, sizeof *row), *col = calloc(most, sizeof *col);
  fly_entries e = {0, row, col};
  for (int b = 0; b < bodies; b++)
    for (int i = 0; i < 9; i++)
      fly_entries_add(&e, DOF * b + i / 3, DOF * b + i % 3);
  for (int k = 0; k < joints; k++) {
    const int *b = pair[k];
    for (int i = 0; b[0] >= 0 && b[1] >= 0 && i < 9; i++) {
      fly_entries_add(&e, DOF * b[0] + i / 3, DOF * b[1] + i % 3);
      fly_entries_add(&e, DOF * b[1] + i / 3, DOF * b[0] + i % 3);
    }
    for (int side = 0; side < 2; side++)
      for (int i = 0; b[side] >= 0 && i < ROWS * DOF; i++) {
        fly_entries_add(&e, nv + ROWS * k + i / DOF, DOF * b[side] + i % DOF);
        fly_entries_add(&e, DOF * b[side] + i % DOF, nv + ROWS * k + i / DOF);
      }
  }
  fly_csc a;
  assert_true((unsigned)e.count <= most);
  assert_int_equal(fly_csc_from_entries(&a, nv + ROWS * joints, nv + ROWS * joints, e.count, row, col, NULL, NULL),
                   FLY_OK);
  free(row);
  free(col);
  for (int j = 0; j < a.cols; j++)
    for (int k = a.start[j]; k < a.start[j + 1]; k++) {
      const bool stiff = j < nv && a.row[k] < nv;
      a.val[k] = (stiff ? 0.1 : 1.0) * random_double(seed) + (a.row[k] == j ? 2.0 : 0.0);
    }
  for (int j = nv; j < a.cols; j++) // rows of constraints are nearly the columns
    for (int k = a.start[j]; k < a.start[j + 1]; k++)
      a.val[fly_csc_find(&a, j, a.row[k])] = a.val[k] * (1 + 0.1 * random_double(seed));
  return a;
}

typedef enum shape { CHAIN, LOOP, STAR } shape;

static fly_csc shaped(shape kind, int bodies, uint64_t *seed) {
  int(*pair)[2] = calloc((size_t)bodies, sizeof *pair);
  for (int k = 0; k < bodies; k++) {
    pair[k][0] = kind == STAR && k > 0 ? 0 : k - 1;
    pair[k][1] = k;
  }
  if (kind == LOOP)
    pair[0][0] = bodies - 1;
  fly_csc a = mechanism(bodies, bodies, (const int(*)[2])pair, seed);
  free(pair);
  return a;
}

static void random_vector(double *x, int n, uint64_t *seed) {
  for (int i = 0; i < n; i++)
    x[i] = random_double(seed);
}

static double largest_difference(const double *x, const double *y, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(x[i] - y[i]));
  return largest;
}

// A x for a known x, both ways.
static void check_fronts(fly_fronts *f, const fly_csc *a, double tolerance, uint64_t *seed) {
  const int n = a->cols;
  double *x = calloc((size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b);
  random_vector(x, n, seed);
  for (int transposed = 0; transposed < 2; transposed++) {
    memset(b, 0, (size_t)n * sizeof *b);
    if (transposed)
      fly_csc_multiply_transposed_add(b, a, 1.0, x);
    else
      fly_csc_multiply_add(b, a, 1.0, x);
    fly_fronts_solve(f, b, transposed);
    assert_near(largest_difference(b, x, n), 0, tolerance);
  }
  free(x);
  free(b);
}

static void chains_and_loops_are_solved(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int bodies = 1; bodies < 60; bodies += bodies < 8 ? 1 : 13)
    for (int repeat = 0; repeat < 6; repeat++) {
      fly_csc a = shaped(repeat % 2 && bodies > 2 ? LOOP : CHAIN, bodies, &seed);
      fly_fronts *f, *like;
      assert_true(fly_fronts_create(&f, &a, NULL));
      assert_true(fly_fronts_create(&like, &a, f));
      assert_non_null(f);
      assert_non_null(like);
      const double lost = fly_fronts_factor(f, a.val, 1e8);
      assert_true(lost >= 1 && lost < 1e6);
      check_fronts(f, &a, 1e-13 * lost * bodies, &seed);
      assert_true(fly_fronts_factor(like, a.val, 1e8) < 1e8);
      check_fronts(like, &a, 1e-13 * lost * bodies, &seed);
      fly_fronts_free(f);
      fly_fronts_free(like);
      fly_csc_free(&a);
    }
}

// Scaling rows and columns by powers of two changes no digit: units do not matter.
static void units_do_not_matter(void **state) {
  (void)state;
  uint64_t seed = 3;
  fly_csc a = shaped(CHAIN, 20, &seed);
  fly_fronts *f;
  assert_true(fly_fronts_create(&f, &a, NULL));
  const double lost = fly_fronts_factor(f, a.val, 1e8);
  for (int j = 0; j < a.cols; j++)
    for (int k = a.start[j]; k < a.start[j + 1]; k++)
      a.val[k] = ldexp(a.val[k], j % 37 - 3 * (a.row[k] % 29));
  assert_true(fly_fronts_factor(f, a.val, 1e8) == lost);
  fly_fronts_free(f);
  fly_csc_free(&a);
}

// What one body carries waits for it: all of it would meet all of the rest.
static void stars_are_left_to_a_search(void **state) {
  (void)state;
  uint64_t seed = 4;
  fly_csc a = shaped(STAR, 200, &seed);
  fly_fronts *f;
  assert_true(fly_fronts_create(&f, &a, NULL));
  assert_null(f);
  fly_csc_free(&a);
}

// Stiff against each other, free together: 1e9 cancels. And a joint without a hold, whose pivots are zero.
static void lost_digits_are_noticed(void **state) {
  (void)state;
  uint64_t seed = 5;
  fly_csc a = shaped(CHAIN, 5, &seed);
  fly_fronts *f;
  assert_true(fly_fronts_create(&f, &a, NULL));
  assert_true(fly_fronts_factor(f, a.val, 1e6) < 1e4);
  for (int side = 0; side < 4; side++)
    a.val[fly_csc_find(&a, DOF * (2 + side / 2), DOF * (2 + side % 2))] += side == 1 || side == 2 ? -1e9 : 1e9;
  const double lost = fly_fronts_factor(f, a.val, 1e12);
  assert_true(lost > 1e7 && lost < 1e12);
  assert_true(fly_fronts_factor(f, a.val, 1e6) > 1e6);
  for (int k = a.start[a.cols - 1]; k < a.start[a.cols]; k++)
    a.val[k] = 0;
  assert_true(isinf(fly_fronts_factor(f, a.val, 1e12)));
  a.val[0] = NAN;
  assert_false(fly_fronts_factor(f, a.val, 1e12) <= 1e12);
  fly_fronts_free(f);
  fly_csc_free(&a);
}

// ---------------------------------------------------------------------------------- behind the interface

static double residual(fly_lu *lu, const fly_csc *a, bool transposed) {
  const int n = a->cols;
  uint64_t seed = 9;
  double *x = calloc((size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b);
  random_vector(x, n, &seed);
  if (transposed)
    fly_csc_multiply_transposed_add(b, a, 1.0, x);
  else
    fly_csc_multiply_add(b, a, 1.0, x);
  if (transposed)
    fly_lu_solve_transposed(lu, b);
  else
    fly_lu_solve(lu, b);
  const double found = largest_difference(b, x, n);
  free(x);
  free(b);
  return found;
}

// The diagonals of all bodies become zero: pivots are there, but not on the diagonal.
static void spoil(fly_csc *a) {
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      a->val[k] = a->row[k] == j ? 0.0 : a->val[k];
}

static void a_search_takes_over(void **state) {
  (void)state;
  uint64_t seed = 6;
  fly_csc a = shaped(CHAIN, 200, &seed);
  fly_lu *lu;
  double *good = calloc((size_t)fly_csc_nnz(&a), sizeof *good);
  memcpy(good, a.val, (size_t)fly_csc_nnz(&a) * sizeof *good);
  assert_int_equal(fly_lu_create_symmetric(&lu, &a, (fly_lu_groups){0}, NULL, NULL), FLY_OK);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  const long entries = fly_lu_entries(lu);
  assert_near(residual(lu, &a, false), 0, 1e-9);
  assert_near(residual(lu, &a, true), 0, 1e-9);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  assert_int_equal(fly_lu_count(lu).factorizations, 1);
  assert_int_equal(fly_lu_count(lu).refactorizations, 1);
  spoil(&a);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  assert_int_equal(fly_lu_count(lu).factorizations, 2);
  assert_true(fly_lu_entries(lu) != entries);
  assert_near(residual(lu, &a, false), 0, 1e-9);
  assert_near(residual(lu, &a, true), 0, 1e-9);
  memcpy(a.val, good, (size_t)fly_csc_nnz(&a) * sizeof *good);
  fly_lu_forget(lu);
  assert_false(fly_lu_ready(lu));
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  assert_int_equal(fly_lu_entries(lu), entries); // back on the diagonal
  assert_near(residual(lu, &a, false), 0, 1e-9);
  memset(a.val, 0, (size_t)fly_csc_nnz(&a) * sizeof *a.val);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_SINGULAR);
  fly_lu_free(lu);
  fly_csc_free(&a);
  free(good);
}

// To the same bits, whether pivots are on the diagonal or searched for.
static void factors_travel(void **state) {
  (void)state;
  uint64_t seed = 7;
  fly_csc a = shaped(CHAIN, 200, &seed);
  const int n = a.cols;
  double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
  for (int spoiled = 0; spoiled < 2; spoiled++) {
    fly_lu *from, *to;
    if (spoiled)
      spoil(&a);
    assert_int_equal(fly_lu_create_symmetric(&from, &a, (fly_lu_groups){0}, NULL, NULL), FLY_OK);
    assert_int_equal(fly_lu_create_symmetric(&to, &a, (fly_lu_groups){0}, NULL, NULL), FLY_OK);
    assert_int_equal(fly_lu_factor(from, &a), FLY_OK);
    fly_image m = fly_image_write();
    fly_lu_image(from, &m, &a);
    fly_image read = fly_image_read(m.bytes, m.size);
    fly_lu_image(to, &read, &a);
    assert_int_equal(read.failure, FLY_IMAGE_FINE);
    random_vector(x, n, &seed);
    memcpy(y, x, (size_t)n * sizeof *y);
    fly_lu_solve(from, x);
    fly_lu_solve(to, y);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    assert_int_equal(fly_lu_entries(from), fly_lu_entries(to));
    fly_image_free(&m);
    fly_lu_free(from);
    fly_lu_free(to);
  }
  free(x);
  free(y);
  fly_csc_free(&a);
}

// What follows from the pattern is found once for all matrices that have it, and lives as long as one of them; the
// numbers are those of one that found it by itself. A ring has the size of a chain, and is told from it.
static void one_plan_serves_a_pattern(void **state) {
  (void)state;
  uint64_t seed = 5;
  fly_csc a = shaped(CHAIN, 40, &seed), ring = shaped(LOOP, 40, &seed);
  double x[200], y[200];
  fly_fronts *first, *second, *alone, *other;
  assert_int_equal(a.cols, 200);
  assert_int_equal(ring.cols, 200);
  assert_true(fly_fronts_create(&first, &a, NULL));
  assert_true(fly_fronts_create(&second, &a, first));
  assert_true(fly_fronts_create(&alone, &a, NULL));
  assert_true(fly_fronts_create(&other, &ring, first));
  assert_ptr_equal(second->plan, first->plan);
  assert_int_equal(first->plan->users, 2);
  assert_ptr_not_equal(other->plan, first->plan);
  fly_fronts_free(first);
  assert_int_equal(second->plan->users, 1);
  assert_true(fly_fronts_factor(second, a.val, 1e8) == fly_fronts_factor(alone, a.val, 1e8));
  random_vector(x, 200, &seed);
  memcpy(y, x, sizeof y);
  fly_fronts_solve(second, x, false);
  fly_fronts_solve(alone, y, false);
  assert_memory_equal(x, y, sizeof x);
  assert_true(fly_fronts_factor(other, ring.val, 1e8) < 1e8);
  check_fronts(other, &ring, 1e-8, &seed);
  fly_fronts_free(second);
  fly_fronts_free(alone);
  fly_fronts_free(other);
  fly_csc_free(&a);
  fly_csc_free(&ring);
}

// Bodies of six unknowns in a cube, each with its six neighbours: the last fronts are wider than a panel and than the
// blocks they are eliminated in.
static fly_csc heap(int side, uint64_t *seed) {
  const int bodies = side * side * side, step[3] = {1, side, side * side}, most = bodies * 36 * 7;
  int *row = calloc((size_t)most, sizeof *row), *col = calloc((size_t)most, sizeof *col);
  fly_entries e = {0, row, col};
  for (int b = 0; b < bodies; b++)
    for (int i = 0; i < 36; i++) {
      fly_entries_add(&e, 6 * b + i / 6, 6 * b + i % 6);
      for (int c = 0; c < 3; c++)
        if (b / step[c] % side + 1 < side) {
          fly_entries_add(&e, 6 * b + i / 6, 6 * (b + step[c]) + i % 6);
          fly_entries_add(&e, 6 * (b + step[c]) + i / 6, 6 * b + i % 6);
        }
    }
  fly_csc a;
  assert_int_equal(fly_csc_from_entries(&a, 6 * bodies, 6 * bodies, e.count, row, col, NULL, NULL), FLY_OK);
  free(row);
  free(col);
  for (int j = 0; j < a.cols; j++)
    for (int k = a.start[j]; k < a.start[j + 1]; k++)
      a.val[k] = 0.1 * random_double(seed) + (a.row[k] == j ? 2.0 : 0.0);
  return a;
}

static void heaps_are_solved(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (int side = 2; side < 7; side++) {
    fly_csc a = heap(side, &seed);
    fly_fronts *f;
    assert_true(fly_fronts_create(&f, &a, NULL));
    assert_non_null(f);
    assert_true(f->count < f->lower.count);
    int widest = 0;
    for (int s = 0; s < f->count; s++)
      widest = fly_front_width(f, s) > widest ? fly_front_width(f, s) : widest;
    assert_true(widest > (side > 3 ? 60 : 6));
    const double lost = fly_fronts_factor(f, a.val, 1e8);
    assert_true(lost < 1e4);
    check_fronts(f, &a, 1e-13 * lost * a.cols, &seed);
    fly_fronts_free(f);
    fly_csc_free(&a);
  }
}

// With all of its diagonal there a matrix need not be large, and the diagonal serves again when its values do.
static void the_diagonal_is_tried_again(void **state) {
  (void)state;
  uint64_t seed = 12;
  fly_csc a = heap(3, &seed);
  fly_lu *lu;
  const size_t bytes = (size_t)fly_csc_nnz(&a) * sizeof *a.val;
  double *good = malloc(bytes), *bad = malloc(bytes);
  memcpy(good, a.val, bytes);
  spoil(&a);
  memcpy(bad, a.val, bytes);
  memcpy(a.val, good, bytes);
  assert_int_equal(fly_lu_create_symmetric(&lu, &a, (fly_lu_groups){0}, NULL, NULL), FLY_OK);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  const long entries = fly_lu_entries(lu);
  for (int k = 0; k < 5; k++) { // a search each time at first, and later some more before the next try
    memcpy(a.val, bad, bytes);
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    assert_true(fly_lu_entries(lu) != entries);
    assert_near(residual(lu, &a, false), 0, 1e-8);
  }
  memcpy(a.val, good, bytes);
  for (int k = 0; k < 8; k++) {
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    assert_near(residual(lu, &a, false), 0, 1e-9);
  }
  assert_int_equal(fly_lu_entries(lu), entries);
  fly_lu_free(lu);
  fly_csc_free(&a);
  free(good);
  free(bad);
}

// While large matrices are factorized and solved with, numbers below 2e-308 are zero (base/subnormal.h); behind it they
// are as before: the signs of events live there.
static void small_numbers_come_back(void **state) {
  (void)state;
  volatile double small = 1e-310;
  uint64_t seed = 9;
  fly_csc a = shaped(CHAIN, 200, &seed);
  fly_lu *lu;
  double *x = calloc((size_t)a.cols, sizeof *x);
  assert_int_equal(fly_lu_create_symmetric(&lu, &a, (fly_lu_groups){0}, NULL, NULL), FLY_OK);
  for (int k = 0; k < 3; k++) {
    if (k == 2)
      spoil(&a);
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    assert_true(small * 0.5 > 0);
    fly_lu_solve(lu, x);
    fly_lu_solve_transposed(lu, x);
    assert_true(small * 0.5 > 0);
  }
  fly_lu_free(lu);
  fly_csc_free(&a);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_and_loops_are_solved), cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(stars_are_left_to_a_search),  cmocka_unit_test(lost_digits_are_noticed),
      cmocka_unit_test(a_search_takes_over),         cmocka_unit_test(factors_travel),
      cmocka_unit_test(one_plan_serves_a_pattern),   cmocka_unit_test(heaps_are_solved),
      cmocka_unit_test(the_diagonal_is_tried_again), cmocka_unit_test(small_numbers_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
