// Writing HDF5. How the file stays readable at every moment is told in result.h; tests/result/test_crash.c replays the
// writes one by one.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/disk.h"
#include "base/error.h"
#include "base/memory.h"
#include "result/formats.h"
#include "result/hdf5_layout.h"
#include "result/hdf5_support.h"
#include "result/hdf5_undo.h"

static const size_t ROOM = (size_t)16 << 20; // HDF5 does not ask whether it got what a file takes to begin with

struct fly_hdf5_writer {
  char *path;
  int width;
  long rows, expected; // written; that will be, or FLY_GROWING
  bool broken;         // HDF5 failed: nothing more is asked of it
  hid_t file, data, attachments;
  unsigned long long reserved; // bytes that have their place on the disk
  uint64_t undo;               // place of the record of what a flush overwrites; 0: none
  bool readable;               // was flushed once
};

static fly_status cannot_write(fly_hdf5_writer *w, fly_error *error) {
  w->broken = true;
  fly_hdf5_fail(w->path, "cannot be written", error);
  if (error != NULL)
    error->status = FLY_FILE;
  return FLY_FILE;
}

// ------------------------------------------------------------------------------------------------ the file

static bool is_packed(const fly_hdf5_writer *w) { return w->expected != FLY_GROWING; }

// Chunks as high as a block of rows, or as all rows there will be, and so wide that they have about 512 KB at most.
static void chunk_of(hsize_t chunk[2], const fly_hdf5_writer *w) {
  const int numbers = 1 << 16;
  const int block = fly_result_block_rows(w->width), columns = numbers / block;
  const long few = w->expected > 0 ? w->expected : 1;
  chunk[0] = (hsize_t)(is_packed(w) && few < block ? few : block);
  chunk[1] = (hsize_t)(columns < w->width ? columns : w->width);
}

// Bytes of the same weight together, then deflate: its fourth level, beyond which time grows and little else.
static bool pack(hid_t creation, int rank, const hsize_t *chunk) {
  return H5Pset_chunk(creation, rank, chunk) >= 0 && H5Pset_shuffle(creation) >= 0 && H5Pset_deflate(creation, 4) >= 0;
}

// Metadata is kept in memory until a flush.
static bool keep_metadata(hid_t access) {
  H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
  if (H5Pget_mdc_config(access, &cache) < 0)
    return false;
  cache.evictions_enabled = 0;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  return H5Pset_mdc_config(access, &cache) >= 0;
}

// One piece for the metadata, at the start of the file: what is there from the beginning, the places of the first 800
// chunks. What is packed is not read before it is complete.
static bool set_metadata(hid_t access, const fly_hdf5_writer *w) {
  return is_packed(w) || (H5Pset_meta_block_size(access, FLY_UNDO_METADATA) >= 0 && keep_metadata(access));
}

// The oldest layout: the newer ones note in the file that it is open, and after a crash it stays so; and it is what the
// reader reads. Small nodes for the names of groups, most of which have few. The lock is that of the part.
static hid_t create_file(const fly_hdf5_writer *w) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
  bool ok = access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) >= 0 &&
            H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && H5Pset_file_locking(access, 0, 1) >= 0 &&
            H5Pset_sym_k(creation, 4, 4) >= 0 && set_metadata(access, w);
  hid_t file = ok ? H5Fcreate(w->path, H5F_ACC_TRUNC, creation, access) : H5I_INVALID_HID;
  H5Pclose(creation);
  H5Pclose(access);
  return file;
}

// The table: no rows yet, without limit; a row that never was written reads as NaN.
static hid_t create_table(const fly_hdf5_writer *w) {
  const int width = w->width;
  hsize_t size[2] = {0, (hsize_t)width}, most[2] = {H5S_UNLIMITED, (hsize_t)width}, chunk[2];
  chunk_of(chunk, w);
  size_t block = (size_t)chunk[0] * (size_t)width * sizeof(double);
  size_t slots = 200 * ((size_t)width / (size_t)chunk[1] + 1) + 1;
  double nothing = NAN;
  hid_t space = H5Screate_simple(2, size, most);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
  bool ok = (is_packed(w) ? pack(creation, 2, chunk) : H5Pset_chunk(creation, 2, chunk) >= 0) &&
            H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &nothing) >= 0 &&
            H5Pset_chunk_cache(access, slots, 2 * block + (1 << 20), 1.0) >= 0;
  hid_t table =
      ok ? H5Dcreate2(w->file, "data", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, access) : H5I_INVALID_HID;
  H5Pclose(access);
  H5Pclose(creation);
  H5Sclose(space);
  return table;
}

// Room for the record of what a flush overwrites; HDF5 itself never writes there.
static bool create_undo(fly_hdf5_writer *w) {
  const hsize_t size = FLY_UNDO_BYTES + FLY_UNDO_PAGE;
  hid_t space = H5Screate_simple(1, &size, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
  bool ok =
      H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) >= 0 && H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0;
  hid_t set =
      ok ? H5Dcreate2(w->file, "undo", H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT) : H5I_INVALID_HID;
  const haddr_t at = set >= 0 ? H5Dget_offset(set) : HADDR_UNDEF;
  w->undo = (at + FLY_UNDO_PAGE - 1) / FLY_UNDO_PAGE * FLY_UNDO_PAGE;
  H5Dclose(set);
  H5Pclose(creation);
  H5Sclose(space);
  return at != HADDR_UNDEF && w->undo < FLY_UNDO_REACH;
}

static bool write_version(hid_t file) {
  int version = FLY_HDF5_VERSION;
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(file, FLY_HDF5_ATTRIBUTE, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0;
  H5Aclose(attribute);
  H5Sclose(space);
  return ok;
}

// How a list of `count` elements is stored: packed, unless it is so short that this would take more.
static hid_t list_creation(const fly_hdf5_writer *w, hsize_t count, size_t bytes) {
  const size_t least = 512, most = 1 << 20;
  const hsize_t chunk = count * bytes > most ? most / bytes + 1 : count;
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  if (is_packed(w) && count * bytes >= least)
    pack(creation, 1, &chunk);
  return creation;
}

// A list of texts, each in as many bytes as the longest has.
static bool write_texts(const fly_hdf5_writer *w, const char *name, const char *texts, size_t longest) {
  const hsize_t count = (hsize_t)w->width;
  hid_t space = H5Screate_simple(1, &count, NULL), type = H5Tcopy(H5T_C_S1);
  hid_t creation = list_creation(w, count, longest);
  bool ok = H5Tset_size(type, longest) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
            H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
  hid_t list = ok ? H5Dcreate2(w->file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT) : H5I_INVALID_HID;
  ok = list >= 0 && H5Dwrite(list, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0;
  H5Dclose(list);
  H5Pclose(creation);
  H5Tclose(type);
  H5Sclose(space);
  return ok;
}

enum text { NAME, UNIT, DESCRIPTION };

static const char *text_of(const fly_channel *c, enum text which) {
  return which == NAME ? c->name : which == UNIT ? c->unit : c->description;
}

static fly_status write_list(fly_hdf5_writer *w, const char *name, const fly_channel *channel, enum text which,
                             fly_error *error) {
  size_t longest = 1;
  for (int i = 0; i < w->width; i++) {
    size_t size = strlen(text_of(&channel[i], which)) + 1;
    longest = size > longest ? size : longest;
  }
  char *texts = calloc((unsigned)w->width, longest);
  if (texts == NULL)
    return fly_result_no_memory(error);
  for (int i = 0; i < w->width; i++)
    strcpy(texts + (size_t)i * longest, text_of(&channel[i], which));
  bool ok = write_texts(w, name, texts, longest);
  free(texts);
  return ok ? FLY_OK : cannot_write(w, error);
}

// The descriptor of the file, -1: there is none.
static int descriptor_of(const fly_hdf5_writer *w) {
  void *descriptor = NULL;
  return w->file >= 0 && H5Fget_vfd_handle(w->file, H5P_DEFAULT, &descriptor) >= 0 ? *(int *)descriptor : -1;
}

// Room for so many bytes more, and for metadata, before HDF5 needs it: a write that fails inside leaves a file that
// cannot be opened, and a library that crashes when it closes it. What is too much is given back at the end.
// last_words: what is written to tell of a failure; for it some room is always kept.
static fly_status reserve(fly_hdf5_writer *w, size_t bytes, bool last_words, fly_error *error) {
  const unsigned long long kept = 1 << 20, metadata = (1 << 20) + (last_words ? 0 : kept);
  hsize_t used = 0;
  if (H5Fget_filesize(w->file, &used) < 0)
    return cannot_write(w, error);
  unsigned long long needed = used + bytes + metadata;
  int reason = needed > w->reserved ? fly_disk_reserve(descriptor_of(w), needed) : 0;
  if (reason != 0)
    return fly_result_cannot_write(w->path, reason, error);
  w->reserved = needed > w->reserved ? needed : w->reserved;
  return FLY_OK;
}

static fly_status create_all(fly_hdf5_writer *w, const fly_channel *channel, fly_error *error) {
  if (!fly_memory_has(ROOM))
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the file %s.", w->path);
  w->file = create_file(w);
  if (w->file < 0)
    return fly_hdf5_fail(w->path, "cannot be created (is it open in another program?)", error);
  fly_status room = reserve(w, 0, false, error);
  if (room != FLY_OK)
    return room;
  if (!is_packed(w) && !create_undo(w))
    return cannot_write(w, error);
  w->data = create_table(w);
  w->attachments = H5Gcreate2(w->file, "attachments", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (w->data < 0 || w->attachments < 0 || !write_version(w->file))
    return cannot_write(w, error);
  fly_status status = write_list(w, "names", channel, NAME, error);
  if (status == FLY_OK)
    status = write_list(w, "units", channel, UNIT, error);
  if (status == FLY_OK)
    status = write_list(w, "descriptions", channel, DESCRIPTION, error);
  return status;
}

// Before anything is written that the file on the disk already holds.
static fly_status begin_flush(fly_hdf5_writer *w, fly_error *error) {
  const int reason = w->undo != 0 && w->readable ? fly_undo_arm(w->path, descriptor_of(w), w->undo) : 0;
  if (reason == ENOMEM)
    return fly_result_no_memory(error);
  return reason == 0 ? FLY_OK : fly_result_cannot_write(w->path, reason, error);
}

// After a failure the record stays: the file reads as it was.
static fly_status end_flush(fly_hdf5_writer *w, fly_error *error) {
  if (H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0)
    return cannot_write(w, error);
  const int reason = w->undo != 0 ? fly_undo_disarm(descriptor_of(w), w->undo) : 0;
  w->readable = true;
  return reason == 0 ? FLY_OK : fly_result_cannot_write(w->path, reason, error);
}

fly_status fly_hdf5_known(const char *path, fly_error *error) {
  (void)path, (void)error;
  return FLY_OK;
}

static char *copy_of(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return copy != NULL ? strcpy(copy, text) : NULL;
}

fly_status fly_hdf5_create(fly_hdf5_writer **out, const char *path, const fly_channel *channel, int width, long rows,
                           fly_error *error) {
  *out = NULL;
  fly_status status = fly_hdf5_load(error);
  if (status)
    return status;
  fly_hdf5_writer *w = calloc(1, sizeof *w);
  *out = w;
  if (w == NULL)
    return fly_result_no_memory(error);
  *w = (fly_hdf5_writer){.path = copy_of(path),
                         .width = width,
                         .expected = rows,
                         .file = H5I_INVALID_HID,
                         .data = H5I_INVALID_HID,
                         .attachments = H5I_INVALID_HID};
  if (w->path == NULL)
    return fly_result_no_memory(error);
  fly_hdf5_errors errors;
  fly_hdf5_begin(&errors);
  status = create_all(w, channel, error);
  fly_hdf5_end(&errors);
  return status == FLY_OK ? fly_hdf5_flush(w, error) : status;
}

fly_status fly_hdf5_close(fly_hdf5_writer *w, fly_error *error) {
  fly_status status = FLY_OK;
  if (w == NULL)
    return FLY_OK;
  fly_hdf5_errors errors;
  fly_hdf5_begin(&errors);
  const int descriptor = fly_disk_again(descriptor_of(w)); // HDF5 closes its own before the last write
  const bool undone = !w->broken && begin_flush(w, NULL) == FLY_OK;
  H5Gclose(w->attachments);
  H5Dclose(w->data);
  if (w->file >= 0 && H5Fflush(w->file, H5F_SCOPE_LOCAL) >= 0)
    fly_disk_give_back(descriptor_of(w));
  if (w->file >= 0 && H5Fclose(w->file) < 0)
    status = fly_hdf5_fail(w->path, "cannot be closed", error);
  else if (undone && w->undo != 0)
    fly_undo_disarm(descriptor, w->undo);
  fly_hdf5_end(&errors);
  fly_disk_close(descriptor);
  free(w->path);
  free(w);
  return status;
}

// ------------------------------------------------------------------------------------------------ rows, attachments

static bool write_rows(fly_hdf5_writer *w, const double *rows, int nrows) {
  hsize_t size[2] = {(hsize_t)(w->rows + nrows), (hsize_t)w->width};
  hsize_t start[2] = {(hsize_t)w->rows, 0}, count[2] = {(hsize_t)nrows, (hsize_t)w->width};
  if (H5Dset_extent(w->data, size) < 0)
    return false;
  hid_t target = H5Dget_space(w->data), source = H5Screate_simple(2, count, NULL);
  bool ok = H5Sselect_hyperslab(target, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Dwrite(w->data, H5T_NATIVE_DOUBLE, source, target, H5P_DEFAULT, rows) >= 0;
  H5Sclose(source);
  H5Sclose(target);
  return ok;
}

fly_status fly_hdf5_write(fly_hdf5_writer *w, const double *rows, int nrows, fly_error *error) {
  const size_t chunks = (size_t)fly_result_block_rows(w->width) * (size_t)w->width * sizeof *rows; // side by side
  fly_hdf5_errors errors;
  fly_hdf5_begin(&errors);
  fly_status status = reserve(w, 3 * chunks, false, error); // two may be waiting in the cache
  if (status == FLY_OK && !write_rows(w, rows, nrows))
    status = cannot_write(w, error);
  fly_hdf5_end(&errors);
  w->rows += nrows;
  return status;
}

fly_status fly_hdf5_flush(fly_hdf5_writer *w, fly_error *error) {
  fly_hdf5_errors errors;
  fly_hdf5_begin(&errors);
  fly_status status = begin_flush(w, error);
  if (status == FLY_OK)
    status = end_flush(w, error);
  fly_hdf5_end(&errors);
  return status;
}

// Written before what had this name is given up, whose place it must not take: until the flush that is what counts.
static bool write_bytes(const fly_hdf5_writer *w, const char *name, const void *bytes, size_t size) {
  const hsize_t length = size;
  const hid_t group = w->attachments;
  hid_t space = H5Screate_simple(1, &length, NULL), creation = list_creation(w, length, 1);
  hid_t set = H5Dcreate_anon(group, H5T_STD_U8LE, space, creation, H5P_DEFAULT);
  bool ok = set >= 0 && (size == 0 || H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
  if (ok && H5Lexists(group, name, H5P_DEFAULT) > 0)
    ok = H5Ldelete(group, name, H5P_DEFAULT) >= 0;
  ok = ok && H5Olink(set, group, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
  H5Dclose(set);
  H5Pclose(creation);
  H5Sclose(space);
  return ok;
}

fly_status fly_hdf5_attach(fly_hdf5_writer *w, const char *name, const void *bytes, size_t size, fly_error *error) {
  fly_hdf5_errors errors;
  if (w->broken)
    return fly_fail(error, FLY_FILE, NAN, "%s: takes no more: an earlier write failed.", w->path);
  fly_hdf5_begin(&errors);
  fly_status status = reserve(w, size, true, error);
  if (status == FLY_OK)
    status = begin_flush(w, error);
  if (status == FLY_OK)
    status = write_bytes(w, name, bytes, size) ? end_flush(w, error) : cannot_write(w, error);
  fly_hdf5_end(&errors);
  return status;
}

fly_status fly_hdf5_add_elements(fly_hdf5_writer *w, const fly_channel *channel, fly_error *error) {
  const size_t each = 400; // bytes for a channel and its share of a group
  fly_hdf5_errors errors;
  fly_hdf5_begin(&errors);
  fly_status status = reserve(w, (size_t)w->width * each, false, error);
  if (status == FLY_OK)
    status = begin_flush(w, error);
  if (status == FLY_OK)
    status = fly_hdf5_put_elements(w->file, channel, w->width) ? end_flush(w, error) : cannot_write(w, error);
  fly_hdf5_end(&errors);
  return status;
}
