// LU with pivots that a search has found before: rows, columns and diagonal blocks in their order are given, all lists
// follow from them and from the pattern, and factors and solutions go through these without a search, a scaling or a
// permutation of factors (docs/theory/cost.md, section 5). What is lost by pivots that are not searched for is watched.
// For this room only.
#ifndef FLY_SPARSE_LISTED_H
#define FLY_SPARSE_LISTED_H

#include <stdbool.h>

#include "base/memory.h"
#include "sparse/sparse.h"

// One row of a solution: unknown `to` is (a number of the right side, or itself where from < 0, without the entries
// times their unknowns) times an inverse.
typedef struct fly_listed_row {
  int begin, end, from, to, by;
} fly_listed_row;

// Row i has, one behind the other: entries in later blocks (as they are in A), of L and of U without its diagonal.
typedef struct fly_listed {
  int n, nnz, blocks;
  int *row, *col;       // of each pivot, in A (n)
  int *row_at;          // place of each row of A among the pivots (n)
  double *size;         // largest entry of the row of each pivot in A (n)
  int *block;           // first pivot of each block, and n (blocks + 1)
  int *start;           // of the three parts of each row (3 n + 1)
  int *index;           // column of each entry, in the order of pivots
  double *value;        // of each entry; behind them the diagonal of U (n)
  double *inverse;      // one over it; behind them 1 (n + 1)
  fly_listed_row *rows; // in the order of a solution (nrows)
  int nrows;
  int *place; // in value of A's entries (nnz)
  int *fill;  // places that A has no entries for (fills)
  int fills;
  int *target; // of the products of L and U, in the order in which they are subtracted
  double *x;   // work (n)
  bool serves; // the factors are those of the last matrix
  fly_arena memory;
} fly_listed;

// What was chosen: rows and columns of the pivots (n), first pivots of the blocks of a block triangular form (upper).
typedef struct fly_pivots {
  const int *row, *col, *block;
  int blocks;
} fly_pivots;

// k owns nothing before. False: no memory.
bool fly_listed_build(fly_listed *k, const fly_csc *pattern, const fly_pivots *pivots);
bool fly_listed_has(const fly_listed *k, const fly_pivots *pivots); // it was built for them
void fly_listed_free(fly_listed *k);                                // all zero is fine
// False: a pivot is smaller than 1/most of what it was made of, that has grown to more than `most` times the largest
// entry of its row, or a value is not finite.
bool fly_listed_factor(fly_listed *k, const double *value, double most);
double fly_listed_rcond(const fly_listed *k,
                        const fly_csc *a);             // smallest pivot over the largest; a: factorized last
void fly_listed_solve(const fly_listed *k, double *b); // in place
void fly_listed_solve_transposed(const fly_listed *k, double *b);

#endif
