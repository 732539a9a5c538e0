// Poles of a model with its loop opened or closed, and where the response of the loop is zero.
//
// A delay is a line along which what comes in wanders: w' = -(1/T) dw/dtheta, theta from 0 to 1. Chebyshev's
// polynomials make K numbers of it, and its poles converge faster than any power of 1/K (Breda, Maset, Vermiglio 2005).
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/opened.h"
#include "base/error.h"
#include "math/constants.h"
#include "sparse/dense.h"

enum { LEAST_NODES = 24, MOST_NODES = 160 };
enum { POLISH = 30 };                             // steps of the secant
static const double ROUNDING = 1e3 * DBL_EPSILON; // of a solution with matrices of hundreds of rows

static size_t area(int m, int n) { return (size_t)m * (size_t)n; }

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the poles of a loop.");
}

static bool take(fly_poles *p, int count, fly_arena *memory) {
  p->count = count;
  p->re = fly_arena_doubles(memory, (size_t)count);
  p->im = fly_arena_doubles(memory, (size_t)count);
  p->bound = fly_arena_doubles(memory, (size_t)count);
  return !memory->failed;
}

// ------------------------------------------------------------------------------------------ the matrix

// Points theta_i and the derivative there of what has values at them, (K + 1) x (K + 1) (Trefethen 2000, chapter 6).
static double point(int K, int i) { return (1 - cos(FLY_TAU / 2 * i / K)) / 2; }

static void differentiate(double *D, int K) {
  for (int i = 0; i <= K; i++) {
    double sum = 0;
    for (int j = 0; j <= K; j++) {
      if (i == j)
        continue;
      const double c = (i % K ? 1.0 : 2.0) / (j % K ? 1.0 : 2.0) * ((i + j) % 2 ? -1.0 : 1.0);
      D[area(K + 1, j) + (size_t)i] = c / (point(K, i) - point(K, j));
      sum += D[area(K + 1, j) + (size_t)i];
    }
    D[area(K + 1, i) + (size_t)i] = -sum;
  }
}

// The ports that are closed, as rows over all states Y = (X, lines): u_k = U_k Y, w_k = W_k Y.
typedef struct closing {
  fly_opened *o;
  int first;     // ports from here on are closed
  int K, N;      // numbers of a line; of all states
  int *line;     // of each port: where its line begins; -1: none (m)
  double *U, *W; // (m x N)
} closing;

// Without a delay the first port is u_0 = w_0 = C_0 X + D_00 u_0 + sum D_0k u_k.
static bool close_ports(closing *c) {
  const fly_opened *o = c->o;
  const int m = o->m, N = c->N;
  for (int k = c->first; k < m; k++)
    if (c->line[k] >= 0)
      c->U[area(N, k) + (size_t)(c->line[k] + c->K - 1)] = 1;
  if (c->first == 0 && c->line[0] < 0) {
    const double left = 1 - o->D[0];
    for (int i = 0; i < N; i++) {
      double sum = i < o->n ? o->C[area(m, i)] : 0.0;
      for (int k = 1; k < m; k++)
        sum += o->D[area(m, k)] * c->U[area(N, k) + (size_t)i];
      c->U[i] = sum / left;
    }
    if (left == 0)
      return false;
  }
  for (int k = 0; k < m; k++)
    for (int i = 0; i < N; i++) {
      c->W[area(N, k) + (size_t)i] = i < o->n ? o->C[area(m, i) + (size_t)k] : 0.0;
      for (int j = 0; j < m; j++)
        c->W[area(N, k) + (size_t)i] += o->D[area(m, j) + (size_t)k] * c->U[area(N, j) + (size_t)i];
    }
  return true;
}

static void fill_matrix(const closing *c, const double *line, double *A) {
  const fly_opened *o = c->o;
  const int n = o->n, N = c->N, K = c->K;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < n; i++) {
      double sum = j < n ? o->A[area(n, j) + (size_t)i] : 0.0;
      for (int k = 0; k < o->m; k++)
        sum += o->B[area(n, k) + (size_t)i] * c->U[area(N, k) + (size_t)j];
      A[area(N, j) + (size_t)i] = sum;
    }
  for (int k = c->first; k < o->m; k++)
    for (int i = 1; i <= K && c->line[k] >= 0; i++) {
      const int row = c->line[k] + i - 1;
      for (int j = 1; j <= K; j++)
        A[area(N, c->line[k] + j - 1) + (size_t)row] -= line[area(K + 1, j) + (size_t)i] / o->late[k];
      for (int j = 0; j < N; j++)
        A[area(N, j) + (size_t)row] -= line[i] / o->late[k] * c->W[area(N, k) + (size_t)j];
    }
}

static fly_status make_matrix(closing *c, double **A, fly_arena *work, fly_error *error) {
  const fly_opened *o = c->o;
  c->line = fly_arena_ints(work, (size_t)o->m);
  c->N = o->n;
  if (!c->line)
    return no_memory(error);
  for (int k = 0; k < o->m; k++) {
    c->line[k] = k >= c->first && o->late[k] > 0 ? c->N : -1;
    c->N += c->line[k] >= 0 ? c->K : 0;
  }
  c->U = fly_arena_doubles(work, area(c->N, o->m));
  c->W = fly_arena_doubles(work, area(c->N, o->m));
  *A = fly_arena_doubles(work, area(c->N, c->N));
  double *line = fly_arena_doubles(work, area(c->K + 1, c->K + 1));
  if (work->failed || !*A)
    return no_memory(error);
  differentiate(line, c->K);
  if (!close_ports(c))
    return fly_fail(error, FLY_SINGULAR, NAN, "The loop has no solution when it is closed: it gives back all it gets.");
  fill_matrix(c, line, *A);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ poles

// 1 + L = 0 by the secant, from a pole that is nearly right. False: there is none so near.
static bool polish(fly_opened *o, double *re, double *im) {
  const double complex start = fly_complex(*re, *im);
  double complex a = start, b = start + 1e-6 * (cabs(start) + 1e-6), fa = 1 + fly_opened_at(o, a);
  for (int k = 0; k < POLISH; k++) {
    const double complex fb = 1 + fly_opened_at(o, b), step = fb * (b - a) / (fb - fa);
    if (!isfinite(creal(step)) || !isfinite(cimag(step)))
      break;
    a = b;
    fa = fb;
    b -= step;
    if (cabs(step) <= 1e-13 * cabs(b))
      break;
  }
  if (cabs(fa) > 1e-6 || cabs(b - start) > 1e-2 * cabs(start)) // none, or another
    return false;
  *re = creal(b);
  *im = cimag(b);
  return true;
}

static double longest_line(const fly_opened *o) {
  double longest = 0;
  for (int k = 0; k < o->m; k++)
    longest = fmax(longest, o->late[k]);
  return longest;
}

// Of a pair the second is the mirror image of the first. What is none, and far to the left, belongs to the polynomials.
static void polish_all(fly_poles *p, fly_opened *o) {
  const double left = -1 / longest_line(o);
  for (int k = 0; k < p->count; k++) {
    if (p->im[k] < 0 && k > 0) {
      p->re[k] = p->re[k - 1];
      p->im[k] = -p->im[k - 1];
    } else if (!polish(o, &p->re[k], &p->im[k]) && p->re[k] < left) {
      p->re[k] = -INFINITY;
    }
  }
}

// Is (A - i w) singular within rounding? Then it answers something by more than 1/(eps |A|). A is balanced; two (2 N x
// 2 N) and x (2 N) are work.
static bool is_singular(const double *A, int N, double w, double norm, double *two, double *x) {
  const int M = 2 * N;
  double size = 0;
  memset(two, 0, area(M, M) * sizeof *two);
  for (int j = 0; j < N; j++) {
    for (int half = 0; half < 2; half++)
      memcpy(two + area(M, half * N + j) + half * N, A + area(N, j), (size_t)N * sizeof *two);
    two[area(M, j) + (size_t)(N + j)] = -w;
    two[area(M, N + j) + (size_t)j] = w;
    x[j] = 1 + 0.3 * (j % 3); // nothing that could be in no part of the answer
    x[N + j] = 1 - 0.2 * (j % 4);
  }
  if (fly_dense_solve(two, x, M, 1, NULL))
    return true;
  for (int j = 0; j < M; j++)
    size = fmax(size, fabs(x[j]));
  return !(size * norm * ROUNDING < 1);
}

// A pole is on the axis if rounding could have moved it there. Of several that are equal each may lie off by a root of
// eps, which its condition exaggerates: whether there is one on the axis is asked of the matrix.
static fly_status find_bounds(fly_poles *p, double *A, int N, double norm, fly_arena *work, fly_error *error) {
  double *two = fly_arena_doubles(work, area(2 * N, 2 * N)), *x = fly_arena_doubles(work, 2 * (size_t)N);
  if (work->failed)
    return no_memory(error);
  const fly_status status = fly_dense_hessenberg(A, NULL, NULL, N, 0, 0, error);
  for (int k = 0; k < N && status == FLY_OK; k++) {
    p->bound[k] = 8 * DBL_EPSILON * norm / fmax(p->bound[k], 1e-300);
    if (fabs(p->re[k]) <= p->bound[k] && !is_singular(A, N, p->im[k], norm, two, x))
      p->bound[k] = 0;
  }
  return status;
}

static fly_status eigenvalues(fly_poles *p, double *A, int N, fly_arena *memory, fly_arena *work, fly_error *error) {
  double norm = 0, *copy = fly_arena_doubles(work, area(N, N));
  if (!take(p, N, memory))
    return no_memory(error);
  fly_dense_spectrum s = {p->re, p->im, fly_arena_doubles(work, area(N, N)), fly_arena_doubles(work, area(N, N)),
                          p->bound};
  if (work->failed || !A)
    return no_memory(error);
  memcpy(copy, A, area(N, N) * sizeof *copy);
  const fly_status status = fly_dense_eigen_expert(&s, A, N, &norm, error);
  return status ? status : find_bounds(p, copy, N, norm, work, error);
}

static int nodes_of(const fly_opened *o, double highest) {
  const double wanted = LEAST_NODES + longest_line(o) * highest;
  return wanted < MOST_NODES ? (int)wanted : MOST_NODES;
}

fly_status fly_opened_poles(fly_poles *p, fly_opened *o, int first, double highest, fly_arena *memory,
                            fly_error *error) {
  fly_arena work = {0};
  double *A = NULL;
  closing c = {.o = o, .first = first, .K = nodes_of(o, highest)};
  fly_status status = make_matrix(&c, &A, &work, error);
  if (status == FLY_OK)
    status = eigenvalues(p, A, c.N, memory, &work, error);
  if (status == FLY_OK && first == 0 && longest_line(o) > 0)
    polish_all(p, o);
  fly_arena_free(&work);
  return status;
}

// (A - s, B_0; C_0, D_00) is singular.
fly_status fly_opened_zeros(fly_poles *p, const fly_opened *o, fly_arena *memory, fly_error *error) {
  const int n = o->n, N = n + 1;
  fly_arena work = {0};
  double *A = fly_arena_doubles(&work, area(N, N)), *E = fly_arena_doubles(&work, area(N, N));
  fly_status status = take(p, N, memory) && !work.failed ? FLY_OK : no_memory(error);
  for (int j = 0; j < n && status == FLY_OK; j++) {
    memcpy(A + area(N, j), o->A + area(n, j), (size_t)n * sizeof *A);
    A[area(N, j) + (size_t)n] = o->C[area(o->m, j)];
    A[area(N, n) + (size_t)j] = o->B[j];
    E[area(N, j) + (size_t)j] = 1;
  }
  if (status == FLY_OK) {
    A[area(N, n) + (size_t)n] = o->D[0];
    status = fly_dense_eigen_pencil(p->re, p->im, A, E, N, error);
  }
  fly_arena_free(&work);
  return status;
}
