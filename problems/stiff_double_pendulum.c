// Stiff double pendulum: two rods with stiff torsional spring-dampers, q = (x1, y1, theta1, x2, y2, theta2), mass
// centres and angles. SI units. Rods are 2 L1 and 2 L2 long.
//
//   m_i x_i'' , m_i y_i'' , (m_i L_i^2/3) theta_i''  + G^T lambda = (0, -m_i g, Q_i)
//   Q_1 = k1 (alpha1 - theta1) - c1 theta1' - Q_2,   Q_2 = k2 (theta1-theta2) + c2 (theta1'-theta2')
//   g = ( x1 - L1 cos theta1,  y1 - L1 sin theta1,
//         x1 + L1 cos theta1 + L2 cos theta2 - x2,  y1 + L1 sin theta1 + L2 sin theta2 - y2 )
//
// Gavrea, Negrut, Potra 2005 (NEWMARK), sect. 6.2, eq. (52), Table 3. The paper says body 1 starts "parallel with
// the global frame": the table is reproduced with theta1 = 2 pi, the default `newmark`. Variant `hard`: theta1 = 0,
// the springs start wound up by several radians. No energy function: the dampers dissipate.
// References: float128 extrapolation of eqs. (53), (54) (the scan has theta1' for theta1'' in (54)).
#include "build.h"

#include <math.h>
#include <stdio.h>

enum { X1, Y1, TH1, X2, Y2, TH2, NV };
enum { PIVOT_X, PIVOT_Y, HINGE_X, HINGE_Y, NG };
typedef double column[NV];            // A[column][row] of a matrix with NV rows
typedef double constraint_column[NG]; // and with NG rows

static const double m1 = 3, m2 = 0.3, L1 = 1, L2 = 1.5, k1 = 400, k2 = 3e5, c1 = 15, c2 = 5e4, grav = 9.81;
static const double alpha1 = 1.5 * FLY_PI;

static int mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  column *A = (column *)M;
  A[X1][X1] = A[Y1][Y1] = m1;
  A[X2][X2] = A[Y2][Y2] = m2;
  A[TH1][TH1] = m1 * L1 * L1 / 3;
  A[TH2][TH2] = m2 * L2 * L2 / 3;
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  (void)user;
  const double *q = s->q, *v = s->v;
  f[X1] = f[X2] = 0;
  f[Y1] = -m1 * grav;
  f[Y2] = -m2 * grav;
  f[TH2] = k2 * (q[TH1] - q[TH2]) + c2 * (v[TH1] - v[TH2]);
  f[TH1] = k1 * (alpha1 - q[TH1]) - c1 * v[TH1] - f[TH2];
  return 0;
}

static int constraint(double *g, double t, const double *q, void *user) {
  (void)t, (void)user;
  g[PIVOT_X] = q[X1] - L1 * cos(q[TH1]);
  g[PIVOT_Y] = q[Y1] - L1 * sin(q[TH1]);
  g[HINGE_X] = q[X1] + L1 * cos(q[TH1]) + L2 * cos(q[TH2]) - q[X2];
  g[HINGE_Y] = q[Y1] + L1 * sin(q[TH1]) + L2 * sin(q[TH2]) - q[Y2];
  return 0;
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  (void)t, (void)user;
  constraint_column *A = (constraint_column *)G;
  A[X1][PIVOT_X] = A[X1][HINGE_X] = A[Y1][PIVOT_Y] = A[Y1][HINGE_Y] = 1;
  A[X2][HINGE_X] = A[Y2][HINGE_Y] = -1;
  A[TH1][PIVOT_X] = L1 * sin(q[TH1]);
  A[TH1][PIVOT_Y] = -L1 * cos(q[TH1]);
  A[TH1][HINGE_X] = -L1 * sin(q[TH1]);
  A[TH1][HINGE_Y] = L1 * cos(q[TH1]);
  A[TH2][HINGE_X] = -L2 * sin(q[TH2]);
  A[TH2][HINGE_Y] = L2 * cos(q[TH2]);
  return 0;
}

static int constraint_rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  g_t[PIVOT_X] = g_t[PIVOT_Y] = g_t[HINGE_X] = g_t[HINGE_Y] = 0;
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  const double a1 = L1 * v[TH1] * v[TH1], a2 = L2 * v[TH2] * v[TH2];
  gamma[PIVOT_X] = a1 * cos(q[TH1]);
  gamma[PIVOT_Y] = a1 * sin(q[TH1]);
  gamma[HINGE_X] = -a1 * cos(q[TH1]) - a2 * cos(q[TH2]);
  gamma[HINGE_Y] = -a1 * sin(q[TH1]) - a2 * sin(q[TH2]);
  return 0;
}

static int constraint_velocity_jacobian(double *Gv_q, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  constraint_column *A = (constraint_column *)Gv_q;
  A[TH1][PIVOT_X] = L1 * cos(q[TH1]) * v[TH1];
  A[TH1][PIVOT_Y] = L1 * sin(q[TH1]) * v[TH1];
  A[TH1][HINGE_X] = -L1 * cos(q[TH1]) * v[TH1];
  A[TH1][HINGE_Y] = -L1 * sin(q[TH1]) * v[TH1];
  A[TH2][HINGE_X] = -L2 * cos(q[TH2]) * v[TH2];
  A[TH2][HINGE_Y] = -L2 * sin(q[TH2]) * v[TH2];
  return 0;
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)user;
  const double *q = s->q, *lambda = s->lambda;
  column *A = (column *)J1, *B = (column *)J2;
  A[TH1][TH1] = c1 + c2;
  A[TH2][TH2] = c2;
  A[TH1][TH2] = A[TH2][TH1] = -c2;
  const double fx = lambda[PIVOT_X] - lambda[HINGE_X], fy = lambda[PIVOT_Y] - lambda[HINGE_Y];
  B[TH1][TH1] = k1 + k2 + L1 * (cos(q[TH1]) * fx + sin(q[TH1]) * fy);
  B[TH2][TH2] = k2 - L2 * (cos(q[TH2]) * lambda[HINGE_X] + sin(q[TH2]) * lambda[HINGE_Y]);
  B[TH1][TH2] = B[TH2][TH1] = -k2;
  return 0;
}

static void row_name(char *text, size_t size, int row, void *user) {
  (void)user;
  snprintf(text, size, "%s, %c", row < HINGE_X ? "pivot" : "hinge", row % 2 ? 'y' : 'x');
}

static const char *const names[] = {"x1", "y1", "theta1", "x2", "y2", "theta2"};

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

// The bodies where the two angles and their rates put them.
static void place(double q[NV], double v[NV], double th1, double th2, double w1, double w2) {
  q[TH1] = th1;
  q[TH2] = th2;
  q[X1] = L1 * cos(th1);
  q[Y1] = L1 * sin(th1);
  q[X2] = 2 * q[X1] + L2 * cos(th2);
  q[Y2] = 2 * q[Y1] + L2 * sin(th2);
  v[TH1] = w1;
  v[TH2] = w2;
  v[X1] = -L1 * sin(th1) * w1;
  v[Y1] = L1 * cos(th1) * w1;
  v[X2] = 2 * v[X1] - L2 * sin(th2) * w2;
  v[Y2] = 2 * v[Y1] + L2 * cos(th2) * w2;
}

fly_status fly_make_stiff_double_pendulum(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)n;
  double q0[NV], v0[NV], q[NV], v[NV];
  if (fly_variant_is(variant, "hard")) {
    place(q0, v0, 0, 23 * FLY_PI / 12, 0, 10);
    place(q, v, 5.1203695901590022, 5.1204330019465623, 1.745465099230539, 1.7459844107573);
  } else {
    place(q0, v0, 2 * FLY_PI, 23 * FLY_PI / 12, 0, 10);
    place(q, v, 4.6404781832213311, 4.6404967016885317, -1.6298924540837664, -1.6302527153802556);
  }
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = 2,
      .q_names = names,
      .q0 = q0,
      .v0 = v0,
      .reference_q = q,
      .reference_v = v,
      .reference_t = 2,
  };
  return fly_problem_build(out, &parts, error);
}
