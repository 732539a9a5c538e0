#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sparse/slabs.h"

// ---------------------------------------------------------------------------------- life

// Takes the arrays of a; malloc(0) may be NULL, which would look like a failure, so no array is empty.
static fly_status allocate(fly_csc *a, int rows, int cols, int nnz, fly_error *error) {
  size_t room = nnz > 0 ? (size_t)nnz : 1;
  *a = (fly_csc){.rows = rows, .cols = cols};
  a->start = fly_zeroed((size_t)cols + 1, sizeof *a->start);
  a->row = fly_zeroed(room, sizeof *a->row);
  a->val = fly_zeroed(room, sizeof *a->val);
  if (a->start != NULL && a->row != NULL && a->val != NULL)
    return FLY_OK;
  free(a->start);
  free(a->row);
  free(a->val);
  *a = (fly_csc){0};
  return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory for a %d x %d matrix with %d entries.", rows, cols, nnz);
}

void fly_csc_free(fly_csc *a) {
  if (!a->borrowed) {
    free(a->start);
    free(a->row);
    free(a->slabs);
    free(a->blocks);
  }
  free(a->val);
  *a = (fly_csc){0};
}

static fly_status check_shape(int rows, int cols, fly_error *error) {
  if (rows >= 0 && cols >= 0)
    return FLY_OK;
  return fly_fail(error, FLY_BAD_INPUT, NAN, "A matrix cannot have %d rows and %d columns.", rows, cols);
}

// ---------------------------------------------------------------------------------- from a pattern

static fly_status check_column(int rows, int col, int first, int last, const int *row, fly_error *error) {
  for (int k = first; k < last; k++) {
    if (row[k] < 0 || row[k] >= rows)
      return fly_fail(error, FLY_BAD_INPUT, NAN,
                      "Pattern: column %d has row %d (entry %d), but the matrix has rows 0 to %d.", col, row[k], k,
                      rows - 1);
    if (k > first && row[k] <= row[k - 1])
      return fly_fail(error, FLY_BAD_INPUT, NAN,
                      "Pattern: column %d has row %d (entry %d) after row %d; rows must ascend, each only once.", col,
                      row[k], k, row[k - 1]);
  }
  return FLY_OK;
}

static fly_status check_pattern(int rows, int cols, const int *start, const int *row, fly_error *error) {
  if (start[0] != 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "Pattern: column 0 starts at entry %d, not at 0.", start[0]);
  for (int j = 0; j < cols; j++) // all of start first: it says how much of row can be read
    if (start[j + 1] < start[j])
      return fly_fail(error, FLY_BAD_INPUT, NAN, "Pattern: column %d starts at entry %d but ends at entry %d.", j,
                      start[j], start[j + 1]);
  if (start[cols] > 0 && row == NULL)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "Pattern: %d entries, but no array of their rows.", start[cols]);
  for (int j = 0; j < cols; j++) {
    fly_status status = check_column(rows, j, start[j], start[j + 1], row, error);
    if (status != FLY_OK)
      return status;
  }
  return FLY_OK;
}

static fly_status create_dense(fly_csc *a, int rows, int cols, fly_error *error) {
  if (cols > 0 && rows > INT_MAX / cols)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "A dense matrix of %d x %d entries is too large: give its pattern.",
                    rows, cols);
  fly_status status = allocate(a, rows, cols, rows * cols, error);
  if (status != FLY_OK)
    return status;
  for (int j = 0; j < cols; j++) {
    a->start[j + 1] = (j + 1) * rows;
    for (int i = 0; i < rows; i++)
      a->row[j * rows + i] = i;
  }
  return FLY_OK;
}

fly_status fly_csc_create(fly_csc *a, int rows, int cols, const int *start, const int *row, fly_error *error) {
  *a = (fly_csc){0};
  fly_status status = check_shape(rows, cols, error);
  if (status != FLY_OK)
    return status;
  if (start == NULL)
    return create_dense(a, rows, cols, error);
  status = check_pattern(rows, cols, start, row, error);
  if (status == FLY_OK)
    status = allocate(a, rows, cols, start[cols], error);
  if (status != FLY_OK)
    return status;
  memcpy(a->start, start, ((size_t)cols + 1) * sizeof *start);
  if (start[cols] > 0)
    memcpy(a->row, row, (size_t)start[cols] * sizeof *row);
  return FLY_OK;
}

fly_status fly_csc_adopt(fly_csc *a, int rows, int cols, int *start, int *row, fly_error *error) {
  const int nnz = start[cols];
  const size_t room = nnz > 0 ? (size_t)nnz : 1;
  *a = (fly_csc){.rows = rows, .cols = cols, .start = start, .row = row};
  int *fitting = realloc(row, room * sizeof *row);
  if (fitting != NULL)
    a->row = fitting;
  a->val = fitting != NULL ? fly_zeroed(room, sizeof *a->val) : NULL;
  if (a->val != NULL)
    return FLY_OK; // cppcheck-suppress memleak // a has them
  fly_csc_free(a);
  return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory for a %d x %d matrix with %d entries.", rows, cols, nnz);
}

fly_status fly_csc_create_like(fly_csc *a, const fly_csc *like, fly_error *error) {
  *a = *like;
  a->borrowed = true;
  a->val = fly_zeroed((size_t)fly_csc_nnz(like), sizeof *a->val);
  if (a->val != NULL)
    return FLY_OK;
  *a = (fly_csc){0};
  return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory for a %d x %d matrix with %d entries.", like->rows, like->cols,
                  fly_csc_nnz(like));
}

// ---------------------------------------------------------------------------------- from entries

static fly_status check_entries(int rows, int cols, int n, const int *row, const int *col, fly_error *error) {
  fly_status status = check_shape(rows, cols, error);
  if (status != FLY_OK)
    return status;
  if (n < 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "A matrix cannot have %d entries.", n);
  for (int k = 0; k < n; k++)
    if (row[k] < 0 || row[k] >= rows || col[k] < 0 || col[k] >= cols)
      return fly_fail(error, FLY_BAD_INPUT, NAN, "Entry %d is at row %d, column %d of a %d x %d matrix.", k, row[k],
                      col[k], rows, cols);
  return FLY_OK;
}

// Stable counting sort: order_out lists the entries of order_in (NULL: 0 .. n-1) by ascending key. next: (keys + 1).
static void sort_by(int *order_out, const int *order_in, int n, const int *key, int keys, int *next) {
  memset(next, 0, ((size_t)keys + 1) * sizeof *next);
  for (int k = 0; k < n; k++)
    next[key[k] + 1]++;
  for (int i = 0; i < keys; i++)
    next[i + 1] += next[i];
  for (int k = 0; k < n; k++) {
    int entry = order_in != NULL ? order_in[k] : k;
    order_out[next[key[entry]]++] = entry;
  }
}

// Entries in the order of columns, then rows: equal ones are neighbours and become one.
static int merge_sorted(fly_csc *a, const int *order, int n, const int *row, const int *col, int *place) {
  int nnz = 0;
  for (int k = 0; k < n; k++) {
    int entry = order[k], before = k > 0 ? order[k - 1] : -1;
    bool repeated = before >= 0 && row[before] == row[entry] && col[before] == col[entry];
    if (!repeated) {
      a->row[nnz++] = row[entry];
      a->start[col[entry] + 1]++;
    }
    if (place != NULL)
      place[entry] = nnz - 1;
  }
  for (int j = 0; j < a->cols; j++)
    a->start[j + 1] += a->start[j];
  return nnz;
}

fly_status fly_csc_from_entries(fly_csc *a, int rows, int cols, int n, const int *row, const int *col, int *place,
                                fly_error *error) {
  *a = (fly_csc){0};
  fly_status status = check_entries(rows, cols, n, row, col, error);
  if (status == FLY_OK)
    status = allocate(a, rows, cols, n, error);
  if (status != FLY_OK)
    return status;
  size_t room = n > 0 ? (size_t)n : 1, keys = (size_t)(rows > cols ? rows : cols);
  int *work = fly_zeroed(2 * room + keys + 1, sizeof *work);
  if (work == NULL) {
    fly_csc_free(a);
    return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory to sort %d entries of a matrix.", n);
  }
  int *by_row = work, *by_column = work + room, *next = by_column + room;
  sort_by(by_row, NULL, n, row, rows, next);
  sort_by(by_column, by_row, n, col, cols, next);
  merge_sorted(a, by_column, n, row, col, place);
  free(work);
  return FLY_OK;
}

// ---------------------------------------------------------------------------------- use

int fly_csc_find(const fly_csc *a, int row, int col) {
  int low = a->start[col], high = a->start[col + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (a->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low < a->start[col + 1] && a->row[low] == row ? low : -1;
}

void fly_csc_zero(fly_csc *a) {
  for (int k = 0; k < fly_csc_nnz(a); k++)
    a->val[k] = 0;
}

fly_status fly_csc_join_columns(fly_csc *a, fly_error *error) {
  return a->borrowed || a->slabs ? FLY_OK : fly_slabs_find(&a->slabs, a, error);
}

fly_status fly_csc_join_blocks(fly_csc *a, fly_error *error) {
  return a->borrowed || a->blocks || a->rows != a->cols ? FLY_OK : fly_blocks_find(&a->blocks, a, error);
}

// y shares no memory with the matrix: so its arrays need not be looked up again behind every sum.
void fly_csc_multiply_add(double *restrict y, const fly_csc *a, double alpha, const double *restrict x) {
  const int *restrict start = a->start, *restrict row = a->row;
  const double *restrict val = a->val;
  if (a->slabs) {
    fly_slabs_multiply_add(y, a, alpha, x);
    return;
  }
  for (int j = 0, k = 0; j < a->cols; j++) {
    const double xj = alpha * x[j];
    const int end = start[j + 1];
#pragma GCC unroll 4
    for (; k < end; k++)
      y[row[k]] += val[k] * xj;
  }
}

void fly_csc_multiply_transposed_add(double *restrict y, const fly_csc *a, double alpha, const double *restrict x) {
  const int *restrict start = a->start, *restrict row = a->row;
  const double *restrict val = a->val;
  for (int j = 0, k = 0; j < a->cols; j++) {
    double sum = 0;
    for (const int end = start[j + 1]; k < end; k++)
      sum += val[k] * x[row[k]];
    y[j] += alpha * sum;
  }
}

void fly_csc_multiply_two(const fly_csc *a, double *restrict y1, const double *restrict x1, double *restrict y2,
                          const double *restrict x2) {
  const int *restrict start = a->start, *restrict row = a->row;
  const double *restrict val = a->val;
  if (a->slabs) {
    fly_slabs_multiply_two(a, y1, x1, y2, x2);
    return;
  }
  for (int j = 0, k = 0; j < a->cols; j++) {
    const double one = x1[j], two = x2[j];
    for (const int end = start[j + 1]; k < end; k++) {
      y1[row[k]] += val[k] * one;
      y2[row[k]] += val[k] * two;
    }
  }
}

// y += A x and z += A^T w
static void multiply_both(const fly_csc *a, double *restrict y, const double *restrict x, double *restrict z,
                          const double *restrict w) {
  const int *restrict start = a->start, *restrict row = a->row;
  const double *restrict val = a->val;
  for (int j = 0, k = 0; j < a->cols; j++) {
    const double xj = x[j];
    double sum = 0;
    for (const int end = start[j + 1]; k < end; k++) {
      sum += val[k] * w[row[k]];
      y[row[k]] += val[k] * xj;
    }
    z[j] += sum;
  }
}

void fly_csc_multiply_all(const fly_csc *a, double *restrict y, const double *restrict x, double *restrict z1,
                          const double *restrict w1, double *restrict z2, const double *restrict w2) {
  const int *restrict start = a->start, *restrict row = a->row;
  const double *restrict val = a->val;
  if (z2 == NULL || a->slabs) {
    if (z2 == NULL)
      multiply_both(a, y, x, z1, w1);
    else
      fly_slabs_multiply_all(a, y, x, z1, w1, z2, w2);
    return;
  }
  for (int j = 0, k = 0; j < a->cols; j++) {
    const double xj = x[j];
    double sum1 = 0, sum2 = 0;
    for (const int end = start[j + 1]; k < end; k++) {
      sum1 += val[k] * w1[row[k]];
      sum2 += val[k] * w2[row[k]];
      y[row[k]] += val[k] * xj;
    }
    z1[j] += sum1;
    z2[j] = sum2;
  }
}

void fly_csc_multiply_symmetric(const fly_csc *a, double *restrict y1, const double *restrict x1, double *restrict y2,
                                const double *restrict x2) {
  const int *restrict start = a->start, *restrict row = a->row;
  const double *restrict val = a->val;
  if (a->blocks) {
    fly_blocks_multiply(a, y1, x1, y2, x2);
    return;
  }
  for (int j = 0, k = 0; j < a->cols; j++) {
    double sum1 = 0, sum2 = 0;
    for (const int end = start[j + 1]; k < end; k++) {
      sum1 += val[k] * x1[row[k]];
      sum2 += val[k] * x2[row[k]];
    }
    y1[j] += sum1;
    y2[j] += sum2;
  }
}
