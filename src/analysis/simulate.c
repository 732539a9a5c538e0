// The life of a run: created, started, gone to its end or shown; what is attached to its results.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/attach.h"
#include "analysis/finite.h"
#include "analysis/limits.h"
#include "analysis/run.h"
#include "analysis/start.h"
#include "analysis/verdict.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/phase.h"
#include "flyball/run.h"
#include "result/result.h"

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
  return r->writer ? fly_attach(r->writer, "story.json", "the story of the run", fly_story_write, &r->story, error)
                   : FLY_OK;
}

static fly_status attach_errors(fly_run *r, fly_error *error) {
  return r->writer && r->promise ? fly_errors_attach(r->writer, r->promise, &r->channels, error) : FLY_OK;
}

// ------------------------------------------------------------------------------------------ record

static fly_status attach_record(fly_run *r, fly_error *error) {
  fly_record record = fly_run_record_of(r);
  return r->writer ? fly_record_attach(r->writer, &record, error) : FLY_OK;
}

// A run that is over needs none; one that was interrupted may go on from the last.
static void end_checkpoints(const fly_run *r, fly_status status) {
  const bool over = status != FLY_STOPPED && status != FLY_FILE && r->stage == FLY_RUN_ENDED;
  if (r->settings.out && over)
    fly_checkpoint_remove(r->settings.out);
}

// Notes how it ended and closes the results. The first failure counts.
static fly_status close_results(fly_run *r, fly_status status, fly_error *error) {
  fly_error closing = {0};
  if (status)
    r->outcome = *error;
  r->outcome.status = status;
  r->hash = r->writer ? fly_result_hash(r->writer) : fly_hash_start();
  r->rows = r->writer ? fly_result_rows(r->writer) : r->rows; // of those given some may have found no room
  r->wall_s = fly_clock() - r->clock;
  fly_status attached = attach_record(r, &closing); // first: on a full disk there is room for it
  if (attached == FLY_OK)
    attached = attach_errors(r, &closing);
  if (attached == FLY_OK)
    attached = attach_story(r, &closing);
  fly_error *told = attached ? NULL : &closing;
  fly_status closed = status && r->rows == 0 ? fly_result_abandon(r->writer, told) : fly_result_finish(r->writer, told);
  r->writer = NULL;
  end_checkpoints(r, status ? status : closed);
  if (status)
    return status;
  status = attached ? attached : closed;
  if (status)
    *error = closing;
  return status;
}

static fly_status end_run(fly_run *r, fly_status status, fly_error *error) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_FILES);
  status = close_results(r, status, error);
  fly_phase_leave(before);
  return status;
}

// ------------------------------------------------------------------------------------------ life

// Before the results are opened: rows that were written before must not be lost.
static fly_status find_checkpoint(fly_run *r, fly_error *error) {
  const fly_status status = fly_checkpoint_read(&r->checkpoint, r->settings.out, error);
  return status ? status : fly_checkpoint_find_rows(r->checkpoint, r->settings.formats, error);
}

static fly_status create(fly_run *r, fly_error *error) {
  fly_status status = fly_limits_counts(&r->settings, &r->mechanism->model, error);
  if (status == FLY_OK && r->settings.analysis == FLY_INVERSE)
    status = fly_limits_found(&r->mechanism->model, "inverse dynamics", error);
  if (status == FLY_OK)
    status = fly_start_check_inputs(&r->mechanism->model, r->settings.end, error);
  if (status == FLY_OK && !fly_run_has_ledger(r))
    r->book.ledger = (fly_ledger){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  if (status == FLY_OK)
    status = fly_run_create_motion(r, error);
  if (status == FLY_OK && r->settings.analysis == FLY_DYNAMICS)
    status = fly_limits_error(&r->settings, &r->mechanism->model, &r->assembly.system, error);
  if (status == FLY_OK)
    status = fly_run_create_channels(r, error);
  r->value = fly_arena_doubles(&r->memory, 1 + (size_t)r->channels.count);
  r->given = fly_arena_doubles(&r->memory, 3 * (size_t)r->mechanism->model.ninput);
  (void)fly_run_take_parameters(r);
  r->not_finite_seen = fly_arena_take(&r->memory, (size_t)r->channels.count, sizeof *r->not_finite_seen);
  if (status == FLY_OK && r->memory.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d channels.", r->channels.count);
  if (status == FLY_OK)
    status = fly_limits_disk(&r->settings, &r->mechanism->model, r->channels.count, error);
  if (status == FLY_OK && r->settings.resume)
    status = find_checkpoint(r, error);
  if (status == FLY_OK && r->settings.out) {
    fly_result_options o = fly_result_options_default();
    o.formats = r->settings.formats;
    status = fly_result_create(&r->writer, r->settings.out, r->channels.channel, r->channels.count, &o, error);
  }
  if (status == FLY_OK && r->settings.out && !r->settings.resume)
    fly_checkpoint_remove(r->settings.out); // of rows that are no more
  return status;
}

fly_status fly_run_create_with(fly_run **out, const fly_mechanism *m, const fly_run_settings *settings,
                               fly_error *error) {
  fly_run *r = calloc(1, sizeof *r);
  if (!r)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a run.");
  r->mechanism = m;
  r->settings = *settings;
  fly_story_begin(&r->story);
  r->clock = fly_clock();
  fly_status status = create(r, error);
  if (status)
    fly_run_free(r);
  else
    *out = r;
  return status;
}

fly_status fly_run_create(fly_run **out, const fly_mechanism *m, const fly_run_options *options, fly_error *error) {
  const fly_run_options usual = fly_run_options_default();
  fly_run_settings settings;
  if (!out)
    return fly_missing(error, "fly_run_create", "place for the run");
  *out = NULL;
  if (!m)
    return fly_missing(error, "fly_run_create", "mechanism");
  const fly_status status = fly_settings_make(&settings, &m->model, options ? options : &usual, error);
  return status ? status : fly_run_create_with(out, m, &settings, error);
}

void fly_run_free(fly_run *r) {
  if (!r || r->stage == FLY_RUN_BUSY) // a callback that frees its own run would pull the floor away
    return;
  fly_result_abandon(r->writer, NULL);
  if (!r->flying)
    fly_promise_free(r->promise);
  fly_balance_free(&r->balance);
  fly_follow_free(&r->follow);
  fly_drive_free(&r->driven);
  fly_assembly_free(&r->assembly);
  fly_run_free_tuned(r);
  fly_checkpoint_free(r->checkpoint);
  fly_arena_free(&r->memory);
  free(r);
}

// Reactions of redundant joints, as channels have them.
static fly_status share_rest(fly_run *r, fly_dae_state at, fly_error *error) {
  fly_system *system;
  fly_status status = fly_assembly_report(&r->assembly, &at, &system, error);
  if (status == FLY_OK)
    fly_system_reactions(system, &at, r->balance.wrench);
  return status;
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
  if (status == FLY_OK)
    status = share_rest(r, at, error);
  memset(a->v, 0, (size_t)r->balance.nv * sizeof *a->v);
  if (status == FLY_OK)
    status = fly_solver_start(a->solver, 0.0, a->end, at.q, a->v, at.x, error);
  r->rested = status == FLY_OK;
  return status;
}

// A force that is no number where the model is assembled.
static void explain_start(const fly_run *r, fly_error *error) {
  const fly_assembly *a = &r->assembly;
  const fly_grind_view view = {.system = r->system,
                               .at = {.q = a->q, .v = a->v, .vdot = a->v, .x = a->x, .xdot = a->x}};
  if (r->mechanism->model.ny == 0) // outputs would have to be known
    fly_grind_blame_odd(&view, error);
}

// resting: at an equilibrium, found by `by`; a mechanism that is driven has no other place to be.
static fly_status start_motion(fly_run *r, bool resting, const char *by, fly_error *error) {
  r->assembly.resting = resting && r->settings.analysis == FLY_DYNAMICS;
  fly_status status = fly_run_follows(r) ? FLY_OK : fly_assembly_start(&r->assembly, error);
  if (status == FLY_NOT_FINITE)
    explain_start(r, error);
  if (status == FLY_OK && resting && r->settings.analysis == FLY_DYNAMICS)
    status = rest(r, by, error);
  if (status || fly_run_follows(r) || r->settings.analysis == FLY_DYNAMICS)
    return status;
  status = fly_drive_create(&r->driven, &r->assembly, r->settings.analysis == FLY_INVERSE, r->settings.output, error);
  if (status == FLY_OK) {
    r->drive = &r->driven;
    r->mover = &fly_mover_motions;
    r->system = &r->assembly.all;
  }
  return status;
}

static fly_status start(fly_run *r, bool resting, const char *by, fly_error *error) {
  fly_run_listen(r);
  fly_status status = start_motion(r, resting, by, error);
  if (status && r->stopped)
    return fly_run_stop_here(r, error);
  if (status == FLY_OK && r->settings.strict && !fly_run_follows(r))
    status = fly_start_refuse(&r->assembly, error);
  if (status) {
    // seen as it is given, or where it fits as well as it can, a model that cannot be assembled often says why
    attach_scene(r, r->assembly.open.found ? r->assembly.open.q : NULL, NULL);
    return status;
  }
  if (!r->drive)
    fly_assembly_note_start(&r->assembly);
  if (r->settings.checkpoint > 0 && (status = fly_run_can_save(r, error)) != FLY_OK)
    return status;
  status = fly_run_open(r, error);
  r->reached = fly_run_time(r);
  fly_run_forget_inputs(r);
  if (status == FLY_OK)
    status = attach_scene(r, fly_run_state(r).q, error);
  return status == FLY_OK && r->checkpoint ? fly_checkpoint_take_up(r, error) : status;
}

// Whether a call that moves a run may do so now; then the run is busy.
static fly_status begin(fly_run *r, fly_run_call call, fly_error *error) {
  if (!r)
    return fly_missing(error, fly_run_call_name(call), "run");
  const char *why = fly_run_refusal(r->stage, call);
  if (why)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s", fly_run_call_name(call), why);
  r->stage = FLY_RUN_BUSY;
  return FLY_OK;
}

// One of the calls that move a run, with an error of its own where none is asked for.
static fly_status move(fly_run *r, fly_run_call call, fly_status (*what)(fly_run *r, fly_error *error),
                       fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  const fly_status status = begin(r, call, error);
  return status ? status : what(r, error);
}

static fly_status finish_start(fly_run *r, fly_status status, fly_error *error) {
  if (status == FLY_OK)
    status = attach_record(r, error);
  r->stage = status ? FLY_RUN_FAILED : FLY_RUN_STARTED;
  return status ? end_run(r, status, error) : FLY_OK;
}

static fly_status start_as_asked(fly_run *r, fly_error *error) {
  return finish_start(r, start(r, r->settings.resting, NULL, error), error);
}

fly_status fly_run_start(fly_run *r, fly_error *error) { return move(r, FLY_CALL_START, start_as_asked, error); }

fly_status fly_run_rest(fly_run *r, const char *by, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  fly_status status = begin(r, FLY_CALL_REST, error);
  return status ? status : finish_start(r, start(r, true, by, error), error);
}

// All rows are there: what they are worth.
static fly_status close_run(fly_run *r, fly_status status, fly_error *error) {
  if (status == FLY_OK)
    status = fly_finite_judge(&r->not_finite, r->settings.allow_nan, error);
  r->stage = FLY_RUN_ENDED;
  return end_run(r, status, error);
}

static fly_status go(fly_run *r, fly_error *error) {
  r->moves++;
  fly_status status = fly_run_complete(r, error);
  if (status == FLY_OK)
    status = fly_run_judged(r, error);
  if (status == FLY_OK && !r->drive)
    status = fly_run_judge_faces(r, error);
  return close_run(r, status, error);
}

static fly_status go_watched(fly_run *r, fly_error *error) {
  const bool watched = r->settings.profile && fly_phase_begin(&r->profile);
  const fly_status status = go(r, error);
  if (watched)
    fly_phase_end();
  return status;
}

fly_status fly_run_go(fly_run *r, fly_error *error) { return move(r, FLY_CALL_GO, go_watched, error); }

fly_status fly_run_finish(fly_run *r, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  if (!r)
    return fly_missing(error, fly_run_call_name(FLY_CALL_FINISH), "run");
  const bool stuck = r->stage == FLY_RUN_STUCK;
  fly_status status = begin(r, FLY_CALL_FINISH, error);
  if (status)
    return status;
  status = stuck ? r->outcome.status : fly_run_complete(r, error);
  if (stuck)
    *error = r->outcome;
  return close_run(r, status, error);
}

static fly_status show(fly_run *r, fly_error *error) {
  fly_dae_state at = r->rested ? fly_balance_state(&r->balance, &r->balance.now) : fly_run_state(r);
  r->shown = true;
  return close_run(r, fly_run_give_row(r, at.t, &at, error), error);
}

fly_status fly_run_show(fly_run *r, fly_error *error) { return move(r, FLY_CALL_SHOW, show, error); }
