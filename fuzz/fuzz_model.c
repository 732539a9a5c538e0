// Feeds texts to the reader of models. What it accepts must survive a round trip through the writer and be compiled or
// refused with a message; what it refuses must be refused with a message that has a place. Run by tools/fuzz.sh.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool ok, const char *what, const char *detail) {
  if (ok)
    return;
  fprintf(stderr, "%s: %s\n", what, detail);
  abort();
}

static char *write_text(const fly_spec *spec) {
  char *text = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  demand(file != NULL && fly_model_write(file, spec), "write", "failed");
  fclose(file);
  return text;
}

// What was written reads, and writes the same text again.
static void check_round_trip(const fly_spec *spec) {
  fly_spec again;
  fly_error error;
  char *text = write_text(spec);
  demand(fly_model_read_text(&again, "again", text, strlen(text), 0, NULL, &error) == FLY_OK, text, error.message);
  demand(again.nitem == spec->nitem && again.nparameter == spec->nparameter, "count", text);
  char *twice = write_text(&again);
  demand(strcmp(text, twice) == 0, text, twice);
  fly_spec_free(&again);
  free(text);
  free(twice);
}

static void check_message(const char *message) {
  int line = 0, column = 0;
  const char *place = strchr(message, ':'); // fuzz, or a part that comes with the program
  demand(place != NULL && sscanf(place, ":%d:%d: ", &line, &column) == 2 && line > 0 && column > 0, "message", message);
}

// A million elements are allowed, but take their time: with repetitions, numbers stay small.
static bool takes_long(const char *text) {
  if (strstr(text, "repeat") == NULL)
    return false;
  for (; *text != 0; text++)
    if (strchr("^*", *text) != NULL || strspn(text, "0123456789") > 2 ||
        (*text >= '0' && *text <= '9' && (text[1] == 'e' || text[1] == 'E')))
      return true;
  return false;
}

static void compile(const fly_spec *spec) {
  fly_model model;
  fly_error error = {.message = ""};
  const fly_status status = fly_model_compile(&model, spec, &error);
  demand(status == FLY_OK || error.message[0] != 0, "compile", "without a message");
  fly_model_free(&model);
  if (status != FLY_OK)
    return;
  demand(fly_model_compile_held(&model, spec, FLY_HOLD_POSITIONS, &error) == FLY_OK, "held", error.message);
  fly_model_free(&model);
}

static void look(const char *text, size_t size) {
  fly_error error;
  fly_spec spec;
  if (fly_model_read_text(&spec, "fuzz", text, size, 0, NULL, &error) != FLY_OK) {
    check_message(error.message);
    return;
  }
  check_round_trip(&spec);
  compile(&spec);
  fly_spec_free(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (text == NULL)
    return 0;
  if (size > 0)
    memcpy(text, data, size);
  text[size] = 0;
  if (!takes_long(text))
    look(text, size);
  free(text);
  return 0;
}
