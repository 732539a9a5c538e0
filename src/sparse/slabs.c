#include "sparse/slabs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/wide.h"
#include "sparse/lanes.h"

enum { ANY = 1, TWO = 2, THREE = 3 }; // columns of any number of entries, of two entries; slabs

// ------------------------------------------------------------------------------------------ finding them

static bool same_rows(const fly_csc *a, int i, int j) {
  const int n = a->start[i + 1] - a->start[i];
  return n == a->start[j + 1] - a->start[j] &&
         memcmp(a->row + a->start[i], a->row + a->start[j], (size_t)n * sizeof *a->row) == 0;
}

static int columns_of(const fly_csc *a, int j) {
  const bool three = j + THREE <= a->cols && a->start[j + 1] - a->start[j] >= THREE; // fewer are not worth it
  return three && same_rows(a, j, j + 1) && same_rows(a, j, j + 2) ? THREE : 1;
}

static int entries_of(const fly_csc *a, int j) { return a->start[j + 1] - a->start[j]; }

// The numbers of a slab, or of a column by itself; out NULL: they are counted.
static int describe(const fly_csc *a, int j, int columns, int *out) {
  int numbers[2] = {columns == THREE ? THREE : entries_of(a, j) == TWO ? TWO : ANY, entries_of(a, j)}, n = 2;
  const int first = a->start[j], end = columns == THREE ? a->start[j + 1] : first;
  if (columns == THREE)
    numbers[1] = 0;
  for (int k = first, length; k < end; k += length, numbers[1]++, n += 2) {
    for (length = 1; k + length < end && a->row[k + length] == a->row[k] + length;)
      length++;
    if (out) {
      out[n] = a->row[k];
      out[n + 1] = length;
    }
  }
  if (out)
    memcpy(out, numbers, sizeof numbers);
  return n;
}

static fly_status no_memory(const fly_csc *a, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory for what the columns of a %d x %d matrix have in common.",
                  a->rows, a->cols);
}

fly_status fly_slabs_find(int **out, const fly_csc *a, fly_error *error) {
  size_t numbers = 0;
  int shared = 0;
  *out = NULL;
  for (int j = 0, columns; j < a->cols; j += columns) {
    columns = columns_of(a, j);
    numbers += (size_t)describe(a, j, columns, NULL);
    shared += columns == THREE ? a->start[j + THREE] - a->start[j] : 0;
  }
  if (shared == 0 || 2 * shared < fly_csc_nnz(a))
    return FLY_OK;
  int *next = *out = malloc(numbers * sizeof *next);
  if (next == NULL)
    return no_memory(a, error);
  for (int j = 0, columns; j < a->cols; j += columns) {
    columns = columns_of(a, j);
    next += describe(a, j, columns, next);
  }
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ a run of rows

// Entries of each of the columns of a slab.
INLINED long rows_of(const int *run, int runs) {
  long n = run[1];
  for (int i = 1; i < runs; i++)
    n += run[2 * i + 1];
  return n;
}

// y (length) += A x of three columns, so many entries apart, several rows at a time.
INLINED void add_rows(double *restrict y, const double *restrict val, long apart, const double *restrict x,
                      int length) {
  const double *v0 = val, *v1 = val + apart, *v2 = v1 + apart;
  int i = 0;
  for (; i + FOUR <= length; i += FOUR) {
    quad sum = *(const quad *)(y + i) + *(const quad *)(v0 + i) * x[0];
    sum += *(const quad *)(v1 + i) * x[1];
    *(quad *)(y + i) = sum + *(const quad *)(v2 + i) * x[2];
  }
  if (length & 2) {
    pair sum = *(const pair *)(y + i) + *(const pair *)(v0 + i) * x[0];
    sum += *(const pair *)(v1 + i) * x[1];
    *(pair *)(y + i) = sum + *(const pair *)(v2 + i) * x[2];
    i += 2;
  }
  if (length & 1)
    y[i] = ((y[i] + v0[i] * x[0]) + v1[i] * x[1]) + v2[i] * x[2];
}

// Of each of three columns a (w1, w2), further on from what the rows before gave.
INLINED void sum_rows(pair sum[THREE], const double *restrict val, long apart, const double *restrict w1,
                      const double *restrict w2, int length) {
  for (int i = 0; i < length; i++) {
    const pair w = {w1[i], w2[i]};
    sum[0] += val[i] * w;
    sum[1] += val[apart + i] * w;
    sum[2] += val[2 * apart + i] * w;
  }
}

// ------------------------------------------------------------------------------------------ products

FLY_WIDE void fly_slabs_multiply_add(double *restrict y, const fly_csc *a, double alpha, const double *restrict x) {
  const int *restrict next = a->slabs, *restrict row = a->row;
  const double *restrict val = a->val, *end = x + a->cols;
  while (x < end) {
    const int kind = next[0], parts = next[1];
    next += 2;
    if (kind == TWO) {
      const double xj = alpha * *x++;
      y[row[0]] += val[0] * xj;
      y[row[1]] += val[1] * xj;
      val += TWO, row += TWO;
    } else if (kind == ANY) {
      const double xj = alpha * *x++;
      for (int i = 0; i < parts; i++)
        y[row[i]] += val[i] * xj;
      val += parts, row += parts;
    } else {
      const double by[THREE] = {alpha * x[0], alpha * x[1], alpha * x[2]};
      const long apart = rows_of(next, parts);
      for (int i = 0; i < parts; i++, next += 2) {
        add_rows(y + next[0], val, apart, by, next[1]);
        val += next[1];
      }
      val += 2 * apart, row += 3 * apart, x += THREE;
    }
  }
}

FLY_WIDE void fly_slabs_multiply_two(const fly_csc *a, double *restrict y1, const double *restrict x1,
                                     double *restrict y2, const double *restrict x2) {
  const int *restrict next = a->slabs, *restrict row = a->row;
  const double *restrict val = a->val, *end = x1 + a->cols;
  while (x1 < end) {
    const int kind = next[0], parts = next[1];
    next += 2;
    if (kind != THREE) {
#pragma GCC unroll 2
      for (int i = 0; i < parts; i++) {
        y1[row[i]] += val[i] * x1[0];
        y2[row[i]] += val[i] * x2[0];
      }
      val += parts, row += parts, x1++, x2++;
    } else {
      const long apart = rows_of(next, parts);
      for (int i = 0; i < parts; i++, next += 2) {
        add_rows(y1 + next[0], val, apart, x1, next[1]);
        add_rows(y2 + next[0], val, apart, x2, next[1]);
        val += next[1];
      }
      val += 2 * apart, row += 3 * apart, x1 += THREE, x2 += THREE;
    }
  }
}

// z1 += and z2 = the sums of neighbouring columns.
INLINED void keep_sums(double *restrict *z1, double *restrict *z2, const pair *sum, const int columns) {
  for (int c = 0; c < columns; c++) {
    (*z1)[c] += sum[c][0];
    (*z2)[c] = sum[c][1];
  }
  *z1 += columns;
  *z2 += columns;
}

FLY_WIDE void fly_slabs_multiply_all(const fly_csc *a, double *restrict y, const double *restrict x,
                                     double *restrict z1, const double *restrict w1, double *restrict z2,
                                     const double *restrict w2) {
  const int *restrict next = a->slabs, *restrict row = a->row;
  const double *restrict val = a->val, *end = x + a->cols;
  while (x < end) {
    const int kind = next[0], parts = next[1];
    next += 2;
    if (kind == TWO) {
      const pair first = val[0] * (pair){w1[row[0]], w2[row[0]]}, zero = {0};
      const pair sum = (zero + first) + val[1] * (pair){w1[row[1]], w2[row[1]]};
      y[row[0]] += val[0] * *x;
      y[row[1]] += val[1] * *x;
      keep_sums(&z1, &z2, &sum, 1);
      val += TWO, row += TWO, x++;
    } else if (kind == ANY) {
      pair sum = {0};
      for (int i = 0; i < parts; i++) {
        sum += val[i] * (pair){w1[row[i]], w2[row[i]]};
        y[row[i]] += val[i] * *x;
      }
      keep_sums(&z1, &z2, &sum, 1);
      val += parts, row += parts, x++;
    } else {
      pair sum[THREE] = {{0}};
      const long apart = rows_of(next, parts);
      for (int i = 0; i < parts; i++, next += 2) {
        sum_rows(sum, val, apart, w1 + next[0], w2 + next[0], next[1]);
        add_rows(y + next[0], val, apart, x, next[1]);
        val += next[1];
      }
      keep_sums(&z1, &z2, sum, THREE);
      val += 2 * apart, row += 3 * apart, x += THREE;
    }
  }
}

// ------------------------------------------------------------------------------------------ blocks on the diagonal

static bool is_block(const fly_csc *a, int j, int columns) {
  for (int c = j; c < j + columns; c++) {
    if (c >= a->cols || entries_of(a, c) != columns || a->row[a->start[c]] != j ||
        a->row[a->start[c + 1] - 1] != j + columns - 1)
      return false;
  }
  return true;
}

// Writes the list; false: there are others.
static bool list_blocks(int *list, const fly_csc *a) {
  for (int j = 0; j < a->cols; list += 2) {
    list[0] = list[1] = 0;
    for (; is_block(a, j, 1); j++)
      list[0]++;
    for (; is_block(a, j, THREE); j += THREE)
      list[1]++;
    if (list[1] == 0 && j < a->cols)
      return false;
  }
  return true;
}

fly_status fly_blocks_find(int **out, const fly_csc *a, fly_error *error) {
  int *list = *out = malloc(((size_t)a->cols + 2) * sizeof *list);
  if (list == NULL)
    return no_memory(a, error);
  if (!list_blocks(list, a)) {
    free(list);
    *out = NULL;
  }
  return FLY_OK;
}

// y1 += A x1 and y2 += A x2 of three numbers.
INLINED void add_block(const double *val, double *restrict y1, const double *restrict x1, double *restrict y2,
                       const double *restrict x2) {
  const pair x = {x1[0], x2[0]}, y = {x1[1], x2[1]}, z = {x1[2], x2[2]};
#pragma GCC unroll 3
  for (int c = 0; c < THREE; c++) {
    const pair sum = (val[3 * c] * x + val[3 * c + 1] * y) + val[3 * c + 2] * z;
    y1[c] += sum[0];
    y2[c] += sum[1];
  }
}

INLINED void add_own(const double *val, double *restrict y, const double *restrict x, int n) {
  if (n == THREE) {
    *(pair *)y += *(const pair *)val * *(const pair *)x;
    y[2] += val[2] * x[2];
    return;
  }
  for (int i = 0; i < n; i++)
    y[i] += val[i] * x[i];
}

FLY_WIDE void fly_blocks_multiply(const fly_csc *a, double *restrict y1, const double *restrict x1, double *restrict y2,
                                  const double *restrict x2) {
  const double *restrict val = a->val, *end = y1 + a->cols;
  for (const int *next = a->blocks; y1 < end; next += 2) {
    add_own(val, y1, x1, next[0]);
    add_own(val, y2, x2, next[0]);
    val += next[0], y1 += next[0], x1 += next[0], y2 += next[0], x2 += next[0];
    for (int k = 0; k < next[1]; k++, val += 9, y1 += THREE, x1 += THREE, y2 += THREE, x2 += THREE)
      add_block(val, y1, x1, y2, x2);
  }
}
