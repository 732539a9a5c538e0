// What expressions were some time ago (docs/theory/signals.md, section 5). Every accepted step leaves a polynomial of
// its input, through values at Chebyshev's points inside it, in a ring. Steps are no longer than the delay, so what is
// asked for lies behind them: inside a step it is a function of time alone. Where the input breaks it breaks again a
// delay later, and there steps end.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "expr/expr.h"
#include "system/parts.h"

enum { POINTS = 9, FROM = 0, TO, AT, ORDER, VALUE, SEGMENT = VALUE + POINTS }; // numbers of a step that is remembered
enum { FIRST, COUNT, NEXT_AT, NEXT_ORDER, RING };                              // and of a ring of them
enum { NO_BREAK = 99, HIGHEST = 3 }; // order of the derivative that jumps at its begin; higher ones do not matter

// ------------------------------------------------------------------------------------------ the ring

size_t fly_past_numbers(const fly_model *m) {
  size_t n = 0;
  for (int k = 0; k < m->ndelay; k++)
    n += RING + SEGMENT * (size_t)m->delay[k].room;
  return n;
}

static double *ring_of(const fly_system *s, int k) {
  double *ring = s->past;
  for (int i = 0; i < k; i++)
    ring += RING + SEGMENT * (size_t)s->model->delay[i].room;
  return ring;
}

static double *segment_at(const fly_system *s, int k, int i) {
  double *ring = ring_of(s, k);
  return ring + RING + SEGMENT * (((size_t)ring[FIRST] + (size_t)i) % (size_t)s->model->delay[k].room);
}

static int count_of(const fly_system *s, int k) { return (int)ring_of(s, k)[COUNT]; }

// The last step that begins at t or before it; -1: none does. Behind a break it begins at the break itself, not a few
// roundings later, where the solver does: what comes again a delay later, and again, would wander.
static int find(const fly_system *s, int k, double t) {
  int low = -1, high = count_of(s, k);
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (segment_at(s, k, middle)[AT] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void fly_past_points(fly_system *s) {
  const double pi = 3.14159265358979323846;
  for (int j = 0; s->model->ndelay > 0 && j < POINTS; j++) {
    s->past_point[j] = cos((2 * j + 1) * pi / (2 * POINTS));
    s->past_point[POINTS + j] = (j % 2 ? -1 : 1) * sin((2 * j + 1) * pi / (2 * POINTS));
  }
}

int fly_past_point_numbers(void) { return 2 * POINTS; }

// Barycentric interpolation at Chebyshev's points of the first kind.
static double interpolate(const fly_system *s, const double *segment, double t) {
  const double x = (2 * t - segment[FROM] - segment[TO]) / (segment[TO] - segment[FROM]);
  double above = 0, below = 0;
  for (int j = 0; j < POINTS; j++) {
    const double distance = x - s->past_point[j];
    if (distance == 0)
      return segment[VALUE + j];
    const double weight = s->past_point[POINTS + j] / distance;
    above += weight * segment[VALUE + j];
    below += weight;
  }
  return above / below;
}

double fly_past_value(const fly_system *s, int k, double t) {
  const double then = t - s->model->delay[k].time;
  const int i = find(s, k, then);
  return i < 0 ? s->model->delay[k].start : interpolate(s, segment_at(s, k, i), then);
}

// ------------------------------------------------------------------------------------------ remembering

static double input_of(const fly_system *s, int k) {
  return fly_expr_value(s->model->expression[s->model->delay[k].expression], s->input);
}

void fly_past_begin(fly_system *s, const fly_dae_state *at) {
  s->past_fault = -1;
  s->past_due = (fly_break){INFINITY, INFINITY, FLY_BREAK_SOFT};
  fly_system_felt(s, at);
  for (int k = 0; k < s->model->ndelay; k++) {
    double *ring = ring_of(s, k);
    ring[FIRST] = ring[COUNT] = 0;
    ring[NEXT_AT] = at->t;
    ring[NEXT_ORDER] = input_of(s, k) == s->model->delay[k].start ? 1 : 0;
  }
}

// What nobody asks for any more goes: rows of the results lie in the last step, and ask for a delay before.
static void forget(fly_system *s, int k, double from) {
  double *ring = ring_of(s, k);
  while (ring[COUNT] > 1 && segment_at(s, k, 1)[AT] < from - s->model->delay[k].time) {
    ring[FIRST] = (double)(((int)ring[FIRST] + 1) % s->model->delay[k].room);
    ring[COUNT]--;
  }
}

static bool make_room(fly_system *s, const fly_step_taken *step) {
  for (int k = 0; k < s->model->ndelay; k++) {
    const fly_model_delay *d = &s->model->delay[k];
    forget(s, k, step->from);
    if (count_of(s, k) >= d->room) {
      s->past_fault = k;
      return false;
    }
  }
  return true;
}

static void see(fly_system *s, const fly_step_taken *step, int j) {
  const double t = (step->from + step->to + s->past_point[j] * (step->to - step->from)) / 2;
  const fly_dae_state at = step->at(t, step->motion);
  fly_system_update(s, at.q, at.v);
  fly_system_update_inputs(s, &at);
  for (int k = 0; k < s->model->ndelay; k++)
    segment_at(s, k, count_of(s, k))[VALUE + j] = input_of(s, k);
}

// The order of what breaks at the end of this step, as forces see it.
static int order_due(const fly_system *s, double t) {
  if (!(s->past_due.before <= t + 64 * DBL_EPSILON * fabs(t)))
    return NO_BREAK;
  return s->past_due.kind >= FLY_BREAK_JUMP ? 0 : s->past_due.kind >= FLY_BREAK_KINK ? 1 : s->past_order;
}

// What begins now breaks in this order at its begin.
static void break_next(fly_system *s, double t, int order) {
  for (int k = 0; k < s->model->ndelay; k++) {
    double *ring = ring_of(s, k);
    if (ring[NEXT_ORDER] == NO_BREAK)
      ring[NEXT_AT] = t;
    ring[NEXT_ORDER] = fmin(ring[NEXT_ORDER], order + s->model->delay[k].smoother);
  }
}

bool fly_past_keep(fly_system *s, const fly_step_taken *step) {
  if (!(step->to > step->from)) { // behind a jump
    break_next(s, step->from, 0);
    return true;
  }
  if (!make_room(s, step))
    return false;
  for (int j = 0; j < POINTS; j++)
    see(s, step, j);
  for (int k = 0; k < s->model->ndelay; k++) {
    double *ring = ring_of(s, k), *segment = segment_at(s, k, count_of(s, k));
    segment[FROM] = step->from;
    segment[TO] = step->to;
    segment[ORDER] = ring[NEXT_ORDER];
    segment[AT] = ring[NEXT_ORDER] == NO_BREAK ? step->from : ring[NEXT_AT];
    ring[NEXT_ORDER] = NO_BREAK;
    ring[COUNT]++;
  }
  const int order = order_due(s, step->to);
  if (order != NO_BREAK)
    break_next(s, (s->past_due.before + s->past_due.after) / 2, order);
  return true;
}

fly_status fly_past_tell(const fly_system *s, double t, fly_error *error) {
  const fly_model_delay *d = &s->model->delay[s->past_fault];
  const fly_item *item = &s->model->spec->item[d->item];
  return fly_fail_at(
      error, FLY_NO_PROGRESS, t, item->place, item->name,
      "the delay `%s` of %.3g s would have to remember more than %d steps. Give it more `room`, ask for a "
      "larger error, or take `pade: 3`, which remembers nothing.",
      item->name, d->time, d->room);
}

void fly_past_copy(fly_system *s, const fly_system *from) {
  if (s->model->ndelay > 0)
    memcpy(s->past, from->past, fly_past_numbers(s->model) * sizeof *s->past);
  s->past_fault = from->past_fault;
  s->past_due = from->past_due;
  s->past_order = from->past_order;
}

// ------------------------------------------------------------------------------------------ time ahead

static fly_break break_of(double t, int order) {
  fly_break b = {.kind = order == 0 ? FLY_BREAK_JUMP : order == 1 ? FLY_BREAK_KINK : FLY_BREAK_SOFT};
  fly_system_break_at(t, &b.before, &b.after);
  return b;
}

// The first break of a delay behind t; the last one that can be known lies a delay after the present, and there the
// question is put again.
static fly_break next_of(const fly_system *s, int k, double t, int *order) {
  const double time = s->model->delay[k].time, t0 = fmax(t, s->accepted);
  *order = NO_BREAK;
  for (int i = (int)fmax(0, find(s, k, t - time)); i < count_of(s, k); i++) {
    const double *segment = segment_at(s, k, i);
    const fly_break b = break_of(segment[AT] + time, (int)segment[ORDER]);
    if (segment[ORDER] > HIGHEST || !(b.after > t))
      continue;
    *order = (int)segment[ORDER];
    return b;
  }
  const double *next = ring_of(s, k); // of the step that begins at the present
  if (next[NEXT_ORDER] <= HIGHEST && next[NEXT_AT] + time > t) {
    *order = (int)next[NEXT_ORDER];
    return break_of(next[NEXT_AT] + time, *order);
  }
  return break_of(t0 + time, NO_BREAK);
}

bool fly_past_next_break(fly_system *s, fly_break *next, double t, double end) {
  bool found = false;
  for (int k = 0; k < s->model->ndelay; k++) {
    int order;
    const fly_break b = next_of(s, k, t, &order);
    if (!(b.before < end) || (found && b.before >= next->before))
      continue;
    found = true;
    *next = b;
    s->past_order = order;
  }
  return found;
}

double fly_past_longest(const fly_system *s, double h) {
  for (int k = 0; k < s->model->ndelay; k++)
    h = fmin(h, s->model->delay[k].time);
  return h;
}
