// How far apart two states are, in the norm of the error.
#include <math.h>

#include "flyball/promise.h"
#include "math/so3.h"

// fmax that keeps NaN.
static double larger(double largest, double value) { return value <= largest || isnan(largest) ? largest : value; }

static double turn_distance(const double a[4], const double b[4], const double *scale) {
  const double back[4] = {b[0], -b[1], -b[2], -b[3]};
  double between[4], turn[3], largest = 0;
  fly_quat_multiply(between, back, a);
  fly_quat_log(turn, between);
  for (int k = 0; k < 3; k++)
    largest = larger(largest, fabs(turn[k]) / (scale ? scale[k] : 1.0));
  return largest;
}

double fly_dae_distance(const fly_dae_problem *p, const fly_dae_state *a, const fly_dae_state *b) {
  double largest = 0;
  if (!p || !a || !b || (p->nq > 0 && (!a->q || !b->q)) || (p->nx > 0 && (!a->x || !b->x)))
    return NAN;
  int rotation = 0;
  for (int iq = 0, iv = 0; iv < p->nv;) {
    const bool turns = rotation < p->nrotation && p->rotation_v[rotation] == iv;
    const double *scale = p->scale_v ? p->scale_v + iv : NULL;
    largest = larger(largest, turns ? turn_distance(a->q + iq, b->q + iq, scale)
                                    : fabs(a->q[iq] - b->q[iq]) / (scale ? *scale : 1.0));
    iq += turns ? 4 : 1;
    iv += turns ? 3 : 1;
    rotation += turns;
  }
  for (int i = 0; i < p->nx; i++)
    largest = larger(largest, fabs(a->x[i] - b->x[i]) / (p->scale_x ? p->scale_x[i] : 1.0));
  return largest;
}
