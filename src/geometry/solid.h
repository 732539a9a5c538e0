// What touches: convex solids, and half-spaces. A solid is a core (a point, a segment, a box, a cylinder, ...) and a
// radius around it, so that its distance from another is that of the cores less the radii, and the normal is continuous
// while the cores are apart. Pure functions, nothing allocated (docs/theory/contact.md).
#ifndef FLY_GEOMETRY_SOLID_H
#define FLY_GEOMETRY_SOLID_H

#include <stdbool.h>

typedef enum fly_core {
  FLY_CORE_PLANE,     // all below z = 0 of its frame
  FLY_CORE_POINT,     // the origin: with a radius, a ball
  FLY_CORE_SEGMENT,   // along z, as long as 2 half[2]: with a radius, a capsule
  FLY_CORE_BOX,       // edges along the axes, as long as 2 half[]
  FLY_CORE_CYLINDER,  // along z, as long as 2 half[2], half[0] = half[1] its radius
  FLY_CORE_CONE,      // about z, its base of radius half[0] at z = -half[2], its tip at half[2]
  FLY_CORE_ELLIPSOID, // half axes half[]
  FLY_CORE_HULL,      // of points
  FLY_CORE_SURFACE,   // closed, of triangles
  FLY_CORE_CURVE,     // in the x y plane, touched by other curves there
  FLY_CORES
} fly_core;

// A convex polyhedron: its corners, and its faces with their corners in order, seen from outside against the clock.
typedef struct fly_hull {
  int count, faces;
  double (*corner)[3]; // (count)
  double (*normal)[3]; // of each face, outwards (faces)
  int *start, *of;     // corners of face k: of[start[k]] ... of[start[k + 1] - 1]
  double reach;        // of the farthest corner from the origin
  double thickness;    // half of the smallest extent along a normal
} fly_hull;

typedef struct fly_surface fly_surface; // surface.h
typedef struct fly_curve fly_curve;     // curve.h

typedef struct fly_solid {
  fly_core core;
  double half[3];
  double radius;
  double at[3], A[9];   // its frame on a body: origin, and axes in columns, row by row
  const fly_hull *hull; // of FLY_CORE_HULL
  const fly_surface *surface;
  const fly_curve *curve; // of FLY_CORE_CURVE; of a circle the radius is that of the solid too
} fly_solid;

// The way from the middle of a solid to its farthest point; infinite for a plane.
double fly_solid_reach(const fly_solid *s);
// Half of its smallest extent: how deep another can come before it leaves on the other side.
double fly_solid_thickness(const fly_solid *s);

// Where two solids touch or would touch first. A box on a plane has a spot at each corner, a capsule two,
// a cylinder four of each rim; two solids with faces have one at each corner of what the faces have in common.
typedef struct fly_touch {
  bool absent; // there is no such spot now: whatever it did before, it does not press
  double gap;  // distance along the normal; negative: as deep as that [m]; of one that is absent, more than the solids'
  double n[3]; // normal, from the first to the second solid, in axes of the first body
  double c[3]; // the point half-way between both surfaces, in the first body
  double dn[18]; // derivatives of n and c with respect to a move of the second body against the first, (dp, dphi) in
  double dc[18]; // axes of the first body; the turn is about the origin of the second (3 x 6, row by row)
} fly_touch;

enum { FLY_FEW_SPOTS = 8, FLY_SPOTS = 16 }; // of a pair, at most: of convex solids, and with a surface

int fly_touch_spots(const fly_solid *a, const fly_solid *b); // of such a pair; 0: it is not known how they touch

// At p, R (row by row): the second body in the frame of the first. All spots of the pair.
void fly_touch_all(fly_touch out[FLY_SPOTS], const fly_solid *a, const fly_solid *b, const double p[3],
                   const double R[9]);
// Are the balls around them far apart? Then they are one spot: gap is no more than that of the solids, and no
// derivatives of n and c are given.
bool fly_touch_far(fly_touch *out, const fly_solid *a, const fly_solid *b, const double p[3], const double R[9]);
void fly_touch_at(fly_touch *out, const fly_solid *a, const fly_solid *b, int spot, const double p[3],
                  const double R[9]);

#endif
