// Feeds texts to the reader of models. What it accepts must survive a round trip through the writer; what it refuses
// must be refused with a message that has a place.
//
//   clang -g -O1 -std=c17 -fsanitize=fuzzer,address,undefined -DFLY_VERSION='""' -Iinclude -Isrc fuzz/fuzz_model.c \
//     src/io/{read,write,forms,tree}*.c src/model/spec.c src/expr/*.c src/element/*.c src/math/*.c src/base/*.c \
//     -lfyaml -lm -o /tmp/fuzz_model
//   echo leak:libfyaml > /tmp/lsan.supp # it leaks on some quotes that are not closed
//   mkdir -p /tmp/corpus && LSAN_OPTIONS=suppressions=/tmp/lsan.supp /tmp/fuzz_model -max_total_time=60 -timeout=10 \
//     -rss_limit_mb=2048 -max_len=3000 /tmp/corpus examples tests/io/bad
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read.h"

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
  demand(sscanf(message, "fuzz:%d:%d: ", &line, &column) == 2 && line > 0 && column > 0, "message", message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fly_error error;
  fly_spec spec;
  if (fly_model_read_text(&spec, "fuzz", (const char *)data, size, 0, NULL, &error) != FLY_OK) {
    check_message(error.message);
    return 0;
  }
  check_round_trip(&spec);
  fly_spec_free(&spec);
  return 0;
}
