// What presses two surfaces apart, by how deep they are in each other and how fast they come together.
//
//   N = k d^e + c(d) w          d: depth [m],  w = d' [m/s];  N never below 0, so that no contact pulls
//   linear         e = 1,  c(d) = c
//   impact         c(d) = c s(d/depth),  s(u) = u^2 (3 - 2 u) up to 1: damping switched in, as commercial codes do it
//   hunt-crossley  c(d) = chi k d^e      (Hunt and Crossley, J. Appl. Mech. 42, 1975)
//   hertz          likewise, with k = 4/3 E* sqrt(R*), e = 3/2
//
// The energy is k d^(e+1)/(e+1), and the rest of N w is heat; where N is held at 0 although d > 0, so is what the
// energy loses. Of a blow between free bodies at the speed w0 with chi = alpha/w0 the rebound is exactly e* w0 where
//
//   alpha (1 + e*) = log((1 + alpha)/(1 - alpha e*))
//
// because m w dw = -k d^n (1 + chi w) dd separates (docs/theory/contact.md, T-restitution). So chi follows from a
// restitution and the speed at which the blow began, which is remembered.
#ifndef FLY_ELEMENT_PRESS_H
#define FLY_ELEMENT_PRESS_H

#include <stdbool.h>

typedef enum fly_press_law {
  FLY_PRESS_HUNT_CROSSLEY,
  FLY_PRESS_HERTZ,
  FLY_PRESS_IMPACT,
  FLY_PRESS_LINEAR
} fly_press_law;

typedef struct fly_press {
  fly_press_law law;
  double stiffness; // k [N/m^e]
  double exponent;  // e
  double damping;   // c [N s/m]; of hunt-crossley and hertz: chi [s/m]
  double depth;     // over which damping is switched in [m]
  double alpha;     // chi times the speed of the blow, of a restitution; 0: damping is given
  double slow;      // the speed of a blow counts as this at least [m/s]
} fly_press;

// Which of its two relations hold: do they touch, and does N push? 0: as it comes.
typedef struct fly_press_side {
  signed char touches, pushes;
} fly_press_side;

typedef struct fly_pressed {
  bool touches;
  double N;      // [N]
  double dd, dw; // its derivatives with respect to d and w
  double push;   // above 0: it pushes; the margin of that relation
  double energy; // [J]
  double heat;   // [W]
} fly_pressed;

// blow: speed at which the contact began [m/s].
fly_pressed fly_press_at(const fly_press *k, double d, double w, double blow, fly_press_side side);

// alpha of a restitution between 0 and 1; below 0.001 it is that of 0.001.
double fly_press_alpha(double restitution);

#endif
