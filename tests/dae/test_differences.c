// Derivatives that a problem does not give are filled in by differences: the motion is the same, and with a sparse
// pattern their number does not grow with the problem.
#include <string.h>

#include "dae/eval.h"
#include "support/motion.h"

enum { JACOBIAN_G = 1, RATE = 2, GAMMA = 4, VELOCITY_JACOBIAN = 8, JACOBIAN = 16, ALL = 31 };

// Takes callbacks away, nonholonomic ones with their holonomic brothers.
static void strip(fly_dae_problem *d, int which) {
  if (which & JACOBIAN_G)
    d->constraint_jacobian = NULL;
  if (which & RATE)
    d->constraint_rate = NULL;
  if (which & GAMMA)
    d->constraint_gamma = d->nonholonomic_gamma = NULL;
  if (which & VELOCITY_JACOBIAN)
    d->constraint_velocity_jacobian = d->nonholonomic_velocity_jacobian = NULL;
  if (which & JACOBIAN)
    d->jacobian = NULL;
}

typedef struct sample {
  const char *name, *variant;
  double t_end, h;
  double q, lambda; // what may differ with everything missing: positions, multipliers
} sample;

static const sample samples[] = {
    {"pendulum-family", NULL, 1, 2e-3, 1e-7, 5e-4}, {"seven-body", NULL, 0.01, 1e-5, 1e-6, 1e-2},
    {"heavy-top", NULL, 0.05, 2e-4, 1e-6, 1e-1},    {"spring-mass", NULL, 2, 0.01, 1e-8, 1e-8},
    {"knife-edge", NULL, 2, 0.01, 1e-8, 1e-6},      {"rolling-coin", NULL, 0.5, 2e-3, 1e-7, 1e-3},
    {"lock", NULL, 0.5, 2e-3, 1e-7, 1e-3},          {"chain", NULL, 0.2, 1e-3, 1e-6, 1e-4},
    {"slider-crank", NULL, 2e-3, 1e-5, 1e-6, 2}}; // of 400; differences in time
enum { SAMPLES = sizeof samples / sizeof *samples };

static errors largest_difference(const motion *a, const motion *b) {
  errors all = {0};
  for (int i = 0, j = 0; i < a->count; i++, j++) {
    while (motion_at(b, j).t < motion_at(a, i).t * (1 - 1e-12)) // a step that was divided
      j++;
    const fly_dae_state x = motion_at(a, i), y = motion_at(b, j);
    const errors e = errors_between(a, &x, &y);
    all.q = fmax(all.q, e.q), all.v = fmax(all.v, e.v), all.x = fmax(all.x, e.x);
    all.lambda = fmax(all.lambda, e.lambda);
  }
  return all;
}

static void compare(const sample *k, fly_formulation f, int which, const motion *full) {
  fly_problem p = problem_of(k->name, k->variant, 0);
  const fly_dae_options o = with_step(options_of("ch", 0.6, f), k->h);
  strip(&p.dae, which);
  motion m = motion_run(&p, &o, k->t_end);
  const errors e = largest_difference(full, &m);
  say("%-16s formulation %d, without %2d: q %.1e, v %.1e, lambda %.1e, x %.1e\n", k->name, f, which, e.q, e.v, e.lambda,
      e.x);
  assert_at_most(e.q, k->q);
  assert_at_most(e.x, k->q);
  assert_at_most(e.lambda, k->lambda);
  motion_free(&m);
  fly_problem_free(&p);
}

static void without(fly_formulation f, const int *which, int n) {
  for (int k = 0; k < SAMPLES; k++) {
    fly_problem p = problem_of(samples[k].name, samples[k].variant, 0);
    const fly_dae_options o = with_step(options_of("ch", 0.6, f), samples[k].h);
    motion full = motion_run(&p, &o, samples[k].t_end);
    for (int i = 0; i < n; i++)
      compare(&samples[k], f, which[i], &full);
    motion_free(&full);
    fly_problem_free(&p);
  }
}

static const int one_by_one[] = {JACOBIAN_G, RATE, GAMMA, VELOCITY_JACOBIAN, JACOBIAN};
static const int together[] = {JACOBIAN_G | JACOBIAN, GAMMA | VELOCITY_JACOBIAN | RATE, ALL};

static void test_one_by_one(void **state) { without(FLY_GGL, one_by_one, 5); }
static void test_together(void **state) { without(FLY_GGL, together, 3); }
static void test_index2(void **state) { without(FLY_INDEX2, together + 2, 1); }

// In index 3 the start needs third derivatives, of what is itself differenced; a plain start does not.
static void test_index3(void **state) {
  without(FLY_INDEX3, one_by_one + 1, 1);
  without(FLY_INDEX3, one_by_one + 3, 2);
}

// ---------------------------------------------------------------------------------------------- errors asked for

typedef struct asked {
  const char *name, *variant;
  double t_end;
} asked;

static const asked runs[] = {{"pendulum-family", NULL, 1},  {"double-pendulum", NULL, 0.5},
                             {"seven-body", NULL, 0.01},    {"slider-crank", NULL, 1e-3},
                             {"slider-crank-ida", NULL, 1}, {"heavy-top", NULL, 0.05},
                             {"four-bar", "grashof", 1},    {"rolling-coin", NULL, 0.5},
                             {"knife-edge", NULL, 1},       {"seven-body-cartesian", NULL, 0.005}};
static const char *const methods[] = {"ch", "radau", "partition", "hybrid", "baumgarte", "direct", "auto"};

// With one or two callbacks missing a run takes about as many steps as with all of them, and its error is what was
// asked for. (Without constraint_jacobian and gamma, noise of 1e-6 in accelerations made it twenty times as many, or no
// end; likewise without constraint_rate and gamma where constraints move.)
static void missing(const asked *k, const char *method, double error, int which, const motion *full) {
  fly_problem p = problem_of(k->name, k->variant, 0);
  const fly_dae_options o = with_error(options_of(method, NAN, FLY_GGL), error);
  strip(&p.dae, which);
  motion m = motion_try(&p, &o, k->t_end);
  const fly_dae_state a = motion_end(full), b = motion_end(&m);
  double scale = 1;
  for (int i = 0; p.dae.scale_v && i < p.dae.nv; i++)
    scale = fmin(scale, p.dae.scale_v[i]);
  say("%-20s %-9s without %2d: %ld steps of %ld, q %.1e\n", k->name, method, which, m.stats.steps, full->stats.steps,
      errors_between(full, &a, &b).q);
  assert_ok(m.status, &m.error);
  assert_at_most((double)m.stats.steps, 5 * (double)full->stats.steps + 20);
  assert_at_most(errors_between(full, &a, &b).q, 5 * error * fmax(scale, 0.02));
  motion_free(&m);
  fly_problem_free(&p);
}

static void test_errors_asked_for(void **state) {
  static const int pairs[] = {JACOBIAN_G | GAMMA, RATE | GAMMA, JACOBIAN_G, GAMMA, RATE, ALL};
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
      const double error = i == 0 ? 1e-5 : 1e-7;
      fly_problem p = problem_of(runs[k].name, runs[k].variant, 0);
      const fly_dae_options o = with_error(options_of(methods[i], NAN, FLY_GGL), error);
      motion full = motion_run(&p, &o, runs[k].t_end);
      for (size_t j = 0; j < sizeof pairs / sizeof *pairs; j++)
        missing(&runs[k], methods[i], error, pairs[j], &full);
      motion_free(&full);
      fly_problem_free(&p);
    }
}

// ---------------------------------------------------------------------------------------------- colours

typedef struct counter {
  fly_dae_problem inner;
  long forces, constraints;
} counter;

static int counted_force(double *f, const fly_dae_state *s, void *user) {
  counter *c = user;
  c->forces++;
  return c->inner.force(f, s, c->inner.user);
}
static int counted_constraint(double *g, double t, const double *q, void *user) {
  counter *c = user;
  c->constraints++;
  return c->inner.constraint(g, t, q, c->inner.user);
}
static int forwarded_mass(double *M, double t, const double *q, void *user) {
  counter *c = user;
  return c->inner.mass(M, t, q, c->inner.user);
}

static counter calls_of_chain(int n) {
  fly_problem p = problem_of("chain", NULL, n);
  counter c = {.inner = p.dae};
  strip(&p.dae, ALL);
  p.dae.mass = forwarded_mass;
  p.dae.force = counted_force;
  p.dae.constraint = counted_constraint;
  p.dae.energy = NULL;
  p.dae.row_name = NULL;
  p.dae.user = &c;
  const fly_dae_options o = with_step(options_of("ch", 0.6, FLY_GGL), 1e-4);
  motion m = motion_run(&p, &o, 5e-4);
  motion_free(&m);
  fly_problem_free(&p);
  return c;
}

static void test_colours(void **state) {
  const counter small = calls_of_chain(10), large = calls_of_chain(200);
  say("chain of 10: %ld forces, %ld constraints; of 200: %ld, %ld\n", small.forces, small.constraints, large.forces,
      large.constraints);
  assert_at_most((double)large.forces, 2 * (double)small.forces);
  assert_at_most((double)large.constraints, 2 * (double)small.constraints);
}

// A row that turns within a hundredth of the widest difference: F = sin(tau/0.01 + 0.3).
static int fast_row(fly_eval *e, double *rows, double tau, const fly_curve *c) {
  rows[0] = sin(tau / 0.01 + 0.3);
  return 0;
}

static void test_widths(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_eval e;
  fly_error error;
  fly_width width = {0};
  double slope;
  assert_ok(fly_eval_create(&e, &p.dae, &error), &error);
  e.row_unit[0] = 1;
  const fly_curve c = {.rows = fast_row, .n = 1, .widest = 1, .first_share = 1, .rounding = 1e-16};
  for (int k = 0; k < 5; k++)
    assert_int_equal(fly_curve_derive(&e, &c, false, &width, &slope), 0);
  assert_close(slope, 100 * cos(0.3), 1e-8);
  assert_between(width.share, 1e-4, 1e-2);
  fly_eval_free(&e);
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_by_one), cmocka_unit_test(test_together),         cmocka_unit_test(test_index2),
      cmocka_unit_test(test_index3),     cmocka_unit_test(test_errors_asked_for), cmocka_unit_test(test_colours),
      cmocka_unit_test(test_widths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
