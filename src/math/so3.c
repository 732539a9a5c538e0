#include "math/so3.h"

#include <math.h>
#include <string.h>

#include "base/quad.h"
#include "base/wide.h"

INLINED void multiply(double out[4], const double a[4], const double b[4]) {
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

void fly_quat_multiply(double out[4], const double a[4], const double b[4]) { multiply(out, a, b); }

// A zero quaternion gives NaN: no rotation is a better answer than another.
void fly_quat_normalize(double p[4]) {
  double norm = sqrt(p[0] * p[0] + fly_dot3(p + 1, p + 1));
  for (int i = 0; i < 4; i++)
    p[i] /= norm;
}

// ---------------------------------------------------------------------------------- functions of the angle
// All are even entire functions (but the last), written in z = t^2. Below t = 1 the ones that cancel are summed as
// series, whose next term there is below 1e-17 of the first; above it the closed form loses less than three bits.

static double horner(const double *c, int n, double z) {
  double sum = c[n - 1];
  for (int k = n - 2; k >= 0; k--)
    sum = c[k] + z * sum;
  return sum;
}

// sin(t)/t and cos(t): sums of (-z)^k / (2k+1)! and (-z)^k / (2k)!. Steps turn bodies by small angles, where the series
// cost less than the library's functions; what they leave out is below 1e-18 for z < SMALL.
static const double SMALL = 0.1;

static double sinc(double z) {
  static const double c[] = {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.};
  double t = sqrt(z);
  return z < SMALL ? horner(c, (int)(sizeof c / sizeof c[0]), z) : sin(t) / t;
}

static double cosine(double z) {
  static const double c[] = {1.0,         -1.0 / 2,       1.0 / 24,         -1.0 / 720,
                             1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600., -1.0 / 87178291200.};
  return z < SMALL ? horner(c, (int)(sizeof c / sizeof c[0]), z) : cos(sqrt(z));
}

// (t - sin t)/t^3 = sum (-z)^k / (2k+3)!
static double sine_defect(double z) {
  static const double c[] = {1.0 / 6,
                             -1.0 / 120,
                             1.0 / 5040,
                             -1.0 / 362880,
                             1.0 / 39916800,
                             -1.0 / 6227020800.,
                             1.0 / 1307674368000.,
                             -1.0 / 355687428096000.,
                             1.0 / 121645100408832000.};
  double t = sqrt(z);
  return z < 1 ? horner(c, (int)(sizeof c / sizeof c[0]), z) : (t - sin(t)) / (t * z);
}

// (sin t - t cos t)/t^3 = sum (-z)^k (2k+2)/(2k+3)!
static double cosine_defect(double z) {
  static const double c[] = {2.0 / 6,
                             -4.0 / 120,
                             6.0 / 5040,
                             -8.0 / 362880,
                             10.0 / 39916800,
                             -12.0 / 6227020800.,
                             14.0 / 1307674368000.,
                             -16.0 / 355687428096000.,
                             18.0 / 121645100408832000.};
  double t = sqrt(z);
  return z < 1 ? horner(c, (int)(sizeof c / sizeof c[0]), z) : (sin(t) - t * cos(t)) / (t * z);
}

// d/dz of (1 - cos t)/t^2: sum (-1)^k k z^(k-1) / (2k+2)!
static double cosine_share_slope(double z) {
  static const double c[] = {-1.0 / 24,
                             2.0 / 720,
                             -3.0 / 40320,
                             4.0 / 3628800,
                             -5.0 / 479001600.,
                             6.0 / 87178291200.,
                             -7.0 / 20922789888000.,
                             8.0 / 6402373705728000.,
                             -9.0 / 2432902008176640000.};
  double t = sqrt(z);
  return z < 1 ? horner(c, (int)(sizeof c / sizeof c[0]), z) : (t * sin(t) - 2 * (1 - cos(t))) / (2 * z * z);
}

// d/dz of (t - sin t)/t^3: sum (-1)^k k z^(k-1) / (2k+3)!
static double sine_defect_slope(double z) {
  static const double c[] = {-1.0 / 120,
                             2.0 / 5040,
                             -3.0 / 362880,
                             4.0 / 39916800.,
                             -5.0 / 6227020800.,
                             6.0 / 1307674368000.,
                             -7.0 / 355687428096000.,
                             8.0 / 121645100408832000.,
                             -9.0 / 51090942171709440000.};
  double t = sqrt(z);
  return z < 1 ? horner(c, (int)(sizeof c / sizeof c[0]), z) : (3 * sin(t) - t * cos(t) - 2 * t) / (2 * z * z * t);
}

// ---------------------------------------------------------------------------------- exponential and logarithm

// sinc and cosine of a small z, term by term side by side.
INLINED void small_series(duo *sum, double z) {
  static const double c[][2] = {{1.0, 1.0},
                                {-1.0 / 6, -1.0 / 2},
                                {1.0 / 120, 1.0 / 24},
                                {-1.0 / 5040, -1.0 / 720},
                                {1.0 / 362880, 1.0 / 40320},
                                {-1.0 / 39916800, -1.0 / 3628800},
                                {1.0 / 6227020800., 1.0 / 479001600.},
                                {0, -1.0 / 87178291200.}};
  *sum = *(const duo *)c[7];
#pragma GCC unroll 7
  for (int k = 6; k >= 0; k--)
    *sum = *(const duo *)c[k] + z * *sum;
}

// exp(theta) = (cos t/2, sin(t/2)/t theta)
INLINED void exponential(double out[4], const double theta[3]) {
  const double z = fly_dot3(theta, theta) / 4;
  duo both;
  if (z < SMALL)
    small_series(&both, z);
  else
    both = (duo){sinc(z), cosine(z)};
  const double s = both[0] / 2;
  out[0] = both[1];
  for (int i = 0; i < 3; i++)
    out[i + 1] = s * theta[i];
}

void fly_quat_exp(double out[4], const double theta[3]) { exponential(out, theta); }

// theta = 2 atan2(n, w)/n u for p = (w, u), n = |u|. p and -p turn alike: the one with w >= 0 has |theta| <= pi.
// Holds for any length of p.
void fly_quat_log(double theta[3], const double p[4]) {
  double sign = p[0] < 0 ? -1 : 1;
  double w = sign * p[0], n2 = fly_dot3(p + 1, p + 1), n = sqrt(n2);
  double s = n2 < 1e-8 * w * w ? (1 - n2 / (3 * w * w)) / w : atan2(n, w) / n;
  for (int i = 0; i < 3; i++)
    theta[i] = 2 * sign * s * p[i + 1];
}

INLINED void plus(double out[4], const double p[4], const double theta[3]) {
  double e[4], moved[4];
  exponential(e, theta);
  multiply(moved, p, e);
  for (int i = 0; i < 4; i++)
    out[i] = moved[i];
}

void fly_quat_plus(double out[4], const double p[4], const double theta[3]) { plus(out, p, theta); }

FLY_WIDE void fly_quats_plus(double *q1, const double *q0, const double *delta, int n, const int *q, const int *v) {
  for (int k = 0; k < n; k++)
    plus(q1 + q[k], q0 + q[k], delta + v[k]);
}

// R u = u + 2 w (a x u) + 2 a x (a x u) for p = (w, a)
void fly_quat_rotate(double out[3], const double p[4], const double u[3]) {
  double c[3], cc[3];
  fly_cross(c, p + 1, u);
  fly_cross(cc, p + 1, c);
  for (int i = 0; i < 3; i++)
    out[i] = u[i] + 2 * (p[0] * c[i] + cc[i]);
}

// ---------------------------------------------------------------------------------- matrices

// A = 1 + alpha [u] + beta [u]^2, row by row: the shape of every matrix here.
static void skew_polynomial(double A[9], double alpha, double beta, const double u[3]) {
  double x = u[0], y = u[1], z = u[2];
  A[0] = 1 - beta * (y * y + z * z);
  A[1] = beta * x * y - alpha * z;
  A[2] = beta * x * z + alpha * y;
  A[3] = beta * x * y + alpha * z;
  A[4] = 1 - beta * (x * x + z * z);
  A[5] = beta * y * z - alpha * x;
  A[6] = beta * x * z - alpha * y;
  A[7] = beta * y * z + alpha * x;
  A[8] = 1 - beta * (x * x + y * y);
}

void fly_quat_matrix(double R[9], const double p[4]) { skew_polynomial(R, 2 * p[0], 2, p + 1); }

// (1 - cos t)/t^2 = sinc(t/2)^2 / 2: squares do not cancel.
void fly_so3_tangent(double T[9], const double theta[3]) {
  double z = fly_dot3(theta, theta), s = sinc(z / 4);
  skew_polynomial(T, -s * s / 2, sine_defect(z), theta);
}

void fly_quat_of_matrix(double p[4], const double R[9]) {
  // the largest of the four is found first, the others follow without cancellation
  double trace = R[0] + R[4] + R[8], s[4] = {trace, 2 * R[0] - trace, 2 * R[4] - trace, 2 * R[8] - trace};
  int big = 0;
  for (int k = 1; k < 4; k++)
    if (s[k] > s[big])
      big = k;
  double e = sqrt(1 + s[big]) / 2, f = 1 / (4 * e);
  double d[3] = {(R[7] - R[5]) * f, (R[2] - R[6]) * f, (R[3] - R[1]) * f};
  double m[3] = {(R[5] + R[7]) * f, (R[2] + R[6]) * f, (R[1] + R[3]) * f}; // yz, xz, xy
  if (big == 0)
    memcpy(p, (double[4]){e, d[0], d[1], d[2]}, 4 * sizeof *p);
  else if (big == 1)
    memcpy(p, (double[4]){d[0], e, m[2], m[1]}, 4 * sizeof *p);
  else if (big == 2)
    memcpy(p, (double[4]){d[1], m[2], e, m[0]}, 4 * sizeof *p);
  else
    memcpy(p, (double[4]){d[2], m[1], m[0], e}, 4 * sizeof *p);
  fly_quat_normalize(p);
}

// T^-1 = 1 + [theta]/2 + (1 - x cot x)/t^2 [theta]^2 with x = t/2, and
// (1 - x cot x)/(4 x^2) = ((sin x - x cos x)/x^3) / (4 sinc x). No inverse at t = 2 pi.
void fly_so3_tangent_inverse(double Ti[9], const double theta[3]) {
  double z = fly_dot3(theta, theta) / 4;
  skew_polynomial(Ti, 0.5, cosine_defect(z) / (4 * sinc(z)), theta);
}

// T u = u - b theta x u + c theta x (theta x u), b = (1-cos t)/t^2, c = (t-sin t)/t^3, and theta' x u = 0.
void fly_so3_tangent_rate(double out[3], const double theta[3], const double u[3]) {
  double z = fly_dot3(theta, theta), rate = 2 * fly_dot3(theta, u), cross[3], twice[3], back[3];
  double b = cosine_share_slope(z) * rate, c = sine_defect_slope(z) * rate, c0 = sine_defect(z);
  fly_cross(cross, theta, u);
  fly_cross(twice, theta, cross);
  fly_cross(back, u, cross);
  for (int i = 0; i < 3; i++)
    out[i] = -b * cross[i] + c * twice[i] + c0 * back[i];
}

// v/|v|; false: it has no length.
static bool normalize(double v[3]) {
  const double length = hypot(hypot(v[0], v[1]), v[2]);
  for (int k = 0; k < 3; k++)
    v[k] /= length;
  return length > 0;
}

bool fly_axes_from_z(double A[9], const double z[3]) {
  const double up[3] = {0, 0, 1}, right[3] = {1, 0, 0};
  double x[3], y[3], e[3] = {z[0], z[1], z[2]};
  if (!normalize(e))
    return false;
  if (fabs(e[2]) > 0.9)
    fly_cross(y, e, right);
  else
    fly_cross(y, up, e);
  normalize(y);
  fly_cross(x, y, e);
  fly_columns3(A, x, y, e);
  return true;
}
