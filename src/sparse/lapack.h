// LAPACK and BLAS, loaded at their first use. For this room only.
#ifndef FLY_SPARSE_LAPACK_H
#define FLY_SPARSE_LAPACK_H

#include <stddef.h>

#include "flyball/status.h"

// As Fortran compilers name and call them: the last arguments are the lengths of the texts, passed unseen.
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork,
             int *info);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a,
             const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork, int *info,
             size_t side_length, size_t trans_length);
void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau, double *work,
             const int *lwork, int *info);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info);
void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *b,
            const int *ldb, double *w, double *work, const int *lwork, int *info, size_t jobz_length,
            size_t uplo_length);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr, double *wi,
            double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info,
            size_t jobvl_length, size_t jobvr_length);
void dgeevx_(const char *balanc, const char *jobvl, const char *jobvr, const char *sense, const int *n, double *a,
             const int *lda, double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr, int *ilo,
             int *ihi, double *scale, double *abnrm, double *rconde, double *rcondv, double *work, const int *lwork,
             int *iwork, int *info, size_t balanc_length, size_t jobvl_length, size_t jobvr_length,
             size_t sense_length);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t transa_length, size_t transb_length);
void dgebal_(const char *job, const int *n, double *a, const int *lda, int *ilo, int *ihi, double *scale, int *info,
             size_t job_length);
void dgehrd_(const int *n, const int *ilo, const int *ihi, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void dormhr_(const char *side, const char *trans, const int *m, const int *n, const int *ilo, const int *ihi,
             const double *a, const int *lda, const double *tau, double *c, const int *ldc, double *work,
             const int *lwork, int *info, size_t side_length, size_t trans_length);
void dggev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *b, const int *ldb,
            double *alphar, double *alphai, double *beta, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t jobvl_length, size_t jobvr_length);
// Singular values of an m x n matrix, columns lda apart, overwritten.
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *info,
             size_t jobu_length, size_t jobvt_length);

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb, size_t side_length,
            size_t uplo_length, size_t transa_length, size_t diag_length);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *beta, double *c, const int *ldc, size_t uplo_length, size_t trans_length);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a, const int *lda,
            double *x, const int *incx, size_t uplo_length, size_t trans_length, size_t diag_length);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t trans_length);

// Where they are.
typedef struct fly_lapack {
  __typeof__(dgeqrf_) *dgeqrf_;
  __typeof__(dormqr_) *dormqr_;
  __typeof__(dorgqr_) *dorgqr_;
  __typeof__(dgesv_) *dgesv_;
  __typeof__(dsygv_) *dsygv_;
  __typeof__(dgeev_) *dgeev_;
  __typeof__(dgeevx_) *dgeevx_;
  __typeof__(dgemm_) *dgemm_;
  __typeof__(dgesvd_) *dgesvd_;
  __typeof__(dgebal_) *dgebal_;
  __typeof__(dgehrd_) *dgehrd_;
  __typeof__(dormhr_) *dormhr_;
  __typeof__(dggev_) *dggev_;
  __typeof__(dpotrf_) *dpotrf_;
  __typeof__(dtrsm_) *dtrsm_;
  __typeof__(dsyrk_) *dsyrk_;
  __typeof__(dtrsv_) *dtrsv_;
  __typeof__(dgemv_) *dgemv_;
} fly_lapack;

// Loads them, and asks whether there is memory for what they take (fly_memory_check).
fly_status fly_lapack_ready(const fly_lapack **out, fly_error *error);

#endif
