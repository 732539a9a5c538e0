#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/phase.h"
#include "base/subnormal.h"
#include "sparse/analyze.h"
#include "sparse/clusters.h"
#include "sparse/fronts.h"
#include "sparse/listed.h"
#include "sparse/panels.h"
#include "sparse/sparse.h"

// KLU alone serves every size. Measured against dgetrf and dgetrs (OpenBLAS, one factorization and three solves): on
// the matrices of planar chains as fast at n = 5, twice at 20, ten times at 100; on full matrices, which mechanisms do
// not have, as fast up to n = 5, 1.25 times slower at 8, twice at 24. A dense path would gain a fraction of a
// microsecond.

// Kept pivots have gone bad when entries grow by more than this: eight digits of sixteen are left, enough for Newton.
static const double smallest_growth = 1e-8;
// A pivot this much smaller than the largest, in the equilibrated matrix, is made of rounding errors. (Of random
// matrices with a dependent row nine in ten are found so; to find all dependent rows is the business of fly_rank.)
static const double smallest_rcond = 1e-15;

// Pivots on the diagonal serve where the sum of what a pivot is made of is at most so many times the pivot: ten digits
// of sixteen are left. Beyond it, and so near singular matrices, pivots are searched for.
static const double most_lost = 1e6;
// Factors with so many times the entries of the matrix fill up, as those of grids do: below, AMD's order serves any
// search for pivots.
static const double fill_most = 8;
// With a full diagonal, as where bodies lie on each other and have no joints, pivots are taken there from fewer
// unknowns on: dense fronts are several times as fast as KLU, and COLAMD's order would fill the factors more.
static const int large_full = 60;

// Where the diagonal did not serve it is tried again, after so many matrices at most.
enum { most_patient = 64 };
// Listed pivots serve as long as kept ones do.
static const double most_lost_listed = 1e8;

struct fly_lu {
  int n, nnz;
  fly_clusters *clusters; // pivots in blocks of trees, or
  fly_fronts *fronts;     // on the diagonal; both NULL: they are always searched for
  bool searching;         // those lost too many digits once: all below is in use, which else is not there
  klu_common common;
  klu_symbolic *symbolic;  // NULL only if n = 0, which KLU does not take
  klu_numeric *numeric;    // pivots and factors; NULL before the first factorization and after a singular one
  bool listed;             // KLU's pivots, once found, go into `lists`
  fly_listed lists;        // and are those of the factors if it serves,
  const fly_csc *last;     // which then are of this matrix
  double *pivoted;         // values of the matrix that the pivots were chosen for (nnz)
  fly_csc plain;           // work: a matrix whose values stand elsewhere than in its pattern (nnz); borrows the pattern
  fly_panels lower, upper; // the same factors, laid out for solving; empty if there are several diagonal blocks
  int *place;              // in them of KLU's values: column by column those of L, then those of U
  double *scale;           // in the order of pivots (n)
  double *x;               // work (n)
  int *hint;               // work (n)
  fly_arena memory;
  // what travels, beside the factors
  bool factored;   // numeric holds the factors of the last matrix,
  bool refactored; // with pivots of an earlier one
  bool known;      // fronts were factorized before
  int searched;    // matrices since pivots on the diagonal lost too many digits; 0: they did not
  int patience;    // and so many of them before the diagonal is tried again
  double rcond;
  int singular_column;
  fly_lu_counts counts;
};

static bool fills(double entries, const fly_csc *a) { return entries > fill_most * (fly_csc_nnz(a) + a->cols); }

// AMD's order of A + A^T is made for pivots on the diagonal. Of a mechanism's matrix half of the diagonal is zero,
// pivots are taken elsewhere, and where the order fills up at all, as in grids, they fill far more: COLAMD's bounds the
// fill whatever the pivots are. Chains and trees fill to about 2.6 times their entries, lattices of 10 x 10 bodies
// to 17.
static void analyze(fly_lu *lu, const fly_csc *a) {
  enum { AMD, COLAMD };
  lu->common.ordering = AMD;
  if (lu->n > 0)
    lu->symbolic = fly_analyze(lu->n, a->start, a->row, &lu->common);
  if (lu->symbolic == NULL || !fills(2 * lu->symbolic->lnz, a))
    return;
  klu_free_symbolic(&lu->symbolic, &lu->common);
  lu->common.ordering = COLAMD;
  lu->symbolic = fly_analyze(lu->n, a->start, a->row, &lu->common);
}

static bool begin_search(fly_lu *lu, const fly_csc *pattern) {
  const size_t n = (size_t)lu->n;
  klu_defaults(&lu->common);
  lu->common.btf = 1;   // block triangular form
  lu->common.scale = 2; // rows over their largest entry
  analyze(lu, pattern);
  lu->scale = fly_arena_doubles(&lu->memory, n + 1);
  lu->x = fly_arena_doubles(&lu->memory, n + 1);
  lu->hint = fly_arena_ints(&lu->memory, n + 1);
  lu->pivoted = fly_arena_doubles(&lu->memory, (size_t)lu->nnz);
  lu->plain.val = fly_lu_values(lu) ? fly_arena_doubles(&lu->memory, (size_t)lu->nnz) : NULL;
  lu->searching = !lu->memory.failed && (n == 0 || lu->symbolic != NULL);
  if (!lu->searching) { // another time there may be memory
    klu_free_symbolic(&lu->symbolic, &lu->common);
    fly_arena_free(&lu->memory);
  }
  return lu->searching;
}

// Where they are is known from the pattern.
static bool has_own_pivots(const fly_lu *lu) { return lu->clusters || lu->fronts; }

static fly_status create(fly_lu **out, const fly_csc *pattern, bool diagonal, fly_lu_groups groups, const fly_lu *like,
                         fly_error *error) {
  *out = NULL;
  int n = pattern->cols;
  if (pattern->rows != n)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "A %d x %d matrix is not square and cannot be factorized.",
                    pattern->rows, n);
  fly_lu *lu = calloc(1, sizeof *lu);
  if (lu == NULL)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory for a direct solver.");
  lu->n = n;
  lu->nnz = fly_csc_nnz(pattern);
  lu->singular_column = -1;
  bool fine =
      !diagonal || !groups.body || fly_clusters_create(&lu->clusters, pattern, groups, like ? like->clusters : NULL);
  if (fine && diagonal && !lu->clusters)
    fine = fly_fronts_create(&lu->fronts, pattern, like ? like->fronts : NULL);
  if (fine && !has_own_pivots(lu))
    fine = begin_search(lu, pattern);
  if (!fine) {
    fly_lu_free(lu);
    return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory to analyze a matrix of %d rows.", n);
  }
  *out = lu;
  return FLY_OK;
}

fly_status fly_lu_create(fly_lu **out, const fly_csc *pattern, fly_error *error) {
  return create(out, pattern, false, (fly_lu_groups){0}, NULL, error);
}

static bool is_diagonal_full(const fly_csc *a) {
  bool full = true;
  for (int j = 0; j < a->cols && full; j++) {
    full = false;
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      full = full || a->row[k] == j;
  }
  return full;
}

fly_status fly_lu_create_symmetric(fly_lu **out, const fly_csc *pattern, fly_lu_groups groups, const fly_lu *like,
                                   fly_error *error) {
  const int n = pattern->cols;
  return create(out, pattern, n >= FLY_LU_LARGE || (n >= large_full && is_diagonal_full(pattern)), groups, like, error);
}

static void forget_panels(fly_lu *lu) {
  fly_panels_free(&lu->lower);
  fly_panels_free(&lu->upper);
  free(lu->place);
  lu->place = NULL;
}

void fly_lu_free(fly_lu *lu) {
  if (lu == NULL)
    return;
  fly_listed_free(&lu->lists);
  fly_clusters_free(lu->clusters);
  fly_fronts_free(lu->fronts);
  klu_free_numeric(&lu->numeric, &lu->common);
  klu_free_symbolic(&lu->symbolic, &lu->common);
  forget_panels(lu);
  fly_arena_free(&lu->memory);
  free(lu);
}

// ---------------------------------------------------------------------------------- judging

const int *fly_lu_values(const fly_lu *lu) { return lu->clusters ? lu->clusters->at : NULL; }

static int find_not_finite(const fly_lu *lu, const fly_csc *a) {
  const int *at = fly_lu_values(lu);
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      if (!isfinite(a->val[at ? at[k] : k]))
        return j;
  return -1;
}

// For a search, which has a room for it: values where the pattern has them.
static const fly_csc *as_pattern(fly_lu *lu, const fly_csc *a) {
  const int *at = fly_lu_values(lu);
  if (!at)
    return a;
  lu->plain.rows = lu->plain.cols = lu->n;
  lu->plain.start = a->start;
  lu->plain.row = a->row;
  for (int k = 0; k < lu->nnz; k++)
    lu->plain.val[k] = a->val[at[k]];
  return &lu->plain;
}

// A column of L or U in the store of KLU's only block: `count` indices, filled up to a whole number of doubles, then
// the values; unit diagonals of L and the diagonal of U are not among them.
typedef struct strip {
  int count;
  const int *index;
  const double *value;
} strip;

static strip column_at(const klu_numeric *f, const int *place, const int *length, int k) {
  const double *store = f->LUbx[0];
  const void *index = store + place[k];
  size_t units = ((size_t)length[k] * sizeof(int) + sizeof(double) - 1) / sizeof(double);
  return (strip){length[k], index, store + place[k] + units};
}

static strip lower_column(const klu_numeric *f, int k) { return column_at(f, f->Lip, f->Llen, k); }
static strip upper_column(const klu_numeric *f, int k) { return column_at(f, f->Uip, f->Ulen, k); }

static double largest_in_column(const fly_lu *lu, const fly_csc *a, int col) {
  const int *place = lu->numeric->Pinv; // KLU keeps the scales of rows in the order of pivots
  const double *scale = lu->numeric->Rs;
  double largest = 0;
  for (int k = a->start[col]; k < a->start[col + 1]; k++) {
    double entry = fabs(a->val[k]) / scale[place[a->row[k]]];
    largest = entry > largest ? entry : largest;
  }
  return largest;
}

static double largest_in_upper(const fly_lu *lu, int k) {
  const strip u = upper_column(lu->numeric, k);
  const double *diagonal = lu->numeric->Udiag;
  double largest = fabs(diagonal[k]);
  for (int e = 0; e < u.count; e++)
    largest = fabs(u.value[e]) > largest ? fabs(u.value[e]) : largest;
  return largest;
}

// Smallest over largest pivot, as klu_rcond, but with pivots measured in their columns of the row-scaled matrix: so
// for the matrix with rows, then columns scaled to unit largest entry, and units of unknowns do not matter.
// Scaling columns changes neither pivots nor L. growth, of a matrix of one block: as klu_rgrowth; NULL: not asked for.
static double estimate_rcond(const fly_lu *lu, const fly_csc *a, int *column, double *growth) {
  const double *diagonal = lu->numeric->Udiag;
  double smallest = HUGE_VAL, largest = 0;
  for (int k = 0; k < lu->n; k++) {
    int col = lu->symbolic->Q[k];
    const double entry = largest_in_column(lu, a, col), pivot = fabs(diagonal[k]) / entry;
    largest = pivot > largest ? pivot : largest;
    if (pivot < smallest || isnan(pivot)) {
      smallest = pivot;
      *column = col;
    }
    if (isnan(pivot)) // those behind it must not hide it
      return 0;
    if (growth)
      *growth = fmin(*growth, entry / largest_in_upper(lu, k));
  }
  double rcond = smallest / largest;
  return isfinite(rcond) ? rcond : 0;
}

// ---------------------------------------------------------------------------------- panels

static bool build_lower(fly_lu *lu, int *start, int *index) {
  start[0] = 0;
  for (int k = 0; k < lu->n; k++) {
    strip c = lower_column(lu->numeric, k);
    for (int e = 0; e < c.count; e++)
      index[start[k] + e] = c.index[e];
    start[k + 1] = start[k] + c.count;
  }
  return fly_panels_build(&lu->lower, lu->n, start, index);
}

// U by rows: columns come in ascending order, so every row's indices do.
static bool build_upper(fly_lu *lu, int *start, int *index) {
  int n = lu->n;
  for (int i = 0; i <= n; i++)
    start[i] = 0;
  for (int k = 0; k < n; k++) {
    strip c = upper_column(lu->numeric, k);
    for (int e = 0; e < c.count; e++)
      start[c.index[e] + 1]++;
  }
  for (int i = 0; i < n; i++) {
    start[i + 1] += start[i];
    lu->hint[i] = start[i];
  }
  for (int k = 0; k < n; k++) {
    strip c = upper_column(lu->numeric, k);
    for (int e = 0; e < c.count; e++)
      index[lu->hint[c.index[e]]++] = k;
  }
  return fly_panels_build(&lu->upper, n, start, index);
}

static bool find_places(fly_lu *lu) {
  const klu_numeric *f = lu->numeric;
  int *place = lu->place = malloc(((size_t)f->lnz + (size_t)f->unz + 1) * sizeof *place);
  if (place == NULL)
    return false;
  for (int k = 0; k < lu->n; k++)
    lu->hint[k] = 0;
  for (int k = 0; k < lu->n; k++) {
    strip l = lower_column(f, k), u = upper_column(f, k);
    int hint = 0;
    for (int e = 0; e < l.count; e++)
      *place++ = (int)(fly_panels_at(&lu->lower, k, l.index[e], &hint) - lu->lower.value);
    for (int e = 0; e < u.count; e++)
      *place++ = (int)(fly_panels_at(&lu->upper, u.index[e], k, &lu->hint[u.index[e]]) - lu->upper.value);
  }
  return true;
}

static bool build_panels(fly_lu *lu) {
  const klu_numeric *f = lu->numeric;
  forget_panels(lu);
  if (lu->symbolic->nblocks > 1 || lu->n == 1) // a block of one has no store
    return true;
  if (!klu_sort(lu->symbolic, lu->numeric, &lu->common))
    return false;
  int most = f->lnz > f->unz ? f->lnz : f->unz;
  int *start = malloc(((size_t)lu->n + 1) * sizeof *start), *index = malloc(((size_t)most + 1) * sizeof *index);
  bool fine = start != NULL && index != NULL && build_lower(lu, start, index) && build_upper(lu, start, index) &&
              find_places(lu);
  free(start);
  free(index);
  return fine;
}

// With D the diagonal of U the panels hold D^-1 L D and D^-1 U, so that a solve scales once and divides nowhere:
// U^-1 L^-1 R^-1 = (D^-1 U)^-1 (D^-1 L D)^-1 (R D)^-1. What no value is put into was zero when they were built.
static void fill_panels(fly_lu *lu) {
  const double *d = lu->numeric->Udiag;
  const int *place = lu->place;
  if (place == NULL)
    return;
  double *lower = lu->lower.value, *upper = lu->upper.value;
  for (int k = 0; k < lu->n; k++)
    lu->scale[k] = 1 / (d[k] * lu->numeric->Rs[k]);
  for (int k = 0; k < lu->n; k++) {
    strip l = lower_column(lu->numeric, k), u = upper_column(lu->numeric, k);
    for (int e = 0; e < l.count; e++)
      lower[*place++] = l.value[e] * (d[k] / d[l.index[e]]);
    for (int e = 0; e < u.count; e++)
      upper[*place++] = u.value[e] / d[u.index[e]];
  }
}

// ---------------------------------------------------------------------------------- factorizing

static fly_status singular(fly_lu *lu, int column) {
  lu->factored = false;
  lu->rcond = 0;
  lu->singular_column = column;
  return FLY_SINGULAR;
}

static fly_status accept(fly_lu *lu, double rcond) {
  lu->factored = true;
  lu->rcond = rcond;
  lu->singular_column = -1;
  return FLY_OK;
}

static bool on_diagonal(const fly_lu *lu) { return has_own_pivots(lu) && !lu->searching; }

long fly_lu_entries(const fly_lu *lu) {
  if (on_diagonal(lu))
    return !lu->known ? 0 : lu->clusters ? fly_clusters_entries(lu->clusters) : fly_fronts_entries(lu->fronts);
  return lu->numeric ? (long)lu->numeric->lnz + lu->numeric->unz : 0;
}

// With the factors at hand. An entry of a block takes half as many instructions as one of panels; factors that were not
// found have about the entries of the matrix.
static void note_work(fly_lu *lu, double times) {
  const long entries = fly_lu_entries(lu);
  lu->counts.work += times * (double)(entries == 0 ? lu->nnz : on_diagonal(lu) && lu->clusters ? entries / 2 : entries);
}

static bool refactor_by_klu(fly_lu *lu, const fly_csc *a) {
  klu_common *common = &lu->common;
  if (!klu_refactor(a->start, a->row, a->val, lu->symbolic, lu->numeric, common) || common->status != KLU_OK)
    return false;
  int column;
  const bool whole = lu->lower.n > 0;
  double growth = 1, rcond = estimate_rcond(lu, a, &column, whole ? &growth : NULL);
  if (!whole && klu_rgrowth(a->start, a->row, a->val, lu->symbolic, lu->numeric, common))
    growth = common->rgrowth;
  if (!(growth >= smallest_growth) || rcond < smallest_rcond)
    return false;
  lu->counts.refactorizations++;
  note_work(lu, FLY_REFACTOR_WORK);
  lu->refactored = true;
  fill_panels(lu);
  accept(lu, rcond);
  return true;
}

// By lists; rcond is then found where it is asked for.
static bool refactor_listed(fly_lu *lu, const fly_csc *a) {
  if (!lu->lists.index || !fly_listed_factor(&lu->lists, a->val, most_lost_listed))
    return false;
  lu->counts.refactorizations++;
  note_work(lu, FLY_REFACTOR_WORK);
  lu->refactored = true;
  lu->last = a;
  accept(lu, NAN);
  return true;
}

static bool refactor_with_kept_pivots(fly_lu *lu, const fly_csc *a) {
  return lu->listed ? refactor_listed(lu, a) : refactor_by_klu(lu, a);
}

// Pivots as KLU has them into lists, and the factors with them.
static bool list_pivots(fly_lu *lu, const fly_csc *a) {
  const klu_symbolic *s = lu->symbolic;
  const fly_pivots pivots = {lu->numeric->Pnum, s->Q, s->R, s->nblocks};
  if (!fly_listed_has(&lu->lists, &pivots)) {
    fly_listed_free(&lu->lists);
    if (!fly_listed_build(&lu->lists, a, &pivots))
      return false;
  }
  fly_listed_factor(&lu->lists, a->val, most_lost_listed);
  lu->last = a;
  return true;
}

fly_status fly_lu_list(fly_lu *lu, const fly_csc *a) {
  lu->listed = true;
  forget_panels(lu);
  return lu->numeric == NULL || list_pivots(lu, a) ? FLY_OK : FLY_NO_MEMORY;
}

static fly_status factor_with_new_pivots(fly_lu *lu, const fly_csc *a) {
  klu_common *common = &lu->common;
  lu->factored = lu->refactored = lu->lists.serves = false;
  klu_free_numeric(&lu->numeric, common);
  lu->counts.factorizations++;
  memmove(lu->pivoted, a->val, (size_t)lu->nnz * sizeof *a->val);
  lu->numeric = klu_factor(a->start, a->row, a->val, lu->symbolic, common);
  note_work(lu, FLY_FACTOR_WORK);
  if (common->status == KLU_SINGULAR)
    return singular(lu, common->singular_col);
  if (lu->numeric == NULL)
    return FLY_NO_MEMORY;
  int column = -1;
  double rcond = estimate_rcond(lu, a, &column, NULL);
  if (rcond >= smallest_rcond) {
    if (lu->listed ? !list_pivots(lu, a) : !build_panels(lu))
      return FLY_NO_MEMORY;
    fill_panels(lu);
    return accept(lu, rcond);
  }
  klu_free_numeric(&lu->numeric, common); // pivots found among rounding errors are not worth keeping
  return singular(lu, column);
}

void fly_lu_forget(fly_lu *lu) {
  if (lu->numeric != NULL)
    klu_free_numeric(&lu->numeric, &lu->common);
  lu->factored = lu->known = lu->lists.serves = false;
  lu->patience = 0;
  lu->searching = !has_own_pivots(lu);
}

bool fly_lu_keep_whole(fly_lu *lu) {
  if (!lu->clusters || !lu->clusters->half || lu->searching)
    return false;
  lu->factored = false;
  return fly_clusters_keep_whole(lu->clusters);
}

static double factor_own(fly_lu *lu, const fly_csc *a, bool tried) {
  const unsigned subnormals = fly_subnormals_off();
  const double lost = lu->clusters ? fly_clusters_factor(lu->clusters, a, most_lost, tried)
                                   : fly_fronts_factor(lu->fronts, a->val, most_lost);
  fly_subnormals_back(subnormals);
  return lost;
}

static void solve_own(fly_lu *lu, double *b, bool transposed) {
  const unsigned subnormals = fly_subnormals_off();
  if (lu->clusters)
    fly_clusters_solve(lu->clusters, b, transposed);
  else
    fly_fronts_solve(lu->fronts, b, transposed);
  fly_subnormals_back(subnormals);
}

static bool accept_own(fly_lu *lu, double lost) {
  if (!(lost <= most_lost))
    return false;
  lu->counts.refactorizations += lu->known;
  lu->counts.factorizations += !lu->known;
  lu->refactored = lu->known;
  lu->known = true;
  note_work(lu, lu->refactored ? FLY_REFACTOR_WORK : FLY_FACTOR_WORK);
  lu->patience /= 2;
  accept(lu, 1 / fmax(lost, 1));
  return true;
}

static bool factor_on_diagonal(fly_lu *lu, const fly_csc *a, bool tried) {
  return accept_own(lu, factor_own(lu, a, tried));
}

bool fly_lu_factor_terms(fly_lu *lu, const fly_csc *a, const fly_terms term[FLY_KINDS - 1]) {
  if (!fly_lu_values(lu) || !on_diagonal(lu))
    return false;
  const fly_phase before = fly_phase_enter(FLY_PHASE_FACTOR);
  const unsigned subnormals = fly_subnormals_off();
  const double lost = fly_clusters_factor_terms(lu->clusters, a, term, most_lost);
  fly_subnormals_back(subnormals);
  fly_phase_leave(before);
  lu->factored = false;
  return accept_own(lu, lost);
}

// For so many matrices pivots are searched for; twice as many each time.
static bool search(fly_lu *lu, const fly_csc *a) {
  lu->factored = false;
  lu->searched = 0;
  lu->patience = lu->patience > most_patient / 2 ? most_patient : 2 * lu->patience + (lu->patience == 0);
  lu->searching = lu->symbolic != NULL;
  return lu->searching || begin_search(lu, a);
}

// The diagonal once more: bodies that press each other away lose digits for a few steps, not for the rest of a run.
static void return_to_diagonal(fly_lu *lu) {
  if (!has_own_pivots(lu) || !lu->searching || ++lu->searched < lu->patience)
    return;
  klu_free_numeric(&lu->numeric, &lu->common);
  lu->searching = false;
}

static fly_status factor(fly_lu *lu, const fly_csc *a, bool tried) {
  assert(a->rows == lu->n && a->cols == lu->n && fly_csc_nnz(a) == lu->nnz);
  if (lu->n == 0)
    return accept(lu, 1);
  if (lu->numeric != NULL && lu->listed && refactor_listed(lu, a))
    return FLY_OK;
  return_to_diagonal(lu);
  if (on_diagonal(lu) && factor_on_diagonal(lu, a, tried))
    return FLY_OK;
  int bad = find_not_finite(lu, a); // it cannot be factorized on the diagonal
  if (bad >= 0)
    return singular(lu, bad); // old pivots stay: the next matrix may be fine
  if (!lu->searching && !search(lu, a))
    return FLY_NO_MEMORY;
  const fly_csc *plain = as_pattern(lu, a);
  if (lu->numeric != NULL && !lu->listed && refactor_by_klu(lu, plain))
    return FLY_OK;
  return factor_with_new_pivots(lu, plain);
}

static fly_status factor_in_phase(fly_lu *lu, const fly_csc *a, bool tried) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_FACTOR);
  const fly_status status = factor(lu, a, tried);
  fly_phase_leave(before);
  return status;
}

fly_status fly_lu_factor(fly_lu *lu, const fly_csc *a) { return factor_in_phase(lu, a, true); }

fly_status fly_lu_factor_again(fly_lu *lu, const fly_csc *a) { return factor_in_phase(lu, a, false); }

// With P R^-1 A Q = L U: rows are scaled and permuted to the order of the pivots, columns back.
static void solve_with_panels(fly_lu *lu, double *b) {
  const klu_numeric *f = lu->numeric;
  for (int k = 0; k < lu->n; k++)
    lu->x[k] = b[f->Pnum[k]] * lu->scale[k];
  fly_panels_forward(&lu->lower, lu->x);
  fly_panels_backward(&lu->upper, lu->x);
  for (int k = 0; k < lu->n; k++)
    b[lu->symbolic->Q[k]] = lu->x[k];
}

bool fly_lu_ready(const fly_lu *lu) { return lu->factored; }

// Whoever solves without a factorization gets what every test of a result refuses.
static bool has_factors(const fly_lu *lu, double *b) {
  for (int k = 0; k < lu->n && !lu->factored; k++)
    b[k] = NAN;
  return lu->factored;
}

void fly_lu_solve(fly_lu *lu, double *b) {
  if (!has_factors(lu, b))
    return;
  const fly_phase before = fly_phase_enter(FLY_PHASE_SOLVE);
  lu->counts.solves++;
  note_work(lu, 1);
  if (on_diagonal(lu))
    solve_own(lu, b, false);
  else if (lu->lists.serves)
    fly_listed_solve(&lu->lists, b);
  else if (lu->lower.n > 0)
    solve_with_panels(lu, b);
  else if (lu->n > 0)
    klu_solve(lu->symbolic, lu->numeric, lu->n, 1, b, &lu->common);
  fly_phase_leave(before);
}

void fly_lu_solve_transposed(fly_lu *lu, double *b) {
  if (!has_factors(lu, b))
    return;
  lu->counts.solves++;
  note_work(lu, 1);
  if (on_diagonal(lu))
    solve_own(lu, b, true);
  else if (lu->lists.serves)
    fly_listed_solve_transposed(&lu->lists, b);
  else if (lu->n > 0)
    klu_tsolve(lu->symbolic, lu->numeric, lu->n, 1, b, &lu->common);
}

bool fly_lu_matching(const fly_lu *lu, int *row) {
  if (!lu->numeric)
    return false;
  for (int k = 0; k < lu->n; k++)
    row[lu->symbolic->Q[k]] = lu->numeric->Pnum[k];
  return true;
}

double fly_lu_rcond(const fly_lu *lu) {
  return lu->lists.serves && lu->last ? fly_listed_rcond(&lu->lists, lu->last) : lu->rcond;
}

int fly_lu_singular_column(const fly_lu *lu) { return lu->singular_column; }

fly_lu_counts fly_lu_count(const fly_lu *lu) { return lu->counts; }

// ---------------------------------------------------------------------------------- travelling

// The pivots, chosen once more; and with them the factors of the matrix that came last. Where others than these were in
// use for that one, the pivots need not serve it.
static bool factor_again(fly_lu *lu, const fly_csc *a, bool refactored) {
  fly_csc then = *a;
  then.val = lu->pivoted;
  if (factor_with_new_pivots(lu, &then) != FLY_OK)
    return false;
  if (refactored)
    (void)refactor_with_kept_pivots(lu, as_pattern(lu, a));
  return true;
}

// Where pivots are on the diagonal there is nothing to choose.
static void image_pivots(fly_lu *lu, fly_image *m, const fly_csc *a) {
  uint64_t searching = lu->searching;
  uint64_t whole = lu->clusters && !lu->clusters->half;
  fly_image_bytes(m, &searching, sizeof searching);
  fly_image_bytes(m, &whole, sizeof whole);
  if (m->reading && !m->failure) {
    lu->searching = searching && lu->symbolic;
    if ((searching && !lu->searching && !begin_search(lu, a)) ||
        (whole && lu->clusters && !fly_clusters_keep_whole(lu->clusters)))
      m->failure = FLY_IMAGE_NO_MEMORY;
  }
  if (lu->searching)
    fly_image_bytes(m, lu->pivoted, (size_t)lu->nnz * sizeof *lu->pivoted);
}

void fly_lu_image(fly_lu *lu, fly_image *m, const fly_csc *a) {
  uint64_t pivots = lu->numeric != NULL;
  fly_image_same(m, (uint64_t)lu->nnz);
  fly_image_bytes(m, &pivots, sizeof pivots);
  image_pivots(lu, m, a);
  fly_image_bytes(m, a->val, (size_t)lu->nnz * sizeof *a->val);
  FLY_IMAGE_FROM(m, lu, factored, NULL);
  if (!m->reading || m->failure)
    return;
  const fly_lu kept = *lu;
  klu_free_numeric(&lu->numeric, &lu->common);
  if (on_diagonal(lu) && kept.factored)
    (void)factor_own(lu, a, false);
  if (pivots && !factor_again(lu, a, kept.factored && kept.refactored))
    m->failure = FLY_IMAGE_NO_MEMORY;
  lu->last = a;
  lu->factored = kept.factored;
  lu->refactored = kept.refactored;
  lu->rcond = kept.rcond;
  lu->singular_column = kept.singular_column;
  lu->counts = kept.counts;
}

// ---------------------------------------------------------------------------------- signs

int fly_lu_blocks(const fly_lu *lu) { return lu->symbolic ? lu->symbolic->nblocks : 0; }

// Odd or even: the order of the pivots of a block against the order the analysis found. place: where a row stands in
// the latter; entries of the block are used up.
static bool is_odd(const int *pivot_row, int *place, int first, int end) {
  bool odd = false;
  for (int k = first; k < end; k++)
    for (int at = k, next; (next = place[pivot_row[at]]) >= 0; at = next) {
      place[pivot_row[at]] = -1;
      odd ^= next != k; // a cycle of n is n - 1 exchanges
    }
  return odd;
}

// With P R^-1 A Q = L U, scales R > 0 and L of unit diagonal: the pivots, and whether P is odd in a block.
void fly_lu_signs(fly_lu *lu, signed char *sign) {
  if (!lu->factored) {
    memset(sign, 0, (size_t)fly_lu_blocks(lu));
    return;
  }
  for (int k = 0; k < lu->n; k++)
    lu->hint[lu->symbolic->P[k]] = k;
  for (int b = 0; b < fly_lu_blocks(lu); b++) {
    const double *pivot = lu->numeric->Udiag;
    int first = lu->symbolic->R[b], end = lu->symbolic->R[b + 1];
    bool negative = is_odd(lu->numeric->Pnum, lu->hint, first, end);
    for (int k = first; k < end; k++)
      negative ^= pivot[k] < 0;
    sign[b] = negative ? -1 : 1;
  }
}
