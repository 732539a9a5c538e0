// What the motion leaves open of a root: how far it moves if positions, velocities and states are off by their rounding
// errors, and what interpolation knows less well by more (docs/theory/control.md, C-noise).
#include <math.h>
#include <string.h>

#include "dae/solver.h"

static const double ROUNDINGS = 64; // of a position or a velocity
static const double BETWEEN = 1e-9; // of accelerations, multipliers and outputs between the ends of a step
enum { PATTERNS = 3 };              // of signs in which all are off at once

// Of the scale of a position: what it takes for noise.
static double noise_share(const fly_solver *s) { return ROUNDINGS * fly_round_off(s); }

static double sign_of(int pattern, int i) {
  const unsigned mixed = (unsigned)(i + 1) * 2654435761u;
  return pattern == 0 || (mixed >> (8 + 9 * pattern)) & 1 ? 1 : -1;
}

static double largest(const double *x, const double *scale, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]) / (scale ? scale[i] : 1.0));
  return most;
}

// x + off * scale, with signs of a pattern.
static void shift(double *x, const double *scale, int n, double off, int pattern) {
  for (int i = 0; i < n; i++)
    x[i] += sign_of(pattern, i) * off * (scale ? scale[i] : 1.0);
}

// inside: also what interpolation knows less well; pace: at least so fast are velocities, in scales a second.
static void disturb(fly_solver *s, fly_point *to, const fly_point *from, int pattern, bool inside, double pace) {
  const fly_dae_problem *p = &s->e.p;
  const double off = noise_share(s);
  fly_point_copy(to, from, &s->e);
  memset(s->work, 0, (size_t)p->nv * sizeof(double));
  shift(s->work, p->scale_v, p->nv, off, pattern);
  fly_eval_plus(&s->e, to->q, from->q, s->work);
  shift(to->v, p->scale_v, p->nv, off * fmax(largest(from->v, p->scale_v, p->nv), pace), pattern);
  shift(to->x, p->scale_x, p->nx, off, pattern);
  if (!inside)
    return;
  shift(to->vdot, p->scale_v, p->nv, BETWEEN * largest(from->vdot, p->scale_v, p->nv), pattern);
  shift(to->xdot, p->scale_x, p->nx, BETWEEN * largest(from->xdot, p->scale_x, p->nx), pattern);
  shift(to->lambda, NULL, s->e.nl, BETWEEN * largest(from->lambda, NULL, s->e.nl), pattern);
  shift(to->y, NULL, p->ny, BETWEEN * largest(from->y, NULL, p->ny), pattern);
}

static bool roots_at(fly_solver *s, const fly_point *at, double *out) {
  const fly_dae_state state = fly_point_state(at);
  return s->e.p.roots(out, &state, s->e.p.user) == 0;
}

static void find_all(fly_solver *s, double t, double *noise, bool inside, double pace) {
  double *here = s->ev.middle, *there = s->ev.time;
  const int n = s->e.p.nroot;
  fly_glance_at(s, t, &s->dense);
  memset(noise, 0, (size_t)n * sizeof *noise);
  if (!roots_at(s, &s->dense, here))
    return;
  for (int k = 0; k < PATTERNS; k++) {
    disturb(s, &s->crossing.behind, &s->dense, k, inside, pace);
    if (!roots_at(s, &s->crossing.behind, there))
      return;
    for (int i = 0; i < n; i++)
      noise[i] += fabs(there[i] - here[i]);
  }
}

double fly_root_noise(int root, double t, void *solver) {
  fly_solver *s = solver;
  if (s->ev.noisy_at != s->last.t) {
    find_all(s, t, s->ev.noise, true, 1 / (s->t_end - s->t0));
    find_all(s, t, s->ev.moved, false, 1 / (s->t_end - s->t0));
    s->ev.noisy_at = s->last.t;
  }
  return s->ev.noise[root];
}

// moved: by the share of a position that counts as noise.
static double by_error(const fly_solver *s, double noise, double moved, double error) {
  return fmax(noise, moved * fmax(1.0, error / noise_share(s)));
}

double fly_root_room(int root, double t, fly_solver *s) {
  const double noise = fly_root_noise(root, t, s);
  return by_error(s, noise, s->ev.moved[root], s->o.error);
}

double fly_root_open(int root, double t, fly_solver *s) {
  const double noise = fly_root_noise(root, t, s);
  if (s->ev.swayed_at != s->last.t)
    find_all(s, t, s->ev.swayed, false, s->ev.pace);
  s->ev.swayed_at = s->last.t;
  return by_error(s, noise, s->ev.swayed[root], fly_error_asked(s));
}
