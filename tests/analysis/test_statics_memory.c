// Every allocation of a search for equilibrium may fail: it says so, and leaks nothing.
// labels: valgrind blas
// timeout: 60
#define _POSIX_C_SOURCE 200809L
#include "base/allocations.h"

#include "analysis/rest.h"

static const char text[] = "flyball: 1\ngravity: [0, 0, -9.81]\n"
                           "bodies: {box: {mass: 2, inertia: [0.1, 0.2, 0.3], markers: {ear: [0.3, 0.2, 0.1]}}}\n"
                           "joints: {pin: {type: spherical, bodies: [ground, box], at: [0, 0, 0]}}\n"
                           "forces:\n"
                           "  coil: {type: bushing, from: ground, to: box, stiffness: [0, 0, 0, 9, 8, 7]}\n"
                           "  pull: {type: force, at: box.ear, force: [5, -9, 4]}\n";

static fly_status rest_in(const fly_mechanism *m, const char *by, fly_error *error) {
  fly_run *run = NULL;
  fly_run_options o = fly_run_options_default();
  o.end = 1;
  fly_status status = fly_run_create(&run, m, &o, error);
  if (status == FLY_OK)
    status = fly_run_rest(run, by, error);
  fly_run_free(run);
  return status;
}

static void every_allocation_may_fail(void **state) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  assert_ok(fly_mechanism_parse(&m, "model", text, strlen(text), 0, NULL, &error), &error);
  for (int k = 0; k < 3; k++) {
    long failures = 0;
    for (long n = 1;; n++) {
      fly_error why = {0};
      allocations_reset(n);
      fly_status status = rest_in(m, WAYS[k], &why);
      if (the_allocations.count < n) {
        assert_ok(status, &why);
        break;
      }
      assert_int_equal(status, FLY_NO_MEMORY);
      if (!strstr(why.message, "emory"))
        fail_msg("allocation %ld: %s", n, why.message);
      failures++;
    }
    allocations_reset(0);
    assert_true(failures > 100);
  }
  fly_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
