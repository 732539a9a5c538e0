// Contact of two bodies: their solids press on each other (press.h) at spots, and rub.
//
// In axes of the first body, with p, R the place of the second in it and x = (p, phi) their relative move:
//
//   x' = (p', w)   p' = R_i^T (v_j - v_i) + p x w_i,   w = R w_j - w_i
//   u  = p' + w x (c - p)        velocity of the second at the spot c against the first
//   d = -gap,  d' = -n . u       depth and its rate
//   s  = (1 - n n^T)(u - b)      slip; b: how fast the surface itself runs, as that of a conveyor
//   f  = N n - N b(s, z)         force on the second; it rubs by b (rub.h), z: springs along the surface, if it sticks
//   Q_x = (f, (c - p) x f + N m(w, n)),   m: what resists rolling and spinning (roll.h)
//   Q = X^T Q_x,  X = dx/dq (6 x 12)
//
// so that Q . v = f . u + N m . w: action equals reaction at one point. What f . b is comes from outside. The gap's own
// derivative is n . (dp + dphi x (c - p)), whatever the shapes; n and c bring theirs along (geometry/solid.h).
#ifndef FLY_ELEMENT_CONTACT_H
#define FLY_ELEMENT_CONTACT_H

#include "element/force.h"
#include "element/press.h"
#include "element/roll.h"
#include "element/rub.h"
#include "geometry/solid.h"

// Two solids, one of each body.
typedef struct fly_contact_pair {
  fly_solid a, b;
  double stiffness; // k of this pair [N/m^e]
  double back;      // by which its surfaces are taken back, so that what overlaps at the start only touches [m]
  int first, spots; // its own among those of the contact
  int shape[2];     // which of each body they are, for messages
} fly_contact_pair;

typedef struct fly_contact {
  fly_press press;
  fly_rub rub;
  fly_roll roll;
  double belt[3]; // velocity of the surface [m/s], in axes of
  int whose;      // the first (0) or second (1) body, whose it is
  bool all;       // its pairs are near always, whoever looks for those that are
  int npair, nspot;
  fly_contact_pair *pair; // (npair)
} fly_contact;

#define FLY_CONTACT_FADES 1e-3 // [s]: how fast springs of a spot that touches nothing do

extern const fly_force_type fly_contact_force;

// contact_bounds.c
bool fly_contact_bounds(fly_force_bound out[2], int pair, const void *contact);
double fly_contact_operations(const void *contact);
fly_force_bound fly_contact_bound(const fly_solid *s, int which); // of one solid
// Hertz: k = 4/3 E* sqrt(R*), 1/R* = 1/R_1 + 1/R_2 where they are round, soft = 1/E*; infinite: neither is (Johnson,
// Contact Mechanics, 1985, 4.2).
double fly_contact_hertz(const fly_solid *a, const fly_solid *b, double soft);

#endif
