// Marks the phases of a run for its profile (flyball/profile.h). Nobody asked for one: a test of a pointer.
#ifndef FLY_BASE_PHASE_H
#define FLY_BASE_PHASE_H

#include <stddef.h>

#include "flyball/profile.h"

// The profile that this thread fills; NULL: none. A thread does one run at a time.
extern _Thread_local fly_profile *fly_phase_profile __attribute__((visibility("hidden"), tls_model("initial-exec")));

// From here on, until the end, this thread fills a profile, in the phase of control. False: it fills one already.
bool fly_phase_begin(fly_profile *profile);
void fly_phase_end(void);

fly_phase fly_phase_change(fly_phase to, bool enter); // the one before

// enter gives what leave takes.
static inline fly_phase fly_phase_enter(fly_phase phase) {
  return fly_phase_profile ? fly_phase_change(phase, true) : FLY_PHASE_CONTROL;
}
static inline void fly_phase_leave(fly_phase before) {
  if (fly_phase_profile)
    fly_phase_change(before, false);
}

#endif
