// How calls of the HDF5 library fail. For this room only.
#ifndef FLY_RESULT_HDF5_SUPPORT_H
#define FLY_RESULT_HDF5_SUPPORT_H

#include "flyball/result.h"
#include "result/hdf5_calls.h"

// Between begin and end HDF5 prints no errors; the first is kept for fly_hdf5_fail. The caller's own way of treating
// them is put back afterwards.
typedef struct fly_hdf5_errors {
  H5E_auto2_t print;
  void *data;
  char first[300];
} fly_hdf5_errors;

void fly_hdf5_begin(fly_hdf5_errors *errors);
void fly_hdf5_end(const fly_hdf5_errors *errors);

// "path: doing: what HDF5 found at the bottom of its first error."
fly_status fly_hdf5_fail(const char *path, const char *doing, fly_error *error);

// The group /elements: for each element a group with the numbers of its columns, their names, units and descriptions.
bool fly_hdf5_put_elements(hid_t file, const fly_channel *channel, int width);

#endif
