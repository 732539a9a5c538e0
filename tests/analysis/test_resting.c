// States that start at equilibrium: their rates vanish at the start, all else is as given.
#include "base/check.h"

#include "flyball/modes.h"
#include "flyball/run.h"
#include "support/motion.h"
#include <math.h>
#include <string.h>

typedef struct begun {
  fly_mechanism *m;
  fly_run *run;
  fly_status status;
  fly_error error;
  fly_dae_state at;
} begun;

static begun begin(const char *text) {
  begun b = {0};
  fly_run_options o = fly_run_options_default();
  o.end = 1;
  assert_ok(fly_mechanism_parse(&b.m, "text", text, strlen(text), 0, NULL, &b.error), &b.error);
  assert_ok(fly_run_create(&b.run, b.m, &o, &b.error), &b.error);
  b.status = fly_run_start(b.run, &b.error);
  if (b.status == FLY_OK)
    assert_ok(fly_run_read_state(b.run, &b.at, &b.error), &b.error);
  return b;
}

static void end(begun *b) {
  fly_run_free(b->run);
  fly_mechanism_free(b->m);
}

static void refused(const char *text, fly_status status, const char *why) {
  begun b = begin(text);
  assert_int_equal(b.status, status);
  assert_says(&b.error, why);
  end(&b);
}

// Alone, beside one that is given, and as a system; x^3 + x = 10 is 2.
static void rates_vanish(void **state) {
  begun b = begin("{flyball: 1, states: {a: {rate: 10 - a - a^3, start: equilibrium}, b: {rate: 3*a - b, start: "
                  "equilibrium}, c: {rate: a - c, start: 5}, d: {rate: c - d, start: equilibrium}}}");
  assert_ok(b.status, &b.error);
  const double x[] = {2, 6, 5, 5};
  for (int k = 0; k < 4; k++) {
    assert_near(b.at.x[k], x[k], 1e-14 * x[k]);
    assert_near(b.at.xdot[k], k == 2 ? -3 : 0, 1e-13);
  }
  end(&b);
  // neither rate moves its own state
  b = begin("{flyball: 1, states: {i: {rate: 1 - y, start: equilibrium}, y: {rate: 4*i - y, start: equilibrium}}}");
  assert_ok(b.status, &b.error);
  assert_near(b.at.x[0], 0.25, 1e-15);
  assert_near(b.at.x[1], 1, 1e-15);
  end(&b);
}

// A filter of the acceleration that its own force makes: p = 20 + a, 2 a = p - 2 g. Positions and velocities stay.
static void with_a_body(void **state) {
  begun b = begin("{flyball: 1, gravity: [0, 0, -9.81], bodies: {m: {type: point, mass: 2, position: [0, 0, 1], "
                  "velocity: [0, 0, 0.5]}}, states: {p: {rate: 100*(20 + accz(m) - p), start: equilibrium}, w: {rate: "
                  "vz(m) - w, start: equilibrium}}, forces: {f: {type: force, at: m, force: [0, 0, p]}}}");
  assert_ok(b.status, &b.error);
  const double p = 2 * (20 - 9.81);
  assert_near(b.at.x[0], p, 1e-13);
  assert_near(b.at.x[1], 0.5, 1e-15);
  assert_near(b.at.vdot[2], p / 2 - 9.81, 1e-13);
  assert_near(b.at.q[2], 1, 0);
  assert_near(b.at.v[2], 0.5, 0);
  assert_near(b.at.xdot[0], 0, 1e-11);
  end(&b);
  // 2 a = 4 p - 2 g: by way of the acceleration p moves its rate the other way
  b = begin("{flyball: 1, gravity: [0, 0, -9.81], bodies: {m: {type: point, mass: 2}}, states: {p: {rate: "
            "100*(20 + accz(m) - p), start: equilibrium}}, forces: {f: {type: force, at: m, force: [0, 0, 4*p]}}}");
  assert_ok(b.status, &b.error);
  assert_near(b.at.x[0], 9.81 - 20, 1e-13);
  end(&b);
}

// Given by an equation with its rate in it, by variables in a loop.
static void through_others(void **state) {
  begun b = begin("{flyball: 1, states: {a: {equation: 'rate(a)^3 + rate(a) + a - 5', start: equilibrium}}}");
  assert_ok(b.status, &b.error);
  assert_near(b.at.x[0], 5, 1e-14);
  end(&b);
  b = begin("{flyball: 1, states: {b: {rate: u - b, start: equilibrium}}, variables: {u: 0.5*u + 3}}");
  assert_ok(b.status, &b.error);
  assert_near(b.at.x[0], 6, 1e-14);
  end(&b);
}

static void what_has_none(void **state) {
  refused(
      "{flyball: 1, states: {i: {rate: 1 - y, start: equilibrium}, y: {rate: i - y, start: 0.2}}}", FLY_SINGULAR,
      "text:1:23: The state `i` is to start at equilibrium, but no value of it changes a rate that is to vanish: its "
      "own, `1 - y`, is 0.8");
  refused("{flyball: 1, states: {a: {rate: 1 - a - b, start: equilibrium}, b: {rate: 2 - 2*a - 2*b, start: "
          "equilibrium}}}",
          FLY_SINGULAR, "not told by their rates: `a`, `b`");
  refused(
      "{flyball: 1, states: {a: {rate: a^2 - a + 1, start: equilibrium}}}", FLY_NO_CONVERGENCE,
      "The state `a` is to start at equilibrium, and none was found: its rate, `a^2 - a + 1`, comes no nearer to 0");
}

// Where the whole model is to rest, an integral need not rest before it.
static void in_a_whole_that_rests(void **state) {
  const char *text = "{flyball: 1, simulate: {start: equilibrium}, states: {i: {rate: 1 - y, start: equilibrium}, y: "
                     "{rate: i - y, start: 0.2}}}";
  begun b = begin(text);
  assert_ok(b.status, &b.error);
  assert_near(b.at.x[0], 1, 1e-12);
  end(&b);
  fly_mechanism *m = NULL;
  fly_modes *modes = NULL;
  fly_error error = {0};
  fly_modes_options o = fly_modes_options_default();
  o.equilibrium = true;
  assert_ok(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_modes_create(&modes, m, &o, &error), &error);
  fly_modes_free(modes);
  fly_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_vanish),  cmocka_unit_test(with_a_body),           cmocka_unit_test(through_others),
      cmocka_unit_test(what_has_none), cmocka_unit_test(in_a_whole_that_rests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
