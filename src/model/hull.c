#include "model/hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "geometry/hull.h"
#include "math/so3.h"
#include "model/spec.h"

static const char *why(fly_hull_verdict verdict) {
  switch (verdict) {
  case FLY_HULL_NO_MEMORY:
    return "there is not enough memory for this hull.";
  case FLY_HULL_ONE_PLACE:
    return "all points of this hull are at one place.";
  case FLY_HULL_ONE_LINE:
    return "all points of this hull are on one line.";
  case FLY_HULL_ONE_PLANE:
    return "all points of this hull are in one plane: it has no inside. Take a thin box, or give it a thickness.";
  default:
    return "this hull has more than 1000 corners: take fewer points, or an ellipsoid.";
  }
}

int fly_shape_numbers(double *out, const char *text, double scale) {
  int n = 0;
  for (const char *s = text + strspn(text, " "); *s; n++) {
    const size_t length = strcspn(s, " ");
    double x;
    if (!fly_number_read(s, length, &x))
      break;
    if (out)
      out[n] = scale * x;
    s += length + (s[length] != 0);
  }
  return n;
}

bool fly_shape_is_hull(const char *word) { return strncmp(word, FLY_SHAPE_HULL, strlen(FLY_SHAPE_HULL)) == 0; }

fly_status fly_hull_of_word(fly_hull *out, double middle[3], const char *word, double scale, fly_arena *memory,
                            fly_error *error) {
  const char *numbers = word + strlen(FLY_SHAPE_HULL);
  const int count = fly_shape_numbers(NULL, numbers, scale) / 3;
  double *point = malloc((3 * (size_t)count + 1) * sizeof *point);
  fly_hull_verdict verdict = FLY_HULL_NO_MEMORY;
  if (point) {
    fly_shape_numbers(point, numbers, scale);
    verdict = count < 1 ? FLY_HULL_ONE_PLACE : fly_hull_build(out, middle, count, point, memory);
  }
  free(point);
  if (verdict == FLY_HULL_GOOD)
    return FLY_OK;
  return fly_fail(error, verdict == FLY_HULL_NO_MEMORY ? FLY_NO_MEMORY : FLY_BAD_INPUT, NAN, "%s", why(verdict));
}

// Of a tetrahedron between 0 and three corners: V, V x and the integral of x x^T, V/20 (sum v v^T + sum v sum v^T).
static void add_tetrahedron(double *volume, double first[3], double second[9], const double *v[3]) {
  double cross[3], sum[3];
  fly_cross(cross, v[1], v[2]);
  const double V = fly_dot3(v[0], cross) / 6;
  *volume += V;
  for (int i = 0; i < 3; i++) {
    sum[i] = v[0][i] + v[1][i] + v[2][i];
    first[i] += V * sum[i] / 4;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      second[3 * i + j] += V / 20 * (v[0][i] * v[0][j] + v[1][i] * v[1][j] + v[2][i] * v[2][j] + sum[i] * sum[j]);
}

void fly_hull_inertia(fly_inertia *out, const fly_hull *hull, const double middle[3]) {
  double volume = 0, first[3] = {0}, second[9] = {0};
  for (int k = 0; k < hull->faces; k++)
    for (int c = hull->start[k] + 1; c + 1 < hull->start[k + 1]; c++) {
      const double *v[3] = {hull->corner[hull->of[hull->start[k]]], hull->corner[hull->of[c]],
                            hull->corner[hull->of[c + 1]]};
      add_tetrahedron(&volume, first, second, v);
    }
  *out = (fly_inertia){.mass = volume};
  for (int i = 0; i < 3; i++)
    first[i] /= volume;
  for (int i = 0; i < 9; i++)
    second[i] -= volume * first[i / 3] * first[i % 3];
  const double trace = second[0] + second[4] + second[8];
  for (int i = 0; i < 9; i++)
    out->I[i] = (i % 4 == 0 ? trace : 0.0) - second[i];
  for (int i = 0; i < 3; i++)
    out->center[i] = middle[i] + first[i];
}
