// What KLU does before there are values: a block triangular form, and in each block an order of little fill.
#include "sparse/analyze.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/match.h"

// Of a search for the rows of the columns, in units of the entries: chains, trees, loops and grids in whatever order
// take 1 to 5; where every path is as long as the chain, KLU's search would take as many as there are bodies.
static const double most_work = 20;
static const double little_work = 1e7; // some ten milliseconds: what takes no more keeps KLU's order

// The pattern with the row that is a column's own first in each column: what KLU takes as it comes. NULL: no memory.
static int *put_first(int n, const int *start, const int *row) {
  int *sorted = malloc(((size_t)start[n] + 1) * sizeof *sorted), *row_of = malloc(((size_t)n + 1) * sizeof *row_of);
  int count = 0;
  const bool fine = sorted && row_of && fly_match(row_of, n, start, row, &count);
  if (fine)
    memcpy(sorted, row, (size_t)start[n] * sizeof *sorted);
  for (int j = 0; fine && j < n; j++)
    for (int k = start[j]; k < start[j + 1]; k++)
      if (sorted[k] == row_of[j]) {
        sorted[k] = sorted[start[j]];
        sorted[start[j]] = row_of[j];
        break;
      }
  free(row_of);
  if (!fine) {
    free(sorted);
    return NULL;
  }
  return sorted;
}

klu_symbolic *fly_analyze(int n, int *start, int *row, klu_common *common) {
  common->maxwork = fmax(most_work, little_work / (1 + start[n]));
  klu_symbolic *found = klu_analyze(n, start, row, common);
  common->maxwork = 0;
  if (found == NULL || common->work >= 0)
    return found;
  klu_free_symbolic(&found, common);
  int *sorted = put_first(n, start, row);
  if (sorted)
    found = klu_analyze(n, start, sorted, common);
  free(sorted);
  return found;
}
