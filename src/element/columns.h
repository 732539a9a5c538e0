// The rows of a point and of two perpendicularities of a pair (primitive.h), column by column: a matrix of columns has
// them side by side, so they are worked on side by side. Each number is made by the same operations, in the same order,
// as by primitive.c.
#ifndef FLY_ELEMENT_COLUMNS_H
#define FLY_ELEMENT_COLUMNS_H

#include "base/quad.h"
#include "element/primitive.h"

// ------------------------------------------------------------------------------------------ point

typedef struct fly_point_columns {
  quad g;            // p_j - p_i
  quad ti[3], tj[3]; // columns of dtheta_i, dtheta_j: R_i [s_i], -R_j [s_j]; those of dr_i, dr_j are -1 and 1
} fly_point_columns;

// The columns of R, in three lanes of four.
INLINED void columns_of(quad C[3], const double R[9]) {
  C[0] = (quad){R[0], R[3], R[6], 0};
  C[1] = (quad){R[1], R[4], R[7], 0};
  C[2] = (quad){R[2], R[5], R[8], 0};
}

// R s + r
INLINED void place_of(quad *out, const quad C[3], const double s[3], const double r[3]) {
  *out = ((C[0] * s[0] + C[1] * s[1]) + C[2] * s[2]) + (quad){r[0], r[1], r[2], 0};
}

INLINED void fly_point_columns_at(fly_point_columns *out, const fly_pair *p) {
  const double *si = p->mi->s, *sj = p->mj->s;
  quad C[3] = {{0}}, pi;
  columns_of(C, p->bi->R);
  place_of(&pi, C, si, p->bi->r);
  out->ti[0] = C[1] * si[2] - C[2] * si[1];
  out->ti[1] = C[2] * si[0] - C[0] * si[2];
  out->ti[2] = C[0] * si[1] - C[1] * si[0];
  columns_of(C, p->bj->R);
  place_of(&out->g, C, sj, p->bj->r);
  out->g -= pi;
  out->tj[0] = C[2] * sj[1] - C[1] * sj[2];
  out->tj[1] = C[0] * sj[2] - C[2] * sj[0];
  out->tj[2] = C[1] * sj[0] - C[0] * sj[1];
}

// gamma of a point: R_j (w_j x (w_j x s_j)) - R_i (w_i x (w_i x s_i))
INLINED void fly_point_gamma_of(double gamma[3], const fly_pair *p) {
  double i[3], j[3];
  fly_centripetal(i, p->bi, p->mi->s);
  fly_centripetal(j, p->bj, p->mj->s);
  for (int k = 0; k < 3; k++)
    gamma[k] = j[k] - i[k];
}

// ------------------------------------------------------------------------------------------ two perpendicularities

// Axes of both, in body axes.
typedef struct fly_two_axes {
  duo a[3], b[3];
} fly_two_axes;

typedef struct fly_two_dots {
  duo g;
  duo ti[3], tj[3]; // columns of dtheta_i, dtheta_j: a0 x R_i^T b, b0 x R_j^T a; the others are 0
} fly_two_dots;

INLINED void two_axes(fly_two_axes *out, const fly_pair *p, const fly_primitive *k, const fly_primitive *l) {
  for (int c = 0; c < 3; c++) {
    out->a[c] = (duo){p->mi->A[3 * c + k->axis_i], p->mi->A[3 * c + l->axis_i]};
    out->b[c] = (duo){p->mj->A[3 * c + k->axis_j], p->mj->A[3 * c + l->axis_j]};
  }
}

INLINED void two_to_space(duo out[3], const double R[9], const duo u[3]) {
  for (int c = 0; c < 3; c++)
    out[c] = (R[3 * c] * u[0] + R[3 * c + 1] * u[1]) + R[3 * c + 2] * u[2];
}

INLINED void two_to_body(duo out[3], const double R[9], const duo u[3]) {
  for (int c = 0; c < 3; c++)
    out[c] = (R[c] * u[0] + R[3 + c] * u[1]) + R[6 + c] * u[2];
}

INLINED void two_crosses(duo out[3], const duo a[3], const duo b[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

INLINED void two_products(duo *out, const duo a[3], const duo b[3]) {
  *out = (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

INLINED void fly_two_dots_at(fly_two_dots *out, const fly_pair *p, const fly_primitive *k, const fly_primitive *l) {
  fly_two_axes axes;
  duo a[3], b[3], c[3];
  two_axes(&axes, p, k, l);
  two_to_space(a, p->bi->R, axes.a);
  two_to_space(b, p->bj->R, axes.b);
  two_products(&out->g, a, b);
  out->g -= (duo){k->c, l->c};
  two_to_body(c, p->bi->R, b);
  two_crosses(out->ti, axes.a, c);
  two_to_body(c, p->bj->R, a);
  two_crosses(out->tj, axes.b, c);
}

// w x u of both with one w
INLINED void two_turned(duo out[3], const double w[3], const duo u[3]) {
  out[0] = w[1] * u[2] - w[2] * u[1];
  out[1] = w[2] * u[0] - w[0] * u[2];
  out[2] = w[0] * u[1] - w[1] * u[0];
}

// As dot_gamma of primitive.c.
INLINED void fly_two_dots_gamma(duo *gamma, const fly_pair *p, const fly_primitive *k, const fly_primitive *l) {
  fly_two_axes axes;
  duo a[3], b[3], da[3], db[3], ib[3], ja[3], both, i, j;
  double Wi[3], Wj[3];
  two_axes(&axes, p, k, l);
  two_to_space(a, p->bi->R, axes.a);
  two_to_space(b, p->bj->R, axes.b);
  fly_to_space(Wi, p->bi->R, p->bi->w);
  fly_to_space(Wj, p->bj->R, p->bj->w);
  two_turned(da, Wi, a);
  two_turned(db, Wj, b);
  two_turned(ib, Wi, b);
  two_turned(ja, Wj, a);
  two_products(&both, da, db);
  two_products(&i, da, ib);
  two_products(&j, db, ja);
  *gamma = (2 * both - i) - j;
}

#endif
