// What resists rolling and spinning where a body presses on another: a moment on the second, over the normal force,
//
//   m = -a t/sqrt(w0^2 + |t|^2) - b wn/sqrt(w0^2 + wn^2) n        wn = n . w,  t = w - wn n
//
// of their relative angular velocity w. a and b are lengths [m]: by a the force stands ahead of the spot of a body that
// rolls (Coulomb 1785), and b is the arm of what rubs around a spot that spins. Below w0 [rad/s] it fades, so that what
// should rest creeps: it has no state.
#ifndef FLY_ELEMENT_ROLL_H
#define FLY_ELEMENT_ROLL_H

typedef struct fly_roll {
  double rolling, spinning; // a, b [m]
  double slow;              // w0 [rad/s]
} fly_roll;

void fly_roll_at(double m[3], const fly_roll *k, const double w[3], const double n[3]);
// dm where w and n change by dw and dn.
void fly_roll_change(double dm[3], const fly_roll *k, const double w[3], const double n[3], const double dw[3],
                     const double dn[3]);

#endif
