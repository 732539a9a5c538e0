// What a run may be asked for: requests that no machine can serve are refused before anything is written.
#ifndef FLY_ANALYSIS_LIMITS_H
#define FLY_ANALYSIS_LIMITS_H

#include "analysis/settings.h"
#include "system/system.h"

// Rows of the results and fixed steps.
fly_status fly_limits_counts(const fly_run_settings *s, const fly_model *model, fly_error *error);
// Results of so many channels beside the time, against the room on the disk.
fly_status fly_limits_disk(const fly_run_settings *s, const fly_model *model, int channels, fly_error *error);
// The error asked for against the rounding error of positions where the model starts.
fly_status fly_limits_error(const fly_run_settings *s, const fly_model *model, const fly_system *system,
                            fly_error *error);

// Pairs of contacts that are found are found while it runs: an analysis that looks at one place, or steps by itself,
// does not know them.
fly_status fly_limits_found(const fly_model *m, const char *analysis, fly_error *error);

#endif
