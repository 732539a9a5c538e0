// Times at which a step must end: the breaks a problem knows of, and those a user asks for. A step ends on the near
// side of a break and the next one begins on the far side, so that no evaluation mixes the two (control.md, C-breaks).
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "dae/solver.h"
#include "dae/stops.h"

// Closer together than this, in roundings of the time, breaks are one.
static const double TOGETHER = 32.0;

static double rounding(double t) { return TOGETHER * DBL_EPSILON * fabs(t); }

// A break wider than this, in roundings of the time, is one whose place rounding errors blur: the motion goes on in it.
static const double BLURRED = 128.0;

// Of the error asked for: what a break may leave out.
static const double HEAVY = 1e-4;

// The first break behind s->stops.passed, or INFINITY.
static void find_next(fly_solver *s) {
  fly_stops *stops = &s->stops;
  const fly_dae_problem *p = &s->e.p;
  fly_break found;
  stops->next.before = INFINITY;
  if (!p->next_break || !p->next_break(&found, stops->passed, s->t_end, p->user))
    return;
  if (found.after < s->t_end || found.before > s->now.t)
    stops->next = found;
}

// Passes the next break and all that cannot be told from it. Returns the most severe.
static fly_break_kind pass(fly_solver *s) {
  fly_stops *stops = &s->stops;
  fly_break_kind kind = stops->next.kind;
  stops->passed = fmax(stops->next.after, s->now.t);
  find_next(s);
  while (stops->next.before <= stops->passed + rounding(stops->passed)) {
    kind = stops->next.kind > kind ? stops->next.kind : kind;
    stops->passed = fmax(stops->next.after, stops->passed);
    find_next(s);
  }
  return kind;
}

// A run that starts on a break begins behind it.
void fly_stops_begin(fly_solver *s) {
  s->stops = (fly_stops){.asked = INFINITY, .passed = s->now.t - rounding(s->now.t) - DBL_MIN};
  find_next(s);
  const bool there = s->stops.next.before <= s->now.t;
  if (there && pass(s) >= FLY_BREAK_KINK)
    s->now.t = s->stops.passed;
  else if (!there)
    s->stops.passed = -INFINITY;
}

// A stop that was asked for is reached, also where something else takes place.
void fly_stops_again(fly_solver *s) {
  if (s->now.t >= s->stops.asked)
    s->stops.asked = INFINITY;
  if (s->stops.next.before > s->now.t) // one that is due stays so
    find_next(s);
}

double fly_stops_limit(const fly_solver *s) { return fmin(fmin(s->t_end, s->stops.asked), s->stops.next.before); }

// What a problem tells of a step that begins at a break is told of its far side: the near one has another slope.
static double longest_told(const fly_solver *s, double h) {
  const fly_dae_problem *p = &s->e.p;
  const double from = fmax(s->now.t, s->stops.passed), inside = from - s->now.t;
  return h > inside ? fmin(h, inside + p->longest_step(from, h - inside, p->user)) : h;
}

double fly_stops_longest(fly_solver *s, double h) {
  h = fmin(h, s->leaps.longest);
  if (fly_looks_needed(s))
    return fly_looks_longest(s, h);
  return s->e.p.longest_step ? longest_told(s, h) : h;
}

static fly_status torn(const fly_solver *s, fly_error *error) {
  return fly_fail(error, FLY_BAD_INPUT, s->now.t,
                  "At t = %.9g s a motion jumps from one position to another, and no body can follow. Let it pass from "
                  "one to the other in a short time, by `step` or a table.",
                  s->now.t);
}

static bool wants_restart(const fly_solver *s, fly_break_kind kind) {
  if (kind >= FLY_BREAK_JUMP)
    return true;
  return s->family->restart_at && s->family->restart_at(s, kind);
}

// The end of the step is kept for dense output.
static void leave(fly_solver *s, double t) {
  s->stops.before = s->now.t;
  s->stops.broken = s->cut = true;
  fly_point_copy(&s->uncut, &s->now, &s->e);
  s->now.t = t;
}

static void move_positions(fly_solver *s, double dt) {
  for (int i = 0; i < s->e.p.nv; i++)
    s->dense.v[i] = dt * s->uncut.v[i];
  fly_eval_plus(&s->e, s->now.q, s->uncut.q, s->dense.v);
}

static void move_rates(fly_solver *s, const fly_point *slope, double dt) {
  for (int i = 0; i < s->e.p.nv; i++)
    s->now.v[i] += dt * slope->vdot[i];
  for (int i = 0; i < s->e.p.nx; i++)
    s->now.x[i] += dt * slope->xdot[i];
}

// Would what a force does over a width of some roundings of the time be missed in the end? Short strong pulses have it.
static bool is_heavy(const fly_solver *s, double width) {
  const double rate = fly_weighted(s, s->now.vdot) + fly_weighted(s, s->uncut.vdot), left = s->t_end - s->now.t;
  double slope = 0;
  for (int i = 0; i < s->e.p.nx; i++)
    slope = fmax(slope, (fabs(s->now.xdot[i]) + fabs(s->uncut.xdot[i])) / (s->e.p.scale_x ? s->e.p.scale_x[i] : 1.0));
  return width * fmax(rate * left, slope) > HEAVY * fmax(s->o.error, DBL_EPSILON);
}

// Over the width of a break, whose place is its middle: with the accelerations of either side for one half.
static fly_status glide(fly_solver *s, double width, bool blurred, fly_error *error) {
  if (blurred)
    move_positions(s, width);
  fly_status status = fly_solver_restart(s, error);
  if (status || !(blurred || is_heavy(s, width)))
    return status;
  if (!blurred)
    move_positions(s, width);
  move_rates(s, &s->now, width / 2);
  move_rates(s, &s->uncut, width / 2);
  return fly_solver_restart(s, error);
}

static bool is_blurred(double t, double width) { return width > BLURRED * DBL_EPSILON * fabs(t); }

static fly_status begin_anew(fly_solver *s, fly_break_kind kind, fly_error *error) {
  const double width = s->stops.passed - s->now.t;
  s->stats.restarts++;
  s->stats.corners += kind == FLY_BREAK_CORNER;
  leave(s, s->stops.passed);
  s->crossing.checked = true;
  const bool blurred = is_blurred(s->now.t, width);
  const fly_status status = kind <= FLY_BREAK_CURVE ? glide(s, width, blurred, error) : fly_solver_restart(s, error);
  s->crossing.checked = false;
  return status;
}

// A break at the very end of the run is not met: the run ends as it was before it.
static fly_status end_before(fly_solver *s) {
  const double width = s->t_end - s->now.t;
  fly_point_copy(&s->uncut, &s->now, &s->e);
  s->now.t = s->t_end; // the step is the same, a rounding longer
  move_positions(s, width);
  move_rates(s, &s->uncut, width);
  s->done = true;
  return FLY_OK;
}

fly_status fly_stops_cross(fly_solver *s, fly_error *error) {
  if (s->now.t >= s->stops.asked)
    s->stops.asked = INFINITY;
  if (s->done || s->now.t < s->stops.next.before)
    return FLY_OK;
  s->stats.breaks++;
  const fly_break_kind kind = pass(s);
  if (s->stops.passed >= s->t_end)
    return end_before(s);
  if (kind == FLY_BREAK_TEAR)
    return torn(s, error);
  return wants_restart(s, kind) ? begin_anew(s, kind, error) : FLY_OK;
}

void fly_stops_resume(fly_solver *s) { s->h_next = fmax(s->h_next, s->stops.wanted); }

fly_status fly_solver_stop_at(fly_solver *s, double t, fly_error *error) {
  const fly_status status = fly_solver_allow(s, FLY_CALL_STOP_AT, error);
  if (status)
    return status;
  if (!(t > s->now.t))
    return fly_fail(error, FLY_BAD_INPUT, t, "A stop at %.9g s does not lie behind the present time, %.9g s.", t,
                    s->now.t);
  s->stops.asked = t;
  return FLY_OK;
}

fly_status fly_solver_break_here(fly_solver *s, double after, fly_break_kind kind, fly_error *error) {
  const fly_status status = fly_solver_changed(s, FLY_EFFECT_SMOOTH, error); // crossed as the break is
  fly_break *next = &s->stops.next;
  if (status || next->before <= s->now.t) // another is due here
    return status;
  *next = (fly_break){s->now.t, after, kind};
  return FLY_OK;
}
