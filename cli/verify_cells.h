// flyball verify promise: cells of its tables that were measured are kept in a file, so that it can be done in pieces.
#ifndef FLYBALL_CLI_VERIFY_CELLS_H
#define FLYBALL_CLI_VERIFY_CELLS_H

#include <stdbool.h>

// What one cell adds to its table.
typedef enum verify_kind { VERIFY_NOTHING, VERIFY_OK, VERIFY_REFUSED, VERIFY_FAILED } verify_kind;

enum { VERIFY_CASES = 8000 };

typedef struct verify_piece {
  char text[28]; // as in the table
  verify_kind kind;
  bool beyond;                   // the error asked for was out of reach
  double ratio;                  // E over the error asked for
  double steps;                  // of the run; 0: not known
  int cases;                     // errors of values against their estimates:
  double coverage[VERIFY_CASES]; // their ratios,
  double worst;                  // the largest,
  char where[200];               // and where it was
} verify_piece;

typedef struct verify_cells verify_cells;

// Reads what is in the file, if there is one; what is added is written to it at once. NULL: no file was named, or it
// cannot be opened, which is said.
verify_cells *verify_cells_open(const char *file);
void verify_cells_close(verify_cells *c);                                            // NULL is fine
bool verify_cells_find(const verify_cells *c, const char *key, verify_piece *piece); // NULL has none
void verify_cells_add(verify_cells *c, const char *key, const verify_piece *piece);

#endif
