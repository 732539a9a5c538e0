// A solver that is asked what it cannot do: out of order, after a failure, from a callback, for nothing, with masses
// and answers that make no sense. A status and a sentence, never a signal and never FLY_OK.
//
// labels: valgrind
#include <string.h>

#include "support/motion.h"

// Free points along a line each (2), and a root at q0 = 0.1.
typedef struct body {
  double M[4];
  int answer;         // of the event
  double dies;        // from this time on the force is fatal [s]
  fly_solver *solver; // NULL: not called from inside
} body;

static int mass(double *M, double t, const double *q, void *user) {
  memcpy(M, ((body *)user)->M, 4 * sizeof *M);
  return 0;
}

static void refuses_all(fly_solver *s, const char *sentence);

static int force(double *f, const fly_dae_state *s, void *user) {
  const body *b = user;
  f[0] = 1;
  f[1] = 0;
  if (b->solver) {
    refuses_all(b->solver, "from a callback");
    assert_int_equal(fly_solver_start(b->solver, 0, 1, s->q, s->v, NULL, NULL), FLY_BAD_INPUT);
    fly_solver_free(b->solver);
  }
  return s->t > b->dies ? -1 : 0;
}

static int roots(double *r, const fly_dae_state *s, void *user) {
  r[0] = s->q[0] - 0.1;
  return 0;
}

static fly_event_action event(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  return (fly_event_action)((body *)user)->answer;
}

static fly_dae_problem points_of(body *b) {
  return (fly_dae_problem){.name = "points",
                           .nq = 2,
                           .nv = 2,
                           .nroot = 1,
                           .mass = mass,
                           .force = force,
                           .roots = roots,
                           .event = event,
                           .user = b};
}

static const double ZERO[2];

static void says(fly_status status, fly_status expected, const fly_error *error, const char *sentence) {
  assert_int_equal(status, expected);
  if (!strstr(error->message, sentence))
    fail_msg("'%s' does not say '%s'", error->message, sentence);
}

static void ask_all(const fly_solver *s) {
  (void)fly_solver_done(s);
  (void)fly_solver_state(s);
  assert_true(fly_solver_independent(s, NULL) >= 0);
  assert_true(fly_solver_last_step(s) >= 0);
  assert_true(fly_solver_step_record(s).h >= 0);
  assert_true(fly_solver_stats(s).steps >= 0);
  assert_true(fly_solver_certificate(s).position >= 0);
}

static void refuses_steps(fly_solver *s, const char *sentence) {
  fly_error error = {0};
  says(fly_solver_step(s, &error), FLY_BAD_INPUT, &error, sentence);
  says(fly_solver_advance(s, 1.0, &error), FLY_BAD_INPUT, &error, sentence);
  says(fly_solver_stop_at(s, 1.0, &error), FLY_BAD_INPUT, &error, sentence);
  says(fly_solver_changed(s, FLY_EFFECT_JUMP, &error), FLY_BAD_INPUT, &error, sentence);
  says(fly_solver_cross(s, &error), FLY_BAD_INPUT, &error, sentence);
  assert_int_equal(fly_solver_step(s, NULL), FLY_BAD_INPUT);
  ask_all(s);
}

static void refuses_saving(fly_solver *s, const char *sentence) {
  fly_error error = {0};
  void *bytes;
  size_t size;
  says(fly_solver_save(s, &bytes, &size, &error), FLY_BAD_INPUT, &error, sentence);
  assert_null(bytes);
}

static void refuses_all(fly_solver *s, const char *sentence) {
  fly_error error = {0};
  fly_dae_state at;
  double condition;
  refuses_steps(s, sentence);
  says(fly_solver_interpolate(s, 0.0, &at, &error), FLY_BAD_INPUT, &error, sentence);
  says(fly_solver_condition(s, 0.1, true, &condition, &error), FLY_BAD_INPUT, &error, sentence);
  refuses_saving(s, sentence);
}

static fly_solver *create(body *b, double step) {
  const fly_dae_problem p = points_of(b);
  fly_dae_options o = fly_dae_options_default();
  fly_solver *s = NULL;
  fly_error error = {0};
  o.step = step;
  assert_ok(fly_solver_create(&s, &p, &o, &error), &error);
  return s;
}

static void out_of_order(void **state) {
  body b = {.M = {1, 0, 0, 1}, .dies = 1e9};
  fly_solver *s = create(&b, 0.1);
  fly_error error = {0};
  fly_dae_state at;
  refuses_all(NULL, "no solver was given");
  refuses_all(s, "was not started");
  says(fly_solver_start(s, 0, 1, NULL, ZERO, NULL, &error), FLY_BAD_INPUT, &error, "no initial position");
  refuses_all(s, "start of this solver failed");
  says(fly_solver_start(s, 0, 1, ZERO, NULL, NULL, &error), FLY_BAD_INPUT, &error, "no initial velocity");
  assert_ok(fly_solver_start(s, 0, 1, ZERO, ZERO, NULL, &error), &error);
  says(fly_solver_interpolate(s, 0.0, NULL, &error), FLY_BAD_INPUT, &error, "no place");
  says(fly_solver_interpolate(s, 0.5, &at, &error), FLY_BAD_INPUT, &error, "outside the last step");
  says(fly_solver_advance(s, NAN, &error), FLY_BAD_INPUT, &error, "not a number");
  assert_ok(fly_solver_advance(s, 1.0, &error), &error);
  assert_true(fly_solver_done(s));
  assert_ok(fly_solver_step(s, &error), &error); // at the end, as dae.h says
  fly_solver_free(s);
}

static void on_nothing(void **state) {
  body b = {.M = {1, 0, 0, 1}, .dies = 1e9};
  const fly_dae_problem p = points_of(&b);
  fly_solver *s = NULL;
  fly_error error = {0};
  says(fly_solver_create(&s, NULL, NULL, &error), FLY_BAD_INPUT, &error, "no problem was given");
  says(fly_solver_create(NULL, &p, NULL, &error), FLY_BAD_INPUT, &error, "no place");
  says(fly_solver_start(NULL, 0, 1, ZERO, ZERO, NULL, &error), FLY_BAD_INPUT, &error, "no solver was given");
  fly_solver_guess(NULL, NULL);
  fly_solver_free(NULL);
}

static void after_a_failure(void **state) {
  body b = {.M = {1, 0, 0, 1}, .dies = 0.35};
  fly_solver *s = create(&b, 0.1);
  fly_error error = {0};
  fly_dae_state at;
  assert_ok(fly_solver_start(s, 0, 1, ZERO, ZERO, NULL, &error), &error);
  assert_int_equal(fly_solver_advance(s, 1.0, &error), FLY_CALLBACK);
  b.dies = 1e9; // it would go on now, without what was lost
  refuses_steps(s, "a step of this solver failed");
  assert_ok(fly_solver_interpolate(s, 0.25, &at, &error), &error);
  assert_ok(fly_solver_start(s, 0, 1, ZERO, ZERO, NULL, &error), &error);
  assert_ok(fly_solver_advance(s, 1.0, &error), &error);
  fly_solver_free(s);
}

static void from_inside(void **state) {
  body b = {.M = {1, 0, 0, 1}, .dies = 1e9};
  b.solver = create(&b, 0.1);
  fly_solver *s = b.solver;
  fly_error error = {0};
  assert_ok(fly_solver_start(s, 0, 1, ZERO, ZERO, NULL, &error), &error);
  assert_ok(fly_solver_advance(s, 1.0, &error), &error);
  fly_solver_free(s);
}

static void masses(void **state) {
  static const struct {
    double M[4];
    const char *says; // NULL: it is one
  } list[] = {{{1, 0, 0, 1}, NULL},
              {{-1, 0, 0, 1}, "negative mass: that of velocity 0 is -1"},
              {{1, 0, 0, -1e-9}, "negative mass: that of velocity 1"},
              {{1, 2, 2, 1}, "indefinite"},
              {{1e6, 1.001, 1.001, 1e-6}, "indefinite"},
              {{1e6, 0.999, 0.999, 1e-6}, NULL}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    for (int adaptive = 0; adaptive < 2; adaptive++) {
      body b = {.dies = 1e9};
      memcpy(b.M, list[k].M, sizeof b.M);
      fly_solver *s = create(&b, adaptive ? 0.0 : 0.1);
      fly_error error = {0};
      fly_status status = fly_solver_start(s, 0, 1, ZERO, ZERO, NULL, &error);
      if (list[k].says)
        says(status, FLY_BAD_INPUT, &error, list[k].says);
      else
        assert_ok(status, &error);
      fly_solver_free(s);
    }
}

static void unknown_answers_of_events(void **state) {
  for (int answer = -2; answer <= 4; answer++) {
    body b = {.M = {1, 0, 0, 1}, .dies = 1e9, .answer = answer};
    fly_solver *s = create(&b, 0.1);
    fly_error error = {0};
    assert_ok(fly_solver_start(s, 0, 1, ZERO, ZERO, NULL, &error), &error);
    fly_status status = fly_solver_advance(s, 1.0, &error);
    if (answer < 0 || answer > FLY_EVENT_STOP)
      says(status, FLY_BAD_INPUT, &error, "which is no action");
    else
      assert_int_equal(status, answer == FLY_EVENT_STOP ? FLY_STOPPED : FLY_OK);
    fly_solver_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(out_of_order),    cmocka_unit_test(on_nothing),  cmocka_unit_test(masses),
      cmocka_unit_test(after_a_failure), cmocka_unit_test(from_inside), cmocka_unit_test(unknown_answers_of_events),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
