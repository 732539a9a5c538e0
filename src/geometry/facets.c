// A convex solid or a plane on a closed surface of triangles (docs/theory/contact.md, T-facets). Its points press on
// the planes of triangles over which they stand, corners and edges of the surface press on it. Where they are apart
// there is one spot, where they are nearest.
#include <math.h>
#include <string.h>

#include "geometry/facet.h"

static const double LIMIT = 1e-3;  // of the smaller one: spots that are open by more are not looked for
static const double BORDER = 1e-9; // of the smaller one: what is on the border of a triangle is in it

typedef struct bedding {
  const fly_side *a, *b;
  int surface; // which of both it is
  const fly_solid *ground, *solid;
  fly_posed at[2]; // both in axes of the first body
  fly_posed own;   // the solid in the frame of the surface
  fly_extent extent;
  double size;
  fly_found found;
} bedding;

// ------------------------------------------------------------------------------------------ both of them

static fly_posed in_frame(const fly_posed *ground, const fly_posed *solid) {
  fly_posed out = {.s = solid->s};
  fly_posed_own(out.o, ground, solid->o);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      out.A[3 * i + k] =
          ground->A[i] * solid->A[k] + ground->A[3 + i] * solid->A[3 + k] + ground->A[6 + i] * solid->A[6 + k];
  return out;
}

static bedding bedding_of(fly_touch *out, const fly_side *a, const fly_side *b) {
  bedding w = {.a = a, .b = b, .surface = b->s->core == FLY_CORE_SURFACE};
  w.ground = w.surface ? b->s : a->s;
  w.solid = w.surface ? a->s : b->s;
  w.at[0] = fly_posed_of(a->s, NULL, NULL);
  w.at[1] = fly_posed_of(b->s, b->p, b->R);
  w.own = in_frame(&w.at[w.surface], &w.at[1 - w.surface]);
  w.size = fmin(fly_solid_reach(a->s), fly_solid_reach(b->s));
  w.found = fly_found_begin(out, LIMIT * w.size);
  if (w.solid->core != FLY_CORE_PLANE)
    w.extent = fly_extent_solid(&w.own);
  return w;
}

// A piece of the surface instead of it.
static int touch_piece(fly_touch out[FLY_SPOTS], const bedding *w, const fly_solid *piece) {
  const fly_solid *a = w->surface ? w->solid : piece, *b = w->surface ? piece : w->solid;
  fly_touch_all(out, a, b, w->b->p, w->b->R);
  return fly_touch_spots(a, b);
}

// Where a spot is on the surface (or on the solid), in the frame of the surface.
static void own_place(double own[3], const bedding *w, const fly_touch *t, bool on_solid) {
  double x[3];
  fly_found_place(x, t, on_solid ? 1 - w->surface : w->surface);
  fly_posed_own(own, &w->at[w->surface], x);
}

// ------------------------------------------------------------------------------------------ points over triangles

// Over the inside of the triangle; over the next one, too, where that rises and this one is below it.
static bool is_over(const bedding *w, int k, const fly_touch *t) {
  const fly_surface *s = w->ground->surface;
  const double border = BORDER * w->size;
  double own[3];
  own_place(own, w, t, false);
  for (int e = 0; e < 3; e++) {
    const double beyond = fly_facet_beyond(s, k, e, own);
    if (beyond > border && (beyond > border - 2 * t->gap || !fly_surface_is_hollow(s, k, e)))
      return false;
  }
  return true;
}

// Behind the surface the way out is that to the nearest triangle.
static bool is_way_out(const bedding *w, const fly_touch *t) {
  double own[3];
  own_place(own, w, t, true);
  return t->gap > 0 || -t->gap <= fly_surface_depth(w->ground->surface, own) * (1 + BORDER) + BORDER * w->size;
}

static double lowest(const bedding *w, int k) {
  const fly_surface *s = w->ground->surface;
  const double *n = s->normal[k], down[3] = {-n[0], -n[1], -n[2]};
  double x[3];
  fly_posed_support(x, &w->own, down);
  return fly_dot3(n, x) - fly_dot3(n, s->corner[s->of[k][0]]);
}

static void points_over(bedding *w, int k) {
  fly_touch t[FLY_SPOTS];
  if (lowest(w, k) > w->found.limit)
    return;
  const fly_solid plane = fly_facet_plane(w->ground, k);
  const int spots = touch_piece(t, w, &plane);
  for (int n = 0; n < spots; n++)
    if (t[n].gap <= w->found.limit && is_over(w, k, &t[n]) && is_way_out(w, &t[n]))
      fly_found_put(&w->found, 0, n, &t[n]);
}

// ------------------------------------------------------------------------------------------ corners and edges

static void put_part(bedding *w, const fly_touch *t) {
  fly_found_put(&w->found, FLY_PLACES, fly_found_part(&w->at[0], &w->at[1], t), t);
}

static void corners_of(bedding *w, int k) {
  fly_touch t[FLY_SPOTS];
  for (int e = 0; e < 3; e++)
    if (w->ground->surface->own[k] & FLY_OWN_CORNER << e) {
      const fly_solid point = fly_facet_point(w->ground, k, e);
      touch_piece(t, w, &point);
      put_part(w, &t[0]);
    }
}

// Between the ends of an edge: at them the corners are.
static bool is_between(const bedding *w, int k, int e, const fly_touch *t) {
  const fly_surface *s = w->ground->surface;
  const double *a = s->corner[s->of[k][e]], *b = s->corner[s->of[k][(e + 1) % 3]];
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, length = sqrt(fly_dot3(d, d));
  double own[3];
  own_place(own, w, t, false);
  const double place = (fly_dot3(d, own) - fly_dot3(d, a)) / length;
  return place > BORDER * w->size && place < length - BORDER * w->size;
}

static void edges_of(bedding *w, int k) {
  const fly_surface *s = w->ground->surface;
  fly_touch t[FLY_SPOTS];
  for (int e = 0; e < 3; e++) {
    const fly_extent edge = fly_extent_edge(s, k, e);
    if (!(s->own[k] & FLY_OWN_EDGE << e) || fly_extent_far(&edge, &w->extent) > w->found.limit)
      continue;
    const fly_solid rod = fly_facet_edge(w->ground, k, e);
    const int spots = touch_piece(t, w, &rod);
    for (int n = 0; n < spots; n++)
      if (t[n].gap <= w->found.limit && is_between(w, k, e, &t[n]))
        put_part(w, &t[n]);
  }
}

// ------------------------------------------------------------------------------------------ in each other

static void collect(bedding *w) {
  const fly_surface *s = w->ground->surface;
  for (int k = 0; k < s->nodes;) {
    const fly_surface_node *n = &s->node[k];
    const fly_extent box = fly_extent_node(n);
    if (fly_extent_far(&box, &w->extent) > w->found.limit) {
      k = n->skip;
      continue;
    }
    for (int i = n->first; i < n->first + n->count; i++) {
      const fly_extent triangle = fly_extent_triangle(s, i);
      if (fly_extent_far(&triangle, &w->extent) > w->found.limit)
        continue;
      points_over(w, i);
      corners_of(w, i);
      edges_of(w, i);
    }
    k++;
  }
}

// ------------------------------------------------------------------------------------------ apart

typedef struct closest {
  int triangle;
  double g;
} closest;

static void try_triangle(closest *best, const bedding *w, int k) {
  static const fly_solid unit = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  fly_solid ground = unit;
  fly_facet f;
  fly_between g;
  ground.surface = w->ground->surface;
  fly_facet_set(&f, &ground, k);
  const fly_posed piece = fly_posed_of(&f.solid, NULL, NULL);
  fly_between_find(&g, &piece, &w->own);
  if (g.g < best->g)
    *best = (closest){k, g.g};
}

static closest find_closest(const bedding *w) {
  const fly_surface *s = w->ground->surface;
  closest best = {0, INFINITY};
  for (int k = 0; k < s->nodes;) {
    const fly_surface_node *n = &s->node[k];
    const fly_extent box = fly_extent_node(n);
    if (fly_extent_far(&box, &w->extent) > fmax(best.g, 0)) {
      k = n->skip;
      continue;
    }
    for (int i = n->first; i < n->first + n->count; i++) {
      const fly_extent triangle = fly_extent_triangle(s, i);
      if (fly_extent_far(&triangle, &w->extent) <= fmax(best.g, 0))
        try_triangle(&best, w, i);
    }
    k++;
  }
  return best;
}

// Is the place of the solid that is nearest behind the surface, and so all of it?
static bool is_behind(const bedding *w, const fly_touch *t) {
  double own[3];
  own_place(own, w, t, true);
  return fly_surface_depth(w->ground->surface, own) > 0;
}

// Where nothing presses: the one place where they are nearest. Inside of the surface all is pushed out through the
// nearest triangle.
static void put_nearest(bedding *w) {
  const closest best = find_closest(w);
  fly_touch nearest, t[FLY_SPOTS];
  fly_facet f;
  fly_facet_set(&f, w->ground, best.triangle);
  fly_facet_nearest(&nearest, w->surface ? w->solid : &f.solid, w->surface ? &f.solid : w->solid, w->b);
  if (best.g > 0 && is_behind(w, &nearest)) {
    const fly_solid plane = fly_facet_plane(w->ground, best.triangle);
    const int spots = touch_piece(t, w, &plane);
    for (int n = 0; n < spots; n++)
      fly_found_put(&w->found, 0, n, &t[n]);
    return;
  }
  if (nearest.gap < w->found.least) {
    w->found.best = w->found.there[w->found.best] ? w->found.best : 0;
    w->found.there[w->found.best] = true;
    w->found.out[w->found.best] = nearest;
  }
}

// ------------------------------------------------------------------------------------------ on a plane

// The height of the lowest corner of a box over the plane, z and o of it in the frame of the surface.
static double height_of(const fly_surface_node *n, const double z[3], double o) {
  double sum = -o;
  for (int c = 0; c < 3; c++)
    sum += z[c] * (z[c] > 0 ? n->low[c] : n->high[c]);
  return sum;
}

static double lowest_corner(const fly_surface *s, const double z[3], double o) {
  double least = INFINITY;
  for (int k = 0; k < s->nodes;) {
    const fly_surface_node *n = &s->node[k];
    if (height_of(n, z, o) >= least) {
      k = n->skip;
      continue;
    }
    for (int i = 3 * n->first; i < 3 * (n->first + n->count); i++)
      least = fmin(least, fly_dot3(z, s->corner[s->of[i / 3][i % 3]]) - o);
    k++;
  }
  return least;
}

// Corners that stand out, the lowest of each part.
static void on_plane(bedding *w) {
  const fly_surface *s = w->ground->surface;
  const double z[3] = {w->own.A[2], w->own.A[5], w->own.A[8]}, o = fly_dot3(z, w->own.o);
  const double least = lowest_corner(s, z, o);
  w->found.limit = fmax(least, 0) + w->found.limit;
  for (int k = 0; k < s->nodes;) {
    const fly_surface_node *n = &s->node[k];
    if (height_of(n, z, o) > w->found.limit) {
      k = n->skip;
      continue;
    }
    for (int i = n->first; i < n->first + n->count; i++)
      corners_of(w, i);
    k++;
  }
}

void fly_touch_facets(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b) {
  bedding w = bedding_of(out, a, b);
  if (w.solid->core == FLY_CORE_PLANE)
    on_plane(&w);
  else
    collect(&w);
  if (w.found.least > 0 && w.solid->core != FLY_CORE_PLANE)
    put_nearest(&w);
  fly_found_end(&w.found, a, b, &out[w.found.best]);
}
