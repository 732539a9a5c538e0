// Rows of joints that close no loop. Where bodies, with the ground, are joined as trees are, the rows of each joint
// have columns of their own, those of the body that hangs on it: all rows are independent if those of each joint are,
// seen from either of its bodies. That is told joint by joint, without an elimination of them all.
#ifndef FLY_ANALYSIS_FOREST_H
#define FLY_ANALYSIS_FOREST_H

#include <stdbool.h>

#include "sparse/sparse.h"

// *known: the rows of G are independent, with much to spare. If not they may be or not, and a search has to tell.
// group: the body of each column, from 0 to G->cols - 1 (G->cols); columns of one follow each other.
fly_status fly_forest_independent(bool *known, const fly_csc *G, const int *group, fly_error *error);

#endif
