#include "dae/calls.h"

#include <math.h>

#include "base/error.h"
#include "dae/solver.h"

static const char NOT_STARTED[] = "this solver was not started. Call fly_solver_start first.";
static const char INSIDE[] = "it was called from a callback of this solver. Callbacks may ask for its state and its "
                             "statistics, but not move it.";
static const char FAILED[] = "the start of this solver failed. Start it again with what its message asks for.";
static const char STUCK[] = "a step of this solver failed, and from the same point it would fail again. The last "
                            "accepted point can be asked for; fly_solver_start begins anew.";

// A new call gets a column, a new stage a row.
// clang-format off
static const char *const TABLE[FLY_SOLVER_STAGES][FLY_SOLVER_CALLS] = {
    //                      start   step         advance      stop_at      cross        changed
    //                      interpolate  condition    save         restore
    [FLY_SOLVER_CREATED] = {NULL, NOT_STARTED, NOT_STARTED, NOT_STARTED, NOT_STARTED, NOT_STARTED,
                            NOT_STARTED, NOT_STARTED, NOT_STARTED, NULL},
    [FLY_SOLVER_STARTED] = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    [FLY_SOLVER_BUSY] = {INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE},
    [FLY_SOLVER_FAILED] = {NULL, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED, NULL},
    [FLY_SOLVER_STUCK] = {NULL, STUCK, STUCK, STUCK, STUCK, STUCK, NULL, NULL, STUCK, NULL},
};
// clang-format on

fly_status fly_solver_allow(const fly_solver *s, fly_solver_call call, fly_error *error) {
  static const char *const names[FLY_SOLVER_CALLS] = {
      "fly_solver_start", "fly_solver_step",    "fly_solver_advance",     "fly_solver_stop_at",
      "fly_solver_cross", "fly_solver_changed", "fly_solver_interpolate", "fly_solver_condition",
      "fly_solver_save",  "fly_solver_restore"};
  if (!s)
    return fly_missing(error, names[call], "solver");
  const char *why = TABLE[s->stage][call];
  return why ? fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s", names[call], why) : FLY_OK;
}
