// The corrector where corrections drown in round-off: what it leaves in the velocities of one step adds up over the
// run, so tighter tolerances must go on giving smaller errors (docs/theory/control.md, C-speed).
#include "support/motion.h"

// A slider crank that runs free: q = (crank angle, rod angle, slider); inertia 2e-3 and 1e-3 kg m^2, mass 0.8 kg.
typedef struct crank {
  double r, l;
} crank;

static const double INERTIA[3] = {2e-3, 1e-3, 0.8};

static int mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  for (int i = 0; i < 3; i++)
    M[4 * i] = INERTIA[i];
  return 0;
}
static int force(double *f, const fly_dae_state *s, void *user) {
  (void)s, (void)user;
  f[0] = f[1] = f[2] = 0;
  return 0;
}
static int constraint(double *g, double t, const double *q, void *user) {
  (void)t;
  const crank *c = user;
  g[0] = c->r * cos(q[0]) + c->l * cos(q[1]) - q[2];
  g[1] = c->r * sin(q[0]) + c->l * sin(q[1]);
  return 0;
}
static int jacobian_g(double *G, double t, const double *q, void *user) {
  (void)t;
  const crank *c = user;
  G[0] = -c->r * sin(q[0]);
  G[1] = c->r * cos(q[0]);
  G[2] = -c->l * sin(q[1]);
  G[3] = c->l * cos(q[1]);
  G[4] = -1;
  G[5] = 0;
  return 0;
}
static int rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  g_t[0] = g_t[1] = 0;
  return 0;
}
static int gamma_of(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t;
  const crank *c = user;
  gamma[0] = -c->r * cos(q[0]) * v[0] * v[0] - c->l * cos(q[1]) * v[1] * v[1];
  gamma[1] = -c->r * sin(q[0]) * v[0] * v[0] - c->l * sin(q[1]) * v[1] * v[1];
  return 0;
}
static int velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  (void)t;
  const crank *c = user;
  Z[0] = -c->r * cos(q[0]) * v[0];
  Z[1] = -c->r * sin(q[0]) * v[0];
  Z[2] = -c->l * cos(q[1]) * v[1];
  Z[3] = -c->l * sin(q[1]) * v[1];
  return 0;
}
static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1;
  const crank *c = user;
  J2[0] = -c->r * (cos(s->q[0]) * s->lambda[0] + sin(s->q[0]) * s->lambda[1]);
  J2[6] = -c->l * (cos(s->q[1]) * s->lambda[0] + sin(s->q[1]) * s->lambda[1]);
  return 0;
}
static int energy(double *E, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q, (void)user;
  *E = 0;
  for (int i = 0; i < 3; i++)
    *E += INERTIA[i] * v[i] * v[i] / 2;
  return 0;
}

// Where the crank is at the end of 0.1 s, eight turns at 500 rad/s.
static double angle_at_end(crank c, double speed, double turns, const fly_dae_options *o, double *velocity) {
  const double a = 0.3, b = -asin(c.r * sin(a) / c.l), turn = -c.r * cos(a) / (c.l * cos(b));
  const fly_problem p = {.dae = {.nq = 3,
                                 .nv = 3,
                                 .ng = 2,
                                 .mass_constant = true,
                                 .mass = mass,
                                 .force = force,
                                 .constraint = constraint,
                                 .constraint_jacobian = jacobian_g,
                                 .constraint_rate = rate,
                                 .constraint_gamma = gamma_of,
                                 .constraint_velocity_jacobian = velocity_jacobian,
                                 .jacobian = jacobian,
                                 .energy = energy,
                                 .user = &c},
                         .q0 = (double[]){a + 2 * 3.14159265358979 * turns, b, c.r * cos(a) + c.l * cos(b)},
                         .v0 = (double[]){speed, turn * speed, (-c.r * sin(a) - c.l * sin(b) * turn) * speed}};
  fly_solver *s = solver_started(&p, o, 0.1);
  fly_error error;
  fly_status status = fly_solver_advance(s, 0.1, &error);
  assert_true(status == FLY_OK || status == FLY_NOT_KEPT);
  const double angle = fly_solver_state(s).q[0];
  *velocity = fly_solver_certificate(s).velocity;
  say("r %.3g, l %.3g, %.0f turns, error %.0e: |G v| %.1e, %ld steps, %ld iterations\n", c.r, c.l, turns, o->error,
      *velocity, fly_solver_stats(s).steps, fly_solver_stats(s).newton_iterations);
  fly_solver_free(s);
  return angle;
}

// Turns that the angle has counted make its rounding coarser. With a corrector that stops where positions stand still,
// the second error was 71 times what was asked for, and |G v| 2.5e-7 m/s; rounding of |v| = 50 m/s is 1e-14.
static void test_tighter_is_better(void **state) {
  const crank c = {0.1, 0.22};
  const double speed = 500, turns = 30;
  double velocity;
  const fly_dae_options exact = with_error(options_of("partition", NAN, FLY_GGL), 1e-11);
  const double truth = angle_at_end(c, speed, turns, &exact, &velocity);
  static const double asked[] = {1e-6, 1e-7}, residuals[] = {2e-8, 2e-9};
  for (int i = 0; i < 2; i++) {
    const fly_dae_options o = with_error(options_of("ch", NAN, FLY_GGL), asked[i]);
    assert_at_most(fabs(angle_at_end(c, speed, turns, &o, &velocity) - truth), 10 * asked[i]);
    assert_at_most(velocity, residuals[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tighter_is_better)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
