// Distance of two convex cores, or how deep they are in each other: one algorithm for all of them.
#ifndef FLY_GEOMETRY_DISTANCE_H
#define FLY_GEOMETRY_DISTANCE_H

#include "geometry/core.h"

// The points of both cores next to each other: xb - xa = g n, n from a to b, a unit vector.
typedef struct fly_between {
  double xa[3], xb[3], n[3];
  double g;     // distance; negative: how far b must go along n until they are apart
  bool unknown; // two flat cores in one plane: n is any that stands across
} fly_between;

// By the algorithm of Gilbert, Johnson and Keerthi (IEEE J. Robotics and Automation 4, 1988), or where they overlap by
// the growing polytope of van den Bergen (2001). Exact for polyhedra; of bent cores to some 1e-6 of their size.
void fly_between_find(fly_between *out, const fly_posed *a, const fly_posed *b);

// A point of b - a, and where it comes from.
typedef struct fly_apart {
  double w[3], a[3], b[3];
} fly_apart;

void fly_apart_support(fly_apart *out, const fly_posed *a, const fly_posed *b, const double d[3]);
// How deep: from the points of b - a between which 0 lies.
void fly_between_grow(fly_between *out, const fly_posed *a, const fly_posed *b, fly_apart *simplex, int count,
                      double size);

#endif
