// One method in one case: runs at tighter and tighter tolerances until the precision is reached, that one repeated.
// Times are of the processor, in this process, from the first step to the last: without reading, start and output.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "example.h"
#include "terminal.h"

enum { TIMES = 101, OUTPUTS = 8, MOST_REPEATS = 10, MOST_TICKS = 1000 };

static const double LOOSEST = 1e-2, REFERENCE = 1e-10;
static const double WARM = 0.3;   // seconds
static const double ENOUGH = 0.1; // seconds of short runs, which are repeated MOST_REPEATS times as often at most

// The model's outputs at a hundred times.
typedef struct motion {
  int count, outputs;
  double value[TIMES][OUTPUTS];
} motion;

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A core that was idle is slow for a while: by up to 1.8 times in the first case that was measured.
static void warm_up(void) {
  static bool warm;
  const double until = processor_time() + WARM;
  while (!warm && processor_time() < until)
    ;
  warm = true;
}

static void keep_row(const double *row, void *user) {
  motion *m = user;
  for (int k = 0; m->count < TIMES && k < m->outputs; k++)
    m->value[m->count][k] = row[1 + k];
  m->count += m->count < TIMES;
}

static double difference(const motion *a, const motion *b) {
  double largest = a->count == b->count && a->count > 0 ? 0 : HUGE_VAL;
  for (int i = 0; i < a->count && isfinite(largest); i++)
    for (int k = 0; k < a->outputs; k++)
      largest = fmax(largest, fabs(a->value[i][k] - b->value[i][k]));
  return largest;
}

static fly_status load(fly_mechanism **out, const bench_case *c, fly_error *error) {
  int nset = 0;
  while (nset < BENCH_SETS && c->set[nset])
    nset++;
  const cli_example *e = c->example ? cli_example_find(c->example) : NULL;
  const char *text = e ? e->text : c->text;
  return fly_mechanism_parse(out, c->name, text, e ? e->length : strlen(text), nset, c->set, error);
}

static bool is_stopped(void *user) {
  (void)user;
  return cli_interrupted();
}

static fly_run_options options_of(const bench_case *c, const char *method, double tolerance) {
  fly_run_options o = fly_run_options_default();
  o.method.name = method;
  o.error = tolerance;
  o.calibrate = o.estimate_error = "no"; // the method by itself
  o.end = o.output = c->end;
  o.channels = "outputs";
  o.stop = is_stopped;
  return o;
}

// watched: the motion is kept; else nothing is given out but the two ends.
static fly_status run_once(bench_point *p, const fly_mechanism *m, const bench_case *c, const char *method,
                           double patience, motion *watched, fly_error *error) {
  fly_run *run = NULL;
  fly_run_options o = options_of(c, method, p->tolerance);
  o.output = watched ? c->end / (TIMES - 1) : c->end;
  o.max_time = patience;
  o.row = watched ? keep_row : NULL;
  o.user = watched;
  fly_status status = fly_run_create(&run, m, &o, error);
  if (status == FLY_OK && watched)
    while (watched->outputs < OUTPUTS && fly_run_channel_name(run, 1 + watched->outputs, NULL))
      watched->outputs++;
  if (status == FLY_OK)
    status = fly_run_start(run, error);
  const double begin = processor_time();
  if (status == FLY_OK)
    status = fly_run_go(run, error);
  p->seconds = processor_time() - begin;
  const fly_stats s = fly_run_stats(run);
  p->steps = s.steps + s.rejected_error + s.rejected_newton;
  p->residuals = s.residuals;
  p->jacobians = s.jacobians;
  p->factorizations = s.factorizations + s.refactorizations;
  p->solves = s.solves;
  p->work = s.work;
  p->error = status == FLY_OK || status == FLY_NOT_KEPT ? fly_run_ledger(run).worst : HUGE_VAL;
  fly_run_free(run);
  return status == FLY_NOT_KEPT ? FLY_OK : status;
}

// Of a tolerance: the error in one run, the time in others.
static void measure_point(bench_point *p, const fly_mechanism *m, const bench_curve *curve, const bench_options *o,
                          const motion *reference, fly_error *error) {
  motion *found = reference ? calloc(1, sizeof *found) : NULL;
  fly_status status = run_once(p, m, curve->c, curve->method, o->patience, found, error);
  if (status == FLY_OK && reference)
    p->error = found ? difference(found, reference) : HUGE_VAL;
  free(found);
  if (status != FLY_OK)
    p->error = HUGE_VAL;
}

// Another program on the machine may slow a few runs of milliseconds in a row: such are repeated more often. And where
// the clock of the processor ticks every 4 ms, until it ticks.
static bool is_enough(long runs, double spent, long repeats) {
  if (spent <= 0)
    return runs >= repeats && runs >= MOST_TICKS;
  return runs >= repeats && (spent >= ENOUGH || runs / MOST_REPEATS >= repeats);
}

static void repeat(bench_point *p, const fly_mechanism *m, const bench_curve *curve, const bench_options *o) {
  double spent = 0, smallest = HUGE_VAL;
  long runs = 0;
  warm_up();
  while (!is_enough(runs, spent, o->repeats) && !cli_interrupted()) {
    bench_point again = {.tolerance = p->tolerance};
    fly_error error = {0};
    if (run_once(&again, m, curve->c, curve->method, o->patience, NULL, &error) != FLY_OK)
      break; // by the clock: it has done the same before
    smallest = fmin(smallest, again.seconds);
    spent += again.seconds;
    runs++;
  }
  if (runs > 0)
    p->seconds = smallest > 0 ? smallest : spent / (double)runs;
}

// In one line.
static void keep_message(bench_curve *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(out->message, sizeof out->message, format, arguments);
  va_end(arguments);
  for (char *c = out->message; *c; c++)
    *c = *c == '\n' ? ' ' : *c;
}

static void keep_failure(bench_curve *out, const bench_options *o, double tolerance, const fly_error *error) {
  if (error->status == FLY_STOPPED)
    keep_message(out, "a run at tolerance %.1e took more than --patience %g s; tighter ones were not tried", tolerance,
                 o->patience);
  else
    keep_message(out, "at tolerance %.1e: %s", tolerance,
                 error->message[0] ? error->message : "the rows are not those of the reference");
}

// One tolerance. False: tighter ones are of no use.
static bool try_tolerance(bench_curve *out, double tolerance, const fly_mechanism *m, const bench_options *o,
                          const motion *reference) {
  fly_error error = {0};
  bench_point *p = &out->point[out->count];
  *p = (bench_point){.tolerance = tolerance};
  measure_point(p, m, out, o, reference, &error);
  if (p->error == HUGE_VAL)
    keep_failure(out, o, tolerance, &error);
  if (error.status == FLY_BAD_INPUT) // closer than double precision gets: the others stand
    return false;
  out->count++;
  const bool first = !out->reached && p->error <= out->precision;
  out->reached = out->reached || first;
  if (p->error < HUGE_VAL && (first || o->whole))
    repeat(p, m, out, o);
  return error.status != FLY_STOPPED; // tighter ones take longer still
}

static void try_tolerances(bench_curve *out, const fly_mechanism *m, const bench_options *o, const motion *reference) {
  double tolerance = LOOSEST;
  bool goes_on = true;
  for (int k = 0; k < BENCH_TOLERANCES && goes_on && (o->whole || !out->reached); k++, tolerance /= sqrt(10))
    goes_on = try_tolerance(out, tolerance, m, o, reference);
  const bench_point *last = &out->point[out->count > 0 ? out->count - 1 : 0];
  if (goes_on && !out->reached && last->error < HUGE_VAL)
    keep_message(out, "the tightest tolerance, %.1e, has an error of %.1e %s; %g %s is asked for", last->tolerance,
                 last->error, out->c->unit, out->precision, out->c->unit);
}

static fly_status find_reference(motion *out, const fly_mechanism *m, const bench_case *c, fly_error *error) {
  bench_point p = {.tolerance = REFERENCE};
  return run_once(&p, m, c, c->reference, NAN, out, error);
}

bool bench_measure_curve(bench_curve *out, const bench_case *c, const char *method, const bench_options *o,
                         fly_error *error) {
  static motion reference; // of the last case
  static const bench_case *of;
  fly_mechanism *m = NULL;
  *out = (bench_curve){.c = c, .precision = c->precision * o->precision};
  snprintf(out->method, sizeof out->method, "%s", method);
  fly_status status = load(&m, c, error);
  if (status == FLY_OK && c->measure == BENCH_OUTPUTS && of != c) {
    reference = (motion){0};
    status = find_reference(&reference, m, c, error);
    of = status == FLY_OK ? c : NULL;
  }
  if (status == FLY_OK)
    try_tolerances(out, m, o, c->measure == BENCH_OUTPUTS ? &reference : NULL);
  fly_mechanism_free(m);
  return status == FLY_OK;
}

bool bench_method_fits(const bench_case *c, const char *method, fly_error *error) {
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  const fly_run_options o = options_of(c, method, LOOSEST);
  fly_status status = load(&m, c, error);
  if (status == FLY_OK)
    status = fly_run_create(&run, m, &o, error);
  fly_run_free(run);
  fly_mechanism_free(m);
  return status == FLY_OK;
}

bool bench_write_reference(FILE *file, const bench_case *c, fly_error *error) {
  fly_mechanism *m = NULL;
  motion found = {0};
  fly_status status = load(&m, c, error);
  if (status == FLY_OK)
    status = find_reference(&found, m, c, error);
  fly_mechanism_free(m);
  if (status)
    return false;
  fprintf(file, "%s %d %d\n", c->name, found.count, found.outputs);
  for (int i = 0; i < found.count; i++)
    for (int k = 0; k < found.outputs; k++)
      fprintf(file, "%.17g%c", found.value[i][k], k + 1 < found.outputs ? ' ' : '\n');
  return ferror(file) == 0;
}
