// Method auto: three stages of Radau or five (docs/theory/auto.md, AU-stages), and what explicit formulas begin with
// behind five.
#include <stdlib.h>

#include "dae/choice.h"
#include "dae/radau.h"
#include "dae/statespace.h"
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

// ---------------------------------------------------------------------------------------------- behind five stages

// Explicit formulas begin with a past of nine points of the last step of five stages, of five points of one of three.
static int order_behind(int stages) {
  fly_problem p = problem_of("double-pendulum", NULL, 0);
  const fly_dae_options o = with_error(options_of("auto", NAN, FLY_GGL), 1e-8);
  fly_solver *s = solver_started(&p, &o, p.t_end);
  fly_choice *c = s->choice;
  fly_error why = {0};
  c->stages.five = stages == 5;
  c->wanted = FLY_IMPLICIT;
  for (int k = 0; k < 8; k++)
    assert_ok(fly_solver_step(s, &why), &why);
  assert_int_equal(s->family->order(s), 2 * stages - 1);
  c->wanted = FLY_EXPLICIT;
  c->trying = false;
  assert_ok(fly_solver_step(s, &why), &why);
  assert_int_equal(c->stepped, FLY_EXPLICIT);
  const int order = ((const state_space *)s->own)->adams.order_last;
  fly_solver_free(s);
  fly_problem_free(&p);
  return order;
}

static void test_past_of_nine_points(void **state) {
  const int three = order_behind(3), five = order_behind(5);
  say("order %d behind three stages, %d behind five\n", three, five);
  assert_between(three, 3, 5);
  assert_between(five, 7, 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_five_where_they_pay),
      cmocka_unit_test(test_three_where_the_error_does_not_limit),
      cmocka_unit_test(test_trials_become_rare),
      cmocka_unit_test(test_past_of_nine_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
