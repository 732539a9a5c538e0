// Solids and meshes on meshes: distances against all triangles one by one, and against another's word on whether they
// meet where libccd is installed; a box of triangles is the box; derivatives of all spots against differences, and how
// many spots there are.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "geometry/facet.h"
#include "geometry/mesh.h"
#include "geometry/scene.h"
#include "geometry/turn.h"
#include "math/so3.h"

#if FLY_TEST_CCD
#include <ccd/ccd.h>
#endif

static mesh box;
static fly_surface boxed, dented;
static fly_arena memory;

static int make_surfaces(void **state) {
  int wrong;
  make_cells(&box, 2);
  assert_int_equal(build(&boxed, &box, &memory), FLY_SURFACE_GOOD);
  assert_int_equal(fly_surface_build(&dented, &wrong, 10, DENT, 16, DENTED, &memory), FLY_SURFACE_GOOD);
  return 0;
}

static int free_surfaces(void **state) {
  fly_arena_free(&memory);
  return 0;
}

// ------------------------------------------------------------------------------------------ random pairs

static double octahedron[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
static double slanted[8][3];
static int first_of[9] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
static int corners_of[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
static fly_hull diamond = {.count = 6,
                           .faces = 8,
                           .corner = octahedron,
                           .normal = slanted,
                           .start = first_of,
                           .of = corners_of,
                           .reach = 1,
                           .thickness = 0.577};

static fly_solid random_solid(int core, uint64_t *seed) {
  fly_solid s = {.core = (fly_core)core};
  for (int k = 0; k < 3; k++) {
    s.half[k] = uniform(seed, 0.1, 0.6);
    s.at[k] = 0.3 * random_double(seed);
  }
  if (core == FLY_CORE_CYLINDER || core == FLY_CORE_CONE)
    s.half[1] = s.half[0];
  for (int k = 0; k < 8; k++)
    for (int c = 0; c < 3; c++)
      slanted[k][c] = (octahedron[corners_of[3 * k]][c] + octahedron[corners_of[3 * k + 1]][c] +
                       octahedron[corners_of[3 * k + 2]][c]) /
                      sqrt(3.0);
  if (core == FLY_CORE_HULL) {
    s.hull = &diamond;
    memset(s.half, 0, sizeof s.half);
  }
  if (core == FLY_CORE_SURFACE)
    s.surface = &dented;
  random_turn(s.A, seed);
  return s;
}

static const fly_core OTHERS[] = {FLY_CORE_BOX,       FLY_CORE_CYLINDER, FLY_CORE_CONE,
                                  FLY_CORE_ELLIPSOID, FLY_CORE_HULL,     FLY_CORE_SURFACE};

// A mesh and something else, either of them the first; every third drawn with parallel axes.
static scene random_scene(int n, uint64_t *seed) {
  scene s = {.a = {.core = FLY_CORE_SURFACE, .surface = n % 4 < 2 ? &boxed : &dented},
             .b = random_solid(OTHERS[n / 2 % 6], seed)};
  random_turn(s.a.A, seed);
  random_turn(s.R, seed);
  for (int k = 0; n % 3 == 0 && k < 9; k++)
    s.a.A[k] = s.b.A[k] = s.R[k] = k % 4 == 0;
  for (int k = 0; k < 3; k++)
    s.p[k] = 1.8 * random_double(seed);
  if (n % 2) {
    const fly_solid first = s.a;
    s.a = s.b;
    s.b = first;
  }
  return s;
}

// ------------------------------------------------------------------------------------------ one by one

#if FLY_TEST_CCD
static void ccd_far(const void *of, const ccd_vec3_t *d, ccd_vec3_t *out) { fly_posed_support(out->v, of, d->v); }
static void ccd_middle(const void *of, ccd_vec3_t *out) {
  const fly_posed *w = of;
  fly_posed_support(out->v, w, (double[3]){0, 0, 1});
  if (w->s->core != FLY_CORE_HULL || w->s->hull->count > 3)
    memcpy(out->v, w->o, sizeof out->v);
}

static int others_say_they_meet(const fly_posed *a, const fly_posed *b) {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = ccd_far;
  ccd.center1 = ccd.center2 = ccd_middle;
  ccd.max_iterations = 500;
  return ccdGJKIntersect(a, b, &ccd) != 0;
}
#else
static int others_say_they_meet(const fly_posed *a, const fly_posed *b) { return -1; }
#endif

typedef struct brute {
  double least;
  int meet; // as others say
} brute;

static void compare(brute *out, const fly_solid *a, const fly_solid *b, const scene *s) {
  const fly_posed first = fly_posed_of(a, NULL, NULL), second = fly_posed_of(b, s->p, s->R);
  fly_between g;
  fly_between_find(&g, &first, &second);
  out->least = fmin(out->least, g.g);
  if (fabs(g.g) > 1e-6)
    out->meet = out->meet == 1 ? 1 : others_say_they_meet(&first, &second);
}

static brute all_triangles(const scene *s) {
  brute out = {INFINITY, -1};
  const int na = s->a.surface ? s->a.surface->triangles : 1, nb = s->b.surface ? s->b.surface->triangles : 1;
  for (int k = 0; k < na * nb; k++) {
    fly_facet f[2];
    if (s->a.surface)
      fly_facet_set(&f[0], &s->a, k / nb);
    if (s->b.surface)
      fly_facet_set(&f[1], &s->b, k % nb);
    compare(&out, s->a.surface ? &f[0].solid : &s->a, s->b.surface ? &f[1].solid : &s->b, s);
  }
  return out;
}

static int deepest(const scene *s, fly_touch t[FLY_SPOTS]) {
  int best = 0;
  fly_touch_all(t, &s->a, &s->b, s->p, s->R);
  for (int k = 1; k < FLY_SPOTS; k++)
    best = t[k].gap < t[best].gap ? k : best;
  return best;
}

static void distances_are_those_of_all_triangles(void **state) {
  const int pairs = getenv("FLY_TEST_PAIRS") ? atoi(getenv("FLY_TEST_PAIRS")) : 3000;
  uint64_t seed = 11;
  int closed = 0, inside = 0, missed = 0;
  for (int n = 0; n < pairs; n++) {
    const scene s = random_scene(n, &seed);
    const brute right = all_triangles(&s);
    fly_touch t[FLY_SPOTS];
    const int best = deepest(&s, t);
    if (right.least > 1e-6 && t[best].gap < 0) {
      inside++; // no triangle is met: one is in the other altogether
      continue;
    }
    if (right.least > 1e-6)
      assert_near(t[best].gap, right.least, 1e-7);
    if (right.least < -1e-6) {
      closed++;
      if (!(t[best].gap < 0)) {
        missed++;
        print_message("%d: cores %d %d gap %g brute %g\n", n, s.a.core, s.b.core, t[best].gap, right.least);
      }
    }
    if (fabs(right.least) > 1e-6)
      assert_true(right.meet < 0 || right.meet == (right.least < 0));
  }
  print_message("%d pairs, %d closed, %d inside, %d missed\n", pairs, closed, inside, missed);
  assert_true(closed > pairs / 10);
  assert_int_equal(missed, 0);
}

// ------------------------------------------------------------------------------------------ a box is a box

static void triangles_of_a_box_are_the_box(void **state) {
  uint64_t seed = 12;
  int closed = 0;
  double least = INFINITY, most = 0;
  for (int n = 0; n < 6000; n++) {
    scene s = random_scene(n, &seed);
    fly_solid *ground = s.a.core == FLY_CORE_SURFACE ? &s.a : &s.b;
    fly_solid solid = {.core = FLY_CORE_BOX, .half = {0.5, 0.7, 0.9}};
    if (s.a.core == s.b.core)
      continue;
    ground->surface = &boxed;
    memcpy(solid.A, ground->A, sizeof solid.A);
    const fly_posed a = fly_posed_of(ground == &s.a ? &solid : &s.a, NULL, NULL),
                    b = fly_posed_of(ground == &s.b ? &solid : &s.b, s.p, s.R);
    fly_between g;
    fly_touch t[FLY_SPOTS];
    const int best = deepest(&s, t);
    fly_between_find(&g, &a, &b);
    if (g.g > 1e-6)
      assert_near(t[best].gap, g.g, 1e-6);
    if (g.g > -1e-6)
      continue;
    assert_true(t[best].gap < 0);
    closed++;
    if (g.g > -0.02) {
      least = fmin(least, t[best].gap / g.g);
      most = fmax(most, t[best].gap / g.g);
    }
  }
  print_message("%d closed, depth %g to %g of the way out\n", closed, least, most);
  assert_true(closed > 1000 && least > 0.9 && most < 1 + 1e-6);
}

// ------------------------------------------------------------------------------------------ derivatives

// Of all spots, those of edges and corners among them.
static void derivatives_are_those_of_differences(void **state) {
  uint64_t seed = 13;
  int checked[2] = {0, 0};
  for (int n = 0; n < 900; n++) {
    const scene s = random_scene(n, &seed);
    fly_touch t[FLY_SPOTS];
    fly_touch_all(t, &s.a, &s.b, s.p, s.R);
    for (int k = 0; k < FLY_SPOTS; k++)
      if (t[k].gap < 0.1 && fabs(t[k].gap) > 1e-4 && is_smooth(&s, k)) {
        assert_derivatives(&s, k);
        checked[k / FLY_PLACES]++;
      }
  }
  print_message("%d spots over triangles, %d of corners and edges\n", checked[0], checked[1]);
  assert_true(checked[0] > 200 && checked[1] > 200);
}

// ------------------------------------------------------------------------------------------ how many spots

static const double UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static fly_solid upright(fly_core core, double x, double y, double z, const fly_surface *surface) {
  fly_solid s = {.core = core, .half = {x, y, z}, .surface = surface};
  memcpy(s.A, UNIT, sizeof s.A);
  return s;
}

// So many press by so much, all others not.
static void assert_spots(const fly_solid *a, const fly_solid *b, double high, int count, double depth) {
  fly_touch t[FLY_SPOTS];
  int pressed = 0;
  fly_touch_all(t, a, b, (double[3]){0.013, 0.021, high}, UNIT);
  for (int k = 0; k < fly_touch_spots(a, b); k++)
    if (t[k].gap < 0) {
      pressed++;
      assert_near(t[k].gap, -depth, 1e-12);
      assert_near(t[k].n[2], 1, 1e-12);
    }
  assert_int_equal(pressed, count);
}

static void what_lies_on_triangles_touches_at_its_corners(void **state) {
  const fly_solid ground = upright(FLY_CORE_SURFACE, 0, 0, 0, &boxed),
                  small = upright(FLY_CORE_BOX, 0.2, 0.3, 0.1, NULL);
  const fly_solid large = upright(FLY_CORE_BOX, 2, 2, 0.1, NULL), plane = upright(FLY_CORE_PLANE, 0, 0, 0, NULL);
  const fly_solid can = upright(FLY_CORE_CYLINDER, 0.2, 0.2, 0.1, NULL),
                  egg = upright(FLY_CORE_ELLIPSOID, 0.2, 0.3, 0.1, NULL);
  const fly_solid cut = upright(FLY_CORE_SURFACE, 0, 0, 0, &dented);
  assert_spots(&ground, &small, 1 - 1e-4, 4, 1e-4); // its own corners
  assert_spots(&large, &ground, 1 - 1e-4, 4, 1e-4); // those of the mesh
  assert_spots(&plane, &ground, 0.9 - 1e-4, 4, 1e-4);
  assert_spots(&ground, &can, 1 - 1e-4, 4, 1e-4);
  assert_spots(&ground, &egg, 1 - 1e-4, 1, 1e-4);
  assert_spots(&cut, &ground, 1.9, 0, 0);
  assert_spots(&ground, &cut, 1.9 - 1e-4, 4, 1e-4); // a wider bottom on the box: corners of the box
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(distances_are_those_of_all_triangles),
                                     cmocka_unit_test(triangles_of_a_box_are_the_box),
                                     cmocka_unit_test(derivatives_are_those_of_differences),
                                     cmocka_unit_test(what_lies_on_triangles_touches_at_its_corners)};
  return cmocka_run_group_tests(tests, make_surfaces, free_surfaces);
}
