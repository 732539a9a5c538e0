// What each contact took of a run: its heat, by the ends of accepted steps, the largest force that pressed, and how
// deep they were in each other.
#include <math.h>

#include "system/parts.h"

enum { GAP, NORMAL }; // among the quantities of a contact
enum { HEAT, LARGEST, DEEPEST, POWER, TAKEN };

void fly_system_take_heat(fly_system *s) { s->taken = fly_arena_doubles(&s->held, TAKEN * (size_t)s->model->nforce); }

static void note(fly_system *s, double t, double h, int k) {
  const fly_model_force *f = &s->model->force[k];
  double out[FLY_FORCE_VALUES], *taken = s->taken + TAKEN * (size_t)k;
  f->type->values(out, fly_system_force_at(s, t, k), f->k);
  const double power = f->type->dissipation(fly_system_force_at(s, t, k), f->k);
  taken[HEAT] += h / 2 * (taken[POWER] + power);
  taken[POWER] = power;
  taken[LARGEST] = fmax(taken[LARGEST], out[NORMAL]);
  taken[DEEPEST] = fmax(taken[DEEPEST], -out[GAP]);
}

void fly_system_note_heat(fly_system *s, const fly_dae_state *at, double h) {
  const fly_model *m = s->model;
  if (!fly_system_has_gaps(s))
    return;
  fly_system_update(s, at->q, at->v);
  *s->beside = (fly_beside){at->side, at->x};
  for (int k = 0; k < m->nforce; k++)
    if (m->force[k].type->near && fly_system_is_on(s, m->force[k].item))
      note(s, at->t, h, k);
}
