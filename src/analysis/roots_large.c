// A few eigenvalues of a large model, without a basis of its motions: the constraints stay beside the equations,
//
//   (A0 + s A1 + s^2 A2) (z, lambda, y) = 0,   A0 = (K G^T .; G 0 0; . . 1),  A1 = (C 0 0; 0 0 0; . 0 0),  A2 = (M ...)
//
// and are eliminated with them by one sparse factorization at the shift (docs/theory/modes.md, M-large).
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes.h"
#include "base/error.h"
#include "math/constants.h"
#include "math/so3.h"
#include "sparse/arpack.h"

static const double GOOD_RCOND = 1e-11; // of the matrix at the shift: below, the shift is an eigenvalue

// ------------------------------------------------------------------------------------------ entries

typedef struct entry {
  int row, col, power; // of s
  double value;
} entry;

typedef struct entries {
  size_t count, room;
  entry *at;
  bool failed;
} entries;

static void add(entries *e, int power, int row, int col, double value) {
  if (e->count == e->room) {
    size_t room = e->room ? 2 * e->room : 4096;
    entry *more = realloc(e->at, room * sizeof *more);
    if (!more) {
      e->failed = true;
      return;
    }
    e->at = more;
    e->room = room;
  }
  e->at[e->count++] = (entry){row, col, power, value};
}

// ------------------------------------------------------------------------------------------ the three matrices

typedef struct pencil {
  const fly_linear *l;
  int nv, n;    // n = nv + ng + ny
  fly_csc P;    // the pattern of all, and the matrix at the shift
  double *a[3]; // values of A0, A1, A2
  fly_csc pair; // complex shift: (Re -Im; Im Re)
  fly_lu *lu;
  double shift_re, shift_im;
  double *b; // work (3 n)
  fly_arena memory;
} pencil;

// Rows of outputs come after those of the constraints.
static int row_of(const fly_linear *l, int row) { return row < l->nv ? row : row + l->eval.nl; }

// Entries of column j of A times `factor` into column `to`.
static void add_column(entries *e, const fly_linear *l, int power, const fly_csc *A, int j, int to, double factor) {
  for (int k = A->start[j]; k < A->start[j + 1] && factor != 0; k++)
    add(e, power, row_of(l, A->row[k]), to, factor * A->val[k]);
}

static void add_plain(entries *e, const fly_linear *l) {
  const fly_eval *v = &l->eval;
  for (int j = 0; j < l->nv; j++) {
    add_column(e, l, 2, &v->M, j, j, 1.0);
    add_column(e, l, 2, &v->J[0], j, j, 1.0);
    add_column(e, l, 1, &v->J[1], j, j, 1.0);
    add_column(e, l, 0, &v->J[2], j, j, 1.0);
    for (int k = v->G.start[j]; k < v->G.start[j + 1]; k++) {
      add(e, 0, l->nv + v->G.row[k], j, v->G.val[k]);
      add(e, 0, j, l->nv + v->G.row[k], v->G.val[k]);
    }
  }
  for (int j = l->nv; j < v->ncol; j++)
    add_column(e, l, 0, &v->J[0], j, j, 1.0);
  for (int k = 0; k < v->p.ny; k++)
    add(e, 0, l->nv + v->nl + k, l->nv + v->nl + k, 1.0);
}

static void skew(double S[9], const double w[3]) {
  const double out[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  memcpy(S, out, sizeof out);
}

// out += factor A B, 3 x 3 row by row
static void product_add(double *out, double factor, const double *A, const double *B) {
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++)
      out[i] += factor * A[3 * (i / 3) + k] * B[3 * k + i % 3];
}

// dv = z' + F z and dv' = z'' + (2 F - W) z' + (F^2 + F' - W F) z, for what turns.
static void add_turning(entries *e, const fly_linear *l, const fly_spin *s) {
  const fly_eval *v = &l->eval;
  double W[9], F[9], slope[9], rate[9], place[9];
  skew(W, s->own);
  skew(F, s->frame);
  skew(slope, s->frame_slope);
  for (int i = 0; i < 9; i++) {
    rate[i] = 2 * F[i] - W[i];
    place[i] = slope[i];
  }
  product_add(place, 1.0, F, F);
  product_add(place, -1.0, W, F);
  for (int i = 0; i < 9; i++) {
    int from = s->iv[i / 3], to = s->iv[i % 3];
    if (from < 0 || to < 0)
      continue;
    add_column(e, l, 1, &v->M, from, to, rate[i]);
    add_column(e, l, 1, &v->J[0], from, to, rate[i]);
    add_column(e, l, 0, &v->M, from, to, place[i]);
    add_column(e, l, 0, &v->J[0], from, to, place[i]);
    add_column(e, l, 0, &v->J[1], from, to, F[i]);
  }
}

static fly_status out_of_memory(const fly_linear *l, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for modes of %d coordinates.", l->nv);
}

// Pattern and values.
static fly_status build(pencil *p, const entries *e, fly_error *error) {
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, e->count), *col = fly_arena_ints(&work, e->count);
  int *place = fly_arena_ints(&work, e->count);
  fly_status status = work.failed || e->failed ? out_of_memory(p->l, error) : FLY_OK;
  for (size_t k = 0; k < e->count && status == FLY_OK; k++) {
    row[k] = e->at[k].row;
    col[k] = e->at[k].col;
  }
  if (status == FLY_OK)
    status = fly_csc_from_entries(&p->P, p->n, p->n, (int)e->count, row, col, place, error);
  for (int k = 0; k < 3 && status == FLY_OK; k++)
    p->a[k] = fly_arena_doubles(&p->memory, (size_t)fly_csc_nnz(&p->P));
  if (status == FLY_OK && p->memory.failed)
    status = out_of_memory(p->l, error);
  for (size_t k = 0; k < e->count && status == FLY_OK; k++)
    p->a[e->at[k].power][place[k]] += e->at[k].value;
  fly_arena_free(&work);
  return status;
}

static fly_status pencil_create(pencil *p, const fly_linear *l, fly_error *error) {
  entries e = {0};
  *p = (pencil){.l = l, .nv = l->nv, .n = l->nv + l->eval.nl + l->eval.p.ny};
  p->b = fly_arena_doubles(&p->memory, 3 * (size_t)p->n);
  add_plain(&e, l);
  for (int k = 0; k < l->nspin; k++)
    add_turning(&e, l, &l->spin[k]);
  fly_status status = p->b ? build(p, &e, error) : out_of_memory(l, error);
  free(e.at);
  return status;
}

static void pencil_free(pencil *p) {
  fly_lu_free(p->lu);
  fly_csc_free(&p->P);
  fly_csc_free(&p->pair);
  fly_arena_free(&p->memory);
}

static double largest(const double *a, int n) {
  double most = 0;
  for (int k = 0; k < n; k++)
    most = fmax(most, fabs(a[k]));
  return most;
}

// y += factor A_power x; x and y have n numbers.
static void multiply_add(const pencil *p, int power, double factor, const double *x, double *y) {
  fly_csc A = p->P;
  A.val = p->a[power];
  fly_csc_multiply_add(y, &A, factor, x);
}

// No damping, nothing that turns or feels reactions, A0 symmetric: makes it exactly so.
static bool make_symmetric(pencil *p) {
  const fly_csc *P = &p->P;
  int nnz = fly_csc_nnz(P);
  double size = largest(p->a[0], nnz), mass = largest(p->a[2], nnz);
  if (p->l->eval.p.ny > 0 || largest(p->a[1], nnz) > 1e-12 * sqrt(size * mass))
    return false;
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < P->cols; j++)
      for (int k = P->start[j]; k < P->start[j + 1]; k++) {
        int other = fly_csc_find(P, j, P->row[k]);
        double twin = other >= 0 ? p->a[0][other] : 0;
        if (pass == 0 && fabs(p->a[0][k] - twin) > 1e-9 * size)
          return false;
        if (pass == 1 && other >= 0 && P->row[k] > j)
          p->a[0][k] = p->a[0][other] = (p->a[0][k] + twin) / 2;
      }
  return true;
}

// ------------------------------------------------------------------------------------------ factorization at a shift

// A0 + c1 A1 + c2 A2. FLY_SINGULAR without a message.
static fly_status factor_at(pencil *p, double c1, double c2, fly_error *error) {
  for (int k = 0; k < fly_csc_nnz(&p->P); k++)
    p->P.val[k] = p->a[0][k] + c1 * p->a[1][k] + c2 * p->a[2][k];
  fly_status status = p->lu ? FLY_OK : fly_lu_create(&p->lu, &p->P, error);
  if (status == FLY_OK)
    status = fly_lu_factor(p->lu, &p->P);
  return status == FLY_NO_MEMORY ? out_of_memory(p->l, error) : status;
}

// The same, and FLY_SINGULAR too where there is an eigenvalue.
static fly_status factor(pencil *p, double c1, double c2, fly_error *error) {
  fly_status status = factor_at(p, c1, c2, error);
  return status == FLY_OK && fly_lu_rcond(p->lu) < GOOD_RCOND ? FLY_SINGULAR : status;
}

// As real matrix of twice the size: (Re -Im; Im Re).
static fly_status factor_pair(pencil *p, fly_error *error) {
  const fly_csc *P = &p->P;
  int nnz = fly_csc_nnz(P), n = p->n;
  double re = p->shift_re, im = p->shift_im;
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, 4 * (size_t)nnz), *col = fly_arena_ints(&work, 4 * (size_t)nnz);
  int *place = fly_arena_ints(&work, 4 * (size_t)nnz);
  fly_status status = FLY_OK;
  if (work.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a complex shift.");
  for (int j = 0; j < n && status == FLY_OK; j++)
    for (int k = P->start[j]; k < P->start[j + 1]; k++)
      for (int q = 0; q < 4; q++) {
        row[4 * k + q] = P->row[k] + (q / 2) * n;
        col[4 * k + q] = j + (q % 2) * n;
      }
  if (status == FLY_OK)
    status = fly_csc_from_entries(&p->pair, 2 * n, 2 * n, 4 * nnz, row, col, place, error);
  for (int k = 0; k < nnz && status == FLY_OK; k++) {
    double real = p->a[0][k] + re * p->a[1][k] + (re * re - im * im) * p->a[2][k];
    double imaginary = im * p->a[1][k] + 2 * re * im * p->a[2][k];
    p->pair.val[place[4 * k]] = p->pair.val[place[4 * k + 3]] = real;
    p->pair.val[place[4 * k + 1]] = -imaginary;
    p->pair.val[place[4 * k + 2]] = imaginary;
  }
  fly_arena_free(&work);
  if (status == FLY_OK)
    status = fly_lu_create(&p->lu, &p->pair, error);
  if (status == FLY_OK)
    status = fly_lu_factor(p->lu, &p->pair);
  if (status == FLY_NO_MEMORY)
    return out_of_memory(p->l, error);
  return status == FLY_OK && fly_lu_rcond(p->lu) < GOOD_RCOND ? FLY_SINGULAR : status;
}

static fly_status shift_is_a_root(double shift, fly_error *error) {
  return fly_fail(
      error, FLY_SINGULAR, NAN,
      "The shift of %.9g Hz is an eigenvalue itself, so that the matrix there is singular: move it a little.",
      shift / FLY_TAU);
}

// ------------------------------------------------------------------------------------------ undamped

static void invert_symmetric(double *y, const double *x, void *user) {
  pencil *p = user;
  memset(p->b, 0, (size_t)p->n * sizeof *p->b);
  memcpy(p->b, x, (size_t)p->nv * sizeof *x);
  fly_lu_solve(p->lu, p->b);
  memcpy(y, p->b, (size_t)p->nv * sizeof *y);
}

static void mass(double *y, const double *x, void *user) {
  const pencil *p = user;
  memset(y, 0, (size_t)p->nv * sizeof *y);
  fly_csc_multiply_add(y, &p->l->eval.M, 1.0, x);
}

// Where to look if nothing was said: at 0, or, if something there is free, a little below.
static double below_zero(const pencil *p) {
  int nnz = fly_csc_nnz(&p->P);
  return -1e-6 * largest(p->a[0], nnz) / largest(p->a[2], nnz);
}

// ------------------------------------------------------------------------------------------ stable or not

// The largest K_ii/M_ii: as far as eigenvalues may be from zero, or nearly.
static double reach(const pencil *p) {
  double most = 0;
  for (int i = 0; i < p->nv; i++) {
    int k = fly_csc_find(&p->P, i, i);
    if (k >= 0 && p->a[2][k] > 0)
      most = fmax(most, fabs(p->a[0][k]) / p->a[2][k]);
  }
  return most;
}

enum { LOWEST = 8 };              // that are kept of those below zero
static const double EXACT = 1e-4; // of its distance from the shift: an eigenvalue that is known well

typedef struct lowest {
  int room, count;
  double *mu, *Z;
  double *from; // how far the shift was from which each was found: the nearer, the more exact
} lowest;

static int place_among(double mu, const double *list, int n) {
  for (int k = 0; k < n; k++)
    if (fabs(list[k] - mu) <= 1e-6 * fabs(mu))
      return k;
  return -1;
}

static void put_low(lowest *low, int nv, int k, double mu, double from, const double *z) {
  low->mu[k] = mu;
  low->from[k] = from;
  memcpy(low->Z + (size_t)nv * (size_t)k, z, (size_t)nv * sizeof *z);
}

// Puts mu in its place; the highest falls out.
static void keep_low(lowest *low, int nv, double mu, double from, const double *z) {
  int k = place_among(mu, low->mu, low->count);
  if (k >= 0) {
    if (from < low->from[k])
      put_low(low, nv, k, mu, from, z);
    return;
  }
  k = low->count;
  if (k == low->room && mu >= low->mu[k - 1])
    return;
  k = k == low->room ? k - 1 : low->count++;
  for (; k > 0 && low->mu[k - 1] > mu; k--)
    put_low(low, nv, k, low->mu[k - 1], low->from[k - 1], low->Z + (size_t)nv * (size_t)(k - 1));
  put_low(low, nv, k, mu, from, z);
}

// Seen from -L, an eigenvalue between -2 L and 0 is nearer than all that are above zero, and one of about L stands out
// by a factor, so that a few restarts find it. So L goes through all sizes. Its error is a share of its distance from
// -L: what is nothing beside that may be a zero, and is found again from nearer by if it is not.
static fly_status look_below(pencil *p, lowest *low, fly_arena *work, fly_error *error) {
  int nv = p->nv, found = 0, most = low->room < p->l->ndof - 2 ? low->room : p->l->ndof - 2;
  double far = reach(p), *mu = fly_arena_doubles(work, (size_t)low->room);
  double *Z = fly_arena_doubles(work, (size_t)nv * (size_t)low->room);
  fly_status status = work->failed ? out_of_memory(p->l, error) : FLY_OK;
  for (double shift = far; shift > 1e-13 * far && status == FLY_OK; shift /= 10) {
    fly_symmetric_pencil symmetric = {.n = nv,
                                      .rank = p->l->ndof,
                                      .invert = invert_symmetric,
                                      .mass = mass,
                                      .shift = -shift,
                                      .restarts = 20,
                                      .user = p};
    status = factor_at(p, 0, shift, error);
    if (status == FLY_SINGULAR) { // hit one: a little beside
      symmetric.shift = -1.37 * shift;
      status = factor_at(p, 0, -symmetric.shift, error);
    }
    if (status == FLY_OK)
      status = fly_arpack_symmetric(&symmetric, most, mu, Z, &found, error);
    for (int k = 0; k < found && status == FLY_OK; k++) {
      double from = fabs(mu[k] - symmetric.shift);
      if (mu[k] < -EXACT * from)
        keep_low(low, nv, mu[k], from, Z + (size_t)nv * (size_t)k);
    }
  }
  if (status == FLY_SINGULAR)
    fly_fail(error, status, NAN, "The matrix of the stiffness is singular everywhere.");
  return status;
}

// A root of |s| = rate that is zero within rounding: there is one only where the stiffness is singular, so that
// something is free.
static void mark_zero(fly_roots *r, int k, double rate, double zero) {
  if (zero == 0 || rate > zero)
    return;
  r->zero[k] = FLY_ROOT_RIGID;
  r->bound[k] = zero;
}

// mu = -s^2: below zero there are two real roots.
static void add_symmetric(fly_roots *r, int nv, double mu, double zero, const double *z) {
  double rate = sqrt(fabs(mu));
  bool falls = mu < -zero;
  mark_zero(r, r->count, rate, sqrt(zero));
  memcpy(fly_roots_add(r, nv, falls ? rate : 0, falls ? 0 : rate), z, (size_t)nv * sizeof *z);
  if (falls)
    memcpy(fly_roots_add(r, nv, -rate, 0), z, (size_t)nv * sizeof *z);
}

// Those that were asked for, and whatever is unstable.
static fly_status find_symmetric(fly_roots *r, pencil *p, int count, double shift, fly_arena *memory,
                                 fly_error *error) {
  double mu0 = isnan(shift) ? 0 : shift * shift;
  int found = 0, nv = p->nv;
  fly_status status = factor(p, 0, -mu0, error);
  if (status == FLY_SINGULAR && mu0 == 0) {
    mu0 = below_zero(p);
    status = factor(p, 0, -mu0, error);
  }
  if (status == FLY_SINGULAR)
    return shift_is_a_root(shift, error);
  double *mu = fly_arena_doubles(memory, (size_t)count);
  double *Z = fly_arena_doubles(memory, (size_t)nv * (size_t)count);
  if (status == FLY_OK && memory->failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d modes.", count);
  fly_symmetric_pencil symmetric = {
      .n = nv, .rank = p->l->ndof, .invert = invert_symmetric, .mass = mass, .shift = mu0, .user = p};
  if (status == FLY_OK)
    status = fly_arpack_symmetric(&symmetric, count, mu, Z, &found, error);
  lowest low = {.room = LOWEST, .mu = fly_arena_doubles(memory, LOWEST), .from = fly_arena_doubles(memory, LOWEST)};
  low.Z = fly_arena_doubles(memory, LOWEST * (size_t)nv);
  if (status == FLY_OK && memory->failed)
    status = out_of_memory(p->l, error);
  if (status == FLY_OK)
    status = look_below(p, &low, memory, error);
  if (status == FLY_OK)
    status = fly_roots_create(r, 2 * (found + LOWEST), nv, memory, error);
  if (status)
    return status;
  double most = 0;
  for (int k = 0; k < found; k++)
    most = fmax(most, fabs(mu[k]));
  r->undamped = true;
  const double zero = mu0 == 0 ? 0.0 : 1e-9 * fmax(fabs(mu0), 1e-3 * most);
  for (int k = 0; k < found; k++)
    add_symmetric(r, nv, mu[k], zero, Z + (size_t)nv * (size_t)k);
  for (int k = 0; k < low.count; k++)
    if (low.mu[k] < -zero && place_among(low.mu[k], mu, found) < 0)
      add_symmetric(r, nv, low.mu[k], zero, low.Z + (size_t)nv * (size_t)k);
  r->all = found == p->l->ndof;
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ damped

// With z' as unknowns of their own, (A - s E)^-1 E (z, z') at the shift s:
// (A0 + s A1 + s^2 A2) (z, ...) = -(A2 b' + A1 b + s A2 b),  z' = s z + b.
static void invert_general(double *y, const double *x, void *user) {
  pencil *p = user;
  int nv = p->nv;
  double s = p->shift_re, *b = p->b, *wide = p->b + p->n;
  memset(b, 0, 2 * (size_t)p->n * sizeof *b);
  memcpy(wide, x, (size_t)nv * sizeof *x);
  multiply_add(p, 1, -1.0, wide, b);
  for (int i = 0; i < nv; i++)
    wide[i] = x[nv + i] + s * x[i];
  multiply_add(p, 2, -1.0, wide, b);
  fly_lu_solve(p->lu, b);
  for (int i = 0; i < nv; i++) {
    y[i] = b[i];
    y[nv + i] = s * b[i] + x[i];
  }
}

// The same at a complex shift; vectors are pairs of numbers.
static void invert_complex(double *y, const double *x, void *user) {
  pencil *p = user;
  int nv = p->nv, n = p->n;
  double re = p->shift_re, im = p->shift_im, *b = p->b;
  double *wide = p->b + 2 * (size_t)n;
  memset(b, 0, 3 * (size_t)n * sizeof *b);
  for (int part = 0; part < 2; part++) {
    for (int i = 0; i < nv; i++)
      wide[i] = x[2 * i + part];
    multiply_add(p, 1, -1.0, wide, b + (size_t)part * (size_t)n);
    for (int i = 0; i < nv; i++) {
      const double *u = x + 2 * i, *v = x + 2 * (nv + i);
      wide[i] = v[part] + (part == 0 ? re * u[0] - im * u[1] : re * u[1] + im * u[0]);
    }
    multiply_add(p, 2, -1.0, wide, b + (size_t)part * (size_t)n);
  }
  fly_lu_solve(p->lu, b);
  for (int i = 0; i < nv; i++) {
    double zr = b[i], zi = b[n + i];
    y[2 * i] = zr;
    y[2 * i + 1] = zi;
    y[2 * (nv + i)] = re * zr - im * zi + x[2 * i];
    y[2 * (nv + i) + 1] = re * zi + im * zr + x[2 * i + 1];
  }
}

// s = shift + 1/nu
static void root_of(const pencil *p, double re, double im, double *out_re, double *out_im) {
  double square = re * re + im * im;
  *out_re = p->shift_re + re / square;
  *out_im = p->shift_im - im / square;
}

// z of a pair comes as real and imaginary part, in the order of the iteration.
static void take_real(fly_roots *r, const pencil *p, int found, const double *re, const double *im, const double *Z) {
  int nv = p->nv;
  for (int k = 0; k < found; k++) {
    double sr, si;
    root_of(p, re[k], im[k], &sr, &si);
    bool paired = im[k] != 0;
    if (paired && k + 1 == found)
      return; // half a pair
    double *z = fly_roots_add(r, nv, sr, fabs(si));
    double sign = si >= 0 ? 1.0 : -1.0; // z of the conjugate
    for (int i = 0; i < nv; i++) {
      z[i] = Z[2 * (size_t)nv * (size_t)k + (size_t)i];
      z[nv + i] = paired ? sign * Z[2 * (size_t)nv * (size_t)(k + 1) + (size_t)i] : 0.0;
    }
    k += paired;
  }
}

static void take_complex(fly_roots *r, const pencil *p, int found, const double *re, const double *im,
                         const double *Z) {
  int nv = p->nv;
  for (int k = 0; k < found; k++) {
    double sr, si;
    root_of(p, re[k], im[k], &sr, &si);
    if (si < -1e-9 * hypot(sr, si))
      continue; // the conjugate of another
    double *z = fly_roots_add(r, nv, sr, fmax(si, 0.0));
    for (int i = 0; i < nv; i++) {
      z[i] = Z[4 * (size_t)nv * (size_t)k + 2 * (size_t)i];
      z[nv + i] = Z[4 * (size_t)nv * (size_t)k + 2 * (size_t)i + 1];
    }
  }
}

static fly_status factor_general(pencil *p, double shift, fly_error *error) {
  p->shift_im = isnan(shift) ? 0 : shift;
  if (p->shift_im != 0)
    return factor_pair(p, error);
  fly_status status = factor(p, 0, 0, error);
  if (status == FLY_SINGULAR) {
    p->shift_re = sqrt(-below_zero(p));
    status = factor(p, p->shift_re, p->shift_re * p->shift_re, error);
  }
  return status;
}

// Errors of the iteration are a part of 1/(s - shift), so that what is near the shift is known best; a double zero
// comes apart by the root of it.
static void judge_general(fly_roots *r, const pencil *p, double most) {
  const double part = p->shift_im != 0 ? 1e-6 : 1e-4,
               zero = part * (p->shift_im != 0 ? fmax(most, fabs(p->shift_im)) : fabs(p->shift_re));
  for (int k = 0; k < r->count; k++) {
    r->bound[k] = 1e-10 * hypot(r->re[k] - p->shift_re, r->im[k] - p->shift_im);
    mark_zero(r, k, hypot(r->re[k], r->im[k]), zero);
  }
}

static fly_status find_general(fly_roots *r, pencil *p, int count, double shift, fly_arena *memory, fly_error *error) {
  int N = 2 * p->nv, found = 0, rank = 2 * p->l->ndof, wanted = 2 * count < rank - 2 ? 2 * count : rank - 2;
  double most = 0;
  fly_status status = factor_general(p, shift, error);
  if (status == FLY_SINGULAR)
    return shift_is_a_root(p->shift_im, error);
  bool complex_shift = p->shift_im != 0;
  double *re = fly_arena_doubles(memory, (size_t)wanted + 1), *im = fly_arena_doubles(memory, (size_t)wanted + 1);
  double *Z = fly_arena_doubles(memory, (complex_shift ? 2 : 1) * (size_t)N * ((size_t)wanted + 1));
  if (status == FLY_OK && memory->failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d modes.", count);
  const fly_general_matrix A = {N, rank, complex_shift, complex_shift ? invert_complex : invert_general, p};
  if (status == FLY_OK)
    status = fly_arpack_general(&A, wanted, re, im, Z, &found, error);
  if (status == FLY_OK)
    status = fly_roots_create(r, found + 1, p->nv, memory, error);
  if (status)
    return status;
  if (complex_shift)
    take_complex(r, p, found, re, im, Z);
  else
    take_real(r, p, found, re, im, Z);
  for (int k = 0; k < r->count; k++)
    most = fmax(most, hypot(r->re[k], r->im[k]));
  judge_general(r, p, most);
  r->all = r->stability = false;
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ together

// Does the basis of motions stand still, as seen from the frame? Asked of one motion that is as good as any.
static fly_status check_steady(const pencil *p, fly_arena *memory, fly_error *error) {
  const fly_linear *l = p->l;
  uint32_t seed = 1;
  double *h = fly_arena_doubles(memory, (size_t)l->eval.nl), *turned = fly_arena_doubles(memory, (size_t)l->nv);
  if (memory->failed)
    return out_of_memory(l, error);
  memset(p->b, 0, 2 * (size_t)p->n * sizeof *p->b);
  for (int i = 0; i < l->nv; i++) {
    seed = seed * 1664525u + 1013904223u;
    p->b[i] = (double)seed / 2147483648.0 - 1;
  }
  fly_lu_solve(p->lu, p->b); // whatever comes out is on the constraints
  fly_csc_multiply_add(h, &l->eval.Zg, 1.0, p->b);
  double size = largest(h, l->eval.nl);
  fly_linear_turn_add(l, FLY_TURN_FRAME, 1.0, p->b, turned);
  fly_csc_multiply_add(h, &l->eval.G, 1.0, turned);
  if (largest(h, l->eval.nl) <= 1e-6 * fmax(size, largest(turned, l->nv)))
    return FLY_OK;
  return fly_fail(
      error, FLY_BAD_INPUT, NAN,
      "ARPACK finds modes at rest or in steady motion only, but the constraints change along this one. If "
      "it is steady as seen from a body, give that as the frame; of at most a few hundred degrees of freedom "
      "(here: %d) use dense matrices.",
      l->ndof);
}

static fly_status check_count(const fly_linear *l, int count, fly_error *error) {
  if (l->eval.p.nx > 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "ARPACK finds no modes of models with first-order states yet.");
  if (count < 1 || count > l->ndof - 2)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "ARPACK finds fewer modes than there are degrees of freedom: at most %d here, not %d. Use dense "
                    "matrices for more.",
                    l->ndof > 2 ? l->ndof - 2 : 0, count);
  return FLY_OK;
}

fly_status fly_roots_large(fly_roots *r, fly_linear *l, int count, double shift, fly_arena *memory, fly_error *error) {
  pencil p = {0};
  fly_status status = check_count(l, count, error);
  if (status)
    return status;
  status = pencil_create(&p, l, error);
  if (status == FLY_OK)
    status = make_symmetric(&p) ? find_symmetric(r, &p, count, shift, memory, error)
                                : find_general(r, &p, count, shift, memory, error);
  if (status == FLY_OK)
    status = check_steady(&p, memory, error);
  pencil_free(&p);
  return status;
}
