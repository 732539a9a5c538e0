// What the programs of bench/peers share: each solves cases of flyball bench with one other library, at its best
// setting, and prints what flyball bench --json prints.
#ifndef FLYBALL_BENCH_PEER_H
#define FLYBALL_BENCH_PEER_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PEER_REPEATS = 3 };

static inline double peer_processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// One setting of a library: what it gave.
typedef struct peer_point {
  char setting[80];
  double error, seconds; // as flyball bench measures them
  long steps;
} peer_point;

// Keeps the faster of two that are precise enough.
static inline void peer_take(peer_point *best, const peer_point *p, double precision) {
  if (p->error <= precision && (best->setting[0] == 0 || p->seconds < best->seconds))
    *best = *p;
}

// One element of the list of results; nothing was precise enough: null.
static inline void peer_print(const char *name, const char *peer, double precision, const char *unit,
                              const peer_point *best, bool last) {
  printf("  {\"case\": \"%s\", \"method\": \"%s\", \"precision\": %g, \"unit\": \"%s\", ", name, peer, precision, unit);
  if (best->setting[0])
    printf("\"setting\": \"%s\", \"error\": %.3g, \"seconds\": %.6g, \"steps\": %ld}%s\n", best->setting, best->error,
           best->seconds, best->steps, last ? "" : ",");
  else
    printf("\"setting\": null, \"error\": null, \"seconds\": null, \"steps\": null}%s\n", last ? "" : ",");
}

#endif
