// Rows of the DAE that the user's expressions are: x' - rate = 0 of the states, y - h = 0 of variables that depend on
// themselves or are large. Numbers from outside, which stay as they are inside a step.
//
// Inputs of these expressions are measures of positions and velocities, states x and outputs y: what needs
// accelerations or multipliers is an output of its own.
#include <string.h>

#include "expr/expr.h"
#include "system/parts.h"

// ------------------------------------------------------------------------------------------ numbers from outside

static const double SPRING = 0.01; // of the size of the model

enum { LINE = 3, INPUT = 2 * LINE }; // numbers: value, slope and time of a line; of an input: now, and before that time

int fly_system_first_action(const fly_system *s) { return INPUT * s->model->ninput + s->model->nheld; }

int fly_system_numbers(const fly_system *s) { return fly_system_first_action(s) + 2 * s->model->naction; }

// What it was before stays known, for what is looked at inside the step that ends there.
void fly_system_set_input(fly_system *s, int input, double t0, double value, double slope) {
  double *z = s->z + INPUT * input;
  const double line[LINE] = {value, slope, t0};
  memcpy(z + LINE, t0 > z[2] ? z : line, sizeof line); // at a start nothing was before
  memcpy(z, line, sizeof line);
}

// As a straight piece of a table is evaluated: the two agree to the last bit.
double fly_system_input(const fly_system *s, int input, double t) {
  const double *z = s->z + INPUT * input;
  z = t < z[2] ? z + LINE : z;
  return z[0] + z[1] * (t - z[2]);
}

void fly_system_copy_inputs(fly_system *s, const fly_system *from) {
  if (s->model->ninput > 0)
    memcpy(s->z, from->z, INPUT * (size_t)s->model->ninput * sizeof *s->z);
}

double fly_system_input_slope(const fly_system *s, int input) { return s->z[INPUT * input + 1]; }

void fly_system_set_held(fly_system *s, int held, double value) { s->z[INPUT * s->model->ninput + held] = value; }

double fly_system_held(const fly_system *s, int held) { return s->z[INPUT * s->model->ninput + held]; }

void fly_system_start_signals(fly_system *s) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->ninput; k++)
    for (int before = 0; before < 2; before++)
      memcpy(s->z + INPUT * k + LINE * before, (double[]){m->input[k].value, 0.0, 0.0}, LINE * sizeof *s->z);
  for (int k = 0; k < m->nheld; k++)
    fly_system_set_held(s, k, m->held[k].value);
  for (int k = 0; k < m->nstate; k++) {
    s->x0[k] = m->state[k].start;
    s->scale_x[k] = m->state[k].scale;
  }
  for (int k = 0; k < m->nforce; k++) // springs that are lengths: what they are off by, positions are
    for (int i = 0; i < m->force[k].states; i++)
      s->scale_x[m->force[k].state + i] = fmax(s->scale_x[m->force[k].state + i], SPRING * m->size);
}

// A variable without a row was put into the expressions that use it: none of them sees it.
double fly_system_signal_value(const fly_system *s, const fly_dae_state *at, const fly_model_measure *measure) {
  switch (measure->signal) {
  case FLY_SIGNAL_STATE:
    return at->x[measure->kind];
  case FLY_SIGNAL_INPUT:
    return fly_system_input(s, measure->kind, at->t);
  case FLY_SIGNAL_DELAY:
    return fly_past_value(s, measure->kind, at->t);
  case FLY_SIGNAL_HELD:
    return fly_system_held(s, measure->kind);
  default:
    return measure->output >= 0 ? at->y[measure->output] : 0.0;
  }
}

// ------------------------------------------------------------------------------------------ values

int fly_problem_states(double *d, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  fly_system_felt(s, at);
  for (int k = 0; k < m->nstate; k++)
    d[k] = at->xdot[k] - fly_system_expression(s, m->state[k].rate);
  fly_system_own_rates(s, at, d);
  return fly_system_go_on(s);
}

static bool has_row(const fly_model_output *v) { return v->row; }

bool fly_system_variable_values(fly_system *s, const fly_dae_state *at, double *h) {
  const fly_model *m = s->model;
  bool known = false;
  for (int k = 0; k < m->noutput; k++) {
    if (!has_row(&m->output[k]))
      continue;
    if (!known)
      fly_system_update_inputs(s, at);
    if (!known && m->nplugin > 0 && !fly_plugins_evaluate(s))
      return false;
    known = true;
    h[m->measure[m->output[k].measure].output] =
        m->output[k].plugin ? s->plugin_value[m->plugin[m->output[k].plugin - 1].first + m->output[k].component]
                            : fly_system_expression(s, m->output[k].expression);
  }
  return true;
}

// ------------------------------------------------------------------------------------------ rows and columns

bool fly_system_has_column(const fly_model_measure *measure) { return measure->output >= 0 || measure->signal; }

int fly_system_signal_column(const fly_system *s, const fly_model_measure *measure) {
  if (measure->output >= 0)
    return fly_output_column(s, measure->output);
  return measure->signal == FLY_SIGNAL_STATE ? fly_state_column(s, measure->kind) : -1;
}

static int places_of(const fly_model_measure *measure) { return fly_system_has_column(measure) ? 1 : FLY_TRIPLE; }

static size_t places_of_expression(const fly_model *m, int expression) {
  int count;
  size_t n = 0;
  const int *input = fly_expr_inputs(m->expression[expression], &count);
  for (int k = 0; k < count; k++)
    n += input[k] > 0 ? (size_t)places_of(&m->measure[input[k] - 1]) : 0;
  return n;
}

static size_t places_of_row(const fly_model *m, const fly_model_output *v) {
  return v->plugin ? (size_t)fly_plugin_columns(m, v->plugin - 1) : places_of_expression(m, v->expression);
}

// A state needs one more, for its own rate.
size_t fly_system_count_signal_places(const fly_model *m) {
  size_t n = (size_t)m->nstate;
  for (int k = 0; k < m->nstate; k++)
    n += places_of_expression(m, m->state[k].rate);
  for (int k = 0; k < m->noutput; k++)
    n += has_row(&m->output[k]) ? places_of_row(m, &m->output[k]) : 0;
  return n;
}

// The entries of J being listed.
typedef struct listing {
  fly_system *s;
  int *row, *col, *place;
  int n, first;
} listing;

static void list_entry(listing *l, int row, int column) {
  *l->place++ = column >= 0 ? l->n - l->first : -1;
  if (column < 0)
    return;
  l->row[l->n] = row;
  l->col[l->n++] = column;
}

static void list_plugin(listing *l, int row, int plugin) {
  for (int c = 0; c < fly_plugin_columns(l->s->model, plugin); c++)
    list_entry(l, row, fly_system_signal_column(l->s, fly_plugin_argument(l->s->model, plugin, c)));
}

static void list_row(listing *l, int row, int expression) {
  const fly_model *m = l->s->model;
  int count, column[FLY_TRIPLE];
  const int *input = fly_expr_inputs(m->expression[expression], &count);
  for (int k = 0; k < count; k++) {
    if (input[k] == FLY_EXPR_TIME)
      continue;
    const fly_model_measure *measure = &m->measure[input[k] - 1];
    if (fly_system_has_column(measure)) {
      list_entry(l, row, fly_system_signal_column(l->s, measure));
      continue;
    }
    fly_system_triple_columns(m, measure->marker, column);
    for (int c = 0; c < FLY_TRIPLE; c++)
      list_entry(l, row, column[c]);
  }
}

int fly_system_append_signals(fly_system *s, int *row, int *col, int n, int first) {
  const fly_model *m = s->model;
  listing l = {s, row, col, s->signal_place, n, first};
  for (int k = 0; k < m->nstate; k++) {
    list_entry(&l, fly_state_row(s, k), fly_state_column(s, k));
    list_row(&l, fly_state_row(s, k), m->state[k].rate);
  }
  for (int k = 0; k < m->noutput; k++) {
    const fly_model_output *v = &m->output[k];
    const int own = has_row(v) ? fly_output_row(s, m->measure[v->measure].output) : -1;
    if (own >= 0 && v->plugin)
      list_plugin(&l, own, v->plugin - 1);
    else if (own >= 0)
      list_row(&l, own, v->expression);
  }
  return l.n;
}

// ------------------------------------------------------------------------------------------ derivatives

static void scatter(const int *place, int count, double factor, const double *values, double *J) {
  for (int c = 0; c < count; c++)
    if (place[c] >= 0)
      J[place[c]] -= factor * values[c];
}

// -d(expression) in one row; returns how many places it took.
static int row_derivatives(const fly_system *s, int expression, const int *place, double *J0, double *J1, double *J2) {
  const fly_model *m = s->model;
  const fly_expr *e = m->expression[expression];
  const int *begin = place;
  const double one = 1.0, none[FLY_TRIPLE] = {0};
  int count;
  double value;
  const int *input = fly_expr_inputs(e, &count);
  fly_system_expression_slopes(s, expression, &value, s->gradient);
  for (int k = 0; k < count; k++) {
    if (input[k] == FLY_EXPR_TIME)
      continue;
    const fly_model_measure *measure = &m->measure[input[k] - 1];
    if (fly_system_has_column(measure)) {
      scatter(place, 1, s->gradient[k], &one, measure->output >= 0 ? J0 : J1);
    } else {
      double dq[FLY_TRIPLE], dv[FLY_TRIPLE], da[FLY_TRIPLE];
      fly_triple t = fly_system_triple_of(s, measure->marker);
      fly_measure_gradient(dq, dv, da, (fly_measure_kind)measure->kind, &t, none);
      scatter(place, FLY_TRIPLE, s->gradient[k], dq, J2);
      scatter(place, FLY_TRIPLE, s->gradient[k], dv, J1);
    }
    place += places_of(measure);
  }
  return (int)(place - begin);
}

static int plugin_derivatives(const fly_system *s, const fly_model_output *v, const int *place, double *J0,
                              double *J1) {
  const int plugin = v->plugin - 1, count = fly_plugin_columns(s->model, plugin);
  const double *slope = fly_plugin_slopes(s, plugin, v->component), one = 1.0;
  for (int c = 0; c < count; c++)
    scatter(place + c, 1, slope[c], &one, fly_plugin_argument(s->model, plugin, c)->output >= 0 ? J0 : J1);
  return count;
}

void fly_system_signal_derivatives(const fly_system *s, double *J0, double *J1, double *J2) {
  const fly_model *m = s->model;
  const int *place = s->signal_place;
  for (int k = 0; k < m->nstate; k++) {
    J0[*place++] += 1.0;
    place += row_derivatives(s, m->state[k].rate, place, J0, J1, J2);
  }
  for (int k = 0; k < m->noutput; k++)
    if (has_row(&m->output[k]))
      place += m->output[k].plugin ? plugin_derivatives(s, &m->output[k], place, J0, J1)
                                   : row_derivatives(s, m->output[k].expression, place, J0, J1, J2);
}

static double slope_in(const fly_system *s, int expression, int input) {
  int count;
  double value;
  const int *inputs = fly_expr_inputs(s->model->expression[expression], &count);
  fly_expr_gradient(s->model->expression[expression], s->input, &value, s->gradient);
  for (int k = 0; k < count; k++)
    if (inputs[k] == input)
      return s->gradient[k];
  return 0.0;
}

static void add_load_direction(fly_system *s, const fly_dae_state *at, int load, int input, double *out) {
  const fly_model *m = s->model;
  for (int c = 0; c < 6; c++) {
    const int expression = m->applied[load].expression[c];
    const double slope = expression >= 0 ? slope_in(s, expression, input) : 0.0;
    if (slope == 0)
      continue;
    fly_system_load_direction(s, at, load, c, s->Q);
    for (int i = 0; i < m->nv; i++)
      out[i] += slope * s->Q[i];
  }
}

// Of a variable's row: through its expression, or as an argument of the plugin that computes it.
static double row_slope_in(const fly_system *s, const fly_model_output *v, int input) {
  double sum = 0;
  if (!v->plugin)
    return slope_in(s, v->expression, input);
  for (int c = 0; c < fly_plugin_columns(s->model, v->plugin - 1); c++)
    if (fly_plugin_argument(s->model, v->plugin - 1, c) == &s->model->measure[input - 1])
      sum += fly_plugin_slopes(s, v->plugin - 1, v->component)[c];
  return sum;
}

void fly_system_given_direction(fly_system *s, const fly_dae_state *at, fly_signal signal, int number, double *out) {
  const fly_model *m = s->model;
  int seen = 0; // by no expression
  for (int k = 0; k < m->nmeasure; k++)
    if (m->measure[k].signal == signal && m->measure[k].kind == number)
      seen = 1 + k;
  memset(out, 0, (size_t)(m->nv + m->nstate + s->dae.ny) * sizeof *out);
  fly_system_felt(s, at);
  if (m->nplugin > 0)
    fly_plugins_differentiate(s);
  for (int k = 0; k < m->napplied && seen > 0; k++)
    if (fly_system_is_on(s, m->applied[k].item))
      add_load_direction(s, at, k, seen, out);
  for (int k = 0; k < m->nstate && seen > 0; k++)
    out[m->nv + k] = slope_in(s, m->state[k].rate, seen);
  for (int k = 0; k < m->noutput && seen > 0; k++)
    if (has_row(&m->output[k]))
      out[m->nv + m->nstate + m->measure[m->output[k].measure].output] = row_slope_in(s, &m->output[k], seen);
}
