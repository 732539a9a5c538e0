// Eigenvalues of a linearized model by dense matrices.
#include <math.h>
#include <string.h>

#include "analysis/modes.h"
#include "base/error.h"
#include "sparse/dense.h"

static const double EPS = 2.220446049250313e-16;

static size_t area(int m, int n) { return (size_t)m * (size_t)n; }

fly_status fly_roots_create(fly_roots *r, int room, int nv, fly_arena *memory, fly_error *error) {
  *r = (fly_roots){.room = room, .all = true, .stability = true};
  r->re = fly_arena_doubles(memory, (size_t)room);
  r->im = fly_arena_doubles(memory, (size_t)room);
  r->z = fly_arena_doubles(memory, 2 * area(nv, room));
  return memory->failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d modes.", room) : FLY_OK;
}

double *fly_roots_add(fly_roots *r, int nv, double re, double im) {
  if (r->count == r->room)
    return NULL;
  r->re[r->count] = re;
  r->im[r->count] = im;
  return r->z + 2 * area(nv, r->count++);
}

int fly_roots_dense_room(const fly_linear *l) { return 2 * l->ndof + l->eval.p.nx; }

// z += factor Z s
static void expand(const fly_linear *l, const double *s, double factor, double *z) {
  fly_dense_multiply(z, 'N', 'N', l->nv, 1, l->ndof, factor, l->Z, s, 1.0);
}

// ------------------------------------------------------------------------------------------ symmetric

// mu = -s^2: below zero there are two real roots.
static void add_symmetric(fly_roots *r, const fly_linear *l, double mu, const double *s) {
  double rate = sqrt(fabs(mu));
  if (mu >= -r->zero) {
    expand(l, s, 1.0, fly_roots_add(r, l->nv, 0.0, rate));
    return;
  }
  expand(l, s, 1.0, fly_roots_add(r, l->nv, rate, 0.0));
  expand(l, s, 1.0, fly_roots_add(r, l->nv, -rate, 0.0));
}

static fly_status symmetric(fly_roots *r, const fly_linear *l, fly_arena *work, fly_error *error) {
  int n = l->ndof;
  double *mu = fly_arena_doubles(work, (size_t)n), *K = fly_arena_doubles(work, area(n, n));
  double *M = fly_arena_doubles(work, area(n, n));
  if (work->failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d modes.", n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      K[area(n, j) + (size_t)i] = (l->K[area(n, j) + (size_t)i] + l->K[area(n, i) + (size_t)j]) / 2;
  memcpy(M, l->M, area(n, n) * sizeof *M);
  fly_status status = fly_dense_eigen_symmetric(mu, K, M, n, error);
  if (status)
    return status;
  r->undamped = true;
  r->zero = 64 * EPS * n * fmax(fabs(mu[0]), fabs(mu[n - 1]));
  for (int k = 0; k < n; k++)
    add_symmetric(r, l, mu[k], K + area(n, k));
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ general

static fly_status general(fly_roots *r, const fly_linear *l, fly_arena *work, fly_error *error) {
  int N = fly_roots_dense_room(l);
  double *A = fly_arena_doubles(work, area(N, N)), *Z = fly_arena_doubles(work, area(N, N));
  double *re = fly_arena_doubles(work, (size_t)N), *im = fly_arena_doubles(work, (size_t)N), most = 0;
  if (work->failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d modes.", N);
  fly_status status = fly_linear_state_matrix(l, A, error);
  if (status == FLY_OK)
    status = fly_dense_eigen(re, im, Z, A, N, error);
  if (status)
    return status;
  for (int k = 0; k < N; k++)
    most = fmax(most, hypot(re[k], im[k]));
  r->zero = 64 * EPS * N * most * most; // a double zero comes out as the root of rounding errors
  r->noise = 64 * EPS * N * most;
  for (int k = 0; k < N; k++) {
    if (im[k] < 0)
      continue;
    double *z = fly_roots_add(r, l->nv, re[k], im[k]);
    expand(l, Z + area(N, k), 1.0, z);
    if (im[k] > 0)
      expand(l, Z + area(N, k + 1), 1.0, z + l->nv);
  }
  return FLY_OK;
}

fly_status fly_roots_dense(fly_roots *r, const fly_linear *l, fly_error *error) {
  bool plain = l->eval.p.nx == 0 && l->damping < 1e-12 && l->asymmetry < 1e-12;
  fly_arena work = {0};
  fly_status status = plain ? symmetric(r, l, &work, error) : general(r, l, &work, error);
  fly_arena_free(&work);
  if (status == FLY_SINGULAR)
    fly_fail(error, status, NAN, "The mass matrix of what can move is singular: something moves that has no mass.");
  return status;
}
