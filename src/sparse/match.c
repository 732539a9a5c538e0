// Hopcroft and Karp, "An n^5/2 algorithm for maximum matchings in bipartite graphs", SIAM J. Comput. 2 (1973): in each
// phase all shortest augmenting paths that do not meet, so that few phases are needed however long the paths are.
#include "sparse/match.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
  int n;
  const int *start, *row; // the pattern
  int *row_of;            // of each column, -1: none (n)
  int *column_of;         // of each row, -1: none (n)
  int *level;             // of each column: how far from a free one; -1: not reached, or of no use any more (n)
  int *next;              // entry of each column that is tried next (n)
  int *list;              // columns in the order of their levels, or a path (n)
} search;

static void pair(search *s, int column, int row) {
  s->row_of[column] = row;
  s->column_of[row] = column;
}

static bool has(const search *s, int column, int row) {
  for (int k = s->start[column]; k < s->start[column + 1]; k++)
    if (s->row[k] == row)
      return true;
  return false;
}

static void take_first_free(search *s, int column) {
  for (int k = s->start[column]; k < s->start[column + 1] && s->row_of[column] < 0; k++)
    if (s->column_of[s->row[k]] < 0)
      pair(s, column, s->row[k]);
}

// Columns without a diagonal entry, those of multipliers, have fewer rows to choose from and choose first.
static void begin(search *s) {
  memset(s->row_of, -1, (size_t)s->n * sizeof(int));
  memset(s->column_of, -1, (size_t)s->n * sizeof(int));
  for (int j = 0; j < s->n; j++)
    if (!has(s, j, j))
      take_first_free(s, j);
  for (int j = 0; j < s->n; j++)
    if (s->row_of[j] < 0 && s->column_of[j] < 0 && has(s, j, j))
      pair(s, j, j);
  for (int j = 0; j < s->n; j++)
    take_first_free(s, j);
}

// Levels from all free columns up to the first where a row is free. false: there is none.
static bool find_levels(search *s) {
  int count = 0, last = s->n;
  for (int j = 0; j < s->n; j++) {
    s->level[j] = s->row_of[j] < 0 ? 0 : -1;
    s->next[j] = s->start[j];
    if (s->level[j] == 0)
      s->list[count++] = j;
  }
  for (int at = 0; at < count && s->level[s->list[at]] < last; at++) {
    const int j = s->list[at];
    for (int k = s->start[j]; k < s->start[j + 1]; k++) {
      const int other = s->column_of[s->row[k]];
      if (other < 0)
        last = s->level[j] + 1;
      else if (s->level[other] < 0) {
        s->level[other] = s->level[j] + 1;
        s->list[count++] = other;
      }
    }
  }
  return last < s->n;
}

// The next column of a path behind j: one level further. -1: a row is free, -2: there is none.
static int step(search *s, int j) {
  for (; s->next[j] < s->start[j + 1]; s->next[j]++) {
    const int other = s->column_of[s->row[s->next[j]]];
    if (other < 0 || s->level[other] == s->level[j] + 1)
      return other < 0 ? -1 : other;
  }
  return -2;
}

// One path from a free column to a free row, along the levels; its pairs are exchanged.
static bool augment(search *s, int from) {
  int depth = 0;
  s->list[0] = from;
  while (depth >= 0) {
    const int j = s->list[depth], other = step(s, j);
    if (other >= 0)
      s->list[++depth] = other;
    else if (other == -1) {
      for (; depth >= 0; depth--)
        pair(s, s->list[depth], s->row[s->next[s->list[depth]]]);
      return true;
    } else {
      s->level[j] = -1;
      depth--;
    }
  }
  return false;
}

bool fly_match(int *row_of, int n, const int *start, const int *row, int *count) {
  int *work = malloc((4 * (size_t)n + 1) * sizeof *work);
  if (work == NULL)
    return false;
  search s = {n, start, row, row_of, work, work + n, work + 2 * (size_t)n, work + 3 * (size_t)n};
  begin(&s);
  while (find_levels(&s))
    for (int j = 0; j < n; j++)
      if (s.row_of[j] < 0 && s.level[j] == 0)
        (void)augment(&s, j);
  *count = 0;
  for (int j = 0; j < n; j++)
    *count += row_of[j] >= 0;
  free(work);
  return true;
}
