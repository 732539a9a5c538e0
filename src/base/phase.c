#include "base/phase.h"

#include <math.h>

#include "base/clock.h"

_Thread_local fly_profile *fly_phase_profile;

static _Thread_local struct {
  fly_phase phase;
  double since; // when it began, by the clock [s]
  double cost;  // of one change of phase, which is nearly all that of the clock [s]
} now;

// Where steps take microseconds, thousands of readings a step would make the phases that are entered most the longest.
// The least of some batches, so that a batch that was interrupted does not count.
static double cost_of_change(void) {
  enum { BATCHES = 20, PAIRS = 50 };
  fly_profile scratch = {.on = true}, *const none = fly_phase_profile;
  double least = INFINITY;
  fly_phase_profile = &scratch;
  now.cost = 0;
  now.phase = FLY_PHASE_CONTROL;
  for (int k = 0; k < BATCHES; k++) {
    const double start = fly_clock();
    for (int i = 0; i < PAIRS; i++)
      fly_phase_leave(fly_phase_enter(FLY_PHASE_SOLVE));
    least = fmin(least, (fly_clock() - start) / (2 * PAIRS));
  }
  fly_phase_profile = none;
  return least;
}

bool fly_phase_begin(fly_profile *profile) {
  if (fly_phase_profile)
    return false;
  now.cost = cost_of_change();
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

// Whatever a row needs is output, but for the files.
static bool stays_in(fly_phase before, fly_phase to) {
  return before == FLY_PHASE_FILES || (before == FLY_PHASE_OUTPUT && to != FLY_PHASE_FILES);
}

// Each stretch between two changes holds the cost of one: the end of its first reading and the beginning of its last.
fly_phase fly_phase_change(fly_phase to, bool enter) {
  const fly_phase before = now.phase;
  if (to == before || (enter && stays_in(before, to)))
    return before;
  const double clock = fly_clock(), sum = fly_phase_profile->seconds[before] + (clock - now.since - now.cost);
  fly_phase_profile->seconds[before] = fmax(sum, 0);
  fly_phase_profile->entries[to] += enter;
  now.phase = to;
  now.since = clock;
  return before;
}

const char *fly_phase_name(fly_phase phase) {
  static const char *const names[FLY_PHASES] = {"control", "kinematics", "residual", "jacobian", "scatter",
                                                "factor",  "solve",      "output",   "files"};
  return phase >= 0 && phase < FLY_PHASES ? names[phase] : NULL;
}

bool fly_phase_is_counted(fly_phase phase) { return phase != FLY_PHASE_CONTROL && phase != FLY_PHASE_FILES; }
