// Primitive constraints: values, Jacobians, gammas and curvatures.
#include "element/primitive.h"

#include <math.h>
#include <string.h>

#include "element/block.h"
#include "math/so3.h"

// Columns of a pair.
enum { RI = 0, TI = 3, RJ = 6, TJ = 9 };

static void set_row(double *G, int column, const double u[3], double factor) {
  for (int k = 0; k < 3; k++)
    G[column + k] = factor * u[k];
}

static void add_row(double *G, int column, const double u[3], double factor) {
  for (int k = 0; k < 3; k++)
    G[column + k] += factor * u[k];
}

// [a] R_i^T R_j [b]
static void skew_turn_skew(double out[9], const double a[3], const double Ri[9], const double Rj[9],
                           const double b[3]) {
  double Q[9], QS[9];
  fly_multiply3_transposed(Q, Ri, Rj);
  fly_times_skew(QS, Q, b);
  fly_skew_times(out, a, QS);
}

static void subtract(double d[3], const double a[3], const double b[3]) {
  for (int k = 0; k < 3; k++)
    d[k] = a[k] - b[k];
}

static void difference(double d[3], const fly_pair *p) {
  double pi[3], pj[3];
  fly_marker_point(pi, p->bi, p->mi);
  fly_marker_point(pj, p->bj, p->mj);
  subtract(d, pj, pi);
}

static void difference_velocity(double d[3], const fly_pair *p) {
  double vi[3], vj[3];
  fly_point_velocity(vi, p->bi, p->mi);
  fly_point_velocity(vj, p->bj, p->mj);
  subtract(d, vj, vi);
}

// Second derivative of p_j - p_i at zero accelerations.
static void difference_centripetal(double d[3], const fly_pair *p) {
  double ai[3], aj[3];
  fly_centripetal(ai, p->bi, p->mi->s);
  fly_centripetal(aj, p->bj, p->mj->s);
  subtract(d, aj, ai);
}

// ------------------------------------------------------------------------------------------ point

static void point_value(double *g, const fly_pair *p, const fly_primitive *k) {
  (void)k;
  difference(g, p);
}

static inline void point_rows(double *G, const fly_pair *p) {
  for (int i = 0; i < 3; i++) {
    double *row = G + FLY_PAIR * i;
    row[RI + i] = -1;
    row[RJ + i] = 1;
    fly_cross(row + TI, p->bi->R + 3 * i, p->mi->s); // row i of R [s] is R_i x s
    fly_cross(row + TJ, p->mj->s, p->bj->R + 3 * i);
  }
}

static void point_jacobian(double *G, const fly_pair *p, const fly_primitive *k) {
  (void)k;
  memset(G, 0, 3 * FLY_PAIR * sizeof *G);
  point_rows(G, p);
}

static void point_both(double *g, double *G, const fly_pair *p, const fly_primitive *k) {
  (void)k;
  difference(g, p);
  point_rows(G, p);
}

static void point_gamma(double *gamma, const fly_pair *p, const fly_primitive *k) {
  (void)k;
  difference_centripetal(gamma, p);
}

// G = (-1, R_i [s_i], 1, -R_j [s_j]), so G^T lambda turns with the bodies: d(s x R^T lambda)/dtheta = [s] [R^T lambda]
static void point_curvature(double *H, const double *lambda, const fly_pair *p, const fly_primitive *k) {
  (void)k;
  double c[3], B[9];
  fly_to_body(c, p->bi->R, lambda);
  fly_skew_skew(B, p->mi->s, c);
  fly_add_block(H, FLY_PAIR, TI, TI, B, -1.0);
  fly_to_body(c, p->bj->R, lambda);
  fly_skew_skew(B, p->mj->s, c);
  fly_add_block(H, FLY_PAIR, TJ, TJ, B, 1.0);
}

// z = factor w^T B
static void times_block(double z[3], const double w[3], const double B[9], double factor) {
  for (int j = 0; j < 3; j++)
    z[j] = (w[0] * (factor * B[j]) + w[1] * (factor * B[3 + j])) + w[2] * (factor * B[6 + j]);
}

// From the curvature of each row, where R^T lambda is a row of R.
static void point_velocity(double *Z, const fly_pair *p, const fly_primitive *k) {
  (void)k;
  memset(Z, 0, 3 * FLY_PAIR * sizeof *Z);
  for (int row = 0; row < 3; row++, Z += FLY_PAIR) {
    double B[9];
    fly_skew_skew(B, p->mi->s, p->bi->R + 3 * row);
    times_block(Z + TI, p->bi->w, B, -1.0);
    fly_skew_skew(B, p->mj->s, p->bj->R + 3 * row);
    times_block(Z + TJ, p->bj->w, B, 1.0);
  }
}

// ------------------------------------------------------------------------------------------ dot

static void dot_value(double *g, const fly_pair *p, const fly_primitive *k) {
  double a[3], b[3];
  fly_axis_space(a, p->bi, p->mi, k->axis_i);
  fly_axis_space(b, p->bj, p->mj, k->axis_j);
  *g = fly_dot3(a, b) - k->c;
}

static void dot_both(double *g, double *G, const fly_pair *p, const fly_primitive *k) {
  double a0[3], b0[3], a[3], b[3], c[3];
  fly_axis(a0, p->mi, k->axis_i);
  fly_axis(b0, p->mj, k->axis_j);
  fly_to_space(a, p->bi->R, a0);
  fly_to_space(b, p->bj->R, b0);
  *g = fly_dot3(a, b) - k->c;
  fly_to_body(c, p->bi->R, b);
  fly_cross(G + TI, a0, c);
  fly_to_body(c, p->bj->R, a);
  fly_cross(G + TJ, b0, c);
}

static void dot_jacobian(double *G, const fly_pair *p, const fly_primitive *k) {
  double g;
  memset(G, 0, FLY_PAIR * sizeof *G);
  dot_both(&g, G, p, k);
}

// With W_i, W_j the angular velocities in space, a' = W_i x a, a'' = W_i x a' and so a'' . b = -a' . (W_i x b):
// (a . b)'' = 2 a' . b' - a' . (W_i x b) - b' . (W_j x a)
static void dot_gamma(double *gamma, const fly_pair *p, const fly_primitive *k) {
  double a[3], b[3], Wi[3], Wj[3], da[3], db[3], ib[3], ja[3];
  fly_axis_space(a, p->bi, p->mi, k->axis_i);
  fly_axis_space(b, p->bj, p->mj, k->axis_j);
  fly_to_space(Wi, p->bi->R, p->bi->w);
  fly_to_space(Wj, p->bj->R, p->bj->w);
  fly_cross(da, Wi, a);
  fly_cross(db, Wj, b);
  fly_cross(ib, Wi, b);
  fly_cross(ja, Wj, a);
  *gamma = 2 * fly_dot3(da, db) - fly_dot3(da, ib) - fly_dot3(db, ja);
}

// a = R_i a0, b = R_j b0: G^T = (0, a0 x R_i^T b, 0, b0 x R_j^T a), and with N = R_i^T R_j
//
//   H = (ti, ti) [a0] [R_i^T b]    (ti, tj) -[a0] N [b0]    (tj, ti) its transpose    (tj, tj) [b0] [R_j^T a]
typedef struct dot_blocks {
  double i[9], j[9]; // [a0] [R_i^T b], [b0] [R_j^T a]
  double both[9];    // [a0] N [b0]
} dot_blocks;

static inline void dot_collect(dot_blocks *out, const fly_pair *p, const fly_primitive *k) {
  double a0[3], b0[3], a[3], b[3], c[3];
  fly_axis(a0, p->mi, k->axis_i);
  fly_axis(b0, p->mj, k->axis_j);
  fly_to_space(a, p->bi->R, a0);
  fly_to_space(b, p->bj->R, b0);
  fly_to_body(c, p->bi->R, b);
  fly_skew_skew(out->i, a0, c);
  fly_to_body(c, p->bj->R, a);
  fly_skew_skew(out->j, b0, c);
  skew_turn_skew(out->both, a0, p->bi->R, p->bj->R, b0);
}

static void dot_curvature(double *H, const double *lambda, const fly_pair *p, const fly_primitive *k) {
  dot_blocks B;
  dot_collect(&B, p, k);
  fly_add_block(H, FLY_PAIR, TI, TI, B.i, *lambda);
  fly_add_block(H, FLY_PAIR, TJ, TJ, B.j, *lambda);
  fly_add_block(H, FLY_PAIR, TI, TJ, B.both, -*lambda);
  fly_add_block_transposed(H, FLY_PAIR, TJ, TI, B.both, -*lambda);
}

// v^T H of these blocks.
static void dot_velocity(double *Z, const fly_pair *p, const fly_primitive *k) {
  const double *wi = p->bi->w, *wj = p->bj->w;
  dot_blocks B;
  dot_collect(&B, p, k);
  memset(Z, 0, FLY_PAIR * sizeof *Z);
  times_block(Z + TI, wi, B.i, 1.0);
  times_block(Z + TJ, wi, B.both, -1.0);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      Z[TI + j] -= wj[i] * B.both[3 * j + i];
      Z[TJ + j] += wj[i] * B.j[3 * i + j];
    }
}

// ------------------------------------------------------------------------------------------ plane

static void plane_value(double *g, const fly_pair *p, const fly_primitive *k) {
  double a[3], d[3];
  fly_axis_space(a, p->bi, p->mi, k->axis_i);
  difference(d, p);
  *g = fly_dot3(a, d) - k->c;
}

static void plane_jacobian(double *G, const fly_pair *p, const fly_primitive *k) {
  double a0[3], a[3], d[3], c[3], row[3];
  fly_axis(a0, p->mi, k->axis_i);
  fly_to_space(a, p->bi->R, a0);
  difference(d, p);
  set_row(G, RI, a, -1.0);
  set_row(G, RJ, a, 1.0);
  fly_to_body(c, p->bi->R, d);
  fly_cross(row, a0, c);
  set_row(G, TI, row, 1.0);
  fly_cross(row, p->mi->s, a0);
  add_row(G, TI, row, -1.0);
  fly_to_body(c, p->bj->R, a);
  fly_cross(row, p->mj->s, c);
  set_row(G, TJ, row, 1.0);
}

static void plane_gamma(double *gamma, const fly_pair *p, const fly_primitive *k) {
  double a0[3], a[3], wa[3], da[3], dda[3], d[3], dd[3], ddd[3];
  fly_axis(a0, p->mi, k->axis_i);
  fly_to_space(a, p->bi->R, a0);
  fly_cross(wa, p->bi->w, a0);
  fly_to_space(da, p->bi->R, wa);
  fly_centripetal(dda, p->bi, a0);
  difference(d, p);
  difference_velocity(dd, p);
  difference_centripetal(ddd, p);
  *gamma = fly_dot3(a, ddd) + 2 * fly_dot3(da, dd) + fly_dot3(dda, d);
}

// G^T = (-a, a0 x e, a, s_j x R_j^T a), e = R_i^T d + s_i; da = -R_i [a0] dtheta_i, and with N = R_i^T R_j
//
//   H = (ri, ti) R_i [a0]    (rj, ti) -R_i [a0]    (ti, ti) [a0] [e]    (ti, tj) -[a0] N [s_j]    (tj, tj) [s_j] [R_j^T
//   a]
//
// and the transposes of those beside the diagonal.
static void plane_curvature(double *H, const double *lambda, const fly_pair *p, const fly_primitive *k) {
  double a0[3], a[3], d[3], e[3], c[3], S[9], RS[9], B[9];
  double l = *lambda;
  fly_axis(a0, p->mi, k->axis_i);
  fly_to_space(a, p->bi->R, a0);
  difference(d, p);
  fly_skew(S, a0);
  fly_multiply3(RS, p->bi->R, S); // R_i [a]
  fly_add_block(H, FLY_PAIR, RI, TI, RS, l);
  fly_add_block(H, FLY_PAIR, RJ, TI, RS, -l);
  fly_add_block_transposed(H, FLY_PAIR, TI, RI, RS, l); // -[a] R_i^T = (R_i [a])^T
  fly_add_block_transposed(H, FLY_PAIR, TI, RJ, RS, -l);
  fly_to_body(e, p->bi->R, d);
  for (int i = 0; i < 3; i++)
    e[i] += p->mi->s[i];
  fly_skew_skew(B, a0, e);
  fly_add_block(H, FLY_PAIR, TI, TI, B, l);
  skew_turn_skew(B, a0, p->bi->R, p->bj->R, p->mj->s);
  fly_add_block(H, FLY_PAIR, TI, TJ, B, -l);
  fly_add_block_transposed(H, FLY_PAIR, TJ, TI, B, -l);
  fly_to_body(c, p->bj->R, a);
  fly_skew_skew(B, p->mj->s, c);
  fly_add_block(H, FLY_PAIR, TJ, TJ, B, l);
}

// ------------------------------------------------------------------------------------------ distance

static void distance_value(double *g, const fly_pair *p, const fly_primitive *k) {
  double d[3];
  difference(d, p);
  *g = (fly_dot3(d, d) - k->c * k->c) / (2 * k->c);
}

// u^T of the rows of a point: (-u, R_i^T u x s_i, u, s_j x R_j^T u), here u = d/c
static void distance_jacobian(double *G, const fly_pair *p, const fly_primitive *k) {
  double u[3], c[3];
  difference(u, p);
  for (int i = 0; i < 3; i++)
    u[i] /= k->c;
  set_row(G, RI, u, -1.0);
  set_row(G, RJ, u, 1.0);
  fly_to_body(c, p->bi->R, u);
  fly_cross(G + TI, c, p->mi->s);
  fly_to_body(c, p->bj->R, u);
  fly_cross(G + TJ, p->mj->s, c);
}

static void distance_gamma(double *gamma, const fly_pair *p, const fly_primitive *k) {
  double d[3], dd[3], ddd[3];
  difference(d, p);
  difference_velocity(dd, p);
  difference_centripetal(ddd, p);
  *gamma = (fly_dot3(dd, dd) + fly_dot3(d, ddd)) / k->c;
}

// G^T lambda = D^T d lambda/c, D = dd/dq as of a point: H = D^T D lambda/c + d(D^T u)/dq at fixed u = d lambda/c
static void distance_curvature(double *H, const double *lambda, const fly_pair *p, const fly_primitive *k) {
  double d[3], D[3 * FLY_PAIR], l = *lambda / k->c;
  difference(d, p);
  point_jacobian(D, p, k);
  for (int i = 0; i < FLY_PAIR; i++)
    for (int j = 0; j < FLY_PAIR; j++)
      for (int m = 0; m < 3; m++)
        H[FLY_PAIR * i + j] += l * D[FLY_PAIR * m + i] * D[FLY_PAIR * m + j];
  for (int m = 0; m < 3; m++)
    d[m] *= l;
  point_curvature(H, d, p, k);
}

// ------------------------------------------------------------------------------------------ angle

// About z: u = y_i . x_j and w = x_i . x_j; the angle is atan2(u, w). About other axes in cyclic order.
static fly_primitive sine(const fly_primitive *k) {
  return (fly_primitive){(k->axis_i + 2) % 3, (k->axis_i + 1) % 3, 0.0};
}

static fly_primitive cosine(const fly_primitive *k) {
  return (fly_primitive){(k->axis_i + 1) % 3, (k->axis_i + 1) % 3, 0.0};
}

static void angle_value(double *g, const fly_pair *p, const fly_primitive *k) {
  fly_primitive of_u = sine(k), of_w = cosine(k);
  double u, w;
  dot_value(&u, p, &of_u);
  dot_value(&w, p, &of_w);
  *g = atan2(u, w) - k->c;
}

// x_j turns against x_i, y_i with W = R_j w_j - R_i w_i: u' = W . (x_j x y_i), w' = W . (x_j x x_i), and so
// theta' = (w u' - u w')/rho^2 = W . (x_j x (w y_i - u x_i))/rho^2
void fly_angle_and_rate(double *angle, double *rate, const fly_pair *p, const fly_primitive *k) {
  const int first = (k->axis_i + 1) % 3, second = (k->axis_i + 2) % 3;
  double xi[3], yi[3], xj[3], Wi[3], Wj[3], side[3], n[3];
  fly_axis_space(xi, p->bi, p->mi, first);
  fly_axis_space(yi, p->bi, p->mi, second);
  fly_axis_space(xj, p->bj, p->mj, first);
  fly_to_space(Wi, p->bi->R, p->bi->w);
  fly_to_space(Wj, p->bj->R, p->bj->w);
  const double u = fly_dot3(yi, xj), w = fly_dot3(xi, xj);
  for (int i = 0; i < 3; i++)
    side[i] = w * yi[i] - u * xi[i];
  fly_cross(n, xj, side);
  *angle = atan2(u, w) - k->c;
  *rate = (fly_dot3(Wj, n) - fly_dot3(Wi, n)) / (u * u + w * w);
}

typedef struct angle_parts {
  fly_primitive of_u, of_w;
  double u, w, rho2;
  double Gu[FLY_PAIR], Gw[FLY_PAIR];
} angle_parts;

static void angle_collect(angle_parts *a, const fly_pair *p, const fly_primitive *k) {
  a->of_u = sine(k);
  a->of_w = cosine(k);
  dot_value(&a->u, p, &a->of_u);
  dot_value(&a->w, p, &a->of_w);
  dot_jacobian(a->Gu, p, &a->of_u);
  dot_jacobian(a->Gw, p, &a->of_w);
  a->rho2 = a->u * a->u + a->w * a->w;
}

static void angle_jacobian(double *G, const fly_pair *p, const fly_primitive *k) {
  angle_parts a;
  angle_collect(&a, p, k);
  for (int j = 0; j < FLY_PAIR; j++)
    G[j] = (a.w * a.Gu[j] - a.u * a.Gw[j]) / a.rho2;
}

// theta = atan2(u, w): theta'' = (w u'' - u w'')/rho^2 - 2 theta' (u u' + w w')/rho^2
static void angle_gamma(double *gamma, const fly_pair *p, const fly_primitive *k) {
  angle_parts a;
  double gu, gw, du = 0, dw = 0;
  const double *v[4] = {p->bi->v, p->bi->w, p->bj->v, p->bj->w};
  angle_collect(&a, p, k);
  dot_gamma(&gu, p, &a.of_u);
  dot_gamma(&gw, p, &a.of_w);
  for (int j = 0; j < FLY_PAIR; j++) {
    du += a.Gu[j] * v[j / 3][j % 3];
    dw += a.Gw[j] * v[j / 3][j % 3];
  }
  double rate = (a.w * du - a.u * dw) / a.rho2;
  *gamma = (a.w * gu - a.u * gw) / a.rho2 - 2 * rate * (a.u * du + a.w * dw) / a.rho2;
}

// G = (w Gu - u Gw)/rho^2, rho^2 = u^2 + w^2, so with Hu, Hw of the two cosines
//
//   H = (w Hu - u Hw)/rho^2 + (2 u w (Gw Gw^T - Gu Gu^T) + (u^2 - w^2) (Gu Gw^T + Gw Gu^T))/rho^4
static void angle_curvature(double *H, const double *lambda, const fly_pair *p, const fly_primitive *k) {
  angle_parts a;
  angle_collect(&a, p, k);
  double lu = *lambda * a.w / a.rho2, lw = -*lambda * a.u / a.rho2, l2 = *lambda / (a.rho2 * a.rho2);
  dot_curvature(H, &lu, p, &a.of_u);
  dot_curvature(H, &lw, p, &a.of_w);
  double uu = -2 * a.u * a.w * l2, ww = 2 * a.u * a.w * l2, uw = (a.u * a.u - a.w * a.w) * l2;
  for (int i = 0; i < FLY_PAIR; i++)
    for (int j = 0; j < FLY_PAIR; j++)
      H[FLY_PAIR * i + j] +=
          uu * a.Gu[i] * a.Gu[j] + ww * a.Gw[i] * a.Gw[j] + uw * (a.Gu[i] * a.Gw[j] + a.Gw[i] * a.Gu[j]);
}

// ------------------------------------------------------------------------------------------ wheel

// h - c s with the height h of PLANE, the cosine u of DOT, s = sqrt(1 - u^2): ds = -(u/s) du, d(u/s) = du/s^3.
typedef struct wheel_parts {
  fly_primitive height, cosine;
  double u, s, G[FLY_PAIR]; // G: of the cosine
} wheel_parts;

static void wheel_collect(wheel_parts *w, const fly_pair *p, const fly_primitive *k) {
  w->height = (fly_primitive){k->axis_i, 0, 0.0};
  w->cosine = (fly_primitive){k->axis_i, k->axis_j, 0.0};
  dot_value(&w->u, p, &w->cosine);
  dot_jacobian(w->G, p, &w->cosine);
  w->s = sqrt(1 - w->u * w->u);
}

static void wheel_value(double *g, const fly_pair *p, const fly_primitive *k) {
  wheel_parts w;
  wheel_collect(&w, p, k);
  plane_value(g, p, &w.height);
  *g -= k->c * w.s;
}

static void wheel_jacobian(double *G, const fly_pair *p, const fly_primitive *k) {
  wheel_parts w;
  wheel_collect(&w, p, k);
  plane_jacobian(G, p, &w.height);
  for (int i = 0; i < FLY_PAIR; i++)
    G[i] += k->c * w.u / w.s * w.G[i];
}

static void wheel_gamma(double *gamma, const fly_pair *p, const fly_primitive *k) {
  wheel_parts w;
  double height, cosine, rate = 0, v[FLY_PAIR];
  wheel_collect(&w, p, k);
  plane_gamma(&height, p, &w.height);
  dot_gamma(&cosine, p, &w.cosine);
  fly_pair_velocities(v, p);
  for (int i = 0; i < FLY_PAIR; i++)
    rate += w.G[i] * v[i];
  *gamma = height + k->c * (w.u / w.s * cosine + rate * rate / (w.s * w.s * w.s));
}

static void wheel_curvature(double *H, const double *lambda, const fly_pair *p, const fly_primitive *k) {
  wheel_parts w;
  wheel_collect(&w, p, k);
  const double by_cosine = *lambda * k->c * w.u / w.s, by_both = *lambda * k->c / (w.s * w.s * w.s);
  plane_curvature(H, lambda, p, &w.height);
  dot_curvature(H, &by_cosine, p, &w.cosine);
  for (int i = 0; i < FLY_PAIR; i++)
    for (int j = 0; j < FLY_PAIR; j++)
      H[FLY_PAIR * i + j] += by_both * w.G[i] * w.G[j];
}

// ------------------------------------------------------------------------------------------ the list

enum {
  ALL_COLUMNS = 0xfff,
  TURNS = 7 << TI | 7 << TJ,
  ALONG = 1 << RI | 1 << RJ, // one axis of space
  ALL_BLOCKS = 0xffff,
  OWN_TURNS = 1 << 5 | 1 << 15,                                 // (TI, TI), (TJ, TJ)
  BOTH_TURNS = OWN_TURNS | 1 << 7 | 1 << 13,                    // and (TI, TJ), (TJ, TI)
  PLANE_BLOCKS = BOTH_TURNS | 1 << 1 | 1 << 4 | 1 << 6 | 1 << 9 // and (RI, TI), (RJ, TI), transposed too
};

const fly_primitive_type fly_primitive_types[FLY_PRIMITIVES] = {
    [FLY_POINT] = {"point",
                   3,
                   {ALONG | TURNS, ALONG << 1 | TURNS, ALONG << 2 | TURNS},
                   OWN_TURNS,
                   point_value,
                   point_jacobian,
                   point_gamma,
                   point_curvature,
                   point_both,
                   point_velocity},
    [FLY_DOT] = {"perpendicular",
                 1,
                 {TURNS},
                 BOTH_TURNS,
                 dot_value,
                 dot_jacobian,
                 dot_gamma,
                 dot_curvature,
                 dot_both,
                 dot_velocity},
    [FLY_PLANE] = {"in-plane",
                   1,
                   {ALL_COLUMNS},
                   PLANE_BLOCKS,
                   plane_value,
                   plane_jacobian,
                   plane_gamma,
                   plane_curvature,
                   NULL,
                   NULL},
    [FLY_DISTANCE] = {"distance",
                      1,
                      {ALL_COLUMNS},
                      ALL_BLOCKS,
                      distance_value,
                      distance_jacobian,
                      distance_gamma,
                      distance_curvature,
                      NULL,
                      NULL},
    [FLY_ANGLE] =
        {"angle", 1, {TURNS}, BOTH_TURNS, angle_value, angle_jacobian, angle_gamma, angle_curvature, NULL, NULL},
    [FLY_WHEEL] = {"wheel",
                   1,
                   {ALL_COLUMNS},
                   PLANE_BLOCKS,
                   wheel_value,
                   wheel_jacobian,
                   wheel_gamma,
                   wheel_curvature,
                   NULL,
                   NULL},
};

double fly_primitive_rate(fly_primitive_kind kind, const fly_pair *p, const fly_primitive *k) {
  const double *v[4] = {p->bi->v, p->bi->w, p->bj->v, p->bj->w};
  double G[3 * FLY_PAIR], rate = 0;
  fly_primitive_types[kind].jacobian(G, p, k);
  for (int j = 0; j < FLY_PAIR; j++)
    rate += G[j] * v[j / 3][j % 3];
  return rate;
}

void fly_primitive_velocity(double *Z, fly_primitive_kind kind, const fly_pair *p, const fly_primitive *k) {
  const fly_primitive_type *type = &fly_primitive_types[kind];
  const double *v[4] = {p->bi->v, p->bi->w, p->bj->v, p->bj->w};
  if (type->velocity) {
    type->velocity(Z, p, k);
    return;
  }
  for (int row = 0; row < type->rows; row++) {
    double lambda[3] = {0}, H[FLY_PAIR * FLY_PAIR] = {0};
    lambda[row] = 1;
    type->curvature(H, lambda, p, k);
    for (int j = 0; j < FLY_PAIR; j++) {
      double sum = 0;
      for (int i = 0; i < FLY_PAIR; i++)
        sum += v[i / 3][i % 3] * H[FLY_PAIR * i + j];
      Z[FLY_PAIR * row + j] = sum;
    }
  }
}
