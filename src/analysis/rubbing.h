// What dry friction means for a state at rest.
#ifndef FLY_ANALYSIS_RUBBING_H
#define FLY_ANALYSIS_RUBBING_H

#include "system/system.h"

// A line for each joint with friction that sticks, into text; "" if there is none. Where it sticks it is held; where it
// was left out, as in equilibrium, the state is one of many.
void fly_rubbing_notes(char *text, size_t size, const fly_system *s);

#endif
