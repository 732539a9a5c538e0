// Method auto on models: stiffness that comes and goes, a contact, what is said of it, and what the default is.
#define _POSIX_C_SOURCE 200809L
#include "analysis/run.h"
#include "analysis/simulation.h"

// A sled that follows 0.1 cos t between a soft spring and a bushing that is a million times as stiff from 3 to 7 s.
static const char hardens[] =
    "flyball: 1\n"
    "bodies: {sled: {type: planar, mass: 1, inertia: 1, position: [0.1, 0]}}\n"
    "joints: {rail: {type: translational, bodies: [ground, sled], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
    "variables:\n"
    "  on: step(time, 3, 0, 3.5, 1) - step(time, 7, 0, 7.5, 1)\n"
    "forces:\n"
    "  bushing:\n"
    "    type: force\n"
    "    at: sled\n"
    "    force:\n"
    "      - \"-(4 + 1e6*on)*(dx(sled) - 0.1*cos(time)) - (0.4 + 2e3*on)*(vx(sled) + 0.1*sin(time))\"\n"
    "      - 0\n"
    "      - 0\n";

// A ball that falls onto a hard floor, bounces once and lies.
static const char falls[] =
    "flyball: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: {ball: {type: planar, mass: 1, inertia: 0.01, position: [0, 0.3], velocity: [0.5, 0]}}\n"
    "forces:\n"
    "  floor: {type: force, at: ball, force: [0, \"impact(dy(ball), vy(ball), 0.1, 1e6, 1.5, 2e3, 1e-3)\", 0]}\n";

// A quarter of a car on a bump; its damper is switched between soft and hard.
static const char hops[] =
    "flyball: 1\n"
    "bodies:\n"
    "  body: {type: point, mass: 300, position: [0, 0, 0.6], hold: all}\n"
    "  wheel: {type: point, mass: 40, position: [0, 0, 0.3], hold: all}\n"
    "joints:\n"
    "  guide: {type: in-line, bodies: [ground, body], at: [0, 0, 0.6], axis: [0, 0, 1]}\n"
    "  strut: {type: in-line, bodies: [ground, wheel], at: [0, 0, 0.3], axis: [0, 0, 1]}\n"
    "states: {damping: {rate: (wanted - damping)/0.005, start: 300, scale: 1000}}\n"
    "variables:\n"
    "  road: havsin(time, 1, 0, 1.075, 0.06) - havsin(time, 1.075, 0, 1.15, 0.06)\n"
    "  rate: vz(body, wheel)\n"
    "  wanted: clamp(2500*vz(body)*rate/(rate^2 + 0.0025), 300, 4000)\n"
    "forces:\n"
    "  coil:\n"
    "    {type: force, at: body, against: wheel, force: [0, 0, '-2e4*(dz(body, wheel) - 0.3) - damping*rate']}\n"
    "  tyre: {type: force, at: wheel, force: [0, 0, 'max(0, 3335 - 1.8e5*(dz(wheel) - 0.3 - road)) - 3335']}\n";

enum { MOST = 32 };

typedef struct outcome {
  double x, y;
  fly_stats stats;
  int count;
  fly_stretch stretch[MOST];
} outcome;

static outcome run(const char *text, const char *method, double end, double error) {
  simulation s = simulation_default(end, NAN);
  outcome out = {0};
  s.options.error = error;
  s.options.method.name = method;
  s.options.calibrate = s.options.estimate_error = "no";
  simulate_text(&s, text);
  assert_ok(s.status, &s.error);
  const fly_dae_state at = fly_run_state(s.run);
  out.x = at.q[0];
  out.y = at.q[1];
  out.stats = fly_run_stats(s.run);
  out.count = fly_run_stretches(s.run, out.stretch, MOST);
  for (int k = 0; k < out.count; k++)
    say("%s %.4g to %.4g s, %ld steps\n", out.stretch[k].method, out.stretch[k].from, out.stretch[k].to,
        out.stretch[k].steps);
  simulation_free(&s);
  return out;
}

static double time_of(const outcome *o, const char *method, double from, double to) {
  double sum = 0;
  for (int k = 0; k < o->count; k++)
    if (strcmp(o->stretch[k].method, method) == 0)
      sum += fmax(0, fmin(o->stretch[k].to, to) - fmax(o->stretch[k].from, from));
  return sum;
}

// The same beside a chain of three bodies in space, whose steps are dear enough to return to explicit formulas.
static const char beside[] = "bodies:\n"
                             "  sled: {type: planar, mass: 1, inertia: 1, position: [0.1, 0]}\n"
                             "  a: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [3, 0, -0.5]}\n"
                             "  b: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [3, 0.5, -1]}\n"
                             "  c: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [3, 1.5, -1]}\n"
                             "gravity: [0, 0, -9.81]\n"
                             "joints:\n"
                             "  rail: {type: translational, bodies: [ground, sled], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                             "  a: {type: spherical, bodies: [ground, a], at: [3, 0, 0]}\n"
                             "  b: {type: spherical, bodies: [a, b], at: [3, 0, -1]}\n"
                             "  c: {type: spherical, bodies: [b, c], at: [3, 1, -1]}\n";

// It goes on with an implicit method where that is as cheap as explicit formulas are.
static void test_bushing_that_hardens(void **state) {
  const outcome o = run(hardens, "auto", 12, 1e-6), truth = run(hardens, "radau", 12, 1e-10);
  assert_at_least(time_of(&o, "radau", 3, 7.5), 3.8);
  assert_at_least(time_of(&o, "partition", 0, 3), 2.7);
  assert_at_most((double)o.stats.switches, 8); // one from rest, and up to two trials in vain while it hardens
  assert_at_most(fabs(o.x - truth.x), 1e-6);
  assert_at_most(o.stats.work, 0.7 * run(hardens, "radau", 12, 1e-6).stats.work);
}

static void test_back_to_explicit_formulas(void **state) {
  char text[3000];
  snprintf(text, sizeof text,
           "flyball: 1\n%svariables:\n"
           "  on: step(time, 3, 0, 3.5, 1) - step(time, 7, 0, 7.5, 1)\n"
           "forces:\n"
           "  bushing:\n"
           "    type: force\n"
           "    at: sled\n"
           "    force:\n"
           "      - \"-(4 + 1e8*on)*(dx(sled) - 0.1*cos(time)) - (0.4 + 2e4*on)*(vx(sled) + 0.1*sin(time))\"\n"
           "      - 0\n"
           "      - 0\n",
           beside);
  const outcome o = run(text, "auto", 12, 1e-6);
  assert_at_least(time_of(&o, "radau", 3, 7.5), 4);
  assert_at_least(time_of(&o, "partition", 0, 3), 2.7);
  assert_at_least(time_of(&o, "partition", 7.5, 12), 4);
  assert_at_most((double)o.stats.switches, 8);
  assert_at_most(o.stats.work, 0.4 * run(text, "radau", 12, 1e-6).stats.work);
}

static void test_impact(void **state) {
  const outcome o = run(falls, "auto", 2, 1e-6), truth = run(falls, "radau", 2, 1e-10),
                alone = run(falls, "partition", 2, 1e-6);
  assert_string_equal(o.stretch[0].method, "partition");
  assert_string_equal(o.stretch[o.count - 1].method, "radau"); // it lies on a hard floor
  assert_at_most((double)o.stats.switches, 8);
  assert_at_most((double)o.stats.steps, 0.5 * (double)alone.stats.steps);
  assert_at_most(fabs(o.y - truth.y), 1e-6);
}

// The parts lie end to end, and their steps are those of the run.
static void test_stretches_fit(void **state) {
  const outcome o = run(falls, "auto", 2, 1e-5);
  long steps = 0;
  double work = 0, t = 0;
  assert_int_equal(o.count, o.stats.switches + 1);
  for (int k = 0; k < o.count; k++) {
    char text[200];
    fly_stretch_reason(text, sizeof text, &o.stretch[k]);
    assert_true(strlen(text) > 10);
    assert_true(o.stretch[k].from == t);
    t = o.stretch[k].to;
    steps += o.stretch[k].steps;
    work += o.stretch[k].work;
  }
  assert_true(t == 2);
  assert_int_equal(steps, o.stats.steps);
  assert_between(work / o.stats.work, 0.7, 1);
}

// A break at the start moves the time to behind it: the first part still begins at the start.
static void test_a_break_at_the_start(void **state) {
  const outcome o =
      run("flyball: 1\n"
          "bodies: {sled: {type: planar, mass: 1, inertia: 1}}\n"
          "joints: {rail: {type: translational, bodies: [ground, sled], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
          "motions: {drive: {joint: rail, displacement: \"step(time, 0, 0, 0.5, 1)\"}}\n",
          "auto", 1, 1e-5);
  assert_true(o.stretch[0].from == 0);
}

// A trial that takes more work than what was there before is ended, and what was there goes on.
static void test_a_dearer_trial_ends(void **state) {
  const outcome o = run(hops, "auto", 2, 1e-4);
  int ended = 0;
  for (int k = 2; k < o.count; k++)
    if (o.stretch[k].reason == FLY_REASON_NOT_BETTER) {
      assert_string_equal(o.stretch[k].method, o.stretch[k - 2].method);
      assert_at_least(o.stretch[k].measure, 0.8);
      ended++;
    }
  assert_at_least(ended, 1);
}

// Rows written on the way do not change the steps.
static void test_output_has_no_say(void **state) {
  long steps[2];
  for (int k = 0; k < 2; k++) {
    simulation s = simulation_default(2, NAN);
    s.options.error = 1e-6;
    s.options.method.name = "auto";
    s.options.output = k ? 0.001 : 1;
    s.options.calibrate = s.options.estimate_error = "no";
    fly_result_close(simulate_into_folder(&s, falls));
    assert_ok(s.status, &s.error);
    steps[k] = fly_run_stats(s.run).steps;
    simulation_free(&s);
  }
  assert_int_equal(steps[0], steps[1]);
}

// Without a word it is auto; an option that only one method has decides for that one, and is told. phi0 belongs to gen,
// constraint to hybrid; alpha to several, of which one has to be named.
static void test_the_default(void **state) {
  static const struct {
    double step, rho, constraint;
    const char *formulation, *asked, *method, *because;
  } list[] = {{NAN, NAN, NAN, NULL, NULL, "auto", NULL},
              {NAN, NAN, NAN, "ggl", NULL, "auto", NULL},
              {NAN, NAN, NAN, NULL, "ch", "ch", NULL},
              {1e-3, NAN, NAN, NULL, NULL, "ch", "step"},
              {1e-3, NAN, NAN, NULL, "auto", "ch", "step"},
              {NAN, 0.9, NAN, NULL, NULL, "ch", "rho"},
              {NAN, NAN, NAN, "index3", NULL, "ch", "formulation"},
              {NAN, NAN, NAN, "index3", "auto", "ch", "formulation"},
              {NAN, NAN, 1e-4, NULL, NULL, "hybrid", "constraint"}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    simulation s = simulation_default(0.1, list[k].step);
    s.options.method.name = list[k].asked;
    s.options.method.rho = list[k].rho;
    s.options.method.constraint = list[k].constraint;
    s.options.formulation = list[k].formulation;
    s.options.calibrate = s.options.estimate_error = "no";
    simulate_text(&s, hardens);
    assert_ok(s.status, &s.error);
    const char *because = "?";
    assert_string_equal(fly_run_method(s.run, &because), list[k].method);
    assert_int_equal(because != NULL, list[k].because != NULL);
    if (because)
      assert_string_equal(because, list[k].because);
    assert_int_equal(fly_run_stretches(s.run, NULL, 0) > 0, strcmp(list[k].method, "auto") == 0);
    simulation_free(&s);
  }
}

static void test_a_parameter_of_several_methods(void **state) {
  simulation s = simulation_default(0.1, NAN);
  s.options.method.alpha = -0.1;
  simulate_text(&s, hardens);
  assert_int_equal(s.status, FLY_BAD_INPUT);
  assert_non_null(strstr(s.error.message, "method auto does not take alpha"));
  assert_non_null(strstr(s.error.message, "hht, baumgarte, hybrid"));
  simulation_free(&s);
}

// Nothing is free: a guide that rubs, driven through its turning points. No error limits the steps, and a row in
// between is what the equations say there.
static void test_nothing_is_free(void **state) {
  simulation s = simulation_default(2, NAN);
  s.options.error = 1e-4;
  s.options.output = 0.01;
  simulate_text(&s, "flyball: 1\n"
                    "bodies: {sled: {type: planar, mass: 1, inertia: 1, position: [0.1, 0]}}\n"
                    "joints: {rail: {type: translational, bodies: [ground, sled], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
                    "motions: {drive: {joint: rail, displacement: 0.1*sin(3*time)}}\n"
                    "forces: {rub: {type: force, at: sled, force: ['-5*tanh(vx(sled)/0.001)', 0, 0]}}\n");
  assert_ok(s.status, &s.error);
  fly_stretch only;
  assert_int_equal(fly_run_stretches(s.run, &only, 1), 1);
  assert_string_equal(only.method, "partition");
  assert_int_equal(only.reason, FLY_REASON_DRIVEN);
  simulation_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bushing_that_hardens),
      cmocka_unit_test(test_back_to_explicit_formulas),
      cmocka_unit_test(test_impact),
      cmocka_unit_test(test_stretches_fit),
      cmocka_unit_test(test_output_has_no_say),
      cmocka_unit_test(test_the_default),
      cmocka_unit_test(test_a_parameter_of_several_methods),
      cmocka_unit_test(test_nothing_is_free),
      cmocka_unit_test(test_a_dearer_trial_ends),
      cmocka_unit_test(test_a_break_at_the_start),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
