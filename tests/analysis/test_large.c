// Large examples: a top that friction turns over, a wheel that a pin turns by quarters, a box on steps, a chain of
// beads, a crawler track.
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "analysis/simulation.h"
#include "base/check.h"

enum { MOST = 600, WIDE = 4 };

typedef struct rows {
  int count, wide;
  double value[MOST][WIDE];
} rows;

static void keep(const double *row, void *user) {
  rows *r = user;
  if (r->count < MOST)
    for (int k = 0; k < r->wide; k++)
      r->value[r->count][k] = row[k];
  r->count++;
}

// Of each row: its time and `wide` - 1 values.
static fly_ledger run_file(rows *r, int wide, const char *file, const char *channels, fly_hot_contact *hot) {
  simulation s = {.options = fly_run_options_default()};
  s.options.calibrate = s.options.estimate_error = "no";
  s.options.channels = channels;
  s.options.row = keep;
  s.options.user = r;
  *r = (rows){.wide = wide};
  simulate_file(&s, file);
  if (s.status)
    print_message("%s\n", s.error.message);
  assert_true(s.status == FLY_OK);
  assert_int_equal(fly_run_hottest(s.run, hot, 1), 1);
  const fly_ledger ledger = fly_run_ledger(s.run);
  simulation_free(&s);
  return ledger;
}

// The total is kept or lost at every row, all of it in the contact; Jellett's integral stays as it is but for the depth
// of the spot, 0.4 mm of a ball of 20 mm at the first push.
static void a_tippe_top_turns_over(void **state) {
  static rows r;
  fly_hot_contact hot;
  const fly_ledger l = run_file(&r, WIDE, FLY_TEST_SOURCE_DIR "/examples/large/tippe-top.yaml", "outputs", &hot);
  const double *first = r.value[0], *last = r.value[r.count - 1];
  assert_true(first[1] > 0.99 && last[1] < -0.98);
  assert_near(last[2] - first[2], 2 * 0.25 * 0.02, 3e-4);
  assert_near(last[3] / first[3], 1, 5e-3);
  assert_true(l.worst < 1e-6 * l.moved);
  assert_near(l.contact_heat, l.damping, 1e-12);
  assert_near(l.contact_heat, (l.start_kinetic - l.kinetic) + (l.start_gravity - l.gravity) - l.springs, 1e-8);
  assert_near(hot.heat, l.contact_heat, 0.01 * l.contact_heat);
  assert_near(l.contacts, l.springs, 1e-15);
}

static void energy_is_never_made(void **state) {
  static rows r;
  fly_hot_contact hot;
  run_file(&r, WIDE, FLY_TEST_SOURCE_DIR "/examples/large/tippe-top.yaml", "energies", &hot);
  for (int k = 1; k < r.count && k < MOST; k++) {
    const double before = r.value[k - 1][1] + r.value[k - 1][2] + r.value[k - 1][3];
    assert_true(r.value[k][1] + r.value[k][2] + r.value[k][3] <= before + 1e-6); // rows are interpolated
  }
}

// The play of 20 um is at most 20 um/(c - a) of an angle, and as much again by its depth and by rows.
static void a_geneva_wheel_turns_by_quarters(void **state) {
  static rows r;
  fly_hot_contact hot;
  run_file(&r, 2, FLY_TEST_SOURCE_DIR "/examples/large/geneva.yaml", "outputs", &hot);
  const double c = 0.1, a = c * sqrt(0.5), play = 2 * 20e-6 / (c - a);
  for (int k = 0; k < r.count && k < MOST; k++) {
    const double t = r.value[k][0], phi = acos(-1) * (2 * fmod(t, 1) - 1), gone = floor(t);
    const bool engaged = fabs(phi) < acos(-1) / 4;
    const double ideal = -acos(-1) / 2 * gone - acos(-1) / 4 +
                         (engaged ? -atan(a * sin(phi) / (c - a * cos(phi))) : -copysign(acos(-1) / 4, phi));
    assert_near(r.value[k][1], ideal, engaged ? play : 10 * play);
  }
  assert_true(hot.largest > 1);
}

// Energy is only lost at every row, and the box is below: it has come down three steps at least.
static void a_box_tumbles_down_steps(void **state) {
  static rows r;
  fly_hot_contact hot;
  const fly_ledger l = run_file(&r, 3, FLY_TEST_SOURCE_DIR "/examples/large/box-on-steps.yaml", "outputs", &hot);
  assert_true(l.worst < 1e-4 * l.moved && l.contact_heat > 5);
  assert_true(r.value[0][2] > 0.65 && r.value[r.count - 1][2] < 0.25);
  for (int k = 0; k < r.count; k++)
    assert_true(r.value[k][2] > 0.045); // never through the floor
}

static void a_chain_of_beads_lands(void **state) {
  static rows r;
  fly_hot_contact hot;
  const fly_ledger l = run_file(&r, 3, FLY_TEST_SOURCE_DIR "/examples/large/bead-chain.yaml", "outputs", &hot);
  assert_true(l.worst < 1e-3 * l.moved && l.contact_heat > 0.5 * l.start_kinetic);
  assert_true(r.value[0][1] > 0.12 && r.value[r.count - 1][1] < 0.03); // the last one is down too
  for (int k = 0; k < r.count; k++)
    assert_true(r.value[k][1] > 0.004 && r.value[k][2] > 0.004); // and none went through the plate
}

// Pads of neighbouring links lie flush, end beside end: the corrector takes that lightly. The first second, in which
// the sprocket begins to turn.
static void a_track_begins_to_roll(void **state) {
  simulation s = {.options = fly_run_options_default()};
  s.options.calibrate = s.options.estimate_error = "no";
  s.options.method.name = "ch";
  s.options.error = 1e-4;
  s.options.error_per = "step";
  s.options.end = 1;
  simulate_file(&s, FLY_TEST_SOURCE_DIR "/examples/large/track.yaml");
  assert_true(s.status == FLY_OK);
  const fly_stats stats = fly_run_stats(s.run);
  const fly_ledger l = fly_run_ledger(s.run);
  assert_true(l.worst < 3e-3 * l.moved && l.kinetic > 900);
  assert_in_range(stats.steps, 20, 200);
  assert_in_range(stats.rejected_newton, 0, 2);
  assert_in_range(stats.newton_iterations, 40, 600);
  simulation_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tippe_top_turns_over),           cmocka_unit_test(energy_is_never_made),
      cmocka_unit_test(a_geneva_wheel_turns_by_quarters), cmocka_unit_test(a_box_tumbles_down_steps),
      cmocka_unit_test(a_chain_of_beads_lands),           cmocka_unit_test(a_track_begins_to_roll)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
