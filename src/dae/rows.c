// Rows change, forces stay (RR-carry): with [M G^T; G 0] of the new rows at the place a multiplier belongs to,
//
//   | M  G^T | | x      |   | G_old^T lambda_old |
//   | G   0  | | lambda | = | 0                  |     x = 0, as new rows span what the old ones did
//
// so that positions, velocities and accelerations, which satisfy all rows, old and new, are not touched.
#include "dae/rows.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dae/choice.h"

// ------------------------------------------------------------------------------------------ leaving

void fly_rows_carry(fly_solver *s, double t, const double *q, double *multiplier) {
  fly_carry *c = &s->carry;
  const size_t nq = (size_t)s->e.p.nq, nv = (size_t)s->e.p.nv;
  if (c->count == FLY_CARRIED || c->memory.failed)
    return;
  fly_carried *item = &c->item[c->count];
  *item = (fly_carried){t, fly_arena_doubles(&c->memory, nq), fly_arena_doubles(&c->memory, nv), multiplier};
  if (c->memory.failed)
    return;
  memcpy(item->q, q, nq * sizeof *q);
  c->count++;
}

static void carry_point(fly_solver *s, const fly_point *p) { fly_rows_carry(s, p->t, p->q, p->lambda); }

static void drop(fly_carry *c) {
  fly_arena_free(&c->memory);
  *c = (fly_carry){0};
}

fly_status fly_rows_leave(fly_solver *s, fly_error *error) {
  fly_carry *c = &s->carry;
  drop(c);
  if (s->family->carry)
    s->family->carry(s);
  carry_point(s, &s->now);
  if (s->stats.steps > 0)
    carry_point(s, &s->last);
  if (s->stats.steps > 1)
    carry_point(s, &s->before);
  if (c->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, s->now.t, "Out of memory for a change of %d constraint rows.", s->e.p.ng);
  for (int k = 0; k < c->count; k++) {
    if (fly_eval_constraint_jacobian(&s->e, s->e.G.val, c->item[k].t, c->item[k].q))
      return fly_explain_callback(s, c->item[k].t, error);
    fly_csc_multiply_transposed_add(c->item[k].force, &s->e.G, 1.0, c->item[k].multiplier);
  }
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ entering

static fly_status change_patterns(fly_solver *s, const fly_dae_problem *problem, fly_error *error) {
  fly_eval fresh;
  fly_status status = fly_solver_evaluate(s, &fresh, problem, error);
  if (status) {
    fly_eval_free(&fresh);
    return status;
  }
  fly_eval_forget_widths(&fresh, s->e.time_widest);
  fresh.residuals = s->e.residuals;
  fresh.jacobians = s->e.jacobians;
  fresh.side = s->e.side;
  fly_eval_free(&s->e);
  s->e = fresh;
  fly_step_matrix_free(&s->kkt);
  fly_step_matrix_size(&s->kkt, FLY_MATRIX_KKT, &s->e);
  fly_step_matrix_use_diagonal(&s->kkt, NULL);
  return fly_step_matrix_build(&s->kkt, &s->e, error);
}

// The KKT matrix without what forces feel of accelerations and multipliers.
static fly_status factor_at(fly_solver *s, const fly_carried *item, fly_error *error) {
  const fly_coef limit = {0};
  if (fly_eval_kinematics(&s->e, item->t, item->q))
    return fly_explain_callback(s, item->t, error);
  for (int k = 0; k < 3; k++)
    fly_csc_zero(&s->e.J[k]);
  fly_step_matrix_fill(&s->kkt, &s->e, &limit, NULL);
  fly_status status = fly_step_matrix_factor(&s->kkt);
  if (status == FLY_SINGULAR)
    return fly_explain_singular(s, item->t, item->q, error);
  return status ? fly_fail(error, status, item->t, "Out of memory for a change of %d constraint rows.", s->e.p.ng)
                : FLY_OK;
}

static fly_status restore(fly_solver *s, fly_error *error) {
  const size_t nv = (size_t)s->e.p.nv, ng = (size_t)s->e.p.ng;
  for (int k = 0; k < s->carry.count; k++) {
    const fly_carried *item = &s->carry.item[k];
    fly_status status = factor_at(s, item, error);
    if (status)
      return status;
    memset(s->dz, 0, (size_t)s->kkt.n * sizeof *s->dz);
    memcpy(s->dz, item->force, nv * sizeof *s->dz);
    fly_lu_solve(s->kkt.lu, s->dz);
    memcpy(item->multiplier, s->dz + nv, ng * sizeof *s->dz);
  }
  return FLY_OK;
}

// What the matrices that are gone have cost is not forgotten.
static void keep_counts(fly_solver *s, const fly_stats *before) {
  const fly_stats now = fly_solver_stats(s);
  s->counted.factorizations -= before->factorizations - now.factorizations;
  s->counted.refactorizations -= before->refactorizations - now.refactorizations;
  s->counted.solves -= before->solves - now.solves;
  s->worked -= before->work - now.work;
}

// Derivatives that never change are evaluated once, and these are new places for them.
static int evaluate_here(fly_solver *s) {
  const fly_dae_state now = fly_point_state(&s->now);
  return s->e.p.rates_constant && s->e.p.nx > 0 ? fly_eval_jacobian(&s->e, &now)
                                                : fly_eval_kinematics(&s->e, now.t, now.q);
}

// Matrices in other patterns; multipliers that were carried are put back.
static fly_status reshape(fly_solver *s, const fly_dae_problem *problem, fly_error *error) {
  const fly_stats before = fly_solver_stats(s);
  fly_status status = change_patterns(s, problem, error);
  if (status == FLY_OK)
    status = restore(s, error);
  if (status == FLY_OK && evaluate_here(s))
    status = fly_explain_callback(s, s->now.t, error);
  if (status == FLY_OK)
    status = s->choice ? fly_choice_reshape(s, error) : s->family->reshape(s, error);
  if (status == FLY_OK)
    keep_counts(s, &before);
  drop(&s->carry);
  return status;
}

fly_status fly_rows_enter(fly_solver *s, const fly_dae_problem *problem, bool again, fly_error *error) {
  const fly_dae_problem *old = &s->e.p;
  if (problem->ng != old->ng || problem->nv != old->nv || problem->nq != old->nq || problem->ny != old->ny)
    return fly_fail(error, FLY_BAD_INPUT, s->now.t, "A change of rows must not change how many there are.");
  const fly_status status = reshape(s, problem, error);
  return status == FLY_OK && again ? fly_solver_restart(s, error) : status;
}

// ------------------------------------------------------------------------------------------ coming and going

static fly_status check_sizes(const fly_solver *s, const fly_dae_problem *fresh, fly_error *error) {
  const fly_dae_problem *old = &s->e.p;
  if (fresh->nq == old->nq && fresh->nv == old->nv && fresh->nx >= old->nx && fresh->ny == old->ny &&
      fresh->nroot == old->nroot && fresh->nrotation == old->nrotation && fresh->ng >= 0 && fresh->nb >= 0)
    return FLY_OK;
  return fly_fail_at(
      error, FLY_BAD_INPUT, s->now.t, FLY_NOWHERE, "cross",
      "At t = %.9g s the callback `cross` has changed the size of the problem. Rows (ng, nb) and patterns "
      "may change while it runs, states x and relations may come behind those there are, and nothing else.",
      s->now.t);
}

fly_status fly_rows_repattern(fly_solver *s, const fly_dae_problem *fresh, fly_error *error) {
  const fly_status status = check_sizes(s, fresh, error);
  return status ? status : reshape(s, fresh, error);
}

// What goes on in a solver that is made anew: the run, as far as it does not depend on rows.
static void go_on_as(fly_solver *s, const fly_solver *old) {
  s->t0 = old->t0;
  s->t_end = old->t_end;
  s->step_max = old->step_max;
  s->stage = old->stage;
  s->done = old->done;
  s->stopped = old->stopped;
  s->probe = old->probe;
  s->guessed = old->guessed;
  s->roundings = old->roundings;
  s->stops = old->stops;
  s->leaps.longest = old->leaps.longest;
  s->leaps.undone = old->leaps.undone;
  s->looks.from = NAN;
  s->grid_step = old->grid_step;
  s->grid_cut = old->grid_cut;
  s->h_largest = old->h_largest;
  s->tiny_steps = old->tiny_steps;
  s->stats = old->stats;
  s->counted = old->counted;
  s->worked = old->worked;
  s->certificate = old->certificate;
  s->record = old->record;
  s->clock_start = old->clock_start;
  s->e.residuals = old->e.residuals;
  s->e.jacobians = old->e.jacobians;
  fly_eval_forget_widths(&s->e, old->e.time_widest);
  fly_relations_copy(s, old);
  fly_choice_go_on(s, old);
}

static void copy_doubles(double *to, const double *from, int n) {
  if (n > 0)
    memcpy(to, from, (size_t)n * sizeof *to);
}

// All of the point but multipliers, which belong to rows, and its roots.
static void stand_where(fly_solver *s, const fly_solver *old) {
  const fly_dae_problem *p = &s->e.p;
  s->now.t = old->now.t;
  copy_doubles(s->now.q, old->now.q, p->nq);
  copy_doubles(s->now.v, old->now.v, p->nv);
  copy_doubles(s->now.vdot, old->now.vdot, p->nv);
  copy_doubles(s->now.x, old->now.x, old->e.p.nx); // states that are new are 0
  copy_doubles(s->now.xdot, old->now.xdot, old->e.p.nx);
  copy_doubles(s->now.y, old->now.y, p->ny);
  copy_doubles(s->ev.after, old->ev.after, p->nroot);
  copy_doubles(s->ev.near, old->ev.near, p->nroot);
  copy_doubles(s->ev.room, old->ev.room, p->nroot);
  fly_grazes_copy(s, old);
  for (int i = 0; i < p->nroot; i++) {
    s->ev.done[i] = old->ev.done[i];
    s->ev.edge[i] = old->ev.edge[i];
    s->ev.came[i] = old->ev.came[i];
  }
}

fly_status fly_rows_reform(fly_solver *s, const fly_dae_problem *fresh, fly_error *error) {
  fly_status status = check_sizes(s, fresh, error);
  if (status)
    return status;
  const fly_stats before = fly_solver_stats(s);
  fly_solver old = *s;
  *s = (fly_solver){.o = old.o, .crossing = old.crossing};
  status = fly_solver_build(s, fresh, error); // its points, the crossing's among them, are new
  if (status == FLY_OK) {
    go_on_as(s, &old);
    stand_where(s, &old);
    keep_counts(s, &before);
  }
  fly_solver_release(&old);
  return status;
}

// The family begins as at a start; what that moves is no change of the given one.
fly_status fly_rows_begin(fly_solver *s, fly_error *error) {
  const double position = s->certificate.start_position, velocity = s->certificate.start_velocity;
  const fly_status status = fly_solver_restart(s, error);
  s->certificate.start_position = position;
  s->certificate.start_velocity = velocity;
  s->started = true;
  fly_point_copy(&s->last, &s->now, &s->e);
  return status;
}
