// Starts of models whose joints give way: docs/theory/soft.md.
#ifndef FLY_ANALYSIS_SOFTEN_H
#define FLY_ANALYSIS_SOFTEN_H

#include "analysis/assembly.h"

// rigid: the same model, all of whose rows are rigid, started. Of a, q and v become those of a smooth motion: joints
// have given way by what they carry, and at the rate at which this changes (S-smooth). *far: that is too far to be said
// in advance, and they stay as they are.
fly_status fly_soften_start(fly_assembly *a, fly_assembly *rigid, bool *far, fly_error *error);

#endif
