// The state of a solver inside a larger one: that of a run.
#ifndef FLY_DAE_SAVE_H
#define FLY_DAE_SAVE_H

#include "base/image.h"
#include "flyball/dae.h"

bool fly_solver_can_save(const fly_solver *s);
const char *fly_solver_why_not_saved(const fly_solver *s); // of one that cannot: a clause
void fly_solver_image(fly_solver *s, fly_image *m); // all of its state, both ways; one that was read into is started

#endif
