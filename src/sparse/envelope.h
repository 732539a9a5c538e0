// Small or narrow symmetric positive definite matrices S = Y Y^T, Y sparse: factors S = L L^T whose rows reach from
// their first entry to the diagonal (Jennings 1966), in an order that keeps them short (Cuthill and McKee 1969). Dense
// loops over short rows: what a general sparse solver looks up, here is known by counting.
#ifndef FLY_SPARSE_ENVELOPE_H
#define FLY_SPARSE_ENVELOPE_H

#include "base/memory.h"
#include "sparse/sparse.h"

typedef struct fly_envelope {
  int n;
  int *place; // of row i of the matrix among the rows of L (n)
  int *first; // column of the first entry of each row of L (n)
  int *start; // of each row of L in value (n + 1)
  int *pair;  // where the products of two entries of a column of Y are added: column by column, each entry with itself
              // and those before it
  double *value; // the lower triangle of the matrix, then L with the reciprocals of its diagonal
  double *x;     // work (n)
  double work;   // of a factorization [multiplications]
  fly_arena memory;
} fly_envelope;

// For Y Y^T of the pattern of Y. Free also after a failure.
fly_status fly_envelope_create(fly_envelope *s, const fly_csc *y, fly_error *error);
void fly_envelope_free(fly_envelope *s); // zeroed is fine
// S = Y Y^T, factorized. false: a pivot is less than `smallest` times its entry of the matrix, or not a number; there
// are no factors then.
bool fly_envelope_factor(fly_envelope *s, const fly_csc *y, double smallest);
void fly_envelope_solve(const fly_envelope *s, double *b); // in place

#endif
