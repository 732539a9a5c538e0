// Equilibrium of models with states: rates are zero too, d(0, x, q, 0, 0, lambda, y) = 0 (docs/theory/statics.md,
// S-states). Newton's iteration solves for (q, lambda, x, y) together; a state that keeps its value whatever the model
// does at rest, as an integral of a velocity, stays where it starts.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/linear.h"
#include "analysis/statics.h"
#include "base/error.h"
#include "sparse/dense.h"

static const double NEUTRAL = 1e-9; // of the largest root: it is zero
static const double MOVES = 1e-9;   // rate of a state over its size [1/s]: it does not rest

static int state_row(const fly_balance *b, int k) { return b->nv + k; }
static int state_column(const fly_balance *b, int k) { return b->nv + b->ng + k; }

// ------------------------------------------------------------------------------------------ the tangent

// Does the rate of a state depend on anything that can differ at rest? J[1] counts in the columns of x only.
static bool is_felt(const fly_csc *a, int row, int first, int end) {
  for (int j = first; j < end; j++)
    for (int e = a->start[j]; e < a->start[j + 1]; e++)
      if (a->row[e] == row && a->val[e] != 0)
        return true;
  return false;
}

static bool depends(const fly_balance *b, int k) {
  const fly_eval *e = &b->e;
  const int row = state_row(b, k), x = state_column(b, 0), y = x + b->nx;
  return is_felt(&e->J[2], row, 0, b->nv) || is_felt(&e->J[1], row, x, y) || is_felt(&e->J[0], row, b->nv, x) ||
         is_felt(&e->J[0], row, y, b->n);
}

// Rates are zero, so what rows feel of them is left out; a state that nothing at rest moves stays.
void fly_statics_rest_states(fly_balance *b) {
  fly_csc *J0 = &b->e.J[0];
  for (int k = 0; k < b->nx; k++) {
    const int row = state_row(b, k), column = state_column(b, k);
    const double stays = depends(b, k) ? 0.0 : 1.0;
    for (int e = J0->start[column]; e < J0->start[column + 1]; e++)
      J0->val[e] = J0->row[e] == row ? stays : 0.0;
  }
}

// ------------------------------------------------------------------------------------------ words

static const fly_item *item_of(const fly_balance *b, int k) { return &b->model->spec->item[b->model->state[k].item]; }

static double rate_of(const fly_balance *b, const fly_rest *at, int k) { return at->z[state_column(b, k)]; }

// The state that is furthest from rest at a place; -1: all rest. always: of those whose rate nothing changes.
static int restless(fly_balance *b, const fly_rest *at, bool always) {
  int worst = -1;
  double most = MOVES;
  for (int k = 0; k < b->nx; k++) {
    const double moves = fabs(rate_of(b, at, k)) / b->system->scale_x[k];
    if (moves > most && (!always || !depends(b, k))) {
      most = moves;
      worst = k;
    }
  }
  return worst;
}

fly_status fly_statics_tell_states(fly_balance *b, fly_error *error) {
  char left[160];
  if (!fly_balance_rewind(b) || !fly_balance_factor(b, 0.0))
    (void)fly_balance_at(b, &b->now);
  const int stubborn = restless(b, &b->now, true), worst = stubborn >= 0 ? stubborn : restless(b, &b->now, false);
  if (worst < 0) {
    fly_balance_force_text(b, &b->near, left, sizeof left);
    return fly_fail(error, FLY_NO_CONVERGENCE, b->t,
                    "No equilibrium was found; where the forces come nearest to balance, what is left is %s. Start "
                    "nearer to it.",
                    left);
  }
  const char *unit = fly_signal_unit(b->model, FLY_SIGNAL_STATE, worst);
  b->free = stubborn >= 0;
  return fly_fail_at(error, FLY_NO_CONVERGENCE, b->t, item_of(b, worst)->place, item_of(b, worst)->name,
                     "There is no equilibrium: the state `%s` cannot rest. Its rate, `%.80s`, is %.3g%s%s/s %s.",
                     item_of(b, worst)->name, fly_item_word(item_of(b, worst), "rate", 0), rate_of(b, &b->now, worst),
                     unit[0] ? " " : "", unit,
                     stubborn >= 0 ? "wherever the model stands still: an integral without an end"
                                   : "at the start, and no place was found where all rates and forces vanish");
}

void fly_statics_list_states(fly_balance *b) {
  char text[400] = "";
  for (int k = 0; k < b->nx; k++) {
    const size_t used = strlen(text);
    const char *unit = fly_signal_unit(b->model, FLY_SIGNAL_STATE, k);
    if (used + 100 > sizeof text) {
      snprintf(text + used, sizeof text - used, ", ...");
      break;
    }
    snprintf(text + used, sizeof text - used, "%s`%.40s` = %.6g%s%.20s", k ? ", " : "", item_of(b, k)->name,
             b->now.x[k], unit[0] ? " " : "", unit);
  }
  if (b->nx > 0)
    fly_balance_note(b, "States: %s.", text);
}

// ------------------------------------------------------------------------------------------ stability

// Roots of d(s, s', x)/dt = A (s, s', x): growth, decay, or neither.
static void count_roots(fly_balance *b, int n, const double *re, const double *im) {
  fly_equilibrium *o = b->out;
  double largest = 0, growth = 0;
  for (int k = 0; k < n; k++)
    largest = fmax(largest, hypot(re[k], im[k]));
  for (int k = 0; k < n; k++) {
    const bool zero = hypot(re[k], im[k]) <= sqrt(NEUTRAL) * largest;
    o->unstable += !zero && re[k] > NEUTRAL * largest;
    o->neutral += zero;
    growth = fmax(growth, zero ? 0.0 : re[k]);
  }
  o->poise = o->unstable > 0 ? FLY_POISE_UNSTABLE : o->neutral > 0 ? FLY_POISE_NEUTRAL : FLY_POISE_STABLE;
  if (o->unstable > 0)
    fly_balance_note(
        b, "Unstable with its states: pushed a little, it leaves like exp(%.3g t/s); flyball modes shows how.", growth);
  else if (o->neutral > 0)
    fly_balance_note(b, "Neutral: %d root%s zero; a motion nothing holds, or a state that keeps any value.", o->neutral,
                     o->neutral == 1 ? " is" : "s are");
}

fly_status fly_statics_judge_states(fly_balance *b, fly_error *error) {
  fly_linear l = {0};
  fly_arena work = {0};
  fly_dae_state at = fly_balance_state(b, &b->now);
  b->out->freedoms = b->nv - b->ng;
  b->out->lowest = NAN;
  fly_status status = fly_linear_make(&l, b->system, &at, error);
  const int n = 2 * l.ndof + b->nx;
  double *A = fly_arena_doubles(&work, (size_t)n * (size_t)n), *V = fly_arena_doubles(&work, (size_t)n * (size_t)n);
  double *re = fly_arena_doubles(&work, (size_t)n), *im = fly_arena_doubles(&work, (size_t)n);
  if (status == FLY_OK && work.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d roots.", n);
  if (status == FLY_OK)
    status = fly_linear_state_matrix(&l, A, error);
  if (status == FLY_OK)
    status = fly_dense_eigen(re, im, V, A, n, error);
  if (status == FLY_OK)
    count_roots(b, n, re, im);
  fly_linear_free(&l);
  fly_arena_free(&work);
  return status;
}
