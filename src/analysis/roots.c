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
  r->bound = fly_arena_doubles(memory, (size_t)room);
  r->zero = fly_arena_take(memory, (size_t)room, sizeof *r->zero);
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
static void add_symmetric(fly_roots *r, const fly_linear *l, const fly_resolve *v, const double *s) {
  double bound, mu = fly_resolve_quotient(v, s, &bound);
  const int k = r->count;
  const double rate = sqrt(fabs(mu));
  const bool falls = mu < -bound;
  expand(l, s, 1.0, fly_roots_add(r, l->nv, falls ? rate : 0.0, falls ? 0.0 : rate));
  if (fabs(mu) <= bound) {
    r->re[k] = r->im[k] = 0;
    r->bound[k] = sqrt(bound);
    fly_resolve_zero(v, r, k, s);
  }
  if (falls)
    expand(l, s, 1.0, fly_roots_add(r, l->nv, -rate, 0.0));
}

// The problem on m motions alone. Z: n x m.
static fly_status unmix(const fly_linear *l, double *mu, double *Z, int m, fly_arena *work, fly_error *error) {
  const int n = l->ndof;
  double *T = fly_arena_doubles(work, area(n, m)), *K = fly_arena_doubles(work, area(m, m));
  double *M = fly_arena_doubles(work, area(m, m));
  if (work->failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d modes.", n);
  fly_dense_multiply(T, 'N', 'N', n, m, n, 1.0, l->K, Z, 0.0);
  fly_dense_multiply(K, 'T', 'N', m, m, n, 1.0, Z, T, 0.0);
  fly_dense_multiply(T, 'N', 'N', n, m, n, 1.0, l->M, Z, 0.0);
  fly_dense_multiply(M, 'T', 'N', m, m, n, 1.0, Z, T, 0.0);
  fly_status status = fly_dense_eigen_symmetric(mu, K, M, m, error);
  if (status)
    return status;
  fly_dense_multiply(T, 'N', 'N', n, m, m, 1.0, Z, K, 0.0);
  memcpy(Z, T, area(n, m) * sizeof *Z);
  return FLY_OK;
}

// Errors of all are a part of the largest: so those that are small beside it are solved for again among themselves, and
// of these the small ones again. K: the motions, mu in order.
static fly_status separate_scales(const fly_linear *l, double *mu, double *K, fly_arena *work, fly_error *error) {
  int first = 0, count = l->ndof, before;
  fly_status status = FLY_OK;
  do {
    const double large = 1e-3 * fmax(fabs(mu[first]), fabs(mu[first + count - 1]));
    int low = first, high = first + count;
    while (low < high && mu[low] < -large)
      low++;
    while (high > low && mu[high - 1] > large)
      high--;
    before = count;
    first = low;
    count = high - low;
    if (count > 1 && count < before)
      status = unmix(l, mu + first, K + area(l->ndof, first), count, work, error);
  } while (status == FLY_OK && count > 1 && count < before);
  return status;
}

static fly_status symmetric(fly_roots *r, const fly_linear *l, fly_arena *work, fly_error *error) {
  int n = l->ndof;
  fly_resolve v;
  double *mu = fly_arena_doubles(work, (size_t)n), *K = fly_arena_doubles(work, area(n, n));
  double *M = fly_arena_doubles(work, area(n, n));
  if (work->failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d modes.", n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      K[area(n, j) + (size_t)i] = (l->K[area(n, j) + (size_t)i] + l->K[area(n, i) + (size_t)j]) / 2;
  memcpy(M, l->M, area(n, n) * sizeof *M);
  fly_status status = fly_resolve_create(&v, l, work, error);
  if (status == FLY_OK)
    status = fly_dense_eigen_symmetric(mu, K, M, n, error);
  r->undamped = true;
  if (status == FLY_OK)
    status = separate_scales(l, mu, K, work, error);
  for (int k = 0; k < n && status == FLY_OK; k++)
    add_symmetric(r, l, &v, K + area(n, k));
  return status;
}

// ------------------------------------------------------------------------------------------ general

// The state matrix with its roots, right and left vectors.
typedef struct spectrum {
  int N;
  double *A, *Z, *Y;
  double *re, *im, *rcond, norm;
  double *driven;       // of roots that are zero: growth that must be beside them, 0: none (N)
  double *x, *y, *work; // a root's vectors as real and imaginary parts (2 N), (2 N), (3 N)
} spectrum;

static void take_vector(const spectrum *s, const double *from, int k, double *to) {
  memset(to, 0, 2 * (size_t)s->N * sizeof *to);
  memcpy(to, from + area(s->N, k), (size_t)s->N * sizeof *to);
  if (s->im[k] > 0)
    memcpy(to + s->N, from + area(s->N, k + 1), (size_t)s->N * sizeof *to);
}

static double gap_to_next(const spectrum *s, int k) {
  double gap = INFINITY;
  for (int j = 0; j < s->N; j++)
    if (j != k)
      gap = fmin(gap, hypot(s->re[j] - s->re[k], s->im[j] - s->im[k]));
  return gap;
}

// most: the largest |s|. A double zero may come apart by the root of its rounding.
static void add_general(fly_roots *r, const fly_linear *l, const fly_resolve *v, const spectrum *s, int k,
                        double most) {
  double re = s->re[k], im = s->im[k], bound;
  const int root = r->count;
  take_vector(s, s->Z, k, s->x);
  take_vector(s, s->Y, k, s->y);
  fly_resolve_rayleigh(s->A, s->N, s->x, s->y, s->work, &re, &im, &bound);
  bound += fly_resolve_solver(s->norm, s->rcond[k], gap_to_next(s, k));
  if (l->eval.p.nx > 0)
    bound += 64 * EPS * s->norm; // with states A itself is solved for, and is no better than that
  const bool small = s->re[k] * s->re[k] + s->im[k] * s->im[k] <= 64 * EPS * s->N * most * most;
  double *z = fly_roots_add(r, l->nv, small ? re : s->re[k], small ? im : s->im[k]);
  expand(l, s->x, 1.0, z);
  if (im > 0)
    expand(l, s->x + s->N, 1.0, z + l->nv);
  r->bound[root] = bound;
  if (!small || hypot(re, im) > bound)
    return;
  fly_resolve_zero(v, r, root, s->x);
  s->driven[root] = r->zero[root] == FLY_ROOT_RIGID ? fly_resolve_driven(v, s->x) : 0.0;
}

// A growth that must be there, of what nothing holds, and was not found: rounding hides it.
static void look_for_driven(fly_roots *r, const spectrum *s) {
  for (int k = 0; k < r->count; k++) {
    bool found = s->driven[k] == 0;
    for (int j = 0; j < r->count && !found; j++)
      found = !r->zero[j] && fabs(r->re[j] - s->driven[k]) < s->driven[k] / 2;
    if (found)
      continue;
    r->zero[k] = FLY_ROOT_UNRESOLVED;
    r->bound[k] = fmax(r->bound[k], s->driven[k]);
  }
}

static bool take_spectrum(spectrum *s, int N, fly_arena *work) {
  *s = (spectrum){.N = N, .A = fly_arena_doubles(work, area(N, N)), .Z = fly_arena_doubles(work, area(N, N))};
  s->Y = fly_arena_doubles(work, area(N, N));
  s->re = fly_arena_doubles(work, (size_t)N);
  s->im = fly_arena_doubles(work, (size_t)N);
  s->rcond = fly_arena_doubles(work, (size_t)N);
  s->driven = fly_arena_doubles(work, (size_t)N);
  s->x = fly_arena_doubles(work, 2 * (size_t)N);
  s->y = fly_arena_doubles(work, 2 * (size_t)N);
  s->work = fly_arena_doubles(work, 3 * (size_t)N);
  return !work->failed;
}

static fly_status general(fly_roots *r, const fly_linear *l, fly_arena *work, fly_error *error) {
  const int N = fly_roots_dense_room(l);
  fly_resolve v;
  spectrum s;
  double *copy = fly_arena_doubles(work, area(N, N)), most = 0;
  if (!take_spectrum(&s, N, work))
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d modes.", N);
  fly_status status = fly_linear_state_matrix(l, s.A, error);
  if (status == FLY_OK)
    status = fly_resolve_create(&v, l, work, error);
  if (status)
    return status;
  memcpy(copy, s.A, area(N, N) * sizeof *copy);
  status = fly_dense_eigen_expert(&(fly_dense_spectrum){s.re, s.im, s.Z, s.Y, s.rcond}, copy, N, &s.norm, error);
  for (int k = 0; k < N && status == FLY_OK; k++)
    most = fmax(most, hypot(s.re[k], s.im[k]));
  for (int k = 0; k < N && status == FLY_OK; k++)
    if (s.im[k] >= 0)
      add_general(r, l, &v, &s, k, most);
  if (status == FLY_OK)
    look_for_driven(r, &s);
  return status;
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
