// Cores of solids: how far they reach along a direction, and what of them lies there.
#ifndef FLY_GEOMETRY_CORE_H
#define FLY_GEOMETRY_CORE_H

#include "geometry/solid.h"

// A core where it stands, in axes of the first body.
typedef struct fly_posed {
  const fly_solid *s;
  double o[3], A[9]; // origin, and axes in columns
} fly_posed;

// p, R: of its body; NULL: it is the first.
fly_posed fly_posed_of(const fly_solid *s, const double *p, const double *R);

// A place of the first body's axes in its own frame.
void fly_posed_own(double own[3], const fly_posed *w, const double x[3]);

// The point of the core farthest along d.
void fly_posed_support(double x[3], const fly_posed *w, const double d[3]);

// What of a core has the normal n at the point x: a corner (no direction is free), an edge or a rim (one), a face or a
// bent surface (two). To second order x + T s + bend(s, s)/2.
typedef struct fly_feature {
  int kind, count;
  double x[3];
  double T[2][3];
  double bend[3][3]; // x_11, x_12, x_22
} fly_feature;

// coarse: how far n may be off for what is flat or straight [rad].
void fly_feature_find(fly_feature *f, const fly_posed *w, const double x[3], const double n[3], double coarse);
// Back onto the core, after x has moved along T.
void fly_feature_place(fly_feature *f, const fly_posed *w);
// How far x lies outside of the core, or how much farther than x the core reaches along n.
double fly_posed_excess(const fly_posed *w, const double x[3], const double n[3]);

// The part of a core that lies flat under a plane of normal n: corners in order, seen from outside against the clock; a
// point, a segment, or a polygon, and a radius around it.
enum { FLY_PATCH = 16 };
typedef struct fly_patch {
  int count;
  double x[FLY_PATCH][3];
  double n[3];   // of a polygon: its own normal
  double radius; // of a cylinder that lies on its side
} fly_patch;

// count 0: it is bent there, or has more corners than a patch.
void fly_patch_find(fly_patch *out, const fly_posed *w, const double n[3]);

#endif
