// Hulls of points: all of them are inside, faces are flat polygons that close, and what has no inside is told.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "geometry/hull.h"
#include "math/so3.h"

static void assert_closed(const fly_hull *h, double size) {
  int sides = 0;
  for (int k = 0; k < h->faces; k++) {
    const double *o = h->corner[h->of[h->start[k]]];
    sides += h->start[k + 1] - h->start[k];
    assert_near(fly_dot3(h->normal[k], h->normal[k]), 1, 1e-12);
    for (int c = 0; c < h->count; c++)
      assert_true(fly_dot3(h->normal[k], h->corner[c]) - fly_dot3(h->normal[k], o) < 2e-9 * size);
    for (int c = h->start[k]; c < h->start[k + 1]; c++) {
      const double *x = h->corner[h->of[c]];
      assert_near(fly_dot3(h->normal[k], x), fly_dot3(h->normal[k], o), 2e-9 * size);
      assert_true(sqrt(fly_dot3(x, x)) <= h->reach);
    }
  }
  assert_int_equal(h->count - sides / 2 + h->faces, 2); // Euler
}

static void random_points_are_inside(void **state) {
  static double point[3 * 400];
  uint64_t seed = 2;
  for (int n = 0; n < 60; n++) {
    fly_arena memory = {0};
    fly_hull h;
    double middle[3];
    const int count = 5 + n * 6;
    for (int k = 0; k < 3 * count; k++)
      point[k] = n % 3 == 0 ? random_double(&seed) : round(2 * random_double(&seed)); // the second: many in one plane
    assert_int_equal(fly_hull_build(&h, middle, count, point, &memory), FLY_HULL_GOOD);
    assert_closed(&h, 2);
    for (int k = 0; k < count; k++)
      for (int f = 0; f < h.faces; f++) {
        const double x[3] = {point[3 * k] - middle[0], point[3 * k + 1] - middle[1], point[3 * k + 2] - middle[2]};
        assert_true(fly_dot3(h.normal[f], x) - fly_dot3(h.normal[f], h.corner[h.of[h.start[f]]]) < 4e-9);
      }
    fly_arena_free(&memory);
  }
}

// A box, with a point inside, one in the middle of a face and each corner twice: eight corners, six faces of four.
static void a_box_is_a_box(void **state) {
  double point[3 * 18] = {0, 0, 0, 0.5, 0, 0}, middle[3];
  for (int k = 0; k < 16; k++)
    for (int c = 0; c < 3; c++)
      point[6 + 3 * k + c] = (k >> c & 1 ? 0.5 : -0.5) * (c + 1);
  fly_arena memory = {0};
  fly_hull h;
  assert_int_equal(fly_hull_build(&h, middle, 18, point, &memory), FLY_HULL_GOOD);
  assert_int_equal(h.count, 8);
  assert_int_equal(h.faces, 6);
  for (int k = 0; k < 6; k++)
    assert_int_equal(h.start[k + 1] - h.start[k], 4);
  assert_near(h.thickness, 0.5, 1e-15);
  assert_near(h.reach, sqrt(0.25 + 1 + 2.25), 1e-15);
  assert_closed(&h, 3);
  fly_arena_free(&memory);
}

static void what_has_no_inside_is_told(void **state) {
  static double point[3 * 4000];
  fly_arena memory = {0};
  fly_hull h;
  double middle[3];
  const fly_hull_verdict told[3] = {FLY_HULL_ONE_PLACE, FLY_HULL_ONE_LINE, FLY_HULL_ONE_PLANE};
  for (int flat = 0; flat < 3; flat++) {
    for (int k = 0; k < 20; k++) {
      point[3 * k] = 7 + (flat > 0) * k;
      point[3 * k + 1] = 3 + (flat > 0) * 2 * k + (flat > 1) * k * k;
      point[3 * k + 2] = 1 - (flat > 0) * k;
    }
    assert_int_equal(fly_hull_build(&h, middle, 20, point, &memory), told[flat]);
  }
  for (int k = 0; k < 4000; k++) { // a ball
    const double z = 2 * (k + 0.5) / 4000 - 1, round = 2.399963229728653 * k;
    point[3 * k] = sqrt(1 - z * z) * cos(round);
    point[3 * k + 1] = sqrt(1 - z * z) * sin(round);
    point[3 * k + 2] = z;
  }
  assert_int_equal(fly_hull_build(&h, middle, 4000, point, &memory), FLY_HULL_MANY);
  fly_arena_free(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_points_are_inside), cmocka_unit_test(a_box_is_a_box),
                                     cmocka_unit_test(what_has_no_inside_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
