// A row for every column of a square pattern, each row for one column only.
#ifndef FLY_SPARSE_MATCH_H
#define FLY_SPARSE_MATCH_H

#include <stdbool.h>

// row_of[j]: a row in which column j has an entry, -1: none; as many as there can be. *count: how many. false: no
// memory.
bool fly_match(int *row_of, int n, const int *start, const int *row, int *count);

#endif
