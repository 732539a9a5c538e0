// Nested dissection of the graph of a mesh by its coordinates (George 1973): a plane of nodes parts what is left of it
// from what is right of it, and each side is parted again. What is eliminated last, the planes, is small; of a solid of
// n nodes the factor then has about n^(4/3) entries. For this room only.
#ifndef FLY_SPARSE_DISSECTION_H
#define FLY_SPARSE_DISSECTION_H

#include <stdbool.h>

// Neighbours of each node: next[start[k]] ... next[start[k+1]-1], itself or not.
typedef struct fly_graph {
  int n;
  const int *start, *next;
  const double *place; // (3 n)
} fly_graph;

// A tree of sets of nodes, children before parents; nodes of a set touch only those of its own and of its ancestors,
// and of what is below it.
typedef struct fly_dissection {
  int sets;
  int *first;  // nodes of each set: node[first[s]] ... node[first[s+1]-1] (sets + 1)
  int *node;   // in the order of elimination
  int *parent; // of each set; -1: it has none (sets)
} fly_dissection;

// Of the nodes that are in the list (count), which is put in another order. False: no memory.
bool fly_dissect(fly_dissection *d, const fly_graph *g, int *list, int count);
void fly_dissection_free(fly_dissection *d);

#endif
