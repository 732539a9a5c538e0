// Two features of cores where their distance is stationary, and what a move of the second body does to it.
#ifndef FLY_GEOMETRY_MEET_H
#define FLY_GEOMETRY_MEET_H

#include "geometry/carried.h"
#include "geometry/distance.h"

// Points of the cores and the normal from a to b, with their derivatives with respect to a move of the second body.
typedef struct fly_meeting {
  fly_vector7 xa, xb, n;
  double g;
  bool exact; // the features were found whose distance this is
} fly_meeting;

// p: origin of the second body, about which it turns.
void fly_meeting_find(fly_meeting *out, const fly_posed *a, const fly_posed *b, const double p[3]);

#endif
