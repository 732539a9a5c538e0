// Reading HDF5 files that this library wrote.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "result/formats.h"
#include "result/hdf5_support.h"

struct fly_hdf5_reader {
  const char *path;
  hid_t file, data;
  int width, block_rows; // columns; rows of a chunk
  double *block;         // rows of a run of columns (block_rows * width)
};

static fly_status foreign(const char *path, fly_error *error) {
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: this is an HDF5 file, but not a result of Flyball.", path);
}

// ------------------------------------------------------------------------------------------------ opening

static fly_status check_version(const fly_hdf5_reader *r, fly_error *error) {
  int version = 0;
  if (H5Aexists(r->file, FLY_HDF5_ATTRIBUTE) <= 0)
    return foreign(r->path, error);
  hid_t attribute = H5Aopen(r->file, FLY_HDF5_ATTRIBUTE, H5P_DEFAULT);
  bool ok = H5Aread(attribute, H5T_NATIVE_INT, &version) >= 0;
  H5Aclose(attribute);
  if (!ok)
    return fly_hdf5_fail(r->path, "cannot be read", error);
  if (version == FLY_HDF5_VERSION)
    return FLY_OK;
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: this result has layout %d; this Flyball knows layout %d.", r->path,
                  version, FLY_HDF5_VERSION);
}

// The two sizes of the table and of its chunks.
static bool get_sizes(hid_t data, hsize_t size[2], hsize_t chunk[2]) {
  hid_t space = H5Dget_space(data), creation = H5Dget_create_plist(data);
  bool ok = H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, size, NULL) == 2 &&
            H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_chunk(creation, 2, chunk) == 2;
  H5Pclose(creation);
  H5Sclose(space);
  return ok;
}

// Opens the table with a cache that holds a row of chunks, so that each is read once.
static hid_t open_table(hid_t file, size_t cache) {
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  H5Pset_chunk_cache(access, 10007, cache, 0.75);
  hid_t data = H5Dopen2(file, "data", access);
  H5Pclose(access);
  return data;
}

static fly_status open_data(fly_hdf5_reader *r, fly_result_info *info, fly_error *error) {
  hsize_t size[2] = {0}, chunk[2] = {0};
  hid_t data = H5Lexists(r->file, "data", H5P_DEFAULT) > 0 ? H5Dopen2(r->file, "data", H5P_DEFAULT) : H5I_INVALID_HID;
  if (data < 0)
    return foreign(r->path, error);
  bool ok = get_sizes(data, size, chunk);
  H5Dclose(data);
  const hsize_t widest = 1 << 28;
  if (!ok || size[1] < 1 || size[1] > widest || chunk[0] < 1 || chunk[0] > widest / size[1])
    return foreign(r->path, error);
  info->count = r->width = (int)size[1];
  info->rows = (long)size[0];
  r->block_rows = (int)chunk[0];
  size_t numbers = (size_t)chunk[0] * (size_t)r->width;
  r->block = malloc(numbers * sizeof *r->block);
  if (r->block == NULL)
    return fly_result_no_memory(error);
  r->data = open_table(r->file, 2 * numbers * sizeof(double) + (1 << 20));
  return r->data >= 0 ? FLY_OK : fly_hdf5_fail(r->path, "cannot be read", error);
}

// ------------------------------------------------------------------------------------------------ lists of texts

// The bytes of a text in the file; 0 if the list is not as this library writes it.
static size_t text_size(hid_t list, int count) {
  hsize_t size = 0;
  hid_t space = H5Dget_space(list), type = H5Dget_type(list);
  bool ok = H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &size, NULL) == 1 &&
            size == (hsize_t)count && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
  size_t bytes = ok ? H5Tget_size(type) : 0;
  H5Tclose(type);
  H5Sclose(space);
  return bytes;
}

// All texts, one byte apart at least, so that each ends in a 0; *stride is their distance. NULL on failure.
static char *read_texts(hid_t list, size_t bytes, int count, fly_arena *arena) {
  char *texts = fly_arena_take(arena, (size_t)count, bytes + 1);
  if (texts == NULL)
    return NULL;
  hid_t type = H5Tcopy(H5T_C_S1);
  bool ok = H5Tset_size(type, bytes + 1) >= 0 && H5Tset_strpad(type, H5T_STR_NULLTERM) >= 0 &&
            H5Tset_cset(type, H5T_CSET_UTF8) >= 0 && H5Dread(list, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0;
  H5Tclose(type);
  return ok ? texts : NULL;
}

static fly_status read_list(const fly_hdf5_reader *r, const char *name, const char **text, fly_arena *arena,
                            fly_error *error) {
  hid_t list = H5Lexists(r->file, name, H5P_DEFAULT) > 0 ? H5Dopen2(r->file, name, H5P_DEFAULT) : H5I_INVALID_HID;
  if (list < 0)
    return foreign(r->path, error);
  size_t bytes = text_size(list, r->width);
  char *texts = bytes > 0 ? read_texts(list, bytes, r->width, arena) : NULL;
  H5Dclose(list);
  if (arena->failed)
    return fly_result_no_memory(error);
  if (texts == NULL)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: the list of %s cannot be read.", r->path, name);
  for (int i = 0; i < r->width; i++)
    text[i] = texts + (size_t)i * (bytes + 1);
  return FLY_OK;
}

static fly_status read_channels(const fly_hdf5_reader *r, fly_result_info *info, fly_arena *arena, fly_error *error) {
  static const char *const lists[3] = {"names", "units", "descriptions"};
  fly_channel *channel = fly_arena_take(arena, (size_t)r->width, sizeof *channel);
  const char **text = fly_arena_take(arena, 3 * (size_t)r->width, sizeof *text);
  fly_status status = arena->failed ? fly_result_no_memory(error) : FLY_OK;
  for (int k = 0; status == FLY_OK && k < 3; k++)
    status = read_list(r, lists[k], text + (size_t)k * (size_t)r->width, arena, error);
  for (int i = 0; status == FLY_OK && i < r->width; i++)
    channel[i] = (fly_channel){.name = text[i], .unit = text[i + r->width], .description = text[i + 2 * r->width]};
  info->channel = channel;
  if (status == FLY_OK && strcmp(channel[0].name, "time") != 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: the first column is '%.60s', not time: not a result of Flyball.",
                    r->path, channel[0].name);
  return status;
}

// ------------------------------------------------------------------------------------------------ rows

// A run of neighbouring columns of some rows, row by row.
static bool read_run(const fly_hdf5_reader *r, double *out, long first, long nrows, int column, int ncolumns) {
  hsize_t start[2] = {(hsize_t)first, (hsize_t)column}, count[2] = {(hsize_t)nrows, (hsize_t)ncolumns};
  hid_t source = H5Dget_space(r->data), target = H5Screate_simple(2, count, NULL);
  bool ok = H5Sselect_hyperslab(source, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Dread(r->data, H5T_NATIVE_DOUBLE, target, source, H5P_DEFAULT, out) >= 0;
  H5Sclose(target);
  H5Sclose(source);
  return ok;
}

static int run_length(const int *columns, int ncolumns) {
  int n = 1;
  while (n < ncolumns && columns[n] == columns[0] + n)
    n++;
  return n;
}

// Rows of one block, to their places in columns of length stride.
static bool read_block(const fly_hdf5_reader *r, double *out, long stride, const int *columns, int ncolumns, long first,
                       long nrows) {
  for (int k = 0; k < ncolumns;) {
    int run = run_length(columns + k, ncolumns - k);
    if (!read_run(r, r->block, first, nrows, columns[k], run))
      return false;
    for (int j = 0; j < run; j++)
      for (long i = 0; i < nrows; i++)
        out[(k + j) * stride + i] = r->block[i * run + j];
    k += run;
  }
  return true;
}

fly_status fly_hdf5_read(fly_hdf5_reader *r, double *out, const int *columns, int ncolumns, long first, long nrows,
                         fly_error *error) {
  fly_hdf5_errors errors;
  fly_status status = FLY_OK;
  assert(r->block_rows > 0);
  fly_hdf5_begin(&errors);
  for (long done = 0; status == FLY_OK && done < nrows;) {
    long at = first + done, n = r->block_rows - at % r->block_rows; // to the end of the row of chunks
    n = n < nrows - done ? n : nrows - done;
    if (!read_block(r, out + done, nrows, columns, ncolumns, at, n))
      status = fly_hdf5_fail(r->path, "the data cannot be read; the file is damaged", error);
    done += n;
  }
  fly_hdf5_end(&errors);
  return status;
}

// Leaves out rows at the end that were announced but not written: their time reads as NaN.
static fly_status trim(fly_hdf5_reader *r, fly_result_info *info, fly_error *error) {
  const int time = 0;
  fly_status status = FLY_OK;
  double t = NAN;
  while (status == FLY_OK && info->rows > 0) {
    status = fly_hdf5_read(r, &t, &time, 1, info->rows - 1, 1, error);
    if (!isnan(t))
      break;
    info->rows--;
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ names of attachments

// The name of link k of a group, from the arena; NULL on failure.
static const char *link_name(hid_t group, hsize_t k, fly_arena *arena) {
  ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, NULL, 0, H5P_DEFAULT);
  char *name = length >= 0 ? fly_arena_take(arena, (size_t)length + 1, 1) : NULL;
  if (name == NULL ||
      H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, (size_t)length + 1, H5P_DEFAULT) < 0)
    return NULL;
  return name;
}

static fly_status list_attachments(const fly_hdf5_reader *r, fly_result_info *info, fly_arena *arena,
                                   fly_error *error) {
  H5G_info_t found = {0};
  if (H5Lexists(r->file, "attachments", H5P_DEFAULT) <= 0)
    return FLY_OK;
  hid_t group = H5Gopen2(r->file, "attachments", H5P_DEFAULT);
  bool ok = H5Gget_info(group, &found) >= 0;
  const char **name = fly_arena_take(arena, ok ? (size_t)found.nlinks : 0, sizeof *name);
  for (hsize_t k = 0; ok && name != NULL && k < found.nlinks; k++) {
    name[k] = link_name(group, k, arena);
    ok = name[k] != NULL;
    info->nattachment += ok;
  }
  info->attachment = name;
  H5Gclose(group);
  if (arena->failed)
    return fly_result_no_memory(error);
  return ok ? FLY_OK : fly_hdf5_fail(r->path, "the list of attachments cannot be read", error);
}

// ------------------------------------------------------------------------------------------------ life

static hid_t open_file(const char *path) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_file_locking(access, 0, 1); // a run that is still writing may be looked at
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  return file;
}

static fly_status open_all(fly_hdf5_reader *r, fly_result_info *info, fly_arena *arena, fly_error *error) {
  r->file = open_file(r->path);
  if (r->file < 0)
    return fly_hdf5_fail(r->path, "this HDF5 file is damaged or cut short", error);
  fly_status status = check_version(r, error);
  if (status == FLY_OK)
    status = open_data(r, info, error);
  if (status == FLY_OK)
    status = read_channels(r, info, arena, error);
  if (status == FLY_OK)
    status = list_attachments(r, info, arena, error);
  return status;
}

fly_status fly_hdf5_open(fly_hdf5_reader **out, fly_result_info *info, fly_arena *arena, fly_error *error) {
  fly_hdf5_reader *r = calloc(1, sizeof *r);
  *out = r;
  if (r == NULL)
    return fly_result_no_memory(error);
  *r = (fly_hdf5_reader){.path = info->path, .file = H5I_INVALID_HID, .data = H5I_INVALID_HID};
  info->format = FLY_RESULT_HDF5;
  fly_hdf5_errors errors;
  fly_hdf5_begin(&errors);
  fly_status status = open_all(r, info, arena, error);
  fly_hdf5_end(&errors);
  return status == FLY_OK ? trim(r, info, error) : status;
}

void fly_hdf5_free(fly_hdf5_reader *r) {
  if (r == NULL)
    return;
  fly_hdf5_errors errors;
  fly_hdf5_begin(&errors);
  H5Dclose(r->data);
  H5Fclose(r->file);
  fly_hdf5_end(&errors);
  free(r->block);
  free(r);
}

// ------------------------------------------------------------------------------------------------ attachments

// Opens attachments/name; negative if there is none.
static hid_t open_attachment(hid_t file, const char *name) {
  hid_t set = H5I_INVALID_HID;
  if (H5Lexists(file, "attachments", H5P_DEFAULT) <= 0)
    return set;
  hid_t group = H5Gopen2(file, "attachments", H5P_DEFAULT);
  if (H5Lexists(group, name, H5P_DEFAULT) > 0)
    set = H5Dopen2(group, name, H5P_DEFAULT);
  H5Gclose(group);
  return set;
}

static fly_status read_bytes(const fly_hdf5_reader *r, hid_t set, char **bytes, size_t *size, fly_error *error) {
  hid_t space = H5Dget_space(set);
  hssize_t length = H5Sget_simple_extent_npoints(space);
  H5Sclose(space);
  *size = length > 0 ? (size_t)length : 0;
  *bytes = length >= 0 ? malloc(*size + 1) : NULL;
  if (*bytes == NULL)
    return fly_result_no_memory(error);
  (*bytes)[*size] = 0;
  if (*size == 0 || H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, *bytes) >= 0)
    return FLY_OK;
  free(*bytes);
  *bytes = NULL;
  return fly_hdf5_fail(r->path, "an attachment cannot be read", error);
}

fly_status fly_hdf5_attachment(fly_hdf5_reader *r, const char *name, char **bytes, size_t *size, fly_error *error) {
  fly_hdf5_errors errors;
  fly_hdf5_begin(&errors);
  hid_t set = open_attachment(r->file, name);
  fly_status status = set >= 0 ? read_bytes(r, set, bytes, size, error)
                               : fly_fail(error, FLY_BAD_INPUT, NAN, "%s: there is no attachment '%s'.", r->path, name);
  H5Dclose(set);
  fly_hdf5_end(&errors);
  return status;
}
