// Problems that say nothing of their dependence on time are looked at between the ends of steps. A body (x, y) of unit
// mass, pushed along x; its y is prescribed.
#include <string.h>

#include "base/check.h"
#include "support/motion.h"

typedef enum shape { BOX, BELL, BUMP, WAVE, TRAIN, SHAPES } shape;

typedef struct pushed {
  shape shape;
  double at, width, size;
  bool moved; // it is y that follows, not a force on x
} pushed;

static double input(const pushed *p, double t) {
  const double u = (t - p->at) / p->width, pi = 3.14159265358979323846;
  return p->shape == BOX     ? (u > 0 && u < 1 ? p->size : 0)
         : p->shape == BELL  ? p->size * exp(-pow(6 * u - 3, 2))
         : p->shape == TRAIN ? (fmod(t - p->at + 10, 1) < p->width ? p->size : 0)
         : p->shape == BUMP  ? (u > 0 && u < 1 ? p->size * pow(sin(pi * u), 4) : 0)
                             : p->size * sin(2 * pi * u);
}

static int mass(double *M, double t, const double *q, void *user) {
  M[0] = M[3] = 1;
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  const pushed *p = user;
  f[0] = p->moved ? s->q[1] : input(p, s->t);
  return 0;
}

static int constraint(double *g, double t, const double *q, void *user) {
  const pushed *p = user;
  g[0] = q[1] - (p->moved ? input(p, t) : 0);
  return 0;
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  G[1] = 1;
  return 0;
}

// Of size sin^4(pi u), its first and second derivative.
static double derivative(const pushed *p, double t, int order) {
  const double u = (t - p->at) / p->width, pi = 3.14159265358979323846, s = sin(pi * u), c = cos(pi * u);
  if (!p->moved || u < 0 || u > 1)
    return 0;
  return p->size * (order == 1 ? 4 * s * s * s * c * pi / p->width
                               : 4 * s * s * (3 * c * c - s * s) * pi * pi / p->width / p->width);
}

static int constraint_rate(double *gt, double t, const double *q, void *user) {
  gt[0] = -derivative(user, t, 1);
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  gamma[0] = -derivative(user, t, 2);
  return 0;
}

static fly_problem problem(pushed *p, bool silent) {
  return (fly_problem){.dae = {.name = "pushed",
                               .nq = 2,
                               .nv = 2,
                               .ng = 1,
                               .mass_constant = true,
                               .mass = mass,
                               .force = force,
                               .constraint = constraint,
                               .constraint_jacobian = constraint_jacobian,
                               .constraint_rate = constraint_rate,
                               .constraint_gamma = constraint_gamma,
                               .autonomous = silent,
                               .user = p}};
}

// x at the end of 10 s: the double integral of the input.
static double exact(const pushed *p) {
  const bool all = p->shape == TRAIN;
  double sum = 0, from = all ? 0 : fmax(0, p->at - p->width), until = all ? 10 : fmin(10, p->at + 2 * p->width);
  const int n = 200000;
  for (int k = 0; k < n; k++) {
    const double t = from + (until - from) * (k + 0.5) / n;
    sum += (until - from) / n * (10 - t) * input(p, t);
  }
  return sum;
}

static fly_solver *run(pushed *p, const char *method, bool silent, fly_status *status, fly_error *error) {
  const fly_problem problem_ = problem(p, silent);
  const fly_dae_options o = options_of(method, NAN, FLY_GGL);
  const double q[] = {0, p->moved ? input(p, 0) : 0}, v[] = {0, 0};
  fly_solver *s;
  assert_ok(fly_solver_create(&s, &problem_.dae, &o, error), error);
  assert_ok(fly_solver_start(s, 0, 10, q, v, NULL, error), error);
  *status = fly_solver_advance(s, 10, error);
  return s;
}

static const char *const methods[] = {"ch",     "hht",    "trapezoid", "radau", "partition",
                                      "hybrid", "direct", "baumgarte", "auto"};
enum { METHODS = sizeof methods / sizeof *methods };

// Down to a thousandth of the run, anywhere in it.
static void pulses_are_found(void **state) {
  uint64_t seed = 3;
  for (int k = 0; k < 40; k++) {
    pushed p = {.shape = (shape)(k % 3), .width = 10 * pow(10, -2 + random_double(&seed))};
    p.at = (10 - p.width) * (random_double(&seed) + 1) / 2;
    p.size = 0.3 / p.width;
    p.moved = p.shape == BUMP && k % 2;
    p.size = p.moved ? 0.3 : p.size;
    const double x = exact(&p);
    for (int m = 0; m < METHODS; m++) {
      fly_status status;
      fly_error error = {0};
      if (p.moved && (strcmp(methods[m], "trapezoid") == 0 || strcmp(methods[m], "hybrid") == 0))
        continue; // they have troubles of their own with what moves
      fly_solver *s = run(&p, methods[m], false, &status, &error);
      say("%s %d at %g for %g: %.3g off, %ld looks, %ld surprises, %ld steps\n", methods[m], (int)p.shape, p.at,
          p.width, fly_solver_state(s).q[0] - x, fly_solver_stats(s).looks, fly_solver_stats(s).surprises,
          fly_solver_stats(s).steps);
      assert_ok(status, &error);
      assert_close(fly_solver_state(s).q[0], x, 1e-4);
      assert_int_equal(fly_solver_certificate(s).time, FLY_TIME_LOOKED);
      assert_at_most(fly_solver_certificate(s).look_gap, 10 / 2000.0 * (1 + 1e-12));
      fly_solver_free(s);
    }
  }
}

// One a second, each of them less than the error of the run (1e-5), all together more.
static void small_pulses_add_up(void **state) {
  for (int m = 0; m < METHODS; m++) {
    pushed p = {.shape = TRAIN, .at = 0.371, .width = 0.1, .size = 1.8e-5};
    fly_status status;
    fly_error error = {0};
    fly_solver *s = run(&p, methods[m], false, &status, &error);
    say("%s: %.3g off of %.3g, %ld surprises\n", methods[m], fly_solver_state(s).q[0] - exact(&p), exact(&p),
        fly_solver_stats(s).surprises);
    assert_ok(status, &error);
    assert_close(fly_solver_state(s).q[0], exact(&p), 2e-5);
    fly_solver_free(s);
  }
}

// Each of three first-order states, x' = input, as much as a body.
typedef struct three {
  pushed p;
  int which;
} three;

static int nothing(double *f, const fly_dae_state *s, void *user) { return 0; }

static int unit_mass(double *M, double t, const double *q, void *user) {
  M[0] = 1;
  return 0;
}

static int rates(double *d, const fly_dae_state *s, void *user) {
  const three *w = user;
  for (int i = 0; i < 3; i++)
    d[i] = s->xdot[i] - (i == w->which ? input(&w->p, s->t) : 0);
  return 0;
}

static void pulses_of_states_are_found(void **state) {
  for (int which = 0; which < 3; which++)
    for (int m = 0; m < 5; m++) { // partition too, the first of the others
      three w = {{.shape = BUMP, .at = 5.137, .width = 0.05, .size = 10}, which};
      const fly_dae_problem p = {.nq = 1,
                                 .nv = 1,
                                 .nx = 3,
                                 .mass_constant = true,
                                 .mass = unit_mass,
                                 .force = nothing,
                                 .states = rates,
                                 .user = &w};
      const fly_dae_options o = options_of(methods[m], NAN, FLY_GGL);
      const double zero[3] = {0};
      fly_error error = {0};
      fly_solver *s;
      assert_ok(fly_solver_create(&s, &p, &o, &error), &error);
      assert_ok(fly_solver_start(s, 0, 10, zero, zero, zero, &error), &error);
      assert_ok(fly_solver_advance(s, 10, &error), &error);
      say("%s, state %d: %.6g\n", methods[m], which, fly_solver_state(s).x[which]);
      assert_close(fly_solver_state(s).x[which], 10 * 0.05 * 3 / 8, 1e-4);
      fly_solver_free(s);
    }
}

// What the error test follows by itself costs no step; who says that nothing depends on time is not looked at.
static void waves_cost_nothing(void **state) {
  for (int m = 0; m < METHODS; m++) {
    pushed p = {.shape = WAVE, .at = 0, .width = 1, .size = 1};
    fly_status status;
    fly_error error = {0};
    fly_solver *looked = run(&p, methods[m], false, &status, &error),
               *not_looked = run(&p, methods[m], true, &status, &error);
    assert_int_equal(fly_solver_stats(looked).steps, fly_solver_stats(not_looked).steps);
    assert_int_equal(fly_solver_stats(looked).surprises, 0);
    assert_int_equal(fly_solver_stats(not_looked).looks, 0);
    assert_true(fly_solver_stats(looked).looks > 0 || strcmp(methods[m], "radau") != 0); // whose steps are long
    assert_int_equal(fly_solver_certificate(not_looked).time, FLY_TIME_AUTONOMOUS);
    fly_solver_free(looked);
    fly_solver_free(not_looked);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pulses_are_found), cmocka_unit_test(small_pulses_add_up),
                                     cmocka_unit_test(pulses_of_states_are_found),
                                     cmocka_unit_test(waves_cost_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
