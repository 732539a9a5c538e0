// Which rows are kept where some are redundant, and whether they still do (docs/theory/redundancy.md).
#ifndef FLY_ANALYSIS_KEPT_H
#define FLY_ANALYSIS_KEPT_H

#include "system/system.h"

typedef struct fly_kept {
  fly_system *all; // with every row of the model
  int count;       // of them are kept
  fly_rank rank;   // where it was looked at last, over rows in this order
  fly_arena memory;

  // From here on what travels (fly_kept_image).
  int *order;            // rows of `all`: those kept, then the others (all->nactive)
  double travelled;      // weighted way since the last look,
  double allowed;        // and how long it may be
  double growth;         // what the last look found
  int *place;            // work (all->nactive)
  int *row, *col, *spot; // work: entries of G (nnz)
  double *size;          // work: of the rows, in this order (all->nactive)
  bool *touched;         // work (all->nactive)
} fly_kept;

// keep: the rows kept (count), ascending. k: zeroed; to be freed also after a failure.
fly_status fly_kept_create(fly_kept *k, fly_system *all, int count, const int *keep, fly_error *error);
void fly_kept_free(fly_kept *k);
void fly_kept_image(fly_kept *k, fly_image *m); // the rank is found again before it is asked for
// After a step h to the accepted point at: looks at them if the way since the last look says so. *poor: others must
// take their place.
fly_status fly_kept_watch(fly_kept *k, const fly_dae_state *at, double h, bool *poor, fly_error *error);
// Takes them, into keep (count), ascending. *found: false where all rows together have lost their rank, a singular
// position, or have gained some; then nothing changes.
fly_status fly_kept_choose(fly_kept *k, const fly_dae_state *at, int *keep, bool *found, fly_error *error);

#endif
