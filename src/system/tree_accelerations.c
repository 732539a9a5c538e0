// How bodies of a tree accelerate, and what their joints carry: gathered inwards, found outwards (docs/theory/
// statespace.md, SS-tree, SS-release, SS-lost).
#include <math.h>

#include "base/wide.h"
#include "system/tree.h"

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

INLINED void set_directions(const fly_system *s, fly_branch *b) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double n[3][3];
  int i = 0; // sliding first: what can slide away resists no turn, and nothing large is subtracted from as much
  if (b->link)
    i = set_link_directions(b, i);
  const int slides = b->slides ? fly_tree_slides(s, b, n) : 0;
  for (int k = 0; k < slides; k++)
    set_direction(b, i++, n[k], false);
  if (b->turning == TURNS_ABOUT_Z) {
    fly_axis_space(n[0], &s->body[b->on], fly_near_marker(s, b), 2);
    set_direction(b, i++, n[0], true);
  }
  for (int k = b->shape == FLAT ? 2 : 0; k < 3 && b->turning == TURNS_FREELY && b->shape != POINT; k++)
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

INLINED void place(fly_branch *b, const fly_system *s, const double *f) {
  const fly_kinematics *k = &s->body[b->body], *on = &s->body[b->on];
  if (b->pair >= 0) // else it is zero from the beginning
    fly_to_space(b->hand, k->R, fly_far_marker(s, b)->s);
  if (b->slides)
    for (int c = 0; c < 3; c++)
      b->arm[c] = k->r[c] + b->hand[c] - on->r[c];
  else
    fly_to_space(b->arm, on->R, fly_near_marker(s, b)->s);
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
  set_directions(s, b);
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
INLINED void accelerate_branch(const struct fly_branches *t, fly_branch *b, double *lost, quad W[2]) {
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
    if (lost)
      *lost = fmax(*lost, d->lost[0] * size_of(&b->a[0]) + d->lost[1] * size_of(&b->a[1]) + d->lost[2] + d->lost[3]);
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

FLY_WIDE int fly_tree_accelerate(double *vdot, double *lambda, double *lost, const double *q, const double *v,
                                 const double *f, void *user) {
  fly_system *s = user;
  const struct fly_branches *t = s->branches;
  if (!t->filled)
    fly_tree_fill(s);
  fly_system_update(s, q, v);
  for (int i = 0; i < t->count; i++)
    place(&t->branch[i], s, f);
  if (!gather(t, lost))
    return 1;
  if (lost)
    *lost = 0;
  for (int i = 0; i < t->count; i++) {
    fly_branch *b = &t->branch[i];
    const bool loads = lambda && b->pair >= 0;
    double *out = vdot + s->model->body[b->body].iv;
    quad W[2];
    accelerate_branch(t, b, lost, loads ? W : NULL);
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
