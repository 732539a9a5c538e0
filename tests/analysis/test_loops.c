// Variables that are rows of their own, because they depend on themselves or are large: what they do in a short stretch
// of the motion or of time is met, one whose solution ends there ends the run, and the words say which it is.
#include "analysis/driven.h"

static const char *const METHODS[] = {"ch", "radau", "partition"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

#define CART                                                                                                           \
  "flyball: 1\nbodies: {cart: {type: point, mass: 1, velocity: [1, 0, 0]}}\n"                                          \
  "joints: {rail: {type: in-line, bodies: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}}\n"                          \
  "forces: {push: {type: force, at: cart, force: [u, 0, 0]}}\n"

static driven run(const char *variables, const char *method, double error) {
  char full[6000];
  driven d = driven_default(FLY_DYNAMICS, 1, 0.1);
  snprintf(full, sizeof full, CART "%ssimulate: {end: 1, output: 0.1, method: %s, error: %g}\n", variables, method,
           error);
  drive(&d, full, "cart.x");
  return d;
}

// Right to ten times what was asked for, or not called so.
static void compare(const char *name, const char *variables, double error, double exact) {
  for (int i = 0; i < METHOD_COUNT; i++) {
    driven d = run(variables, METHODS[i], error);
    const double x = d.rows > 0 ? row_of(&d, d.rows - 1)[1] : (double)NAN;
    say("%-12s %-9s %.9f, off by %.1e (%s)\n", name, METHODS[i], x, x - exact, d.status ? d.error.message : "kept");
    if (d.status == FLY_OK)
      assert_true(fabs(x - exact) <= 10 * error);
    else
      assert_true(d.status == FLY_NOT_KEPT || d.status == FLY_STEP_TOO_SMALL);
    driven_free(&d);
  }
}

// ------------------------------------------------------------------------------------------ short stretches

// x'' = f(x) from 0 with the speed 1, f nothing outside of (a, b): v^2 = 1 + 2 W, by Simpson's rule in t(x).
static double bell(double x, double p) { return p * exp(-pow((x - 0.5037) / 0.001, 2)); }

static double behind_bell(double p) {
  enum { N = 20000 };
  const double a = 0.49, b = 0.52, d = (b - a) / N;
  double work = 0, time = a;
  for (int k = 0; k < N; k++) {
    const double x = a + k * d, half = d / 24 * (5 * bell(x, p) + 8 * bell(x + d / 2, p) - bell(x + d, p)),
                 whole = d / 6 * (bell(x, p) + 4 * bell(x + d / 2, p) + bell(x + d, p));
    time += d / 6 * (1 / sqrt(1 + 2 * work) + 4 / sqrt(1 + 2 * (work + half)) + 1 / sqrt(1 + 2 * (work + whole)));
    work += whole;
  }
  return b + sqrt(1 + 2 * work) * (1 - time);
}

// A constant force f between the two places.
static double behind_box(double f, double from, double to) {
  const double v = sqrt(1 + 2 * f * (to - from));
  return to + v * (1 - from - 2 * (to - from) / (1 + v));
}

static void bells_in_loops(void **state) {
  static const double gain[] = {0.1, -9, 0.9, 3};
  for (size_t k = 0; k < sizeof gain / sizeof *gain; k++) {
    char text[300];
    snprintf(text, sizeof text, "variables: {u: \"%g*u + %g*exp(-((dx(cart) - 0.5037)/0.001)^2)\"}\n", gain[k],
             90 * (1 - gain[k]));
    compare("bell", text, 1e-5, behind_bell(90));
  }
}

static void bells_in_chains(void **state) {
  compare("chain",
          "variables: {a: \"0.2*b + 94*exp(-((dx(cart) - 0.5037)/0.001)^2)\", b: 0.3*a, c: \"a - d\", d: 0.5*c,"
          " u: 1.5*c}\n",
          1e-5, behind_bell(100));
}

static void choices_in_loops(void **state) {
  compare("box", "variables: {u: \"0.1*u + if(dx(cart) > 0.5037 and dx(cart) < 0.5137, 20, 0)\"}\n", 1e-5,
          behind_box(20 / 0.9, 0.5037, 0.5137));
  const double half = 0.001 * sqrt(log(100 / 0.94 / 50));
  compare("felt by one",
          "variables: {a: \"0.2*b + 100*exp(-((dx(cart) - 0.5037)/0.001)^2)\", b: 0.3*a, u: \"if(a > 50, 200, 0)\"}\n",
          1e-4, behind_box(200, 0.5037 - half, 0.5037 + half));
}

static void times_in_loops(void **state) {
  const double faster = 200 / 0.9 * 0.0005;
  compare("in time", "variables: {u: \"0.1*u + if(time > 0.31 and time < 0.3105, 200, 0)\"}\n", 1e-6,
          0.31 + 0.0005 * (1 + faster / 2) + (1 - 0.3105) * (1 + faster));
}

static void bells_in_large_variables(void **state) {
  char text[5000] = "variables: {u: \"100*exp(-((dx(cart) - 0.5037)/0.001)^2)";
  for (int k = 1; k < 80; k++) {
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, " + 1e-9*sin(%d*dx(cart))", k);
  }
  strcat(text, "\"}\n");
  compare("large", text, 1e-5, behind_bell(100));
}

static void bells_in_rates(void **state) {
  compare("rate",
          "states: {clock: {start: 0, rate: 1}, p: {start: 0, rate: 2*w}}\n"
          "variables: {w: \"0.5*w + 100*exp(-((clock - 0.5037)/0.001)^2)\", u: p}\n",
          1e-5, 1 + 400 * 0.001 * sqrt(acos(-1.0)) * pow(1 - 0.5037, 2) / 2);
}

// ------------------------------------------------------------------------------------------ loops without a solution

// u = u^2 + 0.2 + 0.1 t has none behind t = 0.5: nothing is written there, and the loop is named.
static void a_solution_ends(void **state) {
  static const double ends[] = {0.503, 1};
  for (int i = 0; i <= METHOD_COUNT; i++) {
    char full[2000];
    const double end = ends[i / METHOD_COUNT];
    driven d = driven_default(FLY_DYNAMICS, end, 0.0005);
    snprintf(full, sizeof full,
             "flyball: 1\ngravity: [0, 0, -9.81]\nbodies: {cart: {type: point, mass: 2, position: [0.5, 0, 0]}}\n"
             "joints: {rail: {type: in-line, bodies: [ground, cart], at: [0.5, 0, 0], axis: [1, 0, 0]}}\n"
             "variables: {u: u^2 + 0.2 + 0.1*time}\nforces: {push: {type: force, at: cart, force: [u, 0, 0]}}\n"
             "simulate: {end: %g, output: 0.0005, method: %s, error: 1e-6}\n",
             end, METHODS[i % METHOD_COUNT]);
    drive(&d, full, "u");
    say("%-9s %s\n", METHODS[i % METHOD_COUNT], d.error.message);
    assert_true(d.status == FLY_NO_CONVERGENCE || d.status == FLY_SINGULAR || d.status == FLY_STEP_TOO_SMALL);
    assert_true(fabs(d.error.time - 0.5) < 1e-5);
    assert_non_null(strstr(d.error.message, "depend on themselves"));
    assert_non_null(strstr(d.error.message, "`u` (test:5:13)"));
    assert_null(strstr(d.error.message, "fly_dae_check"));
    for (long r = 0; r < d.rows; r++) {
      const double t = row_of(&d, r)[0], u = row_of(&d, r)[1];
      assert_true(fabs(u - u * u - 0.2 - 0.1 * t) < 1e-4); // between steps, which are long beside what u does
    }
    driven_free(&d);
  }
}

// Of two solutions it follows that which is nearest to 0 at the start.
static void one_of_two_solutions(void **state) {
  for (int i = 0; i < METHOD_COUNT; i++) {
    driven d = run("variables: {u: u^2 - 2 + dx(cart)}\n", METHODS[i], 1e-6);
    assert_ok(d.status, &d.error);
    const double x = row_of(&d, d.rows - 1)[1];
    say("%-9s %.9f\n", METHODS[i], x);
    assert_true(fabs(x - 0.5442479953) < 1e-5);
    driven_free(&d);
  }
}

// ------------------------------------------------------------------------------------------ what is said

typedef struct said {
  const char *variables, *says[3];
} said;

static void failures_name_the_expression(void **state) {
  static const said list[] = {
      {"variables: {u: \"1/(time - 0.5)\"}\n", {"variable `u` (test:5:17)", "grows without bound", "`push`"}},
      {"variables: {u: \"1/(0.7 - dx(cart))\"}\n", {"variable `u` (test:5:17)", "grows without bound", "`push`"}},
      {"variables: {u: \"u*time*2 + 1\"}\n", {"depend on themselves", "`u` (test:5:13)", "gain around the loop"}},
      {"variables: {u: u}\n", {"depend on themselves", "`u` (test:5:13)", "gain around the loop"}},
      {"variables: {u: 1e300}\n", {"force `push` (test:4:", "beyond all measure", "`u`"}},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    for (int i = 0; i < (k % 3 == 0 ? METHOD_COUNT : 1); i++) {
      driven d = run(list[k].variables, METHODS[i], 1e-6);
      say("%s\n", d.error.message);
      assert_int_not_equal(d.status, FLY_OK);
      for (int n = 0; n < 3; n++)
        if (!strstr(d.error.message, list[k].says[n]))
          fail_msg("%s %s: no %s in: %s", list[k].variables, METHODS[i], list[k].says[n], d.error.message);
      assert_null(strstr(d.error.message, "fly_"));
      assert_null(strstr(d.error.message, "feel accelerations"));
      assert_null(strstr(d.error.message, "wrong sign"));
      driven_free(&d);
    }
}

// u^2 = 2 - t has two solutions, and no slope at 0, where a search begins that is told nothing: `start` says which, and
// an event does not change it. x'' = +-sqrt(2 - t).
static void a_start_says_which(void **state) {
  (void)state;
  const double way = 2.0 / 3 * pow(2, 1.5) + 4.0 / 15 * (1 - pow(2, 2.5));
  for (int i = 0; i < METHOD_COUNT; i++)
    for (int sign = -1; sign < 2; sign += 2) {
      char text[500];
      snprintf(text, sizeof text,
               "variables: {u: {equation: u^2 - 2 + time, start: %d}}\nheld: {n: 0}\n"
               "events: {e: {when: dx(cart) > 0.3, set: {n: 1}, velocity: {cart.vx: vx(cart)}}}\n",
               3 * sign);
      driven d = run(text, METHODS[i], 1e-6);
      assert_ok(d.status, &d.error);
      assert_true(fabs(row_of(&d, d.rows - 1)[1] - (1 + sign * way)) < 1e-5);
      driven_free(&d);
    }
  driven d = run("variables: {u: {equation: u^2 - 2 + time}}\n", "ch", 1e-6);
  assert_int_equal(d.status, FLY_SINGULAR);
  assert_non_null(strstr(d.error.message, "give one of them a `start` elsewhere"));
  driven_free(&d);
  d = run("variables: {u: {value: 2 + time, start: 1}}\n", "ch", 1e-6);
  assert_ok(d.status, &d.error);
  assert_non_null(
      strstr(fly_mechanism_warnings(d.mechanism), "it does not depend on itself, and its `start` is not used"));
  driven_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bells_in_loops),           cmocka_unit_test(bells_in_chains),
      cmocka_unit_test(choices_in_loops),         cmocka_unit_test(times_in_loops),
      cmocka_unit_test(bells_in_large_variables), cmocka_unit_test(bells_in_rates),
      cmocka_unit_test(a_solution_ends),          cmocka_unit_test(one_of_two_solutions),
      cmocka_unit_test(a_start_says_which),       cmocka_unit_test(failures_name_the_expression),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
