// labels: slow
// N four-bar mechanism, A02 of the IFToMM library: through its singular positions on the branch on which all vertical
// bars stay parallel, at every tolerance.
#include "base/check.h"
#include "system/machine.h"

// Exact motion, theta'' = k sin theta (problems.md), by Runge and Kutta's rule.
static double truth(int n, double end) {
  const double k = 3.0 * (3 * n + 1) / (2.0 * (4 * n + 1)) * 9.81;
  const int steps = 200000;
  double y = 0, w = 1, h = end / steps;
  for (int i = 0; i < steps; i++) {
    double a1 = k * sin(y), w2 = w + h / 2 * a1, a2 = k * sin(y + h / 2 * w), w3 = w + h / 2 * a2;
    double a3 = k * sin(y + h / 2 * w2), w4 = w + h * a3, a4 = k * sin(y + h * w3);
    y += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return y;
}

static machine *bars(int n) {
  size_t size = 2000 + 700 * (size_t)(2 * n + 2), used = 0;
  char *text = malloc(size);
#define ADD(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
  ADD("flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
  for (int k = 0; k <= n; k++)
    ADD("  v%d: {type: planar, mass: 1, inertia: 1/12, center: [0, 0.5], position: [%d, 0], angular_velocity: -1, "
        "markers: "
        "{top: [0, 1]}}\n",
        k, k);
  for (int k = 0; k < n; k++)
    ADD("  h%d: {type: planar, mass: 1, inertia: 1/12, center: [0.5, 0], position: [%d, 1], velocity: [1, 0], markers: "
        "{end: [1, 0]}}\n",
        k, k);
  ADD("joints:\n");
  for (int k = 0; k <= n; k++)
    ADD("  A%d: {type: revolute, bodies: [ground, v%d], at: [%d, 0, 0], axis: [0, 0, 1]}\n", k, k, k);
  for (int k = 0; k < n; k++)
    ADD("  B%d: {type: revolute, from: v%d.top, to: h%d}\n  C%d: {type: revolute, from: h%d.end, to: v%d.top}\n", k, k,
        k, k, k, k + 1);
#undef ADD
  machine *m = machine_text(text);
  free(text);
  return m;
}

static void run(int n, double tolerance, double end, double limit) {
  machine *m = bars(n);
  machine_start(m, tolerance, end);
  assert_int_equal(m->rank, m->model.nrow);
  fly_dae_state at = machine_at(m, end);
  double theta = truth(n, end), tip = 0, spread = 0;
  for (int k = 0; k <= n; k++) {
    double angle = -at.q[machine_body(m, m->model.body[k].name)->iq + 2];
    spread = fmax(spread, fabs(remainder(angle + at.q[2], 2 * acos(-1.0))));
    tip = fmax(tip, hypot(sin(angle) - sin(theta), cos(angle) - cos(theta)));
  }
  say("N = %d at %.0e: tip off by %.2e, bars by %.2e from parallel; %ld steps in %.2f s, energy %.1e J\n", n, tolerance,
      tip, spread, fly_solver_stats(m->solver).steps, fly_solver_stats(m->solver).wall_s,
      fly_solver_certificate(m->solver).energy_drift);
  assert_at_most(spread, 1e-3);
  assert_at_most(tip, limit);
  // Steps so near a singular position that round-off hides their error are few, and counted.
  fly_certificate c = fly_solver_certificate(m->solver);
  assert_at_most(c.estimate, tolerance);
  assert_at_most(c.singular, tolerance);
  assert_true((c.singular > 0) == (fly_solver_stats(m->solver).singular_steps > 0));
  assert_true(fly_solver_stats(m->solver).singular_steps < fly_solver_stats(m->solver).steps / 100);
  machine_free(m);
}

// Before the first singular position (t = 0.714 for N = 2).
static void before(void **state) {
  assert_close(truth(2, 10.0), 31.750597186981, 1e-8); // problems.md
  run(2, 1e-7, 0.7, 1e-5);
  run(40, 1e-5, 0.7, 1e-4);
}

static void two_1e4(void **state) { run(2, 1e-4, 10, 1e-2); }
static void two_1e5(void **state) { run(2, 1e-5, 10, 1e-3); }
static void two_1e6(void **state) { run(2, 1e-6, 10, 1e-4); }
static void two_1e7(void **state) { run(2, 1e-7, 10, 1e-5); }
static void forty_1e4(void **state) { run(40, 1e-4, 10, 1e-2); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(before),  cmocka_unit_test(two_1e4), cmocka_unit_test(two_1e5),
      cmocka_unit_test(two_1e6), cmocka_unit_test(two_1e7), cmocka_unit_test(forty_1e4),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
