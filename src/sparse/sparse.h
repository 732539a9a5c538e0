// Sparse matrices with a fixed pattern, and one small interface to direct solvers.
#ifndef FLY_SPARSE_SPARSE_H
#define FLY_SPARSE_SPARSE_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/image.h"
#include "flyball/status.h"

// Compressed columns, rows ascending in each column. Owns its arrays (fly_csc_free).
typedef struct fly_csc {
  int rows, cols;
  int *start;    // (cols + 1)
  int *row;      // (nnz)
  double *val;   // (nnz)
  int *slabs;    // columns with the same rows, three by three (slabs.h); NULL: they are not known
  int *blocks;   // all blocks there are, on the diagonal (likewise); NULL: they are not known
  bool borrowed; // these but val are another's
} fly_csc;

static inline int fly_csc_nnz(const fly_csc *a) { return a->start[a->cols]; }

// Copies a pattern (start NULL: dense), values zero. Checks it: ascending, in range.
fly_status fly_csc_create(fly_csc *a, int rows, int cols, const int *start, const int *row, fly_error *error);
// A pattern that was made as it must be: start and row (which may have room for more) are taken over, as malloc gave
// them, and freed on failure. Values zero.
fly_status fly_csc_adopt(fly_csc *a, int rows, int cols, int *start, int *row, fly_error *error);
// Values of its own, zero, in the pattern of another that outlives it.
fly_status fly_csc_create_like(fly_csc *a, const fly_csc *like, fly_error *error);
// From n entries (row[k], col[k]) in any order, duplicates merged. place[k] (may be NULL) becomes the index in val of
// entry k.
fly_status fly_csc_from_entries(fly_csc *a, int rows, int cols, int n, const int *row, const int *col, int *place,
                                fly_error *error);
// Such entries, put one behind the other into arrays that are long enough.
typedef struct fly_entries {
  int count;
  int *row, *col;
} fly_entries;
static inline int fly_entries_add(fly_entries *e, int row, int col) { // its number
  e->row[e->count] = row;
  e->col[e->count] = col;
  return e->count++;
}
void fly_csc_free(fly_csc *a);                        // NULL arrays are fine
int fly_csc_find(const fly_csc *a, int row, int col); // index in val, or -1
void fly_csc_zero(fly_csc *a);
// Products take columns together that have the same rows, if many do: to the same bits in less time.
fly_status fly_csc_join_columns(fly_csc *a, fly_error *error);
// fly_csc_multiply_symmetric likewise, if the matrix is one of blocks on the diagonal.
fly_status fly_csc_join_blocks(fly_csc *a, fly_error *error);
void fly_csc_multiply_add(double *y, const fly_csc *a, double alpha, const double *x);            // y += alpha A x
void fly_csc_multiply_transposed_add(double *y, const fly_csc *a, double alpha, const double *x); // y += alpha A^T x
// Several products in one pass. y1 += A x1 and y2 += A x2:
void fly_csc_multiply_two(const fly_csc *a, double *y1, const double *x1, double *y2, const double *x2);
// y += A x, z1 += A^T w1 and z2 = A^T w2; z2 NULL: without the last
void fly_csc_multiply_all(const fly_csc *a, double *y, const double *x, double *z1, const double *w1, double *z2,
                          const double *w2);
// y1 += A x1 and y2 += A x2 for a symmetric A
void fly_csc_multiply_symmetric(const fly_csc *a, double *y1, const double *x1, double *y2, const double *x2);

// Direct solver for one square pattern: create (analyze) once, factor often, solve more often.
// KLU at every size (faster than dense LAPACK from n = 5 on). factor keeps the pivots of the last full factorization
// while they are good (growth and estimated rcond watched), else it chooses new ones.
typedef struct fly_lu fly_lu;
fly_status fly_lu_create(fly_lu **out, const fly_csc *pattern, fly_error *error);
// The same for a matrix of nearly symmetric pattern, such as a mechanism's: a large one is factorized with pivots on
// its diagonal (fronts.h) as long as those lose few digits, which is watched, then as above. It has no signs. like: one
// for a similar pattern, whose order serves this one too; may be NULL. Large: so many unknowns. Below, the gain is
// small, and mechanisms pass singular positions with the pivots they always had; if all entries of the diagonal are
// there, and may be pivots, fewer will do.
enum { FLY_LU_LARGE = 800 };
// Where bodies and joints are trees, their blocks are eliminated (clusters.h).
enum { FLY_KINDS = 4 };
typedef struct fly_lu_groups {
  const int *body; // unknowns of one body have the same number, others -1 (n); NULL: not told
  bool rough;      // few digits of a solution are enough: somebody improves it, and sees whether it becomes better
  const unsigned char
      *kind; // of each entry (nnz), below FLY_KINDS: blocks read those of one side by side; NULL: not told
} fly_lu_groups;
fly_status fly_lu_create_symmetric(fly_lu **out, const fly_csc *pattern, fly_lu_groups groups, const fly_lu *like,
                                   fly_error *error);
void fly_lu_free(fly_lu *lu);
// Where the value of each entry of the pattern must stand in the matrices that are factorized (nnz): blocks then read
// them one behind the other. NULL, and always if kinds were not told: where the pattern has it.
const int *fly_lu_values(const fly_lu *lu);
// Returns FLY_OK, FLY_SINGULAR (no message: the caller knows what it means) or FLY_NO_MEMORY.
fly_status fly_lu_factor(fly_lu *lu, const fly_csc *a);
// The same for a matrix that hardly differs from the one before: whether factors of blocks are good is not tried again.
fly_status fly_lu_factor_again(fly_lu *lu, const fly_csc *a);
// The same where blocks have put values in their order (fly_lu_values), and those of kinds from 1 on are sums: one +
// c[0] at[0] + c[1] at[1], each list in that order; at[1] may be NULL. Values of kind 0 are those of a. False: blocks
// do not serve, and nothing is factorized.
typedef struct fly_terms {
  const double *one, *at[2];
  double c[2];
} fly_terms;
bool fly_lu_factor_terms(fly_lu *lu, const fly_csc *a, const fly_terms term[FLY_KINDS - 1]);
// From now on pivots go into lists (listed.h), which take a fraction of KLU's instructions where few columns meet and
// factorizations and solutions are many. a: factorized last, and there as long as rcond is asked for. No signs behind.
fly_status fly_lu_list(fly_lu *lu, const fly_csc *a);
bool fly_lu_keep_whole(fly_lu *lu);       // all digits from the next factorization on; false: nothing changes by that
void fly_lu_forget(fly_lu *lu);           // the pivots: the next factor chooses new ones, as the first did
bool fly_lu_ready(const fly_lu *lu);      // the last factorization was one, and is not forgotten
void fly_lu_solve(fly_lu *lu, double *b); // in place; NAN where there is no factorization
void fly_lu_solve_transposed(fly_lu *lu, double *b); // A^T x = b, in place
double fly_lu_rcond(const fly_lu *lu);               // cheap estimate from the last factor
bool fly_lu_matching(const fly_lu *lu, int *row);    // of each column the row of its pivot; false: none were searched
int fly_lu_singular_column(const fly_lu *lu);        // after FLY_SINGULAR: a column that could not be eliminated, or -1
// What was done, and what that took, about, in units of a product with an entry of the factors there were then: a
// solution takes each entry once; a refactorization FLY_REFACTOR_WORK times, one with new pivots FLY_FACTOR_WORK times
// (docs/theory/auto.md).
typedef struct fly_lu_counts {
  long factorizations, refactorizations, solves;
  double work;
} fly_lu_counts;
enum { FLY_REFACTOR_WORK = 4, FLY_FACTOR_WORK = 16, FLY_COMPLEX_WORK = 12 };
static inline void fly_lu_counts_add(fly_lu_counts *sum, fly_lu_counts n) {
  sum->factorizations += n.factorizations;
  sum->refactorizations += n.refactorizations;
  sum->solves += n.solves;
  sum->work += n.work;
}
fly_lu_counts fly_lu_count(const fly_lu *lu);
long fly_lu_entries(const fly_lu *lu); // of both factors, after a factorization
// Factors travel as the matrices they came from: that of the pivots, and a, which was factorized last. Reading them
// does the same again, to the same bits.
void fly_lu_image(fly_lu *lu, fly_image *m, const fly_csc *a);
// The block triangular form has this many blocks on its diagonal, and their determinants these signs (+1, -1) after a
// factorization. Along a path of regular matrices of one pattern none of them changes.
int fly_lu_blocks(const fly_lu *lu);
void fly_lu_signs(fly_lu *lu, signed char *sign); // (fly_lu_blocks); 0 likewise

static inline double complex fly_complex(double re, double im) { return re + im * (double complex)I; }

// The same for complex values on a real matrix's pattern, which must live on. Values (nnz) are only read.
typedef struct fly_complex_lu fly_complex_lu;
fly_status fly_complex_lu_create(fly_complex_lu **out, const fly_csc *pattern, fly_error *error);
void fly_complex_lu_free(fly_complex_lu *lu);
fly_status fly_complex_lu_factor(fly_complex_lu *lu, double complex *val);
void fly_complex_lu_forget(fly_complex_lu *lu);
void fly_complex_lu_solve(fly_complex_lu *lu, double complex *b);
fly_lu_counts fly_complex_lu_count(const fly_complex_lu *lu); // its work in the units of the real one
long fly_complex_lu_entries(const fly_complex_lu *lu);
void fly_complex_lu_image(fly_complex_lu *lu, fly_image *m, double complex *val); // as above; val: factorized last

// Rank of the rows of a (any shape) by elimination row after row with one of its largest entries as the pivot of a row.
// Rows that fill up in the order given are eliminated in one that bounds their fill; a row may then depend on later
// ones.
typedef struct fly_rank {
  int rank;
  int *pivot; // column of each row's pivot (rows), -1 for a dependent row; in these columns the rank is full
  int ndependent;
  int *dependent;      // rows that depend on earlier ones (ndependent), ascending
  int *support_start;  // (ndependent + 1): rows each of them is a combination of ...
  int *support;        // ... their numbers
  double *coefficient; // ... and factors: row = sum coefficient * support row
  int unexplained;     // of the dependent rows: their lists were too long together, and theirs are empty
  size_t entries;      // of the factors: what it has cost
} fly_rank;
// tolerance: a row counts as dependent when elimination leaves less than tolerance times its largest entry (and fill
// at each elimination is measured in the original row's scale).
fly_status fly_rank_find(fly_rank *out, const fly_csc *a, double tolerance, fly_error *error);
void fly_rank_free(fly_rank *r);

// 2-norm condition number by dense SVD; equilibrate: scale rows, then columns to unit largest entry first.
fly_status fly_csc_condition(const fly_csc *a, bool equilibrate, double *condition, fly_error *error);

#endif
