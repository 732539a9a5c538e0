// Loops opened at a variable: margins against closed forms, of models with and without bodies, delays, unstable plants.
//
// labels: blas
#include "base/check.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "analysis/opened.h"
#include "flyball/modes.h"
#include "support/motion.h"

static const double TAU = 6.283185307179586476925;

typedef struct opened {
  fly_mechanism *mechanism;
  fly_modes *m;
  const fly_loop *l;
  fly_status status;
  fly_error error;
} opened;

static opened open_with(const char *text, const char *variable, bool anyway, int nset, const char *const *set) {
  opened r = {0};
  fly_modes_options o = fly_modes_options_default();
  o.loop = variable;
  o.anyway = anyway;
  assert_ok(fly_mechanism_parse(&r.mechanism, "text", text, strlen(text), nset, set, &r.error), &r.error);
  r.status = fly_modes_create(&r.m, r.mechanism, &o, &r.error);
  r.l = fly_modes_loop(r.m);
  return r;
}

static opened open_at(const char *text, const char *variable) {
  opened r = open_with(text, variable, false, 0, NULL);
  assert_ok(r.status, &r.error);
  return r;
}

static opened open_set(const char *text, const char *variable, const char *set) {
  opened r = open_with(text, variable, false, 1, &set);
  assert_ok(r.status, &r.error);
  return r;
}

static void close_loop(opened *r) {
  fly_modes_free(r->m);
  fly_mechanism_free(r->mechanism);
}

static bool is_stable(const fly_loop *l) { return l->closed_unstable == 0 && l->closed_axis == l->closed_untouched; }

// ------------------------------------------------------------------------------------------ states alone

// L = K/(s + 1)^3: real at sqrt(3), where |L| = K/8.
#define LAG                                                                                                            \
  "{flyball: 1, parameters: {K: 4}, states: {a: {rate: u - a}, b: {rate: a - b}, c: {rate: b - c}}, variables: {u: "   \
  "-K*c}}"

static void test_lag(void **state) {
  opened r = open_at(LAG, "u");
  const double crossover = sqrt(pow(4, 2.0 / 3) - 1);
  assert_near(r.l->gain_up, 2, 1e-12);
  assert_near(r.l->gain_up_at, sqrt(3), 1e-12);
  assert_true(isnan(r.l->gain_down_at) && r.l->gain_down == 0);
  assert_int_equal(r.l->ncrossover, 1);
  assert_near(r.l->crossover[0].frequency, crossover, 1e-12);
  assert_near(r.l->phase, 180 - 3 * atan(crossover) * 360 / TAU, 1e-10);
  assert_near(r.l->delay, r.l->phase / 360 * TAU / crossover, 1e-12);
  assert_true(is_stable(r.l));
  assert_int_equal(r.l->open_unstable, 0);
  assert_int_equal(r.l->open_axis, 0); // of three equal poles each is known badly, but not so badly
  assert_int_equal(r.l->encirclements, 0);
  const double complex pole = -1 + cbrt(4) * cexp(fly_complex(0, TAU / 6));
  assert_near(r.l->rightmost, creal(pole), 1e-10);
  assert_near(r.l->rightmost_imag, cimag(pole), 1e-10);
  close_loop(&r);
  r = open_set(LAG, "u", "K=1"); // |1 + L|^2 is least at w^2 = 5/4: 1 - 2 Re ... = (7/9)^2
  assert_near(r.l->gain_up, 8, 1e-12);
  assert_near(r.l->peak, 9.0 / 7, 1e-10);
  assert_near(r.l->peak_at, sqrt(1.25), 1e-6);
  assert_true(isnan(r.l->phase_at) && isinf(r.l->delay));
  close_loop(&r);
  r = open_set(LAG, "u", "K=27");
  assert_int_equal(r.l->closed_unstable, 2);
  assert_int_equal(r.l->encirclements, -2);
  assert_near(r.l->gain_down, 8.0 / 27, 1e-12);
  assert_true(r.l->phase < 0);
  close_loop(&r);
}

// Integral and dead time, L = K exp(-s T)/s: real at pi/(2 T).
#define DEAD_TIME                                                                                                      \
  "{flyball: 1, parameters: {K: 1, T: 0.5}, states: {x: {rate: u}}, blocks: {d: {type: delay, input: x, time: T}}, "   \
  "variables: {u: -K*d.y}}"

static void test_dead_time(void **state) {
  static const char *const at[] = {"u", "d", "d.y"};
  for (int k = 0; k < 3; k++) {
    opened r = open_at(DEAD_TIME, at[k]);
    assert_near(r.l->gain_up, TAU / 2, 1e-12);
    assert_near(r.l->gain_up_at, TAU / 2, 1e-12);
    assert_near(r.l->phase, 90 - 0.5 * 360 / TAU, 1e-10);
    assert_near(r.l->phase_at, 1, 1e-12);
    assert_near(r.l->delay, TAU / 4 - 0.5, 1e-12);
    assert_true(is_stable(r.l));
    // s + exp(-s/2) = 0
    const double complex s = fly_complex(r.l->rightmost, r.l->rightmost_imag);
    assert_true(cabs(s + cexp(-s / 2)) < 1e-10);
    assert_near(r.l->rightmost, -1.58805, 1e-5);
    close_loop(&r);
  }
  opened r = open_set(DEAD_TIME, "u", "K=3.1"); // stable up to pi
  assert_true(is_stable(r.l));
  close_loop(&r);
  r = open_set(DEAD_TIME, "u", "K=3.2");
  assert_int_equal(r.l->closed_unstable, 2);
  close_loop(&r);
  r = open_set(DEAD_TIME, "u", "K=20"); // s = i w: w = pi/2/T (1 + 4 k): 3.14 and 15.7 have passed
  assert_int_equal(r.l->closed_unstable, 4);
  close_loop(&r);
}

// An unstable plant: L = K (s + 3)/(s (s - 1)) = (K s + 3 K)/(s^2 - s), closed s^2 + (K - 1) s + 3 K: a gain above 1
// holds it, so K = 4 may fall to 1/4. L is real at w^2 = 3: K (3 + i w)/(-w^2 - i w).
static void test_unstable_plant(void **state) {
  opened r = open_at("{flyball: 1, states: {x: {rate: y}, y: {rate: y + u}}, variables: {u: -4*(y + 3*x)}}", "u");
  assert_int_equal(r.l->open_unstable, 1);
  assert_int_equal(r.l->open_axis, 1);
  assert_int_equal(r.l->encirclements, 1);
  assert_true(is_stable(r.l));
  assert_near(r.l->gain_down, 0.25, 1e-12);
  assert_near(r.l->gain_down_at, sqrt(3), 1e-12);
  assert_true(isinf(r.l->gain_up));
  close_loop(&r);
}

// Several crossovers: a lightly damped resonance behind an integral. The worst is told.
static void test_several(void **state) {
  opened r = open_at("{flyball: 1, states: {i: {rate: 0.3*u}, x: {rate: v}, v: {rate: 25*(i - x) - 0.5*v}}, variables: "
                     "{u: -x}}",
                     "u");
  assert_int_equal(r.l->ncrossover, 1);
  close_loop(&r);
  r = open_at("{flyball: 1, states: {i: {rate: 0.3*u}, x: {rate: v}, v: {rate: 25*(i - x) - 0.05*v}}, variables: {u: "
              "-x}}",
              "u");
  assert_int_equal(r.l->ncrossover, 3);
  assert_int_equal(r.l->closed_unstable, 2);
  // Im L = 0 where w^2 = 25 - of (s^2 + 0.05 s + 25) s: at w = 5, L = -0.3*25/(0.05*25)
  assert_int_equal(r.l->nreal, 1);
  assert_near(r.l->real[0].frequency, 5, 1e-10);
  assert_near(r.l->real[0].gain, 6, 1e-8);
  assert_near(r.l->gain_down, 1.0 / 6, 1e-8);
  assert_true(fabs(r.l->phase) < 90);
  close_loop(&r);
}

// An algebraic way round counts too: L = K/(s + 1) + 0.5, and L = -0.5 everywhere.
static void test_at_once(void **state) {
  opened r = open_at("{flyball: 1, states: {x: {rate: u - x}}, variables: {u: -3*x - 0.5*u}}", "u");
  assert_near(r.l->phase_at, sqrt((3.5 * 3.5 - 1) / 0.75), 1e-10);
  assert_near(r.l->rightmost, -3, 1e-12);
  close_loop(&r);
  r = open_at("{flyball: 1, states: {x: {rate: -x}}, variables: {u: '0.5*u'}}", "u");
  assert_near(r.l->gain_up, 2, 1e-12);
  close_loop(&r);
}

// ------------------------------------------------------------------------------------------ with bodies

#define CART(force, more)                                                                                              \
  "{flyball: 1, gravity: [0, 0, 0], bodies: {m: {type: point, mass: 2}}, joints: {r: {type: in-line, bodies: "         \
  "[ground, m], at: [0, 0, 0], axis: [1, 0, 0]}}, forces: {f: {type: force, at: m, force: [u, 0, 0]}}, variables: "    \
  "{u: '" force "'}" more "}"

// A double integral with PD: L = (c s + k)/(m s^2).
static void test_cart(void **state) {
  opened r = open_at(CART("-8*dx(m) - 4*vx(m)", ""), "u");
  const double w = sqrt(2 + sqrt(20)); // w^4 = 4 w^2 + 16
  assert_int_equal(r.l->open_axis, 2);
  assert_near(r.l->phase_at, w, 1e-10);
  assert_near(r.l->phase, atan(w / 2) * 360 / TAU, 1e-8);
  assert_true(isinf(r.l->gain_up) && r.l->gain_down == 0);
  assert_true(is_stable(r.l));
  close_loop(&r);
}

// Feedback of its own acceleration: L = a/m at all frequencies beside that, and y sees through the loop.
static void test_acceleration(void **state) {
  opened r = open_at(CART("-8*dx(m) - 4*vx(m) - 1*accx(m)", ""), "u");
  const double complex s = fly_complex(0, r.l->phase_at), L = (s * s + 4 * s + 8) / (2 * s * s);
  assert_near(cabs(L), 1, 1e-10);
  assert_near(r.l->phase, carg(-L) * 360 / TAU, 1e-8);
  assert_near(r.l->re[r.l->count - 1], 0.5, 1e-4);
  close_loop(&r);
}

// A delay inside of another loop, which stays closed: u sees 2/(s (s + 2 exp(-0.3 s))).
static double complex inner(double complex s) { return 2 / (s * (s + 2 * cexp(-0.3 * s))); }

static void test_inner_delay(void **state) {
  opened r =
      open_at("{flyball: 1, states: {x: {rate: v}, v: {rate: u - 2*d.y}}, blocks: {d: {type: delay, input: v, time: "
              "0.3}}, variables: {u: -2*x}}",
              "u");
  for (int k = 0; k < r.l->count; k++) {
    const double complex L = inner(fly_complex(0, r.l->frequency[k])), mine = fly_complex(r.l->re[k], r.l->im[k]);
    assert_true(cabs(mine - L) < 1e-10 * cabs(L));
  }
  assert_true(is_stable(r.l));
  assert_int_equal(r.l->open_axis, 1);
  assert_near(r.l->real[0].gain, cabs(inner(fly_complex(0, r.l->real[0].frequency))), 1e-10);
  assert_near(r.l->gain_up, 1 / r.l->real[0].gain, 1e-12);
  const double complex s = fly_complex(r.l->rightmost, r.l->rightmost_imag);
  assert_true(cabs(1 + inner(s)) < 1e-8);
  close_loop(&r);
}

// What is free and goes round nowhere is told from what the loop leaves on the axis.
static void test_untouched(void **state) {
  opened r =
      open_at("{flyball: 1, gravity: [0, 0, 0], bodies: {m: {type: point, mass: 2}}, forces: {f: {type: force, at: "
              "m, force: [u, 0, 0]}}, variables: {u: -3*vx(m)}}",
              "u");
  assert_true(is_stable(r.l));
  assert_int_equal(r.l->closed_axis, 5);
  assert_int_equal(r.l->closed_untouched, 5);
  assert_near(r.l->rightmost, -1.5, 1e-10);
  close_loop(&r);
  r = open_at(CART("-8*dx(m)", ""), "u"); // it swings for ever
  assert_false(is_stable(r.l));
  assert_int_equal(r.l->closed_axis, 2);
  assert_int_equal(r.l->closed_untouched, 0);
  close_loop(&r);
}

// A PD controller of a cart that is sampled every T = 10 ms and held: refused, with what to do instead. A delay of T/2
// has its margin: of the sampled loop L(z) = (k x + c v), (z - 1) v = T, (z - 1) x = T v + T^2/2, it is 24.990 degrees.
static void test_samples(void **state) {
  static const char sampled[] = "flyball: 1\nbodies: {m: {type: point, mass: 1}}\njoints: {r: {type: in-line, bodies: "
                                "[ground, m], at: [0, 0, 0], "
                                "axis: [1, 0, 0]}}\nvariables: {out: -100*dx(m) - 5*vx(m)}\n";
  char text[1000];
  snprintf(
      text, sizeof text,
      "%sheld: {u: 0}\nevents:\n  sample: {every: 0.01, set: {u: out}}\nforces: {f: {type: force, at: m, force: [u, "
      "0, 0]}}\n",
      sampled);
  static const char *const names[] = {"out", "u"};
  for (int k = 0; k < 2; k++) {
    opened r = open_with(text, names[k], false, 0, NULL);
    assert_int_equal(r.status, FLY_BAD_INPUT);
    assert_says(&r.error, "text:7:3: `sample` sets");
    assert_says(&r.error, "every 0.01 s");
    assert_says(&r.error, "a `delay` of half that, 0.005 s");
    close_loop(&r);
  }
  snprintf(
      text, sizeof text,
      "%sblocks: {d: {type: delay, input: out, time: 0.005}}\nforces: {f: {type: force, at: m, force: [d.y, 0, 0]}}\n",
      sampled);
  opened r = open_at(text, "d");
  assert_near(r.l->phase, 24.990, 0.03);
  close_loop(&r);
}

// ------------------------------------------------------------------------------------------ refusals

static void refused(const char *text, const char *variable, const char *why) {
  opened r = open_with(text, variable, false, 0, NULL);
  assert_int_equal(r.status, FLY_BAD_INPUT);
  assert_null(r.m);
  assert_says(&r.error, why);
  close_loop(&r);
}

static void test_refusals(void **state) {
  const char *cart = CART("-dx(m)", "");
  refused(cart, "uu", "There is no variable `uu` to open a loop at; did you mean `u`?");
  refused(cart, "somewhere", "There is no variable `somewhere` to open a loop at. It can be opened at `u`.");
  refused(LAG, "a", "`a` is in `states`");
  refused("{flyball: 1, states: {x: {rate: -x}}}", "u", "The model has no variables at all");
  refused("{flyball: 1, states: {x: {rate: -x}}, variables: {u: 2*x}}", "u", "no expression uses it");
  refused("{flyball: 1, states: {x: {rate: u - x}}, variables: {u: sin(time)}}", "u", "nothing but time");
  refused("{flyball: 1, states: {x: {rate: u}, z: {rate: -z}}, variables: {u: z}}", "u",
          "a small change of it changes nothing that it depends on");
  refused("{flyball: 1, states: {x: {rate: u, start: 1}}, variables: {u: 'clamp(-9*x, -0, 0.5)'}}", "u",
          "If it is at a limit");
  refused(
      "{flyball: 1, held: {z: 0}, states: {x: {rate: z - x}}, variables: {u: -x}, events: {e: {every: 0.1, set: {z: "
      "u}}}}",
      "u", "through samples is not seen");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lag),          cmocka_unit_test(test_dead_time),   cmocka_unit_test(test_unstable_plant),
      cmocka_unit_test(test_several),      cmocka_unit_test(test_at_once),     cmocka_unit_test(test_cart),
      cmocka_unit_test(test_acceleration), cmocka_unit_test(test_inner_delay), cmocka_unit_test(test_untouched),
      cmocka_unit_test(test_samples),      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
