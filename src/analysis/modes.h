// What the files about modes share.
#ifndef FLY_ANALYSIS_MODES_H
#define FLY_ANALYSIS_MODES_H

#include "analysis/assembly.h"
#include "analysis/linear.h"
#include "analysis/opened.h"
#include "analysis/settings.h"
#include "flyball/json.h"
#include "flyball/modes.h"

// Is a root zero within rounding, and if so, is that the model's doing?
typedef enum fly_root_zero {
  FLY_ROOT_NOT_ZERO,
  FLY_ROOT_RIGID,     // nothing holds what it moves
  FLY_ROOT_UNRESOLVED // something does, but rounding hides what follows from it
} fly_root_zero;

// Eigenvalues s = re + i im with im >= 0, of a pair only one, and the motions q (+) z that belong to them.
typedef struct fly_roots {
  int count, room;
  double *re, *im;
  double *z;           // real, then imaginary part of each (2 nv a root)
  double *bound;       // by how much rounding may have moved each [1/s]
  unsigned char *zero; // of each a fly_root_zero
  bool undamped;
  bool all;       // there are no more
  bool stability; // what is unstable is among them
} fly_roots;

fly_status fly_roots_create(fly_roots *r, int room, int nv, fly_arena *memory, fly_error *error);
double *fly_roots_add(fly_roots *r, int nv, double re, double im); // where its z goes; NULL: there is no room

// What rounding lets one say (roots_resolve.c).
typedef struct fly_resolve {
  int n;                   // degrees of freedom
  const double *M, *C, *K; // of the linearized model (n x n)
  double *N;               // what nothing holds: the null space of K, orthonormal (n x nullity)
  int nullity;
  double *work; // (n)
} fly_resolve;
fly_status fly_resolve_create(fly_resolve *v, const fly_linear *l, fly_arena *work, fly_error *error);
void fly_resolve_zero(const fly_resolve *v, fly_roots *r, int k, const double *z); // root k is zero within rounding
double fly_resolve_driven(const fly_resolve *v, const double *z);                  // growth that must be beside a zero
double fly_resolve_quotient(const fly_resolve *v, const double *z, double *bound); // mu of a motion z
void fly_resolve_rayleigh(const double *A, int N, const double *x, const double *y, double *work, double *re,
                          double *im, double *bound);             // work: (3 N)
double fly_resolve_solver(double norm, double rcond, double gap); // the error that is left of the solver's

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
  char notes[1200]; // what to know about it, one a line
  fly_linear linear;
  fly_modes_info info;
  fly_mode *mode;
  int count;
  bool has_matrices;
  fly_state_space space;
  fly_mechanism opened; // with the variable of the loop as a row; shares its spec
  fly_opening opening;
  bool has_loop;
  fly_loop loop;
  fly_arena memory;
};

// The margins of the loop that options ask for, of a model that is linearized (modes_loop.c).
fly_status fly_modes_open_loop(fly_modes *m, fly_error *error);
void fly_modes_put_loop(fly_json *j, const fly_loop *l);

#endif
