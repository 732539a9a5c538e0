// Turns of angles: whatever the method and however far a step goes, joints and measures count all of them.
#define _POSIX_C_SOURCE 200809L
#include "analysis/simulation.h"
#include "base/check.h"
#include "system/system.h"

// A rotor under a torque of so many times t^n, theta = 100 t^2/2, 600 t^3/6, 12 t^4/12.
static const char rotor[] =
    "flyball: 1\n"
    "bodies:\n  rotor: {mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n  pin: {type: revolute, bodies: [ground, rotor], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n  motor: {type: force, at: rotor, torque: [0, 0, \"%s\"]}\n"
    "outputs:\n  turn: az(rotor)\n"
    "simulate: {end: 10, output: 0.37, channels: coordinates outputs, %s}\n";

typedef struct seen {
  double power, factor; // theta = factor t^power
  double worst;         // of both angles, against their size
  long rows;
} seen;

static void see(const double *row, void *user) {
  seen *s = user;
  double angle = s->factor * pow(row[0], s->power);
  s->worst = fmax(s->worst, fmax(fabs(row[1] - angle), fabs(row[3] - angle)));
  s->rows++;
}

static void spin(const char *torque, const char *method, seen *s) {
  char text[1000];
  simulation run = {.options = fly_run_options_default()};
  run.options.row = see;
  run.options.user = s;
  snprintf(text, sizeof text, rotor, torque, method);
  simulate_text(&run, text);
  assert_ok(run.status, &run.error);
  assert_true(s->rows > 20);
  simulation_free(&run);
}

static void every_turn_is_counted(void **state) {
  static const char *const method[] = {"error: 1e-3",           "method: radau",
                                       "method: partition",     "method: hht, error: 1e-2",
                                       "method: ch, step: 0.5", "method: hht, formulation: index3, error: 1e-2"};
  static const struct {
    const char *torque;
    double power, factor;
  } law[] = {{"100", 2, 50}, {"-100", 2, -50}, {"600*time", 3, 100}, {"-600*time", 3, -100}, {"12*time^2", 4, 1}};
  for (size_t m = 0; m < sizeof method / sizeof *method; m++)
    for (size_t k = 0; k < sizeof law / sizeof *law; k++) {
      bool fixed = strstr(method[m], "step") != NULL;
      seen s = {.power = law[k].power, .factor = law[k].factor};
      if (law[k].power > (fixed ? 2 : strstr(method[m], "radau") ? 4 : law[k].factor < 0 ? 2 : 3))
        continue; // not the motion any more, or many steps
      spin(law[k].torque, method[m], &s);
      print_message("%-35s %-12s off by %.1e rad\n", method[m], law[k].torque, s.worst);
      assert_true(s.worst < 1e-2); // the largest error asked for
    }
}

// A step in which a spring cannot have felt the right turns is refused, by its name.
static void a_step_too_far_is_refused(void **state) {
  static const char wound[] =
      "flyball: 1\n"
      "bodies:\n  rotor: {mass: 1, inertia: [1, 1, 1]}\n"
      "joints:\n  pin: {type: revolute, bodies: [ground, rotor], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "forces:\n  motor: {type: force, at: rotor, torque: [0, 0, 100]}\n"
      "  coil: {type: torsion-spring, joint: pin, stiffness: 1e-6}\n"
      "simulate: {end: 10, step: 1}\n";
  simulation run = {.options = fly_run_options_default()};
  simulate_text(&run, wound);
  assert_int_equal(run.status, FLY_NO_CONVERGENCE);
  assert_non_null(strstr(run.error.message, "`coil` has turned so far in one step of 1 s"));
  simulation_free(&run);
}

// Behind a step of no length, as an event leaves it, what its ends differ by is no acceleration.
static void a_short_step_says_little(void **state) {
  static fly_system s;
  const fly_turn turn = {.angle = 2.3, .rate = 30, .from = 2.3, .from_rate = 29.999};
  s.accepted = 1;
  s.before = 1 - 1e-12;
  assert_true(fly_count_turns(&s, &turn, 1.003, 2.39) == 2.39);
  s.before = 0.998; // 1000 rad/s^2, and three turns to count
  const fly_turn fast = {.angle = 2.3, .rate = 6000, .from = -9.7, .from_rate = 5998};
  assert_between(fly_count_turns(&s, &fast, 1.003, 1.49), 20.33, 20.35);
}

// The same joint, driven.
static void driven_turns_are_counted(void **state) {
  static const char driven[] =
      "flyball: 1\n"
      "bodies:\n  rotor: {mass: 1, inertia: [1, 1, 1]}\n"
      "joints:\n  pin: {type: revolute, bodies: [ground, rotor], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "motions:\n  drive: {joint: pin, angle: -50*time^2}\n"
      "outputs:\n  turn: az(rotor)\n"
      "simulate: {end: 3, output: 0.7, channels: coordinates outputs}\n";
  static const fly_analysis list[] = {FLY_DYNAMICS, FLY_KINEMATICS, FLY_INVERSE};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    seen s = {.power = 2, .factor = -50};
    simulation run = {.options = fly_run_options_default()};
    run.options.analysis = list[k];
    run.options.row = see;
    run.options.user = &s;
    simulate_text(&run, driven);
    assert_ok(run.status, &run.error);
    assert_true(s.rows >= 5 && s.worst < 1e-4);
    simulation_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_turn_is_counted), cmocka_unit_test(driven_turns_are_counted),
      cmocka_unit_test(a_short_step_says_little), cmocka_unit_test(a_step_too_far_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
