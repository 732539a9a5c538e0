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

// Columns of d(G v)/dq of one body of a point, factor w^T [s] [c] with the rows of R as c (point_velocity): [s] [c] has
// s_j c_i beside its diagonal.
INLINED void point_velocity_columns(quad out[3], const double R[9], const double s[3], const double w[3],
                                    const double factor) {
  quad C[3] = {{0}};
  columns_of(C, R);
  const quad xx = s[0] * C[0], yy = s[1] * C[1], zz = s[2] * C[2];
  const quad B[3][3] = {
      {-zz - yy, s[1] * C[0], s[2] * C[0]}, {s[0] * C[1], -zz - xx, s[2] * C[1]}, {s[0] * C[2], s[1] * C[2], -yy - xx}};
  for (int j = 0; j < 3; j++)
    out[j] = (w[0] * (factor * B[0][j]) + w[1] * (factor * B[1][j])) + w[2] * (factor * B[2][j]);
}

INLINED void fly_point_velocity_columns(fly_point_columns *out, const fly_pair *p) {
  point_velocity_columns(out->ti, p->bi->R, p->mi->s, p->bi->w, -1.0);
  point_velocity_columns(out->tj, p->bj->R, p->mj->s, p->bj->w, 1.0);
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

// The curvature's blocks without their multipliers (dot_curvature of primitive.c), row by row.
typedef struct fly_two_blocks {
  duo i[9], j[9]; // [a0] [R_i^T b], [b0] [R_j^T a]
  duo both[9];    // [a0] N [b0], N = R_i^T R_j
} fly_two_blocks;

INLINED void two_skews(duo out[9], const duo a[3], const duo b[3]) {
  const duo xx = a[0] * b[0], yy = a[1] * b[1], zz = a[2] * b[2];
  out[0] = -zz - yy;
  out[1] = a[1] * b[0];
  out[2] = a[2] * b[0];
  out[3] = a[0] * b[1];
  out[4] = -zz - xx;
  out[5] = a[2] * b[1];
  out[6] = a[0] * b[2];
  out[7] = a[1] * b[2];
  out[8] = -yy - xx;
}

// [a] N [b]
INLINED void two_turned_skews(duo out[9], const duo a[3], const double N[9], const duo b[3]) {
  duo B[9];
  for (int i = 0; i < 3; i++) {
    B[3 * i] = N[3 * i + 1] * b[2] - N[3 * i + 2] * b[1];
    B[3 * i + 1] = N[3 * i + 2] * b[0] - N[3 * i] * b[2];
    B[3 * i + 2] = N[3 * i] * b[1] - N[3 * i + 1] * b[0];
  }
  for (int j = 0; j < 3; j++) {
    out[j] = a[1] * B[6 + j] - a[2] * B[3 + j];
    out[3 + j] = a[2] * B[j] - a[0] * B[6 + j];
    out[6 + j] = a[0] * B[3 + j] - a[1] * B[j];
  }
}

INLINED void fly_two_blocks_at(fly_two_blocks *out, const fly_pair *p, const fly_primitive *k, const fly_primitive *l) {
  fly_two_axes axes;
  duo a[3], b[3], c[3];
  double N[9];
  two_axes(&axes, p, k, l);
  two_to_space(a, p->bi->R, axes.a);
  two_to_space(b, p->bj->R, axes.b);
  two_to_body(c, p->bi->R, b);
  two_skews(out->i, axes.a, c);
  two_to_body(c, p->bj->R, a);
  two_skews(out->j, axes.b, c);
  fly_multiply3_transposed(N, p->bi->R, p->bj->R);
  two_turned_skews(out->both, axes.a, N, axes.b);
}

// Columns of d(G v)/dq: as dot_velocity of primitive.c.
INLINED void fly_two_velocities(fly_two_dots *out, const fly_pair *p, const fly_primitive *k, const fly_primitive *l) {
  const double *wi = p->bi->w, *wj = p->bj->w;
  fly_two_blocks B;
  fly_two_blocks_at(&B, p, k, l);
  for (int j = 0; j < 3; j++) {
    out->ti[j] = (wi[0] * B.i[j] + wi[1] * B.i[3 + j]) + wi[2] * B.i[6 + j];
    out->tj[j] = (wi[0] * -B.both[j] + wi[1] * -B.both[3 + j]) + wi[2] * -B.both[6 + j];
    for (int i = 0; i < 3; i++) {
      out->ti[j] -= wj[i] * B.both[3 * j + i];
      out->tj[j] += wj[i] * B.j[3 * i + j];
    }
  }
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
