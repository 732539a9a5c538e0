// Solids come slowly nearer until they are in each other by some per cent of their size, from all sides: no spot is
// deeper than the solids are, one is as deep, and none is there at once with a depth that it has not come to.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "geometry/distance.h"
#include "geometry/hull.h"
#include "math/so3.h"

static const fly_core CORES[] = {FLY_CORE_BOX, FLY_CORE_HULL, FLY_CORE_SEGMENT, FLY_CORE_CYLINDER, FLY_CORE_CONE};
enum { KINDS = 5, PAIRS = 50 };
static const double STEP = 2e-4; // [m]

typedef struct scene {
  fly_solid a, b;
  fly_hull hull[2];
  fly_arena memory;
  double from[3], way[3], R[9];
} scene;

static void random_hull(fly_hull *h, fly_arena *memory, uint64_t *seed) {
  double point[3 * 12], middle[3];
  const int count = 5 + (int)uniform(seed, 0, 7);
  for (int k = 0; k < 3 * count; k++)
    point[k] = uniform(seed, -0.2, 0.2);
  assert_int_equal(fly_hull_build(h, middle, count, point, memory), FLY_HULL_GOOD);
}

static fly_solid random_solid(fly_core core, fly_hull *h, fly_arena *memory, uint64_t *seed) {
  fly_solid s = {.core = core, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int k = 0; k < 3; k++)
    s.half[k] = core == FLY_CORE_HULL || (core == FLY_CORE_SEGMENT && k < 2) ? 0 : uniform(seed, 0.05, 0.2);
  if (core == FLY_CORE_CYLINDER || core == FLY_CORE_CONE)
    s.half[1] = s.half[0];
  if (core == FLY_CORE_SEGMENT)
    s.radius = uniform(seed, 0.04, 0.12);
  if (core == FLY_CORE_HULL) {
    random_hull(h, memory, seed);
    s.hull = h;
  }
  return s;
}

// Every fourth nearly upright, from above.
static void random_scene(scene *s, int n, fly_core first, fly_core second, uint64_t *seed) {
  const double most = n % 4 == 0 ? 0.15 : 2.5;
  double theta[3], e[4];
  *s = (scene){.way = {0}};
  s->a = random_solid(first, &s->hull[0], &s->memory, seed);
  s->b = random_solid(second, &s->hull[1], &s->memory, seed);
  for (int k = 0; k < 3; k++) {
    theta[k] = uniform(seed, -most, most);
    s->way[k] = random_double(seed) * (n % 4 == 0 && k < 2 ? 0.1 : 1);
    s->from[k] = uniform(seed, -0.1, 0.1);
  }
  const double size = sqrt(fly_dot3(s->way, s->way));
  for (int k = 0; k < 3; k++)
    s->way[k] /= size;
  fly_quat_exp(e, theta);
  fly_quat_matrix(s->R, e);
}

static double distance(const scene *s, const double p[3]) {
  const fly_posed a = fly_posed_of(&s->a, NULL, NULL), b = fly_posed_of(&s->b, p, s->R);
  fly_between m;
  fly_between_find(&m, &a, &b);
  return m.g - s->a.radius - s->b.radius;
}

static double smallest_gap(const scene *s, const double p[3]) {
  fly_touch t[FLY_SPOTS];
  double least = INFINITY;
  fly_touch_all(t, &s->a, &s->b, p, s->R);
  for (int k = fly_touch_spots(&s->a, &s->b) - 1; k >= 0; k--)
    least = fmin(least, t[k].gap);
  return least;
}

// Of the depth an eighth less where rims and rods lie side by side, and a tenth more where faces are tilted.
static void assert_depth(double gap, double true_gap) {
  const double depth = fmax(-true_gap, 0), rounding = 2e-6;
  assert_true(gap >= true_gap - 0.1 * depth - rounding);
  assert_true(gap <= true_gap + 0.13 * depth + rounding);
}

// Until they are as deep as a twelfth of the thinner; those that pass each other do not touch.
static void approach(const scene *s) {
  const double deep = fmin(fly_solid_thickness(&s->a), fly_solid_thickness(&s->b)) / 12;
  for (double y = 1.2; y > -1.2;) {
    const double p[3] = {s->from[0] + y * s->way[0], s->from[1] + y * s->way[1], s->from[2] + y * s->way[2]};
    const double gap = distance(s, p);
    if (gap < -deep)
      return;
    if (gap < 2 * STEP)
      assert_depth(smallest_gap(s, p), gap);
    y -= fmax(0.9 * gap, STEP);
  }
}

static void no_spot_is_deeper_than_the_solids_are(void **state) {
  static scene s;
  uint64_t seed = 5;
  for (int n = 0; n < KINDS * KINDS * PAIRS; n++) {
    random_scene(&s, n / (KINDS * KINDS), CORES[n % KINDS], CORES[n / KINDS % KINDS], &seed);
    approach(&s);
    fly_arena_free(&s.memory);
  }
}

// An upright rod whose end comes down beside the edge of a box, leaning over it.
static void a_rod_that_stands_on_an_edge_is_no_deeper_than_its_end(void **state) {
  static scene s;
  s = (scene){.a = {.core = FLY_CORE_BOX, .half = {0.1, 0.1, 0.1}, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
              .b = {.core = FLY_CORE_SEGMENT, .half = {0, 0, 0.15}, .radius = 0.05, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
              .way = {0, 0, 1}};
  for (double lean = -0.3; lean < 0.3; lean += 0.01)
    for (double beside = -0.02; beside < 0.02; beside += 0.001) {
      double e[4];
      const double theta[3] = {lean, 0, 0};
      fly_quat_exp(e, theta);
      fly_quat_matrix(s.R, e);
      s.from[1] = -0.1 + beside - 0.15 * sin(lean); // the lower end stands there
      approach(&s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_spot_is_deeper_than_the_solids_are),
                                     cmocka_unit_test(a_rod_that_stands_on_an_edge_is_no_deeper_than_its_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
