#define _POSIX_C_SOURCE 200809L // open_memstream
#include "base/stream.h"

FILE *fly_stream_open(char **bytes, size_t *size) {
  *bytes = NULL;
  *size = 0;
  return open_memstream(bytes, size);
}
