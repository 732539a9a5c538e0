// Equilibrium: against closed forms, one way against another, and what cannot be found is told.
// timeout: 60
//
// labels: blas
#define _POSIX_C_SOURCE 200809L
#include "analysis/rest.h"

// The message, whole.
static void assert_refused(rest *r, fly_status status, const char *message) {
  assert_int_equal(r->status, status);
  assert_string_equal(r->error.message, message);
  done(r);
}

static void assert_notes(const rest *r, const char *part) {
  if (!strstr(r->at->notes, part))
    fail_msg("'%s' is not in the notes:\n%s", part, r->at->notes);
}

// ------------------------------------------------------------------------------------------ the hanging chain

static void chain_of_ten(void **state) {
  for (int k = 0; k < 3; k++) {
    rest r = find_example("hanging-chain", WAYS[k], NULL);
    assert_found(&r, FLY_POISE_STABLE);
    assert_int_equal(r.at->freedoms, 8);
    check_chain(&r, 10, 1e-12);
    done(&r);
  }
}

// ------------------------------------------------------------------------------------------ closed forms

// A body hung by a spring at a point that is not its mass centre: that comes to hang below it.
static void suspended(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {box: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.3, 0.1, -1], markers: {eye: [0.1, 0.2, 0.2]}}}\n"
      "forces: {spring: {type: spring, from: ground, to: box.eye, stiffness: 100, free_length: 0.4, damping: 3}}\n";
  for (int k = 0; k < 3; k++) {
    rest r = find(text, WAYS[k], 0, NULL);
    assert_found(&r, FLY_POISE_NEUTRAL); // it may turn about the vertical
    assert_int_equal(r.at->neutral, 1);
    assert_notes(&r, "Neutral: `box` turns about");
    double stretched = 0.4 + 2 * G / 100;
    assert_near(value(&r, "spring", "length"), stretched, 1e-11);
    assert_near(value(&r, "spring", "force"), -2 * G, 1e-9);
    assert_near(value(&r, "box", "z"), -stretched - 0.3, 1e-11);
    assert_near(hypot(value(&r, "box", "x"), value(&r, "box", "y")), 0.0, 1e-10);
    done(&r);
  }
}

static const char pendulum[] =
    "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {angle: 0.3, T: 0}\n"
    "bodies:\n"
    "  arm: {type: planar, mass: 2, inertia: 0.1, angle: angle - 90*deg, position: ['0.5*sin(angle)', "
    "'-0.5*cos(angle)']}\n"
    "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
    "forces: {motor: {type: force, at: arm, torque: [0, 0, T]}}\n";

// m g l sin(angle) = T; the eigenvalue is m g l cos(angle) / (J + m l^2).
static void pendulum_with_torque(void **state) {
  const char *const set[] = {"T=7"};
  double angle = asin(7 / (2 * G * 0.5));
  for (int k = 0; k < 3; k++) {
    rest r = find(pendulum, WAYS[k], 1, set);
    assert_found(&r, FLY_POISE_STABLE);
    assert_near(value(&r, "arm", "x"), 0.5 * sin(angle), 1e-11);
    assert_near(value(&r, "arm", "y"), -0.5 * cos(angle), 1e-11);
    assert_near(r.at->lowest, 2 * G * 0.5 * cos(angle) / 0.6, 1e-9);
    assert_near(value(&r, "pin", "fy"), 2 * G, 1e-10);
    assert_near(value(&r, "motor", "tz"), 7.0, 0.0);
    assert_near(r.at->moved, 2 * 0.5 * sin((angle - 0.3) / 2), 1e-9);
    assert_near(r.at->turned, angle - 0.3, 1e-9);
    done(&r);
  }
}

// Upright it is in balance; only the energy, which looks for a minimum, leaves it.
static void inverted(void **state) {
  const char *const set[] = {"angle=180*deg"};
  for (int k = 0; k < 3; k++) {
    rest r = find(pendulum, WAYS[k], 1, set);
    bool leaves = strcmp(WAYS[k], "energy") == 0;
    assert_found(&r, leaves ? FLY_POISE_STABLE : FLY_POISE_UNSTABLE);
    assert_near(value(&r, "arm", "y"), leaves ? -0.5 : 0.5, 1e-12);
    assert_near(r.at->lowest, (leaves ? 1 : -1) * 2 * G * 0.5 / 0.6, 1e-9);
    assert_int_equal(r.at->unstable, !leaves);
    if (!leaves)
      assert_notes(&r, "Unstable: pushed a little, `arm` turns about");
    done(&r);
  }
  const char *const near_it[] = {"angle=175*deg"}; // from beside it all ways go down
  for (int k = 0; k < 3; k++) {
    rest r = find(pendulum, WAYS[k], 1, near_it);
    assert_found(&r, FLY_POISE_STABLE);
    assert_near(value(&r, "arm", "y"), -0.5, 1e-11);
    done(&r);
  }
}

// Two stable states, and between them one that is not: the spring has its free length at +-alpha. At 0 it is squeezed
// by s = 2 bar (1 - cos alpha), and the stiffness along the angle is -2 bar k s over a moment of inertia of 4/3 m
// bar^2: left turns about its foot (1/3), right slides too (1/12 + 1/4 at angle 0, its sliding is of second order).
static void toggle(void **state) {
  const struct {
    const char *set;
    double rise;
    fly_poise poise;
  } list[] = {{"tilt=0.3", 1, FLY_POISE_STABLE},  {"tilt=-0.3", -1, FLY_POISE_STABLE},
              {"tilt=0.05", 1, FLY_POISE_STABLE}, {"tilt=-0.05", -1, FLY_POISE_STABLE},
              {"tilt=0.7", 1, FLY_POISE_STABLE},  {"tilt=0", 0, FLY_POISE_UNSTABLE}};
  for (size_t m = 0; m < sizeof list / sizeof *list; m++)
    for (int k = 0; k < 3; k++) {
      if (list[m].rise == 0 && strcmp(WAYS[k], "energy") == 0)
        continue;
      rest r = find_example("toggle", WAYS[k], list[m].set);
      assert_found(&r, list[m].poise);
      assert_near(value(&r, "left", "y"), list[m].rise * sin(0.4) / 2, 1e-10);
      assert_near(value(&r, "right", "y"), list[m].rise * sin(0.4) / 2, 1e-10);
      if (list[m].rise == 0)
        assert_near(r.at->lowest, -2 * 1e4 * 2 * (1 - cos(0.4)) / (2.0 / 3), 1e-6);
      done(&r);
    }
  rest r = find_example("toggle", "energy", "tilt=0"); // leaves the saddle, for either side
  assert_found(&r, FLY_POISE_STABLE);
  assert_near(fabs(value(&r, "left", "y")), sin(0.4) / 2, 1e-10);
  done(&r);
}

// Dropped 1 m above a floor that pushes with 1e7 N/m, or drawn 0.3 m deep in it, where that is 3e6 N: the ball sinks in
// by its weight over the stiffness, and that is balanced, not only less than what there was.
static void contact(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {y: 1}\n"
      "bodies: {ball: {type: point, mass: 2, position: [0, y, 0]}}\n"
      "joints: {guide: {type: in-line, bodies: [ground, ball], at: [0, y, 0], axis: [0, 1, 0]}}\n"
      "forces: {floor: {type: force, at: ball, force: [0, 'impact(dy(ball), vy(ball), 0, 1e7, 1, 1e3, 1e-3)', 0]}}\n";
  const char *const high[] = {"y=1"}, *const deep[] = {"y=-0.3"};
  for (int k = 0; k < 6; k++) {
    rest r = find(text, WAYS[k / 2], 1, k % 2 ? high : deep);
    assert_found(&r, FLY_POISE_STABLE);
    assert_near(value(&r, "floor", "fy"), 2 * G, 1e-6);
    assert_near(value(&r, "ball", "y"), -2 * G / 1e7, 1e-12);
    done(&r);
  }
}

// A load that feels a reaction: F = 0.1 |R|, R = W + F, so F = 0.1 W / sqrt(0.99), and the arm leans by F / W.
static void feedback(void **state) {
  static const char text[] = "flyball: 1\ngravity: [0, -9.81, 0]\n"
                             "bodies: {arm: {type: planar, mass: 2, inertia: 0.1, position: [0.1, -0.5]}}\n"
                             "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                             "forces: {push: {type: force, at: arm, force: ['0.1*fm(pin)', 0, 0]}}\n";
  for (int k = 0; k < 3; k += 2) {
    rest r = find(text, WAYS[k], 0, NULL);
    assert_found(&r, FLY_POISE_STABLE);
    assert_near(value(&r, "push", "fx"), 0.1 * 2 * G / sqrt(0.99), 1e-9);
    assert_near(value(&r, "arm", "x") / -value(&r, "arm", "y"), 0.1 / sqrt(0.99), 1e-10);
    done(&r);
  }
  rest r = find(text, "energy", 0, NULL);
  assert_refused(&r, FLY_BAD_INPUT,
                 "model:5:10: force `push` feels accelerations or reactions, so there is no potential energy to be "
                 "least. Use --by newton.");
}

// ------------------------------------------------------------------------------------------ one way against another

// Where every body stands.
static double difference(const rest *a, const rest *b) {
  double most = 0;
  for (int k = 0; k < fly_run_rest_lines(a->run); k++) {
    fly_rest_line one = fly_run_rest_line(a->run, k), two = fly_run_rest_line(b->run, k);
    for (int c = 0; strcmp(one.section, "bodies") == 0 && c < 3; c++)
      most = fmax(most, fabs(one.value[c] - two.value[c]));
  }
  return most;
}

static void three_ways(void **state) {
  static const char *const examples[][2] = {
      {"suspension-corner", NULL}, {"engine-mounts", NULL}, {"suspended-body", NULL},     {"double-pendulum", NULL},
      {"four-bar", NULL},          {"bricard", NULL},       {"seven-body-spatial", NULL}, {"seven-body-planar", NULL},
      {"n-pendulum", NULL},        {"gear-pair", NULL},     {"governor", NULL},           {"hanging-chain", "n=40"},
      {"toggle", "g=9.81"},        {"chain", "hinged=1"}};
  say("%-20s %28s %10s %10s\n", "", "iterations", "energy off", "settling off");
  for (size_t m = 0; m < sizeof examples / sizeof *examples; m++) {
    rest r[3];
    for (int k = 0; k < 3; k++) {
      r[k] = find_example(examples[m][0], WAYS[k], examples[m][1]);
      assert_ok(r[k].status, &r[k].error);
      assert_int_equal(r[k].at->poise, r[0].at->poise);
      assert_near(r[k].at->lowest, r[0].at->lowest, 1e-6 * fabs(r[0].at->lowest) + 1e-7);
    }
    double energy = difference(&r[1], &r[0]), settling = difference(&r[2], &r[0]);
    say("%-20s %8ld %8ld %8ld    %10.2e %10.2e\n", examples[m][0], r[0].at->iterations, r[1].at->iterations,
        r[2].at->iterations, energy, settling);
    assert_near(energy, 0.0, 1e-8);
    assert_near(settling, 0.0, 1e-8);
    assert_true(r[2].at->time > 0);
    for (int k = 0; k < 3; k++)
      done(&r[k]);
  }
}

// Forces that are conservative although they are given by expressions: constant in space at a point off the centre, a
// field with a potential, laws of a length.
static void conservative_expressions(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {box: {mass: 2, inertia: [0.1, 0.2, 0.3], markers: {ear: [0.3, 0.2, 0.1]}}}\n"
      "forces:\n"
      "  mount: {type: bushing, from: ground, to: box, stiffness: [300, 400, 500, 9, 8, 7]}\n"
      "  pull: {type: force, at: box.ear, force: [5, -9, 4]}\n"
      "  field: {type: force, at: box.ear, force: ['-40*dx(box.ear)*dy(box.ear)^2', '-40*dx(box.ear)^2*dy(box.ear)', "
      "'-3*dz(box.ear)^3']}\n"
      "  law: {type: spring, from: ground, to: box.ear, force: '30*(0.3 - length)^3 - 4*rate'}\n";
  rest newton = find(text, "newton", 0, NULL), energy = find(text, "energy", 0, NULL);
  assert_found(&newton, FLY_POISE_STABLE);
  assert_found(&energy, FLY_POISE_STABLE);
  assert_true(newton.at->turned > 0.2);
  assert_near(difference(&newton, &energy), 0.0, 1e-11);
  assert_notes(&energy, "do nothing at rest");
  done(&newton);
  done(&energy);
}

// ------------------------------------------------------------------------------------------ paths that turn back

// r(x) = (3.2 - x) (0.3 + (x - 1.2)^2): downhill it runs away to the left. On the way to the only equilibrium, which is
// not stable, the force falls, rises and falls again.
static void path_turns(void **state) {
  static const char text[] =
      "flyball: 1\nbodies: {box: {type: planar, mass: 1, inertia: 0.1}}\n"
      "joints: {guide: {type: translational, bodies: [ground, box], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
      "forces: {field: {type: force, at: box, force: ['-(3.2 - dx(box))*(0.3 + (dx(box) - 1.2)^2)', 0, 0]}}\n";
  rest r = find(text, "newton", 0, NULL);
  assert_found(&r, FLY_POISE_UNSTABLE);
  assert_near(value(&r, "box", "x"), 3.2, 1e-12);
  assert_near(r.at->lowest, -(0.3 + 4.0), 1e-9);
  assert_notes(&r, "letting go the forces that hold the start");
  done(&r);
}

// ------------------------------------------------------------------------------------------ refusals

static void free_body(void **state) {
  static const char text[] = "flyball: 1\ngravity: [0, -9.81, 0]\n"
                             "bodies:\n  box: {mass: 2, inertia: [1, 1, 1], position: [1, 0, 0]}\n";
  for (int k = 0; k < 4; k++) {
    rest r = find(text, k < 3 ? WAYS[k] : NULL, 0, NULL);
    assert_refused(
        &r, FLY_NO_CONVERGENCE,
        "model:4:3: There is no equilibrium: `box` moves along -y and nothing holds it; wherever it is, 19.6 "
        "N push it on. Hold it by a joint, a spring or a motion, or take that load away.");
  }
  static const char weightless[] = "flyball: 1\nbodies: {box: {mass: 2, inertia: [1, 1, 1]}}\n";
  rest r = find(weightless, NULL, 0, NULL);
  assert_found(&r, FLY_POISE_NEUTRAL);
  assert_int_equal(r.at->neutral, 6);
  assert_notes(&r, "Neutral: `box` moves along x, and nothing holds it. A joint or a spring would.");
  done(&r);
}

static void too_much_torque(void **state) {
  const char *const set[] = {"T=10"}; // m g l = 9.81
  for (int k = 0; k < 4; k++) {
    rest r = find(pendulum, k < 3 ? WAYS[k] : NULL, 1, set);
    assert_int_equal(r.status, FLY_NO_CONVERGENCE);
    assert_non_null(strstr(r.error.message, "No equilibrium was found: `arm` turns about z on and on. Where the forces "
                                            "come nearest to balance, what is left is 0.19"));
    const bool let_go = strstr(r.error.message, "Of the forces that would hold the start, 92 % can be let go") != NULL;
    assert_true(let_go == (k == 0 || k == 3)); // as Newton's iteration does
    done(&r);
  }
}

static const char column[] =
    "flyball: 1\n"
    "bodies:\n"
    "  one: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], markers: {tip: [0.5, 0]}}\n"
    "  two: {type: planar, mass: 1, inertia: 0.1, position: [1.5, 0], markers: {foot: [-0.5, 0], tip: [0.5, 0]}}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, one], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  knee: {type: revolute, from: one.tip, to: two.foot}\n"
    "parameters: {P: 5}\n"
    "forces:\n"
    "  coil1: {type: torsion-spring, joint: pin, stiffness: 10, damping: 1}\n"
    "  coil2: {type: torsion-spring, joint: knee, stiffness: 10}\n"
    "  thrust: {type: force, at: two.tip, force: [-P, 0, 0], axes: two.tip}\n";

// Ziegler's column: the force follows its end. With a large force it flutters, which the stiffness alone does not show.
static void follower(void **state) {
  rest r = find(column, "energy", 0, NULL);
  assert_refused(
      &r, FLY_BAD_INPUT,
      "model:12:3: force `thrust` is not conservative: its work depends on the way, as of a force that turns "
      "with its body, so there is no potential energy to be least. Use --by newton or --by settling.");
  r = find(column, "newton", 0, NULL);
  assert_found(&r, FLY_POISE_STABLE);
  done(&r);
  const char *const set[] = {"P=25"};
  r = find(column, "newton", 1, set);
  assert_found(&r, FLY_POISE_UNKNOWN);
  assert_notes(&r, "couple 2 directions: flyball modes tells whether it flutters");
  done(&r);
}

// A field that goes round, and dry friction.
static void not_conservative(void **state) {
  static const char text[] = "flyball: 1\n"
                             "bodies:\n"
                             "  bob: {type: point, mass: 1, position: [0.1, 0.2, 0]}\n"
                             "forces:\n"
                             "  hold: {type: bushing, from: ground, to: bob, stiffness: [9, 9, 9, 0, 0, 0], damping: "
                             "[1, 1, 1, 0, 0, 0]}\n"
                             "  round: {type: force, at: bob, force: [-0.1*dy(bob), 0.1*dx(bob), 0]}\n";
  static const char rubbing[] = "flyball: 1\n"
                                "bodies:\n"
                                "  bob: {type: point, mass: 1, position: [0.1, 0.2, 0]}\n"
                                "forces:\n"
                                "  hold: {type: bushing, from: ground, to: bob, stiffness: [9, 9, 9, 0, 0, 0]}\n"
                                "  rub: {type: force, at: bob, force: [-3*sign(vx(bob)), 0, 0]}\n";
  rest r = find(text, "energy", 0, NULL);
  assert_refused(&r, FLY_BAD_INPUT,
                 "model:6:3: force `round` is not conservative: its work depends on the way, as of a force that turns "
                 "with its body, so there is no potential energy to be least. Use --by newton or --by settling.");
  r = find(text, "newton", 0, NULL);
  assert_near(hypot(value(&r, "bob", "x"), value(&r, "bob", "y")), 0.0, 1e-12);
  done(&r);
  r = find(rubbing, "energy", 0, NULL);
  assert_refused(&r, FLY_BAD_INPUT,
                 "model:6:3: force `rub` is dry friction: it jumps where a velocity changes its sign, and the model "
                 "rests wherever that holds it, not where the energy is least. Use --by settling.");
}

static void wrong_word(void **state) {
  rest r = find(pendulum, "enrgy", 0, NULL);
  assert_refused(&r, FLY_BAD_INPUT, "There is no way `enrgy` to find an equilibrium; did you mean `energy`?");
}

// ------------------------------------------------------------------------------------------ motions, runs from there

// A crank that is driven holds its angle at t = 0; the load it carries is what the motion must give.
static void motions_hold(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\n"
      "bodies:\n"
      "  crank: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], markers: {pin: [0.5, 0]}}\n"
      "  bob: {type: planar, mass: 3, inertia: 0.1, position: [1, -0.7], markers: {eye: [0, 0.7]}}\n"
      "joints:\n"
      "  axle: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  hook: {type: revolute, from: crank.pin, to: bob.eye}\n"
      "motions: {drive: {joint: axle, angle: 0.2 + 10*time + 100*time^2}}\n";
  for (int k = 0; k < 3; k++) {
    rest r = find(text, WAYS[k], 0, NULL);
    assert_found(&r, FLY_POISE_STABLE);
    assert_int_equal(r.at->freedoms, 1);
    assert_notes(&r, "Motions hold the value they have at t = 0 s.");
    assert_near(value(&r, "crank", "x"), 0.5 * cos(0.2), 1e-12);
    assert_near(value(&r, "crank", "turned"), 0.0, 1e-12); // from where it was assembled: not once around
    assert_near(value(&r, "bob", "x"), cos(0.2), 1e-12);
    assert_near(value(&r, "bob", "y"), sin(0.2) - 0.7, 1e-11);
    assert_near(value(&r, "axle", "tz"), (0.5 * 1 + 3) * G * cos(0.2), 1e-9);
    done(&r);
  }
}

// From an equilibrium nothing moves: every channel stays what it is.
static void run_from_rest(void **state) {
  static const char text[] =
      "flyball: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {box: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.2, 0.1, 0], velocity: [1, 2, 3], markers: "
      "{ear: [0.3, 0.2, 0.1]}}}\n"
      "forces:\n"
      "  mount: {type: bushing, from: ground, to: box.ear, stiffness: [300, 400, 500, 9, 8, 7]}\n"
      "  pull: {type: force, at: box.ear, force: [5, -9, 4]}\n"
      "simulate: {end: 2, method: ch, start: equilibrium, output: 0.1}\n";
  simulation s = {.options = fly_run_options_default()};
  s.options.channels = "all";
  fly_result *r = simulate_into_folder(&s, text);
  const fly_result_info *i = fly_result_info_of(r);
  assert_int_equal(i->rows, 21);
  for (int c = 1; c < i->count; c++) {
    double *v = read_channel(r, i->channel[c].name);
    for (long k = 1; k < i->rows; k++)
      assert_near(v[k], v[0], 1e-9);
    free(v);
  }
  double *x = read_channel(r, "box.x");
  assert_true(fabs(x[0] - 0.2) > 1e-3); // it is not where it was given
  free(x);
  fly_result_close(r);
  simulation_free(&s);
}

static void wrong_start(void **state) {
  static const char text[] = "flyball: 1\nbodies: {box: {mass: 2, inertia: [1, 1, 1]}}\nsimulate: {end: 1, start: "
                             "equilibrum}\n";
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  assert_ok(fly_mechanism_parse(&m, "model", text, strlen(text), 0, NULL, &error), &error);
  assert_int_equal(fly_run_create(&run, m, &o, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, "start `equilibrum` is unknown; did you mean `equilibrium`?");
  fly_mechanism_free(m);
}

// On its way the energy leads past places where the four-bars lie level and the matrix of their constraints is
// singular: what is solved next must not take it for one that is factorized.
static void past_singular_places(void **state) {
  static const char text[] = "flyball: 1\ngravity: [0, -9.81, 0]\nrepeat:\n"
                             "  posts:\n    count: 3\n    first: 0\n    bodies:\n"
                             "      post$i: {type: planar, mass: 1, inertia: 1/12, center: [-1000, 0.5], position: [i, "
                             "0], markers: {top: [0, 1]}}\n"
                             "    joints:\n"
                             "      A$i: {type: revolute, bodies: [ground, post$i], at: [i, 0, 0], axis: [0, 0, 1]}\n"
                             "  windows:\n    count: 2\n    bodies:\n"
                             "      roof$i: {type: planar, mass: 1, inertia: 1/12, center: [0.5, 0], position: [i - 1, "
                             "1], markers: {end: [1, 0]}}\n"
                             "    joints:\n"
                             "      B$i: {type: revolute, from: post$(i-1).top, to: roof$i}\n"
                             "      C$i: {type: revolute, from: roof$i.end, to: post$i.top}\n";
  for (int k = 0; k < 3; k++) {
    rest r = find(text, WAYS[k], 0, NULL);
    assert_true(r.status == FLY_OK || r.error.message[0]);
    if (r.status == FLY_OK)
      assert_true(r.at->residual < 1e-9);
    done(&r);
  }
}

// Masses 26 orders apart: in double precision the mass matrix of what can move is not positive definite.
static void masses_too_far_apart_are_told(void **state) {
  rest r = find("flyball: 1\nbodies:\n  a: {mass: 1e20, inertia: [1e20, 1e20, 1e20]}\n"
                "  b: {mass: 1e-6, inertia: [1e-6, 1e-6, 1e-6], position: [1, 0, 0]}\n"
                "  c: {mass: 1e-6, inertia: [1e-6, 1e-6, 1e-6], position: [2, 0.3, 0.1]}\njoints:\n"
                "  j: {type: spherical, bodies: [ground, a], at: [0.1, 0.2, 0]}\n"
                "  k: {type: spherical, bodies: [a, b], at: [0.5, 0.1, 0.4]}\n"
                "  l: {type: spherical, bodies: [b, c], at: [1.5, 0.2, 0.3]}\nforces:\n"
                "  s: {type: bushing, from: ground, to: a, stiffness: [3, 4, 5, 1, 2, 3]}\n",
                NULL, 0, NULL);
  assert_int_equal(r.status, FLY_SINGULAR);
  assert_non_null(strstr(r.error.message, "too far apart"));
  done(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chain_of_ten),
      cmocka_unit_test(suspended),
      cmocka_unit_test(pendulum_with_torque),
      cmocka_unit_test(inverted),
      cmocka_unit_test(toggle),
      cmocka_unit_test(contact),
      cmocka_unit_test(feedback),
      cmocka_unit_test(three_ways),
      cmocka_unit_test(conservative_expressions),
      cmocka_unit_test(path_turns),
      cmocka_unit_test(free_body),
      cmocka_unit_test(too_much_torque),
      cmocka_unit_test(follower),
      cmocka_unit_test(not_conservative),
      cmocka_unit_test(wrong_word),
      cmocka_unit_test(motions_hold),
      cmocka_unit_test(run_from_rest),
      cmocka_unit_test(wrong_start),
      cmocka_unit_test(past_singular_places),
      cmocka_unit_test(masses_too_far_apart_are_told),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
