// Models whose forces jump at places written in expressions, and light bodies that pass a singular position: the error
// asked for is kept, by every formulation, in a number of steps that hardly depends on it.
#define _POSIX_C_SOURCE 200809L
#include "analysis/simulation.h"
#include "base/check.h"

// ---------------------------------------------------------------------------------------------- a cart and sign(x)

static const char cart[] =
    "flyball: 1\n"
    "bodies:\n  cart: {type: planar, mass: 1, inertia: 0.1, position: [1, 0], velocity: [-2.3, 0]}\n"
    "joints:\n  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n  pull: {type: force, at: cart, force: ['-3*sign(dx(cart))', 0, 0]}\n"
    "outputs:\n  x: dx(cart)\n"
    "simulate: {end: 5, output: 0.05, channels: outputs, error: %g, method: %s, formulation: %s}\n";

// From x = 1, v = -2.3 under -3 sign(x): parabolas of half a period 2 c/3 between crossings at speed c.
static double pulled(double t) {
  const double c = sqrt(2.3 * 2.3 + 2 * 3), first = (c - 2.3) / 3, half = 2 * c / 3;
  if (t < first)
    return 1 - 2.3 * t - 1.5 * t * t;
  const double since = t - first;
  const long crossings = (long)(since / half);
  const double u = since - (double)crossings * half;
  return (crossings % 2 ? 1 : -1) * (c * u - 1.5 * u * u);
}

static void see_cart(const double *row, void *user) {
  double *worst = user;
  *worst = fmax(*worst, fabs(row[1] - pulled(row[0])));
}

static void a_force_that_jumps(void **state) {
  static const char *const how[][2] = {{"ch", "ggl"}, {"ch", "index3"}, {"hht", "ggl"}, {"hht", "index3"}};
  for (int k = 0; k < 4; k++)
    for (double error = 1e-3; error > 1e-8; error *= 1e-2) {
      char text[1000];
      double worst = 0;
      simulation run = {.options = fly_run_options_default()};
      run.options.row = see_cart;
      run.options.user = &worst;
      snprintf(text, sizeof text, cart, error, how[k][0], how[k][1]);
      simulate_text(&run, text);
      assert_ok(run.status, &run.error);
      print_message("%s %s, error %.0e: %.2f of it\n", how[k][0], how[k][1], error, worst / error);
      assert_true(worst < 8 * error);
      simulation_free(&run);
    }
}

// ---------------------------------------------------------------------------------------------- light bodies

// A cart of 1e-6 kg with 1 kg hanging from it, let go at the side: it shoots through in a microsecond.
static const char light_cart[] =
    "flyball: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {L: 0.5, a: 1.2}\n"
    "bodies:\n  cart: {type: planar, mass: 1e-6, inertia: 1e-8}\n"
    "  pole: {type: planar, mass: 1, inertia: 1e-8, position: [L*sin(a), -L*cos(a)], angle: a, markers: {top: [0, "
    "L]}}\n"
    "joints:\n  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  pin: {type: revolute, from: cart, to: pole.top}\n"
    "outputs:\n  energy: 0.5*vm(pole)^2 + 9.81*dy(pole) + 5e-7*vm(cart)^2 + 5e-9*wz(pole)^2\n"
    "simulate: {end: 0.5, output: 0.01, channels: outputs, error: 1e-4}\n";

// Two bars with a link of 1e-6 kg between them.
static const char light_link[] =
    "flyball: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {I: 1.4e-7, ta: -0.814, tb: 2.67, tc: 2.41}\n"
    "bodies:\n"
    "  a: {type: planar, mass: 1, inertia: I, position: [0.4*cos(ta), 0.4*sin(ta)], angle: ta, markers: {p: [-0.4, 0], "
    "q: [0.4, 0]}}\n"
    "  b: {type: planar, mass: 7.7e-6, inertia: 1.6e-7, position: [0.8*cos(ta) + 0.25*cos(tb), 0.8*sin(ta) + "
    "0.25*sin(tb)], angle: tb, markers: {p: [-0.25, 0], q: [0.25, 0]}}\n"
    "  c: {type: planar, mass: 1, inertia: I, position: [0.8*cos(ta) + 0.5*cos(tb) + 0.4*cos(tc), 0.8*sin(ta) + "
    "0.5*sin(tb) + 0.4*sin(tc)], angle: tc, markers: {p: [-0.4, 0]}}\n"
    "joints:\n  j0: {type: revolute, from: ground, to: a.p}\n  j1: {type: revolute, from: a.q, to: b.p}\n"
    "  j2: {type: revolute, from: b.q, to: c.p}\n"
    "outputs:\n  energy: 0.5*vm(a)^2 + 0.5*vm(c)^2 + 9.81*(dy(a) + dy(c)) + 7e-8*(wz(a)^2 + wz(c)^2) + "
    "3.85e-6*vm(b)^2 + 8e-8*wz(b)^2 + 7.55e-5*dy(b)\n"
    "simulate: {end: 0.7, output: 0.01, channels: outputs, error: 3e-5}\n";

typedef struct ledger {
  long rows;
  double start, worst;
} ledger;

static void see_energy(const double *row, void *user) {
  ledger *l = user;
  if (l->rows++ == 0)
    l->start = row[1];
  l->worst = fmax(l->worst, fabs(row[1] - l->start));
}

static void light_bodies_pass(void **state) {
  static const char *const model[] = {light_cart, light_link};
  for (int k = 0; k < 2; k++) {
    ledger l = {0};
    simulation run = {.options = fly_run_options_default()};
    run.options.row = see_energy;
    run.options.user = &l;
    simulate_text(&run, model[k]);
    assert_ok(run.status, &run.error);
    print_message("%ld rows, energy off by %.1e J\n", l.rows, l.worst);
    assert_true(l.worst < 1e-2);
    simulation_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_force_that_jumps), cmocka_unit_test(light_bodies_pass)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
