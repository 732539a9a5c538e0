// Planar mechanisms of rigid bodies (x, y, phi at the mass centre) and revolute joints, with sparse patterns.
//
//   point of body i:  p = (x, y) + R(phi) s,   dp/dphi = R' s,   d2p/dphi2 = -R s
//   revolute joint between a and b:  g = p_a - p_b = 0, two rows
//   M is constant and diagonal; the second derivatives of g touch phi alone
//
// A problem puts a fly_planar first in its data, so that its user pointer serves these callbacks too.
#ifndef FLY_PROBLEMS_PLANAR_H
#define FLY_PROBLEMS_PLANAR_H

#include "build.h"

enum { FLY_PLANAR_BODIES = 7, FLY_PLANAR_JOINTS = 10, FLY_GROUND = -1 };

typedef struct fly_planar_body {
  double mass, inertia; // [kg], [kg m^2] about the mass centre
} fly_planar_body;

typedef struct fly_planar_joint {
  const char *name;
  int a, b;     // bodies, FLY_GROUND for the ground
  double sa[2]; // its place on each, in body axes from the mass centre [m]
  double sb[2]; // (ground: in space)
} fly_planar_joint;

typedef struct fly_planar {
  int nbody, njoint;
  double gravity; // along -y [m/s^2]
  fly_planar_body body[FLY_PLANAR_BODIES];
  fly_planar_joint joint[FLY_PLANAR_JOINTS];
} fly_planar;

size_t fly_planar_pattern_ints(const fly_planar *model); // size of all patterns
// Fills p->patterns and points p->dae at them: diagonal mass, G, and a 3 x 3 block a body in the jacobian.
void fly_planar_set_patterns(fly_problem *p, const fly_planar *model);

// A vector fixed in a body, given in body axes, turned to space: R(phi) s.
void fly_planar_turn(double out[2], double phi, const double s[2]);

fly_mass_fn fly_planar_mass;
fly_position_fn fly_planar_constraint, fly_planar_constraint_jacobian, fly_planar_constraint_rate;
fly_velocity_fn fly_planar_constraint_gamma, fly_planar_constraint_velocity_jacobian;
fly_energy_fn fly_planar_energy;     // kinetic and gravity
fly_row_name_fn fly_planar_row_name; // "hinge 4-5, x"

void fly_planar_gravity(double *f, const fly_planar *model); // writes all of f
// d(G^T lambda)/dq into the body blocks: entry (r, c) of body i is J2[9 i + 3 c + r].
void fly_planar_reaction_jacobian(double *J2, const fly_dae_state *s, const fly_planar *model);

#endif
