// flyball bench: how long named cases take, to the same precision, by each method.
#define _GNU_SOURCE // sched_setaffinity
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "options.h"

typedef struct settings {
  const char *methods, *json, *compare, *references;
  long repeats;
  double precision, patience, limit;
  bool whole, markdown, list;
} settings;

static const cli_option options[] = {
    {"methods", CLI_TEXT, offsetof(settings, methods), "LIST", "auto,ch,radau,partition",
     "methods as run --method takes them, separated by commas"},
    {"repeats", CLI_COUNT, offsetof(settings, repeats), "N", "3",
     "times each is run, short ones up to ten times as often; the smallest time counts"},
    {"precision", CLI_POSITIVE, offsetof(settings, precision), "X", "1",
     "factor to the precision of the cases: 0.01 asks for a hundred times as much"},
    {"whole", CLI_FLAG, offsetof(settings, whole), NULL, NULL,
     "all tolerances from 1e-2 to 1e-11, not only the first that is precise enough:\nwork against precision"},
    {"patience", CLI_POSITIVE, offsetof(settings, patience), "S", "20", "seconds that one run may take"},
    {"markdown", CLI_FLAG, offsetof(settings, markdown), NULL, NULL, "the table as Markdown"},
    {"json", CLI_TEXT, offsetof(settings, json), "FILE", NULL, "write all of it to FILE"},
    {"references", CLI_TEXT, offsetof(settings, references), "FILE", NULL,
     "only write the outputs that errors are measured by, as rows of numbers"},
    {"compare", CLI_TEXT, offsetof(settings, compare), "FILE", NULL,
     "with what --json wrote before; exit status 1 if something takes longer"},
    {"limit", CLI_POSITIVE, offsetof(settings, limit), "R", "1.3", "than R times as long"},
    {"list", CLI_FLAG, offsetof(settings, list), NULL, NULL, "only tell the cases"},
    {0}};

static const cli_command command = {
    .name = "bench",
    .usage = "bench [CASE...] [options]",
    .about =
        "Measures how long named cases take by each method, at the loosest tolerance that reaches the precision of\n"
        "the case. Seconds are of the processor, on one core, from the first step to the last: reading, start and\n"
        "output are not in them. The methods run by themselves, without pilot runs.",
    .options = options,
    .notes = "Examples\n"
             "  flyball bench pendulum bricard --methods radau,partition\n"
             "  flyball bench --json before.json; flyball bench --compare before.json\n",
    .max_words = CLI_WORD_MAX};

static void list_cases(void) {
  for (int k = 0; k < bench_case_count; k++)
    printf("  %-11s %s: %g s, to %g %s\n", bench_cases[k].name, bench_cases[k].about, bench_cases[k].end,
           bench_cases[k].precision, bench_cases[k].unit);
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

// The names of a list, into pieces of `copy`. How many; < 0: too many.
static int split(const char *name[BENCH_METHODS], char *copy, size_t size, const char *list) {
  int count = 0;
  snprintf(copy, size, "%s", list);
  for (char *next = strtok(copy, ", "); next; next = strtok(NULL, ", ")) {
    if (count == BENCH_METHODS || strlen(next) >= BENCH_NAME)
      return -1;
    name[count++] = next;
  }
  return count;
}

static int choose_cases(const bench_case **c, const cli_arguments *a) {
  for (int k = 0; k < a->nword; k++) {
    c[k] = bench_case_find(a->word[k]);
    if (!c[k]) {
      cli_message("there is no case '%s'; flyball bench --list tells them.", a->word[k]);
      return -1;
    }
  }
  for (int k = 0; a->nword == 0 && k < bench_case_count; k++)
    c[k] = &bench_cases[k];
  return a->nword > 0 ? a->nword : bench_case_count;
}

static int tell(const bench_curve *curve, int count, const settings *s) {
  int status = CLI_DONE;
  bench_print_table(curve, count, s->markdown);
  if (s->whole)
    bench_print_curves(curve, count);
  if (s->json) {
    FILE *file = fopen(s->json, "w");
    bool ok = file && bench_write_json(curve, count, fly_to_file, file);
    ok = file && fclose(file) == 0 && ok;
    if (!ok)
      cli_cannot_write(s->json);
    status = ok ? status : CLI_FAILED;
  }
  if (s->compare) {
    const int slower = bench_compare(s->compare, curve, count, s->limit);
    status = slower < 0 ? CLI_USAGE : slower > 0 ? CLI_FAILED : status;
  }
  return status;
}

static int measure_all(const bench_case **c, int ncase, const char **method, int nmethod, const settings *s) {
  const bench_options o = {s->repeats, s->precision, s->patience, s->whole};
  bench_curve *curve = calloc((size_t)ncase * (size_t)nmethod, sizeof *curve);
  int count = 0, status = curve ? CLI_DONE : CLI_FAILED;
  for (int k = 0; k < ncase * nmethod && status == CLI_DONE; k++) {
    fly_error error = {0};
    if (bench_measure_curve(&curve[count++], c[k / nmethod], method[k % nmethod], &o, &error))
      continue;
    cli_message("%s", error.message);
    status = cli_exit_status(error.status);
  }
  if (status == CLI_DONE)
    status = tell(curve, count, s);
  free(curve);
  return status;
}

static int write_references(const bench_case **c, int ncase, const char *name) {
  fly_error error = {0};
  FILE *file = fopen(name, "w");
  bool ok = file != NULL;
  for (int k = 0; k < ncase && ok; k++)
    ok = bench_write_reference(file, c[k], &error);
  ok = file && fclose(file) == 0 && ok;
  if (ok)
    return CLI_DONE;
  if (error.status == FLY_OK)
    cli_cannot_write(name);
  else
    cli_message("%s", error.message);
  return CLI_FAILED;
}

int cmd_bench(int argc, char **argv) {
  settings s;
  cli_arguments a;
  const bench_case *c[CLI_WORD_MAX] = {NULL};
  const char *method[BENCH_METHODS] = {NULL};
  char copy[BENCH_METHODS * BENCH_NAME];
  int status = cli_read(&a, &s, &command, argc, argv);
  if (status >= 0)
    return status;
  if (s.list) {
    list_cases();
    return CLI_DONE;
  }
  const int ncase = choose_cases(c, &a), nmethod = split(method, copy, sizeof copy, s.methods);
  if (nmethod <= 0)
    cli_message("--methods '%s' is not a list of at most %d methods.", s.methods, BENCH_METHODS);
  if (ncase <= 0 || nmethod <= 0)
    return CLI_USAGE;
  if (s.references)
    return write_references(c, ncase, s.references);
  stay_on_this_core();
  return measure_all(c, ncase, method, nmethod, &s);
}
