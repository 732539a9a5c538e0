#include "geometry/side.h"

#include <math.h>
#include <string.h>

static void turn(double out[3], const double R[9], const double u[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = fly_dot3(R + 3 * i, u);
}

// ------------------------------------------------------------------------------------------ vectors of a body

// Of the second d u = dphi x u.
void fly_carry_along(fly_vector7 out, const fly_side *w, const double u[3]) {
  memset(out, 0, sizeof(fly_vector7));
  memcpy(out[0], u, 3 * sizeof *u);
  for (int k = 0; w->R && k < 3; k++)
    fly_cross(out[4 + k], (double[3]){k == 0, k == 1, k == 2}, out[0]);
}

// Of the second it turns about p, and shifts.
void fly_carry_here(fly_vector7 out, const fly_side *w, const double x[3]) {
  double arm[3] = {x[0], x[1], x[2]};
  for (int k = 0; w->R && k < 3; k++)
    arm[k] -= w->p[k];
  fly_carry_along(out, w, arm);
  memcpy(out[0], x, 3 * sizeof *x);
  for (int k = 0; w->R && k < 3; k++)
    out[1 + k][k] += 1;
}

void fly_carry_direction(fly_vector7 out, const fly_side *w, const double u[3]) {
  double now[3] = {u[0], u[1], u[2]};
  if (w->R)
    turn(now, w->R, u);
  fly_carry_along(out, w, now);
}

void fly_carry_point(fly_vector7 out, const fly_side *w, const double x[3]) {
  fly_carry_direction(out, w, x);
  for (int k = 0; w->R && k < 3; k++) {
    out[0][k] += w->p[k];
    out[1 + k][k] += 1;
  }
}

void fly_carry_axis(fly_vector7 out, const fly_side *w, int k) {
  fly_carry_direction(out, w, (double[3]){w->s->A[k], w->s->A[3 + k], w->s->A[6 + k]});
}

void fly_carry_own(fly_vector7 out, const fly_side *w, const double own[3]) {
  double x[3];
  turn(x, w->s->A, own);
  for (int k = 0; k < 3; k++)
    x[k] += w->s->at[k];
  fly_carry_point(out, w, x);
}

void fly_vector7_negate(fly_vector7 u) {
  for (int k = 0; k < FLY_CARRIED; k++)
    for (int c = 0; c < 3; c++)
      u[k][c] = -u[k][c];
}

// ------------------------------------------------------------------------------------------ the end of all of them

void fly_touch_between(fly_touch *out, double ra, double rb, fly_vector7 xa, fly_vector7 xb, fly_vector7 n) {
  double d[3];
  for (int c = 0; c < 3; c++)
    d[c] = xb[0][c] - xa[0][c];
  out->absent = false;
  out->gap = fly_dot3(n[0], d) - ra - rb;
  for (int c = 0; c < 3; c++) {
    out->n[c] = n[0][c];
    out->c[c] = (xa[0][c] + xb[0][c] + (ra - rb) * n[0][c]) / 2;
    for (int k = 0; k < FLY_MOVES; k++) {
      out->dn[FLY_MOVES * c + k] = n[1 + k][c];
      out->dc[FLY_MOVES * c + k] = (xa[1 + k][c] + xb[1 + k][c] + (ra - rb) * n[1 + k][c]) / 2;
    }
  }
}

void fly_touch_leave(fly_touch *out, const fly_touch *nearest, double farther) {
  *out = *nearest;
  out->absent = true;
  out->gap = fmax(nearest->gap, 0) + farther;
}

void fly_touch_insert(fly_touch *out, int *count, int most, const fly_touch *one) {
  if (*count == most && out[most - 1].gap <= one->gap)
    return;
  int at = *count < most ? (*count)++ : most - 1;
  for (; at > 0 && out[at - 1].gap > one->gap; at--)
    out[at] = out[at - 1];
  out[at] = *one;
}

// ------------------------------------------------------------------------------------------ lines

// With r = o_a - o_b, b = d_a . d_b, c = d_a . r, f = d_b . r: u = (b f - c)/(1 - b^2) and w = b u + f.
void fly_lines_meet(fly_vector7 xa, fly_vector7 xb, fly_vector7 oa, fly_vector7 ob, fly_vector7 da, fly_vector7 db) {
  fly_vector7 r;
  fly_number7 b, c, f, det, u, w;
  fly_vector7_sum(r, oa, -1.0, ob);
  fly_vector7_dot(b, da, db);
  fly_vector7_dot(c, da, r);
  fly_vector7_dot(f, db, r);
  fly_number7_product(det, b, b);
  fly_number7_product(u, b, f);
  for (int k = 0; k < FLY_CARRIED; k++) {
    det[k] = (k == 0) - det[k];
    u[k] -= c[k];
  }
  fly_number7_quotient(u, u, det);
  fly_number7_product(w, b, u);
  for (int k = 0; k < FLY_CARRIED; k++)
    w[k] += f[k];
  memcpy(xa, oa, sizeof(fly_vector7));
  fly_vector7_add(xa, u, da);
  memcpy(xb, ob, sizeof(fly_vector7));
  fly_vector7_add(xb, w, db);
}

// ------------------------------------------------------------------------------------------ rims

static const double UPRIGHT = 1e-9;   // [rad]: no direction is steepest
static const double STEADY = 1.0 / 8; // of the depth: how much higher one side of a rim that stands may be

// The direction in which a rim rises most steeply, e = (n - (n . z) z)/|..|. Of one that stands flat and presses all
// around it is one that is fixed to the body, which does not run around the rim: true.
static bool rising(fly_vector7 e, const fly_side *round, fly_vector7 n, fly_vector7 middle, const double o[3]) {
  fly_vector7 z, across;
  const double way[3] = {middle[0][0] - o[0], middle[0][1] - o[1], middle[0][2] - o[2]};
  const double depth = -fly_dot3(n[0], way);
  fly_carry_axis(z, round, 2);
  fly_vector7_cross(across, n, z);
  fly_vector7_cross(e, z, across); // as n - (n . z) z, which would cancel
  const double lean = sqrt(fly_dot3(e[0], e[0]));
  if (lean > fmax(UPRIGHT, STEADY * depth / round->s->half[0])) {
    fly_vector7_unit(e, e);
    return false;
  }
  fly_carry_axis(e, round, 0);
  return true;
}

void fly_rim_point(fly_vector7 x, const fly_side *round, fly_vector7 n, const double o[3], double z, int spot) {
  fly_vector7 e, axis, beside;
  const fly_number7 reach = {(spot & 1 ? 1 : -1) * round->s->half[0]};
  fly_carry_own(x, round, (double[3]){0, 0, z});
  const bool stands = rising(e, round, n, x, o);
  if (spot < 2) {
    fly_vector7_add(x, reach, e);
  } else if (stands) {
    fly_carry_axis(axis, round, 2);
    fly_vector7_cross(beside, axis, e);
    fly_vector7_add(x, reach, beside);
  }
}
