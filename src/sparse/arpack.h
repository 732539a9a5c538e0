// A few eigenvalues of large matrices that are given by what they do to a vector (ARPACK).
#ifndef FLY_SPARSE_ARPACK_H
#define FLY_SPARSE_ARPACK_H

#include <stdbool.h>

#include "flyball/status.h"

typedef void fly_operator(double *y, const double *x, void *user); // y = A x; y and x do not overlap

// K z = mu M z, K symmetric, M symmetric and positive (or zero) along every direction: the `count` values nearest to
// the shift, or, with `below`, those nearest to it among the smaller ones. invert: (K - shift M)^-1, mass: M.
// mu ascending, the z in the columns of Z (n x count). found: how many converged, at most count < n.
typedef struct fly_symmetric_pencil {
  int n;
  int rank; // of the matrix that invert is: eigenvalues that are not infinite
  fly_operator *invert, *mass;
  double shift;
  bool below;
  int restarts; // at most; 0: a thousand. What has not converged then is left out
  void *user;
} fly_symmetric_pencil;
fly_status fly_arpack_symmetric(const fly_symmetric_pencil *p, int count, double *mu, double *Z, int *found,
                                fly_error *error);

// A z = nu z: the `count` largest |nu| = |re + i im|. Of a real A pairs come together, im > 0 first, and the two
// columns of Z (n x (count + 1)) are real and imaginary part; there may be one more than `count`, so as not to part a
// pair. Of a complex A vectors are n pairs (real, imaginary), Z is 2 n x count.
typedef struct fly_general_matrix {
  int n, rank;
  bool is_complex;
  fly_operator *apply;
  void *user;
} fly_general_matrix;
fly_status fly_arpack_general(const fly_general_matrix *A, int count, double *re, double *im, double *Z, int *found,
                              fly_error *error);

#endif
