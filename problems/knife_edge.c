// Knife edge (skate) on an inclined plane, q = (x, y, theta): contact on the plane, x down the slope, and direction of
// the blade. SI units.
//
//   m x'' - lambda sin theta = m g sin alpha
//   m y'' + lambda cos theta = 0
//   I theta'' = 0
//   -x' sin theta + y' cos theta = 0         the blade does not slip sideways: nonholonomic
//
// Classical (Neimark, Fufaev). With theta = omega t and a start at rest, k = g sin alpha/(2 omega^2), p = omega t:
//   x = k sin^2 p,   y = k (p - sin p cos p)
// - it does not slide down but drifts across the slope. Reference: that solution. Energy is constant.
#include "build.h"

#include <math.h>
#include <stdio.h>

enum { X, Y, THETA, NV };
typedef double column[NV]; // A[column][row]

static const double m = 1, I = 0.1, omega = 2;
static const double slope = 9.81 * 0.5; // g sin alpha, alpha = 30 degrees

static int mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  column *A = (column *)M;
  A[X][X] = A[Y][Y] = m;
  A[THETA][THETA] = I;
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  (void)s, (void)user;
  f[X] = m * slope;
  f[Y] = f[THETA] = 0;
  return 0;
}

static int nonholonomic(double *B, double t, const double *q, void *user) {
  (void)t, (void)user;
  B[X] = -sin(q[THETA]);
  B[Y] = cos(q[THETA]);
  return 0;
}

static int nonholonomic_rate(double *b, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  b[0] = 0;
  return 0;
}

static int nonholonomic_velocity_jacobian(double *Bv_q, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  Bv_q[THETA] = -v[X] * cos(q[THETA]) - v[Y] * sin(q[THETA]);
  return 0;
}

static int nonholonomic_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  gamma[0] = -v[THETA] * (v[X] * cos(q[THETA]) + v[Y] * sin(q[THETA]));
  return 0;
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1, (void)user;
  column *A = (column *)J2;
  A[THETA][X] = -s->lambda[0] * cos(s->q[THETA]);
  A[THETA][Y] = -s->lambda[0] * sin(s->q[THETA]);
  return 0;
}

static int energy(double *E, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  *E = (m * (v[X] * v[X] + v[Y] * v[Y]) + I * v[THETA] * v[THETA]) / 2 - m * slope * q[X];
  return 0;
}

static void row_name(char *text, size_t size, int row, void *user) {
  (void)row, (void)user;
  snprintf(text, size, "blade, no side slip");
}

static const char *const names[] = {"x", "y", "theta"};
static const double scale[NV] = {0.6, 0.6, 1}; // g sin alpha/(2 omega^2) = 0.61 m, the width of the path; 1 rad

static const fly_dae_problem dae = {
    .nq = NV,
    .nv = NV,
    .nb = 1,
    .mass_constant = true,
    .mass = mass,
    .force = force,
    .nonholonomic = nonholonomic,
    .nonholonomic_rate = nonholonomic_rate,
    .nonholonomic_gamma = nonholonomic_gamma,
    .nonholonomic_velocity_jacobian = nonholonomic_velocity_jacobian,
    .jacobian = jacobian,
    .energy = energy,
    .row_name = row_name,
    .scale_v = scale,
};

fly_status fly_make_knife_edge(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)variant, (void)n;
  const double t = 5, p = omega * t, k = slope / (2 * omega * omega), speed = slope / omega * sin(p);
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = t,
      .q_names = names,
      .v0 = (const double[]){0, 0, omega},
      .reference_q = (const double[]){k * sin(p) * sin(p), k * (p - sin(p) * cos(p)), p},
      .reference_v = (const double[]){speed * cos(p), speed * sin(p), omega},
      .reference_t = t,
  };
  return fly_problem_build(out, &parts, error);
}
