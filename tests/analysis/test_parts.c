// Parts in motion. A part that is put somewhere, turned or mirrored, does there what it does alone: whatever its
// expressions measure is the same number, and its bodies are where the place and the mirror take them.
//
// Random mechanisms in space with inertia products, joints given by axes and by markers, springs, bushings, motions,
// couplers, and expressions of all measures and reactions. Gravity is put where the part is. Fixed steps: what is left
// is rounding.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element/measure.h"
#include "element/reaction.h"
#include "flyball/model.h"
#include "support/motion.h"

// ------------------------------------------------------------------------------------------ texts

typedef struct page {
  char text[60000];
  size_t used;
} page;

static page part, model;
static unsigned long seed;

static void put_text(page *p, const char *format, ...) {
  va_list list;
  va_start(list, format);
  p->used += (size_t)vsnprintf(p->text + p->used, sizeof p->text - p->used, format, list);
  va_end(list);
  assert_true(p->used < sizeof p->text);
}

// Between -1 and 1, with few digits.
static double some(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return round(((double)(seed >> 33) / 1073741824.0 - 1) * 1000) / 1000;
}

static void put_triple(page *p, const char *key, double size) {
  put_text(p, "%s: [%.6g, %.6g, %.6g]", key, size * some(), size * some(), size * some());
}

// ------------------------------------------------------------------------------------------ a random part

static void say_body(const char *name, const char *at) {
  put_text(&part, "  %s: {mass: %.4g, inertia: [%.4g, %.4g, %.4g, %.4g, %.4g, %.4g], ", name, 2 + some(),
           2 + 0.3 * some(), 2 + 0.3 * some(), 2 + 0.3 * some(), 0.3 * some(), 0.3 * some(), 0.3 * some());
  put_triple(&part, "center", 0.2);
  put_text(&part, ", %s, ", at);
  put_triple(&part, "velocity", 0.5);
  put_text(&part, ", ");
  put_triple(&part, "angular_velocity", 0.5);
  put_text(&part, ", markers: {m: {at: [%.3g, %.3g, %.3g], orientation: {euler313: [%.3g, %.3g, %.3g]}}, ", some(),
           some(), some(), some(), some(), some());
  put_triple(&part, "n", 0.5);
  put_text(&part, "}}\n");
}

static void say_bodies(void) {
  char at[200];
  put_text(&part,
           "bodies:\n  ground: {markers: {w: {at: [0.3, -0.4, 1.2], orientation: {euler313: [0.3, 0.7, -0.4]}}, v: "
           "[-1, 2, 0.5]}}\n");
  for (const char *name = "abcdef"; *name != 0; name++) {
    const char word[2] = {*name, 0};
    snprintf(at, sizeof at, "position: [%.3g, %.3g, %.3g], orientation: {euler313: [%.3g, %.3g, %.3g]}", 2 * some(),
             2 * some(), 2 * some(), some(), some(), some());
    say_body(word, at);
  }
  say_body("g", "position: [0.3, -0.4, 1.2], orientation: {euler313: [0.3, 0.7, -0.4]}");
  say_body("h", "position: [-1, 2, 0.5]");
  put_text(&part, "  q: {type: point, mass: 0.7, position: [1, 1.5, -1], velocity: [0.1, 0.2, 0.3]}\n");
}

static void say_joints(void) {
  put_text(&part, "joints:\n");
  put_text(&part, "  turn: {type: revolute, bodies: [ground, a], at: [%.3g, 0, 0.1], axis: [%.3g, 0.6, %.3g]}\n",
           some(), some(), some());
  put_text(&part, "  slide: {type: translational, bodies: [a, b], at: [0, 0.1, %.3g], axis: [1, %.3g, %.3g]}\n", some(),
           some(), some());
  put_text(&part, "  both: {type: cylindrical, from: ground.w, to: g, angle: 0, angular_velocity: 0.4}\n");
  put_text(&part,
           "  cross: {type: universal, bodies: [b, c], at: [0.5, %.3g, 0], axis: [1, 0, 0.2], axis2: [0, 1, 0]}\n",
           some());
  put_text(&part, "  nut: {type: screw, bodies: [ground, d], at: [0.1, 0, 0.2], axis: [0.3, 1, %.3g], pitch: 0.4}\n",
           some());
  put_text(
      &part,
      "  drum: {type: revolute, bodies: [ground, e], at: [1, 0, 0.2], axis: [0.3, 0.2, 1], limits: {low: -0.001, "
      "high: 0.002, stiffness: 300, damping: 10}, friction: {law: regularized, mu: 0.1, radius: 0.1, transition_speed: "
      "0.1}}\n");
  put_text(&part, "  rack: {type: rack-pinion, joints: [drum, bar], radius: 0.3}\n");
  put_text(&part, "  bar: {type: translational, bodies: [ground, f], at: [0, 0, 0], axis: [0.1, 1, 0.3]}\n");
  put_text(&part, "  tie: {type: coupler, joints: [drum, nut2], ratios: [1, 2.5]}\n");
  put_text(&part, "  nut2: {type: revolute, from: ground.v, to: h, angle: 0}\n");
}

static void say_forces(void) {
  put_text(&part, "motions:\n  drive: {joint: turn, angle: 0.3*(cos(2*time) - 1) + 0.7*time}\n"
                  "  push: {joint: both, direction: z, displacement: -0.2*time + 0.1*time^2}\n");
  put_text(&part, "forces:\n  s: {from: ground.v, to: c.m, stiffness: 5, damping: 0.3, free_length: 1}\n"
                  "  law: {from: c, to: q, force: -2*length - 0.1*rate}\n"
                  "  twist: {type: torsion-spring, joint: both, stiffness: 2, damping: 0.1, free_angle: 0.5}\n"
                  "  wind: {type: torsion-spring, joint: drum, torque: -2*angle - 0.3*rate + 0.2*sin(3*time)}\n"
                  "  blow: {type: force, at: c.m, force: [0.3, vy(c.n), 0.2*time], torque: [0.1, -0.2, wx(c)]}\n"
                  "  axes: {type: force, at: q, axes: c.m, against: b, force: [\"dy(c, b, a.m)\", 0.3, 0.1*turn.w]}\n");
  put_text(&part, "  soft: {type: bushing, from: ground.w, to: c.m, preload: [0.1, 0.2, 0.3, 0.1, -0.2, 0.1], "
                  "stiffness_matrix: [\n    ");
  double K[6][6];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++)
      K[i][j] = K[j][i] = (i == j ? 3 : 0) + 0.2 * some();
  for (int i = 0; i < 36; i++)
    put_text(&part, "%s%.4g", i > 0 ? ", " : "", K[i / 6][i % 6]);
  put_text(&part,
           "], damping: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}\n"
           "  bend: {type: beam, from: ground.v, to: q2, youngs_modulus: 100, shear_modulus: 40, area: 0.1, moments: "
           "[0.01, 0.02, 0.03], up: [0.1, 0.3, 1]}\n");
}

// All that can be asked, of markers of the part and of ground.
static int say_variables(void) {
  int count = 0;
  put_text(&part, "functions: {\"sum(x, y)\": x + y*dy(c) + turn.angle}\nvariables:\n");
  for (int k = 0; k < FLY_MEASURE_KINDS; k++) {
    const fly_measure_type *type = &fly_measure_types[k];
    if (k == FLY_MEASURE_PSI || k == FLY_MEASURE_THETA || k == FLY_MEASURE_PHI)
      continue;
    put_text(&part, "  v%d: \"%s(c.m)\"\n  v%d: \"%s(c.m, ground.w%s)\"\n", count, type->name, count + 1, type->name,
             type->markers == 3 ? ", ground" : "");
    count += 2;
    if (type->markers == 3)
      put_text(&part, "  v%d: \"2 - %s( c , a.n , b.m )^2 + %s(b, g)\"\n", count++, type->name, type->name);
  }
  for (int k = 0; k < FLY_REACTION_KINDS; k++, count += 2)
    put_text(&part, "  v%d: %s(turn, c.m)\n  v%d: %s(both)\n", count, fly_reaction_types[k].name, count + 1,
             fly_reaction_types[k].name);
  put_text(&part, "  v%d: turn.angle + 2*turn.w\n", count++);
  put_text(&part, "  v%d: both.angle*both.displacement + both.v\n", count++);
  put_text(&part, "  v%d: slide.displacement + slide.v*nut2.w + nut.angle\n", count++);
  put_text(&part, "  v%d: \"sum(dy(b), wz(c))\"\n  v%d: x\n", count, count + 1);
  put_text(&part, "states: {x: {rate: wz(c.m) - x + fy(both)}}\n");
  return count + 2;
}

// A frame on ground, where one end of the beam is.
static int say_part(unsigned long number) {
  part.used = 0;
  seed = number;
  put_text(&part, "part: p\n");
  say_bodies();
  put_text(&part, "  q2: {mass: 1, inertia: [1, 1.1, 1.2], position: [0, 2.5, 1]}\n");
  say_joints();
  say_forces();
  return say_variables();
}

// ------------------------------------------------------------------------------------------ runs

typedef struct rows {
  fly_run *run;
  fly_mechanism *mechanism;
  int width;
  double last[2000];
} rows;

static void keep(const double *row, void *user) {
  rows *r = user;
  memcpy(r->last, row, (size_t)r->width * sizeof *row);
}

static void run(rows *r, const char *text) {
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  *r = (rows){0};
  o.row = keep;
  o.user = r;
  assert_ok(fly_mechanism_parse(&r->mechanism, "test", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_run_create(&r->run, r->mechanism, &o, &error), &error);
  while (fly_run_channel_name(r->run, r->width, NULL) != NULL)
    r->width++;
  assert_true(r->width < 2000);
  assert_ok(fly_run_start(r->run, &error), &error);
  assert_ok(fly_run_go(r->run, &error), &error);
}

static void end(rows *r) {
  fly_run_free(r->run);
  fly_mechanism_free(r->mechanism);
}

static double value(const rows *r, const char *name) {
  const int k = fly_run_channel(r->run, name);
  if (k < 0)
    fail_msg("there is no channel %s", name);
  return r->last[k];
}

// ------------------------------------------------------------------------------------------ places

typedef struct place {
  const char *text;
  double B[9], c[3];
} place;

static const double g[3] = {0.7, -1.1, -9.3};

static void say_model(const place *at) {
  double G[3];
  for (int i = 0; i < 3; i++)
    G[i] = at->B[3 * i] * g[0] + at->B[3 * i + 1] * g[1] + at->B[3 * i + 2] * g[2];
  model.used = 0;
  put_text(&model, "%s---\nflyball: 1\ngravity: [%.17g, %.17g, %.17g]\n", part.text, G[0], G[1], G[2]);
  put_text(&model, "use: {p: {part: p%s}}\nsimulate: {end: 0.4, step: 0.005, method: ch, output: 0.4}\n", at->text);
}

#define S 0.70710678118654752440
static const place places[] = {
    {"", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}},
    {", at: [1, -2, 0.5]", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, -2, 0.5}},
    {", mirror: x", {-1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}},
    {", mirror: y, at: [1, -2, 0.5]", {1, 0, 0, 0, -1, 0, 0, 0, 1}, {1, 2, 0.5}},
    {", mirror: z", {1, 0, 0, 0, 1, 0, 0, 0, -1}, {0, 0, 0}},
    {", orientation: {axis: [1, 0, 0], angle: 45*deg}", {1, 0, 0, 0, S, -S, 0, S, S}, {0, 0, 0}},
    {", orientation: {axis: [1, 0, 0], angle: 45*deg}, at: [0, 1, 0], mirror: y",
     {1, 0, 0, 0, -S, S, 0, S, S},
     {0, -1, 0}},
};
enum { PLACES = sizeof places / sizeof *places };

static void compare(const rows *alone, const rows *put, const place *at, int variables, unsigned long number) {
  char name[40];
  for (int k = 0; k < variables; k++) {
    snprintf(name, sizeof name, "p.v%d", k);
    const double a = value(alone, name), b = value(put, name);
    const bool turned = at->B[5] != 0; // other roundings, which Newton's iteration leaves
    if (!(fabs(a - b) <= (turned ? 1e-8 : 1e-10) * (1 + fabs(a)))) {
      snprintf(name, sizeof name, "  v%d: ", k);
      const char *line = strstr(part.text, name);
      fail_msg("seed %lu%s: %.15g, alone %.15g:%.*s", number, at->text, b, a, (int)strcspn(line, "\n"), line);
    }
  }
  for (const char *body = "abcdefgh"; *body != 0; body++)
    for (int i = 0; i < 3; i++) {
      double r = at->c[i], v = 0;
      for (int j = 0; j < 3; j++) {
        snprintf(name, sizeof name, "p.%c.%c", *body, "xyz"[j]);
        r += at->B[3 * i + j] * value(alone, name);
        snprintf(name, sizeof name, "p.%c.v%c", *body, "xyz"[j]);
        v += at->B[3 * i + j] * value(alone, name);
      }
      snprintf(name, sizeof name, "p.%c.%c", *body, "xyz"[i]);
      assert_close(value(put, name), r, 1e-10);
      snprintf(name, sizeof name, "p.%c.v%c", *body, "xyz"[i]);
      assert_close(value(put, name), v, 1e-9);
    }
}

static void a_part_does_elsewhere_what_it_does_alone(void **state) {
  for (unsigned long number = 1; number <= 3; number++) {
    const int variables = say_part(number);
    rows alone, put;
    say_model(&places[0]);
    run(&alone, model.text);
    for (int k = 1; k < PLACES; k++) {
      say_model(&places[k]);
      run(&put, model.text);
      compare(&alone, &put, &places[k], variables, number);
      end(&put);
    }
    end(&alone);
  }
}

// ------------------------------------------------------------------------------------------ a car of corners

// A corner with markers of its own on the body it is tied to; that is turned and put somewhere, and falls on four of
// them.
static const char corner[] =
    "part: corner\n"
    "connect: {chassis: body}\n"
    "parameters: {k: 5000}\n"
    "bodies:\n"
    "  chassis: {markers: {top: [0, -0.1, 0.5], low: {at: [0, -0.2, 0], axis: [1, 0.2, 0.1]}}}\n"
    "  arm: {mass: 3, inertia: [0.2, 0.25, 0.3, 0.01, 0.02, -0.03], position: [0, 0.1, 0],\n"
    "        markers: {out: [0, 0.2, 0], in: {at: [0, -0.3, 0], axis: [1, 0.2, 0.1]}}}\n"
    "joints: {pivot: {type: revolute, from: chassis.low, to: arm.in}}\n"
    "forces: {strut: {from: chassis.top, to: arm.out, stiffness: k, damping: 100, free_length: 0.6}}\n"
    "variables: {travel: \"dm(chassis.top, arm.out)\", turn: pivot.angle}\n"
    "---\n"
    "flyball: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  car: {mass: 100, inertia: [30, 40, 50], position: [0, 0, 0.3], orientation: {axis: [0, 1, 0], angle: 0.3}}\n"
    "use:\n"
    "  fl: {part: corner, at: [1, 0.7, 0.2], connect: {chassis: car}}\n"
    "  fr: {like: fl, mirror: y}\n"
    "  rl: {like: fl, at: [-1, 0.7, 0.2], k: 4000}\n"
    "  rr: {like: rl, mirror: y}\n"
    "variables: {slant: fl.pivot.angle + fr.pivot.angle}\n"
    "simulate: {end: 0.5, step: 0.005, output: 0.5}\n";

static void a_car_of_corners_keeps_its_symmetry(void **state) {
  rows r;
  run(&r, corner);
  assert_true(value(&r, "fl.turn") > 0.01);
  assert_close(value(&r, "fr.turn"), value(&r, "fl.turn"), 1e-11);
  assert_close(value(&r, "rr.travel"), value(&r, "rl.travel"), 1e-11);
  assert_close(value(&r, "slant"), 0, 1e-11); // angles are those of the model outside
  assert_close(value(&r, "car.y"), 0, 1e-11);
  assert_close(value(&r, "fr.arm.x"), value(&r, "fl.arm.x"), 1e-11);
  assert_close(value(&r, "fr.arm.y"), -value(&r, "fl.arm.y"), 1e-11);
  end(&r);
}

// The same written out: a used part is the model without it, to the last bit.
static void a_used_part_is_the_model_written_out(void **state) {
  static const char used[] = "part: swing\n"
                             "parameters: {l: 0.5, c: 0.1}\n"
                             "inputs: {push: 0}\n"
                             "bodies: {bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [l, 0, 0]}}\n"
                             "joints: {pin: {bodies: [ground, bob], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                             "forces: {drive: {type: force, at: bob, torque: [0, 0, \"push - f(pin.w, c)\"]}}\n"
                             "functions: {\"f(w, d)\": \"d*w*abs(w) + x\"}\n"
                             "states: {x: {rate: pin.angle - x}}\n"
                             "---\n"
                             "flyball: 1\ngravity: [0, -9.81, 0]\n"
                             "use: {one: {part: swing, push: 3*sin(time)}, two: {part: swing, push: one.x, l: 0.8}}\n",
                    out[] = "flyball: 1\ngravity: [0, -9.81, 0]\n"
                            "bodies:\n"
                            "  b1: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
                            "  b2: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.8, 0, 0]}\n"
                            "joints:\n"
                            "  p1: {bodies: [ground, b1], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                            "  p2: {bodies: [ground, b2], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                            "forces:\n"
                            "  d1: {type: force, at: b1, torque: [0, 0, 3*sin(time) - (0.1*p1.w*abs(p1.w) + x1)]}\n"
                            "  d2: {type: force, at: b2, torque: [0, 0, x1 - (0.1*p2.w*abs(p2.w) + x2)]}\n"
                            "states: {x1: {rate: p1.angle - x1}, x2: {rate: p2.angle - x2}}\n";
  static const char *const names[][2] = {{"one.bob.x", "b1.x"}, {"two.bob.wz", "b2.wz"}, {"two.x", "x2"}};
  char text[2][4000];
  rows r[2];
  for (int k = 0; k < 2; k++) {
    snprintf(text[k], sizeof text[k], "%ssimulate: {end: 2, error: 1e-6, output: 2}\n", k == 0 ? used : out);
    run(&r[k], text[k]);
  }
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    assert_true(value(&r[0], names[k][0]) == value(&r[1], names[k][1]));
  end(&r[0]);
  end(&r[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_part_does_elsewhere_what_it_does_alone),
      cmocka_unit_test(a_car_of_corners_keeps_its_symmetry),
      cmocka_unit_test(a_used_part_is_the_model_written_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
