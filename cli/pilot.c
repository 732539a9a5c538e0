#include "pilot.h"

#include "problems/problems.h"

static fly_status go(fly_promise *promise, fly_solver *solver, fly_dae_problem *problem, fly_error *error) {
  fly_status status = fly_promise_follow(promise, solver, problem, error);
  while (status == FLY_OK && !fly_solver_done(solver)) {
    status = fly_solver_step(solver, error);
    const bool reached = status == FLY_OK || status == FLY_NOT_KEPT || status == FLY_STOPPED;
    const fly_status followed = reached ? fly_promise_follow(promise, solver, problem, error) : FLY_OK;
    if (followed)
      return followed;
  }
  return status == FLY_STOPPED ? FLY_OK : status; // by an event, as the problem has it
}

// With a problem of its own: callbacks may keep something of the past.
fly_status cli_pilot_fly(fly_promise *promise, double setting, void *user, fly_error *error) {
  const cli_pilot *pilot = user;
  fly_problem p = {0};
  fly_solver *solver = NULL;
  fly_dae_options o = pilot->options;
  fly_promise_options(promise, setting, &o);
  fly_status status = fly_problem_make(&p, pilot->name, pilot->variant, pilot->n, error);
  if (status == FLY_OK && pilot->soft)
    status = fly_problem_soften(&p, pilot->form, pilot->parameter, pilot->smooth, error);
  if (status == FLY_OK)
    status = fly_solver_create(&solver, &p.dae, &o, error);
  if (status == FLY_OK)
    status = fly_solver_start(solver, p.t0, pilot->end, p.q0, p.v0, p.x0, error);
  if (status == FLY_OK)
    status = go(promise, solver, &p.dae, error);
  fly_solver_free(solver);
  fly_problem_free(&p);
  return status;
}
