// What there is to see of a model, for the report: web/README.md describes the format.
#ifndef FLY_IO_SCENE_H
#define FLY_IO_SCENE_H

#include "model/mechanism.h"

fly_scene_fn fly_scene_make;

// "#rrggbb" of a word of the model language; NULL: there is no such color.
const char *fly_scene_color(const char *word);

#endif
