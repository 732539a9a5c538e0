// What an HDF5 file begins with, kept until there is one: it is created when the first rows are handed over, because a
// short run takes less time than the HDF5 library takes to load. For this room only.
#ifndef FLY_RESULT_WAITING_H
#define FLY_RESULT_WAITING_H

#include <stdbool.h>

#include "base/memory.h"
#include "result/formats.h"

typedef struct fly_waiting {
  fly_arena memory;
  fly_channel *channel; // with time (count)
  int count;
  struct fly_waiting_bytes {
    char *name;
    void *bytes;
    size_t size;
  } * attachment; // in the order in which they came; a later one of the same name counts
  int nattachment, capacity;
  size_t size; // of all of them [bytes]
} fly_waiting;

// Copies of what is given. False: no memory.
bool fly_waiting_channels(fly_waiting *w, const fly_channel *channel, int count);
bool fly_waiting_attach(fly_waiting *w, const char *name, const void *bytes, size_t size);
// The file with all of it.
fly_status fly_waiting_create(const fly_waiting *w, fly_hdf5_writer **out, const char *path, fly_error *error);
void fly_waiting_free(fly_waiting *w);

#endif
