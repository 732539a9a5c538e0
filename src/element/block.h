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
  for (int j = 0; j < 3; j++) {
    out[j] = a[1] * B[6 + j] - a[2] * B[3 + j];
    out[3 + j] = a[2] * B[j] - a[0] * B[6 + j];
    out[6 + j] = a[0] * B[3 + j] - a[1] * B[j];
  }
}

// A [b]
static inline void fly_times_skew(double out[9], const double A[9], const double b[3]) {
  for (int i = 0; i < 3; i++) {
    out[3 * i] = A[3 * i + 1] * b[2] - A[3 * i + 2] * b[1];
    out[3 * i + 1] = A[3 * i + 2] * b[0] - A[3 * i] * b[2];
    out[3 * i + 2] = A[3 * i] * b[1] - A[3 * i + 1] * b[0];
  }
}

// [a][b] = b a^T - a . b
static inline void fly_skew_skew(double out[9], const double a[3], const double b[3]) {
  const double xx = a[0] * b[0], yy = a[1] * b[1], zz = a[2] * b[2];
  out[0] = -zz - yy;
  out[1] = a[1] * b[0];
  out[2] = a[2] * b[0];
  out[3] = a[0] * b[1];
  out[4] = -zz - xx;
  out[5] = a[2] * b[1];
  out[6] = a[0] * b[2];
  out[7] = a[1] * b[2];
  out[8] = -yy - xx;
}

#endif
