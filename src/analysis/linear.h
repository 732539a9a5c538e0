// A model linearized at a state (docs/theory/modes.md). Small motions q (+) Z s about q(t) obey
//
//   M s'' + C s' + K s = 0,   Z: a basis of the motions the constraints leave, G Z = 0,
//   dv = Z s' + Vs s,   dv' = Z s'' + Au s' + As s
//
// The curvature of the constraints (times lambda) is in K. Of a state that moves, displacements and small turns are
// seen along axes fixed in space, or along those of a frame that turns; at rest that makes no difference.
#ifndef FLY_ANALYSIS_LINEAR_H
#define FLY_ANALYSIS_LINEAR_H

#include "dae/eval.h"
#include "system/system.h"

// Three velocities that turn with a frame: a rotation, or the displacement of a body.
typedef struct fly_spin {
  int iv[3];                       // their places in v; -1: none
  double own[3];                   // angular velocity of the axes they are given in [rad/s]
  double frame[3], frame_slope[3]; // that of the frame they are seen from, and its derivative, along the same axes
} fly_spin;

typedef struct fly_linear {
  int nv, ndof;
  double *Z;            // nv x ndof; all matrices column by column
  double *M, *C, *K;    // ndof x ndof; M = Z^T M Z
  double *Vs, *Au, *As; // nv x ndof
  bool moving;          // or about to: Vs, Au, As are not all zero
  bool steady;          // Z does not change along the motion, as seen from the frame
  double asymmetry;     // largest |K - K^T| over what K is made of
  double damping;       // largest |C| over the square root of largest |M| times largest |K|
  fly_eval eval;        // the equations, with their derivatives at the state
  fly_csc kkt;          // (M G^T; G 0), and
  fly_lu *lu;           // its factors
  fly_spin *spin;       // (nspin)
  int nspin;
  fly_arena memory;
} fly_linear;

// In two parts: the equations and their derivatives, of models of any size; then all that is dense. frame: number of a
// body; FLY_GROUND: space.
fly_status fly_linear_prepare(fly_linear *l, fly_system *system, const fly_dae_state *at, int frame, fly_error *error);
fly_status fly_linear_reduce(fly_linear *l, const fly_dae_state *at, fly_error *error);
// Both, seen from space. The rows of the constraints are independent.
fly_status fly_linear_make(fly_linear *l, fly_system *system, const fly_dae_state *at, fly_error *error);
// Of any problem, seen from space.
fly_status fly_linear_make_problem(fly_linear *l, const fly_dae_problem *problem, const fly_dae_state *at,
                                   fly_error *error);
void fly_linear_free(fly_linear *l);

// How the linearized equations answer: (s'', dlambda, x', dy), (nv + nx + ny) rows of each column of `answer`, to loads
// on the rows (motion, states, outputs) of the equations (nload columns of nv + nx + ny).
fly_status fly_linear_answer(const fly_linear *l, int nload, const double *load, double *answer, fly_error *error);
// The same where the row of one output y is taken out and y is given, for each load by would (nload), which becomes
// what the row makes of it.
fly_status fly_linear_answer_opened(const fly_linear *l, int output, int nload, const double *load, double *answer,
                                    double *would, fly_error *error);
// d(s, s', x)/dt = A (s, s', x), 2 ndof + nx rows.
fly_status fly_linear_state_matrix(const fly_linear *l, double *A, fly_error *error);
// The loads of unit s, s' (2 ndof columns), then of unit x (nx): what each of them leaves in the equations, negated.
void fly_linear_state_loads(const fly_linear *l, double *load);

// One row of (C, D) over (s, s', x, u), every noutput-th number: what (s, s', x) themselves do to an expression with
// these slopes, then accelerations, multipliers and outputs y in the answer to the loads of all columns.
void fly_linear_output_row(const fly_linear *l, const fly_slopes *d, const double *answer, int columns, int noutput,
                           double *out);

// out += factor [w] x (nv), w: how the axes turn in which velocities are given, or the frame, or its derivative.
typedef enum fly_turning { FLY_TURN_OWN, FLY_TURN_FRAME, FLY_TURN_FRAME_SLOPE } fly_turning;
void fly_linear_turn_add(const fly_linear *l, fly_turning which, double factor, const double *x, double *out);

static inline double fly_linear_dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

// What coordinate i of v is called: "x" ... "turn_z" or a name of its own, of this body. (matrices.c)
const char *fly_coordinate_axis(const fly_model *m, int i, const char **body);

// Accelerations that a state in equilibrium, or in steady motion seen from the frame, has not (nv).
void fly_linear_unbalanced(const fly_linear *l, const fly_dae_state *at, double *out);

#endif
