// Motions: given as position, velocity or acceleration, of joints and between markers, in space and in the plane.
#include <math.h>

#include "system/machine.h"
#include "system/motion.h"

static const double PI = 3.14159265358979323846;

// ------------------------------------------------------------------------------------------ integration

static fly_expr *compiled(const char *text) {
  fly_expr *e = NULL;
  fly_error error = {0};
  fly_expr_scope scope = fly_expr_scope_default();
  assert_ok(fly_expr_compile(&e, text, &scope, &error), &error);
  return e;
}

// The second integral of cos 3t is (1 - cos 3t)/9, in one piece and in many.
static void integrals_are_exact(void **state) {
  for (int pieces = 1; pieces <= 10000; pieces *= 100) {
    fly_motion v = {.expression = compiled("cos(3*time)"), .level = 1, .s = 2};
    fly_motion a = {.expression = v.expression, .level = 2, .s = 2, .v = -1};
    double at[3];
    for (int k = 1; k <= pieces; k++) {
      double t = 10.0 * k / pieces;
      fly_motion_at(&v, t, at);
      assert_close(at[0], 2 + sin(3 * t) / 3, 1e-13);
      assert_close(at[1], cos(3 * t), 1e-15);
      assert_close(at[2], -3 * sin(3 * t), 1e-14);
      fly_motion_accept(&v, t);
      fly_motion_at(&a, t, at);
      assert_close(at[0], 2 - t + (1 - cos(3 * t)) / 9, 1e-12);
      assert_close(at[1], -1 + sin(3 * t) / 3, 1e-13);
      assert_close(at[2], cos(3 * t), 1e-15);
      fly_motion_accept(&a, t);
    }
    fly_motion_at(&v, 9.9, at); // also backwards
    assert_close(at[0], 2 + sin(29.7) / 3, 1e-13);
    fly_expr_free((fly_expr *)v.expression);
  }
}

// Jumps are found; what is not a number stays so, and ends.
// The velocity `text` integrated from 0 to t.
static double travelled(const char *text, double t) {
  fly_motion m = {.expression = compiled(text), .level = 1};
  double at[3];
  fly_motion_at(&m, t, at);
  fly_expr_free((fly_expr *)m.expression);
  return at[0];
}

static void integrals_of_rough_functions(void **state) {
  assert_close(travelled("if(time < 0.3, 1, 5)", 1), 0.3 + 0.7 * 5, 1e-12);
  assert_true(isnan(travelled("sqrt(0.5 - time)", 1)));
  assert_close(travelled("exp(-((time - 0.3123)/1e-7)^2)/1e-7", 1), sqrt(PI), 1e-9); // short
  assert_close(travelled("sin(1e9*time)", 1), 0, 0.3);                               // more than it can follow
  fly_motion m = {.expression = compiled("if(time > 0.31 and time < 0.31001, 1e5, 0) + mod(time, 0.1)"), .level = 1};
  double at[3];
  fly_motion_at(&m, 1, at);
  assert_close(at[0], 1 + 0.05, 1e-9);
  fly_motion_accept(&m, 1);
  fly_motion_at(&m, 0.2, at); // backwards
  assert_close(at[0], 0.01, 1e-9);
  fly_expr_free((fly_expr *)m.expression);
}

static void accelerations_that_jump(void **state) {
  fly_motion m = {.expression = compiled("if(time < 0.3, 1, 5)"), .level = 2, .v = 2};
  double at[3];
  fly_motion_at(&m, 1, at);
  assert_close(at[0], 2 + 0.3 * 0.3 / 2 + 0.3 * 0.7 + 5 * 0.7 * 0.7 / 2, 1e-12);
  assert_close(at[1], 2 + 0.3 + 5 * 0.7, 1e-12);
  fly_motion_accept(&m, 1);
  fly_motion_at(&m, 0.2, at); // backwards
  assert_close(at[0], 2 * 0.2 + 0.2 * 0.2 / 2, 1e-12);
  assert_close(at[1], 2.2, 1e-12);
  fly_expr_free((fly_expr *)m.expression);
}

// ------------------------------------------------------------------------------------------ the three levels

#define CRANK(motion)                                                                                                  \
  "flyball: 1\ngravity: [0, -9.81, 0]\n"                                                                               \
  "bodies:\n"                                                                                                          \
  "  crank: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0], velocity: [0, 3, 0],\n"                         \
  "    angular_velocity: [0, 0, 6], markers: {hole: [-0.5, 0, 0]}}\n"                                                  \
  "joints:\n"                                                                                                          \
  "  pin: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"                                 \
  "motions:\n"                                                                                                         \
  "  drive: " motion "\n"                                                                                              \
  "outputs:\n  angle: az(crank, ground)\n  rate: wz(crank)\n"

typedef struct way {
  const char *text;
  int pair; // whose z torque is that of the drive
} way;

// 2 sin 3t as angle, velocity and acceleration, of the joint and between markers: one motion and one torque,
// J 'angle + m g l cos(angle) with J about the pin.
static void one_motion_in_six_ways(void **state) {
  static const way ways[] = {
      {CRANK("{joint: pin, angle: 2*sin(3*time)}"), 0},
      {CRANK("{joint: pin, velocity: 6*cos(3*time)}"), 0},
      {CRANK("{joint: pin, acceleration: -18*sin(3*time)}"), 0},
      {CRANK("{from: ground, to: crank.hole, direction: about-z, angle: 2*sin(3*time)}"), 1},
      {CRANK("{from: ground, to: crank, direction: about-z, velocity: 6*cos(3*time)}"), 1},
      {CRANK("{from: ground, to: crank, direction: about-z, acceleration: -18*sin(3*time)}"), 1},
  };
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    machine *m = machine_text(ways[k].text);
    machine_start(m, 1e-6, 1);
    for (int i = 0; i <= 10; i++) {
      double t = 0.1 * i, angle = 2 * sin(3 * t);
      fly_dae_state at = machine_at(m, t);
      assert_close(machine_output(m, &at, "angle"), angle, 1e-5); // as good as dense output
      assert_close(machine_output(m, &at, "rate"), 6 * cos(3 * t), 1e-4);
    }
    fly_dae_state at = fly_solver_state(m->solver);
    double wrench[2 * 6], angle = 2 * sin(3 * at.t);
    assert_close(machine_output(m, &at, "angle"), angle, 1e-11); // where a step ends it is exact
    fly_system_reactions(&m->system, &at, wrench);
    assert_close(wrench[6 * ways[k].pair + 5], -18 * sin(3 * at.t) * (0.3 + 0.25) + 9.81 * 0.5 * cos(angle), 1e-3);
    machine_free(m);
  }
}

// A cubic step of the speed: h (x^3 - x^4/2) of the way.
static void speed_up_and_down(void **state) {
  machine *m = machine_text(CRANK("{joint: pin, velocity: '6 + step(time, 0.2, 0, 0.8, 40)'}"));
  machine_start(m, 1e-5, 1);
  for (int i = 0; i <= 10; i++) {
    double t = 0.1 * i, x = fmin(fmax((t - 0.2) / 0.6, 0), 1);
    fly_dae_state at = machine_at(m, t);
    assert_close(machine_output(m, &at, "angle"),
                 6 * t + 40 * (0.6 * (x * x * x - x * x * x * x / 2) + fmax(t - 0.8, 0)), 1e-4);
  }
  machine_free(m);
}

// An acceleration that jumps, in the plane: the position is exact where steps end.
static void accelerate_and_brake(void **state) {
  machine *m = machine_text("flyball: 1\n"
                            "bodies:\n"
                            "  car: {type: planar, mass: 1, inertia: 1, position: [1, 2], velocity: [0, 0.5]}\n"
                            "joints:\n"
                            "  road: {type: translational, bodies: [ground, car], at: [1, 2, 0], axis: [0, 1, 0]}\n"
                            "motions:\n"
                            "  drive: {joint: road, acceleration: 'if(time < 0.4, 3, -1)'}\n");
  machine_start(m, 1e-5, 1);
  machine_at(m, 1);
  fly_dae_state at = fly_solver_state(m->solver);
  double v = 0.5 + 1.2, y = 2 + 0.2 + 0.24 + 0.6 * v - 0.18; // 0.4 s at 3 m/s^2, 0.6 s at -1
  assert_close(at.q[1], y, 1e-9);
  assert_close(at.v[1], v - 0.6, 1e-9);
  machine_free(m);
}

static void a_hundred_turns_by_velocity(void **state) {
  machine *m =
      machine_text("flyball: 1\n"
                   "bodies:\n"
                   "  wheel: {type: planar, mass: 1, inertia: 1, angle: 0.3}\n"
                   "motions:\n"
                   "  turn: {from: ground, to: wheel, direction: about-z, velocity: 2*pi*10*(1 - cos(time))}\n");
  machine_start(m, 1e-4, 12);
  for (int k = 0; k < 12; k++) {
    machine_at(m, k + 0.5);
    fly_dae_state at = fly_solver_state(m->solver);
    assert_close(at.q[2], 0.3 + 20 * PI * (at.t - sin(at.t)), 1e-9);
  }
  machine_free(m);
}

// ------------------------------------------------------------------------------------------ six directions

// A free body moved in all six directions of a tilted marker on a moving one: measures along those axes say the same,
// and the six reactions are the wrench of the motions, each along its own direction.
static void six_directions(void **state) {
  static const char *const direction[] = {"x", "y", "z", "about-x", "about-y", "about-z"};
  static const char *const measure[] = {"dx(b.m, a.m, a.m)", "dy(b.m, a.m, a.m)", "dz(b.m, a.m, a.m)",
                                        "ax(b.m, a.m)",      "ay(b.m, a.m)",      "az(b.m, a.m)"};
  char text[3000] = "flyball: 1\ngravity: [1, -2, -9.81]\n"
                    "bodies:\n"
                    "  a: {mass: 3, inertia: [1, 2, 2], angular_velocity: [0.3, 0.2, 0.1],\n"
                    "    markers: {m: {at: [0.1, 0.2, 0.3], axis: [1, 2, 3]}}}\n"
                    "  b: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.2, 0.1, 0],\n"
                    "    markers: {m: {at: [0.1, 0.2, 0.3], axis: [1, 2, 3]}}}\n"
                    "motions:\n";
  for (int k = 0; k < 6; k++)
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "  m%d: {from: a.m, to: b.m, direction: %s, %s: 0.1*%d + 0.3*sin(%d*time)}\n", k, direction[k],
             k < 3 ? "displacement" : "angle", k, k + 1);
  snprintf(text + strlen(text), sizeof text - strlen(text), "outputs:\n");
  for (int k = 0; k < 6; k++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "  o%d: %s\n", k, measure[k]);
  machine *m = machine_text(text);
  machine_start(m, 1e-4, 0.5);
  machine_at(m, 0.5);
  fly_dae_state at = fly_solver_state(m->solver);
  double wrench[6 * 6];
  fly_system_reactions(&m->system, &at, wrench);
  assert_int_equal(m->model.npair, 6);
  for (int k = 0; k < 6; k++) {
    char name[] = {'o', (char)('0' + k), 0};
    assert_close(machine_output(m, &at, name), 0.1 * k + 0.3 * sin((k + 1) * at.t), 1e-9);
    for (int c = 0; c < 3; c++) { // displacements: a force along their axis alone; angles: a torque, no force
      if (c != k)
        assert_close(wrench[6 * k + c], 0, 1e-10);
      if (k < 3)
        assert_close(wrench[6 * k + 3 + c], 0, 1e-10);
    }
    assert_true(fabs(wrench[6 * k + k]) > 1e-3);
  }
  machine_free(m);
}

// Held up by a motion: the weight.
static void the_force_of_a_motion(void **state) {
  machine *m = machine_text("flyball: 1\ngravity: [0, -10, 0]\n"
                            "bodies:\n"
                            "  ground: {markers: {tilted: {at: [0, 0, 0], axis: [0, 1, 0]}}}\n"
                            "  lift: {mass: 2, inertia: [1, 1, 1]}\n"
                            "motions:\n"
                            "  up: {from: ground.tilted, to: lift, direction: z, acceleration: 3}\n");
  double wrench[6];
  machine_start(m, 1e-6, 1);
  machine_at(m, 1);
  fly_dae_state at = fly_solver_state(m->solver);
  fly_system_reactions(&m->system, &at, wrench);
  assert_close(wrench[2], 26, 1e-8);
  assert_close(at.q[1], 1.5, 1e-9);
  machine_free(m);
}

// ------------------------------------------------------------------------------------------ mistakes

static void mistakes(void **state) {
  static const struct {
    const char *motion, *message;
  } bad[] = {
      {"{joint: pin}", "not 0"},
      {"{joint: pin, angle: 1, velocity: 2}", "not 2"},
      {"{angle: time}", "either a `joint` or two markers"},
      {"{joint: pin, from: ground, to: crank, angle: time}", "either a `joint` or two markers"},
      {"{from: ground, to: crank, displacement: time}", "`direction` is missing"},
      {"{from: ground, to: crank, direction: x, angle: time}", "goes with `displacement`"},
      {"{from: ground, to: crank, direction: about-x, displacement: time}", "goes with `angle`"},
      {"{joint: pin, direction: z, velocity: 1}", "does not slide"},
      {"{joint: pin, direction: x, velocity: 1}", "z or about-z"},
      {"{joint: rod, velocity: 1}", "turns and slides"},
      {"{joint: pin, velocity: 'wz(crank)'}", "time only"},
      {"{from: ground, to: dot, direction: about-x, velocity: 1}", "has no axes"},
      {"{from: dot, to: ground, direction: x, velocity: 1}", "has no axes"},
      {"{from: ground, to: flat, direction: z, velocity: 1}", "planar bodies"},
      {"{from: ground, to: flat, direction: about-x, velocity: 1}", "planar bodies"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    char text[2000];
    fly_error error = {0};
    snprintf(text, sizeof text,
             "flyball: 1\n"
             "bodies:\n"
             "  crank: {mass: 1, inertia: [1, 1, 1]}\n"
             "  dot: {type: point, mass: 1}\n"
             "  flat: {type: planar, mass: 1, inertia: 1}\n"
             "joints:\n"
             "  pin: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
             "  rod: {type: cylindrical, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
             "motions:\n  m: %s\n",
             bad[k].motion);
    assert_true(machine_refused(text, &error));
    assert_says(&error, bad[k].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integrals_are_exact),         cmocka_unit_test(integrals_of_rough_functions),
      cmocka_unit_test(accelerations_that_jump),     cmocka_unit_test(one_motion_in_six_ways),
      cmocka_unit_test(speed_up_and_down),           cmocka_unit_test(accelerate_and_brake),
      cmocka_unit_test(a_hundred_turns_by_velocity), cmocka_unit_test(six_directions),
      cmocka_unit_test(the_force_of_a_motion),       cmocka_unit_test(mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
