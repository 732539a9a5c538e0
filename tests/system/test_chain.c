// What a step of a long chain costs, in numbers that do not depend on the machine: entries of the factors grow with
// the number of bodies and no faster, and steps that follow an error take few corrections.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dae/solver.h"
#include "machine.h"

// n rods of 1 m in a zigzag, held at one end; axes of revolute joints alternate.
static char *chain_text(const char *type, int n) {
  size_t room = 300 * ((size_t)n + 1), used = 0;
  char *text = calloc(room, 1);
  double x = 0, z = 0;
  assert_non_null(text);
  used += (size_t)snprintf(text, room, "flyball: 1\nname: chain\ngravity: [0, 0, -9.81]\nbodies:\n");
  for (int k = 0; k < n; k++) {
    double angle = k % 2 ? 0.3 : -0.3;
    used += (size_t)snprintf(text + used, room - used,
                             "  b%d: {mass: 1, inertia: [0.01, 0.08, 0.08], position: [%.9g, 0, %.9g], orientation: "
                             "{axis: [0, -1, 0], angle: %g}}\n",
                             k, x + 0.5 * cos(angle), z + 0.5 * sin(angle), angle);
    x += cos(angle);
    z += sin(angle);
  }
  used += (size_t)snprintf(text + used, room - used, "joints:\n");
  x = z = 0;
  for (int k = 0; k < n; k++) {
    char body[20] = "ground", axis[30] = "";
    if (k > 0)
      snprintf(body, sizeof body, "b%d", k - 1);
    if (strcmp(type, "revolute") == 0)
      snprintf(axis, sizeof axis, ", axis: [0, %d, %d]", k % 2, 1 - k % 2);
    used += (size_t)snprintf(text + used, room - used, "  j%d: {type: %s, bodies: [%s, b%d], at: [%.9g, 0, %.9g]%s}\n",
                             k, type, body, k, x, z, axis);
    x += cos(k % 2 ? 0.3 : -0.3);
    z += sin(k % 2 ? 0.3 : -0.3);
  }
  assert_true(used < room);
  return text;
}

typedef struct cost {
  double entries;     // of the factors, a body
  double corrections; // a step
} cost;

// step 0: it follows the error
static cost cost_of(const char *type, int n, double step) {
  char *text = chain_text(type, n);
  machine *m = machine_text(text);
  fly_error error = {0};
  fly_dae_options o = fly_dae_options_default();
  double end = step > 0 ? 100 * step : 0.2;
  o.step = step;
  machine_all_rows(m);
  assert_ok(fly_solver_create(&m->solver, &m->system.dae, &o, &error), &error);
  assert_ok(fly_solver_start(m->solver, 0, end, m->system.q0, m->system.v0, NULL, &error), &error);
  assert_ok(fly_solver_advance(m->solver, end, &error), &error);
  fly_stats s = fly_solver_stats(m->solver);
  cost c = {(double)s.factor_entries / n, (double)s.newton_iterations / (double)s.steps};
  say("%s, %d bodies, step %g: %.1f entries a body, %.2f corrections a step\n", type, n, step, c.entries,
      c.corrections);
  machine_free(m);
  free(text);
  return c;
}

static void the_work_is_linear(void **state) {
  (void)state;
  const char *const type[] = {"spherical", "revolute"};
  const double entries[] = {540, 580}; // blocks of whole fours: 12 x 22 and 12 x 24 in each half, no fill
  for (int k = 0; k < 2; k++) {
    cost a = cost_of(type[k], 100, 0), b = cost_of(type[k], 400, 0);
    assert_close(b.entries / a.entries, 1, 0.03);
    assert_at_most(b.entries, entries[k]);
    assert_at_most(b.corrections, 2);
  }
}

// A step so small that what is left lies below the rounding of positions: 3.2 corrections on average; without the
// memory of where earlier ones stood still, 5.7.
static void corrections_stop_at_round_off(void **state) {
  (void)state;
  assert_at_most(cost_of("spherical", 100, 1e-6).corrections, 4);
}

// Corrections by half as many bytes as there are, and by all of them, end in the same motion.
static void whole_numbers_change_nothing(void **state) {
  (void)state;
  double q[2][7];
  for (int whole = 0; whole < 2; whole++) {
    char *text = chain_text("revolute", 100);
    machine *m = machine_text(text);
    fly_error error = {0};
    fly_dae_options o = fly_dae_options_default();
    machine_all_rows(m);
    assert_ok(fly_solver_create(&m->solver, &m->system.dae, &o, &error), &error);
    assert_ok(fly_solver_start(m->solver, 0, 0.2, m->system.q0, m->system.v0, NULL, &error), &error);
    if (whole) {
      assert_true(fly_matrix_keep_whole(m->solver));
      assert_false(fly_matrix_keep_whole(m->solver));
    }
    assert_ok(fly_solver_advance(m->solver, 0.2, &error), &error);
    memcpy(q[whole], fly_solver_state(m->solver).q + 7 * 99, sizeof q[whole]);
    machine_free(m);
    free(text);
  }
  bool same = true;
  for (int i = 0; i < 7; i++) {
    assert_at_most(fabs(q[0][i] - q[1][i]), 1e-6); // of errors of 1e-5
    same = same && q[0][i] == q[1][i];
  }
  assert_false(same); // they were others
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_work_is_linear),
                                     cmocka_unit_test(corrections_stop_at_round_off),
                                     cmocka_unit_test(whole_numbers_change_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
