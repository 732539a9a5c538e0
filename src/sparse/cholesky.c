#include "sparse/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sparse/dissection.h"
#include "sparse/lapack.h"

// A set of the dissection: the unknowns that are eliminated in it, and those above that they touch then.
typedef struct front {
  int child, sibling; // sets below it, and beside it; -1: no more
  int pivots, border; // unknowns
  int *row;           // both, in the order of elimination (pivots + border)
  double *L;          // (pivots + border) x pivots, columns one behind the other
  double *U;          // what is left to the parent: border x border, its lower triangle; NULL: none
} front;

struct fly_cholesky {
  const fly_csc *pattern;
  int n, unknowns; // of the matrix; not held
  int fronts;
  front *front;
  int *place;  // in the order of elimination; -1: held (n)
  int *local;  // scratch (n)
  double *top; // scratch of a solve
  size_t room; // of it
  int widest;  // rows of the largest front
  size_t entries;
  double work;
  fly_arena memory;
};

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the factors of the stiffness matrix.");
}

// ------------------------------------------------------------------------------------------ symbolic

typedef struct grouped {
  int *start, *next; // graph of the groups
  int *group;        // of each unknown
  int *list;         // groups that are not held
  int count;
} grouped;

static void find_neighbours(grouped *q, const fly_csc *a, const fly_cholesky_order *o, int *seen) {
  int count = 0;
  for (int g = 0; g < o->groups; g++)
    seen[g] = -1;
  for (int g = 0; g < o->groups; g++) {
    q->start[g] = count;
    for (int j = o->start[g]; j < o->start[g + 1]; j++)
      for (int k = a->start[j]; k < a->start[j + 1]; k++) {
        const int other = q->group[a->row[k]];
        if (seen[other] == g || other == g || (o->held && (o->held[other] || o->held[g])))
          continue;
        seen[other] = g;
        if (q->next)
          q->next[count] = other;
        count++;
      }
  }
  q->start[o->groups] = count;
}

// Counted first, then put down.
static bool make_graph(grouped *q, const fly_csc *a, const fly_cholesky_order *o, fly_arena *memory) {
  const size_t groups = (size_t)o->groups;
  int *seen = fly_arena_ints(memory, groups);
  q->start = fly_arena_ints(memory, groups + 1);
  q->group = fly_arena_ints(memory, (size_t)a->cols);
  q->list = fly_arena_ints(memory, groups);
  if (memory->failed)
    return false;
  for (int g = 0; g < o->groups; g++) {
    for (int j = o->start[g]; j < o->start[g + 1]; j++)
      q->group[j] = g;
    if (!o->held || !o->held[g])
      q->list[q->count++] = g;
  }
  find_neighbours(q, a, o, seen);
  q->next = fly_arena_ints(memory, (size_t)q->start[groups]);
  if (memory->failed)
    return false;
  find_neighbours(q, a, o, seen);
  return true;
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// What the sets are made from: the unknowns in the order of elimination, and the children of each set.
typedef struct plan {
  const fly_cholesky_order *order;
  fly_dissection tree;
  int *unknown, *child, *sibling; // (n), (sets), (sets)
  int *mark, *position;           // set that saw an unknown last; those that the set touches above (n)
  int touched, put;
} plan;

static bool take_plan(plan *p, const fly_cholesky *c, const grouped *q, fly_arena *memory) {
  const fly_graph g = {p->order->groups, q->start, q->next, p->order->place};
  if (!fly_dissect(&p->tree, &g, q->list, q->count))
    return false;
  const size_t n = (size_t)c->n, sets = (size_t)p->tree.sets;
  p->unknown = fly_arena_ints(memory, n);
  p->mark = fly_arena_ints(memory, n);
  p->position = fly_arena_ints(memory, n);
  p->child = fly_arena_ints(memory, sets);
  p->sibling = fly_arena_ints(memory, sets);
  return !memory->failed;
}

static void order_unknowns(plan *p, fly_cholesky *c) {
  for (int i = 0; i < c->n; i++) {
    c->place[i] = -1;
    p->mark[i] = -1;
  }
  for (int k = 0; k < p->tree.first[p->tree.sets]; k++)
    for (int i = p->order->start[p->tree.node[k]]; i < p->order->start[p->tree.node[k] + 1]; i++) {
      c->place[i] = c->unknowns;
      p->unknown[c->unknowns++] = i;
    }
  for (int s = 0; s < p->tree.sets; s++)
    p->child[s] = -1;
  for (int s = p->tree.sets - 1; s >= 0; s--) { // the first child first
    const int parent = p->tree.parent[s];
    p->sibling[s] = parent >= 0 ? p->child[parent] : -1;
    if (parent >= 0)
      p->child[parent] = s;
  }
}

static void touch(plan *p, int set, int place, int last) {
  if (place < last || p->mark[place] == set)
    return;
  p->mark[place] = set;
  p->position[p->touched++] = place;
}

// Neighbours of its own unknowns, and what its children leave.
static void find_border(plan *p, const fly_cholesky *c, int set, int first, int last) {
  p->touched = 0;
  for (int k = first; k < last; k++)
    for (int e = c->pattern->start[p->unknown[k]]; e < c->pattern->start[p->unknown[k] + 1]; e++)
      touch(p, set, c->place[c->pattern->row[e]], last);
  for (int k = p->child[set]; k >= 0; k = p->sibling[k])
    for (int i = 0; i < c->front[k].border; i++)
      touch(p, set, c->place[c->front[k].row[c->front[k].pivots + i]], last);
  qsort(p->position, (size_t)p->touched, sizeof *p->position, by_number);
}

static double front_work(const front *f) {
  const double p = f->pivots, b = f->border;
  return p * p * p / 3 + p * p * b + p * b * b;
}

static void measure_front(fly_cholesky *c, const front *f) {
  c->entries += (size_t)f->pivots * (size_t)(f->pivots + f->border);
  c->work += front_work(f);
  c->widest = f->pivots + f->border > c->widest ? f->pivots + f->border : c->widest;
}

static bool make_front(fly_cholesky *c, plan *p, int set) {
  front *f = &c->front[set];
  const int first = p->put;
  for (int k = p->tree.first[set]; k < p->tree.first[set + 1]; k++)
    p->put += p->order->start[p->tree.node[k] + 1] - p->order->start[p->tree.node[k]];
  find_border(p, c, set, first, p->put);
  f->child = p->child[set];
  f->sibling = p->sibling[set];
  f->pivots = p->put - first;
  f->border = p->touched;
  f->row = fly_arena_ints(&c->memory, (size_t)(f->pivots + f->border));
  if (!f->row)
    return false;
  memcpy(f->row, p->unknown + first, (size_t)f->pivots * sizeof *f->row);
  for (int i = 0; i < f->border; i++)
    f->row[f->pivots + i] = p->unknown[p->position[i]];
  measure_front(c, f);
  return true;
}

static bool analyze(fly_cholesky *c, const fly_cholesky_order *o, fly_arena *memory) {
  grouped q = {0};
  plan p = {.order = o};
  c->n = c->pattern->cols;
  c->place = fly_arena_ints(&c->memory, (size_t)c->n);
  c->local = fly_arena_ints(&c->memory, (size_t)c->n);
  bool good = !c->memory.failed && make_graph(&q, c->pattern, o, memory) && take_plan(&p, c, &q, memory);
  if (good) {
    order_unknowns(&p, c);
    c->fronts = p.tree.sets;
    c->front = fly_arena_take(&c->memory, (size_t)c->fronts, sizeof *c->front);
    good = c->front != NULL;
  }
  for (int s = 0; good && s < c->fronts; s++)
    good = make_front(c, &p, s);
  fly_dissection_free(&p.tree);
  return good;
}

fly_status fly_cholesky_create(fly_cholesky **out, const fly_csc *pattern, const fly_cholesky_order *order,
                               fly_error *error) {
  fly_arena memory = {0};
  fly_cholesky *c = calloc(1, sizeof *c);
  *out = c;
  if (c)
    c->pattern = pattern;
  const bool good = c && analyze(c, order, &memory);
  fly_arena_free(&memory);
  if (good)
    return FLY_OK;
  fly_cholesky_free(c);
  *out = NULL;
  return no_memory(error);
}

static void forget(fly_cholesky *c) {
  for (int s = 0; s < c->fronts && c->front; s++) {
    free(c->front[s].L);
    free(c->front[s].U);
    c->front[s].L = c->front[s].U = NULL;
  }
}

void fly_cholesky_free(fly_cholesky *c) {
  if (!c)
    return;
  forget(c);
  free(c->top);
  fly_arena_free(&c->memory);
  free(c);
}

// ------------------------------------------------------------------------------------------ numeric

// Column j of a front: of those that are eliminated here in L, of the others in U.
static double *column_of(const front *f, int j) {
  const size_t p = (size_t)f->pivots, b = (size_t)f->border, k = (size_t)j;
  return k < p ? f->L + k * (p + b) : f->U + (k - p) * b - p;
}

static void add_matrix(const fly_cholesky *c, front *f, const double *A, const double *B, double shift) {
  const fly_csc *a = c->pattern;
  for (int k = 0; k < f->pivots; k++) {
    double *column = column_of(f, k);
    const int j = f->row[k];
    for (int e = a->start[j]; e < a->start[j + 1]; e++)
      if (c->place[a->row[e]] >= c->place[j])
        column[c->local[a->row[e]]] += A[e] + (B ? shift * B[e] : 0);
  }
}

static void add_child(const fly_cholesky *c, front *f, front *child) {
  const int *row = child->row + child->pivots, n = child->border;
  for (int j = 0; j < n; j++) {
    double *column = column_of(f, c->local[row[j]]);
    const double *from = child->U + (size_t)j * (size_t)n;
    for (int i = j; i < n; i++)
      column[c->local[row[i]]] += from[i];
  }
  free(child->U);
  child->U = NULL;
}

// L11 of A11, L21 = A21 L11^-T, U -= L21 L21^T.
static bool eliminate(front *f, const fly_lapack *lapack) {
  const int p = f->pivots, b = f->border, rows = p + b;
  const double one = 1, minus = -1;
  int info = 0;
  if (p == 0)
    return true;
  lapack->dpotrf_("L", &p, f->L, &rows, &info, 1);
  if (info != 0)
    return false;
  if (b > 0) {
    lapack->dtrsm_("R", "L", "T", "N", &b, &p, &one, f->L, &rows, f->L + p, &rows, 1, 1, 1, 1);
    lapack->dsyrk_("L", "N", &b, &p, &minus, f->L + p, &rows, &one, f->U, &b, 1, 1);
  }
  return true;
}

static bool take_front(front *f) {
  const size_t p = (size_t)f->pivots, b = (size_t)f->border;
  f->L = fly_zeroed(p * (p + b) + 1, sizeof *f->L);
  f->U = fly_zeroed(b * b + 1, sizeof *f->U);
  return f->L && f->U;
}

fly_status fly_cholesky_factor(fly_cholesky *c, const double *A, const double *B, double shift, fly_share_done *tell,
                               void *user, fly_error *error) {
  const fly_lapack *lapack = NULL;
  double done = 0;
  fly_status status = fly_lapack_ready(&lapack, error);
  forget(c);
  for (int s = 0; s < c->fronts && status == FLY_OK; s++) {
    front *f = &c->front[s];
    if (!take_front(f))
      return no_memory(error);
    for (int i = 0; i < f->pivots + f->border; i++)
      c->local[f->row[i]] = i;
    add_matrix(c, f, A, B, shift);
    for (int k = f->child; k >= 0; k = c->front[k].sibling)
      add_child(c, f, &c->front[k]);
    if (!eliminate(f, lapack))
      status = FLY_SINGULAR;
    done += front_work(f);
    if (tell && c->work > 0)
      tell(done / c->work, user);
  }
  return status;
}

// ------------------------------------------------------------------------------------------ solutions

// The rows of a front of X, one column behind the other, and back.
static void gather(double *top, const front *f, const double *X, int n, int columns) {
  const int rows = f->pivots + f->border;
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      top[(size_t)j * (size_t)rows + (size_t)i] = X[(size_t)j * (size_t)n + (size_t)f->row[i]];
}

static void scatter(double *X, const front *f, const double *top, int n, int columns) {
  const int rows = f->pivots + f->border;
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      X[(size_t)j * (size_t)n + (size_t)f->row[i]] = top[(size_t)j * (size_t)rows + (size_t)i];
}

// The two products of a solution. One column goes by the routines for vectors, which read L where it lies; those for
// matrices copy it first.
static void solve_triangle(const front *f, const char *trans, double *top, int columns, const fly_lapack *lapack) {
  const int p = f->pivots, rows = p + f->border, step = 1;
  const double one = 1;
  if (columns == 1)
    lapack->dtrsv_("L", trans, "N", &p, f->L, &rows, top, &step, 1, 1, 1);
  else
    lapack->dtrsm_("L", "L", trans, "N", &p, &columns, &one, f->L, &rows, top, &rows, 1, 1, 1, 1);
}

// to -= op(L21) from
static void subtract(const front *f, const char *trans, double *to, const double *from, int columns,
                     const fly_lapack *lapack) {
  const int p = f->pivots, b = f->border, rows = p + b, step = 1;
  const int m = *trans == 'N' ? b : p, k = *trans == 'N' ? p : b;
  const double one = 1, minus = -1;
  if (b == 0)
    return;
  if (columns == 1)
    lapack->dgemv_(trans, &b, &p, &minus, f->L + p, &rows, from, &step, &one, to, &step, 1);
  else
    lapack->dgemm_(trans, "N", &m, &columns, &k, &minus, f->L + p, &rows, from, &rows, &one, to, &rows, 1, 1);
}

// y1 = L11^-1 x1, x2 -= L21 y1
static void solve_down(const fly_cholesky *c, const front *f, double *X, int columns, const fly_lapack *lapack) {
  if (f->pivots == 0)
    return;
  gather(c->top, f, X, c->n, columns);
  solve_triangle(f, "N", c->top, columns, lapack);
  subtract(f, "N", c->top + f->pivots, c->top, columns, lapack);
  scatter(X, f, c->top, c->n, columns);
}

// x1 = L11^-T (y1 - L21^T x2)
static void solve_up(const fly_cholesky *c, const front *f, double *X, int columns, const fly_lapack *lapack) {
  if (f->pivots == 0)
    return;
  gather(c->top, f, X, c->n, columns);
  subtract(f, "T", c->top, c->top + f->pivots, columns, lapack);
  solve_triangle(f, "T", c->top, columns, lapack);
  scatter(X, f, c->top, c->n, columns);
}

static bool take_top(fly_cholesky *c, int columns) {
  const size_t room = (size_t)c->widest * (size_t)columns + 1;
  if (room <= c->room)
    return true;
  free(c->top);
  c->top = malloc(room * sizeof *c->top);
  c->room = c->top ? room : 0;
  return c->top != NULL;
}

fly_status fly_cholesky_solve(fly_cholesky *c, double *X, int columns, fly_error *error) {
  const fly_lapack *lapack = NULL;
  fly_status status = fly_lapack_ready(&lapack, error);
  if (status == FLY_OK && !take_top(c, columns))
    status = no_memory(error);
  for (int j = 0; j < columns && status == FLY_OK; j++)
    for (int i = 0; i < c->n; i++)
      if (c->place[i] < 0)
        X[(size_t)j * (size_t)c->n + (size_t)i] = 0;
  for (int s = 0; s < c->fronts && status == FLY_OK; s++)
    solve_down(c, &c->front[s], X, columns, lapack);
  for (int s = c->fronts - 1; s >= 0 && status == FLY_OK; s--)
    solve_up(c, &c->front[s], X, columns, lapack);
  return status;
}

int fly_cholesky_free_count(const fly_cholesky *c) { return c->unknowns; }
size_t fly_cholesky_entries(const fly_cholesky *c) { return c->entries; }
double fly_cholesky_work(const fly_cholesky *c) { return c->work; }
