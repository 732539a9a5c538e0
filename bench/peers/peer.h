// What the programs of bench/peers share: each solves cases of flyball bench with one other library, at its best
// setting, and prints what flyball bench --json prints: peer-NAME REFERENCES [FACTOR]
// REFERENCES is what flyball bench --references wrote; FACTOR multiplies the precisions.
#ifndef FLYBALL_BENCH_PEER_H
#define FLYBALL_BENCH_PEER_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PEER_REPEATS = 3, PEER_MOST = 10, PEER_TIMES = 101, PEER_OUTPUTS = 4 };
static const double PEER_ENOUGH = 0.1; // seconds, as flyball bench
static const double PEER_PATIENCE = 2; // [s]: a setting whose family has not arrived by then is not the fastest

static inline double peer_processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A case: what it takes, and how its error is measured.
typedef struct peer_case {
  const char *name, *unit;
  double end, precision;
  int outputs;                                // 0: the error is that of the energy [J], at every step,
  double reference[PEER_TIMES][PEER_OUTPUTS]; // else of these, at a hundred times
} peer_case;

static inline peer_case peer_case_make(const char *name, const char *unit, double end, double precision, int outputs) {
  peer_case c;
  memset(&c, 0, sizeof c);
  c.name = name;
  c.unit = unit;
  c.end = end;
  c.precision = precision;
  c.outputs = outputs;
  return c;
}

// The reference of a case, from a file of lines "NAME ROWS OUTPUTS" and rows behind each. false: it is not there.
static inline bool peer_read_reference(peer_case *c, const char *file) {
  char name[64];
  int rows = 0, outputs = 0;
  bool found = c->outputs == 0;
  FILE *f = fopen(file, "r");
  while (f && !found && fscanf(f, "%63s %d %d", name, &rows, &outputs) == 3) {
    found = strcmp(name, c->name) == 0 && rows == PEER_TIMES && outputs == c->outputs;
    for (int k = 0; k < rows * outputs; k++) {
      double value = NAN;
      if (fscanf(f, "%lf", &value) == 1 && found)
        c->reference[k / outputs][k % outputs] = value;
    }
  }
  if (f)
    fclose(f);
  return found;
}

// What a run has shown: the largest error so far.
typedef struct peer_watch {
  const peer_case *c;
  int row;
  double first_energy, worst;
} peer_watch;

static inline void peer_see_energy(peer_watch *w, double energy) {
  if (w->row++ == 0)
    w->first_energy = energy;
  const double off = fabs(energy - w->first_energy);
  w->worst = off <= w->worst ? w->worst : isfinite(off) ? off : HUGE_VAL;
}

static inline void peer_see_outputs(peer_watch *w, const double *value) {
  for (int k = 0; k < w->c->outputs && w->row < PEER_TIMES; k++) {
    const double off = fabs(value[k] - w->c->reference[w->row][k]);
    w->worst = off <= w->worst ? w->worst : isfinite(off) ? off : HUGE_VAL;
  }
  w->row++;
}

static inline double peer_time_of(const peer_case *c, int row) { return c->end * row / (PEER_TIMES - 1); }

// One setting of a library: what it gave.
typedef struct peer_point {
  char setting[80];
  double error, seconds; // as flyball bench measures them
  long steps;
} peer_point;

// A run from the start; w NULL: it is timed, and shows nothing. Its steps; < 0: it failed. *seconds: from the first
// step to the last.
typedef long peer_run(void *model, peer_watch *w, double *seconds);

// Measures a setting, and repeats it if it is precise enough, a short run more often; keeps the faster.
static inline double peer_try(peer_point *best, const peer_case *c, const char *setting, void *model, peer_run *run) {
  peer_watch w = {c, 0, 0.0, 0.0};
  double seconds = 0;
  const long steps = run(model, &w, &seconds);
  const double error = steps < 0 ? HUGE_VAL : w.worst;
  if (!(error <= c->precision) || (best->setting[0] && seconds > 3 * best->seconds))
    return error;
  double spent = 0;
  for (int k = 0; k < PEER_REPEATS || (spent < PEER_ENOUGH && k < PEER_MOST * PEER_REPEATS); k++) {
    if (run(model, NULL, &seconds) < 0)
      continue;
    spent += seconds;
    if (!best->setting[0] || seconds < best->seconds) {
      best->seconds = seconds;
      best->error = error;
      best->steps = steps;
      snprintf(best->setting, sizeof best->setting, "%s", setting);
    }
  }
  return error;
}

// The list of results; nothing was precise enough: null.
static int peer_printed;
static inline void peer_print(const peer_case *c, const char *peer, const peer_point *best) {
  printf("%s  {\"case\": \"%s\", \"method\": \"%s\", \"precision\": %g, \"unit\": \"%s\", ",
         peer_printed++ ? ",\n" : "", c->name, peer, c->precision, c->unit);
  if (best->setting[0])
    printf("\"setting\": \"%s\", \"error\": %.3g, \"seconds\": %.6g, \"steps\": %ld}", best->setting, best->error,
           best->seconds, best->steps);
  else
    printf("\"setting\": null, \"error\": null, \"seconds\": null, \"steps\": null}");
  fflush(stdout);
}

static inline void peer_begin(const char *program, const char *version) {
  printf("{\"bench\": 1, \"program\": \"%s\", \"version\": \"%s\", \"results\": [\n", program, version);
}
static inline void peer_end(void) { printf("\n]}\n"); }

static inline double peer_factor(int argc, char **argv) { return argc > 2 ? strtod(argv[2], NULL) : 1.0; }
// argv[3], if given, is the only case that is run.
static inline bool peer_wants(const char *name, int argc, char **argv) { return argc <= 3 || !strcmp(argv[3], name); }

#endif
