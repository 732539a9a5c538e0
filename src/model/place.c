// Where bodies start: a joint that says its angle or displacement at the start, or how fast they change, places the
// body behind it, and what hangs on that body comes along.
//
// From ground outwards over the joints, those that say something first, so that loops are opened at others. What this
// tree does not close is left to assembly.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/constants.h"
#include "math/so3.h"
#include "model/model.h"

// ------------------------------------------------------------------------------------------ what joints say

static double said(const fly_item *joint, const char *parameter, double drawn) {
  return fly_item_given(joint, parameter) ? fly_item_number(joint, parameter) : drawn;
}

static bool says_any(const fly_item *joint) {
  return fly_item_given(joint, "angle") || fly_item_given(joint, "angular_velocity") ||
         fly_item_given(joint, "displacement") || fly_item_given(joint, "velocity");
}

// Value and rate of a coordinate along or about z.
static void coordinate(fly_primitive_kind kind, const fly_pair *p, double *value, double *rate) {
  static const fly_primitive z = {2, 0, 0.0};
  double G[3 * FLY_PAIR], v[FLY_PAIR];
  fly_primitive_types[kind].value(value, p, &z);
  fly_primitive_types[kind].jacobian(G, p, &z);
  fly_pair_velocities(v, p);
  *rate = 0;
  for (int c = 0; c < FLY_PAIR; c++)
    *rate += G[c] * v[c];
}

// What a joint says, and what is drawn where it says nothing.
static fly_joint_start start_of(const fly_item *joint, const fly_pair *p) {
  double angle, rate, displacement, speed;
  coordinate(FLY_ANGLE, p, &angle, &rate);
  coordinate(FLY_PLANE, p, &displacement, &speed);
  fly_joint_start s = {said(joint, "angle", angle), said(joint, "angular_velocity", rate),
                       said(joint, "displacement", displacement), said(joint, "velocity", speed)};
  if (fly_parameter_find(joint->type, "pitch") >= 0) { // a screw advances as it is turned
    const double advance = fly_item_number(joint, "pitch") / FLY_TAU;
    s.displacement += advance * (s.angle - angle);
    s.velocity = advance * s.angular_velocity;
  } else if (fly_parameter_find(joint->type, "displacement") < 0) {
    s.displacement = s.velocity = 0;
  } else if (fly_parameter_find(joint->type, "angle") < 0) {
    s.angle = s.angular_velocity = 0;
  }
  return s;
}

fly_joint_start fly_model_joint_start(const fly_model *m, int joint) {
  const fly_model_pair *pair = &m->pair[m->joint_pair[joint]];
  const fly_model_marker *end[2] = {&m->marker[pair->mi], &m->marker[pair->mj]};
  fly_kinematics body[2];
  for (int side = 0; side < 2; side++) {
    body[side] = (fly_kinematics){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (end[side]->body != FLY_GROUND)
      fly_body_start(&m->body[end[side]->body], &body[side]);
  }
  const fly_pair p = {&body[0], &body[1], &end[0]->m, &end[1]->m};
  return start_of(&m->spec->item[joint], &p);
}

// ------------------------------------------------------------------------------------------ the tree

// A joint seen from one of its bodies.
typedef struct edge {
  int joint;    // item
  int from, to; // bodies; ground is nbody
  bool forward; // from the first body of the joint to the second
} edge;

typedef struct queue {
  edge *edge;
  int first, count;
} queue;

typedef struct placing {
  fly_model *m;
  fly_kinematics *old, *now; // bodies as drawn, and as placed; ground is the last (nbody + 1)
  bool *seen, *moved;        // (nbody + 1)
  int *start;                // where the edges of each body begin (nbody + 2)
  edge *edge;                // body after body
  queue strong, weak;        // edges to follow: of joints that say something, and of others
  fly_arena memory;
} placing;

static int body_index(const fly_model *m, int marker) {
  return m->marker[marker].body == FLY_GROUND ? m->nbody : m->marker[marker].body;
}

static edge edge_of(const fly_model *m, int joint, bool forward) {
  const fly_model_pair *pair = &m->pair[m->joint_pair[joint]];
  const int i = body_index(m, pair->mi), j = body_index(m, pair->mj);
  return (edge){joint, forward ? i : j, forward ? j : i, forward};
}

// Edges sorted by the body they start from; the count is known: two a joint.
static void list_edges(placing *p) {
  const fly_model *m = p->m;
  for (int fill = 0; fill < 2; fill++) {
    for (int k = 0; k < m->spec->nitem; k++)
      for (int side = 0; m->joint_pair[k] >= 0 && side < 2; side++) {
        const edge e = edge_of(m, k, side == 0);
        if (fill)
          p->edge[p->start[e.from]++] = e;
        else
          p->start[e.from + 1]++;
      }
    for (int b = 0; !fill && b <= m->nbody; b++)
      p->start[b + 1] += p->start[b];
  }
  for (int b = m->nbody; b >= 0; b--) // where they begin again, not where they end
    p->start[b + 1] = p->start[b];
  p->start[0] = 0;
}

static void visit(placing *p, int body) {
  p->seen[body] = true;
  for (int k = p->start[body]; k < p->start[body + 1]; k++) {
    queue *q = says_any(&p->m->spec->item[p->edge[k].joint]) ? &p->strong : &p->weak;
    if (!p->seen[p->edge[k].to])
      q->edge[q->count++] = p->edge[k];
  }
}

// ------------------------------------------------------------------------------------------ placing one body

static void add3(double out[3], const double a[3], double factor, const double b[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = a[k] + factor * b[k];
}

// v + w x d in space, w given in body axes
static void velocity_at(double out[3], const fly_kinematics *b, const double d[3]) {
  double w[3], wd[3];
  fly_to_space(w, b->R, b->w);
  fly_cross(wd, w, d);
  add3(out, b->v, 1, wd);
}

// A body whose marker has the axes A and is at p in space, and moves there with v and w in space.
static void set_by_marker(fly_kinematics *b, const fly_marker *marker, const double p[3], const double A[9],
                          const double v[3], const double w[3]) {
  double arm[3], wa[3], transposed[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      transposed[3 * i + j] = marker->A[3 * j + i];
  fly_multiply3(b->R, A, transposed);
  fly_to_space(arm, b->R, marker->s);
  fly_cross(wa, w, arm);
  add3(b->r, p, -1, arm);
  add3(b->v, v, -1, wa);
  fly_to_body(b->w, b->R, w);
}

// The joint closed with what it says: the marker of the second body is turned about z of the first and moved along it,
//   A_j = A_i Rz(angle), p_j = p_i + d z, w_j = w_i + angle' z, v_j = v_i + w_i x (p_j - p_i) + d' z;
// from the second to the first with the signs of angle and d changed.
static void place_by_joint(placing *p, const edge *e) {
  const fly_model *m = p->m;
  const fly_model_pair *pair = &m->pair[m->joint_pair[e->joint]];
  const fly_marker *mi = &m->marker[pair->mi].m, *mj = &m->marker[pair->mj].m, *here = e->forward ? mi : mj;
  const fly_kinematics *from = &p->now[e->from];
  const fly_pair drawn = {&p->old[e->forward ? e->from : e->to], &p->old[e->forward ? e->to : e->from], mi, mj};
  const fly_joint_start s = start_of(&m->spec->item[e->joint], &drawn);
  const double sign = e->forward ? 1 : -1, c = cos(s.angle), n = sign * sin(s.angle);
  const double turn[9] = {c, -n, 0, n, c, 0, 0, 0, 1};
  double A[9], B[9], point[3], arm[3], v[3], w[3], z[3];
  fly_multiply3(A, from->R, here->A);
  fly_multiply3(B, A, turn);
  fly_axis_space(z, from, here, 2); // common to both markers
  fly_marker_point(point, from, here);
  fly_to_space(w, from->R, from->w);
  add3(point, point, sign * s.displacement, z);
  add3(arm, point, -1, from->r);
  velocity_at(v, from, arm);
  add3(w, w, sign * s.angular_velocity, z);
  add3(v, v, sign * s.velocity, z);
  set_by_marker(&p->now[e->to], e->forward ? mj : mi, point, B, v, w);
}

// As it is drawn against the body it hangs on: the turn D of that body, and its new motion.
static void come_along(placing *p, const edge *e) {
  const fly_kinematics *old = &p->old[e->from], *now = &p->now[e->from], *drawn = &p->old[e->to];
  fly_kinematics *b = &p->now[e->to];
  double D[9], transposed[9], arm[3], moved[3], v[3], w[3], w_old[3], relative[3], turned[3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      transposed[3 * i + j] = old->R[3 * j + i];
  fly_multiply3(D, now->R, transposed);
  add3(arm, drawn->r, -1, old->r);
  fly_to_space(moved, D, arm);
  add3(b->r, now->r, 1, moved);
  fly_multiply3(b->R, D, drawn->R);
  velocity_at(v, old, arm);
  add3(relative, drawn->v, -1, v);
  fly_to_space(turned, D, relative);
  velocity_at(v, now, moved);
  add3(b->v, v, 1, turned);
  fly_to_space(w, drawn->R, drawn->w);
  fly_to_space(w_old, old->R, old->w);
  add3(relative, w, -1, w_old);
  fly_to_space(turned, D, relative);
  fly_to_space(w, now->R, now->w);
  add3(w, w, 1, turned);
  fly_to_body(b->w, b->R, w);
}

static void follow(placing *p, const edge *e) {
  if (p->seen[e->to])
    return;
  const bool told = says_any(&p->m->spec->item[e->joint]);
  if (told)
    place_by_joint(p, e);
  else if (p->moved[e->from])
    come_along(p, e);
  p->moved[e->to] = told || p->moved[e->from];
  visit(p, e->to);
}

// ------------------------------------------------------------------------------------------ all bodies

static bool take(placing *p, int joints) {
  const size_t bodies = (size_t)p->m->nbody + 1, edges = 2 * (size_t)joints;
  p->old = fly_arena_take(&p->memory, bodies, sizeof *p->old);
  p->now = fly_arena_take(&p->memory, bodies, sizeof *p->now);
  p->seen = fly_arena_take(&p->memory, bodies, sizeof *p->seen);
  p->moved = fly_arena_take(&p->memory, bodies, sizeof *p->moved);
  p->start = fly_arena_ints(&p->memory, bodies + 1);
  p->edge = fly_arena_take(&p->memory, edges, sizeof *p->edge);
  p->strong.edge = fly_arena_take(&p->memory, edges, sizeof *p->edge);
  p->weak.edge = fly_arena_take(&p->memory, edges, sizeof *p->edge);
  return !p->memory.failed;
}

static edge next(placing *p) {
  queue *q = p->strong.first < p->strong.count ? &p->strong : &p->weak;
  return q->edge[q->first++];
}

// From a body that stays as it is drawn.
static void place_from(placing *p, int root) {
  if (p->seen[root])
    return;
  visit(p, root);
  while (p->strong.first < p->strong.count || p->weak.first < p->weak.count) {
    const edge e = next(p);
    follow(p, &e);
  }
}

static void place_all(placing *p) {
  fly_model *m = p->m;
  for (int b = 0; b < m->nbody; b++)
    fly_body_start(&m->body[b], &p->old[b]);
  p->old[m->nbody] = (fly_kinematics){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  memcpy(p->now, p->old, ((size_t)m->nbody + 1) * sizeof *p->now);
  list_edges(p);
  place_from(p, m->nbody);
  for (int b = 0; b < m->nbody; b++)
    place_from(p, b);
  for (int b = 0; b < m->nbody; b++)
    if (p->moved[b])
      m->body[b].type->place(m->body[b].q0, m->body[b].v0, &p->old[b], &p->now[b]);
}

fly_status fly_model_place(fly_model *m, fly_error *error) {
  placing p = {.m = m};
  int joints = 0;
  bool any = false;
  for (int k = 0; k < m->spec->nitem; k++)
    if (m->joint_pair[k] >= 0) {
      joints++;
      any = any || says_any(&m->spec->item[k]);
    }
  if (!any)
    return FLY_OK;
  const bool taken = take(&p, joints);
  if (taken)
    place_all(&p);
  fly_arena_free(&p.memory);
  return taken ? FLY_OK : fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the start of %d bodies.", m->nbody);
}
