// docs/adding-a-force.md followed to the letter: two forces of one file and one row each, through reader, model,
// system, statics, channels, state space, scene and writer.
// elements: forces/rope forces/thrust
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <stdio.h>

#include "system/checks.h"

#include "analysis/rest.h"
#include "io/scene.h"

#define BODIES                                                                                                         \
  "flyball: 1\nbodies:\n"                                                                                              \
  "  a: {mass: 1.3, inertia: [0.4, 0.5, 0.6, 0.05, -0.03, 0.02], position: [0.4, 0, 0.1],\n"                           \
  "    orientation: {axis: [1, 2, 3], angle: 0.7}, markers: {m: {at: [0.3, 0.2, 0.1], axis: [2, -1, 2]}}}\n"           \
  "  b: {mass: 0.7, inertia: [0.3, 0.2, 0.25], position: [-0.4, 0.5, 0.2], markers: {m: [-0.3, 0.4, 0.2]}}\n"          \
  "  p: {type: planar, mass: 2, inertia: 0.3, position: [1, 0.5], markers: {m: [0.3, -0.1]}}\n"                        \
  "  o: {type: point, mass: 0.5, position: [1, 0.2, -0.4]}\n"

static void check_text(const char *name, const char *text, int properties) {
  machine *m = machine_text(text);
  check_machine(m, name, 0.2, properties);
  machine_free(m);
}

static void derivatives_energy_and_round_trip(void **state) {
  check_text("rope",
             BODIES "forces:\n  r: {type: rope, from: a.m, over: b.m, to: p.m, stiffness: 30}\n"
                    "  s: {type: spring, from: o, to: b, stiffness: 4}\n",
             CONSERVATIVE);
  check_text("rope afloat",
             BODIES "forces:\n  r: {type: rope, from: a.m, over: b.m, to: o, stiffness: 30, damping: 2}\n"
                    "  s: {type: rope, from: b, over: a.m, to: b.m, stiffness: 30, free_length: 0.2}\n",
             FLOATING);
  check_text("thrust",
             BODIES "forces: {t: {type: thrust, at: a.m, force: 3}}\n"
                    "outputs: {power: '3*vx(a.m, ground, a.m)'}\n",
             0);
}

static void mistakes_are_told_with_their_place(void **state) {
  fly_error error = {0};
  assert_true(machine_refused(BODIES "forces: {r: {type: rope, from: a, over: a, to: a, stiffness: 3}}\n", &error));
  assert_says(&error, "text:8:");
  assert_says(&error, "rope `r`: it has no length at the start");
}

// A mass on a rope over a fixed point.
#define HANGING(more)                                                                                                  \
  "flyball: 1\ngravity: [0, 0, -10]\nbodies:\n"                                                                        \
  "  ground: {markers: {top: [1, 0, 3]}}\n"                                                                            \
  "  bob: {mass: 2, inertia: [1, 1, 1], position: [1, 0, 1]}\n"                                                        \
  "joints: {line: {type: translational, bodies: [ground, bob], at: [1, 0, 1], axis: [0, 0, 1]}}\n"                     \
  "forces:\n  r: {type: rope, from: ground, over: ground.top, to: bob, stiffness: 100, damping: 10}\n" more

static void statics_know_it(void **state) {
  for (int k = 0; k < 3; k++) {
    rest r = find(HANGING(""), WAYS[k], 0, NULL);
    assert_found(&r, FLY_POISE_STABLE);
    assert_near(value(&r, "bob", "z"), 0.8, 1e-9);
    assert_near(value(&r, "r", "length"), sqrt(10) + 2.2, 1e-9);
    assert_near(value(&r, "r", "tension"), 20, 1e-7);
    done(&r);
  }
  rest r = find(HANGING("  t: {type: thrust, at: bob, force: 1}\n"), "energy", 0, NULL);
  assert_int_equal(r.status, FLY_BAD_INPUT);
  assert_says(&r.error, "force `t` has no potential energy");
  done(&r);
}

static void inputs_of_state_spaces_push_along_it(void **state) {
  machine *m = machine_text(HANGING("  t: {type: thrust, at: bob, force: 1}\n"));
  double Q[6];
  machine_start(m, 1e-6, 1);
  const fly_dae_state at = fly_solver_state(m->solver);
  assert_true(fly_system_force_direction(&m->system, &at, 0, Q));
  assert_near(Q[2], -1, 1e-12); // what lets the rope grow pushes the bob down
  assert_false(fly_system_force_direction(&m->system, &at, 1, Q));
  machine_free(m);
}

// z - z(0) = F/m t^2/2 along x, and the work is what the ledger has.
static void the_ledger_and_the_channels_know_them(void **state) {
  simulation s = simulation_default(1, NAN);
  fly_result *r = simulate_into_folder(
      &s, "flyball: 1\nbodies: {a: {mass: 2, inertia: [1, 1, 1]}}\nforces:\n  t: {type: thrust, at: a, force: 4}\n"
          "  r: {type: rope, from: ground, over: a, to: ground, stiffness: 0, free_length: 1, damping: 0}\n");
  const fly_ledger ledger = fly_run_ledger(s.run);
  assert_near(ledger.forces, 4, 1e-4);
  assert_near(ledger.kinetic, 4, 1e-4);
  double *x = read_channel(r, "a.x"), *length = read_channel(r, "r.length");
  assert_near(x[1000], 1, 1e-4);
  assert_near(length[1000], 2, 2e-4);
  free(x);
  free(length);
  fly_result_close(r);
  simulation_free(&s);
}

static void scene_and_manual_show_it(void **state) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  char *bytes = NULL, *text = NULL;
  size_t size = 0;
  assert_ok(fly_mechanism_parse(&m, "model", HANGING(""), strlen(HANGING("")), 0, NULL, &error), &error);
  assert_ok(fly_scene_make(&bytes, &size, m, NULL, &error), &error);
  const char *force = strstr(bytes, "\"forces\"");
  assert_non_null(force);
  assert_non_null(strstr(force, "\"look\":\"rod\""));
  assert_non_null(strstr(force, "\"marker\":\"top\""));
  FILE *file = open_memstream(&text, &size);
  assert_ok(fly_explain("rope", fly_to_file, file, &error), &error);
  fclose(file);
  assert_non_null(strstr(text, "an elastic rope that runs over a point"));
  free(bytes);
  free(text);
  fly_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_energy_and_round_trip),
      cmocka_unit_test(mistakes_are_told_with_their_place),
      cmocka_unit_test(statics_know_it),
      cmocka_unit_test(inputs_of_state_spaces_push_along_it),
      cmocka_unit_test(the_ledger_and_the_channels_know_them),
      cmocka_unit_test(scene_and_manual_show_it),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
