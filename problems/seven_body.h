// Andrews' squeezing mechanism: data and starts shared by its two formulations (and the tests).
#ifndef FLY_PROBLEMS_SEVEN_BODY_H
#define FLY_PROBLEMS_SEVEN_BODY_H

#include <stdbool.h>

enum { FLY_SEVEN_ANGLES = 7, FLY_SEVEN_CARTESIAN = 21 };

// SI units; the letters of the test set (body i has mass m[i-1] and inertia I[i-1]).
typedef struct fly_seven_body {
  double m[7], I[7];
  double xa, ya, xb, yb, xc, yc; // fixed points A, B, C
  double c0, l0;                 // spring between C and the point D of body 3
  double mom;                    // torque on body 1
  double d, da, e, ea, rr, ra, ss, sa, sb, sc, sd, ta, tb, u, ua, ub, zf, zt, fa;
} fly_seven_body;

extern const fly_seven_body fly_seven_body_data;

// Start angles (beta, Theta, gamma, Phi, delta, Omega, epsilon): of the test set, or the IFToMM one (beta = -0.0620).
// Both are at rest. Returns false if the loops cannot be closed.
bool fly_seven_body_start(double q[FLY_SEVEN_ANGLES], bool iftomm);

// End values of the two sources: q, v at time t.
double fly_seven_body_reference(double q[FLY_SEVEN_ANGLES], double v[FLY_SEVEN_ANGLES], bool iftomm);

// Angles and rates to the Cartesian form: (x, y, phi) of the mass centre of each body.
void fly_seven_body_to_cartesian(double q[FLY_SEVEN_CARTESIAN], double v[FLY_SEVEN_CARTESIAN],
                                 const double angle[FLY_SEVEN_ANGLES], const double rate[FLY_SEVEN_ANGLES]);

#endif
