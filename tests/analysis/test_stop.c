// A run that is asked to stop does so in all that it does: pilots begin with a system of their own, which must listen
// too.
#define _POSIX_C_SOURCE 200809L
#include "analysis/assembly.h"
#include "analysis/simulation.h"

static const char pendulum[] = "flyball: 1\n"
                               "gravity: [0, -9.81, 0]\n"
                               "bodies: {a: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}}\n"
                               "joints: {pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0]}}\n";

static bool at_once(void *user) {
  ++*(int *)user;
  return true;
}

// A large model takes seconds to start as another one did.
static void a_start_as_another_listens(void **state) {
  fly_error error = {0};
  fly_mechanism *m;
  fly_assembly first = {0}, second = {0};
  int asked = 0;
  const fly_dae_options o = fly_dae_options_default();
  assert_ok(fly_mechanism_parse(&m, "test", pendulum, strlen(pendulum), 0, NULL, &error), &error);
  assert_ok(fly_assemble(&first, m, &o, 1, &error), &error);
  fly_assembly_note_start(&first);
  assert_ok(fly_assembly_prepare(&second, m, &o, 1, &error), &error);
  assert_ok(fly_assembly_start_as(&second, &first, &o, &error), &error);
  fly_assembly_free(&second);
  second = (fly_assembly){0};
  assert_ok(fly_assembly_prepare(&second, m, &o, 1, &error), &error);
  second.all.stop = at_once;
  second.all.stop_user = &asked;
  assert_int_not_equal(fly_assembly_start_as(&second, &first, &o, &error), FLY_OK);
  assert_int_equal(asked, 1);
  fly_assembly_free(&second);
  fly_assembly_free(&first);
  fly_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_start_as_another_listens)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
