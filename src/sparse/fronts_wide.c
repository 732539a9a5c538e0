// Dense elimination without a search for pivots, in blocks: what is far from the block being eliminated is touched once
// for all of its columns, in tiles that stay in registers.
#include <string.h>

#include "base/wide.h"
#include "sparse/fronts.h"

// Columns eliminated at a time; in strips of them; of a tile rows, and columns in lanes.
enum { BLOCK = 48, STRIP = 6, ROWS = 4, LANES = 2, COLUMNS = LANES * FLY_LANE };

// C -= A B, ROWS x COLUMNS, of k products each; B: its columns side by side (k x COLUMNS).
FLY_INLINED void subtract_tile(double *C, const double *A, int m, const fly_lane *B, int k) {
  fly_lane sum[ROWS][LANES];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < LANES; j++)
      sum[i][j] = *(const fly_lane *)(C + (ptrdiff_t)i * m + j * FLY_LANE);
  for (int e = 0; e < k; e++, B += LANES)
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < LANES; j++)
        sum[i][j] -= A[(ptrdiff_t)i * m + e] * B[j];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < LANES; j++)
      *(fly_lane *)(C + (ptrdiff_t)i * m + j * FLY_LANE) = sum[i][j];
}

FLY_INLINED void subtract_rest(double *C, const double *A, int m, const double *U, int rows, int columns, int k) {
  for (int i = 0; i < rows; i++)
    for (int e = 0; e < k; e++) {
      const double a = A[(ptrdiff_t)i * m + e];
      for (int j = 0; j < columns; j++)
        C[(ptrdiff_t)i * m + j] -= a * U[(ptrdiff_t)e * m + j];
    }
}

// C -= A U, all of them parts of a matrix of m columns. Each entry is the same sum in the same order however it is cut.
FLY_WIDE static void subtract(double *C, const double *A, const double *U, int m, int rows, int columns, int k) {
  fly_lane B[BLOCK * LANES];
  const int whole = rows - rows % ROWS;
  int j = 0;
  for (; j + COLUMNS <= columns; j += COLUMNS) {
    for (int e = 0; e < k; e++)
      memcpy(B + (ptrdiff_t)e * LANES, U + (ptrdiff_t)e * m + j, LANES * sizeof *B);
    for (int i = 0; i < whole; i += ROWS)
      subtract_tile(C + (ptrdiff_t)i * m + j, A + (ptrdiff_t)i * m, m, B, k);
  }
  subtract_rest(C + j, A, m, U + j, whole, columns - j, k);
  subtract_rest(C + (ptrdiff_t)whole * m, A + (ptrdiff_t)whole * m, m, U, rows - whole, columns, k);
}

// w pivots at the corner of F, of which n rows and columns are left: their rows of U, and their columns of L.
static void eliminate_strip(double *F, int m, int n, int w, double *inverse) {
  for (int k = 0; k < w; k++) {
    const double *pivot = F + (ptrdiff_t)k * m;
    inverse[k] = 1 / pivot[k];
    for (int i = k + 1; i < n; i++) {
      double *row = F + (ptrdiff_t)i * m;
      const double l = row[k] *= inverse[k];
      const int end = i < w ? n : w;
      for (int j = k + 1; j < end; j++)
        row[j] -= l * pivot[j];
    }
  }
}

// The first w columns of n, and as many rows; the rest is not touched.
static void eliminate_block(double *F, int m, int n, int w, double *inverse) {
  for (int at = 0; at < w; at += STRIP) {
    const int strip = w - at < STRIP ? w - at : STRIP, left = w - at - strip;
    double *corner = F + (ptrdiff_t)at * (m + 1), *below = corner + (ptrdiff_t)strip * m, *beside = corner + strip;
    eliminate_strip(corner, m, n - at, strip, inverse + at);
    subtract(below + strip, below, beside, m, left, n - at - strip, strip);
    subtract(below + (ptrdiff_t)left * m + strip, below + (ptrdiff_t)left * m, beside, m, n - w, left, strip);
  }
}

void fly_front_eliminate(double *F, int m, int w, double *inverse) {
  for (int at = 0; at < w; at += BLOCK) {
    const int block = w - at < BLOCK ? w - at : BLOCK, rest = m - at - block;
    double *corner = F + (ptrdiff_t)at * (m + 1), *below = corner + (ptrdiff_t)block * m;
    eliminate_block(corner, m, m - at, block, inverse + at);
    subtract(below + block, below, corner + block, m, rest, rest, block);
  }
}
