// What ends a run from outside, what makes it slow, and words for a step that failed.
#include <math.h>
#include <string.h>

#include "analysis/run.h"
#include "base/clock.h"
#include "base/error.h"

// ------------------------------------------------------------------------------------------ stopping

// Of a short time a clock that is late by milliseconds would say nothing, and asking another costs nothing: the run is
// over soon. NAN: never late.
static bool is_late(const fly_run *r) {
  const double limit = r->settings.max_time;
  return (limit < 0.1 ? fly_clock() : fly_clock_coarse()) - r->clock > limit;
}

bool fly_run_wants_stop(void *run) {
  fly_run *r = run;
  const fly_run_settings *s = &r->settings;
  r->stopped = r->stopped || (s->stop && s->stop(s->user)) || (!isnan(s->max_time) && is_late(r));
  return r->stopped;
}

// Long steps ask too.
void fly_run_listen(fly_run *r) {
  const bool anyone = r->settings.stop || !isnan(r->settings.max_time);
  fly_system *const list[] = {&r->assembly.all, &r->assembly.system, r->system};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    list[k]->stop = anyone ? fly_run_wants_stop : NULL;
    list[k]->stop_user = r;
  }
}

fly_status fly_run_stop_here(const fly_run *r, fly_error *error) {
  const double t = fly_run_time(r);
  const char *left = r->rows > 0 ? "the results up to there are kept" : "there are no results yet";
  if (is_late(r)) {
    const fly_status status =
        fly_fail(error, FLY_STOPPED, t, "Stopped at t = %.9g s%s: the run has taken the %g s of max_time; %s.", t,
                 r->preparing ? ", in the pilot runs that look for its tolerance" : "", r->settings.max_time, left);
    fly_error_append(error, r->grind.sentence[0] ? " %s" : "%s", r->grind.sentence);
    return status;
  }
  const char *by = r->settings.why ? r->settings.why(r->settings.user) : NULL;
  return fly_fail(error, FLY_STOPPED, t, "Interrupted at t = %.9g s%s%s; %s.", t, by ? " by " : "", by ? by : "", left);
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
                          .stats = *r->mover->counts(r),
                          .pilot = r->flying,
                          .damps =
                              r->settings.dae.family == FLY_FAMILY_RADAU || r->settings.dae.family == FLY_FAMILY_AUTO,
                          .fixed = r->settings.dae.step > 0,
                          .limited = r->settings.dae.max_steps > 0};
}

// Motions that are given have no pace.
fly_status fly_run_watch_pace(fly_run *r, fly_error *error) {
  if (r->drive)
    return FLY_OK;
  if (!fly_grind_due(&r->grind, r->mover->counts(r)))
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

fly_status fly_run_explain_turns(const fly_run *r, fly_error *error) {
  const fly_dae_state at = fly_run_state(r);
  char name[200];
  fly_system_lost_turn(r->system, name, sizeof name);
  return fly_fail(error, FLY_NO_CONVERGENCE, at.t,
                  "At t = %.9g s %s has turned so far in one step of %.3g s that its turns cannot be counted. Try a "
                  "smaller step or error.",
                  at.t, name, r->mover->last_step(r));
}

static fly_status tell_past(const fly_run *r, fly_error *error) {
  const fly_status status = fly_past_tell(r->system, fly_run_time(r), error);
  if (error && r->settings.dae.family != FLY_FAMILY_RADAU && r->settings.dae.family != FLY_FAMILY_AUTO)
    fly_error_append(error, " A method of higher order takes fewer steps: --method radau.");
  return status;
}

// A step that failed: by our stop, by a motion, or, it may be, by a force.
fly_status fly_run_explain(fly_run *r, fly_status status, fly_error *error) {
  if (r->stopped)
    return fly_run_stop_here(r, error);
  if (!r->drive && r->system->refusal[0])
    return fly_fail(error, FLY_INCONSISTENT, fly_run_time(r), "%s", r->system->refusal);
  if (!r->drive && r->system->piled >= 0)
    return fly_system_tell_pile(r->system, fly_run_time(r), error);
  if (!r->drive && r->system->plugin_fault >= 0)
    return fly_plugin_tell(r->system, fly_run_time(r), error);
  if (!r->drive && r->system->past_fault >= 0)
    return tell_past(r, error);
  if (!r->drive && r->system->burst >= 0)
    return fly_system_tell_burst(r->system, fly_run_time(r), error);
  if (!r->drive && r->system->turns_lost)
    return fly_run_explain_turns(r, error);
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
