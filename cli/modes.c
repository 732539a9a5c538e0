// flyball modes: a model linearized at a state, its modes and state matrices.
#include "flyball/modes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "load.h"
#include "margins.h"
#include "options.h"
#include "run.h"

enum { MOST = 64 }; // of an option that may be repeated

typedef struct settings {
  const char *at, *frame, *out, *loop, *repeated;
  bool anyway, json, allow_nan, strict, plot;
  long count;
  double shift;
  int by;
  cli_optional_text matrices;
  bool plugins;
} settings;

static const cli_option options[] = {
    {"at", CLI_TEXT, offsetof(settings, at), "STATE", "start",
     "start: as assembled; a time: where a run is then [s];\nequilibrium: found from the start"},
    {"strict", CLI_FLAG, offsetof(settings, strict), NULL, NULL,
     "what is odd in the model or its start (the warnings) is an error"},
    {"allow-nan", CLI_FLAG, offsetof(settings, allow_nan), NULL, NULL,
     "values of the result may be NaN or infinite; else it is not done as asked"},
    {"anyway", CLI_FLAG, offsetof(settings, anyway), NULL, NULL, "also where the model is not in equilibrium"},
    {"frame", CLI_TEXT, offsetof(settings, frame), "BODY", NULL,
     "see a steady motion from this body, such as a shaft: from\nspace"},
    {"count", CLI_COUNT, offsetof(settings, count), "N", NULL, "so many modes, the lowest: all, of large models 20"},
    {"shift", CLI_POSITIVE, offsetof(settings, shift), "HZ", NULL, "those nearest to this frequency instead [Hz]"},
    {"by", CLI_CHOICE, offsetof(settings, by), "auto|dense|arpack", "auto",
     "all modes by dense matrices, or some by ARPACK, which\nlarge models need"},
    {"matrices", CLI_OPTIONAL_TEXT, offsetof(settings, matrices), "BASE", NULL,
     "write A, B, C, D to BASE.m (MATLAB, Octave) and BASE.json\n(Python); BASE is the model's name if not given"},
    {"input", CLI_TEXT, offsetof(settings, repeated), "FORCE", NULL,
     "an input u: a force by name, or NAME.fx ... NAME.tz;\nmay be repeated"},
    {"output", CLI_TEXT, offsetof(settings, repeated), "OUTPUT", NULL,
     "an output y of the model: all; may be repeated"},
    {"loop", CLI_TEXT, offsetof(settings, loop), "VARIABLE", NULL,
     "instead of modes: the loop opened at a variable, its gain,\nphase and delay margins"},
    {"plot", CLI_FLAG, offsetof(settings, plot), NULL, NULL, "draw the response of the loop"},
    {"out", CLI_TEXT, offsetof(settings, out), "BASE", NULL, "write BASE.h5, for flyball report: the modes move there"},
    {"json", CLI_FLAG, offsetof(settings, json), NULL, NULL, "all of it as JSON, instead of the table"},
    CLI_PLUGINS_OPTION(offsetof(settings, plugins)),
    {"set", CLI_TEXT, offsetof(settings, repeated), "P=V", NULL, "give parameter P the value V; may be repeated"},
    {0},
};

static const cli_command modes_command = {
    .name = "modes",
    .usage = "modes MODEL.yaml [options]",
    .about = "Linearizes a model and tells how it vibrates: frequencies, damping ratios, which bodies move; what is\n"
             "unstable, and what nothing holds (rigid-body modes).",
    .options = options,
    .notes = "Examples\n"
             "  flyball modes examples/suspended-body.yaml --at equilibrium\n"
             "  flyball modes examples/rotor.yaml --out rotor && flyball report rotor.h5 --open\n"
             "  flyball modes examples/cart-pole.yaml --matrices cart_pole --input push\n"
             "  flyball modes examples/dc-motor.yaml --at 1.4 --loop wanted --plot",
    .max_words = 1,
};

// ---------------------------------------------------------------------------------------------- table

// The bodies that move most, by kinetic energy: "rotor 93 %, shaft 7 %".
static void print_movers(const fly_modes *m, const fly_mode *mode, int bodies) {
  int chosen[3] = {-1, -1, -1}, others = 0;
  for (int n = 0; n < 3; n++)
    for (int k = 0; k < bodies; k++) {
      const bool before = k == chosen[0] || k == chosen[1];
      if (!before && mode->share[k] >= 0.005 && (chosen[n] < 0 || mode->share[k] > mode->share[chosen[n]] * (1 + 1e-9)))
        chosen[n] = k;
    }
  for (int k = 0; k < bodies; k++)
    others += mode->share[k] >= 0.005 && k != chosen[0] && k != chosen[1] && k != chosen[2];
  if (chosen[0] < 0)
    printf("none more than others");
  for (int n = 0; n < 3 && chosen[n] >= 0; n++)
    printf("%s%s %.0f %%", n ? ", " : "", fly_modes_body(m, chosen[n]), 100 * mode->share[chosen[n]]);
  printf(others > 0 ? ", %d more\n" : "\n", others);
}

static void print_mode(const fly_modes *m, int k) {
  const fly_mode *mode = fly_modes_get(m, k);
  printf("%4d", k + 1);
  if (mode->imag > 0)
    printf("  %14.9g", mode->frequency);
  else
    printf("  %14s", "-");
  if (mode->imag > 0)
    printf("  %11.6g", mode->damping);
  else
    printf("  %11s", "-");
  printf("  %14.9g  %-19s  ", mode->real, fly_mode_kind_name(mode->kind));
  print_movers(m, mode, fly_modes_info_of(m).bodies);
}

static void print_state(const fly_modes_info *i) {
  printf("%s at t = %.9g s%s: %d degree%s of freedom (%d coordinates, %d independent constraint%s)\n", i->name, i->time,
         i->moving ? ", moving" : "", i->dof, i->dof == 1 ? "" : "s", i->coordinates, i->rank, i->rank == 1 ? "" : "s");
  if (i->unbalanced > 1e-6)
    printf("largest acceleration of body `%s`: %.2g %s\n", i->unbalanced_body, i->unbalanced, i->unbalanced_unit);
  if (i->moving && !i->steady)
    printf("the constraints change along this motion: its modes hold for the moment only\n");
}

static void print_notes(const char *text) {
  for (int length; *text; text += length + (text[length] != 0)) {
    length = (int)strcspn(text, "\n");
    printf("note: %.*s\n", length, text);
  }
}

static const double SLOW = 1e-5; // [1/s]: a growth that nobody sees in a day

static void print_table(const fly_modes *m, const fly_mechanism *mechanism) {
  const fly_modes_info i = fly_modes_info_of(m);
  print_state(&i);
  cli_print_warnings(mechanism, fly_modes_warnings(m));
  print_notes(fly_modes_notes(m));
  printf("\n no.  frequency [Hz]      damping      real [1/s]  kind                 moves most (kinetic energy)\n");
  for (int k = 0; k < fly_modes_count(m); k++)
    print_mode(m, k);
  printf("\n%d mode%s%s", fly_modes_count(m), fly_modes_count(m) == 1 ? "" : "s", i.all ? "" : ", not all");
  if (i.rigid > 0)
    printf(", %d rigid-body: nothing holds %s", i.rigid, i.rigid == 1 ? "it" : "them");
  if (i.unresolved > 0)
    printf(", %d NOT RESOLVED", i.unresolved);
  if (i.unstable > 0)
    printf(", %d UNSTABLE", i.unstable);
  else if (i.unresolved == 0)
    printf(i.stability ? ", none unstable" : ", none of them unstable");
  if (i.unresolved > 0 || (i.unstable == 0 && i.hidden > SLOW))
    printf("\nRounding hides growth below %.2g 1/s: the model has parts that much stiffer or more damped", i.hidden);
  putchar('\n');
}

// ---------------------------------------------------------------------------------------------- files

// A name of a script that MATLAB can call: letters, digits, _.
static void base_of(char *out, size_t size, const char *file) {
  const char *slash = strrchr(file, '/');
  snprintf(out, size, "%s", slash != NULL ? slash + 1 : file);
  char *dot = strrchr(out, '.');
  if (dot != NULL && dot != out)
    *dot = 0;
  for (char *c = out; *c != 0; c++)
    if (strchr(" -.+()", *c) != NULL)
      *c = '_';
}

static bool write_file(const fly_modes *m, const char *base, const char *end,
                       bool (*write)(const fly_modes *m, fly_sink *sink, void *user)) {
  char path[1100];
  snprintf(path, sizeof path, "%s%s", base, end);
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    cli_cannot_write(path);
    return false;
  }
  bool written = write(m, fly_to_file, file);
  written = fclose(file) == 0 && written;
  if (!written)
    cli_message("%s could not be written to its end.", path);
  return written;
}

static int write_matrices(const fly_modes *m, const settings *s, const char *model) {
  char base[1000];
  base_of(base, sizeof base, model);
  if (s->matrices.text != NULL)
    snprintf(base, sizeof base, "%s", s->matrices.text);
  if (!write_file(m, base, ".m", fly_modes_write_matlab) || !write_file(m, base, ".json", fly_modes_write_json))
    return CLI_FAILED;
  const fly_state_space *space = fly_modes_state_space(m);
  if (!s->json)
    printf("state matrices (states: %d, inputs: %d, outputs: %d): %s.m, %s.json\n", space->nstate, space->ninput,
           space->noutput, base, base);
  return CLI_DONE;
}

static int write_result(fly_modes *m, const settings *s) {
  fly_error error = {0};
  const fly_status status = fly_modes_write_result(m, s->out, &error);
  if (status) {
    cli_message("%s", error.message);
    return cli_exit_status(status);
  }
  if (!s->json)
    printf("result: %s.h5 (flyball report %s.h5 lets the modes move)\n", s->out, s->out);
  return CLI_DONE;
}

static int show_loop(const fly_modes *m, const fly_mechanism *mechanism, const settings *s) {
  const fly_modes_info i = fly_modes_info_of(m);
  print_state(&i);
  cli_print_warnings(mechanism, fly_modes_warnings(m));
  print_notes(fly_modes_notes(m));
  cli_print_loop(fly_modes_loop(m));
  return !s->plot || cli_plot_loop(fly_modes_loop(m)) ? CLI_DONE : CLI_FAILED;
}

static int write_all(fly_modes *m, const fly_mechanism *mechanism, const settings *s, const char *model) {
  int exit_status = CLI_DONE;
  if (s->json)
    exit_status = fly_modes_write_json(m, fly_to_file, stdout) ? CLI_DONE : CLI_FAILED;
  else if (s->loop != NULL)
    exit_status = show_loop(m, mechanism, s);
  else
    print_table(m, mechanism);
  if (exit_status == CLI_DONE && fly_modes_state_space(m) != NULL)
    exit_status = write_matrices(m, s, model);
  if (exit_status == CLI_DONE && s->out != NULL)
    exit_status = write_result(m, s);
  return exit_status;
}

// ---------------------------------------------------------------------------------------------- the subcommand

static bool read_state(fly_modes_options *o, const char *at) {
  if (at == NULL || strcmp(at, "start") == 0)
    return true;
  if (strcmp(at, "equilibrium") == 0) {
    o->equilibrium = true;
    return true;
  }
  if (cli_parse_number(&o->time, at))
    return true;
  cli_message("--at: '%s' is neither start, equilibrium nor a time in seconds.", at);
  return false;
}

// What is asked for beside a loop, or would need one.
static bool fits(const settings *s, bool matrices) {
  if (s->loop == NULL && s->plot)
    cli_message("--plot draws the response of a loop: give --loop VARIABLE too.");
  else if (s->loop != NULL && (s->out != NULL || matrices))
    cli_message("--loop is not with --out, --matrices, --input or --output: those are of the modes. Run it once more.");
  else
    return true;
  return false;
}

static int modes_of(const char *file, int nset, const char *const *set, const fly_modes_options *o, const settings *s) {
  fly_mechanism *mechanism = NULL;
  fly_modes *m = NULL;
  fly_error error = {0};
  fly_load_options load = fly_load_options_default();
  load.nset = nset;
  load.set = set;
  load.plugins = s->plugins;
  fly_status status = cli_load_model_with(&mechanism, file, &load, &error);
  if (status == FLY_OK)
    status = fly_modes_create(&m, mechanism, o, &error);
  if (status)
    cli_message("%s", error.message);
  const int exit_status = status ? cli_exit_status(status) : write_all(m, mechanism, s, file);
  fly_modes_free(m);
  fly_mechanism_free(mechanism);
  return exit_status;
}

int cmd_modes(int argc, char **argv) {
  cli_arguments a;
  settings s = {.shift = NAN};
  const char *set[MOST], *input[MOST], *output[MOST];
  int nset = 0, ninput = 0, noutput = 0;
  fly_modes_options o = fly_modes_options_default();
  argc = cli_take_repeated("set", set, &nset, MOST, argc, argv);
  argc = cli_take_repeated("input", input, &ninput, MOST, argc, argv);
  argc = cli_take_repeated("output", output, &noutput, MOST, argc, argv);
  const int exit_status = cli_read(&a, &s, &modes_command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  if (a.nword != 1) {
    cli_message("modes takes one model file; see flyball modes --help.");
    return CLI_USAGE;
  }
  if (!read_state(&o, s.at))
    return CLI_USAGE;
  o.anyway = s.anyway;
  o.allow_nan = s.allow_nan;
  o.strict = s.strict;
  o.frame = s.frame;
  o.count = (int)s.count;
  o.shift = s.shift;
  o.way = (fly_modes_way)s.by;
  o.matrices = s.matrices.given || ninput > 0 || noutput > 0;
  o.loop = s.loop;
  if (!fits(&s, o.matrices))
    return CLI_USAGE;
  o.ninput = ninput;
  o.input = input;
  o.noutput = noutput;
  o.output = output;
  return modes_of(a.word[0], nset, set, &o, &s);
}
