// The numbers of an envelope. Loops over the rows of a group have one of six lengths that the compiler knows, several
// rows to an instruction. A group with an odd number of rows has a row of zeros more, and takes of a vector one number
// more, with which nothing is done: so vectors have room for one.
#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "sparse/envelope.h"
#include "sparse/lanes.h"

INLINED int rows_of(const fly_envelope *s, int g) { return s->row[g + 1] - s->row[g]; }

void fly_envelope_set(fly_envelope *s, int nnz, const double *val, const double *by) {
  for (int k = 0; k < nnz; k++)
    s->y[s->entry[k]] = val[k] * by[k];
}

// ---------------------------------------------------------------------------------- S

// Both blocks have `count` columns.
INLINED void multiply_columns(double *to, const double *left, const double *right, const int rows, bool first,
                              const int count, const int width) {
  const int step = padded(rows);
  for (int j = 0; j < rows; j++) {
    lanes sum = {{0}, {0}};
    if (!first)
      load(&sum, to + j * width, width);
    for (int k = 0; k < count; k++)
      add_times(&sum, left + k * width, right[k * step + j], width);
    store(to + j * width, &sum, width);
  }
}

INLINED void multiply_pair(const fly_envelope *s, const fly_envelope_pair *p, const int own) {
  const fly_envelope_block *a = &s->blocks[p->row], *b = &s->blocks[p->col];
  const int rows = rows_of(s, b->group), width = padded(own);
  const double *left = s->y + a->at, *right = s->y + b->at;
  double *to = s->value + p->at;
  if (a->count == 6 && rows == own) // a body in space
    multiply_columns(to, left, right, own, p->first, 6, width);
  else if (a->count == 3 && rows == own) // in the plane
    multiply_columns(to, left, right, own, p->first, 3, width);
  else
    multiply_columns(to, left, right, rows, p->first, a->count, width);
}

INLINED void multiply(const fly_envelope *s) {
  for (int k = 0; k < s->gaps; k++)
    memset(s->value + s->gap[k].at, 0, (size_t)s->gap[k].count * sizeof *s->value);
  for (int k = 0; k < s->pairs; k++) {
    const fly_envelope_pair *p = &s->pair[k];
    BY_ROWS(rows_of(s, s->blocks[p->row].group), multiply_pair, s, p);
  }
}

// ---------------------------------------------------------------------------------- L

// Columns of group h, which has `others` rows, in the rows of another, whose columns begin with `first`:
// X = (S - sum of what lies before) L_h^-T.
INLINED void eliminate_group(const fly_envelope *s, double *own, int first, int h, const int others, const int width) {
  const int begin = s->row[s->reach[h]], from = begin > first ? begin : first, step = padded(others);
  const double *other = s->value + s->start[h] + (from - begin) * step, *before = own + (from - first) * width;
  double *x = own + (s->row[h] - first) * width;
  const int n = s->row[h] - from;
  for (int j = 0; j < others; j++) {
    lanes sum;
    load(&sum, x + j * width, width);
    for (int k = 0; k < n; k++)
      add_times(&sum, before + k * width, -other[k * step + j], width);
    for (int k = 0; k < j; k++)
      add_times(&sum, x + k * width, -other[(n + k) * step + j], width);
    scale(&sum, other[(n + j) * step + j], width);
    store(x + j * width, &sum, width);
  }
}

// The diagonal block without what lies before it.
INLINED void subtract_squares(lanes *d, const double *own, int n, const int rows) {
  const int width = padded(rows);
  for (int k = 0; k < n; k++, own += width)
    for (int c = 0; c < rows; c++)
      add_times(&d[c], own, -own[c], width);
}

// Its factor L, column by column, where a pivot is more than `smallest` of its entry; the reciprocals of its diagonal
// are kept. What is above the diagonal is never used.
INLINED bool factor_block(double *x, double smallest, const double *entry, const int rows) {
  const int width = padded(rows);
  for (int c = 0; c < rows; c++) {
    double *own = x + c * width;
    const double pivot = own[c], reciprocal = 1 / sqrt(pivot);
    if (!(pivot > smallest * entry[c]) || !isfinite(pivot))
      return false;
    lanes column;
    load(&column, own, width);
    scale(&column, reciprocal, width);
    store(own, &column, width);
    for (int j = c + 1; j < rows; j++) {
      lanes later;
      load(&later, x + j * width, width);
      add_times(&later, own, -own[j], width);
      store(x + j * width, &later, width);
    }
    own[c] = reciprocal;
  }
  return true;
}

INLINED bool eliminate(const fly_envelope *s, int g, double smallest, const int rows) {
  const int first = s->row[s->reach[g]], width = padded(rows), before = s->row[g] - first;
  double *own = s->value + s->start[g], *x = own + before * width, entry[FLY_ENVELOPE_ROWS];
  lanes d[FLY_ENVELOPE_ROWS];
  for (int h = s->reach[g]; h < g; h++)
    if (rows_of(s, h) == rows)
      eliminate_group(s, own, first, h, rows, width);
    else
      eliminate_group(s, own, first, h, rows_of(s, h), width);
  for (int c = 0; c < rows; c++) {
    entry[c] = x[c * width + c];
    load(&d[c], x + c * width, width);
  }
  subtract_squares(d, own, before, rows);
  for (int c = 0; c < rows; c++)
    store(x + c * width, &d[c], width);
  return factor_block(x, smallest, entry, rows);
}

FLY_WIDE bool fly_envelope_factor(fly_envelope *s, double smallest) {
  multiply(s);
  for (int g = 0; g < s->groups; g++)
    if (!BY_ROWS(rows_of(s, g), eliminate, s, g, smallest))
      return false;
  return true;
}

// ---------------------------------------------------------------------------------- L L^T x = b

INLINED void forward(const fly_envelope *s, int g, double *x, const int rows) {
  const int first = s->row[s->reach[g]], at = s->row[g], width = padded(rows);
  const double *own = s->value + s->start[g], *diagonal = own + (at - first) * width;
  double sum[FLY_ENVELOPE_ROWS];
  lanes all;
  load(&all, x + at, width);
  for (int k = 0; k < at - first; k++)
    add_times(&all, own + k * width, -x[first + k], width);
  store(sum, &all, width);
  for (int c = 0; c < rows; c++) {
    for (int i = 0; i < c; i++)
      sum[c] -= diagonal[i * width + c] * sum[i];
    x[at + c] = sum[c] *= diagonal[c * width + c];
  }
}

INLINED void backward(const fly_envelope *s, int g, double *x, const int rows) {
  const int first = s->row[s->reach[g]], at = s->row[g], width = padded(rows);
  const double *own = s->value + s->start[g], *diagonal = own + (at - first) * width;
  double y[FLY_ENVELOPE_ROWS] = {0};
  lanes all;
  for (int c = rows - 1; c >= 0; c--) {
    y[c] = x[at + c];
    for (int i = c + 1; i < rows; i++)
      y[c] -= diagonal[c * width + i] * y[i];
    x[at + c] = y[c] *= diagonal[c * width + c];
  }
  load(&all, y, width);
  for (int k = 0; k < at - first; k++)
    x[first + k] -= dot(own + k * width, &all, width);
}

FLY_WIDE void fly_envelope_solve(const fly_envelope *s, double *x) {
  for (int g = 0; g < s->groups; g++)
    BY_ROWS(rows_of(s, g), forward, s, g, x);
  for (int g = s->groups - 1; g >= 0; g--)
    BY_ROWS(rows_of(s, g), backward, s, g, x);
}

// ---------------------------------------------------------------------------------- products with Y

INLINED void add_block(lanes *sum, const double *y, const double *x, const int count, const int width) {
  for (int c = 0; c < count; c++)
    add_times(sum, y + c * width, x[c], width);
}

INLINED void add_group(const fly_envelope *s, int g, double *restrict r, const double *restrict p, const int rows) {
  const int width = padded(rows);
  lanes sum;
  load(&sum, r + s->row[g], width);
  for (const fly_envelope_block *k = &s->blocks[s->block[g]], *end = &s->blocks[s->block[g + 1]]; k < end; k++)
    if (k->count == 6)
      add_block(&sum, s->y + k->at, p + k->column, 6, width);
    else if (k->count == 3)
      add_block(&sum, s->y + k->at, p + k->column, 3, width);
    else
      add_block(&sum, s->y + k->at, p + k->column, k->count, width);
  store(r + s->row[g], &sum, width);
}

FLY_WIDE void fly_envelope_add(const fly_envelope *s, double *r, const double *p) {
  for (int g = 0; g < s->groups; g++)
    BY_ROWS(rows_of(s, g), add_group, s, g, r, p);
}

INLINED void subtract_block(double *restrict x, const double *restrict y, const lanes *own, const int count,
                            const int width) {
  for (int c = 0; c < count; c++)
    x[c] -= dot(y + c * width, own, width);
}

INLINED void subtract_group(const fly_envelope *s, int g, double *restrict p, const double *l, const int rows) {
  const int width = padded(rows);
  lanes own;
  load(&own, l + s->row[g], width);
  for (const fly_envelope_block *k = &s->blocks[s->block[g]], *end = &s->blocks[s->block[g + 1]]; k < end; k++)
    if (k->count == 6)
      subtract_block(p + k->column, s->y + k->at, &own, 6, width);
    else if (k->count == 3)
      subtract_block(p + k->column, s->y + k->at, &own, 3, width);
    else
      subtract_block(p + k->column, s->y + k->at, &own, k->count, width);
}

FLY_WIDE void fly_envelope_subtract_transposed(const fly_envelope *s, double *p, const double *l) {
  for (int g = 0; g < s->groups; g++)
    BY_ROWS(rows_of(s, g), subtract_group, s, g, p, l);
}
