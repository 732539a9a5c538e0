// What changes behind an accepted point: announced at the end of a step, by events and by what the problem remembers,
// it takes place before the next one. Until then the step can be looked into with the equations it was made with
// (docs/theory/control.md, 12).
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dae/rows.h"
#include "dae/solver.h"

enum { MOST_ROUNDS = 100 }; // of events at one time that set each other off

void fly_cross_announce(fly_solver *s, fly_effect effect) {
  fly_crossing *c = &s->crossing;
  if (effect == FLY_EFFECT_NOTHING)
    return;
  if (!c->due || effect > c->effect)
    c->effect = effect;
  c->due = true;
}

void fly_cross_forget(fly_solver *s) {
  fly_crossing *c = &s->crossing;
  c->due = c->moved = c->restarted = c->kept = c->checked = false;
  c->effect = FLY_EFFECT_NOTHING;
}

// ------------------------------------------------------------------------------------------ announcing

static fly_status unfit(const fly_solver *s, fly_effect effect, fly_error *error) {
  if (effect == FLY_EFFECT_REFUSED)
    return fly_fail(error, FLY_NO_CONVERGENCE, s->now.t,
                    "At t = %.9g s what the problem remembers of its motion cannot follow the step of %.3g s. Try a "
                    "smaller step or error.",
                    s->now.t, s->now.t - s->last.t);
  return fly_fail(error, FLY_BAD_INPUT, s->now.t,
                  "At t = %.9g s %d was given for what happens behind an accepted point, which is no fly_effect.",
                  s->now.t, (int)effect);
}

static bool is_effect(fly_effect effect) {
  return (int)effect >= FLY_EFFECT_NOTHING && (int)effect <= FLY_EFFECT_IMPULSE;
}

static fly_status checked_announce(fly_solver *s, fly_effect effect, fly_error *error) {
  if (!is_effect(effect))
    return unfit(s, effect, error);
  fly_cross_announce(s, effect);
  return FLY_OK;
}

static fly_effect ask(const fly_solver *s, const fly_step_taken *step) {
  const fly_dae_state at = fly_point_state(&s->now);
  return s->e.p.accepted ? s->e.p.accepted(&at, step, s->e.p.user) : FLY_EFFECT_NOTHING;
}

static fly_step_taken step_from(fly_solver *s, double t) {
  return (fly_step_taken){.from = t, .to = s->now.t, .at = fly_dense_state, .motion = s};
}

// A start has no step before it.
fly_status fly_cross_begin(fly_solver *s, fly_error *error) { return checked_announce(s, ask(s, NULL), error); }

void fly_cross_note(fly_solver *s) {
  const fly_step_taken none = step_from(s, s->now.t);
  if (s->started)
    (void)ask(s, &none);
}

fly_status fly_cross_ask(fly_solver *s, fly_error *error) {
  const fly_step_taken step = step_from(s, s->last.t);
  return step.to > step.from ? checked_announce(s, ask(s, &step), error) : FLY_OK;
}

// ------------------------------------------------------------------------------------------ taking place

static void move(fly_solver *s) {
  const fly_dae_problem *p = &s->e.p;
  const fly_point *to = &s->crossing.behind;
  memcpy(s->now.q, to->q, (size_t)p->nq * sizeof(double));
  memcpy(s->now.v, to->v, (size_t)p->nv * sizeof(double));
  if (p->nx)
    memcpy(s->now.x, to->x, (size_t)p->nx * sizeof(double));
}

// A root that ended the step is at zero, on whichever side rounding and the constraints left it, unless the event has
// moved it away; one that passed zero at the same time is where it went.
static void leave_roots(fly_solver *s) {
  for (int i = 0; i < s->e.p.nroot; i++)
    if (s->ev.done[i] && fabs(s->ev.before[i]) <= fmax(2 * fabs(s->ev.after[i]), s->ev.near[i]))
      s->ev.before[i] = s->ev.done[i] == 1 ? 0.0 : copysign(DBL_MIN, s->ev.done[i]);
}

static bool at_break(const fly_solver *s) { return !s->cut && s->now.t >= s->stops.next.before; }

// Positions and velocities of a step that was not cut are on their constraints: a force that jumps leaves them there.
static fly_status restart(fly_solver *s, bool reformed, fly_error *error) {
  fly_crossing *c = &s->crossing;
  c->checked = !c->moved && !reformed;
  c->kept = c->checked && !s->cut && c->effect == FLY_EFFECT_JUMP;
  fly_status status = at_break(s) ? fly_stops_cross(s, error) : reformed ? FLY_OK : fly_solver_restart(s, error);
  if (status == FLY_OK && reformed)
    status = fly_rows_begin(s, error);
  if (status == FLY_OK && c->restarted)
    leave_roots(s);
  return status;
}

static fly_status take_place(fly_solver *s, fly_error *error) {
  fly_crossing *c = &s->crossing;
  const fly_dae_problem *p = &s->e.p;
  fly_dae_problem fresh = *p;
  if (c->moved)
    move(s);
  const fly_crossed crossed =
      p->cross ? p->cross(&fresh, s->now.t, s->now.q, s->now.v, s->now.x, p->user) : FLY_CROSSED;
  if (crossed == FLY_CROSSED_REFUSED)
    return fly_fail_at(error, FLY_INCONSISTENT, s->now.t, FLY_NOWHERE, "cross",
                       "At t = %.9g s what was announced cannot take place: the callback `cross` has refused it.",
                       s->now.t);
  const bool patterns = crossed != FLY_CROSSED;
  const bool rows =
      crossed == FLY_CROSSED_ROWS || (patterns && (fresh.ng != p->ng || fresh.nb != p->nb || fresh.nx != p->nx));
  fly_stops_again(s);
  s->looks.from = NAN;
  fly_status status = rows       ? fly_rows_reform(s, &fresh, error)
                      : patterns ? fly_rows_repattern(s, &fresh, error)
                                 : FLY_OK;
  if (status == FLY_OK && (rows || c->effect > FLY_EFFECT_SMOOTH))
    status = restart(s, rows, error);
  else if (status == FLY_OK && at_break(s))
    status = fly_stops_cross(s, error);
  else if (status == FLY_OK)
    status = fly_events_begin(s, error);
  return status;
}

static fly_status storm(const fly_solver *s, fly_error *error) {
  return fly_fail(
      error, FLY_NO_PROGRESS, s->now.t,
      "At t = %.9g s events set each other off, one after the other, for the %dth time, and no time passes. "
      "Let what one of them sets not make another one happen, or leave a gap between them.",
      s->now.t, MOST_ROUNDS);
}

// What takes place may set off further events, whose roots it has moved through zero.
fly_status fly_cross_over(fly_solver *s, fly_error *error) {
  fly_status status = FLY_OK;
  for (int round = 0; s->crossing.due && !s->done && status == FLY_OK; round++) {
    if (round == MOST_ROUNDS)
      return storm(s, error);
    status = fly_events_note(s, error);
    s->crossing.due = false;
    if (status == FLY_OK)
      status = take_place(s, error);
    fly_cross_forget(s);
    if (status == FLY_OK && !s->done)
      status = fly_events_again(s, error);
  }
  return status;
}

fly_status fly_cross_last(fly_solver *s, fly_error *error) {
  if (!s->crossing.due || !s->crossing.moved)
    return FLY_OK;
  move(s);
  const fly_status status = fly_solver_restart(s, error);
  fly_cross_forget(s);
  return status;
}

fly_status fly_solver_cross(fly_solver *s, fly_error *error) {
  fly_status status = fly_solver_allow(s, FLY_CALL_CROSS, error);
  if (status || s->done)
    return status;
  s->stage = FLY_SOLVER_BUSY;
  status = fly_cross_over(s, error);
  s->stage = status ? FLY_SOLVER_STUCK : FLY_SOLVER_STARTED;
  return status;
}

bool fly_solver_crosses(const fly_solver *s) { return s && s->crossing.due && !s->done; }

fly_status fly_solver_changed(fly_solver *s, fly_effect effect, fly_error *error) {
  const fly_status status = fly_solver_allow(s, FLY_CALL_CHANGED, error);
  return status ? status : checked_announce(s, effect, error);
}
