// Where the time of a run goes, by the phases of its steps.
#ifndef FLYBALL_PROFILE_H
#define FLYBALL_PROFILE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fly_phase {
  FLY_PHASE_CONTROL,    // what is none of the others: prediction, error tests, choice of steps, events, the ledger
  FLY_PHASE_KINEMATICS, // masses, constraints, their Jacobians and rates
  FLY_PHASE_RESIDUAL,   // forces, states, outputs
  FLY_PHASE_JACOBIAN,   // their derivatives
  FLY_PHASE_SCATTER,    // the matrix of a step made of them
  FLY_PHASE_FACTOR,     // its factorization
  FLY_PHASE_SOLVE,      // solutions with it
  FLY_PHASE_OUTPUT,     // rows of the results: inside of steps, their channels, written
  FLY_PHASE_FILES,      // libraries loaded, files created, and at the end completed, packed and closed
  FLY_PHASES
} fly_phase;

// Of one thing at a time: what is evaluated for a row is output; kinematics for derivatives are kinematics.
typedef struct fly_profile {
  bool on;                    // it was asked for (fly_run_options.profile)
  double seconds[FLY_PHASES]; // of the clock, less what looking at it costs
  long entries[FLY_PHASES];   // how often a phase was begun from another; see fly_phase_is_counted
} fly_profile;

const char *fly_phase_name(fly_phase phase); // "kinematics"; NULL: there is no such phase
// Whether its entries say how often it was needed: control is what lies between the others, files are a few, of any
// kind.
bool fly_phase_is_counted(fly_phase phase);

#ifdef __cplusplus
}
#endif
#endif
