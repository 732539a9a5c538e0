// Looks into steps that solve no equations, and derivatives that are not evaluated again.
#include <string.h>

#include "dae/glance.h"
#include "support/truths.h"

static fly_dae_options radau(double error) {
  fly_dae_options o = with_error(options_of("radau", NAN, FLY_GGL), error);
  o.max_steps = 20000;
  return o;
}

// J0 that never changes is evaluated with the others only: the same bits, fewer derivatives.
static void test_constant_rates(void **state) {
  fly_problem p = problem_of("seven-body", NULL, 0);
  const fly_dae_options o = radau(1e-6);
  motion asked = motion_run(&p, &o, 0.03);
  p.dae.rates_constant = true;
  motion known = motion_run(&p, &o, 0.03);
  assert_true(motion_hash(&asked) == motion_hash(&known));
  assert_at_most((double)known.stats.jacobians, (double)(asked.stats.jacobians - known.stats.steps));
  motion_free(&asked);
  motion_free(&known);
  fly_problem_free(&p);
}

// Positions, velocities and states are those of a row, to the bit; how far v' and lambda are off, beside their sizes.
static double look_into(fly_solver *s, const fly_problem *p, double at) {
  fly_dae_state row, look;
  fly_error why = {0};
  double q[POINT], v[POINT], vdot[POINT], lambda[POINT], off = 0, size = 0;
  const double t = fly_solver_state(s).t - (1 - at) * fly_solver_last_step(s);
  assert_ok(fly_solver_glance(s, t, &look, &why), &why);
  memcpy(q, look.q, (size_t)p->dae.nq * sizeof *q);
  memcpy(v, look.v, (size_t)p->dae.nv * sizeof *v);
  memcpy(vdot, look.vdot, (size_t)p->dae.nv * sizeof *v);
  memcpy(lambda, look.lambda, (size_t)p->dae.ng * sizeof *v);
  assert_ok(fly_solver_interpolate(s, t, &row, &why), &why);
  assert_memory_equal(q, row.q, (size_t)p->dae.nq * sizeof *q);
  assert_memory_equal(v, row.v, (size_t)p->dae.nv * sizeof *v);
  for (int i = 0; i < p->dae.nv; i++) {
    off = fmax(off, fabs(vdot[i] - row.vdot[i]));
    size = fmax(size, fabs(row.vdot[i]));
  }
  for (int i = 0; i < p->dae.ng; i++)
    off = fmax(off, fabs(lambda[i] - row.lambda[i]));
  return off / size;
}

// Largest over the run, each step looked into at one place; none takes a factorization until a row is asked for.
static double looks(const char *name, double h, double t_end) {
  fly_problem p = problem_of(name, NULL, 0);
  const fly_dae_options o = with_step(options_of("radau", NAN, FLY_GGL), h);
  fly_solver *s = solver_started(&p, &o, t_end);
  fly_error why = {0};
  double largest = 0;
  for (long k = 0; !fly_solver_done(s); k++) {
    assert_ok(fly_solver_step(s, &why), &why);
    const long before = fly_solver_stats(s).refactorizations;
    fly_dae_state look;
    assert_ok(fly_solver_glance(s, fly_solver_state(s).t - 0.3 * h, &look, &why), &why);
    assert_int_equal(fly_solver_stats(s).refactorizations, before);
    largest = fmax(largest, look_into(s, &p, 0.1 + 0.2 * (double)(k % 5)));
  }
  fly_solver_free(s);
  fly_problem_free(&p);
  return largest;
}

static void test_glance(void **state) {
  static const struct {
    const char *name;
    double h, t_end, off;
  } list[] = {{"pendulum-family", 0.02, 1, 1e-4}, {"seven-body", 2e-4, 0.01, 1e-2}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    const double coarse = looks(list[k].name, list[k].h, list[k].t_end),
                 fine = looks(list[k].name, list[k].h / 2, list[k].t_end);
    say("%s: %g, %g\n", list[k].name, coarse, fine);
    assert_at_most(coarse, list[k].off);
    assert_at_most(fine, coarse / 5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constant_rates),
      cmocka_unit_test(test_glance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
