// States that start at equilibrium: of all x those marked, X, are such that their rates vanish at the start, while
// positions, velocities and the other states are as given. Newton's iteration on
//
//   x'_X(X) = 0,   d x'/d X from the equations in index-1 form (M-along)
//
// because rates may feel accelerations, reactions and variables, which feel X.
#include "analysis/resting.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dae/index1.h"
#include "sparse/dense.h"

enum { ROUNDS = 60, HALVINGS = 20 };

typedef struct resting {
  fly_assembly *a;
  int n;      // how many
  int *which; // states (n)
  fly_eval eval;
  fly_step_matrix kkt;
  double *dz;                      // work (kkt.n)
  double *rate, *slope, *step, *x; // (n), (n x n), (n), (n)
  long solves;
  fly_arena memory;
} resting;

static const fly_model_state *state_of(const resting *r, int k) { return &r->a->mechanism->model.state[r->which[k]]; }

static const fly_item *item_of(const resting *r, int k) { return &r->a->mechanism->spec.item[state_of(r, k)->item]; }

static double scale_of(const resting *r, int k) { return state_of(r, k)->scale; }

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, 0.0, "Out of memory for states that start at equilibrium.");
}

static int list(const fly_model *m, int *which) {
  int n = 0;
  for (int k = 0; k < m->nstate; k++) {
    if (!m->state[k].rests)
      continue;
    if (which)
      which[n] = k;
    n++;
  }
  return n;
}

static fly_status create(resting *r, fly_error *error) {
  const fly_model *m = &r->a->mechanism->model;
  fly_arena *memory = &r->memory;
  const size_t n = (size_t)r->n;
  r->which = fly_arena_ints(memory, n);
  fly_status status = fly_eval_create(&r->eval, &r->a->system.dae, error);
  if (status)
    return status;
  fly_step_matrix_size(&r->kkt, FLY_MATRIX_KKT, &r->eval);
  status = fly_step_matrix_build(&r->kkt, &r->eval, error);
  if (status)
    return status;
  r->dz = fly_arena_doubles(memory, (size_t)r->kkt.n);
  r->rate = fly_arena_doubles(memory, n);
  r->slope = fly_arena_doubles(memory, n * n);
  r->step = fly_arena_doubles(memory, n);
  r->x = fly_arena_doubles(memory, n);
  if (memory->failed)
    return no_memory(error);
  list(m, r->which);
  return FLY_OK;
}

// Starts the solver with X = x + part * step, and takes the rates there. *size: the largest, each over its scale.
static fly_status rates_at(resting *r, double part, double *size, fly_error *error) {
  *size = 0;
  for (int k = 0; k < r->n; k++)
    r->a->x[r->which[k]] = r->x[k] + part * r->step[k];
  const fly_status status = fly_solver_start(r->a->solver, 0.0, r->a->end, r->a->q, r->a->v, r->a->x, error);
  const fly_dae_state at = fly_solver_state(r->a->solver);
  for (int k = 0; k < r->n && status == FLY_OK; k++)
    *size = fmax(*size, fabs(at.xdot[r->which[k]]) / scale_of(r, k));
  return status;
}

// d x'_X/d X where the solver stands, each in its scale.
static fly_status find_slopes(resting *r, fly_error *error) {
  const fly_dae_state at = fly_solver_state(r->a->solver);
  const fly_dae_problem *p = &r->eval.p;
  const fly_index1 f = {&r->eval, &r->kkt, r->dz, &r->solves, NULL};
  const int first = p->nv + r->eval.nl;
  if (fly_index1_factor(&f, &at))
    return fly_fail(error, FLY_SINGULAR, 0.0, "The accelerations at the start are not determined.");
  for (int k = 0; k < r->n; k++) {
    const fly_csc *J = &r->eval.J[1];
    memset(r->dz, 0, (size_t)r->kkt.n * sizeof *r->dz);
    for (int e = J->start[first + r->which[k]]; e < J->start[first + r->which[k] + 1]; e++)
      r->dz[J->row[e] < p->nv ? J->row[e] : J->row[e] + r->eval.nl] = -J->val[e];
    fly_index1_solve(&f, r->dz);
    for (int i = 0; i < r->n; i++)
      r->slope[(size_t)k * (size_t)r->n + (size_t)i] = r->dz[first + r->which[i]] / scale_of(r, i) * scale_of(r, k);
  }
  for (int k = 0; k < r->n; k++)
    r->rate[k] = at.xdot[r->which[k]];
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ words

static const char *rate_text(const fly_item *item) {
  const char *rate = fly_item_word(item, fly_item_given(item, "equation") ? "equation" : "rate", 0);
  return rate ? rate : "";
}

static void name_all(const resting *r, char *text, size_t size) {
  text[0] = 0;
  for (int k = 0; k < r->n && k < 8; k++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s`%s`", k ? ", " : "", item_of(r, k)->name);
  }
}

// A state that moves no rate, as the integral of an error does not move it, or the first of those that together do not.
static fly_status undetermined(const resting *r, fly_error *error) {
  char names[500];
  for (int k = 0; k < r->n; k++) {
    double most = 0;
    for (int i = 0; i < r->n; i++)
      most = fmax(most, fabs(r->slope[(size_t)k * (size_t)r->n + (size_t)i]));
    if (most > 0)
      continue;
    return fly_fail_at(
        error, FLY_SINGULAR, 0.0, item_of(r, k)->place, item_of(r, k)->name,
        "The state `%s` is to start at equilibrium, but no value of it changes a rate that is to vanish: "
        "its own, `%s`, is %.3g at the start. If that is at a limit (clamp, if), or an integral, give it a number, or "
        "start the whole model at equilibrium "
        "(simulate: {start: equilibrium}).",
        item_of(r, k)->name, rate_text(item_of(r, k)), r->rate[k]);
  }
  name_all(r, names, sizeof names);
  return fly_fail_at(error, FLY_SINGULAR, 0.0, item_of(r, 0)->place, item_of(r, 0)->name,
                     "The states that are to start at equilibrium are not told by their rates: %s. Their matrix is "
                     "singular at the start, as where two of them only matter by their sum. Give one of them a number.",
                     names);
}

static fly_status not_found(const resting *r, fly_error *error) {
  int worst = 0;
  for (int k = 1; k < r->n; k++)
    if (fabs(r->rate[k]) / scale_of(r, k) > fabs(r->rate[worst]) / scale_of(r, worst))
      worst = k;
  return fly_fail_at(
      error, FLY_NO_CONVERGENCE, 0.0, item_of(r, worst)->place, item_of(r, worst)->name,
      "The state `%s` is to start at equilibrium, and none was found: its rate, `%s`, comes no nearer to "
      "0 than %.3g, where it is %.6g. It may be at a limit (clamp, if) that leaves no rest; give it a "
      "number near where it rests.",
      item_of(r, worst)->name, rate_text(item_of(r, worst)), r->rate[worst], r->x[worst]);
}

// ------------------------------------------------------------------------------------------ Newton

// Steps in scales to steps in units. False: as good as nothing.
static bool unscale_step(resting *r) {
  bool moves = false;
  for (int k = 0; k < r->n; k++) {
    r->step[k] *= scale_of(r, k);
    moves = moves || fabs(r->step[k]) > 4 * DBL_EPSILON * fabs(r->x[k]);
  }
  return moves;
}

static fly_status find_step(resting *r, fly_error *error) {
  bool finite = true;
  for (int k = 0; k < r->n; k++)
    r->step[k] = -r->rate[k] / scale_of(r, k);
  fly_status status = fly_dense_solve(r->slope, r->step, r->n, 1, error);
  for (int k = 0; k < r->n; k++)
    finite = finite && isfinite(r->step[k]);
  if (status == FLY_OK && finite)
    return FLY_OK;
  if (status == FLY_OK || status == FLY_SINGULAR) {
    status = find_slopes(r, error); // it was overwritten
    return status ? status : undetermined(r, error);
  }
  return status;
}

// The step, halved until rates fall. *size: the largest rate before, then behind it. False: no way down.
static bool go(resting *r, double *size) {
  double part = 1, next;
  fly_error unused = {0};
  for (int k = 0; k < HALVINGS; k++, part /= 2)
    if (rates_at(r, part, &next, &unused) == FLY_OK && next <= (1 - part / 4) * *size) {
      for (int i = 0; i < r->n; i++)
        r->x[i] += part * r->step[i];
      *size = next;
      return true;
    }
  return false;
}

static fly_status iterate(resting *r, fly_error *error) {
  double size;
  for (int k = 0; k < r->n; k++)
    r->x[k] = r->a->x[r->which[k]];
  fly_status status = rates_at(r, 0.0, &size, error);
  for (int round = 0; round < ROUNDS && status == FLY_OK; round++) {
    status = find_slopes(r, error);
    if (status == FLY_OK)
      status = find_step(r, error);
    if (status == FLY_SINGULAR && round > 0) // on its way it came to where nothing leads on
      return not_found(r, error);
    if (status || !unscale_step(r))
      return status;
    if (size == 0 || go(r, &size))
      continue;
    const double before = size;
    status = rates_at(r, 0.0, &size, error);
    return status ? status : before <= 1e-9 ? FLY_OK : not_found(r, error); // rounding
  }
  return status ? status : not_found(r, error);
}

fly_status fly_resting_find(fly_assembly *a, fly_error *error) {
  resting r = {.a = a, .n = list(&a->mechanism->model, NULL)};
  if (r.n == 0)
    return FLY_OK;
  const fly_dae_state at = fly_solver_state(a->solver);
  memcpy(a->q, at.q, (size_t)a->mechanism->model.nq * sizeof *a->q);
  memcpy(a->v, at.v, (size_t)a->mechanism->model.nv * sizeof *a->v);
  memcpy(a->x, at.x, (size_t)a->mechanism->model.nstate * sizeof *a->x);
  fly_status status = create(&r, error);
  if (status == FLY_OK)
    status = iterate(&r, error);
  fly_step_matrix_free(&r.kkt);
  fly_eval_free(&r.eval);
  fly_arena_free(&r.memory);
  return status;
}
