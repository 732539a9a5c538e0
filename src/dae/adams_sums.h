// Loops over the components of an ODE: term by term over short stretches of them, which the compiler turns into
// instructions for several at once and which stay near the processor.
#ifndef FLY_DAE_ADAMS_SUMS_H
#define FLY_DAE_ADAMS_SUMS_H

enum { FLY_SUM_STRETCH = 64 };

static inline int fly_sum_count(int from, int n) { return n - from < FLY_SUM_STRETCH ? n - from : FLY_SUM_STRETCH; }

// out += a x
static inline void fly_sum_add(double *restrict out, double a, const double *restrict x, int n) {
  for (int c = 0; c < n; c++)
    out[c] += a * x[c];
}

#endif
