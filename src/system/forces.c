// Forces: gravity and gyroscopic terms, those of types, and what expressions give.
#include <string.h>

#include "expr/expr.h"
#include "math/so3.h"
#include "system/parts.h"

static void body_forces(const fly_system *s, double *f) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nbody; k++) {
    const fly_body_at at = fly_system_body_at(s, k);
    m->body[k].type->force(f + m->body[k].iv, &at, m->gravity, &m->body[k].own);
  }
}

// Generalized forces of a force into those of the DAE.
void fly_system_scatter_force(const fly_system *s, int force, const double *Q, double *f) {
  const fly_model *m = s->model;
  for (int i = 0; i < s->forces[force].count; i++) {
    const fly_model_marker *marker = &m->marker[s->forces[force].marker[i]];
    const int body = marker->body;
    if (marker->frame >= 0) {
      for (int c = 0; c < 6; c++)
        f[fly_frame_column(m, marker->frame) + c] += Q[6 * i + c];
      continue;
    }
    for (int c = 0; body != FLY_GROUND && c < m->body[body].framed; c++)
      f[m->body[body].iv + c] += Q[6 * i + m->body[body].column[c]];
  }
}

static void typed_forces(const fly_system *s, double t, double *f) {
  double Q[FLY_FORCE_COLUMNS];
  for (int n = 0; n < s->nlive; n++) {
    const int k = s->live[n];
    if (!fly_system_is_on(s, s->forces[k].item))
      continue;
    s->forces[k].type->force(Q, fly_system_force_at(s, t, k), s->forces[k].k);
    fly_system_scatter_force(s, k, Q, f);
  }
}

static void applied_components(const fly_system *s, const fly_model_applied *a, double f[6]) {
  const bool on = fly_system_is_on(s, a->item);
  for (int c = 0; c < 6; c++)
    f[c] = on && a->expression[c] >= 0 ? fly_system_expression(s, a->expression[c]) : 0.0;
}

// Adds the generalized forces of one load.
static void applied_force(const fly_system *s, int k, double f[6], double *out) {
  const fly_model *m = s->model;
  double P[FLY_TRIPLE * 6];
  int column[FLY_TRIPLE];
  fly_triple p = fly_system_triple_of(s, m->applied[k].marker);
  m->applied[k].type->matrix(P, &p);
  applied_components(s, &m->applied[k], f);
  fly_system_triple_columns(m, m->applied[k].marker, column);
  for (int i = 0; i < FLY_TRIPLE; i++)
    for (int c = 0; column[i] >= 0 && c < 6; c++)
      out[column[i]] += P[6 * i + c] * f[c];
}

void fly_system_some_applied_forces(const fly_system *s, int first, int end, double *out) {
  double f[6];
  for (int k = first; k < end; k++)
    applied_force(s, k, f, out);
}

void fly_system_applied_forces(const fly_system *s, double *out) {
  fly_system_some_applied_forces(s, 0, s->model->napplied, out);
}

int fly_problem_force(double *f, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  fly_system_update(s, at->q, at->v);
  *s->beside = (fly_beside){at->side, at->x};
  body_forces(s, f);
  typed_forces(s, at->t, f);
  if (s->model->napplied > 0) {
    fly_system_update_inputs(s, at);
    fly_system_applied_forces(s, f);
  }
  fly_system_soft_forces(s, at, f);
  return fly_system_go_on(s);
}

void fly_system_applied(fly_system *s, const fly_dae_state *at, int k, double f[6], double *Q) {
  fly_system_felt(s, at);
  applied_force(s, k, f, fly_system_open(s, Q));
  fly_system_close(s, Q);
}

void fly_system_components(fly_system *s, const fly_dae_state *at, int applied, double out[FLY_LOAD_COMPONENTS]) {
  const fly_model_applied *a = &s->model->applied[applied];
  fly_system_update(s, at->q, at->v);
  s->input[0] = at->t;
  for (int i = 0; i < a->ninput; i++) // its own alone: channels of all forces ask for one after another
    fly_system_update_input(s, at, a->input[i]);
  applied_components(s, a, out);
}

static void show_load(fly_system *s, const fly_dae_state *at, int k, double *out) {
  const fly_model_applied *a = &s->model->applied[k];
  fly_system_components(s, at, k, out);
  if (!a->type->coordinate)
    return;
  fly_triple t = fly_system_triple_of(s, a->marker);
  out[1] = out[0];
  out[0] = a->type->coordinate(&t);
}

void fly_system_acting(fly_system *s, const fly_dae_state *at, int k, double out[FLY_FORCE_VALUES]) {
  const int listed = fly_model_listed(s->model);
  fly_system_update(s, at->q, at->v);
  *s->beside = (fly_beside){at->side, at->x};
  if (k < listed && !fly_system_is_on(s, s->forces[k].item))
    memset(out, 0, FLY_FORCE_VALUES * sizeof *out);
  else if (k < listed)
    s->forces[k].type->values(out, fly_system_force_at(s, at->t, k), s->forces[k].k);
  else
    show_load(s, at, k - listed, out);
}
