#include "sparse/arpack.h"

#include <math.h>
#include <stddef.h>

#include "base/error.h"
#include "base/library.h"
#include "base/lock.h"
#include "base/memory.h"

// ARPACK, as Fortran compilers name and call it: the last arguments are the lengths of the texts.
void dsaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev, const double *tol,
             double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr, double *workd,
             double *workl, const int *lworkl, int *info, size_t bmat_length, size_t which_length);
void dseupd_(const int *rvec, const char *howmny, int *select, double *d, double *z, const int *ldz,
             const double *sigma, const char *bmat, const int *n, const char *which, const int *nev, const double *tol,
             double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr, double *workd,
             double *workl, const int *lworkl, int *info, size_t howmny_length, size_t bmat_length,
             size_t which_length);
void dnaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev, const double *tol,
             double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr, double *workd,
             double *workl, const int *lworkl, int *info, size_t bmat_length, size_t which_length);
void dneupd_(const int *rvec, const char *howmny, int *select, double *dr, double *di, double *z, const int *ldz,
             const double *sigmar, const double *sigmai, double *workev, const char *bmat, const int *n,
             const char *which, const int *nev, const double *tol, double *resid, const int *ncv, double *v,
             const int *ldv, int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl, int *info,
             size_t howmny_length, size_t bmat_length, size_t which_length);
void znaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev, const double *tol,
             double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr, double *workd,
             double *workl, const int *lworkl, double *rwork, int *info, size_t bmat_length, size_t which_length);
void zneupd_(const int *rvec, const char *howmny, int *select, double *d, double *z, const int *ldz,
             const double *sigma, double *workev, const char *bmat, const int *n, const char *which, const int *nev,
             const double *tol, double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr,
             double *workd, double *workl, const int *lworkl, double *rwork, int *info, size_t howmny_length,
             size_t bmat_length, size_t which_length);

// Where they are, once they are loaded.
static struct arpack {
  __typeof__(dsaupd_) *dsaupd_;
  __typeof__(dseupd_) *dseupd_;
  __typeof__(dnaupd_) *dnaupd_;
  __typeof__(dneupd_) *dneupd_;
  __typeof__(znaupd_) *znaupd_;
  __typeof__(zneupd_) *zneupd_;
} arpack;

static const fly_late_name names[] = {
    FLY_LATE_NAME(struct arpack, dsaupd_), FLY_LATE_NAME(struct arpack, dseupd_), FLY_LATE_NAME(struct arpack, dnaupd_),
    FLY_LATE_NAME(struct arpack, dneupd_), FLY_LATE_NAME(struct arpack, znaupd_), FLY_LATE_NAME(struct arpack, zneupd_),
};

static fly_late library =
    FLY_LATE(FLY_ARPACK_FILE,
             "Eigenvalues of models that are too large for dense matrices need ARPACK. On Debian: apt-get install "
             "libarpack2.",
             names, arpack);

enum { MOST_RESTARTS = 1000, EXACT_SHIFTS = 1, STANDARD = 1, SHIFT_INVERT = 3 };

// What all three iterations keep. A number is one double, or two of a complex matrix.
typedef struct iteration {
  int n, nev, ncv, wide, lworkl, ido, info;
  int iparam[11], ipntr[14];
  double tol; // 0: the machine's
  double *resid, *v, *workd, *workl, *rwork, *workev;
  double *between; // M x at the start, when ARPACK has no place for it
  double *value;   // eigenvalues, real and imaginary parts (2 (nev + 1))
  int *select;
  bool locked; // ARPACK keeps numbers between calls: one iteration at a time
  fly_arena memory;
} iteration;

// rank: the space of the iteration must not be larger.
static fly_status begin(iteration *w, int n, int rank, int nev, int wide, fly_error *error) {
  int ncv = 2 * nev + 20 < rank ? 2 * nev + 20 : rank;
  *w = (iteration){.n = n, .nev = nev, .ncv = ncv, .wide = wide};
  w->lworkl = 3 * ncv * ncv + 8 * ncv;
  size_t room = (size_t)wide * (size_t)n;
  w->resid = fly_arena_doubles(&w->memory, room);
  w->v = fly_arena_doubles(&w->memory, room * (size_t)ncv);
  w->workd = fly_arena_doubles(&w->memory, 3 * room);
  w->between = fly_arena_doubles(&w->memory, room);
  w->workl = fly_arena_doubles(&w->memory, (size_t)wide * (size_t)w->lworkl);
  w->rwork = fly_arena_doubles(&w->memory, (size_t)ncv);
  w->workev = fly_arena_doubles(&w->memory, 3 * (size_t)wide * (size_t)ncv);
  w->value = fly_arena_doubles(&w->memory, 2 * ((size_t)nev + 1));
  w->select = fly_arena_ints(&w->memory, (size_t)ncv);
  if (w->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d eigenvalues of a matrix of %d rows.", nev, n);
  for (size_t k = 0; k < room; k++)
    w->resid[k] = sin(1.0 + 1.7 * (double)k); // the same in every run, along no axis
  w->info = 1;                                // resid is the start
  w->iparam[0] = EXACT_SHIFTS;
  w->iparam[2] = MOST_RESTARTS;
  fly_status status = fly_late_load(&library, error);
  if (status)
    return status;
  fly_lock();
  w->locked = true;
  return fly_memory_check(error);
}

static void end(iteration *w) {
  if (w->locked)
    fly_unlock();
  fly_arena_free(&w->memory);
}

// 1: the restarts were used up, and some have converged all the same; 3: the space is too small for more.
static fly_status judge(const iteration *w, fly_error *error) {
  if (w->info == 0 || w->info == 1 || w->info == 3)
    return FLY_OK;
  return fly_fail(error, FLY_NO_CONVERGENCE, NAN, "ARPACK gives up on %d eigenvalues of a matrix of %d rows (info %d).",
                  w->nev, w->n, w->info);
}

static double *place(const iteration *w, int pointer) {
  return w->workd + (size_t)w->wide * (size_t)(w->ipntr[pointer] - 1);
}

// ------------------------------------------------------------------------------------------ symmetric

fly_status fly_arpack_symmetric(const fly_symmetric_pencil *p, int count, double *mu, double *Z, int *found,
                                fly_error *error) {
  iteration w;
  const char *which = p->below ? "SA" : "LM"; // of 1/(mu - shift)
  const int want = 1;
  fly_status status = begin(&w, p->n, p->rank, count, 1, error);
  w.iparam[6] = SHIFT_INVERT;
  if (p->restarts > 0)
    w.iparam[2] = p->restarts;
  *found = 0;
  while (status == FLY_OK && w.ido != 99) {
    arpack.dsaupd_(&w.ido, "G", &w.n, which, &w.nev, &w.tol, w.resid, &w.ncv, w.v, &w.n, w.iparam, w.ipntr, w.workd,
                   w.workl, &w.lworkl, &w.info, 1, 2);
    if (w.ido == -1) {
      p->mass(w.between, place(&w, 0), p->user);
      p->invert(place(&w, 1), w.between, p->user);
    } else if (w.ido == 1) {
      p->invert(place(&w, 1), place(&w, 2), p->user);
    } else if (w.ido == 2) {
      p->mass(place(&w, 1), place(&w, 0), p->user);
    }
  }
  if (status == FLY_OK)
    status = judge(&w, error);
  if (status == FLY_OK) {
    *found = w.iparam[4];
    arpack.dseupd_(&want, "A", w.select, mu, Z, &w.n, &p->shift, "G", &w.n, which, &w.nev, &w.tol, w.resid, &w.ncv, w.v,
                   &w.n, w.iparam, w.ipntr, w.workd, w.workl, &w.lworkl, &w.info, 1, 1, 2);
    status = judge(&w, error);
  }
  end(&w);
  return status;
}

// ------------------------------------------------------------------------------------------ general

static void go_on(iteration *w, bool is_complex) {
  if (is_complex)
    arpack.znaupd_(&w->ido, "I", &w->n, "LM", &w->nev, &w->tol, w->resid, &w->ncv, w->v, &w->n, w->iparam, w->ipntr,
                   w->workd, w->workl, &w->lworkl, w->rwork, &w->info, 1, 2);
  else
    arpack.dnaupd_(&w->ido, "I", &w->n, "LM", &w->nev, &w->tol, w->resid, &w->ncv, w->v, &w->n, w->iparam, w->ipntr,
                   w->workd, w->workl, &w->lworkl, &w->info, 1, 2);
}

// What has converged. The values of a real matrix come as two lists, those of a complex one as pairs.
static int take(iteration *w, bool is_complex, double *re, double *im, double *Z) {
  const int want = 1, most = is_complex ? w->nev : w->nev + 1, step = is_complex ? 2 : 1;
  const double no_shift[2] = {0};
  double *dr = w->value, *di = is_complex ? dr + 1 : dr + most;
  if (is_complex)
    arpack.zneupd_(&want, "A", w->select, dr, Z, &w->n, no_shift, w->workev, "I", &w->n, "LM", &w->nev, &w->tol,
                   w->resid, &w->ncv, w->v, &w->n, w->iparam, w->ipntr, w->workd, w->workl, &w->lworkl, w->rwork,
                   &w->info, 1, 1, 2);
  else
    arpack.dneupd_(&want, "A", w->select, dr, di, Z, &w->n, no_shift, no_shift, w->workev, "I", &w->n, "LM", &w->nev,
                   &w->tol, w->resid, &w->ncv, w->v, &w->n, w->iparam, w->ipntr, w->workd, w->workl, &w->lworkl,
                   &w->info, 1, 1, 2);
  const int found = w->iparam[4] < most ? w->iparam[4] : most;
  for (int k = 0; k < found; k++) {
    re[k] = dr[step * k];
    im[k] = di[step * k];
  }
  return found;
}

fly_status fly_arpack_general(const fly_general_matrix *A, int count, double *re, double *im, double *Z, int *found,
                              fly_error *error) {
  iteration w;
  fly_status status = begin(&w, A->n, A->rank, count, A->is_complex ? 2 : 1, error);
  w.iparam[6] = STANDARD;
  *found = 0;
  while (status == FLY_OK && w.ido != 99) {
    go_on(&w, A->is_complex);
    if (w.ido == -1 || w.ido == 1)
      A->apply(place(&w, 1), place(&w, 0), A->user);
  }
  if (status == FLY_OK)
    status = judge(&w, error);
  if (status == FLY_OK) {
    *found = take(&w, A->is_complex, re, im, Z);
    status = judge(&w, error);
  }
  end(&w);
  return status;
}
