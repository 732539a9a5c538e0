// Where an expression breaks in time, and whether it holds a surprise between two times (docs/theory/control.md,
// C-breaks and C-cells).
#include <float.h>
#include <math.h>

#include "expr/compiled.h"
#include "expr/enclose.h"

static const double ROUNDINGS = 8.0;    // of the time: half the width of a break, at least
static const double SMALLEST = 1e-9;    // [s] times below it round like it
static const double WIDEST = 1e-6;      // share of the time to search: a break is not blurred more
static const double NEAR = 0.5;         // widths of an argument's rounding errors: so near to a level it is on it
static const int BUDGET = 3000;         // enclosures a search may take before it says how far it came
static const double STRAIGHT = 1.5;     // a part may be off its chord by so many times what its values show (C-cells)
static const double SAME = 1e-12;       // share of a value that is no jump
static const double GENTLE = 0.05;      // share of the largest third derivative of a curve through a table likewise
static const double STRAIGHT_ON = 1e-9; // share of its slopes by which such a jump bends it: rounding

static double rounding(double t) { return DBL_EPSILON * fmax(fabs(t), SMALLEST); }

double fly_expr_break_half(double t) { return ROUNDINGS * rounding(t); }

// ---------------------------------------------------------------------------------- what there is

static int values_of(const fly_expr *e) { return e->nconstants + e->ninputs + e->ninstructions; }

static bool has_second(fly_op op) { return op < FLY_OP_FIRST_UNARY && op != FLY_OP_NEGATE && op != FLY_OP_NOT; }

static bool is_timed(const fly_expr *e, const fly_instruction *i) {
  return e->timed[i->a] && e->timed[i->b] && (i->op != FLY_OP_SELECT || e->timed[i->c]);
}

// A value as slope time + offset; offset is not a number where it is more than that.
typedef struct line {
  double slope, offset;
} line;

static line line_of(const fly_instruction *i, const line *v) {
  const line a = v[i->a], b = v[i->b];
  switch (i->op) {
  case FLY_OP_ADD:
    return (line){a.slope + b.slope, a.offset + b.offset};
  case FLY_OP_SUBTRACT:
    return (line){a.slope - b.slope, a.offset - b.offset};
  case FLY_OP_NEGATE:
    return (line){-a.slope, -a.offset};
  case FLY_OP_MULTIPLY:
    if (a.slope == 0)
      return (line){a.offset * b.slope, a.offset * b.offset};
    return (line){a.slope * b.offset, b.slope == 0 ? a.offset * b.offset : (double)NAN};
  case FLY_OP_DIVIDE:
    return (line){a.slope / b.offset, b.slope == 0 ? a.offset / b.offset : (double)NAN};
  default:
    return (line){0, NAN};
  }
}

static void find_lines(const fly_expr *e, line *v) {
  for (int k = 0; k < e->nconstants; k++)
    v[k] = (line){0, e->constant[k]};
  for (int k = 0; k < e->ninputs; k++)
    v[e->nconstants + k] = e->input[k] == FLY_EXPR_TIME ? (line){1, 0} : (line){0, NAN};
  for (int k = 0; k < e->ninstructions; k++)
    v[e->nconstants + e->ninputs + k] = line_of(&e->instruction[k], v);
}

static void find_timed(fly_expr *e) {
  for (int k = 0; k < e->nconstants; k++)
    e->timed[k] = true;
  for (int k = 0; k < e->ninputs; k++)
    e->timed[e->nconstants + k] = e->input[k] == FLY_EXPR_TIME;
  for (int k = 0; k < e->ninstructions; k++)
    e->timed[e->nconstants + e->ninputs + k] = is_timed(e, &e->instruction[k]);
}

// The lowest derivative of a curve through a table that can jump at its points.
static int lowest_of(const fly_spline *t) { return t->hold ? 0 : t->slope || t->noise ? 2 : 1; }

// The source an operation is; false: it is smooth.
static bool source_of(const fly_expr *e, const fly_instruction *i, fly_source *s) {
  *s = (fly_source){.a = i->a, .b = -1, .unit = 1};
  const double c = i->op == FLY_OP_POWER_CONSTANT ? e->constant[i->b] : 0;
  switch (i->op) {
  case FLY_OP_LESS:
  case FLY_OP_LESS_EQUAL:
  case FLY_OP_EQUAL:
  case FLY_OP_NOT_EQUAL:
    s->b = i->b;
    return true;
  case FLY_OP_MIN:
  case FLY_OP_MAX:
    s->b = i->b;
    s->order = 1;
    return true;
  case FLY_OP_SIGN:
    return true;
  case FLY_OP_ABS:
  case FLY_OP_SQRT:
  case FLY_OP_CBRT:
    s->order = 1;
    return true;
  case FLY_OP_POWER_CONSTANT:
    s->order = c < 1 ? 1 : (int)fmin(ceil(c), 3);
    return c != floor(c);
  case FLY_OP_FLOOR:
  case FLY_OP_CEIL:
  case FLY_OP_ROUND:
    s->levels = i->op == FLY_OP_ROUND ? FLY_LEVEL_HALF : FLY_LEVEL_WHOLE;
    return true;
  case FLY_OP_MOD:
    s->levels = FLY_LEVEL_WHOLE;
    s->unit = i->b < e->nconstants ? fabs(e->constant[i->b]) : 0;
    return s->unit > 0;
  case FLY_OP_RISE3:
  case FLY_OP_RISE_SIN:
  case FLY_OP_RISE5:
    s->levels = FLY_LEVEL_ENDS;
    s->order = i->op == FLY_OP_RISE5 ? 3 : 2;
    return true;
  case FLY_OP_SPLINE:
  case FLY_OP_SPLINE_SLOPE:
    s->levels = e->table[i->c].noise ? FLY_LEVEL_WHOLE : FLY_LEVEL_KNOTS;
    s->table = i->c;
    s->order = lowest_of(&e->table[i->c]) - (i->op - FLY_OP_SPLINE);
    return true;
  case FLY_OP_ATAN2:
  case FLY_OP_HYPOT:
    s->b = i->b;
    s->levels = i->op == FLY_OP_ATAN2 ? FLY_LEVEL_CUT : FLY_LEVEL_ORIGIN;
    s->order = i->op == FLY_OP_HYPOT;
    return true;
  default:
    return false;
  }
}

static bool varies(const fly_expr *e, const fly_source *s) {
  return e->timed[s->a] && (s->b < 0 || e->timed[s->b]) && (s->a >= e->nconstants || s->b >= e->nconstants);
}

// Derivatives on both sides of knot k.
static void at_knot(const fly_spline *t, int k, double below[4], double above[4]) {
  fly_spline_evaluate(below, t, nextafter(t->x[k], -INFINITY));
  fly_spline_evaluate(above, t, t->x[k]);
}

// The largest of a derivative in the table.
static double most_of(const fly_spline *t, int order) {
  double most = 0, below[4], above[4];
  for (int k = 0; k < t->n; k++) {
    at_knot(t, k, below, above);
    most = fmax(most, fmax(fabs(below[order]), fabs(above[order])));
  }
  return most;
}

// Sources, counted or written.
static int list_sources(const fly_expr *e, const line *v, fly_source *out) {
  int n = 0;
  for (int k = 0; k < e->ninstructions; k++) {
    fly_source s;
    if (!source_of(e, &e->instruction[k], &s) || !varies(e, &s))
      continue;
    const bool one = s.levels == FLY_LEVEL_CUT || s.levels == FLY_LEVEL_ORIGIN;
    s.slope = v[s.a].slope - (s.b < 0 ? 0 : v[s.b].slope);
    s.offset = v[s.a].offset - (s.b < 0 ? 0 : v[s.b].offset);
    s.affine = !one && isfinite(s.slope) && isfinite(s.offset);
    if (s.affine && s.slope == 0)
      continue;
    if (out && s.levels == FLY_LEVEL_KNOTS)
      for (int order = 0; order < 4; order++)
        s.most[order] = most_of(&e->table[s.table], order);
    if (out)
      out[n] = s;
    n++;
  }
  return n;
}

// A value that time alone rules, used by one that it does not, or the result.
static bool is_part(const fly_expr *e, const line *v, int place) {
  if (!e->timed[place] || place < e->nconstants || !isnan(v[place].offset))
    return false;
  if (place == e->result)
    return true;
  for (int k = 0; k < e->ninstructions; k++) {
    const fly_instruction *i = &e->instruction[k];
    const bool uses =
        i->a == place || (has_second(i->op) && i->b == place) || (i->op == FLY_OP_SELECT && i->c == place);
    if (uses && !e->timed[e->nconstants + e->ninputs + k])
      return true;
  }
  return false;
}

static int list_parts(const fly_expr *e, const line *v, int *out) {
  int n = 0;
  for (int place = 0; place < values_of(e); place++)
    if (is_part(e, v, place)) {
      if (out)
        out[n] = place;
      n++;
    }
  return n;
}

bool fly_expr_find_breaks(fly_expr *e) {
  line v[FLY_EXPR_VALUES] = {{0}};
  e->timed = fly_arena_take(&e->arena, (size_t)values_of(e), sizeof *e->timed);
  if (e->arena.failed)
    return false;
  find_timed(e);
  find_lines(e, v);
  e->nsources = list_sources(e, v, NULL);
  e->nparts = list_parts(e, v, NULL);
  e->source = fly_arena_take(&e->arena, (size_t)e->nsources, sizeof *e->source);
  e->part = fly_arena_ints(&e->arena, (size_t)e->nparts);
  if (e->arena.failed)
    return false;
  list_sources(e, v, e->source);
  list_parts(e, v, e->part);
  return true;
}

int fly_expr_sources(const fly_expr *e) { return e->nsources; }
int fly_expr_parts(const fly_expr *e) { return e->nparts; }

// ---------------------------------------------------------------------------------- levels

static int knot_above(const fly_spline *s, double x) { // the first with s->x[k] >= x
  int low = 0, high = s->n;
  while (high > low) {
    const int middle = low + (high - low) / 2;
    if (s->x[middle] >= x)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Level number k; NaN: there is none.
static double level(const fly_expr *e, const fly_source *s, double k) {
  const int n = s->levels == FLY_LEVEL_KNOTS ? e->table[s->table].n : s->levels == FLY_LEVEL_ENDS ? 2 : 1;
  if (s->levels == FLY_LEVEL_WHOLE || s->levels == FLY_LEVEL_HALF)
    return (k + (s->levels == FLY_LEVEL_HALF ? 0.5 : 0)) * s->unit;
  if (!(k >= 0 && k < n))
    return NAN;
  return s->levels == FLY_LEVEL_KNOTS ? e->table[s->table].x[(int)k] : k;
}

// Number of the first level at or above x.
static double level_above(const fly_expr *e, const fly_source *s, double x) {
  switch (s->levels) {
  case FLY_LEVEL_WHOLE:
    return ceil(x / s->unit);
  case FLY_LEVEL_HALF:
    return ceil(x / s->unit - 0.5);
  case FLY_LEVEL_KNOTS:
    return knot_above(&e->table[s->table], x);
  case FLY_LEVEL_ENDS:
    return x <= 0 ? 0 : x <= 1 ? 1 : 2;
  default:
    return x <= 0 ? 0 : 1;
  }
}

static double spacing(const fly_spline *t, int k) {
  const double before = k > 0 ? t->x[k] - t->x[k - 1] : 0, behind = k + 1 < t->n ? t->x[k + 1] - t->x[k] : 0;
  return fmax(before, behind);
}

// Which derivative of a table's curve jumps at knot k: the lowest that can, by more than a share of the largest in the
// table, or, of a smooth curve, the third; -1: none.
static int bend(const fly_expr *e, const fly_source *s, int k, double least) {
  const fly_spline *t = &e->table[s->table];
  const int order = lowest_of(t);
  double below[4], above[4];
  at_knot(t, k, below, above);
  if (fabs(above[order] - below[order]) > fmax(least, SAME) * s->most[order])
    return order;
  const double jump = fabs(above[3] - below[3]), width = spacing(t, k);
  return jump > fmax(least, GENTLE) * s->most[3] && jump * width * width > STRAIGHT_ON * s->most[1] ? 3 : -1;
}

// ---------------------------------------------------------------------------------- arguments

static fly_jet argument(fly_jets *w, const fly_expr *e, const fly_source *s, double a, double b) {
  return fly_expr_enclose_difference(w, e, a, b, s->a, s->b);
}

static bool is_zero(fly_interval a) { return a.lo == 0 && a.hi == 0; }

// atan2, hypot: can both arguments be where it breaks?
static bool may_meet(fly_jets *w, const fly_expr *e, const fly_source *s, double a, double b) {
  const fly_interval first = fly_expr_enclose_difference(w, e, a, b, s->a, -1).value,
                     second = fly_expr_enclose_difference(w, e, a, b, s->b, -1).value;
  return fly_holds(first, 0) && (s->levels == FLY_LEVEL_CUT ? second.lo <= 0 : fly_holds(second, 0));
}

// Can the operation break between a and b? Not if its argument stays what it is, be that a level.
static bool may_break(fly_jets *w, const fly_expr *e, const fly_source *s, double a, double b) {
  if (s->levels == FLY_LEVEL_CUT || s->levels == FLY_LEVEL_ORIGIN)
    return may_meet(w, e, s, a, b);
  const fly_jet x = argument(w, e, s, a, b);
  if (is_zero(x.slope))
    return false;
  if (!isfinite(x.value.lo) || !isfinite(x.value.hi))
    return true;
  return level(e, s, level_above(e, s, x.value.lo)) <= x.value.hi; // false where there is no level
}

// ---------------------------------------------------------------------------------- straight lines

// Where slope t + offset meets level k; as wide as the rounding errors of its evaluation, seen by an enclosure, make
// it.
static fly_expr_break meeting(fly_jets *w, const fly_expr *e, const fly_source *s, double k, int order) {
  const double t = (level(e, s, k) - s->offset) / s->slope;
  const double blurred = fly_width(argument(w, e, s, t, t).value) / fabs(s->slope);
  const double half = fly_expr_break_half(t) + (isfinite(blurred) ? blurred : 0);
  return (fly_expr_break){t - half, t + half, order, s->levels == FLY_LEVEL_KNOTS};
}

// The order of a break at level k; negative: nothing breaks there.
static int order_at(const fly_expr *e, const fly_source *s, double k, double least) {
  if (s->levels != FLY_LEVEL_KNOTS)
    return s->order;
  const int jumps = bend(e, s, (int)k, least);
  return jumps >= 0 ? s->order + jumps - lowest_of(&e->table[s->table]) : -1;
}

static bool next_on_line(fly_jets *w, const fly_expr *e, const fly_source *s, double t, double until, double least,
                         fly_expr_break *out) {
  const double forward = s->slope > 0 ? 1 : -1, x = s->slope * t + s->offset;
  for (double k = level_above(e, s, x) - 2 * forward;; k += forward) {
    const double value = level(e, s, k);
    if (isnan(value)) {
      if (forward > 0 ? k >= 0 : k <= 0) // behind the last
        return false;
      continue;
    }
    if ((value - s->offset) / s->slope > until + 100 * rounding(until))
      return false;
    const int order = order_at(e, s, k, least);
    if (order < 0)
      continue;
    *out = meeting(w, e, s, k, order);
    if (out->after > t)
      return out->before <= until;
  }
}

// ---------------------------------------------------------------------------------- everything else

static double finest(double t) { return ROUNDINGS * rounding(t); }

// Is the argument at t as near to a level as its rounding errors, seen by an enclosure, can tell? Those of an argument
// that grazes its level blur the break: time*time - 2*time + 1 does not know its zero better than to 1e-8.
static bool is_blurred(fly_jets *w, const fly_expr *e, const fly_source *s, double t) {
  if (s->levels == FLY_LEVEL_CUT || s->levels == FLY_LEVEL_ORIGIN)
    return false;
  const fly_jet x = argument(w, e, s, t, t);
  const double more = NEAR * fly_width(x.value);
  return !is_zero(x.slope) && level(e, s, level_above(e, s, x.value.lo - more)) <= x.value.hi + more;
}

static bool is_open(fly_jets *w, const fly_expr *e, const fly_source *s, double t) {
  return is_blurred(w, e, s, t) || may_break(w, e, s, t, t + 2 * finest(t));
}

// The first time behind a, where the operation may break, at which it cannot; INFINITY: not up to `until`.
static double open_until(fly_jets *w, const fly_expr *e, const fly_source *s, double a, double until) {
  double open = a, shut = a + 2 * finest(a);
  while (is_open(w, e, s, shut)) {
    if (shut > until)
      return INFINITY;
    open = shut;
    shut = a + 2 * (shut - a);
  }
  while (shut - open > 2 * finest(shut)) {
    const double middle = open + (shut - open) / 2;
    *(is_open(w, e, s, middle) ? &open : &shut) = middle;
  }
  return shut;
}

// Where the argument, blurred at a, begins to be, behind t.
static double blurred_from(fly_jets *w, const fly_expr *e, const fly_source *s, double t, double a) {
  double clear = a - 2 * finest(a), blurred = a;
  if (!is_blurred(w, e, s, a))
    return a;
  while (clear > t && is_blurred(w, e, s, clear)) {
    blurred = clear;
    clear = a - 2 * (a - clear);
  }
  clear = fmax(clear, t);
  while (blurred - clear > 2 * finest(blurred)) {
    const double middle = clear + (blurred - clear) / 2;
    *(is_blurred(w, e, s, middle) ? &blurred : &clear) = middle;
  }
  return blurred;
}

// The break from t on that begins at a. What is blurred for longer than WIDEST is two breaks, where that begins and
// where it ends: noise decides what the operation is between them.
static bool break_at(fly_jets *w, const fly_expr *e, const fly_source *s, double t, double a, double until,
                     fly_expr_break *out) {
  const double least = finest(a), end = open_until(w, e, s, a, until);
  const bool wide = end - a > WIDEST * fmax(fabs(a), fabs(until)), met = a > t;
  if (wide && !met && end > until)
    return false;
  *out = (fly_expr_break){a - least, end + least, s->order, s->levels == FLY_LEVEL_KNOTS};
  if (wide && met)
    out->after = a + 3 * least;
  else if (wide)
    out->before = end - least;
  return true;
}

// From t on in pieces that grow while nothing can break in them and are halved where something may, down to a few
// roundings of the time or to where the argument is blurred.
static bool search(fly_jets *w, const fly_expr *e, const fly_source *s, double t, double until, fly_expr_break *out) {
  double a = t, piece = until - t;
  for (int k = 0; a < until; k++) {
    const double b = fmin(a + piece, until), least = finest(a);
    *out = (fly_expr_break){a - least, a + least, FLY_EXPR_UNSEEN, false};
    if (k > BUDGET && a > t + 4 * least)
      return true;
    if (!may_break(w, e, s, a, b)) {
      a = b;
      piece *= 2;
    } else if (b - a > 2 * least && !(a > t && is_blurred(w, e, s, a))) {
      piece = (b - a) / 2;
    } else {
      return break_at(w, e, s, t, blurred_from(w, e, s, t, a), until, out);
    }
  }
  return false;
}

static bool find_break(fly_jets *w, const fly_expr *e, const fly_source *s, double t, double until, double least,
                       fly_expr_break *out) {
  if (!(t < until))
    return false;
  return s->affine ? next_on_line(w, e, s, t, until, least, out) : search(w, e, s, t, until, out);
}

// ---------------------------------------------------------------------------------- what does not matter

// Does the expression, as far as time alone rules it, stay what it is from a to b?
static bool is_still(fly_jets *w, const fly_expr *e, double a, double b) {
  if (e->nparts == 0)
    return true;
  fly_expr_enclose_in(w, e, a, b, e->part[e->nparts - 1]);
  for (int k = 0; k < e->nparts; k++)
    if (!is_zero(w->over[e->part[k]].slope))
      return false;
  return true;
}

// The end of a stretch from a over which it does, tried in lengths that double.
static double still_until(fly_jets *w, const fly_expr *e, double a, double length, double until) {
  double b = a;
  for (; a + length < until && is_still(w, e, a, a + length); length *= 2)
    b = a + length;
  return b;
}

// Breaks at which the whole does not even move are none: if(round(1000*time) == 3333, 1, 0) has two.
bool fly_expr_next_break(const fly_expr *e, int source, double t, double until, double least, fly_expr_break *out) {
  fly_jets work, *w = &work; // of all the enclosures of a search
  while (find_break(w, e, &e->source[source], t, until, least, out)) {
    if (!is_still(w, e, out->before, out->after))
      return true;
    t = still_until(w, e, out->after, out->after - t, until);
  }
  return false;
}

// ---------------------------------------------------------------------------------- what really jumps

// How much value, slope and second derivative change over the width of a break without any: by the next derivative,
// the last by itself a little further on that side.
static void drift_beside(const fly_expr *e, double t, double width, const double y[3], double drift[3]) {
  double further[3];
  fly_expr_time(e, t + width, further);
  for (int k = 0; k < 3; k++)
    drift[k] = fmax(drift[k], k < 2 ? fabs(y[k + 1] * width) : fabs(further[2] - y[2]));
}

int fly_expr_break_order(const fly_expr *e, const fly_expr_break *at) {
  double before[3], after[3], drift[3] = {0};
  fly_jet v[FLY_EXPR_VALUES];
  fly_expr_time(e, at->before, before);
  fly_expr_time(e, at->after, after);
  drift_beside(e, at->before, at->before - at->after, before, drift);
  drift_beside(e, at->after, at->after - at->before, after, drift);
  fly_expr_enclose_between(e, at->after, at->after, e->result, v);
  const fly_jet *r = &v[e->result];
  const double blurred[3] = {fly_width(r->value), fly_width(r->slope), fly_width(r->bend)};
  for (int k = 0; k < 3; k++) {
    const double size = fmax(fabs(before[k]), fabs(after[k]));
    const double blur = isfinite(blurred[k]) ? blurred[k] : 0;
    if (fabs(after[k] - before[k]) > 1e3 * SAME * size + 8 * blur + 4 * drift[k])
      return k;
  }
  return 3;
}

// ---------------------------------------------------------------------------------- surprises

double fly_expr_part_size(const fly_expr *e, int part, double a, double b) {
  fly_jet v[FLY_EXPR_VALUES];
  const int place = e->part[part];
  fly_expr_enclose(e, a, b, place, v);
  return fly_magnitude(v[place].value);
}

// How far a part can be off its chord over h, by its second derivative or by its slopes. (Not by the range of its
// values: samples of a fast wave show all of that.)
static double off_chord(const fly_jet *part, double h) {
  return fmin(fly_magnitude(part->bend) * h * h / 8, fly_width(part->slope) * h / 4);
}

// Values at t of all that time alone rules, up to place last.
static void values_at(const fly_expr *e, double t, int last, double *v) {
  int place = 0;
  for (int k = 0; k < e->nconstants; k++)
    v[place++] = e->constant[k];
  for (int k = 0; k < e->ninputs; k++)
    v[place++] = e->input[k] == FLY_EXPR_TIME ? t : (double)NAN;
  for (int k = 0; k < e->ninstructions && place <= last; k++, place++)
    v[place] = e->timed[place] ? fly_op_value(&e->instruction[k], v, e->table) : (double)NAN;
}

// The range that values at five times show of a part.
static double shown(const fly_expr *e, int place, double a, double b) {
  double v[FLY_EXPR_VALUES], lo = INFINITY, hi = -INFINITY;
  for (int k = 0; k <= 4; k++) {
    values_at(e, k == 4 ? b : a + k * (b - a) / 4, place, v);
    lo = fmin(lo, v[place]);
    hi = fmax(hi, v[place]);
  }
  return hi - lo;
}

bool fly_expr_is_straight(const fly_expr *e, double a, double b, const double *floor) {
  fly_jet over[FLY_EXPR_VALUES];
  if (e->nparts > 0 && a < b)
    fly_expr_enclose_between(e, a, b, e->part[e->nparts - 1], over);
  for (int p = 0; p < e->nparts && a < b; p++)
    if (off_chord(&over[e->part[p]], b - a) > floor[p])
      return false;
  return true;
}

bool fly_expr_is_plain(const fly_expr *e, double a, double b, const double *floor) {
  if (e->nparts == 0 || !(a < b))
    return true;
  fly_jet over[FLY_EXPR_VALUES];
  fly_expr_enclose_between(e, a, b, e->part[e->nparts - 1], over);
  for (int p = 0; p < e->nparts; p++) {
    const double off = off_chord(&over[e->part[p]], b - a);
    if (off > floor[p] && off > STRAIGHT * shown(e, e->part[p], a, b) + floor[p])
      return false;
  }
  return true;
}
