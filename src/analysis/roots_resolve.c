// What rounding lets one say of eigenvalues: how well each is known, and which zeros are those of rigid bodies
// (docs/theory/modes.md, M-bound).
#include <math.h>
#include <string.h>

#include "analysis/modes.h"
#include "base/error.h"
#include "sparse/dense.h"

static const double EPS = 2.220446049250313e-16;
static const double SAFE = 64; // times the rounding of one product, so that sums of hundreds are covered

static size_t area(int m, int n) { return (size_t)m * (size_t)n; }

// ------------------------------------------------------------------------------------------ what nothing holds

// The null space of K, by elimination with complete pivoting of the matrix scaled to entries of about 1: a stiff spring
// hides no soft one beside it.
typedef struct elimination {
  int n, rank;
  double *A;     // scaled, then its factors (n x n)
  double *scale; // of rows and columns alike (n)
  int *column;   // which stands where (n)
} elimination;

static void scale_matrix(elimination *e, const double *K) {
  const int n = e->n;
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int j = 0; j < n; j++)
      most = fmax(most, fmax(fabs(K[area(n, j) + (size_t)i]), fabs(K[area(n, i) + (size_t)j])));
    e->scale[i] = most > 0 ? 1 / sqrt(most) : 1;
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      e->A[area(n, j) + (size_t)i] = e->scale[i] * K[area(n, j) + (size_t)i] * e->scale[j];
}

static double find_pivot(const elimination *e, int k, int *row, int *col) {
  double most = -1;
  for (int j = k; j < e->n; j++)
    for (int i = k; i < e->n; i++)
      if (fabs(e->A[area(e->n, j) + (size_t)i]) > most) {
        most = fabs(e->A[area(e->n, j) + (size_t)i]);
        *row = i;
        *col = j;
      }
  return most;
}

static void swap(double *a, double *b) {
  double keep = *a;
  *a = *b;
  *b = keep;
}

static void exchange(elimination *e, int k, int row, int col) {
  const int n = e->n, keep = e->column[k];
  for (int j = 0; j < n; j++)
    swap(&e->A[area(n, j) + (size_t)k], &e->A[area(n, j) + (size_t)row]);
  for (int i = 0; i < n; i++)
    swap(&e->A[area(n, k) + (size_t)i], &e->A[area(n, col) + (size_t)i]);
  e->column[k] = e->column[col];
  e->column[col] = keep;
}

static void eliminate(elimination *e) {
  const int n = e->n;
  double first = 0;
  int row = 0, col = 0;
  for (int k = 0; k < n; k++)
    e->column[k] = k;
  for (e->rank = 0; e->rank < n; e->rank++) {
    const int k = e->rank;
    const double pivot = find_pivot(e, k, &row, &col);
    first = fmax(first, pivot);
    if (!(pivot > SAFE / 2 * n * EPS * first))
      return;
    exchange(e, k, row, col);
    for (int i = k + 1; i < n; i++)
      e->A[area(n, k) + (size_t)i] /= e->A[area(n, k) + (size_t)k];
    for (int j = k + 1; j < n; j++) {
      const double factor = e->A[area(n, j) + (size_t)k];
      for (int i = k + 1; i < n && factor != 0; i++)
        e->A[area(n, j) + (size_t)i] -= factor * e->A[area(n, k) + (size_t)i];
    }
  }
}

// U11 y = -U1c, backwards; z = S (y, 1) with the columns put back.
static void null_vector(const elimination *e, int which, double *y, double *z) {
  const int n = e->n;
  memset(z, 0, (size_t)n * sizeof *z);
  for (int i = e->rank - 1; i >= 0; i--) {
    y[i] = -e->A[area(n, which) + (size_t)i];
    for (int j = i + 1; j < e->rank; j++)
      y[i] -= e->A[area(n, j) + (size_t)i] * y[j];
    y[i] /= e->A[area(n, i) + (size_t)i];
    z[e->column[i]] = e->scale[e->column[i]] * y[i];
  }
  z[e->column[which]] = e->scale[e->column[which]];
}

static fly_status null_space(double *N, int *count, const double *K, int n, fly_arena *work, fly_error *error) {
  elimination e = {.n = n};
  e.A = fly_arena_doubles(work, area(n, n));
  e.scale = fly_arena_doubles(work, (size_t)n);
  e.column = fly_arena_ints(work, (size_t)n);
  double *y = fly_arena_doubles(work, (size_t)n);
  if (work->failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d modes.", n);
  scale_matrix(&e, K);
  eliminate(&e);
  *count = n - e.rank;
  for (int k = 0; k < *count; k++)
    null_vector(&e, e.rank + k, y, N + area(n, k));
  return fly_dense_orthonormalize(N, n, *count, error);
}

// The part of a displacement (n) that is not in the null space, over all of it.
static double outside(const double *N, int count, int n, const double *z) {
  double whole = 0, inside = 0;
  for (int i = 0; i < n; i++)
    whole += z[i] * z[i];
  for (int k = 0; k < count; k++) {
    double along = 0;
    for (int i = 0; i < n; i++)
      along += N[area(n, k) + (size_t)i] * z[i];
    inside += along * along;
  }
  return whole > 0 ? sqrt(fmax(0.0, 1 - inside / whole)) : 0.0;
}

// |z|^T |A| |z|
static double size_of(const double *A, int n, const double *z) {
  double sum = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n && z[j] != 0; i++)
      sum += fabs(z[i] * A[area(n, j) + (size_t)i] * z[j]);
  return sum;
}

static double form(const double *A, int n, const double *z) {
  double sum = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n && z[j] != 0; i++)
      sum += z[i] * A[area(n, j) + (size_t)i] * z[j];
  return sum;
}

fly_status fly_resolve_create(fly_resolve *v, const fly_linear *l, fly_arena *work, fly_error *error) {
  *v = (fly_resolve){.n = l->ndof, .M = l->M, .C = l->C, .K = l->K};
  v->N = fly_arena_doubles(work, area(l->ndof, l->ndof));
  v->work = fly_arena_doubles(work, (size_t)l->ndof);
  if (work->failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d modes.", l->ndof);
  return null_space(v->N, &v->nullity, v->K, v->n, work, error);
}

// Its part in the null space: there the rounding of stiff parts is not felt.
static void project(const fly_resolve *v, const double *z) {
  memset(v->work, 0, (size_t)v->n * sizeof *v->work);
  for (int k = 0; k < v->nullity; k++) {
    double along = 0;
    for (int i = 0; i < v->n; i++)
      along += v->N[area(v->n, k) + (size_t)i] * z[i];
    for (int i = 0; i < v->n; i++)
      v->work[i] += along * v->N[area(v->n, k) + (size_t)i];
  }
}

// A zero within rounding. Rigid: nothing holds it, by the rank of the stiffness. That has a tolerance: what grows more
// slowly than the root of it, or than the rounding of dampers, would look the same.
void fly_resolve_zero(const fly_resolve *v, fly_roots *r, int k, const double *z) {
  r->zero[k] = outside(v->N, v->nullity, v->n, z) < 1e-3 ? FLY_ROOT_RIGID : FLY_ROOT_UNRESOLVED;
  if (r->zero[k] != FLY_ROOT_RIGID)
    return;
  project(v, z);
  const double mass = form(v->M, v->n, v->work);
  if (mass == 0) // states alone
    return;
  r->bound[k] =
      fmax(sqrt(SAFE * EPS * size_of(v->K, v->n, v->work) / mass), SAFE * EPS * size_of(v->C, v->n, v->work) / mass);
}

// What nothing holds but dampers slow, or drive, has a second root at about -z^T C z/z^T M z beside the zero. Above
// zero and beyond rounding it is growth [1/s]; else 0.
double fly_resolve_driven(const fly_resolve *v, const double *z) {
  project(v, z);
  const double mass = form(v->M, v->n, v->work), driven = -form(v->C, v->n, v->work) / mass;
  return driven > SAFE * EPS * size_of(v->C, v->n, v->work) / mass ? driven : 0.0;
}

// ------------------------------------------------------------------------------------------ symmetric

// mu = z^T K z/z^T M z, which rounding moves by no more than SAFE eps |z|^T |K| |z|/z^T M z: by what z touches, not by
// the stiffest spring of the model.
double fly_resolve_quotient(const fly_resolve *v, const double *z, double *bound) {
  const double mass = form(v->M, v->n, z);
  *bound = SAFE * EPS * size_of(v->K, v->n, z) / mass;
  return form(v->K, v->n, z) / mass;
}

// ------------------------------------------------------------------------------------------ general

// s = y^H A x/y^H x for a root with right and left vectors x, y (each N real, then N imaginary parts); |y|^T |A| |x|
// over |y^H x| tells by how much rounding of A moves it. Of a double root y^H x is 0: nothing is known. condition: sum
// of |y_i| |x_i| over |y^H x|, whatever the units.
void fly_resolve_rayleigh(const double *A, int N, const double *x, const double *y, double *work, double *re,
                          double *im, double *bound) {
  double top[2] = {0}, below[2] = {0}, size = 0, whole = 0, *Ax = work, *wide = work + 2 * (size_t)N;
  memset(work, 0, 3 * (size_t)N * sizeof *work);
  for (int j = 0; j < N; j++) {
    const double length = hypot(x[j], x[N + j]);
    for (int i = 0; i < N; i++) {
      const double a = A[area(N, j) + (size_t)i];
      Ax[i] += a * x[j];
      Ax[N + i] += a * x[N + j];
      wide[i] += fabs(a) * length;
    }
  }
  for (int i = 0; i < N; i++) {
    top[0] += y[i] * Ax[i] + y[N + i] * Ax[N + i];
    top[1] += y[i] * Ax[N + i] - y[N + i] * Ax[i];
    below[0] += y[i] * x[i] + y[N + i] * x[N + i];
    below[1] += y[i] * x[N + i] - y[N + i] * x[i];
    size += hypot(y[i], y[N + i]) * wide[i];
    whole += hypot(y[i], y[N + i]) * hypot(x[i], x[N + i]);
  }
  const double square = below[0] * below[0] + below[1] * below[1];
  *bound = SAFE * EPS * size / sqrt(square);
  if (!(sqrt(square) > 1e-6 * whole)) { // double, or nearly so
    *bound = square > 0 ? *bound : (double)INFINITY;
    return;
  }
  const double sr = (top[0] * below[0] + top[1] * below[1]) / square;
  const double si = (top[1] * below[0] - top[0] * below[1]) / square;
  *re = sr;
  *im = *im == 0 ? 0.0 : si;
}

// The solver errs by E = eps |A|/rcond; the quotient squares what is small beside the gap to the next root.
double fly_resolve_solver(double norm, double rcond, double gap) {
  const double error = SAFE / 8 * EPS * norm / rcond;
  return error < gap ? error * error / gap : error;
}
