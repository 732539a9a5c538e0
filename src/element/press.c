#include "element/press.h"

#include <math.h>

static const double LEAST = 1e-3; // restitution: below it damping would have to grow without bounds

// f(alpha) = alpha (1 + e) - log(1 + alpha) + log(1 - e alpha) is 0 at 0, grows up to (1 - e)/e and falls from there to
// minus infinity at 1/e: halving what lies between finds its other zero surely.
double fly_press_alpha(double restitution) {
  const double e = fmax(restitution, LEAST);
  double low = (1 - e) / e, high = 1 / e;
  if (e >= 1)
    return 0;
  for (int k = 0; k < 200 && high - low > 1e-16 * high; k++) {
    const double middle = (low + high) / 2, f = middle * (1 + e) - log1p(middle) + log1p(-e * middle);
    if (f > 0)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

// k d^e and its slope; odd in d, so that it goes on smoothly where a step overshoots the end of the contact.
static double elastic(const fly_press *k, double d, double *slope) {
  const double size = fabs(d), power = k->exponent == 1 ? 1 : pow(size, k->exponent - 1);
  *slope = k->stiffness * k->exponent * power;
  return k->stiffness * power * d;
}

static double chi_of(const fly_press *k, double blow) {
  return k->alpha > 0 ? k->alpha / fmax(blow, k->slow) : k->damping;
}

// c(d), given the elastic force and its slope.
static double damping(const fly_press *k, double d, double blow, double force, double slope, double *grows) {
  *grows = 0;
  if (k->law == FLY_PRESS_LINEAR)
    return k->damping;
  if (k->law == FLY_PRESS_IMPACT) {
    const double u = fmin(fmax(d / k->depth, 0), 1);
    *grows = k->damping * 6 * u * (1 - u) / k->depth;
    return k->damping * u * u * (3 - 2 * u);
  }
  *grows = chi_of(k, blow) * slope;
  return chi_of(k, blow) * force;
}

// Of the damping that is switched in: N over what vanishes at the end of the contact, d^e or d^2, whichever does so
// more slowly. On the way out k d^e, with e < 2, wins once more over c s(d) w just before d = 0: the sign of N changes
// there and, with d, back again, so near to each other that no step tells of it. This one is on its side wherever d <
// 0, too.
static double push_of_impact(const fly_press *k, double d, double w) {
  const double most = fmax(d, 0), u = fmin(most / k->depth, 1), lower = fmin(k->exponent, 2);
  const double switched = u < 1 ? (3 - 2 * u) / (k->depth * k->depth) : 1 / (most * most);
  return k->stiffness * pow(most, k->exponent - lower) + k->damping * switched * pow(most, 2 - lower) * w;
}

fly_pressed fly_press_at(const fly_press *k, double d, double w, double blow, fly_press_side side) {
  fly_pressed out = {.touches = side.touches ? side.touches > 0 : d > 0};
  if (!out.touches)
    return out;
  double slope, grows;
  const double force = elastic(k, d, &slope), c = damping(k, d, blow, force, slope, &grows);
  out.push = k->law == FLY_PRESS_LINEAR   ? force + c * w
             : k->law == FLY_PRESS_IMPACT ? push_of_impact(k, d, w)
                                          : 1 + chi_of(k, blow) * w; // N itself would change sign with d, too
  out.energy = force * d / (k->exponent + 1);
  if (side.pushes ? side.pushes > 0 : out.push > 0) {
    out.N = force + c * w;
    out.dd = slope + grows * w;
    out.dw = c;
  }
  out.heat = (out.N - force) * w;
  return out;
}
