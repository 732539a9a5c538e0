// As many independent constraint rows as there are coordinates: positions, velocities, accelerations and multipliers
// of a mechanism that is left no freedom follow from them, one linear system after another (docs/theory/kinematics.md).
#ifndef FLY_ANALYSIS_SQUARE_H
#define FLY_ANALYSIS_SQUARE_H

#include "dae/eval.h"
#include "system/system.h"

// A point of the motion. lambda has a place for every row of the model, 0 for those not used, then one for each
// coordinate (nrow + nv).
typedef struct fly_pose {
  double t, *q, *v, *vdot, *lambda, *y;
} fly_pose;

typedef enum fly_solved {
  FLY_FOUND,
  FLY_FAR,            // Newton's iteration does not contract, or leads too far
  FLY_ROWS_DEPENDENT, // the rows depend on each other there
  FLY_NAN,            // something is not finite
  FLY_CROWDED         // out of memory
} fly_solved;

typedef struct fly_square {
  fly_system *system; // with every row of the model
  fly_eval e;         // of it
  int n, nrow;        // coordinates nv; rows of the model
  int held;           // rows below are constraints; those from here on are coordinates that are given by data
  bool *stiff;        // coordinates that stay as they are: modes of bodies that deform (n); NULL: none
  int *row;           // the rows chosen, ascending; nrow + k: coordinate k of v (n)
  int *place;         // of each row among them, -1: not chosen (nrow + nv)
  fly_csc A;          // their Jacobian (n x n)
  int *from;          // of each entry of A: its place in G; -1: it is 1
  fly_lu *lu;
  fly_csc K;              // with outputs y: rows (motion, y), columns (multipliers of the chosen rows, y)
  int *k_g, *k_j, *k_one; // places in K of the entries of A, of J0 (-1: not there), and of the ones of y (ny)
  fly_lu *k_lu;
  double rcond, fresh; // of A as factorized last; the best since its pivots were chosen
  double *rows;        // work (nrow + nv)
  double *x;           // work (nv + ny)
  fly_arena memory, chosen;
  long iterations, factorizations;
} fly_square;

fly_status fly_square_create(fly_square *s, fly_system *system, int held, fly_error *error);
void fly_square_free(fly_square *s);
// Bodies that deform are stiff from here on: each of their modes is a row that is chosen. *modes: how many.
fly_status fly_square_stiffen(fly_square *s, int *modes, fly_error *error);
// Takes the rows that are independent at q, to a tolerance; units: and coordinates where these do not suffice. *found:
// how many there are. If there are fewer than n, nothing changes. *same: they are those there were.
fly_status fly_square_choose(fly_square *s, double t, const double *q, double tolerance, bool units, int *found,
                             bool *same, fly_error *error);

// A at (t, q), factorized.
fly_solved fly_square_factor(fly_square *s, double t, const double *q);
// Newton on the positions at p->t from p->q. *moved: length of the way, weighted; more than `most` is too far.
fly_solved fly_square_positions(fly_square *s, fly_pose *p, double most, double *moved);
// Where A is factorized at p: velocities and accelerations. v, vdot: what data say, for the rows they give; else NULL.
fly_solved fly_square_rates(fly_square *s, fly_pose *p, const double *v, const double *vdot);
// There too: multipliers and outputs, M v' + G^T lambda = f.
fly_solved fly_square_forces(fly_square *s, fly_pose *p);
// Smallest singular value of A, factorized, its rows scaled to unit length; left (over the rows chosen) and right
// vector, both of unit length, in work of the caller (n).
double fly_square_null(fly_square *s, double *left, double *right);

// A pose and its arrays.
void fly_pose_take(fly_pose *p, const fly_square *s, fly_arena *memory);
void fly_pose_copy(fly_pose *to, const fly_pose *from, const fly_square *s);
fly_dae_state fly_pose_state(const fly_pose *p);
double fly_square_size(const fly_square *s, const double *delta); // largest component, weighted
// d = the increment from q0 to q1

#endif
