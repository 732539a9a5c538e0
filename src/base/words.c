#include "flyball/words.h"

#include <stddef.h>
#include <string.h>

static int least(int a, int b) { return a < b ? a : b; }

// Insertions, deletions, replacements and swaps of neighbours that turn a into b.
static int edit_distance(const char *a, const char *b) {
  enum { LONGEST = 40 };
  int row[3][LONGEST + 1] = {{0}}; // of the letters i, i-1, i-2 of a
  const int na = least((int)strlen(a), LONGEST), nb = least((int)strlen(b), LONGEST);
  for (int j = 0; j <= nb; j++)
    row[0][j] = j;
  for (int i = 1; i <= na; i++) {
    memcpy(row[2], row[1], sizeof row[0]);
    memcpy(row[1], row[0], sizeof row[0]);
    row[0][0] = i;
    for (int j = 1; j <= nb; j++) {
      row[0][j] = least(row[1][j - 1] + (a[i - 1] != b[j - 1]), 1 + least(row[1][j], row[0][j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[0][j] = least(row[0][j], row[2][j - 2] + 1);
    }
  }
  return row[0][nb];
}

const char *fly_nearest_word(const char *typed, const char *const *words) {
  const char *nearest = NULL;
  if (typed == NULL || words == NULL)
    return NULL;
  int distance = ((int)strlen(typed) + 1) / 3; // more than about a third mistyped is another word
  for (int i = 0; words[i] != NULL; i++) {
    const int d = edit_distance(typed, words[i]);
    if (d < distance || (nearest == NULL && d <= distance)) {
      distance = d;
      nearest = words[i];
    }
  }
  return nearest;
}
