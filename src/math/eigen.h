// Small symmetric eigenvalue problems, row by row. Pure functions.
#ifndef FLY_MATH_EIGEN_H
#define FLY_MATH_EIGEN_H

#include <stdbool.h>

enum { FLY_EIGEN_MOST = 16 };

// K x = lambda M x with M positive definite: the smallest lambda first, x_j in column j of X with x . M x = 1. False: M
// is not positive definite. K and M are overwritten; n at most FLY_EIGEN_MOST.
bool fly_eigen_pair(int n, double *K, double *M, double *X, double *lambda);

#endif
