// Kinematics and inverse dynamics take their memory before the first step, and every allocation may fail: that is said,
// and nothing leaks.
// labels: valgrind
// timeout: 180
#define _POSIX_C_SOURCE 200809L
#include "base/allocations.h"

#include "analysis/driven.h"
#include "analysis/simulation.h"

static fly_status analyse(const fly_mechanism *m, fly_run_options o, fly_error *error) {
  fly_run *run = NULL;
  fly_status status = fly_run_create(&run, m, &o, error);
  if (status == FLY_OK)
    status = fly_run_start(run, error);
  if (status == FLY_OK)
    status = fly_run_go(run, error);
  fly_run_free(run);
  return status;
}

static void assert_each_may_fail(const char *text, fly_run_options o) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  long failures = 0;
  assert_ok(fly_mechanism_parse(&m, "model", text, strlen(text), 0, NULL, &error), &error);
  for (long n = 1;; n++) {
    fly_error why = {0};
    allocations_reset(n);
    fly_status status = analyse(m, o, &why);
    if (the_allocations.count < n) {
      assert_ok(status, &why);
      break;
    }
    if (status == FLY_OK || !strstr(why.message, "emory"))
      fail_msg("allocation %ld: %s: %s", n, fly_status_name(status), why.message);
    failures++;
  }
  allocations_reset(0);
  say("%ld allocations\n", failures);
  assert_true(failures > 50);
  fly_mechanism_free(m);
}

static const char friction[] = "forces:\n  friction: {type: force, at: slider, axes: ground, "
                               "force: ['-0.1*fm(guide)*sin(atan(vx(slider)/0.01))', 0, 0]}\n";

static void every_allocation_may_fail(void **state) {
  char text[3000];
  fly_run_options o = fly_run_options_default();
  o.end = 0.2;
  o.output = 0.1;
  o.analysis = FLY_KINEMATICS;
  assert_each_may_fail(spatial_crank, o);
  o.analysis = FLY_INVERSE;
  snprintf(text, sizeof text, "%s%s", planar_crank, friction);
  assert_each_may_fail(text, o);
}

static void of_what_is_followed(void **state) {
  char text[3000];
  simulation s = simulation_default(0.1, NAN);
  char out[100];
  snprintf(out, sizeof out, "%s/run", folder);
  s.options.out = out;
  s.options.csv = true; // HDF5 has its own memory
  s.options.output = 0.02;
  snprintf(text, sizeof text, "%.*s", (int)(strstr(planar_crank, "motions:") - planar_crank), planar_crank);
  simulate_text(&s, text);
  assert_ok(s.status, &s.error);
  simulation_free(&s);
  fly_run_options o = fly_run_options_default();
  o.analysis = FLY_INVERSE;
  o.follow = out;
  assert_each_may_fail(text, o);
}

// Rows are given as they are reached: what was allocated between the second and the last.
static long counts[1000], rows;
static void count_row(const double *row, void *user) { counts[rows++] = the_allocations.count; }

static void steps_allocate_nothing(void **state) {
  assert_true(allocations_hook_klu()); // above it is left out: to it a shrinking that fails is no failure
  for (int analysis = FLY_KINEMATICS; analysis <= FLY_INVERSE; analysis++) {
    fly_mechanism *m = NULL;
    fly_error error = {0};
    fly_run_options o = fly_run_options_default();
    o.analysis = (fly_analysis)analysis;
    o.end = 1;
    o.output = 0.01;
    o.row = count_row;
    rows = 0;
    assert_ok(fly_mechanism_parse(&m, "model", planar_crank, strlen(planar_crank), 0, NULL, &error), &error);
    allocations_reset(0);
    assert_ok(analyse(m, o, &error), &error);
    assert_int_equal(rows, 101);
    assert_int_equal(counts[1], counts[100]);
    fly_mechanism_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(of_what_is_followed),
      cmocka_unit_test(steps_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
