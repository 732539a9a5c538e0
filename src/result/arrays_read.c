#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "result/arrays.h"

#ifndef FLY_CORE

#include "result/hdf5_file.h"

struct fly_arrays {
  char *path;
  fly_h5 file;
};

static fly_status damaged(fly_arrays *a, const char *name, fly_error *error) {
  if (a->file.no_memory)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "%s: out of memory.", a->path);
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s: %s.", a->path, name,
                  a->file.fault[0] ? a->file.fault : "this table is not there");
}

fly_status fly_arrays_open(fly_arrays **out, const char *path, const char *kind, int version, fly_error *error) {
  int found = 0;
  fly_arrays *a = calloc(1, sizeof *a);
  *out = a;
  if (a)
    a->path = malloc(strlen(path) + 1);
  if (!a || !a->path) {
    free(a);
    *out = NULL;
    return fly_fail(error, FLY_NO_MEMORY, NAN, "%s: out of memory.", path);
  }
  strcpy(a->path, path);
  if (!fly_h5_open(&a->file, path))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s.", path, a->file.fault);
  if (!fly_h5_integer(&a->file, a->file.root, kind, &found))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: this HDF5 file is no `%s`.", path, kind);
  if (found != version)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: `%s` of version %d; this Flyball knows version %d.", path, kind,
                    found, version);
  return FLY_OK;
}

void fly_arrays_close(fly_arrays *a) {
  if (!a)
    return;
  fly_h5_close(&a->file);
  free(a->path);
  free(a);
}

static bool open_set(fly_arrays *a, const char *name, fly_h5_set *set) {
  uint64_t header;
  *set = (fly_h5_set){.loaded = -1};
  return fly_h5_find(&a->file, a->file.root, name, &header) && fly_h5_set_open(&a->file, header, set);
}

bool fly_arrays_has(fly_arrays *a, const char *name) {
  uint64_t header;
  return fly_h5_find(&a->file, a->file.root, name, &header);
}

static fly_status check(fly_arrays *a, const char *name, const fly_h5_set *set, fly_h5_kind kind, fly_error *error) {
  if (set->shape.kind != kind || set->chunked || set->shape.rank < 1 ||
      (kind == FLY_H5_DOUBLE && (set->shape.rank != 2 || set->shape.bytes != 8)) ||
      (set->shape.rank > 1 && set->shape.size[1] > 0 && set->shape.size[0] > a->file.size / 8 / set->shape.size[1]))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s: this table is not stored as Flyball stores it.", a->path, name);
  return FLY_OK;
}

fly_status fly_arrays_size(fly_arrays *a, const char *name, size_t *rows, size_t *columns, fly_error *error) {
  fly_h5_set set;
  fly_status status = open_set(a, name, &set) ? FLY_OK : damaged(a, name, error);
  if (status == FLY_OK && set.shape.kind != FLY_H5_TEXT)
    status = check(a, name, &set, FLY_H5_DOUBLE, error);
  *rows = status ? 0 : (size_t)set.shape.size[0];
  *columns = status ? 0 : set.shape.rank > 1 ? (size_t)set.shape.size[1] : 1;
  fly_h5_set_free(&set);
  return status;
}

fly_status fly_arrays_read(fly_arrays *a, const char *name, size_t first, size_t rows, double *out, fly_error *error) {
  fly_h5_set set;
  fly_status status = open_set(a, name, &set) ? check(a, name, &set, FLY_H5_DOUBLE, error) : damaged(a, name, error);
  if (status == FLY_OK && (first > set.shape.size[0] || rows > set.shape.size[0] - first))
    status = fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s: it has fewer rows than it should.", a->path, name);
  const size_t count = status ? 0 : rows * (size_t)set.shape.size[1];
  if (status == FLY_OK && count > 0 &&
      !fly_h5_load(&a->file, set.address + first * (size_t)set.shape.size[1] * 8, out, count * 8))
    status = damaged(a, name, error);
  for (size_t k = 0; status == FLY_OK && k < count; k++) {
    out[k] = fly_h5_double((const unsigned char *)(out + k));
    if (!isfinite(out[k]))
      status = fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s: a number of it is not finite.", a->path, name);
  }
  fly_h5_set_free(&set);
  return status;
}

fly_status fly_arrays_text(fly_arrays *a, const char *name, size_t row, char *text, size_t size, fly_error *error) {
  fly_h5_set set;
  fly_status status = open_set(a, name, &set) ? check(a, name, &set, FLY_H5_TEXT, error) : damaged(a, name, error);
  if (status == FLY_OK && row >= set.shape.size[0])
    status = fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s: it has fewer texts than it should.", a->path, name);
  const size_t bytes = status ? 0 : set.shape.bytes < size ? set.shape.bytes : size - 1;
  if (status == FLY_OK && !fly_h5_load(&a->file, set.address + row * set.shape.bytes, text, bytes))
    status = damaged(a, name, error);
  text[status ? 0 : bytes] = 0;
  fly_h5_set_free(&set);
  return status;
}

#endif
