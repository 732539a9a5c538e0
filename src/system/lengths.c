// Sizes of vectors in forces and in rates of states, as |F| of the reaction of a joint that rubs: each has a corner
// where its vector passes through zero, and beside it a bend, as sharp as it comes close. A step ends at a corner, and
// steps are short around a bend that matters (docs/theory/control.md, C-lengths).
#include <math.h>

#include "expr/expr.h"
#include "system/parts.h"

static const double SHARP = 0.25;  // of the step: the width of a bend that it does not resolve
static const double NOTHING = 0.1; // of an impulse that matters: what a corner or a bend may do unseen
static const double BEGUN = 0.01;  // of the step: a corner so soon behind its start does nothing to it
static const double GOLDEN = 0.6180339887498949;
enum { SEARCH = 42, POINTS = 3 }; // 0.618^42 = 1.7e-9

// ------------------------------------------------------------------------------------------ which

static bool is_size(const fly_model_measure *m) {
  if (m->signal || (!m->felt && m->output < 0))
    return false;
  return m->joint >= 0 ? fly_reaction_is_size((fly_reaction_kind)m->kind)
                       : fly_measure_is_size((fly_measure_kind)m->kind);
}

static void note(fly_system *s, int applied, int state, int expression) {
  const int n = expression < 0 ? 0 : fly_expr_lengths(s->model->expression[expression], s->is_size);
  for (int k = 0; s->length && k < n; k++)
    s->length[s->nlength + k] = (fly_length){s->model->expression[expression], k, n, applied, state};
  s->nlength += n;
}

static void note_all(fly_system *s) {
  const fly_model *m = s->model;
  s->nlength = 0;
  for (int k = 0; k < m->napplied; k++)
    for (int c = 0; c < FLY_LOAD_COMPONENTS; c++)
      note(s, k, -1, m->applied[k].expression[c]);
  for (int k = 0; k < m->nstate; k++)
    note(s, -1, k, m->state[k].rate);
}

bool fly_system_find_lengths(fly_system *s) {
  const fly_model *m = s->model;
  s->length = NULL;
  s->is_size = fly_arena_take(&s->memory, (size_t)(1 + m->nmeasure), sizeof *s->is_size);
  if (s->memory.failed)
    return false;
  for (int k = 0; k < m->nmeasure; k++)
    s->is_size[1 + k] = is_size(&m->measure[k]);
  note_all(s);
  if (s->nlength == 0)
    return true;
  s->length = fly_arena_take(&s->memory, (size_t)s->nlength, sizeof *s->length);
  for (int k = 0; k <= POINTS; k++)
    s->length_at[k] = fly_arena_doubles(&s->work, (size_t)s->nlength);
  if (s->memory.failed || s->work.failed)
    return false;
  note_all(s);
  return true;
}

// ------------------------------------------------------------------------------------------ one of them

// A length l inside a step, by the parabola through its squares at its ends and in the middle:
//
//   l^2 = least^2 + slope^2 (r - at)^2,  r from 0 to 1;   width = least/slope                          (C-lengths)
typedef struct bend {
  double at, width, slope;
} bend;

static bool has_bend(double a, double m, double b, bend *out) {
  const double first = a * a, middle = m * m, last = b * b;
  const double square = 2 * (first - 2 * middle + last), down = 3 * first - 4 * middle + last;
  if (!(square > 0))
    return false;
  out->slope = sqrt(square);
  out->at = down / (2 * square);
  out->width = sqrt(fmax(first - down * out->at / 2, 0)) / out->slope;
  return out->at > 0 && out->at < 1 && out->width < 2 * SHARP;
}

// The inputs of expressions at a part r of the step.
static const double *look(fly_system *s, const fly_step_taken *step, double r) {
  const fly_dae_state at = step->at(step->from + r * (step->to - step->from), step->motion);
  return fly_system_felt(s, &at);
}

static double value_at(fly_system *s, const fly_step_taken *step, const fly_length *l, double r) {
  double *all = s->length_at[POINTS];
  fly_expr_length_values(l->expression, s->is_size, look(s, step, r), all);
  return all[l->which];
}

// Where it is shortest, up to a quarter of the step beside where the parabola is.
static void refine(fly_system *s, const fly_step_taken *step, const fly_length *l, bend *b) {
  double from = fmax(b->at - 0.25, 0), to = fmin(b->at + 0.25, 1);
  double r[2] = {to - GOLDEN * (to - from), from + GOLDEN * (to - from)};
  double value[2] = {value_at(s, step, l, r[0]), value_at(s, step, l, r[1])};
  for (int k = 0; k < SEARCH; k++) {
    const int lower = value[1] < value[0], upper = 1 - lower;
    *(lower ? &from : &to) = r[upper];
    r[upper] = r[lower];
    value[upper] = value[lower];
    r[lower] = lower ? from + GOLDEN * (to - from) : to - GOLDEN * (to - from);
    value[lower] = value_at(s, step, l, r[lower]);
  }
  b->at = (from + to) / 2;
  b->width = fmin(value[0], value[1]) / b->slope;
}

// What it would do if the step went on straight through its corner, over what matters.
static double weight_of(fly_system *s, const fly_step_taken *step, const fly_length *l, const bend *b) {
  const double h = step->to - step->from;
  const double matters =
      l->applied >= 0 ? fly_system_smallest_impulse(s, l->applied, step->impulse) : step->change[l->state];
  const double *input = look(s, step, b->at > 0.5 ? 0.0 : 1.0); // far from the corner, where slopes are undefined
  return fabs(fly_expr_length_slope(l->expression, s->is_size, l->which, input)) * b->slope * h / matters;
}

// ------------------------------------------------------------------------------------------ all of them

static void look_through(fly_system *s, const fly_step_taken *step) {
  for (int p = 0; p < POINTS; p++) {
    const double *input = look(s, step, 0.5 * p);
    for (int k = 0; k < s->nlength; k += s->length[k].of)
      fly_expr_length_values(s->length[k].expression, s->is_size, input, s->length_at[p] + k);
  }
}

// A step ends at a corner. It comes to a bend in steps as long as that is wide, which become longer behind it.
static void judge(fly_system *s, const fly_step_taken *step, const fly_length *l, bend *b, fly_leap *first) {
  const double h = step->to - step->from, weight = weight_of(s, step, l, b);
  if (!(weight > NOTHING))
    return;
  refine(s, step, l, b);
  const bool corner = weight * b->width * b->width < NOTHING;
  if (!(b->width < SHARP) || (corner && b->at < BEGUN))
    return;
  const double from = step->from + h * (corner ? b->at : b->at - 2 * b->width);
  if (!first->found || from < first->from)
    *first = (fly_leap){.from = from, .length = b->width * h, .found = true, .unsure = first->unsure, .corner = corner};
}

void fly_system_length_leap(fly_system *s, const fly_step_taken *step, fly_leap *first) {
  if (s->nlength == 0 || first->found)
    return;
  look_through(s, step);
  for (int k = 0; k < s->nlength; k++) {
    const fly_length *l = &s->length[k];
    bend b;
    if (has_bend(s->length_at[0][k], s->length_at[1][k], s->length_at[2][k], &b) &&
        (l->applied < 0 || fly_system_is_on(s, s->model->applied[l->applied].item)))
      judge(s, step, l, &b, first);
  }
}
