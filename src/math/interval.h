// Intervals of real numbers: every function returns an interval that holds all values its arguments can give, rounding
// errors included. Pure functions. An interval that nothing is known about is fly_entire. Where a function is not
// defined on a part of its argument, the rest counts.
#ifndef FLY_MATH_INTERVAL_H
#define FLY_MATH_INTERVAL_H

#include <stdbool.h>

typedef struct fly_interval {
  double lo, hi;
} fly_interval;

extern const fly_interval fly_entire;

fly_interval fly_between(double a, double b); // in either order; NaN: entire
fly_interval fly_exactly(double a);
fly_interval fly_hull(fly_interval a, fly_interval b);
fly_interval fly_meet(fly_interval a, fly_interval b); // what both hold; a where they hold nothing in common
bool fly_holds(fly_interval a, double x);
double fly_magnitude(fly_interval a); // the largest |x|
double fly_width(fly_interval a);

fly_interval fly_interval_add(fly_interval a, fly_interval b);
fly_interval fly_interval_subtract(fly_interval a, fly_interval b);
fly_interval fly_interval_multiply(fly_interval a, fly_interval b); // 0 times anything is 0
fly_interval fly_interval_divide(fly_interval a, fly_interval b);
fly_interval fly_interval_scale(fly_interval a, double factor);
fly_interval fly_interval_negate(fly_interval a);
fly_interval fly_interval_square(fly_interval a);
fly_interval fly_interval_power(fly_interval a, double exponent);
fly_interval fly_interval_sin(fly_interval a);
fly_interval fly_interval_cos(fly_interval a);
// Of a function that grows (falls) all the way, by its ends.
fly_interval fly_interval_monotone(double (*f)(double), fly_interval a);

#endif
