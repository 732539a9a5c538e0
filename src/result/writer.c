// One writer over both formats: collects rows into blocks, hashes them, decides when to flush.
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "result/formats.h"

struct fly_result_writer {
  int width; // numbers a row, time included
  double flush_seconds, last_flush;
  fly_csv_writer *csv;
  fly_hdf5_writer *hdf5;
  double *block; // rows not handed over yet (block_rows * width)
  int block_rows, held;
  long rows; // appended, those held included
  uint64_t hash;
  bool failed;
};

fly_result_options fly_result_options_default(void) {
  return (fly_result_options){.formats = FLY_RESULT_HDF5, .flush_seconds = 1};
}

int fly_result_block_rows(int width) {
  const int most = 1024, numbers = 1 << 21;
  int rows = numbers / width;
  return rows > most ? most : rows > 1 ? rows : 1;
}

char *fly_result_path(const char *base, const char *ending) {
  size_t length = strlen(base);
  const char *stem = length > 0 && base[length - 1] == '/' ? "result" : "";
  char *path = malloc(length + strlen(stem) + strlen(ending) + 1);
  if (path != NULL) {
    strcpy(path, base);
    strcat(path, stem);
    strcat(path, ending);
  }
  return path;
}

fly_status fly_result_no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Not enough memory for the results.");
}

fly_status fly_result_cannot_write(const char *path, int reason, fly_error *error) {
  return fly_fail(error, FLY_FILE, NAN,
                  "%s: cannot be written: %s. What was written before is kept; make room, or write less: rows further "
                  "apart, fewer channels.",
                  path, strerror(reason));
}

// ------------------------------------------------------------------------------------------------ what is asked

static bool has_control(const char *text) {
  for (; *text != 0; text++)
    if (iscntrl((unsigned char)*text))
      return true;
  return false;
}

static fly_status check_channel(const fly_channel *c, fly_error *error) {
  if (c->name == NULL || c->name[0] == 0 || has_control(c->name))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "A channel has no name, or one with control characters in it.");
  if (c->unit != NULL && (has_control(c->unit) || strpbrk(c->unit, "[]") != NULL))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The unit '%s' of channel '%s' has a bracket or control character.",
                    c->unit, c->name);
  return FLY_OK;
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// All channels with time before them, in memory from the arena; NULL texts become "".
static fly_channel *with_time(fly_arena *arena, const fly_channel *channels, int count) {
  fly_channel *all = fly_arena_take(arena, (size_t)count + 1, sizeof *all);
  if (all == NULL)
    return NULL;
  all[0] = (fly_channel){.name = "time", .unit = "s", .description = "time"};
  for (int i = 0; i < count; i++) {
    const fly_channel *c = &channels[i];
    all[i + 1] = (fly_channel){.name = c->name,
                               .unit = c->unit != NULL ? c->unit : "",
                               .description = c->description != NULL ? c->description : ""};
  }
  return all;
}

static fly_status check_channels(fly_arena *arena, const fly_channel *all, int width, fly_error *error) {
  const char **names = fly_arena_take(arena, (size_t)width, sizeof *names);
  if (names == NULL)
    return fly_result_no_memory(error);
  for (int i = 0; i < width; i++) {
    fly_status status = check_channel(&all[i], error);
    if (status != FLY_OK)
      return status;
    names[i] = all[i].name;
  }
  qsort(names, (size_t)width, sizeof *names, compare_names);
  for (int i = 1; i < width; i++)
    if (strcmp(names[i - 1], names[i]) == 0)
      return fly_fail(error, FLY_BAD_INPUT, NAN, "Two channels are called '%s'.", names[i]);
  return FLY_OK;
}

static fly_status check_options(int count, const fly_result_options *o, fly_error *error) {
  const unsigned known = FLY_RESULT_CSV | FLY_RESULT_HDF5;
  if (o->formats == 0 || (o->formats & ~known) != 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "Results need a format: HDF5, CSV or both.");
  if (!(o->flush_seconds >= 0))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "flush_seconds is %g; it must be 0 or more.", o->flush_seconds);
  if (count < 0 || count == INT_MAX)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "A result cannot have %d channels.", count);
  return FLY_OK;
}

fly_status fly_result_check_name(const char *name, fly_error *error) {
  for (const char *s = name; *s != 0; s++)
    if (!isalnum((unsigned char)*s) && strchr("._-", *s) == NULL)
      return fly_fail(error, FLY_BAD_INPUT, NAN, "The name of the attachment '%s' has '%c' in it.", name, *s);
  if (name[0] == 0 || name[0] == '.' || strcmp(name, "csv") == 0 || strcmp(name, "h5") == 0 ||
      strcmp(name, FLY_CSV_LIST) == 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "An attachment cannot be called '%s'.", name);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------------ life

static fly_status open_files(fly_result_writer *w, const char *base, const fly_channel *channels, int count,
                             unsigned formats, fly_error *error) {
  fly_arena arena = {0};
  fly_status status = FLY_OK;
  const fly_channel *all = with_time(&arena, channels, count);
  status = all != NULL ? check_channels(&arena, all, w->width, error) : fly_result_no_memory(error);
  if (status == FLY_OK && (formats & FLY_RESULT_HDF5) != 0)
    status = fly_hdf5_create(&w->hdf5, base, all, w->width, error);
  if (status == FLY_OK && (formats & FLY_RESULT_CSV) != 0)
    status = fly_csv_create(&w->csv, base, all, w->width, error);
  fly_arena_free(&arena);
  return status;
}

static fly_result_writer *new_writer(int count, const fly_result_options *options) {
  fly_result_writer *w = calloc(1, sizeof *w);
  if (w == NULL)
    return NULL;
  w->width = count + 1;
  w->flush_seconds = options->flush_seconds;
  w->last_flush = fly_clock();
  w->hash = fly_hash_start();
  w->block_rows = fly_result_block_rows(w->width);
  w->block = malloc((size_t)w->block_rows * (size_t)w->width * sizeof *w->block);
  if (w->block != NULL)
    return w;
  free(w);
  return NULL;
}

fly_status fly_result_create(fly_result_writer **out, const char *base, const fly_channel *channels, int count,
                             const fly_result_options *options, fly_error *error) {
  *out = NULL;
  fly_status status = check_options(count, options, error);
  if (status != FLY_OK)
    return status;
  fly_result_writer *w = new_writer(count, options);
  if (w == NULL)
    return fly_result_no_memory(error);
  status = open_files(w, base, channels, count, options->formats, error);
  if (status == FLY_OK) {
    *out = w;
  } else {
    w->failed = true;
    fly_result_finish(w, NULL);
  }
  return status;
}

// The first of two failures counts; the second is told only if it is the first.
static fly_status first_failure(fly_status first, fly_status second, fly_error *error, const fly_error *of_second) {
  if (first == FLY_OK && second != FLY_OK && error != NULL)
    *error = *of_second;
  return first != FLY_OK ? first : second;
}

fly_status fly_result_finish(fly_result_writer *w, fly_error *error) {
  if (w == NULL)
    return FLY_OK;
  fly_error other;
  fly_status status = w->failed ? FLY_OK : fly_result_flush(w, error);
  status = first_failure(status, fly_hdf5_close(w->hdf5, &other), error, &other);
  status = first_failure(status, fly_csv_close(w->csv, &other), error, &other);
  free(w->block);
  free(w);
  return status;
}

// ------------------------------------------------------------------------------------------------ rows

static fly_status hand_over(fly_result_writer *w, fly_error *error) {
  fly_status status = FLY_OK;
  if (w->held > 0 && w->hdf5 != NULL)
    status = fly_hdf5_write(w->hdf5, w->block, w->held, error);
  if (status == FLY_OK && w->held > 0 && w->csv != NULL)
    status = fly_csv_write(w->csv, w->block, w->held, error);
  w->held = 0;
  w->failed = status != FLY_OK;
  return status;
}

static fly_status refuse(fly_error *error) {
  return fly_fail(error, FLY_FILE, NAN, "The results take no more rows: an earlier write failed.");
}

fly_status fly_result_flush(fly_result_writer *w, fly_error *error) {
  if (w->failed)
    return refuse(error);
  fly_status status = hand_over(w, error);
  if (status == FLY_OK && w->hdf5 != NULL)
    status = fly_hdf5_flush(w->hdf5, error);
  if (status == FLY_OK && w->csv != NULL)
    status = fly_csv_flush(w->csv, error);
  w->failed = status != FLY_OK;
  w->last_flush = fly_clock();
  return status;
}

// Blocks end where chunks end, so that a chunk is complete when it leaves memory.
static bool block_is_full(const fly_result_writer *w) { return w->rows % w->block_rows == 0; }

fly_status fly_result_append(fly_result_writer *w, const double *rows, int nrows, fly_error *error) {
  const size_t width = (size_t)w->width;
  fly_status status = w->failed ? refuse(error) : FLY_OK;
  for (int i = 0; status == FLY_OK && i < nrows; i++) {
    memcpy(w->block + (size_t)w->held++ * width, rows + (size_t)i * width, width * sizeof *rows);
    w->rows++;
    if (block_is_full(w))
      status = hand_over(w, error);
  }
  if (status != FLY_OK)
    return status;
  w->hash = fly_hash_doubles(w->hash, rows, (size_t)nrows * width);
  return fly_clock() - w->last_flush >= w->flush_seconds ? fly_result_flush(w, error) : FLY_OK;
}

fly_status fly_result_attach(fly_result_writer *w, const char *name, const void *bytes, size_t size, fly_error *error) {
  fly_status status = w->failed ? refuse(error) : fly_result_check_name(name, error);
  if (status == FLY_OK && w->hdf5 != NULL)
    status = fly_hdf5_attach(w->hdf5, name, bytes, size, error);
  if (status == FLY_OK && w->csv != NULL)
    status = fly_csv_attach(w->csv, name, bytes, size, error);
  return status;
}

long fly_result_rows(const fly_result_writer *w) { return w->rows; }
uint64_t fly_result_hash(const fly_result_writer *w) { return w->hash; }
