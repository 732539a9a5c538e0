// Linearization: against closed forms at rest and in motion, and against differences of the accelerations.
//
// labels: blas
#include "base/check.h"

#include "analysis/linear.h"
#include "sparse/dense.h"
#include "system/machine.h"

static const char PENDULUM[] =
    "{flyball: 1, gravity: [0, 0, -9.81], parameters: {phi: 0, rate: 0}, bodies: {bob: {mass: 2, inertia: [0.3, 0.2, "
    "0.1], position: [0.7*sin(phi), 0, -0.7*cos(phi)], orientation: {axis: [0, -1, 0], angle: phi}, velocity: "
    "[0.7*rate*cos(phi), 0, 0.7*rate*sin(phi)], angular_velocity: [0, -rate, 0]}}, joints: {pin: {type: revolute, "
    "bodies: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}}, simulate: {end: 1}}";

static machine *machine_with(const char *text, int nset, const char *const *set) {
  machine *m = calloc(1, sizeof *m);
  fly_error error = {0};
  assert_non_null(m);
  assert_ok(fly_model_read_text(&m->spec, "text", text, strlen(text), nset, set, &error), &error);
  machine_compile(m);
  machine_start(m, 1e-6, 1.0);
  return m;
}

static fly_linear linear_of(machine *m, const char *frame) {
  fly_error error = {0};
  fly_linear l;
  fly_dae_state at = fly_solver_state(m->solver);
  int body = frame ? fly_model_body(&m->model, frame) : FLY_GROUND;
  assert_ok(fly_linear_prepare(&l, &m->system, &at, body, &error), &error);
  assert_ok(fly_linear_reduce(&l, &at, &error), &error);
  return l;
}

static void test_pendulum(void **state) {
  machine *m = machine_with(PENDULUM, 0, NULL);
  fly_linear l = linear_of(m, NULL);
  assert_int_equal(l.ndof, 1);
  assert_near(l.K[0] / l.M[0], 2 * 9.81 * 0.7 / (0.2 + 2 * 0.49), 1e-13);
  assert_near(l.C[0], 0, 0);
  fly_linear_free(&l);
  machine_free(m);
}

// phi'' = -(m g l/J) sin phi, whatever the speed: the coordinate s follows the arc.
static void test_swinging_pendulum(void **state) {
  const char *set[] = {"phi=0.8", "rate=3"};
  machine *m = machine_with(PENDULUM, 2, set);
  fly_linear l = linear_of(m, NULL);
  assert_true(l.moving);
  assert_false(l.steady);
  assert_near(l.K[0] / l.M[0], 2 * 9.81 * 0.7 * cos(0.8) / (0.2 + 2 * 0.49), 1e-12);
  assert_near(l.C[0] / l.M[0], 0, 1e-13);
  fly_linear_free(&l);
  machine_free(m);
}

// ------------------------------------------------------------------------------------------ steady motions

// A symmetric rotor held at its mass centre, and upright by a spring with tension T between the point a above it and an
// anchor L further up: Jt theta'' - i Jp W theta' + k theta = 0 for theta = theta_x + i theta_y, k = T a (a + L)/L.
static const char ROTOR[] =
    "{flyball: 1, bodies: {ground: {markers: {anchor: [0, 0, 0.9]}}, rotor: {mass: 3, inertia: [0.4, 0.4, 0.7], "
    "angular_velocity: [0, 0, 50], orientation: {axis: [0, 0, 1], angle: 0.3}, markers: {tip: [0, 0, 0.4]}}}, joints: "
    "{socket: {type: spherical, bodies: [ground, rotor], at: [0, 0, 0]}}, forces: {spring: {type: spring, from: "
    "rotor.tip, to: ground.anchor, preload: 1000}}, simulate: {end: 1}}";

static double rotor_root(double sign, double shift) {
  double Jt = 0.4, Jp = 0.7, W = 50, k = 1000 * 0.4 * 0.9 / 0.5;
  return (Jp * W + sign * sqrt(Jp * Jp * W * W + 4 * Jt * k)) / (2 * Jt) - shift;
}

// The imaginary parts of all eigenvalues, ascending.
static void frequencies_of(const fly_linear *l, double *im) {
  int n = l->ndof;
  fly_error error = {0};
  double *A = calloc((size_t)(4 * n * n), sizeof *A), *Z = calloc((size_t)(4 * n * n), sizeof *Z);
  double *re = calloc((size_t)(2 * n), sizeof *re);
  assert_ok(fly_linear_state_matrix(l, A, &error), &error);
  assert_ok(fly_dense_eigen(re, im, Z, A, 2 * n, &error), &error);
  for (int i = 0; i < 2 * n; i++) {
    assert_near(re[i], 0, 1e-6); // the spin itself is a double zero
    for (int j = i; j > 0 && im[j] < im[j - 1]; j--) {
      double swap = im[j];
      im[j] = im[j - 1];
      im[j - 1] = swap;
    }
  }
  free(A);
  free(Z);
  free(re);
}

static void test_whirl(void **state) {
  machine *m = machine_with(ROTOR, 0, NULL);
  fly_linear l = linear_of(m, NULL);
  double im[6], forward = rotor_root(1, 0), backward = -rotor_root(-1, 0);
  assert_int_equal(l.ndof, 3);
  assert_true(l.steady);
  frequencies_of(&l, im);
  say("whirl %.12g and %.12g, exactly %.12g and %.12g rad/s\n", im[4], im[5], backward, forward);
  assert_near(im[5], forward, 1e-10 * forward);
  assert_near(im[4], backward, 1e-10 * forward);
  fly_linear_free(&l);
  machine_free(m);
}

// Seen from axes that turn with the rotor, a forward whirl at p is one at p - W.
static void test_whirl_seen_from_the_rotor(void **state) {
  machine *m = machine_with(ROTOR, 0, NULL);
  fly_linear l = linear_of(m, "rotor");
  double im[6], forward = rotor_root(1, 50), backward = -rotor_root(-1, 50);
  frequencies_of(&l, im);
  assert_near(im[4], fmin(forward, backward), 1e-10 * backward);
  assert_near(im[5], fmax(forward, backward), 1e-10 * backward);
  fly_linear_free(&l);
  machine_free(m);
}

// A pendulum hinged on a shaft that is turned at W. With J1 its inertia about the hinge and J3 along the arm,
// J1 theta'' = (J1 - J3) W^2 sin cos - m g l sin: steady at cos(theta) = m g l/((J1 - J3) W^2).
static const char CONICAL[] =
    "{flyball: 1, gravity: [0, 0, -9.81], parameters: {W: 6, l: 0.5, m: 2, J: 0.08, I: 0.01, theta: "
    "acos(m*9.81*l/((J - I + m*l^2)*W^2))}, bodies: {shaft: {mass: 1, inertia: [1, 1, 0.3], angular_velocity: [0, "
    "0, W]}, "
    "arm: {mass: m, inertia: [J, J, I], position: [l*sin(theta), 0, -l*cos(theta)], orientation: {axis: [0, -1, 0], "
    "angle: theta}, velocity: [0, W*l*sin(theta), 0], angular_velocity: [W*sin(theta), 0, W*cos(theta)]}}, joints: "
    "{bearing: {type: revolute, bodies: [ground, shaft], at: [0, 0, 0], axis: [0, 0, 1]}, hinge: {type: revolute, "
    "bodies: [shaft, arm], at: [0, 0, 0], axis: [0, 1, 0]}}, motions: {drive: {joint: bearing, angle: W*time}}, "
    "simulate: {end: 1}}";

static void test_conical_pendulum(void **state) {
  double W = 6, l = 0.5, J1 = 0.08 + 2 * l * l, c = 2 * 9.81 * l / ((J1 - 0.01) * W * W);
  double exact = (J1 - 0.01) / J1 * W * W * (1 - c * c);
  machine *m = machine_with(CONICAL, 0, NULL);
  for (int k = 0; k < 2; k++) {
    fly_linear lin = linear_of(m, k ? "shaft" : NULL);
    assert_int_equal(lin.ndof, 1);
    assert_int_equal(lin.steady, k == 1);
    double found = lin.K[0] / lin.M[0];
    say("conical pendulum: %.14g, exactly %.14g\n", found, exact);
    assert_near(found, exact, 1e-9 * exact);
    assert_near(lin.C[0] / lin.M[0], 0, 1e-10 * W);
    double out[12];
    fly_dae_state at = fly_solver_state(m->solver);
    fly_linear_unbalanced(&lin, &at, out);
    double most = 0;
    for (int i = 0; i < lin.nv; i++)
      most = fmax(most, fabs(out[i]));
    if (k)
      assert_near(most, 0, 1e-10); // steady seen from the shaft
    else
      assert_at_least(most, 1.0); // the arm is pulled inwards all the time
    fly_linear_free(&lin);
  }
  machine_free(m);
}

// ------------------------------------------------------------------------------------------ differences

// v' and lambda at (q, v) of a problem without outputs: (M G^T; G 0) (v'; lambda) = (f; -gamma).
static void accelerations(fly_eval *e, double t, const double *q, const double *v, double *out) {
  int nv = e->p.nv, n = nv + e->nl;
  double *A = calloc((size_t)(n * n), sizeof *A), *b = calloc((size_t)n, sizeof *b),
         *zero = calloc((size_t)n, sizeof *zero);
  fly_error error = {0};
  fly_dae_state at = {.t = t, .q = q, .v = v, .vdot = zero, .lambda = zero};
  assert_int_equal(fly_eval_kinematics(e, t, q), 0);
  for (int j = 0; j < nv; j++) {
    for (int k = e->M.start[j]; k < e->M.start[j + 1]; k++)
      A[n * j + e->M.row[k]] = e->M.val[k];
    for (int k = e->G.start[j]; k < e->G.start[j + 1]; k++)
      A[n * j + nv + e->G.row[k]] = A[n * (nv + e->G.row[k]) + j] = e->G.val[k];
  }
  assert_int_equal(e->p.force(b, &at, e->p.user), 0);
  assert_int_equal(fly_eval_gamma(e, b + nv, t, q, v), 0);
  for (int i = nv; i < n; i++)
    b[i] = -b[i];
  assert_ok(fly_dense_solve(A, b, n, 1, &error), &error);
  memcpy(out, b, (size_t)n * sizeof *b);
  free(A);
  free(b);
  free(zero);
}

// (dv', dlambda) along a state (s, s') by Richardson's differences of the accelerations.
static void difference(machine *m, const fly_linear *l, const double *s, const double *u, double *out) {
  fly_eval e;
  fly_error error = {0};
  fly_dae_state at = fly_solver_state(m->solver);
  int nv = l->nv, n = nv + l->eval.nl;
  double *q = calloc((size_t)m->model.nq, sizeof *q), *v = calloc((size_t)nv, sizeof *v),
         *delta = calloc((size_t)nv, sizeof *delta), *a = calloc((size_t)n, sizeof *a);
  assert_ok(fly_eval_create(&e, &m->system.dae, &error), &error);
  memset(out, 0, (size_t)n * sizeof *out);
  for (int level = 0; level < 2; level++)
    for (int sign = -1; sign <= 1; sign += 2) {
      double h = sign * (level ? 5e-5 : 1e-4), weight = (level ? 4.0 : -1.0) / 3 / (2 * h);
      for (int i = 0; i < nv; i++) {
        delta[i] = 0;
        v[i] = at.v[i];
        for (int k = 0; k < l->ndof; k++) {
          delta[i] += h * l->Z[nv * k + i] * s[k];
          v[i] += h * (l->Z[nv * k + i] * u[k] + l->Vs[nv * k + i] * s[k]);
        }
      }
      fly_eval_plus(&e, q, at.q, delta);
      accelerations(&e, at.t, q, v, a);
      for (int i = 0; i < n; i++)
        out[i] += weight * a[i];
    }
  fly_eval_free(&e);
  free(q);
  free(v);
  free(delta);
  free(a);
}

// (dv', dlambda) of a state (s, s'): dv' = Z s'' + Au s' + As s, with (s'', dlambda) the answer of the equations.
static void predict(const fly_linear *l, const double *answer, const double *s, const double *u, double *out) {
  int n = l->ndof, nv = l->nv, nl = l->eval.nl, rows = l->eval.nrow;
  memset(out, 0, (size_t)(nv + nl) * sizeof *out);
  for (int k = 0; k < 2 * n; k++) {
    double x = k < n ? s[k] : u[k - n];
    const double *by = answer + rows * k, *extra = k < n ? l->As + nv * k : l->Au + nv * (k - n);
    for (int i = 0; i < nv; i++) {
      out[i] += extra[i] * x;
      for (int j = 0; j < n; j++)
        out[i] += l->Z[nv * j + i] * by[j] * x;
    }
    for (int i = 0; i < nl; i++)
      out[nv + i] += by[n + i] * x;
  }
}

static void check_against_differences(machine *m, const char *frame) {
  fly_linear l = linear_of(m, frame);
  fly_error error = {0};
  int n = l.ndof, all = l.nv + l.eval.nl;
  size_t size = (size_t)(l.eval.nrow * 2 * n);
  double *load = calloc(size, sizeof *load), *answer = calloc(size, sizeof *answer);
  double *s = calloc((size_t)n, sizeof *s), *u = calloc((size_t)n, sizeof *u);
  double *given = calloc((size_t)all, sizeof *given), *exact = calloc((size_t)all, sizeof *exact);
  uint64_t seed = 5;
  assert_int_equal(m->model.ny, 0);
  fly_linear_state_loads(&l, load);
  assert_ok(fly_linear_answer(&l, 2 * n, load, answer, &error), &error);
  for (int round = 0; round < 3; round++) {
    double worst[2] = {0}, most[2] = {0};
    for (int k = 0; k < n; k++) {
      s[k] = random_double(&seed);
      u[k] = random_double(&seed);
    }
    difference(m, &l, s, u, exact);
    predict(&l, answer, s, u, given);
    for (int i = 0; i < all; i++) {
      worst[i >= l.nv] = fmax(worst[i >= l.nv], fabs(given[i] - exact[i]));
      most[i >= l.nv] = fmax(most[i >= l.nv], fabs(exact[i]));
    }
    say("dv' off by %.2e of %.3g, dlambda by %.2e of %.3g\n", worst[0], most[0], worst[1], most[1]);
    assert_at_most(worst[0] / (1 + most[0]), 1e-9);
    assert_at_most(worst[1] / (1 + most[1]), 1e-9);
  }
  free(load);
  free(answer);
  free(s);
  free(u);
  free(given);
  free(exact);
  fly_linear_free(&l);
}

// Runs there, and makes accelerations and multipliers exact.
static void reach(machine *m, double t) {
  double q[POINT], v[POINT];
  fly_error error = {0};
  machine_start(m, 1e-5, t);
  fly_dae_state at = machine_at(m, t);
  assert_true(m->model.nq <= POINT);
  memcpy(q, at.q, (size_t)m->model.nq * sizeof *q);
  memcpy(v, at.v, (size_t)m->model.nv * sizeof *v);
  assert_ok(fly_solver_start(m->solver, t, t + 1, q, v, NULL, &error), &error);
}

static void test_moving_machines(void **state) {
  const char *names[] = {"double-pendulum", "governor", "t-handle", "heavy-top", "spatial-slider-crank"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    machine *m = machine_example(names[k]);
    reach(m, 0.05);
    say("%s\n", names[k]);
    check_against_differences(m, NULL);
    check_against_differences(m, m->model.body[0].name);
    machine_free(m);
  }
}

// ------------------------------------------------------------------------------------------ forces that feel much

// A mass on a spring pushed by -2 times its own acceleration: it moves as if it were heavier by that.
static void test_feedback(void **state) {
  machine *m = machine_with(
      "{flyball: 1, bodies: {block: {mass: 3, inertia: [1, 1, 1]}}, joints: {slide: {type: "
      "translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, 0]}}, forces: {law: {type: "
      "force, at: block, force: ['-12*dx(block) - 0.5*vx(block) - 2*accx(block)', 0, 0]}}, simulate: {end: "
      "1}}",
      0, NULL);
  fly_linear l = linear_of(m, NULL);
  assert_int_equal(m->model.ny, 1);
  assert_near(l.K[0] / l.M[0], 12.0 / 5, 1e-13);
  assert_near(l.C[0] / l.M[0], 0.5 / 5, 1e-14);
  fly_linear_free(&l);
  machine_free(m);
}

// ------------------------------------------------------------------------------------------ first-order states

// 2 q'' = -50 q - 4 q' + 3 x + 7 y, x' = -6 x + 5 q' + 0.5 q'', y = 0.25 q + 0.1 x
static int mass_of(double *M, double t, const double *q, void *user) {
  M[0] = 2;
  return 0;
}

static int force_of(double *f, const fly_dae_state *s, void *user) {
  f[0] = -50 * s->q[0] - 4 * s->v[0] + 3 * s->x[0] + 7 * s->y[0];
  return 0;
}

static int states_of(double *d, const fly_dae_state *s, void *user) {
  d[0] = s->xdot[0] + 6 * s->x[0] - 5 * s->v[0] - 0.5 * s->vdot[0];
  return 0;
}

static int outputs_of(double *h, const fly_dae_state *s, void *user) {
  h[0] = 0.25 * s->q[0] + 0.1 * s->x[0];
  return 0;
}

static int derivatives_of(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  // rows: motion, x, y; columns: v', x', y and their lower levels; column by column
  J0[1] = -0.5; // x by v'
  J0[4] = 1;    // x by x'
  J0[6] = -7;   // motion by y
  J1[0] = 4, J1[1] = -5;
  J1[3] = -3, J1[4] = 6, J1[5] = -0.1;
  J2[0] = 50, J2[2] = -0.25;
  return 0;
}

static void test_first_order_states(void **state) {
  const fly_dae_problem p = {.name = "filter",
                             .nq = 1,
                             .nv = 1,
                             .nx = 1,
                             .ny = 1,
                             .mass = mass_of,
                             .force = force_of,
                             .states = states_of,
                             .outputs = outputs_of,
                             .jacobian = derivatives_of};
  const double zero[1] = {0};
  const fly_dae_state at = {.q = zero, .v = zero, .vdot = zero, .lambda = zero, .x = zero, .xdot = zero, .y = zero};
  fly_derivative_check check;
  fly_error error = {0};
  fly_linear l;
  assert_ok(fly_dae_check(&check, &p, &at, &error), &error);
  assert_at_most(check.worst, 1e-8);
  assert_ok(fly_linear_make_problem(&l, &p, &at, &error), &error);
  double A[9], z = l.Z[0]; // s = q/z
  assert_ok(fly_linear_state_matrix(&l, A, &error), &error);
  double q = (-50 + 7 * 0.25) / 2, v = -2, x = (3 + 0.7) / 2;
  const double exact[9] = {0, q, 0.5 * q * z, 1, v, (5 + 0.5 * v) * z, 0, x / z, -6 + 0.5 * x};
  for (int k = 0; k < 9; k++)
    assert_near(A[k], exact[k], 1e-14);
  fly_linear_free(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_swinging_pendulum),
      cmocka_unit_test(test_whirl),
      cmocka_unit_test(test_whirl_seen_from_the_rotor),
      cmocka_unit_test(test_conical_pendulum),
      cmocka_unit_test(test_moving_machines),
      cmocka_unit_test(test_feedback),
      cmocka_unit_test(test_first_order_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
