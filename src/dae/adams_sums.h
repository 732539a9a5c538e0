// Loops over the components of an ODE: term by term over short stretches of them, which the compiler turns into
// instructions for several at once and which stay near the processor.
#ifndef FLY_DAE_ADAMS_SUMS_H
#define FLY_DAE_ADAMS_SUMS_H

#include <math.h>
#include <stdbool.h>

enum { FLY_SUM_STRETCH = 64 };

static inline int fly_sum_count(int from, int n) { return n - from < FLY_SUM_STRETCH ? n - from : FLY_SUM_STRETCH; }

// out += a x
static inline void fly_sum_add(double *restrict out, double a, const double *restrict x, int n) {
  for (int c = 0; c < n; c++)
    out[c] += a * x[c];
}

// The largest of |v_c| by_c and `least`; what is not a number is not seen.
static inline double fly_sum_largest(double least, const double *v, const double *by, int n) {
  double one = least, two = least;
  int c = 0;
  for (; c + 2 <= n; c += 2) {
    const double a = fabs(v[c]) * by[c], b = fabs(v[c + 1]) * by[c + 1];
    one = a > one ? a : one;
    two = b > two ? b : two;
  }
  if (c < n && fabs(v[c]) * by[c] > one)
    one = fabs(v[c]) * by[c];
  return one > two ? one : two;
}

#endif
