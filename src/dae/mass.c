// A mass matrix at the start: no motion may have negative kinetic energy, v^T M v >= 0 for all v.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dae/solver.h"

static const double ROUNDING = 1e-10; // of the diagonal: what elimination may leave of a direction without mass
enum { LARGEST = 200 };               // velocities up to which all directions are looked at, not only one by one

static fly_status refuse(const fly_solver *s, int i, double value, const char *what, fly_error *error) {
  return fly_fail_at(
      error, FLY_BAD_INPUT, s->now.t, FLY_NOWHERE, "mass",
      "The mass matrix at t = %.9g s %s %d is %.6g: there are motions with negative kinetic energy. Look "
      "at the signs in the callback `mass`.",
      s->now.t, what, i, value);
}

static fly_status check_diagonal(const fly_solver *s, fly_error *error) {
  const fly_csc *M = &s->e.M;
  for (int j = 0; j < M->cols; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++)
      if (M->row[k] == j && M->val[k] < 0)
        return refuse(s, j, M->val[k], "has a negative mass: that of velocity", error);
  return FLY_OK;
}

// The symmetric part of M with unit diagonal, so that units do not matter; what has no mass has none off the diagonal.
static void fill(double *A, const fly_csc *M) {
  const int n = M->cols;
  for (int j = 0; j < n; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++) {
      A[(size_t)j * (size_t)n + (size_t)M->row[k]] += M->val[k] / 2;
      A[(size_t)M->row[k] * (size_t)n + (size_t)j] += M->val[k] / 2;
    }
  for (int j = 0; j < n; j++) {
    const double size = sqrt(A[(size_t)j * (size_t)n + (size_t)j]), by = size > 0 ? 1 / size : 1;
    for (int i = 0; i < n; i++) {
      A[(size_t)j * (size_t)n + (size_t)i] *= by;
      A[(size_t)i * (size_t)n + (size_t)j] *= by;
    }
  }
}

static int largest_pivot(const double *A, const int *done, int n) {
  int at = -1;
  for (int j = 0; j < n; j++)
    if (!done[j] && (at < 0 || A[(size_t)j * (size_t)n + (size_t)j] > A[(size_t)at * (size_t)n + (size_t)at]))
      at = j;
  return at;
}

// Cholesky's elimination with the largest pivot first: the worst of what it leaves, which must not be negative, nor
// have anything off the diagonal where that is zero.
static double eliminate(double *A, int *done, int n, int *worst) {
  for (int k = 0; k < n; k++) {
    const int p = largest_pivot(A, done, n);
    const double *row = A + (size_t)p * (size_t)n, pivot = row[p];
    if (pivot <= ROUNDING)
      break;
    done[p] = 1;
    for (int j = 0; j < n; j++) // mostly blocks of one body: nothing is met outside of its own
      for (int i = 0; i < n && !done[j] && row[j] != 0; i++)
        if (!done[i])
          A[(size_t)j * (size_t)n + (size_t)i] -= row[i] * row[j] / pivot;
  }
  double least = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n && !done[j]; i++) {
      const double left = A[(size_t)j * (size_t)n + (size_t)i], value = i == j ? left : -fabs(left);
      if (!done[i] && value < least) {
        least = value;
        *worst = j;
      }
    }
  return least;
}

fly_status fly_mass_check(const fly_solver *s, fly_error *error) {
  const int n = s->e.p.nv;
  fly_status status = check_diagonal(s, error);
  if (status || n < 2 || n > LARGEST || fly_csc_nnz(&s->e.M) == n)
    return status;
  double *A = calloc((size_t)n * (size_t)n, sizeof *A);
  int *done = calloc((size_t)n, sizeof *done), worst = 0;
  if (A && done) {
    fill(A, &s->e.M);
    const double least = eliminate(A, done, n, &worst);
    if (least < -ROUNDING * n)
      status =
          refuse(s, worst, least, "is indefinite: what elimination leaves, relative to its mass, of velocity", error);
  } else {
    status = fly_fail(error, FLY_NO_MEMORY, s->now.t, "Out of memory for a look at a mass matrix of %d rows.", n);
  }
  free(done);
  free(A);
  return status;
}
