// Bushing: six springs and dampers between two markers, along and about the axes of marker i.
//
//   x = (d, phi)   d:   displacement of the point of j from the point of i, in axes of marker i
//                  phi: rotation vector of marker j against marker i, exp(phi) = A_i^T R_i^T R_j A_j, |phi| < pi
//   f = stiffness (x - free) + damping x' + preload
//   Q = -X^T f,    X = dx/dq,    x' = X v
//   K = -X^T (stiffness X + damping dx'/dq) - d(X^T f)/dq at fixed f,    C = -X^T damping X
//
// Q comes from the energy (x - free)^T (stiffness (x - free) / 2 + preload) and from the dissipation x'^T damping x',
// so virtual work is exact for any displacement, and action equals reaction: the force acts at the point of j, on body
// j and on the point of body i that coincides with it, as commercial codes do (with i and j the other way round). So
// the torque on i differs from that on j by the moment of the force over d.
//
// The damper feels phi', not the relative angular velocity; both agree to first order in phi, and always for turns
// about one axis. Past |phi| = pi the rotation vector jumps to the other side: a bushing that turns half around is a
// joint in disguise.
//
// With full matrices and `free` this is also the field element of commercial codes, and a two-node beam.
#ifndef FLY_ELEMENT_BUSHING_H
#define FLY_ELEMENT_BUSHING_H

#include "element/force.h"

typedef struct fly_bushing {
  double stiffness[36]; // symmetric, row by row [N/m, N/rad; N, N m/rad]
  double damping[36];   // symmetric, likewise times seconds
  double free[6];       // x without force but the preload [m, rad]
  double preload[6];    // f there [N, N m]
} fly_bushing;

// Independent springs and dampers: diagonal matrices, free = 0.
fly_bushing fly_bushing_diagonal(const double stiffness[6], const double damping[6]);

void fly_bushing_displacement(double x[6], const fly_pair *p);
void fly_bushing_load(double f[6], const fly_pair *p, const fly_bushing *k); // f: against growing x
void fly_bushing_force(double Q[12], const fly_pair *p, const fly_bushing *k);
// K = dQ/dq and C = dQ/dv, 12 x 12, row by row
void fly_bushing_derivatives(double *K, double *C, const fly_pair *p, const fly_bushing *k);
double fly_bushing_energy(const fly_pair *p, const fly_bushing *k);
double fly_bushing_dissipation(const fly_pair *p, const fly_bushing *k);

// What it does, for a row of the list that is made otherwise (beam.c).
extern const fly_quantity fly_bushing_quantities[];
void fly_bushing_row_force(double *Q, const fly_force_at *at, const void *k);
void fly_bushing_row_derivatives(double *K, double *C, const fly_force_at *at, const void *k);
double fly_bushing_row_energy(const fly_force_at *at, const void *k);
double fly_bushing_row_dissipation(const fly_force_at *at, const void *k);
bool fly_bushing_row_damps(const void *k);
void fly_bushing_row_values(double *out, const fly_force_at *at, const void *k);
#define FLY_BUSHING_LAW                                                                                                \
  .size = sizeof(fly_bushing), .quantity = fly_bushing_quantities, .force = fly_bushing_row_force,                     \
  .derivatives = fly_bushing_row_derivatives, .energy = fly_bushing_row_energy,                                        \
  .dissipation = fly_bushing_row_dissipation, .damps = fly_bushing_row_damps, .values = fly_bushing_row_values

#endif
