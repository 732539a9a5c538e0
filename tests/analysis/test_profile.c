// Where the time of a run goes: every phase is entered as often as it was counted elsewhere, and nothing else changes.
//
// link: -Wl,--wrap=fly_clock
#define _POSIX_C_SOURCE 200809L // mkstemp
#include "base/check.h"

#include <math.h>
#include <stdint.h>

#include "analysis/simulation.h"
#include "base/phase.h"

static const char PENDULUM[] = "flyball: 1\n"
                               "name: pendulum\n"
                               "gravity: [0, 0, -9.81]\n"
                               "bodies:\n"
                               "  rod: {mass: 1, inertia: [0.01, 0.08, 0.08], position: [0.5, 0, 0]}\n"
                               "joints:\n"
                               "  pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}\n";

static uint64_t sum_of_rows; // of all their bits

static void add_row(const double *row, void *channels) { // time, position
  sum_of_rows = fly_hash_doubles(sum_of_rows, row, 1 + *(const size_t *)channels);
}

static simulation run(const char *method, bool profile) {
  static size_t channels = 4;
  simulation s = simulation_default(0.5, NAN);
  s.options.error = 1e-5;
  s.options.output = 0.01;
  s.options.method.name = method;
  s.options.profile = profile;
  s.options.row = add_row;
  s.options.user = &channels;
  sum_of_rows = fly_hash_start();
  simulate_text(&s, PENDULUM);
  assert_int_equal(s.status, FLY_OK);
  return s;
}

static void check_method(const char *method, bool jacobians) {
  simulation plain = run(method, false);
  const uint64_t rows = sum_of_rows;
  simulation watched = run(method, true);
  const fly_profile none = fly_run_profile(plain.run), p = fly_run_profile(watched.run);
  assert_true(sum_of_rows == rows); // to the bit
  assert_false(none.on);
  assert_true(p.on);
  for (int k = 0; k < FLY_PHASES; k++) {
    const bool optional = !fly_phase_is_counted((fly_phase)k) || (k == FLY_PHASE_JACOBIAN && !jacobians);
    assert_true(none.entries[k] == 0 && none.seconds[k] == 0);
    assert_true(optional || p.entries[k] > 0);
    assert_true(p.seconds[k] >= 0);
  }
  const fly_stats s = fly_run_stats(watched.run);
  assert_true(p.entries[FLY_PHASE_SOLVE] >= s.solves - s.kkt_solves);
  assert_int_equal(p.entries[FLY_PHASE_OUTPUT], 51); // rows
  assert_null(fly_phase_profile);                    // nobody is watched any more
  simulation_free(&plain);
  simulation_free(&watched);
}

static void newmark_is_watched(void **state) { check_method("ch", true); }
static void radau_is_watched(void **state) { check_method("radau", true); }
static void adams_is_watched(void **state) { check_method("partition", false); }

// Phases inside of phases: each second counts once, what a row needs is output.
static void phases_nest(void **state) {
  fly_profile p = {0}, other = {0};
  assert_int_equal(fly_phase_enter(FLY_PHASE_SOLVE), FLY_PHASE_CONTROL); // nobody asks
  assert_true(fly_phase_begin(&p));
  assert_false(fly_phase_begin(&other));
  const fly_phase jacobian = fly_phase_enter(FLY_PHASE_JACOBIAN), kinematics = fly_phase_enter(FLY_PHASE_KINEMATICS);
  assert_int_equal(kinematics, FLY_PHASE_JACOBIAN);
  fly_phase_leave(kinematics);
  fly_phase_leave(jacobian);
  const fly_phase output = fly_phase_enter(FLY_PHASE_OUTPUT), inside = fly_phase_enter(FLY_PHASE_KINEMATICS);
  fly_phase_leave(inside);
  fly_phase_leave(output);
  fly_phase_end();
  assert_int_equal(p.entries[FLY_PHASE_JACOBIAN], 1);
  assert_int_equal(p.entries[FLY_PHASE_KINEMATICS], 1);
  assert_int_equal(p.entries[FLY_PHASE_OUTPUT], 1);
  assert_int_equal(p.entries[FLY_PHASE_CONTROL], 0);
  assert_false(other.on);
}

// Rows are output, what opens a file for the first of them is not; in there nothing else counts.
static void files_are_not_rows(void **state) {
  fly_profile p = {0};
  assert_true(fly_phase_begin(&p));
  const fly_phase output = fly_phase_enter(FLY_PHASE_OUTPUT), files = fly_phase_enter(FLY_PHASE_FILES);
  assert_int_equal(files, FLY_PHASE_OUTPUT);
  fly_phase_leave(fly_phase_enter(FLY_PHASE_OUTPUT));
  fly_phase_leave(files);
  fly_phase_leave(output);
  fly_phase_end();
  assert_int_equal(p.entries[FLY_PHASE_OUTPUT], 1);
  assert_int_equal(p.entries[FLY_PHASE_FILES], 1);
  assert_false(fly_phase_is_counted(FLY_PHASE_CONTROL) || fly_phase_is_counted(FLY_PHASE_FILES));
  assert_true(fly_phase_is_counted(FLY_PHASE_OUTPUT));
}

// A clock of our own, where that is wanted: every look at it takes a second.
static struct {
  bool ours;
  double now; // [s]
} the_clock;

double __real_fly_clock(void); // NOLINT(bugprone-reserved-identifier) ; names of the linker
double __wrap_fly_clock(void); // NOLINT(bugprone-reserved-identifier)

double __wrap_fly_clock(void) { // NOLINT(bugprone-reserved-identifier)
  return the_clock.ours ? the_clock.now += 1 : __real_fly_clock();
}

// To look at the clock takes longer than much that it measures: that is nobody's.
static void the_clock_is_not_counted(void **state) {
  enum { TIMES = 200 };
  fly_profile p = {0};
  the_clock.ours = true;
  assert_true(fly_phase_begin(&p));
  for (int k = 0; k < TIMES; k++) {
    const fly_phase before = fly_phase_enter(FLY_PHASE_SOLVE);
    the_clock.now += 5;
    fly_phase_leave(before);
  }
  fly_phase_end();
  the_clock.ours = false;
  assert_close(p.seconds[FLY_PHASE_SOLVE], 5 * TIMES, 0.01 * 5 * TIMES);
  assert_between(p.seconds[FLY_PHASE_CONTROL], 0, 1);
}

static void phases_have_names(void **state) {
  assert_string_equal(fly_phase_name(FLY_PHASE_SOLVE), "solve");
  assert_string_equal(fly_phase_name(FLY_PHASE_OUTPUT), "output");
  assert_string_equal(fly_phase_name(FLY_PHASE_FILES), "files");
  assert_null(fly_phase_name(FLY_PHASES));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(newmark_is_watched), cmocka_unit_test(radau_is_watched),
      cmocka_unit_test(adams_is_watched),   cmocka_unit_test(phases_nest),
      cmocka_unit_test(files_are_not_rows), cmocka_unit_test(the_clock_is_not_counted),
      cmocka_unit_test(phases_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
