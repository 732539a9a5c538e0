// The error of a run, measured: pilot runs of the same problem by the same method at looser tolerances show how errors
// of steps travel to the end. From them follow the tolerance that keeps the error asked for, and, from the difference
// between the run and the last pilot, an estimate of its error over time. docs/theory/promise.md.
#ifndef FLYBALL_PROMISE_H
#define FLYBALL_PROMISE_H

#include <stdbool.h>

#include "flyball/dae.h"

#ifdef __cplusplus
extern "C" {
#endif

// Largest weighted component of the difference of two states: positions as increments (rotations: the vector that turns
// one into the other) over scale_v, first-order states over scale_x. The norm of `error`.
double fly_dae_distance(const fly_dae_problem *problem, const fly_dae_state *a, const fly_dae_state *b);

typedef struct fly_promise fly_promise;

// A whole run of the problem, from a fresh start, with the options of the task but this error (or, where the step is
// fixed, this step), as fly_promise_options makes them: after its start and after every step it calls
// fly_promise_follow. One pilot lives at a time.
typedef fly_status fly_pilot_fn(fly_promise *p, double setting, void *user, fly_error *error);

// What values are known to be off by, whatever a pilot shows: raises the least of their errors, from the values of the
// run here and the estimates of their errors so far (nvalue each).
typedef void fly_missed_fn(double *least, const double *value, const double *estimate, void *run);

typedef struct fly_promise_task {
  const fly_dae_problem *problem; // sizes, rotations and scales; with pilot NULL: what is run, and must live on
  fly_dae_options options;        // of the run; options.error is the error asked for
  double t0, t_end;               // [s]
  bool calibrate;                 // find the tolerance; false, or a fixed step: the run goes by its options
  int nvalue;                     // further values of a state that are compared, one by one
  void (*values)(double *out, const fly_dae_state *at, void *run); // gives them (nvalue)
  fly_missed_fn *missed;                                           // NULL: nothing of the kind is known
  fly_pilot_fn *pilot;        // NULL: a solver of `problem` from here (only if its callbacks keep nothing of the past):
  const double *q0, *v0, *x0; //
  bool (*go_on)(void *user);  // asked now and then; false stops; NULL: never
  void *user;                 // of pilot and go_on
  double output;              // rows are given every so often [s]; 0: it is not known
} fly_promise_task;

// Takes memory for some hundred states.
fly_status fly_promise_create(fly_promise **out, const fly_promise_task *task, fly_error *error);
void fly_promise_free(fly_promise *p); // NULL is fine

// Flies the pilots: with task.calibrate before the run, which is then expected with the error of the report; otherwise
// one after it. The run is followed as the pilots are. FLY_OK also if they say nothing (the report has why);
// FLY_STOPPED: go_on said no, before the run.
fly_status fly_promise_pilot(fly_promise *p, fly_error *error);
// Keeps what a run passes: to be called after its start and after every step. run: for `values`.
fly_status fly_promise_follow(fly_promise *p, fly_solver *solver, void *run, fly_error *error);
// The longest step of the pilot that is due [s]; 0: as the options have it. Pilots that take the same steps whatever
// their error, because something else limits them, show no error: the next one takes half as long ones.
double fly_promise_step_max(const fly_promise *p);
// The options of the task become those of the pilot that is due: this error or step, no longer steps than that, and of
// method auto the stages of Radau that the run begins with.
void fly_promise_options(const fly_promise *p, double setting, fly_dae_options *o);

typedef struct fly_promise_report {
  double asked;      // error asked for; NAN: the step is fixed
  double setting;    // tolerance to use, or the step
  double growth;     // error of a run over its tolerance: how the errors of steps grow on their way; NAN: not known
  double error;      // estimated, of the run, weighted, the largest so far; NAN: not known
  double kept_until; // time at which it passes three times the error asked for [s]; NAN: it does not
  double doubling;   // errors grow exponentially, twofold in this time [s]; NAN: they do not
  bool within_reach; // the error asked for can be kept
  int pilots;        // flown to the end
  long steps;        // that they took
  double companion;  // tolerance or step of the one the run is compared with; NAN: none
  const char *note;  // what went otherwise, in a sentence; "" if nothing did
} fly_promise_report;
fly_promise_report fly_promise_tell(const fly_promise *p);
fly_promise_report fly_promise_unknown(void); // where there are no pilots

// FLY_NOT_KEPT with the reason if the estimate of a run that is complete exceeds three times the error asked for.
fly_status fly_promise_judge(const fly_promise *p, fly_error *error);

// The estimates over time: running maxima at the times that were compared.
int fly_promise_values(const fly_promise *p);                     // further values, nvalue of the task
int fly_promise_count(const fly_promise *p);                      // of those times, so far
double fly_promise_time(const fly_promise *p, int k);             // [s]
double fly_promise_latest(const fly_promise *p, int value);       // at the last of them; -1: the weighted error
double fly_promise_error(const fly_promise *p, int k, int value); // of a value, in its unit; -1: the weighted error
double fly_promise_size(const fly_promise *p, int value);         // the largest of a value so far, in its unit

#ifdef __cplusplus
}
#endif
#endif
