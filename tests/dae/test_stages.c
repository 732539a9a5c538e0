// Method auto: three stages of Radau or five (docs/theory/auto.md, AU-stages).
#include <stdlib.h>

#include "flyball/promise.h"

#include "dae/choice.h"
#include "dae/radau.h"
#include "support/motion.h"

typedef struct outcome {
  fly_stats stats;
  long five, three; // steps of Radau that should have so many stages
  long turns;       // changes between them
  double error;
} outcome;

static outcome run(const fly_problem *p, const fly_dae_options *o, double t_end) {
  fly_solver *s = solver_started(p, o, t_end);
  fly_error why = {0};
  outcome out = {0};
  int last = 0;
  while (!fly_solver_done(s)) {
    assert_ok(fly_solver_step(s, &why), &why);
    if (s->choice ? s->choice->stepped != FLY_IMPLICIT : o->family != FLY_FAMILY_RADAU)
      continue;
    const int stages = ((const fly_radau *)(s->choice ? s->choice->member[FLY_IMPLICIT].own : s->own))->wanted;
    *(stages == 5 ? &out.five : &out.three) += 1;
    out.turns += last && last != stages;
    last = stages;
    if (s->choice) {
      const fly_stages *n = &s->choice->stages;
      assert_at_most((double)n->patience[0], 27 * 24);
      assert_at_most((double)n->patience[1], 27 * 96);
    }
  }
  out.stats = fly_solver_stats(s);
  out.error = fabs(fly_solver_state(s).q[0] - sin(fly_solver_state(s).t)); // of what follows sin t
  fly_solver_free(s);
  return out;
}

static fly_dae_options radau_with(int stages, double error) {
  fly_dae_options o = with_error(options_of("radau", NAN, FLY_GGL), error);
  o.stages = stages;
  return o;
}

// What is smooth and stiff is left to five stages where the error is small, and to three where it is not.
static void test_five_where_they_pay(void **state) {
  static const double asked[] = {1e-5, 1e-7, 1e-9};
  fly_problem p = problem_of("stiff-double-pendulum", "hard", 0);
  for (int k = 0; k < 3; k++) {
    const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), asked[k]), three = radau_with(3, asked[k]),
                          five = radau_with(5, asked[k]);
    const outcome own = run(&p, &o, p.t_end), least = run(&p, &five, p.t_end), most = run(&p, &three, p.t_end);
    say("%.0e: %ld of five, %ld of three; work %.3g, of five %.3g, of three %.3g\n", asked[k], own.five, own.three,
        own.stats.work, least.stats.work, most.stats.work);
    assert_at_least((double)own.five, 3.0 * (double)own.three);
    assert_at_most(own.stats.work, 1.25 * least.stats.work);
    assert_at_most(own.stats.work, 0.8 * most.stats.work);
  }
  const fly_dae_options loose = with_error(options_of("auto", NAN, FLY_GGL), 1e-3);
  const outcome own = run(&p, &loose, 0.2);
  assert_at_least((double)own.three, (double)own.five);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- q'' = -k (q - sin t)
// - c (q' - cos t) - sin t: q = sin t, whatever k and c are.

static int unit_mass(double *M, double t, const double *q, void *user) {
  M[0] = 1;
  return 0;
}

static int follow(double *f, const fly_dae_state *s, void *user) {
  f[0] = -1e6 * (s->q[0] - sin(s->t)) - 2e3 * (s->v[0] - cos(s->t)) - sin(s->t);
  return 0;
}

static double five_ms(double t, double h, void *user) { return fmin(h, 0.005); }

static double at_0[] = {0}, at_1[] = {1};

static fly_problem follower(double (*longest)(double t, double h, void *user)) {
  return (fly_problem){
      .dae = {.nq = 1, .nv = 1, .mass_constant = true, .mass = unit_mass, .force = follow, .longest_step = longest},
      .q0 = at_0,
      .v0 = at_1};
}

// Where something else than the error limits steps, three stages do, and are found soon.
static void test_three_where_the_error_does_not_limit(void **state) {
  const fly_problem p = follower(five_ms);
  const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), 1e-6);
  const outcome own = run(&p, &o, 4);
  say("%ld of five, %ld of three, %ld turns\n", own.five, own.three, own.turns);
  assert_at_least((double)own.three, 400);
  assert_at_most((double)own.five, 30);
  assert_at_most((double)own.turns, 2);
  assert_at_most(own.error, 1e-6);
}

// Who is tried in vain is tried less and less often.
static void test_trials_become_rare(void **state) {
  const fly_problem p = follower(NULL);
  const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), 1e-6), alone = radau_with(5, 1e-6);
  const outcome own = run(&p, &o, 60), best = run(&p, &alone, 60);
  say("%ld of five, %ld of three, %ld turns; work %.3g, of five %.3g\n", own.five, own.three, own.turns, own.stats.work,
      best.stats.work);
  assert_at_least((double)own.turns, 2);
  assert_at_most((double)own.turns, 10);
  assert_at_most((double)own.three, 0.1 * (double)own.five);
  assert_at_most(own.stats.work, 1.2 * best.stats.work);
  assert_at_most(own.error, 1e-6);
}

// ---------------------------------------------------------------------------------------------- pilots

// Pilots are integrated with the stages that the run begins with, by the error that the run is asked for: errors of
// others say little of it.
static void test_pilots_have_the_stages_of_the_run(void **state) {
  static const double asked[] = {1e-4, 1e-5};
  fly_problem p = problem_of("pendulum", "newmark", 0);
  for (int k = 0; k < 2; k++) {
    const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), asked[k]);
    const fly_promise_task task = {.problem = &p.dae, .options = o, .t_end = 1, .q0 = p.q0, .v0 = p.v0};
    fly_dae_options pilot = o, tightened = o;
    fly_promise *promise = NULL;
    fly_error why = {0};
    assert_ok(fly_promise_create(&promise, &task, &why), &why);
    fly_promise_options(promise, 30 * asked[k], &pilot);
    assert_true(pilot.error == 30 * asked[k]);
    assert_int_equal(pilot.stages, k == 0 ? 3 : 5);
    fly_promise_free(promise);
    tightened.error = 1e-7;
    tightened.error_asked = asked[k];
    fly_solver *s = solver_started(&p, &tightened, 1);
    assert_int_equal(s->choice->stages.five, k == 1);
    fly_solver_free(s);
  }
  fly_problem_free(&p);
}

// States are left to second order where large errors are allowed, and not where motions may magnify them.
static void test_states_and_second_order(void **state) {
  fly_problem p = problem_of("spring-mass", NULL, 0);
  static const double asked[] = {1e-3, 1e-6};
  for (int k = 0; k < 2; k++) {
    const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), asked[k]);
    fly_solver *s = solver_started(&p, &o, p.t_end);
    fly_error why = {0};
    for (int i = 0; i < 40; i++)
      assert_ok(fly_solver_step(s, &why), &why);
    s->choice->until_plain = 1;
    s->choice->pace[s->choice->active].turns = 1e-9; // hardly bends
    assert_ok(fly_solver_step(s, &why), &why);
    assert_true((s->choice->until_plain <= 0) == (k == 1)); // not asked
    fly_solver_free(s);
  }
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_five_where_they_pay),     cmocka_unit_test(test_three_where_the_error_does_not_limit),
      cmocka_unit_test(test_trials_become_rare),      cmocka_unit_test(test_pilots_have_the_stages_of_the_run),
      cmocka_unit_test(test_states_and_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
