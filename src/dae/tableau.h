// Damped methods of second order beside the Newmark family (docs/theory/rivals.md), by their tableaus.
#ifndef FLY_DAE_TABLEAU_H
#define FLY_DAE_TABLEAU_H

#include "flyball/dae.h"

fly_tableau fly_tableau_sdirk(double rho);
// nu_A = 0 is C-D(rho). printed: nu_D as FAMILY (4.34) has it, which misses |R(infinity)| = rho.
fly_tableau fly_tableau_lobatto(double rho, double nu_a, bool printed);
double fly_tableau_share(double rho, double z0); // nu_A of A-C-D(rho, z0)
fly_tableau fly_tableau_bdf_alpha(double rho);
fly_tableau fly_tableau_ch_first(double rho);
// The stages' weights in what is no derivative, v' and multipliers too: m = A^-T b; behind them R(infinity) = 1 - sum.
void fly_tableau_limit(double m[FLY_TABLEAU_STAGES + 1], const fly_tableau *t);

#endif
