// A reduction being made. For the files reduce*.c and recover.c only.
#ifndef FLY_FEM_REDUCE_H
#define FLY_FEM_REDUCE_H

#include "fem/matrices.h"
#include "flyball/reduce.h"

struct fly_reduction {
  fly_reduce_options o;
  fly_error *error;
  fly_fem_mesh mesh;
  fly_fem_entries K, M; // of files
  int *file_unknowns;
  fly_fem_system s;
  int nb;               // unknowns of the interface
  int *boundary;        // (nb)
  bool *held;           // groups of the interface (groups)
  fly_fem_tie *tie;     // (ties)
  int *interface_group; // (ninterface)
  int ties;
  double *fixed_square; // squares of the frequencies with the interface held (fixed)
  double *B;            // the vectors of the reduction, column by column (unknowns x (nb + fixed))
  double *Phi;          // modes, likewise (unknowns x modes)
  double *square;       // of their frequencies (modes)
  double *frequency;
  fly_reduce_mode *fixed_mode;
  // sums of inertia (element/flexible.h), of the modes scaled
  double S[3], X[9], JR[9], *N, *NR, *Q, *P, *Mm, *Km;
  double *G; // added to P where a turn stiffens it; NULL: not asked for (modes x modes x 9)
  // what is kept of nodes
  double *kept;          // number, x, y, z (kept x 4)
  double *phi, *theta;   // (kept x 3 modes)
  double *interface_row; // of each interface in kept (ninterface)
  double *stress_at;     // number of the node, of the element (0: a mean), of the point (stresses x 3)
  double *stress;        // (stresses x 6 modes)
  fly_reduce_info info;
  char notes[4000];
  fly_arena memory;
};

fly_status fly_reduce_no_memory(const fly_reduction *r);
void fly_reduce_note(fly_reduction *r, const char *format, ...);
void fly_reduce_tell(const fly_reduction *r, const char *phase, double share);
// A vector of the unknowns that moves the body as a whole: along x, y, z, about them through the origin.
void fly_reduce_rigid(double *x, const fly_fem_system *s, int way);

// Y (3 groups) = m_kl x_l of displacements x (3 groups)
void fly_reduce_mean_mass(double *Y, const fly_fem_system *s, const double *x);

fly_status fly_reduce_interface_find(fly_reduction *r);  // ties, before the matrices
fly_status fly_reduce_interface_check(fly_reduction *r); // what it holds, behind them
fly_status fly_reduce_modes(fly_reduction *r);
fly_status fly_reduce_sums(fly_reduction *r);
fly_status fly_reduce_stiffening_check(const fly_reduction *r); // before the modes
fly_status fly_reduce_stiffening(fly_reduction *r);
fly_status fly_reduce_recover(fly_reduction *r);
fly_status fly_reduce_write(const fly_reduction *r);

#endif
