// A kind of model file of one's own: tests/elements/masses.c, as docs/adding-a-reader.md tells, and one row.
//
// formats: masses
#include "analysis/driven.h"

static const char pendulum[] =
    "# masses\ngravity 0 0 -9.81\nmass anchor 1e9 0 0 0 # hardly moves\nmass bob 1 0.1 0 -1\n"
    "rod anchor bob\n";

// The same model in the model language runs to the same bits.
static void it_runs(void **state) {
  static const char yaml[] =
      "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  anchor: {type: point, mass: 1e9}\n  bob: {type: point, mass: 1, position: [0.1, 0, -1]}\n"
      "joints:\n  anchor_bob: {type: distance, from: anchor, to: bob}\n";
  driven mine = driven_default(FLY_DYNAMICS, 1, 0.1), other = driven_default(FLY_DYNAMICS, 1, 0.1);
  drive(&mine, pendulum, "bob.x bob.z anchor_bob.fx");
  drive(&other, yaml, "bob.x bob.z anchor_bob.fx");
  assert_ok(mine.status, &mine.error);
  assert_ok(other.status, &other.error);
  assert_int_equal(mine.rows, other.rows);
  assert_memory_equal(mine.data, other.data, (size_t)mine.rows * 4 * sizeof *mine.data);
  driven_free(&mine);
  driven_free(&other);
}

static void refused(const char *lines, const char *says) {
  char text[1000];
  driven d = driven_default(FLY_DYNAMICS, 1, 0.1);
  snprintf(text, sizeof text, "# masses\n%s", lines);
  drive(&d, text, "");
  assert_int_equal(d.status, FLY_BAD_INPUT);
  assert_says(&d.error, says);
  driven_free(&d);
}

static void faults_have_places(void **state) {
  refused("mass a 1 2 3 4\nmas b 1 2 3 4\n", "test:3:1: 'mas' is none of gravity, mass and rod.\n    mas b 1 2 3 4\n");
  refused("mass a 1 2 x 4\nmass b 1 2 3\n", "test:2:12: 'x' is no number.");
  refused("mass a 1 2 x 4\nmass b 1 2 3\n", "test:3:1: 'mass' takes 4 numbers, and has 3."); // both are told
  refused("mass a 1 0 0 0\nmass a 2 0 0 0\n", "test:3:1: ");
  refused("mass a 1 0 0 0\nrod a z\n", "test:3:1: distance `a_z`: ");
  refused("# nothing\n", "neither bodies nor states");
}

static void its_file_is_known_by_its_name(void **state) {
  const char *path = "own_reader.masses";
  fly_error error = {0};
  fly_mechanism *m = NULL;
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(pendulum + 9, file); // without the line that tells
  fclose(file);
  assert_ok(fly_mechanism_load(&m, path, 0, NULL, &error), &error);
  fly_mechanism_free(m);
  const char *set = "r=2";
  assert_int_equal(fly_mechanism_load(&m, path, 1, &set, &error), FLY_BAD_INPUT);
  assert_says(&error, "a list of masses has no parameters");
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_runs), cmocka_unit_test(faults_have_places),
                                     cmocka_unit_test(its_file_is_known_by_its_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
