// Where bodies, markers and angles are: evaluated once for each (q, v).
#include <string.h>

#include "system/parts.h"

// Bodies at (q, v); v NULL: velocities are not asked for. Callbacks come with the same q many times, so it is looked at
// first.
void fly_system_update(fly_system *s, const double *q, const double *v) {
  const fly_model *m = s->model;
  size_t nq = (size_t)m->nq * sizeof *q, nv = (size_t)m->nv * sizeof *v;
  if (!s->q_known || memcmp(q, s->q_seen, nq) != 0) {
    for (int k = 0; k < m->nbody; k++)
      fly_body_position(&m->body[k], q + m->body[k].iq, &s->body[k]);
    memcpy(s->q_seen, q, nq);
    s->q_known = true;
    s->value_known = false;
  }
  if (v && (!s->v_known || memcmp(v, s->v_seen, nv) != 0)) {
    for (int k = 0; k < m->nbody; k++)
      fly_body_velocity(&m->body[k], v + m->body[k].iv, &s->body[k]);
    memcpy(s->v_seen, v, nv);
    s->v_known = true;
  }
}

// Velocity column of the DAE for each of the 12 columns of a pair; -1: the body does not move along it.
void fly_system_pair_columns(const fly_model *m, int pair, int column[FLY_PAIR]) {
  for (int side = 0; side < 2; side++) {
    int body = m->marker[side ? m->pair[pair].mj : m->pair[pair].mi].body;
    for (int c = 0; c < 6; c++)
      column[6 * side + c] = -1;
    for (int c = 0; body != FLY_GROUND && c < m->body[body].columns; c++)
      column[6 * side + m->body[body].column[c]] = m->body[body].iv + c;
  }
}

double fly_system_angle_rate(const fly_pair *p) { return fly_primitive_rate(FLY_ANGLE, p, &FLY_ABOUT_Z); }

// The angle a torsion spring feels, turns counted.
double fly_system_torsion_angle(const fly_system *s, double t, int k, const fly_pair *p) {
  double angle;
  fly_primitive_types[FLY_ANGLE].value(&angle, p, &FLY_ABOUT_Z);
  return fly_count_turns(s, &s->torsion_turn[k], t, angle);
}

fly_triple fly_system_triple_of(const fly_system *s, const int marker[3]) {
  const fly_kinematics *body[3] = {NULL};
  const fly_marker *frame[3] = {NULL};
  for (int k = 0; k < 3; k++)
    if (marker[k] >= 0) {
      body[k] = &s->body[body_index(s, marker[k])];
      frame[k] = &s->model->marker[marker[k]].m;
    }
  return (fly_triple){body[0], body[1], body[2], frame[0], frame[1], frame[2]};
}

// Velocity column of the DAE for each of the 18 columns of a triple; -1: none.
void fly_system_triple_columns(const fly_model *m, const int marker[3], int column[FLY_TRIPLE]) {
  for (int side = 0; side < 3; side++) {
    int body = marker[side] >= 0 ? m->marker[marker[side]].body : FLY_GROUND;
    for (int c = 0; c < 6; c++)
      column[6 * side + c] = -1;
    for (int c = 0; body != FLY_GROUND && c < m->body[body].columns; c++)
      column[6 * side + m->body[body].column[c]] = m->body[body].iv + c;
  }
}

fly_pair fly_system_pair(fly_system *s, const fly_dae_state *at, int pair) {
  fly_system_update(s, at->q, at->v);
  return pair_of(s, pair);
}

static double measure_rate(const fly_system *s, int k) {
  const fly_model_measure *measure = &s->model->measure[k];
  double dq[FLY_TRIPLE], dv[FLY_TRIPLE], da[FLY_TRIPLE], none[FLY_TRIPLE] = {0}, rate = 0;
  fly_triple p = fly_system_triple_of(s, measure->marker);
  const fly_kinematics *body[3] = {p.ba, p.bb, p.bc};
  fly_measure_gradient(dq, dv, da, (fly_measure_kind)measure->kind, &p, none);
  for (int c = 0; c < FLY_TRIPLE; c++)
    if (body[c / 6])
      rate += dq[c] * (c % 6 < 3 ? body[c / 6]->v[c % 3] : body[c / 6]->w[c % 3]);
  return rate;
}

void fly_system_angle_now(const fly_system *s, const fly_angle *a, double *angle, double *rate) {
  const fly_model *m = s->model;
  if (a->kind == FLY_ANGLE_OF_MEASURE) {
    fly_triple p = fly_system_triple_of(s, m->measure[a->which].marker);
    *angle = fly_measure_value((fly_measure_kind)m->measure[a->which].kind, &p, NULL);
    *rate = measure_rate(s, a->which);
    return;
  }
  const fly_term *term = a->kind == FLY_ANGLE_OF_TERM ? &m->term[a->which] : NULL;
  const fly_primitive *k = term ? &term->k : &FLY_ABOUT_Z;
  fly_pair p = pair_of(s, term ? term->pair : a->kind == FLY_ANGLE_OF_TORSION ? m->torsion[a->which].pair : a->which);
  fly_primitive_types[FLY_ANGLE].value(angle, &p, k);
  *rate = fly_primitive_rate(FLY_ANGLE, &p, k);
}
