// Calls out of order, twice, after a failure, from inside and on nothing: a status and a sentence, never a signal, and
// never FLY_OK.
//
// labels: valgrind
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "analysis/calls.h"
#include "analysis/simulation.h"
#include "flyball/run.h"

#define PENDULUM                                                                                                       \
  "flyball: 1\ngravity: [0, -9.81, 0]\nsimulate: {end: 0.1}\ninputs: {u: 0}\nbodies:\n  bob: {type: point, mass: 1, "  \
  "position: [1, 0, "                                                                                                  \
  "0]}\njoints:\n  bar: {type: distance, from: ground, to: bob}\n"

static fly_mechanism *read_model(const char *text) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  assert_ok(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), &error);
  return m;
}

static fly_status call(fly_run *r, fly_run_call which, fly_error *error) {
  if (which == FLY_CALL_SAVE_RUN || which == FLY_CALL_RESTORE_RUN) {
    void *bytes = NULL;
    size_t size = 0;
    fly_status status = fly_run_save(r, &bytes, &size, error);
    if (which == FLY_CALL_RESTORE_RUN)
      status = fly_run_restore(r, bytes ? bytes : "", size, error);
    free(bytes);
    return status;
  }
  const int time = 0;
  double value;
  if (which == FLY_CALL_ADVANCE_RUN)
    return fly_run_advance(r, 0.05, FLY_ADVANCE_STOP, error);
  if (which == FLY_CALL_SET)
    return fly_run_set(r, 0, 1, 0, error);
  if (which == FLY_CALL_READ)
    return fly_run_read(r, &time, 1, &value, error);
  if (which == FLY_CALL_FINISH)
    return fly_run_finish(r, error);
  return which == FLY_CALL_START  ? fly_run_start(r, error)
         : which == FLY_CALL_REST ? fly_run_rest(r, NULL, error)
         : which == FLY_CALL_GO   ? fly_run_go(r, error)
                                  : fly_run_show(r, error);
}

// Every answer there is; none of them may need a run that stands.
static void ask_all(const fly_run *r) {
  double when = 0;
  const char *unit = NULL;
  assert_true(fly_run_info(r).rows >= 0);
  assert_true(fly_run_stats(r).steps >= 0);
  assert_true(fly_run_certificate(r).position >= 0);
  (void)fly_run_ledger(r);
  (void)fly_run_dae_options(r);
  (void)fly_run_problem(r);
  (void)fly_run_promise(r);
  assert_string_equal(fly_verdict_word(fly_run_verdict(r).state), fly_verdict_word(fly_run_verdict(r).state));
  (void)fly_run_time(r);
  (void)fly_run_end(r);
  assert_true(fly_run_rows(r) >= 0);
  assert_true(fly_run_not_finite(r).values == 0);
  assert_int_equal(fly_run_channel(r, NULL), -1);
  assert_int_equal(fly_run_channel(r, "no such channel"), -1);
  assert_null(fly_run_channel_name(r, -1, &unit));
  assert_null(fly_run_channel_name(r, 100000, NULL));
  (void)fly_run_channel_name(r, 0, NULL);
  assert_non_null(fly_run_notes(r));
  assert_non_null(fly_run_left_out(r));
  assert_non_null(fly_run_warnings(r));
  assert_non_null(fly_run_redundancy(r));
  assert_true(fly_run_conditioning(r, NULL) == fly_run_conditioning(r, &when));
  (void)fly_run_equilibrium(r);
  assert_non_null(fly_run_rest_line(r, -1).name);
  assert_non_null(fly_run_rest_line(r, fly_run_rest_lines(r)).name);
  assert_false(fly_run_record(r, false, NULL, NULL));
  FILE *file = tmpfile();
  assert_int_equal(fly_run_record(r, true, fly_to_file, file), r != NULL);
  fclose(file);
}

static void refused(fly_run *r, const char *sentence) {
  for (int which = 0; which < FLY_RUN_CALLS; which++) {
    fly_error error = {0};
    assert_int_equal(call(r, (fly_run_call)which, &error), FLY_BAD_INPUT);
    assert_int_equal(call(r, (fly_run_call)which, NULL), FLY_BAD_INPUT);
    if (!strstr(error.message, sentence) || !strstr(error.message, fly_run_call_name((fly_run_call)which)))
      fail_msg("'%s' does not say '%s'", error.message, sentence);
  }
  ask_all(r);
}

// All pairs of calls: the second is taken only after one that left it something to do.
static void every_pair_of_calls(void **state) {
  fly_mechanism *m = read_model(PENDULUM);
  for (int first = 0; first < FLY_RUN_CALLS; first++)
    for (int second = 0; second < FLY_RUN_CALLS; second++) {
      fly_error error = {0};
      fly_run *r = NULL;
      assert_ok(fly_run_create(&r, m, NULL, &error), &error);
      ask_all(r);
      const bool starts = first == FLY_CALL_START || first == FLY_CALL_REST;
      const bool starts_again = second == FLY_CALL_START || second == FLY_CALL_REST;
      assert_int_equal(call(r, (fly_run_call)first, &error), starts ? FLY_OK : FLY_BAD_INPUT);
      ask_all(r);
      assert_int_equal(call(r, (fly_run_call)second, &error), starts != starts_again ? FLY_OK : FLY_BAD_INPUT);
      ask_all(r);
      if (starts && (second == FLY_CALL_GO || second == FLY_CALL_SHOW || second == FLY_CALL_FINISH)) {
        const long rows = fly_run_rows(r);
        refused(r, "has ended");
        assert_int_equal(fly_run_rows(r), rows);
      }
      fly_run_free(r);
    }
  fly_mechanism_free(m);
}

// The governor has freedoms that no motion takes: kinematics cannot start, and gave rows all the same.
static void nothing_follows_a_start_that_failed(void **state) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  assert_ok(fly_mechanism_load(&m, FLY_TEST_SOURCE_DIR "/examples/governor.yaml", 0, NULL, &error), &error);
  for (int analysis = FLY_KINEMATICS; analysis <= FLY_INVERSE; analysis++) {
    fly_run_options o = fly_run_options_default();
    fly_run *r = NULL;
    o.analysis = (fly_analysis)analysis;
    assert_ok(fly_run_create(&r, m, &o, &error), &error);
    assert_int_not_equal(fly_run_start(r, &error), FLY_OK);
    refused(r, "start of this run failed");
    assert_int_equal(fly_run_rows(r), 0);
    fly_run_free(r);
  }
  fly_mechanism_free(m);
}

static void on_nothing(void **state) {
  fly_error error = {0};
  fly_run *r = NULL;
  refused(NULL, "no run was given");
  assert_int_equal(fly_run_create(&r, NULL, NULL, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "no mechanism was given"));
  assert_int_equal(fly_run_create(NULL, NULL, NULL, NULL), FLY_BAD_INPUT);
  fly_run_free(NULL);
}

static void move_it(const double *row, void *user) {
  fly_run *r = *(fly_run **)user;
  refused(r, "from a callback");
  fly_run_free(r);
}

static void from_inside(void **state) {
  fly_mechanism *m = read_model(PENDULUM);
  fly_run *r = NULL;
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  o.output = 0.05;
  o.row = move_it;
  o.user = &r;
  assert_ok(fly_run_create(&r, m, &o, &error), &error);
  assert_ok(fly_run_start(r, &error), &error);
  assert_ok(fly_run_go(r, &error), &error);
  assert_int_equal(fly_run_rows(r), 3);
  fly_run_free(r);
  fly_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pair_of_calls),
      cmocka_unit_test(nothing_follows_a_start_that_failed),
      cmocka_unit_test(on_nothing),
      cmocka_unit_test(from_inside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
