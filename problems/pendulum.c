// Simple pendulum in Cartesian coordinates, q = (x, y). SI units.
//
//   m x'' + 2 x lambda = 0
//   m y'' + 2 y lambda = -m g
//   x^2 + y^2 - L^2 = 0
//
// Default `newmark`: Gavrea, Negrut, Potra 2005 (NEWMARK), sect. 6.1, Tables 1 and 2: 60 degrees from below, at rest.
// Variant `iftomm`: IFToMM library A01: from the horizontal on the left, 10 s; its energy is 0.
// References: float128 extrapolation of the angle equation (iftomm: agrees with the library's elliptic functions).
#include "build.h"

#include <math.h>
#include <stdio.h>

enum { X, Y, NV };
typedef double column[NV]; // A[column][row]

static const double m = 1, L = 1, grav = 9.81;

static int mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  column *A = (column *)M;
  A[X][X] = A[Y][Y] = m;
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  (void)s, (void)user;
  f[X] = 0;
  f[Y] = -m * grav;
  return 0;
}

static int constraint(double *g, double t, const double *q, void *user) {
  (void)t, (void)user;
  g[0] = q[X] * q[X] + q[Y] * q[Y] - L * L;
  return 0;
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  (void)t, (void)user;
  G[X] = 2 * q[X];
  G[Y] = 2 * q[Y];
  return 0;
}

static int constraint_rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  g_t[0] = 0;
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q, (void)user;
  gamma[0] = 2 * (v[X] * v[X] + v[Y] * v[Y]);
  return 0;
}

static int constraint_velocity_jacobian(double *Gv_q, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q, (void)user;
  Gv_q[X] = 2 * v[X];
  Gv_q[Y] = 2 * v[Y];
  return 0;
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1, (void)user;
  column *A = (column *)J2;
  A[X][X] = A[Y][Y] = 2 * s->lambda[0];
  return 0;
}

static int energy(double *E, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  *E = m * (v[X] * v[X] + v[Y] * v[Y]) / 2 + m * grav * q[Y];
  return 0;
}

static void row_name(char *text, size_t size, int row, void *user) {
  (void)row, (void)user;
  snprintf(text, size, "rod length");
}

static const char *const names[] = {"x", "y"};

static const fly_dae_problem dae = {
    .nq = NV,
    .nv = NV,
    .ng = 1,
    .mass_constant = true,
    .mass = mass,
    .force = force,
    .constraint = constraint,
    .constraint_jacobian = constraint_jacobian,
    .constraint_rate = constraint_rate,
    .constraint_gamma = constraint_gamma,
    .constraint_velocity_jacobian = constraint_velocity_jacobian,
    .jacobian = jacobian,
    .energy = energy,
    .row_name = row_name,
};

fly_status fly_make_pendulum(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)n;
  const fly_problem_parts newmark = {
      .dae = &dae,
      .t_end = 4,
      .q_names = names,
      .q0 = (const double[]){sin(FLY_PI / 3), -cos(FLY_PI / 3)},
      .reference_q = (const double[]){0.61858011377508215, -0.78572173372130061},
      .reference_v = (const double[]){1.8603296423332882, 1.4645934717415676},
      .reference_t = 4,
  };
  const fly_problem_parts iftomm = {
      .dae = &dae,
      .t_end = 10,
      .q_names = names,
      .q0 = (const double[]){-1, 0},
      .reference_q = (const double[]){-0.27508746257611688, -0.96141920509912504},
      .reference_v = (const double[]){4.1755981009517287, -1.1947490545604753},
      .reference_t = 10,
  };
  return fly_problem_build(out, fly_variant_is(variant, "iftomm") ? &iftomm : &newmark, error);
}
