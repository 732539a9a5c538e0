// Meshes for tests, as files in Abaqus's keywords: boxes of tetrahedra, straight beams.
#ifndef FLY_TESTS_FEM_MESHES_H
#define FLY_TESTS_FEM_MESHES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "flyball/reduce.h"

typedef struct box {
  double size[3];
  int cells[3];
  double E, nu, density;
  double shear;    // x is moved by shear y: elements that are no halves of cubes
  bool inside_out; // the first element is
  double gap;      // a second box stands behind it along x, this far away; 0: none
} box;

static inline int box_node(const box *b, int copy, const int p[3]) {
  const int n[3] = {2 * b->cells[0] + 1, 2 * b->cells[1] + 1, 2 * b->cells[2] + 1};
  return 1 + copy * n[0] * n[1] * n[2] + p[0] + n[0] * (p[1] + n[1] * p[2]);
}

static inline void write_box_nodes(FILE *f, const box *b, int copy) {
  for (int k = 0; k <= 2 * b->cells[2]; k++)
    for (int j = 0; j <= 2 * b->cells[1]; j++)
      for (int i = 0; i <= 2 * b->cells[0]; i++) {
        const double y = b->size[1] * j / (2 * b->cells[1]);
        fprintf(f, "%d, %.17g, %.17g, %.17g\n", box_node(b, copy, (int[]){i, j, k}),
                b->size[0] * i / (2 * b->cells[0]) + b->shear * y + copy * (b->size[0] + b->gap), y,
                b->size[2] * k / (2 * b->cells[2]));
      }
}

// Kuhn's six of a cell; the odd ones are turned round.
static inline int write_cell(FILE *f, const box *b, int copy, const int cell[3], int number) {
  static const int ORDER[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};
  static const int EDGE[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (int t = 0; t < 6; t++) {
    int c[4][3] = {{2 * cell[0], 2 * cell[1], 2 * cell[2]}};
    for (int k = 0; k < 3; k++) {
      memcpy(c[k + 1], c[k], sizeof c[k]);
      c[k + 1][ORDER[t][k]] += 2;
    }
    if ((t % 2 == 1) != (b->inside_out && number == 1)) {
      int other[3];
      memcpy(other, c[1], sizeof other);
      memcpy(c[1], c[2], sizeof other);
      memcpy(c[2], other, sizeof other);
    }
    fprintf(f, "%d", number++);
    for (int k = 0; k < 4; k++)
      fprintf(f, ", %d", box_node(b, copy, c[k]));
    for (int e = 0; e < 6; e++) {
      int m[3];
      for (int i = 0; i < 3; i++)
        m[i] = (c[EDGE[e][0]][i] + c[EDGE[e][1]][i]) / 2;
      fprintf(f, ", %d", box_node(b, copy, m));
    }
    fprintf(f, "\n");
  }
  return number;
}

static inline void write_end(FILE *f, const box *b, const char *name, int i) {
  fprintf(f, "*NSET, NSET=%s\n", name);
  for (int k = 0; k <= 2 * b->cells[2]; k++)
    for (int j = 0; j <= 2 * b->cells[1]; j++)
      fprintf(f, "%d,\n", box_node(b, 0, (int[]){i, j, k}));
}

static inline void write_box(const char *path, const box *b) {
  FILE *f = fopen(path, "w");
  int number = 1;
  assert_non_null(f);
  fprintf(f, "** a box\n*NODE\n");
  for (int copy = 0; copy < (b->gap > 0 ? 2 : 1); copy++)
    write_box_nodes(f, b, copy);
  fprintf(f, "*ELEMENT, TYPE=C3D10, ELSET=ALL\n");
  for (int copy = 0; copy < (b->gap > 0 ? 2 : 1); copy++)
    for (int k = 0; k < b->cells[2]; k++)
      for (int j = 0; j < b->cells[1]; j++)
        for (int i = 0; i < b->cells[0]; i++)
          number = write_cell(f, b, copy, (int[]){i, j, k}, number);
  write_end(f, b, "LEFT", 0);
  write_end(f, b, "RIGHT", 2 * b->cells[0]);
  fprintf(f, "*MATERIAL, NAME=IT\n*ELASTIC\n%.17g, %.17g\n*DENSITY\n%.17g\n*SOLID SECTION, ELSET=ALL, MATERIAL=IT\n",
          b->E, b->nu, b->density);
  fclose(f);
}

typedef struct line {
  double from[3], to[3];
  int elements;
  const char *type, *section; // "B31"; "SECTION=CIRC\n0.01"
  const char *y;              // "0, 1, 0"
} line;

// Steel.
static inline void write_line(const char *path, const line *b) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  const size_t head = strcspn(b->section, "\n");
  fprintf(f, "*NODE\n");
  for (int k = 0; k <= b->elements; k++) {
    const double s = (double)k / b->elements;
    fprintf(f, "%d, %.17g, %.17g, %.17g\n", k + 1, b->from[0] + s * (b->to[0] - b->from[0]),
            b->from[1] + s * (b->to[1] - b->from[1]), b->from[2] + s * (b->to[2] - b->from[2]));
  }
  fprintf(f, "*ELEMENT, TYPE=%s, ELSET=BAR\n", b->type);
  for (int k = 1; k <= b->elements; k++)
    fprintf(f, "%d, %d, %d\n", k, k, k + 1);
  fprintf(f,
          "*MATERIAL, NAME=STEEL\n*ELASTIC\n2.1e11, 0.3\n*DENSITY\n7850\n*BEAM SECTION, ELSET=BAR, MATERIAL=STEEL, "
          "%.*s%s\n%s\n",
          (int)head, b->section, b->section + head, b->y);
  fclose(f);
}

// A file of this process in the folder for such.
static inline const char *scratch(char out[200], const char *name) {
  const char *folder = getenv("TMPDIR");
  snprintf(out, 200, "%s/flyball-%ld-%s", folder ? folder : "/tmp", (long)getpid(), name);
  return out;
}

static inline fly_reduction *reduce_or_fail(const fly_reduce_options *o) {
  fly_reduction *r = NULL;
  fly_error error = {0};
  if (fly_reduce(&r, o, &error) != FLY_OK)
    fail_msg("%s", error.message);
  return r;
}

#endif
