// Discs that roll and blades that do not move sideways, as model files: equal to the same problems written by hand, and
// to closed forms.
#include "base/check.h"

#include <math.h>

#include "problems.h"
#include "system/machine.h"

#define COIN                                                                                                           \
  "flyball: 1\ngravity: [0, 0, -9.81]\n"                                                                               \
  "bodies:\n  ground: {markers: {table: [0, 0, 0]}}\n"                                                                 \
  "  coin: {mass: 1, inertia: [0.015625, 0.015625, 0.03125], orientation: {axis: [1, 0, 0], angle: 1},\n"              \
  "    markers: {hub: [0, 0, 0]}}\n"                                                                                   \
  "joints: {tread: {type: rolling, from: ground.table, to: coin.hub, radius: 0.25}}\n"

#define BLADE                                                                                                          \
  "flyball: 1\ngravity: [4.905, 0, 0]\n"                                                                               \
  "bodies: {sled: {type: planar, mass: 1, inertia: 0.1}}\n"                                                            \
  "joints: {blade: {type: knife-edge, from: ground, to: sled}}\n"

static double largest(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(a[i] - b[i]) / (1 + fabs(b[i])));
  return most;
}

// The model from the start of the problem, by the same steps: only rounding tells them apart.
static void same_as(const char *text, const char *problem, const char *method, double step, double end) {
  machine *m = machine_text(text);
  fly_problem p;
  fly_solver *by_hand = NULL;
  fly_error error = {0};
  fly_dae_options o = fly_dae_options_default();
  fly_method_request request = fly_method_request_default();
  request.name = method;
  assert_ok(fly_problem_make(&p, problem, NULL, 0, &error), &error);
  assert_ok(fly_dae_options_method(&o, &request, &error), &error);
  o.step = step;
  machine_all_rows(m);
  assert_int_equal(m->system.dae.nv, p.dae.nv);
  assert_int_equal(m->system.dae.ng, p.dae.ng);
  assert_int_equal(m->system.dae.nb, p.dae.nb);
  assert_ok(fly_solver_create(&m->solver, &m->system.dae, &o, &error), &error);
  assert_ok(fly_solver_create(&by_hand, &p.dae, &o, &error), &error);
  assert_ok(fly_solver_start(m->solver, 0.0, end, p.q0, p.v0, NULL, &error), &error);
  assert_ok(fly_solver_start(by_hand, 0.0, end, p.q0, p.v0, NULL, &error), &error);
  assert_ok(fly_solver_advance(by_hand, end, &error), &error);
  const fly_dae_state one = machine_at(m, end), other = fly_solver_state(by_hand);
  const double q = largest(one.q, other.q, p.dae.nq), v = largest(one.v, other.v, p.dae.nv);
  const double a = largest(one.vdot, other.vdot, p.dae.nv), l = largest(one.lambda, other.lambda, p.dae.ng + p.dae.nb);
  say("%s by %s: q %.1e v %.1e v' %.1e lambda %.1e\n", problem, method, q, v, a, l);
  assert_at_most(q, 1e-9);
  assert_at_most(v, 1e-9);
  assert_at_most(a, 1e-7);
  assert_at_most(l, 1e-7);
  fly_solver_free(by_hand);
  fly_problem_free(&p);
  machine_free(m);
}

static void a_coin_rolls_as_the_problem_does(void **state) {
  same_as(COIN, "rolling-coin", "ch", 1e-3, 1);
  same_as(COIN, "rolling-coin", "radau", 1e-2, 1);
  same_as(COIN, "rolling-coin", "partition", 1e-2, 1);
}

static void a_blade_glides_as_the_problem_does(void **state) {
  same_as(BLADE, "knife-edge", "ch", 1e-3, 2);
  same_as(BLADE, "knife-edge", "radau", 1e-2, 5);
  same_as(BLADE, "knife-edge", "partition", 1e-2, 5);
}

// A wheel of radius r on a slope, in the plane: it rolls with g sin(alpha)/(1 + I/(m r^2)), and friction is what keeps
// it from slipping.
static void a_wheel_rolls_down_a_slope(void **state) {
  machine *m = machine_text("flyball: 1\ngravity: [3, -9, 0]\n"
                            "bodies:\n  ground: {markers: {road: {at: [0, 0], axis: [0, 1, 0]}}}\n"
                            "  wheel: {type: planar, mass: 2, inertia: 0.4, position: [0, 0.5]}\n"
                            "joints: {tread: {type: rolling, from: ground.road, to: wheel, radius: 0.5}}\n");
  const double a = 3 / (1 + 0.4 / (2 * 0.25));
  double wrench[6];
  machine_start(m, 1e-8, 1.0);
  const fly_dae_state at = machine_at(m, 1.0);
  assert_close(at.q[0], a / 2, 1e-7);
  assert_close(at.q[1], 0.5, 1e-12);
  assert_close(at.v[2], -a / 0.5, 1e-7);
  fly_system_reactions(&m->system, &at, wrench); // z of the first marker is the normal
  assert_close(wrench[2], 18, 1e-6);
  assert_close(hypot(wrench[0], wrench[1]), 2 * (3 - a), 1e-6);
  machine_free(m);
}

static void what_cannot_roll_is_refused(void **state) {
  fly_error error = {0};
  assert_true(
      machine_refused("{flyball: 1, bodies: {ground: {markers: {t: [0, 0, 0]}}, c: {mass: 1, inertia: [1, 1, 1], "
                      "position: [0, 0, 1]}}, joints: {j: {type: rolling, from: ground.t, to: c, radius: 1}}}",
                      &error));
  assert_non_null(strstr(error.message, "lies flat"));
  error = (fly_error){0};
  assert_true(machine_refused("{flyball: 1, bodies: {ground: {markers: {t: [0, 0, 0]}}, c: {type: point, mass: 1}}, "
                              "joints: {j: {type: rolling, from: ground.t, to: c, radius: 1}}}",
                              &error));
  assert_non_null(strstr(error.message, "point mass"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_coin_rolls_as_the_problem_does),
      cmocka_unit_test(a_blade_glides_as_the_problem_does),
      cmocka_unit_test(a_wheel_rolls_down_a_slope),
      cmocka_unit_test(what_cannot_roll_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
