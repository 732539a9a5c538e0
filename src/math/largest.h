// The largest of some sizes, where one that is not a number is never lost among those that are.
#ifndef FLY_MATH_LARGEST_H
#define FLY_MATH_LARGEST_H

// The larger one, NaN if one of them is: comparisons with NaN are false, so the test is written as "is not a number, or
// larger", and a NaN that was found stays. fmax drops it, and is a call.
static inline double fly_larger(double found, double next) { return next > found || next != next ? next : found; }

#endif
