// labels: slow
// The long runs against published and independent numbers, at the tolerance of the requirements.
#include "support/truths.h"
#include "system/references.h"

static void bricard_to_the_end(void **state) {
  double energy;
  assert_at_most(bricard_error(1e-7, 10.0, &energy), 1e-6);
  assert_at_most(energy, 1e-6);
}

static void seven_bodies(void **state) {
  double planar[7], spatial[7], planar_rate[7], spatial_rate[7], q, v;
  seven_body("seven-body-planar", 1e-7, planar, planar_rate, 0);
  seven_body_errors(planar, planar_rate, &q, &v);
  say("planar: %.2e rad, %.2e rad/s\n", q, v);
  assert_at_most(q, 2e-6);
  assert_at_most(v, 2e-3);
  seven_body("seven-body-spatial", 1e-7, spatial, spatial_rate, 9);
  seven_body_errors(spatial, spatial_rate, &q, &v);
  say("spatial: %.2e rad, %.2e rad/s\n", q, v);
  assert_at_most(q, 2e-6);
  assert_at_most(v, 2e-3);
}

// Published rows to 1.3e-5 m and 3.3e-4 rad.
static void spatial_slider_crank(void **state) {
  double slider, crank, energy;
  spatial_crank_errors(1e-7, 5.0, &slider, &crank, &energy);
  say("slider %.2e m, crank %.2e rad\n", slider, crank);
  assert_at_most(slider, 1.5e-5);
  assert_at_most(crank, 3.5e-4);
  assert_at_most(energy, 1e-7);
}

// End value of the problem `heavy-top`, to 20 digits there.
static void heavy_top(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  machine *m = machine_example("heavy-top");
  machine_start(m, 1e-7, 1.0);
  fly_dae_state at = machine_at(m, 1.0);
  double worst = 0;
  for (int c = 0; c < 3; c++)
    worst = fmax(worst, fabs(at.q[c] - p.reference_q[c]));
  say_run("heavy top", 1e-7, worst, m);
  assert_at_most(worst, 1e-6);
  machine_free(m);
  fly_problem_free(&p);
}

// theta(3), independent; MATLAB's own end is off by 4.5e-3.
static void slider_crank_torque(void **state) {
  machine *m = machine_example("slider-crank-torque");
  machine_start(m, 1e-6, 3.0);
  fly_dae_state at = machine_at(m, 3.0);
  double worst = fabs(at.q[2] - 121.8862775);
  say_run("slider crank", 1e-6, worst, m);
  assert_at_most(worst, 1e-4);
  machine_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bricard_to_the_end),   cmocka_unit_test(seven_bodies),
      cmocka_unit_test(spatial_slider_crank), cmocka_unit_test(heavy_top),
      cmocka_unit_test(slider_crank_torque),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
