// The two formats behind one result. For the files of this room only.
#ifndef FLY_RESULT_FORMATS_H
#define FLY_RESULT_FORMATS_H

#include "base/memory.h"
#include "result/result.h"

// Rows that are handed over together: a row of chunks of the HDF5 file, 16 MB at most.
int fly_result_block_rows(int width);

// base with an ending, in memory that the caller frees; NULL without memory.
char *fly_result_path(const char *base, const char *ending);
fly_status fly_result_no_memory(fly_error *error);
fly_status fly_result_cannot_write(const char *path, int reason, fly_error *error); // reason as in errno
fly_status fly_result_check_name(const char *name, fly_error *error);               // of an attachment
// All bytes of a file, ended by a 0 that does not count, in memory that the caller frees.
fly_status fly_result_read_file(const char *path, char **bytes, size_t *size, fly_error *error);
char *fly_result_next_line(char **rest); // takes a line off a text, in place; NULL at its end
#define FLY_CSV_LIST "attachments"       // CSV: the ending of the file that lists the attachments

// ------------------------------------------------------------------------------------------------ writers

// width counts time. channel[0] is time. After a failure only close is called, and attach.
typedef struct fly_csv_writer fly_csv_writer;
fly_status fly_csv_create(fly_csv_writer **out, const char *base, const fly_channel *channel, int width,
                          fly_error *error);
fly_status fly_csv_write(fly_csv_writer *w, const double *rows, int nrows, fly_error *error);
fly_status fly_csv_flush(fly_csv_writer *w, fly_error *error);
fly_status fly_csv_attach(fly_csv_writer *w, const char *name, const void *bytes, size_t size, fly_error *error);
// Gives the attachments the names they have beside base.csv, in place of those of an earlier result.
fly_status fly_csv_move_attachments(fly_csv_writer *w, const char *base, fly_error *error);
fly_status fly_csv_close(fly_csv_writer *w, fly_error *error); // NULL is fine

// rows: so many will be written, and are packed; FLY_GROWING: nobody knows.
enum { FLY_GROWING = -1 };
typedef struct fly_hdf5_writer fly_hdf5_writer;
fly_status fly_hdf5_known(const char *path, fly_error *error); // whether this build has the format at all
fly_status fly_hdf5_create(fly_hdf5_writer **out, const char *path, const fly_channel *channel, int width, long rows,
                           fly_error *error);
fly_status fly_hdf5_write(fly_hdf5_writer *w, const double *rows, int nrows, fly_error *error);
fly_status fly_hdf5_flush(fly_hdf5_writer *w, fly_error *error);
// Also after a write that failed for want of room: some is kept for it, so that a record can tell of the failure.
fly_status fly_hdf5_attach(fly_hdf5_writer *w, const char *name, const void *bytes, size_t size, fly_error *error);
fly_status fly_hdf5_add_elements(fly_hdf5_writer *w, const fly_channel *channel, fly_error *error); // the last thing
fly_status fly_hdf5_close(fly_hdf5_writer *w, fly_error *error);                                    // NULL is fine

// ------------------------------------------------------------------------------------------------ readers

// How files of a format are read: open makes a reader, to be freed also if it failed, and fills info (its path is set)
// from the arena, which is freed after the reader.
typedef struct fly_result_reading {
  fly_status (*open)(void **reader, fly_result_info *info, fly_arena *arena, fly_error *error);
  fly_status (*read)(void *reader, double *out, const int *columns, int ncolumns, long first, long nrows,
                     fly_error *error);
  fly_status (*attachment)(void *reader, const char *name, char **bytes, size_t *size, fly_error *error);
  void (*free)(void *reader);
} fly_result_reading;
extern const fly_result_reading fly_csv_reading, fly_hdf5_reading;

// ------------------------------------------------------------------------------------------------ whole results

// All rows in their order, some at a time, row by row (nrows * count).
typedef fly_status fly_result_rows_fn(const double *rows, int nrows, void *user, fly_error *error);
fly_status fly_result_each_block(fly_result *r, fly_result_rows_fn *fn, void *user, fly_error *error);

// Writes a result once more, as small as it can be, to an HDF5 file.
fly_status fly_result_pack(fly_result *r, const char *path, fly_error *error);

#endif
