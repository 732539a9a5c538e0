// flyball info: what a result holds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "flyball/result.h"
#include "options.h"

static const cli_option none[] = {{0}};

static const cli_command info_command = {
    .name = "info",
    .usage = "info RESULT",
    .about = "What a result holds: channels with units, rows, time, attachments.\n"
             "RESULT is a .h5 or .csv file, or its name without ending.",
    .options = none,
    .notes = "Example\n  flyball info pendulum",
    .max_words = 1,
};

static int fail(fly_status status, const fly_error *error) {
  cli_message("%s", error->message);
  return cli_exit_status(status);
}

static fly_status print_summary(fly_result *r, const fly_result_info *i, fly_error *error) {
  const int time_column = 0;
  double first = 0, last = 0;
  fly_status status = FLY_OK;
  if (i->rows > 0)
    status = fly_result_read(r, &first, &time_column, 1, 0, 1, error);
  if (status == FLY_OK && i->rows > 0)
    status = fly_result_read(r, &last, &time_column, 1, i->rows - 1, 1, error);
  if (status)
    return status;
  printf("%s: %s, %ld %s", i->path, i->format == FLY_RESULT_CSV ? "CSV" : "HDF5", i->rows,
         i->rows == 1 ? "row" : "rows");
  if (i->rows > 0)
    printf(", time %.9g s to %.9g s", first, last);
  printf("%s\n", i->cut ? "; the last line is not complete and is left out" : "");
  return FLY_OK;
}

static void print_channels(const fly_result_info *i) {
  int width = 0;
  for (int k = 0; k < i->count; k++) {
    const int length = (int)strlen(i->channel[k].name);
    width = length > width ? length : width;
  }
  printf("\n%d channels\n", i->count);
  for (int k = 0; k < i->count; k++) {
    const fly_channel *c = &i->channel[k];
    const char *unit = c->unit ? c->unit : "", *text = c->description ? c->description : "";
    if (*text)
      printf("  %-*s  %-8s  %s\n", width, c->name, unit, text);
    else if (*unit)
      printf("  %-*s  %s\n", width, c->name, unit);
    else
      printf("  %s\n", c->name);
  }
}

// The names that programs of this house give; a reader finds an attachment by its name only.
static void print_attachments(fly_result *r) {
  static const char *const names[] = {"record", "record.json", "model", "model.yaml", "scene", "scene.json"};
  bool any = false;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    char *bytes = NULL;
    size_t size = 0;
    if (fly_result_attachment(r, names[k], &bytes, &size, NULL) != FLY_OK)
      continue;
    printf("%s  %s  %zu bytes\n", any ? "" : "\nattachments\n", names[k], size);
    any = true;
    free(bytes);
  }
}

int cmd_info(int argc, char **argv) {
  cli_arguments a;
  char values = 0;
  fly_error error = {0};
  fly_result *r = NULL;
  int exit_status = cli_read(&a, &values, &info_command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  if (a.nword != 1) {
    cli_message("info takes one result; see flyball info --help.");
    return CLI_USAGE;
  }
  fly_status status = fly_result_open(&r, a.word[0], &error);
  if (status)
    return fail(status, &error);
  const fly_result_info *i = fly_result_info_of(r);
  status = print_summary(r, i, &error);
  if (status == FLY_OK) {
    print_channels(i);
    print_attachments(r);
  }
  fly_result_close(r);
  return status ? fail(status, &error) : CLI_DONE;
}
