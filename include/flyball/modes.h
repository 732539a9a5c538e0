// A model linearized at a state: its modes, and its state matrices.
#ifndef FLYBALL_MODES_H
#define FLYBALL_MODES_H

#include <stdbool.h>

#include "flyball/model.h"
#include "flyball/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fly_mode_kind {
  FLY_MODE_RIGID,       // nothing holds it and nothing drives it: s = 0
  FLY_MODE_OSCILLATING, // s = real +- i imag, and it does not grow
  FLY_MODE_FLUTTERING,  // the same, but it grows
  FLY_MODE_DECAYING,    // s = real < 0: it creeps back
  FLY_MODE_DIVERGING,   // s = real > 0: it falls away
  FLY_MODE_UNRESOLVED   // s = 0 within rounding, but something holds or drives it: not known
} fly_mode_kind;
const char *fly_mode_kind_name(fly_mode_kind kind); // "rigid-body", "oscillating", "growing oscillation" ...

// A motion shape * exp(s t), of which the real part is seen.
typedef struct fly_mode {
  fly_mode_kind kind;
  double real, imag;   // s [1/s], imag >= 0
  double frequency;    // imag/(2 pi) [Hz]
  double natural;      // |s|/(2 pi) [Hz]
  double damping;      // -real/|s|; 1 of what decays, -1 of what falls away, NAN of a rigid-body mode
  double bound;        // by how much rounding may have moved s [1/s]
  const double *shape; // of each body: displacement of its mass centre x, y, z [m], small turn about x, y, z [rad], in
                       // space axes, each as real, imaginary part (12 a body). The largest, a displacement over the
                       // size of the model or a turn, is 1
  const double *share; // of each body in the kinetic energy; their sum is 1
} fly_mode;

typedef enum fly_modes_way { FLY_MODES_AUTO, FLY_MODES_DENSE, FLY_MODES_ARPACK } fly_modes_way;

// Where to linearize, and what for. NAN, NULL, 0: not given.
typedef struct fly_modes_options {
  double time;       // of a run, as the model says [s]; NAN: the assembled start
  bool equilibrium;  // where the model is in equilibrium, found from its start
  bool anyway;       // also where it is not in equilibrium
  const char *frame; // body whose axes a moving state is seen from; NULL: space
  int count;         // so many modes, those nearest the shift; 0: all, of a large model 20
  double shift;      // [Hz]; NAN: 0
  fly_modes_way way; // AUTO: all modes by dense matrices, if there are not too many coordinates
  bool matrices;     // state matrices too: they are dense
  int ninput;        // their inputs: names of forces, NAME.fx ... NAME.tz for one component
  const char *const *input;
  int noutput; // and outputs: names of the model's outputs; 0: all of them
  const char *const *output;
  const char *loop; // a variable, or a delay: the loop opened there and its margins; NULL: none
  bool strict;      // what is odd in the model or its start is an error
  bool allow_nan;   // values of the result may be NaN or infinite
} fly_modes_options;
fly_modes_options fly_modes_options_default(void);

typedef struct fly_modes_info {
  const char *name;            // of the model
  int bodies, coordinates;     // moving bodies, and their degrees of freedom without constraints
  int rank, dof;               // independent constraint rows, and what they leave
  double time;                 // of the state [s]
  bool moving, steady;         // it moves; nothing changes along its motion, as seen from the frame
  bool undamped;               // symmetric matrices, no damping, nothing that turns
  bool all;                    // all modes were found
  bool stability;              // what is unstable is among those found; of large models only if they are undamped
  bool arpack;                 // by ARPACK
  double unbalanced;           // largest acceleration that equilibrium or a steady motion has not,
  const char *unbalanced_unit; // m/s^2 or rad/s^2,
  const char *unbalanced_body; // and whose; NULL: none
  int unstable, rigid;         // modes that grow, and rigid-body modes
  int unresolved;              // modes of which rounding hides whether they grow
  double hidden;               // a growth below this would not have been seen in some mode [1/s]
} fly_modes_info;

// x' = A x + B u, y = C x + D u for small changes. All matrices column by column.
typedef struct fly_state_space {
  int nstate, ninput, noutput;
  const char *const *state; // "bob.x", "bob.turn_y", then their rates "bob.x.rate" ... (nstate)
  const char *const *input, *const *output;
  const char *const *input_unit, *const *output_unit;
  const double *A, *B, *C, *D;
  const double *output_value; // at the state (noutput)
} fly_state_space;

// A loop opened at a variable: u is put in its place, and w is what its expression makes of it.
//   L(s) = -w/u, closed it is 1 + L = 0
typedef struct fly_loop_crossing {
  double frequency; // [rad/s]
  double gain;      // |L|
  double phase;     // by how much L may lag more before it is negative, at |L| = 1 the phase margin [deg], -180 to 180
} fly_loop_crossing;

// Frequencies in rad/s, NAN: there is none, 0 and INFINITY are among them.
typedef struct fly_loop {
  const char *variable, *unit;        // where it is opened
  double gain_up, gain_up_at;         // the least factor above 1 on L that puts a pole on the axis; INFINITY: none
  double gain_down, gain_down_at;     // the largest below 1; 0: none
  double phase, phase_at;             // the phase margin of least size [deg]; INFINITY: |L| is nowhere 1
  double delay, delay_at;             // the least delay that puts a pole on the axis [s]; INFINITY: none
  double peak, peak_at;               // largest |S|, S = 1/(1 + L): 1/peak is how near L comes to -1
  double bandwidth;                   // where |T|, T = L/(1 + L), falls below 1/sqrt(2) for good
  int ncrossover, nreal;              // where |L| = 1, and where L is real and negative, by frequency
  const fly_loop_crossing *crossover; // (ncrossover)
  const fly_loop_crossing *real;      // (nreal)
  int open_unstable, open_axis;       // poles with the loop open: right of the axis, on it (within rounding)
  int closed_unstable, closed_axis;   // and closed;
  int closed_untouched;               // so many of these on the axis the loop does not move: they are none of 1 + L
  int encirclements;                  // of -1 by L, counterclockwise; poles on the axis are passed on their right
  double rightmost, rightmost_imag;   // the closed loop's pole with the largest real part [1/s]
  int delays;                         // that are in it as they are, not by rational functions
  int held;                           // numbers that events set: constant here
  bool whole;                         // all crossings of |L| = 1 were looked for
  double from, to;                    // what was looked at [rad/s]
  int count;                          // of points on the curve,
  const double *frequency, *re, *im;  // so close that it can be drawn: L at these frequencies
} fly_loop;

typedef struct fly_modes fly_modes;
fly_status fly_modes_create(fly_modes **out, const fly_mechanism *m, const fly_modes_options *options,
                            fly_error *error);
void fly_modes_free(fly_modes *m); // NULL is fine

fly_modes_info fly_modes_info_of(const fly_modes *m);
int fly_modes_count(const fly_modes *m);
const fly_mode *fly_modes_get(const fly_modes *m, int k);         // the lowest |s| first; NULL: no such
const char *fly_modes_body(const fly_modes *m, int body);         // name; NULL: no such
const fly_state_space *fly_modes_state_space(const fly_modes *m); // NULL: not asked for

const fly_loop *fly_modes_loop(const fly_modes *m); // NULL: not asked for

// Modes and matrices as JSON (docs/library.md), and matrices and modes as a script of MATLAB and Octave. False if it
// could not be written.
bool fly_modes_write_json(const fly_modes *m, fly_sink *sink, void *user);
bool fly_modes_write_matlab(const fly_modes *m, fly_sink *sink, void *user);
// A result with the state as its only row, for `flyball report`: the modes move in the page.
const char *fly_modes_warnings(const fly_modes *m); // of its start, as fly_run_warnings
const char *fly_modes_notes(const fly_modes *m);    // what to know about the state, one a line; "" if nothing
fly_status fly_modes_write_result(fly_modes *m, const char *base, fly_error *error);

#ifdef __cplusplus
}
#endif
#endif
