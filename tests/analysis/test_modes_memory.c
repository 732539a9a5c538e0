// Every allocation of a linearization may fail: it says so, and leaks nothing.
// labels: valgrind blas
// timeout: 60
#include "base/allocations.h"

#include <string.h>

#include "flyball/modes.h"
#include "support/motion.h"

// Moving, damped, with forces that feel an acceleration, inputs and outputs: every part is asked for.
static const char MOVING[] =
    "{flyball: 1, gravity: [0, 0, -9.81], bodies: {shaft: {mass: 1, inertia: [1, 1, 0.3], angular_velocity: [0, 0, "
    "4]}, "
    "arm: {mass: 2, inertia: [0.1, 0.1, 0.02], position: [0.4, 0, -0.3], velocity: [0, 1.6, 0], angular_velocity: [0, "
    "0, "
    "4]}}, joints: {bearing: {type: revolute, bodies: [ground, shaft], at: [0, 0, 0], axis: [0, 0, 1]}, hinge: {type: "
    "revolute, bodies: [shaft, arm], at: [0, 0, 0], axis: [0, 1, 0]}}, forces: {coil: {type: torsion-spring, joint: "
    "hinge, stiffness: 10, damping: 1}, law: {type: force, at: arm, force: [0, 0, '-0.1*accz(arm)']}}, outputs: {x: "
    "dx(arm), f: 'fx(hinge)'}}";
static const char ROW[] =
    "{flyball: 1, parameters: {c: 0}, repeat: {blocks: {count: 6, bodies: {b$i: {mass: 1 + i/10, inertia: [1, 1, 1], "
    "position: [i, 0, 0]}}, joints: {s$i: {type: translational, bodies: [ground, b$i], at: [i, 0, 0], axis: [1, 0, "
    "0]}}, "
    "forces: {f$i: {type: spring, from: ground, to: b$i, stiffness: 100*i, damping: c}}}}}";

static void check(const char *text, const fly_modes_options *o, const char *set) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  long failures = 0;
  assert_ok(fly_mechanism_parse(&m, "model", text, strlen(text), set ? 1 : 0, &set, &error), &error);
  for (long n = 1;; n++) {
    fly_modes *modes = NULL;
    fly_error why = {0};
    allocations_reset(n);
    fly_status status = fly_modes_create(&modes, m, o, &why);
    if (the_allocations.count < n) {
      allocations_reset(0);
      assert_ok(status, &why);
      fly_modes_free(modes);
      break;
    }
    allocations_reset(0);
    assert_int_equal(status, FLY_NO_MEMORY);
    assert_null(modes);
    if (!strstr(why.message, "emory"))
      fail_msg("allocation %ld: %s", n, why.message);
    failures++;
  }
  say("%ld allocations\n", failures);
  assert_true(failures > 50);
  fly_mechanism_free(m);
}

static void test_dense(void **state) {
  const char *input[] = {"coil", "law"};
  fly_modes_options o = fly_modes_options_default();
  o.anyway = true;
  o.matrices = true;
  o.frame = "shaft";
  o.ninput = 2;
  o.input = input;
  check(MOVING, &o, NULL);
}

static void test_arpack(void **state) {
  fly_modes_options o = fly_modes_options_default();
  o.way = FLY_MODES_ARPACK;
  o.count = 2;
  check(ROW, &o, NULL);
  check(ROW, &o, "c=1");
  o.shift = 1;
  check(ROW, &o, "c=1");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense), cmocka_unit_test(test_arpack)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
