// Method auto in counted work beside the best of the methods that it chooses from, where it once lost (docs/theory/
// auto.md): bounces, sampled control, rest.
#define _POSIX_C_SOURCE 200809L
#include "analysis/simulation.h"

static const char *const singles[] = {"partition", "radau", "ch"};

typedef struct outcome {
  double work;
  fly_stats stats;
  fly_stretch stretch[FLY_STRETCHES_MOST];
  int count;
} outcome;

// A run by itself, without pilots, of which only the end is written.
static fly_run_options alone(const char *method, double error) {
  fly_run_options o = fly_run_options_default();
  o.error = error;
  o.output = 1e9;
  o.method.name = method;
  o.calibrate = o.estimate_error = "no";
  return o;
}

static outcome outcome_of(simulation *s) {
  const fly_stats stats = fly_run_stats(s->run);
  outcome out = {.work = stats.work, .stats = stats};
  out.count = fly_run_stretches(s->run, out.stretch, FLY_STRETCHES_MOST);
  simulation_free(s);
  return out;
}

static bool was_asked(const outcome *o, fly_reason reason) {
  bool asked = false;
  for (int k = 0; k < o->count && k < FLY_STRETCHES_MOST; k++)
    asked = asked || o->stretch[k].reason == reason;
  return asked;
}

static outcome run(const char *example, const char *method, double error) {
  simulation s = {.options = alone(method, error)};
  char path[300];
  snprintf(path, sizeof path, "%s/examples/%s.yaml", FLY_TEST_SOURCE_DIR, example);
  simulate_file(&s, path);
  assert_ok(s.status, &s.error);
  return outcome_of(&s);
}

static outcome run_text(const char *text, const char *method, double error, double end) {
  simulation s = {.options = alone(method, error)};
  s.options.end = end;
  simulate_text(&s, text);
  assert_ok(s.status, &s.error);
  return outcome_of(&s);
}

// At 1e-3 the steps of second order were judged by how much the motion bends in a step of the others, which are many
// where it bends most: they were not tried (2.1 times the work of ch, bouncing-ball and newtons-cradle). And a trial of
// Radau was judged with the steps in which it makes its matrices (2.4 times the work of radau, robot-arm).
static void test_loose_errors(void **state) {
  static const char *const list[] = {"bouncing-ball", "newtons-cradle", "robot-arm"};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    double best = INFINITY;
    for (int m = 0; m < 3; m++)
      best = fmin(best, run(list[k], singles[m], 1e-3).work);
    const double own = run(list[k], "auto", 1e-3).work;
    say("%s: %.3g, best %.3g\n", list[k], own, best);
    assert_at_most(own, 1.6 * best);
  }
}

// In a blow steps are short by whichever method: a trial of Radau tells with its first step, and what a flight promises
// of steps of second order is asked for more of, the smaller the error is (2.3 times the work of partition).
static void test_blows(void **state) {
  double best = INFINITY;
  for (int m = 0; m < 3; m++)
    best = fmin(best, run("newtons-cradle", singles[m], 1e-5).work);
  assert_at_most(run("newtons-cradle", "auto", 1e-5).work, 1.8 * best);
}

// Where round-off rules Adams' steps, at low order and far from where stability would, Radau is asked: 70 000 steps for
// the first quarter of a second, and four times the work of radau.
static void test_round_off(void **state) {
  simulation s = {.options = alone("auto", 1e-9)};
  s.options.max_steps = 3000;
  simulate_file(&s, FLY_TEST_SOURCE_DIR "/examples/suspension-corner.yaml");
  assert_int_equal(s.status, FLY_TOO_MANY_STEPS);
  const outcome own = outcome_of(&s);
  assert_true(was_asked(&own, FLY_REASON_FAINT));
}

// A point on a rail that such a force moves, for a second.
static outcome follow(const char *force, const char *method, double error) {
  char text[400];
  snprintf(text, sizeof text,
           "flyball: 1\n"
           "bodies: {p: {type: point, mass: 0.1, position: [1, 0, 0]}}\n"
           "joints: {g: {type: in-line, bodies: [ground, p], at: [1, 0, 0], axis: [1, 0, 0]}}\n"
           "forces: {f: {type: force, at: p, force: ['%s', 0, 0]}}\n",
           force);
  return run_text(text, method, error, 1);
}

// Something stiff and strongly damped follows a slow motion at a small error. Neither the order nor h times the fastest
// rate told (10 000 steps of Adams' formulas, 6.6 times the work of radau): that every eighth of them was rejected did.
// With five stages at hand they are not asked for as often.
static void test_rejections(void **state) {
  static const char often[] = "-3e7*(dx(p) - 1 - sin(time)) - 3e4*vx(p)";
  static const char slow[] = "-1e8*(dx(p) - 1 - sin(time)) - 3e4*vx(p)";
  const outcome own = follow(often, "auto", 1e-9);
  assert_true(was_asked(&own, FLY_REASON_REFUSED));
  assert_at_most(own.work, 1.5 * follow(often, "radau", 1e-9).work);
  assert_at_most(follow(slow, "auto", 1e-9).work, 0.6 * follow(slow, "radau", 1e-9).work);
}

// Explicit formulas that were cheaper by their first steps, and no longer are as a singular position comes near.
static void test_formulas_that_become_dear(void **state) {
  const outcome own = run("n-four-bar", "auto", 1e-9);
  assert_true(was_asked(&own, FLY_REASON_COSTLY));
  assert_at_most(own.work, 5e7); // radau 2.3e8, partition more than 1e9
}

// Adams' formulas at orders above 7 sit at the limit of their stability at small h times the fastest rate. That the
// motion bends far more slowly than by that rate tells it from what is smooth (4.4 times the work of five stages).
static void test_stiff_at_high_orders(void **state) {
  const outcome own = run("dc-motor", "auto", 1e-9);
  assert_true(was_asked(&own, FLY_REASON_BESIDE));
  assert_at_most(own.work, 0.3 * run("dc-motor", "radau", 1e-9).work);
  assert_at_most((double)own.stats.switches, 6);
}

static double share_of(const outcome *o, int k) { return o->stretch[k].work / (double)o->stretch[k].steps; }

// A governor spins, held by a stiff collar. Explicit formulas were tried again by the first 30 of their steps, which
// grow, and so in vain; Radau made the rest at twice the work. And where they began anew the first of them was rejected
// three times, which was taken for rounding errors of joints: all others of that stretch cost twice as much.
static void test_trials_of_explicit_formulas(void **state) {
  const outcome own = run("governor", "auto", 1e-9), best = run("governor", "partition", 1e-9);
  const double share = best.work / (double)best.stats.steps;
  say("governor: %.3g, best %.3g, %d stretches\n", own.work, best.work, own.count);
  assert_at_most(own.work, 1.45 * best.work);
  assert_at_most(own.count, 45);
  for (int k = 0; k < own.count; k++)
    if (own.stretch[k].family == FLY_FAMILY_PARTITION && own.stretch[k].steps > 100)
      assert_at_most(share_of(&own, k), 1.2 * share);
}

// What was predicted of explicit formulas and did not come true is not predicted again (45 changes of method), and what
// a trial in vain costs little beside is tried again soon (1.15 times the work of radau).
static void test_what_is_learned(void **state) {
  assert_at_most((double)run("whip", "auto", 1e-9).stats.switches, 25);
  assert_at_most(run("spline-cam", "auto", 1e-9).work, 1.1 * run("spline-cam", "radau", 1e-9).work);
}

// A large stiff model that is over in two dozen steps: ten of Radau's, each for fifteen of second order, were made
// before these were asked for (4.7 times the work of ch).
static void test_few_steps(void **state) {
  static const char text[] =
      "flyball: 1\n"
      "gravity: [0, -9.81, 0]\n"
      "repeat:\n"
      "  links: {count: 100, bodies: {b$i: {type: planar, mass: 1, inertia: 8e-4, position: [0.1*i - 0.05, 0]}}}\n"
      "  pins: {count: 99, first: 2, joints: {j$i: {type: revolute, bodies: [b$(i-1), b$i], at: [0.1*i - 0.1, 0, "
      "0]}}}\n"
      "  coils: {count: 100, forces: {t$i: {type: torsion-spring, joint: j$i, stiffness: 1000, damping: 50}}}\n"
      "joints: {j1: {type: revolute, bodies: [ground, b1], at: [0, 0, 0]}}\n";
  const outcome own = run_text(text, "auto", 1e-3, 0.1);
  assert_int_equal(own.stretch[0].reason, FLY_REASON_RATES);
  assert_at_most((double)own.stretch[0].steps, 3);
  assert_int_equal(own.stretch[1].reason, FLY_REASON_PLAIN);
  assert_at_most(own.work, 2.2 * run_text(text, "ch", 1e-3, 0.1).work);
}

// What rests is left to the cheapest steps (7 times the work of ch at 1e-9), and what begins to move is not.
static void test_rest(void **state) {
  static const double asked[] = {1e-3, 1e-6, 1e-9};
  for (int e = 0; e < 3; e++) {
    const outcome own = run("hanging-chain", "auto", asked[e]);
    assert_int_equal(own.count, 1);
    assert_int_equal(own.stretch[0].reason, FLY_REASON_REST);
    assert_at_most(own.work, 1.1 * run("hanging-chain", "ch", asked[e]).work);
    const outcome moved = run("crane", "auto", asked[e]);
    assert_int_equal(moved.stretch[0].reason, FLY_REASON_REST);
    assert_at_most((double)moved.stretch[0].steps, 20);
    assert_true(moved.count > 1);
    assert_string_equal(moved.stretch[1].method, "partition");
    assert_at_most(moved.work, 1.3 * run("crane", "partition", asked[e]).work);
  }
}

// ---------------------------------------------------------------------------------------------- what is counted

typedef struct watch {
  simulation s;
  double work; // at the last step
} watch;

// Whatever was chosen anew in a step, it cost something.
static bool step_cost_something(double t, double end, long steps, void *user) {
  watch *w = user;
  const double work = fly_run_stats(w->s.run).work;
  (void)end, (void)steps;
  if (!(work > w->work))
    say("%.9g s: work %.6g, before %.6g\n", t, work, w->work);
  assert_true(work > w->work);
  w->work = work;
  return true;
}

static void watch_work(watch *w, const char *method, double error) {
  w->s.options = alone(method, error);
  w->s.options.progress = step_cost_something;
  w->s.options.user = w;
}

// Coordinates and pivots that are chosen anew have other factors, and those before are gone: what was done with them
// is not. A step of negative work made its method the best of all (car.yaml, 1e-5: -8.6e8, of 2.5e10 in all).
static void test_every_step_costs(void **state) {
  static const char *const list[] = {"bricard", "seven-body-spatial", "suspension-corner", "rolling-ball"};
  static const char *const methods[] = {"partition", "radau", "ch", "auto"};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    for (int m = 0; m < 4; m++) {
      watch w = {0};
      char path[300];
      watch_work(&w, methods[m], 1e-3);
      w.s.options.max_steps = 400;
      snprintf(path, sizeof path, "%s/examples/%s.yaml", FLY_TEST_SOURCE_DIR, list[k]);
      simulate_file(&w.s, path);
      assert_true(w.s.status == FLY_OK || w.s.status == FLY_TOO_MANY_STEPS);
      simulation_free(&w.s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_loose_errors),
                                     cmocka_unit_test(test_rest),
                                     cmocka_unit_test(test_blows),
                                     cmocka_unit_test(test_round_off),
                                     cmocka_unit_test(test_every_step_costs),
                                     cmocka_unit_test(test_rejections),
                                     cmocka_unit_test(test_formulas_that_become_dear),
                                     cmocka_unit_test(test_stiff_at_high_orders),
                                     cmocka_unit_test(test_trials_of_explicit_formulas),
                                     cmocka_unit_test(test_what_is_learned),
                                     cmocka_unit_test(test_few_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
