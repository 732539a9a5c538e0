// Spots of solids with faces: corners of what the faces have in common, two of rods side by side, four under a cylinder
// that stands; and what presses there together, with its derivative.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "geometry/carried.h"
#include "geometry/solid.h"
#include "math/so3.h"

typedef struct scene {
  fly_solid a, b;
  double p[3], theta[3]; // the second body turned by a vector of rotation
} scene;

static const double AXES[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static fly_solid solid(fly_core core, double x, double y, double z, double radius) {
  fly_solid s = {.core = core, .half = {x, y, z}, .radius = radius};
  memcpy(s.A, AXES, sizeof s.A);
  return s;
}

static int look(fly_touch t[FLY_SPOTS], const scene *s) {
  double e[4], R[9];
  fly_quat_exp(e, s->theta);
  fly_quat_matrix(R, e);
  fly_touch_all(t, &s->a, &s->b, s->p, R);
  return fly_touch_spots(&s->a, &s->b);
}

static int count_closed(const scene *s) {
  fly_touch t[FLY_SPOTS];
  int closed = 0;
  for (int k = look(t, s) - 1; k >= 0; k--)
    closed += t[k].gap < 0;
  return closed;
}

// Force and moment of springs of stiffness 1 at all spots, about the middle of the second.
static void load(double Q[6], const scene *s) {
  fly_touch t[FLY_SPOTS];
  memset(Q, 0, 6 * sizeof *Q);
  for (int k = look(t, s) - 1; k >= 0; k--) {
    double m[3];
    const double arm[3] = {t[k].c[0] - s->p[0], t[k].c[1] - s->p[1], t[k].c[2] - s->p[2]};
    fly_cross(m, arm, t[k].n);
    for (int c = 0; c < 3; c++) {
      Q[c] -= fmin(t[k].gap, 0) * t[k].n[c];
      Q[3 + c] -= fmin(t[k].gap, 0) * m[c];
    }
  }
}

// d Q/d(dp, dphi) by what the spots say.
static void slopes(double K[6][6], const scene *s) {
  fly_touch t[FLY_SPOTS];
  memset(K, 0, 6 * sizeof *K);
  for (int k = look(t, s) - 1; k >= 0; k--)
    for (int c = 0; t[k].gap < 0 && c < 6; c++) {
      const double unit[3] = {c % 3 == 0, c % 3 == 1, c % 3 == 2};
      double arm[3], dn[3], darm[3], turn[3], m[3], first[3], second[3];
      for (int i = 0; i < 3; i++) {
        arm[i] = t[k].c[i] - s->p[i];
        dn[i] = t[k].dn[6 * i + c];
        darm[i] = t[k].dc[6 * i + c] - (c == i);
      }
      fly_cross(turn, unit, arm);
      const double dgap = fly_dot3(t[k].n, c < 3 ? unit : turn);
      fly_cross(m, arm, t[k].n);
      fly_cross(first, darm, t[k].n);
      fly_cross(second, arm, dn);
      for (int i = 0; i < 3; i++) {
        K[i][c] -= dgap * t[k].n[i] + t[k].gap * dn[i];
        K[3 + i][c] -= dgap * m[i] + t[k].gap * (first[i] + second[i]);
      }
    }
}

// From no turn at all, where turns about the axes are small and add.
static void assert_slopes(const scene *s, double h, double allowed) {
  double K[6][6], up[6], down[6], worst = 0;
  slopes(K, s);
  for (int c = 0; c < 6; c++) {
    scene a = *s, b = *s;
    *(c < 3 ? &a.p[c] : &a.theta[c - 3]) += h;
    *(c < 3 ? &b.p[c] : &b.theta[c - 3]) -= h;
    load(up, &a);
    load(down, &b);
    for (int i = 0; i < 6; i++)
      worst = fmax(worst, fabs((up[i] - down[i]) / (2 * h) - K[i][c]));
  }
  assert_near(worst, 0, allowed);
}

// ------------------------------------------------------------------------------------------ cylinders that stand

// Whichever way it is tilted, and whether by less than its rim is deep or more, its moment is that of a disc.
static void a_cylinder_that_stands_is_held_all_around(void **state) {
  const fly_solid under[2] = {solid(FLY_CORE_PLANE, 0, 0, 0, 0), solid(FLY_CORE_BOX, 3, 3, 1, 0)};
  for (int k = 0; k < 2; k++) {
    scene s = {.a = under[k], .b = solid(FLY_CORE_CYLINDER, 0.5, 0.5, 1, 0), .p = {0.1, 0.2, 1 - 1e-3 + k}};
    assert_int_equal(count_closed(&s), 4);
    assert_slopes(&s, 1e-6, 1e-7);
    assert_slopes(&s, 1e-3, 1e-3); // beyond what stands flat
    for (int way = 0; way < 8; way++) {
      double Q[6];
      s.theta[0] = 1e-3 * cos(0.4 + way);
      s.theta[1] = 1e-3 * sin(0.4 + way);
      load(Q, &s);
      assert_near(-hypot(Q[3], Q[4]) / 1e-3, -2 * 0.25 + 4e-3, 1e-5); // 2 R^2, and what its weight tilts by
    }
  }
}

// ------------------------------------------------------------------------------------------ boxes

static void a_box_on_a_box_has_a_spot_at_each_corner_of_what_they_share(void **state) {
  scene s = {.a = solid(FLY_CORE_BOX, 1, 1, 0.5, 0), .b = solid(FLY_CORE_BOX, 0.3, 0.2, 0.1, 0), .p = {0, 0, 0.5999}};
  assert_int_equal(count_closed(&s), 4);
  s.p[0] = 0.9; // over an edge
  assert_int_equal(count_closed(&s), 4);
  s.p[1] = -0.95; // over a corner
  assert_int_equal(count_closed(&s), 4);
  s.p[0] = 1.31; // beside it
  assert_int_equal(count_closed(&s), 0);
  s.b.half[0] = s.b.half[1] = 1;
  s.p[0] = s.p[1] = 0;
  s.theta[2] = 0.7; // two squares turned against each other: an octagon
  assert_int_equal(count_closed(&s), 8);
}

// What overhangs does not hold: the middle of the spots is that of what they share.
static void spots_end_where_the_face_ends(void **state) {
  scene s = {.a = solid(FLY_CORE_BOX, 1, 1, 0.5, 0), .b = solid(FLY_CORE_BOX, 0.3, 0.2, 0.1, 0), .p = {0.9, 0, 0.5999}};
  fly_touch t[FLY_SPOTS];
  double far = 0;
  for (int k = look(t, &s) - 1; k >= 0; k--)
    far = t[k].gap < 0 ? fmax(far, t[k].c[0]) : far;
  assert_near(far, 1, 1e-12);
  s.theta[0] = 1e-5; // a little tilted, so that no edges are parallel
  s.theta[1] = 2e-5;
  s.theta[2] = 0.1;
  assert_int_equal(count_closed(&s), 4);
  for (int k = look(t, &s) - 1; k >= 0; k--)
    if (t[k].gap < 0)
      for (int c = 0; c < 6; c++) { // the gap changes by n . u there too
        scene up = s, down = s;
        fly_touch a[FLY_SPOTS], b[FLY_SPOTS];
        double h = 1e-7;
        if (c >= 3)
          continue;
        up.p[c] += h;
        down.p[c] -= h;
        look(a, &up);
        look(b, &down);
        assert_near((a[k].gap - b[k].gap) / (2 * h), t[k].n[c], 1e-7);
      }
}

// Over each corner of the face: the spots are those of the rectangle they share, and its middle is pressed.
static void spots_over_a_corner_are_those_of_what_is_shared(void **state) {
  for (int k = 0; k < 4; k++) {
    const double x = k & 1 ? 1 : -1, y = k & 2 ? 1 : -1;
    scene s = {.a = solid(FLY_CORE_BOX, 1, 1, 0.5, 0),
               .b = solid(FLY_CORE_BOX, 0.3, 0.2, 0.1, 0),
               .p = {0.9 * x, 0.95 * y, 0.5999}};
    double Q[6];
    load(Q, &s);
    assert_int_equal(count_closed(&s), 4);
    assert_near(Q[2], 4e-4, 1e-12);
    assert_near(Q[3] / Q[2], -0.075 * y, 1e-9); // the middle of 0.6..1 and 0.75..1 lies 0.1 and 0.075 inside
    assert_near(-Q[4] / Q[2], -0.1 * x, 1e-9);
  }
}

static void boxes_have_their_slopes(void **state) {
  uint64_t seed = 3;
  for (int n = 0; n < 200; n++) {
    scene s = {.a = solid(FLY_CORE_BOX, 1, 0.8, 0.5, 0), .b = solid(FLY_CORE_BOX, 0.3, 0.25, 0.1, 0)};
    double e[4], R[9];
    s.theta[2] = random_double(&seed);
    fly_quat_exp(e, s.theta);
    fly_quat_matrix(s.b.A, e); // turned on its body, so that the move starts from none
    memset(s.theta, 0, sizeof s.theta);
    for (int k = 0; k < 2; k++)
      s.p[k] = (k ? 0.9 : 1.1) * random_double(&seed);
    s.p[2] = 0.6 - 1e-2;
    fly_quat_matrix(R, e);
    if (count_closed(&s) > 2)
      assert_slopes(&s, 1e-7, 1e-6);
  }
}

// ------------------------------------------------------------------------------------------ rods

static void rods_side_by_side_touch_at_both_ends(void **state) {
  const fly_core kind[3][2] = {{FLY_CORE_SEGMENT, FLY_CORE_SEGMENT},
                               {FLY_CORE_CYLINDER, FLY_CORE_CYLINDER},
                               {FLY_CORE_SEGMENT, FLY_CORE_CYLINDER}};
  for (int k = 0; k < 3; k++) {
    scene s = {.p = {0.1999, 0, 0.3}};
    s.a = kind[k][0] == FLY_CORE_SEGMENT ? solid(FLY_CORE_SEGMENT, 0, 0, 1, 0.1)
                                         : solid(FLY_CORE_CYLINDER, 0.1, 0.1, 1, 0);
    s.b = kind[k][1] == FLY_CORE_SEGMENT ? solid(FLY_CORE_SEGMENT, 0, 0, 0.8, 0.1)
                                         : solid(FLY_CORE_CYLINDER, 0.1, 0.1, 0.8, 0);
    assert_int_equal(count_closed(&s), 2);
    fly_touch t[FLY_SPOTS];
    look(t, &s);
    assert_near(fmin(t[0].c[2], t[1].c[2]), -0.5, 1e-12);
    assert_near(fmax(t[0].c[2], t[1].c[2]), 1, 1e-12);
    for (int way = -1; way <= 1; way += 2) { // nearer to each other beyond what they share
      s.theta[1] = 1e-5 * way;
      look(t, &s);
      assert_near(fmin(t[0].c[2], t[1].c[2]), -0.5, 1e-5);
      assert_near(fmax(t[0].c[2], t[1].c[2]), 1, 1e-5);
    }
    s.theta[1] = 0;
    s.theta[0] = 0.05; // crossed: one
    assert_int_equal(count_closed(&s), 1);
  }
}

// Of equal length and flush, with as little between their ends as rounding leaves and more: two spots, whatever it is.
static void rods_that_end_together_touch_at_both_ends(void **state) {
  uint64_t seed = 3;
  for (int n = 0; n < 2000; n++) {
    scene s = {.a = solid(FLY_CORE_SEGMENT, 0, 0, 0.3, 0.03), .b = solid(FLY_CORE_SEGMENT, 0, 0, 0.3, 0.03)};
    const double little = pow(10, -17 + n % 13), way = uniform(&seed, -3, 3);
    s.p[0] = 0.0599 * cos(way);
    s.p[1] = 0.0599 * sin(way);
    s.p[2] = little * random_double(&seed);
    for (int k = 0; k < 2; k++)
      s.theta[k] = little * random_double(&seed);
    assert_int_equal(count_closed(&s), 2);
  }
}

// Tilted, the end of one passes that of the other: the gap of each spot goes on as the rods shift, and has its slopes.
static void an_end_passes_an_end(void **state) {
  scene s = {.a = solid(FLY_CORE_SEGMENT, 0, 0, 0.3, 0.03),
             .b = solid(FLY_CORE_SEGMENT, 0, 0, 0.3, 0.03),
             .p = {0.055, 0, 0},
             .theta = {0, 0.005, 0}};
  double last = 0;
  for (int n = 0; n <= 200; n++) {
    fly_touch t[FLY_SPOTS];
    s.p[2] = 5e-6 * (n - 100); // D theta = 2.75e-4 is what an end may be beyond
    assert_int_equal(look(t, &s), 2);
    assert_int_equal(count_closed(&s), 2);
    if (n > 0)
      assert_near(t[0].gap + t[1].gap, last, 5e-6 * 0.02);
    last = t[0].gap + t[1].gap;
  }
}

// On a box: the ends, or where it leaves the box.
static void a_rod_on_a_box_touches_at_both_ends_of_what_they_share(void **state) {
  for (int round = 0; round < 2; round++) {
    scene s = {.a = solid(FLY_CORE_BOX, 1, 1, 0.5, 0), .p = {0, 0, 0.5999}, .theta = {0, 1.5707963267948966, 0}};
    s.b = round ? solid(FLY_CORE_CYLINDER, 0.1, 0.1, 0.4, 0) : solid(FLY_CORE_SEGMENT, 0, 0, 0.4, 0.1);
    assert_int_equal(count_closed(&s), 2);
    s.p[0] = 0.9;
    assert_int_equal(count_closed(&s), 2);
    fly_touch t[FLY_SPOTS];
    double far = 0;
    for (int k = look(t, &s) - 1; k >= 0; k--)
      far = t[k].gap < 0 ? fmax(far, t[k].c[0]) : far;
    assert_near(far, 1, 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_cylinder_that_stands_is_held_all_around),
                                     cmocka_unit_test(a_box_on_a_box_has_a_spot_at_each_corner_of_what_they_share),
                                     cmocka_unit_test(spots_end_where_the_face_ends),
                                     cmocka_unit_test(spots_over_a_corner_are_those_of_what_is_shared),
                                     cmocka_unit_test(boxes_have_their_slopes),
                                     cmocka_unit_test(rods_side_by_side_touch_at_both_ends),
                                     cmocka_unit_test(rods_that_end_together_touch_at_both_ends),
                                     cmocka_unit_test(an_end_passes_an_end),
                                     cmocka_unit_test(a_rod_on_a_box_touches_at_both_ends_of_what_they_share)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
