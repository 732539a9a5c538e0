// flyball statics: where a model rests, and what holds it there.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "flyball/model.h"
#include "load.h"
#include "options.h"
#include "run.h"

typedef struct settings {
  const char *set, *by, *out, *channels;
  bool json, all, allow_nan, strict, plugins;
  bool csv; // a CSV file too
} settings;

static const cli_option options[] = {
    {"Options", CLI_HEADING, 0, NULL, NULL, NULL},
    {"set", CLI_TEXT, offsetof(settings, set), "P=V", NULL, "give parameter P the value V; may be repeated"},
    {"by", CLI_TEXT, offsetof(settings, by), "newton|energy|settling", NULL,
     "how it is found: newton on the equations of equilibrium, and settling if that fails;\n"
     "energy: the nearest minimum of the potential energy; settling: a motion that is slowed down"},
    {"channels", CLI_TEXT, offsetof(settings, channels), "LIST", NULL,
     "which are written, as of flyball run: bodies,joints,forces,energies,states,variables,outputs"},
    {"out", CLI_TEXT, offsetof(settings, out), "BASE", NULL, "write BASE.h5: MODEL-statics"},
    {"csv", CLI_FLAG, offsetof(settings, csv), NULL, NULL, "write BASE.csv too"},
    {"strict", CLI_FLAG, offsetof(settings, strict), NULL, NULL,
     "what is odd in the model or its start (the warnings) is an error"},
    {"allow-nan", CLI_FLAG, offsetof(settings, allow_nan), NULL, NULL,
     "values of channels may be NaN or infinite; else it is not done as asked"},
    CLI_PLUGINS_OPTION(offsetof(settings, plugins)),
    {"all", CLI_FLAG, offsetof(settings, all), NULL, NULL, "list every body, joint and force, however many there are"},
    {"json", CLI_FLAG, offsetof(settings, json), NULL, NULL, "print the record, a JSON object, instead of the report"},
    {0},
};

static const cli_command command = {
    .name = "statics",
    .usage = "statics MODEL.yaml [--by newton|energy|settling] [options]",
    .about = "Finds where a model rests, beginning where it is assembled; says whether it is stable there, and lists "
             "where bodies\n"
             "stand, what joints carry and what forces do. Motions hold their value at t = 0.",
    .options = options,
    .notes = "Examples\n"
             "  flyball statics examples/hanging-chain.yaml\n"
             "  flyball statics examples/toggle.yaml --by energy --set side=-1",
    .max_words = 1,
};

enum { MOST_SETS = 64, MOST_LINES = 40, NAME = 24 };
static const double ROUNDING = 1e-12;

// ------------------------------------------------------------------------------------------ report

static void print_poise(const fly_equilibrium *e, int states) {
  printf("  equilibrium   ");
  if (e->freedoms == 0 && states > 0)
    printf("all rates vanish, and no body can move; flyball modes says whether it is stable\n");
  else if (e->freedoms == 0)
    printf("nothing can move\n");
  else if (e->poise == FLY_POISE_UNKNOWN)
    printf("found, stability not known\n");
  else if (e->poise == FLY_POISE_STABLE)
    printf("stable, in every direction it can move in\n");
  else
    printf("%s in %d of %d direction%s\n", e->poise == FLY_POISE_UNSTABLE ? "unstable" : "neutral",
           e->poise == FLY_POISE_UNSTABLE ? e->unstable : e->neutral, e->freedoms, e->freedoms == 1 ? "" : "s");
}

static void print_lines_of(const char *title, const char *text) {
  for (const char *line = text; *line;) {
    int length = (int)strcspn(line, "\n");
    printf("  %-13s %.*s\n", title, length, line);
    line += length + (line[length] != 0);
  }
}

static void print_summary(const fly_run *run, const fly_mechanism *m) {
  const fly_mechanism_info i = fly_run_info(run);
  const fly_equilibrium *e = fly_run_equilibrium(run);
  const int freedoms = i.coordinates - i.rank;
  printf("%s: %d %s, %d degree%s of freedom\n", i.name ? i.name : "model", i.bodies, i.bodies == 1 ? "body" : "bodies",
         freedoms, freedoms == 1 ? "" : "s");
  print_poise(e, fly_run_info(run).states);
  if (e->freedoms > 0 && !isnan(e->lowest))
    printf("  softest       %.6g 1/s^2, stiffness over mass\n", e->lowest);
  printf("  found by      %s, %ld iterations", e->by, e->iterations);
  if (e->time > 0)
    printf(", after %.4g s of motion", e->time);
  printf("\n  moved         %.4g m, %.4g deg at most from where it was assembled\n", e->moved,
         e->turned * 180 / 3.14159265358979323846);
  printf("  left over     %.2e of the forces\n", e->residual);
  print_lines_of("warning", fly_mechanism_warnings(m));
  print_lines_of("warning", fly_run_warnings(run));
  print_lines_of("note", e->notes);
  if (i.redundant > 0)
    printf("  redundant     %d of %d constraint rows, taken out; the reactions of these sets are not unique:\n",
           i.redundant, i.rows);
  print_lines_of("", fly_run_redundancy(run));
}

static void print_heading(const fly_rest_line *l) {
  static const char *const titles[][2] = {{"bodies", "Bodies: mass centres, and how far they turned"},
                                          {"joints", "Joints: on the second body, along the axes of the first marker"},
                                          {"forces", "Forces"}};
  for (size_t k = 0; k < sizeof titles / sizeof *titles; k++)
    if (strcmp(l->section, titles[k][0]) == 0)
      printf("\n%s\n", titles[k][1]);
}

static void print_labels(const fly_rest_line *l) {
  char label[40];
  printf("  %-*s", NAME, "");
  for (int c = 0; c < l->count; c++) {
    snprintf(label, sizeof label, "%s [%s]", l->label[c], l->unit[c]);
    printf(" %12s", label);
  }
  putchar('\n');
}

// The largest value in a section: what is far below it is rounding, and printed as 0.
static double largest(fly_run *run, const char *section) {
  double most = 0;
  for (int k = 0; k < fly_run_rest_lines(run); k++) {
    const fly_rest_line line = fly_run_rest_line(run, k);
    for (int c = 0; strcmp(line.section, section) == 0 && c < line.count; c++)
      most = fmax(most, fabs(line.value[c]));
  }
  return most;
}

static void print_line(const fly_rest_line *line, double most) {
  printf("  %-*.*s", NAME, NAME, line->name);
  for (int c = 0; c < line->count; c++)
    printf(" %12.6g", fabs(line->value[c]) <= ROUNDING * most ? 0.0 : line->value[c]);
  putchar('\n');
}

static void print_lines(fly_run *run, bool all) {
  const fly_rest_line *before = NULL;
  fly_rest_line line, last;
  int shown = 0, hidden = 0;
  double most = 0;
  for (int k = 0; k < fly_run_rest_lines(run); k++) {
    line = fly_run_rest_line(run, k);
    bool section = !before || before->section != line.section;
    if (section && hidden > 0)
      printf("  ... and %d more: --all lists them\n", hidden);
    if (section) {
      shown = hidden = 0;
      most = largest(run, line.section);
      print_heading(&line);
    }
    if (shown >= MOST_LINES && !all) {
      hidden++;
    } else {
      if (section || before->label[0] != line.label[0] || before->count != line.count)
        print_labels(&line);
      print_line(&line, most);
      shown++;
    }
    last = line;
    before = &last;
  }
  if (hidden > 0)
    printf("  ... and %d more: --all lists them\n", hidden);
}

// ------------------------------------------------------------------------------------------ the command

// The model's file name without folder and ending, and what it is.
static void base_name(char *out, size_t size, const char *file) {
  cli_base_name(out, size, file);
  strncat(out, "-statics", size - strlen(out) - 1);
}

static fly_status find(fly_run **run, const fly_mechanism *m, const settings *s, const char *base, fly_error *error) {
  fly_run_options o = fly_run_options_default();
  o.end = 1; // nothing runs
  o.allow_nan = s->allow_nan;
  o.strict = s->strict;
  o.out = base;
  o.hdf5 = true;
  o.csv = s->csv;
  o.channels = s->channels ? s->channels : "bodies,joints,forces,energies,states,variables,outputs";
  fly_status status = fly_run_create(run, m, &o, error);
  if (status == FLY_OK)
    status = fly_run_rest(*run, s->by, error);
  return status ? status : fly_run_show(*run, error);
}

static int report(fly_run *run, const fly_mechanism *m, const settings *s, const char *base) {
  if (s->json) {
    fly_run_record(run, false, fly_to_file, stdout);
    return CLI_DONE;
  }
  print_summary(run, m);
  print_lines(run, s->all);
  cli_print_files(1, base, s->csv);
  return CLI_DONE;
}

int cmd_statics(int argc, char **argv) {
  cli_arguments a;
  settings s = {0};
  const char *set[MOST_SETS];
  int nset = 0;
  char name[256];
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  fly_error error = {0};
  argc = cli_take_repeated("set", set, &nset, MOST_SETS, argc, argv);
  int exit_status = cli_read(&a, &s, &command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  if (a.nword != 1) {
    cli_message("statics takes one model file; see flyball statics --help.");
    return CLI_USAGE;
  }
  base_name(name, sizeof name, a.word[0]);
  const char *base = s.out ? s.out : name;
  fly_load_options load = fly_load_options_default();
  load.nset = nset;
  load.set = set;
  load.plugins = s.plugins;
  fly_status status = cli_load_model_with(&m, a.word[0], &load, &error);
  if (status == FLY_OK)
    status = find(&run, m, &s, base, &error);
  const bool found = run && fly_run_equilibrium(run) && fly_run_rows(run) > 0; // with values that are not finite too
  const int shown = found ? report(run, m, &s, base) : CLI_DONE;
  if (status)
    cli_message("%s", error.message);
  exit_status = status ? cli_exit_status(status) : shown;
  fly_run_free(run);
  fly_mechanism_free(m);
  return exit_status;
}
