// The hybrid algorithm where masses differ by orders of magnitude: a point mass hangs by a rod from a light cart on a
// rail. Errors of constraints, fed back, move what is light, whichever coordinates were called dependent.
#include <stdlib.h>
#include <string.h>

#include "flyball/ode.h"
#include "support/motion.h"

// Positions: x of the cart, x and y of the mass.
typedef struct cart {
  double cart, mass, length, gravity; // [kg], [kg], [m], [m/s^2]
} cart;

static int mass(double *M, double t, const double *q, void *user) {
  const cart *c = user;
  M[0] = c->cart;
  M[1] = M[2] = c->mass;
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  const cart *c = user;
  f[2] = -c->mass * c->gravity;
  return 0;
}

static int constraint(double *g, double t, const double *q, void *user) {
  const cart *c = user;
  const double d = q[1] - q[0];
  g[0] = d * d + q[2] * q[2] - c->length * c->length;
  return 0;
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  G[1] = 2 * (q[1] - q[0]);
  G[0] = -G[1];
  G[2] = 2 * q[2];
  return 0;
}

static int constraint_rate(double *gt, double t, const double *q, void *user) { return 0; }

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  const double d = v[1] - v[0];
  gamma[0] = 2 * (d * d + v[2] * v[2]);
  return 0;
}

static fly_dae_problem problem_with(cart *c) {
  static const int each[] = {0, 1, 2, 3}, number[] = {0, 1, 2}, none[] = {0, 0, 0, 0, 0}, zero[] = {0, 0, 0};
  return (fly_dae_problem){.nq = 3,
                           .nv = 3,
                           .ng = 1,
                           .mass_pattern = {each, number},
                           .constraint_pattern = {each, zero},
                           .jacobian_pattern = {none, zero},
                           .mass_constant = true,
                           .mass = mass,
                           .force = force,
                           .constraint = constraint,
                           .constraint_jacobian = constraint_jacobian,
                           .constraint_rate = constraint_rate,
                           .constraint_gamma = constraint_gamma,
                           .user = c};
}

// From rest the mass centre keeps its x, so one angle is left: with mu = mass/(cart + mass)
//   A a'' + mu sin a cos a a'^2 + (g/l) sin a = 0,  A = sin^2 a + (1 - mu) cos^2 a
static int swing(double *f, double t, const double *y, void *user) {
  const cart *c = user;
  const double mu = c->mass / (c->cart + c->mass), sine = sin(y[0]), cosine = cos(y[0]);
  f[0] = y[1];
  f[1] = -sine * (mu * cosine * y[1] * y[1] + c->gravity / c->length) / (sine * sine + (1 - mu) * cosine * cosine);
  return 0;
}

static double distance(const cart *c, const double *q, double angle0, double angle) {
  const double mu = c->mass / (c->cart + c->mass), x = mu * c->length * (sin(angle0) - sin(angle));
  const double truth[] = {x, x + c->length * sin(angle), -c->length * cos(angle)};
  double largest = 0;
  for (int i = 0; i < 3; i++)
    largest = fmax(largest, fabs(q[i] - truth[i]));
  return largest;
}

// Largest error of the positions over 60 places of a run.
static double error_of(cart *c, double angle, const char *method, double error, double end) {
  enum { ROWS = 60 };
  const fly_dae_problem p = problem_with(c);
  const fly_adams_problem ode = {.n = 2, .f = swing, .user = c};
  const fly_dae_options o = with_error(options_of(method, NAN, FLY_GGL), error);
  fly_adams_options fine = fly_adams_options_default();
  fine.error = 1e-12;
  fly_solver *s = NULL;
  fly_error why = {0};
  const double q[] = {0, c->length * sin(angle), -c->length * cos(angle)}, v[3] = {0};
  assert_ok(fly_solver_create(&s, &p, &o, &why), &why);
  assert_ok(fly_solver_start(s, 0, end, q, v, NULL, &why), &why);
  double y[] = {angle, 0}, largest = 0;
  for (int k = 0; k < ROWS; k++) {
    const double from = end * k / ROWS, to = end * (k + 1) / ROWS;
    fly_dae_state at;
    fly_adams_stats stats;
    fly_adams_run(&ode, &fine, y, from, to, &stats, &why);
    assert_ok(fly_solver_advance(s, to, &why), &why);
    assert_ok(fly_solver_interpolate(s, to, &at, &why), &why);
    largest = fmax(largest, distance(c, at.q, angle, y[0]));
  }
  say("cart %.1e kg, %.2f rad, %s %.0e: %.2g of it in %ld steps, %ld corrections\n", c->cart, angle, method, error,
      largest / error, fly_solver_stats(s).steps, fly_solver_stats(s).corrections);
  fly_solver_free(s);
  return largest;
}

static double random_between(unsigned *seed, double a, double b) {
  *seed = *seed * 1664525u + 1013904223u;
  return a + (b - a) * (double)*seed / 4294967296.0;
}

// 30 to 1000 times the error asked for, before dependent coordinates counted like the others.
static void test_light_carts(void **state) {
  unsigned seed = 1;
  for (int k = 0; k < 12; k++) {
    cart c = {pow(10, random_between(&seed, -3, 0)), 1, random_between(&seed, 0.5, 1.5), 9.81};
    const double angle = random_between(&seed, 0.5, 2.5);
    for (double error = 1e-4; error > 0.9e-8; error *= 1e-2)
      assert_at_most(error_of(&c, angle, "hybrid", error, 4), 10 * error);
  }
}

// Errors of velocities move positions for the rest of the run: Radau, which counted them for one step, was up to 90
// times the error asked for away, the further the smaller it was.
static void test_radau(void **state) {
  unsigned seed = 2;
  for (int k = 0; k < 12; k++) {
    cart c = {pow(10, random_between(&seed, -3, 0)), 1, random_between(&seed, 0.5, 1.5), 9.81};
    const double angle = random_between(&seed, 0.5, 2.5);
    for (double error = 1e-4; error > 0.9e-8; error *= 1e-2)
      assert_at_most(error_of(&c, angle, "radau", error, 10), 10 * error);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_light_carts), cmocka_unit_test(test_radau)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
