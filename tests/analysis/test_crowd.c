// Many contacts that begin and end all the time: balls on springs that only push, each with its own height, so that
// every flight and every push is closed. Steps end at none of them, and the motion is right all the same.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>

#include "analysis/simulation.h"
#include "base/check.h"

enum { BALLS = 30 };
static const double G = 10, K = 400, END = 2; // of unit mass

static const char *const model =
    "flyball: 1\n"
    "name: crowd\n"
    "gravity: [0, 0, -10]\n"
    "bodies:\n"
    "  ground: {shapes: [{type: plane, width: 1}, {type: plane, width: 1, at: [0, 0, 5]}]}\n"
    "repeat:\n"
    "  balls:\n"
    "    count: 30\n"
    "    bodies:\n"
    "      ball$i: {mass: 1, inertia: [1, 1, 1], position: [i, 0, 0.5 + 0.02*i], shapes: [{type: sphere, radius: "
    "0.1}]}\n"
    "    contacts:\n"
    "      floor$i: {bodies: [ball$i, ground], shapes: [0, 1], law: linear, stiffness: 400}\n"
    "    outputs: {z$i: dz(ball$i) - 0.1}\n";

// Height above the spring at t, from rest at z: flights of a parabola, and pushes of a cosine about -g/k.
static double height(double z, double t) {
  const double flies = sqrt(2 * z / G), w = sqrt(K), v = G * flies, a = hypot(G / K, v / w),
               angle = atan2(v / w, G / K);
  const double pushes = 2 * (acos(-1) - angle) / w, round = fmod(t + flies, 2 * flies + pushes);
  if (round < 2 * flies)
    return z - G / 2 * (round - flies) * (round - flies);
  return -G / K + a * cos(angle + w * (round - 2 * flies));
}

typedef struct rows {
  int step;
  double worst;
} rows;

static void keep(const double *row, void *user) {
  rows *r = user;
  for (int i = 1; i <= BALLS; i++)
    r->worst = fmax(r->worst, fabs(row[i] - height(0.4 + 0.02 * i, row[0])));
}

static void check_method(const char *method) {
  rows r = {0};
  simulation s = {.options = fly_run_options_default()};
  s.options.method.name = method;
  s.options.error = 1e-2;
  s.options.end = END;
  s.options.output = 0.05;
  s.options.channels = "outputs";
  s.options.row = keep;
  s.options.user = &r;
  simulate_text(&s, model);
  assert_int_equal(s.status, FLY_OK);
  const fly_stats stats = fly_run_stats(s.run);
  print_message("%s: %ld steps, %ld changes located, error %.2e\n", method, stats.steps, stats.relations, r.worst);
  assert_true(r.worst < 3e-2); // of a model of 30 m: 1e-3 of it
  assert_true((double)stats.relations < 0.1 * (double)stats.steps);
  simulation_free(&s);
}

static void steps_do_not_end_at_every_contact(void **state) {
  (void)state;
  check_method("ch");
  check_method("hht");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_do_not_end_at_every_contact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
