// Linear oscillator, one coordinate q, no constraint. SI units.
//
//   q'' + 2 xi omega q' + omega^2 q = 0,   q(0) = 1, q'(0) = 0
//
// The test equation of every paper on the family. Exact, with the eigenvalues -a +- i w (xi < 1) or -a +- w (xi > 1),
// a = xi omega, w = omega sqrt|1 - xi^2|:
//   q = e^{-a t} (C + a S),  q' = -omega^2 e^{-a t} S,  with C = cos wt, S = sin wt/w, or cosh and sinh
//
// `undamped`: one period a second, ten periods; energy (q'^2 + omega^2 q^2)/2 per unit mass is constant.
// `damped`:   the same with xi = 0.05.
// `stiff`:    omega = 1000, xi = 50: decays like e^{-10 t}, behind a transient of e^{-10^5 t}. 0.5 s.
// The damped ones have no energy function.
#include "build.h"

#include <math.h>

typedef struct oscillator {
  double omega, xi; // [rad/s], [-]
} oscillator;

static int mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  M[0] = 1;
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  const oscillator *o = user;
  f[0] = -2 * o->xi * o->omega * s->v[0] - o->omega * o->omega * s->q[0];
  return 0;
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)s;
  const oscillator *o = user;
  J1[0] = 2 * o->xi * o->omega;
  J2[0] = o->omega * o->omega;
  return 0;
}

static int energy(double *E, double t, const double *q, const double *v, void *user) {
  (void)t;
  const oscillator *o = user;
  *E = (v[0] * v[0] + o->omega * o->omega * q[0] * q[0]) / 2;
  return 0;
}

// The exact solution. For xi > 1 the two exponentials are taken apart, so that none overflows.
static void exact(double *q, double *v, const oscillator *o, double t) {
  const double a = o->xi * o->omega, w = o->omega * sqrt(fabs(1 - o->xi * o->xi));
  double C = exp(-a * t) * cos(w * t), S = exp(-a * t) * sin(w * t) / w;
  if (o->xi > 1) {
    const double slow = -o->omega * o->omega / (a + w), fast = -a - w; // their product is omega^2
    C = (exp(slow * t) + exp(fast * t)) / 2;
    S = (exp(slow * t) - exp(fast * t)) / (2 * w);
  }
  *q = C + a * S;
  *v = -o->omega * o->omega * S;
}

static const char *const names[] = {"q"};

static const fly_dae_problem dae = {
    .nq = 1,
    .nv = 1,
    .mass_constant = true,
    .mass = mass,
    .force = force,
    .jacobian = jacobian,
};

fly_status fly_make_oscillator(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)n;
  const bool damped = fly_variant_is(variant, "damped"), stiff = fly_variant_is(variant, "stiff");
  const oscillator data = {.omega = stiff ? 1000 : 2 * FLY_PI, .xi = stiff ? 50 : damped ? 0.05 : 0};
  const double t = stiff ? 0.5 : 10;
  double q, v;
  exact(&q, &v, &data, t);
  const fly_problem_parts parts = {
      .dae = &dae,
      .t_end = t,
      .q_names = names,
      .q0 = (const double[]){1},
      .data = &data,
      .data_size = sizeof data,
      .reference_q = &q,
      .reference_v = &v,
      .reference_t = t,
  };
  const fly_status status = fly_problem_build(out, &parts, error);
  if (status == FLY_OK && data.xi == 0)
    out->dae.energy = energy;
  return status;
}
