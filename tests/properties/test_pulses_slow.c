// Many models of pulses.h by every method; FLY_TEST_VERBOSE=1 prints the table, FLY_PULSES=200 takes more of them.
// labels: slow
// timeout: 900
#include "pulses.h"

enum { MODELS = 120 };

typedef struct tally {
  int ok, refused, wrong; // refused: though it is right; wrong: called right, and more than ten times off
  double worst, sum_log;
  long steps;
} tally;

static void note(tally *t, const verdict *v) {
  t->ok += v->status == FLY_OK;
  t->refused += v->status != FLY_OK && !(v->status == FLY_NOT_KEPT && v->wrong > 3);
  t->wrong += v->status == FLY_OK && v->wrong > 10;
  t->steps += v->stats.steps;
  if (v->status == FLY_OK)
    t->worst = fmax(t->worst, v->wrong);
}

static void many_models(void **state) {
  const double asked[] = {1e-4};
  const char *more = getenv("FLY_PULSES");
  const int models = more ? atoi(more) : MODELS;
  int wrong = 0, refused = 0;
  for (size_t e = 0; e < sizeof asked / sizeof *asked; e++) {
    uint64_t seed = 10;
    tally all[PULSE_WAYS] = {{0}};
    for (int k = 0; k < models; k++) {
      const pulsed p = random_model(&seed);
      double truth[PULSE_ROWS][2] = {{0}};
      judge(&p, truth);
      for (int w = 0; w < PULSE_WAYS; w++) {
        const verdict v = try_method(&p, pulse_ways[w].method, pulse_ways[w].formulation, asked[e], truth);
        note(&all[w], &v);
        if (v.status != FLY_OK || v.wrong > 10)
          say("model %d (%d, %d signals) by %s %s at %g: %g, %s\n", k, (int)p.kind, p.nsignal, pulse_ways[w].method,
              pulse_ways[w].formulation, asked[e], v.wrong, v.error.message);
      }
    }
    for (int w = 0; w < PULSE_WAYS; w++) {
      say("%-10s %-7s error %g: %d ok, %d refused, %d wrong, worst %.2f x, %ld steps\n", pulse_ways[w].method,
          pulse_ways[w].formulation, asked[e], all[w].ok, all[w].refused, all[w].wrong, all[w].worst, all[w].steps);
      wrong += all[w].wrong;
      refused += all[w].refused;
    }
  }
  assert_int_equal(wrong, 0);
  assert_in_range(refused, 0, models * PULSE_WAYS / 200); // estimates of 1.6 times the truth, near what is allowed
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(many_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
