// Curves that touch in a plane. One of both, the prism, stretches along its z axis as far as need be; the other is a
// point (the middle of a circle), or straight lines. Where they are nearest solves in the plane of the prism what is
// carried to space below, so that the derivatives are exact however the bodies stand (docs/theory/contact.md,
// T-curves).
#include <math.h>
#include <string.h>

#include "geometry/curve.h"
#include "geometry/side.h"
#include "math/constants.h"

enum { FEET = 64, ROUNDS = 60 };
static const double SHALLOW = 0.8660254037844387; // cosine of 30 degrees: lines that meet at less are one
static const double LEAST = 1e-6;                 // of 1: how little 1 + curvature times distance may be
static const double STRAIGHT = 1e6;               // times its size: no curve has a larger radius

static double dot2(const double a[2], const double b[2]) { return a[0] * b[0] + a[1] * b[1]; }

// ------------------------------------------------------------------------------------------ nearest to a point

// A place of a curve where its distance from a point y is smallest, in the plane of the curve: y - D n, and
// dn = bend t (t . dy), t across n. Behind: y is inside of what is solid, D < 0.
typedef struct foot {
  double D, n[2], bend;
  int line; // of lines: which; -1: a corner, or something bent
  bool behind;
} foot;

typedef struct feet {
  int count;
  foot of[FEET];
  double nearest; // |D|, of all
} feet;

static void add_foot(feet *f, foot one) {
  f->nearest = fmin(f->nearest, fabs(one.D));
  if (f->count < FEET)
    f->of[f->count++] = one;
  else if (fabs(one.D) <= f->nearest)
    f->of[FEET - 1] = one;
}

// A corner at x, seen from inside or outside.
static foot foot_at(const double x[2], const double y[2], bool inside) {
  const double d[2] = {y[0] - x[0], y[1] - x[1]}, sign = inside ? -1 : 1;
  const double far = sqrt(dot2(d, d));
  foot f = {.D = sign * far, .n = {1, 0}, .line = -1, .behind = inside};
  for (int k = 0; far > 0 && k < 2; k++)
    f.n[k] = sign * d[k] / far;
  f.bend = far > 0 ? 1 / f.D : 0;
  return f;
}

// Of a circle about 0; hollow: seen from within as well.
static foot foot_round(double radius, const double y[2], bool hollow) {
  const double far = sqrt(dot2(y, y)), sign = hollow && far < radius ? -1 : 1;
  foot f = {.D = sign * (far - radius), .n = {sign, 0}, .line = -1, .behind = far < radius && !hollow};
  for (int k = 0; far > 0 && k < 2; k++)
    f.n[k] = sign * y[k] / far;
  f.bend = far > 0 ? sign / far : 0;
  return f;
}

// Is the direction of y between both ends of an arc?
static bool spans(const fly_curve *c, const double y[2]) {
  const double turn = FLY_TAU, on = atan2(y[1], y[0]) - c->from;
  return on - turn * floor(on / turn) <= c->to - c->from;
}

static void end_of(double x[2], double beyond[2], const fly_curve *c, int which) {
  const double angle = which ? c->to : c->from, sign = which ? 1 : -1;
  x[0] = c->radius * cos(angle);
  x[1] = c->radius * sin(angle);
  beyond[0] = -sign * sin(angle);
  beyond[1] = sign * cos(angle);
}

static void look_at_arc(feet *f, const fly_curve *c, const double y[2]) {
  if (spans(c, y))
    add_foot(f, foot_round(c->radius, y, true));
  for (int k = 0; k < 2; k++) {
    double x[2], beyond[2];
    end_of(x, beyond, c, k);
    const double way[2] = {y[0] - x[0], y[1] - x[1]};
    if (dot2(way, beyond) >= 0)
      add_foot(f, foot_at(x, y, false));
  }
}

// ------------------------------------------------------------------------------------------ lines

typedef struct line {
  double from[2], d[2], length;
} line;

static int lines_of(const fly_curve *c) { return c->closed ? c->count : c->count - 1; }

static line line_of(const fly_curve *c, int k) {
  const double *a = c->point[k], *b = c->point[(k + 1) % c->count];
  line l = {.from = {a[0], a[1]}, .d = {b[0] - a[0], b[1] - a[1]}};
  l.length = sqrt(dot2(l.d, l.d));
  for (int i = 0; i < 2; i++)
    l.d[i] /= l.length;
  return l;
}

static void look_at_line(feet *f, const fly_curve *c, int k, const double y[2]) {
  const line l = line_of(c, k);
  const double way[2] = {y[0] - l.from[0], y[1] - l.from[1]}, along = dot2(way, l.d);
  if (along < 0 || along > l.length)
    return;
  double n[2] = {l.d[1], -l.d[0]}; // outwards, if it is closed
  double D = dot2(n, way);
  for (int i = 0; !c->closed && D < 0 && i < 2; i++)
    n[i] = -n[i];
  D = c->closed ? D : fabs(D);
  add_foot(f, (foot){.D = D, .n = {n[0], n[1]}, .line = k, .behind = D < 0});
}

// y is beyond the end of both lines that meet there, or of the one that ends.
static void look_at_corner(feet *f, const fly_curve *c, int k, const double y[2]) {
  const int before = k > 0 ? k - 1 : c->closed ? c->count - 1 : -1;
  const double *x = c->point[k], way[2] = {y[0] - x[0], y[1] - x[1]};
  const bool last = !c->closed && k == c->count - 1;
  line in = {.d = {0, 0}}, out = {.d = {0, 0}};
  if (before >= 0)
    in = line_of(c, before);
  if (!last)
    out = line_of(c, k);
  if ((before >= 0 && dot2(way, in.d) < 0) || (!last && dot2(way, out.d) > 0))
    return;
  const bool hollow = c->closed && in.d[0] * out.d[1] - in.d[1] * out.d[0] < 0;
  add_foot(f, foot_at(x, y, hollow));
}

static void look_at_lines(feet *f, const fly_curve *c, const double y[2]) {
  for (int k = 0; k < lines_of(c); k++)
    look_at_line(f, c, k, y);
  for (int k = 0; k < c->count; k++)
    look_at_corner(f, c, k, y);
}

// ------------------------------------------------------------------------------------------ splines

// What vanishes at a place that is looked for, and its derivative: (x - y) . x' where it is nearest to y, or m . x'
// where it reaches farthest along m.
typedef struct aim {
  const double *y, *m;
} aim;

static double miss(const aim *a, const double x[3][2], double *slope) {
  if (a->m) {
    *slope = -dot2(a->m, x[2]);
    return -dot2(a->m, x[1]);
  }
  const double way[2] = {x[0][0] - a->y[0], x[0][1] - a->y[1]};
  *slope = dot2(x[1], x[1]) + dot2(way, x[2]);
  return dot2(way, x[1]);
}

// From below 0 at the start of a piece to above it at its end: Newton's steps, halved where they leave what is left.
static void settle(double x[3][2], const fly_curve *c, const fly_curve_piece *p, const aim *a) {
  double low = p->from, high = p->to, s = (low + high) / 2, slope;
  for (int k = 0; k < ROUNDS; k++) {
    fly_curve_at(x, c, p->knot, s);
    const double f = miss(a, (const double(*)[2])x, &slope), step = -f / slope;
    if (f == 0)
      return;
    if (f < 0)
      low = s;
    else
      high = s;
    const double next = s + step > low && s + step < high ? s + step : (low + high) / 2;
    if (next == s || fabs(next - s) < 1e-15 * (p->to - p->from))
      break;
    s = next;
  }
  fly_curve_at(x, c, p->knot, s);
}

static double miss_at(const fly_curve_piece *p, const aim *a) {
  const double x[3][2] = {{p->x[0], p->x[1]}, {p->way[0], p->way[1]}, {0, 0}};
  double slope;
  return miss(a, x, &slope);
}

static double curvature(const double x[3][2]) {
  const double size = sqrt(dot2(x[1], x[1]));
  return (x[1][0] * x[2][1] - x[1][1] * x[2][0]) / (size * size * size);
}

static foot foot_bent(double x[3][2], const double y[2]) {
  const double size = sqrt(dot2(x[1], x[1])), way[2] = {y[0] - x[0][0], y[1] - x[0][1]};
  foot f = {.n = {x[1][1] / size, -x[1][0] / size}, .line = -1};
  const double bent = curvature((const double(*)[2])x);
  f.D = dot2(f.n, way);
  f.bend = bent / fmax(1 + bent * f.D, LEAST);
  f.behind = f.D < 0;
  return f;
}

// Distance of y from the chord of a piece.
static double from_chord(const double a[2], const double b[2], const double y[2]) {
  const double d[2] = {b[0] - a[0], b[1] - a[1]}, way[2] = {y[0] - a[0], y[1] - a[1]};
  const double size = dot2(d, d), u = size > 0 ? fmin(fmax(dot2(way, d) / size, 0), 1) : 0;
  return hypot(way[0] - u * d[0], way[1] - u * d[1]);
}

// Pieces that are surely farther away than the nearest one, and than the radius, are passed over.
static void look_at_spline(feet *f, const fly_curve *c, const double y[2], double radius) {
  const aim a = {.y = y};
  double limit = INFINITY;
  for (int k = 0; k < c->pieces; k++)
    limit = fmin(limit, hypot(c->piece[k].x[0] - y[0], c->piece[k].x[1] - y[1]));
  limit = fmax(limit, radius);
  for (int k = 0; k < c->pieces; k++) {
    const fly_curve_piece *p = &c->piece[k], *next = &c->piece[(k + 1) % c->pieces];
    if (from_chord(p->x, next->x, y) - p->sag > limit || !(miss_at(p, &a) <= 0 && miss_at(next, &a) > 0))
      continue;
    double x[3][2];
    settle(x, c, p, &a);
    add_foot(f, foot_bent(x, y));
  }
}

// ------------------------------------------------------------------------------------------ which of them count

static void look_at_point(feet *f, const fly_curve *c, const double y[2], double radius) {
  *f = (feet){.nearest = INFINITY};
  if (c->kind == FLY_CURVE_CIRCLE)
    add_foot(f, foot_round(c->radius, y, false));
  else if (c->kind == FLY_CURVE_ARC)
    look_at_arc(f, c, y);
  else if (c->kind == FLY_CURVE_LINES)
    look_at_lines(f, c, y);
  else
    look_at_spline(f, c, y, radius);
}

static bool are_neighbours(const fly_curve *c, int i, int k) {
  const int far = i > k ? i - k : k - i;
  return i >= 0 && k >= 0 && (far == 1 || (c->closed && far == c->count - 1));
}

// From inside the nearest of all counts; of lines that meet at a shallow angle the nearer one, so that the gap is the
// distance and does not jump.
static bool counts(const feet *f, const fly_curve *c, int which) {
  const foot *p = &f->of[which];
  if (p->behind)
    return fabs(p->D) <= f->nearest;
  for (int k = 0; k < f->count; k++) {
    const foot *q = &f->of[k];
    if (k != which && are_neighbours(c, p->line, q->line) && dot2(p->n, q->n) > SHALLOW &&
        (q->D < p->D || (q->D == p->D && k < which)))
      return false;
  }
  return true;
}

// ------------------------------------------------------------------------------------------ to space

// The pair: which one is the prism, and whether that is the second.
typedef struct plane_pair {
  const fly_side *prism, *wire;
  bool swapped;
  fly_vector7 o, e[2]; // the frame of the prism
} plane_pair;

static void own_numbers(fly_number7 q[2], plane_pair *w, fly_vector7 y) {
  fly_vector7 way;
  fly_vector7_sum(way, y, -1.0, w->o);
  for (int k = 0; k < 2; k++)
    fly_vector7_dot(q[k], w->e[k], way);
}

static void to_space(fly_vector7 out, plane_pair *w, fly_number7 n[2]) {
  memset(out, 0, sizeof(fly_vector7));
  for (int k = 0; k < 2; k++)
    fly_vector7_add(out, n[k], w->e[k]);
}

// y of the wire, its foot on the prism y - D n.
static void finish(fly_touch *out, plane_pair *w, fly_vector7 y, const fly_number7 D, fly_vector7 n) {
  fly_vector7 x;
  fly_number7 back;
  const double r = w->wire->s->radius;
  for (int k = 0; k < FLY_CARRIED; k++)
    back[k] = -D[k];
  memcpy(x, y, sizeof(fly_vector7));
  fly_vector7_add(x, back, n);
  if (w->swapped)
    fly_vector7_negate(n);
  fly_touch_between(out, w->swapped ? r : 0, w->swapped ? 0 : r, w->swapped ? y : x, w->swapped ? x : y, n);
}

// dn = bend t (t . dy) and dD = n . dy
static void spot_of_foot(fly_touch *out, plane_pair *w, fly_vector7 y, const foot *f) {
  const double t[2] = {-f->n[1], f->n[0]};
  fly_number7 q[2], n2[2] = {{f->n[0]}, {f->n[1]}}, D = {f->D};
  fly_vector7 n;
  own_numbers(q, w, y);
  for (int k = 1; k < FLY_CARRIED; k++) {
    const double along = t[0] * q[0][k] + t[1] * q[1][k];
    D[k] = f->n[0] * q[0][k] + f->n[1] * q[1][k];
    for (int i = 0; i < 2; i++)
      n2[i][k] = f->bend * along * t[i];
  }
  to_space(n, w, n2);
  finish(out, w, y, D, n);
}

// ------------------------------------------------------------------------------------------ a line along a curve

// Where the prism reaches farthest along a normal m, or farther than around: x, and the radius of what is bent there.
typedef struct crest {
  double x[2], radius;
  double D; // how far a line is above it
} crest;

static void add_crest(crest *list, int *count, const double x[2], double radius) {
  if (*count < FEET)
    list[(*count)++] = (crest){.x = {x[0], x[1]}, .radius = radius};
}

static void crests_of_arc(crest *list, int *count, const fly_curve *c, const double m[2]) {
  const double x[2] = {c->radius * m[0], c->radius * m[1]};
  if (spans(c, m)) {
    add_crest(list, count, x, c->radius);
    return;
  }
  double end[2][2], beyond[2];
  for (int k = 0; k < 2; k++)
    end_of(end[k], beyond, c, k);
  add_crest(list, count, end[dot2(m, end[1]) > dot2(m, end[0])], 0);
}

static int crests_of(crest list[FEET], const fly_curve *c, const double m[2]) {
  const aim a = {.m = m};
  int count = 0;
  if (c->kind == FLY_CURVE_ARC)
    crests_of_arc(list, &count, c, m);
  for (int k = 0; k < c->pieces; k++) {
    const fly_curve_piece *p = &c->piece[k], *next = &c->piece[(k + 1) % c->pieces];
    if (!(miss_at(p, &a) <= 0 && miss_at(next, &a) > 0))
      continue;
    double x[3][2];
    settle(x, c, p, &a);
    const double bent = curvature((const double(*)[2])x);
    add_crest(list, &count, x[0], fmin(1 / fmax(bent, 0), STRAIGHT * c->reach));
  }
  return count;
}

// A line of the wire in the plane of the prism: where it begins, its direction and how long it is there.
typedef struct plane_line {
  fly_vector7 from, d; // in space
  fly_number7 o[2], e[2];
  double length;
} plane_line;

static void see_line(plane_line *l, plane_pair *w, int k) {
  const line own = line_of(w->wire->s->curve, k);
  const double *A = w->wire->s->A;
  double d[3];
  for (int i = 0; i < 3; i++)
    d[i] = A[3 * i] * own.d[0] + A[3 * i + 1] * own.d[1];
  fly_carry_own(l->from, w->wire, (double[3]){own.from[0], own.from[1], 0});
  fly_carry_direction(l->d, w->wire, d);
  own_numbers(l->o, w, l->from);
  for (int i = 0; i < 2; i++)
    fly_vector7_dot(l->e[i], w->e[i], l->d);
  l->length = own.length;
}

// n across the line, on the side that sign tells: (e2, -e1)/|e|, carried.
static void across(fly_number7 n[2], plane_line *l, double sign) {
  fly_number7 size, square;
  fly_number7_product(square, l->e[0], l->e[0]);
  fly_number7_product(size, l->e[1], l->e[1]);
  const double root = sqrt(square[0] + size[0]);
  for (int k = 1; k < FLY_CARRIED; k++)
    size[k] = sign * (square[k] + size[k]) / (2 * root);
  size[0] = sign * root;
  fly_number7_quotient(n[0], l->e[1], size);
  fly_number7_quotient(n[1], l->e[0], size);
  for (int k = 0; k < FLY_CARRIED; k++)
    n[1][k] = -n[1][k];
}

// u = (x - o) . e/e . e, x shifts by radius (n x dn) along the curve as n turns; false: beyond an end of the line.
static bool place_on_line(fly_number7 u, plane_line *l, const crest *c, fly_number7 n[2]) {
  const double t[2] = {-n[1][0], n[0][0]};
  fly_number7 square = {0}, part, way;
  memset(u, 0, sizeof(fly_number7));
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < FLY_CARRIED; k++)
      way[k] = (k == 0 ? c->x[i] : c->radius * (t[0] * n[0][k] + t[1] * n[1][k]) * t[i]) - l->o[i][k];
    fly_number7_product(part, way, l->e[i]);
    for (int k = 0; k < FLY_CARRIED; k++)
      u[k] += part[k];
    fly_number7_product(part, l->e[i], l->e[i]);
    for (int k = 0; k < FLY_CARRIED; k++)
      square[k] += part[k];
  }
  fly_number7_quotient(u, u, square);
  return u[0] >= 0 && u[0] <= l->length;
}

// D = n . (o - x); of x only what is along n counts.
static bool spot_of_crest(fly_touch *out, plane_pair *w, plane_line *l, const crest *c, fly_number7 n2[2]) {
  fly_number7 u, D = {0}, part, way;
  fly_vector7 y, n;
  if (!place_on_line(u, l, c, n2))
    return false;
  for (int i = 0; i < 2; i++) {
    memcpy(way, l->o[i], sizeof way);
    way[0] -= c->x[i];
    fly_number7_product(part, way, n2[i]);
    for (int k = 0; k < FLY_CARRIED; k++)
      D[k] += part[k];
  }
  memcpy(y, l->from, sizeof y);
  fly_vector7_add(y, u, l->d);
  to_space(n, w, n2);
  finish(out, w, y, D, n);
  return true;
}

// ------------------------------------------------------------------------------------------ all spots

// What an arc encloses with its chord, against a corner: outside the nearest of both and of the ends, inside the one
// that is less deep.
static foot foot_of_bow(const fly_curve *c, const double y[2]) {
  double end[2][2], beyond[2];
  for (int k = 0; k < 2; k++)
    end_of(end[k], beyond, c, k);
  const double d[2] = {end[0][0] - end[1][0], end[0][1] - end[1][1]}, size = sqrt(dot2(d, d));
  const double way[2] = {y[0] - end[1][0], y[1] - end[1][1]}, along = size > 0 ? dot2(way, d) / size : -1;
  foot chord = {.n = {d[1] / size, -d[0] / size}, .line = 0}, bow = foot_round(c->radius, y, false);
  chord.D = size > 0 ? dot2(chord.n, way) : -(double)INFINITY;
  if (chord.D <= 0 && bow.D <= 0)
    return chord.D > bow.D && along >= 0 && along <= size ? chord : bow;
  if (bow.D > 0 && spans(c, y))
    return bow;
  if (chord.D > 0 && along >= 0 && along <= size)
    return chord;
  const foot a = foot_at(end[0], y, false), b = foot_at(end[1], y, false);
  return a.D < b.D ? a : b;
}

// The foot that tells how far a corner is from a solid prism.
static foot signed_foot(const fly_curve *c, const double y[2]) {
  if (c->kind == FLY_CURVE_ARC)
    return foot_of_bow(c, y);
  feet f;
  look_at_point(&f, c, y, 0);
  int best = 0;
  for (int k = 1; k < f.count; k++)
    if (fabs(f.of[k].D) < fabs(f.of[best].D))
      best = k;
  return f.of[best];
}

// Is a crest the place of the prism next to the point D above it?
static bool is_nearest(plane_pair *w, const crest *c, fly_number7 n[2]) {
  const double y[2] = {c->x[0] + c->D * n[0][0], c->x[1] + c->D * n[1][0]};
  return fabs(signed_foot(w->prism->s->curve, y).D - c->D) < 1e-9 * w->prism->s->curve->reach;
}

// A line lies on the side of the prism from which it came least far in; what is apart is apart on either side.
static void line_touches(fly_touch out[FLY_SPOTS], int *count, plane_pair *w, int k) {
  plane_line l;
  crest list[2][FEET];
  fly_number7 n[2][2];
  double gap[2] = {INFINITY, INFINITY};
  int crests[2];
  see_line(&l, w, k);
  for (int side = 0; side < 2; side++) {
    across(n[side], &l, side ? -1 : 1);
    const double m[2] = {n[side][0][0], n[side][1][0]};
    crests[side] = crests_of(list[side], w->prism->s->curve, m);
    for (int i = 0; i < crests[side]; i++) {
      crest *c = &list[side][i];
      c->D = m[0] * (l.o[0][0] - c->x[0]) + m[1] * (l.o[1][0] - c->x[1]);
      gap[side] = fmin(gap[side], c->D);
    }
  }
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < crests[side]; i++) {
      fly_touch one;
      const crest *c = &list[side][i];
      if ((side == (gap[1] > gap[0]) || c->D > 0 || is_nearest(w, c, n[side])) &&
          spot_of_crest(&one, w, &l, c, n[side]))
        fly_touch_insert(out, count, FLY_CURVE_SPOTS, &one);
    }
}

// Does the wire go away from the prism at the corner k, along line `to` in the direction of sign?
static bool leaves(plane_pair *w, const foot *f, int to, double sign) {
  plane_line l;
  if (to < 0 || to >= lines_of(w->wire->s->curve))
    return true;
  see_line(&l, w, to);
  return sign * (f->n[0] * l.e[0][0] + f->n[1] * l.e[1][0]) >= 0;
}

static void corner_touches(fly_touch out[FLY_SPOTS], int *count, plane_pair *w, int k, bool any) {
  const fly_curve *wire = w->wire->s->curve;
  const int before = k > 0 ? k - 1 : wire->closed ? wire->count - 1 : -1;
  fly_vector7 y;
  fly_number7 q[2];
  fly_touch one;
  fly_carry_own(y, w->wire, (double[3]){wire->point[k][0], wire->point[k][1], 0});
  own_numbers(q, w, y);
  const foot f = signed_foot(w->prism->s->curve, (double[2]){q[0][0], q[1][0]});
  if (!any && (!leaves(w, &f, before, -1) || !leaves(w, &f, k, 1)))
    return;
  spot_of_foot(&one, w, y, &f);
  fly_touch_insert(out, count, FLY_CURVE_SPOTS, &one);
}

static void point_touches(fly_touch out[FLY_SPOTS], int *count, plane_pair *w) {
  const fly_curve *c = w->prism->s->curve;
  feet f;
  fly_vector7 y;
  fly_number7 q[2];
  fly_carry_point(y, w->wire, w->wire->s->at);
  own_numbers(q, w, y);
  look_at_point(&f, c, (double[2]){q[0][0], q[1][0]}, w->wire->s->radius);
  for (int k = 0; k < f.count; k++) {
    fly_touch one;
    if (!counts(&f, c, k))
      continue;
    spot_of_foot(&one, w, y, &f.of[k]);
    fly_touch_insert(out, count, FLY_CURVE_SPOTS, &one);
  }
}

// If nothing is nearer than what is beside it, as may be deep inside, all corners count.
static void wire_touches(fly_touch out[FLY_SPOTS], int *count, plane_pair *w) {
  const fly_curve *wire = w->wire->s->curve;
  for (int k = 0; k < lines_of(wire); k++)
    line_touches(out, count, w, k);
  for (int k = 0; k < wire->count; k++)
    corner_touches(out, count, w, k, false);
  for (int k = 0; *count == 0 && k < wire->count; k++)
    corner_touches(out, count, w, k, true);
}

static bool is_round(const fly_solid *s) { return s->curve->kind == FLY_CURVE_CIRCLE; }

static bool is_straight(const fly_solid *s) { return s->curve->kind == FLY_CURVE_LINES; }

// Of a circle its middle is the wire; else straight lines are.
static bool is_wire(const fly_solid *s, const fly_solid *other) {
  return is_round(s) || (is_straight(s) && !is_round(other) && !is_straight(other));
}

int fly_curve_spots(const fly_solid *a, const fly_solid *b) {
  if (a->core != FLY_CORE_CURVE || b->core != FLY_CORE_CURVE || (!is_wire(a, b) && !is_wire(b, a)))
    return 0;
  return is_round(a) && is_round(b) ? 1 : FLY_CURVE_SPOTS;
}

void fly_touch_curves(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b) {
  plane_pair w = {.prism = a, .wire = b};
  int count = 0;
  if (!is_wire(b->s, a->s))
    w = (plane_pair){.prism = b, .wire = a, .swapped = true};
  fly_carry_point(w.o, w.prism, w.prism->s->at);
  for (int k = 0; k < 2; k++)
    fly_carry_axis(w.e[k], w.prism, k);
  if (is_round(w.wire->s))
    point_touches(out, &count, &w);
  else
    wire_touches(out, &count, &w);
  for (int k = count; k < FLY_CURVE_SPOTS; k++)
    fly_touch_leave(&out[k], &out[0], 2 * fmin(fly_solid_reach(a->s), fly_solid_reach(b->s)));
}
