#include "geometry/facet.h"

#include <math.h>
#include <string.h>

#include "geometry/meet.h"

// ------------------------------------------------------------------------------------------ boxes

double fly_extent_far(const fly_extent *a, const fly_extent *b) {
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    const double out = fmax(fmax(a->low[c] - b->high[c], b->low[c] - a->high[c]), 0);
    sum += out * out;
  }
  return sqrt(sum);
}

fly_extent fly_extent_node(const fly_surface_node *n) {
  fly_extent e;
  memcpy(e.low, n->low, sizeof e.low);
  memcpy(e.high, n->high, sizeof e.high);
  return e;
}

static fly_extent around(const double *x[], int count) {
  fly_extent e;
  for (int c = 0; c < 3; c++) {
    e.low[c] = e.high[c] = x[0][c];
    for (int k = 1; k < count; k++) {
      e.low[c] = fmin(e.low[c], x[k][c]);
      e.high[c] = fmax(e.high[c], x[k][c]);
    }
  }
  return e;
}

fly_extent fly_extent_triangle(const fly_surface *s, int k) {
  const double *x[3] = {s->corner[s->of[k][0]], s->corner[s->of[k][1]], s->corner[s->of[k][2]]};
  return around(x, 3);
}

fly_extent fly_extent_edge(const fly_surface *s, int k, int e) {
  const double *x[2] = {s->corner[s->of[k][e]], s->corner[s->of[k][(e + 1) % 3]]};
  return around(x, 2);
}

fly_extent fly_extent_solid(const fly_posed *w) {
  fly_extent e;
  for (int c = 0; c < 3; c++) {
    double d[3] = {c == 0, c == 1, c == 2}, x[3];
    fly_posed_support(x, w, d);
    e.high[c] = x[c];
    d[c] = -1;
    fly_posed_support(x, w, d);
    e.low[c] = x[c];
  }
  return e;
}

fly_extent fly_extent_wider(fly_extent a, double by) {
  for (int c = 0; c < 3; c++) {
    a.low[c] -= by;
    a.high[c] += by;
  }
  return a;
}

// ------------------------------------------------------------------------------------------ pieces

void fly_facet_set(fly_facet *f, const fly_solid *surface, int k) {
  static const int start[3] = {0, 3, 6}, of[6] = {0, 1, 2, 0, 2, 1};
  const fly_surface *s = surface->surface;
  memcpy(f->start, start, sizeof start);
  memcpy(f->of, of, sizeof of);
  double reach = 0;
  for (int i = 0; i < 3; i++) {
    memcpy(f->corner[i], s->corner[s->of[k][i]], sizeof f->corner[i]);
    reach = fmax(reach, sqrt(fly_dot3(f->corner[i], f->corner[i])));
    f->normal[0][i] = s->normal[k][i];
    f->normal[1][i] = -s->normal[k][i];
  }
  f->hull = (fly_hull){
      .count = 3, .faces = 2, .corner = f->corner, .normal = f->normal, .start = f->start, .of = f->of, .reach = reach};
  f->solid = (fly_solid){.core = FLY_CORE_HULL, .hull = &f->hull};
  memcpy(f->solid.at, surface->at, sizeof f->solid.at);
  memcpy(f->solid.A, surface->A, sizeof f->solid.A);
}

// A solid without a frame of its own yet at a place of the surface's frame.
static void put_at(fly_solid *out, const fly_solid *surface, const double own[3]) {
  for (int c = 0; c < 3; c++)
    out->at[c] = surface->at[c] + fly_dot3(surface->A + 3 * c, own);
}

// Its axes: z along a direction of the surface's frame.
static void put_along(fly_solid *out, const fly_solid *surface, const double z[3]) {
  int least = 0;
  for (int c = 1; c < 3; c++)
    if (fabs(z[c]) < fabs(z[least]))
      least = c;
  double x[3], y[3], e[3] = {least == 0, least == 1, least == 2};
  fly_cross(y, z, e);
  const double size = sqrt(fly_dot3(y, y));
  for (int c = 0; c < 3; c++)
    y[c] /= size;
  fly_cross(x, y, z);
  for (int c = 0; c < 3; c++) {
    out->A[3 * c] = fly_dot3(surface->A + 3 * c, x);
    out->A[3 * c + 1] = fly_dot3(surface->A + 3 * c, y);
    out->A[3 * c + 2] = fly_dot3(surface->A + 3 * c, z);
  }
}

fly_solid fly_facet_point(const fly_solid *surface, int k, int e) {
  const fly_surface *s = surface->surface;
  fly_solid out = {.core = FLY_CORE_POINT};
  put_at(&out, surface, s->corner[s->of[k][e]]);
  memcpy(out.A, surface->A, sizeof out.A);
  return out;
}

fly_solid fly_facet_edge(const fly_solid *surface, int k, int e) {
  const fly_surface *s = surface->surface;
  const double *a = s->corner[s->of[k][e]], *b = s->corner[s->of[k][(e + 1) % 3]];
  double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, middle[3];
  const double length = sqrt(fly_dot3(d, d));
  fly_solid out = {.core = FLY_CORE_SEGMENT, .half = {0, 0, length / 2}};
  for (int c = 0; c < 3; c++) {
    middle[c] = (a[c] + b[c]) / 2;
    d[c] /= length;
  }
  put_at(&out, surface, middle);
  put_along(&out, surface, d);
  return out;
}

fly_solid fly_facet_plane(const fly_solid *surface, int k) {
  const fly_surface *s = surface->surface;
  fly_solid out = {.core = FLY_CORE_PLANE};
  put_at(&out, surface, s->corner[s->of[k][0]]);
  put_along(&out, surface, s->normal[k]);
  return out;
}

double fly_facet_beyond(const fly_surface *s, int k, int e, const double own[3]) {
  const double *a = s->corner[s->of[k][e]], *b = s->corner[s->of[k][(e + 1) % 3]];
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, way[3] = {own[0] - a[0], own[1] - a[1], own[2] - a[2]};
  double out[3];
  fly_cross(out, d, s->normal[k]);
  return fly_dot3(out, way) / sqrt(fly_dot3(d, d));
}

void fly_facet_nearest(fly_touch *out, const fly_solid *a, const fly_solid *b, const fly_side *second) {
  const fly_posed first = fly_posed_of(a, NULL, NULL), other = fly_posed_of(b, second->p, second->R);
  fly_meeting m;
  fly_meeting_find(&m, &first, &other, second->p);
  fly_touch_between(out, a->radius, b->radius, m.xa, m.xb, m.n);
}

// ------------------------------------------------------------------------------------------ spots

static const double ALIKE = 0.5; // cosine between the normals of two spots that are one: 60 degrees

fly_found fly_found_begin(fly_touch out[FLY_SPOTS], double limit) {
  return (fly_found){.out = out, .limit = limit, .least = INFINITY};
}

// In its place, if it is deeper than what is there; where that is another one (a corner in a groove), in the next that
// is free.
void fly_found_put(fly_found *f, int first, int wish, const fly_touch *one) {
  if (!(one->gap <= f->limit))
    return;
  int place = -1;
  for (int k = 0; k < FLY_PLACES && place < 0; k++) {
    const int at = first + (wish + k) % FLY_PLACES;
    if (!f->there[at] || fly_dot3(f->out[at].n, one->n) > ALIKE)
      place = at;
  }
  if (place < 0 || (f->there[place] && f->out[place].gap <= one->gap))
    return;
  f->there[place] = true;
  f->out[place] = *one;
  if (one->gap < f->least) {
    f->least = one->gap;
    f->best = place;
  }
}

void fly_found_end(fly_found *f, const fly_side *a, const fly_side *b, const fly_touch *nearest) {
  const double ra = fly_solid_reach(a->s), rb = fly_solid_reach(b->s);
  for (int k = 0; k < FLY_SPOTS; k++)
    if (!f->there[k])
      fly_touch_leave(&f->out[k], nearest, (isinf(ra) ? 0 : ra) + (isinf(rb) ? 0 : rb));
}

void fly_found_place(double x[3], const fly_touch *t, int of) {
  for (int c = 0; c < 3; c++)
    x[c] = t->c[c] + (of ? 0.5 : -0.5) * t->gap * t->n[c];
}

int fly_found_part(const fly_posed *a, const fly_posed *b, const fly_touch *t) {
  const fly_posed *w = fly_solid_reach(a->s) < fly_solid_reach(b->s) ? a : b;
  double own[3], middle[3] = {0};
  fly_posed_own(own, w, t->c);
  if (w->s->core == FLY_CORE_SURFACE)
    for (int c = 0; c < 3; c++)
      middle[c] = (w->s->surface->node->low[c] + w->s->surface->node->high[c]) / 2;
  return (own[0] > middle[0]) + 2 * (own[1] > middle[1]) + 4 * (own[2] > middle[2]);
}
