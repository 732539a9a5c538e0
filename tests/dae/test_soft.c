// Constraints that give way: exact derivatives, springs and dampers against the rigid mechanism, bad input.
#include <stdlib.h>

#include "flyball/soft.h"
#include "support/truths.h"

static const fly_soft_form forms[] = {FLY_SOFT_STIFF, FLY_SOFT_DAMPED, FLY_SOFT_STIFF_ODE, FLY_SOFT_DAMPED_ODE};
static const char *const names[] = {"stiff", "damped", "stiff-ode", "damped-ode"};

typedef struct softened {
  fly_problem p;
  fly_dae_problem rigid;
  fly_soft *soft;
} softened;

static softened soft_of(const char *name, const char *variant, fly_soft_form form, double parameter) {
  softened s = {.p = problem_of(name, variant, 0)};
  fly_error error = {0};
  s.rigid = s.p.dae;
  assert_ok(fly_soft_create(&s.soft, &s.rigid, form, parameter, &error), &error);
  s.p.dae = *fly_soft_problem(s.soft);
  return s;
}

static void soft_free(softened *s) {
  fly_soft_free(s->soft);
  fly_problem_free(&s->p);
}

// ---------------------------------------------------------------------------------------------- derivatives

static void test_derivatives(void **state) {
  static const struct {
    const char *name;
    double t;
  } problems[] = {{"pendulum-family", 0.3}, {"double-pendulum", 0.3}, {"seven-body", 0.005},
                  {"heavy-top", 0.05},      {"four-bar", 0.3},        {"chain", 0.1}};
  for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
    for (int f = 0; f < 4; f++) {
      softened s = soft_of(problems[k].name, NULL, forms[f], 0.1);
      const fly_dae_options o = with_error(fly_dae_options_default(), 1e-3);
      fly_solver *solver = solver_started(&s.p, &o, s.p.t_end);
      fly_error error = {0};
      fly_derivative_check check;
      assert_ok(fly_solver_advance(solver, problems[k].t, &error), &error);
      const fly_dae_state now = fly_solver_state(solver);
      assert_ok(fly_dae_check(&check, &s.p.dae, &now, &error), &error);
      say("%s, %s: worst %.1e: %s\n", problems[k].name, names[f], check.worst, check.where);
      assert_at_most(check.worst, 1e-5);
      fly_solver_free(solver);
      soft_free(&s);
    }
}

// ---------------------------------------------------------------------------------------------- convergence

// CH(0.8), fixed steps of h to t = 2, against the rigid pendulum.
typedef struct outcome {
  errors e;
  double corrections; // a step
} outcome;

static outcome pendulum_with(fly_soft_form form, double parameter, double h) {
  softened s = soft_of("pendulum-family", NULL, form, parameter);
  pendulum_truth *truth = pendulum_truth_of(&s.p, 2, 1);
  const fly_dae_options o = with_step(options_of("ch", 0.8, FLY_GGL), h);
  motion m = motion_run(&s.p, &o, 2);
  const outcome r = {motion_errors(&m, pendulum_at, truth), (double)m.stats.newton_iterations / (double)m.stats.steps};
  say("form %d, %g, h %g: q %.2e, v %.2e, %.2f corrections a step\n", form, parameter, h, r.e.q, r.e.v, r.corrections);
  motion_free(&m);
  free(truth);
  soft_free(&s);
  return r;
}

// Corollaries 5.33 and 5.43: q of order h^2 + delta and h^2 + epsilon^2, as long as both are below C h.
static void test_orders_in_the_step(void **state) {
  static const double parameter[] = {1e-6, 1e-10};
  for (int f = 0; f < 2; f++) {
    const outcome coarse = pendulum_with(forms[f], parameter[f], 4e-3);
    const outcome fine = pendulum_with(forms[f], parameter[f], 2e-3);
    assert_between(order_of(coarse.e.q, fine.e.q, 2), 1.9, 2.1);
    assert_between(order_of(coarse.e.v, fine.e.v, 2), 1.9, 2.1);
    assert_at_most(fine.e.q, 2e-4);
  }
}

static void test_orders_in_the_parameter(void **state) {
  const outcome soft = pendulum_with(FLY_SOFT_DAMPED, 4e-4, 1e-3), hard = pendulum_with(FLY_SOFT_DAMPED, 1e-4, 1e-3);
  assert_between(order_of(soft.e.q, hard.e.q, 4), 0.9, 1.1);
  const outcome soft2 = pendulum_with(FLY_SOFT_STIFF, 2e-2, 1e-3), hard2 = pendulum_with(FLY_SOFT_STIFF, 1e-2, 1e-3);
  assert_between(order_of(soft2.e.q, hard2.e.q, 2), 1.8, 2.2);
}

// The iteration knows lambda, so it does not feel how hard the springs are; as an ODE it does.
static void test_newton_does_not_feel_the_springs(void **state) {
  const double rigid = pendulum_with(FLY_SOFT_STIFF, 1e-9, 2e-3).corrections;
  for (double epsilon = 1e-8; epsilon < 2e-4; epsilon *= 10)
    assert_between(pendulum_with(FLY_SOFT_STIFF, epsilon, 2e-3).corrections, rigid - 1, rigid + 1);
  const double damped = pendulum_with(FLY_SOFT_DAMPED, 1e-12, 2e-3).corrections;
  for (double delta = 1e-11; delta < 2e-6; delta *= 10)
    assert_between(pendulum_with(FLY_SOFT_DAMPED, delta, 2e-3).corrections, damped - 1, damped + 1);
}

// Both ways to write the same springs and dampers move alike.
static void test_with_and_without_multipliers(void **state) {
  for (int f = 0; f < 2; f++) {
    softened a = soft_of("double-pendulum", NULL, forms[f], 0.05),
             b = soft_of("double-pendulum", NULL, forms[f + 2], 0.05);
    const fly_dae_options o = with_error(options_of("radau", NAN, FLY_GGL), 1e-9);
    motion x = motion_run(&a.p, &o, 0.5), y = motion_run(&b.p, &o, 0.5);
    const fly_dae_state at = motion_end(&x), there = motion_end(&y);
    const double *lambda = fly_soft_multipliers(b.soft, &there);
    for (int i = 0; i < a.p.dae.nv; i++) {
      assert_close(at.q[i], there.q[i], 1e-7);
      assert_close(at.v[i], there.v[i], 1e-6);
    }
    for (int i = 0; i < a.rigid.ng; i++)
      assert_close(at.y[i], lambda[i], 1e-4);
    motion_free(&x);
    motion_free(&y);
    soft_free(&a);
    soft_free(&b);
  }
}

// From a start on the constraint the spring rings and the damper jerks; from that of the smooth motion neither does.
static double worst_lambda(fly_soft_form form, double parameter, bool smooth) {
  softened s = soft_of("pendulum-family", NULL, form, parameter);
  pendulum_truth *truth = pendulum_truth_of(&s.p, 1, 1);
  fly_error error = {0};
  if (smooth)
    assert_ok(fly_soft_start(s.soft, 0, s.p.q0, s.p.v0, NULL, &error), &error);
  const fly_dae_options o = with_step(options_of("ch", 0.7, FLY_GGL), 2e-4);
  motion m = motion_run(&s.p, &o, 0.2);
  double worst = 0;
  for (int i = 0; i < m.count; i++) {
    const fly_dae_state at = motion_at(&m, i);
    point there;
    pendulum_at(&there, at.t, truth);
    worst = fmax(worst, fabs(at.y[0] - there.lambda[0]));
  }
  motion_free(&m);
  free(truth);
  soft_free(&s);
  return worst;
}

// (3.21) of FAMILY with its coefficients in the right places: the rod is longer by epsilon^2 lambda, and gets so at
// -3 g epsilon^2.
static void test_first_smooth_term(void **state) {
  const double epsilon = 1e-3, g = 9.81;
  softened s = soft_of("pendulum-family", NULL, FLY_SOFT_STIFF, epsilon);
  pendulum_truth *truth = pendulum_truth_of(&s.p, 1, 1);
  const double v0[2] = {s.p.v0[0], s.p.v0[1]};
  fly_error error = {0};
  point there;
  pendulum_at(&there, 0, truth);
  assert_ok(fly_soft_start(s.soft, 0, s.p.q0, s.p.v0, NULL, &error), &error);
  assert_close(hypot(s.p.q0[0], s.p.q0[1]), 1 + epsilon * epsilon * there.lambda[0], 1e-12);
  for (int i = 0; i < 2; i++)
    assert_close((s.p.v0[i] - v0[i]) / (epsilon * epsilon), -3 * g / sqrt(2), 1e-4);
  free(truth);
  soft_free(&s);
}

static void test_smooth_start(void **state) {
  const double ringing = worst_lambda(FLY_SOFT_STIFF, 1e-3, false), smooth = worst_lambda(FLY_SOFT_STIFF, 1e-3, true);
  const double jerk = worst_lambda(FLY_SOFT_DAMPED, 1e-5, false), calm = worst_lambda(FLY_SOFT_DAMPED, 1e-5, true);
  say("spring: %.2e, smooth %.2e; damper: %.2e, smooth %.2e\n", ringing, smooth, jerk, calm);
  assert_at_least(ringing, 1);
  assert_at_most(smooth, 1e-3);
  assert_at_least(jerk, 1);
  assert_at_most(calm, 1e-2);
}

// ---------------------------------------------------------------------------------------------- given accelerations

// A start off the constraint by h^2, on springs of 1e12: v' is 4e6 m/s^2, and CH makes nothing right of it; from v' = a
// = 0 it does (FAMILY Fig. 6.12). What the equations give, given, changes no bit.
static void test_given_accelerations(void **state) {
  static const double h = 2e-3, zero[2] = {0, 0};
  softened s = soft_of("pendulum-family", NULL, FLY_SOFT_STIFF, 1e-6);
  pendulum_truth *truth = pendulum_truth_of(&s.p, 2, 1);
  for (int i = 0; i < 2; i++)
    s.p.q0[i] *= 1 + h * h;
  fly_dae_options o = with_step(options_of("ch", 0.7, FLY_GGL), h);
  o.start = FLY_START_PLAIN;
  motion plain = motion_run(&s.p, &o, 2);
  const fly_dae_state start = motion_at(&plain, 0);
  o.start_vdot = o.start_a = start.vdot;
  motion same = motion_run(&s.p, &o, 2);
  assert_true(motion_hash(&plain) == motion_hash(&same));
  o.start_vdot = o.start_a = zero;
  motion given = motion_run(&s.p, &o, 2);
  const double wrong = motion_end_errors(&plain, pendulum_at, truth).q,
               right = motion_end_errors(&given, pendulum_at, truth).q;
  say("error at the end %.1e from the start's accelerations, %.1e from none\n", wrong, right);
  assert_at_least(wrong, 0.1);
  assert_at_most(right, 1e-2);
  motion_free(&plain);
  motion_free(&same);
  motion_free(&given);
  free(truth);
  soft_free(&s);
}

// ---------------------------------------------------------------------------------------------- bad input

static void refused(const fly_problem *p, fly_soft_form form, double parameter, const char *says) {
  fly_soft *s = NULL;
  fly_error error = {0};
  assert_int_equal(fly_soft_create(&s, &p->dae, form, parameter, &error), FLY_BAD_INPUT);
  assert_says(&error, says);
  assert_null(s);
}

static void test_bad_input(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0), free_one = problem_of("oscillator", NULL, 0);
  refused(&p, FLY_SOFT_STIFF, 0, "epsilon must be a positive number, not 0");
  refused(&p, FLY_SOFT_DAMPED_ODE, -1, "delta must be a positive number, not -1");
  refused(&p, FLY_SOFT_STIFF, NAN, "epsilon must be");
  refused(&p, FLY_SOFT_STIFF, INFINITY, "epsilon must be");
  refused(&p, FLY_SOFT_STIFF, 1e-200, "too small: 1/epsilon^2 is not a number");
  refused(&free_one, FLY_SOFT_STIFF, 1e-3, "no constraints on positions");
  fly_soft_free(NULL);
  fly_problem_free(&p);
  fly_problem_free(&free_one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_orders_in_the_step),
      cmocka_unit_test(test_orders_in_the_parameter),
      cmocka_unit_test(test_newton_does_not_feel_the_springs),
      cmocka_unit_test(test_with_and_without_multipliers),
      cmocka_unit_test(test_first_smooth_term),
      cmocka_unit_test(test_smooth_start),
      cmocka_unit_test(test_given_accelerations),
      cmocka_unit_test(test_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
