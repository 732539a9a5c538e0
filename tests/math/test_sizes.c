// Sizes of vectors, few numbers and many, against the plainest way; and what is not finite among them, wherever it is.
#include "base/check.h"

#include <math.h>

#include "math/sizes.h"

enum { MOST = 40 };

static void fill(double *x, int n, double least, uint64_t *seed) {
  for (int i = 0; i < n; i++)
    x[i] = least + random_double(seed);
}

static void sizes_are_the_largest(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (int n = 0; n <= MOST; n++) {
    double x[MOST], y[MOST], unit[MOST], plain = 0, over = 0, times = 0, apart = 0;
    fill(x, n, 0, &seed);
    fill(y, n, 0, &seed);
    fill(unit, n, 2, &seed);
    for (int i = 0; i < n; i++) {
      plain = fmax(plain, fabs(x[i]));
      over = fmax(over, fabs(x[i]) / unit[i]);
      times = fmax(times, fabs(x[i]) * unit[i]);
      apart = fmax(apart, fabs(x[i] - y[i]) * unit[i]);
    }
    assert_true(fly_all_finite(x, n));
    assert_true(fly_largest(x, n) == plain);
    assert_true(fly_largest_over(x, unit, n) == over);
    assert_true(fly_largest_times(x, unit, n) == times);
    assert_true(fly_largest_apart(x, y, unit, n) == apart);
  }
}

static void what_is_not_finite_is_seen(void **state) {
  (void)state;
  uint64_t seed = 4;
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (int n = 1; n <= MOST; n++)
    for (int at = 0; at < n; at++)
      for (int k = 0; k < 3; k++) {
        double x[MOST], unit[MOST];
        fill(x, n, 0, &seed);
        fill(unit, n, 2, &seed);
        x[at] = bad[k];
        assert_false(fly_all_finite(x, n));
        assert_true(fly_largest(x, n) == (double)INFINITY);
        const double over = fly_largest_over(x, unit, n), times = fly_largest_times(x, unit, n);
        assert_true(k == 0 ? isnan(over) : over == (double)INFINITY);
        assert_true(k == 0 ? times < 4 : times == (double)INFINITY);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_are_the_largest),
      cmocka_unit_test(what_is_not_finite_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
