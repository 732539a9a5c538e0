#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/phase.h"
#include "sparse/analyze.h"
#include "sparse/sparse.h"

// Pivots are judged as in lu.c.
static const double smallest_growth = 1e-8;
static const double smallest_rcond = 1e-15;

struct fly_complex_lu {
  int n;
  const int *start, *row; // of the pattern, which belongs to the caller
  klu_common common;
  klu_symbolic *symbolic;  // NULL only if n = 0, which KLU does not take
  klu_numeric *numeric;    // pivots and factors; NULL before the first factorization and after a singular one
  double complex *pivoted; // values of the matrix that the pivots were chosen for (nnz)
  // what travels, beside the factors
  bool factored, refactored; // as in lu.c
  fly_lu_counts counts;
};

// KLU takes complex numbers as pairs of doubles, which is how C stores them.
static double *pairs(double complex *x) { return (double *)x; }

fly_status fly_complex_lu_create(fly_complex_lu **out, const fly_csc *pattern, fly_error *error) {
  *out = NULL;
  int n = pattern->cols;
  if (pattern->rows != n)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "A %d x %d matrix is not square and cannot be factorized.",
                    pattern->rows, n);
  fly_complex_lu *lu = calloc(1, sizeof *lu);
  if (lu == NULL)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory for a direct solver.");
  lu->n = n;
  lu->start = pattern->start;
  lu->row = pattern->row;
  klu_defaults(&lu->common);
  lu->common.btf = 1;      // block triangular form
  lu->common.ordering = 0; // AMD
  lu->common.scale = 2;    // rows over their largest entry
  if (n > 0)
    lu->symbolic = fly_analyze(n, pattern->start, pattern->row, &lu->common);
  lu->pivoted = fly_zeroed((size_t)fly_csc_nnz(pattern), sizeof *lu->pivoted);
  if (!lu->pivoted || (n > 0 && lu->symbolic == NULL)) {
    fly_complex_lu_free(lu);
    return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory to analyze a matrix of %d rows.", n);
  }
  *out = lu;
  return FLY_OK;
}

void fly_complex_lu_free(fly_complex_lu *lu) {
  if (lu == NULL)
    return;
  klu_z_free_numeric(&lu->numeric, &lu->common);
  klu_free_symbolic(&lu->symbolic, &lu->common);
  free(lu->pivoted);
  free(lu);
}

// Between |x| and 1.42 |x|, and cheap.
static double size_of(double complex x) { return fabs(creal(x)) + fabs(cimag(x)); }

static double largest_in_column(const fly_complex_lu *lu, const double complex *val, int col) {
  const int *place = lu->numeric->Pinv; // KLU keeps the scales of rows in the order of pivots
  const double *scale = lu->numeric->Rs;
  double largest = 0;
  for (int k = lu->start[col]; k < lu->start[col + 1]; k++) {
    const double entry = size_of(val[k]) / scale[place[lu->row[k]]];
    largest = entry > largest ? entry : largest;
  }
  return largest;
}

// Of column k of U, in the store of KLU's only block: indices, filled up to a whole number of values, then the values.
static double largest_in_upper(const fly_complex_lu *lu, int k) {
  const klu_numeric *f = lu->numeric;
  const double complex *diagonal = f->Udiag;
  const size_t count = (size_t)f->Ulen[k], filled = (count * sizeof(int) + sizeof *diagonal - 1) / sizeof *diagonal;
  const double complex *value = (const double complex *)f->LUbx[0] + f->Uip[k] + filled;
  double largest = size_of(diagonal[k]);
  for (size_t e = 0; e < count; e++)
    largest = size_of(value[e]) > largest ? size_of(value[e]) : largest;
  return largest;
}

// Smallest over largest pivot of the equilibrated matrix; growth, of a matrix of one block: both as in lu.c.
static double estimate_rcond(const fly_complex_lu *lu, const double complex *val, double *growth) {
  const double complex *diagonal = lu->numeric->Udiag;
  double smallest = HUGE_VAL, largest = 0;
  for (int k = 0; k < lu->n; k++) {
    const double entry = largest_in_column(lu, val, lu->symbolic->Q[k]), pivot = size_of(diagonal[k]) / entry;
    largest = pivot > largest ? pivot : largest;
    if (isnan(pivot)) // those behind it must not hide it
      return 0;
    smallest = fmin(smallest, pivot);
    if (growth)
      *growth = fmin(*growth, entry / largest_in_upper(lu, k));
  }
  double rcond = smallest / largest;
  return isfinite(rcond) ? rcond : 0;
}

long fly_complex_lu_entries(const fly_complex_lu *lu) {
  return lu->numeric ? (long)lu->numeric->lnz + lu->numeric->unz : 0;
}

// As in lu.c.
static void note_work(fly_complex_lu *lu, double times) {
  const long entries = fly_complex_lu_entries(lu);
  lu->counts.work += FLY_COMPLEX_WORK * times * (double)(entries == 0 ? lu->start[lu->n] : entries);
}

static bool refactor_with_kept_pivots(fly_complex_lu *lu, double complex *val) {
  klu_common *common = &lu->common;
  int *start = (int *)lu->start, *row = (int *)lu->row; // KLU does not write to them
  if (!klu_z_refactor(start, row, pairs(val), lu->symbolic, lu->numeric, common) || common->status != KLU_OK)
    return false;
  const bool whole = lu->symbolic->nblocks == 1 && lu->n > 1; // a block of one has no store
  double growth = 1, rcond = estimate_rcond(lu, val, whole ? &growth : NULL);
  if (!whole && klu_z_rgrowth(start, row, pairs(val), lu->symbolic, lu->numeric, common))
    growth = common->rgrowth;
  if (!(growth >= smallest_growth) || rcond < smallest_rcond)
    return false;
  lu->counts.refactorizations++;
  note_work(lu, FLY_REFACTOR_WORK);
  lu->factored = lu->refactored = true;
  return true;
}

static fly_status factor_with_new_pivots(fly_complex_lu *lu, double complex *val) {
  klu_common *common = &lu->common;
  klu_z_free_numeric(&lu->numeric, common);
  lu->counts.factorizations++;
  lu->refactored = false;
  memmove(lu->pivoted, val, (size_t)lu->start[lu->n] * sizeof *val);
  lu->numeric = klu_z_factor((int *)lu->start, (int *)lu->row, pairs(val), lu->symbolic, common);
  note_work(lu, FLY_FACTOR_WORK);
  if (common->status == KLU_SINGULAR) {
    klu_z_free_numeric(&lu->numeric, common);
    return FLY_SINGULAR;
  }
  if (lu->numeric == NULL)
    return FLY_NO_MEMORY;
  if (estimate_rcond(lu, val, NULL) < smallest_rcond) {
    klu_z_free_numeric(&lu->numeric, common); // pivots found among rounding errors are not worth keeping
    return FLY_SINGULAR;
  }
  lu->factored = true;
  return FLY_OK;
}

void fly_complex_lu_forget(fly_complex_lu *lu) {
  klu_z_free_numeric(&lu->numeric, &lu->common);
  lu->factored = false;
}

static bool all_finite(const fly_complex_lu *lu, const double complex *val) {
  for (int k = 0; k < lu->start[lu->n]; k++)
    if (!isfinite(creal(val[k])) || !isfinite(cimag(val[k])))
      return false;
  return true;
}

static fly_status factor(fly_complex_lu *lu, double complex *val) {
  lu->factored = lu->n == 0;
  if (lu->n == 0)
    return FLY_OK;
  if (!all_finite(lu, val))
    return FLY_SINGULAR; // old pivots stay: the next matrix may be fine
  if (lu->numeric != NULL && refactor_with_kept_pivots(lu, val))
    return FLY_OK;
  return factor_with_new_pivots(lu, val);
}

fly_status fly_complex_lu_factor(fly_complex_lu *lu, double complex *val) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_FACTOR);
  const fly_status status = factor(lu, val);
  fly_phase_leave(before);
  return status;
}

void fly_complex_lu_solve(fly_complex_lu *lu, double complex *b) {
  for (int k = 0; k < lu->n && !lu->factored; k++)
    b[k] = NAN; // as fly_lu_solve
  if (!lu->factored)
    return;
  const fly_phase before = fly_phase_enter(FLY_PHASE_SOLVE);
  lu->counts.solves++;
  note_work(lu, 1);
  if (lu->n > 0)
    klu_z_solve(lu->symbolic, lu->numeric, lu->n, 1, pairs(b), &lu->common);
  fly_phase_leave(before);
}

fly_lu_counts fly_complex_lu_count(const fly_complex_lu *lu) { return lu->counts; }

void fly_complex_lu_image(fly_complex_lu *lu, fly_image *m, double complex *val) {
  const size_t nnz = (size_t)lu->start[lu->n];
  uint64_t pivots = lu->numeric != NULL;
  fly_image_same(m, nnz);
  fly_image_bytes(m, &pivots, sizeof pivots);
  fly_image_bytes(m, lu->pivoted, nnz * sizeof *lu->pivoted);
  fly_image_bytes(m, val, nnz * sizeof *val);
  FLY_IMAGE_FROM(m, lu, factored, NULL);
  if (!m->reading || m->failure)
    return;
  const fly_complex_lu kept = *lu;
  klu_z_free_numeric(&lu->numeric, &lu->common);
  if (pivots && factor_with_new_pivots(lu, lu->pivoted))
    m->failure = FLY_IMAGE_NO_MEMORY;
  if (pivots && !m->failure && kept.factored && kept.refactored && !refactor_with_kept_pivots(lu, val))
    m->failure = FLY_IMAGE_NO_MEMORY;
  lu->factored = kept.factored;
  lu->refactored = kept.refactored;
  lu->counts = kept.counts;
}
