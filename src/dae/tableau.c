// Damped methods of second order by their tableaus (FAMILY Remark 4.22 and Example 4.17 e), and their linear analysis.
// docs/theory/rivals.md; its labels (RV-...) stand in the code.
#include "dae/tableau.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

static double square(double x) { return x * x; }

// (RV-sdirk). a21 from the order condition: the printed fraction is 0/0 at rho = 1.
fly_tableau fly_tableau_sdirk(double rho) {
  const double root = sqrt(2 * (1 + rho)), gamma = 1 / (2 + root);
  const double b2 = 1.5 / (2 + 1 / (1 + rho) + 2 / root), a21 = (0.5 - gamma) / b2;
  return (fly_tableau){.stages = 2, .a = {{gamma, 0}, {a21, gamma}}, .b = {1 - b2, b2}, .c = {gamma, a21 + gamma}};
}

// (RV-blend): the Lobatto methods of two stages IIIA, IIIC and IIID, which share b and c.
fly_tableau fly_tableau_lobatto(double rho, double nu_a, bool printed) {
  const double nu_d = printed ? rho * (1 - 2 * nu_a) / (1 + rho) : 2 * rho * (1 - nu_a) / (1 + rho);
  const double nu_c = 1 - nu_a - nu_d, a11 = nu_c / 2 + nu_d / 4;
  return (fly_tableau){
      .stages = 2, .a = {{a11, -a11}, {(nu_a + nu_c) / 2 + 0.75 * nu_d, a11 + nu_a / 2}}, .b = {0.5, 0.5}, .c = {0, 1}};
}

// FAMILY (4.34), |R(i z0)| = (1 + rho)/2.
double fly_tableau_share(double rho, double z0) {
  const double eta1 = (3 * rho + 1) * z0 * z0, eta2 = (rho + 3) * z0 * z0;
  const double under = square(rho + 1) * eta2 * (2 * rho + z0 * z0 + 6) * (eta1 - 2 * square(rho - 1));
  return (eta1 * z0 * z0 + 4 * rho * eta2 - sqrt(under)) / (eta1 * z0 * z0 - square(rho - 1) * eta2);
}

// (RV-bdf)
fly_tableau fly_tableau_bdf_alpha(double rho) {
  const double alpha = -rho / (1 + rho), lead = 1.5 + alpha;
  return (fly_tableau){
      .stages = 1, .a = {{(1 + alpha) / lead}}, .b = {1}, .c = {1}, .u = -(0.5 + alpha) / lead, .w0 = -alpha / lead};
}

// (RV-first): the recursion of a eliminated over two steps.
fly_tableau fly_tableau_ch_first(double rho) {
  const double am = (3 * rho - 1) / (2 * (rho + 1)), af = rho / (rho + 1), gamma = 0.5 - am + af, lead = 1 - am;
  return (fly_tableau){.stages = 1,
                       .a = {{gamma * (1 - af) / lead}},
                       .b = {1},
                       .c = {1},
                       .u = am / lead,
                       .w0 = (gamma * af + (1 - gamma) * (1 - af)) / lead,
                       .w1 = (1 - gamma) * af / lead};
}

void fly_tableau_limit(double m[FLY_TABLEAU_STAGES + 1], const fly_tableau *t) {
  const double(*a)[FLY_TABLEAU_STAGES] = t->a, det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
  m[0] = t->stages == 1 ? 1 : (a[1][1] * t->b[0] - a[1][0] * t->b[1]) / det;
  m[1] = t->stages == 1 ? 0 : (a[0][0] * t->b[1] - a[0][1] * t->b[0]) / det;
  m[2] = 1 - m[0] - m[1];
}

// ------------------------------------------------------------------------------------------ linear analysis

static double complex complex_of(double re, double im) {
  double complex z;
  memcpy(&z, (double[2]){re, im}, sizeof z);
  return z;
}

// R(z) = det(1 - z A + z 1 b^T) / det(1 - z A), numerator and denominator divided by z^2 at infinity.
static double complex stability_function(const fly_tableau *t, double z) {
  double m[FLY_TABLEAU_STAGES + 1];
  if (isinf(z)) {
    fly_tableau_limit(m, t);
    return m[2];
  }
  const double trace = t->a[0][0] + t->a[1][1], det = t->a[0][0] * t->a[1][1] - t->a[0][1] * t->a[1][0];
  const double above =
      (t->a[0][0] - t->b[0]) * (t->a[1][1] - t->b[1]) - (t->a[0][1] - t->b[1]) * (t->a[1][0] - t->b[0]);
  return complex_of(1 - above * z * z, (1 - trace) * z) / complex_of(1 - det * z * z, -trace * z);
}

// (1 - a z) mu^2 - (1 - u + w0 z) mu - (u + w1 z) = 0 with the imaginary z: the larger root first.
static void multistep_roots(double complex root[2], const fly_tableau *t, double z) {
  const double one = isinf(z) ? 0 : 1, im = isinf(z) ? 1 : z;
  const double complex lead = complex_of(one, -t->a[0][0] * im), middle = complex_of(one * (1 - t->u), t->w0 * im),
                       last = complex_of(one * t->u, t->w1 * im);
  double complex under = middle * middle + 4 * lead * last;
  if (cabs(under) <= 16 * DBL_EPSILON * cabs(middle * middle)) // at infinity the roots of ch-first meet in one point
    under = 0;
  under = csqrt(under);
  const double complex sign = creal(conj(middle) * under) < 0 ? -1 : 1, q = (middle + sign * under) / 2;
  root[0] = q / lead;
  root[1] = q == 0 ? 0 : -last / q;
  if (cabs(root[1]) > cabs(root[0])) {
    const double complex swap = root[0];
    root[0] = root[1];
    root[1] = swap;
  }
}

double fly_tableau_roots(double real[2], double imag[2], const fly_tableau *t, double z) {
  double complex root[2] = {0, 0};
  if (t->stages == 1)
    multistep_roots(root, t, z);
  else
    root[0] = stability_function(t, z);
  for (int i = 0; i < 2; i++) {
    real[i] = creal(root[i]);
    imag[i] = cimag(root[i]);
  }
  return cabs(root[0]);
}
