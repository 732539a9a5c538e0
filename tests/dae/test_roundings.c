// Rounding errors of a run (docs/theory/control.md, C-roundings): independent errors add up as their squares do, and
// one of a velocity moves positions for as long as the run lasts.
#include <math.h>
#include <string.h>

#include "dae/solver.h"
#include "support/motion.h"

static void test_square_root_of_the_number(void **state) {
  fly_roundings r = {0};
  for (int i = 0; i < 10000; i++)
    fly_roundings_add(&r, 1e-16, 0, 1);
  assert_close(fly_roundings_total(&r) / 1e-14, 1, 1e-10);
}

// Steps of 1 s from 0 to 1000 s, each with an error u of the velocity: u sqrt(sum of (1000-t)^2) = u sqrt(1000^3/3).
static void test_velocities_travel(void **state) {
  fly_roundings r = {0};
  for (int i = 1; i <= 1000; i++)
    fly_roundings_add(&r, 0, 1e-16, 1000.0 - i);
  assert_close(fly_roundings_total(&r) / (1e-16 * sqrt(1e9 / 3)), 1, 1e-3);
}

static void test_verdict(void **state) {
  fly_roundings r = {0};
  fly_error error;
  fly_roundings_add(&r, 3e-9, 4e-9, 1);
  assert_close(fly_roundings_total(&r) / 5e-9, 1, 1e-10);
  assert_int_equal(fly_roundings_kept(&r, 1e-9, 7, 2.0, &error), FLY_OK);
  assert_int_equal(fly_roundings_kept(&r, 1e-10, 7, 2.0, &error), FLY_NOT_KEPT);
  assert_non_null(strstr(error.message, "7 steps"));
}

// What steps leave in G v counts as an error of the velocities: here it is said to be `left` in every step of a
// pendulum, 4 s long, G = 2 m. Some 1700 steps: left/2 * sqrt(sum of (4-t)^2) is 4 s * left/2 * sqrt(1700/3).
static fly_status pendulum_with(double left, fly_error *error) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const fly_dae_options o = with_error(options_of("ch", NAN, FLY_GGL), 1e-4);
  fly_solver *s = solver_started(&p, &o, 4);
  fly_status status = FLY_OK;
  while (status == FLY_OK && !fly_solver_done(s)) {
    if (left > 0)
      s->record.velocity = left;
    status = fly_solver_step(s, error);
  }
  say("left %g: rounding errors %.2e\n", left, fly_roundings_total(&s->roundings));
  fly_solver_free(s);
  fly_problem_free(&p);
  return status;
}

static void test_velocity_constraints_count(void **state) {
  fly_error error;
  assert_int_equal(pendulum_with(0, &error), FLY_OK);
  assert_int_equal(pendulum_with(1e-6, &error), FLY_OK);
  assert_int_equal(pendulum_with(1e-4, &error), FLY_NOT_KEPT);
  assert_says(&error, "left in the constraints");
}

// Radau's steps have rounding errors as well: some eps of the positions each, times the root of their number at least.
static void test_radau_counts_them(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const fly_dae_options o = with_error(options_of("radau", NAN, FLY_GGL), 1e-8);
  fly_solver *s = solver_started(&p, &o, 4);
  fly_error error;
  while (!fly_solver_done(s))
    assert_ok(fly_solver_step(s, &error), &error);
  const double steps = (double)fly_solver_stats(s).steps;
  assert_between(fly_roundings_total(&s->roundings), 1e-16 * sqrt(steps), 1e-12 * sqrt(steps));
  fly_solver_free(s);
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_square_root_of_the_number),
                                     cmocka_unit_test(test_velocities_travel), cmocka_unit_test(test_verdict),
                                     cmocka_unit_test(test_velocity_constraints_count),
                                     cmocka_unit_test(test_radau_counts_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
