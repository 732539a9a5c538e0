// A result while it is written: a file beside the one it will be, locked, so that an earlier result is whole until this
// one is, and two runs never share a file. For this room only.
#ifndef FLY_RESULT_PART_H
#define FLY_RESULT_PART_H

#include "flyball/status.h"

typedef struct fly_part {
  char *path, *final; // NAME.part.h5, NAME.h5; NULL: not open
  int lock;           // descriptor, -1: none
} fly_part;

// Refused before anything is touched if another run has it, or if the final file could not be replaced.
fly_status fly_part_open(fly_part *p, const char *base, const char *ending, fly_error *error);
// Gives the file its final name, once it is on the disk. from: in place of the part itself, a file made of it.
fly_status fly_part_commit(fly_part *p, const char *from, fly_error *error);
// Commits if there is no earlier result; else the part stays beside it.
fly_status fly_part_abandon(fly_part *p, fly_error *error);
void fly_part_discard(fly_part *p); // the file goes
void fly_part_free(fly_part *p);

#endif
