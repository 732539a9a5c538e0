// What is written on request: markers, and coordinates of joints.
#include <string.h>

#include "math/so3.h"
#include "system/parts.h"

// Acceleration (r'' in space, w' in its axes) of what carries a marker, and its quaternion.
static void carrier(fly_system *s, const fly_dae_state *at, int marker, const fly_seen *seen, double a[6],
                    double own[4]) {
  const fly_body *b = &s->model->body[s->model->marker[marker].body];
  double frames[FLY_TRIPLE];
  fly_system_triple_accelerations(s->model, (const int[]){marker, -1, -1}, fly_system_wide_accelerations(s, at),
                                  frames);
  memcpy(a, frames, 6 * sizeof *a);
  if (s->model->marker[marker].frame >= 0)
    fly_quat_of_matrix(own, seen->body->R);
  else
    b->type->quaternion(own, at->q + b->iq);
}

// p = r + R s,  v = r' + R (w x s),  a = r'' + R (w' x s + w x (w x s)); w, w' in body axes
void fly_system_marker(fly_system *s, const fly_dae_state *at, int marker, double *out) {
  fly_system_update(s, at->q, at->v);
  const fly_seen seen = fly_system_seen(s, marker);
  const fly_marker *m = seen.marker;
  const fly_kinematics *k = seen.body;
  double a[6], own[4], turn[4], wds[3], arm[3], swing[3];
  carrier(s, at, marker, &seen, a, own);
  fly_marker_point(out, k, m);
  fly_quat_of_matrix(turn, m->A);
  fly_quat_multiply(out + 3, own, turn);
  fly_point_velocity(out + 7, k, m);
  fly_to_space(out + 10, k->R, k->w);
  fly_cross(wds, a + 3, m->s);
  fly_to_space(swing, k->R, wds);
  fly_centripetal(arm, k, m->s);
  for (int c = 0; c < 3; c++)
    out[13 + c] = a[c] + swing[c] + arm[c];
  fly_to_space(out + 16, k->R, a + 3);
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
