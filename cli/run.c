// flyball run, flyball check: a model file simulated, or only assembled and counted.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "flyball/flyball.h"
#include "flyball/model.h"
#include "load.h"
#include "method.h"
#include "options.h"
#include "report.h"
#include "resume.h"
#include "run.h"
#include "terminal.h"

enum { WRAP = 110 }; // columns of a paragraph

typedef struct settings {
  fly_method_request method;
  const char *formulation;
  double end, error, step, step_max, step_min, output, epsilon, delta;
  long max_steps;
  double max_time, checkpoint;
  const char *resume;
  const char *error_per, *out, *channels, *start, *calibrate, *estimate;
  bool stats, profile, json, report, allow_nan, strict, plugins;
  bool csv; // a CSV file too
} settings;

#define SET_OPTION                                                                                                     \
  { "set", CLI_TEXT, offsetof(settings, out), "P=V", NULL, "give parameter P the value V; may be repeated" }

#define INPUT_OPTION                                                                                                   \
  {                                                                                                                    \
    "input", CLI_TEXT, offsetof(settings, out), "U=FILE", NULL,                                                        \
        "input U of the model follows a CSV file of times and values,\nFILE or FILE:COLUMN; may be repeated"           \
  }

#define STRICT_OPTION                                                                                                  \
  {                                                                                                                    \
    "strict", CLI_FLAG, offsetof(settings, strict), NULL, NULL,                                                        \
        "what is odd in the model or its start (the warnings) is an error"                                             \
  }

static const cli_option check_options[] = {
    {"Options", CLI_HEADING, 0, NULL, NULL, NULL},   SET_OPTION, INPUT_OPTION, STRICT_OPTION,
    CLI_PLUGINS_OPTION(offsetof(settings, plugins)), {0}};

static const cli_option options[] = {
    {"What to do (each overrides the model's `simulate` section)", CLI_HEADING, 0, NULL, NULL, NULL},
    SET_OPTION,
    INPUT_OPTION,
    {"end", CLI_POSITIVE, offsetof(settings, end), "T", NULL, "end time [s]"},
    {"error", CLI_POSITIVE, offsetof(settings, error), "E", NULL,
     "error of the run, in radians and sizes of the model; 1e-5 if neither it nor --step is given"},
    {"step", CLI_POSITIVE, offsetof(settings, step), "H", NULL, "fixed step [s]"},
    {"step-max", CLI_POSITIVE, offsetof(settings, step_max), "H", NULL,
     "largest step that may follow the error [s]: a tenth of T"},
    {"step-min", CLI_POSITIVE, offsetof(settings, step_min), "H", NULL,
     "smallest such step [s]: 1e-11 of the largest so far"},
    {"error-per", CLI_TEXT, offsetof(settings, error_per), "run|step", NULL, "what --error is the error of: run"},
    {"calibrate", CLI_TEXT, offsetof(settings, calibrate), "yes|no", NULL,
     "cheap pilot runs find the tolerance of the steps that keeps the error of the run: yes"},
    {"estimate-error", CLI_TEXT, offsetof(settings, estimate), "yes|no", NULL,
     "estimate the error of the run, by its difference from a pilot: yes"},
    {"start", CLI_TEXT, offsetof(settings, start), "smooth|given|equilibrium", NULL,
     "from where the model is assembled, joints that give way opened by what they carry,\n"
     "or closed; or from where it rests: smooth"},
    STRICT_OPTION,
    CLI_PLUGINS_OPTION(offsetof(settings, plugins)),
    {"formulation", CLI_TEXT, offsetof(settings, formulation), "ggl|index3|index2|index1|stiff|damped|...", NULL,
     "of the constraints: ggl; index1: bdf only; stiff, damped, stiff-ode, damped-ode:\n"
     "springs or dampers hold all that says nothing of its compliance"},
    {"epsilon", CLI_NUMBER, offsetof(settings, epsilon), "E", NULL, "of stiff: stiffnesses of 1/E^2 [N/m, N m/rad]"},
    {"delta", CLI_NUMBER, offsetof(settings, delta), "D", NULL, "of damped: dampings of 1/D [N s/m, N m s/rad]"},
    {"max-steps", CLI_COUNT, offsetof(settings, max_steps), "N", NULL,
     "end after N steps, accepted or not; without it a run that would never end is ended"},
    {"max-time", CLI_POSITIVE, offsetof(settings, max_time), "S", NULL,
     "end after S seconds of the clock, as Ctrl-C does: what was reached is kept"},
    {"The method", CLI_HEADING, 0, NULL, NULL, NULL},
    CLI_METHOD_OPTIONS(settings, "auto"),
    {"Results", CLI_HEADING, 0, NULL, NULL, NULL},
    {"output", CLI_POSITIVE, offsetof(settings, output), "DT", NULL, "interval of the results [s]: a thousandth of T"},
    {"channels", CLI_TEXT, offsetof(settings, channels), "LIST", NULL,
     "which: bodies, accelerations, joints (reactions), coordinates (of joints), motions (what\nthey push), forces, "
     "contacts (on each body), "
     "markers, energies, states, variables, inputs, outputs, all, and elements by their names:\n"
     "bodies,joints,forces,motions,energies,states,variables,inputs,outputs"},
    {"out", CLI_TEXT, offsetof(settings, out), "BASE", NULL, "write BASE.h5: as the model file is called"},
    {"csv", CLI_FLAG, offsetof(settings, csv), NULL, NULL,
     "write BASE.csv too: the same numbers for eyes and spreadsheets"},
    {"checkpoint", CLI_POSITIVE, offsetof(settings, checkpoint), "DT", NULL,
     "put the state of the run into BASE.checkpoint every DT simulated seconds: --resume\ngoes on from there after an "
     "interruption, to the same bits"},
    {"resume", CLI_TEXT, offsetof(settings, resume), "RESULT", NULL,
     "go on with a run that was interrupted, as it was asked for (stands alone, without MODEL)"},
    {"allow-nan", CLI_FLAG, offsetof(settings, allow_nan), NULL, NULL,
     "values of channels may be NaN or infinite; else such a run is not done as asked"},
    {"report", CLI_FLAG, offsetof(settings, report), NULL, NULL,
     "write BASE.html too: what flyball report makes of it"},
    {"stats", CLI_FLAG, offsetof(settings, stats), NULL, NULL, "print what the run cost"},
    {"profile", CLI_FLAG, offsetof(settings, profile), NULL, NULL, "print where its time went, by phases"},
    {"json", CLI_FLAG, offsetof(settings, json), NULL, NULL,
     "print the record of the run, a JSON object, instead of the report"},
    {0},
};

static const cli_command run_command = {
    .name = "run",
    .usage = "run MODEL.yaml [options]",
    .about = "Simulates a model as it says, writes the results, and prints the certificate of the run.",
    .options = options,
    .notes = "Examples\n"
             "  flyball run examples/four-bar.yaml\n"
             "  flyball run examples/bricard.yaml --error 1e-7 --end 10 --stats\n"
             "  flyball run long.yaml --checkpoint 10; flyball run --resume long.h5",
    .max_words = 1,
};

static const cli_command check_command = {
    .name = "check",
    .usage = "check MODEL.yaml [--set P=V]... [--strict]",
    .about = "Reads a model, assembles it, counts its degrees of freedom and explains redundant constraints.",
    .options = check_options,
    .max_words = 1,
};

typedef struct model_run {
  settings s;
  int nset, ninput;
  const char *set[CLI_MOST_SETS], *input[CLI_MOST_SETS];
  cli_resume resume;
  fly_mechanism *mechanism;
  fly_run *run;
  bool started; // else it ended before that
  cli_progress progress;
  fly_status status;
  fly_error error;
} model_run;

static bool show_progress(double t, double end, long steps, void *user) {
  model_run *r = user;
  if (cli_progress_due(&r->progress)) {
    char text[100];
    snprintf(text, sizeof text, "t = %.4g s, %ld steps", t, steps);
    cli_progress_show(&r->progress, t / end, text);
  }
  return !cli_interrupted();
}

static void show_notice(const char *sentence, void *user) {
  model_run *r = user;
  cli_progress_clear(&r->progress);
  cli_message("%s (Ctrl-C ends the run; what was reached is kept.)", sentence);
}

bool cli_wants_stop(void *user) {
  (void)user;
  return cli_interrupted();
}

const char *cli_who_stopped(void *user) {
  (void)user;
  return cli_interruption();
}

// base NULL: nothing is run.
static fly_run_options make_options(model_run *r, const char *base) {
  fly_run_options o = fly_run_options_default();
  o.strict = r->s.strict;
  if (!base) {
    o.end = 1; // a model may be checked before it says how long to run
    return o;
  }
  const char *name = r->s.method.name;
  o.method = r->s.method;
  o.method.name = name;
  o.formulation = r->s.formulation;
  o.epsilon = r->s.epsilon;
  o.delta = r->s.delta;
  o.error_per = r->s.error_per;
  o.end = r->s.end;
  o.error = r->s.error;
  o.step = r->s.step;
  o.step_max = r->s.step_max;
  o.step_min = r->s.step_min;
  o.output = r->s.output;
  o.channels = r->s.channels;
  o.start = r->s.start;
  o.allow_nan = r->s.allow_nan;
  o.profile = r->s.profile;
  o.calibrate = r->s.calibrate;
  o.estimate_error = r->s.estimate;
  o.out = base;
  o.hdf5 = true;
  o.csv = r->s.csv;
  o.max_steps = r->s.max_steps > 0 ? (double)r->s.max_steps : o.max_steps;
  o.max_time = r->s.max_time;
  o.checkpoint = r->s.checkpoint;
  o.note = r->resume.kept;
  o.resume = r->resume.base != NULL;
  o.progress = show_progress;
  o.stop = cli_wants_stop;
  o.why = cli_who_stopped;
  o.notice = show_notice;
  o.user = r;
  return o;
}

// ------------------------------------------------------------------------------------------ reports

// A folder's result has a name of its own.
static const char *stem_of(const char *out) { return out[strlen(out) - 1] == '/' ? "result" : ""; }

// A run that ended before its first row leaves an earlier result alone: its own file stays beside it.
static bool stays_beside(const char *out) {
  char part[CLI_NAME_MAX];
  const int length = snprintf(part, sizeof part, "%s%s.part.h5", out, stem_of(out));
  return length < (int)sizeof part && access(part, F_OK) == 0;
}

void cli_print_files(long rows, const char *out, bool csv) {
  const char *name = stem_of(out);
  if (rows == 0 && stays_beside(out)) {
    printf("\nno rows: the earlier result %s%s.h5 is as it was, and %s%s.part.h5 tells how this run ended\n", out, name,
           out, name);
    return;
  }
  printf("\n%ld %s in %s%s.h5", rows, rows == 1 ? "row" : "rows", out, name);
  if (csv)
    printf(" and %s%s.csv", out, name);
  putchar('\n');
}

void cli_print_counts(const fly_mechanism_info *i) {
  printf("%s: %d %s, %d coordinates, %d constraint rows\n", i->name ? i->name : "model", i->bodies,
         i->bodies == 1 ? "body" : "bodies", i->coordinates, i->rows);
  printf("  degrees of freedom   %d by count, %d by rank\n", i->coordinates - i->rows, i->coordinates - i->rank);
  if (i->soft > 0)
    printf("  joints that give way %d rows: springs and dampers hold them\n", i->soft);
  if (i->stiffened > 0)
    printf("  joints that give way %d rows, taken for rigid: the motion is given\n", i->stiffened);
  if (i->rolling > 0)
    printf("  of velocities        %d fewer: what rolls, or does not move sideways\n", i->rolling);
  if (i->states > 0)
    printf("  states               %d first-order, %d variable%s\n", i->states, i->variables,
           i->variables == 1 ? "" : "s");
}

void cli_print_lines(const char *lines) {
  for (const char *line = lines; *line;) {
    const char *end = strchr(line, '\n');
    int length = end ? (int)(end - line) : (int)strlen(line);
    printf("    %.*s\n", length, line);
    line += length + (end != NULL);
  }
}

void cli_print_redundancy(const fly_run *run) {
  const fly_mechanism_info info = fly_run_info(run), *i = &info;
  if (i->redundant == 0)
    return;
  printf("  redundant            %d of %d rows (rank %d), taken out; the reactions of these sets are not unique:\n",
         i->redundant, i->rows, i->rank);
  cli_print_lines(fly_run_redundancy(run));
}

void cli_print_not_finite(const fly_run *run) {
  const fly_not_finite f = fly_run_not_finite(run);
  if (f.values > 0)
    printf("  not finite                %ld value%s in %d channel%s: first `%s` at t = %.9g s, row %ld\n", f.values,
           f.values == 1 ? "" : "s", f.channels, f.channels == 1 ? "" : "s", f.channel, f.time, f.row);
}

void cli_print_warnings(const fly_mechanism *m, const char *of_start) {
  const char *warnings = fly_mechanism_warnings(m);
  if (!*warnings && !*of_start)
    return;
  printf("  warnings\n");
  cli_print_lines(warnings);
  cli_print_lines(of_start);
}

static void print_rest(const model_run *r) {
  static const char *const poises[] = {[FLY_POISE_UNKNOWN] = "of unknown stability",
                                       [FLY_POISE_STABLE] = "stable",
                                       [FLY_POISE_NEUTRAL] = "neutral",
                                       [FLY_POISE_UNSTABLE] = "unstable"};
  const fly_equilibrium *e = fly_run_equilibrium(r->run);
  if (e)
    printf("  from equilibrium          %s, by %s; flyball statics tells more\n", poises[e->poise], e->by);
}

// What was done that no dependence on time is passed over.
static void print_time_dependence(const fly_certificate *c, const fly_stats *s) {
  const char *const cut = c->time == FLY_TIME_FIXED ? "fixed steps cut" : "steps ended";
  if (c->time == FLY_TIME_AUTONOMOUS)
    return;
  printf("  inputs in time            %s at %ld known time%s", cut, s->breaks, s->breaks == 1 ? "" : "s");
  if (s->corners > 0)
    printf(" (at %ld velocities jump)", s->corners);
  if (c->time == FLY_TIME_BOUNDED)
    printf("; terms of time alone bounded between them\n");
  else if (c->time == FLY_TIME_FIXED)
    printf("; looked at every %.3g s between them\n", c->look_gap);
  else
    printf("; looked at %ld times besides, at least every %.3g s\n", s->looks, c->look_gap);
}

// What was done that no force is passed over that acts in a short stretch of the motion.
static void print_leaps(const fly_stats *s) {
  if (s->leaps > 0)
    printf("  forces on the way         %ld step%s cut short where %s would have leapt over one\n", s->leaps,
           s->leaps == 1 ? "" : "s", s->leaps == 1 ? "it" : "they");
  if (s->relations > 0)
    printf("  relations                 changed sides at %ld place%s of the motion, where steps ended\n", s->relations,
           s->relations == 1 ? "" : "s");
}

// What the run is worth, first of all.
static void print_verdict(const model_run *r) {
  static const char *const words[] = {[FLY_VERDICT_NONE] = "not run",
                                      [FLY_VERDICT_KEPT] = "Error controlled and kept",
                                      [FLY_VERDICT_CONTROLLED] = "Error controlled, not estimated",
                                      [FLY_VERDICT_UNCONTROLLED] = "Error not controlled",
                                      [FLY_VERDICT_WRONG] = "Something is wrong"};
  const fly_verdict v = fly_run_verdict(r->run);
  const fly_promise *p = fly_run_promise(r->run);
  const bool reserved = v.state == FLY_VERDICT_CONTROLLED && p && fly_promise_count(p) > 0;
  printf("\n%s\n", reserved ? "Error controlled and estimated, with reservations" : words[v.state]);
  for (const char *text = v.sentence; *text;) {
    int length = (int)strlen(text);
    if (length > WRAP)
      for (length = WRAP; length > 0 && text[length] != ' ';)
        length--;
    printf("  %.*s\n", length, text);
    text += length + (text[length] == ' ');
  }
}

// Of those that elements have by themselves only what happened.
static void print_events(const fly_run *run) {
  bool first = true;
  for (int k = 0; k < fly_run_events(run); k++) {
    const fly_event_told e = fly_run_event(run, k);
    if (e.count == 0 && e.part)
      continue;
    printf("  %-25s %s%s%s", first ? "events" : "", e.name, e.part ? "." : "", e.part ? e.part : "");
    first = false;
    if (e.count == 0)
      printf(" did not happen");
    else if (e.count == 1)
      printf(" at %.9g s", e.last);
    else
      printf(" %ld times, last at %.9g s", e.count, e.last);
    printf("%s%s%s\n", e.ended ? ", which ended the run" : "", e.message && e.count > 0 ? ": " : "",
           e.message && e.count > 0 ? e.message : "");
  }
}

static void print_stretch(FILE *out, const fly_stretch *p, const char *label) {
  char why[200];
  fly_stretch_reason(why, sizeof why, p);
  fprintf(out, "  %-25s %s %.6g s to %.6g s, %ld steps: %s\n", label, p->method, p->from, p->to, p->steps, why);
}

// All that the method of stretch number k did, if it is its first.
static bool sum_up(fly_stretch *sum, const fly_stretch *list, int count, int k) {
  *sum = (fly_stretch){.method = list[k].method};
  for (int i = 0; i < count; i++) {
    if (list[i].family != list[k].family)
      continue;
    if (i < k)
      return false;
    sum->to += list[i].to - list[i].from;
    sum->steps += list[i].steps;
    sum->work += list[i].work;
  }
  return true;
}

// What each method did, where there are too many stretches to read.
static void print_shares(FILE *out, const fly_stretch *list, int count) {
  fly_stretch sum;
  double all = 0;
  for (int k = 0; k < count; k++)
    all += list[k].work;
  for (int k = 0; k < count; k++)
    if (sum_up(&sum, list, count, k))
      fprintf(out, "  %-25s %s %.6g s in %ld steps, %.0f %% of the work\n", "", sum.method, sum.to, sum.steps,
              100 * sum.work / all);
}

void cli_print_stretches(FILE *out, const fly_stretch *list, int count) {
  enum { FEW = 12, FIRST = 6 };
  const int kept = count < FLY_STRETCHES_MOST ? count : FLY_STRETCHES_MOST;
  for (int k = 0; k < kept && (count <= FEW || k < FIRST); k++)
    print_stretch(out, &list[k], k == 0 ? "methods" : "");
  if (count <= FEW)
    return;
  fprintf(out, "  %25s ... %d changes in all%s\n", "", count - 1,
          kept < count ? ", of which the first and the last are kept" : "");
  print_stretch(out, &list[kept - 1], "");
  print_shares(out, list, kept);
}

// Who integrated it where one was named, or decided by an option that auto does not have: and who said so.
static void print_method(const model_run *r) {
  const char *because = NULL, *name = fly_run_method(r->run, &because), *file = NULL;
  int line = 0;
  const bool of_model = fly_run_setting_place(r->run, because ? because : "method", &file, &line);
  if (!because && strcmp(name, "auto") == 0)
    return;
  char place[CLI_NAME_MAX] = "the command line";
  if (of_model)
    snprintf(place, sizeof place, "%s:%d", file, line);
  if (because)
    printf("  method                    %s: `%s` was given (%s), which auto does not have\n", name, because, place);
  else
    printf("  method                    %s (%s)\n", name, place);
}

static void print_certificate(const model_run *r) {
  fly_certificate c = fly_run_certificate(r->run);
  fly_stats s = fly_run_stats(r->run);
  const fly_dae_options *o = fly_run_dae_options(r->run);
  print_verdict(r);
  printf("\nCertificate (residuals: the largest over all accepted steps)\n");
  printf("  run                       %s%s\n", r->status == FLY_OK ? "done as asked" : "not as asked: ",
         r->status == FLY_OK ? "" : fly_status_name(r->status));
  printf("  time                      %.9g s of %.9g s\n", fly_run_time(r->run), fly_run_end(r->run));
  print_events(r->run);
  printf("  steps                     %ld accepted, %ld rejected by the error test, %ld by the corrector\n", s.steps,
         s.rejected_error, s.rejected_newton);
  if (o->step == 0)
    printf("  errors of the steps       estimates add up to %.2e; %.2e was allowed%s\n", c.estimate, o->error,
           o->error_per == FLY_PER_STEP ? " in each" : "");
  print_method(r);
  fly_stretch list[FLY_STRETCHES_MOST];
  cli_print_stretches(stdout, list, fly_run_stretches(r->run, list, FLY_STRETCHES_MOST));
  print_time_dependence(&c, &s);
  print_leaps(&s);
  if (s.singular_steps > 0)
    printf("  singular positions        passed in %ld steps, whose error round-off hides (estimates %.2e)\n",
           s.singular_steps, c.singular);
  if (s.repartitions > 0)
    printf("  independent coordinates   chosen anew %ld times\n", s.repartitions);
  if (s.stiff_steps > s.steps / 2)
    printf(
        "  stability                 limits %ld steps, not the error: stiff to an explicit method; try ch or radau\n",
        s.stiff_steps);
  printf("  position constraints      |g| <= %.2e m, rad\n", c.position);
  printf("  velocity constraints      |G v + g_t| <= %.2e m/s, rad/s\n", c.velocity);
  printf("  acceleration constraints  |G v' + gamma| <= %.2e m/s^2, rad/s^2\n", c.acceleration);
  printf("  start                     moved by %.2e in positions, %.2e in velocities to fit the joints\n",
         c.start_position, c.start_velocity);
  cli_print_not_finite(r->run);
  print_rest(r);
}

static void print_energy(const char *name, double start, double end) {
  printf("  %-20s %16.6g %16.6g %16.6g\n", name, start, end, end - start);
}

static void print_work(const char *name, double work) { printf("  %-20s %50.6g\n", name, work); }

enum { HOT = 5 };

static void print_hottest(const fly_run *run) {
  fly_hot_contact hot[HOT];
  const int count = fly_run_hottest(run, hot, HOT);
  if (count == 0)
    return;
  printf(
      "\nHottest contacts                                  heat [J]   largest force [N]        at [s]   deepest [m]\n");
  for (int k = 0; k < count; k++)
    printf("  %-40.40s %15.6g %19.6g %13.6g %13.4g\n", hot[k].name, hot[k].heat, hot[k].largest, hot[k].when,
           hot[k].deepest);
}

void cli_print_ledger(const fly_run *run) {
  fly_hot_contact hot[HOT];
  fly_ledger l = fly_run_ledger(run);
  printf("\nEnergy ledger [J]             at the start       at the end           change\n");
  print_energy("kinetic", l.start_kinetic, l.kinetic);
  print_energy("gravity", l.start_gravity, l.gravity);
  print_energy("springs", l.start_springs, l.springs);
  if (fly_run_hottest(run, hot, HOT) > 0)
    print_energy("  in contacts", l.start_contacts, l.contacts);
  print_energy("total", l.start_kinetic + l.start_gravity + l.start_springs, l.kinetic + l.gravity + l.springs);
  print_work("work of forces", l.forces);
  print_work("work of motions", l.motions);
  print_work("lost in dampers", 0.0 - l.damping);
  if (fly_run_hottest(run, hot, HOT) > 0)
    print_work("  in contacts", 0.0 - l.contact_heat);
  if (l.events != 0)
    print_work("changed by events", l.events);
  print_work("imbalance", l.imbalance);
  printf("  imbalance at most %.2e J", l.worst);
  if (l.moved > 0)
    printf(", %.2e of the energy that moved (%.3g J)", l.worst / l.moved, l.moved);
  putchar('\n');
  print_hottest(run);
}

static void print_stats(const model_run *r) {
  fly_stats s = fly_run_stats(r->run);
  printf("\nStatistics\n");
  printf("  Newton iterations %ld, evaluations %ld, derivatives %ld, factorizations %ld new and %ld kept pivots\n",
         s.newton_iterations, s.residuals, s.jacobians, s.factorizations, s.refactorizations);
  printf("  step sizes %.4g s to %.4g s, %.3g s in the solver\n", s.h_min, s.h_max, s.wall_s);
}

static void print_phase(const fly_profile *p, fly_phase phase, double all) {
  const double share = all > 0 ? 100 * p->seconds[phase] / all : 0.0;
  printf("  %-12s %10.4g s  %5.1f %%", fly_phase_name(phase), p->seconds[phase], share);
  if (fly_phase_is_counted(phase))
    printf("  %ld times\n", p->entries[phase]);
  else
    printf("  -\n");
}

// The phases in the order of a step; control, which is the rest, behind them.
static void print_profile(const model_run *r) {
  static const fly_phase order[FLY_PHASES] = {FLY_PHASE_KINEMATICS, FLY_PHASE_RESIDUAL, FLY_PHASE_JACOBIAN,
                                              FLY_PHASE_SCATTER,    FLY_PHASE_FACTOR,   FLY_PHASE_SOLVE,
                                              FLY_PHASE_CONTROL,    FLY_PHASE_OUTPUT,   FLY_PHASE_FILES};
  const fly_profile p = fly_run_profile(r->run);
  double all = 0;
  for (int k = 0; k < FLY_PHASES; k++)
    all += p.seconds[k];
  printf("\nProfile (of the clock, pilots included, less what looking at the clock takes)\n");
  for (int k = 0; k < FLY_PHASES; k++)
    print_phase(&p, order[k], all);
  printf("  %-12s %10.4g s\n", "total", all);
}

// ------------------------------------------------------------------------------------------ the commands

static int fail(const model_run *r) {
  cli_message("%s", r->error.message);
  return cli_exit_status(r->status);
}

// Reads the model and makes it ready. < 0: go on.
static int prepare(model_run *r, const char *file, const char *base) {
  if (base)
    cli_before_a_run();
  fly_load_options load = fly_load_options_default();
  load.nset = r->nset;
  load.set = r->set;
  load.ninput = r->ninput;
  load.input = r->input;
  load.plugins = r->s.plugins;
  r->status = cli_load_model_with(&r->mechanism, file, &load, &r->error);
  if (r->status)
    return fail(r);
  fly_run_options o = make_options(r, base);
  r->status = fly_run_create(&r->run, r->mechanism, &o, &r->error);
  if (r->status == FLY_OK && base)
    cli_with_a_part(base);
  if (r->status == FLY_OK)
    r->status = fly_run_start(r->run, &r->error);
  if (r->status == FLY_OK)
    return -1;
  cli_leave_on_interrupt(); // the part tells why it failed
  return fail(r);
}

static int finish(model_run *r, int exit_status) {
  fly_run_free(r->run);
  fly_mechanism_free(r->mechanism);
  cli_resume_free(&r->resume);
  return exit_status;
}

// Of a run that failed too: it is the one to look at.
static int finish_with_report(model_run *r, int exit_status, const char *out) {
  const bool wanted = r->s.report && r->run != NULL;
  const bool unstarted = r->run != NULL && !r->started && r->status != FLY_FILE && !r->s.json;
  fly_run_free(r->run); // its results are closed then
  r->run = NULL;
  if (unstarted && stays_beside(out))
    cli_print_files(0, out, r->s.csv);
  const int written = wanted ? cli_report_run(r->s.json ? stderr : stdout, out) : CLI_DONE;
  return finish(r, exit_status != CLI_DONE ? exit_status : written);
}

static int read_arguments(model_run *r, cli_arguments *a, const cli_command *command, int argc, char **argv) {
  argc = cli_take_repeated("set", r->set, &r->nset, CLI_MOST_SETS, argc, argv);
  argc = cli_take_repeated("input", r->input, &r->ninput, CLI_MOST_SETS, argc, argv);
  int exit_status = cli_read(a, &r->s, command, argc, argv);
  if (exit_status < 0 && a->nword != 1) {
    cli_message("%s takes one model file; see flyball %s --help.", command->name, command->name);
    return CLI_USAGE;
  }
  if (!cli_given(a, "method"))
    r->s.method.name = NULL;
  return exit_status;
}

// The files of a run that goes on, wherever one stands now. < 0: go on.
static int find_files(model_run *r, const char **model) {
  char *folder = cli_resume_folder(&r->resume, *model);
  if (!folder)
    return CLI_USAGE;
  *model = cli_resume_name(&r->resume, folder, *model, 0);
  for (int k = 0; k < r->ninput; k++) {
    const char *file = strchr(r->input[k], '=');
    if (file)
      r->input[k] = cli_resume_name(&r->resume, folder, r->input[k], (size_t)(file + 1 - r->input[k]));
  }
  free(folder);
  return -1;
}

int cmd_check(int argc, char **argv) {
  model_run r = {0};
  cli_arguments a;
  int exit_status = read_arguments(&r, &a, &check_command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  exit_status = prepare(&r, a.word[0], NULL);
  if (exit_status >= 0)
    return finish(&r, exit_status);
  fly_mechanism_info i = fly_run_info(r.run);
  fly_certificate c = fly_run_certificate(r.run);
  cli_print_counts(&i);
  cli_print_redundancy(r.run);
  cli_print_warnings(r.mechanism, fly_run_warnings(r.run));
  printf("  assembled            moved by %.2e in positions, %.2e in velocities (radians and sizes of the model)\n",
         c.start_position, c.start_velocity);
  return finish(&r, CLI_DONE);
}

int cmd_run(int argc, char **argv) {
  model_run r = {0};
  cli_arguments a;
  char base[CLI_NAME_MAX];
  int exit_status = cli_resume_read(&r.resume, &argc, &argv);
  if (exit_status >= 0)
    return exit_status;
  cli_resume_keep(&r.resume, argc, argv);
  exit_status = read_arguments(&r, &a, &run_command, argc, argv);
  if (exit_status >= 0)
    return finish(&r, exit_status);
  cli_base_name(base, sizeof base, a.word[0]);
  const char *out = r.resume.base ? r.resume.base : r.s.out ? r.s.out : base;
  cli_resume_keep_place(&r.resume, out);
  const char *model = a.word[0];
  exit_status = find_files(&r, &model);
  if (exit_status < 0)
    exit_status = prepare(&r, model, out);
  if (exit_status >= 0)
    return finish_with_report(&r, exit_status, out);
  r.started = true;
  cli_catch_interrupt();
  r.progress = cli_progress_start();
  r.status = fly_run_go(r.run, &r.error);
  cli_release_interrupt();
  cli_progress_clear(&r.progress);
  if (r.s.json) {
    fly_run_record(r.run, false, fly_to_file, stdout);
  } else {
    fly_mechanism_info i = fly_run_info(r.run);
    cli_print_counts(&i);
    cli_print_redundancy(r.run);
    cli_print_warnings(r.mechanism, fly_run_warnings(r.run));
    print_certificate(&r);
    cli_print_ledger(r.run);
    if (r.s.stats)
      print_stats(&r);
    if (r.s.profile)
      print_profile(&r);
    if (r.status != FLY_FILE)
      cli_print_files(fly_run_rows(r.run), out, r.s.csv);
  }
  if (r.status)
    cli_message("%s", r.error.message);
  exit_status = cli_interrupted() ? cli_interruption_status() : cli_exit_status(r.status);
  return finish_with_report(&r, exit_status, out);
}
