#include "dae/corner.h"

#include <math.h>
#include <string.h>

static const double FADING = 0.75; // of what the step before it saw, which was twice as long

void fly_corner_take(fly_corner *c, fly_solver *s) {
  c->before = fly_arena_doubles(&s->memory, (size_t)s->e.nl);
  c->after = fly_arena_doubles(&s->memory, (size_t)s->e.nl);
  c->blow = fly_arena_doubles(&s->memory, (size_t)s->kkt.n);
}

void fly_corner_forget(fly_corner *c, const fly_solver *s) {
  c->start = NAN;
  c->rate = 0;
  if (s->e.nl > 0)
    memset(c->before, 0, (size_t)s->e.nl * sizeof *c->before);
}

void fly_corner_looked(fly_corner *c) {
  c->looked = true;
  c->solved = false;
}

// M blow + G^T impulse = 0, G blow = -(what the rows have changed by).
void fly_corner_blow(fly_corner *c, const fly_solver *s) {
  memset(c->blow, 0, (size_t)s->kkt.n * sizeof *c->blow);
  for (int i = 0; i < s->e.nl; i++)
    c->blow[s->e.p.nv + i] = c->before[i] - c->after[i];
}

fly_corner_trend fly_corner_follow(fly_corner *c, double t, double h, double size) {
  const fly_corner_trend trend = t != c->start             ? FLY_CORNER_NEW
                                 : size < FADING * c->size ? FLY_CORNER_FADES
                                                           : FLY_CORNER_STAYS;
  c->start = t;
  c->size = size;
  if (trend == FLY_CORNER_FADES)
    c->rate = size / h;
  return trend;
}

void fly_corner_strike(fly_corner *c, const fly_solver *s, double *v) {
  for (int i = 0; i < s->e.p.nv; i++)
    v[i] += c->blow[i];
  memcpy(c->after, c->before, (size_t)s->e.nl * sizeof *c->after);
  c->looked = false;
}

void fly_corner_settled(fly_corner *c, const fly_solver *s) { memset(c->after, 0, (size_t)s->e.nl * sizeof *c->after); }

void fly_corner_passed(fly_corner *c) {
  double *swap = c->before;
  c->before = c->after;
  c->after = swap;
}
