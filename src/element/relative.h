// What marker j is against marker i, for elements that feel it: bushings and beams.
//
//   x = (d, phi)   d:   displacement of the point of j from the point of i, in axes of marker i
//                  phi: rotation vector of marker j against marker i, exp(phi) = A_i^T R_i^T R_j A_j, |phi| < pi
//   x' = X v,      X = dx/dq,    Z = dx'/dq
//
// A law f(x, x') gives Q = -X^T f, K = -X^T (df/dx X + df/dx' Z) - d(X^T f)/dq at fixed f, C = -X^T df/dx' X. So
// virtual work is exact for any displacement, and rigid motions of both markers load nothing.
#ifndef FLY_ELEMENT_RELATIVE_H
#define FLY_ELEMENT_RELATIVE_H

#include "element/frame.h"

// a = R_i^T (p_j - r_i) and N = R_i^T R_j are what is seen from body i; n = N^T w_i.
//   d = A_i^T (a - s_i)              a' = u - w_i x a,  u = R_i^T (v_pj - v_i)
//   exp(phi) = A_i^T N A_j           phi' = T^-1 omega, omega = A_j^T (w_j - n)
typedef struct fly_relative {
  const fly_kinematics *bi, *bj;
  const double *Ai, *Aj, *sj; // of the markers
  double a[3], N[9], Ti[9];
  double u[3], n[3], omega[3];
  double x[6], xdot[6];
} fly_relative;

void fly_relative_look(fly_relative *w, const fly_pair *p);  // x
void fly_relative_watch(fly_relative *w, const fly_pair *p); // and x'

// A load against growing x, and its derivatives (6 x 6, row by row).
typedef struct fly_relative_law {
  const double *f, *by_x, *by_xdot;
} fly_relative_law;

void fly_relative_force(double Q[12], const fly_relative *w, const double f[6]);
void fly_relative_derivatives(double *K, double *C, const fly_relative *w, const fly_relative_law *law); // 12 x 12

void fly_six_times(double y[6], const double A[36], const double x[6]); // y += A x
double fly_six_form(const double A[36], const double x[6]);             // x . A x

// T^-1 = 1 + [phi]/2 + b [phi]^2 (docs/theory/rotations.md): b, db/dz and d2b/dz2 for z = phi . phi.
void fly_inverse_tangent(double b[3], double z);
// d(T^-1 u)/dphi for side 1, d(T^-T u)/dphi for side -1
void fly_inverse_tangent_slope(double D[9], const double phi[3], const double b[3], double side, const double u[3]);

#endif
