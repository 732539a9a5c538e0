// A run, step by step: what an accepted step means for histories, ledger, results and the estimate of the error.
#include <math.h>

#include "analysis/finite.h"
#include "analysis/run.h"
#include "base/error.h"
#include "base/phase.h"
#include "dae/glance.h"

enum { LONG_STEPS = 8 }; // steps of a higher order bend more often than five points show

// A solver does so by itself.
static fly_status accept(fly_run *r, fly_error *error) {
  const fly_dae_state at = fly_run_state(r);
  if (!r->drive || fly_system_accept_step(r->system, &at, r->mover->inside, r))
    return FLY_OK;
  return fly_run_explain_turns(r, error);
}

// What events announced takes place when all of the step before is written.
static fly_status cross(fly_run *r, fly_error *error) {
  if (r->drive || !fly_solver_crosses(r->assembly.solver))
    return FLY_OK;
  fly_status status = fly_solver_cross(r->assembly.solver, error);
  if (status == FLY_OK)
    status = fly_assembly_crossed(&r->assembly, error);
  const fly_dae_state at = fly_run_state(r);
  if (status == FLY_OK && fly_run_has_ledger(r))
    fly_book_event(&r->book, r->system, &at);
  return status ? fly_run_explain(r, status, error) : FLY_OK;
}

// Histories begin at the start: turns, and the ledger. What sticks there does so from the first row on.
fly_status fly_run_open(fly_run *r, fly_error *error) {
  fly_dae_state at = fly_run_state(r);
  fly_status status = accept(r, error);
  if (fly_run_has_ledger(r))
    fly_book_open(&r->book, r->system, &at, r->drive || r->settings.dae.family != FLY_FAMILY_NEWMARK);
  return status == FLY_OK && r->mechanism->model.nfriction > 0 ? cross(r, error) : status;
}

fly_status fly_run_begin_again(fly_run *r, fly_error *error) {
  const fly_status status = fly_assembly_start_as(&r->assembly, &r->assembly, &r->settings.dae, error);
  return status ? status : fly_run_open(r, error);
}

// ------------------------------------------------------------------------------------------ rows

fly_status fly_run_sample(fly_run *r, double *out, const fly_dae_state *at, fly_error *error) {
  const fly_ledger ledger = fly_run_has_ledger(r) ? fly_book_at(&r->book, r->system, at) : r->book.ledger;
  fly_dae_state shown = *at;
  fly_system *system = r->system;
  fly_status status = r->mover->report(r, &shown, &system, error);
  if (status == FLY_OK)
    fly_channels_sample(&r->channels, system, &shown, &ledger, out);
  return status;
}

static fly_status give_row(fly_run *r, double t, const fly_dae_state *at, fly_error *error) {
  r->value[0] = t;
  fly_status status = fly_run_sample(r, r->value + 1, at, error);
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

// t: of the row; at a break the state is that of just behind it.
fly_status fly_run_give_row(fly_run *r, double t, const fly_dae_state *at, fly_error *error) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_OUTPUT);
  const fly_status status = give_row(r, t, at, error);
  fly_phase_leave(before);
  return status;
}

// Times of rows that are no farther apart are one.
static double slack_of(const fly_run *r) { return 1e-9 * fmin(r->settings.output, r->settings.end); }

// A row, of a time inside of the last step.
static fly_status give_inside(fly_run *r, double t, fly_error *error) {
  const double now = fly_run_state(r).t, slack = slack_of(r);
  const fly_phase before = fly_phase_enter(FLY_PHASE_OUTPUT);
  fly_dae_state at;
  fly_status status = r->mover->inside(r, fmin(t, now), &at, error);
  if (status == FLY_OK && fly_run_wants_stop(r))
    status = fly_run_stop_here(r, error);
  else if (status == FLY_OK)
    status = give_row(r, fabs(at.t - t) <= slack ? t : at.t, &at, error);
  fly_phase_leave(before);
  return status;
}

// Output points inside the last step; of what is followed its rows.
fly_status fly_run_give_rows(fly_run *r, fly_error *error) {
  fly_dae_state last = fly_run_state(r);
  double now = last.t, slack = slack_of(r);
  if (fly_run_follows(r))
    return fly_run_give_row(r, last.t, &last, error);
  for (; !r->all_given; r->next_output++) {
    double t = (double)r->next_output * r->settings.output;
    if (t > r->settings.end - slack) // no second row a rounding before the last
      t = r->settings.end;
    if (t > now + slack)
      return FLY_OK;
    fly_status status = give_inside(r, t, error);
    if (status)
      return status;
    r->all_given = t >= r->settings.end;
  }
  return FLY_OK;
}

static void note_step(fly_run *r) {
  fly_step_record record = r->mover->record(r);
  fly_story_note(&r->story, &record, r->mover->counts(r));
}

// Whether the rows kept of redundant ones will do for the next step.
static fly_status watch_rows(fly_run *r, fly_error *error) {
  if (r->drive)
    return FLY_OK;
  const fly_dae_state at = fly_run_state(r);
  return fly_assembly_watch(&r->assembly, &at, r->mover->last_step(r), error);
}

// ------------------------------------------------------------------------------------------ steps

fly_status fly_run_book(fly_run *r, fly_error *error) {
  const fly_dae_state at = fly_run_state(r);
  const fly_mover *m = r->mover;
  const bool long_step = !r->drive && fly_solver_order(r->assembly.solver) > LONG_STEPS;
  fly_inside_fn *inside = fly_system_power_of_motion(r->system) && !long_step ? m->glance : m->inside;
  r->book.halves = long_step ? 2 : 1;
  return fly_book_step(&r->book, r->system, m->last_step(r), m->step_end(r), &at, inside, r, error);
}

// Histories, ledger, rows, the estimate of the error, and whether rows that were taken out still hold.
fly_status fly_run_follow(fly_run *r, fly_error *error) {
  const fly_dae_state at = fly_run_state(r);
  note_step(r);
  fly_status status = accept(r, error);
  if (status == FLY_OK && fly_run_has_ledger(r))
    status = fly_run_book(r, error);
  if (status == FLY_OK)
    fly_system_note_touch(r->system, &at);
  if (status == FLY_OK)
    status = fly_run_give_rows(r, error);
  if (status == FLY_OK && r->ended && !r->all_given)
    status = fly_run_give_row(r, at.t, &at, error);
  if (status == FLY_OK && r->promise && (r->flying || r->settings.estimate))
    status = fly_promise_follow(r->promise, r->assembly.solver, r, error);
  if (status == FLY_OK && !r->drive)
    status = fly_assembly_check(&r->assembly, &at, error);
  return status;
}

fly_status fly_run_step(fly_run *r, fly_error *error) {
  fly_run_listen(r);
  fly_status status = watch_rows(r, error);
  if (status == FLY_OK)
    status = cross(r, error);
  if (status)
    return status;
  status = r->mover->step(r, error);
  r->ended = status == FLY_STOPPED && !r->stopped; // by an event
  status = r->ended ? FLY_OK : status;
  if (status == FLY_OK || status == FLY_NOT_KEPT)
    return status;
  note_step(r);
  return fly_run_explain(r, status, error);
}

fly_status fly_run_once(fly_run *r, fly_error *error) {
  const fly_status step = fly_run_step(r, error);
  if (step != FLY_OK && step != FLY_NOT_KEPT)
    return step;
  fly_status status = fly_run_follow(r, error);
  if (status == FLY_OK && step == FLY_OK)
    status = fly_run_watch_pace(r, error);
  return status ? status : step;
}

fly_status fly_run_to_end(fly_run *r, fly_error *error) {
  const fly_run_settings *s = &r->settings;
  fly_status status = fly_run_give_rows(r, error);
  while (status == FLY_OK && !r->mover->done(r)) {
    status = fly_run_once(r, error);
    if (status != FLY_OK && status != FLY_NOT_KEPT)
      return status;
    const fly_status kept = fly_checkpoint_write(r, error);
    if (kept)
      return kept;
    if (s->progress && !s->progress(fly_run_time(r), s->end, fly_run_stats(r).steps, s->user))
      return fly_run_stop_here(r, error);
  }
  return status;
}
