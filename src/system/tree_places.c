// Bodies of a tree are put where their joints allow them to be, from the ground outwards (docs/theory/statespace.md,
// SS-swing).
#include <math.h>
#include <string.h>

#include "system/tree.h"

// A turn by rel leads from the axes it hangs on to its own. Joints hold axes parallel, which they are after half a turn
// as well: of all such turns the one that is left is small, or about z.
static void take_half_turn(double rel[4], turns turning) {
  double size[4];
  int most = 0;
  for (int k = 0; k < 4; k++) {
    size[k] = rel[k] * rel[k];
    most = size[k] > size[most] ? k : most;
  }
  if (turning == TURNS_ABOUT_Z)
    most = size[1] + size[2] > size[0] + size[3] ? 1 : 0;
  if (most == 0)
    return;
  double half[4] = {0}, turned[4];
  half[most] = -1;
  fly_quat_multiply(turned, half, rel);
  memcpy(rel, turned, sizeof turned);
}

// What turns `rel` into one that the joint allows, less 1: of rel = (w, x, y, z) the part about x and y is taken back,
// or all of it.
static void missing_turn(double less[4], const double rel[4], turns turning) {
  const double w = rel[0], x = rel[1], y = rel[2], z = rel[3];
  if (turning == TURNS_WITH) {
    const double off = x * x + y * y + z * z, sign = w < 0 ? -1.0 : 1.0;
    memcpy(less, (double[4]){-off / (1 + fabs(w)), -sign * x, -sign * y, -sign * z}, 4 * sizeof *less);
    return;
  }
  const double n = sqrt(w * w + z * z), off = x * x + y * y;
  memcpy(less, (double[4]){-off / (1 + n), (-w * x - y * z) / n, (-w * y + x * z) / n, 0}, 4 * sizeof *less);
}

// e (its quaternion) by what the joint does not allow; on: that of the other body. What is right already stays bit by
// bit, but for rounding.
static void put_turn_back(const fly_branch *b, double e[4], const double on[4], const double A[9]) {
  double axes[4], own[4], rel[4], less[4], turn[4], more[4];
  fly_quat_multiply(axes, on, b->near);
  fly_quat_multiply(own, e, b->far);
  for (int k = 1; k < 4; k++)
    axes[k] = -axes[k];
  fly_quat_multiply(rel, axes, own);
  take_half_turn(rel, b->turning);
  missing_turn(less, rel, b->turning);
  turn[0] = less[0];
  fly_to_space(turn + 1, A, less + 1);
  fly_quat_multiply(more, e, turn);
  for (int k = 0; k < 4; k++)
    e[k] += more[k];
}

// The angle of a planar body, where it turns with the other: of axes a and b that are perpendicular then.
static double flat_turn_back(const fly_system *s, const fly_branch *b) {
  const fly_pair *p = &s->pair[b->pair];
  int dot = b->term;
  while (s->model->term[dot].kind != FLY_DOT)
    dot++;
  double ai[3], bj[3];
  fly_axis_space(ai, p->bi, p->mi, s->model->term[dot].k.axis_i);
  fly_axis_space(bj, p->bj, p->mj, s->model->term[dot].k.axis_j);
  const double across = ai[1] * bj[0] - ai[0] * bj[1]; // d(a . b) as the second one turns
  return -atan(fly_dot3(ai, bj) / (b->first ? -across : across));
}

int fly_tree_slides(const fly_system *s, const fly_branch *b, double axis[3][3]) {
  static const double space[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int count = 0;
  if (b->slides == ALL_AXES) {
    memcpy(axis, space, sizeof space);
    return b->shape == FLAT ? 2 : 3;
  }
  if (b->slides == SLOT) {
    const fly_pair *p = &s->pair[b->pair];
    double across[3];
    fly_axis_space(across, p->bi, p->mi, s->model->term[b->slot].k.axis_i);
    memcpy(axis[count++], (double[3]){-across[1], across[0], 0}, sizeof across);
  }
  for (int k = 0; k < 3; k++)
    if (b->slides & 1 << k)
      fly_axis_space(axis[count++], &s->body[b->on], fly_near_marker(s, b), k);
  return count;
}

// The part of d that no sliding explains, subtracted from x.
static void take_off(const fly_system *s, const fly_branch *b, const double d[3], double x[3]) {
  double off[3] = {d[0], d[1], d[2]}, axis[3][3];
  for (int k = fly_tree_slides(s, b, axis) - 1; k >= 0; k--) {
    const double size = fly_dot3(axis[k], d);
    for (int c = 0; c < 3; c++)
      off[c] -= size * axis[k][c];
  }
  for (int c = 0; c < 3; c++)
    x[c] -= off[c];
}

// Angular velocity in body axes: what the joint does not allow of it, seen from the other body, is taken off.
static void put_rate_back(const fly_branch *b, fly_kinematics *k, const fly_kinematics *on, const fly_marker *far) {
  double space[3], seen[3], rel[3], axis[3];
  if (b->turning == TURNS_FREELY)
    return;
  fly_to_space(space, on->R, on->w);
  fly_to_body(seen, k->R, space);
  for (int c = 0; c < 3; c++)
    rel[c] = k->w[c] - seen[c];
  fly_axis(axis, far, 2);
  const double about = b->turning == TURNS_ABOUT_Z ? fly_dot3(axis, rel) : 0.0;
  for (int c = 0; c < 3; c++)
    k->w[c] -= rel[c] - about * axis[c];
}

// Places and velocities of a link, d and w from the other marker to its own, lose what changes its length.
static void put_place_on_link(double r[3], const double d[3], double length) {
  const double size = sqrt(fly_dot3(d, d)), off = (fly_dot3(d, d) - length * length) / (size * (size + length));
  for (int c = 0; c < 3; c++)
    r[c] -= off * d[c];
}

static void put_rate_on_link(double v[3], const double w[3], const double d[3]) {
  const double off = fly_dot3(w, d) / fly_dot3(d, d);
  for (int c = 0; c < 3; c++)
    v[c] -= off * d[c];
}

static void put_body_back(const fly_system *s, const fly_branch *b, double *q, double *v) {
  const fly_body *body = &s->model->body[b->body];
  const fly_kinematics *on = &s->body[b->on];
  const fly_marker *near = fly_near_marker(s, b), *far = fly_far_marker(s, b);
  fly_kinematics *k = &s->body[b->body];
  double hand[3], arm[3], d[3], w[3], turned[3], carried[3];
  const bool flat = b->shape == FLAT;
  if (b->turning != TURNS_FREELY && !flat) {
    double turn[4] = {1, 0, 0, 0};
    if (b->at >= 0)
      s->model->body[b->on].type->quaternion(turn, q + s->model->body[b->on].iq);
    put_turn_back(b, q + body->iq + 3, turn, far->A);
  }
  fly_body_position(body, q + body->iq, k);
  if (b->turning == TURNS_WITH && flat) {
    q[body->iq + 2] += flat_turn_back(s, b);
    fly_body_position(body, q + body->iq, k);
  }
  fly_body_velocity(body, v + body->iv, k);
  fly_to_space(hand, k->R, far->s);
  fly_to_space(arm, on->R, near->s);
  put_rate_back(b, k, on, far);
  for (int c = 0; c < 3; c++)
    d[c] = k->r[c] + hand[c] - on->r[c] - arm[c];
  if (b->link)
    put_place_on_link(k->r, d, s->model->term[b->term].k.c);
  else if (b->slides != ALL_AXES)
    take_off(s, b, d, k->r);
  for (int c = 0; c < 3; c++) {
    d[c] = k->r[c] + hand[c] - on->r[c] - arm[c];
    arm[c] += d[c]; // of a link: what turns with the other body is across it
  }
  double own[3], space[3];
  fly_to_space(own, k->R, k->w);
  fly_to_space(space, on->R, on->w);
  fly_cross(turned, own, hand);
  fly_cross(carried, space, arm);
  for (int c = 0; c < 3; c++)
    w[c] = k->v[c] + turned[c] - on->v[c] - carried[c];
  if (b->link)
    put_rate_on_link(k->v, w, d);
  else if (b->slides != ALL_AXES)
    take_off(s, b, w, k->v);
  memcpy(q + body->iq, k->r, (flat ? 2 : 3) * sizeof *q);
  for (int c = 0; c < body->columns; c++)
    v[body->iv + c] = body->column[c] < 3 ? k->v[body->column[c]] : k->w[body->column[c] - 3];
}

int fly_tree_put_back(double *q, double *v, void *user) {
  fly_system *s = user;
  const struct fly_branches *t = s->branches;
  if (!t->filled)
    fly_tree_fill(s);
  for (int i = 0; i < t->count; i++) {
    const fly_branch *b = &t->branch[i];
    const fly_body *body = &s->model->body[b->body];
    if (b->pair >= 0) {
      put_body_back(s, b, q, v);
    } else {
      fly_body_position(body, q + body->iq, &s->body[b->body]);
      fly_body_velocity(body, v + body->iv, &s->body[b->body]);
    }
  }
  // Bodies stand as fly_system_update would have them.
  memcpy(s->q_seen, q, (size_t)s->model->nq * sizeof *q);
  memcpy(s->v_seen, v, (size_t)s->model->nv * sizeof *v);
  s->q_known = s->v_known = true;
  s->value_known = false;
  return fly_system_go_on(s);
}
