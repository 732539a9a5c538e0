// Simulation of a mechanism: assemble, integrate, sample channels.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/assembly.h"
#include "analysis/channels.h"
#include "analysis/ledger.h"
#include "analysis/record.h"
#include "analysis/settings.h"
#include "analysis/statics.h"
#include "analysis/story.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/stream.h"
#include "flyball/model.h"
#include "result/result.h"

struct fly_run {
  const fly_mechanism *mechanism;
  fly_run_settings settings;
  fly_assembly assembly;
  fly_book book;
  fly_channels channels;
  double *value;             // time, then all channels (1 + channels.count)
  fly_result_writer *writer; // NULL: nothing is written
  long rows;
  long next_output; // number of the next output point
  bool all_given;
  bool shown;          // assembled to be looked at
  bool rested;         // it starts from an equilibrium:
  fly_balance balance; // where and how,
  fly_equilibrium equilibrium;
  fly_story story;
  fly_error outcome; // how it ended
  bool ended;
  uint64_t hash; // of the results
  double clock;  // when it was created, and
  double wall_s; // how long it took
  fly_arena memory;
};

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
                      .time = r->assembly.solver ? fly_run_time(r) : (double)NAN,
                      .info = fly_run_info(r),
                      .redundancy = r->assembly.redundancy,
                      .equilibrium = r->rested ? &r->equilibrium : NULL,
                      .lines = r->shown ? fly_run_rest_lines(r) : 0,
                      .run = r,
                      .certificate = r->assembly.solver ? fly_run_certificate(r) : (fly_certificate){0},
                      .ledger = r->book.ledger,
                      .stats = r->assembly.solver ? fly_run_stats(r) : (fly_stats){0},
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
    status = fly_assembly_create(&r->assembly, r->mechanism, &r->settings.dae, r->settings.end, error);
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

void fly_run_free(fly_run *r) {
  if (!r)
    return;
  fly_result_finish(r->writer, NULL);
  fly_balance_free(&r->balance);
  fly_assembly_free(&r->assembly);
  fly_arena_free(&r->memory);
  free(r);
}

static fly_status accept(fly_run *r, fly_error *error) {
  fly_dae_state at = fly_solver_state(r->assembly.solver);
  fly_channels_accept(&r->channels, &r->assembly.system, &at);
  if (fly_system_accept(&r->assembly.system, at.t, at.q, at.v))
    return FLY_OK;
  return fly_fail(
      error, FLY_NO_CONVERGENCE, at.t,
      "At t = %.9g s something has turned so far in one step that its turns cannot be counted. Try a smaller "
      "step or error.",
      at.t);
}

// From where the model is assembled to where it rests.
static fly_status rest(fly_run *r, const char *by, fly_error *error) {
  fly_assembly *a = &r->assembly;
  fly_dae_state at = fly_solver_state(a->solver);
  fly_status status = fly_balance_create(&r->balance, &a->system, &at, &r->equilibrium, error);
  if (status == FLY_OK)
    status = fly_statics_find(&r->balance, by, error);
  if (status)
    return status;
  at = fly_balance_state(&r->balance, &r->balance.now);
  status = fly_assembly_check(a, &at, error);
  memset(a->v, 0, (size_t)r->balance.nv * sizeof *a->v);
  if (status == FLY_OK)
    status = fly_solver_start(a->solver, 0.0, a->end, at.q, a->v, NULL, error);
  r->rested = status == FLY_OK;
  return status;
}

static fly_status start(fly_run *r, bool resting, const char *by, fly_error *error) {
  fly_status status = fly_assembly_start(&r->assembly, error);
  if (status == FLY_OK && resting)
    status = rest(r, by, error);
  if (status) {
    attach_scene(r, NULL, NULL); // seen as it is given, a model that cannot be assembled often says why
    return status;
  }
  fly_dae_state at = fly_solver_state(r->assembly.solver);
  status = accept(r, error);
  fly_book_open(&r->book, &r->assembly.system, &at, r->settings.dae.family != FLY_FAMILY_NEWMARK);
  return status ? status : attach_scene(r, at.q, error);
}

fly_status fly_run_start(fly_run *r, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  fly_status status = start(r, r->settings.resting, NULL, error);
  return status ? end_run(r, status, error) : attach_record(r, error);
}

fly_status fly_run_rest(fly_run *r, const char *by, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  fly_status status = start(r, true, by, error);
  return status ? end_run(r, status, error) : attach_record(r, error);
}

static fly_status give_row(fly_run *r, const fly_dae_state *at, fly_error *error) {
  fly_ledger ledger = fly_book_at(&r->book, &r->assembly.system, at);
  r->value[0] = at->t;
  fly_channels_sample(&r->channels, &r->assembly.system, at, &ledger, r->value + 1);
  r->rows++;
  if (r->settings.row)
    r->settings.row(r->value, r->settings.user);
  return r->writer ? fly_result_append(r->writer, r->value, 1, error) : FLY_OK;
}

// Output points inside the last step.
static fly_status give_rows(fly_run *r, fly_error *error) {
  double now = fly_solver_state(r->assembly.solver).t, slack = 1e-9 * r->settings.output;
  for (; !r->all_given; r->next_output++) {
    double t = fmin((double)r->next_output * r->settings.output, r->settings.end);
    fly_dae_state at;
    if (t > now + slack)
      return FLY_OK;
    fly_status status = fly_solver_interpolate(r->assembly.solver, fmin(t, now), &at, error);
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
  fly_step_record step = fly_solver_step_record(r->assembly.solver);
  fly_stats stats = fly_solver_stats(r->assembly.solver);
  fly_story_note(&r->story, &step, &stats);
}

static fly_status go(fly_run *r, fly_error *error) {
  const fly_run_settings *s = &r->settings;
  fly_status status = give_rows(r, error);
  while (status == FLY_OK && !fly_solver_done(r->assembly.solver)) {
    status = fly_solver_step(r->assembly.solver, error);
    note_step(r);
    if (status != FLY_OK && status != FLY_NOT_KEPT)
      return status;
    fly_dae_state at = fly_solver_state(r->assembly.solver);
    fly_status written = accept(r, error);
    if (written == FLY_OK)
      written = fly_book_step(&r->book, &r->assembly.system, r->assembly.solver, error);
    if (written == FLY_OK)
      written = give_rows(r, error);
    if (written == FLY_OK)
      written = fly_assembly_check(&r->assembly, &at, error);
    if (written)
      return written;
    if (s->progress && !s->progress(at.t, s->end, fly_solver_stats(r->assembly.solver).steps, s->user))
      return fly_fail(error, FLY_STOPPED, at.t, "Interrupted at t = %.9g s; the results up to there are kept.", at.t);
  }
  return status;
}

fly_status fly_run_go(fly_run *r, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  return end_run(r, go(r, error), error);
}

static fly_status show(fly_run *r, fly_error *error) {
  fly_dae_state at = r->rested ? fly_balance_state(&r->balance, &r->balance.now) : fly_solver_state(r->assembly.solver);
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
  return (fly_mechanism_info){m->spec->name, m->nbody, m->nv, m->nrow, r->assembly.rank, m->nrow - r->assembly.rank};
}

fly_stats fly_run_stats(const fly_run *r) { return fly_solver_stats(r->assembly.solver); }
fly_certificate fly_run_certificate(const fly_run *r) {
  fly_certificate c = fly_solver_certificate(r->assembly.solver);
  c.start_position += r->assembly.moved_q;
  c.start_velocity += r->assembly.moved_v;
  return c;
}
fly_ledger fly_run_ledger(const fly_run *r) { return r->book.ledger; }
const fly_dae_options *fly_run_dae_options(const fly_run *r) { return &r->settings.dae; }
double fly_run_time(const fly_run *r) { return fly_solver_state(r->assembly.solver).t; }
double fly_run_end(const fly_run *r) { return r->settings.end; }
const fly_equilibrium *fly_run_equilibrium(const fly_run *r) { return r->rested ? &r->equilibrium : NULL; }
int fly_run_rest_lines(const fly_run *r) { return r->rested ? fly_statics_lines(&r->balance) : 0; }
fly_rest_line fly_run_rest_line(const fly_run *r, int line) { return fly_statics_line(&r->balance, line); }
const char *fly_run_redundancy(const fly_run *r) { return r->assembly.redundancy; }
