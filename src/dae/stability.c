// Linear stability of the Newmark family on q'' + omega^2 q = 0, z = h omega (FAMILY 4.2.1).
//
// The roots mu of the amplification matrix (FAMILY 4.16) solve
//   P_af (P_g + P_1 P_b) z^2 + P_1^2 P_am = 0.
// With d = mu - 1, F = 1 - alpha_f, A = 1 - alpha_m, G = gamma + 1/2 this is
//   p(d) = u (1 + F d) Q(d) + w d^2 (1 + A d) = 0,  Q(d) = 1 + G d + beta d^2,  u : w = z^2 : 1.
// d, not mu, keeps the digits of the double root 1 at z = 0. At infinity the roots of CH meet in one point; there the
// factors, not the coefficients, keep the digits, so p is never multiplied out.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "flyball/dae.h"

// CMPLX is missing where the compiler is not gcc. A complex number is laid out as its two parts.
static double complex complex_of(double re, double im) {
  double complex z;
  memcpy(&z, (double[2]){re, im}, sizeof z);
  return z;
}

static const double condition_slack = 1e-12; // rounding that a condition forgives

typedef struct characteristic {
  double F, A, G, beta; // as above
  double u, w;          // weights of the two terms, the larger is 1
  double centre, rest;  // Q = beta (d - centre)^2 + rest, if beta != 0
} characteristic;

// rest = 1 - G^2/(4 beta) vanishes for the optimal beta, where rounding alone would split the double root by 1e-8.
static characteristic characteristic_at(const fly_newmark *m, double z) {
  characteristic c = {.F = 1.0 - m->alpha_f, .A = 1.0 - m->alpha_m, .G = m->gamma + 0.5, .beta = m->beta};
  c.u = z < 1.0 ? z * z : 1.0;
  c.w = z < 1.0 ? 1.0 : 1.0 / (z * z);
  if (c.beta != 0.0) {
    c.centre = -c.G / (2.0 * c.beta);
    c.rest = 1.0 + 0.5 * c.G * c.centre;
    if (fabs(c.rest) <= 8.0 * DBL_EPSILON)
      c.rest = 0.0;
  }
  return c;
}

static double complex quadratic(const characteristic *c, double complex d) {
  return c->beta == 0.0 ? 1.0 + c->G * d : c->beta * (d - c->centre) * (d - c->centre) + c->rest;
}

static double complex quadratic_slope(const characteristic *c, double complex d) {
  return c->beta == 0.0 ? c->G : 2.0 * c->beta * (d - c->centre);
}

// Newton's correction p/p'; 0 where nothing is left to correct.
static double complex newton_correction(const characteristic *c, double complex d) {
  const double complex at_infinity = 1.0 + c->F * d, at_zero = 1.0 + c->A * d, q = quadratic(c, d);
  const double complex p = c->u * at_infinity * q + c->w * d * d * at_zero;
  const double complex slope =
      c->u * (c->F * q + at_infinity * quadratic_slope(c, d)) + c->w * d * (2.0 * at_zero + c->A * d);
  return p == 0.0 || slope == 0.0 ? 0.0 : p / slope;
}

// Coefficients of p, ascending: for the degree and the size of the roots only.
static int degree_and_bound(const characteristic *c, double *bound) {
  const double a[4] = {c->u, c->u * (c->F + c->G), c->u * (c->beta + c->F * c->G) + c->w,
                       c->u * c->F * c->beta + c->w * c->A};
  int n = 3;
  while (n > 0 && fabs(a[n]) <= DBL_MIN)
    n--;
  *bound = 0.0;
  for (int i = 0; i < n; i++)
    *bound = fmax(*bound, 2.0 * pow(fabs(a[i] / a[n]), 1.0 / (n - i)));
  return n;
}

// One round of Aberth's iteration over n roots; returns the largest relative correction.
static double aberth_round(const characteristic *c, double complex d[], int n) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    const double complex newton = newton_correction(c, d[i]);
    double complex repulsion = 0.0;
    for (int j = 0; j < n; j++)
      if (d[j] != d[i])
        repulsion += 1.0 / (d[i] - d[j]);
    const double complex step = newton / (1.0 - newton * repulsion);
    if (!isfinite(creal(step)) || !isfinite(cimag(step)))
      continue;
    d[i] -= step;
    largest = fmax(largest, cabs(step) / fmax(cabs(d[i]), DBL_MIN));
  }
  return largest;
}

// All finite roots d of p; returns their number.
static int solve(double complex d[3], const characteristic *c) {
  enum { MAX_ROUNDS = 200 };
  double bound = 0.0;
  const int n = degree_and_bound(c, &bound);
  for (int i = 0; i < n; i++)
    d[i] = bound * cexp(complex_of(0.0, 0.5 + 2.0 * i)); // no symmetry that the iteration could get caught in
  for (int round = 0; round < MAX_ROUNDS; round++)
    if (aberth_round(c, d, n) <= 2.0 * DBL_EPSILON)
      break;
  return n;
}

static void swap(double complex *a, double complex *b) {
  const double complex t = *a;
  *a = *b;
  *b = t;
}

// Two roots of a real polynomial: real, or conjugate to the last bit, the upper one first.
static void make_pair(double complex *a, double complex *b) {
  const double re = 0.5 * (creal(*a) + creal(*b)), im = 0.5 * fabs(cimag(*a) - cimag(*b));
  if (im <= fabs(creal(*a) - creal(*b))) {
    *a = creal(*a);
    *b = creal(*b);
  } else {
    *a = complex_of(re, im);
    *b = complex_of(re, -im);
  }
}

// The most nearly real root last and really real; the other two a pair; three real ones by size.
static void order_roots(double complex mu[3]) {
  for (int i = 0; i < 2; i++)
    if (fabs(cimag(mu[i])) < fabs(cimag(mu[2])))
      swap(&mu[i], &mu[2]);
  mu[2] = creal(mu[2]);
  make_pair(&mu[0], &mu[1]);
  if (cimag(mu[0]) != 0.0)
    return;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2 - i; j++)
      if (cabs(mu[j]) < cabs(mu[j + 1]))
        swap(&mu[j], &mu[j + 1]);
}

// mu_3 = -alpha/(1-alpha): beside the double 1 at z = 0 (alpha_m), and at infinity (alpha_f).
static double spurious(double alpha) { return alpha == 1.0 ? (double)INFINITY : -alpha / (1.0 - alpha); }

static void roots_at_zero(double complex mu[3], const fly_newmark *m) {
  mu[0] = mu[1] = 1.0;
  mu[2] = spurious(m->alpha_m);
}

// P_af (P_g + P_1 P_b) = 0 (FAMILY 4.23).
static void roots_at_infinity(double complex mu[3], const fly_newmark *m) {
  const characteristic c = characteristic_at(m, INFINITY);
  mu[2] = spurious(m->alpha_f);
  if (c.beta == 0.0) {
    mu[0] = INFINITY;
    mu[1] = c.G == 0.0 ? (double)INFINITY : 1.0 - 1.0 / c.G;
  } else {
    const double half = sqrt(fabs(c.rest / c.beta));
    mu[0] = c.rest / c.beta > 0.0 ? complex_of(1.0 + c.centre, half) : complex_of(1.0 + c.centre - half, 0.0);
    mu[1] = c.rest / c.beta > 0.0 ? complex_of(1.0 + c.centre, -half) : complex_of(1.0 + c.centre + half, 0.0);
  }
}

static void roots_between(double complex mu[3], const fly_newmark *m, double z) {
  const characteristic c = characteristic_at(m, z);
  double complex d[3];
  const int n = solve(d, &c);
  for (int i = 0; i < 3; i++)
    mu[i] = i < n ? 1.0 + d[i] : (double)INFINITY;
  if (n == 3)
    order_roots(mu);
  else if (n == 2)
    make_pair(&mu[0], &mu[1]);
}

double fly_newmark_roots(double real[3], double imag[3], const fly_newmark *method, double z) {
  double complex mu[3];
  if (!real || !imag || !method)
    return NAN;
  if (z == 0.0)
    roots_at_zero(mu, method);
  else if (z * z > DBL_MAX)
    roots_at_infinity(mu, method);
  else
    roots_between(mu, method, fabs(z));
  double radius = 0.0;
  for (int i = 0; i < 3; i++) {
    real[i] = creal(mu[i]);
    imag[i] = cimag(mu[i]);
    radius = fmax(radius, cabs(mu[i]));
  }
  return radius;
}

static bool at_least(double x, double bound) { return x >= bound - condition_slack; }

static bool near(double x, double y) { return fabs(x - y) <= condition_slack; }

// As a partitioned two-step method (FAMILY 4.6), for positions and for velocities: order 3 is FAMILY 4.25.
static int order_of(const fly_newmark *m) {
  if (!isfinite(m->alpha_m) || !isfinite(m->alpha_f) || !isfinite(m->beta) || !isfinite(m->gamma))
    return 0;
  const double lag = m->alpha_f - m->alpha_m;
  if (!near(m->gamma, 0.5 + lag))
    return 1;
  return near(m->beta, 1.0 / 6.0 + 0.5 * lag) && near(lag * (12.0 * m->alpha_f - 6.0), 1.0) ? 3 : 2;
}

// Appends a sentence to the violated conditions.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(fly_stability *s, const char *format, ...) {
  size_t used = strlen(s->violated);
  if (used > 0 && used + 1 < sizeof s->violated) {
    s->violated[used++] = ' ';
    s->violated[used] = 0;
  }
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(s->violated + used, sizeof s->violated - used, format, arguments);
  va_end(arguments);
}

static void name_violated(fly_stability *s, const fly_newmark *m) {
  const double gamma_two = 0.5 - m->alpha_m + m->alpha_f;
  if (!s->zero_stable)
    say(s, "Zero-stability needs alpha_m <= 1/2, here %.9g (or alpha_m = alpha_f).", m->alpha_m);
  if (!at_least(0.5, m->alpha_f))
    say(s, "Stability at infinity needs alpha_f <= 1/2, here %.9g.", m->alpha_f);
  if (!at_least(m->gamma, 0.5))
    say(s, "Stability at infinity needs gamma >= 1/2, here %.9g.", m->gamma);
  if (!at_least(m->beta, 0.5 * m->gamma))
    say(s, "Stability at infinity needs beta >= gamma/2 = %.9g, here %.9g.", 0.5 * m->gamma, m->beta);
  if (s->order < 2)
    say(s, "Order 2 needs gamma = 1/2 - alpha_m + alpha_f = %.9g, here %.9g%s.", gamma_two, m->gamma,
        at_least(m->gamma, gamma_two) ? "" : ", which is less: unstable for some steps");
}

fly_stability fly_newmark_stability(const fly_newmark *method) {
  const fly_newmark *m = method;
  if (!m)
    return (fly_stability){.spurious_zero = NAN, .rho_infinity = NAN, .violated = "no method was given"};
  double real[3], imag[3];
  fly_stability s = {.order = order_of(m)};
  s.spurious_zero = fabs(spurious(m->alpha_m));
  s.rho_infinity = fly_newmark_roots(real, imag, m, INFINITY);
  s.zero_stable = at_least(0.5, m->alpha_m) || near(m->alpha_m, m->alpha_f);
  s.stable_at_infinity = at_least(0.5, m->alpha_f) && at_least(m->gamma, 0.5) && at_least(m->beta, 0.5 * m->gamma);
  s.strictly_at_infinity = !at_least(m->alpha_f, 0.5) && !at_least(0.5, m->gamma) && !at_least(0.5 * m->gamma, m->beta);
  s.unconditional = s.zero_stable && s.stable_at_infinity && at_least(m->gamma, 0.5 - m->alpha_m + m->alpha_f);
  name_violated(&s, m);
  return s;
}
