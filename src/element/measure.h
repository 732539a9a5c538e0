// Measures: what expressions can ask about markers. Each is a number with its exact derivatives in the 18 columns of a
// triple: a against b, along the axes of c. Markers left out are ground.
//
// The names and signs are those of commercial codes. All rates are taken in space: vx is the difference of the two
// points' velocities in space, seen along the axes of c, not the rate of dx if c turns; likewise for wx, accx, wdtx.
// What is undefined has a documented value and zero derivatives, never NaN: magnitudes at zero, vr where the points
// meet, Euler angles in gimbal lock (the third angle is 0 there, and the first takes it all).
#ifndef FLY_ELEMENT_MEASURE_H
#define FLY_ELEMENT_MEASURE_H

#include <stdbool.h>

#include "element/frame.h"

typedef enum fly_measure_kind {
  FLY_MEASURE_DX,
  FLY_MEASURE_DY,
  FLY_MEASURE_DZ,
  FLY_MEASURE_DM,
  FLY_MEASURE_AX,
  FLY_MEASURE_AY,
  FLY_MEASURE_AZ,
  FLY_MEASURE_PSI,
  FLY_MEASURE_THETA,
  FLY_MEASURE_PHI,
  FLY_MEASURE_YAW,
  FLY_MEASURE_PITCH,
  FLY_MEASURE_ROLL,
  FLY_MEASURE_VX,
  FLY_MEASURE_VY,
  FLY_MEASURE_VZ,
  FLY_MEASURE_VM,
  FLY_MEASURE_VR,
  FLY_MEASURE_WX,
  FLY_MEASURE_WY,
  FLY_MEASURE_WZ,
  FLY_MEASURE_WM,
  FLY_MEASURE_ACCX,
  FLY_MEASURE_ACCY,
  FLY_MEASURE_ACCZ,
  FLY_MEASURE_ACCM,
  FLY_MEASURE_WDTX,
  FLY_MEASURE_WDTY,
  FLY_MEASURE_WDTZ,
  FLY_MEASURE_WDTM,
  FLY_MEASURE_KINDS
} fly_measure_kind;

typedef enum fly_measure_level { FLY_OF_POSITION, FLY_OF_VELOCITY, FLY_OF_ACCELERATION } fly_measure_level;

typedef struct fly_measure_type {
  const char *name;
  int markers;             // at most; the first is required
  fly_measure_level level; // the highest derivative it touches
  const char *unit;
  bool turns; // an angle in (-pi, pi]: the caller counts its turns
  const char *text;
  const struct fly_measure_family *family; // private: how it is computed,
  int vector, which;                       // private: of which vector or angle
} fly_measure_type;

extern const fly_measure_type fly_measure_types[FLY_MEASURE_KINDS];

int fly_measure_find(const char *name);          // a fly_measure_kind, or -1
bool fly_measure_is_size(fly_measure_kind kind); // of a vector: it has a corner at 0

// a: accelerations (18) of the three bodies, r'' in space and w' in body axes; read by measures of accelerations only,
// else it may be NULL.
double fly_measure_value(fly_measure_kind kind, const fly_triple *p, const double *a);
// Derivatives (18 each) with respect to q, v and v', all overwritten; dv and da may be NULL where they are zero: above
// the level of the measure.
void fly_measure_gradient(double *dq, double *dv, double *da, fly_measure_kind kind, const fly_triple *p,
                          const double *a);

#endif
