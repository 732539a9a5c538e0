// Gap, normal and point of two solids. Vectors of the first body are constant, those of the second carry what a move of
// it does to them; the formulas then give all derivatives along with the values.
#include <stddef.h>

#include "geometry/carried.h"
#include "geometry/solid.h"

static const double UPRIGHT = 1e-9; // [rad]: of a cylinder on a plane

// One of the two solids, seen in axes of the first body.
typedef struct side {
  const fly_solid *s;
  const double *p, *R; // of its body; NULL: it is the first
} side;

// ------------------------------------------------------------------------------------------ vectors of a body

static void turn(double out[3], const double R[9], const double u[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = fly_dot3(R + 3 * i, u);
}

// A direction fixed to the body: of the second d(R u) = dphi x R u.
static void carry_direction(fly_vector7 out, const side *w, const double u[3]) {
  memset(out, 0, sizeof(fly_vector7));
  if (!w->R) {
    memcpy(out[0], u, 3 * sizeof *u);
    return;
  }
  turn(out[0], w->R, u);
  for (int k = 0; k < 3; k++)
    fly_cross(out[4 + k], (double[3]){k == 0, k == 1, k == 2}, out[0]);
}

// A point fixed to the body: of the second it also shifts.
static void carry_point(fly_vector7 out, const side *w, const double x[3]) {
  carry_direction(out, w, x);
  for (int k = 0; w->R && k < 3; k++) {
    out[0][k] += w->p[k];
    out[1 + k][k] += 1;
  }
}

static void axis_of(double out[3], const fly_solid *s, int k) {
  for (int i = 0; i < 3; i++)
    out[i] = s->A[3 * i + k];
}

static void carry_axis(fly_vector7 out, const side *w, int k) {
  double u[3];
  axis_of(u, w->s, k);
  carry_direction(out, w, u);
}

// The point of a solid with these coordinates in its own frame.
static void carry_own(fly_vector7 out, const side *w, const double own[3]) {
  double x[3];
  turn(x, w->s->A, own);
  for (int k = 0; k < 3; k++)
    x[k] += w->s->at[k];
  carry_point(out, w, x);
}

// ------------------------------------------------------------------------------------------ the end of all of them

// From the points of the cores, xa and xb, and the normal from a to b: gap = n . (xb - xa) - ra - rb, and the middle of
// both surfaces (xa + xb)/2 + (ra - rb) n/2.
static void finish(fly_touch *out, const side *a, const side *b, fly_vector7 xa, fly_vector7 xb, fly_vector7 n) {
  const double ra = a->s->radius, rb = b->s->radius;
  double d[3];
  for (int c = 0; c < 3; c++)
    d[c] = xb[0][c] - xa[0][c];
  out->gap = fly_dot3(n[0], d) - ra - rb;
  for (int c = 0; c < 3; c++) {
    out->n[c] = n[0][c];
    out->c[c] = (xa[0][c] + xb[0][c] + (ra - rb) * n[0][c]) / 2;
    for (int k = 0; k < FLY_MOVES; k++) {
      out->dn[FLY_MOVES * c + k] = n[1 + k][c];
      out->dc[FLY_MOVES * c + k] = (xa[1 + k][c] + xb[1 + k][c] + (ra - rb) * n[1 + k][c]) / 2;
    }
  }
}

static void negate(fly_vector7 u) {
  for (int k = 0; k < FLY_CARRIED; k++)
    for (int c = 0; c < 3; c++)
      u[k][c] = -u[k][c];
}

// Cores that are points, whose normal is the way from one to the other. Where they meet it has no direction: any will
// do.
static void finish_points(fly_touch *out, const side *a, const side *b, fly_vector7 xa, fly_vector7 xb) {
  fly_vector7 n;
  fly_vector7_sum(n, xb, -1.0, xa);
  if (fly_dot3(n[0], n[0]) > 0)
    fly_vector7_unit(n, n);
  else
    carry_axis(n, a, 2);
  finish(out, a, b, xa, xb, n);
}

// ------------------------------------------------------------------------------------------ against a plane

// A ball of core point x against a plane: n . (x - o) above it, whichever of both is the first.
static void plane_point(fly_touch *out, const side *plane, const side *ball, fly_vector7 x, bool swapped) {
  fly_vector7 n, o, foot;
  fly_number7 height;
  carry_axis(n, plane, 2);
  carry_point(o, plane, plane->s->at);
  fly_vector7_sum(o, x, -1.0, o);
  fly_vector7_dot(height, n, o);
  for (int k = 0; k < FLY_CARRIED; k++)
    height[k] = -height[k];
  memcpy(foot, x, sizeof foot);
  fly_vector7_add(foot, height, n);
  if (!swapped) {
    finish(out, plane, ball, foot, x, n);
    return;
  }
  negate(n);
  finish(out, ball, plane, x, foot, n);
}

// The corners of a core: a point has one, a segment two, a box eight.
static void corner_of(double own[3], const fly_solid *s, int spot) {
  static const int axes[FLY_CORES] = {[FLY_CORE_POINT] = 0, [FLY_CORE_SEGMENT] = 1, [FLY_CORE_BOX] = 3};
  for (int k = 0; k < 3; k++)
    own[2 - k] = k < axes[s->core] ? (spot >> k & 1 ? 1 : -1) * s->half[2 - k] : 0.0;
}

// The lowest and the highest point of a rim: its middle and so far along -e or e, where e = (n - (n . z) z)/|..| rises
// most steeply. Both heights are extreme, so that the gap's derivative needs none of e; and what they give together is
// even in the tilt |n x z|, smooth where the cylinder stands upright and e has no direction: there any will do.
static void rim_point(fly_vector7 x, const side *plane, const side *cylinder, int spot) {
  const fly_solid *s = cylinder->s;
  fly_vector7 n, z, across, e;
  const fly_number7 reach = {(spot & 1 ? 1 : -1) * s->half[0]};
  carry_axis(n, plane, 2);
  carry_axis(z, cylinder, 2);
  fly_vector7_cross(across, n, z);
  fly_vector7_cross(e, z, across); // as n - (n . z) z, which would cancel
  if (fly_dot3(e[0], e[0]) > UPRIGHT * UPRIGHT)
    fly_vector7_unit(e, e);
  else
    carry_axis(e, cylinder, 0);
  carry_own(x, cylinder, (double[3]){0, 0, (spot & 2 ? 1 : -1) * s->half[2]});
  fly_vector7_add(x, reach, e);
}

static void plane_any(fly_touch *out, const side *a, const side *b, int spot) {
  const bool swapped = b->s->core == FLY_CORE_PLANE;
  const side *plane = swapped ? b : a, *other = swapped ? a : b;
  double own[3];
  fly_vector7 x;
  if (other->s->core == FLY_CORE_CYLINDER) {
    rim_point(x, plane, other, spot);
  } else {
    corner_of(own, other->s, spot);
    carry_own(x, other, own);
  }
  plane_point(out, plane, other, x, swapped);
}

// ------------------------------------------------------------------------------------------ points and segments

static double half_of(const fly_solid *s) { return s->core == FLY_CORE_SEGMENT ? s->half[2] : 0.0; }

static double clamp(double x, double half) { return x > half ? half : x < -half ? -half : x; }

// Of two lines o_a + u d_a and o_b + w d_b with unit directions, the places nearest to each other within their halves
// (Ericson, Real-Time Collision Detection, 2005, 5.1.9).
static void nearest_places(double *u, double *w, const double r[3], const double da[3], const double db[3], double ha,
                           double hb) {
  const double b = fly_dot3(da, db), c = fly_dot3(da, r), f = fly_dot3(db, r), det = 1 - b * b;
  *u = det > 1e-12 ? clamp((b * f - c) / det, ha) : 0.0; // parallel: any
  *w = b * *u + f;
  if (fabs(*w) > hb) {
    *w = clamp(*w, hb);
    *u = clamp(b * *w - c, ha);
  }
}

// x = o + u d with u free, as near as can be to y: u = d . (y - o).
static void slide_to(fly_vector7 x, fly_vector7 o, fly_vector7 d, fly_vector7 y) {
  fly_vector7 way;
  fly_number7 u;
  fly_vector7_sum(way, y, -1.0, o);
  fly_vector7_dot(u, d, way);
  memcpy(x, o, sizeof(fly_vector7));
  fly_vector7_add(x, u, d);
}

// Both free: with r = o_a - o_b, u = (b f - c)/(1 - b^2) and w = b u + f as above.
static void slide_both(fly_vector7 xa, fly_vector7 xb, fly_vector7 oa, fly_vector7 ob, fly_vector7 da, fly_vector7 db) {
  fly_vector7 r;
  fly_number7 b, c, f, det, u, w;
  fly_vector7_sum(r, oa, -1.0, ob);
  fly_vector7_dot(b, da, db);
  fly_vector7_dot(c, da, r);
  fly_vector7_dot(f, db, r);
  fly_number7_product(det, b, b);
  fly_number7_product(u, b, f);
  for (int k = 0; k < FLY_CARRIED; k++) {
    det[k] = (k == 0) - det[k];
    u[k] -= c[k];
  }
  fly_number7_quotient(u, u, det);
  fly_number7_product(w, b, u);
  for (int k = 0; k < FLY_CARRIED; k++)
    w[k] += f[k];
  memcpy(xa, oa, sizeof(fly_vector7));
  fly_vector7_add(xa, u, da);
  memcpy(xb, ob, sizeof(fly_vector7));
  fly_vector7_add(xb, w, db);
}

static void carry_end(fly_vector7 out, const side *w, double place) { carry_own(out, w, (double[3]){0, 0, place}); }

static void segments(fly_touch *out, const side *a, const side *b, int spot) {
  (void)spot;
  const double ha = half_of(a->s), hb = half_of(b->s);
  fly_vector7 oa, ob, da, db, xa, xb;
  double r[3], u, w;
  carry_point(oa, a, a->s->at);
  carry_point(ob, b, b->s->at);
  carry_axis(da, a, 2);
  carry_axis(db, b, 2);
  for (int c = 0; c < 3; c++)
    r[c] = oa[0][c] - ob[0][c];
  nearest_places(&u, &w, r, da[0], db[0], ha, hb);
  const bool free_a = fabs(u) < ha, free_b = fabs(w) < hb;
  const double b0 = fly_dot3(da[0], db[0]);
  if (free_a && free_b && 1 - b0 * b0 > 1e-12) {
    slide_both(xa, xb, oa, ob, da, db);
  } else {
    carry_end(xa, a, u);
    carry_end(xb, b, w);
    if (free_b)
      slide_to(xb, ob, db, xa);
    else if (free_a)
      slide_to(xa, oa, da, xb);
  }
  finish_points(out, a, b, xa, xb);
}

// ------------------------------------------------------------------------------------------ a point and a box

// Which faces of the box are next to a point (own coordinates): along each axis -1, 0 (between them) or 1. Inside it is
// the nearest one. Returns how many.
static int faces_of(int face[3], const fly_solid *box, const double own[3]) {
  int count = 0, nearest = 0;
  for (int k = 0; k < 3; k++) {
    face[k] = own[k] > box->half[k] ? 1 : own[k] < -box->half[k] ? -1 : 0;
    count += face[k] != 0;
    if (box->half[k] - fabs(own[k]) < box->half[nearest] - fabs(own[nearest]))
      nearest = k;
  }
  if (count == 0)
    face[nearest] = own[nearest] < 0 ? -1 : 1;
  return count > 0 ? count : 1;
}

// The point of the box next to x: x itself along the axes where it is between faces.
static void nearest_in_box(fly_vector7 foot, fly_vector7 x, const side *box, const int face[3]) {
  fly_vector7 o, way;
  carry_point(o, box, box->s->at);
  fly_vector7_sum(way, x, -1.0, o);
  memcpy(foot, o, sizeof(fly_vector7));
  for (int k = 0; k < 3; k++) {
    fly_vector7 e;
    fly_number7 u = {face[k] * box->s->half[k]};
    carry_axis(e, box, k);
    if (face[k] == 0)
      fly_vector7_dot(u, e, way);
    fly_vector7_add(foot, u, e);
  }
}

static void place_in(double own[3], const side *w, fly_vector7 x) {
  fly_vector7 o, e;
  carry_point(o, w, w->s->at);
  fly_vector7_sum(o, x, -1.0, o);
  for (int k = 0; k < 3; k++) {
    carry_axis(e, w, k);
    own[k] = fly_dot3(e[0], o[0]);
  }
}

// From the box to the point: over a face its normal, whichever side of it the point is on.
static void box_normal(fly_vector7 n, fly_vector7 foot, fly_vector7 x, const side *box, const int face[3], int count) {
  fly_vector7_sum(n, x, -1.0, foot);
  for (int k = 0; count == 1 && k < 3; k++)
    if (face[k] != 0) {
      carry_axis(n, box, k);
      if (face[k] < 0)
        negate(n);
    }
  if (count > 1)
    fly_vector7_unit(n, n);
}

static void box_point(fly_touch *out, const side *a, const side *b, int spot) {
  (void)spot;
  const bool swapped = b->s->core == FLY_CORE_BOX;
  const side *box = swapped ? b : a, *ball = swapped ? a : b;
  fly_vector7 x, foot, n;
  double own[3];
  int face[3];
  carry_point(x, ball, ball->s->at);
  place_in(own, box, x);
  const int count = faces_of(face, box->s, own);
  nearest_in_box(foot, x, box, face);
  box_normal(n, foot, x, box, face, count);
  if (swapped)
    negate(n);
  finish(out, a, b, swapped ? x : foot, swapped ? foot : x, n);
}

// ------------------------------------------------------------------------------------------ a point and a cylinder

// Beside the axis, in (distance from it, height), a cylinder is a box: next to its side, a cap, or a rim; inside it is
// the nearer of side and cap.
static void cylinder_faces(bool *beside, int *cap, const fly_solid *s, double far, double high) {
  const double out = far - s->half[0], over = fabs(high) - s->half[2];
  *beside = out > 0 || (over <= 0 && out > over);
  *cap = over > 0 || !*beside ? (high < 0 ? -1 : 1) : 0;
}

// o + (height or cap) z + (distance or radius) e
static void nearest_in_cylinder(fly_vector7 foot, const side *w, fly_vector7 e, fly_vector7 z, const fly_number7 far,
                                const fly_number7 high, bool beside, int cap) {
  const fly_number7 rim = {w->s->half[0]}, top = {cap * w->s->half[2]};
  carry_point(foot, w, w->s->at);
  fly_vector7_add(foot, cap != 0 ? top : high, z);
  fly_vector7_add(foot, beside ? rim : far, e);
}

static void cylinder_point(fly_touch *out, const side *a, const side *b, int spot) {
  (void)spot;
  const bool swapped = b->s->core == FLY_CORE_CYLINDER;
  const side *w = swapped ? b : a, *ball = swapped ? a : b;
  fly_vector7 x, d, z, e, foot, n;
  fly_number7 high, far;
  bool beside;
  int cap;
  carry_point(x, ball, ball->s->at);
  carry_point(d, w, w->s->at);
  fly_vector7_sum(d, x, -1.0, d);
  carry_axis(z, w, 2);
  fly_vector7_split(high, e, d, z);
  if (fly_dot3(e[0], e[0]) > 0)
    fly_vector7_unit(e, e);
  else
    carry_axis(e, w, 0);
  fly_vector7_dot(far, e, d);
  cylinder_faces(&beside, &cap, w->s, far[0], high[0]);
  nearest_in_cylinder(foot, w, e, z, far, high, beside, cap);
  if (beside && cap != 0) {
    fly_vector7_sum(n, x, -1.0, foot);
    fly_vector7_unit(n, n);
  } else {
    memcpy(n, beside ? e : z, sizeof n);
    if (cap < 0)
      negate(n);
  }
  if (swapped)
    negate(n);
  finish(out, a, b, swapped ? x : foot, swapped ? foot : x, n);
}

// ------------------------------------------------------------------------------------------ the table of pairs

typedef struct pair_kind {
  int spots;
  void (*touch)(fly_touch *out, const side *a, const side *b, int spot);
} pair_kind;

// clang-format off
static const pair_kind PAIRS[FLY_CORES][FLY_CORES] = {
    [FLY_CORE_PLANE] = {[FLY_CORE_POINT] = {1, plane_any}, [FLY_CORE_SEGMENT] = {2, plane_any},
                        [FLY_CORE_BOX] = {8, plane_any}, [FLY_CORE_CYLINDER] = {4, plane_any}},
    [FLY_CORE_POINT] = {[FLY_CORE_PLANE] = {1, plane_any}, [FLY_CORE_POINT] = {1, segments},
                        [FLY_CORE_SEGMENT] = {1, segments}, [FLY_CORE_BOX] = {1, box_point},
                        [FLY_CORE_CYLINDER] = {1, cylinder_point}},
    [FLY_CORE_SEGMENT] = {[FLY_CORE_PLANE] = {2, plane_any}, [FLY_CORE_POINT] = {1, segments},
                          [FLY_CORE_SEGMENT] = {1, segments}},
    [FLY_CORE_BOX] = {[FLY_CORE_PLANE] = {8, plane_any}, [FLY_CORE_POINT] = {1, box_point}},
    [FLY_CORE_CYLINDER] = {[FLY_CORE_PLANE] = {4, plane_any}, [FLY_CORE_POINT] = {1, cylinder_point}},
};
// clang-format on

int fly_touch_spots(const fly_solid *a, const fly_solid *b) { return PAIRS[a->core][b->core].spots; }

void fly_touch_at(fly_touch *out, const fly_solid *a, const fly_solid *b, int spot, const double p[3],
                  const double R[9]) {
  const side first = {a, NULL, NULL}, second = {b, p, R};
  PAIRS[a->core][b->core].touch(out, &first, &second, spot);
}

// ------------------------------------------------------------------------------------------ sizes

double fly_solid_reach(const fly_solid *s) {
  return s->core == FLY_CORE_PLANE ? (double)INFINITY : s->radius + sqrt(fly_dot3(s->half, s->half));
}

double fly_solid_thickness(const fly_solid *s) {
  if (s->core == FLY_CORE_PLANE)
    return INFINITY;
  return s->radius + (s->core >= FLY_CORE_BOX ? fmin(s->half[0], fmin(s->half[1], s->half[2])) : 0.0);
}
