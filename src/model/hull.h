// Shapes that are the convex hull of points: what the spec keeps as a text becomes corners and faces.
#ifndef FLY_MODEL_HULL_H
#define FLY_MODEL_HULL_H

#include "base/memory.h"
#include "element/inertia.h"
#include "flyball/status.h"
#include "geometry/solid.h"

enum { FLY_HULL_POINTS = 20000 }; // at most, so that it is found within a second

// Numbers of a text, with spaces between, times the scale; their count. out may be NULL.
int fly_shape_numbers(double *out, const char *text, double scale);
bool fly_shape_is_hull(const char *word);
// word: FLY_SHAPE_HULL, then numbers, three for each point; scale: a length of theirs, negative: mirrored. The corners
// are seen from middle. What is wrong with it in the message of the error, without a place.
fly_status fly_hull_of_word(fly_hull *out, double middle[3], const char *word, double scale, fly_arena *memory,
                            fly_error *error);
// At density 1, in the frame in which the points are given.
void fly_hull_inertia(fly_inertia *out, const fly_hull *hull, const double middle[3]);

#endif
