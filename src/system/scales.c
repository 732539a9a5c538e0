// By what errors of each velocity, and of what it moves, are measured: lengths by the size of the model, turns by a
// radian, and modes by what they do to the points of their body (docs/theory/flexible.md, F-weights).
#include <math.h>

#include "element/flexible.h"
#include "system/parts.h"

// A unit of a mode that moves no point by more than a length's unit, and turns none by more than a radian. Where it
// does less than that it is measured as any length.
static double scale_of_mode(double size, double moves, double turns) {
  return fmin(size / fmax(moves, 1.0), turns > 0 ? 1 / turns : (double)INFINITY);
}

static void measure_modes(double *scale, const fly_body *b, double size) {
  double moves[FLY_MODES_MOST] = {0}, turns[FLY_MODES_MOST] = {0};
  const int first = b->type->nv;
  const double reach = b->type->reach(moves, turns, &b->own);
  for (int c = first; c < b->columns; c++)
    scale[c] = scale_of_mode(size, moves[c - first], turns[c - first]);
  for (int c = 0; c < first; c++)
    if (!fly_body_is_length(b, c) && reach > size)
      scale[c] = size / reach; // where its farthest point moves by a length's unit
}

void fly_system_set_scales(fly_system *s) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    for (int c = 0; c < b->columns; c++)
      s->scale[b->iv + c] = fly_body_is_length(b, c) ? m->size : 1.0;
    if (b->type->reach)
      measure_modes(s->scale + b->iv, b, m->size);
  }
}
