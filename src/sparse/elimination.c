#include "sparse/elimination.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

// ---------------------------------------------------------------------------------- neighbours

static void list_by_rows(fly_elimination *p) {
  const fly_csc *a = p->a;
  int *at = p->work;
  for (int k = 0; k < a->start[p->n]; k++)
    p->by_row_start[a->row[k] + 1]++;
  for (int i = 0; i < p->n; i++) {
    p->by_row_start[i + 1] += p->by_row_start[i];
    at[i] = p->by_row_start[i];
  }
  for (int j = 0; j < p->n; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++) {
      p->by_row[at[a->row[k]]] = j;
      p->number[at[a->row[k]]++] = k;
    }
}

// Of column j and of row j, without repetition.
static int list_neighbours(fly_elimination *p, int j, int count) {
  p->mark[j] = j;
  for (int pass = 0; pass < 2; pass++) {
    const int *start = pass ? p->by_row_start : p->a->start, *list = pass ? p->by_row : p->a->row;
    for (int k = start[j]; k < start[j + 1]; k++)
      if (p->mark[list[k]] != j) {
        p->mark[list[k]] = j;
        p->next[count++] = list[k];
      }
  }
  return count;
}

static bool begin(fly_elimination *p) {
  const size_t n = (size_t)p->n, nnz = (size_t)fly_csc_nnz(p->a);
  int **lists[] = {&p->by_row_start, &p->start, &p->order, &p->place, &p->parent, &p->mark, &p->work};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
    *lists[k] = fly_arena_ints(&p->memory, n + 1);
  p->by_row = fly_arena_ints(&p->memory, nnz);
  p->number = fly_arena_ints(&p->memory, nnz);
  p->next = fly_arena_ints(&p->memory, 2 * nnz);
  if (p->memory.failed)
    return false;
  list_by_rows(p);
  for (int j = 0; j < p->n; j++)
    p->mark[j] = -1;
  for (int j = 0; j < p->n; j++)
    p->start[j + 1] = list_neighbours(p, j, p->start[j]);
  return true;
}

// ---------------------------------------------------------------------------------- the order

static bool has_diagonal(const fly_elimination *p, int j) {
  for (int k = p->a->start[j]; k < p->a->start[j + 1]; k++)
    if (p->a->row[k] == j)
      return true;
  return false;
}

// What is not on the diagonal waits for all of its neighbours that are. given: an order (n); work: how many of them are
// not yet eliminated, -1: it is on the diagonal; mark: its turn has been.
static void wait_for_neighbours(fly_elimination *p, const int *given) {
  int count = 0, *waits = p->work;
  for (int j = 0; j < p->n; j++)
    waits[j] = has_diagonal(p, j) ? -1 : 0;
  for (int j = 0; j < p->n; j++) {
    p->mark[j] = 0;
    for (int k = p->start[j]; waits[j] >= 0 && k < p->start[j + 1]; k++)
      waits[j] += waits[p->next[k]] < 0;
  }
  for (int at = 0; at < p->n; at++) {
    const int j = given[at];
    p->mark[j] = 1;
    if (waits[j] > 0)
      continue;
    p->order[count++] = j;
    for (int k = p->start[j]; waits[j] < 0 && k < p->start[j + 1]; k++)
      if (waits[p->next[k]] > 0 && --waits[p->next[k]] == 0 && p->mark[p->next[k]])
        p->order[count++] = p->next[k];
  }
}

static void find_places(fly_elimination *p) {
  for (int k = 0; k < p->n; k++)
    p->place[p->order[k]] = k;
}

// Liu, "The role of elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11 (1990). work: shortcuts.
static void find_parents(fly_elimination *p) {
  for (int k = 0; k < p->n; k++) {
    p->parent[k] = p->work[k] = -1;
    for (int e = p->start[p->order[k]]; e < p->start[p->order[k] + 1]; e++)
      for (int i = p->place[p->next[e]]; i >= 0 && i < k;) {
        const int up = p->work[i];
        p->work[i] = k;
        if (up < 0)
          p->parent[i] = k;
        i = up;
      }
  }
}

// Children stand right before their parents, as a stack wants it; fill is not changed. mark: the first child, work: the
// next of the same parent.
static void postorder(fly_elimination *p, int *sorted, int *stack) {
  int count = 0, *child = p->mark, *sibling = p->work;
  memset(child, -1, (size_t)p->n * sizeof *child);
  for (int k = p->n - 1; k >= 0; k--)
    if (p->parent[k] >= 0) {
      sibling[k] = child[p->parent[k]];
      child[p->parent[k]] = k;
    }
  for (int root = 0; root < p->n; root++) {
    int depth = 0;
    if (p->parent[root] >= 0)
      continue;
    for (stack[0] = root; depth >= 0;) {
      const int k = stack[depth], c = child[k];
      if (c >= 0) {
        child[k] = sibling[c];
        stack[++depth] = c;
      } else {
        sorted[count++] = p->order[k];
        depth--;
      }
    }
  }
}

// From the order there was to the sorted one: the tree stays the same. work: what the parents were.
static void renumber_parents(fly_elimination *p, const int *sorted) {
  memcpy(p->work, p->parent, (size_t)p->n * sizeof *p->work);
  for (int k = 0; k < p->n; k++)
    p->mark[p->place[sorted[k]]] = k;
  for (int k = 0; k < p->n; k++)
    p->parent[p->mark[k]] = p->work[k] < 0 ? -1 : p->mark[p->work[k]];
  memcpy(p->order, sorted, (size_t)p->n * sizeof *sorted);
  find_places(p);
}

// ---------------------------------------------------------------------------------- those that wait

// Unknowns that wait, and which of them are neighbours when all on the diagonal are eliminated that stand between them:
// one, or two that are coupled, as those of a body are.
typedef struct waiting {
  int count, *unknown; // (count)
  int *number;         // of each unknown among them; -1: it is on the diagonal (n)
  int *start;          // (count + 1)
  int *next, room;
} waiting;

// A body that carries hundreds of others makes neighbours of all their multipliers. Beyond so many times the entries of
// the matrix there is nothing to be gained.
static const double MOST_NEIGHBOURS = 16;

// Those that wait beside unknown u.
static bool add_beside(const fly_elimination *p, waiting *w, int of, int u) {
  int *count = &w->start[of + 1];
  if (!fly_reserve(&w->next, &w->room, *count + p->start[u + 1] - p->start[u] + 1, sizeof *w->next))
    return false;
  for (int k = p->start[u]; k < p->start[u + 1]; k++) {
    const int other = w->number[p->next[k]];
    if (other < 0 || p->mark[other] == of)
      continue;
    p->mark[other] = of;
    w->next[(*count)++] = other;
  }
  return true;
}

// Beside unknown u, which is on the diagonal, and those that it is coupled with.
static bool add_behind(const fly_elimination *p, waiting *w, int of, int u) {
  bool good = add_beside(p, w, of, u);
  for (int k = p->start[u]; k < p->start[u + 1] && good; k++)
    good = w->number[p->next[k]] >= 0 || add_beside(p, w, of, p->next[k]);
  return good;
}

static bool add_neighbours(const fly_elimination *p, waiting *w, int of) {
  const int j = w->unknown[of];
  w->start[of + 1] = w->start[of];
  bool good = add_beside(p, w, of, j);
  for (int k = p->start[j]; k < p->start[j + 1] && good; k++)
    good = w->number[p->next[k]] >= 0 || add_behind(p, w, of, p->next[k]);
  return good;
}

// False: no memory. *fine: there are some, and their neighbours are not too many.
static bool find_waiting(fly_elimination *p, waiting *w, bool *fine) {
  const double most = MOST_NEIGHBOURS * fly_csc_nnz(p->a);
  w->unknown = fly_arena_ints(&p->memory, (size_t)p->n);
  w->number = fly_arena_ints(&p->memory, (size_t)p->n);
  w->start = fly_arena_ints(&p->memory, (size_t)p->n + 1);
  if (p->memory.failed)
    return false;
  for (int j = 0; j < p->n; j++) {
    w->number[j] = has_diagonal(p, j) ? -1 : w->count;
    if (w->number[j] >= 0)
      w->unknown[w->count++] = j;
    p->mark[j] = -1;
  }
  *fine = w->count > 0;
  for (int k = 0; k < w->count && *fine; k++) {
    if (!add_neighbours(p, w, k))
      return false;
    *fine = w->start[k + 1] <= most;
  }
  return true;
}

// One behind the other in the order given to them, each behind all that it waits for; what nobody waits for comes last.
static void put_waiting(fly_elimination *p, const waiting *w, const int *order, int *all) {
  int count = 0;
  memset(p->mark, 0, (size_t)p->n * sizeof *p->mark);
  for (int k = 0; k < w->count; k++) {
    const int j = w->unknown[order[k]];
    p->mark[j] = 1;
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      const int u = p->next[e];
      if (w->number[u] >= 0 || p->mark[u])
        continue;
      p->mark[u] = 1;
      all[count++] = u;
    }
    all[count++] = j;
  }
  for (int j = 0; j < p->n; j++)
    if (!p->mark[j])
      all[count++] = j;
}

// Those that wait in AMD's order of them.
static bool order_waiting(fly_elimination *p, int *all, bool *fine) {
  waiting w = {0};
  int *order = fly_arena_ints(&p->memory, (size_t)p->n);
  bool good = order && find_waiting(p, &w, fine);
  if (good && *fine)
    good = amd_order(w.count, w.start, w.next, order, NULL, NULL) >= 0;
  if (good && *fine)
    put_waiting(p, &w, order, all);
  free(w.next);
  return good;
}

// ---------------------------------------------------------------------------------- the better order

static void take_order(fly_elimination *p, const int *given) {
  wait_for_neighbours(p, given);
  find_places(p);
  find_parents(p);
}

// Products in a factorization, about: of each column the square of its length. Row k has an entry in the columns that
// lie between its neighbours and k in the tree. work: lengths.
static double count_products(fly_elimination *p) {
  double products = 0;
  for (int k = 0; k < p->n; k++) {
    p->work[k] = 0;
    p->mark[k] = k;
    for (int e = p->start[p->order[k]]; e < p->start[p->order[k] + 1]; e++)
      for (int i = p->place[p->next[e]]; i < k && p->mark[i] != k; i = p->parent[i]) {
        p->mark[i] = k;
        p->work[i]++;
      }
  }
  for (int k = 0; k < p->n; k++)
    products += (double)p->work[k] * p->work[k];
  return products;
}

// AMD's order of all unknowns, in which some then wait, or AMD's order of those that wait: in a grid of four-bars a
// quarter of the products. What couples bodies beside their joints it does not see.
static bool choose_order(fly_elimination *p) {
  double info[AMD_INFO] = {0};
  bool other = false;
  int *all = fly_arena_ints(&p->memory, (size_t)p->n), *behind = fly_arena_ints(&p->memory, (size_t)p->n);
  if (p->memory.failed || amd_order(p->n, p->a->start, p->a->row, all, NULL, info) < 0 ||
      !order_waiting(p, behind, &other))
    return false;
  p->promised = info[AMD_LNZ];
  take_order(p, all);
  p->products = p->products_all = count_products(p);
  if (!other)
    return true;
  take_order(p, behind);
  p->products = count_products(p);
  if (p->products < p->products_all)
    return true;
  take_order(p, all);
  p->products = p->products_all;
  return true;
}

bool fly_elimination_find(fly_elimination *p, const fly_csc *pattern, const int *given) {
  *p = (fly_elimination){.a = pattern, .n = pattern->cols};
  int *sorted = fly_arena_ints(&p->memory, (size_t)p->n), *stack = fly_arena_ints(&p->memory, (size_t)p->n + 1);
  if (!begin(p))
    return false;
  if (given)
    take_order(p, given);
  else if (!choose_order(p))
    return false;
  postorder(p, sorted, stack);
  renumber_parents(p, sorted);
  return true;
}
