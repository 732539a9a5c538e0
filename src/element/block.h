// 3 x 3 blocks of the arrays that elements fill, and products with [u]. Inline: they are the innermost loops.
#ifndef FLY_ELEMENT_BLOCK_H
#define FLY_ELEMENT_BLOCK_H

#include "element/frame.h"

// Adds factor times B to an array of n columns, row by row.
static inline void fly_add_block(double *H, int n, int row, int column, const double B[9], double factor) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      H[n * (row + i) + column + j] += factor * B[3 * i + j];
}

static inline void fly_add_block_transposed(double *H, int n, int row, int column, const double B[9], double factor) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      H[n * (row + i) + column + j] += factor * B[3 * j + i];
}

static inline void fly_add_column(double *H, int n, int row, int column, const double u[3], double factor) {
  for (int i = 0; i < 3; i++)
    H[n * (row + i) + column] += factor * u[i];
}

static inline void fly_add3(double *out, const double *a, double factor) {
  for (int i = 0; i < 3; i++)
    out[i] += factor * a[i];
}

// [a] B
static inline void fly_skew_times(double out[9], const double a[3], const double B[9]) {
  double S[9];
  fly_skew(S, a);
  fly_multiply3(out, S, B);
}

// A [b]
static inline void fly_times_skew(double out[9], const double A[9], const double b[3]) {
  double S[9];
  fly_skew(S, b);
  fly_multiply3(out, A, S);
}

// [a][b]
static inline void fly_skew_skew(double out[9], const double a[3], const double b[3]) {
  double S[9];
  fly_skew(S, b);
  fly_skew_times(out, a, S);
}

#endif
