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

// Virtual power: Q . v of a law is its value times the rate of its coordinate.
static void the_power_of_a_law(void **state) {
  machine *m =
      machine_of(BODIES "forces:\n  s: {type: spring, from: a.m, to: b.m, force: '3*length^2 - rate^3 + 0.2'}\n"
                        "outputs:\n  rate: 'vr(b.m, a.m)'\n  l: 'dm(b.m, a.m)'\n");
  uint64_t seed = 21;
  for (int trial = 0; trial < 10; trial++) {
    random_state r;
    double Q[100] = {0}, power = 0;
    set_state(&r, &m->system, 0.3, &seed);
    m->system.dae.force(Q, &r.at, &m->system);
    for (int k = 0; k < m->system.dae.nv; k++)
      power += Q[k] * r.v[k];
    // gyroscopic terms have no power
    double rate = machine_output(m, &r.at, "rate"), l = machine_output(m, &r.at, "l");
    assert_near(power, (3 * l * l - rate * rate * rate + 0.2) * rate, 1e-12 * (1 + fabs(power)));
  }
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

// ------------------------------------------------------------------------------------------ bushings

static void a_full_matrix_without_couplings_is_diagonal(void **state) {
  machine *diagonal = machine_of(BODIES "forces:\n  m: {type: bushing, from: a.m, to: b.m, stiffness: [1, 2, 3, 0.4, "
                                        "0.5, 0.6], damping: [6, 5, 4, 0.3, 0.2, 0.1]}\n");
  machine *full = machine_of(BODIES "forces:\n  m: {type: bushing, from: a.m, to: b.m,\n"
                                    "    stiffness_matrix: [1, 0, 0, 0, 0, 0,  0, 2, 0, 0, 0, 0,  0, 0, 3, 0, 0, 0,\n"
                                    "      0, 0, 0, 0.4, 0, 0,  0, 0, 0, 0, 0.5, 0,  0, 0, 0, 0, 0, 0.6],\n"
                                    "    damping_matrix: [6, 0, 0, 0, 0, 0,  0, 5, 0, 0, 0, 0,  0, 0, 4, 0, 0, 0,\n"
                                    "      0, 0, 0, 0.3, 0, 0,  0, 0, 0, 0, 0.2, 0,  0, 0, 0, 0, 0, 0.1]}\n");
  assert_same_forces(diagonal, full, 1e-15);
  assert_string_equal(full->model.warnings, "");
  machine_free(diagonal);
  machine_free(full);
}

// Two bodies where their markers coincide: only the preload is felt, on `to` as it is given, along the axes of `from`.
static void a_preload_acts_on_the_second_body(void **state) {
  machine *m = machine_of("flyball: 1\nbodies:\n"
                          "  a: {mass: 1, inertia: [1, 1, 1], orientation: {axis: [0, 0, 1], angle: 90*deg}}\n"
                          "  b: {mass: 1, inertia: [1, 1, 1], orientation: {axis: [0, 0, 1], angle: 90*deg}}\n"
                          "forces:\n  m: {type: bushing, from: a, to: b, stiffness: [1, 1, 1, 1, 1, 1], preload: "
                          "[1, 2, 3, 4, 5, 6]}\n");
  const double expected[12] = {2, -1, -3, -4, -5, -6, -2, 1, 3, 4, 5, 6}; // x of a is y of space
  double f[12] = {0};
  fly_dae_state at = {.q = m->system.q0, .v = m->system.v0};
  m->system.dae.force(f, &at, &m->system);
  for (int k = 0; k < 12; k++)
    assert_near(f[k], expected[k], 1e-14);
  machine_free(m);
}

#define COUPLED(k12, k21)                                                                                              \
  BODIES "forces:\n  m: {type: bushing, from: a.m, to: b.m, stiffness_matrix: [1, " k12 ", 0, 0, 0, 0,  " k21          \
         ", 4, 0, 0, 0, 0,  0, 0, 3, 0, 0, 0,\n"                                                                       \
         "    0, 0, 0, 0.4, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0.6]}\n"

static void odd_matrices_are_told(void **state) {
  fly_error error = {0};
  fly_spec spec;
  fly_model model;
  const char *text = COUPLED("1.9", "1.8");
  assert_ok(fly_model_read_text(&spec, "text", text, strlen(text), 0, NULL, &error), &error);
  assert_int_equal(fly_model_compile(&model, &spec, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "not symmetric: 1.8 in row 2, column 1, but 1.9 in row 1, column 2"));
  fly_model_free(&model);
  fly_spec_free(&spec);
  static const struct {
    const char *text;
    bool odd;
  } list[] = {{COUPLED("1.9", "1.9"), false},
              {COUPLED("2", "2"), false},
              {COUPLED("2.1", "2.1"), true},
              {COUPLED("-2.1", "-2.1"), true}};
  for (int k = 0; k < 4; k++) {
    machine *m = machine_text(list[k].text);
    assert_true((strstr(m->model.warnings, "bushing `m`: `stiffness_matrix` is not positive semidefinite") != NULL) ==
                list[k].odd);
    machine_free(m);
  }
}

// ------------------------------------------------------------------------------------------ beams

// A bar of 10 x 20 mm, half a metre long, along (3, 0, 4) from ground, its strong side to y; a mass at its end.
#define STEEL                                                                                                          \
  "youngs_modulus: 210*GPa, shear_modulus: 80*GPa, area: 2*cm^2, moments: [0.4578*cm^4, 0.16666666666666667*cm^4, "    \
  "0.6666666666666666*cm^4], shear_ratios: [1.2, 1.2]"
static const double EA = 210e9 * 2e-4, GJ = 80e9 * 0.4578e-8, EIy = 210e9 / 6e8, EIz = 210e9 / 1.5e8, GA = 80e9 * 2e-4;

// It comes to rest under a load along z of the beam, a moment about its y, and torsion.
static void a_cantilever_at_rest(void **state) {
  machine *m = machine_text(
      "flyball: 1\nbodies:\n"
      "  ground: {markers: {beam: {at: [1, 2, 3], orientation: {x: [0.6, 0, 0.8], y: [0, 1, 0]}}}}\n"
      "  tip: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [1.3, 2, 3.4]}\n"
      "forces:\n"
      "  bar: {type: beam, from: ground.beam, to: tip, up: [-0.8, 0, 0.6], damping_time: 0.02, " STEEL "}\n"
      "  load: {type: force, at: tip, axes: ground.beam, force: [100, 0.4, 0.2], torque: [0.3, 0, 0]}\n"
      "outputs:\n  x: 'dx(tip, ground.beam, ground.beam) - 0.5'\n"
      "  y: 'dy(tip, ground.beam, ground.beam)'\n  z: 'dz(tip, ground.beam, ground.beam)'\n"
      "  ty: '-pitch(tip)'\n  wm: wm(tip)\n");
  machine_start(m, 1e-6, 1.0);
  fly_dae_state at = machine_at(m, 1.0);
  const double L = 0.5, L2 = L * L, L3 = L * L2;
  // second order in deflections of 2e-4 of the length
  assert_near(machine_output(m, &at, "x"), 100 * L / EA, 2e-8);
  assert_near(machine_output(m, &at, "y"), 0.4 * (L3 / (3 * EIz) + 1.2 * L / GA), 5e-8);
  assert_near(machine_output(m, &at, "z"), 0.2 * (L3 / (3 * EIy) + 1.2 * L / GA), 5e-8);
  // the tip's own axes are those of space: its turn in space is (phi_x, phi_y, phi_z) of the beam, turned
  double phi[3] = {0.3 * L / GJ, -0.2 * L2 / (2 * EIy), 0.4 * L2 / (2 * EIz)}, turn[3], p[4];
  const fly_body *tip = machine_body(m, "tip");
  memcpy(p, at.q + tip->iq + 3, sizeof p);
  fly_quat_log(turn, p);
  assert_near(turn[0], 0.6 * phi[0] - 0.8 * phi[2], 1e-7);
  assert_near(turn[1], phi[1], 1e-7);
  assert_near(turn[2], 0.8 * phi[0] + 0.6 * phi[2], 1e-7);
  assert_true(fabs(machine_output(m, &at, "wm")) < 1e-7); // at rest
  assert_true(phi[0] > 3e-4 && phi[1] < -5e-5 && phi[2] > 3e-5);
  machine_free(m);
}

// Two beams in a row bend as one of twice the length: 0.25 m each.
static void two_beams_in_a_row(void **state) {
  machine *m = machine_text("flyball: 1\nbodies:\n"
                            "  ground: {}\n"
                            "  mid: {mass: 0.1, inertia: [1e-3, 1e-3, 1e-3], position: [0.25, 0, 0]}\n"
                            "  tip: {mass: 0.1, inertia: [1e-3, 1e-3, 1e-3], position: [0.5, 0, 0]}\n"
                            "forces:\n"
                            "  one: {type: beam, from: ground, to: mid, damping_time: 0.02, " STEEL "}\n"
                            "  two: {type: beam, from: mid, to: tip, damping_time: 0.02, " STEEL "}\n"
                            "  load: {type: force, at: tip, force: [0, 0.4, 0]}\n"
                            "outputs:\n  y: dy(tip)\n  mid: dy(mid)\n  turn: az(tip)\n");
  machine_start(m, 1e-6, 1.0);
  fly_dae_state at = machine_at(m, 1.0);
  const double L = 0.5, P = 0.4, a = 0.25;
  assert_near(machine_output(m, &at, "y"), P * (L * L * L / (3 * EIz) + 1.2 * L / GA), 1e-8);
  assert_near(machine_output(m, &at, "mid"), P * (a * a * (3 * L - a) / (6 * EIz) + 1.2 * a / GA), 1e-8);
  assert_near(machine_output(m, &at, "turn"), P * L * L / (2 * EIz), 1e-8);
  machine_free(m);
}

// A mass with inertia J at the end, set going in its first mode in the x-y plane: M = (m, J), K of the beam.
static void the_first_frequency_with_a_tip_mass(void **state) {
  const double L = 0.5, mass = 2, J = 0.01, c = EIz / (L * L * L), Phi = 12 * EIz * 1.2 / (GA * L * L), s = 1 + Phi;
  const double k11 = 12 * c / s, k12 = -6 * L * c / s, k22 = (4 + Phi) * L * L * c / s;
  // mass J w^4 - (k11 J + k22 mass) w^2 + k11 k22 - k12^2 = 0
  const double b = (k11 * J + k22 * mass) / (mass * J), d = (k11 * k22 - k12 * k12) / (mass * J);
  const double w = sqrt((b - sqrt(b * b - 4 * d)) / 2), ratio = (mass * w * w - k11) / k12; // phi over u
  say("first frequency %.4f Hz; a point mass would give %.4f Hz\n", w / (2 * acos(-1)),
      sqrt(3 * EIz / (L * L * L * mass)) / (2 * acos(-1)));
  char text[2000];
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  tip: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0.5, 0, 0],\n"
           "    velocity: [0, 1e-3, 0], angular_velocity: [0, 0, %.17g]}\n"
           "forces:\n  bar: {type: beam, from: ground, to: tip, " STEEL "}\noutputs:\n  y: dy(tip)\n  turn: az(tip)\n",
           1e-3 * ratio);
  machine *m = machine_text(text);
  fly_error error = {0};
  fly_dae_options o = fly_dae_options_default();
  o.step = 1 / w / 400;
  o.method = (fly_newmark){0, 0, 0.25, 0.5}; // the trapezoid: no damping
  machine_independent_rows(m);
  assert_ok(fly_solver_create(&m->solver, &m->system.dae, &o, &error), &error);
  assert_ok(fly_solver_start(m->solver, 0.0, 6.5 / w, m->system.q0, m->system.v0, NULL, &error), &error);
  double largest = 1e-3 / w;
  for (int k = 1; k <= 6; k++) { // a period: phase errors of (w h)^2/12 of a radian each
    fly_dae_state at = machine_at(m, k / w);
    assert_near(machine_output(m, &at, "y"), largest * sin(k), 1e-5 * largest);
    assert_near(machine_output(m, &at, "turn"), largest * ratio * sin(k), 2e-5 * largest * fabs(ratio));
  }
  machine_free(m);
}

// Momentum and angular momentum of two bodies on a beam, flying and shaking.
static void momentum(const machine *m, const fly_dae_state *at, double out[6]) {
  memset(out, 0, 6 * sizeof *out);
  for (int k = 0; k < m->model.nbody; k++) {
    const fly_body *b = &m->model.body[k];
    fly_kinematics now;
    double L[3], spin[3], p[3], moment[3];
    fly_body_kinematics(b, at->q + b->iq, at->v + b->iv, &now);
    fly_to_space(L, b->own.J, now.w);
    fly_to_space(spin, now.R, L);
    for (int c = 0; c < 3; c++)
      p[c] = b->own.mass * now.v[c];
    fly_cross(moment, now.r, p);
    for (int c = 0; c < 3; c++) {
      out[c] += p[c];
      out[3 + c] += spin[c] + moment[c];
    }
  }
}

static void a_free_beam_keeps_its_momentum(void **state) {
  machine *m =
      machine_text("flyball: 1\nbodies:\n"
                   "  a: {mass: 1, inertia: [0.02, 0.01, 0.015], velocity: [0.3, 0.2, 1], angular_velocity: "
                   "[3, 2, -1]}\n"
                   "  b: {mass: 2, inertia: [0.02, 0.03, 0.02], position: [0.3, 0.2, 0.1], velocity: [-0.1, "
                   "0.5, 0], angular_velocity: [1, 4, 2]}\n"
                   "forces:\n  bar: {type: beam, from: a, to: b, youngs_modulus: 1e6, shear_modulus: 4e5, area: "
                   "1*cm^2, moments: [1e-6, 2e-6, 3e-6], damping_time: 1e-3}\n");
  double start[6], now[6];
  machine_start(m, 1e-6, 0.5);
  fly_dae_state at = fly_solver_state(m->solver);
  momentum(m, &at, start);
  at = machine_at(m, 0.5);
  momentum(m, &at, now);
  for (int c = 0; c < 6; c++)
    say("momentum %d: %.9f, changes by %.1e\n", c, start[c], now[c] - start[c]);
  for (int c = 0; c < 3; c++) {
    assert_near(now[c], start[c], 1e-10);        // linear ones are kept by the method
    assert_near(now[3 + c], start[3 + c], 1e-7); // angular ones to its error
  }
  machine_free(m);
}

static void forces_that_cannot_be(void **state) {
  static const struct {
    const char *forces, *message;
  } list[] = {
      {"s: {type: beam, from: a, to: o, " STEEL "}", "ends at the point mass `o`, which cannot turn"},
      {"s: {type: beam, from: a.m, to: b, up: [0, 1, 0], " STEEL "}", "`up` is along the beam"},
      {"s: {type: beam, from: a, to: c, " STEEL "}", "its ends coincide"},
      {"s: {type: beam, from: a, to: c, axes: markers, " STEEL "}", "no `length` is given"},
      {"s: {type: force, at: o, torque: [0, 0, 1]}", "`torque` acts on the point mass `o`, which cannot turn"},
      {"s: {type: force, at: a, against: o, torque: [0, 0, 1]}", "`torque` acts on the point mass `o`"},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    char text[2000];
    fly_error error = {0};
    fly_spec spec;
    fly_model model;
    snprintf(text, sizeof text,
             "flyball: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], markers: {m: [0, -1, 0]}}\n"
             "  b: {mass: 1, inertia: [1, 1, 1]}\n  c: {mass: 1, inertia: [1, 1, 1]}\n"
             "  o: {type: point, mass: 1, position: [1, 0, 0]}\nforces:\n  %s\n",
             list[k].forces);
    assert_ok(fly_model_read_text(&spec, "text", text, strlen(text), 0, NULL, &error), &error);
    assert_int_equal(fly_model_compile(&model, &spec, &error), FLY_BAD_INPUT);
    if (!strstr(error.message, list[k].message))
      fail_msg("%s, not %s", error.message, list[k].message);
    fly_model_free(&model);
    fly_spec_free(&spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_law_of_the_length_is_a_spring),
      cmocka_unit_test(a_law_may_use_anything),
      cmocka_unit_test(the_power_of_a_law),
      cmocka_unit_test(a_law_of_the_angle_is_a_torsion_spring),
      cmocka_unit_test(a_law_counts_turns),
      cmocka_unit_test(a_table_drives_a_mass),
      cmocka_unit_test(a_full_matrix_without_couplings_is_diagonal),
      cmocka_unit_test(a_preload_acts_on_the_second_body),
      cmocka_unit_test(odd_matrices_are_told),
      cmocka_unit_test(a_cantilever_at_rest),
      cmocka_unit_test(two_beams_in_a_row),
      cmocka_unit_test(the_first_frequency_with_a_tip_mass),
      cmocka_unit_test(a_free_beam_keeps_its_momentum),
      cmocka_unit_test(forces_that_cannot_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
