// Motions that are known: in closed form, or by another integrator.
#ifndef FLY_TESTS_SUPPORT_TRUTHS_H
#define FLY_TESTS_SUPPORT_TRUTHS_H

#include "support/motion.h"

// A plane pendulum of unit mass, length and g = 9.81 by its angle phi from the x axis, phi'' = -g cos phi, on a fine
// grid by Runge and Kutta's rule. lambda is the force in the rod times lambda_factor.
enum { PENDULUM_NODES = 40001 };
typedef struct pendulum_truth {
  double dt, lambda_factor;
  double phi[PENDULUM_NODES], rate[PENDULUM_NODES];
} pendulum_truth;

pendulum_truth *pendulum_truth_of(const fly_problem *p, double t_end, double lambda_factor); // free() it
truth_fn pendulum_at;                                                                        // user: pendulum_truth

// Any small problem by the reference integrator, kept as Chebyshev polynomials in equal panels of time.
typedef struct reference_truth reference_truth;
reference_truth *reference_truth_of(const fly_problem *p, double t_end, int panels);
void reference_truth_free(reference_truth *truth);
truth_fn reference_at; // user: reference_truth

#endif
