// What the tests of results share: a folder for files, rows to write and to find again.
#ifndef FLY_TESTS_RESULT_FILES_H
#define FLY_TESTS_RESULT_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "result/result.h"

static char folder[] = "/tmp/flyball-result-XXXXXX";

static inline int make_folder(void **state) { return mkdtemp(folder) == NULL; }

static inline int remove_folder(void **state) {
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

// A path in the folder; good until four more were asked for.
static inline const char *path_of(const char *name) {
  static _Thread_local char path[4][300];
  static _Thread_local int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
  return path[next];
}

static inline void put_file(const char *name, const void *bytes, size_t size) {
  FILE *file = fopen(path_of(name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

// All bytes of a file, the caller's to free.
static inline char *get_file(const char *name, size_t *size) {
  FILE *file = fopen(path_of(name), "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  bytes[*size] = 0;
  fclose(file);
  return bytes;
}

// n channels c0, c1, ...; the caller's to free.
static inline fly_channel *make_channels(int n) {
  fly_channel *channels = malloc((size_t)n * sizeof *channels + (size_t)n * 20);
  assert_non_null(channels);
  char *text = (char *)(channels + n);
  for (int i = 0; i < n; i++, text += 20) {
    snprintf(text, 20, "c%d", i);
    channels[i] = (fly_channel){.name = text, .unit = i % 2 == 0 ? "m" : "", .description = NULL};
  }
  return channels;
}

// What stands in a row and column of a test file; column 0 is time.
static inline double value_at(long row, int column) { return (double)row * 1e-3 + (double)column * 1e5; }

static inline void fill_row(double *row, long number, int width) {
  for (int j = 0; j < width; j++)
    row[j] = value_at(number, j);
}

static inline fly_result_writer *create(const char *name, int channels, unsigned formats, double flush_seconds) {
  fly_error error;
  fly_result_writer *w;
  fly_channel *list = make_channels(channels);
  fly_result_options options = {.formats = formats, .flush_seconds = flush_seconds};
  if (fly_result_create(&w, path_of(name), list, channels, &options, &error) != FLY_OK)
    fail_msg("%s", error.message);
  free(list);
  return w;
}

static inline void append(fly_result_writer *w, double *row, int width, long first, long count) {
  fly_error error;
  for (long i = first; i < first + count; i++) {
    fill_row(row, i, width);
    if (fly_result_append(w, row, 1, &error) != FLY_OK)
      fail_msg("%s", error.message);
  }
}

static inline void finish(fly_result_writer *w) {
  fly_error error;
  if (fly_result_finish(w, &error) != FLY_OK)
    fail_msg("%s", error.message);
}

static inline fly_result *open_result(const char *name) {
  fly_error error;
  fly_result *r;
  if (fly_result_open(&r, path_of(name), &error) != FLY_OK)
    fail_msg("%s", error.message);
  return r;
}

// The first and the last column, and the last row, are as they were written.
static inline void check_values(fly_result *r) {
  const fly_result_info *info = fly_result_info_of(r);
  const int ends[2] = {0, info->count - 1};
  double *x = malloc((size_t)(2 * info->rows + info->count) * sizeof *x);
  int *all = malloc((size_t)info->count * sizeof *all);
  assert_non_null(x);
  assert_non_null(all);
  assert_int_equal(fly_result_read(r, x, ends, 2, 0, info->rows, NULL), FLY_OK);
  for (long i = 0; i < 2 * info->rows; i++)
    if (x[i] != value_at(i % info->rows, ends[i / info->rows]))
      fail_msg("row %ld of %ld, column %d is %g", i % info->rows, info->rows, ends[i / info->rows], x[i]);
  for (int j = 0; j < info->count; j++)
    all[j] = j;
  assert_int_equal(fly_result_read(r, x, all, info->count, info->rows > 0 ? info->rows - 1 : 0, info->rows > 0, NULL),
                   FLY_OK);
  for (int j = 0; j < info->count && info->rows > 0; j++)
    assert_true(x[j] == value_at(info->rows - 1, j));
  free(x);
  free(all);
}

#endif
