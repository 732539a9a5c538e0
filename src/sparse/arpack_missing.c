// Stands in for ARPACK where the library is built without it (FLYBALL_CORE): eigenvalues of small models are found by
// dense matrices, of large ones not at all.
#include <math.h>

#include "base/error.h"
#include "sparse/arpack.h"

#ifdef FLY_CORE

static fly_status missing(int *found, fly_error *error) {
  *found = 0;
  return fly_fail(error, FLY_BAD_INPUT, NAN,
                  "This library was built without ARPACK: eigenvalues of models that are too large for dense matrices "
                  "are not found.");
}

fly_status fly_arpack_symmetric(const fly_symmetric_pencil *p, int count, double *mu, double *Z, int *found,
                                fly_error *error) {
  (void)p, (void)count, (void)mu, (void)Z;
  return missing(found, error);
}

fly_status fly_arpack_general(const fly_general_matrix *A, int count, double *re, double *im, double *Z, int *found,
                              fly_error *error) {
  (void)A, (void)count, (void)re, (void)im, (void)Z;
  return missing(found, error);
}

#endif
