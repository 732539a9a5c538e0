#include "load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char standard_input[] = "-";

// All of standard input, in memory that the caller frees; NULL: there is too much of it, or it cannot be read.
static char *read_input(size_t *size) {
  const size_t most = (size_t)1 << 28;
  size_t room = 1 << 16;
  char *text = malloc(room);
  *size = 0;
  while (text != NULL) {
    *size += fread(text + *size, 1, room - *size, stdin);
    if (*size < room && ferror(stdin) == 0)
      return text;
    room *= 2;
    char *larger = room <= most && ferror(stdin) == 0 ? realloc(text, room) : NULL;
    if (larger == NULL)
      free(text);
    text = larger;
  }
  return NULL;
}

fly_status cli_load_model_with(fly_mechanism **out, const char *file, const fly_load_options *options,
                               fly_error *error) {
  if (strcmp(file, standard_input) != 0)
    return fly_mechanism_load_with(out, file, options, error);
  size_t size = 0;
  char *text = read_input(&size);
  *out = NULL;
  if (text == NULL || options->ninput > 0) {
    *error = (fly_error){.status = FLY_BAD_INPUT, .time = (double)NAN};
    snprintf(error->message, sizeof error->message,
             text ? "--input goes with a model in a file, not with standard input."
                  : "standard input cannot be read, or is larger than 256 MB.");
    free(text);
    return FLY_BAD_INPUT;
  }
  const fly_status status = fly_mechanism_parse(out, "standard input", text, size, options->nset, options->set, error);
  free(text);
  return status;
}

void cli_base_name(char *out, size_t size, const char *file) {
  const char *slash = strrchr(file, '/');
  snprintf(out, size, "%s", strcmp(file, standard_input) == 0 ? "model" : slash ? slash + 1 : file);
  char *dot = strrchr(out, '.');
  if (dot && dot != out)
    *dot = 0;
}
