// Estimates that a case could fool (docs/theory/promise.md): where run and companion end on the same floor, where
// errors no longer fall with the tolerance, where something else limits the steps.
#define _POSIX_C_SOURCE 200809L
#include "analysis/simulation.h"

// A T-handle that tumbles about its middle axis: what rounding leaves arrives 10^9-fold after 60 s. It ends within a
// turn-over.
static const char handle[] =
    "flyball: 1\n"
    "bodies: {b: {mass: 0.2, inertia: [2e-4, 1e-4, 2.7e-4], angular_velocity: [10, 0.001, 0.002]}}\n"
    "simulate: {end: 58.1, output: 58.1}\n";
// Where it is at the end, by a Taylor series of order 28 in steps of 0.005 s with 33 digits.
static const double at_end[4] = {0.6477734011552866, 0.1456446510278697, 0.5755948778186679, 0.4773549968436436};

static void keep(const fly_dae_state *at, void *user) { memcpy(user, at->q + 3, 4 * sizeof(double)); }

// How far the last row is from there [rad].
static double error_of(const double e[4]) {
  double same = 0, other = 0;
  for (int i = 0; i < 4; i++) {
    same += (e[i] - at_end[i]) * (e[i] - at_end[i]);
    other += (e[i] + at_end[i]) * (e[i] + at_end[i]);
  }
  return 2 * sqrt(fmin(same, other));
}

static void assert_honest(const char *method, double asked, fly_status expected) {
  double e[4] = {0};
  simulation s = {.options = fly_run_options_default()};
  s.options.method.name = method;
  s.options.error = asked;
  s.options.state = keep;
  s.options.user = e;
  simulate_text(&s, handle);
  const fly_promise_report r = fly_promise_tell(fly_run_promise(s.run));
  const double error = error_of(e);
  say("%s at %.0e: error %.2e, estimate %.2e\n", method, asked, error, r.error);
  assert_int_equal(s.status, expected);
  assert_at_most(error, 100 * r.error); // chance decides how much rounding has left in one run and in another
  assert_at_most(r.error, 100 * error);
  simulation_free(&s);
}

// Steps go by round-off: a companion that is tighter in name takes the same ones, and is no nearer to the truth.
static void the_same_floor_shows_nothing(void **state) {
  assert_honest("partition", 1e-9, FLY_NOT_KEPT);
  assert_honest("hybrid", 1e-9, FLY_NOT_KEPT);
  assert_honest("partition", 1e-5, FLY_OK);
}

// All pilots and the run take steps of step_max: they do not differ, which says nothing.
static void the_same_steps_cannot_tell(void **state) {
  simulation s = {.options = fly_run_options_default()};
  s.options.end = 5;
  s.options.error = 0.1;
  s.options.step_max = 2e-3;
  simulate_text(&s, handle);
  assert_ok(s.status, &s.error);
  const fly_promise_report r = fly_promise_tell(fly_run_promise(s.run));
  assert_true(isnan(r.error));
  assert_non_null(strstr(r.note, "took the same steps"));
  assert_int_equal(fly_run_verdict(s.run).state, FLY_VERDICT_CONTROLLED);
  assert_non_null(strstr(fly_run_verdict(s.run).sentence, "took the same steps"));
  simulation_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_floor_shows_nothing),
      cmocka_unit_test(the_same_steps_cannot_tell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
