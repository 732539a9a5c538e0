#include "model/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/constants.h"
#include "model/hull.h"

const fly_curve_type fly_curve_types[FLY_CURVE_TYPES] = {
    {"circle", {"radius"}, 0, "a disc, for contacts in a plane"},
    {"segment", {"length"}, 0, "a straight line along x, its middle at the origin"},
    {"arc", {"radius", "from", "to"}, 0, "a part of a circle about the origin, between two angles from x"},
    {"polyline",
     {"points"},
     2,
     "straight lines from point to point; closed, and solid inside, if the last is the first"},
    {"spline", {"points"}, 2, "a smooth closed curve through points, solid inside"},
    {"cam", {"radii"}, 1, "a smooth closed curve through radii at equal angles from x, solid inside"},
};

const fly_curve_type *fly_curve_type_of(const char *word) {
  const size_t length = strcspn(word, " ");
  for (int k = 0; k < FLY_CURVE_TYPES; k++)
    if (strlen(fly_curve_types[k].name) == length && strncmp(fly_curve_types[k].name, word, length) == 0)
      return &fly_curve_types[k];
  return NULL;
}

static fly_status refuse(fly_error *error, const char *name, fly_curve_verdict verdict, int wrong) {
  switch (verdict) {
  case FLY_CURVE_NO_MEMORY:
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a %s.", name);
  case FLY_CURVE_FEW:
    return fly_fail(error, FLY_BAD_INPUT, NAN, "a %s takes more points: at least %d.", name,
                    strcmp(name, "polyline") == 0 ? 2 : 3);
  case FLY_CURVE_MANY:
    return fly_fail(error, FLY_BAD_INPUT, NAN, "a %s takes at most %d points: leave some out.", name, FLY_CURVE_POINTS);
  case FLY_CURVE_TWICE:
    return fly_fail(error, FLY_BAD_INPUT, NAN, "point %d of this %s is at the place of the next one: leave one out.",
                    wrong + 1, name);
  default:
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "this %s crosses itself behind point %d: what is closed needs an inside.", name, wrong + 1);
  }
}

static fly_status refuse_number(fly_error *error, const char *name, const char *key, double value) {
  return fly_fail(error, FLY_BAD_INPUT, NAN, "no %s can have the %s %g.", name, key, value);
}

// Lengths are positive; an arc ends behind where it begins, within one turn.
static fly_status check_numbers(const fly_curve_type *type, const double *x, int count, fly_error *error) {
  const bool points = type->list == 2, arc = strcmp(type->name, "arc") == 0;
  for (int k = 0; k < (arc ? 1 : count) && !points; k++)
    if (!(x[k] > 0 && isfinite(x[k])))
      return refuse_number(error, type->name, type->key[type->list ? 0 : k], x[k]);
  for (int k = 0; k < count; k++)
    if (!isfinite(x[k]))
      return refuse_number(error, type->name, type->key[type->list ? 0 : k], x[k]);
  if (arc && !(x[2] > x[1] && x[2] - x[1] <= FLY_TAU * (1 + 1e-12)))
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "an arc runs from an angle to a larger one, within one turn; not from %g to %g rad.", x[1], x[2]);
  return FLY_OK;
}

// A scale below 0 mirrors at the origin, which in the plane is half a turn.
static fly_status build(fly_curve *out, const char *name, double *x, int count, double scale, fly_arena *memory,
                        fly_error *error) {
  const double size = fabs(scale), half_turn = scale < 0 ? FLY_PI : 0;
  fly_curve_verdict verdict = FLY_CURVE_GOOD;
  int wrong = 0;
  if (strcmp(name, "circle") == 0)
    fly_curve_circle(out, size * x[0]);
  else if (strcmp(name, "arc") == 0)
    fly_curve_arc(out, size * x[0], x[1] + half_turn, x[2] + half_turn);
  else if (strcmp(name, "segment") == 0)
    verdict = fly_curve_lines(out, &wrong, 2, (double[]){-size * x[0] / 2, 0, size * x[0] / 2, 0}, memory);
  else {
    for (int k = 0; k < count; k++)
      x[k] *= strcmp(name, "cam") == 0 ? size : scale;
    verdict = strcmp(name, "cam") == 0        ? fly_curve_polar(out, &wrong, count, x, half_turn, memory)
              : strcmp(name, "polyline") == 0 ? fly_curve_lines(out, &wrong, count / 2, x, memory)
                                              : fly_curve_spline(out, &wrong, count / 2, x, memory);
  }
  return verdict == FLY_CURVE_GOOD ? FLY_OK : refuse(error, name, verdict, wrong);
}

fly_status fly_curve_of_word(fly_curve *out, const char *word, double scale, fly_arena *memory, fly_error *error) {
  const fly_curve_type *type = fly_curve_type_of(word);
  const char *numbers = word + strcspn(word, " ");
  const int count = fly_shape_numbers(NULL, numbers, 1);
  double *x = calloc((size_t)count + FLY_CURVE_KEYS, sizeof *x);
  if (!x)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a %s.", type->name);
  fly_shape_numbers(x, numbers, 1);
  fly_status status = check_numbers(type, x, count, error);
  if (status == FLY_OK)
    status = build(out, type->name, x, count, scale, memory, error);
  free(x);
  return status;
}
