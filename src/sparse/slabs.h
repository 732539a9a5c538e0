// Products with matrices in which three neighbouring columns often have their entries in the same rows, as those of a
// turning body in the rows of its joints: what is read of one row serves all three. Each number is the same sum in the
// same order as column by column.
#ifndef FLY_SPARSE_SLABS_H
#define FLY_SPARSE_SLABS_H

#include "sparse/sparse.h"

// Three columns side by side with the same rows as numbers: 3, runs, then first row and length of each run of
// neighbouring rows; other columns: 2 for those of two entries, 1 for all others, then how many entries. All of a
// matrix, one behind the other. NULL: too few of its entries lie in slabs of three columns.
fly_status fly_slabs_find(int **out, const fly_csc *a, fly_error *error);

// As those of sparse.h, for a matrix that has slabs.
void fly_slabs_multiply_add(double *y, const fly_csc *a, double alpha, const double *x);
void fly_slabs_multiply_two(const fly_csc *a, double *y1, const double *x1, double *y2, const double *x2);
void fly_slabs_multiply_all(const fly_csc *a, double *y, const double *x, double *z1, const double *w1, double *z2,
                            const double *w2);

// A matrix of full blocks of one or three columns on its diagonal, as of rigid bodies: of how many of one, then of how
// many of three, in turn. NULL: it is none. The product is that of fly_csc_multiply_symmetric.
fly_status fly_blocks_find(int **out, const fly_csc *a, fly_error *error);
void fly_blocks_multiply(const fly_csc *a, double *y1, const double *x1, double *y2, const double *x2);

#endif
