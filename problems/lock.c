// Rod between two sliders, driven past its reach: slider A on the x axis, slider B on the y axis, q = (x, y) their
// places. SI units. Meant to fail.
//
//   m x'' + 2 x lambda1 + lambda2 = 0
//   m y'' + 2 y lambda1 = -m g
//   x^2 + y^2 - L^2 = 0                 the rod
//   x - x0 - u t = 0                    the drive: rheonomic
//
// At t = (L - x0)/u = 0.8 s the rod lies on the x axis: G is singular, y' and lambda grow without bound before, and
// nothing satisfies the constraints afterwards. A solver must stop close to 0.8 s and say so.
#include "build.h"

#include <math.h>
#include <stdio.h>

enum { X, Y, NV };
enum { ROD, DRIVE, NG };
typedef double column[NV];            // A[column][row] of a matrix with NV rows
typedef double constraint_column[NG]; // and with NG rows

static const double m = 1, L = 1, x0 = 0.6, u = 0.5, grav = 9.81;

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
  (void)user;
  g[ROD] = q[X] * q[X] + q[Y] * q[Y] - L * L;
  g[DRIVE] = q[X] - x0 - u * t;
  return 0;
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  (void)t, (void)user;
  constraint_column *A = (constraint_column *)G;
  A[X][ROD] = 2 * q[X];
  A[Y][ROD] = 2 * q[Y];
  A[X][DRIVE] = 1;
  return 0;
}

static int constraint_rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  g_t[ROD] = 0;
  g_t[DRIVE] = -u;
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q, (void)user;
  gamma[ROD] = 2 * (v[X] * v[X] + v[Y] * v[Y]);
  gamma[DRIVE] = 0;
  return 0;
}

static int constraint_velocity_jacobian(double *Gv_q, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q, (void)user;
  constraint_column *A = (constraint_column *)Gv_q;
  A[X][ROD] = 2 * v[X];
  A[Y][ROD] = 2 * v[Y];
  return 0;
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1, (void)user;
  column *A = (column *)J2;
  A[X][X] = A[Y][Y] = 2 * s->lambda[ROD];
  return 0;
}

static void row_name(char *text, size_t size, int row, void *user) {
  (void)user;
  snprintf(text, size, "%s", row == ROD ? "rod length" : "drive of slider A");
}

static const char *const names[] = {"x", "y"};

static const fly_dae_problem dae = {
    .nq = NV,
    .nv = NV,
    .ng = NG,
    .mass_constant = true,
    .mass = mass,
    .force = force,
    .constraint = constraint,
    .constraint_jacobian = constraint_jacobian,
    .constraint_rate = constraint_rate,
    .constraint_gamma = constraint_gamma,
    .constraint_velocity_jacobian = constraint_velocity_jacobian,
    .jacobian = jacobian,
    .row_name = row_name,
};

fly_status fly_make_lock(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)variant, (void)n;
  const double y0 = sqrt(L * L - x0 * x0);
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = 1,
      .q_names = names,
      .q0 = (const double[]){x0, y0},
      .v0 = (const double[]){u, -x0 * u / y0},
  };
  return fly_problem_build(out, &parts, error);
}
