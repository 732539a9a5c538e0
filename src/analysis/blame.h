// Who may have made a matrix singular, for the end of a message.
#ifndef FLY_ANALYSIS_BLAME_H
#define FLY_ANALYSIS_BLAME_H

#include "base/error.h"
#include "model/model.h"

void fly_blame_feeling(const fly_model *m, fly_error *error); // forces that feel accelerations or reactions
void fly_blame_loops(const fly_model *m, fly_error *error);   // variables that depend on themselves

#endif
