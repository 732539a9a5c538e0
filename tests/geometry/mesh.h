// Boxes of triangles, and one with a dent in its top.
#ifndef FLY_TESTS_MESH_H
#define FLY_TESTS_MESH_H

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "geometry/surface.h"

enum { CELLS = 6, SIDE = CELLS + 1, CORNERS = 6 * SIDE * SIDE, TRIANGLES = 12 * CELLS * CELLS };

// A box with half edges 0.5, 0.7, 0.9, each face of CELLS x CELLS cells of two triangles; corners of faces welded.
typedef struct mesh {
  int corners, triangles;
  double corner[CORNERS][3];
  int of[TRIANGLES][3];
} mesh;

static inline int weld(mesh *m, const double x[3]) {
  for (int k = 0; k < m->corners; k++)
    if (fabs(m->corner[k][0] - x[0]) + fabs(m->corner[k][1] - x[1]) + fabs(m->corner[k][2] - x[2]) < 1e-9)
      return k;
  memcpy(m->corner[m->corners], x, sizeof m->corner[0]);
  return m->corners++;
}

static inline int point_of(mesh *m, int face, int i, int j, int cells) {
  const double half[3] = {0.5, 0.7, 0.9};
  const int axis = face / 2, up = face % 2 ? 1 : -1;
  double x[3];
  x[axis] = up * half[axis];
  x[(axis + 1) % 3] = half[(axis + 1) % 3] * (2.0 * i / cells - 1);
  x[(axis + 2) % 3] = up * half[(axis + 2) % 3] * (2.0 * j / cells - 1);
  return weld(m, x);
}

static inline void make_cells(mesh *m, int cells) {
  memset(m, 0, sizeof *m);
  for (int k = 0; k < 6 * cells * cells; k++) {
    const int face = k / (cells * cells), i = k / cells % cells, j = k % cells;
    const int p[4] = {point_of(m, face, i, j, cells), point_of(m, face, i + 1, j, cells),
                      point_of(m, face, i + 1, j + 1, cells), point_of(m, face, i, j + 1, cells)};
    const int tri[2][3] = {{p[0], p[1], p[2]}, {p[0], p[2], p[3]}};
    memcpy(m->of[m->triangles], tri, sizeof tri);
    m->triangles += 2;
  }
}

static inline void make_box(mesh *m) { make_cells(m, CELLS); }

static inline fly_surface_verdict build(fly_surface *out, const mesh *m, fly_arena *memory) {
  int wrong;
  return fly_surface_build(out, &wrong, m->corners, (const double(*)[3])m->corner, m->triangles, (const int(*)[3])m->of,
                           memory);
}

static const int DENTED[16][3] = {{0, 1, 6}, {0, 6, 5}, {1, 2, 7}, {1, 7, 6}, {2, 3, 8}, {2, 8, 7},
                                  {3, 4, 9}, {3, 9, 8}, {4, 0, 5}, {4, 5, 9}, {4, 1, 0}, {4, 3, 1},
                                  {3, 2, 1}, {9, 5, 6}, {9, 6, 8}, {8, 6, 7}};
static const double DENT[10][3] = {{-1, -1, 1}, {0, -1, 0}, {1, -1, 1}, {1, -1, -1}, {-1, -1, -1},
                                   {-1, 1, 1},  {0, 1, 0},  {1, 1, 1},  {1, 1, -1},  {-1, 1, -1}};

#endif
