// What the input of a delay does inside a step: it is followed along the motion of the step in cells over which five
// points tell what it does, so that nothing short in it is lost, and times at which it changes sides (a comparison, a
// clamp) are located. The steps themselves do not feel it (docs/theory/signals.md, section 5).
#include <float.h>
#include <math.h>
#include <string.h>

#include "expr/expr.h"
#include "system/parts.h"

static const double TELLS = 1e-3; // of the range of the input: what a cell may hide
static const double ROUNDED = 64; // roundings: of a value no difference, of the time no distance
enum { SAMPLES = FLY_EXPR_SAMPLES, FIRST_DEPTH = 6, DEEPER = 8, DEPTH = 30, CELLS = 4000 };
enum { AGAIN = 8 };                    // changes of sides between two points that are looked for
enum { MOST = (SAMPLES + 1) * CELLS }; // points of a step
enum { LEVELS = DEPTH + 2 };           // the last has the input between two points

void fly_trace_take(fly_system *s) {
  const bool any = s->model->ndelay > 0;
  s->trace = fly_arena_take(&s->work, any ? MOST : 0, sizeof *s->trace);
  s->trace_input = fly_arena_doubles(&s->work, any ? (size_t)(SAMPLES * LEVELS) * (size_t)(1 + s->model->nmeasure) : 0);
  int most = 0;
  for (int k = 0; k < s->model->ndelay; k++) {
    const int n = fly_expr_relations(s->model->expression[s->model->delay[k].expression]);
    most = n > most ? n : most;
  }
  s->trace_margin = fly_arena_doubles(&s->work, 2 * (size_t)most);
}

typedef struct walk {
  fly_system *s;
  const fly_step_taken *step;
  const fly_expr *e;
  fly_range *range;                // of its values so far
  int nterm, term[FLY_EXPR_TERMS]; // of it that can lurk
  int depth, cells;
  bool late, deep, full; // it reads another delay; cells were as short as allowed; as many as allowed
} walk;

static double *input_at(const walk *w, int level, int k) {
  return w->s->trace_input + (size_t)(SAMPLES * level + k) * (size_t)(1 + w->s->model->nmeasure);
}

static const double *look(const walk *w, double t) {
  const fly_dae_state at = w->step->at(t, w->step->motion);
  return fly_system_felt(w->s, &at);
}

static void keep_input(const walk *w, double t, double *out) {
  memcpy(out, look(w, t), (size_t)(1 + w->s->model->nmeasure) * sizeof *out);
}

static double time_of(double a, double b, int k) { return k == SAMPLES - 1 ? b : a + (b - a) * k / (SAMPLES - 1); }

// ------------------------------------------------------------------------------------------ points

static void add(walk *w, double t, double value, bool turns) {
  fly_system *s = w->s;
  if (s->ntrace == MOST) {
    w->full = true;
    return;
  }
  s->trace[s->ntrace++] = (fly_trace_point){t, value, turns};
  if (isfinite(value)) {
    w->range->lo = fmin(w->range->lo, value);
    w->range->hi = fmax(w->range->hi, value);
  }
}

// On which side each relation is; one at its edge, or that is not felt, is on none.
static bool same_sides(const walk *w, const double *one, const double *other) {
  const int n = fly_expr_relations(w->e);
  double *a = w->s->trace_margin, *b = a + n;
  bool same = true;
  if (n == 0)
    return true;
  fly_expr_relation_margins(w->e, one, NULL, a);
  fly_expr_relation_margins(w->e, other, NULL, b);
  for (int k = 0; k < n; k++)
    same = same && !(a[k] * b[k] < 0);
  return same;
}

// The first change of sides behind a, by bisection: it lies at *b then, to the last bits. `left`: the input at a.
static void locate(walk *w, double a, double *b, const double *left) {
  while (*b - a > 2 * DBL_EPSILON * fmax(fabs(a), fabs(*b))) {
    const double middle = a + (*b - a) / 2;
    if (!(middle > a && middle < *b))
      return;
    if (same_sides(w, left, look(w, middle)))
      a = middle;
    else
      *b = middle;
  }
}

static void add_turns(walk *w, double a, double b, const double *left, const double *right) {
  double *here = input_at(w, LEVELS - 1, 0);
  for (int k = 0; k < AGAIN && !same_sides(w, left, right); k++) {
    double t = b;
    locate(w, a, &t, left);
    add(w, t, NAN, true);
    if (!(t < b))
      return;
    keep_input(w, t, here);
    left = here;
    a = t;
  }
}

static void add_cell(walk *w, int level, double a, double b) {
  for (int k = 0; k < SAMPLES - 1; k++) {
    const double *left = input_at(w, level, k), *right = input_at(w, level, k + 1);
    add(w, time_of(a, b, k), fly_expr_value(w->e, left), false);
    add_turns(w, time_of(a, b, k), time_of(a, b, k + 1), left, right);
  }
}

// ------------------------------------------------------------------------------------------ cells

static bool tells(const walk *w, int level, double a, double b) {
  const double *input[SAMPLES];
  double value[SAMPLES], size = 0;
  for (int k = 0; k < SAMPLES; k++)
    size = fmax(size, fabs(fly_expr_value(w->e, input[k] = input_at(w, level, k))));
  const double width = w->range->hi > w->range->lo ? w->range->hi - w->range->lo : 0;
  const double allowed = TELLS * width + ROUNDED * DBL_EPSILON * size;
  if (w->late && !fly_past_resolves(w->s, a, b))
    return false;
  for (int k = 0; k < w->nterm; k++)
    if (!fly_expr_along(w->e, w->term[k], input, b - a, allowed, value))
      return false;
  return true;
}

static void follow(walk *w, int level, double a, double b) {
  const double shortest = ROUNDED * DBL_EPSILON * fmax(fabs(a), fabs(b));
  const size_t size = (size_t)(1 + w->s->model->nmeasure) * sizeof(double);
  w->full = w->full || ++w->cells > CELLS;
  const bool told = tells(w, level, a, b);
  if (told || level == w->depth || b - a < shortest || w->full) {
    w->deep = w->deep || (!told && level == w->depth);
    add_cell(w, level, a, b);
    return;
  }
  const double middle = time_of(a, b, SAMPLES / 2);
  for (int half = 0; half < 2; half++) {
    const double from = half ? middle : a, to = half ? b : middle;
    for (int k = 0; k < SAMPLES; k += 2)
      memcpy(input_at(w, level + 1, k), input_at(w, level, 2 * half + k / 2), size);
    for (int k = 1; k < SAMPLES; k += 2)
      keep_input(w, time_of(from, to, k), input_at(w, level + 1, k));
    follow(w, level + 1, from, to);
  }
}

bool fly_trace_reads_delay(const fly_model *m, const fly_expr *e, bool *which) {
  int count;
  const int *input = fly_expr_inputs(e, &count);
  bool any = false;
  for (int k = 0; k < count; k++) {
    which[k] = input[k] != FLY_EXPR_TIME && m->measure[input[k] - 1].signal == FLY_SIGNAL_DELAY;
    any = any || which[k];
  }
  return any;
}

// Deeper and deeper: how large the input becomes is known before its feet are looked at closely.
bool fly_trace_step(fly_system *s, int delay, const fly_step_taken *step, fly_range *range) {
  const fly_expr *e = s->model->expression[s->model->delay[delay].expression];
  walk w = {.s = s, .step = step, .e = e, .range = range, .late = fly_trace_reads_delay(s->model, e, s->sudden)};
  s->ntrace = 0;
  w.nterm = fly_expr_lurking(e, w.term);
  if (w.nterm == 0 && !w.late && fly_expr_relations(e) == 0)
    return true;
  for (w.depth = FIRST_DEPTH, w.deep = true; w.deep && w.depth <= DEPTH; w.depth += DEEPER) {
    w.deep = w.full = false;
    w.cells = s->ntrace = 0;
    for (int k = 0; k < SAMPLES; k++)
      keep_input(&w, time_of(step->from, step->to, k), input_at(&w, 0, k));
    follow(&w, 0, step->from, step->to);
  }
  return !w.full;
}
