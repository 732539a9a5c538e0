// flyball info: what a result holds.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "flyball/json.h"
#include "flyball/result.h"
#include "info.h"
#include "options.h"

typedef struct settings {
  bool json, check;
} settings;

static const cli_option options[] = {
    {"check", CLI_FLAG, offsetof(settings, check), NULL, NULL,
     "read all rows and compare their hash with that of the record"},
    {"json", CLI_FLAG, offsetof(settings, json), NULL, NULL, "print one JSON object, with the record as it is"},
    {0},
};

static const cli_command info_command = {
    .name = "info",
    .usage = "info RESULT [--check] [--json]",
    .about = "What a result holds: channels with units, rows, time, attachments, and the record of its run.\n"
             "RESULT is a .h5 or .csv file, or its name without ending.",
    .options = options,
    .notes = "Example\n  flyball info pendulum",
    .max_words = 1,
};

typedef struct result_info {
  settings s;
  fly_result *result;
  const fly_result_info *i;
  double first, last; // time [s]
  char *record;       // its JSON text, NULL: none
} result_info;

static int fail(fly_status status, const fly_error *error) {
  cli_message("%s", error->message);
  return cli_exit_status(status);
}

static fly_status read_ends(result_info *r, fly_error *error) {
  const int time_column = 0;
  fly_status status = FLY_OK;
  if (r->i->rows > 0)
    status = fly_result_read(r->result, &r->first, &time_column, 1, 0, 1, error);
  if (status == FLY_OK && r->i->rows > 0)
    status = fly_result_read(r->result, &r->last, &time_column, 1, r->i->rows - 1, 1, error);
  return status;
}

// ---------------------------------------------------------------------------------------------- for people

static void print_summary(const result_info *r) {
  const fly_result_info *i = r->i;
  printf("%s: %s, %ld %s", i->path, i->format == FLY_RESULT_CSV ? "CSV" : "HDF5", i->rows,
         i->rows == 1 ? "row" : "rows");
  if (i->rows > 0)
    printf(", time %.9g s to %.9g s", r->first, r->last);
  printf("%s\n", i->cut ? "; the last line is not complete and is left out" : "");
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

static size_t attachment_size(fly_result *r, const char *name) {
  char *bytes = NULL;
  size_t size = 0;
  fly_result_attachment(r, name, &bytes, &size, NULL);
  free(bytes);
  return size;
}

static void print_attachments(const result_info *r) {
  for (int k = 0; k < r->i->nattachment; k++)
    printf("%s  %s  %zu bytes\n", k ? "" : "\nattachments\n", r->i->attachment[k],
           attachment_size(r->result, r->i->attachment[k]));
}

static void print_all(const result_info *r) {
  print_summary(r);
  print_channels(r->i);
  print_attachments(r);
  if (r->record != NULL) {
    printf("\nrecord of the run\n");
    info_print_json(r->record);
  }
}

// ---------------------------------------------------------------------------------------------- for programs

static void write_json(const result_info *r) {
  fly_json j = fly_json_to(fly_to_file, stdout, 2);
  const fly_result_info *i = r->i;
  fly_json_begin_object(&j);
  fly_json_key(&j, "path"), fly_json_string(&j, i->path);
  fly_json_key(&j, "format"), fly_json_string(&j, i->format == FLY_RESULT_CSV ? "csv" : "hdf5");
  fly_json_key(&j, "rows"), fly_json_integer(&j, i->rows);
  fly_json_key(&j, "cut"), fly_json_bool(&j, i->cut);
  if (i->rows > 0)
    fly_json_key(&j, "time"), fly_json_numbers(&j, (double[]){r->first, r->last}, 2);
  fly_json_open_array(&j, "channels");
  for (int k = 0; k < i->count; k++) {
    fly_json_begin_object(&j);
    fly_json_key(&j, "name"), fly_json_string(&j, i->channel[k].name);
    fly_json_key(&j, "unit"), fly_json_string(&j, i->channel[k].unit);
    fly_json_key(&j, "description"), fly_json_string(&j, i->channel[k].description);
    fly_json_end_object(&j);
  }
  fly_json_end_array(&j);
  fly_json_open_object(&j, "attachments");
  for (int k = 0; k < i->nattachment; k++) {
    fly_json_key(&j, i->attachment[k]);
    fly_json_integer(&j, (long long)attachment_size(r->result, i->attachment[k]));
  }
  fly_json_end_object(&j);
  fly_json_key(&j, "record");
  if (r->record != NULL)
    fly_json_raw(&j, r->record);
  else
    fly_json_null(&j);
  fly_json_end_object(&j);
  fly_json_finish(&j);
}

// ---------------------------------------------------------------------------------------------- the command

// Compares the rows with the hash that stands in the record.
static int check_hash(const result_info *r) {
  fly_error error = {0};
  uint64_t hash = 0;
  char text[32];
  fly_status status = fly_result_rehash(r->result, &hash, &error);
  if (status)
    return fail(status, &error);
  snprintf(text, sizeof text, "\"hash\": \"%016" PRIx64 "\"", hash);
  const bool known = r->record != NULL && strstr(r->record, "\"hash\": \"") != NULL;
  if (known && strstr(r->record, text) != NULL) {
    if (!r->s.json)
      printf("\nthe rows are those of the record: hash %016" PRIx64 "\n", hash);
    return CLI_DONE;
  }
  cli_message(known ? "%s: the rows are not those of the record: their hash is %016" PRIx64 "."
                    : "%s: there is no record of a run that ended to compare with; the hash of the rows is %016" PRIx64
                      ".",
              r->i->path, hash);
  return CLI_FAILED;
}

static fly_status open_all(result_info *r, const char *path, fly_error *error) {
  size_t size;
  fly_status status = fly_result_open(&r->result, path, error);
  if (status)
    return status;
  r->i = fly_result_info_of(r->result);
  fly_result_attachment(r->result, "record.json", &r->record, &size, NULL); // older results have none
  return read_ends(r, error);
}

int cmd_info(int argc, char **argv) {
  cli_arguments a;
  result_info r = {0};
  fly_error error = {0};
  int exit_status = cli_read(&a, &r.s, &info_command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  if (a.nword != 1) {
    cli_message("info takes one result; see flyball info --help.");
    return CLI_USAGE;
  }
  fly_status status = open_all(&r, a.word[0], &error);
  if (status == FLY_OK && r.s.json)
    write_json(&r);
  else if (status == FLY_OK)
    print_all(&r);
  exit_status = status ? fail(status, &error) : r.s.check ? check_hash(&r) : CLI_DONE;
  free(r.record);
  fly_result_close(r.result);
  return exit_status;
}
