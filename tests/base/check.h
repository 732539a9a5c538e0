// What the tests of all rooms share: comparing doubles, and random numbers that are the same everywhere.
// FLY_SHOW_RESIDUALS=1 in the environment prints every comparison, to see how honest the tolerances are.
#ifndef FLY_TESTS_CHECK_H
#define FLY_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// |a - b| <= tolerance; false for NaN.
#define assert_near(a, b, tolerance) check_near(a, b, tolerance, #a, __FILE__, __LINE__)

static inline void check_near(double a, double b, double tolerance, const char *what, const char *file, int line) {
  double difference = fabs(a - b);
  if (getenv("FLY_SHOW_RESIDUALS") != NULL)
    printf("%s:%d: %-40s off by %9.2e of %9.2e\n", file, line, what, difference, tolerance);
  if (!(difference <= tolerance)) {
    print_error("%s = %.17g, not %.17g: off by %g, allowed %g\n", what, a, b, difference, tolerance);
    _fail(file, line);
  }
}

// Uniform in (-1, 1), by Knuth's linear congruence.
static inline double random_double(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

static inline double uniform(uint64_t *seed, double lo, double hi) {
  return lo + (hi - lo) * (random_double(seed) + 1) / 2;
}

// Uniform in 0 .. n-1.
static inline int random_int(uint64_t *seed, int n) { return (int)((random_double(seed) + 1) / 2 * n) % n; }

#endif
