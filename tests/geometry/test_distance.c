// The distance of any two cores: apart it is that of two planes between which they do not come, and deep it is the
// smallest of the overlaps along all directions, by brute force; whether they meet, by libccd too where it is installed
// (its depths are not compared: they fall short of those by brute force by up to a quarter of the size).
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "geometry/meet.h"
#include "geometry/turn.h"
#include "math/so3.h"

#if FLY_TEST_CCD
#include <ccd/ccd.h>
#endif

enum { PAIRS = 100000 };

static fly_solid random_solid(int core, double thin, uint64_t *seed) {
  fly_solid s = {.core = (fly_core)core};
  for (int k = 0; k < 3; k++) {
    s.half[k] = core >= FLY_CORE_BOX || (core == FLY_CORE_SEGMENT && k == 2) ? uniform(seed, 0.2, 1) : 0;
    s.at[k] = 0.3 * random_double(seed);
  }
  if (core >= FLY_CORE_BOX)
    s.half[2] *= thin;
  if (core == FLY_CORE_CYLINDER || core == FLY_CORE_CONE)
    s.half[1] = s.half[0];
  random_turn(s.A, seed);
  return s;
}

typedef struct scene {
  fly_solid a, b;
  double p[3], R[9];
} scene;

// Every third has axes that are parallel, as models are drawn.
static scene random_scene(int n, uint64_t *seed) {
  const int first = 1 + n % (FLY_CORE_HULL - 1), second = 1 + n / 7 % (FLY_CORE_HULL - 1);
  const double thin = n % 5 == 0 ? 1e-3 : 1;
  scene s = {.a = random_solid(first, 1, seed), .b = random_solid(second, thin, seed)};
  for (int k = 0; k < 3; k++)
    s.p[k] = (n % 2 ? 2.0 : 0.7) * random_double(seed);
  random_turn(s.R, seed);
  for (int k = 0; n % 3 == 0 && k < 9; k++)
    s.a.A[k] = s.b.A[k] = s.R[k] = k % 4 == 0;
  return s;
}

static double overlap(const fly_posed *a, const fly_posed *b, const double n[3]) {
  double xa[3], xb[3];
  const double back[3] = {-n[0], -n[1], -n[2]};
  fly_posed_support(xa, a, n);
  fly_posed_support(xb, b, back);
  return fly_dot3(n, xa) - fly_dot3(n, xb);
}

// Tries directions beside the best so far, ever nearer.
static double smallest_overlap(const fly_posed *a, const fly_posed *b, uint64_t *seed) {
  double best = INFINITY, at[3] = {0, 0, 1}, step = 3;
  for (int k = 0; k < 900; k++) {
    double n[3];
    for (int c = 0; c < 3; c++)
      n[c] = at[c] + step * random_double(seed);
    const double size = sqrt(fly_dot3(n, n));
    for (int c = 0; c < 3; c++)
      n[c] /= size;
    const double here = overlap(a, b, n);
    if (here < best) {
      best = here;
      memcpy(at, n, sizeof at);
    } else if (k > 400) {
      step = fmax(0.97 * step, 1e-6);
    } else if (k == 400) {
      step = 0.1;
    }
  }
  return best;
}

// Between two planes across n that are g apart, with a point of each core on its own, nothing is nearer.
static void assert_distance(const fly_meeting *m, const fly_posed *a, const fly_posed *b) {
  double way[3];
  for (int c = 0; c < 3; c++)
    way[c] = m->xb[0][c] - m->xa[0][c] - m->g * m->n[0][c];
  assert_near(-overlap(a, b, m->n[0]), m->g, 1e-9);
  assert_near(sqrt(fly_dot3(way, way)), 0, 1e-9);
  assert_near(fly_dot3(m->n[0], m->n[0]), 1, 1e-12);
}

// -1: nobody else was asked.
#if FLY_TEST_CCD
static void ccd_far(const void *of, const ccd_vec3_t *d, ccd_vec3_t *out) { fly_posed_support(out->v, of, d->v); }
static void ccd_middle(const void *of, ccd_vec3_t *out) { memcpy(out->v, ((const fly_posed *)of)->o, sizeof out->v); }

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

static void distances_are_those_of_planes_between(void **state) {
  uint64_t seed = 5;
  int deep = 0, inexact = 0;
  for (int n = 0; n < PAIRS; n++) {
    const scene s = random_scene(n, &seed);
    const fly_posed a = fly_posed_of(&s.a, NULL, NULL), b = fly_posed_of(&s.b, s.p, s.R);
    fly_meeting m;
    fly_meeting_find(&m, &a, &b, s.p);
    inexact += !m.exact;
    if (m.exact)
      assert_distance(&m, &a, &b);
    const int others = fabs(m.g) > 1e-6 ? others_say_they_meet(&a, &b) : -1;
    assert_true(others < 0 || others == (m.g < 0));
    deep += m.g < 0;
    if (m.g < 0 && m.exact && n % 10 == 0)
      assert_true(smallest_overlap(&a, &b, &seed) > -m.g - 1e-9);
  }
  print_message("%d pairs, %d of them deep, %d not exact\n", PAIRS, deep, inexact);
  assert_true(deep > PAIRS / 10 && inexact * 10000 <= PAIRS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(distances_are_those_of_planes_between)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
