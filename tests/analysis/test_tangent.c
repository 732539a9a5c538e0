// Directional derivatives of runs, against differences: at points that a run has come to, along directions that the
// constraints allow and along others, the equations are solved anew beside the point, with other inputs too.
#include "base/check.h"

#include <string.h>

#include "analysis/run.h"
#include "dae/index1.h"
#include "flyball/run.h"
#include "support/motion.h"

// A planar four-bar with a slow motor, a variable that depends on itself, reactions and accelerations seen, and felt.
static const char FOUR_BAR[] =
    "flyball: 1\ngravity: [0, -9.81, 0]\n"
    "bodies:\n  crank: {type: planar, mass: 1, inertia: 0.05, position: [0, 0.25], angle: 90*deg}\n"
    "  rod: {type: planar, mass: 2, inertia: 0.4, position: [0.5, 0.75], angle: atan(0.5)}\n"
    "  rocker: {type: planar, mass: 1.5, inertia: 0.2, position: [1, 0.5], angle: 90*deg}\n"
    "joints:\n  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0]}\n"
    "  b: {type: revolute, bodies: [crank, rod], at: [0, 0.5, 0]}\n"
    "  c: {type: revolute, bodies: [rod, rocker], at: [1, 1, 0]}\n"
    "  d: {type: revolute, bodies: [ground, rocker], at: [1, 0, 0]}\n"
    "inputs: {u: 3, w: 0.5}\n"
    "states: {lag: {rate: \"20*(u*cos(w) - lag)\", start: 1}, sum: {rate: \"lag - 0.2*wz(rod)^2 - accx(rod)/50\"}}\n"
    "variables: {loop: \"0.3*sin(loop) + 0.1*u*dy(rod) + 0.01*fx(c)\"}\n"
    "forces:\n  motor: {type: force, at: crank, torque: [0, 0, \"lag - 0.2*wz(crank) + 0.4*loop\"]}\n"
    "  wind: {type: force, at: rod, force: [\"-0.05*accx(rod) + w*sum\", \"-0.3*vy(rod)*u\", 0]}\n"
    "  spring: {type: spring, from: rod, to: ground, stiffness: 30, damping: 1, free_length: 0.4}\n"
    "outputs: {height: dy(rod), speed: \"vx(rod)*u\", push: fx(a), jerk: \"accy(rod) + loop^2\", inner: \"sum*w\"}\n";

// Bodies in space: a closed loop with a spherical and a universal joint, gyroscopic, driven by a motion.
static const char SPATIAL[] =
    "flyball: 1\ngravity: [0, 0, -9.81]\n"
    "bodies:\n  ground: {markers: {far: [0, 0, 1]}}\n"
    "  crank: {mass: 1, inertia: [0.02, 0.03, 0.04], position: [0, 0.05, 0.2], markers: {pin: [0, 0.05, 0]}}\n"
    "  rod: {mass: 0.5, inertia: [0.01, 0.012, 0.003], position: [0.1, 0.05, 0.1]}\n"
    "  slider: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0.2, 0, 0]}\n"
    "  top: {mass: 1, inertia: [0.3, 0.2, 0.5], position: [1, 0, 0.5], angular_velocity: [1, 2, 30],\n"
    "    markers: {tip: [0.1, 0, 0.4]}}\n"
    "joints:\n  main: {type: revolute, bodies: [ground, crank], at: [0, 0, 0.2], axis: [1, 0, 0]}\n"
    "  ball: {type: spherical, bodies: [crank, rod], at: [0, 0.1, 0.2]}\n"
    "  hook: {type: universal, bodies: [rod, slider], at: [0.2, 0, 0], axis: [0, 1, 0], axis2: [0, 0, 1]}\n"
    "  guide: {type: translational, bodies: [ground, slider], at: [0.2, 0, 0], axis: [1, 0, 0]}\n"
    "  socket: {type: spherical, bodies: [ground, top], at: [1, 0, 0]}\n"
    "inputs: {u: 2}\n"
    "forces:\n  drive: {type: force, at: crank, torque: [\"u\", 0, 0]}\n"
    "  bind: {type: spring, from: top.tip, to: ground.far, stiffness: 40, damping: 2}\n"
    "outputs: {x: dx(slider), turn: az(top), load: fz(ball), a: accz(top.tip), w: \"wx(crank)^2*u\"}\n";

static const char COIN[] =
    "flyball: 1\ngravity: [0, 0, -9.81]\n"
    "bodies:\n  ground: {markers: {table: [0, 0, 0]}}\n"
    "  coin: {mass: 1, inertia: [0.015625, 0.015625, 0.03125], orientation: {axis: [1, 0, 0], angle: 1},\n"
    "    position: [0, 0, 0.25*sin(1)], angular_velocity: [0.1, 2, 4], markers: {hub: [0, 0, 0]}}\n"
    "joints: {tread: {type: rolling, from: ground.table, to: coin.hub, radius: 0.25}}\n"
    "inputs: {u: 0.1}\n"
    "forces: {push: {type: force, at: coin, force: [\"u*time\", 0, \"u^2\"]}}\n"
    "outputs: {height: dz(coin), a: accx(coin)}\n";

// A driven arm: motions of joints are constraints that move.
static const char DRIVEN[] =
    "flyball: 1\ngravity: [0, 0, -9.81]\n"
    "bodies:\n  shaft: {mass: 1, inertia: [1, 1, 0.3], angular_velocity: [0, 0, 6]}\n"
    "  arm: {mass: 2, inertia: [0.08, 0.08, 0.01], position: [0.4, 0, -0.3], velocity: [0, 2.4, 0],\n"
    "    orientation: {axis: [0, -1, 0], angle: 0.9}, angular_velocity: [0, 0, 6]}\n"
    "  weight: {type: point, mass: 0.3, position: [0.8, 0, -0.8], velocity: [0, 4.8, 0]}\n"
    "joints:\n  bearing: {type: revolute, bodies: [ground, shaft], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  hinge: {type: revolute, bodies: [shaft, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  rope: {type: distance, from: arm, to: weight}\n"
    "motions: {drive: {joint: bearing, angle: 6*time + 0.2*sin(5*time)}}\n"
    "inputs: {u: 1}\n"
    "forces: {lift: {type: force, at: weight, force: [0, 0, \"u*dx(weight)\"]}}\n"
    "outputs: {tension: fx(rope), z: vz(weight), torque: tz(bearing)}\n";

typedef struct place {
  fly_mechanism *mechanism;
  fly_run *run;
  fly_tangent *tangent;
  fly_tangent_sizes n;
  fly_eval eval;
  fly_step_matrix kkt;
  double *dz;
  long solves;
} place;

static place place_at(const char *text, double t, double end) {
  place p = {0};
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  o.end = end;
  o.error = 1e-6;
  assert_ok(fly_mechanism_parse(&p.mechanism, "text", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_run_create(&p.run, p.mechanism, &o, &error), &error);
  assert_ok(fly_run_start(p.run, &error), &error);
  if (t > 0)
    assert_ok(fly_run_advance(p.run, t, FLY_ADVANCE_STOP, &error), &error);
  assert_ok(fly_run_tangent(&p.tangent, p.run, &error), &error);
  p.n = fly_tangent_size(p.tangent);
  assert_ok(fly_eval_create(&p.eval, &p.run->assembly.system.dae, &error), &error);
  fly_step_matrix_size(&p.kkt, FLY_MATRIX_KKT, &p.eval);
  assert_ok(fly_step_matrix_build(&p.kkt, &p.eval, &error), &error);
  p.dz = calloc((size_t)p.kkt.n, sizeof *p.dz);
  return p;
}

static void place_free(place *p) {
  free(p->dz);
  fly_step_matrix_free(&p->kkt);
  fly_eval_free(&p->eval);
  fly_tangent_free(p->tangent);
  fly_run_free(p->run);
  fly_mechanism_free(p->mechanism);
}

enum { MOST = 100 };

typedef struct seeds {
  double q[MOST], v[MOST], x[MOST], u[MOST];
} seeds;

// (v', lambda, x', y, outputs) a step beside the point.
static void beside(place *p, const seeds *d, double step, double *out) {
  const fly_dae_state at = fly_tangent_state(p->tangent);
  fly_system *system = &p->run->assembly.system;
  double q[MOST], v[MOST], x[MOST], delta[MOST], value[MOST];
  for (int i = 0; i < p->n.nv; i++) {
    delta[i] = step * d->q[i];
    v[i] = at.v[i] + step * d->v[i];
  }
  fly_eval_plus(&p->eval, q, at.q, delta);
  for (int i = 0; i < p->n.nx; i++)
    x[i] = at.x[i] + step * d->x[i];
  for (int i = 0; i < p->n.ninput; i++) {
    value[i] = fly_system_input(system, i, at.t);
    fly_system_set_input(system, i, at.t, value[i] + step * d->u[i], 0);
  }
  memcpy(out, at.vdot, (size_t)p->kkt.n * sizeof *out); // one array
  const fly_index1 f = {&p->eval, &p->kkt, p->dz, &p->solves, NULL};
  assert_int_equal(fly_index1_find(&f, at.t, q, v, x, out), FLY_SOLVED);
  const fly_dae_state there = fly_index1_state(&p->eval, at.t, q, v, x, out);
  fly_system_outputs(system, &there, out + p->kkt.n);
  for (int i = 0; i < p->n.ninput; i++)
    fly_system_set_input(system, i, at.t, value[i], 0);
}

static void differences(place *p, const seeds *d, int count, double *out) {
  const double h = 2e-3;
  double plus[2 * MOST], minus[2 * MOST];
  memset(out, 0, (size_t)count * sizeof *out);
  for (int level = 0; level < 3; level++) {
    const double step = h / (1 << level), weight[] = {1.0 / 45, -20.0 / 45, 64.0 / 45};
    beside(p, d, step, plus);
    beside(p, d, -step, minus);
    for (int i = 0; i < count; i++)
      out[i] += weight[level] * (plus[i] - minus[i]) / (2 * step);
  }
}

static void compare(const char *what, const double *found, const double *expected, int n, double tolerance) {
  double size = 1;
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(expected[i]));
  for (int i = 0; i < n; i++)
    check_near(found[i], expected[i], tolerance * size, what, __FILE__, __LINE__);
}

static void judge_seed(place *p, const seeds *d, double tolerance) {
  const fly_model *m = &p->mechanism->model;
  const int nv = p->n.nv, nl = p->n.nl, count = p->kkt.n + m->noutput;
  const fly_seed seed = {d->q, d->v, d->x, d->u};
  double vdot[MOST], lambda[MOST], xdot[MOST], value[MOST], expected[2 * MOST];
  int channel[MOST];
  fly_error error = {0};
  for (int k = 0; k < m->noutput; k++)
    channel[k] = fly_run_channel(p->run, m->spec->item[m->output[k].item].name);
  assert_ok(
      fly_tangent_along(p->tangent, &seed, &(fly_response){vdot, lambda, xdot}, channel, m->noutput, value, &error),
      &error);
  differences(p, d, count, expected);
  compare("v'", vdot, expected, nv, tolerance);
  compare("lambda", lambda, expected + nv, nl, tolerance);
  compare("x'", xdot, expected + nv + nl, p->n.nx, tolerance);
  compare("outputs", value, expected + p->kkt.n, m->noutput, tolerance);
}

static void fill(double *x, int n, uint64_t *seed) {
  for (int i = 0; i < n; i++)
    x[i] = random_double(seed);
}

static double row_size(const fly_csc *G, const double *v, const fly_csc *Z, const double *q) {
  double rows[MOST] = {0}, most = 0;
  if (G->rows == 0)
    return 0;
  fly_csc_multiply_add(rows, G, 1.0, v);
  if (Z)
    fly_csc_multiply_add(rows, Z, 1.0, q);
  for (int i = 0; i < G->rows; i++)
    most = fmax(most, fabs(rows[i]));
  return most;
}

// Any direction, then the one beside it that the constraints allow, then of an input alone.
static void judge(const char *text, double t, double tolerance) {
  place p = place_at(text, t, t + 1);
  fly_error error = {0};
  uint64_t seed = 3;
  assert_true(p.kkt.n + p.mechanism->model.noutput < 2 * MOST);
  for (int k = 0; k < 4; k++) {
    seeds d = {{0}, {0}, {0}, {0}};
    fill(d.u, p.n.ninput, &seed);
    if (k < 3) {
      fill(d.q, p.n.nv, &seed);
      fill(d.v, p.n.nv, &seed);
      fill(d.x, p.n.nx, &seed);
    }
    if (k == 1)
      assert_ok(fly_tangent_allow(p.tangent, d.q, d.v, &error), &error);
    judge_seed(&p, &d, tolerance);
    if (k != 1)
      continue;
    const fly_dae_state at = fly_tangent_state(p.tangent);
    assert_int_equal(fly_eval_jacobian(&p.eval, &at), 0);
    assert_at_most(row_size(&p.eval.G, d.q, NULL, NULL), 1e-12);
    assert_at_most(row_size(&p.eval.G, d.v, &p.eval.Zg, d.q), 1e-11);
    assert_at_most(row_size(&p.eval.B, d.v, &p.eval.Zb, d.q), 1e-11);
  }
  place_free(&p);
}

static void a_loop_with_states_variables_and_accelerations(void **state) {
  judge(FOUR_BAR, 0, 1e-7);
  judge(FOUR_BAR, 0.37, 1e-7);
}

static void bodies_in_space(void **state) {
  judge(SPATIAL, 0, 1e-7);
  judge(SPATIAL, 0.21, 1e-7);
}

static void a_disc_that_rolls(void **state) { judge(COIN, 0.3, 1e-7); }
static void a_motion_of_a_joint(void **state) { judge(DRIVEN, 0.4, 1e-7); }

// A pendulum of length l pushed by a torque u at the angle phi: l^2 m phi'' = u - m g l sin(phi), closed forms.
static void a_pendulum(void **state) {
  static const char text[] = "flyball: 1\ngravity: [0, -9.81, 0]\n"
                             "bodies: {bob: {type: planar, mass: 2, inertia: 0.1, position: [0.5*sin(0.7), "
                             "-0.5*cos(0.7)], angle: 0.7}}\n"
                             "joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0]}}\n"
                             "inputs: {u: 1}\nforces: {motor: {type: force, at: bob, torque: [0, 0, u]}}\n"
                             "outputs: {phi: az(bob), x: dx(bob), load: fy(pin)}\n";
  place p = place_at(text, 0, 1);
  const int turn = fly_run_coordinate(p.run, "bob.turn_z"), x = fly_run_coordinate(p.run, "bob.x");
  const int seen[] = {fly_run_channel(p.run, "phi"), fly_run_channel(p.run, "x"), 0, fly_run_channel(p.run, "u")};
  const double J = 0.1 + 2 * 0.25, one = 1;
  double q[3] = {0}, v[3] = {0}, vdot[3], value[4];
  fly_error error = {0};
  assert_int_equal(turn, 2);
  assert_int_equal(x, 0);
  assert_near(fly_tangent_state(p.tangent).vdot[turn], (1 - 2 * 9.81 * 0.5 * sin(0.7)) / J, 1e-13);
  q[0] = 0.5 * cos(0.7);
  q[1] = 0.5 * sin(0.7);
  q[2] = 1;
  assert_ok(fly_tangent_along(p.tangent, &(fly_seed){.q = q}, &(fly_response){.vdot = vdot}, seen, 4, value, &error),
            &error);
  assert_near(vdot[turn], -2 * 9.81 * 0.5 * cos(0.7) / J, 1e-13);
  assert_near(value[0], 1, 1e-14);
  assert_near(value[1], 0.5 * cos(0.7), 1e-14);
  assert_near(value[2], 0, 0);
  assert_near(value[3], 0, 0);
  assert_ok(fly_tangent_along(p.tangent, &(fly_seed){.u = &one}, &(fly_response){.vdot = vdot}, seen, 4, value, &error),
            &error);
  assert_near(vdot[turn], 1 / J, 1e-13);
  assert_near(vdot[0], 0.5 * cos(0.7) / J, 1e-13);
  assert_near(value[1], 0, 0);
  assert_near(value[3], 1, 0);
  (void)v;
  place_free(&p);
}

static void refused(fly_status status, const fly_error *error, const char *says) {
  assert_int_equal(status, FLY_BAD_INPUT);
  if (!strstr(error->message, says))
    fail_msg("%s", error->message);
}

static void what_is_asked_wrongly_is_refused(void **state) {
  place p = place_at(FOUR_BAR, 0.1, 1);
  fly_error error = {0};
  double value[1], q[9] = {0};
  const int body = fly_run_channel(p.run, "rod.x"), none = 10000;
  fly_tangent *t;
  assert_true(body > 0);
  refused(fly_tangent_along(p.tangent, NULL, NULL, &body, 1, value, &error), &error, "`rod.x` has no derivatives");
  refused(fly_tangent_along(p.tangent, NULL, NULL, &none, 1, value, &error), &error, "no channel 10000");
  assert_int_equal(fly_run_coordinate(p.run, "rod.turn_x"), -1);
  assert_int_equal(fly_run_coordinate(p.run, "rod"), -1);
  assert_int_equal(fly_run_state_place(p.run, "sum"), 1);
  assert_int_equal(fly_run_state_place(p.run, "su"), -1);
  assert_int_equal(fly_tangent_along(NULL, NULL, NULL, NULL, 0, NULL, &error), FLY_BAD_INPUT);
  assert_int_equal(fly_tangent_allow(p.tangent, q, NULL, &error), FLY_BAD_INPUT);
  assert_int_equal(fly_run_tangent(NULL, p.run, &error), FLY_BAD_INPUT);
  assert_int_equal(fly_run_tangent(&t, NULL, &error), FLY_BAD_INPUT);
  assert_ok(fly_run_advance(p.run, 0.2, FLY_ADVANCE_STOP, &error), &error);
  refused(fly_tangent_along(p.tangent, NULL, NULL, NULL, 0, NULL, &error), &error, "has gone on since t = 0.1 s");
  fly_tangent_free(NULL);
  place_free(&p);
}

// To look at derivatives changes nothing: the run goes on to the same bits.
static void nothing_is_changed(void **state) {
  double end[2];
  for (int k = 0; k < 2; k++) {
    place p = place_at(SPATIAL, 0.1, 0.4);
    fly_error error = {0};
    const int x = fly_run_channel(p.run, "x");
    uint64_t seed = 9;
    for (int i = 0; i < 3 && k == 1; i++) {
      seeds d = {{0}, {0}, {0}, {0}};
      fly_tangent *t;
      fill(d.q, p.n.nv, &seed);
      fill(d.u, p.n.ninput, &seed);
      assert_ok(fly_run_tangent(&t, p.run, &error), &error);
      assert_ok(fly_tangent_along(t, &(fly_seed){d.q, NULL, NULL, d.u}, NULL, NULL, 0, NULL, &error), &error);
      fly_tangent_free(t);
      assert_ok(fly_run_advance(p.run, 0.1 + 0.05 * (i + 1), FLY_ADVANCE_STOP, &error), &error);
    }
    for (int i = 0; i < 3 && k == 0; i++)
      assert_ok(fly_run_advance(p.run, 0.1 + 0.05 * (i + 1), FLY_ADVANCE_STOP, &error), &error);
    assert_ok(fly_run_read(p.run, &x, 1, &end[k], &error), &error);
    place_free(&p);
  }
  assert_memory_equal(&end[0], &end[1], sizeof end[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum),          cmocka_unit_test(a_loop_with_states_variables_and_accelerations),
      cmocka_unit_test(bodies_in_space),     cmocka_unit_test(a_disc_that_rolls),
      cmocka_unit_test(a_motion_of_a_joint), cmocka_unit_test(what_is_asked_wrongly_is_refused),
      cmocka_unit_test(nothing_is_changed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
