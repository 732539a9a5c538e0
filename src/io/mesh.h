// Triangles from STL (text and binary) and OBJ files. What they are for is seen only: no mass comes from them.
#ifndef FLY_IO_MESH_H
#define FLY_IO_MESH_H

#include "flyball/status.h"

enum { FLY_MESH_TRIANGLES = 500000 }; // the most

typedef struct fly_mesh {
  int nvertex, ntriangle;
  float *vertex; // x, y, z, no two alike (3 nvertex)
  int *triangle; // their corners, counterclockwise seen from outside (3 ntriangle)
} fly_mesh;

// The format follows from what is in the file. A message begins with the path, and the line if the file is text.
fly_status fly_mesh_read(fly_mesh *mesh, const char *path, fly_error *error);
void fly_mesh_free(fly_mesh *mesh);

#endif
