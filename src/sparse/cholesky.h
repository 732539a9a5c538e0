// Large symmetric positive definite systems of meshes: A = L L^T by fronts (Duff and Reid 1983) over a nested
// dissection, so that nearly all of the work is done by BLAS on dense blocks.
#ifndef FLY_SPARSE_CHOLESKY_H
#define FLY_SPARSE_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

#include "flyball/status.h"
#include "sparse/sparse.h"

typedef struct fly_cholesky fly_cholesky;

// Unknowns come in groups that stand at one place, those of a node; whole groups may be held at zero.
typedef struct fly_cholesky_order {
  int groups;
  const int *start;    // of each group's unknowns (groups + 1)
  const double *place; // (3 groups)
  const bool *held;    // (groups); NULL: none is
} fly_cholesky_order;

// The pattern is that of both triangles, and must live on.
fly_status fly_cholesky_create(fly_cholesky **out, const fly_csc *pattern, const fly_cholesky_order *order,
                               fly_error *error);
void fly_cholesky_free(fly_cholesky *c); // NULL is fine
// Of A + shift B, B on the pattern of A, or NULL. FLY_SINGULAR without a message: it is not positive definite.
// tell (may be NULL) hears what share of the work is done.
typedef void fly_share_done(double share, void *user);
fly_status fly_cholesky_factor(fly_cholesky *c, const double *A, const double *B, double shift, fly_share_done *tell,
                               void *user, fly_error *error);
// X (n x columns) becomes A^-1 X where nothing is held, and zero where something is.
fly_status fly_cholesky_solve(fly_cholesky *c, double *X, int columns, fly_error *error);
int fly_cholesky_free_count(const fly_cholesky *c); // unknowns that are not held
size_t fly_cholesky_entries(const fly_cholesky *c); // that the factor has
double fly_cholesky_work(const fly_cholesky *c);    // of a factorization [multiplications and additions]

#endif
