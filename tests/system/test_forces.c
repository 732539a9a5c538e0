// Forces by expressions and tables, in whole models: against the elements they imitate, closed forms and differences.
#include "base/check.h"
#include "math/so3.h"
#include "system/machine.h"

// ------------------------------------------------------------------------------------------ random states

typedef struct random_state {
  double q[100], v[100], vdot[100], lambda[100], y[100];
  fly_dae_state at;
} random_state;

static void fill(double *x, int n, double size, uint64_t *seed) {
  assert_true(n <= 100);
  for (int k = 0; k < n; k++)
    x[k] = size * random_double(seed);
}

// Anywhere near the start; any turn.
static void set_state(random_state *r, const fly_system *s, double reach, uint64_t *seed) {
  const fly_dae_problem *p = &s->dae;
  fill(r->q, p->nq, reach, seed);
  fill(r->v, p->nv, 1.0, seed);
  fill(r->vdot, p->nv, 1.0, seed);
  fill(r->lambda, p->ng, 1.0, seed);
  fill(r->y, p->ny, 1.0, seed);
  for (int k = 0; k < p->nq; k++)
    r->q[k] += s->q0[k];
  for (int k = 0; k < p->nrotation; k++) {
    fill(r->q + p->rotation_q[k], 4, 1.0, seed);
    fly_quat_normalize(r->q + p->rotation_q[k]);
  }
  r->at = (fly_dae_state){
      .t = 0.3 * (1 + random_double(seed)), .q = r->q, .v = r->v, .vdot = r->vdot, .lambda = r->lambda, .y = r->y};
}

static void check_derivatives(machine *m, const char *name, double limit) {
  uint64_t seed = 11;
  for (int trial = 0; trial < 5; trial++) {
    random_state r;
    fly_derivative_check check;
    fly_error error = {0};
    set_state(&r, &m->system, 0.3, &seed);
    fly_system_accept(&m->system, r.at.t, r.at.q, r.at.v);
    assert_ok(fly_dae_check(&check, &m->system.dae, &r.at, &error), &error);
    say("%-30s derivatives %.1e %s\n", name, check.worst, check.where);
    if (!(check.worst <= limit)) {
      print_error("%s: %g, %s\n", name, check.worst, check.where);
      fail();
    }
  }
}

// Generalized forces of two models with the same bodies, at the same random states.
static void assert_same_forces(machine *a, machine *b, double limit) {
  uint64_t seed = 5;
  for (int trial = 0; trial < 5; trial++) {
    random_state r;
    double f[100] = {0}, g[100] = {0}, size = 0;
    set_state(&r, &a->system, 0.3, &seed);
    a->system.dae.force(f, &r.at, &a->system);
    b->system.dae.force(g, &r.at, &b->system);
    for (int k = 0; k < a->system.dae.nv; k++)
      size = fmax(size, fabs(f[k]));
    assert_true(size > 0.01);
    for (int k = 0; k < a->system.dae.nv; k++)
      assert_near(f[k], g[k], limit * size);
  }
}

// Ready to evaluate, with independent rows.
static machine *machine_of(const char *text) {
  machine *m = machine_text(text);
  machine_independent_rows(m);
  return m;
}

#define BODIES                                                                                                         \
  "flyball: 1\n"                                                                                                       \
  "parameters: {k: 30, c: 3, l0: 0.4}\n"                                                                               \
  "bodies:\n"                                                                                                          \
  "  ground: {markers: {m: {at: [0.2, 0.1, -0.3], axis: [1, 2, 2]}}}\n"                                                \
  "  a: {mass: 1.3, inertia: [0.4, 0.5, 0.6, 0.05, -0.03, 0.02], center: [0.1, -0.2, 0.3], position: [0.4, 0, 0.1],\n" \
  "    orientation: {axis: [1, 2, 3], angle: 0.7}, markers: {m: {at: [0.3, 0.2, 0.1], axis: [2, -1, 2]}}}\n"           \
  "  b: {mass: 0.7, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, 0.03], position: [-0.4, 0.5, 0.2],\n"                        \
  "    orientation: {euler313: [0.3, 0.5, -0.8]}, markers: {m: {at: [-0.3, 0.4, 0.2], axis: [-1, 1, 0.5]}}}\n"

// ------------------------------------------------------------------------------------------ spring-dampers

static void a_law_of_the_length_is_a_spring(void **state) {
  machine *linear = machine_of(BODIES "forces:\n"
                                      "  s: {type: spring, from: a.m, to: b.m, stiffness: k, damping: c, "
                                      "free_length: l0, preload: 2}\n"
                                      "  g: {type: spring, from: ground.m, to: b, stiffness: 10, free_length: 0}\n");
  machine *law = machine_of(BODIES "forces:\n"
                                   "  s: {type: spring, from: a.m, to: b.m, force: -k*(length - l0) - c*rate - 2}\n"
                                   "  g: {type: spring, from: ground.m, to: b, force: -10*length}\n");
  assert_same_forces(linear, law, 1e-13);
  check_derivatives(law, "law of the length", 1e-6);
  machine_free(linear);
  machine_free(law);
}

// A nonlinear law with time and a measure of other bodies.
static void a_law_may_use_anything(void **state) {
  machine *m = machine_of(
      BODIES
      "tables: {push: {x: [-2, -0.5, 0.1, 0.8, 3], y: [7, 1, 0, -3, -20]}}\n"
      "forces:\n"
      "  s: {type: spring, from: a.m, to: b.m, force: 'akima(length - l0, push)*(1 + time) - rate^3*dx(b, a.m)'}\n"
      "  t: {type: spring, from: ground.m, to: b.m, force: 'cubic(length, push) + wz(a)*rate'}\n");
  check_derivatives(m, "law with tables and measures", 1e-6);
  machine_free(m);
}

#define HINGES                                                                                                         \
  "joints:\n"                                                                                                          \
  "  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 2, 3]}\n"                                     \
  "  rod: {type: cylindrical, bodies: [a, b], at: [0.3, 0, 1], axis: [1, -1, 3]}\n"

static void a_law_of_the_angle_is_a_torsion_spring(void **state) {
  machine *linear =
      machine_of(BODIES HINGES "forces:\n"
                               "  t: {type: torsion-spring, joint: pin, stiffness: 3, damping: 0.5, free_angle: 0.4}\n"
                               "  u: {type: torsion-spring, joint: rod, stiffness: 2}\n");
  machine *law =
      machine_of(BODIES HINGES "forces:\n"
                               "  t: {type: torsion-spring, joint: pin, torque: -3*(angle - 0.4) - 0.5*rate}\n"
                               "  u: {type: torsion-spring, joint: rod, torque: -2*angle}\n");
  check_derivatives(law, "law of the angle", 1e-6);
  machine_free(law);
  law = machine_of(BODIES HINGES "forces:\n"
                                 "  t: {type: torsion-spring, joint: pin, torque: -3*(angle - 0.4) - 0.5*rate}\n"
                                 "  u: {type: torsion-spring, joint: rod, torque: -2*angle}\n");
  // The rate is G v in one and the relative angular velocity along z in the other: the same on the joint only.
  fly_dae_state at[2];
  machine *both[2] = {linear, law};
  for (int k = 0; k < 2; k++) {
    fly_system_free(&both[k]->system);
    machine_start(both[k], 1e-6, 1.0);
    at[k] = machine_at(both[k], 1.0);
  }
  for (int k = 0; k < linear->system.dae.nq; k++)
    assert_near(at[0].q[k], at[1].q[k], 1e-9);
  assert_true(fabs(at[0].v[5]) > 0.01); // it moved
  machine_free(linear);
  machine_free(law);
}

// A wheel let go with its spiral spring wound up by three turns: omega^2 = k / J, turns are counted.
static void a_law_counts_turns(void **state) {
  machine *m = machine_text("flyball: 1\nbodies:\n  w: {mass: 1, inertia: [1, 1, 2]}\n"
                            "joints:\n  pin: {type: revolute, bodies: [ground, w], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                            "forces:\n  t: {type: torsion-spring, joint: pin, torque: -8*(angle - 6*pi)}\n"
                            "outputs:\n  turn: az(w)\n");
  machine_start(m, 1e-6, 2.5);
  double worst = 0, pi = acos(-1);
  for (int k = 1; k <= 25; k++) {
    fly_dae_state at = machine_at(m, 0.1 * k);
    worst = fmax(worst, fabs(machine_output(m, &at, "turn") - 6 * pi * (1 - cos(2 * at.t))));
  }
  say("three turns and back: error %.1e rad\n", worst);
  assert_true(worst < 1e-4); // the run's error is 1e-6 of estimates; times 38 rad of swing
  machine_free(m);
}

// ------------------------------------------------------------------------------------------ tables

// x'' = -F(x) with F straight between points: half swings of two frequencies, exactly known.
static void a_table_drives_a_mass(void **state) {
  machine *m = machine_text("flyball: 1\ntables: {stiff: {x: [-1, 0, 1], y: [4, 0, -9]}}\n"
                            "bodies:\n  p: {type: point, mass: 1, position: [0.1, 0, 0]}\n"
                            "forces:\n  f: {type: force, at: p, force: ['linear(dx(p), stiff)', 0, 0]}\n"
                            "outputs:\n  x: dx(p)\n");
  double pi = acos(-1), quarter = pi / 6, half = pi / 2; // omega 3 on the right, 2 on the left
  machine_start(m, 1e-6, quarter + half);
  fly_dae_state at = machine_at(m, quarter);
  assert_near(machine_output(m, &at, "x"), 0, 2e-6);
  at = machine_at(m, quarter + half / 2);
  assert_near(machine_output(m, &at, "x"), -0.15, 2e-6);
  at = machine_at(m, quarter + half);
  assert_near(machine_output(m, &at, "x"), 0, 2e-6);
  machine_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_law_of_the_length_is_a_spring),
      cmocka_unit_test(a_law_may_use_anything),
      cmocka_unit_test(a_law_of_the_angle_is_a_torsion_spring),
      cmocka_unit_test(a_law_counts_turns),
      cmocka_unit_test(a_table_drives_a_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
