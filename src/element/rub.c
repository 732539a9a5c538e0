#include "element/rub.h"

#include <math.h>
#include <string.h>

static const double ELASTIC = 0.8;   // of break-away: below, what sticks holds
static const double OVERSHOOT = 0.2; // of mu, over the damping: the slip at which that has faded by half

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// M += f a b^T
static void add_dyad(double M[9], double f, const double a[3], const double b[3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      M[3 * i + j] += f * a[i] * b[j];
}

static void add_unit(double M[9], double f) {
  for (int i = 0; i < 3; i++)
    M[4 * i] += f;
}

// A number of |s| and of |z|, and its slopes.
typedef struct sloped {
  double value, s, z;
} sloped;

static sloped curve_of(const fly_rub *k, double size) {
  const double u = size / k->speed, bell = (k->mu_static - k->mu) * exp(-u * u);
  return (sloped){k->mu + bell, -2 * u / k->speed * bell, 0};
}

// curve tanh(|s|/transition)/|s| s
static void regularized(fly_rubbed *out, const fly_rub *k, const double s[3]) {
  const double size = sqrt(dot(s, s) + 1e-12 * k->transition * k->transition), t = tanh(size / k->transition);
  const sloped curve = curve_of(k, size);
  const double h = curve.value * t / size;
  const double slope = (curve.s * t + curve.value * (1 - t * t) / k->transition - h) / (size * size);
  for (int c = 0; c < 3; c++)
    out->b[c] = h * s[c];
  add_unit(out->b_s, h);
  add_dyad(out->b_s, slope, s, s);
}

// How much of the slip bends the spring back: over |s| z, with slopes in |s| and |z|.
static sloped bending(const fly_rub *k, double slip, double bent) {
  const sloped curve = curve_of(k, slip);
  const double r = k->stiffness * bent / curve.value, u = fmin(fmax((r - ELASTIC) / (1 - ELASTIC), 0), 1);
  const bool joint = k->law == FLY_RUB_LUGRE;
  const double a = joint ? 1 : u * u * (3 - 2 * u), da = joint ? 0 : 6 * u * (1 - u) / (1 - ELASTIC);
  const double over = k->stiffness / curve.value, by_curve = -curve.s / curve.value;
  return (sloped){a * over, over * by_curve * (a + da * r), da * over * over};
}

static void bristle_rate(fly_rubbed *out, const fly_rub *k, const double s[3], const double z[3]) {
  const double slip = sqrt(dot(s, s)), bent = sqrt(dot(z, z));
  const sloped back = bending(k, slip, bent);
  for (int c = 0; c < 3; c++)
    out->rate[c] = s[c] - back.value * slip * z[c];
  add_unit(out->rate_s, 1);
  if (slip > 0)
    add_dyad(out->rate_s, -(back.value + back.s * slip) / slip, z, s);
  add_unit(out->rate_z, -back.value * slip);
  if (bent > 0)
    add_dyad(out->rate_z, -back.z * slip / bent, z, z);
}

// b = stiffness z + fading z', fading = damping/(1 + (|s|/v)^2)
static void bristle(fly_rubbed *out, const fly_rub *k, const double s[3], const double z[3]) {
  const double v = k->damping > 0 ? OVERSHOOT * k->mu / k->damping : 1, uu = dot(s, s) / (v * v);
  const double fading = k->damping / (1 + uu), slope = -2 * fading / ((1 + uu) * v * v); // over |s|
  bristle_rate(out, k, s, z);
  for (int c = 0; c < 3; c++)
    out->b[c] = k->stiffness * z[c] + fading * out->rate[c];
  add_unit(out->b_z, k->stiffness);
  add_dyad(out->b_s, slope, out->rate, s);
  for (int c = 0; c < 9; c++) {
    out->b_s[c] += fading * out->rate_s[c];
    out->b_z[c] += fading * out->rate_z[c];
  }
}

void fly_rub_at(fly_rubbed *out, const fly_rub *k, const double s[3], const double z[3]) {
  memset(out, 0, sizeof *out);
  if (k->law == FLY_RUB_REGULARIZED)
    regularized(out, k, s);
  else if (fly_rub_has_state(k))
    bristle(out, k, s, z);
}
