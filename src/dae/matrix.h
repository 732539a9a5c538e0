// The matrix of Newton's iteration, for every formulation, from the derivative blocks of fly_eval.
//
// Unknowns (v', lambda, x', y) and, stabilized, (eta, mu); rows: motion, constraints, states, outputs and, stabilized,
// projection and velocity constraints. Constraint rows are divided by c_q (positions) or c_v (velocities), so that the
// matrix has a limit as h -> 0: docs/theory/newmark.md (N-scaled).
#ifndef FLY_DAE_MATRIX_H
#define FLY_DAE_MATRIX_H

#include "dae/eval.h"
#include "dae/scatter.h"

typedef enum fly_matrix_kind {
  FLY_MATRIX_KKT = 1,         // accelerations: the limit h -> 0, constraint rows G and B
  FLY_MATRIX_INDEX3 = 2,      // constraint rows G T
  FLY_MATRIX_INDEX2 = 4,      // constraint rows G + (c_q/c_v) Z T
  FLY_MATRIX_GGL = 8,         // both
  FLY_MATRIX_PROJECTION = 16, // of (eta, mu) alone: M, and constraint rows G T
  FLY_MATRIX_FREE3 = 32,      // as INDEX3, and eta as an unknown that its own row gives: positions and velocities
  FLY_MATRIX_FREE2 = 64,      // of a vector space's method need not fit each other. The same as INDEX2, ...
  FLY_MATRIX_FREE1 = 128      // ... and for rows of accelerations, without what is c_q times smaller
} fly_matrix_kind;

// How the unknowns move the state: dq = c_q T (dv' + deta), dv = c_v dv', dx = c_x dx'.
typedef struct fly_coef {
  double c_v, c_q, c_x;
} fly_coef;

enum { FLY_MATRIX_BLOCKS = 24, FLY_MATRIX_PIECES = 3 };

// Entries of a matrix that go with coefficients: one + a at[0] + b at[1] (fly_step_matrix_refill).
typedef struct fly_piece {
  int count, runs;     // entries, which stand side by side in so many runs
  int *start, *length; // of each run: where it begins in the matrix, and its length
  double *one, *at[2]; // (count each); at[1] NULL: there is no b
} fly_piece;

// Rows of a block's source as columns of it: what stands transposed.
typedef struct fly_by_rows {
  const int *of;        // the rows of the source, by which it is known
  int *start;           // (rows + 1)
  int *column, *number; // of each entry: its column, and its place in val (nnz)
} fly_by_rows;

typedef struct fly_step_matrix {
  fly_matrix_kind kind;
  int n;          // unknowns
  int ncore;      // nv + nl + nx + ny; the stabilizing unknowns follow
  int loads;      // so many more rows and columns of a, which nobody but fly_step_matrix_solve sees
  bool diagonal;  // a large one is factorized with pivots on its diagonal (fly_lu_create_symmetric), ...
  bool rough;     // its solutions are corrections of Newton's, which the next one improves
  bool in_pieces; // it is filled with other coefficients from what each of them stands at (fly_step_matrix_refill)
  const struct fly_step_matrix *like; // ... in the order of this one if it has as many unknowns; may be NULL
  fly_csc a;
  fly_lu *lu;
  int *place[FLY_MATRIX_BLOCKS]; // places of each block's entries in a.val, or in its piece; NULL: not in this kind
  fly_scatter scatter[FLY_MATRIX_BLOCKS]; // which of them stand side by side
  fly_by_rows G;                          // KKT: for others that are like it
  int nones, *one;                        // places of the ones: of y - h, of free eta (nones)
  fly_piece piece[FLY_MATRIX_PIECES];     // if it is filled in pieces: each entry stands in one at most
  fly_coef in_terms;                      // coefficients of its factors, where a.val has others; c_q = 0: it has not
  double *T;                              // tangents of the rotations (9 each), row by row
  double *wide;                           // work: a right side with loads (n + loads); NULL without them
  double *factored;                       // KKT: the values that are factorized (nnz)
  bool known;                             // they are
  fly_arena memory;
} fly_step_matrix;

void fly_step_matrix_size(fly_step_matrix *m, fly_matrix_kind kind, const fly_eval *e); // n, ncore
// Before it is built: its pivots are those of the diagonal, in the order of another if there is one.
void fly_step_matrix_use_diagonal(fly_step_matrix *m, const fly_step_matrix *like);
fly_status fly_step_matrix_build(fly_step_matrix *m, const fly_eval *e, fly_error *error); // the rest
void fly_step_matrix_free(fly_step_matrix *m);
fly_status fly_step_matrix_factor(fly_step_matrix *m);     // KKT: unless these values are factorized
void fly_step_matrix_solve(fly_step_matrix *m, double *b); // in place (n)
void fly_step_matrix_forget(fly_step_matrix *m);           // pivots
// Tangents and factors; one that was not built yet is, or is forgotten, as the other was.
void fly_step_matrix_image(fly_step_matrix *m, const fly_eval *e, fly_image *image);
// Values from the blocks e holds; delta (nv): the step's increment, or NULL for zero.
void fly_step_matrix_fill(fly_step_matrix *m, const fly_eval *e, const fly_coef *c, const double *delta);

// Other coefficients with the derivatives and tangents it was filled from, in pieces.
void fly_step_matrix_refill(fly_step_matrix *m, const fly_coef *c);
// And its factors; where blocks factorize it the values need not be put together first.
fly_status fly_step_matrix_refactor(fly_step_matrix *m, const fly_coef *c);

// The same with the matrices the caller has put into m->T in place of the tangents.
void fly_step_matrix_fill_turned(fly_step_matrix *m, const fly_eval *e, const fly_coef *c);
// The same with complex values: c_v = c_x = c, c_q = c^2; T (9 a rotation, row by row); val (nnz of m->a).
void fly_step_matrix_fill_complex(double complex *val, const fly_step_matrix *m, const fly_eval *e, double complex c,
                                  const double complex *T);

#endif
