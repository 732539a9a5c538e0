// Damped methods of second order beside the Newmark family: their tableaus, linear analysis, orders on equations
// without constraints, with constraints on velocities and positions, with rotations and with springs and dampers for
// constraints.
#include <stdlib.h>

#include "dae/tableau.h"
#include "flyball/soft.h"
#include "support/truths.h"

static const char *const names[] = {"sdirk", "lobatto-cd", "lobatto-acd", "bdf-alpha", "ch-first"};
enum { METHODS = 5, TWO_STEP = 3 }; // those from TWO_STEP on

static fly_tableau tableau_of(int k, double rho) {
  fly_method_request r = fly_method_request_default();
  fly_tableau t;
  fly_error error = {0};
  r.name = names[k];
  r.rho = rho;
  assert_ok(fly_tableau_make(&t, &r, &error), &error);
  return t;
}

// ---------------------------------------------------------------------------------------------- linear analysis

// On q'' + omega^2 q = 0: rho at infinity, nowhere above 1, and of second order: the principal root is e^(iz) + O(z^3).
static void test_damping(void **state) {
  static const double rhos[] = {0, 0.3, 0.6, 0.8, 0.95, 1};
  for (int k = 0; k < METHODS; k++)
    for (int j = 0; j < 6; j++) {
      const fly_tableau t = tableau_of(k, rhos[j]);
      double re[2], im[2], largest = 0, far[2];
      assert_close(fly_tableau_roots(re, im, &t, INFINITY), rhos[j], 1e-14);
      assert_close(fly_tableau_roots(re, im, &t, 1e8), rhos[j], 2e-4);
      for (double z = 1e-3; z < 1e6; z *= 1.1)
        largest = fmax(largest, fly_tableau_roots(re, im, &t, z));
      assert_at_most(largest, 1 + 1e-12);
      for (int i = 0; i < 2; i++) {
        const double z = i ? 0.005 : 0.01;
        fly_tableau_roots(re, im, &t, z);
        far[i] = fmin(hypot(re[0] - cos(z), im[0] - sin(z)), hypot(re[1] - cos(z), im[1] - sin(z)));
      }
      say("%s(%g): largest %.6f, defect %.2e, order %.2f\n", names[k], rhos[j], largest, far[0], log2(far[0] / far[1]));
      assert_between(log2(far[0] / far[1]), 2.9, 4.1);
    }
}

// FAMILY (4.34): with nu_D = 2 rho (1 - nu_A)/(1 + rho) the amplification is (1 + rho)/2 at z0 and rho at infinity;
// with the printed nu_D it is neither.
static void test_correction_of_acd(void **state) {
  static const double rhos[] = {0.3, 0.6, 0.8}, z0[] = {3, 5, 10};
  for (int i = 0; i < 9; i++) {
    const double rho = rhos[i % 3], z = z0[i / 3], nu_a = fly_tableau_share(rho, z);
    const fly_tableau right = fly_tableau_lobatto(rho, nu_a, false), printed = fly_tableau_lobatto(rho, nu_a, true);
    double re[2], im[2];
    assert_between(nu_a, 0, 1);
    assert_close(fly_tableau_roots(re, im, &right, z), (1 + rho) / 2, 1e-12);
    assert_close(fly_tableau_roots(re, im, &right, INFINITY), rho, 1e-12);
    assert_at_most(fly_tableau_roots(re, im, &printed, z), (1 + rho) / 2 - 0.1);
    assert_at_least(fabs(fly_tableau_roots(re, im, &printed, INFINITY) - rho), 0.05);
  }
}

// rho = 1 is the trapezoid rule (or, of two stages, another rule without damping), rho = 0 of bdf-alpha and ch-first
// BDF2.
static void test_ends(void **state) {
  const fly_tableau one[] = {tableau_of(3, 1), tableau_of(4, 1)}, zero[] = {tableau_of(3, 0), tableau_of(4, 0)};
  for (int k = 0; k < 2; k++) {
    assert_close(one[k].a[0][0] + one[k].w0 + one[k].w1, 1 + one[k].u, 1e-15);
    assert_close(zero[k].a[0][0], 2.0 / 3, 1e-15);
    assert_close(zero[k].u, -1.0 / 3, 1e-15);
    assert_close(zero[k].w0 + zero[k].w1, 0, 1e-15);
  }
}

// ---------------------------------------------------------------------------------------------- orders

static void oscillation(point *out, double t, const void *user) {
  const double w = 8 * atan(1);
  (void)user;
  *out = (point){.t = t, .q = {cos(w * t)}, .v = {-w * sin(w * t)}, .vdot = {-w * w * cos(w * t)}};
}

static void test_without_constraints(void **state) {
  fly_problem p = problem_of("oscillator", NULL, 0);
  for (int k = 0; k < METHODS; k++)
    for (double rho = 0; rho < 1; rho += 0.7) {
      const orders r = orders_with(names[k], &p, options_of(names[k], rho, FLY_GGL), 2e-3, 2, oscillation, NULL);
      assert_between(r.q, 1.95, 2.05);
      assert_between(r.v, 1.95, 2.05);
      assert_between(r.vdot, k < TWO_STEP ? 0.9 : 1.9, 2.1); // of Runge-Kutta stages: no more than their own order
    }
  fly_problem_free(&p);
}

static void test_velocity_constraints(void **state) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  pendulum_truth *truth = pendulum_truth_of(&p, 2, 1);
  for (int k = 0; k < METHODS; k++) {
    const orders r = orders_with(names[k], &p, options_of(names[k], 0.7, FLY_INDEX2), 2e-3, 2, pendulum_at, truth);
    assert_between(r.q, 1.9, 2.1);
    assert_between(r.v, 1.9, 2.1);
    assert_between(r.lambda, k < TWO_STEP ? 0.9 : 1.9, 2.1);
  }
  free(truth);
  fly_problem_free(&p);
}

// Two-step methods meet positions, too: lambda begins with an order less, as that of ch does from a plain start.
static void test_position_constraints(void **state) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  pendulum_truth *truth = pendulum_truth_of(&p, 2, 1);
  for (int k = TWO_STEP; k < METHODS; k++) {
    const orders r = orders_with(names[k], &p, options_of(names[k], 0.7, FLY_INDEX3), 2e-3, 2, pendulum_at, truth);
    assert_between(r.q, 1.9, 2.1);
    assert_between(r.v, 1.9, 2.1);
    assert_between(r.lambda, 0.9, 2.1);
  }
  free(truth);
  fly_problem_free(&p);
}

// Rotations, a mass matrix that varies, first-order states, rows that are not holonomic.
static void test_all_kinds(void **state) {
  static const struct {
    const char *name;
    double h, end;
  } list[] = {
      {"heavy-top", 1e-3, 0.2}, {"seven-body", 4e-5, 0.01}, {"spring-mass", 4e-3, 1}, {"rolling-coin", 4e-3, 1}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    fly_problem p = problem_of(list[i].name, NULL, 0);
    reference_truth *truth = reference_truth_of(&p, list[i].end, 40);
    for (int k = 0; k < METHODS; k++) {
      const orders r =
          orders_with(names[k], &p, options_of(names[k], 0.6, FLY_INDEX2), list[i].h, list[i].end, reference_at, truth);
      say("%s, %s: q %.2f, v %.2f, x %.2f, lambda %.2f\n", list[i].name, names[k], r.q, r.v, r.x, r.lambda);
      assert_between(r.q, 1.85, 2.2);
      assert_between(r.v, 1.8, 2.2);
      if (p.dae.nx > 0)
        assert_between(r.x, 1.85, 2.15);
    }
    reference_truth_free(truth);
    fly_problem_free(&p);
  }
}

// ---------------------------------------------------------------------------------------------- constraints give way

static errors errors_soft(const char *method, fly_soft_form form, double parameter, double h) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  const fly_dae_problem rigid = p.dae;
  fly_soft *soft = NULL;
  fly_error error = {0};
  pendulum_truth *truth = pendulum_truth_of(&p, 1, 1);
  assert_ok(fly_soft_create(&soft, &rigid, form, parameter, &error), &error);
  p.dae = *fly_soft_problem(soft);
  const fly_dae_options o = with_step(options_of(method, 0.7, FLY_GGL), h);
  motion m = motion_run(&p, &o, 1);
  const errors e = motion_errors(&m, pendulum_at, truth);
  say("%s, form %d, %g, h %g: q %.2e, v %.2e\n", method, form, parameter, h, e.q, e.v);
  motion_free(&m);
  free(truth);
  fly_soft_free(soft);
  fly_problem_free(&p);
  return e;
}

// Dampers: all of second order. Springs: those of two stages have q of first order only, as their stages have (FAMILY
// 3.26 and section 6.5), two-step methods keep the second.
static void test_springs_and_dampers(void **state) {
  for (int k = 0; k < METHODS; k++) {
    const errors a = errors_soft(names[k], FLY_SOFT_DAMPED, 1e-10, 4e-3),
                 b = errors_soft(names[k], FLY_SOFT_DAMPED, 1e-10, 2e-3);
    assert_between(order_of(a.q, b.q, 2), 1.85, 2.15);
    const errors c = errors_soft(names[k], FLY_SOFT_STIFF, 1e-6, 4e-3),
                 d = errors_soft(names[k], FLY_SOFT_STIFF, 1e-6, 2e-3);
    assert_between(order_of(c.q, d.q, 2), k < TWO_STEP ? 0.85 : 1.85, 2.15);
  }
}

// ---------------------------------------------------------------------------------------------- steps that change

static void test_sequence(void **state) {
  static const double parts[] = {0.3, 0.7};
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  pendulum_truth *truth = pendulum_truth_of(&p, 1, 1);
  for (int k = 0; k < METHODS; k++) {
    fly_dae_options o = with_sequence(options_of(names[k], 0.7, FLY_INDEX2), 4e-3, parts, 2);
    const orders r = orders_with(names[k], &p, o, 4e-3, 1, pendulum_at, truth);
    assert_between(r.q, 1.9, 2.1);
    assert_between(r.v, 1.9, 2.1);
  }
  free(truth);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- bad input

static void refused(const char *method, fly_formulation f, double step, const char *says) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const fly_dae_options o = with_step(options_of(method, 0.6, f), step);
  fly_solver *s = NULL;
  fly_error error = {0};
  assert_int_equal(fly_solver_create(&s, &p.dae, &o, &error), FLY_BAD_INPUT);
  assert_says(&error, says);
  assert_null(s);
  fly_problem_free(&p);
}

static void test_bad_input(void **state) {
  fly_method_request r = fly_method_request_default();
  fly_tableau t;
  fly_error error = {0};
  refused("sdirk", FLY_GGL, 1e-3, "use the formulation index2.");
  refused("lobatto-cd", FLY_INDEX3, 1e-3, "use the formulation index2.");
  refused("bdf-alpha", FLY_GGL, 1e-3, "use the formulation index2 or index3.");
  refused("ch-first", FLY_INDEX2, 0, "take fixed steps: give a step");
  r.name = "lobatto-acd";
  r.rho = 0.3;
  r.z0 = 1.5;
  assert_int_equal(fly_tableau_make(&t, &r, &error), FLY_BAD_INPUT);
  assert_says(&error, "z0 = 1.5 is too small for rho = 0.3");
  r.name = "sdirk";
  assert_int_equal(fly_tableau_make(&t, &r, &error), FLY_BAD_INPUT);
  assert_says(&error, "does not take z0");
  r.z0 = NAN;
  r.rho = 1.2;
  assert_int_equal(fly_tableau_make(&t, &r, &error), FLY_BAD_INPUT);
  assert_says(&error, "method sdirk: rho = 1.2 is out of range");
  r.name = "ch";
  r.rho = NAN;
  assert_int_equal(fly_tableau_make(&t, &r, &error), FLY_BAD_INPUT);
  assert_says(&error, "has no tableau");
  assert_int_equal(fly_tableau_make(&t, NULL, &error), FLY_BAD_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_damping),
      cmocka_unit_test(test_correction_of_acd),
      cmocka_unit_test(test_ends),
      cmocka_unit_test(test_without_constraints),
      cmocka_unit_test(test_velocity_constraints),
      cmocka_unit_test(test_position_constraints),
      cmocka_unit_test(test_all_kinds),
      cmocka_unit_test(test_springs_and_dampers),
      cmocka_unit_test(test_sequence),
      cmocka_unit_test(test_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
