// Stable or not: eigenvalues mu of K z = mu M z on the motions the joints leave, docs/theory/statics.md (S-poise).
#include <math.h>
#include <string.h>

#include "analysis/linear.h"
#include "analysis/statics.h"
#include "base/error.h"
#include "sparse/dense.h"

static const int MOST_DENSE = 300;         // directions, for which all eigenvalues are found
static const double SYMMETRIC = 1e-7;      // of the largest entry: what rounding leaves
static const double NEUTRAL_LOADS = 1e-9;  // of what the loads alone would make of stiffness over mass
static const double NEUTRAL_RATIO = 1e-12; // of the largest eigenvalue
enum { MOST_NAMED = 3 };

typedef struct spectrum {
  int n;
  double *re, *im; // (n), by re
  double *shape;   // (nv), of one of them
  fly_linear l;
} spectrum;

// Accelerations over sizes: what gravity alone does to a pendulum of the model's size.
static double load_stiffness(const fly_balance *b) { return b->loads / sqrt(b->total_mass) / b->model->size; }

static double neutral_below(const fly_balance *b, const spectrum *s) {
  double most = 0;
  for (int k = 0; k < s->n; k++)
    most = fmax(most, fabs(s->re[k]));
  return NEUTRAL_LOADS * load_stiffness(b) + NEUTRAL_RATIO * most;
}

static void shape_of(spectrum *s, const double *z) {
  memset(s->shape, 0, (size_t)s->l.nv * sizeof *s->shape);
  for (int k = 0; k < s->l.ndof; k++)
    for (int i = 0; i < s->l.nv; i++)
      s->shape[i] += s->l.Z[(size_t)s->l.nv * (size_t)k + (size_t)i] * z[k];
}

static fly_status solve(spectrum *s, double *vectors, fly_error *error) {
  size_t n = (size_t)s->n;
  if (s->l.asymmetry <= SYMMETRIC) {
    memcpy(vectors, s->l.K, n * n * sizeof *vectors);
    return fly_dense_eigen_symmetric(s->re, vectors, s->l.M, s->n, error);
  }
  fly_status status = fly_dense_solve(s->l.M, s->l.K, s->n, s->n, error);
  return status ? status : fly_dense_eigen(s->re, s->im, vectors, s->l.K, s->n, error);
}

static void describe(fly_balance *b, spectrum *s, const double *vectors) {
  fly_equilibrium *o = b->out;
  double tiny = neutral_below(b, s), lowest = INFINITY;
  int named = 0, flutter = 0;
  char motion[160];
  for (int k = 0; k < s->n; k++) {
    bool leaves = s->re[k] < -tiny, stays = !leaves && fabs(s->re[k]) <= tiny && fabs(s->im[k]) <= tiny;
    o->unstable += leaves;
    o->neutral += stays;
    flutter += !leaves && fabs(s->im[k]) > 1e-6 * hypot(s->re[k], s->im[k]) && !stays;
    lowest = fmin(lowest, s->re[k]);
    if ((leaves || stays) && named++ < MOST_NAMED) {
      shape_of(s, vectors + (size_t)s->n * (size_t)k);
      fly_balance_motion_text(b, s->shape, motion, sizeof motion);
      fly_balance_note(b,
                       leaves ? "Unstable: pushed a little, %s."
                              : "Neutral: %s, and nothing holds it. A joint or a spring would.",
                       motion);
    }
  }
  if (named > MOST_NAMED)
    fly_balance_note(b, "... and %d more such directions.", named - MOST_NAMED);
  o->lowest = lowest;
  o->poise = o->unstable > 0 ? FLY_POISE_UNSTABLE : o->neutral > 0 ? FLY_POISE_NEUTRAL : FLY_POISE_STABLE;
  if (o->unstable == 0 && flutter > 0) {
    o->poise = FLY_POISE_UNKNOWN;
    fly_balance_note(
        b, "Forces that are not conservative couple %d directions: flyball modes tells whether it flutters.", flutter);
  }
}

static fly_status judge_all(fly_balance *b, spectrum *s, fly_error *error) {
  fly_arena memory = {0};
  size_t n = (size_t)s->n;
  s->re = fly_arena_doubles(&memory, n);
  s->im = fly_arena_doubles(&memory, n);
  s->shape = fly_arena_doubles(&memory, (size_t)b->nv);
  double *vectors = fly_arena_doubles(&memory, n * n);
  fly_status status = memory.failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d eigenvalues.", s->n)
                                    : solve(s, vectors, error);
  if (status == FLY_OK)
    describe(b, s, vectors);
  fly_arena_free(&memory);
  return status;
}

fly_status fly_statics_judge(fly_balance *b, fly_error *error) {
  spectrum s = {.n = b->nv - b->ng};
  fly_dae_state at = fly_balance_state(b, &b->now);
  b->out->freedoms = s.n;
  b->out->lowest = NAN;
  if (s.n == 0) {
    b->out->poise = FLY_POISE_STABLE;
    return FLY_OK;
  }
  if (s.n > MOST_DENSE) {
    fly_balance_note(b, "Whether it is stable is found for up to %d directions only.", MOST_DENSE);
    return FLY_OK;
  }
  fly_status status = fly_linear_make(&s.l, b->system, &at, error);
  if (status == FLY_OK)
    status = judge_all(b, &s, error);
  fly_linear_free(&s.l);
  return status;
}
