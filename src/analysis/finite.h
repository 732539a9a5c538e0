// Values of results that are not finite: a run that writes them did not do what was asked.
#ifndef FLY_ANALYSIS_FINITE_H
#define FLY_ANALYSIS_FINITE_H

#include <stddef.h>

#include "analysis/channels.h"
#include "flyball/model.h"

// Looks at a row of the results, time and channels, the number-th from 1. seen: of each channel whether it had one
// before (c->count).
void fly_finite_look(fly_not_finite *f, const fly_channels *c, bool *seen, const double *row, long number);
// A sentence about them.
void fly_finite_text(char *text, size_t size, const fly_not_finite *f);
// FLY_NOT_FINITE with its sentence if there are any and they are not allowed.
fly_status fly_finite_judge(const fly_not_finite *f, bool allowed, fly_error *error);

#endif
