// flyball bench: how long named cases take, to the same precision, by each method.
#define _GNU_SOURCE // sched_setaffinity
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "draft.h"
#include "options.h"
#include "terminal.h"

typedef struct settings {
  const char *methods, *json, *compare, *references;
  long repeats;
  double precision, patience, limit;
  bool whole, markdown, list;
} settings;

static const cli_option options[] = {
    {"methods", CLI_TEXT, offsetof(settings, methods), "LIST", "auto,ch,radau,partition",
     "methods as run --method takes them, separated by commas; those that choose their steps\n"
     "themselves"},
    {"repeats", CLI_COUNT, offsetof(settings, repeats), "N", "3",
     "times each is run, short ones up to ten times as often; the smallest time counts"},
    {"precision", CLI_POSITIVE, offsetof(settings, precision), "X", "1",
     "factor to the precision of the cases: 0.01 asks for a hundred times as much"},
    {"whole", CLI_FLAG, offsetof(settings, whole), NULL, NULL,
     "all tolerances from 1e-2 to 1e-11, two a decade, not only up to the first that is\n"
     "precise enough: work against precision. A run longer than --patience ends a curve"},
    {"patience", CLI_POSITIVE, offsetof(settings, patience), "S", "20",
     "seconds of the clock that one run may take, with its start; tighter tolerances are\n"
     "not tried behind one that takes longer"},
    {"markdown", CLI_FLAG, offsetof(settings, markdown), NULL, NULL, "the table as Markdown"},
    {"json", CLI_TEXT, offsetof(settings, json), "FILE", NULL,
     "write all of it to FILE, at the end; may be that of --compare, which is read before"},
    {"compare", CLI_TEXT, offsetof(settings, compare), "FILE", NULL,
     "with what --json wrote before, row by row, to the same precision; exit status 1 if\n"
     "something takes longer, or no longer reaches it, or nothing could be compared"},
    {"limit", CLI_POSITIVE, offsetof(settings, limit), "R", "1.3", "of --compare: longer is more than R times as long"},
    {"references", CLI_TEXT, offsetof(settings, references), "FILE", NULL,
     "measure nothing: write the outputs that errors are measured by, as rows of numbers;\n"
     "cases measured by their energy have none"},
    {"list", CLI_FLAG, offsetof(settings, list), NULL, NULL, "measure nothing: tell the cases"},
    {0}};

static const cli_command command = {
    .name = "bench",
    .usage = "bench [CASE...] [options]",
    .about =
        "Measures how long named cases (all, if none is named) take by each method, at the loosest tolerance that\n"
        "reaches the precision of the case. Seconds are of the processor, on one core, from the first step to the "
        "last:\n"
        "reading, start and output are not in them. The methods run by themselves, without pilot runs.",
    .options = options,
    .notes =
        "Columns: the tolerance asked for; the error that came out, in the unit of the case (--list); milliseconds;\n"
        "steps, with those rejected; microseconds a step; and the ratio to the fastest method in the case. Of a row "
        "of\n"
        "dashes a line below the table tells why. After Ctrl-C the rows that are finished are told and written.\n\n"
        "Examples\n"
        "  flyball bench pendulum bricard --methods radau,partition\n"
        "  flyball bench --json before.json; flyball bench --compare before.json\n",
    .max_words = CLI_WORD_MAX};

static int list_cases(const bench_rows *rows) {
  for (int k = 0; k < rows->ncase; k++) {
    const bench_case *c = rows->c[k];
    printf("  %-11s %s: %g s, to %g %s\n", c->name, c->about, c->end, c->precision, c->unit);
  }
  return CLI_DONE;
}

// Where it is: a process that moves loses what its core has in its caches.
static void stay_on_this_core(void) {
  cpu_set_t one;
  const int core = sched_getcpu();
  CPU_ZERO(&one);
  if (core < 0)
    return;
  CPU_SET(core, &one);
  (void)sched_setaffinity(0, sizeof one, &one);
}

// ------------------------------------------------------------------------------------------ measuring

static bool write_json(const char *path, const bench_curve *curve, int count, bool complete) {
  cli_draft d;
  if (!cli_draft_open(&d, path))
    return false;
  (void)bench_write_json(curve, count, complete, fly_to_file, d.file); // what fails is found when it is closed
  return cli_draft_close(&d, true);
}

// What is finished. complete: that is all.
static int tell(const bench_curve *curve, int count, bool complete, const settings *s, const bench_baseline *b) {
  int status = CLI_DONE;
  bench_print_table(curve, count, s->markdown);
  if (s->whole)
    bench_print_curves(curve, count);
  if (s->json && !write_json(s->json, curve, count, complete))
    status = CLI_FAILED;
  if (s->compare && bench_compare(b, curve, count, s->limit) != CLI_DONE)
    status = CLI_FAILED;
  return status;
}

// How many are measured; fewer than all: interrupted, or a case cannot be run, and *status is to end with.
static int measure(bench_curve *curve, const bench_rows *rows, const settings *s, int *status) {
  const bench_options o = {s->repeats, s->precision, s->patience, s->whole};
  for (int k = 0; k < rows->ncase * rows->nmethod; k++) {
    fly_error error = {0};
    const bench_case *c = rows->c[k / rows->nmethod];
    const bool done = bench_measure_curve(&curve[k], c, rows->method[k % rows->nmethod], &o, &error);
    if (done && !cli_interrupted())
      continue;
    *status = cli_interrupted() ? cli_interruption_status() : cli_exit_status(error.status);
    if (!cli_interrupted())
      cli_message("%s: %s", c->name, error.message);
    return k;
  }
  return rows->ncase * rows->nmethod;
}

static void tell_what_is_missing(int count, int all, const char *json) {
  char why[100] = "";
  if (cli_interrupted())
    snprintf(why, sizeof why, "stopped by %s: ", cli_interruption());
  if (count > 0)
    cli_message("%sfinished %d of %d rows%s%s.", why, count, all, json ? "; the others are missing in " : "",
                json ? json : "");
  else
    cli_message("%sfinished no row%s%s.", why, json ? "; nothing was written to " : "", json ? json : "");
}

static int measure_all(const bench_rows *rows, const settings *s, const bench_baseline *b) {
  const int all = rows->ncase * rows->nmethod;
  bench_curve *curve = calloc((size_t)all, sizeof *curve);
  if (!curve) {
    cli_message("not enough memory for %d rows.", all);
    return CLI_FAILED;
  }
  int status = CLI_DONE, told = CLI_DONE;
  const int count = measure(curve, rows, s, &status);
  if (count > 0)
    told = tell(curve, count, count == all, s, b);
  if (count < all)
    tell_what_is_missing(count, all, s->json);
  free(curve);
  return status != CLI_DONE ? status : told;
}

// What would be found out too late, behind minutes of measuring.
static bool check_methods(const bench_rows *rows) {
  for (int k = 0; k < rows->nmethod; k++) {
    fly_error error = {0};
    if (bench_method_fits(rows->c[0], rows->method[k], &error))
      continue;
    cli_message("--methods: %s", error.message);
    return false;
  }
  return true;
}

static int check_and_measure(bench_rows *rows, const settings *s) {
  bench_baseline b = {0};
  int status = CLI_USAGE;
  if (!bench_choose_methods(rows, s->methods) || !check_methods(rows) || (s->json && !cli_draft_possible(s->json)) ||
      (s->compare && !bench_read_baseline(&b, s->compare)))
    return CLI_USAGE;
  if (!s->compare || bench_baseline_fits(&b, rows, s->precision)) {
    cli_catch_interrupt();
    stay_on_this_core();
    status = measure_all(rows, s, &b);
  }
  bench_free_baseline(&b);
  return status;
}

// ------------------------------------------------------------------------------------------ references

// Those cases that have none are told and taken out.
static void keep_referenced(bench_rows *rows) {
  int kept = 0;
  for (int k = 0; k < rows->ncase; k++)
    if (rows->c[k]->measure == BENCH_OUTPUTS)
      rows->c[kept++] = rows->c[k];
    else
      printf("%s: measured by its energy, needs no reference\n", rows->c[k]->name);
  rows->ncase = kept;
}

// At the floor of round-off, which is far below the precision of any case, a reference serves all the same.
static void tell_how_close(const bench_case *c, fly_error *error) {
  cli_message("%s: its reference is written as it is. %s", c->name, error->message);
  *error = (fly_error){0};
}

static int write_references(const bench_rows *rows, const char *path) {
  cli_draft d;
  fly_error error = {0};
  bool good = true;
  cli_catch_interrupt();
  if (!cli_draft_open(&d, path))
    return CLI_FAILED;
  for (int k = 0; k < rows->ncase && good; k++) {
    good = bench_write_reference(d.file, rows->c[k], &error);
    if (good && error.status == FLY_NOT_KEPT)
      tell_how_close(rows->c[k], &error);
  }
  const bool kept = cli_draft_close(&d, good || error.status == FLY_OK);
  if (!good && cli_interrupted()) {
    cli_message("stopped by %s: nothing was written to %s.", cli_interruption(), path);
    return cli_interruption_status();
  }
  if (error.status != FLY_OK)
    cli_message("%s Nothing was written to %s.", error.message, path);
  return good && kept ? CLI_DONE : CLI_FAILED;
}

static int check_and_write_references(bench_rows *rows, const char *path) {
  if (!cli_draft_possible(path))
    return CLI_USAGE;
  keep_referenced(rows);
  if (rows->ncase > 0)
    return write_references(rows, path);
  cli_message("--references: none of these cases has one, and nothing was written to %s.", path);
  return CLI_USAGE;
}

// ------------------------------------------------------------------------------------------ the command

// An option that measures nothing has no use for any other.
static bool stands_alone(const cli_arguments *a, const char *name) {
  for (const cli_option *o = options; o->name; o++)
    if (strcmp(o->name, name) != 0 && cli_given(a, o->name)) {
      cli_message("--%s measures nothing, so --%s has no use beside it: leave one of them out.", name, o->name);
      return false;
    }
  return true;
}

static bool check_options(const cli_arguments *a, const settings *s) {
  if ((s->list && !stands_alone(a, "list")) || (s->references && !stands_alone(a, "references")))
    return false;
  if (!cli_given(a, "limit") || s->compare)
    return true;
  cli_message("--limit belongs to --compare FILE, which is missing.");
  return false;
}

int cmd_bench(int argc, char **argv) {
  settings s;
  cli_arguments a;
  bench_rows rows = {0};
  const int status = cli_read(&a, &s, &command, argc, argv);
  if (status >= 0)
    return status;
  if (!check_options(&a, &s) || !bench_choose_cases(&rows, a.word, a.nword))
    return CLI_USAGE;
  if (s.list)
    return list_cases(&rows);
  return s.references ? check_and_write_references(&rows, s.references) : check_and_measure(&rows, &s);
}
