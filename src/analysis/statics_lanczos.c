// Stable or not, of models too large for dense matrices: Lanczos' iteration on the motions the joints leave, in the
// inner product of M, without a basis of them (docs/theory/statics.md, S-lanczos). It is run twice: with (K + sigma
// M)^-1 M, which shows the values mu next to 0 on either side, and with M^-1 K, which shows those far below. A negative
// Ritz value proves that there is a negative mu, as Ritz values lie between the smallest and the largest of all.
#include <math.h>
#include <string.h>

#include "analysis/statics_judge.h"
#include "base/error.h"
#include "sparse/dense.h"

enum { MOST_VECTORS = 80 };
static const double LOST = 1e-13;     // of the largest: a direction that has no part in the ones before it is rounding
static const double SYMMETRIC = 1e-6; // of what Lanczos' iteration takes for equal

typedef struct lanczos {
  fly_balance *b;
  bool inverted;
  double sigma;
  int n;            // vectors there are
  double *v;        // (nv) each, MOST_VECTORS of them
  double *w;        // work (n of the matrices)
  double *small;    // v^T M A v, then its eigenvectors (MOST_VECTORS^2)
  double *one;      // the identity (MOST_VECTORS^2)
  double *ritz;     // values (MOST_VECTORS)
  double asymmetry; // largest part of A v that should not be there, over the largest there is
} lanczos;

static double *vector(const lanczos *l, int k) { return l->v + (size_t)k * (size_t)l->b->nv; }

// w = A x: (K + sigma M)^-1 M x, or M^-1 K x, with G w = 0.
static void apply(lanczos *l, const double *x) {
  fly_balance *b = l->b;
  memset(l->w, 0, (size_t)b->n * sizeof *l->w);
  if (l->inverted) {
    fly_balance_mass(b, l->w, x);
    fly_lu_solve(b->tangent.lu, l->w);
    return;
  }
  const fly_csc *K = &b->e.J[2];
  for (int j = 0; j < b->nv; j++)
    for (int k = K->start[j]; k < K->start[j + 1]; k++)
      if (K->row[k] < b->nv)
        l->w[K->row[k]] += K->val[k] * x[j];
  fly_lu_solve(b->kkt.lu, l->w);
}

// Takes the parts along the vectors out of w, twice, which is enough; part (l->n): how large they were. Returns what is
// left.
static double orthogonalize(lanczos *l, double *part) {
  fly_balance *b = l->b;
  memset(part, 0, MOST_VECTORS * sizeof *part);
  for (int round = 0; round < 2; round++) {
    fly_balance_mass(b, b->Mp, l->w);
    for (int k = 0; k < l->n; k++) {
      double by = fly_balance_dot(vector(l, k), b->Mp, b->nv);
      part[k] += by;
      for (int i = 0; i < b->nv; i++)
        l->w[i] -= by * vector(l, k)[i];
    }
  }
  fly_balance_mass(b, b->Mp, l->w);
  return sqrt(fmax(0.0, fly_balance_dot(l->w, b->Mp, b->nv)));
}

static void keep(lanczos *l, double length) {
  double *v = vector(l, l->n++);
  for (int i = 0; i < l->b->nv; i++)
    v[i] = l->w[i] / length;
}

// All parts are kept, although but three of a column differ from 0 if A is symmetric: that is how one sees it.
static void iterate(lanczos *l, int most) {
  double part[MOST_VECTORS], first, length, largest = 0;
  size_t m = MOST_VECTORS;
  l->n = 0;
  memset(l->small, 0, m * m * sizeof *l->small);
  for (int i = 0; i < l->b->nv; i++)
    l->b->delta[i] = sin(1.0 + 1.7 * i); // the same in every run, along no axis
  apply(l, l->b->delta);
  first = length = orthogonalize(l, part);
  for (int k = 0; k < most && length > LOST * first; k++) {
    keep(l, length);
    apply(l, vector(l, k));
    length = orthogonalize(l, part);
    first = fmax(first, length);
    for (int j = 0; j < l->n; j++) {
      largest = fmax(largest, fabs(part[j]));
      if (j < k)
        l->asymmetry = fmax(l->asymmetry, fabs(part[j] - l->small[m * (size_t)j + (size_t)k]));
      l->small[m * (size_t)k + (size_t)j] = part[j];
    }
    if ((size_t)k + 1 < m)
      l->small[m * (size_t)k + (size_t)k + 1] = length;
  }
  l->asymmetry /= largest > 0 ? largest : 1;
}

static fly_status find_values(lanczos *l, fly_error *error) {
  size_t n = (size_t)l->n, m = MOST_VECTORS;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double upper = i <= j ? l->small[m * j + i] : l->small[m * i + j];
      l->one[n * j + i] = upper;
    }
  memcpy(l->small, l->one, n * n * sizeof *l->small);
  memset(l->one, 0, n * n * sizeof *l->one);
  for (size_t j = 0; j < n; j++)
    l->one[n * j + j] = 1;
  return fly_dense_eigen_symmetric(l->ritz, l->small, l->one, l->n, error);
}

static void note(lanczos *l, fly_poise_count *out, int k, double mu) {
  fly_balance *b = l->b;
  memset(b->p, 0, (size_t)b->n * sizeof *b->p);
  for (int j = 0; j < l->n; j++)
    for (int i = 0; i < b->nv; i++)
      b->p[i] += l->small[k * l->n + j] * vector(l, j)[i];
  fly_poise_note(b, out, mu, 0.0, b->p);
}

static fly_status look(lanczos *l, bool inverted, fly_error *error) {
  int freedoms = l->b->nv - l->b->ng;
  l->inverted = inverted;
  iterate(l, freedoms < MOST_VECTORS ? freedoms : MOST_VECTORS);
  return find_values(l, error);
}

// What is below 0, what is 0, and (of the inverse, whose last value tells it) the smallest above.
static void note_all(lanczos *l, fly_poise_count *out) {
  for (int k = 0; k < l->n; k++) {
    double mu = l->inverted ? 1 / l->ritz[k] - l->sigma : l->ritz[k];
    bool below = mu < -out->tiny, zero = l->inverted && fabs(mu) <= out->tiny, last = l->inverted && k == l->n - 1;
    if (below || zero || last)
      note(l, out, k, mu);
  }
}

static fly_status judge(lanczos *l, fly_poise_count *out, fly_error *error) {
  fly_balance *b = l->b;
  fly_status status = look(l, false, error);
  double least = l->ritz[0], most = fmax(fabs(least), fabs(l->ritz[l->n - 1]));
  if (status)
    return status;
  out->tiny = fly_poise_tiny(b, most);
  l->sigma = 1e5 * fly_poise_tiny(b, 0.0) + 10 * out->tiny;
  if (!fly_balance_factor(b, l->sigma))
    return fly_fail(error, FLY_SINGULAR, b->t, "The stiffness at the equilibrium cannot be factorized.");
  status = look(l, true, error);
  if (status == FLY_OK)
    note_all(l, out);
  if (status == FLY_OK && b->out->unstable == 0 && least < -out->tiny) {
    status = look(l, false, error);
    if (status == FLY_OK)
      note_all(l, out);
  }
  if (l->asymmetry > SYMMETRIC)
    out->coupled = b->nv - b->ng;
  if (b->out->unstable + b->out->neutral > 0)
    fly_balance_note(b, "These are at least so many: of %d directions only the ends of the spectrum were looked at.",
                     b->nv - b->ng);
  return status;
}

fly_status fly_statics_judge_large(fly_balance *b, fly_poise_count *out, fly_error *error) {
  fly_arena memory = {0};
  size_t m = MOST_VECTORS;
  lanczos l = {.b = b,
               .v = fly_arena_doubles(&memory, m * (size_t)b->nv),
               .w = fly_arena_doubles(&memory, (size_t)b->n),
               .small = fly_arena_doubles(&memory, m * m),
               .one = fly_arena_doubles(&memory, m * m),
               .ritz = fly_arena_doubles(&memory, m)};
  fly_status status = memory.failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for eigenvalues.") : FLY_OK;
  fly_dae_state at = fly_balance_state(b, &b->now);
  if (status == FLY_OK && !(fly_balance_at(b, &b->now) && fly_eval_jacobian(&b->e, &at) == 0))
    status = fly_fail(error, FLY_SINGULAR, b->t, "Forces and reactions cannot be found at the equilibrium.");
  if (status == FLY_OK)
    status = judge(&l, out, error);
  fly_arena_free(&memory);
  return status;
}
