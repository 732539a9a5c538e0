// flyball explain, flyball schema: the model language.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "flyball/model.h"
#include "options.h"

static const cli_option none[] = {{0}};

static const cli_command explain_command = {
    .name = "explain",
    .usage = "explain [ELEMENT]",
    .about = "What an element takes: parameters, units, defaults, an example. Without ELEMENT: what there is.",
    .options = none,
    .notes = "Example\n  flyball explain revolute",
    .max_words = 1,
};

int cmd_explain(int argc, char **argv) {
  cli_arguments a;
  char values = 0;
  fly_error error = {0};
  int exit_status = cli_read(&a, &values, &explain_command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  fly_status status = fly_explain(a.nword ? a.word[0] : NULL, fly_to_file, stdout, &error);
  if (status)
    cli_message("%s", error.message);
  return cli_exit_status(status);
}

typedef struct schema_settings {
  bool manual;
} schema_settings;

static const cli_option schema_options[] = {{"manual", CLI_FLAG, offsetof(schema_settings, manual), NULL, NULL,
                                             "write the reference manual (Markdown) instead"},
                                            {0}};

static const cli_command schema_command = {
    .name = "schema",
    .usage = "schema [--manual]",
    .about = "Writes the JSON Schema of model files to standard output, for editors.",
    .options = schema_options,
};

int cmd_schema(int argc, char **argv) {
  cli_arguments a;
  schema_settings s = {0};
  int exit_status = cli_read(&a, &s, &schema_command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  bool written = s.manual ? fly_reference_write(fly_to_file, stdout) : fly_schema_write(fly_to_file, stdout);
  return written ? CLI_DONE : CLI_FAILED;
}
