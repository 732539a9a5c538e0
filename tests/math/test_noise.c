// Noise: the same bits everywhere, mean, variance, independence of places and seeds, and the spectrum of its curve.
#include "base/check.h"

#include <math.h>

#include "math/noise.h"
#include "support/motion.h"

static void samples_are_these(void **state) {
  static const int sums[][2] = {{153944, 179014}, {122528, 83266}, {167376, 115400}, {115192, 168472}};
  for (int k = 0; k < 4; k++) {
    assert_true(fly_noise_sample(1, k - 1) == (sums[k][0] - 2 * 65535) * (FLY_NOISE_MOST / (2 * 65535)));
    assert_true(fly_noise_sample(2, k - 1) == (sums[k][1] - 2 * 65535) * (FLY_NOISE_MOST / (2 * 65535)));
  }
}

// Within five standard deviations of what chance does.
static void moments(void **state) {
  enum { N = 200000 };
  for (uint64_t seed = 0; seed < 5; seed++) {
    double sum = 0, square = 0, next = 0, far = 0, other = 0, fourth = 0, most = 0;
    for (int k = 0; k < N; k++) {
      const double y = fly_noise_sample(seed, k);
      sum += y;
      square += y * y;
      fourth += y * y * y * y;
      next += y * fly_noise_sample(seed, k + 1);
      far += y * fly_noise_sample(seed, k + 1000);
      other += y * fly_noise_sample(seed + 1, k);
      most = fmax(most, fabs(y));
    }
    const double limit = 5 / sqrt(N);
    assert_close(sum / N, 0, limit);
    assert_close(square / N, 1, 2 * limit);
    assert_close(fourth / N, 2.7, 8 * limit); // 3 - 6/(5 n) of n uniform numbers
    assert_close(next / N, 0, limit);
    assert_close(far / N, 0, limit);
    assert_close(other / N, 0, limit);
    assert_true(most <= FLY_NOISE_MOST && most > 3);
  }
}

static void curves_are_smooth(void **state) {
  for (int k = -20; k < 20; k++) {
    double below[4], at[4], above[4];
    fly_noise_evaluate(below, 9, nextafter(k, -100));
    fly_noise_evaluate(at, 9, k);
    fly_noise_evaluate(above, 9, k + 0.3);
    assert_close(at[0], fly_noise_sample(9, k), 0);
    assert_close(below[0], at[0], 1e-12);
    assert_close(below[1], at[1], 1e-12);
    assert_close(above[0], at[0] + 0.3 * at[1] + 0.045 * at[2] + 0.0045 * at[3], 1e-13);
  }
}

// The share of a sine of frequency f (in turns a sample) in the curve: |H|^2 with Keys' transform of the cubic kernel.
static double transfer(double f) {
  const double pi = 3.14159265358979323846, p = pi * f, p2 = 2 * p, p4 = 4 * p;
  const double s1 = sin(p) / p, s2 = sin(p2) / p2, s4 = sin(p4) / p4;
  return 3 / (p * p) * (s1 * s1 - s2) - 1 / (p * p) * (3 * s2 * s2 - 2 * s2 - s4);
}

// Averaged periodograms of many stretches.
static void the_spectrum(void **state) {
  enum { CELLS = 64, FINE = 8, MANY = 600 };
  const double pi = 3.14159265358979323846;
  for (int bin = 4; bin <= 44; bin += 8) {
    double power = 0;
    for (int m = 0; m < MANY; m++) {
      double re = 0, im = 0;
      for (int k = 0; k < CELLS * FINE; k++) {
        double y[4];
        const double x = m * CELLS + (double)k / FINE, angle = 2 * pi * bin * k / (CELLS * FINE);
        const double window = sin(pi * k / (CELLS * FINE)); // against leakage
        fly_noise_evaluate(y, 77, x);
        re += window * y[0] * cos(angle) / FINE;
        im += window * y[0] * sin(angle) / FINE;
      }
      power += (re * re + im * im) / (CELLS / 2.0) / MANY;
    }
    const double f = (double)bin / CELLS, expected = transfer(f) * transfer(f);
    assert_close(power, expected, 0.2 * expected + 0.01);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_are_these),
      cmocka_unit_test(moments),
      cmocka_unit_test(curves_are_smooth),
      cmocka_unit_test(the_spectrum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
