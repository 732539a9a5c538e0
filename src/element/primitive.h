// Primitive constraints between two markers. A joint is a list of them (joint tables live in the model).
//
//   POINT     p_j - p_i = 0, in space axes                        3 rows
//   DOT       a_i . b_j - c = 0                                    perpendicular: c = 0
//   PLANE     a_i . (p_j - p_i) - c = 0                            a displacement along an axis of i
//   DISTANCE  (|p_j - p_i|^2 - c^2) / (2 c) = 0
//   WHEEL     a_i . (p_j - p_i) - c sqrt(1 - (a_i . b_j)^2) = 0    a disc of radius c about b_j touches the plane of i
//   ANGLE     turn of j about axis a_i, minus c                    axes a parallel; turns are counted by the caller
//
// with a_i, b_j axes of the markers. Each gives its value g, Jacobian G in the 12 columns of the pair, gamma with
// g'' = G v' + gamma, and the derivative of G^T lambda; d(G v)/dq follows from the last. Theory:
// docs/theory/elements.md.
#ifndef FLY_ELEMENT_PRIMITIVE_H
#define FLY_ELEMENT_PRIMITIVE_H

#include "element/frame.h"

typedef enum fly_primitive_kind {
  FLY_POINT,
  FLY_DOT,
  FLY_PLANE,
  FLY_DISTANCE,
  FLY_ANGLE,
  FLY_WHEEL,
  FLY_PRIMITIVES
} fly_primitive_kind;

// Which axes (0 x, 1 y, 2 z) of the markers, and the constant.
typedef struct fly_primitive {
  int axis_i, axis_j;
  double c;
} fly_primitive;

typedef struct fly_primitive_type {
  const char *name;
  int rows;
  // What can be other than zero, so that a matrix has room for nothing else. Bit c of columns[r]: column c of row r of
  // the Jacobian (and of d(G v)/dq). Bit 4 a + b of blocks: block (a, b) of the curvature, 3 x 3, of the four groups
  // dr_i, dtheta_i, dr_j, dtheta_j.
  unsigned columns[3], blocks;
  void (*value)(double *g, const fly_pair *p, const fly_primitive *k);
  void (*jacobian)(double *G, const fly_pair *p, const fly_primitive *k);  // rows x 12, row by row
  void (*gamma)(double *gamma, const fly_pair *p, const fly_primitive *k); // rows
  // H += d(G^T lambda)/dq, 12 x 12, row by row
  void (*curvature)(double *H, const double *lambda, const fly_pair *p, const fly_primitive *k);
  // Value and jacobian at once, of that only what can be other than zero (columns); NULL: that saves nothing.
  void (*both)(double *g, double *G, const fly_pair *p, const fly_primitive *k);
  // d(G v)/dq, rows x 12, to the same bits as from the curvature; NULL: from that
  void (*velocity)(double *Z, const fly_pair *p, const fly_primitive *k);
} fly_primitive_type;

extern const fly_primitive_type fly_primitive_types[FLY_PRIMITIVES];

// The angle of FLY_ANGLE, between -pi and pi, and its rate.
void fly_angle_and_rate(double *angle, double *rate, const fly_pair *p, const fly_primitive *k);
// G v of a primitive of one row.
double fly_primitive_rate(fly_primitive_kind kind, const fly_pair *p, const fly_primitive *k);

// Z = d(G v)/dq (rows x 12) from the curvature of each row.
void fly_primitive_velocity(double *Z, fly_primitive_kind kind, const fly_pair *p, const fly_primitive *k);

#endif
