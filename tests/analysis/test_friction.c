// Dry friction in joints: what sticks stays, what slides stops where it should, and starts again when its load is too
// much. Against closed forms, and an integration of its own.
//
// labels: events slow
#include "analysis/runs.h"

static const char *const METHODS[] = {"radau", "partition", "hybrid", "ch", "hht", "auto"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };
static const double g = 9.81;

static double error_of(int method) { return method < 3 ? 1e-8 : 1e-6; }

// ---------------------------------------------------------------------------------------------- a block on a slope

static void slope(char *text, size_t size, double degrees, double v, const char *more) {
  snprintf(text, size,
           "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {a: %g*deg}\n"
           "bodies:\n  block: {type: planar, mass: 2, inertia: 0.1, angle: a}\n"
           "joints:\n  slide: {type: translational, bodies: [ground, block], at: [0, 0, 0], "
           "axis: [cos(a), sin(a), 0], velocity: %g, friction: {mu: 0.3, mu_static: 0.4}}\n"
           "variables: {way: slide.displacement, rate: slide.v}\n%s",
           degrees, v, more);
}

// Thrown up, it stops at v^2/2b, b = g (sin + mu cos), and stays: the slope is less than mu_static.
static void a_block_stays_where_it_stops(void **state) {
  char text[1500];
  const double a = 20 * acos(-1) / 180, b = g * (sin(a) + 0.3 * cos(a));
  slope(text, sizeof text, 20, 3, "");
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 1e4, 100, "way rate slide.friction slide.sticks energy.balance");
    const double stop = row_of(&d, 1)[1];
    assert_close(told(&d, "stops").last, 3 / b, 10 * 1e-6);
    assert_close(stop, 4.5 / b, 10 * 1e-6);
    for (long i = 1; i < d.rows; i++) {
      const double *row = row_of(&d, i);
      assert_close(row[1], stop, 1e-15); // nothing creeps
      assert_close(row[2], 0, 1e-15);
      assert_close(row[3], 2 * g * sin(a), 1e-9);
      assert_close(row[4], 1, 0);
      assert_close(row[5], 0, 1e-6);
    }
    assert_close(row_of(&d, 0)[3], -0.3 * 2 * g * cos(a), 1e-9); // from the first row on
    assert_close(fly_run_ledger(d.run).damping, 0.3 * 2 * g * cos(a) * 4.5 / b, 1e-6);
    driven_free(&d);
  }
}

// Errors of velocities travel for long: rounding of constant accelerations alone was a step's share of the error, at
// every size of the step, and none was short enough.
static void a_small_error_over_a_long_time(void **state) {
  static const double asked[] = {1e-8, 1e-9, 1e-10};
  char text[1500];
  const double a = 20 * acos(-1) / 180, b = g * (sin(a) + 0.3 * cos(a));
  slope(text, sizeof text, 20, 3, "");
  for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
    driven d = run_well(text, "radau", asked[k], 1e4, 1000, "way");
    assert_close(row_of(&d, d.rows - 1)[1], 4.5 / b, 3 * asked[k]);
    assert_in_range(fly_run_stats(d.run).steps, 1, 50);
    driven_free(&d);
  }
}

// On a slope beyond mu_static it comes back; let go at rest it slides at once; between mu and mu_static it stays, and
// slides on once it moves.
static void a_block_slides_where_it_must(void **state) {
  char text[1500];
  const double a = 30 * acos(-1) / 180, up = g * (sin(a) + 0.3 * cos(a)), down = g * (sin(a) - 0.3 * cos(a));
  for (int k = 0; k < METHOD_COUNT; k++) {
    slope(text, sizeof text, 30, 2, "");
    driven d = run_well(text, METHODS[k], error_of(k), 1, 0.1, "way rate");
    const double t = 1 - 2 / up;
    assert_close(row_of(&d, 10)[1], 2 / up - down * t * t / 2, 10 * error_of(k));
    assert_close(row_of(&d, 10)[2], -down * t, 10 * error_of(k));
    assert_int_equal(told(&d, "breaks_away").count, 1);
    driven_free(&d);
    slope(text, sizeof text, 30, 0, "");
    d = run_well(text, METHODS[k], error_of(k), 1, 0.1, "way");
    assert_close(row_of(&d, 10)[1], -down / 2, 10 * error_of(k));
    driven_free(&d);
    slope(text, sizeof text, 19, 0, "");
    d = run_well(text, METHODS[k], error_of(k), 1, 0.1, "way");
    assert_close(row_of(&d, 10)[1], 0, 1e-15);
    driven_free(&d);
    slope(text, sizeof text, 19, -1, "");
    d = run_well(text, METHODS[k], error_of(k), 1, 0.1, "way");
    const double b = 19 * acos(-1) / 180;
    assert_close(row_of(&d, 10)[1], -1 - g * (sin(b) - 0.3 * cos(b)) / 2, 10 * error_of(k));
    driven_free(&d);
  }
}

// A load that grows, level: 2 N/s break it away at mu_static m g, after which m x'' = 2 t - mu m g.
static void a_growing_load_breaks_it_away(void **state) {
  char text[1500];
  const double start = 0.4 * 2 * g / 2;
  slope(text, sizeof text, 0, 0, "forces:\n  pull: {type: force, at: block, force: [2*time, 0, 0]}\n");
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], error_of(k), 6, 0.5, "way rate slide.friction");
    const double t = 6 - start, x = t * t * t / 6 + (0.4 - 0.3) * g * t * t / 2;
    assert_close(told(&d, "breaks_away").last, start, 10 * error_of(k));
    assert_close(row_of(&d, 12)[1], x, 10 * error_of(k));
    assert_close(row_of(&d, 4)[1], 0, 1e-15);
    assert_close(row_of(&d, 4)[3], -2 * 2, 1e-9);
    driven_free(&d);
  }
}

// A load that comes and goes, beside a body that falls: nothing moves the block until 12 sin 40t is mu_static m g, and
// that is found though no error holds the steps.
static void a_wave_breaks_it_away(void **state) {
  char text[1500];
  slope(text, sizeof text, 0, 0, "forces:\n  pull: {type: force, at: block, force: [12*sin(40*time), 0, 0]}\n");
  const char *bodies = strstr(text, "joints:");
  char full[1600];
  snprintf(full, sizeof full, "%.*s  stone: {type: point, mass: 1, position: [1, 0, 0]}\n%s", (int)(bodies - text),
           text, bodies);
  for (int k = 0; k < METHOD_COUNT - 1; k++) {
    driven d = run_well(full, METHODS[k], 1e-5, 0.05, 0.01, "way");
    assert_close(told(&d, "breaks_away").last, asin(0.4 * 2 * g / 12) / 40, 1e-7);
    assert_close(row_of(&d, 1)[1], 0, 1e-15);
    driven_free(&d);
  }
}

// The longest step under a gentle load that depends on time, with this velocity at the start.
static double longest_step(int method, double v) {
  char text[1500];
  slope(text, sizeof text, 0, v, "forces:\n  pull: {type: force, at: block, force: [2*sin(time), 0, 0]}\n");
  driven d = run_well(text, METHODS[method], 1e-3, 1, 0.5, "way");
  const double h = fly_run_stats(d.run).h_max;
  say("%s: %.2g s\n", METHODS[method], h);
  driven_free(&d);
  return h;
}

// Nothing moves, and no error holds the steps: a thousandth of the run is the longest, so that the load is seen on its
// way to where it breaks away. What slides takes steps of its own.
static void loads_of_what_sticks_are_seen_often(void **state) {
  for (int k = 0; k < METHOD_COUNT; k += 3) { // of high order and of second
    assert_at_most(longest_step(k, 0), 1e-3 + 1e-12);
    assert_at_least(longest_step(k, 5), 5e-3);
  }
}

// A blow: friction does not answer it, and the block that stuck flies off.
static void a_blow_is_not_held(void **state) {
  char text[1500];
  slope(text, sizeof text, 0, 0, "events:\n  kick: {at: 0.5, velocity: {block.vx: 3}}\n");
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], error_of(k), 2, 0.5, "way");
    assert_close(row_of(&d, 1)[1], 0, 1e-15);
    assert_close(row_of(&d, 4)[1], 9 / (2 * 0.3 * g), 10 * error_of(k));
    driven_free(&d);
  }
}

// A conveyor that starts, v = t for 3 s and 3 m/s then, with a crate on it: mu g = 0.7848 m/s^2 is less than it takes,
// so that the crate slips from the first instant, moves at mu g t, and sticks when it is as fast as the belt. Up a ramp
// of 2 degrees it has mu g cos - g sin.
static void a_crate_is_taken_along(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {a: 2*deg}\nbodies:\n"
      "  belt: {type: planar, mass: 5, inertia: 1, angle: a}\n  crate: {type: planar, mass: 20, inertia: 1, angle: a}\n"
      "joints:\n  track: {type: translational, bodies: [ground, belt], at: [0, 0, 0], axis: [cos(a), sin(a), 0]}\n"
      "  bed: {type: translational, bodies: [belt, crate], at: [0, 0, 0], axis: [cos(a), sin(a), 0], "
      "friction: {mu: 0.08, mu_static: 0.09}}\n"
      "motions:\n  drive: {joint: track, velocity: \"if(time < 3, time, 3)\"}\n"
      "variables: {way: \"dm(crate)\", speed: \"vm(crate)\"}\n";
  const double a = 2 * acos(-1) / 180, b = g * (0.08 * cos(a) - sin(a)), together = 3 / b;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], error_of(k), 12, 1, "way speed bed.sticks");
    assert_close(told(&d, "stops").last, together, 100 * error_of(k));
    for (long i = 1; i < d.rows; i++) {
      const double t = row_of(&d, i)[0], on = t - together;
      assert_close(row_of(&d, i)[1], on < 0 ? b * t * t / 2 : 4.5 / b + 3 * on, 100 * error_of(k));
      assert_close(row_of(&d, i)[2], on < 0 ? b * t : 3, 100 * error_of(k));
      assert_close(row_of(&d, i)[3], on > 0, 0);
    }
    driven_free(&d);
  }
}

// ---------------------------------------------------------------------------------------------- stick-slip

// A block on a belt, held by a spring: with D = (mu_static - mu) N/k and w^2 = k/m it slips for 2 (pi - atan(D w/V))/w
// and sticks for 2 D/V.
static void a_brake_squeals(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, -10, 0]\n"
      "bodies:\n  belt: {type: planar, mass: 5, inertia: 1}\n  block: {type: planar, mass: 2, inertia: 0.1}\n"
      "joints:\n  track: {type: translational, bodies: [ground, belt], at: [0, 0, 0], axis: [1, 0, 0]}\n"
      "  pad: {type: translational, bodies: [belt, block], at: [0, 0, 0], axis: [1, 0, 0], "
      "friction: {mu: 0.2, mu_static: 0.5}}\n"
      "motions:\n  drive: {joint: track, velocity: 0.1}\n"
      "forces:\n  s: {type: force, at: block, force: [-50*dx(block), 0, 0]}\n";
  const double D = 0.3 * 20 / 50, w = 5, V = 0.1, slip = 2 * (acos(-1) - atan(D * w / V)) / w;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], error_of(k), 12, 0.5, "block.x energy.balance");
    const double gone = told(&d, "breaks_away").last, held = told(&d, "stops").last;
    assert_close(held > gone ? held - gone : held + 2 * D / V - gone, held > gone ? slip : 0, 30 * error_of(k));
    assert_int_equal(told(&d, "breaks_away").count, 4);
    assert_close(row_of(&d, 24)[2], 0, 100 * error_of(k));
    driven_free(&d);
  }
}

// ---------------------------------------------------------------------------------------------- a pendulum

// m = 2, J = 0.1 about its centre at 1 m, a pin of radius R: J0 w' = -m g sin a - d mu R F,
// F^2 = m^2 ((w^2 + g cos a)^2 + (w' + g sin a)^2), d = sign w.
static const double m = 2, J0 = 2.1, mu = 0.3, R = 0.08;

static double torque_at(double a, double w, double wdot) {
  return mu * R * m * hypot(w * w + g * cos(a), wdot + g * sin(a));
}

static double wdot_of(double a, double w, double d) {
  double wdot = 0;
  for (int k = 0; k < 60; k++)
    wdot = (-m * g * sin(a) - d * torque_at(a, w, wdot)) / J0;
  return wdot;
}

static void runge_kutta(double *a, double *w, double d, double h) {
  const double k1 = *w, l1 = wdot_of(*a, *w, d);
  const double k2 = *w + h / 2 * l1, l2 = wdot_of(*a + h / 2 * k1, k2, d);
  const double k3 = *w + h / 2 * l2, l3 = wdot_of(*a + h / 2 * k2, k3, d);
  const double k4 = *w + h * l3, l4 = wdot_of(*a + h * k3, k4, d);
  *a += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  *w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
}

// From rest at a: to where it rests next, by halving the last step; returns the time that took. It swings to -sign a.
static double swing(double *a) {
  const double d = *a > 0 ? -1 : 1, h = 1e-3;
  double w = 0, t = 0;
  for (;;) {
    double b = *a, u = w;
    runge_kutta(&b, &u, d, h);
    if (t > 0.1 && u * d < 0)
      break;
    *a = b, w = u, t += h;
  }
  double low = 0, high = h;
  for (int k = 0; k < 50; k++) {
    const double s = (low + high) / 2;
    double b = *a, u = w;
    runge_kutta(&b, &u, d, s);
    *(u * d < 0 ? &high : &low) = s;
  }
  runge_kutta(a, &w, d, low);
  return t + low;
}

static bool holds(double a) { return m * g * fabs(sin(a)) <= torque_at(a, 0, 0); }

static const char pendulum[] =
    "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n  bob: {type: planar, mass: 2, inertia: 0.1, position: [0, -1]}\n"
    "joints:\n  pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], angle: 1, "
    "friction: {law: coulomb, mu: 0.3, radius: 0.08}}\nvariables: {angle: pin.angle}\n";

static void a_pendulum_comes_to_rest(void **state) {
  double a = 1, t = 0;
  int swings = 0;
  while (!holds(a)) {
    t += swing(&a);
    swings++;
  }
  assert_true(swings == 17);
  for (int k = 0; k < METHOD_COUNT - 1; k++) {
    driven d = run_well(pendulum, METHODS[k], error_of(k), t + 10, 1, "angle energy.balance pin.sticks");
    assert_int_equal(told(&d, "stops").count, swings);
    assert_close(told(&d, "stops").last, t, 100 * error_of(k));
    assert_close(row_of(&d, d.rows - 1)[1], a, 10 * error_of(k));
    // hybrid follows accelerations, and puts back what leaves the constraints only
    assert_close(row_of(&d, d.rows - 1)[1], row_of(&d, d.rows - 8)[1], strcmp(METHODS[k], "hybrid") ? 1e-15 : 1e-12);
    assert_close(row_of(&d, d.rows - 1)[2], 0, 100 * error_of(k));
    driven_free(&d);
  }
}

// Orders while it slides: the load depends on multipliers, and is solved with them.
static void orders_are_kept_while_it_slides(void **state) {
  static const struct {
    const char *name;
    double h, order;
  } list[] = {{"ch", 0.01, 2}, {"radau", 0.05, 5}};
  double a = 1, w = 0, end = 0.6;
  for (int i = 0; i < 6000; i++)
    runge_kutta(&a, &w, -1, end / 6000);
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    double error[2];
    for (int half = 0; half < 2; half++) {
      char full[1500];
      driven d = driven_default(FLY_DYNAMICS, end, end);
      snprintf(full, sizeof full, "%ssimulate: {end: %g, output: %g, method: %s, step: %g}\n", pendulum, end, end,
               list[k].name, list[k].h / (1 << half));
      drive(&d, full, "angle");
      assert_ok(d.status, &d.error);
      error[half] = fabs(row_of(&d, 1)[1] - a);
      driven_free(&d);
    }
    assert_close(log2(error[0] / error[1]), list[k].order, 0.3);
  }
}

// ---------------------------------------------------------------------------------------------- closed loops

// A crank and rocker with friction in all its pins: the rocker's pins turn round while it moves on, and do not stick
// there; at rest one of them holds all. In space its rows are redundant.
static void a_loop(char *text, size_t size, const char *body, const char *z, const char *rest) {
  snprintf(text, size,
           "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {R: 0.05}\nbodies:\n  a: {%s, position: [0, 0.15%s]}\n"
           "  b: {%s, position: [0.5, 0.5%s]}\n  c: {%s, position: [1.1, 0.4%s]}\njoints:\n"
           "  j1: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], friction: {%s}}\n"
           "  j2: {type: revolute, bodies: [a, b], at: [0, 0.3, 0], axis: [0, 0, 1], friction: {%s}}\n"
           "  j3: {type: revolute, bodies: [b, c], at: [1, 0.8, 0], axis: [0, 0, 1], friction: {%s}}\n"
           "  j4: {type: revolute, bodies: [ground, c], at: [1.2, 0, 0], axis: [0, 0, 1], friction: {%s}}\n"
           "variables: {turn: j1.angle}\n",
           body, z, body, z, body, z, rest, rest, rest, rest);
}

static void a_loop_comes_to_rest(void **state) {
  static const char *const frictions[] = {"mu: 0.3, radius: R", "mu: 0.2, mu_static: 0.5, radius: R"};
  static const char *const bodies[][2] = {{"type: planar, mass: 1, inertia: 0.1", ""},
                                          {"mass: 1, inertia: [0.1, 0.1, 0.1]", ", 0"}};
  for (int f = 0; f < 2; f++) {
    double truth = NAN;
    for (int b = 0; b < 2; b++)
      for (int k = 0; k < 2; k++) {
        char text[1500];
        a_loop(text, sizeof text, bodies[b][0], bodies[b][1], frictions[f]);
        driven d = run_well(text, METHODS[k], 1e-7, 4, 0.5, "turn energy.balance");
        truth = isnan(truth) ? row_of(&d, 8)[1] : truth;
        assert_close(row_of(&d, 8)[1], truth, 3e-6);
        assert_close(row_of(&d, 8)[2], 0, 1e-5);
        driven_free(&d);
      }
    assert_true(truth > 1);
  }
}

// Five stages once accepted a step with wrong velocities here.
static void a_loop_comes_to_rest_by_five_stages(void **state) {
  char text[1500];
  a_loop(text, sizeof text, "type: planar, mass: 1, inertia: 0.1", "", "mu: 0.2, mu_static: 0.5, radius: R");
  driven three = run_well(text, "radau", 1e-7, 4, 0.5, "turn energy.balance");
  driven five = run_well(text, "radau, stages: 5", 1e-7, 4, 0.5, "turn energy.balance");
  assert_close(row_of(&five, 8)[1], row_of(&three, 8)[1], 3e-6);
  assert_close(row_of(&five, 8)[2], 0, 1e-5);
  driven_free(&three);
  driven_free(&five);
}

// ---------------------------------------------------------------------------------------------- smooth laws

// The same block by laws that are smooth, against an integration of its own; N = m g.
typedef struct block {
  double x, v, z;
} block;

static const double PULL = 12, MU = 0.3, MU_STATIC = 0.5, SPEED = 0.05, TRANSITION = 0.02, STIFF = 200, DAMP = 3;

static double stribeck(double v) { return MU + (MU_STATIC - MU) * exp(-v * v / (SPEED * SPEED)); }

static block rate_of(const char *law, block b, double t) {
  const double f = PULL * sin(3 * t), zdot = b.v - STIFF * fabs(b.v) * b.z / stribeck(b.v);
  const double c = strcmp(law, "lugre") == 0 ? STIFF * b.z + DAMP * zdot : stribeck(b.v) * tanh(b.v / TRANSITION);
  return (block){b.v, f / 2 - c * g - 0.7 * b.v / 2, zdot};
}

static block add(block a, double h, block b) { return (block){a.x + h * b.x, a.v + h * b.v, a.z + h * b.z}; }

static block integrate(const char *law, double end) {
  block b = {0};
  const int n = 400000;
  const double h = end / n;
  for (int i = 0; i < n; i++) {
    const double t = i * h;
    const block k1 = rate_of(law, b, t), k2 = rate_of(law, add(b, h / 2, k1), t + h / 2);
    const block k3 = rate_of(law, add(b, h / 2, k2), t + h / 2), k4 = rate_of(law, add(b, h, k3), t + h);
    b = add(add(add(add(b, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  return b;
}

static void smooth_laws(void **state) {
  static const char *const laws[] = {"regularized", "lugre"};
  static const char *const own[] = {"transition_speed: 0.02", "stiffness: 200, damping: 3"};
  for (int l = 0; l < 2; l++) {
    const block truth = integrate(laws[l], 3);
    for (int k = 0; k < 3; k++) {
      char text[1500];
      snprintf(text, sizeof text,
               "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n  block: {type: planar, mass: 2, inertia: 0.1}\n"
               "joints:\n  slide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, 0], "
               "friction: {law: %s, mu: 0.3, mu_static: 0.5, stribeck_speed: 0.05, %s, viscous: 0.7}}\n"
               "forces:\n  pull: {type: force, at: block, force: [12*sin(3*time), 0, 0]}\n",
               laws[l], own[l]);
      driven d = run_well(text, k == 2 ? "ch" : METHODS[k], k == 2 ? 1e-5 : 1e-7, 3, 0.5, "block.x energy.balance");
      assert_close(row_of(&d, 6)[1], truth.x, k == 2 ? 1e-4 : 1e-6);
      assert_close(row_of(&d, 6)[2], 0, 1e-3);
      driven_free(&d);
    }
  }
}

// ---------------------------------------------------------------------------------------------- what is refused

static void refused(const char *friction, const char *says) {
  char text[1500];
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  bob: {type: planar, mass: 2, inertia: 0.1}\n"
           "joints:\n  pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], friction: %s}\n",
           friction);
  refused_text(text, says);
}

static void what_is_wrong_is_refused(void **state) {
  refused("{mu: -0.1, radius: 1}", "`mu` is -0.1");
  refused("{mu: 0.5, mu_static: 0.4, radius: 1}", "`mu_static` is 0.4, less than `mu` = 0.5");
  refused("{mu: 0.5}", "`friction` needs `radius`");
  refused("{radius: 0.5}", "`friction` needs `mu`");
  refused("{mu: 0.5, radius: 0}", "`radius` is 0 and must be positive");
  refused("{law: columb, mu: 0.5, radius: 1}", "`law` is coulomb, stribeck, lugre or regularized, not `columb`");
  refused("{law: stribeck, mu: 0.5, radius: 1}", "needs `stribeck_speed`");
  refused(
      "{law: coulomb, mu: 0.5, radius: 1, stiffness: 3}",
      "test:5:119: revolute `pin`: `friction`: the law coulomb has no `stiffness`. Take it out, or say `law: lugre`");
  refused("{mu: 0.5, radius: 1, stribeck_speed: 1}", "the law coulomb, as no other is given, has no `stribeck_speed`");
  refused("{law: stribeck, mu: 0.5, radius: 1, stribeck_speed: 1, transition_speed: 1}", "or say `law: regularized`");
  refused("{law: regularized, mu: 0.5, radius: 1, transition_speed: 1, damping: 0}", "has no `damping`");
  refused("{law: lugre, mu: 0.5, radius: 1, stiffness: 1, transition_speed: 1}", "has no `transition_speed`");
  refused("{mu: 0.1 + dx(bob), radius: 1}", "test:5:78: revolute `pin`: `friction`: `mu` is a number, or an expression "
                                            "over parameters and units that does not change");
  refused("{mu: 0.1*time, radius: 1}", "that does not change with time or motion; in '0.1*time'");
  refused("{law: lugre, mu: 0.5, radius: 1}", "needs `stiffness`");
  refused("{law: regularized, mu: 0.5, radius: 1}", "needs `transition_speed`");
  refused("{nu: 0.5, radius: 1}", "'friction' takes no 'nu'");
}

// A box slides to rest through the bell of Stribeck's law, however narrow: x = int v / (g mu(v)) dv.
static double way_through_the_bell(double v0, double narrow) {
  enum { PARTS = 20000 };
  double sum = 0;
  for (int k = 0; k <= PARTS; k++) {
    const double v = v0 * k / PARTS, rubs = 0.2 + 0.2 * exp(-pow(v / narrow, 2));
    sum += (k == 0 || k == PARTS ? 1 : k % 2 ? 4 : 2) * v / (g * rubs);
  }
  return sum * v0 / PARTS / 3;
}

static void a_bell_is_not_leapt_over(void **state) {
  static const double narrow[] = {0.05, 0.02, 0.005}, speed[] = {1.3, 1.0};
  char text[700];
  for (int k = 0; k < METHOD_COUNT; k++)
    for (int i = 0; i < 6; i++) {
      snprintf(text, sizeof text,
               "flyball: 1\ngravity: [0, -9.81, 0]\n"
               "bodies:\n  box: {type: planar, mass: 2, inertia: 0.1, velocity: [%g, 0]}\n"
               "joints:\n  pad: {type: translational, bodies: [ground, box], at: [0, 0, 0], axis: [1, 0, 0], friction: "
               "{law: stribeck, mu: 0.2, mu_static: 0.4, stribeck_speed: %g}}\n",
               speed[i % 2], narrow[i / 2]);
      driven d = run_well(text, METHODS[k], error_of(k), 2, 1, "box.x");
      assert_close(row_of(&d, 2)[1], way_through_the_bell(speed[i % 2], narrow[i / 2]), 3 * error_of(k));
      driven_free(&d);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_stays_where_it_stops),
      cmocka_unit_test(a_small_error_over_a_long_time),
      cmocka_unit_test(a_block_slides_where_it_must),
      cmocka_unit_test(a_growing_load_breaks_it_away),
      cmocka_unit_test(a_blow_is_not_held),
      cmocka_unit_test(a_wave_breaks_it_away),
      cmocka_unit_test(loads_of_what_sticks_are_seen_often),
      cmocka_unit_test(a_crate_is_taken_along),
      cmocka_unit_test(a_brake_squeals),
      cmocka_unit_test(a_pendulum_comes_to_rest),
      cmocka_unit_test(a_bell_is_not_leapt_over),
      cmocka_unit_test(orders_are_kept_while_it_slides),
      cmocka_unit_test(smooth_laws),
      cmocka_unit_test(a_loop_comes_to_rest),
      cmocka_unit_test(a_loop_comes_to_rest_by_five_stages),
      cmocka_unit_test(what_is_wrong_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
