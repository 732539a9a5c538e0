// Points inside the last step of a state-space method (docs/theory/statespace.md, sections 1 and 8).
#include <string.h>

#include "dae/statespace.h"
#include "math/so3.h"

void fly_space_normalize(const fly_eval *e, double *q) {
  for (int k = 0; k < e->p.nrotation; k++)
    fly_quat_normalize(q + e->p.rotation_q[k]);
}

// By the polynomials through the past: q, v, x by (A-dense), v', lambda, x', y by (A-slope).
static void interpolate(const fly_solver *s, double t, fly_point *out) {
  const state_space *w = s->own;
  const fly_dae_problem *p = &s->e.p;
  fly_adams_piece last = s->jumped ? w->cut : fly_adams_last(&w->adams);
  fly_adams_piece_at(&last, t, NULL, w->slope);
  last.n = w->lambda; // the integrals of the others are nobody's
  fly_adams_piece_at(&last, t, w->state, NULL);
  out->t = t;
  memcpy(out->q, w->state, (size_t)p->nq * sizeof(double));
  fly_space_normalize(&s->e, out->q);
  memcpy(out->v, w->state + w->v, (size_t)p->nv * sizeof(double));
  memcpy(out->x, w->state + w->x, (size_t)p->nx * sizeof(double));
  memcpy(out->vdot, w->slope + w->v, (size_t)p->nv * sizeof(double));
  memcpy(out->xdot, w->slope + w->x, (size_t)p->nx * sizeof(double));
  memcpy(out->lambda, w->slope + w->lambda, (size_t)s->e.nl * sizeof(double));
  memcpy(out->y, w->slope + w->y, (size_t)p->ny * sizeof(double));
}

// Where nothing is free no test limits a step, and a polynomial through its ends misses what forces do between them:
// the constraints say where it is, and the equations which forces that takes (SS-row).
void fly_space_dense(const fly_solver *s, double t, fly_point *out) {
  state_space *w = s->own;
  interpolate(s, t, out);
  if (w->driven && !fly_settle(&w->settling, w->s, out))
    interpolate(s, t, out);
}
