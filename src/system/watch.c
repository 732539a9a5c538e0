// What is written on request: markers, and coordinates of joints.
#include "math/so3.h"
#include "system/system.h"

// p = r + R s,  v = r' + R (w x s),  a = r'' + R (w' x s + w x (w x s)); w, w' in body axes
void fly_system_marker(fly_system *s, const fly_dae_state *at, int marker, double *out) {
  const fly_model *model = s->model;
  const fly_marker *m = &model->marker[marker].m;
  const fly_body *b = &model->body[model->marker[marker].body];
  double a[6] = {0}, own[4], turn[4], wds[3], arm[3], swing[3];
  fly_kinematics k = {0};
  fly_body_position(b, at->q + b->iq, &k);
  fly_body_velocity(b, at->v + b->iv, &k);
  for (int c = 0; c < b->columns; c++)
    a[b->column[c]] = at->vdot[b->iv + c];
  fly_point(out, &k, m);
  b->type->quaternion(own, at->q + b->iq);
  fly_quat_of_matrix(turn, m->A);
  fly_quat_multiply(out + 3, own, turn);
  fly_point_velocity(out + 7, &k, m);
  fly_to_space(out + 10, k.R, k.w);
  fly_cross(wds, a + 3, m->s);
  fly_to_space(swing, k.R, wds);
  fly_centripetal(arm, &k, m->s);
  for (int c = 0; c < 3; c++)
    out[13 + c] = a[c] + swing[c] + arm[c];
  fly_to_space(out + 16, k.R, a + 3);
}

void fly_system_coordinates(fly_system *s, const fly_dae_state *at, int pair, double out[4]) {
  static const fly_primitive height = {2, 0, 0.0}, turn = {2, 0, 0.0};
  const struct {
    fly_primitive_kind kind;
    const fly_primitive *k;
  } list[2] = {{FLY_PLANE, &height}, {FLY_ANGLE, &turn}};
  fly_pair p = fly_system_pair(s, at, pair);
  double v[FLY_PAIR], G[FLY_PAIR];
  fly_pair_velocities(v, &p);
  for (int k = 0; k < 2; k++) {
    const fly_primitive_type *type = &fly_primitive_types[list[k].kind];
    type->value(&out[2 * k], &p, list[k].k);
    type->jacobian(G, &p, list[k].k);
    out[2 * k + 1] = 0;
    for (int c = 0; c < FLY_PAIR; c++)
      out[2 * k + 1] += G[c] * v[c];
  }
  out[2] = fly_count_turns(s, &s->joint_turn[pair], at->t, out[2]);
}
