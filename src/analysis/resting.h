// States that start at equilibrium.
#ifndef FLY_ANALYSIS_RESTING_H
#define FLY_ANALYSIS_RESTING_H

#include "analysis/assembly.h"

// The solver stands at the start of an assembled model: it is started again with these states where their rates vanish,
// all else as it is given (docs/theory/statics.md, S-start). a->x has them.
fly_status fly_resting_find(fly_assembly *a, fly_error *error);

#endif
