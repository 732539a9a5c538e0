// What the search for boxes that overlap costs: flyball-near [COUNT]. Spheres of one size, or of sizes from 1 to 30,
// thrown into a room that grows with them, so that each has some neighbours. Without COUNT: 1e3 to 1e5 boxes, the
// smallest time of five, and the exponent over the largest decade and over all.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "math/grid.h"

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double drawn(unsigned long *state) {
  *state = *state * 6364136223846793005UL + 1442695040888963407UL;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static void count(int i, int k, void *user) {
  (void)i, (void)k;
  ++*(long *)user;
}

// Seconds of one search; *pairs: so many were found.
static double measure(int n, int mixed, int rounds, long *pairs) {
  fly_box *box = calloc((size_t)n, sizeof *box);
  const int slots = fly_grid_slots(n);
  fly_grid g = {slots, calloc((size_t)slots + 1, sizeof(int)), calloc((size_t)n, sizeof(fly_grid_entry))};
  unsigned long state = 1;
  double best = INFINITY;
  const double room = 2.5 * cbrt(n) * (mixed ? 4 : 1);
  if (!box || !g.first || !g.entry)
    exit(2);
  for (int k = 0; k < n; k++) {
    const double r = mixed ? pow(30, drawn(&state) * drawn(&state)) : 1.0;
    for (int c = 0; c < 3; c++) {
      const double x = room * drawn(&state);
      box[k].lo[c] = x - r;
      box[k].hi[c] = x + r;
    }
  }
  for (int k = 0; k < rounds; k++) {
    const double from = processor_time();
    *pairs = 0;
    fly_grid_pairs(&g, box, n, count, pairs);
    best = fmin(best, processor_time() - from);
  }
  free(box);
  free(g.first);
  free(g.entry);
  return best;
}

int main(int argc, char **argv) {
  static const int counts[] = {1000, 3000, 10000, 30000, 100000};
  enum { N = sizeof counts / sizeof *counts };
  long pairs;
  if (argc > 1) { // one search, for those who count instructions
    (void)measure(atoi(argv[1]), 0, 1, &pairs);
    printf("%ld pairs\n", pairs);
    return 0;
  }
  for (int mixed = 0; mixed < 2; mixed++) {
    double seconds[N];
    for (int k = 0; k < N; k++) {
      seconds[k] = measure(counts[k], mixed, 5, &pairs);
      printf("%s %6d boxes %8ld pairs %.3e s\n", mixed ? "mixed sizes" : "one size", counts[k], pairs, seconds[k]);
    }
    printf("exponent %.3f from 1e4 on, %.3f over all\n", log10(seconds[N - 1] / seconds[2]),
           log10(seconds[N - 1] / seconds[0]) / 2);
  }
  return 0;
}
