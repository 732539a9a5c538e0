// Edges at which the triangles of a mesh are joined.
#ifndef FLY_GEOMETRY_SEAM_H
#define FLY_GEOMETRY_SEAM_H

#include "geometry/surface.h"

// beside (triangles): see fly_surface. The first triangle with an edge that is not that of exactly one other which runs
// along it the other way; -1: there is none, -2: no memory.
int fly_seam_beside(int (*beside)[3], int triangles, const int (*of)[3]);
// Which edges and corners stand out of the faces around them. false: no memory.
bool fly_seam_mark(fly_surface *s, int corners);

#endif
