// Sizes of vectors in forces that come to zero, or close to it, inside a step: steps end there, or are short enough,
// and the error asked for is kept (docs/theory/control.md, C-lengths).
//
// labels: events
#include "analysis/runs.h"

// A shaft slides and turns; where it slides back the moment that bends it passes through zero, and with it a part of
// what its friction is proportional to. At 1e-7 the angle was 8.7 times the error asked for, and called kept.
static void a_shaft_slides_back(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [-0.97745968795831663, -2.8927158760798695, 3.593077275807765]\n"
      "bodies:\n  b: {mass: 0.56889778310767093, inertia: [0.1, 0.1, 0.008713664587393343], "
      "position: [0.027335649330622353, -0.036822704350083347, 0]}\n"
      "joints:\n  j: {type: cylindrical, bodies: [ground, b], at: [0, 0, 0], axis: [0, 0, 1], "
      "velocity: 0.059583161222488483, angular_velocity: -5.8491350193017721, friction: {law: stribeck, "
      "mu: 0.22913756864508988, radius: 0.035507850579974403, viscous: 0.02, stribeck_speed: 0.26649897591610794, "
      "bending_arm: 0.3}}\n"
      "forces:\n  f: {type: force, at: b, force: [0, 0, -2.3457253870705261], torque: [0, 0, -0.025719224061887071]}\n"
      "variables: {turn: j.angle, way: j.displacement}\n";
  driven truth = run_well(text, "partition", 1e-10, 2, 1, "turn way");
  for (double error = 1e-6; error > 5e-9; error /= 10) {
    driven d = run_well(text, "radau", error, 2, 1, "turn way");
    for (int c = 1; c <= 2; c++)
      assert_close(row_of(&d, 2)[c], row_of(&truth, 2)[c], error);
    driven_free(&d);
  }
  driven_free(&truth);
}

static double push(double t, double d) { return 0.5 * sin(2 * (1 - t)) * 3 * hypot(t - 0.5337, d); }

// y(1) of y'' = 3 sqrt(x^2 + d^2) - 4 y, x = t - 0.5337, from rest: Simpson's rule on both sides of x = 0.
static double exact(double d) {
  enum { N = 200000 };
  const double ends[] = {0, 0.5337, 1};
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const double a = ends[side], h = (ends[side + 1] - a) / (2 * N);
    for (int k = 0; k < N; k++)
      sum += h / 3 * (push(a + 2 * k * h, d) + 4 * push(a + (2 * k + 1) * h, d) + push(a + (2 * k + 2) * h, d));
  }
  return sum;
}

// The closer it passes by, the sharper the bend: at 1e-3 m radau at 1e-8 was 3.8 times the error asked for off.
static void what_passes_close_by(void **state) {
  static const double distance[] = {0, 1e-5, 1e-3, 0.01, 0.1};
  for (size_t k = 0; k < sizeof distance / sizeof *distance; k++) {
    char text[500];
    snprintf(text, sizeof text,
             "flyball: 1\nbodies:\n  m: {mass: 1, inertia: [1, 1, 1], position: [-0.5337, 0, 0], velocity: [1, 0, 0]}\n"
             "forces:\n  f: {type: force, at: m, force: [0, '3*hypot(dx(m), %g)', 0]}\n"
             "  g: {type: force, at: m, force: [0, -4*dy(m), 0]}\nvariables: {y: dy(m)}\n",
             distance[k]);
    for (double error = 1e-4; error > 5e-9; error /= 100) {
      driven d = run_well(text, "radau", error, 1, 1, "y");
      assert_close(row_of(&d, 1)[1], exact(distance[k]), error);
      driven_free(&d);
    }
  }
}

// A step ends where a length is zero; where it does not come close, or what it does is nothing, it does not.
static void corners_end_steps(void **state) {
  static const struct {
    const char *force;
    bool ends;
  } list[] = {{"0.03*hypot(dx(m), 0)", true},    {"0.03*dm(m, ground.a)", true},   {"0.03*sqrt(dx(m)^2)", true},
              {"0.03*hypot(dx(m), 0.7)", false}, {"1e-12*hypot(dx(m), 0)", false}, {"0.03*hypot(time - 0.5, 0)", false},
              {"0*hypot(dx(m), 0)", false}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    char text[500];
    snprintf(text, sizeof text,
             "flyball: 1\nbodies:\n  ground: {markers: {a: [0, 0, 0]}}\n"
             "  m: {mass: 1, inertia: [1, 1, 1], position: [-0.5337, 0, 0], velocity: [1, 0, 0]}\n"
             "forces:\n  f: {type: force, at: m, force: ['%s', 0, 0]}\n  g: {type: force, at: m, force: [1, 0, 0]}\n",
             list[k].force);
    driven d = run_well(text, "radau", 1e-6, 1, 1, "");
    const fly_stats s = fly_run_stats(d.run);
    if (s.leaps < list[k].ends || s.leaps > 2 * list[k].ends)
      fail_msg("%s: %ld corners", list[k].force, s.leaps);
    driven_free(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_shaft_slides_back), cmocka_unit_test(what_passes_close_by),
                                     cmocka_unit_test(corners_end_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
