// Curves in the x y plane of a frame, for planar mechanisms and cams: circle, arc, straight lines from point to point,
// and a closed spline. Built once; asked without allocating (docs/theory/contact.md, T-curves).
#ifndef FLY_GEOMETRY_CURVE_H
#define FLY_GEOMETRY_CURVE_H

#include "base/memory.h"
#include "geometry/solid.h"

typedef enum fly_curve_kind { FLY_CURVE_CIRCLE, FLY_CURVE_ARC, FLY_CURVE_LINES, FLY_CURVE_SPLINE } fly_curve_kind;

enum { FLY_CURVE_POINTS = 1000 }; // at most

// A part of a spline that turns little: between x and the start of the next it is no farther than sag from the chord.
typedef struct fly_curve_piece {
  int knot; // the interval it lies in
  double from, to;
  double x[2], way[2]; // where it begins, and x' there
  double sag;
} fly_curve_piece;

struct fly_curve {
  fly_curve_kind kind;
  bool closed;             // what it encloses is solid; its points run against the clock
  bool polar;              // of a spline: value is (radius, 0) over the angle, not (x, y)
  int count;               // points, or knots
  double (*point)[2];      // of lines (count)
  double radius, from, to; // of an arc about the origin, angles; of a circle
  double *knot;            // of a spline: where each begins, and the end of the last (count + 1)
  double (*value)[2];      // there, and likewise its derivative (count)
  double (*slope)[2];
  int pieces;
  fly_curve_piece *piece; // (pieces)
  double reach, thickness;
};

typedef enum fly_curve_verdict {
  FLY_CURVE_GOOD,
  FLY_CURVE_NO_MEMORY,
  FLY_CURVE_FEW,    // points
  FLY_CURVE_MANY,   // points
  FLY_CURVE_TWICE,  // a point is the one before it
  FLY_CURVE_CROSSES // itself
} fly_curve_verdict;

void fly_curve_circle(fly_curve *out, double radius);
void fly_curve_arc(fly_curve *out, double radius, double from, double to); // from < to <= from + 2 pi
// Points of two numbers each; closed if the last is the first. *wrong: the point, or the first of two that is wrong.
fly_curve_verdict fly_curve_lines(fly_curve *out, int *wrong, int count, const double *point, fly_arena *memory);
// A closed spline, twice smooth, through points, whichever way round they run; or through radii at equal angles from x.
fly_curve_verdict fly_curve_spline(fly_curve *out, int *wrong, int count, const double *point, fly_arena *memory);
fly_curve_verdict fly_curve_polar(fly_curve *out, int *wrong, int count, const double *radius, double first,
                                  fly_arena *memory); // first: the angle of the first

// x, x' and x'' of a spline in an interval.
void fly_curve_at(double x[3][2], const fly_curve *c, int knot, double s);

#endif
