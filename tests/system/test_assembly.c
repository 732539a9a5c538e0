// Starts that do not fit, constraints that repeat or contradict each other, and models that make no sense.
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "flyball/model.h"
#include "system/machine.h"

// ------------------------------------------------------------------------------------------ by the public interface

typedef struct outcome {
  fly_mechanism *mechanism;
  fly_run *run;
  fly_status status;
  fly_error error;
} outcome;

static outcome try_text(const char *text, double end) {
  outcome o = {0};
  char file[] = "/tmp/flyball-assembly-XXXXXX";
  int handle = mkstemp(file);
  assert_true(handle >= 0);
  assert_int_equal(write(handle, text, strlen(text)), strlen(text));
  close(handle);
  fly_run_options options = fly_run_options_default();
  options.end = end;
  options.error = 1e-5;
  o.status = fly_mechanism_load(&o.mechanism, file, 0, NULL, &o.error);
  if (o.status == FLY_OK)
    o.status = fly_run_create(&o.run, o.mechanism, &options, &o.error);
  if (o.status == FLY_OK)
    o.status = fly_run_start(o.run, &o.error);
  if (o.status == FLY_OK && end > 0)
    o.status = fly_run_go(o.run, &o.error);
  say("%s: %s\n%s\n", fly_status_name(o.status), o.error.message, o.run ? fly_run_redundancy(o.run) : "");
  unlink(file);
  return o;
}

static void outcome_free(outcome *o) {
  fly_run_free(o->run);
  fly_mechanism_free(o->mechanism);
}

static void assert_refused(const char *text, fly_status status, const char *message) {
  outcome o = try_text(text, 0.1);
  assert_int_equal(o.status, status);
  assert_says(&o.error, message);
  outcome_free(&o);
}

#define HEAD "flyball: 1\ngravity: [0, -9.81, 0]\n"

// ------------------------------------------------------------------------------------------ assembly

// The hole of the bar is 0.3 m from the pin, the velocity does not fit either.
static void moved_onto_the_pin(void **state) {
  machine *m = machine_text(
      HEAD
      "bodies:\n"
      "  bar: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.7, 0.2, 0.1], velocity: [0, 0, 1],\n"
      "    angular_velocity: [1, 0, 2], orientation: {axis: [1, 1, 0], angle: 0.2}, markers: {end: [-0.5, 0, 0]}}\n"
      "joints:\n"
      "  pin: {type: revolute, from: ground, to: bar.end}\n");
  double g[5], rate[5] = {0}, G[200];
  machine_start(m, 1e-5, 0.1);
  fly_dae_state at = fly_solver_state(m->solver);
  m->system.dae.constraint(g, 0, at.q, &m->system);
  m->system.dae.constraint_jacobian(memset(G, 0, sizeof G), 0, at.q, &m->system);
  for (int c = 0; c < 6; c++)
    for (int k = m->system.G.start[c]; k < m->system.G.start[c + 1]; k++)
      rate[m->system.G.row[k]] += G[k] * at.v[c];
  for (int k = 0; k < 5; k++) {
    assert_close(g[k], 0, 1e-10);
    assert_close(rate[k], 0, 1e-10);
  }
  assert_between(fly_solver_certificate(m->solver).start_position, 0.05, 1.0);
  machine_free(m);
}

#define FOUR_BAR(type, inertia, z, a1, a2, a3, p2, p3)                                                                 \
  "bodies:\n"                                                                                                          \
  "  ground: {markers: {A: [0, 0, 0], D: [1, 0, 0]}}\n"                                                                \
  "  crank: {" type "mass: 1, inertia: " inertia ", " a1 ", markers: {A: [0, 0" z "], B: [0.3, 0" z "]}}\n"            \
  "  coupler: {" type "mass: 1, inertia: " inertia ", position: " p2 ", " a2 ", markers: {B: [0, 0" z                  \
  "], C: [0.9, 0" z "]}}\n"                                                                                            \
  "  rocker: {" type "mass: 1, inertia: " inertia ", position: " p3 ", " a3 ", markers: {D: [0, 0" z "], C: [0.8, 0" z \
  "]}}\n"                                                                                                              \
  "joints:\n"                                                                                                          \
  "  jA: {type: revolute, from: ground.A, to: crank.A}\n"                                                              \
  "  jB: {type: revolute, from: crank.B, to: coupler.B}\n"                                                             \
  "  jC: {type: revolute, from: coupler.C, to: rocker.C}\n"                                                            \
  "  jD: {type: revolute, from: ground.D, to: rocker.D}\n"

// A four-bar sketched by eye closes.
static void sketched_four_bar(void **state) {
  outcome o = try_text(
      HEAD FOUR_BAR("type: planar, ", "0.1", "", "angle: 1.5", "angle: 0.5", "angle: 1.8", "[0, 0.3]", "[1, 0]"), 0.1);
  assert_ok(o.status, &o.error);
  fly_mechanism_info info = fly_run_info(o.run);
  assert_int_equal(info.rows, 8);
  assert_int_equal(info.rank, 8);
  assert_at_most(fly_run_certificate(o.run).position, 1e-9);
  outcome_free(&o);
}

// The same in space: three rows repeat others, but only where the bars lie in the plane, which the sketch does not.
static void sketched_four_bar_in_space(void **state) {
  outcome o = try_text(HEAD FOUR_BAR("", "[0.01, 0.1, 0.1]", ", 0", "orientation: {axis: [0, 0.02, 1], angle: 1.5}",
                                     "orientation: {axis: [0.01, 0, 1], angle: 0.5}",
                                     "orientation: {axis: [0, 0.01, 1], angle: 1.8}", "[0, 0.3, 0.01]", "[1, 0, 0]"),
                       0.1);
  assert_ok(o.status, &o.error);
  fly_mechanism_info info = fly_run_info(o.run);
  assert_int_equal(info.rows, 20);
  assert_int_equal(info.rank, 17);
  outcome_free(&o);
}

static void loop_that_cannot_close(void **state) {
  outcome o = try_text(
      HEAD "bodies:\n"
           "  ground: {markers: {A: [0, 0, 0], D: [3, 0, 0]}}\n"
           "  one: {type: planar, mass: 1, inertia: 0.1, markers: {B: [1, 0]}}\n"
           "  two: {type: planar, mass: 1, inertia: 0.1, position: [2, 0], markers: {B: [-0.5, 0], D: [0.5, 0]}}\n"
           "joints:\n"
           "  jA: {type: revolute, from: ground.A, to: one}\n"
           "  jB: {type: revolute, from: one.B, to: two.B}\n"
           "  jD: {type: revolute, from: ground.D, to: two.D}\n",
      0.1);
  assert_int_equal(o.status, FLY_INCONSISTENT);
  assert_says(&o.error, "`j"); // a joint by name
  outcome_free(&o);
}

#define TWO_BARS(base, turn, x2, y2)                                                                                   \
  HEAD "bodies:\n"                                                                                                     \
       "  ground: {markers: {A: [0, 0, 0], D: [" base ", 0, 0]}}\n"                                                    \
       "  one: {type: planar, mass: 1, inertia: 0.1, angle: " turn ", markers: {B: [1, 0]}}\n"                         \
       "  two: {type: planar, mass: 1, inertia: 0.1, position: [" x2 ", " y2 "], markers: {D: [1, 0]}}\n"              \
       "joints:\n"                                                                                                     \
       "  jA: {type: revolute, from: ground.A, to: one}\n"                                                             \
       "  jB: {type: revolute, from: one.B, to: two}\n"                                                                \
       "  jD: {type: revolute, from: ground.D, to: two.D}\n"

// Two bars of 1 m cannot reach 3 m, here from a start that is not singular.
static void bent_loop_that_cannot_close(void **state) {
  outcome o = try_text(TWO_BARS("3", "0.5", "1", "0.2"), 0.1);
  assert_int_equal(o.status, FLY_INCONSISTENT);
  assert_says(&o.error,
              "revolute `jD` cannot be closed: where everything fits as well as it can, `x` is left with -0.562 m.");
  outcome_free(&o);
}

// They reach 1.5 m: a triangle, found from a start near it, and from one in line, where one row seems to follow from
// the others.
static void triangle(void **state) {
  outcome o = try_text(TWO_BARS("1.5", "0.5", "1", "0.4"), 0.1);
  assert_ok(o.status, &o.error);
  assert_int_equal(fly_run_info(o.run).rank, 6);
  outcome_free(&o);
}
static void triangle_from_bars_in_line(void **state) {
  outcome o = try_text(TWO_BARS("1.5", "0", "1", "0"), 0.1);
  assert_ok(o.status, &o.error);
  assert_int_equal(fly_run_info(o.run).rank, 6);
  outcome_free(&o);
}

// ------------------------------------------------------------------------------------------ redundancy

#define DOOR                                                                                                           \
  "bodies:\n"                                                                                                          \
  "  ground: {markers: {low: [0, 0, 0], high: [0, 0, 2]}}\n"                                                           \
  "  door: {mass: 10, inertia: [3, 4, 1.5], position: [0.5, 0, 1], markers: {low: [-0.5, 0, -1], high: [-0.5, 0, "     \
  "1],\n"                                                                                                              \
  "    wrong: [-0.5, 0, 1.2], beside: [-0.4, 0, 1]}}\n"                                                                \
  "joints:\n"                                                                                                          \
  "  hinge1: {type: revolute, from: ground.low, to: door.low}\n"

static void two_hinges(void **state) {
  outcome o = try_text(HEAD DOOR "  hinge2: {type: revolute, from: ground.high, to: door.high}\n", 0.1);
  assert_ok(o.status, &o.error);
  fly_mechanism_info info = fly_run_info(o.run);
  assert_int_equal(info.rows, 10);
  assert_int_equal(info.rank, 5);
  assert_int_equal(info.redundant, 5);
  assert_non_null(strstr(fly_run_redundancy(o.run), "`hinge2, "));
  outcome_free(&o);
}

static void hinges_that_contradict(void **state) {
  assert_refused(HEAD DOOR "  hinge2: {type: revolute, from: ground.high, to: door.wrong}\n", FLY_INCONSISTENT,
                 "`hinge2, z` contradicts");
  assert_refused(HEAD DOOR "  hinge2: {type: revolute, from: ground.high, to: door.beside}\n", FLY_INCONSISTENT,
                 "`hinge2, ");
}

static void links_that_contradict(void **state) {
  assert_refused(HEAD "bodies:\n  bob: {type: point, mass: 1, position: [1, 0, 0]}\njoints:\n"
                      "  one: {type: distance, from: ground, to: bob, length: 1}\n"
                      "  two: {type: distance, from: ground, to: bob, length: 1.1}\n",
                 FLY_INCONSISTENT, "`two, length` contradicts");
}

#define DRIVEN                                                                                                         \
  "bodies:\n  wheel: {type: planar, mass: 1, inertia: 0.1}\n"                                                          \
  "joints:\n  pin: {type: revolute, from: ground, to: wheel}\n"

static void motion_given_twice(void **state) {
  outcome o =
      try_text(HEAD DRIVEN "motions:\n  one: {joint: pin, angle: time}\n  two: {joint: pin, angle: time}\n", 0.1);
  assert_ok(o.status, &o.error);
  assert_int_equal(fly_run_info(o.run).redundant, 1);
  outcome_free(&o);
}

// Alike at the start only.
static void motions_that_contradict(void **state) {
  assert_refused(HEAD DRIVEN "motions:\n  one: {joint: pin, angle: time}\n  two: {joint: pin, angle: 2*time}\n",
                 FLY_INCONSISTENT, "two");
  assert_refused(HEAD DRIVEN "motions:\n  one: {joint: pin, velocity: 1}\n  two: {joint: pin, velocity: 1 + time}\n",
                 FLY_INCONSISTENT, "accelerations");
  assert_refused(HEAD DRIVEN "motions:\n  one: {joint: pin, velocity: 1}\n"
                             "  two: {from: ground, to: wheel, direction: about-z, velocity: 2}\n",
                 FLY_INCONSISTENT, "velocities");
}
static void accelerations_that_contradict(void **state) {
  assert_refused(HEAD DRIVEN "motions:\n  one: {joint: pin, angle: time}\n  two: {joint: pin, angle: time + time^2}\n",
                 FLY_INCONSISTENT, "two");
}

// Alike at the start up to accelerations: they part on the way, and the run ends there.
static void motions_that_part_later(void **state) {
  outcome o = try_text(
      HEAD DRIVEN "motions:\n  one: {joint: pin, angle: time}\n  two: {joint: pin, angle: time + time^3}\n", 1.0);
  assert_int_equal(o.status, FLY_INCONSISTENT);
  assert_says(&o.error, "`two, angle` contradicts the other constraints");
  assert_says(&o.error, "This shows at t = 0.");
  assert_between(fly_run_time(o.run), 0.0464, 0.1); // time^3 = 1e-4, and the step that passes it
  assert_close(o.error.time, fly_run_time(o.run), 0);
  outcome_free(&o);
}

// ------------------------------------------------------------------------------------------ models without sense

static void messages(void **state) {
  static const char *const BODY =
      HEAD "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], markers: {m: [1, 0, 0]}}\n"
           "  b: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n";
#define PINS                                                                                                           \
  "joints:\n"                                                                                                          \
  "  j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"                                       \
  "  k: {type: revolute, bodies: [ground, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"                                       \
  "  l: {type: revolute, bodies: [ground, b], at: [1, 0, 0], axis: [0, 1, 1]}\n"
#define POINT_MASS "  o: {type: point, mass: 1, position: [0, 1, 0]}\njoints:\n"
#define FLAT_BODIES "  ground: {markers: {up: [0, 0, 1]}}\n  p: {type: planar, mass: 1, inertia: 1}\njoints:\n"
  static const struct {
    const char *more, *message;
  } bad[] = {
      {"joints:\n  j: {type: revolute, bodies: [a, a], at: [0, 0, 0], axis: [0, 0, 1]}\n", "itself"},
      {"joints:\n  j: {type: revolute, from: a.m, to: a}\n", "both ends are on one body"},
      {"joints:\n  j: {type: fixed, bodies: [ground, ground], at: [0, 0, 0]}\n", "itself"},
      {"joints:\n  j: {type: distance, from: a.m, to: a}\n", "both ends are on one body"},
      {"joints:\n  j: {type: distance, from: a.m, to: b}\n", "its ends coincide"},
      {"joints:\n  j: {type: revolute, bodies: [a, c], at: [0, 0, 0], axis: [0, 0, 1]}\n", "there is no body 'c'"},
      {"joints:\n  j: {type: revolute, from: a.n, to: b}\n", "'a' has no marker 'n'"},
      {"joints:\n  j: {type: revolute, bodies: [a, b], axis: [0, 0, 1]}\n", "`at` is missing"},
      {"joints:\n  j: {type: revolute, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 0]}\n", "`axis` has no length"},
      {"joints:\n  j: {type: spherical, bodies: [a, b], at: [0, 0, 0]}\nmotions:\n  m: {joint: j, angle: time}\n",
       "does not turn"},
      {"joints:\n  j: {type: revolute, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 1]}\nmotions:\n"
       "  m: {joint: j, displacement: time}\n",
       "does not slide"},
      {"joints:\n  j: {type: revolute, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 1]}\nmotions:\n"
       "  m: {joint: j, angle: 'dx(a, b)'}\n",
       "time only"},
      {"joints:\n  j: {type: revolute, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"
       "  c: {type: coupler, joints: [j], ratios: [1]}\n",
       "two or three joints"},
      {"joints:\n  j: {type: revolute, bodies: [a, b], at: [0, 0, 0]}\n", "`axis` is missing"},
      {"joints:\n  j: {type: universal, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 1]}\n", "`axis2` is missing"},
      {"joints:\n  j: {type: constant-velocity, bodies: [a, b], at: [0, 0, 0], axis: [1, 0, 0], axis2: [-1, 0.1, 0]}\n",
       "90 degrees apart"},
      {PINS "  g: {type: gear, joints: [j, k]}\n", "either `radii` or `ratio`"},
      {PINS "  g: {type: gear, joints: [j, k], ratio: 0}\n", "`ratio` is 0"},
      {PINS "  g: {type: gear, joints: [j, k], ratio: 2, mesh: internal}\n", "`mesh` goes with `radii`"},
      {PINS "  g: {type: gear, joints: [j, k], radii: [1, 2]}\n", "its axes are 1 m apart"},
      {PINS "  g: {type: gear, joints: [j, l], radii: [1, 2]}\n", "not parallel"},
      {PINS "  g: {type: gear, joints: [j, j], ratio: 2}\n", "they have two"},
      {PINS "  g: {type: gear, joints: [j, k, l], ratio: 2}\n", "takes a list of 2 joints, not 3"},
      {PINS "  s: {type: translational, bodies: [b, ground], at: [0, 0, 0], axis: [1, 0, 0]}\n"
            "  g: {type: gear, joints: [j, s], ratio: 2}\n",
       "does not turn"},
      {PINS "  g: {type: rack-pinion, joints: [j, k], radius: 2}\n", "does not slide"},
      {PINS "  s: {type: translational, bodies: [b, ground], at: [0, 0, 0], axis: [1, 0, 0]}\n"
            "  g: {type: rack-pinion, joints: [j, s], radius: 0}\n",
       "`radius` is 0"},
      {POINT_MASS "  p: {type: revolute, bodies: [a, o], at: [0, 1, 0], axis: [1, 0, 0]}\n", "has no axes"},
      {POINT_MASS "  p: {type: in-plane, bodies: [o, a], at: [0, 1, 0], axis: [1, 0, 0]}\n", "be the second body"},
      {POINT_MASS "  p: {type: spherical, bodies: [a, o], at: [0, 1.5, 0]}\n", "0.5 m from the point mass"},
      {FLAT_BODIES "  p: {type: spherical, from: ground.up, to: p}\n", "its height is off by -1"},
      {FLAT_BODIES "  p: {type: planar, bodies: [ground, p], at: [0, 0, 0]}\n", "holds nothing"},
      {"forces:\n  s: {type: spring, from: a, to: a.m, stiffness: 1}\n", "both ends are on one body"},
      {"joints:\n  j: {type: revolute, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"
       "  k: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"
       "  c: {type: coupler, joints: [j, k], ratios: [1, 2]}\noutputs:\n  x: fx(c)\n",
       "no reaction of its own"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s", BODY, bad[k].more);
    assert_refused(text, FLY_BAD_INPUT, bad[k].message);
  }
}

// A force m a cancels the mass.
static void a_force_that_cancels_a_mass(void **state) {
  outcome o = try_text(HEAD "bodies:\n  a: {mass: 2, inertia: [1, 1, 1]}\n"
                            "forces:\n  f: {type: force, at: a, force: ['2*accx(a)', 0, 0]}\n",
                       0.1);
  assert_int_equal(o.status, FLY_SINGULAR);
  assert_says(&o.error, "cancels the mass");
  outcome_free(&o);
}

// A door on two hinges: which of them carries it is not known, and who asks is told.
static void a_reaction_that_is_not_determined(void **state) {
  outcome o = try_text(HEAD "bodies:\n  door: {mass: 2, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
                            "joints:\n"
                            "  low: {type: revolute, bodies: [ground, door], at: [0, 0, -1], axis: [0, 0, 1]}\n"
                            "  high: {type: revolute, bodies: [ground, door], at: [0, 0, 1], axis: [0, 0, 1]}\n"
                            "outputs:\n  f: fm(high)\n",
                       0.1);
  assert_ok(o.status, &o.error);
  assert_non_null(strstr(fly_run_redundancy(o.run), "how `high` shares its load with others is not determined"));
  outcome_free(&o);
}

// More rows than a universal joint has: its axes must be perpendicular at the start, or it is bent by assembly.
static void universal_joint_out_of_square(void **state) {
  outcome o = try_text(
      HEAD "bodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
           "joints:\n  j: {type: universal, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0.2]}\n",
      0.1);
  assert_ok(o.status, &o.error);
  assert_at_most(fly_run_certificate(o.run).position, 1e-9);
  outcome_free(&o);
}

// Errors are counted by how large bodies are, wherever they stand; a marker that a rounding has moved is none.
static void a_size_is_the_same_far_away(void **state) {
  static const double away[] = {0, 1e3, 1e6};
  for (size_t k = 0; k < sizeof away / sizeof *away; k++) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "flyball: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], position: [%g, %g, 7], markers: {m: [0.3, 0, 0]}}\n"
        "joints:\n  j: {type: spherical, bodies: [ground, b], at: [%g, %g, 7]}\n",
        away[k], away[k], away[k], away[k]);
    machine *m = machine_text(text);
    assert_true(fabs(m->model.size - 0.3) < 1e-9);
    machine_free(m);
  }
}

// A system of rows alone has the constraints of a whole one; its derivatives come when they are asked for.
static void rows_come_without_derivatives(void **state) {
  const char *const examples[] = {"seven-body-spatial", "n-four-bar", "car", "flexible-crank"};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    machine *m = machine_example(examples[i]);
    fly_error error = {0};
    fly_system rows;
    assert_ok(fly_system_create(&m->system, &m->model, 0, NULL, &error), &error);
    assert_ok(fly_system_create_rows(&rows, &m->model, &(fly_softness){0}, &error), &error);
    const fly_system *whole = &m->system;
    assert_true(whole->derived && rows.derived == (m->model.nframe > 0));
    assert_int_equal(rows.nactive, whole->nactive);
    const int entries = fly_csc_nnz(&whole->G);
    assert_int_equal(fly_csc_nnz(&rows.G), entries);
    rows.dae.constraint_jacobian(rows.G.val, 0.0, rows.q0, &rows);
    m->system.dae.constraint_jacobian(m->system.G.val, 0.0, whole->q0, &m->system);
    assert_memory_equal(rows.G.val, whole->G.val, (size_t)entries * sizeof(double));
    assert_ok(fly_system_derive(&rows, &error), &error);
    assert_true(rows.derived);
    assert_int_equal(fly_csc_nnz(&rows.J), fly_csc_nnz(&whole->J));
    assert_memory_equal(rows.J.row, whole->J.row, (size_t)fly_csc_nnz(&rows.J) * sizeof(int));
    assert_true((rows.dae.tree != NULL) == (whole->dae.tree != NULL));
    fly_system_free(&rows);
    machine_free(m);
  }
}

// A system beside another has its patterns if it keeps the same rows, also when that one is gone.
static void patterns_are_shared(void **state) {
  const char *const examples[] = {"seven-body-spatial", "n-four-bar", "flexible-crank"};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    machine *m = machine_example(examples[i]);
    fly_error error = {0};
    fly_system rows, beside, fewer;
    assert_ok(fly_system_create(&m->system, &m->model, 0, NULL, &error), &error);
    assert_ok(fly_system_create_rows(&rows, &m->model, &(fly_softness){0}, &error), &error);
    assert_ok(fly_system_create_beside(&beside, &rows, rows.nactive, rows.active, &error), &error);
    assert_ok(fly_system_create_beside(&fewer, &rows, rows.nactive - 1, rows.active, &error), &error);
    assert_ptr_equal(beside.patterns, rows.patterns);
    assert_ptr_not_equal(fewer.patterns, rows.patterns);
    fly_system_free(&rows);
    const fly_system *whole = &m->system;
    const int entries = fly_csc_nnz(&whole->G);
    assert_int_equal(fly_csc_nnz(&beside.G), entries);
    beside.dae.constraint_jacobian(beside.G.val, 0.0, beside.q0, &beside);
    m->system.dae.constraint_jacobian(m->system.G.val, 0.0, whole->q0, &m->system);
    assert_memory_equal(beside.G.val, whole->G.val, (size_t)entries * sizeof(double));
    assert_memory_equal(beside.M.val, whole->M.val, (size_t)fly_csc_nnz(&whole->M) * sizeof(double));
    fly_system_free(&fewer);
    fly_system_free(&beside);
    machine_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_size_is_the_same_far_away),
      cmocka_unit_test(moved_onto_the_pin),
      cmocka_unit_test(sketched_four_bar),
      cmocka_unit_test(sketched_four_bar_in_space),
      cmocka_unit_test(loop_that_cannot_close),
      cmocka_unit_test(bent_loop_that_cannot_close),
      cmocka_unit_test(triangle),
      cmocka_unit_test(triangle_from_bars_in_line),
      cmocka_unit_test(two_hinges),
      cmocka_unit_test(hinges_that_contradict),
      cmocka_unit_test(links_that_contradict),
      cmocka_unit_test(motion_given_twice),
      cmocka_unit_test(motions_that_contradict),
      cmocka_unit_test(accelerations_that_contradict),
      cmocka_unit_test(motions_that_part_later),
      cmocka_unit_test(messages),
      cmocka_unit_test(a_force_that_cancels_a_mass),
      cmocka_unit_test(a_reaction_that_is_not_determined),
      cmocka_unit_test(universal_joint_out_of_square),
      cmocka_unit_test(rows_come_without_derivatives),
      cmocka_unit_test(patterns_are_shared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
