// Double pendulum of two point masses, q = (x1, y1, x2, y2). SI units.
//
//   m x1'' + 2 x1 lambda1 - 2 (x2-x1) lambda2 = 0            x1^2 + y1^2 - l^2 = 0
//   m y1'' + 2 y1 lambda1 - 2 (y2-y1) lambda2 = -m g         (x2-x1)^2 + (y2-y1)^2 - l^2 = 0
//   m x2'' + 2 (x2-x1) lambda2 = 0
//   m y2'' + 2 (y2-y1) lambda2 = -m g
//
// Koebis 2016 (FAMILY), sect. 6.2.1.1, eq. (6.4): starts stretched out, up and to the right; chaotic.
// Reference: float128 extrapolation of the two angle equations.
#include "build.h"

#include <math.h>
#include <stdio.h>

enum { X1, Y1, X2, Y2, NV };
enum { ROD1, ROD2, NG };
typedef double column[NV];            // A[column][row] of a matrix with NV rows
typedef double constraint_column[NG]; // and with NG rows

static const double m = 1, l = 1, grav = 9.81;

static int mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  column *A = (column *)M;
  for (int i = 0; i < NV; i++)
    A[i][i] = m;
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  (void)s, (void)user;
  f[X1] = f[X2] = 0;
  f[Y1] = f[Y2] = -m * grav;
  return 0;
}

// The rods as vectors: (x1, y1) and (x2-x1, y2-y1).
static void rods(double d[4], const double *q) {
  d[X1] = q[X1];
  d[Y1] = q[Y1];
  d[X2] = q[X2] - q[X1];
  d[Y2] = q[Y2] - q[Y1];
}

static int constraint(double *g, double t, const double *q, void *user) {
  (void)t, (void)user;
  double d[4];
  rods(d, q);
  g[ROD1] = d[X1] * d[X1] + d[Y1] * d[Y1] - l * l;
  g[ROD2] = d[X2] * d[X2] + d[Y2] * d[Y2] - l * l;
  return 0;
}

// Linear in its argument: of q it is G, of v it is d(G v)/dq.
static void gradient(double *G, const double *q) {
  double d[4];
  rods(d, q);
  constraint_column *A = (constraint_column *)G;
  A[X1][ROD1] = 2 * d[X1];
  A[Y1][ROD1] = 2 * d[Y1];
  A[X1][ROD2] = -2 * d[X2];
  A[Y1][ROD2] = -2 * d[Y2];
  A[X2][ROD2] = 2 * d[X2];
  A[Y2][ROD2] = 2 * d[Y2];
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
  g_t[ROD1] = g_t[ROD2] = 0;
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q, (void)user;
  double d[4];
  rods(d, v);
  gamma[ROD1] = 2 * (d[X1] * d[X1] + d[Y1] * d[Y1]);
  gamma[ROD2] = 2 * (d[X2] * d[X2] + d[Y2] * d[Y2]);
  return 0;
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1, (void)user;
  const double *lambda = s->lambda;
  column *A = (column *)J2;
  A[X1][X1] = A[Y1][Y1] = 2 * (lambda[ROD1] + lambda[ROD2]);
  A[X2][X2] = A[Y2][Y2] = 2 * lambda[ROD2];
  A[X1][X2] = A[X2][X1] = A[Y1][Y2] = A[Y2][Y1] = -2 * lambda[ROD2];
  return 0;
}

static int energy(double *E, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  const double T = m * (v[X1] * v[X1] + v[Y1] * v[Y1] + v[X2] * v[X2] + v[Y2] * v[Y2]) / 2;
  *E = T + m * grav * (q[Y1] + q[Y2]);
  return 0;
}

static void row_name(char *text, size_t size, int row, void *user) {
  (void)user;
  snprintf(text, size, "rod %d, length", row + 1);
}

static const char *const names[] = {"x1", "y1", "x2", "y2"};

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

fly_status fly_make_double_pendulum(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)variant, (void)n;
  const double c = sqrt(0.5);
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = 5,
      .q_names = names,
      .q0 = (const double[]){c, c, 2 * c, 2 * c},
      .v0 = (const double[]){-1, 1, -1, 1},
      .reference_q =
          (const double[]){0.9993366276202893, 0.036418466421682068, 0.88703827442028882, 1.0300930005970166},
      .reference_v = (const double[]){-0.1215171447137912, 3.3344768610033619, 1.1952258770249033, 3.4832862224625103},
      .reference_t = 5,
  };
  return fly_problem_build(out, &parts, error);
}
