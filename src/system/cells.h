// A step in cells: five points each, a half of one below the other, with the inputs of expressions at them.
#ifndef FLY_SYSTEM_CELLS_H
#define FLY_SYSTEM_CELLS_H

#include "expr/expr.h"
#include "system/system.h"

enum { FLY_CELL_DEPTH = 40 }; // halvings at most

bool fly_cells_take(fly_system *s); // memory, if there is none yet; false: there is no more

// Inputs at point k of the cell that was looked at last on a level (1 + nmeasure); k = -2, -1 of the first are free.
static inline double *fly_cell_at(const fly_system *s, int level, int k) {
  return s->sample + (size_t)(2 + FLY_EXPR_SAMPLES * level + k) * (size_t)(1 + s->model->nmeasure);
}

// The time of point k of a cell from a to b.
static inline double fly_cell_time(double a, double b, int k) {
  return k == FLY_EXPR_SAMPLES - 1 ? b : a + (b - a) * k / (FLY_EXPR_SAMPLES - 1);
}

void fly_cell_sample(fly_system *s, const fly_step_taken *step, double t, double *out);
void fly_cell_whole(fly_system *s, const fly_step_taken *step); // on level 0
// The first (0) or second (1) half of the cell on the level above, from a to b.
void fly_cell_half(fly_system *s, const fly_step_taken *step, int level, int half, double a, double b);

#endif
