// The numbers. What is found once from the pattern: fronts_order.c.
#include "sparse/fronts.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------- assembling

// What child c left is added where its border stands in the front of m rows.
static void add_child(const fly_fronts *f, int c, const double *left, int m) {
  const int r = fly_front_border(f, c), *place = f->relative + f->lower.index_start[f->panel[c + 1] - 1];
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
    const size_t r = (size_t)fly_front_border(f, f->child[k]);
    top -= r * r;
    add_child(f, f->child[k], top, m);
  }
  return top;
}

// ---------------------------------------------------------------------------------- eliminating

// All of these are written for one width w, so that the compiler unrolls them. F: the front, m columns in a row.

// Rows of the pivots: U, and L below the diagonal of the square.
FLY_INLINED void eliminate_square(double *F, int m, double *inverse, int w) {
  for (int k = 0; k < w; k++) {
    inverse[k] = 1 / F[k * m + k];
    for (int i = k + 1; i < w; i++) {
      double *row = F + (ptrdiff_t)i * m;
      const double *pivot = F + (ptrdiff_t)k * m, l = row[k] * inverse[k];
      row[k] = l;
      for (int j = k + 1; j < m; j++)
        row[j] -= l * pivot[j];
    }
  }
}

// A row of the border becomes its row of L.
FLY_INLINED void eliminate_row(const double *F, int m, const double *inverse, double *row, int w) {
  for (int k = 0; k < w; k++) {
    row[k] *= inverse[k];
    for (int j = k + 1; j < w; j++)
      row[j] -= row[k] * F[k * m + j];
  }
}

// What is left of a row of the border: r values behind its w of L.
FLY_INLINED void reduce_row(double *restrict out, const double *F, int m, const double *row, int r, int w) {
  const double *restrict U = F + w;
  for (int j = 0; j < r; j++) {
    double sum = row[w + j];
    for (int k = 0; k < w; k++)
      sum -= row[k] * U[k * m + j];
    out[j] = sum;
  }
}

// The same of two rows, which share what they read of U.
FLY_INLINED void reduce_rows(double *restrict out, double *restrict other, const double *F, int m, const double *row,
                             int r, int w) {
  const double *restrict U = F + w, *next = row + m;
  for (int j = 0; j < r; j++) {
    double sum = row[w + j], second = next[w + j];
    for (int k = 0; k < w; k++) {
      const double u = U[k * m + j];
      sum -= row[k] * u;
      second -= next[k] * u;
    }
    out[j] = sum;
    other[j] = second;
  }
}

// The triangles, then a row of w values for every index of the border: L, and D^-1 U by columns. size: what the pivots
// that are eliminated here, and the diagonals of the border, are the sum of.
FLY_INLINED void put_square(const double *F, int m, const double *inverse, double *lower, double *upper, double *size,
                            int w) {
  for (int i = 1; i < w; i++)
    for (int k = 0; k < i; k++) {
      const double l = F[i * m + k], u = F[k * m + i];
      lower[fly_triangle(i) + k] = l;
      upper[fly_triangle(i) + k] = u * inverse[k];
      size[i] += fabs(l * u);
    }
}

FLY_INLINED double put_row(const double *F, int m, const double *inverse, const double *row, int i, double *lower,
                           double *upper, int w) {
  double sum = 0;
  for (int k = 0; k < w; k++) {
    const double u = F[k * m + w + i];
    lower[k] = row[k];
    upper[k] = u * inverse[k];
    sum += fabs(row[k] * u);
  }
  return sum;
}

FLY_INLINED void eliminate(fly_fronts *f, int p, int r, double *left, int w) {
  const int m = w + r, first = f->lower.first[p], start = f->lower.value_start[p];
  const int *index = f->lower.index + f->lower.index_start[p];
  double *F = f->front, *inverse = f->scale + first, *lower = f->lower.value + start, *upper = f->upper.value + start;
  eliminate_square(F, m, inverse, w);
  put_square(F, m, inverse, lower, upper, f->size + first, w);
  lower += fly_triangle(w);
  upper += fly_triangle(w);
  for (int i = 0; i < r; i++, lower += w, upper += w) {
    double *row = F + (ptrdiff_t)(w + i) * m;
    eliminate_row(F, m, inverse, row, w);
    f->size[index[i]] += put_row(F, m, inverse, row, i, lower, upper, w);
  }
  int i = 0;
  for (const double *row = F + (ptrdiff_t)w * m; i + 1 < r; i += 2, row += 2 * (ptrdiff_t)m)
    reduce_rows(left + (ptrdiff_t)i * r, left + (ptrdiff_t)(i + 1) * r, F, m, row, r, w);
  if (i < r)
    reduce_row(left + (ptrdiff_t)i * r, F, m, F + (ptrdiff_t)(w + i) * m, r, w);
}

// Panel p of a front of m rows that is eliminated in whole; it begins `at` rows and columns behind the front's first.
FLY_INLINED void put_panel(fly_fronts *f, int p, int m, int at, int w) {
  const int first = f->lower.first[p], start = f->lower.value_start[p], r = fly_panel_border(&f->lower, p);
  const int *index = f->lower.index + f->lower.index_start[p];
  const double *F = f->front + (ptrdiff_t)at * (m + 1), *inverse = f->scale + first;
  double *lower = f->lower.value + start, *upper = f->upper.value + start;
  put_square(F, m, inverse, lower, upper, f->size + first, w);
  lower += fly_triangle(w);
  upper += fly_triangle(w);
  for (int i = 0; i < r; i++, lower += w, upper += w)
    f->size[index[i]] += put_row(F, m, inverse, F + (ptrdiff_t)(w + i) * m, i, lower, upper, w);
}

// With the width as a number the compiler unrolls the loops over it.
#define OF_WIDTH(width, call)                                                                                          \
  switch (width) {                                                                                                     \
  case 1:                                                                                                              \
    call(1);                                                                                                           \
    break;                                                                                                             \
  case 2:                                                                                                              \
    call(2);                                                                                                           \
    break;                                                                                                             \
  case 3:                                                                                                              \
    call(3);                                                                                                           \
    break;                                                                                                             \
  case 4:                                                                                                              \
    call(4);                                                                                                           \
    break;                                                                                                             \
  case 5:                                                                                                              \
    call(5);                                                                                                           \
    break;                                                                                                             \
  default:                                                                                                             \
    call(FLY_PANELS_WIDEST);                                                                                           \
    break;                                                                                                             \
  }

static void eliminate_panel(fly_fronts *f, int p, int r, double *left) {
#define ELIMINATE(w) eliminate(f, p, r, left, w)
  OF_WIDTH(f->lower.first[p + 1] - f->lower.first[p], ELIMINATE)
#undef ELIMINATE
}

static void keep_panel(fly_fronts *f, int p, int m, int at) {
#define PUT(w) put_panel(f, p, m, at, w)
  OF_WIDTH(f->lower.first[p + 1] - f->lower.first[p], PUT)
#undef PUT
}

// One of several panels.
static void eliminate_wide(fly_fronts *f, int s, int r, double *left) {
  const int w = fly_front_width(f, s), m = w + r, first = fly_front_first(f, s);
  fly_front_eliminate(f->front, m, w, f->scale + first);
  for (int p = f->panel[s]; p < f->panel[s + 1]; p++)
    keep_panel(f, p, m, f->lower.first[p] - first);
  for (int i = 0; i < r; i++)
    memcpy(left + (size_t)i * (size_t)r, f->front + (size_t)(w + i) * (size_t)m + w, (size_t)r * sizeof *left);
}

static void eliminate_front(fly_fronts *f, int s, int r, double *left) {
  if (f->panel[s + 1] - f->panel[s] == 1)
    eliminate_panel(f, f->panel[s], r, left);
  else
    eliminate_wide(f, s, r, left);
}

// A pivot d = a - sum of l u: rounding errors of what it is made of, over it. Scaling rows or columns changes nothing.
static double digits_lost(const fly_fronts *f, int s) {
  double most = 0;
  for (int k = fly_front_first(f, s); k < fly_front_end(f, s); k++) {
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
    const int r = fly_front_border(f, s), m = fly_front_width(f, s) + r;
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

long fly_fronts_entries(const fly_fronts *f) { return 2L * f->lower.value_start[f->lower.count] + f->n; }
