// The constraints once more, in numbers that carry their derivatives along (math/jet.h). A vector u fixed to a body,
// R u, has with b = a x u + w x (w x u) in body axes
//
//   (R u)' = R (w x u),  (R u)'' = R b,   and along a move dtheta, dw, da
//   d(R u) = R (dtheta x u),  d(R u)' = R (dtheta x (w x u) + dw x u),
//   d(R u)'' = R (dtheta x b + da x u + dw x (w x u) + w x (dw x u))
#include "element/bend.h"

#include <math.h>

#include "math/jet.h"

// One body of a pair: its frame, marker, and where its columns begin.
typedef struct side {
  const fly_kinematics *body;
  const fly_marker *marker;
  const double *a, *dq, *dv, *da; // of its six columns
} side;

static side side_of(const fly_pair *p, const fly_pair_move *m, int second) {
  const int first = 6 * second;
  return (side){second ? p->bj : p->bi, second ? p->mj : p->mi, m->a + first,
                m->dq + first,          m->dv + first,          m->da + first};
}

static void add_cross(double out[3], const double a[3], const double b[3]) {
  double product[3];
  fly_cross(product, a, b);
  for (int c = 0; c < 3; c++)
    out[c] += product[c];
}

// R times a vector in body axes, of one place of a jet.
static void put(fly_jet3 *out, const side *s, int changed, int order, const double u[3]) {
  double turned[3];
  fly_to_space(turned, s->body->R, u);
  for (int c = 0; c < 3; c++)
    out->c[c].at[changed][order] = turned[c];
}

static fly_jet3 fixed(const side *s, const double u[3]) {
  const double *w = s->body->w, *turn = s->dq + 3, *dw = s->dv + 3;
  fly_jet3 out;
  double wu[3], b[3] = {0}, du[3] = {0}, dwu[3] = {0}, db[3] = {0}, inner[3];
  fly_cross(wu, w, u);
  add_cross(b, s->a + 3, u);
  add_cross(b, w, wu);
  add_cross(du, turn, u);
  add_cross(dwu, turn, wu);
  add_cross(dwu, dw, u);
  fly_cross(inner, dw, u);
  add_cross(db, turn, b);
  add_cross(db, s->da + 3, u);
  add_cross(db, dw, wu);
  add_cross(db, w, inner);
  const double *const part[2][3] = {{u, wu, b}, {du, dwu, db}};
  for (int changed = 0; changed < 2; changed++)
    for (int order = 0; order < 3; order++)
      put(&out, s, changed, order, part[changed][order]);
  return out;
}

// The mass centre.
static fly_jet3 centre(const side *s) {
  fly_jet3 out;
  for (int c = 0; c < 3; c++)
    out.c[c] = (fly_jet){{{s->body->r[c], s->body->v[c], s->a[c]}, {s->dq[c], s->dv[c], s->da[c]}}};
  return out;
}

static fly_jet3 point(const side *s) { return fly_jet3_sum(centre(s), 1.0, fixed(s, s->marker->s)); }

static fly_jet3 axis(const side *s, int k) {
  double u[3];
  fly_axis(u, s->marker, k);
  return fixed(s, u);
}

static fly_jet3 difference(const side *i, const side *j) { return fly_jet3_sum(point(j), -1.0, point(i)); }

// ------------------------------------------------------------------------------------------ primitives

static fly_jet cosine(const side *i, int axis_i, const side *j, int axis_j) {
  return fly_jet3_dot(axis(i, axis_i), axis(j, axis_j));
}

// sqrt(1 - u^2)
static fly_jet sine_of(fly_jet u) {
  const double x = u.at[0][0], s = sqrt(1 - x * x), r = 1 / s;
  return fly_jet_function(u, (double[]){s, -x * r, -r * r * r, -3 * x * r * r * r * r * r});
}

// theta' = (w u' - u w')/(u^2 + w^2) of theta = atan2(u, w); what is wanted is its derivative.
static fly_jet turning(const side *i, const side *j, int about) {
  const int x = (about + 1) % 3, y = (about + 2) % 3;
  const fly_jet u = cosine(i, y, j, x), w = cosine(i, x, j, x);
  const fly_jet sweep = fly_jet_sum(fly_jet_product(w, fly_jet_rate(u)), -1.0, fly_jet_product(u, fly_jet_rate(w)));
  const fly_jet square = fly_jet_sum(fly_jet_product(u, u), 1.0, fly_jet_product(w, w));
  return fly_jet_product(sweep, fly_jet_inverse(square));
}

static void give(double *value, double *bend, fly_jet g, int order, double factor) {
  *value = factor * g.at[0][order];
  *bend = factor * g.at[1][order];
}

void fly_primitive_bend(double *value, double *bend, fly_primitive_kind kind, const fly_pair *p, const fly_primitive *k,
                        const fly_pair_move *m) {
  const side i = side_of(p, m, 0), j = side_of(p, m, 1);
  const fly_jet3 d = difference(&i, &j), a = axis(&i, k->axis_i);
  fly_jet u;
  switch (kind) {
  case FLY_POINT:
    for (int c = 0; c < 3; c++)
      give(value + c, bend + c, d.c[c], 2, 1.0);
    return;
  case FLY_DOT:
    give(value, bend, cosine(&i, k->axis_i, &j, k->axis_j), 2, 1.0);
    return;
  case FLY_PLANE:
    give(value, bend, fly_jet3_dot(a, d), 2, 1.0);
    return;
  case FLY_DISTANCE:
    give(value, bend, fly_jet3_dot(d, d), 2, 0.5 / k->c);
    return;
  case FLY_ANGLE:
    give(value, bend, turning(&i, &j, k->axis_i), 1, 1.0);
    return;
  case FLY_WHEEL:
    u = cosine(&i, k->axis_i, &j, k->axis_j);
    give(value, bend, fly_jet_sum(fly_jet3_dot(a, d), -k->c, sine_of(u)), 2, 1.0);
    return;
  case FLY_PRIMITIVES:
    return;
  }
}

// ------------------------------------------------------------------------------------------ what does not slip

// Where the disc touches: its centre less radius times the steepest direction in it.
static fly_jet3 touch(const side *i, const side *j, double radius) {
  const fly_jet3 n = axis(i, 2), z = axis(j, 2);
  const fly_jet tilt = fly_jet3_dot(n, z);
  const fly_jet3 steepest = fly_jet3_sum(n, -1.0, fly_jet3_scaled(tilt, z));
  return fly_jet3_sum(point(j), -radius, fly_jet3_scaled(fly_jet_inverse(sine_of(tilt)), steepest));
}

// Velocity of a body at a point of space.
static fly_jet3 velocity_at(const side *s, fly_jet3 p) {
  const fly_jet3 c = centre(s);
  fly_jet3 w = {{{{{0}}}}};
  // R w: its derivative is R (w x w + a) = R a, and the second is not needed
  double dw[3] = {0}, da[3] = {0};
  add_cross(dw, s->dq + 3, s->body->w);
  add_cross(da, s->dq + 3, s->a + 3);
  for (int k = 0; k < 3; k++) {
    dw[k] += s->dv[3 + k];
    da[k] += s->da[3 + k];
  }
  put(&w, s, 0, 0, s->body->w);
  put(&w, s, 0, 1, s->a + 3);
  put(&w, s, 1, 0, dw);
  put(&w, s, 1, 1, da);
  return fly_jet3_sum(fly_jet3_rate(c), 1.0, fly_jet3_cross(w, fly_jet3_sum(p, -1.0, c)));
}

void fly_slip_bend(double *value, double *bend, fly_slip_kind kind, const fly_pair *p, double radius,
                   const fly_pair_move *m) {
  const side i = side_of(p, m, 0), j = side_of(p, m, 1);
  const fly_jet3 at = kind == FLY_SLIP_KNIFE ? point(&j) : touch(&i, &j, radius);
  const fly_jet3 u = fly_jet3_sum(velocity_at(&j, at), -1.0, velocity_at(&i, at));
  if (kind == FLY_SLIP_KNIFE)
    give(value, bend, fly_jet3_dot(axis(&j, 1), u), 1, 1.0);
  else
    for (int row = 0; row < FLY_SLIP_ROWS; row++)
      give(value + row, bend + row, fly_jet3_dot(axis(&i, row), u), 1, 1.0);
}
