// Accelerations and multipliers by the multipliers alone, where forces do not depend on them:
//
//   | M  A^T | | a |   | r |
//   | A  0   | | l | = | s |,   A = [G; B]:     A M^-1 A^T l = A M^-1 r - s,   a = M^-1 (r - A^T l)
//
// M is constant and has blocks of bodies: M^-1 = T T^T is known for the whole run, and with Y = A T the matrix is Y Y^T
// (docs/theory/statespace.md, SS-range). It is half as large as that of all unknowns, narrow, and needs no pivots.
// Whoever solves with it looks at what is left of the equations, so what it cannot know costs corrections, not digits.
#ifndef FLY_DAE_RANGE_H
#define FLY_DAE_RANGE_H

#include "dae/eval.h"
#include "sparse/envelope.h"

typedef struct fly_range {
  fly_csc rows;      // A, where there are nonholonomic rows (nl x nv)
  fly_csc T;         // upper triangular in the blocks of M (nv x nv)
  fly_csc Y;         // A T (nl x nv)
  int *term;         // of each entry of Y: the first of its products (nnz + 1) ...
  int *from;         // ... of an entry of A ...
  double *by;        // ... and an entry of T
  double *one;       // factors of products that are done (nnz of Y)
  int *block;        // of M, of each velocity (nv)
  bool diagonal;     // T is
  double *mass;      // M that T was made of (nnz of M)
  fly_envelope S;    // Y Y^T
  double *p;         // accelerations in units of T (nv)
  double *inverse;   // of T, where it is diagonal (nv)
  double *l, *d, *c; // multipliers, their correction, what A a lacks without a; in the order of S (nl + 1)
  bool built;        // there is all of the above
  fly_arena memory;  // of the arrays
} fly_range;

// With the kinematics of e evaluated. What has no mass of its own, or masses that change, or would cost more than
// `most` multiplications in a factorization, is not built: that is no failure. Free also after a failure.
fly_status fly_range_build(fly_range *r, const fly_eval *e, double most, fly_error *error);
void fly_range_free(fly_range *r); // zeroed is fine; counts stay
// There are no loops, and nothing but joints and forces that feel neither accelerations nor multipliers: no equations
// are needed (SS-tree).
bool fly_range_needless(const fly_eval *e);
bool fly_range_serves(const fly_range *r, const fly_eval *e); // at the masses and derivatives of e as they are
// With the Y at hand. false: too close to a singular position, or to rows of too different sizes.
bool fly_range_factor(fly_range *r);
// rows += A v by the Y at hand; where T is diagonal.
void fly_range_multiply(fly_range *r, double *rows, const double *v);
void fly_range_solve(fly_range *r, const fly_eval *e, double *b); // b: (r, s) becomes (a, l)

// M a + A^T l = -applied, A a + right = 0 with the kinematics of e, where forces feel neither a nor l, by factors of
// nearby: from these multipliers, corrections of z = (a, l) with the A that was placed last; dz: by how much they
// moved.
void fly_range_place(fly_range *r, const fly_eval *e); // Y of the kinematics of e, which all else here takes
void fly_range_begin(fly_range *r, const double *applied, const double *right, const double *lambda);
void fly_range_correct(fly_range *r, const fly_eval *e, double *z, double *dz);

// One more of them.
void fly_range_count_factor(const fly_range *r, fly_lu_counts *n);
void fly_range_count_solve(const fly_range *r, fly_lu_counts *n);

#endif
