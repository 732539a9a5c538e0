// Thin disk rolling on the plane z = 0, q = (r, p): mass centre and unit quaternion, body z axis the axis of the disk;
// v = (r', omega in body axes). SI units, gravity 9.81 along -z.
//
// In body axes: k = R^T e_z the vertical, s = |(k1, k2)|, u = (k1, k2, 0)/s the steepest direction in the disk,
// w = e3 x u the horizontal one. The contact is at -a u from the centre. With E_i = R^T e_i (rows of R):
//   height (holonomic):     g   = z - a s                             the contact lies on the plane
//   no slip (nonholonomic): B v = r_i' + a E_i.(u x omega), i = x, y   its velocity vanishes in the plane
// The vertical part of "no slip" is the derivative of the height: taken as a position it cannot drift, so there are one
// holonomic and two nonholonomic rows rather than three nonholonomic ones.
//
// Under p * exp(theta): dE = E x theta, ds = -k3 w.theta, dk3 = s w.theta, du = (h.theta) w, dw = -(h.theta) u, with
// h = (k3/s) u - e3. Hence, with p_b = R^T (lambda_1, lambda_2, 0),
//   G = (0, 0, 1, a k3 w)
//   d(G v)/dtheta       = a (s (w.omega) w - k3 (u.omega) h)
//   d(G^T l)/dtheta     = a l (s w w^T - k3 u h^T)
//   B_i                 = (e_i, a E_i x u)
//   d(B_i v)/dtheta     = a ((u x omega) x E_i + (E_i.(w x omega)) h)
//   d(B^T l)/dtheta     = a (-[u] [p_b] + (p_b x w) h^T)
// and each gamma is d(.)/dtheta applied to omega. The reactions do no work: kinetic + m g z is constant.
//
// Classical (Chaplygin, Appell, Korteweg). With its centre at rest a disk inclined by alpha turns steadily when
// Omega^2 = 4 g/(a sin alpha): tested. Here a = 0.25 m, tilted 0.3 rad from upright, rolling at about 2 m/s and
// wobbling. A disk that lies flat (s = 0) has no lowest point: the callbacks then ask for a smaller step.
// Reference: index-1 extrapolation in long double.
#include "build.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NV = 6, NB = 2, P = 3 };         // the quaternion starts at q[P], omega at v[P]
typedef double column[NV];              // A[column][row] of a matrix with NV rows
typedef double nonholonomic_column[NB]; // and with NB rows

static const double m = 1, a = 0.25, grav = 9.81;
static const double J[3] = {1 * 0.25 * 0.25 / 4, 1 * 0.25 * 0.25 / 4, 1 * 0.25 * 0.25 / 2};

typedef struct frame {
  mat3 R;
  double k3, s;
  double u[3], w[3], h[3];
} frame;

// Returns 0, or 1 if the disk lies (almost) flat.
static int frame_at(frame *f, const double *q) {
  f->R = rotation3(q + P);
  const double *k = f->R.row[2];
  f->k3 = k[2];
  f->s = hypot(k[0], k[1]);
  if (f->s < 1e-6)
    return 1;
  const double u[3] = {k[0] / f->s, k[1] / f->s, 0};
  const double w[3] = {-u[1], u[0], 0};
  for (int i = 0; i < 3; i++) {
    f->u[i] = u[i];
    f->w[i] = w[i];
    f->h[i] = f->k3 / f->s * u[i] - (i == 2);
  }
  return 0;
}

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

// ---------------------------------------------------------------------------------------------- height

static int constraint(double *g, double t, const double *q, void *user) {
  (void)t, (void)user;
  frame f;
  if (frame_at(&f, q))
    return 1;
  g[0] = q[2] - a * f.s;
  return 0;
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  (void)t, (void)user;
  frame f;
  if (frame_at(&f, q))
    return 1;
  G[2] = 1;
  for (int i = 0; i < 3; i++)
    G[P + i] = a * f.k3 * f.w[i];
  return 0;
}

static int constraint_rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  g_t[0] = 0;
  return 0;
}

static int constraint_velocity_jacobian(double *Gv_q, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  frame f;
  if (frame_at(&f, q))
    return 1;
  const double wu = dot3(f.u, v + P), ww = dot3(f.w, v + P);
  for (int i = 0; i < 3; i++)
    Gv_q[P + i] = a * (f.s * ww * f.w[i] - f.k3 * wu * f.h[i]);
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  double Gv_q[NV];
  if (constraint_velocity_jacobian(Gv_q, t, q, v, user))
    return 1;
  gamma[0] = dot3(Gv_q + P, v + P);
  return 0;
}

// ---------------------------------------------------------------------------------------------- no slip

static int nonholonomic(double *B, double t, const double *q, void *user) {
  (void)t, (void)user;
  frame f;
  if (frame_at(&f, q))
    return 1;
  nonholonomic_column *A = (nonholonomic_column *)B;
  for (int i = 0; i < NB; i++) {
    double Eu[3];
    cross3(Eu, f.R.row[i], f.u);
    A[i][i] = 1;
    for (int j = 0; j < 3; j++)
      A[P + j][i] = a * Eu[j];
  }
  return 0;
}

static int nonholonomic_rate(double *b, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  b[0] = b[1] = 0;
  return 0;
}

// d(B_i v)/dtheta.
static void slip_gradient(double out[3], const frame *f, int i, const double *omega) {
  double uo[3], wo[3], turn[3];
  cross3(uo, f->u, omega);
  cross3(wo, f->w, omega);
  cross3(turn, uo, f->R.row[i]);
  for (int j = 0; j < 3; j++)
    out[j] = a * (turn[j] + dot3(f->R.row[i], wo) * f->h[j]);
}

static int nonholonomic_velocity_jacobian(double *Bv_q, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  frame f;
  if (frame_at(&f, q))
    return 1;
  nonholonomic_column *A = (nonholonomic_column *)Bv_q;
  for (int i = 0; i < NB; i++) {
    double row[3];
    slip_gradient(row, &f, i, v + P);
    for (int j = 0; j < 3; j++)
      A[P + j][i] = row[j];
  }
  return 0;
}

static int nonholonomic_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  frame f;
  if (frame_at(&f, q))
    return 1;
  for (int i = 0; i < NB; i++) {
    double row[3];
    slip_gradient(row, &f, i, v + P);
    gamma[i] = dot3(row, v + P);
  }
  return 0;
}

// ---------------------------------------------------------------------------------------------- derivatives of the
// motion

// d(omega x J omega)/domega = [omega] J - [J omega].
static void add_gyroscopic(column *A, const double *w) {
  const double Jw[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]};
  const mat3 W = skew3(w), H = skew3(Jw);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      A[P + j][P + i] += W.row[i][j] * J[j] - H.row[i][j];
}

// d(G^T lambda_g + B^T lambda_b)/dtheta; lambda = (height, slip x, slip y).
static void add_reactions(column *A, const frame *f, const double *lambda) {
  const double in_plane[3] = {lambda[1], lambda[2], 0};
  double p[3], pw[3];
  apply_transposed3(p, f->R, in_plane);
  cross3(pw, p, f->w);
  const mat3 UP = multiply3(skew3(f->u), skew3(p));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double height = f->s * f->w[i] * f->w[j] - f->k3 * f->u[i] * f->h[j];
      A[P + j][P + i] += a * (lambda[0] * height - UP.row[i][j] + pw[i] * f->h[j]);
    }
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)user;
  frame f;
  if (frame_at(&f, s->q))
    return 1;
  add_gyroscopic((column *)J1, s->v + P);
  add_reactions((column *)J2, &f, s->lambda);
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
  static const char *const text_of[1 + NB] = {"contact height", "no slip, x", "no slip, y"};
  snprintf(text, size, "%s", text_of[row]);
}

static const char *const names[] = {"x", "y", "z", "p0", "p1", "p2", "p3"};
static const int rotation_q[] = {P}, rotation_v[] = {P};
static const double scale[NV] = {0.25, 0.25, 0.25, 1, 1, 1}; // the radius; 1 rad

static const fly_dae_problem dae = {
    .nq = NV + 1,
    .nv = NV,
    .ng = 1,
    .nb = NB,
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
    .nonholonomic = nonholonomic,
    .nonholonomic_rate = nonholonomic_rate,
    .nonholonomic_gamma = nonholonomic_gamma,
    .nonholonomic_velocity_jacobian = nonholonomic_velocity_jacobian,
    .jacobian = jacobian,
    .energy = energy,
    .row_name = row_name,
    .scale_v = scale,
};

// Contact at the origin, axis turned from z towards y by a rotation about x: rolling along x.
fly_status fly_make_rolling_coin(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)variant, (void)n;
  const double tilt = 0.3, half = -(FLY_PI / 2 - tilt) / 2;
  const double q0[NV + 1] = {0, -a * sin(tilt), a * cos(tilt), cos(half), sin(half), 0, 0};
  double v0[NV] = {0, 0, 0, 0.5, 1, 8}, uo[3], velocity[3]; // body x is space x
  frame f;
  frame_at(&f, q0);
  cross3(uo, v0 + P, f.u);
  apply3(velocity, f.R, uo);
  for (int i = 0; i < 3; i++)
    v0[i] = a * velocity[i];
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = 5,
      .q_names = names,
      .q0 = q0,
      .v0 = v0,
      .reference_q =
          (const double[]){-2.0455746401057101, -1.4440207983245983, 0.23774116839934456, 0.68424134364594864,
                           0.17424363013298323, -0.56123916487446929, -0.43181424341338623},
      .reference_v = (const double[]){0.62423116673353449, 1.9060638074234989, -0.035570088784074671,
                                      -1.1528571638584322, -0.64161533190890614, 8.0107762813271891},
      .reference_t = 5,
  };
  return fly_problem_build(out, &parts, error);
}
