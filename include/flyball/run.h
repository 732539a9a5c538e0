// A run of a model in a loop of yours: advance, set inputs, read channels, save, restore, clone. docs/library.md, "A
// model in a loop of yours", has complete programs.
#ifndef FLYBALL_RUN_H
#define FLYBALL_RUN_H

#include "flyball/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fly_advance {
  FLY_ADVANCE_STOP, // a step ends at t, where inputs can be set; steps must follow an error
  FLY_ADVANCE_PASS, // steps are as long as they want; what is read at t lies inside the last one
  FLY_ADVANCE_EVENT // as FLY_ADVANCE_STOP, but back earlier where an event of the model happens: fly_run_reached says
                    // where, fly_run_event which (its `last`). What is read is as the event found it; what it sets
                    // takes place with the next advance, and so do inputs that are set there. The motion is the same as
                    // without
} fly_advance;

// After fly_run_start, in place of fly_run_go: goes on until t, or to the end of the run. Results are written on the
// way. No pilots are flown: steps are controlled to the error of the options itself. FLY_STOPPED: something has ended
// the run there.
fly_status fly_run_advance(fly_run *r, double t, fly_advance how, fly_error *error);
bool fly_run_done(const fly_run *r);      // it is at its end, or was stopped
double fly_run_reached(const fly_run *r); // what is read now is read at this time [s]
// Where the loop ends: results are closed, the verdict is found. A run that is freed without it leaves its results as a
// part, as one that was killed.
fly_status fly_run_finish(fly_run *r, fly_error *error);

// An input of the model by its name, once: its handle, or -1.
int fly_run_input(const fly_run *r, const char *name);
// From where the run stands, its start, the t of the last stop or an event, the input is value + slope (time - t). It
// takes effect with the next advance: what is read until then is still that of before. A value that jumps makes forces
// jump, and the motion begins anew behind it, as at a jump of an expression; a slope that changes is a kink. Between
// two stops nothing can be set.
fly_status fly_run_set(fly_run *r, int input, double value, double slope, fly_error *error);

// A parameter of the model is `value` from where the run stands, as an input that jumps. Those that only expressions of
// forces, states and variables use can be tuned so; others, which the model is built with, are refused by name.
fly_status fly_run_tune(fly_run *r, const char *parameter, double value, fly_error *error);

// Values of some channels (handles of fly_run_channel, 0: the time) at fly_run_reached.
fly_status fly_run_read(fly_run *r, const int *channel, int count, double *value, fly_error *error);
// The whole state there: positions, velocities and their derivatives, multipliers, states of the model and theirs. The
// arrays belong to the run, contents until the next call.
fly_status fly_run_read_state(fly_run *r, fly_dae_state *state, fly_error *error);

// Places of a coordinate in v, vdot and the moves of q, and of a first-order state in x and xdot, by name, once; -1:
// none. A body has `arm.x`, `arm.y`, `arm.z` and `arm.turn_x` ... (about its own axes; those that its kind has), and
// coordinates of its own as its channels call them.
int fly_run_coordinate(const fly_run *r, const char *name);
int fly_run_state_place(const fly_run *r, const char *name);

// A run linearized where it is read (fly_run_reached). Its accelerations are a function of positions, velocities,
// states, inputs and time, v' = a(q, v, x, u, t), together with lambda and x': those of the equations and of the
// constraints on accelerations. Here are its derivatives, exactly. docs/library.md, "Derivatives of a run".
typedef struct fly_tangent fly_tangent;
// The run may go on: what is linearized stays as it was. The run must live on.
fly_status fly_run_tangent(fly_tangent **out, fly_run *r, fly_error *error);
void fly_tangent_free(fly_tangent *t); // NULL is fine

typedef struct fly_tangent_sizes {
  int nq, nv, nl, nx, ny; // positions, velocities, multipliers, first-order states, inner outputs
  int ninput;             // of the model
} fly_tangent_sizes;
fly_tangent_sizes fly_tangent_size(const fly_tangent *t);
// q, v and x as they are read, and v', lambda, x' and y that fulfil the equations there to the last digits. Those of a
// run have its error.
fly_dae_state fly_tangent_state(const fly_tangent *t);

// A direction: changes of what can be chosen. NULL: none.
typedef struct fly_seed {
  const double *q; // q (+) q: moves, counted as velocities are (nv)
  const double *v; // (nv)
  const double *x; // (nx)
  const double *u; // (ninput)
} fly_seed;
// What follows from it. NULL: not asked for.
typedef struct fly_response {
  double *vdot;   // (nv)
  double *lambda; // (nl)
  double *xdot;   // (nx)
} fly_response;
// Times the direction: what FMI calls a directional derivative. The derivatives of some channels (handles of
// fly_run_channel) go into value (count): of the time, outputs, variables, states and inputs of the model. Others are
// refused; an output can be what they are.
fly_status fly_tangent_along(fly_tangent *t, const fly_seed *seed, const fly_response *response, const int *channel,
                             int count, double *value, fly_error *error);
// Puts moves and changes of velocities (nv each) onto what the constraints allow, G q = 0 and d(G v + g_t) = 0, by the
// smallest change, as masses measure it.
fly_status fly_tangent_allow(fly_tangent *t, double *q, double *v, fly_error *error);

// Another run of the same model with the same options, which goes on from where this one stands: it writes no results,
// and calls no callbacks. The mechanism must live on.
fly_status fly_run_clone(fly_run **out, fly_run *r, fly_error *error);

#ifdef __cplusplus
}
#endif
#endif
