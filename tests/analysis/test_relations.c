// Relations in expressions that depend on the motion (x > gap, max, abs, sign): located inside a step, which ends
// there. Forces that jump or have kinks cost a few steps a crossing, by every method, and the error asked for is kept;
// relations with which nothing is gained, or that slide, are left as they are.
#define _POSIX_C_SOURCE 200809L
#include "analysis/simulation.h"
#include "base/check.h"

// A cart on a rail, pushed by an expression.
static const char cart[] =
    "flyball: 1\n"
    "bodies:\n  cart: {type: planar, mass: 1, inertia: 0.1, position: [%.17g, 0], velocity: [%.17g, 0]}\n"
    "joints:\n  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n  push: {type: force, at: cart, force: ['%s', 0, 0]}\n"
    "outputs:\n  x: dx(cart)\n"
    "simulate: {end: 5, output: 0.05, channels: outputs, calibrate: no, estimate_error: no, method: %s, %s: %g}\n";

typedef struct swing {
  const char *force;
  double x, v;
  double (*exact)(double t);
} swing;

typedef struct seen {
  double (*exact)(double t);
  double worst;
  fly_stats stats;
  fly_status status;
} seen;

static void see(const double *row, void *user) {
  seen *s = user;
  if (s->exact)
    s->worst = fmax(s->worst, fabs(row[1] - s->exact(row[0])));
}

static seen run_of(const swing *m, const char *method, const char *by, double value) {
  seen s = {.exact = m->exact};
  char text[1000];
  simulation run = {.options = fly_run_options_default()};
  run.options.row = see;
  run.options.user = &s;
  snprintf(text, sizeof text, cart, m->x, m->v, m->force, method, by, value);
  simulate_text(&run, text);
  s.status = run.status;
  s.stats = fly_run_stats(run.run);
  if (run.status)
    print_message("%s\n", run.error.message);
  simulation_free(&run);
  return s;
}

// ---------------------------------------------------------------------------------------------- a force that jumps

// From x = 1, v = -2.3 under -3 sign(x): parabolas of half a period 2 c/3 between crossings at speed c.
static double pulled(double t) {
  const double c = sqrt(2.3 * 2.3 + 2 * 3), first = (c - 2.3) / 3, half = 2 * c / 3;
  if (t < first)
    return 1 - 2.3 * t - 1.5 * t * t;
  const double since = t - first;
  const long crossings = (long)(since / half);
  const double u = since - (double)crossings * half;
  return (crossings % 2 ? 1 : -1) * (c * u - 1.5 * u * u);
}

static const swing jumps[] = {{"-3*sign(dx(cart))", 1, -2.3, pulled},
                              {"if(dx(cart) > 0, -3, 3)", 1, -2.3, pulled},
                              {"3 - 6*(dx(cart) > 0)", 1, -2.3, pulled},
                              {"if(dx(cart) < 0 or dx(cart) < -1, 3, -3)", 1, -2.3, pulled}};

typedef struct limit {
  const char *method;
  long steps; // accepted and rejected
} limit;

static void keeps(const swing *m, const limit *l, double error) {
  const seen s = run_of(m, l->method, "error", error);
  const long steps = s.stats.steps + s.stats.rejected_error + s.stats.rejected_newton;
  print_message("%s, %s, error %.0e: %.2g of it in %ld steps, %ld switches\n", m->force, l->method, error,
                s.worst / error, steps, s.stats.relations);
  assert_int_equal(s.status, FLY_OK);
  assert_true(s.worst <= 10 * error);
  assert_true(steps <= l->steps);
}

// Before relations were roots: 284, 310, 68, 548, 548 steps.
static void a_force_that_jumps(void **state) {
  static const limit limits[] = {{"ch", 90}, {"hht", 90}, {"radau", 35}, {"partition", 110}, {"hybrid", 110}};
  for (size_t k = 0; k < sizeof jumps / sizeof *jumps; k++)
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
      const seen s = run_of(&jumps[k], limits[i].method, "error", 1e-8);
      keeps(&jumps[k], &limits[i], 1e-8);
      assert_int_equal(s.stats.relations, 3);
    }
}

// From 0 at 2.3 m/s under a spring of k and 3 N against the motion: back there after (pi - 2 psi)/w, at the same speed.
static double half_swing(double k, double t, double *back) {
  const double w = sqrt(k), d = 3 / k, psi = atan2(d, 2.3 / w);
  *back = (acos(-1.0) - 2 * psi) / w;
  return -d + 2.3 / w * sin(w * t) + d * cos(w * t);
}

static double between_jumps(double t) {
  double right, left;
  half_swing(40, 0, &right);
  half_swing(10, 0, &left);
  const double u = fmod(t, right + left);
  return u < right ? half_swing(40, u, &right) : -half_swing(10, u - right, &left);
}

static const char two_springs[] = "if(dx(cart) > 0, -40*dx(cart) - 3, -10*dx(cart) + 3)";

// What lies inside a step of Radau is less accurate than its end, and the motion goes on from there: walls that damp
// and that a state pushes, of which the 14 places where they are met or left had 3e-9 at 1e-7, and an estimate of
// 1e-10.
static const char walls[] =
    "flyball: 1\n"
    "bodies:\n  cart: {type: planar, mass: 1, inertia: 0.1, position: [0.1, 0], velocity: [3, 0]}\n"
    "joints:\n  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "states:\n  p: {rate: '20*(vx(cart)*vx(cart) - p)', start: 0}\n"
    "forces:\n  push: {type: force, at: cart, force: ['if(dx(cart) > 0.5, -400*(dx(cart) - 0.5) - 6*vx(cart) - p, "
    "if(dx(cart) < -0.5, -400*(dx(cart) + 0.5) - 6*vx(cart) + p, 0.3*sin(3*time)))', 0, 0]}\n"
    "outputs:\n  x: dx(cart)\n"
    "simulate: {end: 6, output: 0.05, channels: outputs, calibrate: no, estimate_error: no, method: %s, error: %g}\n";

enum { ROWS = 121 };
typedef struct rows {
  int count;
  double x[ROWS];
} rows;

static void keep_row(const double *row, void *user) {
  rows *to = user;
  if (to->count < ROWS)
    to->x[to->count++] = row[1];
}

static rows rows_between_walls(const char *method, double error) {
  rows kept = {0};
  char text[2000];
  simulation run = {.options = fly_run_options_default()};
  run.options.row = keep_row;
  run.options.user = &kept;
  snprintf(text, sizeof text, walls, method, error);
  simulate_text(&run, text);
  assert_ok(run.status, &run.error);
  assert_int_equal(kept.count, ROWS);
  simulation_free(&run);
  return kept;
}

static void radau_ends_where_it_jumps(void **state) {
  const rows truth = rows_between_walls("partition", 1e-11);
  const double asked[] = {1e-6, 1e-7, 1e-8, 1e-9};
  for (int k = 0; k < 4; k++) {
    const rows r = rows_between_walls("radau", asked[k]);
    double worst = 0;
    for (int i = 0; i < ROWS; i++)
      worst = fmax(worst, fabs(r.x[i] - truth.x[i]));
    print_message("radau, error %.0e: %.2g of it\n", asked[k], worst / asked[k]);
    assert_true(worst <= 0.006 * asked[k]);
  }
}

// From exactly there, where the force is 3 N or -3 N: the side that the motion goes to counts. Radau ended at the
// start, and looked for the cause without end.
static void a_start_on_a_jump(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition"};
  const swing m = {two_springs, 0, 2.3, between_jumps};
  for (int k = 0; k < 3; k++) {
    const seen s = run_of(&m, methods[k], "error", 1e-5);
    print_message("%s: %.2g of the error in %ld steps\n", methods[k], s.worst / 1e-5, s.stats.steps);
    assert_int_equal(s.status, FLY_OK);
    assert_int_equal(s.stats.relations, 8);
    assert_true(s.worst <= 1e-4);
  }
}

// ---------------------------------------------------------------------------------------------- a gap

// Springs of 40 N/m behind a gap of 0.3 m to either side: straight through it, and half a sine beyond.
static double between_springs(double t) {
  const double w = sqrt(40.0), v = 2.3, free = 0.6 / v, half = acos(-1.0) / w;
  const double u = fmod(t + free / 2, free + half);
  const int sign = fmod(t + free / 2, 2 * (free + half)) < free + half ? 1 : -1;
  return sign * (u < free ? -0.3 + v * u : 0.3 + v / w * sin(w * (u - free)));
}

static const swing gaps[] = {{"-40*max(0, dx(cart) - 0.3) + 40*max(0, -dx(cart) - 0.3)", 0, 2.3, between_springs},
                             {"-20*(abs(dx(cart) - 0.3) - abs(dx(cart) + 0.3)) - 40*dx(cart)", 0, 2.3, between_springs},
                             {"if(dx(cart) > 0.3, -40*(dx(cart) - 0.3), if(dx(cart) < -0.3, -40*(dx(cart) + 0.3), 0))",
                              0, 2.3, between_springs}};

// Before: 809 steps by radau, 1182 by partition and by hybrid. Steps of ch and hht are as many as order 2 takes.
static void a_gap(void **state) {
  static const limit limits[] = {{"radau", 450}, {"partition", 420}, {"hybrid", 420}};
  static const limit second_order[] = {{"ch", 30000}, {"hht", 30000}};
  for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++)
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
      keeps(&gaps[k], &limits[i], 1e-8);
  for (size_t i = 0; i < sizeof second_order / sizeof *second_order; i++)
    keeps(&gaps[0], &second_order[i], 1e-6);
}

// ---------------------------------------------------------------------------------------------- staircases

enum { EDGES = 4, FAMILY = 12 };

// Forces that are constant between edges: the motion is a parabola from one to the next.
typedef struct staircase {
  double edge[EDGES], height[EDGES];
  double x, v;
} staircase;

static staircase stairs;

static double push(double x) {
  double f = 0;
  for (int k = 0; k < EDGES; k++)
    f -= stairs.height[k] * (x > stairs.edge[k] ? 1 : -1);
  return f;
}

// When x + v t + a t^2/2 first meets an edge other than where it is; INFINITY: never.
static double time_to(double x, double v, double a, double edge) {
  const double c = x - edge, disc = v * v - 2 * a * c;
  double best = INFINITY;
  if (disc < 0)
    return best;
  const double q = -(v + copysign(sqrt(disc), v)), roots[2] = {q / a, 2 * c / q};
  for (int k = 0; k < 2; k++)
    if (roots[k] > 1e-9 && roots[k] < best)
      best = roots[k];
  return best;
}

static double on_stairs(double t) {
  double x = stairs.x, v = stairs.v;
  for (;;) {
    const double a = push(x + copysign(1e-9, v));
    double next = INFINITY;
    for (int k = 0; k < EDGES; k++)
      next = fmin(next, time_to(x, v, a, stairs.edge[k]));
    const double dt = fmin(next, t);
    x += dt * (v + dt * a / 2);
    v += dt * a;
    t -= dt;
    if (!(t > 0))
      return x;
  }
}

static void stairs_text(char *text, size_t size) {
  size_t n = 0;
  for (int k = 0; k < EDGES; k++)
    n += (size_t)snprintf(text + n, size - n, " - (%.17g)*sign(dx(cart) - (%.17g))", stairs.height[k], stairs.edge[k]);
}

static double draw(uint32_t *seed) { return (double)((*seed = *seed * 1664525u + 1013904223u) >> 8) / (1 << 24); }

// Edges are apart, and the whole pulls back from both ends.
static void staircases(void **state) {
  static const limit limits[] = {{"ch", 900}, {"radau", 500}, {"partition", 1500}};
  uint32_t seed = 5;
  for (int n = 0; n < FAMILY; n++) {
    char text[500];
    for (int k = 0; k < EDGES; k++) {
      stairs.edge[k] = -1 + 0.5 * k + 0.3 * draw(&seed);
      stairs.height[k] = 0.5 + 2 * draw(&seed);
    }
    stairs.x = 0.1 * draw(&seed) + 1.2;
    stairs.v = -2 + 4 * draw(&seed);
    stairs_text(text, sizeof text);
    const swing m = {text, stairs.x, stairs.v, on_stairs};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
      keeps(&m, &limits[i], 1e-8);
  }
}

// ---------------------------------------------------------------------------------------------- rates and variables

// A brake beyond 0.5 m, by a variable that has a row of its own as it feels an acceleration; a state counts the time
// there.
static const char brake[] =
    "flyball: 1\n"
    "bodies:\n  cart: {type: planar, mass: 1, inertia: 0.1, position: [-1, 0], velocity: [2, 0]}\n"
    "joints:\n  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "variables: {brake: 'if(dx(cart) + 0*accx(cart) > 0.5, 2, 0)'}\n"
    "states: {there: {rate: 'if(dx(cart) > 0.5, 1, 0)'}}\n"
    "forces:\n  push: {type: force, at: cart, force: ['-brake', 0, 0]}\n"
    "outputs: {x: dx(cart), time_there: there}\n"
    "simulate: {end: 4, output: 0.05, channels: outputs, calibrate: no, estimate_error: no, method: %s, error: 1e-7}\n";

static void see_brake(const double *row, void *user) {
  const double t = row[0], u = fmin(fmax(t - 0.75, 0), 2), back = fmax(t - 2.75, 0);
  const double x = t < 0.75 ? -1 + 2 * t : 0.5 + 2 * u - u * u - 2 * back;
  seen *s = user;
  s->worst = fmax(s->worst, fmax(fabs(row[1] - x), fabs(row[2] - u)));
}

static void rates_and_variables(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (int k = 0; k < 3; k++) {
    char text[1200];
    seen s = {0};
    simulation run = {.options = fly_run_options_default()};
    run.options.row = see_brake;
    run.options.user = &s;
    snprintf(text, sizeof text, brake, methods[k]);
    simulate_text(&run, text);
    assert_ok(run.status, &run.error);
    const fly_stats stats = fly_run_stats(run.run);
    print_message("%s: error %.1e, %ld steps, %ld changes\n", methods[k], s.worst, stats.steps, stats.relations);
    assert_true(s.worst < 1e-6);
    assert_int_equal(stats.relations, 4); // of both, twice
    simulation_free(&run);
  }
}

// ---------------------------------------------------------------------------------------------- fixed steps

static double fixed_order(const swing *m, const char *method, double h) {
  const seen one = run_of(m, method, "step", h), two = run_of(m, method, "step", h / 2);
  const double order = log2(one.worst / two.worst);
  print_message("%s, %s, steps %g and %g: errors %.2e %.2e, order %.2f\n", m->force, method, h, h / 2, one.worst,
                two.worst, order);
  assert_int_equal(one.status, FLY_OK);
  return two.worst < 1e-12 ? 9 : order;
}

static void orders_at_fixed_steps(void **state) {
  assert_true(fixed_order(&gaps[0], "ch", 1.0 / 128) > 1.8);
  assert_true(fixed_order(&gaps[0], "radau", 1.0 / 32) > 3.5);
  assert_true(fixed_order(&gaps[0], "partition", 1.0 / 256) > 1.8);
}

// ---------------------------------------------------------------------------------------------- left as they are

// No derivative below the second jumps: nothing is gained by a new start.
static void smooth_relations_are_left(void **state) {
  const swing m = {"-5*dx(cart)*abs(dx(cart))", 0, 2.3, NULL};
  const seen s = run_of(&m, "radau", "error", 1e-6);
  assert_int_equal(s.status, FLY_OK);
  assert_int_equal(s.stats.relations, 1);
}

// It changes back as soon as it has changed.
static void what_slides_is_left(void **state) {
  const swing m = {"-10*dx(cart) - 3*sign(vx(cart))", 1, 0, NULL};
  const seen s = run_of(&m, "partition", "error", 1e-5);
  print_message("%ld steps, %ld switches, status %s\n", s.stats.steps, s.stats.relations, fly_status_name(s.status));
  assert_true(s.stats.relations < 12);
}

static double at_rest(double t) { return (void)t, 0.25; }

// What is at rest on neither side stays so, to the last bit.
static void rest_is_kept(void **state) {
  const swing m = {"-3*sign(vx(cart))", 0.25, 0, at_rest};
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (int k = 0; k < 3; k++) {
    const seen s = run_of(&m, methods[k], "error", 1e-6);
    assert_int_equal(s.status, FLY_OK);
    assert_true(s.worst == 0);
    assert_int_equal(s.stats.relations, 0);
  }
}

static double after_touch(double t) { return 0.3 + 2.3 / sqrt(40.0) * sin(sqrt(40.0) * fmin(t, 0.4)); }

// A start exactly where two sides meet.
static void starts_on_the_edge(void **state) {
  swing m = {"-40*max(0, dx(cart) - 0.3)", 0.3, 2.3, NULL};
  char text[1000];
  seen s = {.exact = after_touch};
  simulation run = {.options = fly_run_options_default()};
  run.options.row = see;
  run.options.user = &s;
  run.options.end = 0.4;
  snprintf(text, sizeof text, cart, m.x, m.v, m.force, "radau", "error", 1e-8);
  simulate_text(&run, text);
  assert_ok(run.status, &run.error);
  assert_true(s.worst < 1e-7);
  simulation_free(&run);
}

// The root of what is negative is never taken: where a side that is held has no value, the other comes.
static void a_side_without_value(void **state) {
  const swing m = {"-5*if(dx(cart) > 0, sqrt(dx(cart)), 0) - dx(cart)", 1, 0, NULL};
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (int k = 0; k < 3; k++)
    assert_int_equal(run_of(&m, methods[k], "error", 1e-6).status, FLY_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_force_that_jumps),
      cmocka_unit_test(radau_ends_where_it_jumps),
      cmocka_unit_test(a_start_on_a_jump),
      cmocka_unit_test(a_gap),
      cmocka_unit_test(staircases),
      cmocka_unit_test(rates_and_variables),
      cmocka_unit_test(orders_at_fixed_steps),
      cmocka_unit_test(smooth_relations_are_left),
      cmocka_unit_test(what_slides_is_left),
      cmocka_unit_test(rest_is_kept),
      cmocka_unit_test(starts_on_the_edge),
      cmocka_unit_test(a_side_without_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
