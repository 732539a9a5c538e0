// Runs that cannot go on: callbacks that refuse, fail or return NaN, mechanisms that lock, limits, options that make no
// sense. Each ends soon, with a status and a message that names what is wrong, and keeps what was reached.
//
// labels: valgrind
#include <stdio.h>
#include <string.h>

#include "support/motion.h"

// ---------------------------------------------------------------------------------------------- callbacks

typedef enum which {
  MASS,
  FORCE,
  CONSTRAINT,
  JACOBIAN_G,
  RATE,
  GAMMA,
  VELOCITY_JACOBIAN,
  JACOBIAN,
  ENERGY,
  CALLBACKS
} which;
static const char *const callback_names[CALLBACKS] = {"mass",
                                                      "force",
                                                      "constraint",
                                                      "constraint_jacobian",
                                                      "constraint_rate",
                                                      "constraint_gamma",
                                                      "constraint_velocity_jacobian",
                                                      "jacobian",
                                                      "energy"};

// The pendulum, one of whose callbacks misbehaves.
typedef struct trap {
  fly_dae_problem inner;
  which where;
  int code;     // what it returns; 0: NaN
  double after; // from this time on ...
  int count;    // ... so many times; -1: always
  bool sprung;
} trap;

// Springs when it is due: returns 1 and sets *code.
static int springs(trap *t, which where, double time, double *out, int *code) {
  if (where != t->where || time <= t->after || t->count == 0)
    return 0;
  if (t->count > 0)
    t->count--;
  t->sprung = true;
  *code = t->code;
  if (t->code == 0)
    out[0] = NAN;
  return 1;
}

#define SPRUNG(where, time, out)                                                                                       \
  trap *t = user;                                                                                                      \
  int code;                                                                                                            \
  if (springs(t, where, time, out, &code))                                                                             \
  return code

static int mass(double *M, double time, const double *q, void *user) {
  SPRUNG(MASS, time, M);
  return t->inner.mass(M, time, q, t->inner.user);
}
static int force(double *f, const fly_dae_state *s, void *user) {
  SPRUNG(FORCE, s->t, f);
  return t->inner.force(f, s, t->inner.user);
}
static int constraint(double *g, double time, const double *q, void *user) {
  SPRUNG(CONSTRAINT, time, g);
  return t->inner.constraint(g, time, q, t->inner.user);
}
static int constraint_jacobian(double *G, double time, const double *q, void *user) {
  SPRUNG(JACOBIAN_G, time, G);
  return t->inner.constraint_jacobian(G, time, q, t->inner.user);
}
static int rate(double *g_t, double time, const double *q, void *user) {
  SPRUNG(RATE, time, g_t);
  return t->inner.constraint_rate(g_t, time, q, t->inner.user);
}
static int gamma_of(double *gamma, double time, const double *q, const double *v, void *user) {
  SPRUNG(GAMMA, time, gamma);
  return t->inner.constraint_gamma(gamma, time, q, v, t->inner.user);
}
static int velocity_jacobian(double *Z, double time, const double *q, const double *v, void *user) {
  SPRUNG(VELOCITY_JACOBIAN, time, Z);
  return t->inner.constraint_velocity_jacobian(Z, time, q, v, t->inner.user);
}
static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  SPRUNG(JACOBIAN, s->t, J2);
  return t->inner.jacobian(J0, J1, J2, s, t->inner.user);
}
static int energy(double *E, double time, const double *q, const double *v, void *user) {
  SPRUNG(ENERGY, time, E);
  return t->inner.energy(E, time, q, v, t->inner.user);
}

static motion run_trap(fly_problem *p, trap *t, const fly_dae_options *o) {
  t->inner = p->dae;
  fly_problem trapped = *p;
  fly_dae_problem *d = &trapped.dae;
  d->mass_constant = false;
  d->mass = mass;
  d->force = force;
  d->constraint = constraint;
  d->constraint_jacobian = constraint_jacobian;
  d->constraint_rate = rate;
  d->constraint_gamma = gamma_of;
  d->constraint_velocity_jacobian = velocity_jacobian;
  d->jacobian = jacobian;
  d->energy = energy;
  d->user = t;
  return motion_try(&trapped, o, 1);
}

static fly_dae_options run_options(int fixed, fly_formulation f) {
  fly_dae_options o = with_error(options_of("ch", 0.6, f), 1e-4);
  o.step = fixed ? 5e-3 : 0;
  o.max_steps = 100000;
  return o;
}

// What is evaluated only while a point is accepted (its certificate) has no smaller step to offer.
static bool in_the_corrector(which w) { return w != GAMMA && w != ENERGY; }

typedef struct expectation {
  int code, count;
  fly_status status;
  const char *text;
} expectation;

static void every_callback(const expectation *e) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  for (int fixed = 0; fixed < 2; fixed++)
    for (which w = MASS; w < CALLBACKS; w++) {
      trap t = {.where = w, .code = e->code, .after = 0.5, .count = e->count};
      const fly_dae_options o = run_options(fixed, FLY_GGL);
      motion m = run_trap(&p, &t, &o);
      say("%s, %s: %s, t = %.4f, %ld steps: %s\n", callback_names[w], fixed ? "fixed" : "adaptive",
          fly_status_name(m.status), motion_end(&m).t, m.stats.steps, m.status ? m.error.message : "");
      if (!t.sprung) { // not asked for after that time
        assert_ok(m.status, &m.error);
      } else if (e->status == FLY_OK && in_the_corrector(w)) {
        assert_ok(m.status, &m.error);
        assert_true(motion_end(&m).t == 1);
      } else if (e->status != FLY_OK) {
        assert_int_equal(m.status, e->status);
        assert_says(&m.error, callback_names[w]);
        assert_says(&m.error, e->text);
        if (e->code > 0)
          assert_says(&m.error, in_the_corrector(w) ? "Smaller steps did not help" : "has reached that point");
        assert_between(motion_end(&m).t, 0.4, 0.6); // what came before is kept; derivatives are asked for later
        assert_between(m.error.time, 0.4, 0.6);
        assert_true(m.stats.steps > 20);
      }
      motion_free(&m);
    }
  fly_problem_free(&p);
}

static void test_refused_once(void **state) { every_callback(&(expectation){1, 1, FLY_OK, ""}); }
static void test_refused_always(void **state) { every_callback(&(expectation){1, -1, FLY_CALLBACK, "refused"}); }
static void test_fatal_once(void **state) { every_callback(&(expectation){-7, 1, FLY_CALLBACK, "-7"}); }
static void test_nan_once(void **state) { every_callback(&(expectation){0, 1, FLY_OK, ""}); }
static void test_nan_always(void **state) { every_callback(&(expectation){0, -1, FLY_NOT_FINITE, "NaN"}); }

// The same at the start, where there is no smaller step either.
static void test_at_the_start(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  const int codes[] = {1, -1, 0};
  for (int k = 0; k < 3; k++)
    for (which w = MASS; w < CALLBACKS; w++) {
      trap t = {.where = w, .code = codes[k], .after = -1, .count = -1};
      const fly_dae_options o = run_options(0, FLY_INDEX3);
      motion m = run_trap(&p, &t, &o);
      assert_int_equal(m.status, codes[k] ? FLY_CALLBACK : FLY_NOT_FINITE);
      assert_says(&m.error, callback_names[w]);
      motion_free(&m);
    }
  fly_problem_free(&p);
}

// A step that was cut for a refusal gives the motion the refusal did not change.
static void test_refusal_leaves_no_trace(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    const fly_dae_options o = run_options(1, f);
    trap none = {.where = CALLBACKS}, once = {.where = FORCE, .code = 1, .after = 0.5, .count = 1};
    motion a = run_trap(&p, &none, &o), b = run_trap(&p, &once, &o);
    assert_ok(a.status, &a.error);
    assert_ok(b.status, &b.error);
    assert_int_equal(once.count, 0);
    assert_close(motion_end(&a).q[0], motion_end(&b).q[0], 1e-5);
    assert_close(motion_end(&a).lambda[0], motion_end(&b).lambda[0], 1e-3);
    motion_free(&a);
    motion_free(&b);
  }
  fly_problem_free(&p);
}

static int bad_states(double *d, const fly_dae_state *s, void *user) {
  d[0] = NAN;
  return 0;
}
static int bad_outputs(double *h, const fly_dae_state *s, void *user) { return -2; }

static void test_states_and_outputs(void **state) {
  fly_problem p = problem_of("spring-mass", NULL, 0);
  const fly_dae_options o = run_options(0, FLY_GGL);
  fly_problem bad = p;
  bad.dae.states = bad_states;
  motion m = motion_try(&bad, &o, 1);
  assert_int_equal(m.status, FLY_NOT_FINITE);
  assert_says(&m.error, "`states`");
  motion_free(&m);
  bad = p;
  bad.dae.outputs = bad_outputs;
  m = motion_try(&bad, &o, 1);
  assert_int_equal(m.status, FLY_CALLBACK);
  assert_says(&m.error, "`outputs`");
  motion_free(&m);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- singular positions

// The rod is driven past its reach at 0.8 s: everything ends there, and names the rows.
static void test_lock(void **state) {
  fly_problem p = problem_of("lock", NULL, 0);
  for (int fixed = 0; fixed < 2; fixed++)
    for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
      fly_dae_options o = run_options(fixed, f);
      o.max_steps = 0; // ends by itself
      motion m = motion_try(&p, &o, 1);
      say("lock, %s, formulation %d: %s after %ld steps, t = %.6f\n", fixed ? "fixed" : "adaptive", f,
          fly_status_name(m.status), m.stats.steps, motion_end(&m).t);
      assert_true(m.status == FLY_SINGULAR || m.status == FLY_NO_CONVERGENCE || m.status == FLY_STEP_TOO_SMALL);
      assert_says(&m.error, "rod length");
      assert_says(&m.error, "drive of slider A");
      assert_between(motion_end(&m).t, 0.79, 0.8001);
      assert_close(motion_end(&m).q[0], 0.6 + 0.5 * motion_end(&m).t, 1e-3);
      assert_at_most((double)(m.stats.steps + m.stats.rejected_error + m.stats.rejected_newton), 30000);
      motion_free(&m);
    }
  fly_problem_free(&p);
}

// A parallelogram through its straight positions: it passes, or it ends there in words. Never silently on another
// branch with a constraint violated.
static void test_four_bar(void **state) {
  fly_problem p = problem_of("four-bar", "parallelogram", 0);
  for (int fixed = 0; fixed < 2; fixed++)
    for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
      fly_dae_options o = run_options(fixed, f);
      o.step = fixed ? 1e-3 : 0;
      o.max_steps = 0;
      motion m = motion_try(&p, &o, 2);
      say("four-bar, %s, formulation %d: %s after %ld steps, t = %.6f, |g| %.1e: %s\n", fixed ? "fixed" : "adaptive", f,
          fly_status_name(m.status), m.stats.steps, motion_end(&m).t, m.certificate.position,
          m.status ? m.error.message : "");
      if (m.status != FLY_OK) {
        assert_true(m.status == FLY_SINGULAR || m.status == FLY_NO_CONVERGENCE || m.status == FLY_STEP_TOO_SMALL);
        assert_true(strstr(m.error.message, "hinge") || strstr(m.error.message, "pivot"));
      }
      assert_at_least(motion_end(&m).t, 0.5);
      assert_at_most(m.certificate.position, f == FLY_INDEX2 ? 1e-2 : 1e-6);
      assert_at_most((double)(m.stats.steps + m.stats.rejected_error + m.stats.rejected_newton), 200000);
      motion_free(&m);
    }
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- limits

static void test_max_steps(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_dae_options o = with_step(fly_dae_options_default(), 1e-3);
  o.max_steps = 100;
  motion m = motion_try(&p, &o, 1);
  assert_int_equal(m.status, FLY_TOO_MANY_STEPS);
  assert_says(&m.error, "100 steps");
  assert_int_equal(m.stats.steps, 100);
  assert_close(motion_end(&m).t, 0.1, 1e-12);
  motion_free(&m);
  fly_problem_free(&p);
}

// A force that jumps without telling: small steps, but through.
static int jumping(double *f, const fly_dae_state *s, void *user) {
  f[0] = s->t < 0.5 ? 1 : -1;
  return 0;
}
static int one(double *M, double t, const double *q, void *user) {
  M[0] = 1;
  return 0;
}

static void test_jump(void **state) {
  static double zero[] = {0};
  const fly_problem p = {
      .dae = {.nq = 1, .nv = 1, .mass_constant = true, .mass = one, .force = jumping}, .q0 = zero, .v0 = zero};
  const fly_dae_options o = with_error(fly_dae_options_default(), 1e-5);
  motion m = motion_run(&p, &o, 1);
  assert_close(motion_end(&m).q[0], 0.25, 1e-4);
  assert_at_most((double)m.stats.steps, 500);
  motion_free(&m);
}

// An error no step can reach ends with words, not with a hang.
static void test_step_too_small(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_dae_options o = with_error(fly_dae_options_default(), 1e-6);
  o.step_min = 0.01;
  motion m = motion_try(&p, &o, 1);
  assert_int_equal(m.status, FLY_STEP_TOO_SMALL);
  assert_says(&m.error, "error asked for");
  motion_free(&m);
  fly_problem_free(&p);
}

// A long run needs small steps beside its length. That is no failure: it goes on until its steps are counted out.
static void test_long_run(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_dae_options o = with_error(fly_dae_options_default(), 1e-6);
  o.max_steps = 5000;
  motion m = motion_try(&p, &o, 1e4);
  assert_int_equal(m.status, FLY_TOO_MANY_STEPS);
  assert_at_most(m.stats.h_min, 1e-9 * 1e4);
  assert_at_most((double)m.stats.rejected_error, 10);
  motion_free(&m);
  fly_problem_free(&p);
}

// Less than a rounding error cannot be kept. The run is made, and says so.
static void test_below_rounding(void **state) {
  static double far[] = {1e6}, slow[] = {1e-3};
  const fly_problem p = {
      .dae = {.nq = 1, .nv = 1, .mass_constant = true, .mass = one, .force = jumping}, .q0 = far, .v0 = slow};
  motion m;
  for (int k = 0; k < 2; k++) {
    const fly_dae_options o = with_error(fly_dae_options_default(), k ? 1e-8 : 1e-10); // eps 1e6 = 2e-10
    m = motion_try(&p, &o, 1e-3);
    assert_int_equal(m.status, k ? FLY_OK : FLY_NOT_KEPT);
    if (k == 0) {
      assert_true(m.error.time == 1e-3); // complete
      assert_says(&m.error, "1e-10, is smaller than the rounding error of the positions, 4.44e-10");
    }
    motion_free(&m);
  }
}

// ---------------------------------------------------------------------------------------------- options

static void bad_options(const fly_dae_options *o, const char *text) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  fly_solver *s;
  fly_error error = {0};
  assert_int_equal(fly_solver_create(&s, &p.dae, o, &error), FLY_BAD_INPUT);
  assert_null(s);
  assert_says(&error, text);
  assert_int_equal(fly_solver_create(&s, &p.dae, o, NULL), FLY_BAD_INPUT);
  fly_problem_free(&p);
}

static void test_options(void **state) {
  const fly_dae_options d = fly_dae_options_default();
  fly_dae_options o = d;
  bad_options((o.step = -1, &o), "step");
  bad_options((o = d, o.step = NAN, &o), "step");
  bad_options((o = d, o.step = INFINITY, &o), "step");
  bad_options((o = d, o.error = 0, &o), "error");
  bad_options((o = d, o.error = -1e-3, &o), "error");
  bad_options((o = d, o.error = NAN, &o), "error");
  bad_options((o = d, o.newton_max = 1, &o), "newton_max");
  bad_options((o = d, o.newton_factor = 0, &o), "newton_factor");
  bad_options((o = d, o.newton_factor = NAN, &o), "newton_factor");
  bad_options((o = d, o.predictor_degree = 4, &o), "predictor_degree");
  bad_options((o = d, o.predictor_degree = -1, &o), "predictor_degree");
  bad_options((o = d, o.step_min = -1, &o), "step_min");
  bad_options((o = d, o.step_max = NAN, &o), "step_max");
  bad_options((o = d, o.step_initial = -1, &o), "step_initial");
  bad_options((o = d, o.max_steps = -1, &o), "max_steps");
  const double negative[] = {1.5, -0.5}, short_of_one[] = {0.3, 0.3};
  bad_options((o = with_sequence(d, 0.1, negative, 2), &o), "Fraction 2");
  bad_options((o = with_sequence(d, 0.1, short_of_one, 2), &o), "add up to 0.6");
  bad_options((o = with_sequence(d, 0, short_of_one, 2), &o), "fixed step");
}

static void test_methods(void **state) {
  const fly_dae_options d = fly_dae_options_default();
  fly_dae_options o = d;
  bad_options((o.method.beta = 0, &o), "beta");
  bad_options((o = d, o.method.gamma = -0.5, &o), "gamma");
  bad_options((o = d, o.method.alpha_m = 1, &o), "alpha_m");
  bad_options((o = d, o.method.alpha_f = 1.5, &o), "alpha_f");
  bad_options((o = d, o.method.alpha_f = NAN, &o), "alpha_f");
  bad_options((o = d, o.states.theta = 0, &o), "theta");
  bad_options((o = d, o.states.delta_m = 1, &o), "delta_m");
  bad_options((o = d, o.form = FLY_FORM_RESIDUAL, &o), "residual form"); // CH has alpha_m != 0
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refused_once),
      cmocka_unit_test(test_refused_always),
      cmocka_unit_test(test_fatal_once),
      cmocka_unit_test(test_nan_once),
      cmocka_unit_test(test_nan_always),
      cmocka_unit_test(test_at_the_start),
      cmocka_unit_test(test_refusal_leaves_no_trace),
      cmocka_unit_test(test_states_and_outputs),
      cmocka_unit_test(test_lock),
      cmocka_unit_test(test_four_bar),
      cmocka_unit_test(test_max_steps),
      cmocka_unit_test(test_jump),
      cmocka_unit_test(test_step_too_small),
      cmocka_unit_test(test_long_run),
      cmocka_unit_test(test_below_rounding),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
