// Motions with a closed form: no constraint at all, rotation without torque, nonholonomic rows only, constraints that
// move with time, friction by reaction, mass that changes with time, first-order states with parameters of their own.
#include <stdlib.h>
#include <string.h>

#include "support/motion.h"

static const fly_formulation formulations[] = {FLY_INDEX3, FLY_INDEX2, FLY_GGL};
static const char *const names[] = {"hht", "wbz", "ch", "gen"};
enum { FORMULATIONS = 3, METHODS = 4 };

static errors errors_with(const fly_problem *p, const fly_dae_options *o, truth_fn *truth) {
  motion m = motion_run(p, o, p->t_end);
  const errors e = motion_errors(&m, truth, p->dae.user);
  motion_free(&m);
  return e;
}

// Second order in everything that is there and is more than the corrector's tolerance.
static void assert_second(const fly_problem *p, fly_dae_options o, double h, truth_fn *truth, const char *what) {
  const orders r = orders_with(what, p, o, h, p->t_end, truth, p->dae.user);
  const double error[] = {r.coarse.q, r.coarse.v, r.coarse.vdot, r.coarse.lambda, r.coarse.x, r.coarse.y};
  const double order[] = {r.q, r.v, r.vdot, r.lambda, r.x, r.y};
  for (int k = 0; k < 6; k++)
    if (error[k] > 1e-8)
      assert_between(order[k], 1.9, 2.1);
}

// ---------------------------------------------------------------------------------------------- oscillator

static const double two_pi = 6.28318530717958647692;

static void oscillator_at(point *out, double t, const void *user) {
  const double *o = user; // omega, xi
  const double a = o[1] * o[0], w = o[0] * sqrt(1 - o[1] * o[1]);
  const double C = exp(-a * t) * cos(w * t), S = exp(-a * t) * sin(w * t) / w;
  out->q[0] = C + a * S;
  out->v[0] = -o[0] * o[0] * S;
  out->vdot[0] = -2 * a * out->v[0] - o[0] * o[0] * out->q[0];
}

static void test_oscillator(void **state) {
  const char *variants[] = {"undamped", "damped"};
  for (int k = 0; k < 2 * METHODS; k++) {
    fly_problem p = problem_of("oscillator", variants[k % 2], 0);
    p.t_end = 1.5;
    assert_second(&p, options_of(names[k / 2], 0.7, FLY_GGL), 1.0 / 128, oscillator_at, names[k / 2]);
    fly_problem_free(&p);
  }
}

// The amplitude after one period tells the sign of the damping: trapezoid keeps it, the others lose, none gains.
static void test_numerical_damping(void **state) {
  fly_problem p = problem_of("oscillator", "undamped", 0);
  p.t_end = 10;
  const double h = 1.0 / 16;
  fly_dae_options o = with_step(options_of("trapezoid", NAN, FLY_GGL), h);
  motion m = motion_run(&p, &o, p.t_end);
  assert_at_most(m.certificate.energy_drift / m.certificate.energy_start, 1e-10);
  motion_free(&m);
  for (int k = 0; k < METHODS; k++) {
    o = with_step(options_of(names[k], 0.6, FLY_GGL), h);
    m = motion_run(&p, &o, p.t_end);
    const fly_dae_state s = motion_end(&m);
    const double amplitude = hypot(s.q[0], s.v[0] / two_pi);
    double real[3], imag[3];
    const double rho = fly_newmark_roots(real, imag, &o.method, two_pi * h); // what linear theory says of 160 steps
    assert_close(amplitude, pow(rho, 160), 0.02);
    assert_at_most(amplitude, 0.99);
    motion_free(&m);
  }
  fly_problem_free(&p);
}

// Steps a thousand times the fast time constant: on the slow motion, nothing may wake the fast one. Adaptive, the steps
// begin in the transient and leave it behind.
static void test_stiff_oscillator(void **state) {
  fly_problem p = problem_of("oscillator", "stiff", 0);
  const double a = 5e4, slow = -1e6 / (a + sqrt(a * a - 1e6));
  p.v0[0] = slow;
  for (int k = 0; k < METHODS; k++) {
    const fly_dae_options o = with_step(options_of(names[k], 0.6, FLY_GGL), 1e-2);
    motion m = motion_run(&p, &o, p.t_end);
    assert_close(motion_end(&m).q[0], exp(slow * p.t_end), 1e-4);
    assert_close(motion_end(&m).v[0], slow * exp(slow * p.t_end), 1e-3);
    motion_free(&m);
  }
  p.v0[0] = 0;
  for (double tolerance = 1e-3; tolerance > 1e-6; tolerance /= 10) {
    const fly_dae_options o = with_error(options_of("ch", 0.6, FLY_GGL), tolerance);
    motion m = motion_run(&p, &o, p.t_end);
    assert_close(motion_end(&m).q[0], p.reference_q[0], tolerance);
    assert_at_most((double)m.stats.steps, 20 / sqrt(tolerance));
    motion_free(&m);
  }
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- knife edge

// x = k sin^2 p, y = k (p - sin p cos p), p = omega t, lambda = -2 m g sin(alpha) sin p (problems/knife_edge.c).
static void knife_edge_at(point *out, double t, const void *user) {
  const double w = 2, s = 9.81 / 2, k = s / (2 * w * w), p = w * t;
  out->q[0] = k * sin(p) * sin(p), out->q[1] = k * (p - sin(p) * cos(p)), out->q[2] = p;
  out->v[0] = s / w * sin(p) * cos(p), out->v[1] = s / w * sin(p) * sin(p), out->v[2] = w;
  out->vdot[0] = s * cos(2 * p), out->vdot[1] = s * sin(2 * p), out->vdot[2] = 0;
  out->lambda[0] = -2 * s * sin(p);
}

static void test_knife_edge(void **state) {
  fly_problem p = problem_of("knife-edge", NULL, 0);
  for (int k = 0; k < METHODS; k++) {
    fly_dae_options o = options_of(names[k], 0.6, formulations[k % FORMULATIONS]);
    const errors a = errors_with(&p, (o.step = 5e-3, &o), knife_edge_at);
    const errors b = errors_with(&p, (o.step = 2.5e-3, &o), knife_edge_at);
    assert_between(order_of(a.q, b.q, 2), 1.9, 2.1);
    assert_between(order_of(a.v, b.v, 2), 1.9, 2.1);
    assert_at_least(order_of(a.lambda, b.lambda, 2), 1.9); // theta grows linearly and is exact: lambda is better
    assert_at_most(a.lambda, 1e-4);
  }
  fly_dae_options o = with_step(fly_dae_options_default(), 5e-3);
  motion m = motion_run(&p, &o, p.t_end);
  assert_at_most(m.certificate.velocity, 1e-10); // it keeps its constraint
  motion_free(&m);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- moving nonholonomic
// row

// x' - t y - cos t = 0 on a unit mass without force: y = 1 + t/2, x = t^2/2 + t^3/6 + sin t, lambda = sin t - 1 - t.
static int conveyor_mass(double *M, double t, const double *q, void *user) {
  M[0] = M[3] = 1;
  return 0;
}
static int conveyor_force(double *f, const fly_dae_state *s, void *user) {
  f[0] = f[1] = 0;
  return 0;
}
static int conveyor(double *B, double t, const double *q, void *user) {
  B[0] = 1;
  return 0;
}
static int conveyor_rate(double *b, double t, const double *q, void *user) {
  b[0] = -t * q[1] - cos(t);
  return 0;
}
static int conveyor_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  gamma[0] = -t * v[1] - q[1] + sin(t);
  return 0;
}
static int conveyor_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  Z[1] = -t;
  return 0;
}
static void conveyor_at(point *out, double t, const void *user) {
  out->q[0] = t * t / 2 + t * t * t / 6 + sin(t), out->q[1] = 1 + t / 2;
  out->v[0] = t + t * t / 2 + cos(t), out->v[1] = 0.5;
  out->vdot[0] = 1 + t - sin(t), out->vdot[1] = 0;
  out->lambda[0] = -out->vdot[0];
}

static void test_moving_nonholonomic(void **state) {
  static double q0[] = {0, 1}, v0[] = {1, 0.5};
  fly_problem p = {.dae = {.nq = 2,
                           .nv = 2,
                           .nb = 1,
                           .mass_constant = true,
                           .mass = conveyor_mass,
                           .force = conveyor_force,
                           .nonholonomic = conveyor,
                           .nonholonomic_rate = conveyor_rate,
                           .nonholonomic_gamma = conveyor_gamma,
                           .nonholonomic_velocity_jacobian = conveyor_velocity_jacobian},
                   .t_end = 2,
                   .q0 = q0,
                   .v0 = v0};
  for (int given = 0; given < 2; given++) {
    for (int k = 0; k < METHODS; k++) {
      fly_dae_options o = options_of(names[k], 0.6, FLY_GGL);
      const orders r = orders_with(names[k], &p, o, 1.0 / 64, p.t_end, conveyor_at, NULL);
      assert_between(r.q, 1.9, 2.1);
      assert_at_least(r.vdot, 1.9); // v is exact, so v' is better than its order
      assert_at_least(r.lambda, 1.9);
      assert_at_most(r.fine.q, 1e-4);
      assert_at_most(r.fine.lambda, 1e-3);
    }
    p.dae.nonholonomic_gamma = NULL;
    p.dae.nonholonomic_velocity_jacobian = NULL;
  }
}

// ---------------------------------------------------------------------------------------------- bead on a turning wire

// x sin(W t) - y cos(W t) = 0: r'' = W^2 r, and the wire pushes with lambda = 2 m W r'.
static const double turn = 1.5, bead_mass = 2;

static int bead_mass_of(double *M, double t, const double *q, void *user) {
  M[0] = M[3] = bead_mass;
  return 0;
}
static int no_force(double *f, const fly_dae_state *s, void *user) {
  f[0] = f[1] = 0;
  return 0;
}
static int wire(double *g, double t, const double *q, void *user) {
  g[0] = q[0] * sin(turn * t) - q[1] * cos(turn * t);
  return 0;
}
static int wire_jacobian(double *G, double t, const double *q, void *user) {
  G[0] = sin(turn * t), G[1] = -cos(turn * t);
  return 0;
}
static int wire_rate(double *g_t, double t, const double *q, void *user) {
  g_t[0] = turn * (q[0] * cos(turn * t) + q[1] * sin(turn * t));
  return 0;
}
static int wire_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  const double c = cos(turn * t), s = sin(turn * t);
  gamma[0] = 2 * turn * (v[0] * c + v[1] * s) + turn * turn * (q[1] * c - q[0] * s);
  return 0;
}
static int wire_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  Z[0] = turn * cos(turn * t), Z[1] = turn * sin(turn * t);
  return 0;
}
static int no_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) { return 0; }

static void bead_at(point *out, double t, const void *user) {
  const double c = cos(turn * t), s = sin(turn * t);
  const double r = cosh(turn * t) - 0.2 * sinh(turn * t), u = turn * (sinh(turn * t) - 0.2 * cosh(turn * t));
  out->q[0] = r * c, out->q[1] = r * s;
  out->v[0] = u * c - r * turn * s, out->v[1] = u * s + r * turn * c;
  out->vdot[0] = -2 * turn * u * s, out->vdot[1] = 2 * turn * u * c;
  out->lambda[0] = 2 * bead_mass * turn * u;
}

static fly_problem bead(void) {
  static double q0[] = {1, 0}, v0[] = {-0.3, 1.5};
  return (fly_problem){.dae = {.nq = 2,
                               .nv = 2,
                               .ng = 1,
                               .mass_constant = true,
                               .mass = bead_mass_of,
                               .force = no_force,
                               .constraint = wire,
                               .constraint_jacobian = wire_jacobian,
                               .constraint_rate = wire_rate,
                               .constraint_gamma = wire_gamma,
                               .constraint_velocity_jacobian = wire_velocity_jacobian,
                               .jacobian = no_jacobian},
                       .t_end = 1,
                       .q0 = q0,
                       .v0 = v0};
}

static void test_moving_constraint(void **state) {
  const fly_problem p = bead();
  for (int k = 0; k < METHODS * FORMULATIONS; k++)
    assert_second(&p, options_of(names[k % METHODS], 0.6, formulations[k / METHODS]), 1.0 / 256, bead_at,
                  names[k % METHODS]);
}

// The same, but the derivatives are left to the library.
static void test_moving_constraint_by_differences(void **state) {
  fly_problem p = bead();
  p.dae.constraint_rate = NULL;
  p.dae.constraint_gamma = NULL;
  p.dae.constraint_velocity_jacobian = NULL;
  p.dae.jacobian = NULL;
  for (int k = 0; k < FORMULATIONS; k++) {
    const fly_dae_options o = with_step(options_of("ch", 0.6, formulations[k]), 1.0 / 256);
    const errors e = errors_with(&p, &o, bead_at);
    assert_at_most(e.q, 5e-5); // with all derivatives: 2 to 4e-5
    assert_at_most(e.lambda, 8e-4);
  }
}

// ---------------------------------------------------------------------------------------------- friction by reaction

// On a circle without gravity, f = -mu |lambda| v/|v|: speed u = u0/(1 + mu u0 t), lambda = u^2.
static const double mu = 0.3, u0 = 3;

static int unit_mass(double *M, double t, const double *q, void *user) {
  M[0] = M[3] = 1;
  return 0;
}
static int friction(double *f, const fly_dae_state *s, void *user) {
  const double speed = hypot(s->v[0], s->v[1]);
  for (int i = 0; i < 2; i++)
    f[i] = -mu * fabs(s->lambda[0]) * s->v[i] / speed;
  return 0;
}
static int circle(double *g, double t, const double *q, void *user) {
  g[0] = hypot(q[0], q[1]) - 1;
  return 0;
}

static void circle_at(point *out, double t, const void *user) {
  const double phi = log(1 + mu * u0 * t) / mu, u = u0 / (1 + mu * u0 * t), a = -mu * u * u;
  out->q[0] = cos(phi), out->q[1] = sin(phi);
  out->v[0] = -u * sin(phi), out->v[1] = u * cos(phi);
  out->vdot[0] = -a * sin(phi) - u * u * cos(phi), out->vdot[1] = a * cos(phi) - u * u * sin(phi);
  out->lambda[0] = u * u;
}

static int circle_jacobian(double *G, double t, const double *q, void *user) {
  const double r = hypot(q[0], q[1]);
  G[0] = q[0] / r, G[1] = q[1] / r;
  return 0;
}

// Little more than mass, force and constraint is given: the shortest problem a user can write.
static void test_friction_by_reaction(void **state) {
  static double q0[] = {1, 0}, v0[] = {0, 3};
  const fly_problem p = {.dae = {.nq = 2,
                                 .nv = 2,
                                 .ng = 1,
                                 .mass_constant = true,
                                 .mass = unit_mass,
                                 .force = friction,
                                 .constraint = circle,
                                 .constraint_jacobian = circle_jacobian},
                         .t_end = 1,
                         .q0 = q0,
                         .v0 = v0};
  for (int k = 0; k < FORMULATIONS; k++)
    assert_second(&p, options_of("ch", 0.6, formulations[k]), 1.0 / 200, circle_at, "friction");
}

// ---------------------------------------------------------------------------------------------- mass in time

// (1 + t) v' = 1: v = ln(1+t), q = (1+t) ln(1+t) - t.
static int growing_mass(double *M, double t, const double *q, void *user) {
  M[0] = 1 + t;
  return 0;
}
static int unit_force(double *f, const fly_dae_state *s, void *user) {
  f[0] = 1;
  return 0;
}
static void growing_at(point *out, double t, const void *user) {
  out->q[0] = (1 + t) * log(1 + t) - t;
  out->v[0] = log(1 + t);
  out->vdot[0] = 1 / (1 + t);
}

static void test_mass_in_time(void **state) {
  static double zero[] = {0};
  const fly_problem p = {
      .dae = {.nq = 1, .nv = 1, .mass = growing_mass, .force = unit_force}, .t_end = 2, .q0 = zero, .v0 = zero};
  for (int k = 0; k < METHODS; k++)
    assert_second(&p, options_of(names[k], 0.6, FLY_GGL), 1.0 / 64, growing_at, names[k]);
  // residual forms: their v' is a weighted mean, so only q and v are asked
  fly_dae_options o = options_of("hht", 0.6, FLY_GGL);
  for (o.form = FLY_FORM_RESIDUAL; o.form <= FLY_FORM_RESIDUAL_PRINTED; o.form++) {
    const errors a = errors_with(&p, (o.step = 1.0 / 64, &o), growing_at);
    const errors b = errors_with(&p, (o.step = 1.0 / 128, &o), growing_at);
    const double expected = o.form == FLY_FORM_RESIDUAL ? 2 : 1;
    assert_between(order_of(a.q, b.q, 2), expected - 0.12, expected + 0.12);
    assert_between(order_of(a.v, b.v, 2), expected - 0.12, expected + 0.12);
  }
}

// A constant force is integrated without error by every member, at any step, through every change of it.
static void test_constant_force_is_exact(void **state) {
  static double zero[] = {0}, one[] = {1};
  const double sequence[] = {0.3, 0.05, 0.65};
  fly_problem p = {.dae = {.nq = 1, .nv = 1, .mass = growing_mass, .mass_constant = true, .force = unit_force},
                   .q0 = zero,
                   .v0 = one};
  const char *all[] = {"trapezoid", "newmark", "hht", "wbz", "ch", "gen"};
  for (int k = 0; k < 6; k++)
    for (fly_step_change c = FLY_CHANGE_SHIFT; c <= FLY_CHANGE_NONE; c++) {
      fly_dae_options o = with_sequence(options_of(all[k], k ? 0.6 : (double)NAN, FLY_GGL), 0.5, sequence, 3);
      o.step_change = c;
      motion m = motion_run(&p, &o, 3);
      assert_close(motion_end(&m).q[0], 3 + 4.5, 1e-13);
      assert_close(motion_end(&m).v[0], 4, 1e-13);
      motion_free(&m);
    }
}

// ---------------------------------------------------------------------------------------------- free rotation

// An axisymmetric body without torque, J = (1, 1, 2): with L = J w in space axes the turn is
// exp(t L/J1) p0 exp(t s e3), s = w3 (1 - J3/J1).
static const double J[3] = {1, 1, 2}, w0[3] = {1, 0.5, 3};

static int body_mass(double *M, double t, const double *q, void *user) {
  for (int i = 0; i < 3; i++)
    M[4 * i] = J[i];
  return 0;
}
static int gyroscopic(double *f, const fly_dae_state *s, void *user) {
  const double *w = s->v;
  f[0] = (J[1] - J[2]) * w[1] * w[2];
  f[1] = (J[2] - J[0]) * w[2] * w[0];
  f[2] = (J[0] - J[1]) * w[0] * w[1];
  return 0;
}

static void times(double out[4], const double a[4], const double b[4]) {
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
  out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

static void free_body_at(point *out, double t, const void *user) {
  const double L[3] = {J[0] * w0[0], J[1] * w0[1], J[2] * w0[2]}; // p0 = 1: space axes are body axes at t = 0
  const double size = sqrt(L[0] * L[0] + L[1] * L[1] + L[2] * L[2]), half = size * t / J[0] / 2;
  const double s = w0[2] * (1 - J[2] / J[0]), rate = -s;
  const double a[4] = {cos(half), sin(half) * L[0] / size, sin(half) * L[1] / size, sin(half) * L[2] / size};
  const double b[4] = {cos(s * t / 2), 0, 0, sin(s * t / 2)};
  times(out->q, a, b);
  const double c = cos(rate * t), d = sin(rate * t); // w turns about e3 in the body
  out->v[0] = w0[0] * c - w0[1] * d, out->v[1] = w0[0] * d + w0[1] * c, out->v[2] = w0[2];
  out->vdot[0] = -rate * out->v[1], out->vdot[1] = rate * out->v[0], out->vdot[2] = 0;
}

static void test_free_rotation(void **state) {
  static const int zero[] = {0};
  static double q0[] = {1, 0, 0, 0}, v0[] = {1, 0.5, 3};
  const fly_problem p = {.dae = {.nq = 4,
                                 .nv = 3,
                                 .nrotation = 1,
                                 .rotation_q = zero,
                                 .rotation_v = zero,
                                 .mass_constant = true,
                                 .mass = body_mass,
                                 .force = gyroscopic},
                         .t_end = 2,
                         .q0 = q0,
                         .v0 = v0};
  for (int k = 0; k < METHODS; k++)
    assert_second(&p, options_of(names[k], 0.6, FLY_GGL), 1.0 / 128, free_body_at, names[k]);
}

// ---------------------------------------------------------------------------------------------- first-order states

// x' + x - v = 0, (1 + x0^2) x1' + x1 ... driven by a mass on a spring: q = cos t.
//   d0 = x0' + x0 - v          x0 = (cos t - sin t - e^-t)/2 ... from x0(0) = 0 and v = -sin t
//   d1 = 2 x1' + x1 x1' - (2 + x1) q      implicit, x1 = sin t
//   y  = v' + x1                y = sin t - cos t
static int spring(double *f, const fly_dae_state *s, void *user) {
  f[0] = -s->q[0];
  return 0;
}
static int one_mass(double *M, double t, const double *q, void *user) {
  M[0] = 1;
  return 0;
}
static int filters(double *d, const fly_dae_state *s, void *user) {
  d[0] = s->xdot[0] + s->x[0] - s->v[0];
  d[1] = (2 + s->x[1]) * (s->xdot[1] - s->q[0]);
  return 0;
}
static int sums(double *h, const fly_dae_state *s, void *user) {
  h[0] = s->vdot[0] + s->x[1];
  return 0;
}
static void filters_at(point *out, double t, const void *user) {
  out->q[0] = cos(t), out->v[0] = -sin(t), out->vdot[0] = -cos(t);
  out->x[0] = (cos(t) - sin(t) - exp(-t)) / 2;
  out->x[1] = sin(t);
  out->xdot[0] = (-sin(t) - cos(t) + exp(-t)) / 2;
  out->xdot[1] = cos(t);
  out->y[0] = sin(t) - cos(t);
}

static fly_problem filter_problem(void) {
  static double q0[] = {1}, v0[] = {0}, x0[] = {0, 0};
  return (fly_problem){.dae = {.nq = 1,
                               .nv = 1,
                               .nx = 2,
                               .ny = 1,
                               .mass_constant = true,
                               .mass = one_mass,
                               .force = spring,
                               .states = filters,
                               .outputs = sums},
                       .t_end = 3,
                       .q0 = q0,
                       .v0 = v0,
                       .x0 = x0};
}

// Parameters of x by GENALPHA 13 for a rho of their own, beside others for q.
static void test_states(void **state) {
  const fly_problem p = filter_problem();
  const double rho_q[] = {0.9, 0.5, 0.7}, rho_x[] = {0.0, 0.9, 0.5};
  for (int k = 0; k < 3; k++) {
    fly_dae_options o = options_of("ch", rho_q[k], FLY_GGL);
    const double r = rho_x[k], m = (3 * r - 1) / (2 * (r + 1)), f = r / (r + 1);
    o.states = (fly_theta){m, f, 0.5 - m + f};
    assert_second(&p, o, 1.0 / 64, filters_at, "states");
  }
  fly_dae_options o = options_of("ch", 0.8, FLY_GGL);
  o.states = (fly_theta){0, 0, 0.5}; // the trapezoid rule
  assert_second(&p, o, 1.0 / 64, filters_at, "states, trapezoid");
}

// theta = 1 without averaging is the implicit Euler rule: first order in x, with its well-known sign.
static void test_states_of_first_order(void **state) {
  const fly_problem p = filter_problem();
  fly_dae_options o = options_of("ch", 0.8, FLY_GGL);
  o.states = (fly_theta){0, 0, 1};
  const errors a = errors_with(&p, (o.step = 1.0 / 64, &o), filters_at);
  const errors b = errors_with(&p, (o.step = 1.0 / 128, &o), filters_at);
  assert_between(order_of(a.x, b.x, 2), 0.95, 1.05);
  assert_between(order_of(a.q, b.q, 2), 1.9, 2.1);
}

static void test_states_adaptive(void **state) {
  const fly_problem p = filter_problem();
  for (double tolerance = 1e-3; tolerance > 1e-7; tolerance /= 10) {
    const fly_dae_options o = with_error(options_of("ch", 0.8, FLY_GGL), tolerance);
    const errors e = errors_with(&p, &o, filters_at);
    assert_at_most(e.q, 10 * tolerance);
    assert_at_most(e.x, 10 * tolerance);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oscillator),
      cmocka_unit_test(test_numerical_damping),
      cmocka_unit_test(test_stiff_oscillator),
      cmocka_unit_test(test_knife_edge),
      cmocka_unit_test(test_moving_nonholonomic),
      cmocka_unit_test(test_moving_constraint),
      cmocka_unit_test(test_moving_constraint_by_differences),
      cmocka_unit_test(test_friction_by_reaction),
      cmocka_unit_test(test_mass_in_time),
      cmocka_unit_test(test_constant_force_is_exact),
      cmocka_unit_test(test_free_rotation),
      cmocka_unit_test(test_states),
      cmocka_unit_test(test_states_of_first_order),
      cmocka_unit_test(test_states_adaptive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
