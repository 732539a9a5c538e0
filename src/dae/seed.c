// Method auto: the past that Adams' formulas begin with where another family has been at work (docs/theory/auto.md, 7).
#include <string.h>

#include "dae/choice.h"
#include "dae/statespace.h"
#include "math/so3.h"

void fly_space_rates(const fly_eval *e, double *rate, const double *q, const double *v) {
  for (int i = 0; i < e->p.nv; i++)
    if (e->q_of_v[i] >= 0)
      rate[e->q_of_v[i]] = v[i];
  for (int k = 0; k < e->p.nrotation; k++) {
    const double *omega = v + e->p.rotation_v[k], half[4] = {0, 0.5 * omega[0], 0.5 * omega[1], 0.5 * omega[2]};
    fly_quat_multiply(rate + e->p.rotation_q[k], q + e->p.rotation_q[k], half);
  }
}

// Rates of the ODE's components at a point of another family's.
static void read_point(const state_space *w, const fly_point *at, double *f) {
  const fly_eval *e = &w->s->e;
  memset(f, 0, (size_t)w->n * sizeof *f);
  fly_space_rates(e, f, at->q, at->v);
  memcpy(f + w->v, at->vdot, (size_t)e->p.nv * sizeof *f);
  memcpy(f + w->x, at->xdot, (size_t)e->p.nx * sizeof *f);
  memcpy(f + w->lambda, at->lambda, (size_t)e->nl * sizeof *f);
  memcpy(f + w->y, at->y, (size_t)e->p.ny * sizeof *f);
}

void fly_space_seed(state_space *w) {
  const fly_choice *c = w->s->choice;
  double t[FLY_PAST_POINTS], *f[FLY_PAST_POINTS];
  if (c->npast < FLY_PAST_POINTS)
    return;
  for (int k = 0; k < FLY_PAST_POINTS; k++) {
    t[k] = c->past[k].t;
    f[k] = w->cut.phi[k]; // free here: nothing is cut
    read_point(w, &c->past[k], f[k]);
  }
  fly_adams_seed(&w->adams, FLY_PAST_POINTS, t, f);
  w->s->h_next = w->adams.h_next;
}
