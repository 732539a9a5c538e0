// The numbers. What is found once from the pattern: fronts_order.c.
#include "sparse/fronts.h"

#include <math.h>
#include <string.h>

#include "base/wide.h"

static int border_of(const fly_fronts *f, int s) { return f->lower.index_start[s + 1] - f->lower.index_start[s]; }

// ---------------------------------------------------------------------------------- assembling

// What child c left is added where its border stands in the front of m rows.
static void add_child(const fly_fronts *f, int c, const double *left, int m) {
  const int r = border_of(f, c), *place = f->relative + f->lower.index_start[c];
  for (int i = 0; i < r; i++, left += r) {
    double *row = f->front + (size_t)place[i] * (size_t)m;
    for (int j = 0; j < r; j++)
      row[place[j]] += left[j];
  }
}

// The entries of A, and what the children left; the top of the stack without that.
static double *assemble(fly_fronts *f, const double *value, int s, int m, double *top) {
  memset(f->front, 0, (size_t)m * (size_t)m * sizeof *f->front);
  for (int e = f->entry_start[s]; e < f->entry_start[s + 1]; e++)
    f->front[f->entry_place[e]] = value[f->entry[e]];
  for (int k = f->child_start[s + 1] - 1; k >= f->child_start[s]; k--) {
    const size_t r = (size_t)border_of(f, f->child[k]);
    top -= r * r;
    add_child(f, f->child[k], top, m);
  }
  return top;
}

// ---------------------------------------------------------------------------------- eliminating

// All of these are written for one width w, so that the compiler unrolls them and keeps rows of L in registers. F: the
// front, m columns in a row, of which the first w are pivots; U begins behind them.

// The first `done` values of a row become its row of L, and those behind them what is left of it.
FLY_INLINED void eliminate_row(double *l, const double *F, int m, const double *inverse, int done, int w) {
  FLY_UNROLLED(8)
  for (int k = 0; k < done; k++) {
    l[k] *= inverse[k];
    FLY_UNROLLED(8)
    for (int j = k + 1; j < w; j++)
      l[j] -= l[k] * F[k * m + j];
  }
}

// What is left of a row of r values behind the pivots, whose row of L has `done`: in place.
FLY_INLINED void subtract_pivots(double *restrict row, const double *restrict U, int m, const double *l, int r,
                                 int done) {
  for (int j = 0; j < r; j++) {
    double sum = row[j];
    for (int k = 0; k < done; k++)
      sum -= l[k] * U[k * m + j];
    row[j] = sum;
  }
}

// The same of two rows, which share what they read of U.
FLY_INLINED void reduce_rows(double *restrict out, double *restrict other, const double *row, const double *next,
                             const double *restrict U, int m, const double *l, const double *second_l, int r, int w) {
  for (int j = 0; j < r; j++) {
    double sum = row[j], second = next[j];
    for (int k = 0; k < w; k++) {
      const double u = U[k * m + j];
      sum -= l[k] * u;
      second -= second_l[k] * u;
    }
    out[j] = sum;
    other[j] = second;
  }
}

// Rows of the pivots: U, and L below the diagonal of the square.
FLY_INLINED void eliminate_square(double *F, int m, double *inverse, int r, int w) {
  FLY_UNROLLED(8)
  for (int i = 0; i < w; i++) {
    double *row = F + (ptrdiff_t)i * m, l[FLY_PANELS_WIDEST];
    for (int k = 0; k < w; k++)
      l[k] = row[k];
    eliminate_row(l, F, m, inverse, i, w);
    for (int k = 0; k < w; k++)
      row[k] = l[k];
    inverse[i] = 1 / l[i];
    if (i > 0)
      subtract_pivots(row + w, F + w, m, l, r, i);
  }
}

// The triangles, then a row of w values for every index of the border: L, and D^-1 U by columns. size: what the pivots
// that are eliminated here, and the diagonals of the border, are the sum of.
FLY_INLINED void put_square(const double *F, int m, const double *inverse, double *lower, double *upper, double *size,
                            int w) {
  FLY_UNROLLED(8)
  for (int i = 1; i < w; i++) {
    FLY_UNROLLED(8)
    for (int k = 0; k < i; k++) {
      const double l = F[i * m + k], u = F[k * m + i];
      lower[fly_triangle(i) + k] = l;
      upper[fly_triangle(i) + k] = u * inverse[k];
      size[i] += fabs(l * u);
    }
  }
}

// Row i of the border: its row of L, and column i of D^-1 U; what its diagonal is the sum of.
FLY_INLINED double put_row(const double *F, int m, const double *inverse, double *l, int i, double *restrict lower,
                           double *restrict upper, int w) {
  const double *row = F + (ptrdiff_t)(w + i) * m, *column = F + w + i;
  double sum = 0;
  for (int k = 0; k < w; k++)
    l[k] = row[k];
  eliminate_row(l, F, m, inverse, w, w);
  for (int k = 0; k < w; k++) {
    const double u = column[k * m];
    lower[k] = l[k];
    upper[k] = u * inverse[k];
    sum += fabs(l[k] * u);
  }
  return sum;
}

FLY_INLINED void eliminate(fly_fronts *f, int s, int r, double *left, int w) {
  const int m = w + r, first = f->lower.first[s], start = f->lower.value_start[s];
  const int *index = f->lower.index + f->lower.index_start[s];
  double *F = f->front, *inverse = f->scale + first, *lower = f->lower.value + start, *upper = f->upper.value + start;
  eliminate_square(F, m, inverse, r, w);
  put_square(F, m, inverse, lower, upper, f->size + first, w);
  lower += fly_triangle(w);
  upper += fly_triangle(w);
  double own[FLY_PANELS_WIDEST], l[FLY_PANELS_WIDEST], second[FLY_PANELS_WIDEST];
  for (int k = 0; k < w; k++)
    own[k] = inverse[k];
  int i = 0;
  const double *row = F + (ptrdiff_t)w * m + w;
  for (; i + 1 < r; i += 2, row += 2 * (ptrdiff_t)m, left += 2 * (ptrdiff_t)r, lower += 2 * w, upper += 2 * w) {
    f->size[index[i]] += put_row(F, m, own, l, i, lower, upper, w);
    f->size[index[i + 1]] += put_row(F, m, own, second, i + 1, lower + w, upper + w, w);
    reduce_rows(left, left + r, row, row + m, F + w, m, l, second, r, w);
  }
  if (i < r) {
    f->size[index[i]] += put_row(F, m, own, l, i, lower, upper, w);
    memcpy(left, row, (size_t)r * sizeof *left);
    subtract_pivots(left, F + w, m, l, r, w);
  }
}

// With the width as a number the compiler unrolls the loops over it.
#define OF_WIDTH(w)                                                                                                    \
  case w:                                                                                                              \
    eliminate(f, s, r, left, w);                                                                                       \
    break;
FLY_WIDE static void eliminate_front(fly_fronts *f, int s, int r, double *left) {
  switch (f->lower.first[s + 1] - f->lower.first[s]) {
    OF_WIDTH(1)
    OF_WIDTH(2)
    OF_WIDTH(3)
    OF_WIDTH(4)
    OF_WIDTH(5)
  default:
    eliminate(f, s, r, left, FLY_PANELS_WIDEST);
    break;
  }
}

// A pivot d = a - sum of l u: rounding errors of what it is made of, over it. Scaling rows or columns changes nothing.
static double digits_lost(const fly_fronts *f, int s) {
  double most = 0;
  for (int k = f->lower.first[s]; k < f->lower.first[s + 1]; k++) {
    const double lost = f->size[k] * fabs(f->scale[k]);
    if (!(lost <= most))
      most = isnan(lost) ? (double)INFINITY : lost;
  }
  return most;
}

double fly_fronts_factor(fly_fronts *f, const double *value, double most) {
  double *top = f->stack, lost = 0;
  for (int k = 0; k < f->n; k++)
    f->size[k] = f->diagonal[k] >= 0 ? fabs(value[f->diagonal[k]]) : 0.0;
  for (int s = 0; s < f->count; s++) {
    const int r = border_of(f, s), m = f->lower.first[s + 1] - f->lower.first[s] + r;
    top = assemble(f, value, s, m, top);
    eliminate_front(f, s, r, top);
    top += (size_t)r * (size_t)r;
    lost = fmax(lost, digits_lost(f, s));
    if (!(lost <= most))
      return lost;
  }
  return lost;
}

// ---------------------------------------------------------------------------------- solving

void fly_fronts_solve(fly_fronts *f, double *b, bool transposed) {
  const fly_panels *first = transposed ? &f->upper : &f->lower, *second = transposed ? &f->lower : &f->upper;
  for (int k = 0; k < f->n; k++)
    f->x[k] = b[f->order[k]];
  fly_panels_forward(first, f->x);
  for (int k = 0; k < f->n; k++)
    f->x[k] *= f->scale[k];
  fly_panels_backward(second, f->x);
  for (int k = 0; k < f->n; k++)
    b[f->order[k]] = f->x[k];
}

long fly_fronts_entries(const fly_fronts *f) { return 2L * f->lower.value_start[f->count] + f->n; }
