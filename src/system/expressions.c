// Measures: what expressions of forces and outputs feel, and their derivatives for analyses.
#include <string.h>

#include "expr/expr.h"
#include "system/parts.h"

static double measure_value(const fly_system *s, double t, int k, const double *acceleration) {
  const fly_model_measure *measure = &s->model->measure[k];
  fly_triple p = fly_system_triple_of(s, measure->marker);
  double value = fly_measure_value((fly_measure_kind)measure->kind, &p, acceleration);
  return fly_measure_is_angle(measure) ? fly_count_turns(s, &s->measure_turn[k], t, value) : value;
}

void fly_system_triple_accelerations(const fly_model *m, const int marker[3], const double *wide,
                                     double a[FLY_TRIPLE]) {
  int column[FLY_TRIPLE];
  fly_system_triple_columns(m, marker, column);
  for (int c = 0; c < FLY_TRIPLE; c++)
    a[c] = column[c] >= 0 ? wide[column[c]] : 0.0;
}

// A measure from positions, velocities, accelerations and multipliers, at the bodies' present state.
static double input_value(const fly_system *s, const fly_dae_state *at, int k) {
  const fly_model_measure *measure = &s->model->measure[k];
  double a[FLY_TRIPLE] = {0}, W[6];
  if (measure->signal)
    return fly_system_signal_value(s, at, measure);
  if (measure->joint >= 0) {
    fly_triple p = fly_system_triple_of(s, measure->marker);
    fly_system_joint_load(s, k, at, W, NULL);
    return fly_reaction_value((fly_reaction_kind)measure->kind, W, &p);
  }
  if (fly_model_measure_level(measure) == FLY_OF_ACCELERATION)
    fly_system_triple_accelerations(s->model, measure->marker, s->wide_acceleration, a);
  return measure_value(s, at->t, k, a);
}

// Inputs of the expressions of forces: what needs accelerations or multipliers is an output y, if they feel it at all.
void fly_system_update_input(fly_system *s, const fly_dae_state *at, int k) {
  const fly_model_measure *measure = &s->model->measure[k];
  if (measure->output >= 0)
    s->input[1 + k] = at->y[measure->output];
  else if (measure->signal)
    s->input[1 + k] = fly_system_signal_value(s, at, measure);
  else if (measure->felt)
    s->input[1 + k] = measure_value(s, at->t, k, NULL);
}

void fly_system_update_inputs(fly_system *s, const fly_dae_state *at) {
  s->input[0] = at->t;
  *s->beside = (fly_beside){at->side, at->x};
  for (int k = 0; k < s->model->nmeasure; k++)
    fly_system_update_input(s, at, k);
}

static const signed char *sides_of(const fly_system *s, int expression) {
  return s->beside->side ? s->beside->side + s->relation_start[expression] : NULL;
}

double fly_system_expression(const fly_system *s, int expression) {
  return fly_expr_value_held(s->model->expression[expression], s->input, sides_of(s, expression));
}

void fly_system_expression_slopes(const fly_system *s, int expression, double *value, double *gradient) {
  fly_expr_gradient_held(s->model->expression[expression], s->input, sides_of(s, expression), value, gradient);
}

const double *fly_system_felt(fly_system *s, const fly_dae_state *at) {
  fly_system_update(s, at->q, at->v);
  fly_system_update_inputs(s, at);
  return s->input;
}

int fly_problem_outputs(double *h, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  fly_system_update(s, at->q, at->v);
  fly_system_wide_accelerations(s, at);
  fly_system_soft_outputs(s, at->t, h);
  for (int k = 0; k < m->nmeasure; k++)
    if (m->measure[k].output >= 0 && !m->measure[k].signal)
      h[m->measure[k].output] = input_value(s, at, k);
  return fly_system_variable_values(s, at, h) ? 0 : 1;
}

// All inputs of expressions, those that feel accelerations and reactions too.
static void measure_all(fly_system *s, const fly_dae_state *at) {
  fly_system_update(s, at->q, at->v);
  fly_system_wide_accelerations(s, at);
  fly_system_find_carried(s, at->t);
  s->input[0] = at->t;
  for (int k = 0; k < s->model->nmeasure; k++)
    s->input[1 + k] = input_value(s, at, k);
}

void fly_system_outputs(fly_system *s, const fly_dae_state *at, double *out) {
  const fly_model *m = s->model;
  if (m->noutput == 0)
    return;
  measure_all(s, at);
  for (int k = 0; k < m->noutput; k++)
    out[k] = fly_expr_value(m->expression[m->output[k].expression], s->input);
}

static void add_columns(const fly_model *m, const int marker[3], double factor, const double gradient[FLY_TRIPLE],
                        double *out) {
  int column[FLY_TRIPLE];
  fly_system_triple_columns(m, marker, column);
  for (int c = 0; c < FLY_TRIPLE; c++)
    if (column[c] >= 0)
      out[column[c]] += factor * gradient[c];
}

// Where the derivative in what a row carries is: among the multipliers, or among the outputs.
static double *slope_of_row(const fly_system *s, int row, const fly_slopes *out) {
  const int kept = s->place_of[row], soft = s->softness.ode ? -1 : s->soft.of[row];
  return kept >= 0 ? &out->lambda[kept] : soft >= 0 ? &out->y[s->model->ny + soft] : NULL;
}

// Adds factor times the derivatives of a reaction; W = -G^T lambda.
static void add_reaction_slopes(const fly_system *s, const fly_dae_state *at, int k, double factor,
                                const fly_slopes *out) {
  const fly_model_measure *measure = &s->model->measure[k];
  double weight[6], dq[FLY_TRIPLE];
  fly_system_reaction_gradient(s, at, k, weight, dq);
  add_columns(s->model, measure->marker, factor, dq, out->q);
  for (int i = s->reaction_start[k]; i < s->reaction_start[k + 1]; i++) {
    const fly_term *term = &s->model->term[s->reaction_term[i]];
    double rows[3 * FLY_PAIR];
    fly_pair p = pair_of(s, term->pair);
    fly_primitive_types[term->kind].jacobian(rows, &p, &term->k);
    for (int r = 0, place = term->row; r < 3; r++) {
      const int row = term->rows & (1 << r) ? place++ : -1;
      double *slope = row < 0 ? NULL : slope_of_row(s, row, out);
      for (int c = 0; slope && c < 6; c++)
        *slope -= factor * weight[c] * term->factor * rows[FLY_PAIR * r + 6 + c];
    }
  }
}

static void add_measure_slopes(const fly_system *s, const fly_dae_state *at, int k, double factor,
                               const fly_slopes *out) {
  const fly_model_measure *measure = &s->model->measure[k];
  if (measure->signal == FLY_SIGNAL_STATE)
    out->x[measure->kind] += factor;
  if (measure->signal == FLY_SIGNAL_INPUT)
    out->u[measure->kind] += factor;
  if (measure->signal == FLY_SIGNAL_DELAY)
    out->late[measure->kind] += factor;
  if (measure->signal == FLY_SIGNAL_HELD)
    out->held[measure->kind] += factor;
  if (measure->signal == FLY_SIGNAL_VARIABLE)
    out->y[measure->output] += factor;
  if (measure->signal)
    return;
  double a[FLY_TRIPLE], dq[FLY_TRIPLE], dv[FLY_TRIPLE], da[FLY_TRIPLE];
  if (measure->joint >= 0) {
    add_reaction_slopes(s, at, k, factor, out);
    return;
  }
  fly_triple t = fly_system_triple_of(s, measure->marker);
  fly_system_triple_accelerations(s->model, measure->marker, s->wide_acceleration, a);
  fly_measure_gradient(dq, dv, da, (fly_measure_kind)measure->kind, &t, a);
  add_columns(s->model, measure->marker, factor, dq, out->q);
  add_columns(s->model, measure->marker, factor, dv, out->v);
  add_columns(s->model, measure->marker, factor, da, out->vdot);
}

fly_slopes fly_system_take_slopes(const fly_system *s, fly_arena *memory) {
  const fly_model *m = s->model;
  return (fly_slopes){.q = fly_arena_doubles(memory, (size_t)m->nv),
                      .v = fly_arena_doubles(memory, (size_t)m->nv),
                      .vdot = fly_arena_doubles(memory, (size_t)m->nv),
                      .lambda = fly_arena_doubles(memory, (size_t)(s->nactive + m->nsliprow)),
                      .x = fly_arena_doubles(memory, (size_t)m->nstate),
                      .y = fly_arena_doubles(memory, (size_t)s->dae.ny),
                      .u = fly_arena_doubles(memory, (size_t)m->ninput),
                      .late = fly_arena_doubles(memory, (size_t)m->ndelay),
                      .held = fly_arena_doubles(memory, (size_t)m->nheld),
                      .work = fly_arena_doubles(memory, 1 + (size_t)m->nmeasure)};
}

void fly_system_slopes(fly_system *s, const fly_dae_state *at, int expression, const fly_slopes *out) {
  const fly_model *m = s->model;
  const fly_expr *e = m->expression[expression];
  double value;
  int count = 0;
  const int *inputs = fly_expr_inputs(e, &count);
  const fly_slopes wide = fly_system_open_slopes(s, out);
  memset(out->lambda, 0, (size_t)s->nactive * sizeof *out->lambda);
  memset(out->x, 0, (size_t)m->nstate * sizeof *out->x);
  memset(out->y, 0, (size_t)s->dae.ny * sizeof *out->y);
  memset(out->u, 0, (size_t)m->ninput * sizeof *out->u);
  memset(out->late, 0, (size_t)m->ndelay * sizeof *out->late);
  memset(out->held, 0, (size_t)m->nheld * sizeof *out->held);
  measure_all(s, at);
  fly_expr_gradient(e, s->input, &value, out->work);
  for (int k = 0; k < count; k++)
    if (inputs[k] > 0)
      add_measure_slopes(s, at, inputs[k] - 1, out->work[k], &wide);
  fly_system_close_slopes(s, at, &wide, out);
}

void fly_system_load_direction(fly_system *s, const fly_dae_state *at, int applied, int component, double *Q) {
  const fly_model_applied *a = &s->model->applied[applied];
  double P[FLY_TRIPLE * 6], column[FLY_TRIPLE];
  fly_system_update(s, at->q, at->v);
  fly_triple p = fly_system_triple_of(s, a->marker);
  a->type->matrix(P, &p);
  for (int i = 0; i < FLY_TRIPLE; i++)
    column[i] = P[6 * i + component];
  add_columns(s->model, a->marker, 1.0, column, fly_system_open(s, Q));
  fly_system_close(s, Q);
}

bool fly_system_force_direction(fly_system *s, const fly_dae_state *at, int force, double *Q) {
  const fly_force_type *type = s->model->force[force].type;
  double G[FLY_FORCE_COLUMNS];
  if (!type->direction)
    return false;
  fly_system_update(s, at->q, at->v);
  type->direction(G, fly_system_force_at(s, at->t, force));
  fly_system_scatter_force(s, force, G, fly_system_open(s, Q));
  fly_system_close(s, Q);
  return true;
}
