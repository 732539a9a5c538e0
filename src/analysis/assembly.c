// Redundancy and assembly of a mechanism.
#include "analysis/assembly.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/blame.h"
#include "analysis/forest.h"
#include "analysis/resting.h"
#include "analysis/soften.h"
#include "analysis/start.h"
#include "base/error.h"
#include "dae/rows.h"
#include "math/so3.h"

static const double TIGHT = 1e-9, LOOSE = 1e-4; // of the rank of the constraints
// Where a method lets constraints drift, rows that were taken out drift along: by so many times what the others do.
static const double MOST_DRIFT = 10.0;

// ------------------------------------------------------------------------------------------ redundancy

static int row_at(const int *order, int k) { return order ? order[k] : k; }

// order: of the rows the rank is about; NULL: as they are numbered.
static void describe_redundancy(fly_assembly *a, const fly_rank *rank, const int *order) {
  const fly_system *all = &a->all;
  size_t used = 0, size = sizeof a->redundancy;
  for (int k = 0; k < rank->ndependent && used < size; k++) {
    char name[160];
    all->dae.row_name(name, sizeof name, row_at(order, rank->dependent[k]), (void *)all);
    int first = rank->support_start[k], count = rank->support_start[k + 1] - first;
    const char *form = count > 0               ? "`%s` follows from"
                       : rank->unexplained > 0 ? "`%s` follows from others"
                                               : "`%s` holds nothing here: it does not change";
    used += (size_t)snprintf(a->redundancy + used, size - used, form, name);
    for (int m = 0; m < count && m < 6 && used < size; m++) {
      all->dae.row_name(name, sizeof name, row_at(order, rank->support[first + m]), (void *)all);
      used += (size_t)snprintf(a->redundancy + used, size - used, "%s `%s`", m ? "," : "", name);
    }
    if (used < size)
      used += (size_t)snprintf(a->redundancy + used, size - used, count > 6 ? " and %d more\n" : "\n", count - 6);
  }
}

static int item_of(const fly_system *all, int row) { return all->model->row[all->active[row]].item; }

static bool is_in_a_redundant_set(const fly_system *all, const fly_rank *rank, const int *order, int joint) {
  for (int k = 0; k < rank->ndependent; k++)
    if (item_of(all, row_at(order, rank->dependent[k])) == joint)
      return true;
  for (int k = 0; rank->ndependent > 0 && k < rank->support_start[rank->ndependent]; k++)
    if (item_of(all, row_at(order, rank->support[k])) == joint)
      return true;
  return false;
}

// Expressions must not lean on reactions that are not determined without its being said.
static void describe_reactions(fly_assembly *a, const fly_rank *rank, const int *order) {
  const fly_model *m = &a->mechanism->model;
  for (int k = 0; k < m->nmeasure; k++) {
    int joint = m->measure[k].joint;
    size_t used = strlen(a->redundancy);
    if (joint >= 0 && is_in_a_redundant_set(&a->all, rank, order, joint))
      snprintf(a->redundancy + used, sizeof a->redundancy - used,
               "`%s` is used in an expression, but how `%s` shares its load with others is not determined\n",
               fly_reaction_types[m->measure[k].kind].name, m->spec->item[joint].name);
  }
}

static void describe(fly_assembly *a, const fly_rank *rank, const int *order) {
  a->redundancy[0] = 0;
  describe_redundancy(a, rank, order);
  describe_reactions(a, rank, order);
}

// Rows independent at q, to a tolerance: their numbers in keep. G: of all rows, there; its arrays are the system's.
// Joints that close no loop need no search.
static fly_status choose_rows(fly_system *all, const double *q, double tolerance, int *keep, int *count, fly_csc *G,
                              fly_rank *rank, fly_error *error) {
  bool known = false;
  *G = (fly_csc){
      .rows = all->nactive, .cols = all->model->nv, .start = all->G.start, .row = all->G.row, .val = all->G.val};
  fly_csc_zero(G);
  all->dae.constraint_jacobian(G->val, 0.0, q, all);
  fly_status status = tolerance > TIGHT ? FLY_OK : fly_forest_independent(&known, G, all->group_v, error);
  if (status == FLY_OK && !known)
    status = fly_rank_find(rank, G, tolerance, error);
  *count = 0;
  for (int k = 0, d = 0; k < all->nactive && status == FLY_OK; k++) {
    bool dependent = d < rank->ndependent && rank->dependent[d] == k;
    d += dependent;
    if (!dependent)
      keep[(*count)++] = all->active[k];
  }
  return status;
}

// With the rows in a->keep, of the model that the one of all rows has: parameters may be tuned; who may stop that one
// may stop it.
static fly_status create_system(fly_assembly *a, fly_error *error) {
  const fly_status status = fly_system_create_beside(&a->system, &a->all, a->rank, a->keep, error);
  a->system.stop = a->all.stop;
  a->system.stop_user = a->all.stop_user;
  return status;
}

// States of the system behind those of the model, springs of contacts that are found, start from 0.
static fly_status take_states(fly_assembly *a, fly_error *error) {
  const int n = a->mechanism->model.nstate, nx = a->system.dae.nx;
  if (nx <= a->room_x)
    return FLY_OK;
  double *x = fly_arena_doubles(&a->memory, (size_t)nx);
  if (!x)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d states.", nx);
  if (n > 0)
    memcpy(x, a->x, (size_t)n * sizeof *x);
  a->x = x;
  a->room_x = nx;
  return FLY_OK;
}

// System and solver with the rows that are independent at q. *same: they are the ones there were already.
// A solver, and where it looks for variables that say where.
fly_status fly_assembly_create_solver(fly_assembly *a, const fly_dae_options *dae, fly_error *error) {
  const fly_model *m = &a->mechanism->model;
  fly_status status = take_states(a, error);
  if (status == FLY_OK)
    status = fly_solver_create(&a->solver, &a->system.dae, dae, error);
  bool any = false;
  if (status)
    return status;
  memset(a->y_guess, 0, (size_t)m->ny * sizeof *a->y_guess);
  for (int k = 0; k < m->noutput; k++) {
    const fly_model_output *v = &m->output[k];
    if (!v->starts || !v->row || v->measure < 0 || m->measure[v->measure].output < 0)
      continue;
    a->y_guess[m->measure[v->measure].output] = v->start;
    any = true;
  }
  if (any)
    fly_solver_guess(a->solver, &(fly_dae_state){.y = a->y_guess});
  return FLY_OK;
}

static fly_status use_rows_at(fly_assembly *a, const double *q, double tolerance, bool *same, fly_error *error) {
  fly_rank rank = {0};
  int count = 0;
  fly_status status = choose_rows(&a->all, q, tolerance, a->keep, &count, &a->independent, &rank, error);
  const bool all = status == FLY_OK && count == a->all.nactive;
  *same = status == FLY_OK && a->solver && count == a->rank &&
          memcmp(a->keep, a->system.active, (size_t)count * sizeof *a->keep) == 0;
  if (status == FLY_OK && !*same) {
    fly_solver_free(a->solver);
    fly_system_free(&a->system);
    fly_kept_free(&a->kept);
    fly_share_free(&a->share);
    a->solver = NULL;
    a->rank = count;
    describe(a, &rank, NULL);
    status = create_system(a, error);
    if (status == FLY_OK)
      status = fly_assembly_create_solver(a, &a->dae, error);
  }
  if (*same || !all || tolerance > TIGHT)
    a->independent = (fly_csc){0};
  fly_rank_free(&rank);
  return status;
}

// a->g, of the rows that are there, becomes that of all rows of the model: of those that are switched off 0.
void fly_assembly_spread(fly_assembly *a) {
  for (int row = a->all.model->nrow - 1, k = a->all.nactive - 1; row >= 0; row--)
    a->g[row] = k >= 0 && a->all.active[k] == row ? a->g[k--] : 0.0;
}

static void find_values(fly_assembly *a, double t, const double *q) {
  a->all.dae.constraint(a->g, t, q, &a->all);
  fly_assembly_spread(a);
}

// Of a motion that contradicts: which others may move the same.
static void name_motions(const fly_model *m, int row, fly_error *error) {
  int here = -1, named = 0;
  for (int k = 0; k < m->nmotion; k++)
    here = m->motion[k].row == row ? k : here;
  for (int k = 0; k < m->nmotion && here >= 0 && named < 4; k++)
    if (k != here)
      fly_error_append(error, "%s`%s`", named++ ? ", " : " Motions beside it: ", m->spec->item[m->motion[k].item].name);
  if (named)
    fly_error_append(error, ". Two that move one freedom must ask for the same; leave one out.");
}

static const fly_item *item_of_row(const fly_assembly *a, int row) {
  const fly_model *m = &a->mechanism->model;
  return &m->spec->item[m->row[row].item];
}

static fly_status contradiction(fly_assembly *a, int k, double left, int level, fly_error *error) {
  static const char *const levels[] = {"positions", "velocities", "accelerations"}, *const per[] = {"", "/s", "/s^2"};
  char name[160];
  const char *unit = fly_row_unit(&a->mechanism->model, k);
  a->all.dae.row_name(name, sizeof name, a->all.place_of[k], &a->all);
  if (level == 0)
    fly_open_note(&a->open, &a->mechanism->model, fly_solver_state(a->solver).q, a->g);
  const fly_status status =
      fly_fail_at(error, FLY_INCONSISTENT, 0.0, FLY_NOWHERE, item_of_row(a, k)->name,
                  "`%s` contradicts the other constraints: when they are met it is left with %.3g%s%s%s in %s.", name,
                  left, unit[0] ? " " : "", unit, unit[0] ? per[level] : "", levels[level]);
  name_motions(&a->mechanism->model, k, error);
  fly_error_append(error, "\n%s", a->redundancy);
  return status;
}

// Rows that were removed must hold where the others do, in positions, velocities and accelerations; if not, the
// constraints contradict each other.
static fly_status check_removed(fly_assembly *a, fly_error *error) {
  const fly_model *model = &a->mechanism->model;
  fly_dae_state at = fly_solver_state(a->solver);
  const double *motion[] = {NULL, at.v, at.vdot};
  for (int l = 0; l < 3 && l < a->levels && a->rank < a->all.nactive; l++) {
    if (l == 0)
      a->all.dae.constraint(a->g, at.t, at.q, &a->all);
    else if (l == 1)
      a->all.dae.constraint_rate(a->g, at.t, at.q, &a->all);
    else
      a->all.dae.constraint_gamma(a->g, at.t, at.q, at.v, &a->all);
    if (l > 0) {
      fly_csc_zero(&a->all.G);
      a->all.dae.constraint_jacobian(a->all.G.val, at.t, at.q, &a->all);
      fly_csc_multiply_add(a->g, &a->all.G, 1.0, motion[l]);
    }
    fly_assembly_spread(a);
    double scale = fmax(1.0, model->size);
    for (int i = 0; motion[l] && i < model->nv; i++)
      scale = fmax(scale, fabs(motion[l][i]));
    for (int k = 0; k < model->nrow; k++)
      if (a->system.place_of[k] < 0 && fabs(a->g[k]) > 1e-6 * scale)
        return contradiction(a, k, a->g[k], l, error);
  }
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ assembly

// The joint that is furthest from closed where the solver gave up, if one is.
static void tell_open_joint(fly_assembly *a, fly_error *error) {
  const fly_model *m = &a->mechanism->model;
  const double *q = fly_solver_state(a->solver).q;
  int worst = 0;
  find_values(a, 0.0, q);
  for (int k = 1; k < m->nrow; k++)
    if (fabs(a->g[k]) > fabs(a->g[worst]))
      worst = k;
  if (m->nrow == 0 || !(fabs(a->g[worst]) > 1e-9 * fmax(1.0, m->size)))
    return;
  fly_open_note(&a->open, m, q, a->g);
  const fly_row *row = &m->row[worst];
  const fly_item *item = &m->spec->item[row->item];
  const char *unit = fly_row_unit(m, worst);
  fly_fail_at(error, FLY_INCONSISTENT, 0.0, item->place, item->name,
              "%s `%s` cannot be closed: where everything fits as well as it can, `%s` is left with %.3g%s%s. Check "
              "places and lengths in its loop, and what is held or driven at the start.",
              item->type->name, item->name, row->direction, a->g[worst], unit[0] ? " " : "", unit);
}

// What contacts remember of how they were met is part of the forces of the start.
static fly_status start_at(fly_assembly *a, fly_error *error) {
  fly_system_remember(&a->system, &(fly_dae_state){.q = a->q, .v = a->v, .x = a->x}, true);
  fly_solver_know_rows(a->solver, a->independent.val ? &a->independent : NULL);
  fly_status status = fly_solver_start(a->solver, 0.0, a->end, a->q, a->v, a->x, error);
  fly_solver_know_rows(a->solver, NULL);
  a->independent = (fly_csc){0};
  if (status == FLY_INCONSISTENT)
    tell_open_joint(a, error);
  return status;
}

// Which rows are independent is known only where the model is assembled, and it is assembled with those rows: so once
// more from where it got to, until they stay the same. A start that ends where rows depend on each other says so.
static fly_status assemble(fly_assembly *a, fly_error *error) {
  bool same = false;
  size_t bytes = (size_t)a->mechanism->model.nq * sizeof *a->q;
  fly_status status = start_at(a, error);
  if (status == FLY_SINGULAR || status == FLY_REDUNDANT) {
    fly_error second = {0};
    memcpy(a->q, fly_solver_state(a->solver).q, bytes);
    if (use_rows_at(a, a->q, LOOSE, &same, &second) == FLY_OK && !same)
      status = start_at(a, error);
    same = false;
  }
  for (int k = 0; k < 5 && status == FLY_OK && !same && a->mechanism->model.nrow > 0; k++) {
    memcpy(a->q, fly_solver_state(a->solver).q, bytes);
    status = use_rows_at(a, a->q, TIGHT, &same, error);
    if (status == FLY_OK && !same)
      status = start_at(a, error);
  }
  return status ? status : check_removed(a, error);
}

// The start moved a little off any special position, always in the same way.
static void nudge(fly_assembly *a) {
  const fly_model *m = &a->mechanism->model;
  memcpy(a->q, a->q_given, (size_t)m->nq * sizeof *a->q);
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    const int turn_v = b->type->turn_v;
    double *q = a->q + b->iq, turn[3] = {0};
    for (int c = 0, at = 0; c < b->columns; c++) {
      double by = 0.02 * sin(1.0 + 6 * k + c);
      if (turn_v >= 0 && c >= turn_v && c < turn_v + 3)
        turn[c - turn_v] = by;
      else
        q[at++] += fly_body_is_length(b, c) ? by * m->size : by;
      at += c == turn_v ? 4 : 0; // the quaternion
    }
    if (turn_v >= 0)
      fly_quat_plus(q + b->type->turn_q, q + b->type->turn_q, turn);
  }
}

// A start in line or flat may hide rows that are needed, so a model that seems to contradict itself is tried once more
// from beside it.
static fly_status assemble_somehow(fly_assembly *a, fly_error *error) {
  memcpy(a->q_given, a->q, (size_t)a->mechanism->model.nq * sizeof *a->q);
  fly_status status = assemble(a, error);
  if (status == FLY_INCONSISTENT && a->rank < a->all.nactive) {
    fly_error second = {0};
    bool same;
    nudge(a);
    if (use_rows_at(a, a->q, TIGHT, &same, &second) == FLY_OK && assemble(a, &second) == FLY_OK)
      status = FLY_OK;
    a->open.found = a->open.found && status != FLY_OK;
  }
  return status;
}

fly_status fly_assembly_prepare(fly_assembly *a, const fly_mechanism *m, const fly_dae_options *dae, double end,
                                fly_error *error) {
  const fly_model *model = &m->model;
  a->mechanism = m;
  a->dae = *dae;
  a->end = end;
  a->keep = fly_arena_ints(&a->memory, (size_t)model->nrow);
  a->g = fly_arena_doubles(&a->memory, (size_t)model->nrow);
  a->y_guess = fly_arena_doubles(&a->memory, (size_t)model->ny);
  a->spread = fly_arena_doubles(&a->memory, (size_t)(model->nrow + model->nsliprow));
  a->q = fly_arena_doubles(&a->memory, (size_t)model->nq);
  a->q_given = fly_arena_doubles(&a->memory, (size_t)model->nq);
  a->v = fly_arena_doubles(&a->memory, (size_t)model->nv);
  a->reached = fly_arena_take(&a->memory, (size_t)model->nbody, sizeof *a->reached);
  a->start_q = fly_arena_doubles(&a->memory, (size_t)model->nq);
  a->start_v = fly_arena_doubles(&a->memory, (size_t)model->nv);
  a->x = fly_arena_doubles(&a->memory, (size_t)model->nstate);
  a->room_x = model->nstate;
  a->start_x = fly_arena_doubles(&a->memory, (size_t)model->nstate);
  a->start_rows = fly_arena_ints(&a->memory, (size_t)model->nrow);
  fly_open_create(&a->open, model, &a->memory);
  a->levels = 3;
  if (a->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d constraint rows.", model->nrow);
  fly_status status = fly_system_create_rows(&a->all, model, &a->softness, error);
  if (status)
    return status;
  memcpy(a->q, a->all.q0, (size_t)model->nq * sizeof *a->q);
  memcpy(a->v, a->all.v0, (size_t)model->nv * sizeof *a->v);
  memcpy(a->x, a->all.x0, (size_t)model->nstate * sizeof *a->x);
  return FLY_OK;
}

fly_status fly_assembly_create(fly_assembly *a, const fly_mechanism *m, const fly_dae_options *dae, double end,
                               fly_error *error) {
  bool same;
  fly_status status = fly_assembly_prepare(a, m, dae, end, error);
  return status ? status : use_rows_at(a, a->q, TIGHT, &same, error);
}

// ------------------------------------------------------------------------------------------ what is held at the start

// Where a model does not fit with what is held: seen by its own rows.
static void note_open_held(fly_assembly *a, const fly_assembly *with) {
  if (!with->open.found)
    return;
  find_values(a, 0.0, with->open.q);
  fly_open_note(&a->open, &a->mechanism->model, with->open.q, a->g);
}

// Of a start no step follows: the method that takes least to make.
static fly_dae_options options_of_start(const fly_dae_options *run) {
  fly_dae_options o = *run;
  o.family = FLY_FAMILY_DIRECT;
  o.formulation = FLY_GGL;
  return o;
}

// Assembles the model with more rows than it has, and starts from there.
static fly_status assemble_held(fly_assembly *a, fly_assembly *with, const fly_mechanism *mechanism, fly_held held,
                                fly_error *error) {
  const fly_model *m = &mechanism->model;
  size_t nq = (size_t)m->nq * sizeof *a->q, nv = (size_t)m->nv * sizeof *a->v;
  const fly_dae_options dae = options_of_start(&a->dae);
  with->softness = (fly_softness){.rigid = true};
  fly_status status = fly_assembly_create(with, mechanism, &dae, a->end, error);
  if (status)
    return status;
  with->levels = held == FLY_HOLD_POSITIONS ? 1 : 2;
  memcpy(with->q, a->q, nq);
  memcpy(with->v, a->v, nv);
  status = assemble_somehow(with, error);
  if (status) {
    note_open_held(a, with);
    return status;
  }
  fly_dae_state at = fly_solver_state(with->solver);
  fly_certificate c = fly_solver_certificate(with->solver);
  memcpy(a->q, at.q, nq);
  a->moved_q += c.start_position;
  if (held == FLY_HOLD_SPEEDS) {
    memcpy(a->v, at.v, nv);
    a->moved_v += c.start_velocity;
  }
  return FLY_OK;
}

// Positions and velocities that keep what joints say about their start, and what bodies hold.
static fly_status hold(fly_assembly *a, fly_held held, fly_error *error) {
  const fly_model *m = &a->mechanism->model;
  fly_mechanism mechanism = {0};
  fly_assembly with = {0};
  if (!fly_spec_holds(m->spec, held))
    return FLY_OK;
  fly_status status = fly_model_compile_held(&mechanism.model, m->spec, held, error);
  if (status == FLY_OK)
    status = assemble_held(a, &with, &mechanism, held, error);
  fly_assembly_free(&with);
  fly_model_free(&mechanism.model);
  return status;
}

// Of joints that give way: how they start.
static void warn_soft(fly_assembly *a, const char *why) {
  const size_t used = strlen(a->warnings);
  snprintf(a->warnings + used, sizeof a->warnings - used, "%s\n", why);
}

// Joints that give way start closed, or where what they carry has opened them (soften.h).
static fly_status close_soft(fly_assembly *a, fly_error *error) {
  const fly_model *m = &a->mechanism->model;
  fly_assembly rigid = {.softness = a->softness};
  fly_error why = {0};
  bool far = false;
  if (a->all.soft.count == 0)
    return FLY_OK;
  rigid.softness.rigid = true;
  fly_status status = fly_assembly_create(&rigid, a->mechanism, &a->dae, a->end, &why);
  if (status == FLY_OK) {
    memcpy(rigid.q, a->q, (size_t)m->nq * sizeof *a->q);
    memcpy(rigid.v, a->v, (size_t)m->nv * sizeof *a->v);
    memcpy(rigid.x, a->x, (size_t)m->nstate * sizeof *a->x);
    status = assemble_somehow(&rigid, &why);
  }
  if (status == FLY_OK) {
    const fly_dae_state at = fly_solver_state(rigid.solver);
    memcpy(a->q, at.q, (size_t)m->nq * sizeof *a->q);
    memcpy(a->v, at.v, (size_t)m->nv * sizeof *a->v);
    status = a->smooth && !a->resting ? fly_soften_start(a, &rigid, &far, &why) : FLY_OK;
    if (status || far)
      warn_soft(a, "What joints that give way carry would open them too far to start them smoothly: they start closed, "
                   "and swing first. Start at an equilibrium (start: equilibrium), or with less compliance.");
  } else if (status != FLY_NO_MEMORY) {
    warn_soft(a, "Joints that give way cannot all be closed: they start as they are given, and strained by it.");
  }
  fly_assembly_free(&rigid);
  if (status == FLY_NO_MEMORY)
    return fly_fail(error, status, 0.0, "%s", why.message);
  return FLY_OK;
}

// A loop that is singular at the start is the reason, whatever tripped over it.
static bool tell_loop(fly_assembly *a, fly_status status, fly_error *error) {
  char names[500];
  const fly_dae_state at = fly_solver_state(a->solver);
  const int loop = status == FLY_SINGULAR ? fly_system_lost_loop(&a->system, &at) : 0;
  if (loop == 0)
    return false;
  fly_system_loop_text(names, sizeof names, &a->mechanism->model, loop);
  fly_fail(
      error, status, 0.0,
      "At t = 0 s variables that depend on themselves have no solution, or more than one side by side:%s. The gain "
      "around the loop is 1 there: look for one that is its own multiple, or give one of them a `start` elsewhere.",
      names);
  return true;
}

fly_status fly_assembly_start(fly_assembly *a, fly_error *error) {
  bool same;
  const double *q0 = a->all.q0;
  fly_status status = hold(a, FLY_HOLD_POSITIONS, error);
  if (status == FLY_OK)
    status = hold(a, FLY_HOLD_SPEEDS, error);
  if (status == FLY_OK)
    status = close_soft(a, error);
  if (status == FLY_OK && memcmp(a->q, q0, (size_t)a->mechanism->model.nq * sizeof *q0) != 0)
    status = use_rows_at(a, a->q, TIGHT, &same, error);
  if (status == FLY_OK)
    status = assemble_somehow(a, error);
  fly_error_drop(error, ", or give a guess for them (fly_solver_guess)");
  if (tell_loop(a, status, error))
    return status;
  if (status == FLY_SINGULAR)
    fly_blame_feeling(&a->mechanism->model, error);
  if (status == FLY_SINGULAR || status == FLY_NO_CONVERGENCE || status == FLY_NOT_FINITE ||
      (status == FLY_INCONSISTENT && error && strstr(error->message, "No accelerations")))
    fly_blame_loops(&a->mechanism->model, error);
  if (status == FLY_OK && !a->resting)
    status = fly_resting_find(a, error);
  if (status == FLY_OK)
    fly_start_look(a);
  return status;
}

void fly_assembly_note_start(fly_assembly *a) {
  const fly_model *model = &a->mechanism->model;
  const fly_dae_state at = fly_solver_state(a->solver);
  memcpy(a->start_q, at.q, (size_t)model->nq * sizeof *a->q);
  memcpy(a->start_v, at.v, (size_t)model->nv * sizeof *a->v);
  memcpy(a->start_x, at.x, (size_t)model->nstate * sizeof *a->x);
  memcpy(a->start_rows, a->system.active, (size_t)a->rank * sizeof *a->start_rows);
  a->start_rank = a->rank;
  a->start_lit = a->all.nactive;
}

// The system as it was before the events of the start took place, with the inputs that it was given since.
static fly_status take_back_events(fly_assembly *a, fly_error *error) {
  fly_system old = a->system;
  a->rank = a->start_rank;
  memcpy(a->keep, a->start_rows, (size_t)a->rank * sizeof *a->keep);
  fly_status status = create_system(a, error);
  if (status == FLY_OK) {
    fly_system_copy_inputs(&a->system, &old);
    status = fly_assembly_use_lit(a, fly_system_list_rows(&a->system, a->keep), a->keep, error);
  }
  if (status == FLY_OK)
    fly_system_copy_history(&a->all, &a->system);
  fly_system_free(&old);
  a->switched = a->system.switched;
  a->crossed = false;
  return status;
}

fly_status fly_assembly_start_as(fly_assembly *a, const fly_assembly *of, const fly_dae_options *dae,
                                 fly_error *error) {
  const fly_model *model = &a->mechanism->model;
  fly_status status = FLY_OK;
  memcpy(a->q, of->start_q, (size_t)model->nq * sizeof *a->q);
  memcpy(a->v, of->start_v, (size_t)model->nv * sizeof *a->v);
  memcpy(a->x, of->start_x, (size_t)model->nstate * sizeof *a->x);
  a->dae = *dae;
  fly_solver_free(a->solver);
  a->solver = NULL;
  if (a != of) {
    fly_system_free(&a->system);
    a->rank = of->start_rank;
    memcpy(a->keep, of->start_rows, (size_t)a->rank * sizeof *a->keep);
    status = create_system(a, error);
  } else if (a->crossed)
    status = take_back_events(a, error);
  if (status == FLY_OK)
    status = fly_assembly_create_solver(a, dae, error);
  return status ? status : start_at(a, error);
}

fly_status fly_assembly_use(fly_assembly *a, const fly_dae_options *dae, int rank, const int *rows, fly_error *error) {
  fly_kept_free(&a->kept);
  fly_share_free(&a->share);
  fly_solver_free(a->solver);
  a->solver = NULL;
  fly_system_free(&a->system);
  a->rank = rank;
  if (rows != a->keep)
    memcpy(a->keep, rows, (size_t)rank * sizeof *a->keep);
  a->dae = *dae;
  const fly_status status = create_system(a, error);
  return status ? status : fly_assembly_create_solver(a, &a->dae, error);
}

fly_status fly_assemble(fly_assembly *a, const fly_mechanism *m, const fly_dae_options *dae, double end,
                        fly_error *error) {
  fly_status status = fly_assembly_create(a, m, dae, end, error);
  return status ? status : fly_assembly_start(a, error);
}

// What the values in a->g of the rows kept are off.
static double largest_kept(const fly_assembly *a) {
  double most = 0;
  for (int k = 0; k < a->system.nactive; k++)
    most = fmax(most, fabs(a->g[a->system.active[k]]));
  return most;
}

fly_status fly_assembly_check_to(fly_assembly *a, const fly_dae_state *at, double tolerance, fly_error *error) {
  const fly_model *model = &a->mechanism->model;
  if (a->rank == a->all.nactive)
    return FLY_OK;
  fly_system_copy_history(&a->all, &a->system);
  find_values(a, at->t, at->q);
  const double allowed = fmax(tolerance * fmax(1.0, model->size), MOST_DRIFT * largest_kept(a));
  for (int k = 0; k < model->nrow; k++)
    if (a->system.place_of[k] < 0 && fabs(a->g[k]) > allowed) {
      contradiction(a, k, a->g[k], 0, error);
      if (error)
        error->time = at->t;
      fly_error_append(error, "This shows at t = %.9g s.", at->t);
      return FLY_INCONSISTENT;
    }
  return FLY_OK;
}

fly_status fly_assembly_check(fly_assembly *a, const fly_dae_state *at, fly_error *error) {
  return fly_assembly_check_to(a, at, 1e-4, error);
}

// ------------------------------------------------------------------------------------------ other rows

// A force that feels how a redundant joint shares its load is another one with other rows.
static bool forces_jump(const fly_assembly *a) {
  const fly_model *m = &a->mechanism->model;
  for (int k = 0; k < m->nmeasure; k++)
    if (m->measure[k].joint >= 0 && m->measure[k].output >= 0 &&
        is_in_a_redundant_set(&a->all, &a->kept.rank, a->kept.order, m->measure[k].joint))
      return true;
  return false;
}

// What the rows kept are off is not what others are: where a method lets them drift, it starts again on all of them.
static bool drifts(const fly_dae_options *o) {
  return o->family == FLY_FAMILY_DIRECT || o->family == FLY_FAMILY_BAUMGARTE ||
         (o->family == FLY_FAMILY_NEWMARK && o->formulation == FLY_INDEX2);
}

static fly_status change_rows(fly_assembly *a, fly_error *error) {
  fly_status status = fly_rows_leave(a->solver, error);
  if (status == FLY_OK)
    status = fly_system_keep(&a->system, a->rank, a->keep, error);
  if (status == FLY_OK)
    status = fly_rows_enter(a->solver, &a->system.dae, forces_jump(a) || drifts(&a->dae), error);
  fly_share_free(&a->share);
  describe(a, &a->kept.rank, a->kept.order);
  a->changes++;
  return status;
}

fly_status fly_assembly_watch(fly_assembly *a, const fly_dae_state *at, double h, fly_error *error) {
  bool poor = false, found = false;
  fly_status status = FLY_OK;
  if (a->rank == a->all.nactive)
    return FLY_OK;
  if (!a->kept.all)
    status = fly_kept_create(&a->kept, &a->all, a->rank, a->system.active, error);
  if (status == FLY_OK)
    status = fly_kept_watch(&a->kept, at, h, &poor, error);
  if (status == FLY_OK && poor)
    status = fly_kept_choose(&a->kept, at, a->keep, &found, error);
  return status || !found ? status : change_rows(a, error);
}

// ------------------------------------------------------------------------------------------ rows that come and go

fly_status fly_assembly_use_lit(fly_assembly *a, int count, const int *rows, fly_error *error) {
  fly_system fresh;
  const fly_status status = fly_system_create_soft(&fresh, a->all.model, &a->softness, count, rows, error);
  if (status) {
    fly_system_free(&fresh);
    return status;
  }
  fresh.stop = a->all.stop;
  fresh.stop_user = a->all.stop_user;
  fly_kept_free(&a->kept);
  fly_share_free(&a->share);
  a->independent = (fly_csc){0}; // its arrays are those of the one that goes
  fly_system_free(&a->all);
  a->all = fresh;
  a->all.dae.user = &a->all;
  return FLY_OK;
}

// The system has more slots for contacts that are found: so has the one of all rows.
static fly_status follow_slots(fly_assembly *a, fly_error *error) {
  return a->all.model->nslot == a->system.model->nslot
             ? FLY_OK
             : fly_system_use_kinds(&a->all, a->system.model->nslot, a->system.model->slot_kind, error);
}

fly_status fly_assembly_crossed(fly_assembly *a, fly_error *error) {
  const fly_status followed = follow_slots(a, error);
  a->crossed = true;
  if (followed)
    return followed;
  if (a->switched == a->system.switched)
    return FLY_OK;
  a->switched = a->system.switched;
  a->rank = a->system.nactive;
  const int count = fly_system_list_rows(&a->system, a->keep);
  const fly_status status = fly_assembly_use_lit(a, count, a->keep, error);
  if (status == FLY_OK)
    fly_system_copy_history(&a->all, &a->system);
  a->redundancy[0] = 0;
  return status;
}

// ------------------------------------------------------------------------------------------ reports

fly_status fly_assembly_report(fly_assembly *a, fly_dae_state *at, fly_system **system, fly_error *error) {
  const fly_model *m = &a->mechanism->model;
  fly_status status = FLY_OK;
  *system = &a->system;
  if (a->rank == a->all.nactive)
    return FLY_OK;
  if (!a->share.system)
    status = fly_share_create(&a->share, &a->all, a->system.place_of, a->all.nactive, m->nsliprow, error);
  if (status)
    return status;
  fly_system_copy_history(&a->all, &a->system);
  for (int k = 0; k < a->all.nactive; k++) {
    const int place = a->system.place_of[a->all.active[k]];
    a->spread[k] = place < 0 ? 0.0 : at->lambda[place];
  }
  for (int k = 0; k < m->nsliprow; k++)
    a->spread[a->all.nactive + k] = at->lambda[a->rank + k];
  at->lambda = a->dae.form == FLY_FORM_ACCELERATION ? fly_share_of_motion(&a->share, at, a->spread)
                                                    : fly_share_of_multipliers(&a->share, at->t, at->q, a->spread);
  *system = &a->all;
  return FLY_OK;
}

void fly_assembly_free(fly_assembly *a) {
  fly_kept_free(&a->kept);
  fly_share_free(&a->share);
  fly_solver_free(a->solver);
  fly_system_free(&a->system);
  fly_system_free(&a->all);
  fly_arena_free(&a->memory);
}
