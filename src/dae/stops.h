// A break that somebody makes where a solver stands.
#ifndef FLY_DAE_STOPS_H
#define FLY_DAE_STOPS_H

#include "flyball/dae.h"

// The last step has ended at the near side of a break that the problem does not know: the next one begins at its far
// side, as behind any other.
fly_status fly_solver_break_here(fly_solver *s, double after, fly_break_kind kind, fly_error *error);

#endif
