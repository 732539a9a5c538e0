// Rotations: unit quaternions p = (w,x,y,z) from body to space, rotation vectors in body axes. Pure functions.
// docs/theory/rotations.md gives the formulas.
#ifndef FLY_MATH_SO3_H
#define FLY_MATH_SO3_H

#include <stdbool.h>

// out may not alias.
static inline double fly_dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void fly_cross(double out[3], const double a[3], const double b[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

void fly_quat_multiply(double out[4], const double a[4], const double b[4]); // out may not alias
void fly_quat_normalize(double p[4]);
void fly_quat_exp(double out[4], const double theta[3]);                     // unit quaternion of exp(theta)
void fly_quat_log(double theta[3], const double p[4]);                       // |theta| <= pi
void fly_quat_plus(double out[4], const double p[4], const double theta[3]); // p * exp(theta); out may alias p
// The same of n of them, at q[k] in q1 and q0, by the theta at v[k] in delta.
void fly_quats_plus(double *q1, const double *q0, const double *delta, int n, const int *q, const int *v);
void fly_quat_rotate(double out[3], const double p[4], const double u[3]); // R(p) u; out may not alias
void fly_quat_matrix(double R[9], const double p[4]);                      // row by row
void fly_quat_of_matrix(double p[4], const double R[9]);                   // its inverse, up to sign

// Tangent of the exponential in body axes: exp(theta)^-1 d exp(theta) = T(theta) dtheta, row by row. T(0) = 1;
// T = I - (1-cos)/t^2 [theta] + (t-sin)/t^3 [theta]^2, t = |theta|; series near 0.
void fly_so3_tangent(double T[9], const double theta[3]);
void fly_so3_tangent_inverse(double Ti[9], const double theta[3]);
// (dT(theta)/dt) u while theta' = u, so that (T u)' = T u' + this.
void fly_so3_tangent_rate(double out[3], const double theta[3], const double u[3]);

// The matrix (row by row) whose columns these are.
static inline void fly_columns3(double A[9], const double x[3], const double y[3], const double z[3]) {
  for (int k = 0; k < 3; k++) {
    A[3 * k] = x[k];
    A[3 * k + 1] = y[k];
    A[3 * k + 2] = z[k];
  }
}

// Axes (columns) with the given z; the second is kept level, or along y where z is steep, so that in a plane one of x,
// y is its normal. False: z has no length.
bool fly_axes_from_z(double A[9], const double z[3]);

#endif
