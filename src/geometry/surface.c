#include "geometry/surface.h"

#include <math.h>
#include <string.h>

#include "geometry/seam.h"

enum { LEAF = 4 };

// ------------------------------------------------------------------------------------------ what is wrong with it

static void normal_of(double n[3], const double *a, const double *b, const double *c) {
  const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  fly_cross(n, e, f);
}

// Six times the volume; below 0: inside out.
static double volume_of(int triangles, const double (*x)[3], const int (*of)[3]) {
  double sum = 0, n[3];
  for (int k = 0; k < triangles; k++) {
    fly_cross(n, x[of[k][1]], x[of[k][2]]);
    sum += fly_dot3(n, x[of[k][0]]);
  }
  return sum;
}

// ------------------------------------------------------------------------------------------ the tree

static double middle_of(const fly_surface *s, int k, int axis) {
  return (s->corner[s->of[k][0]][axis] + s->corner[s->of[k][1]][axis] + s->corner[s->of[k][2]][axis]) / 3;
}

static void exchange(fly_surface *s, int i, int j) {
  int of[3];
  memcpy(of, s->of[i], sizeof of);
  memcpy(s->of[i], s->of[j], sizeof of);
  memcpy(s->of[j], of, sizeof of);
}

static void fit(fly_surface_node *n, const fly_surface *s) {
  for (int c = 0; c < 3; c++) {
    n->low[c] = INFINITY;
    n->high[c] = -INFINITY;
  }
  for (int k = 3 * n->first; k < 3 * (n->first + n->count); k++)
    for (int c = 0; c < 3; c++) {
      n->low[c] = fmin(n->low[c], s->corner[s->of[k / 3][k % 3]][c]);
      n->high[c] = fmax(n->high[c], s->corner[s->of[k / 3][k % 3]][c]);
    }
}

// Triangles on either side of the middle of the longest axis; where all are on one, half of them.
static int divide(fly_surface *s, const fly_surface_node *n) {
  int axis = 0, low = n->first, high = n->first + n->count - 1;
  for (int c = 1; c < 3; c++)
    if (n->high[c] - n->low[c] > n->high[axis] - n->low[axis])
      axis = c;
  const double at = (n->low[axis] + n->high[axis]) / 2;
  while (low <= high)
    if (middle_of(s, low, axis) < at)
      low++;
    else
      exchange(s, low, high--);
  const int left = low - n->first;
  return left < n->count / 8 || n->count - left < n->count / 8 || left == 0 || left == n->count ? n->count / 2 : left;
}

static void grow(fly_surface *s, int first, int count) {
  fly_surface_node *n = &s->node[s->nodes++];
  *n = (fly_surface_node){.first = first, .count = count};
  fit(n, s);
  if (count > LEAF) {
    const int left = divide(s, n);
    n->count = 0;
    grow(s, first, left);
    grow(s, first + left, count - left);
  }
  n->skip = s->nodes;
}

// ------------------------------------------------------------------------------------------ building

static bool set_normals(fly_surface *s, int *wrong) {
  for (int k = 0; k < s->triangles; k++) {
    normal_of(s->normal[k], s->corner[s->of[k][0]], s->corner[s->of[k][1]], s->corner[s->of[k][2]]);
    const double size = sqrt(fly_dot3(s->normal[k], s->normal[k]));
    *wrong = k;
    if (!(size > 0))
      return false;
    for (int c = 0; c < 3; c++)
      s->normal[k][c] /= size;
  }
  return true;
}

static void measure(fly_surface *s, int corners) {
  for (int k = 0; k < corners; k++)
    s->reach = fmax(s->reach, sqrt(fly_dot3(s->corner[k], s->corner[k])));
  s->thickness = INFINITY;
  for (int c = 0; c < 3; c++)
    s->thickness = fmin(s->thickness, (s->node[0].high[c] - s->node[0].low[c]) / 2);
}

fly_surface_verdict fly_surface_build(fly_surface *out, int *wrong, int corners, const double (*corner)[3],
                                      int triangles, const int (*of)[3], fly_arena *memory) {
  *out = (fly_surface){.triangles = triangles,
                       .corner = corner,
                       .of = fly_arena_take(memory, (size_t)triangles, sizeof *out->of),
                       .normal = fly_arena_take(memory, (size_t)triangles, sizeof *out->normal),
                       .beside = fly_arena_take(memory, (size_t)triangles, sizeof *out->beside),
                       .own = fly_arena_take(memory, (size_t)triangles, 1),
                       .node = fly_arena_take(memory, 2 * (size_t)triangles, sizeof *out->node)};
  *wrong = 0;
  if (memory->failed || !out->of || !out->normal || !out->beside || !out->own || !out->node)
    return FLY_SURFACE_NO_MEMORY;
  *wrong = fly_seam_beside(out->beside, triangles, of);
  if (*wrong != -1)
    return *wrong == -2 ? FLY_SURFACE_NO_MEMORY : FLY_SURFACE_OPEN;
  memcpy(out->of, of, (size_t)triangles * sizeof *of);
  *wrong = 0;
  if (volume_of(triangles, corner, of) < 0)
    return FLY_SURFACE_INSIDE_OUT;
  if (!set_normals(out, wrong))
    return FLY_SURFACE_THIN;
  grow(out, 0, triangles);
  set_normals(out, wrong); // in the order of the tree
  measure(out, corners);
  if (fly_seam_beside(out->beside, triangles, (const int(*)[3])out->of) == -2 || !fly_seam_mark(out, corners))
    return FLY_SURFACE_NO_MEMORY;
  return FLY_SURFACE_GOOD;
}

// ------------------------------------------------------------------------------------------ a point and a triangle

// The place of a triangle next to a point: inside (edge and corner -1), on an edge, or in a corner.
typedef struct place {
  int triangle, edge, corner;
  double far;  // distance
  bool behind; // over its inside, but below it
  double x[3];
} place;

static double along_edge(const fly_surface *s, int k, int e, const double x[3]) {
  const double *a = s->corner[s->of[k][e]], *b = s->corner[s->of[k][(e + 1) % 3]];
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, way[3] = {x[0] - a[0], x[1] - a[1], x[2] - a[2]};
  return fly_dot3(d, way) / fly_dot3(d, d);
}

static bool beyond_edge(const fly_surface *s, int k, int e, const double x[3]) {
  const double *a = s->corner[s->of[k][e]], *b = s->corner[s->of[k][(e + 1) % 3]];
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, way[3] = {x[0] - a[0], x[1] - a[1], x[2] - a[2]};
  double out[3];
  fly_cross(out, d, s->normal[k]);
  return fly_dot3(out, way) > 0;
}

static void set_far(place *p, const double x[3]) {
  const double d[3] = {x[0] - p->x[0], x[1] - p->x[1], x[2] - p->x[2]};
  p->far = sqrt(fly_dot3(d, d));
}

// On edge e, or at its ends; nearer than what was found before.
static void try_edge(place *best, const fly_surface *s, int k, int e, const double x[3]) {
  const double u = along_edge(s, k, e, x), at = fmin(fmax(u, 0), 1);
  const double *a = s->corner[s->of[k][e]], *b = s->corner[s->of[k][(e + 1) % 3]];
  place p = {k, u > 0 && u < 1 ? e : -1, u <= 0 ? e : u >= 1 ? (e + 1) % 3 : -1, 0, false, {0}};
  for (int c = 0; c < 3; c++)
    p.x[c] = a[c] + at * (b[c] - a[c]);
  set_far(&p, x);
  if (p.far < best->far)
    *best = p;
}

static place next_to(const fly_surface *s, int k, const double x[3]) {
  place p = {k, -1, -1, INFINITY, false, {0}};
  bool outside = false;
  for (int e = 0; e < 3; e++)
    if (beyond_edge(s, k, e, x)) {
      outside = true;
      try_edge(&p, s, k, e, x);
    }
  if (outside)
    return p;
  const double *a = s->corner[s->of[k][0]], way[3] = {x[0] - a[0], x[1] - a[1], x[2] - a[2]};
  const double high = fly_dot3(s->normal[k], way);
  for (int c = 0; c < 3; c++)
    p.x[c] = x[c] - high * s->normal[k][c];
  p.far = fabs(high);
  p.behind = high < 0;
  return p;
}

// ------------------------------------------------------------------------------------------ all that are near

enum { FOUND = 64 };

typedef struct search {
  const fly_surface *s;
  double x[3], radius;
  double nearest; // distance
  int count;
  place of[FOUND];
} search;

static double far_from_box(const fly_surface_node *n, const double x[3]) {
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    const double out = fmax(fmax(n->low[c] - x[c], x[c] - n->high[c]), 0);
    sum += out * out;
  }
  return sqrt(sum);
}

// The nearest one, and all that the ball reaches. Those that are no longer either go as better ones come.
static void keep(search *f, const place *p) {
  int n = 0;
  f->nearest = fmin(f->nearest, p->far);
  if (p->far > fmax(f->nearest, f->radius))
    return;
  for (int k = 0; k < f->count; k++)
    if (f->of[k].far <= fmax(f->nearest, f->radius))
      f->of[n++] = f->of[k];
  f->count = n;
  if (f->count < FOUND) {
    f->of[f->count++] = *p;
    return;
  }
  int farthest = 0; // there is no room: the farthest goes
  for (int k = 1; k < FOUND; k++)
    if (f->of[k].far > f->of[farthest].far)
      farthest = k;
  if (p->far < f->of[farthest].far)
    f->of[farthest] = *p;
}

static void look(search *f) {
  for (int k = 0; k < f->s->nodes;) {
    const fly_surface_node *n = &f->s->node[k];
    if (far_from_box(n, f->x) > fmax(f->nearest, f->radius)) {
      k = n->skip;
      continue;
    }
    for (int i = n->first; i < n->first + n->count; i++) {
      const place p = next_to(f->s, i, f->x);
      keep(f, &p);
    }
    k++;
  }
}

// The angle of triangle k at a corner.
static double angle_at(const fly_surface *s, int k, int corner) {
  const double *o = s->corner[s->of[k][corner]], *a = s->corner[s->of[k][(corner + 1) % 3]],
               *b = s->corner[s->of[k][(corner + 2) % 3]];
  const double u[3] = {a[0] - o[0], a[1] - o[1], a[2] - o[2]}, v[3] = {b[0] - o[0], b[1] - o[1], b[2] - o[2]};
  double across[3];
  fly_cross(across, u, v);
  return atan2(sqrt(fly_dot3(across, across)), fly_dot3(u, v));
}

// By the sum of the normals around the nearest place, each with its angle there (Baerentzen and Aanaes, IEEE Trans.
// Visualization and Computer Graphics 11, 2005).
double fly_surface_depth(const fly_surface *s, const double x[3]) {
  search f = {.s = s, .x = {x[0], x[1], x[2]}, .nearest = INFINITY};
  double out = 0;
  look(&f);
  f.radius = f.nearest * (1 + 1e-9);
  f.count = 0;
  look(&f);
  for (int k = 0; k < f.count; k++) {
    const place *p = &f.of[k];
    const double way[3] = {x[0] - p->x[0], x[1] - p->x[1], x[2] - p->x[2]};
    out += (p->corner >= 0 ? angle_at(s, p->triangle, p->corner) : 1) * fly_dot3(s->normal[p->triangle], way);
  }
  return out < 0 ? f.nearest : -f.nearest;
}

static bool share_corner(const fly_surface *s, int a, int b) {
  for (int i = 0; i < 9; i++)
    if (s->of[a][i / 3] == s->of[b][i % 3])
      return true;
  return false;
}

static const double SHALLOW = 0.87; // cosine between neighbours that are one face to a ball: 30 degrees

static bool is_nearer(const search *f, const place *q, const place *p) {
  const double slack = 1e-12 * (p->far + f->radius);
  return q->far < p->far - slack || (q->far <= p->far + slack && q->triangle < p->triangle);
}

// Of neighbours across a shallow edge the nearest counts, so that the gap is the distance and nothing jumps; on its
// border a triangle counts only if no neighbour is nearer. From below it counts where it is the nearest of all.
static bool counts(const search *f, const place *p) {
  const bool border = p->edge >= 0 || p->corner >= 0;
  if (p->behind)
    return p->far <= f->nearest;
  for (int k = 0; k < f->count; k++) {
    const place *q = &f->of[k];
    const bool one_face = fly_dot3(f->s->normal[p->triangle], f->s->normal[q->triangle]) > SHALLOW;
    if (q->triangle != p->triangle && (border || one_face) && is_nearer(f, q, p) &&
        share_corner(f->s, p->triangle, q->triangle))
      return false;
  }
  return true;
}

// ------------------------------------------------------------------------------------------ spots

// The point of the surface with its derivatives: a corner, the place of an edge, or of a face next to x; and the
// normal.
static void carry_place(fly_vector7 foot, fly_vector7 n, const fly_side *surface, const place *p, fly_vector7 x) {
  const fly_surface *s = surface->s->surface;
  const int *of = s->of[p->triangle];
  fly_vector7 way, d;
  fly_number7 u;
  fly_carry_own(foot, surface, s->corner[of[p->corner >= 0 ? p->corner : p->edge >= 0 ? p->edge : 0]]);
  fly_vector7_sum(way, x, -1.0, foot);
  if (p->edge >= 0) {
    fly_vector7 to;
    fly_carry_own(to, surface, s->corner[of[(p->edge + 1) % 3]]);
    fly_vector7_sum(d, to, -1.0, foot);
    fly_vector7_unit(d, d);
    fly_vector7_dot(u, d, way);
    fly_vector7_add(foot, u, d);
  }
  if (p->edge >= 0 || p->corner >= 0) {
    fly_vector7_sum(n, x, -1.0, foot);
    fly_vector7_unit(n, n);
    return;
  }
  double up[3];
  for (int c = 0; c < 3; c++)
    up[c] = fly_dot3(surface->s->A + 3 * c, s->normal[p->triangle]);
  fly_carry_direction(n, surface, up);
  fly_vector7_dot(u, n, way);
  memcpy(foot, x, sizeof(fly_vector7));
  for (int k = 0; k < FLY_CARRIED; k++)
    u[k] = -u[k];
  fly_vector7_add(foot, u, n);
}

static void spot_at(fly_touch *out, const fly_side *a, const fly_side *b, const place *p, fly_vector7 x) {
  const bool swapped = b->s->surface != NULL;
  fly_vector7 foot, n;
  carry_place(foot, n, swapped ? b : a, p, x);
  if (swapped)
    fly_vector7_negate(n);
  fly_touch_between(out, a->s->radius, b->s->radius, swapped ? x : foot, swapped ? foot : x, n);
}

static void own_place(double own[3], const fly_side *surface, const double x[3]) {
  fly_vector7 o, e;
  fly_carry_point(o, surface, surface->s->at);
  const double way[3] = {x[0] - o[0][0], x[1] - o[0][1], x[2] - o[0][2]};
  for (int k = 0; k < 3; k++) {
    fly_carry_axis(e, surface, k);
    own[k] = fly_dot3(e[0], way);
  }
}

// What is not there is farther away than what is.
static void fill_rest(fly_touch out[FLY_SPOTS], int from, int to, const fly_touch *nearest, double radius) {
  for (int k = from; k < to; k++)
    fly_touch_leave(&out[k], nearest, 2 * radius);
}

// A ball at x of so many spots, the deepest first; way, if not NULL: to the rest of a rod of which it is the end.
// Beside an edge or a corner the end counts only if the rod goes away from there.
static int ball_touches(fly_touch *out, int most, const fly_side *a, const fly_side *b, fly_vector7 x,
                        const double *way) {
  const fly_side *surface = a->s->surface ? a : b, *ball = a->s->surface ? b : a;
  search f = {.s = surface->s->surface, .radius = ball->s->radius, .nearest = INFINITY};
  const double sign = a->s->surface ? 1 : -1;
  int count = 0;
  own_place(f.x, surface, x[0]);
  look(&f);
  for (int k = 0; k < f.count; k++) {
    const place *p = &f.of[k];
    fly_touch one;
    if (!counts(&f, p))
      continue;
    spot_at(&one, a, b, p, x);
    if (!way || (p->edge < 0 && p->corner < 0) || sign * fly_dot3(one.n, way) >= 0)
      fly_touch_insert(out, &count, most, &one);
  }
  return count;
}

// ------------------------------------------------------------------------------------------ rods

enum { END_SPOTS = 3 }; // of each end of a rod; the rest is of what lies between them

// A rod in the frame of the surface: its middle, direction and half of its length.
typedef struct rod {
  double o[3], d[3], half;
} rod;

static void rod_at(double y[3], const rod *r, double u) {
  for (int c = 0; c < 3; c++)
    y[c] = r->o[c] + u * r->d[c];
}

// The point of its inside next to the line of an edge, or to a corner (toward NULL): false if that is beyond its ends,
// or they run side by side.
static bool rod_next_to(double *u, const rod *r, const double *corner, const double *toward) {
  const double way[3] = {corner[0] - r->o[0], corner[1] - r->o[1], corner[2] - r->o[2]};
  *u = fly_dot3(r->d, way);
  if (toward) {
    double e[3] = {toward[0] - corner[0], toward[1] - corner[1], toward[2] - corner[2]};
    const double size = fly_dot3(e, e), b = fly_dot3(e, r->d), det = size - b * b;
    if (det <= 1e-12 * size)
      return false;
    *u = (size * *u - b * fly_dot3(e, way)) / det;
  }
  return fabs(*u) < r->half;
}

// Is the place of triangle k next to y this edge or corner, and does it count? In a flat face there is no edge.
static bool is_there(search *f, int k, int edge, int corner, const double y[3], double limit) {
  const place p = next_to(f->s, k, y);
  if (p.edge != edge || p.corner != corner || p.far > limit)
    return false;
  memcpy(f->x, y, sizeof f->x);
  f->count = 0;
  f->radius = p.far * (1 + 1e-9);
  f->nearest = INFINITY;
  look(f);
  for (int n = 0; n < f->count; n++)
    if (f->of[n].edge < 0 && f->of[n].corner < 0 && share_corner(f->s, k, f->of[n].triangle))
      return false;
  return counts(f, &p);
}

// The inside of a rod over an edge, or over a corner.
static void spot_between(fly_touch *out, const fly_side *a, const fly_side *b, const place *p) {
  const fly_side *surface = a->s->surface ? a : b, *bar = a->s->surface ? b : a;
  const fly_surface *s = surface->s->surface;
  const int *of = s->of[p->triangle];
  fly_vector7 foot, x, o, d, n, way;
  fly_number7 u;
  fly_carry_point(o, bar, bar->s->at);
  fly_carry_axis(d, bar, 2);
  fly_carry_own(foot, surface, s->corner[of[p->edge >= 0 ? p->edge : p->corner]]);
  if (p->edge >= 0) {
    fly_vector7 from, e;
    memcpy(from, foot, sizeof from);
    fly_carry_own(e, surface, s->corner[of[(p->edge + 1) % 3]]);
    fly_vector7_sum(e, e, -1.0, from);
    fly_vector7_unit(e, e);
    fly_lines_meet(foot, x, from, o, e, d);
  } else {
    fly_vector7_sum(way, foot, -1.0, o);
    fly_vector7_dot(u, d, way);
    memcpy(x, o, sizeof x);
    fly_vector7_add(x, u, d);
  }
  fly_vector7_sum(n, x, -1.0, foot);
  fly_vector7_unit(n, n);
  if (surface == b)
    fly_vector7_negate(n);
  fly_touch_between(out, a->s->radius, b->s->radius, surface == a ? foot : x, surface == a ? x : foot, n);
}

// Edges and corners of one triangle under the inside of a rod, no farther than *limit, which what is found may lower.
static void try_triangle(fly_touch *out, int *count, const fly_side *a, const fly_side *b, const rod *r, search *f,
                         int k, double *limit) {
  const double radius = a->s->surface ? b->s->radius : a->s->radius;
  for (int n = 0; n < 6; n++) {
    const int e = n % 3, edge = n < 3 ? e : -1, corner = n < 3 ? -1 : e;
    const double *from = f->s->corner[f->s->of[k][e]], *to = f->s->corner[f->s->of[k][(e + 1) % 3]];
    double u, y[3];
    if (!rod_next_to(&u, r, from, n < 3 ? to : NULL))
      continue;
    rod_at(y, r, u);
    if (!is_there(f, k, edge, corner, y, *limit) || f->nearest == 0)
      continue;
    fly_touch one;
    const place p = {.triangle = k, .edge = edge, .corner = corner};
    spot_between(&one, a, b, &p);
    fly_touch_insert(out, count, FLY_FEW_SPOTS - 2 * END_SPOTS, &one);
    *limit = fmax(radius, fmin(*limit, one.gap + radius));
  }
}

// How far a box is from that around the rod.
static double far_from_rod(const fly_surface_node *n, const rod *r) {
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    const double reach = fabs(r->d[c]) * r->half;
    const double out = fmax(fmax(n->low[c] - r->o[c] - reach, r->o[c] - reach - n->high[c]), 0);
    sum += out * out;
  }
  return sqrt(sum);
}

// What lies between the ends: out has FLY_FEW_SPOTS - 2 END_SPOTS places.
static int middle_touches(fly_touch *out, const fly_side *a, const fly_side *b, double limit) {
  const fly_side *surface = a->s->surface ? a : b, *bar = a->s->surface ? b : a;
  search f = {.s = surface->s->surface};
  rod r = {.half = bar->s->half[2]};
  fly_vector7 o, end;
  int count = 0;
  fly_carry_point(o, bar, bar->s->at);
  fly_carry_own(end, bar, (double[3]){0, 0, r.half});
  own_place(r.o, surface, o[0]);
  own_place(r.d, surface, end[0]);
  for (int c = 0; c < 3; c++)
    r.d[c] = (r.d[c] - r.o[c]) / r.half;
  for (int k = 0; k < f.s->nodes;) {
    const fly_surface_node *n = &f.s->node[k];
    if (far_from_rod(n, &r) > limit) {
      k = n->skip;
      continue;
    }
    for (int i = n->first; i < n->first + n->count; i++)
      try_triangle(out, &count, a, b, &r, &f, i, &limit);
    k++;
  }
  return count;
}

// Both ends as balls, each with its own places, and what lies between them over edges and corners.
static void rod_touches(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b) {
  const fly_side *bar = a->s->surface ? b : a;
  const double r = bar->s->radius;
  fly_touch nearest = {.gap = INFINITY};
  fly_vector7 x[2];
  int count[3];
  for (int k = 0; k < 2; k++)
    fly_carry_own(x[k], bar, (double[3]){0, 0, (k ? 1 : -1) * bar->s->half[2]});
  for (int k = 0; k < 3; k++) {
    const double *one = x[k % 2][0], *other = x[1 - k % 2][0];
    const double way[3] = {other[0] - one[0], other[1] - one[1], other[2] - one[2]};
    fly_touch *own = out + END_SPOTS * (size_t)k;
    count[k] =
        k < 2 ? ball_touches(own, END_SPOTS, a, b, x[k], way) : middle_touches(own, a, b, fmax(nearest.gap + r, r));
    if (count[k] > 0 && own->gap < nearest.gap)
      nearest = *own;
  }
  if (isinf(nearest.gap)) { // none is nearer than what is beside it, as may be deep inside
    count[0] = ball_touches(out, END_SPOTS, a, b, x[0], NULL);
    nearest = out[0];
  }
  for (int k = 0; k < 3; k++)
    fill_rest(out, END_SPOTS * k + count[k], k < 2 ? END_SPOTS * (k + 1) : FLY_FEW_SPOTS, &nearest, r);
}

void fly_touch_surface(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b) {
  const fly_side *ball = a->s->surface ? b : a;
  fly_vector7 x;
  if (ball->s->core == FLY_CORE_SEGMENT) {
    rod_touches(out, a, b);
    return;
  }
  fly_carry_point(x, ball, ball->s->at);
  fill_rest(out, ball_touches(out, FLY_FEW_SPOTS, a, b, x, NULL), FLY_FEW_SPOTS, out, ball->s->radius);
}
