// Dry friction at rest: statics finds the position without it and says so, modes are those of what friction leaves
// free.
#define _POSIX_C_SOURCE 200809L
#include "analysis/rest.h"

#include "flyball/modes.h"

// A double pendulum whose upper pin sticks 0.1 m beside the vertical; the lower bob hangs 1 m below the knee.
static const char pendulum[] =
    "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  bob: {type: planar, mass: 2, inertia: 0.1, position: [0.1, -1]}\n"
    "  low: {type: planar, mass: 2, inertia: 0.1, position: [0.1, -2]}\njoints:\n"
    "  pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], friction: {mu: %s, radius: 0.1}}\n"
    "  knee: {type: revolute, bodies: [bob, low], at: [0.1, -1, 0]}\n";

typedef struct vibrating {
  fly_mechanism *mechanism;
  fly_modes *m;
  fly_status status;
  fly_error error;
} vibrating;

static vibrating modes_of(const char *mu, bool equilibrium) {
  char text[1000];
  vibrating v = {0};
  fly_modes_options o = fly_modes_options_default();
  o.equilibrium = equilibrium;
  snprintf(text, sizeof text, pendulum, mu);
  assert_ok(fly_mechanism_parse(&v.mechanism, "model", text, strlen(text), 0, NULL, &v.error), &v.error);
  v.status = fly_modes_create(&v.m, v.mechanism, &o, &v.error);
  return v;
}

static void vibrating_free(vibrating *v) {
  fly_modes_free(v->m);
  fly_mechanism_free(v->mechanism);
}

static void what_sticks_does_not_vibrate(void **state) {
  vibrating v = modes_of("1.2", false);
  assert_ok(v.status, &v.error);
  assert_int_equal(fly_modes_info_of(v.m).dof, 1);
  assert_close(fly_modes_get(v.m, 0)->frequency, sqrt(2 * G / 2.1) / (2 * acos(-1)), 1e-9);
  assert_non_null(strstr(fly_modes_notes(v.m), "Friction holds `pin`"));
  vibrating_free(&v);
  v = modes_of("1.2", true);
  assert_ok(v.status, &v.error);
  assert_int_equal(fly_modes_info_of(v.m).dof, 2);
  assert_non_null(strstr(fly_modes_notes(v.m), "The friction of `pin` is left out"));
  vibrating_free(&v);
  v = modes_of("0.3", false);
  assert_int_equal(v.status, FLY_INCONSISTENT); // it slips
  vibrating_free(&v);
}

static void statics_says_what_friction_would_hold(void **state) {
  char text[1000];
  snprintf(text, sizeof text, pendulum, "1.2");
  rest r = find(text, NULL, 0, NULL);
  assert_ok(r.status, &r.error);
  assert_non_null(strstr(r.at->notes, "The friction of `pin` is left out"));
  done(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_sticks_does_not_vibrate),
      cmocka_unit_test(statics_says_what_friction_would_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
