// Pieces of a closed surface of triangles as solids of their own, for which it is known how they touch others; and the
// spots that are found with them (docs/theory/contact.md, T-facets).
#ifndef FLY_GEOMETRY_FACET_H
#define FLY_GEOMETRY_FACET_H

#include "geometry/distance.h"
#include "geometry/side.h"
#include "geometry/surface.h"

// ------------------------------------------------------------------------------------------ boxes

// A box around something, in the frame of a surface.
typedef struct fly_extent {
  double low[3], high[3];
} fly_extent;

double fly_extent_far(const fly_extent *a, const fly_extent *b); // how far apart; 0 if they meet
fly_extent fly_extent_node(const fly_surface_node *n);
fly_extent fly_extent_triangle(const fly_surface *s, int k);
fly_extent fly_extent_edge(const fly_surface *s, int k, int e);
fly_extent fly_extent_solid(const fly_posed *w);
fly_extent fly_extent_wider(fly_extent a, double by);

// ------------------------------------------------------------------------------------------ pieces

// Triangle k as a thin solid on the body of its surface. It points to itself: not to be copied.
typedef struct fly_facet {
  fly_solid solid;
  fly_hull hull;
  double corner[3][3], normal[2][3];
  int start[3], of[6];
} fly_facet;

void fly_facet_set(fly_facet *f, const fly_solid *surface, int k);
fly_solid fly_facet_point(const fly_solid *surface, int k, int e);
fly_solid fly_facet_edge(const fly_solid *surface, int k, int e);
fly_solid fly_facet_plane(const fly_solid *surface, int k);
// How far a place of the surface's frame is beyond edge e of triangle k, seen along its normal.
double fly_facet_beyond(const fly_surface *s, int k, int e, const double own[3]);
// Two convex pieces where they are nearest, with all derivatives.
void fly_facet_nearest(fly_touch *out, const fly_solid *a, const fly_solid *b, const fly_side *second);

// ------------------------------------------------------------------------------------------ spots

// Each in its place, where the deepest one stays. Half of the places belong to what each of both brings.
enum { FLY_PLACES = FLY_SPOTS / 2 };
typedef struct fly_found {
  fly_touch *out; // (FLY_SPOTS)
  bool there[FLY_SPOTS];
  double limit; // what is farther apart is nothing
  double least; // the smallest gap
  int best;     // and its place
} fly_found;

fly_found fly_found_begin(fly_touch out[FLY_SPOTS], double limit);
void fly_found_put(fly_found *f, int first, int wish, const fly_touch *one);
// All other places are farther away than anything.
void fly_found_end(fly_found *f, const fly_side *a, const fly_side *b, const fly_touch *nearest);
// The place of a spot on the first (0) or second solid, in axes of the first body.
void fly_found_place(double x[3], const fly_touch *t, int of);
// Which of the eight parts around the middle of the smaller one a spot is in.
int fly_found_part(const fly_posed *a, const fly_posed *b, const fly_touch *t);

// A surface and a convex solid or a plane; two surfaces.
void fly_touch_facets(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b);
void fly_touch_two_surfaces(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b);

#endif
