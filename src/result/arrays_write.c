#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "result/arrays.h"

#ifndef FLY_CORE

#include "result/hdf5_support.h"

// The oldest layout, as of results: it is what the reader reads.
static hid_t create_file(const char *path) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  const bool ok = access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) >= 0 &&
                  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
  hid_t file = ok ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5I_INVALID_HID;
  H5Pclose(access);
  return file;
}

static bool write_kind(hid_t file, const char *kind, int version) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(file, kind, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool ok = H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0;
  H5Aclose(attribute);
  H5Sclose(space);
  return ok;
}

static bool write_numbers(hid_t file, const fly_array *a) {
  const hsize_t size[2] = {a->rows, a->columns};
  hid_t space = H5Screate_simple(2, size, NULL);
  hid_t set = H5Dcreate2(file, a->name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool ok = set >= 0 && (a->rows * a->columns == 0 ||
                               H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->value) >= 0);
  H5Dclose(set);
  H5Sclose(space);
  return ok;
}

// Each in as many bytes as the longest has.
static bool write_texts(hid_t file, const fly_array *a) {
  size_t longest = 1;
  for (size_t k = 0; k < a->rows; k++)
    longest = strlen(a->text[k]) + 1 > longest ? strlen(a->text[k]) + 1 : longest;
  char *texts = calloc(a->rows + 1, longest);
  if (!texts)
    return false;
  for (size_t k = 0; k < a->rows; k++)
    strcpy(texts + k * longest, a->text[k]);
  const hsize_t size = a->rows;
  hid_t space = H5Screate_simple(1, &size, NULL), type = H5Tcopy(H5T_C_S1);
  bool ok = H5Tset_size(type, longest) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
            H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
  hid_t set = ok ? H5Dcreate2(file, a->name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : H5I_INVALID_HID;
  ok = set >= 0 && (a->rows == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
  H5Dclose(set);
  H5Tclose(type);
  H5Sclose(space);
  free(texts);
  return ok;
}

static fly_status write_all(const char *path, const char *kind, int version, int count, const fly_array *array,
                            fly_error *error) {
  fly_hdf5_errors errors;
  fly_hdf5_begin(&errors);
  hid_t file = create_file(path);
  bool ok = file >= 0 && write_kind(file, kind, version);
  for (int k = 0; ok && k < count; k++)
    ok = array[k].value || !array[k].text ? write_numbers(file, &array[k]) : write_texts(file, &array[k]);
  if (file >= 0)
    ok = H5Fclose(file) >= 0 && ok;
  fly_status status = ok ? FLY_OK : fly_hdf5_fail(path, "cannot be written", error);
  fly_hdf5_end(&errors);
  if (status && error)
    error->status = FLY_FILE;
  return status ? FLY_FILE : FLY_OK;
}

fly_status fly_arrays_write(const char *path, const char *kind, int version, int count, const fly_array *array,
                            fly_error *error) {
  char *part = malloc(strlen(path) + 6);
  if (!part)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "%s: out of memory.", path);
  strcat(strcpy(part, path), ".part");
  fly_status status = fly_hdf5_load(error);
  if (status == FLY_OK)
    status = write_all(part, kind, version, count, array, error);
  const int reason = status ? 0 : fly_file_rename(part, path);
  if (reason != 0)
    status = fly_fail(error, FLY_FILE, NAN, "%s: cannot be written: %s.", path, strerror(reason));
  if (status)
    remove(part);
  free(part);
  return status;
}

#endif
