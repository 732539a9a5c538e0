// What a model knows of its dependence on time: the breaks of its forces and motions, and how long a step may be over
// which nothing can hide (docs/theory/control.md, C-breaks and C-cells).
#include <float.h>
#include <math.h>

#include "system/parts.h"

static const double BEND = 0.05;   // knots where a table's derivative changes by less of its largest are no breaks
static const double FLOOR = 1e-9;  // of the size of an expression: what is nothing beside it
static const double FIRST = 0.2;   // of the time up to the next break: the first step of what is no straight line
static const double SHORTEST = 64; // roundings of the time: no stretch is shorter

// ------------------------------------------------------------------------------------------ which expressions

static bool depends_on_time(const fly_expr *e) { return fly_expr_sources(e) > 0 || fly_expr_parts(e) > 0; }

static void note(fly_system *s, const fly_expr *e, int level) {
  if (!depends_on_time(e))
    return;
  if (s->timed)
    s->timed[s->ntimed] = (fly_timed){.expression = e, .level = level};
  s->ntimed++;
}

static void note_all(fly_system *s) {
  const fly_model *m = s->model;
  s->ntimed = 0;
  for (int k = 0; k < m->nmotion; k++)
    note(s, m->expression[m->motion[k].expression], m->motion[k].level);
  for (int k = 0; k < m->napplied; k++)
    for (int c = 0; c < 6; c++)
      if (m->applied[k].expression[c] >= 0)
        note(s, m->expression[m->applied[k].expression[c]], -1);
  for (int k = 0; k < m->nstate; k++)
    note(s, m->expression[m->state[k].rate], -1);
  for (int k = 0; k < m->ndelay; k++)
    note(s, m->expression[m->delay[k].expression], -1);
  for (int k = 0; k < m->noutput; k++)
    if (m->output[k].row)
      note(s, m->expression[m->output[k].expression], -1);
}

static void forget(fly_timed *x) {
  for (int k = 0; k < fly_expr_sources(x->expression); k++)
    x->asked[k] = INFINITY;
  x->plain_a = INFINITY;
}

void fly_system_forget_timed(fly_system *s) {
  for (int k = 0; k < s->ntimed; k++)
    forget(&s->timed[k]);
}

bool fly_system_find_timed(fly_system *s) {
  s->timed = NULL;
  note_all(s);
  s->timed = fly_arena_take(&s->work, (size_t)s->ntimed, sizeof *s->timed);
  if (s->work.failed)
    return false;
  if (!s->timed)
    return true;
  note_all(s);
  for (int k = 0; k < s->ntimed; k++) {
    fly_timed *x = &s->timed[k];
    const size_t n = (size_t)fly_expr_sources(x->expression);
    x->next = fly_arena_take(&s->held, n, sizeof *x->next);
    x->asked = fly_arena_doubles(&s->held, n);
    x->floor = fly_arena_doubles(&s->held, (size_t)fly_expr_parts(x->expression));
    if (s->held.failed)
      return false;
    forget(x);
  }
  return true;
}

// ------------------------------------------------------------------------------------------ breaks

// The order of a break as positions (motions) or accelerations (forces) see it.
static int order_of(const fly_timed *x, const fly_expr_break *at) {
  const bool time_only = fly_expr_is_time_only(x->expression);
  const int order = time_only && at->order < 3 ? fly_expr_break_order(x->expression, at) : at->order;
  return order + (x->level > 0 ? x->level : 0);
}

static fly_break_kind kind_of(const fly_timed *x, const fly_expr_break *at) {
  static const fly_break_kind force[] = {FLY_BREAK_JUMP, FLY_BREAK_KINK};
  static const fly_break_kind motion[] = {FLY_BREAK_TEAR, FLY_BREAK_CORNER, FLY_BREAK_CURVE, FLY_BREAK_BEND};
  const int order = order_of(x, at);
  if (x->level < 0)
    return order < 2 ? force[order] : FLY_BREAK_SOFT;
  return order < 4 ? motion[order] : FLY_BREAK_SOFT;
}

// Curves through tables are smooth enough to be left to the error test where only a higher derivative jumps than the
// second of accelerations, or of a motion its third. (C-breaks)
static bool counts(const fly_timed *x, const fly_expr_break *at) {
  return !at->table || at->order + (x->level > 0 ? x->level : 0) < (x->level < 0 ? 3 : 4);
}

static double least(const fly_timed *x) { return x->level == 0 ? 0.0 : BEND; }

// The next break of a source, found again only when time has passed it or was set back.
static const fly_expr_break *next_of(fly_timed *x, int source, double t, double end) {
  fly_expr_break *next = &x->next[source];
  if (t >= x->asked[source] && t < next->after)
    return next;
  x->asked[source] = t;
  for (double from = t;; from = next->after) {
    if (!fly_expr_next_break(x->expression, source, from, end, least(x), next)) {
      *next = (fly_expr_break){.before = INFINITY, .after = INFINITY};
      return next;
    }
    if (counts(x, next))
      return next;
  }
}

// A break that begins inside of another is one with it, and the more severe of the two: whoever asks for the next
// behind the other would not find it. Returns whether that is another break now.
static bool join(fly_break *next, const fly_timed *x, const fly_expr_break *also) {
  if (!(also->before <= next->after))
    return false;
  const fly_break_kind kind = kind_of(x, also);
  const bool more = also->after > next->after || kind > next->kind;
  next->after = fmax(next->after, also->after);
  next->kind = kind > next->kind ? kind : next->kind;
  return more;
}

static bool join_all(fly_system *s, fly_break *next, double t, double end) {
  bool more = false;
  for (int k = 0; k < s->ntimed; k++)
    for (int i = 0; i < fly_expr_sources(s->timed[k].expression); i++)
      more = join(next, &s->timed[k], next_of(&s->timed[k], i, t, end)) || more;
  return more;
}

bool fly_system_next_break(fly_break *next, double t, double end, void *system) {
  fly_system *s = system;
  const fly_timed *of = NULL;
  const fly_expr_break *first = NULL;
  for (int k = 0; k < s->ntimed; k++)
    for (int i = 0; i < fly_expr_sources(s->timed[k].expression); i++) {
      const fly_expr_break *found = next_of(&s->timed[k], i, t, end);
      if (!first || found->before < first->before) {
        first = found;
        of = &s->timed[k];
      }
    }
  s->run_end = end;
  s->smooth_until = first ? fmin(first->before, end) : end;
  if (!first || !(first->before < end))
    return false;
  *next = (fly_break){first->before, first->after, kind_of(of, first)};
  while (join_all(s, next, t, end))
    ;
  return true;
}

// ------------------------------------------------------------------------------------------ surprises

// The end of a stretch from a without surprise, at most to b; first as long as `guess`.
static double plain_until(const fly_timed *x, double a, double b, double guess) {
  const double shortest = SHORTEST * DBL_EPSILON * fmax(fabs(a), fabs(b));
  double length = fmin(guess, b - a);
  while (length > shortest && !fly_expr_is_plain(x->expression, a, a + length, x->floor))
    length *= 0.5;
  return length >= b - a ? b : a + fmax(length, shortest);
}

static void set_floors(fly_timed *x, double t, double end) {
  for (int k = 0; k < fly_expr_parts(x->expression); k++) {
    const double size = fly_expr_part_size(x->expression, k, t, end);
    x->floor[k] = isfinite(size) ? FLOOR * size : 0.0;
  }
}

// Behind a break a step must not end at the next: a hump that is zero at both would be nothing to a method that looks
// at the ends of steps.
static double first_guess(const fly_timed *x, double t, double until) {
  return (fly_expr_is_straight(x->expression, t, until, x->floor) ? 1 : FIRST) * (until - t);
}

// Moves the stretch so that it holds t; a new one begins at a start and behind a break.
static void follow(fly_timed *x, double t, double until, double end) {
  if (t >= x->plain_a && t < x->plain_b)
    return;
  const bool goes_on = t >= x->plain_a && t < x->ahead_b;
  if (!(t >= x->plain_a))
    set_floors(x, t, end);
  x->plain_a = goes_on ? x->plain_b : t;
  x->plain_b = x->ahead_b = goes_on ? x->ahead_b : plain_until(x, t, until, first_guess(x, t, until));
}

// A step that leaves its stretch may be as long as the shorter of it and the next.
static double longest(fly_timed *x, double t, double h, double until, double end) {
  follow(x, t, until, end);
  if (t + h <= x->plain_b || x->plain_b >= until)
    return h;
  const double length = x->plain_b - x->plain_a;
  if (x->ahead_b <= x->plain_b)
    x->ahead_b = plain_until(x, x->plain_b, until, 2 * length);
  return fmin(h, fmax(x->plain_b - t, fmin(length, x->ahead_b - x->plain_b)));
}

static const double STUCK_STEPS = 1000.0; // of a run, at least, while something sticks and loads depend on time

// What sticks does not move, so that no error holds its steps; the load that breaks it away is read off between their
// ends.
static double longest_stuck(const fly_system *s, double h) {
  for (int k = 0; k < s->model->nfriction && s->run_end > 0; k++)
    for (int r = 0; r < s->model->friction[k].rows; r++)
      if (s->place_of[s->model->friction[k].row + r] >= 0)
        return fmin(h, s->run_end / STUCK_STEPS);
  return h;
}

double fly_system_longest_step(double t, double h, void *system) {
  fly_system *s = system;
  h = longest_stuck(s, fly_past_longest(s, h));
  for (int k = 0; k < s->ntimed; k++)
    if (fly_expr_parts(s->timed[k].expression) > 0)
      h = longest(&s->timed[k], t, h, s->smooth_until, s->run_end);
  return h;
}

void fly_system_break_at(double t, double *before, double *after) {
  *before = t - fly_expr_break_half(t);
  *after = t + fly_expr_break_half(t);
}
