// Forces, rates of states and variables that jump near a point of the motion. Where a motion stays at a jump, as a
// block that dry friction has stopped, no step is small enough: v' has no value there.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/so3.h"
#include "system/system.h"

static const double MOST = 1e150; // beyond all measure: squares of it are taken
static const double SOON = 1e-4;  // of the time so far, in which a value that grows without bound has doubled
static const double FASTER = 20;  // than what it depends on: such a value has a pole
static const double LEAST = 1e-3; // a jump is at least this part of the values on its sides

// How far to look along the motion, in steps.
static const double REACH[] = {1, -1, 4, -4, 16, -16, 64, -64};
enum { PLACES = sizeof REACH / sizeof *REACH };

typedef struct search {
  fly_system *s;
  fly_dae_state here, there;
  double *q, *v, *x;   // there (nq), (nv), (nstate)
  double *delta;       // from here (nv)
  double *one, *other; // inputs here and there (1 + nmeasure)
  fly_jump *best;
} search;

// q (+) h v, v + h v', x + h x'
static void go(search *w, double h) {
  const fly_dae_problem *p = &w->s->dae;
  const fly_model *m = w->s->model;
  for (int i = 0; i < p->nv; i++) {
    w->delta[i] = h * w->here.v[i];
    w->v[i] = w->here.v[i] + h * w->here.vdot[i];
  }
  for (int i = 0; i < p->nx; i++)
    w->x[i] = w->here.x[i] + h * w->here.xdot[i];
  memcpy(w->q, w->here.q, (size_t)p->nq * sizeof *w->q);
  for (int b = 0; b < m->nbody; b++) {
    const fly_body *body = &m->body[b];
    const fly_body_type *type = body->type;
    for (int i = 0, q = 0; i < body->columns; i++, q++) {
      if (i == type->turn_v) { // moved below
        i += 2;
        q += 3;
        continue;
      }
      w->q[body->iq + q] += w->delta[body->iv + i];
    }
    if (type->turn_q >= 0)
      fly_quat_plus(w->q + body->iq + type->turn_q, w->here.q + body->iq + type->turn_q,
                    w->delta + body->iv + type->turn_v);
  }
  w->there.t = w->here.t + h;
}

static void try_expression(search *w, int item, const char *parameter, int component, int expression) {
  const fly_expr *e = w->s->model->expression[expression];
  int offset;
  if (!fly_expr_switch(e, w->one, w->other, &offset))
    return;
  const double a = fly_expr_value(e, w->one), b = fly_expr_value(e, w->other), jump = fabs(b - a);
  if (!(jump > LEAST * (fabs(a) + fabs(b))) || (w->best->found && jump <= fabs(w->best->to - w->best->from)))
    return;
  *w->best = (fly_jump){true, item, component, offset, parameter, a, b};
}

static void try_loads(search *w) {
  const fly_model *m = w->s->model;
  for (int k = 0; k < m->napplied; k++) {
    const fly_model_applied *a = &m->applied[k];
    for (int c = 0; c < FLY_LOAD_COMPONENTS; c++)
      if (a->expression[c] >= 0)
        try_expression(w, a->item, a->type->parameter[c], a->type->place[c], a->expression[c]);
  }
}

static void try_signals(search *w) {
  const fly_model *m = w->s->model;
  for (int k = 0; k < m->nstate; k++)
    try_expression(w, m->state[k].item, "rate", 0, m->state[k].rate);
  for (int k = 0; k < m->noutput; k++)
    if (m->output[k].row)
      try_expression(w, m->output[k].item, "value", 0, m->output[k].expression);
}

static void look(search *w, double h) {
  const size_t inputs = (size_t)(1 + w->s->model->nmeasure) * sizeof(double);
  memcpy(w->one, fly_system_felt(w->s, &w->here), inputs);
  for (int k = 0; k < PLACES && !w->best->found; k++) { // the nearest
    go(w, h * REACH[k]);
    memcpy(w->other, fly_system_felt(w->s, &w->there), inputs);
    try_loads(w);
    try_signals(w);
  }
}

static search begin(fly_system *s, const fly_dae_state *at, fly_arena *work) {
  const fly_model *m = s->model;
  search w = {.s = s, .here = *at, .there = *at};
  w.q = fly_arena_doubles(work, (size_t)m->nq);
  w.v = fly_arena_doubles(work, (size_t)m->nv);
  w.x = fly_arena_doubles(work, (size_t)m->nstate);
  w.delta = fly_arena_doubles(work, (size_t)m->nv);
  w.one = fly_arena_doubles(work, 1 + (size_t)m->nmeasure);
  w.other = fly_arena_doubles(work, 1 + (size_t)m->nmeasure);
  w.there.q = w.q;
  w.there.v = w.v;
  w.there.x = w.x;
  return w;
}

static bool has_expressions(const fly_model *m) { return m->napplied > 0 || m->nstate + m->ny > 0; }

bool fly_system_jump(fly_system *s, const fly_dae_state *at, double h, fly_jump *out) {
  fly_arena work = {0};
  search w = begin(s, at, &work);
  *out = (fly_jump){0};
  w.best = out;
  if (!work.failed && has_expressions(s->model))
    look(&w, h);
  fly_arena_free(&work);
  return out->found;
}

// ------------------------------------------------------------------------------------------ what is no number

// An expression that has no value, or no slope, there.
static void try_odd(search *w, int item, const char *parameter, int component, int expression, fly_odd *out) {
  const fly_expr *e = w->s->model->expression[expression];
  double value, *gradient = w->s->gradient;
  int n;
  fly_expr_inputs(e, &n);
  fly_expr_gradient(e, w->other, &value, gradient);
  bool odd = !(fabs(value) <= MOST);
  for (int k = 0; k < n && !odd; k++)
    odd = !isfinite(gradient[k]);
  if (odd && !out->found)
    *out = (fly_odd){true, item, component, parameter, value, w->there.t};
}

static void try_odd_load(search *w, const fly_model_applied *a, fly_odd *out) {
  for (int c = 0; c < FLY_LOAD_COMPONENTS; c++)
    if (a->expression[c] >= 0)
      try_odd(w, a->item, a->type->parameter[c], a->type->place[c], a->expression[c], out);
}

// A condition of an event that can be neither true nor false there.
static void try_odd_condition(search *w, const fly_model_event *event, fly_odd *out) {
  const double margin = fly_expr_margin(w->s->model->expression[event->when], w->other);
  if (!event->part && !isfinite(margin) && !out->found)
    *out = (fly_odd){true, event->item, 0, "when", margin, w->there.t};
}

static void look_for_odd(search *w, double h, fly_odd *out) {
  const fly_model *m = w->s->model;
  go(w, h);
  memcpy(w->other, fly_system_felt(w->s, &w->there), (size_t)(1 + m->nmeasure) * sizeof(double));
  for (int k = 0; k < m->napplied; k++)
    try_odd_load(w, &m->applied[k], out);
  for (int k = 0; k < m->nstate; k++)
    try_odd(w, m->state[k].item, "rate", 0, m->state[k].rate, out);
  for (int k = 0; k < m->noutput; k++)
    if (m->output[k].row)
      try_odd(w, m->output[k].item, "value", 0, m->output[k].expression, out);
  for (int k = 0; k < m->nroot; k++)
    try_odd_condition(w, &m->event[k], out);
}

// Here, and ahead in distances that double.
bool fly_system_odd(fly_system *s, const fly_dae_state *at, double longest, fly_odd *out) {
  fly_arena work = {0};
  search w = begin(s, at, &work);
  const bool able = !work.failed && (has_expressions(s->model) || s->model->nroot > 0);
  *out = (fly_odd){0};
  if (able)
    look_for_odd(&w, 0, out);
  for (double h = 1e-16 * (fabs(at->t) + longest); able && longest > 0 && h <= 2 * longest && !out->found; h *= 2)
    look_for_odd(&w, h, out);
  fly_arena_free(&work);
  return out->found;
}

// ------------------------------------------------------------------------------------------ what grows

// Beyond a half more it is no rate: the step was too long.
static double growth_of(double here, double there, double h) {
  const double more = here != 0 ? there / here - 1 : 0;
  return more > 0 && more < 0.5 ? more / h : 0;
}

// Of what it depends on: a force that grows with the motion is not to blame by itself.
static double growth_of_inputs(const search *w, const fly_expr *e, double h) {
  int count;
  double most = 0;
  const int *input = fly_expr_inputs(e, &count);
  for (int k = 0; k < count; k++)
    most = fmax(most, growth_of(w->one[input[k]], w->other[input[k]], h));
  return most;
}

// How many times as large it becomes in each second, along the motion: one as large as 1/(t1 - t) has as many as that.
static void try_growth(search *w, int item, const char *parameter, int component, int expression, double h,
                       fly_growth *out) {
  const fly_expr *e = w->s->model->expression[expression];
  const double here = fly_expr_value(e, w->one), rate = growth_of(here, fly_expr_value(e, w->other), h);
  if (!(rate > FASTER * growth_of_inputs(w, e, h)))
    return;
  if (rate > out->rate)
    *out = (fly_growth){item, component, parameter, here, rate};
}

// Variables come first: what they are put into grows with them.
static void try_all_growths(search *w, double h, fly_growth *out) {
  const fly_model *m = w->s->model;
  for (int k = 0; k < m->noutput; k++)
    if (m->output[k].expression >= 0 && m->output[k].measure >= 0)
      try_growth(w, m->output[k].item, "value", 0, m->output[k].expression, h, out);
  for (int k = 0; k < m->napplied; k++) {
    const fly_model_applied *a = &m->applied[k];
    for (int c = 0; c < FLY_LOAD_COMPONENTS; c++)
      if (a->expression[c] >= 0)
        try_growth(w, a->item, a->type->parameter[c], a->type->place[c], a->expression[c], h, out);
  }
  for (int k = 0; k < m->nstate; k++)
    if (!m->state[k].part)
      try_growth(w, m->state[k].item, "rate", 0, m->state[k].rate, h, out);
}

// Over stretches from far to near: of those that are short enough the longest is the best.
bool fly_system_growth(fly_system *s, const fly_dae_state *at, fly_growth *out) {
  fly_arena work = {0};
  search w = begin(s, at, &work);
  const size_t inputs = (size_t)(1 + s->model->nmeasure) * sizeof(double);
  const double soon = SOON * fabs(at->t);
  const bool able = !work.failed && has_expressions(s->model);
  *out = (fly_growth){0};
  for (double h = 0.1 * soon; able && h > 1e-10 * soon && !(out->rate * soon > 1); h *= 0.1) {
    memcpy(w.one, fly_system_felt(s, &w.here), inputs);
    go(&w, h);
    memcpy(w.other, fly_system_felt(s, &w.there), inputs);
    try_all_growths(&w, h, out);
  }
  fly_arena_free(&work);
  return out->rate * soon > 1;
}

// ------------------------------------------------------------------------------------------ where it is written

// Line and column of an offset in the text of a file.
static void count_lines(fly_place *place, const char *text, const char *at) {
  place->line = place->column = 1;
  for (; text < at; text++) {
    place->column = *text == '\n' ? 1 : place->column + ((*text & 0xC0) != 0x80);
    place->line += *text == '\n';
  }
}

// The expression as it stands in its file, behind the place of its value; what a repetition made stands there
// otherwise.
static bool find_text(fly_place *place, const fly_spec *spec, const char *expression, int offset) {
  for (int k = 0; k < spec->nsource && place->file; k++) {
    if (strcmp(spec->source_path[k], place->file) != 0)
      continue;
    const char *text = spec->source_text[k], *line = text;
    for (int n = 1; n < place->line && line; n++) {
      line = strchr(line, '\n');
      line = line ? line + 1 : NULL;
    }
    const char *found = line ? strstr(line, expression) : NULL;
    if (found)
      count_lines(place, text, found + offset);
    return found != NULL;
  }
  return false;
}

// Laws of friction are written by nobody: they stand at their joint.
static bool is_written(const fly_item *item, const char *parameter) {
  return fly_parameter_find(item->type, parameter) >= 0;
}

// " (model.yaml:4:39)", where an offset in the expression of a component of a load stands; empty: not known.
static const char *write_place(char *text, size_t size, const fly_model *model, int item, const char *parameter,
                               int component, int offset) {
  const fly_item *of = &model->spec->item[item];
  const bool written = is_written(of, parameter);
  const char *expression = written ? fly_item_word(of, parameter, component) : "friction";
  fly_place place = written ? fly_item_value(of, parameter)->place : of->place;
  char where[300];
  if (written)
    find_text(&place, model->spec, expression, offset);
  fly_place_text(where, sizeof where, place);
  const size_t length = strlen(where);
  where[length >= 2 ? length - 2 : 0] = 0; // ": "
  snprintf(text, size, *where ? " (%s)" : "%s", where);
  return expression;
}

void fly_jump_text(char *text, size_t size, const fly_model *model, const fly_jump *jump) {
  char where[310];
  const char *expression =
      write_place(where, sizeof where, model, jump->item, jump->parameter, jump->component, jump->offset);
  snprintf(text, size, "%s `%s`%s jumps from %.4g to %.4g where `%.*s` switches (`%.80s`)", jump->parameter,
           model->spec->item[jump->item].name, where, jump->from, jump->to,
           fly_expr_token(expression + jump->offset, 0), expression + jump->offset, expression);
}

void fly_growth_text(char *text, size_t size, const fly_model *model, const fly_growth *growth) {
  char where[310];
  const fly_item *item = &model->spec->item[growth->item];
  const char *section = strcmp(growth->parameter, "value") == 0 ? "variable" : growth->parameter;
  const char *expression =
      write_place(where, sizeof where, model, growth->item, growth->parameter, growth->component, 0);
  snprintf(text, size, "%s `%s`%s grows without bound: it is %.3g, and doubles in %.2g s (`%.80s`)", section,
           item->name, where, growth->value, 1 / growth->rate, expression);
}

void fly_odd_text(char *text, size_t size, const fly_model *model, const fly_odd *odd) {
  char where[310];
  const char *expression = write_place(where, sizeof where, model, odd->item, odd->parameter, odd->component, 0);
  const char *what = strcmp(odd->parameter, "when") == 0 ? "condition of the event" : odd->parameter;
  snprintf(text, size, "%s `%s`%s is %s at t = %.9g s: `%.80s`", what, model->spec->item[odd->item].name, where,
           isnan(odd->value)         ? "not a number"
           : isinf(odd->value)       ? "infinite"
           : fabs(odd->value) > MOST ? "beyond all measure"
                                     : "without a slope",
           odd->t, expression);
}
