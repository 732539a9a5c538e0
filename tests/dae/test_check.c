// The checker of derivatives: silent on right ones, and it names a planted mistake.
//
// labels: valgrind
#include <string.h>

#include "support/motion.h"

// ---------------------------------------------------------------------------------------------- right ones

typedef struct named {
  const char *name, *variant;
  double t; // into the motion, so that velocities and reactions are there
} named;

static const named problems[] = {{"pendulum", NULL, 0.3},        {"pendulum-family", NULL, 0.3},
                                 {"double-pendulum", NULL, 0.3}, {"stiff-double-pendulum", NULL, 0.1},
                                 {"seven-body", NULL, 0.01},     {"seven-body-cartesian", NULL, 0.01},
                                 {"slider-crank", NULL, 0.01},   {"slider-crank-ida", NULL, 0.5},
                                 {"spring-mass", NULL, 1},       {"oscillator", "damped", 0.2},
                                 {"heavy-top", NULL, 0.05},      {"four-bar", "grashof", 0.3},
                                 {"chain", NULL, 0.2},           {"rolling-coin", NULL, 0.2},
                                 {"knife-edge", NULL, 0.5},      {"lock", NULL, 0.3}};

static fly_derivative_check check_at(const fly_problem *p, double t, const fly_dae_problem *checked) {
  const fly_dae_options o = with_error(fly_dae_options_default(), 1e-3);
  fly_solver *s = solver_started(p, &o, p->t_end);
  fly_error error = {0};
  fly_derivative_check check;
  assert_ok(fly_solver_advance(s, t, &error), &error);
  const fly_dae_state now = fly_solver_state(s);
  assert_ok(fly_dae_check(&check, checked ? checked : &p->dae, &now, &error), &error);
  fly_solver_free(s);
  return check;
}

static void test_right_derivatives(void **state) {
  for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
    fly_problem p = problem_of(problems[k].name, problems[k].variant, 0);
    const fly_derivative_check c = check_at(&p, problems[k].t, NULL);
    say("%-24s worst %.1e: %s\n", problems[k].name, c.worst, c.where);
    // the crank's rod has scales of 1e-5: differences over 1e-10 of rows of size 100 keep few digits
    assert_at_most(c.worst, strncmp(problems[k].name, "slider", 6) == 0 ? 2e-4 : 1e-5);
    fly_problem_free(&p);
  }
}

static void test_nothing_to_check(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_dae_problem d = p.dae;
  d.constraint_jacobian = d.constraint_rate = NULL;
  d.constraint_gamma = d.constraint_velocity_jacobian = NULL;
  d.jacobian = NULL;
  const fly_derivative_check c = check_at(&p, 0.3, &d);
  assert_true(c.worst == 0);
  assert_string_equal(c.where, "");
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- planted mistakes

static fly_dae_problem right; // whose callbacks the wrong ones call

static int wrong_jacobian_G(double *G, double t, const double *q, void *user) {
  const int code = right.constraint_jacobian(G, t, q, user);
  G[1] = -G[1];
  return code;
}
static int wrong_rate(double *g_t, double t, const double *q, void *user) {
  const int code = right.constraint_rate(g_t, t, q, user);
  g_t[0] += 0.5;
  return code;
}
static int wrong_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  const int code = right.constraint_gamma(gamma, t, q, v, user);
  gamma[0] *= 2;
  return code;
}
static int wrong_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  const int code = right.constraint_velocity_jacobian(Z, t, q, v, user);
  Z[0] += 0.3;
  return code;
}
static int wrong_jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  const int code = right.jacobian(J0, J1, J2, s, user);
  J1[2] += 0.1; // the force on x depends on v_y: it does not
  return code;
}

static void finds(const fly_problem *p, const fly_dae_problem *wrong, const char *text) {
  const fly_derivative_check c = check_at(p, 0.3, wrong);
  say("worst %.1e: %s\n", c.worst, c.where);
  assert_at_least(c.worst, 1e-2);
  if (!strstr(c.where, text))
    fail_msg("\"%s\" does not name %s", c.where, text);
}

static void test_wrong_derivatives(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  right = p.dae;
  fly_dae_problem d = p.dae;
  d.constraint_jacobian = wrong_jacobian_G;
  finds(&p, &d, ""); // which one it names: test_regressions.c
  d = p.dae, d.constraint_rate = wrong_rate;
  finds(&p, &d, "constraint_rate: row 0");
  d = p.dae, d.constraint_gamma = wrong_gamma;
  finds(&p, &d, "constraint_gamma: row 0");
  d = p.dae, d.constraint_velocity_jacobian = wrong_velocity_jacobian;
  finds(&p, &d, "constraint_velocity_jacobian: row 0, column 0");
  d = p.dae, d.jacobian = wrong_jacobian;
  finds(&p, &d, "jacobian, J1: row 0, column 1");
  fly_problem_free(&p);
}

static int wrong_nonholonomic_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  const int code = right.nonholonomic_gamma(gamma, t, q, v, user);
  gamma[1] += 1;
  return code;
}
static int wrong_nonholonomic_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  const int code = right.nonholonomic_velocity_jacobian(Z, t, q, v, user);
  Z[2 * 4 + 1] += 1; // row 1, column 4
  return code;
}

static void test_wrong_nonholonomic(void **state) {
  fly_problem p = problem_of("rolling-coin", NULL, 0);
  right = p.dae;
  fly_dae_problem d = p.dae;
  d.nonholonomic_gamma = wrong_nonholonomic_gamma;
  finds(&p, &d, "nonholonomic_gamma: row 2"); // after the holonomic one
  d = p.dae, d.nonholonomic_velocity_jacobian = wrong_nonholonomic_velocity_jacobian;
  finds(&p, &d, "nonholonomic_velocity_jacobian: row 1, column 4");
  fly_problem_free(&p);
}

static int failing(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) { return -4; }

static void test_failing_callback(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_dae_problem d = p.dae;
  fly_derivative_check c;
  fly_error error = {0};
  const double zero[] = {0, 0}, x[] = {1, 0};
  const fly_dae_state s = {.q = x, .v = zero, .vdot = zero, .lambda = zero};
  d.jacobian = failing;
  assert_int_equal(fly_dae_check(&c, &d, &s, &error), FLY_CALLBACK);
  assert_says(&error, "jacobian");
  d = p.dae, d.mass = NULL;
  assert_int_equal(fly_dae_check(&c, &d, &s, &error), FLY_BAD_INPUT);
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_right_derivatives), cmocka_unit_test(test_nothing_to_check),
      cmocka_unit_test(test_wrong_derivatives), cmocka_unit_test(test_wrong_nonholonomic),
      cmocka_unit_test(test_failing_callback),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
