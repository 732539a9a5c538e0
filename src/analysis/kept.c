// A row that was left out is a combination of those kept, g_d = sum c_dk g_k. A c_dk beyond 1, in scaled rows, says
// that with row d in place of row k the volume of the rows kept would be |c_dk| times as large; and as long as no entry
// exceeds f, the smallest singular value of the rows kept is at least that of all rows over sqrt(1 + f^2 r d): so that
// they become dependent only where all rows do, at a singular position (RR-growth, after Gu and Eisenstat).
#include "analysis/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// Tolerances of the rank of all rows. Rows that depend on each other where all of them hold do so only nearly where
// they hold nearly, as with methods that drift; and rows kept that hardly have their rank any more need a finer one.
static const double TOLERANCES[] = {1e-2, 1e-3, 1e-4, 1e-6, 1e-9};
static const double LIMIT = 4.0;      // of growth: beyond, others take their place ...
static const double SWAP_ABOVE = 1.5; // ... until no exchange gains more than this
static const double AHEAD = 0.2;      // a look is due after such a way over the growth [radians, sizes of the model]
static const double LONG = 0.5;       // a step times the growth beyond which the rows may be lost within the next one
enum { MOST_SWEEPS = 100 };

// ------------------------------------------------------------------------------------------ life

static fly_status no_memory(const fly_kept *k, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d constraint rows.", k->all->model->nrow);
}

static void set_order(fly_kept *k, const int *keep) {
  const int nrow = k->all->nactive;
  int n = 0;
  memset(k->place, 0, (size_t)nrow * sizeof *k->place);
  for (int i = 0; i < k->count; i++) {
    k->order[n++] = k->all->place_of[keep[i]];
    k->place[k->all->place_of[keep[i]]] = 1;
  }
  for (int i = 0; i < nrow; i++)
    if (!k->place[i])
      k->order[n++] = i;
}

fly_status fly_kept_create(fly_kept *k, fly_system *all, int count, const int *keep, fly_error *error) {
  const size_t nrow = (size_t)all->nactive, nnz = (size_t)fly_csc_nnz(&all->G);
  fly_arena *m = &k->memory;
  k->all = all;
  k->count = count;
  int **ints[] = {&k->order, &k->place, &k->row, &k->col, &k->spot};
  const size_t sizes[] = {nrow, nrow, nnz, nnz, nnz};
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
    *ints[i] = fly_arena_ints(m, sizes[i]);
  k->size = fly_arena_doubles(m, nrow);
  k->touched = fly_arena_take(m, nrow, sizeof *k->touched);
  if (m->failed)
    return no_memory(k, error);
  set_order(k, keep);
  k->travelled = INFINITY;
  return FLY_OK;
}

void fly_kept_free(fly_kept *k) {
  fly_rank_free(&k->rank);
  fly_arena_free(&k->memory);
  *k = (fly_kept){0};
}

void fly_kept_image(fly_kept *k, fly_image *m) {
  fly_image_arena(m, &k->memory);
  FLY_IMAGE_FROM(m, k, order, &k->memory);
}

// ------------------------------------------------------------------------------------------ growth

// Values of G with its rows in this order, its columns in units of their scales.
static void fill(fly_kept *k, fly_csc *G, const double *values) {
  const double *scale = k->all->scale;
  memset(k->size, 0, (size_t)G->rows * sizeof *k->size);
  for (int i = 0; i < fly_csc_nnz(G); i++) {
    const double value = values[i] * scale[k->col[i]];
    G->val[k->spot[i]] = value;
    k->size[k->row[i]] = fmax(k->size[k->row[i]], fabs(value));
  }
}

static fly_status find_rank_to(fly_kept *k, const fly_csc *G, double tolerance, fly_error *error) {
  fly_rank_free(&k->rank);
  return fly_rank_find(&k->rank, G, tolerance, error);
}

// k->rank of the rows in their order: to the first tolerance that finds as many independent as are kept.
static fly_status find_rank(fly_kept *k, const fly_dae_state *at, fly_error *error) {
  fly_csc *all = &k->all->G, G = {0};
  int n = 0;
  for (int i = 0; i < all->rows; i++)
    k->place[k->order[i]] = i;
  for (int j = 0; j < all->cols; j++)
    for (int i = all->start[j]; i < all->start[j + 1]; i++, n++) {
      k->row[n] = k->place[all->row[i]];
      k->col[n] = j;
    }
  fly_status status = fly_csc_from_entries(&G, all->rows, all->cols, n, k->row, k->col, k->spot, error);
  if (status == FLY_OK) {
    fly_csc_zero(all);
    k->all->dae.constraint_jacobian(all->val, at->t, at->q, k->all);
    fill(k, &G, all->val);
    k->rank.rank = 0;
  }
  for (size_t i = 0; i < sizeof TOLERANCES / sizeof *TOLERANCES && status == FLY_OK && k->rank.rank < k->count; i++)
    status = find_rank_to(k, &G, TOLERANCES[i], error);
  fly_csc_free(&G);
  return status;
}

static double scaled(const fly_kept *k, int dependent, int term) {
  return fabs(k->rank.coefficient[term]) * k->size[k->rank.support[term]] / k->size[dependent];
}

// Of one dependent row: its largest entry, and in which row kept.
static double largest_entry(const fly_kept *k, int d, int *where) {
  double most = 0;
  for (int i = k->rank.support_start[d]; i < k->rank.support_start[d + 1]; i++)
    if (scaled(k, k->rank.dependent[d], i) > most) {
      most = scaled(k, k->rank.dependent[d], i);
      *where = k->rank.support[i];
    }
  return most;
}

// The rows kept, first in the order, are those found independent.
static bool is_as_kept(const fly_kept *k) {
  return k->rank.rank == k->count && (k->rank.ndependent == 0 || k->rank.dependent[0] >= k->count);
}

static double find_growth(const fly_kept *k) {
  double most = 0;
  int where;
  for (int d = 0; d < k->rank.ndependent; d++)
    most = fmax(most, largest_entry(k, d, &where));
  return most;
}

static double way(const fly_kept *k, const double *v, double h) {
  double most = 0;
  for (int i = 0; i < k->all->model->nv; i++)
    most = fmax(most, fabs(v[i]) / k->all->scale[i]);
  return most * h;
}

fly_status fly_kept_watch(fly_kept *k, const fly_dae_state *at, double h, bool *poor, fly_error *error) {
  const double step = way(k, at->v, h);
  *poor = false;
  k->travelled += step;
  if (k->travelled < k->allowed)
    return FLY_OK;
  fly_status status = find_rank(k, at, error);
  if (status)
    return status;
  k->growth = is_as_kept(k) ? find_growth(k) : (double)INFINITY;
  k->travelled = 0;
  k->allowed = AHEAD / fmax(k->growth, 1.0);
  *poor = k->growth > LIMIT || (k->growth > SWAP_ABOVE * SWAP_ABOVE && k->growth * step > LONG);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ choosing

// The rows found independent come first.
static void sort_order(fly_kept *k) {
  const int nrow = k->all->nactive;
  int kept = 0, left = k->rank.rank;
  for (int i = 0, d = 0; i < nrow; i++) {
    const bool dependent = d < k->rank.ndependent && k->rank.dependent[d] == i;
    d += dependent;
    k->place[dependent ? left++ : kept++] = k->order[i];
  }
  memcpy(k->order, k->place, (size_t)nrow * sizeof *k->order);
}

static bool meets_touched(const fly_kept *k, int d) {
  for (int i = k->rank.support_start[d]; i < k->rank.support_start[d + 1]; i++)
    if (k->touched[k->rank.support[i]])
      return true;
  return false;
}

// One exchange for each dependent row that gains, where none before has changed what it is made of.
static int exchange(fly_kept *k) {
  int swaps = 0;
  memset(k->touched, 0, (size_t)k->all->nactive * sizeof *k->touched);
  for (int d = 0; d < k->rank.ndependent; d++) {
    int where = 0, row = k->rank.dependent[d];
    if (!(largest_entry(k, d, &where) > SWAP_ABOVE) || meets_touched(k, d))
      continue;
    for (int i = k->rank.support_start[d]; i < k->rank.support_start[d + 1]; i++)
      k->touched[k->rank.support[i]] = true;
    const int out = k->order[where];
    k->order[where] = k->order[row];
    k->order[row] = out;
    swaps++;
  }
  return swaps;
}

static int ascending(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

fly_status fly_kept_choose(fly_kept *k, const fly_dae_state *at, int *keep, bool *found, fly_error *error) {
  const int nrow = k->all->nactive;
  *found = false;
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    fly_status status = find_rank(k, at, error);
    if (status)
      return status;
    if (k->rank.rank != k->count) {
      set_order(k, keep);
      return FLY_OK;
    }
    if (!is_as_kept(k))
      sort_order(k);
    else if (exchange(k) == 0)
      break;
  }
  qsort(k->order, (size_t)k->count, sizeof *k->order, ascending);
  qsort(k->order + k->count, (size_t)(nrow - k->count), sizeof *k->order, ascending);
  for (int i = 0; i < k->count; i++)
    keep[i] = k->all->active[k->order[i]];
  *found = true;
  return find_rank(k, at, error);
}
