#include "result/hdf5_support.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

// Called for each level of an error, the innermost first.
static herr_t keep_innermost(unsigned level, const H5E_error2_t *found, void *user) {
  fly_hdf5_errors *errors = user;
  if (level == 0 && found->desc != NULL)
    snprintf(errors->first, sizeof errors->first, "%s", found->desc);
  return 0;
}

// Called by HDF5 in place of printing, before the next call wipes the error out.
static herr_t keep_first(hid_t stack, void *user) {
  fly_hdf5_errors *errors = user;
  if (errors->first[0] == 0)
    H5Ewalk2(stack, H5E_WALK_UPWARD, keep_innermost, errors);
  return 0;
}

void fly_hdf5_begin(fly_hdf5_errors *errors) {
  *errors = (fly_hdf5_errors){0};
  H5Eget_auto2(H5E_DEFAULT, &errors->print, &errors->data);
  H5Eset_auto2(H5E_DEFAULT, keep_first, errors);
}

void fly_hdf5_end(const fly_hdf5_errors *errors) { H5Eset_auto2(H5E_DEFAULT, errors->print, errors->data); }

fly_status fly_hdf5_fail(const char *path, const char *doing, fly_error *error) {
  H5E_auto2_t print = NULL;
  void *data = NULL;
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  const fly_hdf5_errors *errors = print == keep_first ? data : NULL;
  const char *reason = errors != NULL && errors->first[0] != 0 ? errors->first : "unknown reason";
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s: %s.", path, doing, reason);
}
