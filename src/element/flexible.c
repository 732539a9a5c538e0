// What a body of modes weighs, its inertia and its frames: docs/theory/flexible.md, in these letters. v = (dr/dt, w,
// eta'), w in the axes of the frame; q is moved by (dr, dtheta, deta). With what the modes make of the sums,
//
//   s = S + N eta,   Q_j = Q_j + sum_i eta_i P_ji,   X = X + sum_j eta_j (Q_j0 + Q_j^T),   J = tr(X) - X
//   d_j = sum m rho x phi_j,   e_ji = sum m phi_i x phi_j:   axial(Q_j) and axial(P_ji)
//
//   M = (m, -R [s], R N; ., J + JR, d + NR; ., ., M)
//   f_r = m g - R (w x (w x s) + 2 w x N eta')
//   f_w = s x R^T g - w x ((J + JR) w + NR eta') - 2 sum_j eta_j' (tr Q_j - Q_j) w
//   f_j = N_j . R^T g - w . Q_j w + tr Q_j w . w - 2 w . sum_i eta_i' e_ji - (K eta + D eta')_j
#include "element/flexible.h"

#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "element/block.h"
#include "math/so3.h"

enum { Q_ETA = 7, V_ETA = 6 };

static const fly_flexible *modes_of(const fly_body_own *own) { return own->k; }

// ------------------------------------------------------------------------------------------ small matrices

static double trace(const double A[9]) { return A[0] + A[4] + A[8]; }

// sum a x b of A = sum b a^T
static void axial(double out[3], const double A[9]) {
  out[0] = A[7] - A[5];
  out[1] = A[2] - A[6];
  out[2] = A[3] - A[1];
}

static void add_outer(double A[9], const double a[3], const double b[3], double factor) {
  for (int i = 0; i < 9; i++)
    A[i] += factor * a[i / 3] * b[i % 3];
}

// (tr A - A) u
static void turned_by(double out[3], const double A[9], const double u[3]) {
  fly_to_space(out, A, u);
  for (int i = 0; i < 3; i++)
    out[i] = trace(A) * u[i] - out[i];
}

// u . (tr A - A) u
static double swung_by(const double A[9], const double u[3]) {
  double Au[3];
  turned_by(Au, A, u);
  return fly_dot3(u, Au);
}

static void put_row(double *A, int n, int row, int column, const double u[3], double factor) {
  for (int i = 0; i < 3; i++)
    A[n * row + column + i] += factor * u[i];
}

// ------------------------------------------------------------------------------------------ sums

size_t fly_flexible_marker_size(const fly_body_own *own) {
  const size_t n = (size_t)modes_of(own)->modes;
  return sizeof(fly_flexible_marker) + n * (6 + (modes_of(own)->shortens ? n : 0)) * sizeof(double);
}

bool fly_flexible_take(fly_flexible *k, int modes, const fly_maker *from) {
  const size_t n = (size_t)modes;
  double *room = from->room(from, n * (24 + 12 * n));
  if (!room)
    return false;
  *k = (fly_flexible){.modes = modes};
  k->N = room;
  k->NR = k->N + 3 * n;
  k->Q = k->NR + 3 * n;
  k->P = k->Q + 9 * n;
  k->M = k->P + 9 * n * n;
  k->K = k->M + n * n;
  k->D = k->K + n * n;
  return true;
}

void fly_flexible_reach(double *moves, double *turns, int modes, const double *phi, const double *theta) {
  for (int j = 0; j < modes; j++) {
    moves[j] = fmax(moves[j], sqrt(fly_dot3(phi + 3 * j, phi + 3 * j)));
    turns[j] = fmax(turns[j], sqrt(fly_dot3(theta + 3 * j, theta + 3 * j)));
  }
}

void fly_flexible_add(fly_flexible *k, const fly_flexible_point *p) {
  const int n = k->modes;
  fly_add3(k->S, p->s, p->mass);
  add_outer(k->X, p->s, p->s, p->mass);
  for (int i = 0; i < 9; i++)
    k->JR[i] += p->I[i];
  for (int j = 0; j < n; j++) {
    const double *phi = p->phi + 3 * j, *theta = p->theta + 3 * j;
    double It[3];
    fly_to_space(It, p->I, theta);
    fly_add3(k->N + 3 * j, phi, p->mass);
    fly_add3(k->NR + 3 * j, It, 1);
    add_outer(k->Q + 9 * j, phi, p->s, p->mass);
    for (int i = 0; i < n; i++) {
      add_outer(k->P + 9 * (n * i + j), phi, p->phi + 3 * i, p->mass);
      k->M[n * j + i] += p->mass * fly_dot3(phi, p->phi + 3 * i) + fly_dot3(It, p->theta + 3 * i);
    }
  }
}

// ------------------------------------------------------------------------------------------ the sums as they are

// In the axes of the frame.
typedef struct deformed {
  int n; // modes
  double R[9], s[3], J[9];
  double *Q; // in room, or in the memory of the body
  double room[9 * FLY_MODES_MOST];
} deformed;

// y (9 n) += sum_i x_i P_ji of all j: all that is left of the mesh's square. Four rows of P at a time, each sum in the
// order of its terms.
FLY_WIDE static void add_rows(double *restrict y, const double *restrict P, const double *restrict x, int n) {
  const int width = 9 * n;
  int i = 0;
  for (; i + 4 <= n; i += 4, P += 4 * (size_t)width) {
    const double *restrict p1 = P + width, *restrict p2 = p1 + width, *restrict p3 = p2 + width;
    const double x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
    for (int c = 0; c < width; c++)
      y[c] = y[c] + x0 * P[c] + x1 * p1[c] + x2 * p2[c] + x3 * p3[c];
  }
  for (; i < n; i++, P += width)
    for (int c = 0; c < width; c++)
      y[c] += x[i] * P[c];
}

// There are squares in Q_j where P is: they are kept, behind the modes and one number that says so.
size_t fly_flexible_remembered(const fly_body_own *own) {
  const fly_flexible *k = own->k;
  return k->apart || k->points ? 0 : 1 + 10 * (size_t)k->modes;
}

static void find_Q(deformed *d, const fly_flexible *k, const double *eta, double *memory) {
  const size_t n = (size_t)k->modes;
  d->Q = memory ? memory + 1 + n : d->room;
  if (memory && memory[0] != 0 && memcmp(memory + 1, eta, n * sizeof *eta) == 0)
    return;
  memcpy(d->Q, k->Q, 9 * n * sizeof *d->Q);
  if (!k->apart)
    add_rows(d->Q, k->P, eta, k->modes);
  if (!memory)
    return;
  memory[0] = 1;
  memcpy(memory + 1, eta, n * sizeof *eta);
}

static void deform(deformed *d, const fly_flexible *k, const fly_body_at *at) {
  const double *q = at->q, *eta = q + Q_ETA;
  double X[9];
  d->n = k->modes;
  fly_quat_matrix(d->R, q + 3);
  memcpy(d->s, k->S, sizeof d->s);
  memcpy(X, k->X, sizeof X);
  find_Q(d, k, eta, at->memory);
  for (int j = 0; j < d->n; j++) {
    const double *Q = d->Q + 9 * j;
    fly_add3(d->s, k->N + 3 * j, eta[j]);
    for (int c = 0; c < 9; c++)
      X[c] += eta[j] * (k->Q[9 * j + c] + Q[3 * (c % 3) + c / 3]);
  }
  for (int c = 0; c < 9; c++)
    d->J[c] = (c % 4 == 0 ? trace(X) : 0) - X[c] + k->JR[c];
}

// N x
static void moved(double out[3], const fly_flexible *k, const double *N, const double *x) {
  memset(out, 0, 3 * sizeof *out);
  for (int j = 0; j < k->modes; j++)
    fly_add3(out, N + 3 * j, x[j]);
}

// (dJ/deta_i) u = (tr Y - Y) u with Y = Q_i + Q_i^T
static void inertia_slope(double out[3], const double Q[9], const double u[3]) {
  double Y[9];
  for (int c = 0; c < 9; c++)
    Y[c] = Q[c] + Q[3 * (c % 3) + c / 3];
  turned_by(out, Y, u);
}

// sum_j x_j P_ji for one i: what Q_j of x changes by as eta_i does
static void add_pairs(double A[9], const fly_flexible *k, int i, const double *x) {
  memset(A, 0, 9 * sizeof *A);
  for (int j = 0; !k->apart && j < k->modes; j++)
    for (int c = 0; c < 9; c++)
      A[c] += x[j] * k->P[9 * (k->modes * i + j) + c];
}

// ------------------------------------------------------------------------------------------ mass

int fly_flexible_apart(const fly_body_own *own) { return modes_of(own)->orthogonal ? modes_of(own)->modes : 0; }

// By P modes feel each other as the body turns, by w against their own frequencies: of all but the first few that is
// little (F-soft).
int fly_flexible_loose(const fly_body_own *own) {
  const int n = fly_flexible_apart(own) - (modes_of(own)->apart ? 0 : FLY_MODES_SOFT);
  return n > 0 ? n : 0;
}

// The first mode whose entries beside the diagonal are zero, or are not asked for, with those of the modes behind it.
static int first_alone(const fly_flexible *k, const fly_body_at *at, const fly_body_own *own) {
  return at->lean || (k->apart && k->orthogonal) ? k->modes - fly_flexible_loose(own) : k->modes;
}

// The frame's rows and columns, and what the modes have among themselves.
static void clear_mass(double *M, const fly_flexible *k) {
  const size_t m = (size_t)k->modes, n = V_ETA + m;
  memset(M, 0, V_ETA * n * sizeof *M);
  for (size_t j = 0; j < m; j++) {
    double *row = M + n * (V_ETA + j);
    memset(row, 0, V_ETA * sizeof *row);
    if (k->orthogonal)
      row[V_ETA + j] = k->M[(m + 1) * j];
    else
      memcpy(row + V_ETA, k->M + m * j, m * sizeof *row);
  }
}

void fly_flexible_mass(double *M, const fly_body_at *at, const fly_body_own *own) {
  const fly_flexible *k = modes_of(own);
  if (k->points) {
    fly_flexible_points_mass(M, at, own);
    return;
  }
  const int m = k->modes, n = V_ETA + m;
  deformed d;
  double A[9];
  deform(&d, k, at);
  clear_mass(M, k);
  for (int i = 0; i < 3; i++)
    M[(n + 1) * i] = own->mass;
  fly_times_skew(A, d.R, d.s);
  fly_add_block(M, n, 0, 3, A, -1.0);
  fly_add_block_transposed(M, n, 3, 0, A, -1.0);
  fly_add_block(M, n, 3, 3, d.J, 1.0);
  for (int j = 0; j < m; j++) {
    double RN[3], D[3];
    fly_to_space(RN, d.R, k->N + 3 * j);
    axial(D, d.Q + 9 * j);
    fly_add3(D, k->NR + 3 * j, 1);
    fly_add_column(M, n, 0, V_ETA + j, RN, 1);
    put_row(M, n, V_ETA + j, 0, RN, 1);
    fly_add_column(M, n, 3, V_ETA + j, D, 1);
    put_row(M, n, V_ETA + j, 3, D, 1);
  }
}

// With a = (a_r, alpha, eta''): rows R (alpha x s + N eta''); s x R^T a_r + J alpha + d eta''; N_j . R^T a_r + d_j .
// alpha.
void fly_flexible_mass_slope(double *D, const fly_body_at *at, const double *a, const fly_body_own *own) {
  const fly_flexible *k = modes_of(own);
  if (k->points) {
    fly_flexible_points_mass_slope(D, at, a, own);
    return;
  }
  const int m = k->modes, n = V_ETA + m;
  const double *alpha = a + 3;
  deformed d;
  double A[9], u[3], Na[3], ar[3];
  const int alone = first_alone(k, at, own);
  deform(&d, k, at);
  memset(D, 0, (size_t)(n * n) * sizeof *D);
  fly_to_body(ar, d.R, a);
  fly_cross(u, alpha, d.s);
  moved(Na, k, k->N, a + V_ETA);
  fly_add3(u, Na, 1);
  fly_times_skew(A, d.R, u);
  fly_add_block(D, n, 0, 3, A, -1.0);
  fly_skew_skew(A, d.s, ar);
  fly_add_block(D, n, 3, 3, A, 1.0);
  for (int i = 0; i < m; i++) {
    const double *N = k->N + 3 * i;
    double turned[3], slope[3], pairs[3];
    fly_cross(turned, alpha, N);
    fly_to_space(u, d.R, turned);
    fly_add_column(D, n, 0, V_ETA + i, u, 1);
    fly_cross(u, N, ar);
    fly_add_column(D, n, 3, V_ETA + i, u, 1);
    put_row(D, n, V_ETA + i, 3, u, 1); // N^T [ar] = (N x ar)^T
    inertia_slope(slope, d.Q + 9 * i, alpha);
    add_pairs(A, k, i, a + V_ETA);
    axial(pairs, A);
    fly_add_column(D, n, 3, V_ETA + i, slope, 1);
    fly_add_column(D, n, 3, V_ETA + i, pairs, 1);
    for (int j = fly_next_mode(-1, i, alone, m); !k->apart && j < m; j = fly_next_mode(j, i, alone, m)) {
      axial(u, k->P + 9 * (m * i + j));
      D[n * (V_ETA + j) + V_ETA + i] = fly_dot3(u, alpha);
    }
  }
}

// ------------------------------------------------------------------------------------------ forces

// z = w x (w x s) + 2 w x N eta'
static void swing(double z[3], const double w[3], const double s[3], const double Nv[3]) {
  double ws[3];
  fly_cross(ws, w, s);
  fly_add3(ws, Nv, 2);
  fly_cross(z, w, ws);
}

// L = (J + JR) w + NR eta'
static void spin(double L[3], const deformed *d, const fly_flexible *k, const double *v) {
  double NRv[3];
  fly_to_space(L, d->J, v + 3);
  moved(NRv, k, k->NR, v + V_ETA);
  fly_add3(L, NRv, 1);
}

static void force_on_frame(double *f, const deformed *d, const fly_flexible *k, const double *v,
                           const double gravity[3]) {
  const double *w = v + 3;
  double Nv[3], z[3], Rz[3], L[3], u[3];
  moved(Nv, k, k->N, v + V_ETA);
  swing(z, w, d->s, Nv);
  fly_to_space(Rz, d->R, z);
  fly_add3(f, Rz, -1);
  spin(L, d, k, v);
  fly_cross(u, w, L);
  fly_add3(f + 3, u, -1);
  fly_cross(u, d->s, gravity);
  fly_add3(f + 3, u, 1);
  for (int j = 0; j < d->n; j++) {
    turned_by(u, d->Q + 9 * j, w);
    fly_add3(f + 3, u, -2 * v[V_ETA + j]);
  }
}

// f -= (K eta + D eta')
static void strain(double *f, const fly_flexible *k, const double *eta, const double *rate) {
  const int n = k->modes;
  for (int j = 0; j < n; j++)
    for (int i = k->orthogonal ? j : 0; i < (k->orthogonal ? j + 1 : n); i++)
      f[j] -= k->K[n * j + i] * eta[i] + k->D[n * j + i] * rate[i];
}

// f_j -= 2 w . sum_i eta_i' e_ji
static void whirl(double *f, const fly_flexible *k, const double w[3], const double *rate) {
  double Y[9 * FLY_MODES_MOST] = {0}, e[3];
  if (k->apart)
    return;
  add_rows(Y, k->P, rate, k->modes);
  for (int j = 0; j < k->modes; j++) {
    axial(e, Y + 9 * j);
    f[j] -= 2 * fly_dot3(w, e);
  }
}

// Its derivatives with respect to w.
static void whirl_slopes(double *C, const fly_flexible *k, const double *rate) {
  double Y[9 * FLY_MODES_MOST] = {0}, e[3];
  if (k->apart)
    return;
  add_rows(Y, k->P, rate, k->modes);
  for (int j = 0; j < k->modes; j++) {
    axial(e, Y + 9 * j);
    put_row(C, V_ETA + k->modes, V_ETA + j, 3, e, -2);
  }
}

void fly_flexible_force(double *f, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const fly_flexible *k = modes_of(own);
  if (k->points) {
    fly_flexible_points_force(f, at, g, own);
    return;
  }
  const double *v = at->v, *w = v + 3;
  deformed d;
  double gravity[3];
  deform(&d, k, at);
  fly_to_body(gravity, d.R, g);
  fly_add3(f, g, own->mass);
  force_on_frame(f, &d, k, v, gravity);
  for (int j = 0; j < d.n; j++)
    f[V_ETA + j] += fly_dot3(k->N + 3 * j, gravity) + swung_by(d.Q + 9 * j, w);
  whirl(f + V_ETA, k, w, v + V_ETA);
  strain(f + V_ETA, k, at->q + Q_ETA, v + V_ETA);
}

static void derivatives_of_frame(double *K, double *C, const deformed *d, const fly_flexible *k, const double *v,
                                 const double gravity[3]) {
  const int n = V_ETA + d->n;
  const double *w = v + 3;
  double Nv[3], z[3], L[3], ws[3], A[9], S[9];
  moved(Nv, k, k->N, v + V_ETA);
  swing(z, w, d->s, Nv);
  fly_times_skew(A, d->R, z);
  fly_add_block(K, n, 0, 3, A, 1.0);
  fly_cross(ws, w, d->s);
  fly_add3(ws, Nv, 2);
  fly_skew(S, ws); // dz = -[w x s + 2 N eta'] dw - [w][s] dw
  fly_skew_skew(A, w, d->s);
  for (int c = 0; c < 9; c++)
    S[c] += A[c];
  fly_multiply3(A, d->R, S);
  fly_add_block(C, n, 0, 3, A, 1.0);
  fly_skew_skew(A, d->s, gravity);
  fly_add_block(K, n, 3, 3, A, 1.0);
  spin(L, d, k, v);
  fly_skew(A, L);
  fly_add_block(C, n, 3, 3, A, 1.0);
  fly_skew_times(A, w, d->J);
  fly_add_block(C, n, 3, 3, A, -1.0);
  for (int j = 0; j < d->n; j++) {
    const double *Q = d->Q + 9 * j;
    for (int c = 0; c < 9; c++)
      C[n * (3 + c / 3) + 3 + c % 3] -= 2 * v[V_ETA + j] * ((c % 4 == 0 ? trace(Q) : 0) - Q[c]);
  }
}

// Columns of mode i.
static void derivatives_by_mode(double *K, double *C, int i, const deformed *d, const fly_flexible *k, const double *v,
                                const double gravity[3]) {
  const int n = V_ETA + d->n, column = V_ETA + i;
  const double *w = v + 3, *N = k->N + 3 * i;
  double wN[3], wwN[3], u[3], pairs[9];
  fly_cross(wN, w, N);
  fly_cross(wwN, w, wN);
  fly_to_space(u, d->R, wwN);
  fly_add_column(K, n, 0, column, u, -1);
  fly_to_space(u, d->R, wN);
  fly_add_column(C, n, 0, column, u, -2);
  fly_cross(u, N, gravity);
  fly_add_column(K, n, 3, column, u, 1);
  put_row(K, n, column, 3, u, 1);
  inertia_slope(u, d->Q + 9 * i, w);
  fly_cross(wwN, w, u);
  fly_add_column(K, n, 3, column, wwN, -1);
  put_row(C, n, column, 3, u, 1); // d(w . (tr Q - Q) w)/dw
  add_pairs(pairs, k, i, v + V_ETA);
  turned_by(u, pairs, w);
  fly_add_column(K, n, 3, column, u, -2);
  fly_cross(u, w, k->NR + 3 * i);
  fly_add_column(C, n, 3, column, u, -1);
  turned_by(u, d->Q + 9 * i, w);
  fly_add_column(C, n, 3, column, u, -2);
}

void fly_flexible_derivatives(double *K, double *C, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const fly_flexible *k = modes_of(own);
  if (k->points) {
    fly_flexible_points_derivatives(K, C, at, g, own);
    return;
  }
  const int m = k->modes, n = V_ETA + m;
  const double *v = at->v, *w = v + 3;
  deformed d;
  double gravity[3], e[3];
  deform(&d, k, at);
  fly_to_body(gravity, d.R, g);
  memset(K, 0, (size_t)(n * n) * sizeof *K);
  memset(C, 0, (size_t)(n * n) * sizeof *C);
  derivatives_of_frame(K, C, &d, k, v, gravity);
  whirl_slopes(C, k, v + V_ETA);
  const int alone = first_alone(k, at, own);
  for (int i = 0; i < m; i++) {
    derivatives_by_mode(K, C, i, &d, k, v, gravity);
    for (int j = fly_next_mode(-1, i, alone, m); j < m; j = fly_next_mode(j, i, alone, m)) {
      const double *P = k->P + 9 * (m * i + j);
      axial(e, P);
      K[n * (V_ETA + j) + V_ETA + i] += swung_by(P, w) - k->K[m * j + i];
      C[n * (V_ETA + j) + V_ETA + i] -= 2 * fly_dot3(w, e) + k->D[m * j + i];
    }
  }
}

// ------------------------------------------------------------------------------------------ energy

// x . A x, A one of M, K, D
static double form(const fly_flexible *k, const double *A, const double *x) {
  const int n = k->modes;
  double sum = 0;
  for (int j = 0; j < n; j++)
    for (int i = k->orthogonal ? j : 0; i < (k->orthogonal ? j + 1 : n); i++)
      sum += x[j] * A[n * j + i] * x[i];
  return sum;
}

// As M has it, without M: nothing here takes memory.
double fly_flexible_kinetic(const fly_body_at *at, const fly_body_own *own) {
  const fly_flexible *k = modes_of(own);
  if (k->points)
    return fly_flexible_points_kinetic(at, own);
  const double *v = at->v, *w = v + 3, *rate = v + V_ETA;
  deformed d;
  double u[3], Nv[3], Ru[3], L[3], D[3];
  deform(&d, k, at);
  fly_cross(u, w, d.s);
  moved(Nv, k, k->N, rate);
  fly_add3(u, Nv, 1);
  fly_to_space(Ru, d.R, u);
  fly_to_space(L, d.J, w);
  double sum = own->mass * fly_dot3(v, v) / 2 + fly_dot3(v, Ru) + fly_dot3(w, L) / 2 + form(k, k->M, rate) / 2;
  for (int j = 0; j < d.n; j++) {
    axial(D, d.Q + 9 * j);
    fly_add3(D, k->NR + 3 * j, 1);
    sum += rate[j] * fly_dot3(w, D);
  }
  return sum;
}

double fly_flexible_weight(const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const fly_flexible *k = modes_of(own);
  if (k->points)
    return fly_flexible_points_weight(at, g, own);
  double s[3], R[9], Rs[3];
  moved(s, k, k->N, at->q + Q_ETA);
  fly_add3(s, k->S, 1);
  fly_quat_matrix(R, at->q + 3);
  fly_to_space(Rs, R, s);
  return -own->mass * fly_dot3(g, at->q) - fly_dot3(g, Rs);
}

double fly_flexible_elastic(const fly_body_at *at, const fly_body_own *own) {
  return form(modes_of(own), modes_of(own)->K, at->q + Q_ETA) / 2;
}

double fly_flexible_dissipation(const fly_body_at *at, const fly_body_own *own) {
  return form(modes_of(own), modes_of(own)->D, at->v + V_ETA);
}
