// Order of convergence on the pendulum of FAMILY ch. 1, for every method and formulation, in positions, velocities,
// accelerations and multipliers: largest error over the whole run, fixed steps, both starts.
#include <stdlib.h>

#include "support/truths.h"

typedef struct world {
  fly_problem pendulum;
  pendulum_truth *truth;
} world;

static int set_up(void **state) {
  world *w = malloc(sizeof *w);
  w->pendulum = problem_of("pendulum-family", NULL, 0);
  w->truth = pendulum_truth_of(&w->pendulum, 4, 1);
  *state = w;
  return 0;
}

static int tear_down(void **state) {
  world *w = *state;
  fly_problem_free(&w->pendulum);
  free(w->truth);
  free(w);
  return 0;
}

static errors errors_with(const world *w, const fly_dae_options *o, double t_end) {
  motion m = motion_run(&w->pendulum, o, t_end);
  const errors e = motion_errors(&m, pendulum_at, w->truth);
  motion_free(&m);
  return e;
}

static orders pendulum_orders(const world *w, fly_dae_options o, double h, double t_end, const char *what) {
  return orders_with(what, &w->pendulum, o, h, t_end, pendulum_at, w->truth);
}

static const char *const second_order[] = {"hht", "wbz", "ch", "gen"};
enum { METHODS = 4 };

static void in_formulation(const world *w, fly_formulation formulation) {
  for (int k = 0; k < METHODS; k++) {
    const orders r = pendulum_orders(w, options_of(second_order[k], 0.6, formulation), 2e-3, 4, second_order[k]);
    assert_second_order(&r);
    assert_at_most(r.fine.q, 1.2e-4);
    assert_at_most(r.fine.lambda, 3e-3);
  }
}

static void test_index3(void **state) { in_formulation(*state, FLY_INDEX3); }
static void test_index2(void **state) { in_formulation(*state, FLY_INDEX2); }
static void test_ggl(void **state) { in_formulation(*state, FLY_GGL); }

// Other members of the same one-parameter families: annihilating, and without damping.
static void test_ends_of_the_families(void **state) {
  const struct {
    const char *name;
    double rho;
  } list[] = {{"hht", 0.5}, {"wbz", 0.0}, {"wbz", 0.9}, {"ch", 0.0}, {"ch", 0.9}, {"gen", 0.8}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    const orders r = pendulum_orders(*state, options_of(list[k].name, list[k].rho, FLY_GGL), 1e-3, 2, list[k].name);
    assert_second_order(&r);
  }
}

// The trapezoid rule does not damp lambda: in index 3 that has no order, in the others it has.
static void test_trapezoid(void **state) {
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    const orders r = pendulum_orders(*state, options_of("trapezoid", NAN, f), 2e-3, 4, "trapezoid");
    assert_between(r.q, 1.9, 2.1);
    assert_between(r.v, 1.9, 2.1);
    if (f != FLY_INDEX3)
      assert_second_order(&r);
  }
}

// Newmark's own rule with damping is of first order, in everything.
static void test_newmark_is_first_order(void **state) {
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    const orders r = pendulum_orders(*state, options_of("newmark", 0.6, f), 1e-3, 1, "newmark");
    assert_between(r.q, 0.9, 1.1);
    assert_between(r.v, 0.9, 1.1);
    assert_between(r.vdot, 0.9, 1.1);
    assert_between(r.lambda, 0.9, 1.1);
  }
}

// numerics.md 4: with the plain start lambda loses an order, q and v do not.
static void test_plain_start(void **state) {
  for (int k = 0; k < METHODS; k++) {
    fly_dae_options o = options_of(second_order[k], 0.6, FLY_INDEX3);
    o.start = FLY_START_PLAIN;
    orders r = pendulum_orders(*state, o, 2e-3, 4, "index 3, plain start");
    assert_between(r.q, 1.9, 2.1);
    assert_between(r.v, 1.9, 2.1);
    assert_between(r.lambda, 0.9, 1.1);
    assert_at_least(r.fine.lambda, 1e-2);
    o.formulation = FLY_GGL;
    r = pendulum_orders(*state, o, 1e-3, 0.1, "ggl, plain start"); // short: the error of the start alone
    assert_between(r.lambda, 0.9, 1.1);
  }
}

// numerics.md 4, CH(0.7), index 3: the figures of an independent prototype, largest |lambda error| (over 1 s, found
// out).
static void test_published_start(void **state) {
  const double corrected[] = {8.0e-3, 2.0e-3, 5.0e-4}, plain[] = {9.9e-2, 5.0e-2, 2.5e-2};
  fly_dae_options o = options_of("ch", 0.7, FLY_INDEX3);
  for (int k = 0; k < 3; k++) {
    o.step = ldexp(4e-3, -k);
    o.start = FLY_START_CORRECTED;
    assert_close(errors_with(*state, &o, 1).lambda, corrected[k], 0.02 * corrected[k]);
    o.start = FLY_START_PLAIN;
    assert_close(errors_with(*state, &o, 1).lambda, plain[k], 0.02 * plain[k]);
  }
}

// For a constant mass the residual form is the acceleration form in other words: the same numbers but for the
// corrector.
static void test_residual_form(void **state) {
  const world *w = *state;
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    fly_dae_options o = with_step(options_of("hht", 0.6, f), 2e-3);
    motion a = motion_run(&w->pendulum, &o, 1);
    for (o.form = FLY_FORM_RESIDUAL; o.form <= FLY_FORM_RESIDUAL_PRINTED; o.form++) {
      motion b = motion_run(&w->pendulum, &o, 1);
      errors all = {0};
      assert_int_equal(a.count, b.count);
      for (int i = 0; i < a.count; i++) {
        const fly_dae_state x = motion_at(&a, i), y = motion_at(&b, i);
        const errors e = errors_between(&a, &x, &y);
        all.q = fmax(all.q, e.q), all.v = fmax(all.v, e.v), all.lambda = fmax(all.lambda, e.lambda);
      }
      assert_at_most(all.q, 1e-9);
      assert_at_most(all.v, f == FLY_INDEX3 ? 3e-5 : 1e-8); // index 3: cleaned with whatever matrix the step had
      assert_at_most(all.lambda, 2e-6);
      motion_free(&b);
    }
    motion_free(&a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_index3),        cmocka_unit_test(test_index2),
      cmocka_unit_test(test_ggl),           cmocka_unit_test(test_ends_of_the_families),
      cmocka_unit_test(test_trapezoid),     cmocka_unit_test(test_newmark_is_first_order),
      cmocka_unit_test(test_plain_start),   cmocka_unit_test(test_published_start),
      cmocka_unit_test(test_residual_form),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
