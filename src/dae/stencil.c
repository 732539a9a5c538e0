// Derivatives of a curve's rows at its middle, by central differences of sixth order whose width follows what it sees:
// wide enough that rounding errors of the rows are divided by something, narrow enough that the rows look smooth.
// docs/theory/differences.md derives what is here.
#include <float.h>
#include <math.h>
#include <string.h>

#include "dae/eval.h"

enum { TRIES = 10 };
static const double NARROWEST = 1e-5;  // of the widest
static const double TOO_WIDE = 30.0;   // truncation over rounding, above which the width is halved at once,
static const double TOO_NARROW = 0.01; // and below which it is doubled for the next time

// F(k h) - F(-k h), or the sum less twice the middle, for k = 1, 2, 3, into e->pair.
static int sample(fly_eval *e, const fly_curve *c, double h, bool second) {
  int code = second ? c->rows(e, e->middle, 0.0, c) : 0;
  for (int k = 1; k <= FLY_PAIRS && code == 0; k++) {
    double *pair = e->pair[k - 1];
    code = c->rows(e, pair, k * h, c);
    if (code == 0)
      code = c->rows(e, e->opposite, -k * h, c);
    for (int i = 0; i < c->n && code == 0; i++)
      pair[i] = second ? (pair[i] - e->middle[i]) + (e->opposite[i] - e->middle[i]) : pair[i] - e->opposite[i];
  }
  return code;
}

typedef struct formulas {
  double of[3]; // of orders 2, 4, 6
} formulas;

static formulas first_derivative(double a, double b, double c, double h) {
  return (formulas){{a / (2 * h), (8 * a - b) / (12 * h), (45 * a - 9 * b + c) / (60 * h)}};
}

static formulas second_derivative(double a, double b, double c, double h) {
  return (formulas){{a / (h * h), (16 * a - b) / (12 * h * h), (270 * a - 27 * b + 2 * c) / (180 * h * h)}};
}

// The formulas' differences fall from order to order; the next one would be the error of the last (D-error).
static double truncation(const formulas *f) {
  const double low = fabs(f->of[1] - f->of[0]), high = fabs(f->of[2] - f->of[1]);
  return high < low ? high * (high / low) : high;
}

// out (n) from the pairs; returns the largest error of truncation in units of the rows.
static double combine(const fly_eval *e, const fly_curve *c, double h, bool second, double *out) {
  double worst = 0;
  for (int i = 0; i < c->n; i++) {
    const double a = e->pair[0][i], b = e->pair[1][i], d = e->pair[2][i];
    const formulas f = second ? second_derivative(a, b, d, h) : first_derivative(a, b, d, h);
    out[i] = f.of[2];
    worst = fmax(worst, truncation(&f) / e->row_unit[i]);
  }
  return worst;
}

// A multiple of what time is rounded to, so that t + k h is what it says.
static double exact_in_time(double t, double h) {
  int exponent;
  frexp(fabs(t) + 4 * h, &exponent);
  const double unit = ldexp(1.0, exponent - 53), rounded = unit * rint(h / unit);
  return rounded > 0 ? rounded : h;
}

int fly_curve_derive(fly_eval *e, const fly_curve *c, bool second, fly_width *width, double *out) {
  const bool fresh = width->share == 0;
  if (fresh)
    width->share = c->first_share;
  for (int k = 0;; k++) {
    const double h = exact_in_time(c->t, width->share * c->widest);
    const int code = sample(e, c, h, second);
    const bool last = k >= TRIES || width->share <= NARROWEST;
    if (code != 0 && (code < 0 || last))
      return code;
    const double cut = code == 0 ? combine(e, c, h, second, out) : (double)INFINITY;
    const double rounding = c->rounding * (second ? 6 / (h * h) : 1.5 / h);
    const bool narrow = cut < TOO_NARROW * rounding && width->share < 1;
    width->error = cut + rounding;
    if (narrow)
      width->share = fmin(2 * width->share, 1.0);
    if (last || (cut <= TOO_WIDE * rounding && !(fresh && narrow)))
      return 0;
    if (!narrow)
      width->share *= 0.5;
  }
}
