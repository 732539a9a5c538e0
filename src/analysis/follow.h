// Inverse dynamics of a motion that is given by data: the positions of all bodies in a result
// (docs/theory/kinematics.md). Where the model has freedom left, the forces the motion needs there are found: along
// coordinates of joints if these give it, else on the bodies themselves.
#ifndef FLY_ANALYSIS_FOLLOW_H
#define FLY_ANALYSIS_FOLLOW_H

#include "analysis/kinematics.h"
#include "result/result.h"

enum { FLY_FOLLOW_WINDOW = 7 }; // rows through which a polynomial gives velocities and accelerations

typedef struct fly_follow {
  fly_drive drive;    // where it stands; its rows beyond drive.square.held are given by the data
  fly_mechanism with; // the model with rows for the coordinates of joints
  fly_system system;  // of it
  fly_result *result;
  bool has_v, has_a;         // the data have velocities, accelerations
  int width;                 // numbers a row: time, q, v, v'
  int *column;               // where they stand in the result; -1: not there (width)
  double *data;              // some rows of them, one column after the other
  long rows, first, count;   // rows of the result; those in data
  long next;                 // the row to come
  double end;                // [s]
  double *given_v, *given_a; // what the data say (nv)
  double moved, moved_v;     // how far they had to be moved to fit the joints (weighted)
  fly_arena memory;
} fly_follow;

// Stands at the first row. f: zeroed; to be freed also after a failure. end NAN: all rows.
fly_status fly_follow_create(fly_follow *f, const fly_mechanism *m, const char *result, double end, fly_error *error);
void fly_follow_free(fly_follow *f);
fly_status fly_follow_step(fly_follow *f, fly_error *error); // to the next row
int fly_follow_rank(const fly_follow *f);                    // independent constraints
bool fly_follow_done(const fly_follow *f);

#endif
