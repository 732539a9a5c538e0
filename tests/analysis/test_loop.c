// A run in a loop of somebody else: with inputs that are set from outside it is, to the last bit, the run of a model
// that has them as a table; stopped and read, saved and gone back to, cloned, in threads.
#include "flyball/run.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/image.h"

enum { STOPS = 1023 };
static const double DT = 1.0 / 512; // with it and values of few bits, tables have the numbers that inputs are set to

// Two links, driven at the first by `drive`; a motor that follows it slowly.
#define MODEL                                                                                                          \
  "flyball: 1\ngravity: [0, -9.81, 0]\n"                                                                               \
  "bodies:\n  one: {type: planar, mass: 2, inertia: 0.1, position: [0.5, 0]}\n"                                        \
  "  two: {type: planar, mass: 1, inertia: 0.05, position: [1.25, 0]}\n"                                               \
  "joints:\n  a: {type: revolute, bodies: [ground, one], at: [0, 0, 0]}\n"                                             \
  "  b: {type: revolute, bodies: [one, two], at: [1, 0, 0]}\n"                                                         \
  "states: {lag: {rate: \"20*(%s - lag)\"}}\n"                                                                         \
  "forces:\n  drive: {type: force, at: one, torque: [0, 0, \"%s + lag\"]}\n"                                           \
  "simulate: {end: 2047/1024, error: 1e-5, output: 1/100, channels: [bodies, joints, forces, energies, states], "      \
  "calibrate: no, estimate_error: no}\n"

static const double END = 2047.0 / 1024;

static double level(int k) { return ((k * 37) % 64 - 30) / 8.0; } // of stretch k

// At its beginning; no two neighbours are in line.
static double height(int k) { return (round(192 * sin(k / 40.0)) + 2 * (k % 2)) / 64; }

static double slope(int k) { return (height(k + 1) - height(k)) / DT; }

static void ok(fly_status status, const fly_error *error) {
  if (status)
    fail_msg("%s", error->message);
}

static fly_mechanism *parse(const char *format, const char *drive, const char *more) {
  const size_t room = strlen(format) + strlen(more) + 200;
  char *text = malloc(room);
  fly_mechanism *m;
  fly_error error = {0};
  snprintf(text, room, format, drive, drive);
  strcat(text, more);
  ok(fly_mechanism_parse(&m, "loop", text, strlen(text), 0, NULL, &error), &error);
  free(text);
  return m;
}

// Points (k DT, y_k), as a table: `linear` goes through them, its derivative is a staircase.
static char *table_of(double (*y)(int), int points) {
  char *text = malloc(40 * (size_t)points + 100);
  size_t n = (size_t)sprintf(text, "tables: {input: {x: [");
  for (int k = 0; k < points; k++)
    n += (size_t)sprintf(text + n, "%s%.17g", k ? ", " : "", k * DT);
  n += (size_t)sprintf(text + n, "], y: [");
  for (int k = 0; k < points; k++)
    n += (size_t)sprintf(text + n, "%s%.17g", k ? ", " : "", y(k));
  sprintf(text + n, "]}}\n");
  return text;
}

static double sum_of_levels(int k) {
  double sum = 0;
  for (int i = 0; i < k; i++)
    sum += level(i) * DT;
  return sum;
}

typedef struct rows {
  uint64_t hash;
  long count;
  int width;
} rows;

static void add_row(const double *row, void *user) {
  rows *r = user;
  r->hash = fly_fingerprint(r->hash, row, (size_t)r->width * sizeof *row);
  r->count++;
}

static fly_run *started(const fly_mechanism *m, const char *method, rows *seen) {
  fly_run_options o = fly_run_options_default();
  fly_error error = {0};
  fly_run *r;
  o.method.name = method;
  o.row = seen ? add_row : NULL;
  o.user = seen;
  ok(fly_run_create(&r, m, &o, &error), &error);
  if (seen) {
    *seen = (rows){0};
    while (fly_run_channel_name(r, seen->width, NULL))
      seen->width++;
  }
  ok(fly_run_start(r, &error), &error);
  return r;
}

// The loop of the caller.
static void loop(fly_run *r, int from, int to, bool slopes) {
  fly_error error = {0};
  const int input = fly_run_input(r, "u");
  for (int k = from; k < to; k++) {
    if (slopes)
      ok(fly_run_set(r, input, height(k), slope(k), &error), &error);
    else
      ok(fly_run_set(r, input, level(k), 0, &error), &error);
    ok(fly_run_advance(r, (k + 1) * DT, FLY_ADVANCE_STOP, &error), &error);
    assert_true(fly_run_reached(r) == (k + 1) * DT);
  }
}

static uint64_t state_hash(fly_run *r) {
  fly_dae_state at;
  fly_error error = {0};
  ok(fly_run_read_state(r, &at, &error), &error);
  uint64_t hash = fly_fingerprint(0, at.q, 6 * sizeof(double));
  hash = fly_fingerprint(hash, at.v, 6 * sizeof(double));
  hash = fly_fingerprint(hash, at.lambda, 4 * sizeof(double));
  return fly_fingerprint(hash, at.x, sizeof(double));
}

static void same_as_table(const char *method, bool slopes) {
  char *text = table_of(slopes ? height : sum_of_levels, STOPS + 30);
  char start[60];
  snprintf(start, sizeof start, "inputs: {u: %.17g}\n", slopes ? height(0) : level(0));
  fly_mechanism *by_table = parse(MODEL, slopes ? "linear(time, input)" : "linear1(time, input)", text),
                *by_input = parse(MODEL, "u", start);
  rows expected, seen;
  fly_error error = {0};
  fly_run *whole = started(by_table, method, &expected), *stepped = started(by_input, method, &seen);
  ok(fly_run_go(whole, &error), &error);
  loop(stepped, 0, STOPS, slopes);
  ok(fly_run_set(stepped, 0, slopes ? height(STOPS) : level(STOPS), slopes ? slope(STOPS) : 0, &error), &error);
  ok(fly_run_advance(stepped, END, FLY_ADVANCE_STOP, &error), &error);
  assert_true(fly_run_done(stepped));
  ok(fly_run_finish(stepped, &error), &error);
  assert_int_equal(seen.count, expected.count);
  const fly_stats a = fly_run_stats(whole), b = fly_run_stats(stepped);
  assert_int_equal(a.steps, b.steps);
  assert_int_equal(a.breaks, b.breaks);
  assert_int_equal(a.restarts, b.restarts);
  if (seen.hash != expected.hash)
    fail_msg("%s, %s: other rows", method, slopes ? "slopes" : "steps");
  fly_run_free(whole);
  fly_run_free(stepped);
  fly_mechanism_free(by_table);
  fly_mechanism_free(by_input);
  free(text);
}

static void test_staircase(void **state) {
  same_as_table("ch", false);
  same_as_table("radau", false);
  same_as_table("partition", false);
  same_as_table("hybrid", false);
}

// Also by methods that go on over kinks: what they are told of the step behind one is told of its far side, and a
// straight line is known to be one there.
static void test_slopes(void **state) {
  same_as_table("ch", true);
  same_as_table("hht", true);
  same_as_table("radau", true);
  same_as_table("partition", true);
  same_as_table("hybrid", true);
  same_as_table("baumgarte", true);
}

// Save, go on, go back, go on again; and with other inputs another motion.
static void test_back_and_on(void **state) {
  fly_mechanism *m = parse(MODEL, "u", "inputs: {u: 0}\n");
  static const char *const methods[] = {"ch", "radau", "partition", "hybrid"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    fly_run *r = started(m, methods[i], NULL), *clone;
    fly_error error = {0};
    void *bytes;
    size_t size;
    loop(r, 0, 40, false);
    ok(fly_run_set(r, 0, 1.5, 0.25, &error), &error); // what was set and is not yet travels too
    ok(fly_run_save(r, &bytes, &size, &error), &error);
    ok(fly_run_clone(&clone, r, &error), &error);
    ok(fly_run_advance(r, 41 * DT, FLY_ADVANCE_STOP, &error), &error);
    loop(r, 41, 70, true);
    const uint64_t expected = state_hash(r);
    ok(fly_run_restore(r, bytes, size, &error), &error);
    assert_true(fly_run_reached(r) == 40 * DT);
    loop(r, 40, 70, true);
    assert_true(state_hash(r) != expected);
    ok(fly_run_restore(r, bytes, size, &error), &error);
    ok(fly_run_advance(r, 41 * DT, FLY_ADVANCE_STOP, &error), &error);
    loop(r, 41, 70, true);
    assert_true(state_hash(r) == expected);
    ok(fly_run_advance(clone, 41 * DT, FLY_ADVANCE_STOP, &error), &error);
    loop(clone, 41, 70, true);
    assert_true(state_hash(clone) == expected);
    free(bytes);
    fly_run_free(r);
    fly_run_free(clone);
  }
  fly_mechanism_free(m);
}

// What is passed is read inside of steps, and does not change them.
static void test_passing(void **state) {
  fly_mechanism *m = parse(MODEL, "u", "inputs: {u: 3}\n");
  fly_error error = {0};
  rows plain, seen;
  fly_run *whole = started(m, "ch", &plain), *r = started(m, "ch", &seen);
  const int handle[] = {0, fly_run_channel(r, "one.x"), fly_run_channel(r, "lag")};
  ok(fly_run_go(whole, &error), &error);
  for (int k = 1; k <= 777; k++) {
    double value[3];
    fly_dae_state at;
    ok(fly_run_advance(r, END * k / 777, FLY_ADVANCE_PASS, &error), &error);
    ok(fly_run_read(r, handle, 3, value, &error), &error);
    ok(fly_run_read_state(r, &at, &error), &error);
    assert_true(fabs(value[0] - END * k / 777) < 1e-15);
    assert_true(value[1] == at.q[0]);
    assert_true(value[2] == at.x[0]);
    if (k == 400) {
      assert_int_equal(fly_run_set(r, 0, 1, 0, &error), FLY_BAD_INPUT);
      assert_non_null(strstr(error.message, "inside a step"));
    }
  }
  ok(fly_run_finish(r, &error), &error);
  assert_int_equal(seen.count, plain.count);
  assert_true(seen.hash == plain.hash);
  assert_int_equal(fly_run_advance(r, 3, FLY_ADVANCE_PASS, &error), FLY_BAD_INPUT);
  fly_run_free(whole);
  fly_run_free(r);
  fly_mechanism_free(m);
}

// The ledger that is read at a stop is that of the stop.
static void test_ledger_at_stops(void **state) {
  fly_mechanism *m = parse(MODEL, "u", "inputs: {u: 3}\n");
  fly_error error = {0};
  fly_run *r = started(m, "ch", NULL);
  const int handle[] = {fly_run_channel(r, "energy.kinetic"), fly_run_channel(r, "energy.gravity"),
                        fly_run_channel(r, "work.forces")};
  double first[3], value[3];
  ok(fly_run_read(r, handle, 3, first, &error), &error);
  for (int k = 0; k < 200; k++) {
    ok(fly_run_set(r, 0, level(k), 0, &error), &error);
    ok(fly_run_advance(r, (k + 1) * DT, FLY_ADVANCE_STOP, &error), &error);
    ok(fly_run_read(r, handle, 3, value, &error), &error);
    assert_true(fabs(value[0] + value[1] - first[0] - first[1] - value[2]) < 1e-5 * (1 + fabs(value[0])));
  }
  fly_run_free(r);
  fly_mechanism_free(m);
}

// ------------------------------------------------------------------------------------------ events

// A ball that bounces, pushed by `u` from its second hit on.
#define BALL                                                                                                           \
  "flyball: 1\ngravity: [0, 0, -9.81]\n"                                                                               \
  "bodies: {ball: {type: point, mass: 1, position: [0, 0, 1]}}\n"                                                      \
  "forces: {push: {type: force, at: ball, force: [\"%s\", 0, 0]}}\n"                                                   \
  "simulate: {end: 2, error: 1e-7, output: 1/100, calibrate: no, estimate_error: no}\n"

static const char HIT[] =
    "inputs: {u: 0}\nheld: {n: 0}\n"
    "events:\n  hit: {when: \"dz(ball) < 0\", velocity: {ball.vz: -0.8*vz(ball)}, set: {n: n + 1}}\n"
    "  late: {at: 1.25, set: {n: n}}\n";

// How often it comes back; each time at a hit or at 1.25 s.
static int see_events(fly_run *r, bool push) {
  fly_error error = {0};
  const int height = fly_run_channel(r, "ball.z");
  int seen = 0;
  for (;;) {
    double z;
    ok(fly_run_advance(r, 2, FLY_ADVANCE_EVENT, &error), &error);
    if (fly_run_done(r))
      return seen;
    const fly_event_told hit = fly_run_event(r, 0), late = fly_run_event(r, 1);
    ok(fly_run_read(r, &height, 1, &z, &error), &error);
    assert_true(hit.last == fly_run_reached(r) ? fabs(z) < 1e-12 : fabs(late.last - 1.25) < 1e-12 && z > 0.01);
    if (push && hit.count == 2 && late.count == 0)
      ok(fly_run_set(r, 0, 3, 0, &error), &error);
    seen++;
  }
}

// At an event that changes nothing by itself, an input that is set there jumps between two steps and not in one.
static void test_inputs_at_events(void **state) {
  fly_mechanism *m = parse(BALL, "u", HIT);
  fly_error error = {0};
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    fly_run *r = started(m, methods[i], NULL);
    while (fly_run_event(r, 1).count == 0)
      ok(fly_run_advance(r, 2, FLY_ADVANCE_EVENT, &error), &error);
    const long rejected = fly_run_stats(r).rejected_error;
    double x;
    const int channel = fly_run_channel(r, "ball.x");
    ok(fly_run_set(r, 0, 3, 0, &error), &error);
    ok(fly_run_advance(r, 1.3, FLY_ADVANCE_STOP, &error), &error);
    ok(fly_run_read(r, &channel, 1, &x, &error), &error);
    assert_true(fabs(x - 1.5 * 0.05 * 0.05) < 1e-12);
    assert_int_equal(fly_run_stats(r).rejected_error, rejected);
    fly_run_free(r);
  }
  fly_mechanism_free(m);
}

static void test_back_at_events(void **state) {
  fly_mechanism *m = parse(BALL, "u", HIT), *by_itself = parse(BALL, "3*(n >= 2)", HIT);
  fly_error error = {0};
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    rows plain, seen;
    fly_run *whole = started(m, methods[i], &plain), *r = started(m, methods[i], &seen);
    ok(fly_run_go(whole, &error), &error);
    const long hits = fly_run_event(whole, 0).count;
    assert_int_equal(see_events(r, false), hits + 1);
    ok(fly_run_finish(r, &error), &error);
    assert_int_equal(seen.count, plain.count);
    assert_true(seen.hash == plain.hash); // to look changes nothing
    fly_run *pushed = started(m, methods[i], NULL), *alone = started(by_itself, methods[i], NULL);
    see_events(pushed, true);
    ok(fly_run_advance(alone, 2, FLY_ADVANCE_STOP, &error), &error);
    double x[2];
    const int channel = fly_run_channel(pushed, "ball.x");
    ok(fly_run_read(pushed, &channel, 1, &x[0], &error), &error);
    ok(fly_run_read(alone, &channel, 1, &x[1], &error), &error);
    assert_true(x[0] > 0.5 && fabs(x[0] - x[1]) < 1e-6);
    fly_run *const list[] = {whole, r, pushed, alone};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
      fly_run_free(list[k]);
  }
  fly_mechanism_free(m);
  fly_mechanism_free(by_itself);
}

// ------------------------------------------------------------------------------------------ parameters

#define PUSHED                                                                                                         \
  "flyball: 1\nparameters: {k: 5, m: 2}\n"                                                                             \
  "bodies: {ball: {type: point, mass: m, position: [1, 0, 0]}}\nforces: {pull: {type: force, at: ball, force: "        \
  "[\"%s\", 0, 0]}}\nsimulate: {end: 2, error: 1e-7, output: 1/100, calibrate: no, estimate_error: no}\n"

// A parameter that is set at a stop is one that jumps there; it travels with the state.
static void test_parameters(void **state) {
  fly_mechanism *m = parse(PUSHED, "-k*dx(ball) + 0.1*sin(time)*max(0, dx(ball))", "");
  fly_mechanism *by_time = parse(PUSHED, "-(if(time < 1, 5, 9))*dx(ball) + 0.1*sin(time)*max(0, dx(ball))", "");
  fly_error error = {0};
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    fly_run *r = started(m, methods[i], NULL), *alone = started(by_time, methods[i], NULL), *clone;
    const int channel = fly_run_channel(r, "ball.x");
    double x[4];
    void *bytes = NULL;
    size_t size = 0;
    ok(fly_run_advance(alone, 2, FLY_ADVANCE_STOP, &error), &error);
    ok(fly_run_read(alone, &channel, 1, &x[0], &error), &error);
    for (int k = 0; k < 5; k++) { // to want another before going on is nothing
      ok(fly_run_tune(r, "k", 5, &error), &error);
      ok(fly_run_advance(r, 0.2 * (k + 1), FLY_ADVANCE_STOP, &error), &error);
    }
    assert_int_equal(fly_run_tune(r, "m", 3, &error), FLY_BAD_INPUT); // it is built with
    assert_string_equal(error.element, "m");
    assert_int_equal(fly_run_tune(r, "q", 3, &error), FLY_BAD_INPUT);
    ok(fly_run_tune(r, "k", 9, &error), &error);
    ok(fly_run_save(r, &bytes, &size, &error), &error);
    ok(fly_run_clone(&clone, r, &error), &error);
    ok(fly_run_advance(r, 1.5, FLY_ADVANCE_STOP, &error), &error);
    fly_run *late;
    ok(fly_run_clone(&late, r, &error), &error); // of one that is tuned already
    ok(fly_run_advance(r, 2, FLY_ADVANCE_STOP, &error), &error);
    ok(fly_run_read(r, &channel, 1, &x[1], &error), &error);
    assert_true(fabs(x[1] - x[0]) < 2e-6);
    ok(fly_run_advance(late, 2, FLY_ADVANCE_STOP, &error), &error);
    ok(fly_run_read(late, &channel, 1, &x[2], &error), &error);
    assert_true(x[2] == x[1]);
    fly_run_free(late);
    ok(fly_run_advance(clone, 1.5, FLY_ADVANCE_STOP, &error), &error);
    ok(fly_run_advance(clone, 2, FLY_ADVANCE_STOP, &error), &error);
    ok(fly_run_read(clone, &channel, 1, &x[2], &error), &error);
    fly_run_free(r);
    r = started(m, methods[i], NULL);
    ok(fly_run_restore(r, bytes, size, &error), &error);
    ok(fly_run_advance(r, 1.5, FLY_ADVANCE_STOP, &error), &error);
    ok(fly_run_advance(r, 2, FLY_ADVANCE_STOP, &error), &error);
    ok(fly_run_read(r, &channel, 1, &x[3], &error), &error);
    assert_true(x[2] == x[1] && x[3] == x[1]);
    free(bytes);
    fly_run_free(r);
    fly_run_free(clone);
    fly_run_free(alone);
  }
  fly_mechanism_free(m);
  fly_mechanism_free(by_time);
}

static void refuses(fly_status status, const fly_error *error, const char *why) {
  assert_int_equal(status, FLY_BAD_INPUT);
  if (!strstr(error->message, why))
    fail_msg("'%s' does not say '%s'", error->message, why);
}

static void test_refuses(void **state) {
  fly_mechanism *m = parse(MODEL, "u", "inputs: {u: 3}\n");
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  fly_run *none;
  o.size = 0; // not begun with the default
  refuses(fly_run_create(&none, m, &o, &error), &error, "fly_run_options_default");
  o.size = offsetof(fly_run_options, user); // of a program that knows less
  ok(fly_run_create(&none, m, &o, &error), &error);
  fly_run_free(none);
  const int nonsense[] = {-1, 100000};
  double value;
  fly_run *r = started(m, "ch", NULL);
  assert_int_equal(fly_run_input(r, "v"), -1);
  assert_int_equal(fly_run_input(r, "u"), 0);
  refuses(fly_run_set(r, 1, 0, 0, &error), &error, "no input 1");
  refuses(fly_run_set(r, 0, NAN, 0, &error), &error, "`u` is to be nan");
  refuses(fly_run_read(r, nonsense, 1, &value, &error), &error, "no channel -1");
  refuses(fly_run_read(r, nonsense + 1, 1, &value, &error), &error, "no channel 100000");
  refuses(fly_run_advance(r, 0, FLY_ADVANCE_STOP, &error), &error, "does not lie behind");
  refuses(fly_run_advance(r, NAN, FLY_ADVANCE_STOP, &error), &error, "does not lie behind");
  refuses(fly_run_advance(NULL, 1, FLY_ADVANCE_STOP, &error), &error, "no run was given");
  ok(fly_run_finish(r, &error), &error);
  refuses(fly_run_read(r, nonsense, 0, NULL, &error), &error, "has ended");
  fly_run_free(r);
  fly_mechanism_free(m);
}

// ------------------------------------------------------------------------------------------ threads

typedef struct job {
  fly_run *run;
  uint64_t hash;
  fly_status status;
} job;

static void *work(void *argument) {
  job *j = argument;
  fly_dae_state at;
  for (int k = 30; k < 90 && j->status == FLY_OK; k++) {
    j->status = fly_run_set(j->run, 0, level(k), 0, NULL);
    if (j->status == FLY_OK)
      j->status = fly_run_advance(j->run, (k + 1) * DT, FLY_ADVANCE_STOP, NULL);
    if (j->status == FLY_OK)
      j->status = fly_run_read_state(j->run, &at, NULL);
    j->hash = fly_fingerprint(j->hash, at.q, 6 * sizeof *at.q);
  }
  return NULL;
}

static void test_clones_in_threads(void **state) {
  enum { N = 8 };
  fly_mechanism *m = parse(MODEL, "u", "inputs: {u: 0}\n");
  fly_error error = {0};
  fly_run *r = started(m, "ch", NULL);
  pthread_t thread[N];
  job jobs[N];
  loop(r, 0, 30, false);
  for (int k = 0; k < N; k++) {
    jobs[k] = (job){0};
    ok(fly_run_clone(&jobs[k].run, r, &error), &error);
  }
  for (int k = 0; k < N; k++)
    assert_int_equal(pthread_create(&thread[k], NULL, work, &jobs[k]), 0);
  job alone = {.run = r};
  work(&alone);
  for (int k = 0; k < N; k++) {
    pthread_join(thread[k], NULL);
    assert_int_equal(jobs[k].status, FLY_OK);
    assert_true(jobs[k].hash == alone.hash);
    fly_run_free(jobs[k].run);
  }
  fly_run_free(r);
  fly_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_staircase),         cmocka_unit_test(test_slopes),
      cmocka_unit_test(test_back_and_on),       cmocka_unit_test(test_passing),
      cmocka_unit_test(test_ledger_at_stops),   cmocka_unit_test(test_refuses),
      cmocka_unit_test(test_clones_in_threads), cmocka_unit_test(test_back_at_events),
      cmocka_unit_test(test_inputs_at_events),  cmocka_unit_test(test_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
