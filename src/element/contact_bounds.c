// The solids of a contact as boxes, for the search of what is near.
#include <math.h>
#include <string.h>

#include "element/contact.h"

static void hull_extent(double half[3], const fly_hull *hull) {
  for (int k = 0; k < hull->count; k++)
    for (int c = 0; c < 3; c++)
      half[c] = fmax(half[c], fabs(hull->corner[k][c]));
}

// Of what has no box of its own, one that holds it however it is turned.
fly_force_bound fly_contact_bound(const fly_solid *s, int which) {
  fly_force_bound out = {.which = which, .half_space = s->core == FLY_CORE_PLANE, .reach = fly_solid_reach(s)};
  memcpy(out.at, s->at, sizeof out.at);
  memcpy(out.A, s->A, sizeof out.A);
  if (s->core == FLY_CORE_HULL)
    hull_extent(out.half, s->hull);
  else if (s->core == FLY_CORE_SURFACE || s->core == FLY_CORE_CURVE)
    out.half[0] = out.half[1] = out.half[2] = out.reach;
  else
    memcpy(out.half, s->half, sizeof out.half);
  if (s->core != FLY_CORE_SURFACE && s->core != FLY_CORE_CURVE)
    out.radius = s->radius;
  return out;
}

bool fly_contact_bounds(fly_force_bound out[2], int pair, const void *contact) {
  const fly_contact *k = contact;
  if (pair >= k->npair || k->all)
    return false;
  out[0] = fly_contact_bound(&k->pair[pair].a, k->pair[pair].shape[0]);
  out[1] = fly_contact_bound(&k->pair[pair].b, k->pair[pair].shape[1]);
  return true;
}

// 1/R of a solid where it is round.
static double curvature(const fly_solid *s) { return s->radius > 0 ? 1 / s->radius : 0.0; }

double fly_contact_hertz(const fly_solid *a, const fly_solid *b, double soft) {
  const double bent = curvature(a) + curvature(b);
  return bent > 0 ? 4.0 / 3 / soft / sqrt(bent) : (double)INFINITY;
}

// By instructions of a cradle, a box on a slope and two splines, within a factor of two.
static double operations_of(const fly_contact_pair *p) {
  static const double SPOT = 100, CORES = 1500, WALK = 4000; // of each spot; of two cores; along curves and surfaces
  const fly_core a = p->a.core, b = p->b.core;
  const bool plane = a == FLY_CORE_PLANE || b == FLY_CORE_PLANE;
  const fly_core last = a > b ? a : b;
  return SPOT * p->spots + (last >= FLY_CORE_SURFACE ? WALK : last > FLY_CORE_SEGMENT && !plane ? CORES : 0);
}

double fly_contact_operations(const void *contact) {
  const fly_contact *c = contact;
  double sum = 0;
  for (int k = 0; k < c->npair; k++)
    sum += operations_of(&c->pair[k]);
  return sum;
}
