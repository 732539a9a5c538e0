// Models against published and independent numbers, short runs. The long ones: test_references_slow.c.
#include "flyball/model.h"
#include "support/truths.h"
#include "system/references.h"

static void pendulum(void **state) {
  double energy;
  assert_at_most(pendulum_error(1e-7, &energy), 1e-5);
  assert_at_most(energy, 2e-6);
}

static void bricard(void **state) {
  double energy;
  assert_at_most(bricard_error(1e-6, 2.5, &energy), 1e-6);
  assert_at_most(energy, 2e-6);
}

// The public interface tells rank and names.
static void bricard_by_the_public_interface(void **state) {
  fly_mechanism *m;
  fly_run *r;
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  o.end = 0.01;
  o.error = 1e-4;
  assert_ok(fly_mechanism_load(&m, FLY_TEST_SOURCE_DIR "/examples/bricard.yaml", 0, NULL, &error), &error);
  assert_ok(fly_run_create(&r, m, &o, &error), &error);
  assert_ok(fly_run_start(r, &error), &error);
  assert_ok(fly_run_go(r, &error), &error);
  fly_mechanism_info info = fly_run_info(r);
  assert_int_equal(info.bodies, 5);
  assert_int_equal(info.coordinates, 30);
  assert_int_equal(info.rows, 30);
  assert_int_equal(info.rank, 29);
  assert_int_equal(info.redundant, 1);
  say("%s", fly_run_redundancy(r));
  assert_non_null(strstr(fly_run_redundancy(r), "follows from `J"));
  assert_close(fly_run_time(r), 0.01, 0);
  fly_run_free(r);
  fly_mechanism_free(m);
}

// The published column carries errors of 1e-9, the independent one is used.
static void seven_bodies(void **state) {
  double planar[7], spatial[7], planar_rate[7], spatial_rate[7], q, v;
  seven_body("seven-body-planar", 1e-6, planar, planar_rate, 0);
  seven_body_errors(planar, planar_rate, &q, &v);
  say("planar: %.2e rad, %.2e rad/s\n", q, v);
  assert_at_most(q, 2e-5);
  assert_at_most(v, 2e-2);
  seven_body("seven-body-spatial", 1e-6, spatial, spatial_rate, 9);
  seven_body_errors(spatial, spatial_rate, &q, &v);
  say("spatial: %.2e rad, %.2e rad/s\n", q, v);
  assert_at_most(q, 2e-5);
  assert_at_most(v, 2e-2);
  for (int k = 0; k < 7; k++) {
    assert_at_most(turn_between(planar[k], spatial[k]), 1e-8);
    assert_close(spatial_rate[k], planar_rate[k], 1e-5);
  }
}

static void spatial_slider_crank(void **state) {
  double slider, crank, energy;
  spatial_crank_errors(1e-6, 1.0, &slider, &crank, &energy);
  say("slider %.2e m, crank %.2e rad\n", slider, crank);
  assert_at_most(slider, 2e-6);
  assert_at_most(crank, 5e-5);
  assert_at_most(energy, 1e-6);
}

// Against the problem in the library's own list, solved by the reference integrator.
static void heavy_top(void **state) {
  const double end = 0.1;
  fly_problem p = problem_of("heavy-top", NULL, 0);
  reference_truth *truth = reference_truth_of(&p, end, 40);
  machine *m = machine_example("heavy-top");
  point at;
  double q = 0, v = 0;
  machine_start(m, 1e-6, end);
  for (int k = 1; k <= 4; k++) {
    fly_dae_state here = machine_at(m, end * k / 4);
    reference_at(&at, end * k / 4, truth);
    for (int c = 0; c < 3; c++) {
      q = fmax(q, fabs(here.q[c] - at.q[c]));
      v = fmax(v, fabs(here.v[c] - at.v[c]));
      v = fmax(v, fabs(here.v[3 + c] - at.v[3 + c]) / 150);
    }
    double cosine = 0;
    for (int c = 0; c < 4; c++)
      cosine += here.q[3 + c] * at.q[3 + c];
    q = fmax(q, 2 * sqrt(fmax(0, 2 - 2 * fabs(cosine))));
  }
  say_run("heavy top", 1e-6, q, m);
  assert_at_most(q, 1e-5);
  assert_at_most(v, 1e-4);
  machine_free(m);
  reference_truth_free(truth);
  fly_problem_free(&p);
}

// MATLAB's ode45 at 1e-6 (data/exudyn): angle and speed of the crank.
static void slider_crank_torque(void **state) {
  static const double ODE45[][3] = {{0.15222385, 0.61472188, 5.4430303},
                                    {0.33440547, 1.6891796, 7.3883521},
                                    {0.51692673, 4.31366, 13.433015},
                                    {0.69813688, 7.2561665, 15.020913},
                                    {0.88134475, 11.249834, 17.685814}};
  machine *m = machine_example("slider-crank-torque");
  double angle = 0, speed = 0;
  machine_start(m, 1e-5, 1.0);
  for (size_t k = 0; k < sizeof ODE45 / sizeof *ODE45; k++) {
    fly_dae_state at = machine_at(m, ODE45[k][0]);
    angle = fmax(angle, fabs(at.q[2] - ODE45[k][1]));
    speed = fmax(speed, fabs(at.v[2] - ODE45[k][2]));
  }
  say_run("slider crank", 1e-5, angle, m);
  say("speed %.2e rad/s\n", speed);
  assert_at_most(angle, 1e-3);
  assert_at_most(speed, 1e-2);
  machine_free(m);
}

// Constant acceleration of the spindle: nearly seven turns in two seconds, counted whatever the steps.
static void screw_jack(void **state) {
  const double load = 100, torque = 1.2, advance = 5e-3 / (2 * acos(-1.0));
  const double acceleration = (torque - load * 9.81 * advance) / (0.02 + load * advance * advance);
  machine *m = machine_example("screw-jack");
  machine_start(m, 1e-6, 2.0);
  for (int k = 1; k <= 20; k++) {
    fly_dae_state at = machine_at(m, 0.1 * k);
    double angle = acceleration / 2 * at.t * at.t;
    assert_close(machine_output(m, &at, "angle"), angle, 1e-5 * (1 + angle));
    assert_close(machine_output(m, &at, "lift"), advance * angle, 1e-8);
  }
  machine_free(m);
}

// Hooke's joint at 30 degrees, as in every textbook.
static void universal_joint(void **state) {
  const double pi = acos(-1.0), w1 = 20 * pi, b = pi / 6;
  machine *m = machine_example("universal-joint");
  machine_start(m, 1e-6, 0.2);
  for (int k = 0; k <= 20; k++) {
    fly_dae_state at = machine_at(m, 0.01 * k + 0.001 * (k % 3) * (k < 20));
    double s = sin(b) * sin(w1 * at.t);
    assert_close(machine_output(m, &at, "w1"), w1, 1e-6 * w1);
    assert_close(machine_output(m, &at, "w2"), w1 * cos(b) / (1 - s * s), 1e-5 * w1);
  }
  machine_free(m);
}

// Two wheels of 1 and 0.5 m coupled by a gear, the first driven at three turns a second; and a rack.
static void gear_and_rack(void **state) {
  machine *m = machine_text("flyball: 1\nbodies:\n"
                            "  one: {type: planar, mass: 1, inertia: 1}\n"
                            "  two: {type: planar, mass: 1, inertia: 1, position: [1.5, 0]}\n"
                            "  rack: {type: planar, mass: 1, inertia: 1, position: [0, 1]}\n"
                            "joints:\n"
                            "  p1: {type: revolute, from: ground, to: one}\n"
                            "  p2: {type: revolute, bodies: [ground, two], at: [1.5, 0, 0], axis: [0, 0, 1]}\n"
                            "  slide: {type: translational, bodies: [ground, rack], at: [0, 1, 0], axis: [1, 0, 0]}\n"
                            "  gear: {type: coupler, joints: [p1, p2], ratios: [1, 0.5]}\n"
                            "  teeth: {type: coupler, joints: [p1, slide], ratios: [1, 1]}\n"
                            "motions:\n"
                            "  drive: {joint: p1, angle: 6*pi*time}\n");
  machine_start(m, 1e-6, 2.0);
  assert_int_equal(m->rank, 9);
  for (int k = 1; k <= 20; k++) {
    fly_dae_state at = machine_at(m, 0.1 * k);
    double angle = 6 * acos(-1.0) * at.t;
    assert_close(at.q[2], angle, 1e-8);
    assert_close(at.q[5], -2 * angle, 1e-8);
    assert_close(at.q[6], -angle, 1e-8);
  }
  machine_free(m);
}

// A pendulum of 1 kg m^2 on a torsion spring wound by four turns: a cosine.
static void wound_spring(void **state) {
  machine *m =
      machine_text("flyball: 1\nbodies:\n  wheel: {mass: 1, inertia: [1, 1, 1]}\n"
                   "joints:\n  pin: {type: revolute, bodies: [ground, wheel], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                   "forces:\n  coil: {type: torsion-spring, joint: pin, stiffness: 25, free_angle: 8*pi}\n"
                   "outputs:\n  angle: az(wheel, ground)\n");
  machine_start(m, 1e-6, 2.0);
  for (int k = 1; k <= 20; k++) {
    fly_dae_state at = machine_at(m, 0.1 * k);
    assert_close(machine_output(m, &at, "angle"), 8 * acos(-1.0) * (1 - cos(5 * at.t)), 1e-4);
  }
  machine_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum),
      cmocka_unit_test(bricard),
      cmocka_unit_test(bricard_by_the_public_interface),
      cmocka_unit_test(seven_bodies),
      cmocka_unit_test(spatial_slider_crank),
      cmocka_unit_test(heavy_top),
      cmocka_unit_test(slider_crank_torque),
      cmocka_unit_test(screw_jack),
      cmocka_unit_test(universal_joint),
      cmocka_unit_test(gear_and_rack),
      cmocka_unit_test(wound_spring),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
