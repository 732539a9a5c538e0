// Running a mechanism: assemble, integrate (or follow its motions, or data), sample channels.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/finite.h"
#include "analysis/limits.h"
#include "analysis/run.h"
#include "analysis/start.h"
#include "analysis/verdict.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/stream.h"
#include "flyball/model.h"
#include "result/result.h"

enum { CHANNELS_MOST = 20000 }; // more of them are not compared with a pilot's

// ------------------------------------------------------------------------------------------ who moves it

static bool has_ledger(const fly_run *r) { return r->settings.analysis != FLY_KINEMATICS && !fly_run_follows(r); }

static fly_status state_at(void *run, double t, fly_dae_state *out, fly_error *error) {
  fly_run *r = run;
  return r->drive ? fly_drive_interpolate(r->drive, t, out, error)
                  : fly_solver_interpolate(r->assembly.solver, t, out, error);
}

static fly_status step(fly_run *r, fly_error *error) {
  return fly_run_follows(r) ? fly_follow_step(&r->follow, error)
         : r->drive         ? fly_drive_step(r->drive, error)
                            : fly_solver_step(r->assembly.solver, error);
}

static bool is_done(const fly_run *r) {
  return fly_run_follows(r) ? fly_follow_done(&r->follow)
         : r->drive         ? fly_drive_done(r->drive)
                            : fly_solver_done(r->assembly.solver);
}

static double last_step(const fly_run *r) {
  return r->drive ? r->drive->last_h : fly_solver_last_step(r->assembly.solver);
}

static double step_end(const fly_run *r) {
  return r->drive ? r->drive->now.t : fly_solver_step_record(r->assembly.solver).before;
}

// ------------------------------------------------------------------------------------------ stopping

static bool is_late(const fly_run *r) { return fly_clock() - r->clock > r->settings.max_time; } // NAN: never

static bool wants_stop(void *run) {
  fly_run *r = run;
  const fly_run_settings *s = &r->settings;
  r->stopped = r->stopped || (s->stop && s->stop(s->user)) || (!isnan(s->max_time) && is_late(r));
  return r->stopped;
}

// Long steps ask too.
static void listen(fly_run *r) {
  const bool anyone = r->settings.stop || !isnan(r->settings.max_time);
  fly_system *const list[] = {&r->assembly.all, &r->assembly.system, r->system};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    list[k]->stop = anyone ? wants_stop : NULL;
    list[k]->stop_user = r;
  }
}

static fly_status stop_here(const fly_run *r, fly_error *error) {
  const double t = fly_run_time(r);
  if (is_late(r)) {
    const fly_status status =
        fly_fail(error, FLY_STOPPED, t,
                 "Stopped at t = %.9g s%s: the run has taken the %g s of max_time; the results "
                 "up to there are kept.",
                 t, r->preparing ? ", in the pilot runs that look for its tolerance" : "", r->settings.max_time);
    fly_error_append(error, r->grind.sentence[0] ? " %s" : "%s", r->grind.sentence);
    return status;
  }
  const char *by = r->settings.why ? r->settings.why(r->settings.user) : NULL;
  return fly_fail(error, FLY_STOPPED, t, "Interrupted at t = %.9g s%s%s; the results up to there are kept.", t,
                  by ? " by " : "", by ? by : "");
}

// ------------------------------------------------------------------------------------------ grinding

static double largest_speed(const fly_run *r) {
  const fly_dae_state at = fly_run_state(r);
  double largest = 0;
  for (int i = 0; i < r->system->dae.nv; i++)
    largest = fmax(largest, fabs(at.v[i]) / r->system->scale[i]);
  return largest;
}

static fly_grind_view view_of(const fly_run *r) {
  return (fly_grind_view){.system = r->system,
                          .at = fly_run_state(r),
                          .end = r->settings.end,
                          .speed = largest_speed(r),
                          .stats = fly_run_stats(r),
                          .pilot = r->flying,
                          .limited = r->settings.dae.max_steps > 0};
}

// A fixed step is the user's own pace, and motions that are given have none.
static fly_status watch_pace(fly_run *r, fly_error *error) {
  if (r->drive || r->settings.dae.step > 0)
    return FLY_OK;
  const fly_grind_view view = view_of(r);
  const fly_status status = fly_grind_note(&r->grind, &view, error);
  if (status == FLY_OK && !r->noticed && r->grind.sentence[0]) {
    r->noticed = true;
    if (r->settings.notice)
      r->settings.notice(r->grind.sentence, r->settings.user);
  }
  return status;
}

// A motion that jumps where the run stands, by its values on both sides.
static void name_torn(const fly_run *r, fly_error *error) {
  const fly_model *m = &r->mechanism->model;
  const double t = fly_run_time(r), aside = 1e-12 * fmax(fabs(t), 1e-3);
  for (int k = 0; k < m->nmotion; k++) {
    const fly_expr *e = m->expression[m->motion[k].expression];
    const fly_item *item = &m->spec->item[m->motion[k].item];
    double before[3], after[3];
    char place[300];
    fly_expr_time(e, t - aside, before);
    fly_expr_time(e, t + aside, after);
    if (m->motion[k].level > 0 || !(fabs(after[0] - before[0]) > 1e-9 * (fabs(after[0]) + fabs(before[0]))))
      continue;
    fly_place_text(place, sizeof place, item->place);
    fly_error_append(error, " %sIt is `%s`, from %.6g to %.6g.", place, item->name, before[0], after[0]);
    return;
  }
}

static fly_status explain_turns(const fly_run *r, fly_error *error) {
  const fly_dae_state at = fly_run_state(r);
  char name[200];
  fly_system_lost_turn(r->system, name, sizeof name);
  return fly_fail(error, FLY_NO_CONVERGENCE, at.t,
                  "At t = %.9g s %s has turned so far in one step of %.3g s that its turns cannot be counted. Try a "
                  "smaller step or error.",
                  at.t, name, last_step(r));
}

// A step that failed: by our stop, by a motion, or, it may be, by a force.
static fly_status explain(fly_run *r, fly_status status, fly_error *error) {
  if (r->stopped)
    return stop_here(r, error);
  if (!r->drive && r->system->turns_lost)
    return explain_turns(r, error);
  if (!r->drive && (status == FLY_STEP_TOO_SMALL || status == FLY_NO_CONVERGENCE || status == FLY_TOO_MANY_STEPS)) {
    const fly_grind_view view = view_of(r);
    fly_grind_blame(&view, error);
  }
  if (!r->drive && status == FLY_BAD_INPUT)
    name_torn(r, error);
  if (!r->drive && status == FLY_NOT_FINITE) {
    const fly_grind_view view = view_of(r);
    fly_grind_blame_odd(&view, error);
  }
  return status;
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

static fly_status attach_errors(fly_run *r, fly_error *error) {
  return r->writer && r->promise ? fly_errors_attach(r->writer, r->promise, &r->channels, error) : FLY_OK;
}

// ------------------------------------------------------------------------------------------ record

static fly_status attach_record(fly_run *r, fly_error *error) {
  fly_record record = fly_run_record_of(r);
  return r->writer ? fly_record_attach(r->writer, &record, error) : FLY_OK;
}

// Notes how it ended and closes the results. The first failure counts.
static fly_status end_run(fly_run *r, fly_status status, fly_error *error) {
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
  if (status)
    return status;
  status = attached ? attached : closed;
  if (status)
    *error = closing;
  return status;
}

// ------------------------------------------------------------------------------------------ life

// Of what is followed the data say where it starts, else the model does.
static fly_status create_motion(fly_run *r, fly_error *error) {
  const fly_run_settings *s = &r->settings;
  r->system = &r->assembly.system;
  if (!fly_run_follows(r))
    return fly_assembly_create(&r->assembly, r->mechanism, &s->dae, s->end, error);
  r->system = &r->follow.system;
  fly_status status = fly_follow_create(&r->follow, r->mechanism, s->follow, s->end, error);
  r->drive = status == FLY_OK ? &r->follow.drive : NULL;
  return status;
}

static fly_status create_channels(fly_run *r, fly_error *error) {
  const fly_square *s = &r->follow.drive.square;
  const int first = fly_run_follows(r) ? fly_follow_rank(&r->follow) : 0;
  const fly_channels_known known = {
      .multipliers = r->settings.analysis != FLY_KINEMATICS,
      .ledger = has_ledger(r),
      .why = fly_run_follows(r)
                 ? "the work of forces that are missing in the model is not counted."
                 : "kinematics knows no forces; flyball inverse does. (--channels overrides the model's.)",
      .nmissing = fly_run_follows(r) ? s->n - first : 0,
      .missing = fly_run_follows(r) ? s->row + first : NULL};
  const fly_model *model = fly_run_follows(r) ? &r->follow.with.model : &r->mechanism->model;
  return fly_channels_make_known(&r->channels, model, &known, r->settings.channels, &r->memory, error);
}

static fly_status create(fly_run *r, const fly_run_options *options, fly_error *error) {
  fly_status status = fly_settings_make(&r->settings, &r->mechanism->model, options, error);
  if (status == FLY_OK)
    status = fly_limits_counts(&r->settings, &r->mechanism->model, error);
  if (status == FLY_OK && !has_ledger(r))
    r->book.ledger = (fly_ledger){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  if (status == FLY_OK)
    status = create_motion(r, error);
  if (status == FLY_OK && r->settings.analysis == FLY_DYNAMICS)
    status = fly_limits_error(&r->settings, &r->mechanism->model, &r->assembly.system, error);
  if (status == FLY_OK)
    status = create_channels(r, error);
  r->value = fly_arena_doubles(&r->memory, 1 + (size_t)r->channels.count);
  r->not_finite_seen = fly_arena_take(&r->memory, (size_t)r->channels.count, sizeof *r->not_finite_seen);
  if (status == FLY_OK && r->memory.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d channels.", r->channels.count);
  if (status == FLY_OK)
    status = fly_limits_disk(&r->settings, &r->mechanism->model, r->channels.count, error);
  if (status == FLY_OK && r->settings.out) {
    fly_result_options o = fly_result_options_default();
    o.formats = r->settings.formats;
    status = fly_result_create(&r->writer, r->settings.out, r->channels.channel, r->channels.count, &o, error);
  }
  return status;
}

fly_status fly_run_create(fly_run **out, const fly_mechanism *m, const fly_run_options *options, fly_error *error) {
  const fly_run_options usual = fly_run_options_default();
  if (!out)
    return fly_missing(error, "fly_run_create", "place for the run");
  *out = NULL;
  if (!m)
    return fly_missing(error, "fly_run_create", "mechanism");
  fly_run *r = calloc(1, sizeof *r);
  if (!r)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a run.");
  r->mechanism = m;
  fly_story_begin(&r->story);
  r->clock = fly_clock();
  fly_status status = create(r, options ? options : &usual, error);
  if (status)
    fly_run_free(r);
  else
    *out = r;
  return status;
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
  fly_arena_free(&r->memory);
  free(r);
}

// A solver does so by itself.
static fly_status accept(fly_run *r, fly_error *error) {
  const fly_dae_state at = fly_run_state(r);
  if (!r->drive || fly_system_accept_step(r->system, &at, fly_run_follows(r) ? NULL : state_at, r))
    return FLY_OK;
  return explain_turns(r, error);
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
  const fly_grind_view view = {.system = r->system, .at = {.q = a->q, .v = a->v, .vdot = a->v}};
  if (r->mechanism->model.ny == 0) // outputs would have to be known
    fly_grind_blame_odd(&view, error);
}

// resting: at an equilibrium, found by `by`; a mechanism that is driven has no other place to be.
static fly_status start_motion(fly_run *r, bool resting, const char *by, fly_error *error) {
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
    r->system = &r->assembly.all;
  }
  return status;
}

// Histories begin at the start: turns, and the ledger.
static fly_status open_run(fly_run *r, fly_error *error) {
  fly_dae_state at = fly_run_state(r);
  fly_status status = accept(r, error);
  if (has_ledger(r))
    fly_book_open(&r->book, r->system, &at, r->drive || r->settings.dae.family != FLY_FAMILY_NEWMARK);
  return status;
}

static fly_status start(fly_run *r, bool resting, const char *by, fly_error *error) {
  listen(r);
  fly_status status = start_motion(r, resting, by, error);
  if (status && r->stopped)
    return stop_here(r, error);
  if (status == FLY_OK && r->settings.strict && !fly_run_follows(r))
    status = fly_start_refuse(&r->assembly, error);
  if (status) {
    // seen as it is given, or where it fits as well as it can, a model that cannot be assembled often says why
    attach_scene(r, r->assembly.open.found ? r->assembly.open.q : NULL, NULL);
    return status;
  }
  if (!r->drive)
    fly_assembly_note_start(&r->assembly);
  status = open_run(r, error);
  return status ? status : attach_scene(r, fly_run_state(r).q, error);
}

// What `begin` and `finish` enclose is one of the calls that move a run.
static fly_status begin(fly_run *r, fly_run_call call, fly_error *error) {
  if (!r)
    return fly_missing(error, fly_run_call_name(call), "run");
  const char *why = fly_run_refusal(r->stage, call);
  if (why)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s", fly_run_call_name(call), why);
  r->stage = FLY_RUN_BUSY;
  return FLY_OK;
}

static fly_status finish_start(fly_run *r, fly_status status, fly_error *error) {
  if (status == FLY_OK)
    status = attach_record(r, error);
  r->stage = status ? FLY_RUN_FAILED : FLY_RUN_STARTED;
  return status ? end_run(r, status, error) : FLY_OK;
}

fly_status fly_run_start(fly_run *r, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  fly_status status = begin(r, FLY_CALL_START, error);
  return status ? status : finish_start(r, start(r, r->settings.resting, NULL, error), error);
}

fly_status fly_run_rest(fly_run *r, const char *by, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  fly_status status = begin(r, FLY_CALL_REST, error);
  return status ? status : finish_start(r, start(r, true, by, error), error);
}

static fly_status sample_channels(fly_run *r, double *out, const fly_dae_state *at, fly_error *error) {
  const fly_ledger ledger = has_ledger(r) ? fly_book_at(&r->book, r->system, at) : r->book.ledger;
  fly_dae_state shown = *at;
  fly_system *system = r->system;
  fly_status status =
      r->drive ? fly_drive_report(r->drive, &shown, error) : fly_assembly_report(&r->assembly, &shown, &system, error);
  if (status == FLY_OK)
    fly_channels_sample(&r->channels, system, &shown, &ledger, out);
  return status;
}

// For pilots: what cannot be sampled is not compared.
static void sample_values(double *out, const fly_dae_state *at, void *run) {
  fly_run *r = run;
  if (sample_channels(r, out, at, NULL))
    for (int k = 0; k < r->channels.count; k++)
      out[k] = NAN;
}

// t: of the row; at a break the state is that of just behind it.
static fly_status give_row(fly_run *r, double t, const fly_dae_state *at, fly_error *error) {
  r->value[0] = t;
  fly_status status = sample_channels(r, r->value + 1, at, error);
  if (status)
    return status;
  r->rows++;
  fly_finite_look(&r->not_finite, &r->channels, r->not_finite_seen, r->value, r->rows);
  if (r->settings.state)
    r->settings.state(at, r->settings.user);
  if (r->settings.row)
    r->settings.row(r->value, r->settings.user);
  return r->writer ? fly_result_append(r->writer, r->value, 1, error) : FLY_OK;
}

// Output points inside the last step; of what is followed its rows.
static fly_status give_rows(fly_run *r, fly_error *error) {
  fly_dae_state last = fly_run_state(r);
  double now = last.t, slack = 1e-9 * r->settings.output;
  if (fly_run_follows(r))
    return give_row(r, last.t, &last, error);
  for (; !r->all_given; r->next_output++) {
    double t = fmin((double)r->next_output * r->settings.output, r->settings.end);
    fly_dae_state at;
    if (t > now + slack)
      return FLY_OK;
    fly_status status = state_at(r, fmin(t, now), &at, error);
    if (status)
      return status;
    if (wants_stop(r))
      return stop_here(r, error);
    status = give_row(r, fabs(at.t - t) <= slack ? t : at.t, &at, error);
    if (status)
      return status;
    r->all_given = t >= r->settings.end;
  }
  return FLY_OK;
}

static void note_step(fly_run *r) {
  fly_step_record record = r->drive ? r->drive->record : fly_solver_step_record(r->assembly.solver);
  fly_stats stats = fly_run_stats(r);
  fly_story_note(&r->story, &record, &stats);
}

// Whether the rows kept of redundant ones will do for the next step.
static fly_status watch_rows(fly_run *r, fly_error *error) {
  if (r->drive)
    return FLY_OK;
  const fly_dae_state at = fly_run_state(r);
  return fly_assembly_watch(&r->assembly, &at, last_step(r), error);
}

static fly_status go(fly_run *r, fly_error *error) {
  const fly_run_settings *s = &r->settings;
  fly_status status = give_rows(r, error);
  while (status == FLY_OK && !is_done(r)) {
    listen(r);
    status = watch_rows(r, error);
    if (status)
      return status;
    status = step(r, error);
    note_step(r);
    if (status != FLY_OK && status != FLY_NOT_KEPT)
      return explain(r, status, error);
    fly_dae_state at = fly_run_state(r);
    fly_status written = accept(r, error);
    if (written == FLY_OK && has_ledger(r))
      written = fly_book_step(&r->book, r->system, last_step(r), step_end(r), &at, state_at, r, error);
    if (written == FLY_OK)
      written = give_rows(r, error);
    if (written == FLY_OK && r->promise && (r->flying || s->estimate))
      written = fly_promise_follow(r->promise, r->assembly.solver, r, error);
    if (written == FLY_OK && !r->drive)
      written = fly_assembly_check(&r->assembly, &at, error);
    if (written == FLY_OK && status == FLY_OK)
      written = watch_pace(r, error);
    if (written)
      return written;
    if (s->progress && !s->progress(at.t, s->end, fly_run_stats(r).steps, s->user))
      return stop_here(r, error);
  }
  return status;
}

// ------------------------------------------------------------------------------------------ the error of the run

static bool goes_on(void *run) {
  fly_run *r = run;
  const fly_run_settings *s = &r->settings;
  const bool stopped = wants_stop(r);
  return !stopped && (!s->progress || s->progress(0.0, s->end, fly_promise_tell(r->promise).steps, s->user));
}

static fly_status create_pilot(fly_run *pilot, fly_run *of, double setting, fly_error *error) {
  *pilot = (fly_run){.mechanism = of->mechanism, .settings = of->settings, .promise = of->promise, .clock = of->clock};
  pilot->flying = pilot->all_given = true;
  pilot->settings.out = NULL;
  pilot->settings.progress = NULL;
  pilot->noticed = of->noticed;
  fly_dae_options *o = &pilot->settings.dae;
  *(o->step > 0 ? &o->step : &o->error) = setting;
  if (fly_promise_step_max(of->promise) > 0)
    o->step_max = fly_promise_step_max(of->promise);
  fly_story_begin(&pilot->story);
  pilot->system = &pilot->assembly.system;
  fly_status status = fly_assembly_prepare(&pilot->assembly, pilot->mechanism, o, pilot->settings.end, error);
  if (status == FLY_OK)
    status = create_channels(pilot, error);
  listen(pilot);
  if (status == FLY_OK && wants_stop(pilot))
    return FLY_STOPPED;
  return status ? status : fly_assembly_start_as(&pilot->assembly, &of->assembly, o, error);
}

static void free_pilot(fly_run *pilot) {
  fly_assembly_free(&pilot->assembly);
  fly_arena_free(&pilot->memory);
}

// What made a pilot slow may do so to the run.
static void learn_pace(fly_run *r, const fly_run *pilot) {
  r->noticed = pilot->noticed;
  if (!r->grind.sentence[0])
    memcpy(r->grind.sentence, pilot->grind.sentence, sizeof r->grind.sentence);
  r->grind.crowded |= pilot->grind.crowded;
}

// A whole run from where this one starts, by a system and a solver of its own: it writes nothing.
static fly_status fly_through(fly_promise *promise, double setting, void *run, fly_error *error) {
  fly_run pilot, *of = run;
  (void)promise;
  fly_status status = create_pilot(&pilot, of, setting, error);
  if (status == FLY_OK)
    status = open_run(&pilot, error);
  if (status == FLY_OK)
    status = go(&pilot, error);
  learn_pace(of, &pilot);
  free_pilot(&pilot);
  return status;
}

static fly_status create_promise(fly_run *r, fly_error *error) {
  const fly_promise_task task = {.problem = &r->assembly.system.dae,
                                 .options = r->settings.dae,
                                 .t_end = r->settings.end,
                                 .calibrate = r->settings.calibrate,
                                 .nvalue = r->channels.count <= CHANNELS_MOST ? r->channels.count : 0,
                                 .values = sample_values,
                                 .pilot = fly_through,
                                 .go_on = goes_on,
                                 .user = r};
  if (r->drive || !(r->settings.calibrate || r->settings.estimate))
    return FLY_OK;
  return fly_promise_create(&r->promise, &task, error);
}

// The tolerance that pilots ask for.
static fly_status calibrate(fly_run *r, fly_error *error) {
  fly_dae_options *o = &r->settings.dae;
  r->preparing = true;
  fly_status status = fly_promise_pilot(r->promise, error);
  r->preparing = status != FLY_OK;
  if (status)
    return status;
  if (!r->grind.crowded) // a jump that its pilots crawled along is no word on a run that does not
    r->grind.sentence[0] = 0;
  o->error_asked = o->error;
  o->error = fly_promise_tell(r->promise).setting;
  return o->error == o->error_asked ? FLY_OK : fly_assembly_start_as(&r->assembly, &r->assembly, o, error);
}

static fly_status go_judged(fly_run *r, fly_error *error) {
  fly_status status = create_promise(r, error);
  if (status == FLY_OK && r->promise && r->settings.calibrate)
    status = calibrate(r, error);
  if (status == FLY_STOPPED && r->stopped)
    return stop_here(r, error);
  if (status == FLY_OK)
    status = go(r, error);
  if (status == FLY_OK && r->promise && !r->settings.calibrate)
    status = fly_promise_pilot(r->promise, error);
  return status || !r->promise ? status : fly_promise_judge(r->promise, error);
}

fly_status fly_run_go(fly_run *r, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  fly_status status = begin(r, FLY_CALL_GO, error);
  if (status)
    return status;
  status = go_judged(r, error);
  if (status == FLY_OK)
    status = fly_finite_judge(&r->not_finite, r->settings.allow_nan, error);
  r->stage = FLY_RUN_ENDED;
  return end_run(r, status, error);
}

static fly_status show(fly_run *r, fly_error *error) {
  fly_dae_state at = r->rested ? fly_balance_state(&r->balance, &r->balance.now) : fly_run_state(r);
  return give_row(r, at.t, &at, error);
}

fly_status fly_run_show(fly_run *r, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  fly_status status = begin(r, FLY_CALL_SHOW, error);
  if (status)
    return status;
  r->shown = true;
  status = show(r, error);
  if (status == FLY_OK)
    status = fly_finite_judge(&r->not_finite, r->settings.allow_nan, error);
  r->stage = FLY_RUN_ENDED;
  return end_run(r, status, error);
}
