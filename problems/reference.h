// A reference solution of any small problem, apart from the library: it shares no method and no code with it.
//
// Index 1: at every point M v' + C^T lambda = f, C v' + gamma = 0, d = 0, y = h are solved for (v', lambda, x', y) by
// dense elimination (C = [G; B]). The motion (q' = N(q) v, v', x') is followed by Gragg-Bulirsch-Stoer extrapolation
// whose order and step follow the tolerance. After each step quaternions get length 1, and q, v are projected onto
// g = 0 and C v + c = 0, orthogonally in the mass matrix. Derivatives that the problem does not give are central
// differences. Roots and events of the problem are not looked at.
#ifndef FLYBALL_PROBLEMS_REFERENCE_H
#define FLYBALL_PROBLEMS_REFERENCE_H

#include "flyball/dae.h"

#define FLY_REFERENCE_TOLERANCE 1e-13 // of a step, relative: about as far as double precision carries

typedef struct fly_reference fly_reference;

// Projects the start onto the constraints. t_end > t0 only tells how long the run will be. x0 may be NULL if nx is 0.
// The problem struct is copied; what it points to is not and must live on. On failure *out is NULL.
fly_status fly_reference_create(fly_reference **out, const fly_dae_problem *problem, double t0, double t_end,
                                const double *q0, const double *v0, const double *x0, double tolerance,
                                fly_error *error);

// Integrates exactly to t, not before the last t asked for, and writes the point there: q (nq), v and vdot (nv),
// lambda (ng + nb), x (nx), y (ny). What is not wanted may be NULL.
fly_status fly_reference_at(fly_reference *reference, double t, double *q, double *v, double *vdot, double *lambda,
                            double *x, double *y);

// Why the last fly_reference_at failed.
const fly_error *fly_reference_error(const fly_reference *reference);

void fly_reference_free(fly_reference *reference); // NULL is fine

#endif
