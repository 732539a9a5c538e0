// Many closed forms of closed_forms.h by five methods, loosely and tightly; FLY_TEST_VERBOSE=1 prints the table,
// FLY_FORMS=200 takes more of them.
//
// labels: slow
// timeout: 900
#include "closed_forms.h"

enum { FORMS = 50 };

static void many_forms(void **state) {
  const double asked[] = {1e-4, 1e-8};
  const char *more = getenv("FLY_FORMS");
  const int forms = more ? atoi(more) : FORMS;
  int bad = 0;
  for (int e = 0; e < 2; e++) {
    uint64_t seed = 17;
    double worst[FEATURE_METHODS] = {0};
    long steps[FEATURE_METHODS] = {0};
    for (int k = 0; k < forms; k++) {
      const featured p = random_featured(&seed);
      double truth[FEATURE_ROWS][2] = {{0}};
      featured_judge(&p, truth);
      for (int w = 0; w < FEATURE_METHODS; w++) {
        const feature_verdict v = featured_run(&p, feature_methods[w], asked[e], truth);
        const bool kept = v.status == FLY_OK ? v.wrong <= 10 : v.status == FLY_NOT_KEPT && v.wrong > 3;
        bad += !kept;
        steps[w] += v.stats.steps;
        worst[w] = v.status == FLY_OK ? fmax(worst[w], v.wrong) : worst[w];
        if (!kept)
          say("form %d by %s at %g: %g, %ld steps, %s\n%s", k, feature_methods[w], asked[e], v.wrong, v.stats.steps,
              v.error.message, p.text);
      }
    }
    for (int w = 0; w < FEATURE_METHODS; w++)
      say("%-10s error %g: worst %.2f x, %ld steps\n", feature_methods[w], asked[e], worst[w], steps[w]);
  }
  assert_int_equal(bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(many_forms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
