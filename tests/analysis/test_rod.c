// The part rod, a chain of beam elements that turn far: closed forms, published results, and an independent integration
// of the same theory (Simo and Reissner's rod, by shooting with an error of 1e-10).
#define _POSIX_C_SOURCE 200809L
#include "analysis/rest.h"
#include "flyball/modes.h"

static const double turn = 6.28318530717958648;

#define CLAMPED "joints: {clamp: {type: fixed, bodies: [ground, b.node0], at: [0, 0, 0]}}\n"

static void rests_at(const char *text, const char *node, const double at[3], double tolerance) {
  static const char *const axes[] = {"x", "y", "z"};
  rest r = find(text, "newton", 0, NULL);
  assert_ok(r.status, &r.error);
  for (int i = 0; i < 3; i++) {
    say("%s %s: %.7g, should be %.7g\n", node, axes[i], value(&r, node, axes[i]), at[i]);
    assert_near(value(&r, node, axes[i]), at[i], tolerance);
  }
  done(&r);
}

// ------------------------------------------------------------------------------------------ at rest

// M = 2 pi EI/L makes a circle of a cantilever, half of it a half circle, twice as much goes round twice.
static void a_moment_rolls_it_up(void **state) {
  for (int n = 4; n <= 10; n += 6)
    for (int k = 1; k <= 4; k *= 2) {
      char text[1000], middle[20], tip[20];
      const double R = 10 / (k * turn / 2);
      snprintf(text, sizeof text,
               "flyball: 1\nuse: {b: {part: rod, length: 10, elements: %d, mass: 1, rotary_y: 0.01, rotary_z: 0.01, "
               "EA: 1e4, GJ: 100, EIy: 100, EIz: 100}}\n" CLAMPED
               "forces: {m: {type: force, at: b.node%d, torque: [0, 0, %d*pi*10]}}\n",
               n, n, k);
      if (n == 4 && k == 4)
        continue; // half a turn in each element
      snprintf(middle, sizeof middle, "b.node%d", n / 2);
      snprintf(tip, sizeof tip, "b.node%d", n);
      rests_at(text, middle, (const double[]){R * sin(k * turn / 4), R * (1 - cos(k * turn / 4)), 0}, 1e-9);
      rests_at(text, tip, (const double[]){0, k == 1 ? 2 * R : 0, 0}, 1e-9);
    }
}

// An eighth of a circle of radius 100, loaded across its plane. Bathe and Bolourchi (Int. J. Num. Meth. Engng. 14,
// 1979) for 600: (47.2, 15.9, 53.4); Simo and Vu-Quoc (Comput. Meth. Appl. Mech. Engng. 58, 1986):
// (47.23, 15.79, 53.37), for 300: (58.84, 22.33, 40.08).
static void a_bend_of_45_degrees(void **state) {
  static const struct {
    int load, elements;
    double at[3], within;
  } cases[] = {{300, 8, {58.84, 22.33, 40.08}, 0.15},
               {600, 8, {47.23, 15.79, 53.37}, 0.15},
               {300, 16, {58.77912, 22.24478, 40.19189}, 2e-3},
               {600, 8, {47.15044, 15.68480, 53.47486}, 1e-2},
               {600, 16, {47.15044, 15.68480, 53.47486}, 2.5e-3}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[1000], tip[20];
    snprintf(text, sizeof text,
             "flyball: 1\nuse: {b: {part: rod, length: 100*pi/4, elements: %d, curvature: 0.01, EA: 1e7, GA: 5e6, EIy: "
             "1e7/12, EIz: 1e7/12, GJ: 0.5e7/6, mass: 10, rotary_y: 1, rotary_z: 1}}\n" CLAMPED
             "forces: {f: {type: force, at: b.node%d, force: [0, 0, %d]}}\n",
             cases[k].elements, cases[k].elements, cases[k].load);
    snprintf(tip, sizeof tip, "b.node%d", cases[k].elements);
    rests_at(text, tip, cases[k].at, cases[k].within);
  }
}

// The Princeton beam (Dowell and Traybar, 1975): 0.508 m by 12.3777 mm by 3.2024 mm of aluminium, a weight at its end,
// clamped at an angle. Beam elements of ANSYS as published by Obrezkov, Mikkola and Matikainen (Nonlinear Dyn. 109,
// 2022): y and z for 8.896 N and 13.345 N.
static void the_princeton_beam(void **state) {
  static const double y[2][7] = {
      {1.071417630e-2, 1.061328706e-2, 1.011169630e-2, 8.837226265e-3, 6.604665004e-3, 3.538889001e-3, 0},
      {1.606423724e-2, 1.645825752e-2, 1.665873206e-2, 1.518618440e-2, 1.157837500e-2, 6.248967384e-3, 0}};
  static const double z[2][7] = {
      {0, 4.208232124e-2, 7.939482948e-2, 0.108987937, 0.129887616, 0.142194370, 0.146245978},
      {0, 6.435812858e-2, 0.117735994, 0.156467239, 0.181861627, 0.196097131, 0.200677707}};
  for (int k = 0; k < 14; k++) {
    const int load = k / 7, angle = k % 7;
    char text[1000];
    snprintf(text, sizeof text,
             "flyball: 1\nparameters: {E: 71.7e9, G: E/2.62, F: %g, beta: %d*15*deg}\n"
             "use: {b: {part: rod, length: 0.508, elements: 10, youngs_modulus: E, shear_modulus: G, density: 2700, "
             "width: 12.3777*mm, height: 3.2024*mm, GA: G*12.3777*mm*3.2024*mm/1.2}}\n" CLAMPED
             "forces: {f: {type: force, at: b.node10, force: [0, -F*cos(beta), F*sin(beta)]}}\n",
             load == 0 ? 8.896 : 13.345, angle);
    rest r = find(text, "newton", 0, NULL);
    assert_found(&r, FLY_POISE_STABLE);
    const double is_y = -value(&r, "b.node10", "y"), is_z = value(&r, "b.node10", "z");
    say("%2d deg: y %.6f, published %.6f; z %.6f, published %.6f\n", 15 * angle, is_y, y[load][angle], is_z,
        z[load][angle]);
    assert_near(is_y, y[load][angle], 0.012 * y[load][angle] + 1e-12);
    assert_near(is_z, z[load][angle], 0.003 * z[load][angle] + 1e-12);
    done(&r);
  }
}

// A cable of its weight alone, hung at two points of one height: the catenary. Sag and pull by its closed form.
static void a_cable_hangs_as_a_catenary(void **state) {
  rest r = find("flyball: 1\ngravity: [0, 0, -9.81]\n"
                "use: {b: {part: rod, at: [0, 0, 0], length: 1.2, elements: 16, mass: 0.6, rotary_y: 1e-6, rotary_z: "
                "1e-6, EA: 1e6, GJ: 1e-3, EIy: 1e-4, EIz: 1e-3}}\n"
                "bodies: {end: {mass: 1e-3, inertia: [1e-6, 1e-6, 1e-6], position: [1.2, 0, 0]}}\n"
                "joints:\n  left: {type: revolute, bodies: [ground, b.node0], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                "  right: {type: revolute, bodies: [end, b.node16], at: [1.2, 0, 0], axis: [0, 1, 0]}\n"
                "  guide: {type: translational, bodies: [ground, end], at: [1.2, 0, 0], axis: [1, 0, 0]}\n"
                "forces: {pull: {type: force, at: end, force: [3, 0, 0]}}\n",
                "newton", 0, NULL);
  assert_ok(r.status, &r.error);
  // H = 3 N: half the length is a sinh(x/a), a = H/w
  const double a = 3 / (0.6 / 1.2 * 9.81), half = a * asinh(0.6 / a), sag = a * (cosh(half / a) - 1);
  say("span %.7g, should be %.7g; sag %.7g, should be %.7g\n", value(&r, "end", "x"), 2 * half,
      -value(&r, "b.node8", "z"), sag);
  assert_near(value(&r, "end", "x"), 2 * half, 5e-4);
  assert_near(-value(&r, "b.node8", "z"), sag, 5e-4);
  done(&r);
}

// ------------------------------------------------------------------------------------------ vibrations

static double nearest_frequency(const char *text, double hertz) {
  fly_mechanism *m = NULL;
  fly_modes *modes = NULL;
  fly_error error = {0};
  fly_modes_options o = fly_modes_options_default();
  double nearest = INFINITY;
  o.equilibrium = true;
  assert_ok(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_modes_create(&modes, m, &o, &error), &error);
  for (int k = 0; k < fly_modes_count(modes); k++) {
    const double f = fly_modes_get(modes, k)->natural;
    nearest = fabs(f - hertz) < fabs(nearest - hertz) ? f : nearest;
  }
  fly_modes_free(modes);
  fly_mechanism_free(m);
  say("%.8g Hz, in theory %.8g\n", nearest, hertz);
  return nearest;
}

#define SLENDER "GJ: 1, EIy: 2, EIz: 1, mass: 1, rotary_y: 1e-8, rotary_z: 1e-8"

// b^2 sqrt(EI/mu)/L^2; along it c/4L. The error falls with the fourth power of the elements.
static void it_vibrates(void **state) {
  static const double b[2] = {1.87510406871196, 4.69409113297418};
  double error[2];
  for (int k = 0; k < 2; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             "flyball: 1\nuse: {b: {part: rod, length: 1, elements: %d, EA: 1e5, " SLENDER "}}\n" CLAMPED,
             k == 0 ? 8 : 16);
    const double f = b[1] * b[1] / turn;
    error[k] = fabs(nearest_frequency(text, f) / f - 1);
    assert_near(nearest_frequency(text, b[0] * b[0] / turn) / (b[0] * b[0] / turn), 1, k == 0 ? 1e-4 : 1e-5);
    assert_near(nearest_frequency(text, sqrt(2) * f) / (sqrt(2) * f), 1, k == 0 ? 1e-3 : 1e-4);
    assert_near(nearest_frequency(text, sqrt(1e5) / 4) / (sqrt(1e5) / 4), 1, k == 0 ? 6e-3 : 1.5e-3);
  }
  assert_at_most(error[0], 6e-4);
  assert_at_most(error[1], 8e-5);
}

// Between pins, pulled by T: w^2 = (pi/L)^4 EI/mu + (pi/L)^2 T/mu; and pushed, near to where it buckles.
static void a_pull_stiffens_it(void **state) {
  static const double pulls[] = {0, 20, 200, -8};
  const double pi = turn / 2;
  for (int k = 0; k < 4; k++) {
    char text[2000];
    snprintf(text, sizeof text,
             "flyball: 1\nuse: {b: {part: rod, length: 1, elements: 16, EA: 1e7, " SLENDER "}}\n"
             "joints:\n  left: {type: revolute, bodies: [ground, b.node0], at: [0, 0, 0], axis: [0, 0, 1]}\n"
             "  right: {type: in-plane, bodies: [ground, b.node16], at: [1, 0, 0], axis: [0, 1, 0]}\n"
             "forces: {t: {type: force, at: b.node16, force: [%g, 0, 0]}}\n",
             pulls[k]);
    const double f = sqrt(pow(pi, 4) + pi * pi * pulls[k]) / turn;
    assert_near(nearest_frequency(text, f) / f, 1, 1e-4);
  }
}

// ------------------------------------------------------------------------------------------ in motion

// Spin-up to 6 rad/s in 15 s (Kane, Ryan and Banerjee, J. Guid. Control Dyn. 10, 1987; numbers of Simo and Vu-Quoc, J.
// Appl. Mech. 53, 1986): the tip lags by 0.57 m at most, and in the end the beam is stretched by 5.14e-4 m, which is
// L (tan(x)/x - 1), x = w L sqrt(mu/EA). The lag was computed with 8 elements and errors of 1e-5: 0.5737.
static void spin_up(void **state) {
  simulation s = simulation_default(20, 0.01);
  s.options.method.name = "ch";
  s.options.output = 0.02;
  fly_result *r = simulate_into_folder(
      &s, "flyball: 1\nfunctions:\n"
          "  \"turned(t)\": \"if(t < 15, 0.4*(t^2/2 + (7.5/pi)^2*(cos(2*pi*t/15) - 1)), 6*(t - 7.5))\"\n"
          "use: {b: {part: rod, length: 10, elements: 6, EA: 2.8e7, GA: 1e7, EIy: 1.4e4, EIz: 1.4e4, GJ: 1.4e4, mass: "
          "12, rotary_y: 6e-3, rotary_z: 6e-3}}\n"
          "joints: {hub: {type: revolute, bodies: [ground, b.node0], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
          "motions: {drive: {joint: hub, angle: turned(time)}}\n"
          "outputs: {u: 'dx(b.node6, b.node0, b.node0) - 10', v: 'dy(b.node6, b.node0, b.node0)'}\n");
  double *u = read_channel(r, "u"), *v = read_channel(r, "v"), *t = read_channel(r, "time");
  double most = 0, mean = 0, ripple = 0;
  int late = 0;
  for (int k = 0; k < fly_result_info_of(r)->rows; k++) {
    most = fmin(most, v[k]);
    mean += t[k] > 16 ? u[k] : 0;
    ripple = t[k] > 16 ? fmax(ripple, fabs(v[k])) : ripple;
    late += t[k] > 16;
  }
  say("lag %.5g m, stretch %.6g m, %.2g m of vibration left\n", -most, mean / late, ripple);
  assert_near(-most, 0.5737, 2e-3);
  assert_near(mean / late, 5.14e-4, 2e-6);
  assert_at_most(ripple, 0.01);
  free(u);
  free(v);
  free(t);
  fly_result_close(r);
  simulation_free(&s);
}

// A free rod that is bent, turns and flies: energy, and both momenta, stay what they were.
static void a_free_one_keeps_its_momenta(void **state) {
  simulation s = simulation_default(0.5, NAN);
  s.options.method.name = "radau";
  s.options.error = 1e-9;
  fly_result *r = simulate_into_folder(
      &s, "flyball: 1\nuse: {b: {part: rod, length: 1, elements: 3, curvature: 1, turning: 3, EA: 300, GJ: 3, EIy: 2, "
          "EIz: 1, mass: 1, rotary_y: 0.01, rotary_z: 0.02}}\n"
          "forces: {kick: {type: force, at: b.node3, against: b.node0, force: ['if(time < 0.1, 2, 0)', 0, "
          "'if(time < 0.1, 3, 0)']}}\n"
          "outputs:\n"
          "  p: '(vx(b.node0) + vx(b.node3))/8 + (vx(b.node1) + vx(b.node2))*3/8'\n"
          "  q: '(vz(b.node0) + vz(b.node3))/8 + (vz(b.node1) + vz(b.node2))*3/8'\n");
  double *p = read_channel(r, "p"), *q = read_channel(r, "q");
  const int rows = (int)fly_result_info_of(r)->rows;
  for (int k = 0; k < rows; k += 10) {
    assert_near(p[k], p[0], 1e-8);
    assert_near(q[k], 0, 1e-8);
  }
  assert_at_most(fabs(fly_run_ledger(s.run).imbalance), 1e-7);
  free(p);
  free(q);
  fly_result_close(r);
  simulation_free(&s);
}

// Where the end of a soft rod is that swings in space, by fixed steps.
static double swing(const char *method, double step) {
  simulation s = simulation_default(0.4, step);
  s.options.method.name = method;
  fly_result *r = simulate_into_folder(
      &s, "flyball: 1\ngravity: [0, 2, -9.81]\n"
          "use: {b: {part: rod, length: 1, elements: 3, mass: 1, rotary_y: 0.1, rotary_z: 0.2, EA: 30, GJ: 2, EIy: 3, "
          "EIz: 1, curvature: 0.5, damping_time: 0.02}}\n" CLAMPED "outputs: {z: dz(b.node3), y: dy(b.node3)}\n");
  double *z = read_channel(r, "z"), *y = read_channel(r, "y");
  const long last = fly_result_info_of(r)->rows - 1;
  const double at = z[last] + y[last];
  free(z);
  free(y);
  fly_result_close(r);
  simulation_free(&s);
  return at;
}

static void methods_have_their_orders(void **state) {
  static const struct {
    const char *method;
    double step, low, high;
  } cases[] = {{"ch", 0.01, 1.9, 2.1}, {"radau", 0.025, 4.5, 7}};
  const double exact = swing("radau", 0.002);
  for (int k = 0; k < 2; k++) {
    const double coarse = fabs(swing(cases[k].method, cases[k].step) - exact);
    const double fine = fabs(swing(cases[k].method, cases[k].step / 2) - exact);
    say("%s: %.3e, %.3e, order %.3g\n", cases[k].method, coarse, fine, log2(coarse / fine));
    assert_true(log2(coarse / fine) > cases[k].low && log2(coarse / fine) < cases[k].high);
  }
}

// ------------------------------------------------------------------------------------------ mistakes

static void refused(const char *force, const char *says) {
  char text[1000];
  fly_mechanism *m = NULL;
  fly_error error = {0};
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1], position: [1, "
           "0, 0]}\n  o: {type: point, mass: 1}\nforces: {f: {type: exact-beam, from: a, %s}}\n",
           force);
  const fly_status status = fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error);
  say("%s\n", error.message);
  assert_int_equal(status, FLY_BAD_INPUT);
  assert_says(&error, says);
}

static void mistakes_are_told(void **state) {
  refused("to: b", "it needs `youngs_modulus`, `shear_modulus` and a section");
  refused("to: b, youngs_modulus: 1, shear_modulus: 1", "none is given");
  refused("to: b, youngs_modulus: 1, shear_modulus: 1, circle: 1, rectangle: [1, 1]", "more than one is given");
  refused("to: b, youngs_modulus: 1, shear_modulus: 1, tube: [1, 2]", "outer diameter and then the inner one");
  refused("to: b, rigidities: [1, 0, 0, 0, 1, 1]", "number 4 is 0");
  refused("to: o, rigidities: [1, 0, 0, 1, 1, 1]", "cannot turn");
  refused("to: ground, rigidities: [1, 0, 0, 1, 1, 1]", "coincide");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_moment_rolls_it_up),
      cmocka_unit_test(a_bend_of_45_degrees),
      cmocka_unit_test(the_princeton_beam),
      cmocka_unit_test(a_cable_hangs_as_a_catenary),
      cmocka_unit_test(it_vibrates),
      cmocka_unit_test(a_pull_stiffens_it),
      cmocka_unit_test(spin_up),
      cmocka_unit_test(a_free_one_keeps_its_momenta),
      cmocka_unit_test(methods_have_their_orders),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
