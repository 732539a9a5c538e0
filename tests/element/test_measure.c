// Every measure against differences: the tests walk their list. And what the measures mean.
#include "element/states.h"

#include "element/measure.h"
#include "element/primitive.h"

static const double pi = 3.14159265358979323846;
static const fly_kinematics ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const fly_marker origin = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static fly_triple triple_of(const bodies *s) {
  return (fly_triple){.ba = &s->b[0], .bb = &s->b[1], .bc = &s->b[2], .ma = &s->m[0], .mb = &s->m[1], .mc = &s->m[2]};
}

static void value(double *out, const bodies *s, const void *user) {
  fly_triple p = triple_of(s);
  *out = fly_measure_value(*(const fly_measure_kind *)user, &p, s->a);
}

static double value_of(fly_measure_kind kind, const bodies *s) {
  double out;
  value(&out, s, &kind);
  return out;
}

static double find_value(const char *name, const fly_kinematics *a) {
  fly_triple p = {.ba = a, .ma = &origin};
  return fly_measure_value((fly_measure_kind)fly_measure_find(name), &p, NULL);
}

// Far from gimbal lock, from the jump at half a turn, and from magnitudes near zero.
static bool regular(fly_measure_kind kind, const bodies *s) {
  const fly_measure_type *type = &fly_measure_types[kind];
  double theta = value_of(FLY_MEASURE_THETA, s), pitch = value_of(FLY_MEASURE_PITCH, s);
  double x = fabs(value_of(kind, s));
  if (strcmp(type->unit, "rad") == 0) {
    fly_triple p = triple_of(s);
    double a[3], z[3];
    for (int k = 0; k < 3; k++) { // ax: y of a not along x of b, and so on
      fly_axis_space(a, p.ba, p.ma, (k + 1) % 3);
      fly_axis_space(z, p.bb, p.mb, k);
      if (fabs(fly_dot3(a, z)) > 0.95)
        return false;
    }
    return sin(theta) > 0.3 && cos(pitch) > 0.3 && x < 3.05;
  }
  if (kind == FLY_MEASURE_VR)
    x = value_of(FLY_MEASURE_DM, s);
  return type->markers == 3 || x > 0.5;
}

static bodies regular_bodies(fly_measure_kind kind, uint64_t *seed) {
  bodies s;
  do
    s = random_bodies(3, seed);
  while (!regular(kind, &s));
  return s;
}

static void gradients_match_differences(void **state) {
  uint64_t seed = 3;
  for (int k = 0; k < FLY_MEASURE_KINDS; k++)
    for (int n = 0; n < STATES; n++) {
      fly_measure_kind kind = (fly_measure_kind)k;
      bodies s = regular_bodies(kind, &seed);
      fly_triple p = triple_of(&s);
      double d[3][18], expected[18];
      fly_measure_gradient(d[MOVE_Q], d[MOVE_V], d[MOVE_A], kind, &p, s.a);
      for (int what = MOVE_Q; what <= MOVE_A; what++) {
        jacobian_by_differences(expected, 1, value, &s, &kind, (what_moves)what, 0.01);
        check_all_near(d[what], expected, 18, 2e-11, fly_measure_types[kind].name);
      }
    }
}

// No derivative above its level, so that the caller may leave those out.
static void levels_are_what_they_say(void **state) {
  uint64_t seed = 5;
  for (int k = 0; k < FLY_MEASURE_KINDS; k++) {
    fly_measure_kind kind = (fly_measure_kind)k;
    const fly_measure_type *type = &fly_measure_types[kind];
    bodies s = regular_bodies(kind, &seed);
    fly_triple p = triple_of(&s);
    double dq[18], dv[18], da[18], short_q[18], short_v[18];
    fly_measure_gradient(dq, dv, da, kind, &p, s.a);
    assert_true((largest(dv, 18) > 0) == (type->level >= FLY_OF_VELOCITY && strncmp(type->name, "wdt", 3) != 0));
    assert_true((largest(da, 18) > 0) == (type->level == FLY_OF_ACCELERATION));
    if (type->level == FLY_OF_ACCELERATION)
      continue;
    fly_measure_gradient(short_q, type->level > 0 ? short_v : NULL, NULL, kind, &p, NULL);
    assert_memory_equal(dq, short_q, sizeof dq);
    assert_near(fly_measure_value(kind, &p, NULL), value_of(kind, &s), 0);
  }
}

static void names_find_their_rows(void **state) {
  for (int k = 0; k < FLY_MEASURE_KINDS; k++) {
    const fly_measure_type *type = &fly_measure_types[k];
    assert_int_equal(fly_measure_find(type->name), k);
    assert_true(strlen(type->text) > 0 && type->markers >= 1 && type->markers <= 3);
    assert_true(!type->turns || strcmp(type->unit, "rad") == 0);
  }
  assert_int_equal(fly_measure_find("dxx"), -1);
}

static void missing_markers_are_ground(void **state) {
  uint64_t seed = 8;
  for (int k = 0; k < FLY_MEASURE_KINDS; k++) {
    bodies s = random_bodies(3, &seed);
    s.b[1] = s.b[2] = ground;
    s.m[1] = s.m[2] = origin;
    memset(s.a + 6, 0, 12 * sizeof *s.a);
    fly_triple full = triple_of(&s), alone = {.ba = &s.b[0], .ma = &s.m[0]};
    fly_measure_kind kind = (fly_measure_kind)k;
    assert_near(fly_measure_value(kind, &alone, s.a), fly_measure_value(kind, &full, s.a), 0);
  }
}

// ---------------------------------------------------------------------------------- what they mean

typedef struct rate_pair {
  fly_measure_kind of, rate;
} rate_pair;

// Along a motion with c at rest each is the rate of the other.
static void rates_are_rates(void **state) {
  static const rate_pair pairs[] = {{FLY_MEASURE_DX, FLY_MEASURE_VX},   {FLY_MEASURE_DY, FLY_MEASURE_VY},
                                    {FLY_MEASURE_DZ, FLY_MEASURE_VZ},   {FLY_MEASURE_DM, FLY_MEASURE_VR},
                                    {FLY_MEASURE_VX, FLY_MEASURE_ACCX}, {FLY_MEASURE_VY, FLY_MEASURE_ACCY},
                                    {FLY_MEASURE_VZ, FLY_MEASURE_ACCZ}, {FLY_MEASURE_WX, FLY_MEASURE_WDTX},
                                    {FLY_MEASURE_WY, FLY_MEASURE_WDTY}, {FLY_MEASURE_WZ, FLY_MEASURE_WDTZ}};
  uint64_t seed = 13;
  for (int k = 0; k < (int)(sizeof pairs / sizeof pairs[0]); k++)
    for (int n = 0; n < STATES; n++) {
      bodies s = regular_bodies(FLY_MEASURE_VR, &seed);
      memset(s.b[2].v, 0, sizeof s.b[2].v);
      memset(s.b[2].w, 0, sizeof s.b[2].w);
      memset(s.a + 12, 0, 6 * sizeof *s.a);
      double h = 1e-3, d[2];
      for (int level = 0; level < 2; level++, h /= 2) {
        bodies after = later(&s, h), before = later(&s, -h);
        d[level] = (value_of(pairs[k].of, &after) - value_of(pairs[k].of, &before)) / (2 * h);
      }
      assert_near((4 * d[1] - d[0]) / 3, value_of(pairs[k].rate, &s), 3e-9);
    }
}

static void magnitudes_do_not_depend_on_axes(void **state) {
  static const fly_measure_kind sets[][2] = {{FLY_MEASURE_DX, FLY_MEASURE_DM},
                                             {FLY_MEASURE_VX, FLY_MEASURE_VM},
                                             {FLY_MEASURE_WX, FLY_MEASURE_WM},
                                             {FLY_MEASURE_ACCX, FLY_MEASURE_ACCM},
                                             {FLY_MEASURE_WDTX, FLY_MEASURE_WDTM}};
  uint64_t seed = 19;
  for (int k = 0; k < 5; k++)
    for (int n = 0; n < STATES; n++) {
      bodies s = random_bodies(3, &seed);
      double u[3];
      for (int i = 0; i < 3; i++)
        u[i] = value_of((fly_measure_kind)(sets[k][0] + i), &s);
      assert_near(sqrt(fly_dot3(u, u)), value_of(sets[k][1], &s), 1e-13);
    }
}

static void a_body_on_a_turntable(void **state) {
  fly_kinematics b = {.r = {2, 0, 0}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .v = {0, 6, 0}, .w = {0, 0, 3}};
  const double a[18] = {-18, 0, 0, 0, 0, 0};
  fly_marker rim = origin;
  rim.s[0] = 1; // at radius 3
  fly_triple p = {.ba = &b, .ma = &rim};
  assert_near(fly_measure_value(FLY_MEASURE_DX, &p, NULL), 3, 0);
  assert_near(fly_measure_value(FLY_MEASURE_VY, &p, NULL), 9, 0);
  assert_near(fly_measure_value(FLY_MEASURE_VR, &p, NULL), 0, 0);
  assert_near(fly_measure_value(FLY_MEASURE_WZ, &p, NULL), 3, 0);
  assert_near(fly_measure_value(FLY_MEASURE_ACCX, &p, a), -27, 1e-14); // omega^2 r
  // Seen from axes that turn along, the components are the same at this instant: rates are taken in space.
  fly_triple along = {.ba = &b, .ma = &rim, .bc = &b, .mc = &origin};
  assert_near(fly_measure_value(FLY_MEASURE_VY, &along, NULL), 9, 0);
}

static void angles_are_those_of_the_primitive(void **state) {
  uint64_t seed = 29;
  for (int n = 0; n < STATES; n++) {
    bodies s = random_bodies(3, &seed);
    fly_pair p = {&s.b[1], &s.b[0], &s.m[1], &s.m[0]};
    double g, G[FLY_PAIR], dq[18];
    fly_triple t = triple_of(&s);
    fly_measure_kind kind = (fly_measure_kind)(FLY_MEASURE_AX + n % 3);
    fly_primitive_types[FLY_ANGLE].value(&g, &p, &(fly_primitive){.axis_i = n % 3});
    fly_primitive_types[FLY_ANGLE].jacobian(G, &p, &(fly_primitive){.axis_i = n % 3});
    fly_measure_gradient(dq, NULL, NULL, kind, &t, NULL);
    assert_near(value_of(kind, &s), g, 1e-14);
    check_all_near(dq, G + 6, 6, 1e-14, "columns of a");
    check_all_near(dq + 6, G, 6, 1e-14, "columns of b");
  }
}

static void pure_turns_give_their_angle(void **state) {
  const char *names[3] = {"ax", "ay", "az"};
  for (int axis = 0; axis < 3; axis++)
    for (double angle = -3; angle <= 3; angle += 0.5) {
      fly_kinematics b = ground;
      double theta[3] = {0};
      theta[axis] = angle;
      turn_matrix(b.R, theta);
      assert_near(find_value(names[axis], &b), angle, 1e-15);
    }
}

// a turned from b by elementary turns, each about an axis of the turned frame
static fly_kinematics turned(int n, const int *axes, const double *angles) {
  fly_kinematics b = ground;
  for (int k = 0; k < n; k++) {
    double theta[3] = {0};
    theta[axes[k]] = angles[k];
    turn_matrix(b.R, theta);
  }
  return b;
}

static void euler_angles_are_3_1_3(void **state) {
  uint64_t seed = 43;
  for (int n = 0; n < STATES; n++) {
    double angles[3] = {3 * random_double(&seed), 1.5 + 1.4 * random_double(&seed), 3 * random_double(&seed)};
    fly_kinematics b = turned(3, (int[]){2, 0, 2}, angles);
    assert_near(find_value("psi", &b), angles[0], 1e-13);
    assert_near(find_value("theta", &b), angles[1], 1e-13);
    assert_near(find_value("phi", &b), angles[2], 1e-13);
  }
}

static void yaw_pitch_and_roll_are_3_2_1_with_the_nose_up(void **state) {
  uint64_t seed = 47;
  for (int n = 0; n < STATES; n++) {
    double angles[3] = {3 * random_double(&seed), 1.4 * random_double(&seed), 3 * random_double(&seed)};
    fly_kinematics b = turned(3, (int[]){2, 1, 0}, angles);
    assert_near(find_value("yaw", &b), angles[0], 1e-13);
    assert_near(find_value("pitch", &b), -angles[1], 1e-13);
    assert_near(find_value("roll", &b), angles[2], 1e-13);
  }
}

// ---------------------------------------------------------------------------------- where they are undefined

static void check_finite_gradients(const bodies *s) {
  fly_triple p = triple_of(s);
  for (int k = 0; k < FLY_MEASURE_KINDS; k++) {
    double d[54];
    fly_measure_gradient(d, d + 18, d + 36, (fly_measure_kind)k, &p, s->a);
    assert_true(isfinite(fly_measure_value((fly_measure_kind)k, &p, s->a)));
    assert_true(all_numbers_finite(d, 54));
    assert_true(largest(d, 54) < 1e3);
  }
}

static void everything_at_rest_in_one_place_is_finite(void **state) {
  bodies s = {.n = 3, .b = {ground, ground, ground}, .m = {origin, origin, origin}};
  check_finite_gradients(&s);
  for (int k = 0; k < FLY_MEASURE_KINDS; k++)
    assert_near(value_of((fly_measure_kind)k, &s), 0, 0);
}

static void gimbal_lock_leaves_the_first_angle(void **state) {
  for (double angle = -3; angle <= 3; angle += 0.5)
    for (int end = 0; end < 2; end++) {
      bodies s = {.n = 3, .b = {ground, ground, ground}, .m = {origin, origin, origin}};
      s.b[0] = turned(2, (int[]){2, 0}, (double[]){angle, end * pi});
      assert_near(find_value("psi", &s.b[0]), angle, 1e-14);
      assert_near(find_value("theta", &s.b[0]), end * pi, 1e-14);
      assert_near(find_value("phi", &s.b[0]), 0, 0);
      check_finite_gradients(&s);
      s.b[0] = turned(2, (int[]){2, 1}, (double[]){angle, (end - 0.5) * pi});
      assert_near(find_value("yaw", &s.b[0]), angle, 1e-14);
      assert_near(find_value("pitch", &s.b[0]), (0.5 - end) * pi, 1e-14);
      assert_near(find_value("roll", &s.b[0]), 0, 0);
      check_finite_gradients(&s);
    }
}

// There psi is what az is, with its derivatives, and yaw the angle of y.
static void in_gimbal_lock_the_first_angle_has_derivatives(void **state) {
  bodies s = {.n = 3, .b = {ground, ground, ground}, .m = {origin, origin, origin}};
  fly_triple p = triple_of(&s);
  double psi[18], az[18];
  s.b[0] = turned(1, (int[]){2}, (double[]){0.7});
  fly_measure_gradient(psi, NULL, NULL, FLY_MEASURE_PSI, &p, NULL);
  fly_measure_gradient(az, NULL, NULL, FLY_MEASURE_AZ, &p, NULL);
  check_all_near(psi, az, 18, 1e-15, "psi");
  s.b[0] = turned(2, (int[]){2, 1}, (double[]){0.7, pi / 2});
  fly_measure_gradient(psi, NULL, NULL, FLY_MEASURE_YAW, &p, NULL);
  assert_near(psi[3], -1, 1e-15); // x of a points down
  assert_near(psi[11], -1, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_match_differences),
      cmocka_unit_test(levels_are_what_they_say),
      cmocka_unit_test(names_find_their_rows),
      cmocka_unit_test(missing_markers_are_ground),
      cmocka_unit_test(rates_are_rates),
      cmocka_unit_test(magnitudes_do_not_depend_on_axes),
      cmocka_unit_test(a_body_on_a_turntable),
      cmocka_unit_test(angles_are_those_of_the_primitive),
      cmocka_unit_test(pure_turns_give_their_angle),
      cmocka_unit_test(euler_angles_are_3_1_3),
      cmocka_unit_test(yaw_pitch_and_roll_are_3_2_1_with_the_nose_up),
      cmocka_unit_test(everything_at_rest_in_one_place_is_finite),
      cmocka_unit_test(gimbal_lock_leaves_the_first_angle),
      cmocka_unit_test(in_gimbal_lock_the_first_angle_has_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
