// Outputs that depend on time, at rows that lie inside of steps and at their ends, by every way a run moves.
#include "analysis/driven.h"

static const char text[] =
    "flyball: 1\ngravity: [0, -9.81, 0]\n"
    "bodies:\n  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "%s"
    "outputs: {clock: time, wave: \"sin(3*time) + 0*dx(rod)\", felt: \"2*time*(1 + accx(rod) - accx(rod))\"}\n";

static void time_in_outputs(void **state) {
  for (int way = 0; way < 3; way++) {
    char full[2000];
    driven d = driven_default(way == 0 ? FLY_DYNAMICS : way == 1 ? FLY_KINEMATICS : FLY_INVERSE, 2, 0.013);
    snprintf(full, sizeof full, text, way ? "motions:\n  drive: {joint: pin, angle: 2*time^2}\n" : "");
    drive(&d, full, "clock wave felt");
    assert_ok(d.status, &d.error);
    assert_true(d.rows > 100);
    for (long i = 0; i < d.rows; i++) {
      const double *row = row_of(&d, i);
      assert_close(row[1], row[0], 1e-12);
      assert_close(row[2], sin(3 * row[0]), 1e-12);
      assert_close(row[3], 2 * row[0], 1e-9);
    }
    driven_free(&d);
  }
}

// 80 intervals have 81 rows, also where 80 of them are a rounding less than the end.
static void the_end_is_given_once(void **state) {
  char full[2000];
  const double end = 7.00504418007377;
  driven d = driven_default(FLY_DYNAMICS, end, end / 80);
  snprintf(full, sizeof full, text, "");
  drive(&d, full, "clock");
  assert_ok(d.status, &d.error);
  assert_int_equal(d.rows, 81);
  assert_close(row_of(&d, 80)[0], end, 0);
  driven_free(&d);
}

// Rows that are farther apart than the run is long: the last is that of its end, not of a second before.
static void the_last_row_is_of_the_end(void **state) {
  char full[2000];
  driven d = driven_default(FLY_DYNAMICS, 7, 1e9);
  snprintf(full, sizeof full, text, "");
  drive(&d, full, "clock wave");
  assert_ok(d.status, &d.error);
  assert_int_equal(d.rows, 2);
  assert_close(row_of(&d, 1)[1], 7, 0);
  assert_close(row_of(&d, 1)[2], sin(21), 1e-12);
  driven_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(time_in_outputs), cmocka_unit_test(the_end_is_given_once),
                                     cmocka_unit_test(the_last_row_is_of_the_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
