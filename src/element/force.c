// What forces share.
#include "element/force.h"

#include <math.h>

double fly_seen_distance(const fly_seen *a, const fly_seen *b) {
  double p[3], q[3];
  fly_marker_point(p, a->body, a->marker);
  fly_marker_point(q, b->body, b->marker);
  return sqrt(pow(q[0] - p[0], 2) + pow(q[1] - p[1], 2) + pow(q[2] - p[2], 2));
}
