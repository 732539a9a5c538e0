#include "driven.h"
#include "load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "flyball/flyball.h"
#include "report.h"
#include "run.h"
#include "terminal.h"

enum { MOST_LOADS = 40 };

// What a motion pushes, or what is missing, over all rows.
typedef struct load {
  int place;
  double least, most, at_least, at_most; // and when
} load;

typedef struct driven {
  driven_settings s;
  fly_analysis analysis;
  int nset;
  const char *set[CLI_MOST_SETS];
  const char *out;
  fly_mechanism *mechanism;
  fly_run *run;
  cli_progress progress;
  fly_status status;
  fly_error error;
  int nload;
  load load[MOST_LOADS];
} driven;

static bool ends_in(const char *name, const char *end) {
  const size_t n = strlen(name), m = strlen(end);
  return n > m && strcmp(name + n - m, end) == 0;
}

static void find_loads(driven *d) {
  const char *name, *unit;
  for (int k = 1; (name = fly_run_channel_name(d->run, k, &unit)) != NULL && d->nload < MOST_LOADS; k++)
    if (ends_in(name, ".torque") || ends_in(name, ".force") || ends_in(name, ".power") || strstr(name, ".missing_"))
      d->load[d->nload++] = (load){.place = k, .least = HUGE_VAL, .most = -HUGE_VAL};
}

static void note_row(const double *row, void *user) {
  driven *d = user;
  for (int k = 0; k < d->nload; k++) {
    load *l = &d->load[k];
    const double value = row[l->place];
    if (value < l->least) {
      l->least = value;
      l->at_least = row[0];
    }
    if (value > l->most) {
      l->most = value;
      l->at_most = row[0];
    }
  }
}

static void print_loads(const driven *d) {
  if (d->nload == 0 || fly_run_rows(d->run) == 0)
    return;
  printf("\n%-32s%16s  %-14s%16s  %s\n", d->s.follow ? "What is missing" : "What the motions take", "least", "at t [s]",
         "most", "at t [s]");
  for (int k = 0; k < d->nload; k++) {
    const load *l = &d->load[k];
    const char *unit, *name = fly_run_channel_name(d->run, l->place, &unit);
    char label[100];
    snprintf(label, sizeof label, "%s [%s]", name, unit);
    printf("  %-30s%16.6g  %-14.6g%16.6g  %.6g\n", label, l->least, l->at_least, l->most, l->at_most);
  }
}

static bool show_progress(double t, double end, long steps, void *user) {
  driven *d = user;
  if (cli_progress_due(&d->progress)) {
    char text[100];
    snprintf(text, sizeof text, "t = %.4g s, %ld steps", t, steps);
    cli_progress_show(&d->progress, t / end, text);
  }
  return !cli_interrupted();
}

static void print_certificate(const driven *d) {
  fly_certificate c = fly_run_certificate(d->run);
  fly_stats s = fly_run_stats(d->run);
  double when, rcond = fly_run_conditioning(d->run, &when);
  printf("\nCertificate (residuals: the largest over all %s)\n", d->s.follow ? "rows" : "steps");
  printf("  analysis                  %s%s\n", d->status == FLY_OK ? "done as asked" : "not as asked: ",
         d->status == FLY_OK ? "" : fly_status_name(d->status));
  printf("  time                      %.9g s%s\n", fly_run_time(d->run), d->status ? ", where it ended" : "");
  if (d->s.follow)
    printf("  data                      %ld rows, moved by at most %.2e in positions, %.2e in velocities to fit\n",
           s.steps, c.start_position, c.start_velocity);
  else
    printf("  steps                     %ld accepted, %ld rejected; %ld Newton iterations\n", s.steps,
           s.rejected_newton, s.newton_iterations);
  printf("  position constraints      |g| <= %.2e m, rad\n", c.position);
  printf("  velocity constraints      |G v + g_t| <= %.2e m/s, rad/s\n", c.velocity);
  printf("  acceleration constraints  |G v' + gamma| <= %.2e m/s^2, rad/s^2\n", c.acceleration);
  printf("  conditioning              ratio of pivots >= %.2e, smallest at t = %.6g s\n", rcond, when);
  if (!d->s.follow)
    printf("  start                     moved by %.2e in positions, %.2e in velocities to fit the joints\n",
           c.start_position, c.start_velocity);
  cli_print_not_finite(d->run);
  if (*fly_run_notes(d->run) || *fly_run_left_out(d->run)) {
    printf("  to know\n");
    cli_print_lines(fly_run_left_out(d->run));
    cli_print_lines(fly_run_notes(d->run));
  }
}

static void print_all(const driven *d) {
  fly_mechanism_info i = fly_run_info(d->run);
  fly_stats s = fly_run_stats(d->run);
  cli_print_counts(&i);
  cli_print_redundancy(d->run);
  cli_print_warnings(d->mechanism, fly_run_warnings(d->run));
  if (d->analysis == FLY_INVERSE)
    print_loads(d);
  print_certificate(d);
  if (d->analysis == FLY_INVERSE && !d->s.follow)
    cli_print_ledger(d->run);
  if (d->s.stats)
    printf("\nStatistics\n  evaluations %ld, factorizations %ld new and %ld kept pivots, step sizes %.4g s to %.4g s\n",
           s.residuals, s.factorizations, s.refactorizations, s.h_min, s.h_max);
  if (d->status != FLY_FILE)
    cli_print_files(fly_run_rows(d->run), d->out, d->s.csv);
}

static void prepare(driven *d, const char *file) {
  fly_run_options o = fly_run_options_default();
  o.analysis = d->analysis;
  o.follow = d->s.follow;
  o.end = d->s.end;
  o.output = d->s.output;
  o.channels = d->s.channels;
  o.allow_nan = d->s.allow_nan;
  o.strict = d->s.strict;
  o.out = d->out;
  o.hdf5 = true;
  o.csv = d->s.csv;
  o.stop = cli_wants_stop;
  o.why = cli_who_stopped;
  o.progress = show_progress;
  o.row = note_row;
  o.user = d;
  cli_before_a_run();
  fly_load_options model = fly_load_options_default();
  model.nset = d->nset;
  model.set = d->set;
  model.plugins = d->s.plugins;
  d->status = cli_load_model_with(&d->mechanism, file, &model, &d->error);
  if (d->status == FLY_OK)
    d->status = fly_run_create(&d->run, d->mechanism, &o, &d->error);
  if (d->status == FLY_OK)
    cli_with_a_part(d->out);
  if (d->status == FLY_OK)
    find_loads(d);
  if (d->status == FLY_OK)
    d->status = fly_run_start(d->run, &d->error);
  if (d->status)
    cli_leave_on_interrupt(); // the part tells why it failed
}

static int finish(driven *d, int exit_status) {
  const bool created = d->run != NULL;
  fly_run_free(d->run);
  fly_mechanism_free(d->mechanism);
  if (!d->s.report || !created)
    return exit_status;
  const int written = cli_report_run(d->s.json ? stderr : stdout, d->out);
  return exit_status != CLI_DONE ? exit_status : written;
}

int driven_main(const cli_command *command, fly_analysis analysis, int argc, char **argv) {
  driven d = {.analysis = analysis};
  cli_arguments a;
  char base[256];
  argc = cli_take_repeated("set", d.set, &d.nset, CLI_MOST_SETS, argc, argv);
  int exit_status = cli_read(&a, &d.s, command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  if (a.nword != 1) {
    cli_message("%s takes one model file; see flyball %s --help.", command->name, command->name);
    return CLI_USAGE;
  }
  cli_base_name(base, sizeof base, a.word[0]);
  d.out = d.s.out ? d.s.out : base;
  prepare(&d, a.word[0]);
  const bool started = d.status == FLY_OK;
  if (started) {
    cli_catch_interrupt();
    d.progress = cli_progress_start();
    d.status = fly_run_go(d.run, &d.error);
    cli_release_interrupt();
    cli_progress_clear(&d.progress);
  }
  if (started && d.s.json)
    fly_run_record(d.run, false, fly_to_file, stdout);
  else if (started)
    print_all(&d);
  if (d.status)
    cli_message("%s", d.error.message);
  return finish(&d, cli_interrupted() ? cli_interruption_status() : cli_exit_status(d.status));
}
