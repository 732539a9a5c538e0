// Stands in for ida.c where SUNDIALS is not installed.
#include <math.h>

#include "base/error.h"
#include "dae/family.h"

#ifndef FLY_WITH_IDA

static fly_status create(fly_solver *s, fly_error *error) {
  (void)s;
  return fly_fail(
      error, FLY_BAD_INPUT, NAN,
      "Method bdf is not in this build: it needs SUNDIALS IDA. On Debian: tools/install-deps bdf, or apt-get "
      "install libsundials-dev, then build again. The methods radau and ch need nothing more.");
}

static const fly_family family = {.create = create};

const fly_family *fly_family_bdf(void) { return &family; }

#endif
