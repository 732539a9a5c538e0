// A flexible beam that is shorter where it is bent: frequencies of one that turns, Euler's load, spin-up; and what is
// lost without it.
#define _POSIX_C_SOURCE 200809L
#include "analysis/rest.h"
#include "flyball/modes.h"

static void assert_frequency(const fly_modes *modes, double hertz, double relative) {
  double nearest = INFINITY;
  for (int k = 0; k < fly_modes_count(modes); k++) {
    const double f = fly_modes_get(modes, k)->natural;
    nearest = fabs(f - hertz) < fabs(nearest - hertz) ? f : nearest;
  }
  say("%.8g Hz, in theory %.8g\n", nearest, hertz);
  assert_near(nearest / hertz, 1, relative);
}

#define TURNING                                                                                                        \
  "flyball: 1\nbodies: {t: {type: flexible-beam, length: 1, density: 1, youngs_modulus: 1e8, shear_modulus: 1e8, "     \
  "area: 1, moments: [1e-8, 1e-8, 1e-8], bends: [7, 7], stretches: 0, twists: 0, stiffening: %s, angular_velocity: "   \
  "[0, 0, %d]}}\njoints: {j: {type: revolute, bodies: [ground, t], at: [0, 0, 0], axis: [0, 0, 1]}}\n"                 \
  "motions: {m: {joint: j, angle: %d*time}}\n"

// A cantilever that turns at W sqrt(EI/mu)/L^2 about its clamped end: its first frequency out of the plane of the turn
// (Wright, Smith, Thresher and Wang, J. Appl. Mech. 49, 1982, without a hub), and w^2 - W^2 in it. Without what bending
// takes, w0^2 - W^2 in the plane, and w0 out of it.
static void a_turn_stiffens_it(void **state) {
  static const double flaps[][2] = {{0, 3.5160}, {1, 3.6817}, {3, 4.7973}, {6, 7.3604}, {12, 13.1702}};
  for (int k = 0; k < 5; k++)
    for (int on = 0; on < 2; on++) {
      char text[1000];
      fly_mechanism *m = NULL;
      fly_modes *modes = NULL;
      fly_error error = {0};
      fly_modes_options o = fly_modes_options_default();
      const double W = flaps[k][0], flap = on ? flaps[k][1] : flaps[0][1], square = flap * flap - W * W;
      o.anyway = true;
      snprintf(text, sizeof text, TURNING, on ? "on" : "off", (int)W, (int)W);
      assert_ok(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), &error);
      assert_ok(fly_modes_create(&modes, m, &o, &error), &error);
      assert_frequency(modes, flap / 6.28318530717958648, 2e-5);
      if (square > 1)
        assert_frequency(modes, sqrt(square) / 6.28318530717958648, 2e-4);
      fly_modes_free(modes);
      fly_mechanism_free(m);
    }
}

// Euler's load of a clamped column, pi^2 EI/4 L^2: below it stands, above it does not.
static void a_push_buckles_it(void **state) {
  for (int k = 0; k < 3; k++) {
    char more[1000], text[2000];
    snprintf(more, sizeof more,
             "joints:\n  j: {type: fixed, bodies: [ground, t], at: [0, 0, 0]}\n"
             "forces: {f: {type: force, at: t.end, force: [%.12g, 0, 0]}}\n",
             (k == 0 ? -0.998 : -1.002) * 2.46740110027234 * 400);
    snprintf(
        text, sizeof text,
        "flyball: 1\nbodies: {t: {type: flexible-beam, length: 1, density: 7850, youngs_modulus: 2e11, "
        "shear_modulus: 8e10, area: 2e-4, moments: [6e-9, 2e-9, 4e-9], stiffening: %s, markers: {end: [1, 0, 0]}}}\n%s",
        k < 2 ? "on" : "off", more);
    rest r = find(text, "newton", 0, NULL);
    assert_ok(r.status, &r.error);
    assert_int_equal(r.at->poise, k == 1 ? FLY_POISE_UNSTABLE : FLY_POISE_STABLE);
    done(&r);
  }
}

// Spin-up as in tests/analysis/test_rod.c, by four modes: the tip lags by 0.5737 m and comes back. Without stiffening
// it goes away for good, as 6 rad/s is above its first frequency.
static double spun(const char *stiffening, double end, double *late) {
  char text[2000];
  simulation s = simulation_default(end, NAN);
  s.options.method.name = "radau";
  s.options.error = 1e-5;
  s.options.output = 0.05;
  snprintf(text, sizeof text,
           "flyball: 1\nfunctions:\n"
           "  \"turned(t)\": \"if(t < 15, 0.4*(t^2/2 + (7.5/pi)^2*(cos(2*pi*t/15) - 1)), 6*(t - 7.5))\"\n"
           "bodies: {b: {type: flexible-beam, length: 10, density: 1200, area: 1e-3, youngs_modulus: 2.8e10, "
           "shear_modulus: 1e10, moments: [5e-7, 5e-7, 1e-6], bends: [3, 0], stretches: 1, twists: 0, stiffening: %s, "
           "markers: {end: [10, 0, 0]}}}\n"
           "joints: {hub: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
           "motions: {drive: {joint: hub, angle: turned(time)}}\noutputs: {v: 'dy(b.end, b, b)', u: 'dx(b.end, b, b) - "
           "10'}\n",
           stiffening);
  fly_result *r = simulate_into_folder(&s, text);
  double *v = read_channel(r, "v"), *u = read_channel(r, "u"), most = 0, mean = 0;
  const int rows = (int)fly_result_info_of(r)->rows;
  *late = 0;
  for (int k = 0; k < rows; k++) {
    most = fmax(most, -v[k]);
    *late = k > 4 * rows / 5 ? fmax(*late, fabs(v[k])) : *late;
    mean += k > 4 * rows / 5 ? u[k] / (rows / 5.0) : 0;
  }
  say("stiffening %s: lag %.5g m, %.3g m left, stretch %.5g m\n", stiffening, most, *late, mean);
  free(u);
  free(v);
  fly_result_close(r);
  simulation_free(&s);
  return most;
}

static void spin_up(void **state) {
  double late;
  assert_near(spun("on", 20, &late), 0.5737, 5e-3);
  assert_at_most(late, 0.01);
  assert_true(spun("off", 10.5, &late) > 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_turn_stiffens_it),
      cmocka_unit_test(a_push_buckles_it),
      cmocka_unit_test(spin_up),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
