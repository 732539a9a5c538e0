// Steps that change by a given sequence: what the shift (numerics.md 5) and the update of gamma (GENALPHA 29) are for.
// Orders of the largest error over the run; 0.3, 0.7 alternating, and every tenth step a twentieth of the others.
#include "support/truths.h"

static const double alternating[] = {0.3, 0.7};
#define W (1 / 9.05)
static const double tenth[] = {W, W, W, W, W, W, W, W, W, 0.05 * W};

static fly_dae_options in_turn(fly_dae_options o, int which) {
  return which ? with_sequence(o, 1, tenth, 10) : with_sequence(o, 1, alternating, 2);
}

// ---------------------------------------------------------------------------------------------- spring and mass

// GENALPHA's controlled spring-mass system, with acceleration feedback: positions, x, y and accelerations.
static void test_spring_mass(void **state) {
  fly_problem p = problem_of("spring-mass", NULL, 0);
  reference_truth *truth = reference_truth_of(&p, 5, 20);
  const char *names[] = {"ch", "hht", "wbz"};
  for (int k = 0; k < 3; k++)
    for (fly_step_change c = FLY_CHANGE_SHIFT; c <= FLY_CHANGE_NONE; c++) {
      fly_dae_options o = in_turn(options_of(names[k], 0.8, FLY_GGL), 0);
      o.step_change = c;
      const orders r = orders_with(names[k], &p, o, 0.025, 5, reference_at, truth);
      const double expected = c == FLY_CHANGE_NONE ? 1 : 2;
      assert_between(r.q, expected - 0.15, expected + 0.15);
      assert_between(r.x, expected - 0.25, expected + 0.15);
      assert_between(r.vdot, expected - 0.15, expected + 0.15);
      assert_between(r.y, expected - 0.25, expected + 0.15);
    }
  reference_truth_free(truth);
  fly_problem_free(&p);
}

// Equal steps need neither: the three choices agree.
static void test_equal_steps(void **state) {
  fly_problem p = problem_of("spring-mass", NULL, 0);
  motion m[3];
  for (fly_step_change c = FLY_CHANGE_SHIFT; c <= FLY_CHANGE_NONE; c++) {
    fly_dae_options o = with_step(options_of("ch", 0.8, FLY_GGL), 0.01);
    o.step_change = c;
    m[c] = motion_run(&p, &o, 1);
    assert_int_equal(m[c].stats.shifts, 1); // the start
  }
  assert_true(motion_hash(&m[FLY_CHANGE_SHIFT]) == motion_hash(&m[FLY_CHANGE_NONE]));
  const fly_dae_state a = motion_end(&m[FLY_CHANGE_NONE]), b = motion_end(&m[FLY_CHANGE_GAMMA]);
  assert_at_most(errors_between(&m[0], &a, &b).q, 1e-12); // gamma is computed anew
  for (int i = 0; i < 3; i++)
    motion_free(&m[i]);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- reaction forces

typedef struct mechanism {
  const char *name;
  double t_end, h; // h: mean step of the finer run; t_end holds whole sequences
  int panels;
} mechanism;

static const mechanism mechanisms[] = {
    {"pendulum-family", 2, 5e-4, 50}, {"seven-body", 0.015, 2.5e-6, 60}, {"heavy-top", 0.2, 6.25e-5, 40}};

static orders mechanism_orders(const mechanism *m, const reference_truth *truth, fly_dae_options o, int which) {
  fly_problem p = problem_of(m->name, NULL, 0);
  const orders r =
      orders_with(m->name, &p, in_turn(o, which), 2 * m->h * (which ? 10 : 2), m->t_end, reference_at, truth);
  fly_problem_free(&p);
  return r;
}

// Must show 6 (i): order of lambda at least 1.8 with the shift, in index 3 and stabilized. (iv): without, it is 1.
static void on_mechanism(const mechanism *m) {
  fly_problem p = problem_of(m->name, NULL, 0);
  reference_truth *truth = reference_truth_of(&p, m->t_end, m->panels);
  fly_problem_free(&p);
  for (int which = 0; which < 2; which++)
    for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f += 2) {
      fly_dae_options o = options_of("ch", 0.6, f);
      orders r = mechanism_orders(m, truth, o, which);
      assert_at_least(r.lambda, 1.8);
      assert_at_least(r.q, 1.5);
      o.step_change = FLY_CHANGE_NONE;
      const double with_shift = r.fine.lambda;
      r = mechanism_orders(m, truth, o, which);
      assert_between(r.lambda, 0.9, 1.1);
      assert_at_least(r.fine.lambda, 10 * with_shift);
    }
  reference_truth_free(truth);
}

static void test_pendulum(void **state) { on_mechanism(&mechanisms[0]); }
static void test_seven_body(void **state) { on_mechanism(&mechanisms[1]); }
static void test_heavy_top(void **state) { on_mechanism(&mechanisms[2]); }

// The update of gamma keeps second order too where positions are stabilized; it knows no offset of index 3.
static void test_gamma(void **state) {
  fly_problem p = problem_of("pendulum-family", NULL, 0);
  reference_truth *truth = reference_truth_of(&p, 2, 50);
  fly_dae_options o = options_of("ch", 0.6, FLY_GGL);
  o.step_change = FLY_CHANGE_GAMMA;
  for (int which = 0; which < 2; which++) {
    orders r = mechanism_orders(&mechanisms[0], truth, o, which);
    assert_second_order(&r);
  }
  o.formulation = FLY_INDEX3;
  const orders r = mechanism_orders(&mechanisms[0], truth, o, 0);
  assert_between(r.lambda, 0.9, 1.1);
  reference_truth_free(truth);
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spring_mass), cmocka_unit_test(test_equal_steps), cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_seven_body),  cmocka_unit_test(test_heavy_top),   cmocka_unit_test(test_gamma),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
