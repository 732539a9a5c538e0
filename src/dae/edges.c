// Roots that stay at zero, as the condition that has locked a joint at its own threshold: what they are there is what
// the method leaves of a constraint, and no sign of it counts until they have left (docs/theory/control.md, C-edges).
#include <float.h>
#include <math.h>

#include "dae/solver.h"

enum { PLACES = 4 };                // parts of a step, at whose ends it is looked whether a root stays
static const double AT_ENDS = 1e-3; // of what the error asked for leaves open of a root: at ends of steps that stays,
static const double BETWEEN = 0.1;  // between them,
static const double ON_ITS_WAY = 1e-2; // and all it may move by in a run at the pace of the step
static const double NEAR = 10;         // times that at the ends: worth a closer look

void fly_edges_begin(fly_solver *s) {
  for (int i = 0; i < s->e.p.nroot; i++) {
    s->ev.edge[i] = s->ev.came[i] = 0;
    s->ev.room[i] = INFINITY; // not known yet
  }
}

void fly_edges_keep(const fly_solver *s, double *roots) {
  for (int i = 0; i < s->e.p.nroot; i++)
    if (s->ev.edge[i] && fabs(roots[i]) <= BETWEEN * s->ev.room[i])
      roots[i] = s->ev.edge[i] * DBL_MIN;
}

// The side of one that stays: that on which it was before, or to which it went when it was met here.
static int side_of(const fly_solver *s, int i) {
  return s->ev.edge[i] ? s->ev.edge[i] : s->ev.came[i] ? s->ev.came[i] : s->ev.before[i] > 0 ? 1 : -1;
}

static bool is_near(const fly_solver *s, int i) {
  const double far = fmax(fabs(s->ev.before[i]), fabs(s->ev.after[i]));
  return s->ev.edge[i] || s->ev.came[i] || far <= NEAR * AT_ENDS * s->ev.room[i];
}

// At both ends of the step, and so slow that it would not get anywhere in the run.
static bool stays_at_ends(const fly_solver *s, int i) {
  const double before = s->ev.before[i], after = s->ev.after[i], noise = s->ev.noise[i], room = s->ev.room[i];
  const double share = (s->now.t - s->last.t) / (s->t_end - s->t0);
  return fmax(fabs(before), fabs(after)) <= fmax(noise, AT_ENDS * room) &&
         fabs(after - before) <= fmax(noise, ON_ITS_WAY * room * share);
}

static fly_status stays_between(fly_solver *s, int i, bool *stays, fly_error *error) {
  const double h = s->now.t - s->last.t;
  fly_status status = FLY_OK;
  for (int k = 1; k < PLACES && status == FLY_OK && *stays; k++) {
    fly_glance_at(s, s->last.t + h * k / PLACES, &s->dense);
    status = fly_roots_at(s, s->ev.middle, &s->dense, error);
    *stays = fabs(s->ev.middle[i]) <= BETWEEN * s->ev.room[i];
  }
  return status;
}

// room: what the error asked for leaves open of it.
static fly_status look_at(fly_solver *s, int i, fly_error *error) {
  fly_status status = FLY_OK;
  bool stays = is_near(s, i);
  if (stays) {
    s->ev.room[i] = fly_root_room(i, s->last.t, s);
    stays = stays_at_ends(s, i);
  }
  if (stays)
    status = stays_between(s, i, &stays, error);
  s->ev.edge[i] = stays ? side_of(s, i) : 0;
  s->ev.came[i] = 0;
  if (stays)
    s->ev.before[i] = s->ev.edge[i] * DBL_MIN;
  return status;
}

fly_status fly_edges_find(fly_solver *s, fly_error *error) {
  fly_status status = fly_roots_at(s, s->ev.after, &s->now, error);
  for (int i = 0; i < s->e.p.nroot && status == FLY_OK; i++)
    status = look_at(s, i, error);
  return status;
}
