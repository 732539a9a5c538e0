// Modes against closed forms, hand-built matrices and each other; state matrices against them and against statics.
//
// labels: blas
#include "base/check.h"

#include <string.h>

#include "flyball/modes.h"
#include "sparse/dense.h"
#include "support/motion.h"

static const double TAU = 6.283185307179586476925;

typedef struct modes {
  fly_mechanism *mechanism;
  fly_modes *m;
  fly_status status;
  fly_error error;
} modes;

static modes modes_with(const char *text, const fly_modes_options *o, int nset, const char *const *set) {
  modes r = {0};
  assert_ok(fly_mechanism_parse(&r.mechanism, "text", text, strlen(text), nset, set, &r.error), &r.error);
  r.status = fly_modes_create(&r.m, r.mechanism, o, &r.error);
  return r;
}

static modes modes_of(const char *text) {
  fly_modes_options o = fly_modes_options_default();
  modes r = modes_with(text, &o, 0, NULL);
  assert_ok(r.status, &r.error);
  return r;
}

static modes modes_of_example(const char *name, const fly_modes_options *o) {
  char file[1000];
  modes r = {0};
  snprintf(file, sizeof file, "%s/examples/%s.yaml", FLY_TEST_SOURCE_DIR, name);
  assert_ok(fly_mechanism_load(&r.mechanism, file, 0, NULL, &r.error), &r.error);
  r.status = fly_modes_create(&r.m, r.mechanism, o, &r.error);
  return r;
}

static void modes_free(modes *r) {
  fly_modes_free(r->m);
  fly_mechanism_free(r->mechanism);
}

static const fly_mode *mode(const modes *r, int k) {
  assert_true(k < fly_modes_count(r->m));
  return fly_modes_get(r->m, k);
}

// ------------------------------------------------------------------------------------------ one degree of freedom

#define PENDULUM(z, more)                                                                                              \
  "{flyball: 1, gravity: [0, 0, -9.81], bodies: {bob: {mass: 2, inertia: [0.3, 0.2, 0.1], position: [0, 0, " #z        \
  "]}}, joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}}" more "}"

static void test_pendulum(void **state) {
  modes r = modes_of(PENDULUM(-0.7, ""));
  double w = sqrt(2 * 9.81 * 0.7 / (0.2 + 2 * 0.49));
  const fly_mode *m = mode(&r, 0);
  assert_int_equal(fly_modes_count(r.m), 1);
  assert_int_equal(m->kind, FLY_MODE_OSCILLATING);
  assert_near(m->frequency, w / TAU, 1e-14);
  assert_near(m->damping, 0, 0);
  assert_near(m->share[0], 1, 1e-15);
  // it swings in x and turns about y, as a whole: x = 0.7 turn at 0.7 below the pin, turning about -y
  assert_near(m->shape[0] / m->shape[8], -0.7, 1e-14);
  assert_near(m->shape[2], 0, 1e-15);
  assert_true(fly_modes_info_of(r.m).undamped);
  assert_true(fly_modes_info_of(r.m).all);
  modes_free(&r);
}

static void test_inverted_pendulum(void **state) {
  modes r = modes_of(PENDULUM(0.7, ""));
  double w = sqrt(2 * 9.81 * 0.7 / (0.2 + 2 * 0.49));
  assert_int_equal(fly_modes_count(r.m), 2);
  assert_int_equal(mode(&r, 0)->kind, FLY_MODE_DIVERGING);
  assert_int_equal(mode(&r, 1)->kind, FLY_MODE_DECAYING);
  assert_near(mode(&r, 0)->real, w, 1e-13);
  assert_near(mode(&r, 1)->real, -w, 1e-13);
  assert_near(mode(&r, 0)->imag, 0, 0);
  assert_int_equal(fly_modes_info_of(r.m).unstable, 1);
  modes_free(&r);
}

#define BLOCK(damping)                                                                                                 \
  "{flyball: 1, bodies: {ground: {markers: {wall: [-1, 0, 0]}}, block: {mass: 2, inertia: [1, 1, 1]}}, joints: "       \
  "{slide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, 0]}}, forces: {spring: {type: "  \
  "spring, from: ground.wall, to: block, stiffness: 50, damping: " #damping                                            \
  "}, push: {type: force, at: block, force: [sin(time), 0, 0]}}, outputs: {x: dx(block), v: vx(block), a: "            \
  "accx(block), wall: 'fx(slide)'}}"

static void test_damped_mass(void **state) {
  modes r = modes_of(BLOCK(4));
  double zeta = 4 / (2 * sqrt(50.0 * 2)), w = 5;
  assert_int_equal(fly_modes_count(r.m), 1);
  assert_near(mode(&r, 0)->damping, zeta, 1e-14);
  assert_near(mode(&r, 0)->natural, w / TAU, 1e-14);
  assert_near(mode(&r, 0)->frequency, w * sqrt(1 - zeta * zeta) / TAU, 1e-14);
  assert_near(mode(&r, 0)->real, -1, 1e-14);
  modes_free(&r);
}

static void test_overdamped_mass(void **state) {
  modes r = modes_of(BLOCK(52)); // 2 s^2 + 52 s + 50 = 2 (s + 1) (s + 25)
  assert_int_equal(fly_modes_count(r.m), 2);
  assert_int_equal(mode(&r, 0)->kind, FLY_MODE_DECAYING);
  assert_int_equal(mode(&r, 1)->kind, FLY_MODE_DECAYING);
  assert_near(mode(&r, 0)->real, -1, 1e-13);
  assert_near(mode(&r, 1)->real, -25, 1e-13);
  assert_near(mode(&r, 1)->damping, 1, 0);
  modes_free(&r);
}

// ------------------------------------------------------------------------------------------ several

static void test_free_body(void **state) {
  modes r = modes_of("{flyball: 1, bodies: {box: {mass: 2, inertia: [3, 4, 5]}}}");
  assert_int_equal(fly_modes_count(r.m), 6);
  assert_int_equal(fly_modes_info_of(r.m).rigid, 6);
  for (int k = 0; k < 6; k++) {
    assert_int_equal(mode(&r, k)->kind, FLY_MODE_RIGID);
    assert_near(mode(&r, k)->frequency, 0, 0);
  }
  modes_free(&r);
}

// A block slides freely against a damper: one root is zero, the other not.
static void test_free_but_damped(void **state) {
  modes r = modes_of("{flyball: 1, bodies: {ground: {markers: {wall: [-1, 0, 0]}}, block: {mass: 2, inertia: [1, 1, "
                     "1]}}, joints: {slide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, "
                     "0]}}, forces: {damper: {type: spring, from: ground.wall, to: block, damping: 6}}}");
  assert_int_equal(fly_modes_count(r.m), 2);
  assert_int_equal(mode(&r, 0)->kind, FLY_MODE_RIGID);
  assert_int_equal(mode(&r, 1)->kind, FLY_MODE_DECAYING);
  assert_near(mode(&r, 1)->real, -3, 1e-14);
  modes_free(&r);
}

// A body on six relaxed springs: K = sum k a a^T with a = (n, r x n), n along the spring, r its end on the body.
static const char SIX[] =
    "{flyball: 1, bodies: {ground: {markers: {a: [1, 2, 0.5], b: [-1.5, 1, 1], c: [0.3, -2, 0.2], d: [1, 0.2, 2], e: "
    "[-1, -1, -2], f: [2, -0.4, -1]}}, box: {mass: 3, inertia: [0.7, 1.1, 1.6], orientation: {axis: [1, 2, -1], angle: "
    "0.8}, markers: {}}}, forces: {";
static const double ANCHOR[6][3] = {{1, 2, 0.5}, {-1.5, 1, 1}, {0.3, -2, 0.2},
                                    {1, 0.2, 2}, {-1, -1, -2}, {2, -0.4, -1}};
static const double LUG[6][3] = {{0.3, 0.1, 0},  {-0.2, 0.3, 0.1},   {0, -0.4, 0.2},
                                 {0.2, 0, 0.35}, {-0.1, -0.2, -0.3}, {0.4, -0.1, -0.2}}; // along space axes

static void cross(double out[3], const double a[3], const double b[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// Rodrigues' formula for the orientation of the body.
static void turn_matrix(double R[9]) {
  double n[3] = {1 / sqrt(6), 2 / sqrt(6), -1 / sqrt(6)}, c = cos(0.8), s = sin(0.8);
  const double S[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
  for (int i = 0; i < 9; i++)
    R[i] = (i % 4 == 0 ? c : 0) + (1 - c) * n[i / 3] * n[i % 3] + s * S[i];
}

static void test_six_springs(void **state) {
  double R[9], K[36] = {0}, M[36] = {0}, mu[6];
  const double J[3] = {0.7, 1.1, 1.6};
  char text[4000];
  size_t used = (size_t)snprintf(text, sizeof text, "%.*s", (int)(strstr(SIX, "markers: {}}}") - SIX), SIX);
  used += (size_t)snprintf(text + used, sizeof text - used, "markers: {");
  turn_matrix(R);
  for (int k = 0; k < 6; k++) { // the same points in body axes
    double own[3] = {0};
    for (int i = 0; i < 9; i++)
      own[i % 3] += R[i] * LUG[k][i / 3];
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%c: [%.17g, %.17g, %.17g]", k ? ", " : "", 'a' + k,
                             own[0], own[1], own[2]);
  }
  used += (size_t)snprintf(text + used, sizeof text - used, "}}}, forces: {");
  for (int k = 0; k < 6; k++)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "%ss%d: {type: spring, from: ground.%c, to: box.%c, stiffness: %d}", k ? ", " : "", k,
                             'a' + k, 'a' + k, 1000 + 300 * k);
  snprintf(text + used, sizeof text - used, "}}");
  for (int k = 0; k < 6; k++) {
    double a[6], length = 0;
    for (int i = 0; i < 3; i++) {
      a[i] = LUG[k][i] - ANCHOR[k][i];
      length += a[i] * a[i];
    }
    for (int i = 0; i < 3; i++)
      a[i] /= sqrt(length);
    cross(a + 3, LUG[k], a);
    for (int i = 0; i < 36; i++)
      K[i] += (1000 + 300 * k) * a[i / 6] * a[i % 6];
  }
  for (int i = 0; i < 3; i++)
    M[7 * i] = 3;
  for (int i = 0; i < 9; i++)
    for (int c = 0; c < 3; c++)
      M[6 * (3 + i / 3) + 3 + i % 3] += R[3 * (i / 3) + c] * J[c] * R[3 * (i % 3) + c];
  fly_error error = {0};
  assert_ok(fly_dense_eigen_symmetric(mu, K, M, 6, &error), &error);
  modes r = modes_of(text);
  assert_int_equal(fly_modes_count(r.m), 6);
  for (int k = 0; k < 6; k++)
    assert_near(mode(&r, k)->frequency * TAU, sqrt(mu[k]), 1e-12 * sqrt(mu[k]));
  modes_free(&r);
}

// A closed loop: two rockers of length L hold a level coupler, hanging. w^2 = (m + M) g L/(2 m L^2/3 + M L^2)
static const char LOOP[] =
    "{flyball: 1, gravity: [0, -9.81, 0], parameters: {L: 0.6, t: 0, s: L*sin(t), c: L*cos(t)}, bodies: {a: {type: "
    "planar, mass: 1.5, inertia: 1.5*L^2/12, position: [s/2, -c/2], angle: t}, b: {type: planar, mass: 1.5, inertia: "
    "1.5*L^2/12, position: [1 + s/2, -c/2], angle: t}, coupler: {type: planar, mass: 4, inertia: 0.5, position: [0.5 + "
    "s, -c]}}, joints: {p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}, q: {type: revolute, "
    "bodies: [ground, b], at: [1, 0, 0], axis: [0, 0, 1]}, r: {type: revolute, bodies: [a, coupler], at: [s, -c, 0], "
    "axis: [0, 0, 1]}, s: {type: revolute, bodies: [b, coupler], at: [1 + s, -c, 0], axis: [0, 0, 1]}}, outputs: {x: "
    "dx(coupler) - 0.5}, simulate: {end: 6, error: 1e-8, output: 0.002}}";

static double loop_rate(void) {
  double L = 0.6, m = 1.5, M = 4;
  return sqrt((m + M) * 9.81 * L / (2 * m * L * L / 3 + M * L * L));
}

static void test_parallelogram(void **state) {
  modes r = modes_of(LOOP);
  assert_int_equal(fly_modes_count(r.m), 1);
  assert_near(mode(&r, 0)->frequency * TAU, loop_rate(), 1e-13);
  assert_near(mode(&r, 0)->shape[12 * 2 + 10], 0, 1e-14); // the coupler does not turn
  modes_free(&r);
}

// Where an output of a run falls through zero.
typedef struct crossings {
  int column, count;
  double t, x, first, last;
} crossings;

static void note_row(const double *row, void *user) {
  crossings *c = user;
  double t = row[0], x = row[c->column];
  if (c->x > 0 && x <= 0) {
    c->last = c->t + (t - c->t) * c->x / (c->x - x);
    c->first = c->count++ == 0 ? c->last : c->first;
  }
  c->t = t;
  c->x = x;
}

// The same frequency, as a run of small amplitude has it. (An amplitude of 2e-3 rad makes 2.5e-7 of a difference.)
static void test_frequency_of_a_run(void **state) {
  const char *set[] = {"t=2e-3"};
  crossings c = {0};
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  o.row = note_row;
  o.user = &c;
  assert_ok(fly_mechanism_parse(&m, "text", LOOP, strlen(LOOP), 1, set, &error), &error);
  assert_ok(fly_run_create(&run, m, &o, &error), &error);
  c.column = fly_run_channel(run, "x");
  assert_true(c.column > 0);
  assert_ok(fly_run_start(run, &error), &error);
  assert_ok(fly_run_go(run, &error), &error);
  assert_true(c.count >= 4);
  double measured = TAU * (c.count - 1) / (c.last - c.first);
  say("measured %.9g, linear %.9g rad/s\n", measured, loop_rate());
  assert_near(measured, loop_rate(), 3e-6 * loop_rate());
  fly_run_free(run);
  fly_mechanism_free(m);
}

// ------------------------------------------------------------------------------------------ hanging chain

// Zeros of the Bessel function J0; the frequencies of a heavy chain of length L are j/2 sqrt(g/L).
static const double J0_ZERO[] = {2.404825557695773, 5.520078110286311, 8.653727912911012};

static const char CHAIN[] =
    "{flyball: 1, gravity: [0, -1, 0], parameters: {n: 10, h: 1/n}, repeat: {links: {count: n, bodies: {link$i: {type: "
    "planar, mass: h, inertia: h^3/12, position: [0, -(i - 1/2)*h], markers: {head: [0, h/2], tip: [0, -h/2]}}}}, "
    "joints: {count: n - 1, first: 2, joints: {j$i: {type: revolute, from: link$(i-1).tip, to: link$i.head}}}}, "
    "joints: "
    "{top: {type: revolute, from: ground, to: link1.head}}}";

static modes chain(int n, fly_modes_way way, int count) {
  char set[20];
  const char *sets[] = {set};
  fly_modes_options o = fly_modes_options_default();
  o.way = way;
  o.count = count;
  snprintf(set, sizeof set, "n=%d", n);
  modes r = modes_with(CHAIN, &o, 1, sets);
  assert_ok(r.status, &r.error);
  return r;
}

// The error falls as 1/n^2.
static void test_hanging_chain(void **state) {
  const int sizes[] = {30, 100, 300, 1000};
  double before[3] = {NAN, NAN, NAN};
  for (int k = 0; k < 4; k++) {
    modes r = chain(sizes[k], FLY_MODES_AUTO, 3);
    assert_int_equal(fly_modes_info_of(r.m).arpack, sizes[k] > 400);
    for (int j = 0; j < 3; j++) {
      double error = fabs(mode(&r, j)->frequency * TAU / (J0_ZERO[j] / 2) - 1);
      say("%4d links, mode %d: off by %.3e, order %.3f\n", sizes[k], j + 1, error,
          log(before[j] / error) / log((double)sizes[k] / sizes[k > 0 ? k - 1 : 0]));
      if (k > 0)
        assert_between(log(before[j] / error) / log((double)sizes[k] / sizes[k - 1]), 1.9, 2.1);
      before[j] = error;
    }
    modes_free(&r);
  }
}

static void test_arpack_and_dense_agree(void **state) {
  modes few = chain(150, FLY_MODES_ARPACK, 12), all = chain(150, FLY_MODES_DENSE, 0);
  assert_int_equal(fly_modes_count(few.m), 12);
  assert_int_equal(fly_modes_count(all.m), 150);
  for (int k = 0; k < 12; k++) {
    double f = mode(&all, k)->frequency;
    assert_near(mode(&few, k)->frequency, f, 1e-10 * f);
    for (int i = 0; i < 12 * 150; i++)
      assert_near(fabs(mode(&few, k)->shape[i]), fabs(mode(&all, k)->shape[i]), 1e-6);
  }
  modes_free(&few);
  modes_free(&all);
}

// ------------------------------------------------------------------------------------------ damping and turning by
// ARPACK

// Twelve blocks in a row with springs and dampers; the first is held by the ground if k0 > 0.
static const char ROW[] =
    "{flyball: 1, parameters: {k0: 300, c: 0.7}, repeat: {blocks: {count: 12, bodies: {b$i: {mass: 1 + i/10, inertia: "
    "[1, 1, 1], position: [i, 0, 0]}}, joints: {s$i: {type: translational, bodies: [ground, b$i], at: [i, 0, 0], axis: "
    "[1, 0, 0]}}}, springs: {count: 11, forces: {f$i: {type: spring, from: b$i, to: b$(i+1), stiffness: 100 + 20*i, "
    "damping: c}}}}, forces: {f0: {type: spring, from: ground, to: b1, stiffness: k0}}}";

static void compare_ways(const char *text, int count, double shift, int nset, const char *const *set) {
  fly_modes_options o = fly_modes_options_default();
  o.way = FLY_MODES_DENSE;
  modes all = modes_with(text, &o, nset, set);
  assert_ok(all.status, &all.error);
  o.way = FLY_MODES_ARPACK;
  o.count = count;
  o.shift = shift;
  modes few = modes_with(text, &o, nset, set);
  assert_ok(few.status, &few.error);
  assert_at_least(fly_modes_count(few.m), count);
  for (int k = 0; k < count; k++) {
    double nearest = INFINITY;
    const fly_mode *a = mode(&few, k);
    for (int j = 0; j < fly_modes_count(all.m); j++) {
      const fly_mode *b = mode(&all, j);
      if (a->kind == b->kind)
        nearest = fmin(nearest, hypot(a->real - b->real, a->imag - b->imag));
    }
    say("%s %.9g %.9g: off by %.2e\n", fly_mode_kind_name(a->kind), a->real, a->imag, nearest);
    assert_at_most(nearest, 1e-8 * (1 + hypot(a->real, a->imag)));
    if (isnan(shift)) // the lowest, none left out
      assert_int_equal(a->kind, mode(&all, k)->kind);
  }
  modes_free(&few);
  modes_free(&all);
}

static void test_damped_by_arpack(void **state) {
  const char *free_end[] = {"k0=0"}, *undamped[] = {"c=0"}, *both[] = {"k0=0", "c=0"};
  compare_ways(ROW, 4, NAN, 0, NULL);
  compare_ways(ROW, 4, 2.0, 0, NULL); // a complex shift
  compare_ways(ROW, 4, NAN, 1, free_end);
  compare_ways(ROW, 4, NAN, 1, undamped);
  compare_ways(ROW, 4, 2.0, 1, undamped);
  compare_ways(ROW, 4, NAN, 2, both);
}

// Many blocks on springs, of which a law pushes one away: it is told to be unstable, however far from zero that is.
static void check_unstable(double push) {
  static const char BLOCKS[] =
      "{flyball: 1, parameters: {push: 0}, repeat: {blocks: {count: 300, bodies: {b$i: {type: planar, mass: 1 + i/100, "
      "inertia: 1, position: [i, 0]}}, joints: {s$i: {type: translational, bodies: [ground, b$i], at: [i, 0, 0], axis: "
      "[1, 0, 0]}}, forces: {f$i: {type: spring, from: ground, to: b$i, stiffness: 10*1.06^i}}}}, forces: {away: "
      "{type: "
      "spring, from: ground, to: b7, force: push*(length - 7)}}}";
  char set[40];
  const char *sets[] = {set};
  fly_modes_options o = fly_modes_options_default();
  double mu = (10 * pow(1.06, 7) - push) / 1.07, unstable = NAN;
  o.way = FLY_MODES_ARPACK;
  o.count = 3;
  snprintf(set, sizeof set, "push=%.17g", push);
  modes r = modes_with(BLOCKS, &o, 1, sets);
  assert_ok(r.status, &r.error);
  assert_true(fly_modes_info_of(r.m).stability);
  assert_int_equal(fly_modes_info_of(r.m).unstable, mu < 0);
  for (int k = 0; k < fly_modes_count(r.m); k++)
    if (mode(&r, k)->kind == FLY_MODE_DIVERGING) {
      unstable = mode(&r, k)->real;
      assert_near(mode(&r, k)->share[6], 1, 1e-9);
    }
  if (mu < 0)
    assert_near(unstable, sqrt(-mu), 1e-9 * sqrt(-mu));
  modes_free(&r);
}

static void test_unstable_by_arpack(void **state) {
  const double pushes[] = {0, 16, 3e4, 3e8};
  for (int k = 0; k < 4; k++)
    check_unstable(pushes[k]);
}

// The example's rotor: with p its rate of whirl, forward if p > 0, and theta the tilt that goes with a displacement,
// (2 k - m p^2) (k (a^2 + b^2) + Jp W p - Jt p^2) = k^2 (b - a)^2
static double whirl_rest(double p) {
  double k = 1e5, m = 12, a = 0.15, b = 0.35, W = 1500 * TAU / 60, Jp = m * 0.04 / 2, Jt = m * (0.12 + 0.0004) / 12;
  double shift = 2 * k - m * p * p, tilt = k * (a * a + b * b) + Jp * W * p - Jt * p * p, cross_term = k * (b - a);
  return shift * tilt / (cross_term * cross_term) - 1;
}

static void test_whirl(void **state) {
  fly_modes_options o = fly_modes_options_default();
  modes r = modes_of_example("rotor", &o);
  int forward = 0, backward = 0;
  assert_ok(r.status, &r.error);
  assert_true(fly_modes_info_of(r.m).moving);
  assert_true(fly_modes_info_of(r.m).steady);
  assert_int_equal(fly_modes_info_of(r.m).rigid, 1); // its spin
  for (int k = 1; k < 6; k++) {
    const fly_mode *m = mode(&r, k);
    double y_re = m->shape[2], y_im = m->shape[3], z_re = m->shape[4], z_im = m->shape[5];
    if (fabs(m->imag - sqrt(4e4 / 12)) < 1e-9) // along the shaft
      continue;
    double turning = y_re * -z_im + y_im * z_re; // > 0: z a quarter turn behind y, which is forward about x
    say("%.9g Hz, %s: %.2e\n", m->frequency, turning > 0 ? "forward" : "backward",
        whirl_rest(turning > 0 ? m->imag : -m->imag));
    assert_near(whirl_rest(turning > 0 ? m->imag : -m->imag), 0, 1e-10);
    forward += turning > 0;
    backward += turning < 0;
  }
  assert_int_equal(forward, 2);
  assert_int_equal(backward, 2);
  modes_free(&r);
}

// The same, found both ways.
static void test_whirl_by_arpack(void **state) {
  fly_modes_options o = fly_modes_options_default();
  modes all = modes_of_example("rotor", &o);
  assert_ok(all.status, &all.error);
  o.way = FLY_MODES_ARPACK;
  o.count = 3;
  modes few = modes_of_example("rotor", &o);
  assert_ok(few.status, &few.error);
  for (int k = 0; k < 3; k++) {
    assert_int_equal(mode(&few, k)->kind, mode(&all, k)->kind);
    assert_near(mode(&few, k)->frequency, mode(&all, k)->frequency, 1e-8 * (1 + mode(&all, k)->frequency));
  }
  modes_free(&few);
  modes_free(&all);
}

// ------------------------------------------------------------------------------------------ state matrices

static modes block_matrices(const char *const *input, int ninput) {
  fly_modes_options o = fly_modes_options_default();
  o.matrices = true;
  o.ninput = ninput;
  o.input = input;
  modes r = modes_with(BLOCK(4), &o, 0, NULL);
  return r;
}

static void test_state_matrices(void **state) {
  const char *input[] = {"push", "spring"};
  modes r = block_matrices(input, 2);
  assert_ok(r.status, &r.error);
  const fly_state_space *s = fly_modes_state_space(r.m);
  assert_non_null(s);
  assert_int_equal(s->nstate, 2);
  assert_int_equal(s->ninput, 2);
  assert_int_equal(s->noutput, 4);
  assert_string_equal(s->state[0], "block.x");
  assert_string_equal(s->state[1], "block.x.rate");
  assert_string_equal(s->input[0], "push.fx");
  assert_string_equal(s->input[1], "spring");
  const double A[] = {0, -25, 1, -2}, B[] = {0, 0.5, 0, 0.5}; // the spring pushes block and wall apart: along x
  for (int k = 0; k < 4; k++) {
    assert_near(s->A[k], A[k], 1e-12);
    assert_near(s->B[k], B[k], 1e-14);
  }
  const double C[] = {1, 0, -25, 0, 0, 1, -2, 0}, D[] = {0, 0, 0.5, 0, 0, 0, 0.5, 0}; // x, v, a, wall
  for (int k = 0; k < 8; k++) {
    assert_near(s->C[k], C[k], 1e-12);
    assert_near(s->D[k], D[k], 1e-14);
  }
  modes_free(&r);
}

// The eigenvalues of A are those of the modes, and A^-1 gives what statics gives: a torque turns a pendulum by
// T/(m g l), and the reactions at its pin answer.
static void test_transfer(void **state) {
  const char *input[] = {"push.ty", "push.fx"};
  fly_modes_options o = fly_modes_options_default();
  o.matrices = true;
  o.ninput = 2;
  o.input = input;
  modes r = modes_with(
      PENDULUM(-0.7,
               ", forces: {push: {type: force, at: bob, torque: [0, sin(time), 0]}, brake: {type: torsion-spring, "
               "joint: pin, damping: 0.4}}, outputs: {x: dx(bob), turn: 'az(bob)*0 + ax(bob)*0 + dx(bob)/-0.7', "
               "side: 'fx(pin)', up: 'fy(pin)', moment: 'tz(pin)'}"),
      &o, 0, NULL);
  assert_ok(r.status, &r.error);
  const fly_state_space *s = fly_modes_state_space(r.m);
  int n = s->nstate, ni = s->ninput, no = s->noutput;
  double re[2], im[2], Z[4], A[4], X[4];
  fly_error error = {0};
  memcpy(A, s->A, sizeof A);
  assert_ok(fly_dense_eigen(re, im, Z, A, n, &error), &error);
  assert_near(re[0], mode(&r, 0)->real, 1e-13);
  assert_near(im[0], mode(&r, 0)->imag, 1e-13);
  memcpy(A, s->A, sizeof A);
  memcpy(X, s->B, sizeof X);
  assert_ok(fly_dense_solve(A, X, n, ni, &error), &error);
  double T[10] = {0};
  assert_int_equal(ni * no, 10);
  for (int i = 0; i < no; i++)
    for (int j = 0; j < ni; j++) {
      T[no * j + i] = s->D[no * j + i];
      for (int k = 0; k < n; k++)
        T[no * j + i] -= s->C[no * k + i] * X[n * j + k];
    }
  double turn = 1 / (2 * 9.81 * 0.7); // of a unit torque about y: x = -0.7 turn
  assert_near(T[0], -0.7 * turn, 1e-13);
  assert_near(T[no], 0.7 * 0.7 * turn, 1e-13); // a unit force along x at the bob
  // In rest the pin holds what is applied; its z is along y of space, and there is no moment about it.
  assert_near(T[4], 0, 1e-13);
  assert_near(T[no + 4], 0, 1e-13);
  double sum = hypot(T[no + 2], T[no + 3]);
  assert_near(sum, 1, 1e-12); // the force goes into the pin, all of it
  assert_near(hypot(T[2], T[3]), 0, 1e-12);
  modes_free(&r);
}

// The transfer at s = 0, D - C A^-1 B, against differences of equilibria: a bar on a pin, held aslant by a torsion
// spring against its weight, pushed a little more and less.
static const char ASLANT[] =
    "{flyball: 1, gravity: [0, 0, -9.81], parameters: {p: 0}, bodies: {bar: {mass: 2, inertia: [0.3, 0.2, 0.1], "
    "position: [0.6, 0, 0.2], markers: {tip: [0.5, 0.1, 0.2]}}}, joints: {pin: {type: revolute, bodies: [ground, bar], "
    "at: [0, 0, 0], axis: [0, 1, 0]}}, forces: {coil: {type: torsion-spring, joint: pin, stiffness: 40, damping: 1}, "
    "push: {type: force, at: bar.tip, force: [p, 0, 2*p]}}, outputs: {x: dx(bar.tip), z: dz(bar.tip), side: 'fx(pin)', "
    "up: 'fy(pin)', along: 'fz(pin)', tilt: 'tx(pin)', lean: 'ty(pin)', turn: 'tz(pin)'}}";

static modes aslant(double push, const char *const *input) {
  char set[40];
  const char *sets[] = {set};
  fly_modes_options o = fly_modes_options_default();
  o.equilibrium = true;
  o.matrices = true;
  o.input = input;
  o.ninput = 2;
  snprintf(set, sizeof set, "p=%.17g", push);
  modes r = modes_with(ASLANT, &o, 1, sets);
  assert_ok(r.status, &r.error);
  return r;
}

static void test_transfer_and_statics(void **state) {
  const char *input[] = {"push.fx", "push.fz"};
  double h = 1e-3, worst = 0, A[4], X[4];
  fly_error error = {0};
  modes here = aslant(0, input), more = aslant(h, input), less = aslant(-h, input);
  const fly_state_space *s = fly_modes_state_space(here.m);
  assert_int_equal(s->noutput, 8);
  memcpy(A, s->A, sizeof A);
  memcpy(X, s->B, sizeof X);
  assert_ok(fly_dense_solve(A, X, 2, 2, &error), &error);
  for (int i = 0; i < 8; i++) {
    double T = 0;
    for (int j = 0; j < 2; j++) { // two units of fz with each of fx
      double part = s->D[8 * j + i] - s->C[i] * X[2 * j] - s->C[8 + i] * X[2 * j + 1];
      T += (j + 1) * part;
    }
    double exact =
        (fly_modes_state_space(more.m)->output_value[i] - fly_modes_state_space(less.m)->output_value[i]) / (2 * h);
    say("%s: %.9g, statics %.9g\n", s->output[i], T, exact);
    assert_near(T, exact, 1e-6);
    worst = fmax(worst, fabs(exact));
  }
  assert_at_least(worst, 0.5); // there is something to compare
  modes_free(&here);
  modes_free(&more);
  modes_free(&less);
}

// ------------------------------------------------------------------------------------------ at the equilibrium

// A pendulum in space, drawn level: where it hangs, both its modes have the frequency of a pendulum.
static void test_at_equilibrium(void **state) {
  fly_modes_options o = fly_modes_options_default();
  o.equilibrium = true;
  modes r = modes_of_example("simple-pendulum", &o);
  assert_ok(r.status, &r.error);
  assert_int_equal(fly_modes_count(r.m), 2);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(mode(&r, k)->kind, FLY_MODE_OSCILLATING);
    assert_near(mode(&r, k)->frequency * TAU, sqrt(9.81), 1e-10);
    assert_near(mode(&r, k)->shape[2], 0, 1e-8); // not along y, in which it hangs
  }
  modes_free(&r);
}

// ------------------------------------------------------------------------------------------ what cannot be done

static void test_not_in_equilibrium(void **state) {
  fly_modes_options o = fly_modes_options_default();
  modes r = modes_of_example("simple-pendulum", &o);
  assert_int_equal(r.status, FLY_INCONSISTENT);
  assert_says(&r.error, "not in equilibrium at t = 0 s: body `bob` has an acceleration of 9.81 m/s^2");
  assert_says(&r.error, "--anyway");
  modes_free(&r);
  o.anyway = true;
  r = modes_of_example("simple-pendulum", &o);
  assert_ok(r.status, &r.error);
  assert_near(fly_modes_info_of(r.m).unbalanced, 9.81, 1e-12);
  modes_free(&r);
}

// Through the lowest point of its swing a pendulum is as free as at rest there, but it is not in equilibrium.
static void test_at_a_time(void **state) {
  fly_modes_options o = fly_modes_options_default();
  o.time = 0.3;
  o.anyway = true;
  modes r = modes_of_example("double-pendulum", &o);
  assert_ok(r.status, &r.error);
  assert_near(fly_modes_info_of(r.m).time, 0.3, 1e-12);
  assert_true(fly_modes_info_of(r.m).moving);
  assert_false(fly_modes_info_of(r.m).steady);
  assert_int_equal(fly_modes_info_of(r.m).dof, 2);
  modes_free(&r);
  o.anyway = false;
  r = modes_of_example("double-pendulum", &o);
  assert_int_equal(r.status, FLY_INCONSISTENT);
  assert_says(&r.error, "--frame");
  modes_free(&r);
  o.anyway = true;
  o.way = FLY_MODES_ARPACK;
  for (int k = 0; k < 2; k++) { // which wants a steady motion, at any shift
    o.shift = k ? 3.0 : (double)NAN;
    o.count = 2;
    r = modes_of_example("n-pendulum", &o);
    assert_int_equal(r.status, FLY_BAD_INPUT);
    assert_says(&r.error, "in steady motion only");
    modes_free(&r);
  }
  o.time = -1;
  r = modes_of_example("double-pendulum", &o);
  assert_int_equal(r.status, FLY_BAD_INPUT);
  assert_says(&r.error, "begins at 0");
  modes_free(&r);
}

static void test_no_freedom(void **state) {
  fly_modes_options o = fly_modes_options_default();
  modes r = modes_of_example("universal-joint", &o);
  assert_int_equal(r.status, FLY_BAD_INPUT);
  assert_says(&r.error, "leave no degree of freedom");
  modes_free(&r);
}

static void test_unknown_names(void **state) {
  const char *wrong_force[] = {"puhs"}, *wrong_part[] = {"push.q"}, *wrong_output[] = {"wal"};
  modes r = block_matrices(wrong_force, 1);
  assert_int_equal(r.status, FLY_BAD_INPUT);
  assert_says(&r.error, "There is no force `puhs`; did you mean `push`?");
  modes_free(&r);
  r = block_matrices(wrong_part, 1);
  assert_int_equal(r.status, FLY_BAD_INPUT);
  assert_says(&r.error, "`push.q` is no input");
  modes_free(&r);
  fly_modes_options o = fly_modes_options_default();
  o.matrices = true;
  o.noutput = 1;
  o.output = wrong_output;
  r = modes_with(BLOCK(4), &o, 0, NULL);
  assert_int_equal(r.status, FLY_BAD_INPUT);
  assert_says(&r.error, "There is no output `wal`; did you mean `wall`?");
  modes_free(&r);
  o = fly_modes_options_default();
  o.frame = "blokc";
  r = modes_with(BLOCK(4), &o, 0, NULL);
  assert_int_equal(r.status, FLY_BAD_INPUT);
  assert_says(&r.error, "no body `blokc` to see the motion from; did you mean `block`?");
  modes_free(&r);
}

static void test_shift_on_an_eigenvalue(void **state) {
  // four equal blocks on springs of their own: all at sqrt(100)/(2 pi)
  static const char FOUR[] =
      "{flyball: 1, repeat: {blocks: {count: 4, bodies: {ground$i: {mass: 1, inertia: [1, 1, 1], position: [i, 0, "
      "0]}}, "
      "joints: {s$i: {type: translational, bodies: [ground, ground$i], at: [i, 0, 0], axis: [1, 0, 0]}}, forces: {f$i: "
      "{type: spring, from: ground, to: ground$i, stiffness: 100*i}}}}}";
  fly_modes_options o = fly_modes_options_default();
  o.way = FLY_MODES_ARPACK;
  o.count = 2;
  o.shift = 10 / TAU;
  modes r = modes_with(FOUR, &o, 0, NULL);
  assert_int_equal(r.status, FLY_SINGULAR);
  assert_says(&r.error, "Hz is an eigenvalue itself");
  assert_says(&r.error, "move it a little");
  modes_free(&r);
  o.count = 4;
  r = modes_with(FOUR, &o, 0, NULL);
  assert_int_equal(r.status, FLY_BAD_INPUT);
  assert_says(&r.error, "at most 2 here, not 4");
  modes_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_inverted_pendulum),
      cmocka_unit_test(test_damped_mass),
      cmocka_unit_test(test_overdamped_mass),
      cmocka_unit_test(test_free_body),
      cmocka_unit_test(test_free_but_damped),
      cmocka_unit_test(test_six_springs),
      cmocka_unit_test(test_parallelogram),
      cmocka_unit_test(test_frequency_of_a_run),
      cmocka_unit_test(test_at_equilibrium),
      cmocka_unit_test(test_hanging_chain),
      cmocka_unit_test(test_arpack_and_dense_agree),
      cmocka_unit_test(test_damped_by_arpack),
      cmocka_unit_test(test_unstable_by_arpack),
      cmocka_unit_test(test_whirl),
      cmocka_unit_test(test_whirl_by_arpack),
      cmocka_unit_test(test_state_matrices),
      cmocka_unit_test(test_transfer),
      cmocka_unit_test(test_transfer_and_statics),
      cmocka_unit_test(test_not_in_equilibrium),
      cmocka_unit_test(test_at_a_time),
      cmocka_unit_test(test_no_freedom),
      cmocka_unit_test(test_unknown_names),
      cmocka_unit_test(test_shift_on_an_eigenvalue),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
