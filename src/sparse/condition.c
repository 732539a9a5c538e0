#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "sparse/lapack.h"
#include "sparse/sparse.h"

// A dense m x n matrix, column by column, and what LAPACK needs beside it. Freed together.
typedef struct dense {
  const fly_lapack *lapack;
  int m, n, lwork;
  double *a;    // (m * n)
  double *s;    // singular values, descending (min(m, n))
  double *work; // (lwork)
} dense;

static void dense_free(dense *d) {
  free(d->a);
  free(d->s);
  free(d->work);
}

static int singular_values(dense *d, double *work, int lwork) {
  int info, one = 1;
  double unused;
  d->lapack->dgesvd_("N", "N", &d->m, &d->n, d->a, &d->m, d->s, &unused, &one, &unused, &one, work, &lwork, &info, 1,
                     1);
  return info;
}

static bool dense_allocate(dense *d) {
  size_t smaller = (size_t)(d->m < d->n ? d->m : d->n), size = (size_t)d->m * (size_t)d->n;
  d->a = calloc(size, sizeof *d->a);
  d->s = malloc(smaller * sizeof *d->s);
  if (d->a == NULL || d->s == NULL)
    return false;
  double wanted;
  singular_values(d, &wanted, -1); // asks for the size of the workspace
  d->lwork = (int)wanted;
  d->work = malloc((size_t)d->lwork * sizeof *d->work);
  return d->work != NULL;
}

static fly_status dense_fill(dense *d, const fly_csc *a, fly_error *error) {
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++) {
      if (!isfinite(a->val[k]))
        return fly_fail(error, FLY_NOT_FINITE, NAN, "Row %d, column %d of the matrix is %g.", a->row[k], j, a->val[k]);
      d->a[(size_t)j * (size_t)d->m + (size_t)a->row[k]] = a->val[k];
    }
  return FLY_OK;
}

// Divides n numbers, stride apart, by the largest of them. All zero: left so.
static void scale_to_one(double *x, int n, size_t stride) {
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(x[(size_t)i * stride]));
  for (int i = 0; largest > 0 && i < n; i++)
    x[(size_t)i * stride] /= largest;
}

static void dense_equilibrate(dense *d) {
  for (int i = 0; i < d->m; i++)
    scale_to_one(d->a + i, d->n, (size_t)d->m);
  for (int j = 0; j < d->n; j++)
    scale_to_one(d->a + (size_t)j * (size_t)d->m, d->m, 1);
}

static fly_status dense_condition(dense *d, double *condition, fly_error *error) {
  if (singular_values(d, d->work, d->lwork) != 0)
    return fly_fail(error, FLY_NO_CONVERGENCE, NAN, "The singular values of a %d x %d matrix did not converge.", d->m,
                    d->n);
  double largest = d->s[0], smallest = d->s[(d->m < d->n ? d->m : d->n) - 1];
  *condition = smallest > 0 ? largest / smallest : HUGE_VAL;
  return FLY_OK;
}

fly_status fly_csc_condition(const fly_csc *a, bool equilibrate, double *condition, fly_error *error) {
  *condition = 1;
  if (a->rows == 0 || a->cols == 0)
    return FLY_OK;
  dense d = {.m = a->rows, .n = a->cols};
  fly_status status = fly_lapack_ready(&d.lapack, error);
  if (status == FLY_OK && !dense_allocate(&d))
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "No memory for the singular values of a %d x %d matrix.", d.m, d.n);
  if (status == FLY_OK)
    status = dense_fill(&d, a, error);
  if (status == FLY_OK && equilibrate)
    dense_equilibrate(&d);
  if (status == FLY_OK)
    status = dense_condition(&d, condition, error);
  dense_free(&d);
  return status;
}
