// A rigid body with a twig that bends: a mass mu at its tip, held by a spring; docs/adding-a-body.md. One coordinate
// eta of its own, the deflection of the tip along y; a marker that stands at s, x = s_x, is moved and turned by
//
//   rho = s + phi eta e_y,   phi = (x/L)^2,   E = exp(a eta e_z),   a = 2 x/L^2
//   r_m = r + R rho,   R_m = R E
//   v_m = dr/dt + R (w x rho + phi eta' e_y),   w_m = E^T w + a eta' e_z
//
// so with v = (dr/dt, w, eta') and q moved by (dr, dtheta, deta), dtheta in body axes,
//
//   J = (1, -R [rho], phi R e_y; 0, E^T, a e_z)
//   b = (R c; -a eta' e_z x E^T w),   c = w x (w x rho) + 2 phi eta' w x e_y
//
// With J_t the upper half of J at the tip, b_t that of b, and the body without its tip (m, I, about its own centre):
//
//   M = diag(m, m, m, I, 0) + mu J_t^T J_t
//   f = (m g, -w x I w, -k eta - d eta') - mu J_t^T (b_t - g)
#include <math.h>
#include <string.h>

#include "element/block.h"
#include "element/body.h"
#include "element/table.h"
#include "math/so3.h"

enum { N = 7, ETA = 6, Q_ETA = 7 };

typedef struct twig {
  double mass;               // without the tip [kg]
  double tip, length;        // mu [kg], L [m]
  double stiffness, damping; // k [N/m], d [N s/m]
  fly_marker at_tip;
} twig;

static const double E_Y[3] = {0, 1, 0}, E_Z[3] = {0, 0, 1};

// ------------------------------------------------------------------------------------------ frames of markers

typedef struct shape {
  double phi, a, rho[3], R[9], E[9];
} shape;

static shape shape_of(const double *q, const fly_marker *m, const fly_body_own *own) {
  const double L = ((const twig *)own->k)->length, x = m->s[0];
  shape s = {.phi = x * x / (L * L), .a = 2 * x / (L * L)};
  const double c = cos(s.a * q[Q_ETA]), d = sin(s.a * q[Q_ETA]);
  memcpy(s.rho, m->s, sizeof s.rho);
  s.rho[1] += s.phi * q[Q_ETA];
  memcpy(s.E, (double[9]){c, -d, 0, d, c, 0, 0, 0, 1}, sizeof s.E);
  fly_quat_matrix(s.R, q + 3);
  return s;
}

static void put_column(double *A, int row, int column, const double u[3], double factor) {
  for (int i = 0; i < 3; i++)
    A[N * (row + i) + column] += factor * u[i];
}

static void frame_position(fly_kinematics *f, const double *q, const fly_marker *m, const fly_body_own *own) {
  const shape s = shape_of(q, m, own);
  fly_to_space(f->r, s.R, s.rho);
  for (int i = 0; i < 3; i++)
    f->r[i] += q[i];
  fly_multiply3(f->R, s.R, s.E);
}

static void frame_jacobian(double *J, const double *q, const fly_marker *m, const fly_body_own *own) {
  const shape s = shape_of(q, m, own);
  double A[9], u[3];
  memset(J, 0, 6 * N * sizeof *J);
  for (int i = 0; i < 3; i++)
    J[(N + 1) * i] = 1;
  fly_times_skew(A, s.R, s.rho);
  fly_add_block(J, N, 0, 3, A, -1.0);
  fly_add_block_transposed(J, N, 3, 3, s.E, 1.0);
  fly_to_space(u, s.R, E_Y);
  put_column(J, 0, ETA, u, s.phi);
  put_column(J, 3, ETA, E_Z, s.a);
}

// c, and E^T w
static void swing(double c[3], double w_m[3], const shape *s, const double *v) {
  double ww[3], wy[3];
  fly_cross(ww, v + 3, s->rho);
  fly_cross(c, v + 3, ww);
  fly_cross(wy, v + 3, E_Y);
  for (int i = 0; i < 3; i++)
    c[i] += 2 * s->phi * v[ETA] * wy[i];
  fly_to_body(w_m, s->E, v + 3);
}

static void frame_bias(double b[6], const double *q, const double *v, const fly_marker *m, const fly_body_own *own) {
  const shape s = shape_of(q, m, own);
  double c[3], w_m[3];
  swing(c, w_m, &s, v);
  fly_to_space(b, s.R, c);
  fly_cross(b + 3, E_Z, w_m);
  for (int i = 3; i < 6; i++)
    b[i] *= -s.a * v[ETA];
}

// d(R u)/dtheta = -R [u] with u = w x rho + phi eta' e_y; then by eta.
static void frame_rates(double *Z, const double *q, const double *v, const fly_marker *m, const fly_body_own *own) {
  const shape s = shape_of(q, m, own);
  double u[3], A[9], wy[3], turned[3], w_m[3];
  memset(Z, 0, 6 * N * sizeof *Z);
  fly_cross(u, v + 3, s.rho);
  u[1] += s.phi * v[ETA];
  fly_times_skew(A, s.R, u);
  fly_add_block(Z, N, 0, 3, A, -1.0);
  fly_cross(wy, v + 3, E_Y);
  fly_to_space(turned, s.R, wy);
  put_column(Z, 0, ETA, turned, s.phi);
  fly_to_body(w_m, s.E, v + 3);
  fly_cross(turned, E_Z, w_m);
  put_column(Z, 3, ETA, turned, -s.a);
}

// J^T (F, T) = (F, rho x R^T F + E T, phi e_y . R^T F + a T_z)
static void frame_loads(double *W, const double *q, const double w[6], bool lean, const fly_marker *m,
                        const fly_body_own *own) {
  const shape s = shape_of(q, m, own);
  double F[3], A[9], u[3], zT[3], EzT[3];
  memset(W, 0, N * N * sizeof *W);
  fly_to_body(F, s.R, w); // turns by [F] dtheta
  fly_skew_skew(A, s.rho, F);
  fly_add_block(W, N, 3, 3, A, 1.0);
  fly_skew(A, F);
  for (int j = 0; j < 3; j++)
    W[N * ETA + 3 + j] = s.phi * A[3 + j];
  fly_cross(u, E_Y, F);
  put_column(W, 3, ETA, u, s.phi);
  fly_cross(zT, E_Z, w + 3);
  fly_to_space(EzT, s.E, zT);
  put_column(W, 3, ETA, EzT, s.a);
}

static void bias_of_turns(double *Bq, double *Bv, const shape *s, const double *v) {
  double c[3], w_m[3], zw[3], zzw[3], A[9];
  swing(c, w_m, s, v);
  fly_cross(zw, E_Z, w_m);
  fly_cross(zzw, E_Z, zw);
  put_column(Bq, 3, ETA, zzw, s->a * s->a * v[ETA]);
  put_column(Bv, 3, ETA, zw, -s->a);
  for (int j = 0; j < 3; j++) { // -a eta' [e_z] E^T
    const double column[3] = {s->E[3 * j], s->E[3 * j + 1], s->E[3 * j + 2]};
    fly_cross(A, E_Z, column);
    put_column(Bv, 3, 3 + j, A, -s->a * v[ETA]);
  }
}

static void frame_biases(double *Bq, double *Bv, const double *q, const double *v, const fly_marker *m,
                         const fly_body_own *own) {
  const shape s = shape_of(q, m, own);
  double c[3], w_m[3], A[9], S[9], u[3], wy[3], wwy[3];
  memset(Bq, 0, 6 * N * sizeof *Bq);
  memset(Bv, 0, 6 * N * sizeof *Bv);
  swing(c, w_m, &s, v);
  fly_times_skew(A, s.R, c);
  fly_add_block(Bq, N, 0, 3, A, -1.0);
  fly_cross(wy, v + 3, E_Y);
  fly_cross(wwy, v + 3, wy);
  fly_to_space(u, s.R, wwy);
  put_column(Bq, 0, ETA, u, s.phi);
  fly_cross(u, v + 3, s.rho); // dc = -[w x rho] dw - [w][rho] dw - 2 phi eta' [e_y] dw
  for (int i = 0; i < 3; i++)
    u[i] += 2 * s.phi * v[ETA] * E_Y[i];
  fly_skew(S, u);
  fly_skew_skew(A, v + 3, s.rho);
  for (int i = 0; i < 9; i++)
    S[i] += A[i];
  fly_multiply3(A, s.R, S);
  fly_add_block(Bv, N, 0, 3, A, -1.0);
  fly_to_space(u, s.R, wy);
  put_column(Bv, 0, ETA, u, 2 * s.phi);
  bias_of_turns(Bq, Bv, &s, v);
}

static const fly_body_frames FRAMES = {frame_position, frame_jacobian, frame_bias,
                                       frame_rates,    frame_loads,    frame_biases};

// ------------------------------------------------------------------------------------------ what it weighs

// out (N x N) += factor A^T B over the first three rows
static void add_product(double *out, const double *A, const double *B, double factor) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < 3; k++)
        out[N * i + j] += factor * A[N * k + i] * B[N * k + j];
}

static void mass(double *M, const fly_body_at *at, const fly_body_own *own) {
  const twig *t = own->k;
  double J[6 * N];
  memset(M, 0, N * N * sizeof *M);
  for (int i = 0; i < 3; i++)
    M[(N + 1) * i] = t->mass;
  fly_add_block(M, N, 3, 3, own->J, 1.0);
  frame_jacobian(J, at->q, &t->at_tip, own);
  add_product(M, J, J, t->tip);
}

// d(mu J^T J a)/dq
static void mass_slope(double *D, const fly_body_at *at, const double *a, const fly_body_own *own) {
  const double *q = at->q;
  const twig *t = own->k;
  double J[6 * N], Z[6 * N], w[6] = {0};
  frame_jacobian(J, q, &t->at_tip, own);
  frame_rates(Z, q, a, &t->at_tip, own);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < N; j++)
      w[i] += t->tip * J[N * i + j] * a[j];
  frame_loads(D, q, w, false, &t->at_tip, own);
  add_product(D, J, Z, t->tip);
}

// -mu (b_t - g)
static void tip_load(double w[6], const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const twig *t = own->k;
  double b[6];
  frame_bias(b, at->q, at->v, &t->at_tip, own);
  memset(w, 0, 6 * sizeof *w);
  for (int i = 0; i < 3; i++)
    w[i] = -t->tip * (b[i] - g[i]);
}

static void force(double *f, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const twig *t = own->k;
  double J[6 * N], w[6], L[3], wL[3];
  tip_load(w, at, g, own);
  frame_jacobian(J, at->q, &t->at_tip, own);
  for (int j = 0; j < N; j++)
    for (int i = 0; i < 3; i++)
      f[j] += J[N * i + j] * w[i];
  fly_to_space(L, own->J, at->v + 3);
  fly_cross(wL, at->v + 3, L);
  for (int i = 0; i < 3; i++) {
    f[i] += t->mass * g[i];
    f[3 + i] -= wL[i];
  }
  f[ETA] -= t->stiffness * at->q[Q_ETA] + t->damping * at->v[ETA];
}

static void derivatives(double *K, double *C, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const twig *t = own->k;
  double J[6 * N], Bq[6 * N], Bv[6 * N], w[6], L[3], A[9];
  frame_jacobian(J, at->q, &t->at_tip, own);
  frame_biases(Bq, Bv, at->q, at->v, &t->at_tip, own);
  tip_load(w, at, g, own);
  frame_loads(K, at->q, w, false, &t->at_tip, own);
  memset(C, 0, N * N * sizeof *C);
  add_product(K, J, Bq, -t->tip);
  add_product(C, J, Bv, -t->tip);
  fly_to_space(L, own->J, at->v + 3);
  fly_skew(A, L);
  fly_add_block(C, N, 3, 3, A, 1.0);
  fly_skew_times(A, at->v + 3, own->J);
  fly_add_block(C, N, 3, 3, A, -1.0);
  K[N * N - 1] -= t->stiffness;
  C[N * N - 1] -= t->damping;
}

static double kinetic(const fly_body_at *at, const fly_body_own *own) {
  double M[N * N], sum = 0;
  mass(M, at, own);
  for (int i = 0; i < N * N; i++)
    sum += at->v[i / N] * M[i] * at->v[i % N] / 2;
  return sum;
}

static double weight(const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const twig *t = own->k;
  fly_kinematics f;
  frame_position(&f, at->q, &t->at_tip, own);
  return -t->mass * fly_dot3(g, at->q) - t->tip * fly_dot3(g, f.r);
}

static double elastic(const fly_body_at *at, const fly_body_own *own) {
  return ((const twig *)own->k)->stiffness * at->q[Q_ETA] * at->q[Q_ETA] / 2;
}

static double dissipation(const fly_body_at *at, const fly_body_own *own) {
  return ((const twig *)own->k)->damping * at->v[ETA] * at->v[ETA];
}

// ------------------------------------------------------------------------------------------ its own frame

static fly_status make(fly_body_own *own, double *q, double *v, const fly_maker *from) {
  twig *t = own->k;
  double I[3], R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, w[3];
  *t = (twig){from->number(from, "mass"),      from->number(from, "tip"),     from->number(from, "length"),
              from->number(from, "stiffness"), from->number(from, "damping"), {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  t->at_tip.s[0] = t->length;
  own->mass = t->mass + t->tip;
  from->numbers(from, "inertia", 3, I);
  for (int k = 0; k < 3; k++)
    own->J[4 * k] = I[k];
  if (from->given(from, "orientation"))
    from->numbers(from, "orientation", 9, R);
  from->numbers(from, "position", 3, q);
  from->numbers(from, "velocity", 3, v);
  from->numbers(from, "angular_velocity", 3, w);
  fly_quat_of_matrix(q + 3, R);
  fly_to_body(v + 3, R, w);
  q[Q_ETA] = from->number(from, "bend");
  return FLY_OK;
}

static void place(double *q, double *v, const fly_kinematics *from, const fly_kinematics *to) {
  (void)from;
  memcpy(q, to->r, sizeof to->r);
  memcpy(v, to->v, sizeof to->v);
  fly_quat_of_matrix(q + 3, to->R);
  memcpy(v + 3, to->w, sizeof to->w);
}

static void position(fly_kinematics *at, const double *q) {
  memcpy(at->r, q, sizeof at->r);
  fly_quat_matrix(at->R, q + 3);
}

static void velocity(fly_kinematics *at, const double *v) {
  memcpy(at->v, v, sizeof at->v);
  memcpy(at->w, v + 3, sizeof at->w);
}

static void quaternion(double e[4], const double *q) { memcpy(e, q + 3, 4 * sizeof *e); }

static double turned(const double *from, const double *to) {
  const double back[4] = {from[3], -from[4], -from[5], -from[6]};
  double turn[4], angle[3];
  fly_quat_multiply(turn, back, to + 3);
  fly_quat_log(angle, turn);
  return sqrt(fly_dot3(angle, angle));
}

// ------------------------------------------------------------------------------------------ the row

static const fly_quantity STATE[] = {{"x", "m", "centre, along x of space"},
                                     {"y", "m", "centre, along y of space"},
                                     {"z", "m", "centre, along z of space"},
                                     {"e0", "", "quaternion from body to space, real part"},
                                     {"e1", "", "quaternion, x"},
                                     {"e2", "", "quaternion, y"},
                                     {"e3", "", "quaternion, z"},
                                     {"bend", "m", "deflection of the tip, along y of the body"},
                                     {"vx", "m/s", "velocity, along x of space"},
                                     {"vy", "m/s", "velocity, along y of space"},
                                     {"vz", "m/s", "velocity, along z of space"},
                                     {"wx", "rad/s", "angular velocity, along x of space"},
                                     {"wy", "rad/s", "angular velocity, along y of space"},
                                     {"wz", "rad/s", "angular velocity, along z of space"},
                                     {"bend_rate", "m/s", "rate of the deflection"},
                                     {0}};
static const fly_quantity ACCELERATION[] = {{"accx", "m/s^2", "acceleration, along x of space"},
                                            {"accy", "m/s^2", "acceleration, along y of space"},
                                            {"accz", "m/s^2", "acceleration, along z of space"},
                                            {"wdtx", "rad/s^2", "angular acceleration, along x of space"},
                                            {"wdty", "rad/s^2", "angular acceleration, along y of space"},
                                            {"wdtz", "rad/s^2", "angular acceleration, along z of space"},
                                            {"bend_acceleration", "m/s^2", "of the deflection"},
                                            {0}};

static const int COLUMNS[] = {0, 1, 2, 3, 4, 5, FLY_COLUMN_OWN_LENGTH};

static const fly_body_type TYPE = {.noun = "body with a twig",
                                   .size = sizeof(twig),
                                   .nq = 8,
                                   .nv = N,
                                   .turn_q = 3,
                                   .turn_v = 3,
                                   .column = COLUMNS,
                                   .block = 0,
                                   .blocks = N,
                                   .turns = true,
                                   .state = STATE,
                                   .acceleration = ACCELERATION,
                                   .inertias = 6,
                                   .make = make,
                                   .place = place,
                                   .position = position,
                                   .velocity = velocity,
                                   .quaternion = quaternion,
                                   .turned = turned,
                                   .frames = &FRAMES,
                                   .mass = mass,
                                   .mass_slope = mass_slope,
                                   .force = force,
                                   .stiff = true,
                                   .derivatives = derivatives,
                                   .kinetic = kinetic,
                                   .weight = weight,
                                   .elastic = elastic,
                                   .dissipation = dissipation};

static const fly_parameter PARAMETERS[] = {
    {"mass", FLY_NUMBER, 1, "kg", NULL, true, POSITIVE, "mass without the tip"},
    {"inertia", FLY_NUMBER, 3, "kg m^2", NULL, true, POSITIVE, "without the tip"},
    {"tip", FLY_NUMBER, 1, "kg", NULL, true, POSITIVE, "mass at the tip"},
    {"length", FLY_NUMBER, 1, "m", NULL, true, POSITIVE, "from the centre to the tip, along x"},
    {"stiffness", FLY_NUMBER, 1, "N/m", NULL, true, POSITIVE, "of the tip against the body, along y"},
    {"damping", FLY_NUMBER, 1, "N s/m", "0", false, NOT_NEGATIVE, "likewise"},
    {"bend", FLY_NUMBER, 1, "m", "0", false, ANY, "deflection of the tip at the start"},
    PLACEMENT,
    HOLD("x y z orientation all"),
    {"markers", FLY_MARKERS, 0, "", NULL, false, ANY, "points and frames of the body, where it is not bent"},
    LOOKS,
    END};

const fly_element_type fly_bodies_twig = {
    .section = "bodies",
    .name = "twig",
    .text = "a rigid body with a mass on a twig that bends",
    .example = "branch: {type: twig, mass: 1, inertia: [0.1, 0.1, 0.1], tip: 0.2, length: 0.5, stiffness: 100}",
    .parameters = PARAMETERS,
    .body = &TYPE};
