// What eigenvalues say about an equilibrium, collected: by dense matrices (statics_judge.c) or by Lanczos' iteration
// (statics_lanczos.c).
#ifndef FLY_ANALYSIS_STATICS_JUDGE_H
#define FLY_ANALYSIS_STATICS_JUDGE_H

#include "analysis/statics.h"

typedef struct fly_poise_count {
  double tiny; // |mu| up to this is 0 [1/s^2]
  int named;   // directions that were told by name
  int coupled; // with complex mu
} fly_poise_count;

// mu = re + i im with the motion p (nv).
void fly_poise_note(fly_balance *b, fly_poise_count *out, double re, double im, const double *p);
// The part of `tiny` that rounding of the loads makes.
double fly_poise_tiny(const fly_balance *b, double largest_mu);
fly_status fly_statics_judge_large(fly_balance *b, fly_poise_count *out, fly_error *error);

#endif
