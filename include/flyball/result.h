// Results in files: named channels over time, and attachments. Knows neither models nor solvers.
//
// HDF5 (NAME.h5), for large results and for machines:
//   /data         double, rows x (1 + channels), time first; chunks of up to 1024 rows x 64 columns
//   /names, /units, /descriptions   text, one for each column of /data
//   /attachments/NAME               bytes
//   /elements/NAME                  a group for each body, joint, force: its columns of /data (attribute `columns`, the
//                                   first is 0), and their names, units and descriptions; put there when it is finished
//   Numbers up to 64 MB and attachments are packed when it is finished (shuffle and deflate).
//   In Python:  f = h5py.File("run.h5"); names = list(f["names"].asstr())
//               x = f["data"][:, names.index("crank.x")];  crank = f["data"][:, f["elements/crank"].attrs["columns"]]
//   In MATLAB:  c = h5readatt("run.h5", "/elements/crank", "columns"); x = h5read("run.h5", "/data", [c(1)+1 1], [1
//   Inf]);
// One table and not a dataset a channel: a thousand datasets cost a thousand calls and a thousand headers at each
// flush. Chunks narrower than the table: one channel of a thousand is read without reading the file.
//
// CSV (NAME.csv), for eyes and spreadsheets: one line "time [s],crank.x [m],ratio" and a line for each row; doubles
// read back as the same bits. Without HDF5 attachments are files NAME.ATTACHMENT beside it, and NAME.attachments lists
// them, one a line; beside NAME.h5 they are read from there. Descriptions are not kept.
//   In Python:  pandas.read_csv("run.csv")["crank.x [m]"]        In Octave:  x = dlmread("run.csv", ",", 1, 0);
//
// While it is written a result is NAME.part.h5 (NAME.part.csv), locked: a second writer of that name is refused before
// it touches anything, and an earlier NAME.h5 is whole until the new one is complete and takes its place. The part can
// be read as it grows; in HDF5 it is empty until its first flush, a second after the first row. A run that is
// interrupted, even by kill -9, leaves a part that can be opened and holds all rows up to the last flush. In HDF5:
// metadata is written only by a flush, after the data it points to; and since a kill may tear a write between two
// pages, what a flush overwrites is put into the bytes /undo before, from where fly_result_open takes it if the flush
// was not completed. Other programs read a part that is not being flushed, and see a dataset more; one whose run was
// killed inside a flush they may refuse: fly_result_open, and so `flyball info`, does not. SWMR is not used: a file so
// written opens for nobody else until it was closed in order. A flush hands over to the system, not to the disk: after
// a sudden loss of power, or a crash of the system, a part may hold less, or be damaged. What fly_result_finish has
// finished is on the disk (fsync of the file and of its folder).
#ifndef FLYBALL_RESULT_H
#define FLYBALL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flyball/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fly_channel {
  const char *name;        // "crank.x"; no control characters, no two alike; "time" is taken
  const char *unit;        // "m/s"; "" or NULL: none; no brackets
  const char *description; // a sentence, or NULL
} fly_channel;

// ------------------------------------------------------------------------------------------------ writing

typedef enum fly_result_format { FLY_RESULT_HDF5 = 1, FLY_RESULT_CSV = 2 } fly_result_format;

typedef struct fly_result_options {
  unsigned formats;     // of fly_result_format, one or both
  double flush_seconds; // rows older than this are in the file whenever a row is appended
} fly_result_options;

fly_result_options fly_result_options_default(void); // HDF5, 1 s

typedef struct fly_result_writer fly_result_writer;

// Creates base.part.h5, base.part.csv, to become base.h5, base.csv; a base that ends in '/' is a folder and gets
// result.h5, result.csv. The folder must exist. The channels do not include time. Everything is copied.
fly_status fly_result_create(fly_result_writer **out, const char *base, const fly_channel *channels, int count,
                             const fly_result_options *options, fly_error *error);

// Rows of time and one number for each channel (nrows * (1 + count)). After a failure nothing more is taken.
fly_status fly_result_append(fly_result_writer *w, const double *rows, int nrows, fly_error *error);

// Puts bytes beside the channels, in place of what had this name (letters, digits, . _ -). For what tells how the run
// went: attach it at the start as well, so that it is there if the run is killed.
fly_status fly_result_attach(fly_result_writer *w, const char *name, const void *bytes, size_t size, fly_error *error);

fly_status fly_result_flush(fly_result_writer *w, fly_error *error);
// Flushes, closes, puts the result in place of an earlier one, frees, whatever happens. NULL is fine.
fly_status fly_result_finish(fly_result_writer *w, fly_error *error);
// The same for a run that came to nothing: an earlier result stays, and what there is of this one is left as its part.
fly_status fly_result_abandon(fly_result_writer *w, fly_error *error);

long fly_result_rows(const fly_result_writer *w);     // appended so far; after a failure: those that are in the file
uint64_t fly_result_hash(const fly_result_writer *w); // of all these rows

// A hash of doubles in their order: the same on every machine, and for every division into calls. All NaN are alike.
uint64_t fly_hash_start(void);
uint64_t fly_hash_doubles(uint64_t hash, const double *x, size_t n);

// ------------------------------------------------------------------------------------------------ reading

typedef struct fly_result fly_result;

// What a file holds. Its own for as long as it is open.
typedef struct fly_result_info {
  const char *path;
  fly_result_format format;
  int count;                  // columns, time included
  const fly_channel *channel; // column 0 is "time" (count)
  long rows;
  bool cut;                      // CSV: the last line has no end and was left out
  int nattachment;               // attachments there were when it was opened,
  const char *const *attachment; // and their names, in alphabetical order (nattachment)
} fly_result_info;

// Opens a .h5 or .csv file, told apart by what is in it; or the one of a base name or folder, .h5 first, a part of a
// run that is still writing, or was killed, last. A file may come from anybody: all of it is checked, nothing outside
// it is read, and what it announces but does not hold is refused.
fly_status fly_result_open(fly_result **out, const char *path, fly_error *error);
void fly_result_close(fly_result *r); // NULL is fine

const fly_result_info *fly_result_info_of(const fly_result *r);
int fly_result_find(const fly_result *r, const char *name); // column of a channel, or -1; searches one by one

// Rows first .. first + nrows - 1 of some columns, one column after the other (ncolumns * nrows).
fly_status fly_result_read(fly_result *r, double *out, const int *columns, int ncolumns, long first, long nrows,
                           fly_error *error);
// The bytes of an attachment, ended by a 0 that does not count; the caller's to free. An error if there is none.
fly_status fly_result_attachment(fly_result *r, const char *name, char **bytes, size_t *size, fly_error *error);
// The hash of all rows, to be compared with that of the writer.
fly_status fly_result_rehash(fly_result *r, uint64_t *hash, fly_error *error);

#ifdef __cplusplus
}
#endif
#endif
