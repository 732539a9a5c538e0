#include "math/grid.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double FARTHEST = 1e15; // cells from the origin: beyond it all lie in the last

int fly_grid_slots(int boxes) {
  int slots = 16;
  while (slots < boxes && slots <= INT_MAX / 2)
    slots *= 2;
  return slots;
}

// ------------------------------------------------------------------------------------------ cells

// Exponents of the cells: level 0 is the largest.
typedef struct sizes {
  int largest;                      // exponent
  bool used[FLY_GRID_LEVELS];       //
  double size[FLY_GRID_LEVELS];     // of a cell
  double per_size[FLY_GRID_LEVELS]; // 1 over it
} sizes;

static bool is_finite(const fly_box *b) {
  bool finite = true;
  for (int c = 0; c < 3; c++)
    finite = finite && isfinite(b->lo[c]) && isfinite(b->hi[c]);
  return finite;
}

static double extent(const fly_box *b) {
  return fmax(b->hi[0] - b->lo[0], fmax(b->hi[1] - b->lo[1], b->hi[2] - b->lo[2]));
}

// The smallest power of two that is no smaller: 2^e.
static int exponent_of(double size) {
  int e;
  const double m = frexp(fmax(size, 1e-290), &e);
  return m == 0.5 ? e - 1 : e;
}

static int64_t cell_of(double x) { return (int64_t)floor(fmin(fmax(x, -FARTHEST), FARTHEST)); }

static int level_of(const sizes *s, const fly_box *b) {
  const int level = s->largest - exponent_of(extent(b));
  return level < FLY_GRID_LEVELS ? level : FLY_GRID_LEVELS - 1;
}

static void find_sizes(sizes *s, const fly_box *box, int count) {
  *s = (sizes){.largest = exponent_of(0)}; // none is smaller
  for (int k = 0; k < count; k++)
    if (is_finite(&box[k])) {
      const int e = exponent_of(extent(&box[k]));
      s->largest = e > s->largest ? e : s->largest;
    }
  for (int k = 0; k < FLY_GRID_LEVELS; k++) {
    s->size[k] = ldexp(1, s->largest - k);
    s->per_size[k] = ldexp(1, k - s->largest);
  }
}

// Cells beside each other along x lie beside each other, so that memory is read in a row.
static int slot_of(const fly_grid *g, const int64_t at[3], int level) {
  const uint64_t line = ((uint64_t)at[1] * 0x9e3779b97f4a7c15U) ^ ((uint64_t)at[2] * 0xbf58476d1ce4e5b9U) ^
                        ((uint64_t)level * 0x94d049bb133111ebU);
  return (int)(((line >> 32) + (uint64_t)at[0]) & (uint64_t)(g->slots - 1));
}

// Where a box lies; level -1: nowhere.
static fly_cell place_of(const sizes *s, const fly_box *b) {
  fly_cell cell = {.level = is_finite(b) ? level_of(s, b) : -1};
  for (int c = 0; cell.level >= 0 && c < 3; c++)
    cell.at[c] = cell_of((b->lo[c] / 2 + b->hi[c] / 2) * s->per_size[cell.level]);
  return cell;
}

// By counting: first of each slot, then the boxes with their cells, slot by slot, as they are read. How many.
static int fill(fly_grid *g, sizes *s, const fly_box *box, int count) {
  int boxes = 0;
  memset(g->first, 0, ((size_t)g->slots + 1) * sizeof *g->first);
  for (int k = 0; k < count; k++) {
    const fly_cell cell = place_of(s, &box[k]);
    if (cell.level < 0)
      continue;
    s->used[cell.level] = true;
    g->first[slot_of(g, cell.at, cell.level) + 1]++;
    boxes++;
  }
  for (int k = 0; k < g->slots; k++)
    g->first[k + 1] += g->first[k];
  for (int k = count - 1; k >= 0; k--) { // backwards: first[slot + 1] comes to where the slot begins
    const fly_cell cell = place_of(s, &box[k]);
    if (cell.level < 0)
      continue;
    const int n = --g->first[slot_of(g, cell.at, cell.level) + 1];
    g->entry[n] = (fly_grid_entry){cell, box[k], k};
  }
  for (int k = 0; k < g->slots; k++)
    g->first[k] = g->first[k + 1];
  g->first[g->slots] = boxes;
  return boxes;
}

// ------------------------------------------------------------------------------------------ pairs

typedef struct search {
  const fly_grid *g;
  fly_grid_fn *found;
  void *user;
} search;

static bool overlap(const fly_box *a, const fly_box *b) {
  bool both = true;
  for (int c = 0; c < 3; c++)
    both = both && a->lo[c] <= b->hi[c] && b->lo[c] <= a->hi[c];
  return both;
}

static bool is_in(const fly_cell *cell, const int64_t at[3], int level) {
  return cell->level == level && cell->at[0] == at[0] && cell->at[1] == at[1] && cell->at[2] == at[2];
}

// Those of one cell. In its own grid each of two finds the other: the first tells. In a coarser one only this finds it.
static void look_into(const search *s, const fly_grid_entry *e, const int64_t at[3], int level) {
  const fly_grid *g = s->g;
  const int slot = slot_of(g, at, level);
  for (int n = g->first[slot]; n < g->first[slot + 1]; n++) {
    const fly_grid_entry *other = &g->entry[n];
    if (!is_in(&other->cell, at, level) || (level == e->cell.level && other->of <= e->of) ||
        !overlap(&e->box, &other->box))
      continue;
    if (e->of < other->of)
      s->found(e->of, other->of, s->user);
    else
      s->found(other->of, e->of, s->user);
  }
}

// What overlaps a box has its middle no farther from it than half a cell.
static void look_around(const search *s, const sizes *z, const fly_grid_entry *e, int level) {
  int64_t lo[3], hi[3], at[3];
  for (int c = 0; c < 3; c++) {
    lo[c] = cell_of(e->box.lo[c] * z->per_size[level] - 0.5);
    hi[c] = cell_of(e->box.hi[c] * z->per_size[level] + 0.5);
  }
  for (at[2] = lo[2]; at[2] <= hi[2]; at[2]++)
    for (at[1] = lo[1]; at[1] <= hi[1]; at[1]++)
      for (at[0] = lo[0]; at[0] <= hi[0]; at[0]++)
        look_into(s, e, at, level);
}

void fly_grid_pairs(fly_grid *g, const fly_box *box, int count, fly_grid_fn *found, void *user) {
  sizes z;
  find_sizes(&z, box, count);
  if (z.largest == INT_MIN)
    return;
  const int boxes = fill(g, &z, box, count);
  const search s = {g, found, user};
  for (int n = 0; n < boxes; n++) // neighbours one after the other: what they look at is at hand
    for (int level = g->entry[n].cell.level; level >= 0; level--)
      if (z.used[level])
        look_around(&s, &z, &g->entry[n], level);
}
