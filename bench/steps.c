// What a step of a model costs: flyball-steps MODEL.yaml (--step H | --error E) [--end T] [--formulation F] [--method
// M] [--out BASE] [--set P=V]... [--repeats N]. The method is ch if none is given, and runs by itself, without pilot
// runs unless --pilots asks for them. With --first it ends with its first step. Repeats are runs of the same model,
// whose steps are measured together.
//
// Prints one JSON object. Times are processor time; that of a step is taken where no derivatives were evaluated and
// nothing was factorized, so with the matrix of the steps before; the smallest, because other programs run as well, and
// the median. A correction is what the smallest such step takes longer for each correction more that it has (without a
// correction more to compare with, -1); a share, the smallest step over its corrections, with all that a step is
// besides. A refactorization is the smallest step that factorized once with the derivatives there were, and renewing
// the matrix the smallest with new ones, without what such steps take with the matrix kept: with the shift to another
// step, and with what the factors push out of the caches. What filling and factorizing take of it by the clock is told
// beside: such steps are few, in long models one or two, and then the smallest of them is not small. No results are
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
#include "flyball/profile.h"

enum { MOST_STEPS = 100000, MOST_SETS = 16, MOST_CORRECTIONS = 8 };

// The smallest steps, by their corrections [s]; 0: none yet.
typedef struct smallest {
  double by[MOST_CORRECTIONS];
} smallest;

typedef struct bench {
  fly_run *run;
  bool only_first;  // step is taken
  double first;     // processor time at its end [s]
  double last;      // processor time at the end of the last step [s]
  fly_stats before; // and what had been counted there
  long count;       // of the steps that kept their matrix
  long corrections; // in them
  double *seconds;  // each (count)
  double share;     // the smallest time of one over its corrections [s]; 0: none yet
  smallest kept, factored, renewed;
  double matrix;  // seconds of the clock so far that matrices were filled and factorized
  double factors; // the smallest of a step that factorized with the derivatives there were [s]; 0: none yet
} bench;

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void keep_smallest(smallest *s, long corrections, double seconds) {
  if (corrections >= 0 && corrections < MOST_CORRECTIONS && (s->by[corrections] == 0 || seconds < s->by[corrections]))
    s->by[corrections] = seconds;
}

// Over the numbers of corrections that were seen, the least and the most of those that are frequent enough to have been
// measured well: three and fewer.
static double correction_of(const smallest *s) {
  int first = 0, last = 3;
  while (first < last && s->by[first] == 0)
    first++;
  while (last > first && s->by[last] == 0)
    last--;
  return last > first ? (s->by[last] - s->by[first]) / (last - first) : -1.0;
}

// What such steps take longer than those with the matrix kept and as many corrections, at least; -1: none such.
static double more_than(const smallest *s, const smallest *kept) {
  double least = -1;
  for (int k = 0; k < MOST_CORRECTIONS; k++)
    if (s->by[k] > 0 && kept->by[k] > 0 && (least < 0 || s->by[k] - kept->by[k] < least))
      least = s->by[k] - kept->by[k];
  return least;
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
    if (corrections > 0 && (b->share == 0 || seconds / (double)corrections < b->share))
      b->share = seconds / (double)corrections;
    keep_smallest(&b->kept, corrections, seconds);
  }
  const bool once =
      s.factorizations == b->before.factorizations && s.refactorizations == b->before.refactorizations + 1;
  const long attempts = s.rejected_error + s.rejected_newton - b->before.rejected_error - b->before.rejected_newton;
  const fly_profile p = fly_run_profile(b->run);
  const double matrix = p.seconds[FLY_PHASE_SCATTER] + p.seconds[FLY_PHASE_FACTOR], factors = matrix - b->matrix;
  b->matrix = matrix;
  if (once && attempts == 0 && s.jacobians == b->before.jacobians) {
    keep_smallest(&b->factored, corrections, seconds);
    b->factors = b->factors == 0 || factors < b->factors ? factors : b->factors;
  }
  if (once && attempts == 0 && s.jacobians == b->before.jacobians + 1)
    keep_smallest(&b->renewed, corrections, seconds);
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
  const double scale = 1e6 / i.bodies, correction = correction_of(&b->kept),
               factoring = more_than(&b->factored, &b->kept), renewing = more_than(&b->renewed, &b->kept);
  printf("{\"bodies\": %d, \"steps\": %ld, \"jacobians\": %ld, \"kept\": %ld, \"corrections\": %.3f, "
         "\"smallest_us\": %.4f, \"median_us\": %.4f, \"correction_us\": %.4f, \"share_us\": %.4f, "
         "\"factoring_us\": %.4f, \"factors_us\": %.4f, \"renewing_us\": %.4f, \"load_s\": %.4f, \"start_s\": %.4f, "
         "\"bytes\": %.0f}\n",
         i.bodies, s.steps, s.jacobians, b->count, (double)b->corrections / (double)b->count, b->seconds[0] * scale,
         b->seconds[b->count / 2] * scale, correction < 0 ? -1 : correction * scale, b->share * scale,
         factoring < 0 ? -1 : factoring * scale, b->factors * scale, renewing < 0 ? -1 : renewing * scale, load, start,
         1024.0 * (double)use.ru_maxrss);
  return 0;
}

// One run from its start to its end; the processor time at its start in *started.
static fly_status go(bench *b, const fly_mechanism *mechanism, const fly_run_options *o, double *started,
                     fly_error *error) {
  fly_run_free(b->run); // of the repeat before
  b->run = NULL;
  fly_status status = fly_run_create(&b->run, mechanism, o, error);
  if (status == FLY_OK)
    status = fly_run_start(b->run, error);
  *started = processor_time();
  if (status)
    return status;
  b->before = fly_run_stats(b->run);
  b->matrix = 0;
  b->last = processor_time();
  status = fly_run_go(b->run, error);
  return b->only_first && status == FLY_STOPPED ? FLY_OK : status;
}

static int measure(bench *b, const char *file, const fly_load_options *with, fly_run_options o, int repeats) {
  fly_error error = {0};
  fly_mechanism *mechanism = NULL;
  const double begin = processor_time();
  fly_status status = fly_mechanism_load_with(&mechanism, file, with, &error);
  const double loaded = processor_time();
  double first = loaded, started;
  o.progress = step_done;
  o.user = b;
  for (int k = 0; k < repeats && status == FLY_OK; k++) {
    status = go(b, mechanism, &o, &started, &error);
    first = k == 0 ? started : first;
  }
  const int exit_status = status == FLY_OK ? print(b, loaded - begin, first - loaded) : fail(&error);
  fly_run_free(b->run);
  fly_mechanism_free(mechanism);
  return exit_status;
}

int main(int argc, char **argv) {
  fly_run_options o = fly_run_options_default();
  bench b = {0};
  int repeats = 1;
  const char *file = NULL;
  fly_load_options with = fly_load_options_default();
  const char *set[MOST_SETS];
  with.set = set;
  o.csv = o.hdf5 = false;
  o.profile = true;
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
    else if (strcmp(argv[k], "--repeats") == 0)
      repeats = (int)strtol(value, NULL, 10), k++;
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
  int status = b.seconds ? measure(&b, file, &with, o, repeats > 1 ? repeats : 1) : 2;
  free(b.seconds);
  return status;
}
