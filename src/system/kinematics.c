// Where bodies, markers and angles are: evaluated once for each (q, v).
#include <stdint.h>
#include <string.h>

#include "system/parts.h"

// Bit by bit; of a few numbers without a call.
static bool same(const double *a, const double *b, int n) {
  enum { FEW = 8 };
  if (n > FEW)
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
  uint64_t differ = 0;
  for (int i = 0; i < n; i++) {
    uint64_t x, y;
    memcpy(&x, a + i, sizeof x);
    memcpy(&y, b + i, sizeof y);
    differ |= x ^ y;
  }
  return differ == 0;
}

// The few numbers of a body.
static inline void copy(double *restrict to, const double *restrict from, int n) {
  enum { SIX = 6, SEVEN = 7 };
  if (n == SEVEN)
    memcpy(to, from, SEVEN * sizeof *to);
  else if (n == SIX)
    memcpy(to, from, SIX * sizeof *to);
  else
    memcpy(to, from, (size_t)n * sizeof *to);
}

// Bodies at (q, v); v NULL: velocities are not asked for. Callbacks come with the same q many times, so it is looked at
// first.
void fly_system_update(fly_system *s, const double *q, const double *v) {
  const fly_model *m = s->model;
  if (!s->q_known || !same(q, s->q_seen, m->nq)) {
    for (int k = 0; k < m->nbody; k++) {
      const fly_body *b = &m->body[k];
      copy(s->q_seen + b->iq, q + b->iq, b->nq);
      b->type->position(&s->body[k], q + b->iq);
    }
    s->q_known = true;
    s->value_known = false;
    s->v_known = s->v_known && m->nframe == 0; // of frames the velocity depends on q
    fly_system_place_frames(s);
  }
  if (v && (!s->v_known || !same(v, s->v_seen, m->nv))) {
    for (int k = 0; k < m->nbody; k++) {
      const fly_body *b = &m->body[k];
      copy(s->v_seen + b->iv, v + b->iv, b->columns);
      b->type->velocity(&s->body[k], v + b->iv);
    }
    s->v_known = true;
    fly_system_move_frames(s);
  }
}

// Wide column (frames.c) for each of the 6 n columns of n markers; -1: none, or the body does not move along it.
void fly_system_marker_columns(const fly_model *m, int n, const int *marker, int *column) {
  for (int k = 0; k < n; k++, column += 6) {
    int body = marker[k] >= 0 ? m->marker[marker[k]].body : FLY_GROUND;
    int frame = marker[k] >= 0 ? m->marker[marker[k]].frame : -1;
    for (int c = 0; c < 6; c++)
      column[c] = frame >= 0 ? fly_frame_column(m, frame) + c : -1;
    if (frame >= 0)
      continue;
    for (int c = 0; body != FLY_GROUND && c < m->body[body].framed; c++)
      column[m->body[body].column[c]] = m->body[body].iv + c;
  }
}

void fly_system_pair_columns(const fly_model *m, int pair, int column[FLY_PAIR]) {
  fly_system_marker_columns(m, 2, (const int[]){m->pair[pair].mi, m->pair[pair].mj}, column);
}

double fly_system_angle_rate(const fly_pair *p) { return fly_primitive_rate(FLY_ANGLE, p, &FLY_ABOUT_Z); }

// Where a force acts, with the angle it feels.
const fly_force_at *fly_system_force_at(const fly_system *s, double t, int k) {
  fly_force_at *at = &s->force[k];
  at->side = s->beside->side ? s->beside->side + s->force_relation[k] : NULL;
  at->x = s->beside->x ? s->beside->x + s->model->force[k].state : NULL;
  if (s->model->force[k].type->turns) {
    fly_pair p = fly_force_pair(at);
    double angle;
    fly_primitive_types[FLY_ANGLE].value(&angle, &p, &FLY_ABOUT_Z);
    at->angle = fly_count_turns(s, &s->force_turn[k], t, angle);
  }
  return at;
}

fly_triple fly_system_triple_of(const fly_system *s, const int marker[3]) {
  const fly_kinematics *body[3] = {NULL};
  const fly_marker *frame[3] = {NULL};
  for (int k = 0; k < 3; k++)
    if (marker[k] >= 0) {
      fly_seen seen = fly_system_seen(s, marker[k]);
      body[k] = seen.body;
      frame[k] = seen.marker;
    }
  return (fly_triple){body[0], body[1], body[2], frame[0], frame[1], frame[2]};
}

void fly_system_triple_columns(const fly_model *m, const int marker[3], int column[FLY_TRIPLE]) {
  fly_system_marker_columns(m, 3, marker, column);
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
  fly_pair p =
      a->kind == FLY_ANGLE_OF_FORCE ? fly_force_pair(&s->force[a->which]) : pair_of(s, term ? term->pair : a->which);
  fly_angle_and_rate(angle, rate, &p, k);
}
