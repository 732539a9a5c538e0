// Stable or not: eigenvalues mu of K z = mu M z on the motions the joints leave, docs/theory/statics.md (S-poise).
#include "analysis/statics_judge.h"

#include <math.h>
#include <string.h>

#include "analysis/linear.h"
#include "base/error.h"
#include "sparse/dense.h"

static const int MOST_DENSE = 200;         // directions, for which all eigenvalues are found
static const double SYMMETRIC = 1e-7;      // of the largest entry: what rounding leaves
static const double NEUTRAL_LOADS = 1e-9;  // of what the loads alone would make of stiffness over mass
static const double NEUTRAL_RATIO = 1e-12; // of the largest eigenvalue
enum { MOST_NAMED = 3 };

// ------------------------------------------------------------------------------------------ what they say

// Accelerations over sizes: what gravity alone does to a pendulum of the model's size.
double fly_poise_tiny(const fly_balance *b, double largest_mu) {
  return NEUTRAL_LOADS * fly_balance_loads(b, &b->now) / sqrt(b->total_mass) / b->model->size +
         NEUTRAL_RATIO * largest_mu;
}

void fly_poise_note(fly_balance *b, fly_poise_count *out, double re, double im, const double *p) {
  fly_equilibrium *o = b->out;
  char motion[160];
  bool leaves = re < -out->tiny, stays = !leaves && hypot(re, im) <= out->tiny;
  o->unstable += leaves;
  o->neutral += stays;
  o->lowest = isnan(o->lowest) ? re : fmin(o->lowest, re);
  out->coupled += !leaves && !stays && fabs(im) > 1e-6 * hypot(re, im);
  if (!(leaves || stays) || out->named++ >= MOST_NAMED)
    return;
  fly_balance_motion_text(b, p, motion, sizeof motion);
  if (leaves)
    fly_balance_note(b, "Unstable: pushed a little, %s.", motion);
  else
    fly_balance_note(b, "Neutral: %s, and nothing holds it. A joint or a spring would.", motion);
}

static void conclude(fly_balance *b, const fly_poise_count *count) {
  fly_equilibrium *o = b->out;
  if (count->named > MOST_NAMED)
    fly_balance_note(b, "... and %d more such directions.", count->named - MOST_NAMED);
  o->poise = o->unstable > 0 ? FLY_POISE_UNSTABLE : o->neutral > 0 ? FLY_POISE_NEUTRAL : FLY_POISE_STABLE;
  if (o->unstable > 0 || count->coupled == 0)
    return;
  o->poise = FLY_POISE_UNKNOWN;
  fly_balance_note(b, "Forces that are not conservative couple %d directions: flyball modes tells whether it flutters.",
                   count->coupled);
}

// ------------------------------------------------------------------------------------------ all of them

typedef struct spectrum {
  int n;
  double *re, *im; // (n)
  double *vectors; // n x n
  double *shape;   // (nv), of one of them
  fly_linear l;
} spectrum;

static fly_status solve(spectrum *s, fly_error *error) {
  size_t n = (size_t)s->n;
  if (s->l.asymmetry <= SYMMETRIC) {
    memcpy(s->vectors, s->l.K, n * n * sizeof *s->vectors);
    return fly_dense_eigen_symmetric(s->re, s->vectors, s->l.M, s->n, error);
  }
  fly_status status = fly_dense_solve(s->l.M, s->l.K, s->n, s->n, error);
  return status ? status : fly_dense_eigen(s->re, s->im, s->vectors, s->l.K, s->n, error);
}

static void describe(fly_balance *b, spectrum *s, fly_poise_count *count) {
  double most = 0;
  for (int k = 0; k < s->n; k++)
    most = fmax(most, fabs(s->re[k]));
  count->tiny = fly_poise_tiny(b, most);
  for (int k = 0; k < s->n; k++) {
    fly_dense_multiply(s->shape, 'N', 'N', b->nv, 1, s->n, 1.0, s->l.Z, s->vectors + (size_t)s->n * (size_t)k, 0.0);
    fly_poise_note(b, count, s->re[k], s->im[k], s->shape);
  }
}

static fly_status judge_all(fly_balance *b, fly_poise_count *count, fly_error *error) {
  spectrum s = {.n = b->nv - b->ng};
  fly_dae_state at = fly_balance_state(b, &b->now);
  fly_arena memory = {0};
  size_t n = (size_t)s.n;
  s.re = fly_arena_doubles(&memory, n);
  s.im = fly_arena_doubles(&memory, n);
  s.vectors = fly_arena_doubles(&memory, n * n);
  s.shape = fly_arena_doubles(&memory, (size_t)b->nv);
  fly_status status = FLY_NO_MEMORY;
  if (memory.failed) {
    fly_fail(error, status, NAN, "Out of memory for %d eigenvalues.", s.n);
  } else {
    status = fly_linear_make(&s.l, b->system, &at, error);
    if (status == FLY_OK)
      status = solve(&s, error);
    if (status == FLY_OK)
      describe(b, &s, count);
  }
  fly_linear_free(&s.l);
  fly_arena_free(&memory);
  return status;
}

fly_status fly_statics_judge(fly_balance *b, fly_error *error) {
  fly_poise_count count = {0};
  b->out->freedoms = b->nv - b->ng;
  b->out->lowest = NAN;
  fly_status status = FLY_OK;
  if (b->out->freedoms > MOST_DENSE)
    status = fly_statics_judge_large(b, &count, error);
  else if (b->out->freedoms > 0)
    status = judge_all(b, &count, error);
  if (status == FLY_OK)
    conclude(b, &count);
  return status;
}
