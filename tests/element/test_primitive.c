// Every primitive constraint against differences: the test walks their list.
#include "element/states.h"

#include "element/columns.h"
#include "element/primitive.h"

typedef struct subject {
  fly_primitive_kind kind;
  fly_primitive k;
  const double *lambda;
} subject;

static void value(double *g, const bodies *s, const void *user) {
  const subject *c = (const subject *)user;
  fly_pair p = pair_of(s);
  fly_primitive_types[c->kind].value(g, &p, &c->k);
}

// G^T lambda
static void reaction(double *out, const bodies *s, const void *user) {
  const subject *c = (const subject *)user;
  const fly_primitive_type *type = &fly_primitive_types[c->kind];
  double G[3 * FLY_PAIR];
  fly_pair p = pair_of(s);
  type->jacobian(G, &p, &c->k);
  for (int j = 0; j < FLY_PAIR; j++) {
    out[j] = 0;
    for (int i = 0; i < type->rows; i++)
      out[j] += G[FLY_PAIR * i + j] * c->lambda[i];
  }
}

// G v
static void rate(double *out, const bodies *s, const void *user) {
  const subject *c = (const subject *)user;
  const fly_primitive_type *type = &fly_primitive_types[c->kind];
  double G[3 * FLY_PAIR], v[FLY_PAIR] = {0};
  fly_pair p = pair_of(s);
  type->jacobian(G, &p, &c->k);
  velocities(v, s);
  for (int i = 0; i < type->rows; i++) {
    out[i] = 0;
    for (int j = 0; j < FLY_PAIR; j++)
      out[i] += G[FLY_PAIR * i + j] * v[j];
  }
}

// Is the state far from where the primitive is singular? The angle is, where x_j is along z_i (or the next axis along
// the one it turns about).
static bool regular(const bodies *s, const subject *c) {
  double z[3], x[3];
  fly_axis_space(z, &s->b[0], &s->m[0], c->k.axis_i);
  fly_axis_space(x, &s->b[1], &s->m[1], (c->k.axis_i + 1) % 3);
  return c->kind != FLY_ANGLE || fabs(fly_dot3(z, x)) < 0.9;
}

// Random subjects of every kind: at regular states, with random axes and constants.
typedef void subject_test(const subject *c, const bodies *s, const fly_pair *p);

static void for_all(subject_test *test) {
  uint64_t seed = 11;
  for (int kind = 0; kind < FLY_PRIMITIVES; kind++)
    for (int n = 0; n < STATES;) {
      bodies s = random_bodies(2, &seed);
      double lambda[3];
      random_vector(lambda, 3, 2.0, &seed);
      subject c = {(fly_primitive_kind)kind, {0}, lambda};
      c.k.axis_i = random_int(&seed, 3);
      c.k.axis_j = random_int(&seed, 3);
      c.k.c = 1.5 + random_double(&seed);
      if (!regular(&s, &c))
        continue;
      fly_pair p = pair_of(&s);
      test(&c, &s, &p);
      n++;
    }
}

static void check_jacobian(const subject *c, const bodies *s, const fly_pair *p) {
  const fly_primitive_type *type = &fly_primitive_types[c->kind];
  double G[3 * FLY_PAIR], expected[3 * FLY_PAIR];
  type->jacobian(G, p, &c->k);
  jacobian_by_differences(expected, type->rows, value, s, c, MOVE_Q, 0.01);
  check_all_near(G, expected, type->rows * FLY_PAIR, 1e-10, type->name);
}

// What gives two things at once gives what the two give one by one.
static void check_together(const subject *c, const bodies *s, const fly_pair *p) {
  const fly_primitive_type *type = &fly_primitive_types[c->kind];
  double g[3], G[3 * FLY_PAIR] = {0}, expected[3], rows[3 * FLY_PAIR];
  if (type->both) {
    type->both(g, G, p, &c->k);
    type->value(expected, p, &c->k);
    type->jacobian(rows, p, &c->k);
    check_all_near(g, expected, type->rows, 1e-15, type->name);
    check_all_near(G, rows, type->rows * FLY_PAIR, 1e-15, type->name);
  }
  if (c->kind == FLY_ANGLE) {
    fly_angle_and_rate(&g[0], &g[1], p, &c->k);
    type->value(&expected[0], p, &c->k);
    rate(&expected[1], s, c);
    check_all_near(g, expected, 2, 1e-12, "angle and rate");
  }
}

static void check_two(const fly_pair *p, const fly_primitive k[2]) {
  const fly_primitive_type *dot = &fly_primitive_types[FLY_DOT];
  double g[3], G[FLY_PAIR], Z[FLY_PAIR], gamma[3], one = 1;
  fly_two_dots two, rates;
  fly_two_blocks blocks;
  duo both;
  fly_two_dots_at(&two, p, &k[0], &k[1]);
  fly_two_dots_gamma(&both, p, &k[0], &k[1]);
  fly_two_velocities(&rates, p, &k[0], &k[1]);
  fly_two_blocks_at(&blocks, p, &k[0], &k[1]);
  for (int r = 0; r < 2; r++) {
    double H[FLY_PAIR * FLY_PAIR] = {0};
    dot->value(g, p, &k[r]);
    dot->jacobian(G, p, &k[r]);
    dot->gamma(gamma, p, &k[r]);
    dot->curvature(H, &one, p, &k[r]);
    fly_primitive_velocity(Z, FLY_DOT, p, &k[r]);
    assert_true(two.g[r] == g[0] && both[r] == gamma[0]);
    for (int c = 0; c < 3; c++) {
      assert_true(two.ti[c][r] == G[3 + c] && two.tj[c][r] == G[9 + c]);
      assert_true(rates.ti[c][r] == Z[3 + c] && rates.tj[c][r] == Z[9 + c]);
      for (int i = 0; i < 3; i++) {
        assert_true(blocks.i[3 * i + c][r] == H[FLY_PAIR * (3 + i) + 3 + c]);
        assert_true(blocks.j[3 * i + c][r] == H[FLY_PAIR * (9 + i) + 9 + c]);
        assert_true(-blocks.both[3 * i + c][r] == H[FLY_PAIR * (3 + i) + 9 + c]);
      }
    }
  }
}

// Column by column, and of two perpendicularities side by side: the same bits.
static void columns_are_the_rows(void **state) {
  (void)state;
  uint64_t seed = 17;
  for (int n = 0; n < STATES; n++) {
    const bodies s = random_bodies(2, &seed);
    const fly_pair p = pair_of(&s);
    const fly_primitive k[2] = {{n % 3, n / 3 % 3, 0.25}, {n / 9 % 3, n / 2 % 3, -0.5}};
    const fly_primitive_type *point = &fly_primitive_types[FLY_POINT];
    double g[3], G[3 * FLY_PAIR], gamma[3], found[3];
    fly_point_columns columns;
    fly_point_columns_at(&columns, &p);
    point->value(g, &p, k);
    point->jacobian(G, &p, k);
    for (int r = 0; r < 3; r++) {
      assert_true(columns.g[r] == g[r]);
      for (int c = 0; c < 3; c++)
        assert_true(columns.ti[c][r] == G[FLY_PAIR * r + 3 + c] && columns.tj[c][r] == G[FLY_PAIR * r + 9 + c]);
    }
    point->gamma(gamma, &p, k);
    fly_point_gamma_of(found, &p);
    assert_memory_equal(gamma, found, sizeof gamma);
    fly_point_velocity_columns(&columns, &p);
    fly_primitive_velocity(G, FLY_POINT, &p, k);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        assert_true(columns.ti[c][r] == G[FLY_PAIR * r + 3 + c] && columns.tj[c][r] == G[FLY_PAIR * r + 9 + c]);
    check_two(&p, k);
  }
}

static void check_curvature(const subject *c, const bodies *s, const fly_pair *p) {
  const fly_primitive_type *type = &fly_primitive_types[c->kind];
  double H[FLY_PAIR * FLY_PAIR], expected[FLY_PAIR * FLY_PAIR];
  for (int i = 0; i < FLY_PAIR * FLY_PAIR; i++)
    H[i] = 7; // curvature adds
  type->curvature(H, c->lambda, p, &c->k);
  for (int i = 0; i < FLY_PAIR * FLY_PAIR; i++)
    H[i] -= 7;
  jacobian_by_differences(expected, FLY_PAIR, reaction, s, c, MOVE_Q, 0.01);
  check_all_near(H, expected, FLY_PAIR * FLY_PAIR, 5e-10, type->name);
}

// v^T H of the curvature of each row
static void velocity_of_curvature(double *Z, const subject *c, const bodies *s, const fly_pair *p) {
  const fly_primitive_type *type = &fly_primitive_types[c->kind];
  double v[FLY_PAIR];
  velocities(v, s);
  for (int row = 0; row < type->rows; row++) {
    double lambda[3] = {0}, H[FLY_PAIR * FLY_PAIR] = {0};
    lambda[row] = 1;
    type->curvature(H, lambda, p, &c->k);
    for (int j = 0; j < FLY_PAIR; j++) {
      Z[FLY_PAIR * row + j] = 0;
      for (int i = 0; i < FLY_PAIR; i++)
        Z[FLY_PAIR * row + j] += v[i] * H[FLY_PAIR * i + j];
    }
  }
}

static void check_velocity(const subject *c, const bodies *s, const fly_pair *p) {
  const fly_primitive_type *type = &fly_primitive_types[c->kind];
  double Z[3 * FLY_PAIR], expected[3 * FLY_PAIR];
  fly_primitive_velocity(Z, c->kind, p, &c->k);
  velocity_of_curvature(expected, c, s, p);
  for (int i = 0; i < type->rows * FLY_PAIR; i++)
    assert_true(Z[i] == expected[i]);
  jacobian_by_differences(expected, type->rows, rate, s, c, MOVE_Q, 0.01);
  check_all_near(Z, expected, type->rows * FLY_PAIR, 5e-10, type->name);
}

// g'' by second differences along a motion, extrapolated twice, against G v' + gamma.
static void check_gamma(const subject *c, const bodies *s, const fly_pair *p) {
  const fly_primitive_type *type = &fly_primitive_types[c->kind];
  double G[3 * FLY_PAIR], gamma[3], g0[3], d[3][3] = {{0}}, h = 0.01;
  type->jacobian(G, p, &c->k);
  type->gamma(gamma, p, &c->k);
  value(g0, s, c);
  for (int level = 0; level < 3; level++, h /= 2) {
    double plus[3], minus[3];
    bodies after = later(s, h), before = later(s, -h);
    value(plus, &after, c);
    value(minus, &before, c);
    for (int i = 0; i < type->rows; i++)
      d[level][i] = (plus[i] - 2 * g0[i] + minus[i]) / (h * h);
  }
  for (int i = 0; i < type->rows; i++) {
    double expected = gamma[i], coarse = (4 * d[1][i] - d[0][i]) / 3, fine = (4 * d[2][i] - d[1][i]) / 3;
    for (int j = 0; j < FLY_PAIR; j++)
      expected += G[FLY_PAIR * i + j] * s->a[j];
    check_near((16 * fine - coarse) / 15, expected, 1e-8 * (10 + fabs(expected)), type->name, __FILE__, __LINE__);
  }
}

// A constraint force does no work on a common rigid motion: total force and moment vanish. Two points that shall
// coincide must do so for that: their rows are in space axes.
static void check_balance(const subject *c, const bodies *s, const fly_pair *p) {
  double Q[FLY_PAIR], total[6], g[3];
  const double zero[6] = {0};
  bodies together = *s;
  (void)p;
  if (c->kind == FLY_POINT) {
    value(g, s, c);
    for (int k = 0; k < 3; k++)
      together.b[1].r[k] -= g[k];
  }
  reaction(Q, &together, c);
  resultant(total, Q, &together);
  check_all_near(total, zero, 6, 3e-14, fly_primitive_types[c->kind].name);
}

// What a primitive says can be other than zero is so somewhere, and the rest never is: the matrix has no place for it.
static double filled_G[FLY_PRIMITIVES][3 * FLY_PAIR], filled_H[FLY_PRIMITIVES][FLY_PAIR * FLY_PAIR];

static void collect_filled(const subject *c, const bodies *s, const fly_pair *p) {
  const fly_primitive_type *type = &fly_primitive_types[c->kind];
  double G[3 * FLY_PAIR], Z[3 * FLY_PAIR], H[FLY_PAIR * FLY_PAIR] = {0};
  (void)s;
  type->jacobian(G, p, &c->k);
  fly_primitive_velocity(Z, c->kind, p, &c->k);
  type->curvature(H, c->lambda, p, &c->k);
  for (int i = 0; i < type->rows * FLY_PAIR; i++)
    filled_G[c->kind][i] += fabs(G[i]) + fabs(Z[i]);
  for (int i = 0; i < FLY_PAIR * FLY_PAIR; i++)
    filled_H[c->kind][i] += fabs(H[i]);
}

static void patterns_are_exact(void **state) {
  for_all(collect_filled);
  for (int kind = 0; kind < FLY_PRIMITIVES; kind++) {
    const fly_primitive_type *type = &fly_primitive_types[kind];
    unsigned blocks = 0;
    for (int r = 0; r < type->rows; r++)
      for (int j = 0; j < FLY_PAIR; j++)
        assert_int_equal(filled_G[kind][FLY_PAIR * r + j] != 0, type->columns[r] >> j & 1);
    for (int i = 0; i < FLY_PAIR * FLY_PAIR; i++)
      if (filled_H[kind][i] != 0)
        blocks |= 1u << (4 * (i / FLY_PAIR / 3) + i % FLY_PAIR / 3);
    assert_int_equal(blocks, type->blocks);
  }
}

static void jacobians_match_differences(void **state) { for_all(check_jacobian); }
static void two_at_once_are_the_same(void **state) { for_all(check_together); }
static void curvatures_match_differences(void **state) { for_all(check_curvature); }
static void velocity_jacobians_match_differences(void **state) { for_all(check_velocity); }
static void gammas_match_motions(void **state) { for_all(check_gamma); }
static void reactions_balance(void **state) { for_all(check_balance); }

// ---------------------------------------------------------------------------------- what they mean

static const fly_kinematics ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const fly_marker origin = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static void the_angle_counts_about_its_axis(void **state) {
  for (int axis = 0; axis < 3; axis++)
    for (double angle = -3; angle <= 3; angle += 0.5) {
      fly_kinematics b = ground;
      double g, turn[3] = {0};
      turn[axis] = angle;
      turn_matrix(b.R, turn);
      fly_pair p = {&ground, &b, &origin, &origin};
      fly_primitive_types[FLY_ANGLE].value(&g, &p, &(fly_primitive){.axis_i = axis, .c = 0.25});
      assert_near(g, angle - 0.25, 2e-15);
    }
}

static void plane_and_distance_measure_lengths(void **state) {
  fly_kinematics b = ground;
  double g;
  memcpy(b.r, (double[]){1, 2, -2}, sizeof b.r);
  fly_pair p = {&ground, &b, &origin, &origin};
  fly_primitive_types[FLY_PLANE].value(&g, &p, &(fly_primitive){.axis_i = 1, .c = 0.5});
  assert_near(g, 1.5, 0);
  fly_primitive_types[FLY_DISTANCE].value(&g, &p, &(fly_primitive){.c = 3});
  assert_near(g, 0, 1e-15);
  fly_primitive_types[FLY_DISTANCE].value(&g, &p, &(fly_primitive){.c = 3 - 1e-6});
  assert_near(g, 1e-6, 1e-12); // near zero it is the length minus c
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobians_match_differences),
      cmocka_unit_test(two_at_once_are_the_same),
      cmocka_unit_test(columns_are_the_rows),
      cmocka_unit_test(curvatures_match_differences),
      cmocka_unit_test(velocity_jacobians_match_differences),
      cmocka_unit_test(gammas_match_motions),
      cmocka_unit_test(reactions_balance),
      cmocka_unit_test(patterns_are_exact),
      cmocka_unit_test(the_angle_counts_about_its_axis),
      cmocka_unit_test(plane_and_distance_measure_lengths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
