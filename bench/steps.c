// What a step of a model costs: flyball-steps MODEL.yaml (--step H | --error E) [--end T] [--formulation F] [--method
// M] [--out BASE] [--set P=V]... The method is ch if none is given, and runs by itself, without pilot runs unless
// --pilots asks for them. With
// --first it ends with its first step.
//
// Prints one JSON object. Times are processor time; that of a step is taken where no derivatives were evaluated and
// nothing was factorized, so with the matrix of the steps before; the smallest, because other programs run as well, and
// the median. A correction is the smallest such step over its corrections; what renewing the matrix costs (derivatives
// and refactorization with kept pivots), the smallest step that did it once without its corrections. No results are
// written, unless --out says where. first_s is the processor time from the start of the process (the shell, the loader)
// to the end of the first step.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "flyball/flyball.h"
#include "flyball/model.h"

enum { MOST_STEPS = 100000, MOST_SETS = 16 };

typedef struct bench {
  fly_run *run;
  bool only_first;   // step is taken
  double first;      // processor time at its end [s]
  double last;       // processor time at the end of the last step [s]
  fly_stats before;  // and what had been counted there
  long count;        // of the steps that kept their matrix
  long corrections;  // in them
  double *seconds;   // each (count)
  double correction; // the smallest time of one [s]; 0: none yet
  double renewed;    // of a step that renewed its matrix once [s], and
  long renewed_by;   // its corrections
} bench;

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool step_done(double t, double end, long steps, void *user) {
  bench *b = user;
  double now = processor_time();
  fly_stats s = fly_run_stats(b->run);
  (void)t, (void)end;
  if (b->first == 0)
    b->first = now;
  if (b->only_first)
    return false;
  bool kept = s.jacobians == b->before.jacobians && s.factorizations == b->before.factorizations &&
              s.refactorizations == b->before.refactorizations;
  const double seconds = now - b->last;
  const long corrections = s.newton_iterations - b->before.newton_iterations;
  if (kept && steps > 1 && b->count < MOST_STEPS) {
    b->seconds[b->count++] = seconds;
    b->corrections += corrections;
    if (corrections > 0 && (b->correction == 0 || seconds / (double)corrections < b->correction))
      b->correction = seconds / (double)corrections;
  }
  const bool once = s.factorizations == b->before.factorizations && s.jacobians == b->before.jacobians + 1 &&
                    s.refactorizations == b->before.refactorizations + 1;
  if (once && (b->renewed == 0 || seconds < b->renewed)) {
    b->renewed = seconds;
    b->renewed_by = corrections;
  }
  b->before = s;
  b->last = processor_time();
  return true;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int fail(const fly_error *error) {
  fprintf(stderr, "flyball-steps: %s\n", error->message);
  return 1;
}

static int print(bench *b, double load, double start) {
  fly_stats s = fly_run_stats(b->run);
  fly_mechanism_info i = fly_run_info(b->run);
  struct rusage use;
  if (b->only_first) {
    printf("{\"first_s\": %.6f, \"load_s\": %.6f, \"start_s\": %.6f}\n", b->first, load, start);
    return 0;
  }
  if (b->count == 0) {
    fprintf(stderr, "flyball-steps: no step kept its matrix\n");
    return 1;
  }
  getrusage(RUSAGE_SELF, &use);
  qsort(b->seconds, (size_t)b->count, sizeof *b->seconds, by_size);
  double scale = 1e6 / i.bodies;
  printf("{\"bodies\": %d, \"steps\": %ld, \"jacobians\": %ld, \"kept\": %ld, \"corrections\": %.3f, "
         "\"smallest_us\": %.4f, \"median_us\": %.4f, \"correction_us\": %.4f, \"renewing_us\": %.4f, \"load_s\": "
         "%.4f, \"start_s\": %.4f, \"bytes\": %.0f}\n",
         i.bodies, s.steps, s.jacobians, b->count, (double)b->corrections / (double)b->count, b->seconds[0] * scale,
         b->seconds[b->count / 2] * scale, b->correction * scale,
         b->renewed > 0 ? (b->renewed - (double)b->renewed_by * b->correction) * scale : -1.0, load, start,
         1024.0 * (double)use.ru_maxrss);
  return 0;
}

static int measure(bench *b, const char *file, const fly_load_options *with, fly_run_options o) {
  fly_error error = {0};
  fly_mechanism *mechanism = NULL;
  double begin = processor_time();
  fly_status status = fly_mechanism_load_with(&mechanism, file, with, &error);
  double loaded = processor_time();
  o.progress = step_done;
  o.user = b;
  if (status == FLY_OK)
    status = fly_run_create(&b->run, mechanism, &o, &error);
  if (status == FLY_OK)
    status = fly_run_start(b->run, &error);
  double started = processor_time();
  if (status == FLY_OK) {
    b->before = fly_run_stats(b->run);
    b->last = processor_time();
    status = fly_run_go(b->run, &error);
  }
  if (b->only_first && status == FLY_STOPPED)
    status = FLY_OK;
  int exit_status = status == FLY_OK ? print(b, loaded - begin, started - loaded) : fail(&error);
  fly_run_free(b->run);
  fly_mechanism_free(mechanism);
  return exit_status;
}

int main(int argc, char **argv) {
  fly_run_options o = fly_run_options_default();
  bench b = {0};
  const char *file = NULL;
  fly_load_options with = fly_load_options_default();
  const char *set[MOST_SETS];
  with.set = set;
  o.csv = o.hdf5 = false;
  o.method.name = "ch";
  o.calibrate = o.estimate_error = "no";
  for (int k = 1; k < argc; k++) {
    const char *value = k + 1 < argc ? argv[k + 1] : "";
    if (strcmp(argv[k], "--step") == 0)
      o.step = strtod(value, NULL), k++;
    else if (strcmp(argv[k], "--error") == 0)
      o.error = strtod(value, NULL), k++;
    else if (strcmp(argv[k], "--end") == 0)
      o.end = strtod(value, NULL), k++;
    else if (strcmp(argv[k], "--formulation") == 0)
      o.formulation = value, k++;
    else if (strcmp(argv[k], "--method") == 0)
      o.method.name = value, k++;
    else if (strcmp(argv[k], "--out") == 0)
      o.out = value, o.hdf5 = true, k++;
    else if (strcmp(argv[k], "--first") == 0)
      b.only_first = true;
    else if (strcmp(argv[k], "--pilots") == 0)
      o.calibrate = o.estimate_error = NULL;
    else if (strcmp(argv[k], "--set") == 0 && with.nset < MOST_SETS)
      set[with.nset++] = value, k++;
    else
      file = argv[k];
  }
  if (!file) {
    fprintf(stderr,
            "usage: flyball-steps MODEL.yaml (--step H | --error E) [--end T] [--formulation F] [--method M]\n");
    return 2;
  }
  b.seconds = calloc(MOST_STEPS, sizeof *b.seconds);
  int status = b.seconds ? measure(&b, file, &with, o) : 2;
  free(b.seconds);
  return status;
}
