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

// Numbers of a piece of a step that is remembered, and of a ring of them.
enum { POINTS = 9, BEGIN = 0, FROM, TO, ORDER, VALUE, SEGMENT = VALUE + POINTS };
enum { FIRST, COUNT, NEXT_ORDER, NEXT_BEGIN, LOWEST, LARGEST, RING };
// The order of the derivative that jumps where a piece begins; higher ones do not matter. TURNED: not known yet.
enum { NO_BREAK = 99, HIGHEST = 3, TURNED = -1 };
enum { FEW = 8, DEPTH = 40 }; // points of the input that a piece need not be compared with; halvings of a step

static const double CLOSE = 1e-9; // of the range of the input: so far a piece may be off it
static const double JUMPS = 1e-7; // and so far apart are the two sides of a jump
static const double ROUNDED = 64; // roundings: of a value no difference, of the time no distance

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

// The last piece that begins at t or before it; -1: none does. Behind a break it begins at the break itself, not a few
// roundings later, where the solver does: what comes again a delay later, and again, would wander.
static int find(const fly_system *s, int k, double t) {
  int low = -1, high = count_of(s, k);
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (segment_at(s, k, middle)[BEGIN] <= t)
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

// Is no piece that is asked for from a to b shorter than half of that, unless there is but one?
bool fly_past_resolves(const fly_system *s, double a, double b) {
  for (int k = 0; k < s->model->ndelay; k++) {
    const double time = s->model->delay[k].time;
    const int first = find(s, k, a - time), last = find(s, k, b - time);
    for (int i = first < 0 ? 0 : first; first < last && i <= last; i++)
      if (segment_at(s, k, i)[TO] - segment_at(s, k, i)[FROM] < (b - a) / 2)
        return false;
  }
  return true;
}

// ------------------------------------------------------------------------------------------ remembering

static double input_of(const fly_system *s, int k) {
  return fly_expr_value(s->model->expression[s->model->delay[k].expression], s->input);
}

static double distance_of(const double *ring, double share) {
  const double width = ring[LARGEST] > ring[LOWEST] ? ring[LARGEST] - ring[LOWEST] : 0;
  return share * width + ROUNDED * DBL_EPSILON * fmax(fabs(ring[LARGEST]), fabs(ring[LOWEST]));
}

static void widen(double *ring, double value) {
  ring[LOWEST] = fmin(ring[LOWEST], value);
  ring[LARGEST] = fmax(ring[LARGEST], value);
}

void fly_past_begin(fly_system *s, const fly_dae_state *at) {
  s->past_fault = -1;
  s->past_unsure = s->past_blow = false;
  s->past_due = (fly_break){INFINITY, INFINITY, FLY_BREAK_SOFT};
  fly_system_felt(s, at);
  for (int k = 0; k < s->model->ndelay; k++) {
    double *ring = ring_of(s, k);
    ring[FIRST] = ring[COUNT] = 0;
    ring[LOWEST] = ring[LARGEST] = s->model->delay[k].start;
    ring[NEXT_ORDER] = input_of(s, k) == s->model->delay[k].start ? 1 : 0;
    ring[NEXT_BEGIN] = at->t;
  }
}

// What nobody asks for any more goes: rows of the results lie in the last step, and ask for a delay before.
static void forget(fly_system *s, int k, double from) {
  double *ring = ring_of(s, k);
  while (ring[COUNT] > 1 && segment_at(s, k, 1)[BEGIN] < from - s->model->delay[k].time) {
    ring[FIRST] = (double)(((int)ring[FIRST] + 1) % s->model->delay[k].room);
    ring[COUNT]--;
  }
}

static void fill(fly_system *s, int k, const fly_step_taken *step, double a, double b) {
  double *ring = ring_of(s, k), *segment = segment_at(s, k, count_of(s, k));
  segment[FROM] = a;
  segment[TO] = b;
  for (int j = 0; j < POINTS; j++) {
    const fly_dae_state at = step->at((a + b + s->past_point[j] * (b - a)) / 2, step->motion);
    fly_system_felt(s, &at);
    segment[VALUE + j] = input_of(s, k);
    widen(ring, segment[VALUE + j]);
  }
}

// Of a piece behind a place where the input changes sides: does it jump there, or bend?
static int order_of_turn(const fly_system *s, int k) {
  const int n = count_of(s, k);
  const double *segment = segment_at(s, k, n);
  const double before = n > 0 ? interpolate(s, segment_at(s, k, n - 1), segment[BEGIN]) : s->model->delay[k].start;
  return fabs(interpolate(s, segment, segment[BEGIN]) - before) > distance_of(ring_of(s, k), JUMPS) ? 0 : 1;
}

static void close_piece(fly_system *s, int k) {
  double *ring = ring_of(s, k), *segment = segment_at(s, k, count_of(s, k));
  const bool turned = ring[NEXT_ORDER] == TURNED;
  segment[BEGIN] = ring[NEXT_ORDER] == NO_BREAK ? segment[FROM] : ring[NEXT_BEGIN];
  segment[ORDER] = turned ? order_of_turn(s, k) : ring[NEXT_ORDER];
  ring[NEXT_ORDER] = NO_BREAK;
  ring[COUNT]++;
}

static bool fits(const fly_system *s, int k, int first, int end) {
  const double *segment = segment_at(s, k, count_of(s, k)), close = distance_of(ring_of(s, k), CLOSE);
  bool fits = true;
  for (int i = first; i < end && fits; i++)
    fits = fabs(interpolate(s, segment, s->trace[i].t) - s->trace[i].value) <= close;
  return fits;
}

// The piece from a to b, in which these points lie, in halves if one polynomial does not go through them.
static bool keep_piece(fly_system *s, int k, const fly_step_taken *step, double a, double b, int first, int end,
                       int depth) {
  if (count_of(s, k) >= s->model->delay[k].room) {
    s->past_fault = k;
    return false;
  }
  fill(s, k, step, a, b);
  if (end - first <= FEW || depth == DEPTH || fits(s, k, first, end)) {
    close_piece(s, k);
    return true;
  }
  const double middle = a + (b - a) / 2;
  int half = first;
  while (half < end && s->trace[half].t < middle)
    half++;
  return keep_piece(s, k, step, a, middle, first, half, depth + 1) &&
         keep_piece(s, k, step, middle, b, half, end, depth + 1);
}

static void next_break(double *ring, int order, double t) {
  if (order > HIGHEST || order >= ring[NEXT_ORDER])
    return;
  if (ring[NEXT_ORDER] > HIGHEST)
    ring[NEXT_BEGIN] = t;
  ring[NEXT_ORDER] = order;
}

static bool is_piece(double a, double b) { return b - a > ROUNDED * DBL_EPSILON * fmax(fabs(a), fabs(b)); }

// From one change of sides to the next.
static bool keep_input(fly_system *s, int k, const fly_step_taken *step) {
  double *ring = ring_of(s, k), from = step->from;
  fly_range range = {ring[LOWEST], ring[LARGEST]};
  int first = 0;
  forget(s, k, step->from);
  s->past_unsure = !fly_trace_step(s, k, step, &range) || s->past_unsure;
  ring[LOWEST] = range.lo;
  ring[LARGEST] = range.hi;
  for (int i = 0; i < s->ntrace; i++) {
    if (!s->trace[i].turns)
      continue;
    const double t = s->trace[i].t;
    if (is_piece(from, t) && !keep_piece(s, k, step, from, t, first, i, 0))
      return false;
    next_break(ring, TURNED, t);
    from = is_piece(from, t) ? t : from;
    first = i + 1;
  }
  if (is_piece(from, step->to) || from == step->from)
    return keep_piece(s, k, step, from, step->to, first, s->ntrace, 0);
  ring[NEXT_ORDER] = 0; // it turns where the step ends
  return true;
}

// The order of what breaks at the end of this step, as accelerations see it.
static int order_due(const fly_system *s, double t) {
  if (!(s->past_due.before <= t + ROUNDED * DBL_EPSILON * fabs(t)))
    return NO_BREAK;
  const fly_break_kind kind = s->past_due.kind;
  return kind >= FLY_BREAK_CORNER ? -1 : kind >= FLY_BREAK_JUMP ? 0 : kind >= FLY_BREAK_KINK ? 1 : s->past_order;
}

static void break_next(fly_system *s, int order, double t) {
  for (int k = 0; k < s->model->ndelay; k++) {
    const int its = order + s->model->delay[k].smoother;
    next_break(ring_of(s, k), its > 0 ? its : 0, t);
  }
}

// Behind a jump, or a blow.
static void begin_anew(fly_system *s, const fly_dae_state *at) {
  break_next(s, s->past_blow ? -1 : 0, at->t);
  s->past_blow = false;
  fly_system_felt(s, at);
  for (int k = 0; k < s->model->ndelay; k++) {
    double *ring = ring_of(s, k);
    const int n = count_of(s, k);
    const double value = input_of(s, k);
    widen(ring, value);
    if (n > 0 && fabs(interpolate(s, segment_at(s, k, n - 1), at->t) - value) > distance_of(ring, JUMPS))
      next_break(ring, 0, at->t);
  }
}

bool fly_past_keep(fly_system *s, const fly_dae_state *at, const fly_step_taken *step) {
  if (!(step->to > step->from)) {
    begin_anew(s, at);
    return true;
  }
  for (int k = 0; k < s->model->ndelay; k++)
    if (!keep_input(s, k, step))
      return false;
  break_next(s, order_due(s, step->to), s->past_time);
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
  s->past_time = from->past_time;
  s->past_unsure = from->past_unsure;
  s->past_blow = from->past_blow;
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
    const fly_break b = break_of(segment[BEGIN] + time, (int)segment[ORDER]);
    if (segment[ORDER] > HIGHEST || !(b.after > t))
      continue;
    *order = (int)segment[ORDER];
    return b;
  }
  const double next = ring_of(s, k)[NEXT_ORDER]; // of the step that begins at the present
  if (next <= HIGHEST && ring_of(s, k)[NEXT_BEGIN] + time > t) {
    *order = (int)next;
    return break_of(ring_of(s, k)[NEXT_BEGIN] + time, (int)next);
  }
  return break_of(t0 + time, NO_BREAK);
}

static bool is_together(const fly_break *a, const fly_break *b) {
  const double width = ROUNDED * DBL_EPSILON * fabs(a->after);
  return a->before <= b->after + width && b->before <= a->after + width;
}

// The first of all; those that cannot be told from it are one with it, the most severe of them.
bool fly_past_next_break(fly_system *s, fly_break *next, double t, double end) {
  bool found = false;
  for (int k = 0; k < s->model->ndelay; k++) {
    int order;
    const fly_break b = next_of(s, k, t, &order);
    if (!(b.before < end) || (found && b.before > next->before && !is_together(&b, next)))
      continue;
    const bool together = found && is_together(&b, next);
    s->past_order = together && s->past_order < order ? s->past_order : order;
    *next = together ? (fly_break){fmin(b.before, next->before), fmax(b.after, next->after),
                                   b.kind > next->kind ? b.kind : next->kind}
                     : b;
    found = true;
  }
  return found;
}

double fly_past_longest(const fly_system *s, double h) {
  for (int k = 0; k < s->model->ndelay; k++)
    h = fmin(h, s->model->delay[k].time);
  return h;
}
