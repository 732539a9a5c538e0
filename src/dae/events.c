// Root functions: sign changes over an accepted step, located on the dense output, then the problem's own action.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dae/solver.h"

enum { LEAVING_FIRST = 6, LEAVING_LAST = 18 }; // halvings of a step, at which a root at zero is asked for its side
enum { PARTS = 8, PARTS_SMALL = 2 };           // of a step, at whose ends roots are looked at; of small steps
static const double PARTS_RUN = 2000;          // of the interval: none is longer
static const double TOGETHER = 1e-9;           // of a step: roots this close happen at once

fly_status fly_roots_at(fly_solver *s, double *out, const fly_point *at, fly_error *error) {
  fly_dae_state state = fly_point_state(at);
  int n = s->e.p.nroot;
  memset(out, 0, (size_t)n * sizeof(double));
  int code = fly_eval_note(&s->e, "roots", s->e.p.roots(out, &state, s->e.p.user), out, n);
  return code ? fly_explain_callback(s, at->t, error) : FLY_OK;
}

// What stays at its edge is on the side it came from, whatever rounding errors say.
static fly_status evaluate(fly_solver *s, double *out, const fly_point *at, fly_error *error) {
  const fly_status status = fly_roots_at(s, out, at, error);
  if (status == FLY_OK)
    fly_edges_keep(s, out);
  return status;
}

// The point at t of the last step; where roots change their signs its multipliers are those of the equations.
static void point_at(fly_solver *s, double t) {
  fly_dense_at(s, t, &s->dense);
  if (s->family->exact && t < s->now.t)
    s->family->exact(s, &s->dense);
}

fly_status fly_events_begin(fly_solver *s, fly_error *error) {
  return s->e.p.nroot ? evaluate(s, s->ev.before, &s->now, error) : FLY_OK;
}

// The side to which root i leaves zero: where it grows in proportion to the time, as near to the start as that can be
// seen. values: at 2^-k of the step for k = LEAVING_LAST, ... 0.
static double side_of(const double *values) {
  for (int k = LEAVING_LAST; k > 0; k--) {
    const double ratio = values[k - 1] / values[k];
    if (ratio > 1.5 && ratio < 2.5)
      return values[k];
  }
  return values[0];
}

// A root that is exactly zero at the start of a step belongs to the step before: the side it leaves to counts, even if
// it comes back soon, as a ball that hardly bounces.
static fly_status leave_zero(fly_solver *s, fly_error *error) {
  const double h = s->now.t - s->last.t;
  fly_status status = FLY_OK;
  for (int i = 0; i < s->e.p.nroot && status == FLY_OK; i++) {
    double values[LEAVING_LAST + 1];
    if (s->ev.before[i] != 0)
      continue;
    for (int k = 0; k <= LEAVING_LAST && status == FLY_OK; k++) {
      fly_dense_at(s, s->last.t + ldexp(h, -LEAVING_FIRST - k), &s->dense);
      status = evaluate(s, s->ev.middle, &s->dense, error);
      values[k] = s->ev.middle[i];
    }
    if (status == FLY_OK)
      s->ev.before[i] = side_of(values);
  }
  return status;
}

static bool crosses(double a, double b) { return (a < 0 && b >= 0) || (a > 0 && b <= 0); }

fly_status fly_locate(fly_solver *s, fly_along_fn *along, int i, double a, double fa, double b, double fb, double *time,
                      fly_error *error) {
  const double wide = b - a;
  for (int k = 0; k < 100 && b - a > 1e-13 * wide + 4e-16 * fabs(b); k++) {
    double t = k % 4 == 3 ? 0.5 * (a + b) : b - fb * (b - a) / (fb - fa), f;
    if (!(t > a && t < b))
      t = 0.5 * (a + b);
    const fly_status status = along(s, i, t, &f, error);
    if (status)
      return status;
    if (crosses(fa, f)) {
      b = t;
      fb = f;
      fa *= 0.5;
    } else {
      a = t;
      fa = f;
      fb *= 0.5;
    }
    if (f == 0)
      break;
  }
  *time = b;
  return FLY_OK;
}

static fly_status root_at(fly_solver *s, int i, double t, double *value, fly_error *error) {
  point_at(s, t);
  const fly_status status = evaluate(s, s->ev.middle, &s->dense, error);
  *value = s->ev.middle[i];
  return status;
}

// The next root of the step after those already seen: s->ev.time holds the times of the crossings, NAN: none or done.
static int next_root(const fly_solver *s) {
  int first = -1;
  for (int i = 0; i < s->e.p.nroot; i++)
    if (!isnan(s->ev.time[i]) && (first < 0 || s->ev.time[i] < s->ev.time[first]))
      first = i;
  return first;
}

static bool any_crosses(const fly_solver *s) {
  bool any = false;
  for (int i = 0; i < s->e.p.nroot; i++)
    any = any || crosses(s->ev.before[i], s->ev.after[i]);
  return any;
}

// The roots at the end of a part of a step; seen: one was seen to have changed sides there. A change of sign that only
// dense output has is none.
static fly_status look_at_end(fly_solver *s, double b, bool seen, fly_error *error) {
  fly_dense_at(s, b, &s->dense);
  fly_status status = evaluate(s, s->ev.after, &s->dense, error);
  if (status || !s->family->exact || b >= s->now.t || !(seen || any_crosses(s)))
    return status;
  point_at(s, b);
  return evaluate(s, s->ev.after, &s->dense, error);
}

// A root that changed its sign in an earlier part, which dense output has not shown, is looked for in all of the step.
static fly_status find_begin(fly_solver *s, int i, double *a, double fa, fly_error *error) {
  double value = 0;
  if (!s->family->exact || !(*a > s->last.t))
    return FLY_OK;
  const fly_status status = root_at(s, i, *a, &value, error);
  if (status == FLY_OK && crosses(fa, value))
    *a = s->last.t;
  return status;
}

static fly_status locate_all(fly_solver *s, double a, double b, fly_error *error) {
  fly_status status = FLY_OK;
  for (int i = 0; i < s->e.p.nroot && status == FLY_OK; i++) {
    s->ev.time[i] = NAN;
    s->ev.near[i] = TOGETHER * fmax(fabs(s->ev.before[i]), fabs(s->ev.after[i]));
    if (!crosses(s->ev.before[i], s->ev.after[i]))
      continue;
    double begin = a;
    status = find_begin(s, i, &begin, s->ev.before[i], error);
    if (status == FLY_OK)
      status = fly_locate(s, root_at, i, begin, s->ev.before[i], b, s->ev.after[i], &s->ev.time[i], error);
    if (status == FLY_OK)
      fly_grazes_meet(s, i, s->ev.time[i], root_at);
  }
  return status;
}

static int rising(const fly_solver *s, int root) { return s->ev.after[root] > s->ev.before[root] ? 1 : -1; }

// The uncut step is kept for dense output up to there.
void fly_step_cut(fly_solver *s, double t) {
  if (!s->cut)
    fly_point_copy(&s->uncut, &s->now, &s->e);
  s->cut = true;
  fly_point_copy(&s->now, &s->dense, &s->e);
  s->now.t = t;
}

// The problem's answer to a root. Unless it goes on, the step ends there, and q, v, x as the callback leaves them will
// be a new start.
static fly_event_action act(fly_solver *s, int root, double t) {
  s->stats.events++;
  if (!s->e.p.event)
    return FLY_EVENT_CONTINUE;
  fly_point *behind = &s->crossing.behind;
  point_at(s, t);
  fly_point_copy(behind, &s->dense, &s->e);
  fly_event_action action = s->e.p.event(root, rising(s, root), t, behind->q, behind->v, behind->x, s->e.p.user);
  if (action != FLY_EVENT_CONTINUE)
    fly_step_cut(s, t);
  return action;
}

static bool is_known(fly_event_action action) { return (int)action >= 0 && (int)action <= FLY_EVENT_STOP; }

static fly_status unknown(fly_event_action action, double t, fly_error *error) {
  return fly_fail_at(error, FLY_BAD_INPUT, t, FLY_NOWHERE, "event",
                     "At t = %.9g s the callback `event` answered a root with %d, which is no action. Return "
                     "FLY_EVENT_CONTINUE, FLY_EVENT_RESTART or FLY_EVENT_STOP.",
                     t, (int)action);
}

// Roots at the same time as one that ended the step see the state it left.
static fly_event_action act_together(fly_solver *s, double until, fly_event_action action) {
  fly_point *behind = &s->crossing.behind;
  for (int root; (root = next_root(s)) >= 0 && s->ev.time[root] <= until;) {
    s->stats.events++;
    fly_event_action other =
        s->e.p.event(root, rising(s, root), s->now.t, behind->q, behind->v, behind->x, s->e.p.user);
    if (is_known(action) && (other > action || !is_known(other)))
      action = other;
    s->ev.time[root] = NAN;
    s->ev.done[root] = other == FLY_EVENT_CONTINUE ? 2 * rising(s, root) : 1;
    s->ev.came[root] = rising(s, root);
  }
  return action;
}

static void end_step(fly_solver *s, fly_event_action action) {
  s->stopped = action == FLY_EVENT_STOP;
  if (s->t_end - s->now.t <= 1e-12 * (s->t_end - s->t0))
    s->now.t = s->t_end; // nothing is left to run
  s->done = s->stopped || s->now.t >= s->t_end;
  s->crossing.moved = s->crossing.restarted = true;
  fly_cross_announce(s, FLY_EFFECT_IMPULSE);
}

static void swap_roots(fly_solver *s) {
  double *swap = s->ev.before;
  s->ev.before = s->ev.after;
  s->ev.after = swap;
}

// What an event does goes on from the state at its time: that is as good as the end of a step then.
static bool shortened(fly_solver *s) {
  const int root = next_root(s);
  return root >= 0 && s->e.p.event && fly_dense_shorten(s, s->ev.time[root]);
}

// The part of the step from a to b; ev.before has the roots at a; seen: one of them was seen to change at b. *ended: an
// event has ended the step. *again: the step may be made shorter for it, and has been.
static fly_status check_part(fly_solver *s, double a, double b, bool seen, bool *ended, bool *again, fly_error *error) {
  const double together = TOGETHER * (s->now.t - s->last.t);
  fly_status status = look_at_end(s, b, seen, error);
  fly_grazes_pass(s);
  if (status == FLY_OK)
    status = locate_all(s, a, b, error);
  *again = *again && status == FLY_OK && shortened(s);
  if (*again)
    return FLY_OK;
  for (int root; status == FLY_OK && (root = next_root(s)) >= 0;) {
    const double t = s->ev.time[root];
    memset(s->ev.done, 0, (size_t)s->e.p.nroot * sizeof *s->ev.done);
    fly_event_action action = act(s, root, t);
    s->ev.time[root] = NAN;
    s->ev.done[root] = 1;
    if (action == FLY_EVENT_CONTINUE)
      continue;
    s->ev.came[root] = rising(s, root);
    action = act_together(s, t + together, action);
    if (!is_known(action))
      return unknown(action, t, error);
    end_step(s, action);
    *ended = true;
    return FLY_OK;
  }
  swap_roots(s);
  return status;
}

static fly_dae_state exact_state(double t, void *solver) {
  fly_solver *s = solver;
  point_at(s, t);
  return fly_point_state(&s->dense);
}

// What the problem sees first behind a; INFINITY: nothing.
static fly_sighting look_ahead(fly_solver *s, double a) {
  const fly_step_taken step = {
      .from = a, .to = s->now.t, .at = fly_glance_state, .motion = s, .exact = s->family->exact ? exact_state : NULL};
  fly_sighting first = {.t = INFINITY, .open = s->ev.open, .nearest = s->ev.nearest};
  if (!s->e.p.watch || !(a < s->now.t))
    return first;
  for (int i = 0; i < s->e.p.nroot; i++)
    s->ev.watched[i] = s->ev.edge[i] ? 0 : s->ev.before[i];
  s->e.p.watch(&first, &step, s->ev.watched, fly_root_noise, s->e.p.user);
  s->stats.unsure += first.unsure;
  return first;
}

static int parts_of(const fly_solver *s, const fly_sighting *seen) {
  const double least = s->family == &fly_family_newmark ? PARTS_SMALL : PARTS;
  if (seen->all && !seen->unsure)
    return 1;
  return (int)fmax(least, ceil(PARTS_RUN * (s->now.t - s->last.t) / (s->t_end - s->t0)));
}

// Of the last step, whose start has the roots in ev.before. *again: as above.
static fly_status check_parts(fly_solver *s, bool *again, fly_error *error) {
  const double from = s->last.t, to = s->now.t;
  const bool may = *again;
  fly_grazes_look(s);
  fly_sighting seen = look_ahead(s, from);
  const int parts = parts_of(s, &seen);
  bool ended = false;
  fly_status status = FLY_OK;
  *again = false;
  double a = from;
  for (int k = 1; k <= parts && status == FLY_OK && !ended && !*again;) {
    const double end = k < parts ? from + (to - from) * k / parts : to, b = fmin(end, seen.t);
    *again = may;
    status = check_part(s, a, b, b == seen.t, &ended, again, error);
    k += b == end;
    if (b == seen.t && status == FLY_OK && !ended && !*again)
      seen = look_ahead(s, b);
    a = b;
  }
  return status;
}

fly_status fly_events_check(fly_solver *s, fly_error *error) {
  bool again = true;
  if (s->e.p.nroot == 0 || !(s->now.t > s->last.t))
    return FLY_OK;
  memset(s->ev.done, 0, (size_t)s->e.p.nroot * sizeof *s->ev.done);
  s->ev.noisy_at = s->ev.swayed_at = NAN;
  fly_status status = fly_edges_find(s, error);
  if (status == FLY_OK)
    status = leave_zero(s, error);
  memcpy(s->ev.start, s->ev.before, (size_t)s->e.p.nroot * sizeof *s->ev.start);
  if (status == FLY_OK)
    status = check_parts(s, &again, error);
  if (status == FLY_OK && again) {
    memcpy(s->ev.before, s->ev.start, (size_t)s->e.p.nroot * sizeof *s->ev.start);
    again = false;
    status = check_parts(s, &again, error);
  }
  if (status == FLY_OK)
    fly_grazes_keep(s);
  return status;
}

// The roots before a change. A step that was cut ends where it was interpolated, off its constraints by what that is
// worth, and is put back onto them behind the change: so it is here, or what that does to a root would be taken for
// what the event has done.
fly_status fly_events_note(fly_solver *s, fly_error *error) {
  if (s->e.p.nroot == 0)
    return FLY_OK;
  const fly_point *at = &s->now;
  if (s->cut && s->crossing.restarted && s->e.nl > 0) {
    fly_point_copy(&s->dense, &s->now, &s->e);
    if (fly_meet_constraints(s, &s->dense) == FLY_SOLVED)
      at = &s->dense;
  }
  return evaluate(s, s->ev.after, at, error);
}

// Roots that have had their answer are left alone while they stay where they were found, at zero; moved away from
// there they count anew.
static void forget_far(fly_solver *s) {
  for (int i = 0; i < s->e.p.nroot; i++)
    if (fabs(s->ev.after[i]) > s->ev.near[i])
      s->ev.done[i] = 0;
}

// Behind a change: ev.after has the roots before it, ev.before those behind it.
static fly_status look_again(fly_solver *s, bool (*passes)(double, double), fly_error *error) {
  fly_event_action action = FLY_EVENT_CONTINUE;
  bool any = false;
  for (int i = 0; i < s->e.p.nroot && s->e.p.event; i++) {
    const double was = s->ev.after[i], is = s->ev.before[i];
    s->ev.time[i] = !s->ev.done[i] && passes(was, is) ? s->now.t : (double)NAN;
    s->ev.after[i] = is;
    s->ev.before[i] = was;
    any = any || !isnan(s->ev.time[i]);
  }
  if (any) {
    fly_point_copy(&s->crossing.behind, &s->now, &s->e);
    action = act_together(s, s->now.t, action);
    forget_far(s);
  }
  swap_roots(s);
  if (!is_known(action))
    return unknown(action, s->now.t, error);
  if (action != FLY_EVENT_CONTINUE) {
    end_step(s, action);
    fly_cross_note(s);
  }
  return FLY_OK;
}

// What an event sets to the very edge of a condition has not passed it.
static bool goes_beyond(double a, double b) { return (a < 0 && b > 0) || (a > 0 && b < 0); }

fly_status fly_events_again(fly_solver *s, fly_error *error) { return look_again(s, goes_beyond, error); }

fly_status fly_events_passed(fly_solver *s, fly_error *error) { return look_again(s, crosses, error); }
