// Models of states alone: ordinary differential equations by every method, with events, and what other analyses make of
// them.
#include "base/check.h"

#include <math.h>
#include <string.h>

#include "flyball/model.h"
#include "flyball/modes.h"
#include "flyball/run.h"
#include "support/motion.h"

static fly_mechanism *model_of(const char *text) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  assert_ok(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), &error);
  return m;
}

// An oscillator that is thrown back at x = 0: x = |cos t|, and the integral of a variable in a loop beside it.
static void by_every_method(void **state) {
  static const char *const methods[] = {"ch", "hht", "trapezoid", "radau", "partition", "direct", "hybrid"};
  fly_mechanism *m =
      model_of("{flyball: 1, states: {x: {rate: v, start: 1}, v: {rate: -x}, i: {rate: u}}, variables: {u: "
               "0.5*u + 0.5*x}, events: {hit: {when: x < 0, set: {v: -v}}}}");
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    fly_run *run = NULL;
    fly_error error = {0};
    fly_dae_state at;
    fly_run_options o = fly_run_options_default();
    o.method.name = methods[k];
    o.end = 5;
    o.error = 1e-6;
    assert_ok(fly_run_create(&run, m, &o, &error), &error);
    assert_ok(fly_run_start(run, &error), &error);
    assert_ok(fly_run_advance(run, 4, FLY_ADVANCE_STOP, &error), &error);
    assert_ok(fly_run_read_state(run, &at, &error), &error);
    assert_near(at.x[0], fabs(cos(4)), 1e-5);
    assert_near(at.x[1], sin(4), 1e-5); // thrown back once
    assert_near(at.x[2], 1 + (1 - sin(4)), 1e-5);
    fly_run_free(run);
  }
  fly_mechanism_free(m);
}

static void their_modes(void **state) {
  fly_mechanism *m = model_of("{flyball: 1, states: {x: {rate: v}, v: {rate: -25*x - 2*v}, z: {rate: 3*z}}}");
  fly_modes *modes = NULL;
  fly_error error = {0};
  assert_ok(fly_modes_create(&modes, m, NULL, &error), &error);
  assert_int_equal(fly_modes_count(modes), 2);
  assert_near(fly_modes_get(modes, 0)->real, 3, 1e-12);
  assert_near(fly_modes_get(modes, 1)->real, -1, 1e-12);
  assert_near(fly_modes_get(modes, 1)->imag, sqrt(24), 1e-12);
  assert_int_equal(fly_modes_info_of(modes).unstable, 1);
  fly_modes_free(modes);
  fly_mechanism_free(m);
}

static void nothing_at_all(void **state) {
  const char *text = "{flyball: 1, variables: {u: time}}";
  fly_mechanism *m = NULL;
  fly_error error = {0};
  assert_int_equal(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), FLY_BAD_INPUT);
  assert_says(&error, "neither bodies nor states");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_every_method),
      cmocka_unit_test(their_modes),
      cmocka_unit_test(nothing_at_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
