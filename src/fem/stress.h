// Stresses of a reduced body over a run, as they are gone through place by place.
#ifndef FLY_FEM_STRESS_H
#define FLY_FEM_STRESS_H

#include "base/memory.h"
#include "flyball/reduce.h"
#include "result/arrays.h"

struct fly_stress {
  fly_arrays *file;
  long rows;
  int modes, all; // in the run, in the file
  size_t places;  // of stresses
  int *mode;      // of the file, from 0 (modes)
  double *time;   // (rows)
  double *eta;    // of all rows, mode by mode (rows x modes)
  double *at;     // node, element, point (places x 3)
  double *row;    // stresses of the modes at one place, as in the file (6 all)
  double *use;    // of those in the run: 6 x modes, columns one behind the other
  double *tensor; // over time (6 x rows)
  double *mises;  // (rows)
  fly_arena memory;
};

// The stresses at one place over time, into tensor and mises.
fly_status fly_stress_go_through(fly_stress *s, size_t place, fly_error *error);
fly_status fly_stress_no_memory(fly_error *error);

#endif
