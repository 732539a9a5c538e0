// Andrews' squeezing mechanism (seven-body mechanism) in seven angles,
// q = (beta, Theta, gamma, Phi, delta, Omega, epsilon). SI units, no gravity.
//
//   M(q) v' + G^T lambda = f(q, v),   g(q) = 0: three closed loops, (x, y) each
//
// With e(a) = (cos a, sin a) and its quarter turn n(a) = (-sin a, cos a), the loops are
//   1:  rr e(beta) - d e(beta+Theta) + ss n(gamma) - B
//   2:  rr e(beta) - d e(beta+Theta) + e n(Phi+delta) - zt e(delta) - A
//   3:  rr e(beta) - d e(beta+Theta) - zf e(Omega+epsilon) + u n(epsilon) - A
// so g is a sum of arms a e(psi) whose angles psi are sums of one or two coordinates (table `arms`); an arm p adds
//   g: p    G: p' = (-p_y, p_x)    gamma: -p psi'^2    d(G v)/dq: -p psi'    d(G^T lambda)/dq: -p.lambda.
//
// M and f as in the test set. The energy is kinetic + spring - mom (beta - beta0): constant.
//
// Default `testset`: Test Set for IVP Solvers, Andrews' squeezing mechanism, 0.03 s. Reference: the independent
// float128 column of shared/reference (the published one is good to 1e-9 in q, 1e-7 in v).
//
// Variant `iftomm`: IFToMM library A03, beta0 = -0.0620, 0.05 s. Reference: index-1 extrapolation in long double,
// whose beta agrees with the independent history of shared/reference in all its 13 digits.
#include "seven_body.h"
#include "build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, NV };
enum { NG = 6 };
typedef double column[NV];            // A[column][row] of a matrix with NV rows
typedef double constraint_column[NG]; // and with NG rows

const fly_seven_body fly_seven_body_data = {
    .m = {0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498},
    .I = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5},
    .xa = -0.06934,
    .ya = -0.00227,
    .xb = -0.03635,
    .yb = 0.03273,
    .xc = 0.014,
    .yc = 0.072,
    .c0 = 4530,
    .l0 = 0.07785,
    .mom = 0.033,
    .d = 0.028,
    .da = 0.0115,
    .e = 0.02,
    .ea = 0.01421,
    .rr = 0.007,
    .ra = 0.00092,
    .ss = 0.035,
    .sa = 0.01874,
    .sb = 0.01043,
    .sc = 0.018,
    .sd = 0.02,
    .ta = 0.02308,
    .tb = 0.00916,
    .u = 0.04,
    .ua = 0.01228,
    .ub = 0.00449,
    .zf = 0.02,
    .zt = 0.04,
    .fa = 0.01421,
};

#define D (&fly_seven_body_data)

static double square(double a) { return a * a; }

// The three products that stand before a function of Theta, Phi, Omega in M and f.
static double product_theta(void) { return D->m[1] * D->da * D->rr; }
static double product_phi(void) { return D->m[3] * D->zt * (D->e - D->ea); }
static double product_omega(void) { return D->m[5] * D->u * (D->zf - D->fa); }

static int mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)user;
  const double *m = D->m, *I = D->I;
  const double a = product_theta() * cos(q[THETA]), b = product_phi() * sin(q[PHI]);
  const double c = product_omega() * sin(q[OMEGA]);
  const double m2 = m[1] * square(D->da) + I[1], m4 = m[3] * square(D->e - D->ea) + I[3];
  const double m6 = m[5] * square(D->zf - D->fa) + I[5];
  column *A = (column *)M;
  A[BETA][BETA] = m[0] * square(D->ra) + m[1] * square(D->rr) - 2 * a + m2 + I[0];
  A[THETA][BETA] = A[BETA][THETA] = m2 - a;
  A[THETA][THETA] = m2;
  A[GAMMA][GAMMA] = m[2] * (square(D->sa) + square(D->sb)) + I[2];
  A[PHI][PHI] = m4;
  A[PHI][DELTA] = A[DELTA][PHI] = m4 + b;
  A[DELTA][DELTA] = m[3] * square(D->zt) + 2 * b + m4 + m[4] * (square(D->ta) + square(D->tb)) + I[4];
  A[OMEGA][OMEGA] = m6;
  A[OMEGA][EPSILON] = A[EPSILON][OMEGA] = m6 - c;
  A[EPSILON][EPSILON] = m[5] * square(D->u) - 2 * c + m6 + m[6] * (square(D->ua) + square(D->ub)) + I[6];
  return 0;
}

// The spring as a function of gamma: potential V, torque -V' and its derivative -V''.
typedef struct spring {
  double potential, torque, torque_gamma;
} spring;

static spring spring_at(double gamma) {
  const double c = cos(gamma), s = sin(gamma);
  const double arm[2] = {D->sd * c + D->sc * s, D->sd * s - D->sc * c};            // D - B
  const double E[2] = {arm[0] + D->xb - D->xc, arm[1] + D->yb - D->yc};            // D - C
  const double L = hypot(E[0], E[1]), stretch = L - D->l0;                         //
  const double p = -E[0] * arm[1] + E[1] * arm[0];                                 // E . dD/dgamma = L dL/dgamma
  const double dp = square(D->sd) + square(D->sc) - E[0] * arm[0] - E[1] * arm[1]; // dp/dgamma
  return (spring){.potential = D->c0 * square(stretch) / 2,
                  .torque = -D->c0 * stretch / L * p,
                  .torque_gamma = -D->c0 * (D->l0 * square(p) / (L * L * L) + stretch / L * dp)};
}

static int force(double *f, const fly_dae_state *s, void *user) {
  (void)user;
  const double *q = s->q, *v = s->v;
  const double a = product_theta() * sin(q[THETA]), b = product_phi() * cos(q[PHI]);
  const double c = product_omega() * cos(q[OMEGA]);
  f[BETA] = D->mom - a * v[THETA] * (v[THETA] + 2 * v[BETA]);
  f[THETA] = a * square(v[BETA]);
  f[GAMMA] = spring_at(q[GAMMA]).torque;
  f[PHI] = b * square(v[DELTA]);
  f[DELTA] = -b * v[PHI] * (v[PHI] + 2 * v[DELTA]);
  f[OMEGA] = -c * square(v[EPSILON]);
  f[EPSILON] = c * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]);
  return 0;
}

// An arm of a loop: a e(psi), or a n(psi) if turned, with psi = q_i + q_j (j < 0: psi = q_i).
typedef struct arm {
  int loop, i, j;
  bool turned;
  double a;
} arm;

enum { NARM = 11 };

static void arms(arm out[NARM]) {
  const arm table[NARM] = {
      {0, BETA, -1, false, D->rr},        {0, BETA, THETA, false, -D->d}, {0, GAMMA, -1, true, D->ss},
      {1, BETA, -1, false, D->rr},        {1, BETA, THETA, false, -D->d}, {1, PHI, DELTA, true, D->e},
      {1, DELTA, -1, false, -D->zt},      {2, BETA, -1, false, D->rr},    {2, BETA, THETA, false, -D->d},
      {2, OMEGA, EPSILON, false, -D->zf}, {2, EPSILON, -1, true, D->u}};
  memcpy(out, table, sizeof table);
}

static double angle_of(const arm *k, const double *q) { return q[k->i] + (k->j < 0 ? 0 : q[k->j]); }

static void arm_vector(double p[2], const arm *k, const double *q) {
  const double psi = angle_of(k, q);
  p[0] = k->a * (k->turned ? -sin(psi) : cos(psi));
  p[1] = k->a * (k->turned ? cos(psi) : sin(psi));
}

static int constraint(double *g, double t, const double *q, void *user) {
  (void)t, (void)user;
  const double end[NG] = {D->xb, D->yb, D->xa, D->ya, D->xa, D->ya};
  arm k[NARM];
  arms(k);
  for (int i = 0; i < NG; i++)
    g[i] = -end[i];
  for (int n = 0; n < NARM; n++) {
    double p[2];
    arm_vector(p, &k[n], q);
    g[2 * k[n].loop] += p[0];
    g[2 * k[n].loop + 1] += p[1];
  }
  return 0;
}

// Adds the vector p to both rows of the arm's loop, in the columns of its coordinates.
static void add_to_columns(double *G, const arm *k, double px, double py) {
  constraint_column *A = (constraint_column *)G;
  const int columns[2] = {k->i, k->j};
  for (int n = 0; n < 2; n++) {
    if (columns[n] < 0)
      continue;
    A[columns[n]][2 * k->loop] += px;
    A[columns[n]][2 * k->loop + 1] += py;
  }
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  (void)t, (void)user;
  arm k[NARM];
  arms(k);
  for (int n = 0; n < NARM; n++) {
    double p[2];
    arm_vector(p, &k[n], q);
    add_to_columns(G, &k[n], -p[1], p[0]);
  }
  return 0;
}

static int constraint_rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  memset(g_t, 0, NG * sizeof *g_t);
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  arm k[NARM];
  arms(k);
  memset(gamma, 0, NG * sizeof *gamma);
  for (int n = 0; n < NARM; n++) {
    double p[2];
    arm_vector(p, &k[n], q);
    const double rate = angle_of(&k[n], v);
    gamma[2 * k[n].loop] -= p[0] * square(rate);
    gamma[2 * k[n].loop + 1] -= p[1] * square(rate);
  }
  return 0;
}

static int constraint_velocity_jacobian(double *Gv_q, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  arm k[NARM];
  arms(k);
  for (int n = 0; n < NARM; n++) {
    double p[2];
    arm_vector(p, &k[n], q);
    const double rate = angle_of(&k[n], v);
    add_to_columns(Gv_q, &k[n], -p[0] * rate, -p[1] * rate);
  }
  return 0;
}

// d(G^T lambda)/dq.
static void add_reactions(column *A, const double *q, const double *lambda) {
  arm k[NARM];
  arms(k);
  for (int n = 0; n < NARM; n++) {
    double p[2];
    arm_vector(p, &k[n], q);
    const double stiffness = -(p[0] * lambda[2 * k[n].loop] + p[1] * lambda[2 * k[n].loop + 1]);
    const int c[2] = {k[n].i, k[n].j};
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++)
        if (c[i] >= 0 && c[j] >= 0)
          A[c[j]][c[i]] += stiffness;
  }
}

// d(M w)/dq: only Theta, Phi and Omega appear in M.
static void add_inertia(column *A, const double *q, const double *w) {
  const double a = product_theta() * sin(q[THETA]), b = product_phi() * cos(q[PHI]);
  const double c = product_omega() * cos(q[OMEGA]);
  A[THETA][BETA] += 2 * a * w[BETA] + a * w[THETA];
  A[THETA][THETA] += a * w[BETA];
  A[PHI][PHI] += b * w[DELTA];
  A[PHI][DELTA] += b * w[PHI] + 2 * b * w[DELTA];
  A[OMEGA][OMEGA] += -c * w[EPSILON];
  A[OMEGA][EPSILON] += -c * w[OMEGA] - 2 * c * w[EPSILON];
}

// -df/dq.
static void add_force_q(column *A, const double *q, const double *v) {
  const double a = product_theta() * cos(q[THETA]), b = -product_phi() * sin(q[PHI]);
  const double c = -product_omega() * sin(q[OMEGA]);
  A[THETA][BETA] += a * v[THETA] * (v[THETA] + 2 * v[BETA]);
  A[THETA][THETA] -= a * square(v[BETA]);
  A[GAMMA][GAMMA] -= spring_at(q[GAMMA]).torque_gamma;
  A[PHI][PHI] -= b * square(v[DELTA]);
  A[PHI][DELTA] += b * v[PHI] * (v[PHI] + 2 * v[DELTA]);
  A[OMEGA][OMEGA] += c * square(v[EPSILON]);
  A[OMEGA][EPSILON] -= c * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]);
}

// -df/dv.
static void add_force_v(column *A, const double *q, const double *v) {
  const double a = product_theta() * sin(q[THETA]), b = product_phi() * cos(q[PHI]);
  const double c = product_omega() * cos(q[OMEGA]);
  A[BETA][BETA] += 2 * a * v[THETA];
  A[THETA][BETA] += 2 * a * (v[THETA] + v[BETA]);
  A[BETA][THETA] -= 2 * a * v[BETA];
  A[DELTA][PHI] -= 2 * b * v[DELTA];
  A[DELTA][DELTA] += 2 * b * v[PHI];
  A[PHI][DELTA] += 2 * b * (v[PHI] + v[DELTA]);
  A[EPSILON][OMEGA] += 2 * c * v[EPSILON];
  A[EPSILON][EPSILON] -= 2 * c * v[OMEGA];
  A[OMEGA][EPSILON] -= 2 * c * (v[OMEGA] + v[EPSILON]);
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)user;
  add_force_v((column *)J1, s->q, s->v);
  add_force_q((column *)J2, s->q, s->v);
  add_inertia((column *)J2, s->q, s->vdot);
  add_reactions((column *)J2, s->q, s->lambda);
  return 0;
}

static int energy(double *E, double t, const double *q, const double *v, void *user) {
  const double *beta0 = user;
  double M[NV * NV] = {0};
  mass(M, t, q, user);
  double T = 0;
  for (int j = 0; j < NV; j++)
    for (int i = 0; i < NV; i++)
      T += v[i] * M[NV * j + i] * v[j] / 2;
  *E = T + spring_at(q[GAMMA]).potential - D->mom * (q[BETA] - *beta0);
  return 0;
}

static void row_name(char *text, size_t size, int row, void *user) {
  (void)user;
  snprintf(text, size, "loop %d, %c", row / 2 + 1, row % 2 ? 'y' : 'x');
}

// ---------------------------------------------------------------------------------------------- the start

// Solves A x = b for x in place of b by elimination with row pivots; A[row][column]. False if A is singular.
static bool solve(double A[NG][NG], double b[NG]) {
  for (int k = 0; k < NG; k++) {
    int pivot = k;
    for (int i = k + 1; i < NG; i++)
      if (fabs(A[i][k]) > fabs(A[pivot][k]))
        pivot = i;
    if (A[pivot][k] == 0)
      return false;
    for (int j = 0; j < NG; j++) {
      const double swap = A[k][j];
      A[k][j] = A[pivot][j];
      A[pivot][j] = swap;
    }
    const double swap = b[k];
    b[k] = b[pivot];
    b[pivot] = swap;
    for (int i = k + 1; i < NG; i++) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j < NG; j++)
        A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = NG - 1; i >= 0; i--) {
    for (int j = i + 1; j < NG; j++)
      b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
  return true;
}

// One Newton step for the six angles that follow beta. Returns its largest change, or -1 if the loops are singular.
static double close_step(double q[NV]) {
  double g[NG], G[NG * NV] = {0}, A[NG][NG];
  constraint(g, 0, q, NULL);
  constraint_jacobian(G, 0, q, NULL);
  for (int i = 0; i < NG; i++)
    for (int j = 0; j < NG; j++)
      A[i][j] = G[NG * (j + 1) + i];
  if (!solve(A, g))
    return -1;
  double change = 0;
  for (int i = 0; i < NG; i++) {
    q[i + 1] -= g[i];
    change = fmax(change, fabs(g[i]));
  }
  return change;
}

// Newton from the start of the test set until the angles stand still; 1e-15 is below their last digit.
bool fly_seven_body_start(double q[FLY_SEVEN_ANGLES], bool iftomm) {
  const double testset[NV] = {-0.0617138900142764496, 0,
                              0.455279819163070380,   0.222668390165885885,
                              0.487364979543842550,   -0.222668390165885885,
                              1.230547444549821192};
  memcpy(q, testset, sizeof testset);
  if (!iftomm)
    return true;
  q[BETA] = -0.0620;
  double change = 1;
  for (int i = 0; i < 20 && change > 1e-15; i++)
    change = close_step(q);
  return change >= 0 && change < 1e-12;
}

double fly_seven_body_reference(double q[FLY_SEVEN_ANGLES], double v[FLY_SEVEN_ANGLES], bool iftomm) {
  static const double q_testset[NV] = {15.81077119515370709711939,   -15.75637105841183946972775,
                                       0.04082224011964580485828232, -0.5347301163420795937701850,
                                       0.5244099658799540693716558,  0.5347301163420795937701850,
                                       1.048080741041937873068515};
  static const double v_testset[NV] = {
      1139.920302259106064198097,  -1424.379295177540073196026, 11.03291191061859374532731, 19.29337410503204083162756,
      0.5735699148295024538176879, -19.29337410503204083162756, 0.3231791492491308749907484};
  static const double q_iftomm[NV] = {33.8153407213602,  -33.5711553782194, 0.115158527591546, -0.404764941308141,
                                      0.526051256322152, 0.404764941308141, 1.05727175590757};
  static const double v_iftomm[NV] = {1140.942733447116, -1329.180879086408, -191.9102631167916, -336.0744173759463,
                                      1.119436797167766, 336.0744173759463,  -40.56510696004247};
  memcpy(q, iftomm ? q_iftomm : q_testset, sizeof q_testset);
  memcpy(v, iftomm ? v_iftomm : v_testset, sizeof v_testset);
  return iftomm ? 0.05 : 0.03;
}

static const char *const names[] = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};

static const fly_dae_problem dae = {
    .nq = NV,
    .nv = NV,
    .ng = NG,
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

fly_status fly_make_seven_body(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)n;
  const bool iftomm = fly_variant_is(variant, "iftomm");
  double q0[NV], q[NV], v[NV];
  if (!fly_seven_body_start(q0, iftomm))
    return fly_problem_fail(error, FLY_INCONSISTENT, "The loops of the seven-body mechanism cannot be closed.");
  const double t = fly_seven_body_reference(q, v, iftomm);
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = t,
      .q_names = names,
      .q0 = q0,
      .data = &q0[BETA],
      .data_size = sizeof q0[BETA],
      .reference_q = q,
      .reference_v = v,
      .reference_t = t,
  };
  return fly_problem_build(out, &parts, error);
}
