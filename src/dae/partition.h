// Generalized coordinate partitioning: which velocities (and the positions they belong to) the constraints determine.
//
//   A v = [G; B] v = A_u u + A_w w,    u dependent (nl), w independent (nv - nl),    A_u regular
//
// The choice is good if an independent velocity moves no dependent one by much more than itself, in units of their
// scales: entries of A_u^-1 A_w are of the order of 1 (docs/theory/statespace.md, SS-growth).
#ifndef FLY_DAE_PARTITION_H
#define FLY_DAE_PARTITION_H

#include <stdint.h>

#include "dae/eval.h"
#include "sparse/cascade.h"

typedef enum fly_dependence {
  FLY_INDEPENDENT,
  FLY_DEPENDENT,         // position and velocity follow from the constraints
  FLY_DEPENDENT_VELOCITY // the velocity does, by the nonholonomic rows; the position is free
} fly_dependence;

typedef struct fly_partition {
  const fly_eval *e;
  fly_csc rows;                  // [G; B] (nl x nv)
  fly_dependence *kind;          // of each velocity (nv)
  int *dependent;                // velocities u (nl), ascending
  int *independent;              // velocities w (nv - nl), ascending
  fly_csc u;                     // A_u (nl x nl)
  fly_lu *lu;                    // of it
  struct fly_exchange *exchange; // columns that have changed places since it was factorized; NULL: none
  fly_cascade tree;              // likewise, where few rows at a time can be solved for
  int *match;                    // work: row of each column (nl)
  double *b;                     // work (nl)
  double *move;                  // of the independent velocities, in units of their scales (nv)
  fly_arena memory;              // of the arrays above
  // From here on what travels, with the kinds of the velocities and the factors.
  double reference;      // growth when chosen
  fly_lu_counts counted; // with the factors of earlier choices, and joint after joint
  bool tree_serves;      // its factors are those of A_u,
  double tree_rcond;     // whose condition is about this
  uint32_t seed;         // of moves at random
} fly_partition;

// e must live on, with its kinematics evaluated. Free also after a failure.
fly_status fly_partition_create(fly_partition *p, const fly_eval *e, fly_error *error);
void fly_partition_free(fly_partition *p);
void fly_partition_forget(fly_partition *p); // the choice, as if just created
// Chooses by the kinematics last evaluated; A_u is factorized with them. Takes memory. The first choice is made
// from nothing, later ones by swaps from the one at hand. FLY_SINGULAR, without a message: rows are dependent there.
fly_status fly_partition_choose(fly_partition *p, fly_error *error);
// In place of a choice, where joints say what is free: which velocities are.
void fly_partition_follow(fly_partition *p, const bool *own);
// After other rows took the place of those of e: which velocities depend on others stays as it is, as all rows together
// say the same.
fly_status fly_partition_reshape(fly_partition *p, fly_error *error);
// A_u of the kinematics last evaluated, or FLY_SINGULAR.
fly_status fly_partition_factor(fly_partition *p);
// delta (nv): A_u delta_u = -rows (nl), delta_w = 0.
void fly_partition_solve(fly_partition *p, double *delta, const double *rows);
// How far a move of the independent velocities by their scales moves the dependent ones, over what it was when chosen
// or over 1. With the factors and the kinematics of about the same place.
double fly_partition_growth(fly_partition *p);
fly_lu_counts fly_partition_count(const fly_partition *p);
double fly_partition_rcond(const fly_partition *p); // of A_u, a cheap estimate from its factors
void fly_partition_image(fly_partition *p, fly_image *m);

#endif
