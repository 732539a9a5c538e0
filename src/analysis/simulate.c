// Simulation of a mechanism: remove redundancy, assemble, integrate, sample channels.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels.h"
#include "analysis/ledger.h"
#include "analysis/record.h"
#include "analysis/settings.h"
#include "analysis/story.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/stream.h"
#include "flyball/model.h"
#include "math/so3.h"
#include "model/mechanism.h"
#include "result/result.h"
#include "system/system.h"

static const double TIGHT = 1e-9, LOOSE = 1e-4; // of the rank of the constraints

struct fly_run {
  const fly_mechanism *mechanism;
  fly_run_settings settings;
  fly_system all;    // with every row, to find which are needed
  fly_system system; // with the independent ones
  int *keep;         // rows (model->nrow), and their values
  double *g;
  double *q, *v;           // where assembly starts (nq), (nv)
  double *q_given;         // and where it started first (nq)
  int levels;              // positions, velocities, accelerations: those on which removed rows must hold
  double moved_q, moved_v; // by what is held at the start
  fly_solver *solver;
  fly_book book;
  int rank;
  char redundancy[2000];
  fly_channels channels;
  double *value;             // time, then all channels (1 + channels.count)
  fly_result_writer *writer; // NULL: nothing is written
  long rows;
  long next_output; // number of the next output point
  bool all_given;
  bool shown; // assembled to be looked at
  fly_story story;
  fly_error outcome; // how it ended
  bool ended;
  uint64_t hash; // of the results
  double clock;  // when it was created, and
  double wall_s; // how long it took
  fly_arena memory;
};

// ------------------------------------------------------------------------------------------ redundancy

static void describe_redundancy(fly_run *r, const fly_rank *rank, const fly_system *all) {
  size_t used = 0, size = sizeof r->redundancy;
  for (int k = 0; k < rank->ndependent && used < size; k++) {
    char name[160];
    all->dae.row_name(name, sizeof name, rank->dependent[k], (void *)all);
    used += (size_t)snprintf(r->redundancy + used, size - used, "`%s` follows from", name);
    int first = rank->support_start[k], count = rank->support_start[k + 1] - first;
    for (int m = 0; m < count && m < 6 && used < size; m++) {
      all->dae.row_name(name, sizeof name, rank->support[first + m], (void *)all);
      used += (size_t)snprintf(r->redundancy + used, size - used, "%s `%s`", m ? "," : "", name);
    }
    if (used < size)
      used += (size_t)snprintf(r->redundancy + used, size - used, count > 6 ? " and %d more\n" : "\n", count - 6);
  }
}

static bool is_in_a_redundant_set(const fly_model *m, const fly_rank *rank, int joint) {
  for (int k = 0; k < rank->ndependent; k++)
    if (m->row[rank->dependent[k]].item == joint)
      return true;
  for (int k = 0; rank->ndependent > 0 && k < rank->support_start[rank->ndependent]; k++)
    if (m->row[rank->support[k]].item == joint)
      return true;
  return false;
}

// Expressions must not lean on reactions that are not determined without its being said.
static void describe_reactions(fly_run *r, const fly_rank *rank) {
  const fly_model *m = &r->mechanism->model;
  for (int k = 0; k < m->nmeasure; k++) {
    int joint = m->measure[k].joint;
    size_t used = strlen(r->redundancy);
    if (joint >= 0 && is_in_a_redundant_set(m, rank, joint))
      snprintf(r->redundancy + used, sizeof r->redundancy - used,
               "`%s` is used in an expression, but how `%s` shares its load with others is not determined\n",
               fly_reaction_types[m->measure[k].kind].name, m->spec->item[joint].name);
  }
}

// Rows independent at q, to a tolerance: their numbers in keep.
static fly_status choose_rows(fly_system *all, const double *q, double tolerance, int *keep, int *count, fly_rank *rank,
                              fly_error *error) {
  fly_csc G = {0};
  fly_status status = fly_csc_create(&G, all->nactive, all->model->nv, all->G.start, all->G.row, error);
  if (status == FLY_OK) {
    all->dae.constraint_jacobian(G.val, 0.0, q, all);
    status = fly_rank_find(rank, &G, tolerance, error);
  }
  *count = 0;
  for (int k = 0, d = 0; k < all->nactive && status == FLY_OK; k++) {
    bool dependent = d < rank->ndependent && rank->dependent[d] == k;
    d += dependent;
    if (!dependent)
      keep[(*count)++] = k;
  }
  fly_csc_free(&G);
  return status;
}

// System and solver with the rows that are independent at q. *same: they are the ones there were already.
static fly_status use_rows_at(fly_run *r, const double *q, double tolerance, bool *same, fly_error *error) {
  const fly_model *model = &r->mechanism->model;
  fly_rank rank = {0};
  int count = 0;
  fly_status status = choose_rows(&r->all, q, tolerance, r->keep, &count, &rank, error);
  *same = status == FLY_OK && r->solver && count == r->rank &&
          memcmp(r->keep, r->system.active, (size_t)count * sizeof *r->keep) == 0;
  if (status == FLY_OK && !*same) {
    fly_solver_free(r->solver);
    fly_system_free(&r->system);
    r->solver = NULL;
    r->rank = count;
    r->redundancy[0] = 0;
    describe_redundancy(r, &rank, &r->all);
    describe_reactions(r, &rank);
    status = fly_system_create(&r->system, model, count, r->keep, error);
    if (status == FLY_OK)
      status = fly_solver_create(&r->solver, &r->system.dae, &r->settings.dae, error);
  }
  fly_rank_free(&rank);
  return status;
}

static fly_status create_system(fly_run *r, fly_error *error) {
  const fly_model *model = &r->mechanism->model;
  bool same;
  r->keep = fly_arena_ints(&r->memory, (size_t)model->nrow);
  r->g = fly_arena_doubles(&r->memory, (size_t)model->nrow);
  r->q = fly_arena_doubles(&r->memory, (size_t)model->nq);
  r->q_given = fly_arena_doubles(&r->memory, (size_t)model->nq);
  r->v = fly_arena_doubles(&r->memory, (size_t)model->nv);
  r->levels = 3;
  if (r->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d constraint rows.", model->nrow);
  fly_status status = fly_system_create(&r->all, model, 0, NULL, error);
  if (status)
    return status;
  memcpy(r->q, r->all.q0, (size_t)model->nq * sizeof *r->q);
  memcpy(r->v, r->all.v0, (size_t)model->nv * sizeof *r->v);
  return use_rows_at(r, r->q, TIGHT, &same, error);
}

// What a row is measured in; "" if it mixes lengths and angles.
static const char *row_unit(const fly_model *m, int row) {
  const char *unit = NULL;
  for (int k = 0; k < m->nterm; k++) {
    const fly_term *t = &m->term[k];
    int rows = 0;
    for (int bit = t->rows; bit; bit >>= 1)
      rows += bit & 1;
    if (row < t->row || row >= t->row + rows)
      continue;
    const char *one = t->kind == FLY_POINT || t->kind == FLY_PLANE || t->kind == FLY_DISTANCE ? "m" : "rad";
    if (unit && one != unit)
      return "";
    unit = one;
  }
  return unit ? unit : "";
}

static fly_status contradiction(fly_run *r, int k, double left, int level, fly_error *error) {
  static const char *const levels[] = {"positions", "velocities", "accelerations"}, *const per[] = {"", "/s", "/s^2"};
  char name[160];
  const char *unit = row_unit(&r->mechanism->model, k);
  r->all.dae.row_name(name, sizeof name, k, &r->all);
  return fly_fail(error, FLY_INCONSISTENT, 0.0,
                  "`%s` contradicts the other constraints: when they are met it is left with %.3g%s%s%s in %s.\n%s",
                  name, left, unit[0] ? " " : "", unit, unit[0] ? per[level] : "", levels[level], r->redundancy);
}

// Rows that were removed must hold where the others do, in positions, velocities and accelerations; if not, the
// constraints contradict each other.
static fly_status check_removed(fly_run *r, fly_error *error) {
  const fly_model *model = &r->mechanism->model;
  fly_dae_state at = fly_solver_state(r->solver);
  const double *motion[] = {NULL, at.v, at.vdot};
  for (int l = 0; l < 3 && l < r->levels && r->rank < model->nrow; l++) {
    if (l == 0)
      r->all.dae.constraint(r->g, at.t, at.q, &r->all);
    else if (l == 1)
      r->all.dae.constraint_rate(r->g, at.t, at.q, &r->all);
    else
      r->all.dae.constraint_gamma(r->g, at.t, at.q, at.v, &r->all);
    if (l > 0) {
      fly_csc_zero(&r->all.G);
      r->all.dae.constraint_jacobian(r->all.G.val, at.t, at.q, &r->all);
      fly_csc_multiply_add(r->g, &r->all.G, 1.0, motion[l]);
    }
    double scale = fmax(1.0, model->size);
    for (int i = 0; motion[l] && i < model->nv; i++)
      scale = fmax(scale, fabs(motion[l][i]));
    for (int k = 0; k < model->nrow; k++)
      if (r->system.place_of[k] < 0 && fabs(r->g[k]) > 1e-6 * scale)
        return contradiction(r, k, r->g[k], l, error);
  }
  return FLY_OK;
}

// On the way they must go on holding: motions may agree at the start and part later.
static fly_status check_removed_later(fly_run *r, fly_error *error) {
  const fly_model *model = &r->mechanism->model;
  fly_dae_state at = fly_solver_state(r->solver);
  if (r->rank == model->nrow)
    return FLY_OK;
  (void)fly_system_accept(&r->all, at.t, at.q, at.v); // where the system's own turns are sure, these are too
  r->all.dae.constraint(r->g, at.t, at.q, &r->all);
  for (int k = 0; k < model->nrow; k++)
    if (r->system.place_of[k] < 0 && fabs(r->g[k]) > 1e-4 * fmax(1.0, model->size)) {
      contradiction(r, k, r->g[k], 0, error);
      if (error)
        error->time = at.t;
      fly_error_append(error, "This shows at t = %.9g s.", at.t);
      return FLY_INCONSISTENT;
    }
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ attachments

// The bodies stand at q; NULL: as the model gives them.
static fly_status attach_scene(fly_run *r, const double *q, fly_error *error) {
  char *bytes;
  size_t size;
  if (!r->writer || !r->mechanism->scene)
    return FLY_OK;
  fly_status status = r->mechanism->scene(&bytes, &size, r->mechanism, q, error);
  if (status)
    return status;
  status = fly_result_attach(r->writer, "scene.json", bytes, size, error);
  free(bytes);
  return status;
}

static fly_status attach_story(fly_run *r, fly_error *error) {
  char *bytes;
  size_t size;
  FILE *file = r->writer ? fly_stream_open(&bytes, &size) : NULL;
  if (!file)
    return r->writer ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the story of the run.") : FLY_OK;
  bool written = fly_story_write(file, &r->story);
  written = fclose(file) == 0 && written;
  fly_status status = written ? fly_result_attach(r->writer, "story.json", bytes, size, error)
                              : fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the story of the run.");
  free(bytes);
  return status;
}

// ------------------------------------------------------------------------------------------ record

static fly_record record_of(const fly_run *r) {
  return (fly_record){.spec = &r->mechanism->spec,
                      .settings = &r->settings,
                      .running = !r->ended,
                      .shown = r->shown,
                      .status = r->outcome.status,
                      .message = r->outcome.message,
                      .time = r->solver ? fly_run_time(r) : (double)NAN,
                      .info = fly_run_info(r),
                      .redundancy = r->redundancy,
                      .certificate = r->solver ? fly_run_certificate(r) : (fly_certificate){0},
                      .ledger = r->book.ledger,
                      .stats = r->solver ? fly_run_stats(r) : (fly_stats){0},
                      .rows = r->rows,
                      .channels = r->channels.count,
                      .hash = r->hash,
                      .wall_s = r->wall_s};
}

static fly_status attach_record(fly_run *r, fly_error *error) {
  fly_record record = record_of(r);
  return r->writer ? fly_record_attach(r->writer, &record, error) : FLY_OK;
}

// Notes how it ended and closes the results. The first failure counts.
static fly_status end_run(fly_run *r, fly_status status, fly_error *error) {
  fly_error closing = {0};
  if (status)
    r->outcome = *error;
  r->outcome.status = status;
  r->ended = true;
  r->hash = r->writer ? fly_result_hash(r->writer) : fly_hash_start();
  r->wall_s = fly_clock() - r->clock;
  fly_status attached = attach_story(r, &closing);
  if (attached == FLY_OK)
    attached = attach_record(r, &closing);
  fly_status closed = fly_result_finish(r->writer, attached ? NULL : &closing);
  r->writer = NULL;
  if (status)
    return status;
  status = attached ? attached : closed;
  if (status)
    *error = closing;
  return status;
}

bool fly_run_record(const fly_run *r, FILE *file, bool texts) {
  fly_record record = record_of(r);
  return fly_record_write(file, &record, texts);
}

// ------------------------------------------------------------------------------------------ life

static fly_status create(fly_run *r, const fly_run_options *options, fly_error *error) {
  fly_status status = fly_settings_make(&r->settings, &r->mechanism->model, options, error);
  if (status == FLY_OK)
    status = create_system(r, error);
  if (status == FLY_OK)
    status = fly_channels_make(&r->channels, &r->mechanism->model, r->settings.channels, &r->memory, error);
  r->value = fly_arena_doubles(&r->memory, 1 + (size_t)r->channels.count);
  if (status == FLY_OK && !r->value)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d channels.", r->channels.count);
  if (status == FLY_OK && r->settings.out) {
    fly_result_options o = fly_result_options_default();
    o.formats = r->settings.formats;
    status = fly_result_create(&r->writer, r->settings.out, r->channels.channel, r->channels.count, &o, error);
  }
  return status;
}

fly_status fly_run_create(fly_run **out, const fly_mechanism *m, const fly_run_options *options, fly_error *error) {
  *out = NULL;
  fly_run *r = calloc(1, sizeof *r);
  if (!r)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a run.");
  r->mechanism = m;
  fly_story_begin(&r->story);
  r->clock = fly_clock();
  fly_status status = create(r, options, error);
  if (status)
    fly_run_free(r);
  else
    *out = r;
  return status;
}

static void release(fly_run *r) {
  fly_solver_free(r->solver);
  fly_system_free(&r->system);
  fly_system_free(&r->all);
  fly_arena_free(&r->memory);
}

void fly_run_free(fly_run *r) {
  if (!r)
    return;
  fly_result_finish(r->writer, NULL);
  release(r);
  free(r);
}

static fly_status accept(fly_run *r, fly_error *error) {
  fly_dae_state at = fly_solver_state(r->solver);
  fly_channels_accept(&r->channels, &r->system, &at);
  if (fly_system_accept(&r->system, at.t, at.q, at.v))
    return FLY_OK;
  return fly_fail(
      error, FLY_NO_CONVERGENCE, at.t,
      "At t = %.9g s something has turned so far in one step that its turns cannot be counted. Try a smaller "
      "step or error.",
      at.t);
}

// The joint that is furthest from closed where the solver gave up, if one is.
static void tell_open_joint(fly_run *r, fly_error *error) {
  const fly_model *m = &r->mechanism->model;
  int worst = 0;
  r->all.dae.constraint(r->g, 0.0, fly_solver_state(r->solver).q, &r->all);
  for (int k = 1; k < m->nrow; k++)
    if (fabs(r->g[k]) > fabs(r->g[worst]))
      worst = k;
  if (m->nrow == 0 || !(fabs(r->g[worst]) > 1e-9 * fmax(1.0, m->size)))
    return;
  const fly_row *row = &m->row[worst];
  const fly_item *item = &m->spec->item[row->item];
  const char *unit = row_unit(m, worst);
  char place[300];
  fly_place_text(place, sizeof place, item->place);
  fly_fail(error, FLY_INCONSISTENT, 0.0,
           "%s%s `%s` cannot be closed: where everything fits as well as it can, `%s` is left with %.3g%s%s. Check "
           "places and lengths in its loop, and what is held or driven at the start.",
           place, item->type->name, item->name, row->direction, r->g[worst], unit[0] ? " " : "", unit);
}

static fly_status start_at(fly_run *r, fly_error *error) {
  fly_status status = fly_solver_start(r->solver, 0.0, r->settings.end, r->q, r->v, NULL, error);
  if (status == FLY_INCONSISTENT)
    tell_open_joint(r, error);
  return status;
}

// Which rows are independent is known only where the model is assembled, and it is assembled with those rows: so once
// more from where it got to, until they stay the same. A start that ends where rows depend on each other says so.
static fly_status assemble(fly_run *r, fly_error *error) {
  bool same = false;
  size_t bytes = (size_t)r->mechanism->model.nq * sizeof *r->q;
  fly_status status = start_at(r, error);
  if (status == FLY_SINGULAR || status == FLY_REDUNDANT) {
    fly_error second = {0};
    memcpy(r->q, fly_solver_state(r->solver).q, bytes);
    if (use_rows_at(r, r->q, LOOSE, &same, &second) == FLY_OK && !same)
      status = start_at(r, error);
    same = false;
  }
  for (int k = 0; k < 5 && status == FLY_OK && !same && r->mechanism->model.nrow > 0; k++) {
    memcpy(r->q, fly_solver_state(r->solver).q, bytes);
    status = use_rows_at(r, r->q, TIGHT, &same, error);
    if (status == FLY_OK && !same)
      status = start_at(r, error);
  }
  return status ? status : check_removed(r, error);
}

// The start moved a little off any special position, always in the same way.
static void nudge(fly_run *r) {
  const fly_model *m = &r->mechanism->model;
  memcpy(r->q, r->q_given, (size_t)m->nq * sizeof *r->q);
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    double *q = r->q + b->iq, turn[3];
    for (int c = 0; c < b->columns; c++) {
      double by = 0.02 * sin(1.0 + 6 * k + c);
      if (b->kind != FLY_RIGID || c < 3)
        q[c] += b->column[c] < 3 ? by * m->size : by;
      else
        turn[c - 3] = by;
    }
    if (b->kind == FLY_RIGID)
      fly_quat_plus(q + 3, q + 3, turn);
  }
}

// A start in line or flat may hide rows that are needed, so a model that seems to contradict itself is tried once more
// from beside it.
static fly_status assemble_somehow(fly_run *r, fly_error *error) {
  memcpy(r->q_given, r->q, (size_t)r->mechanism->model.nq * sizeof *r->q);
  fly_status status = assemble(r, error);
  if (status == FLY_INCONSISTENT && r->rank < r->mechanism->model.nrow) {
    fly_error second = {0};
    bool same;
    nudge(r);
    if (use_rows_at(r, r->q, TIGHT, &same, &second) == FLY_OK && assemble(r, &second) == FLY_OK)
      status = FLY_OK;
  }
  return status;
}

// ------------------------------------------------------------------------------------------ what is held at the start

// Assembles the model with more rows than it has, and starts from there.
static fly_status assemble_held(fly_run *r, fly_run *with, fly_held held, fly_error *error) {
  const fly_model *m = &with->mechanism->model;
  size_t nq = (size_t)m->nq * sizeof *r->q, nv = (size_t)m->nv * sizeof *r->v;
  fly_status status = create_system(with, error);
  if (status)
    return status;
  with->levels = held == FLY_HOLD_POSITIONS ? 1 : 2;
  memcpy(with->q, r->q, nq);
  memcpy(with->v, r->v, nv);
  status = assemble_somehow(with, error);
  if (status)
    return status;
  fly_dae_state at = fly_solver_state(with->solver);
  fly_certificate c = fly_solver_certificate(with->solver);
  memcpy(r->q, at.q, nq);
  r->moved_q += c.start_position;
  if (held == FLY_HOLD_SPEEDS) {
    memcpy(r->v, at.v, nv);
    r->moved_v += c.start_velocity;
  }
  return FLY_OK;
}

// Positions and velocities that keep what joints say about their start, and what bodies hold.
static fly_status hold(fly_run *r, fly_held held, fly_error *error) {
  const fly_model *m = &r->mechanism->model;
  fly_mechanism mechanism = {0};
  fly_run with = {.mechanism = &mechanism, .settings = r->settings};
  if (!fly_spec_holds(m->spec, held))
    return FLY_OK;
  fly_status status = fly_model_compile_held(&mechanism.model, m->spec, held, error);
  if (status == FLY_OK)
    status = assemble_held(r, &with, held, error);
  release(&with);
  fly_model_free(&mechanism.model);
  return status;
}

static fly_status start(fly_run *r, fly_error *error) {
  bool same;
  const double *q0 = r->all.q0;
  fly_status status = hold(r, FLY_HOLD_POSITIONS, error);
  if (status == FLY_OK)
    status = hold(r, FLY_HOLD_SPEEDS, error);
  if (status == FLY_OK && memcmp(r->q, q0, (size_t)r->mechanism->model.nq * sizeof *q0) != 0)
    status = use_rows_at(r, r->q, TIGHT, &same, error);
  if (status == FLY_OK)
    status = assemble_somehow(r, error);
  if (status) {
    attach_scene(r, NULL, NULL); // seen as it is given, a model that cannot be assembled often says why
    if (status == FLY_SINGULAR && r->mechanism->model.ny > 0)
      fly_error_append(error,
                       "Forces of this model feel accelerations or reactions: one may cancel a mass, or hold itself.");
    return status;
  }
  fly_dae_state at = fly_solver_state(r->solver);
  status = accept(r, error);
  fly_book_open(&r->book, &r->system, &at);
  return status ? status : attach_scene(r, at.q, error);
}

fly_status fly_run_start(fly_run *r, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  fly_status status = start(r, error);
  return status ? end_run(r, status, error) : attach_record(r, error);
}

static fly_status give_row(fly_run *r, const fly_dae_state *at, fly_error *error) {
  fly_ledger ledger = fly_book_at(&r->book, &r->system, at);
  r->value[0] = at->t;
  fly_channels_sample(&r->channels, &r->system, at, &ledger, r->value + 1);
  r->rows++;
  if (r->settings.row)
    r->settings.row(r->value, r->settings.user);
  return r->writer ? fly_result_append(r->writer, r->value, 1, error) : FLY_OK;
}

// Output points inside the last step.
static fly_status give_rows(fly_run *r, fly_error *error) {
  double now = fly_solver_state(r->solver).t, slack = 1e-9 * r->settings.output;
  for (; !r->all_given; r->next_output++) {
    double t = fmin((double)r->next_output * r->settings.output, r->settings.end);
    fly_dae_state at;
    if (t > now + slack)
      return FLY_OK;
    fly_status status = fly_solver_interpolate(r->solver, fmin(t, now), &at, error);
    if (status)
      return status;
    status = give_row(r, &at, error);
    if (status)
      return status;
    r->all_given = t >= r->settings.end;
  }
  return FLY_OK;
}

static void note_step(fly_run *r) {
  fly_step_record step = fly_solver_step_record(r->solver);
  fly_stats stats = fly_solver_stats(r->solver);
  fly_story_note(&r->story, &step, &stats);
}

static fly_status go(fly_run *r, fly_error *error) {
  const fly_run_settings *s = &r->settings;
  fly_status status = give_rows(r, error);
  while (status == FLY_OK && !fly_solver_done(r->solver)) {
    status = fly_solver_step(r->solver, error);
    note_step(r);
    if (status != FLY_OK && status != FLY_NOT_KEPT)
      return status;
    double t = fly_solver_state(r->solver).t;
    fly_status written = accept(r, error);
    if (written == FLY_OK)
      written = fly_book_step(&r->book, &r->system, r->solver, error);
    if (written == FLY_OK)
      written = give_rows(r, error);
    if (written == FLY_OK)
      written = check_removed_later(r, error);
    if (written)
      return written;
    if (s->progress && !s->progress(t, s->end, fly_solver_stats(r->solver).steps, s->user))
      return fly_fail(error, FLY_STOPPED, t, "Interrupted at t = %.9g s; the results up to there are kept.", t);
  }
  return status;
}

fly_status fly_run_go(fly_run *r, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  return end_run(r, go(r, error), error);
}

static fly_status show(fly_run *r, fly_error *error) {
  fly_dae_state at = fly_solver_state(r->solver);
  return give_row(r, &at, error);
}

fly_status fly_run_show(fly_run *r, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  r->shown = true;
  return end_run(r, show(r, error), error);
}

long fly_run_rows(const fly_run *r) { return r->rows; }

int fly_run_channel(const fly_run *r, const char *name) {
  if (strcmp(name, "time") == 0)
    return 0;
  for (int k = 0; k < r->channels.count; k++)
    if (strcmp(r->channels.channel[k].name, name) == 0)
      return 1 + k;
  return -1;
}

fly_mechanism_info fly_run_info(const fly_run *r) {
  const fly_model *m = &r->mechanism->model;
  return (fly_mechanism_info){m->spec->name, m->nbody, m->nv, m->nrow, r->rank, m->nrow - r->rank};
}

fly_stats fly_run_stats(const fly_run *r) { return fly_solver_stats(r->solver); }
fly_certificate fly_run_certificate(const fly_run *r) {
  fly_certificate c = fly_solver_certificate(r->solver);
  c.start_position += r->moved_q;
  c.start_velocity += r->moved_v;
  return c;
}
fly_ledger fly_run_ledger(const fly_run *r) { return r->book.ledger; }
const fly_dae_options *fly_run_dae_options(const fly_run *r) { return &r->settings.dae; }
double fly_run_time(const fly_run *r) { return fly_solver_state(r->solver).t; }
double fly_run_end(const fly_run *r) { return r->settings.end; }
const char *fly_run_redundancy(const fly_run *r) { return r->redundancy; }
