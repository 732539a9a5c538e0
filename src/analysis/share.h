// How redundant joints share a load: of all multipliers that push the bodies alike the smallest
// (docs/theory/redundancy.md). It does not depend on which rows were left out, and has no kinks where others are.
#ifndef FLY_ANALYSIS_SHARE_H
#define FLY_ANALYSIS_SHARE_H

#include "system/system.h"

typedef struct fly_share {
  fly_system *system; // with every row of the model
  int nrow, nrest;    // rows of the model; numbers of a state's lambda behind them
  bool *kept;         // which rows are (nrow)
  int rows, cols;     // how many are in a part of the model that has redundant rows
  int *row, *col;     // which: rows of the model (rows), velocities (cols)
  int *of_col;        // of each velocity, its place among cols; -1: none (nv)
  int *start, *entry; // of each of these rows its entries in G (rows + 1), ...
  int *at;            // ... and the places of their velocities among cols
  double *scale;      // of a row: what turns its multiplier into a force (rows)
  double *unit;       // of a velocity: what turns it into one of a point (cols)
  double mass;        // the largest, so scaled
  fly_csc G, S;       // all rows; the matrix that finds the smallest multipliers (n x n)
  int n, *place;      // in S, of what is put into it, one after another
  fly_lu *lu;         // of S
  double *value;      // scaled entries of G, in the order of `entry`
  double *x;          // right side and solution (n)
  double *force;      // work (nv)
  double *lambda;     // result (nrow + nrest)
  fly_arena memory;
} fly_share;

// place: of each row of the model, < 0: it was left out. Only rows below `held` share; rest: numbers behind the
// multipliers of rows that are passed on. s: zeroed; to be freed also after a failure.
fly_status fly_share_create(fly_share *s, fly_system *system, const int *place, int held, int rest, fly_error *error);
void fly_share_free(fly_share *s);
bool fly_share_fits(const fly_share *s, const int *place); // the rows kept are still these
// lambda: of all rows, 0 for those left out, and the rest. Returns the smallest with the same effect at q, in memory of
// s; where no rows share, or those kept have lost their rank, lambda itself.
const double *fly_share_of_multipliers(fly_share *s, double t, const double *q, const double *lambda);
// The same from what the motion tells, G^T lambda = f - M v'. Between accepted points that is smooth, where multipliers
// of rows that were left out a moment ago are not; of other parts of the model lambda is passed on.
const double *fly_share_of_motion(fly_share *s, const fly_dae_state *at, const double *lambda);

#endif
