// What one marker is against another, and what a load on that does: docs/theory/forces.md.
#include "element/relative.h"

#include <math.h>
#include <string.h>

#include "element/block.h"

// Columns of a pair.
enum { RI = 0, TI = 3, RJ = 6, TJ = 9 };

// ------------------------------------------------------------------------------------------ small matrices

// Three rows of 12: Y += factor L X, or L^T X
static void add_product(double *Y, const double L[9], const double *X, double factor) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < FLY_PAIR; j++)
      Y[FLY_PAIR * i + j] += factor * (L[3 * i] * X[j] + L[3 * i + 1] * X[FLY_PAIR + j] + L[3 * i + 2] * X[24 + j]);
}

static void add_product_transposed(double *Y, const double L[9], const double *X) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < FLY_PAIR; j++)
      Y[FLY_PAIR * i + j] += L[i] * X[j] + L[3 + i] * X[FLY_PAIR + j] + L[6 + i] * X[24 + j];
}

// y += A x for A 6 x 6
void fly_six_times(double y[6], const double A[36], const double x[6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      y[i] += A[6 * i + j] * x[j];
}

double fly_six_form(const double A[36], const double x[6]) {
  double y[6] = {0}, sum = 0;
  fly_six_times(y, A, x);
  for (int i = 0; i < 6; i++)
    sum += x[i] * y[i];
  return sum;
}

// ------------------------------------------------------------------------------------------ rotation vectors

// theta with exp(theta) = E
static void matrix_log(double theta[3], const double E[9]) {
  double p[4];
  fly_quat_of_matrix(p, E);
  fly_quat_log(theta, p);
}

// T^-1 = 1 + [phi]/2 + b [phi]^2 with b = (1 - x cot x)/t^2, t = |phi|, x = t/2 (docs/theory/rotations.md). Its poles
// give b = sum 2/(4 pi^2 n^2 - z) over n = 1, 2, ..., z = t^2. The first two poles are taken as they are; what is left
// is a power series, whose next term is below 1e-17 of b up to t = pi. Nothing cancels, in b or in its derivative.
void fly_inverse_tangent(double b[3], double z) {
  static const double c[] = {2.00075935568722260e-02, 2.54381206886256203e-05, 5.58456839049441506e-08,
                             1.40882415747610478e-10, 3.75671620021579791e-13, 1.02801253753604606e-15,
                             2.85002212921379108e-18, 7.95557541071984463e-21, 2.22893266455370120e-23,
                             6.25747115080577254e-26, 1.75867304929096802e-28, 4.94584695005793831e-31};
  const double pi2 = 9.8696044010893586188;
  double one = 1 / (4 * pi2 - z), two = 1 / (16 * pi2 - z), sum = 0, slope = 0, bend = 0;
  for (int k = (int)(sizeof c / sizeof c[0]) - 1; k >= 0; k--) {
    bend = 2 * slope + z * bend;
    slope = sum + z * slope;
    sum = c[k] + z * sum;
  }
  b[0] = 2 * (one + two) + sum;
  b[1] = 2 * (one * one + two * two) + slope;
  b[2] = 4 * (one * one * one + two * two * two) + bend;
}

// D = d(u + side/2 phi x u + b phi x (phi x u))/dphi: of T^-1 u for side 1, of T^-T u for side -1.
void fly_inverse_tangent_slope(double D[9], const double phi[3], const double b[3], double side, const double u[3]) {
  double fu[3], ffu[3], S[9], SU[9], U[9];
  fly_cross(fu, phi, u);
  fly_cross(ffu, phi, fu);
  fly_skew(U, u);
  fly_skew(S, fu);
  fly_skew_skew(SU, phi, u);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = -side / 2 * U[3 * i + j] - b[0] * (S[3 * i + j] + SU[3 * i + j]) + 2 * b[1] * ffu[i] * phi[j];
}

// ------------------------------------------------------------------------------------------ kinematics

// a = R_i^T (p_j - r_i) and N = R_i^T R_j are what the bushing sees from body i; n = N^T w_i.
//   d = A_i^T (a - s_i)              a' = u - w_i x a,  u = R_i^T (v_pj - v_i)
//   exp(phi) = A_i^T N A_j           phi' = T^-1 omega, omega = A_j^T (w_j - n)
void fly_relative_look(fly_relative *w, const fly_pair *p) {
  double c[3], E[9], AN[9];
  w->bi = p->bi;
  w->bj = p->bj;
  w->Ai = p->mi->A;
  w->Aj = p->mj->A;
  w->sj = p->mj->s;
  fly_marker_point(c, p->bj, p->mj);
  for (int k = 0; k < 3; k++)
    c[k] -= p->bi->r[k];
  fly_to_body(w->a, p->bi->R, c);
  for (int k = 0; k < 3; k++)
    c[k] = w->a[k] - p->mi->s[k];
  fly_to_body(w->x, w->Ai, c);
  fly_multiply3_transposed(w->N, p->bi->R, p->bj->R);
  fly_multiply3_transposed(AN, w->Ai, w->N);
  fly_multiply3(E, AN, w->Aj);
  matrix_log(w->x + 3, E);
}

void fly_relative_watch(fly_relative *w, const fly_pair *p) {
  double c[3], wa[3];
  fly_relative_look(w, p);
  fly_so3_tangent_inverse(w->Ti, w->x + 3);
  fly_point_velocity(c, p->bj, p->mj);
  for (int k = 0; k < 3; k++)
    c[k] -= p->bi->v[k];
  fly_to_body(w->u, p->bi->R, c);
  fly_cross(wa, p->bi->w, w->a);
  for (int k = 0; k < 3; k++)
    c[k] = w->u[k] - wa[k];
  fly_to_body(w->xdot, w->Ai, c);
  fly_to_body(w->n, w->N, p->bi->w);
  for (int k = 0; k < 3; k++)
    c[k] = p->bj->w[k] - w->n[k];
  fly_to_body(w->omega, w->Aj, c);
  fly_to_space(w->xdot + 3, w->Ti, w->omega);
}

// ------------------------------------------------------------------------------------------ its derivatives

//   da = R_i^T (dr_j - dr_i) + [a] dtheta_i - N [s_j] dtheta_j
//   dphi = T^-1 W dq,  W dq = A_j^T (dtheta_j - N^T dtheta_i)
typedef struct tangent {
  double Xa[36], W[36]; // da/dq and W, 3 x 12
  double X[72];         // dx/dq, 6 x 12
  double b[3];          // coefficient of T^-1(phi), and its derivatives
} tangent;

enum { PHI = 3 * FLY_PAIR }; // where the rows of phi begin

static void differentiate(tangent *t, const fly_relative *w) {
  double B[9];
  const double *phi = w->x + 3;
  memset(t, 0, sizeof *t);
  fly_inverse_tangent(t->b, fly_dot3(phi, phi));

  fly_add_block_transposed(t->Xa, FLY_PAIR, 0, RI, w->bi->R, -1.0);
  fly_add_block_transposed(t->Xa, FLY_PAIR, 0, RJ, w->bi->R, 1.0);
  fly_skew(B, w->a);
  fly_add_block(t->Xa, FLY_PAIR, 0, TI, B, 1.0);
  fly_times_skew(B, w->N, w->sj);
  fly_add_block(t->Xa, FLY_PAIR, 0, TJ, B, -1.0);
  add_product_transposed(t->X, w->Ai, t->Xa);

  fly_multiply3(B, w->N, w->Aj);
  fly_add_block_transposed(t->W, FLY_PAIR, 0, TI, B, -1.0);
  fly_add_block_transposed(t->W, FLY_PAIR, 0, TJ, w->Aj, 1.0);
  add_product(t->X + PHI, w->Ti, t->W, 1.0);
}

// Z = dx'/dq at fixed v, 6 x 12.
//   da' = [u] dtheta_i - N [w_j x s_j] dtheta_j - [w_i] da
static void differentiate_displacement_rate(double *Z, const fly_relative *w, const tangent *t) {
  double c[3], B[9], V[36] = {0};
  fly_skew(B, w->u);
  fly_add_block(V, FLY_PAIR, 0, TI, B, 1.0);
  fly_cross(c, w->bj->w, w->sj);
  fly_times_skew(B, w->N, c);
  fly_add_block(V, FLY_PAIR, 0, TJ, B, -1.0);
  fly_skew(B, w->bi->w);
  add_product(V, B, t->Xa, -1.0);
  add_product_transposed(Z, w->Ai, V);
}

//   domega = A_j^T (N^T [w_i] dtheta_i - [n] dtheta_j),  dphi' = T^-1 domega + d(T^-1 omega)/dphi dphi
static void differentiate_rotation_rate(double *Z, const fly_relative *w, const tangent *t) {
  double S[9], B[9], D[9], V[36] = {0}, Omega[36] = {0};
  fly_skew(S, w->bi->w);
  fly_multiply3_transposed(B, w->N, S);
  fly_add_block(V, FLY_PAIR, 0, TI, B, 1.0);
  fly_skew(B, w->n);
  fly_add_block(V, FLY_PAIR, 0, TJ, B, -1.0);
  add_product_transposed(Omega, w->Aj, V);
  add_product(Z + PHI, w->Ti, Omega, 1.0);
  fly_inverse_tangent_slope(D, w->x + 3, t->b, 1.0, w->omega);
  add_product(Z + PHI, D, t->X + PHI, 1.0);
}

// ------------------------------------------------------------------------------------------ curvature

// H += d(X_d^T f)/dq for a force f along the axes of marker i. With f_i = A_i f in axes of body i and g = N^T f_i in
// those of j, X_d^T f = (-R_i f_i, f_i x a, R_i f_i, s_j x g).
static void add_force_curvature(double *H, const fly_relative *w, const tangent *t, const double f[3]) {
  double fi[3], g[3], B[9], S[9], NS[9];
  fly_to_space(fi, w->Ai, f);
  fly_to_body(g, w->N, fi);
  fly_times_skew(B, w->bi->R, fi); // R_i [f_i]
  fly_add_block(H, FLY_PAIR, RI, TI, B, 1.0);
  fly_add_block(H, FLY_PAIR, RJ, TI, B, -1.0);
  fly_skew(S, fi);
  add_product(H + FLY_PAIR * TI, S, t->Xa, 1.0); // f_i x da
  fly_skew_skew(B, w->sj, g);
  fly_add_block(H, FLY_PAIR, TJ, TJ, B, 1.0);
  fly_multiply3_transposed(NS, w->N, S); // N^T [f_i]
  fly_skew(S, w->sj);
  fly_multiply3(B, S, NS);
  fly_add_block(H, FLY_PAIR, TJ, TI, B, -1.0);
}

// H += d(X_phi^T f)/dq: with h = T^-T f, X_phi^T f = W^T h = (0, -N A_j h, 0, A_j h).
static void add_torque_curvature(double *H, const fly_relative *w, const tangent *t, const double f[3]) {
  double h[3], hj[3], m[3], B[9], D[9], DX[36] = {0};
  fly_to_body(h, w->Ti, f);
  fly_to_space(hj, w->Aj, h);
  fly_to_space(m, w->N, hj);
  fly_skew(B, m);
  fly_add_block(H, FLY_PAIR, TI, TI, B, -1.0);
  fly_times_skew(B, w->N, hj);
  fly_add_block(H, FLY_PAIR, TI, TJ, B, 1.0);
  fly_inverse_tangent_slope(D, w->x + 3, t->b, -1.0, f);
  add_product(DX, D, t->X + PHI, 1.0);
  for (int i = 0; i < FLY_PAIR; i++)
    for (int j = 0; j < FLY_PAIR; j++)
      for (int k = 0; k < 3; k++)
        H[FLY_PAIR * i + j] += t->W[FLY_PAIR * k + i] * DX[FLY_PAIR * k + j];
}

// ------------------------------------------------------------------------------------------ loads

// Q = -X^T f, written out
void fly_relative_force(double Q[12], const fly_relative *w, const double f[6]) {
  double fi[3], F[3], g[3], h[3], hj[3], m[3];
  fly_to_space(fi, w->Ai, f); // force in axes of i, in space, in axes of j
  fly_to_space(F, w->bi->R, fi);
  fly_to_body(g, w->N, fi);
  fly_to_body(h, w->Ti, f + 3); // torque in axes of marker j, of j, of i
  fly_to_space(hj, w->Aj, h);
  fly_to_space(m, w->N, hj);
  fly_cross(Q + TI, w->a, fi);
  fly_cross(Q + TJ, g, w->sj);
  for (int i = 0; i < 3; i++) {
    Q[RI + i] = F[i];
    Q[TI + i] += m[i];
    Q[RJ + i] = -F[i];
    Q[TJ + i] -= hj[i];
  }
}

// Y += A X for A 6 x 6, mostly zero, and X 6 x 12
static void six_rows(double *Y, const double A[36], const double *X) {
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < FLY_PAIR && A[6 * i + k] != 0; j++)
        Y[FLY_PAIR * i + j] += A[6 * i + k] * X[FLY_PAIR * k + j];
}

// K -= X^T Y
static void subtract_product(double *K, const double *X, const double *Y) {
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < FLY_PAIR; i++)
      for (int j = 0; j < FLY_PAIR; j++)
        K[FLY_PAIR * i + j] -= X[FLY_PAIR * k + i] * Y[FLY_PAIR * k + j];
}

void fly_relative_derivatives(double *K, double *C, const fly_relative *w, const fly_relative_law *law) {
  tangent t;
  double f[6], Z[72] = {0}, KX[72] = {0}, CX[72] = {0};
  differentiate(&t, w);
  differentiate_displacement_rate(Z, w, &t);
  differentiate_rotation_rate(Z, w, &t);
  six_rows(KX, law->by_x, t.X);
  six_rows(KX, law->by_xdot, Z);
  six_rows(CX, law->by_xdot, t.X);

  memset(K, 0, FLY_PAIR * FLY_PAIR * sizeof *K);
  memset(C, 0, FLY_PAIR * FLY_PAIR * sizeof *C);
  for (int i = 0; i < 6; i++)
    f[i] = -law->f[i]; // on the bodies
  add_force_curvature(K, w, &t, f);
  add_torque_curvature(K, w, &t, f + 3);
  subtract_product(K, t.X, KX);
  subtract_product(C, t.X, CX);
}
