// Bodies of finite elements for tests of models: a folder for their files, and a straight beam.
#ifndef FLY_TESTS_SYSTEM_REDUCED_H
#define FLY_TESTS_SYSTEM_REDUCED_H

#include <stdio.h>

#include "flyball/reduce.h"
#include "system/neighbours.h"

static char folder[100];

static inline void path_of(char out[300], const char *name) { snprintf(out, 300, "%s/%s", folder, name); }

static inline void put_text(const char *name, const char *text) {
  char path[300];
  path_of(path, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

// A round straight beam of 16 elements, 1 m along x, with all of its modes; the frequencies of its hub held.
static inline void reduce_straight(double held[], int count) {
  char mesh[300], out[300], text[2000] = "*NODE\n", part[100];
  fly_reduce_options o = fly_reduce_options_default();
  const fly_reduce_interface hub = {.name = "hub", .node = 1};
  fly_reduction *r = NULL;
  fly_error error = {0};
  for (int k = 0; k <= 16; k++) {
    snprintf(part, sizeof part, "%d, %g, 0, 0\n%s", k + 1, k / 16.0, k < 16 ? "" : "*ELEMENT, TYPE=B31, ELSET=T\n");
    strcat(text, part);
  }
  for (int k = 1; k <= 16; k++) {
    snprintf(part, sizeof part, "%d, %d, %d\n", k, k, k + 1);
    strcat(text, part);
  }
  strcat(text, "*MATERIAL, NAME=M\n*ELASTIC\n7e10, 0.33\n*DENSITY\n2700\n"
               "*BEAM SECTION, SECTION=CIRC, ELSET=T, MATERIAL=M\n0.01\n0, 0, 1\n");
  put_text("straight.inp", text);
  path_of(mesh, "straight.inp");
  path_of(out, "straight.h5");
  o.mesh = mesh;
  o.out = out;
  o.ninterface = 1;
  o.interface = &hub;
  o.modes = -1;
  assert_ok(fly_reduce(&r, &o, &error), &error);
  for (int k = 0; k < count; k++)
    held[k] = fly_reduction_info(r)->fixed_mode[k].frequency;
  fly_reduction_free(r);
}

#endif
