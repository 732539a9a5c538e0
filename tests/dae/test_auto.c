// Method auto: who integrates what, in counts; that it is as good as the one it should have chosen, in bits the same
// every time.
#include <stdlib.h>
#include <string.h>

#include "dae/choice.h"
#include "support/motion.h"

static double work_of(const char *problem, const char *variant, const char *method, double error, double t_end,
                      fly_stats *stats, fly_stretch *list, int *count) {
  fly_problem p = problem_of(problem, variant, 0);
  const fly_dae_options o = with_error(options_of(method, NAN, FLY_GGL), error);
  fly_solver *s = solver_started(&p, &o, t_end > 0 ? t_end : p.t_end);
  fly_error why = {0};
  while (!fly_solver_done(s))
    assert_ok(fly_solver_step(s, &why), &why);
  *stats = fly_solver_stats(s);
  if (list)
    *count = fly_solver_stretches(s, list, FLY_STRETCHES_MOST);
  fly_solver_free(s);
  fly_problem_free(&p);
  return (double)stats->residuals;
}

// What is smooth is left to Adams' formulas, step by step the same as if they had been asked for.
static void test_smooth_is_not_switched(void **state) {
  static const struct {
    const char *problem, *variant;
  } list[] = {{"pendulum", "newmark"},    {"seven-body", "testset"}, {"heavy-top", NULL},       {"four-bar", "grashof"},
              {"slider-crank-ida", NULL}, {"rolling-coin", NULL},    {"double-pendulum", NULL}, {"knife-edge", NULL}};
  static const double asked[] = {1e-3, 1e-5, 1e-8};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    for (int e = 0; e < 3; e++) {
      fly_stats stats, alone;
      fly_stretch stretch[FLY_STRETCHES_MOST];
      int count = 0;
      work_of(list[k].problem, list[k].variant, "auto", asked[e], 0, &stats, stretch, &count);
      work_of(list[k].problem, list[k].variant, "partition", asked[e], 0, &alone, NULL, NULL);
      say("%s %.0e: %ld switches, %ld steps, partition %ld\n", list[k].problem, asked[e], stats.switches, stats.steps,
          alone.steps);
      assert_at_most((double)stats.switches, 4);
      if (stats.switches == 0)
        assert_int_equal(stats.steps, alone.steps);
      assert_string_equal(stretch[0].method, "partition");
    }
}

// What is stiff throughout is left to Radau, but for transients: no more evaluations than half again as many.
static void test_stiff_is_left_to_radau(void **state) {
  static const struct {
    const char *problem, *variant;
  } list[] = {{"oscillator", "stiff"}, {"stiff-double-pendulum", "newmark"}, {"stiff-double-pendulum", "hard"}};
  static const double asked[] = {1e-3, 1e-5, 1e-7};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    for (int e = 0; e < 3; e++) {
      fly_stats stats, alone;
      fly_stretch stretch[FLY_STRETCHES_MOST];
      int count = 0;
      const double own = work_of(list[k].problem, list[k].variant, "auto", asked[e], 0, &stats, stretch, &count);
      const double radau = work_of(list[k].problem, list[k].variant, "radau", asked[e], 0, &alone, NULL, NULL);
      say("%s %.0e: %ld switches, %.0f evaluations, radau %.0f\n", list[k].problem, asked[e], stats.switches, own,
          radau);
      assert_string_not_equal(stretch[count - 1].method, "partition");
      assert_at_most(own, 1.5 * radau + 200);
      assert_at_most((double)stats.switches, 8);
    }
}

// ---------------------------------------------------------------------------------------------- stiffness that comes
// and goes q'' = -q - (k(t) (q - sin t) + c(t) (q' - cos t)),  k = 1e6 b, c = 2e3 b, b a smooth bump from 0 at t = 10
// to 1 and back at t = 30. With q = sin t at the start that is the solution throughout: it does not feel the spring.

enum { FORTH = 10, BACK = 30, LAST = 45 };

static double smooth_step(double u) { return u <= 0 ? 0 : u >= 1 ? 1 : u * u * u * (10 - 15 * u + 6 * u * u); }
static double bump(double t) { return smooth_step(t - FORTH) - smooth_step(t - BACK); }

static int unit_mass(double *M, double t, const double *q, void *user) {
  M[0] = 1;
  return 0;
}

static int spring_force(double *f, const fly_dae_state *s, void *user) {
  const double b = bump(s->t);
  f[0] = -s->q[0] - b * (1e6 * (s->q[0] - sin(s->t)) + 2e3 * (s->v[0] - cos(s->t)));
  return 0;
}

static double all_of_it(double t, double h, void *user) { return h < 0.5 ? h : 0.5; }

static double at_0[] = {0}, at_1[] = {1};
static const fly_problem comes_and_goes = {
    .dae =
        {.nq = 1, .nv = 1, .mass_constant = true, .mass = unit_mass, .force = spring_force, .longest_step = all_of_it},
    .q0 = at_0,
    .v0 = at_1};

static void stiffness_comes_and_goes(double asked) {
  const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), asked);
  fly_solver *s = solver_started(&comes_and_goes, &o, LAST);
  fly_stretch stretch[FLY_STRETCHES_MOST];
  fly_error why = {0};
  double error = 0, stiff = 0, before = 0, free = 0, calm = 0;
  while (!fly_solver_done(s)) {
    const double t = fly_solver_state(s).t, work = fly_work_of_all(s);
    assert_ok(fly_solver_step(s, &why), &why);
    free += t < FORTH ? fly_work_of_all(s) - work : 0;
    calm += t > BACK + 1 ? fly_work_of_all(s) - work : 0;
    error = fmax(error, fabs(fly_solver_state(s).q[0] - sin(fly_solver_state(s).t)));
  }
  const int count = fly_solver_stretches(s, stretch, FLY_STRETCHES_MOST);
  for (int k = 0; k < count; k++) {
    char text[200];
    fly_stretch_reason(text, sizeof text, &stretch[k]);
    say("%s %.4g to %.4g s, %ld steps: %s\n", stretch[k].method, stretch[k].from, stretch[k].to, stretch[k].steps,
        text);
    const bool radau = strcmp(stretch[k].method, "radau") == 0;
    stiff += strcmp(stretch[k].method, "partition") != 0
                 ? fmax(0, fmin(stretch[k].to, BACK) - fmax(stretch[k].from, FORTH))
                 : 0;
    before += radau ? 0 : fmax(0, fmin(stretch[k].to, FORTH) - stretch[k].from);
  }
  assert_at_least(stiff, 0.9 * (BACK - FORTH)); // an implicit method where it is stiff
  assert_at_least(before, 0.9 * FORTH);         // and Adams where it is not, or who costs no more than that
  assert_at_most(calm / (LAST - BACK - 1), 1.2 * free / FORTH);
  assert_at_most((double)fly_solver_stats(s).switches, 6);
  assert_at_most((double)fly_solver_stats(s).steps, 3000); // of partition alone some 30 000
  assert_at_most(error, 10 * asked);
  fly_solver_free(s);
}

static void test_comes_and_goes(void **state) {
  for (double asked = 1e-6; asked > 0.9e-7; asked /= 10)
    stiffness_comes_and_goes(asked);
}

static double run_to(fly_solver *s, double t) {
  fly_error why = {0};
  while (fly_solver_state(s).t < t)
    assert_ok(fly_solver_step(s, &why), &why);
  return fly_solver_state(s).q[0];
}

// A state from before Radau was asked knows nothing of its matrices: where it is taken up they go, and are made anew.
static void test_back_to_before(void **state) {
  const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), 1e-6);
  fly_solver *s = solver_started(&comes_and_goes, &o, LAST);
  fly_error why = {0};
  size_t size;
  void *bytes;
  run_to(s, 1);
  assert_false(s->choice->member[FLY_IMPLICIT].shaped);
  assert_ok(fly_solver_save(s, &bytes, &size, &why), &why);
  const double there = run_to(s, FORTH + 2);
  assert_true(s->choice->member[FLY_IMPLICIT].shaped);
  assert_ok(fly_solver_restore(s, bytes, size, &why), &why);
  assert_false(s->choice->member[FLY_IMPLICIT].shaped);
  assert_true(run_to(s, FORTH + 2) == there);
  free(bytes);
  fly_solver_free(s);
}

// ---------------------------------------------------------------------------------------------- patience
// q'' = -q + (-1)^n, n the number of whole 0.1 s, up to t = 100; then q'' = -q - k (q - sin t) - c (q' - cos t) with
// the stiff spring and damper of above. Radau is tried again and again where the force jumps, in vain; patience grows
// with that, but not beyond what the stiff part, which lasts 20 s, can wait for.

enum { JUMPS = 1000, QUIET = 120 };
static const double APART = 0.1;

static int hammer_force(double *f, const fly_dae_state *s, void *user) {
  const double b = smooth_step(s->t - JUMPS * APART);
  const long n = (long)floor(s->t / APART);
  f[0] = -s->q[0] - b * (1e6 * (s->q[0] - sin(s->t)) + 2e3 * (s->v[0] - cos(s->t)));
  if (n < JUMPS)
    f[0] += n % 2 ? 1 : -1;
  return 0;
}

static bool next_jump(fly_break *next, double t, double end, void *user) {
  const double n = floor(t / APART + 1e-9) + 1, at = n * APART, width = 4e-16 * fmax(at, 1);
  *next = (fly_break){at - width, at + width, FLY_BREAK_JUMP};
  return n <= JUMPS && at < end;
}

static void hammer(double asked, double end, long *trials, long *waited) {
  static double q0[] = {0}, v0[] = {1};
  const fly_problem p = {
      .dae =
          {.nq = 1, .nv = 1, .mass_constant = true, .mass = unit_mass, .force = hammer_force, .next_break = next_jump},
      .q0 = q0,
      .v0 = v0};
  const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), asked);
  fly_solver *s = solver_started(&p, &o, end);
  fly_error why = {0};
  *waited = *trials = 0;
  while (!fly_solver_done(s)) {
    assert_ok(fly_solver_step(s, &why), &why);
    const bool stiff = s->now.t > JUMPS * APART + 1;
    *waited += stiff && s->choice->stepped == FLY_EXPLICIT;
    *trials = stiff ? *trials : fly_solver_stats(s).switches / 2;
    assert_at_most((double)s->choice->patience_stiff, 27 * 30);
    assert_at_most((double)s->choice->patience_rough, 27 * 75);
    assert_at_most((double)s->choice->patience_look, 27 * 12);
  }
  fly_solver_free(s);
}

static void test_patience_has_an_end(void **state) {
  long trials, waited;
  hammer(1e-7, JUMPS * APART, &trials, &waited);
  assert_between((double)trials, 2, 40);
  hammer(1e-5, QUIET, &trials, &waited);
  assert_between((double)trials, 2, 40);
  assert_at_most((double)waited, 600); // all of it by explicit steps would be 20 000
}

// Marks against explicit formulas where nothing speaks against them, again and again: trials in vain.
static void insist(fly_solver *s, int trials) {
  fly_choice *c = s->choice;
  fly_error why = {0};
  const long before = fly_solver_stats(s).switches;
  int steps = 0; // of explicit formulas in a row, whose order rises at first
  while (fly_solver_stats(s).switches < before + 2 * trials) {
    steps = c->active == FLY_EXPLICIT ? steps + 1 : 0;
    if (steps > 100 && !c->trying) {
      c->stiff = c->patience_stiff + 10;
      c->vain_until = 0;
    }
    assert_ok(fly_solver_step(s, &why), &why);
    assert_false(fly_solver_done(s));
  }
}

// What costs little beside the steps between two trials makes nobody wait; trials in a row do, up to 27 times as long.
static void test_who_waits(void **state) {
  fly_problem p = problem_of("double-pendulum", NULL, 0);
  const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), 1e-8);
  fly_solver *s = solver_started(&p, &o, 20 * p.t_end);
  run_to(s, 4 * p.t_end);
  insist(s, 1);
  assert_int_equal(s->choice->patience_stiff, 30);
  insist(s, 6);
  assert_int_equal(s->choice->patience_stiff, 27 * 30);
  fly_solver_free(s);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- trials

// Steps of Radau, steady ones in the middle of the stiff part, until it is judged beside a method whose work a second
// was so many times less; the two of the change itself do not count. Who shall go on is then *wanted.
static int steps_of_trial(double dearer, int *wanted) {
  const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), 1e-6);
  fly_solver *s = solver_started(&comes_and_goes, &o, LAST);
  fly_choice *c = s->choice;
  int steps = -2;
  c->stages.five = false; // three stages throughout
  c->stages.patience[0] = 1000;
  run_to(s, 0.5 * (FORTH + BACK));
  assert_int_equal(c->active, FLY_IMPLICIT);
  assert_false(c->trying);
  c->trying = true;
  c->before = FLY_EXPLICIT;
  c->trial = (fly_trial){0};
  c->rate_before = c->pace[FLY_IMPLICIT].work / c->pace[FLY_IMPLICIT].time / dearer;
  for (; c->trying && steps < 30; steps++)
    run_to(s, nextafter(s->now.t, LAST));
  *wanted = c->wanted;
  fly_solver_free(s);
  return steps;
}

// A trial ends the sooner the dearer it is: at once beyond ten times the work, after four steps beyond one and a half.
static void test_dear_trials_are_short(void **state) {
  int wanted;
  assert_int_equal(steps_of_trial(40, &wanted), 1);
  assert_int_equal(wanted, FLY_EXPLICIT);
  assert_int_equal(steps_of_trial(4, &wanted), 4);
  assert_int_equal(wanted, FLY_EXPLICIT);
  assert_int_equal(steps_of_trial(0.25, &wanted), 8);
  assert_int_equal(wanted, FLY_IMPLICIT);
}

// ---------------------------------------------------------------------------------------------- handing over

// A family that fails hands its last accepted point to another; what all fail at is told with all that was tried.
static int refusing_force(double *f, const fly_dae_state *s, void *user) {
  f[0] = s->t > 1 ? (double)NAN : -s->q[0];
  return 0;
}

static void test_failure_of_all_is_told(void **state) {
  static double q0[] = {0}, v0[] = {1};
  const fly_problem p = {
      .dae = {.nq = 1, .nv = 1, .mass_constant = true, .mass = unit_mass, .force = refusing_force}, .q0 = q0, .v0 = v0};
  const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), 1e-6);
  fly_solver *s = solver_started(&p, &o, 2);
  fly_error why = {0};
  fly_status status = FLY_OK;
  while (status == FLY_OK)
    status = fly_solver_step(s, &why);
  say("%s\n", why.message);
  assert_int_not_equal(status, FLY_OK);
  assert_says(&why, "partition");
  assert_says(&why, "radau");
  assert_says(&why, "ch");
  fly_dae_state at;
  assert_at_least(fly_solver_state(s).t, 0.99);
  assert_int_equal(fly_solver_interpolate(s, fly_solver_state(s).t, &at, NULL), FLY_OK);
  assert_close(at.q[0], sin(at.t), 1e-4);
  fly_solver_free(s);
}

// With a fixed step, and in the other formulations, it is ch.
static void test_fixed_steps_are_those_of_ch(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const fly_dae_options a = with_step(options_of("auto", NAN, FLY_GGL), 0.01),
                        b = with_step(options_of("ch", NAN, FLY_GGL), 0.01);
  motion one = motion_run(&p, &a, 1), two = motion_run(&p, &b, 1);
  assert_int_equal(one.count, two.count);
  assert_memory_equal(one.data, two.data, sizeof(double) * (size_t)(one.count * one.width));
  motion_free(&one);
  motion_free(&two);
  fly_problem_free(&p);
}

static fly_stats stats_with(const char *method, double evaluation, double leap) {
  fly_problem p = problem_of("pendulum", "newmark", 0);
  const fly_dae_options o = with_error(options_of(method, NAN, FLY_GGL), 1e-3);
  p.dae.evaluation_operations = evaluation;
  p.dae.leap_operations = leap;
  fly_solver *s = solver_started(&p, &o, p.t_end);
  fly_error why = {0};
  while (!fly_solver_done(s))
    assert_ok(fly_solver_step(s, &why), &why);
  const fly_stats stats = fly_solver_stats(s);
  fly_solver_free(s);
  fly_problem_free(&p);
  return stats;
}

// (AU-work): what expressions take is work of every evaluation, and what is followed along steps of every step; the
// steps are the same.
static void test_expressions_count(void **state) {
  static const char *const methods[] = {"partition", "radau", "ch"};
  for (int k = 0; k < 3; k++) {
    const fly_stats none = stats_with(methods[k], 0, 0), some = stats_with(methods[k], 100, 0),
                    leaps = stats_with(methods[k], 0, 100);
    const double steps = (double)none.steps,
                 calls = (double)none.residuals + 4 * (double)none.jacobians + (k == 0 ? 8 + 3.5 : 8) * steps;
    assert_int_equal(none.steps, some.steps);
    assert_between((some.work - none.work) / (2.5 * 100 * calls), 1 - 1e-9, 1 + 1e-9);
    assert_between((leaps.work - none.work) / (125 * 100 * steps), 1 - 1e-9, 1 + 1e-9);
  }
}

static void test_counts_that_are_none_are_refused(void **state) {
  static const double bad[] = {-1, NAN, INFINITY};
  for (int k = 0; k < 6; k++) {
    fly_problem p = problem_of("pendulum", "newmark", 0);
    const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), 1e-3);
    fly_solver *s = NULL;
    fly_error why = {0};
    *(k < 3 ? &p.dae.evaluation_operations : &p.dae.leap_operations) = bad[k % 3];
    assert_int_equal(fly_solver_create(&s, &p.dae, &o, &why), FLY_BAD_INPUT);
    assert_null(s);
    assert_non_null(strstr(why.message, "operations"));
    fly_problem_free(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_smooth_is_not_switched),
      cmocka_unit_test(test_stiff_is_left_to_radau),
      cmocka_unit_test(test_comes_and_goes),
      cmocka_unit_test(test_back_to_before),
      cmocka_unit_test(test_patience_has_an_end),
      cmocka_unit_test(test_who_waits),
      cmocka_unit_test(test_dear_trials_are_short),
      cmocka_unit_test(test_failure_of_all_is_told),
      cmocka_unit_test(test_fixed_steps_are_those_of_ch),
      cmocka_unit_test(test_expressions_count),
      cmocka_unit_test(test_counts_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
