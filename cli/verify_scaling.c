// Scaling of time and memory with the size: a chain of point masses.
#include <math.h>
#include <string.h>

#include "verify.h"

enum { SIZES = 5, STEPS = 50 };

// A line "VmHWM:   1234 kB" of /proc/self/status in bytes; NAN where there is none.
static double read_memory(const char *key) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[200];
  double kilobytes = NAN;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), " %lf", &kilobytes) == 1)
      break;
  if (file != NULL)
    fclose(file);
  return 1024 * kilobytes;
}

// glibc: gives memory that was freed back to the system. Elsewhere it is not there.
#if defined(__GNUC__)
int malloc_trim(size_t pad) __attribute__((weak));
#else
static int (*const malloc_trim)(size_t) = NULL;
#endif

// From here on the peak is counted anew (Linux).
static void reset_peak(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (malloc_trim)
    malloc_trim(0);
  if (file == NULL)
    return;
  fputs("5", file);
  fclose(file);
}

typedef struct measurement {
  verify_result r;
  double bytes; // above what was there before
} measurement;

static measurement measure(verify *v, int n, double h, int steps) {
  const verify_case c = {
      .problem = "chain", .n = n, .method = "ch 0.6", .formulation = FLY_GGL, .step = h, .end = steps * h};
  reset_peak();
  const double before = read_memory("VmRSS:");
  measurement m = {.r = verify_run(v, &c, false, NULL, NULL)};
  m.bytes = read_memory("VmHWM:") - before;
  for (int again = 0; again < 2 && n <= 10000; again++) // the fastest of three: other programs run as well
    m.r.stats.wall_s = fmin(m.r.stats.wall_s, verify_run(v, &c, false, NULL, NULL).stats.wall_s);
  return m;
}

static void put_measurement(verify *v, int n, double h, const measurement *m, double *seconds) {
  const fly_stats *t = &m->r.stats;
  const double steps = (double)t->steps, per = 1e6 / n;
  *seconds = m->r.status == FLY_OK ? t->wall_s / steps : HUGE_VAL;
  verify_row(v, "%d | %g | %ld | %.2f | %.3f | %.3g | %.3f | %.3f | %.1f | %.2f", n, h, t->steps,
             (double)t->newton_iterations / steps, (double)(t->factorizations + t->refactorizations) / steps, *seconds,
             *seconds * per, t->wall_s / (double)t->newton_iterations * per, m->bytes / 1e6, m->bytes / n / 1e3);
}

static const char *const head = "links | h [s] | steps | Newton it. per step | factorizations per step | s per step | "
                                "us per step and link | us per Newton it. and link | MB | kB per link";

static void check_linear(verify *v, int sizes) {
  double n[SIZES] = {0}, seconds[SIZES] = {0}, bytes[SIZES] = {0};
  verify_table_begin(v, head, "Steps that shrink with the links, h = 0.1 s/n.");
  for (int i = 0; i < sizes; i++) {
    n[i] = pow(10, i + 1);
    const measurement m = measure(v, (int)n[i], 0.1 / n[i], STEPS);
    put_measurement(v, (int)n[i], 0.1 / n[i], &m, &seconds[i]);
    bytes[i] = m.bytes;
  }
  verify_table_end(v);
  const int from = sizes - 3;
  verify_check(v, verify_slope(n + from, seconds + from, 3), AT_MOST, 1.1,
               "exponent of the time per step, %g to %g links", n[from], n[sizes - 1]);
  if (isfinite(bytes[sizes - 1]))
    verify_check(v, verify_slope(n + sizes - 2, bytes + sizes - 2, 2), AT_MOST, 1.1,
                 "exponent of the memory, %g to %g links", n[sizes - 2], n[sizes - 1]);
  else
    verify_note(v, "The memory could not be read on this system.");
}

static void show_fixed(verify *v, int sizes) {
  verify_table_begin(v, head, "The same step, h = 1e-3 s, for all sizes.");
  for (int i = 0; i < sizes; i++) {
    const int n = (int)pow(10, i + 1);
    const measurement m = measure(v, n, 1e-3, 20);
    double seconds = 0;
    put_measurement(v, n, 1e-3, &m, &seconds);
  }
  verify_table_end(v);
  verify_say(v,
             "Here the work per step grows faster than the size, because the problem gets harder: a link of 1/n m then "
             "turns by more and more in one step, and Newton's iteration needs more corrections and matrices.");
}

void verify_scaling(verify *v) {
  const int sizes = v->quick ? SIZES - 1 : SIZES;
  verify_say(
      v, "n point masses on rigid links, 2 n coordinates and n constraints, CH(0.6) in GGL, fixed steps. Time is what "
         "the solver reports, memory the peak of the process above what it was before. `flyball problem chain --n N "
         "--step H`.");
  check_linear(v, sizes);
  show_fixed(v, sizes - 1);
}
