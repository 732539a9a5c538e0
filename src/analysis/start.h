// Starts that nobody may have meant: bodies that assembly moved far, velocities it changed, bodies that nothing holds.
#ifndef FLY_ANALYSIS_START_H
#define FLY_ANALYSIS_START_H

#include "analysis/assembly.h"

// Of an assembled model, from where it was given: a line each into a->warnings.
void fly_start_look(fly_assembly *a);
// A run to a time that an input's table does not reach, where it must.
fly_status fly_start_check_inputs(const fly_model *m, double end, fly_error *error);
// FLY_BAD_INPUT with them, and with those of the model, if there are any.
fly_status fly_start_refuse(const fly_assembly *a, fly_error *error);

#endif
