// Curves in a plane: gaps against brute force over points of both, derivatives against differences at random places and
// tilts, the spline of a cam against its formula, and what is wrong with points.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "geometry/curve.h"
#include "geometry/scene.h"
#include "geometry/turn.h"
#include "math/constants.h"

enum { CIRCLE, ARC, SEGMENT, LINES, POLYGON, SPLINE, CAM, KINDS };
enum { POINTS = 9 };

static void make_points(double *point, int count, uint64_t *seed) {
  for (int k = 0; k < count; k++) {
    const double angle = FLY_TAU * (k + 0.3 * random_double(seed)) / count, far = uniform(seed, 0.5, 0.9);
    point[2 * k] = far * cos(angle);
    point[2 * k + 1] = far * sin(angle);
  }
}

static void make_curve(fly_curve *c, int kind, fly_arena *memory, uint64_t *seed) {
  double point[2 * POINTS + 2];
  int wrong = 0;
  fly_curve_verdict verdict = FLY_CURVE_GOOD;
  make_points(point, POINTS, seed);
  if (kind == CIRCLE)
    fly_curve_circle(c, uniform(seed, 0.1, 0.6));
  else if (kind == ARC)
    fly_curve_arc(c, uniform(seed, 0.3, 0.8), -uniform(seed, 0.3, 1.5), uniform(seed, 0.3, 1.5));
  else if (kind == SEGMENT || kind == LINES)
    verdict = fly_curve_lines(c, &wrong, kind == SEGMENT ? 2 : 4, point, memory);
  else if (kind == POLYGON) {
    memcpy(point + 2 * POINTS, point, 2 * sizeof *point);
    verdict = fly_curve_lines(c, &wrong, POINTS + 1, point, memory);
  } else if (kind == SPLINE)
    verdict = fly_curve_spline(c, &wrong, POINTS, point, memory);
  else {
    for (int k = 0; k < POINTS; k++)
      point[k] = uniform(seed, 0.5, 0.8);
    verdict = fly_curve_polar(c, &wrong, POINTS, point, 0, memory);
  }
  assert_int_equal(verdict, FLY_CURVE_GOOD);
}

// ------------------------------------------------------------------------------------------ brute force

// A point of a curve, share of the way along it.
static void point_of(double x[2], const fly_curve *c, double share) {
  if (c->kind == FLY_CURVE_CIRCLE || c->kind == FLY_CURVE_ARC) {
    const double from = c->kind == FLY_CURVE_ARC ? c->from : 0, to = c->kind == FLY_CURVE_ARC ? c->to : FLY_TAU;
    x[0] = c->radius * cos(from + share * (to - from));
    x[1] = c->radius * sin(from + share * (to - from));
    return;
  }
  const int n = c->kind == FLY_CURVE_LINES && !c->closed ? c->count - 1 : c->count;
  const int k = (int)fmin(fmax(share, 0) * n, n - 1);
  const double u = share * n - k;
  if (c->kind == FLY_CURVE_LINES) {
    for (int i = 0; i < 2; i++)
      x[i] = (1 - u) * c->point[k][i] + u * c->point[(k + 1) % c->count][i];
    return;
  }
  double at[3][2];
  fly_curve_at(at, c, k, c->knot[k] + u * (c->knot[k + 1] - c->knot[k]));
  memcpy(x, at[0], sizeof at[0]);
}

typedef double measure(const void *of, double share);

// The smallest value over the way, and where: from samples, and then by thirds around each of the lowest.
static double smallest(measure *f, const void *of, int samples, double *where) {
  double best = INFINITY, *value = calloc((size_t)samples + 1, sizeof *value);
  assert_non_null(value);
  for (int k = 0; k <= samples; k++)
    value[k] = f(of, (double)k / samples);
  for (int k = 0; k <= samples; k++) {
    if ((k > 0 && value[k - 1] < value[k]) || (k < samples && value[k + 1] < value[k]))
      continue;
    double low = fmax(k - 1.0, 0) / samples, high = fmin(k + 1.0, samples) / samples;
    for (int n = 0; n < 40; n++) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      if (f(of, a) < f(of, b))
        high = b;
      else
        low = a;
    }
    const double here = f(of, (low + high) / 2);
    if (here < best) {
      best = here;
      *where = (low + high) / 2;
    }
  }
  free(value);
  return best;
}

typedef struct from_point {
  const fly_curve *c;
  double y[2];
} from_point;

static double distance_at(const void *of, double share) {
  const from_point *p = of;
  double x[2];
  point_of(x, p->c, share);
  return hypot(x[0] - p->y[0], x[1] - p->y[1]);
}

// Inside what is closed y lies on the left of the way around; at a corner, of the turn that it makes.
static double signed_distance(const fly_curve *c, const double y[2], int samples) {
  const from_point p = {c, {y[0], y[1]}};
  const double small = 1e-5;
  double where = 0, before[2], here[2], after[2];
  const double far = smallest(distance_at, &p, samples, &where);
  point_of(before, c, where < small ? where + 1 - small : where - small);
  point_of(here, c, where);
  point_of(after, c, where + small > 1 ? where + small - 1 : where + small);
  const double in[2] = {here[0] - before[0], here[1] - before[1]}, out[2] = {after[0] - here[0], after[1] - here[1]};
  const double way[2] = {y[0] - here[0], y[1] - here[1]};
  const double a = in[0] * way[1] - in[1] * way[0], b = out[0] * way[1] - out[1] * way[0];
  const bool left_turn = in[0] * out[1] - in[1] * out[0] > 0;
  return c->closed && (left_turn ? a > 0 && b > 0 : a > 0 || b > 0) ? -far : far;
}

// The frame of the second curve in that of the first, in the plane.
typedef struct placed {
  double at[2], turn;
  const fly_curve *first, *second;
} placed;

static double wire_at(const void *of, double share) {
  const placed *p = of;
  double own[2];
  point_of(own, p->second, share);
  const double y[2] = {p->at[0] + cos(p->turn) * own[0] - sin(p->turn) * own[1],
                       p->at[1] + sin(p->turn) * own[0] + cos(p->turn) * own[1]};
  return signed_distance(p->first, y, 40);
}

static fly_solid solid_of(const fly_curve *c) {
  return (fly_solid){.core = FLY_CORE_CURVE,
                     .curve = c,
                     .radius = c->kind == FLY_CURVE_CIRCLE ? c->radius : 0,
                     .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

static scene scene_of(const placed *p, bool swapped) {
  const double c = cos(p->turn), n = sin(p->turn);
  scene s = {.a = solid_of(p->first), .b = solid_of(p->second)};
  const double R[9] = {c, -n, 0, n, c, 0, 0, 0, 1};
  memcpy(s.R, R, sizeof R);
  memcpy(s.p, p->at, sizeof p->at);
  if (!swapped)
    return s;
  scene t = {.a = s.b, .b = s.a};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      t.R[3 * i + k] = s.R[3 * k + i];
  for (int i = 0; i < 3; i++)
    t.p[i] = -(t.R[3 * i] * s.p[0] + t.R[3 * i + 1] * s.p[1] + t.R[3 * i + 2] * s.p[2]);
  return t;
}

static double smallest_of(const scene *s) {
  fly_touch t[FLY_SPOTS];
  double gap = INFINITY;
  fly_touch_all(t, &s->a, &s->b, s->p, s->R);
  for (int k = 0; k < fly_touch_spots(&s->a, &s->b); k++)
    gap = fmin(gap, t[k].gap);
  return gap;
}

static int pairs_to_try(int usual) {
  const char *text = getenv("FLY_CURVE_PAIRS"); // all 1e5 by hand
  return text != NULL ? atoi(text) : usual;
}

// A circle against every curve: the distance of its middle, less the radius.
static void circles_are_as_far_as_brute_force_says(void **state) {
  uint64_t seed = 5;
  const int pairs = pairs_to_try(1500);
  int inside = 0;
  for (int n = 0; n < pairs; n++) {
    fly_arena memory = {0};
    fly_curve prism, circle;
    make_curve(&prism, n % KINDS, &memory, &seed);
    make_curve(&circle, CIRCLE, &memory, &seed);
    const placed p = {{uniform(&seed, -1.2, 1.2), uniform(&seed, -1.2, 1.2)}, random_double(&seed), &prism, &circle};
    const scene s = scene_of(&p, n / KINDS % 2);
    const double expected = signed_distance(&prism, p.at, 252) - circle.radius;
    inside += expected < -circle.radius;
    assert_near(smallest_of(&s), expected, 1e-6);
    fly_arena_free(&memory);
  }
  assert_true(inside > pairs / 20);
}

// Lines against a spline or a cam, apart or a little in each other.
static void lines_are_as_far_as_brute_force_says(void **state) {
  uint64_t seed = 6;
  const int pairs = pairs_to_try(100);
  int touching = 0;
  for (int n = 0; n < pairs; n++) {
    fly_arena memory = {0};
    fly_curve prism, wire;
    make_curve(&prism, n % 2 ? SPLINE : CAM, &memory, &seed);
    make_curve(&wire, n % 3 ? SEGMENT : LINES, &memory, &seed);
    const double angle = FLY_PI * random_double(&seed), far = uniform(&seed, 0.8, 1.4);
    const placed p = {{far * cos(angle), far * sin(angle)}, FLY_PI * random_double(&seed), &prism, &wire};
    const scene s = scene_of(&p, n % 2);
    double where = 0;
    const double expected = smallest(wire_at, &p, 30, &where), gap = smallest_of(&s);
    fly_arena_free(&memory);
    if (expected < -0.02)
      continue; // deep inside there are several ways out
    touching += expected < 0;
    assert_near(gap, expected, 1e-6);
  }
  assert_true(touching > 0);
}

// ------------------------------------------------------------------------------------------ derivatives

static void tilt(double R[9], double most, uint64_t *seed) {
  double theta[3], e[4], E[9], out[9] = {0};
  for (int k = 0; k < 3; k++)
    theta[k] = most * random_double(seed);
  fly_quat_exp(e, theta);
  fly_quat_matrix(E, e);
  for (int k = 0; k < 27; k++)
    out[3 * (k / 9) + k % 3] += E[3 * (k / 9) + k / 3 % 3] * R[3 * (k / 3 % 3) + k % 3];
  memcpy(R, out, sizeof out);
}

// Also where the bodies are tilted, and the curves stand anywhere on them.
static void gap_normal_and_point_have_their_derivatives(void **state) {
  static const int PAIRS[][2] = {{CIRCLE, CIRCLE},  {ARC, CIRCLE},    {SEGMENT, CIRCLE}, {LINES, CIRCLE},
                                 {POLYGON, CIRCLE}, {SPLINE, CIRCLE}, {CAM, CIRCLE},     {SPLINE, SEGMENT},
                                 {CAM, LINES},      {ARC, SEGMENT},   {ARC, LINES},      {SPLINE, POLYGON}};
  enum { COUNT = sizeof PAIRS / sizeof *PAIRS, EACH = 60 };
  uint64_t seed = 7;
  int looked = 0;
  for (int n = 0; n < COUNT * EACH; n++) {
    fly_arena memory = {0};
    fly_curve first, second;
    make_curve(&first, PAIRS[n % COUNT][0], &memory, &seed);
    make_curve(&second, PAIRS[n % COUNT][1], &memory, &seed);
    const double angle = FLY_PI * random_double(&seed), far = uniform(&seed, 0.7, 1.6);
    const placed p = {{far * cos(angle), far * sin(angle)}, FLY_PI * random_double(&seed), &first, &second};
    scene s = scene_of(&p, n / COUNT % 2);
    for (int k = 0; k < 3; k++)
      s.a.at[k] = 0.3 * (s.b.at[k] = 0.2 * random_double(&seed));
    tilt(s.R, 0.2, &seed);
    tilt(s.a.A, 0.2, &seed);
    if (is_smooth(&s, 0)) {
      assert_derivatives(&s, 0);
      looked++;
    }
    fly_arena_free(&memory);
  }
  assert_true(looked > COUNT * EACH * 3 / 4);
}

// ------------------------------------------------------------------------------------------ by hand

// A disc whose middle is e beside the origin, as a table of radii, against a flat: lift r + e sin(turn).
static void a_table_of_radii_lifts_a_flat_as_its_disc_does(void **state) {
  enum { N = 180 };
  const double r = 0.03, e = 0.01;
  double radius[N];
  fly_arena memory = {0};
  fly_curve cam, flat;
  int wrong;
  for (int k = 0; k < N; k++) {
    const double a = FLY_TAU * k / N;
    radius[k] = e * cos(a) + sqrt(r * r - e * e * sin(a) * sin(a));
  }
  assert_int_equal(fly_curve_polar(&cam, &wrong, N, radius, 0, &memory), FLY_CURVE_GOOD);
  assert_int_equal(fly_curve_lines(&flat, &wrong, 2, (double[]){-0.04, 0, 0.04, 0}, &memory), FLY_CURVE_GOOD);
  for (double turn = 0; turn < 6.3; turn += 0.01) {
    scene s = {.a = solid_of(&cam), .b = solid_of(&flat)};
    const double R[9] = {cos(turn), sin(turn), 0, -sin(turn), cos(turn), 0, 0, 0, 1}; // seen from the cam
    memcpy(s.R, R, sizeof R);
    const double high = 0.041;
    s.p[0] = high * sin(turn);
    s.p[1] = high * cos(turn);
    assert_near(smallest_of(&s), high - r - e * sin(turn), 2e-9);
  }
  fly_arena_free(&memory);
}

// In a corner that is hollow a circle touches both lines, in one that is nearly flat the nearer.
static void a_circle_touches_both_sides_of_a_groove(void **state) {
  fly_arena memory = {0};
  fly_curve groove, dent, circle;
  int wrong;
  fly_touch t[FLY_SPOTS];
  const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  fly_curve_circle(&circle, 0.3);
  assert_int_equal(fly_curve_lines(&groove, &wrong, 3, (double[]){-1, 1, 0, 0, 1, 1}, &memory), FLY_CURVE_GOOD);
  assert_int_equal(fly_curve_lines(&dent, &wrong, 3, (double[]){-1, 0.1, 0, 0, 1, 0.1}, &memory), FLY_CURVE_GOOD);
  const fly_solid ball = solid_of(&circle), a = solid_of(&groove), b = solid_of(&dent);
  fly_touch_all(t, &a, &ball, (double[3]){0, 0.3 * sqrt(2) - 1e-3, 0}, unit);
  for (int k = 0; k < 2; k++)
    assert_near(t[k].gap, -1e-3 / sqrt(2), 1e-12);
  assert_near(t[0].n[0] + t[1].n[0], 0, 1e-12);
  assert_true(t[2].gap > 0);
  fly_touch_all(t, &b, &ball, (double[3]){1e-3, 0.299, 0}, unit);
  assert_near(t[0].gap, (0.299 - 1e-4) / sqrt(1.01) - 0.3, 1e-12);
  assert_true(t[1].gap > 0);
  fly_arena_free(&memory);
}

static void what_is_wrong_with_points_is_told(void **state) {
  static const double eight[] = {0, 0, 1, 1, 1, 0, 0, 1}, twice[] = {0, 0, 1, 0, 1, 0, 1, 1};
  static double many[2 * FLY_CURVE_POINTS + 4];
  fly_arena memory = {0};
  fly_curve c;
  int wrong;
  assert_int_equal(fly_curve_spline(&c, &wrong, 4, eight, &memory), FLY_CURVE_CROSSES);
  assert_int_equal(fly_curve_spline(&c, &wrong, 4, twice, &memory), FLY_CURVE_TWICE);
  assert_int_equal(wrong, 1);
  assert_int_equal(fly_curve_lines(&c, &wrong, 4, twice, &memory), FLY_CURVE_TWICE);
  assert_int_equal(fly_curve_lines(&c, &wrong, 1, twice, &memory), FLY_CURVE_FEW);
  assert_int_equal(fly_curve_polar(&c, &wrong, 2, twice, 0, &memory), FLY_CURVE_FEW);
  assert_int_equal(fly_curve_spline(&c, &wrong, FLY_CURVE_POINTS + 2, many, &memory), FLY_CURVE_MANY);
  assert_int_equal(fly_curve_polar(&c, &wrong, FLY_CURVE_POINTS + 2, many, 0, &memory), FLY_CURVE_MANY);
  fly_arena_free(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(circles_are_as_far_as_brute_force_says),
                                     cmocka_unit_test(lines_are_as_far_as_brute_force_says),
                                     cmocka_unit_test(gap_normal_and_point_have_their_derivatives),
                                     cmocka_unit_test(a_table_of_radii_lifts_a_flat_as_its_disc_does),
                                     cmocka_unit_test(a_circle_touches_both_sides_of_a_groove),
                                     cmocka_unit_test(what_is_wrong_with_points_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
