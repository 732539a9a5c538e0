// Conditions of events that hold for a moment only, from a thousandth down to a millionth of the run: of positions,
// speeds, angles and states, written in many ways. Every one is met, or the run does not say that its error is kept.
//
// FLY_GATES=n: so many of each kind in place of a few.
#include "analysis/runs.h"
#include "base/check.h"

static const char *const METHODS[] = {"radau", "partition", "ch", "auto"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS, FEW = 2 };

static int how_many(void) {
  const char *asked = getenv("FLY_GATES");
  return asked ? atoi(asked) : FEW;
}

// Where s passes through [a, a + w]; W = w/2, C = a + W.
static const char *const FORMS[] = {
    "abs(S - C) < W",
    "S > A and S < B",
    "not (S <= A or S >= B)",
    "(S - A)*(B - S) > 0",
    "S < -7 or (S > A and not (S > B))",
    "exp(-((S - C)/W)^2) > 0.36787944117144233",
    "1/(1 + ((S - C)/W)^2) > 0.5",
    "cos(pi*(S - C)/8) > cos(pi*W/8)",
    "min(S - A, B - S) > 0",
    "if(abs(S - C) < W, 1, 0)",
    "round((S - C)/(B - A)) == 0",
    "mod(S - A, 16) < B - A",
    "abs(S - C) < W and abs(vx(m) - RATE) < 5",
};
enum { FORM_COUNT = sizeof FORMS / sizeof *FORMS };

// The form with its letters replaced; s: the quantity.
static void write_condition(char *out, size_t size, const char *form, const char *s, double a, double w, double rate) {
  size_t n = 0;
  for (const char *c = form; *c && n + 60 < size; c++) {
    const bool word = c > form && (c[-1] == '_' || (c[-1] >= 'A' && c[-1] <= 'Z'));
    if (*c == 'R')
      n += (size_t)snprintf(out + n, size - n, "%.17g", rate), c += 3;
    else if (!word && *c == 'S')
      n += (size_t)snprintf(out + n, size - n, "%s", s);
    else if (!word && *c >= 'A' && *c <= 'W')
      n += (size_t)snprintf(out + n, size - n, "(%.17g)",
                            *c == 'A'   ? a
                            : *c == 'B' ? a + w
                            : *c == 'C' ? a + w / 2
                                        : w / 2);
    else
      out[n++] = *c;
  }
  out[n] = 0;
}

typedef struct tally {
  double error; // over the one asked for, of runs that say it is kept
  int said;     // runs that do not
} tally;

static void judge(tally *w, const driven *d, double is, double exact, double asked, const char *text,
                  const char *method) {
  const double error = fabs(is - exact) / asked;
  if (d->status == FLY_NOT_KEPT) {
    w->said++;
    return;
  }
  assert_ok(d->status, &d->error);
  w->error = fmax(w->error, error);
  if (error > 10)
    fail_msg("%s by %s: %g times the error asked for, and called kept: %.12g, not %.12g", text, method, error, is,
             exact);
}

static const double END = 4;

// A mass at the constant rate r, or under a constant force, is pushed by 1 N from where the condition comes true: of
// its place, of its speed, of the angle of a wheel beside it, of a state.
static void run_one(tally *worst, double rate, double at, double width, const char *form, int kind, double asked,
                    const char *method) {
  static const char *const quantity[] = {"dx(m)", "vx(m)", "pin.angle", "z"};
  char condition[600], text[1600];
  write_condition(condition, sizeof condition, form, quantity[kind], at, width, kind == 0 ? rate : 0);
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  m: {type: point, mass: 1, velocity: [%.17g, 0, 0]}\n"
           "  wheel: {type: planar, mass: 1, inertia: 1, position: [0, 3]}\n"
           "joints: {pin: {type: revolute, bodies: [ground, wheel], at: [0, 3, 0], angular_velocity: %.17g}}\n"
           "held: {u: 0}\nstates: {z: {rate: %.17g}}\n"
           "forces: {push: {type: force, at: m, force: [%.17g + u, 0, 0]}}\n"
           "events: {gate: {when: \"%s\", set: {u: 1}}}\n",
           kind == 0 ? rate : 0, rate, rate, kind == 1 ? rate : 0, condition);
  driven d = run(text, method, asked, END, END, "m.x");
  const double left = END - at / rate, before = kind == 0 ? rate * END : kind == 1 ? rate * END * END / 2 : 0;
  judge(worst, &d, row_of(&d, d.rows - 1)[1], before + left * left / 2, asked, text, method);
  driven_free(&d);
}

static void gates_are_met(void **state) {
  uint64_t seed = 5;
  tally worst = {0};
  for (int i = 0; i < how_many() * FORM_COUNT; i++) {
    const double rate = uniform(&seed, 0.5, 2), width = rate * END * pow(10, uniform(&seed, -6, -3));
    const double at = rate * END * uniform(&seed, 0.1, 0.7), asked = i % 3 ? 1e-6 : 1e-4;
    const int kind = random_int(&seed, 4);
    const char *form = FORMS[i % FORM_COUNT];
    for (int k = 0; k < METHOD_COUNT; k++)
      run_one(&worst, rate, at, width, strstr(form, "RATE") && kind ? FORMS[0] : form, kind, asked, METHODS[k]);
  }
  print_message("largest error over the one asked for %.2g, %d runs say not kept\n", worst.error, worst.said);
  assert_int_equal(worst.said, 0);
}

// A pendulum through a gate of an angle, both ways: how often, by Runge and Kutta's rule.
static int passes(double start, double at, double *nearest) {
  const double h = 1e-4, k = 9.81 / 1.1;
  double a = start, v = 0;
  int count = 0;
  for (int i = 0; i < 60000; i++) {
    const double was = a, k1 = -k * sin(a), k2 = -k * sin(a + h / 2 * v), v3 = v + h / 2 * k2,
                 k3 = -k * sin(a + h / 2 * (v + h / 2 * k1)), k4 = -k * sin(a + h * v3);
    a += h * v + h * h / 6 * (k1 + k2 + k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    count += (was - at) * (a - at) <= 0;
  }
  *nearest = fabs(a - at);
  return count;
}

static void pendulums_pass_gates(void **state) {
  uint64_t seed = 7;
  for (int i = 0; i < how_many(); i++) {
    const double start = uniform(&seed, 0.5, 2), at = start * uniform(&seed, -0.8, 0.8);
    const double width = start * pow(10, uniform(&seed, -6, -3));
    double nearest;
    const int count = passes(start, at, &nearest);
    if (nearest < 0.02) // not sure at the end of the run
      continue;
    for (int k = 0; k < METHOD_COUNT; k++) {
      char text[900];
      snprintf(text, sizeof text,
               "flyball: 1\ngravity: [0, -9.81, 0]\n"
               "bodies: {bar: {type: planar, mass: 1, inertia: 0.1, position: [%.17g, %.17g], angle: %.17g}}\n"
               "joints: {pin: {type: revolute, bodies: [ground, bar], at: [0, 0, 0]}}\nheld: {n: 0}\n"
               "events: {gate: {when: \"abs(wheel - %.17g) < %.17g\", set: {n: n + 1}}}\n"
               "variables: {wheel: \"atan2(dx(bar), -dy(bar))\"}\n",
               sin(start), -cos(start), start, at, width / 2);
      driven d = run_well(text, METHODS[k], 1e-6, 6, 6, "n");
      if (told(&d, "gate").count != count)
        fail_msg("%s by %s: %ld times, not %d", text, METHODS[k], told(&d, "gate").count, count);
      driven_free(&d);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gates_are_met), cmocka_unit_test(pendulums_pass_gates)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
