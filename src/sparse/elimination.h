// The order in which the unknowns of a matrix of nearly symmetric pattern are eliminated, with pivots on its diagonal.
// Unknowns without an entry there, multipliers, wait until all unknowns of their constraint are eliminated, which fills
// their diagonals (Bridson 2007): docs/theory/cost.md, section 2. For this room only.
#ifndef FLY_SPARSE_ELIMINATION_H
#define FLY_SPARSE_ELIMINATION_H

#include <stdbool.h>

#include "base/memory.h"
#include "sparse/sparse.h"

typedef struct fly_elimination {
  const fly_csc *a;
  int n;
  int *by_row_start, *by_row, *number; // A by rows: columns, and numbers of the entries (n + 1), (nnz), (nnz)
  int *start, *next;                   // neighbours of each unknown, without itself (n + 1)
  int *order, *place;                  // unknowns in the order of elimination, and back (n)
  int *parent;                         // of each place: the next place that it touches when it is eliminated; -1 (n)
  int *mark, *work;                    // scratch (n)
  double promised;                     // entries of a factor if nothing waited
  double products;                     // of a factorization, about: in the order chosen, which was not given,
  double products_all;                 // and in AMD's of all unknowns, in which some then wait
  fly_arena memory;
} fly_elimination;

// given (n; may be NULL): an order that served a matrix of the same size. Children stand right before their parents, as
// on a stack. e owns nothing before. False: no memory.
bool fly_elimination_find(fly_elimination *e, const fly_csc *pattern, const int *given);
static inline void fly_elimination_free(fly_elimination *e) { fly_arena_free(&e->memory); }

#endif
