// Writing with stdio into memory.
#ifndef FLY_BASE_STREAM_H
#define FLY_BASE_STREAM_H

#include <stddef.h>
#include <stdio.h>

#include "flyball/status.h"

// A file that grows in memory; after fclose *bytes (ended by a 0 that does not count) is the caller's to free. NULL:
// out of memory.
FILE *fly_stream_open(char **bytes, size_t *size);
// All that `write` writes (false: it could not), as such bytes. false: it failed, or memory did; there are none then.
typedef bool fly_stream_fn(FILE *file, const void *what);
bool fly_stream_bytes(char **bytes, size_t *size, fly_stream_fn *write, const void *what);

// Text on its way to a sink, written as to a file.
typedef struct fly_text {
  FILE *file;
  char *bytes;
  size_t size;
} fly_text;
bool fly_text_open(fly_text *t);                              // false: no memory
bool fly_text_close(fly_text *t, fly_sink *sink, void *user); // false: it could not be taken

#endif
