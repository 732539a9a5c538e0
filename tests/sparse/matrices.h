// Matrices for the tests of this room: from dense arrays (row by row), random ones, and dense arithmetic to compare
// with.
#ifndef FLY_TESTS_MATRICES_H
#define FLY_TESTS_MATRICES_H

#include "base/check.h"

#include "sparse/sparse.h"

static inline double entry(const fly_csc *a, int row, int col) {
  int k = fly_csc_find(a, row, col);
  return k < 0 ? 0 : a->val[k];
}

// The entries of x (rows x cols, row by row) that are not zero; keep_zeros: all.
static inline fly_csc from_dense(int rows, int cols, const double *x, bool keep_zeros) {
  size_t room = (size_t)(rows * cols + 1);
  int *row = calloc(room, sizeof *row), *col = calloc(room, sizeof *col), n = 0;
  for (int k = 0; k < rows * cols; k++)
    if (keep_zeros || x[k] != 0) {
      row[n] = k / cols;
      col[n++] = k % cols;
    }
  fly_csc a;
  assert_int_equal(fly_csc_from_entries(&a, rows, cols, n, row, col, NULL, NULL), FLY_OK);
  for (int k = 0; k < n; k++)
    a.val[fly_csc_find(&a, row[k], col[k])] = x[row[k] * cols + col[k]];
  free(row);
  free(col);
  return a;
}

// About `per_row` random entries in each row, and the diagonal.
static inline fly_csc random_matrix(int rows, int cols, int per_row, uint64_t *seed) {
  int n = rows * (per_row + 1), *row = calloc((size_t)n, sizeof *row), *col = calloc((size_t)n, sizeof *col);
  for (int k = 0; k < n; k++) {
    row[k] = k / (per_row + 1);
    col[k] = k % (per_row + 1) == 0 && row[k] < cols ? row[k] : random_int(seed, cols);
  }
  fly_csc a;
  assert_int_equal(fly_csc_from_entries(&a, rows, cols, n, row, col, NULL, NULL), FLY_OK);
  for (int k = 0; k < fly_csc_nnz(&a); k++)
    a.val[k] = random_double(seed);
  free(row);
  free(col);
  return a;
}

// x = A^-1 b by Gaussian elimination with full pivoting of rows, dense, in long double. False if A is singular.
static inline bool dense_solve(double *x, const fly_csc *a, const double *b) {
  int n = a->cols, width = n + 1;
  long double *m = calloc((size_t)(n * width), sizeof *m);
  for (int j = 0; j < n; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      m[a->row[k] * width + j] = a->val[k];
  for (int i = 0; i < n; i++)
    m[i * width + n] = b[i];
  bool regular = true;
  for (int k = 0; k < n && regular; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(m[i * width + k]) > fabsl(m[best * width + k]))
        best = i;
    regular = m[best * width + k] != 0;
    for (int j = 0; j < width && regular; j++) {
      long double swap = m[k * width + j];
      m[k * width + j] = m[best * width + j];
      m[best * width + j] = swap;
    }
    for (int i = 0; i < n && regular; i++) { // Gauss-Jordan: above the diagonal too
      long double factor = i == k ? 0 : m[i * width + k] / m[k * width + k];
      for (int j = k; j < width && factor != 0; j++)
        m[i * width + j] -= factor * m[k * width + j];
    }
  }
  for (int i = 0; i < n && regular; i++)
    x[i] = (double)(m[i * width + n] / m[i * width + i]);
  free(m);
  return regular;
}

#endif
