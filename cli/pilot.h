// Pilots of the papers' problems: see fly_promise.
#ifndef FLYBALL_CLI_PILOT_H
#define FLYBALL_CLI_PILOT_H

#include "flyball/promise.h"
#include "flyball/soft.h"

// Which problem, and how it is run.
typedef struct cli_pilot {
  const char *name, *variant;
  int n;
  double end; // [s]
  fly_dae_options options;
  bool soft; // constraints give way:
  fly_soft_form form;
  double parameter;
  bool smooth;
} cli_pilot;

fly_pilot_fn cli_pilot_fly; // user: a cli_pilot; the `run` of values is the pilot's fly_dae_problem

#endif
