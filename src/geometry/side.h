// One of two solids, seen in axes of the first body: vectors of the first are constant, those of the second carry what
// a move of it does to them.
#ifndef FLY_GEOMETRY_SIDE_H
#define FLY_GEOMETRY_SIDE_H

#include "geometry/carried.h"
#include "geometry/solid.h"

typedef struct fly_side {
  const fly_solid *s;
  const double *p, *R; // of its body; NULL: it is the first
} fly_side;

// What stands at x, or along u, now.
void fly_carry_here(fly_vector7 out, const fly_side *w, const double x[3]);
void fly_carry_along(fly_vector7 out, const fly_side *w, const double u[3]);
// The same, given on its body.
void fly_carry_direction(fly_vector7 out, const fly_side *w, const double u[3]);
void fly_carry_point(fly_vector7 out, const fly_side *w, const double x[3]);
void fly_carry_axis(fly_vector7 out, const fly_side *w, int k);
void fly_carry_own(fly_vector7 out, const fly_side *w, const double own[3]); // in the frame of its solid
void fly_vector7_negate(fly_vector7 u);

// From the points of the cores, xa and xb, and the normal from a to b: gap = n . (xb - xa) - ra - rb, and the middle of
// both surfaces (xa + xb)/2 + (ra - rb) n/2.
void fly_touch_between(fly_touch *out, double ra, double rb, fly_vector7 xa, fly_vector7 xb, fly_vector7 n);

// Cores that are points or segments, where they are nearest.
void fly_touch_segments(fly_touch *out, const fly_side *a, const fly_side *b);

// A spot that is not there: it would be farther away than the solids are by so much.
void fly_touch_leave(fly_touch *out, const fly_touch *nearest, double farther);

// One more among the spots, in the order of their depth: the deepest is the first, with its springs, as long as it is.
void fly_touch_insert(fly_touch *out, int *count, int most, const fly_touch *one);

// Two lines x_a + u d_a, x_b + w d_b with unit directions that are not parallel: where they are next to each other.
void fly_lines_meet(fly_vector7 xa, fly_vector7 xb, fly_vector7 oa, fly_vector7 ob, fly_vector7 da, fly_vector7 db);

// Points of a disc, the rim at z and its middle, that touch a plane of normal n through o: the lowest, the highest, and
// twice the middle; while it stands flat, four points of the rim a quarter turn apart (docs/theory/contact.md, T-rim).
enum { FLY_RIM_SPOTS = 4 };
void fly_rim_point(fly_vector7 x, const fly_side *round, fly_vector7 n, const double o[3], double z, int spot);

// Spots of two solids with faces or straight edges, at most FLY_SPOTS (docs/theory/contact.md, T-patches).
void fly_touch_patches(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b);

// Spots of two curves in a plane, the deepest first; 0: it is not known how they touch (docs/theory/contact.md,
// T-curves).
enum { FLY_CURVE_SPOTS = 4 };
int fly_curve_spots(const fly_solid *a, const fly_solid *b);
void fly_touch_curves(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b);

#endif
