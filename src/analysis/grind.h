// Runs that grind: too many steps for what they advance. Seen by counts, the same in every run; said in words, with
// what is left at this pace; ended where it is hopeless (docs/theory/control.md, C-pace).
#ifndef FLY_ANALYSIS_GRIND_H
#define FLY_ANALYSIS_GRIND_H

#include "system/system.h"

typedef struct fly_grind {
  long tries, rejected;        // where the window began,
  long breaks, events;         // known times met and events until then,
  double t;                    // when,
  double left;                 // tries left at the pace of the window before
  double least;                // since they have grown from window to window: where they began,
  int growing;                 // and how many windows ago,
  double slow_speed;           // when the motion was so fast
  int chattering, slow, stuck; // windows in a row,
  int crowd;                   // and those of known times and events
  bool judged;                 // the last step closed a window
  bool crowded;                // the sentence is about known times or events, which every run of the model meets
  char sentence[900];          // what makes the run slow; "": nothing is known
} fly_grind;

// What it sees of a run.
typedef struct fly_grind_view {
  fly_system *system;
  fly_dae_state at; // last accepted
  double end;       // [s]
  double speed;     // largest velocity, weighted [1/s]
  fly_stats stats;
  bool pilot;   // its error may be so large that it crawls along a jump with few failures
  bool damps;   // its method is radau, made for what is fast beside the rest
  bool fixed;   // its steps are: their pace is the user's own, that of events between them is not
  bool limited; // somebody has said how many steps he allows: it is not for us to end it
} fly_grind_view;

// After each accepted step: whether it is time to look. If so, FLY_NO_PROGRESS: hopeless.
bool fly_grind_due(fly_grind *g, const fly_stats *counts);
fly_status fly_grind_note(fly_grind *g, const fly_grind_view *view, fly_error *error);
// A failure for which a force may be to blame: says which.
void fly_grind_blame(const fly_grind_view *view, fly_error *error);
// A callback that gave no number: says which force, if it is one.
void fly_grind_blame_odd(const fly_grind_view *view, fly_error *error);

#endif
