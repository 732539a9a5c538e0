// Order of convergence on the seven-body mechanism, whose mass depends on the positions: the forms of HHT part ways.
// Largest error over the run, fixed steps, against the reference integrator.
#include "support/truths.h"

static const double t_end = 0.01;

static int set_up(void **state) {
  fly_problem p = problem_of("seven-body", NULL, 0);
  *state = reference_truth_of(&p, t_end, 40);
  fly_problem_free(&p);
  return 0;
}

static int tear_down(void **state) {
  reference_truth_free(*state);
  return 0;
}

static const char *const names[] = {"hht", "wbz", "ch", "gen"};
enum { METHODS = 4 };

static orders seven_body_orders(void **state, const char *what, fly_dae_options o, double h) {
  fly_problem p = problem_of("seven-body", NULL, 0);
  const orders r = orders_with(what, &p, o, h, t_end, reference_at, *state);
  fly_problem_free(&p);
  return r;
}

static void in_formulation(void **state, fly_formulation formulation) {
  for (int k = 0; k < METHODS; k++) {
    const orders r = seven_body_orders(state, names[k], options_of(names[k], 0.6, formulation), 1e-5);
    assert_second_order(&r);
    assert_at_most(r.fine.q, 6e-6);
    assert_at_most(r.fine.lambda, 7e-4); // of 100 to 300
  }
}

static void test_index3(void **state) { in_formulation(state, FLY_INDEX3); }
static void test_index2(void **state) { in_formulation(state, FLY_INDEX2); }
static void test_ggl(void **state) { in_formulation(state, FLY_GGL); }

// HHT (11a) with M at q0 + (1-alpha_f) h v0 in its first term is second order ...
static void test_residual_form(void **state) {
  fly_dae_options o = options_of("hht", 0.6, FLY_INDEX3);
  o.form = FLY_FORM_RESIDUAL;
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    o.formulation = f;
    const orders r = seven_body_orders(state, "residual", o, 1e-5);
    assert_between(r.q, 1.9, 2.1);
    assert_between(r.v, 1.9, 2.1);
    assert_between(r.lambda, 1.9, 2.1);
  }
}

// ... and as printed it is not (numerics.md: 0.96 to 1.00 in q and lambda).
static void test_printed_form(void **state) {
  fly_dae_options o = options_of("hht", 0.6, FLY_INDEX3);
  o.form = FLY_FORM_RESIDUAL_PRINTED;
  const orders r = seven_body_orders(state, "as printed", o, 2.5e-6);
  assert_between(r.q, 0.7, 1.2);
  assert_between(r.v, 0.9, 1.1);
  assert_between(r.lambda, 0.9, 1.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_index3),        cmocka_unit_test(test_index2),       cmocka_unit_test(test_ggl),
      cmocka_unit_test(test_residual_form), cmocka_unit_test(test_printed_form),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
