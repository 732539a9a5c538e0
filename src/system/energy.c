// Energy, and the power that changes it.
#include <string.h>

#include "math/so3.h"
#include "system/parts.h"

void fly_system_energy(fly_system *s, double t, const double *q, const double *v, fly_energy *out) {
  const fly_model *m = s->model;
  fly_system_update(s, q, v);
  *out = (fly_energy){0};
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    const fly_kinematics *at = &s->body[k];
    double L[3];
    fly_to_space(L, b->J, at->w);
    out->kinetic += 0.5 * (b->mass * fly_dot3(at->v, at->v) + fly_dot3(at->w, L));
    out->gravity -= b->mass * fly_dot3(m->gravity, at->r);
  }
  for (int k = 0; k < m->nspring; k++) {
    fly_pair p = pair_of(s, m->spring[k].pair);
    out->springs += fly_spring_energy(&p, &m->spring[k].k);
  }
  for (int k = 0; k < m->ntorsion; k++) {
    fly_pair p = pair_of(s, m->torsion[k].pair);
    out->springs += fly_torsion_energy(&m->torsion[k].k, fly_system_torsion_angle(s, t, k, &p));
  }
  for (int k = 0; k < m->nbushing; k++) {
    fly_pair p = pair_of(s, m->bushing[k].pair);
    out->springs += fly_bushing_energy(&p, &m->bushing[k].k);
  }
}

// With M v' = f - G^T lambda and G v = -g_t, the constraints give v . (-G^T lambda) = lambda . g_t: those that stand
// still give nothing, and a motion gives what its force -lambda along the coordinate does at the rate -g_t.
static double motion_power(fly_system *s, const fly_dae_state *at) {
  double power = 0;
  fly_problem_constraint_rate(s->row, at->t, at->q, s);
  for (int k = 0; k < s->nactive; k++)
    power += at->lambda[k] * s->row[k];
  return power;
}

static double applied_power(fly_system *s, const fly_dae_state *at) {
  double power = 0;
  if (s->model->napplied == 0)
    return power;
  memset(s->Q, 0, (size_t)s->model->nv * sizeof *s->Q);
  fly_system_update_inputs(s, at);
  fly_system_applied_forces(s, s->Q);
  for (int i = 0; i < s->model->nv; i++)
    power += s->Q[i] * at->v[i];
  return power;
}

static double damping_power(const fly_system *s) {
  const fly_model *m = s->model;
  double power = 0;
  for (int k = 0; k < m->nspring; k++) {
    fly_pair p = pair_of(s, m->spring[k].pair);
    power += fly_spring_dissipation(&p, &m->spring[k].k);
  }
  for (int k = 0; k < m->ntorsion; k++) {
    fly_pair p = pair_of(s, m->torsion[k].pair);
    power += fly_torsion_dissipation(&m->torsion[k].k, fly_system_angle_rate(&p));
  }
  for (int k = 0; k < m->nbushing; k++) {
    fly_pair p = pair_of(s, m->bushing[k].pair);
    power += fly_bushing_dissipation(&p, &m->bushing[k].k);
  }
  return power;
}

void fly_system_power(fly_system *s, const fly_dae_state *at, fly_power *out) {
  fly_system_update(s, at->q, at->v);
  *out = (fly_power){applied_power(s, at), motion_power(s, at), damping_power(s)};
}

bool fly_system_has_power(const fly_system *s) {
  const fly_model *m = s->model;
  bool has = m->napplied > 0 || m->nbushing > 0;
  for (int k = 0; k < m->nrow && !has; k++)
    has = m->row[k].motion >= 0;
  for (int k = 0; k < m->nspring && !has; k++)
    has = m->spring[k].k.damping != 0;
  for (int k = 0; k < m->ntorsion && !has; k++)
    has = m->torsion[k].k.damping != 0;
  return has;
}

int fly_problem_energy(double *e, double t, const double *q, const double *v, void *user) {
  fly_energy parts;
  fly_system_energy(user, t, q, v, &parts);
  *e = parts.kinetic + parts.gravity + parts.springs;
  return 0;
}
