// What is large and what is little is told by the model, not by the units of space and time: models drawn far from the
// origin, tiny and slow ones, pulses of a few roundings of the time.
#include "analysis/runs.h"

static const char *const methods[] = {"auto", "radau", "partition", "ch"};
enum { METHODS = sizeof methods / sizeof *methods };

// A mass on a spring, wherever it stands: x = x0 + 0.6 + 0.4 cos 10t.
static void a_model_stands_anywhere(void **state) {
  static const double places[] = {0, 1000, 1e5};
  for (int k = 0; k < 3; k++) {
    const double at = places[k];
    char text[500];
    snprintf(text, sizeof text,
             "flyball: 1\nbodies:\n  ground: {markers: {a: [%.17g, 0, 0]}}\n"
             "  m: {type: point, mass: 1, position: [%.17g, 0, 0]}\n"
             "forces: {k: {type: spring, from: ground.a, to: m, stiffness: 100, free_length: 0.6}}\n"
             "variables: {x: \"dx(m, ground.a)\"}\n",
             at, at + 1);
    for (int m = 0; m < METHODS; m++) {
      driven d = run_well(text, methods[m], 1e-3, 10, 0.1, "x");
      for (int row = 0; row <= 100; row++)
        assert_close(row_of(&d, row)[1], 0.6 + 0.4 * cos(10 * row_of(&d, row)[0]), 3e-3);
      driven_free(&d);
    }
  }
}

// A car that bounces, drawn at a place of a map: nothing but its height says how large it is.
static void a_car_on_a_map(void **state) {
  driven d = run_well("flyball: 1\ngravity: [0, -10, 0]\n"
                      "bodies: {car: {type: planar, mass: 1, inertia: 1, position: [5000, 0.5]}}\n"
                      "forces: {road: {type: force, at: car, force: [0, \"40*(0.65 - dy(car))\", 0]}}\n"
                      "variables: {y: dy(car)}\n",
                      "auto", 1e-4, 5, 0.1, "y");
  for (int k = 0; k <= 50; k++)
    assert_close(row_of(&d, k)[1], 0.4 + 0.1 * cos(sqrt(40.0) * row_of(&d, k)[0]), 3e-4);
  driven_free(&d);
}

// A ball that is let go, in metres and in micrometres, falling as fast for its size or a hundred times slower.
static double height_at(double size, double pace, double share, const char *method) {
  char text[700];
  snprintf(text, sizeof text,
           "flyball: 1\ngravity: [0, %.17g, 0]\nbodies: {b: {type: planar, mass: 1, inertia: %g, position: [0, %g]}}\n"
           "joints: {t: {type: translational, bodies: [ground, b], at: [0, %g, 0], axis: [0, 1, 0], "
           "limits: {low: %g, restitution: 0.9}}}\nvariables: {y: dy(b)}\n",
           -9.81 * size / (pace * pace), size * size, size, size, -size);
  driven d = run_well(text, method, 1e-4, 3 * pace, 0.3 * pace, "y");
  const double y = row_of(&d, (long)(10 * share + 0.5))[1] / size;
  driven_free(&d);
  return y;
}

static void bounces_have_no_scale(void **state) {
  for (int m = 0; m < METHODS; m++)
    for (double share = 0.3; share < 0.95; share += 0.3) {
      const double y = height_at(1, 1, share, methods[m]);
      assert_close(height_at(1e-6, 1, share, methods[m]), y, 3e-4);
      assert_close(height_at(1e-3, 100, share, methods[m]), y, 3e-4);
    }
}

// A hatch that nothing pushes goes back from its stop, however slowly it came.
static void a_slow_hatch_goes_back(void **state) {
  driven d =
      run_well("flyball: 1\nbodies: {hatch: {type: planar, mass: 10, inertia: 2, position: [0.5, 0]}}\n"
               "joints: {hinge: {type: revolute, bodies: [ground, hatch], at: [0, 0, 0], angular_velocity: 5e-5, "
               "limits: {high: 0.5, restitution: 0.8}}}\nvariables: {a: \"az(hatch)\"}\n",
               "auto", 1e-6, 24000, 2400, "a");
  assert_close(row_of(&d, 10)[1], 0.5 - 0.8 * 5e-5 * 14000, 1e-6);
  driven_free(&d);
}

// 2^20 N for 2^-20 s on 1 kg: a speed of 1 m/s, which no rounding of the time takes from it.
static void a_blow_of_some_roundings(void **state) {
  static const double begins[] = {2, 32, 8192};
  for (int k = 0; k < 3; k++)
    for (int m = 0; m < METHODS; m++) {
      char text[500];
      snprintf(text, sizeof text,
               "flyball: 1\nbodies: {c: {type: point, mass: 1}}\n"
               "forces: {p: {type: force, at: c, force: [\"if(time > %g and time < %.20g, 1048576, 0)\", 0, 0]}}\n"
               "variables: {v: vx(c)}\n",
               begins[k], begins[k] + 0x1p-20);
      driven d = run_well(text, methods[m], 1e-9, 2 * begins[k], begins[k], "v");
      assert_close(row_of(&d, 2)[1], 1, 1e-9 / begins[k]);
      driven_free(&d);
    }
}

// Nothing in the file has a length, so that an error of 1e-3 is a millimetre, a thousand times the motion.
static void an_error_as_large_as_the_motion(void **state) {
  driven d = run_well("flyball: 1\nbodies: {m: {type: point, mass: 1e-9, velocity: [1e-3, 0, 0]}}\n"
                      "forces: {f: {type: force, at: m, force: [\"-1e-3*dx(m)\", 0, 0]}}\nvariables: {x: dx(m)}\n",
                      "auto", 1e-3, 1, 0.001, "x");
  const fly_verdict v = fly_run_verdict(d.run);
  assert_int_equal(v.state, FLY_VERDICT_CONTROLLED);
  assert_non_null(strstr(v.sentence, "counts as 1 m large"));
  driven_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_stands_anywhere),  cmocka_unit_test(a_car_on_a_map),
      cmocka_unit_test(bounces_have_no_scale),    cmocka_unit_test(a_slow_hatch_goes_back),
      cmocka_unit_test(a_blow_of_some_roundings), cmocka_unit_test(an_error_as_large_as_the_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
