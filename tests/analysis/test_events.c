// Events of models: conditions and times, what they set, blows, and how a run ends by one. Against closed forms.
#include "analysis/runs.h"

static const char *const METHODS[] = {"ch", "radau", "partition", "hht", "hybrid", "auto"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

// ---------------------------------------------------------------------------------------------- blows

static const char ball[] = "flyball: 1\ngravity: [0, 0, -9.81]\n"
                           "bodies:\n  ball: {type: point, mass: 2, position: [0, 0, 1]}\n"
                           "events:\n  hit: {when: \"dz(ball) < 0\", velocity: {ball.vz: -0.8*vz(ball)}}\n";

static double height(double t) {
  double v = sqrt(2 * 9.81), at = v / 9.81;
  if (t < at)
    return 1 - 9.81 / 2 * t * t;
  for (v *= 0.8; at + 2 * v / 9.81 < t; v *= 0.8)
    at += 2 * v / 9.81;
  return (t - at) * (v - 9.81 / 2 * (t - at));
}

static void a_ball_bounces(void **state) {
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(ball, METHODS[k], 1e-7, 3, 0.01, "ball.z energy.balance");
    for (long i = 0; i < d.rows; i++) {
      assert_close(row_of(&d, i)[1], height(row_of(&d, i)[0]), 1e-6);
      assert_close(row_of(&d, i)[2], 0, 1e-5);
    }
    assert_int_equal(told(&d, "hit").count, 6);
    assert_close(fly_run_ledger(d.run).events, -2 * 9.81 * (1 - pow(0.64, 6)), 1e-5);
    driven_free(&d);
  }
}

// Two masses on a rail, tied together: a blow on one is shared by both.
static void a_blow_keeps_the_constraints(void **state) {
  static const char text[] =
      "flyball: 1\nbodies:\n  a: {type: point, mass: 1}\n  b: {type: point, mass: 3, position: [1, 0, 0]}\n"
      "joints:\n  rail: {type: in-line, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
      "  rail2: {type: in-line, bodies: [ground, b], at: [1, 0, 0], axis: [1, 0, 0]}\n"
      "  rod: {type: distance, from: a, to: b}\n"
      "events:\n  blow: {at: 0.5, velocity: {a.vx: 8}}\n";
  for (int k = 0; k < 3; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 1, 0.25, "a.x b.vx");
    assert_close(row_of(&d, 4)[1], 0.5 * 2, 1e-6); // 8 kg m/s on 4 kg
    assert_close(row_of(&d, 4)[2], 2, 1e-6);
    driven_free(&d);
  }
}

// ---------------------------------------------------------------------------------------------- held numbers

static const char relay[] = "flyball: 1\nbodies:\n  cart: {type: point, mass: 1, position: [1, 0, 0]}\n"
                            "joints:\n  rail: {type: in-line, bodies: [ground, cart], at: [1, 0, 0], axis: [1, 0, 0]}\n"
                            "held: {mode: 1}\nvariables: {push: -0.3*mode}\n"
                            "forces:\n  relay: {type: force, at: cart, force: [push - dx(cart), 0, 0]}\n"
                            "events:\n  right: {when: \"dx(cart) > 0\", set: {mode: 1}}\n"
                            "  left: {when: \"not (dx(cart) >= 0)\", set: {mode: -1}}\n";

// Arcs about -0.3 mode, which change where x = 0.
static double relay_at(double t) {
  double from = acos(0.3 / 1.3), v = -1.3 * sin(from);
  if (t < from)
    return 1.3 * cos(t) - 0.3;
  for (double side = -1;; side = -side) {
    const double radius = hypot(0.3, v), length = 2 * atan2(fabs(v), 0.3);
    (void)radius;
    if (t < from + length)
      return side * (0.3 * cos(t - from) + fabs(v) * sin(t - from) - 0.3);
    from += length;
  }
}

static void a_relay_swings(void **state) {
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(relay, METHODS[k], 1e-7, 6, 0.05, "cart.x mode push");
    for (long i = 0; i < d.rows; i++) {
      const double *row = row_of(&d, i), x = relay_at(row[0]);
      assert_close(row[1], x, 1e-6);
      if (fabs(x) > 1e-3 && i > 0) { // what is written of a step is what held in it
        assert_close(row[2], x > 0 ? 1 : -1, 0);
        assert_close(row[3], -0.3 * row[2], 0);
      }
    }
    driven_free(&d);
  }
}

// A sampled velocity feedback x'' = -u, u = x + x' as it was at the last multiple of 0.1: parabolas.
static void a_sampled_controller(void **state) {
  static const char text[] =
      "flyball: 1\nbodies:\n  cart: {type: point, mass: 1, position: [1, 0, 0]}\n"
      "joints:\n  rail: {type: in-line, bodies: [ground, cart], at: [1, 0, 0], axis: [1, 0, 0]}\n"
      "held: {u: 0}\nforces:\n  push: {type: force, at: cart, force: [-u, 0, 0]}\n"
      "events:\n  sample: {every: 0.1, set: {u: dx(cart) + vx(cart)}}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-7, 5, 0.05, "cart.x cart.vx u");
    double x = 1, v = 0;
    for (int i = 0; i < 50; i++) {
      const double u = x + v, *row = row_of(&d, 2 * i + 1);
      assert_close(row[0], 0.1 * i + 0.05, 1e-12);
      assert_close(row[1], x + 0.05 * v - u * 0.05 * 0.05 / 2, 1e-10);
      assert_close(row[3], u, 1e-10);
      x += 0.1 * v - u * 0.1 * 0.1 / 2;
      v -= 0.1 * u;
    }
    assert_int_equal(told(&d, "sample").count, 51);
    driven_free(&d);
  }
}

// A peak that is passed inside one long step: x = sin t is above 0.98 for 0.4 of 6.28 s.
static void peaks_are_counted(void **state) {
  static const char text[] =
      "flyball: 1\nbodies:\n  cart: {type: point, mass: 1, position: [0, 0, 0], velocity: [1, 0, 0]}\n"
      "held: {peaks: 0}\nforces:\n  spring: {type: force, at: cart, force: [-dx(cart), 0, 0]}\n"
      "events:\n  peak: {when: \"dx(cart) > 0.98\", set: {peaks: peaks + 1}}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-3, 60, 1, "peaks cart.x");
    assert_close(row_of(&d, d.rows - 1)[1], 10, 0);
    driven_free(&d);
  }
}

// States are set too; all right sides see what was before.
static void states_are_reset(void **state) {
  static const char text[] = "flyball: 1\nbodies:\n  b: {type: point, mass: 1}\nheld: {one: 1, two: 2}\n"
                             "states: {clock: {rate: 1}}\n"
                             "events:\n  swap: {every: 0.5, first: 0.25, set: {one: two, two: one, clock: -clock}}\n";
  driven d = run_well(text, "radau", 1e-6, 2, 0.25, "one two clock");
  const double s[] = {0, 0.25, 0, 0.25, 0, 0.25, 0, 0.25, 0};
  for (int i = 0; i < 9; i++) {
    const double *row = row_of(&d, i);
    assert_close(row[3], s[i], 1e-9); // at the event: before it
    if (i % 2 == 0)
      assert_close(row[1], (i / 2) % 2 ? 2 : 1, 0);
    assert_close(row[1] + row[2], 3, 0);
  }
  driven_free(&d);
}

// ---------------------------------------------------------------------------------------------- one after another

// What one event sets makes another happen, at the same time.
static void events_set_each_other_off(void **state) {
  static const char text[] =
      "flyball: 1\nbodies:\n  b: {type: point, mass: 1, velocity: [1, 0, 0]}\nheld: {one: 0, two: 0}\n"
      "events:\n  first: {when: \"dx(b) > 1\", set: {one: 1}}\n"
      "  second: {when: \"one > 0.5\", set: {two: one + 1}}\n"
      "  third: {when: \"two > 1.5\", stop: \"yes\", message: that is all}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 3, 0.3, "one two");
    assert_true(told(&d, "third").ended);
    assert_string_equal(told(&d, "third").message, "that is all");
    assert_close(fly_run_time(d.run), 1, 1e-9);
    driven_free(&d);
  }
}

static void a_run_ends_by_an_event(void **state) {
  static const char text[] = "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n  b: {type: point, mass: 1}\n"
                             "events:\n  low: {when: dz(b) < -1, stop: \"yes\"}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 2, 0.1, "b.z b.vz");
    const double t = sqrt(2 / 9.81), *last = row_of(&d, d.rows - 1);
    assert_close(fly_run_time(d.run), t, 1e-8);
    assert_close(last[0], t, 1e-8);
    assert_close(last[1], -1, 1e-7);
    assert_close(last[2], -9.81 * t, 1e-6);
    driven_free(&d);
  }
}

static void a_storm_is_told(void **state) {
  static const char text[] = "flyball: 1\nbodies:\n  b: {type: point, mass: 1, velocity: [1, 0, 0]}\nheld: {on: 0}\n"
                             "events:\n  begin: {when: dx(b) > 1, set: {on: 1}}\n"
                             "  off: {when: on > 0.5, set: {on: 0}}\n  again: {when: on < 0.5, set: {on: 1}}\n";
  driven d = run(text, "ch", 1e-6, 3, 0.3, "b.x");
  assert_int_equal(d.status, FLY_NO_PROGRESS);
  assert_says(&d.error, "events set each other off");
  driven_free(&d);
}

// Infinitely many bounces by t = 9 sqrt(2/g), exactly: told there, and not first when the ball has fallen through.
static void a_ball_comes_to_rest(void **state) {
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run(ball, METHODS[k], 1e-6, 10, 0.1, "ball.z");
    assert_int_equal(d.status, FLY_NO_PROGRESS);
    assert_says(&d.error, "test:6:3: the event `hit` happens ever more often");
    assert_close(fly_run_time(d.run), 9 * sqrt(2 / 9.81), 1e-4);
    for (long i = 0; i < d.rows; i++)
      assert_true(row_of(&d, i)[1] > -1e-6);
    driven_free(&d);
  }
}

// A relay without hysteresis slides along its line: told, with the event.
static void a_sliding_relay(void **state) {
  static const char text[] = "flyball: 1\nbodies:\n  b: {type: point, mass: 1, position: [1, 0, 0]}\nheld: {u: -1}\n"
                             "forces:\n  push: {type: force, at: b, force: [u, 0, 0]}\n"
                             "events:\n  pos: {when: dx(b) + 0.5*vx(b) > 0, set: {u: -1}}\n"
                             "  neg: {when: dx(b) + 0.5*vx(b) < 0, set: {u: 1}}\n";
  for (int k = 0; k < 3; k++) {
    driven d = run(text, METHODS[k], 1e-5, 5, 0.1, "b.x");
    assert_int_equal(d.status, FLY_NO_PROGRESS);
    assert_says(&d.error, "slides along its condition");
    driven_free(&d);
  }
}

// ---------------------------------------------------------------------------------------------- edges

// At the start an event happens once, also where pilots start from there too; its row shows what was before.
static void at_the_start(void **state) {
  static const char text[] = "flyball: 1\nbodies:\n  b: {type: point, mass: 1, velocity: [1, 0, 0]}\nheld: {n: 1}\n"
                             "states: {x: {rate: 0, start: 1}}\n"
                             "events:\n  e: {at: 0, set: {n: 2*n + 1, x: 2*x}, velocity: {b.vx: 2*vx(b)}}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 1, 0.5, "n x b.vx");
    const double *first = row_of(&d, 0), *last = row_of(&d, 2);
    assert_true(first[1] == 1 && first[2] == 1 && first[3] == 1);
    assert_close(last[1], 3, 0);
    assert_close(last[2], 2, 1e-9);
    assert_close(last[3], 2, 1e-9);
    assert_int_equal(told(&d, "e").count, 1);
    driven_free(&d);
  }
}

// From exactly zero, to exactly zero, by steps of a stair, in a short window, and soon again.
static void thresholds(void **state) {
  static const char text[] =
      "flyball: 1\nbodies:\n  b: {type: point, mass: 1}\n  c: {type: point, mass: 1, velocity: [1, 0, 0]}\n"
      "held: {n: 0, rest: 0, on: 0, off: 0, three: 0, stair: 0, window: 0}\n"
      "states: {saw: {rate: 200}}\n"
      "forces:\n  push: {type: force, at: b, force: [\"if(time > 1, 1, 0)\", 0, 0]}\n"
      "events:\n  count: {every: 0.5, set: {n: \"if(n > 2.5, 0, n + 1)\"}}\n"
      "  starts: {when: vx(b) > 0, set: {rest: time}}\n  on: {when: n > 0, set: {on: on + 1}}\n"
      "  off: {when: n <= 0, set: {off: off + 1}}\n  three: {when: n == 3, set: {three: three + 1}}\n"
      "  stair: {when: floor(5*dx(c)) >= 3, set: {stair: time}}\n"
      "  window: {when: dx(c) > 2.505 and dx(c) < 2.515, set: {window: time}}\n"
      "  reset: {when: saw > 1, set: {saw: 0}}\n";
  for (int k = 0; k < 3; k++) {
    driven d = run_well(text, METHODS[k], 1e-5, 5, 0.5, "rest on off three stair window saw");
    const double *last = row_of(&d, d.rows - 1);
    assert_close(last[1], 1, 1e-4);
    assert_close(last[2], 3, 0); // n: 1 2 3 0 1 2 3 0 1 2
    assert_close(last[3], 2, 0);
    assert_close(last[4], 2, 0);
    assert_close(last[5], 0.6, 1e-6);
    assert_close(last[6], 2.505, 1e-6);
    assert_between(last[7], 0, 1.001);
    driven_free(&d);
  }
}

// So often that no number lies between two of its times: ended, with a word.
static void without_end(void **state) {
  static const char *const period[] = {"1e-300", "1e-17", "3e-14"};
  for (int i = 0; i < 3; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "flyball: 1\nbodies:\n  b: {type: point, mass: 1}\nheld: {n: 0}\n"
             "events:\n  e: {every: %s, first: 1, set: {n: n + 1}}\n",
             period[i]);
    driven d = run(text, "ch", 1e-6, 2, 0.5, "n");
    assert_true(d.status != FLY_OK);
    assert_true(d.error.message[0]);
    driven_free(&d);
  }
}

// Conditions that jump through zero where something in time does: a load comes at once, a motion has a corner.
static void conditions_that_jump(void **state) {
  static const struct {
    const char *text, *channel;
    double value;
  } cases[] = {
      {"flyball: 1\nbodies:\n  b: {type: point, mass: 1}\n"
       "joints:\n  bolt: {type: spherical, bodies: [ground, b], at: [0, 0, 0]}\n"
       "forces:\n  pull: {type: force, at: b, force: ['if(time > 0.31, 100, 0)', 0, 0]}\n"
       "events:\n  snap: {when: fm(bolt) > 60, set: {bolt.on: 0}}\n",
       "b.x", 50 * 0.69 * 0.69},
      {"flyball: 1\nbodies:\n  b: {type: point, mass: 1}\nheld: {u: 0}\n"
       "forces:\n  pull: {type: force, at: b, force: ['u + if(time > 0.31, 1, 0)', 0, 0]}\n"
       "events:\n  e: {when: accx(b) > 0.5, set: {u: 1}}\n",
       "b.x", 0.69 * 0.69},
      {"flyball: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\nheld: {u: 0}\n"
       "joints:\n  rail: {type: translational, bodies: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}\n"
       "motions:\n  m: {joint: rail, displacement: 'max(0, time - 0.31)'}\n"
       "events:\n  e: {when: vx(b) > 0.5, set: {u: 1}}\n",
       "u", 1},
  };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < METHOD_COUNT; k++) {
      driven d = run_well(cases[i].text, METHODS[k], 1e-6, 1, 0.25, cases[i].channel);
      assert_close(row_of(&d, d.rows - 1)[1], cases[i].value, 1e-6);
      driven_free(&d);
    }
}

// ---------------------------------------------------------------------------------------------- bad input

static void refused(const char *events, const char *says) {
  char text[1000];
  driven d = driven_default(FLY_DYNAMICS, 1, 0.1);
  snprintf(text, sizeof text, "flyball: 1\nbodies:\n  b: {type: point, mass: 1}\nheld: {u: 0}\nevents:\n  e: %s\n",
           events);
  drive(&d, text, "");
  assert_int_equal(d.status, FLY_BAD_INPUT);
  assert_says(&d.error, says);
  assert_says(&d.error, "test:6:");
  driven_free(&d);
}

static void bad_input(void **state) {
  refused("{set: {u: 1}}", "one of `when`, `at` and `every`");
  refused("{at: 1, every: 2, set: {u: 1}}", "more than one");
  refused("{at: 1, first: 2, set: {u: 1}}", "needs `every`");
  refused("{at: 1}", "nothing happens");
  refused("{at: 1, stop: \"yes\"}", "`end` in `simulate`");
  refused("{when: time > 1, set: {u: 1}}", "use `at` or `every`");
  refused("{at: 1, set: {w: 1}}", "no held number and no state `w`");
  refused("{at: 1, velocity: {b.wz: 1}}", "has no `wz`");
  refused("{at: 1, velocity: {c.vx: 1}}", "no velocity of a body");
  refused("{at: 1, set: 3}", "takes names and expressions");
  refused("{at: 1, set: {u: dx(c)}}", "there is no body 'c'");
  refused("{every: 0, set: {u: 1}}", "every");
}

// What an event sets to what it is already is over with that: it does not come back with the next event.
static void what_changes_nothing_is_over(void **state) {
  static const char text[] = "flyball: 1\nbodies: {point: {type: point, mass: 1}}\nheld: {n: 0}\n"
                             "states: {x: {rate: 1}}\n"
                             "events:\n  up: {when: x > 0.5, set: {n: 1}}\n  again: {at: 0.25, set: {n: n}}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-4, 1, 0.2, "n");
    assert_true(row_of(&d, 2)[1] == 0 && row_of(&d, 3)[1] == 1 && row_of(&d, 5)[1] == 1);
    driven_free(&d);
  }
}

// An input that jumps at the start moves it by a rounding.
static void what_happens_at_the_start_does(void **state) {
  static const char text[] = "flyball: 1\nbodies: {point: {type: point, mass: 1}}\nheld: {n: 0, k: 0}\n"
                             "states: {x: {rate: \"if(mod(time, 2) < 1, 1, -1)\"}}\n"
                             "events:\n  at: {at: 0, set: {n: 1}}\n  every: {every: 1, set: {k: k + 1}}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-4, 3.5, 0.5, "n k");
    assert_true(row_of(&d, 1)[1] == 1 && row_of(&d, 1)[2] == 1 && row_of(&d, 7)[2] == 4);
    driven_free(&d);
  }
}

// A condition that comes true where an input has a kink or jumps: steps end there, and the event happens.
static void kinks_do_not_hide_events(void **state) {
  static const char *const inputs[] = {"cos(time)", "min(cos(time), 0)", "abs(cos(time))*cos(time)",
                                       "if(time < pi/2, 1, -1)"};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
    for (int k = 0; k < METHOD_COUNT; k++) {
      char text[600];
      snprintf(text, sizeof text,
               "flyball: 1\nbodies: {point: {type: point, mass: 1}}\nheld: {n: 0, one: 1}\n"
               "states: {x: {rate: \"%s\"}, y: {rate: \"min(%s, 0)\"}}\n"
               "events: {turned: {when: \"one*(%s) < 0\", set: {n: n + 1}}}\n",
               inputs[i], inputs[i], inputs[i]);
      driven d = run_well(text, METHODS[k], 1e-4, 4, 1, "n");
      if (told(&d, "turned").count != 1)
        fail_msg("%s by %s: %ld times", inputs[i], METHODS[k], told(&d, "turned").count);
      assert_close(told(&d, "turned").last, 1.5707963267948966, 1e-6);
      driven_free(&d);
    }
}

// A pendulum falls through a height in every half swing of 0.9905 s (amplitude 90 degrees: K(1/2) sqrt(J/(m g s)) 2),
// six times in 6 s. Where a step is cut, it lies off its constraints, and being put back may move it above the height
// again.
static void a_pendulum_passes_once(void **state) {
  for (int k = 0; k < METHOD_COUNT; k++)
    for (int i = 0; i < 6; i++) {
      char text[600];
      snprintf(text, sizeof text,
               "flyball: 1\ngravity: [0, -9.81, 0]\n"
               "bodies:\n  bar: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
               "joints:\n  pin: {type: revolute, bodies: [ground, bar], at: [0, 0, 0]}\nheld: {n: 0}\n"
               "events:\n  height: {when: \"dy(bar) < %g\", set: {n: \"n + 1\"}}\n",
               -0.05 - 0.07 * i);
      driven d = run_well(text, METHODS[k], 1e-4, 6, 1, "n");
      if (told(&d, "height").count != 6)
        fail_msg("%s, %s: %ld times", METHODS[k], text, told(&d, "height").count);
      driven_free(&d);
    }
}

// One event sets off another, which sets off a third; each of them happens once a pass.
static void a_pass_with_followers_is_one(void **state) {
  for (int k = 0; k < METHOD_COUNT; k++)
    for (int i = 0; i < 4; i++) {
      char text[900];
      snprintf(text, sizeof text,
               "flyball: 1\ngravity: [0, -9.81, 0]\n"
               "bodies:\n  bar: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
               "joints:\n  pin: {type: revolute, bodies: [ground, bar], at: [0, 0, 0]}\nheld: {n: 0, last: 0}\n"
               "states: {sum: {rate: -0.1*sum, start: 0}}\n"
               "events:\n  height: {when: \"pin.angle < %g\", set: {sum: 1 + sum}}\n"
               "  follows: {when: \"sum > last + 0.5\", set: {last: sum, n: n + 1}}\n",
               -0.1 - 0.3 * i);
      driven d = run_well(text, METHODS[k], 1e-4, 6, 1, "n");
      if (told(&d, "height").count != 3 || told(&d, "follows").count != 3)
        fail_msg("%s, %s: %ld and %ld times", METHODS[k], text, told(&d, "height").count, told(&d, "follows").count);
      driven_free(&d);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_bounces),
      cmocka_unit_test(what_changes_nothing_is_over),
      cmocka_unit_test(what_happens_at_the_start_does),
      cmocka_unit_test(kinks_do_not_hide_events),
      cmocka_unit_test(a_blow_keeps_the_constraints),
      cmocka_unit_test(a_pendulum_passes_once),
      cmocka_unit_test(a_pass_with_followers_is_one),
      cmocka_unit_test(a_relay_swings),
      cmocka_unit_test(a_sampled_controller),
      cmocka_unit_test(states_are_reset),
      cmocka_unit_test(peaks_are_counted),
      cmocka_unit_test(events_set_each_other_off),
      cmocka_unit_test(a_run_ends_by_an_event),
      cmocka_unit_test(a_storm_is_told),
      cmocka_unit_test(a_ball_comes_to_rest),
      cmocka_unit_test(a_sliding_relay),
      cmocka_unit_test(at_the_start),
      cmocka_unit_test(thresholds),
      cmocka_unit_test(without_end),
      cmocka_unit_test(conditions_that_jump),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
