// Friction along a surface, over the force that presses: T = -N b(s, z) for a slip s, with a state z where it sticks.
//
//   regularized    b = curve tanh(|s|/transition) s/|s|
//   lugre          b = stiffness z + fading(|s|) z',  z' = s - bends(r) stiffness |s| z/curve
//   with           curve = mu + (mu_static - mu) exp(-s^2/speed^2),  r = stiffness |z|/curve
//
// z is a spring along the surface, in axes of the first body [m]. With `elastic` = 1 it is the law of the joints, bends
// = 1 (Canudas de Wit et al. 1995), which creeps under a load that shakes. The contact's own law `stick` lets it bend
// back only beyond a share of break-away, bends = s((r - elastic)/(1 - elastic)) (Dupont et al. 2002): below that it
// holds what it holds. The damping of the spring fades with the slip, so that T is never above mu N by more than a
// tenth.
#ifndef FLY_ELEMENT_RUB_H
#define FLY_ELEMENT_RUB_H

#include <stdbool.h>

typedef enum fly_rub_law { FLY_RUB_NOT, FLY_RUB_REGULARIZED, FLY_RUB_LUGRE, FLY_RUB_STICK } fly_rub_law;

typedef struct fly_rub {
  fly_rub_law law;
  double mu, mu_static;
  double speed;      // of Stribeck's curve [m/s]
  double transition; // of regularized [m/s]
  double stiffness;  // over the normal force [1/m]
  double damping;    // likewise, at rest [s/m]
} fly_rub;

static inline bool fly_rub_has_state(const fly_rub *k) { return k->law == FLY_RUB_LUGRE || k->law == FLY_RUB_STICK; }

// b, z' and their derivatives with respect to s and z (3 x 3, row by row).
typedef struct fly_rubbed {
  double b[3], b_s[9], b_z[9];
  double rate[3], rate_s[9], rate_z[9];
} fly_rubbed;

void fly_rub_at(fly_rubbed *out, const fly_rub *k, const double s[3], const double z[3]);

#endif
