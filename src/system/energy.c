// Energy, and the power that changes it.
#include <string.h>

#include "math/so3.h"
#include "system/parts.h"

void fly_system_energy(fly_system *s, double t, const double *q, const double *v, fly_energy *out) {
  const fly_model *m = s->model;
  fly_system_update(s, q, v);
  *s->beside = (fly_beside){0};
  *out = (fly_energy){0};
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    const fly_body_at at = fly_system_body_at(s, k);
    out->kinetic += b->type->kinetic(&at, &b->own);
    out->gravity += b->type->weight(&at, m->gravity, &b->own);
    out->springs += b->type->elastic ? b->type->elastic(&at, &b->own) : 0.0;
  }
  for (int n = 0; n < s->nlive; n++) {
    const fly_model_force *f = &s->forces[s->live[n]];
    if (!f->type->energy || !fly_system_is_on(s, f->item))
      continue;
    const double energy = f->type->energy(fly_system_force_at(s, t, s->live[n]), f->k);
    out->springs += energy;
    out->contacts += f->type->near ? energy : 0.0;
  }
  out->springs += fly_system_soft_energy(s, t);
  out->lent = fly_system_soft_lent(s, t);
}

// With M v' = f - G^T lambda and G v = -g_t, the constraints give v . (-G^T lambda) = lambda . g_t: those that stand
// still give nothing, and a motion gives what its force -lambda along the coordinate does at the rate -g_t.
static double motion_power(fly_system *s, const fly_dae_state *at) {
  double power = 0;
  fly_problem_constraint_rate(s->row, at->t, at->q, s);
  for (int k = 0; k < s->nactive; k++)
    power += at->lambda[k] * s->row[k];
  fly_system_find_carried(s, at->t);
  return power + fly_system_soft_motions(s, at);
}

static bool is_from_outside(const fly_force_type *type) { return !type->energy && !type->dissipation; }

// What runs the surfaces of contacts.
static double driven_power(const fly_system *s, double t) {
  double power = 0;
  for (int n = 0; n < s->nlive; n++) {
    const fly_model_force *f = &s->forces[s->live[n]];
    if (f->type->driven && fly_system_is_on(s, f->item))
      power += f->type->driven(fly_system_force_at(s, t, s->live[n]), f->k);
  }
  return power;
}

// Of loads, and of forces that have neither energy nor heat.
static double force_power(fly_system *s, const fly_dae_state *at) {
  const fly_model *m = s->model;
  double power = driven_power(s, at->t), Q[FLY_FORCE_COLUMNS], *wide = fly_system_open(s, s->Q);
  bool any = m->napplied > 0;
  for (int k = 0; k < m->nforce; k++)
    if (is_from_outside(m->force[k].type) && fly_system_is_on(s, m->force[k].item)) {
      m->force[k].type->force(Q, fly_system_force_at(s, at->t, k), m->force[k].k);
      fly_system_scatter_force(s, k, Q, wide);
      any = true;
    }
  if (!any)
    return power;
  fly_system_update_inputs(s, at);
  for (int k = 0; k < m->napplied; k++)
    if (!m->applied[k].rubs)
      fly_system_some_applied_forces(s, k, k + 1, wide);
  fly_system_close(s, s->Q);
  for (int i = 0; i < m->nv; i++)
    power += s->Q[i] * at->v[i];
  return power;
}

// The loads of friction are heat.
static double friction_power(fly_system *s, const fly_dae_state *at) {
  const fly_model *m = s->model;
  double power = 0;
  if (m->nfriction == 0)
    return power;
  double *wide = fly_system_open(s, s->Q);
  fly_system_update_inputs(s, at);
  for (int k = 0; k < m->nfriction; k++)
    fly_system_some_applied_forces(s, m->friction[k].applied, m->friction[k].applied + 1, wide);
  fly_system_close(s, s->Q);
  for (int i = 0; i < m->nv; i++)
    power -= s->Q[i] * at->v[i];
  return power;
}

// *contacts: of it, in contacts, each of which takes note of its own.
static double damping_power(const fly_system *s, double t, double *contacts) {
  const fly_model *m = s->model;
  double power = 0;
  for (int k = 0; k < m->nbody; k++) {
    const fly_body_at at = fly_system_body_at(s, k);
    if (m->body[k].type->dissipation)
      power += m->body[k].type->dissipation(&at, &m->body[k].own);
  }
  for (int n = 0; n < s->nlive; n++) {
    const fly_model_force *f = &s->forces[s->live[n]];
    if (!f->type->dissipation || !fly_system_is_on(s, f->item))
      continue;
    const double heat = f->type->dissipation(fly_system_force_at(s, t, s->live[n]), f->k);
    power += heat;
    *contacts += f->type->near ? heat : 0.0;
    s->taken[s->live[n]].power = f->type->near ? heat : 0.0;
  }
  return power;
}

void fly_system_power(fly_system *s, const fly_dae_state *at, fly_power *out) {
  fly_system_update(s, at->q, at->v);
  *s->beside = (fly_beside){at->side, at->x};
  *out = (fly_power){.forces = force_power(s, at), .motions = motion_power(s, at)};
  out->damping = damping_power(s, at->t, &out->contacts) + friction_power(s, at);
  out->damping += fly_system_soft_heat(s, at);
}

bool fly_system_has_power(const fly_system *s) {
  const fly_model *m = s->model;
  bool has = m->napplied > 0;
  for (int k = 0; k < m->nrow && !has; k++)
    has = m->row[k].motion >= 0 || fly_system_row_law(s, k).damping > 0;
  for (int k = 0; k < m->nforce && !has; k++) {
    const fly_force_type *type = m->force[k].type;
    has = is_from_outside(type) || (type->damps && type->damps(m->force[k].k));
  }
  for (int k = 0; k < m->nbody && !has; k++)
    has = m->body[k].type->dissipation != NULL;
  return has;
}

bool fly_system_power_of_motion(const fly_system *s) {
  const fly_model *m = s->model;
  bool moved = false;
  for (int k = 0; k < m->nrow && !moved; k++)
    moved = m->row[k].motion >= 0;
  return s->dae.ny == 0 && !moved;
}

int fly_problem_energy(double *e, double t, const double *q, const double *v, void *user) {
  fly_energy parts;
  fly_system_energy(user, t, q, v, &parts);
  *e = parts.kinetic + parts.gravity + parts.springs;
  return 0;
}
