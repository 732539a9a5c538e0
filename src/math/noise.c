#include "math/noise.h"

#include <math.h>

// A bijection of 64 bits in which every bit of the result depends on every bit of the argument.
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

double fly_noise_sample(uint64_t seed, double place) {
  const double wrapped = fmod(place, 9007199254740992.0); // 2^53: whole numbers end there
  const uint64_t counter = (uint64_t)(int64_t)wrapped;
  const uint64_t bits = mix(mix(seed + UINT64_C(0x9E3779B97F4A7C15)) + UINT64_C(0x9E3779B97F4A7C15) * (counter + 1));
  int sum = 0;
  for (int k = 0; k < 4; k++)
    sum += (int)(bits >> (16 * k) & 0xFFFF);
  return (sum - 2 * 65535) * (FLY_NOISE_MOST / (2 * 65535));
}

void fly_noise_evaluate(double out[4], uint64_t seed, double x) {
  const double i = floor(x), u = x - i;
  double y[4];
  for (int k = 0; k < 4; k++)
    y[k] = fly_noise_sample(seed, i - 1 + k);
  const double a = (y[2] - y[0]) / 2, b = (y[3] - y[1]) / 2, m = y[2] - y[1];
  const double c = 3 * m - 2 * a - b, d = a + b - 2 * m; // y + u (a + u (c + u d))
  out[0] = y[1] + u * (a + u * (c + u * d));
  out[1] = a + u * (2 * c + u * 3 * d);
  out[2] = 2 * c + 6 * d * u;
  out[3] = 6 * d;
}
