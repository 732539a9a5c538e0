// Triangular factors laid out for solving: neighbouring columns of L, and neighbouring rows of U, that have nearly the
// same pattern are one dense panel. A panel is read in one go with one index a row instead of one an entry, which
// halves the work of a solve and takes a third from what must come from memory.
#ifndef FLY_SPARSE_PANELS_H
#define FLY_SPARSE_PANELS_H

#include <stdbool.h>

#include "base/memory.h"

#if defined(__GNUC__)
#define FLY_INLINED static inline __attribute__((always_inline))
#else
#define FLY_INLINED static inline
#endif
// Before a loop: n of its rounds at a time. All of a loop over the width of a panel, which is a number where it is
// compiled: loops inside of it, too, have ends that are known then.
#if defined(__GNUC__) && !defined(__clang__)
#define FLY_PRAGMA(words) _Pragma(#words)
#define FLY_UNROLLED(n) FLY_PRAGMA(GCC unroll n)
#else
#define FLY_UNROLLED(n)
#endif

enum { FLY_PANELS_WIDEST = 6 };

// Values below the diagonal of a square, row by row: before row i stand so many.
static inline int fly_triangle(int i) { return i * (i - 1) / 2; }

// A factor in compressed vectors as KLU holds them: vector k (column k of L, row k of U) has entries at indices > k,
// ascending; the diagonal is 1.
typedef struct fly_panels {
  int n, count;     // vectors, panels
  int *first;       // vectors of each panel: first[p] ... first[p+1]-1 (count + 1)
  int *index_start; // of each panel's indices (count + 1)
  int *index;       // beyond the panel, ascending
  int *value_start; // of each panel's values (count + 1)
  double *value;    // triangle inside the panel, then `width` values an index
  int *panel_of;    // of each vector (n)
  fly_arena memory;
} fly_panels;

// From the pattern: vector k has index[start[k]] ... index[start[k+1]-1]. f owns nothing before, and its values are
// zero behind. False: no memory.
bool fly_panels_build(fly_panels *f, int n, const int *start, const int *index);
void fly_panels_free(fly_panels *f); // all zero is fine
// Where the value of vector k at an index belongs; *hint is a place in the panel's indices at or before it.
double *fly_panels_at(fly_panels *f, int k, int index, int *hint);
void fly_panels_forward(const fly_panels *f, double *x);  // x becomes L^-1 x
void fly_panels_backward(const fly_panels *f, double *x); // x becomes U^-1 x

#endif
