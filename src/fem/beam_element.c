// Beams of two nodes, Timoshenko's or, without shear, Euler and Bernoulli's. Along xi in [0, 1] of the length L the
// deflection and the turn of a section are those of a beam that is loaded at its ends only (Friedman and Kosmatka
// 1993), with phi = 12 E I/(k G A L^2):
//
//   (1 + phi) v:      2 xi^3 - 3 xi^2 - phi xi + 1 + phi,    L (xi^3 - (2 + phi/2) xi^2 + (1 + phi/2) xi), ...
//   (1 + phi) theta:  6 (xi^2 - xi)/L,                       3 xi^2 - (4 + phi) xi + 1 + phi, ...
//
// K and M are integrals over them, theta', v' - theta, v and theta, by four points: exact.
#include <math.h>
#include <string.h>

#include "fem/element.h"
#include "math/so3.h"

enum { STRETCH, TWIST, ALONG_Y, ALONG_Z, WAYS };

// Rows of one way at xi: what it is made of by the twelve unknowns, in the axes of the section.
typedef struct rows {
  double v[12], theta[12], bend[12], shear[12]; // displacement, turn, theta', v' - theta
} rows;

typedef struct bar {
  double L, R[9]; // axes of the section in rows
} bar;

static bool axes_of(bar *b, const double x[2][3], const double y[3]) {
  double *ex = b->R, *ey = b->R + 3, *ez = b->R + 6;
  for (int i = 0; i < 3; i++)
    ex[i] = x[1][i] - x[0][i];
  b->L = sqrt(fly_dot3(ex, ex));
  if (!(b->L > 0))
    return false;
  for (int i = 0; i < 3; i++)
    ex[i] /= b->L;
  fly_cross(ez, ex, y);
  const double size = sqrt(fly_dot3(ez, ez));
  if (!(size > 1e-6 * sqrt(fly_dot3(y, y))))
    return false;
  for (int i = 0; i < 3; i++)
    ez[i] /= size;
  fly_cross(ey, ez, ex);
  return true;
}

// Along y a beam turns about z; along z about -y, so that the turns change their sign.
static void bending_rows(rows *r, int way, double xi, double L, double phi) {
  const int v = way == ALONG_Y ? 1 : 2, t = way == ALONG_Y ? 5 : 4;
  const double sign = way == ALONG_Y ? 1 : -1, d = 1 / (1 + phi), x2 = xi * xi, x3 = x2 * xi;
  const int at[4] = {v, t, v + 6, t + 6};
  const double f[4] = {2 * x3 - 3 * x2 - phi * xi + 1 + phi, L * (x3 - (2 + phi / 2) * x2 + (1 + phi / 2) * xi),
                       -2 * x3 + 3 * x2 + phi * xi, L * (x3 - (1 - phi / 2) * x2 - phi / 2 * xi)};
  const double df[4] = {6 * x2 - 6 * xi - phi, L * (3 * x2 - (4 + phi) * xi + 1 + phi / 2), -6 * x2 + 6 * xi + phi,
                        L * (3 * x2 - (2 - phi) * xi - phi / 2)};
  const double g[4] = {6 * (x2 - xi) / L, 3 * x2 - (4 + phi) * xi + 1 + phi, -6 * (x2 - xi) / L,
                       3 * x2 - (2 - phi) * xi};
  const double dg[4] = {6 * (2 * xi - 1) / L, 6 * xi - 4 - phi, -6 * (2 * xi - 1) / L, 6 * xi - 2 + phi};
  for (int k = 0; k < 4; k++) {
    const double s = d * (k % 2 ? sign : 1);
    r->v[at[k]] = s * f[k];
    r->theta[at[k]] = s * g[k];
    r->bend[at[k]] = s * dg[k] / L;
    r->shear[at[k]] = s * (df[k] / L - g[k]);
  }
}

static void rows_at(rows *r, int way, double xi, double L, double phi) {
  memset(r, 0, sizeof *r);
  if (way == ALONG_Y || way == ALONG_Z) {
    bending_rows(r, way, xi, L, phi);
    return;
  }
  const int at = way == STRETCH ? 0 : 3;
  r->v[at] = 1 - xi;
  r->v[at + 6] = xi;
  r->bend[at] = -1 / L;
  r->bend[at + 6] = 1 / L;
}

// What a piece of unit length has: stiffness against theta' and shear, mass of v and theta.
typedef struct piece {
  double bend, shear, mass, turn, phi;
} piece;

static piece piece_of(int way, double L, const fly_fem_material *m, const fly_fem_section *s) {
  const double G = m->E / (2 * (1 + m->nu)), rho = m->density;
  if (way == STRETCH)
    return (piece){.bend = m->E * s->area, .mass = rho * s->area};
  if (way == TWIST)
    return (piece){.bend = G * s->J, .mass = rho * (s->Iy + s->Iz)};
  const double I = way == ALONG_Y ? s->Iz : s->Iy, k = s->shear[way == ALONG_Y ? 0 : 1], kGA = k * G * s->area;
  return (piece){.bend = m->E * I,
                 .shear = kGA,
                 .mass = rho * s->area,
                 .turn = rho * I,
                 .phi = k > 0 ? 12 * m->E * I / (kGA * L * L) : 0};
}

static void add_products(double *K, double *M, const rows *r, const piece *p, double weight) {
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) {
      K[12 * i + j] += weight * (p->bend * r->bend[i] * r->bend[j] + p->shear * r->shear[i] * r->shear[j]);
      M[12 * i + j] += weight * (p->mass * r->v[i] * r->v[j] + p->turn * r->theta[i] * r->theta[j]);
    }
}

// T^T A T with T the axes of the section, four times.
static void to_space(double *A, const double R[9]) {
  double B[144] = {0};
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++)
      for (int k = 0; k < 3; k++)
        B[12 * i + j] += A[12 * i + j / 3 * 3 + k] * R[3 * k + j % 3];
  memset(A, 0, 144 * sizeof *A);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++)
      for (int k = 0; k < 3; k++)
        A[12 * i + j] += R[3 * k + i % 3] * B[12 * (i / 3 * 3 + k) + j];
}

static const double XI[4] = {0.0694318442029737, 0.3300094782075719, 0.6699905217924281, 0.9305681557970263};
static const double WEIGHT[4] = {0.1739274225687269, 0.3260725774312731, 0.3260725774312731, 0.1739274225687269};

bool fly_fem_beam(double *K, double *M, const double x[2][3], const fly_fem_material *m, const fly_fem_section *s) {
  bar b = {0};
  memset(K, 0, 144 * sizeof *K);
  memset(M, 0, 144 * sizeof *M);
  if (!axes_of(&b, x, s->y))
    return false;
  for (int way = 0; way < WAYS; way++) {
    const piece p = piece_of(way, b.L, m, s);
    for (int k = 0; k < 4; k++) {
      rows r;
      rows_at(&r, way, XI[k], b.L, p.phi);
      add_products(K, M, &r, &p, WEIGHT[k] * b.L);
    }
  }
  to_space(K, b.R);
  to_space(M, b.R);
  return true;
}

static double product(const double a[12], const double b[12]) {
  double sum = 0;
  for (int i = 0; i < 12; i++)
    sum += a[i] * b[i];
  return sum;
}

bool fly_fem_beam_stress(double stress[6], int end, const double point[2], const double x[2][3], const double u[12],
                         const fly_fem_material *m, const fly_fem_section *s) {
  bar b = {0};
  double local[12], bend[WAYS];
  if (!axes_of(&b, x, s->y))
    return false;
  for (int i = 0; i < 12; i++)
    local[i] = fly_dot3(b.R + 3 * (i % 3), u + i / 3 * 3);
  for (int way = 0; way < WAYS; way++) {
    rows r;
    const piece p = piece_of(way, b.L, m, s);
    rows_at(&r, way, end, b.L, p.phi);
    bend[way] = product(r.bend, local);
  }
  const double G = m->E / (2 * (1 + m->nu));
  memset(stress, 0, 6 * sizeof *stress);
  stress[0] = m->E * (bend[STRETCH] - point[0] * bend[ALONG_Y] - point[1] * bend[ALONG_Z]);
  stress[3] = -G * bend[TWIST] * point[1];
  stress[5] = G * bend[TWIST] * point[0];
  return true;
}

// N = E A (u_2 - u_1) . e_x/L;   v' = (v' - theta) + theta
bool fly_fem_beam_stiffening(double *G, const double x[2][3], const double u[12], const fly_fem_material *m,
                             const fly_fem_section *s) {
  bar b = {0};
  memset(G, 0, 144 * sizeof *G);
  if (!axes_of(&b, x, s->y))
    return false;
  const double N = m->E * s->area * (fly_dot3(b.R, u + 6) - fly_dot3(b.R, u)) / b.L;
  for (int way = ALONG_Y; way <= ALONG_Z; way++) {
    const piece p = piece_of(way, b.L, m, s);
    for (int k = 0; k < 4; k++) {
      rows r;
      rows_at(&r, way, XI[k], b.L, p.phi);
      for (int c = 0; c < 144; c++)
        G[c] += WEIGHT[k] * b.L * N * (r.shear[c / 12] + r.theta[c / 12]) * (r.shear[c % 12] + r.theta[c % 12]);
    }
  }
  to_space(G, b.R);
  return true;
}
