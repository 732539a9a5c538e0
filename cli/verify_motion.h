// flyball verify promise: a motion sampled at its output rows, with what the run says about its own error.
#ifndef FLYBALL_CLI_VERIFY_MOTION_H
#define FLYBALL_CLI_VERIFY_MOTION_H

#include "verify.h"

// What is run: one of the papers' problems, or an example.
typedef struct verify_subject {
  char title[64];
  const char *problem, *example; // one of them
  char variant[32];              // "": the first
} verify_subject;

enum { VERIFY_MOTION_ROWS = 200 };

typedef struct verify_sampled {
  fly_status status;
  fly_error error;
  long steps;                // of the run
  fly_promise_report report; // its note does not live on
  bool too_long;             // the error asked for would take more than ten million steps
  int rows, states, values;  // rows sampled; numbers of a row
  double *state;             // q, x (rows x states)
  double *value;             // channels; of a problem q, v, lambda (rows x values)
  double *estimate;          // of the errors of values so far (rows x values); NULL: none
} verify_sampled;

typedef struct verify_how {
  const char *method, *formulation; // NULL: ggl
  double error;
  bool calibrate;
  long max_steps; // 0: any number
} verify_how;

int verify_subject_size(const verify_subject *s); // numbers of a state; 0: not known
// NULL: no memory for it, or no such subject.
verify_sampled *verify_sample(const verify_subject *s, const verify_how *how);
void verify_sampled_free(verify_sampled *m); // NULL is fine
// Largest weighted difference over the rows of both; NAN: they have not all rows.
double verify_sampled_apart(const verify_subject *s, const verify_sampled *a, const verify_sampled *b);

#endif
