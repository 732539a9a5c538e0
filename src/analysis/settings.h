// What a run is asked for: the model's `simulate` section, overridden by the caller's options.
#ifndef FLY_ANALYSIS_SETTINGS_H
#define FLY_ANALYSIS_SETTINGS_H

#include <stdint.h>

#include "flyball/model.h"
#include "model/model.h"
#include "system/system.h"

typedef struct fly_run_settings {
  fly_analysis analysis;
  const char *follow; // result whose motion is taken; NULL: that of the motions
  fly_dae_options dae;
  const char *method;   // its name,
  const char *because;  // and the option that decided for it where none was named; NULL: none did
  uint64_t of_model;    // which keys the model says, and the caller does not: bits in the order of fly_simulate_rows
  double end, output;   // [s]
  double max_time;      // of the clock; NAN: no limit [s]
  bool calibrate;       // pilots find the tolerance
  bool estimate;        // the error of the run is estimated
  bool resting;         // it starts from an equilibrium
  fly_softness soft;    // how rows are held that may give way
  bool smooth;          // those start where what they carry has opened them
  bool strict;          // warnings are errors
  bool allow_nan;       // channels may be NaN or infinite
  const char *channels; // which; NULL: the default
  const char *out;      // base name of the results; NULL: none
  unsigned formats;     // of fly_result_format
  double checkpoint;    // interval of checkpoints [s]; NAN: none
  const char *note;     // of the caller, in them
  bool resume;          // it goes on from one
  bool profile;         // the clock is looked at between phases
  bool (*progress)(double t, double end, long steps, void *user);
  bool (*stop)(void *user);
  const char *(*why)(void *user);
  void (*notice)(const char *sentence, void *user);
  void (*state)(const fly_dae_state *state, void *user);
  void (*row)(const double *row, void *user);
  void *user;
} fly_run_settings;

fly_status fly_settings_make(fly_run_settings *out, const fly_model *model, const fly_run_options *options,
                             fly_error *error);
// Whether the caller gave it, or nobody did; where the model says it: nowhere if it does not count.
bool fly_setting_asked(const fly_run_settings *s, const char *key);
fly_place fly_setting_place(const fly_run_settings *s, const fly_spec *spec, const char *key);

#endif
