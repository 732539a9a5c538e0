// What rests on a stop, or sticks, lets go where its load says, at any error asked for: explicit methods take long
// steps while nothing moves, and no error test sees multipliers.
//
// labels: events
#include "analysis/runs.h"
#include "system/machine.h"

static const char *const METHODS[] = {"partition", "hybrid", "direct", "auto", "radau"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };
static const double ERRORS[] = {1e-1, 1e-3, 1e-5};
enum { ERROR_COUNT = sizeof ERRORS / sizeof *ERRORS };

// How often all events of a part happened; *last: when.
static long count(const driven *d, const char *part, double *last) {
  long sum = 0;
  for (int k = 0; k < fly_run_events(d->run); k++) {
    const fly_event_told e = fly_run_event(d->run, k);
    if (!e.part || strcmp(e.part, part) != 0 || e.count == 0)
      continue;
    sum += e.count;
    *last = e.last;
  }
  return sum;
}

// F cos(w t) presses a block on its stop, on a spring of k N/m that pulls it off: it leaves where F cos(w t) = 0.1 k.
// By either end of its guide.
static void leaves_once(const char *method, double error, double F, double w, double k, int side) {
  char text[1000];
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  c: {type: planar, mass: 1, inertia: 0.1, velocity: [%g, 0]}\n"
           "joints:\n  g: {type: translational, bodies: [ground, c], at: [0, 0, 0], axis: [1, 0, 0], "
           "limits: {low: -0.1, high: 0.1, restitution: 0}}\n"
           "forces:\n  f: {type: force, at: c, force: [\"-%.17g*dx(c) + %.17g*cos(%.17g*time)\", 0, 0]}\n",
           side * 3.0, k, side * F, w);
  const double leaves = acos(0.1 * k / F) / w;
  double last = 0;
  driven d = run_well(text, method, error, 1.15 * leaves, 0.01, "c.x g.stop");
  assert_int_equal(count(&d, "meets", &last), 1);
  assert_int_equal(count(&d, "leaves", &last), 1);
  assert_close(last, leaves, 1e-7);
  assert_close(row_of(&d, d.rows - 1)[2], 0, 0);
  driven_free(&d);
}

static void a_stop_is_left_once(void **state) {
  (void)state;
  unsigned seed = 7;
  for (int m = 0; m < METHOD_COUNT; m++)
    for (int e = 0; e < ERROR_COUNT; e++)
      for (int side = -1; side < 2; side += 2) {
        double u[3];
        for (int i = 0; i < 3; i++)
          u[i] = ((seed = seed * 1103515245u + 12345u) >> 8 & 0xffff) / 65536.0;
        const double F = 2 + 3 * u[0];
        leaves_once(METHODS[m], ERRORS[e], F, 1 + 4 * u[1], u[2] < 0.3 ? 0 : 8 * F * u[2], side);
      }
}

// The largest of the roots of a part where a block that touches nothing is at x and goes with v.
static double root_of(const char *part, double x, double v) {
  machine *m = machine_text("flyball: 1\nbodies: {c: {type: planar, mass: 1, inertia: 0.1}}\n"
                            "joints:\n  g: {type: translational, bodies: [ground, c], at: [0, 0, 0], axis: [1, 0, 0], "
                            "limits: {low: -0.1, high: 0.1, restitution: 0}}\n");
  double roots[10] = {0}, q[3] = {x, 0, 0}, rates[3] = {v, 0, 0}, zeros[10] = {0}, largest = -INFINITY;
  machine_all_rows(m);
  assert_in_range(m->model.nroot, 1, 10);
  const fly_dae_state at = {.q = q, .v = rates, .vdot = zeros, .lambda = zeros, .x = zeros, .xdot = zeros, .y = zeros};
  assert_int_equal(m->system.dae.roots(roots, &at, &m->system), 0);
  for (int k = 0; k < m->model.nroot; k++)
    if (strcmp(m->model.event[k].part, part) == 0)
      largest = fmax(largest, roots[k]);
  machine_free(m);
  return largest;
}

// Beyond a limit, by more than dense output bends, what goes on outwards has overrun it. What comes back has left it,
// and is not met once more, however far beyond it seems to be; nor is what goes outwards short of it.
static void what_goes_away_is_not_met(void **state) {
  (void)state;
  static const char *const parts[] = {"meets", "overruns"};
  for (int k = 0; k < 2; k++)
    for (int side = -1; side < 2; side += 2) {
      assert_true(root_of(parts[k], side * 0.100001, side * 0.5) > 0);
      assert_true(root_of(parts[k], side * 0.100001, -side * 0.5) < 0);
      assert_true(root_of(parts[k], side * 0.099999, side * 0.5) < 0);
    }
}

// A block that sticks is pulled by 40 sin t: it breaks away at 0.5 * 2 * 9.81 N, once.
static void what_sticks_breaks_away_once(void **state) {
  (void)state;
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n  c: {type: planar, mass: 2, inertia: 0.1}\n"
      "joints:\n  g: {type: translational, bodies: [ground, c], at: [0, 0, 0], axis: [1, 0, 0], "
      "friction: {mu: 0.4, mu_static: 0.5}}\nforces:\n  f: {type: force, at: c, force: [40*sin(time), 0, 0]}\n";
  for (int m = 0; m < METHOD_COUNT; m++)
    for (int e = 0; e < ERROR_COUNT; e++) {
      double last = 0;
      driven d = run_well(text, METHODS[m], ERRORS[e], 0.5, 0.1, "c.x");
      assert_int_equal(count(&d, "breaks_away", &last), 1);
      assert_close(last, asin(9.81 / 40), 1e-7);
      driven_free(&d);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stop_is_left_once),
      cmocka_unit_test(what_goes_away_is_not_met),
      cmocka_unit_test(what_sticks_breaks_away_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
