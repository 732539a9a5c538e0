// C17 has no monotone clock, so this is POSIX.
#define _POSIX_C_SOURCE 199309L

#include "base/clock.h"

#include <time.h>

double fly_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
