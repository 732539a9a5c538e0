// A run from inside: simulate.c moves it, questions.c answers for it.
#ifndef FLY_ANALYSIS_RUN_H
#define FLY_ANALYSIS_RUN_H

#include "analysis/assembly.h"
#include "analysis/calls.h"
#include "analysis/channels.h"
#include "analysis/checkpoint.h"
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

// Who moves it (movers.c): what a run asks of the analysis behind it.
typedef struct fly_mover {
  fly_dae_state (*state)(const fly_run *r); // last accepted
  fly_status (*step)(fly_run *r, fly_error *error);
  bool (*done)(const fly_run *r);
  fly_inside_fn *inside;                 // the run at a time inside the last step; NULL: nothing is known there
  fly_inside_fn *glance;                 // the same, with no promise of accelerations and multipliers
  double (*last_step)(const fly_run *r); // [s]
  double (*step_end)(const fly_run *r);  // the step itself ended there, before a break [s]
  fly_step_record (*record)(const fly_run *r);
  fly_stats (*stats)(const fly_run *r);
  const fly_stats *(*counts)(const fly_run *r); // of them what steps count one by one: cheap
  fly_certificate (*certificate)(const fly_run *r);
  // What is reported of a state: *at with the multipliers that are, and of which system they are.
  fly_status (*report)(fly_run *r, fly_dae_state *at, fly_system **system, fly_error *error);
} fly_mover;

extern const fly_mover fly_mover_dynamics, fly_mover_motions, fly_mover_data;

struct fly_run {
  const fly_mechanism *mechanism;
  fly_run_settings settings;
  fly_assembly assembly;
  fly_drive driven;  // kinematics
  fly_follow follow; // inverse dynamics of data
  fly_drive *drive;  // of one of them; NULL: dynamics, by the assembly's solver
  const fly_mover *mover;
  fly_system *system; // whose states are sampled
  fly_channels channels;
  double *value;             // time, then all channels (1 + channels.count)
  fly_result_writer *writer; // NULL: nothing is written
  bool *not_finite_seen;     // of each channel (channels.count)
  double *given;             // value, slope and time of inputs that were set and are not yet; NAN: none (3 ninput)
  double *parameter;         // of the model, as they are in use (nparameter),
  double *wanted;            // and as they will be when the run goes on
  fly_model *tuned;          // with those in use; NULL: the mechanism's
  fly_model *pending;        // with those that are wanted; NULL: nothing is to change
  fly_run_stage stage;
  bool shown;          // assembled to be looked at
  bool rested;         // it starts from an equilibrium:
  fly_balance balance; // where and how,
  fly_equilibrium equilibrium;
  bool stopped;               // somebody wants it to end
  fly_promise *promise;       // of its error; of a pilot: its run's; NULL: nothing is known of it
  bool flying;                // it is a pilot
  bool preparing;             // its pilots are
  fly_checkpoint *checkpoint; // it goes on from; NULL: it begins at its start
  fly_error outcome;          // how it ended
  uint64_t hash;              // of the results
  double clock;               // when it was created, and
  double wall_s;              // how long it took
  fly_profile profile;        // and with what, if that was asked
  long moves;                 // calls that may have moved it, so that others can tell
  fly_arena memory;

  // From here on what travels when a run is saved (saved.c), with what moves it, its promise and its settings.
  fly_book book;
  fly_story story;
  fly_grind grind;
  fly_not_finite not_finite; // values among the rows
  long rows;
  long next_output;     // number of the next output point
  long next_checkpoint; // likewise
  bool all_given;
  bool ended;     // by an event
  bool noticed;   // that it, or a pilot, grinds was said
  bool prepared;  // its pilots have flown, if they do so before
  bool waits;     // the last step ended at a stop, and what belongs to it is not done yet
  bool at_event;  // it ended at an event that the caller wants to see, whose effects are due
  bool set;       // inputs were set there
  double reached; // in a loop of the caller's [s]
};

static inline bool fly_run_follows(const fly_run *r) { return r->settings.follow != NULL; }
static inline bool fly_run_has_ledger(const fly_run *r) {
  return r->settings.analysis != FLY_KINEMATICS && !fly_run_follows(r);
}
fly_dae_state fly_run_state(const fly_run *r); // where it is; before its start there is none: t is NAN
fly_record fly_run_record_of(const fly_run *r);

// simulate.c
fly_status fly_run_create_with(fly_run **out, const fly_mechanism *m, const fly_run_settings *settings,
                               fly_error *error);
// movers.c. Of what is followed the data say where it starts, else the model does.
fly_status fly_run_create_motion(fly_run *r, fly_error *error);
fly_status fly_run_create_channels(fly_run *r, fly_error *error);
// pace.c
bool fly_run_wants_stop(void *run);
void fly_run_listen(fly_run *r); // long steps ask too
fly_status fly_run_stop_here(const fly_run *r, fly_error *error);
fly_status fly_run_watch_pace(fly_run *r, fly_error *error);
fly_status fly_run_explain_turns(const fly_run *r, fly_error *error);
fly_status fly_run_explain(fly_run *r, fly_status status, fly_error *error); // a step that failed
// advance.c
fly_status fly_run_open(fly_run *r, fly_error *error);        // histories begin at the start: turns, and the ledger
fly_status fly_run_begin_again(fly_run *r, fly_error *error); // from the start, with inputs and options as they are now
fly_status fly_run_sample(fly_run *r, double *out, const fly_dae_state *at, fly_error *error); // channels
fly_status fly_run_give_row(fly_run *r, double t, const fly_dae_state *at, fly_error *error);
fly_status fly_run_give_rows(fly_run *r, fly_error *error); // output points inside the last step
fly_status fly_run_step(fly_run *r, fly_error *error);      // one accepted step,
fly_status fly_run_follow(fly_run *r, fly_error *error);    // and what belongs to it
fly_status fly_run_book(fly_run *r, fly_error *error);      // of that: the ledger
fly_status fly_run_once(fly_run *r, fly_error *error);      // both
fly_status fly_run_to_end(fly_run *r, fly_error *error);
// pilots.c: to the end, with pilots before it or behind it
fly_status fly_run_judged(fly_run *r, fly_error *error);
fly_status fly_run_judge_faces(const fly_run *r, fly_error *error); // questions.c: when it is complete
fly_status fly_run_create_promise(fly_run *r, fly_error *error);
// loop.c: what waits at a stop is done
fly_status fly_run_complete(fly_run *r, fly_error *error);
void fly_run_forget_inputs(fly_run *r);
fly_status fly_run_allow(const fly_run *r, fly_run_call call, fly_error *error);
// saved.c: the state of a run that is started, both ways; what it belongs to
fly_status fly_run_image(fly_run *r, fly_image *m, fly_error *error);
// Puts it where it was when these bytes were saved. Bytes that are not its own change nothing; after another failure it
// has failed.
fly_status fly_run_take_up(fly_run *r, const void *bytes, size_t size, fly_error *error);
uint64_t fly_run_fingerprint(const fly_run *r);
fly_status fly_run_can_save(const fly_run *r, fly_error *error);

// tuned.c
bool fly_run_take_parameters(fly_run *r); // memory
void fly_run_free_tuned(fly_run *r);
fly_status fly_run_use_wanted(fly_run *r, fly_error *error);
fly_status fly_run_image_tuned(fly_run *r, fly_image *m, fly_error *error);
bool fly_run_stands(const fly_run *r); // at its start, a stop or an event, where it can be changed (loop.c)

#endif
