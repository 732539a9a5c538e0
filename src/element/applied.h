// A force and a torque given by components, acting between three markers:
//
//   f = (F, T)   six components along the axes of marker c
//   Q = P f      F and T act at the point of a; their opposites act on the body of b
//
// The reaction F is put on the point of body b that coincides with the point of a at this instant (the floating marker
// of commercial codes), so action and reaction have one line of action and the bodies' total momentum does not feel
// them: of marker b only the body matters. Without b nothing takes the reaction. Theory: docs/theory/elements.md.
#ifndef FLY_ELEMENT_APPLIED_H
#define FLY_ELEMENT_APPLIED_H

#include "element/frame.h"

void fly_applied_matrix(double *P, const fly_triple *p); // 18 x 6, row by row; rows of c are zero
// H += d(P f)/dq at fixed f, 18 x 18, row by row
void fly_applied_curvature(double *H, const double *f, const fly_triple *p);

#endif
