// Wide rows and columns (frames.c), as the files of this room that close them see them.
#ifndef FLY_SYSTEM_FRAMES_H
#define FLY_SYSTEM_FRAMES_H

#include "system/parts.h"

// What a wide row or column becomes: `count` of them from `first` on; of a frame: which, and which of its six.
typedef struct fly_span {
  int first, count, frame, of;
} fly_span;

fly_span fly_system_span(const fly_system *s, int wide);
const fly_body *fly_frame_body(const fly_system *s, int frame);
const fly_marker *fly_frame_marker(const fly_system *s, int frame);
double *fly_join_begin(fly_join *join, int k); // values of the wide matrix, zero
// What derivatives need of the frames where q and v were seen.
void fly_frames_find_slopes(fly_system *s, const fly_dae_state *at);
// What constraints and forces do to the frames, as it stands in the equations of motion: G^T lambda - f, wide; NULL: a
// callback fails, with *status.
const double *fly_frames_find_loads(fly_system *s, const fly_dae_state *at, int *status);

// One wide entry (x[0], x[1], x[2] of J0, J1, J2) in the columns that its own becomes, times the factor of a row.
void fly_frames_add_entry(const double x[3], double factor, const fly_frame_map *map, int at, double *const J[3],
                          int place);

// What a wide column's rows in frames of its own body come to in the rows of that body: z (3 x n) of J0, J1, J2.
typedef struct fly_own_rows {
  double *z[3];
  bool any[3];
} fly_own_rows;
fly_own_rows fly_own_rows_begin(fly_system *s, int n);
void fly_own_rows_add(fly_own_rows *own, const double x[3], const double *J, int n);

// The block of a body in a matrix: of its n columns each begins at base, with the rows of the body one after another;
// from `first` on only so many, and then that on the diagonal.
typedef struct fly_own_block {
  const int *base;
  int n, first;
} fly_own_block;
void fly_own_rows_close(const fly_own_rows *own, const fly_frame_map *map, int of, const fly_own_block *block,
                        double *const J[3]);

#endif
