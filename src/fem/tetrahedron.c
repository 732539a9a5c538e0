// The ten-node tetrahedron (Zienkiewicz and Taylor, The Finite Element Method, volume 1, chapter 8): displacements and
// places are quadratic in the volume coordinates l1 ... l4,
//
//   N_i = l_i (2 l_i - 1) at the corners,   N = 4 l_a l_b between corners a and b
//
// K = int B^T D B by four points, exact where its edges are straight; M = int rho N N^T by fifteen (Keast 1986, exact
// to the fifth power).
#include <math.h>
#include <string.h>

#include "fem/element.h"

static const int EDGE[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

static void shapes(double N[10], const double l[4]) {
  for (int i = 0; i < 4; i++)
    N[i] = l[i] * (2 * l[i] - 1);
  for (int e = 0; e < 6; e++)
    N[4 + e] = 4 * l[EDGE[e][0]] * l[EDGE[e][1]];
}

// By l2, l3, l4, with l1 = 1 - l2 - l3 - l4.
static void slopes(double dN[10][3], const double l[4]) {
  memset(dN, 0, 30 * sizeof(double));
  for (int j = 0; j < 3; j++) {
    dN[0][j] = 1 - 4 * l[0];
    dN[1 + j][j] = 4 * l[1 + j] - 1;
  }
  for (int e = 0; e < 6; e++)
    for (int j = 0; j < 3; j++) {
      const int a = EDGE[e][0], b = EDGE[e][1];
      const double da = a == 0 ? -1 : a == j + 1, db = b == 0 ? -1 : b == j + 1;
      dN[4 + e][j] = 4 * (da * l[b] + db * l[a]);
    }
}

// Inverse of J = dx/dl, and its determinant.
static double invert(double inverse[9], const double J[9]) {
  const double c0 = J[4] * J[8] - J[5] * J[7], c1 = J[5] * J[6] - J[3] * J[8], c2 = J[3] * J[7] - J[4] * J[6];
  const double det = J[0] * c0 + J[1] * c1 + J[2] * c2;
  const double of[9] = {c0, J[2] * J[7] - J[1] * J[8], J[1] * J[5] - J[2] * J[4],
                        c1, J[0] * J[8] - J[2] * J[6], J[2] * J[3] - J[0] * J[5],
                        c2, J[1] * J[6] - J[0] * J[7], J[0] * J[4] - J[1] * J[3]};
  for (int i = 0; i < 9; i++)
    inverse[i] = of[i] / det;
  return det;
}

// Slopes by x, y, z, and the determinant of the map.
static double slopes_in_space(double g[10][3], const double l[4], const double x[10][3]) {
  double dN[10][3], J[9] = {0}, inverse[9];
  slopes(dN, l);
  for (int k = 0; k < 10; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        J[3 * i + j] += x[k][i] * dN[k][j];
  const double det = invert(inverse, J);
  for (int k = 0; k < 10; k++)
    for (int i = 0; i < 3; i++)
      g[k][i] = dN[k][0] * inverse[i] + dN[k][1] * inverse[3 + i] + dN[k][2] * inverse[6 + i];
  return det;
}

// K_ab = lambda g_a g_b^T + mu (g_b g_a^T + g_a . g_b)
static void add_stiffness(double *K, double g[10][3], double weight, double lambda, double mu) {
  for (int a = 0; a < 10; a++)
    for (int b = 0; b < 10; b++) {
      const double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          K[30 * (3 * a + i) + 3 * b + j] +=
              weight * (lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i] + (i == j ? mu * dot : 0));
    }
}

static void add_mass(double *M, const double N[10], double weight) {
  for (int a = 0; a < 10; a++)
    for (int b = 0; b < 10; b++)
      for (int i = 0; i < 3; i++)
        M[30 * (3 * a + i) + 3 * b + i] += weight * N[a] * N[b];
}

static void lame(const fly_fem_material *m, double *lambda, double *mu) {
  *lambda = m->E * m->nu / ((1 + m->nu) * (1 - 2 * m->nu));
  *mu = m->E / (2 * (1 + m->nu));
}

// At the p-th of four points; each has a quarter of the volume, det/24.
static double slopes_at_point(double g[10][3], int p, const double x[10][3]) {
  const double a = 0.58541019662496845446, b = 0.13819660112501051518;
  double l[4] = {b, b, b, b};
  l[p] = a;
  return slopes_in_space(g, l, x);
}

static bool stiffness(double *K, const double x[10][3], const fly_fem_material *m) {
  double lambda, mu;
  lame(m, &lambda, &mu);
  for (int p = 0; p < 4; p++) {
    double g[10][3];
    const double det = slopes_at_point(g, p, x);
    if (!(det > 0))
      return false;
    add_stiffness(K, g, det / 24, lambda, mu);
  }
  return true;
}

typedef struct orbit {
  int kind; // 1: the centroid; 4: one coordinate other than three; 6: two and two
  double a, weight;
} orbit;

static const orbit ORBITS[] = {{1, 0.25, 0.030283678097089},
                               {4, 1.0 / 3, 0.006026785714286},
                               {4, 1.0 / 11, 0.011645249086029},
                               {6, 0.066550153573664, 0.010949141561386}};

static bool add_point(double *M, const double l[4], double weight, const double x[10][3]) {
  double N[10], g[10][3];
  const double det = slopes_in_space(g, l, x);
  shapes(N, l);
  add_mass(M, N, weight * det);
  return det > 0;
}

static bool mass(double *M, const double x[10][3], double density) {
  bool good = true;
  for (int k = 0; k < 4; k++) {
    const orbit *o = &ORBITS[k];
    for (int p = 0; p < o->kind; p++) {
      double l[4] = {o->a, o->a, o->a, o->a};
      if (o->kind == 4)
        l[p] = 1 - 3 * o->a;
      if (o->kind == 6)
        l[EDGE[p][0]] = l[EDGE[p][1]] = 0.5 - o->a;
      good = add_point(M, l, density * o->weight, x) && good;
    }
  }
  return good;
}

bool fly_fem_tetrahedron(double *K, double *M, const double x[10][3], const fly_fem_material *m) {
  memset(K, 0, 900 * sizeof *K);
  memset(M, 0, 900 * sizeof *M);
  return stiffness(K, x, m) && mass(M, x, m->density);
}

bool fly_fem_tetrahedron_slopes(double g[10][3], int k, const double x[10][3]) {
  double l[4] = {0};
  if (k < 4)
    l[k] = 1;
  else
    l[EDGE[k - 4][0]] = l[EDGE[k - 4][1]] = 0.5;
  return slopes_in_space(g, l, x) > 0;
}

void fly_fem_gradient(double gradient[9], const double g[10][3], const double u[30]) {
  memset(gradient, 0, 9 * sizeof *gradient);
  for (int a = 0; a < 10; a++)
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++)
        gradient[3 * j + i] += g[a][j] * u[3 * a + i];
}

void fly_fem_stress(double stress[6], const double gradient[9], const fly_fem_material *m) {
  double lambda, mu;
  lame(m, &lambda, &mu);
  const double trace = gradient[0] + gradient[4] + gradient[8];
  for (int i = 0; i < 3; i++)
    stress[i] = lambda * trace + 2 * mu * gradient[4 * i];
  stress[3] = mu * (gradient[1] + gradient[3]);
  stress[4] = mu * (gradient[5] + gradient[7]);
  stress[5] = mu * (gradient[2] + gradient[6]);
}

// G_ab = g_a . sigma g_b, the same along x, y and z
static void add_stiffening(double *G, double g[10][3], const double t[6], double weight) {
  for (int b = 0; b < 10; b++) {
    const double *h = g[b];
    const double pull[3] = {t[0] * h[0] + t[3] * h[1] + t[5] * h[2], t[3] * h[0] + t[1] * h[1] + t[4] * h[2],
                            t[5] * h[0] + t[4] * h[1] + t[2] * h[2]};
    for (int a = 0; a < 10; a++)
      for (int i = 0; i < 3; i++)
        G[30 * (3 * a + i) + 3 * b + i] += weight * (g[a][0] * pull[0] + g[a][1] * pull[1] + g[a][2] * pull[2]);
  }
}

bool fly_fem_tetrahedron_stiffening(double *G, const double x[10][3], const double u[30], const fly_fem_material *m) {
  memset(G, 0, 900 * sizeof *G);
  for (int p = 0; p < 4; p++) {
    double g[10][3], gradient[9], stress[6];
    const double det = slopes_at_point(g, p, x);
    if (!(det > 0))
      return false;
    fly_fem_gradient(gradient, (const double(*)[3])g, u);
    fly_fem_stress(stress, gradient, m);
    add_stiffening(G, g, stress, det / 24);
  }
  return true;
}
