// flyball verify: runs of model files.
#ifndef FLYBALL_CLI_VERIFY_MODEL_H
#define FLYBALL_CLI_VERIFY_MODEL_H

#include "verify.h"

enum { VERIFY_VALUES = 4, VERIFY_TIMES = 24 };

typedef struct verify_model {
  const char *example, *method, *formulation; // NULL: the default
  const char *set[1];                         // NULL: none
  double error, end, output;
  const char *channel[VERIFY_VALUES];
} verify_model;

typedef struct verify_motion {
  fly_status status;
  char message[400];
  int rank, rows;
  fly_stats stats;
  double energy; // largest imbalance of its ledger [J]
  int count;     // rows kept
  double time[VERIFY_TIMES], value[VERIFY_TIMES][VERIFY_VALUES];
} verify_motion;

verify_motion verify_run_model(const verify_model *c);
// Largest difference of two motions in values first ... last, over a scale.
double verify_apart(const verify_motion *a, const verify_motion *b, int first, int last, double scale);

#endif
