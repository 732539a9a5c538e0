// Forces that jump and motions with corners, at places nobody has told the solver: every formulation crosses them in a
// bounded number of steps, and the error asked for is kept. And steps that are tiny because the motion is fast.
#include "dae/newmark.h"
#include "support/motion.h"

static const struct {
  const char *method;
  fly_formulation formulation;
} METHODS[] = {{"ch", FLY_GGL}, {"ch", FLY_INDEX3}, {"hht", FLY_GGL}, {"hht", FLY_INDEX3}};
enum { NMETHODS = sizeof METHODS / sizeof *METHODS };

// ---------------------------------------------------------------------------------------------- a force that jumps

// A mass of 1 on a straight rail, y = 0, pulled back by 3 sign(x).
static const double PULL = 3;

static int unit_mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  M[0] = M[3] = 1;
  return 0;
}
static int pull(double *f, const fly_dae_state *s, void *user) {
  (void)user;
  f[0] = s->q[0] > 0 ? -PULL : PULL;
  f[1] = 0;
  return 0;
}
static int rail(double *g, double t, const double *q, void *user) {
  (void)t, (void)user;
  g[0] = q[1];
  return 0;
}
static int rail_jacobian(double *G, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  G[1] = 1;
  return 0;
}
static int no_rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  g_t[0] = 0;
  return 0;
}
static int no_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q, (void)v, (void)user;
  gamma[0] = 0;
  return 0;
}
static int no_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  (void)Z, (void)t, (void)q, (void)v, (void)user;
  return 0;
}
static int no_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1, (void)J2, (void)s, (void)user;
  return 0;
}

static const fly_dae_problem cart = {.nq = 2,
                                     .nv = 2,
                                     .ng = 1,
                                     .mass_constant = true,
                                     .mass = unit_mass,
                                     .force = pull,
                                     .constraint = rail,
                                     .constraint_jacobian = rail_jacobian,
                                     .constraint_rate = no_rate,
                                     .constraint_gamma = no_gamma,
                                     .constraint_velocity_jacobian = no_velocity_jacobian,
                                     .jacobian = no_jacobian};

// Parabolas from one crossing to the next: x after the time t.
static double pulled(double x, double v, double t) {
  for (;;) {
    const double a = x > 0 || (x == 0 && v > 0) ? -PULL : PULL;
    const double away = a < 0 ? v : -v, far = fabs(x);
    const double until = (away + sqrt(away * away + 2 * PULL * far)) / PULL; // the crossing
    if (until >= t)
      return x + v * t + a * t * t / 2;
    v += a * until;
    x = 0;
    t -= until;
  }
}

// Before, index 3 was off by 1e-3 to 1e-1 whatever the error asked for: the estimate did not see what the shift had put
// into a, and the shift was made from a difference across the jump.
static void test_force_that_jumps(void **state) {
  static const double starts[][2] = {{1, 0}, {0.3, 1.7}, {1, -2.3}};
  for (int k = 0; k < NMETHODS; k++)
    for (int j = 0; j < 3; j++)
      for (double error = 1e-2; error > 1e-9; error *= 1e-3) {
        const fly_problem p = {
            .dae = cart, .q0 = (double[]){starts[j][0], 0}, .v0 = (double[]){starts[j][1], 0}, .t_end = 5};
        const fly_dae_options o = with_error(options_of(METHODS[k].method, NAN, METHODS[k].formulation), error);
        motion m = motion_run(&p, &o, 5);
        double worst = 0;
        for (int i = 0; i < m.count; i++) {
          const fly_dae_state s = motion_at(&m, i);
          worst = fmax(worst, fabs(s.q[0] - pulled(starts[j][0], starts[j][1], s.t)));
        }
        say("%s %d, error %.0e: %.2f of it, %ld steps, %ld rejected\n", METHODS[k].method, METHODS[k].formulation,
            error, worst / error, m.stats.steps, m.stats.rejected_error);
        assert_at_most(worst, 8 * error);
        assert_at_most((double)(m.stats.steps + m.stats.rejected_error), 400);
        motion_free(&m);
      }
}

// In index 3 the recursion carries a, and reports v', which on a straight rail is the cleaned one in every step. An
// error that something has put into a along the rail is seen all the same: the next step fails.
static void test_estimate_sees_what_is_carried(void **state) {
  const fly_problem p = {.dae = cart, .q0 = (double[]){1, 0}, .v0 = (double[]){0, 0}, .t_end = 5};
  const fly_dae_options o = with_error(options_of("ch", NAN, FLY_INDEX3), 1e-6);
  fly_solver *s = solver_started(&p, &o, 5);
  fly_error error;
  for (int i = 0; i < 5; i++)
    assert_ok(fly_solver_step(s, &error), &error);
  assert_int_equal(fly_solver_stats(s).rejected_error, 0);
  fly_own(s)->mem.a[0] += 1;
  assert_ok(fly_solver_step(s, &error), &error);
  assert_at_least((double)fly_solver_stats(s).rejected_error, 1);
  fly_solver_free(s);
}

// Accelerations are the same wherever the mass is on one side, so their derivative is none, also where the difference
// it is found from reaches across the jump: it was 6000 m/s^3 there, and steps beside the jump failed for that.
static void test_derivative_beside_a_jump(void **state) {
  const double h = 0.01, v0 = -2, t = 5 * h, beside = 4e-4; // 5 steps to there
  const fly_problem p = {
      .dae = cart, .q0 = (double[]){beside - v0 * t + PULL * t * t / 2, 0}, .v0 = (double[]){v0, 0}, .t_end = 1};
  const fly_dae_options o = with_step(options_of("ch", NAN, FLY_INDEX3), h);
  fly_solver *s = solver_started(&p, &o, 1);
  fly_error error;
  for (int i = 0; i < 5; i++)
    assert_ok(fly_solver_step(s, &error), &error);
  assert_close(fly_solver_state(s).q[0], beside, 1e-12);
  assert_int_equal(fly_find_jerk(s), FLY_SOLVED);
  assert_close(fly_own(s)->jerk.v[0], 0, 1e-6);
  fly_solver_free(s);
}

// ---------------------------------------------------------------------------------------------- a motion with a corner

// Two masses coupled by inertia, 2 x'' + y'' = -10 x; y = sin t is driven, and slower by 1.5 from the corner on: x'
// jumps by 0.75 there. From x' = 1/8: x = sin(t)/8, behind the corner with 0.75 sin(w (t - corner))/w, w^2 = 5.
static const double CORNER = 0.7312;

static int coupled_mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  M[0] = M[3] = 2;
  M[1] = M[2] = 1;
  return 0;
}
static int spring(double *f, const fly_dae_state *s, void *user) {
  (void)user;
  f[0] = -10 * s->q[0];
  f[1] = 0;
  return 0;
}
static int spring_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1, (void)s, (void)user;
  J2[0] = 10;
  return 0;
}
static double driven(double t) { return sin(t) - 1.5 * fmax(t - CORNER, 0); }
static double follows(double t) { return sin(t) / 8 + (t > CORNER ? 0.75 * sin(sqrt(5) * (t - CORNER)) / sqrt(5) : 0); }

static int drive(double *g, double t, const double *q, void *user) {
  (void)user;
  g[0] = q[1] - driven(t);
  return 0;
}
static int drive_rate(double *g_t, double t, const double *q, void *user) {
  (void)q, (void)user;
  g_t[0] = -cos(t) + (t > CORNER ? 1.5 : 0);
  return 0;
}
static int drive_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)q, (void)v, (void)user;
  gamma[0] = sin(t);
  return 0;
}

// Before, no step passed: at a corner the error is c h |jump|, and each was asked to be below its share of the run,
// which is proportional to h as well.
static void test_corner_of_a_motion(void **state) {
  fly_dae_problem dae = cart;
  dae.mass = coupled_mass;
  dae.force = spring;
  dae.jacobian = spring_jacobian;
  dae.constraint = drive;
  dae.constraint_rate = drive_rate;
  dae.constraint_gamma = drive_gamma;
  const fly_problem p = {.dae = dae, .q0 = (double[]){0, 0}, .v0 = (double[]){0.125, 1}, .t_end = 2};
  for (int k = 0; k < NMETHODS; k++)
    for (double error = 1e-3; error > 1e-8; error *= 1e-2) {
      const fly_dae_options o = with_error(options_of(METHODS[k].method, NAN, METHODS[k].formulation), error);
      motion m = motion_run(&p, &o, 2);
      double worst = 0;
      for (int i = 0; i < m.count; i++) {
        const fly_dae_state s = motion_at(&m, i);
        worst = fmax(worst, fabs(s.q[0] - follows(s.t)));
      }
      say("%s %d, error %.0e: %.2f of it, %ld steps, %ld rejected\n", METHODS[k].method, METHODS[k].formulation, error,
          worst / error, m.stats.steps, m.stats.rejected_error);
      assert_at_most(worst, 3 * error);
      assert_at_most((double)m.stats.rejected_error, 60);
      assert_at_most(m.stats.h_min, error); // the corner lies in a step that moves y by no more than that
      motion_free(&m);
    }
}

// ---------------------------------------------------------------------------------------------- a fast passage

// A mass of 1 kg on a rod under a cart of `light` kg: q = (cart, x, y). The mass falls nearly straight down; when the
// rod hangs, the cart shoots through below a microsecond, and the mass rises again.
static const double LIGHT = 1e-6, GRAVITY = 9.81, ROD = 0.5;

static int light_mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q, (void)user;
  M[0] = LIGHT;
  M[4] = M[8] = 1;
  return 0;
}
static int weight(double *f, const fly_dae_state *s, void *user) {
  (void)s, (void)user;
  f[0] = f[1] = 0;
  f[2] = -GRAVITY;
  return 0;
}
static int rod(double *g, double t, const double *q, void *user) {
  (void)t, (void)user;
  const double dx = q[1] - q[0];
  g[0] = (dx * dx + q[2] * q[2] - ROD * ROD) / 2;
  return 0;
}
static int rod_jacobian(double *G, double t, const double *q, void *user) {
  (void)t, (void)user;
  G[0] = q[0] - q[1];
  G[1] = q[1] - q[0];
  G[2] = q[2];
  return 0;
}
static int rod_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q, (void)user;
  const double dv = v[1] - v[0];
  gamma[0] = dv * dv + v[2] * v[2];
  return 0;
}
static int rod_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q, (void)user;
  Z[0] = v[0] - v[1];
  Z[1] = v[1] - v[0];
  Z[2] = v[2];
  return 0;
}
static int rod_force_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1, (void)user;
  const double l = s->lambda[0];
  J2[0] = J2[5] = J2[10] = l;
  J2[1] = J2[4] = -l;
  return 0;
}
static int light_energy(double *E, double t, const double *q, const double *v, void *user) {
  (void)t, (void)user;
  *E = (LIGHT * v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 + GRAVITY * q[2];
  return 0;
}

// Before, the run ended there, "A force may jump": 2000 steps in a row were nothing beside the largest. They resolve
// the passage, one after the other, and none is rejected.
static void test_light_cart(void **state) {
  const fly_dae_problem dae = {.nq = 3,
                               .nv = 3,
                               .ng = 1,
                               .mass_constant = true,
                               .mass = light_mass,
                               .force = weight,
                               .constraint = rod,
                               .constraint_jacobian = rod_jacobian,
                               .constraint_rate = no_rate,
                               .constraint_gamma = rod_gamma,
                               .constraint_velocity_jacobian = rod_velocity_jacobian,
                               .jacobian = rod_force_jacobian,
                               .energy = light_energy};
  const double a = 1.2;
  const fly_problem p = {
      .dae = dae, .q0 = (double[]){0, ROD * sin(a), -ROD * cos(a)}, .v0 = (double[]){0, 0, 0}, .t_end = 0.5};
  for (double error = 1e-3; error > 3e-5; error *= 0.1) {
    const fly_dae_options o = with_error(options_of("ch", NAN, FLY_GGL), error);
    motion m = motion_run(&p, &o, 0.5);
    say("light cart, error %.0e: %ld steps, energy off by %.1e J\n", error, m.stats.steps, m.certificate.energy_drift);
    assert_at_most(m.certificate.energy_drift, 10 * error);
    motion_free(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_force_that_jumps),
                                     cmocka_unit_test(test_estimate_sees_what_is_carried),
                                     cmocka_unit_test(test_derivative_beside_a_jump),
                                     cmocka_unit_test(test_corner_of_a_motion), cmocka_unit_test(test_light_cart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
