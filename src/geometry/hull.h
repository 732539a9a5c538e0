// The convex hull of points, with faces as polygons.
#ifndef FLY_GEOMETRY_HULL_H
#define FLY_GEOMETRY_HULL_H

#include "base/memory.h"
#include "geometry/solid.h"

enum { FLY_HULL_CORNERS = 1000 }; // at most

typedef enum fly_hull_verdict {
  FLY_HULL_GOOD,
  FLY_HULL_NO_MEMORY,
  FLY_HULL_ONE_PLACE, // all points are there,
  FLY_HULL_ONE_LINE,  // or on a line,
  FLY_HULL_ONE_PLANE, // or in a plane: it has no inside
  FLY_HULL_MANY       // it has more corners than can be had
} fly_hull_verdict;

// Of count points, three numbers each; what lies no farther than 1e-9 of their size from it is
// not a corner. The corners are given from the middle of the box around all points, middle (3).
fly_hull_verdict fly_hull_build(fly_hull *out, double middle[3], int count, const double *point, fly_arena *memory);

#endif
