// Joints are tables of primitive constraints between a marker on each body, z along the joint's axis.
#include <stddef.h>
#include <string.h>

#include "model/model.h"

enum { X, Y, Z };

#define AT_POINT                                                                                                       \
  { FLY_POINT, X, X, "" }
#define ALONG(a, text)                                                                                                 \
  { FLY_PLANE, a, X, text }
#define PERPENDICULAR(a, b, text)                                                                                      \
  { FLY_DOT, a, b, text }
#define LESS(a, b)                                                                                                     \
  { FLY_DOT, a, b, NULL }
#define LENGTH                                                                                                         \
  { FLY_DISTANCE, X, X, "length" }

static const fly_joint_type JOINTS[] = {
    {"fixed",
     0,
     4,
     {AT_POINT, PERPENDICULAR(Z, X, "turn about y"), PERPENDICULAR(Z, Y, "turn about x"),
      PERPENDICULAR(X, Y, "turn about z")}},
    {"revolute", FLY_TURNS, 3, {AT_POINT, PERPENDICULAR(X, Z, "tilt about y"), PERPENDICULAR(Y, Z, "tilt about x")}},
    {"spherical", 0, 1, {AT_POINT}},
    {"universal", 0, 2, {AT_POINT, PERPENDICULAR(Z, Z, "angle of the axes")}},
    // The turn from one shaft to the other has no component along them, so both turn alike: y_i . x_j - x_i . y_j = 0
    // (docs/theory/elements.md).
    {"constant-velocity", 0, 3, {AT_POINT, PERPENDICULAR(Y, X, "turn"), LESS(X, Y)}},
    {"cylindrical",
     FLY_TURNS | FLY_SLIDES,
     4,
     {ALONG(X, "x"), ALONG(Y, "y"), PERPENDICULAR(X, Z, "tilt about y"), PERPENDICULAR(Y, Z, "tilt about x")}},
    {"screw",
     FLY_TURNS | FLY_ADVANCES,
     4,
     {ALONG(X, "x"), ALONG(Y, "y"), PERPENDICULAR(X, Z, "tilt about y"), PERPENDICULAR(Y, Z, "tilt about x")}},
    {"translational",
     FLY_SLIDES,
     5,
     {ALONG(X, "x"), ALONG(Y, "y"), PERPENDICULAR(X, Z, "tilt about y"), PERPENDICULAR(Y, Z, "tilt about x"),
      PERPENDICULAR(X, Y, "turn")}},
    {"planar", 0, 3, {ALONG(Z, "height"), PERPENDICULAR(X, Z, "tilt about y"), PERPENDICULAR(Y, Z, "tilt about x")}},
    {"distance", 0, 1, {LENGTH}},
    {"revolute-spherical", 0, 2, {ALONG(Z, "axis"), LENGTH}},
    {"rolling", 0, 1, {{FLY_WHEEL, Z, Z, "height"}}},
    {"knife-edge", 0, 0, {{0}}},
    {"in-line", 0, 2, {ALONG(X, "x"), ALONG(Y, "y")}},
    {"in-plane", 0, 1, {ALONG(Z, "height")}},
    {"orientation",
     0,
     3,
     {PERPENDICULAR(Z, X, "turn about y"), PERPENDICULAR(Z, Y, "turn about x"), PERPENDICULAR(X, Y, "turn about z")}},
    {"parallel", 0, 2, {PERPENDICULAR(X, Z, "tilt about y"), PERPENDICULAR(Y, Z, "tilt about x")}},
    {"perpendicular", 0, 1, {PERPENDICULAR(Z, Z, "angle of the axes")}},
};

const fly_joint_type *fly_joint_type_find(const char *name) {
  for (size_t k = 0; k < sizeof JOINTS / sizeof *JOINTS; k++)
    if (strcmp(JOINTS[k].name, name) == 0)
      return &JOINTS[k];
  return NULL;
}
