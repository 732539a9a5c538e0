// Channels of forces in expressions: what a variable says of a spring, a torsion spring or a force is what the results
// say of it, bit for bit, by laws and by numbers, and while it is switched off.
#include "analysis/driven.h"

static const char model[] =
    "flyball: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], markers: {e: [0.1, 0.2, 0.3]}}\n"
    "joints: {pin: {bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
    "forces:\n"
    "  s: {from: ground, to: a.e, stiffness: 50, damping: 2, preload: 0.3}\n"
    "  n: {from: ground, to: a.e, force: -3*length^3 - rate + sin(time)}\n"
    "  coil: {type: torsion-spring, joint: pin, stiffness: 5, damping: 0.1, free_angle: 0.2}\n"
    "  law: {type: torsion-spring, joint: pin, torque: -2*angle*abs(angle) - 0.2*rate}\n"
    "  wind: {type: force, at: a.e, force: [0.3*vx(a), sin(time), 0], torque: [0, coil.torque/10, 0]}\n"
    "events: {cut: {at: 0.5, set: {s.on: 0}}}\n"
    "variables: {v1: s.force, v2: n.length, v3: n.force, v4: coil.angle, v5: coil.torque, v6: law.torque, v7: "
    "wind.fx,\n"
    "  v8: wind.ty}\n"
    "simulate: {error: 1e-6}\n";

static void variables_say_what_forces_are(void **state) {
  driven d = driven_default(FLY_DYNAMICS, 1, 0.05);
  drive(&d, model,
        "s.force v1 n.length v2 n.force v3 coil.angle v4 coil.torque v5 law.torque v6 wind.fx v7 wind.ty v8");
  assert_ok(d.status, &d.error);
  assert_true(d.rows > 20);
  for (long i = 0; i < d.rows; i++)
    for (int k = 1; k < 16; k += 2)
      assert_true(row_of(&d, i)[k] == row_of(&d, i)[k + 1]);
  driven_free(&d);
}

// Against the same model with the laws written out.
static void forces_may_use_each_other(void **state) {
  static const char *const laws[] = {"\"s.force + 0.5*coil.torque\"",
                                     "\"-(40*(dm(a.e, ground) - 0.8) + 2*vr(a.e)) - 0.5*(3*pin.angle + 0.1*pin.w)\""};
  double end[2][2];
  for (int k = 0; k < 2; k++) {
    char text[2000];
    driven d = driven_default(FLY_DYNAMICS, 1, 1);
    snprintf(
        text, sizeof text,
        "flyball: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], markers: {e: [0.1, 0.2, 0]}}}\n"
        "joints: {pin: {bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], angular_velocity: 1}}\n"
        "forces:\n  s: {from: ground, to: a.e, stiffness: 40, damping: 2, free_length: 0.8}\n"
        "  coil: {type: torsion-spring, joint: pin, stiffness: 3, damping: 0.1}\n"
        "  push: {type: force, at: a.e, force: [%s, 0, 0]}\nsimulate: {error: 1e-8}\n",
        laws[k]);
    drive(&d, text, "a.x a.wz");
    assert_ok(d.status, &d.error);
    memcpy(end[k], row_of(&d, d.rows - 1) + 1, sizeof end[k]);
    driven_free(&d);
  }
  assert_close(end[0][0], end[1][0], 1e-9);
  assert_close(end[0][1], end[1][1], 1e-9);
}

static void refuse(const char *force, const char *expected) {
  char text[1000];
  driven d = driven_default(FLY_DYNAMICS, 1, 1);
  snprintf(text, sizeof text,
           "flyball: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nforces:\n  b: {type: bushing, from: ground, to: a, "
           "stiffness: [1, 1, 1, 1, 1, 1]}\n  s: {from: ground, to: a, force: %s}\n"
           "  p: {type: force, at: a, force: [s.force, 0, 0]}\n",
           force);
  drive(&d, text, "");
  if (d.status == FLY_OK || strstr(d.error.message, expected) == NULL)
    fail_msg("'%s' is not in '%s'", expected, d.error.message);
  driven_free(&d);
}

static void what_leads_back_is_refused(void **state) {
  refuse("b.fx", "the bushing 'b' has no 'fx' for expressions");
  refuse("b.twist", "the bushing 'b' has no 'twist'");
}

static void a_law_that_needs_itself_is_refused(void **state) {
  static const char text[] = "flyball: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nforces:\n"
                             "  p: {type: force, at: a, force: [q.fx, 0, 0]}\n"
                             "  q: {type: force, at: a, force: [2*p.fx, 0, 0]}\n";
  driven d = driven_default(FLY_DYNAMICS, 1, 1);
  drive(&d, text, "");
  assert_int_equal(d.status, FLY_BAD_INPUT);
  if (strstr(d.error.message, "'q.fx' needs itself through others, and would never end") == NULL)
    fail_msg("%s", d.error.message);
  driven_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(variables_say_what_forces_are),
      cmocka_unit_test(forces_may_use_each_other),
      cmocka_unit_test(what_leads_back_is_refused),
      cmocka_unit_test(a_law_that_needs_itself_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
