// What each contact took of a run: its heat, by the points at which the ledger looks at powers, so that both add up to
// the same; at the ends of accepted steps the largest force that pressed and when, and how deep they were in each
// other.
#include <math.h>
#include <string.h>

#include "math/so3.h"
#include "system/parts.h"

enum { GAP, NORMAL }; // among the quantities of a contact

void fly_system_take_heat(fly_system *s) {
  s->taken = fly_arena_take(&s->held, (size_t)s->model->nforce, sizeof *s->taken);
}

// How deep, and how strongly they press: only where they touch, that is where they hold energy. Of what is far apart
// the distance would cost more than all else.
static void note_force(fly_taken *taken, const fly_model_force *f, const fly_force_at *at, double t) {
  double out[FLY_FORCE_VALUES];
  if (!(f->type->energy(at, f->k) > 0))
    return;
  f->type->values(out, at, f->k);
  if (out[NORMAL] > taken->largest) {
    taken->largest = out[NORMAL];
    taken->when = t;
  }
  taken->deepest = fmax(taken->deepest, -out[GAP]);
}

void fly_system_add_heat(fly_system *s, double time) {
  for (int n = 0; n < s->nlive; n++)
    s->taken[s->live[n]].heat += time * s->taken[s->live[n]].power;
}

void fly_system_note_touch(fly_system *s, const fly_dae_state *at) {
  if (!fly_system_has_gaps(s))
    return;
  fly_system_update(s, at->q, at->v);
  *s->beside = (fly_beside){at->side, at->x};
  for (int n = 0; n < s->nlive; n++)
    if (s->forces[s->live[n]].type->near && fly_system_is_on(s, s->forces[s->live[n]].item))
      note_force(&s->taken[s->live[n]], &s->forces[s->live[n]], fly_system_force_at(s, at->t, s->live[n]), at->t);
}

// ------------------------------------------------------------------------------------------ on each body

// Q of the force: in the columns of a marker the force along space, and the torque about the origin of its body's
// frame, or of its own, along the axes of that. To the middle of the body it is brought by the arm between them.
static void add_to_body(const fly_system *s, const fly_model_force *f, int i, const double Q[6], double *out) {
  const int body = s->model->marker[f->marker[i]].body;
  if (body == FLY_GROUND)
    return;
  const fly_kinematics *at = fly_system_seen(s, f->marker[i]).body;
  double torque[3], arm[3], more[3];
  fly_to_space(torque, at->R, Q + 3);
  for (int c = 0; c < 3; c++)
    arm[c] = at->r[c] - s->body[body].r[c];
  fly_cross(more, arm, Q);
  for (int c = 0; c < 3; c++) {
    out[FLY_TOUCHED * body + c] += Q[c];
    out[FLY_TOUCHED * body + 3 + c] += torque[c] + more[c];
  }
  out[FLY_TOUCHED * body + 6] += 1;
}

void fly_system_touched(fly_system *s, const fly_dae_state *at, double *out) {
  double Q[FLY_FORCE_COLUMNS];
  memset(out, 0, FLY_TOUCHED * (size_t)s->model->nbody * sizeof *out);
  fly_system_update(s, at->q, at->v);
  *s->beside = (fly_beside){at->side, at->x};
  for (int n = 0; n < s->nlive; n++) {
    const fly_model_force *f = &s->forces[s->live[n]];
    const fly_force_at *where = fly_system_force_at(s, at->t, s->live[n]);
    if (!f->type->near || !fly_system_is_on(s, f->item) || !(f->type->energy(where, f->k) > 0))
      continue;
    f->type->force(Q, where, f->k);
    for (int i = 0; i < f->count; i++)
      add_to_body(s, f, i, Q + 6 * i, out);
  }
}
