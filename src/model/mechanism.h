// A spec and its model together, as the public interface hands them out.
#ifndef FLY_MODEL_MECHANISM_H
#define FLY_MODEL_MECHANISM_H

#include "model/model.h"

typedef struct fly_mechanism {
  fly_spec spec;
  fly_model model;
} fly_mechanism;

#endif
