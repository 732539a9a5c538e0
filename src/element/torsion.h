// Spring-dampers about a joint: along its angle, as springs are along their length (spring.h).
#ifndef FLY_ELEMENT_TORSION_H
#define FLY_ELEMENT_TORSION_H

#include "element/spring.h"

typedef struct fly_torsion {
  double stiffness;  // k [N m/rad]
  double damping;    // c [N m s/rad]
  double free_angle; // theta0 [rad]
} fly_torsion;

// The joint's angle as the caller knows it: theta with its turns, rate = G v, G and H from the primitive FLY_ANGLE
// (Jacobian, and curvature for lambda = 1). The torque k (theta - theta0) + c theta' pulls theta back. Any other
// coordinate of a joint does as well.
void fly_torsion_force(double Q[12], const fly_torsion *k, double theta, double rate, const double G[12]);
void fly_torsion_derivatives(double *K, double *C, const fly_torsion *k, double theta, const double v[12],
                             const double G[12], const double H[144]);
double fly_torsion_energy(const fly_torsion *k, double theta);
double fly_torsion_dissipation(const fly_torsion *k, double rate);

#endif
