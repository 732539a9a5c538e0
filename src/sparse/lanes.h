// Kernels of small dense blocks, column by column, of 1 to 6 rows and, where these are odd, one more. For this room
// only.
#ifndef FLY_SPARSE_LANES_H
#define FLY_SPARSE_LANES_H

#include "base/quad.h"

INLINED int padded(const int rows) { return (rows + 1) & ~1; }

// Two numbers side by side, and as many as a group has rows: 2, 4 or both.
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef struct lanes {
  quad four;
  pair two;
} lanes;

// Where the last two begin.
INLINED int tail(const int width) { return width == 6 ? 4 : 0; }

INLINED void load(lanes *l, const double *x, const int width) {
  *l = (lanes){{0}, {0}};
  if (width >= 4)
    l->four = *(const quad *)x;
  if (width != 4)
    l->two = *(const pair *)(x + tail(width));
}

INLINED void store(double *x, const lanes *l, const int width) {
  if (width >= 4)
    *(quad *)x = l->four;
  if (width != 4)
    *(pair *)(x + tail(width)) = l->two;
}

// l += x by
INLINED void add_times(lanes *l, const double *x, double by, const int width) {
  if (width >= 4)
    l->four += *(const quad *)x * by;
  if (width != 4)
    l->two += *(const pair *)(x + tail(width)) * by;
}

INLINED void scale(lanes *l, double by, const int width) {
  if (width >= 4)
    l->four *= by;
  if (width != 4)
    l->two *= by;
}

INLINED double dot(const double *x, const lanes *l, const int width) {
  pair sum = {0};
  if (width != 4)
    sum = *(const pair *)(x + tail(width)) * l->two;
  if (width >= 4) {
    const quad product = *(const quad *)x * l->four;
    sum += (pair){product[0], product[1]} + (pair){product[2], product[3]};
  }
  return sum[0] + sum[1];
}

// What is done with each group is written for one number of rows, so that the compiler unrolls it.
#define BY_ROWS(rows, call, ...)                                                                                       \
  ((rows) == 5   ? call(__VA_ARGS__, 5)                                                                                \
   : (rows) == 2 ? call(__VA_ARGS__, 2)                                                                                \
   : (rows) == 3 ? call(__VA_ARGS__, 3)                                                                                \
   : (rows) == 1 ? call(__VA_ARGS__, 1)                                                                                \
   : (rows) == 4 ? call(__VA_ARGS__, 4)                                                                                \
                 : call(__VA_ARGS__, 6))

#endif
