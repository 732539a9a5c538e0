// flyball bench: what its files share.
#ifndef FLYBALL_CLI_BENCH_H
#define FLYBALL_CLI_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "flyball/flyball.h"

enum { BENCH_SETS = 4, BENCH_TOLERANCES = 20, BENCH_METHODS = 16, BENCH_NAME = 32 };

// What the error of a run is.
typedef enum bench_measure {
  BENCH_ENERGY, // the largest imbalance of its energy ledger [J]
  BENCH_OUTPUTS // the largest difference of the model's outputs from a reference, over a hundred times
} bench_measure;

typedef struct bench_case {
  const char *name, *about;
  const char *example;         // a model of the examples, or
  const char *text;            // its text
  const char *set[BENCH_SETS]; // parameters, ended by NULL
  double end;                  // [s]
  bench_measure measure;
  double precision; // what a run must reach, in `unit`
  const char *unit;
  const char *reference; // BENCH_OUTPUTS: the method of the reference
} bench_case;

extern const bench_case bench_cases[];
extern const int bench_case_count;
const bench_case *bench_case_find(const char *name); // NULL: none

// One run, or the best of some.
typedef struct bench_point {
  double tolerance;
  double error;   // obtained; HUGE_VAL: it failed
  double seconds; // of the processor, from the first step to the last
  long steps, residuals, jacobians, factorizations, solves;
  double work; // counted: what it costs without a clock
} bench_point;

// A method in a case: all tolerances that were tried, the loosest first; the last is the first that is precise enough.
typedef struct bench_curve {
  const bench_case *c;
  double precision; // what it must reach
  char method[BENCH_NAME];
  bench_point point[BENCH_TOLERANCES];
  int count;
  bool reached;
  char message[200]; // of the last run that failed
} bench_curve;

typedef struct bench_options {
  long repeats;
  double precision; // factor to that of the cases
  double patience;  // seconds that one run may take
  bool whole;       // go on behind the precision: a whole curve
} bench_options;

// Measures. False: the case itself cannot be run; the message says why.
bool bench_measure_curve(bench_curve *out, const bench_case *c, const char *method, const bench_options *o,
                         fly_error *error);

// The motion that a case's error is measured by: its name, how many rows and columns, the rows. Nothing if it is the
// energy's.
bool bench_write_reference(FILE *file, const bench_case *c, fly_error *error);

// Writing, and comparing with what was written before.
void bench_print_table(const bench_curve *curve, int count, bool markdown);
void bench_print_curves(const bench_curve *curve, int count);
bool bench_write_json(const bench_curve *curve, int count, fly_sink *sink, void *user);
// Prints ratios to the times of a file; how many are beyond `limit`, < 0: it could not be read.
int bench_compare(const char *file, const bench_curve *curve, int count, double limit);

#endif
