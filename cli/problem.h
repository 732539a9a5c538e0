// flyball problem: what its files share.
#ifndef FLYBALL_CLI_PROBLEM_H
#define FLYBALL_CLI_PROBLEM_H

#include <stdbool.h>
#include <stdio.h>

#include "flyball/flyball.h"
#include "options.h"
#include "pilot.h"
#include "problems/problems.h"

// Words of the choices, in the order of the library's enumerations.
#define FORMULATIONS "index3|index2|ggl|index1|stiff|damped|stiff-ode|damped-ode"
#define FORMS "acceleration|residual|residual-printed"
#define STEP_CHANGES "shift|gamma|none"
#define STARTS "corrected|plain"
#define ERROR_PERS "run|step"
#define YES_NO "yes|no"

// The command line.
typedef struct problem_settings {
  fly_method_request method;
  int formulation, form, start, step_change, error_per; // numbers of words above
  double step, error, step_min, step_max, end, output, epsilon, delta;
  long max_steps, n;
  cli_list sequence;
  const char *variant, *csv;
  int calibrate, estimate; // 0: yes
  bool stats, json, condition, smooth;
  cli_optional_text plot;
} problem_settings;

// A column of the motion: v3 is {.group = 1, .index = 3}.
typedef struct problem_column {
  int group, index;
  const char *name; // of a position that has one, or NULL
} problem_column;

enum { PROBLEM_GROUPS = 6, PROBLEM_CURVES = 16 };

// The groups of columns: q, v, vdot, lambda, x, y. values is NULL when taken without a state.
typedef struct problem_group {
  const char *name;
  int count;
  const double *values;
} problem_group;
void problem_groups(problem_group groups[PROBLEM_GROUPS], const fly_problem *p, const fly_dae_state *s);

// Numbers that grow in number.
typedef struct problem_samples {
  double *value;
  size_t count, capacity;
  bool failed; // out of memory: nothing more is kept
} problem_samples;

// What is kept of a run while it goes on.
typedef struct problem_record {
  FILE *csv;
  double output; // interval of the output points [s]; NAN: every accepted step
  long next;     // number of the next output point
  double last;   // time of the last point written [s]
  long missed;   // output points that could not be interpolated

  problem_column column[PROBLEM_CURVES]; // curves of --plot (ncurve)
  int ncurve;
  problem_samples time, curve[PROBLEM_CURVES];

  bool table;          // the motion is printed as a table
  int table_columns;   // positions that fit beside the time
  problem_samples row; // its rows, 1 + table_columns numbers each
} problem_record;

// Condition of the step's matrix at one step size.
typedef struct problem_condition {
  double h, scaled, unscaled;
} problem_condition;
enum { PROBLEM_CONDITIONS = 9 }; // h = 1e-2 ... 1e-10

typedef struct problem_run {
  fly_method_request method; // that integrates it,
  const char *because;       // and the option that decided for it where none was named; NULL: none did
  const problem_settings *settings;
  const fly_problem_info *info;
  fly_problem problem;
  fly_dae_options options;
  double end; // [s]
  cli_pilot pilot;
  fly_promise *promise; // of the error; NULL: none was asked for
  fly_solver *solver;
  problem_record record;

  fly_status status;
  fly_error error;
  bool started; // there is a state
  bool interrupted;
  problem_condition condition[PROBLEM_CONDITIONS]; // (ncondition), at the last point
  int ncondition;
} problem_run;

// Pilots find the tolerance of the steps.
static inline bool problem_calibrates(const problem_run *r) {
  return r->settings->calibrate == 0 && r->options.step <= 0.0 && r->options.error_per == FLY_PER_RUN;
}

// Formulations behind index 1: constraints give way.
static inline bool problem_is_soft(const problem_settings *s) { return s->formulation > FLY_INDEX1; }
static inline fly_soft_form problem_soft_form(const problem_settings *s) {
  return (fly_soft_form)(s->formulation - FLY_INDEX1 - 1);
}
static inline bool problem_is_damped(const problem_settings *s) {
  const fly_soft_form form = problem_soft_form(s);
  return form == FLY_SOFT_DAMPED || form == FLY_SOFT_DAMPED_ODE;
}
static inline double problem_softness(const problem_settings *s) {
  return problem_is_damped(s) ? s->delta : s->epsilon;
}

void problem_list(void);

// Opens the CSV file and decides what to keep. Returns < 0 to go on, or the exit status after a message.
int problem_record_open(problem_run *r);
void problem_record_start(problem_run *r); // the first point
void problem_record_step(problem_run *r);  // after each accepted step
int problem_record_close(problem_run *r);  // the last point; exit status
void problem_record_free(problem_record *record);
void problem_record_table(FILE *out, const problem_run *r);
bool problem_record_plot(FILE *out, const problem_run *r);

void problem_report_head(FILE *out, const problem_run *r);
void problem_report_tail(FILE *out, const problem_run *r);
bool problem_json(FILE *out, const problem_run *r);

// Largest differences from the reference; NAN where it has no values.
typedef struct problem_difference {
  double q, v;     // |q - reference|, |v - reference|
  double weighted; // of the positions, in the norm of --error
} problem_difference;
// False if there is no reference at the time of the state.
bool problem_reference_difference(problem_difference *out, const problem_run *r, const fly_dae_state *s);

const char *problem_status_word(const problem_run *r); // "ok", "interrupted", or the library's name of the status

#endif
