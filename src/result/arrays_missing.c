// Stands in for files of arrays where the library is built without HDF5 (FLYBALL_CORE).
#include <math.h>

#include "base/error.h"
#include "result/arrays.h"

#ifdef FLY_CORE

static fly_status missing(const char *what, fly_error *error) {
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: this library was built without HDF5.", what);
}

fly_status fly_arrays_write(const char *path, const char *kind, int version, int count, const fly_array *array,
                            fly_error *error) {
  (void)kind, (void)version, (void)count, (void)array;
  return missing(path, error);
}

fly_status fly_arrays_open(fly_arrays **out, const char *path, const char *kind, int version, fly_error *error) {
  (void)kind, (void)version;
  *out = NULL;
  return missing(path, error);
}

void fly_arrays_close(fly_arrays *a) { (void)a; }

bool fly_arrays_has(fly_arrays *a, const char *name) {
  (void)a, (void)name;
  return false;
}

fly_status fly_arrays_size(fly_arrays *a, const char *name, size_t *rows, size_t *columns, fly_error *error) {
  (void)a;
  *rows = *columns = 0;
  return missing(name, error);
}

fly_status fly_arrays_read(fly_arrays *a, const char *name, size_t first, size_t rows, double *out, fly_error *error) {
  (void)a, (void)first, (void)rows, (void)out;
  return missing(name, error);
}

fly_status fly_arrays_text(fly_arrays *a, const char *name, size_t row, char *text, size_t size, fly_error *error) {
  (void)a, (void)row, (void)size;
  text[0] = 0;
  return missing(name, error);
}

#endif
