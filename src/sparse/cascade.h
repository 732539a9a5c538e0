// Square matrices whose rows can be solved a few at a time, in unknowns of their own and in those of rows before them,
// as those of the joints of a tree of bodies: dense blocks, no fill. What order that is and which rows wait for each
// other is found once (Tarjan, SIAM J. Comput. 1, 1972; docs/theory/cost.md, section 5).
#ifndef FLY_SPARSE_CASCADE_H
#define FLY_SPARSE_CASCADE_H

#include "base/memory.h"
#include "sparse/sparse.h"

enum { FLY_CASCADE_ROWS = 12 }; // that are solved together, at most

typedef struct fly_cascade_link { // of a step to one before it
  int x, count;                   // the unknowns of that
  int at;                         // the block, in value
} fly_cascade_link;

typedef struct fly_cascade_step { // what is solved together
  int x, rows;                    // its unknowns, as many as its rows
  int at;                         // its own block, in value and (inverted) in inverse
  int link, end;                  // its links
} fly_cascade_step;

typedef struct fly_cascade {
  int n, nnz, steps;
  fly_cascade_step *step; // in the order of a solution (steps)
  fly_cascade_link *link;
  int *row, *col;  // in A of each unknown (n)
  int *place;      // in value of A's entries (nnz)
  double *value;   // blocks, column by column, rows filled up to a multiple of four
  double *inverse; // of those that are a step's own
  double *x;       // work (n + FLY_CASCADE_ROWS)
  fly_arena memory;
} fly_cascade;

// match: for each column the row it is solved for with. c owns nothing before. FLY_OK with *c all zero: too many wait
// for each other. Or FLY_NO_MEMORY.
fly_status fly_cascade_build(fly_cascade *c, const fly_csc *pattern, const int *match);
void fly_cascade_free(fly_cascade *c); // all zero is fine
// False: a pivot is smaller than 1/most of the largest entry of its row, or not a number. *rcond: the smallest pivot
// over the largest, each over its row's largest entry.
bool fly_cascade_factor(fly_cascade *c, const double *value, double most, double *rcond);
void fly_cascade_solve(const fly_cascade *c, double *b); // in place

#endif
