// A spec and its model together, as the public interface hands them out.
#ifndef FLY_MODEL_MECHANISM_H
#define FLY_MODEL_MECHANISM_H

#include "model/model.h"

struct fly_mechanism;

// What there is to see of a model, as JSON: its shapes, markers, joints and forces, bodies at positions q (nq; NULL: as
// the model gives them). The bytes are the caller's to free.
typedef fly_status fly_scene_fn(char **bytes, size_t *size, const struct fly_mechanism *m, const double *q,
                                fly_error *error);

typedef struct fly_mechanism {
  fly_spec spec;
  fly_model model;
  fly_scene_fn *scene; // by whoever read the model, who knows how it was written; NULL: nothing to see
} fly_mechanism;

#endif
