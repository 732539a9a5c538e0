// Which calls a solver takes when: one table, as analysis/calls.h is for runs.
#ifndef FLY_DAE_CALLS_H
#define FLY_DAE_CALLS_H

#include "flyball/dae.h"

typedef enum fly_solver_stage {
  FLY_SOLVER_CREATED,
  FLY_SOLVER_STARTED,
  FLY_SOLVER_BUSY,   // inside of one of its own calls, from which callbacks are called
  FLY_SOLVER_FAILED, // its start did
  FLY_SOLVER_STUCK,  // a step did: the last accepted point stands
  FLY_SOLVER_STAGES
} fly_solver_stage;

typedef enum fly_solver_call {
  FLY_CALL_SOLVER_START,
  FLY_CALL_STEP,
  FLY_CALL_ADVANCE,
  FLY_CALL_STOP_AT,
  FLY_CALL_CROSS,
  FLY_CALL_CHANGED,
  FLY_CALL_INTERPOLATE,
  FLY_CALL_CONDITION,
  FLY_CALL_SAVE,
  FLY_CALL_RESTORE,
  FLY_SOLVER_CALLS
} fly_solver_call;

// FLY_BAD_INPUT with the call and the sentence of the table, or for a solver that is NULL.
fly_status fly_solver_allow(const fly_solver *s, fly_solver_call call, fly_error *error);

#endif
