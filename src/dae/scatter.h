// Entries of a sparse matrix that are added into another one, many of them side by side: numbers are then worked on
// several at a time, and need no list of places. For this room only.
#ifndef FLY_DAE_SCATTER_H
#define FLY_DAE_SCATTER_H

#include <stdbool.h>

#include "base/memory.h"
#include "dae/eval.h"
#include "sparse/sparse.h"

// So many entries of a column that follow each other, and where the first of them goes; of a rotation's three columns,
// which have the same rows, where in each of three.
typedef struct fly_scatter_run {
  int count, to[3];
} fly_scatter_run;

typedef struct fly_scatter {
  int *start; // of each column, of turned ones of each rotation (+ 1). NULL: nobody looked
  fly_scatter_run *run;
} fly_scatter;

// place: where entry k goes (nnz). False: no memory.
bool fly_scatter_find(fly_scatter *r, fly_arena *memory, const fly_csc *a, const int *place);
// Turned: the columns of a rotation are multiplied by its matrix T, so entry k goes to place[3 k], [3 k + 1], [3 k +
// 2]; of other columns to place[3 k].
bool fly_scatter_find_turned(fly_scatter *r, fly_arena *memory, const fly_eval *e, const fly_csc *a, const int *place);

// val += c A, its columns from `first` to `end`
void fly_scatter_add(double *val, double c, const fly_csc *a, const int *place, const fly_scatter *r, int first,
                     int end);
// The same for c A T; T: 9 a rotation, row by row.
void fly_scatter_add_turned(double *val, double c, const fly_csc *a, const int *place, const fly_scatter *r,
                            const fly_eval *e, const double *T);

#endif
