// Simple pendulum whose constraint is given twice, q = (x, y). SI units. Meant to fail: G has rank 1 and two rows.
//
//   m x'' + 2 x (lambda1 + lambda2) = 0
//   m y'' + 2 y (lambda1 + lambda2) = -m g
//   x^2 + y^2 - L^2 = 0, twice
//
// The motion exists, the multipliers are not unique: a solver should name the rows "rod" and "rod again".
#include "build.h"

#include <stdio.h>

enum { X, Y, NV };
enum { NG = 2 };
typedef double column[NV];            // A[column][row] of a matrix with NV rows
typedef double constraint_column[NG]; // and with NG rows

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
  g[0] = g[1] = q[X] * q[X] + q[Y] * q[Y] - L * L;
  return 0;
}

// Linear in its argument: of q it is G, of v it is d(G v)/dq.
static void gradient(double *G, const double *q) {
  constraint_column *A = (constraint_column *)G;
  A[X][0] = A[X][1] = 2 * q[X];
  A[Y][0] = A[Y][1] = 2 * q[Y];
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  (void)t, (void)user;
  gradient(G, q);
  return 0;
}

static int constraint_velocity_jacobian(double *Gv_q, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q, (void)user;
  gradient(Gv_q, v);
  return 0;
}

static int constraint_rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  g_t[0] = g_t[1] = 0;
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q, (void)user;
  gamma[0] = gamma[1] = 2 * (v[X] * v[X] + v[Y] * v[Y]);
  return 0;
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1, (void)user;
  column *A = (column *)J2;
  A[X][X] = A[Y][Y] = 2 * (s->lambda[0] + s->lambda[1]);
  return 0;
}

static int energy(double *E, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  *E = m * (v[X] * v[X] + v[Y] * v[Y]) / 2 + m * grav * q[Y];
  return 0;
}

static void row_name(char *text, size_t size, int row, void *user) {
  (void)user;
  snprintf(text, size, "%s", row ? "rod again" : "rod");
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
    .energy = energy,
    .row_name = row_name,
};

fly_status fly_make_redundant(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)variant, (void)n;
  const fly_problem_parts parts = {.dae = &dae, .t_end = 1, .q_names = names, .q0 = (const double[]){1, 0}};
  return fly_problem_build(out, &parts, error);
}
