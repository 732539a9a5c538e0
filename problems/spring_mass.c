// Controlled spring-mass system with saturated acceleration feedback: position q, controller state x, outputs
// y = (desired force, actuator force). SI units.
//
//   m q'' = -k q + y1
//   x' + sigma x + b q'' = 0
//   y0 = x
//   y1 = gmax tanh(y0/gmax)
//
// Bruels, Arnold 2008 (GENALPHA), "Controlled spring-mass system": T = 20 s, starts at rest at q = 5 m, x = 0.
// The controller takes energy out: no energy function. The length of the model is gmax/k = 1 m.
// Reference: float128 extrapolation of the equivalent equations without y; there x(20) = -0.11054538094908393.
#include "build.h"

#include <math.h>

// Rows (q, x, y0, y1) and columns (v' or v or q, x' or x, y0, y1) of the jacobian.
enum { Q, X, DESIRED, ACTUAL, SIZE };
typedef double column[SIZE]; // A[column][row]

static const double m = 1, k = 1, sigma = 0.1, b = 1.4, gmax = 1;

static int mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  M[0] = m;
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  (void)user;
  f[0] = -k * s->q[0] + s->y[1];
  return 0;
}

static int states(double *d, const fly_dae_state *s, void *user) {
  (void)user;
  d[0] = s->xdot[0] + sigma * s->x[0] + b * s->vdot[0];
  return 0;
}

static int outputs(double *h, const fly_dae_state *s, void *user) {
  (void)user;
  h[0] = s->x[0];
  h[1] = gmax * tanh(s->y[0] / gmax);
  return 0;
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)user;
  const double cosine = cosh(s->y[0] / gmax);
  column *A = (column *)J0, *B = (column *)J1, *C = (column *)J2;
  A[ACTUAL][Q] = -1;
  A[Q][X] = b;
  A[X][X] = 1;
  A[DESIRED][ACTUAL] = -1 / (cosine * cosine);
  B[X][X] = sigma;
  B[X][DESIRED] = -1;
  C[Q][Q] = k;
  return 0;
}

static const char *const names[] = {"q"};

static const fly_dae_problem dae = {
    .nq = 1,
    .nv = 1,
    .nx = 1,
    .ny = 2,
    .mass_constant = true,
    .mass = mass,
    .force = force,
    .states = states,
    .outputs = outputs,
    .jacobian = jacobian,
};

fly_status fly_make_spring_mass(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)variant, (void)n;
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = 20,
      .q_names = names,
      .q0 = (const double[]){5},
      .reference_q = (const double[]){-0.108891845422092386},
      .reference_v = (const double[]){0.0126413129173565717},
      .reference_t = 20,
  };
  return fly_problem_build(out, &parts, error);
}
