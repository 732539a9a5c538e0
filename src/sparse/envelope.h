// Small or narrow symmetric positive definite matrices S = Y Y^T, Y sparse: factors S = L L^T whose rows reach from
// their first entry to the diagonal (Jennings 1966), in an order that keeps them short (Cuthill and McKee 1969).
//
// Neighbouring rows of Y that meet the same groups of columns, as those of a joint do with its bodies, are kept
// together: they have one first entry, and dense loops go over all of them at once. What a general sparse solver looks
// up, here is known by counting. Rows are numbered in the order of S: fly_envelope.place says which is which.
#ifndef FLY_SPARSE_ENVELOPE_H
#define FLY_SPARSE_ENVELOPE_H

#include "base/memory.h"
#include "sparse/sparse.h"

enum { FLY_ENVELOPE_ROWS = 6 }; // of a group, at most

typedef struct fly_envelope_block { // of Y: the rows of a group, the columns of another
  int group;                        // of rows
  int column, count;                // the first column, and how many
  int at;                           // of its first number, column by column
} fly_envelope_block;

typedef struct fly_envelope_pair { // of blocks with the same columns: what both give to S
  int row, col;                    // the blocks; that of later rows first
  int at;                          // where in value
  bool first;                      // of those that give there
} fly_envelope_pair;

typedef struct fly_envelope_gap { // of value: what no pair gives to
  int at, count;
} fly_envelope_gap;

typedef struct fly_envelope {
  int n, groups, pairs, gaps;
  int *place; // of row i of Y among the rows of S (n)
  int *row;   // first row of each group, and n (groups + 1)
  int *reach; // the group in which its rows begin (groups)
  int *start; // of each group in value: column by column, from its first to its last, as many numbers as rows and, if
              // these are odd, one more (groups + 1)
  int *block; // its first block (groups + 1)
  fly_envelope_block *blocks;
  fly_envelope_pair *pair;
  fly_envelope_gap *gap;
  int *entry;    // where each entry of Y is in y (its nnz)
  double *y;     // the blocks of Y
  double *value; // the lower triangle of the matrix, then L with the reciprocals of its diagonal
  double work;   // of a factorization [multiplications], row by row
  fly_arena memory;
} fly_envelope;

// For Y Y^T of the pattern of Y. group: of each column, ascending; NULL: each is one by itself. Free also after a
// failure.
fly_status fly_envelope_create(fly_envelope *s, const fly_csc *y, const int *group, fly_error *error);
void fly_envelope_free(fly_envelope *s); // zeroed is fine

// Y, its entries val[k] by[k].
void fly_envelope_set(fly_envelope *s, int nnz, const double *val, const double *by);
// S = Y Y^T, factorized. false: a pivot is less than `smallest` times its entry of the matrix, or not a number; there
// are no factors then.
bool fly_envelope_factor(fly_envelope *s, double smallest);
// With the factors and the Y at hand, rows in the order of S: vectors of n + 1 finite numbers, the last without
// meaning. In place; r += Y p; p -= Y^T l.
void fly_envelope_solve(const fly_envelope *s, double *x);
void fly_envelope_add(const fly_envelope *s, double *r, const double *p);
void fly_envelope_subtract_transposed(const fly_envelope *s, double *p, const double *l);

#endif
