// The two-node beam against the closed forms of a cantilever.
#include "element/states.h"

#include "element/beam.h"

static const fly_beam BEAM = {.length = 0.8,
                              .young = 210,
                              .shear = 81,
                              .area = 0.3,
                              .torsion = 0.02,
                              .moment = {0.03, 0.05},
                              .shear_ratio = {1.2, 1.1},
                              .damping = 0.1};

// The end of the beam displaced by x (six, from its place without load), everything turned at random. f: against x.
static void load_at(double f[6], const fly_beam *beam, const double x[6], uint64_t *seed) {
  bodies s = random_bodies(2, seed);
  const double place[3] = {beam->length + x[0], x[1], x[2]};
  double Bi[9], E[9], d[3], p[4], point[3], sj[3], BE[9], R[9];
  memset(s.b[0].v, 0, sizeof s.b[0].v);
  memset(s.b[0].w, 0, sizeof s.b[0].w);
  memset(s.b[1].v, 0, sizeof s.b[1].v);
  memset(s.b[1].w, 0, sizeof s.b[1].w);
  fly_multiply3(Bi, s.b[0].R, s.m[0].A); // axes of marker i in space
  fly_quat_exp(p, x + 3);
  fly_quat_matrix(E, p);
  fly_multiply3(BE, Bi, E); // axes of marker j in space = R_j A_j
  double At[9] = {s.m[1].A[0], s.m[1].A[3], s.m[1].A[6], s.m[1].A[1], s.m[1].A[4],
                  s.m[1].A[7], s.m[1].A[2], s.m[1].A[5], s.m[1].A[8]};
  fly_multiply3(R, BE, At);
  memcpy(s.b[1].R, R, sizeof R);
  fly_marker_point(point, &s.b[0], &s.m[0]);
  fly_to_space(d, Bi, place);
  fly_to_space(sj, R, s.m[1].s);
  for (int k = 0; k < 3; k++)
    s.b[1].r[k] = point[k] + d[k] - sj[k];
  fly_bushing k = fly_beam_bushing(beam);
  fly_pair pair = pair_of(&s);
  fly_bushing_load(f, &pair, &k);
}

// A cantilever under a load at its end: what it does, by the tables of every handbook.
static void deflect(double x[6], const fly_beam *b, const double load[6]) {
  double L = b->length, EIy = b->young * b->moment[0], EIz = b->young * b->moment[1], GA = b->shear * b->area;
  x[0] = load[0] * L / (b->young * b->area);
  x[1] = load[1] * (L * L * L / (3 * EIz) + b->shear_ratio[0] * L / GA) + load[5] * L * L / (2 * EIz);
  x[2] = load[2] * (L * L * L / (3 * EIy) + b->shear_ratio[1] * L / GA) - load[4] * L * L / (2 * EIy);
  x[3] = load[3] * L / (b->shear * b->torsion);
  x[4] = load[4] * L / EIy - load[2] * L * L / (2 * EIy);
  x[5] = load[5] * L / EIz + load[1] * L * L / (2 * EIz);
}

static void a_cantilever_bends_as_in_the_handbook(void **state) {
  uint64_t seed = 3;
  fly_beam rigid = BEAM; // in shear
  rigid.shear_ratio[0] = rigid.shear_ratio[1] = 0;
  for (int n = 0; n < STATES; n++) {
    const fly_beam *b = n % 2 ? &BEAM : &rigid;
    double load[6] = {0}, x[6], f[6];
    if (n < 12)
      load[n / 2] = 1e-6; // one by one, then all at once
    else
      random_vector(load, 6, 1e-6, &seed);
    deflect(x, b, load);
    load_at(f, b, x, &seed);
    for (int k = 0; k < 6;
         k++) // of second order in displacements of 1e-7, and rounding of 1e-16 times stiffnesses of 100
      assert_near(f[k], load[k], 2e-12);
  }
}

// A beam turned and moved as a whole, however far, is not loaded.
static void a_rigid_motion_loads_nothing(void **state) {
  uint64_t seed = 8;
  for (int n = 0; n < STATES; n++) {
    double f[6];
    load_at(f, &BEAM, (const double[6]){0}, &seed);
    assert_true(largest(f, 6) < 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cantilever_bends_as_in_the_handbook),
      cmocka_unit_test(a_rigid_motion_loads_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
