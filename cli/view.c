// flyball view: the page of a model that is assembled and not run.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "browser.h"
#include "cli.h"
#include "flyball/model.h"
#include "load.h"
#include "options.h"
#include "report.h"

typedef struct settings {
  const char *set, *out;
  bool open, plugins;
} settings;

static const cli_option options[] = {
    {"out", CLI_TEXT, offsetof(settings, out), "FILE.html", NULL, "where the page goes: MODEL-view.html"},
    {"open", CLI_FLAG, offsetof(settings, open), NULL, NULL, "show it in the browser"},
    CLI_PLUGINS_OPTION(offsetof(settings, plugins)),
    {"set", CLI_TEXT, offsetof(settings, set), "P=V", NULL, "give parameter P the value V; may be repeated"},
    {0},
};

static const cli_command view_command = {
    .name = "view",
    .usage = "view MODEL.yaml [-o FILE.html] [--open] [--set P=V]...",
    .about =
        "Assembles a model and writes it as an HTML page, to see its geometry, joints and axes before any run. A "
        "model\n"
        "that cannot be assembled is shown where it fits as well as it can, its open joints marked, with the reason.",
    .options = options,
    .notes = "Example\n  flyball view examples/bricard.yaml --open",
    .max_words = 1,
};

enum { MOST_SETS = 64 };

// Writes the assembled start as a result. *written: there is one, even if it shows a failure.
static fly_status write_start(const fly_mechanism *m, const char *base, bool *written, fly_error *error) {
  fly_run *run = NULL;
  fly_run_options o = fly_run_options_default();
  o.out = base;
  o.hdf5 = true;
  o.end = 1; // a model may be looked at before it says how long to run
  fly_status status = fly_run_create(&run, m, &o, error);
  *written = status == FLY_OK;
  if (status == FLY_OK)
    status = fly_run_start(run, error);
  if (status == FLY_OK && fly_run_info(run).bodies == 0) {
    *written = false;
    *error = (fly_error){.status = FLY_BAD_INPUT, .time = (double)NAN};
    snprintf(error->message, sizeof error->message,
             "The model has no bodies: there is nothing to see. flyball run MODEL --report shows how its states go.");
    status = FLY_BAD_INPUT;
  }
  if (status == FLY_OK)
    status = fly_run_show(run, error);
  fly_run_free(run);
  return status;
}

static int show_model(const fly_mechanism *m, const char *name, const char *page, const char *folder) {
  char base[1300];
  const char *result = base;
  fly_error error = {0};
  bool written = false;
  const fly_report_options o = fly_report_options_default();
  snprintf(base, sizeof base, "%s/%s", folder, name);
  const fly_status status = write_start(m, base, &written, &error);
  if (status)
    cli_message("%s", error.message);
  const int exit_status = written ? cli_write_report(stdout, page, 1, &result, &o) : CLI_DONE;
  return status ? cli_exit_status(status) : exit_status;
}

static int view(const fly_mechanism *m, const char *file, const settings *s) {
  char name[256], page[300], folder[1000];
  cli_base_name(name, sizeof name, file);
  snprintf(page, sizeof page, "%s-view.html", name);
  if (!cli_scratch_make(folder, sizeof folder)) {
    cli_message("no temporary folder can be made at %s.", folder);
    return CLI_FAILED;
  }
  const char *out = s->out ? s->out : page;
  const int exit_status = show_model(m, name, out, folder);
  cli_scratch_remove(folder);
  return exit_status == CLI_DONE && s->open ? cli_open_in_browser(out) : exit_status;
}

int cmd_view(int argc, char **argv) {
  cli_arguments a;
  settings s = {0};
  const char *set[MOST_SETS];
  int nset = 0;
  fly_mechanism *m = NULL;
  fly_error error = {0};
  argc = cli_take_repeated("set", set, &nset, MOST_SETS, argc, argv);
  int exit_status = cli_read(&a, &s, &view_command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  if (a.nword != 1) {
    cli_message("view takes one model file; see flyball view --help.");
    return CLI_USAGE;
  }
  fly_load_options load = fly_load_options_default();
  load.nset = nset;
  load.set = set;
  load.plugins = s.plugins;
  const fly_status status = cli_load_model_with(&m, a.word[0], &load, &error);
  if (status) {
    cli_message("%s", error.message);
    return cli_exit_status(status);
  }
  exit_status = view(m, a.word[0], &s);
  fly_mechanism_free(m);
  return exit_status;
}
