// Delays: closed forms by the method of steps, breaks that come again, Padé's approximation, and what
// is refused. That the past is saved: test_saved.c.
#define RUN_BEGINS                                                                                                     \
  "flyball: 1\nbodies: {cart: {type: point, mass: 1, position: [0.5, 0, 0]}}\n"                                        \
  "joints: {rail: {type: in-line, bodies: [ground, cart], at: [0.5, 0, 0], axis: [1, 0, 0]}}\n"
#define RUN_KEYS ", estimate_error: \"no\""
#include "analysis/runs.h"

static const char *const METHODS[] = {"ch", "radau", "partition", "auto"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

// ------------------------------------------------------------------------------------------ closed forms

// x' = -x(t - 1), x = 1 before: Σ (-1)^k (t - k + 1)^k / k! over k <= t + 1.
static double steps_of(double t) {
  double sum = 0, factorial = 1;
  for (int k = 0; k <= (int)floor(t) + 1; k++) {
    factorial *= k > 0 ? k : 1;
    sum += (k % 2 ? -1 : 1) * pow(t - k + 1, k) / factorial;
  }
  return sum;
}

static void the_method_of_steps(void **state) {
  static const char text[] = "states: {x: {rate: -late.y, start: 1}}\n"
                             "blocks: {late: {type: delay, input: x, time: 1, start: 1}}\n";
  static const double asked[] = {1e-4, 1e-6, 1e-8};
  for (int k = 0; k < METHOD_COUNT; k++)
    for (int e = 0; e < (k == 0 ? 2 : 3); e++) {
      driven d = run_well(text, METHODS[k], asked[e], 8, 0.05, "x late.y late.u");
      double worst = 0;
      for (long r = 0; r < d.rows; r++) {
        const double *row = row_of(&d, r);
        worst = fmax(worst, fabs(row[1] - steps_of(row[0])));
        worst = fmax(worst, fabs(row[2] - (row[0] < 1 ? 1 : steps_of(row[0] - 1))));
        assert_true(row[3] == row[1]);
      }
      say("x' = -x(t - 1) by %-9s %.0e: %.1e, %ld steps\n", METHODS[k], asked[e], worst, fly_run_stats(d.run).steps);
      assert_true(worst < 10 * asked[e]);
      driven_free(&d);
    }
}

// A step that comes later, exactly, and what was before the start; a cart is pushed by it, and by a delay of the delay.
static void jumps_come_again(void **state) {
  static const char text[] = "blocks:\n  late: {type: delay, input: \"if(time < 0.7, 0, 1)\", time: 0.8, start: -0.5}\n"
                             "  later: {type: delay, input: 2*late.y, time: 0.25, start: -1}\n"
                             "forces: {push: {type: force, at: cart, force: [late.y + later.y, 0, 0]}}\n";
  static const double jumps[][2] = {{0, -1.5}, {0.8, 0.5}, {1.05, 1}, {1.5, 1}, {1.75, 2}};
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 3, 0.1, "cart.x");
    for (long r = 0; r < d.rows; r++) {
      double x = 0.5;
      for (int i = 0; i < 5; i++)
        x += jumps[i][1] * pow(fmax(0, row_of(&d, r)[0] - jumps[i][0]), 2) / 2;
      assert_close(row_of(&d, r)[1], x, 2e-9);
    }
    driven_free(&d);
  }
}

// x'' = -4 x(t - T) + 3 sin 5t: velocity Verlet with small steps, extrapolated.
static void delayed_feedback(double *out, int n) {
  const int late = n / 8; // 0.125 of 1 s
  double *x = calloc((size_t)(2 * n) + 1, sizeof *x), v = 0;
  assert_non_null(x);
  x[0] = 0.5;
  const double h = 1.0 / n;
  for (int i = 0; i < 2 * n; i++) { // velocity Verlet: the force at both ends is known
    const double a = -4 * (i < late ? 0.5 : x[i - late]) + 3 * sin(5 * i * h);
    const double b = -4 * (i + 1 < late ? 0.5 : x[i + 1 - late]) + 3 * sin(5 * (i + 1) * h);
    x[i + 1] = x[i] + h * v + h * h / 2 * a;
    v += h / 2 * (a + b);
  }
  out[0] = x[2 * n];
  out[1] = v;
  free(x);
}

static void feedback_of_a_cart(void **state) {
  static const char text[] = "blocks: {late: {type: delay, input: dx(cart), time: 0.125, start: 0.5}}\n"
                             "forces: {push: {type: force, at: cart, force: [-4*late.y + 3*sin(5*time), 0, 0]}}\n";
  double coarse[2], fine[2];
  delayed_feedback(coarse, 8000);
  delayed_feedback(fine, 16000);
  for (int i = 0; i < 2; i++)
    fine[i] += (fine[i] - coarse[i]) / 3;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 2, 1, "cart.x cart.vx");
    say("feedback by %s: %.1e\n", METHODS[k], fabs(row_of(&d, 2)[1] - fine[0]));
    assert_close(row_of(&d, 2)[1], fine[0], 1e-5);
    assert_close(row_of(&d, 2)[2], fine[1], 1e-4);
    driven_free(&d);
  }
}

// Samples and delays whose multiples meet again and again: what comes back does not wander off by roundings, which
// would make steps of no length.
static void samples_and_delays_that_meet(void **state) {
  static const char text[] =
      RUN_BEGINS "blocks:\n  late: {type: delay, input: dx(cart), time: 0.2}\n"
                 "  dig: {type: transfer, numerator: [1], denominator: [1, -0.5], input: late.y, every: 0.05}\n"
                 "  later: {type: delay, input: dig.y + late.y, time: 0.1}\n"
                 "  other: {type: transfer, numerator: [1], denominator: [1, -0.5], input: later.y, every: 0.05}\n"
                 "forces: {push: {type: force, at: cart, force: [-other.y - late.y, 0, 0]}}\n"
                 "simulate: {end: 2, output: 0.5, error: 1e-6}\n";
  double first = 0;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = driven_default(FLY_DYNAMICS, 2, 0.5);
    d.options.method.name = METHODS[k];
    drive(&d, text, "cart.x");
    assert_ok(d.status, &d.error);
    say("%s: smallest step %.1e\n", METHODS[k], fly_run_stats(d.run).h_min);
    assert_null(strstr(fly_run_verdict(d.run).sentence, "failed")); // no pilot did
    first = k == 0 ? row_of(&d, 4)[1] : first;
    assert_close(row_of(&d, 4)[1], first, 2e-6);
    assert_true(fly_run_stats(d.run).h_min > 1e-13);
    driven_free(&d);
  }
}

// Padé's approximation of order 5 of a slow sine, and of order 1 in full: (1 - sT/2)/(1 + sT/2).
static void pade(void **state) {
  static const char text[] = "blocks:\n  late: {type: delay, input: sin(time), time: 0.5, pade: 5}\n"
                             "  one: {type: delay, input: 1, time: 0.5, pade: 1, start: 1}\n"
                             "  first: {type: delay, input: 1, time: 0.5, pade: 1}\n";
  driven d = run_well(text, "radau", 1e-7, 8, 0.5, "late.y one.y first.y");
  for (long r = 0; r < d.rows; r++) {
    const double *row = row_of(&d, r);
    if (row[0] > 6) // what was before the start has died out
      assert_close(row[1], sin(row[0] - 0.5), 1e-6);
    assert_close(row[2], 1, 1e-6);
    assert_close(row[3], 1 - 2 * exp(-4 * row[0]), 1e-6);
  }
  driven_free(&d);
}

// ------------------------------------------------------------------------------------------ inputs of the motion

// A cart that goes with 1 m/s, at all tolerances by all methods: what is called kept is so.
#define GOING                                                                                                          \
  "flyball: 1\nbodies: {cart: {type: point, mass: 1, velocity: [1, 0, 0]}}\n"                                          \
  "joints: {rail: {type: in-line, bodies: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}}\n"

static void arrives(const char *text, double end, double x, bool tight) {
  static const char *const methods[] = {"ch", "hht", "radau", "partition"};
  static const double asked[] = {1e-4, 1e-6, 1e-8};
  for (int k = 0; k < 4; k++)
    for (int e = 0; e < (k >= 2 && tight ? 3 : 2); e++) {
      driven d = driven_default(FLY_DYNAMICS, end, end);
      d.options.method.name = methods[k];
      d.options.error = asked[e];
      drive(&d, text, "cart.x");
      assert_ok(d.status, &d.error);
      const double off = fabs(row_of(&d, d.rows - 1)[1] - x);
      say("%-9s %.0e: off by %.1e, %ld steps, %s\n", methods[k], asked[e], off, fly_run_stats(d.run).steps,
          fly_run_verdict(d.run).sentence);
      assert_true(off <= 10 * asked[e]);
      driven_free(&d);
    }
}

static void inputs_that_jump_with_the_motion(void **state) {
  arrives(GOING "blocks: {late: {type: delay, input: \"if(dx(cart) > 0.3333, 1, 0)\", time: 0.1}}\n"
                "forces: {push: {type: force, at: cart, force: [late.y, 0, 0]}}\n",
          1, 1 + pow(1 - 0.3333 - 0.1, 2) / 2, true);
  // through two delays, and back again: a box of 2 mm between two steps
  arrives(GOING "blocks:\n  late: {type: delay, input: \"if(abs(dx(cart) - 0.3333) < 0.001, 50, 0)\", time: 0.1}\n"
                "  later: {type: delay, input: 2*late.y, time: 0.15}\n"
                "forces: {push: {type: force, at: cart, force: [later.y, 0, 0]}}\n",
          1, 1 + 0.2 * (1 - 0.3333 - 0.25), true);
}

// x'' = 10 max(0, x(t - 0.2) - 0.5037): a cubic, and from 0.9037 on a part of fifth degree.
static void inputs_that_bend_with_the_motion(void **state) {
  const double s = 1 - 0.7037, r = 1 - 0.9037;
  arrives(GOING "blocks: {late: {type: delay, input: \"max(0, dx(cart) - 0.5037)\", time: 0.2}}\n"
                "forces: {push: {type: force, at: cart, force: [10*late.y, 0, 0]}}\n",
          1, 1 + 10 * pow(s, 3) / 6 + 100 * pow(r, 5) / 120, true);
}

// A bell of 100 N over a millimetre or a millisecond comes out as the blow it was.
static void short_pulses_come_again(void **state) {
  static const char *const of[] = {"dx(cart)", "time"};
  for (int k = 0; k < 2; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             GOING "blocks: {late: {type: delay, input: \"exp(-((%s - 0.5037)/0.001)^2)*100\", time: 0.2}}\n"
                   "forces: {push: {type: force, at: cart, force: [late.y, 0, 0]}}\n",
             of[k]);
    arrives(text, 1, 1 + 0.1 * sqrt(3.14159265358979323846) * (1 - 0.7037), true);
  }
}

// An event sees a bell that comes and goes between two steps: at half its height on the way up.
static void events_see_short_pulses(void **state) {
  const double t = 0.7037 - 0.001 * sqrt(log(2));
  arrives(GOING "held: {u: 0}\nblocks: {late: {type: delay, input: \"exp(-((dx(cart) - 0.5037)/0.001)^2)*100\", time: "
                "0.2}}\n"
                "events: {seen: {when: late.y > 50, set: {u: 1}}}\n"
                "forces: {push: {type: force, at: cart, force: [u, 0, 0]}}\n",
          1, 1 + (1 - t) * (1 - t) / 2, true);
}

// Delays of delays: a break comes out of both ways round at one time, softly by one and as a jump by the other.
static void breaks_that_come_together(void **state) {
  double first = 0;
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = driven_default(FLY_DYNAMICS, 1.5, 1.5);
    d.options.method.name = METHODS[k];
    d.options.error = 1e-5;
    drive(&d,
          GOING "blocks:\n  a: {type: delay, input: dx(cart) - 1, time: 0.1632}\n"
                "  b: {type: delay, input: a.y + vx(cart), time: 0.3917}\n"
                "forces: {push: {type: force, at: cart, force: [a.y + b.y - 0.2*vx(cart), 0, 0]}}\n",
          "cart.x");
    assert_ok(d.status, &d.error);
    say("%s: %ld steps rejected\n", METHODS[k], fly_run_stats(d.run).rejected_error);
    assert_true(fly_run_stats(d.run).rejected_error <= (k < 2 ? 2 : 5)); // by Adams' formulas, which auto takes here
    first = k == 0 ? row_of(&d, 1)[1] : first;
    assert_close(row_of(&d, 1)[1], first, 1e-4);
    driven_free(&d);
  }
}

// x'' = -30 clamp(x(t - 0.1)) - v/2: Runge and Kutta's rule in steps that end where the delay does, extrapolated.
static double clamped(int n) {
  const double h = 1.0 / n;
  double *late = calloc((size_t)(3 * n) + 2, sizeof *late), x = 0.5, v = 0;
  assert_non_null(late);
  for (int i = 0; i < 3 * n; i++) {
    late[i] = fmax(-0.1, fmin(0.1, x));
    const double a = i < n / 10 ? 0.1 : late[i - n / 10], b = i + 1 < n / 10 ? 0.1 : late[i + 1 - n / 10];
    const double k1 = -30 * a - v / 2, k2 = -15 * (a + b) - (v + h / 2 * k1) / 2;
    const double k3 = -15 * (a + b) - (v + h / 2 * k2) / 2, k4 = -30 * b - (v + h * k3) / 2;
    x += h * (v + h / 6 * (k1 + k2 + k3));
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  free(late);
  return x;
}

static void feedback_that_saturates(void **state) {
  static const char text[] =
      RUN_BEGINS "blocks: {late: {type: delay, input: \"clamp(dx(cart), -0.1, 0.1)\", time: 0.1, "
                 "start: 0.1}}\n"
                 "forces: {push: {type: force, at: cart, force: [-30*late.y - 0.5*vx(cart), 0, 0]}}\n";
  arrives(text, 3, clamped(80000), false);
}

// A blow that comes again is seen by an event when it does: for ch too.
static void blows_come_again(void **state) {
  arrives(GOING "held: {u: 0}\nblocks: {late: {type: delay, input: vx(cart), time: 0.2, start: 1}}\n"
                "events:\n  blow: {at: 0.31, velocity: {cart.vx: 2}}\n"
                "  seen: {when: \"late.y > 1.5\", set: {u: 1}}\n"
                "forces: {push: {type: force, at: cart, force: [u, 0, 0]}}\n",
          1, 0.31 + 2 * 0.69 + 0.49 * 0.49 / 2, true);
}

// Samples of 1 kHz beside a delay: two breaks a millisecond at most, and no step is rejected for them.
static void samples_beside_a_delay(void **state) {
  static const double time[] = {0.035, 0.0353};
  for (int k = 0; k < 2; k++) {
    char text[1000];
    driven d = driven_default(FLY_DYNAMICS, 0.5, 0.1);
    snprintf(text, sizeof text,
             RUN_BEGINS "held: {u: 0}\nblocks: {seen: {type: delay, input: \"sin(dx(cart))\", time: %g}}\n"
                        "events: {sample: {every: 0.001, set: {u: \"-90*seen.y - 20*vx(cart)\"}}}\n"
                        "forces: {motor: {type: force, at: cart, force: [u, 0, 0]}}\n",
             time[k]);
    d.options.method.name = "radau";
    d.options.error = 1e-6;
    d.options.estimate_error = "no";
    drive(&d, text, "cart.x");
    assert_ok(d.status, &d.error);
    const fly_stats stats = fly_run_stats(d.run);
    say("delay of %g s: %ld steps, %ld rejected, the smallest %.1e\n", time[k], stats.steps, stats.rejected_error,
        stats.h_min);
    assert_true(stats.steps <= 1010 && stats.rejected_error <= 5 && stats.h_min > 1e-5);
    driven_free(&d);
  }
}

// ------------------------------------------------------------------------------------------ refused

static void what_is_refused(void **state) {
  static const char x[] =
      "states: {x: {rate: -late.y, start: 1}}\nblocks: {late: {type: delay, input: x, time: 0.1%s}}\n";
  static const struct {
    const char *more, *method, *says;
    double step;
  } list[] = {{", room: 10", "ch", "would have to remember more than 10 steps", NAN},
              {", pade: 2.5", "ch", "'pade' takes a whole number", NAN},
              {", pade: 11", "ch", "'pade' must be between 1 and 10", NAN}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    char text[1000], full[1500];
    driven d = driven_default(FLY_DYNAMICS, 2, 0.5);
    snprintf(text, sizeof text, x, list[k].more);
    snprintf(full, sizeof full, RUN_BEGINS "inputs: {u: 1}\n%s", text);
    d.options.step = list[k].step;
    if (isnan(list[k].step))
      d.options.error = 1e-8;
    drive(&d, full, "");
    if (d.status == FLY_OK || !strstr(d.error.message, list[k].says))
      fail_msg("%s: %s", list[k].more, d.error.message);
    driven_free(&d);
  }
}

// Fixed steps that are longer than the delay are cut.
static void long_steps_are_cut(void **state) {
  static const char text[] = RUN_BEGINS "states: {x: {rate: -late.y, start: 1}}\n"
                                        "blocks: {late: {type: delay, input: x, time: 0.125, start: 1}}\n";
  driven d = driven_default(FLY_DYNAMICS, 1, 0.125);
  d.options.step = 0.5;
  d.options.estimate_error = "no";
  d.options.method.name = "radau";
  drive(&d, text, "x");
  assert_ok(d.status, &d.error);
  assert_true(fly_run_stats(d.run).steps >= 8);
  assert_close(row_of(&d, 1)[1], 1 - 0.125, 1e-12);
  assert_close(row_of(&d, 2)[1], 1 - 0.25 + 0.125 * 0.125 / 2, 1e-12);
  driven_free(&d);
}

static void other_analyses_say_so(void **state) {
  static const char text[] = RUN_BEGINS "blocks: {late: {type: delay, input: dx(cart), time: 0.1}}\n"
                                        "motions: {drive: {from: ground, to: cart, direction: x, displacement: 0.5}}\n";
  driven d = driven_default(FLY_KINEMATICS, 1, 0.5);
  drive(&d, text, "");
  assert_int_equal(d.status, FLY_BAD_INPUT);
  assert_non_null(strstr(d.error.message, "The delay `late` remembers"));
  driven_free(&d);
  driven e = driven_default(FLY_DYNAMICS, 1, 0.5);
  e.options.start = "equilibrium";
  drive(&e, text, "");
  assert_int_equal(e.status, FLY_BAD_INPUT);
  assert_non_null(strstr(e.error.message, "an equilibrium has no past"));
  driven_free(&e);
}

static void times_that_no_run_can_tell_are_refused(void **state) {
  static const char cart[] = "flyball: 1\nbodies:\n  a: {type: point, mass: 1}\n";
  static const struct {
    const char *more, *says;
  } list[] = {{"blocks: {d: {type: delay, input: dx(a), time: 1e-300}}\nvariables: {y: d.y}\n", "`time` is 1e-300 s"},
              {"held: {n: 0}\nevents: {e: {every: 1e-300, set: {n: n + 1}}}\n", "`every` is 1e-300 s"}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    char text[500];
    driven d = driven_default(FLY_DYNAMICS, 1, 0.1);
    snprintf(text, sizeof text, "%s%s", cart, list[k].more);
    drive(&d, text, "");
    assert_int_equal(d.status, FLY_BAD_INPUT);
    assert_non_null(strstr(d.error.message, list[k].says));
    driven_free(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_method_of_steps),
      cmocka_unit_test(jumps_come_again),
      cmocka_unit_test(feedback_of_a_cart),
      cmocka_unit_test(pade),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(samples_and_delays_that_meet),
      cmocka_unit_test(long_steps_are_cut),
      cmocka_unit_test(other_analyses_say_so),
      cmocka_unit_test(inputs_that_jump_with_the_motion),
      cmocka_unit_test(inputs_that_bend_with_the_motion),
      cmocka_unit_test(short_pulses_come_again),
      cmocka_unit_test(events_see_short_pulses),
      cmocka_unit_test(breaks_that_come_together),
      cmocka_unit_test(feedback_that_saturates),
      cmocka_unit_test(blows_come_again),
      cmocka_unit_test(samples_beside_a_delay),
      cmocka_unit_test(times_that_no_run_can_tell_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
