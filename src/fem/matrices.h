// Stiffness and mass of a whole body. Its unknowns come in groups: those of a node (3, or 6 where it can turn), and
// those of a point (6) that a set of nodes is tied to rigidly:
//
//   u_n = u_p + theta_p x (x_n - x_p),   theta_n = theta_p                                        (F-tie)
#ifndef FLY_FEM_MATRICES_H
#define FLY_FEM_MATRICES_H

#include "base/memory.h"
#include "fem/mesh.h"
#include "sparse/sparse.h"

// A point that nodes are tied to.
typedef struct fly_fem_tie {
  double place[3];
  int count;
  const int *node; // (count)
} fly_fem_tie;

// A matrix as its file has it: entries of both triangles, unknowns node by node.
typedef struct fly_fem_entries {
  int n;
  size_t count;
  int *row, *col;
  double *value;
} fly_fem_entries;

typedef struct fly_fem_system {
  const fly_fem_mesh *mesh;
  int groups, unknowns;
  int *start;        // of each group's unknowns (groups + 1)
  double *place;     // (3 groups)
  int *first, *near; // neighbours of each group, itself too, ascending: near[first[g]] ... (groups + 1)
  int *group;        // that a node's displacements are in: its own, or its tie's; -1: no element has it (nodes)
  int *tie;          // -1: it is not tied (nodes)
  int *node;         // of each group, -1: a tie (groups)
  int *tied;         // group of each tie (ties)
  int *offset;       // private
  bool *turns;       // the node has turns of its own (nodes)
  fly_csc pattern;   // both triangles; its values are those of K
  double *M;         // on the pattern
  fly_arena memory;
} fly_fem_system;

// Elements with their materials and sections, or (K not NULL) matrices of the nodes. unknowns (nodes): of each node, 3
// or 6, where there are matrices.
fly_status fly_fem_assemble(fly_fem_system *s, const fly_fem_mesh *m, int ties, const fly_fem_tie *tie,
                            const fly_fem_entries *K, const fly_fem_entries *M, const int *unknowns, fly_error *error);
void fly_fem_system_free(fly_fem_system *s);

// Geometric stiffness on the pattern by the stresses of displacements x, of what is made of elements.
void fly_fem_stiffening(double *G, const fly_fem_system *s, const double *x);
void fly_fem_multiply(double *y, const fly_fem_system *s, const double *A, const double *x); // y = A x on the pattern
// Displacement and turn of a node by a vector of unknowns; of one that cannot turn, that of its neighbours about it.
void fly_fem_displacement(double u[3], const fly_fem_system *s, const double *x, int node);
void fly_fem_turn(double theta[3], const fly_fem_system *s, const double *x, int node);

// Matrix Market, and the table of nodes: `number, x, y, z` and 3 or 6 unknowns a line (*unknowns, to be freed).
fly_status fly_fem_read_market(fly_fem_entries *e, const char *path, fly_error *error);
fly_status fly_fem_read_table(fly_fem_mesh *m, int **unknowns, const char *path, fly_error *error);
void fly_fem_entries_free(fly_fem_entries *e);

#endif
