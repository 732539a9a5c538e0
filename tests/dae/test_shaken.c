// What rounding errors of the constraints and the corrector can have made of a run (docs/theory/promise.md, P-rounded):
// both signs, how much of the last correction is left, and the samples in which run and companion share their steps.
#include <string.h>

#include "dae/promise.h"
#include "dae/radau.h"
#include "dae/solver.h"
#include "support/motion.h"

static const double OFF_Q = 1e-3, OFF_V = 2e-3, LEFT_Q = -4e-4, LEFT_V = 5e-4;

static void shake_by_hand(fly_solver *s) {
  fly_shaken *to = &s->shaken;
  to->rounded = 1e-3;
  to->left = 4e-4;
  for (int i = 0; i < s->e.p.nv; i++) {
    to->q[i] = OFF_Q;
    to->v[i] = OFF_V;
    to->vdot[i] = 3e-3;
    to->q_left[i] = LEFT_Q;
    to->v_left[i] = LEFT_V;
  }
  for (int i = 0; i < s->e.nl; i++)
    to->lambda[i] = 7e-3;
}

static void test_point(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const fly_dae_options o = with_error(options_of("ch", NAN, FLY_GGL), 1e-4);
  fly_solver *s = solver_started(&p, &o, 1);
  const fly_dae_state now = fly_solver_state(s);
  shake_by_hand(s);
  for (int sign = -1; sign <= 1; sign++) {
    fly_dae_state at;
    fly_shaken_point(s, sign, &at);
    for (int i = 0; i < p.dae.nv; i++) {
      assert_close(at.q[i] - now.q[i], OFF_Q + sign * LEFT_Q, 1e-15);
      assert_close(at.v[i] - now.v[i], OFF_V + sign * LEFT_V, 1e-15);
      assert_close(at.vdot[i] - now.vdot[i], 3e-3, 1e-13);
    }
    assert_close(at.lambda[0] - now.lambda[0], 7e-3, 1e-13);
  }
  fly_solver_free(s);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- the estimate

static void first_place(double *out, const fly_dae_state *at, void *run) {
  (void)run;
  *out = at->q[0];
}

static fly_promise *promise_of(const fly_problem *p, const fly_dae_options *o) {
  fly_promise *made = NULL;
  fly_error error = {0};
  const fly_promise_task task = {.problem = &p->dae,
                                 .options = *o,
                                 .t_end = 1,
                                 .calibrate = true,
                                 .q0 = p->q0,
                                 .v0 = p->v0,
                                 .nvalue = 1,
                                 .values = first_place};
  assert_ok(fly_promise_create(&made, &task, &error), &error);
  return made;
}

// One hides the other with one sign, and not with the other.
static void test_both_signs(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const fly_dae_options o = with_error(options_of("ch", NAN, FLY_GGL), 1e-4);
  fly_solver *s = solver_started(&p, &o, 1);
  for (int sign = -1; sign <= 1; sign += 2) {
    fly_promise *made = promise_of(&p, &o);
    made->doing = FLY_DOING_KEEP;
    shake_by_hand(s);
    for (int i = 0; i < p.dae.nv; i++)
      s->shaken.q_left[i] = sign * OFF_Q;
    fly_promise_shake(made, s, NULL);
    assert_close(made->rounded[1], 2 * OFF_Q, 1e-12);
    assert_close(made->rounded[0], 1e-3, 0);
    s->shaken.left = 0; // nothing is: what is kept of before says nothing
    made->peak = 0;
    made->rounded[1] = 0;
    fly_promise_shake(made, s, NULL);
    assert_close(made->rounded[1], sign > 0 ? 2 * OFF_Q : 0.0, 1e-12);
    fly_promise_free(made);
  }
  fly_solver_free(s);
  fly_problem_free(&p);
}

// Samples of the run that lie in steps which end where the companion's do.
static void test_same_steps(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const fly_dae_options o = with_error(options_of("ch", NAN, FLY_GGL), 1e-4);
  fly_solver *s = solver_started(&p, &o, 1);
  fly_promise *made = promise_of(&p, &o);
  const fly_dae_state at = fly_solver_state(s);
  made->last.count = made->n;
  made->report.setting = 1e-5;
  fly_promise_face(made, 1e-4);
  for (int k = 0; k < 5; k++) {
    made->last.end[k] = k;
    made->now.count = k;
    fly_promise_compare(made, &at, k == 2 ? 2.5 : k, NULL);
  }
  assert_int_equal(made->same, 4);
  assert_int_equal(made->first, 2);
  fly_promise_free(made);
  fly_solver_free(s);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- the corrector

// What is still to come of corrections that become smaller by a rate: r/(1-r) times the last, and not more than it.
static double left_with(double rate) {
  fly_problem p = problem_of("oscillator", NULL, 0);
  const fly_dae_options o = with_error(options_of("radau", NAN, FLY_GGL), 1e-4);
  fly_solver *s = solver_started(&p, &o, 1);
  fly_radau *r = s->own;
  r->h = 0.1;
  r->rate = rate;
  for (int j = 0; j < r->stages; j++)
    for (int i = 0; i < r->n; i++)
      r->R[j][i] = 1;
  fly_radau_leave(r);
  const double left = s->shaken.v_left[0];
  assert_close(s->shaken.q_left[0], left + 0.1 * left, 1e-15);
  fly_solver_free(s);
  fly_problem_free(&p);
  return left;
}

static void test_what_is_left(void **state) {
  assert_close(left_with(0.25), 0.1 / 3, 1e-15);
  assert_close(left_with(0.5), 0.1, 1e-15);
  assert_close(left_with(0.9), 0.1, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_point), cmocka_unit_test(test_both_signs),
                                     cmocka_unit_test(test_same_steps), cmocka_unit_test(test_what_is_left)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
