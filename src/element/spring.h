// Spring-dampers along one coordinate s of a pair; between two points it is their distance.
//
//   Q = -F G^T     F = k (s - s0) + c s' + preload,   G = ds/dq,   s' = G v
//   K = -G^T (k G + c Z) - F H                         H = d(G^T)/dq,   Z = d(G v)/dq = v^T H
//   C = -c G^T G
//
// Q (12) are generalized forces in the columns of the pair: forces in space, torques in body axes, so that Q . v is
// their power. K = dQ/dq and C = dQ/dv (12 x 12, row by row). Q, K and C are overwritten.
#ifndef FLY_ELEMENT_SPRING_H
#define FLY_ELEMENT_SPRING_H

#include "element/frame.h"

// ------------------------------------------------------------------------------------------ along any coordinate

// F given, whatever its law: positive F pulls s back.
void fly_coordinate_force(double Q[12], double F, const double G[12]);
// F depends on s and s': k = dF/ds, c = dF/ds'. v (12) are the velocities of the pair, H the curvature of s, as
// primitives give it with lambda = 1.
void fly_coordinate_derivatives(double *K, double *C, double F, double k, double c, const double v[12],
                                const double G[12], const double H[144]);

double fly_coordinate_rate(const double G[12], const double v[12]); // s' = G v
// As a load of one component f, which lets s grow: P (18 x 6) of a triple whose first two markers are the pair, and
// H += f times the curvature (18 x 18).
void fly_coordinate_matrix(double *P, const double G[12]);
void fly_coordinate_curvature(double *H, double f, const double K[144]);

// ------------------------------------------------------------------------------------------ between two points

// The length l of the pair: value, Jacobian (12) and curvature (12 x 12); G and H may be NULL.
//
// The direction of a spring without length is undefined. l = sqrt(|p_j - p_i|^2 + tiny^2) is smooth instead, with
// tiny = FLY_LENGTH_TINY, far below what rounding leaves of any real length: where the points meet, l = tiny, G = 0,
// hence no force, and K is finite: of the order of (F / tiny). Energy and derivatives stay consistent.
double fly_length(double *G, double *H, const fly_pair *p);

#define FLY_LENGTH_TINY 1e-12 // [m]

typedef struct fly_spring {
  double stiffness;   // k [N/m]
  double damping;     // c [N s/m]
  double free_length; // l0 [m]
  double preload;     // [N], pulling the ends together
} fly_spring;

void fly_spring_force(double Q[12], const fly_pair *p, const fly_spring *k);
void fly_spring_derivatives(double *K, double *C, const fly_pair *p, const fly_spring *k);
double fly_spring_tension(const fly_pair *p, const fly_spring *k);     // F
double fly_spring_energy(const fly_pair *p, const fly_spring *k);      // k (l - l0)^2 / 2 + preload (l - l0)
double fly_spring_dissipation(const fly_pair *p, const fly_spring *k); // c l'^2: power turned into heat

#endif
