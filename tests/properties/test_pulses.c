// Short pulses, steps, tables and kinks at random times, by every method: none is passed over, and no result is wrong
// and called right. test_pulses_slow.c takes more models.
#include "pulses.h"

static void no_pulse_is_passed_over(void **state) {
  uint64_t seed = 2026;
  for (int k = 0; k < 24; k++) {
    const pulsed p = random_model(&seed);
    double truth[PULSE_ROWS][2] = {{0}};
    judge(&p, truth);
    for (int w = 0; w < PULSE_WAYS; w++) {
      const verdict v = try_method(&p, pulse_ways[w].method, pulse_ways[w].formulation, 1e-4, truth);
      if (v.status != FLY_OK || v.wrong > 10)
        fail_msg("model %d by %s %s: %g times the error asked for, %s\n%s", k, pulse_ways[w].method,
                 pulse_ways[w].formulation, v.wrong, v.error.message, p.text);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_pulse_is_passed_over)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
