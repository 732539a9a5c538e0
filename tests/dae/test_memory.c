// Memory: none is taken between the second step and the last, and every allocation may fail.
//
// labels: valgrind
#include "base/allocations.h"

#include <string.h>

#include "support/motion.h"

typedef struct sample {
  const char *name;
  double t_end, h, error;
} sample;

static const sample samples[] = {{"pendulum-family", 2, 5e-3, 1e-4}, {"seven-body", 0.01, 2e-5, 1e-4},
                                 {"heavy-top", 0.05, 2e-4, 1e-3},    {"spring-mass", 5, 0.02, 1e-4},
                                 {"rolling-coin", 1, 5e-3, 1e-3},    {"chain", 0.2, 2e-3, 1e-3}};
enum { SAMPLES = sizeof samples / sizeof *samples };

static long allocations_of(const fly_problem *p, const fly_dae_options *o, double t_end, fly_stats *stats) {
  fly_solver *s = solver_started(p, o, t_end);
  fly_error error = {0};
  assert_ok(fly_solver_step(s, &error), &error);
  assert_ok(fly_solver_step(s, &error), &error);
  fly_status status = FLY_OK;
  fly_dae_state in;
  allocations_reset(0);
  while (status == FLY_OK && !fly_solver_done(s)) {
    const double t = fly_solver_state(s).t;
    status = fly_solver_step(s, &error);
    if (status == FLY_OK)
      status = fly_solver_interpolate(s, t, &in, &error);
  }
  const long count = the_allocations.count;
  assert_ok(status, &error);
  assert_at_least((double)fly_solver_stats(s).steps, 20);
  *stats = fly_solver_stats(s);
  fly_solver_free(s);
  return count;
}

static long allocations_after_two_steps(const fly_problem *p, const fly_dae_options *o, double t_end) {
  fly_stats stats;
  return allocations_of(p, o, t_end, &stats);
}

static void test_no_allocation_in_a_step(void **state) {
  const fly_step_change changes[] = {FLY_CHANGE_SHIFT, FLY_CHANGE_GAMMA};
  for (int k = 0; k < SAMPLES; k++)
    for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++)
      for (int c = 0; c < 2; c++) {
        fly_problem p = problem_of(samples[k].name, NULL, 0);
        fly_dae_options o = with_step(options_of("ch", 0.6, f), samples[k].h);
        o.step_change = changes[c];
        const long fixed = allocations_after_two_steps(&p, &o, samples[k].t_end);
        o = with_error(o, samples[k].error);
        const long adaptive = allocations_after_two_steps(&p, &o, samples[k].t_end);
        say("%s, formulation %d: %ld fixed, %ld adaptive\n", samples[k].name, f, fixed, adaptive);
        assert_int_equal(fixed, 0);
        assert_int_equal(adaptive, 0);
        fly_problem_free(&p);
      }
}

// Nor with the state-space methods, as long as they keep their coordinates: a new choice is a new factorization.
static void test_no_allocation_in_state_space(void **state) {
  const char *methods[] = {"direct", "baumgarte", "partition", "hybrid"};
  const char *names[] = {"seven-body", "heavy-top", "spring-mass", "rolling-coin"};
  const double ends[] = {0.01, 0.05, 5, 1};
  for (int k = 0; k < 4; k++)
    for (int m = 0; m < 4; m++) {
      fly_problem p = problem_of(names[k], NULL, 0);
      const fly_dae_options o = options_of(methods[m], NAN, FLY_GGL);
      const fly_dae_options fixed = with_step(o, samples[k + 1].h), adaptive = with_error(o, 1e-6);
      assert_int_equal(allocations_after_two_steps(&p, &fixed, ends[k]), 0);
      assert_int_equal(allocations_after_two_steps(&p, &adaptive, ends[k]), 0);
      fly_problem_free(&p);
    }
}

// Method auto takes memory where a family begins its work, for its pivots, or where coordinates are chosen anew.
static void test_no_allocation_in_auto(void **state) {
  long quiet = 0;
  for (int k = 0; k < SAMPLES; k++)
    for (int e = 4; e <= 8; e += 2) {
      fly_problem p = problem_of(samples[k].name, NULL, 0);
      const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), pow(10, -e));
      fly_stats stats;
      const long count = allocations_of(&p, &o, samples[k].t_end, &stats);
      say("%s 1e-%d: %ld, %ld switches, %ld repartitions\n", samples[k].name, e, count, stats.switches,
          stats.repartitions);
      if (stats.switches == 0 && stats.repartitions == 0) {
        assert_int_equal(count, 0);
        quiet++;
      }
      fly_problem_free(&p);
    }
  assert_at_least((double)quiet, SAMPLES);
}

// With every derivative by differences, too.
static void test_no_allocation_in_differences(void **state) {
  for (int k = 0; k < SAMPLES; k++) {
    fly_problem p = problem_of(samples[k].name, NULL, 0);
    p.dae.constraint_jacobian = p.dae.constraint_rate = NULL;
    p.dae.constraint_gamma = p.dae.constraint_velocity_jacobian = NULL;
    p.dae.nonholonomic_gamma = p.dae.nonholonomic_velocity_jacobian = NULL;
    p.dae.jacobian = NULL;
    const fly_dae_options o = with_error(options_of("ch", 0.6, FLY_GGL), samples[k].error);
    assert_int_equal(allocations_after_two_steps(&p, &o, samples[k].t_end), 0);
    fly_problem_free(&p);
  }
}

static int wall(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->q[0];
  return 0;
}

// Watching roots takes none either.
static void test_no_allocation_for_roots(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  p.dae.nroot = 1;
  p.dae.roots = wall;
  const fly_dae_options o = with_error(options_of("ch", 0.6, FLY_GGL), 1e-4);
  assert_int_equal(allocations_after_two_steps(&p, &o, 2), 0);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- failing

// A whole run in which the n-th allocation fails: success, or "no memory" in words. Leaks are the sanitizer's and
// valgrind's business. Returns false when the run needs fewer than n allocations.
static bool survives(const fly_problem *p, const fly_dae_options *o, double t_end, long n) {
  fly_solver *s = NULL;
  fly_error error = {0};
  allocations_reset(n);
  fly_status status = fly_solver_create(&s, &p->dae, o, &error);
  if (status == FLY_OK)
    status = fly_solver_start(s, p->t0, t_end, p->q0, p->v0, p->x0, &error);
  if (status == FLY_OK)
    status = fly_solver_advance(s, t_end, &error);
  const long used = the_allocations.count;
  fly_solver_free(s);
  allocations_reset(0);
  if (status != FLY_OK) {
    assert_int_equal(status, FLY_NO_MEMORY);
    assert_int_equal(error.status, FLY_NO_MEMORY);
    assert_true(error.message[0] != 0);
  }
  return used >= n;
}

static void test_every_allocation_may_fail(void **state) {
  const char *names[] = {"pendulum", "spring-mass", "rolling-coin", "chain"};
  const double ends[] = {0.05, 0.1, 0.05, 0.02};
  for (int k = 0; k < 4; k++)
    for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++)
      for (int filled = 0; filled < 2; filled++) {
        fly_problem p = problem_of(names[k], NULL, 0);
        if (filled) {
          p.dae.constraint_jacobian = NULL;
          p.dae.constraint_velocity_jacobian = NULL;
          p.dae.jacobian = NULL;
        }
        const fly_dae_options o = with_error(options_of("ch", 0.6, f), 1e-3);
        long n = 1;
        while (survives(&p, &o, ends[k], n))
          n++;
        say("%s, formulation %d: %ld allocations\n", names[k], f, n - 1);
        assert_true(n > 20);
        fly_problem_free(&p);
      }
}

// Those of the state-space methods, with new choices of coordinates among them.
static void test_state_space_survives(void **state) {
  const char *methods[] = {"baumgarte", "partition", "hybrid", "auto"};
  for (int m = 0; m < 4; m++) {
    fly_problem p = problem_of("four-bar", "large", 0);
    const fly_dae_options o = with_error(options_of(methods[m], NAN, FLY_GGL), 1e-3);
    long n = 1;
    while (survives(&p, &o, 1.2, n))
      n++;
    say("%s: %ld allocations\n", methods[m], n - 1);
    assert_true(n > 20);
    fly_problem_free(&p);
  }
}

static bool check_survives(const fly_problem *p, const fly_dae_state *s, long n) {
  fly_derivative_check check;
  fly_error error = {0};
  allocations_reset(n);
  const fly_status status = fly_dae_check(&check, &p->dae, s, &error);
  const long used = the_allocations.count;
  allocations_reset(0);
  assert_true(status == FLY_OK || status == FLY_NO_MEMORY);
  return used >= n;
}

static void test_check_survives(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const double zero[] = {0, 0};
  const fly_dae_state s = {.q = p.q0, .v = zero, .vdot = zero, .lambda = zero};
  long n = 1;
  while (check_survives(&p, &s, n))
    n++;
  assert_true(n > 20);
  fly_problem_free(&p);
}

static void test_condition_survives(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const fly_dae_options o = with_step(fly_dae_options_default(), 0.01);
  fly_solver *s = solver_started(&p, &o, 1);
  bool more = true;
  for (long n = 1; more; n++) {
    double condition;
    allocations_reset(n);
    const fly_status status = fly_solver_condition(s, 0.01, true, &condition, NULL);
    more = the_allocations.count >= n;
    allocations_reset(0);
    assert_true(status == FLY_OK || status == FLY_NO_MEMORY);
  }
  fly_solver_free(s);
  fly_problem_free(&p);
}

static int hook(void **state) {
  assert_true(allocations_hook_klu());
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_allocation_in_a_step),      cmocka_unit_test(test_no_allocation_in_state_space),
      cmocka_unit_test(test_no_allocation_in_auto),        cmocka_unit_test(test_state_space_survives),
      cmocka_unit_test(test_no_allocation_in_differences), cmocka_unit_test(test_no_allocation_for_roots),
      cmocka_unit_test(test_every_allocation_may_fail),    cmocka_unit_test(test_check_survives),
      cmocka_unit_test(test_condition_survives),
  };
  return cmocka_run_group_tests(tests, hook, NULL);
}
