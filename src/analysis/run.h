// A run from inside: simulate.c moves it, questions.c answers for it.
#ifndef FLY_ANALYSIS_RUN_H
#define FLY_ANALYSIS_RUN_H

#include "analysis/assembly.h"
#include "analysis/calls.h"
#include "analysis/channels.h"
#include "analysis/follow.h"
#include "analysis/grind.h"
#include "analysis/kinematics.h"
#include "analysis/ledger.h"
#include "analysis/record.h"
#include "analysis/settings.h"
#include "analysis/statics.h"
#include "analysis/story.h"
#include "flyball/model.h"
#include "result/result.h"

struct fly_run {
  const fly_mechanism *mechanism;
  fly_run_settings settings;
  fly_assembly assembly;
  fly_drive driven;   // kinematics
  fly_follow follow;  // inverse dynamics of data
  fly_drive *drive;   // of one of them; NULL: dynamics, by the assembly's solver
  fly_system *system; // whose states are sampled
  fly_book book;
  fly_channels channels;
  double *value;             // time, then all channels (1 + channels.count)
  fly_result_writer *writer; // NULL: nothing is written
  long rows;
  fly_not_finite not_finite; // values among them
  bool *not_finite_seen;     // of each channel (channels.count)
  long next_output;          // number of the next output point
  bool all_given;
  fly_run_stage stage;
  bool shown;          // assembled to be looked at
  bool rested;         // it starts from an equilibrium:
  fly_balance balance; // where and how,
  fly_equilibrium equilibrium;
  fly_story story;
  fly_grind grind;
  bool stopped;         // somebody wants it to end
  fly_promise *promise; // of its error; of a pilot: its run's; NULL: nothing is known of it
  bool flying;          // it is a pilot
  bool preparing;       // its pilots are
  bool noticed;         // that it, or one of them, grinds was said
  fly_error outcome;    // how it ended
  uint64_t hash;        // of the results
  double clock;         // when it was created, and
  double wall_s;        // how long it took
  fly_arena memory;
};

static inline bool fly_run_follows(const fly_run *r) { return r->settings.follow != NULL; }
fly_dae_state fly_run_state(const fly_run *r); // where it is; before its start there is none: t is NAN
fly_record fly_run_record_of(const fly_run *r);

#endif
