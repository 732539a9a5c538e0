// What is kept of a run: the CSV file, the curves to draw, the rows of a table.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "plot.h"
#include "problem.h"
#include "terminal.h"

// Multipliers of constraints that give way are shown as those of rigid ones.
void problem_groups(problem_group groups[PROBLEM_GROUPS], const fly_problem *problem, const fly_dae_state *s) {
  const fly_dae_problem *p = problem->soft != NULL ? &problem->rigid : &problem->dae;
  const double *lambda = s == NULL ? NULL : problem->soft != NULL ? fly_soft_multipliers(problem->soft, s) : s->lambda;
  const problem_group all[PROBLEM_GROUPS] = {
      {"q", p->nq, s != NULL ? s->q : NULL},       {"v", p->nv, s != NULL ? s->v : NULL},
      {"vdot", p->nv, s != NULL ? s->vdot : NULL}, {"lambda", lambda != NULL || s == NULL ? p->ng + p->nb : 0, lambda},
      {"x", p->nx, s != NULL ? s->x : NULL},       {"y", p->ny, s != NULL ? s->y : NULL},
  };
  memcpy(groups, all, sizeof all);
}

// ---------------------------------------------------------------------------------------------- samples

static void keep(problem_samples *s, double value) {
  if (s->count == s->capacity && !s->failed) {
    const size_t capacity = s->capacity > 0 ? 2 * s->capacity : 256;
    double *grown = realloc(s->value, capacity * sizeof *grown);
    if (grown != NULL) {
      s->value = grown;
      s->capacity = capacity;
    }
    s->failed = grown == NULL;
  }
  if (!s->failed)
    s->value[s->count++] = value;
}

void problem_record_free(problem_record *record) {
  free(record->time.value);
  free(record->row.value);
  for (int i = 0; i < record->ncurve; i++)
    free(record->curve[i].value);
}

// ---------------------------------------------------------------------------------------------- columns by name

// "v3", "3" (a position), or the name of a position.
static bool find_column(problem_column *out, const problem_run *r, const char *word) {
  problem_group groups[PROBLEM_GROUPS];
  problem_groups(groups, &r->problem, NULL);
  const char *const *names = r->problem.q_names;
  for (int i = 0; names != NULL && i < r->problem.dae.nq; i++)
    if (names[i] != NULL && strcmp(names[i], word) == 0) {
      *out = (problem_column){.group = 0, .index = i, .name = names[i]};
      return true;
    }
  const size_t letters = strcspn(word, "0123456789");
  const char *digits = word + letters;
  if (digits[0] == 0 || strlen(digits) > 8 || digits[strspn(digits, "0123456789")] != 0)
    return false;
  const int index = (int)strtol(digits, NULL, 10);
  for (int k = 0; k < PROBLEM_GROUPS; k++)
    if (letters == 0 || (strlen(groups[k].name) == letters && strncmp(groups[k].name, word, letters) == 0)) {
      const bool exists = index < groups[k].count;
      *out = (problem_column){.group = k, .index = index, .name = exists && k == 0 && names ? names[index] : NULL};
      return exists;
    }
  return false;
}

static int fail_column(const problem_run *r, const char *word) {
  char text[512] = "";
  size_t used = 0;
  problem_group groups[PROBLEM_GROUPS];
  problem_groups(groups, &r->problem, NULL);
  for (int k = 0; k < PROBLEM_GROUPS && used < sizeof text; k++)
    if (groups[k].count == 1)
      used += (size_t)snprintf(text + used, sizeof text - used, " %s0", groups[k].name);
    else if (groups[k].count > 1)
      used += (size_t)snprintf(text + used, sizeof text - used, " %s0...%s%d", groups[k].name, groups[k].name,
                               groups[k].count - 1);
  const char *const *names = r->problem.q_names;
  for (int i = 0; names != NULL && i < r->problem.dae.nq && i < 24 && used < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, " %s", names[i]);
  cli_message("--plot: %s has no column '%s'; it has%s.", r->info->name, word, text);
  return CLI_USAGE;
}

static int add_curve(problem_run *r, const char *word) {
  problem_record *record = &r->record;
  if (record->ncurve == PROBLEM_CURVES) {
    cli_message("--plot: more than %d columns.", PROBLEM_CURVES);
    return CLI_USAGE;
  }
  if (!find_column(&record->column[record->ncurve], r, word))
    return fail_column(r, word);
  record->ncurve++;
  return -1;
}

static int choose_curves(problem_run *r) {
  const char *list = r->settings->plot.text;
  if (list == NULL) {
    for (int i = 0; i < r->problem.dae.nq && i < 3; i++)
      add_curve(r, (const char *[]){"q0", "q1", "q2"}[i]);
    return -1;
  }
  for (;; list += strcspn(list, ",") + 1) {
    char word[64];
    const size_t length = strcspn(list, ",");
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), list);
    const int exit_status = add_curve(r, word);
    if (exit_status >= 0 || list[length] == 0)
      return exit_status;
  }
}

// ---------------------------------------------------------------------------------------------- writing

static void write_header(FILE *file, const fly_problem *p) {
  problem_group groups[PROBLEM_GROUPS];
  problem_groups(groups, p, NULL);
  fputs("time", file);
  for (int k = 0; k < PROBLEM_GROUPS; k++)
    for (int i = 0; i < groups[k].count; i++)
      fprintf(file, ",%s%d", groups[k].name, i);
  fputc('\n', file);
}

static void write_row(FILE *file, const fly_problem *p, const fly_dae_state *s) {
  problem_group groups[PROBLEM_GROUPS];
  problem_groups(groups, p, s);
  fprintf(file, "%.17g", s->t);
  for (int k = 0; k < PROBLEM_GROUPS; k++)
    for (int i = 0; i < groups[k].count; i++)
      fprintf(file, ",%.17g", groups[k].values[i]);
  fputc('\n', file);
}

// A point of the output: every accepted step, or the points asked for.
static void put_point(problem_run *r, const fly_dae_state *s) {
  problem_record *record = &r->record;
  record->last = s->t;
  if (record->csv != NULL)
    write_row(record->csv, &r->problem, s);
  if (!record->table)
    return;
  keep(&record->row, s->t);
  for (int i = 0; i < record->table_columns; i++)
    keep(&record->row, s->q[i]);
}

static void put_curves(problem_run *r, const fly_dae_state *s) {
  problem_record *record = &r->record;
  if (record->ncurve == 0)
    return;
  problem_group groups[PROBLEM_GROUPS];
  problem_groups(groups, &r->problem, s);
  keep(&record->time, s->t);
  for (int i = 0; i < record->ncurve; i++)
    keep(&record->curve[i], groups[record->column[i].group].values[record->column[i].index]);
}

static int open_csv(problem_run *r) {
  const char *name = r->settings->csv;
  r->record.csv = strcmp(name, "-") == 0 ? stdout : fopen(name, "w");
  if (r->record.csv == NULL) {
    cli_cannot_write(name);
    return CLI_USAGE;
  }
  write_header(r->record.csv, &r->problem);
  return -1;
}

int problem_record_open(problem_run *r) {
  enum { COLUMN = 15 }; // letters of a column of the table
  problem_record *record = &r->record;
  const problem_settings *s = r->settings;
  record->output = s->output;
  record->table = !isnan(s->output) && s->csv == NULL && !s->json;
  const int fit = cli_terminal_width() / COLUMN - 1;
  record->table_columns = r->problem.dae.nq < fit ? r->problem.dae.nq : fit;
  if (s->plot.given) {
    const int exit_status = choose_curves(r);
    if (exit_status >= 0)
      return exit_status;
  }
  return s->csv != NULL ? open_csv(r) : -1;
}

void problem_record_start(problem_run *r) {
  const fly_dae_state s = fly_solver_state(r->solver);
  put_point(r, &s);
  put_curves(r, &s);
  r->record.next = 1;
}

// The output points inside the last step. One that falls on the end but for rounding is left to the end itself.
static void put_outputs(problem_run *r, double now) {
  problem_record *record = &r->record;
  const double limit = fly_solver_done(r->solver) ? now - 1e-9 * record->output : now;
  for (double t = 0.0; (t = r->problem.t0 + (double)record->next * record->output) <= limit; record->next++) {
    fly_dae_state s;
    if (fly_solver_interpolate(r->solver, t, &s, NULL) == FLY_OK)
      put_point(r, &s);
    else
      record->missed++;
  }
}

void problem_record_step(problem_run *r) {
  const fly_dae_state s = fly_solver_state(r->solver);
  put_curves(r, &s);
  if (isnan(r->record.output))
    put_point(r, &s);
  else
    put_outputs(r, s.t);
}

static bool out_of_memory(const problem_record *record) {
  bool failed = record->time.failed || record->row.failed;
  for (int i = 0; i < record->ncurve; i++)
    failed = failed || record->curve[i].failed;
  return failed;
}

static int close_csv(problem_run *r) {
  FILE *file = r->record.csv;
  bool broken = fflush(file) != 0 || ferror(file) != 0;
  if (file != stdout)
    broken = fclose(file) != 0 || broken;
  r->record.csv = NULL;
  if (!broken)
    return CLI_DONE;
  cli_cannot_write(r->settings->csv);
  return CLI_FAILED;
}

int problem_record_close(problem_run *r) {
  problem_record *record = &r->record;
  if (r->started) {
    const fly_dae_state s = fly_solver_state(r->solver);
    if (s.t != record->last)
      put_point(r, &s);
  }
  int exit_status = record->csv != NULL ? close_csv(r) : CLI_DONE;
  if (out_of_memory(record)) {
    cli_message("out of memory for the points of the plot or the table; they end early.");
    exit_status = CLI_FAILED;
  }
  if (record->missed > 0) {
    cli_message("%ld output points lie in steps that were cut by an event, and are missing.", record->missed);
    exit_status = CLI_FAILED;
  }
  return exit_status;
}

// ---------------------------------------------------------------------------------------------- showing

void problem_record_table(FILE *out, const problem_run *r) {
  const problem_record *record = &r->record;
  const size_t width = 1 + (size_t)record->table_columns;
  const char *const *names = r->problem.q_names;
  fprintf(out, "\nMotion%s\n%14s", record->table_columns < r->problem.dae.nq ? " (the positions that fit here)" : "",
          "t [s]");
  for (int i = 0; i < record->table_columns; i++) {
    char label[32];
    snprintf(label, sizeof label, "q%d", i);
    fprintf(out, " %14.14s", names != NULL && names[i] != NULL ? names[i] : label);
  }
  for (size_t k = 0; k < record->row.count; k++)
    fprintf(out, "%s%14.7g", k % width == 0 ? "\n" : " ", record->row.value[k]);
  fprintf(out, "\n");
}

static void name_column(char *text, size_t size, const problem_run *r, const problem_column *c) {
  problem_group groups[PROBLEM_GROUPS];
  problem_groups(groups, &r->problem, NULL);
  if (c->name != NULL)
    snprintf(text, size, "%s%d: %s", groups[c->group].name, c->index, c->name);
  else
    snprintf(text, size, "%s%d", groups[c->group].name, c->index);
}

bool problem_record_plot(FILE *out, const problem_run *r) {
  const problem_record *record = &r->record;
  cli_curve curves[PROBLEM_CURVES];
  char titles[PROBLEM_CURVES][96];
  for (int i = 0; i < record->ncurve; i++) {
    name_column(titles[i], sizeof titles[i], r, &record->column[i]);
    const size_t points = record->curve[i].count < record->time.count ? record->curve[i].count : record->time.count;
    curves[i] = (cli_curve){.title = titles[i], .x = record->time.value, .y = record->curve[i].value, .count = points};
  }
  cli_plot_style style = cli_plot_style_default();
  style.x_unit = " s";
  style.height = record->ncurve > 2 ? 8 : 12;
  fputc('\n', out);
  return cli_plot(out, curves, record->ncurve, &style);
}
