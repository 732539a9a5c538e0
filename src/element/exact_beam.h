// A beam element for turns of any size, by the logarithm of the motion from one end to the other
// (docs/theory/beams.md).
//
//   (d, phi): marker j against marker i (relative.h)
//   x = (u, phi),   u = P d,   P = T(phi)^-T = 1 - [phi]/2 + b [phi]^2
//
// is the screw, of length 1, that takes the section at i to that at j: along it strains are the same everywhere, and a
// moment alone bends the element into an arc exactly. u/L are stretch and shear, phi/L twist and curvature. Where the
// line leans against the sections by u_y, u_z it bows, and is longer than u_x:
//
//   e = u_x + (b_y u_y^2 + b_z u_z^2)/2,   b L = 1 - s^2 + (1 - s)^2/5,   s: the part of the lean that is shear
//
// With strains x = (e, u_y, u_z, phi) and k = diag(EA, GA_y, GA_z, GJ, EI_y, EI_z)/L the energy and what is turned into
// heat are
//
//   E = (x - free) . k (x - free)/2,   D = x' . c x',   u' = P d' + dP/dphi d phi'
//
// and 1/GA_y = a_y/(G A) + L^2/(12 E I_z): where turns are small it is the beam of Euler, Bernoulli and Timoshenko,
// exact for loads at the ends.
#ifndef FLY_ELEMENT_EXACT_BEAM_H
#define FLY_ELEMENT_EXACT_BEAM_H

#include "element/force.h"

typedef struct fly_exact_beam {
  double stiffness[6]; // k [N/m, N m/rad]
  double damping[6];   // c, times seconds
  double bowing[2];    // b_y, b_z [1/m]
  double free[6];      // strains without load [m, rad]
} fly_exact_beam;

// k and b of a beam of length L from its rigidities EA, GA_y, GA_z (0: rigid in shear), GJ, EI_y, EI_z.
void fly_exact_beam_stiffness(fly_exact_beam *k, const double rigidity[6], double L);

void fly_exact_beam_screw(double x[6], const fly_pair *p);                         // (u, phi)
void fly_exact_beam_load(double f[6], const fly_pair *p, const fly_exact_beam *k); // against growing strains
void fly_exact_beam_force(double Q[12], const fly_pair *p, const fly_exact_beam *k);
void fly_exact_beam_derivatives(double *K, double *C, const fly_pair *p, const fly_exact_beam *k); // 12 x 12
double fly_exact_beam_energy(const fly_pair *p, const fly_exact_beam *k);
double fly_exact_beam_dissipation(const fly_pair *p, const fly_exact_beam *k);

#endif
