// Roots that come near to zero and go again, or pass it by so little that they would come back: nearer than what the
// error asked for leaves open of them, whether they were there is chance (docs/theory/control.md, C-grazes).
#include <math.h>

#include "dae/solver.h"

static const double NEAR = 10;     // times what is left open of a root, and
static const double FASTER = 1.2;  // times the pace it was found with: it is found again
static const double BESIDE = 0.05; // of a step: places beside a root, which tell how it turns

void fly_grazes_begin(fly_solver *s) {
  s->ev.graze = (fly_graze){.share = INFINITY};
  s->ev.pace = 0;
  for (int i = 0; i < s->e.p.nroot; i++) {
    s->ev.low[i] = NAN;
    s->ev.open[i] = INFINITY; // not known yet
  }
}

void fly_grazes_copy(fly_solver *s, const fly_solver *old) {
  s->ev.graze = old->ev.graze;
  s->ev.pace = old->ev.pace;
  for (int i = 0; i < s->e.p.nroot; i++) {
    s->ev.low[i] = old->ev.low[i];
    s->ev.open[i] = old->ev.open[i];
  }
}

static void keep_nearest(fly_solver *s, int i, double share, double t) {
  if (share < s->ev.graze.share)
    s->ev.graze = (fly_graze){.share = share, .root = i, .t = t};
}

// What is left open of each, before the step is looked into: ev.before has the roots at its start, ev.after at its end.
// An error of positions comes with one of velocities: as much larger as the motion has been fast.
void fly_grazes_look(fly_solver *s) {
  const double pace = fmax(fly_weighted(s, s->now.v), sqrt(fly_weighted(s, s->now.vdot)));
  const bool faster = pace > FASTER * s->ev.pace;
  if (faster)
    s->ev.pace = pace;
  for (int i = 0; i < s->e.p.nroot; i++) {
    const double least = fmin(fabs(s->ev.before[i]), fabs(s->ev.after[i]));
    s->ev.nearest[i] = INFINITY;
    if (isinf(s->ev.open[i]) || faster || least <= NEAR * s->ev.open[i])
      s->ev.open[i] = fly_root_open(i, s->last.t, s);
  }
}

// At the end of a part of a step.
void fly_grazes_pass(fly_solver *s) {
  for (int i = 0; i < s->e.p.nroot; i++)
    if (s->ev.before[i] * s->ev.after[i] > 0)
      s->ev.nearest[i] = fmin(s->ev.nearest[i], fabs(s->ev.after[i]));
}

// A root at zero at t, inside the last step: how far would it go beyond? f and f' at t and f'' from there tell.
static double depth_at(fly_solver *s, int i, double t, fly_along_fn *along) {
  const double h = s->now.t - s->last.t, way = BESIDE * (t - s->last.t > s->now.t - t ? -h : h);
  double at[3] = {0};
  for (int k = 0; k < 3; k++)
    if (along(s, i, t + k * way, &at[k], NULL))
      return INFINITY;
  const double slope = (4 * at[1] - at[2] - 3 * at[0]) / (2 * way), bend = (at[0] - 2 * at[1] + at[2]) / (way * way),
               side = s->ev.before[i] > 0 ? 1 : -1;
  return side * bend > 0 && side * slope < 0 ? slope * slope / (2 * fabs(bend)) : (double)INFINITY;
}

void fly_grazes_meet(fly_solver *s, int i, double t, fly_along_fn *along) {
  if (t > s->last.t && t < s->now.t && isfinite(s->ev.open[i]) && s->ev.open[i] > 0)
    keep_nearest(s, i, depth_at(s, i, t, along) / s->ev.open[i], t);
}

// Came from outside of what is open, and went there again on the side it came from.
static void follow(fly_solver *s, int i) {
  const double start = s->ev.start[i], end = s->ev.before[i], open = s->ev.open[i];
  if (isnan(s->ev.low[i]) && fabs(start) > open)
    s->ev.low[i] = INFINITY;
  if (s->ev.edge[i] || s->ev.done[i] || !(start * end > 0))
    s->ev.low[i] = NAN;
  if (isnan(s->ev.low[i]))
    return;
  s->ev.low[i] = fmin(s->ev.low[i], s->ev.nearest[i]);
  if (!(fabs(end) > open))
    return;
  if (s->ev.low[i] <= open && open > 0)
    keep_nearest(s, i, s->ev.low[i] / open, s->now.t);
  s->ev.low[i] = INFINITY;
}

// An event that ends the step may turn others round that are at their switch with it.
void fly_grazes_keep(fly_solver *s) {
  for (int i = 0; i < s->e.p.nroot; i++)
    if (s->crossing.restarted)
      s->ev.low[i] = NAN;
    else
      follow(s, i);
}

bool fly_solver_graze(const fly_solver *s, fly_graze *nearest) {
  *nearest = s->ev.graze;
  return isfinite(s->ev.graze.share);
}
