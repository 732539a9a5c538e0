#include "sparse/panels.h"

#include <string.h>

#include "base/wide.h"

enum { WIDEST = FLY_PANELS_WIDEST };
static const double PADDING = 1.3; // values of a panel, zeros included, over those of its vectors

// ---------------------------------------------------------------------------------- building

// The union of two ascending lists, beyond `after`, into out; its length.
static int unite(int *out, const int *a, int na, const int *b, int nb, int after) {
  int n = 0, i = 0, j = 0;
  while (i < na || j < nb) {
    int next = j >= nb || (i < na && a[i] <= b[j]) ? a[i] : b[j];
    i += i < na && a[i] == next;
    j += j < nb && b[j] == next;
    if (next > after)
      out[n++] = next;
  }
  return n;
}

typedef struct builder {
  const int *start, *index;
  int *list[2]; // the open panel's indices, and room for the next union (n)
  int now, length;
  int width;
  double entries; // of its vectors
} builder;

static void open_panel(builder *b, int k) {
  b->length = b->start[k + 1] - b->start[k];
  memcpy(b->list[b->now], b->index + b->start[k], (size_t)b->length * sizeof(int));
  b->width = 1;
  b->entries = b->length;
}

// Takes vector k into the open panel if that does not pad it too much.
static bool extend_panel(builder *b, int k) {
  int own = b->start[k + 1] - b->start[k];
  if (b->width == WIDEST)
    return false;
  int length = unite(b->list[!b->now], b->list[b->now], b->length, b->index + b->start[k], own, k);
  int width = b->width + 1;
  double entries = b->entries + own, padded = (double)length * width + 0.5 * width * (width - 1);
  if (padded > PADDING * entries + 2)
    return false;
  b->now = !b->now;
  b->length = length;
  b->width = width;
  b->entries = entries;
  return true;
}

static void close_panel(fly_panels *f, const builder *b, int end) {
  int p = f->count++, width = b->width;
  memcpy(f->index + f->index_start[p], b->list[b->now], (size_t)b->length * sizeof(int));
  f->index_start[p + 1] = f->index_start[p] + b->length;
  f->value_start[p + 1] = f->value_start[p] + fly_triangle(width) + width * b->length;
  f->first[p + 1] = end;
  for (int k = end - width; k < end; k++)
    f->panel_of[k] = p;
}

static void find_panels(fly_panels *f, builder *b) {
  open_panel(b, 0);
  for (int k = 1; k <= f->n; k++) {
    if (k < f->n && extend_panel(b, k))
      continue;
    close_panel(f, b, k);
    if (k < f->n)
      open_panel(b, k);
  }
}

// The indices, whose number is known only now, without the room for those the vectors had one by one; and the values.
static void fit(fly_panels *f) {
  const size_t count = (size_t)f->index_start[f->count];
  int *index = fly_arena_ints(&f->memory, count + 1);
  f->value = fly_arena_doubles(&f->memory, (size_t)f->value_start[f->count] + 1);
  if (index)
    memcpy(index, f->index, count * sizeof *index);
  f->index = index;
}

bool fly_panels_build(fly_panels *f, int n, const int *start, const int *index) {
  const size_t size = (size_t)n + 1;
  fly_arena work = {0};
  builder b = {.start = start, .index = index, .list = {fly_arena_ints(&work, size), fly_arena_ints(&work, size)}};
  *f = (fly_panels){.n = n};
  f->first = fly_arena_ints(&f->memory, size);
  f->index_start = fly_arena_ints(&f->memory, size);
  f->value_start = fly_arena_ints(&f->memory, size);
  f->panel_of = fly_arena_ints(&f->memory, size);
  f->index = fly_arena_ints(&work, (size_t)start[n] + 1);
  if (!work.failed && !f->memory.failed) {
    find_panels(f, &b);
    fit(f);
  }
  const bool fine = !work.failed && !f->memory.failed;
  fly_arena_free(&work);
  if (!fine)
    fly_panels_free(f);
  return fine;
}

void fly_panels_free(fly_panels *f) {
  fly_arena_free(&f->memory);
  *f = (fly_panels){0};
}

// ---------------------------------------------------------------------------------- values

double *fly_panels_at(fly_panels *f, int k, int index, int *hint) {
  int p = f->panel_of[k], width = f->first[p + 1] - f->first[p], own = k - f->first[p];
  double *value = f->value + f->value_start[p];
  if (index < f->first[p + 1])
    return value + fly_triangle(index - f->first[p]) + own;
  const int *list = f->index + f->index_start[p];
  while (list[*hint] < index)
    ++*hint;
  return value + fly_triangle(width) + width * *hint + own;
}

// ---------------------------------------------------------------------------------- solving

// Both are written for one width, so that the compiler unrolls them. The triangle holds value (i, k) of vector k at
// index first + i in row i.
FLY_INLINED void forward(const double *value, const int *index, int length, double *own, double *x, int width) {
  double y[WIDEST];
  y[0] = own[0];
  for (int i = 1; i < width; i++) {
    y[i] = own[i];
    for (int k = 0; k < i; k++)
      y[i] -= value[fly_triangle(i) + k] * y[k];
    own[i] = y[i];
  }
  const double *row = value + fly_triangle(width);
  FLY_UNROLLED(2)
  for (int r = 0; r < length; r++, row += width) {
    double sum = row[0] * y[0];
    for (int k = 1; k < width; k++)
      sum += row[k] * y[k];
    x[index[r]] -= sum;
  }
}

FLY_INLINED void backward(const double *value, const int *index, int length, double *own, double *x, int width) {
  double y[WIDEST];
  for (int k = 0; k < width; k++)
    y[k] = own[k];
  const double *row = value + fly_triangle(width);
  FLY_UNROLLED(2)
  for (int r = 0; r < length; r++, row += width) {
    double xr = x[index[r]];
    for (int k = 0; k < width; k++)
      y[k] -= row[k] * xr;
  }
  for (int i = width - 1; i >= 0; i--) {
    for (int k = i + 1; k < width; k++)
      y[i] -= value[fly_triangle(k) + i] * y[k];
    own[i] = y[i];
  }
}

typedef void solve_panel(const double *value, const int *index, int length, double *own, double *x, int width);

// With the width as a number the compiler unrolls the loops over it.
#define OF_WIDTH(width)                                                                                                \
  case width:                                                                                                          \
    solve(value, index, length, own, x, width);                                                                        \
    break;
FLY_INLINED void dispatch(const fly_panels *f, int p, double *x, solve_panel *solve) {
  const double *value = f->value + f->value_start[p];
  const int *index = f->index + f->index_start[p];
  const int length = f->index_start[p + 1] - f->index_start[p];
  double *own = x + f->first[p];
  switch (f->first[p + 1] - f->first[p]) {
    OF_WIDTH(1)
    OF_WIDTH(2)
    OF_WIDTH(3)
    OF_WIDTH(4)
    OF_WIDTH(5)
  default:
    solve(value, index, length, own, x, WIDEST);
    break;
  }
}

FLY_WIDE void fly_panels_forward(const fly_panels *f, double *x) {
  for (int p = 0; p < f->count; p++)
    dispatch(f, p, x, forward);
}

FLY_WIDE void fly_panels_backward(const fly_panels *f, double *x) {
  for (int p = f->count - 1; p >= 0; p--)
    dispatch(f, p, x, backward);
}
