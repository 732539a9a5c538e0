// Single elements: the patch test, motions as a whole, masses, and beams against closed forms.
#include "meshes.h"

#include "fem/element.h"

static const fly_fem_material STEEL = {"steel", 2.1e11, 0.3, 7850};

static double noise(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

// A tetrahedron that is no nice one; bent: its edges are curved.
static void make_tetrahedron(double x[10][3], double bent, unsigned seed) {
  static const int EDGE[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  static const double CORNER[4][3] = {{0.1, 0, 0}, {1, 0.2, 0.1}, {0.3, 0.9, -0.1}, {0.2, 0.3, 0.8}};
  memcpy(x, CORNER, sizeof CORNER);
  for (int e = 0; e < 6; e++)
    for (int i = 0; i < 3; i++)
      x[4 + e][i] = (x[EDGE[e][0]][i] + x[EDGE[e][1]][i]) / 2 + bent * noise(&seed);
}

// A field of constant strain gives this strain at every node, and forces that are in balance; a turn gives none.
static void a_patch_of_constant_strain(void **state) {
  for (int bent = 0; bent < 2; bent++) {
    double x[10][3], K[900], M[900], u[30], stress[6], want[6], g[10][3], gradient[9];
    const double G[9] = {1e-3, 2e-3, -1e-3, 3e-3, -2e-3, 1e-3, 4e-3, 2e-3, 5e-4}; // of displacement i along j
    make_tetrahedron(x, bent ? 0.05 : 0, 3);
    assert_true(fly_fem_tetrahedron(K, M, (const double(*)[3])x, &STEEL));
    for (int k = 0; k < 10; k++)
      for (int i = 0; i < 3; i++)
        u[3 * k + i] = 0.1 + G[i] * x[k][0] + G[3 + i] * x[k][1] + G[6 + i] * x[k][2];
    fly_fem_stress(want, G, &STEEL);
    for (int k = 0; k < 10; k++) {
      assert_true(fly_fem_tetrahedron_slopes(g, k, (const double(*)[3])x));
      fly_fem_gradient(gradient, (const double(*)[3])g, u);
      fly_fem_stress(stress, gradient, &STEEL);
      for (int i = 0; i < 6; i++)
        assert_near(stress[i], want[i], 1e-9 * 2.1e11);
    }
    double energy = 0, volume = 0, strain = 0;
    for (int i = 0; i < 900; i++)
      energy += u[i / 30] * K[i] * u[i % 30];
    for (int i = 0; i < 900; i++)
      volume += i / 30 % 3 == 0 && i % 30 % 3 == 0 ? M[i] / STEEL.density : 0;
    strain = want[0] * G[0] + want[1] * G[4] + want[2] * G[8] + want[3] * (G[1] + G[3]) + want[4] * (G[5] + G[7]) +
             want[5] * (G[2] + G[6]);
    if (!bent) // four points are exact of straight edges
      assert_near(energy, strain * volume, 1e-12 * strain * volume);
  }
}

static void six_motions_cost_nothing(void **state) {
  double x[10][3], K[900], M[900], mass = 0;
  make_tetrahedron(x, 0.05, 5);
  assert_true(fly_fem_tetrahedron(K, M, (const double(*)[3])x, &STEEL));
  for (int way = 0; way < 6; way++)
    for (int r = 0; r < 30; r++) {
      double force = 0;
      for (int k = 0; k < 10; k++) {
        double u[3] = {0};
        const int b = (way + 1) % 3, c = (way + 2) % 3;
        if (way < 3)
          u[way] = 1;
        else {
          u[b] = -x[k][c];
          u[c] = x[k][b];
        }
        for (int i = 0; i < 3; i++)
          force += K[30 * r + 3 * k + i] * u[i];
      }
      assert_near(force, 0, 1e-13 * 2.1e11);
    }
  for (int i = 0; i < 900; i++)
    mass += M[i];
  assert_true(mass > 0);
}

// rho V (2 on the diagonal of corners, 16 ... )/420 of a tetrahedron with straight edges: its entries are known.
static void the_mass_is_that_of_the_integrals(void **state) {
  double x[10][3], K[900], M[900], total = 0;
  make_tetrahedron(x, 0, 5);
  assert_true(fly_fem_tetrahedron(K, M, (const double(*)[3])x, &STEEL));
  for (int a = 0; a < 10; a++)
    for (int b = 0; b < 10; b++)
      total += M[90 * a + 3 * b];
  assert_near(M[0], total * 6 / 420, 1e-12 * total);
  assert_near(M[3], total / 420, 1e-12 * total);
  assert_near(M[90 * 4 + 3 * 4], total * 32 / 420, 1e-12 * total);
  assert_near(M[90 * 4 + 3 * 5], total * 16 / 420, 1e-12 * total);
  assert_near(M[90 * 4 + 3 * 9], total * 8 / 420, 1e-12 * total); // edges that do not meet
}

static void an_element_inside_out_is_refused(void **state) {
  double x[10][3], K[900], M[900];
  make_tetrahedron(x, 0, 5);
  for (int k = 0; k < 10; k++)
    x[k][2] = -x[k][2];
  assert_false(fly_fem_tetrahedron(K, M, (const double(*)[3])x, &STEEL));
}

// ------------------------------------------------------------------------------------------ beams

static void solve12(double *K, double *b) { // unknowns 6 ... 11
  for (int p = 6; p < 12; p++)
    for (int i = p + 1; i < 12; i++) {
      const double f = K[12 * i + p] / K[13 * p];
      for (int j = p; j < 12; j++)
        K[12 * i + j] -= f * K[12 * p + j];
      b[i] -= f * b[p];
    }
  for (int p = 11; p >= 6; p--) {
    for (int j = p + 1; j < 12; j++)
      b[p] -= K[12 * p + j] * b[j];
    b[p] /= K[13 * p];
  }
}

// F L^3/(3 E I) + F L/(k G A) at the end of one element, in any direction; stress M y/I at its root.
static void a_cantilever_bends_as_it_should(void **state) {
  const double x[2][3] = {{0.1, 0.2, 0.3}, {0.1 + 0.6 * 0.8, 0.2 + 0.64 * 0.8, 0.3 + 0.48 * 0.8}}, L = 0.8, F = 1000;
  fly_fem_section s = {.y = {0, 0, 1}};
  double K[144], M[144], u[12] = {0}, stress[6];
  fly_fem_section_rectangle(&s, 0.04, 0.02);
  assert_true(fly_fem_beam(K, M, x, &STEEL, &s));
  // axes of the section: z = x cross (0, 0, 1), y = z cross x
  const double ex[3] = {0.6, 0.64, 0.48}, size = hypot(ex[0], ex[1]);
  const double ez[3] = {ex[1] / size, -ex[0] / size, 0};
  const double ey[3] = {ez[1] * ex[2] - ez[2] * ex[1], ez[2] * ex[0] - ez[0] * ex[2], ez[0] * ex[1] - ez[1] * ex[0]};
  for (int i = 0; i < 3; i++)
    u[6 + i] = F * ey[i];
  solve12(K, u);
  const double along = u[6] * ey[0] + u[7] * ey[1] + u[8] * ey[2], Iz = 0.02 * pow(0.04, 3) / 12;
  const double G = 2.1e11 / 2.6, kGA = s.shear[0] * G * s.area;
  assert_near(along, F * L * L * L / (3 * 2.1e11 * Iz) + F * L / kGA, 1e-9 * along);
  assert_true(fly_fem_beam_stress(stress, 0, (const double[]){0.02, 0}, x, u, &STEEL, &s));
  assert_near(stress[0], -F * L * 0.02 / Iz, 1e-9 * fabs(stress[0]));
  double mass = 0;
  for (int i = 0; i < 3; i++)
    mass += ey[0] * ey[0] * 0 + M[12 * i + i] + 2 * M[12 * i + 6 + i] + M[12 * (6 + i) + 6 + i];
  assert_near(mass / 3, 7850 * s.area * L, 1e-2 * mass); // rotary inertia is in it too
}

// ------------------------------------------------------------------------------------------ stiffening

// By a constant stress a field of constant gradient has V sigma : grad u^T grad u.
static void a_stressed_tetrahedron_is_stiffer(void **state) {
  double x[10][3], K[900], M[900], own[900], u[30], w[30], stress[6], volume = 0, found = 0, want = 0;
  const double G[9] = {1e-3, 2e-3, -1e-3, 3e-3, -2e-3, 1e-3, 4e-3, 7e-3, 5e-4}; // of displacement i along j
  const double A[9] = {1, 0.3, -2, 0.5, 0.7, 0.2, -0.4, 1.5, 0.6};
  make_tetrahedron(x, 0, 3);
  for (int k = 0; k < 30; k++) {
    const double *p = x[k / 3];
    u[k] = G[k % 3] * p[0] + G[3 + k % 3] * p[1] + G[6 + k % 3] * p[2];
    w[k] = 0.2 + A[k % 3] * p[0] + A[3 + k % 3] * p[1] + A[6 + k % 3] * p[2];
  }
  fly_fem_stress(stress, G, &STEEL);
  const double *t = stress, S[9] = {t[0], t[3], t[5], t[3], t[1], t[4], t[5], t[4], t[2]};
  assert_true(fly_fem_tetrahedron(K, M, (const double(*)[3])x, &STEEL));
  assert_true(fly_fem_tetrahedron_stiffening(own, (const double(*)[3])x, u, &STEEL));
  for (int k = 0; k < 900; k++) {
    volume += k / 30 % 3 == 0 && k % 30 % 3 == 0 ? M[k] / STEEL.density : 0;
    found += w[k / 30] * own[k] * w[k % 30];
    assert_near(own[k], own[30 * (k % 30) + k / 30], 1e-6);
  }
  for (int k = 0; k < 27; k++) // sigma_ab (d_a u_i) (d_b u_i)
    want += S[k / 3] * A[3 * (k / 9) + k % 3] * A[3 * (k / 3 % 3) + k % 3];
  assert_near(found, want * volume, 1e-12 * fabs(want) * volume);
}

// N/(30 L) (36, 3 L, -36, 3 L; 4 L^2, ...) of a beam without shear (Przemieniecki 1968), along y and, with turns of the
// other sign, along z; nothing of stretching and twisting.
static void a_stretched_beam_is_stiffer(void **state) {
  const double x[2][3] = {{0.1, 0, 0}, {0.9, 0, 0}}, L = 0.8, u[12] = {[0] = 1e-4, [6] = 3e-4, [7] = 0.1};
  const double table[4][4] = {{36, 3 * L, -36, 3 * L},
                              {3 * L, 4 * L * L, -3 * L, -L * L},
                              {-36, -3 * L, 36, -3 * L},
                              {3 * L, -L * L, -3 * L, 4 * L * L}};
  static const int AT[2][4] = {{1, 5, 7, 11}, {2, 4, 8, 10}};
  fly_fem_section s = {.y = {0, 1, 0}};
  double G[144], rest = 0;
  fly_fem_section_rectangle(&s, 0.04, 0.02);
  s.shear[0] = s.shear[1] = 0;
  assert_true(fly_fem_beam_stiffening(G, x, u, &STEEL, &s));
  const double N = 2.1e11 * s.area * 2e-4 / L;
  for (int way = 0; way < 2; way++)
    for (int k = 0; k < 16; k++) {
      const double sign = way == 1 && (k / 4 + k % 4) % 2 == 1 ? -1 : 1;
      double *g = &G[12 * AT[way][k / 4] + AT[way][k % 4]];
      assert_near(*g, sign * N / (30 * L) * table[k / 4][k % 4], 1e-10 * N / L);
      *g = 0;
    }
  for (int k = 0; k < 144; k++)
    rest = fmax(rest, fabs(G[k]));
  assert_near(rest, 0, 1e-10 * N);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_patch_of_constant_strain),        cmocka_unit_test(six_motions_cost_nothing),
      cmocka_unit_test(the_mass_is_that_of_the_integrals), cmocka_unit_test(an_element_inside_out_is_refused),
      cmocka_unit_test(a_cantilever_bends_as_it_should),   cmocka_unit_test(a_stressed_tetrahedron_is_stiffer),
      cmocka_unit_test(a_stretched_beam_is_stiffer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
