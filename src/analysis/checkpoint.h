// Checkpoints: the state of a run in a file beside its results, written now and then, from which it goes on after an
// interruption to the same bits.
//
// BASE.checkpoint is whole or not there: it is written under another name, put on the disk, and takes its place. It
// holds the state (saved.c) and says how many rows of results belong to it, and their hash; the rows themselves are in
// the result, which is flushed before. To go on, a result that was not finished, BASE.part.h5, is put aside as
// BASE.resume.h5; its rows are copied into the new one. Whenever that is interrupted, one of BASE.resume.h5,
// BASE.part.h5 and BASE.h5 has the rows of the checkpoint.
#ifndef FLY_ANALYSIS_CHECKPOINT_H
#define FLY_ANALYSIS_CHECKPOINT_H

#include <stdint.h>

#include "flyball/model.h"

typedef struct fly_checkpoint {
  char *base;      // of the results
  char *path;      // its own
  char *rows_path; // where the rows are
  double time;     // reached [s]
  uint64_t rows;   // of the results that belong to it,
  uint64_t hash;   // and theirs
  uint64_t model;  // fingerprint of the model
  char *note;      // the caller's
  uint64_t size;   // of the state [bytes],
  void *state;     // which is sealed by itself
} fly_checkpoint;

// result: a base name, or any file of the result. FLY_BAD_INPUT, with a message, if it has no checkpoint.
fly_status fly_checkpoint_read(fly_checkpoint **out, const char *result, fly_error *error);
void fly_checkpoint_free(fly_checkpoint *c); // NULL is fine

// Before the results are opened: where the rows are, out of their way.
fly_status fly_checkpoint_find_rows(fly_checkpoint *c, unsigned formats, fly_error *error);
// After the start: rows and state. The run goes on from there.
fly_status fly_checkpoint_take_up(fly_run *r, fly_error *error);
// After a step: a checkpoint, if one is due.
fly_status fly_checkpoint_write(fly_run *r, fly_error *error);
void fly_checkpoint_remove(const char *base); // all that is left of earlier ones

#endif
