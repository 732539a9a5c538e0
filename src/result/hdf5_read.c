// Results in HDF5, read: which tables there are, and what must stand in them. Every byte comes through hdf5_file.h.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "result/formats.h"
#include "result/hdf5_file.h"
#include "result/hdf5_layout.h"

typedef struct reader {
  const char *path;
  fly_h5 file;
  fly_h5_set data;
  int width;            // columns
  uint64_t attachments; // header of the group, FLY_H5_NOWHERE: none
} reader;

static fly_status foreign(const char *path, fly_error *error) {
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: this is an HDF5 file, but not a result of Flyball.", path);
}

// What was found wrong; `what` is the part of the file that shows it.
static fly_status damaged(reader *r, const char *what, fly_error *error) {
  const fly_h5 found = r->file;
  r->file.fault[0] = 0; // what is whole can still be read
  r->file.no_memory = false;
  if (found.no_memory)
    return fly_result_no_memory(error);
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s: %s.", r->path, what, found.fault);
}

static fly_status damaged_file(reader *r, fly_error *error) {
  return damaged(r, "this HDF5 file is damaged or cut short", error);
}

// ------------------------------------------------------------------------------------------------ opening

static fly_status check_version(reader *r, fly_error *error) {
  int version = 0;
  if (!fly_h5_integer(&r->file, r->file.root, FLY_HDF5_ATTRIBUTE, &version))
    return r->file.fault[0] != 0 ? damaged_file(r, error) : foreign(r->path, error);
  if (version == FLY_HDF5_VERSION)
    return FLY_OK;
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: this result has layout %d; this Flyball knows layout %d.", r->path,
                  version, FLY_HDF5_VERSION);
}

// Opens a table of the root. Whatever happens, it is to be freed.
static fly_status open_table(reader *r, const char *name, fly_h5_set *set, fly_error *error) {
  uint64_t header;
  *set = (fly_h5_set){.loaded = -1};
  if (!fly_h5_find(&r->file, r->file.root, name, &header))
    return r->file.fault[0] != 0 ? damaged_file(r, error) : foreign(r->path, error);
  return fly_h5_set_open(&r->file, header, set) ? FLY_OK : damaged_file(r, error);
}

static fly_status open_data(reader *r, fly_result_info *info, fly_error *error) {
  const uint64_t widest = 1 << 28;
  fly_status status = open_table(r, "data", &r->data, error);
  if (status != FLY_OK)
    return status;
  const fly_h5_shape *shape = &r->data.shape;
  if (shape->kind != FLY_H5_DOUBLE || shape->rank != 2 || !r->data.chunked || shape->size[1] < 1 ||
      shape->size[1] > widest || shape->size[0] > LONG_MAX)
    return foreign(r->path, error);
  info->count = r->width = (int)shape->size[1];
  info->rows = (long)shape->size[0];
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------------ lists of texts

// Texts of `bytes` bytes each, moved one byte apart so that each ends in a 0.
static void spread(char *texts, size_t bytes, int count) {
  for (int i = count - 1; i >= 0; i--) {
    memmove(texts + (size_t)i * (bytes + 1), texts + (size_t)i * bytes, bytes);
    texts[(size_t)i * (bytes + 1) + bytes] = 0;
  }
}

static fly_status read_texts(reader *r, fly_h5_set *list, const char **text, fly_arena *arena, fly_error *error) {
  const size_t bytes = list->shape.bytes;
  char *texts = fly_arena_take(arena, (size_t)r->width, bytes + 1);
  if (texts == NULL)
    return fly_result_no_memory(error);
  if (!fly_h5_set_bytes(&r->file, list, (unsigned char *)texts))
    return damaged_file(r, error);
  spread(texts, bytes, r->width);
  for (int i = 0; i < r->width; i++)
    text[i] = texts + (size_t)i * (bytes + 1);
  return FLY_OK;
}

static fly_status read_list(reader *r, const char *name, const char **text, fly_arena *arena, fly_error *error) {
  fly_h5_set list;
  fly_status status = open_table(r, name, &list, error);
  const fly_h5_shape *shape = &list.shape;
  if (status == FLY_OK && (shape->kind != FLY_H5_TEXT || shape->rank != 1 || shape->size[0] != (uint64_t)r->width))
    status = fly_fail(error, FLY_BAD_INPUT, NAN, "%s: the list of %s is not one text for each column.", r->path, name);
  if (status == FLY_OK)
    status = read_texts(r, &list, text, arena, error);
  fly_h5_set_free(&list);
  return status;
}

static fly_status read_channels(reader *r, fly_result_info *info, fly_arena *arena, fly_error *error) {
  static const char *const lists[3] = {"names", "units", "descriptions"};
  const size_t width = (size_t)r->width;
  const char **text = fly_arena_take(arena, 3 * width, sizeof *text);
  fly_channel *channel = fly_arena_take(arena, width, sizeof *channel);
  fly_status status = FLY_OK;
  if (text == NULL || channel == NULL)
    return fly_result_no_memory(error);
  for (size_t k = 0; status == FLY_OK && k < 3; k++)
    status = read_list(r, lists[k], text + k * width, arena, error);
  if (status != FLY_OK)
    return status;
  for (size_t i = 0; i < width; i++)
    channel[i] = (fly_channel){.name = text[i], .unit = text[i + width], .description = text[i + 2 * width]};
  info->channel = channel;
  if (strcmp(channel[0].name, "time") != 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: the first column is '%.60s', not time: not a result of Flyball.",
                    r->path, channel[0].name);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------------ rows

// Some rows of one column, from the chunk they lie in.
static bool read_column(reader *r, double *out, int column, long first, long nrows) {
  const uint32_t high = r->data.side[0], wide = r->data.side[1];
  const long across = ((long)r->width + (long)wide - 1) / (long)wide;
  const unsigned char *chunk = fly_h5_set_chunk(&r->file, &r->data, first / (long)high * across + column / (long)wide);
  if (chunk == NULL)
    return false;
  const size_t row = (size_t)(first % (long)high), place = (size_t)column % wide;
  for (long i = 0; i < nrows; i++)
    out[i] = fly_h5_double(chunk + ((row + (size_t)i) * wide + place) * sizeof(double));
  return true;
}

static fly_status read_columns(void *user, double *out, const int *columns, int ncolumns, long first, long nrows,
                               fly_error *error) {
  reader *r = user;
  const long high = (long)r->data.side[0];
  for (long done = 0, n; done < nrows; done += n) {
    const long at = first + done, left = nrows - done;
    n = high - at % high; // to the end of the row of chunks
    n = n < left ? n : left;
    for (int k = 0; k < ncolumns; k++)
      if (!read_column(r, out + k * nrows + done, columns[k], at, n))
        return damaged(r, "the data cannot be read; the file is damaged", error);
  }
  return FLY_OK;
}

// Leaves out rows at the end that were announced but not written, of the last chunk at most: their time reads as NaN.
static fly_status trim(reader *r, fly_result_info *info, fly_error *error) {
  const int time = 0;
  const long whole = info->rows - info->rows % (long)r->data.side[0];
  const long least = whole < info->rows ? whole : info->rows - (long)r->data.side[0];
  fly_status status = FLY_OK;
  double t = NAN;
  while (status == FLY_OK && info->rows > 0 && info->rows > least) {
    status = read_columns(r, &t, &time, 1, info->rows - 1, 1, error);
    if (!isnan(t))
      break;
    info->rows--;
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ names of attachments

typedef struct name_list {
  fly_arena *arena;
  int count, room;
  const char **name; // (room)
} name_list;

static bool is_attachment(const char *name) { return fly_result_check_name(name, NULL) == FLY_OK; }

static bool count_name(fly_h5 *f, const char *name, uint64_t header, void *user) {
  name_list *list = user;
  (void)f, (void)header;
  list->room += is_attachment(name);
  return list->room < INT_MAX;
}

static bool take_name(fly_h5 *f, const char *name, uint64_t header, void *user) {
  name_list *list = user;
  (void)header;
  if (!is_attachment(name) || list->count == list->room)
    return true;
  char *copy = fly_arena_take(list->arena, strlen(name) + 1, 1);
  if (copy == NULL)
    return fly_h5_out_of_memory(f);
  strcpy(copy, name);
  list->name[list->count++] = copy;
  return true;
}

// What others put there under names that no attachment can have is left out.
static fly_status list_attachments(reader *r, fly_result_info *info, fly_arena *arena, fly_error *error) {
  name_list list = {.arena = arena};
  if (!fly_h5_find(&r->file, r->file.root, "attachments", &r->attachments))
    return r->file.fault[0] != 0 ? damaged_file(r, error) : FLY_OK;
  if (!fly_h5_links(&r->file, r->attachments, count_name, &list))
    return damaged(r, "the list of attachments cannot be read", error);
  list.name = fly_arena_take(arena, (size_t)list.room + 1, sizeof *list.name);
  if (list.name == NULL)
    return fly_result_no_memory(error);
  if (!fly_h5_links(&r->file, r->attachments, take_name, &list))
    return damaged(r, "the list of attachments cannot be read", error);
  info->attachment = list.name;
  info->nattachment = list.count;
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------------ life

static fly_status open_all(reader *r, fly_result_info *info, fly_arena *arena, fly_error *error) {
  if (!fly_h5_open(&r->file, r->path))
    return damaged_file(r, error);
  fly_status status = check_version(r, error);
  if (status == FLY_OK)
    status = open_data(r, info, error);
  if (status == FLY_OK)
    status = read_channels(r, info, arena, error);
  if (status == FLY_OK)
    status = list_attachments(r, info, arena, error);
  return status == FLY_OK ? trim(r, info, error) : status;
}

static fly_status open_file(void **out, fly_result_info *info, fly_arena *arena, fly_error *error) {
  reader *r = calloc(1, sizeof *r);
  *out = r;
  if (r == NULL)
    return fly_result_no_memory(error);
  *r = (reader){.path = info->path, .attachments = FLY_H5_NOWHERE};
  info->format = FLY_RESULT_HDF5;
  return open_all(r, info, arena, error);
}

static void free_reader(void *user) {
  reader *r = user;
  if (r == NULL)
    return;
  fly_h5_set_free(&r->data);
  fly_h5_close(&r->file);
  free(r);
}

// ------------------------------------------------------------------------------------------------ attachments

static fly_status read_bytes(reader *r, fly_h5_set *set, char **bytes, size_t *size, fly_error *error) {
  if (set->shape.kind != FLY_H5_INTEGER || set->shape.bytes != 1 || set->shape.rank != 1)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: an attachment is not a list of bytes.", r->path);
  *size = (size_t)set->shape.size[0];
  *bytes = malloc(*size + 1);
  if (*bytes == NULL)
    return fly_result_no_memory(error);
  (*bytes)[*size] = 0;
  if (fly_h5_set_bytes(&r->file, set, (unsigned char *)*bytes))
    return FLY_OK;
  free(*bytes);
  *bytes = NULL;
  return damaged(r, "an attachment cannot be read", error);
}

static fly_status read_attachment(void *user, const char *name, char **bytes, size_t *size, fly_error *error) {
  reader *r = user;
  uint64_t header = FLY_H5_NOWHERE;
  fly_h5_set set = {.loaded = -1};
  const bool found = r->attachments != FLY_H5_NOWHERE && fly_h5_find(&r->file, r->attachments, name, &header);
  fly_status status = FLY_OK;
  if (!found && r->file.fault[0] == 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: there is no attachment '%s'.", r->path, name);
  if (found && fly_h5_set_open(&r->file, header, &set))
    status = read_bytes(r, &set, bytes, size, error);
  else
    status = damaged(r, "an attachment cannot be read", error);
  fly_h5_set_free(&set);
  return status;
}

const fly_result_reading fly_hdf5_reading = {open_file, read_columns, read_attachment, free_reader};
