// What the files about modes share.
#ifndef FLY_ANALYSIS_MODES_H
#define FLY_ANALYSIS_MODES_H

#include "analysis/assembly.h"
#include "analysis/linear.h"
#include "analysis/settings.h"
#include "flyball/modes.h"

// Eigenvalues s = re + i im with im >= 0, of a pair only one, and the motions q (+) z that belong to them.
typedef struct fly_roots {
  int count, room;
  double *re, *im;
  double *z;    // real, then imaginary part of each (2 nv a root)
  double zero;  // |s|^2 up to which it is rounding errors [1/s^2],
  double noise; // and |re| of the same kind [1/s]
  bool undamped;
  bool all;       // there are no more
  bool stability; // what is unstable is among them
} fly_roots;

fly_status fly_roots_create(fly_roots *r, int room, int nv, fly_arena *memory, fly_error *error);
double *fly_roots_add(fly_roots *r, int nv, double re, double im); // where its z goes; NULL: there is no room

// All of a linearized model, by dense matrices.
int fly_roots_dense_room(const fly_linear *l);
fly_status fly_roots_dense(fly_roots *r, const fly_linear *l, fly_error *error);
// `count` of them nearest to i shift [rad/s] (NAN: to 0), of a model that is only prepared, by ARPACK.
fly_status fly_roots_large(fly_roots *r, fly_linear *l, int count, double shift, fly_arena *memory, fly_error *error);

// The state matrices of a linearized model, with inputs and outputs by name.
fly_status fly_state_space_make(fly_state_space *out, const fly_linear *l, fly_system *system, const fly_dae_state *at,
                                const fly_modes_options *o, fly_arena *memory, fly_error *error);

struct fly_modes {
  const fly_mechanism *mechanism;
  fly_modes_options options;
  fly_run_settings settings; // of a run to the state
  fly_assembly assembly;
  fly_dae_state at; // where it is linearized; copies of its own
  fly_linear linear;
  fly_modes_info info;
  fly_mode *mode;
  int count;
  bool has_matrices;
  fly_state_space space;
  fly_arena memory;
};

#endif
