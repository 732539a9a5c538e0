// Which calls a run takes when: one table, for all that move it.
#ifndef FLY_ANALYSIS_CALLS_H
#define FLY_ANALYSIS_CALLS_H

typedef enum fly_run_stage {
  FLY_RUN_CREATED,
  FLY_RUN_STARTED, // or rested: it stands where it begins
  FLY_RUN_BUSY,    // inside of one of its own calls, from which callbacks are called
  FLY_RUN_FAILED,  // its start did
  FLY_RUN_STUCK,   // it was advanced, and cannot go on
  FLY_RUN_ENDED,   // it has gone, however far, or was shown
  FLY_RUN_STAGES
} fly_run_stage;

typedef enum fly_run_call {
  FLY_CALL_START,
  FLY_CALL_REST,
  FLY_CALL_GO,
  FLY_CALL_SHOW,
  FLY_CALL_SAVE_RUN,
  FLY_CALL_RESTORE_RUN,
  FLY_CALL_ADVANCE_RUN,
  FLY_CALL_SET,
  FLY_CALL_READ,
  FLY_CALL_FINISH,
  FLY_RUN_CALLS
} fly_run_call;

const char *fly_run_call_name(fly_run_call call);
// NULL: it is taken. Otherwise why it is not, and what to do, in a sentence.
const char *fly_run_refusal(fly_run_stage stage, fly_run_call call);

#endif
