// flyball bench: what its files share.
#ifndef FLYBALL_CLI_BENCH_H
#define FLYBALL_CLI_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "flyball/flyball.h"

// TOLERANCES: from 1e-2 to 1e-11, two a decade.
enum {
  BENCH_SETS = 4,
  BENCH_TOLERANCES = 19,
  BENCH_METHODS = 16,
  BENCH_NAME = 32,
  BENCH_REASON = 400,
  BENCH_CASES = 32
};

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
  char message[BENCH_REASON]; // why the search ended early or in vain, else of the last run that failed
} bench_curve;

typedef struct bench_options {
  long repeats;
  double precision; // factor to that of the cases
  double patience;  // seconds that one run may take
  bool whole;       // go on behind the precision: a whole curve
} bench_options;

// What a comparison is with: a row of a file of --json.
typedef struct bench_entry {
  char name[BENCH_NAME], method[BENCH_NAME];
  double precision, seconds; // seconds: NAN: the precision was not reached
} bench_entry;

typedef struct bench_baseline {
  const char *file;
  char program[BENCH_NAME], version[BENCH_NAME];
  bench_entry *entry; // (count)
  int count;
} bench_baseline;

// What is to be measured: each method in each case.
typedef struct bench_rows {
  int ncase, nmethod;
  const bench_case *c[BENCH_CASES];
  char method[BENCH_METHODS][BENCH_NAME];
} bench_rows;

// Cases by name (all if there are none) and methods of a list, each once. False: with a message.
bool bench_choose_cases(bench_rows *rows, const char *const *name, int count);
bool bench_choose_methods(bench_rows *rows, const char *list);

// Whether a case takes a method at all.
bool bench_method_fits(const bench_case *c, const char *method, fly_error *error);
// Measures. False: the case itself cannot be run; the message says why. What Ctrl-C stopped is worth nothing
// (cli_interrupted).
bool bench_measure_curve(bench_curve *out, const bench_case *c, const char *method, const bench_options *o,
                         fly_error *error);
// The first tolerance that is precise enough; NULL: none is.
const bench_point *bench_chosen(const bench_curve *curve);

// The motion that a case's error is measured by: its name, how many rows and columns, the rows.
bool bench_write_reference(FILE *file, const bench_case *c, fly_error *error);

// Writing.
void bench_print_table(const bench_curve *curve, int count, bool markdown);
void bench_print_curves(const bench_curve *curve, int count);
bool bench_write_json(const bench_curve *curve, int count, bool complete, fly_sink *sink, void *user);

// A file that --json wrote, all of it. False: it cannot be read or is none; with a message.
bool bench_read_baseline(bench_baseline *out, const char *file);
void bench_free_baseline(bench_baseline *b);
// Whether any row can be compared, `factor` times as precise as the cases ask for. False: with a message that says of
// each why not.
bool bench_baseline_fits(const bench_baseline *b, const bench_rows *rows, double factor);
// Prints ratios of times. The exit status: of failure if one is beyond `limit`, or none could be compared.
int bench_compare(const bench_baseline *b, const bench_curve *curve, int count, double limit);

#endif
