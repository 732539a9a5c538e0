// A closed surface of triangles as a tree of boxes.
#ifndef FLY_GEOMETRY_SURFACE_H
#define FLY_GEOMETRY_SURFACE_H

#include "base/memory.h"
#include "geometry/side.h"

typedef struct fly_surface_node {
  double low[3], high[3];
  int first, count; // triangles; count 0: the next node and what follows it
  int skip;         // the node behind all that is in this one
} fly_surface_node;

struct fly_surface {
  int triangles, nodes;
  const double (*corner)[3];
  int (*of)[3];        // corners of each, seen from outside against the clock (triangles)
  double (*normal)[3]; // outwards (triangles)
  int (*beside)[3];    // the triangle beyond the edge from corner k to the next (triangles)
  unsigned char *own;  // which of its edges and corners are touched by others, as FLY_OWN_... (triangles)
  fly_surface_node *node;
  double reach, thickness;
};

// Each edge and corner belongs to one of its triangles. Those in a face and along a straight edge are not touched.
enum {
  FLY_OWN_CORNER = 1, // << k: corner k stands out
  FLY_OWN_EDGE = 8    // << k: the edge from corner k to the next does
};

typedef enum fly_surface_verdict {
  FLY_SURFACE_GOOD,
  FLY_SURFACE_NO_MEMORY,
  FLY_SURFACE_THIN,      // a triangle without an inside
  FLY_SURFACE_OPEN,      // an edge that is not one of two triangles which run along it in opposite ways
  FLY_SURFACE_INSIDE_OUT // its triangles look inwards
} fly_surface_verdict;

// corner (corners) stays the caller's, of (triangles) is copied. *wrong: number of the triangle at which it was seen.
fly_surface_verdict fly_surface_build(fly_surface *out, int *wrong, int corners, const double (*corner)[3],
                                      int triangles, const int (*of)[3], fly_arena *memory);

// A ball on it: a spot in each triangle over which it stands, and at edges and corners that nothing near is nearer
// than. A capsule: likewise at each end, and where it lies across edges and corners between them.
void fly_touch_surface(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b);

// How deep x, in the frame of the surface, is in it; below 0: how far outside.
double fly_surface_depth(const fly_surface *s, const double x[3]);
// Beyond edge e of triangle k the next one rises.
bool fly_surface_is_hollow(const fly_surface *s, int k, int e);

#endif
