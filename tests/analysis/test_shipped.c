// The parts that come with the program: each is there, explained and run by three methods; each against a closed form
// or an independent integration; samples at exact times.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <stdio.h>

#define RUN_KEYS ", error_per: step"
#include "analysis/runs.h"

#include "io/parts.h"
#include "support/parts.h"

static const char *const METHODS[] = {"ch", "radau", "partition"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

// ------------------------------------------------------------------------------------------ all of them

static char *explained(const char *part) {
  char *out = NULL;
  size_t length;
  fly_error error = {0};
  FILE *file = open_memstream(&out, &length);
  assert_non_null(file);
  assert_ok(fly_explain(part, fly_to_file, file, &error), &error);
  fclose(file);
  return out;
}

static char page[40000]; // of the manual

static int read_page(void **state) {
  FILE *file = fopen(FLY_TEST_SOURCE_DIR "/docs/parts.md", "r");
  assert_non_null(file);
  page[fread(page, 1, sizeof page - 1, file)] = 0;
  fclose(file);
  return 0;
}

// A new part is in the tables here and of the manual, says what it is and gives an example.
static void every_part_is_explained(void **state) {
  for (int k = 0; k < fly_shipped_part_count; k++) {
    const char *name = fly_shipped_parts[k].name;
    char use[100];
    char *text = explained(name);
    if (part_model_of(name) == NULL)
      fail_msg("tests/support/parts.h has no model for the part %s", name);
    snprintf(use, sizeof use, "{part: %s, ", name);
    assert_non_null(strstr(text, "(a part, for use): "));
    assert_non_null(strstr(text, "\nparameters:\n"));
    if (strstr(text, use) == NULL)
      fail_msg("the head of %s has no example", name);
    snprintf(use, sizeof use, "\n| `%s` |", name);
    if (strstr(page, use) == NULL)
      fail_msg("docs/parts.md has no row for %s", name);
    free(text);
  }
  assert_int_equal(fly_shipped_part_count, PART_MODEL_COUNT);
}

// The wheel of the page has the speed that is asked for, within a step of what measures it.
static void the_example_of_the_page(void **state) {
  char text[3000];
  const char *begin = strstr(page, "```yaml\n"), *end = strstr(page, "simulate:");
  assert_true(begin && end > begin);
  snprintf(text, sizeof text, "%.*s", (int)(end - begin - 8), begin + 8);
  driven d = run_well(text, "radau", 1e-4, 2, 0.5, "wheel.wz");
  assert_close(row_of(&d, 4)[1], 5, 0.02);
  driven_free(&d);
}

// Three methods agree on what a part does.
static void every_part_runs(void **state) {
  for (int k = 0; k < PART_MODEL_COUNT; k++) {
    driven by[METHOD_COUNT];
    double largest = 0, apart = 0;
    for (int i = 0; i < METHOD_COUNT; i++)
      by[i] = run_well(PART_MODELS[k].text, METHODS[i], i == 0 ? 1e-5 : 1e-7, 0.3, 0.0253, PART_MODELS[k].out);
    for (int i = 1; i < METHOD_COUNT; i++)
      for (long r = 0; r < by[0].rows; r++) {
        largest = fmax(largest, fabs(row_of(&by[0], r)[1]));
        apart = fmax(apart, fabs(row_of(&by[i], r)[1] - row_of(&by[0], r)[1]));
      }
    say("%-20s %s up to %.3g, methods apart by %.1e\n", PART_MODELS[k].part, PART_MODELS[k].out, largest, apart);
    assert_true(largest > 0);
    if (!(apart < 1e-2 * largest))
      fail_msg("%s: %s differs by %g of %g", PART_MODELS[k].part, PART_MODELS[k].out, apart, largest);
    for (int i = 0; i < METHOD_COUNT; i++)
      driven_free(&by[i]);
  }
}

// ------------------------------------------------------------------------------------------ closed forms

static const double PI = 3.14159265358979323846;

#define POINT "flyball: 1\nbodies: {point: {type: point, mass: 1}}\n"
#define HELD_ARM(angle) PART_ARM "motions: {turn: {joint: pin, angle: " angle "}}\n"
#define CARRIED(x, y, z)                                                                                               \
  "flyball: 1\nbodies: {hub: {mass: 400, inertia: [20, 20, 20], position: [0, 0, 0.31]}}\n"                            \
  "joints: {level: {type: orientation, bodies: [ground, hub]}}\nmotions:\n"                                            \
  "  x: {from: ground, to: hub, direction: x, displacement: " x "}\n"                                                  \
  "  y: {from: ground, to: hub, direction: y, displacement: " y "}\n"                                                  \
  "  z: {from: ground, to: hub, direction: z, displacement: " z "}\n"

typedef struct form {
  const char *text, *channel;
  double (*exact)(double t);
  double allowed;
} form;

static double lag(double t) { return 2 * (1 - exp(-t / 0.3)); }
static double swing(double t) { // w = 2, damping 0.1
  const double w = sqrt(4 - 0.04);
  return 1 - exp(-0.2 * t) * (cos(w * t) + 0.2 / w * sin(w * t));
}
static double washed_out(double t) { return exp(-t / 0.3); }
static double washed_rate(double t) { return exp(-t / 0.3) / 0.3; }
static double notched(double t) { // of sin(w t): what is left, and what dies away
  const double w = 2 * PI, d = w * sqrt(0.75);
  return sin(w * t) - 0.75 * (sin(w * t) - exp(-w * t / 2) * w / d * sin(d * t));
}
static double lead(double t) { return 2 * (1 + exp(-10 * t)); }

// 2 cos t between -1 and 0.5, from 0: it stays at its limits until cos t has turned.
static double between(double t) {
  const double to = asin(0.25), turned = fmod(t, 2 * PI);
  if (t < to)
    return 2 * sin(t);
  return turned < to || turned > 2 * PI - to ? 0.5
         : turned < PI / 2                   ? 0.5
         : turned < PI - to                  ? 0.5 + 2 * (sin(t) - 1)
         : turned < 1.5 * PI                 ? -1
                                             : -1 + 2 * (sin(t) + 1);
}

// The integral of a square wave of period 2 that starts with 1, between 0 and 0.3.
static double squared(double t) {
  const double in = fmod(t, 2.0);
  return in < 1 ? fmin(0.3, in) : fmax(0.0, 0.3 - (in - 1));
}

static double limited(double t) { return t < 0.4 ? 2 * t : 1 - 0.2 * exp(-(t - 0.4) / 0.1); }
static double triangle(double t) { // 0.5 at t = 0.5, -0.5 at 1.5 ...
  const double in = fmod(t + 0.5, 2.0);
  return in < 1 ? in - 0.5 : 1.5 - in;
}
static double switched(double t) { return fmod(t + 0.5, 2.0) < 1 ? -3 : 3; }
static double dragged(double t) { return t < 0.2 ? 0 : t - 0.2 - 0.1 * (1 - exp(-(t - 0.2) / 0.1)); }
static double dead(double t) { return 3 * (sin(t) > 0.5 ? sin(t) - 0.5 : sin(t) < -0.2 ? sin(t) + 0.2 : 0); }
static double saturated(double t) { return fmin(0.5, fmax(-0.2, 2 * sin(t))); }
static double softly(double t) { return 0.15 + 0.35 * tanh((2 * sin(t) - 0.15) / 0.35); }
static double wound(double t) { return t < 2.0 / 3 ? 3 * t : 2 + 0.3 * (1 - exp(-(t - 2.0 / 3) / 0.1)); }
static double of_pid(double t) { return 2 + 3 * t + 5 * exp(-10 * t); }
static double current(double t) { return (12 - 0.05 * 20 * 3) * (1 - exp(-10 * t)); }
static double motor_torque(double t) { return 20 * (0.05 * current(t) - 1e-3 * 20 * 3); }
static double slip_angle(double t) {
  const double speed = hypot(10, 0.1);
  return atan(1 / speed) * (1 - exp(-speed * t / 0.4));
}
static double side(double t) { return -0.9 * 2200 * tanh(15 / 0.9 * slip_angle(t)); }
static double nothing(double t) { return 0 * t; }

static const form FORMS[] = {
    {POINT "use: {p: {part: low-pass, input: 1, gain: 2, frequency: 1/(2*pi*0.3)}}\n", "p.out", lag, 1e-6},
    {POINT "use: {p: {part: low-pass-2, input: 1, frequency: 1/pi, damping: 0.1}}\n", "p.out", swing, 1e-6},
    {POINT "use: {p: {part: high-pass, input: 1, frequency: 1/(2*pi*0.3)}}\n", "p.out", washed_out, 1e-6},
    {POINT "use: {p: {part: high-pass, input: 1, frequency: 1/(2*pi*0.3)}}\n", "p.rate", washed_rate, 3e-6},
    {POINT "use: {p: {part: notch, input: sin(2*pi*time), frequency: 1, depth: 0.25}}\n", "p.out", notched, 1e-6},
    {POINT "use: {p: {part: lead-lag, input: 1, gain: 2, lead: 0.2, lag: 0.1}}\n", "p.out", lead, 3e-6},
    {POINT "use: {p: {part: integrator, input: cos(time), gain: 2, low: -1, high: 0.5}}\n", "p.out", between, 1e-6},
    {POINT "use: {p: {part: integrator, input: \"if(mod(time, 2) < 1, 1, -1)\", low: 0, high: 0.3}}\n", "p.out",
     squared, 1e-6},
    {POINT "use: {p: {part: rate-limit, input: 1, up: 2, lag: 0.1}}\n", "p.out", limited, 1e-6},
    {POINT "states: {x: {rate: -p.out/3}}\nuse: {p: {part: relay, input: x, on: 0.5, high: 3}}\n", "x", triangle, 1e-6},
    {POINT "states: {x: {rate: -p.out/3}}\nuse: {p: {part: relay, input: x, on: 0.5, high: 3}}\n", "p.out", switched,
     0},
    {POINT "use: {p: {part: relay, input: \"sin(pi*(time - 0.25))\", on: sqrt(0.5), high: 3}}\n", "p.out", switched, 0},
    {POINT "use: {p: {part: hysteresis, input: time, gap: 0.4, lag: 0.1}}\n", "p.out", dragged, 1e-6},
    {POINT "use: {p: {part: dead-band, input: sin(time), high: 0.5, low: -0.2, gain: 3}}\n", "p.out", dead, 1e-12},
    {POINT "use: {p: {part: saturation, input: sin(time), high: 0.5, low: -0.2, gain: 2}}\n", "p.out", saturated,
     1e-12},
    {POINT "use: {p: {part: saturation, input: sin(time), high: 0.5, low: -0.2, gain: 2}}\n", "p.soft", softly, 1e-12},
    {POINT "use: {p: {part: pi, error: 1, kp: 2, ki: 3, high: 4}}\n", "p.i", wound, 1e-6},
    {POINT "use: {p: {part: pid, error: 1, kp: 2, ki: 3, high: 4}}\n", "p.i", wound, 1e-6},
    {POINT "use: {p: {part: pid, error: 1, kp: 2, ki: 3, kd: 0.5, tf: 0.1}}\n", "p.out", of_pid, 1e-5},
    {HELD_ARM("3*time") "use: {p: {part: dc-motor, voltage: 12, L: 0.1, ratio: 20, friction: 1e-3, connect: {axle: "
                        "pin}}}\n",
     "p.current", current, 3e-5},
    {HELD_ARM("3*time") "use: {p: {part: dc-motor, voltage: 12, L: 0.1, ratio: 20, friction: 1e-3, connect: {axle: "
                        "pin}}}\n",
     "p.torque", motor_torque, 3e-5},
    {CARRIED("10*time", "time", "0.31") "use: {p: {part: tyre, connect: {hub: hub}}}\n", "p.alpha", slip_angle, 1e-6},
    {CARRIED("10*time", "time", "0.31") "use: {p: {part: tyre, connect: {hub: hub}}}\n", "p.Fy", side, 1e-2},
    {CARRIED("10*time", "time", "0.33") "use: {p: {part: tyre, connect: {hub: hub}}}\n", "p.Fy", nothing, 0},
};

static void closed_forms(void **state) {
  for (size_t k = 0; k < sizeof FORMS / sizeof *FORMS; k++)
    for (int i = 1; i < METHOD_COUNT; i++) {
      driven d = run_well(FORMS[k].text, METHODS[i], 1e-8, 7, 0.0503, FORMS[k].channel);
      double worst = 0, at = 0;
      for (long r = 0; r < d.rows; r++) {
        const double off = fabs(row_of(&d, r)[1] - FORMS[k].exact(row_of(&d, r)[0]));
        at = off > worst ? row_of(&d, r)[0] : at;
        worst = fmax(worst, off);
      }
      say("%-10s %.1e at %-7.4g %s\n", METHODS[i], worst, at, strstr(FORMS[k].text, "use:"));
      if (!(worst <= FORMS[k].allowed))
        fail_msg("%s by %s: off by %g at t = %g", FORMS[k].text, METHODS[i], worst, at);
      driven_free(&d);
    }
}

// ------------------------------------------------------------------------------------------ where they come to rest

enum { LAST = 4 };

// Channels at the end of a run.
static void finals(double last[LAST], const char *text, double end, const char *channels) {
  driven d = run_well(text, "radau", 1e-6, end, end, channels);
  for (int k = 0; k < d.count; k++)
    last[k] = row_of(&d, d.rows - 1)[1 + k];
  driven_free(&d);
}

static void a_gear_rests_on_its_flank(void **state) {
  double last[LAST] = {0};
  finals(last,
         HELD_ARM("0") "use: {p: {part: gearbox, torque: 0.5, gap: 0.1, edge: 1e-4, friction: 0.05, stiffness: 100, "
                       "connect: {axle: pin}}}\n",
         4, "p.tooth p.twist p.contact");
  assert_close(last[0], 5, 1e-5);
  assert_close(last[1], 0.05 + 0.05, 1e-6);
  assert_close(last[2], 1, 1e-5);
}

#define DRAWN(v, current)                                                                                              \
  PART_MASS("0.5")                                                                                                     \
  "motions: {draw: {from: ground, to: mass, direction: z, displacement: 0.5 + " v "*time}}\n"                          \
  "use: {p: {part: hydraulic-damper, length: dm(mass), rate: vr(mass), current: " current "}}\n"

// What flows through the valve is what the chamber loses in extension, and what the rod takes in compression. The
// compression chamber is at the pressure of the reservoir in extension, close to the rebound chamber in compression.
static void a_damper_at_constant_speed(void **state) {
  const double K = 2e-7 - 1.75e-7 * 0.7 / 1.3, res = 4e5, Ac = 8e-4, Ar = 5.2e-4;
  const double out = res + pow(Ar * 0.3 / K, 2), in = res + pow((Ac - Ar) * 0.3 / K, 2);
  double last[LAST] = {0};
  finals(last, DRAWN("0.3", "1"), 0.2, "p.p_reb p.p_comp p.force");
  assert_close(last[0], out, 1e-3 * out);
  assert_close(last[1], res, 2e4);
  assert_close(last[2], res * Ac - out * Ar, 20);
  finals(last, DRAWN("-0.3", "1"), 0.2, "p.p_reb p.p_comp p.force");
  assert_close(last[0], in, 1e-3 * in);
  assert_close(last[1], in, 2e4);
  assert_close(last[2], in * (Ac - Ar), 20);
  finals(last, DRAWN("0.3", "-5"), 0.2, "p.p_reb");
  assert_close(last[0], res + pow(Ar * 0.3 / 2e-7, 2), 1e3);
  finals(last, DRAWN("0.05", "99"), 1, "p.p_reb");
  assert_close(last[0], res + pow(Ar * 0.05 / 2.5e-8, 2), 5e3);
}

#define OPENED(opening)                                                                                                \
  PART_MASS("0.6")                                                                                                     \
  "use: {p: {part: hydraulic-cylinder, opening: " opening ", connect: {base: ground, rod: mass}}}\n"

// A_a v and A_b v flow through equal openings, and the forces of both chambers carry the weight.
static void a_cylinder_at_its_speed_and_its_end(void **state) {
  const double weight = 300 * 9.81, A = 2e-3, B = 1.2e-3, K = 2e-7 * 0.3, drop = 150e5 * A - 1e5 * B - weight;
  const double speed = K * sqrt(drop / (A * A * A + B * B * B));
  double last[LAST] = {0};
  finals(last, OPENED("0.3"), 2, "p.rate");
  assert_close(last[0], speed, 1e-3 * speed);
  finals(last, OPENED("0.3"), 8, "p.out p.rate p.force p.p_a");
  assert_close(last[0], 0.4, 0.01);
  assert_close(last[1], 0, 1e-5);
  assert_close(last[2], weight, 1);
  assert_close(last[3], 150e5, 1e4);
  finals(last, OPENED("-0.3"), 2, "p.out p.rate p.force p.p_b");
  assert_close(last[0], 0, 0.01);
  assert_close(last[1], 0, 1e-5);
  assert_close(last[2], weight, 1);
  assert_close(last[3], 150e5, 1e4);
}

// From rest, the road gives what the axle is turned with, less what spins the wheel.
static void a_wheel_drives_off(void **state) {
  double last[LAST] = {0};
  finals(last,
         "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
         "  hub: {mass: 400, inertia: [20, 20, 20], position: [0, 0, 0.31]}\n"
         "  wheel: {mass: 20, inertia: [0.5, 0.9, 0.5], position: [0, 0, 0.31]}\n"
         "joints:\n  level: {type: orientation, bodies: [ground, hub]}\n"
         "  axle: {type: revolute, bodies: [hub, wheel], at: [0, 0, 0.31], axis: [0, 1, 0]}\n"
         "forces: {motor: {type: torsion-spring, joint: axle, torque: 200}}\n"
         "use: {p: {part: tyre-slip, connect: {hub: hub, wheel: wheel}, damping: 4000}}\n"
         "variables: {moved: accx(hub), rolled: wdty(wheel), height: dz(hub)}\n",
         3, "height p.Fx moved rolled");
  assert_close(last[0], 0.32 - 420 * 9.81 / 2.2e5, 1e-4);
  assert_close(last[1], 420 * last[2], 1e-2);
  assert_close(200 - last[0] * last[1], 0.9 * last[3], 1e-2);
  assert_true(last[1] > 500);
}

// ------------------------------------------------------------------------------------------ samples

static void samples_are_exact(void **state) {
  static const char text[] = POINT "use:\n"
                                   "  s: {part: sample-hold, input: time, first: 0.02}\n"
                                   "  q: {part: quantizer, input: sin(2*time), size: 0.03, high: 0.7}\n";
  for (int i = 0; i < METHOD_COUNT; i++) {
    driven d = run_well(text, METHODS[i], 1e-4, 2, 0.005, "s.out q.out");
    for (int n = 0; n < 200; n++) {
      const double *row = row_of(&d, 2L * n + 1), t = n * 0.01;
      assert_true(fabs(row[1] - (n < 2 ? 0 : t)) <= 1e-15);
      assert_true(fabs(row[2] - 0.03 * round(fmin(0.7, sin(2 * t)) / 0.03)) <= 1e-15);
    }
    driven_free(&d);
  }
}

// A cart of 2 kg under a controller of 1 kHz for 10 s, at a limit at first: between samples it moves along parabolas,
// which are added up here.
static void a_controller_of_1_kHz(void **state) {
  static const char text[] = "flyball: 1\nbodies: {cart: {type: point, mass: 2, position: [0.5, 0, 0]}}\n"
                             "use: {p: {part: discrete-pid, error: 0.7 - dx(cart), kp: 8, ki: 3, kd: 4, tf: 0.01, tt: "
                             "0.2, low: -1, high: 1}}\n"
                             "forces: {push: {type: force, at: cart, force: [p.out, 0, 0]}}\n";
  for (int k = 0; k < 2; k++) {
    driven d = run_well(text, METHODS[k], 1e-7, 10, 0.25, "cart.x cart.vx p.i");
    double x = 0.5, v = 0, i = 0, rate = 0, last = 0.7 - 0.5, worst = 0;
    for (int n = 0; n < 10000; n++) {
      if (n % 250 == 0) {
        const double *row = row_of(&d, n / 250);
        worst = fmax(worst, fabs(row[1] - x) + fabs(row[2] - v) + fabs(row[3] - i));
      }
      const double e = 0.7 - x, h = 1e-3;
      rate = (0.01 * rate + 4 * (e - last)) / (0.01 + h);
      const double raw = 8 * e + i + rate, u = fmax(-1, fmin(1, raw));
      i += 3 * h * e + (u - raw) * h / 0.2;
      last = e;
      x += h * v + h * h / 2 * u / 2;
      v += h * u / 2;
    }
    say("1 kHz by %s: %.1e\n", METHODS[k], worst);
    assert_true(worst < 1e-9);
    driven_free(&d);
  }
}

// ------------------------------------------------------------------------------------------ in the mirror

// Everything with a side: seen through the mirror it gives the numbers it gives by itself.
static void parts_do_in_the_mirror_what_they_do(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, 0, -9.81]\nuse:\n"
      "  l: {part: corner, at: [0.5, 0.2, 0]}\n  r: {like: l, mirror: y}\n"
      "  m: {part: arms}\n  n: {like: m, mirror: x}\n"
      "---\npart: corner\nbodies:\n"
      "  hub: {mass: 400, inertia: [20, 20, 20], position: [0, 1, 0.31], velocity: [10, 1, 0], angular_velocity: [0.1, "
      "0, "
      "0.3]}\n"
      "  wheel: {mass: 20, inertia: [0.5, 0.9, 0.5], position: [0, 1, 0.31], velocity: [10, 1, 0]}\n"
      "joints: {axle: {bodies: [hub, wheel], at: [0, 1, 0.31], axis: [0, 1, 0], angular_velocity: 31}}\n"
      "use:\n  a: {part: tyre-slip, connect: {hub: hub, wheel: wheel}}\n  b: {part: tyre, connect: {hub: hub}}\n"
      "---\npart: arms\nbodies:\n  ground: {markers: {eye: [2.4, 2, 0.5]}}\n"
      "  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [3, 2, 0]}\n"
      "joints: {pin: {bodies: [ground, arm], at: [2.7, 2, 0], axis: [0, 0, 1]}}\n"
      "use:\n  a: {part: dc-motor, voltage: 3, connect: {axle: pin}}\n"
      "  b: {part: servo, target: 1, connect: {axle: pin}}\n"
      "  c: {part: gearbox, torque: 0.3, connect: {axle: pin}}\n"
      "  d: {part: hydraulic-cylinder, opening: 0.5, connect: {base: ground.eye, rod: arm}, shortest: 0.5}\n"
      "---\n";
  char model[4000];
  const char *body = strstr(text, "---\n"); // the model's document is the one to which `simulate` is added
  snprintf(model, sizeof model, "%s%.*s", body + 4, (int)(body - text), text);
  driven d = run_well(
      model, "radau", 1e-7, 0.3, 0.05,
      "l.a.Fx r.a.Fx l.a.Fy r.a.Fy l.b.Fy r.b.Fy m.a.torque n.a.torque m.b.torque n.b.torque m.c.tooth n.c.tooth "
      "m.d.force n.d.force");
  for (long r = 1; r < d.rows; r++)
    for (int k = 0; k < d.count; k += 2) {
      const double one = row_of(&d, r)[1 + k], other = row_of(&d, r)[2 + k];
      if (!(fabs(one - other) <= 1e-5 * fabs(one)) || one == 0)
        fail_msg("channel %d, row %ld: %g and %g", k, r, one, other);
    }
  driven_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_part_is_explained),
      cmocka_unit_test(the_example_of_the_page),
      cmocka_unit_test(every_part_runs),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(a_gear_rests_on_its_flank),
      cmocka_unit_test(a_damper_at_constant_speed),
      cmocka_unit_test(a_cylinder_at_its_speed_and_its_end),
      cmocka_unit_test(a_wheel_drives_off),
      cmocka_unit_test(parts_do_in_the_mirror_what_they_do),
      cmocka_unit_test(samples_are_exact),
      cmocka_unit_test(a_controller_of_1_kHz),
  };
  return cmocka_run_group_tests(tests, read_page, NULL);
}
