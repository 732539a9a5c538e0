#include "sparse/dense.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "sparse/lapack.h"

static fly_status out_of_memory(int n, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for dense matrices of %d rows.", n);
}

static int at_least_one(int n) { return n > 1 ? n : 1; }

// ------------------------------------------------------------------------------------------ null space

// A^T = Q R: the last n - m columns of Q.
fly_status fly_dense_null_space(double *Z, double *A, int m, int n, fly_error *error) {
  fly_arena memory = {0};
  int left = n - m, block = 64, lwork = block * at_least_one(n), info = 0;
  double *T = fly_arena_doubles(&memory, (size_t)n * (size_t)m), *tau = fly_arena_doubles(&memory, (size_t)m);
  double *work = fly_arena_doubles(&memory, (size_t)lwork);
  const fly_lapack *lapack = NULL;
  fly_status status = memory.failed ? out_of_memory(n, error) : fly_lapack_ready(&lapack, error);
  for (int j = 0; j < n && status == FLY_OK; j++)
    for (int i = 0; i < m; i++)
      T[(size_t)i * (size_t)n + j] = A[(size_t)j * (size_t)m + i];
  for (size_t k = 0; k < (size_t)n * (size_t)left; k++)
    Z[k] = 0;
  for (int k = 0; k < left; k++)
    Z[(size_t)k * (size_t)n + m + k] = 1;
  if (status == FLY_OK && lapack && m > 0) {
    lapack->dgeqrf_(&n, &m, T, &n, tau, work, &lwork, &info);
    if (left > 0)
      lapack->dormqr_("L", "N", &n, &left, &m, T, &n, tau, Z, &n, work, &lwork, &info, 1, 1);
  }
  fly_arena_free(&memory);
  return status;
}

fly_status fly_dense_orthonormalize(double *Z, int n, int k, fly_error *error) {
  fly_arena memory = {0};
  int block = 64, lwork = block * at_least_one(k), info;
  double *tau = fly_arena_doubles(&memory, (size_t)k), *work = fly_arena_doubles(&memory, (size_t)lwork);
  const fly_lapack *lapack = NULL;
  fly_status status = memory.failed ? out_of_memory(n, error) : fly_lapack_ready(&lapack, error);
  if (status == FLY_OK && lapack && k > 0) {
    lapack->dgeqrf_(&n, &k, Z, &n, tau, work, &lwork, &info);
    lapack->dorgqr_(&n, &k, &k, Z, &n, tau, work, &lwork, &info);
  }
  fly_arena_free(&memory);
  return status;
}

// ------------------------------------------------------------------------------------------ equations

fly_status fly_dense_solve(double *A, double *B, int n, int k, fly_error *error) {
  const fly_lapack *lapack = NULL;
  const fly_status status = n > 0 && k > 0 ? fly_lapack_ready(&lapack, error) : FLY_OK;
  if (status || !lapack)
    return status;
  int info, *pivot = malloc((size_t)n * sizeof *pivot);
  if (!pivot)
    return out_of_memory(n, error);
  lapack->dgesv_(&n, &k, A, &n, pivot, B, &n, &info);
  free(pivot);
  return info ? FLY_SINGULAR : FLY_OK;
}

// ------------------------------------------------------------------------------------------ eigenvalues

static fly_status not_converged(int n, fly_error *error) {
  return fly_fail(error, FLY_NO_CONVERGENCE, NAN, "The eigenvalues of a matrix of %d rows do not converge.", n);
}

fly_status fly_dense_eigen_symmetric(double *mu, double *K, double *M, int n, fly_error *error) {
  int info, lwork = -1, type = 1;
  double wanted;
  const fly_lapack *lapack = NULL;
  const fly_status status = n > 0 ? fly_lapack_ready(&lapack, error) : FLY_OK;
  if (status || !lapack)
    return status;
  lapack->dsygv_(&type, "V", "L", &n, K, &n, M, &n, mu, &wanted, &lwork, &info, 1, 1);
  lwork = (int)wanted;
  double *work = malloc((size_t)lwork * sizeof *work);
  if (!work)
    return out_of_memory(n, error);
  lapack->dsygv_(&type, "V", "L", &n, K, &n, M, &n, mu, work, &lwork, &info, 1, 1);
  free(work);
  if (info > n)
    return FLY_SINGULAR;
  return info ? not_converged(n, error) : FLY_OK;
}

fly_status fly_dense_eigen(double *re, double *im, double *Z, double *A, int n, fly_error *error) {
  int info, lwork = -1, one = 1;
  double wanted, unused;
  const fly_lapack *lapack = NULL;
  const fly_status status = n > 0 ? fly_lapack_ready(&lapack, error) : FLY_OK;
  if (status || !lapack)
    return status;
  lapack->dgeev_("N", "V", &n, A, &n, re, im, &unused, &one, Z, &n, &wanted, &lwork, &info, 1, 1);
  lwork = (int)wanted;
  double *work = malloc((size_t)lwork * sizeof *work);
  if (!work)
    return out_of_memory(n, error);
  lapack->dgeev_("N", "V", &n, A, &n, re, im, &unused, &one, Z, &n, work, &lwork, &info, 1, 1);
  free(work);
  return info ? not_converged(n, error) : FLY_OK;
}

fly_status fly_dense_eigen_expert(const fly_dense_spectrum *s, double *A, int n, double *norm, fly_error *error) {
  int info = 0, low, high, lwork = n * (n + 6) + 64 * n, *integers = malloc((2 * (size_t)n + 1) * sizeof *integers);
  double *work = malloc(((size_t)lwork + 2 * (size_t)n + 1) * sizeof *work);
  if (!work || !integers) {
    free(work);
    free(integers);
    return out_of_memory(n, error);
  }
  double *scale = work + lwork, *other = scale + n;
  const fly_lapack *lapack = NULL;
  const fly_status room = fly_lapack_ready(&lapack, error);
  if (n > 0 && room == FLY_OK)
    lapack->dgeevx_("B", "V", "V", "E", &n, A, &n, s->re, s->im, s->Y, &n, s->Z, &n, &low, &high, scale, norm, s->rcond,
                    other, work, &lwork, integers, &info, 1, 1, 1, 1);
  free(work);
  free(integers);
  if (room)
    return room;
  return info ? not_converged(n, error) : FLY_OK;
}

fly_status fly_dense_eigen_pencil(double *re, double *im, double *A, double *E, int n, fly_error *error) {
  int info = 0, one = 1, lwork = 8 * n + 64 * n;
  fly_arena memory = {0};
  double *work = fly_arena_doubles(&memory, (size_t)lwork), *beta = fly_arena_doubles(&memory, (size_t)n), unused;
  const fly_lapack *lapack = NULL;
  fly_status status = memory.failed ? out_of_memory(n, error) : fly_lapack_ready(&lapack, error);
  if (status == FLY_OK && lapack && n > 0)
    lapack->dggev_("N", "N", &n, A, &n, E, &n, re, im, beta, &unused, &one, &unused, &one, work, &lwork, &info, 1, 1);
  for (int k = 0; k < n && status == FLY_OK; k++) {
    const double size = fabs(re[k]) + fabs(im[k]);
    const bool finite = beta[k] > 1e-13 * size; // [LAPACK] infinite: beta = 0, but for rounding
    re[k] = finite ? re[k] / beta[k] : (double)NAN;
    im[k] = finite ? im[k] / beta[k] : (double)NAN;
  }
  fly_arena_free(&memory);
  return status == FLY_OK && info ? not_converged(n, error) : status;
}

// ------------------------------------------------------------------------------------------ a form for many shifts

static void scale_states(double *B, double *C, const double *scale, int n, int nu, int ny) {
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < nu; c++)
      B[(size_t)c * (size_t)n + i] /= scale[i];
    for (int r = 0; r < ny; r++)
      C[(size_t)i * (size_t)ny + r] *= scale[i];
  }
}

fly_status fly_dense_hessenberg(double *A, double *B, double *C, int n, int nu, int ny, fly_error *error) {
  int info, low, high, lwork = 64 * at_least_one(n > nu + ny ? n : nu + ny);
  fly_arena memory = {0};
  double *scale = fly_arena_doubles(&memory, (size_t)n), *tau = fly_arena_doubles(&memory, (size_t)n);
  double *work = fly_arena_doubles(&memory, (size_t)lwork);
  const fly_lapack *lapack = NULL;
  fly_status status = memory.failed ? out_of_memory(n, error) : fly_lapack_ready(&lapack, error);
  if (status == FLY_OK && lapack && n > 0) {
    lapack->dgebal_("S", &n, A, &n, &low, &high, scale, &info, 1);
    scale_states(B, C, scale, n, nu, ny);
    lapack->dgehrd_(&n, &low, &high, A, &n, tau, work, &lwork, &info);
    if (nu > 0)
      lapack->dormhr_("L", "T", &n, &nu, &low, &high, A, &n, tau, B, &n, work, &lwork, &info, 1, 1);
    if (ny > 0)
      lapack->dormhr_("R", "N", &ny, &n, &low, &high, A, &n, tau, C, &ny, work, &lwork, &info, 1, 1);
  }
  for (int j = 0; j < n && status == FLY_OK; j++)
    for (int i = j + 2; i < n; i++)
      A[(size_t)j * (size_t)n + i] = 0;
  fly_arena_free(&memory);
  return status;
}

// ------------------------------------------------------------------------------------------ products

void fly_dense_multiply(double *C, char op_a, char op_b, int m, int n, int k, double alpha, const double *A,
                        const double *B, double beta) {
  int lda = at_least_one(op_a == 'N' ? m : k), ldb = at_least_one(op_b == 'N' ? k : n), ldc = at_least_one(m);
  const fly_lapack *lapack = NULL;
  const bool room = fly_lapack_ready(&lapack, NULL) == FLY_OK;
  for (size_t i = 0; i < (size_t)m * (size_t)n && !room; i++)
    C[i] = NAN; // no answer
  if (m > 0 && n > 0 && room)
    lapack->dgemm_(&op_a, &op_b, &m, &n, &k, &alpha, A, &lda, B, &ldb, &beta, C, &ldc, 1, 1);
}
