// A box that rocks on its edges, on another box and on a plane: spots come and go as it lands from one edge on the
// other, and the point of contact jumps from an edge to a face. The corrector is not stopped by it at any tolerance,
// the motion is the same by every method, and on the box as on the plane; no energy comes from it.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/simulation.h"
#include "base/check.h"

#define ON_BOX "{type: box, x: 1, y: 1, z: 0.2, at: [0, 0, -0.1]}"
#define ON_PLANE "{type: plane, width: 1}"
#define ON_HULL                                                                                                        \
  "{type: hull, points: [[0.5, 0.5, 0], [-0.5, 0.5, 0], [-0.5, -0.5, 0], [0.5, -0.5, 0], [0.3, 0.3, -0.2], "           \
  "[-0.3, 0.3, -0.2], [-0.3, -0.3, -0.2], [0.3, -0.3, -0.2]]}"

static void keep_last(const double *row, void *user) { memcpy(user, row + 1, 2 * sizeof *row); }

static void rock(double last[2], const char *ground, const char *method, double error) {
  char text[1500];
  fly_ledger ledger;
  simulation s = {.options = fly_run_options_default()};
  snprintf(text, sizeof text,
           "flyball: 1\nname: rocking box\ngravity: [0, 0, -9.81]\nparameters: {tilt: 0.12}\nbodies:\n"
           "  ground: {shapes: [%s]}\n"
           "  box: {position: [0.05*cos(tilt) - 0.15*sin(tilt), 0, 0.05*sin(tilt) + 0.15*cos(tilt)],\n"
           "        orientation: {axis: [0, -1, 0], angle: tilt},\n"
           "        shapes: [{type: box, x: 0.1, y: 0.08, z: 0.3, density: 500}]}\n"
           "contacts:\n"
           "  c: {bodies: [ground, box], stiffness: 1e6, exponent: 1, restitution: 0.2, friction: {mu: 0.6}}\n"
           "outputs: {x: dx(box), z: dz(box)}\nsimulate: {end: 0.4, output: 0.4}\n",
           ground);
  s.options.method.name = method;
  s.options.error = error;
  s.options.channels = "outputs";
  s.options.row = keep_last;
  s.options.user = last;
  s.options.calibrate = "no";
  s.options.estimate_error = "no";
  simulate_text(&s, text);
  if (s.status)
    fail_msg("%s at %g: %s", method, error, s.error.message);
  ledger = fly_run_ledger(s.run);
  assert_true(ledger.worst < 1e-4 * ledger.moved);
  simulation_free(&s);
}

static void a_box_rocks_at_every_tolerance(void **state) {
  double right[2], last[2];
  rock(right, ON_BOX, "radau", 1e-6);
  for (double error = 1e-3; error > 5e-6; error /= 10) {
    rock(last, ON_BOX, "radau", error);
    for (int k = 0; k < 2; k++)
      assert_near(last[k], right[k], 10 * 0.15 * error); // sizes of the model
  }
  rock(last, ON_BOX, "ch", 1e-3);
  assert_near(last[0], right[0], 10 * 0.15 * 1e-3);
}

static void what_it_rocks_on_does_not_matter(void **state) {
  const char *const ground[3] = {ON_PLANE, ON_BOX, ON_HULL};
  double last[3][2];
  for (int k = 0; k < 3; k++)
    rock(last[k], ground[k], "radau", 1e-5);
  for (int k = 1; k < 3; k++)
    for (int c = 0; c < 2; c++)
      assert_near(last[k][c], last[0][c], 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_box_rocks_at_every_tolerance),
                                     cmocka_unit_test(what_it_rocks_on_does_not_matter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
