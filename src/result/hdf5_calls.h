// HDF5, loaded when the first file is created: it brings libraries for the network that take longer to load than a run
// of a small model takes. Its names stand for what was found there. For this room only.
#ifndef FLY_RESULT_HDF5_CALLS_H
#define FLY_RESULT_HDF5_CALLS_H

#include <hdf5.h>

#include "flyball/status.h"

// clang-format off
// What is called; a name that is missing here is missed by the linker.
#define FLY_HDF5_CALLS(f) \
  f(H5Aclose) f(H5Acreate2) f(H5Awrite) f(H5Dclose) f(H5Dcreate2) f(H5Dcreate_anon) f(H5Dget_offset) \
  f(H5Dget_space) f(H5Dset_extent) f(H5Dwrite) f(H5Eget_auto2) f(H5Eset_auto2) f(H5Ewalk2) f(H5Fclose) \
  f(H5Fcreate) f(H5Fflush) f(H5Fget_filesize) f(H5Fget_vfd_handle) f(H5Gclose) f(H5Gcreate2) f(H5Ldelete) \
  f(H5Lexists) f(H5Olink) f(H5Pclose) f(H5Pcreate) f(H5Pget_mdc_config) f(H5Pset_alloc_time) f(H5Pset_chunk) \
  f(H5Pset_chunk_cache) f(H5Pset_deflate) f(H5Pset_fclose_degree) f(H5Pset_file_locking) f(H5Pset_fill_time) \
  f(H5Pset_fill_value) f(H5Pset_libver_bounds) f(H5Pset_mdc_config) f(H5Pset_meta_block_size) f(H5Pset_shuffle) \
  f(H5Pset_sym_k) f(H5Sclose) f(H5Screate) f(H5Screate_simple) f(H5Sselect_hyperslab) f(H5Tclose) f(H5Tcopy) \
  f(H5Tset_cset) f(H5Tset_size) f(H5Tset_strpad) f(H5check_version) f(H5open)
// Numbers of types and classes, which HDF5 gives out when it is opened.
#define FLY_HDF5_NUMBERS(f) \
  f(H5P_CLS_DATASET_ACCESS_ID_g) f(H5P_CLS_DATASET_CREATE_ID_g) f(H5P_CLS_FILE_ACCESS_ID_g) \
  f(H5P_CLS_FILE_CREATE_ID_g) f(H5T_C_S1_g) f(H5T_IEEE_F64LE_g) f(H5T_NATIVE_DOUBLE_g) f(H5T_NATIVE_INT_g) \
  f(H5T_NATIVE_UINT8_g) f(H5T_STD_I32LE_g) f(H5T_STD_U8LE_g)
// clang-format on

#define FLY_HDF5_DECLARE(name) __typeof__(name) *(name);
typedef struct fly_hdf5_table {
  FLY_HDF5_CALLS(FLY_HDF5_DECLARE)
  FLY_HDF5_NUMBERS(FLY_HDF5_DECLARE)
} fly_hdf5_table;

extern fly_hdf5_table fly_hdf5_found;

// Before any call.
fly_status fly_hdf5_load(fly_error *error);

#ifndef FLY_HDF5_NAMES_ONLY
#define H5Aclose fly_hdf5_found.H5Aclose
#define H5Acreate2 fly_hdf5_found.H5Acreate2
#define H5Awrite fly_hdf5_found.H5Awrite
#define H5Dclose fly_hdf5_found.H5Dclose
#define H5Dcreate2 fly_hdf5_found.H5Dcreate2
#define H5Dcreate_anon fly_hdf5_found.H5Dcreate_anon
#define H5Dget_offset fly_hdf5_found.H5Dget_offset
#define H5Dget_space fly_hdf5_found.H5Dget_space
#define H5Dset_extent fly_hdf5_found.H5Dset_extent
#define H5Dwrite fly_hdf5_found.H5Dwrite
#define H5Eget_auto2 fly_hdf5_found.H5Eget_auto2
#define H5Eset_auto2 fly_hdf5_found.H5Eset_auto2
#define H5Ewalk2 fly_hdf5_found.H5Ewalk2
#define H5Fclose fly_hdf5_found.H5Fclose
#define H5Fcreate fly_hdf5_found.H5Fcreate
#define H5Fflush fly_hdf5_found.H5Fflush
#define H5Fget_filesize fly_hdf5_found.H5Fget_filesize
#define H5Fget_vfd_handle fly_hdf5_found.H5Fget_vfd_handle
#define H5Gclose fly_hdf5_found.H5Gclose
#define H5Gcreate2 fly_hdf5_found.H5Gcreate2
#define H5Ldelete fly_hdf5_found.H5Ldelete
#define H5Lexists fly_hdf5_found.H5Lexists
#define H5Olink fly_hdf5_found.H5Olink
#define H5Pclose fly_hdf5_found.H5Pclose
#define H5Pcreate fly_hdf5_found.H5Pcreate
#define H5Pget_mdc_config fly_hdf5_found.H5Pget_mdc_config
#define H5Pset_alloc_time fly_hdf5_found.H5Pset_alloc_time
#define H5Pset_chunk fly_hdf5_found.H5Pset_chunk
#define H5Pset_chunk_cache fly_hdf5_found.H5Pset_chunk_cache
#define H5Pset_deflate fly_hdf5_found.H5Pset_deflate
#define H5Pset_fclose_degree fly_hdf5_found.H5Pset_fclose_degree
#define H5Pset_file_locking fly_hdf5_found.H5Pset_file_locking
#define H5Pset_fill_time fly_hdf5_found.H5Pset_fill_time
#define H5Pset_fill_value fly_hdf5_found.H5Pset_fill_value
#define H5Pset_libver_bounds fly_hdf5_found.H5Pset_libver_bounds
#define H5Pset_mdc_config fly_hdf5_found.H5Pset_mdc_config
#define H5Pset_meta_block_size fly_hdf5_found.H5Pset_meta_block_size
#define H5Pset_shuffle fly_hdf5_found.H5Pset_shuffle
#define H5Pset_sym_k fly_hdf5_found.H5Pset_sym_k
#define H5Sclose fly_hdf5_found.H5Sclose
#define H5Screate fly_hdf5_found.H5Screate
#define H5Screate_simple fly_hdf5_found.H5Screate_simple
#define H5Sselect_hyperslab fly_hdf5_found.H5Sselect_hyperslab
#define H5Tclose fly_hdf5_found.H5Tclose
#define H5Tcopy fly_hdf5_found.H5Tcopy
#define H5Tset_cset fly_hdf5_found.H5Tset_cset
#define H5Tset_size fly_hdf5_found.H5Tset_size
#define H5Tset_strpad fly_hdf5_found.H5Tset_strpad
#define H5check_version fly_hdf5_found.H5check_version
#define H5open fly_hdf5_found.H5open
#define H5P_CLS_DATASET_ACCESS_ID_g (*fly_hdf5_found.H5P_CLS_DATASET_ACCESS_ID_g)
#define H5P_CLS_DATASET_CREATE_ID_g (*fly_hdf5_found.H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g (*fly_hdf5_found.H5P_CLS_FILE_ACCESS_ID_g)
#define H5P_CLS_FILE_CREATE_ID_g (*fly_hdf5_found.H5P_CLS_FILE_CREATE_ID_g)
#define H5T_C_S1_g (*fly_hdf5_found.H5T_C_S1_g)
#define H5T_IEEE_F64LE_g (*fly_hdf5_found.H5T_IEEE_F64LE_g)
#define H5T_NATIVE_DOUBLE_g (*fly_hdf5_found.H5T_NATIVE_DOUBLE_g)
#define H5T_NATIVE_INT_g (*fly_hdf5_found.H5T_NATIVE_INT_g)
#define H5T_NATIVE_UINT8_g (*fly_hdf5_found.H5T_NATIVE_UINT8_g)
#define H5T_STD_I32LE_g (*fly_hdf5_found.H5T_STD_I32LE_g)
#define H5T_STD_U8LE_g (*fly_hdf5_found.H5T_STD_U8LE_g)
#endif

#endif
