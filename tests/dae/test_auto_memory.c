// Method auto takes memory where one of its families begins or factorizes for the first time, or with new pivots, and
// nowhere else; and twice it does the same, to the last bit.
//
// labels: valgrind
#include "base/allocations.h"

#include <string.h>

#include "support/motion.h"

typedef struct subject {
  const char *problem, *variant;
  double end, error;
  long switches; // at least
} subject;

static const subject subjects[] = {{"stiff-double-pendulum", "newmark", 0, 1e-7, 1},
                                   {"oscillator", "stiff", 0, 1e-4, 0},
                                   {"chain", NULL, 0.2, 1e-3, 0},
                                   {"pendulum", "newmark", 0, 1e-3, 0}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct ending {
  fly_stats stats;
  double q[400];
  long taken;  // allocations beside those of factorizations and beginnings,
  long begins; // of which there are so many
} ending;

static ending go(const subject *what) {
  fly_problem p = problem_of(what->problem, what->variant, 0);
  const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), what->error);
  fly_solver *s = solver_started(&p, &o, what->end > 0 ? what->end : p.t_end);
  fly_error error = {0};
  ending out = {0};
  allocations_reset(0);
  while (!fly_solver_done(s)) {
    const long before = the_allocations.count;
    const fly_stats old = fly_solver_stats(s);
    assert_ok(fly_solver_step(s, &error), &error);
    const long taken = the_allocations.count - before;
    if (fly_solver_stats(s).factorizations > old.factorizations || taken == 0)
      continue;
    if (fly_solver_stats(s).switches > old.switches)
      out.begins++;
    else
      out.taken += taken;
  }
  out.stats = fly_solver_stats(s);
  assert_true(p.dae.nq <= 400);
  memcpy(out.q, fly_solver_state(s).q, (size_t)p.dae.nq * sizeof *out.q);
  fly_solver_free(s);
  fly_problem_free(&p);
  return out;
}

static void test_memory_of_a_hand_over(void **state) {
  for (int k = 0; k < SUBJECTS; k++) {
    const ending e = go(&subjects[k]);
    say("%s: %ld steps, %ld switches, %ld factorizations\n", subjects[k].problem, e.stats.steps, e.stats.switches,
        e.stats.factorizations);
    assert_at_least((double)e.stats.switches, (double)subjects[k].switches);
    assert_int_equal(e.taken, 0);
    assert_at_most((double)e.begins, 2); // of three families, beside the first
  }
}

static void test_same_bits(void **state) {
  for (int k = 0; k < SUBJECTS; k++) {
    const ending first = go(&subjects[k]), second = go(&subjects[k]);
    assert_memory_equal(first.q, second.q, sizeof first.q);
    assert_int_equal(first.stats.steps, second.stats.steps);
    assert_int_equal(first.stats.switches, second.stats.switches);
    assert_true(first.stats.work == second.stats.work);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_of_a_hand_over), cmocka_unit_test(test_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
