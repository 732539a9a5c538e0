// Meshes of the spec as closed surfaces that can be touched.
#ifndef FLY_MODEL_SURFACE_H
#define FLY_MODEL_SURFACE_H

#include "geometry/solid.h"
#include "model/model.h"

// Of a shape of this word in that file; made once for all that share it. What is wrong with it in the error.
fly_status fly_surface_of_mesh(const struct fly_surface **out, fly_model *m, const fly_item *item, const char *word,
                               const char *file, double scale, fly_error *error);

// A mesh that is convex becomes a hull, which has the same faces; of any other, false: it stays what it is.
bool fly_surface_as_hull(fly_solid *solid, fly_model *m);

#endif
