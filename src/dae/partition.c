#include "dae/partition.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/phase.h"
#include "dae/family.h"
#include "dae/solver.h"
#include "dae/statespace.h"

static const double DEPENDENT_ROW = 1e-11; // what elimination may leave of a row, as at the start of a run
// An independent velocity that moves a dependent one by more than this times itself changes places with it.
static const double SWAP_ABOVE = 1.5;
// Joint after joint as long as a pivot is more than this part of its row, else with pivots that are searched for.
static const double TREE_MOST = 1e8;
enum { MOST_SWAPS = 100, MOST_SWEEPS = 10, PROBES = 4 };
// Where more velocities than MOST_VISITS are independent, not each is asked, which would take the square of the model:
// those that are felt most are, and at most MOST_FELT of them change places.
enum { MOST_VISITS = 1000, MOST_FELT = 10 };

static double scale_of(const fly_partition *p, int i) { return p->e->p.scale_v ? p->e->p.scale_v[i] : 1.0; }

// ------------------------------------------------------------------------------------------ creation

static fly_status no_memory(const fly_eval *e, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a partition of %d coordinates.", e->p.nv);
}

fly_status fly_partition_create(fly_partition *p, const fly_eval *e, fly_error *error) {
  const size_t nv = (size_t)e->p.nv, nl = (size_t)e->nl;
  *p = (fly_partition){.e = e};
  p->kind = fly_arena_take(&p->memory, nv, sizeof *p->kind);
  p->dependent = fly_arena_ints(&p->memory, nl);
  p->independent = fly_arena_ints(&p->memory, nv - nl);
  p->b = fly_arena_doubles(&p->memory, nl);
  p->match = fly_arena_ints(&p->memory, nl);
  p->move = fly_arena_doubles(&p->memory, nv);
  if (p->memory.failed)
    return no_memory(e, error);
  return fly_stack_rows(e, &p->rows, error);
}

static void forget_factors(fly_partition *p) {
  p->counted = fly_partition_count(p);
  p->tree_serves = false;
  fly_cascade_free(&p->tree);
  fly_lu_free(p->lu);
  p->lu = NULL;
  fly_csc_free(&p->u);
  p->u = (fly_csc){0};
}

void fly_partition_forget(fly_partition *p) {
  forget_factors(p);
  p->seed = 1;
}

void fly_partition_follow(fly_partition *p, const bool *own) {
  forget_factors(p);
  for (int i = 0; i < p->e->p.nv; i++)
    p->kind[i] = own[i] ? FLY_INDEPENDENT : FLY_DEPENDENT;
}

void fly_partition_free(fly_partition *p) {
  forget_factors(p);
  fly_csc_free(&p->rows);
  fly_arena_free(&p->memory);
}

fly_lu_counts fly_partition_count(const fly_partition *p) {
  fly_lu_counts sum = p->counted;
  if (p->lu)
    fly_lu_counts_add(&sum, fly_lu_count(p->lu));
  return sum;
}

double fly_partition_rcond(const fly_partition *p) { return p->tree_serves ? p->tree_rcond : fly_lu_rcond(p->lu); }

// ------------------------------------------------------------------------------------------ the dependent columns

static void list_columns(fly_partition *p) {
  int u = 0, w = 0;
  for (int j = 0; j < p->e->p.nv; j++)
    if (p->kind[j] == FLY_INDEPENDENT)
      p->independent[w++] = j;
    else
      p->dependent[u++] = j;
}

// The values of the rows as they are now: where all are holonomic, without a copy.
static const double *values(fly_partition *p) {
  if (p->e->p.nb == 0)
    return p->e->G.val;
  fly_stack_values(p->e, &p->rows);
  return p->rows.val;
}

static void copy_columns(fly_partition *p) {
  const double *from = values(p);
  double *to = p->u.val;
  for (int k = 0; k < p->e->nl; k++) {
    const int j = p->dependent[k], count = p->rows.start[j + 1] - p->rows.start[j];
    for (int i = 0; i < count; i++)
      to[i] = from[p->rows.start[j] + i];
    to += count;
  }
}

// A_u and its direct solver for the kinds as they are now.
static fly_status shape(fly_partition *p, fly_error *error) {
  const int n = p->e->nl;
  fly_arena work = {0};
  forget_factors(p);
  list_columns(p);
  int *start = fly_arena_ints(&work, (size_t)n + 1), *row = fly_arena_ints(&work, (size_t)fly_csc_nnz(&p->rows));
  if (work.failed) {
    fly_arena_free(&work);
    return FLY_NO_MEMORY;
  }
  for (int k = 0; k < n; k++) {
    const int j = p->dependent[k], count = p->rows.start[j + 1] - p->rows.start[j];
    memcpy(row + start[k], p->rows.row + p->rows.start[j], (size_t)count * sizeof *row);
    start[k + 1] = start[k] + count;
  }
  const fly_status status = fly_csc_create(&p->u, n, n, start, row, error);
  fly_arena_free(&work);
  return status ? status : fly_lu_create(&p->lu, &p->u, error);
}

// With its factors.
static fly_status build(fly_partition *p, fly_error *error) {
  const fly_status status = shape(p, error);
  if (status)
    return status;
  copy_columns(p);
  return fly_lu_factor(p->lu, &p->u);
}

static fly_status factor_by_search(fly_partition *p) {
  p->tree_serves = false;
  copy_columns(p);
  return fly_lu_factor(p->lu, &p->u);
}

static bool factor_by_tree(fly_partition *p) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_FACTOR);
  p->tree_serves = p->tree.steps > 0 && fly_cascade_factor(&p->tree, p->u.val, TREE_MOST, &p->tree_rcond);
  p->counted.refactorizations += p->tree_serves;
  p->counted.work += p->tree_serves ? FLY_REFACTOR_WORK * (double)fly_lu_entries(p->lu) : 0;
  fly_phase_leave(before);
  return p->tree_serves;
}

fly_status fly_partition_factor(fly_partition *p) {
  copy_columns(p);
  return factor_by_tree(p) ? FLY_OK : fly_lu_factor(p->lu, &p->u);
}

// b by the factors at hand.
static void solve(fly_partition *p) {
  if (!p->tree_serves) {
    fly_lu_solve(p->lu, p->b);
    return;
  }
  const fly_phase before = fly_phase_enter(FLY_PHASE_SOLVE);
  p->counted.solves++;
  p->counted.work += (double)fly_lu_entries(p->lu);
  fly_cascade_solve(&p->tree, p->b);
  fly_phase_leave(before);
}

void fly_partition_solve(fly_partition *p, double *delta, const double *rows) {
  for (int i = 0; i < p->e->nl; i++)
    p->b[i] = -rows[i];
  solve(p);
  for (int k = 0; k < p->e->p.nv - p->e->nl; k++)
    delta[p->independent[k]] = 0;
  for (int k = 0; k < p->e->nl; k++)
    delta[p->dependent[k]] = p->b[k];
}

// ------------------------------------------------------------------------------------------ a few rows at a time

// The choice is made, A_u is factorized: where it can be, it is solved joint after joint from now on, with the pivots'
// columns for each row; else by lists of the pivots.
static fly_status grow_tree(fly_partition *p) {
  p->tree_serves = false;
  fly_cascade_free(&p->tree);
  if (!fly_lu_matching(p->lu, p->match))
    return FLY_OK;
  const fly_status status = fly_cascade_build(&p->tree, &p->u, p->match);
  if (status == FLY_OK && p->tree.steps == 0)
    return fly_lu_list(p->lu, &p->u);
  if (status == FLY_OK)
    factor_by_tree(p);
  return status;
}

fly_status fly_partition_reshape(fly_partition *p, fly_error *error) {
  fly_csc_free(&p->rows);
  p->rows = (fly_csc){0};
  fly_status status = fly_stack_rows(p->e, &p->rows, error);
  if (status == FLY_OK && p->lu) { // without factors no columns were chosen yet
    status = build(p, error);
    if (status == FLY_OK)
      status = grow_tree(p);
  }
  if (status == FLY_SINGULAR) // they are to be chosen anew
    forget_factors(p);
  return status;
}

// ------------------------------------------------------------------------------------------ exchanged columns

// Columns of A_u in whose place others stand by now. With w = A_u^-1 a of the one that came to place r, what A_u^-1 has
// made of a right side becomes y_r / w_r there, and y_i - w_i y_r / w_r elsewhere: the product form of the inverse
// (Dantzig and Orchard-Hays, Math. Tables Aids Comput. 8, 1954). Entries that cross over are larger than SWAP_ABOVE.
typedef struct fly_exchange {
  int count;
  int place[MOST_FELT];      // r
  double *column[MOST_FELT]; // w (nl)
  fly_arena memory;
} fly_exchange;

// b (nl) becomes A_u^-1 b.
static void solve_exchanged(fly_partition *p) {
  const fly_exchange *x = p->exchange;
  solve(p);
  for (int s = 0; x && s < x->count; s++) {
    const double *w = x->column[s], there = p->b[x->place[s]] / w[x->place[s]];
    for (int i = 0; i < p->e->nl; i++)
      p->b[i] -= w[i] * there;
    p->b[x->place[s]] = there;
  }
}

static void solve_transposed(fly_partition *p) {
  const fly_exchange *x = p->exchange;
  for (int s = x ? x->count - 1 : -1; s >= 0; s--) {
    const double *w = x->column[s];
    const int r = x->place[s];
    double sum = 0;
    for (int i = 0; i < p->e->nl; i++)
      sum += i == r ? 0.0 : w[i] * p->b[i];
    p->b[r] = (p->b[r] - sum) / w[r];
  }
  fly_lu_solve_transposed(p->lu, p->b);
}

// ------------------------------------------------------------------------------------------ growth

// b = A_u^-1 A_w m over the scales of u, for moves m (nv) of the independent velocities in units of their scales.
static double respond(fly_partition *p, const double *m) {
  const fly_csc *a = &p->rows;
  const double *value = values(p);
  memset(p->b, 0, (size_t)p->e->nl * sizeof *p->b);
  for (int k = 0; k < p->e->p.nv - p->e->nl; k++) {
    const int j = p->independent[k];
    for (int i = a->start[j]; m[j] != 0 && i < a->start[j + 1]; i++)
      p->b[a->row[i]] += value[i] * m[j] * scale_of(p, j);
  }
  solve_exchanged(p);
  double largest = 0;
  for (int k = 0; k < p->e->nl; k++) {
    p->b[k] /= scale_of(p, p->dependent[k]);
    largest = fmax(largest, fabs(p->b[k]));
  }
  return largest;
}

// Of a move of all independent velocities with signs at random: an entry of A_u^-1 A_w that has become large does not
// hide behind others for long.
static double respond_at_random(fly_partition *p) {
  for (int i = 0; i < p->e->p.nv; i++)
    p->move[i] = copysign(1.0, fly_next_random(&p->seed));
  return respond(p, p->move);
}

double fly_partition_growth(fly_partition *p) {
  const double growth = respond_at_random(p);
  return isfinite(growth) ? growth / fmax(p->reference, 1.0) : (double)INFINITY;
}

// ------------------------------------------------------------------------------------------ choosing

// Pivots of an elimination of the rows, with columns in units of their scales.
static fly_status choose_pivots(fly_partition *p, fly_error *error) {
  fly_csc *a = &p->rows;
  fly_rank rank = {0};
  fly_stack_values(p->e, a);
  for (int j = 0; j < a->cols; j++)
    for (int i = a->start[j]; i < a->start[j + 1]; i++)
      a->val[i] *= scale_of(p, j);
  fly_status status = fly_rank_find(&rank, a, DEPENDENT_ROW, error);
  if (status == FLY_OK && rank.ndependent > 0)
    status = FLY_SINGULAR;
  if (status == FLY_OK) {
    for (int j = 0; j < a->cols; j++)
      p->kind[j] = FLY_INDEPENDENT;
    for (int i = 0; i < a->rows; i++)
      p->kind[rank.pivot[i]] = FLY_DEPENDENT;
  }
  fly_rank_free(&rank);
  fly_stack_values(p->e, a);
  return status;
}

static int largest_response(const fly_partition *p) {
  int most = 0;
  for (int k = 1; k < p->e->nl; k++)
    if (fabs(p->b[k]) > fabs(p->b[most]))
      most = k;
  return most;
}

// Whether independent velocity j moves a dependent one by more than SWAP_ABOVE; b has what it moves.
static bool moves_much(fly_partition *p, int j) {
  p->move[j] = 1;
  const double most = respond(p, p->move);
  p->move[j] = 0;
  return most > SWAP_ABOVE;
}

static void exchange_kinds(fly_partition *p, int from, int j) {
  p->kind[from] = FLY_INDEPENDENT;
  p->kind[j] = FLY_DEPENDENT;
}

// What independent velocity j moves most changes places with it, if it moves it by more than SWAP_ABOVE. Every swap
// multiplies |det A_u| by that, so none comes back.
static fly_status swap_if_large(fly_partition *p, int j, int *swaps, fly_error *error) {
  if (!moves_much(p, j))
    return FLY_OK;
  exchange_kinds(p, p->dependent[largest_response(p)], j);
  ++*swaps;
  return build(p, error);
}

// The same without factors of its own: the column is kept, and stands where the other stood.
static fly_status swap_beside(fly_partition *p, int j) {
  fly_exchange *x = p->exchange;
  const int n = p->e->nl, r = largest_response(p), from = p->dependent[r];
  double *w = x->column[x->count] = fly_arena_doubles(&x->memory, (size_t)n);
  if (!w)
    return FLY_NO_MEMORY;
  for (int i = 0; i < n; i++)
    w[i] = p->b[i] * scale_of(p, p->dependent[i]) / scale_of(p, j);
  x->place[x->count++] = r;
  exchange_kinds(p, from, j);
  p->dependent[r] = j;
  for (int k = 0; k < p->e->p.nv - n; k++)
    if (p->independent[k] == j)
      p->independent[k] = from;
  return FLY_OK;
}

// In the end no entry of A_u^-1 A_w is larger than SWAP_ABOVE.
static fly_status improve_each(fly_partition *p, fly_error *error) {
  const int free = p->e->p.nv - p->e->nl;
  int swaps = 0, before = -1;
  fly_status status = FLY_OK;
  for (int sweep = 0; sweep < MOST_SWEEPS && swaps != before; sweep++) {
    before = swaps;
    for (int k = 0; k < free && swaps < MOST_SWAPS && status == FLY_OK; k++)
      status = swap_if_large(p, p->independent[k], &swaps, error);
    if (status)
      return status;
  }
  return FLY_OK;
}

// The independent velocity that moves dependent one k most: the largest entry of row k of A_u^-1 A_w.
static int mover_of(fly_partition *p, int k) {
  const fly_csc *a = &p->rows;
  const double *value = values(p);
  double most = -1;
  int found = -1;
  memset(p->b, 0, (size_t)p->e->nl * sizeof *p->b);
  p->b[k] = 1;
  solve_transposed(p);
  for (int w = 0; w < p->e->p.nv - p->e->nl; w++) {
    const int j = p->independent[w];
    double sum = 0;
    for (int i = a->start[j]; i < a->start[j + 1]; i++)
      sum += value[i] * p->b[a->row[i]];
    const double size = fabs(sum) * scale_of(p, j);
    if (size > most)
      most = size, found = j;
  }
  return found;
}

// A move at random shows which dependent velocity follows most, that row which independent one it follows: a local
// maximum of all entries, as in rook pivoting. Until PROBES in a row find none that is too large.
static fly_status exchange_felt(fly_partition *p) {
  const fly_exchange *x = p->exchange;
  fly_status status = FLY_OK;
  for (int quiet = 0; quiet < PROBES && x->count < MOST_FELT && status == FLY_OK;) {
    const int before = x->count;
    respond_at_random(p);
    memset(p->move, 0, (size_t)p->e->p.nv * sizeof *p->move);
    const int j = mover_of(p, largest_response(p));
    if (j >= 0 && moves_much(p, j))
      status = swap_beside(p, j);
    quiet = x->count == before ? quiet + 1 : 0;
  }
  return status;
}

static fly_status improve_felt(fly_partition *p, fly_error *error) {
  fly_exchange x = {0};
  p->exchange = &x;
  const fly_status status = exchange_felt(p);
  p->exchange = NULL;
  fly_arena_free(&x.memory);
  return status == FLY_OK && x.count > 0 ? build(p, error) : status;
}

static fly_status improve(fly_partition *p, fly_error *error) {
  memset(p->move, 0, (size_t)p->e->p.nv * sizeof *p->move);
  return p->e->p.nv - p->e->nl > MOST_VISITS ? improve_felt(p, error) : improve_each(p, error);
}

// Of the dependent velocities nb follow from the nonholonomic rows: their positions are free. Which, an elimination of
// the holonomic rows first says.
static fly_status free_positions(fly_partition *p, fly_error *error) {
  fly_rank rank = {0};
  if (p->e->p.nb == 0)
    return FLY_OK;
  const fly_status status = fly_rank_find(&rank, &p->u, 0, error);
  for (int i = p->e->p.ng; i < p->e->nl && status == FLY_OK; i++)
    if (rank.pivot[i] >= 0)
      p->kind[p->dependent[rank.pivot[i]]] = FLY_DEPENDENT_VELOCITY;
  fly_rank_free(&rank);
  return status;
}

fly_status fly_partition_choose(fly_partition *p, fly_error *error) {
  fly_status status = p->lu ? factor_by_search(p) : choose_pivots(p, error);
  if (status == FLY_OK && !p->lu)
    status = build(p, error);
  if (status == FLY_OK)
    status = improve(p, error);
  if (status == FLY_OK)
    status = free_positions(p, error);
  if (status == FLY_OK)
    status = grow_tree(p);
  p->reference = 0;
  for (int k = 0; k < PROBES && status == FLY_OK; k++)
    p->reference = fmax(p->reference, respond_at_random(p));
  return status == FLY_NO_MEMORY ? no_memory(p->e, error) : status;
}

// ------------------------------------------------------------------------------------------ travelling

void fly_partition_image(fly_partition *p, fly_image *m) {
  uint64_t chosen = p->lu != NULL;
  fly_image_bytes(m, &chosen, sizeof chosen);
  fly_image_arena(m, &p->memory);
  if (fly_image_same(m, (uint64_t)fly_csc_nnz(&p->rows)))
    fly_image_bytes(m, p->rows.val, (size_t)fly_csc_nnz(&p->rows) * sizeof *p->rows.val);
  if (m->failure)
    return;
  if (m->reading && !chosen)
    forget_factors(p);
  if (m->reading && chosen && shape(p, NULL))
    m->failure = FLY_IMAGE_NO_MEMORY;
  if (chosen && !m->failure)
    fly_lu_image(p->lu, m, &p->u);
  if (m->reading && chosen && !m->failure && grow_tree(p))
    m->failure = FLY_IMAGE_NO_MEMORY;
  FLY_IMAGE_FROM(m, p, reference, NULL);
}

int fly_solver_independent(const fly_solver *s, int *velocity) {
  if (!s)
    return 0;
  const state_space *w = s->family == &fly_family_statespace ? s->own : NULL;
  int count = 0;
  for (int i = 0; i < s->e.p.nv; i++)
    if (!w || !w->partition || w->part.kind[i] == FLY_INDEPENDENT) {
      if (velocity)
        velocity[count] = i;
      count++;
    }
  return count;
}
