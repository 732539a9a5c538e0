// Every allocation of a model with states, variables and wheels may fail: it says so, and leaks nothing.
// labels: valgrind blas
// timeout: 60
#define _POSIX_C_SOURCE 200809L
#include "base/allocations.h"

#include "analysis/rest.h"

// Variables that are put in, that are in a loop; a state, an input; what rolls.
#define SIGNALS                                                                                                        \
  "inputs: {goal: 1}\nheld: {gear: 2}\nstates: {x: {rate: gear*(goal - x) - pull}}\n"                                  \
  "variables: {pull: 0.1*other, other: 0.2*dx(box) + 0.3*pull + twice, twice: 2*plain, plain: x}\n"
static const char rests[] = "flyball: 1\ngravity: [0, 0, -9.81]\n"
                            "bodies: {box: {mass: 2, inertia: [0.1, 0.2, 0.3]}}\n"
                            "joints: {pin: {type: spherical, bodies: [ground, box], at: [0, 0, 1]}}\n" SIGNALS
                            "forces: {push: {type: force, at: box, force: [pull, plain, 0]}}\n";
static const char rolls[] =
    "flyball: 1\ngravity: [0, 0, -9.81]\n"
    "bodies: {box: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 0, 0.5], orientation: {axis: "
    "[1, 0, 0], angle: 1}}}\n"
    "joints: {j: {type: rolling, from: ground, to: box, radius: 0.5}}\n" SIGNALS
    "forces: {push: {type: force, at: box, force: [pull, plain, 0]}}\n";

static fly_status go(fly_run *run, bool rests_first, fly_error *error) {
  fly_status status = rests_first ? fly_run_rest(run, "newton", error) : fly_run_start(run, error);
  return status == FLY_OK && !rests_first ? fly_run_go(run, error) : status;
}

static fly_status try(const char *text, bool rests_first, fly_error *error) {
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  fly_run_options o = fly_run_options_default();
  o.end = 0.02;
  o.step = 0.01;
  o.estimate_error = "no";
  fly_status status = fly_mechanism_parse(&m, "model", text, strlen(text), 0, NULL, error);
  if (status == FLY_OK)
    status = fly_run_create(&run, m, &o, error);
  if (status == FLY_OK)
    status = go(run, rests_first, error);
  fly_run_free(run);
  fly_mechanism_free(m);
  return status;
}

static void check(const char *text, bool rests_first) {
  long failures = 0;
  for (long n = 1;; n++) {
    fly_error why = {0};
    allocations_reset(n);
    const fly_status status = try(text, rests_first, &why);
    if (the_allocations.count < n) {
      assert_ok(status, &why);
      break;
    }
    if (status != FLY_NO_MEMORY || !strstr(why.message, "emory"))
      fail_msg("allocation %ld: %s", n, why.message);
    failures++;
  }
  allocations_reset(0);
  assert_true(failures > 100);
}

static void every_allocation_of_a_rest_may_fail(void **state) { check(rests, true); }
static void every_allocation_of_a_run_may_fail(void **state) { check(rolls, false); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_a_rest_may_fail),
                                     cmocka_unit_test(every_allocation_of_a_run_may_fail)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
