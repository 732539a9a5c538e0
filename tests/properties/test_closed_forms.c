// Narrow features of closed forms of time: none is missed, none makes a run fail. test_closed_forms_slow.c takes more
// of them.
#include "closed_forms.h"

static void no_feature_is_missed(void **state) {
  uint64_t seed = 2027;
  for (int k = 0; k < 10; k++) {
    const featured p = random_featured(&seed);
    double truth[FEATURE_ROWS][2] = {{0}};
    featured_judge(&p, truth);
    for (int w = 0; w < 3; w++) {
      const feature_verdict v = featured_run(&p, feature_methods[w], 1e-6, truth);
      if (v.status != FLY_OK || v.wrong > 10)
        fail_msg("form %d by %s: %g times the error asked for, %s\n%s", k, feature_methods[w], v.wrong, v.error.message,
                 p.text);
    }
  }
}

// A break as the run ends; a hundred thousand a second that say nothing; two whose places rounding errors blur.
static void ends_crowds_and_blurs(void **state) {
  const char *const form[] = {"floor(time + 1e-6) - floor(time)", "if(round(1e5*time)/1e5 == 3.333, 1e4, 0)",
                              "if(time*time - 8*time + 16 < 1e-10, 1e5, 0)",
                              "if(sin(time/2.5) > 0.99999999999, 1e4, 0)"};
  const double blow[] = {1e-5, 0.1, 2, 2e4 * 2.5 * 4.472135955e-6}, at[] = {0, 3.333, 4, 2.5 * 1.5707963267948966};
  for (int k = 0; k < 4; k++)
    for (int w = 0; w < FEATURE_METHODS; w++) {
      featured p = {.end = 10};
      snprintf(p.text, sizeof p.text,
               "flyball: 1\nbodies: {a: {type: point, mass: 1}}\n"
               "forces: {push: {type: force, at: a, force: [\"%s\", 0, 0]}}\noutputs: {x: dx(a), v: vx(a)}\n",
               form[k]);
      double truth[FEATURE_ROWS][2] = {{0}};
      for (int r = 0; r < FEATURE_ROWS; r++) {
        const double t = feature_row_time(&p, r);
        truth[r][0] = k == 0 ? 1e-6 * (t * floor(t) - floor(t) * (floor(t) + 1) / 2) : fmax(0, blow[k] * (t - at[k]));
        truth[r][1] = blow[k];
      }
      const feature_verdict v = featured_run(&p, feature_methods[w], k < 2 ? 1e-6 : 1e-4, truth);
      if (v.status != FLY_OK || v.wrong > 10 || v.stats.steps > 2000)
        fail_msg("%s by %s: %g, %ld steps, %s", form[k], feature_methods[w], v.wrong, v.stats.steps, v.error.message);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_feature_is_missed), cmocka_unit_test(ends_crowds_and_blurs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
