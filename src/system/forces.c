// Forces: gravity and gyroscopic terms, springs, bushings, and what expressions give.
#include <string.h>

#include "expr/expr.h"
#include "math/so3.h"
#include "system/parts.h"

// Gravity on every body, and -w x J w on rigid ones.
static void body_forces(const fly_system *s, double *f) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    for (int c = 0; c < b->columns && b->column[c] < 3; c++)
      f[b->iv + c] += b->mass * m->gravity[b->column[c]];
    if (b->kind != FLY_RIGID)
      continue;
    double L[3], wL[3];
    fly_to_space(L, b->J, s->body[k].w);
    fly_cross(wL, s->body[k].w, L);
    for (int c = 0; c < 3; c++)
      f[b->iv + 3 + c] -= wL[c];
  }
}

// Generalized forces of a pair into those of the DAE.
void fly_system_scatter_force(const fly_system *s, int pair, const double Q[FLY_PAIR], double *f) {
  const fly_model *m = s->model;
  for (int side = 0; side < 2; side++) {
    int body = m->marker[side ? m->pair[pair].mj : m->pair[pair].mi].body;
    for (int c = 0; body != FLY_GROUND && c < m->body[body].columns; c++)
      f[m->body[body].iv + c] += Q[6 * side + m->body[body].column[c]];
  }
}

static void pair_forces(const fly_system *s, double t, double *f) {
  const fly_model *m = s->model;
  double Q[FLY_PAIR];
  for (int k = 0; k < m->nspring; k++) {
    fly_pair p = pair_of(s, m->spring[k].pair);
    fly_spring_force(Q, &p, &m->spring[k].k);
    fly_system_scatter_force(s, m->spring[k].pair, Q, f);
  }
  for (int k = 0; k < m->ntorsion; k++) {
    fly_pair p = pair_of(s, m->torsion[k].pair);
    double G[FLY_PAIR];
    fly_primitive_types[FLY_ANGLE].jacobian(G, &p, &FLY_ABOUT_Z);
    fly_torsion_force(Q, &m->torsion[k].k, fly_system_torsion_angle(s, t, k, &p), fly_system_angle_rate(&p), G);
    fly_system_scatter_force(s, m->torsion[k].pair, Q, f);
  }
  for (int k = 0; k < m->nbushing; k++) {
    fly_pair p = pair_of(s, m->bushing[k].pair);
    fly_bushing_force(Q, &p, &m->bushing[k].k);
    fly_system_scatter_force(s, m->bushing[k].pair, Q, f);
  }
}

// Generalized forces P f (18) of a load's components f; what P is depends on its kind. Rows of columns it has not are
// 0.
void fly_system_load_matrix(const fly_system *s, const fly_model_applied *a, double *P) {
  fly_triple t = fly_system_triple_of(s, a->marker);
  if (a->kind == FLY_LOAD_WRENCH) {
    fly_applied_matrix(P, &t);
    return;
  }
  fly_pair p = {t.ba, t.bb, t.ma, t.mb};
  double G[FLY_PAIR];
  memset(P, 0, 6 * FLY_TRIPLE * sizeof *P);
  if (a->kind == FLY_LOAD_LENGTH)
    fly_length(G, NULL, &p);
  else
    fly_primitive_types[FLY_ANGLE].jacobian(G, &p, &FLY_ABOUT_Z);
  for (int i = 0; i < FLY_PAIR; i++)
    P[6 * i] = G[i]; // a positive component lets the coordinate grow
}

static void applied_components(const fly_system *s, const fly_model_applied *a, double f[6]) {
  for (int c = 0; c < 6; c++)
    f[c] = a->expression[c] >= 0 ? fly_expr_value(s->model->expression[a->expression[c]], s->input) : 0.0;
}

// Adds the generalized forces of one load.
static void applied_force(const fly_system *s, int k, double f[6], double *out) {
  const fly_model *m = s->model;
  double P[FLY_TRIPLE * 6];
  int column[FLY_TRIPLE];
  fly_system_load_matrix(s, &m->applied[k], P);
  applied_components(s, &m->applied[k], f);
  fly_system_triple_columns(m, m->applied[k].marker, column);
  for (int i = 0; i < FLY_TRIPLE; i++)
    for (int c = 0; column[i] >= 0 && c < 6; c++)
      out[column[i]] += P[6 * i + c] * f[c];
}

void fly_system_applied_forces(const fly_system *s, double *out) {
  double f[6];
  for (int k = 0; k < s->model->napplied; k++)
    applied_force(s, k, f, out);
}

int fly_problem_force(double *f, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  fly_system_update(s, at->q, at->v);
  body_forces(s, f);
  pair_forces(s, at->t, f);
  if (s->model->napplied > 0) {
    fly_system_update_inputs(s, at);
    fly_system_applied_forces(s, f);
  }
  return fly_system_go_on(s);
}

void fly_system_applied(fly_system *s, const fly_dae_state *at, int k, double f[6], double *Q) {
  memset(Q, 0, (size_t)s->model->nv * sizeof *Q);
  fly_system_update(s, at->q, at->v);
  fly_system_update_inputs(s, at);
  applied_force(s, k, f, Q);
}

static void applied_state(fly_system *s, const fly_dae_state *at, int k, double out[6]) {
  const fly_model_applied *a = &s->model->applied[k];
  s->input[0] = at->t;
  for (int i = 0; i < a->ninput; i++) // its own alone: channels of all forces ask for one after another
    fly_system_update_input(s, at, a->input[i]);
  applied_components(s, a, out);
  if (a->kind == FLY_LOAD_WRENCH)
    return;
  fly_triple t = fly_system_triple_of(s, a->marker);
  fly_pair p = {t.ba, t.bb, t.ma, t.mb};
  out[1] = out[0];
  if (a->kind == FLY_LOAD_LENGTH)
    out[0] = fly_length(NULL, NULL, &p);
  else
    fly_primitive_types[FLY_ANGLE].value(out, &p, &FLY_ABOUT_Z);
}

void fly_system_force(fly_system *s, const fly_dae_state *at, fly_force_kind kind, int k, double out[6]) {
  const fly_model *m = s->model;
  fly_system_update(s, at->q, at->v);
  if (kind == FLY_FORCE_APPLIED) {
    applied_state(s, at, k, out);
    return;
  }
  fly_pair p = pair_of(s, kind == FLY_FORCE_SPRING    ? m->spring[k].pair
                          : kind == FLY_FORCE_TORSION ? m->torsion[k].pair
                                                      : m->bushing[k].pair);
  if (kind == FLY_FORCE_SPRING) {
    out[0] = fly_length(NULL, NULL, &p);
    out[1] = -fly_spring_tension(&p, &m->spring[k].k);
  } else if (kind == FLY_FORCE_TORSION) {
    const fly_torsion *spring = &m->torsion[k].k;
    out[0] = fly_system_torsion_angle(s, at->t, k, &p);
    out[1] = -(spring->stiffness * (out[0] - spring->free_angle) + spring->damping * fly_system_angle_rate(&p));
  } else {
    fly_bushing_load(out, &p, &m->bushing[k].k);
    for (int c = 0; c < 6; c++)
      out[c] = -out[c];
  }
}
