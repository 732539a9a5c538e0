// Heavy top on a spherical joint, q = (r, p): mass centre and unit quaternion; v = (r', omega in body axes). SI units.
//
//   m r'' + lambda = -m g e_z
//   J omega' + [X]^T R^T lambda = -omega x J omega
//   r - R X = 0                                    X the mass centre in body axes, R = R(p), [X] b = X x b
//
// Under p * exp(theta): dR u = R (theta x u), so G = [1, R [X]], G v = r' - R (omega x X), and with mu = R^T lambda
//   d(G v)/dtheta = R [omega x X],   gamma = -R (omega x (omega x X)),   d(G^T lambda)/dtheta = -[X] [mu].
//
// Bruels, Cardona: m = 15, J about the mass centre, omega0 = (0, 150, -4.61538), one second.
// Reference: float128 extrapolation of Euler's equations about the fixed point.
#include "build.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NV = 6, NG = 3, P = 3 };       // the quaternion starts at q[P], omega at v[P]
typedef double column[NV];            // A[column][row] of a matrix with NV rows
typedef double constraint_column[NG]; // and with NG rows

static const double m = 15, grav = 9.81, J[3] = {0.234375, 0.46875, 0.234375}, X[3] = {0, 1, 0};

static int mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  column *A = (column *)M;
  for (int i = 0; i < 3; i++) {
    A[i][i] = m;
    A[P + i][P + i] = J[i];
  }
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  (void)user;
  const double *w = s->v + P, Jw[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]};
  f[0] = f[1] = 0;
  f[2] = -m * grav;
  cross3(f + P, Jw, w);
  return 0;
}

static int constraint(double *g, double t, const double *q, void *user) {
  (void)t, (void)user;
  double RX[3];
  apply3(RX, rotation3(q + P), X);
  for (int i = 0; i < 3; i++)
    g[i] = q[i] - RX[i];
  return 0;
}

// Writes R [a] into the rotation columns.
static void put_rotation(double *G, const double *q, const double a[3]) {
  const mat3 RS = multiply3(rotation3(q + P), skew3(a));
  constraint_column *A = (constraint_column *)G;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      A[P + j][i] = RS.row[i][j];
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  (void)t, (void)user;
  constraint_column *A = (constraint_column *)G;
  A[0][0] = A[1][1] = A[2][2] = 1;
  put_rotation(G, q, X);
  return 0;
}

static int constraint_rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  g_t[0] = g_t[1] = g_t[2] = 0;
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  double wX[3], a[3];
  cross3(wX, v + P, X);
  cross3(a, wX, v + P); // -omega x (omega x X)
  apply3(gamma, rotation3(q + P), a);
  return 0;
}

static int constraint_velocity_jacobian(double *Gv_q, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  double wX[3];
  cross3(wX, v + P, X);
  put_rotation(Gv_q, q, wX);
  return 0;
}

// J1: d(omega x J omega)/domega = [omega] J - [J omega]. J2: -[X] [mu].
static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)user;
  const double *w = s->v + P, Jw[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]};
  double mu[3];
  apply_transposed3(mu, rotation3(s->q + P), s->lambda);
  const mat3 W = skew3(w), H = skew3(Jw), SS = multiply3(skew3(X), skew3(mu));
  column *A = (column *)J1, *B = (column *)J2;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      A[P + j][P + i] = W.row[i][j] * J[j] - H.row[i][j];
      B[P + j][P + i] = -SS.row[i][j];
    }
  return 0;
}

static int energy(double *E, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  const double *w = v + P, Jw[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]};
  *E = (m * dot3(v, v) + dot3(w, Jw)) / 2 + m * grav * q[2];
  return 0;
}

static void row_name(char *text, size_t size, int row, void *user) {
  (void)user;
  snprintf(text, size, "spherical joint, %c", "xyz"[row]);
}

static const char *const names[] = {"x", "y", "z", "p0", "p1", "p2", "p3"};
static const int rotation_q[] = {P}, rotation_v[] = {P};

static const fly_dae_problem dae = {
    .nq = NV + 1,
    .nv = NV,
    .ng = NG,
    .nrotation = 1,
    .rotation_q = rotation_q,
    .rotation_v = rotation_v,
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

// The whole state from the rotation: r = R X, r' = R (omega x X).
static void place(double q[NV + 1], double v[NV], const double p[4], const double omega[3]) {
  double wX[3];
  memcpy(q + P, p, 4 * sizeof *p);
  memcpy(v + P, omega, 3 * sizeof *omega);
  cross3(wX, omega, X);
  const mat3 R = rotation3(p);
  apply3(q, R, X);
  apply3(v, R, wX);
}

fly_status fly_make_heavy_top(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)variant, (void)n;
  double q0[NV + 1], v0[NV], q[NV + 1], v[NV];
  place(q0, v0, (const double[]){1, 0, 0, 0}, (const double[]){0, 150, -4.61538});
  const double p[4] = {0.73294398067966371815, -0.27828571933761267852, 0.53182461133416261792,
                       -0.32017614273624928141};
  place(q, v, p, (const double[]){-0.82207810168270445626, 150, -5.9232913481173361861});
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = 1,
      .q_names = names,
      .q0 = q0,
      .v0 = v0,
      .reference_q = q,
      .reference_v = v,
      .reference_t = 1,
  };
  return fly_problem_build(out, &parts, error);
}
