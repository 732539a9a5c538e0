// What a promise keeps: pilots (promise.c), and the run against one of them (estimate.c). docs/theory/promise.md.
#ifndef FLY_DAE_PROMISE_H
#define FLY_DAE_PROMISE_H

#include "base/image.h"
#include "base/memory.h"
#include "flyball/promise.h"

enum { FLY_PILOTS_MOST = 12 };
#define FLY_SAME 0.9       // part of the samples of two runs that lie in the very same steps: they are the same
#define FLY_ALIKE 1.3      // sums of the estimates of two runs: one is not looser than the other in truth
#define FLY_NO_ERROR 1e-13 // such a sum: every method is exact here

// What a family's errors and steps do with its tolerance, from the table `methods` of docs/verification.md. Where
// errors scatter by factors around their trend (formulas whose order changes), a looser pilot says little about the
// run: they get one that is tighter. Their cost hardly depends on the tolerance.
typedef struct fly_habit {
  double ratio;    // between the tolerances of two pilots
  double first;    // tolerance of the first pilot over the error asked for
  double loosened; // that of the run over the error asked for, at most
  double target;   // error of the run over the one asked for
  double cost;     // steps grow like tolerance^-cost
  double floor;    // a tolerance below gets lost in round-off
  bool scatters;
  bool sums; // estimates of steps add up to no more than the tolerance, unless round-off is all they show
} fly_habit;

// What was sampled of one run.
typedef struct fly_trace {
  double setting; // its tolerance, or step
  bool complete;
  int count; // samples
  long steps;
  double sum;    // of the estimates of its steps
  double *value; // q, x, values of each sample (n x width)
  double *end;   // of the step that a sample lies in (n), and
  double *spent; // the sum there (n)
} fly_trace;

// The error of a pilot: what the next one shows.
typedef struct fly_finding {
  double setting, error;
  bool saturated;
  double at; // when it was saturated [s]
} fly_finding;

typedef enum fly_doing { FLY_DOING_NOTHING, FLY_DOING_KEEP, FLY_DOING_COMPARE } fly_doing;

struct fly_promise {
  fly_promise_task task;
  fly_dae_problem problem;
  const fly_habit *habit;
  int n, width;
  fly_arena memory;

  // From here on what travels (fly_promise_image).
  double *time;        // of the samples, ascending (n)
  fly_trace now, last; // being followed, and the one it is compared with
  fly_trace other;     // while the run is followed: the other one of the last two pilots
  fly_doing doing;     // with what it passes
  bool flying;         // a pilot is, and not the run
  double halved;       // longest step of pilots, where the tolerance does not rule the steps [s]; 0: it does
  bool hopeless;       // the last pilot took too many steps: tighter ones would too
  double *work;        // values of two states (2 nvalue)
  double *apart;   // running maxima of the differences of the run from its companion, weighted first (n x (1 + nvalue))
  double *latest;  // differences at the last sample (1 + nvalue)
  double *rounded; // running maxima of what rounding of the constraints does to the run, likewise (n x (1 + nvalue))
  double peak;     // the largest of it since the last sample, weighted
  double *size;    // the largest of each value so far (nvalue)
  double *grown;   // running maximum of the difference of two pilots (n)
  double *beside;  // largest differences of the run from the other pilot, weighted first (1 + nvalue)
  int same;        // samples that lie in the same steps as those of the companion
  int first;       // sample behind those in a row from the start
  double differs;  // by how much the companion is looser or tighter in truth, so far: |log|
  fly_finding found[FLY_PILOTS_MOST];
  int nfound;
  bool breaks;    // something breaks in time, or is met on the way: errors do not fall evenly with the tolerance
  double order;   // errors grow like tolerance^order
  double *factor; // error of the run over its difference from the companion, weighted first (1 + nvalue) (P-estimate)
  double floor;   // sum of the estimates of the steps below which no tolerance gets; 0: not met
  fly_promise_report report;
  char note[600];
};

// samples.c
// Contacts: stiff, and moved along or knocked off a few steps that count, so that errors of pilots scatter more than
// two of them tell of.
static inline bool fly_promise_touches(const fly_promise *p) { return p->problem.nfirm > 0; }
void fly_promise_plan(fly_promise *p);                         // n, time and breaks; width is known
int fly_promise_sample_before(const fly_promise *p, double t); // the last that is not behind t
bool fly_promise_fixed(const fly_promise *p);                  // the step is
fly_dae_state fly_promise_state(const fly_promise *p, const fly_trace *t, int k);
bool fly_promise_same_steps(const fly_trace *a, const fly_trace *b); // two pilots took
// How much looser one run was than another: in name by their settings; in truth, where something else limits the steps
// (step_max, breaks, round-off), by what the estimates of their steps add up to (P-looser).
double fly_promise_looser(const fly_promise *p, double name, double truth);
// From here on the run is compared with the last pilot, of this setting.
void fly_promise_face(fly_promise *p, double companion);
// What rounding errors of the constraints can have made of the run in the step that ended.
void fly_promise_shake(fly_promise *p, fly_solver *solver, void *run);
void fly_promise_next(fly_promise *p); // to the next sample
// The run at its next sample against its companion, and the other pilot.
void fly_promise_compare(fly_promise *p, const fly_dae_state *at, double step_end, void *run);
double fly_promise_larger(double a, double b);        // keeps NaN
void fly_promise_image(fly_promise *p, fly_image *m); // of a promise of the same task

#endif
