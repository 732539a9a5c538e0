#include "base/phase.h"

#include "base/clock.h"

_Thread_local fly_profile *fly_phase_profile;

static _Thread_local struct {
  fly_phase phase;
  double since; // when it began, by the clock
} now;

bool fly_phase_begin(fly_profile *profile) {
  if (fly_phase_profile)
    return false;
  fly_phase_profile = profile;
  profile->on = true;
  now.phase = FLY_PHASE_CONTROL;
  now.since = fly_clock();
  return true;
}

void fly_phase_end(void) {
  fly_phase_change(FLY_PHASE_CONTROL, false);
  fly_phase_profile = NULL;
}

fly_phase fly_phase_change(fly_phase to, bool enter) {
  const fly_phase before = now.phase;
  if (to == before || (enter && before == FLY_PHASE_OUTPUT)) // whatever a row needs is output
    return before;
  const double clock = fly_clock();
  fly_phase_profile->seconds[before] += clock - now.since;
  fly_phase_profile->entries[to] += enter;
  now.phase = to;
  now.since = clock;
  return before;
}

const char *fly_phase_name(fly_phase phase) {
  static const char *const names[FLY_PHASES] = {"control", "kinematics", "residual", "jacobian",
                                                "scatter", "factor",     "solve",    "output"};
  return phase >= 0 && phase < FLY_PHASES ? names[phase] : NULL;
}
