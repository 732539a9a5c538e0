#define _POSIX_C_SOURCE 200809L // open_memstream
#include "base/stream.h"

#include <stdio.h>
#include <stdlib.h>

FILE *fly_stream_open(char **bytes, size_t *size) {
  *bytes = NULL;
  *size = 0;
  return open_memstream(bytes, size);
}

bool fly_stream_bytes(char **bytes, size_t *size, fly_stream_fn *write, const void *what) {
  FILE *file = fly_stream_open(bytes, size);
  if (!file)
    return false;
  bool written = write(file, what);
  written = fclose(file) == 0 && written;
  if (written)
    return true;
  free(*bytes);
  *bytes = NULL;
  *size = 0;
  return false;
}

bool fly_text_open(fly_text *t) {
  t->file = fly_stream_open(&t->bytes, &t->size);
  return t->file != NULL;
}

bool fly_text_close(fly_text *t, fly_sink *sink, void *user) {
  bool fine = !ferror(t->file);
  fine = fclose(t->file) == 0 && fine;
  fine = fine && (t->size == 0 || sink(t->bytes, t->size, user)) && sink("", 0, user);
  free(t->bytes);
  return fine;
}
