// Large stabilized systems are solved with two matrices of half the size and sweeps between them. They must give what
// the full matrix gives; where they would not, the full one is made; and nothing of it may show in the motion.
#include <stdlib.h>
#include <string.h>

#include "dae/newmark.h"
#include "support/motion.h"

static fly_dae_options ggl(double step) { return with_step(options_of("ch", 0.6, FLY_GGL), step); }

// An attempt of step h from where the solver is, with the matrix factorized there.
static fly_status prepare(fly_solver *s, double h) {
  fly_step_begin(s, h);
  fly_predict(s);
  fly_step_expand(s);
  const fly_dae_state end = fly_point_state(&s->at.end);
  assert_int_equal(fly_eval_jacobian(&s->e, &end), 0);
  fly_own(s)->use.fresh = true;
  return fly_matrix_factor(s);
}

static double *right_side(int n) {
  double *b = calloc((size_t)n, sizeof *b);
  assert_non_null(b);
  for (int i = 0; i < n; i++)
    b[i] = sin(1.0 + 0.7 * i) * (1 + i % 7);
  return b;
}

// Largest difference of accelerations and eta between the sweeps and the full matrix, over the largest of them.
static double loss(fly_solver *s, int sweeps) {
  const int n = s->step.n, nv = s->e.p.nv, ncore = s->step.ncore;
  double *a = right_side(n), *b = right_side(n), largest = 0, worst = 0;
  const int kept = fly_own(s)->use.sweeps;
  fly_error error = {0};
  fly_own(s)->use.sweeps = sweeps;
  fly_matrix_solve(s, a);
  fly_own(s)->use.sweeps = kept;
  if (!s->step.lu)
    assert_ok(fly_step_matrix_build(&s->step, &s->e, &error), &error);
  fly_step_matrix_fill(&s->step, &s->e, &s->at.coef, s->at.delta);
  assert_int_equal(fly_lu_factor(s->step.lu, &s->step.a), FLY_OK);
  fly_lu_solve(s->step.lu, b);
  for (int k = 0; k < 2; k++)
    for (int i = k * ncore; i < k * ncore + nv; i++) {
      largest = fmax(largest, fabs(b[i]));
      worst = fmax(worst, fabs(a[i] - b[i]));
    }
  free(a);
  free(b);
  return worst / largest;
}

static void test_sweeps_converge_to_the_full_matrix(void **state) {
  fly_problem p = problem_of("chain", NULL, 300);
  const fly_dae_options o = ggl(2e-4);
  fly_solver *s = solver_started(&p, &o, 1);
  fly_error error = {0};
  assert_ok(fly_solver_advance(s, 0.02, &error), &error);
  assert_int_equal(prepare(s, 2e-4), FLY_OK);
  assert_at_least(fly_own(s)->use.sweeps, 1);
  const double one = loss(s, 1), two = loss(s, 2), many = loss(s, 12);
  say("one sweep leaves %.1e, two %.1e, twelve %.1e; %d are taken\n", one, two, many, fly_own(s)->use.sweeps);
  assert_at_most(loss(s, fly_own(s)->use.sweeps), 0.1);
  assert_at_most(two, 0.3 * one);
  assert_at_most(many, 1e-9);
  fly_solver_free(s);
  fly_problem_free(&p);
}

static long factored(const fly_solver *s, int half) {
  const fly_lu_counts n = fly_lu_count(fly_own(s)->half[half].lu);
  return n.factorizations + n.refactorizations;
}

// Another step with the derivatives there are: that half has no coefficients. What couples the halves is scaled, and
// measured again where a step is seven times as long.
static void test_other_coefficients_keep_the_projection(void **state) {
  (void)state;
  fly_problem p = problem_of("chain", NULL, 300);
  const fly_dae_options o = ggl(2e-4);
  fly_solver *s = solver_started(&p, &o, 1);
  fly_error error = {0};
  assert_ok(fly_solver_advance(s, 0.02, &error), &error);
  assert_int_equal(prepare(s, 2e-4), FLY_OK);
  const long before[] = {factored(s, 0), factored(s, 1)};
  const double measured = fly_own(s)->use.coupling.loss;
  for (int k = 0; k < 3; k++) {
    fly_step_begin(s, k == 0 ? 1e-4 : k == 1 ? 2.5e-4 : 1.5e-3);
    fly_predict(s);
    fly_step_expand(s);
    fly_own(s)->use.fresh = false;
    assert_int_equal(fly_matrix_factor(s), FLY_OK);
    say("%d sweeps leave %.1e; %.1e was measured, %.1e before\n", fly_own(s)->use.sweeps,
        loss(s, fly_own(s)->use.sweeps), fly_own(s)->use.coupling.loss, measured);
    assert_at_most(loss(s, fly_own(s)->use.sweeps), 0.1);
    assert_int_equal(factored(s, 0), before[0] + k + 1);
    assert_int_equal(factored(s, 1), before[1]);
    assert_int_equal(fly_own(s)->use.coupling.loss == measured, k < 2); // many times as much may be too much
    assert_int_equal(fly_matrix_is_scaled(s), k < 2);
  }
  fly_solver_free(s);
  fly_problem_free(&p);
}

// Long steps: the coupling is no longer small.
static void test_long_steps_take_the_full_matrix(void **state) {
  fly_problem p = problem_of("chain", NULL, 300);
  const fly_dae_options o = ggl(2e-4);
  fly_solver *s = solver_started(&p, &o, 1);
  fly_error error = {0};
  assert_ok(fly_solver_advance(s, 0.02, &error), &error);
  assert_int_equal(prepare(s, 0.05), FLY_OK);
  assert_int_equal(fly_own(s)->use.sweeps, 0);
  assert_at_most(loss(s, fly_own(s)->use.sweeps), 1e-12);
  fly_solver_free(s);
  fly_problem_free(&p);
}

// The same motion with the halves as with the full matrix, up to the corrector's tolerance, in as many corrections.
static void test_nothing_shows(void **state) {
  fly_problem p = problem_of("chain", NULL, 300);
  const fly_dae_options o = ggl(5e-4);
  fly_solver *split = solver_started(&p, &o, 0.05), *full = solver_started(&p, &o, 0.05);
  fly_error error = {0};
  for (int k = 0; k < 2; k++) // without halves there is only the full matrix
    fly_step_matrix_free(&fly_own(full)->half[k]);
  memset(fly_own(full)->half, 0, sizeof fly_own(full)->half);
  assert_ok(fly_step_matrix_build(&full->step, &full->e, &error), &error);
  assert_ok(fly_solver_advance(split, 0.05, &error), &error);
  assert_ok(fly_solver_advance(full, 0.05, &error), &error);
  assert_at_least(fly_own(split)->use.sweeps, 1);
  assert_int_equal(fly_own(full)->use.sweeps, 0);
  const fly_dae_state a = fly_solver_state(split), b = fly_solver_state(full);
  double worst = 0;
  for (int i = 0; i < p.dae.nq; i++)
    worst = fmax(worst, fabs(a.q[i] - b.q[i]));
  const double more =
      (double)fly_solver_stats(split).newton_iterations / (double)fly_solver_stats(full).newton_iterations;
  say("positions differ by %.1e, corrections by a factor %.3f\n", worst, more);
  assert_at_most(worst, 1e-10);
  assert_at_most(more, 1.1);
  fly_solver_free(split);
  fly_solver_free(full);
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sweeps_converge_to_the_full_matrix),
      cmocka_unit_test(test_other_coefficients_keep_the_projection),
      cmocka_unit_test(test_long_steps_take_the_full_matrix),
      cmocka_unit_test(test_nothing_shows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
