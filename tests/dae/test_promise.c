// The error of a run: pilots find the tolerance that keeps it, and its estimate is near the truth.
#include <stdio.h>
#include <string.h>

#include "dae/promise.h"
#include "math/so3.h"
#include "support/motion.h"

enum { ROWS = 100 };

typedef struct flight {
  fly_problem p;
  double end;
  fly_dae_options options; // of the run
  fly_promise *promise;
  double q[ROWS][9], x[ROWS][9]; // where the run is at equal times
  fly_status status;
  fly_error error;
} flight;

static fly_dae_options by(const char *method, double error) {
  fly_dae_options o = fly_dae_options_default();
  fly_method_request request = fly_method_request_default();
  request.name = method;
  assert_int_equal(fly_dae_options_method(&o, &request, NULL), FLY_OK);
  o.error = error;
  return o;
}

static void keep_rows(flight *f, fly_solver *s, int *row) {
  fly_dae_state at;
  for (double t; *row < ROWS && (t = f->end * (*row + 1) / ROWS) <= fly_solver_state(s).t; ++*row) {
    assert_int_equal(fly_solver_interpolate(s, t, &at, NULL), FLY_OK);
    memcpy(f->q[*row], at.q, (size_t)f->p.dae.nq * sizeof(double));
  }
}

// To the end by the plain solver; followed if there is a promise.
static void go(flight *f) {
  fly_solver *s = NULL;
  int row = 0;
  f->status = fly_solver_create(&s, &f->p.dae, &f->options, &f->error);
  assert_int_equal(f->status, FLY_OK);
  f->status = fly_solver_start(s, f->p.t0, f->end, f->p.q0, f->p.v0, f->p.x0, &f->error);
  while (f->status == FLY_OK && !fly_solver_done(s)) {
    f->status = fly_solver_step(s, &f->error);
    keep_rows(f, s, &row);
    if (f->promise)
      assert_int_equal(fly_promise_follow(f->promise, s, NULL, &f->error), FLY_OK);
  }
  assert_int_equal(row, ROWS);
  fly_solver_free(s);
}

static flight flight_of(const char *problem, double end, const char *method, double error) {
  flight f = {.options = by(method, error)};
  assert_int_equal(fly_problem_make(&f.p, problem, NULL, 0, NULL), FLY_OK);
  assert_true(f.p.dae.nq <= 9);
  f.end = end;
  return f;
}

static fly_promise_task task_of(const flight *f, bool calibrate) {
  return (fly_promise_task){.problem = &f->p.dae,
                            .options = f->options,
                            .t0 = f->p.t0,
                            .t_end = f->end,
                            .calibrate = calibrate,
                            .q0 = f->p.q0,
                            .v0 = f->p.v0,
                            .x0 = f->p.x0};
}

// As flyball problem does it.
static void go_promised(flight *f) {
  const fly_promise_task task = task_of(f, true);
  assert_int_equal(fly_promise_create(&f->promise, &task, &f->error), FLY_OK);
  assert_int_equal(fly_promise_pilot(f->promise, &f->error), FLY_OK);
  f->options.error_asked = f->options.error;
  f->options.error = fly_promise_tell(f->promise).setting;
  go(f);
  if (f->status == FLY_OK)
    f->status = fly_promise_judge(f->promise, &f->error);
}

static void free_flight(flight *f) {
  fly_promise_free(f->promise);
  fly_problem_free(&f->p);
}

static double apart(const flight *a, const flight *b) {
  double largest = 0;
  for (int k = 0; k < ROWS; k++) {
    const fly_dae_state one = {.q = a->q[k], .x = a->x[k]}, two = {.q = b->q[k], .x = b->x[k]};
    largest = fmax(largest, fly_dae_distance(&a->p.dae, &one, &two));
  }
  return largest;
}

// ---------------------------------------------------------------------------------------------- the norm

static void test_distance(void **state) {
  const int rq[] = {1}, rv[] = {1};
  const double scale[] = {0.1, 1, 1, 2};
  const fly_dae_problem p = {.nq = 5, .nv = 4, .nrotation = 1, .rotation_q = rq, .rotation_v = rv, .scale_v = scale};
  double a[5] = {1, 1, 0, 0, 0}, b[5] = {1.02};
  fly_quat_exp(b + 1, (double[3]){0.01, -0.3, 0.2});
  fly_dae_state one = {.q = a}, two = {.q = b};
  assert_close(fly_dae_distance(&p, &one, &two), 0.3, 1e-15);
  b[0] = 1.04;
  for (int k = 1; k < 5; k++)
    b[k] = -b[k]; // the same rotation
  assert_close(fly_dae_distance(&p, &one, &two), 0.4, 1e-13);
  b[0] = NAN;
  assert_true(isnan(fly_dae_distance(&p, &one, &two)));
}

// ---------------------------------------------------------------------------------------------- kept

// Errors of velocities go on growing: by itself the tolerance is missed many times over.
static void test_growing_errors(void **state) {
  flight truth = flight_of("double-pendulum", 5, "radau", 1e-11), plain = flight_of("double-pendulum", 5, "ch", 1e-3);
  flight kept = flight_of("double-pendulum", 5, "ch", 1e-3);
  go(&truth);
  go(&plain);
  go_promised(&kept);
  const double error = apart(&kept, &truth);
  const fly_promise_report r = fly_promise_tell(kept.promise);
  assert_true(apart(&plain, &truth) > 1e-2);
  assert_int_equal(kept.status, FLY_OK);
  assert_at_most(error, 1e-3);
  assert_at_most(1e-4, error); // and not much better than asked: that would be paid for
  assert_at_most(fabs(log(r.error / error)), log(2));
  assert_at_most(10, r.growth);
  assert_true(isnan(r.kept_until));
  free_flight(&truth), free_flight(&plain), free_flight(&kept);
}

// One way for every family, and the same bits twice.
static void test_methods(void **state) {
  static const char *const methods[] = {"ch", "hht", "radau", "partition", "hybrid", "baumgarte", "auto"};
  flight truth = flight_of("seven-body", 0.03, "radau", 1e-12);
  go(&truth);
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    flight a = flight_of("seven-body", 0.03, methods[k], 1e-5), b = flight_of("seven-body", 0.03, methods[k], 1e-5);
    go_promised(&a);
    go_promised(&b);
    const double error = apart(&a, &truth);
    assert_int_equal(a.status, FLY_OK);
    assert_at_most(error, 2e-5);
    assert_at_most(fabs(log(fly_promise_tell(a.promise).error / error)), log(5));
    assert_memory_equal(a.q, b.q, sizeof a.q);
    assert_true(fly_promise_tell(a.promise).setting == fly_promise_tell(b.promise).setting);
    free_flight(&a), free_flight(&b);
  }
  free_flight(&truth);
}

// Beside singular positions they scatter more: a pilot that is tighter than the run was flown, and the run compared
// with a looser one, whose error was by chance that of the run. A fourteenth of it was estimated.
static void test_tighter_companion(void **state) {
  flight f = flight_of("four-bar", 10, "radau", 1e-4), truth = flight_of("four-bar", 10, "partition", 1e-8);
  go(&truth);
  go_promised(&f);
  const fly_promise_report r = fly_promise_tell(f.promise);
  assert_true(r.companion < r.setting);
  assert_at_most(fabs(log(r.error / apart(&f, &truth))), log(2));
  free_flight(&f), free_flight(&truth);
}

// Steps beside singular positions whose error round-off hides do not become better with the tolerance: a run in which
// they outweigh the others was compared as if they did, and 1.06e-4 called 2.3e-5, which is kept.
static void test_hidden_steps(void **state) {
  flight f = {.options = by("ch", 1e-5)};
  assert_int_equal(fly_problem_make(&f.p, "four-bar", "parallelogram", 0, NULL), FLY_OK);
  f.end = f.p.t_end;
  go_promised(&f);
  const fly_dae_state end = {.q = f.q[ROWS - 1]}, truth = {.q = f.p.reference_q};
  assert_true(f.p.reference_t == f.end);
  assert_at_most(fly_dae_distance(&f.p.dae, &end, &truth), 3 * fmax(fly_promise_tell(f.promise).error, 1e-5));
  assert_true(f.status == FLY_NOT_KEPT || fly_dae_distance(&f.p.dae, &end, &truth) < 3e-5);
  free_flight(&f);
}

// They count in what a run is looser or tighter by, beside the others.
static void test_sum_of_hidden_steps(void **state) {
  flight f = {.options = by("ch", 1e-6)};
  assert_int_equal(fly_problem_make(&f.p, "four-bar", "parallelogram", 0, NULL), FLY_OK);
  f.end = f.p.t_end;
  const fly_promise_task task = task_of(&f, false);
  assert_int_equal(fly_promise_create(&f.promise, &task, &f.error), FLY_OK);
  fly_solver *s = solver_started(&f.p, &f.options, f.end);
  while (!fly_solver_done(s)) {
    const fly_status status = fly_solver_step(s, &f.error);
    assert_true(status == FLY_OK || status == FLY_NOT_KEPT);
    assert_int_equal(fly_promise_follow(f.promise, s, NULL, &f.error), FLY_OK);
  }
  const fly_certificate c = fly_solver_certificate(s);
  say("estimates %.2e, hidden %.2e, sum %.2e\n", c.estimate, c.singular, f.promise->now.sum);
  assert_true(c.singular > 1e-3 * c.estimate);
  assert_close(f.promise->now.sum / (c.estimate + c.singular), 1, 1e-12);
  fly_solver_free(s);
  free_flight(&f);
}

// What an iteration leaves has the same sign step after step, and adds up where rounding errors do not: where rounding
// limits the iteration it must leave much less than that. It did not, errors no longer fell below 1e-9, as many in a
// pilot as in the run, and 1.1e-9 was called 3.7e-11; 4.1e-9 beside singular positions, where it is largest, 4.5e-10.
static void test_what_the_corrector_leaves(void **state) {
  static const char *const variant[] = {"grashof", "grashof", "parallelogram", "parallelogram"};
  static const double asked[] = {1e-9, 1e-10, 3e-9, 1e-9};
  for (int k = 0; k < 4; k++) {
    flight f = {.options = by("radau", asked[k])};
    assert_int_equal(fly_problem_make(&f.p, "four-bar", variant[k], 0, NULL), FLY_OK);
    f.end = f.p.t_end;
    go_promised(&f);
    const fly_dae_state end = {.q = f.q[ROWS - 1]}, truth = {.q = f.p.reference_q};
    const double off = fly_dae_distance(&f.p.dae, &end, &truth), told = fly_promise_tell(f.promise).error;
    say("%s, asked %g: off by %.2e, told %.2e\n", variant[k], asked[k], off, told);
    assert_at_most(off, asked[k]);
    assert_at_most(off, 2 * told);
    free_flight(&f);
  }
}

// Errors of two pilots scatter, and an order of errors is not to be read from them to the last digit: it was, and this
// run refused with an estimate of three times its error.
static void test_scatter(void **state) {
  flight f = {.options = by("radau", 1e-6)}, truth = {.options = by("partition", 1e-11)};
  assert_int_equal(fly_problem_make(&f.p, "seven-body", "iftomm", 0, NULL), FLY_OK);
  assert_int_equal(fly_problem_make(&truth.p, "seven-body", "iftomm", 0, NULL), FLY_OK);
  f.end = truth.end = f.p.t_end;
  go(&truth);
  go_promised(&f);
  assert_int_equal(fly_promise_judge(f.promise, &f.error), FLY_OK);
  assert_at_most(fabs(log(fly_promise_tell(f.promise).error / apart(&f, &truth))), log(2));
  free_flight(&f), free_flight(&truth);
}

// What pilots find is what the run goes by, at large errors too, where the first of them says little: the tolerance
// that they found was forgotten, and such runs were a hundred times better than asked.
static void test_loosened(void **state) {
  static const char *const problems[] = {"oscillator", "heavy-top"};
  static const char *const methods[] = {"partition", "radau"};
  for (int k = 0; k < 4; k++) {
    flight truth = flight_of(problems[k / 2], 5, "radau", 1e-10),
           f = flight_of(problems[k / 2], 5, methods[k % 2], 1e-3);
    go(&truth);
    go_promised(&f);
    assert_int_equal(f.status, FLY_OK);
    say("%s by %s: steps to %.1e, error %.1e\n", problems[k / 2], methods[k % 2], fly_promise_tell(f.promise).setting,
        apart(&f, &truth));
    assert_true(fly_promise_tell(f.promise).setting > 1.5e-3);
    assert_at_most(apart(&f, &truth), 3e-3);
    free_flight(&truth), free_flight(&f);
  }
}

// Errors over time never fall, and end where the report has them.
static void test_over_time(void **state) {
  flight f = flight_of("pendulum", 20, "radau", 1e-6);
  go_promised(&f);
  const int n = fly_promise_count(f.promise);
  assert_true(n > 100);
  for (int k = 1; k < n; k++) {
    assert_true(fly_promise_time(f.promise, k) > fly_promise_time(f.promise, k - 1));
    assert_true(fly_promise_error(f.promise, k, -1) >= fly_promise_error(f.promise, k - 1, -1));
  }
  assert_true(fly_promise_time(f.promise, n - 1) == 20);
  assert_true(fly_promise_error(f.promise, n - 1, -1) == fly_promise_tell(f.promise).error);
  assert_at_most(fly_promise_latest(f.promise, -1), fly_promise_tell(f.promise).error);
  free_flight(&f);
}

static void first_position(double *out, const fly_dae_state *at, void *run) { out[0] = at->q[0]; }

static void miss_a_quarter(double *least, const double *value, const double *estimate, void *run) {
  assert_at_most(estimate[0], 1e-4);
  if (value[0] < 0)
    least[0] = 0.25;
}

// What a value is known to be off by is the least of its error, from there on.
static void test_missed(void **state) {
  flight f = flight_of("pendulum", 2, "radau", 1e-6);
  fly_promise_task task = task_of(&f, true);
  task.nvalue = 1;
  task.values = first_position;
  task.missed = miss_a_quarter;
  assert_int_equal(fly_promise_create(&f.promise, &task, &f.error), FLY_OK);
  assert_int_equal(fly_promise_pilot(f.promise, &f.error), FLY_OK);
  f.options.error = fly_promise_tell(f.promise).setting;
  go(&f);
  const int n = fly_promise_count(f.promise);
  assert_true(f.q[0][0] > 0 && n > 10);
  assert_at_most(fly_promise_error(f.promise, 1, 0), 1e-4);
  assert_true(fly_promise_error(f.promise, n - 1, 0) == 0.25);
  free_flight(&f);
}

static double flown; // setting of the pilot in the air; 0: the run

static fly_status fly_with_noise(fly_promise *p, double setting, void *user, fly_error *error) {
  const flight *f = user;
  fly_dae_options o = f->options;
  fly_solver *s = NULL;
  o.error = flown = setting;
  fly_status status = fly_solver_create(&s, &f->p.dae, &o, error);
  if (status == FLY_OK)
    status = fly_solver_start(s, f->p.t0, f->end, f->p.q0, f->p.v0, f->p.x0, error);
  while (status == FLY_OK && (status = fly_promise_follow(p, s, NULL, error)) == FLY_OK && !fly_solver_done(s))
    status = fly_solver_step(s, error);
  fly_solver_free(s);
  flown = 0;
  return status;
}

enum { SMOOTH, AT_REST, NOISE, MADE_UP };

static void made_up(double *out, const fly_dae_state *at, void *run) {
  out[SMOOTH] = 1 + 2 * flown;
  out[AT_REST] = 1 + 10 * pow(flown, 0.4);
  out[NOISE] = 10 * flown;
}

// A value of which hardly a digit is known need not have errors that fall as those of the motion do: how they fell from
// one pilot to the next says what they are. One that is nothing but noise may have fallen by chance.
static void test_values_at_rest(void **state) {
  flight f = flight_of("pendulum", 2, "ch", 1e-4);
  fly_promise_task task = task_of(&f, true);
  task.nvalue = MADE_UP;
  task.values = made_up;
  task.pilot = fly_with_noise;
  task.user = &f;
  assert_int_equal(fly_promise_create(&f.promise, &task, &f.error), FLY_OK);
  assert_int_equal(fly_promise_pilot(f.promise, &f.error), FLY_OK);
  f.options.error = fly_promise_tell(f.promise).setting;
  go(&f);
  const int n = fly_promise_count(f.promise);
  const double companion = fly_promise_tell(f.promise).companion;
  const double smooth = fly_promise_error(f.promise, n - 1, SMOOTH) / (2 * companion);
  const double rest = fly_promise_error(f.promise, n - 1, AT_REST) / (10 * pow(companion, 0.4));
  const double noise = fly_promise_error(f.promise, n - 1, NOISE) / (10 * companion);
  say("estimates over differences: %.3g, at rest %.3g, noise %.3g\n", smooth, rest, noise);
  assert_between(smooth, 0.1, 0.6);
  assert_between(rest, 0.99, 1.01);
  assert_between(noise, 0.99, 1.01);
  free_flight(&f);
}

// What goes wrong at a break may do so in one step: both sides of every break are looked at, and the order of times
// stays what it was.
static bool breaks_at_quarters(fly_break *next, double t, double end, void *user) {
  const double at = 0.25 * (floor(t / 0.25) + 1);
  *next = (fly_break){at - 1e-15, at + 1e-15, FLY_BREAK_KINK};
  return at < end;
}

static void test_times_of_breaks(void **state) {
  flight f = flight_of("pendulum", 1, "ch", 1e-4);
  f.p.dae.next_break = breaks_at_quarters;
  go_promised(&f);
  const int n = fly_promise_count(f.promise);
  int seen = 0;
  for (int k = 0; k < n; k++) {
    const double t = fly_promise_time(f.promise, k);
    assert_true(k == 0 || t > fly_promise_time(f.promise, k - 1));
    seen += fabs(t - 0.25 * round(t / 0.25)) < 2e-15 && t < 0.9;
  }
  assert_int_equal(seen, 6);
  assert_true(fly_promise_time(f.promise, n - 1) == 1);
  free_flight(&f);
}

// Steps of step_max, whatever the tolerance: two pilots took the same ones, and how they differ says nothing. One with
// half of them shows the error, which goes like h^2: of the run it is 4/3 of the difference.
static void test_same_steps(void **state) {
  flight f = flight_of("pendulum", 5, "ch", 0.1), truth = flight_of("pendulum", 5, "radau", 1e-11);
  f.options.step_max = 2e-3;
  go_promised(&f);
  go(&truth);
  const double error = apart(&f, &truth);
  const fly_promise_report r = fly_promise_tell(f.promise);
  say("error %.2e, estimate %.2e\n", error, r.error);
  assert_between(fly_promise_step_max(f.promise), 0.9e-3, 1e-3); // half of the mean; those of the start are shorter
  assert_between(r.error, 0.5 * error, 2 * error);
  free_flight(&f), free_flight(&truth);
}

// ---------------------------------------------------------------------------------------------- not kept

// Chaos: what cannot be kept is said, with the time until which it is.
static void test_chaos(void **state) {
  flight f = flight_of("double-pendulum", 60, "radau", 1e-4);
  flight truth = flight_of("double-pendulum", 60, "partition", 1e-13);
  go_promised(&f);
  go(&truth);
  const fly_promise_report r = fly_promise_tell(f.promise);
  assert_int_equal(f.status, FLY_NOT_KEPT);
  assert_false(r.within_reach);
  assert_true(r.setting < 1e-7 && r.kept_until > 12); // what is in reach is used: by 1e-4 it would be 8 s
  assert_at_most(0.1, r.error);                       // as large as the motion, not divided by what tolerances promise
  assert_true(r.doubling > 0.1 && r.doubling < 10);
  assert_non_null(strstr(f.error.message, "it is kept until t = "));
  assert_non_null(strstr(f.error.message, "Errors double every "));
  double until = 0; // the truth about it
  for (int k = 0; k < ROWS && until == 0; k++) {
    const fly_dae_state one = {.q = f.q[k], .x = f.x[k]}, two = {.q = truth.q[k], .x = truth.x[k]};
    until = fly_dae_distance(&f.p.dae, &one, &two) > 3e-4 ? f.end * (k + 1) / ROWS : 0;
  }
  assert_close(r.kept_until, until, 5 * r.doubling);
  free_flight(&f), free_flight(&truth);
}

static fly_status broken(fly_promise *p, double setting, void *user, fly_error *error) {
  int *calls = user;
  ++*calls;
  snprintf(error->message, sizeof error->message, "The wing came off. %0*d.", *calls > 1 ? 500 : 1, 7);
  return FLY_NO_CONVERGENCE;
}

// Pilots that fail leave the tolerance as it was asked for, and that is said.
static void test_broken_pilots(void **state) {
  int calls = 0;
  flight f = flight_of("pendulum", 1, "ch", 1e-5);
  fly_promise_task task = task_of(&f, true);
  task.pilot = broken;
  task.user = &calls;
  assert_int_equal(fly_promise_create(&f.promise, &task, &f.error), FLY_OK);
  assert_int_equal(fly_promise_pilot(f.promise, &f.error), FLY_OK);
  const fly_promise_report r = fly_promise_tell(f.promise);
  assert_in_range(calls, 2, 6);
  assert_int_equal(r.pilots, 0);
  assert_true(r.setting == 1e-5 && isnan(r.error) && isnan(r.companion));
  assert_string_equal(strstr(r.note, "failed: "), "failed: The wing came off."); // whole sentences only
  go(&f);
  assert_int_equal(fly_promise_count(f.promise), 0);
  assert_int_equal(fly_promise_judge(f.promise, &f.error), FLY_OK);
  free_flight(&f);
}

// Two pilots showed that errors grow, and a third failed for want of steps: the run was 28 times off and called kept.
static void test_pilot_out_of_steps(void **state) {
  flight f = {.options = by("hht", 1e-3)};
  assert_int_equal(fly_problem_make(&f.p, "four-bar", "grashof", 0, NULL), FLY_OK);
  f.end = f.p.t_end;
  f.options.max_steps = 12000;
  go_promised(&f);
  assert_int_equal(f.status, FLY_NOT_KEPT);
  assert_non_null(strstr(f.error.message, "the limit of 12000 steps is reached."));
  free_flight(&f);
}

// What is advised is another method than the one that was used. Rounding errors of 11600 steps grow 200-fold here: by
// an integration of the two angles with 64 bits the run is off by 2.0e-12.
static void test_advice(void **state) {
  flight f = flight_of("double-pendulum", 4, "radau", 1e-13);
  go_promised(&f);
  f.status = fly_promise_judge(f.promise, &f.error);
  assert_int_equal(f.status, FLY_NOT_KEPT);
  assert_false(fly_promise_tell(f.promise).within_reach);
  assert_non_null(strstr(f.error.message, "try another method of high order: partition."));
  free_flight(&f);
}

static bool no_more(void *user) { return false; }

static void test_stopped(void **state) {
  flight f = flight_of("pendulum", 1, "ch", 1e-5);
  fly_promise_task task = task_of(&f, true);
  task.go_on = no_more;
  assert_int_equal(fly_promise_create(&f.promise, &task, &f.error), FLY_OK);
  assert_int_equal(fly_promise_pilot(f.promise, &f.error), FLY_STOPPED);
  free_flight(&f);
}

// ---------------------------------------------------------------------------------------------- fixed steps

// Nothing controls them; one more run with twice the step tells what they are worth.
static void test_fixed(void **state) {
  flight truth = flight_of("pendulum", 10, "radau", 1e-11), f = flight_of("pendulum", 10, "ch", 1e-5);
  f.options.step = 1e-3;
  const fly_promise_task task = task_of(&f, true);
  go(&truth);
  assert_int_equal(fly_promise_create(&f.promise, &task, &f.error), FLY_OK);
  go(&f);
  assert_int_equal(fly_promise_pilot(f.promise, &f.error), FLY_OK);
  const fly_promise_report r = fly_promise_tell(f.promise);
  assert_true(isnan(r.asked) && r.setting == 1e-3 && r.companion == 2e-3);
  assert_at_most(fabs(log(r.error / apart(&f, &truth))), log(1.5));
  assert_int_equal(fly_promise_judge(f.promise, &f.error), FLY_OK);
  free_flight(&truth), free_flight(&f);
}

// ---------------------------------------------------------------------------------------------- memory

static void test_memory(void **state) {
  flight f = flight_of("pendulum", 1, "radau", 1e-5);
  const fly_promise_task task = task_of(&f, true);
  fly_promise_task bad = task;
  bad.t_end = bad.t0;
  assert_int_equal(fly_promise_create(&f.promise, &bad, &f.error), FLY_BAD_INPUT);
  assert_null(f.promise);
  free_flight(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distance),
      cmocka_unit_test(test_growing_errors),
      cmocka_unit_test(test_methods),
      cmocka_unit_test(test_loosened),
      cmocka_unit_test(test_hidden_steps),
      cmocka_unit_test(test_sum_of_hidden_steps),
      cmocka_unit_test(test_what_the_corrector_leaves),
      cmocka_unit_test(test_scatter),
      cmocka_unit_test(test_tighter_companion),
      cmocka_unit_test(test_over_time),
      cmocka_unit_test(test_missed),
      cmocka_unit_test(test_values_at_rest),
      cmocka_unit_test(test_times_of_breaks),
      cmocka_unit_test(test_same_steps),
      cmocka_unit_test(test_chaos),
      cmocka_unit_test(test_broken_pilots),
      cmocka_unit_test(test_pilot_out_of_steps),
      cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_advice),
      cmocka_unit_test(test_fixed),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
