// What forces do inside a step: each term of theirs that can lurk is followed along the motion of the step, in cells
// over which five points tell what it does. Where it does something that the ends of the step do not tell of, and that
// matters, the step has leapt over it (docs/theory/control.md, C-leaps).
#include <float.h>
#include <math.h>
#include <string.h>

#include "system/cells.h"
#include "system/parts.h"

static const double ROUGH =
    0.3; // of the range that the ends tell of: off by more is a surprise, if that over the step matters
static const double TELLS = 0.1;     // of that range: what a cell may hide,
static const double NOTHING = 0.1;   // of such an impulse: likewise
static const double NOISE = 1e-9;    // of a value: no surprise
static const double NEAR = 1.0 / 64; // of the step: where the slopes at its ends are taken
static const double FEWEST = 64;     // roundings of the time: no cell is shorter
enum { DEPTH = FLY_CELL_DEPTH, CELLS = 4000, SAMPLES = FLY_EXPR_SAMPLES };

// ------------------------------------------------------------------------------------------ which terms

static void note(fly_system *s, int applied, int state, int row, int expression) {
  int place[FLY_EXPR_TERMS];
  const fly_expr *e = s->model->expression[expression];
  const bool late = fly_trace_reads_delay(s->model, e, s->sudden);
  const int n = fly_expr_lurking_beside(e, s->sudden, place);
  for (int k = 0; s->lurking && k < n; k++)
    s->lurking[s->nlurking + k] =
        (fly_lurking){.expression = e, .place = place[k], .applied = applied, .state = state, .row = row, .late = late};
  s->nlurking += n;
}

static void note_all(fly_system *s) {
  const fly_model *m = s->model;
  s->nlurking = 0;
  for (int k = 0; k < m->napplied; k++)
    for (int c = 0; c < 6; c++)
      // friction acts wherever its joint is loaded, but for a bell over the speed, which a step to rest may leap over
      if (m->applied[k].expression[c] >= 0 && (!m->applied[k].rubs || m->applied[k].bell))
        note(s, k, -1, -1, m->applied[k].expression[c]);
  for (int k = 0; k < m->nstate; k++)
    if (!m->state[k].part)
      note(s, -1, k, -1, m->state[k].rate);
  for (int k = 0; k < s->weights.count; k++)
    note(s, -1, -1, k, m->output[s->weights.output[k]].expression);
}

bool fly_system_find_lurking(fly_system *s) {
  s->lurking = NULL;
  if (!fly_system_find_weights(s))
    return false;
  note_all(s);
  if (s->nlurking == 0)
    return true;
  s->lurking = fly_arena_take(&s->memory, (size_t)s->nlurking, sizeof *s->lurking);
  if (s->memory.failed)
    return false;
  note_all(s);
  return fly_cells_take(s);
}

const char *fly_system_hidden_force(const fly_system *s) {
  if (s->nlurking == 0)
    return fly_system_hidden_condition(s);
  const fly_model *m = s->model;
  const fly_lurking *l = &s->lurking[0];
  return m->spec
      ->item[l->applied >= 0 ? m->applied[l->applied].item
             : l->state >= 0 ? m->state[l->state].item
                             : m->output[s->weights.output[l->row]].item]
      .name;
}

// ------------------------------------------------------------------------------------------ the motion of the step

typedef struct walk {
  fly_system *s;
  const fly_step_taken *step;
  const fly_lurking *of;
  double h, impulse;       // of the step; that matters to the bodies it acts on
  double end[2], slope[2]; // its values at the ends of the step, and its slopes there times h
  double lo, hi;           // of the curve these tell of
  double good;             // up to here it does as they tell
  bool closely;            // whatever matters is a surprise, be it little beside what the ends tell of
  int cells;
  fly_leap leap;
} walk;

// The five points of the whole step, and one near each end.
static void sample_step(walk *w) {
  const double a = w->step->from, b = w->step->to;
  fly_cell_whole(w->s, w->step);
  fly_cell_sample(w->s, w->step, a + NEAR * w->h, fly_cell_at(w->s, 0, -2));
  fly_cell_sample(w->s, w->step, b - NEAR * w->h, fly_cell_at(w->s, 0, -1));
}

// ------------------------------------------------------------------------------------------ one term

double fly_system_smallest_impulse(const fly_system *s, int applied, const double *impulse) {
  const fly_model *m = s->model;
  double smallest = INFINITY;
  for (int k = 0; k < 2; k++) {
    const int marker = m->applied[applied].marker[k], body = marker < 0 ? FLY_GROUND : m->marker[marker].body;
    for (int i = 0; body != FLY_GROUND && i < m->body[body].columns; i++)
      smallest = fmin(smallest, impulse[m->body[body].iv + i]);
  }
  return smallest;
}

static double impulse_of(const walk *w, const fly_lurking *l) {
  return l->applied >= 0 ? fly_system_smallest_impulse(w->s, l->applied, w->step->impulse)
         : l->state >= 0 ? w->step->change[l->state]
                         : 1 / w->s->weights.largest[l->row];
}

static double value_of(const fly_lurking *l, const double *input) {
  return fly_expr_term(l->expression, l->place, input);
}

static double told(const walk *w, double t) {
  const double r = (t - w->step->from) / w->h, q = 1 - r;
  return w->end[0] * q * q * (1 + 2 * r) + w->end[1] * r * r * (1 + 2 * q) + w->slope[0] * r * q * q -
         w->slope[1] * r * r * q;
}

// Hermite's cubic from the values at the ends and near them, and what it ranges over.
static void begin(walk *w, const fly_lurking *l) {
  const fly_system *s = w->s;
  w->of = l;
  w->impulse = impulse_of(w, l);
  w->good = w->step->from;
  w->cells = 0;
  w->end[0] = value_of(l, fly_cell_at(s, 0, 0));
  w->end[1] = value_of(l, fly_cell_at(s, 0, SAMPLES - 1));
  w->slope[0] = (value_of(l, fly_cell_at(s, 0, -2)) - w->end[0]) / NEAR;
  w->slope[1] = (w->end[1] - value_of(l, fly_cell_at(s, 0, -1))) / NEAR;
  w->lo = INFINITY;
  w->hi = -INFINITY;
  for (int k = 0; k <= 8; k++) {
    const double value = told(w, w->step->from + w->h * k / 8);
    w->lo = fmin(w->lo, value);
    w->hi = fmax(w->hi, value);
  }
}

static bool surprises(const walk *w, double t, double value) {
  const double curve = told(w, t), off = fabs(value - curve), usual = w->closely ? 0 : ROUGH * (w->hi - w->lo);
  return off > usual + NOISE * fmax(fabs(value), fabs(curve)) && off * w->h > w->impulse;
}

// Five values over a cell that tell what happens in it, in order.
static void judge(walk *w, double a, double b, const double *value) {
  for (int k = 1; k < SAMPLES && !w->leap.found; k++) {
    const double t = fly_cell_time(a, b, k);
    if (surprises(w, t, value[k]))
      w->leap = (fly_leap){.from = w->good, .length = t - w->good, .found = true, .unsure = w->leap.unsure};
    else
      w->good = t;
  }
}

static void follow(walk *w, int level, double a, double b) {
  const double *input[SAMPLES];
  double value[SAMPLES];
  const double length = b - a, shortest = FEWEST * DBL_EPSILON * fmax(fabs(a), fabs(b));
  for (int k = 0; k < SAMPLES; k++)
    input[k] = fly_cell_at(w->s, level, k);
  w->cells++;
  const double allowed = (w->closely ? 0 : TELLS * (w->hi - w->lo)) + NOTHING * w->impulse / length;
  const bool seen = !w->of->late || fly_past_resolves(w->s, a, b);
  const bool tells = fly_expr_along(w->of->expression, w->of->place, input, length, allowed, value) && seen;
  if (tells || level == DEPTH || length < shortest || w->cells > CELLS) {
    w->leap.unsure = w->leap.unsure || w->cells > CELLS;
    judge(w, a, b, value);
    return;
  }
  const double middle = fly_cell_time(a, b, SAMPLES / 2);
  fly_cell_half(w->s, w->step, level + 1, 0, a, middle);
  follow(w, level + 1, a, middle);
  if (w->leap.found)
    return;
  fly_cell_half(w->s, w->step, level + 1, 1, middle, b);
  follow(w, level + 1, middle, b);
}

// Where there is a surprise, the step is right up to the first place where anything is otherwise than it took it to be.
static void find(walk *w, const fly_lurking *l) {
  w->leap = (fly_leap){0};
  begin(w, l);
  w->closely = false;
  follow(w, 0, w->step->from, w->step->to);
  if (!w->leap.found)
    return;
  const double until = w->leap.from + w->leap.length;
  w->leap = (fly_leap){0};
  begin(w, l);
  w->closely = true;
  follow(w, 0, w->step->from, w->step->to);
  if (!w->leap.found || w->leap.unsure)
    w->leap = (fly_leap){.from = w->step->from, .length = (until - w->step->from) / 4, .found = true};
}

static void find_terms(fly_system *s, const fly_step_taken *step, fly_leap *first) {
  walk w = {.s = s, .step = step, .h = step->to - step->from};
  sample_step(&w);
  if (s->lurking[s->nlurking - 1].row >= 0) { // rows come last
    fly_system_weigh_rows(s, fly_cell_at(s, 0, 0), SAMPLES, step);
    first->unsure = first->unsure || s->weights.unsure;
  }
  for (int k = 0; k < s->nlurking; k++) {
    find(&w, &s->lurking[k]);
    if (w.leap.found && (!first->found || w.leap.from < first->from))
      *first = (fly_leap){.from = w.leap.from, .length = w.leap.length, .found = true, .unsure = first->unsure};
    first->unsure = first->unsure || w.leap.unsure;
  }
}

// The earliest of all.
void fly_system_leap(fly_leap *first, const fly_step_taken *step, void *system) {
  fly_system *s = system;
  first->unsure = s->past_unsure;
  s->past_unsure = false;
  if (s->nlurking > 0)
    find_terms(s, step, first);
  fly_system_near_leap(s, step, first);
  fly_system_gap_leap(s, step, first);
  fly_system_length_leap(s, step, first);
}
