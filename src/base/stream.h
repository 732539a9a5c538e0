// Writing with stdio into memory.
#ifndef FLY_BASE_STREAM_H
#define FLY_BASE_STREAM_H

#include <stddef.h>
#include <stdio.h>

// A file that grows in memory; after fclose *bytes (ended by a 0 that does not count) is the caller's to free. NULL:
// out of memory.
FILE *fly_stream_open(char **bytes, size_t *size);

#endif
