// Gap, normal and point of two solids. Vectors of the first body are constant, those of the second carry what a move of
// it does to them; the formulas then give all derivatives along with the values.
#include <stddef.h>

#include "geometry/curve.h"
#include "geometry/facet.h"
#include "geometry/meet.h"
#include "geometry/side.h"
#include "geometry/surface.h"

// ------------------------------------------------------------------------------------------ points

// Points of cores next to each other: the normal is the way from one to the other. Where they meet it has no direction:
// any will do.
static void finish_points(fly_touch *out, const fly_side *a, const fly_side *b, fly_vector7 xa, fly_vector7 xb) {
  fly_vector7 n;
  fly_vector7_sum(n, xb, -1.0, xa);
  if (fly_dot3(n[0], n[0]) > 0)
    fly_vector7_unit(n, n);
  else
    fly_carry_axis(n, a, 2);
  fly_touch_between(out, a->s->radius, b->s->radius, xa, xb, n);
}

// ------------------------------------------------------------------------------------------ against a plane

// A ball of core point x against a plane: n . (x - o) above it, whichever of both is the first.
static void plane_point(fly_touch *out, const fly_side *plane, const fly_side *ball, fly_vector7 x, bool swapped) {
  fly_vector7 n, o, foot;
  fly_carry_axis(n, plane, 2);
  fly_carry_point(o, plane, plane->s->at);
  fly_vector7_foot(foot, x, n, o);
  if (!swapped) {
    fly_touch_between(out, plane->s->radius, ball->s->radius, foot, x, n);
    return;
  }
  fly_vector7_negate(n);
  fly_touch_between(out, ball->s->radius, plane->s->radius, x, foot, n);
}

// The corners of a core: a point has one, a segment two, a box eight.
static void corner_of(double own[3], const fly_solid *s, int spot) {
  static const int axes[FLY_CORES] = {[FLY_CORE_POINT] = 0, [FLY_CORE_SEGMENT] = 1, [FLY_CORE_BOX] = 3};
  for (int k = 0; k < 3; k++)
    own[2 - k] = k < axes[s->core] ? (spot >> k & 1 ? 1 : -1) * s->half[2 - k] : 0.0;
}

// Four points of each rim of a cylinder; of a cone those of its base, and its tip.
static void round_point(fly_vector7 x, const fly_side *plane, const fly_side *round, int spot) {
  fly_vector7 n, o;
  fly_carry_axis(n, plane, 2);
  fly_carry_point(o, plane, plane->s->at);
  const double z = (spot < FLY_RIM_SPOTS ? -1 : 1) * round->s->half[2];
  if (round->s->core == FLY_CORE_CONE && spot == FLY_RIM_SPOTS)
    fly_carry_own(x, round, (double[3]){0, 0, z});
  else
    fly_rim_point(x, round, n, o[0], z, spot % FLY_RIM_SPOTS);
}

// x = -a^2 m/|a m| in axes of the ellipsoid, m the normal of the plane: where it is lowest.
static void lowest_point(fly_vector7 x, const fly_side *plane, const fly_side *ball) {
  fly_vector7 n, am = {{0}}, e[3];
  fly_number7 part, size = {0};
  fly_carry_axis(n, plane, 2);
  for (int k = 0; k < 3; k++) {
    fly_carry_axis(e[k], ball, k);
    fly_vector7_dot(part, n, e[k]);
    for (int c = 0; c < FLY_CARRIED; c++)
      am[c][k] = ball->s->half[k] * part[c];
  }
  fly_vector7_unit(am, am);
  fly_carry_point(x, ball, ball->s->at);
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < FLY_CARRIED; c++)
      size[c] = -ball->s->half[k] * am[c][k];
    fly_vector7_add(x, size, e[k]);
  }
}

static void plane_any(fly_touch *out, const fly_side *a, const fly_side *b, int spot) {
  const bool swapped = b->s->core == FLY_CORE_PLANE;
  const fly_side *plane = swapped ? b : a, *other = swapped ? a : b;
  double own[3];
  fly_vector7 x;
  if (other->s->core == FLY_CORE_CYLINDER || other->s->core == FLY_CORE_CONE) {
    round_point(x, plane, other, spot);
  } else if (other->s->core == FLY_CORE_ELLIPSOID) {
    lowest_point(x, plane, other);
  } else {
    corner_of(own, other->s, spot);
    fly_carry_own(x, other, own);
  }
  plane_point(out, plane, other, x, swapped);
}

// ------------------------------------------------------------------------------------------ points and segments

static const double PARALLEL = 1e-12; // sine squared

static double half_of(const fly_solid *s) { return s->core == FLY_CORE_SEGMENT ? s->half[2] : 0.0; }

static double clamp(double x, double half) { return x > half ? half : x < -half ? -half : x; }

// Of two lines o_a + u d_a and o_b + w d_b with unit directions, the places nearest to each other within their halves
// (Ericson, Real-Time Collision Detection, 2005, 5.1.9).
static void nearest_places(double *u, double *w, const double r[3], const double da[3], const double db[3], double ha,
                           double hb) {
  const double b = fly_dot3(da, db), c = fly_dot3(da, r), f = fly_dot3(db, r), det = 1 - b * b;
  *u = det > PARALLEL ? clamp((b * f - c) / det, ha) : 0.0; // parallel: any
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

static void carry_end(fly_vector7 out, const fly_side *w, double place) {
  fly_carry_own(out, w, (double[3]){0, 0, place});
}

void fly_touch_segments(fly_touch *out, const fly_side *a, const fly_side *b) {
  const double ha = half_of(a->s), hb = half_of(b->s);
  fly_vector7 oa, ob, da, db, xa, xb;
  double r[3], u, w;
  fly_carry_point(oa, a, a->s->at);
  fly_carry_point(ob, b, b->s->at);
  fly_carry_axis(da, a, 2);
  fly_carry_axis(db, b, 2);
  for (int c = 0; c < 3; c++)
    r[c] = oa[0][c] - ob[0][c];
  nearest_places(&u, &w, r, da[0], db[0], ha, hb);
  const bool free_a = fabs(u) < ha, free_b = fabs(w) < hb;
  const double b0 = fly_dot3(da[0], db[0]);
  if (free_a && free_b && 1 - b0 * b0 > PARALLEL) {
    fly_lines_meet(xa, xb, oa, ob, da, db);
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

static void segments(fly_touch *out, const fly_side *a, const fly_side *b, int spot) {
  (void)spot;
  fly_touch_segments(out, a, b);
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
static void nearest_in_box(fly_vector7 foot, fly_vector7 x, const fly_side *box, const int face[3]) {
  fly_vector7 o, way;
  fly_carry_point(o, box, box->s->at);
  fly_vector7_sum(way, x, -1.0, o);
  memcpy(foot, o, sizeof(fly_vector7));
  for (int k = 0; k < 3; k++) {
    fly_vector7 e;
    fly_number7 u = {face[k] * box->s->half[k]};
    fly_carry_axis(e, box, k);
    if (face[k] == 0)
      fly_vector7_dot(u, e, way);
    fly_vector7_add(foot, u, e);
  }
}

static void place_in(double own[3], const fly_side *w, fly_vector7 x) {
  fly_vector7 o, e;
  fly_carry_point(o, w, w->s->at);
  fly_vector7_sum(o, x, -1.0, o);
  for (int k = 0; k < 3; k++) {
    fly_carry_axis(e, w, k);
    own[k] = fly_dot3(e[0], o[0]);
  }
}

// From the box to the point: over a face its normal, whichever side of it the point is on.
static void box_normal(fly_vector7 n, fly_vector7 foot, fly_vector7 x, const fly_side *box, const int face[3],
                       int count) {
  fly_vector7_sum(n, x, -1.0, foot);
  for (int k = 0; count == 1 && k < 3; k++)
    if (face[k] != 0) {
      fly_carry_axis(n, box, k);
      if (face[k] < 0)
        fly_vector7_negate(n);
    }
  if (count > 1)
    fly_vector7_unit(n, n);
}

static void box_point(fly_touch *out, const fly_side *a, const fly_side *b, int spot) {
  (void)spot;
  const bool swapped = b->s->core == FLY_CORE_BOX;
  const fly_side *box = swapped ? b : a, *ball = swapped ? a : b;
  fly_vector7 x, foot, n;
  double own[3];
  int face[3];
  fly_carry_point(x, ball, ball->s->at);
  place_in(own, box, x);
  const int count = faces_of(face, box->s, own);
  nearest_in_box(foot, x, box, face);
  box_normal(n, foot, x, box, face, count);
  if (swapped)
    fly_vector7_negate(n);
  fly_touch_between(out, a->s->radius, b->s->radius, swapped ? x : foot, swapped ? foot : x, n);
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
static void nearest_in_cylinder(fly_vector7 foot, const fly_side *w, fly_vector7 e, fly_vector7 z,
                                const fly_number7 far, const fly_number7 high, bool beside, int cap) {
  const fly_number7 rim = {w->s->half[0]}, top = {cap * w->s->half[2]};
  fly_carry_point(foot, w, w->s->at);
  fly_vector7_add(foot, cap != 0 ? top : high, z);
  fly_vector7_add(foot, beside ? rim : far, e);
}

static void cylinder_point(fly_touch *out, const fly_side *a, const fly_side *b, int spot) {
  (void)spot;
  const bool swapped = b->s->core == FLY_CORE_CYLINDER;
  const fly_side *w = swapped ? b : a, *ball = swapped ? a : b;
  fly_vector7 x, d, z, e, foot, n;
  fly_number7 high, far;
  bool beside;
  int cap;
  fly_carry_point(x, ball, ball->s->at);
  fly_carry_point(d, w, w->s->at);
  fly_vector7_sum(d, x, -1.0, d);
  fly_carry_axis(z, w, 2);
  fly_vector7_split(high, e, d, z);
  if (fly_dot3(e[0], e[0]) > 0)
    fly_vector7_unit(e, e);
  else
    fly_carry_axis(e, w, 0);
  fly_vector7_dot(far, e, d);
  cylinder_faces(&beside, &cap, w->s, far[0], high[0]);
  nearest_in_cylinder(foot, w, e, z, far, high, beside, cap);
  if (beside && cap != 0) {
    fly_vector7_sum(n, x, -1.0, foot);
    fly_vector7_unit(n, n);
  } else {
    memcpy(n, beside ? e : z, sizeof n);
    if (cap < 0)
      fly_vector7_negate(n);
  }
  if (swapped)
    fly_vector7_negate(n);
  fly_touch_between(out, a->s->radius, b->s->radius, swapped ? x : foot, swapped ? foot : x, n);
}

// ------------------------------------------------------------------------------------------ the table of pairs

typedef struct pair_kind {
  int spots;
  void (*touch)(fly_touch *out, const fly_side *a, const fly_side *b, int spot);
} pair_kind;

// Those with formulas of their own.
// clang-format off
static const pair_kind PAIRS[FLY_CORES][FLY_CORES] = {
    [FLY_CORE_PLANE] = {[FLY_CORE_POINT] = {1, plane_any}, [FLY_CORE_SEGMENT] = {2, plane_any},
                        [FLY_CORE_BOX] = {8, plane_any}, [FLY_CORE_CYLINDER] = {8, plane_any},
                        [FLY_CORE_CONE] = {5, plane_any}, [FLY_CORE_ELLIPSOID] = {1, plane_any}},
    [FLY_CORE_POINT] = {[FLY_CORE_POINT] = {1, segments}, [FLY_CORE_SEGMENT] = {1, segments},
                        [FLY_CORE_BOX] = {1, box_point}, [FLY_CORE_CYLINDER] = {1, cylinder_point}},
    [FLY_CORE_SEGMENT] = {[FLY_CORE_POINT] = {1, segments}},
    [FLY_CORE_BOX] = {[FLY_CORE_POINT] = {1, box_point}},
    [FLY_CORE_CYLINDER] = {[FLY_CORE_POINT] = {1, cylinder_point}},
};
// clang-format on

static const pair_kind *kind_of(const fly_solid *a, const fly_solid *b) {
  return b->core == FLY_CORE_PLANE ? &PAIRS[b->core][a->core] : &PAIRS[a->core][b->core];
}

static bool is_bent(const fly_solid *s) { return s->core == FLY_CORE_POINT || s->core == FLY_CORE_ELLIPSOID; }

static bool is_rod(const fly_solid *s) { return s->core == FLY_CORE_POINT || s->core == FLY_CORE_SEGMENT; }

int fly_touch_spots(const fly_solid *a, const fly_solid *b) {
  if (a->core == FLY_CORE_PLANE && b->core == FLY_CORE_PLANE)
    return 0;
  if (a->core == FLY_CORE_CURVE || b->core == FLY_CORE_CURVE)
    return fly_curve_spots(a, b);
  if (a->core == FLY_CORE_SURFACE || b->core == FLY_CORE_SURFACE)
    return is_rod(a) || is_rod(b) ? FLY_FEW_SPOTS : FLY_SPOTS;
  const int own = kind_of(a, b)->spots;
  if (own > 0)
    return own;
  return is_bent(a) || is_bent(b) ? 1 : a->core == FLY_CORE_SEGMENT || b->core == FLY_CORE_SEGMENT ? 2 : FLY_FEW_SPOTS;
}

static void many_spots(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b) {
  const bool meshes = a->s->core == FLY_CORE_SURFACE && b->s->core == FLY_CORE_SURFACE;
  if (meshes)
    fly_touch_two_surfaces(out, a, b);
  else if (a->s->core == FLY_CORE_SURFACE || b->s->core == FLY_CORE_SURFACE)
    (is_rod(a->s) || is_rod(b->s) ? fly_touch_surface : fly_touch_facets)(out, a, b);
  else if (a->s->core == FLY_CORE_CURVE)
    fly_touch_curves(out, a, b);
  else
    fly_touch_patches(out, a, b);
}

void fly_touch_all(fly_touch out[FLY_SPOTS], const fly_solid *a, const fly_solid *b, const double p[3],
                   const double R[9]) {
  const fly_side first = {a, NULL, NULL}, second = {b, p, R};
  const pair_kind *own = kind_of(a, b);
  for (int k = 0; k < own->spots; k++)
    own->touch(&out[k], &first, &second, k);
  if (own->spots == 0)
    many_spots(out, &first, &second);
}

void fly_touch_at(fly_touch *out, const fly_solid *a, const fly_solid *b, int spot, const double p[3],
                  const double R[9]) {
  const fly_side first = {a, NULL, NULL}, second = {b, p, R};
  fly_touch all[FLY_SPOTS];
  if (kind_of(a, b)->spots > 0) {
    kind_of(a, b)->touch(out, &first, &second, spot);
    return;
  }
  many_spots(all, &first, &second);
  *out = all[spot];
}

// ------------------------------------------------------------------------------------------ far apart

static const double FAR = 0.05; // of the smaller of both

static void middle_of(double x[3], const fly_side *w) {
  memcpy(x, w->s->at, 3 * sizeof *x);
  for (int c = 0; w->R && c < 3; c++)
    x[c] = w->p[c] + fly_dot3(w->R + 3 * c, w->s->at);
}

// The normal of a plane, out of it; of two balls from one to the other.
static double along_normal(double n[3], const fly_side *a, const fly_side *b, const double way[3]) {
  const fly_side *plane = a->s->core == FLY_CORE_PLANE ? a : b;
  double size = sqrt(fly_dot3(way, way));
  for (int c = 0; c < 3; c++)
    n[c] = way[c] / size;
  if (plane->s->core != FLY_CORE_PLANE)
    return size;
  const double z[3] = {plane->s->A[2], plane->s->A[5], plane->s->A[8]};
  for (int c = 0; c < 3; c++)
    n[c] = (plane == a ? 1 : -1) * (plane->R ? fly_dot3(plane->R + 3 * c, z) : z[c]);
  return fly_dot3(n, way);
}

bool fly_touch_far(fly_touch *out, const fly_solid *a, const fly_solid *b, const double p[3], const double R[9]) {
  const fly_side first = {a, NULL, NULL}, second = {b, p, R};
  const double ra = a->core == FLY_CORE_PLANE ? 0.0 : fly_solid_reach(a),
               rb = b->core == FLY_CORE_PLANE ? 0.0 : fly_solid_reach(b);
  double x[2][3], way[3], n[3];
  middle_of(x[0], &first);
  middle_of(x[1], &second);
  for (int c = 0; c < 3; c++)
    way[c] = x[1][c] - x[0][c];
  const double gap = along_normal(n, &first, &second, way) - ra - rb;
  const double size = ra == 0 ? rb : rb == 0 ? ra : fmin(ra, rb);
  if (!(gap > FAR * size))
    return false;
  const double *o = ra == 0 ? x[1] : x[0]; // in the ball, at its end next to the other
  const double half = gap / 2 + (ra == 0 ? rb : ra);
  *out = (fly_touch){.gap = gap};
  for (int c = 0; c < 3; c++) {
    out->n[c] = n[c];
    out->c[c] = o[c] + (ra == 0 ? -1 : 1) * half * n[c];
  }
  return true;
}

// ------------------------------------------------------------------------------------------ sizes

double fly_solid_reach(const fly_solid *s) {
  if (s->core == FLY_CORE_PLANE)
    return INFINITY;
  if (s->core == FLY_CORE_SURFACE)
    return s->surface->reach;
  if (s->core == FLY_CORE_CURVE)
    return s->curve->reach;
  return s->radius + (s->core == FLY_CORE_HULL ? s->hull->reach : sqrt(fly_dot3(s->half, s->half)));
}

double fly_solid_thickness(const fly_solid *s) {
  if (s->core == FLY_CORE_PLANE)
    return INFINITY;
  if (s->core == FLY_CORE_SURFACE)
    return s->surface->thickness;
  if (s->core == FLY_CORE_CURVE)
    return s->curve->thickness;
  if (s->core == FLY_CORE_HULL)
    return s->radius + s->hull->thickness;
  return s->radius + (s->core >= FLY_CORE_BOX ? fmin(s->half[0], fmin(s->half[1], s->half[2])) : 0.0);
}
