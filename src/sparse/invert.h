// Inverses of blocks, by columns of whole fours of rows (clusters.h). For this room only.
#ifndef FLY_SPARSE_INVERT_H
#define FLY_SPARSE_INVERT_H

#include <math.h>
#include <stddef.h>

#include "base/quad.h"

// Row k of a column becomes `by`, the others lose the pivot's column times that.
INLINED void subtract_pivot(double *column, const quad *pivot, int k, double by, const int fours) {
  for (int i = 0; i < fours; i++)
    ((quad *)column)[i] -= pivot[i] * by;
  column[k] = by;
}

// D becomes its inverse (Gauss and Jordan), pivots on the diagonal; size: what they are made of. How often that
// exceeds them, all together; not a number: one is zero, or a value not finite.
INLINED double invert(double *D, double *size, const int w, const int fours) {
  double lost = 0;
  for (int k = 0; k < w; k++) {
    double *own = D + (ptrdiff_t)4 * fours * k, *column = D;
    const double over = 1 / own[k];
    quad pivot[3];
    lost += size[k] * fabs(over);
    for (int i = 0; i < fours; i++)
      pivot[i] = ((quad *)own)[i];
    for (int j = 0; j < k; j++, column += 4 * fours)
      subtract_pivot(column, pivot, k, column[k] * over, fours);
    for (int j = k + 1; j < w; j++) {
      column += 4 * fours;
      const double by = column[k] * over;
      size[j] += fabs(own[j] * by);
      subtract_pivot(column, pivot, k, by, fours);
    }
    for (int i = 0; i < fours; i++)
      ((quad *)own)[i] = pivot[i] * -over;
    own[k] = over;
  }
  return lost;
}

// ---------------------------------------------------------------------------------- a body held at a point
//
// Where a joint holds a point of its body, and so has three rows V r + B theta = b_p with V diagonal, shifts r and
// multipliers p follow from turns theta: r = V^-1 (b_p - B theta), p = G^-1 (b_r - A_rr r - A_rt theta), G diagonal in
// the rows of r. What is left for theta and the other multipliers t is the inertia about that point:
//
//   [ A_rr A_rt G    ]     r = E_r theta + V^-1 b_p                      E_r = -V^-1 B
//   [ A_tr A_tt C  K ]     p = E_p theta + G^-1 (b_r - A_rr V^-1 b_p)    E_p = -G^-1 (A_rt + A_rr E_r)
//   [ V    B         ]     N^-1 [theta; t] = [b_t + F_r b_r + F_p b_p; b_l], with S = A_tt + A_tr E_r + C E_p in
//   [      L       Z ]     N^-1 = [S K; L Z], F_r = -C G^-1, F_p = -(A_tr + F_r A_rr) V^-1

enum { HELD = 3, HELD_BODY = 2 * HELD, HELD_LEAST = 3 * HELD, HELD_ROWS = 12 };

// Three numbers of a column from row `first` on, and one that follows them and is not looked at.
INLINED const quad *three_of(const double *D, int column, int first) {
  return (const quad *)(D + (ptrdiff_t)HELD_ROWS * column + first);
}

// out = M x: three columns
INLINED void times_three(quad *out, const quad M[HELD], const quad *x) {
  *out = (M[0] * (*x)[0] + M[1] * (*x)[1]) + M[2] * (*x)[2];
}

// By its cofactors, so that one division is waited for instead of three.
INLINED void invert_three(quad out[HELD], const quad M[HELD]) {
  const double a = M[0][0], b = M[1][0], c = M[2][0], d = M[0][1], e = M[1][1], f = M[2][1], g = M[0][2], h = M[1][2],
               i = M[2][2];
  const double l = d * h - e * g, m = b * g - a * h, n = a * e - b * d;
  const quad x = {e * i - f * h, f * g - d * i, l, l}, y = {c * h - b * i, a * i - c * g, m, m},
             z = {b * f - c * e, c * d - a * f, n, n};
  const double over = 1 / ((a * x[0] + b * x[1]) + c * x[2]);
  out[0] = x * over;
  out[1] = y * over;
  out[2] = z * over;
}

typedef struct held_body {
  quad over_v, over_g;       // 1/V, 1/G
  quad E_r[HELD], E_p[HELD]; // their columns
  quad S[HELD], made[HELD];  // and what S is the sum of, all taken positive
  quad tt[HELD], lt[HELD];   // N: columns of turns, their rows of turns and of the other multipliers;
  quad tl[HELD], ll[HELD];   // columns of these
} held_body;

// One over the diagonal that begins there.
INLINED void take_pivots(quad *over, const double *D) {
  enum { NEXT = HELD_ROWS + 1 };
  const quad one = {1, 1, 1, 1}, diagonal = {D[0], D[NEXT], D[2 * NEXT], D[2 * NEXT]};
  *over = one / diagonal;
}

INLINED void shift_turns(held_body *h, const double *D) {
  const quad A_rr[HELD] = {*three_of(D, 0, 0), *three_of(D, 1, 0), *three_of(D, 2, 0)};
  for (int c = 0; c < HELD; c++) {
    quad sum;
    h->E_r[c] = -(h->over_v * *three_of(D, HELD + c, HELD_BODY));
    times_three(&sum, A_rr, &h->E_r[c]);
    h->E_p[c] = -(h->over_g * (*three_of(D, HELD + c, 0) + sum));
    h->S[c] = *three_of(D, HELD + c, HELD);
    h->made[c] = (quad){0};
    for (int j = 0; j < HELD; j++) {
      quad r = *three_of(D, j, HELD) * h->E_r[c][j], p = *three_of(D, HELD_BODY + j, HELD) * h->E_p[c][j];
      h->S[c] += r + p;
      take_size(&r);
      take_size(&p);
      h->made[c] += r + p;
    }
  }
}

// N from S^-1 = tt, K and L: with Q = (Z - L S^-1 K)^-1 it is [S^-1 + S^-1 K Q L S^-1, -S^-1 K Q; -Q L S^-1, Q].
INLINED void border_turns(held_body *h, double *lost, const double *D, const double *size, const int others) {
  quad L[HELD], K[HELD], Z[HELD] = {{1}, {0, 1}, {0, 0, 1}}, sum;
  for (int j = 0; j < HELD; j++)
    L[j] = *three_of(D, HELD + j, HELD_LEAST);
  for (int k = 0; k < others; k++) {
    const double *own = D + (ptrdiff_t)HELD_ROWS * (HELD_LEAST + k) + HELD_LEAST;
    times_three(&K[k], h->tt, three_of(D, HELD_LEAST + k, HELD));
    times_three(&sum, L, &K[k]);
    Z[k] = (quad){own[0], own[1], own[2], own[2]} - sum; // rows of zeros fill a column up
  }
  invert_three(h->ll, Z);
  for (int k = 0; k < others; k++) {
    double made = size[HELD_LEAST + k];
    for (int j = 0; j < HELD; j++)
      made += fabs(L[j][k] * K[k][j]);
    *lost += made * fabs(h->ll[k][k]);
    h->tl[k] = -(K[0] * h->ll[k][0]);
    for (int i = 1; i < others; i++)
      h->tl[k] -= K[i] * h->ll[k][i];
  }
  for (int j = 0; j < HELD; j++) {
    times_three(&sum, L, &h->tt[j]);
    times_three(&h->lt[j], h->ll, &sum);
    h->lt[j] = -h->lt[j];
  }
  for (int j = 0; j < HELD; j++)
    for (int k = 0; k < others; k++)
      h->tt[j] -= K[k] * h->lt[j][k];
}

// A column of the inverse, with its parts of turns and of the other multipliers; r and p: what it has besides of these.
INLINED void put_column(double *D, int column, const held_body *h, const quad *turn, const quad *other, const quad *r,
                        const quad *p) {
  quad *out = (quad *)(D + (ptrdiff_t)HELD_ROWS * column), shift, press;
  times_three(&shift, h->E_r, turn);
  times_three(&press, h->E_p, turn);
  shift += *r;
  press += *p;
  out[0] = __builtin_shufflevector(shift, *turn, 0, 1, 2, 4);
  out[1] = __builtin_shufflevector(*turn, press, 1, 2, 4, 5);
  out[2] = __builtin_shufflevector(press, *other, 2, 4, 5, 6);
}

// The columns of r and p, by F_r and F_p.
INLINED void put_sides(double *D, const held_body *h, const quad f_r[HELD], const quad f_p[HELD], const quad A[HELD]) {
  const quad none = {0};
  for (int j = 0; j < HELD; j++) {
    quad turn, other, own = {0}, press;
    times_three(&turn, h->tt, &f_r[j]);
    times_three(&other, h->lt, &f_r[j]);
    own[j] = h->over_g[j];
    put_column(D, j, h, &turn, &other, &none, &own);
    times_three(&turn, h->tt, &f_p[j]);
    times_three(&other, h->lt, &f_p[j]);
    own[j] = h->over_v[j];
    press = -(h->over_g * A[j]) * h->over_v[j];
    put_column(D, HELD_BODY + j, h, &turn, &other, &own, &press);
  }
}

// As invert, for so many multipliers beside the three.
INLINED double invert_held_with(double *D, const double *size, const int others) {
  const quad none = {0}, A[HELD] = {*three_of(D, 0, 0), *three_of(D, 1, 0), *three_of(D, 2, 0)};
  quad f_r[HELD], f_p[HELD];
  double lost = 0;
  held_body h;
  take_pivots(&h.over_v, D + HELD_BODY);
  take_pivots(&h.over_g, D + HELD_ROWS * HELD_BODY);
  for (int k = 0; k < HELD; k++)
    h.tl[k] = h.lt[k] = h.ll[k] = none;
  shift_turns(&h, D);
  for (int j = 0; j < HELD; j++)
    f_r[j] = *three_of(D, HELD_BODY + j, HELD) * -h.over_g[j];
  for (int j = 0; j < HELD; j++) {
    times_three(&f_p[j], f_r, &A[j]);
    f_p[j] = (*three_of(D, j, HELD) + f_p[j]) * -h.over_v[j];
  }
  invert_three(h.tt, h.S);
  for (int j = 0; j < HELD; j++)
    lost += (size[HELD + j] + h.made[j][j]) * fabs(h.tt[j][j]);
  if (others > 0)
    border_turns(&h, &lost, D, size, others);
  put_sides(D, &h, f_r, f_p, A);
  for (int j = 0; j < HELD; j++)
    put_column(D, HELD + j, &h, &h.tt[j], &h.lt[j], &none, &none);
  for (int k = 0; k < others; k++)
    put_column(D, HELD_LEAST + k, &h, &h.tl[k], &h.ll[k], &none, &none);
  return lost;
}

INLINED double invert_held(double *D, const double *size, int w) {
  switch (w - HELD_LEAST) {
  case 0:
    return invert_held_with(D, size, 0);
  case 1:
    return invert_held_with(D, size, 1);
  case 2:
    return invert_held_with(D, size, 2);
  default:
    return invert_held_with(D, size, 3);
  }
}

#endif
