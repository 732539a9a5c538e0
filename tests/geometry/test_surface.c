// Balls on closed surfaces of triangles: a box of triangles is the box, whatever the triangles; derivatives against
// differences; a groove is touched on both sides; what is open or inside out is told.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "geometry/distance.h"
#include "geometry/mesh.h"
#include "geometry/scene.h"
#include "geometry/surface.h"
#include "geometry/turn.h"
#include "math/so3.h"

static mesh box;

static void triangles_of_a_box_are_the_box(void **state) {
  fly_arena memory = {0};
  fly_surface surface;
  uint64_t seed = 6;
  int closed = 0;
  make_box(&box);
  assert_int_equal(build(&surface, &box, &memory), FLY_SURFACE_GOOD);
  for (int n = 0; n < 3000; n++) {
    fly_solid a = {.core = FLY_CORE_SURFACE, .surface = &surface}, b = {.core = FLY_CORE_BOX, .half = {0.5, 0.7, 0.9}};
    fly_solid ball = {.core = FLY_CORE_POINT, .radius = uniform(&seed, 0.05, n % 5 ? 0.3 : 0.9)};
    fly_touch t[FLY_SPOTS], right;
    double p[3], R[9];
    random_turn(a.A, &seed);
    memcpy(b.A, a.A, sizeof b.A);
    random_turn(ball.A, &seed);
    random_turn(R, &seed);
    for (int k = 0; k < 3; k++)
      p[k] = 1.1 * random_double(&seed);
    const bool swapped = n % 2;
    fly_touch_all(t, swapped ? &ball : &a, swapped ? &a : &ball, p, R);
    fly_touch_at(&right, swapped ? &ball : &b, swapped ? &b : &ball, 0, p, R);
    if (right.gap < -ball.radius - 0.1)
      continue; // deep inside there are several ways out
    assert_near(t[0].gap, right.gap, 1e-12);
    for (int k = 0; k < 3; k++)
      assert_near(t[0].n[k], right.n[k], 1e-9);
    for (int k = 0; k < 18; k++) {
      assert_near(t[0].dn[k], right.dn[k], 1e-6);
      assert_near(t[0].dc[k], right.dc[k], 1e-6);
    }
    assert_true(t[1].gap > 0); // one spot, on whichever triangles it lies
    closed += t[0].gap < 0;
  }
  assert_true(closed > 300);
  fly_arena_free(&memory);
}

// A dent in the top of a box: a ball in it touches both of its slopes.
static void a_groove_is_touched_on_both_sides(void **state) {
  fly_arena memory = {0};
  fly_surface surface;
  int wrong;
  assert_int_equal(fly_surface_build(&surface, &wrong, 10, DENT, 16, DENTED, &memory), FLY_SURFACE_GOOD);
  const fly_solid a = {.core = FLY_CORE_SURFACE, .surface = &surface, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const fly_solid ball = {.core = FLY_CORE_POINT, .radius = 0.3, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  fly_touch t[FLY_SPOTS];
  fly_touch_all(t, &a, &ball, (double[3]){0, 0.1, 0.3 * sqrt(2.0) - 1e-3}, ball.A);
  for (int k = 0; k < 2; k++) {
    assert_near(t[k].gap, -1e-3 / sqrt(2.0), 1e-12);
    assert_near(t[k].n[2], sqrt(0.5), 1e-12);
  }
  assert_near(t[0].n[0] + t[1].n[0], 0, 1e-12);
  assert_true(t[2].gap > 0);
  fly_arena_free(&memory);
}

// Across a shallow dent the gap is the distance from the nearer slope, in one spot, and does not jump.
static void a_shallow_dent_has_one_spot(void **state) {
  fly_arena memory = {0};
  fly_surface surface;
  double corner[10][3] = {{-1, -1, 1}, {0, -1, 0.9}, {1, -1, 1}, {1, -1, -1}, {-1, -1, -1},
                          {-1, 1, 1},  {0, 1, 0.9},  {1, 1, 1},  {1, 1, -1},  {-1, 1, -1}};
  int wrong;
  assert_int_equal(fly_surface_build(&surface, &wrong, 10, (const double(*)[3])corner, 16, DENTED, &memory),
                   FLY_SURFACE_GOOD);
  const fly_solid a = {.core = FLY_CORE_SURFACE, .surface = &surface, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const fly_solid ball = {.core = FLY_CORE_POINT, .radius = 0.3, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int k = -500; k <= 500; k++) {
    const double x = 2e-4 * k, z = 1.19;
    fly_touch t[FLY_SPOTS];
    fly_touch_all(t, &a, &ball, (double[3]){x, 0.1, z}, ball.A);
    assert_near(t[0].gap, (z - 0.9 - 0.1 * fabs(x)) / sqrt(1.01) - 0.3, 1e-12);
    assert_true(t[1].gap > 0);
  }
  fly_arena_free(&memory);
}

static void what_is_open_or_inside_out_is_told(void **state) {
  fly_arena memory = {0};
  fly_surface surface;
  make_box(&box);
  box.triangles--;
  assert_int_equal(build(&surface, &box, &memory), FLY_SURFACE_OPEN);
  make_box(&box);
  for (int k = 0; k < box.triangles; k++) {
    const int first = box.of[k][0];
    box.of[k][0] = box.of[k][1];
    box.of[k][1] = first;
  }
  assert_int_equal(build(&surface, &box, &memory), FLY_SURFACE_INSIDE_OUT);
  make_box(&box);
  box.of[7][2] = box.of[7][1];
  assert_int_equal(build(&surface, &box, &memory), FLY_SURFACE_OPEN);
  fly_arena_free(&memory);
}

// ------------------------------------------------------------------------------------------ capsules

// While it is apart a capsule is as far from the triangles as from the box; and so long as its axis stays outside.
static void a_capsule_on_triangles_is_as_far_as_from_the_box(void **state) {
  fly_arena memory = {0};
  fly_surface surface;
  uint64_t seed = 8;
  int closed = 0, across = 0;
  make_box(&box);
  assert_int_equal(build(&surface, &box, &memory), FLY_SURFACE_GOOD);
  for (int n = 0; n < 1500; n++) {
    scene s = {
        .a = {.core = FLY_CORE_SURFACE, .surface = &surface},
        .b = {.core = FLY_CORE_SEGMENT, .radius = uniform(&seed, 0.05, 0.3), .half = {0, 0, uniform(&seed, 0.1, 1)}}};
    fly_solid solid = {.core = FLY_CORE_BOX, .half = {0.5, 0.7, 0.9}};
    fly_touch t[FLY_SPOTS];
    random_turn(s.a.A, &seed);
    memcpy(solid.A, s.a.A, sizeof solid.A);
    random_turn(s.b.A, &seed);
    random_turn(s.R, &seed);
    for (int k = 0; k < 3; k++)
      s.p[k] = 1.4 * random_double(&seed);
    const fly_posed a = fly_posed_of(&solid, NULL, NULL), b = fly_posed_of(&s.b, s.p, s.R);
    fly_between m;
    fly_between_find(&m, &a, &b);
    if (m.g < 1e-3)
      continue; // its axis is inside
    fly_touch_all(t, &s.a, &s.b, s.p, s.R);
    int best = 0;
    for (int k = 1; k < FLY_FEW_SPOTS; k++)
      best = t[k].gap < t[best].gap ? k : best;
    assert_near(t[best].gap, m.g - s.b.radius, 1e-7);
    closed += t[best].gap < 0;
    across += best >= 6;
    if (n % 3 == 0 && is_smooth(&s, best))
      assert_derivatives(&s, best);
  }
  assert_true(closed > 100 && across > 100);
  fly_arena_free(&memory);
}

// On a flat face it touches with both ends, whatever the triangles, and no more.
static void a_capsule_lies_on_both_ends(void **state) {
  fly_arena memory = {0};
  fly_surface surface;
  const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  make_box(&box);
  assert_int_equal(build(&surface, &box, &memory), FLY_SURFACE_GOOD);
  const fly_solid a = {.core = FLY_CORE_SURFACE, .surface = &surface, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const fly_solid rod = {
      .core = FLY_CORE_SEGMENT, .radius = 0.1, .half = {0, 0, 0.3}, .A = {0, 0, 1, 1, 0, 0, 0, 1, 0}};
  for (double x = -0.15; x < 0.15; x += 0.013) {
    fly_touch t[FLY_SPOTS];
    int touching = 0;
    fly_touch_all(t, &a, &rod, (double[3]){x, 0.1 + 0.3 * x, 0.9 + 0.099}, unit);
    for (int k = 0; k < FLY_FEW_SPOTS; k++)
      touching += t[k].gap < 0;
    assert_int_equal(touching, 2);
    assert_near(t[0].gap, -1e-3, 1e-12);
    assert_near(t[3].gap, -1e-3, 1e-12);
  }
  fly_arena_free(&memory);
}

// ------------------------------------------------------------------------------------------ many triangles

// A fan of many triangles about each of two corners: the edges of one corner are not looked through one by one.
static void many_triangles_about_one_corner_are_no_matter(void **state) {
  enum { N = 100000 };
  fly_arena memory = {0};
  fly_surface surface;
  double(*corner)[3] = calloc(N + 2, sizeof *corner);
  int(*of)[3] = calloc((size_t)2 * N, sizeof *of), wrong;
  for (int k = 0; k < N; k++) {
    const int next = (k + 1) % N, two[2][3] = {{N, k, next}, {N + 1, next, k}};
    corner[k][0] = cos(2 * acos(-1) * k / N);
    corner[k][1] = sin(2 * acos(-1) * k / N);
    memcpy(of[2 * k], two, sizeof two);
  }
  corner[N][2] = 1;
  corner[N + 1][2] = -1;
  assert_int_equal(
      fly_surface_build(&surface, &wrong, N + 2, (const double(*)[3])corner, 2 * N, (const int(*)[3])of, &memory),
      FLY_SURFACE_GOOD);
  free(corner);
  free(of);
  fly_arena_free(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(triangles_of_a_box_are_the_box),
                                     cmocka_unit_test(a_groove_is_touched_on_both_sides),
                                     cmocka_unit_test(a_shallow_dent_has_one_spot),
                                     cmocka_unit_test(what_is_open_or_inside_out_is_told),
                                     cmocka_unit_test(a_capsule_on_triangles_is_as_far_as_from_the_box),
                                     cmocka_unit_test(a_capsule_lies_on_both_ends),
                                     cmocka_unit_test(many_triangles_about_one_corner_are_no_matter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
