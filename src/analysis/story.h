// The diary of a run: what each accepted step was like, in constant memory however many there are.
//
// Steps are kept one by one until there are FLY_STORY_BUCKETS of them; then neighbours are put together two by two, and
// from there on a bucket holds twice as many steps. A bucket keeps the extremes of its steps and the sums of what is
// counted, so that no peak and no rejection is lost, only when exactly it was.
#ifndef FLY_ANALYSIS_STORY_H
#define FLY_ANALYSIS_STORY_H

#include <stdio.h>

#include "flyball/dae.h"

enum { FLY_STORY_BUCKETS = 2000, FLY_STORY_EVENTS = 1000 };

// Steps that follow each other.
typedef struct fly_story_bucket {
  double t;                                // end of the last [s]
  double h_min, h_max;                     // [s]
  double estimate, ratio;                  // the largest; ratio is NAN if steps are fixed
  double position, velocity, acceleration; // the largest residuals
  long steps;
  long newton, newton_max; // iterations, those of rejected attempts included: their sum, and the most for one step
  long error, unsolved, callback, singular; // attempts rejected: by the error test; because the corrector did not
                                            // converge; because a callback refused the state or gave NaN; because the
                                            // matrix was singular
} fly_story_bucket;

typedef struct fly_story {
  fly_story_bucket bucket[FLY_STORY_BUCKETS];
  int count;
  long stride;                    // steps of a full bucket, a power of two
  fly_stats seen;                 // up to the last step that was noted
  long events;                    // all; the times of the first are kept
  double event[FLY_STORY_EVENTS]; // [s]
} fly_story;

void fly_story_begin(fly_story *story);
// After an accepted step, or after a failure (its rejections are then those of the step that never was). Allocates
// nothing.
void fly_story_note(fly_story *story, const fly_step_record *step, const fly_stats *stats);
bool fly_story_write(FILE *file, const void *story); // JSON; false if it could not be written

#endif
