// Springs, torsion springs, bushings and applied forces: derivatives against differences, power, balance, energy.
#include "element/states.h"

#include "element/applied.h"
#include "element/beam.h"
#include "element/bushing.h"
#include "element/primitive.h"
#include "element/torsion.h"

static const double pi = 3.14159265358979323846;
static const double zeros[18 * 18] = {0};
static const fly_kinematics ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const fly_marker origin = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

// ---------------------------------------------------------------------------------- forces between two, in one list

typedef struct internal_force {
  const char *name;
  void (*force)(double *Q, const bodies *s, const void *k);
  void (*derivatives)(double *K, double *C, const bodies *s, const void *k);
  double (*energy)(const bodies *s, const void *k);
  double (*dissipation)(const bodies *s, const void *k);
  double (*power)(const bodies *s, const void *k); // by other means than Q
  bool (*regular)(const bodies *s);
  const void *k;
} internal_force;

// Rates by differences along the motion, from values only.
static double rate_of(state_function *f, const bodies *s) {
  double v[12], rate;
  velocities(v, s);
  derivative_along(&rate, 1, f, s, NULL, MOVE_Q, v, 0.003);
  return rate;
}

// spring

static const fly_spring SPRING = {.stiffness = 30, .damping = 4, .free_length = 0.8, .preload = -3};

static void spring_force(double *Q, const bodies *s, const void *k) {
  fly_pair p = pair_of(s);
  fly_spring_force(Q, &p, (const fly_spring *)k);
}

static void spring_derivatives(double *K, double *C, const bodies *s, const void *k) {
  fly_pair p = pair_of(s);
  fly_spring_derivatives(K, C, &p, (const fly_spring *)k);
}

static double spring_energy(const bodies *s, const void *k) {
  fly_pair p = pair_of(s);
  return fly_spring_energy(&p, (const fly_spring *)k);
}

static double spring_dissipation(const bodies *s, const void *k) {
  fly_pair p = pair_of(s);
  return fly_spring_dissipation(&p, (const fly_spring *)k);
}

static void points_apart(double *l, const bodies *s, const void *user) {
  double from[3], to[3];
  (void)user;
  fly_marker_point(from, &s->b[0], &s->m[0]);
  fly_marker_point(to, &s->b[1], &s->m[1]);
  *l = sqrt(pow(to[0] - from[0], 2) + pow(to[1] - from[1], 2) + pow(to[2] - from[2], 2));
}

static double spring_power(const bodies *s, const void *user) {
  const fly_spring *k = (const fly_spring *)user;
  double l, rate = rate_of(points_apart, s);
  points_apart(&l, s, NULL);
  return -(k->stiffness * (l - k->free_length) + k->damping * rate + k->preload) * rate;
}

static bool spring_regular(const bodies *s) {
  double l;
  points_apart(&l, s, NULL);
  return l > 0.5;
}

// torsion: the angle of the primitive plus turns

static const fly_torsion TORSION = {.stiffness = 7, .damping = 2, .free_angle = 0.6};
static const double TURNS = 2 * 6.28318530717958647692;
static const fly_primitive ANGLE = {.axis_i = 2};

static void joint_angle(double *theta, const bodies *s, const void *user) {
  fly_pair p = pair_of(s);
  (void)user;
  fly_primitive_types[FLY_ANGLE].value(theta, &p, &ANGLE);
  *theta += TURNS;
}

static double joint_rate(double *G, const bodies *s) {
  fly_pair p = pair_of(s);
  fly_primitive_types[FLY_ANGLE].jacobian(G, &p, &ANGLE);
  return power(G, s);
}

static void torsion_force(double *Q, const bodies *s, const void *k) {
  double theta, G[12], rate = joint_rate(G, s);
  joint_angle(&theta, s, NULL);
  fly_torsion_force(Q, (const fly_torsion *)k, theta, rate, G);
}

static void torsion_derivatives(double *K, double *C, const bodies *s, const void *k) {
  double theta, G[12], H[144] = {0}, v[12];
  const double one = 1;
  fly_pair p = pair_of(s);
  joint_angle(&theta, s, NULL);
  joint_rate(G, s);
  fly_primitive_types[FLY_ANGLE].curvature(H, &one, &p, &ANGLE);
  fly_pair_velocities(v, &p);
  fly_torsion_derivatives(K, C, (const fly_torsion *)k, theta, v, G, H);
}

static double torsion_energy(const bodies *s, const void *k) {
  double theta;
  joint_angle(&theta, s, NULL);
  return fly_torsion_energy((const fly_torsion *)k, theta);
}

static double torsion_dissipation(const bodies *s, const void *k) {
  double G[12];
  return fly_torsion_dissipation((const fly_torsion *)k, joint_rate(G, s));
}

static double torsion_power(const bodies *s, const void *user) {
  const fly_torsion *k = (const fly_torsion *)user;
  double theta, rate = rate_of(joint_angle, s);
  joint_angle(&theta, s, NULL);
  return -(k->stiffness * (theta - k->free_angle) + k->damping * rate) * rate;
}

static bool torsion_regular(const bodies *s) {
  double z[3], x[3], theta;
  fly_axis_space(z, &s->b[0], &s->m[0], 2);
  fly_axis_space(x, &s->b[1], &s->m[1], 0);
  joint_angle(&theta, s, NULL);
  return fabs(fly_dot3(z, x)) < 0.9 && fabs(theta - TURNS) < 3;
}

// bushing: with full matrices

static const double STIFFNESS[6] = {20, 30, 50, 3, 5, 9}, DAMPING[6] = {3, 1, 2, 0.5, 0.8, 0.2};
static fly_bushing bushing_full, bushing_plain, bushing_beam;

static void make_bushings(void) {
  uint64_t seed = 5;
  bushing_plain = fly_bushing_diagonal(STIFFNESS, DAMPING);
  bushing_full = bushing_plain;
  random_vector(bushing_full.free, 6, 0.3, &seed);
  random_vector(bushing_full.preload, 6, 2.0, &seed);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++) {
      double k = random_double(&seed), c = 0.1 * random_double(&seed);
      bushing_full.stiffness[6 * i + j] = bushing_full.stiffness[6 * j + i] = k;
      bushing_full.damping[6 * i + j] = bushing_full.damping[6 * j + i] = c;
    }
  bushing_beam = fly_beam_bushing(&(fly_beam){.length = 1.2,
                                              .young = 21,
                                              .shear = 8,
                                              .area = 0.5,
                                              .torsion = 0.4,
                                              .moment = {0.3, 0.2},
                                              .shear_ratio = {1.2, 1.1},
                                              .damping = 0.1});
}

static void bushing_force(double *Q, const bodies *s, const void *k) {
  fly_pair p = pair_of(s);
  fly_bushing_force(Q, &p, (const fly_bushing *)k);
}

static void bushing_derivatives(double *K, double *C, const bodies *s, const void *k) {
  fly_pair p = pair_of(s);
  fly_bushing_derivatives(K, C, &p, (const fly_bushing *)k);
}

static double bushing_energy(const bodies *s, const void *k) {
  fly_pair p = pair_of(s);
  return fly_bushing_energy(&p, (const fly_bushing *)k);
}

static double bushing_dissipation(const bodies *s, const void *k) {
  fly_pair p = pair_of(s);
  return fly_bushing_dissipation(&p, (const fly_bushing *)k);
}

static void displacement(double *x, const bodies *s, const void *user) {
  fly_pair p = pair_of(s);
  (void)user;
  fly_bushing_displacement(x, &p);
}

static double bushing_power(const bodies *s, const void *user) {
  const fly_bushing *k = (const fly_bushing *)user;
  double x[6], xdot[6], v[12], sum = 0;
  velocities(v, s);
  displacement(x, s, NULL);
  derivative_along(xdot, 6, displacement, s, NULL, MOVE_Q, v, 0.003);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      sum -= xdot[i] * (k->stiffness[6 * i + j] * (x[j] - k->free[j]) + k->damping[6 * i + j] * xdot[j]);
  for (int i = 0; i < 6; i++)
    sum -= xdot[i] * k->preload[i];
  return sum;
}

static bool bushing_regular(const bodies *s) {
  double x[6];
  displacement(x, s, NULL);
  return sqrt(fly_dot3(x + 3, x + 3)) < 3.05;
}

static const internal_force INTERNAL[] = {
    {"spring", spring_force, spring_derivatives, spring_energy, spring_dissipation, spring_power, spring_regular,
     &SPRING},
    {"torsion", torsion_force, torsion_derivatives, torsion_energy, torsion_dissipation, torsion_power, torsion_regular,
     &TORSION},
    {"bushing", bushing_force, bushing_derivatives, bushing_energy, bushing_dissipation, bushing_power, bushing_regular,
     &bushing_plain},
    {"full bushing", bushing_force, bushing_derivatives, bushing_energy, bushing_dissipation, bushing_power,
     bushing_regular, &bushing_full},
    {"beam", bushing_force, bushing_derivatives, bushing_energy, bushing_dissipation, bushing_power, bushing_regular,
     &bushing_beam},
};
enum { NINTERNAL = sizeof INTERNAL / sizeof INTERNAL[0] };

// ---------------------------------------------------------------------------------- what all of them must do

typedef void force_test(const internal_force *f, const bodies *s);

static void for_all(force_test *test) {
  uint64_t seed = 17;
  for (int k = 0; k < NINTERNAL; k++)
    for (int n = 0; n < STATES;) {
      bodies s = random_bodies(2, &seed);
      if (!INTERNAL[k].regular(&s))
        continue;
      test(&INTERNAL[k], &s);
      n++;
    }
}

static void force_of(double *Q, const bodies *s, const void *user) {
  const internal_force *f = (const internal_force *)user;
  f->force(Q, s, f->k);
}

static void check_derivatives(const internal_force *f, const bodies *s) {
  double K[144], C[144], expected[144];
  f->derivatives(K, C, s, f->k);
  jacobian_by_differences(expected, 12, force_of, s, f, MOVE_Q, 0.008);
  check_all_near(K, expected, 144, 2e-9, f->name);
  jacobian_by_differences(expected, 12, force_of, s, f, MOVE_V, 0.1);
  check_all_near(C, expected, 144, 1e-11, f->name);
}

static void check_power(const internal_force *f, const bodies *s) {
  double Q[12];
  f->force(Q, s, f->k);
  double expected = f->power(s, f->k);
  check_near(power(Q, s), expected, 1e-9 * (1 + fabs(expected)), f->name, __FILE__, __LINE__);
}

static void check_balance(const internal_force *f, const bodies *s) {
  double Q[12], total[6];
  f->force(Q, s, f->k);
  resultant(total, Q, s);
  check_near(largest(total, 6), 0, 3e-14 * (1 + largest(Q, 12)), f->name, __FILE__, __LINE__);
}

static void energy_of(double *E, const bodies *s, const void *user) {
  const internal_force *f = (const internal_force *)user;
  *E = f->energy(s, f->k);
}

// power of the force = -(rate of the energy) - dissipation, and the damper never gives energy
static void check_energy(const internal_force *f, const bodies *s) {
  double Q[12], v[12], rate, heat = f->dissipation(s, f->k);
  f->force(Q, s, f->k);
  velocities(v, s);
  derivative_along(&rate, 1, energy_of, s, f, MOVE_Q, v, 0.003);
  check_near(power(Q, s), -rate - heat, 1e-9 * (1 + fabs(rate) + heat), f->name, __FILE__, __LINE__);
  assert_true(heat >= 0);
}

static void derivatives_match_differences(void **state) { for_all(check_derivatives); }
static void virtual_power_is_right(void **state) { for_all(check_power); }
static void action_equals_reaction(void **state) { for_all(check_balance); }
static void energy_is_conserved_but_for_damping(void **state) { for_all(check_energy); }

// ---------------------------------------------------------------------------------- springs

static void a_stretched_spring_pulls_its_ends_together(void **state) {
  fly_kinematics b = ground;
  memcpy(b.r, (double[]){2, 0, 0}, sizeof b.r);
  memcpy(b.v, (double[]){0.5, 9, 0}, sizeof b.v);
  fly_pair p = {&ground, &b, &origin, &origin};
  double Q[12];
  fly_spring_force(Q, &p, &(fly_spring){.stiffness = 10, .damping = 2, .free_length = 1.5, .preload = 3});
  const double F = 10 * 0.5 + 2 * 0.5 + 3, expected[12] = {F, 0, 0, 0, 0, 0, -F, 0, 0, 0, 0, 0};
  check_all_near(Q, expected, 12, 1e-15, "Q");
}

static void the_tension_is_that_of_the_force(void **state) {
  uint64_t seed = 4;
  bodies s = random_bodies(2, &seed);
  fly_pair p = pair_of(&s);
  double Q[12];
  fly_spring_force(Q, &p, &SPRING);
  assert_near(sqrt(fly_dot3(Q, Q)), fabs(fly_spring_tension(&p, &SPRING)), 1e-14);
}

// As the points meet: always finite, and force and derivatives belong together even there.
static void a_spring_without_length_stays_finite(void **state) {
  for (double l = 1e-3; l >= 0; l = l < 1e-320 ? -1 : l * 1e-4) {
    fly_kinematics b = ground;
    double Q[12], K[144], C[144];
    b.r[0] = l;
    memcpy(b.v, (double[]){1, 2, 3}, sizeof b.v);
    fly_pair p = {&ground, &b, &origin, &origin};
    fly_spring_force(Q, &p, &SPRING);
    fly_spring_derivatives(K, C, &p, &SPRING);
    assert_true(all_numbers_finite(Q, 12) && all_numbers_finite(K, 144) && all_numbers_finite(C, 144));
    assert_true(isfinite(fly_spring_energy(&p, &SPRING)) && isfinite(fly_spring_dissipation(&p, &SPRING)));
    assert_true(largest(Q, 12) < 100);
  }
}

static void at_no_length_there_is_no_force(void **state) {
  fly_kinematics b = ground;
  fly_pair p = {&ground, &b, &origin, &origin};
  double Q[12];
  fly_spring_force(Q, &p, &SPRING);
  check_all_near(Q, zeros, 12, 0, "Q");
}

// Without free length the spring is linear in space: exact through the point where its ends meet.
static void a_spring_of_no_free_length_is_linear(void **state) {
  const fly_spring k = {.stiffness = 5};
  for (double x = -1e-12; x <= 1e-12; x += 0.25e-12) {
    fly_kinematics b = ground;
    double Q[12], K[144], C[144];
    b.r[0] = x;
    fly_pair p = {&ground, &b, &origin, &origin};
    fly_spring_force(Q, &p, &k);
    fly_spring_derivatives(K, C, &p, &k);
    assert_near(Q[6], -5 * x, 5e-27);
    for (int i = 0; i < 3; i++)
      assert_near(K[13 * (6 + i)], -5, 1e-14);
  }
}

static void the_softening_is_below_rounding(void **state) {
  fly_kinematics b = ground;
  b.r[0] = 1e-3;
  fly_pair p = {&ground, &b, &origin, &origin};
  assert_near(fly_length(NULL, NULL, &p), 1e-3, 0);
}

// ---------------------------------------------------------------------------------- bushings

static void small_displacements_feel_each_its_own_spring(void **state) {
  for (int k = 0; k < 6; k++) {
    const double tiny = 1e-9;
    bodies s = {.n = 2, .b = {ground, ground}, .m = {origin, origin}};
    double delta[12] = {0}, Q[12];
    delta[6 + k] = 1;
    s = moved(&s, MOVE_Q, delta, tiny);
    bushing_force(Q, &s, &bushing_plain);
    for (int j = 0; j < 6; j++) {
      assert_near(Q[6 + j], j == k ? -STIFFNESS[k] * tiny : 0, 1e-15 * STIFFNESS[k]);
      assert_near(Q[j], -Q[6 + j], 1e-15 * STIFFNESS[k]);
    }
  }
}

static void dampers_resist_rates(void **state) {
  for (int k = 0; k < 6; k++) {
    bodies s = {.n = 2, .b = {ground, ground}, .m = {origin, origin}};
    double delta[12] = {0}, Q[12];
    delta[6 + k] = 1;
    s = moved(&s, MOVE_V, delta, 2.0);
    bushing_force(Q, &s, &bushing_plain);
    for (int j = 0; j < 6; j++)
      assert_near(Q[6 + j], j == k ? -2 * DAMPING[k] : 0, 1e-15);
  }
}

// Turns about one axis are angles, at any size up to half a turn; the torque is on both bodies alike.
static void turns_about_an_axis_are_angles(void **state) {
  for (int axis = 0; axis < 3; axis++)
    for (double angle = -3.1; angle < pi; angle += 0.31) {
      bodies s = {.n = 2, .b = {ground, ground}, .m = {origin, origin}};
      double delta[12] = {0}, Q[12], x[6];
      delta[9 + axis] = 1;
      s = moved(&s, MOVE_Q, delta, angle);
      bushing_force(Q, &s, &bushing_plain);
      displacement(x, &s, NULL);
      assert_near(x[3 + axis], angle, 2e-15);
      assert_near(Q[9 + axis], -STIFFNESS[3 + axis] * angle, 1e-13);
      assert_near(Q[3 + axis], STIFFNESS[3 + axis] * angle, 1e-13);
    }
}

// Rotation vectors from tiny to nearly half a turn: where series, closed forms and branches of the logarithm meet.
static void rotations_of_any_size_have_exact_derivatives(void **state) {
  const double angles[] = {0, 1e-300, 1e-12, 1e-5, 0.1, 1, 1.57, 2.1, 2.5, 3, 3.13};
  uint64_t seed = 23;
  const internal_force *f = &INTERNAL[NINTERNAL - 1];
  for (int n = 0; n < (int)(sizeof angles / sizeof angles[0]); n++)
    for (int repeat = 0; repeat < 20; repeat++) {
      bodies s = random_bodies(2, &seed);
      double axis[3], K[144], C[144], expected[144], back[6], step = fmin(0.008, (pi - angles[n]) / 4);
      memcpy(s.b[1].R, s.b[0].R, sizeof s.b[0].R);
      memcpy(s.m[0].A, origin.A, sizeof origin.A);
      memcpy(s.m[1].A, origin.A, sizeof origin.A);
      random_vector(axis, 3, 1.0, &seed);
      double norm = sqrt(fly_dot3(axis, axis));
      for (int k = 0; k < 3; k++)
        axis[k] *= angles[n] / norm;
      turn_matrix(s.b[1].R, axis);
      displacement(back, &s, NULL);
      check_all_near(back + 3, axis, 3, 3e-14, "rotation vector");
      f->derivatives(K, C, &s, f->k);
      jacobian_by_differences(expected, 12, force_of, &s, f, MOVE_Q, step);
      check_all_near(K, expected, 144, 2e-8, "K");
    }
}

// Against its definition, by other means: d = A_i^T R_i^T (p_j - p_i), and exp(phi) turns the axes of i into those of
// j.
static void the_displacement_is_what_it_says(void **state) {
  uint64_t seed = 29;
  for (int n = 0; n < STATES; n++) {
    bodies s = random_bodies(2, &seed);
    double x[6], from[3], to[3], Bi[9], Bj[9], e[3], d[3];
    displacement(x, &s, NULL);
    fly_marker_point(from, &s.b[0], &s.m[0]);
    fly_marker_point(to, &s.b[1], &s.m[1]);
    for (int k = 0; k < 3; k++)
      e[k] = to[k] - from[k];
    fly_multiply3(Bi, s.b[0].R, s.m[0].A);
    fly_multiply3(Bj, s.b[1].R, s.m[1].A);
    fly_to_body(d, Bi, e);
    check_all_near(x, d, 3, 1e-14, "d");
    turn_matrix(Bi, x + 3);
    check_all_near(Bi, Bj, 9, 1e-14, "B_i exp(phi)");
  }
}

// The force acts at the point of j: there, and only there, its moment on both bodies is that of the torques alone.
static void the_force_acts_at_the_point_of_j(void **state) {
  uint64_t seed = 31;
  const fly_bushing k = fly_bushing_diagonal((double[]){20, 30, 50, 0, 0, 0}, (double[]){3, 1, 2, 0, 0, 0});
  for (int n = 0; n < STATES; n++) {
    bodies s = random_bodies(2, &seed);
    double Q[12], point[3], arm[3], moment[3], torque[3];
    bushing_force(Q, &s, &k);
    fly_marker_point(point, &s.b[1], &s.m[1]);
    for (int body = 0; body < 2; body++) {
      for (int i = 0; i < 3; i++)
        arm[i] = point[i] - s.b[body].r[i];
      fly_cross(moment, arm, Q + 6 * body);
      fly_to_space(torque, s.b[body].R, Q + 6 * body + 3);
      check_all_near(torque, moment, 3, 1e-14, "torque");
    }
  }
}

static void the_load_is_along_the_axes_of_i(void **state) {
  uint64_t seed = 37;
  for (int n = 0; n < STATES; n++) {
    bodies s = random_bodies(2, &seed);
    double Q[12], f[6], F[3], body[3];
    fly_pair p = pair_of(&s);
    bushing_force(Q, &s, &bushing_full);
    fly_bushing_load(f, &p, &bushing_full);
    fly_to_space(body, s.m[0].A, f);
    fly_to_space(F, s.b[0].R, body);
    check_all_near(F, Q, 3, 1e-14, "F");
  }
}

// ---------------------------------------------------------------------------------- applied forces

static fly_triple triple_of(const bodies *s, bool with_b, bool with_c) {
  fly_triple p = {.ba = &s->b[0], .ma = &s->m[0]};
  if (with_b)
    p.bb = &s->b[1], p.mb = &s->m[1];
  if (with_c)
    p.bc = &s->b[2], p.mc = &s->m[2];
  return p;
}

typedef struct applied_case {
  double f[6];
  bool with_b, with_c;
} applied_case;

static void applied(double *Q, const bodies *s, const void *user) {
  const applied_case *c = (const applied_case *)user;
  double P[18 * 6];
  fly_triple p = triple_of(s, c->with_b, c->with_c);
  fly_applied_matrix(P, &p);
  for (int i = 0; i < 18; i++) {
    Q[i] = 0;
    for (int j = 0; j < 6; j++)
      Q[i] += P[6 * i + j] * c->f[j];
  }
}

typedef void applied_test(const applied_case *c, const bodies *s);

static void for_all_applied(applied_test *test) {
  uint64_t seed = 41;
  for (int n = 0; n < 4 * STATES; n++) {
    bodies s = random_bodies(3, &seed);
    applied_case c = {.with_b = n & 1, .with_c = n & 2};
    random_vector(c.f, 6, 5.0, &seed);
    test(&c, &s);
  }
}

static void check_applied_curvature(const applied_case *c, const bodies *s) {
  double H[18 * 18], expected[18 * 18];
  fly_triple p = triple_of(s, c->with_b, c->with_c);
  for (int i = 0; i < 18 * 18; i++)
    H[i] = 3; // it adds
  fly_applied_curvature(H, c->f, &p);
  for (int i = 0; i < 18 * 18; i++)
    H[i] -= 3;
  jacobian_by_differences(expected, 18, applied, s, c, MOVE_Q, 0.02);
  check_all_near(H, expected, 18 * 18, 1e-11, "H");
}

// Force and torque in space.
static void in_space(double F[3], double T[3], const applied_case *c, const bodies *s) {
  double u[3];
  memcpy(F, c->f, 3 * sizeof *F);
  memcpy(T, c->f + 3, 3 * sizeof *T);
  if (!c->with_c)
    return;
  fly_to_space(u, s->m[2].A, c->f);
  fly_to_space(F, s->b[2].R, u);
  fly_to_space(u, s->m[2].A, c->f + 3);
  fly_to_space(T, s->b[2].R, u);
}

// F . (v_a - velocity of b's material point at a) + T . (omega_a - omega_b)
static void check_applied_power(const applied_case *c, const bodies *s) {
  double Q[18], F[3], T[3], va[3], wa[3], expected;
  applied(Q, s, c);
  in_space(F, T, c, s);
  fly_point_velocity(va, &s->b[0], &s->m[0]);
  fly_to_space(wa, s->b[0].R, s->b[0].w);
  expected = fly_dot3(F, va) + fly_dot3(T, wa);
  if (c->with_b) {
    double point[3], arm[3], wb[3], vb[3];
    fly_marker_point(point, &s->b[0], &s->m[0]);
    fly_to_space(wb, s->b[1].R, s->b[1].w);
    for (int i = 0; i < 3; i++)
      arm[i] = point[i] - s->b[1].r[i];
    fly_cross(vb, wb, arm);
    for (int i = 0; i < 3; i++)
      vb[i] += s->b[1].v[i];
    expected -= fly_dot3(F, vb) + fly_dot3(T, wb);
  }
  assert_near(power(Q, s), expected, 1e-12);
}

// With a reaction all balances; without, force and moment of what was given remain. Body c feels nothing.
static void check_applied_balance(const applied_case *c, const bodies *s) {
  double Q[18], total[6], F[3], T[3], point[3], expected[6] = {0};
  applied(Q, s, c);
  resultant(total, Q, s);
  check_all_near(Q + 12, zeros, 6, 0, "Q of c");
  if (!c->with_b) {
    in_space(F, T, c, s);
    fly_marker_point(point, &s->b[0], &s->m[0]);
    fly_cross(expected + 3, point, F);
    for (int i = 0; i < 3; i++) {
      expected[i] = F[i];
      expected[3 + i] += T[i];
    }
  }
  check_all_near(total, expected, 6, 1e-13, "total");
}

static void applied_derivatives_match_differences(void **state) { for_all_applied(check_applied_curvature); }
static void applied_power_is_right(void **state) { for_all_applied(check_applied_power); }
static void applied_action_equals_reaction(void **state) { for_all_applied(check_applied_balance); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_match_differences),
      cmocka_unit_test(virtual_power_is_right),
      cmocka_unit_test(action_equals_reaction),
      cmocka_unit_test(energy_is_conserved_but_for_damping),
      cmocka_unit_test(a_stretched_spring_pulls_its_ends_together),
      cmocka_unit_test(the_tension_is_that_of_the_force),
      cmocka_unit_test(a_spring_without_length_stays_finite),
      cmocka_unit_test(at_no_length_there_is_no_force),
      cmocka_unit_test(a_spring_of_no_free_length_is_linear),
      cmocka_unit_test(the_softening_is_below_rounding),
      cmocka_unit_test(small_displacements_feel_each_its_own_spring),
      cmocka_unit_test(dampers_resist_rates),
      cmocka_unit_test(turns_about_an_axis_are_angles),
      cmocka_unit_test(rotations_of_any_size_have_exact_derivatives),
      cmocka_unit_test(the_displacement_is_what_it_says),
      cmocka_unit_test(the_force_acts_at_the_point_of_j),
      cmocka_unit_test(the_load_is_along_the_axes_of_i),
      cmocka_unit_test(applied_derivatives_match_differences),
      cmocka_unit_test(applied_power_is_right),
      cmocka_unit_test(applied_action_equals_reaction),
  };
  make_bushings();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
