// flyball problem: run one of the papers' problems.
#include "problem.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "cli.h"
#include "method.h"
#include "terminal.h"

#define AT(member) offsetof(problem_settings, member)

static const cli_option options[] = {
    {"The problem", CLI_HEADING, 0, NULL, NULL, NULL},
    {"variant", CLI_TEXT, AT(variant), "NAME", NULL, "a variant of the problem (default: the first it lists)"},
    {"n", CLI_COUNT, AT(n), "N", NULL, "size, of problems that have one"},
    {"end", CLI_NUMBER, AT(end), "T", NULL, "end time [s] (default: that of the problem's source)"},
    {"The method", CLI_HEADING, 0, NULL, NULL, NULL},
    CLI_METHOD_OPTIONS(problem_settings, "auto"),
    {"form", CLI_CHOICE, AT(form), FORMS, "acceleration",
     "equilibrium at the end of the step, or weighted between its ends (HHT 11a; the\n"
     "printed form is first order where the mass matrix varies; alpha_m = 0 only)"},
    {"formulation", CLI_CHOICE, AT(formulation), FORMULATIONS, "ggl",
     "constraints on positions, on velocities, or on both (stabilized index 2); or\n"
     "very stiff springs or very strong dampers instead, with their forces as unknowns\n"
     "(stiff, damped) or without (stiff-ode, damped-ode)"},
    {"epsilon", CLI_POSITIVE, AT(epsilon), "E", NULL, "of stiff: springs of stiffness 1/E^2"},
    {"delta", CLI_POSITIVE, AT(delta), "D", NULL, "of damped: dampers of 1/D"},
    {"smooth", CLI_FLAG, AT(smooth), NULL, NULL,
     "of both: begin on the smooth motion, with constraints that have given way by what\n"
     "they carry; from a start on the constraints springs ring and dampers jerk"},
    {"start", CLI_CHOICE, AT(start), STARTS, "corrected", "second order from the first step, or a0 = v'(t0)"},
    {"Steps", CLI_HEADING, 0, NULL, NULL, NULL},
    {"step", CLI_POSITIVE, AT(step), "H", NULL, "fixed steps of H [s]"},
    {"sequence", CLI_LIST, AT(sequence), "0.3,0.7", NULL,
     "with --step: fractions of H, taken in turn; they add up to 1"},
    {"error", CLI_POSITIVE, AT(error), "E", "1e-5",
     "steps chosen so that the error stays below E; its norm: see below"},
    {"error-per", CLI_CHOICE, AT(error_per), ERROR_PERS, "run", "E is the error of the whole run, or of each step"},
    {"calibrate", CLI_CHOICE, AT(calibrate), YES_NO, "yes",
     "cheap pilot runs find the tolerance of the steps that keeps the error of the run;\n"
     "no: the estimates of the steps add up to E, and how they grow is not looked at"},
    {"estimate-error", CLI_CHOICE, AT(estimate), YES_NO, "yes",
     "estimate the error of the run by its difference from a pilot"},
    {"step-change", CLI_CHOICE, AT(step_change), STEP_CHANGES, "shift",
     "what happens when the step changes: accelerations and velocities are moved\n"
     "to the new step; gamma is adapted (GENALPHA 29); nothing"},
    {"step-max", CLI_POSITIVE, AT(step_max), "H", NULL, "largest step [s] (default: a tenth of the interval)"},
    {"step-min", CLI_POSITIVE, AT(step_min), "H", NULL, "smallest step [s] (default: 1e-11 of the largest so far)"},
    {"max-steps", CLI_COUNT, AT(max_steps), "N", NULL, "give up after N steps, accepted or not (default: never)"},
    {"Output", CLI_HEADING, 0, NULL, NULL, NULL},
    {"output", CLI_POSITIVE, AT(output), "DT", NULL,
     "points every DT [s], interpolated; goes to --csv, or else to a table"},
    {"csv", CLI_TEXT, AT(csv), "FILE", NULL,
     "time,q0...,v0...,vdot0...,lambda0...,x0...,y0... at every accepted step, or\n"
     "at the points of --output; - for standard output (the report then goes to\n"
     "standard error)"},
    {"plot", CLI_OPTIONAL_TEXT, AT(plot), "COLUMNS", NULL,
     "draw columns over time: q0, v1, lambda0, ..., 2 (for q2) or names of positions,\n"
     "separated by commas (default: q0,q1,q2)"},
    {"stats", CLI_FLAG, AT(stats), NULL, NULL, "what the solver did, as a table"},
    {"condition", CLI_FLAG, AT(condition), NULL, NULL,
     "condition of the step's matrix at the end, for h = 1e-2 ... 1e-10 s"},
    {"json", CLI_FLAG, AT(json), NULL, NULL, "print one JSON object instead of the report"},
    {0},
};

static const cli_command command = {
    .name = "problem",
    .usage = "problem [NAME] [options]",
    .about = "Runs one of the papers' problems. Without NAME: lists them.",
    .options = options,
    .notes =
        "The norm of --error: each position increment is divided by its scale (1 rad for angles, a length of the\n"
        "problem for translations, the problem's own scale for modal or other small coordinates), each first-order\n"
        "state by its scale, and the largest of them counts. Per run: the estimates of all steps add up to at most E.\n"
        "Per step: each of them is at most E.\n\n"
        "Exit status: 0 done as asked; 1 it could not be done, results up to there are kept; 2 bad input; 130 "
        "Ctrl-C.\n\n"
        "Examples\n"
        "  flyball problem seven-body --error 1e-6 --stats --plot beta,gamma\n"
        "  flyball problem pendulum --method hht --alpha -0.1 --formulation index3 --step 1e-3 --csv pendulum.csv",
    .max_words = 1,
};

// ---------------------------------------------------------------------------------------------- what was asked for

// Options that would be ignored are refused.
static int check(const cli_arguments *a, const problem_settings *s) {
  static const char *const adaptive_only[] = {"error", "error-per", "calibrate", "step-min", "step-max"};
  const bool fixed = !isnan(s->step);
  for (size_t i = 0; i < sizeof adaptive_only / sizeof adaptive_only[0]; i++)
    if (fixed && cli_given(a, adaptive_only[i])) {
      cli_message("--step means fixed steps, so --%s has no meaning; give one of them.", adaptive_only[i]);
      return CLI_USAGE;
    }
  if (!fixed && s->sequence.count > 0) {
    cli_message("--sequence divides fixed steps; give --step too.");
    return CLI_USAGE;
  }
  const bool soft = problem_is_soft(s), stiff = soft && !problem_is_damped(s);
  if (soft && isnan(problem_softness(s))) {
    cli_message("--formulation %s needs %s.", stiff ? "stiff" : "damped",
                stiff ? "--epsilon: springs of stiffness 1/epsilon^2" : "--delta: dampers of 1/delta");
    return CLI_USAGE;
  }
  if ((!isnan(s->epsilon) && !stiff) || (!isnan(s->delta) && (!soft || stiff))) {
    cli_message("--epsilon is for --formulation stiff or stiff-ode, --delta for damped or damped-ode.");
    return CLI_USAGE;
  }
  if (s->smooth && !soft) {
    cli_message("--smooth is for --formulation stiff, damped, stiff-ode or damped-ode.");
    return CLI_USAGE;
  }
  if (s->json && (s->plot.given || s->stats)) {
    cli_message("--json prints one object, which holds the statistics; it excludes --plot and --stats.");
    return CLI_USAGE;
  }
  if (s->csv != NULL && strcmp(s->csv, "-") == 0 && s->json) {
    cli_message("--csv - and --json both want standard output.");
    return CLI_USAGE;
  }
  if (!isnan(s->output) && s->json && s->csv == NULL) {
    cli_message("--output with --json needs --csv: the points have no place in the object.");
    return CLI_USAGE;
  }
  return -1;
}

static int fail(const fly_error *error, fly_status status) {
  cli_message("%s", error->message);
  return cli_exit_status(status);
}

static int make_problem(problem_run *r, const char *name) {
  const problem_settings *s = r->settings;
  if (s->n > INT_MAX) {
    cli_message("--n: %ld is too large.", s->n);
    return CLI_USAGE;
  }
  fly_error error = {0};
  const fly_status status = fly_problem_make(&r->problem, name, s->variant, (int)s->n, &error);
  if (status != FLY_OK)
    return fail(&error, status);
  for (r->info = fly_problem_list; strcmp(r->info->name, name) != 0;)
    r->info++;
  if (problem_is_soft(s)) {
    const fly_status softened =
        fly_problem_soften(&r->problem, problem_soft_form(s), problem_softness(s), s->smooth, &error);
    if (softened != FLY_OK)
      return fail(&error, softened);
  }
  r->end = isnan(s->end) ? r->problem.t_end : s->end;
  if (r->end > r->problem.t0)
    return -1;
  cli_message("--end %g s must lie after the start, %g s.", r->end, r->problem.t0);
  return CLI_USAGE;
}

// A method that has no stabilized form takes the velocity constraints, unless others are asked for.
static void choose_formulation(problem_run *r, const cli_arguments *a) {
  if (r->options.family == FLY_FAMILY_TABLEAU && !cli_given(a, "formulation"))
    r->options.formulation = FLY_INDEX2;
}

static double or_zero(double x) { return isnan(x) ? 0.0 : x; }

// An option given that only the Newmark family has.
static const char *newmark_only(const problem_settings *s) {
  const struct {
    bool given;
    const char *name;
  } list[] = {{!isnan(s->step), "step"},
              {s->form != 0, "form"},
              {s->start != 0, "start"},
              {s->step_change != 0, "step-change"},
              {s->condition, "condition"}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (list[k].given)
      return list[k].name;
  return NULL;
}

static int make_options(problem_run *r, const cli_arguments *a) {
  const problem_settings *s = r->settings;
  fly_dae_options *o = &r->options;
  *o = fly_dae_options_default();
  o->form = (fly_form)s->form;
  o->formulation = problem_is_soft(s) ? FLY_GGL : (fly_formulation)s->formulation;
  o->step_change = (fly_step_change)s->step_change;
  o->start = (fly_start)s->start;
  o->error_per = (fly_error_per)s->error_per;
  o->error = s->error;
  o->step = or_zero(s->step);
  o->step_min = or_zero(s->step_min);
  o->step_max = or_zero(s->step_max);
  o->max_steps = s->max_steps;
  o->sequence = s->sequence.count > 0 ? s->sequence.value : NULL;
  o->nsequence = s->sequence.count;
  fly_error error = {0};
  r->method = s->method;
  r->method.name = fly_method_meant(&s->method, o->formulation, newmark_only(s), &r->because);
  const fly_status status = fly_dae_options_method(o, &r->method, &error);
  choose_formulation(r, a);
  return status == FLY_OK ? -1 : fail(&error, status);
}

// ---------------------------------------------------------------------------------------------- the run

// The report makes way for a CSV file on standard output.
static FILE *report_file(const problem_settings *s) {
  return s->csv != NULL && strcmp(s->csv, "-") == 0 ? stderr : stdout;
}

static void show_progress(cli_progress *progress, const problem_run *r) {
  if (!cli_progress_due(progress))
    return;
  const fly_dae_state s = fly_solver_state(r->solver);
  const fly_stats stats = fly_solver_stats(r->solver);
  char text[96];
  snprintf(text, sizeof text, "t = %.4g s, step %.2g s, %ld steps", s.t, fly_solver_last_step(r->solver), stats.steps);
  cli_progress_show(progress, (s.t - r->problem.t0) / (r->end - r->problem.t0), text);
}

static bool goes_on(void *user) {
  (void)user;
  return !cli_interrupted();
}

static void make_promise(problem_run *r) {
  const problem_settings *s = r->settings;
  r->pilot = (cli_pilot){.name = r->info->name, .variant = s->variant, .n = (int)s->n, .end = r->end};
  r->pilot.options = r->options;
  r->pilot.soft = problem_is_soft(s);
  if (r->pilot.soft) {
    r->pilot.form = problem_soft_form(s);
    r->pilot.parameter = problem_softness(s);
    r->pilot.smooth = s->smooth;
  }
  const fly_promise_task task = {.problem = &r->problem.dae,
                                 .options = r->options,
                                 .t0 = r->problem.t0,
                                 .t_end = r->end,
                                 .calibrate = problem_calibrates(r),
                                 .pilot = cli_pilot_fly,
                                 .go_on = goes_on,
                                 .user = &r->pilot};
  if (problem_calibrates(r) || s->estimate == 0)
    r->status = fly_promise_create(&r->promise, &task, &r->error);
}

// How errors grow, and the tolerance that follows from it.
static void calibrate(problem_run *r) {
  r->status = fly_promise_pilot(r->promise, &r->error);
  r->interrupted = r->status == FLY_STOPPED;
  if (r->status == FLY_OK) {
    r->options.error_asked = r->options.error;
    r->options.error = fly_promise_tell(r->promise).setting;
  }
}

// What came out, by a pilot after the run if there was none before.
static void judge(problem_run *r) {
  if (!problem_calibrates(r))
    r->status = fly_promise_pilot(r->promise, &r->error);
  if (r->status == FLY_OK)
    r->status = fly_promise_judge(r->promise, &r->error);
  r->interrupted = r->status == FLY_STOPPED;
}

static void follow(problem_run *r) {
  if (r->promise && r->settings->estimate == 0)
    fly_promise_follow(r->promise, r->solver, NULL, NULL);
}

static void start(problem_run *r) {
  const fly_problem *p = &r->problem;
  make_promise(r);
  if (r->status == FLY_OK && problem_calibrates(r))
    calibrate(r);
  if (r->status != FLY_OK)
    return;
  r->status = fly_solver_create(&r->solver, &p->dae, &r->options, &r->error);
  if (r->status == FLY_OK)
    r->status = fly_solver_start(r->solver, p->t0, r->end, p->q0, p->v0, p->x0, &r->error);
  r->started = r->status == FLY_OK;
  if (r->started) {
    problem_record_start(r);
    follow(r);
  }
}

static void advance(problem_run *r) {
  cli_progress progress = cli_progress_start();
  while (r->status == FLY_OK && !fly_solver_done(r->solver) && !cli_interrupted()) {
    r->status = fly_solver_step(r->solver, &r->error);
    if (r->status == FLY_OK || r->status == FLY_STOPPED || r->status == FLY_NOT_KEPT) {
      problem_record_step(r);
      follow(r);
    }
    show_progress(&progress, r);
  }
  cli_progress_clear(&progress);
  r->interrupted = r->status == FLY_OK && !fly_solver_done(r->solver);
  if (r->promise && r->status == FLY_OK && !r->interrupted)
    judge(r);
}

static int find_conditions(problem_run *r) {
  for (r->ncondition = 0; r->ncondition < PROBLEM_CONDITIONS; r->ncondition++) {
    problem_condition *c = &r->condition[r->ncondition];
    fly_error error = {0};
    c->h = pow(10.0, -2 - r->ncondition);
    fly_status status = fly_solver_condition(r->solver, c->h, true, &c->scaled, &error);
    if (status == FLY_OK)
      status = fly_solver_condition(r->solver, c->h, false, &c->unscaled, &error);
    if (status != FLY_OK) {
      cli_message("--condition: %s", error.message);
      return CLI_FAILED;
    }
  }
  return CLI_DONE;
}

static int report(const problem_run *r) {
  FILE *out = report_file(r->settings);
  if (r->settings->json)
    return problem_json(out, r) ? CLI_DONE : CLI_FAILED; // main says that the output could not be written
  if (!r->started)
    return CLI_DONE;
  problem_report_tail(out, r);
  if (r->record.ncurve == 0 || problem_record_plot(out, r))
    return CLI_DONE;
  cli_message("out of memory for the plot.");
  return CLI_FAILED;
}

static int worse(int a, int b) { return a > b ? a : b; }

// How the run ended, said last.
static int conclude(const problem_run *r) {
  if (r->interrupted) {
    cli_message("interrupted at t = %.9g s; the results up to there are kept.",
                r->started ? fly_solver_state(r->solver).t : r->problem.t0);
    return CLI_INTERRUPTED;
  }
  if (r->status != FLY_OK && r->status != FLY_STOPPED)
    cli_message("%s", r->error.message);
  if (r->status == FLY_STOPPED)
    cli_message("stopped by an event at t = %.9g s.", fly_solver_state(r->solver).t);
  return r->status == FLY_STOPPED ? CLI_DONE : cli_exit_status(r->status); // as the problem has it
}

static int run(problem_run *r) {
  int exit_status = problem_record_open(r);
  if (exit_status >= 0)
    return exit_status;
  if (!r->settings->json)
    problem_report_head(report_file(r->settings), r);
  cli_catch_interrupt();
  start(r);
  if (r->started)
    advance(r);
  exit_status = problem_record_close(r);
  if (r->started && r->settings->condition)
    exit_status = worse(exit_status, find_conditions(r));
  exit_status = worse(exit_status, report(r));
  return worse(exit_status, conclude(r));
}

int cmd_problem(int argc, char **argv) {
  problem_settings s;
  cli_arguments arguments;
  int exit_status = cli_read(&arguments, &s, &command, argc, argv);
  if (exit_status < 0)
    exit_status = check(&arguments, &s);
  if (exit_status >= 0)
    return exit_status;
  if (arguments.nword == 0) {
    problem_list();
    return CLI_DONE;
  }
  problem_run r = {.settings = &s};
  exit_status = make_problem(&r, arguments.word[0]);
  if (exit_status < 0)
    exit_status = make_options(&r, &arguments);
  if (exit_status < 0)
    exit_status = run(&r);
  problem_record_free(&r.record);
  fly_promise_free(r.promise);
  fly_solver_free(r.solver);
  fly_problem_free(&r.problem);
  return exit_status;
}
