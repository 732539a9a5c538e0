// Rank by Gaussian elimination on rows, one after another in their order, A = L U with L unit lower triangular:
//
//   u_i = a_i - sum_k m_ik u_k,   m_ik = (entry of the row so far in the pivot column of u_k) / (pivot of u_k)
//
// over the independent rows k < i in ascending order. A row is dependent if u_i = 0 to tolerance; then a_i = m_i U, and
// with U = L^-1 A its factors over the original rows are c = m_i L^-1, found from the last row back.
// A sparse accumulator holds the row at work, and a heap says which earlier row is next, so that the work is that of
// the entries touched.
//
// In the order given, the rows of a grid, or of a chain that lies badly, fill up. Where they do, it is begun anew with
// the rows in an order in which fill is bounded whatever the pivots are: COLAMD's, of the columns of A^T (Davis,
// Gilbert, Larimore, Ng, ACM TOMS 30 (2004) 353). Inside, rows are numbered in that order. Pivots are then compared in
// units of their columns: of a link of 5 cm the rotations enter joints with 0.025 m, and as pivots of less than a tenth
// would never be taken, although no other row has them.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sparse/sparse.h"

#include <suitesparse/colamd.h>

// Any entry of at least this part of a row's largest may be its pivot: the one whose column has the fewest entries
// below costs the least fill. For a chain of bodies that makes the difference between linear and quadratic work.
static const double pivot_choice = 0.1;
// Entries below this part of their row are what cancellation left: keeping them would only cause fill.
static const double noise = 1e-14;

// So many entries of the factors a given entry, and so many more, are no fill worth another order.
static const size_t fill_most = 10, fill_free = 100000;

// ---------------------------------------------------------------------------------- growing lists

// Sparse vectors one behind another.
typedef struct list {
  int *index;
  double *value;
  size_t count, capacity;
} list;

static bool list_add(list *l, int index, double value) {
  if (l->count == l->capacity) {
    size_t capacity = l->capacity > 0 ? 2 * l->capacity : 64;
    int *grown_index = realloc(l->index, capacity * sizeof *grown_index);
    if (grown_index != NULL)
      l->index = grown_index;
    double *grown_value = realloc(l->value, capacity * sizeof *grown_value);
    if (grown_value != NULL)
      l->value = grown_value;
    if (grown_index == NULL || grown_value == NULL)
      return false;
    l->capacity = capacity;
  }
  l->index[l->count] = index;
  l->value[l->count++] = value;
  return true;
}

static void list_free(list *l) {
  free(l->index);
  free(l->value);
}

// ---------------------------------------------------------------------------------- sparse accumulator

// A vector with a list of the places in use.
typedef struct accumulator {
  double *value; // (n), zero outside `used`
  bool *marked;  // (n)
  int *used;     // (count)
  int count;
} accumulator;

static void accumulator_take(accumulator *s, fly_arena *arena, int n) {
  s->value = fly_arena_doubles(arena, (size_t)n);
  s->marked = fly_arena_take(arena, (size_t)n, sizeof *s->marked);
  s->used = fly_arena_ints(arena, (size_t)n);
}

// Adds x at i. True if i was not in use.
static bool accumulator_add(accumulator *s, int i, double x) {
  s->value[i] += x;
  if (s->marked[i])
    return false;
  s->marked[i] = true;
  s->used[s->count++] = i;
  return true;
}

static void accumulator_clear(accumulator *s) {
  for (int k = 0; k < s->count; k++) {
    s->value[s->used[k]] = 0;
    s->marked[s->used[k]] = false;
  }
  s->count = 0;
}

// ---------------------------------------------------------------------------------- heap

// Binary heap of ints, the smallest first. Capacity is the caller's care.
typedef struct heap {
  int *item;
  int count;
} heap;

static void heap_push(heap *h, int item) {
  int i = h->count++;
  for (; i > 0 && h->item[(i - 1) / 2] > item; i = (i - 1) / 2)
    h->item[i] = h->item[(i - 1) / 2];
  h->item[i] = item;
}

static int heap_pop(heap *h) {
  int top = h->item[0], last = h->item[--h->count], i = 0;
  for (int child = 1; child < h->count; child = 2 * i + 1) {
    if (child + 1 < h->count && h->item[child + 1] < h->item[child])
      child++;
    if (h->item[child] >= last)
      break;
    h->item[i] = h->item[child];
    i = child;
  }
  h->item[i] = last;
  return top;
}

// ---------------------------------------------------------------------------------- the elimination

typedef struct elimination {
  int rows, cols;
  double tolerance;
  bool ordered;    // by COLAMD; else as given
  bool filled;     // given up: another order is better
  fly_arena arena; // the arrays that do not grow
  int *row_of;     // row of A with each number (rows)

  int *start;   // A by rows: first entry of each row (rows + 1) ...
  int *col;     // ... columns (nnz)
  double *val;  // ... values (nnz)
  double *size; // largest entry of each row (rows)
  double *unit; // ordered: largest entry of each column, in which pivots are compared (cols)
  int *below;   // entries of A in each column below the row at work (cols)

  size_t *upper_start; // first entry of u_i, its pivot, in `upper` (rows + 1); none if i is dependent
  size_t *lower_start; // first of the factors m_i in `lower` (rows + 1)
  list upper, lower;
  int *pivot_row; // row whose pivot is in this column, or -1 (cols)

  accumulator row;    // the row at work, over columns
  accumulator factor; // its factors, over rows
  heap next;          // rows to be subtracted yet

  list combination; // the results' support and coefficients
} elimination;

static void elimination_free(elimination *e) {
  list_free(&e->upper);
  list_free(&e->lower);
  list_free(&e->combination);
  fly_arena_free(&e->arena);
}

static bool elimination_take(elimination *e, const fly_csc *a) {
  size_t rows = (size_t)a->rows, cols = (size_t)a->cols, nnz = (size_t)fly_csc_nnz(a);
  fly_arena *arena = &e->arena;
  e->rows = a->rows;
  e->cols = a->cols;
  e->row_of = fly_arena_ints(arena, rows);
  e->start = fly_arena_ints(arena, rows + 1);
  e->col = fly_arena_ints(arena, nnz);
  e->val = fly_arena_doubles(arena, nnz);
  e->size = fly_arena_doubles(arena, rows);
  e->unit = fly_arena_doubles(arena, e->ordered ? cols : 0);
  e->below = fly_arena_ints(arena, cols);
  e->upper_start = fly_arena_take(arena, rows + 1, sizeof *e->upper_start);
  e->lower_start = fly_arena_take(arena, rows + 1, sizeof *e->lower_start);
  e->pivot_row = fly_arena_ints(arena, cols);
  accumulator_take(&e->row, arena, a->cols);
  accumulator_take(&e->factor, arena, a->rows);
  e->next.item = fly_arena_ints(arena, rows);
  return !arena->failed;
}

// A by rows; number[i]: of row i, its place among them.
static void copy_by_rows(elimination *e, const fly_csc *a, const int *number) {
  memset(e->start, 0, ((size_t)e->rows + 1) * sizeof *e->start);
  for (int k = 0; k < fly_csc_nnz(a); k++)
    e->start[number[a->row[k]] + 1]++;
  for (int i = 0; i < e->rows; i++)
    e->start[i + 1] += e->start[i];
  for (int j = 0; j < e->cols; j++) {
    e->below[j] = a->start[j + 1] - a->start[j];
    e->pivot_row[j] = -1;
    for (int k = a->start[j]; k < a->start[j + 1] && e->ordered; k++)
      e->unit[j] = fmax(k > a->start[j] ? e->unit[j] : 0, fabs(a->val[k]));
    for (int k = a->start[j]; k < a->start[j + 1]; k++) {
      int i = number[a->row[k]], to = e->start[i]++;
      e->col[to] = j;
      e->val[to] = a->val[k];
      e->size[i] = fmax(e->size[i], fabs(a->val[k]));
    }
  }
  // The starts have moved to the ends of their rows: back by one row.
  memmove(e->start + 1, e->start, (size_t)e->rows * sizeof *e->start);
  e->start[0] = 0;
}

// The order of the rows that COLAMD finds, as their numbers; they are by rows as given. False: no memory.
static bool find_order(const elimination *e, int *number) {
  const int nnz = e->start[e->rows];
  const size_t length = colamd_recommended(nnz, e->cols, e->rows);
  int statistics[COLAMD_STATS];
  int *work = length > 0 && length <= INT_MAX ? calloc(length, sizeof *work) : NULL;
  int *order = calloc((size_t)e->rows + 1, sizeof *order);
  bool found = work != NULL && order != NULL;
  if (found) {
    memcpy(work, e->col, (size_t)nnz * sizeof *work);
    memcpy(order, e->start, ((size_t)e->rows + 1) * sizeof *order);
    found = colamd(e->cols, e->rows, (int)length, work, order, NULL, statistics) != 0;
  }
  for (int i = 0; i < e->rows && found; i++)
    number[order[i]] = i;
  free(work);
  free(order);
  return found;
}

// The rows in their order. False: no memory.
static bool set_rows(elimination *e, const fly_csc *a) {
  int *number = calloc((size_t)e->rows + 1, sizeof *number);
  if (number == NULL)
    return false;
  for (int i = 0; i < e->rows; i++)
    number[i] = i;
  copy_by_rows(e, a, number);
  bool good = true;
  if (e->ordered) {
    good = find_order(e, number);
    memset(e->size, 0, (size_t)e->rows * sizeof *e->size);
    copy_by_rows(e, a, number);
  }
  for (int i = 0; i < e->rows; i++)
    e->row_of[number[i]] = i;
  free(number);
  return good;
}

// Adds x to the row at work; a column with a pivot, when it first comes in, calls for the row of that pivot.
static void add_to_row(elimination *e, int col, double x) {
  if (accumulator_add(&e->row, col, x) && e->pivot_row[col] >= 0)
    heap_push(&e->next, e->pivot_row[col]);
}

// row -= m u_k
static bool subtract(elimination *e, int i, int k) {
  size_t first = e->upper_start[k];
  int pivot = e->upper.index[first];
  double w = e->row.value[pivot];
  e->row.value[pivot] = 0;
  if (fabs(w) <= noise * e->size[i])
    return true;
  double m = w / e->upper.value[first];
  for (size_t p = first + 1; p < e->upper_start[k + 1]; p++)
    add_to_row(e, e->upper.index[p], -m * e->upper.value[p]);
  return list_add(&e->lower, k, m);
}

// Leaves u_i in the accumulator and m_i at the end of `lower`. u_k has no entry in pivot columns of rows before k, so
// the heap never asks for a row that has passed.
static bool eliminate(elimination *e, int i) {
  for (int p = e->start[i]; p < e->start[i + 1]; p++) {
    add_to_row(e, e->col[p], e->val[p]);
    e->below[e->col[p]]--;
  }
  while (e->next.count > 0)
    if (!subtract(e, i, heap_pop(&e->next)))
      return false;
  return true;
}

static double largest_left(const accumulator *row) {
  double largest = 0;
  for (int k = 0; k < row->count; k++)
    largest = fmax(largest, fabs(row->value[row->used[k]]));
  return largest;
}

// The size of an entry beside those of its column.
static double share(const elimination *e, int j) {
  return e->ordered ? fabs(e->row.value[j]) / e->unit[j] : fabs(e->row.value[j]);
}

static int choose_pivot(const elimination *e) {
  int best = -1;
  double largest = 0;
  for (int k = 0; k < e->row.count; k++)
    if (e->row.value[e->row.used[k]] != 0)
      largest = fmax(largest, share(e, e->row.used[k]));
  for (int k = 0; k < e->row.count; k++) {
    int j = e->row.used[k];
    if (e->row.value[j] == 0 || share(e, j) < pivot_choice * largest)
      continue;
    if (best < 0 || e->below[j] < e->below[best] || (e->below[j] == e->below[best] && share(e, j) > share(e, best)))
      best = j;
  }
  return best;
}

static bool keep_row(elimination *e, int i, int pivot) {
  const accumulator *row = &e->row;
  e->pivot_row[pivot] = i;
  if (!list_add(&e->upper, pivot, row->value[pivot]))
    return false;
  for (int k = 0; k < row->count; k++) {
    int j = row->used[k];
    if (j != pivot && fabs(row->value[j]) > noise * e->size[i] && !list_add(&e->upper, j, row->value[j]))
      return false;
  }
  return true;
}

// ---------------------------------------------------------------------------------- dependent rows

// Adds x to the factor of row k. Later rows come first off the heap, hence the sign.
static void add_to_factor(elimination *e, int k, double x) {
  if (accumulator_add(&e->factor, k, x))
    heap_push(&e->next, -k);
}

static void reverse(list *l, size_t first) {
  for (size_t p = first, q = l->count; p + 1 < q; p++) {
    q--;
    int index = l->index[p];
    double value = l->value[p];
    l->index[p] = l->index[q];
    l->value[p] = l->value[q];
    l->index[q] = index;
    l->value[q] = value;
  }
}

// c L = m_i over the independent rows. Parts of the row below the tolerance are not reported.
static bool combine(elimination *e, int i) {
  size_t first = e->combination.count;
  for (size_t p = e->lower_start[i]; p < e->lower.count; p++)
    add_to_factor(e, e->lower.index[p], e->lower.value[p]);
  while (e->next.count > 0) {
    int k = -heap_pop(&e->next);
    double c = e->factor.value[k];
    if (fabs(c) * e->size[k] > e->tolerance * e->size[i] && !list_add(&e->combination, k, c))
      return false;
    for (size_t p = e->lower_start[k]; p < e->lower_start[k + 1]; p++)
      add_to_factor(e, e->lower.index[p], -c * e->lower.value[p]);
  }
  accumulator_clear(&e->factor);
  reverse(&e->combination, first);
  return true;
}

static bool treat_row(elimination *e, fly_rank *out, int i) {
  if (!eliminate(e, i))
    return false;
  e->filled = !e->ordered && e->upper.count + e->lower.count > fill_most * (size_t)e->start[e->rows] + fill_free;
  if (e->filled)
    return false;
  double largest = largest_left(&e->row);
  if (largest > e->tolerance * e->size[i]) {
    const int pivot = choose_pivot(e);
    out->rank++;
    out->pivot[e->row_of[i]] = pivot;
    if (!keep_row(e, i, pivot))
      return false;
  } else {
    const bool room = e->combination.count <= fill_most * (size_t)e->start[e->rows] + 10 * fill_free;
    if ((room && !combine(e, i)) || e->combination.count > INT_MAX)
      return false;
    out->unexplained += !room;
    out->pivot[e->row_of[i]] = -1;
    out->dependent[out->ndependent++] = e->row_of[i];
    out->support_start[out->ndependent] = (int)e->combination.count;
  }
  accumulator_clear(&e->row);
  e->upper_start[i + 1] = e->upper.count;
  e->lower_start[i + 1] = e->lower.count;
  return true;
}

// ---------------------------------------------------------------------------------- the call

static bool result_take(fly_rank *out, int rows) {
  out->pivot = calloc((size_t)rows + 1, sizeof *out->pivot);
  out->dependent = calloc((size_t)rows + 1, sizeof *out->dependent);
  out->support_start = calloc((size_t)rows + 1, sizeof *out->support_start);
  return out->pivot != NULL && out->dependent != NULL && out->support_start != NULL;
}

typedef struct term {
  int row;
  double factor;
} term;

static int compare_terms(const void *a, const void *b) { return ((const term *)a)->row - ((const term *)b)->row; }

static void sort_terms(term *work, int *row, double *factor, int count) {
  for (int k = 0; k < count; k++)
    work[k] = (term){row[k], factor[k]};
  qsort(work, (size_t)count, sizeof *work, compare_terms);
  for (int k = 0; k < count; k++) {
    row[k] = work[k].row;
    factor[k] = work[k].factor;
  }
}

// Dependent rows and what they depend on by their numbers in A, ascending. False: no memory.
static bool sort_results(const elimination *e, fly_rank *out) {
  const int n = out->ndependent, *start = out->support_start;
  list sorted = {0};
  term *work = calloc((size_t)(e->rows > n ? e->rows : n) + 1, sizeof *work);
  int *first = calloc((size_t)n + 1, sizeof *first);
  bool good = work != NULL && first != NULL;
  for (int d = 0; d < n && good; d++)
    sort_terms(work, out->support + start[d], out->coefficient + start[d], start[d + 1] - start[d]);
  for (int d = 0; d < n && good; d++)
    work[d] = (term){out->dependent[d], d};
  if (good)
    qsort(work, (size_t)n, sizeof *work, compare_terms);
  for (int d = 0; d < n && good; d++) {
    const int from = (int)work[d].factor;
    out->dependent[d] = work[d].row;
    for (int p = start[from]; p < start[from + 1] && good; p++)
      good = list_add(&sorted, out->support[p], out->coefficient[p]);
    first[d + 1] = (int)sorted.count;
  }
  if (good) {
    memcpy(out->support_start, first, ((size_t)n + 1) * sizeof *first);
    list old = {.index = out->support, .value = out->coefficient};
    list_free(&old);
    out->support = sorted.index;
    out->coefficient = sorted.value;
  } else {
    list_free(&sorted);
  }
  free(first);
  free(work);
  return good;
}

static bool run(elimination *e, fly_rank *out, const fly_csc *a) {
  if (!elimination_take(e, a) || !result_take(out, a->rows) || !set_rows(e, a))
    return false;
  for (int i = 0; i < e->rows; i++)
    if (!treat_row(e, out, i))
      return false;
  for (size_t p = 0; p < e->combination.count; p++)
    e->combination.index[p] = e->row_of[e->combination.index[p]];
  out->entries = e->upper.count + e->lower.count;
  out->support = e->combination.index;
  out->coefficient = e->combination.value;
  e->combination = (list){0};
  return !e->ordered || sort_results(e, out);
}

static fly_status check(const fly_csc *a, double tolerance, fly_error *error) {
  if (!(tolerance >= 0))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The tolerance of a rank is %g; it cannot be negative.", tolerance);
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      if (!isfinite(a->val[k]))
        return fly_fail(error, FLY_NOT_FINITE, NAN, "Row %d, column %d of the matrix is %g.", a->row[k], j, a->val[k]);
  return FLY_OK;
}

// False: no memory, or *filled.
static bool attempt(fly_rank *out, const fly_csc *a, double tolerance, bool ordered, bool *filled) {
  elimination e = {.tolerance = tolerance, .ordered = ordered};
  fly_rank rank = {0};
  const bool found = run(&e, &rank, a);
  *filled = e.filled;
  elimination_free(&e);
  if (found)
    *out = rank;
  else
    fly_rank_free(&rank);
  return found;
}

fly_status fly_rank_find(fly_rank *out, const fly_csc *a, double tolerance, fly_error *error) {
  bool filled = false;
  *out = (fly_rank){0};
  fly_status status = check(a, tolerance, error);
  if (status != FLY_OK)
    return status;
  if (attempt(out, a, tolerance, false, &filled) || (filled && attempt(out, a, tolerance, true, &filled)))
    return FLY_OK;
  return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory for the rank of a %d x %d matrix.", a->rows, a->cols);
}

void fly_rank_free(fly_rank *r) {
  free(r->pivot);
  free(r->dependent);
  free(r->support_start);
  free(r->support);
  free(r->coefficient);
  *r = (fly_rank){0};
}
