#include "sparse/envelope.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// ---------------------------------------------------------------------------------- order

// Rows of Y that meet in a column are neighbours.
typedef struct graph {
  const fly_csc *y;
  fly_csc turned; // Y^T, for its columns
  int *seen;      // round of the search that came by last (n)
  int *queue;     // (n)
  int round;
} graph;

static fly_status turn(fly_csc *out, const fly_csc *y, fly_error *error) {
  fly_arena work = {0};
  const size_t nnz = (size_t)fly_csc_nnz(y) + 1;
  fly_entries e = {0, fly_arena_ints(&work, nnz), fly_arena_ints(&work, nnz)};
  fly_status status = work.failed ? FLY_NO_MEMORY : FLY_OK;
  for (int j = 0; j < y->cols && status == FLY_OK; j++)
    for (int k = y->start[j]; k < y->start[j + 1]; k++)
      fly_entries_add(&e, j, y->row[k]);
  if (status == FLY_OK)
    status = fly_csc_from_entries(out, y->cols, y->rows, e.count, e.row, e.col, NULL, error);
  fly_arena_free(&work);
  return status;
}

// Rows in the order in which a search from one of them meets them, into `queue`; how many.
static int search(graph *g, int from, int *queue) {
  int count = 1;
  queue[0] = from;
  g->seen[from] = ++g->round;
  for (int next = 0; next < count; next++)
    for (int c = g->turned.start[queue[next]]; c < g->turned.start[queue[next] + 1]; c++) {
      const int j = g->turned.row[c];
      for (int k = g->y->start[j]; k < g->y->start[j + 1]; k++)
        if (g->seen[g->y->row[k]] < g->round) {
          g->seen[g->y->row[k]] = g->round;
          queue[count++] = g->y->row[k];
        }
    }
  return count;
}

// Of each part of the graph: from a row at one of its ends.
static void order_rows(graph *g, int n, int *place) {
  memset(place, -1, (size_t)n * sizeof *place);
  for (int i = 0, done = 0; i < n; i++) {
    if (place[i] >= 0)
      continue;
    int count = search(g, i, g->queue);
    for (int again = 0; again < 2; again++)
      count = search(g, g->queue[count - 1], g->queue);
    for (int k = 0; k < count; k++)
      place[g->queue[k]] = done++;
  }
}

// ---------------------------------------------------------------------------------- shape

// first for an order; the length of all rows.
static long find_first(const fly_csc *y, const int *place, int *first, int n) {
  long length = 0;
  for (int i = 0; i < n; i++)
    first[i] = i;
  for (int j = 0; j < y->cols; j++)
    for (int a = y->start[j]; a < y->start[j + 1]; a++)
      for (int b = y->start[j]; b < y->start[j + 1]; b++) {
        const int row = place[y->row[a]], col = place[y->row[b]];
        if (col < first[row])
          first[row] = col;
      }
  for (int i = 0; i < n; i++)
    length += i - first[i] + 1;
  return length;
}

static void find_pairs(fly_envelope *s, const fly_csc *y) {
  int *pair = s->pair;
  for (int j = 0; j < y->cols; j++)
    for (int a = y->start[j]; a < y->start[j + 1]; a++)
      for (int b = y->start[j]; b <= a; b++) {
        const int i = s->place[y->row[a]], k = s->place[y->row[b]], row = i > k ? i : k, col = i > k ? k : i;
        *pair++ = s->start[row] + col - s->first[row];
      }
}

static size_t count_pairs(const fly_csc *y) {
  size_t count = 0;
  for (int j = 0; j < y->cols; j++) {
    const size_t length = (size_t)(y->start[j + 1] - y->start[j]);
    count += length * (length + 1) / 2;
  }
  return count;
}

// The better of two orders: as given, or by a search.
static void choose_order(fly_envelope *s, graph *g) {
  const int n = s->n;
  order_rows(g, n, s->place);
  const long searched = find_first(g->y, s->place, s->first, n);
  for (int i = 0; i < n; i++)
    g->queue[i] = i;
  if (find_first(g->y, g->queue, s->first, n) <= searched)
    memcpy(s->place, g->queue, (size_t)n * sizeof *s->place);
  find_first(g->y, s->place, s->first, n);
  for (int i = 0; i < n; i++) {
    const double length = i - s->first[i] + 1;
    s->start[i + 1] = s->start[i] + (i - s->first[i] + 1);
    s->work += 0.5 * length * length;
  }
}

static fly_status shape(fly_envelope *s, const fly_csc *y, fly_arena *work, fly_error *error) {
  const size_t n = (size_t)s->n, pairs = count_pairs(y);
  graph g = {.y = y, .seen = fly_arena_ints(work, n), .queue = fly_arena_ints(work, n)};
  fly_status status = work->failed || s->memory.failed ? FLY_NO_MEMORY : turn(&g.turned, y, error);
  if (status == FLY_OK) {
    choose_order(s, &g);
    s->work += (double)pairs;
    s->pair = fly_arena_ints(&s->memory, pairs);
    s->value = fly_arena_doubles(&s->memory, (size_t)s->start[n]);
    status = s->memory.failed ? FLY_NO_MEMORY : FLY_OK;
  }
  if (status == FLY_OK)
    find_pairs(s, y);
  fly_csc_free(&g.turned);
  return status;
}

fly_status fly_envelope_create(fly_envelope *s, const fly_csc *y, fly_error *error) {
  const size_t n = (size_t)y->rows;
  fly_arena work = {0};
  *s = (fly_envelope){.n = y->rows};
  s->place = fly_arena_ints(&s->memory, n);
  s->first = fly_arena_ints(&s->memory, n);
  s->start = fly_arena_ints(&s->memory, n + 1);
  s->x = fly_arena_doubles(&s->memory, n);
  const fly_status status = shape(s, y, &work, error);
  fly_arena_free(&work);
  if (status == FLY_NO_MEMORY)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory for a symmetric matrix of %d rows.", y->rows);
  return status;
}

void fly_envelope_free(fly_envelope *s) {
  fly_arena_free(&s->memory);
  *s = (fly_envelope){0};
}

// ---------------------------------------------------------------------------------- numbers

static void multiply(const fly_envelope *s, const fly_csc *y) {
  const int *restrict pair = s->pair;
  const double *restrict val = y->val;
  double *restrict value = s->value;
  memset(value, 0, (size_t)s->start[s->n] * sizeof *value);
  for (int j = 0; j < y->cols; j++)
    for (int first = y->start[j], a = first, end = y->start[j + 1]; a < end; a++) {
      const double x = val[a];
      for (int b = first; b <= a; b++)
        value[*pair++] += x * val[b];
    }
}

// Two sums: neither waits for the other.
static inline double dot(const double *a, const double *b, int n) {
  double one = 0, two = 0;
  int k = 0;
  for (; k + 2 <= n; k += 2) {
    one += a[k] * b[k];
    two += a[k + 1] * b[k + 1];
  }
  return one + two + (k < n ? a[k] * b[k] : 0.0);
}

// Row i of L: L_ij = (S_ij - sum_(k < j) L_ik L_jk)/L_jj, then L_ii = sqrt(S_ii - sum L_ik^2). The pivot L_ii^2.
static double eliminate(const fly_envelope *s, int i) {
  const int own = s->first[i];
  double *row = s->value + s->start[i] - own; // row[k]: column k
  for (int j = own; j < i; j++) {
    const int from = s->first[j] > own ? s->first[j] : own;
    const double *other = s->value + s->start[j] - s->first[j];
    row[j] = (row[j] - dot(row + from, other + from, j - from)) * other[j];
  }
  return row[i] - dot(row + own, row + own, i - own);
}

bool fly_envelope_factor(fly_envelope *s, const fly_csc *y, double smallest) {
  multiply(s, y);
  for (int i = 0; i < s->n; i++) {
    double *end = &s->value[s->start[i + 1] - 1];
    const double entry = *end, pivot = eliminate(s, i);
    if (!(pivot > smallest * entry) || !isfinite(pivot))
      return false;
    *end = 1 / sqrt(pivot);
  }
  return true;
}

void fly_envelope_solve(const fly_envelope *s, double *b) {
  double *x = s->x;
  for (int i = 0; i < s->n; i++)
    x[s->place[i]] = b[i];
  for (int i = 0; i < s->n; i++) {
    const double *row = s->value + s->start[i];
    const int length = i - s->first[i];
    x[i] = (x[i] - dot(row, x + s->first[i], length)) * row[length];
  }
  for (int i = s->n - 1; i >= 0; i--) {
    const double *row = s->value + s->start[i];
    const int first = s->first[i], length = i - first;
    const double xi = x[i] *= row[length];
    for (int k = 0; k < length; k++)
      x[first + k] -= row[k] * xi;
  }
  for (int i = 0; i < s->n; i++)
    b[i] = x[s->place[i]];
}
