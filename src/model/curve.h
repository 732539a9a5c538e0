// Shapes that are curves in the x y plane of their frame: what the spec keeps as a text becomes a curve that can be
// touched.
#ifndef FLY_MODEL_CURVE_H
#define FLY_MODEL_CURVE_H

#include "base/memory.h"
#include "flyball/status.h"
#include "geometry/curve.h"

enum { FLY_CURVE_TYPES = 6, FLY_CURVE_KEYS = 3 };

typedef struct fly_curve_type {
  const char *name;
  const char *key[FLY_CURVE_KEYS]; // what its numbers are called, in order
  int list;                        // 0: one number of each key; else its only key is a list of so many numbers each
  const char *text;
} fly_curve_type;

extern const fly_curve_type fly_curve_types[FLY_CURVE_TYPES];

// word: the name of a type, then its numbers. NULL: it is no curve.
const fly_curve_type *fly_curve_type_of(const char *word);
// scale: a length of its numbers, negative: mirrored at the origin. What is wrong with it in the message of the error,
// without a place.
fly_status fly_curve_of_word(fly_curve *out, const char *word, double scale, fly_arena *memory, fly_error *error);

#endif
