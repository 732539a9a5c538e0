// Starts: projected onto the constraints in the metric of the mass, or refused in words.
//
// labels: valgrind
#include <stdio.h>
#include <string.h>

#include "support/motion.h"

static fly_status start_of(const fly_problem *p, point *out, fly_certificate *certificate, fly_error *error) {
  fly_solver *s;
  const fly_dae_options o = with_step(fly_dae_options_default(), 1e-3);
  fly_status status = fly_solver_create(&s, &p->dae, &o, error);
  if (status == FLY_OK)
    status = fly_solver_start(s, p->t0, 1, p->q0, p->v0, p->x0, error);
  if (status == FLY_OK) {
    const fly_dae_state now = fly_solver_state(s);
    memcpy(out->q, now.q, (size_t)p->dae.nq * sizeof(double));
    memcpy(out->v, now.v, (size_t)p->dae.nv * sizeof(double));
    memcpy(out->vdot, now.vdot, (size_t)p->dae.nv * sizeof(double));
    for (int i = 0; i < p->dae.ng + p->dae.nb; i++)
      out->lambda[i] = now.lambda[i];
    *certificate = fly_solver_certificate(s);
  }
  fly_solver_free(s);
  return status;
}

// ---------------------------------------------------------------------------------------------- projection

// Masses 1 and 3 on the moving line x + 2 y = 1 + t/2, f = (2, 5).
static int masses(double *M, double t, const double *q, void *user) {
  M[0] = 1, M[3] = 3;
  return 0;
}
static int push(double *f, const fly_dae_state *s, void *user) {
  f[0] = 2, f[1] = 5;
  return 0;
}
static int line(double *g, double t, const double *q, void *user) {
  g[0] = q[0] + 2 * q[1] - 1 - t / 2;
  return 0;
}

static fly_problem on_a_line(double *q0, double *v0) {
  return (fly_problem){
      .dae = {.nq = 2, .nv = 2, .ng = 1, .mass_constant = true, .mass = masses, .force = push, .constraint = line},
      .q0 = q0,
      .v0 = v0};
}

// By hand: M^-1 G^T = (1, 2/3), G M^-1 G^T = 7/3; positions move by (3/7, 2/7) times 1, velocities by -(3/7, 2/7) times
// 3 - 1/2, lambda = (2 + 10/3)/(7/3) = 16/7.
static void test_mass_orthogonal(void **state) {
  double q0[] = {0, 0}, v0[] = {1, 1};
  const fly_problem p = on_a_line(q0, v0);
  point at;
  fly_certificate c;
  fly_error error = {0};
  assert_ok(start_of(&p, &at, &c, &error), &error);
  assert_close(at.q[0], 3.0 / 7, 1e-9);
  assert_close(at.q[1], 2.0 / 7, 1e-9);
  assert_close(at.v[0], 1 - 2.5 * 3 / 7, 1e-9);
  assert_close(at.v[1], 1 - 2.5 * 2 / 7, 1e-9);
  assert_close(at.lambda[0], 16.0 / 7, 1e-6);
  assert_close(at.vdot[0], 2 - 16.0 / 7, 1e-6);
  assert_close(at.vdot[1], (5 - 32.0 / 7) / 3, 1e-6);
  assert_close(c.start_position, 3.0 / 7, 1e-9);
  assert_close(c.start_velocity, 2.5 * 3 / 7, 1e-9);
}

// Nonlinear: a pendulum too long by a tenth comes back along its rod, the velocity along it is taken away.
static void test_pendulum(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  p.q0[0] = 1.1 * 0.6, p.q0[1] = -1.1 * 0.8;
  p.v0[0] = 0.6 + 2 * 0.8, p.v0[1] = -0.8 + 2 * 0.6;
  point at;
  fly_certificate c;
  fly_error error = {0};
  assert_ok(start_of(&p, &at, &c, &error), &error);
  assert_close(at.q[0], 0.6, 1e-13);
  assert_close(at.q[1], -0.8, 1e-13);
  assert_close(at.v[0], 1.6, 1e-13);
  assert_close(at.v[1], 1.2, 1e-13);
  assert_close(at.lambda[0], (4 + 9.81 * 0.8) / 2, 1e-12);
  fly_problem_free(&p);
}

// A blade that slips sideways: only the sideways velocity goes, at every direction of the blade.
static void test_knife_edge(void **state) {
  fly_problem p = problem_of("knife-edge", NULL, 0);
  const double theta = 0.7;
  p.q0[2] = theta;
  p.v0[0] = 3 * cos(theta) - 2 * sin(theta), p.v0[1] = 3 * sin(theta) + 2 * cos(theta);
  point at;
  fly_certificate c;
  fly_error error = {0};
  assert_ok(start_of(&p, &at, &c, &error), &error);
  assert_close(at.v[0], 3 * cos(theta), 1e-13);
  assert_close(at.v[1], 3 * sin(theta), 1e-13);
  assert_close(at.v[2], p.v0[2], 1e-13);
  fly_problem_free(&p);
}

// A top lifted off its pivot: rotation and mass centre share the way by their inertia, and the constraint holds.
static void test_rotation(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  p.q0[0] += 0.05, p.q0[2] -= 0.03;
  p.v0[1] += 1;
  for (int i = 0; i < 4; i++)
    p.q0[3 + i] *= 1.02; // and a quaternion that is not quite unit
  point at;
  fly_certificate c;
  fly_error error = {0};
  double g[3], E;
  assert_ok(start_of(&p, &at, &c, &error), &error);
  assert_close(at.q[3] * at.q[3] + at.q[4] * at.q[4] + at.q[5] * at.q[5] + at.q[6] * at.q[6], 1, 1e-14);
  p.dae.constraint(g, 0, at.q, p.dae.user);
  for (int i = 0; i < 3; i++)
    assert_close(g[i], 0, 1e-14);
  p.dae.energy(&E, 0, at.q, at.v, p.dae.user);
  assert_close(E, c.energy_start, 0);
  assert_at_most(c.velocity, 1e-12);
  assert_at_most(c.acceleration, 1e-9);
  fly_problem_free(&p);
}

// Massless where a constraint holds is no trouble.
static int half_mass(double *M, double t, const double *q, void *user) {
  M[0] = 2;
  return 0;
}
static int together(double *g, double t, const double *q, void *user) {
  g[0] = q[1] - q[0];
  return 0;
}

static void test_massless_but_held(void **state) {
  double q0[] = {0, 0}, v0[] = {0, 0};
  fly_problem p = on_a_line(q0, v0);
  p.dae.mass = half_mass;
  p.dae.constraint = together;
  const fly_dae_options o = with_step(fly_dae_options_default(), 0.1);
  motion m = motion_run(&p, &o, 2);
  assert_close(motion_end(&m).q[0], 7.0 / 2 * 2, 1e-6); // 2 x'' = 2 + 5, t^2/2 = 2
  assert_close(motion_end(&m).q[1], 7.0 / 2 * 2, 1e-6);
  motion_free(&m);
}

// ---------------------------------------------------------------------------------------------- refusals

static void refused(const fly_problem *p, fly_status expected, const char *text) {
  point at;
  fly_certificate c;
  fly_error error = {0};
  const fly_status status = start_of(p, &at, &c, &error);
  if (status != expected)
    fail_msg("%s: %s", fly_status_name(status), error.message);
  assert_int_equal(error.status, expected);
  assert_says(&error, text);
}

static int impossible(double *g, double t, const double *q, void *user) {
  g[0] = q[0] - 1;
  g[1] = q[1] * q[1] + 1;
  return 0;
}
static int impossible_jacobian(double *G, double t, const double *q, void *user) {
  G[0] = 1, G[3] = 2 * q[1];
  return 0;
}
static void names(char *text, size_t size, int row, void *user) { snprintf(text, size, "my row %c", 'A' + row); }

static void test_infeasible(void **state) {
  double q0[] = {0, 0.5}, v0[] = {0, 0};
  fly_problem p = on_a_line(q0, v0);
  p.dae.ng = 2;
  p.dae.constraint = impossible;
  p.dae.constraint_jacobian = impossible_jacobian;
  p.dae.row_name = names;
  refused(&p, FLY_INCONSISTENT, "my row B");
  p.dae.row_name = NULL;
  refused(&p, FLY_INCONSISTENT, "constraint row 1");
}

static int parallel(double *g, double t, const double *q, void *user) {
  g[0] = q[0] + q[1];
  g[1] = 2 * q[0] + 2 * q[1] - 1;
  return 0;
}
static int parallel_jacobian(double *G, double t, const double *q, void *user) {
  G[0] = G[2] = 1, G[1] = G[3] = 2;
  return 0;
}

static void test_redundant(void **state) {
  fly_problem p = problem_of("redundant", NULL, 0);
  refused(&p, FLY_REDUNDANT, "`rod again` depends on `rod`");
  fly_problem_free(&p);
  double q0[] = {0, 0}, v0[] = {0, 0};
  p = on_a_line(q0, v0);
  p.dae.ng = 2;
  p.dae.constraint = parallel;
  p.dae.constraint_jacobian = parallel_jacobian;
  p.dae.row_name = names;
  refused(&p, FLY_REDUNDANT, "`my row B` depends on `my row A`");
}

static void test_massless(void **state) {
  double q0[] = {1, 0}, v0[] = {0, 0};
  fly_problem p = on_a_line(q0, v0);
  p.dae.mass = half_mass;
  p.dae.ng = 0;
  refused(&p, FLY_SINGULAR, "mass is zero");
}

static void test_numbers(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  fly_problem healthy = problem_of("heavy-top", NULL, 0);
  p.q0[2] = NAN;
  refused(&p, FLY_BAD_INPUT, "Initial position 2");
  p.q0[2] = INFINITY;
  refused(&p, FLY_BAD_INPUT, "Initial position 2");
  p.q0[2] = healthy.q0[2];
  p.v0[5] = NAN;
  refused(&p, FLY_BAD_INPUT, "Initial velocity 5");
  p.v0[5] = healthy.v0[5];
  for (int i = 0; i < 4; i++)
    p.q0[3 + i] *= 2;
  refused(&p, FLY_BAD_INPUT, "Quaternion 0");
  for (int i = 0; i < 4; i++)
    p.q0[3 + i] = 0;
  refused(&p, FLY_BAD_INPUT, "Quaternion 0");
  fly_problem_free(&p);
  fly_problem_free(&healthy);
  p = problem_of("spring-mass", NULL, 0);
  p.x0[0] = NAN;
  refused(&p, FLY_BAD_INPUT, "Initial state 0");
  double *x0 = p.x0;
  p.x0 = NULL;
  refused(&p, FLY_BAD_INPUT, "Initial state 0");
  p.x0 = x0;
  fly_problem_free(&p);
}

static void test_times(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_solver *s;
  fly_error error = {0};
  assert_ok(fly_solver_create(&s, &p.dae, NULL, &error), &error); // default options
  const double bad[][2] = {{0, 0}, {1, 0}, {0, NAN}, {NAN, 1}, {0, INFINITY}, {-INFINITY, 0}};
  for (int k = 0; k < 6; k++) {
    assert_int_equal(fly_solver_start(s, bad[k][0], bad[k][1], p.q0, p.v0, NULL, &error), FLY_BAD_INPUT);
    assert_says(&error, "end time");
    assert_int_equal(fly_solver_start(s, bad[k][0], bad[k][1], p.q0, p.v0, NULL, NULL), FLY_BAD_INPUT);
  }
  assert_ok(fly_solver_start(s, -3, -2, p.q0, p.v0, NULL, &error), &error); // and after that all is well
  assert_ok(fly_solver_advance(s, -2, &error), &error);
  assert_true(fly_solver_done(s));
  fly_solver_free(s);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- problems

static void not_made(const fly_dae_problem *d, const char *text) {
  fly_solver *s;
  fly_error error = {0};
  assert_int_equal(fly_solver_create(&s, d, NULL, &error), FLY_BAD_INPUT);
  assert_null(s);
  assert_says(&error, text);
}

static void test_sizes(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  fly_dae_problem d = p.dae;
  d.nv = 0;
  not_made(&d, "nv");
  d = p.dae, d.ng = -1;
  not_made(&d, "ng");
  d = p.dae, d.nq = 6;
  not_made(&d, "nq");
  d = p.dae, d.ng = 7;
  not_made(&d, "redundant");
  const int far[] = {4};
  d = p.dae, d.rotation_q = far;
  not_made(&d, "rotation 0");
  const double scale[] = {1, 1, 0, 1, 1, 1};
  d = p.dae, d.scale_v = scale;
  not_made(&d, "scale_v[2]");
  fly_problem_free(&p);
}

static void test_missing_callbacks(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_dae_problem d = p.dae;
  d.mass = NULL;
  not_made(&d, "`mass`");
  d = p.dae, d.force = NULL;
  not_made(&d, "`force`");
  d = p.dae, d.constraint = NULL;
  not_made(&d, "`constraint`");
  d = p.dae, d.nb = 1;
  not_made(&d, "`nonholonomic`");
  d = p.dae, d.nx = 1;
  not_made(&d, "`states`");
  d = p.dae, d.ny = 1;
  not_made(&d, "`outputs`");
  d = p.dae, d.nroot = 1;
  not_made(&d, "`roots`");
  fly_problem_free(&p);
}

static void test_patterns(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const int start[] = {0, 1, 3}, falling[] = {0, 1, 0}, outside[] = {0, 0, 2}, backwards[] = {0, 2, 1};
  fly_dae_problem d = p.dae;
  d.mass_pattern = (fly_pattern){start, falling};
  not_made(&d, "ascend");
  d.mass_pattern = (fly_pattern){start, outside};
  not_made(&d, "row 2");
  d.mass_pattern = (fly_pattern){backwards, falling};
  not_made(&d, "starts at");
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mass_orthogonal),
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_knife_edge),
      cmocka_unit_test(test_rotation),
      cmocka_unit_test(test_massless_but_held),
      cmocka_unit_test(test_infeasible),
      cmocka_unit_test(test_redundant),
      cmocka_unit_test(test_massless),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_times),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_missing_callbacks),
      cmocka_unit_test(test_patterns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
