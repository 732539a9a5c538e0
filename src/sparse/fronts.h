// LU of a large matrix of symmetric pattern with pivots on its diagonal, by dense fronts (Duff and Reid, ACM Trans.
// Math. Softw. 9, 1983). Unknowns without an entry on the diagonal, multipliers, wait until all unknowns of their
// constraint are eliminated, which fills their diagonals (Bridson 2007): docs/theory/cost.md, section 2. Nothing is
// searched for: order, fronts and places are found once, from the pattern alone. What is lost by that is measured.
// For this room only.
#ifndef FLY_SPARSE_FRONTS_H
#define FLY_SPARSE_FRONTS_H

#include <stdbool.h>

#include "sparse/panels.h"
#include "sparse/plan.h"
#include "sparse/sparse.h"

// A front eliminates neighbours in the order of elimination (its width). Behind them it has rows and columns of those
// that are eliminated later (its border). Of what it leaves of L and U panels are made: one, or, where borders only
// lose what is eliminated, as in the last fronts of bodies that all touch each other, a row of them.
typedef struct fly_fronts {
  int n, count;     // unknowns, fronts; children before parents, as on a stack
  int *order;       // unknowns in the order of elimination (n)
  fly_panels lower; // L and
  fly_panels upper; // D^-1 U: A = L U, L of unit diagonal
  int *panel;       // of each front: panel[s] ... panel[s+1]-1; the border of the last is that of the front (count + 1)
  int *front_of;    // of each panel (lower.count)
  int *child_start; // children of each front (count + 1)
  int *child;       // ... ascending
  int *relative; // of each front's border: places in the front of its parent; starts as the indices of its last panel
  int *entry_start; // entries of A that come into each front (count + 1)
  int *entry;       // ... their numbers (nnz)
  int *entry_place; // ... and places in the front, row by row (nnz)
  int *diagonal;    // of each pivot: the number of its entry in A, -1: it has none (n)
  double *scale;    // one over each pivot (n)
  double *size;     // what a pivot was the sum of, all taken positive (n)
  double *front;    // work: the largest front
  double *stack;    // work: what children leave to their parents
  double *x;        // work (n)
  size_t largest;   // entries of the largest front,
  size_t highest;   // and of the stack
  fly_plan *plan;   // whose lists of whole numbers are above
  fly_arena memory; // values and work
} fly_fronts;

static inline int fly_front_first(const fly_fronts *f, int s) { return f->lower.first[f->panel[s]]; }
static inline int fly_front_end(const fly_fronts *f, int s) { return f->lower.first[f->panel[s + 1]]; }
static inline int fly_front_width(const fly_fronts *f, int s) { return fly_front_end(f, s) - fly_front_first(f, s); }
static inline int fly_panel_border(const fly_panels *l, int p) { return l->index_start[p + 1] - l->index_start[p]; }
static inline int fly_front_border(const fly_fronts *f, int s) {
  return fly_panel_border(&f->lower, f->panel[s + 1] - 1);
}
static inline const int *fly_front_index(const fly_fronts *f, int s) {
  return f->lower.index + f->lower.index_start[f->panel[s + 1] - 1];
}

// The first w rows and columns of the m x m matrix F, row by row: L below the diagonal, which is 1, and U; what is left
// of the others behind them. inverse: one over each pivot (w).
void fly_front_eliminate(double *F, int m, int w, double *inverse);

// like (may be NULL): an order that served a matrix of the same size is taken from it, and all else if the pattern is
// the same as well. *out NULL behind it: such an order would fill the factors more than a search for pivots does.
// False: no memory.
bool fly_fronts_create(fly_fronts **out, const fly_csc *pattern, const fly_fronts *like);
void fly_fronts_free(fly_fronts *f); // NULL is fine
// How many times the sum of its parts exceeds a pivot, at most: the digits that are lost. Infinite or NAN: a pivot was
// zero, or a value not finite. What the factors are beyond `most` is not known.
double fly_fronts_factor(fly_fronts *f, const double *value, double most);
void fly_fronts_solve(fly_fronts *f, double *b, bool transposed); // in place
long fly_fronts_entries(const fly_fronts *f);                     // of both factors

#endif
