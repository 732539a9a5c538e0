// Steps that follow the error: the tolerance is kept, reaction forces have no spikes, and the work is what it should
// be.
#include <stdlib.h>

#include "support/truths.h"

typedef struct mechanism {
  const char *name;
  double t_end;
  int panels;
} mechanism;

static const mechanism pendulum = {"pendulum", 4, 100}, pendulum_family = {"pendulum-family", 3.75, 94},
                       seven_body = {"seven-body", 0.03, 120}, heavy_top = {"heavy-top", 0.5, 100};

// One run: worst error of positions in units of the scales, and the errors of lambda as a distribution.
typedef struct result {
  double q, lambda, lambda95, mean_step, rejected, jacobians;
  long steps;
} result;

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static result run(const mechanism *k, const reference_truth *truth, const fly_dae_options *o) {
  fly_problem p = problem_of(k->name, NULL, 0);
  motion m = motion_run(&p, o, k->t_end);
  double *lambda = calloc((size_t)m.count, sizeof *lambda);
  result r = {.steps = m.stats.steps};
  for (int i = 0; i < m.count; i++) {
    point at = {0};
    const fly_dae_state a = motion_at(&m, i);
    reference_at(&at, a.t, truth);
    const fly_dae_state b = {at.t, at.q, at.v, at.vdot, at.lambda, at.x, at.xdot, at.y, NULL};
    const errors e = errors_between(&m, &a, &b);
    r.q = fmax(r.q, e.q);
    lambda[i] = e.lambda;
  }
  qsort(lambda, (size_t)m.count, sizeof *lambda, ascending);
  r.lambda = lambda[m.count - 1];
  r.lambda95 = lambda[(int)(0.95 * (m.count - 1))];
  r.mean_step = k->t_end / (double)m.stats.steps;
  r.rejected = (double)(m.stats.rejected_error + m.stats.rejected_newton) / (double)m.stats.steps;
  r.jacobians = (double)m.stats.jacobians / (double)m.stats.steps;
  say("%-16s error %.0e: steps %6ld, rejected %.2f %%, jacobians %.3f a step, q %.2e, lambda %.2e, over 95 %% %.2f\n",
      k->name, o->error, r.steps, 100 * r.rejected, r.jacobians, r.q, r.lambda, r.lambda / r.lambda95);
  free(lambda);
  motion_free(&m);
  fly_problem_free(&p);
  return r;
}

static reference_truth *truth_of(const mechanism *k) {
  fly_problem p = problem_of(k->name, NULL, 0);
  reference_truth *truth = reference_truth_of(&p, k->t_end, k->panels);
  fly_problem_free(&p);
  return truth;
}

// ---------------------------------------------------------------------------------------------- positions

enum { DECADES = 4 };

// Error at most `factor` times the tolerance, falling with it; slope in log-log at least 0.8. From 1e-3 to 1e-6.
static void tolerance_kept(const mechanism *k, fly_dae_options o, double factor) {
  reference_truth *truth = truth_of(k);
  double tolerance[DECADES], error[DECADES];
  for (int i = 0; i < DECADES; i++) {
    o.error = tolerance[i] = pow(10, -3 - i);
    const result r = run(k, truth, &o);
    error[i] = r.q;
    assert_at_most(r.q, factor * o.error);
    if (i > 0)
      assert_at_most(r.q, error[i - 1]);
    assert_at_most(r.rejected, 0.1);
    assert_at_most(r.jacobians, r.steps > 1000 ? 0.2 : 0.3);
  }
  assert_at_least(slope_of(tolerance, error, DECADES), 0.8);
  reference_truth_free(truth);
}

static void test_pendulum(void **state) {
  tolerance_kept(&pendulum, options_of("ch", 0.6, FLY_GGL), 10);
  tolerance_kept(&pendulum, options_of("ch", 0.6, FLY_INDEX3), 10);
  tolerance_kept(&pendulum, options_of("ch", 0.6, FLY_INDEX2), 10);
}

static void test_seven_body(void **state) {
  tolerance_kept(&seven_body, options_of("ch", 0.6, FLY_GGL), 40); // of 100
  tolerance_kept(&seven_body, options_of("ch", 0.6, FLY_INDEX3), 40);
}

static void test_every_method(void **state) {
  const char *names[] = {"trapezoid", "hht", "wbz", "gen"};
  for (int i = 0; i < 4; i++)
    tolerance_kept(&pendulum_family, options_of(names[i], i ? 0.6 : (double)NAN, FLY_GGL), 10);
}

// Members of first order are measured by what their velocity's error of h^2 a step does to positions later: their
// tolerance holds too, at the price of first order.
static void test_first_order(void **state) {
  reference_truth *truth = truth_of(&pendulum_family);
  double tolerance[3], error[3], steps[3];
  for (int i = 0; i < 3; i++) {
    tolerance[i] = pow(10, -2 - i);
    const fly_dae_options o = with_error(options_of("newmark", 0.8, FLY_GGL), tolerance[i]);
    const result r = run(&pendulum_family, truth, &o);
    error[i] = r.q;
    steps[i] = (double)r.steps;
    assert_at_most(r.q, 10 * tolerance[i]); // the bob falls from near the top, and errors grow with it
    assert_at_most(r.rejected, 0.1);
  }
  assert_between(slope_of(tolerance, error, 3), 0.8, 1.2);
  assert_between(slope_of(tolerance, steps, 3), -1.1, -0.8);
  reference_truth_free(truth);
}

// ---------------------------------------------------------------------------------------------- reaction forces

// Must show 6 (ii) and (iii): lambda converges with the square of the mean step, and no step stands out.
static void reactions(const mechanism *k, fly_formulation formulation, double loosest, int decades, double outlier) {
  reference_truth *truth = truth_of(k);
  double step[DECADES], lambda[DECADES];
  fly_dae_options o = options_of("ch", 0.6, formulation);
  for (int i = 0; i < decades; i++) {
    o.error = loosest * pow(10, -i);
    const result r = run(k, truth, &o);
    step[i] = r.mean_step;
    lambda[i] = r.lambda;
    assert_at_most(r.lambda / r.lambda95, outlier);
  }
  assert_at_least(slope_of(step + decades - 3, lambda + decades - 3, 3), 1.8);
  reference_truth_free(truth);
}

static void test_reactions_ggl(void **state) {
  reactions(&pendulum_family, FLY_GGL, 1e-3, 4, 1.5); // to 4 s: 2.4, the error begins a smooth rise at 3.9 s
  reactions(&seven_body, FLY_GGL, 1e-3, 4, 1.5);
  reactions(&heavy_top, FLY_GGL, 1e-2, 3, 1.5);
}

static void test_reactions_index3(void **state) {
  reactions(&pendulum_family, FLY_INDEX3, 1e-4, 4, 1.6); // at 1e-7 round-off would be three times the error
  reactions(&seven_body, FLY_INDEX3, 1e-3, 4, 1.6);
  reactions(&heavy_top, FLY_INDEX3, 1e-2, 3, 1.6);
}

// Must show 6 (iv): a change of step without any treatment shows.
static void test_reactions_untreated(void **state) {
  const mechanism *list[] = {&pendulum_family, &seven_body, &heavy_top};
  for (int k = 0; k < 3; k++) {
    reference_truth *truth = truth_of(list[k]);
    fly_dae_options o = with_error(options_of("ch", 0.6, FLY_INDEX3), k == 2 ? 1e-4 : 1e-6);
    const double treated = run(list[k], truth, &o).lambda;
    o.step_change = FLY_CHANGE_NONE;
    const result r = run(list[k], truth, &o);
    assert_at_least(r.lambda / r.lambda95, 4);
    assert_at_least(r.lambda, 5 * treated);
    reference_truth_free(truth);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_seven_body),
      cmocka_unit_test(test_every_method),
      cmocka_unit_test(test_first_order),
      cmocka_unit_test(test_reactions_ggl),
      cmocka_unit_test(test_reactions_index3),
      cmocka_unit_test(test_reactions_untreated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
