// The numbers of an envelope. Loops over the rows of a group have one of three lengths that the compiler knows, two
// rows to an instruction. A group with an odd number of rows has a row of zeros more, and takes of a vector one number
// more, with which nothing is done: so vectors have room for one.
#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "sparse/envelope.h"

#define INLINED static inline __attribute__((always_inline)) // the compiler then knows the lengths

INLINED int rows_of(const fly_envelope *s, int g) { return s->row[g + 1] - s->row[g]; }
INLINED int width_of(const fly_envelope *s, int g) { return (rows_of(s, g) + 1) & ~1; }

void fly_envelope_set(fly_envelope *s, int nnz, const double *val, const double *by) {
  for (int k = 0; k < nnz; k++)
    s->y[s->entry[k]] = val[k] * by[k];
}

// ---------------------------------------------------------------------------------- kernels

// x -= sum over k of column k times by[k step]
INLINED void subtract(double *restrict x, const double *restrict columns, const double *by, int step, int n,
                      const int width) {
  double sum[FLY_ENVELOPE_ROWS];
  for (int i = 0; i < width; i++)
    sum[i] = x[i];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < width; i++)
      sum[i] -= columns[k * width + i] * by[k * step];
  for (int i = 0; i < width; i++)
    x[i] = sum[i];
}

INLINED void scale(double *x, double by, const int width) {
  for (int i = 0; i < width; i++)
    x[i] *= by;
}

// Two numbers side by side.
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

INLINED double dot(const double *a, const double *b, const int width) {
  pair sum = *(const pair *)a * *(const pair *)b;
  for (int i = 2; i < width; i += 2)
    sum += *(const pair *)(a + i) * *(const pair *)(b + i);
  return sum[0] + sum[1];
}

// ---------------------------------------------------------------------------------- S

INLINED void multiply_pair(const fly_envelope *s, const fly_envelope_pair *p, const int width) {
  const fly_envelope_block *a = &s->blocks[p->row], *b = &s->blocks[p->col];
  const int rows = rows_of(s, b->group), step = width_of(s, b->group);
  const double *left = s->y + a->at, *right = s->y + b->at;
  for (int j = 0; j < rows; j++) {
    double *to = s->value + p->at + j * width, sum[FLY_ENVELOPE_ROWS];
    for (int i = 0; i < width; i++)
      sum[i] = to[i];
    for (int k = 0; k < a->count; k++)
      for (int i = 0; i < width; i++)
        sum[i] += left[k * width + i] * right[k * step + j];
    for (int i = 0; i < width; i++)
      to[i] = sum[i];
  }
}

INLINED void multiply(const fly_envelope *s) {
  memset(s->value, 0, (size_t)s->start[s->groups] * sizeof *s->value);
  for (int k = 0; k < s->pairs; k++) {
    const fly_envelope_pair *p = &s->pair[k];
    const int width = width_of(s, s->blocks[p->row].group);
    if (width == 2)
      multiply_pair(s, p, 2);
    else if (width == 4)
      multiply_pair(s, p, 4);
    else
      multiply_pair(s, p, 6);
  }
}

// ---------------------------------------------------------------------------------- L

// Column j of the rows of a group: L_ij = (S_ij - sum_(k < j) L_ik L_jk)/L_jj, of columns before the group.
INLINED void eliminate_before(const fly_envelope *s, int g, const int width) {
  const int first = s->row[s->reach[g]];
  double *own = s->value + s->start[g];
  for (int h = s->reach[g]; h < g; h++) {
    const int begin = s->row[s->reach[h]], step = width_of(s, h), from = begin > first ? begin : first;
    for (int j = s->row[h]; j < s->row[h + 1]; j++) {
      const double *other = s->value + s->start[h] + (j - s->row[h]);
      double *x = own + (j - first) * width;
      subtract(x, own + (from - first) * width, other + (from - begin) * step, step, j - from, width);
      scale(x, other[(j - begin) * step], width);
    }
  }
}

// Then those of its own, L_jj = sqrt(S_jj - sum L_jk^2) first. What is above the diagonal is never used.
INLINED bool eliminate(const fly_envelope *s, int g, double smallest, const int width) {
  const int first = s->row[s->reach[g]], rows = rows_of(s, g);
  double *own = s->value + s->start[g], *x = own + (s->row[g] - first) * width;
  eliminate_before(s, g, width);
  for (int c = 0; c < rows; c++, x += width) {
    const double entry = x[c];
    subtract(x, own, own + c, width, s->row[g] - first + c, width);
    const double pivot = x[c];
    if (!(pivot > smallest * entry) || !isfinite(pivot))
      return false;
    const double reciprocal = 1 / sqrt(pivot);
    scale(x, reciprocal, width);
    x[c] = reciprocal;
  }
  return true;
}

FLY_WIDE bool fly_envelope_factor(fly_envelope *s, double smallest) {
  multiply(s);
  for (int g = 0; g < s->groups; g++) {
    const int width = width_of(s, g);
    const bool fine = width == 2   ? eliminate(s, g, smallest, 2)
                      : width == 4 ? eliminate(s, g, smallest, 4)
                                   : eliminate(s, g, smallest, 6);
    if (!fine)
      return false;
  }
  return true;
}

// ---------------------------------------------------------------------------------- L L^T x = b

INLINED void forward(const fly_envelope *s, int g, double *x, const int width) {
  const int first = s->row[s->reach[g]], at = s->row[g], rows = rows_of(s, g);
  const double *own = s->value + s->start[g], *diagonal = own + (at - first) * width;
  double sum[FLY_ENVELOPE_ROWS];
  for (int i = 0; i < width; i++)
    sum[i] = x[at + i];
  subtract(sum, own, x + first, 1, at - first, width);
  for (int c = 0; c < rows; c++, diagonal += width) {
    const double xc = x[at + c] = sum[c] * diagonal[c];
    for (int i = 0; i < width; i++)
      sum[i] -= diagonal[i] * xc;
  }
}

INLINED void backward(const fly_envelope *s, int g, double *x, const int width) {
  const int first = s->row[s->reach[g]], at = s->row[g], rows = rows_of(s, g);
  const double *own = s->value + s->start[g], *diagonal = own + (at - first) * width;
  double y[FLY_ENVELOPE_ROWS];
  for (int i = 0; i < width; i++)
    y[i] = x[at + i];
  for (int c = rows - 1; c >= 0; c--) {
    for (int i = c + 1; i < rows; i++)
      y[c] -= diagonal[c * width + i] * y[i];
    x[at + c] = y[c] *= diagonal[c * width + c];
  }
  for (int k = 0; k < at - first; k++)
    x[first + k] -= dot(own + k * width, y, width);
}

FLY_WIDE void fly_envelope_solve(const fly_envelope *s, double *x) {
  for (int g = 0; g < s->groups; g++) {
    const int width = width_of(s, g);
    if (width == 2)
      forward(s, g, x, 2);
    else if (width == 4)
      forward(s, g, x, 4);
    else
      forward(s, g, x, 6);
  }
  for (int g = s->groups - 1; g >= 0; g--) {
    const int width = width_of(s, g);
    if (width == 2)
      backward(s, g, x, 2);
    else if (width == 4)
      backward(s, g, x, 4);
    else
      backward(s, g, x, 6);
  }
}

// ---------------------------------------------------------------------------------- products with Y

INLINED void add_group(const fly_envelope *s, int g, double *restrict r, const double *restrict p, const int width) {
  double sum[FLY_ENVELOPE_ROWS];
  double *own = r + s->row[g];
  for (int i = 0; i < width; i++)
    sum[i] = own[i];
  for (const fly_envelope_block *k = &s->blocks[s->block[g]], *end = &s->blocks[s->block[g + 1]]; k < end; k++) {
    const double *restrict y = s->y + k->at, *x = p + k->column;
    for (int c = 0; c < k->count; c++)
      for (int i = 0; i < width; i++)
        sum[i] += y[c * width + i] * x[c];
  }
  for (int i = 0; i < width; i++)
    own[i] = sum[i];
}

FLY_WIDE void fly_envelope_add(const fly_envelope *s, double *r, const double *p) {
  for (int g = 0; g < s->groups; g++) {
    const int width = width_of(s, g);
    if (width == 2)
      add_group(s, g, r, p, 2);
    else if (width == 4)
      add_group(s, g, r, p, 4);
    else
      add_group(s, g, r, p, 6);
  }
}

INLINED void subtract_group(const fly_envelope *s, int g, double *restrict p, const double *l, const int width) {
  double own[FLY_ENVELOPE_ROWS];
  for (int i = 0; i < width; i++)
    own[i] = l[s->row[g] + i];
  for (const fly_envelope_block *k = &s->blocks[s->block[g]], *end = &s->blocks[s->block[g + 1]]; k < end; k++) {
    const double *restrict y = s->y + k->at;
    double *restrict x = p + k->column;
    for (int c = 0; c < k->count; c++)
      x[c] -= dot(y + c * width, own, width);
  }
}

FLY_WIDE void fly_envelope_subtract_transposed(const fly_envelope *s, double *p, const double *l) {
  for (int g = 0; g < s->groups; g++) {
    const int width = width_of(s, g);
    if (width == 2)
      subtract_group(s, g, p, l, 2);
    else if (width == 4)
      subtract_group(s, g, p, l, 4);
    else
      subtract_group(s, g, p, l, 6);
  }
}
