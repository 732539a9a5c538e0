// Which of many boxes overlap, in a time that grows as they do and as the pairs there are (docs/theory/contact.md,
// T-near). A box lies in the cell of its middle, in a grid whose cells are the smallest power of two that is no smaller
// than the box; cells are found by a hash of their place. What overlaps it lies in the cells around it, in its own grid
// or in a coarser one.
#ifndef FLY_MATH_GRID_H
#define FLY_MATH_GRID_H

#include <stdint.h>

typedef struct fly_box {
  double lo[3], hi[3];
} fly_box;

enum { FLY_GRID_LEVELS = 48 }; // sizes of cells: smaller boxes lie in the smallest

// Where a box lies.
typedef struct fly_cell {
  int64_t at[3];
  int level;
} fly_cell;

typedef struct fly_grid_entry {
  fly_cell cell;
  fly_box box;
  int of; // its number
} fly_grid_entry;

// Room for the search, of the caller: slots is a power of two above the number of boxes.
typedef struct fly_grid {
  int slots;
  int *first;            // of each slot, its first entry (slots + 1)
  fly_grid_entry *entry; // slot by slot, one a box
} fly_grid;

int fly_grid_slots(int boxes);

// Tells of every two boxes that overlap or touch, i < k, once; of those with finite corners. The order is the same for
// the same boxes.
typedef void fly_grid_fn(int i, int k, void *user);
void fly_grid_pairs(fly_grid *g, const fly_box *box, int count, fly_grid_fn *found, void *user);

#endif
