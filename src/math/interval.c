#include "math/interval.h"
#include "math/constants.h"

#include <float.h>
#include <math.h>

const fly_interval fly_entire = {-INFINITY, INFINITY};

static fly_interval outwards(double lo, double hi, double roundings) {
  if (isnan(lo) || isnan(hi))
    return fly_entire;
  return (fly_interval){lo - roundings * DBL_EPSILON * fabs(lo), hi + roundings * DBL_EPSILON * fabs(hi)};
}

// Outwards by more than what the C library may be off.
static fly_interval widened(double lo, double hi) { return outwards(lo, hi, 4); }

// Sums, products and quotients are off by half a rounding at most.
static fly_interval rounded(double lo, double hi) { return outwards(lo, hi, 1); }

fly_interval fly_between(double a, double b) {
  if (isnan(a) || isnan(b))
    return fly_entire;
  return a <= b ? (fly_interval){a, b} : (fly_interval){b, a};
}

fly_interval fly_exactly(double a) { return fly_between(a, a); }

fly_interval fly_hull(fly_interval a, fly_interval b) { return (fly_interval){fmin(a.lo, b.lo), fmax(a.hi, b.hi)}; }

fly_interval fly_meet(fly_interval a, fly_interval b) {
  const fly_interval both = {fmax(a.lo, b.lo), fmin(a.hi, b.hi)};
  return both.lo <= both.hi ? both : a;
}

bool fly_holds(fly_interval a, double x) { return a.lo <= x && x <= a.hi; }

double fly_magnitude(fly_interval a) { return fmax(fabs(a.lo), fabs(a.hi)); }

double fly_width(fly_interval a) { return a.hi > a.lo ? a.hi - a.lo : 0; }

fly_interval fly_interval_add(fly_interval a, fly_interval b) { return rounded(a.lo + b.lo, a.hi + b.hi); }

fly_interval fly_interval_negate(fly_interval a) { return (fly_interval){-a.hi, -a.lo}; }

fly_interval fly_interval_subtract(fly_interval a, fly_interval b) {
  return fly_interval_add(a, fly_interval_negate(b));
}

static double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

fly_interval fly_interval_multiply(fly_interval a, fly_interval b) {
  const double p = product(a.lo, b.lo), q = product(a.lo, b.hi), r = product(a.hi, b.lo), s = product(a.hi, b.hi);
  return rounded(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

fly_interval fly_interval_scale(fly_interval a, double factor) { return fly_interval_multiply(a, fly_exactly(factor)); }

fly_interval fly_interval_divide(fly_interval a, fly_interval b) {
  if (b.lo <= 0 && b.hi >= 0)
    return fly_entire;
  return fly_interval_multiply(a, rounded(1 / b.hi, 1 / b.lo));
}

fly_interval fly_interval_square(fly_interval a) {
  const double far = fly_magnitude(a), near = fly_holds(a, 0) ? 0 : fmin(fabs(a.lo), fabs(a.hi));
  return rounded(near * near, far * far);
}

fly_interval fly_interval_power(fly_interval a, double c) {
  const bool whole = c == floor(c), even = whole && fmod(c, 2) == 0;
  if (c == 0)
    return fly_exactly(1);
  if (c < 0) {
    fly_interval below = fly_interval_power(a, -c);
    return fly_interval_divide(fly_exactly(1), below);
  }
  if (!whole)
    a = (fly_interval){fmax(a.lo, 0), fmax(a.hi, 0)};
  if (!even)
    return widened(pow(a.lo, c), pow(a.hi, c));
  const double far = fly_magnitude(a), near = fly_holds(a, 0) ? 0 : fmin(fabs(a.lo), fabs(a.hi));
  return widened(pow(near, c), pow(far, c));
}

// Is there a whole k with offset + 2 pi k in the interval? Asked a little generously.
static bool passes(fly_interval a, double offset) {
  const double slack = 1e-15 * (1 + fly_magnitude(a));
  return floor((a.hi + slack - offset) / (2 * FLY_PI)) >= ceil((a.lo - slack - offset) / (2 * FLY_PI));
}

static fly_interval wave(fly_interval a, double top, double (*f)(double)) {
  if (!(fly_width(a) < 2 * FLY_PI) || !(fly_magnitude(a) < 1e14))
    return (fly_interval){-1, 1};
  const double p = f(a.lo), q = f(a.hi);
  fly_interval y = widened(fmin(p, q), fmax(p, q));
  return (fly_interval){passes(a, top + FLY_PI) ? -1 : fmax(y.lo, -1), passes(a, top) ? 1 : fmin(y.hi, 1)};
}

fly_interval fly_interval_sin(fly_interval a) { return wave(a, FLY_PI / 2, sin); }
fly_interval fly_interval_cos(fly_interval a) { return wave(a, 0, cos); }

fly_interval fly_interval_monotone(double (*f)(double), fly_interval a) {
  const double p = f(a.lo), q = f(a.hi);
  return isnan(p) || isnan(q) ? fly_entire : widened(fmin(p, q), fmax(p, q));
}
