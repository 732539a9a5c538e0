// A beam that deforms by modes: derivatives, power and energy as of every body, then closed forms of beams.
// labels: valgrind
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "system/neighbours.h"

#include "analysis/rest.h"
#include "flyball/modes.h"

#define BEAM_THAT(stiffens)                                                                                            \
  "flyball: 1\nbodies:\n"                                                                                              \
  "  t: {type: flexible-beam, length: 0.8, density: 2000, youngs_modulus: 300, shear_modulus: 200, area: 2e-3,\n"      \
  "    moments: [3e-4, 2e-4, 4e-4], bends: [2, 3], twists: 2, deformed: [0.02, 0.01, -0.02, 0.01, 0.03, 0.02, 0.01, "  \
  "0.02],\n    stiffening: " stiffens ",\n"                                                                            \
  "    position: [0.4, 0, 0.1], orientation: {axis: [1, 2, 3], angle: 0.7},\n"                                         \
  "    markers: {base: {at: [0.1, 0.2, 0.1], axis: [2, -1, 2]}, end: {at: [0.8, 0.1, 0], axis: [1, 1, "                \
  "2]}}}\n" NEIGHBOURS

#define BEAM BEAM_THAT("off")
#define STIFF BEAM_THAT("on")

static void alone(void **state) {
  check_text("alone", BEAM GRAVITY, CONSERVATIVE);
  check_text("alone, stiffening", STIFF GRAVITY, CONSERVATIVE);
}

static void with_forces(void **state) {
  check_text("spring",
             BEAM "forces:\n  s: {type: spring, from: t.end, to: b.m, stiffness: 30}\n"
                  "  g: {type: spring, from: p.m, to: t.end, stiffness: 5}\n",
             CONSERVATIVE);
  check_text("damped",
             BEAM GRAVITY
             "forces:\n"
             "  m: {type: bushing, from: t.base, to: b.m, stiffness: [3, 4, 5, 1, 2, 3], damping: [1, 1, "
             "1, 0.1, 0.2, 0.3]}\n"
             "  f: {type: force, at: t.end, against: b.m, axes: t.base, force: ['3*dx(t.end, b.m, t.base)', "
             "'-vy(t.end)', 1], torque: [0.1, 'az(t.end, b)', 0]}\n",
             0);
  check_text("stiffening", STIFF "forces:\n  s: {type: spring, from: t.end, to: b.m, stiffness: 30}\n", CONSERVATIVE);
}

static void with_joints(void **state) {
  check_text("loop",
             BEAM GRAVITY "joints:\n  j: {type: revolute, from: ground.m, to: t.base}\n"
                          "  k: {type: spherical, from: t.end, to: b.m}\n",
             CONSERVATIVE_ON_CONSTRAINTS);
  check_text("others",
             BEAM "joints:\n  k: {type: translational, from: b.m, to: t.end}\n"
                  "  d: {type: distance, from: t.base, to: p.m}\n",
             CONSERVATIVE_ON_CONSTRAINTS);
  check_text("loop that stiffens",
             STIFF GRAVITY "joints:\n  j: {type: revolute, from: ground.m, to: t.base}\n"
                           "  k: {type: spherical, from: t.end, to: b.m}\n",
             CONSERVATIVE_ON_CONSTRAINTS);
}

// ------------------------------------------------------------------------------------------ closed forms

// Steel, 1 m long, 20 mm x 10 mm: Iy = 10 20^3/12 mm^4 for bending along z, Iz for bending along y.
#define STEEL                                                                                                          \
  "type: flexible-beam, length: 1, density: 7850, youngs_modulus: 2.1e11, shear_modulus: 8e10, area: 2e-4, "           \
  "moments: [6.6667e-9, 1.6667e-9, 4.5e-9]"
static const double EIY = 2.1e11 * 6.6667e-9, EIZ = 2.1e11 * 1.6667e-9, RHO_A = 7850 * 2e-4;

static fly_modes *modes_of(const char *text, fly_mechanism **m) {
  fly_modes *modes = NULL;
  fly_error error = {0};
  const fly_modes_options o = fly_modes_options_default();
  assert_ok(fly_mechanism_parse(m, "text", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_modes_create(&modes, *m, &o, &error), &error);
  return modes;
}

static void assert_frequency(const fly_modes *modes, double hertz, double relative) {
  double nearest = INFINITY;
  for (int k = 0; k < fly_modes_count(modes); k++) {
    const double f = fly_modes_get(modes, k)->natural;
    nearest = fabs(f - hertz) < fabs(nearest - hertz) ? f : nearest;
  }
  say("%.8g Hz, in theory %.8g\n", nearest, hertz);
  assert_near(nearest / hertz, 1, relative);
}

// b^2 sqrt(EI/(rho A))/L^2; rotary inertia, which the closed forms leave out, is felt in the fourth digit.
static void a_clamped_beam_vibrates(void **state) {
  fly_mechanism *m = NULL;
  fly_modes *modes = modes_of("flyball: 1\nbodies: {t: {" STEEL ", bends: [6, 6], stretches: 8, twists: 8}}\n"
                              "joints: {j: {type: fixed, bodies: [ground, t], at: [0, 0, 0]}}\n",
                              &m);
  const double turn = 6.28318530717958648, b[2] = {1.87510406871196, 4.69409113297418};
  for (int k = 0; k < 2; k++) {
    assert_frequency(modes, b[k] * b[k] * sqrt(EIZ / RHO_A) / turn, k == 0 ? 1e-4 : 5e-4);
    assert_frequency(modes, b[k] * b[k] * sqrt(EIY / RHO_A) / turn, k == 0 ? 2e-4 : 2e-3);
    assert_frequency(modes, (k + 0.5) / 2 * sqrt(2.1e11 / 7850), 1e-6);
    assert_frequency(modes, (k + 0.5) / 2 * sqrt(8e10 * 4.5e-9 / (7850 * 8.3334e-9)), 1e-6);
  }
  fly_modes_free(modes);
  fly_mechanism_free(m);
}

static void a_free_beam_vibrates(void **state) {
  fly_mechanism *m = NULL;
  fly_modes *modes = modes_of("flyball: 1\nbodies: {t: {" STEEL ", bends: [7, 7]}}\n", &m);
  const double b = 4.73004074486270, turn = 6.28318530717958648;
  assert_frequency(modes, b * b * sqrt(EIZ / RHO_A) / turn, 3e-4);
  assert_frequency(modes, b * b * sqrt(EIY / RHO_A) / turn, 1e-3);
  fly_modes_free(modes);
  fly_mechanism_free(m);
}

// A light point at the end of the beam, to see where that is.
static rest hung(const char *bodies, const char *rest_of_it) {
  char text[2000];
  snprintf(text, sizeof text, "flyball: 1\nbodies:\n%s  probe: {type: point, mass: 1e-9, position: [1, 0, 0]}\n%s",
           bodies, rest_of_it);
  return find(text, "newton", 0, NULL);
}

// F L^3/3 EI + T L^2/2 EI; w L^4/8 EI
static void it_hangs_as_it_should(void **state) {
  static const char joints[] = "joints:\n  j: {type: fixed, bodies: [ground, t], at: [0, 0, 0]}\n"
                               "  e: {type: spherical, from: t.end, to: probe}\n";
  char more[1000];
  snprintf(more, sizeof more,
           "%sforces: {f: {type: force, at: t.end, force: [0, 0.02, -0.03], torque: [0, 0.04, 0.05]}}\n", joints);
  rest r = hung("  t: {" STEEL ", markers: {end: [1, 0, 0]}}\n", more);
  assert_found(&r, FLY_POISE_STABLE);
  assert_near(value(&r, "probe", "y") / (0.02 / (3 * EIZ) + 0.05 / (2 * EIZ)), 1, 1e-6);
  assert_near(value(&r, "probe", "z") / (-0.03 / (3 * EIY) - 0.04 / (2 * EIY)), 1, 1e-6);
  done(&r);
  snprintf(more, sizeof more, "%sgravity: [0, -9.81e-3, 0]\n", joints);
  r = hung("  t: {" STEEL ", markers: {end: [1, 0, 0]}}\n", more);
  assert_near(value(&r, "probe", "y") / (-RHO_A * 9.81e-3 / (8 * EIZ)), 1, 1e-6);
  assert_near(value(&r, "j", "fy"), RHO_A * 9.81e-3, 1e-9);
  assert_near(value(&r, "j", "tz"), RHO_A * 9.81e-3 / 2, 1e-8);
  done(&r);
}

#define HALF                                                                                                           \
  "type: flexible-beam, length: 0.5, density: 7850, youngs_modulus: 2.1e11, shear_modulus: 8e10, area: 2e-4, "         \
  "moments: [6.6667e-9, 1.6667e-9, 4.5e-9], markers: {end: [0.5, 0, 0]}"

// Two halves that are joined carry a load as the whole does.
static void halves_make_a_whole(void **state) {
  rest r =
      hung("  a: {" HALF "}\n  b: {" HALF ", position: [0.5, 0, 0]}\n",
           "joints:\n  j: {type: fixed, bodies: [ground, a], at: [0, 0, 0]}\n  k: {type: fixed, from: a.end, to: b}\n"
           "  e: {type: spherical, from: b.end, to: probe}\n"
           "forces: {f: {type: force, at: b.end, force: [0, 0.02, 0]}}\n");
  assert_near(value(&r, "probe", "y") / (0.02 / (3 * EIZ)), 1, 1e-6);
  done(&r);
}

// A pendulum of it and one of a rigid rod of the same mass and inertia: they differ by what bends, and that falls with
// 1/E.
static double pendulum(const char *text) {
  simulation s = simulation_default(0.5, NAN);
  s.options.error = 1e-7;
  s.options.method.name = "radau";
  fly_result *r = simulate_into_folder(&s, text);
  double *y = read_channel(r, "y"), last = y[fly_result_info_of(r)->rows - 1];
  free(y);
  fly_result_close(r);
  simulation_free(&s);
  return last;
}

#define SWINGS(E)                                                                                                      \
  "flyball: 1\ngravity: [0.3, -9.81, 0.5]\nbodies:\n"                                                                  \
  "  t: {type: flexible-beam, length: 1, density: 1000, youngs_modulus: " E ", shear_modulus: " E                      \
  ", area: 1e-3, moments: [1e-6, 2e-6, 3e-6], bends: [2, 2], markers: {end: [1, 0, 0]}}\n"                             \
  "joints: {j: {type: spherical, bodies: [ground, t], at: [0, 0, 0]}}\noutputs: {y: dy(t.end)}\n"

static void a_stiff_one_is_rigid(void **state) {
  const double rigid = pendulum("flyball: 1\ngravity: [0.3, -9.81, 0.5]\nbodies:\n"
                                "  t: {mass: 1, inertia: [3e-3, 1/12+1e-3, 1/12+2e-3], center: [0.5, 0, 0], "
                                "markers: {end: [1, 0, 0]}}\n"
                                "joints: {j: {type: spherical, bodies: [ground, t], at: [0, 0, 0]}}\n"
                                "outputs: {y: dy(t.end)}\n");
  const double soft = fabs(pendulum(SWINGS("1e9")) - rigid), stiff = fabs(pendulum(SWINGS("1e11")) - rigid);
  say("rigid %.9g, off by %.2e and %.2e\n", rigid, soft, stiff);
  assert_at_most(soft, 2e-3);
  assert_at_most(stiff, 3e-5);
  assert_true(soft > 1e-5);
}

// Along y while it turns about z at W: M eta'' = -(K - M W^2) eta; without the stiffening that a theory of second order
// would add.
static void a_turning_one_is_softer(void **state) {
  simulation s = simulation_default(0.2, NAN);
  s.options.error = 1e-8;
  s.options.method.name = "radau";
  fly_result *r = simulate_into_folder(&s, "flyball: 1\nbodies:\n  t: {" STEEL ", bends: [1, 0], stretches: 0, twists: "
                                           "0, deformed: [1e-3], angular_velocity: [0, 0, 30]}\n"
                                           "joints: {j: {type: revolute, bodies: [ground, t], at: [0, 0, 0], axis: [0, "
                                           "0, 1]}}\nmotions: {m: {joint: j, angle: 30*time}}\n");
  double *mode = read_channel(r, "t.mode1"), *time = read_channel(r, "time");
  // one shape, xi^2: K = 4 EI, M = rho A/5 + 4 rho I/3
  const double w = sqrt(4 * EIZ / (RHO_A / 5 + 7850 * 1.6667e-9 * 4 / 3) -
                        900 * (RHO_A / 5) / (RHO_A / 5 + 7850 * 1.6667e-9 * 4 / 3));
  for (int k = 0; k < fly_result_info_of(r)->rows; k += 20)
    assert_near(mode[k], 1e-3 * cos(w * time[k]), 2e-8);
  free(mode);
  free(time);
  fly_result_close(r);
  simulation_free(&s);
}

// ------------------------------------------------------------------------------------------ errors

static double length_of(const double *J, int columns, int column, int first) {
  double sum = 0;
  for (int i = first; i < first + 3; i++)
    sum += J[columns * i + column] * J[columns * i + column];
  return sqrt(sum);
}

// A unit error of any of its coordinates moves no marker by more than the size of the model, and turns none by more
// than a radian; and one that bends it does nearly so much to its end.
static void units_are_those_of_points(void **state) {
  machine *m =
      machine_text("flyball: 1\nbodies:\n  t: {" STEEL ", bends: [5, 4], stretches: 2, twists: 2,\n    markers: "
                   "{near: [0.2, 0, 0]}}\n  probe: {type: point, mass: 1, position: [0.1, 0, 0]}\n");
  fly_error error = {0};
  double *J = calloc(6 * 19, sizeof *J);
  const fly_body *b = &m->model.body[0];
  const fly_model_marker *near = &m->model.marker[0];
  assert_ok(fly_system_create(&m->system, &m->model, 0, NULL, &error), &error);
  assert_int_equal(b->columns, 19);
  assert_near(m->model.size, 0.2, 1e-15);
  char kept[2000];
  for (int k = 0; k <= 20; k++) {
    double offset[3];
    fly_marker at = near->m;
    at.s[0] = 0.05 * k;
    b->type->attach(kept, offset, &at, &b->own);
    at.own = kept;
    b->type->frames->jacobian(J, b->q0, &at, &b->own);
    for (int c = 0; c < b->columns; c++) {
      const double moves = length_of(J, 19, c, 0) * m->system.scale[c] / m->model.size;
      const double turns = length_of(J, 19, c, 3) * m->system.scale[c];
      assert_at_most(fmax(moves, turns), 1.01); // between the points that are looked at
      if (k == 20 && c >= 6 && c < 15)
        assert_at_least(fmax(moves, turns), 0.9); // of all that bends it, at its end
    }
  }
  free(J);
  machine_free(m);
}

static double *turn_of_end(double error, double *told) {
  simulation s = simulation_default(0.02, NAN);
  s.options.error = error;
  s.options.output = 1e-3;
  s.options.method.name = "radau";
  s.options.channels = "markers";
  fly_result *r = simulate_into_folder(&s, "flyball: 1\nbodies:\n  t: {" STEEL
                                           ", bends: [4, 0], stretches: 0, twists: 0, deformed: "
                                           "[0, 0, 1e-2, 0],\n    markers: {end: [1, 0, 0]}}\n"
                                           "joints: {j: {type: fixed, bodies: [ground, t], at: [0, 0, 0]}}\n");
  double *e3 = read_channel(r, "t.end.e3");
  *told = fly_promise_tell(fly_run_promise(s.run)).error;
  assert_int_equal(fly_result_info_of(r)->rows, 21);
  fly_result_close(r);
  simulation_free(&s);
  return e3;
}

// The third mode turns the end of a clamped beam by 7.85 rad for every length of the beam: what is told of the error is
// that, not the mode's own.
static void the_error_of_a_mode_is_that_of_its_turn(void **state) {
  double told, other, off = 0;
  double *run = turn_of_end(1e-4, &told), *truth = turn_of_end(1e-9, &other);
  for (int k = 0; k <= 20; k++)
    off = fmax(off, 2 * fabs(run[k] - truth[k]));
  say("off by %.2e, told %.2e\n", off, told);
  assert_at_most(off, 1e-4);
  assert_between(told / off, 0.5, 2);
  free(run);
  free(truth);
}

static void refused(const char *keys, const char *says) {
  char text[1000];
  fly_mechanism *m = NULL;
  fly_error error = {0};
  snprintf(text, sizeof text, "flyball: 1\nbodies: {t: {" STEEL ", %s}}\n", keys);
  assert_int_equal(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), FLY_BAD_INPUT);
  if (strstr(error.message, says) == NULL)
    fail_msg("'%s' does not say '%s'", error.message, says);
}

static void nonsense_is_refused(void **state) {
  refused("bends: [0, 0], stretches: 0, twists: 0", "a rigid body is of type `rigid`");
  refused("bends: [13, 0]", "whole numbers up to 12");
  refused("bends: [1.5, 0]", "whole numbers up to 12");
  refused("deformed: [1, 2]", "a number for each of its 8 modes");
  refused("bends: [-1, 0]", "bends");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alone),
      cmocka_unit_test(with_forces),
      cmocka_unit_test(with_joints),
      cmocka_unit_test(a_clamped_beam_vibrates),
      cmocka_unit_test(a_free_beam_vibrates),
      cmocka_unit_test(it_hangs_as_it_should),
      cmocka_unit_test(halves_make_a_whole),
      cmocka_unit_test(a_stiff_one_is_rigid),
      cmocka_unit_test(a_turning_one_is_softer),
      cmocka_unit_test(units_are_those_of_points),
      cmocka_unit_test(the_error_of_a_mode_is_that_of_its_turn),
      cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
