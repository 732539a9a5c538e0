// Derivatives of a curve's rows at its middle, by central differences of sixth order whose width follows what it sees:
// wide enough that rounding errors of the rows are divided by something, narrow enough that the rows look smooth.
// docs/theory/control.md, section 13 derives what is here.
#include <float.h>
#include <math.h>
#include <string.h>

#include "dae/eval.h"

enum { TRIES = 10 };
static const double NARROWEST = 1e-5;  // of the widest
static const double TOO_WIDE = 30.0;   // truncation over rounding, above which the width is halved at once,
static const double TOO_NARROW = 0.01; // and below which it is doubled for the next time

// F(k h) - F(-k h), or the sum less twice the middle, for k = 1, 2, 3, into e->pair. Into e->missed how much the middle
// is off a polynomial through the first two pairs, and through all three.
static int sample(fly_eval *e, const fly_curve *c, double h, bool second) {
  static const double four[] = {-4.0 / 6, 1.0 / 6, 0}, six[] = {-0.75, 0.3, -0.05};
  int code = c->rows(e, e->middle, 0.0, c);
  for (int j = 0; j < 2 && code == 0; j++)
    memset(e->missed[j], 0, (size_t)c->n * sizeof(double));
  for (int k = 0; k < FLY_PAIRS && code == 0; k++) {
    double *pair = e->pair[k];
    code = c->rows(e, pair, (k + 1) * h, c);
    if (code == 0)
      code = c->rows(e, e->opposite, -(k + 1) * h, c);
    for (int i = 0; i < c->n && code == 0; i++) {
      const double sum = (pair[i] - e->middle[i]) + (e->opposite[i] - e->middle[i]);
      pair[i] = second ? sum : pair[i] - e->opposite[i];
      e->missed[0][i] += four[k] * sum;
      e->missed[1][i] += six[k] * sum;
    }
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

// What is left falls by the same factor from order to order; the next would be the error of the last (D-error).
static double next_of(double low, double high) {
  return fabs(high) < fabs(low) ? fabs(high * (high / low)) : fabs(high);
}

// out (n) from the pairs; returns the largest error of truncation in units of the rows. A middle that the pairs do not
// see, inside a pulse narrower than they are, counts as well.
static double combine(const fly_eval *e, const fly_curve *c, double h, bool second, double *out) {
  const double times = second ? 1 / (h * h) : 1 / h;
  double worst = 0;
  for (int i = 0; i < c->n; i++) {
    const double a = e->pair[0][i], b = e->pair[1][i], d = e->pair[2][i];
    const formulas f = second ? second_derivative(a, b, d, h) : first_derivative(a, b, d, h);
    out[i] = f.of[2];
    const double cut = next_of(f.of[1] - f.of[0], f.of[2] - f.of[1]);
    const double hidden = next_of(e->missed[0][i], e->missed[1][i]) * times;
    worst = fmax(worst, fmax(cut, hidden) / e->row_unit[i]);
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
