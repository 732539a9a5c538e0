// Velocities split by the constraints of a rigid problem: P e along them, mass-orthogonal to what G sees, and G e.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

// Values in a pattern become a dense matrix (rows), column by column.
static void spread(double *dense, const double *values, const fly_pattern *p, int rows, int cols) {
  if (p->start == NULL) {
    memcpy(dense, values, (size_t)(rows * cols) * sizeof *dense);
    return;
  }
  memset(dense, 0, (size_t)(rows * cols) * sizeof *dense);
  for (int j = 0; j < cols; j++)
    for (int k = p->start[j]; k < p->start[j + 1]; k++)
      dense[j * rows + p->row[k]] = values[k];
}

// A x = b in place of b, row by row, with pivots.
static bool solve(double *A, double *b, int n) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      pivot = fabs(A[i * n + k]) > fabs(A[pivot * n + k]) ? i : pivot;
    if (A[pivot * n + k] == 0)
      return false;
    for (int j = 0; j < n; j++) {
      const double swap = A[k * n + j];
      A[k * n + j] = A[pivot * n + j];
      A[pivot * n + j] = swap;
    }
    const double swap = b[k];
    b[k] = b[pivot];
    b[pivot] = swap;
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++)
        A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++)
      b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
  return true;
}

// [M G^T; G 0] (P e, mu) = (M e, 0)
static void fill(double *A, double *b, const double *M, const double *G, const double *e, int nv, int ng) {
  const int n = nv + ng;
  memset(A, 0, (size_t)(n * n) * sizeof *A);
  memset(b, 0, (size_t)n * sizeof *b);
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) {
      A[i * n + j] = M[j * nv + i];
      b[i] += M[j * nv + i] * e[j];
    }
  for (int i = 0; i < ng; i++)
    for (int j = 0; j < nv; j++)
      A[(nv + i) * n + j] = A[j * n + nv + i] = G[j * ng + i];
}

bool verify_project(const fly_dae_problem *p, double t, const double *q, const double *e, verify_split *out) {
  const int nv = p->nv, ng = p->ng, n = nv + ng;
  const size_t square = (size_t)(n * n);
  double *memory = calloc(4 * square + (size_t)n, sizeof *memory);
  *out = (verify_split){NAN, NAN};
  if (memory == NULL || p->constraint_jacobian == NULL) {
    free(memory);
    return false;
  }
  double *values = memory, *M = values + square, *G = M + square, *A = G + square, *b = A + square;
  bool done = p->mass(values, t, q, p->user) == 0;
  spread(M, values, &p->mass_pattern, nv, nv);
  memset(values, 0, square * sizeof *values);
  done = done && p->constraint_jacobian(values, t, q, p->user) == 0;
  spread(G, values, &p->constraint_pattern, ng, nv);
  fill(A, b, M, G, e, nv, ng);
  if (done && solve(A, b, n)) {
    *out = (verify_split){0, 0};
    for (int i = 0; i < nv; i++)
      out->along = fmax(out->along, fabs(b[i]));
    for (int i = 0; i < ng; i++) {
      double row = 0;
      for (int j = 0; j < nv; j++)
        row += G[j * ng + i] * e[j];
      out->across = fmax(out->across, fabs(row));
    }
  }
  free(memory);
  return done;
}
