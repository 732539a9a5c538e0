#include "sparse/listed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------- building

// What lists are made from, and in.
typedef struct maker {
  const fly_csc *a;
  int *end;    // of the block of each pivot (n)
  int *entry;  // entries of A by rows in the order of pivots, (nnz)
  int *column; // with their columns in that order (nnz)
  int *first;  // of each row (n + 1)
  int *seen;   // row that has an entry in this column (n)
  int *where;  // and its place; -1 - i on the diagonal (n)
  int *index;  // grow
  int *target;
  int indices, targets, room_indices, room_targets;
} maker;

static void find_order(maker *m, fly_listed *k) {
  for (int i = 0; i < k->n; i++)
    k->row_at[k->row[i]] = i;
  for (int b = 0; b < k->blocks; b++)
    for (int i = k->block[b]; i < k->block[b + 1]; i++)
      m->end[i] = k->block[b + 1];
}

static void sort_by_rows(maker *m, const fly_listed *k) {
  const fly_csc *a = m->a;
  for (int e = 0; e < fly_csc_nnz(a); e++)
    m->first[k->row_at[a->row[e]] + 1]++;
  for (int i = 0; i < k->n; i++) {
    m->first[i + 1] += m->first[i];
    m->seen[i] = m->first[i];
  }
  for (int j = 0; j < k->n; j++)
    for (int e = a->start[k->col[j]]; e < a->start[k->col[j] + 1]; e++) {
      const int at = m->seen[k->row_at[a->row[e]]]++;
      m->entry[at] = e;
      m->column[at] = j;
    }
  memset(m->seen, -1, (size_t)k->n * sizeof *m->seen);
}

static bool add_index(maker *m, int column) {
  if (!fly_reserve(&m->index, &m->room_indices, m->indices + 1, sizeof *m->index))
    return false;
  m->where[column] = m->indices;
  m->index[m->indices++] = column;
  return true;
}

// Entries of row i in later blocks.
static bool list_beyond(maker *m, int i) {
  for (int e = m->first[i]; e < m->first[i + 1]; e++)
    if (m->column[e] >= m->end[i] && !add_index(m, m->column[e]))
      return false;
  return true;
}

// The entries of row i of L and U: its own, and those of the rows of U that are subtracted from it.
static bool list_own(maker *m, fly_listed *k, int i) {
  int low = i, high = i;
  for (int e = m->first[i]; e < m->first[i + 1]; e++)
    if (m->column[e] < m->end[i]) {
      m->seen[m->column[e]] = i;
      low = m->column[e] < low ? m->column[e] : low;
      high = m->column[e] > high ? m->column[e] : high;
    }
  k->start[3 * i + 1] = m->indices;
  for (int j = low; j < i; j++) {
    if (m->seen[j] != i)
      continue;
    if (!add_index(m, j))
      return false;
    for (int e = k->start[3 * j + 2]; e < k->start[3 * j + 3]; e++) {
      m->seen[m->index[e]] = i;
      high = m->index[e] > high ? m->index[e] : high;
    }
  }
  k->start[3 * i + 2] = m->indices;
  m->where[i] = -1 - i;
  for (int j = i + 1; j <= high; j++)
    if (m->seen[j] == i && !add_index(m, j))
      return false;
  return true;
}

static bool list_targets(maker *m, const fly_listed *k, int i) {
  for (int l = k->start[3 * i + 1]; l < k->start[3 * i + 2]; l++) {
    const int j = m->index[l], count = k->start[3 * j + 3] - k->start[3 * j + 2];
    if (!fly_reserve(&m->target, &m->room_targets, m->targets + count, sizeof *m->target))
      return false;
    for (int e = 0; e < count; e++)
      m->target[m->targets++] = m->where[m->index[k->start[3 * j + 2] + e]];
  }
  return true;
}

static bool list_rows(maker *m, fly_listed *k) {
  for (int i = 0; i < k->n; i++) {
    k->start[3 * i] = m->indices;
    if (!list_beyond(m, i) || !list_own(m, k, i))
      return false;
    k->start[3 * i + 3] = m->indices;
    if (!list_targets(m, k, i))
      return false;
    for (int e = m->first[i]; e < m->first[i + 1]; e++)
      k->place[m->entry[e]] = m->where[m->column[e]];
  }
  return true;
}

// Places on the diagonal, which stand behind all others.
static void shift(int *place, int n, int indices) {
  for (int e = 0; e < n; e++)
    place[e] = place[e] < 0 ? indices - 1 - place[e] : place[e];
}

static void find_fill(fly_listed *k, int places) {
  for (int e = 0; e < k->nnz; e++)
    k->value[k->place[e]] = 1;
  for (int e = 0; e < places; e++)
    if (k->value[e] == 0)
      k->fill[k->fills++] = e;
}

// What a solution goes through: of a block its rows of L, then those of U from below; of a block of one both at once.
static void list_solution(fly_listed *k) {
  const int *start = k->start;
  k->nrows = 0;
  for (int b = k->blocks - 1; b >= 0; b--) {
    const int first = k->block[b], end = k->block[b + 1];
    for (int i = first; i < end; i++) {
      const int by = end - first == 1 ? i : k->n;
      k->rows[k->nrows++] = (fly_listed_row){start[3 * i], start[3 * i + 2], k->row[i], i, by};
    }
    for (int i = end - 1; end - first > 1 && i >= first; i--)
      k->rows[k->nrows++] = (fly_listed_row){start[3 * i + 2], start[3 * i + 3], -1, i, i};
  }
  k->inverse[k->n] = 1;
}

// The lists, whose lengths are known only now.
static bool settle(fly_listed *k, maker *m) {
  const size_t places = (size_t)m->indices + (size_t)k->n;
  k->index = fly_arena_ints(&k->memory, (size_t)m->indices + 1);
  k->target = fly_arena_ints(&k->memory, (size_t)m->targets + 1);
  k->value = fly_arena_doubles(&k->memory, places);
  k->fill = fly_arena_ints(&k->memory, places);
  if (k->memory.failed)
    return false;
  shift(k->place, k->nnz, m->indices);
  shift(m->target, m->targets, m->indices);
  if (m->indices > 0)
    memcpy(k->index, m->index, (size_t)m->indices * sizeof *k->index);
  if (m->targets > 0)
    memcpy(k->target, m->target, (size_t)m->targets * sizeof *k->target);
  find_fill(k, (int)places);
  list_solution(k);
  return true;
}

static void take_memory(fly_listed *k) {
  const size_t n = (size_t)k->n;
  k->row = fly_arena_ints(&k->memory, n);
  k->col = fly_arena_ints(&k->memory, n);
  k->block = fly_arena_ints(&k->memory, (size_t)k->blocks + 1);
  k->start = fly_arena_ints(&k->memory, 3 * n + 1);
  k->row_at = fly_arena_ints(&k->memory, n);
  k->size = fly_arena_doubles(&k->memory, n);
  k->place = fly_arena_ints(&k->memory, (size_t)k->nnz);
  k->rows = fly_arena_take(&k->memory, 2 * n, sizeof *k->rows);
  k->inverse = fly_arena_doubles(&k->memory, n + 1);
  k->x = fly_arena_doubles(&k->memory, n);
}

static bool make(fly_listed *k, maker *m, fly_arena *work) {
  const size_t n = (size_t)k->n, nnz = (size_t)k->nnz;
  int **arrays[] = {&m->end, &m->seen, &m->where};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = fly_arena_ints(work, n);
  m->first = fly_arena_ints(work, n + 1);
  m->entry = fly_arena_ints(work, nnz);
  m->column = fly_arena_ints(work, nnz);
  if (work->failed)
    return false;
  find_order(m, k);
  sort_by_rows(m, k);
  return list_rows(m, k) && settle(k, m);
}

bool fly_listed_build(fly_listed *k, const fly_csc *pattern, const fly_pivots *pivots) {
  const size_t n = (size_t)pattern->cols;
  fly_arena work = {0};
  maker m = {.a = pattern};
  *k = (fly_listed){.n = pattern->cols, .nnz = fly_csc_nnz(pattern), .blocks = pivots->blocks};
  take_memory(k);
  bool fine = !k->memory.failed;
  if (fine) {
    memcpy(k->row, pivots->row, n * sizeof *k->row);
    memcpy(k->col, pivots->col, n * sizeof *k->col);
    memcpy(k->block, pivots->block, ((size_t)pivots->blocks + 1) * sizeof *k->block);
    fine = make(k, &m, &work);
  }
  free(m.index);
  free(m.target);
  fly_arena_free(&work);
  if (!fine)
    fly_listed_free(k);
  return fine;
}

bool fly_listed_has(const fly_listed *k, const fly_pivots *pivots) {
  return k->index && memcmp(k->row, pivots->row, (size_t)k->n * sizeof *k->row) == 0;
}

void fly_listed_free(fly_listed *k) {
  fly_arena_free(&k->memory);
  *k = (fly_listed){0};
}

// ---------------------------------------------------------------------------------- factors

// The largest entry of row i of A, which stands in its places; NaN: one is not finite.
static double row_size(const fly_listed *k, int i) {
  const double *value = k->value;
  double size = fabs(value[k->start[3 * k->n] + i]), odd = 0 * size;
  for (int e = k->start[3 * i]; e < k->start[3 * i + 3]; e++) {
    size = fabs(value[e]) > size ? fabs(value[e]) : size;
    odd += 0 * value[e];
  }
  return size + odd;
}

// Row i of L and U; `target` moves on behind its own. The pivot that it leaves, and *largest: what that was at most.
static double eliminate(const fly_listed *k, int i, const int **target, double *largest) {
  double *value = k->value;
  const double *pivot = value + k->start[3 * k->n] + i;
  const int *to = *target;
  double most = fabs(*pivot);
  for (int l = k->start[3 * i + 1]; l < k->start[3 * i + 2]; l++) {
    const int *row = k->start + 3 * (ptrdiff_t)k->index[l];
    const double factor = value[l] * k->inverse[k->index[l]];
    value[l] = factor;
    for (int e = row[2]; e < row[3]; e++)
      value[*to++] -= factor * value[e];
    most = fabs(*pivot) > most ? fabs(*pivot) : most;
  }
  *target = to;
  *largest = most;
  return *pivot;
}

bool fly_listed_factor(fly_listed *k, const double *value, double most) {
  const int *target = k->target;
  for (int e = 0; e < k->fills; e++)
    k->value[k->fill[e]] = 0;
  for (int e = 0; e < k->nnz; e++)
    k->value[k->place[e]] = value[e];
  k->serves = false;
  for (int i = 0; i < k->n; i++) {
    double largest;
    const double size = k->size[i] = row_size(k, i), pivot = eliminate(k, i, &target, &largest);
    k->inverse[i] = 1 / pivot;
    if (!(most * fabs(pivot) >= largest && most * size >= largest) || !isfinite(k->inverse[i]))
      return false;
  }
  return k->serves = true;
}

// Of the matrix whose rows, then columns have a largest entry of 1.
double fly_listed_rcond(const fly_listed *k, const fly_csc *a) {
  double smallest = HUGE_VAL, largest = 0;
  for (int i = 0; i < k->n; i++) {
    double entry = 0;
    for (int e = a->start[k->col[i]]; e < a->start[k->col[i] + 1]; e++)
      entry = fmax(entry, fabs(a->val[e]) / k->size[k->row_at[a->row[e]]]);
    const double pivot = fabs(k->value[k->start[3 * k->n] + i]) / k->size[i] / entry;
    smallest = fmin(smallest, pivot);
    largest = fmax(largest, pivot);
  }
  return largest > 0 ? smallest / largest : 0;
}

// ---------------------------------------------------------------------------------- solutions

// The entries from `begin` to `end`, as a column, times y: out of their unknowns.
static inline void take(const fly_listed *k, double y, int begin, int end) {
  for (int e = begin; e < end; e++)
    k->x[k->index[e]] -= k->value[e] * y;
}

// Blocks from the last on, each by L, then U.
void fly_listed_solve(const fly_listed *k, double *restrict b) {
  const int *restrict index = k->index;
  const double *restrict value = k->value;
  double *restrict x = k->x;
  for (const fly_listed_row *r = k->rows, *last = r + k->nrows; r < last; r++) {
    double sum = r->from < 0 ? x[r->to] : b[r->from];
    int e = r->begin;
    for (; e + 2 <= r->end; e += 2)
      sum = (sum - value[e] * x[index[e]]) - value[e + 1] * x[index[e + 1]];
    if (e < r->end)
      sum -= value[e] * x[index[e]];
    x[r->to] = sum * k->inverse[r->by];
  }
  for (int i = 0; i < k->n; i++)
    b[k->col[i]] = x[i];
}

// Blocks from the first on, each by U^T, then L^T, then what it leaves to those behind it.
void fly_listed_solve_transposed(const fly_listed *k, double *b) {
  const int *start = k->start;
  for (int i = 0; i < k->n; i++)
    k->x[i] = b[k->col[i]];
  for (int n = 0; n < k->blocks; n++) {
    const int first = k->block[n], end = k->block[n + 1];
    for (int i = first; i < end; i++)
      take(k, k->x[i] *= k->inverse[i], start[3 * i + 2], start[3 * i + 3]);
    for (int i = end - 1; i >= first; i--)
      take(k, k->x[i], start[3 * i + 1], start[3 * i + 2]);
    for (int i = first; i < end; i++)
      take(k, k->x[i], start[3 * i], start[3 * i + 1]);
  }
  for (int i = 0; i < k->n; i++)
    b[k->row[i]] = k->x[i];
}
