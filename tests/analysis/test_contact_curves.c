// Curves that touch in a plane, in models: elastic blows between random pairs keep energy and momentum, the ledger
// being the judge; a roller on a cam follows its profile; what bad curves are told.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/simulation.h"
#include "base/check.h"

// A star of five points whose tips are round, and a triangle.
static const char *const SHAPE[][2] = {
    {"{type: circle, radius: 0.4}", "{type: circle, radius: 0.3}"},
    {"{type: segment, length: 1.5, at: [0.2, 0, 0]}", "{type: circle, radius: 0.3}"},
    {"{type: arc, radius: 0.6, from: -2, to: 1}", "{type: circle, radius: 0.2}"},
    {"{type: polyline, points: [[0.6, 0], [-0.3, 0.5], [-0.3, -0.5], [0.6, 0]]}", "{type: circle, radius: 0.3}"},
    {"{type: cam, radii: [0.6, 0.45, 0.4, 0.5, 0.4, 0.45]}", "{type: circle, radius: 0.3}"},
    {"{type: spline, points: [[0.6, 0], [0, 0.4], [-0.6, 0], [0, -0.3]]}", "{type: segment, length: 0.8}"},
    {"{type: cam, radii: [0.6, 0.45, 0.4, 0.5, 0.4, 0.45]}",
     "{type: polyline, points: [[-0.4, 0.3], [0, 0], [0.4, 0.2]]}"},
    {"{type: arc, radius: 0.6, from: -1.2, to: 1.2}", "{type: segment, length: 0.8}"},
};
enum { PAIRS = sizeof SHAPE / sizeof *SHAPE, EACH = 4 };

static int kept = 0, struck = 0;

// The second comes from `angle` past the middle of the first, both turning.
static void collide(const char *const shape[2], uint64_t *seed) {
  char text[2000];
  const double angle = 3.1 * random_double(seed), speed = 3;
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n"
           "  a: {type: planar, mass: 1, inertia: 0.1, shapes: [%s], angular_velocity: %g}\n"
           "  b: {type: planar, mass: 0.7, inertia: 0.05, position: [%.6f, %.6f], angle: %g, velocity: [%.6f, %.6f], "
           "angular_velocity: %g, shapes: [%s]}\n"
           "contacts:\n  c: {bodies: [a, b], stiffness: 1e6}\nsimulate: {end: 1, output: 0.1}\n",
           shape[0], random_double(seed), 1.7 * cos(angle), 1.7 * sin(angle), random_double(seed), -speed * cos(angle),
           -speed * sin(angle) + 0.3 * random_double(seed), random_double(seed), shape[1]);
  simulation s = {.options = fly_run_options_default()};
  s.options.method.name = "radau";
  s.options.error = 1e-5;
  simulate_text(&s, text);
  if (s.status)
    print_message("%s\n%s", s.error.message, text);
  assert_int_equal(s.status, FLY_OK);
  const fly_ledger l = fly_run_ledger(s.run);
  simulation_free(&s);
  const double before = l.start_kinetic, after = l.kinetic + l.contacts;
  if (after > before * (1 + 1e-4) || l.worst > 1e-3 * l.moved)
    print_message("%g became %g, worst %g\n%s", before, after, l.worst, text);
  assert_true(after <= before * (1 + 1e-4));
  kept += after >= before * (1 - 1e-3);
  struck += fabs(l.worst) < 1e-3 * l.moved;
}

static void elastic_blows_make_no_energy(void **state) {
  uint64_t seed = 3;
  for (int n = 0; n < PAIRS * EACH; n++)
    collide(SHAPE[n % PAIRS], &seed);
  assert_true(kept >= PAIRS * EACH - 2 && struck >= PAIRS * EACH - 2);
}

// ------------------------------------------------------------------------------------------ a cam

enum { ROWS = 21 };
static double high[ROWS], turned[ROWS];
static int rows;

static void keep(const double *row, void *user) {
  (void)user;
  if (rows < ROWS) {
    high[rows] = row[1];
    turned[rows++] = row[2];
  }
}

// Of a disc whose middle is e beside the shaft, as a table of radii, the middle of a roller right above the shaft is
// e sin(turn) + sqrt((r + R)^2 - e^2 cos(turn)^2) high.
static void a_roller_follows_the_profile(void **state) {
  enum { N = 48 };
  const double r = 0.03, e = 0.01, R = 0.008;
  char text[4000], radii[2000] = "";
  for (int k = 0; k < N; k++) {
    const double a = 2 * acos(-1) * k / N;
    sprintf(radii + strlen(radii), "%s%.9f", k ? ", " : "", e * cos(a) + sqrt(r * r - e * e * sin(a) * sin(a)));
  }
  snprintf(
      text, sizeof text,
      "flyball: 1\nbodies:\n  ground: {markers: {top: [0, 0.1, 0]}}\n"
      "  cam: {type: planar, mass: 1, inertia: 1e-3, shapes: [{type: cam, radii: [%s]}]}\n"
      "  roller: {type: planar, mass: 0.1, inertia: 1e-5, position: [0, %.12f], shapes: [{type: circle, radius: %g}]}\n"
      "joints:\n  shaft: {type: revolute, bodies: [ground, cam], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  guide: {type: translational, bodies: [ground, roller], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "motions:\n  drive: {joint: shaft, angle: 6*time}\n"
      "forces:\n  spring: {type: spring, from: roller, to: ground.top, stiffness: 1000, free_length: 0.1}\n"
      "contacts:\n  c: {bodies: [cam, roller], stiffness: 1e10, damping: 10}\n"
      "outputs: {high: dy(roller), turned: shaft.angle}\nsimulate: {end: 1, output: 0.05}\n",
      radii, sqrt((r + R) * (r + R) - e * e), R);
  simulation s = {.options = fly_run_options_default()};
  s.options.channels = "outputs";
  s.options.row = keep;
  rows = 0;
  simulate_text(&s, text);
  if (s.status)
    print_message("%s\n", s.error.message);
  assert_int_equal(s.status, FLY_OK);
  simulation_free(&s);
  assert_int_equal(rows, ROWS);
  for (int k = 2; k < ROWS; k++) {
    const double c = e * cos(turned[k]);
    assert_near(high[k], e * sin(turned[k]) + sqrt((r + R) * (r + R) - c * c), 1e-5);
  }
}

// ------------------------------------------------------------------------------------------ bad input

static void refuse(const char *a, const char *b, const char *more, const char *says) {
  char text[3000];
  fly_error error = {0};
  fly_mechanism *m = NULL;
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], shapes: [%s]}\n"
           "  b: {mass: 1, inertia: [1, 1, 1], position: [3, 0, 0], shapes: [%s]}\ncontacts:\n"
           "  c: {bodies: [a, b], %s}\n",
           a, b, more);
  const fly_status status = fly_mechanism_parse(&m, "bad.yaml", text, strlen(text), 0, NULL, &error);
  fly_mechanism_free(m);
  assert_int_equal(status, FLY_BAD_INPUT);
  if (!strstr(error.message, says) || !strstr(error.message, "bad.yaml:"))
    fail_msg("%s\ndoes not say: %s", error.message, says);
}

static void bad_curves_are_told_why(void **state) {
  const char *good = "stiffness: 1e6", *circle = "{type: circle, radius: 1}";
  refuse("{type: circle, radius: 0}", circle, good, "no circle can have the radius 0");
  refuse("{type: circle}", circle, good, "'radius' of this circle is missing");
  refuse("{type: arc, radius: 1, from: 1, to: 0}", circle, good, "within one turn");
  refuse("{type: polyline, points: [[0, 0, 0], [1, 1, 1]]}", circle, good, "a list of points [x, y]");
  refuse("{type: polyline, points: [[0, 0], [0, 0]]}", circle, good,
         "point 1 of this polyline is at the place of the next");
  refuse("{type: spline, points: [[0, 0], [1, 1], [1, 0], [0, 1]]}", circle, good, "crosses itself");
  refuse("{type: spline, points: [[0, 0], [1, 1]]}", circle, good, "at least 3");
  refuse("{type: cam, radii: [1, -1, 1, 1]}", circle, good, "no cam can have the radii -1");
  refuse("{type: cam, radii: [1, 1, 1, 1]}", "{type: cam, radii: [1, 1, 1, 1]}", good,
         "not known how the cam of `a` and the cam of `b` touch");
  refuse("{type: sphere, radius: 1}", circle, good, "not known how the sphere of `a` and the circle of `b` touch");
  refuse("{type: circle, radius: 1, at: [0, 0, 0.1]}", circle, good, "lie in planes 100 mm apart");
  refuse("{type: circle, radius: 1, orientation: {axis: [1, 0, 0], angle: 10*deg}}", circle, good,
         "at 10 deg to each other");
  refuse(circle, circle, "law: hertz, young: [1e9, 1e9]", "curves in a plane have no width");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(elastic_blows_make_no_energy),
                                     cmocka_unit_test(a_roller_follows_the_profile),
                                     cmocka_unit_test(bad_curves_are_told_why)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
