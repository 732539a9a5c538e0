// flyball plot: channels of a result in the terminal.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "flyball/result.h"
#include "flyball/words.h"
#include "options.h"
#include "plot.h"

typedef struct settings {
  double from, to;
} settings;

static const cli_option options[] = {
    {"from", CLI_NUMBER, offsetof(settings, from), "T", NULL, "first time [s]: where the result begins"},
    {"to", CLI_NUMBER, offsetof(settings, to), "T", NULL, "last time [s]: where it ends"},
    {0},
};

static const cli_command plot_command = {
    .name = "plot",
    .usage = "plot RESULT CHANNEL... [--from T] [--to T]",
    .about = "Draws channels of a result over time, one below the other. flyball info RESULT lists them.\n"
             "RESULT is a .h5 or .csv file, or its name without ending.",
    .options = options,
    .notes = "Example\n  flyball plot pendulum angle height --to 2",
    .max_words = CLI_WORD_MAX,
};

// Rows first ... first + count - 1 of some columns.
typedef struct window {
  int column[CLI_WORD_MAX];
  int ncolumn; // time is the first
  long first, count;
  double *value; // column after column (ncolumn * count)
} window;

static int fail(fly_status status, const fly_error *error) {
  cli_message("%s", error->message);
  return cli_exit_status(status);
}

static int fail_memory(void) {
  cli_message("out of memory.");
  return CLI_FAILED;
}

static int fail_unknown(const fly_result_info *i, const char *word) {
  const char **names = calloc((size_t)i->count + 1, sizeof *names);
  if (!names)
    return fail_memory();
  for (int k = 0; k < i->count; k++)
    names[k] = i->channel[k].name;
  const char *nearest = fly_nearest_word(word, names);
  if (nearest)
    cli_message("%s has no channel '%s'; did you mean %s?", i->path, word, nearest);
  else
    cli_message("%s has no channel '%s'; flyball info %s lists its %d.", i->path, word, i->path, i->count);
  free(names);
  return CLI_USAGE;
}

// The columns of the words behind the first, after that of time. < 0: go on.
static int find_columns(window *w, const fly_result *r, const cli_arguments *a) {
  w->column[w->ncolumn++] = 0;
  for (int k = 1; k < a->nword; k++) {
    const int column = fly_result_find(r, a->word[k]);
    if (column < 0)
      return fail_unknown(fly_result_info_of(r), a->word[k]);
    w->column[w->ncolumn++] = column;
  }
  return -1;
}

static int fail_empty(const fly_result_info *i, const settings *s, const double *time) {
  if (i->rows == 0)
    cli_message("%s has no rows.", i->path);
  else if (s->from > s->to)
    cli_message("--from %.9g s lies after --to %.9g s.", s->from, s->to);
  else
    cli_message("%s has no rows in that interval; it goes from %.9g s to %.9g s.", i->path, time[0], time[i->rows - 1]);
  return CLI_USAGE;
}

// Which rows lie within --from and --to. < 0: go on.
static int find_rows(window *w, fly_result *r, const settings *s) {
  const fly_result_info *i = fly_result_info_of(r);
  fly_error error = {0};
  double *time = calloc((size_t)i->rows + 1, sizeof *time);
  if (!time)
    return fail_memory();
  fly_status status = fly_result_read(r, time, w->column, 1, 0, i->rows, &error);
  long first = 0, end = i->rows;
  while (status == FLY_OK && first < end && time[first] < s->from)
    first++;
  while (status == FLY_OK && end > first && time[end - 1] > s->to)
    end--;
  w->first = first;
  w->count = end - first;
  int exit_status = status ? fail(status, &error) : w->count > 0 ? -1 : fail_empty(i, s, time);
  free(time);
  return exit_status;
}

static int read_values(window *w, fly_result *r) {
  fly_error error = {0};
  w->value = calloc((size_t)w->ncolumn * (size_t)w->count, sizeof *w->value);
  if (!w->value)
    return fail_memory();
  fly_status status = fly_result_read(r, w->value, w->column, w->ncolumn, w->first, w->count, &error);
  return status ? fail(status, &error) : -1;
}

static int draw(const window *w, const fly_result_info *i) {
  enum { TITLE = 200 };
  char title[CLI_WORD_MAX][TITLE];
  cli_curve curve[CLI_WORD_MAX];
  cli_plot_style style = cli_plot_style_default();
  style.x_unit = " s";
  for (int k = 1; k < w->ncolumn; k++) {
    const fly_channel *c = &i->channel[w->column[k]];
    const bool unit = c->unit && *c->unit;
    snprintf(title[k], TITLE, "%s%s%s%s", c->name, unit ? " [" : "", unit ? c->unit : "", unit ? "]" : "");
    curve[k] = (cli_curve){title[k], w->value, w->value + k * w->count, (size_t)w->count};
  }
  return cli_plot(stdout, curve + 1, w->ncolumn - 1, &style) ? CLI_DONE : fail_memory();
}

static int plot(fly_result *r, const cli_arguments *a, const settings *s) {
  window w = {0};
  int exit_status = find_columns(&w, r, a);
  if (exit_status < 0)
    exit_status = find_rows(&w, r, s);
  if (exit_status < 0)
    exit_status = read_values(&w, r);
  if (exit_status < 0)
    exit_status = draw(&w, fly_result_info_of(r));
  free(w.value);
  return exit_status;
}

int cmd_plot(int argc, char **argv) {
  cli_arguments a;
  settings s = {0};
  fly_error error = {0};
  fly_result *r = NULL;
  int exit_status = cli_read(&a, &s, &plot_command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  if (a.nword < 2) {
    cli_message("plot takes a result and channels of it, as in flyball plot pendulum angle; flyball info lists them.");
    return CLI_USAGE;
  }
  fly_status status = fly_result_open(&r, a.word[0], &error);
  if (status)
    return fail(status, &error);
  exit_status = plot(r, &a, &s);
  fly_result_close(r);
  return exit_status;
}
