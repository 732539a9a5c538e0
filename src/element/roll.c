#include "element/roll.h"

#include <math.h>

#include "math/so3.h"

void fly_roll_at(double m[3], const fly_roll *k, const double w[3], const double n[3]) {
  const double wn = fly_dot3(n, w);
  double t[3];
  for (int c = 0; c < 3; c++)
    t[c] = w[c] - wn * n[c];
  const double q = sqrt(k->slow * k->slow + fly_dot3(t, t)), p = sqrt(k->slow * k->slow + wn * wn);
  for (int c = 0; c < 3; c++)
    m[c] = -k->rolling * t[c] / q - k->spinning * wn / p * n[c];
}

// dt = dw - dwn n - wn dn,  d(t/q) = dt/q - t (t . dt)/q^3,  d(wn/p) = w0^2/p^3 dwn
void fly_roll_change(double dm[3], const fly_roll *k, const double w[3], const double n[3], const double dw[3],
                     const double dn[3]) {
  const double wn = fly_dot3(n, w), dwn = fly_dot3(dn, w) + fly_dot3(n, dw), slow = k->slow * k->slow;
  double t[3], dt[3];
  for (int c = 0; c < 3; c++) {
    t[c] = w[c] - wn * n[c];
    dt[c] = dw[c] - dwn * n[c] - wn * dn[c];
  }
  const double q = sqrt(slow + fly_dot3(t, t)), p = sqrt(slow + wn * wn), along = fly_dot3(t, dt) / (q * q);
  for (int c = 0; c < 3; c++)
    dm[c] = -k->rolling * (dt[c] - t[c] * along) / q - k->spinning * (slow / (p * p) * dwn * n[c] + wn * dn[c]) / p;
}
