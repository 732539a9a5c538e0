#include "analysis/calls.h"

#include <stddef.h>

static const char NOT_STARTED[] = "this run was not started. Call fly_run_start or fly_run_rest first.";
static const char TWICE[] = "this run was started before; a run starts once. Create another with fly_run_create.";
static const char INSIDE[] = "it was called from a callback of this run. Callbacks may ask a run, but not move it.";
static const char FAILED[] = "the start of this run failed, so that there is nothing to go on from. Mend what its "
                             "message says and create another run with fly_run_create.";
static const char OVER[] = "this run has ended, and its results are closed. Create another with fly_run_create.";

// A new call gets a column, a new stage a row.
static const char *const TABLE[FLY_RUN_STAGES][FLY_RUN_CALLS] = {
    //                   start   rest    go           show         save         restore
    [FLY_RUN_CREATED] = {NULL, NULL, NOT_STARTED, NOT_STARTED, NOT_STARTED, NOT_STARTED},
    [FLY_RUN_STARTED] = {TWICE, TWICE, NULL, NULL, NULL, NULL},
    [FLY_RUN_BUSY] = {INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE},
    [FLY_RUN_FAILED] = {FAILED, FAILED, FAILED, FAILED, FAILED, FAILED},
    [FLY_RUN_ENDED] = {OVER, OVER, OVER, OVER, OVER, OVER},
};

const char *fly_run_call_name(fly_run_call call) {
  static const char *const names[FLY_RUN_CALLS] = {"fly_run_start", "fly_run_rest", "fly_run_go",
                                                   "fly_run_show",  "fly_run_save", "fly_run_restore"};
  return names[call];
}

const char *fly_run_refusal(fly_run_stage stage, fly_run_call call) { return TABLE[stage][call]; }
