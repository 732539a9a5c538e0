// What must not matter: when a run begins, the units of constraints and of mass, the direction of the axes, the order
// of the coordinates. And the trapezoid rule finds its way back.
#include <string.h>

#include "support/motion.h"

static void assert_alike(const motion *a, const motion *b, double q, double lambda_factor, double lambda) {
  assert_int_equal(a->count, b->count);
  double worst_q = 0, worst_lambda = 0;
  for (int i = 0; i < a->count; i++) {
    const fly_dae_state x = motion_at(a, i), y = motion_at(b, i);
    worst_q = fmax(worst_q, errors_between(a, &x, &y).q);
    for (int k = 0; k < a->nl; k++)
      worst_lambda = fmax(worst_lambda, fabs(x.lambda[k] - lambda_factor * y.lambda[k]));
  }
  assert_at_most(worst_q, q);
  assert_at_most(worst_lambda, lambda);
}

// ---------------------------------------------------------------------------------------------- time

static void test_later_start(void **state) {
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    fly_problem p = problem_of("pendulum-family", NULL, 0);
    const fly_dae_options o = with_step(options_of("ch", 0.8, f), 1.0 / 256);
    motion a = motion_run(&p, &o, 2);
    p.t0 = 64; // exact in binary
    motion b = motion_run(&p, &o, 66);
    assert_true(motion_end(&b).t == 66);
    assert_alike(&a, &b, 1e-9, 1, 1e-6);
    motion_free(&a);
    motion_free(&b);
    fly_problem_free(&p);
  }
}

// Forward, velocities turned round, forward again: the trapezoid rule is its own mirror image.
static void test_back_again(void **state) {
  fly_problem p = problem_of("oscillator", "undamped", 0);
  const fly_dae_options o = with_step(options_of("trapezoid", NAN, FLY_GGL), 0.03125);
  motion there = motion_run(&p, &o, 4);
  p.q0[0] = motion_end(&there).q[0];
  p.v0[0] = -motion_end(&there).v[0];
  motion back = motion_run(&p, &o, 4);
  assert_close(motion_end(&back).q[0], 1, 1e-11);
  assert_close(motion_end(&back).v[0], 0, 1e-10);
  motion_free(&there);
  motion_free(&back);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- units

typedef struct scaled {
  fly_dae_problem inner;
  double row, mass; // factors on constraint rows, on mass and forces
} scaled;

static void multiply(double *x, int n, double factor) {
  for (int i = 0; i < n; i++)
    x[i] *= factor;
}

static int scaled_mass(double *M, double t, const double *q, void *user) {
  scaled *s = user;
  const int code = s->inner.mass(M, t, q, s->inner.user);
  multiply(M, s->inner.nv * s->inner.nv, s->mass);
  return code;
}
static int scaled_force(double *f, const fly_dae_state *at, void *user) {
  scaled *s = user;
  const int code = s->inner.force(f, at, s->inner.user);
  multiply(f, s->inner.nv, s->mass);
  return code;
}
static int scaled_constraint(double *g, double t, const double *q, void *user) {
  scaled *s = user;
  const int code = s->inner.constraint(g, t, q, s->inner.user);
  multiply(g, s->inner.ng, s->row);
  return code;
}
static int scaled_jacobian(double *G, double t, const double *q, void *user) {
  scaled *s = user;
  const int code = s->inner.constraint_jacobian(G, t, q, s->inner.user);
  multiply(G, s->inner.ng * s->inner.nv, s->row);
  return code;
}
static int scaled_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  scaled *s = user;
  const int code = s->inner.constraint_gamma(gamma, t, q, v, s->inner.user);
  multiply(gamma, s->inner.ng, s->row);
  return code;
}
static int scaled_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  scaled *s = user;
  const int code = s->inner.constraint_velocity_jacobian(Z, t, q, v, s->inner.user);
  multiply(Z, s->inner.ng * s->inner.nv, s->row);
  return code;
}

// lambda of the scaled problem times row/mass is lambda: G^T lambda scales with the forces.
static void test_units_of_rows_and_mass(void **state) {
  const double factors[][2] = {{1e6, 1}, {1e-6, 1}, {1, 1e6}, {1, 1e-6}, {1e4, 1e-4}};
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++)
    for (int k = 0; k < 5; k++) {
      fly_problem p = problem_of("seven-body", NULL, 0), other = problem_of("seven-body", NULL, 0);
      scaled s = {.inner = p.dae, .row = factors[k][0], .mass = factors[k][1]};
      other.dae.mass = scaled_mass;
      other.dae.force = scaled_force;
      other.dae.constraint = scaled_constraint;
      other.dae.constraint_jacobian = scaled_jacobian;
      other.dae.constraint_gamma = scaled_gamma;
      other.dae.constraint_velocity_jacobian = scaled_velocity_jacobian;
      other.dae.jacobian = NULL;
      other.dae.energy = NULL;
      other.dae.user = &s;
      const fly_dae_options o = with_error(options_of("ch", 0.8, f), 1e-4);
      motion a = motion_run(&p, &o, 0.005), b = motion_run(&other, &o, 0.005);
      say("formulation %d, rows * %.0e, mass * %.0e: %ld and %ld steps\n", f, s.row, s.mass, a.stats.steps,
          b.stats.steps);
      assert_between((double)b.stats.steps, 0.97 * (double)a.stats.steps, 1.03 * (double)a.stats.steps);
      const fly_dae_state x = motion_end(&a), y = motion_end(&b);
      assert_at_most(errors_between(&a, &x, &y).q, 1e-9);
      for (int i = 0; i < a.nl; i++)
        assert_close(y.lambda[i] * s.row / s.mass, x.lambda[i], 1e-5);
      motion_free(&a);
      motion_free(&b);
      fly_problem_free(&p);
      fly_problem_free(&other);
    }
}

// ---------------------------------------------------------------------------------------------- order of coordinates

enum { NQ = 7, NV = 6, NG = 3 };

// The heavy top with its quaternion before its mass centre, and velocities in the same or the old order.
typedef struct reordered {
  fly_dae_problem inner;
  const int *q, *v; // place of each inner number in the outer array
} reordered;

static void gather(double *inner, const double *outer, const int *place, int n) {
  for (int i = 0; i < n; i++)
    inner[i] = outer[place[i]];
}
static void scatter(double *outer, const double *inner, const int *place, int n) {
  for (int i = 0; i < n; i++)
    outer[place[i]] = inner[i];
}
static void scatter_columns(double *outer, const double *inner, const int *place, int rows) {
  for (int j = 0; j < NV; j++)
    memcpy(outer + rows * place[j], inner + rows * j, (size_t)rows * sizeof *outer);
}

static int reordered_mass(double *M, double t, const double *q, void *user) {
  const reordered *r = user;
  double inner[NV * NV] = {0}, at[NQ];
  gather(at, q, r->q, NQ);
  const int code = r->inner.mass(inner, t, at, r->inner.user);
  for (int j = 0; j < NV; j++)
    scatter(M + NV * r->v[j], inner + NV * j, r->v, NV);
  return code;
}
static int reordered_force(double *f, const fly_dae_state *s, void *user) {
  const reordered *r = user;
  double inner[NV] = {0}, q[NQ], v[NV];
  gather(q, s->q, r->q, NQ);
  gather(v, s->v, r->v, NV);
  fly_dae_state at = *s;
  at.q = q, at.v = v;
  const int code = r->inner.force(inner, &at, r->inner.user);
  scatter(f, inner, r->v, NV);
  return code;
}
static int reordered_constraint(double *g, double t, const double *q, void *user) {
  const reordered *r = user;
  double at[NQ];
  gather(at, q, r->q, NQ);
  return r->inner.constraint(g, t, at, r->inner.user);
}
static int reordered_jacobian(double *G, double t, const double *q, void *user) {
  const reordered *r = user;
  double inner[NG * NV] = {0}, at[NQ];
  gather(at, q, r->q, NQ);
  const int code = r->inner.constraint_jacobian(inner, t, at, r->inner.user);
  scatter_columns(G, inner, r->v, NG);
  return code;
}
static int reordered_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  const reordered *r = user;
  double at[NQ], rate[NV];
  gather(at, q, r->q, NQ);
  gather(rate, v, r->v, NV);
  return r->inner.constraint_gamma(gamma, t, at, rate, r->inner.user);
}
static int reordered_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  const reordered *r = user;
  double inner[NG * NV] = {0}, at[NQ], rate[NV];
  gather(at, q, r->q, NQ);
  gather(rate, v, r->v, NV);
  const int code = r->inner.constraint_velocity_jacobian(inner, t, at, rate, r->inner.user);
  scatter_columns(Z, inner, r->v, NG);
  return code;
}

static void in_order(const int *q_place, const int *v_place, int rotation_q, int rotation_v) {
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    fly_problem p = problem_of("heavy-top", NULL, 0);
    reordered r = {p.dae, q_place, v_place};
    double q0[NQ], v0[NV];
    scatter(q0, p.q0, q_place, NQ);
    scatter(v0, p.v0, v_place, NV);
    fly_problem other = {.dae = p.dae, .q0 = q0, .v0 = v0};
    other.dae.rotation_q = &rotation_q;
    other.dae.rotation_v = &rotation_v;
    other.dae.mass = reordered_mass;
    other.dae.force = reordered_force;
    other.dae.constraint = reordered_constraint;
    other.dae.constraint_jacobian = reordered_jacobian;
    other.dae.constraint_gamma = reordered_gamma;
    other.dae.constraint_velocity_jacobian = reordered_velocity_jacobian;
    other.dae.jacobian = NULL;
    other.dae.energy = NULL;
    other.dae.user = &r;
    const fly_dae_options o = with_step(options_of("ch", 0.8, f), 2e-4);
    motion a = motion_run(&p, &o, 0.05), b = motion_run(&other, &o, 0.05);
    for (int i = 0; i < a.count; i++) {
      const fly_dae_state x = motion_at(&a, i), y = motion_at(&b, i);
      for (int k = 0; k < NQ; k++)
        if (fabs(x.q[k] - y.q[q_place[k]]) > 1e-9)
          fail_msg("t = %g: q %d is %.12g, not %.12g", x.t, k, y.q[q_place[k]], x.q[k]);
      for (int k = 0; k < NG; k++)
        if (fabs(x.lambda[k] - y.lambda[k]) > 1e-2)
          fail_msg("t = %g: lambda %d is %.12g, not %.12g", x.t, k, y.lambda[k], x.lambda[k]);
    }
    motion_free(&a);
    motion_free(&b);
    fly_problem_free(&p);
  }
}

static void test_order_of_coordinates(void **state) {
  const int q_turned[] = {4, 5, 6, 0, 1, 2, 3}, v_turned[] = {3, 4, 5, 0, 1, 2}, v_same[] = {0, 1, 2, 3, 4, 5};
  const int q_between[] = {0, 5, 6, 1, 2, 3, 4}, v_between[] = {0, 1, 5, 2, 3, 4};
  in_order(q_turned, v_turned, 0, 0);   // (p, r), (omega, r')
  in_order(q_turned, v_same, 0, 3);     // (p, r), (r', omega)
  in_order(q_between, v_between, 1, 2); // (x, p, y, z), (x', y', omega, z')
}

// ---------------------------------------------------------------------------------------------- axes

static int tilted_weight(double *f, const fly_dae_state *s, void *user) {
  const double angle = *(const double *)user;
  f[0] = 9.81 * sin(angle);
  f[1] = -9.81 * cos(angle);
  return 0;
}

static void test_axes(void **state) {
  double angle = 0.9;
  const double c = cos(angle), s = sin(angle);
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    fly_problem p = problem_of("pendulum", NULL, 0), tilted = problem_of("pendulum", NULL, 0);
    tilted.dae.force = tilted_weight;
    tilted.dae.energy = NULL;
    tilted.dae.user = &angle;
    tilted.q0[0] = c * p.q0[0] - s * p.q0[1];
    tilted.q0[1] = s * p.q0[0] + c * p.q0[1];
    const fly_dae_options o = with_step(options_of("ch", 0.8, f), 4e-3);
    motion a = motion_run(&p, &o, 2), b = motion_run(&tilted, &o, 2);
    for (int i = 0; i < a.count; i++) {
      const fly_dae_state x = motion_at(&a, i), y = motion_at(&b, i);
      assert_true(fabs(c * x.q[0] - s * x.q[1] - y.q[0]) < 1e-8);
      assert_true(fabs(s * x.q[0] + c * x.q[1] - y.q[1]) < 1e-8);
      assert_true(fabs(x.lambda[0] - y.lambda[0]) < 1e-5);
    }
    motion_free(&a);
    motion_free(&b);
    fly_problem_free(&p);
    fly_problem_free(&tilted);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_later_start),
      cmocka_unit_test(test_back_again),
      cmocka_unit_test(test_units_of_rows_and_mass),
      cmocka_unit_test(test_order_of_coordinates),
      cmocka_unit_test(test_axes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
