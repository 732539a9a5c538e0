// Noise that is the same wherever and whenever it is asked for: a number for every whole place, from a counter.
#ifndef FLY_MATH_NOISE_H
#define FLY_MATH_NOISE_H

#include <stdint.h>

#define FLY_NOISE_MOST 3.4641016151377544 // 2 sqrt(3): no sample is larger

// The sample at a whole number: mean 0, variance 1, independent of all others. Four numbers of 16 bits, each uniform,
// are added (their sum is close to normal), out of the finalizer of SplitMix64 (Steele, Lea, Flood 2014) of place and
// seed. Whole arithmetic: the same bits everywhere.
double fly_noise_sample(uint64_t seed, double place);

// Value and three derivatives of the curve through the samples: between two of them the cubic with their values and, at
// each, the slope from the sample before to that behind it (Catmull and Rom 1974). y' is continuous.
void fly_noise_evaluate(double out[4], uint64_t seed, double x);

#endif
