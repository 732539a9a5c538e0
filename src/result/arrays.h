// Named tables of numbers and lists of texts in one HDF5 file, for what is no result over time: reduced bodies. Files
// may come from anybody; they are read as results are, without the library (hdf5_file.h).
#ifndef FLY_RESULT_ARRAYS_H
#define FLY_RESULT_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "flyball/status.h"

typedef struct fly_array {
  const char *name; // letters, digits, _
  size_t rows, columns;
  const double *value;     // row by row; NULL: texts
  const char *const *text; // (rows)
} fly_array;

// kind: the attribute of the root that says what the file is, with its version. Written beside, then put in place.
fly_status fly_arrays_write(const char *path, const char *kind, int version, int count, const fly_array *array,
                            fly_error *error);

typedef struct fly_arrays fly_arrays;
fly_status fly_arrays_open(fly_arrays **out, const char *path, const char *kind, int version, fly_error *error);
void fly_arrays_close(fly_arrays *a); // NULL is fine
bool fly_arrays_has(fly_arrays *a, const char *name);
fly_status fly_arrays_size(fly_arrays *a, const char *name, size_t *rows, size_t *columns, fly_error *error);
// `rows` rows of a table from `first` on.
fly_status fly_arrays_read(fly_arrays *a, const char *name, size_t first, size_t rows, double *out, fly_error *error);
// One text of a list, cut to size.
fly_status fly_arrays_text(fly_arrays *a, const char *name, size_t row, char *text, size_t size, fly_error *error);

#endif
