// Margins of a loop, from its response (docs/theory/modes.md, section 6).
#ifndef FLY_ANALYSIS_MARGINS_H
#define FLY_ANALYSIS_MARGINS_H

#include "analysis/opened.h"
#include "flyball/modes.h"

// All but the names. Arrays are taken from memory.
fly_status fly_margins_find(fly_loop *out, fly_opened *o, fly_arena *memory, fly_error *error);

#endif
