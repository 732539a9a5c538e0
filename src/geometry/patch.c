// Solids with faces touch at several spots: the corners of what their faces have in common, seen along the normal. Each
// is a corner over a face or an edge across an edge, whose gap changes by n . u alone (docs/theory/contact.md,
// T-patches). Where no faces look at each other there is one spot, where the solids are nearest.
#include <math.h>
#include <string.h>

#include "geometry/meet.h"
#include "geometry/side.h"

enum { CORNERS = 2 * FLY_PATCH };
static const double FACING = 0.98;    // cosine between a face and the normal of the distance
static const double STEADY = 1.0 / 8; // of the depth: how much nearer than their ends two rods may cross
static const double CROSSED = 1e-3;   // sine between edges that cross
static const double ALONG = 0.9998;   // cosine between the normals of a rod across an edge, and of the distance
static const double TILTED = 0.03;    // of the depth: how much deeper than the solids a spot of a tilted face may be
static const double ROUGH = 1e-6;     // of the size: the distance of bent cores is known to that
static const double UPRIGHT = 0.95;   // cosine between an axis and a normal: of what stands on its cap

// Both sides, and what of them looks at the other.
typedef struct both {
  const fly_side *side[2];
  fly_patch patch[2];
  int face;    // the side whose face is looked at; the other one lies on it
  double n[3]; // of the distance
} both;

static double radius_of(const both *w, int k) { return w->side[k]->s->radius; }

// ------------------------------------------------------------------------------------------ one spot

// A corner over a face, which belongs to side `face`: n, o the normal of it, outwards, and a point of it.
static void corner_on_face(fly_touch *out, const both *w, int face, fly_vector7 x, const double normal[3],
                           const double point[3]) {
  fly_vector7 n, o, foot;
  fly_carry_along(n, w->side[face], normal);
  fly_carry_here(o, w->side[face], point);
  fly_vector7_foot(foot, x, n, o);
  if (face == 1)
    fly_vector7_negate(n);
  fly_touch_between(out, radius_of(w, 0), radius_of(w, 1), face == 0 ? foot : x, face == 0 ? x : foot, n);
}

// The corner of a patch; of a cylinder that lies, the lowest point of its rim there.
static void carry_corner(fly_vector7 x, const both *w, int of, int corner) {
  const int face = 1 - of;
  const fly_patch *p = &w->patch[of];
  fly_vector7 n;
  if (p->radius == 0) {
    fly_carry_here(x, w->side[of], p->x[corner]);
    return;
  }
  fly_carry_along(n, w->side[face], w->patch[face].n);
  fly_rim_point(x, w->side[of], n, w->patch[face].x[0], (corner == 0 ? -1 : 1) * w->side[of]->s->half[2], 0);
}

static void edge_of(double d[3], const fly_patch *p, int k) {
  const double *from = p->x[k], *to = p->x[(k + 1) % p->count];
  double size = 0;
  for (int c = 0; c < 3; c++) {
    d[c] = to[c] - from[c];
    size += d[c] * d[c];
  }
  size = sqrt(size);
  for (int c = 0; c < 3; c++)
    d[c] /= size;
}

// Is x between the ends of an edge?
static bool within(const fly_patch *p, int edge, const double x[3]) {
  double d[3];
  const double *from = p->x[edge], *to = p->x[(edge + 1) % p->count];
  edge_of(d, p, edge);
  const double place = fly_dot3(d, x);
  return place >= fly_dot3(d, from) && place <= fly_dot3(d, to);
}

// A rod is round: it touches an edge where both are nearest, which seen along the face need not be where they cross. If
// that is beyond an end, or it stands rather than lies there, they do not touch so.
static bool rod_lies(const both *w, const int edge[2], fly_vector7 x[2], const double n[3]) {
  return fly_dot3(n, w->n) > ALONG && within(&w->patch[0], edge[0], x[0][0]) && within(&w->patch[1], edge[1], x[1][0]);
}

// Two edges; false: they run side by side, or one is a rod that does not lie on the other.
static bool edges_cross(fly_touch *out, const both *w, const int edge[2]) {
  fly_vector7 o[2], d[2], x[2], n;
  for (int k = 0; k < 2; k++) {
    double along[3];
    edge_of(along, &w->patch[k], edge[k]);
    fly_carry_here(o[k], w->side[k], w->patch[k].x[edge[k]]);
    fly_carry_along(d[k], w->side[k], along);
  }
  fly_vector7_cross(n, d[0], d[1]);
  if (fly_dot3(n[0], n[0]) < CROSSED * CROSSED)
    return false;
  fly_vector7_unit(n, n);
  if (fly_dot3(n[0], w->patch[w->face].n) * (w->face == 0 ? 1 : -1) < 0)
    fly_vector7_negate(n);
  fly_lines_meet(x[0], x[1], o[0], o[1], d[0], d[1]);
  if (w->patch[1 - w->face].count == 2 && !rod_lies(w, edge, x, n[0]))
    return false;
  fly_touch_between(out, radius_of(w, 0) + w->patch[0].radius, radius_of(w, 1) + w->patch[1].radius, x[0], x[1], n);
  return true;
}

// ------------------------------------------------------------------------------------------ what faces have in common

// A corner of it: one of the patch that lies on the face, one of the face, or where two edges cross. The edge to the
// next one: of the patch that lies on it (from 0), or of the face (-1 - k).
typedef struct corner {
  double x[3];
  int own, of_face, edge[2]; // numbers, or -1
  int next;
} corner;

typedef struct common {
  int count;
  corner of[CORNERS];
} common;

// How far x is beyond edge k of the face, seen along its normal.
static double beyond(const fly_patch *face, int k, const double x[3]) {
  double d[3], out[3];
  edge_of(d, face, k);
  fly_cross(out, d, face->n);
  const double way[3] = {x[0] - face->x[k][0], x[1] - face->x[k][1], x[2] - face->x[k][2]};
  return fly_dot3(out, way);
}

// Where the edge between two corners leaves the face by its edge k.
static corner cut(const corner *a, const corner *b, double da, double db, int edge, int k, int count) {
  corner c = {.own = -1, .of_face = -1, .edge = {-1, -1}};
  const double share = da / (da - db);
  for (int i = 0; i < 3; i++)
    c.x[i] = a->x[i] + share * (b->x[i] - a->x[i]);
  if (edge >= 0) {
    c.edge[0] = edge;
    c.edge[1] = k;
  } else {
    const int other = -1 - edge; // two edges of the face meet in the corner between them
    c.of_face = (other + 1) % count == k ? k : other;
  }
  return c;
}

// Sutherland and Hodgman (Comm. ACM 17, 1974), with names for what remains.
static void clip(common *c, const fly_patch *face, int k) {
  const common all = *c;
  c->count = 0;
  for (int i = 0; i < all.count; i++) {
    const corner *a = &all.of[i], *b = &all.of[(i + 1) % all.count];
    const double da = beyond(face, k, a->x), db = beyond(face, k, b->x);
    if (da <= 0 && c->count < CORNERS)
      c->of[c->count++] = *a;
    if ((da <= 0) == (db <= 0) || c->count == CORNERS)
      continue;
    corner *n = &c->of[c->count++];
    *n = cut(a, b, da, db, a->next, k, face->count);
    n->next = da <= 0 ? -1 - k : a->next;
  }
}

// Of a rod, whose way there and back is one edge: both ends of what is left of it.
static void clip_rod(common *c, const fly_patch *face, int k) {
  corner *a = &c->of[0], *b = &c->of[1];
  const double da = beyond(face, k, a->x), db = beyond(face, k, b->x);
  if (da > 0 && db > 0)
    c->count = 0;
  else if (da > 0)
    *a = cut(a, b, da, db, 0, k, face->count);
  else if (db > 0)
    *b = cut(a, b, da, db, 0, k, face->count);
}

static void find_common(common *c, const both *w) {
  const fly_patch *face = &w->patch[w->face], *on = &w->patch[1 - w->face];
  c->count = on->count;
  for (int k = 0; k < on->count; k++) {
    fly_vector7 x;
    carry_corner(x, w, 1 - w->face, k);
    c->of[k] = (corner){.own = k, .of_face = -1, .edge = {-1, -1}, .next = k};
    memcpy(c->of[k].x, x[0], sizeof x[0]);
  }
  for (int k = 0; k < face->count && c->count > 0; k++)
    if (on->count == 2)
      clip_rod(c, face, k);
    else
      clip(c, face, k);
}

// ------------------------------------------------------------------------------------------ all of them

static bool spot_of(fly_touch *out, const both *w, const corner *c) {
  const int face = w->face, on = 1 - face;
  const fly_patch *p = &w->patch[face], *q = &w->patch[on];
  fly_vector7 x;
  if (c->own >= 0) {
    carry_corner(x, w, on, c->own);
    corner_on_face(out, w, face, x, p->n, p->x[0]);
    return true;
  }
  if (c->of_face >= 0) {
    fly_carry_here(x, w->side[face], p->x[c->of_face]);
    corner_on_face(out, w, on, x, q->n, q->x[0]);
    return q->count > 2;
  }
  int edge[2];
  edge[on] = c->edge[0];
  edge[face] = c->edge[1];
  return edges_cross(out, w, edge);
}

// Each has its place, where its springs are: that of its number, or the next that is free.
static int place_of(const corner *c, const bool taken[FLY_FEW_SPOTS], int spots) {
  const int wish = c->own >= 0       ? 2 * c->own
                   : c->of_face >= 0 ? 2 * c->of_face + 1
                                     : 2 * c->edge[0] + 1 + (c->edge[1] & 1);
  for (int k = 0; k < spots; k++)
    if (!taken[(wish + k) % spots])
      return (wish + k) % spots;
  return -1;
}

static bool faces_touch(fly_touch out[FLY_SPOTS], const both *w, int spots) {
  common c;
  bool taken[FLY_FEW_SPOTS] = {false};
  fly_touch one;
  int count = 0;
  find_common(&c, w);
  for (int k = 0; k < c.count; k++) {
    const int place = place_of(&c.of[k], taken, spots);
    if (place < 0 || !spot_of(&one, w, &c.of[k]))
      continue;
    taken[place] = true;
    out[place] = one;
    count++;
  }
  return count > 0;
}

// ------------------------------------------------------------------------------------------ rods side by side

// The place of a rod next to y. Rods that end side by side have it beyond the end by rounding alone: it is the end
// then.
static void place_on_rod(fly_vector7 x, const both *w, int of, fly_vector7 y) {
  const fly_patch *p = &w->patch[of];
  fly_vector7 o, d, way;
  fly_number7 u;
  double along[3];
  edge_of(along, p, 0);
  fly_carry_here(o, w->side[of], p->x[0]);
  fly_carry_along(d, w->side[of], along);
  fly_vector7_sum(way, y, -1.0, o);
  fly_vector7_dot(u, d, way);
  const double rest[3] = {p->x[1][0] - o[0][0], p->x[1][1] - o[0][1], p->x[1][2] - o[0][2]};
  memcpy(x, o, sizeof o);
  if (u[0] >= fly_dot3(along, rest))
    fly_carry_here(x, w->side[of], p->x[1]);
  else if (u[0] > 0)
    fly_vector7_add(x, u, d);
}

// The end of one rod and the place of the other next to it; false: they are at one place.
static bool end_on_rod(fly_touch *out, const both *w, int of, int end) {
  fly_vector7 x[2], n;
  fly_carry_here(x[of], w->side[of], w->patch[of].x[end]);
  place_on_rod(x[1 - of], w, 1 - of, x[of]);
  fly_vector7_sum(n, x[1], -1.0, x[0]);
  if (!(fly_dot3(n[0], n[0]) > 0))
    return false;
  fly_vector7_unit(n, n);
  fly_touch_between(out, radius_of(w, 0) + w->patch[0].radius, radius_of(w, 1) + w->patch[1].radius, x[0], x[1], n);
  return true;
}

// Do they run side by side for a way? Of the second, the end that is next to the first one's first.
static bool rods_share(const both *w, int *next) {
  double d[3], place[2][2];
  edge_of(d, &w->patch[0], 0);
  for (int k = 0; k < 4; k++)
    place[k / 2][k % 2] = fly_dot3(d, w->patch[k / 2].x[k % 2]);
  const int low = place[1][0] > place[1][1];
  *next = low;
  return fmin(place[0][1], place[1][1 - low]) > fmax(place[0][0], place[1][low]);
}

// Where what they have in common ends: of both ends there the one that is nearer to the other rod. That is the one
// which lies beside it; as they pass each other the gap goes on.
static bool common_end(fly_touch *out, const both *w, const int end[2]) {
  fly_touch one[2];
  for (int of = 0; of < 2; of++)
    if (!end_on_rod(&one[of], w, of, end[of]))
      return false;
  *out = one[one[1].gap < one[0].gap];
  return true;
}

// Both ends of what two rods have in common, unless they cross nearer than that.
static bool rods_touch(fly_touch out[FLY_SPOTS], const both *w, const fly_touch *nearest) {
  int next;
  double d[2][3], n[3];
  fly_touch two[2];
  for (int k = 0; k < 2; k++)
    edge_of(d[k], &w->patch[k], 0);
  fly_cross(n, d[0], d[1]);
  if (fly_dot3(n, n) > 0.01 || !rods_share(w, &next))
    return false;
  for (int k = 0; k < 2; k++)
    if (!common_end(&two[k], w, (int[2]){k, k == 0 ? next : 1 - next}))
      return false;
  const double size = fmin(fly_solid_reach(w->side[0]->s), fly_solid_reach(w->side[1]->s));
  if (fmin(two[0].gap, two[1].gap) - nearest->gap > 1e-9 * size + STEADY * fmax(-nearest->gap, 0))
    return false;
  memcpy(out, two, sizeof two);
  return true;
}

// ------------------------------------------------------------------------------------------ caps

static double upright(const fly_side *w, const double n[3]) {
  fly_vector7 z;
  fly_carry_axis(z, w, 2);
  return fly_dot3(z[0], n);
}

// Does it stand on a cap, or its base, against a normal that leaves it?
static bool stands(const fly_side *w, const double n[3]) {
  const double up = upright(w, n);
  return (w->s->core == FLY_CORE_CYLINDER && fabs(up) > UPRIGHT) || (w->s->core == FLY_CORE_CONE && up < -UPRIGHT);
}

// A face that a cap can stand on, and whether a point is over it: of a patch, or of another cap.
static bool floor_of(fly_patch *p, const fly_side *w, const double n[3]) {
  if (p->count > 2)
    return true;
  if (!stands(w, n))
    return false;
  fly_vector7 z, o;
  const double up = upright(w, n) < 0 ? -1 : 1;
  fly_carry_axis(z, w, 2);
  fly_carry_own(o, w, (double[3]){0, 0, up * w->s->half[2]});
  for (int c = 0; c < 3; c++) {
    p->n[c] = up * z[0][c];
    p->x[0][c] = o[0][c];
  }
  p->count = 1;
  p->radius = w->s->half[0];
  return true;
}

static bool is_over(const fly_patch *p, const double x[3]) {
  if (p->count == 1) {
    double d[3] = {x[0] - p->x[0][0], x[1] - p->x[0][1], x[2] - p->x[0][2]}, across[3];
    fly_cross(across, d, p->n);
    return sqrt(fly_dot3(across, across)) <= p->radius * (1 + 1e-9);
  }
  for (int k = 0; k < p->count; k++)
    if (beyond(p, k, x) > 0)
      return false;
  return true;
}

// Points of the rim that are over the face; and where they are nearest, if the lowest is not.
static bool cap_touches(fly_touch out[FLY_SPOTS], both *w, int round, const fly_touch *nearest, const double n[3]) {
  const fly_side *cap = w->side[round];
  fly_patch *p = &w->patch[1 - round];
  const double from[3] = {-n[0], -n[1], -n[2]};
  if (!stands(cap, n) || !floor_of(p, w->side[1 - round], from))
    return false;
  fly_vector7 up, x;
  const double z = (upright(cap, n) < 0 ? -1 : 1) * cap->s->half[2];
  int count = 0;
  fly_carry_along(up, w->side[1 - round], p->n);
  for (int k = 0; k < FLY_RIM_SPOTS; k++) {
    fly_rim_point(x, cap, up, p->x[0], z, k);
    if (!is_over(p, x[0]))
      continue;
    corner_on_face(&out[k], w, 1 - round, x, p->n, p->x[0]);
    count += k == 0 ? FLY_RIM_SPOTS : 1;
  }
  if (count > 0 && count < FLY_RIM_SPOTS)
    out[FLY_RIM_SPOTS] = *nearest;
  return count > 0;
}

// ------------------------------------------------------------------------------------------ which of these

// All spots are where the solids are nearest, and farther apart than they can be: none of them is there.
static void begin(fly_touch out[FLY_SPOTS], const fly_touch *nearest, const both *w) {
  for (int k = 0; k < FLY_FEW_SPOTS; k++)
    fly_touch_leave(&out[k], nearest, fly_solid_reach(w->side[0]->s) + fly_solid_reach(w->side[1]->s));
}

// In each other no spot is deeper than the solids are, but for what faces are tilted, and one is as deep: a spot is
// there from the moment on in which they touch.
static void keep_depth(fly_touch out[FLY_SPOTS], const fly_touch *nearest, const both *w, int spots) {
  const double reach = fly_solid_reach(w->side[0]->s) + fly_solid_reach(w->side[1]->s);
  int best = 0;
  for (int k = 0; k < spots; k++) {
    if (out[k].gap < (1 + TILTED) * nearest->gap - ROUGH * reach)
      fly_touch_leave(&out[k], nearest, reach);
    if (out[k].gap < out[best].gap)
      best = k;
  }
  if (out[best].gap > (1 - STEADY) * nearest->gap + ROUGH * reach)
    out[best] = *nearest;
}

// While they are apart no spot is nearer than the solids are, and one is as near: edges seen to cross along a face need
// not be nearest where they are edges.
static void keep_apart(fly_touch out[FLY_SPOTS], const fly_touch *nearest, int spots) {
  const double slack = 1e-9 * fabs(nearest->gap);
  int best = 0;
  for (int k = 0; k < spots; k++) {
    if (out[k].gap < nearest->gap - slack)
      out[k] = *nearest;
    if (out[k].gap < out[best].gap)
      best = k;
  }
  if (out[best].gap > nearest->gap + slack)
    out[best] = *nearest;
}

static bool has_face(const both *w, int k, const double n[3]) {
  return w->patch[k].count > 2 && fly_dot3(w->patch[k].n, n) * (k == 0 ? 1 : -1) > FACING;
}

static bool several(fly_touch out[FLY_SPOTS], both *w, const fly_touch *nearest, int spots) {
  const double *n = nearest->n, back[3] = {-n[0], -n[1], -n[2]};
  const bool first = has_face(w, 0, n), second = has_face(w, 1, n);
  if (w->patch[0].count == 2 && w->patch[1].count == 2)
    return rods_touch(out, w, nearest);
  if (w->patch[0].count == 0 || w->patch[1].count == 0)
    return spots > 2 && (cap_touches(out, w, 1, nearest, back) || cap_touches(out, w, 0, nearest, n));
  if (!first && !second)
    return false;
  const double lean = fly_dot3(w->patch[0].n, n) + fly_dot3(w->patch[1].n, n);
  w->face = first && (!second || lean > -1e-6) ? 0 : 1; // the flatter one; of two alike the first
  return faces_touch(out, w, spots);
}

// The corners of the face that looks most at a plane, as many as there are places for, the nearest among them.
static void plane_touches(fly_touch out[FLY_SPOTS], both *w, int plane) {
  const fly_side *other = w->side[1 - plane];
  const fly_posed posed = fly_posed_of(other->s, other->p, other->R);
  fly_vector7 z, o;
  double down[3], lowest[3];
  fly_carry_axis(z, w->side[plane], 2);
  fly_carry_point(o, w->side[plane], w->side[plane]->s->at);
  for (int c = 0; c < 3; c++)
    down[c] = -z[0][c];
  fly_posed_support(lowest, &posed, down);
  fly_vector7 x;
  fly_touch nearest;
  fly_carry_here(x, other, lowest);
  corner_on_face(&nearest, w, plane, x, z[0], o[0]);
  for (int k = 0; k < FLY_FEW_SPOTS; k++)
    fly_touch_leave(&out[k], &nearest, 2 * fly_solid_reach(other->s));
  fly_patch_find(&w->patch[1 - plane], &posed, down);
  for (int k = 0; k < w->patch[1 - plane].count; k++) {
    fly_touch one;
    fly_carry_here(x, other, w->patch[1 - plane].x[k]);
    corner_on_face(&one, w, plane, x, z[0], o[0]);
    if (one.gap < out[k % FLY_FEW_SPOTS].gap)
      out[k % FLY_FEW_SPOTS] = one;
  }
  if (w->patch[1 - plane].count == 0)
    out[0] = nearest;
}

// Two rods have a formula; where their axes meet it knows no normal.
static void find_nearest(fly_touch *out, const fly_side *a, const fly_side *b, const fly_posed *first,
                         const fly_posed *second) {
  fly_meeting m;
  if (a->s->core == FLY_CORE_SEGMENT && b->s->core == FLY_CORE_SEGMENT) {
    fly_touch_segments(out, a, b);
    if (out->gap + a->s->radius + b->s->radius > ROUGH * fly_solid_reach(a->s))
      return;
  }
  fly_meeting_find(&m, first, second, b->p);
  fly_touch_between(out, a->s->radius, b->s->radius, m.xa, m.xb, m.n);
}

void fly_touch_patches(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b) {
  both w = {.side = {a, b}};
  if (a->s->core == FLY_CORE_PLANE || b->s->core == FLY_CORE_PLANE) {
    plane_touches(out, &w, b->s->core == FLY_CORE_PLANE);
    return;
  }
  const fly_posed first = fly_posed_of(a->s, a->p, a->R), second = fly_posed_of(b->s, b->p, b->R);
  const int spots = fly_touch_spots(a->s, b->s);
  fly_touch nearest;
  find_nearest(&nearest, a, b, &first, &second);
  if (spots == 1) {
    out[0] = nearest;
    return;
  }
  const double back[3] = {-nearest.n[0], -nearest.n[1], -nearest.n[2]};
  memcpy(w.n, nearest.n, sizeof w.n);
  begin(out, &nearest, &w);
  fly_patch_find(&w.patch[0], &first, nearest.n);
  fly_patch_find(&w.patch[1], &second, back);
  if (!several(out, &w, &nearest, spots))
    out[0] = nearest;
  if (nearest.gap > 0)
    keep_apart(out, &nearest, spots);
  else
    keep_depth(out, &nearest, &w, spots);
}
