// A link without mass to speak of between two that have some: it is whirled about where they pass each other, and no
// method stops there.
#include "analysis/runs.h"

static void a_light_link_is_passed(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition", "auto"};
  for (double light = 1e-3; light > 5e-8; light /= 100) {
    char text[1000];
    snprintf(text, sizeof text,
             "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
             "  a: {type: planar, mass: 1, inertia: 0.02, position: [0.25, 0]}\n"
             "  b: {type: planar, mass: %g, inertia: %g, position: [0.75, 0]}\n"
             "  c: {type: planar, mass: 1, inertia: 0.02, position: [1.25, 0]}\n"
             "joints:\n  j1: {type: revolute, bodies: [ground, a], at: [0, 0, 0]}\n"
             "  j2: {type: revolute, bodies: [a, b], at: [0.5, 0, 0]}\n"
             "  j3: {type: revolute, bodies: [b, c], at: [1, 0, 0]}\nvariables: {x: dx(c), y: dy(c)}\n",
             light, light / 50);
    driven truth = run_well(text, "radau", 1e-8, 2, 0.1, "x y");
    for (int m = 0; m < 4; m++) {
      driven d = run(text, methods[m], 1e-4, 2, 0.1, "x y");
      assert_true(d.status == FLY_OK || d.status == FLY_NOT_KEPT); // errors scatter about three times what is asked for
      for (int k = 1; k <= 20 && d.status == FLY_OK; k++)
        for (int c = 1; c <= 2; c++)
          assert_close(row_of(&d, k)[c], row_of(&truth, k)[c], 3e-4);
      assert_int_equal(d.rows, 21); // it is passed
      driven_free(&d);
    }
    driven_free(&truth);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_light_link_is_passed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
