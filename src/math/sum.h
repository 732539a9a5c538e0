// Sums that lose nothing.
#ifndef FLY_MATH_SUM_H
#define FLY_MATH_SUM_H

// What a sum has lost by rounding, exactly: a + b = sum + what is returned (Knuth's TwoSum; docs/theory/newmark.md,
// N-low).
static inline double fly_rounded_off(double a, double b, double sum) {
  const double part = sum - a;
  return (a - (sum - part)) + (b - part);
}

#endif
