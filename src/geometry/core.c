#include "geometry/core.h"

#include <math.h>
#include <string.h>

#include "math/so3.h"

// ------------------------------------------------------------------------------------------ where it stands

static void turn(double out[3], const double A[9], const double u[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = fly_dot3(A + 3 * i, u);
}

static void turn_back(double out[3], const double A[9], const double u[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = A[i] * u[0] + A[3 + i] * u[1] + A[6 + i] * u[2];
}

fly_posed fly_posed_of(const fly_solid *s, const double *p, const double *R) {
  fly_posed w = {.s = s};
  memcpy(w.o, s->at, sizeof w.o);
  memcpy(w.A, s->A, sizeof w.A);
  if (!R)
    return w;
  turn(w.o, R, s->at);
  for (int i = 0; i < 3; i++) {
    w.o[i] += p[i];
    for (int k = 0; k < 3; k++)
      w.A[3 * i + k] = R[3 * i] * s->A[k] + R[3 * i + 1] * s->A[3 + k] + R[3 * i + 2] * s->A[6 + k];
  }
  return w;
}

static void to_own(double own[3], const fly_posed *w, const double x[3]) {
  const double d[3] = {x[0] - w->o[0], x[1] - w->o[1], x[2] - w->o[2]};
  turn_back(own, w->A, d);
}

void fly_posed_own(double own[3], const fly_posed *w, const double x[3]) { to_own(own, w, x); }

static void from_own(double x[3], const fly_posed *w, const double own[3]) {
  turn(x, w->A, own);
  for (int k = 0; k < 3; k++)
    x[k] += w->o[k];
}

// ------------------------------------------------------------------------------------------ how far it reaches

static double sign(double x) { return x < 0 ? -1 : 1; }

static void support_box(double x[3], const fly_solid *s, const double d[3]) {
  for (int k = 0; k < 3; k++)
    x[k] = sign(d[k]) * s->half[k];
}

// The point of a circle of this radius.
static void support_circle(double x[3], double radius, const double d[3]) {
  const double size = hypot(d[0], d[1]);
  x[0] = size > 0 ? radius * d[0] / size : radius;
  x[1] = size > 0 ? radius * d[1] / size : 0.0;
}

static void support_cylinder(double x[3], const fly_solid *s, const double d[3]) {
  support_circle(x, s->half[0], d);
  x[2] = sign(d[2]) * s->half[2];
}

static void support_cone(double x[3], const fly_solid *s, const double d[3]) {
  support_circle(x, s->half[0], d);
  x[2] = -s->half[2];
  if (d[2] * s->half[2] > fly_dot3(x, d)) {
    x[0] = x[1] = 0;
    x[2] = s->half[2];
  }
}

// x = a^2 d/|a d|
static void support_ellipsoid(double x[3], const fly_solid *s, const double d[3]) {
  double ad[3], size = 0;
  for (int k = 0; k < 3; k++) {
    ad[k] = s->half[k] * d[k];
    size += ad[k] * ad[k];
  }
  size = sqrt(size);
  for (int k = 0; k < 3; k++)
    x[k] = size > 0 ? s->half[k] * ad[k] / size : (k == 2) * s->half[2];
}

static void support_hull(double x[3], const fly_solid *s, const double d[3]) {
  int best = 0;
  double most = -INFINITY;
  for (int k = 0; k < s->hull->count; k++) {
    const double far = fly_dot3(s->hull->corner[k], d);
    if (far > most) {
      most = far;
      best = k;
    }
  }
  memcpy(x, s->hull->corner[best], 3 * sizeof *x);
}

static void support(double x[3], const fly_solid *s, const double d[3]) {
  switch (s->core) {
  case FLY_CORE_CYLINDER:
    support_cylinder(x, s, d);
    break;
  case FLY_CORE_CONE:
    support_cone(x, s, d);
    break;
  case FLY_CORE_ELLIPSOID:
    support_ellipsoid(x, s, d);
    break;
  case FLY_CORE_HULL:
    support_hull(x, s, d);
    break;
  default:
    support_box(x, s, d); // of a point and a segment too: their halves are 0
  }
}

void fly_posed_support(double x[3], const fly_posed *w, const double d[3]) {
  double own[3], far[3];
  turn_back(own, w->A, d);
  support(far, w->s, own);
  from_own(x, w, far);
}

// ------------------------------------------------------------------------------------------ features

enum { FLAT, SIDE, RIM, SLANT, BALL };

static void add_direction(fly_feature *f, const double t[3]) { memcpy(f->T[f->count++], t, sizeof f->T[0]); }

// Of a corner of a box, of a segment and of a point: free along each axis that the normal stands across.
static void find_box(fly_feature *f, const fly_solid *s, const double n[3], double coarse) {
  for (int k = 0; k < 3; k++) {
    const double unit[3] = {k == 0, k == 1, k == 2};
    if (s->half[k] > 0 && fabs(n[k]) < coarse && f->count < 2)
      add_direction(f, unit);
    else
      f->x[k] = sign(n[k]) * s->half[k];
  }
}

// The directions that corners as far along n as the farthest span.
static void find_hull(fly_feature *f, const fly_solid *s, const double n[3], double coarse) {
  const fly_hull *h = s->hull;
  double far[3], first[3], t[3];
  support_hull(far, s, n);
  memcpy(first, far, sizeof first);
  for (int k = 0; k < h->count && f->count < 2; k++) {
    for (int c = 0; c < 3; c++)
      t[c] = h->corner[k][c] - far[c];
    double size = sqrt(fly_dot3(t, t));
    if (size == 0 || fly_dot3(t, n) < -coarse * size)
      continue;
    const double along = f->count > 0 ? fly_dot3(t, f->T[0]) : 0.0;
    for (int c = 0; c < 3; c++)
      t[c] -= along * f->T[0][c] * (f->count > 0);
    const double across = sqrt(fly_dot3(t, t));
    if (across < 1e-6 * size)
      continue;
    for (int c = 0; c < 3; c++)
      t[c] /= across;
    add_direction(f, t);
  }
  double d[3] = {f->x[0] - first[0], f->x[1] - first[1], f->x[2] - first[2]};
  memcpy(f->x, first, sizeof f->x);
  for (int k = 0; k < f->count; k++) {
    const double along = fly_dot3(d, f->T[k]);
    for (int c = 0; c < 3; c++)
      f->x[c] += along * f->T[k][c];
  }
}

static void find_cap(fly_feature *f, double z) {
  add_direction(f, (double[3]){1, 0, 0});
  add_direction(f, (double[3]){0, 1, 0});
  f->x[2] = z;
}

static void find_cylinder(fly_feature *f, const fly_solid *s, const double n[3], double coarse) {
  if (hypot(n[0], n[1]) < coarse) {
    find_cap(f, sign(n[2]) * s->half[2]);
    return;
  }
  f->kind = fabs(n[2]) < coarse ? SIDE : RIM;
  f->count = f->kind == SIDE ? 2 : 1;
  f->x[0] = n[0];
  f->x[1] = n[1];
  if (f->kind == RIM)
    f->x[2] = sign(n[2]) * s->half[2];
}

// Along the slant, from the rim to the tip, over its length.
static double along_slant(const fly_solid *s, const double n[3]) {
  const double high = 2 * s->half[2], wide = s->half[0];
  return (high * n[2] - wide * hypot(n[0], n[1])) / hypot(high, wide);
}

static void find_cone(fly_feature *f, const fly_solid *s, const double n[3], double coarse) {
  const double up = along_slant(s, n);
  if (n[2] < 0 && hypot(n[0], n[1]) < coarse) {
    find_cap(f, -s->half[2]);
    return;
  }
  if (up > coarse) { // the tip
    f->x[0] = f->x[1] = 0;
    f->x[2] = s->half[2];
    return;
  }
  f->kind = up > -coarse ? SLANT : RIM;
  f->count = f->kind == SLANT ? 2 : 1;
  const double size = hypot(n[0], n[1]), far = fmax(hypot(f->x[0], f->x[1]), 1e-3 * s->half[0]);
  f->x[0] = far * n[0] / size;
  f->x[1] = far * n[1] / size;
  if (f->kind == RIM)
    f->x[2] = -s->half[2];
}

static void bend_circle(fly_feature *f, double radius) {
  const double size = hypot(f->x[0], f->x[1]);
  const double e[3] = {f->x[0] / size, f->x[1] / size, 0};
  f->x[0] = radius * e[0];
  f->x[1] = radius * e[1];
  memcpy(f->T[0], (double[3]){-e[1], e[0], 0}, sizeof f->T[0]);
  for (int c = 0; c < 3; c++)
    f->bend[0][c] = -e[c] / radius;
}

// About z by arc, and up the slant: x_11 = -e/rho, x_12 = (d rho/dl)/rho t.
static void bend_slant(fly_feature *f, const fly_solid *s) {
  const double high = 2 * s->half[2], wide = s->half[0], length = hypot(high, wide);
  const double size = hypot(f->x[0], f->x[1]);
  const double e[2] = {f->x[0] / size, f->x[1] / size};
  double up = (f->x[2] + s->half[2]) * high / length + (wide - size) * wide / length;
  up = fmin(fmax(up, 0), length * (1 - 1e-9));
  const double rho = wide * (1 - up / length);
  f->x[0] = rho * e[0];
  f->x[1] = rho * e[1];
  f->x[2] = -s->half[2] + up * high / length;
  memcpy(f->T[0], (double[3]){-e[1], e[0], 0}, sizeof f->T[0]);
  memcpy(f->T[1], (double[3]){-wide / length * e[0], -wide / length * e[1], high / length}, sizeof f->T[1]);
  for (int c = 0; c < 2; c++) {
    f->bend[0][c] = -e[c] / rho;
    f->bend[1][c] = -wide / length / rho * f->T[0][c];
  }
}

// x = a u with u on the unit ball, moved along two directions across u by ways of some a: x_ii = -a u/size^2.
static void bend_ball(fly_feature *f, const fly_solid *s) {
  double u[3], e[3] = {0}, b[3];
  for (int k = 0; k < 3; k++)
    u[k] = f->x[k] / s->half[k];
  const double length = sqrt(fly_dot3(u, u)), size = fmax(s->half[0], fmax(s->half[1], s->half[2]));
  for (int k = 0; k < 3; k++)
    u[k] /= length;
  e[fabs(u[0]) < 0.6 ? 0 : 1] = 1;
  fly_cross(b, u, e);
  const double across = sqrt(fly_dot3(b, b));
  for (int k = 0; k < 3; k++)
    b[k] /= across;
  fly_cross(e, b, u);
  for (int k = 0; k < 3; k++) {
    f->x[k] = s->half[k] * u[k];
    f->T[0][k] = s->half[k] * e[k] / size;
    f->T[1][k] = s->half[k] * b[k] / size;
    f->bend[0][k] = f->bend[2][k] = -f->x[k] / (size * size);
  }
}

static void bend(fly_feature *f, const fly_solid *s) {
  memset(f->bend, 0, sizeof f->bend);
  if (f->kind == SIDE || f->kind == RIM)
    bend_circle(f, s->half[0]);
  if (f->kind == SIDE)
    memcpy(f->T[1], (double[3]){0, 0, 1}, sizeof f->T[1]);
  if (f->kind == SLANT)
    bend_slant(f, s);
  if (f->kind == BALL)
    bend_ball(f, s);
}

static void find(fly_feature *f, const fly_solid *s, const double n[3], double coarse) {
  switch (s->core) {
  case FLY_CORE_CYLINDER:
    find_cylinder(f, s, n, coarse);
    break;
  case FLY_CORE_CONE:
    find_cone(f, s, n, coarse);
    break;
  case FLY_CORE_ELLIPSOID:
    f->kind = BALL;
    f->count = 2;
    support_ellipsoid(f->x, s, n);
    break;
  case FLY_CORE_HULL:
    find_hull(f, s, n, coarse);
    break;
  default:
    find_box(f, s, n, coarse);
  }
  bend(f, s);
}

static void to_space(fly_feature *f, const fly_posed *w) {
  double x[3];
  from_own(x, w, f->x);
  memcpy(f->x, x, sizeof x);
  for (int k = 0; k < 2; k++) {
    turn(x, w->A, f->T[k]);
    memcpy(f->T[k], x, sizeof x);
  }
  for (int k = 0; k < 3; k++) {
    turn(x, w->A, f->bend[k]);
    memcpy(f->bend[k], x, sizeof x);
  }
}

void fly_feature_find(fly_feature *f, const fly_posed *w, const double x[3], const double n[3], double coarse) {
  double own[3];
  *f = (fly_feature){.kind = FLAT};
  to_own(f->x, w, x);
  turn_back(own, w->A, n);
  find(f, w->s, own, coarse);
  to_space(f, w);
}

void fly_feature_place(fly_feature *f, const fly_posed *w) {
  double own[3];
  if (f->kind == FLAT)
    return;
  to_own(own, w, f->x);
  memcpy(f->x, own, sizeof own);
  memset(f->T, 0, sizeof f->T);
  bend(f, w->s);
  to_space(f, w);
}

// ------------------------------------------------------------------------------------------ outside

static double outside_hull(const fly_hull *h, const double x[3]) {
  double most = 0;
  for (int k = 0; k < h->faces; k++) {
    const double *corner = h->corner[h->of[h->start[k]]];
    const double d[3] = {x[0] - corner[0], x[1] - corner[1], x[2] - corner[2]};
    most = fmax(most, fly_dot3(h->normal[k], d));
  }
  return most;
}

static double outside(const fly_solid *s, const double x[3]) {
  const double over = fabs(x[2]) - s->half[2], far = hypot(x[0], x[1]);
  switch (s->core) {
  case FLY_CORE_CYLINDER:
    return fmax(over, far - s->half[0]);
  case FLY_CORE_CONE:
    return fmax(over, far - s->half[0] * (s->half[2] - x[2]) / (2 * s->half[2]));
  case FLY_CORE_ELLIPSOID:
    return 0;
  case FLY_CORE_HULL:
    return outside_hull(s->hull, x);
  default:
    return fmax(over, fmax(fabs(x[0]) - s->half[0], fabs(x[1]) - s->half[1]));
  }
}

double fly_posed_excess(const fly_posed *w, const double x[3], const double n[3]) {
  double own[3], far[3];
  to_own(own, w, x);
  fly_posed_support(far, w, n);
  return fmax(outside(w->s, own), fly_dot3(n, far) - fly_dot3(n, x));
}

// ------------------------------------------------------------------------------------------ patches

static void add_corner(fly_patch *p, const fly_posed *w, const double own[3]) { from_own(p->x[p->count++], w, own); }

static void patch_box(fly_patch *p, const fly_posed *w, const double n[3]) {
  int k = 0;
  for (int c = 1; c < 3; c++)
    if (fabs(n[c]) > fabs(n[k]))
      k = c;
  const double up = sign(n[k]);
  const double unit[3] = {(k == 0) * up, (k == 1) * up, (k == 2) * up};
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  static const int corner[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  for (int c = 0; c < 4; c++) {
    double own[3];
    own[k] = up * w->s->half[k];
    own[i] = corner[c][0] * w->s->half[i];
    own[j] = up * corner[c][1] * w->s->half[j];
    add_corner(p, w, own);
  }
  turn(p->n, w->A, unit);
}

static void patch_hull(fly_patch *p, const fly_posed *w, const double n[3]) {
  const fly_hull *h = w->s->hull;
  int best = 0;
  for (int k = 1; k < h->faces; k++)
    if (fly_dot3(h->normal[k], n) > fly_dot3(h->normal[best], n))
      best = k;
  if (h->start[best + 1] - h->start[best] > FLY_PATCH)
    return;
  for (int k = h->start[best]; k < h->start[best + 1]; k++)
    add_corner(p, w, h->corner[h->of[k]]);
  turn(p->n, w->A, h->normal[best]);
}

static void patch_segment(fly_patch *p, const fly_posed *w, double radius) {
  for (int k = -1; k <= 1; k += 2)
    add_corner(p, w, (double[3]){0, 0, k * w->s->half[2]});
  p->radius = radius;
}

static const double LEANING = 0.3; // [rad]: a cylinder lies on its side no steeper than that

void fly_patch_find(fly_patch *out, const fly_posed *w, const double n[3]) {
  double own[3];
  turn_back(own, w->A, n);
  *out = (fly_patch){0};
  if (w->s->core == FLY_CORE_BOX)
    patch_box(out, w, own);
  if (w->s->core == FLY_CORE_HULL)
    patch_hull(out, w, own);
  if (w->s->core == FLY_CORE_SEGMENT)
    patch_segment(out, w, 0);
  if (w->s->core == FLY_CORE_CYLINDER && fabs(own[2]) < LEANING)
    patch_segment(out, w, w->s->half[0]);
}
