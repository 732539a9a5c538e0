// The beam element for large turns: derivatives, power, action and reaction at random states; rigid motions; a helix,
// an arc and a small deflection in closed form; sections.
#include "element/states.h"

#include "element/exact_beam.h"
#include "element/section.h"

static const fly_exact_beam BEAM = {.stiffness = {3, 5, 4, 1.2, 2, 1.5},
                                    .damping = {0.3, 0.5, 0.2, 0.1, 0.4, 0.2},
                                    .bowing = {0.7, 0.4},
                                    .free = {0.8, 0.1, -0.1, 0.2, 0.3, -0.4}};

static void force_of(double *Q, const bodies *s, const void *k) {
  const fly_pair p = pair_of(s);
  fly_exact_beam_force(Q, &p, k);
}

// Away from half a turn, where the rotation vector jumps.
static bool far_from_jump(const bodies *s) {
  const fly_pair p = pair_of(s);
  double x[6];
  fly_exact_beam_screw(x, &p);
  return sqrt(fly_dot3(x + 3, x + 3)) < 2.8;
}

static void derivatives_equal_differences(void **state) {
  uint64_t seed = 11;
  for (int n = 0; n < 2 * STATES; n++) {
    const bodies s = random_bodies(2, &seed);
    const fly_pair p = pair_of(&s);
    double K[144], C[144], by_q[144], by_v[144];
    if (!far_from_jump(&s))
      continue;
    fly_exact_beam_derivatives(K, C, &p, &BEAM);
    jacobian_by_differences(by_q, 12, force_of, &s, &BEAM, MOVE_Q, 2e-2);
    jacobian_by_differences(by_v, 12, force_of, &s, &BEAM, MOVE_V, 1e-2);
    check_all_near(K, by_q, 144, 1e-7, "K");
    check_all_near(C, by_v, 144, 1e-9, "C");
  }
}

static double energy_of(const bodies *s) {
  const fly_pair p = pair_of(s);
  return fly_exact_beam_energy(&p, &BEAM);
}

static void power_is_that_of_energy_and_heat(void **state) {
  uint64_t seed = 5;
  for (int n = 0; n < STATES; n++) {
    const bodies s = random_bodies(2, &seed);
    const fly_pair p = pair_of(&s);
    double Q[12], total[6], v[12], rate[2];
    if (!far_from_jump(&s))
      continue;
    velocities(v, &s);
    for (int level = 0; level < 2; level++) {
      const double h = level == 0 ? 2e-4 : 1e-4;
      const bodies up = moved(&s, MOVE_Q, v, h), down = moved(&s, MOVE_Q, v, -h);
      rate[level] = (energy_of(&up) - energy_of(&down)) / (2 * h);
    }
    force_of(Q, &s, &BEAM);
    assert_near(power(Q, &s), -(4 * rate[1] - rate[0]) / 3 - fly_exact_beam_dissipation(&p, &BEAM), 1e-7);
    assert_true(fly_exact_beam_dissipation(&p, &BEAM) > 0);
    resultant(total, Q, &s);
    assert_true(largest(total, 6) < 1e-11);
  }
}

// The second body where a screw x of the first takes it: integrated along it, d' = R e, R' = R [k].
static bodies along_screw(const double x[6], uint64_t *seed) {
  bodies s = random_bodies(2, seed);
  double E[9], B[9], d[3] = {0}, at[3], to[3], q[4] = {1, 0, 0, 0};
  enum { PIECES = 2000 };
  for (int k = 0; k < PIECES; k++) { // the midpoint of each piece: an error of 1/PIECES^2
    const double half[3] = {x[3] / PIECES / 2, x[4] / PIECES / 2, x[5] / PIECES / 2};
    fly_quat_plus(q, q, half);
    fly_quat_rotate(at, q, x);
    for (int i = 0; i < 3; i++)
      d[i] += at[i] / PIECES;
    fly_quat_plus(q, q, half);
  }
  fly_quat_matrix(E, q);
  for (int i = 0; i < 2; i++) { // markers in the frames of their bodies
    memset(s.m[i].s, 0, sizeof s.m[i].s);
    memcpy(s.m[i].A, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof s.m[i].A);
  }
  fly_multiply3(B, s.b[0].R, E);
  memcpy(s.b[1].R, B, sizeof B);
  fly_to_space(to, s.b[0].R, d);
  for (int i = 0; i < 3; i++)
    s.b[1].r[i] = s.b[0].r[i] + to[i];
  return s;
}

static void a_screw_is_found_again(void **state) {
  uint64_t seed = 21;
  for (int n = 0; n < STATES; n++) {
    double x[6], found[6];
    random_vector(x, 6, 1.5, &seed);
    const bodies s = along_screw(x, &seed);
    const fly_pair p = pair_of(&s);
    fly_exact_beam_screw(found, &p);
    for (int i = 0; i < 6; i++)
      assert_near(found[i], x[i], 2e-6);
  }
}

// A moment alone bends it into an arc: no other load, and the moment is EI times the curvature.
static void a_moment_makes_an_arc(void **state) {
  uint64_t seed = 2;
  fly_exact_beam k = {.free = {0.8}};
  fly_exact_beam_stiffness(&k, (const double[]){9, 0, 7, 2, 3, 4}, 0.8);
  const double x[6] = {0.8, 0, 0, 0, 0, 2};
  bodies s = along_screw(x, &seed);
  double f[6];
  for (int i = 0; i < 2; i++) {
    memset(s.b[i].v, 0, sizeof s.b[i].v);
    memset(s.b[i].w, 0, sizeof s.b[i].w);
  }
  const fly_pair p = pair_of(&s);
  fly_exact_beam_load(f, &p, &k);
  for (int i = 0; i < 6; i++)
    assert_near(f[i], i == 5 ? 4 * 2 / 0.8 : 0, 1e-5);
}

// F L^3/3 EI + F L a/GA at the end of a clamped piece, turned by F L^2/2 EI.
static void it_bends_as_in_the_handbook(void **state) {
  const double L = 0.8, EI = 4, GA = 7, F = 1e-6;
  for (int sheared = 0; sheared < 2; sheared++) {
    fly_exact_beam beam;
    const double *k = beam.stiffness;
    fly_exact_beam_stiffness(&beam, (const double[]){9, sheared * GA, 0, 2, 3, EI}, L);
    const double deflection = F * L * L * L / (3 * EI) + sheared * F * L / GA, turn = F * L * L / (2 * EI);
    assert_near(k[1] * (deflection - turn * L / 2) / F, 1, 1e-12);
    assert_near(k[5] * turn / (F * L / 2), 1, 1e-12); // in the middle
  }
}

// 0.1406 a^4 and b^3 a/3 (1 - 0.63 b/a) are in every handbook.
static void rectangles_twist(void **state) {
  assert_near(fly_section_rectangle_torsion(2, 2) / 16, 0.140577, 1e-6);
  assert_near(fly_section_rectangle_torsion(1, 20), 20.0 / 3 * (1 - 0.630248 / 20), 1e-5);
  assert_near(fly_section_rectangle_torsion(2, 1), 2 * 0.228682, 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_equal_differences), cmocka_unit_test(power_is_that_of_energy_and_heat),
      cmocka_unit_test(a_screw_is_found_again),        cmocka_unit_test(a_moment_makes_an_arc),
      cmocka_unit_test(it_bends_as_in_the_handbook),   cmocka_unit_test(rectangles_twist),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
