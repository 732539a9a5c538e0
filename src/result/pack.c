// A finished result, written once more: chunks of the right size, packed. What grows needs room for what may come.
#include <stdlib.h>

#include "result/formats.h"

static fly_status take_rows(const double *rows, int nrows, void *user, fly_error *error) {
  return fly_hdf5_write(user, rows, nrows, error);
}

static fly_status copy_attachments(fly_hdf5_writer *w, fly_result *r, fly_error *error) {
  const fly_result_info *info = fly_result_info_of(r);
  fly_status status = FLY_OK;
  for (int k = 0; status == FLY_OK && k < info->nattachment; k++) {
    char *bytes;
    size_t size;
    status = fly_result_attachment(r, info->attachment[k], &bytes, &size, error);
    if (status == FLY_OK)
      status = fly_hdf5_attach(w, info->attachment[k], bytes, size, error);
    free(bytes);
  }
  return status;
}

fly_status fly_result_pack(fly_result *r, const char *path, fly_error *error) {
  const fly_result_info *info = fly_result_info_of(r);
  fly_hdf5_writer *w;
  fly_status status = fly_hdf5_create(&w, path, info->channel, info->count, info->rows, error);
  if (status == FLY_OK)
    status = fly_result_each_block(r, take_rows, w, error);
  if (status == FLY_OK)
    status = copy_attachments(w, r, error);
  if (status == FLY_OK)
    status = fly_hdf5_add_elements(w, info->channel, error);
  const fly_status closed = fly_hdf5_close(w, status == FLY_OK ? error : NULL);
  return status != FLY_OK ? status : closed;
}
