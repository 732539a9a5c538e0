// LU of a large matrix of bodies and joints that form trees, in dense blocks: each joint's rows are eliminated together
// with the body that hangs on it, whose mass matrix and joint's Jacobian, [A G^T; V 0], have an inverse of their own,
// from the outermost bodies inwards: what is left to the next body is the inertia of all that hangs on it. Eliminating
// all bodies before all joints leaves the matrix of a string of n beads instead, whose condition grows like n^2
// (docs/theory/cost.md, C-clusters). Forces may couple any two bodies. For this room only.
//
//   D z = b            A cluster of w unknowns: D w x w, and as far as clusters behind it (its border, R unknowns) are
//   b_R -= L z         concerned, L R x w and U w x R. What it leaves: -L W, W = D^-1 U, which is added to the clusters
//   x = z - W x_R      of its border. D^-1, W and L^T are kept, by columns of whole fours of rows.
//
// A solution of a large model waits for these to come from memory. Where corrections are improved by the next one, as
// in Newton's iteration, they are kept in half as many bytes, as long as these converge.
#ifndef FLY_SPARSE_CLUSTERS_H
#define FLY_SPARSE_CLUSTERS_H

#include <stdbool.h>

#include "sparse/plan.h"
#include "sparse/sparse.h"

enum { FLY_CLUSTER_WIDEST = 12 };

typedef struct fly_clusters {
  int n, count;             // unknowns, clusters in the order of elimination
  int *order;               // unknowns, cluster by cluster (n)
  int *first;               // of each cluster in that order: its body's, then its joint's (count + 1)
  int *body;                // how many are its body's: the others nobody touches but itself (count)
  int *held;                // whether its joint holds a point of its body (invert.h) (count)
  int *slot;                // of each cluster in x, of whole fours (count + 1)
  int *border_start;        // clusters that each one touches when it is eliminated (count + 1),
  int *border;              // ... ascending
  int *reach;               // unknowns of their bodies, an even number of each, all together (count)
  int *extent_start;        // of each cluster (count + 1) the columns of U: ...
  unsigned char *extent;    // ... rows from where to where, even numbers, two of each: elsewhere it is zero
  int *value_start;         // D^-1, W, L^T of each cluster in its room: their number, summed up (count + 1)
  int *ahead;               // where D^-1 and L^T are kept, which the way ahead reads, ...
  int *back;                // ... and behind all of them W, which the way back reads (count)
  int *pair_start;          // of each cluster: pairs of its border (count + 1): ...
  int *pair;                // ... where the later one begins among the border of the earlier
  int *ready_start;         // clusters that are touched for the first time when each one is eliminated (count + 1),
  int *ready;               // ... itself among them if nobody came before,
  int *room;                // and until they are eliminated have this of the rooms (count)
  int rooms, largest;       // rooms, values in each
  int *entry_start;         // entries of A in each cluster (count + 1)
  int *entry;               // ... their numbers (nnz)
  unsigned short *place;    // ... and places in its room (nnz)
  int *at;                  // where their values stand, kind by kind in each cluster; NULL: where the pattern has them
  unsigned short *at_place; // and then of the values, one behind the other: places in its room, once for clusters of
                            // one shape (at most nnz);
  int *shape;               // ... where those of each cluster begin (count);
  int (*kind_start)[FLY_KINDS]; // ... and how many of each kind stand before those of a cluster (count + 1)
  double *value;                // of all clusters, NULL if
  unsigned long long *half;     // they are kept in half as many bytes, two in one
  double *work;                 // rooms
  double *size;                 // what a pivot was the sum of, all taken positive; as x is laid out
  double *x;                    // work
  double *known, *right;        // work: a solution that is known, and its right side (n)
  fly_plan *plan;               // whose lists of whole numbers are above
  fly_arena memory;             // values and work
} fly_clusters;

static inline int fly_cluster_width(const fly_clusters *f, int i) { return f->first[i + 1] - f->first[i]; }
static inline int fly_cluster_rows(int width) { return (width + 3) & ~3; } // of whole fours
static inline int fly_even(int columns) { return (columns + 1) & ~1; }

// *out NULL behind it: these are not trees, or the factors would fill up. like (may be NULL): its lists serve if the
// pattern is the same. False: no memory.
bool fly_clusters_create(fly_clusters **out, const fly_csc *pattern, fly_lu_groups groups, const fly_clusters *like);
void fly_clusters_free(fly_clusters *f); // NULL is fine
// How many times a pivot is exceeded by the sum of what it is made of, at most; infinite: a pivot was zero, a value not
// finite, or, if that is tried, a solution that is known was not found again (C-known). What the factors are beyond
// `most` is not known.
double fly_clusters_factor(fly_clusters *f, const fly_csc *a, double most, bool tried);
// The same with values in terms (fly_lu_factor_terms), which are not tried.
double fly_clusters_factor_terms(fly_clusters *f, const fly_csc *a, const fly_terms *term, double most);
bool fly_clusters_keep_whole(fly_clusters *f); // from the next factorization on. False: no memory
// As fly_fronts_solve, fly_fronts_entries.
void fly_clusters_solve(fly_clusters *f, double *b, bool transposed);
long fly_clusters_entries(const fly_clusters *f);

#endif
