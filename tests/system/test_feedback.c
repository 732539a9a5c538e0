// Forces that feel accelerations and reactions: outputs y of the DAE. Closed forms, orders, differences.
#include "base/check.h"
#include "math/so3.h"
#include "system/machine.h"

static const double g0 = 9.81;

// Fixed steps to the end; the state there is the solver's.
static machine *machine_run(const char *text, double step, double end) {
  machine *m = machine_text(text);
  fly_error error = {0};
  fly_dae_options o = fly_dae_options_default();
  o.step = step;
  machine_independent_rows(m);
  assert_ok(fly_solver_create(&m->solver, &m->system.dae, &o, &error), &error);
  assert_ok(fly_solver_start(m->solver, 0.0, end, m->system.q0, m->system.v0, NULL, &error), &error);
  while (!fly_solver_done(m->solver))
    assert_ok(fly_solver_step(m->solver, &error), &error);
  return m;
}

static double output_now(machine *m, const char *name) {
  fly_dae_state at = fly_solver_state(m->solver);
  return machine_output(m, &at, name);
}

// An error falls like h^2: within [3.6, 4.6] of 4 for a step halved.
static void assert_order_2(double coarse, double fine, const char *what) {
  say("%-40s errors %.3e, %.3e: ratio %.2f\n", what, coarse, fine, coarse / fine);
  assert_true(coarse / fine > 3.6 && coarse / fine < 4.6);
}

// ------------------------------------------------------------------------------------------ derivatives

#define BODIES                                                                                                         \
  "flyball: 1\n"                                                                                                       \
  "gravity: [1, -2, -9.81]\n"                                                                                          \
  "bodies:\n"                                                                                                          \
  "  ground: {markers: {m: {at: [0.2, 0.1, -0.3], axis: [1, 2, 2]}}}\n"                                                \
  "  a: {mass: 1.3, inertia: [0.4, 0.5, 0.6, 0.05, -0.03, 0.02], center: [0.1, -0.2, 0.3], position: [0.4, 0, 0.1],\n" \
  "    orientation: {axis: [1, 2, 3], angle: 0.7}, markers: {m: {at: [0.3, 0.2, 0.1], axis: [2, -1, 2]}}}\n"           \
  "  b: {mass: 0.7, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, 0.03], position: [-0.4, 0.5, 0.2],\n"                        \
  "    orientation: {euler313: [0.3, 0.5, -0.8]}, markers: {m: {at: [-0.3, 0.4, 0.2], axis: [-1, 1, 0.5]}}}\n"         \
  "  p: {type: planar, mass: 2, inertia: 0.3, center: [0.1, 0.2], position: [1, 0.5], angle: 0.4,\n"                   \
  "    markers: {m: [0.3, -0.1]}}\n"                                                                                   \
  "  o: {type: point, mass: 0.5, position: [1, 0.2, -0.4]}\n"                                                          \
  "joints:\n"                                                                                                          \
  "  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 2, 3]}\n"                                     \
  "  rod: {type: cylindrical, bodies: [a, b], at: [0.3, 0, 1], axis: [1, -1, 3]}\n"                                    \
  "  link: {type: distance, from: b.m, to: o}\n"                                                                       \
  "  flat: {type: revolute, bodies: [ground, p], at: [1, 0, 0], axis: [0, 0, 1]}\n"                                    \
  "  gear: {type: coupler, joints: [pin, rod], ratios: [2, -1]}\n"                                                     \
  "motions:\n"                                                                                                         \
  "  drive: {joint: flat, angle: 0.3*sin(2*time)}\n"

static void fill(double *x, int n, uint64_t *seed) {
  for (int k = 0; k < n; k++)
    x[k] = random_double(seed);
}

static void check_derivatives(const char *name, const char *text, int ny) {
  machine *m = machine_text(text);
  machine_all_rows(m);
  const fly_dae_problem *p = &m->system.dae;
  assert_int_equal(p->ny, ny);
  uint64_t seed = 12;
  for (int trial = 0; trial < 4; trial++) {
    double q[30], v[30], vdot[30], lambda[30], y[30];
    fly_derivative_check check;
    fly_error error = {0};
    fill(q, p->nq, &seed);
    fill(v, p->nv, &seed);
    fill(vdot, p->nv, &seed);
    fill(lambda, p->ng, &seed);
    fill(y, p->ny, &seed);
    for (int k = 0; k < p->nrotation; k++)
      fly_quat_normalize(q + p->rotation_q[k]);
    fly_dae_state at = {.t = 0.4, .q = q, .v = v, .vdot = vdot, .lambda = lambda, .y = y};
    assert_ok(fly_dae_check(&check, p, &at, &error), &error);
    say("%-40s derivatives %.1e %s\n", name, check.worst, check.where);
    if (!(check.worst <= 1e-6)) {
      print_error("%s: %g, %s\n", name, check.worst, check.where);
      fail();
    }
  }
  machine_free(m);
}

static void every_acceleration_in_a_force(void **state) {
  for (int k = 0; k < FLY_MEASURE_KINDS; k++) {
    const fly_measure_type *t = &fly_measure_types[k];
    char text[4000];
    if (t->level != FLY_OF_ACCELERATION)
      continue;
    const char *more = t->markers == 3 ? ", p.m" : "";
    snprintf(text, sizeof text,
             BODIES "forces:\n"
                    "  f: {type: force, at: a.m, axes: b.m, against: o, force: ['%s(a.m, b.m%s)', 'time*%s(p.m)^2', 1]}"
                    "\n  t: {type: force, at: a.m, axes: b.m, against: p, torque: ['dx(b)*%s(a.m, b.m%s)', 0, 0]}\n"
                    "  s: {type: spring, from: p.m, to: b, force: '%s(p.m) - length'}\n",
             t->name, more, t->name, t->name, more, t->name);
    check_derivatives(t->name, text, 2);
  }
}

static void every_reaction_in_a_force(void **state) {
  for (int k = 0; k < FLY_REACTION_KINDS; k++) {
    const char *name = fly_reaction_types[k].name;
    char text[4000];
    snprintf(text, sizeof text,
             BODIES
             "forces:\n"
             "  f: {type: force, at: a.m, axes: b.m, against: o, force: ['%s(pin)', 'time*%s(rod, p.m)^2', "
             "'%s(link, ground.m)']}\n"
             "  t: {type: torsion-spring, joint: pin, torque: '-0.1*%s(flat, b.m)*sign(rate) - %s(pin)*angle'}\n",
             name, name, name, name, name);
    check_derivatives(name, text, 4);
  }
}

// ------------------------------------------------------------------------------------------ friction

// A block on an incline of 30 degrees, mu N against its sliding: a = g (sin - mu cos).
static void a_block_slides_down(void **state) {
  machine *m = machine_text("flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {mu: 0.2, slope: 30*deg}\n"
                            "bodies:\n  block: {mass: 3, inertia: [0.1, 0.1, 0.1]}\n"
                            "joints:\n  guide: {type: translational, bodies: [ground, block], at: [0, 0, 0],"
                            " axis: [cos(slope), -sin(slope), 0]}\n"
                            "forces:\n  friction: {type: force, at: block, force: "
                            "['-mu*fm(guide)*cos(slope)', 'mu*fm(guide)*sin(slope)', 0]}\n"
                            "outputs:\n  a: accm(block)\n  normal: fm(guide)\n  path: dm(block)\n");
  double a = g0 * (0.5 - 0.2 * sqrt(0.75));
  machine_start(m, 1e-6, 1.0);
  for (int k = 0; k <= 4; k++) {
    fly_dae_state at = machine_at(m, 0.25 * k);
    assert_near(machine_output(m, &at, "a"), a, 1e-10);
    assert_near(machine_output(m, &at, "normal"), 3 * g0 * sqrt(0.75), 1e-9);
    assert_near(machine_output(m, &at, "path"), a * at.t * at.t / 2, 1e-9);
  }
  machine_free(m);
}

// A bead slides down a circular wire from its level, mu N against it. With u = omega^2 over the angle theta below the
// level: N = m (R u + g sin), u' + 2 mu u = 2 g/R (cos - mu sin), linear, hence
//   u = A sin + B cos + C exp(-2 mu theta),  A = 2 g/R (1 - 2 mu^2)/(1 + 4 mu^2),  B = 2 mu A + 2 mu g/R
static double speed2_on_the_circle(double theta, double mu, double radius, double start) {
  double b = 2 * g0 / radius, A = b * (1 - 2 * mu * mu) / (1 + 4 * mu * mu), B = 2 * mu * A + mu * b;
  return A * sin(theta) + B * cos(theta) + (start - B) * exp(-2 * mu * theta);
}

static double bead_error(double step, double *normal_error) {
  const double mu = 0.3, radius = 0.5, start = 1.0;
  machine *m = machine_run("flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {mu: 0.3}\n"
                           "bodies:\n  bead: {type: point, mass: 2, position: [0.5, 0, 0], velocity: [0, -0.5, 0]}\n"
                           "joints:\n  wire: {type: distance, from: ground, to: bead}\n"
                           "forces:\n  friction: {type: force, at: bead, force: ['-mu*fm(wire)*vx(bead)/vm(bead)', "
                           "'-mu*fm(wire)*vy(bead)/vm(bead)', 0]}\n"
                           "outputs:\n  theta: atan2(-dy(bead), dx(bead))\n  v: vm(bead)\n  normal: fm(wire)\n",
                           step, 0.5);
  double theta = output_now(m, "theta"), u = pow(output_now(m, "v") / radius, 2);
  *normal_error = fabs(output_now(m, "normal") - 2 * (radius * u + g0 * sin(theta)));
  double error = fabs(u - speed2_on_the_circle(theta, mu, radius, start));
  assert_true(theta > 1.5 && theta < 2.5); // past the lowest point
  machine_free(m);
  return error;
}

static void a_bead_on_a_wire(void **state) {
  double normal[2], coarse = bead_error(4e-4, &normal[0]), fine = bead_error(2e-4, &normal[1]);
  assert_order_2(coarse, fine, "bead with friction, speed squared");
  assert_true(fine < 1e-6);
  assert_order_2(normal[0], normal[1], "bead with friction, normal force");
}

// ------------------------------------------------------------------------------------------ virtual mass

// F = -added a: the motion of a mass m + added, q = cos(omega t), omega^2 = k / (m + added).
static double oscillator_error(double step) {
  machine *m = machine_run("flyball: 1\nparameters: {added: 3}\n"
                           "bodies:\n  p: {type: point, mass: 1, position: [1, 0, 0]}\n"
                           "forces:\n"
                           "  spring: {type: force, at: p, force: [-16*dx(p), 0, 0]}\n"
                           "  added: {type: force, at: p, force: [-added*accx(p), 0, 0]}\n"
                           "outputs:\n  x: dx(p)\n  a: accx(p)\n",
                           step, 2.0);
  double error = fabs(output_now(m, "x") - cos(2 * 2.0)), a = fabs(output_now(m, "a") + 4 * cos(4.0));
  machine_free(m);
  return fmax(error, a);
}

static void a_virtual_mass(void **state) {
  double coarse = oscillator_error(0.02), fine = oscillator_error(0.01);
  assert_order_2(coarse, fine, "virtual mass");
  assert_true(fine < 2e-3);
}

// On a joint: a pendulum with a torque -J wdtz is one with J more.
static void a_virtual_inertia(void **state) {
  static const char text[] = "flyball: 1\ngravity: [0, -9.81, 0]\n"
                             "bodies:\n  bar: {mass: 1, inertia: [0.1, 0.1, %s], position: [0.5, 0, 0]}\n"
                             "joints:\n  pin: {type: revolute, bodies: [ground, bar], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                             "%s";
  char model[3][1000];
  snprintf(model[0], sizeof model[0], text, "0.1",
           "forces:\n  t: {type: torsion-spring, joint: pin, torque: -0.05*wdtz(bar)}\n");
  snprintf(model[1], sizeof model[1], text, "0.15", "");
  snprintf(model[2], sizeof model[2], text, "0.1", "");
  double q[3][7];
  for (int k = 0; k < 3; k++) {
    machine *m = machine_run(model[k], 0.001, 1.0);
    memcpy(q[k], fly_solver_state(m->solver).q, sizeof q[k]);
    machine_free(m);
  }
  for (int c = 0; c < 7; c++) // both to about 1e-5; projections weigh with the mass alone
    assert_near(q[0][c], q[1][c], 1e-6);
  assert_true(fabs(q[0][1] - q[2][1]) > 1e-2);
}

// ------------------------------------------------------------------------------------------ outputs

// Without a force that feels them, accelerations and reactions are no unknowns.
static void plain_outputs_cost_nothing(void **state) {
  machine *m = machine_text("flyball: 1\ngravity: [0, -9.81, 0]\n"
                            "bodies:\n  bar: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
                            "joints:\n  pin: {type: revolute, bodies: [ground, bar], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                            "outputs:\n  fy: fy(pin, ground)\n  fx: fx(pin, bar)\n  tm: tm(pin)\n  acc: accy(bar)\n");
  machine_start(m, 1e-6, 1.0);
  assert_int_equal(m->system.dae.ny, 0);
  fly_dae_state at = machine_at(m, 0.0);
  double acc = -g0 * 0.5 / (0.25 + 0.05) * 0.5; // m g l / (m l^2 + J) l
  assert_near(machine_output(m, &at, "acc"), acc, 1e-12);
  assert_near(machine_output(m, &at, "fy"), 2 * (acc + g0), 1e-11);
  assert_near(machine_output(m, &at, "fx"), 0, 1e-12);
  assert_near(machine_output(m, &at, "tm"), 0, 1e-12);
  machine_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_acceleration_in_a_force),
      cmocka_unit_test(every_reaction_in_a_force),
      cmocka_unit_test(a_block_slides_down),
      cmocka_unit_test(a_bead_on_a_wire),
      cmocka_unit_test(a_virtual_mass),
      cmocka_unit_test(a_virtual_inertia),
      cmocka_unit_test(plain_outputs_cost_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
