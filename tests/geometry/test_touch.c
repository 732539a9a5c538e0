// Where solids touch: gaps against brute force over points of their surfaces, the gap's own derivative, and those of
// normal and point, against differences at random places; faces, edges and corners, shallow and deep.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "geometry/carried.h"
#include "geometry/scene.h"
#include "geometry/turn.h"
#include "math/so3.h"

// A roof over a square: six corners, five faces.
static double wedge_corner[6][3] = {{0.6, 0.5, -0.3},  {-0.6, 0.5, -0.3}, {-0.6, -0.5, -0.3},
                                    {0.6, -0.5, -0.3}, {0.4, 0, 0.4},     {-0.4, 0, 0.4}};
static double wedge_normal[5][3];
static int wedge_start[6] = {0, 4, 8, 12, 15, 18},
           wedge_of[18] = {0, 3, 2, 1, 0, 1, 5, 4, 2, 3, 4, 5, 1, 2, 5, 3, 0, 4};
static fly_hull WEDGE = {6, 5, wedge_corner, wedge_normal, wedge_start, wedge_of, 0.84, 0.3};

static int make_wedge(void **state) {
  for (int k = 0; k < 5; k++) {
    const double *a = wedge_corner[wedge_of[wedge_start[k]]], *b = wedge_corner[wedge_of[wedge_start[k] + 1]],
                 *c = wedge_corner[wedge_of[wedge_start[k] + 2]];
    const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, f[3] = {c[0] - b[0], c[1] - b[1], c[2] - b[2]};
    fly_cross(wedge_normal[k], e, f);
    const double size = sqrt(fly_dot3(wedge_normal[k], wedge_normal[k]));
    for (int i = 0; i < 3; i++)
      wedge_normal[k][i] /= size;
  }
  return 0;
}

static fly_solid random_solid(fly_core core, uint64_t *seed) {
  fly_solid s = {.core = core};
  s.radius = core == FLY_CORE_POINT || core == FLY_CORE_SEGMENT ? uniform(seed, 0.1, 0.5) : 0;
  for (int k = 0; k < 3; k++) {
    s.half[k] = core >= FLY_CORE_BOX || (core == FLY_CORE_SEGMENT && k == 2) ? uniform(seed, 0.2, 1) : 0;
    s.at[k] = 0.3 * random_double(seed);
  }
  if (core == FLY_CORE_CYLINDER || core == FLY_CORE_CONE)
    s.half[1] = s.half[0];
  s.hull = &WEDGE;
  random_turn(s.A, seed);
  return s;
}

static scene random_scene(int a, int b, double far, uint64_t *seed) {
  scene s = {.a = random_solid((fly_core)a, seed), .b = random_solid((fly_core)b, seed)};
  for (int k = 0; k < 3; k++)
    s.p[k] = far * random_double(seed);
  random_turn(s.R, seed);
  return s;
}

static double smallest_gap(const scene *s) {
  double gap = INFINITY;
  for (int k = 0; k < fly_touch_spots(&s->a, &s->b); k++)
    gap = fmin(gap, touch(s, k).gap);
  return gap;
}

// A spot that is there, of those a pair can have: others are farther away than solids reach.
static int nth_there(const scene *s, int spots, int n) {
  const double a = fly_solid_reach(&s->a), b = fly_solid_reach(&s->b);
  const double none = fmax(smallest_gap(s), 0) + (isfinite(a + b) ? a + b : 2 * fmin(a, b));
  for (int k = 0; k < spots; k++)
    if (touch(s, (n + k) % spots).gap < none)
      return (n + k) % spots;
  return 0;
}

static void gap_normal_and_point_have_their_derivatives(void **state) {
  uint64_t seed = 4;
  int looked = 0, pairs = 0, several = 0;
  for (int a = 0; a < FLY_CORE_SURFACE; a++)
    for (int b = 0; b < FLY_CORE_SURFACE; b++) {
      const fly_solid one = {.core = (fly_core)a}, two = {.core = (fly_core)b};
      const int spots = fly_touch_spots(&one, &two);
      pairs += spots > 0;
      for (int n = 0; n < 60 && spots > 0; n++) {
        const scene s = random_scene(a, b, n % 2 ? 2.0 : 0.8, &seed);
        const int spot = nth_there(&s, spots, n);
        if (!is_smooth(&s, spot))
          continue;
        assert_derivatives(&s, spot);
        looked++;
        several += spot > 0;
      }
    }
  assert_int_equal(pairs, FLY_CORE_SURFACE * FLY_CORE_SURFACE - 1); // all but two planes
  assert_true(looked > pairs * 50 && several > pairs * 10);
}

// ------------------------------------------------------------------------------------------ against brute force

// A point of the core, over a grid.
static void core_point(double out[3], const fly_solid *s, const int at[3], int n) {
  for (int i = 0; i < 3; i++) {
    out[i] = s->at[i];
    for (int k = 0; k < 3; k++)
      out[i] += s->A[3 * i + k] * s->half[k] * (2.0 * at[k] / (n - 1) - 1);
  }
}

// Distance of the cores by a grid over the points of b and, for each, the nearest of a found by sliding down.
static double point_to_core(const fly_solid *a, const double x[3]) {
  double sum = 0, round = 0;
  for (int k = 0; k < 3; k++) {
    double along = 0;
    for (int i = 0; i < 3; i++)
      along += a->A[3 * i + k] * (x[i] - a->at[i]);
    const double over = fmax(fabs(along) - a->half[k], 0);
    if (a->core == FLY_CORE_CYLINDER && k < 2)
      round += along * along;
    else
      sum += over * over;
  }
  const double beside = fmax(sqrt(round) - (a->core == FLY_CORE_CYLINDER ? a->half[0] : 0.0), 0);
  return sqrt(sum + beside * beside);
}

static double brute(const scene *s) {
  enum { GRID = 401 };
  const int n = s->b.core == FLY_CORE_SEGMENT ? GRID : 2;
  double best = INFINITY;
  for (int k = 0; k < n; k++) {
    double own[3], x[3];
    core_point(own, &s->b, (int[3]){0, 0, k}, n);
    for (int i = 0; i < 3; i++)
      x[i] = s->p[i] + fly_dot3(s->R + 3 * i, own);
    best = fmin(best, point_to_core(&s->a, x));
  }
  return best - s->a.radius - s->b.radius;
}

static void gaps_are_those_of_brute_force(void **state) {
  static const fly_core pair[][2] = {{FLY_CORE_POINT, FLY_CORE_POINT},     {FLY_CORE_POINT, FLY_CORE_SEGMENT},
                                     {FLY_CORE_SEGMENT, FLY_CORE_SEGMENT}, {FLY_CORE_SEGMENT, FLY_CORE_POINT},
                                     {FLY_CORE_BOX, FLY_CORE_POINT},       {FLY_CORE_CYLINDER, FLY_CORE_POINT}};
  uint64_t seed = 11;
  for (int n = 0; n < 2400; n++) {
    const fly_core *which = pair[n % 6];
    const scene s = random_scene((int)which[0], (int)which[1], 2.0, &seed);
    const double gap = smallest_gap(&s), found = brute(&s);
    if (which[0] >= FLY_CORE_BOX && found <= -s.b.radius)
      continue; // inside, where the distance of cores says nothing
    assert_true(gap <= found + 1e-12 && gap > found - 2e-5 - 0.01 * (which[1] == FLY_CORE_SEGMENT));
  }
}

// Far apart no gap is smaller than is said, it changes by n . u too, and nobody is called far who touches.
static void balls_around_solids_are_no_nearer_than_they_are(void **state) {
  uint64_t seed = 8;
  int far = 0, pairs = 0;
  for (int n = 0; n < 6000; n++) {
    const int a = n % FLY_CORE_SURFACE, b = n / FLY_CORE_SURFACE % FLY_CORE_SURFACE;
    const scene s = random_scene(a, b, 5.0, &seed);
    if (fly_touch_spots(&s.a, &s.b) == 0)
      continue;
    fly_touch t, up, down;
    const double exact = smallest_gap(&s);
    pairs++;
    if (!fly_touch_far(&t, &s.a, &s.b, s.p, s.R))
      continue;
    far++;
    assert_true(t.gap > 0 && t.gap <= exact + 1e-12);
    for (int c = 0; c < FLY_MOVES; c++) {
      const scene more = moved(&s, c, 1e-6), less = moved(&s, c, -1e-6);
      const double unit[3] = {c % 3 == 0, c % 3 == 1, c % 3 == 2};
      const double arm[3] = {t.c[0] - s.p[0], t.c[1] - s.p[1], t.c[2] - s.p[2]};
      double turn[3];
      fly_cross(turn, unit, arm);
      if (fly_touch_far(&up, &more.a, &more.b, more.p, more.R) &&
          fly_touch_far(&down, &less.a, &less.b, less.p, less.R))
        assert_near(fly_dot3(t.n, c < 3 ? unit : turn), (up.gap - down.gap) / 2e-6, 1e-7);
    }
  }
  assert_true(far > pairs / 3 && far < pairs);
}

// ------------------------------------------------------------------------------------------ by hand

static void a_box_on_a_plane_has_a_spot_at_each_corner(void **state) {
  scene s = {.a = {.core = FLY_CORE_PLANE, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
             .b = {.core = FLY_CORE_BOX, .half = {1, 2, 3}, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
             .p = {0, 0, 2.9},
             .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double low = 0, x = 0, y = 0;
  for (int k = 0; k < fly_touch_spots(&s.a, &s.b); k++) {
    const fly_touch t = touch(&s, k);
    assert_near(t.n[2], 1, 0);
    assert_true(t.gap == -0.1 + 6.0 * (t.gap > 0) || fabs(t.gap + 0.1 - 6.0 * (t.gap > 0)) < 1e-14);
    low += t.gap < 0;
    x += fabs(t.c[0]);
    y += fabs(t.c[1]);
  }
  assert_near(low, 4, 0);
  assert_near(x, 8, 1e-14);
  assert_near(y, 16, 1e-14);
}

// The lowest point of a tilted disc, by hand; and what both points of a rim give together is even in the tilt.
static void a_cylinder_touches_with_its_rims(void **state) {
  for (double tilt = 1e-7; tilt < 1.6; tilt = tilt * 10 + 0.05) {
    scene s = {.a = {.core = FLY_CORE_PLANE, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
               .b = {.core = FLY_CORE_CYLINDER, .half = {2, 2, 0.5}, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
               .p = {0, 0, 3},
               .R = {1, 0, 0, 0, cos(tilt), -sin(tilt), 0, sin(tilt), cos(tilt)}};
    double low = INFINITY;
    for (int k = 0; k < 8; k++)
      low = fmin(low, touch(&s, k).gap);
    assert_near(low, 3 - 2 * sin(tilt) - 0.5 * cos(tilt), 1e-12);
  }
}

// A ball sinks through a thin plate: the normal turns round in the middle, and the gap is never more than it was.
static void a_plate_has_two_sides(void **state) {
  scene s = {.a = {.core = FLY_CORE_BOX, .half = {1, 1, 0.01}, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
             .b = {.core = FLY_CORE_POINT, .radius = 0.02, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
             .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int k = -40; k <= 40; k++) {
    s.p[2] = (k + 0.5) * 1e-3;
    const fly_touch t = touch(&s, 0);
    assert_near(t.n[2], s.p[2] > 0 ? 1 : -1, 0);
    assert_near(t.gap, fabs(s.p[2]) - 0.03, 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gap_normal_and_point_have_their_derivatives),
                                     cmocka_unit_test(gaps_are_those_of_brute_force),
                                     cmocka_unit_test(balls_around_solids_are_no_nearer_than_they_are),
                                     cmocka_unit_test(a_box_on_a_plane_has_a_spot_at_each_corner),
                                     cmocka_unit_test(a_cylinder_touches_with_its_rims),
                                     cmocka_unit_test(a_plate_has_two_sides)};
  return cmocka_run_group_tests(tests, make_wedge, NULL);
}
