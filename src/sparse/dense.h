// Small dense problems by LAPACK. Matrices column by column, without gaps. All of them take the memory they need and
// give it back.
#ifndef FLY_SPARSE_DENSE_H
#define FLY_SPARSE_DENSE_H

#include "flyball/status.h"

// An orthonormal basis Z (n x (n - m)) of what the m independent rows of A (m x n, m <= n) leave: A Z = 0. A is lost.
fly_status fly_dense_null_space(double *Z, double *A, int m, int n, fly_error *error);

// Makes the columns of Z (n x k, independent) orthonormal.
fly_status fly_dense_orthonormalize(double *Z, int n, int k, fly_error *error);

// X of A X = B in place of B (n x k). FLY_SINGULAR without a message. A is lost.
fly_status fly_dense_solve(double *A, double *B, int n, int k, fly_error *error);

// K z = mu M z, K symmetric, M symmetric and positive definite (n x n): mu ascending, the z in place of K, z^T M z = 1.
// M is lost. FLY_SINGULAR without a message: M is not positive definite.
fly_status fly_dense_eigen_symmetric(double *mu, double *K, double *M, int n, fly_error *error);

// A z = s z: s = re + i im (n), conjugate pairs together, the one with im > 0 first; of a pair, the two columns of Z
// (n x n) are the real and the imaginary part of the z of the first. A is lost.
fly_status fly_dense_eigen(double *re, double *im, double *Z, double *A, int n, fly_error *error);
// The same with left vectors Y, y^H A = s y^H, and of each root the reciprocal of its condition, of the matrix scaled
// to the least norm, which is given too: rounding moves a root by about eps norm/rcond. A is overwritten.
typedef struct fly_dense_spectrum {
  double *re, *im; // (n)
  double *Z, *Y;   // right and left (n x n)
  double *rcond;   // (n)
} fly_dense_spectrum;
fly_status fly_dense_eigen_expert(const fly_dense_spectrum *s, double *A, int n, double *norm, fly_error *error);

// x' = A x + B u, y = C x (n states, nu inputs, ny outputs) in other states, scaled so that A has about equal rows and
// columns, then turned so that it has nothing below its subdiagonal: (s - A) z = b is then solved in n^2 operations.
fly_status fly_dense_hessenberg(double *A, double *B, double *C, int n, int nu, int ny, fly_error *error);

// s of A z = s E z (n x n): re, im (n); what is infinite or not determined is NAN. A and E are lost.
fly_status fly_dense_eigen_pencil(double *re, double *im, double *A, double *E, int n, fly_error *error);

// C (m x n) = alpha op(A) op(B) + beta C, as in BLAS: 'N' or 'T'.
void fly_dense_multiply(double *C, char op_a, char op_b, int m, int n, int k, double alpha, const double *A,
                        const double *B, double beta);

#endif
