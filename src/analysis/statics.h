// Equilibrium of a model: q with
//
//   G(q)^T lambda = f(q, 0, t0, x, lambda, y),   g(q, t0) = 0,   d(0, x, q, 0, 0, lambda, y) = 0,
//   y = h(q, 0, 0, lambda, x, y)
//
// found in three ways, one a file, over one workspace: docs/theory/statics.md (S-...). Motions hold their value at t0.
#ifndef FLY_ANALYSIS_STATICS_H
#define FLY_ANALYSIS_STATICS_H

#include "dae/matrix.h"
#include "flyball/model.h"
#include "system/system.h"

// A place on the constraints, with what holds there. z = (a, lambda, x', y) (n): a is the acceleration with which the
// model would start if it were let go there, M a + G^T lambda = f, G a = 0, and x' the rates of its states; lambda and
// y belong to them. a = 0, x' = 0: equilibrium.
typedef struct fly_rest {
  double *q, *x, *z;
  double size;  // |a| in the norm of M
  double loads; // size of all forces, as the accelerations they alone would cause, in that norm
} fly_rest;

typedef struct fly_balance {
  fly_system *system;
  const fly_model *model;
  double t; // at which motions and forces are held [s]
  fly_eval e;
  int nv, ng, nx, ny, n; // n = nv + ng + nx + ny
  fly_step_matrix tangent, kkt;
  double *M;                                  // values of the mass matrix (nnz)
  double *rest, *still;                       // zero (nv), (nx)
  double *start, *start_x;                    // where it was assembled (nq), (nx)
  fly_rest now, next, near;                   // here, the next place, and the one that was nearest to equilibrium
  double *equations;                          // work (nv + nx + ny)
  double *rows;                               // work (ng)
  double *p;                                  // a step, its multipliers and outputs (n)
  double *work;                               // the same of projections and accelerations (n)
  double *Ma, *Mp;                            // work (nv)
  double *delta;                              // work (nv)
  double total_mass;                          // of all bodies [kg]
  double start_loads;                         // those of the start
  double *way;                                // how far it went from its start, body by body: increments added up (nv)
  fly_turn *turn, *force_turn, *measure_turn; // of the system where it was assembled
  double *wrench;                             // of the result: reactions (6 npair)
  int *joint;                                 // items that are joints (njoint)
  int njoint;
  bool free;    // nothing holds the model: no way finds anything
  bool starved; // a factorization found no memory
  fly_equilibrium *out;
  fly_arena memory;
} fly_balance;

// The system is used, and left where the search ended; start: an assembled point. b is freed also after a failure.
fly_status fly_balance_create(fly_balance *b, fly_system *system, const fly_dae_state *start, fly_equilibrium *out,
                              fly_error *error);
void fly_balance_free(fly_balance *b);
fly_dae_state fly_balance_state(const fly_balance *b, const fly_rest *at); // as at rest

// The same system without its history of turns, at the start.
bool fly_balance_rewind(fly_balance *b);
// lambda, y and a at at->q, from the lambda and y there. False: not here.
bool fly_balance_at(fly_balance *b, fly_rest *at);
// q onto the constraints, by the shortest way in the norm of M. False: it does not get there.
bool fly_balance_project(fly_balance *b, double *q);
// now becomes next, by the increment p (nv): turns are counted, the nearest is noted.
void fly_balance_accept(fly_balance *b, const double *p);
// K + sigma M bordered by the constraints, at now; factorized. False: singular.
bool fly_balance_factor(fly_balance *b, double sigma);
double fly_balance_weighted(const fly_balance *b, const double *p); // largest component, in radians and model sizes
double fly_balance_length(const fly_balance *b, const double *p);   // the same of p (n), states in their scales too
double fly_balance_turn(const fly_balance *b, const double *p);     // largest turn [rad]
double fly_balance_dot(const double *a, const double *b, int n);
void fly_balance_mass(const fly_balance *b, double *out, const double *p); // M p
double fly_balance_loads(const fly_balance *b, const fly_rest *at);
double fly_balance_residual(const fly_balance *b, const fly_rest *at);     // what is not balanced, over the loads
bool fly_balance_far(const fly_balance *b, double *length, double *angle); // it went so far that it will not come back
void fly_balance_note(fly_balance *b, const char *format, ...);            // a line in the result
// "`arm` turns about z", "`box` moves along -z": what moves most in p (nv). Returns the body.
int fly_balance_motion_text(const fly_balance *b, const double *p, char *text, size_t size);
// "0.31 N m with which `arm` turns about z": what is not balanced at a place.
void fly_balance_force_text(const fly_balance *b, const fly_rest *at, char *text, size_t size);

// The ways. They begin at b->now and leave the equilibrium there.
fly_status fly_statics_newton(fly_balance *b, fly_error *error);
fly_status fly_statics_energy(fly_balance *b, fly_error *error);
fly_status fly_statics_settling(fly_balance *b, fly_error *error);
// Newton's iteration alone, from a place near by. False: it does not converge.
bool fly_statics_polish(fly_balance *b);
// It went far (fly_balance_far): nothing holds it, or the loads are too large. In words.
fly_status fly_statics_tell_far(fly_balance *b, fly_error *error);
// Stable or not, by the eigenvalues of the stiffness.
fly_status fly_statics_judge(fly_balance *b, fly_error *error);

// Of models with states (statics_states.c): their rows in the tangent, why there is no equilibrium, whether it is
// stable, and what they are there.
void fly_statics_rest_states(fly_balance *b);
fly_status fly_statics_tell_states(fly_balance *b, fly_error *error);
fly_status fly_statics_judge_states(fly_balance *b, fly_error *error);
void fly_statics_list_states(fly_balance *b);

// What it looks like, line by line (statics_list.c).
void fly_statics_list(fly_balance *b); // at now: before the lines are asked for
int fly_statics_lines(const fly_balance *b);
fly_rest_line fly_statics_line(const fly_balance *b, int line);
double fly_balance_turned(const fly_balance *b, int body); // against where it was assembled [rad]

// All of it. by: newton, energy, settling, or NULL.
fly_status fly_statics_find(fly_balance *b, const char *by, fly_error *error);

#endif
