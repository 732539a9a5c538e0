// Derivatives of friction: by every law, while it slides either way and where it sticks, against differences, in any
// place. Multipliers, velocities and the bristle are among what it depends on.
//
// labels: derivatives
#define _POSIX_C_SOURCE 200809L
#include "system/checks.h"

static const char *const LAWS[] = {"{law: coulomb, mu: 0.3, mu_static: 0.4, preload: 2, %s}",
                                   "{law: stribeck, mu: 0.3, mu_static: 0.5, stribeck_speed: 0.7, viscous: 0.2, %s}",
                                   "{law: regularized, mu: 0.3, mu_static: 0.5, stribeck_speed: 0.7, "
                                   "transition_speed: 0.4, %s}",
                                   "{law: lugre, mu: 0.3, mu_static: 0.5, stribeck_speed: 0.7, stiffness: 3, "
                                   "damping: 0.5, %s}"};
static const struct {
  const char *joint, *lengths;
} JOINTS[] = {{"revolute", "radius: 0.2, axial_radius: 0.3, bending_arm: 0.5"},
              {"translational", "radius: 0.2, bending_arm: 0.5"},
              {"cylindrical", "radius: 0.2, bending_arm: 0.5"},
              {"universal", "radius: 0.2, axial_radius: 0.3, bending_arm: 0.5"},
              {"spherical", "radius: 0.2"}};
static const int HELD[] = {1, 1, 2, 2, 3}; // rows where they stick

// Slides any way, by the number of it; 0: none is known.
static void hold(machine *m, double stuck, int way) {
  for (int k = 0; k < m->model.nfriction; k++) {
    const fly_model_friction *f = &m->model.friction[k];
    if (f->stuck < 0)
      continue;
    fly_system_set_held(&m->system, f->stuck, stuck);
    for (int i = 0; i < f->n; i++)
      fly_system_set_held(&m->system, f->direction + i, way * (f->n == 1 ? 1 : i == 0 ? 0.6 : 0.8 / sqrt(f->n - 1)));
  }
}

static void every_law_of_every_joint(void **state) {
  uint64_t seed = 11;
  for (size_t j = 0; j < sizeof JOINTS / sizeof *JOINTS; j++)
    for (size_t l = 0; l < sizeof LAWS / sizeof *LAWS; l++) {
      char friction[400], text[1500];
      snprintf(friction, sizeof friction, LAWS[l], JOINTS[j].lengths);
      snprintf(text, sizeof text,
               "flyball: 1\nbodies:\n  a: {mass: 1.3, inertia: [0.2, 0.3, 0.4], position: [0.1, 0.2, 0.3]}\n"
               "  b: {mass: 0.7, inertia: [0.1, 0.15, 0.12], position: [0.5, -0.2, 0.1]}\n"
               "joints:\n  j: {type: %s, bodies: [a, b], at: [0.2, 0.1, 0], %sfriction: %s}\n",
               JOINTS[j].joint,
               strcmp(JOINTS[j].joint, "spherical") == 0   ? ""
               : strcmp(JOINTS[j].joint, "universal") == 0 ? "axis: [1, 2, 3], axis2: [2, -1, 0], "
                                                           : "axis: [1, 2, 3], ",
               friction);
      machine *m = machine_text(text);
      machine_all_rows(m);
      const int rows = m->system.nactive;
      for (int d = -1; d <= 1; d++) {
        hold(m, 0, d);
        for (int k = 0; k < 3; k++)
          check_derivatives(m, text, &seed);
      }
      hold(m, 1, 0);
      assert_true(fly_system_switch(&m->system, 0.0, m->system.q0, m->system.v0));
      assert_int_equal(m->system.nactive, rows + (l < 2) * HELD[j]);
      for (int k = 0; k < 3; k++)
        check_derivatives(m, text, &seed);
      machine_free(m);
    }
}

// A law has no text in the model: what is wrong with it is told at its joint. Its text was looked for, and the program
// ended there.
static void what_is_odd_is_told_at_the_joint(void **state) {
  machine *m = machine_text("flyball: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
                            "joints:\n  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], "
                            "friction: {law: lugre, mu: 0.3, radius: 0.1, stiffness: 100}}\n");
  char text[400];
  const fly_odd odd[] = {{true, m->model.friction[0].item, 2, "torque", NAN, 0.5},
                         {true, m->model.friction[0].item, 0, "rate", INFINITY, 0.5}};
  for (int k = 0; k < 2; k++) {
    fly_odd_text(text, sizeof text, &m->model, &odd[k]);
    assert_non_null(strstr(text, "`pin`"));
    assert_non_null(strstr(text, "at t = 0.5 s: `friction`"));
  }
  machine_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_law_of_every_joint),
                                     cmocka_unit_test(what_is_odd_is_told_at_the_joint)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
