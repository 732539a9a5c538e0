// One writer over both formats: collects rows into blocks, hashes them, decides when to flush.
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/phase.h"
#include "result/formats.h"
#include "result/part.h"
#include "result/waiting.h"

static const size_t WAITING_BYTES = (size_t)1 << 20; // of attachments: more are not kept in memory

enum {
  PACKED_BYTES = 64 << 20
}; // of numbers: what takes about a second to write anew; what is larger stays as it grew

struct fly_result_writer {
  int width; // numbers a row, time included
  double flush_seconds, last_flush;
  char *base; // of the files, when they are complete
  fly_part csv_part, hdf5_part;
  fly_csv_writer *csv;
  fly_hdf5_writer *hdf5;
  bool hdf5_waits; // until rows are handed over,
  fly_waiting waiting;
  double *block; // rows not handed over yet (block_rows * width)
  int block_rows, held;
  long rows;     // appended, those held included
  uint64_t hash; // of those handed over
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

// The part is taken at once; it stays empty until there is something to write.
static fly_status open_hdf5(fly_result_writer *w, const fly_channel *all, fly_error *error) {
  fly_status status = fly_hdf5_known(w->base, error);
  if (status == FLY_OK)
    status = fly_part_open(&w->hdf5_part, w->base, ".h5", error);
  if (status != FLY_OK)
    return status;
  w->hdf5_waits = true;
  return fly_waiting_channels(&w->waiting, all, w->width) ? FLY_OK : fly_result_no_memory(error);
}

// Creates the file with what has been waiting for it.
static fly_status begin_hdf5(fly_result_writer *w, fly_error *error) {
  if (!w->hdf5_waits)
    return FLY_OK;
  const fly_phase before = fly_phase_enter(FLY_PHASE_FILES);
  fly_status status = fly_waiting_create(&w->waiting, &w->hdf5, w->hdf5_part.path, error);
  fly_phase_leave(before);
  w->hdf5_waits = false;
  w->failed = status != FLY_OK;
  fly_waiting_free(&w->waiting);
  return status;
}

static fly_status open_csv(fly_result_writer *w, const fly_channel *all, fly_error *error) {
  fly_status status = fly_part_open(&w->csv_part, w->base, ".csv", error);
  char *base = status == FLY_OK ? fly_result_path(w->base, ".part") : NULL;
  if (base != NULL)
    status = fly_csv_create(&w->csv, base, all, w->width, error);
  else if (status == FLY_OK)
    status = fly_result_no_memory(error);
  free(base);
  return status;
}

static fly_status open_files(fly_result_writer *w, const char *base, const fly_channel *channels, int count,
                             unsigned formats, fly_error *error) {
  fly_arena arena = {0};
  const fly_channel *all = with_time(&arena, channels, count);
  fly_status status = all != NULL ? check_channels(&arena, all, w->width, error) : fly_result_no_memory(error);
  w->base = fly_result_path(base, "");
  if (w->base == NULL)
    status = fly_result_no_memory(error);
  if (status == FLY_OK && (formats & FLY_RESULT_HDF5) != 0)
    status = open_hdf5(w, all, error);
  if (status == FLY_OK && (formats & FLY_RESULT_CSV) != 0)
    status = open_csv(w, all, error);
  fly_arena_free(&arena);
  return status;
}

static fly_result_writer *new_writer(int count, const fly_result_options *options) {
  fly_result_writer *w = calloc(1, sizeof *w);
  if (w == NULL)
    return NULL;
  w->width = count + 1;
  w->csv_part.lock = w->hdf5_part.lock = -1;
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

static void free_writer(fly_result_writer *w) {
  fly_waiting_free(&w->waiting);
  fly_part_free(&w->csv_part);
  fly_part_free(&w->hdf5_part);
  free(w->base);
  free(w->block);
  free(w);
}

// Of a result that could not be created nothing is left.
static void discard(fly_result_writer *w) {
  fly_hdf5_close(w->hdf5, NULL);
  fly_csv_close(w->csv, NULL);
  fly_part_discard(&w->csv_part);
  fly_part_discard(&w->hdf5_part);
  free_writer(w);
}

fly_status fly_result_create(fly_result_writer **out, const char *base, const fly_channel *channels, int count,
                             const fly_result_options *options, fly_error *error) {
  const fly_result_options usual = fly_result_options_default();
  options = options ? options : &usual;
  if (!out)
    return fly_missing(error, "fly_result_create", "place for the writer");
  *out = NULL;
  if (!base || (count > 0 && !channels))
    return fly_missing(error, "fly_result_create", base ? "list of channels" : "name of the result");
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
    discard(w);
  }
  return status;
}

// The first of two failures counts; the second is told only if it is the first.
static fly_status first_failure(fly_status first, fly_status second, fly_error *error, const fly_error *of_second) {
  if (first == FLY_OK && second != FLY_OK && error != NULL)
    *error = *of_second;
  return first != FLY_OK ? first : second;
}

// The finished part once more, small, in a file of its own beside it. False: it stays as it is.
static bool pack(fly_result_writer *w, fly_result *grown, char **packed) {
  const unsigned long long bytes = (unsigned long long)w->rows * (unsigned)w->width * sizeof(double);
  *packed = bytes <= PACKED_BYTES ? fly_result_path(w->hdf5_part.path, "~") : NULL;
  if (*packed == NULL)
    return false;
  if (fly_result_pack(grown, *packed, NULL) == FLY_OK)
    return true;
  remove(*packed);
  return false;
}

// Closes the HDF5 file. *packed: the file to take in its place, or NULL; the caller's to free. Nobody waits for what is
// abandoned to be packed.
static fly_status close_hdf5(fly_result_writer *w, bool abandoned, char **packed, fly_error *error) {
  fly_result *grown = NULL;
  bool is_packed = false;
  if (!w->failed && !abandoned && fly_result_open(&grown, w->hdf5_part.path, NULL) == FLY_OK) {
    is_packed = pack(w, grown, packed);
    if (!is_packed)
      fly_hdf5_add_elements(w->hdf5, fly_result_info_of(grown)->channel, NULL);
    fly_result_close(grown);
  }
  if (!is_packed) {
    free(*packed);
    *packed = NULL;
  }
  return fly_hdf5_close(w->hdf5, error);
}

// Gives a closed file its name.
static fly_status name_file(fly_part *p, const char *from, bool abandoned, fly_error *error) {
  return abandoned ? fly_part_abandon(p, error) : fly_part_commit(p, from, error);
}

static fly_status end_hdf5(fly_result_writer *w, bool abandoned, fly_error *error) {
  char *packed = NULL;
  if (w->hdf5 == NULL) {
    fly_part_discard(&w->hdf5_part); // it could not be created
    return FLY_OK;
  }
  fly_status status = close_hdf5(w, abandoned, &packed, error);
  if (status == FLY_OK)
    status = name_file(&w->hdf5_part, packed, abandoned, error);
  free(packed);
  return status;
}

static fly_status end_csv(fly_result_writer *w, bool abandoned, fly_error *error) {
  if (w->csv == NULL)
    return FLY_OK;
  fly_error other;
  const bool stays = abandoned && fly_file_exists(w->csv_part.final);
  fly_status status = stays ? FLY_OK : fly_csv_move_attachments(w->csv, w->base, error);
  status = first_failure(status, fly_csv_close(w->csv, &other), error, &other);
  return status == FLY_OK ? name_file(&w->csv_part, NULL, abandoned, error) : status;
}

static fly_status end(fly_result_writer *w, bool abandoned, fly_error *error) {
  if (w == NULL)
    return FLY_OK;
  fly_error other;
  fly_status status = w->failed ? FLY_OK : fly_result_flush(w, error);
  status = first_failure(status, end_hdf5(w, abandoned, &other), error, &other);
  status = first_failure(status, end_csv(w, abandoned, &other), error, &other);
  free_writer(w);
  return status;
}

fly_status fly_result_finish(fly_result_writer *w, fly_error *error) { return end(w, false, error); }
fly_status fly_result_abandon(fly_result_writer *w, fly_error *error) { return end(w, true, error); }

// ------------------------------------------------------------------------------------------------ rows

static fly_status hand_over(fly_result_writer *w, fly_error *error) {
  fly_status status = begin_hdf5(w, error);
  if (status == FLY_OK && w->held > 0 && w->hdf5 != NULL)
    status = fly_hdf5_write(w->hdf5, w->block, w->held, error);
  if (status == FLY_OK && w->held > 0 && w->csv != NULL)
    status = fly_csv_write(w->csv, w->block, w->held, error);
  if (status == FLY_OK)
    w->hash = fly_result_hash(w);
  else
    w->rows -= w->held; // they are lost
  w->held = 0;
  w->failed = status != FLY_OK;
  return status;
}

static fly_status refuse(fly_error *error) {
  return fly_fail(error, FLY_FILE, NAN, "The results take no more rows: an earlier write failed.");
}

fly_status fly_result_flush(fly_result_writer *w, fly_error *error) {
  if (!w)
    return fly_missing(error, "fly_result_flush", "writer");
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
  if (!w || (nrows > 0 && !rows))
    return fly_missing(error, "fly_result_append", w ? "row" : "writer");
  if (nrows < 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "fly_result_append: %d rows cannot be appended.", nrows);
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
  return fly_clock() - w->last_flush >= w->flush_seconds ? fly_result_flush(w, error) : FLY_OK;
}

fly_status fly_result_attach(fly_result_writer *w, const char *name, const void *bytes, size_t size, fly_error *error) {
  if (!w || !name || (size > 0 && !bytes))
    return fly_missing(error, "fly_result_attach", !w ? "writer" : name ? "text" : "name");
  fly_status status = fly_result_check_name(name, error);
  if (status != FLY_OK)
    return status;
  if (w->hdf5_waits && size <= WAITING_BYTES - w->waiting.size)
    return fly_waiting_attach(&w->waiting, name, bytes, size) ? FLY_OK : fly_result_no_memory(error);
  status = begin_hdf5(w, error);
  if (status != FLY_OK)
    return status;
  return w->hdf5 != NULL  ? fly_hdf5_attach(w->hdf5, name, bytes, size, error)
         : w->csv != NULL ? fly_csv_attach(w->csv, name, bytes, size, error)
                          : refuse(error);
}

long fly_result_rows(const fly_result_writer *w) { return w ? w->rows : 0; }
uint64_t fly_result_hash(const fly_result_writer *w) {
  if (!w)
    return fly_hash_start();
  return fly_hash_doubles(w->hash, w->block, (size_t)w->held * (size_t)w->width);
}
