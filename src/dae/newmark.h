// What the Newmark family keeps in a solver, and the verbs of its step.
#ifndef FLY_DAE_NEWMARK_H
#define FLY_DAE_NEWMARK_H

#include "dae/settle.h"
#include "dae/solver.h"

enum { FLY_HISTORY = 4 };

// Values of (v', lambda, x', y) at the last accepted points, newest first; stabilized, behind them (eta, mu)/h of the
// step that ended there, which a start does not have.
typedef struct fly_history {
  int count;
  int stabilized; // points with (eta, mu)
  double t[FLY_HISTORY];
  double *u[FLY_HISTORY]; // (n)
  int degree;             // of the next prediction
  double curvature; // how far the last v' was from a straight line, weighted: about h^2 times its second derivative
} fly_history;

// What the recursion carries from step to step besides the reported point. a, v and w belong to the step h_base:
// a_n = v'(t_n + (alpha_m-alpha_f) h), and in index 3 G v_n = h^2 G E (docs/theory/newmark.md, N-offset).
typedef struct fly_memory {
  double h_base;       // 0: a, v, w are consistent, no step has left its offset
  double *v, *a, *w;   // (nv), (nv), (nx)
  double *v_low;       // what was rounded off v when its last increment was added (nv) (N-low)
  double *vdot, *xdot; // v', x' as the step left them: what is reported may be cleaned (nv), (nx)
  double gamma, theta; // of the last step: they change when --step-change gamma
  double *p;           // residual form: (G^T lambda + B^T lambda - f) at the point (nv)
} fly_memory;

// Third derivatives at the last accepted point, found when a step changes.
typedef struct fly_jerk {
  bool known;
  bool trusted;    // h |v''| is small enough for a Taylor term
  double *v;       // v'' (nv)
  double *x;       // x'' (nx)
  double *v_clean; // index 3: velocity on the velocity constraints (nv)
  double *offset;  // index 3: mass-orthogonal velocity with G offset = G E (nv)
} fly_jerk;

// What one sweep over the two half matrices leaves out of a correction, and by how much further ones contract; with
// the coefficients it was measured with.
typedef struct fly_coupling {
  double loss, rate;
  fly_coef coef;
} fly_coupling;

typedef struct fly_matrix_use {
  bool valid;            // factorized at least once since the last start
  bool fresh;            // derivatives taken in this attempt
  double rate;           // contraction seen with it; 0: none yet
  bool rough;            // the step before took more than one matrix: a kept one would be of no use
  double still;          // size of the corrections, below round-off, that did not become smaller; 0: not seen yet
  fly_coef coef;         // it was formed with
  double travelled;      // weighted way of the positions since its derivatives were taken
  double rounding;       // what rounding errors of the constraints do through it to positions, weighted ...
  double noise;          // ... and to c_q v'
  fly_coef rounded_with; // the coefficients of which these are
  double *fixed;         // 1: constraints determine this velocity, whatever pushes (nv)
  bool any_fixed;        // there are some,
  bool driven;           // and some of them have moved
  double force_rate, force_still, force_noise; // of joints' forces: as rate, still; what rounding makes of them
  double row_size;                             // what a weighted velocity of 1 changes in a row of G v, the largest
  int sweeps;                                  // over the two half matrices in place of the full one; 0: the full one
  fly_coupling coupling;                       // of the half matrices
} fly_matrix_use;

// The last attempt that failed by its error, and not within another one that had.
typedef struct fly_obstacle {
  double end, h, ratio;
} fly_obstacle;

typedef struct fly_newmark_own {
  // What belongs to this solver
  fly_solver *solver;
  fly_settling settling;   // of points inside a step at which roots are looked at, if they are watched
  fly_step_matrix half[2]; // of half the size, in place of the solver's
  double d_alpha, d_delta; // alpha_m - alpha_f, delta_m - delta_f
  double kappa, kappa_x;   // dv'/da, dx'/dw inverted: da1 = kappa dv1'
  double error_constant;   // (1 - 6 beta - 3 d_alpha)/6
  double defect;           // gamma - 1/2 + d_alpha: 0 for second order
  double x_constant;       // the same for first-order states: h^3 x_constant x'''
  double x_defect;
  double noise_gain; // index 3: standard deviation of h^2 v' over that of the positions' rounding (N-gain)

  // From here on what travels when a state is saved, with the solver's memory, in which the arrays lie.
  double *half_core, *half_projection, *half_eta; // work (ncore), (nv + ng), (nv)
  double *delta_last;                             // increment of the last accepted step (nv): its end is last.q (+) it
  double *dense_delta;                            // of an interpolated point (nv)
  bool split; // the last step passed only without its error in the constrained directions
  fly_memory mem;
  fly_jerk jerk;
  fly_history history;
  fly_matrix_use use;
  fly_obstacle obstacle;
  double inherited;     // rounding error of velocities that singular positions have left, weighted
  double *start_vdot;   // at the start or the last restart (nv)
  double curvature_sum; // integral of curvature^2 over the accepted steps, and of 1: their level so far
  double curvature_time;
  double *newton_u, *newton_du; // line search (n)
} fly_newmark_own;

static inline fly_newmark_own *fly_own(const fly_solver *s) { return s->own; }

// What is added to a velocity in the step, with what was rounded off when the last one was (N-velocity), (N-low).
static inline double fly_velocity_increment(double h, double gamma, double a0, double a1, double low) {
  return h * ((1 - gamma) * a0 + gamma * a1) + low;
}

// newmark.c: the formulas
void fly_newmark_prepare(fly_solver *s);
void fly_step_begin(fly_solver *s, double h);
void fly_step_expand(fly_solver *s);
int fly_step_residual(fly_solver *s);
double fly_step_estimate(fly_solver *s); // weighted estimate of the step's error; that of positions is in s->work
double fly_state_estimate(const fly_solver *s); // the states' share of it
double fly_correction_norm(const fly_solver *s, const double *du);
// clean.c: the end of an attempt, ready to be judged
fly_outcome fly_finish_step(fly_solver *s);
// predictor.c
void fly_history_clear(fly_history *h);
void fly_history_add(fly_solver *s);
void fly_predict(fly_solver *s);
bool fly_history_jerk(const fly_solver *s, double *vjerk, double *xjerk);
double fly_history_state_curvature(const fly_solver *s,
                                   int i); // x''' of state i with the attempt's end as newest point
// newton.c
fly_outcome fly_solve_step(fly_solver *s);
double fly_newton_tolerance(const fly_solver *s);

#endif
