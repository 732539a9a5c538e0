// Cycles of a history, ASTM E1049-85 (2017), section 5.4.4: of three turning points in a row, X the range of the last
// two and Y that of the two before, Y is counted where X >= Y: as half a cycle, and its first point dropped, if it
// begins with the first point there is; else as one, and both its points dropped.
#include <math.h>
#include <stdlib.h>

#include "flyball/reduce.h"

static long turning_points(const double *x, long n, double *out) {
  long count = 0;
  for (long k = 0; k < n; k++) {
    if (count > 0 && x[k] == out[count - 1])
      continue;
    if (count > 1 && (x[k] > out[count - 1]) == (out[count - 1] > out[count - 2]))
      out[count - 1] = x[k]; // still on its way
    else
      out[count++] = x[k];
  }
  return count;
}

static fly_cycle cycle_of(double a, double b, double count) { return (fly_cycle){fabs(a - b), (a + b) / 2, count}; }

long fly_rainflow(const double *x, long n, fly_cycle *cycle) {
  double *point = malloc((size_t)(n > 0 ? n : 1) * sizeof *point);
  long count = 0, top = 0;
  if (!point)
    return -1;
  const long points = turning_points(x, n, point);
  for (long k = 0; k < points; k++) { // the points that are left stand at the front
    point[top++] = point[k];
    while (top >= 3 && fabs(point[top - 1] - point[top - 2]) >= fabs(point[top - 2] - point[top - 3])) {
      const double a = point[top - 3], b = point[top - 2], last = point[top - 1];
      if (top == 3) {
        cycle[count++] = cycle_of(a, b, 0.5);
        point[0] = b;
        point[1] = last;
        top = 2;
      } else {
        cycle[count++] = cycle_of(a, b, 1);
        point[top - 3] = last;
        top -= 2;
      }
    }
  }
  for (long k = 0; k + 1 < top; k++)
    cycle[count++] = cycle_of(point[k], point[k + 1], 0.5);
  free(point);
  return count;
}
