// Where nothing is loaded while the program runs (FLYBALL_CORE), LAPACK is linked.
#include "sparse/lapack.h"

#ifdef FLY_CORE

static const fly_lapack lapack = {dgeqrf_, dormqr_, dorgqr_, dgesv_, dsygv_,  dgeev_, dgeevx_, dgemm_, dgesvd_,
                                  dgebal_, dgehrd_, dormhr_, dggev_, dpotrf_, dtrsm_, dsyrk_,  dtrsv_, dgemv_};

fly_status fly_lapack_ready(const fly_lapack **out, fly_error *error) {
  *out = &lapack;
  return fly_memory_check(error);
}

#endif
