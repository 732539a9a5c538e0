// flyball verify: what its files share. Groups of checks recompute the papers' tables and figures, and measure the
// claims of this project; what they find goes to the terminal, to docs/verification.md or into one JSON object.
#ifndef FLYBALL_CLI_VERIFY_H
#define FLYBALL_CLI_VERIFY_H

#include <stdbool.h>
#include <stdio.h>

#include "flyball/flyball.h"
#include "flyball/json.h"
#include "problems/problems.h"
#include "terminal.h"

#if defined(__GNUC__)
#define VERIFY_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define VERIFY_PRINTF(text, first)
#endif

// ---------------------------------------------------------------------------------------------- the report

enum { VERIFY_COLUMNS = 16, VERIFY_CELL = 28, VERIFY_ROWS = 128 };

// A table being filled: cells of text.
typedef struct verify_table {
  char caption[512];
  int columns, rows;
  char head[VERIFY_COLUMNS][VERIFY_CELL];
  char cell[VERIFY_ROWS][VERIFY_COLUMNS][VERIFY_CELL];
} verify_table;

typedef struct verify_group verify_group;

typedef enum verify_ways { VERIFY_ALL, VERIFY_JUDGED, VERIFY_REPORTED, VERIFY_FIRST_WAY } verify_ways; // then one

// Where the report goes, and how far it is.
typedef struct verify {
  bool quick;         // leave out what takes long
  bool docs;          // plots are wanted
  FILE *text;         // report for people, or NULL
  FILE *page;         // docs/verification.md, or NULL
  fly_json *json;     // or NULL
  const char *folder; // of the page
  const char *only;   // titles of subjects of `promise`, with commas between them; NULL: all
  const char *keep;   // file of its cells; NULL: none
  verify_ways ways;   // methods of `promise`

  const verify_group *group;
  int checks, failed;             // of the group
  int all_checks, all_failed;     // of all groups
  double weight_done, weight_all; // of the groups, for the progress bar [s]
  double group_started;           // [s]
  cli_progress progress;
  bool in_list; // the last thing said was a verdict or a note
  verify_table table;
} verify;

// A group of checks with a name.
struct verify_group {
  const char *name;
  const char *title;
  double seconds; // what it takes, about
  void (*run)(verify *v);
};

VERIFY_PRINTF(2, 3) void verify_say(verify *v, const char *format, ...);     // a paragraph
VERIFY_PRINTF(2, 3) void verify_page(verify *v, const char *format, ...);    // Markdown, for the page only
VERIFY_PRINTF(2, 3) void verify_heading(verify *v, const char *format, ...); // inside a group

// Cells are separated by |, blanks around them do not count. A table is printed when it ends.
VERIFY_PRINTF(3, 4) void verify_table_begin(verify *v, const char *head, const char *caption, ...);
VERIFY_PRINTF(2, 3) void verify_row(verify *v, const char *format, ...);
void verify_table_end(verify *v);

// One verdict: what was measured against its limit. A value that is not finite fails.
typedef enum verify_relation { AT_MOST, AT_LEAST } verify_relation;
VERIFY_PRINTF(5, 6)
bool verify_check(verify *v, double value, verify_relation relation, double limit, const char *format, ...);
// center - width <= value <= center + width
VERIFY_PRINTF(5, 6)
bool verify_check_near(verify *v, double value, double center, double width, const char *format, ...);
VERIFY_PRINTF(3, 4) bool verify_check_that(verify *v, bool holds, const char *format, ...);
// A number worth reading that has no limit.
VERIFY_PRINTF(2, 3) void verify_note(verify *v, const char *format, ...);

void verify_group_begin(verify *v, const verify_group *group);
void verify_group_end(verify *v);

// What the bar shows while it takes long.
VERIFY_PRINTF(2, 3) void verify_progress(verify *v, const char *format, ...);

// ---------------------------------------------------------------------------------------------- figures

enum { VERIFY_CURVES = 48 };

// A plot being filled. Data are kept in a temporary file, one block a curve.
typedef struct verify_figure {
  FILE *data; // NULL: not wanted, or it could not be made
  char name[64];
  char curve[VERIFY_CURVES][160]; // "title|style of gnuplot"
  int panel[VERIFY_CURVES];
  int curves, panels;
  char panel_setup[6][400]; // commands of gnuplot before each panel
} verify_figure;

void verify_figure_begin(verify_figure *f, verify *v, const char *name);
void verify_panel(verify_figure *f, const char *setup); // a new set of axes; the curves that follow are drawn in it
void verify_curve(verify_figure *f, const char *title, const char *style);
void verify_point(verify_figure *f, double x, double y); // not finite: a gap
// Draws docs/figures/NAME.svg by gnuplot and refers to it from the page.
VERIFY_PRINTF(3, 4) void verify_figure_end(verify_figure *f, verify *v, const char *caption, ...);

// ---------------------------------------------------------------------------------------------- runs

// A run and what it is compared with.
typedef struct verify_case {
  const char *problem, *variant;
  int n;              // size, of problems that have one
  const char *method; // "ch 0.6", "wbz 0.6", "hht -0.3", "gen 0.6 1.2" (rho, phi0), "newmark 0.75" (gamma),
                      // "trapezoid", "hybrid 0.1 1e-9" (alpha, constraint)
  fly_formulation formulation;
  fly_form form;
  fly_start start;
  fly_step_change change;
  fly_error_per per;
  double step;            // fixed; 0: by the error
  const double *sequence; // fractions of step (nsequence), or NULL
  int nsequence;
  double error;
  double end;      // [s]; 0: that of the problem
  double from;     // errors count from this time on [s]
  double softness; // > 0: constraints give way, epsilon or delta of `soft`; errors are against the rigid motion
  fly_soft_form soft;
  bool smooth;                 // from the start of the smooth motion
  double disturb_q, disturb_v; // the start: q (1 + disturb_q), v + disturb_v (1, 1, ...)
  const double *q0, *v0;       // another start, on the constraints, or NULL
  bool loose;                  // it is that of constraints that give way; errors are of the motion from the problem's
  double begin;                // > 0: the start is where the reference solution is then [s]
  const double *start_vdot, *start_a; // of a plain start (fly_dae_options), or NULL
  const fly_newmark *custom;          // parameters in place of the method's, stable or not, or NULL
  bool split;                         // errors of velocities along and across the constraints are wanted
} verify_case;

// A velocity split by the constraints: the largest of P e and of G e.
typedef struct verify_split {
  double along, across;
} verify_split;
bool verify_project(const fly_dae_problem *p, double t, const double *q, const double *e, verify_split *out);

enum { VERIFY_COMPARED = 20000 }; // steps of a run that are compared, and those behind a change of step

// Largest errors against the reference solution over the accepted steps.
typedef struct verify_result {
  fly_status status; // a run may reach its end and still say that it missed the error asked for
  fly_error error;
  bool complete; // it reached its end; otherwise all errors are NAN
  double t;      // time reached [s]
  double q, v, vdot, lambda, x, y;
  double along, across;  // of velocities, if asked for: P e and G e
  double weighted;       // of the positions and x, in the norm of --error
  double end_q, end_v;   // 2-norms at the end; without the reference solution against the problem's own end values
  double largest_lambda; // of the reference
  double p95_lambda;     // 95 of 100 accepted steps have a smaller error of lambda
  double mean_step;      // [s]
  fly_stats stats;
  fly_certificate certificate;
} verify_result;

// Watches a run: the solver's state and the reference's, after each accepted step.
typedef void verify_watch(const fly_solver *solver, const fly_dae_state *reference, void *user);

// Runs the case. Without `compare` only the solver runs. watch may be NULL.
verify_result verify_run(verify *v, const verify_case *c, bool compare, verify_watch *watch, void *user);

bool verify_method(fly_dae_options *options, const char *method, fly_error *error);
const char *verify_formulation_name(fly_formulation f);

double verify_order(double coarse, double fine, double ratio); // log(coarse/fine)/log(ratio)
double verify_slope(const double *x, const double *y, int n);  // least squares, both logarithmic

// The groups' functions.
void verify_newmark_1(verify *v), verify_newmark_2(verify *v), verify_newmark_3(verify *v);
void verify_orders(verify *v), verify_sequence(verify *v);
void verify_precision(verify *v), verify_cost(verify *v);
void verify_reactions(verify *v);
void verify_condition(verify *v), verify_agreement(verify *v), verify_scaling(verify *v);
void verify_mechanisms(verify *v), verify_formulations(verify *v), verify_methods(verify *v);
void verify_adams(verify *v), verify_drift(verify *v), verify_promise(verify *v);
void verify_promise_list(void); // its subjects, a line each
void verify_mechatronic(verify *v), verify_pendulum_lambda(verify *v), verify_stability(verify *v),
    verify_soft(verify *v), verify_overshoot(verify *v), verify_rivals(verify *v);
// Parts of groups.
void verify_soft_limits(verify *v), verify_soft_start(verify *v), verify_averages(verify *v), verify_damping(verify *v);
void verify_car(verify *v);

#endif
