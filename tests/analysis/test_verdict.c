// Energy that comes from nothing at contacts is in the verdict, whatever two runs agree on.
#include <string.h>

#include "analysis/verdict.h"
#include "base/check.h"

static fly_verdict of_contact(double imbalance) {
  const fly_run_settings settings = {.dae = fly_dae_options_default()};
  const fly_verdict_case c = {
      .settings = &settings, .touches = true, .ledger = {.worst = imbalance, .moved = 2}, .message = ""};
  return fly_verdict_find(&c);
}

static void contacts_that_make_energy_are_told(void **state) {
  assert_non_null(strstr(of_contact(0.1).sentence, "the energy ledger is open by 5.0e-02"));
  assert_null(strstr(of_contact(0.01).sentence, "ledger"));
  assert_null(strstr(of_contact(NAN).sentence, "ledger"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_that_make_energy_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
