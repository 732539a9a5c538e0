// One reader over both formats.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "result/formats.h"

struct fly_result {
  fly_result_info info;
  fly_arena arena;                  // channels, path
  const fly_result_reading *format; // NULL: of a file that was not opened
  void *reader;
  fly_result *beside; // CSV without attachments: the HDF5 file of the same run, which has them; NULL: none
};

// ------------------------------------------------------------------------------------------------ finding the file

// The first bytes of a file: how many there are, -1 if it cannot be read (a folder cannot, and a pipe may wait for
// ever).
static int first_bytes(const char *path, char *bytes, int size) {
  errno = ESPIPE;
  if (fly_file_is_special(path) && !fly_file_is_folder(path))
    return -1;
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return -1;
  int n = (int)fread(bytes, 1, (size_t)size, file);
  bool failed = ferror(file) != 0;
  int reason = errno;
  fclose(file);
  errno = reason;
  return failed ? -1 : n;
}

static bool can_be_read(const char *path) {
  char byte;
  return path != NULL && first_bytes(path, &byte, 1) >= 0;
}

// Of path, path.h5, path.csv, path/result.h5, path/result.csv the first that can be read, else a part of it that a run
// is writing or has left; path if there is none. In memory that the caller frees.
static char *find_file(const char *path) {
  static const char *const endings[] = {
      "", ".h5", ".csv", "/result.h5", "/result.csv", ".part.h5", ".part.csv", "/result.part.h5", "/result.part.csv"};
  size_t length = strlen(path);
  bool folder = length > 0 && path[length - 1] == '/';
  char *found = malloc(length + sizeof "/result.part.csv");
  for (size_t i = 0; found != NULL && i < sizeof endings / sizeof endings[0]; i++) {
    strcpy(found, path);
    strcat(found, endings[i] + (folder && endings[i][0] == '/'));
    if (can_be_read(found))
      return found;
  }
  if (found != NULL)
    strcpy(found, path);
  return found;
}

static fly_status unreadable(const char *path, fly_error *error) {
  if (errno == EISDIR)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: there is no result.h5 nor result.csv in this folder.", path);
  if (errno == ESPIPE)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: this is a pipe or a device, not a file.", path);
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: cannot be read: %s.", path, strerror(errno));
}

// ------------------------------------------------------------------------------------------------ life

// NAME.h5 beside NAME.csv, if it can be read.
static fly_status open_beside(fly_result *r, fly_error *error) {
  const char *csv = r->info.path, *ending = strrchr(csv, '.');
  if (ending == NULL || strcmp(ending, ".csv") != 0)
    return FLY_OK;
  const size_t stem = (size_t)(ending - csv);
  char *path = malloc(stem + sizeof ".h5");
  if (path == NULL)
    return fly_result_no_memory(error);
  memcpy(path, csv, stem);
  strcpy(path + stem, ".h5");
  const bool there = can_be_read(path);
  const fly_status status = there ? fly_result_open(&r->beside, path, NULL) : FLY_OK;
  free(path);
  if (r->beside != NULL) {
    r->info.nattachment = r->beside->info.nattachment;
    r->info.attachment = r->beside->info.attachment;
  }
  return status == FLY_NO_MEMORY ? fly_result_no_memory(error) : FLY_OK;
}

static fly_status open_as(fly_result *r, const fly_result_reading *format, fly_error *error) {
  r->format = format;
  return format->open(&r->reader, &r->info, &r->arena, error);
}

static fly_status open_by_content(fly_result *r, fly_error *error) {
  static const char signature[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
  char bytes[4096];
  int n = first_bytes(r->info.path, bytes, sizeof bytes);
  if (n < 0)
    return unreadable(r->info.path, error);
  if (n == 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: this file is empty.", r->info.path);
  if (n >= 8 && memcmp(bytes, signature, 8) == 0)
    return open_as(r, &fly_hdf5_reading, error);
  if (memchr(bytes, 0, (size_t)n) != NULL)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: this file is neither HDF5 nor CSV.", r->info.path);
  fly_status status = open_as(r, &fly_csv_reading, error);
  return status == FLY_OK && r->info.nattachment == 0 ? open_beside(r, error) : status;
}

static fly_status open_path(fly_result *r, const char *path, fly_error *error) {
  char *found = find_file(path);
  char *copy = found != NULL ? fly_arena_take(&r->arena, strlen(found) + 1, 1) : NULL;
  if (copy != NULL)
    strcpy(copy, found);
  free(found);
  r->info.path = copy;
  return copy != NULL ? open_by_content(r, error) : fly_result_no_memory(error);
}

fly_status fly_result_open(fly_result **out, const char *path, fly_error *error) {
  if (!out)
    return fly_missing(error, "fly_result_open", "place for the result");
  *out = NULL;
  if (!path)
    return fly_missing(error, "fly_result_open", "path");
  fly_result *r = calloc(1, sizeof *r);
  if (r == NULL)
    return fly_result_no_memory(error);
  fly_status status = open_path(r, path, error);
  if (status == FLY_OK)
    *out = r;
  else
    fly_result_close(r);
  return status;
}

void fly_result_close(fly_result *r) {
  if (r == NULL)
    return;
  if (r->format != NULL)
    r->format->free(r->reader);
  fly_result_close(r->beside);
  fly_arena_free(&r->arena);
  free(r);
}

// ------------------------------------------------------------------------------------------------ asking

const fly_result_info *fly_result_info_of(const fly_result *r) { return r ? &r->info : NULL; }

int fly_result_find(const fly_result *r, const char *name) {
  for (int i = 0; r && name && i < r->info.count; i++)
    if (strcmp(r->info.channel[i].name, name) == 0)
      return i;
  return -1;
}

fly_status fly_result_read(fly_result *r, double *out, const int *columns, int ncolumns, long first, long nrows,
                           fly_error *error) {
  if (!r || (ncolumns > 0 && (!columns || (nrows > 0 && !out))))
    return fly_missing(error, "fly_result_read", !r ? "result" : columns ? "place for the numbers" : "list of columns");
  for (int i = 0; i < ncolumns; i++)
    if (columns[i] < 0 || columns[i] >= r->info.count)
      return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: there is no column %d.", r->info.path, columns[i]);
  if (first < 0 || nrows < 0 || first > r->info.rows - nrows)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: rows %ld to %ld are asked for, of %ld.", r->info.path, first,
                    first + nrows, r->info.rows);
  return r->format->read(r->reader, out, columns, ncolumns, first, nrows, error);
}

fly_status fly_result_attachment(fly_result *r, const char *name, char **bytes, size_t *size, fly_error *error) {
  if (!bytes || !size)
    return fly_missing(error, "fly_result_attachment", "place for the attachment");
  *bytes = NULL;
  *size = 0;
  if (!r || !name)
    return fly_missing(error, "fly_result_attachment", r ? "name" : "result");
  fly_status status = fly_result_check_name(name, error);
  if (status != FLY_OK)
    return status;
  if (r->beside != NULL)
    return fly_result_attachment(r->beside, name, bytes, size, error);
  return r->format->attachment(r->reader, name, bytes, size, error);
}

// ------------------------------------------------------------------------------------------------ all rows

typedef struct block {
  int *columns;        // all of them (count)
  double *read, *rows; // column by column, and row by row (block rows * count)
} block;

static void transpose(double *rows, const double *columns, long nrows, int width) {
  for (int j = 0; j < width; j++)
    for (long i = 0; i < nrows; i++)
      rows[i * width + j] = columns[j * nrows + i];
}

static fly_status give_blocks(fly_result *r, const block *b, int most, fly_result_rows_fn *fn, void *user,
                              fly_error *error) {
  const int width = r->info.count;
  fly_status status = FLY_OK;
  for (long first = 0; status == FLY_OK && first < r->info.rows; first += most) {
    const long n = r->info.rows - first < most ? r->info.rows - first : most;
    status = fly_result_read(r, b->read, b->columns, width, first, n, error);
    if (status == FLY_OK) {
      transpose(b->rows, b->read, n, width);
      status = fn(b->rows, (int)n, user, error);
    }
  }
  return status;
}

fly_status fly_result_each_block(fly_result *r, fly_result_rows_fn *fn, void *user, fly_error *error) {
  fly_arena arena = {0};
  const int width = r->info.count, most = fly_result_block_rows(width);
  const size_t numbers = (size_t)most * (size_t)width;
  block b = {.columns = fly_arena_ints(&arena, (size_t)width),
             .read = fly_arena_doubles(&arena, numbers),
             .rows = fly_arena_doubles(&arena, numbers)};
  for (int i = 0; !arena.failed && i < width; i++)
    b.columns[i] = i;
  const fly_status status = arena.failed ? fly_result_no_memory(error) : give_blocks(r, &b, most, fn, user, error);
  fly_arena_free(&arena);
  return status;
}

typedef struct rehash {
  uint64_t hash;
  size_t width;
} rehash;

static fly_status hash_rows(const double *rows, int nrows, void *user, fly_error *error) {
  rehash *h = user;
  (void)error;
  h->hash = fly_hash_doubles(h->hash, rows, (size_t)nrows * h->width);
  return FLY_OK;
}

fly_status fly_result_rehash(fly_result *r, uint64_t *hash, fly_error *error) {
  if (!r || !hash)
    return fly_missing(error, "fly_result_rehash", r ? "place for the hash" : "result");
  rehash h = {.hash = fly_hash_start(), .width = (size_t)r->info.count};
  const fly_status status = fly_result_each_block(r, hash_rows, &h, error);
  *hash = h.hash;
  return status;
}
