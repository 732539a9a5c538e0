// The channels of a simulation: which are written, what they are called, and their values.
#ifndef FLY_ANALYSIS_CHANNELS_H
#define FLY_ANALYSIS_CHANNELS_H

#include "flyball/model.h"
#include "result/result.h"
#include "system/system.h"

typedef struct fly_channels {
  int count;
  fly_channel *channel;            // (count)
  int nblock;                      // channels come in blocks: those of a body, of a joint ...
  struct fly_channel_block *block; // (nblock)
  double *wrench;                  // work: reactions (6 a pair)
  double *output;                  // work: outputs (model->noutput)
  bool wrenches;                   // any of these are wanted
  double *touched;                 // work: what contacts do to each body (FLY_TOUCHED nbody)
  bool touches;                    // any of that is wanted
  char left_out[500];              // outputs that are not known here, in words
} fly_channels;

// What an analysis knows: with multipliers reactions and what motions push; with a ledger energies and works.
typedef struct fly_channels_known {
  bool multipliers, ledger;
  const char *why;    // what to use instead where they are not known, for messages
  int nmissing;       // coordinates given by data, which need forces:
  const int *missing; // rows that are there, or nrow + k: coordinate k of v (nmissing)
  int nrow;           // rows that are there,
  const int *active;  // and which rows of the model they are (nrow)
} fly_channels_known;

// wanted: groups and names of elements, separated by commas or blanks; NULL: the default. Memory from the arena.
fly_status fly_channels_make_known(fly_channels *c, const fly_model *model, const fly_channels_known *known,
                                   const char *wanted, fly_arena *memory, fly_error *error);
// The same where all is known, as in a run.
fly_status fly_channels_make(fly_channels *c, const fly_model *model, const char *wanted, fly_arena *memory,
                             fly_error *error);
// What of the model a channel shows, and which of them; states also by their rates.
typedef enum fly_channel_source {
  FLY_SOURCE_OTHER,
  FLY_SOURCE_OUTPUT, // or a variable
  FLY_SOURCE_STATE,
  FLY_SOURCE_RATE,
  FLY_SOURCE_INPUT,
  FLY_SOURCE_HELD
} fly_channel_source;
fly_channel_source fly_channels_source(const fly_channels *c, int channel, int *which);
// The first of the channels of the energy and of the works, as FLY_ENERGY_... and FLY_WORK_... count them; -1: they are
// not wanted.
enum { FLY_ENERGY_TOTAL = 3, FLY_ENERGY_BALANCE = 4, FLY_WORK_KINDS = 3 };
int fly_channels_energy(const fly_channels *c);
int fly_channels_work(const fly_channels *c);
void fly_channels_sample(fly_channels *c, fly_system *s, const fly_dae_state *at, const fly_ledger *ledger,
                         double *out);

#endif
