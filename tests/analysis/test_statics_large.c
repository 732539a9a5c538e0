// Equilibrium of large models, which only sparse matrices make possible.
// timeout: 60
#define _POSIX_C_SOURCE 200809L
#include "analysis/rest.h"

static void chain_of_a_thousand(void **state) {
  rest r = find_example("hanging-chain", "newton", "n=1000");
  assert_found(&r, FLY_POISE_UNKNOWN);
  check_chain(&r, 1000, 1e-10);
  assert_true(r.at->iterations < 30);
  done(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chain_of_a_thousand)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
