// C17 has no monotone clock, so this is POSIX.
#define _GNU_SOURCE // CLOCK_MONOTONIC_COARSE, where there is one

#include "base/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double fly_clock(void) { return seconds_of(CLOCK_MONOTONIC); }

// Linux has one that costs a tenth.
double fly_clock_coarse(void) {
#ifdef CLOCK_MONOTONIC_COARSE
  return seconds_of(CLOCK_MONOTONIC_COARSE);
#else
  return seconds_of(CLOCK_MONOTONIC);
#endif
}
