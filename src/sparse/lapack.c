#include "sparse/lapack.h"

#include "base/library.h"

static fly_lapack lapack;

static const fly_late_name names[] = {
    FLY_LATE_NAME(fly_lapack, dgeqrf_), FLY_LATE_NAME(fly_lapack, dormqr_), FLY_LATE_NAME(fly_lapack, dorgqr_),
    FLY_LATE_NAME(fly_lapack, dgesv_),  FLY_LATE_NAME(fly_lapack, dsygv_),  FLY_LATE_NAME(fly_lapack, dgeev_),
    FLY_LATE_NAME(fly_lapack, dgeevx_), FLY_LATE_NAME(fly_lapack, dgemm_),  FLY_LATE_NAME(fly_lapack, dgesvd_),
    FLY_LATE_NAME(fly_lapack, dgebal_), FLY_LATE_NAME(fly_lapack, dgehrd_), FLY_LATE_NAME(fly_lapack, dormhr_),
    FLY_LATE_NAME(fly_lapack, dggev_),  FLY_LATE_NAME(fly_lapack, dpotrf_), FLY_LATE_NAME(fly_lapack, dtrsm_),
    FLY_LATE_NAME(fly_lapack, dsyrk_),  FLY_LATE_NAME(fly_lapack, dtrsv_),  FLY_LATE_NAME(fly_lapack, dgemv_),
};

static fly_late library =
    FLY_LATE(FLY_LAPACK_FILE,
             "Linearizations, eigenvalues, the search for equilibria and condition numbers need LAPACK. On Debian: "
             "apt-get install libopenblas0, or liblapack3.",
             names, lapack);

fly_status fly_lapack_ready(const fly_lapack **out, fly_error *error) {
  *out = &lapack;
  fly_status status = fly_late_load(&library, error);
  return status ? status : fly_memory_check(error);
}
