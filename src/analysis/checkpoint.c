#include "analysis/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run.h"
#include "base/error.h"
#include "base/file.h"
#include "base/image.h"
#include "result/formats.h"

enum { BLOCK = 256 }; // rows that are copied at a time
static const char ENDING[] = ".checkpoint";
static const fly_seal SEAL = {"result", 0}; // around the file: whose state it is, the state says itself

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a checkpoint.");
}

// ------------------------------------------------------------------------------------------ life

void fly_checkpoint_free(fly_checkpoint *c) {
  if (!c)
    return;
  free(c->base);
  free(c->path);
  free(c->rows_path);
  free(c->note);
  free(c->state);
  free(c);
}

// A base name from the name of any of its files.
static char *base_of(const char *result) {
  static const char *const endings[] = {".checkpoint", ".part.h5", ".part.csv", ".resume.h5", ".h5", ".csv", NULL};
  char *base = fly_result_path(result, "");
  for (int k = 0; base && endings[k]; k++) {
    const size_t length = strlen(base), ending = strlen(endings[k]);
    if (length > ending && strcmp(base + length - ending, endings[k]) == 0) {
      base[length - ending] = 0;
      break;
    }
  }
  return base;
}

static bool read_all(const char *path, void **bytes, size_t *size) {
  FILE *file = fopen(path, "rb");
  long length = -1;
  *bytes = NULL;
  if (file && fseek(file, 0, SEEK_END) == 0)
    length = ftell(file);
  if (length >= 0 && fseek(file, 0, SEEK_SET) == 0)
    *bytes = malloc((size_t)length + 1);
  bool fine = *bytes && fread(*bytes, 1, (size_t)length, file) == (size_t)length;
  *size = fine ? (size_t)length : 0;
  if (file)
    fclose(file);
  if (!fine)
    free(*bytes);
  return fine;
}

// A text or bytes of their own length.
static void image_piece(fly_image *m, void **piece, uint64_t *size) {
  fly_image_bytes(m, size, sizeof *size);
  if (m->reading && !m->failure && *size <= m->size - m->at) {
    *piece = calloc(1, (size_t)*size + 1);
    m->failure = *piece ? m->failure : FLY_IMAGE_NO_MEMORY;
  }
  fly_image_bytes(m, *piece, (size_t)*size);
}

static void image(fly_checkpoint *c, fly_image *m) {
  uint64_t note = c->note ? strlen(c->note) : 0;
  void *text = c->note;
  fly_image_bytes(m, &c->time, sizeof c->time);
  fly_image_bytes(m, &c->rows, sizeof c->rows);
  fly_image_bytes(m, &c->hash, sizeof c->hash);
  fly_image_bytes(m, &c->model, sizeof c->model);
  image_piece(m, &text, &note);
  c->note = text;
  image_piece(m, &c->state, &c->size);
}

// What is wrong with the bytes of a file, with its name.
static fly_status named(fly_status status, const char *path, fly_error *error) {
  if (status == FLY_OK || !error)
    return status;
  const fly_error why = *error;
  return fly_fail(error, status, NAN, "%s: %s", path, why.message);
}

static fly_status read_file(fly_checkpoint *c, fly_error *error) {
  void *bytes;
  size_t size;
  fly_image m;
  if (!read_all(c->path, &bytes, &size))
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "%s: there is no checkpoint to go on from. A run leaves one behind if it was started with "
                    "--checkpoint and was interrupted after it had reached the first; one that is complete removes "
                    "it. Run the model again.",
                    c->path);
  fly_status status = fly_image_open(&m, &SEAL, bytes, size, error);
  if (status == FLY_OK) {
    image(c, &m);
    status = fly_image_end(&m, "result", error);
  }
  free(bytes);
  return named(status, c->path, error);
}

fly_status fly_checkpoint_read(fly_checkpoint **out, const char *result, fly_error *error) {
  fly_checkpoint *c = calloc(1, sizeof *c);
  *out = NULL;
  if (!c)
    return no_memory(error);
  c->base = base_of(result);
  c->path = c->base ? fly_result_path(c->base, ENDING) : NULL;
  const fly_status status = c->path ? read_file(c, error) : no_memory(error);
  if (status)
    fly_checkpoint_free(c);
  else
    *out = c;
  return status;
}

fly_status fly_checkpoint_note(char **note, char **base, const char *result, fly_error *error) {
  fly_checkpoint *c;
  if (!note || !base || !result)
    return fly_missing(error, "fly_checkpoint_note", result ? "place for the note" : "name of the result");
  *note = *base = NULL;
  const fly_status status = fly_checkpoint_read(&c, result, error);
  if (status || !c)
    return status;
  *note = c->note;
  *base = c->base;
  c->note = c->base = NULL;
  fly_checkpoint_free(c);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ rows

typedef struct rows_of {
  fly_result *result;
  int width;
  int *column;   // 0, 1, 2 ... (width)
  double *block; // as they are read, one column after the other (width * BLOCK),
  double *row;   // and one of them (width)
} rows_of;

static void close_rows(rows_of *r) {
  fly_result_close(r->result);
  free(r->column);
  free(r->block);
  free(r->row);
}

static bool open_rows(rows_of *r, const char *path) {
  *r = (rows_of){0};
  if (fly_result_open(&r->result, path, NULL))
    return false;
  r->width = fly_result_info_of(r->result)->count;
  r->column = calloc((size_t)r->width, sizeof *r->column);
  r->block = calloc((size_t)r->width * BLOCK, sizeof *r->block);
  r->row = calloc((size_t)r->width, sizeof *r->row);
  for (int k = 0; r->column && k < r->width; k++)
    r->column[k] = k;
  return r->column && r->block && r->row;
}

// Passes the first `count` rows on, one by one; their hash in *hash. writer NULL: only that.
static fly_status pass_rows(rows_of *r, long count, fly_result_writer *writer, uint64_t *hash, fly_error *error) {
  fly_status status = FLY_OK;
  *hash = fly_hash_start();
  for (long first = 0; first < count && status == FLY_OK; first += BLOCK) {
    const int n = count - first < BLOCK ? (int)(count - first) : BLOCK;
    status = fly_result_read(r->result, r->block, r->column, r->width, first, n, error);
    for (int i = 0; i < n && status == FLY_OK; i++) {
      for (int k = 0; k < r->width; k++)
        r->row[k] = r->block[(size_t)k * (size_t)n + (size_t)i];
      *hash = fly_hash_doubles(*hash, r->row, (size_t)r->width);
      if (writer)
        status = fly_result_append(writer, r->row, 1, error);
    }
  }
  return status;
}

static bool has_rows(const fly_checkpoint *c, const char *path) {
  rows_of r;
  uint64_t hash = 0;
  const bool found = open_rows(&r, path) && fly_result_info_of(r.result)->rows >= (long)c->rows &&
                     pass_rows(&r, (long)c->rows, NULL, &hash, NULL) == FLY_OK && hash == c->hash;
  close_rows(&r);
  return found;
}

// The part of a run that is no more, under a name where the next one does not write.
static fly_status put_aside(const char *part, const char *aside, fly_error *error) {
  int reason;
  const int lock = fly_file_lock(part, &reason);
  if (lock < 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s.", part,
                    reason == EWOULDBLOCK ? "the run that writes it has not ended; nothing of it was touched"
                                          : strerror(reason));
  reason = fly_file_rename(part, aside);
  fly_file_unlock(lock);
  return reason ? fly_result_cannot_write(aside, reason, error) : FLY_OK;
}

static fly_status find_rows(fly_checkpoint *c, char *aside, char *part, char *final, fly_error *error) {
  fly_status status = FLY_OK;
  if (fly_file_exists(part) && has_rows(c, part))
    status = put_aside(part, aside, error);
  if (status)
    return status;
  const char *const list[] = {aside, final};
  for (size_t k = 0; k < sizeof list / sizeof *list && !c->rows_path; k++)
    if (fly_file_exists(list[k]) && has_rows(c, list[k]))
      c->rows_path = fly_result_path(list[k], "");
  if (c->rows_path)
    return FLY_OK;
  return fly_fail(error, FLY_BAD_INPUT, NAN,
                  "%s: it belongs to %ld rows of results, and neither %s nor %s has them. They were written anew, or "
                  "taken away; run the model again.",
                  c->path, (long)c->rows, part, final);
}

fly_status fly_checkpoint_find_rows(fly_checkpoint *c, unsigned formats, fly_error *error) {
  const char *ending = (formats & FLY_RESULT_HDF5) ? ".h5" : ".csv";
  char *aside = fly_result_path(c->base, ".resume"), *part = fly_result_path(c->base, ".part");
  char *aside_file = aside ? fly_result_path(aside, ending) : NULL,
       *part_file = part ? fly_result_path(part, ending) : NULL;
  char *final = fly_result_path(c->base, ending);
  const fly_status status =
      aside_file && part_file && final ? find_rows(c, aside_file, part_file, final, error) : no_memory(error);
  char *const list[] = {aside, part, aside_file, part_file, final};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    free(list[k]);
  return status;
}

static fly_status copy_rows(fly_run *r, fly_error *error) {
  const fly_checkpoint *c = r->checkpoint;
  rows_of rows;
  uint64_t hash = 0;
  fly_status status = FLY_OK;
  if (!r->writer)
    return FLY_OK;
  if (!open_rows(&rows, c->rows_path) || rows.width != 1 + r->channels.count)
    status = fly_fail(error, FLY_FILE, NAN, "%s: its rows cannot be read any more.", c->rows_path);
  if (status == FLY_OK)
    status = pass_rows(&rows, (long)c->rows, r->writer, &hash, error);
  if (status == FLY_OK && hash != c->hash)
    status = fly_fail(error, FLY_FILE, NAN, "%s: its rows have changed while they were read.", c->rows_path);
  close_rows(&rows);
  return status ? status : fly_result_flush(r->writer, error);
}

// ------------------------------------------------------------------------------------------ going on

fly_status fly_checkpoint_take_up(fly_run *r, fly_error *error) {
  const fly_checkpoint *c = r->checkpoint;
  if (c->model != fly_spec_fingerprint(&r->mechanism->spec))
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "%s: the model has changed since this checkpoint, at t = %.9g s, was written: the run cannot go on "
                    "from there. Run it again from its start, or take the model as it was.",
                    c->path, c->time);
  fly_status status = fly_run_can_save(r, error);
  if (status == FLY_OK)
    status = fly_run_take_up(r, c->state, (size_t)c->size, error);
  return status ? named(status, c->path, error) : copy_rows(r, error);
}

// ------------------------------------------------------------------------------------------ writing

static int write_bytes(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return errno;
  const bool written = fwrite(bytes, 1, size, file) == size;
  const int reason = errno;
  if (fclose(file) != 0)
    return errno;
  return written ? 0 : reason;
}

static fly_status put_in_place(const char *path, const void *bytes, size_t size, fly_error *error) {
  char *fresh = fly_result_path(path, "~");
  if (!fresh)
    return no_memory(error);
  int reason = write_bytes(fresh, bytes, size);
  if (reason == 0)
    reason = fly_file_sync(fresh);
  if (reason == 0)
    reason = fly_file_rename(fresh, path);
  if (reason)
    remove(fresh);
  free(fresh);
  return reason ? fly_fail(error, FLY_FILE, NAN,
                           "%s: cannot be written: %s. The checkpoint before it, and the results so far, are kept.",
                           path, strerror(reason))
                : FLY_OK;
}

static void remove_file(const char *base, const char *ending) {
  char *path = fly_result_path(base, ending);
  if (path && fly_file_exists(path))
    remove(path);
  free(path);
}

static void remove_aside(const char *base) {
  remove_file(base, ".resume.h5");
  remove_file(base, ".resume.csv");
}

void fly_checkpoint_remove(const char *base) {
  remove_file(base, ENDING);
  remove_file(base, ".checkpoint~");
  remove_aside(base);
}

static fly_status write(fly_run *r, fly_error *error) {
  fly_checkpoint c = {.time = fly_run_time(r), .note = (char *)r->settings.note}; // only read
  fly_image state = fly_image_write(), whole = fly_image_write();
  const fly_seal seal = {"run", fly_run_fingerprint(r)};
  void *bytes = NULL;
  size_t size = 0, inner = 0;
  fly_status status = fly_result_flush(r->writer, error);
  c.rows = (uint64_t)fly_result_rows(r->writer);
  c.hash = fly_result_hash(r->writer);
  c.model = fly_spec_fingerprint(&r->mechanism->spec);
  c.path = fly_result_path(r->settings.out, ENDING);
  if (status == FLY_OK && !c.path)
    status = no_memory(error);
  if (status == FLY_OK)
    status = fly_run_image(r, &state, error);
  if (status == FLY_OK)
    status = fly_image_close(&state, &seal, &c.state, &inner, error);
  c.size = inner;
  if (status == FLY_OK) {
    image(&c, &whole);
    status = fly_image_close(&whole, &SEAL, &bytes, &size, error);
  }
  if (status == FLY_OK)
    status = put_in_place(c.path, bytes, size, error);
  if (status == FLY_OK)
    remove_aside(r->settings.out); // the rows are in the result that grows
  fly_image_free(&state);
  free(bytes);
  free(c.state);
  free(c.path);
  return status;
}

// At the first accepted points at or behind multiples of the interval: where that is depends on nothing but the motion.
fly_status fly_checkpoint_write(fly_run *r, fly_error *error) {
  const double every = r->settings.checkpoint;
  if (!(every > 0) || !r->writer || r->mover->done(r))
    return FLY_OK;
  if (fly_run_time(r) < (double)(r->next_checkpoint + 1) * every)
    return FLY_OK;
  r->next_checkpoint = (long)floor(fly_run_time(r) / every);
  return write(r, error);
}
