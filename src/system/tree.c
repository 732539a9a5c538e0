// Mechanisms without loops: rigid and planar bodies and point masses that hang on each other by joints, each on one.
// Where they are and how they accelerate follows joint after joint, without equations (docs/theory/statespace.md,
// section 9).
//
// A body c hangs on a body p, or on the ground. Seen from p, with space axes and places counted from the mass centres,
//
//   a_c = X a_p + c + S s',   a = (dv/dt, dw/dt),   X = | 1  -[D] |,   D = r_c - r_p                         (SS-tree)
//                                                       | 0   1   |
//
// where the columns of S are what the joint leaves free. Inertias of all that hangs on a body are gathered from the
// outermost bodies inwards (Featherstone, Int. J. Robotics Res. 2, 1983), one free direction at a time.
#include <math.h>
#include <string.h>

#include "base/quad.h"
#include "base/wide.h"
#include "element/list.h"
#include "system/parts.h"

typedef enum turns { TURNS_FREELY, TURNS_ABOUT_Z, TURNS_WITH } turns;

enum { X_AXIS = 1, Y_AXIS = 2, Z_AXIS = 4, ALL_AXES = 7, SLOT = 8 };

typedef enum shape { RIGID, POINT, FLAT, OTHER } shape;

// Vectors of six numbers, and columns of matrices, are pairs of three, and each three have a fourth, which is zero.
//
// A free direction: U = I S, over = 1/(S . U), u = -S . p.
typedef struct direction {
  quad S[2], U[2];
  double over, u;
  double lost[4]; // rounding errors of its acceleration, in units of rounding: by a unit of dv/dt, dw/dt; by forces,
                  // torques
} direction;

typedef struct fly_branch {
  int body, on; // on: the body it hangs on; that of ground behind the others
  int at;       // the same in the list of branches; -1: ground
  int pair;     // of the joint; -1: it hangs on nothing
  bool first;   // it is the first body of that pair
  shape shape;  // a point mass has no turns, a planar body moves in its plane
  bool link;    // its marker is at a distance from the other, whatever the direction
  turns turning;
  int slides;             // along axes of the marker that it hangs on: bits; of a planar body one way: SLOT,
  int slot;               // across the axis of this term
  int free;               // directions
  int term, terms;        // of the joint
  double near[4], far[4]; // axes of the markers in the axes of their bodies: what it hangs on, its own
  double arm[3], hand[3]; // from the mass centre of the other body, and from its own, to its marker
  double way[3], length;  // of a link: from the other marker to its own
  double D[3];            // as above
  double off[2];          // inertia that was taken off here and beyond, along and about [kg, kg m^2],
  double forces[2];       // and forces and torques at the time [N, N m]
  quad turned[3];         // columns of [D]
  quad c[2];              // as above
  quad A[3], B[3];        // inertia of all that hangs here, by columns: forces by dv/dt, by dw/dt,
  quad T[3], C[3];        // torques
  quad p[2], a[2];        // forces that are needed without acceleration; acceleration
  direction *along;       // (free)
} fly_branch;

struct fly_branches {
  fly_joint_tree tree;
  int count;
  fly_branch *branch; // each behind the one it hangs on (count)
  bool *own;          // (nv)
  double lost;        // rounding errors of accelerations that were asked for with multipliers, in units of rounding
};

// ------------------------------------------------------------------------------------------ what hangs on what

static bool kept(const fly_system *s, int term) {
  const int *row = s->term_row + 3 * (size_t)term;
  return row[0] >= 0 || row[1] >= 0 || row[2] >= 0;
}

static bool is_dot(const fly_term *t, int i, int j) {
  return t->kind == FLY_DOT && t->k.c == 0 && t->k.axis_i == i && t->k.axis_j == j;
}

static shape shape_of(const fly_system *s, int body) {
  const fly_body_type *type = s->model->body[body].type;
  return type == fly_bodies_rigid.body    ? RIGID
         : type == fly_bodies_point.body  ? POINT
         : type == fly_bodies_planar.body ? FLAT
                                          : OTHER;
}

static bool lies_flat(const fly_marker *m, int axis) { return fabs(m->A[6 + axis]) < 1e-13; }

// Likewise of a planar body on another or on the ground, whose joints have those rows only that they feel.
static bool understand_flat(const fly_system *s, fly_branch *b) {
  const fly_pair *p = &s->pair[b->pair];
  int points = 0, planes = 0, dots = 0;
  for (int k = b->term; k < b->term + b->terms; k++) {
    const fly_term *t = &s->model->term[k];
    points += t->kind == FLY_POINT && t->rows == (X_AXIS | Y_AXIS);
    planes += t->kind == FLY_PLANE && t->k.c == 0 && lies_flat(p->mi, t->k.axis_i);
    dots += t->kind == FLY_DOT && t->k.c == 0 && lies_flat(p->mi, t->k.axis_i) && lies_flat(p->mj, t->k.axis_j);
    if (t->kind == FLY_PLANE)
      b->slot = k;
  }
  if (dots > 1 || planes > 2 || points > 1 || (points == 1 && planes > 0) ||
      points + planes + dots + b->link != b->terms)
    return false;
  b->turning = dots == 1 ? TURNS_WITH : TURNS_FREELY;
  b->slides = points == 1 || planes == 2 || b->link ? 0 : planes == 1 ? SLOT : ALL_AXES;
  const bool ground = b->on == s->model->nbody;
  return (ground || shape_of(s, b->on) == FLAT) && !(b->slides == SLOT && b->first && dots == 0);
}

// What the rows of a joint are: false: nothing that is known here.
static bool understand(const fly_system *s, fly_branch *b) {
  const fly_model *m = s->model;
  int held = 0, tilts = 0, about = 0, locks = 0, dots = 0;
  const bool flat = b->shape == FLAT;
  b->link = m->term[b->term].kind == FLY_DISTANCE && b->terms == 1;
  for (int k = b->term; k < b->term + b->terms; k++) {
    const fly_term *t = &m->term[k];
    const fly_row *row = &m->row[t->row];
    const int all = (1 << fly_primitive_types[t->kind].rows) - 1;
    if (t->factor != 1 || (t->rows != all && !flat) || row->counted || row->motion >= 0)
      return false;
    for (int r = 0; r < fly_primitive_types[t->kind].rows; r++)
      if (s->term_row[3 * k + r] < 0 && t->rows & 1 << r)
        return false;
    if (t->kind == FLY_POINT)
      held |= ALL_AXES;
    else if (t->kind == FLY_PLANE && t->k.c == 0)
      held |= 1 << t->k.axis_i;
    else if (t->kind != FLY_DOT && !b->link)
      return false;
    dots += t->kind == FLY_DOT;
    tilts += is_dot(t, 0, 2) || is_dot(t, 1, 2);
    locks += is_dot(t, 2, 0) || is_dot(t, 2, 1);
    about += is_dot(t, 0, 1);
  }
  if (flat)
    return understand_flat(s, b);
  b->turning = dots == 0 ? TURNS_FREELY : dots == 2 && tilts == 2 ? TURNS_ABOUT_Z : TURNS_WITH;
  if (b->turning == TURNS_WITH && !(dots == 3 && about == 1 && (tilts == 2 || locks == 2)))
    return false;
  b->slides = b->link ? 0 : ALL_AXES & ~held;
  if (dots > 0 && (b->shape == POINT || (b->on < m->nbody && shape_of(s, b->on) == POINT)))
    return false;
  const bool along = b->slides == Z_AXIS || b->slides == (X_AXIS | Y_AXIS);
  return b->slides == 0 || b->slides == ALL_AXES || (along && !(b->turning == TURNS_FREELY && b->first));
}

static void set_free(const fly_system *s, fly_branch *b, bool *own) {
  static const int ways[] = {[TURNS_FREELY] = 3, [TURNS_ABOUT_Z] = 1, [TURNS_WITH] = 0};
  const fly_body *body = &s->model->body[b->body];
  const bool flat = b->shape == FLAT;
  const int about = b->shape == POINT ? 0 : flat ? b->turning == TURNS_FREELY : ways[b->turning];
  const int slides = (b->slides & 1) + (b->slides >> 1 & 1) + (b->slides >> 2 & !flat) + (b->slides == SLOT);
  b->free = about + slides + (b->link ? 2 - flat : 0);
  for (int c = 0; c < body->columns; c++)
    own[body->iv + c] = body->column[c] < 3 ? b->slides != 0 || b->link : b->turning != TURNS_WITH;
}

static void set_markers(const fly_system *s, fly_branch *b) {
  const fly_pair *p = &s->pair[b->pair];
  fly_quat_of_matrix(b->near, b->first ? p->mj->A : p->mi->A);
  fly_quat_of_matrix(b->far, b->first ? p->mi->A : p->mj->A);
}

// Work of the search. Terms of a pair follow each other where it is a joint's; if not, there is no tree.
typedef struct search {
  const fly_system *s;
  struct fly_branches *t;
  int *first, *terms;  // of each pair (npair)
  int *start, *joined; // pairs with terms of each body, and of ground behind them (nbody + 2), (2 npair)
  int *at;             // branch of each body; -1: not found (nbody)
  int next;            // branch of which nobody knows yet what hangs on it
} search;

static bool list_terms(search *w) {
  const fly_model *m = w->s->model;
  for (int k = 0; k < m->nterm; k++) {
    const int pair = m->term[k].pair;
    if (!kept(w->s, k))
      continue;
    if (w->terms[pair] > 0 && k != w->first[pair] + w->terms[pair])
      return false;
    if (w->terms[pair]++ == 0)
      w->first[pair] = k;
  }
  return true;
}

static void list_joined(search *w) {
  const fly_model *m = w->s->model;
  for (int pass = 0; pass < 2; pass++) { // counted, then put down from the end of each list, which ends as its start
    for (int k = m->npair - 1; k >= 0; k--)
      for (int side = 0; side < 2 && w->terms[k] > 0; side++) {
        const int body = body_index(w->s, side ? m->pair[k].mj : m->pair[k].mi);
        if (pass == 0)
          w->start[body]++;
        else
          w->joined[--w->start[body]] = k;
      }
    for (int b = 0; b <= m->nbody && pass == 0; b++)
      w->start[b + 1] += w->start[b];
  }
}

static bool add_branch(search *w, int body, int on, int pair) {
  const fly_system *s = w->s;
  fly_branch *b = &w->t->branch[w->t->count];
  *b = (fly_branch){.body = body, .on = on, .pair = pair, .slides = ALL_AXES, .shape = shape_of(s, body)};
  b->at = on < s->model->nbody ? w->at[on] : -1;
  if (pair >= 0) {
    b->first = body_index(s, s->model->pair[pair].mi) == body;
    b->term = w->first[pair];
    b->terms = w->terms[pair];
    if (!understand(s, b))
      return false;
    set_markers(s, b);
  }
  set_free(s, b, w->t->own);
  w->at[body] = w->t->count++;
  return true;
}

// All that hangs on a body. False: that closes a loop, or is no joint that is known here.
static bool hang(search *w, int on) {
  const int ground = w->s->model->nbody, own = on < ground ? w->t->branch[w->at[on]].pair : -1;
  for (int i = w->start[on]; i < w->start[on + 1]; i++) {
    const fly_model_pair *pair = &w->s->model->pair[w->joined[i]];
    const int mi = body_index(w->s, pair->mi), body = mi == on ? body_index(w->s, pair->mj) : mi;
    if (w->joined[i] == own)
      continue;
    if (body == ground || w->at[body] >= 0 || !add_branch(w, body, on, w->joined[i]))
      return false;
  }
  return true;
}

static bool grow(search *w) {
  bool fine = true;
  for (; w->next < w->t->count && fine; w->next++)
    fine = hang(w, w->t->branch[w->next].body);
  return fine;
}

static bool find_branches(search *w) {
  const int n = w->s->model->nbody;
  for (int k = 0; k < n; k++)
    w->at[k] = -1;
  bool fine = list_terms(w);
  if (fine)
    list_joined(w);
  fine = fine && hang(w, n) && grow(w);
  for (int root = 0; root < n && fine; root++)
    if (w->at[root] < 0)
      fine = add_branch(w, root, n, -1) && grow(w);
  return fine;
}

static bool all_known(const fly_system *s) {
  for (int k = 0; k < s->model->nbody; k++)
    if (shape_of(s, k) == OTHER)
      return false;
  return s->model->nbody > 0 && s->model->nframe == 0;
}

// ------------------------------------------------------------------------------------------ where bodies are

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

// The way along which a planar body slides.
static void slot_axis(const fly_system *s, const fly_branch *b, double out[3]) {
  const fly_pair *p = &s->pair[b->pair];
  double across[3];
  fly_axis_space(across, p->bi, p->mi, s->model->term[b->slot].k.axis_i);
  out[0] = -across[1];
  out[1] = across[0];
  out[2] = 0;
}

// The part of d that no sliding explains, subtracted from x.
static void take_off(const fly_system *s, const fly_branch *b, const fly_marker *near, const double d[3], double x[3]) {
  const fly_kinematics *on = &s->body[b->on];
  double off[3] = {d[0], d[1], d[2]}, axis[3];
  if (b->slides == SLOT) {
    slot_axis(s, b, axis);
    const double size = fly_dot3(axis, d);
    for (int c = 0; c < 3; c++)
      off[c] -= size * axis[c];
  }
  for (int k = 0; k < 3 && b->slides; k++) {
    if (!(b->slides & 1 << k))
      continue;
    fly_axis_space(axis, on, near, k);
    const double size = fly_dot3(axis, d);
    for (int c = 0; c < 3; c++)
      off[c] -= size * axis[c];
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
  const fly_pair *p = &s->pair[b->pair];
  const fly_kinematics *on = &s->body[b->on];
  const fly_marker *near = b->first ? p->mj : p->mi, *far = b->first ? p->mi : p->mj;
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
    take_off(s, b, near, d, k->r);
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
    take_off(s, b, near, w, k->v);
  memcpy(q + body->iq, k->r, (flat ? 2 : 3) * sizeof *q);
  for (int c = 0; c < body->columns; c++)
    v[body->iv + c] = body->column[c] < 3 ? k->v[body->column[c]] : k->w[body->column[c] - 3];
}

static int put_back(double *q, double *v, void *user) {
  fly_system *s = user;
  const struct fly_branches *t = s->branches;
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
  memcpy(s->q_seen, q, (size_t)s->model->nq * sizeof *q);
  memcpy(s->v_seen, v, (size_t)s->model->nv * sizeof *v);
  s->q_known = s->v_known = true;
  s->value_known = false;
  return fly_system_go_on(s);
}

// ------------------------------------------------------------------------------------------ accelerations

#define four(u) ((quad){(u)[0], (u)[1], (u)[2], 0})

// A free direction: turning about n through the marker, or sliding along it.
INLINED void set_direction(fly_branch *b, int i, const double n[3], bool turning) {
  double across[3] = {0};
  if (turning)
    fly_cross(across, b->hand, n);
  b->along[i].S[0] = four(turning ? across : n);
  b->along[i].S[1] = four(turning ? n : across);
}

// Of two or, in the plane, one that are across the way of a link.
static int set_link_directions(fly_branch *b, int i) {
  double A[9] = {-b->way[1], 0, 0, b->way[0]};
  if (b->shape != FLAT)
    fly_axes_from_z(A, b->way);
  for (int k = 0; k < 2 - (b->shape == FLAT); k++)
    set_direction(b, i++, (double[3]){A[k], A[3 + k], A[6 + k]}, false);
  return i;
}

INLINED void set_directions(const fly_system *s, fly_branch *b, const fly_kinematics *on, const fly_marker *near) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const bool flat = b->shape == FLAT;
  double n[3];
  int i = 0; // sliding first: what can slide away resists no turn, and nothing large is subtracted from as much
  if (b->link)
    i = set_link_directions(b, i);
  if (b->slides == SLOT) {
    slot_axis(s, b, n);
    set_direction(b, i++, n, false);
  }
  for (int k = 0; k < 3 - flat && b->slides; k++)
    if (b->slides == ALL_AXES) {
      set_direction(b, i++, axes[k], false);
    } else if (b->slides & 1 << k) {
      fly_axis_space(n, on, near, k);
      set_direction(b, i++, n, false);
    }
  if (b->turning == TURNS_ABOUT_Z) {
    fly_axis_space(n, on, near, 2);
    set_direction(b, i++, n, true);
  }
  for (int k = flat ? 2 : 0; k < 3 && b->turning == TURNS_FREELY && b->shape != POINT; k++)
    set_direction(b, i++, axes[k], true);
}

// c of (SS-tree): what turning and sliding make of accelerations, with nothing else.
INLINED void set_bias(fly_branch *b, const fly_kinematics *k, const fly_kinematics *on) {
  double w[3], won[3], u[3], uu[3], turned[3], back[3];
  fly_to_space(w, k->R, k->w);
  fly_to_space(won, on->R, on->w);
  fly_cross(u, won, b->arm);
  fly_cross(turned, w, b->hand);
  fly_cross(uu, won, u);
  fly_cross(back, w, turned);
  b->c[0] = four(uu) - four(back);
  b->c[1] = (quad){0};
  if (b->slides) {
    double slide[3];
    for (int c = 0; c < 3; c++)
      slide[c] = k->v[c] + turned[c] - on->v[c] - u[c];
    fly_cross(uu, won, slide);
    b->c[0] += 2 * four(uu);
  }
  if (b->link) {
    for (int c = 0; c < 3; c++)
      uu[c] = k->v[c] + turned[c] - on->v[c] - u[c];
    b->c[0] -= four(b->way) * (fly_dot3(uu, uu) / b->length);
  }
  if (b->turning != TURNS_ABOUT_Z)
    return;
  fly_cross(turned, won, w);
  fly_cross(uu, turned, b->hand);
  b->c[0] -= four(uu);
  b->c[1] = four(turned);
}

// Its own inertia and forces, along space.
INLINED void set_inertia(fly_branch *b, const fly_system *s, const double *f) {
  const fly_body *body = &s->model->body[b->body];
  const double *R = s->body[b->body].R;
  double RJ[9], torque[3];
  const double m = body->own.mass;
  b->off[0] = b->off[1] = b->forces[0] = b->forces[1] = 0;
  for (int j = 0; j < 3; j++) {
    b->A[j] = (quad){0};
    b->A[j][j] = m;
  }
  fly_multiply3(RJ, R, body->own.J);
  const quad x = {RJ[0], RJ[3], RJ[6], 0}, y = {RJ[1], RJ[4], RJ[7], 0}, z = {RJ[2], RJ[5], RJ[8], 0};
  for (int j = 0; j < 3; j++) {
    b->B[j] = b->T[j] = (quad){0};
    b->C[j] = x * R[3 * j] + y * R[3 * j + 1] + z * R[3 * j + 2];
  }
  f += body->iv;
  b->p[1] = (quad){0};
  if (b->shape == FLAT) {
    b->p[0] = (quad){0};
    b->p[0][0] = -f[0];
    b->p[0][1] = -f[1];
    b->p[1][2] = -f[2];
    return;
  }
  b->p[0] = -four(f);
  if (b->shape == POINT)
    return;
  fly_to_space(torque, R, f + 3);
  b->p[1] = -four(torque);
}

static const fly_marker UNMOVED = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}}; // of what hangs on nothing

INLINED void place(fly_branch *b, const fly_system *s, const double *f) {
  const fly_kinematics *k = &s->body[b->body], *on = &s->body[b->on];
  const fly_pair none = {k, k, &UNMOVED, &UNMOVED}, *p = b->pair >= 0 ? &s->pair[b->pair] : &none;
  const fly_marker *near = b->first ? p->mj : p->mi, *far = b->first ? p->mi : p->mj;
  fly_to_space(b->hand, k->R, far->s);
  if (b->slides)
    for (int c = 0; c < 3; c++)
      b->arm[c] = k->r[c] + b->hand[c] - on->r[c];
  else
    fly_to_space(b->arm, on->R, near->s);
  if (b->link) {
    double d[3];
    for (int c = 0; c < 3; c++)
      d[c] = k->r[c] + b->hand[c] - on->r[c] - b->arm[c];
    b->length = sqrt(fly_dot3(d, d));
    for (int c = 0; c < 3; c++)
      b->way[c] = d[c] / b->length;
  }
  for (int c = 0; c < 3; c++)
    b->D[c] = b->arm[c] - b->hand[c];
  for (int c = 0; c < 3; c++) { // zero elsewhere from the beginning
    const int next = c < 2 ? c + 1 : 0, last = 3 - c - next;
    b->turned[c][next] = b->D[last];
    b->turned[c][last] = -b->D[next];
  }
  set_directions(s, b, on, near);
  set_bias(b, k, on);
  set_inertia(b, s, f);
}

// out = I x
INLINED void times_inertia(quad out[2], const fly_branch *b, const quad x[2]) {
  out[0] = b->A[0] * x[0][0] + b->A[1] * x[0][1] + b->A[2] * x[0][2];
  out[1] = b->T[0] * x[0][0] + b->T[1] * x[0][1] + b->T[2] * x[0][2];
  for (int j = 0; j < 3; j++) {
    out[0] += b->B[j] * x[1][j];
    out[1] += b->C[j] * x[1][j];
  }
}

INLINED double dot6(const quad a[2], const quad b[2]) {
  const quad p = a[0] * b[0] + a[1] * b[1];
  return p[0] + p[1] + p[2];
}

static inline double size_of(const quad *u) { return fabs((*u)[0]) + fabs((*u)[1]) + fabs((*u)[2]); }

// What was taken off along other directions, here and beyond, leaves its rounding errors behind (SS-lost).
INLINED void note_lost(fly_branch *b, direction *d) {
  b->forces[0] = fmax(b->forces[0], size_of(&b->p[0]));
  b->forces[1] = fmax(b->forces[1], size_of(&b->p[1]));
  for (int k = 0; k < 2; k++) {
    const double S = size_of(&d->S[k]), U = size_of(&d->U[k]);
    d->lost[k] = (U + b->off[k] * S) * d->over;
    d->lost[2 + k] = b->forces[k] * S * d->over;
  }
  for (int k = 0; k < 2; k++)
    b->off[k] = fmax(b->off[k], size_of(&d->U[k]) * size_of(&d->U[k]) * d->over);
}

// What can move along a free direction by itself resists no more along it. False: nothing has mass there.
INLINED bool release(fly_branch *b, direction *d, bool watched) {
  times_inertia(d->U, b, d->S);
  const double D = dot6(d->S, d->U);
  d->over = 1 / D;
  if (watched)
    note_lost(b, d);
  d->u = -dot6(d->S, b->p);
  const quad force = d->U[0] * d->over, torque = d->U[1] * d->over;
  for (int j = 0; j < 3; j++) {
    b->A[j] -= force * d->U[0][j];
    b->B[j] -= force * d->U[1][j];
    b->T[j] -= torque * d->U[0][j];
    b->C[j] -= torque * d->U[1][j];
  }
  b->p[0] += force * d->u;
  b->p[1] += torque * d->u;
  return D > 0;
}

// What the body it hangs on feels of it: X^T I X and X^T (p + I c), which are
//
//   A,   B' = B - A [D],   T' = B'^T = T + [D] A,   C' = C + [D] B - T' [D]
INLINED void hand_down(const fly_branch *b, fly_branch *on) {
  const double x = b->D[0], y = b->D[1], z = b->D[2];
  const quad X = b->turned[0], Y = b->turned[1], Z = b->turned[2];
  quad T[3], p[2];
  for (int j = 0; j < 3; j++)
    T[j] = b->T[j] + (X * b->A[j][0] + Y * b->A[j][1] + Z * b->A[j][2]);
  on->B[0] += b->B[0] - (b->A[1] * z - b->A[2] * y);
  on->B[1] += b->B[1] - (b->A[2] * x - b->A[0] * z);
  on->B[2] += b->B[2] - (b->A[0] * y - b->A[1] * x);
  on->C[0] -= T[1] * z - T[2] * y;
  on->C[1] -= T[2] * x - T[0] * z;
  on->C[2] -= T[0] * y - T[1] * x;
  for (int j = 0; j < 3; j++) {
    on->A[j] += b->A[j];
    on->T[j] += T[j];
    on->C[j] += b->C[j] + (X * b->B[j][0] + Y * b->B[j][1] + Z * b->B[j][2]);
  }
  const double arm2 = x * x + y * y + z * z;
  on->off[0] = fmax(on->off[0], b->off[0]);
  on->off[1] = fmax(on->off[1], b->off[1] + b->off[0] * arm2);
  times_inertia(p, b, b->c);
  const double force = fmax(b->forces[0], size_of(&p[0])), torque = fmax(b->forces[1], size_of(&p[1]));
  on->forces[0] = fmax(on->forces[0], force);
  on->forces[1] = fmax(on->forces[1], torque + force * sqrt(arm2));
  p[0] += b->p[0];
  p[1] += b->p[1];
  on->p[0] += p[0];
  on->p[1] += p[1] + (X * p[0][0] + Y * p[0][1] + Z * p[0][2]);
}

// What the joint does to the body, as multipliers of its rows: forces and torques about the second marker of its pair.
static void put_multipliers(const fly_system *s, const fly_branch *b, const quad W[2], double *lambda) {
  const double force[3] = {W[0][0], W[0][1], W[0][2]};
  const fly_pair *p = &s->pair[b->pair];
  const double sense = b->first ? 1.0 : -1.0;
  double point[3], moment[3], torque[3], ai[3], bj[3], about[3];
  fly_marker_point(point, p->bj, p->mj);
  for (int c = 0; c < 3; c++)
    point[c] -= s->body[b->body].r[c];
  fly_cross(moment, point, force);
  for (int c = 0; c < 3; c++)
    torque[c] = W[1][c] - moment[c];
  for (int k = b->term; k < b->term + b->terms; k++) {
    const fly_term *t = &s->model->term[k];
    const int *row = s->term_row + 3 * (size_t)k;
    if (t->kind == FLY_POINT) {
      for (int r = 0; r < 3; r++)
        if (row[r] >= 0)
          lambda[row[r]] = sense * force[r];
      continue;
    }
    if (b->link) {
      lambda[row[0]] = -fly_dot3(force, b->way);
      continue;
    }
    fly_axis_space(ai, p->bi, p->mi, t->k.axis_i);
    if (t->kind == FLY_PLANE) {
      lambda[row[0]] = sense * fly_dot3(force, ai);
      continue;
    }
    fly_axis_space(bj, p->bj, p->mj, t->k.axis_j);
    fly_cross(about, bj, ai);
    lambda[row[0]] = sense * fly_dot3(torque, about) / fly_dot3(about, about);
  }
}

// a of a branch from that of the one it hangs on; W: what the joint does to it; NULL: nobody asks.
INLINED void accelerate_branch(struct fly_branches *t, fly_branch *b, bool watched, quad W[2]) {
  b->a[0] = b->c[0];
  b->a[1] = b->c[1];
  if (b->at >= 0) {
    const quad *on = t->branch[b->at].a;
    const double x = b->D[0], y = b->D[1], z = b->D[2];
    const quad w = on[1];
    b->a[0] += on[0] + (quad){w[1] * z - w[2] * y, w[2] * x - w[0] * z, w[0] * y - w[1] * x, 0};
    b->a[1] += on[1];
  }
  if (W) {
    times_inertia(W, b, b->a);
    W[0] += b->p[0];
    W[1] += b->p[1];
  }
  for (int i = b->free - 1; i >= 0; i--) {
    const direction *d = &b->along[i];
    const double rate = (d->u - dot6(d->U, b->a)) * d->over;
    if (watched)
      t->lost =
          fmax(t->lost, d->lost[0] * size_of(&b->a[0]) + d->lost[1] * size_of(&b->a[1]) + d->lost[2] + d->lost[3]);
    b->a[0] += d->S[0] * rate;
    b->a[1] += d->S[1] * rate;
  }
}

// From the outermost bodies inwards. False: nothing has mass along a direction that is free.
INLINED bool gather(const struct fly_branches *t, bool watched) {
  bool fine = true;
  for (int i = t->count - 1; i >= 0; i--) {
    fly_branch *b = &t->branch[i];
    for (int k = 0; k < b->free; k++)
      fine = release(b, &b->along[k], watched) && fine;
    if (b->at >= 0)
      hand_down(b, &t->branch[b->at]);
  }
  return fine;
}

FLY_WIDE static int accelerate(double *vdot, double *lambda, const double *q, const double *v, const double *f,
                               void *user) {
  fly_system *s = user;
  struct fly_branches *t = s->branches;
  fly_system_update(s, q, v);
  for (int i = 0; i < t->count; i++)
    place(&t->branch[i], s, f);
  if (!gather(t, lambda))
    return 1;
  t->lost = lambda ? 0 : t->lost;
  for (int i = 0; i < t->count; i++) {
    fly_branch *b = &t->branch[i];
    const bool loads = lambda && b->pair >= 0;
    double *out = vdot + s->model->body[b->body].iv;
    quad W[2];
    accelerate_branch(t, b, lambda, loads ? W : NULL);
    const double turn[3] = {b->a[1][0], b->a[1][1], b->a[1][2]};
    for (int c = 0; c < (b->shape == FLAT ? 2 : 3); c++)
      out[c] = b->a[0][c];
    if (b->shape == FLAT)
      out[2] = turn[2];
    else if (b->shape == RIGID)
      fly_to_body(out + 3, s->body[b->body].R, turn);
    if (loads)
      put_multipliers(s, b, W, lambda);
  }
  return 0;
}

static double lost(void *user) { return ((const fly_system *)user)->branches->lost; }

// ------------------------------------------------------------------------------------------ creation

static bool take_directions(fly_system *s, const struct fly_branches *t) {
  size_t count = 0;
  for (int k = 0; k < t->count; k++)
    count += (size_t)t->branch[k].free;
  direction *along = fly_arena_take(&s->memory, count, sizeof *along);
  for (int k = 0; k < t->count && along; k++) {
    t->branch[k].along = along;
    along += t->branch[k].free;
  }
  return along;
}

bool fly_system_find_tree(fly_system *s) {
  const fly_model *m = s->model;
  const size_t bodies = (size_t)m->nbody, pairs = (size_t)m->npair;
  fly_arena work = {0};
  s->branches = NULL;
  if (!all_known(s) || m->nsliprow > 0)
    return true;
  struct fly_branches *t = fly_arena_take(&s->memory, 1, sizeof *t);
  if (!t)
    return false;
  search w = {s,
              t,
              fly_arena_ints(&work, pairs),
              fly_arena_ints(&work, pairs),
              fly_arena_ints(&work, bodies + 2),
              fly_arena_ints(&work, 2 * pairs),
              fly_arena_ints(&work, bodies),
              0};
  t->branch = fly_arena_take(&s->memory, bodies, sizeof *t->branch);
  t->own = fly_arena_take(&s->memory, (size_t)m->nv, sizeof *t->own);
  const bool fine = !work.failed && !s->memory.failed;
  if (fine && find_branches(&w) && take_directions(s, t)) {
    t->tree = (fly_joint_tree){t->own, put_back, accelerate, lost};
    s->branches = t;
  }
  fly_arena_free(&work);
  return fine && !s->memory.failed;
}

const fly_joint_tree *fly_system_tree(const fly_system *s) { return s->branches ? &s->branches->tree : NULL; }
