// Dense output over the last accepted step: cubic Hermite for positions, velocities and first-order states; quadratic
// through three points for accelerations, multipliers and outputs (linear after a start).
#include <math.h>
#include <string.h>

#include "dae/glance.h"
#include "dae/newmark.h"
#include "math/so3.h"

static const double BEHIND = 0.01; // of a step: near to its ends what lies between them is as good as they are

// Value at s in [0,1] from ends a, b and their slopes times the step.
static double hermite(double s, double a, double da, double b, double db) {
  double s2 = s * s, s3 = s2 * s;
  return (1 - 3 * s2 + 2 * s3) * a + (s - 2 * s2 + s3) * da + (3 * s2 - 2 * s3) * b + (s3 - s2) * db;
}

// Slope of the increment d(t), q = q0 (+) d, at the end of the step: T(delta)^-1 v1 on rotations.
static void end_slope(const fly_solver *s, const double *delta, const double *v1, double *slope) {
  memcpy(slope, v1, (size_t)s->e.p.nv * sizeof(double));
  for (int k = 0; k < s->e.p.nrotation; k++) {
    int i = s->e.p.rotation_v[k];
    double Ti[9];
    fly_so3_tangent_inverse(Ti, delta + i);
    for (int j = 0; j < 3; j++)
      slope[i + j] = Ti[3 * j] * v1[i] + Ti[3 * j + 1] * v1[i + 1] + Ti[3 * j + 2] * v1[i + 2];
  }
}

static void blend(double *out, const double w[3], const double *now, const double *last, const double *before, int n) {
  for (int i = 0; i < n; i++)
    out[i] = w[0] * now[i] + w[1] * last[i] + (w[2] == 0 ? 0.0 : w[2] * before[i]);
}

static void blend_weights(const fly_solver *s, const fly_point *end, double t, bool three, double w[3]) {
  double a = end->t, b = s->last.t, c = s->before.t;
  if (!three) {
    w[0] = (t - b) / (a - b);
    w[1] = 1 - w[0];
    w[2] = 0;
    return;
  }
  w[0] = (t - b) * (t - c) / ((a - b) * (a - c));
  w[1] = (t - a) * (t - c) / ((b - a) * (b - c));
  w[2] = (t - a) * (t - b) / ((c - a) * (c - b));
}

void fly_newmark_dense(const fly_solver *s, double t, fly_point *out) {
  const fly_newmark_own *own = fly_own(s);
  fly_hermite_dense(s, t, out, own->delta_last, own->dense_delta, own->history.count >= 3);
}

void fly_hermite_dense(const fly_solver *s, double t, fly_point *out, const double *delta, double *work, bool three) {
  const fly_dae_problem *p = &s->e.p;
  const fly_point *a = &s->last, *b = s->cut ? &s->uncut : &s->now;
  double h = b->t - a->t;
  double r = (t - a->t) / h, w[3];
  out->t = t;
  end_slope(s, delta, b->v, work);
  for (int i = 0; i < p->nv; i++)
    work[i] = hermite(r, 0.0, h * a->v[i], delta[i], h * work[i]);
  fly_eval_plus(&s->e, out->q, a->q, work);
  for (int i = 0; i < p->nv; i++)
    out->v[i] = hermite(r, a->v[i], h * a->vdot[i], b->v[i], h * b->vdot[i]);
  for (int i = 0; i < p->nx; i++)
    out->x[i] = hermite(r, a->x[i], h * a->xdot[i], b->x[i], h * b->xdot[i]);
  blend_weights(s, b, t, three, w);
  blend(out->vdot, w, b->vdot, a->vdot, s->before.vdot, p->nv);
  blend(out->lambda, w, b->lambda, a->lambda, s->before.lambda, s->e.nl);
  blend(out->xdot, w, b->xdot, a->xdot, s->before.xdot, p->nx);
  blend(out->y, w, b->y, a->y, s->before.y, p->ny);
}

static bool is_inside(const fly_solver *s, double t) {
  const double end = s->stops.broken ? s->stops.before : s->now.t; // behind a break its far side counts
  return s->now.t > s->last.t && t < (s->stops.broken ? nextafter(end, INFINITY) : end);
}

void fly_dense_at(const fly_solver *s, double t, fly_point *out) {
  if (is_inside(s, t))
    s->family->dense(s, t, out);
  else {
    fly_point_copy(out, &s->now, &s->e);
    if (s->family->settle)
      s->family->settle(s, out);
  }
}

void fly_glance_at(const fly_solver *s, double t, fly_point *out) {
  if (s->family->glance && is_inside(s, t))
    s->family->glance(s, t, out);
  else
    fly_dense_at(s, t, out);
}

int fly_solver_order(const fly_solver *s) { return s->family->order ? s->family->order(s) : 0; }

fly_dae_state fly_glance_state(double t, void *solver) {
  fly_solver *s = solver;
  fly_glance_at(s, t, &s->dense);
  return fly_point_state(&s->dense);
}

bool fly_dense_shorten(fly_solver *s, double t) {
  const double h = s->now.t - s->last.t, end = t + BEHIND * h;
  if (!s->family->shorten || s->o.step > 0 || t - s->last.t < BEHIND * h || !(end < s->now.t) || s->cut ||
      s->stops.broken)
    return false;
  if (!s->family->shorten(s, end))
    return false;
  s->done = false;
  return true;
}

fly_dae_state fly_dense_state(double t, void *solver) {
  fly_solver *s = solver;
  fly_dense_at(s, t, &s->dense);
  return fly_point_state(&s->dense);
}
