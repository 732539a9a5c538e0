// Singular positions and freedoms in words: which joints, which bodies, what to do.
#ifndef FLY_ANALYSIS_SINGULAR_H
#define FLY_ANALYSIS_SINGULAR_H

#include "analysis/kinematics.h"

// The motions leave freedom: how much, what can still move, what to add.
fly_status fly_tell_freedom(fly_assembly *a, int left, fly_error *error);
// Joints and motions in the rows that depend on each other where A of the drive is factorized, the most concerned
// first.
void fly_tell_rows(char *text, size_t size, fly_drive *d);
// The drive cannot go on from its last point: because a motion is not finite or jumps, or because it is a dead point.
fly_status fly_tell_stuck(fly_drive *d, fly_solved why, double h, fly_error *error);
// A line of the drive's notes.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void fly_drive_note(fly_drive *d, const char *format, ...);

#endif
