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

// A z = nu z: the `count` largest |nu|, A real and of this rank: nu = re + i im, pairs together, im > 0 first, of a
// pair the two columns of Z (n x (count + 1)) are real and imaginary part. May find one more than `count`, so as not to
// part a pair.
fly_status fly_arpack_general(int n, int rank, fly_operator *apply, void *user, int count, double *re, double *im,
                              double *Z, int *found, fly_error *error);

// The same of a complex matrix; vectors are n pairs (real, imaginary). Z: 2 n x count.
fly_status fly_arpack_complex(int n, int rank, fly_operator *apply, void *user, int count, double *re, double *im,
                              double *Z, int *found, fly_error *error);

#endif
