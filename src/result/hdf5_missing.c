// Stands in for HDF5 where the library is built without it (FLYBALL_CORE): results are CSV files, or rows in memory.
#include <math.h>

#include "base/error.h"
#include "result/formats.h"

#ifdef FLY_CORE

static fly_status missing(const char *path, fly_error *error) {
  return fly_fail(error, FLY_BAD_INPUT, NAN,
                  "%s: this library was built without HDF5. Take CSV, or rows as they come (fly_run_options.row).",
                  path);
}

fly_status fly_hdf5_known(const char *path, fly_error *error) { return missing(path, error); }

fly_status fly_hdf5_create(fly_hdf5_writer **out, const char *path, const fly_channel *channel, int width, long rows,
                           fly_error *error) {
  (void)channel, (void)width, (void)rows;
  *out = NULL;
  return missing(path, error);
}

fly_status fly_hdf5_write(fly_hdf5_writer *w, const double *rows, int nrows, fly_error *error) {
  (void)w, (void)rows, (void)nrows;
  return missing("result", error);
}

fly_status fly_hdf5_flush(fly_hdf5_writer *w, fly_error *error) {
  (void)w;
  return missing("result", error);
}

fly_status fly_hdf5_attach(fly_hdf5_writer *w, const char *name, const void *bytes, size_t size, fly_error *error) {
  (void)w, (void)bytes, (void)size;
  return missing(name, error);
}

fly_status fly_hdf5_add_elements(fly_hdf5_writer *w, const fly_channel *channel, fly_error *error) {
  (void)w, (void)channel;
  return missing("result", error);
}

fly_status fly_hdf5_close(fly_hdf5_writer *w, fly_error *error) {
  (void)w, (void)error; // there never was one
  return FLY_OK;
}

static fly_status cannot_open(void **reader, fly_result_info *info, fly_arena *arena, fly_error *error) {
  (void)arena;
  *reader = NULL;
  return missing(info->path, error);
}

static void free_none(void *reader) { (void)reader; }

const fly_result_reading fly_hdf5_reading = {.open = cannot_open, .free = free_none};

#endif
