// Andrews' squeezing mechanism in Cartesian coordinates: q = (x, y, phi) of the mass centre of each of the seven
// bodies, 21 coordinates, 10 revolute joints, 20 rows. SI units, no gravity.
//
//   M v' + G^T lambda = f: the spring on body 3 and the torque on body 1 (planar.h gives M and the joints)
//
// Bodies turn with phi = (beta, beta+Theta, gamma, Phi+delta, delta, Omega+epsilon, epsilon). Mass centres from the
// angle formulation (seven_body.c), R(phi) the rotation, O the origin:
//   1: O + R(ra, 0)         2: F + R(-da, 0), F = rr e(beta)        3: B + R(sb, -sa)
//   4: H + R(0, -(e-ea)), H = A + zt e(delta)                       5: A + R(ta, tb)
//   6: K + R(zf-fa, 0),  K = A + R(epsilon)(0, -u)                  7: A + R(-ub, -ua)
// and E is the point where bodies 2, 3, 4 and 6 meet. The kinetic energy equals that of the angles (tested).
//
// Spring: E = D - C, F = -c0 (1 - l0/|E|) E at D = r3 + R s; f = D_q^T F with D_q = [1, R' s].
// Sources and variants as for seven-body; its starts and reference values are converted.
#include "planar.h"
#include "seven_body.h"

#include <math.h>
#include <string.h>

enum { NBODY = 7, NJOINT = 10, NV = FLY_SEVEN_CARTESIAN, NG = 20 };

#define D (&fly_seven_body_data)

typedef struct cartesian {
  fly_planar planar; // first: the callbacks of planar.h read it
  double beta0;
} cartesian;

static void set_model(fly_planar *model) {
  *model = (fly_planar){
      .nbody = NBODY,
      .njoint = NJOINT,
      .joint = {{"pivot O of body 1", 0, FLY_GROUND, {-D->ra, 0}, {0, 0}},
                {"hinge F of 1-2", 0, 1, {D->rr - D->ra, 0}, {D->da, 0}},
                {"hinge E of 2-3", 1, 2, {D->da - D->d, 0}, {-D->sb, D->sa - D->ss}},
                {"hinge E of 2-4", 1, 3, {D->da - D->d, 0}, {0, -D->ea}},
                {"hinge E of 2-6", 1, 5, {D->da - D->d, 0}, {D->fa, 0}},
                {"pivot B of body 3", 2, FLY_GROUND, {-D->sb, D->sa}, {D->xb, D->yb}},
                {"hinge H of 4-5", 3, 4, {0, D->e - D->ea}, {D->zt - D->ta, -D->tb}},
                {"pivot A of body 5", 4, FLY_GROUND, {-D->ta, -D->tb}, {D->xa, D->ya}},
                {"hinge K of 6-7", 5, 6, {D->fa - D->zf, 0}, {D->ub, D->ua - D->u}},
                {"pivot A of body 7", 6, FLY_GROUND, {D->ub, D->ua}, {D->xa, D->ya}}},
  };
  for (int i = 0; i < NBODY; i++)
    model->body[i] = (fly_planar_body){D->m[i], D->I[i]};
}

// A point on a moving base: r = base + R(phi) s, r' = base' + phi' R' s. Writes (x, y, phi).
static void attach(double *q, double *v, const double base[2], const double base_rate[2], const double s[2], double phi,
                   double rate) {
  double a[2];
  fly_planar_turn(a, phi, s);
  q[0] = base[0] + a[0];
  q[1] = base[1] + a[1];
  q[2] = phi;
  v[0] = base_rate[0] - rate * a[1];
  v[1] = base_rate[1] + rate * a[0];
  v[2] = rate;
}

void fly_seven_body_to_cartesian(double q[FLY_SEVEN_CARTESIAN], double v[FLY_SEVEN_CARTESIAN],
                                 const double angle[FLY_SEVEN_ANGLES], const double rate[FLY_SEVEN_ANGLES]) {
  const double *a = angle, *w = rate, zero[2] = {0, 0};
  const double A[2] = {D->xa, D->ya}, B[2] = {D->xb, D->yb};
  double F[3], F_rate[3], H[3], H_rate[3], K[3], K_rate[3];
  attach(F, F_rate, zero, zero, (const double[]){D->rr, 0}, a[0], w[0]);
  attach(H, H_rate, A, zero, (const double[]){D->zt, 0}, a[4], w[4]);
  attach(K, K_rate, A, zero, (const double[]){0, -D->u}, a[6], w[6]);
  attach(q, v, zero, zero, (const double[]){D->ra, 0}, a[0], w[0]);
  attach(q + 3, v + 3, F, F_rate, (const double[]){-D->da, 0}, a[0] + a[1], w[0] + w[1]);
  attach(q + 6, v + 6, B, zero, (const double[]){D->sb, -D->sa}, a[2], w[2]);
  attach(q + 9, v + 9, H, H_rate, (const double[]){0, D->ea - D->e}, a[3] + a[4], w[3] + w[4]);
  attach(q + 12, v + 12, A, zero, (const double[]){D->ta, D->tb}, a[4], w[4]);
  attach(q + 15, v + 15, K, K_rate, (const double[]){D->zf - D->fa, 0}, a[5] + a[6], w[5] + w[6]);
  attach(q + 18, v + 18, A, zero, (const double[]){-D->ub, -D->ua}, a[6], w[6]);
}

// The spring at a position of body 3.
typedef struct spring {
  double arm[2];       // R s, from the mass centre to D
  double E[2], length; // from C to D
  double F[2];         // force on D
} spring;

static spring spring_at(const double *q3) {
  spring p;
  fly_planar_turn(p.arm, q3[2], (const double[]){D->sd - D->sb, D->sa - D->sc});
  p.E[0] = q3[0] + p.arm[0] - D->xc;
  p.E[1] = q3[1] + p.arm[1] - D->yc;
  p.length = hypot(p.E[0], p.E[1]);
  for (int i = 0; i < 2; i++)
    p.F[i] = -D->c0 * (1 - D->l0 / p.length) * p.E[i];
  return p;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  (void)user;
  const spring p = spring_at(s->q + 6);
  memset(f, 0, NV * sizeof *f);
  f[2] = D->mom;
  f[6] = p.F[0];
  f[7] = p.F[1];
  f[8] = p.arm[0] * p.F[1] - p.arm[1] * p.F[0];
  return 0;
}

// -df/dq of body 3: D_q^T k D_q - (D_phi,phi . F) at (phi, phi), with k = -dF/dE = c0 ((1-l0/L) + l0/L^3 E E^T).
static void spring_jacobian(double block[9], const double *q3) {
  const spring p = spring_at(q3);
  const double L = p.length, a = D->c0 * (1 - D->l0 / L), b = D->c0 * D->l0 / (L * L * L);
  const double D_q[3][2] = {{1, 0}, {0, 1}, {-p.arm[1], p.arm[0]}};
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++) {
      const double Er = D_q[r][0] * p.E[0] + D_q[r][1] * p.E[1], Ec = D_q[c][0] * p.E[0] + D_q[c][1] * p.E[1];
      block[3 * c + r] += a * (D_q[r][0] * D_q[c][0] + D_q[r][1] * D_q[c][1]) + b * Er * Ec;
    }
  block[8] += p.arm[0] * p.F[0] + p.arm[1] * p.F[1];
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1;
  spring_jacobian(J2 + 18, s->q + 6);
  fly_planar_reaction_jacobian(J2, s, user);
  return 0;
}

static int energy(double *E, double t, const double *q, const double *v, void *user) {
  const cartesian *data = user;
  const double stretch = spring_at(q + 6).length - D->l0;
  fly_planar_energy(E, t, q, v, user);
  *E += D->c0 * stretch * stretch / 2 - D->mom * (q[2] - data->beta0);
  return 0;
}

static const char *const names[] = {"x1",   "y1", "phi1", "x2",   "y2", "phi2", "x3",   "y3", "phi3", "x4",  "y4",
                                    "phi4", "x5", "y5",   "phi5", "x6", "y6",   "phi6", "x7", "y7",   "phi7"};

// Angles 1 rad; lengths 0.04 m, the longest link.
static const double scale[NV] = {0.04, 0.04, 1,    0.04, 0.04, 1,    0.04, 0.04, 1,    0.04, 0.04,
                                 1,    0.04, 0.04, 1,    0.04, 0.04, 1,    0.04, 0.04, 1};

static const fly_dae_problem dae = {
    .nq = NV,
    .nv = NV,
    .ng = NG,
    .mass_constant = true,
    .mass = fly_planar_mass,
    .force = force,
    .constraint = fly_planar_constraint,
    .constraint_jacobian = fly_planar_constraint_jacobian,
    .constraint_rate = fly_planar_constraint_rate,
    .constraint_gamma = fly_planar_constraint_gamma,
    .constraint_velocity_jacobian = fly_planar_constraint_velocity_jacobian,
    .jacobian = jacobian,
    .energy = energy,
    .row_name = fly_planar_row_name,
    .scale_v = scale,
};

fly_status fly_make_seven_body_cartesian(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)n;
  const bool iftomm = fly_variant_is(variant, "iftomm");
  double angle[FLY_SEVEN_ANGLES], rate[FLY_SEVEN_ANGLES] = {0}, q0[NV], v0[NV], q[NV], v[NV];
  if (!fly_seven_body_start(angle, iftomm))
    return fly_problem_fail(error, FLY_INCONSISTENT, "The loops of the seven-body mechanism cannot be closed.");
  cartesian data = {.beta0 = angle[0]};
  set_model(&data.planar);
  fly_seven_body_to_cartesian(q0, v0, angle, rate);
  const double t = fly_seven_body_reference(angle, rate, iftomm);
  fly_seven_body_to_cartesian(q, v, angle, rate);
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = t,
      .q_names = names,
      .q0 = q0,
      .v0 = v0,
      .data = &data,
      .data_size = sizeof data,
      .pattern_ints = fly_planar_pattern_ints(&data.planar),
      .reference_q = q,
      .reference_v = v,
      .reference_t = t,
  };
  const fly_status status = fly_problem_build(out, &parts, error);
  if (status == FLY_OK)
    fly_planar_set_patterns(out, &data.planar);
  return status;
}
