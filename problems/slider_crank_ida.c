// Rigid slider crank with a spring-damper between the midpoints of crank and rod, z = (q, x, p): crank angle, slider,
// rod angle. SI units; crank length a, rod length 1.
//
//   J1 q'' , m2 x'' , J2 p''  + G^T lambda = -h S_z/2 + (0, F, -F sin p)
//   g = ( x - cos p - a cos q,  -sin p - a sin q )
//   S = l^2 = x^2 - x (cos p + a cos q) + (1+a^2)/4 + a cos(p-q)/2      squared length of the spring
//   h = (k (l-l0) + c l')/l = k - k l0/l + c S'/(2 S),   S' = S_z.v
//
// SUNDIALS, example idaSlCrank_dns (published at t = 10: q = 1.2757, x = 1.0236, p = -0.49881).
// Reference: index-1 extrapolation in long double; agrees with the independent eight digits of shared/reference.
// Damped: no energy function.
#include "build.h"

#include <math.h>
#include <stdio.h>

enum { Q, X, P, NV };
enum { NG = 2 };
typedef double column[NV];            // A[column][row] of a matrix with NV rows
typedef double constraint_column[NG]; // and with NG rows

static const double a = 0.5, J1 = 1, m2 = 1, J2 = 2, k = 1, c = 1, l0 = 1, F = 1;

static int mass(double *M, double t, const double *z, void *user) {
  (void)t, (void)z, (void)user;
  column *A = (column *)M;
  A[Q][Q] = J1;
  A[X][X] = m2;
  A[P][P] = J2;
  return 0;
}

// S with its gradient and Hessian, and h, at a state.
typedef struct spring {
  double S, gradient[NV], hessian[NV][NV];
  double rate; // S'
  double h;
} spring;

static spring spring_at(const double *z, const double *v) {
  const double cq = cos(z[Q]), sq = sin(z[Q]), cp = cos(z[P]), sp = sin(z[P]), x = z[X];
  const double c21 = a * cos(z[P] - z[Q]) / 2, s21 = a * sin(z[P] - z[Q]) / 2;
  spring s = {.S = x * x - x * (cp + a * cq) + (1 + a * a) / 4 + c21,
              .gradient = {x * a * sq + s21, 2 * x - cp - a * cq, x * sp - s21},
              .hessian = {{x * a * cq - c21, a * sq, c21}, {a * sq, 2, sp}, {c21, sp, x * cp - c21}}};
  for (int i = 0; i < NV; i++)
    s.rate += s.gradient[i] * v[i];
  s.h = k - k * l0 / sqrt(s.S) + c * s.rate / (2 * s.S);
  return s;
}

static int force(double *f, const fly_dae_state *state, void *user) {
  (void)user;
  const spring s = spring_at(state->q, state->v);
  for (int i = 0; i < NV; i++)
    f[i] = -s.h * s.gradient[i] / 2;
  f[X] += F;
  f[P] -= F * sin(state->q[P]);
  return 0;
}

static int constraint(double *g, double t, const double *z, void *user) {
  (void)t, (void)user;
  g[0] = z[X] - cos(z[P]) - a * cos(z[Q]);
  g[1] = -sin(z[P]) - a * sin(z[Q]);
  return 0;
}

static int constraint_jacobian(double *G, double t, const double *z, void *user) {
  (void)t, (void)user;
  constraint_column *A = (constraint_column *)G;
  A[Q][0] = a * sin(z[Q]);
  A[Q][1] = -a * cos(z[Q]);
  A[X][0] = 1;
  A[P][0] = sin(z[P]);
  A[P][1] = -cos(z[P]);
  return 0;
}

static int constraint_rate(double *g_t, double t, const double *z, void *user) {
  (void)t, (void)z, (void)user;
  g_t[0] = g_t[1] = 0;
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *z, const double *v, void *user) {
  (void)t, (void)user;
  gamma[0] = a * cos(z[Q]) * v[Q] * v[Q] + cos(z[P]) * v[P] * v[P];
  gamma[1] = a * sin(z[Q]) * v[Q] * v[Q] + sin(z[P]) * v[P] * v[P];
  return 0;
}

static int constraint_velocity_jacobian(double *Gv_z, double t, const double *z, const double *v, void *user) {
  (void)t, (void)user;
  constraint_column *A = (constraint_column *)Gv_z;
  A[Q][0] = a * cos(z[Q]) * v[Q];
  A[Q][1] = a * sin(z[Q]) * v[Q];
  A[P][0] = cos(z[P]) * v[P];
  A[P][1] = sin(z[P]) * v[P];
  return 0;
}

// dh/dz = k l0 S_z/(2 l^3) + c (S_zz v)/(2 S) - c S' S_z/(2 S^2)
static void spring_h_z(double h_z[NV], const spring *s, const double *v) {
  const double l = sqrt(s->S);
  for (int j = 0; j < NV; j++) {
    const double turn = s->hessian[j][0] * v[0] + s->hessian[j][1] * v[1] + s->hessian[j][2] * v[2];
    h_z[j] = (k * l0 / l - c * s->rate / s->S) * s->gradient[j] / (2 * s->S) + c * turn / (2 * s->S);
  }
}

static int jacobian(double *J0, double *Jv, double *Jz, const fly_dae_state *state, void *user) {
  (void)J0, (void)user;
  const double *z = state->q, *lambda = state->lambda;
  const spring s = spring_at(z, state->v);
  double h_z[NV];
  spring_h_z(h_z, &s, state->v);
  column *A = (column *)Jv, *B = (column *)Jz;
  for (int j = 0; j < NV; j++)
    for (int i = 0; i < NV; i++) {
      A[j][i] = s.gradient[i] * c * s.gradient[j] / (4 * s.S);
      B[j][i] = (s.gradient[i] * h_z[j] + s.h * s.hessian[i][j]) / 2;
    }
  B[Q][Q] += a * (lambda[0] * cos(z[Q]) + lambda[1] * sin(z[Q]));
  B[P][P] += lambda[0] * cos(z[P]) + lambda[1] * sin(z[P]) + F * cos(z[P]);
  return 0;
}

static void row_name(char *text, size_t size, int row, void *user) {
  (void)user;
  snprintf(text, size, "loop, %c", row ? 'y' : 'x');
}

static const char *const names[] = {"q", "x", "p"};

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

fly_status fly_make_slider_crank_ida(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)variant, (void)n;
  const double p0 = asin(-a);
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = 10,
      .q_names = names,
      .q0 = (const double[]){FLY_PI / 2, cos(p0), p0},
      .reference_q = (const double[]){1.2756758486502392, 1.0235785589798395, -0.4988130491824987},
      .reference_v = (const double[]){-0.2399149971960009, 0.1337782832157777, 0.0397314959913218},
      .reference_t = 10,
  };
  return fly_problem_build(out, &parts, error);
}
