// The direct solver against dense elimination; singular matrices; pivots that go bad; scaling.
// labels: valgrind
#include "matrices.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static bool listed; // pivots go into lists

static fly_lu *create(const fly_csc *a) {
  fly_lu *lu;
  assert_int_equal(fly_lu_create(&lu, a, NULL), FLY_OK);
  if (listed)
    assert_int_equal(fly_lu_list(lu, a), FLY_OK);
  return lu;
}

static int by_lists(void **state) {
  (void)state;
  listed = true;
  return 0;
}

static int without_lists(void **state) {
  (void)state;
  listed = false;
  return 0;
}

// Solves with the factors in lu and compares with dense elimination.
static void check_solution(fly_lu *lu, const fly_csc *a, double tolerance, uint64_t *seed) {
  int n = a->cols;
  double *b = calloc((size_t)n, sizeof *b), *x = calloc((size_t)n, sizeof *x), largest = 0;
  for (int i = 0; i < n; i++)
    b[i] = random_double(seed);
  assert_true(dense_solve(x, a, b));
  fly_lu_solve(lu, b);
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(x[i]));
  for (int i = 0; i < n; i++)
    assert_near(b[i] / largest, x[i] / largest, tolerance);
  free(b);
  free(x);
}

static void random_systems_are_solved(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int n = 1; n <= 80; n += n < 12 ? 1 : 17)
    for (int repeat = 0; repeat < 10; repeat++) {
      fly_csc a = random_matrix(n, n, 1 + random_int(&seed, 6), &seed);
      fly_lu *lu = create(&a);
      for (int again = 0; again < 3; again++) {
        for (int k = 0; k < fly_csc_nnz(&a); k++)
          a.val[k] = random_double(&seed);
        assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
        assert_true(fly_lu_rcond(lu) > 0 && fly_lu_rcond(lu) <= 1);
        check_solution(lu, &a, 1e-15 * n / fly_lu_rcond(lu), &seed);
      }
      fly_lu_free(lu);
      fly_csc_free(&a);
    }
}

// A^T x = b, with one diagonal block and with many.
static void transposed_systems_are_solved(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (int n = 1; n <= 40; n += 3)
    for (int per_row = 1; per_row < 5; per_row += 3) {
      fly_csc a = random_matrix(n, n, per_row, &seed);
      fly_lu *lu = create(&a);
      double *x = calloc((size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b);
      for (int k = 0; k < fly_csc_nnz(&a); k++)
        a.val[k] = random_double(&seed);
      for (int i = 0; i < n; i++)
        x[i] = random_double(&seed);
      fly_csc_multiply_transposed_add(b, &a, 1.0, x);
      assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
      fly_lu_solve_transposed(lu, b);
      for (int i = 0; i < n; i++)
        assert_near(b[i], x[i], 1e-14 * n / fly_lu_rcond(lu));
      free(x);
      free(b);
      fly_lu_free(lu);
      fly_csc_free(&a);
    }
}

// Determinant by elimination with partial pivoting on a dense copy.
static double determinant(const fly_csc *a) {
  int n = a->cols;
  double *m = calloc((size_t)(n * n), sizeof *m), det = 1;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      m[n * i + j] = entry(a, i, j);
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      p = fabs(m[n * i + k]) > fabs(m[n * p + k]) ? i : p;
    det *= p == k ? m[n * p + k] : -m[n * p + k];
    for (int j = 0; j < n; j++) {
      double swap = m[n * k + j];
      m[n * k + j] = m[n * p + j];
      m[n * p + j] = swap;
    }
    for (int i = k + 1; i < n; i++)
      for (int j = n - 1; j >= k; j--)
        m[n * i + j] -= m[n * i + k] / m[n * k + k] * m[n * k + j];
  }
  free(m);
  return det;
}

// The product of the signs of the blocks goes with that of the determinant, whatever pivots are chosen; and a row with
// the other sign turns one block.
static void signs_follow_the_determinant(void **state) {
  (void)state;
  uint64_t seed = 12;
  int both[2] = {0};
  for (int n = 2; n <= 20; n += 3) {
    fly_csc a = random_matrix(n, n, 2, &seed);
    fly_lu *lu = create(&a);
    signed char *sign = calloc((size_t)n, 1), *other = calloc((size_t)n, 1);
    int first = 0;
    for (int repeat = 0; repeat < 20; repeat++) {
      for (int k = 0; k < fly_csc_nnz(&a); k++)
        a.val[k] = random_double(&seed);
      assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
      fly_lu_signs(lu, sign);
      int product = determinant(&a) < 0 ? -1 : 1;
      both[product > 0]++;
      for (int b = 0; b < fly_lu_blocks(lu); b++)
        product *= sign[b];
      first = repeat == 0 ? product : first;
      assert_int_equal(product, first);
      int row = random_int(&seed, n), turned = 0;
      for (int k = 0; k < fly_csc_nnz(&a); k++)
        a.val[k] *= a.row[k] == row ? -1 : 1;
      fly_lu_forget(lu);
      assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
      fly_lu_signs(lu, other);
      for (int b = 0; b < fly_lu_blocks(lu); b++)
        turned += sign[b] != other[b];
      assert_int_equal(turned, 1);
    }
    free(sign);
    free(other);
    fly_lu_free(lu);
    fly_csc_free(&a);
  }
  assert_true(both[0] > 20 && both[1] > 20);
}

static void kept_pivots_are_counted(void **state) {
  (void)state;
  uint64_t seed = 2;
  fly_csc a = random_matrix(30, 30, 3, &seed);
  fly_lu *lu = create(&a);
  for (int step = 0; step < 10; step++) {
    for (int k = 0; k < fly_csc_nnz(&a); k++)
      a.val[k] *= 1 + 0.01 * random_double(&seed);
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    check_solution(lu, &a, 1e-10, &seed);
  }
  fly_lu_counts counts = fly_lu_count(lu);
  assert_int_equal(counts.factorizations, 1);
  assert_int_equal(counts.refactorizations, 9);
  assert_int_equal(counts.solves, 10);
  fly_lu_free(lu);
  fly_csc_free(&a);
}

// Other values have other pivots, whose factors have more entries or fewer: what was done before does not become
// cheaper or dearer by that.
static void work_is_of_the_factors_there_were(void **state) {
  uint64_t seed = 8;
  enum { n = 30 };
  (void)state;
  fly_csc a = random_matrix(n, n, 4, &seed);
  fly_lu *lu = create(&a);
  long fewest = LONG_MAX, most = 0;
  for (int round = 0; round < 40; round++) {
    for (int k = 0; k < a.start[n]; k++)
      a.val[k] = random_double(&seed) * pow(10, -8 * fabs(random_double(&seed)));
    const fly_lu_counts before = fly_lu_count(lu);
    if (fly_lu_factor(lu, &a))
      continue;
    const fly_lu_counts after = fly_lu_count(lu);
    const double entries = (double)fly_lu_entries(lu);
    if (after.factorizations == before.factorizations)
      assert_true(after.work - before.work == FLY_REFACTOR_WORK * entries);
    else // beside what was tried with the pivots before
      assert_true(after.work - before.work >= FLY_FACTOR_WORK * entries);
    check_solution(lu, &a, 1e-3, &seed);
    assert_true(fly_lu_count(lu).work >= after.work + entries);
    fewest = fly_lu_entries(lu) < fewest ? fly_lu_entries(lu) : fewest;
    most = fly_lu_entries(lu) > most ? fly_lu_entries(lu) : most;
  }
  assert_true(most > fewest); // else nothing was asked
  fly_lu_free(lu);
  fly_csc_free(&a);
}

// The first matrix wants its diagonal as pivots, the second cannot be solved with them: they are tiny, or zero.
static void bad_pivots_are_replaced(double tiny) {
  uint64_t seed = 3;
  enum { n = 12 };
  fly_csc a;
  assert_int_equal(fly_csc_create(&a, n, n, NULL, NULL, NULL), FLY_OK);
  fly_lu *lu = create(&a);
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        a.val[n * j + i] = random_double(&seed) + (i == j ? 10 : 0);
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    check_solution(lu, &a, round == 0 ? 1e-14 : 1e-10, &seed);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        a.val[n * j + i] = i == j ? tiny : random_double(&seed) + (j == (i + 1) % n ? 10 : 0);
    long before = fly_lu_count(lu).factorizations;
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    assert_int_equal(fly_lu_count(lu).factorizations, before + (round == 0)); // the new pivots serve both
    check_solution(lu, &a, round == 0 ? 1e-12 : 1e-10, &seed); // a bad pivot would cost all, a kept one some digits
  }
  fly_lu_free(lu);
  fly_csc_free(&a);
}

static void tiny_pivots_are_replaced(void **state) {
  (void)state;
  bad_pivots_are_replaced(1e-14);
}

static void zero_pivots_are_replaced(void **state) {
  (void)state;
  bad_pivots_are_replaced(0);
}

// The pivots of the first matrix make entries of the second grow 1e10 times, though none of them becomes suspiciously
// small: the solution would be wrong in the tenth digit.
static void growth_is_noticed(void **state) {
  (void)state;
  const double first[] = {4, 1, 1, 1, 4, 1, 1, 1, 4}, second[] = {1e-10, 0, 1, 1, 1e-10, 1e-10, 1, 1e-10, 2};
  uint64_t seed = 7;
  fly_csc a = from_dense(3, 3, first, true), b = from_dense(3, 3, second, true);
  fly_lu *lu = create(&a);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  assert_int_equal(fly_lu_factor(lu, &b), FLY_OK);
  assert_int_equal(fly_lu_count(lu).factorizations, 2);
  check_solution(lu, &b, 1e-14, &seed);
  fly_lu_free(lu);
  fly_csc_free(&a);
  fly_csc_free(&b);
}

// ---------------------------------------------------------------------------------- singular matrices

static void singular_then_regular(const double *bad, int n, int column) {
  uint64_t seed = 4;
  fly_csc a = from_dense(n, n, bad, true);
  fly_lu *lu = create(&a);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_SINGULAR);
  if (column >= 0)
    assert_int_equal(fly_lu_singular_column(lu), column);
  assert_in_range(fly_lu_singular_column(lu), 0, n - 1);
  assert_true(fly_lu_rcond(lu) == 0);
  for (int round = 0; round < 2; round++) { // the object stays usable, before and after pivots exist
    double *values = a.val, regular[64];
    for (int k = 0; k < n * n; k++)
      regular[k] = random_double(&seed) + (k % (n + 1) == 0 ? 3 : 0);
    a.val = regular;
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    assert_int_equal(fly_lu_singular_column(lu), -1);
    check_solution(lu, &a, 1e-13, &seed);
    a.val = values;
    assert_int_equal(fly_lu_factor(lu, &a), FLY_SINGULAR);
  }
  fly_lu_free(lu);
  fly_csc_free(&a);
}

// Kept pivots that underflow leave 0 times infinity behind them, and blocks that come later are sound: what is not a
// number among the pivots must not be forgotten over them.
static void lost_pivots_are_replaced(void **state) {
  (void)state;
  static const double before[4][4] = {{1, 0.5, 1, 0}, {1, 1, 0, 0}, {0, 1, 1, 0}, {0, 0, 0, 1}};
  uint64_t seed = 21;
  for (int turn = 0; turn < 100; turn++) { // in any order of rows and columns
    int order[4] = {0, 1, 2, 3};
    double values[16];
    for (int k = 3; k > 0; k--) {
      const int with = random_int(&seed, k + 1), kept = order[k];
      order[k] = order[with];
      order[with] = kept;
    }
    for (int k = 0; k < 16; k++)
      values[k] = before[order[k / 4]][order[k % 4]];
    fly_csc a = from_dense(4, 4, values, false);
    fly_lu *lu = create(&a);
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    for (int j = 0; j < 4; j++)
      for (int k = a.start[j]; k < a.start[j + 1]; k++)
        if (order[a.row[k]] == 0 && order[j] < 2)
          a.val[k] = order[j] == 0 ? 1e-320 : 0;
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    check_solution(lu, &a, 1e-14, &seed);
    fly_lu_free(lu);
    fly_csc_free(&a);
  }
}

static void singular_matrices_are_found(void **state) {
  (void)state;
  const double column[] = {1, 0, 2, 3, 0, 4, 5, 0, 7};
  const double row[] = {1, 2, 0, 0, 0, 0, 0, 3, 4};
  const double equal[] = {1, 2, 3, 4, 5, 7, 1, 2, 3};
  const double rounded[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.1 + 0.4, 0.2 + 0.5, 0.3 + 0.7};
  const double zero[] = {0};
  singular_then_regular(column, 3, 1);
  singular_then_regular(row, 3, -1);
  singular_then_regular(equal, 3, -1);
  singular_then_regular(rounded, 3, -1);
  singular_then_regular(zero, 1, 0);
}

// With pivots of a sound matrix, too: of one whose last row is the sum of the others they leave rounding errors.
static void sums_of_rows_are_singular(void **state) {
  (void)state;
  enum { n = 5 };
  uint64_t seed = 9;
  fly_csc a;
  int found = 0;
  assert_int_equal(fly_csc_create(&a, n, n, NULL, NULL, NULL), FLY_OK);
  fly_lu *lu = create(&a);
  for (int turn = 0; turn < 50; turn++) {
    for (int k = 0; k < n * n; k++)
      a.val[k] = random_double(&seed) + (k % (n + 1) == 0 ? 3 : 0);
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    for (int j = 0; j < n; j++) {
      a.val[n * j + n - 1] = 0;
      for (int i = 0; i < n - 1; i++)
        a.val[n * j + n - 1] += a.val[n * j + i];
    }
    const fly_status status = fly_lu_factor(lu, &a);
    assert_true(status == FLY_SINGULAR || fly_lu_rcond(lu) >= 1e-15);
    found += status == FLY_SINGULAR;
  }
  assert_in_range(found, 45, 50);
  fly_lu_free(lu);
  fly_csc_free(&a);
}

static void structurally_singular_is_singular(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 0, 0, 4, 0, 0, 5};
  fly_csc a = from_dense(3, 3, x, false);
  fly_lu *lu = create(&a);
  for (int again = 0; again < 2; again++) {
    assert_int_equal(fly_lu_factor(lu, &a), FLY_SINGULAR);
    assert_in_range(fly_lu_singular_column(lu), 0, 2);
  }
  fly_lu_free(lu);
  fly_csc_free(&a);
}

static void what_is_not_finite_is_singular(void **state) {
  (void)state;
  uint64_t seed = 5;
  fly_csc a = random_matrix(6, 6, 2, &seed);
  fly_lu *lu = create(&a);
  const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    int k = a.start[4];
    double good = a.val[k];
    a.val[k] = bad[i];
    assert_int_equal(fly_lu_factor(lu, &a), FLY_SINGULAR);
    assert_int_equal(fly_lu_singular_column(lu), 4);
    a.val[k] = good;
  }
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  check_solution(lu, &a, 1e-13, &seed);
  assert_int_equal(fly_lu_count(lu).factorizations, 1); // a passing NaN does not cost the pivots
  fly_lu_free(lu);
  fly_csc_free(&a);
}

// ---------------------------------------------------------------------------------- scaling, shapes

// Units of rows change nothing. Those of columns change how rows are scaled, but in a full matrix not by much.
static void units_do_not_matter(void **state) {
  (void)state;
  uint64_t seed = 6;
  enum { n = 10 };
  double x[n * n];
  fly_csc a;
  assert_int_equal(fly_csc_create(&a, n, n, NULL, NULL, NULL), FLY_OK);
  for (int k = 0; k < n * n; k++)
    x[k] = a.val[k] = random_double(&seed);
  fly_lu *lu = create(&a);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  double plain = fly_lu_rcond(lu);
  for (int round = 0; round < 10; round++) {
    double row[n], col[n];
    for (int i = 0; i < n; i++) {
      row[i] = ldexp(1, random_int(&seed, 120) - 60);
      col[i] = round < 5 ? 1 : ldexp(1, random_int(&seed, 120) - 60);
    }
    for (int k = 0; k < n * n; k++)
      a.val[k] = x[k] * row[k % n] * col[k / n];
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    assert_true(round < 5 ? fly_lu_rcond(lu) == plain : fly_lu_rcond(lu) > 1e-3 * plain);
    check_solution(lu, &a, 1e-12, &seed);
  }
  fly_lu_free(lu);
  fly_csc_free(&a);
}

static void rcond_is_the_ratio_of_pivots(void **state) {
  (void)state;
  const double diagonal[] = {1e-20, 0, 0, 1e30}, skew[] = {1, 1, 1, 1 + 1e-6};
  fly_csc a = from_dense(2, 2, diagonal, false);
  fly_lu *lu = create(&a);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  assert_near(fly_lu_rcond(lu), 1, 1e-15);
  fly_lu_free(lu);
  fly_csc_free(&a);
  a = from_dense(2, 2, skew, false);
  lu = create(&a);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  assert_near(fly_lu_rcond(lu), 1e-6, 1e-8);
  fly_lu_free(lu);
  fly_csc_free(&a);
}

static void only_square_matrices(void **state) {
  (void)state;
  fly_csc a;
  fly_lu *lu;
  fly_error error;
  assert_int_equal(fly_csc_create(&a, 2, 3, NULL, NULL, NULL), FLY_OK);
  assert_int_equal(fly_lu_create(&lu, &a, &error), FLY_BAD_INPUT);
  assert_null(lu);
  assert_string_equal(error.message, "A 2 x 3 matrix is not square and cannot be factorized.");
  fly_lu_free(lu);
  fly_csc_free(&a);
}

static void nothing_can_be_solved_too(void **state) {
  (void)state;
  fly_csc a;
  double none = 7;
  assert_int_equal(fly_csc_create(&a, 0, 0, NULL, NULL, NULL), FLY_OK);
  fly_lu *lu = create(&a);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  fly_lu_solve(lu, &none);
  assert_true(none == 7);
  fly_lu_free(lu);
  fly_csc_free(&a);
}

// A solver that has factors already takes to lists, and later needs other pivots, whose factors are longer: what it was
// laid out for before must not be in its way. An arrow fills where its diagonal vanishes.
static void lists_can_come_later(void **state) {
  (void)state;
  enum { n = 60 };
  uint64_t seed = 31;
  double x[n * n] = {0};
  for (int i = 0; i < n; i++)
    x[i * n] = x[i] = x[i * n + i] = x[i * n + (i + 7) % n] = 1;
  fly_csc a = from_dense(n, n, x, false);
  fly_lu *lu = create(&a);
  for (int round = 0; round < 6; round++) {
    for (int j = 0; j < n; j++)
      for (int k = a.start[j]; k < a.start[j + 1]; k++)
        a.val[k] = (a.row[k] == j ? (round % 2 ? 1e-12 : 30.0) : 1.0) * (1.5 + random_double(&seed));
    assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
    check_solution(lu, &a, 1e-7, &seed); // kept pivots leave eight digits
    if (round == 0)
      assert_int_equal(fly_lu_list(lu, &a), FLY_OK);
    check_solution(lu, &a, 1e-7, &seed);
  }
  assert_true(fly_lu_count(lu).factorizations > 1);
  fly_lu_free(lu);
  fly_csc_free(&a);
}

#define LISTED(test)                                                                                                   \
  { "listed: " #test, test, by_lists, without_lists, NULL }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_systems_are_solved),
      cmocka_unit_test(transposed_systems_are_solved),
      cmocka_unit_test(signs_follow_the_determinant),
      cmocka_unit_test(kept_pivots_are_counted),
      cmocka_unit_test(work_is_of_the_factors_there_were),
      cmocka_unit_test(tiny_pivots_are_replaced),
      cmocka_unit_test(zero_pivots_are_replaced),
      cmocka_unit_test(growth_is_noticed),
      cmocka_unit_test(lost_pivots_are_replaced),
      cmocka_unit_test(singular_matrices_are_found),
      cmocka_unit_test(sums_of_rows_are_singular),
      cmocka_unit_test(structurally_singular_is_singular),
      cmocka_unit_test(what_is_not_finite_is_singular),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(rcond_is_the_ratio_of_pivots),
      cmocka_unit_test(only_square_matrices),
      cmocka_unit_test(nothing_can_be_solved_too),
      cmocka_unit_test(lists_can_come_later),
      LISTED(random_systems_are_solved),
      LISTED(transposed_systems_are_solved),
      LISTED(kept_pivots_are_counted),
      LISTED(tiny_pivots_are_replaced),
      LISTED(zero_pivots_are_replaced),
      LISTED(growth_is_noticed),
      LISTED(lost_pivots_are_replaced),
      LISTED(singular_matrices_are_found),
      LISTED(sums_of_rows_are_singular),
      LISTED(structurally_singular_is_singular),
      LISTED(what_is_not_finite_is_singular),
      LISTED(units_do_not_matter),
      LISTED(nothing_can_be_solved_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
