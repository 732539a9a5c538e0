// What a flush of an HDF5 file overwrites, kept in the file until the flush is complete. A process that is killed in
// the middle of a write leaves the first pages of it written and the others not: new sizes before an old tree, half of
// a node that was split. With this record the reader sees the file as it was before. For this room only.
//
// The record lies in the dataset /undo, at a multiple of a page: 16 letters, the number of bytes that follow the head,
// their CRC-32, then pieces: address, number of bytes, bytes. All numbers have 8 bytes, the little end first. A record
// that was torn itself has a wrong sum and is none, rightly: the flush had not begun.
#ifndef FLY_RESULT_HDF5_UNDO_H
#define FLY_RESULT_HDF5_UNDO_H

#include "result/hdf5_file.h"

enum {
  FLY_UNDO_PAGE = 4096,
  FLY_UNDO_METADATA = 1 << 16, // the first bytes of the file, with all that is written at its start and changes later
  FLY_UNDO_BYTES = 5 << 14,    // of the record: these, and the last nodes of a tree of 4 levels
  FLY_UNDO_REACH = 1 << 18     // of the file: there it begins
};

// Puts what the next flush may overwrite into the record: the metadata at the start of the file, and those nodes of the
// tree of chunks that change when rows are appended. 0, or why not, as in errno.
int fly_undo_arm(const char *path, int descriptor, uint64_t place);
int fly_undo_disarm(int descriptor, uint64_t place); // the flush is complete; one write inside a page

uint64_t fly_undo_sum(const unsigned char *bytes, size_t size); // CRC-32

bool fly_undo_find(fly_h5 *f);                                                      // false: a fault
void fly_undo_apply(const fly_h5 *f, uint64_t at, unsigned char *out, size_t size); // to bytes read from `at`

#endif
