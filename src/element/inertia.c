// Inertia of shapes, of several together, and its sense.
#include "element/inertia.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "element/frame.h"
#include "math/constants.h"
#include "math/so3.h"

// ------------------------------------------------------------------------------------------ shapes

static void set(fly_inertia *out, double mass, double z, double xx, double yy, double zz) {
  *out = (fly_inertia){.mass = mass, .center = {0, 0, z}, .I = {xx, 0, 0, 0, yy, 0, 0, 0, zz}};
}

static void box(fly_inertia *out, const double *size) {
  double x = size[0], y = size[1], z = size[2], m = x * y * z;
  set(out, m, 0, m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12);
}

static void tube(fly_inertia *out, const double *size) {
  double r = size[0], inner = size[1], l = size[2];
  double m = FLY_PI * (r - inner) * (r + inner) * l, rr = r * r + inner * inner;
  double across = m * (rr / 4 + l * l / 12);
  set(out, m, 0, across, across, m * rr / 2);
}

static void cylinder(fly_inertia *out, const double *size) { tube(out, (double[]){size[0], 0, size[1]}); }

static void sphere(fly_inertia *out, const double *size) {
  double r = size[0], m = 4 * FLY_PI / 3 * r * r * r, I = 2 * m * r * r / 5;
  set(out, m, 0, I, I, I);
}

// A cylinder between two half balls, whose mass centres lie 3 r/8 beyond its ends.
static void capsule(fly_inertia *out, const double *size) {
  double r = size[0], l = size[1];
  fly_inertia middle, ball;
  cylinder(&middle, size);
  sphere(&ball, size);
  double across = middle.I[0] + ball.I[0] + ball.mass * (l * l / 4 + 3 * l * r / 8);
  set(out, middle.mass + ball.mass, 0, across, across, middle.I[8] + ball.I[8]);
}

static void cone(fly_inertia *out, const double *size) {
  double r = size[0], h = size[1], m = FLY_PI / 3 * r * r * h;
  double across = m * (3 * r * r / 20 + 3 * h * h / 80);
  set(out, m, h / 4, across, across, 3 * m * r * r / 10);
}

static void ellipsoid(fly_inertia *out, const double *size) {
  double x = size[0], y = size[1], z = size[2], m = FLY_PI / 6 * x * y * z;
  set(out, m, 0, m * (y * y + z * z) / 20, m * (x * x + z * z) / 20, m * (x * x + y * y) / 20);
}

// A half-space for contacts; what is seen of it has no mass.
static void plane(fly_inertia *out, const double *size) {
  (void)size;
  set(out, 0, 0, 0, 0, 0);
}

const fly_shape_type fly_shape_types[FLY_SHAPE_KINDS] = {
    [FLY_SHAPE_BOX] = {"box", 3, {"x", "y", "z"}, "a box with edges along x, y, z", box},
    [FLY_SHAPE_CYLINDER] = {"cylinder", 2, {"radius", "length"}, "a cylinder along z", cylinder},
    [FLY_SHAPE_SPHERE] = {"sphere", 1, {"radius"}, "a ball", sphere},
    [FLY_SHAPE_CAPSULE] =
        {"capsule", 2, {"radius", "length"}, "a cylinder along z, of that length without its round ends", capsule},
    [FLY_SHAPE_CONE] =
        {"cone", 2, {"radius", "height"}, "a cone with its base at z = 0 and its tip at z = height", cone},
    [FLY_SHAPE_TUBE] = {"tube", 3, {"radius", "inner_radius", "length"}, "a hollow cylinder along z", tube},
    [FLY_SHAPE_PLANE] = {"plane", 1, {"width"}, "all below z = 0, for contacts; a square of that width is seen", plane},
    [FLY_SHAPE_ELLIPSOID] = {"ellipsoid", 3, {"x", "y", "z"}, "an ellipsoid as long as that along x, y, z", ellipsoid},
};

int fly_shape_find(const char *name) {
  for (int k = 0; k < FLY_SHAPE_KINDS; k++)
    if (strcmp(fly_shape_types[k].name, name) == 0)
      return k;
  return -1;
}

int fly_shape_check(fly_shape_kind kind, const double *size) {
  for (int k = 0; k < fly_shape_types[kind].nsize; k++) {
    bool hollow = kind == FLY_SHAPE_TUBE && k == 1;
    if (!isfinite(size[k]) || size[k] < 0 || (size[k] == 0 && !hollow) || (hollow && size[k] >= size[0]))
      return k;
  }
  return -1;
}

void fly_shape_inertia(fly_inertia *out, fly_shape_kind kind, const double *size, double density) {
  fly_shape_types[kind].solid(out, size);
  out->mass *= density;
  for (int i = 0; i < 9; i++)
    out->I[i] *= density;
}

// ------------------------------------------------------------------------------------------ moving and adding

void fly_inertia_rotate(double out[9], const double A[9], const double I[9]) {
  double AI[9];
  fly_multiply3(AI, A, I);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = fly_dot3(AI + 3 * i, A + 3 * j);
}

void fly_inertia_place(fly_inertia *out, const fly_inertia *in, const double at[3], const double A[9]) {
  fly_inertia moved = {.mass = in->mass};
  fly_inertia_rotate(moved.I, A, in->I);
  fly_to_space(moved.center, A, in->center);
  for (int k = 0; k < 3; k++)
    moved.center[k] += at[k];
  *out = moved;
}

// I += m (d^2 - d d^T)
static void add_point(double I[9], double m, const double d[3]) {
  double dd = fly_dot3(d, d);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      I[3 * i + j] += m * ((i == j ? dd : 0) - d[i] * d[j]);
}

// Two bodies about their common centre: the parallel axes give m1 m2/(m1 + m2) at their distance, without cancellation.
void fly_inertia_add(fly_inertia *sum, const fly_inertia *part) {
  double mass = sum->mass + part->mass, share = mass == 0 ? 0 : part->mass / mass, d[3];
  for (int k = 0; k < 3; k++)
    d[k] = part->center[k] - sum->center[k];
  for (int i = 0; i < 9; i++)
    sum->I[i] += part->I[i];
  add_point(sum->I, sum->mass * share, d);
  for (int k = 0; k < 3; k++)
    sum->center[k] += share * d[k];
  sum->mass = mass;
}

void fly_inertia_about(double out[9], const fly_inertia *in, const double point[3]) {
  double d[3];
  for (int k = 0; k < 3; k++)
    d[k] = in->center[k] - point[k];
  memcpy(out, in->I, sizeof in->I);
  add_point(out, in->mass, d);
}

// ------------------------------------------------------------------------------------------ principal axes

// One rotation of Jacobi's method in the plane (p, q): S <- J^T S J, A <- A J, with S_pq = 0 after.
static void annihilate(double S[9], double A[9], int p, int q) {
  double off = S[3 * p + q];
  if (off == 0)
    return;
  double ratio = (S[4 * q] - S[4 * p]) / (2 * off);
  double t = (ratio >= 0 ? 1 : -1) / (fabs(ratio) + hypot(ratio, 1.0)), c = 1 / hypot(t, 1.0), s = t * c;
  for (int k = 0; k < 3; k++) {
    double up = S[3 * k + p], uq = S[3 * k + q], ap = A[3 * k + p], aq = A[3 * k + q];
    S[3 * k + p] = c * up - s * uq;
    S[3 * k + q] = s * up + c * uq;
    A[3 * k + p] = c * ap - s * aq;
    A[3 * k + q] = s * ap + c * aq;
  }
  for (int k = 0; k < 3; k++) {
    double up = S[3 * p + k], uq = S[3 * q + k];
    S[3 * p + k] = c * up - s * uq;
    S[3 * q + k] = s * up + c * uq;
  }
  S[3 * p + q] = S[3 * q + p] = 0;
}

// Sweeps converge quadratically: three or four suffice; the number is fixed so that the method always ends.
static void diagonalize(double S[9], double A[9]) {
  for (int sweep = 0; sweep < 20; sweep++) {
    annihilate(S, A, 0, 1);
    annihilate(S, A, 0, 2);
    annihilate(S, A, 1, 2);
  }
}

void fly_inertia_principal(double moment[3], double A[9], const double I[9]) {
  double S[9], V[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      S[3 * i + j] = (I[3 * i + j] + I[3 * j + i]) / 2;
  diagonalize(S, V);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2 - i; j++)
      if (S[4 * order[j]] > S[4 * order[j + 1]]) {
        int swap = order[j];
        order[j] = order[j + 1];
        order[j + 1] = swap;
      }
  double x[3], y[3], z[3];
  for (int k = 0; k < 3; k++) {
    moment[k] = S[4 * order[k]];
    x[k] = V[3 * k + order[0]];
    y[k] = V[3 * k + order[1]];
  }
  fly_cross(z, x, y);
  fly_columns3(A, x, y, z);
}

// ------------------------------------------------------------------------------------------ sense

const char *const fly_inertia_texts[FLY_INERTIA_VERDICTS] = {
    [FLY_INERTIA_GOOD] = "the inertia is that of a body",
    [FLY_INERTIA_NOT_FINITE] = "mass or inertia is not a finite number",
    [FLY_INERTIA_NO_MASS] = "the mass is not positive",
    [FLY_INERTIA_NOT_SYMMETRIC] = "the inertia matrix is not symmetric",
    [FLY_INERTIA_NEGATIVE] = "a principal moment of inertia is negative: the products of inertia are too large",
    [FLY_INERTIA_TRIANGLE] = "one principal moment of inertia exceeds the sum of the other two, which no body can have",
    [FLY_INERTIA_THIN] = "a principal moment of inertia is zero: nothing resists rotation about that axis",
};

static bool all_finite(const fly_inertia *in) {
  bool finite = isfinite(in->mass);
  for (int k = 0; k < 3; k++)
    finite = finite && isfinite(in->center[k]);
  for (int k = 0; k < 9; k++)
    finite = finite && isfinite(in->I[k]);
  return finite;
}

static double asymmetry(const double I[9]) {
  return fmax(fabs(I[1] - I[3]), fmax(fabs(I[2] - I[6]), fabs(I[5] - I[7])));
}

static fly_inertia_verdict judge(const fly_inertia *in, const fly_inertia_report *r) {
  double rounding = 1e-12 * fmax(fabs(r->moment[0]), fabs(r->moment[2]));
  if (!(in->mass > 0))
    return FLY_INERTIA_NO_MASS;
  if (asymmetry(in->I) > 1e3 * rounding)
    return FLY_INERTIA_NOT_SYMMETRIC;
  if (r->moment[0] < -rounding)
    return FLY_INERTIA_NEGATIVE;
  if (r->excess > 1e-6)
    return FLY_INERTIA_TRIANGLE;
  if (r->moment[0] <= rounding)
    return FLY_INERTIA_THIN;
  return FLY_INERTIA_GOOD;
}

fly_inertia_report fly_inertia_check(const fly_inertia *in) {
  fly_inertia_report r = {.verdict = FLY_INERTIA_NOT_FINITE};
  if (!all_finite(in))
    return r;
  fly_inertia_principal(r.moment, r.axes, in->I);
  double over = r.moment[2] - r.moment[1] - r.moment[0];
  r.excess = over > 0 && r.moment[2] > 0 ? over / r.moment[2] : 0;
  r.verdict = judge(in, &r);
  return r;
}
