// When a run takes which call: the table, and what it says to one that comes at the wrong time.
#include "analysis/calls.h"

#include <stddef.h>

static const char NOT_STARTED[] = "this run was not started. Call fly_run_start or fly_run_rest first.";
static const char TWICE[] = "this run was started before; a run starts once. Create another with fly_run_create.";
static const char INSIDE[] = "it was called from a callback of this run. Callbacks may ask a run, but not move it.";
static const char FAILED[] = "the start of this run failed, so that there is nothing to go on from. Mend what its "
                             "message says and create another run with fly_run_create.";
static const char OVER[] = "this run has ended, and its results are closed. Create another with fly_run_create.";

static const char STUCK[] = "this run cannot go on: its last advance says why. Read it, finish it (fly_run_finish) or "
                            "restore it.";

// A new call gets a column, a new stage a row.
// clang-format off
static const char *const TABLE[FLY_RUN_STAGES][FLY_RUN_CALLS] = {
    //                   start   rest    go           show         save         restore
    //                   advance      set          read         finish
    [FLY_RUN_CREATED] = {NULL, NULL, NOT_STARTED, NOT_STARTED, NOT_STARTED, NOT_STARTED,
                         NOT_STARTED, NOT_STARTED, NOT_STARTED, NOT_STARTED},
    [FLY_RUN_STARTED] = {TWICE, TWICE, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    [FLY_RUN_BUSY] = {INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE},
    [FLY_RUN_FAILED] = {FAILED, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED},
    [FLY_RUN_STUCK] = {TWICE, TWICE, STUCK, STUCK, STUCK, NULL, STUCK, STUCK, NULL, NULL},
    [FLY_RUN_ENDED] = {OVER, OVER, OVER, OVER, OVER, OVER, OVER, OVER, OVER, OVER},
};
// clang-format on

const char *fly_run_call_name(fly_run_call call) {
  static const char *const names[FLY_RUN_CALLS] = {
      "fly_run_start",   "fly_run_rest",    "fly_run_go",  "fly_run_show", "fly_run_save",
      "fly_run_restore", "fly_run_advance", "fly_run_set", "fly_run_read", "fly_run_finish"};
  return names[call];
}

const char *fly_run_refusal(fly_run_stage stage, fly_run_call call) { return TABLE[stage][call]; }
