#include "system/cells.h"

#include <string.h>

enum { SAMPLES = FLY_EXPR_SAMPLES };

bool fly_cells_take(fly_system *s) {
  const size_t points = 2 + SAMPLES * (FLY_CELL_DEPTH + 1);
  if (!s->sample)
    s->sample = fly_arena_doubles(&s->work, points * (size_t)(1 + s->model->nmeasure));
  return !s->work.failed;
}

void fly_cell_sample(fly_system *s, const fly_step_taken *step, double t, double *out) {
  const fly_dae_state at = step->at(t, step->motion);
  memcpy(out, fly_system_felt(s, &at), (size_t)(1 + s->model->nmeasure) * sizeof *out);
}

void fly_cell_whole(fly_system *s, const fly_step_taken *step) {
  for (int k = 0; k < SAMPLES; k++)
    fly_cell_sample(s, step, fly_cell_time(step->from, step->to, k), fly_cell_at(s, 0, k));
}

// Three of its points are at hand.
void fly_cell_half(fly_system *s, const fly_step_taken *step, int level, int half, double a, double b) {
  const size_t size = (size_t)(1 + s->model->nmeasure) * sizeof(double);
  for (int k = 0; k < SAMPLES; k += 2)
    memcpy(fly_cell_at(s, level, k), fly_cell_at(s, level - 1, 2 * half + k / 2), size);
  for (int k = 1; k < SAMPLES; k += 2)
    fly_cell_sample(s, step, fly_cell_time(a, b, k), fly_cell_at(s, level, k));
}
