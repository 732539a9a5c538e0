#include "dae/settle.h"

#include <string.h>

#include "base/error.h"
#include "dae/index1.h"
#include "dae/outcome.h"

enum { CORRECTIONS = 12, SOLVES = 8 }; // of positions; of accelerations with one matrix
static const double SLOW = 0.1;        // what a correction leaves of the one before, above which the matrix is renewed

// ------------------------------------------------------------------------------------------ memory

void fly_settling_free(fly_settling *r) {
  fly_step_matrix_free(&r->kkt);
  fly_arena_free(&r->memory);
  *r = (fly_settling){0};
}

fly_status fly_settling_shape(fly_settling *r, const fly_solver *s, fly_error *error) {
  fly_settling_free(r);
  fly_step_matrix_size(&r->kkt, FLY_MATRIX_KKT, &s->e);
  r->z = fly_arena_doubles(&r->memory, (size_t)r->kkt.n);
  r->rates = fly_arena_doubles(&r->memory, (size_t)fly_csc_nnz(&s->e.J[0]));
  if (r->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for rows with %d unknowns.", r->kkt.n);
  return fly_step_matrix_build(&r->kkt, &s->e, error);
}

fly_status fly_settling_begin(fly_settling *r, const fly_solver *s, fly_error *error) {
  const fly_coef limit = {0};
  fly_step_matrix_forget(&r->kkt);
  fly_step_matrix_fill(&r->kkt, &s->e, &limit, NULL);
  if (fly_step_matrix_factor(&r->kkt) == FLY_NO_MEMORY)
    return fly_fail(error, FLY_NO_MEMORY, s->now.t, "Out of memory while factorizing the start's matrix.");
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ the parts of a row

// Either way: the row's into z, or z's into the row.
static void exchange(const fly_eval *e, double *z, fly_point *row, bool into_row) {
  double *const part[] = {row->vdot, row->lambda, row->xdot, row->y};
  const int size[] = {e->p.nv, e->nl, e->p.nx, e->p.ny};
  for (int k = 0; k < 4; z += size[k++])
    memcpy(into_row ? part[k] : z, into_row ? z : part[k], (size_t)size[k] * sizeof *z);
}

// dz = the move (first nv) that changes the constraint rows by -rows, the smallest by the masses.
static void move_against(const fly_index1 *f, const double *rows) {
  memset(f->dz, 0, (size_t)f->kkt->n * sizeof *f->dz);
  for (int i = 0; i < f->e->nl; i++)
    f->dz[f->e->p.nv + i] = -rows[i];
  fly_index1_solve(f, f->dz);
}

// The matrix at the row's place, with the derivatives of the forces as they were last taken.
static fly_outcome factor_here(const fly_index1 *f, const fly_point *row) {
  const fly_coef limit = {0};
  const fly_outcome outcome = outcome_of(fly_eval_kinematics(f->e, row->t, row->q));
  if (outcome)
    return outcome;
  fly_step_matrix_fill(f->kkt, f->e, &limit, NULL);
  return outcome_of_factor(fly_step_matrix_factor(f->kkt));
}

// Newton's iteration with the matrix at hand, renewed where it is slow.
static fly_outcome settle_positions(const fly_index1 *f, fly_solver *s, fly_point *row) {
  const double enough = 4 * fly_round_off(s);
  double before = INFINITY;
  for (int k = 0; k < CORRECTIONS; k++) {
    memset(s->rows, 0, (size_t)s->e.nl * sizeof *s->rows);
    fly_outcome outcome = outcome_of(fly_eval_constraint(&s->e, s->rows, row->t, row->q));
    if (outcome)
      return outcome;
    move_against(f, s->rows);
    fly_eval_plus(&s->e, row->q, row->q, f->dz);
    const double moved = fly_weighted(s, f->dz);
    if (moved <= enough || (k > 0 && moved / before * moved <= enough))
      return FLY_SOLVED;
    if (!isfinite(moved) || (k > 0 && moved >= before))
      return moved <= 100 * enough ? FLY_SOLVED : FLY_UNSOLVED;
    if (moved > SLOW * before) {
      outcome = factor_here(f, row);
      if (outcome)
        return outcome;
    }
    before = moved;
  }
  return FLY_UNSOLVED;
}

static fly_outcome settle_velocities(const fly_index1 *f, fly_solver *s, fly_point *row) {
  fly_outcome outcome = outcome_of(fly_eval_kinematics(&s->e, row->t, row->q));
  for (int k = 0; k < 3 && outcome == FLY_SOLVED; k++) {
    outcome = outcome_of(fly_eval_velocity_rows(&s->e, s->rows, row->t, row->q, row->v));
    if (outcome)
      break;
    move_against(f, s->rows);
    for (int i = 0; i < s->e.p.nv; i++)
      row->v[i] += f->dz[i];
    if (largest(f->dz, s->e.p.nv) <= 1e-15 * largest(row->v, s->e.p.nv))
      break;
  }
  return outcome;
}

// Corrections of z with the matrix at hand, each judged by the one before: a second shows that the first was all.
static fly_outcome settle_accelerations(const fly_index1 *f, const fly_dae_state *at, double *z) {
  const int n = f->kkt->n;
  double before = INFINITY;
  for (int k = 0; k < SOLVES; k++) {
    const fly_outcome outcome = outcome_of(fly_index1_rows(f->e, at, f->dz));
    if (outcome)
      return outcome;
    fly_index1_solve(f, f->dz);
    for (int i = 0; i < n; i++)
      z[i] -= f->dz[i];
    const double size = largest(f->dz, n), scale = fmax(largest(z, n), 1e-300);
    if (size <= 1e-14 * scale || (k > 0 && size / before * size <= 1e-14 * scale))
      return FLY_SOLVED;
    if (!isfinite(size) || size > SLOW * before)
      return size <= 1e-11 * scale ? FLY_SOLVED : FLY_UNSOLVED;
    before = size;
  }
  return FLY_UNSOLVED;
}

static fly_outcome settle_all(fly_settling *r, fly_solver *s, fly_point *row) {
  const fly_index1 f = {&s->e, &r->kkt, s->dz, &s->stats.kkt_solves, NULL};
  fly_outcome outcome = factor_here(&f, row);
  if (outcome == FLY_SOLVED)
    outcome = settle_positions(&f, s, row);
  if (outcome == FLY_SOLVED)
    outcome = settle_velocities(&f, s, row);
  if (outcome)
    return outcome;
  exchange(&s->e, r->z, row, false);
  const fly_dae_state at = fly_index1_state(&s->e, row->t, row->q, row->v, row->x, r->z);
  outcome = settle_accelerations(&f, &at, r->z);
  return outcome == FLY_UNSOLVED ? fly_index1_find(&f, row->t, row->q, row->v, row->x, r->z) : outcome;
}

bool fly_settle(fly_settling *r, fly_solver *s, fly_point *row) {
  const size_t size = (size_t)fly_csc_nnz(&s->e.J[0]) * sizeof *r->rates;
  const bool known = s->e.rates_known;
  memcpy(r->rates, s->e.J[0].val, size);
  const bool settled = settle_all(r, s, row) == FLY_SOLVED;
  memcpy(s->e.J[0].val, r->rates, size);
  s->e.rates_known = known;
  if (settled)
    exchange(&s->e, r->z, row, true);
  return settled;
}
