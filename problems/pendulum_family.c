// Simple pendulum with the constraint as a length, q = (x, y), r = |q|. SI units.
//
//   m x'' + (x/r) lambda = 0
//   m y'' + (y/r) lambda = -m g
//   r - l = 0
//
// Koebis 2016 (FAMILY), sect. 1.1: lambda is the force in the rod. Starts above the pivot, moving up.
// Reference: float128 extrapolation of the angle equation.
#include "build.h"

#include <math.h>
#include <stdio.h>

enum { X, Y, NV };
typedef double column[NV]; // A[column][row]

static const double m = 1, l = 1, grav = 9.81;

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
  g[0] = hypot(q[X], q[Y]) - l;
  return 0;
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  (void)t, (void)user;
  const double r = hypot(q[X], q[Y]);
  G[X] = q[X] / r;
  G[Y] = q[Y] / r;
  return 0;
}

static int constraint_rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  g_t[0] = 0;
  return 0;
}

// r' = q.v/r, and d(r')/dq = v/r - (q.v) q/r^3.
static int constraint_velocity_jacobian(double *Gv_q, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  const double r = hypot(q[X], q[Y]), rate = (q[X] * v[X] + q[Y] * v[Y]) / r;
  Gv_q[X] = (v[X] - rate * q[X] / r) / r;
  Gv_q[Y] = (v[Y] - rate * q[Y] / r) / r;
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  double Gv_q[NV];
  constraint_velocity_jacobian(Gv_q, t, q, v, user);
  gamma[0] = Gv_q[X] * v[X] + Gv_q[Y] * v[Y];
  return 0;
}

// d(G^T lambda)/dq = lambda (1 - q q^T/r^2)/r.
static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1, (void)user;
  const double *q = s->q, r = hypot(q[X], q[Y]), k = s->lambda[0] / r;
  column *A = (column *)J2;
  A[X][X] = k * (1 - q[X] * q[X] / (r * r));
  A[Y][Y] = k * (1 - q[Y] * q[Y] / (r * r));
  A[X][Y] = A[Y][X] = -k * q[X] * q[Y] / (r * r);
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

fly_status fly_make_pendulum_family(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)variant, (void)n;
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = 4,
      .q_names = names,
      .q0 = (const double[]){sqrt(0.5), sqrt(0.5)},
      .v0 = (const double[]){-1, 1},
      .reference_q = (const double[]){0.95975289499353644, 0.28084583057529217},
      .reference_v = (const double[]){0.9040985144075534, -3.0896352094120894},
      .reference_t = 4,
  };
  return fly_problem_build(out, &parts, error);
}
