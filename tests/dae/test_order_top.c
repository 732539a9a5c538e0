// Order of convergence on the heavy top: a rotation as a quaternion under holonomic constraints. Largest error over the
// run, fixed steps, against the reference integrator.
#include "support/truths.h"

static const double t_end = 0.1;

static int set_up(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  *state = reference_truth_of(&p, t_end, 20);
  fly_problem_free(&p);
  return 0;
}

static int tear_down(void **state) {
  reference_truth_free(*state);
  return 0;
}

static const char *const names[] = {"hht", "wbz", "ch", "gen"};
enum { METHODS = 4 };

static void in_formulation(void **state, fly_formulation formulation) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  for (int k = 0; k < METHODS; k++) {
    fly_dae_options o = options_of(names[k], 0.6, formulation);
    orders r = orders_with(names[k], &p, o, 2.5e-4, t_end, reference_at, *state);
    assert_second_order(&r);
    o.start = FLY_START_PLAIN;
    r = orders_with("plain start", &p, o, 2.5e-4, t_end, reference_at, *state);
    assert_between(r.q, 1.9, 2.1);
    assert_between(r.lambda, 0.9, 1.1);
  }
  fly_problem_free(&p);
}

static void test_index3(void **state) { in_formulation(state, FLY_INDEX3); }
static void test_index2(void **state) { in_formulation(state, FLY_INDEX2); }
static void test_ggl(void **state) { in_formulation(state, FLY_GGL); }

// numerics.md: CH(0.6), index 3, largest lambda error; the second row needs the cross term w x w'/12 at the start.
static void test_published_start(void **state) {
  const double plain[] = {13.1, 6.67, 3.35}, corrected[] = {0.542, 0.136, 0.0339};
  fly_problem p = problem_of("heavy-top", NULL, 0);
  fly_dae_options o = options_of("ch", 0.6, FLY_INDEX3);
  for (int k = 0; k < 3; k++)
    for (o.start = FLY_START_CORRECTED; o.start <= FLY_START_PLAIN; o.start++) {
      const double expected = o.start == FLY_START_PLAIN ? plain[k] : corrected[k];
      o.step = ldexp(5e-4, -k);
      motion m = motion_run(&p, &o, t_end);
      assert_close(motion_errors(&m, reference_at, *state).lambda, expected, 0.005 * expected);
      motion_free(&m);
    }
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_index3),
      cmocka_unit_test(test_index2),
      cmocka_unit_test(test_ggl),
      cmocka_unit_test(test_published_start),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
