// The same mechanism with constraints that give way: instead of g(q,t) = 0 very stiff springs, or very strong dampers
// (Koebis, "Numerical time integration of constrained and stiff mechanical systems", 2016, chapters 1 and 3).
//
//   stiff      M v' + G^T lambda = f,   lambda = g / epsilon^2
//   damped     M v' + G^T lambda = f,   lambda = (G v + g_t) / delta
//
// With multipliers: lambda stays an unknown, as outputs y behind those of the problem, and Newton's iteration converges
// at steps that do not depend on epsilon or delta. As an ODE: lambda is put into the forces.
#ifndef FLYBALL_SOFT_H
#define FLYBALL_SOFT_H

#include "flyball/dae.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fly_soft_form { FLY_SOFT_STIFF, FLY_SOFT_DAMPED, FLY_SOFT_STIFF_ODE, FLY_SOFT_DAMPED_ODE } fly_soft_form;

typedef struct fly_soft fly_soft;

// parameter: epsilon [sqrt(m/N) and the like], or delta [(m/s)/N and the like]. What the rigid problem points to must
// live on. Its nonholonomic rows stay as they are.
fly_status fly_soft_create(fly_soft **out, const fly_dae_problem *rigid, fly_soft_form form, double parameter,
                           fly_error *error);
void fly_soft_free(fly_soft *s); // NULL is fine

const fly_dae_problem *fly_soft_problem(const fly_soft *s); // lives as long as s
// A start of the rigid problem becomes one of the smooth motion: constraints have given way by what they carry, and at
// the rate at which this changes, to first order in epsilon^2 or delta. From the given start fast oscillations, or a
// jerk, would come first. q (nq) and v (nv) are changed; x is that of the rigid problem (nx, or NULL).
fly_status fly_soft_start(fly_soft *s, double t0, double *q, double *v, const double *x, fly_error *error);
// The multipliers of a state of that problem, in the order of the rigid one: until the next call.
const double *fly_soft_multipliers(fly_soft *s, const fly_dae_state *at);

#ifdef __cplusplus
}
#endif

#endif
